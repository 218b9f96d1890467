//! The driver: the cheapest method first, the surest last, the common residuals as judge.
//!
//!   sweeps, as long as they promise to end soon
//!   → proximal Newton for a while where a factorisation is cheap, accelerated sweeps where it is not
//!   → the central path, proximal and plain Newton → interior points where contacts are few
//!   → misfits of redundant contacts stretched → the other of the two → is there a solution at all?
//!   → both again with more patience → plain sweeps → held thresholds, from zero
//!
//! Most start from the best reactions so far. A method that stalls or cycles says so by its own patience; the driver
//! only compares residuals.

use super::local::Local;
use super::newton::central_path::CentralPath;
use super::newton::prox_newton::{ProxNewton, START};
use super::residual::EXCUSED;
use super::solver::FrictionTools;
use super::splitting::interior_point;
use super::sweeps::Order;
use super::sweeps::anderson::{Anderson, Patience};
use super::sweeps::thresholds::{Threshold, Thresholds};
use super::task::Task;
use super::two_body::OnBodies;
use super::{contradiction, stretch};
use crate::entry::{Friction, FrictionMethod};
use crate::report::Outcome;
use crate::{Method, Residuals, SolveReport, SolveStatus};
use percussion_matrix::math;

/// Sweeps at whose end the residual is looked at, in the first phase.
const LOOKS: [usize; 9] = [1, 2, 4, 7, 11, 16, 24, 36, 50];
/// Further sweeps that are cheaper than the symbolic part of a factorisation.
const FEW: f64 = 25.0;
/// A block product of the factorisation costs so much more than a block of a sweep.
const PRODUCT: f64 = 4.0;
/// Sweeps for which a factorisation may be paid.
const WORTH: f64 = 25.0;

/// Iterations in all where the residuals are good enough.
const CHEAP: usize = 150;

/// First ε of Newton where it starts near a solution.
const SMALL_START: f64 = 1e-5;
/// Steps of the central path; it takes 10 to 50, or does not arrive.
const STEPS: usize = 200;
/// Iterations of interior points in all; contacts of very different masses take some 300.
const INTERIOR: usize = 500;

/// Contacts up to which interior points are worth their time: sweeps hand on next to nothing between a heavy body and a light one below it, and
/// Newton's systems lose the light one's digits.
const MANAGEABLE: usize = 150;
/// Contacts, and the residual that is good enough for so few: what 1e-6 of a heavy body's impulse leaves makes a light one fall.
const FEW_CONTACTS: usize = 12;
const SHARP: f64 = 1e-8;

/// Limits from here on grow for problems of fewer blocks than `SMALL`, at most by `MOST`.
const PLENTY: usize = 10_000;
const SMALL: usize = 10_000;
const MOST: usize = 30;

/// The driver as a method.
pub(crate) struct Ladder;

/// What takes the place of methods that do not know friction.
pub(crate) const FRICTION: Friction = Friction::of::<Ladder>(OnBodies::Momentum);

impl FrictionMethod for Ladder {
    fn run<const D: usize, const D2: usize, L: Local<D>>(
        tools: &mut FrictionTools<D, D2, L>,
        task: &Task,
        r: &mut [f64],
    ) -> SolveReport {
        if self_stressed(task, r) {
            r.fill(0.0);
        }
        let task = &Task { limit: limit(task), ..*task };
        let first = first_sweeps(tools, task, r);
        if first.residuals.worst() <= task.tolerance {
            return first.report(Method::Nsgs, SolveStatus::Solved);
        }
        climb(tools, task, first, r)
    }
}

