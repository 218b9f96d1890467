//! The convergence test: errors over a range of steps and the order fitted to them.

use crate::measure::error::{OrderFit, fit_order, l1, relative_l1};
use crate::measure::exact::Exact;
use crate::simulate;
use crate::{Outcome, Problem, Scheme, StepFailure, Trajectory};
use percussion_model::InputError;
use percussion_solve::SolverOptions;

/// One step size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvergenceRow {
    /// h [s].
    pub h: f64,
    /// L1 error of q, summed over the coordinates.
    pub l1_q: f64,
    /// L1 error of v, summed over the coordinates.
    pub l1_v: f64,
    /// Relative L1 error of q.
    pub relative_q: f64,
    /// Relative L1 error of v.
    pub relative_v: f64,
    /// Steps made.
    pub steps: usize,
}

/// Errors over a range of steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConvergenceTable {
    /// One row per step size.
    pub rows: Vec<ConvergenceRow>,
}

impl ConvergenceTable {
    /// Order of the L1 error of q.
    pub fn order_q(&self) -> Option<OrderFit> {
        self.fit(|row| row.l1_q)
    }

    /// Order of the L1 error of v.
    pub fn order_v(&self) -> Option<OrderFit> {
        self.fit(|row| row.l1_v)
    }

    fn fit(&self, pick: fn(&ConvergenceRow) -> f64) -> Option<OrderFit> {
        let steps: Vec<f64> = self.rows.iter().map(|row| row.h).collect();
        let errors: Vec<f64> = self.rows.iter().map(pick).collect();
        fit_order(&steps, &errors)
    }
}

/// Why a convergence test ended early.
#[derive(Debug)]
pub enum ConvergenceFailure {
    /// The problem, scheme or step was refused.
    Input(InputError),
    /// A step could not be made.
    Step(StepFailure),
}

impl std::fmt::Display for ConvergenceFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Input(error) => error.fmt(f),
            Self::Step(failure) => failure.fmt(f),
        }
    }
}

impl std::error::Error for ConvergenceFailure {}

/// Runs the problem to `end` with each step and measures against the exact motion.
pub fn converge(
    problem: &Problem,
    scheme: &Scheme,
    options: SolverOptions,
    end: f64,
    steps: &[f64],
    exact: &dyn Exact,
) -> Result<ConvergenceTable, ConvergenceFailure> {
    let mut table = ConvergenceTable::default();
    for &h in steps {
        let mut run = Trajectory::new();
        match simulate(problem, scheme, options, h, end, &mut run).map_err(ConvergenceFailure::Input)? {
            Outcome::Failed(failure) => return Err(ConvergenceFailure::Step(failure)),
            Outcome::Finished | Outcome::Stopped(_) => {}
        }
        let flat = |of: &dyn Fn(f64) -> Vec<f64>| run.t.iter().flat_map(|&t| of(t)).collect::<Vec<f64>>();
        let (q, v) = (flat(&|t| exact.q(t)), flat(&|t| exact.v(t)));
        table.rows.push(ConvergenceRow {
            h,
            l1_q: l1(h, &run.q, &q),
            l1_v: l1(h, &run.v, &v),
            relative_q: relative_l1(&run.q, &q),
            relative_v: relative_l1(&run.v, &v),
            steps: run.len() - 1,
        });
    }
    Ok(table)
}
