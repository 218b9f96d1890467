//! Frictional runs from the command line: files, verification, resolved scenarios, what is refused.

mod common;
use common::{BALL, column, folder, percussion, run};

/// Tangential columns are written and verified, for θ, α and position-level schemes, in full and thinned; the resolved scenario
/// gives the same bits again.
#[test]
fn runs_verify_and_repeat() {
    let folder = folder("friction-runs");
    for scheme in ["moreau-jean", "generalized-alpha", "implicit-newmark", "d0-constant", "generalized-alpha-ggl"] {
        for every in ["1", "7"] {
            let set = format!("output.every={every}");
            let summary = run(&folder, "spinning-disk", "run", &["--scheme", scheme, "--set", &set]);
            assert_eq!(summary["friction"]["law"], "checked", "{scheme}");
            assert_eq!(summary["verdicts"]["cone"]["status"], "pass", "{scheme}");
            assert!(summary["friction"]["complementarity"].as_f64().expect("a number") < 1e-9);
            assert!(summary["events"]["stick"].as_u64().expect("a count") >= 1, "{scheme}");
            let said = percussion(&folder, &["verify", "run"]);
            assert_eq!(said.code, 0, "{scheme}, every = {every}: {}", said.out);
            let (p_n, p_t) =
                (column(&folder.join("run/contacts.csv"), "p_n"), column(&folder.join("run/contacts.csv"), "p_t1"));
            assert!(p_n.iter().zip(&p_t).all(|(n, t)| t.abs() <= n * (1.0 + 1e-12)), "outside the cone of μ = 1");
            assert!(p_t.iter().any(|p| p.abs() > 1.0), "the first bounce frictional");
            assert!(column(&folder.join("run/contacts.csv"), "u_t2").iter().all(|u| u.is_nan()), "no second tangent");
        }
    }
    let summary = run(&folder, "spinning-disk", "first", &[]);
    let again = run(&folder, "first/scenario.toml", "second", &[]);
    assert_eq!(summary["state_hash"], again["state_hash"]);
    let page = std::fs::read_to_string(folder.join("first/report.html")).expect("a report");
    assert!(page.contains("Sliding") && page.contains("Friction"));
}

/// Rolling friction has columns of its own, verified, in full and thinned; a moment beyond μ_r p_N is noticed, and the resolved
/// scenario gives the same bits again.
#[test]
fn rolling_friction_in_files() {
    let folder = folder("rolling-runs");
    let scene = r#"
name = "rolling"
[model]
kind = "bodies"
friction = 0.5
rolling = 2e-3
[[body]]
name = "floor"
shape = { kind = "plane" }
fixed = true
[[body]]
name = "ball"
shape = { kind = "sphere", radius = 0.1 }
density = 1000.0
position = [0.0, 0.0, 0.1]
velocity = [0.2, 0.0, 0.0]
angular_velocity = [0.0, 2.0, 0.0]
[time]
end = 0.2
step = 1e-3
"#;
    std::fs::write(folder.join("s.toml"), scene).expect("a file");
    for every in ["7", "1"] {
        let summary = run(&folder, "s.toml", "run", &["--set", &format!("output.every={every}")]);
        assert_eq!(summary["verdicts"]["cone"]["status"], "pass");
        let said = percussion(&folder, &["verify", "run"]);
        assert_eq!(said.code, 0, "every = {every}: {}", said.out);
        let of = |name: &str| column(&folder.join("run/contacts.csv"), name);
        let (p, m) = (of("p_n"), (of("m_1"), of("m_2")));
        for (p, m) in p.iter().zip(m.0.iter().zip(&m.1)) {
            assert!((m.0.hypot(*m.1) - 2e-3 * p).abs() <= 1e-12, "{m:?} {p}");
        }
    }
    let again = run(&folder, "run/scenario.toml", "second", &[]);
    let summary = run(&folder, "s.toml", "first", &[]);
    assert_eq!(summary["state_hash"], again["state_hash"]);
    let path = folder.join("run/contacts.csv");
    let good = std::fs::read_to_string(&path).expect("a table");
    let mut lines: Vec<String> = good.lines().map(str::to_string).collect();
    let mut cells: Vec<&str> = lines[10].split(',').collect();
    cells[13] = "1.0";
    lines[10] = cells.join(",");
    std::fs::write(&path, lines.join("\n") + "\n").expect("a table");
    assert_ne!(percussion(&folder, &["verify", "run"]).code, 0);
}

