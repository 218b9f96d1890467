//! Nonlinear kinds of model through the program: mistakes at their line, starts that are moved, ledgers without identity.

mod common;
use common::{folder, percussion, run};
use std::path::Path;

fn gallery(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gallery").join(name).join("scenario.toml");
    std::fs::read_to_string(path).expect("the gallery")
}

/// The scenario with the line that sets `key` replaced, and the number of that line.
fn with(name: &str, key: &str, new: &str) -> (String, usize) {
    let text = gallery(name);
    let start = format!("{key} = ");
    let line = text.lines().position(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("{name} has no {key}"));
    let lines: Vec<&str> = text.lines().enumerate().map(|(k, old)| if k == line { new } else { old }).collect();
    (lines.join("\n") + "\n", line + 1)
}

/// Each mistake has its code and its line.
#[test]
fn mistakes_have_their_line() {
    let cases: &[(&str, &str, &str, &str)] = &[
        ("pendulum", "mass", "mass = -1.0", "E113"),
        ("pendulum", "inertia", "inertia = -0.1", "E113"),
        ("pendulum", "length", "length = nan", "E110"),
        ("pendulum", "length", "length = -1.0", "E111"),
        ("pendulum", "gravity", "gravity = inf", "E110"),
        ("pendulum", "restitution", "restitution = 1.2", "E120"),
        ("pendulum", "restitution", "restitutoin = 0.8", "E102"),
        ("pendulum", "kind", "kind = \"pendulun\"", "E106"),
        ("pendulum", "angle", "angle = nan", "E110"),
        ("pendulum", "angle", "angle = -1.0", "E130"),
        ("pendulum", "angle", "q0 = [1.0, 0.0]", "E111"),
        ("pendulum", "angle", "q0 = [1.0, nan, 0.0]", "E110"),
        ("pendulum", "angle", "q0 = [1.0, 0.1, 0.0]", "E131"),
        ("pendulum", "wall", "wall = \"left\"", "E103"),
        ("rocking-block", "width", "width = 0.0", "E111"),
        ("rocking-block", "q0", "q0 = [0.0, 0.5, 0.2]", "E130"),
        ("rocking-block", "v0", "v0 = [0.0]", "E111"),
        ("rotating-beam", "poisson", "poisson = 0.7", "E111"),
        ("rotating-beam", "elements", "elements = 0", "E111"),
        ("rotating-beam", "elements", "elements = -4", "E111"),
        ("rotating-beam", "elements", "elements = 1000000", "E118"),
        ("rotating-beam", "joints", "joints = 2", "E103"),
        ("rotating-beam", "young", "young = 0.0", "E111"),
        ("rotating-beam", "wall", "wall = 1.5", "E130"),
        ("pendulum", "rho_inf", "prediction = 0.5", "E152"),
        ("pendulum", "name", "name = 3", "E103"),
    ];
    let folder = folder("nonlinear-mistakes");
    for (name, key, new, code) in cases {
        let (text, line) = with(name, key, new);
        std::fs::write(folder.join("bad.toml"), text).expect("a scenario");
        let said = percussion(&folder, &["check", "bad.toml"]);
        assert_eq!(said.code, 3, "{name}, {new}: {}{}", said.out, said.err);
        assert!(said.err.contains(&format!("[{code}]")), "{name}, {new}: wanted {code}, got {}", said.err);
        assert!(said.err.contains(&format!("bad.toml:{line}:")), "{name}, {new}: wanted line {line}: {}", said.err);
        assert!(said.err.contains("help: "), "{}", said.err);
    }
}

/// A missing key is named; two ways to say the start, or none, are refused.
#[test]
fn the_start_is_said_once() {
    let folder = folder("nonlinear-start");
    let angle = "angle = 0.2617993877991494";
    for (new, code, word) in [
        ("angle = 0.2\nq0 = [1.0, 0.0, 0.0]", "E152", "both"),
        ("", "E103", "angle is missing"),
        ("angle = 0.2\nv0 = [1.0, 0.0, 0.0]", "E132", "joint 0: the joint's velocity is 1.0"),
        ("q0 = [0.99, 0.25, 0.26]", "E131", "joint 0: the joint is violated by 2.361"),
    ] {
        std::fs::write(folder.join("bad.toml"), gallery("pendulum").replacen(angle, new, 1)).expect("a scenario");
        let said = percussion(&folder, &["check", "bad.toml"]);
        assert_eq!(said.code, 3, "{new}");
        assert!(said.err.contains(code) && said.err.contains(word), "{new}: {}", said.err);
    }
}

