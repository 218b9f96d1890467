//! The gallery is a test: every value of every `gallery/*/expect.toml` is measured again, every figure drawn again.
//!
//! `PERCUSSION_WRITE=1 cargo test -p percussion-scenario --test gallery` rewrites the figures;
//! `-- --nocapture` prints what was found.

mod measure;

use measure::{Found, Measure, Measured, Variant};
use percussion_report::{Meta, Report, ReportBuilder, RunInfo, plot_svg};
use percussion_scenario::{LoadOptions, Loaded, builtin, exact, load, report, run};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// `expect.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectations {
    figure: FigureSpec,
    value: Vec<Value>,
}

/// The figure of a page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FigureSpec {
    /// positions, velocities, gaps, energy, …
    show: String,
    /// Whether the exact motion is drawn first.
    #[serde(default)]
    exact: bool,
    run: Vec<Variant>,
}

/// One expected value.
#[derive(Debug, Deserialize)]
struct Value {
    /// In words, with its unit.
    what: String,
    expected: Found,
    /// Absolute; zero for words and counts.
    #[serde(default)]
    tolerance: f64,
    /// Where the expected value comes from: "closed form: …", "independent …" or "regression: …".
    source: String,
    #[serde(default)]
    run: Variant,
    #[serde(flatten)]
    measure: Measure,
}

const SOURCES: [&str; 4] = ["closed form", "theorem", "independent", "regression"];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gallery").join(name)
}

