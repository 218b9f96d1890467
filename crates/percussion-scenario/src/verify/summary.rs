//! The summary's verdicts and guarantee against what the stored rows and the scenario say.
//!
//! The certificates are pronounced again from the stored ledger, contacts and states. Residuals of contact problems are
//! not stored: the solver's verdict is only compared with the tolerance and the failure beside it.

use crate::run::folder::RunFolder;
use crate::run::summary::{CertificateSummary, IN_PARTS};
use crate::verify::equations::contact_frame::SUMMED;
use crate::verify::fingerprint::Fingerprint;
use crate::verify::{Check, Finding, TOLERANCE};
use percussion_model::Code;
use percussion_step::{Certificate, ContactFrame, Guarantee, Verdict};

/// Sizes by which differences of energies and lengths are measured.
pub struct Sizes {
    /// [J]
    pub energy: f64,
    /// [m]
    pub length: f64,
}

/// The checks of verdicts and guarantee.
pub fn check_summary(run: &RunFolder, seen: &Fingerprint, sizes: &Sizes, thinned: &Option<String>) -> Vec<Check> {
    let scenario = &run.loaded.scenario;
    let guarantee = scenario.guarantee();
    let again = seen.verdicts(&guarantee, &scenario.solver);
    let verdict = |name: &str| run.summary.verdicts.get(name);
    let begun = run.summary.steps > 0;
    let none_made = (!begun && run.summary.failure.is_some()).then(|| "no step was made".to_string());
    let unbalanced = (!guarantee.has_identity()).then(|| "the measured balance is not stored".to_string());

    let judged = |name: &str, certificate: &Certificate, size: f64, unsupported: Option<String>| match unsupported {
        Some(reason) => Finding::Unsupported(reason),
        None => compare(verdict(name), certificate, size),
    };
    let is = |name: &str, status: &str| verdict(name).is_some_and(|c| c.status == status);
    // what a residual may have created is not stored
    let excused = (is("solver", "warn") && is("energy", "warn"))
        .then(|| "the residuals of the contact problems are not stored".to_string());
    let unchecked = run
        .summary
        .warnings
        .iter()
        .any(|said| said.contains(Code::UNCHECKED.as_str()))
        .then(|| "the model was not checked against itself".to_string());
    let energy = none_made.clone().or(thinned.clone()).or(unbalanced).or(excused).or(unchecked);
    // fewer rows see less of the depth, never more
    let unseen = run.summary.solver.contains_key(IN_PARTS).then(|| "the parts of steps are not stored".to_string());
    let gap = match (none_made.as_ref().or(unseen.as_ref()), thinned) {
        (Some(reason), _) => Finding::Unsupported(reason.clone()),
        (None, None) => compare(verdict("gap"), &again.gap, sizes.length),
        (None, Some(reason)) => match verdict("gap") {
            Some(c) if c.worst >= again.gap.worst - TOLERANCE * sizes.length => {
                Finding::Unsupported(format!("not less than in the rows; {reason}"))
            }
            Some(c) => differs(format!("worst {:e} in summary.json, {:e} in the rows", c.worst, again.gap.worst)),
            None => differs("missing in summary.json".into()),
        },
    };
    let frictional = scenario.model().has_friction();
    let summed = scenario.scheme.facts().contact_frame == ContactFrame::Parts;
    let cone = none_made
        .clone()
        .or(thinned.clone().filter(|_| frictional))
        .or((frictional && summed).then(|| SUMMED.to_string()));
    let list = [
        (
            "verdict energy",
            "again from the ledger",
            sharper(verdict("energy"), &again.energy, (seen.gains(), sizes.energy))
                .unwrap_or_else(|| judged("energy", &again.energy, sizes.energy, energy)),
        ),
        ("verdict gap", "again from all gaps", gap),
        ("verdict cone", "again from the contacts", judged("cone", &again.cone, 1.0, cone)),
        (
            "verdict joints",
            "again from the states",
            judged("joints", &again.joints, sizes.length, none_made.or(thinned.clone())),
        ),
        ("verdict solver", "fits tolerance and failure", solver(run)),
        ("guarantee", "again from the scenario", promise(run)),
    ];
    list.map(|(name, rule, finding)| Check { name, rule, finding }).into()
}

fn differs(place: String) -> Finding {
    Finding::Differs { worst: 1.0, place }
}

