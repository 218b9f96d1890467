//! Every scheme on every built-in scenario: it runs and its run folder is confirmed, or it is refused with E155.

use percussion_scenario::{Finding, LoadOptions, RunEnd, builtin, load, run, scenario_text, verify};
use percussion_step::{SCHEMES, support};
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

const STEPS: f64 = 50.0;

#[test]
fn runs_or_is_refused() {
    let (mut ran, mut refused) = (0, Vec::new());
    for name in builtin::NAMES {
        let step = load(name, &LoadOptions::default()).expect("built in").scenario.step;
        for entry in SCHEMES {
            let end = Some(STEPS * step);
            let options = LoadOptions { scheme: Some(entry.name.into()), end, ..LoadOptions::default() };
            let what = format!("{name}, {}", entry.name);
            let loaded = match load(name, &options) {
                Ok(loaded) => loaded,
                Err(error) => {
                    assert_eq!(error.code.as_str(), "E155", "{what}: {error}");
                    // what cannot be done together is named by the scheme, or by the key of the joint it does not take
                    let named = error.field.starts_with("scheme.") || error.field.starts_with("joint[");
                    assert!(named && !error.message.is_empty() && !error.help.is_empty(), "{what}: {error}");
                    refused.push(what);
                    continue;
                }
            };
            let resolved = scenario_text(&loaded.scenario).0;
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("every-{name}-{}", entry.name));
            let run = run(loaded, &folder, &mut |_| true).unwrap_or_else(|error| panic!("{what}: {error}"));
            // no force keeps the laws of the rod's tip, and a scheme that works with forces says so
            if what == "painleve-rod, event-driven" {
                assert!(format!("{:?}", run.end).contains("Painlevé"), "{:?}", run.end);
                ran += 1;
                continue;
            }
            assert!(matches!(run.end, RunEnd::Finished), "{what}: {:?}", run.end);
            assert_eq!(run.summary.steps, STEPS as u64, "{what}");
            let verification = verify(&folder).unwrap_or_else(|error| panic!("{what}: {error}"));
            for check in &verification.checks {
                assert!(
                    !matches!(check.finding, Finding::Differs { .. }),
                    "{what}: {} {:?}",
                    check.name,
                    check.finding
                );
            }
            // the resolved scenario resolves to itself
            let again = load(&folder.join("scenario.toml").display().to_string(), &LoadOptions::default());
            let again = again.unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(scenario_text(&again.scenario).0, resolved, "{what}");
            assert_eq!(again.scenario.scheme, load(name, &options).expect("again").scenario.scheme, "{what}");
            ran += 1;
        }
    }
    println!("{ran} ran, refused: {refused:?}");
    assert_eq!(ran + refused.len(), builtin::NAMES.len() * SCHEMES.len());
    // the list says "nonlinear" where a nonlinear scenario runs
    for entry in SCHEMES {
        let runs = !refused.contains(&format!("pendulum, {}", entry.name));
        assert_eq!(runs, support(entry.name).contains(&"nonlinear"), "{}", entry.name);
    }
}

/// What the explicit tables are refused on, Radau IIA runs; the stiff method runs everywhere.
#[test]
fn stiff_tables_run_where_explicit_ones_are_refused() {
    for name in builtin::NAMES {
        let scenario = load(name, &LoadOptions::default()).expect("built in").scenario;
        let step = scenario.step;
        // one has no friction, and bodies whose gaps are not smooth are refused by both
        if scenario.model().has_friction() || scenario.model().contacts_vary() {
            continue;
        }
        for (scheme, key) in [("runge-kutta-moreau", "tableau=radau-iia"), ("event-driven", "method=stiff")] {
            // dense stages of a bar of 200 elements take their time
            let end = Some(10.0 * step);
            let set = vec![format!("scheme.{key}")];
            let options = LoadOptions { scheme: Some(scheme.into()), end, set, ..LoadOptions::default() };
            let loaded = load(name, &options).unwrap_or_else(|error| panic!("{name}, {scheme} {key}: {error}"));
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("stiff-{name}-{scheme}"));
            let run = run(loaded, &folder, &mut |_| true).unwrap_or_else(|error| panic!("{name}, {scheme}: {error}"));
            assert!(matches!(run.end, RunEnd::Finished), "{name}, {scheme}: {:?}", run.end);
            let verification = verify(&folder).unwrap_or_else(|error| panic!("{name}, {scheme}: {error}"));
            assert!(!verification.differs(), "{name}, {scheme}: {:?}", verification.checks);
        }
    }
}

