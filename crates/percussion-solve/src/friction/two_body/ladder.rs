//! What solves contacts of bodies without W: sweeps, then Newton on the bodies where it costs less than going on.
//!
//!   100 sweeps (1000 where a residual above 1e-6 is asked for) → Newton, where an iteration is worth at most 250 sweeps, again after sweeps → sweeps
//!
//! A Newton iteration costs (4 block products of its factorisation + 10 contacts) / contacts sweeps: 50 for a wall of 180 bricks. Where
//! an answer is good enough a problem gets the work of 300 sweeps in all, by which a wall that stands comes nearer from step to step.

use crate::friction::TwoBodyProblem;
use crate::friction::task::Goal;
use crate::friction::two_body::body_newton::{BodyNewton, Effort};
use crate::friction::two_body::solver::BodyTask;
use crate::report::Outcome;

/// A block product of a factorisation and the assembly of a contact, in visits of a contact by a sweep.
const PRODUCT: f64 = 4.0;
const ASSEMBLY: f64 = 10.0;
/// Sweeps before anything else.
const FIRST: usize = 100;
/// The same where so little is asked for that sweeps alone nearly always do: 125 spheres at 1e-4 need 90 of them in the mean and 900 at most, and
/// a Newton iteration there costs as much as a hundred.
const FIRST_LOOSE: usize = 1000;
const LOOSE: f64 = 1e-6;
/// Price of a Newton iteration, in sweeps, that is not paid.
const DEAR: f64 = 250.0;
/// Bodies whose elimination is not even looked at.
const MANY: usize = 2000;
/// Work, in sweeps, that a problem gets where its answer is good enough.
const BUDGET: f64 = 300.0;
/// Newton iterations at most.
const NEWTON: usize = 200;
/// Times Newton starts again, and the sweeps before each.
const ROUNDS: usize = 6;
const BETWEEN: usize = 150;

/// Sweeps over the contacts of a problem.
pub(crate) type SweepsOf<'a> = dyn FnMut(BodyTask, &mut [f64], &mut [f64]) -> Outcome + 'a;

/// Whether anything but sweeps is tried on a problem, so that the bodies' velocities are no longer those of the last sweep.
pub(crate) fn may_have_left_sweeps(problem: &TwoBodyProblem) -> bool {
    problem.v.len() <= MANY
}

/// Improves r and leaves its velocity in u.
pub(crate) fn climb<const D: usize, const D2: usize>(
    task: BodyTask,
    sweeps: &mut SweepsOf,
    newton: &mut BodyNewton<D, D2>,
    r: &mut [f64],
    u: &mut [f64],
) -> Outcome {
    let Goal { tolerance, enough, limit, stop } = task.goal;
    let many = !may_have_left_sweeps(task.problem);
    let first = match many {
        true if enough <= tolerance => limit,
        true => limit.min(BUDGET as usize),
        false if tolerance > LOOSE => limit.min(FIRST_LOOSE),
        false => limit.min(FIRST),
    };
    // sweeps lead away from answers that Newton found and the last step handed on
    let warm = (!many && enough > tolerance).then(|| newton.keep(task, r, u));
    let mut outcome = sweeps(BodyTask { goal: Goal { limit: first, ..task.goal }, ..task }, r, u);
    if warm.is_some_and(|warm| warm.worst() < outcome.residuals.worst()) {
        outcome.residuals = newton.take_back(task, r, u);
    }
    let settled = |outcome: &Outcome| outcome.residuals.worst() <= tolerance || stop.requested();
    if settled(&outcome) || outcome.iterations < first || first == limit {
        return outcome;
    }
    if !many {
        newton.prepare(task.problem);
        let price = ASSEMBLY + PRODUCT * newton.n_products() / task.problem.len() as f64;
        let beyond = (BUDGET - FIRST as f64) / price;
        if price <= DEAR && (outcome.residuals.worst() > enough || beyond >= 1.0) {
            let effort = Effort { limit: NEWTON, beyond: beyond as usize };
            let improved = newton.solve(task, effort, r, u);
            outcome = Outcome { iterations: outcome.iterations + improved.iterations, ..improved };
            // where Newton wandered off among redundant contacts, sweeps settle which of them carry
            for _ in 0..ROUNDS {
                if settled(&outcome) || outcome.residuals.worst() <= enough || outcome.iterations >= limit {
                    break;
                }
                let between = sweeps(BodyTask { goal: Goal { limit: BETWEEN, ..task.goal }, ..task }, r, u);
                let improved = newton.solve(task, effort, r, u);
                outcome =
                    Outcome { iterations: outcome.iterations + between.iterations + improved.iterations, ..improved };
            }
        }
    }
    if settled(&outcome) || outcome.residuals.worst() <= enough {
        return outcome;
    }
    let goal = Goal { tolerance: enough, limit: limit.saturating_sub(outcome.iterations), ..task.goal };
    let last = sweeps(BodyTask { goal, ..task }, r, u);
    Outcome { iterations: outcome.iterations + last.iterations, ..last }
}
