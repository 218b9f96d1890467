//! Semismooth Newton on the Fischer–Burmeister function of the cone, started by extragradient.
//!
//!   (G_r + G_u W + ε1) δr = −φ(r, u),    ε ~ ‖φ‖
//!
//! A line search on ‖φ‖ chooses the step. ε keeps the matrix regular for redundant contacts and fades at the solution.
//! Where no step makes ‖φ‖ fall, extragradient moves on for a while. Two or three components: with five the cone is no
//! second-order cone, and extragradient is all that is done.

use crate::Method;
use crate::entry::friction_method;
use crate::friction::gradient::extragradient::Extragradient;
use crate::friction::newton::jordan::Jordan;
use crate::friction::solver::FrictionTools;
use crate::friction::task::Goal;
use crate::friction::task::Task;
use crate::report::Outcome;
use percussion_matrix::{DenseMatrix, Factor, Matrix, SparseMatrix};

/// Up to so many unknowns the system is dense.
const DENSE: usize = 360;
/// Extragradient steps before the first Newton step, and after a failure.
const START: usize = 50;
/// Largest ε, dimensionless.
const REGULARISATION: f64 = 1e-3;
/// Shortest step of the line search.
const SHORTEST: f64 = 1e-4;

friction_method! {
    /// The method; its entry stands with the one for problems without friction.
    FischerBurmeister(tools, task, r) {
        let FrictionTools { u, extragradient, memories, .. } = tools;
        memories.get::<NewtonFb<D, D2>>().solve(extragradient, task, r, u).unjudged(Method::NewtonFb)
    }
}

/// The method with its work memory.
#[derive(Debug, Default)]
pub(crate) struct NewtonFb<const D: usize, const D2: usize> {
    laws: Vec<Jordan<D, D2>>,
    step: Vec<f64>,
    du: Vec<f64>,
    trial: Vec<f64>,
    u_trial: Vec<f64>,
    best: Vec<f64>,
}

impl<const D: usize, const D2: usize> NewtonFb<D, D2> {
    /// Improves r and leaves its velocity in u.
    pub fn solve(&mut self, start: &mut Extragradient, task: &Task, r: &mut [f64], u: &mut [f64]) -> Outcome {
        let goal = |limit| Goal { tolerance: task.tolerance, enough: task.enough, limit, stop: task.stop };
        if D == 5 {
            return start.solve::<D, _>(&mut task.clone(), goal(task.limit), r, u);
        }
        for x in [&mut self.step, &mut self.du, &mut self.trial, &mut self.u_trial, &mut self.best] {
            x.resize(r.len(), 0.0);
        }
        let first = start.solve::<D, _>(&mut task.clone(), goal(START.min(task.limit)), r, u);
        let mut iterations = first.iterations;
        let mut best = first.residuals.worst();
        self.best.copy_from_slice(r);
        let mut rescue = START;
        while iterations < task.limit && best > task.tolerance && !task.stop.requested() {
            iterations += 1;
            let merit = self.evaluate(task, r, u);
            let advanced = self.direction(task, merit) && self.search(task, merit, r, u);
            if !advanced {
                // extragradient, each time for longer
                r.copy_from_slice(&self.best);
                let outcome = start.solve::<D, _>(&mut task.clone(), goal(rescue.min(task.limit - iterations)), r, u);
                iterations += outcome.iterations;
                rescue *= 2;
            }
            let worst = task.judge(r, u).worst();
            if worst < best {
                best = worst;
                self.best.copy_from_slice(r);
            }
        }
        r.copy_from_slice(&self.best);
        Outcome { iterations, residuals: task.judge(r, u) }
    }

    /// All laws at (r, u), and ‖φ‖.
    fn evaluate(&mut self, task: &Task, r: &[f64], u: &[f64]) -> f64 {
        self.laws.clear();
        let mut sum = 0.0;
        for (i, (r, u)) in r.as_chunks::<D>().0.iter().zip(u.as_chunks::<D>().0).enumerate() {
            let law = Jordan::at(task.problem.cone(i), task.rho[i], r, u);
            for f in law.phi {
                sum += f * f;
            }
            self.laws.push(law);
        }
        sum.sqrt()
    }

    /// Newton's direction in `step`; false when it cannot be had.
    fn direction(&mut self, task: &Task, merit: f64) -> bool {
        let W = &task.problem.W;
        let blocks = W.values().as_chunks::<D2>().0;
        let size = self.step.len();
        let mut scale = 0.0;
        for (k, b) in task.problem.b.iter().enumerate() {
            scale += (task.rho[k / D] * b).powi(2);
        }
        let epsilon = REGULARISATION * (merit / f64::max(scale.sqrt(), f64::MIN_POSITIVE)).min(1.0);
        let mut dense = DenseMatrix::zeros(0, 0);
        let mut triplets = Vec::new();
        if size <= DENSE {
            dense.reset(size, size);
        }
        for i in 0..task.problem.len() {
            for e in W.row_ptr()[i]..W.row_ptr()[i + 1] {
                let j = W.col_idx()[e] as usize;
                let law = &self.laws[i];
                for c in 0..D {
                    for k in 0..D {
                        let mut x = if i == j { law.G_r[c * D + k] } else { 0.0 };
                        if i == j && c == k {
                            x += epsilon;
                        }
                        for m in 0..D {
                            x += law.G_u[m * D + k] * blocks[e][c * D + m];
                        }
                        if size <= DENSE {
                            dense.set(i * D + k, j * D + c, x);
                        } else {
                            triplets.push((i * D + k, j * D + c, x));
                        }
                    }
                }
            }
        }
        let A = if size <= DENSE {
            Matrix::Dense(dense)
        } else {
            let Some(A) = SparseMatrix::from_triplets(size, size, &triplets) else { return false };
            Matrix::Sparse(A)
        };
        let Ok(mut factor) = Factor::lu(&A) else { return false };
        for (i, law) in self.laws.iter().enumerate() {
            for k in 0..D {
                self.step[i * D + k] = -law.phi[k];
            }
        }
        factor.solve(&mut self.step);
        self.step.iter().all(|x| x.is_finite())
    }

    /// The first step 1, ½, ¼ … that makes ‖φ‖ fall; false when none does.
    fn search(&mut self, task: &Task, merit: f64, r: &mut [f64], u: &mut [f64]) -> bool {
        self.du.fill(0.0);
        task.problem.W.mul_add(&self.step, &mut self.du);
        let mut length = 1.0;
        while length >= SHORTEST {
            for k in 0..r.len() {
                self.trial[k] = r[k] + length * self.step[k];
                self.u_trial[k] = u[k] + length * self.du[k];
            }
            let mut sum = 0.0;
            for (i, (r, u)) in self.trial.as_chunks::<D>().0.iter().zip(self.u_trial.as_chunks::<D>().0).enumerate() {
                for f in Jordan::<D, D2>::at(task.problem.cone(i), task.rho[i], r, u).phi {
                    sum += f * f;
                }
            }
            if sum.sqrt() <= (1.0 - 1e-4 * length) * merit {
                r.copy_from_slice(&self.trial);
                u.copy_from_slice(&self.u_trial);
                return true;
            }
            length *= 0.5;
        }
        false
    }
}
