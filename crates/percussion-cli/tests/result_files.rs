//! Files of results: nothing is written through links or over what others wrote, edits are noticed, and names stay names.

mod common;
use common::{BALL, folder, percussion, program, run, skipped};
use std::path::{Path, PathBuf};

/// A case of `../shared/cases` beside the repository.
fn case(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases").join(name);
    if path.exists() {
        return Some(path);
    }
    skipped(&format!("{name} is not beside the repository"));
    None
}

/// A contact that opens while others pull it back gets an impulse: `verify` accepts what the law of impact allows.
#[test]
fn case_verify_false_103628() {
    let Some(path) = case("files/verify-false-103628.toml") else { return };
    let folder = folder("case-103628");
    run(&folder, &path.display().to_string(), "run", &[]);
    let said = percussion(&folder, &["verify", "run"]);
    assert_eq!(said.code, 0, "{}", said.out);
}

/// W of order 1e33 beside 1e2, positive definite in the scale diag(W) = 1: it has a solution, and no method says otherwise.
#[test]
fn case_false_no_solution() {
    let Some(path) = case("files/false-no-solution.dat") else { return };
    let folder = folder("case-no-solution");
    let said = percussion(&folder, &["solve", &path.display().to_string(), "--json"]);
    assert!(said.code == 0 && said.out.contains("\"status\":\"solved\""), "{}", said.out);
    let said = percussion(&folder, &["solve", &path.display().to_string(), "--solver", "all", "--json"]);
    assert!(!said.out.contains("no_solution"), "{}", said.out);
}

/// The vertex at (0, 0, −5) that no face uses is left out, with a warning: the body rests on its faces.
#[test]
fn case_obj_stray() {
    let Some(path) = case("files/obj-stray.toml") else { return };
    let folder = folder("case-stray");
    let said = percussion(&folder, &["check", &path.display().to_string()]);
    assert!(said.code == 0 && said.err.contains("W420"), "{}", said.err);
    let summary = run(&folder, &path.display().to_string(), "run", &[]);
    assert!(summary["warnings"][0].as_str().is_some_and(|text| text.starts_with("W420")), "{summary}");
    let z = common::column(&folder.join("run/trajectory.csv"), "q9");
    // a unit of height from its lowest face, and nothing of the stray vertex below it
    assert!(z.last().is_some_and(|z| *z < 0.9), "{:?}", z.last());
}

/// Newton at the round-off of its positions over h has met its tolerance.
#[test]
fn round_off_of_positions_is_no_failure() {
    let folder = folder("round-off");
    let summary = run(&folder, "pendulum", "run", &["--step", "1e-4", "--end", "1.0"]);
    assert_eq!(summary["verdicts"]["solver"]["status"], "pass", "{summary}");
    assert_eq!(percussion(&folder, &["verify", "run"]).code, 0);
}

/// Any edit of the summary is noticed.
#[test]
fn edits_of_the_summary_are_noticed() {
    let folder = folder("edits");
    run(&folder, "bouncing-ball", "run", &[]);
    let path = folder.join("run/summary.json");
    let good = std::fs::read_to_string(&path).expect("a summary");
    for (from, to) in [
        ("\"name\": \"moreau-jean\"", "\"name\": \"newmark\""),
        ("\"wall_s\": ", "\"wall_s\": 1"),
        ("\"iterations\": ", "\"iterations\": 9"),
        ("\"condition\": \"", "\"condition\": \"never "),
        ("\"interrupted\": false", "\"interrupted\": true"),
        ("{\n", "{\n  \"approved\": true,\n"),
    ] {
        let bad = good.replacen(from, to, 1);
        std::fs::write(&path, &bad).expect("a summary");
        let said = percussion(&folder, &["verify", "run"]);
        assert!(bad == good || said.code == 5, "{from}: {}", said.out);
        assert!(bad == good || said.out.contains("summary.json: it was changed"), "{from}: {}", said.out);
    }
    std::fs::write(&path, &good).expect("a summary");
    assert_eq!(percussion(&folder, &["verify", "run"]).code, 0);
}

