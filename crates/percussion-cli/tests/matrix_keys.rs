//! Matrices from other programs: coordinates held and condensed, damping by words, vectors in files, large ones in binary.

mod common;
use common::{folder, percussion, run};
use std::fmt::Write as _;
use std::path::Path;

/// The columns of a trajectory, row by row.
fn trajectory(run: &Path) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(run.join("trajectory.csv")).expect("a trajectory");
    let number = |word: &str| word.parse::<f64>().expect("a number");
    text.lines().skip(1).map(|line| line.split(',').map(number).collect()).collect()
}

/// Runs a model under moreau-jean and reads its motion.
fn motion(folder: &Path, name: &str, model: &str) -> Vec<Vec<f64>> {
    let text = format!(
        "[model]\nkind = \"linear\"\n{model}\n[scheme]\nname = \"moreau-jean\"\ntheta = 0.5\n[time]\nend = 4.0\nstep = 0.01\n"
    );
    std::fs::write(folder.join(format!("{name}.toml")), text).expect("a scenario");
    run(folder, &format!("{name}.toml"), name, &[]);
    trajectory(&folder.join(name))
}

/// The largest difference between columns a of one table and columns b of another.
fn difference(one: &[Vec<f64>], a: &[usize], other: &[Vec<f64>], b: &[usize]) -> f64 {
    assert_eq!(one.len(), other.len());
    let row = |(x, y): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(&i, &j)| (x[i] - y[j]).abs()).fold(0.0, f64::max);
    one.iter().zip(other).map(row).fold(0.0, f64::max)
}

/// The code of the error a model is refused with.
fn refusal(folder: &Path, model: &str) -> String {
    let text = format!("[model]\nkind = \"linear\"\n{model}\n[time]\nend = 0.1\nstep = 0.01\n");
    std::fs::write(folder.join("bad.toml"), text).expect("a scenario");
    let said = percussion(folder, &["check", "bad.toml"]);
    assert_eq!(said.code, 3, "{model}");
    said.err
}

const CHAIN: &str = "mass = [[2.0, 0.5, 0.0], [0.5, 2.0, 0.5], [0.0, 0.5, 1.0]]\n\
    stiffness = [[30.0, -10.0, 0.0], [-10.0, 20.0, -10.0], [0.0, -10.0, 10.0]]\ngravity = [-9.81, -9.81, -9.81]\n\
    q0 = [0.1, 0.2, 0.0]\n";
const STOP: &str = "[[model.contact]]\nnormal = [0.5, 0.0, 1.0]\noffset = 1.0\nrestitution = 0.5\n";

/// A coordinate held moves the others as a joint at the same place does, keeps its number, and its run can be made again.
#[test]
fn held_as_by_a_joint() {
    let folder = folder("matrix-fix");
    let held = motion(&folder, "held", &format!("{CHAIN}fix = [0]\n{STOP}"));
    let joint = format!("{CHAIN}{STOP}[[model.joint]]\nrow = [1.0, 0.0, 0.0]\noffset = -0.1\n");
    let jointed = motion(&folder, "jointed", &joint);
    let all = [1, 2, 3, 4, 5, 6];
    assert!(difference(&held, &all, &jointed, &all) < 1e-11);
    assert!(held.iter().all(|row| row[1] == 0.1 && row[4] == 0.0));
    assert!(held.iter().any(|row| row[3] < -0.5), "the stop is never reached");
    let again = run(&folder, "held/scenario.toml", "again", &[]);
    let first: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("held/summary.json")).expect("a summary"))
            .expect("JSON");
    assert_eq!(first["state_hash"], again["state_hash"]);
    assert_eq!(again["verdicts"]["energy"]["status"], "pass");
    assert_eq!(percussion(&folder, &["verify", "held"]).code, 0);
    assert!(refusal(&folder, &format!("{CHAIN}fix = [3]\n")).contains("E111"));
    assert!(refusal(&folder, &format!("{CHAIN}v0 = [1.0, 0.0, 0.0]\nfix = [0]\n")).contains("E152"));
}

