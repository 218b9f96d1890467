//! Adaptive steps from scenario to verification: every scheme on every built-in scenario runs and is confirmed, or is refused.

use percussion_scenario::{Finding, LoadOptions, RunEnd, builtin, load, run, scenario_text, verify};
use percussion_step::SCHEMES;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("adaptive-{name}"))
}

fn options(scheme: &str, end: f64, more: &[&str]) -> LoadOptions {
    let mut set = vec!["time.adaptive={ atol = 1e-3, rtol = 1e-3 }".to_string()];
    set.extend(more.iter().map(|text| text.to_string()));
    LoadOptions { scheme: Some(scheme.into()), end: Some(end), set, ..LoadOptions::default() }
}

fn confirmed(folder: &Path, what: &str) {
    let verification = verify(folder).unwrap_or_else(|error| panic!("{what}: {error}"));
    for check in &verification.checks {
        assert!(!matches!(check.finding, Finding::Differs { .. }), "{what}: {} {:?}", check.name, check.finding);
    }
}

#[test]
fn every_scheme_runs_or_is_refused() {
    let mut ran = 0;
    for name in builtin::NAMES {
        let step = load(name, &LoadOptions::default()).expect("built in").scenario.step;
        for entry in SCHEMES {
            let options = options(entry.name, 30.0 * step, &[]);
            let what = format!("{name}, {}", entry.name);
            let loaded = match load(name, &options) {
                Ok(loaded) => loaded,
                Err(error) => {
                    assert_eq!(error.code.as_str(), "E155", "{what}: {error}");
                    continue;
                }
            };
            let resolved = scenario_text(&loaded.scenario).0;
            let folder = folder(&format!("{name}-{}", entry.name));
            let run = run(loaded, &folder, &mut |_| true).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(matches!(run.end, RunEnd::Finished), "{what}: {:?}", run.end);
            assert_eq!(run.summary.t_end, 30.0 * step, "{what}");
            let statistics = run.summary.adaptive.as_ref().expect("statistics");
            let number = |key: &str| statistics[key].as_f64().expect("a number");
            assert_eq!(run.summary.steps as f64, 2.0 * number("accepted"), "{what}: two half steps each");
            let attempts = number("accepted") + number("rejected") + number("failed");
            assert_eq!(number("solves"), 3.0 * attempts, "{what}");
            confirmed(&folder, &what);
            let again = load(&folder.join("scenario.toml").display().to_string(), &LoadOptions::default());
            let again = again.unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(scenario_text(&again.scenario).0, resolved, "{what}");
            ran += 1;
        }
    }
    println!("{ran} ran");
    assert!(ran > 60);
}

/// A whole run with bounces and rest: all rows, thinned rows, tolerances by quantity, extrapolation; each confirmed.
#[test]
fn bouncing_ball_confirmed() {
    let cases: [(&str, &str, &[&str]); 6] = [
        ("plain", "moreau-jean", &[]),
        ("thinned", "moreau-jean", &["output.every=7"]),
        ("filters", "generalized-alpha", &[]),
        ("filters-thinned", "generalized-alpha", &["output.every=5"]),
        (
            "quantities",
            "moreau-jean",
            &["time.adaptive.atol={ q = [1e-5], v = 1e-2, gap = 1e-6 }", "time.adaptive.order=1"],
        ),
        ("extrapolated", "moreau-jean", &["time.adaptive.extrapolate=true"]),
    ];
    for (name, scheme, more) in cases {
        let loaded = load("bouncing-ball", &options(scheme, 5.0, more)).unwrap_or_else(|error| panic!("{error}"));
        let folder = folder(name);
        let run = run(loaded, &folder, &mut |_| true).expect("a run");
        assert!(matches!(run.end, RunEnd::Finished) && !run.summary.failed(), "{name}: {:?}", run.summary.verdicts);
        confirmed(&folder, name);
        let identity = &run.summary.guarantee.identity;
        assert_eq!(identity == "no identity", name == "extrapolated", "{name}: {identity}");
        let ledger = std::fs::read_to_string(folder.join("ledger.csv")).expect("a ledger");
        let (header, last) = (ledger.lines().next().expect("a header"), ledger.lines().last().expect("rows"));
        let at = header.split(',').position(|column| column == "residual").expect("a residual");
        let residual = last.split(',').nth(at).expect("a cell");
        assert_eq!(residual.is_empty(), name == "extrapolated", "{name}: the residual column, {last}");
    }
}