/// A stored warning or failure for energy that was created or put in by dampers, sharper than what is found here though
/// its value is the same. What counts is measured by the largest exchange of a step, and of that the velocities without
/// impulses, which are not stored, are only bounded: contacts that hold each other let it look too large.
fn sharper(
    stored: Option<&CertificateSummary>,
    again: &Certificate,
    (gains, size): ([f64; 2], f64),
) -> Option<Finding> {
    let milder = |c: &&CertificateSummary| match again.status {
        Verdict::Pass | Verdict::Report => c.status == "warn" || c.status == "fail",
        Verdict::Warn => c.status == "fail",
        Verdict::Fail | Verdict::None => false,
    };
    let worst = stored.filter(milder)?.worst;
    let apart = gains.iter().filter(|gain| **gain > 0.0).map(|gain| (worst - gain).abs());
    let difference = apart.min_by(f64::total_cmp)?;
    (difference <= TOLERANCE * size).then(|| Finding::Agrees(if difference == 0.0 { 0.0 } else { difference / size }))
}

/// Status and worst value; the words too where they speak of the same value.
fn compare(stored: Option<&CertificateSummary>, again: &Certificate, size: f64) -> Finding {
    let Some(stored) = stored else { return differs("missing in summary.json".into()) };
    if stored.status != again.status.as_str() {
        return differs(format!(
            "{} ({:.1e}) in summary.json, {} ({:.1e}) again",
            stored.status,
            stored.worst,
            again.status.as_str(),
            again.worst
        ));
    }
    let difference = (stored.worst - again.worst).abs();
    if difference.is_nan() || difference > TOLERANCE * size {
        return differs(format!("worst {:e} in summary.json, {:e} again", stored.worst, again.worst));
    }
    // the words of a warning or a failure count steps by a size that is only estimated here
    let sure = stored.worst == again.worst && !matches!(again.status, Verdict::Warn | Verdict::Fail);
    if sure && stored.text != again.text {
        return differs(format!("\"{}\" in summary.json, \"{}\" again", stored.text, again.text));
    }
    Finding::Agrees(if difference == 0.0 { 0.0 } else { difference / size })
}

fn solver(run: &RunFolder) -> Finding {
    let Some(c) = run.summary.verdicts.get("solver") else { return differs("missing in summary.json".into()) };
    let unsolved = |code: &str| code == Code::NOT_SOLVED.as_str() || code == Code::NO_SOLUTION.as_str();
    if run.summary.failure.as_ref().is_some_and(|failure| unsolved(&failure.code)) {
        return match c.status.as_str() {
            "fail" => Finding::Agrees(0.0),
            other => differs(format!("{other} although a contact problem was not solved")),
        };
    }
    let (tolerance, enough) = (run.loaded.scenario.solver.tolerance, run.loaded.scenario.solver.acceptable());
    let met = run.summary.solver.get("problems").and_then(serde_json::Value::as_u64).unwrap_or(0) > 0;
    let expected = match (met, c.worst <= tolerance, c.worst <= enough) {
        (false, _, _) => "none",
        (true, true, _) => "pass",
        (true, false, true) => "warn",
        (true, false, false) => "fail",
    };
    if c.status != expected {
        return differs(format!("{} with a residual of {:e}, asked {tolerance:e}", c.status, c.worst));
    }
    Finding::Unsupported("the residuals of the contact problems are not stored".into())
}

fn promise(run: &RunFolder) -> Finding {
    let (stored, again) = (&run.summary.guarantee, run.loaded.scenario.guarantee());
    let word = |holds| if holds { "holds" } else { "does not hold" };
    if stored.theorem != again.theorem_name() {
        return differs(format!("\"{}\" in summary.json, \"{}\" again", stored.theorem, again.theorem_name()));
    }
    if stored.holds != again.holds {
        return differs(format!("{} in summary.json, {} again", word(stored.holds), word(again.holds)));
    }
    // an older version may have booked by another identity, but not without one
    let ours = again.identity_name();
    let older = run.summary.version != env!("CARGO_PKG_VERSION");
    let both = again.identity.is_some() && stored.identity != Guarantee::NO_IDENTITY;
    if stored.identity != ours && !(older && both) {
        return differs(format!("identity \"{}\" in summary.json", stored.identity));
    }
    Finding::Agrees(0.0)
}
