//! The book holds together: every page is in the summary, every link leads somewhere, the scenario of the first run runs, and
//! what extends the program does it in at most 60 lines (the code itself is compiled with the documentation).

use percussion::prelude::*;
use percussion::scenario::load_text;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book")
}

fn page(name: &str) -> String {
    std::fs::read_to_string(book().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn pages() -> BTreeSet<String> {
    let names = std::fs::read_dir(book()).expect("docs/book").map(|entry| entry.expect("an entry").file_name());
    names.filter_map(|name| name.into_string().ok()).filter(|name| name.ends_with(".md")).collect()
}

/// Targets of the Markdown links of a text, outside code.
fn links(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut out = Vec::new();
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        let mut rest = if fenced { "" } else { line };
        while let Some(at) = rest.find("](") {
            rest = &rest[at + 2..];
            let end = rest.find(')').unwrap_or(rest.len());
            out.push(rest[..end].to_string());
        }
    }
    out
}

/// The code blocks of a language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let open = format!("```{language}\n");
    text.split(&open).skip(1).map(|rest| rest.split("\n```").next().unwrap_or("").to_string()).collect()
}

#[test]
fn every_page_is_in_the_summary_and_in_the_list() {
    for list in ["SUMMARY.md", "README.md"] {
        let listed: BTreeSet<String> = links(&page(list)).into_iter().filter(|link| !link.contains('/')).collect();
        let expected: BTreeSet<String> = pages()
            .into_iter()
            .filter(|name| name != "SUMMARY.md" && (list == "SUMMARY.md" || name != "README.md"))
            .collect();
        assert_eq!(listed, expected, "{list}");
    }
}

#[test]
fn every_link_leads_somewhere() {
    for name in pages() {
        for link in links(&page(&name)) {
            let target = link.split('#').next().unwrap_or("");
            if link.starts_with("http") || target.is_empty() {
                continue;
            }
            assert!(book().join(target).exists(), "{name}: {link} leads nowhere");
        }
    }
}

#[test]
fn extensions_are_short() {
    for name in ["extend-law.md", "extend-scheme.md", "extend-solver.md"] {
        let [code] = &blocks(&page(name), "rust")[..] else { panic!("{name}: one block of code") };
        assert!(code.lines().count() <= 60, "{name}: {} lines", code.lines().count());
    }
}

/// The first scenario of the book is valid, and its run says what the page says.
#[test]
fn the_first_run_runs() {
    let [scenario] = &blocks(&page("first-run.md"), "toml")[..] else { panic!("one scenario") };
    let loaded = load_text("first-run.md", scenario, &LoadOptions::default()).expect("a valid scenario");
    let (scenario, mut simulation) = (loaded.scenario, loaded.simulation);
    let mut audit = Audit::new();
    simulation.run(scenario.count.n, &mut audit);
    let verdicts = audit.verdicts(&scenario.guarantee(), scenario.solver.tolerance);
    assert_eq!((verdicts.energy.status, verdicts.gap.status), (Verdict::Pass, Verdict::Report));
    assert!((verdicts.gap.worst - 4.4e-4).abs() < 1e-7, "{:e}", verdicts.gap.worst);
    assert!(audit.largest_residual() < 1e-14);
}

/// Every scenario of the page on signals runs, and its ledger closes.
#[test]
fn signals_run() {
    let scenarios = blocks(&page("signals.md"), "toml");
    assert_eq!(scenarios.len(), 2);
    for text in scenarios {
        let mut loaded = load_text("signals.md", &text, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e:?}"));
        let mut audit = Audit::new();
        loaded.simulation.run(loaded.scenario.count.n, &mut audit);
        assert!(audit.largest_residual() < 1e-11 * audit.largest_energy());
    }
}
