//! What happened, in words: how the run ended, whether energy was created and whether theory excludes it, how deep bodies went into
//! each other measured by their size. Green only where every certificate passes.

use crate::escape::escape;
use crate::info::{FailureInfo, RunInfo, VerdictInfo};
use crate::labels::run_labels;
use crate::number::{digits, short};
use crate::report::Report;

/// The sentences to read when there is time for no more.
pub fn headline(reports: &[Report]) -> String {
    let labels = run_labels(reports);
    let named = |status: &str| -> Vec<String> {
        let mut names = Vec::new();
        for (r, label) in reports.iter().zip(&labels) {
            let hits = r.info.verdicts.iter().filter(|v| v.status == status);
            let hits: Vec<&str> = hits.map(|v| v.name.as_str()).collect();
            match (hits.is_empty(), reports.len() > 1) {
                (true, _) => {}
                (false, true) => names.push(format!("{} of {label}", hits.join(" and "))),
                (false, false) => names.extend(hits.iter().map(|hit| hit.to_string())),
            }
        }
        names
    };
    // what ended a run comes before what its certificates say of the part that was made
    let mut ended: Vec<String> = Vec::new();
    for (r, label) in reports.iter().zip(&labels) {
        if let Some(failure) = &r.info.failure {
            let run = if reports.len() > 1 { format!("{label}: ") } else { String::new() };
            ended.push(format!("{run}{}", ending(failure)));
        }
    }
    let (failed, warned) = (named("fail"), named("warn"));
    let told = reports.iter().flat_map(|r| &r.info.verdicts);
    let all_pass = told.clone().all(|v| matches!(v.status.as_str(), "pass" | "none"));
    let (class, sentence) = if !ended.is_empty() {
        if !failed.is_empty() {
            ended.push(format!("Failed: {}.", failed.join(", ")));
        }
        ("fail", ended.join(" "))
    } else if !failed.is_empty() {
        ("fail", format!("Failed: {}.", failed.join(", ")))
    } else if !warned.is_empty() {
        ("warn", format!("No certificate failed; warned: {}.", warned.join(", ")))
    } else if told.count() == 0 {
        return String::new();
    } else if all_pass {
        ("pass", "Every certificate passes.".to_string())
    } else {
        ("report", "No certificate failed.".to_string())
    };
    // what an ended run did until then is told by its cards
    let words = match reports {
        [report] if ended.is_empty() => happened(report),
        _ => String::new(),
    };
    format!("<p class=\"headline {class}\">{}{}</p>\n", escape(&sentence), escape(&words))
}

/// Code, time and fact in one sentence.
pub fn ending(failure: &FailureInfo) -> String {
    let FailureInfo { code, t, message, .. } = failure;
    let code = if code.is_empty() { String::new() } else { format!("{code}: ") };
    format!("{code}the run ended at t = {}\u{a0}s: {}.", digits(*t, 6), message.trim_end_matches('.'))
}

/// Energy and penetration of one run.
fn happened(report: &Report) -> String {
    let of = |name: &str| report.info.verdicts.iter().find(|v| v.name == name && v.status != "none");
    let energy = of("energy").map_or(String::new(), |v| format!(" {}", energy(&report.info, v, report.energy_max)));
    let gap = of("gap")
        .and(report.deepest_penetration())
        .map_or(String::new(), |depth| format!(" {}", penetration(depth, report.info.size.as_ref())));
    energy + &gap
}

fn energy(info: &RunInfo, verdict: &VerdictInfo, largest: f64) -> String {
    let theorem = info.guarantee.as_ref().is_some_and(|g| g.holds);
    match (verdict.status.as_str(), theorem) {
        ("pass", true) => "No energy was created, as a theorem promises.".to_string(),
        ("pass", false) => "No energy was created, though no theorem promises it.".to_string(),
        _ if verdict.text.starts_with("energy was created") => {
            let worst = verdict.worst.unwrap_or(0.0);
            let part = if largest > 0.0 {
                format!(", {} of the largest energy", percent(worst / largest))
            } else {
                String::new()
            };
            let why = if theorem { "a theorem excludes it" } else { "no theorem excludes it here" };
            format!("Energy was created, up to {}\u{a0}J in a step{part}: {why}.", short(worst))
        }
        _ => format!("{}.", sentence(&verdict.text)),
    }
}

fn penetration(depth: f64, size: Option<&(f64, String)>) -> String {
    if depth <= 0.0 {
        return "Nothing penetrates.".to_string();
    }
    let part = size.filter(|(length, _)| *length > 0.0).map_or(String::new(), |(length, what)| {
        format!(", {} of {what} ({}\u{a0}m)", percent(depth / length), short(*length))
    });
    format!("Deepest penetration {}\u{a0}m{part}.", short(depth))
}

/// A part of a whole as people say it.
fn percent(part: f64) -> String {
    format!("{}\u{a0}%", digits(100.0 * part, 2))
}

/// With a capital, without its full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.trim_end_matches('.').chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
