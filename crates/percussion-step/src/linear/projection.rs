//! Position projections: one paid for by the energy a step has lost, one for a bad initial state.
//!
//! Paid: on contacts with g < −2δ, P > 0 and no departure, d = M⁻¹Gν with
//!
//!   0 ≤ Gᵀd + g + δ (lifted),  0 ≤ Gᵀd + max(g, 0) (others)  ⟂  ν ≥ 0
//!   w(κ) = κ d·(Kq − F) + ½κ² dᵀKd,   largest κ ≤ 1 with w(κ) ≤ D = the energy the step lost
//!
//! δ = 0.025 h max s, s = U_k − U_free: without the slop and the "no departure" test stacks jitter for ever.

use crate::contact::phase::ContactPhase;
use crate::contact::response::Response;
use crate::linear::load::Load;
use crate::linear::mass::mass_factor;
use crate::{Memory, Model, Problem, Step, StepFailure, StepStart};
use percussion_matrix::{ConstrainedFactor, DenseMatrix, Matrix, vector};
use percussion_model::{Code, InputError, LinearModel, Structure};
use percussion_solve::{OneStepProblem, OneStepSolver, SolveStatus, Solver, SolverOptions};
use std::sync::Arc;

/// The paid projection with its operators over all contacts.
#[derive(Debug)]
pub struct PaidProjection {
    /// M⁻¹G, one column per contact.
    columns: Response,
    problem: OneStepProblem,
    solver: Solver,
    nu: Vec<f64>,
    d: Vec<f64>,
}

impl PaidProjection {
    /// For a model; sparse when its mass is diagonal and it has no joints.
    pub fn new(model: &LinearModel, options: SolverOptions) -> Self {
        let columns = gap_columns(model);
        let m = model.n_contacts();
        let mut problem = OneStepProblem::new(gap_matrix(model, &columns), vec![0.0; m]);
        problem.revision = 1;
        Self { columns, problem, solver: Solver::new(options), nu: vec![0.0; m], d: vec![0.0; model.n()] }
    }

    /// Lifts what the step's losses pay for and books it.
    pub fn lift(
        &mut self,
        model: &LinearModel,
        from: &StepStart,
        load: &Load,
        contacts: &ContactPhase,
        step: &mut Step,
        next: &mut Memory,
    ) -> Result<(), StepFailure> {
        let StepStart { state, h, .. } = *from;
        let paid = -step.ledger.created();
        let s = step.contacts.iter().fold(0.0_f64, |s, c| s.max(c.u_before - c.u_free));
        let slop = 0.025 * h * s;
        if paid <= 0.0 || slop <= 0.0 {
            return Ok(());
        }
        for (j, b) in self.problem.b.iter_mut().enumerate() {
            *b = model.gap(j, &step.after.q, step.after.t).max(0.0);
        }
        let mut any = false;
        for c in &step.contacts {
            if c.gap < -2.0 * slop && c.p > 0.0 && c.u_after <= 1e-9 * c.u_before.abs().max(s) {
                self.problem.b[c.id] = c.gap + slop;
                any = true;
            }
        }
        if !any {
            return Ok(());
        }
        self.nu.fill(0.0);
        let report = self.solver.solve(&self.problem, &mut self.nu);
        step.info.solves += 1;
        step.info.iterations += report.iterations;
        if report.status != SolveStatus::Solved {
            // contacts that cannot all be lifted at once: nothing is lifted in this step
            return if report.status == SolveStatus::NoSolution {
                Ok(())
            } else {
                Err(StepFailure::unsolved(state.t, h, &self.problem, &report))
            };
        }
        self.d.fill(0.0);
        for (j, &nu) in self.nu.iter().enumerate() {
            if nu != 0.0 {
                self.columns.add_A(j, nu, &mut self.d);
            }
        }

        // the largest affordable part
        let q = &mut step.after.q;
        let load_work = vector::dot(&load.next, &self.d);
        let elastic = model.stiffness().map_or(0.0, |K| K.bilinear(&self.d, q));
        let (linear, quadratic) = (elastic - load_work, model.potential_energy(&self.d));
        let kappa = if linear + quadratic <= paid {
            1.0
        } else {
            (2.0 * paid / (linear + (linear * linear + 4.0 * quadratic * paid).sqrt())).min(1.0)
        };
        vector::axpy(kappa, &self.d, q);

        // book it: the load's share is external work, the rest comes out of what the step had dissipated
        let entry = &mut step.ledger;
        let before = entry.potential;
        entry.potential = model.potential_energy(q);
        entry.work_external += kappa * load_work;
        entry.dissipation_numerical -= kappa * linear + kappa * kappa * quadratic;
        entry.algorithmic_energy += entry.potential - before;
        entry.balance += (entry.potential - before) - kappa * load_work - (kappa * linear + kappa * kappa * quadratic);
        next.H = entry.algorithmic_energy;
        contacts.conclude(from, step);
        Ok(())
    }
}

