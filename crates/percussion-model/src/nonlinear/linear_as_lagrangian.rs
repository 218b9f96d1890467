//! A linear model seen as a nonlinear one, to compare the two families of schemes on the same system.
//!
//!   f = F(t) − K q − C v,   V = ½ qᵀK q,   power of the rest v·(F(t) − C v),   gaps and joints linear

use super::add;
use crate::{Lagrangian, LinearModel, MovingGaps};
use percussion_matrix::{DenseMatrix, Matrix, SparseMatrix};

/// A [`LinearModel`] with the face of a [`Lagrangian`]; superfluous joints are left out.
#[derive(Clone, Debug)]
pub struct LinearAsLagrangian {
    model: LinearModel,
    restitutions: Vec<f64>,
    frictions: Vec<f64>,
    joint_offsets: Vec<f64>,
}

impl LinearAsLagrangian {
    /// The same system.
    pub fn new(model: LinearModel) -> Self {
        let joint_offsets = model.J_offsets().to_vec();
        let restitutions = model.contacts().iter().map(|contact| contact.restitution).collect();
        let frictions = model.contacts().iter().map(|contact| contact.friction).collect();
        Self { model, restitutions, frictions, joint_offsets }
    }

    /// The linear model.
    pub fn model(&self) -> &LinearModel {
        &self.model
    }

    /// Column of J or G that constraint j is.
    fn column(&self, j: usize) -> (&SparseMatrix, usize) {
        let n_joints = self.joint_offsets.len();
        if j < n_joints { (self.model.J(), j) } else { (self.model.G(), j - n_joints) }
    }
}

impl Lagrangian for LinearAsLagrangian {
    fn n(&self) -> usize {
        self.model.n()
    }

    fn n_joints(&self) -> usize {
        self.joint_offsets.len()
    }

    fn restitutions(&self) -> &[f64] {
        &self.restitutions
    }

    fn mass(&self, _q: &[f64], M: &mut DenseMatrix) {
        add_matrix(self.model.mass(), M);
    }

    fn force(&self, q: &[f64], v: &[f64], t: f64, f: &mut [f64]) {
        self.model.force(t, f);
        if let Some(K) = self.model.stiffness() {
            K.mul_add(-1.0, q, f);
        }
        if let Some(C) = self.model.damping() {
            C.mul_add(-1.0, v, f);
        }
    }

    fn next_corner(&self, t: f64) -> f64 {
        self.model.next_corner(t)
    }

    fn force_tangents(&self, _q: &[f64], _v: &[f64], _t: f64, K: &mut DenseMatrix, C: &mut DenseMatrix) {
        if let Some(stiffness) = self.model.stiffness() {
            add_matrix(stiffness, K);
        }
        if let Some(damping) = self.model.damping() {
            add_matrix(damping, C);
        }
    }

    fn potential_energy(&self, q: &[f64]) -> f64 {
        self.model.potential_energy(q)
    }

    fn power_without_potential(&self, _q: &[f64], v: &[f64], t: f64) -> f64 {
        let load: f64 = self.model.loads().iter().zip(v).map(|(F, v)| F.at(t) * v).sum();
        load - self.model.damping().map_or(0.0, |C| C.bilinear(v, v))
    }

    fn constraint(&self, j: usize, q: &[f64]) -> f64 {
        match self.joint_offsets.get(j) {
            Some(offset) => self.model.J().column_dot(j, q) + offset,
            None => self.model.gap(j - self.joint_offsets.len(), q, 0.0),
        }
    }

    fn gradient(&self, j: usize, _q: &[f64], row: &mut [f64]) {
        let (A, column) = self.column(j);
        A.add_column(column, 1.0, row);
    }

    fn hessian(&self, _j: usize, _q: &[f64], _weight: f64, _H: &mut DenseMatrix) {}

    fn moving_gaps(&self) -> Option<&dyn MovingGaps> {
        (!self.model.offsets_are_constant()).then_some(self)
    }

    fn frictions(&self) -> &[f64] {
        &self.frictions
    }

    fn n_tangents(&self, i: usize) -> usize {
        self.model.tangent_columns(i).len()
    }

    fn contact_tangent(&self, i: usize, k: usize, _q: &[f64], row: &mut [f64]) {
        self.model.H().add_column(self.model.tangent_columns(i).start + k, 1.0, row);
    }

    fn tangent_drift(&self, _i: usize, _k: usize, _q: &[f64], _v: &[f64]) -> f64 {
        0.0
    }

    fn kinetic_energy(&self, _q: &[f64], v: &[f64]) -> f64 {
        self.model.kinetic_energy(v)
    }

    /// K q: a load is never a potential here.
    fn potential_gradient(&self, q: &[f64], d: &mut [f64]) {
        d.fill(0.0);
        if let Some(K) = self.model.stiffness() {
            K.mul_add(1.0, q, d);
        }
    }

    fn potential_hessian(&self, _q: &[f64], H: &mut DenseMatrix) {
        if let Some(K) = self.model.stiffness() {
            add_matrix(K, H);
        }
    }
}

/// g_i = G_iᵀq + w_i(t).
impl MovingGaps for LinearAsLagrangian {
    fn gap(&self, i: usize, q: &[f64], t: f64) -> f64 {
        self.model.gap(i, q, t)
    }

    fn gradient(&self, i: usize, _q: &[f64], _t: f64, row: &mut [f64]) {
        self.model.G().add_column(i, 1.0, row);
    }

    fn hessian(&self, _i: usize, _q: &[f64], _t: f64, _weight: f64, _H: &mut DenseMatrix) {}

    fn rate(&self, i: usize, _q: &[f64], t: f64) -> f64 {
        self.model.contacts()[i].offset.rate(t)
    }

    fn gradient_rate(&self, _i: usize, _q: &[f64], _t: f64, _row: &mut [f64]) {}

    fn acceleration(&self, i: usize, _q: &[f64], t: f64) -> f64 {
        self.model.contacts()[i].offset.acceleration(t)
    }
}

/// A ← A + B.
fn add_matrix(B: &Matrix, A: &mut DenseMatrix) {
    match B {
        Matrix::Dense(B) => A.values_mut().iter_mut().zip(B.values()).for_each(|(a, b)| *a += b),
        Matrix::Sparse(B) => B.triplets().for_each(|(i, j, x)| add(A, i, j, x)),
    }
}
