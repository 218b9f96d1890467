//! Derivatives of what a run gives with respect to keys of its scenario: initial values, masses, stiffnesses, e, μ, geometry, loads.
//!
//! ```text
//! event-driven:   variational equation and saltation of every event (`exact.rs`)       → states, energies, times of impacts
//! any scheme:     differences of order 8 of whole runs with one and the same history of contacts (`runs.rs`)
//! ```
//!
//! A derivative belongs to motions that meet the same contacts in the same order. Where that order changes, at grazing or at impacts of
//! the same instant, there is none (E208).

mod exact;
mod quantity;
mod runs;

use crate::Load;
use crate::parallel::{Threads, Watch};
use percussion_model::{Code, InputError};
use percussion_scenario::{LoadOptions, Loaded, Result, Scenario, ScenarioError, scenario_number};
use percussion_step::Steps;
pub use quantity::Quantity;

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SensitivityOptions {
    /// What is differentiated; nothing: all coordinates and velocities, and the energy.
    pub of: Vec<String>,
    /// The keys by which.
    pub wrt: Vec<String>,
    /// When [s]; nothing: at the end.
    pub times: Vec<f64>,
    /// How the scenario is changed first.
    pub base: LoadOptions,
}

/// How derivatives were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By the variational equation, events included.
    Exact,
    /// By differences of runs with one history of contacts.
    Differences,
}

impl Way {
    /// As tables name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Differences => "differences",
        }
    }
}

/// A number of a run with its derivatives.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivative {
    /// Which: its place in `Sensitivity::of`.
    pub quantity: usize,
    /// When [s].
    pub t: f64,
    /// What it is.
    pub value: f64,
    /// d/dp, for each parameter.
    pub derivatives: Vec<f64>,
    /// How far each may be off, where it was found by differences; zero where it is exact.
    pub errors: Vec<f64>,
}

/// An impact with the derivatives of its time.
#[derive(Clone, Debug, PartialEq)]
pub struct ImpactTime {
    /// When [s].
    pub t: f64,
    /// Where.
    pub contact: usize,
    /// dt/dp.
    pub derivatives: Vec<f64>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// The name of the run.
    pub name: String,
    /// The scheme.
    pub scheme: String,
    /// How.
    pub way: Way,
    /// Why not exactly, where it was not.
    pub remark: Option<String>,
    /// What is differentiated.
    pub of: Vec<Quantity>,
    /// The parameters with their values.
    pub wrt: Vec<(String, f64)>,
    /// One for each quantity and time.
    pub rows: Vec<Derivative>,
    /// All impacts, where the scheme locates them.
    pub impacts: Vec<ImpactTime>,
}

/// A scenario at its own values, and the way to others.
struct Study<'a> {
    load: &'a Load<'a>,
    base: &'a LoadOptions,
    wrt: Vec<(String, f64)>,
    of: Vec<Quantity>,
    times: Vec<f64>,
    threads: Threads,
}

impl Study<'_> {
    /// The scenario with parameter p at x.
    fn at(&self, p: usize, x: f64) -> Result<Loaded> {
        let mut options = self.base.clone();
        options.set.push(format!("{}={x:e}", self.wrt[p].0));
        (self.load)(&options)
    }

    /// The size by which differences of a parameter are measured.
    fn size(&self, p: usize) -> f64 {
        let x = self.wrt[p].1.abs();
        if x > 0.0 { x } else { 1.0 }
    }
}

fn refuse<T>(field: &str, message: impl Into<String>, help: &str) -> Result<T> {
    Err(InputError::new(Code::BAD_STUDY, format!("sensitivity.{field}"), message, help).into())
}