/// A table that is a link is refused, and what it points to stays as it was.
#[cfg(unix)]
#[test]
fn tables_are_not_written_through_links() {
    let folder = folder("links");
    run(&folder, "bouncing-ball", "run", &[]);
    let precious = folder.join("precious");
    for table in ["trajectory.csv", "contacts.csv", "ledger.csv", "events.csv", "summary.json.new"] {
        std::fs::write(&precious, "precious").expect("a file");
        let link = folder.join("run").join(table);
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(&precious, &link).expect("a link");
        let said = percussion(&folder, &["run", "bouncing-ball", "--out", "run"]);
        assert!(said.code == 7 && said.err.contains("symbolic link"), "{table}: {} {}", said.code, said.err);
        assert_eq!(std::fs::read_to_string(&precious).expect("a file"), "precious", "{table}");
        let _ = std::fs::remove_file(&link);
    }
}

/// Files under a table's name that no run wrote stay, whatever the command.
#[test]
fn foreign_files_are_not_replaced() {
    let folder = folder("foreign");
    run(&folder, "bouncing-ball", "run", &[]);
    for name in ["trajectory.csv", "contacts.csv", "summary.json", "report.html"] {
        let out = folder.join(name.replace('.', "-"));
        std::fs::create_dir_all(&out).expect("a folder");
        std::fs::write(out.join(name), "mine").expect("a file");
        let said = percussion(&folder, &["run", "bouncing-ball", "--out", &out.display().to_string()]);
        assert!(said.code == 7 && said.err.contains(name), "{name}: {}", said.err);
        assert_eq!(std::fs::read_to_string(out.join(name)).expect("a file"), "mine");
    }
    std::fs::create_dir_all(folder.join("copy")).expect("a folder");
    std::fs::write(folder.join("copy/ledger.csv"), "mine").expect("a file");
    let said = percussion(&folder, &["export", "run", "--to", "csv", "--out", "copy"]);
    assert!(said.code == 7 && said.err.contains("ledger.csv"), "{}", said.err);
    // a run may be made again in its own folder, and exported again
    run(&folder, "bouncing-ball", "run", &[]);
    for _ in 0..2 {
        assert_eq!(percussion(&folder, &["export", "run", "--to", "csv", "--out", "again"]).code, 0);
    }
}

/// A file-size limit is a file that cannot be written: exit 7, not a signal.
#[cfg(unix)]
#[test]
fn a_file_size_limit_is_exit_7() {
    let folder = folder("limit");
    let exe = program(&folder).get_program().to_string_lossy().into_owned();
    let script = format!("ulimit -f 16; exec \"{exe}\" run bouncing-ball --step 1e-4 --out run");
    let output = std::process::Command::new("sh").arg("-c").arg(script).current_dir(&folder).output().expect("a shell");
    let said = common::Said::from(output);
    assert!(said.code == 7 && said.err.contains("E300"), "{} {}", said.code, said.err);
}

/// Control characters in names are refused where they stand, and those of other words never reach the terminal.
#[test]
fn names_cannot_fake_lines() {
    let folder = folder("names");
    for name in ["a\\nerror[E999]: fake", "a\\tb", "\\u001b[31mred", "a\\rb"] {
        let text = BALL.replace("name = \"ball\"", &format!("name = \"{name}\""));
        std::fs::write(folder.join("s.toml"), text).expect("a file");
        let said = percussion(&folder, &["run", "s.toml"]);
        assert!(said.code == 3 && said.err.contains("E128"), "{name}: {}", said.err);
        assert!(!said.err.lines().any(|line| line.starts_with("error[E999]")), "{}", said.err);
    }
    let text = BALL.replace("[model]\n", "[model]\n\"x\\nerror[E999]: fake\" = 1\n");
    std::fs::write(folder.join("s.toml"), text).expect("a file");
    let said = percussion(&folder, &["check", "s.toml"]);
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(!said.err.lines().any(|line| line.starts_with("error[E999]")), "{}", said.err);
}

