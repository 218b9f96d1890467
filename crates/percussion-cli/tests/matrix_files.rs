//! Matrices from files: read, refused with their line, and kept inside the scenario's folder.

mod common;
use common::{BALL, folder, percussion, run};

fn with_file(name: &str) -> String {
    BALL.replace("mass = [[1.0]]", &format!("mass = {{ file = {name:?} }}"))
}

/// A mass from a file gives the same motion, bit by bit, as the same mass written out.
#[test]
fn file_and_text_agree() {
    let folder = folder("mtx-agree");
    std::fs::write(folder.join("text.toml"), BALL).expect("a scenario");
    std::fs::write(folder.join("file.toml"), with_file("parts/M.mtx")).expect("a scenario");
    std::fs::create_dir_all(folder.join("parts")).expect("a folder");
    let matrix = "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n1 1 1\n1 1 1.0\n";
    std::fs::write(folder.join("parts/M.mtx"), matrix).expect("a matrix");
    let (text, file) = (run(&folder, "text.toml", "a", &[]), run(&folder, "file.toml", "b", &[]));
    assert_eq!(text["state_hash"], file["state_hash"]);
}

/// A chain of 40 masses in sparse files: the run folder carries the files, and reproduces the run.
#[test]
fn run_folders_carry_their_matrices() {
    let (folder, n) = (folder("mtx-carry"), 40);
    let mut stiffness = String::new();
    for i in 1..=n {
        stiffness += &format!("{i} {i} {}\n", if i == n { 100.0 / 3.0 } else { 200.0 / 3.0 });
        if i < n {
            stiffness += &format!("{} {i} {}\n", i + 1, -100.0 / 3.0);
        }
    }
    let mass: String = (1..=n).map(|i| format!("{i} {i} {}\n", 1.0 / 7.0)).collect();
    std::fs::write(folder.join("M.mtx"), format!("%%MatrixMarket matrix coordinate real general\n{n} {n} {n}\n{mass}"))
        .expect("a matrix");
    let head = format!("%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {}\n", 2 * n - 1);
    std::fs::write(folder.join("K.mtx"), head + &stiffness).expect("a matrix");
    let scenario = "[model]\nkind = \"linear\"\nmass = { file = \"M.mtx\" }\nstiffness = { file = \"K.mtx\" }\n\
        force = FORCE\n[[model.contact]]\nnormal = { 39 = -1.0 }\noffset = 0.3\nrestitution = 0.5\n\
        [scheme]\nname = \"generalized-alpha\"\nrho_inf = 0.7\n[time]\nend = 4.0\nstep = 1e-2\n"
        .replace("FORCE", &format!("[{}]", vec!["1.0"; n].join(", ")));
    std::fs::write(folder.join("chain.toml"), scenario).expect("a scenario");
    let first = run(&folder, "chain.toml", "first", &[]);
    assert!(first["events"]["impact"].as_u64() > Some(0), "the chain never reaches its stop");
    assert!(folder.join("first/mass.mtx").exists() && folder.join("first/stiffness.mtx").exists());
    let second = run(&folder, "first/scenario.toml", "second", &[]);
    assert_eq!(first["state_hash"], second["state_hash"]);
    assert_eq!(percussion(&folder, &["verify", "second"]).code, 0);
}

