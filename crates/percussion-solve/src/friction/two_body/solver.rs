//! Solvers for [`TwoBodyProblem`] that work on the bodies' velocities: 10⁵ contacts without W.
//!
//!   Gauss–Seidel   r_i ← the reaction of contact i alone,    v_a, v_b ← v + M⁻¹H_iᵀ Δr_i
//!   gradient       u = H (v₀ + M⁻¹Hᵀr) + w, products for `apgd`
//!
//! Beside the problem a contact costs r, u, b, ρ and the local solver: under 1 kB in all in space.

use crate::friction::gradient::apgd::Apgd;
use crate::friction::gradient::product::Product;
use crate::friction::local::plane::Plane;
use crate::friction::local::rolling::Rolling;
use crate::friction::local::space::Space;
use crate::friction::local::{Local, Memory, fixed_point};
use crate::friction::residual::{Sums, natural};
use crate::friction::task::Goal;
use crate::friction::two_body::device::{Device, SweepAnswer};
use crate::friction::two_body::island_solver::Parts;
use crate::friction::two_body::ladder;
use crate::friction::two_body::packet_ball::Balls;
use crate::friction::two_body::packet_solid::Solids;
use crate::friction::two_body::packet_sweeps::{Means, PacketSweeps};
use crate::friction::two_body::problem::Scratch;
use crate::friction::two_body::sweeps::Sweeps;
use crate::friction::{Cone, Stop, TwoBodyProblem};
use crate::memory::Memories;
use crate::report::Outcome;
use crate::{Method, Residuals, SolveReport, SolveStatus, SolverOptions};
use percussion_matrix::phase;

/// Sweeps between exact recomputations of the bodies' velocities.
const REFRESH: usize = 50;
/// Local fixed-point steps where no exact solution is offered.
const FIXED_POINT_STEPS: usize = 50;
/// Sweeps between looks at the residuals.
const LOOK: usize = 10;
/// Contacts from which threads are worth having outside the sweeps.
const MANY: usize = 10_000;

/// What a method does on the bodies' velocities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnBodies {
    /// Block Gauss–Seidel.
    GaussSeidel,
    /// Accelerated projected gradient.
    Gradient,
    /// Sweeps with momentum, in packets of contacts side by side where their kind permits, each island of contacts by
    /// itself: for methods that need W.
    Momentum,
}

/// The solver with its options and its reusable work memory.
///
/// `nsgs` is block Gauss–Seidel on the bodies' velocities, `apgd` accelerated projected gradient, every other name sweeps
/// with momentum, in packets of contacts side by side where their kind permits, each island of contacts by itself.
#[derive(Debug, Default)]
pub struct TwoBodySolver {
    /// How to solve.
    pub options: SolverOptions,
    /// When to give up from outside.
    pub stop: Stop,
    /// Threads that islands, and the colours of a large one, are shared among; 0 and 1 are this one. The result does not depend on
    /// it.
    pub threads: usize,
    /// A machine that many contacts in space are swept by; the result does not depend on it.
    pub device: Option<Device>,
    parts: Parts,
    u: Vec<f64>,
    b: Vec<f64>,
    rho: Vec<f64>,
    apgd: Apgd,
    balls: PacketSweeps<Balls>,
    solids: PacketSweeps<Solids>,
    memories: Memories,
    plane: Sweeps<2, 4, Plane>,
    space: Sweeps<3, 9, Space>,
    rolling: Sweeps<5, 25, Rolling>,
}