/// No cell of a sweep's table is an infinity, and none is a formula.
#[test]
fn sweep_tables_hold_numbers_and_text() {
    let folder = folder("sweep-cells");
    std::fs::write(folder.join("ball.toml"), BALL).expect("a file");
    let sweep = "[sweep]\nscenario = \"ball.toml\"\nmethod = \"grid\"\n\
                 [[sweep.parameter]]\nkey = \"name\"\nvalues = [\"=1+1\", \"@x\", \"+x\", \"-x\"]\n\
                 [[sweep.parameter]]\nkey = \"model.force\"\nvalues = [[-10.0], [-1e308]]\n";
    std::fs::write(folder.join("sweep.toml"), sweep).expect("a file");
    let said = percussion(&folder, &["sweep", "sweep.toml", "--out", "out"]);
    let table = std::fs::read_to_string(folder.join("out/sweep.csv"));
    let table = table.unwrap_or_else(|error| panic!("{error}: {} {}", said.out, said.err));
    for word in ["=1+1", "@x", "+x", "-x"] {
        assert!(table.contains(&format!("\"'{word}\"")), "{word}: {table}");
    }
    for cell in table.lines().skip(1).flat_map(|line| line.split(',')) {
        assert!(!["inf", "-inf", "nan", "NaN"].contains(&cell), "{table}");
    }
}

/// Each model that is allowed and hardly ever meant is warned of by its code.
#[test]
fn unusual_models_are_warned_of() {
    let folder = folder("unusual");
    let two = |more: &str, contact: &str| {
        format!(
            "[model]\nkind = \"linear\"\nmass = [[1.0, 0.0], [0.0, 1.0]]\nq0 = [0.0, 1.0]\n{more}[[model.contact]]\n\
             normal = [0.0, 1.0]\noffset = 0.0\nrestitution = 0.5\n{contact}[time]\nend = 1.0\nstep = 1e-2\n"
        )
    };
    let thin = "[model]\nkind = \"bodies\"\ndimension = 3\n[[body]]\nname = \"a\"\nmass = 1.0\ninertia = [1.0, 1.0, 1.0]\n\
                position = [0.0, 0.0, 5.0]\nshape = { kind = \"box\", size = [1.0, 1.0, 1e-13] }\n[time]\nend = 1.0\nstep = 1e-2\n";
    let cases = [
        ("W421", two("", "friction = 0.3\ntangents = [[1.0, 0.5]]\n")),
        ("W421", two("", "friction = 0.3\ntangents = [[2.0, 0.0]]\n")),
        ("W422", two("stiffness = [[1.0, 3.0], [3.0, 1.0]]\n", "")),
        ("W422", two("damping = [[1.0, 3.0], [3.0, 1.0]]\n", "")),
        ("W423", two("stiffness = [[1e6, 0.0], [0.0, 1.0]]\n", "")),
        ("W424", two("force = [0.0, { mean = 0.0, sines = [{ amplitude = 1.0, omega = 400.0, phase = 0.0 }] }]\n", "")),
        ("W425", two("", "[[model.contact]]\nnormal = [1e-12, 0.0]\noffset = 1.0\nrestitution = 0.5\n")),
        ("W426", thin.to_string()),
        ("W427", two("", "").replace("end = 1.0", "end = 1e-3")),
    ];
    for (code, text) in cases {
        std::fs::write(folder.join("s.toml"), &text).expect("a file");
        let said = percussion(&folder, &["check", "s.toml"]);
        assert!(said.code == 0 && said.err.contains(code), "{code}: {}\n{text}", said.err);
    }
    std::fs::write(folder.join("s.toml"), two("", "friction = 0.3\ntangents = [[1.0, 0.0]]\n")).expect("a file");
    assert_eq!(percussion(&folder, &["check", "s.toml"]).err, "");
}
