//! Derivatives of what a run gives with respect to keys of its scenario: initial values, masses, stiffnesses, e, μ, geometry, loads.
//!
//! ```text
//! event-driven:   variational equation and saltation of every event (`exact.rs`)       → states, energies, times of impacts
//! one-step:       implicit differentiation of every step on the set of contacts it was solved on (`steps.rs`)
//! any other:      differences of order 8 of whole runs with one and the same history of contacts (`runs.rs`)
//! ```
//!
//! A derivative belongs to motions that meet the same contacts in the same order. Where that order changes, at grazing or at impacts of
//! the same instant, there is none (E208). At the end of a parameter's range it is that of the side that is left (`one_sided.rs`).

mod exact;
mod one_sided;
mod quantity;
mod runs;
mod steps;

use crate::Load;
use crate::parallel::{Threads, Watch};
use percussion_matrix::vector::max_abs;
use percussion_model::{Code, InputError};
use percussion_scenario::{LoadOptions, Loaded, Result, Scenario, ScenarioError, column_names, scenario_number};
use percussion_step::{Model, Reach, State, Steps};
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
    /// By the equations of every step, differentiated.
    Steps,
    /// By differences of runs with one history of contacts.
    Differences,
}

impl Way {
    /// As tables name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact | Self::Steps => "exact",
            Self::Differences => "differences",
        }
    }
}

/// The side of a parameter's value on which its derivative is taken, where there is only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Greater values.
    Above,
    /// Smaller ones.
    Below,
}

impl Side {
    /// As tables name it.
    pub fn name(side: Option<Self>) -> &'static str {
        match side {
            None => "both",
            Some(Self::Above) => "above",
            Some(Self::Below) => "below",
        }
    }

    /// Which way its values lie.
    fn sign(self) -> f64 {
        match self {
            Self::Above => 1.0,
            Self::Below => -1.0,
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
    /// dt/dp; NaN where an impact has no derivative by a parameter at the end of its range.
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
    /// What it was asked for by.
    pub names: Vec<String>,
    /// The parameters with their values.
    pub wrt: Vec<(String, f64)>,
    /// Of each, the side on which its derivatives are taken; none where it is both.
    pub sides: Vec<Option<Side>>,
    /// How far each parameter may go, to first order, until the motion meets its contacts in another order: behind that the derivative is another.
    pub reach: Vec<Option<Reach>>,
    /// One for each quantity and time.
    pub rows: Vec<Derivative>,
    /// All impacts, where the scheme locates them.
    pub impacts: Vec<ImpactTime>,
}

/// Tables of a scenario that say nothing of the model or of how it moves.
const OUTSIDE: [&str; 6] = ["time.", "solver.", "output.", "sensitivity.", "dynamics.", "play."];

/// A scenario at its own values, and the way to others.
struct Study<'a> {
    load: &'a Load<'a>,
    base: &'a LoadOptions,
    wrt: Vec<(String, f64)>,
    /// Under which name each can be set.
    keys: Vec<String>,
    /// Which have one side only: these stay as they are here, and `one_sided.rs` sees to them.
    sides: Vec<Option<Side>>,
    /// The sizes by which differences of the parameters are measured.
    sizes: Vec<f64>,
    of: Vec<Quantity>,
    times: Vec<f64>,
    threads: Threads,
}

