//! `summary.json`: what ran, what is promised, what was found.

use crate::build::scenario::Scenario;
use crate::format::write::{projection_name, solution_name};
use crate::live::inputs::Held;
use crate::run::contact_names::ContactNames;
use crate::run::crc64::Crc64;
use crate::run::table::Written;
use percussion_model::Code;
use percussion_step::{
    Ability, Activation, Audit, Certificate, EventCounts, EventKind, StepFailure, Verdict, Written as SchemeValue,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The summary of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// The scenario's name.
    pub scenario: String,
    /// The program's version.
    pub version: String,
    /// Name and resolved parameters.
    pub scheme: Map<String, Value>,
    /// Name, options and work done.
    pub solver: Map<String, Value>,
    /// Accepted steps.
    pub steps: u64,
    /// Time reached [s].
    pub t_end: f64,
    /// Time it took [s].
    pub wall_s: f64,
    /// energy, gap, cone, joints, solver; momentum of bodies.
    pub verdicts: BTreeMap<String, CertificateSummary>,
    /// How many of each kind.
    pub events: BTreeMap<String, u64>,
    /// Law, impacts, fallbacks and complementarity of frictional contacts; absent where none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<Map<String, Value>>,
    /// What theory promised.
    pub guarantee: GuaranteeSummary,
    /// Fingerprint of every state.
    pub state_hash: String,
    /// What the controller of adaptive steps did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adaptive: Option<Map<String, Value>>,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// Length and checksum of each table.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tables: BTreeMap<String, TableSum>,
    /// Present when a step could not be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// What a program had set when the record began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<Held>,
    /// Whether the run was interrupted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// CRC-64/XZ of this file with this value empty.
    #[serde(default)]
    pub summary_crc64: String,
}

/// What a table should hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSum {
    /// Length of the file.
    pub bytes: u64,
    /// CRC-64/XZ of its bytes, 16 hexadecimal digits.
    pub crc64: String,
}

impl From<Written> for TableSum {
    fn from(written: Written) -> Self {
        Self { bytes: written.bytes, crc64: format!("{:016x}", written.crc) }
    }
}

/// One certificate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CertificateSummary {
    /// pass, warn, fail, report or none.
    pub status: String,
    /// The worst value.
    pub worst: f64,
    /// When [s].
    pub t: f64,
    /// Where: the contact's name.
    #[serde(default, deserialize_with = "name_or_number")]
    pub contact: Option<String>,
    /// Its number in the tables.
    #[serde(default)]
    pub contact_id: Option<usize>,
    /// How sure a verdict on energy is: `theorem`, `filtered` (works as the scheme sees them) or `measured`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// In words.
    pub text: String,
}

/// A contact's name; version 0.1 wrote its number.
fn name_or_number<'a, D: serde::Deserializer<'a>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::String(name) => Some(name),
        Value::Number(number) => Some(format!("contact {number}")),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    })
}

/// The promise.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GuaranteeSummary {
    /// The theorem, or "none".
    pub theorem: String,
    /// Its condition.
    pub condition: String,
    /// Whether it applies.
    pub holds: bool,
    /// Why or why not.
    pub reason: String,
    /// The identity behind the residual.
    pub identity: String,
}

/// Why a run ended early.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// E2xx.
    pub code: String,
    /// Start of the failed step [s].
    pub t: f64,
    /// The fact.
    pub message: String,
    /// A way out.
    pub help: String,
    /// The unsolved contact problem, relative to the run folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Failure {
    /// Of a step.
    pub fn new(failure: &StepFailure, problem: Option<String>) -> Self {
        let StepFailure { code, t, message, help, .. } = failure;
        Self { code: code.to_string(), t: *t, message: message.clone(), help: help.clone(), problem }
    }
}

/// Where the summary counts steps made in parts.
pub const IN_PARTS: &str = "steps_in_parts";