/// What whole runs do not end well, and why: the text of the run says the same.
const UNWELL: &[(&str, &str, &str)] = &[
    ("elastic-bar", "generalized-alpha-modified-lcp", "gap and velocity of a contact ask for opposite ones"),
    ("pendulum", "smooth-generalized-alpha", "the motion had become unstable"),
    ("rotating-beam", "moreau-jean", "the motion had become unstable"),
    ("rotating-beam", "moreau-jean-fremond", "the motion had become unstable"),
    ("rotating-beam", "newmark", "the motion had become unstable"),
    ("rotating-beam", "generalized-alpha-modified-lcp", "the motion had become unstable"),
    ("rotating-beam", "event-driven", "more than the time allowed"),
    ("chain", "event-driven", "more than the time allowed"),
    ("painleve-rod", "event-driven", "Painlevé's paradox"),
];

/// Whole runs, none longer than a minute: all certificates hold, or the reason is one of those above. With `PERCUSSION_WRITE` the table goes to
/// `bench/results/schemes.md`.
#[test]
#[ignore = "takes minutes"]
fn whole_runs() {
    const LIMIT: f64 = 60.0;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("whole");
    let (mut table, mut wrong) = (String::new(), Vec::new());
    let (mut well, mut refused, mut unwell) = (0, 0, 0);
    for name in builtin::NAMES {
        for entry in SCHEMES {
            let options = LoadOptions { scheme: Some(entry.name.into()), ..LoadOptions::default() };
            let Ok(loaded) = load(name, &options) else {
                refused += 1;
                continue;
            };
            let started = Instant::now();
            let outcome = run(loaded, &folder, &mut |_| started.elapsed().as_secs_f64() < LIMIT);
            let run = outcome.unwrap_or_else(|error| panic!("{name}, {}: {error}", entry.name));
            let failed: Vec<String> = run
                .summary
                .verdicts
                .iter()
                .filter(|(_, c)| c.status == "fail")
                .map(|(name, c)| format!("{name}: {}", c.text))
                .collect();
            let (t, end) = (run.summary.t_end, format!("{:?}", run.end));
            let why = match &run.end {
                RunEnd::Finished if failed.is_empty() => {
                    well += 1;
                    if UNWELL.iter().any(|row| row.0 == *name && row.1 == entry.name) {
                        wrong.push(format!("{name}, {}: ends well, and is listed as unwell", entry.name));
                    }
                    continue;
                }
                RunEnd::Finished => failed.join("; "),
                RunEnd::Interrupted => format!("more than the time allowed, {LIMIT} s"),
                RunEnd::Failed(failure) => format!("{}: {}", failure.code, failure.message),
            };
            unwell += 1;
            let _ = writeln!(table, "| {name} | {} | {t:.3} | {why} |", entry.name);
            println!("{name}, {}: {end} {why}", entry.name);
            if !UNWELL.iter().any(|row| row.0 == *name && row.1 == entry.name && why.contains(row.2)) {
                wrong.push(format!("{name}, {}: {why}", entry.name));
            }
        }
    }
    let text = format!(
        "# Every scheme on every built-in scenario, whole runs\n\n{well} runs end with all certificates, {refused} pairs are refused with one \
         sentence (E155), {unwell} do not end well:\n\n| scenario | scheme | ends at [s] | why |\n|---|---|---:|---|\n{table}\n\
         `PERCUSSION_WRITE=1 cargo test --release -p percussion-scenario --test every_scheme -- --ignored whole_runs` makes this page.\n"
    );
    println!("{text}");
    if std::env::var_os("PERCUSSION_WRITE").is_some() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/results/schemes.md");
        std::fs::write(page, text).expect("the page is written");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
