//! Newton's iteration, once: schemes hand over what is left at an iterate and how to improve it.

use crate::newton::evaluation::Evaluation;
use crate::newton::system::{Accelerations, NewtonSystem, Scales, consistent_acceleration};
use crate::{LedgerEntry, Memory, State, Step, StepFailure, StepStart};
use percussion_model::Lagrangian;

/// An iterate judged.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// The largest residual relative to its scale.
    pub worst: f64,
    /// Whether it is small enough.
    pub done: bool,
}

/// A scheme in the middle of a step.
pub trait Iteration {
    /// Evaluates the model at the iterate and judges what is left.
    fn judge(&mut self, from: &StepStart, iteration: usize) -> Result<Judged, StepFailure>;

    /// One increment.
    fn improve(&mut self, from: &StepStart, iteration: usize) -> Result<(), StepFailure>;
}

/// Iterates until the residual is small; gives the iterations and the last residual.
pub fn iterate(scheme: &mut impl Iteration, from: &StepStart, limit: usize) -> Result<(usize, f64), StepFailure> {
    let mut iterations = 0;
    loop {
        StepFailure::unless_stopped(from.state.t, from.h)?;
        let Judged { worst, done } = scheme.judge(from, iterations)?;
        if done {
            return Ok((iterations, worst));
        }
        if iterations == limit || !worst.is_finite() {
            return Err(from.failure(format!("Newton stopped at residual {worst:.1e} after {iterations} iterations")));
        }
        scheme.improve(from, iterations)?;
        iterations += 1;
    }
}

/// Residuals up to this multiple of the tolerance are compared with the round-off of the forces.
const NEARLY: f64 = 1e4;

impl Scales {
    /// Done within the tolerance, or, where that is nearly so, at the round-off of the forces: a stiff model cannot do better.
    pub fn judge(&self, momentum: f64, conditions: f64, tolerance: f64, round_off: impl FnOnce() -> f64) -> Judged {
        let worst = self.worst(momentum, conditions);
        if self.met(momentum, conditions, tolerance, 0.0) {
            return Judged { worst: self.beyond_round_off(momentum, conditions, 0.0), done: true };
        }
        if worst <= NEARLY * tolerance {
            let floor = round_off();
            if self.met(momentum, conditions, tolerance, floor) {
                return Judged { worst: self.beyond_round_off(momentum, conditions, floor), done: true };
            }
        }
        Judged { worst, done: false }
    }
}

/// The energy at the start with a = v̇ consistent with the first `nb` joints, and λ of these; zero where they have none.
pub fn alpha_start(
    model: &dyn Lagrangian,
    at: &mut Evaluation,
    system: &mut NewtonSystem,
    nb: usize,
    state: &State,
) -> (Memory, Accelerations, Vec<f64>) {
    at.dynamics(model, &state.q, &state.v, state.t);
    at.constraints(model, &state.q, state.t);
    let found = consistent_acceleration(model, at, &state.q, &state.v, nb, system);
    let mut vd = found.unwrap_or_else(|| vec![0.0; model.n() + nb]);
    let lambda = vd.split_off(model.n()).iter().map(|x| -x).collect();
    let E = model.kinetic_energy(&state.q, &state.v) + model.potential_energy(&state.q);
    (Memory::new(E, model.restitutions().len()), Accelerations::new(vd), lambda)
}

/// The smallest gap of the evaluated constraints, the first `nb` of which are joints.
pub fn smallest_gap(at: &Evaluation, nb: usize) -> Option<(f64, usize)> {
    at.g[nb..].iter().enumerate().map(|(j, &g)| (g, j)).min_by(|a, b| a.0.total_cmp(&b.0))
}

/// ½h(P_n + P_{n+1}), the work of the forces without a potential until (q, v).
pub fn outer_work(model: &dyn Lagrangian, from: &StepStart, q: &[f64], v: &[f64]) -> f64 {
    let State { t, q: q_n, v: v_n } = from.state;
    let power = model.power_without_potential(q_n, v_n, *t) + model.power_without_potential(q, v, from.end());
    0.5 * from.h * power
}

/// The energies at the end of a step whose works are in `entry`, and its balance.
pub fn close_step(
    model: &dyn Lagrangian,
    mut entry: LedgerEntry,
    from: &StepStart,
    step: &mut Step,
    next: &mut Memory,
) {
    let State { q, v, .. } = &step.after;
    (entry.kinetic, entry.potential) = (model.kinetic_energy(q, v), model.potential_energy(q));
    entry.close(from.memory.H, entry.energy());
    next.H = entry.energy();
    step.ledger = entry;
}