/// M⁻¹G_j for every contact, on the velocities the joints allow.
fn gap_columns(model: &LinearModel) -> Response {
    let mut mass = mass_factor(model);
    if let Some(diagonal) = mass.diagonal() {
        let inverse: Vec<f64> = diagonal.iter().map(|d| 1.0 / d).collect();
        return Response::scaled(model.G(), &inverse, None, 1.0, 0.0);
    }
    let mut columns = Response::on_demand(model.n_contacts(), 1.0, 0.0);
    for j in 0..model.n_contacts() {
        columns.ensure(j, model.n(), |A, _| {
            model.G().add_column(j, 1.0, A);
            mass.solve(A);
        });
    }
    columns
}

fn gap_matrix(model: &LinearModel, columns: &Response) -> Matrix {
    let all: Vec<usize> = (0..model.n_contacts()).collect();
    let mut W = Matrix::Dense(DenseMatrix::zeros(0, 0));
    columns.delassus(model.G(), &all, &mut W);
    W
}

/// The nearest admissible start in the mass metric, for problems that penetrate or violate joints, and the change of
/// energy it brings.
pub fn project_start(problem: &Problem, options: SolverOptions) -> Result<(Problem, f64), InputError> {
    let model = match problem.model.structure() {
        Structure::Constant(model) => model,
        Structure::Lagrangian(model) => return crate::newton::project_start::project_start(model, problem, options),
        Structure::Bodies(scene) => return crate::bodies::project_start::project_start(scene, problem),
    };
    let unsolvable = |what: &str| {
        let help = "correct q0 and v0 by hand";
        InputError::new(Code::PENETRATION, "model.q0", format!("no admissible {what} could be found"), help)
    };
    let mut free = ConstrainedFactor::new(model.mass(), &empty(model.n()), None).map_err(|_| unsolvable("start"))?;
    let (mut q, mut v) = (problem.q0.clone(), problem.v0.clone());

    // joints first, q and v apart: x −= M⁻¹Jᵀ(J M⁻¹Jᵀ)⁻¹(J x + c)
    let k = model.J().n_cols();
    if k > 0 {
        let mut Y = vec![vec![0.0; model.n()]; k];
        let mut A = DenseMatrix::zeros(k, k);
        for j in 0..k {
            model.J().add_column(j, 1.0, &mut Y[j]);
            free.solve(&mut Y[j]);
            for i in 0..k {
                A.set(i, j, model.J().column_dot(i, &Y[j]));
            }
        }
        let mut schur = percussion_matrix::Factor::new(&Matrix::Dense(A)).map_err(|_| unsolvable("start"))?;
        let mut lambda: Vec<f64> = (0..k).map(|j| -model.J().column_dot(j, &q) - model.J_offsets()[j]).collect();
        schur.solve(&mut lambda);
        for (y, &l) in Y.iter().zip(&lambda) {
            vector::axpy(l, y, &mut q);
        }
        let mut lambda: Vec<f64> = (0..k).map(|j| -model.J().column_dot(j, &v)).collect();
        schur.solve(&mut lambda);
        for (y, &l) in Y.iter().zip(&lambda) {
            vector::axpy(l, y, &mut v);
        }
    }

    // then the gaps, along the joints: 0 ≤ GᵀM⁻¹Gν + g ⟂ ν ≥ 0
    let columns = gap_columns(model);
    let gaps: Vec<f64> = (0..model.n_contacts()).map(|j| model.gap(j, &q, 0.0)).collect();
    if gaps.iter().any(|&g| g < 0.0) {
        let lcp = OneStepProblem::new(gap_matrix(model, &columns), gaps);
        let mut nu = vec![0.0; lcp.len()];
        if Solver::new(options).solve(&lcp, &mut nu).status != SolveStatus::Solved {
            return Err(unsolvable("position"));
        }
        for (j, &nu) in nu.iter().enumerate() {
            columns.add_A(j, nu, &mut q);
        }
    }
    let energy = |q: &[f64], v: &[f64]| model.kinetic_energy(v) + model.potential_energy(q);
    let change = energy(&q, &v) - energy(&problem.q0, &problem.v0);
    Ok((Problem { model: Model::from(Arc::clone(model)), q0: q, v0: v }, change))
}

fn empty(n: usize) -> percussion_matrix::SparseMatrix {
    percussion_matrix::SparseMatrix::from_triplets(n, 0, &[]).expect("no entries")
}
