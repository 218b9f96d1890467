//! Periodic orbits of a driven scenario: found by shooting from where the motion settles, followed over a parameter.
//!
//! The motion runs event-driven through the transient; the cycle its points then repeat is the guess for Newton's iteration on the flow.

use super::bifurcation::begin;
use super::figures::{branch_plot, write_figures};
use super::prepared::{Prepared, prepare};
use crate::compare::quoted;
use crate::parallel::{Task, Threads, Watch, ordered};
use percussion_dynamics::{Branch, Driven, Loss, Orbit, Pursuit, cycle, follow};
use percussion_model::Code;
use percussion_scenario::{Dynamics, Result, ScenarioError, write_text};
use percussion_step::{Flow, Model, ParameterModels, State, StepFailure};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// An orbit, and its branches.
pub struct OrbitStudy {
    /// The orbit at the scenario's own value.
    pub orbit: Orbit,
    /// That value.
    pub value: Option<f64>,
    /// The branches from it, down and up.
    pub branches: Vec<Branch>,
    /// The table and figures.
    pub files: Vec<PathBuf>,
}

impl OrbitStudy {
    /// What happens on the branches: the value and what.
    pub fn losses(&self) -> Vec<(f64, Loss)> {
        let of = |branch: &Branch| {
            let ends = branch.points.last().and_then(|point| branch.end_loss.map(|loss| (point.p, loss)));
            let inside = branch.points.iter().filter_map(|point| point.loss.map(|loss| (point.p, loss)));
            inside.chain(ends).collect::<Vec<_>>()
        };
        self.branches.iter().flat_map(of).collect()
    }
}

/// Part of the range of a parameter, or of itself, by which its derivative moves it.
const STEP: f64 = 1e-4;

/// Part of that where values beside are refused, and how many of these it is taken inside then.
const NEARER: f64 = 1.0 / 65536.0;
const INSIDE: f64 = 4.5;

/// Finds the orbit and follows it; none when it was stopped.
pub fn orbit(study: &Dynamics, folder: &Path, watch: &Watch) -> Result<Option<OrbitStudy>> {
    let made = ordered(&[1.0], Threads(1), watch, |_, task| found(study, folder, task));
    made.and_then(|mut list| list.pop()).transpose().map(Option::flatten)
}

fn found(study: &Dynamics, folder: &Path, task: &Task) -> Result<Option<OrbitStudy>> {
    let value = study.axes.first().map(|axis| study.number(&axis.key, &[])).transpose()?;
    let point: Vec<f64> = value.into_iter().collect();
    let prepared = prepare(study, &point, Some("event-driven"))?;
    let place = prepared.drawn(study)?;
    begin(study, folder)?;
    let mut driven = driven(study, &prepared, &point).map_err(|failure| refused(study, failure))?;
    let go_on = |share: f64| {
        task.at(share);
        !task.stop.load(Ordering::Relaxed)
    };
    let Some((guess, m)) = settle(study, &prepared, &mut driven, &go_on)? else { return Ok(None) };
    let orbit = driven.orbit(&guess, m).map_err(|failure| refused(study, failure))?;
    let mut branches = Vec::new();
    if let (Some(value), Some(axis)) = (value, study.axes.first()) {
        let mut at = |p: f64| {
            let words = |error: Box<ScenarioError>| {
                let ScenarioError { code, message, help, .. } = *error;
                StepFailure { code, t: 0.0, h: 0.0, message, help, problem: None }
            };
            let prepared = prepare(study, &[p], Some("event-driven")).map_err(words)?;
            self::driven(study, &prepared, &[p])
        };
        for sense in [-1.0, 1.0] {
            let longest = 2.0 / axis.points as f64;
            let pursuit = Pursuit { range: (axis.from, axis.to), sense, points: axis.points, longest };
            branches.push(follow(&mut at, (value, orbit.clone()), &pursuit));
            if !go_on(0.75 + 0.125 * (1.0 + sense)) {
                return Ok(None);
            }
        }
    }
    let mut made = OrbitStudy { orbit, value, branches, files: vec![folder.join("orbit.csv")] };
    write_text(&made.files[0], &csv(study, &prepared, &made))?;
    if !made.branches.is_empty() {
        let plot = branch_plot(study, &prepared, place, &made.branches);
        made.files.extend(write_figures(&plot, folder, "orbit")?);
    }
    Ok(Some(made))
}

