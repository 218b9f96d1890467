//! The friction solver: its work memory and the way from a method's name to its code.

use super::admm::Admm;
use super::anderson::{Anderson, Patience};
use super::apgd::{Apgd, Goal};
use super::extragradient::Extragradient;
use super::gauss_seidel::{GaussSeidel, Order};
#[cfg(feature = "interior-point")]
use super::interior_point::InteriorPoint;
use super::local::Local;
use super::local_plane::Plane;
use super::local_rolling::Rolling;
use super::local_space::Space;
use super::newton::Newton;
use super::newton_fb::NewtonFb;
use super::prox_newton::{ProxNewton, START};
use super::residual::steps;
use super::task::Task;
use super::thresholds::{Threshold, Thresholds};
use super::{FrictionProblem, Stop, auto};
use crate::lcp::Outcome;
use crate::{Method, Residuals, SolveReport, SolveStatus, SolverOptions};

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

/// The memory of all methods for contacts of D components; grows when needed, never shrinks.
#[derive(Debug, Default)]
pub(crate) struct Work<const D: usize, const D2: usize, L> {
    /// ρ_i = 1/‖W_ii‖ of the revision below, n [kg].
    pub rho: Vec<f64>,
    rho_revision: u64,
    /// u of the answer [m/s].
    pub u: Vec<f64>,
    pub sweeper: GaussSeidel<D, D2, L>,
    pub anderson: Anderson,
    pub newton: Newton<D, D2>,
    pub prox: ProxNewton,
    pub apgd: Apgd,
    pub extragradient: Extragradient,
    pub thresholds: Thresholds,
    pub admm: Admm,
    pub fb: NewtonFb<D, D2>,
    #[cfg(feature = "interior-point")]
    pub interior: InteriorPoint,
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
            return report(SolveStatus::NotConverged, options.method, 0, Residuals::INFINITE);
        }
        if problem.is_empty() {
            return report(SolveStatus::Solved, options.method, 0, Residuals::default());
        }
        if !r.iter().all(|x| x.is_finite()) {
            r.fill(0.0);
        }
        match problem.dim() {
            2 => solve(plane, problem, r, options, stop),
            3 => solve(space, problem, r, options, stop),
            _ => solve(rolling, problem, r, options, stop),
        }
    }
}

fn solve<const D: usize, const D2: usize, L: Local<D>>(
    work: &mut Work<D, D2, L>,
    problem: &FrictionProblem,
    r: &mut [f64],
    options: &SolverOptions,
    stop: &Stop,
) -> SolveReport {
    work.prepare(problem);
    let rho = std::mem::take(&mut work.rho);
    let task = Task { problem, rho: &rho, tolerance: options.tolerance, limit: options.max_iterations, stop };
    let mut outcome = match options.method {
        method if method.solves_friction() && method != Method::Auto => {
            let Outcome { iterations, residuals } = single_method(work, &task, r, method);
            report(SolveStatus::NotConverged, method, iterations, residuals)
        }
        _ => auto::solve(work, &task, r),
    };

    // nothing that is not a number leaves the solver
    if outcome.residuals.worst() == f64::INFINITY {
        r.fill(0.0);
        outcome.residuals = task.judge(r, &mut work.u);
    }
    work.rho = rho;
    if outcome.residuals.worst() <= options.tolerance {
        outcome.status = SolveStatus::Solved;
    } else if stop.requested() && outcome.status == SolveStatus::NotConverged {
        outcome.status = SolveStatus::TimeLimit;
    }
    outcome
}

impl<const D: usize, const D2: usize, L: Local<D>> Work<D, D2, L> {
    /// ρ and memory for u.
    fn prepare(&mut self, problem: &FrictionProblem) {
        self.newton.forget();
        if problem.revision == 0 || problem.revision != self.rho_revision || self.rho.len() != problem.len() {
            steps(&problem.W, &mut self.rho);
            self.rho_revision = problem.revision;
        }
        self.u.resize(problem.b.len(), 0.0);
    }
}

/// The method that was asked for and no other; its velocity is left in `work.u`.
pub(crate) fn single_method<const D: usize, const D2: usize, L: Local<D>>(
    work: &mut Work<D, D2, L>,
    task: &Task,
    r: &mut [f64],
    method: Method,
) -> Outcome {
    let Work { u, sweeper, anderson, newton, prox, apgd, extragradient, thresholds, admm, fb, .. } = work;
    let goal = Goal { tolerance: task.tolerance, limit: task.limit, stop: task.stop };
    match method {
        Method::NsgsAnderson => anderson.solve(sweeper, task, Patience::ENDLESS, r, u),
        Method::NewtonAc => {
            // a few sweeps bring Newton near
            sweeper.solve(&task.limited(10), r, u, Order::Natural);
            newton.solve_plain(task, r, u)
        }
        Method::ProxNewton => prox.solve(newton, task, START, r, u),
        Method::NewtonFb => fb.solve(extragradient, task, r, u),
        #[cfg(feature = "interior-point")]
        Method::InteriorPoint => work.interior.solve(sweeper, task, r, u),
        Method::Extragradient => extragradient.solve::<D, _>(&mut task.clone(), goal, r, u),
        Method::Admm => admm.solve::<D>(task, r, u),
        Method::Tresca => thresholds.solve(sweeper, task, Threshold::Tresca, r, u),
        Method::Panagiotopoulos => thresholds.solve(sweeper, task, Threshold::Panagiotopoulos, r, u),
        Method::Apgd => apgd.solve::<D, _>(&mut task.clone(), goal, r, u),
        _ => sweeper.solve(task, r, u, Order::Natural),
    }
}

pub(crate) fn report(status: SolveStatus, method: Method, iterations: usize, residuals: Residuals) -> SolveReport {
    SolveReport { status, method, iterations, residuals }
}