/// `verify` notices one changed tangential velocity, impulse or status.
#[test]
fn one_changed_tangential_number_is_noticed() {
    let folder = folder("friction-tamper");
    run(&folder, "sliding-block", "run", &[]);
    let path = folder.join("run/contacts.csv");
    let good = std::fs::read_to_string(&path).expect("a table");
    for (place, new) in [(5, "0.5"), (8, "-1e-4"), (8, "0.5"), (10, "stick"), (10, "open"), (9, "0.0")] {
        let mut lines: Vec<String> = good.lines().map(str::to_string).collect();
        let mut cells: Vec<&str> = lines[10].split(',').collect();
        cells[place] = new;
        lines[10] = cells.join(",");
        std::fs::write(&path, lines.join("\n") + "\n").expect("a table");
        let said = percussion(&folder, &["verify", "run"]);
        assert_ne!(said.code, 0, "column {place} = {new}: {}", said.out);
    }
}

/// Each mistake has its code, and names its place.
#[test]
fn mistakes_in_friction() {
    let folder = folder("friction-mistakes");
    let contact = |keys: &str| BALL.replace("restitution = 0.8", &format!("restitution = 0.8\n{keys}"));
    for (keys, code, word) in [
        ("friction = 0.3", "E122", "tangents"),
        ("tangents = [[1.0]]", "E122", "friction"),
        ("friction = -0.3\ntangents = [[1.0]]", "E122", "friction"),
        ("friction = nan\ntangents = [[1.0]]", "E110", "friction"),
        ("friction = 0.3\ntangents = [[0.0]]", "E122", "tangents[0]"),
        ("friction = 0.3\ntangents = [[1.0, 2.0]]", "E111", "tangents[0]"),
        ("friction = 0.3\ntangents = [[1.0], [2.0]]", "E122", "tangents[1]"),
        ("friction = 0.3\ntangents = [[1.0], [2.0], [3.0]]", "E122", "tangents"),
        ("friction = 0.3\ntangents = 1.0", "E103", "tangents"),
    ] {
        std::fs::write(folder.join("s.toml"), contact(keys)).expect("a file");
        let said = percussion(&folder, &["check", "s.toml"]);
        assert!(said.code == 3 && said.err.contains(code) && said.err.contains(word), "{keys}: {}", said.err);
    }
    let said = percussion(
        &folder,
        &["check", "slanted-rod", "--scheme", "moreau-jean-fremond", "--set", "scheme.friction_law=newton"],
    );
    assert!(said.code == 3 && said.err.contains("E152"), "{}", said.err);
    let said = percussion(&folder, &["check", "slanted-rod", "--scheme", "splitting"]);
    assert!(said.code == 3 && said.err.contains("E155"), "{}", said.err);
}

