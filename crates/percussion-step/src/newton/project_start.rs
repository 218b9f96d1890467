//! The nearest admissible start of a nonlinear model, in the mass metric.
//!
//!   d = M⁻¹g_qᵀν,   g_b + g_b d = 0,   0 ≤ g_u + g_u d ⟂ ν_u ≥ 0, repeated;   then v −= M⁻¹g_bᵀ(g_b M⁻¹g_bᵀ)⁻¹ g_b v

use crate::newton::evaluation::{Evaluation, mul_add};
use crate::newton::system::{NewtonSystem, inertia};
use crate::{Model, Problem};
use percussion_matrix::{DenseMatrix, Factor, Matrix, vector};
use percussion_model::{Code, InputError, Lagrangian};
use percussion_solve::{OneStepProblem, OneStepSolver, SolveStatus, Solver, SolverOptions};
use std::sync::Arc;

/// Relative compliance of joints, and the refinements that take it out.
const COMPLIANCE: f64 = 1e-9;
const REFINEMENTS: usize = 3;

/// Moves q0 and v0, and says how the energy changed.
pub fn project_start(
    model: &Arc<dyn Lagrangian>,
    problem: &Problem,
    options: SolverOptions,
) -> Result<(Problem, f64), InputError> {
    let refuse = |code, what: &str| {
        let help = "check that the mechanism can be assembled, and correct q0 and v0 by hand";
        InputError::new(code, "model.q0", format!("no admissible {what} could be found"), help)
    };
    let (n, nb) = (model.n(), model.n_joints());
    let (mut q, mut v) = (problem.q0.clone(), problem.v0.clone());
    let mut at = Evaluation::new(&**model);
    let nc = at.g.len();
    let mut system = NewtonSystem::default();
    let mut columns = vec![vec![0.0; n]; nc];

    let mut settled = false;
    for _ in 0..50 {
        at.dynamics(&**model, &q, &v, 0.0);
        at.constraints(&**model, &q, 0.0);
        let size = 1.0_f64.max(vector::max_abs(&q));
        let joints = at.g[..nb].iter().fold(0.0_f64, |s, g| s.max(g.abs()));
        let depth = at.g[nb..].iter().fold(0.0_f64, |s, g| s.max(-g));
        if joints <= 1e-14 * size && depth <= 0.0 {
            settled = true;
            break;
        }

        if !respond(&at, nb, &mut system, &mut columns) {
            return Err(refuse(Code::MASS_NOT_POSITIVE, "start: the mass is singular"));
        }

        // joints eliminated, then a complementarity problem on the contacts; a hair above zero ends the iteration
        let W = |i: usize, j: usize| vector::dot(at.G.column(i), &columns[j]);
        let nu =
            solve(nb, nc, &W, &at.g, 1e-15 * size, options).ok_or_else(|| refuse(Code::JOINT_POSITION, "position"))?;
        for (column, &nu) in columns.iter().zip(&nu) {
            vector::axpy(nu, column, &mut q);
        }
        if !q.iter().all(|x| x.is_finite()) {
            return Err(refuse(Code::JOINT_POSITION, "position"));
        }
    }
    if !settled {
        return Err(refuse(Code::JOINT_POSITION, "position"));
    }

    // velocities along the joints
    if nb > 0 {
        let rates: Vec<f64> = (0..nb).map(|j| vector::dot(at.G.column(j), &v)).collect();
        if !respond(&at, nb, &mut system, &mut columns) {
            return Err(refuse(Code::MASS_NOT_POSITIVE, "start: the mass is singular"));
        }
        let W = |i: usize, j: usize| vector::dot(at.G.column(i), &columns[j]);
        let nu = solve(nb, nb, &W, &rates, 0.0, options).ok_or_else(|| refuse(Code::JOINT_VELOCITY, "velocity"))?;
        for (column, &nu) in columns.iter().zip(&nu) {
            vector::axpy(nu, column, &mut v);
        }
    }
    let energy = |q: &[f64], v: &[f64]| model.kinetic_energy(q, v) + model.potential_energy(q);
    let change = energy(&q, &v) - energy(&problem.q0, &problem.v0);
    Ok((Problem { model: Model::from(Arc::clone(model)), q0: q, v0: v }, change))
}

/// Columns M⁻¹g_qᵀ; where M alone is singular, of M plus scaled g_bᵀg_b, which is the same metric along the joints. False when
/// that is singular too.
fn respond(at: &Evaluation, nb: usize, system: &mut NewtonSystem, columns: &mut [Vec<f64>]) -> bool {
    if !inertia(at, nb, system) {
        return false;
    }
    for (j, column) in columns.iter_mut().enumerate() {
        system.x.clear();
        system.x.extend_from_slice(at.G.column(j));
        if !system.solve() {
            return false;
        }
        column.copy_from_slice(&system.x);
    }
    true
}

/// ν with (W ν + g)_b = 0 and 0 ≤ (W ν + g)_u − margin ⟂ ν_u ≥ 0.
pub(crate) fn solve(
    nb: usize,
    nc: usize,
    W: &dyn Fn(usize, usize) -> f64,
    g: &[f64],
    margin: f64,
    options: SolverOptions,
) -> Option<Vec<f64>> {
    let m = nc - nb;
    // columns of W_bb⁻¹[W_bu, g_b]
    let mut eliminated = vec![vec![0.0; nb]; m + 1];
    if nb > 0 {
        let mut B = DenseMatrix::zeros(nb, nb);
        for j in 0..nb {
            for i in 0..nb {
                B.set(i, j, W(i, j));
            }
        }
        // redundant joints make B singular: a small compliance shares their load, refinement takes its effect out again
        let mut shifted = B.clone();
        for k in 0..nb {
            shifted.set(k, k, B.get(k, k) * (1.0 + COMPLIANCE));
        }
        let mut factor = Factor::new(&Matrix::Dense(shifted)).ok()?;
        for (k, column) in eliminated.iter_mut().enumerate() {
            for (i, x) in column.iter_mut().enumerate() {
                *x = if k < m { W(i, nb + k) } else { g[i] };
            }
            let rhs = column.clone();
            factor.solve(column);
            for _ in 0..REFINEMENTS {
                let mut rest = rhs.clone();
                mul_add(&B, -1.0, column, &mut rest);
                factor.solve(&mut rest);
                vector::axpy(1.0, &rest, column);
            }
        }
    }
    let mut S = DenseMatrix::zeros(m, m);
    let mut b = vec![0.0; m];
    for i in 0..m {
        let along = |x: &[f64]| (0..nb).map(|k| W(nb + i, k) * x[k]).sum::<f64>();
        for j in 0..m {
            S.set(i, j, W(nb + i, nb + j) - along(&eliminated[j]));
        }
        b[i] = g[nb + i] - margin - along(&eliminated[m]);
    }
    let mut nu_u = vec![0.0; m];
    if Solver::new(options).solve(&OneStepProblem::new(Matrix::Dense(S), b), &mut nu_u).status != SolveStatus::Solved {
        return None;
    }
    let mut nu: Vec<f64> =
        (0..nb).map(|k| -eliminated[m][k] - (0..m).map(|j| eliminated[j][k] * nu_u[j]).sum::<f64>()).collect();
    nu.extend(nu_u);
    Some(nu)
}