impl Study<'_> {
    /// The scenario with parameter p at x.
    fn at(&self, p: usize, x: f64) -> Result<Loaded> {
        let x = if self.sides[p].is_some() { self.wrt[p].1 } else { x };
        (self.load)(&self.set(p, x))
    }

    /// How the scenario is changed to have parameter p at x.
    fn set(&self, p: usize, x: f64) -> LoadOptions {
        let mut options = self.base.clone();
        options.set.push(format!("{}={x:e}", self.keys[p]));
        options
    }

    /// The side of parameter p on which the scenario can be, where there is only one.
    fn side(&self, p: usize) -> Result<Option<Side>> {
        let near = exact::NEAREST * self.size(p);
        let beside = |sign: f64| self.at(p, self.wrt[p].1 + sign * near);
        match (beside(1.0), beside(-1.0)) {
            (Ok(_), Ok(_)) => Ok(None),
            (Ok(_), Err(_)) => Ok(Some(Side::Above)),
            (Err(_), Ok(_)) => Ok(Some(Side::Below)),
            (Err(error), Err(_)) => Err(self.refused_beside(p, &error)),
        }
    }

    /// The scenario can be on no side of a value.
    fn refused_beside(&self, p: usize, error: &ScenarioError) -> Box<ScenarioError> {
        let (key, x) = &self.wrt[p];
        let message = format!("beside {key} = {x} the scenario fails ({}): {}", error.code.as_str(), error.message);
        let help = "no value beside this one is admissible: move it a little";
        let error = InputError::new(Code::NO_DERIVATIVE, format!("sensitivity.wrt: {key}"), message, help);
        error.into()
    }

    /// The size by which differences of a parameter are measured.
    fn size(&self, p: usize) -> f64 {
        self.sizes[p]
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
        Some(_) if OUTSIDE.iter().any(|table| key.starts_with(table)) => refuse(
            "wrt",
            format!("{key} is no number of the model or of the scheme"),
            "masses, stiffnesses, restitution, friction, places, loads and initial values are",
        ),
        Some(x) => Ok((key.clone(), x)),
        None => refuse(
            "wrt",
            format!("{key} is no key with a number"),
            "name the key as in --set: model.contact.0.restitution",
        ),
    };
    let wrt = options.wrt.iter().map(value).collect::<Result<Vec<_>>>()?;
    let names = column_names(&scenario.description, &scenario.problem.model);
    let of = Quantity::list(&options.of, &names)
        .or_else(|message| refuse("of", message, "write q0, v1, ball.x, energy, lost or impact 0"))?;
    let times = times(&scenario, &options.times)?;
    let keys = wrt.iter().map(|(key, x)| settable(load, &options.base, key, *x)).collect::<Result<Vec<_>>>()?;
    let sides = vec![None; wrt.len()];
    let sizes = wrt.iter().map(|(_, x)| if *x != 0.0 { x.abs() } else { 1.0 }).collect();
    let mut study = Study { load, base: &options.base, wrt, keys, sides, sizes, of, times, threads };
    let located = scenario.scheme.facts().steps == Steps::Own;
    if !located && study.of.iter().any(|quantity| matches!(quantity, Quantity::Impact(_))) {
        let message =
            format!("{} puts impacts at the ends of steps: their times have no derivative", scenario.scheme.name);
        return refuse("of", message, "use --scheme event-driven");
    }
    study.sides = (0..study.wrt.len()).map(|p| study.side(p)).collect::<Result<_>>()?;
    let Some(mut made) = differentiate(&study, &scenario, watch)? else { return Ok(None) };
    for p in 0..study.wrt.len() {
        if let Some(side) = study.sides[p]
            && !one_sided::differentiate(&study, (p, side), &mut made, watch)?
        {
            return Ok(None);
        }
    }
    let Made { found: Found { rows, impacts, reach, .. }, way, remark } = made;
    let reach = (0..study.wrt.len()).map(|p| reach.get(p).copied().flatten()).collect();
    let (name, scheme) = (scenario.name.clone(), scenario.scheme.name.to_string());
    let Study { of, wrt, sides, .. } = study;
    let asked =
        |(k, of): (usize, &Quantity)| options.of.get(k).map_or_else(|| of.name(), |word| word.trim().to_string());
    let names = of.iter().enumerate().map(asked).collect();
    Ok(Some(Sensitivity { name, scheme, way, remark, of, names, wrt, sides, reach, rows, impacts }))
}

/// Rows and impacts, and how they were found.
struct Made {
    found: Found,
    way: Way,
    remark: Option<String>,
}

/// By the way that a scenario's scheme and parameters leave.
fn differentiate(study: &Study, scenario: &Scenario, watch: &Watch) -> Result<Option<Made>> {
    let located = scenario.scheme.facts().steps == Steps::Own;
    let of_the_scheme = study.wrt.iter().find(|(key, _)| key.starts_with("scheme."));
    let exact = if let Some((key, _)) = of_the_scheme {
        Err(exact::Missing::Unknown(format!("{key} belongs to the scheme and not to the model")))
    } else if located {
        exact::differentiate(study, scenario, watch)
    } else {
        steps::differentiate(study, scenario, watch)
    };
    let why = match exact {
        Ok(found) => {
            let way = if located { Way::Exact } else { Way::Steps };
            // the flow is that of event-driven, which other schemes that locate events approximate
            let other = located && scenario.scheme.name != "event-driven";
            let remark = other.then(|| format!("of the motion that {} approximates", scenario.scheme.name));
            return Ok(found.map(|found| Made { found, way, remark }));
        }
        Err(exact::Missing::Error(error)) => return Err(error),
        Err(exact::Missing::Unknown(why)) => why,
    };
    let found = runs::differentiate(study, scenario, watch)?;
    Ok(found.map(|found| Made { found, way: Way::Differences, remark: Some(why) }))
}