impl TwoBodySolver {
    /// A solver without memory yet.
    pub fn new(options: SolverOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Improves r, which holds a first guess, leaves the bodies' velocities in v, and says how it went.
    pub fn solve(&mut self, problem: &TwoBodyProblem, r: &mut [f64], v: &mut [[f64; 6]]) -> SolveReport {
        phase::enter("islands");
        let islands = self.way() == OnBodies::Momentum;
        let sizes = problem.is_well_formed_by(self.threads) && r.len() == problem.w.len() && v.len() == problem.v.len();
        if !islands || !sizes || problem.is_empty() {
            return self.solve_whole(problem, r, v);
        }
        let mut parts = std::mem::take(&mut self.parts);
        let report = parts.solve(problem, self, r);
        self.parts = parts;
        phase::enter("velocities of bodies");
        let Some(report) = report else { return self.solve_whole(problem, r, v) };
        problem.body_velocities_by(r, v, self.threads);
        report
    }

    /// What the method asked for does here.
    fn way(&self) -> OnBodies {
        self.options.method.entry().friction.map_or(OnBodies::Momentum, |friction| friction.on_bodies)
    }

    /// The sums that the residuals of r are made of, for the problem solved last.
    pub(crate) fn sums(&self, problem: &TwoBodyProblem, r: &[f64], scratch: &mut Scratch) -> Sums {
        if self.b.len() == r.len() && self.rho.len() == problem.len() {
            problem.sums_of(r, (&self.b, &self.rho), scratch)
        } else {
            problem.sums_in(r, scratch)
        }
    }

    /// Solves without a look at islands.
    pub(crate) fn solve_whole(&mut self, problem: &TwoBodyProblem, r: &mut [f64], v: &mut [[f64; 6]]) -> SolveReport {
        let way = self.way();
        let method = match way {
            OnBodies::GaussSeidel | OnBodies::Gradient => self.options.method,
            OnBodies::Momentum => Method::Auto,
        };
        let mut report =
            SolveReport { status: SolveStatus::NotConverged, method, iterations: 0, residuals: Residuals::INFINITE };
        if !problem.is_well_formed_by(self.threads) || r.len() != problem.w.len() || v.len() != problem.v.len() {
            r.fill(0.0);
            return report;
        }
        if problem.is_empty() {
            v.copy_from_slice(&problem.v);
            return SolveReport { status: SolveStatus::Solved, residuals: Residuals::default(), ..report };
        }
        if !r.iter().all(|x| x.is_finite()) {
            r.fill(0.0);
        }
        let mut outcome = match problem.dim {
            2 => self.solve_sized::<2, 4, Plane>(problem, r, v, way, |s| &mut s.plane),
            3 => self.solve_sized::<3, 9, Space>(problem, r, v, way, |s| &mut s.space),
            _ => self.solve_sized::<5, 25, Rolling>(problem, r, v, way, |s| &mut s.rolling),
        };

        // nothing that is not a number leaves the solver
        if outcome.residuals.worst() == f64::INFINITY {
            r.fill(0.0);
            outcome.residuals = problem.residuals(r);
            problem.body_velocities(r, v);
        }
        report.iterations = outcome.iterations;
        report.residuals = outcome.residuals;
        report.judge(&self.options, &self.stop);
        report
    }

    /// Improves r and leaves the bodies' velocities in v.
    fn solve_sized<const D: usize, const D2: usize, L: Local<D>>(
        &mut self,
        problem: &TwoBodyProblem,
        r: &mut [f64],
        v: &mut [[f64; 6]],
        way: OnBodies,
        sweeps_of: impl Fn(&mut Self) -> &mut Sweeps<D, D2, L>,
    ) -> Outcome {
        phase::enter("problem set up");
        let mut single = std::mem::take(sweeps_of(self));
        let Self { options, stop, threads, device, u, b, rho, apgd, balls, solids, memories, .. } = self;
        let threads = (*threads).max(1);
        let goal =
            Goal { tolerance: options.tolerance, enough: options.acceptable(), limit: options.max_iterations, stop };
        u.resize(r.len(), 0.0);
        b.resize(r.len(), 0.0);
        let team = if problem.len() < MANY { 1 } else { threads };
        problem.free_velocities::<D>(b, team);
        problem.steps_by(rho, team);
        let outcome = match way {
            OnBodies::GaussSeidel => sweeps::<D, D2, L>(&mut Bodies { problem, b, rho, v }, goal, r, u),
            OnBodies::Gradient => apgd.solve::<D, _>(&mut Bodies { problem, b, rho, v }, goal, r, u),
            OnBodies::Momentum => {
                let task = BodyTask { problem, b, rho, goal };
                let mut sweeps = |task: BodyTask, r: &mut [f64], u: &mut [f64]| {
                    let means = Means { threads, device: device.as_ref() };
                    if balls.prepare(problem, threads) {
                        balls.solve(task, means, &mut SweepAnswer { r, u, v })
                    } else if solids.prepare(problem, threads) {
                        solids.solve(task, means, &mut SweepAnswer { r, u, v })
                    } else {
                        let outcome = single.solve(task, r, u);
                        problem.body_velocities(r, v);
                        outcome
                    }
                };
                let outcome = ladder::climb::<D, D2>(task, &mut sweeps, memories.get(), r, u);
                if ladder::may_have_left_sweeps(problem) {
                    problem.body_velocities(r, v);
                }
                outcome
            }
        };
        *sweeps_of(self) = single;
        match way {
            OnBodies::GaussSeidel | OnBodies::Gradient => problem.body_velocities(r, v),
            OnBodies::Momentum => {}
        }
        outcome
    }
}

/// What sweeps with momentum are given.
#[derive(Clone, Copy)]
pub(crate) struct BodyTask<'a> {
    pub problem: &'a TwoBodyProblem,
    /// b = H v₀ + w, d n [m/s].
    pub b: &'a [f64],
    /// ρ_i = 1/‖W_ii‖₂, n [kg].
    pub rho: &'a [f64],
    pub goal: Goal<'a>,
}