/// A nonlinear model with friction: tangential columns, cone certificate, stick events, verification in full and thinned, the
/// resolved scenario again, and its mistakes.
#[test]
fn a_rocking_block_with_friction() {
    let folder = folder("friction-block");
    let rough = ["--set", "model.friction=0.4"];
    for scheme in ["moreau-jean", "newmark", "hht", "generalized-alpha", "moreau-jean-fremond"] {
        for every in ["output.every=1", "output.every=7"] {
            let more = [&rough[..], &["--scheme", scheme, "--set", every]].concat();
            let summary = run(&folder, "rocking-block", "run", &more);
            assert_eq!(summary["verdicts"]["cone"]["status"], "pass", "{scheme}");
            assert_eq!(summary["verdicts"]["solver"]["status"], "pass", "{scheme}");
            assert!(summary["friction"]["complementarity"].as_f64().expect("a number") < 1e-9, "{scheme}: {summary}");
            assert!(summary["events"]["slip"].as_u64().expect("a count") >= 1, "{scheme}");
            let said = percussion(&folder, &["verify", "run"]);
            assert_eq!(said.code, 0, "{scheme}, {every}: {}", said.out);
            let contacts = folder.join("run/contacts.csv");
            let (p_n, p_t) = (column(&contacts, "p_n"), column(&contacts, "p_t1"));
            assert!(p_n.iter().zip(&p_t).all(|(n, t)| t.abs() <= 0.4 * n * (1.0 + 1e-12)), "outside the cone");
            assert!(p_t.iter().any(|p| p.abs() > 0.1), "it frictional");
        }
    }
    let first = run(&folder, "rocking-block", "first", &[&rough[..], &["--scheme", "moreau-jean"]].concat());
    let again = run(&folder, "first/scenario.toml", "second", &[]);
    assert_eq!(first["state_hash"], again["state_hash"]);
    for (value, scheme, code) in [
        ("model.friction=-0.4", "moreau-jean", "E122"),
        ("model.friction=nan", "moreau-jean", "E110"),
        ("model.friction=0.4", "smooth-generalized-alpha", "E155"),
    ] {
        let said = percussion(&folder, &["check", "rocking-block", "--set", value, "--scheme", scheme]);
        assert!(said.code == 3 && said.err.contains(code), "{value} {scheme}: {}", said.err);
    }
}

/// Runs whose law is on velocities in the middle of a step, or whose impulses are sums of which some was taken back, verify too.
#[test]
fn laws_inside_a_step() {
    let folder = folder("friction-inside");
    let rough: &[&str] = &["--set", "model.friction=0.4"];
    let cases = [
        ("rocking-block", "energy-momentum", rough),
        ("rocking-block", "landing", rough),
        ("dominoes", "landing", &[]),
    ];
    for (name, scheme, more) in cases {
        let summary = run(&folder, name, "run", &[&["--scheme", scheme], more].concat());
        for verdict in ["cone", "solver", "energy"] {
            assert_eq!(summary["verdicts"][verdict]["status"], "pass", "{name}, {scheme}: {verdict}");
        }
        let said = percussion(&folder, &["verify", "run"]);
        assert_eq!(said.code, 0, "{name}, {scheme}: {}", said.out);
    }
}

/// Event-driven runs list what contacts do along themselves at its instant, in full and thinned; they verify, and repeat
/// bit by bit.
#[test]
fn located_stick_and_slip() {
    let folder = folder("friction-located");
    let located = ["--scheme", "event-driven"];
    for every in ["output.every=1", "output.every=7"] {
        let summary = run(&folder, "sliding-block", "run", &[&located[..], &["--set", every]].concat());
        assert_eq!(summary["verdicts"]["cone"]["status"], "pass");
        let counts =
            ["slip", "stick", "reverse", "impact"].map(|kind| summary["events"][kind].as_u64().expect("a count"));
        assert_eq!(counts, [1, 1, 0, 0]);
        // v/(μg)
        let stops = *column(&folder.join("run/events.csv"), "t").last().expect("an event");
        assert!((stops - 1.0 / (0.3 * 9.81)).abs() < 1e-12, "{stops}");
        let said = percussion(&folder, &["verify", "run"]);
        assert_eq!(said.code, 0, "{every}: {}", said.out);
    }
    for (name, more) in [("spinning-disk", &[][..]), ("rocking-block", &["--set", "model.friction=0.4"])] {
        let first = run(&folder, name, "first", &[&located[..], more].concat());
        assert_eq!(first["verdicts"]["cone"]["status"], "pass", "{name}");
        assert_eq!(percussion(&folder, &["verify", "first"]).code, 0, "{name}");
        let again = run(&folder, "first/scenario.toml", "second", &[]);
        assert_eq!(first["state_hash"], again["state_hash"], "{name}");
    }
}