impl Summary {
    /// Of a run that has just ended; `newton` counts the steps by the rung Newton's method needed, or those between events.
    pub fn new(
        scenario: &Scenario,
        (audit, names): (&Audit, &ContactNames),
        counts: EventCounts,
        newton: &[(&'static str, u64)],
        wall_s: f64,
    ) -> Self {
        let guarantee = scenario.guarantee();
        let verdicts = audit.judged(&guarantee, &scenario.solver);
        let (problems, iterations) = audit.solver_work();
        let mut solver = json!({
            "name": scenario.solver.method.name(),
            "tolerance": scenario.solver.tolerance,
            "accepted": scenario.solver.acceptable(),
            "max_iterations": scenario.solver.max_iterations,
            "problems": problems,
            "iterations": iterations,
            "most_iterations": audit.most_iterations(),
        });
        if audit.steps_in_parts() > 0 {
            solver[IN_PARTS] = audit.steps_in_parts().into();
        }
        if !newton.is_empty() {
            let counts: Map<String, Value> = newton.iter().map(|&(rung, n)| (rung.to_string(), n.into())).collect();
            let key = if scenario.scheme.facts().has(Ability::LocatesEvents) { "integration" } else { "newton" };
            solver[key] = counts.into();
        }
        let mut summary = Self {
            scenario: scenario.name.clone(),
            version: env!("CARGO_PKG_VERSION").into(),
            scheme: scheme(scenario),
            solver: solver.as_object().cloned().unwrap_or_default(),
            steps: audit.steps(),
            t_end: audit.t_end(),
            wall_s,
            // momentum is a matter of bodies and of solids that nothing holds
            verdicts: verdicts
                .list()
                .into_iter()
                .filter(|(name, _)| *name != "momentum" || scenario.model().momentum_is_planar().is_some())
                .map(|(name, c)| (name.to_string(), certificate(scenario, names, name, c)))
                .collect(),
            events: EventKind::ALL.map(|kind| (kind.as_str().to_string(), counts.of(kind))).into(),
            friction: friction(scenario, audit),
            guarantee: GuaranteeSummary {
                theorem: guarantee.theorem_name().to_string(),
                identity: guarantee.identity_name().to_string(),
                condition: guarantee.condition,
                holds: guarantee.holds,
                reason: guarantee.reason,
            },
            state_hash: audit.state_hash(),
            adaptive: None,
            warnings: scenario.warnings.iter().map(ToString::to_string).collect(),
            tables: BTreeMap::new(),
            failure: None,
            held: Vec::new(),
            interrupted: false,
            summary_crc64: String::new(),
        };
        if scenario.warnings.iter().any(|warning| warning.code == Code::UNCHECKED)
            && let Some(energy) = summary.verdicts.get_mut("energy")
        {
            energy.status = if energy.status == "pass" { "warn".into() } else { energy.status.clone() };
            energy.text = format!("the model was not checked: {}", energy.text);
        }
        summary
    }

    /// Takes in the failure that ended the run: what was not solved is the solver's, and no step is no balance.
    pub fn fail(&mut self, failure: Failure) {
        let unsolved =
            [Code::NOT_SOLVED, Code::NO_SOLUTION, Code::UNREACHABLE].iter().any(|code| code.as_str() == failure.code);
        if let Some(solver) = self.verdicts.get_mut("solver").filter(|_| unsolved) {
            solver.status = "fail".into();
            solver.t = failure.t;
            solver.text = format!("{}: {}", failure.code, failure.message);
        }
        if let Some(energy) = self.verdicts.get_mut("energy").filter(|_| self.steps == 0) {
            energy.status = "none".into();
            energy.text = "no step was made".into();
        }
        self.failure = Some(failure);
    }

    /// Whether any certificate failed.
    pub fn failed(&self) -> bool {
        self.verdicts.values().any(|c| c.status == "fail")
    }

    /// As written to `summary.json`.
    pub fn to_json(&self) -> String {
        let blank = Self { summary_crc64: String::new(), ..self.clone() };
        let mut text = serde_json::to_string_pretty(&blank).unwrap_or_default();
        text.push('\n');
        let crc = Crc64::of(text.as_bytes());
        text.replace(&own_sum(""), &own_sum(&format!("{crc:016x}")))
    }

    /// Whether the text of a file is what was written: its own checksum fits. None where it has none.
    pub fn is_unchanged(&self, text: &str) -> Option<bool> {
        if self.summary_crc64.is_empty() {
            return None;
        }
        let blank = text.replace(&own_sum(&self.summary_crc64), &own_sum(""));
        Some(format!("{:016x}", Crc64::of(blank.as_bytes())) == self.summary_crc64)
    }
}

/// The line that holds the summary's own checksum.
fn own_sum(crc: &str) -> String {
    format!("\"summary_crc64\": \"{crc}\"")
}

/// An overflow must not leave a number JSON cannot hold.
fn finite(x: f64) -> f64 {
    if x.is_finite() { x } else { f64::MAX.copysign(x) }
}

fn certificate(scenario: &Scenario, names: &ContactNames, name: &str, c: &Certificate) -> CertificateSummary {
    let judged = c.status != Verdict::None;
    CertificateSummary {
        status: c.status.as_str().into(),
        worst: finite(c.worst),
        t: c.t,
        contact: c.contact.map(|id| names.name(scenario.model(), id)),
        contact_id: c.contact,
        level: (name == "energy" && judged).then(|| scenario.guarantee().level.name().to_string()),
        text: c.text.clone(),
    }
}

fn friction(scenario: &Scenario, audit: &Audit) -> Option<Map<String, Value>> {
    let counts = audit.friction()?;
    let map = json!({
        "law": scenario.scheme.friction_law.name(),
        "impacts": counts.impacts,
        "fallbacks": counts.fallbacks,
        "complementarity": finite(counts.complementarity),
    });
    map.as_object().cloned()
}

fn scheme(scenario: &Scenario) -> Map<String, Value> {
    let scheme = &scenario.scheme;
    let mut map = Map::new();
    map.insert("name".into(), scheme.name.into());
    for (key, value) in scheme.parameters() {
        let value = match value {
            SchemeValue::Number(x) => x.into(),
            SchemeValue::Integer(k) => k.into(),
            SchemeValue::Word(word) => word.into(),
        };
        map.insert(key.into(), value);
    }
    let takes = |key: &str| scheme.takes(key);
    if takes("activation") {
        map.insert("activation".into(), scheme.activation.name().into());
        if let (Activation::Predicted { prediction }, true) = (scheme.activation, takes("prediction")) {
            map.insert("prediction".into(), prediction.into());
        }
    }
    if let Some(chosen) = scenario.chosen {
        map.insert("chosen".into(), chosen.into());
    }
    if takes("projection") {
        map.insert("projection".into(), projection_name(scheme.projection).into());
    }
    if takes("solution") {
        map.insert("solution".into(), solution_name(scheme.sequential).into());
    }
    if takes("friction_law") && scenario.model().has_friction() {
        map.insert("friction_law".into(), scheme.friction_law.name().into());
    }
    if takes("gyroscopic") && scenario.model().bodies().is_some() {
        map.insert("gyroscopic".into(), scheme.gyroscopic.name().into());
    }
    map
}