/// Schemes that put closed contacts on g = 0 are judged by their jumps too: in q alone a step and its halves agree.
/// Four impacts by t = 2: q = R + v (2 − t₄) − ½g(2 − t₄)², with the flights 2v eᵏ/g.
#[test]
fn tolerances_matter_where_gaps_are_closed() {
    let (g, e, height) = (10.0_f64, 0.8_f64, 0.801);
    let (mut t, mut v) = ((2.0_f64 * height / g).sqrt(), e * (2.0 * g * height).sqrt());
    for _ in 0..3 {
        t += 2.0 * v / g;
        v *= e;
    }
    let exact = 0.2 + v * (2.0 - t) - 0.5 * g * (2.0 - t) * (2.0 - t);
    let mut errors = Vec::new();
    for tolerance in ["1e-3", "1e-5", "1e-7"] {
        let more = [&format!("time.adaptive.atol={tolerance}")[..], &format!("time.adaptive.rtol={tolerance}")];
        let loaded = load("bouncing-ball", &options("generalized-alpha-ggl", 2.0, &more)).expect("valid");
        let folder = folder(&format!("ggl-{tolerance}"));
        run(loaded, &folder, &mut |_| true).expect("a run");
        let table = std::fs::read_to_string(folder.join("trajectory.csv")).expect("a trajectory");
        let last = table.lines().last().expect("rows").to_string();
        let q: f64 = last.split(',').nth(1).and_then(|x| x.parse().ok()).expect("q");
        errors.push((q - exact).abs());
    }
    // measured 5.2e-4, 1.4e-6, 3.1e-8; in q alone 0.2 at every tolerance
    assert!(errors[0] <= 1e-3 && errors[1] <= 1e-4 && errors[2] <= 1e-6, "{errors:?}");
}

/// A time that does not belong is found.
#[test]
fn a_wrong_time_is_found() {
    let folder = folder("tampered");
    let loaded = load("bouncing-ball", &options("moreau-jean", 1.0, &[])).expect("a scenario");
    run(loaded, &folder, &mut |_| true).expect("a run");
    let path = folder.join("trajectory.csv");
    let text = std::fs::read_to_string(&path).expect("rows");
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let middle = lines.len() / 2;
    let (t, rest) = lines[middle].split_once(',').expect("columns");
    lines[middle] = format!("{:e},{rest}", t.parse::<f64>().expect("a time") * (1.0 + 1e-7));
    std::fs::write(&path, lines.join("\n") + "\n").expect("written");
    assert!(verify(&folder).expect("readable").differs());
}

/// Bodies: five balls in a row, 0.1 mm apart, the first thrown. The last leaves at t = 0.2 + 3·10⁻⁴ s and is at x = 0.6 m at 0.5 s.
#[test]
fn balls_in_a_row_arrive_as_well_as_asked() {
    for scheme in ["moreau-jean", "energy-momentum", "generalized-alpha-ggl"] {
        // below the gaps: at 1e-3 m they are hit at once, which is another motion
        for tolerance in [1e-5, 1e-6, 1e-7] {
            let more = [&format!("time.adaptive.atol={tolerance:e}")[..], &format!("time.adaptive.rtol={tolerance:e}")];
            let loaded = load("newtons-cradle", &options(scheme, 0.5, &more)).expect("valid");
            let folder = folder(&format!("cradle-{scheme}-{tolerance:e}"));
            let run = run(loaded, &folder, &mut |_| true).expect("a run");
            let table = std::fs::read_to_string(folder.join("trajectory.csv")).expect("a trajectory");
            let last = table.lines().last().expect("rows").to_string();
            // seven coordinates a body, the fourth ball is the last of the row
            let x: f64 = last.split(',').nth(1 + 3 * 7).and_then(|x| x.parse().ok()).expect("x");
            println!("{scheme}, {tolerance:.0e}: {:.1e} in {} steps", (x - 0.6).abs(), run.summary.steps);
            assert!((x - 0.6).abs() <= 10.0 * tolerance, "{scheme}, {tolerance:e}: x = {x}");
            assert!(run.summary.steps < 1000, "{scheme}, {tolerance:e}: {} steps", run.summary.steps);
            confirmed(&folder, scheme);
        }
    }
}
