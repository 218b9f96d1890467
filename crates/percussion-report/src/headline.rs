//! What happened, in words: how the runs ended, whether energy was created and whether theory excludes it, how deep bodies went into
//! each other measured by their size; of several runs, which of them. Green only where every certificate of every run passes.

use crate::escape::typeset;
use crate::info::{FailureInfo, RunInfo, VerdictInfo};
use crate::labels::run_labels;
use crate::number::{digits, readable, short};
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
    let several = reports.len() > 1;
    let (class, sentence) = if !ended.is_empty() {
        if !failed.is_empty() {
            ended.push(format!("Failed: {}.", failed.join("; ")));
        }
        ("fail", ended.join(" "))
    } else if !failed.is_empty() {
        ("fail", format!("Failed: {}.", failed.join("; ")))
    } else if !warned.is_empty() {
        ("warn", format!("No certificate failed; warned: {}.", warned.join("; ")))
    } else if told.count() == 0 {
        return String::new();
    } else if all_pass {
        (
            "pass",
            if several { "Every certificate of every run passes." } else { "Every certificate passes." }.to_string(),
        )
    } else {
        ("report", "No certificate failed.".to_string())
    };
    // what an ended run did until then is told by its cards
    let words = match reports {
        _ if !ended.is_empty() => String::new(),
        [report] => happened(report),
        several => format!("{}{}", energies(several, &labels), penetrations(several, &labels)),
    };
    format!("<p class=\"headline {class}\">{}{}</p>\n", typeset(&sentence), typeset(&words))
}

/// Whose energy grew and why that is possible, and who created none.
fn energies(reports: &[Report], labels: &[String]) -> String {
    let (mut grew, mut other) = (Vec::new(), Vec::new());
    let (mut promised, mut unpromised) = (Vec::new(), Vec::new());
    for (r, label) in reports.iter().zip(labels) {
        let Some(verdict) = r.info.verdicts.iter().find(|v| v.name == "energy" && v.status != "none") else { continue };
        match (outcome(&r.info, verdict, r.energy_max), has_theorem(&r.info)) {
            (Outcome::Kept, true) => promised.push(label.as_str()),
            (Outcome::Kept, false) => unpromised.push(label.as_str()),
            (Outcome::Created(how), _) => grew.push(format!("{label} ({how})")),
            (Outcome::Other(text), _) => other.push(format!("{label}: {text}")),
        }
    }
    let mut words = String::new();
    let alone = grew.is_empty() && other.is_empty();
    if !grew.is_empty() {
        words += &format!(" Energy was created by {}.", listed(&grew));
    }
    for sentence in other.iter().take(LISTED) {
        words += &format!(" {sentence}.");
    }
    words += &match (promised.is_empty(), unpromised.is_empty()) {
        (true, true) => String::new(),
        (false, true) if alone => " No run created energy, as theorems promise for each.".to_string(),
        (true, false) if alone => " No run created energy, though no theorem promises it.".to_string(),
        (false, false) if alone => {
            format!(" No run created energy; a theorem promises it for all but {}.", listed(&unpromised))
        }
        (false, true) => format!(" None was created by {}, as theorems promise.", listed(&promised)),
        (true, false) => format!(" None was created by {}, though no theorem promises it.", listed(&unpromised)),
        (false, false) => {
            let (sure, found) = (listed(&promised), listed(&unpromised));
            format!(" None was created by {sure}, as theorems promise, nor by {found}, without one.")
        }
    };
    words
}

/// The deepest penetration of all, and whose it is.
fn penetrations(reports: &[Report], labels: &[String]) -> String {
    let told = |r: &Report| r.info.verdicts.iter().any(|v| v.name == "gap" && v.status != "none");
    let depths = reports.iter().zip(labels).filter(|(r, _)| told(r));
    let depths = depths.filter_map(|(r, label)| r.deepest_penetration().map(|depth| (depth, r, label)));
    let Some((depth, r, label)) = depths.max_by(|a, b| a.0.total_cmp(&b.0)) else { return String::new() };
    match depth > 0.0 {
        true => format!(" {} by {label}.", penetration(depth, r).trim_end_matches('.')),
        false => " Nothing penetrates in any run.".to_string(),
    }
}

/// Runs that a sentence names.
const LISTED: usize = 4;

/// A list as people say it; labels have commas of their own.
fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let mut shown: Vec<&str> = names.iter().take(LISTED).map(AsRef::as_ref).collect();
    let more = format!("{} more", names.len().saturating_sub(LISTED));
    if names.len() > LISTED {
        shown.push(&more);
    }
    match shown.split_last() {
        Some((last, [])) => last.to_string(),
        Some((last, [one])) => format!("{one} and {last}"),
        Some((last, rest)) => format!("{}; and {last}", rest.join("; ")),
        None => String::new(),
    }
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
        .map_or(String::new(), |depth| format!(" {}", penetration(depth, report)));
    energy + &gap
}

/// What became of the energy of a run.
enum Outcome {
    /// None was created.
    Kept,
    /// So much was, and why theory lets it be or does not.
    Created(String),
    /// Something else is to be said.
    Other(String),
}

fn has_theorem(info: &RunInfo) -> bool {
    info.guarantee.as_ref().is_some_and(|g| g.holds)
}

fn outcome(info: &RunInfo, verdict: &VerdictInfo, largest: f64) -> Outcome {
    if verdict.status == "pass" {
        return Outcome::Kept;
    }
    if !verdict.text.starts_with("energy was created") {
        return Outcome::Other(sentence(&readable(&verdict.text)));
    }
    let worst = verdict.worst.unwrap_or(0.0);
    let part =
        if largest > 0.0 { format!(", {} of the largest energy", percent(worst / largest)) } else { String::new() };
    let why = if has_theorem(info) { "a theorem excludes it" } else { "no theorem excludes it here" };
    Outcome::Created(format!("up to {}\u{a0}J in a step{part}: {why}", short(worst)))
}

fn energy(info: &RunInfo, verdict: &VerdictInfo, largest: f64) -> String {
    match outcome(info, verdict, largest) {
        Outcome::Kept if has_theorem(info) => "No energy was created, as a theorem promises.".to_string(),
        Outcome::Kept => "No energy was created, though no theorem promises it.".to_string(),
        Outcome::Created(how) => format!("Energy was created, {how}."),
        Outcome::Other(text) => format!("{text}."),
    }
}

fn penetration(depth: f64, report: &Report) -> String {
    if depth <= 0.0 {
        return "Nothing penetrates.".to_string();
    }
    let unit = report.depth_unit();
    let size = report.info.size.as_ref().filter(|(length, _)| *length > 0.0);
    let part = size.map_or(String::new(), |(length, what)| {
        format!(", {} of {what} ({}\u{a0}{unit})", percent(depth / length), short(*length))
    });
    format!("Deepest penetration {}\u{a0}{unit}{part}.", short(depth))
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