/// The flow at a point, with the derivative by the parameter.
pub fn driven(study: &Dynamics, prepared: &Prepared, point: &[f64]) -> std::result::Result<Driven, StepFailure> {
    let words =
        |code: Code, message: String, help: String| StepFailure { code, t: 0.0, h: 0.0, message, help, problem: None };
    let Some(period) = prepared.sampling.period else {
        let message = "orbits and exponents are those of driven motions: there is no period".to_string();
        return Err(words(Code::BAD_DYNAMICS, message, "give dynamics.period, or a harmonic load".into()));
    };
    let mut parameters = Vec::new();
    let mut period_rate = 0.0;
    if let (Some(axis), [p]) = (study.axes.first(), point) {
        let step = STEP * p.abs().max(0.1 * (axis.to - axis.from).abs());
        let mut periods = Vec::new();
        let mut at = |p: f64, step: f64| {
            periods.clear();
            ParameterModels::new(p, step, |x| -> std::result::Result<Model, StepFailure> {
                let prepared = prepare(study, &[x], Some("event-driven"))
                    .map_err(|error| words(error.code, error.message.clone(), error.help.clone()))?;
                periods.push(prepared.sampling.period.unwrap_or(period));
                Ok(prepared.problem.model)
            })
        };
        // near the end of its range a parameter moves less; at the end itself its derivative is that of values just inside, which leads the
        // branch on and changes none of its orbits
        let near = NEARER * step;
        let models = at(*p, step).or_else(|_| at(*p, near)).or_else(|_| at(p + INSIDE * near, near));
        let models = models.or_else(|_| at(p - INSIDE * near, near))?;
        // in the order of the models: p + kδ, p − kδ
        period_rate = models.difference(&periods);
        parameters.push(models);
    }
    let flow = Flow::under(&prepared.problem, (&prepared.scheme, prepared.solver), &parameters)
        .map_err(|error| words(error.code, error.message, error.help))?;
    Ok(Driven { flow, period, period_rate })
}

/// Where the motion is after the transient, and the periods of the cycle it repeats; none when it was stopped.
fn settle(
    study: &Dynamics,
    prepared: &Prepared,
    driven: &mut Driven,
    go_on: &dyn Fn(f64) -> bool,
) -> Result<Option<(Vec<f64>, usize)>> {
    let spec = &study.spec;
    let (longest, periods) = (spec.longest as u64, spec.transient as u64 + 3 * spec.longest as u64 + 8);
    let mut state = State { t: 0.0, q: prepared.problem.q0.clone(), v: prepared.problem.v0.clone() };
    let (width, mut values) = (state.q.len() + state.v.len(), Vec::new());
    for k in 0..periods {
        let end = driven.flow.run(&state, driven.period, Vec::new()).map_err(|stop| refused(study, stop.failure))?;
        state = State { t: 0.0, ..end.state };
        if k + 3 * longest + 8 >= periods {
            values.extend(state.q.iter().chain(&state.v));
        }
        if k % 8 == 0 && !go_on(0.75 * k as f64 / periods as f64) {
            return Ok(None);
        }
    }
    match cycle(&values, width, 0, longest as usize, spec.tolerance) {
        Some(found) => Ok(Some((values[values.len() - width..].to_vec(), found.points))),
        None => {
            let message = format!("after {} periods the motion repeats no cycle of at most {longest}", spec.transient);
            let help = "give more transient, a greater longest, or another initial state; unstable orbits are reached along a branch";
            Err(ScenarioError::file(Code::NO_ORBIT, study.name.clone(), message, help))
        }
    }
}

pub(super) fn refused(study: &Dynamics, failure: StepFailure) -> Box<ScenarioError> {
    ScenarioError::file(failure.code, study.name.clone(), failure.message, failure.help)
}

/// One row per orbit.
fn csv(study: &Dynamics, prepared: &Prepared, made: &OrbitStudy) -> String {
    let names = &prepared.columns()[1..];
    // an orbit that starts where a contact sticks has fewer
    let orbits = made.branches.iter().flat_map(|branch| &branch.points).map(|point| &point.orbit);
    let most = orbits.chain([&made.orbit]).map(|orbit| orbit.multipliers.len()).max().unwrap_or(0);
    let multipliers = (1..=most).map(|k| format!("multiplier_{k}_re,multiplier_{k}_im"));
    let key = study.axes.first().map_or("parameter".into(), |axis| quoted(&axis.key));
    let mut text = format!(
        "branch,{key},periods,residual,radius,loss,impacts,slowest_impact,nearest_gap,{},{}\n",
        names.join(","),
        multipliers.collect::<Vec<_>>().join(",")
    );
    let mut row = |branch: usize, p: Option<f64>, orbit: &Orbit, loss: Option<Loss>| {
        let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:e}"));
        let mut cells = vec![
            branch.to_string(),
            number(p),
            orbit.periods.to_string(),
            number(Some(orbit.residual)),
            number(Some(orbit.radius())),
            loss.map_or(String::new(), |loss| loss.name().into()),
            orbit.impacts().count().to_string(),
            number(orbit.slowest_impact()),
            number(orbit.nearest.map(|(gap, ..)| gap)),
        ];
        cells.extend(orbit.x.iter().map(|x| format!("{x:e}")));
        cells.extend(orbit.multipliers.iter().flat_map(|(re, im)| [format!("{re:e}"), format!("{im:e}")]));
        cells.resize(cells.len() + 2 * (most - orbit.multipliers.len()), String::new());
        text += &(cells.join(",") + "\n");
    };
    if made.branches.is_empty() {
        row(0, made.value, &made.orbit, None);
    }
    for (b, branch) in made.branches.iter().enumerate() {
        branch.points.iter().for_each(|point| row(b, Some(point.p), &point.orbit, point.loss));
    }
    text
}
