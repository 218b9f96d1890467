//! Contacts whose law speaks of the gap at the end of the step, all candidates of a linear model at once.
//!
//!   0 ≤ b + W x ⟂ x ≥ 0,    W = c GᵀA,    b the gaps without x
//!
//! Only contacts that touch are listed: the index set begins with those that push or would penetrate and grows until no
//! other gap is negative, so that the solution is that of all candidates.

use crate::linear::operators::Operators;
use crate::{StepFailure, StepInfo};
use percussion_model::LinearModel;
use percussion_solve::{OneStepProblem, OneStepSolver, SolveStatus, Solver, SolverOptions};
use std::sync::Arc;

/// Contacts of a coupled system at once: W is then a full matrix, 3.2 GB at this size.
const LARGEST_DENSE: usize = 20_000;
/// Gaps this far below zero, relative to the largest, are round-off.
const ROUND_OFF: f64 = 1e-16;
/// What the residuals of these problems must reach: energy is kept to this.
const TOLERANCE: f64 = 1e-13;

/// The problem with its buffers.
#[derive(Debug)]
pub struct EndGaps {
    model: Arc<LinearModel>,
    solver: Solver,
    problem: OneStepProblem,
    /// The contacts listed, by rising number.
    pub index: Vec<usize>,
    previous: Vec<usize>,
    assembled_for: Option<u64>,
    x: Vec<f64>,
    /// Σ A_j x_j of the last solution.
    pub response: Vec<f64>,
}

impl EndGaps {
    /// For the contacts of a model.
    pub fn new(model: &Arc<LinearModel>, options: SolverOptions) -> Self {
        let options = SolverOptions { tolerance: options.tolerance.min(TOLERANCE), ..options };
        Self {
            solver: Solver::new(options),
            problem: OneStepProblem::empty(),
            index: Vec::new(),
            previous: Vec::new(),
            assembled_for: None,
            x: Vec::new(),
            response: vec![0.0; model.n()],
            model: Arc::clone(model),
        }
    }

    /// The last problem and its answer.
    pub fn last(&self) -> (&OneStepProblem, &[f64]) {
        (&self.problem, &self.x)
    }

    /// Lists the contacts that push or whose gap b would be negative.
    pub fn begin(&mut self, b: &[f64], x: &[f64]) {
        self.index.clear();
        self.index.extend((0..b.len()).filter(|&j| b[j] <= 0.0 || x[j] > 0.0));
    }

    /// Solves for all candidates; x holds a first guess and then the solution. The index set only grows.
    pub fn solve(
        &mut self,
        (t, h): (f64, f64),
        operators: &mut Operators,
        b: &[f64],
        x: &mut [f64],
    ) -> Result<StepInfo, StepFailure> {
        let mut info = StepInfo::default();
        let largest = b.iter().fold(0.0, |size: f64, b| size.max(b.abs()));
        loop {
            self.solve_listed((t, h), operators, b, x, &mut info)?;
            let before = self.index.len();
            for j in 0..b.len() {
                let gap = b[j] + operators.weight() * self.model.G().column_dot(j, &self.response);
                if gap < -ROUND_OFF * largest && !self.index[..before].contains(&j) {
                    self.index.push(j);
                }
            }
            if self.index.len() == before {
                return Ok(info);
            }
            self.index.sort_unstable();
        }
    }

    fn solve_listed(
        &mut self,
        (t, h): (f64, f64),
        operators: &mut Operators,
        b: &[f64],
        x: &mut [f64],
        info: &mut StepInfo,
    ) -> Result<(), StepFailure> {
        self.response.fill(0.0);
        self.x.clear();
        self.x.extend(self.index.iter().map(|&j| x[j]));
        x.fill(0.0);
        if self.index.is_empty() {
            return Ok(());
        }
        let key = h.to_bits();
        if self.assembled_for != Some(key) || self.previous != self.index {
            if self.index.len() > LARGEST_DENSE {
                return Err(StepFailure::too_large(t, h, self.index.len(), LARGEST_DENSE));
            }
            operators.ensure_all(&self.model, self.index.iter().copied());
            operators.response.delassus(self.model.G(), &self.index, &mut self.problem.W);
            self.problem.ids.clone_from(&self.index);
            self.problem.revision += 1;
            self.previous.clone_from(&self.index);
            self.assembled_for = Some(key);
        }
        self.problem.b.clear();
        self.problem.b.extend(self.index.iter().map(|&j| b[j]));
        if let Some(k) = self.problem.b.iter().position(|b| !b.is_finite()) {
            let coordinate = self.model.contacts()[self.index[k]].normal[0].0;
            return Err(StepFailure::not_finite(t, h, coordinate));
        }
        let report = self.solver.solve(&self.problem, &mut self.x);
        info.repeat(&StepInfo::of(&report));
        if report.status != SolveStatus::Solved {
            return Err(StepFailure::unsolved(t, h, &self.problem, &report));
        }
        for (&j, value) in self.index.iter().zip(&mut self.x) {
            *value = value.max(0.0);
            x[j] = *value;
        }
        let found = self.index.iter().copied().zip(self.x.iter().copied());
        operators.push(&self.model, found, &mut self.response);
        Ok(())
    }
}