/// Products through the bodies' velocities.
struct Bodies<'a> {
    problem: &'a TwoBodyProblem,
    b: &'a [f64],
    rho: &'a [f64],
    v: &'a mut [[f64; 6]],
}

impl Product for Bodies<'_> {
    fn b(&self) -> &[f64] {
        self.b
    }

    fn rho(&self) -> &[f64] {
        self.rho
    }

    fn cone(&self, i: usize) -> Cone {
        self.problem.cone(i)
    }

    fn velocity(&mut self, r: &[f64], u: &mut [f64]) {
        self.problem.body_velocities(r, self.v);
        self.problem.contact_velocities(self.v, u);
    }
}

/// A contact as the sweeps meet it.
#[derive(Clone, Copy)]
struct Visit<const D2: usize, L> {
    block: [f64; D2],
    local: L,
    memory: Memory,
}

/// Block Gauss–Seidel until both residuals are within the tolerance.
fn sweeps<const D: usize, const D2: usize, L: Local<D>>(
    bodies: &mut Bodies,
    goal: Goal,
    r: &mut [f64],
    u: &mut [f64],
) -> Outcome {
    let problem = bodies.problem;
    let mut visits: Vec<Visit<D2, L>> = (0..problem.len())
        .map(|i| {
            let block = problem.diagonal_block::<D, D2>(i);
            Visit { block, local: L::new(&block, problem.cone(i)), memory: [0.0; 2] }
        })
        .collect();
    bodies.velocity(r, u);
    let mut residuals = bodies.residuals::<D>(r, u);
    let mut iterations = 0;
    while iterations < goal.limit && residuals.worst() > goal.tolerance && !goal.stop.requested() {
        sweep(problem, bodies.rho, &mut visits, r, bodies.v, iterations % 2 == 1);
        iterations += 1;
        if iterations % REFRESH == 0 {
            problem.body_velocities(r, bodies.v);
        }
        if iterations % LOOK == 0 || iterations == goal.limit {
            problem.contact_velocities(bodies.v, u);
            residuals = natural::<D>(bodies.b, |i| problem.cone(i), bodies.rho, r, u);
            if residuals.worst() <= goal.tolerance {
                // what is accepted is judged by exact velocities
                bodies.velocity(r, u);
                residuals = bodies.residuals::<D>(r, u);
            } else if residuals.worst() == f64::INFINITY {
                break;
            }
        }
    }
    bodies.velocity(r, u);
    Outcome { iterations, residuals: bodies.residuals::<D>(r, u) }
}

/// All contacts once, there or back.
fn sweep<const D: usize, const D2: usize, L: Local<D>>(
    problem: &TwoBodyProblem,
    rho: &[f64],
    visits: &mut [Visit<D2, L>],
    r: &mut [f64],
    v: &mut [[f64; 6]],
    back: bool,
) {
    let r = r.as_chunks_mut::<D>().0;
    let w = problem.w.as_chunks::<D>().0;
    let n = r.len();
    for k in 0..n {
        let i = if back { n - 1 - k } else { k };
        let old = r[i];
        let mut b = problem.relative::<D>(i, v);
        let visit = &mut visits[i];
        for k in 0..D {
            b[k] += w[i][k];
            for c in 0..D {
                b[k] -= visit.block[c * D + k] * old[c];
            }
        }
        let new = match visit.local.solve(&b, &old, &mut visit.memory) {
            Some(new) => new,
            None => fixed_point(&visit.block, problem.cone(i), rho[i], &b, &old, FIXED_POINT_STEPS),
        };
        let mut delta = [0.0; D];
        for k in 0..D {
            delta[k] = new[k] - old[k];
        }
        if delta.iter().any(|&x| x != 0.0) {
            r[i] = new;
            problem.push::<D>(i, &delta, v);
        }
    }
}
