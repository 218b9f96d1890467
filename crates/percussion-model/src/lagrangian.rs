//! Nonlinear models: M(q) dv = f(q, v, t) dt + g_qᵀ di, with joints g = 0 and contacts g ≥ 0.
//!
//! Constraints are numbered joints first, then contacts. A model gives values, gradients and Hessians; sums over
//! constraints (Σ λ_j ∂²g_j/∂q², …) are formed by whoever needs them. Derivatives can be written out or obtained by
//! automatic differentiation (`Auto`), and `check_derivatives` compares either with differences.

use crate::MovingGaps;
use crate::solid::finite::FiniteModel;
use percussion_matrix::{DenseMatrix, vector};

/// Part of the coordinates over which tangents are differenced: truncation and round-off are both about 1e-13.
const DIFFERENCE: f64 = 1e-3;

/// A nonlinear mechanical system in n coordinates; velocities are q̇.
pub trait Lagrangian: Send + Sync + std::fmt::Debug {
    /// n, the number of coordinates.
    fn n(&self) -> usize;

    /// Number of joints g_j(q) = 0.
    fn n_joints(&self) -> usize {
        0
    }

    /// e of each contact g_j(q) ≥ 0; its length is the number of contacts.
    fn restitutions(&self) -> &[f64];

    /// What contact i is called, where it has a name.
    fn contact_label(&self, _i: usize) -> Option<&str> {
        None
    }

    /// Whether M does not depend on q.
    fn mass_is_constant(&self) -> bool {
        true
    }

    /// M ← M(q); M comes zeroed, n × n. Singular M is allowed when [M g_qᵀ; g_q 0] is regular.
    fn mass(&self, q: &[f64], M: &mut DenseMatrix);

    /// D ← D + ∂(M(q) x)/∂q; nothing to do for a constant mass.
    fn mass_tangent(&self, _q: &[f64], _x: &[f64], _D: &mut DenseMatrix) {}

    /// f ← f(q, v, t), all forces: loads, springs, dampers, gyroscopic terms −(Ṁv − ∂T/∂q).
    fn force(&self, q: &[f64], v: &[f64], t: f64, f: &mut [f64]);

    /// The first time after t at which f or one of its derivatives jumps by itself; ∞ where none does.
    fn next_corner(&self, _t: f64) -> f64 {
        f64::INFINITY
    }

    /// K ← −∂f/∂q and C ← −∂f/∂v; both come zeroed.
    fn force_tangents(&self, q: &[f64], v: &[f64], t: f64, K: &mut DenseMatrix, C: &mut DenseMatrix);

    /// V(q), the potential of those forces that have one [J].
    fn potential_energy(&self, q: &[f64]) -> f64;

    /// d ← ∂V/∂q. By default −f(q, 0, 0): right whenever every force that acts at rest has a potential.
    fn potential_gradient(&self, q: &[f64], d: &mut [f64]) {
        let rest = vec![0.0; q.len()];
        self.force(q, &rest, 0.0, d);
        d.iter_mut().for_each(|x| *x = -*x);
    }

    /// H ← ∂²V/∂q², which comes zeroed; by default the tangent at rest.
    fn potential_hessian(&self, q: &[f64], H: &mut DenseMatrix) {
        let rest = vec![0.0; q.len()];
        let mut C = DenseMatrix::zeros(q.len(), q.len());
        self.force_tangents(q, &rest, 0.0, H, &mut C);
    }

    /// Second derivatives of the kinetic energy, where the model has them.
    fn second_derivatives(&self) -> Option<&dyn SecondDerivatives> {
        None
    }

    /// An energy-exact force of the model's own, where it has a better one than the general formula.
    fn discrete_force(&self) -> Option<&dyn DiscreteForce> {
        None
    }

    /// The power v·f of the forces without a potential [W].
    fn power_without_potential(&self, _q: &[f64], _v: &[f64], _t: f64) -> f64 {
        0.0
    }

    /// g_j(q); of gaps that move, their values at t = 0.
    fn constraint(&self, j: usize, q: &[f64]) -> f64;

    /// row ← ∂g_j/∂q; comes zeroed.
    fn gradient(&self, j: usize, q: &[f64], row: &mut [f64]);