/// What either way gives.
#[derive(Default)]
struct Found {
    rows: Vec<Derivative>,
    impacts: Vec<ImpactTime>,
    /// How far each parameter may go until the motion meets its contacts in another order; empty where it was not looked at.
    reach: Vec<Option<Reach>>,
    /// The largest coordinate, velocity and energy at the times asked for; zeros where they were not looked at.
    sizes: [f64; 3],
}

impl Found {
    /// Takes the sizes of a state.
    fn measure(&mut self, model: &Model, state: &State) {
        let energy = model.kinetic_energy(&state.q, &state.v) + model.potential_energy(&state.q);
        let [q, v, e] = self.sizes;
        self.sizes = [q.max(max_abs(&state.q)), v.max(max_abs(&state.v)), e.max(energy.abs())];
    }

    /// The size of what is of the kind of a quantity.
    fn size(&self, of: Quantity) -> f64 {
        match of {
            Quantity::Position(_) => self.sizes[0],
            Quantity::Velocity(_) => self.sizes[1],
            Quantity::Energy | Quantity::Lost => self.sizes[2],
            Quantity::Impact(_) => 0.0,
        }
    }
}

/// The name under which a number can be set: its own or, of a scene whose one pair is written out, that of the pair. A key that is read and
/// yet changes nothing would have a derivative of zero, and a false one.
fn settable(load: &Load, base: &LoadOptions, key: &str, x: f64) -> Result<String> {
    let at = |name: &str, x: f64| {
        let mut options = base.clone();
        options.set.push(format!("{name}={x:e}"));
        load(&options)
    };
    let moved = if x == 0.0 { 1e-6 } else { x * (1.0 - 1e-6) };
    let of_the_pair = key.strip_prefix("model.").map(|short| format!("pair.0.{short}"));
    for name in std::iter::once(key.to_string()).chain(of_the_pair) {
        match at(&name, moved) {
            Ok(loaded) if scenario_number(&loaded.scenario, key) != Some(x) => return Ok(name),
            Ok(_) => {}
            // perhaps the end of its range, or a start that touches: told where both sides are needed
            Err(_) if at(&name, x).is_ok() => return Ok(name),
            Err(_) => {}
        }
    }
    let why = match at(key, x) {
        Ok(_) => "setting it changes nothing".to_string(),
        Err(error) => format!("{}: {}", error.code.as_str(), error.message),
    };
    let help = "name the key that the scenario writes, with its whole list or table there";
    refuse("wrt", format!("{key} cannot be set ({why})"), help)
}

/// The instants asked for, rising.
fn times(scenario: &Scenario, asked: &[f64]) -> Result<Vec<f64>> {
    let end = scenario.count.n as f64 * scenario.step;
    if asked.is_empty() {
        return Ok(vec![end]);
    }
    let inside = |t: &f64| *t > 0.0 && *t <= end * (1.0 + 1e-12);
    if !asked.iter().all(inside) || !asked.windows(2).all(|pair| pair[0] < pair[1]) {
        let message = format!("times must rise, after 0 and up to the end at {} s", percussion_model::short(end));
        return refuse("times", message, "give rising times within the run");
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
        let mut text = String::from("quantity,t,value,parameter,at,derivative,error,way,side,reach\n");
        for row in &self.rows {
            for (p, (key, at)) in self.wrt.iter().enumerate() {
                let name = crate::compare::quoted(&self.names[row.quantity]);
                let (d, error) = (row.derivatives[p], row.errors[p]);
                let key = crate::compare::quoted(key);
                let reach = self.reach[p].map_or(String::new(), |reach| format!("{:e}", reach.change));
                let (way, side) = (self.way.name(), Side::name(self.sides[p]));
                text += &format!("{name},{},{},{key},{at},{d},{error:e},{way},{side},{reach}\n", row.t, row.value);
            }
        }
        text
    }

    /// One row for each impact.
    pub fn impacts_csv(&self) -> String {
        let keys: Vec<String> = self.wrt.iter().map(|(key, _)| crate::compare::quoted(&format!("d/d {key}"))).collect();
        let mut text = format!("impact,t,contact,{}\n", keys.join(","));
        for (k, impact) in self.impacts.iter().enumerate() {
            let cell = |d: &f64| if d.is_finite() { d.to_string() } else { String::new() };
            let list: Vec<String> = impact.derivatives.iter().map(cell).collect();
            text += &format!("{k},{},{},{}\n", impact.t, impact.contact, list.join(","));
        }
        text
    }
}