/// A coordinate without mass between two others is what its springs in series are: K_ii − K_ic K_cc⁻¹ K_ci worked out by hand.
#[test]
fn condensed_as_by_hand() {
    let folder = folder("matrix-condense");
    let stop = |normal: &str| format!("[[model.contact]]\nnormal = {normal}\noffset = 0.3\nrestitution = 0.5\n");
    let whole = "mass = [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 2.0]]\n\
        stiffness = [[2.0, -1.0, 0.0], [-1.0, 3.0, -1.0], [0.0, -1.0, 2.0]]\n\
        force = [0.0, { mean = 3.0, sines = [{ amplitude = 1.5, omega = 2.0 }] }, -4.0]\nq0 = [0.5, 9.0, 0.0]\n";
    let condensed = motion(&folder, "whole", &format!("{whole}condense = true\n{}", stop("[0.0, 0.0, 1.0]")));
    let third = 1.0 / 3.0;
    let by_hand = format!(
        "mass = [[1.0, 0.0], [0.0, 2.0]]\nstiffness = [[{0:?}, {1:?}], [{1:?}, {0:?}]]\n\
        force = [{{ mean = 1.0, sines = [{{ amplitude = 0.5, omega = 2.0 }}] }}, {{ mean = -3.0, sines = [{{ amplitude = 0.5, omega = 2.0 }}] }}]\n\
        q0 = [0.5, 0.0]\n{2}",
        2.0 - third,
        -third,
        stop("[0.0, 1.0]")
    );
    let by_hand = motion(&folder, "hand", &by_hand);
    assert!(difference(&condensed, &[1, 2, 3, 4], &by_hand, &[1, 2, 3, 4]) < 1e-12);
    assert!(condensed.iter().any(|row| row[2] < -0.29), "the stop is never reached");
    let names = std::fs::read_to_string(folder.join("whole/names.csv")).expect("names");
    assert!(names.contains("q1,coordinate2.q"), "{names}");
    run(&folder, "whole/scenario.toml", "again", &[]);
    assert_eq!(trajectory(&folder.join("again")), condensed);
    assert_eq!(percussion(&folder, &["verify", "whole"]).code, 0);
    assert!(refusal(&folder, &format!("{whole}condense = true\n{}", stop("[0.0, 1.0, 0.0]"))).contains("E152"));
    assert!(refusal(&folder, whole).contains("E113"));
    let loose = "mass = [[1.0, 0.0], [0.0, 0.0]]\nstiffness = [[1.0, 0.0], [0.0, 0.0]]\ncondense = true\n";
    assert!(refusal(&folder, loose).contains("E113"));
}

/// Rayleigh's damping is the matrix it stands for; ratios damp an oscillator as c = 2ζωm does, and leave rigid motion alone.
#[test]
fn damping_by_words() {
    let folder = folder("matrix-damping");
    let two = "mass = [[1.0, 0.0], [0.0, 2.0]]\nstiffness = [[2.0, -1.0], [-1.0, 2.0]]\nq0 = [1.0, 0.0]\n";
    let words = motion(&folder, "words", &format!("{two}damping = {{ mass = 0.25, stiffness = 0.5 }}\n"));
    let matrix = motion(&folder, "matrix", &format!("{two}damping = [[1.25, -0.5], [-0.5, 1.5]]\n"));
    assert_eq!(words, matrix);
    let one = "mass = [[4.0]]\nstiffness = [[16.0]]\nq0 = [1.0]\n";
    let ratio = motion(&folder, "ratio", &format!("{one}damping = {{ ratios = 0.25 }}\n"));
    let c = motion(&folder, "c", &format!("{one}damping = [[4.0]]\n"));
    assert!(difference(&ratio, &[1, 2], &c, &[1, 2]) < 1e-13);
    // two masses on a spring: the relative motion has ω² = k (1/m₁ + 1/m₂) and is damped, the centre moves on
    let free = "mass = [[1.0, 0.0], [0.0, 3.0]]\nstiffness = [[12.0, -12.0], [-12.0, 12.0]]\nv0 = [4.0, 0.0]\n";
    let free = motion(&folder, "free", &format!("{free}damping = {{ ratios = [0.5] }}\n"));
    let last = &free[free.len() - 1];
    assert!((last[3] + 3.0 * last[4] - 4.0).abs() < 1e-11, "{last:?}");
    assert!((last[3] - last[4]).abs() < 0.01, "{last:?}");
    let held = motion(&folder, "held", &format!("{CHAIN}fix = [0]\ndamping = {{ mass = 0.1, stiffness = 0.01 }}\n"));
    assert!(held.iter().all(|row| row[1] == 0.1));
    assert!(refusal(&folder, &format!("{one}damping = {{ ratio = 0.25 }}\n")).contains("ratio"));
}