/// `--fix-initial project` assembles the mechanism and tells the change of energy; what cannot be assembled is refused.
#[test]
fn starts_are_projected() {
    let folder = folder("nonlinear-project");
    let cases = [
        ("pendulum", "model.q0=[0.99, 0.25, 0.26]", true),
        ("rocking-block", "model.q0=[0.0, 0.7, 0.1]", false),
        ("rotating-beam", "model.wall=1.001", false),
    ];
    for (name, set, no_angle) in cases {
        let text = gallery(name);
        let kept: Vec<&str> = text.lines().filter(|line| !(no_angle && line.starts_with("angle"))).collect();
        std::fs::write(folder.join("start.toml"), kept.join("\n")).expect("a scenario");
        let arguments = ["run", "start.toml", "--out", name, "--set", set, "--end", "0.01"];
        assert_eq!(percussion(&folder, &arguments).code, 3, "{name}");
        let said = percussion(&folder, &[&arguments[..], &["--fix-initial", "project"]].concat());
        assert_eq!(said.code, 0, "{name}: {}", said.err);
        assert!(said.err.contains("W407") && said.err.contains("its energy changed by"), "{}", said.err);
        // the moved state is in the resolved scenario
        let again = run(&folder, &format!("{name}/scenario.toml"), "again", &[]);
        let text = std::fs::read_to_string(folder.join(name).join("summary.json")).expect("a summary");
        let first: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(first["state_hash"], again["state_hash"], "{name}");
    }
    let arguments = ["run", "pendulum", "--set", "model.wall=2.0", "--fix-initial", "project"];
    let said = percussion(&folder, &arguments);
    assert_eq!(said.code, 3, "{}", said.out);
    assert!(said.err.contains("can be assembled"), "{}", said.err);
}

/// The cells of a ledger's column `residual`.
fn residuals(ledger: &str) -> Vec<String> {
    let mut lines = ledger.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let place = lines.next().and_then(|head| head.iter().position(|name| *name == "residual")).expect("a column");
    lines.map(|cells| cells[place].to_string()).collect()
}

/// Moreau–Jean has no identity on a nonlinear model: its residual stays empty, the page is written, `verify` says so, and
/// the drift of the joints, which it does not promise, is reported. GGL's residual is a number and Newton's counts are in the summary.
#[test]
fn ledgers_with_and_without_identity() {
    let folder = folder("nonlinear-ledger");
    let said = percussion(&folder, &["run", "pendulum", "--scheme", "moreau-jean", "--out", "moreau"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("joints  report"), "{}", said.out);
    let ledger = std::fs::read_to_string(folder.join("moreau/ledger.csv")).expect("a ledger");
    assert!(residuals(&ledger).iter().all(String::is_empty), "a residual without an identity");
    let verified = percussion(&folder, &["verify", "moreau"]);
    assert_eq!(verified.code, 0, "{}", verified.out);
    assert!(verified.out.contains("the scheme has no identity"), "{}", verified.out);
    assert!(verified.out.contains("multipliers that are not stored"), "{}", verified.out);
    let page = std::fs::read_to_string(folder.join("moreau/report.html")).expect("a page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("The scheme has no energy identity"));
    assert!(!page.contains("Does the ledger close?"), "a frame without a residual");

    let summary = run(&folder, "pendulum", "ggl", &[]);
    let newton = &summary["solver"]["newton"];
    assert_eq!(newton["newton"].as_u64(), summary["steps"].as_u64());
    assert_eq!((&newton["damped"], &newton["inner_lcp"], &newton["halved"]), (&0.into(), &0.into(), &0.into()));
    let ledger = std::fs::read_to_string(folder.join("ggl/ledger.csv")).expect("a ledger");
    assert!(residuals(&ledger).iter().all(|cell| !cell.is_empty()));
    assert!(!percussion(&folder, &["run", "pendulum", "--out", "ggl"]).out.contains("needed help"));
}

/// A scheme that does not move the model, or a parameter that has no meaning for it, gives E155 and exit 3.
#[test]
fn unsupported_schemes() {
    let folder = folder("nonlinear-unsupported");
    for more in
        [&["--scheme", "naive-newmark-position"][..], &["--scheme", "moreau-jean", "--set", "scheme.projection=paid"]]
    {
        let said = percussion(&folder, &[&["run", "pendulum"], more].concat());
        assert_eq!(said.code, 3, "{}", said.out);
        assert!(said.err.contains("E155") && said.err.contains("linear models"), "{}", said.err);
    }
    let list = percussion(&folder, &["list", "schemes"]).out;
    // what energy-momentum supports, and what event-driven does beyond that
    assert!(
        list.contains(
            "linear, nonlinear, bodies, joints, friction, moving obstacles, adaptive steps: activation, prediction"
        ),
        "{list}"
    );
    assert!(
        list.contains("linear, nonlinear, bodies, joints, friction, moving obstacles, located events: tolerance"),
        "{list}"
    );
}

/// One changed number is noticed in what can be recomputed of a nonlinear run.
#[test]
fn tampering_is_noticed() {
    let folder = folder("nonlinear-tamper");
    run(&folder, "rocking-block", "run", &["--end", "1.0"]);
    let columns = [("trajectory.csv", 0..7), ("ledger.csv", 2..12), ("contacts.csv", 3..5)];
    for (table, columns) in columns {
        let path = folder.join("run").join(table);
        let good = std::fs::read_to_string(&path).expect("a table");
        for column in columns {
            let mut lines: Vec<String> = good.lines().map(str::to_string).collect();
            let middle = 1 + lines.len() / 2;
            let mut cells: Vec<String> = lines[middle].split(',').map(str::to_string).collect();
            let x: f64 = cells[column].parse().expect("a number");
            cells[column] = format!("{:.16e}", x + 1e-6);
            lines[middle] = cells.join(",");
            std::fs::write(&path, lines.join("\n") + "\n").expect("a table");
            let said = percussion(&folder, &["verify", "run"]);
            assert_eq!(said.code, 5, "{table}, column {column}: {}", said.out);
        }
        std::fs::write(&path, &good).expect("a table");
    }
    assert_eq!(percussion(&folder, &["verify", "run"]).code, 0);
}
