//! The friction solver: its work memory, and the way from a method's entry to its answer.

use super::gradient::extragradient::Extragradient;
use super::local::Local;
use super::local::plane::Plane;
use super::local::rolling::Rolling;
use super::local::space::Space;
use super::newton::least_change::LeastChange;
use super::newton::newton_ac::Newton;
use super::residual::steps;
use super::sweeps::gauss_seidel::GaussSeidel;
use super::task::Task;
use super::{FrictionProblem, Stop, auto};
use crate::entry::{Friction, FrictionRun};
use crate::memory::Memories;
use crate::{SolveReport, SolverOptions};

/// The solver with its options and its reusable work memory.
///
/// What it keeps between calls are buffers and factorisations of an unchanged W; the answer does not depend on them.
#[derive(Debug, Default)]
pub struct FrictionSolver {
    /// How to solve.
    pub options: SolverOptions,
    /// When to give up from outside.
    pub stop: Stop,
    plane: Work<2, 4, Plane>,
    space: Work<3, 9, Space>,
    rolling: Work<5, 25, Rolling>,
}

/// ρ and the tools for contacts of D components.
#[derive(Debug, Default)]
struct Work<const D: usize, const D2: usize, L> {
    /// ρ_i = 1/‖W_ii‖ of the revision below, n [kg].
    rho: Vec<f64>,
    rho_revision: u64,
    tools: FrictionTools<D, D2, L>,
}

/// The memory the methods work with; grows when needed, never shrinks.
#[derive(Debug, Default)]
pub(crate) struct FrictionTools<const D: usize, const D2: usize, L> {
    /// u of the answer [m/s].
    pub u: Vec<f64>,
    pub sweeper: GaussSeidel<D, D2, L>,
    pub newton: Newton<D, D2>,
    pub extragradient: Extragradient,
    pub memories: Memories,
}

impl FrictionSolver {
    /// A solver without memory yet.
    pub fn new(options: SolverOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Improves r, which holds a first guess (zero, or the last impulses), and says how it went.
    pub fn solve(&mut self, problem: &FrictionProblem, r: &mut [f64]) -> SolveReport {
        let Self { options, stop, plane, space, rolling } = self;
        if r.len() != problem.b.len() || !problem.is_well_formed() {
            r.fill(0.0);
            return SolveReport::malformed(options.method);
        }
        if problem.is_empty() {
            return SolveReport::empty(options.method);
        }
        if !r.iter().all(|x| x.is_finite()) {
            r.fill(0.0);
        }
        // a solver without friction's name: with friction the driver knows better
        let friction = options.method.entry().friction.unwrap_or(auto::FRICTION);
        let Friction { plane: in_plane, space: in_space, rolling: with_rolling, .. } = friction;
        match problem.dim() {
            2 => plane.solve(in_plane, problem, r, options, stop),
            3 => space.solve(in_space, problem, r, options, stop),
            _ => rolling.solve(with_rolling, problem, r, options, stop),
        }
    }
}

impl FrictionSolver {
    /// Follows r, the answer of a problem near this one, with the least change of impulses: shares of redundant contacts stay. The iterations, none where
    /// contacts are too many; how well r then meets the law is not looked at.
    pub fn follow(&mut self, problem: &FrictionProblem, r: &mut [f64]) -> Option<usize> {
        let Self { options, stop, plane, space, rolling } = self;
        if problem.is_empty() || r.len() != problem.b.len() || !problem.is_well_formed() {
            return None;
        }
        match problem.dim() {
            2 => plane.follow(problem, r, options, stop),
            3 => space.follow(problem, r, options, stop),
            _ => rolling.follow(problem, r, options, stop),
        }
    }
}

impl<const D: usize, const D2: usize, L: Local<D>> Work<D, D2, L> {
    fn follow(
        &mut self,
        problem: &FrictionProblem,
        r: &mut [f64],
        options: &SolverOptions,
        stop: &Stop,
    ) -> Option<usize> {
        self.prepare(problem);
        let Self { rho, tools, .. } = self;
        let SolverOptions { tolerance, max_iterations: limit, .. } = *options;
        let task = Task { problem, rho, tolerance, enough: tolerance, limit, stop };
        tools.memories.get::<LeastChange>().solve::<D, D2>(&task, r)
    }

    fn solve(
        &mut self,
        run: FrictionRun<D, D2, L>,
        problem: &FrictionProblem,
        r: &mut [f64],
        options: &SolverOptions,
        stop: &Stop,
    ) -> SolveReport {
        self.prepare(problem);
        let Self { rho, tools, .. } = self;
        let SolverOptions { tolerance, max_iterations: limit, .. } = *options;
        let task = Task { problem, rho, tolerance, enough: options.acceptable(), limit, stop };
        let mut report = run(tools, &task, r);

        // nothing that is not a number leaves the solver
        if report.residuals.worst() == f64::INFINITY {
            r.fill(0.0);
            report.residuals = task.judge(r, &mut tools.u);
        }
        report.judge(options, stop);
        report
    }

    /// ρ and memory for u.
    fn prepare(&mut self, problem: &FrictionProblem) {
        self.tools.newton.forget();
        if problem.revision == 0 || problem.revision != self.rho_revision || self.rho.len() != problem.len() {
            steps(&problem.W, &mut self.rho);
            self.rho_revision = problem.revision;
        }
        self.tools.u.resize(problem.b.len(), 0.0);
    }
}