/// Triangles that differ by round-off are refused until the scenario says they may; more than that is refused.
#[test]
fn symmetrized() {
    let folder = folder("matrix-symmetrize");
    let model =
        |x: f64| format!("mass = [[1.0, 0.0], [0.0, 2.0]]\nstiffness = [[2.0, -1.0], [{x:?}, 2.0]]\nq0 = [1.0, 0.0]\n");
    assert!(refusal(&folder, &model(-1.0 - 1e-9)).contains("symmetrize"));
    let mended = motion(&folder, "mended", &format!("{}symmetrize = true\n", model(-1.0 - 1e-9)));
    let exact = motion(&folder, "exact", &model(-1.0));
    let apart = difference(&mended, &[1, 2], &exact, &[1, 2]);
    assert!(apart > 0.0 && apart < 1e-8, "{apart}");
    assert!(refusal(&folder, &format!("{}symmetrize = true\n", model(0.0))).contains("round-off"));
}

/// A chain of n masses against a stop, its matrices and vectors in files.
fn long_chain(folder: &Path, n: usize) {
    let file =
        |name: &str, head: String, body: String| std::fs::write(folder.join(name), head + &body).expect("a file");
    let head = |entries: usize| format!("%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {entries}\n");
    let diagonal = (1..=n).fold(String::new(), |mut text, i| {
        let _ = writeln!(text, "{i} {i} {}", 1.0 / 7.0);
        text
    });
    file("M.mtx", head(n), diagonal);
    let springs = (1..=n).fold(String::new(), |mut text, i| {
        let _ = writeln!(text, "{i} {i} {}", if i == n { 50.0 } else { 100.0 });
        if i < n {
            let _ = writeln!(text, "{} {i} -50.0", i + 1);
        }
        text
    });
    file("K.mtx", head(2 * n - 1), springs);
    let column = |value: &dyn Fn(usize) -> f64| (0..n).map(|i| format!("{:?}\n", value(i))).collect::<String>();
    let tall = |n: usize| format!("%%MatrixMarket matrix array real general\n{n} 1\n");
    file("F.mtx", tall(n), column(&|i| 1e-5 * i as f64));
    file("q0.mtx", tall(n), column(&|i| -1e-4 * i as f64));
    file("v0.mtx", tall(n), column(&|i| if i == 0 { 0.0 } else { -1.0 }));
    file("fix.mtx", tall(1), "0\n".into());
    let scenario = format!(
        "[model]\nkind = \"linear\"\nmass = {{ file = \"M.mtx\" }}\nstiffness = {{ file = \"K.mtx\" }}\nforce = {{ file = \"F.mtx\" }}\n\
        q0 = {{ file = \"q0.mtx\" }}\nv0 = {{ file = \"v0.mtx\" }}\nfix = {{ file = \"fix.mtx\" }}\n\
        damping = {{ mass = 0.0, stiffness = 1e-3 }}\n[[model.contact]]\nnormal = {{ {} = 1.0 }}\noffset = 0.5\nrestitution = 0.0\n\
        [scheme]\nname = \"moreau-jean\"\ntheta = 0.5\n[time]\nend = 1.0\nstep = 0.01\n[output]\nevery = 50\n",
        n - 1
    );
    std::fs::write(folder.join("chain.toml"), scenario).expect("a scenario");
}

/// Long vectors come from files; the run folder keeps large matrices in binary, once, and makes the same run again. A damaged one is
/// refused. `event-driven` says at once that such a model is too large for it.
#[test]
fn large_matrices_in_binary() {
    let folder = folder("matrix-binary");
    let n = 4100;
    long_chain(&folder, n);
    let first = run(&folder, "chain.toml", "first", &[]);
    assert!(first["events"]["impact"].as_u64() > Some(0), "the chain never reaches its stop");
    for name in ["mass", "stiffness", "force", "q0", "v0"] {
        assert!(folder.join(format!("first/{name}.bin")).exists(), "{name}");
    }
    let stored = std::fs::metadata(folder.join("first/stiffness.bin")).expect("a file").len();
    assert!(stored < 33 * n as u64, "one triangle: {stored} bytes");
    let second = run(&folder, "first/scenario.toml", "second", &[]);
    assert_eq!(first["state_hash"], second["state_hash"]);
    assert_eq!(percussion(&folder, &["verify", "second"]).code, 0);
    let mut bytes = std::fs::read(folder.join("second/mass.bin")).expect("a file");
    bytes.pop();
    std::fs::write(folder.join("second/mass.bin"), bytes).expect("a file");
    let said = percussion(&folder, &["check", "second/scenario.toml"]);
    assert!(said.code == 3 && said.err.contains("E116"), "{}", said.err);
    let said = percussion(&folder, &["run", "chain.toml", "--scheme", "event-driven", "--out", "events"]);
    assert!(said.code == 3 && said.err.contains("E155") && said.err.contains("4100"), "{}", said.err);
}
