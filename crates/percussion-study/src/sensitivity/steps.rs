//! Derivatives of one-step schemes by implicit differentiation of every step (`percussion_step::step_derivative`).

use super::exact::{Missing, energy, parameters};
use super::runs::changes;
use super::{Derivative, Found, Quantity, Study, failed};
use crate::parallel::{Task, Watch, ordered};
use percussion_model::Code;
use percussion_scenario::{Loaded, Scenario};
use percussion_step::{
    Follow, Model, NotDifferentiated, Outcome, ParameterModels, Recorder, Start, Step, StepFailure, Stop,
    corner_on_the_grid, step_derivative,
};
use std::result::Result;

/// Follows a run and keeps what was asked for.
struct Follower<'a> {
    study: &'a Study<'a>,
    model: &'a Model,
    parameters: &'a [ParameterModels],
    derivative: Box<dyn Follow>,
    /// Numbers of the steps at whose ends values are taken.
    steps: &'a [u64],
    rows: Vec<Derivative>,
    missing: Option<NotDifferentiated>,
    task: &'a Task<'a>,
    n: u64,
}

impl Recorder for Follower<'_> {
    fn start(&mut self, _start: &Start) -> Result<(), Stop> {
        Ok(())
    }

    fn record(&mut self, number: u64, step: &Step) -> Result<(), Stop> {
        if let Err(missing) = self.derivative.advance(step) {
            self.missing = Some(missing);
            return Err(Stop::Interrupted);
        }
        if self.steps.binary_search(&number).is_ok() {
            self.take();
        }
        if self.task.step(number, self.n) { Ok(()) } else { Err(Stop::Interrupted) }
    }
}

impl Follower<'_> {
    /// The rows of an instant.
    fn take(&mut self) {
        let state = self.derivative.state();
        let columns: Vec<Vec<f64>> = (0..self.parameters.len()).map(|p| self.derivative.column(p)).collect();
        let entry = |k: usize| columns.iter().map(|column| column[k]).collect::<Vec<_>>();
        for (quantity, asked) in self.study.of.iter().enumerate() {
            let (value, derivatives) = match *asked {
                Quantity::Position(i) => (state.q[i], entry(i)),
                Quantity::Velocity(i) => (state.v[i], entry(state.q.len() + i)),
                Quantity::Energy => energy(self.model, self.parameters, state, &columns),
                Quantity::Lost => {
                    let (lost, derivatives) = self.derivative.lost();
                    (lost, derivatives.to_vec())
                }
                Quantity::Impact(_) => continue,
            };
            let errors = vec![0.0; derivatives.len()];
            self.rows.push(Derivative { quantity, t: state.t, value, derivatives, errors });
        }
    }
}

/// All rows; none when it was stopped.
pub fn differentiate(study: &Study, scenario: &Scenario, watch: &Watch) -> Result<Option<Found>, Missing> {
    let (parameters, columns) = parameters(study)?;
    let problem = &scenario.problem;
    let derivative =
        step_derivative(problem, (&scenario.scheme, scenario.solver), scenario.step, &parameters, &columns);
    let derivative = derivative.map_err(Missing::Unknown)?;
    let Loaded { simulation, .. } = (study.load)(study.base)?;
    let n = scenario.count.n;
    if let Some((t, p)) = corner_on_the_grid(&problem.model, &parameters, scenario.step, n) {
        let (key, _) = &study.wrt[p];
        let message = format!(
            "at {t} s a corner of a signal lies at an instant of a step and moves with {key}: results jump there"
        );
        let help = "move the corner off the ends and middles of steps, or use --scheme event-driven".into();
        let failure = StepFailure { code: Code::NO_DERIVATIVE, t, h: scenario.step, message, help, problem: None };
        return Err(Missing::Error(failed(scenario, failure)));
    }
    let mut steps: Vec<u64> = study.times.iter().map(|t| ((t / scenario.step).round() as u64).clamp(1, n)).collect();
    steps.dedup();
    let once = std::sync::Mutex::new(Some((simulation, derivative)));
    let made = ordered(&[1.0], study.threads, watch, |_, task| {
        let (mut simulation, derivative) = once.lock().ok()?.take()?;
        let (rows, missing, model) = (Vec::new(), None, &problem.model);
        let parameters = &parameters;
        let mut follower = Follower { study, model, parameters, derivative, steps: &steps, rows, missing, task, n };
        let outcome = simulation.run(n, &mut follower);
        Some((outcome, follower.rows, follower.missing))
    });
    let Some((outcome, rows, missing)) = made.and_then(|mut list| list.pop()).flatten() else { return Ok(None) };
    match (outcome, missing) {
        (_, Some(NotDifferentiated::Unknown(why))) => Err(Missing::Unknown(why)),
        (_, Some(NotDifferentiated::Changes { t, contact, parameter })) => {
            let name = problem.model.contact_name(contact);
            let message = format!("{} at {t} s, beginning with {name}", changes(study, parameter).message);
            Err(Missing::Error(failed(scenario, StepFailure { message, t, ..changes(study, parameter) })))
        }
        (Outcome::Failed(failure), None) => Err(Missing::Error(failed(scenario, failure))),
        (Outcome::Finished, None) => Ok(Some(Found { rows, ..Default::default() })),
        (Outcome::Stopped(_), None) => Ok(None),
    }
}