/// The rungs in turn, most from the best reactions so far, until one answer is good.
fn climb<const D: usize, const D2: usize, L: Local<D>>(
    tools: &mut FrictionTools<D, D2, L>,
    task: &Task,
    first: Outcome,
    r: &mut [f64],
) -> SolveReport {
    let mut best =
        Best { r: r.to_vec(), residuals: first.residuals, method: Method::Nsgs, iterations: first.iterations };
    let mut settled = false;
    let (few, manageable) = (task.problem.len() <= FEW_CONTACTS, task.problem.len() <= MANAGEABLE);
    for rung in rungs(factorisation_is_cheap(tools, task), manageable) {
        // what is good enough is improved as long as that is cheap
        let good = best.residuals.worst() <= task.enough;
        let sharper = few && best.residuals.worst() > SHARP && matches!(rung, Rung::InteriorPoint);
        let limit = if good && !sharper { task.limit.min(CHEAP) } else { task.limit };
        if task.stop.requested() || (best.iterations >= limit && !good) {
            break;
        }
        if best.iterations >= limit {
            continue;
        }
        match rung {
            Rung::FromZero(_) | Rung::Plain(_) | Rung::CentralPath | Rung::InteriorPoint => r.fill(0.0),
            // where many sweeps ended, whatever the residual says: they settle which contacts slide, which Newton does not
            Rung::Newton(_) if settled => {}
            Rung::Newton(_)
            | Rung::FirstNewton(_)
            | Rung::Contradiction
            | Rung::Anderson(_)
            | Rung::Sweeps(_)
            | Rung::Stretch => {
                r.copy_from_slice(&best.r);
            }
        }
        settled = matches!(rung, Rung::Sweeps(_) | Rung::FromZero(_));
        let task = &task.limited(limit - best.iterations);
        let FrictionTools { u, sweeper, newton, memories, .. } = tools;
        let (method, outcome) = match rung {
            Rung::Newton(start) => (Method::ProxNewton, memories.get::<ProxNewton>().solve(newton, task, start, r, u)),
            Rung::FirstNewton(count) => {
                let task = &task.limited(count);
                (Method::ProxNewton, memories.get::<ProxNewton>().solve(newton, task, START, r, u))
            }
            Rung::CentralPath => {
                (Method::CentralPath, memories.get::<CentralPath>().solve(newton, &task.limited(STEPS), r, u))
            }
            Rung::InteriorPoint => {
                match interior_point::solve(memories, sweeper, &task.limited(INTERIOR), (&mut *r, &mut *u)) {
                    Some(outcome) => (Method::InteriorPoint, outcome),
                    None => continue,
                }
            }
            Rung::Anderson(sweeps) => {
                let patience = Patience { progress: 0.5, sweeps };
                (Method::NsgsAnderson, memories.get::<Anderson>().solve(sweeper, task, patience, r, u))
            }
            Rung::Plain(count) => {
                // a few sweeps bring Newton near
                sweeper.solve(&task.limited(10), r, u, Order::Natural);
                (Method::NewtonAc, newton.solve_plain(&task.limited(count), r, u))
            }
            Rung::Contradiction if contradiction::proved::<D>(task) => {
                r.copy_from_slice(&best.r);
                return best.report(SolveStatus::NoSolution);
            }
            Rung::Contradiction => continue,
            Rung::Stretch => match stretch::solve(tools, task, r) {
                Some(outcome) => (Method::ProxNewton, outcome),
                None => continue,
            },
            Rung::FromZero(count) => {
                let thresholds = memories.get::<Thresholds>();
                (Method::Tresca, thresholds.solve(sweeper, &task.limited(count), Threshold::Tresca, r, u))
            }
            Rung::Sweeps(count) => (Method::Nsgs, sweeper.solve(&task.limited(count), r, u, Order::Natural)),
        };
        best.offer(r, method, outcome);
        if best.residuals.worst() <= task.tolerance {
            break;
        }
    }
    r.copy_from_slice(&best.r);
    best.report(SolveStatus::NotConverged)
}

/// The ladder after the first sweeps.
fn rungs(cheap: bool, manageable: bool) -> impl Iterator<Item = Rung> {
    // what Newton does not do soon it seldom does: redundant contacts make it creep
    let newton = [Rung::CentralPath, Rung::Newton(START), Rung::Newton(SMALL_START), Rung::Plain(100)];
    let (before, after): (&[Rung], &[Rung]) = if cheap {
        (&[Rung::FirstNewton(60)], &[Rung::Stretch, Rung::Anderson(400)])
    } else {
        (&[Rung::Anderson(400), Rung::Stretch], &[])
    };
    // another ε leads a method that wandered off along another path
    let later = [
        Rung::Contradiction,
        Rung::Newton(0.1),
        Rung::Newton(SMALL_START),
        Rung::Anderson(4000),
        Rung::Newton(0.01),
        Rung::Sweeps(20_000),
        Rung::Newton(START),
        Rung::FromZero(200_000),
        Rung::Newton(START),
    ];
    let interior = manageable.then_some(Rung::InteriorPoint);
    before.iter().copied().chain(newton).chain(interior).chain(after.iter().copied()).chain(later)
}

