//! Both conditions of a step without friction as one complementarity problem, with columns of `smooth.rs`:
//!
//!   0 ≤ g(q)/h ⟂ μ/h ≥ 0,    0 ≤ U(v) + ê U_n ⟂ Λ ≥ 0 on the closed contacts,    ν = μ, or μ + hθΛ + h(1−θ)μ_n in the modified
//! condition, where μ/h stands for hθμ/h

use crate::contact::law::without_friction;
use crate::schemes::ggl::conditions::{GglVariant, restitution};
use crate::schemes::ggl::linear::Round;
use crate::schemes::ggl::linear::smooth::Multipliers;
use crate::{StepFailure, StepInfo};
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_solve::friction::FrictionProblem;
use percussion_solve::{OneStepProblem, OneStepSolver, SolveStatus, Solver, SolverOptions};

/// The problem with its solver.
#[derive(Debug)]
pub struct Complementarity {
    variant: GglVariant,
    solver: Solver,
    problem: OneStepProblem,
    /// Step size and sets for which `problem.W` was assembled.
    assembled: (u64, Vec<usize>, Vec<usize>),
    z: Vec<f64>,
}

impl Complementarity {
    /// For one of the two conditions.
    pub fn new(variant: GglVariant, options: SolverOptions) -> Self {
        Self {
            variant,
            solver: Solver::new(SolverOptions { tolerance: 0.1 * options.tolerance, ..options }),
            problem: OneStepProblem::empty(),
            assembled: (0, Vec::new(), Vec::new()),
            z: Vec::new(),
        }
    }

    /// Forgets the last step.
    pub fn clear(&mut self) {
        self.z.clear();
    }

    /// The last problem and its solution, if there was one.
    pub fn last(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        without_friction(&self.problem, &self.z)
    }

    /// The multipliers on the present sets.
    pub fn solve(&mut self, round: &Round, x: &mut Multipliers, info: &mut StepInfo) -> Result<(), StepFailure> {
        let Round { smooth, at_position, closed, memory, h, .. } = *round;
        self.free(round);
        self.assemble(round);
        // warm start by contact identity
        self.z.clear();
        self.z.extend(at_position.iter().map(|&j| round.last_nu(j) / h));
        self.z.extend(closed.iter().map(|&j| memory.p[j]));
        let report = self.solver.solve(&self.problem, &mut self.z);
        info.solves += 1;
        info.iterations += report.iterations;
        info.residual = info.residual.max(report.residuals.worst());
        if report.status != SolveStatus::Solved {
            let mut failure = StepFailure::unsolved(round.t - h, h, &self.problem, &report);
            if self.variant.is_mixed() && report.status == SolveStatus::NoSolution {
                failure.message += "; the modified condition moves positions by impulses too, and with this stiffness and step gap \
                                    and velocity of a contact ask for opposite ones";
                failure.help =
                    format!("use generalized-alpha-ggl, whose multipliers are separate, or step = {:.1e}", 0.5 * h);
            }
            return Err(failure);
        }
        x.clear();
        for (&z, &j) in self.z.iter().zip(at_position) {
            x.mu[j] = h * z.max(0.0);
        }
        for (&z, &j) in self.z[at_position.len()..].iter().zip(closed) {
            x.La[j] = z.max(0.0);
        }
        let shared = self.shared();
        for j in 0..smooth.model.n_contacts() {
            x.nu[j] = x.mu[j] + shared * h * x.La[j];
        }
        for (j, carried) in round.carried(self.variant) {
            x.nu[j] += carried;
        }
        Ok(())
    }

    /// θ where Λ moves positions too.
    fn shared(&self) -> f64 {
        self.variant.share()
    }

    /// b: g/h and U + ê U_n at zero multipliers.
    fn free(&mut self, round: &Round) {
        let Round { smooth, at_position, closed, u_n, hold, h, t, .. } = *round;
        let weights = smooth.weights(h);
        self.problem.b.clear();
        self.problem.ids.clear();
        for &j in at_position {
            let place = smooth.free(j, weights).0;
            self.problem.b.push((place + smooth.model.contacts()[j].offset.at(t)) / h);
        }
        for &j in closed {
            let contact = &smooth.model.contacts()[j];
            let e = restitution(hold, u_n[j], contact.restitution);
            self.problem.b.push(smooth.free(j, weights).1 + contact.offset.rate(t) + e * u_n[j]);
        }
        // what the last step's multipliers move
        let (kappa, kappa_q) = weights;
        let along = |i: usize, x: &[f64]| if x.is_empty() { 0.0 } else { smooth.model.G().column_dot(i, x) };
        for (j, carried) in round.carried(self.variant) {
            let c = smooth.made(j);
            for (b, &i) in self.problem.b.iter_mut().zip(at_position) {
                *b += carried / h * (along(i, &c.Y) - kappa_q * along(i, &c.B_K));
            }
            for (b, &i) in self.problem.b[at_position.len()..].iter_mut().zip(closed) {
                *b -= carried * kappa * along(i, &c.B_K);
            }
        }
        self.problem.ids.extend(at_position.iter().chain(closed));
    }

    /// W, unless it is there already.
    fn assemble(&mut self, round: &Round) {
        let Round { smooth, at_position, closed, h, .. } = *round;
        if self.assembled.0 == h.to_bits() && self.assembled.1 == at_position && self.assembled.2 == closed {
            return;
        }
        let (kappa, kappa_q) = smooth.weights(h);
        let along = |i: usize, x: &[f64]| if x.is_empty() { 0.0 } else { smooth.model.G().column_dot(i, x) };
        let (np, nv) = (at_position.len(), closed.len());
        if !matches!(self.problem.W, Matrix::Dense(_)) {
            self.problem.W = Matrix::Dense(DenseMatrix::zeros(0, 0));
        }
        let shared = self.shared();
        let Matrix::Dense(W) = &mut self.problem.W else { unreachable!("made dense above") };
        W.reset(np + nv, np + nv);
        for (b, &j) in at_position.iter().enumerate() {
            let c = smooth.made(j);
            for (a, &i) in at_position.iter().enumerate() {
                W.set(a, b, along(i, &c.Y) - kappa_q * along(i, &c.B_K));
            }
            for (a, &i) in closed.iter().enumerate() {
                W.set(np + a, b, -kappa * h * along(i, &c.B_K));
            }
        }
        for (b, &j) in closed.iter().enumerate() {
            let c = smooth.made(j);
            for (a, &i) in at_position.iter().enumerate() {
                let by_nu = along(i, &c.Y) - kappa_q * along(i, &c.B_K);
                W.set(a, np + b, shared * by_nu - kappa_q / h * along(i, &c.B_C));
            }
            for (a, &i) in closed.iter().enumerate() {
                let by_nu = -kappa * h * along(i, &c.B_K);
                W.set(np + a, np + b, shared * by_nu + along(i, &c.Y) - kappa * along(i, &c.B_C));
            }
        }
        self.problem.revision += 1;
        self.assembled.0 = h.to_bits();
        at_position.clone_into(&mut self.assembled.1);
        closed.clone_into(&mut self.assembled.2);
    }
}