/// Damaged files are refused with the file's own line.
#[test]
fn damaged_files() {
    let head = "%%MatrixMarket matrix coordinate real general\n";
    let cases = [
        ("", "E116", 1),
        ("nonsense\n", "E116", 1),
        ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", "E116", 1),
        ("%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 1\n1 1 1\n", "E116", 3),
        ("%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n", "E116", 1),
        (&format!("{head}1 1 2\n1 1 1.00000000\n"), "E116", 4),
        (&format!("{head}1 1 1\n1 1 1\n1 1 1\n"), "E116", 4),
        (&format!("{head}1 1 1\n2 1 1\n"), "E116", 3),
        (&format!("{head}1 1 1\n1 1 nan\n"), "E110", 3),
        (&format!("{head}1 1 1\n1 1 one\n"), "E116", 3),
        (&format!("{head}1 1 4000000000\n1 1 1\n"), "E116", 2),
        (&format!("{head}18446744073709551615 18446744073709551615 1\n1 1 1\n"), "E118", 2),
        (&format!("{head}3000000 3000000 1\n1 1 1\n"), "E118", 2),
        ("%%MatrixMarket matrix array real general\n1000000 1000000\n1.0\n", "E116", 2),
    ];
    for (k, (text, code, line)) in cases.iter().enumerate() {
        let folder = folder(&format!("mtx-bad-{k}"));
        std::fs::write(folder.join("M.mtx"), text).expect("a matrix");
        std::fs::write(folder.join("bad.toml"), with_file("M.mtx")).expect("a scenario");
        let said = percussion(&folder, &["run", "bad.toml", "--out", "out"]);
        assert_eq!(said.code, 3, "{text}: {}", said.err);
        assert!(said.err.contains(code) && said.err.contains(&format!("M.mtx:{line}:")), "{text}: {}", said.err);
        assert!(said.err.contains("model.mass"), "{text}: {}", said.err);
    }
}

/// A scenario reads nothing outside its folder: no absolute paths, no way up, no links out.
#[test]
fn no_way_out_of_the_folder() {
    let folder = folder("mtx-outside");
    let inside = folder.join("inside");
    std::fs::create_dir_all(&inside).expect("a folder");
    std::fs::write(folder.join("secret.mtx"), "%%MatrixMarket matrix array real general\n1 1\n1.0\n")
        .expect("a matrix");
    let absolute = folder.join("secret.mtx").display().to_string();
    let mut names = vec!["../secret.mtx", "x/../../secret.mtx", absolute.as_str()];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../secret.mtx", inside.join("link.mtx")).expect("a link");
        names.push("link.mtx");
    }
    for name in names {
        std::fs::write(inside.join("bad.toml"), with_file(name)).expect("a scenario");
        let said = percussion(&folder, &["run", "inside/bad.toml", "--out", "out"]);
        assert_eq!(said.code, 3, "{name}: {}", said.err);
        assert!(said.err.contains("E117") && said.err.contains("bad.toml:5:"), "{name}: {}", said.err);
    }
    for (name, code) in [("missing.mtx", "E100"), (".", "E100")] {
        std::fs::write(inside.join("bad.toml"), with_file(name)).expect("a scenario");
        let said = percussion(&folder, &["run", "inside/bad.toml", "--out", "out"]);
        assert_eq!(said.code, 3, "{name}: {}", said.err);
        assert!(said.err.contains(code), "{name}: {}", said.err);
    }
}

/// Gyroscopic terms as such files list them; a mass or a stiffness of this form is refused as not symmetric.
#[test]
fn skew_symmetric_files() {
    let folder = folder("mtx-skew");
    std::fs::write(folder.join("C.mtx"), "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n")
        .expect("a matrix");
    std::fs::write(folder.join("G.mtx"), "%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 3\n1 2 -3\n")
        .expect("a matrix");
    let text = |mass: &str, stiffness: &str, damping: &str| {
        format!(
            "name = \"rotor\"\n[model]\nkind = \"linear\"\nmass = {mass}\nstiffness = {stiffness}\ndamping = {damping}\n\
             q0 = [1.0, 0.0]\n[time]\nend = 0.1\nstep = 1e-3\n"
        )
    };
    let (unit, file) = ("[[1.0, 0.0], [0.0, 1.0]]", "{ file = \"C.mtx\" }");
    for (name, text) in [
        ("file", text(unit, unit, file)),
        ("general", text(unit, unit, "{ file = \"G.mtx\" }")),
        ("mass", text(file, unit, unit)),
        ("stiffness", text(unit, file, unit)),
    ] {
        std::fs::write(folder.join(format!("{name}.toml")), text).expect("a scenario");
    }
    let hash = |name: &str| run(&folder, &format!("{name}.toml"), name, &[])["state_hash"].clone();
    assert_eq!(hash("file"), hash("general"));
    for (name, code) in [("mass", "E112"), ("stiffness", "E114")] {
        let said = percussion(&folder, &["check", &format!("{name}.toml")]);
        assert!(said.code == 3 && said.err.contains(code), "{name}: {}", said.err);
    }
}
