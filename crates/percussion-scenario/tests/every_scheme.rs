//! Every scheme on every built-in scenario: it runs and its run folder is confirmed, or it is refused with E155.

use percussion_scenario::{Finding, LoadOptions, RunEnd, builtin, load, run, scenario_text, verify};
use percussion_step::{SCHEMES, support};
use std::path::Path;

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
                    assert!(error.field.starts_with("scheme.") && !error.message.is_empty() && !error.help.is_empty());
                    refused.push(what);
                    continue;
                }
            };
            let resolved = scenario_text(&loaded.scenario).0;
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("every-{name}-{}", entry.name));
            let run = run(loaded, &folder, &mut |_| true).unwrap_or_else(|error| panic!("{what}: {error}"));
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
        assert_eq!(runs, entry.models.contains("nonlinear"), "{}", entry.name);
        assert_eq!(runs, support(entry.name).contains(&"nonlinear"), "{}", entry.name);
    }
}

/// What the explicit tables are refused on, Radau IIA runs; the stiff method runs everywhere.
#[test]
fn stiff_tables_run_where_explicit_ones_are_refused() {
    for name in builtin::NAMES {
        let scenario = load(name, &LoadOptions::default()).expect("built in").scenario;
        let step = scenario.step;
        // neither scheme has friction or moves bodies
        if scenario.model().has_friction() || matches!(scenario.model(), percussion_step::Model::Bodies(_)) {
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