    /// H ← H + weight · ∂²g_j/∂q².
    fn hessian(&self, j: usize, q: &[f64], weight: f64, H: &mut DenseMatrix);

    /// The contacts as functions of q and t, where obstacles move by themselves; joints never do.
    fn moving_gaps(&self) -> Option<&dyn MovingGaps> {
        None
    }

    /// μ of each contact, in the order of `restitutions`; empty where there is no friction.
    fn frictions(&self) -> &[f64] {
        &[]
    }

    /// Number of tangents of contact i: one in the plane, two in space, none without friction.
    fn n_tangents(&self, _i: usize) -> usize {
        0
    }

    /// row ← the k-th tangent of contact i at q, u_T = row·v; comes zeroed.
    fn contact_tangent(&self, _i: usize, _k: usize, _q: &[f64], _row: &mut [f64]) {}

    /// (d row/dt)·v of the k-th tangent of contact i: what turning tangents add to the acceleration row·a. By default a
    /// difference of order four along v, good to about 1e-12.
    fn tangent_drift(&self, i: usize, k: usize, q: &[f64], v: &[f64]) -> f64 {
        let speed = vector::max_abs(v);
        if speed == 0.0 {
            return 0.0;
        }
        let size = vector::max_abs(q);
        let delta = DIFFERENCE * if size > 0.0 { size } else { 1.0 } / speed;
        let (mut place, mut row) = (vec![0.0; q.len()], vec![0.0; q.len()]);
        let mut rate = |steps: f64| {
            place.copy_from_slice(q);
            vector::axpy(steps * delta, v, &mut place);
            row.fill(0.0);
            self.contact_tangent(i, k, &place, &mut row);
            vector::dot(&row, v)
        };
        (8.0 * (rate(1.0) - rate(-1.0)) - (rate(2.0) - rate(-2.0))) / (12.0 * delta)
    }

    /// The solid in finite deformation that it is: schemes made for these ask for sparse matrices and rows over a step.
    fn finite_solid(&self) -> Option<&FiniteModel> {
        None
    }

    /// ½ vᵀM(q) v.
    fn kinetic_energy(&self, q: &[f64], v: &[f64]) -> f64 {
        let n = self.n();
        let mut M = DenseMatrix::zeros(n, n);
        self.mass(q, &mut M);
        0.5 * percussion_matrix::Matrix::Dense(M).bilinear(v, v)
    }
}

/// What Newton's matrix of energy-exact steps asks of a model whose mass depends on q; without it the matrix is differenced.
pub trait SecondDerivatives: Send + Sync {
    /// H ← H + ∂²(½ xᵀM(q) x)/∂q².
    fn mass_hessian(&self, q: &[f64], x: &[f64], H: &mut DenseMatrix);

    /// Q ← f + ∂V/∂q + Ṁv − ∂T/∂q, the forces without a potential.
    fn outer_force(&self, q: &[f64], v: &[f64], t: f64, Q: &mut [f64]);

    /// K ← K − ∂Q/∂q and C ← C − ∂Q/∂v.
    fn outer_tangents(&self, q: &[f64], v: &[f64], t: f64, K: &mut DenseMatrix, C: &mut DenseMatrix);
}

/// A force between two states whose work is exactly the change of potential: f·(q₁ − q₀) = −(V₁ − V₀).
///
/// Newton's tangent takes the stresses of its geometric part from outside (the mixed integration point method): stiff
/// beams diverge at useful steps without it.
pub trait DiscreteForce: Send + Sync {
    /// Number of stress triples.
    fn n_stresses(&self) -> usize;

    /// f ← the force.
    fn evaluate(&self, q0: &[f64], q1: &[f64], f: &mut [f64]);

    /// stresses ← those consistent with the two states.
    fn stresses(&self, q0: &[f64], q1: &[f64], stresses: &mut [[f64; 3]]);

    /// stresses ← those a Newton increment δ of q₁ leads to, as if strains were linear; q₁ is the state before it.
    fn predicted_stresses(&self, q0: &[f64], q1: &[f64], delta: &[f64], stresses: &mut [[f64; 3]]);

    /// K ← K − ∂f/∂q₁ with the given stresses.
    fn tangent(&self, q0: &[f64], q1: &[f64], stresses: &[[f64; 3]], K: &mut DenseMatrix);
}
