//! A nonlinear model with loads beside its own forces, as hands set them between steps: f(q, v, t) + F(t).

use crate::{DiscreteForce, Lagrangian, MovingGaps, SecondDerivatives, Signal};
use percussion_matrix::{DenseMatrix, vector};
use std::sync::Arc;

/// The model and its loads, one for each coordinate. They have no potential.
#[derive(Clone, Debug)]
pub struct Steered {
    model: Arc<dyn Lagrangian>,
    loads: Vec<Signal>,
}

impl Steered {
    /// One load for each coordinate.
    pub fn new(model: Arc<dyn Lagrangian>, loads: Vec<Signal>) -> Self {
        Self { model, loads }
    }

    fn add(&self, t: f64, f: &mut [f64]) {
        f.iter_mut().zip(&self.loads).for_each(|(f, load)| *f += load.at(t));
    }
}

impl Lagrangian for Steered {
    fn n(&self) -> usize {
        self.model.n()
    }

    fn n_joints(&self) -> usize {
        self.model.n_joints()
    }

    fn restitutions(&self) -> &[f64] {
        self.model.restitutions()
    }

    fn contact_label(&self, i: usize) -> Option<&str> {
        self.model.contact_label(i)
    }

    fn mass_is_constant(&self) -> bool {
        self.model.mass_is_constant()
    }

    fn mass(&self, q: &[f64], M: &mut DenseMatrix) {
        self.model.mass(q, M);
    }

    fn mass_tangent(&self, q: &[f64], x: &[f64], D: &mut DenseMatrix) {
        self.model.mass_tangent(q, x, D);
    }

    fn force(&self, q: &[f64], v: &[f64], t: f64, f: &mut [f64]) {
        self.model.force(q, v, t, f);
        self.add(t, f);
    }

    fn next_corner(&self, t: f64) -> f64 {
        self.loads.iter().map(|load| load.next_corner(t)).fold(self.model.next_corner(t), f64::min)
    }

    fn force_tangents(&self, q: &[f64], v: &[f64], t: f64, K: &mut DenseMatrix, C: &mut DenseMatrix) {
        self.model.force_tangents(q, v, t, K, C);
    }

    fn potential_energy(&self, q: &[f64]) -> f64 {
        self.model.potential_energy(q)
    }

    fn potential_gradient(&self, q: &[f64], d: &mut [f64]) {
        self.model.potential_gradient(q, d);
    }

    fn potential_hessian(&self, q: &[f64], H: &mut DenseMatrix) {
        self.model.potential_hessian(q, H);
    }

    fn second_derivatives(&self) -> Option<&dyn SecondDerivatives> {
        self.model.second_derivatives().map(|_| self as &dyn SecondDerivatives)
    }

    fn discrete_force(&self) -> Option<&dyn DiscreteForce> {
        self.model.discrete_force()
    }

    fn power_without_potential(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        let mut loads = vec![0.0; v.len()];
        self.add(t, &mut loads);
        self.model.power_without_potential(q, v, t) + vector::dot(&loads, v)
    }

    fn constraint(&self, j: usize, q: &[f64]) -> f64 {
        self.model.constraint(j, q)
    }

    fn gradient(&self, j: usize, q: &[f64], row: &mut [f64]) {
        self.model.gradient(j, q, row);
    }

    fn hessian(&self, j: usize, q: &[f64], weight: f64, H: &mut DenseMatrix) {
        self.model.hessian(j, q, weight, H);
    }

    fn moving_gaps(&self) -> Option<&dyn MovingGaps> {
        self.model.moving_gaps()
    }

    fn frictions(&self) -> &[f64] {
        self.model.frictions()
    }

    fn n_tangents(&self, i: usize) -> usize {
        self.model.n_tangents(i)
    }

    fn contact_tangent(&self, i: usize, k: usize, q: &[f64], row: &mut [f64]) {
        self.model.contact_tangent(i, k, q, row);
    }

    fn tangent_drift(&self, i: usize, k: usize, q: &[f64], v: &[f64]) -> f64 {
        self.model.tangent_drift(i, k, q, v)
    }

    fn kinetic_energy(&self, q: &[f64], v: &[f64]) -> f64 {
        self.model.kinetic_energy(q, v)
    }
}

impl SecondDerivatives for Steered {
    fn mass_hessian(&self, q: &[f64], x: &[f64], H: &mut DenseMatrix) {
        if let Some(own) = self.model.second_derivatives() {
            own.mass_hessian(q, x, H);
        }
    }

    fn outer_force(&self, q: &[f64], v: &[f64], t: f64, Q: &mut [f64]) {
        if let Some(own) = self.model.second_derivatives() {
            own.outer_force(q, v, t, Q);
        }
        self.add(t, Q);
    }

    fn outer_tangents(&self, q: &[f64], v: &[f64], t: f64, K: &mut DenseMatrix, C: &mut DenseMatrix) {
        if let Some(own) = self.model.second_derivatives() {
            own.outer_tangents(q, v, t, K, C);
        }
    }
}