/// The folders of the gallery that hold a scenario, by name.
fn names() -> Vec<String> {
    let list = std::fs::read_dir(folder("")).expect("the gallery").flatten();
    let mut names: Vec<String> = list
        .filter(|e| e.path().join("scenario.toml").is_file())
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A scenario of the gallery, changed as on the command line.
fn scenario(name: &str, variant: &Variant) -> Loaded {
    let path = folder(name).join("scenario.toml");
    load(&path.to_string_lossy(), &variant.options()).unwrap_or_else(|error| panic!("{name} {variant:?}: {error}"))
}

fn expectations(name: &str) -> Expectations {
    let path = folder(name).join("expect.toml");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every value of every page is found again within its tolerance; all misses are told at once.
#[test]
fn every_value_is_found_again() {
    let mut misses = Vec::new();
    for name in &names() {
        let mut runs: Vec<(Variant, Measured)> = Vec::new();
        for value in expectations(name).value {
            let source = value.source.split(':').next().unwrap_or_default().trim();
            assert!(
                SOURCES.contains(&source),
                "{name}, {}: the source \"{source}\" is none of {SOURCES:?}",
                value.what
            );
            let known = runs.iter().position(|(variant, _)| *variant == value.run);
            let k = known.unwrap_or_else(|| {
                runs.push((value.run.clone(), Measured::run(scenario(name, &value.run))));
                runs.len() - 1
            });
            let found = runs[k].1.take(&value.measure);
            let met = match (&found, &value.expected) {
                (Found::Number(found), Found::Number(expected)) => (found - expected).abs() <= value.tolerance,
                (found, expected) => found == expected,
            };
            println!("{name}: {} {found:?}, expected {:?} ± {:e}", value.what, value.expected, value.tolerance);
            if !met {
                misses.push(format!(
                    "{name}: {} is {found:?}, expected {:?} ± {:e} ({:?})",
                    value.what, value.expected, value.tolerance, value.run
                ));
            }
        }
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}

/// A word that is not in the vocabulary is refused, and so is a field it does not take.
#[test]
fn unknown_words_are_refused() {
    let value = |fields: &str| {
        toml::from_str::<Value>(&format!("what = \"x\"\nexpected = 1.0\nsource = \"regression: now\"\n{fields}"))
    };
    assert!(value("take = \"energy\"").is_ok());
    assert!(value("take = \"enthalpy\"").is_err());
    assert!(value("take = \"energy\"\nwhen = 1.0").is_err());
    assert!(value("take = \"energy\"\nrun = { shceme = \"newmark\" }").is_err());
}

/// Every scenario has a page that shows its figure, and the index links to every page.
#[test]
fn every_scenario_has_a_page() {
    let index = std::fs::read_to_string(folder("README.md")).expect("gallery/README.md");
    for name in &names() {
        let page = std::fs::read_to_string(folder(name).join("page.md")).expect("a page");
        assert!(page.contains("(figure.svg)"), "{name}: the page does not show figure.svg");
        assert!(page.contains(&format!("percussion run {name}")), "{name}: the page does not say how to run it");
        assert!(index.contains(&format!("({name}/page.md)")), "the index does not link to {name}");
    }
    for name in builtin::names() {
        assert!(names().iter().any(|n| n == name), "the built-in {name} has no folder");
    }
}

/// Figures in the repository are the ones the program draws, to a pixel.
#[test]
fn figures_are_up_to_date() {
    for name in &names() {
        let drawn = figure(name, &expectations(name).figure);
        let path = folder(name).join("figure.svg");
        if std::env::var_os("PERCUSSION_WRITE").is_some() {
            std::fs::write(&path, &drawn).expect("the figure can be written");
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(drawn.len() <= 150_000, "{name}: the figure has {} bytes", drawn.len());
        assert!(same_drawing(&drawn, &kept), "{name}: figure.svg is out of date; rewrite it with PERCUSSION_WRITE=1");
    }
}

fn figure(name: &str, spec: &FigureSpec) -> String {
    let mut reports: Vec<Report> = Vec::new();
    for (k, variant) in spec.run.iter().enumerate() {
        let loaded = scenario(name, variant);
        let (end, h) = (loaded.scenario.end, loaded.scenario.step.min(2e-3));
        let there = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gallery-{name}-{k}"));
        run(loaded, &there, &mut |_| true).expect("a run");
        if spec.exact && k == 0 {
            reports.push(exact_report(name, &there, (end, h), &spec.show));
        }
        reports.push(report(&there).expect("a report"));
    }
    plot_svg(&reports, &spec.show).unwrap_or_else(|| panic!("{name}: there is no figure {}", spec.show))
}

/// What a run calls its columns.
fn columns_called(folder: &Path, kind: &str) -> Vec<String> {
    let table = std::fs::read_to_string(folder.join("names.csv")).expect("names");
    let cells = table.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    cells.filter(|cells| cells[0] == kind).map(|cells| cells[2].to_string()).collect()
}

/// The exact motion as if it were a run, with the names of one.
fn exact_report(name: &str, there: &Path, (end, h): (f64, f64), show: &str) -> Report {
    let exact = exact(&scenario(name, &Variant::default()).scenario).expect("an exact motion");
    let model = scenario(name, &Variant::default()).scenario.model().clone();
    let [q_names, v_names] = ["coordinate", "velocity"].map(|kind| columns_called(there, kind));
    let mut builder = ReportBuilder::new(Meta { n_contacts: 1, q_names, v_names, ..Meta::default() });
    for k in 0..=(end / h).round() as u64 {
        let t = k as f64 * h;
        let (q, v) = (exact.q(t), exact.v(t));
        builder.push_state(t, &q, &v);
        builder.push_gap(t, 0, model.gap(0, &q, t), 0.0);
        if show == "energy" {
            let (kinetic, potential) = (model.kinetic_energy(&q, &v), model.potential_energy(&q));
            builder.push_ledger(t, kinetic, potential, kinetic + potential, 0.0, 0.0, 0.0, 0.0, None);
        }
    }
    builder.finish(RunInfo { scheme: "exact".into(), scenario: name.into(), step: h, ..RunInfo::default() })
}

/// Equal but for numbers that differ by less than a pixel: the last bits of a sum depend on the processor.
fn same_drawing(a: &str, b: &str) -> bool {
    let split = |text: &str| -> Vec<String> {
        let mut parts = vec![String::new()];
        let mut number = false;
        for c in text.chars() {
            let digit = c.is_ascii_digit() || c == '.' || c == '-';
            if digit != number || (c == '-' && number) {
                parts.push(String::new());
                number = digit;
            }
            parts.last_mut().expect("one part at least").push(c);
        }
        parts
    };
    let (a, b) = (split(a), split(b));
    a.len() == b.len()
        && a.iter().zip(&b).all(|(a, b)| {
            a == b || matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if (a - b).abs() < 1.0)
        })
}

/// What a page proposes to change can be changed: every `--set …` and every command with options on it gives a scenario that may begin.
///
/// The bug: three of the lines under "To try" were refused, one for a key of the wrong list, one for a body that began within the floor, and one for a load on a node that was no longer there.
#[test]
fn what_pages_propose_is_admitted() {
    let (mut refused, mut proposed) = (Vec::new(), 0);
    for name in &names() {
        let page = std::fs::read_to_string(folder(name).join("page.md")).expect("a page");
        for span in page.split('`').skip(1).step_by(2).filter(|span| !span.contains('\n')) {
            let begins = ["run", "settle"].iter().any(|verb| span.starts_with(&format!("percussion {verb} {name} --")));
            if !begins && !span.starts_with("--") {
                continue;
            }
            let (mut options, mut words) =
                (LoadOptions::default(), span.split(" --").map(|word| word.trim_start_matches("--")));
            let number = |x: &str| x.trim().parse::<f64>().ok();
            let mut changes = 0;
            words.by_ref().filter_map(|word| word.split_once(' ')).for_each(|(option, value)| {
                changes += 1;
                match option {
                    "set" => options.set.push(value.trim().trim_matches('\'').to_string()),
                    "scheme" => options.scheme = Some(value.trim().to_string()),
                    "step" => options.step = number(value),
                    "end" => options.end = number(value),
                    _ => changes -= 1,
                }
            });
            if changes > 0 {
                proposed += 1;
                let path = folder(name).join("scenario.toml");
                if let Err(error) = load(&path.to_string_lossy(), &options) {
                    refused.push(format!("{name}: {span}: {error}"));
                }
            }
        }
    }
    assert!(refused.is_empty() && proposed > 40, "{proposed} proposed\n{}", refused.join("\n"));
}