/// Whether r carries more self-stress than a start should: jammed contacts hand it on from solve to solve, and it grows.
fn self_stressed(task: &Task, r: &[f64]) -> bool {
    let (mut rr, mut rb) = (0.0, 0.0);
    for (k, (r, b)) in r.iter().zip(&task.problem.b).enumerate() {
        let load = task.rho[k / task.problem.dim()] * b;
        rr += r * r;
        rb += load * load;
    }
    rr > EXCUSED * EXCUSED * rb
}

/// Iterations in all. A limit of ten thousand or more is one of time, and small problems take little of it.
fn limit(task: &Task) -> usize {
    if task.limit < PLENTY {
        return task.limit;
    }
    task.limit.saturating_mul((SMALL / task.problem.W.n_stored().max(1)).clamp(1, MOST))
}

/// One rung of the ladder, with its patience.
#[derive(Clone, Copy)]
enum Rung {
    /// The first ε.
    Newton(f64),
    /// So many iterations at most.
    FirstNewton(usize),
    /// From inside all cones: redundant contacts, of which nobody knows yet which ones carry.
    CentralPath,
    /// Accurate where masses are very different.
    InteriorPoint,
    /// Without a shift and from zero: redundant contacts that creep under any shift are often regular enough.
    Plain(usize),
    /// A proof that there is no solution.
    Contradiction,
    Anderson(usize),
    Sweeps(usize),
    /// Redundant contacts that do not fit together.
    Stretch,
    /// Held thresholds from zero: nearly jammed piles have regions that all other methods wander about in.
    FromZero(usize),
}

/// The best reactions so far.
struct Best {
    r: Vec<f64>,
    residuals: Residuals,
    method: Method,
    iterations: usize,
}

impl Best {
    fn offer(&mut self, r: &[f64], method: Method, outcome: Outcome) {
        self.iterations += outcome.iterations;
        if outcome.residuals.worst() < self.residuals.worst() {
            self.r.copy_from_slice(r);
            self.residuals = outcome.residuals;
            self.method = method;
        }
    }

    fn report(&self, status: SolveStatus) -> SolveReport {
        Outcome { iterations: self.iterations, residuals: self.residuals }.report(self.method, status)
    }
}

/// Sweeps while the tolerance is in sight.
fn first_sweeps<const D: usize, const D2: usize, L: Local<D>>(
    tools: &mut FrictionTools<D, D2, L>,
    task: &Task,
    r: &mut [f64],
) -> Outcome {
    let FrictionTools { u, sweeper, .. } = tools;
    let mut residuals = task.judge(r, u);
    let mut iterations = 0;
    if residuals.worst() <= task.tolerance {
        return Outcome { iterations, residuals };
    }
    sweeper.prepare(task.problem);
    let mut last = residuals.worst();
    for look in LOOKS {
        let before = iterations;
        sweeper.without_own(r, u);
        while iterations < look.min(task.limit) {
            let change = sweeper.sweep(task.problem, task.rho, r, u, Order::Natural);
            iterations += 1;
            if change == 0.0 || task.stop.requested() {
                break;
            }
        }
        sweeper.with_own(r, u);
        residuals = task.residuals(r, u);
        if residuals.worst() <= task.tolerance {
            // what is accepted is judged by exact velocities
            residuals = task.judge(r, u);
        }
        if residuals.worst() <= task.tolerance || iterations < look || task.stop.requested() {
            break;
        }
        // sweeps still to come at the rate of the last ones
        let rate = math::ln(residuals.worst() / last) / (iterations - before) as f64;
        let ahead = math::ln(task.tolerance / residuals.worst()) / rate;
        if iterations >= 7 && !(rate < 0.0 && ahead <= FEW) {
            break;
        }
        last = residuals.worst();
    }
    Outcome { iterations, residuals: task.judge(r, u) }
}

/// Whether a factorisation of the Newton matrix costs no more than some sweeps.
fn factorisation_is_cheap<const D: usize, const D2: usize, L: Local<D>>(
    tools: &mut FrictionTools<D, D2, L>,
    task: &Task,
) -> bool {
    let products = tools.newton.block_products(task.problem);
    PRODUCT * products <= WORTH * (task.problem.W.n_stored() as f64 + 10.0 * task.problem.len() as f64)
}