/// Derivatives of a run; none when `watch` stopped it.
pub fn sensitivity(
    load: &Load,
    options: &SensitivityOptions,
    threads: Threads,
    watch: &Watch,
) -> Result<Option<Sensitivity>> {
    let scenario = load(&options.base)?.scenario;
    if scenario.adaptive.is_some() {
        return refuse(
            "scheme",
            "derivatives are of runs with equal steps",
            "remove time.adaptive, or use event-driven",
        );
    }
    if options.wrt.is_empty() {
        return refuse("wrt", "nothing to differentiate by", "name keys: --wrt model.q0.0,model.contact.0.restitution");
    }
    let value = |key: &String| match scenario_number(&scenario, key) {
        Some(x) => Ok((key.clone(), x)),
        None => refuse(
            "wrt",
            format!("{key} is no key with a number"),
            "name the key as in --set: model.contact.0.restitution",
        ),
    };
    let wrt = options.wrt.iter().map(value).collect::<Result<Vec<_>>>()?;
    let (n_q, n_v) = (scenario.problem.q0.len(), scenario.problem.v0.len());
    let of = Quantity::list(&options.of, n_q, n_v)
        .or_else(|message| refuse("of", message, "write q0, v1, energy, lost or impact 0"))?;
    let times = times(&scenario, &options.times)?;
    let study = Study { load, base: &options.base, wrt, of, times, threads };
    let located = scenario.scheme.facts().steps == Steps::Own;
    if !located && study.of.iter().any(|quantity| matches!(quantity, Quantity::Impact(_))) {
        let message =
            format!("{} puts impacts at the ends of steps: their times have no derivative", scenario.scheme.name);
        return refuse("of", message, "use --scheme event-driven");
    }
    if located {
        let found = match exact::differentiate(&study, &scenario) {
            Ok(found) => return Ok(Some(study.told(&scenario, Way::Exact, None, found))),
            Err(exact::Missing::Error(error)) => return Err(error),
            Err(exact::Missing::Unknown(why)) => why,
        };
        let made = runs::differentiate(&study, &scenario, watch)?;
        return Ok(made.map(|made| study.told(&scenario, Way::Differences, Some(found), made)));
    }
    let made = runs::differentiate(&study, &scenario, watch)?;
    Ok(made.map(|made| study.told(&scenario, Way::Differences, None, made)))
}

/// What either way gives.
struct Found {
    rows: Vec<Derivative>,
    impacts: Vec<ImpactTime>,
}

impl Study<'_> {
    fn told(self, scenario: &Scenario, way: Way, remark: Option<String>, found: Found) -> Sensitivity {
        let Found { rows, impacts } = found;
        let (name, scheme) = (scenario.name.clone(), scenario.scheme.name.to_string());
        Sensitivity { name, scheme, way, remark, of: self.of, wrt: self.wrt, rows, impacts }
    }
}

/// The instants asked for, rising.
fn times(scenario: &Scenario, asked: &[f64]) -> Result<Vec<f64>> {
    let end = scenario.count.n as f64 * scenario.step;
    if asked.is_empty() {
        return Ok(vec![end]);
    }
    let inside = |t: &f64| *t > 0.0 && *t <= end * (1.0 + 1e-12);
    if !asked.iter().all(inside) || !asked.windows(2).all(|pair| pair[0] < pair[1]) {
        return refuse("times", format!("times rise from 0 to {end} s"), "give rising times within the run");
    }
    Ok(asked.to_vec())
}

/// A failure of a step as an error of the study.
fn failed(scenario: &Scenario, failure: percussion_step::StepFailure) -> Box<ScenarioError> {
    ScenarioError::file(failure.code, scenario.name.clone(), failure.message, failure.help)
}

impl Sensitivity {
    /// One row for each number, time and parameter.
    pub fn csv(&self) -> String {
        let mut text = String::from("quantity,t,value,parameter,at,derivative,error,way\n");
        for row in &self.rows {
            for (p, (key, at)) in self.wrt.iter().enumerate() {
                let name = self.of[row.quantity].name();
                let (d, error) = (row.derivatives[p], row.errors[p]);
                let key = crate::compare::quoted(key);
                text += &format!("{name},{},{},{key},{at},{d},{error:e},{}\n", row.t, row.value, self.way.name());
            }
        }
        text
    }

    /// One row for each impact.
    pub fn impacts_csv(&self) -> String {
        let keys: Vec<String> = self.wrt.iter().map(|(key, _)| crate::compare::quoted(&format!("d/d {key}"))).collect();
        let mut text = format!("impact,t,contact,{}\n", keys.join(","));
        for (k, impact) in self.impacts.iter().enumerate() {
            let list: Vec<String> = impact.derivatives.iter().map(f64::to_string).collect();
            text += &format!("{k},{},{},{}\n", impact.t, impact.contact, list.join(","));
        }
        text
    }
}
