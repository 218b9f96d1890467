//! The face of a nonlinear model: constraints numbered joints first, then contacts; gradients are rows on the velocities.
//!
//!   g_i = constraint(n_joints + i, q, t),    ġ_i = ∂g_i/∂q·v + ∂g_i/∂t

use super::{Mechanics, Structure, row_terms};
use crate::{AtTime, Code, InputError, Lagrangian};
use percussion_matrix::{DenseMatrix, Factor, Matrix, vector};
use std::sync::Arc;

/// A nonlinear model with the face of all models.
#[derive(Clone, Debug)]
pub struct LagrangianModel(pub Arc<dyn Lagrangian>);

impl LagrangianModel {
    /// ∂g_k/∂q of constraint k, joints first.
    fn gradient(&self, k: usize, q: &[f64]) -> Vec<f64> {
        let mut row = vec![0.0; q.len()];
        self.0.gradient(k, q, &mut row);
        row
    }

    /// The size of the terms of constraint k. Its constants are inside: they are taken to be of the size of the largest term.
    fn terms(&self, k: usize, q: &[f64]) -> f64 {
        let row: Vec<(usize, f64)> = self.gradient(k, q).into_iter().enumerate().collect();
        let largest = row.iter().fold(0.0_f64, |s, &(_, g)| s.max(g.abs())) * vector::max_abs(q);
        row_terms(&row, q) + largest
    }

    fn sparse_gradient(&self, k: usize, q: &[f64], row: &mut Vec<(usize, f64)>) {
        row.clear();
        row.extend(self.gradient(k, q).into_iter().enumerate().filter(|&(_, x)| x != 0.0));
    }

    fn contact(&self, i: usize) -> usize {
        self.0.n_joints() + i
    }
}

impl Mechanics for LagrangianModel {
    fn structure(self: Arc<Self>) -> Structure {
        Structure::Lagrangian(Arc::clone(&self.0))
    }

    fn n_q(&self) -> usize {
        self.0.n()
    }

    fn n_v(&self) -> usize {
        self.0.n()
    }

    fn n_contacts(&self) -> usize {
        self.0.restitutions().len()
    }

    fn n_joints(&self) -> usize {
        self.0.n_joints()
    }

    fn contacts_vary(&self) -> bool {
        false
    }

    fn restitution(&self, i: usize) -> f64 {
        self.0.restitutions()[i]
    }

    fn friction(&self, i: usize) -> f64 {
        self.0.frictions().get(i).copied().unwrap_or(0.0)
    }

    fn rolling(&self, _i: usize) -> f64 {
        0.0
    }

    /// None where there is no friction: the model need not know its tangents there.
    fn n_tangents(&self, i: usize) -> usize {
        if self.friction(i) > 0.0 { self.0.n_tangents(i) } else { 0 }
    }

    fn gap(&self, i: usize, q: &[f64], t: f64) -> f64 {
        AtTime(&*self.0, t).constraint(self.contact(i), q)
    }

    fn gap_rate(&self, i: usize, q: &[f64], v: &[f64], t: f64) -> f64 {
        let (at, j) = (AtTime(&*self.0, t), self.contact(i));
        let mut row = vec![0.0; q.len()];
        at.gradient(j, q, &mut row);
        vector::dot(&row, v) + at.rate(j, q)
    }

    fn gap_row(&self, i: usize, q: &[f64], row: &mut Vec<(usize, f64)>) {
        self.sparse_gradient(self.contact(i), q, row);
    }

    fn tangent_rate(&self, i: usize, q: &[f64], v: &[f64]) -> [f64; 2] {
        let mut u = [0.0; 2];
        let mut row = vec![0.0; q.len()];
        for (k, u) in u.iter_mut().enumerate().take(self.n_tangents(i)) {
            row.fill(0.0);
            self.0.contact_tangent(i, k, q, &mut row);
            *u = vector::dot(&row, v);
        }
        u
    }

    fn gap_terms(&self, i: usize, q: &[f64]) -> f64 {
        self.terms(self.contact(i), q)
    }

    fn mobility(&self, i: usize, q: &[f64]) -> f64 {
        let row = self.gradient(self.contact(i), q);
        if let Some(solid) = self.0.finite_solid() {
            let M = solid.mass_matrix();
            return row.iter().enumerate().filter(|(_, g)| **g != 0.0).map(|(k, g)| g * g / M.get(k, k)).sum();
        }
        let n = self.0.n();
        let mut M = DenseMatrix::zeros(n, n);
        self.0.mass(q, &mut M);
        row.iter().enumerate().map(|(k, g)| g * g / M.get(k, k)).sum()
    }

    fn half_thickness(&self, i: usize) -> f64 {
        self.0.finite_solid().map_or(f64::INFINITY, |solid| solid.half_thickness(i))
    }

    fn contact_name(&self, i: usize) -> String {
        let of_nodes = || self.0.finite_solid().map(|solid| solid.contact_name(i));
        let label = self.0.contact_label(i).map(str::to_string);
        label.or_else(of_nodes).unwrap_or_else(|| format!("contact {i}"))
    }

    fn joint(&self, j: usize, q: &[f64]) -> f64 {
        self.0.constraint(j, q)
    }

    fn joint_rate(&self, j: usize, q: &[f64], v: &[f64]) -> f64 {
        vector::dot(&self.gradient(j, q), v)
    }

    fn joint_row(&self, j: usize, q: &[f64], row: &mut Vec<(usize, f64)>) {
        self.sparse_gradient(j, q, row);
    }

    fn joint_distance(&self, j: usize, q: &[f64]) -> f64 {
        self.0.constraint(j, q).abs()
    }

    fn joint_terms(&self, j: usize, q: &[f64], v: &[f64]) -> [f64; 2] {
        let row: Vec<(usize, f64)> = self.gradient(j, q).into_iter().enumerate().collect();
        [self.terms(j, q), row_terms(&row, v)]
    }

    fn kinetic_energy(&self, q: &[f64], v: &[f64]) -> f64 {
        self.0.kinetic_energy(q, v)
    }

    fn potential_energy(&self, q: &[f64]) -> f64 {
        self.0.potential_energy(q)
    }

    fn undefined(&self, q: &[f64], v: &[f64], t: f64) -> Option<String> {
        let (model, n) = (&*self.0, q.len());
        if model.finite_solid().is_none() {
            let mut M = DenseMatrix::zeros(n, n);
            model.mass(q, &mut M);
            if !M.values().iter().all(|x| x.is_finite()) {
                return Some("the mass matrix".into());
            }
        }
        if !model.potential_energy(q).is_finite() {
            return Some("the potential".into());
        }
        let mut f = vec![0.0; n];
        model.force(q, v, t, &mut f);
        if let Some(i) = f.iter().position(|x| !x.is_finite()) {
            return Some(format!("the force on coordinate {i}"));
        }
        let gap = |&i: &usize| !self.gap(i, q, t).is_finite() || !self.gap_rate(i, q, v, t).is_finite();
        let contact =
            (0..self.n_contacts()).find(gap).map(|i| format!("the gap of {}, or its rate,", self.contact_name(i)));
        let joint = |j: &usize| !self.joint(*j, q).is_finite();
        contact.or_else(|| (0..self.n_joints()).find(joint).map(|j| self.joint_name(j)))
    }

    fn lost_obstacle(&self, q: &[f64], t: f64) -> Option<usize> {
        let gaps = self.0.moving_gaps()?;
        (0..self.n_contacts()).find(|&i| !gaps.gap(i, q, t).is_finite())
    }

    /// μ ≥ 0 for every contact or for none, with one tangent or two where it is positive.
    fn check_laws(&self) -> Result<(), InputError> {
        let (mu, m) = (self.0.frictions(), self.0.restitutions().len());
        let refuse = |code: Code, i: usize, message: String, help: &str| {
            Err(InputError::new(code, format!("model.contact[{i}].friction"), message, help))
        };
        if !mu.is_empty() && mu.len() != m {
            let message = format!("{} coefficients of friction for {m} contacts", mu.len());
            return refuse(Code::FRICTION, mu.len().min(m), message, "give one for each contact, or none at all");
        }
        for (i, &mu) in mu.iter().enumerate() {
            if !mu.is_finite() {
                return refuse(Code::NOT_FINITE, i, format!("friction = {mu}"), "give a finite number");
            }
            if mu < 0.0 {
                let message = format!("friction = {mu} is negative");
                return refuse(Code::FRICTION, i, message, "give a coefficient of 0 or more");
            }
            if mu > 0.0 && !(1..=2).contains(&self.0.n_tangents(i)) {
                let message = format!("friction = {mu} with {} tangents", self.0.n_tangents(i));
                let help = "a contact with friction has one tangent in the plane, two in space";
                return refuse(Code::FRICTION, i, message, help);
            }
        }
        Ok(())
    }

    /// M + Σ ĝĝᵀ over the joints is positive definite, so [M gᵀ; g 0] is regular but for redundant joints.
    fn check_inertia(&self, q: &[f64]) -> Result<(), InputError> {
        if self.0.finite_solid().is_some() {
            // every node has the mass of its elements
            return Ok(());
        }
        let n = self.0.n();
        let mut A = DenseMatrix::zeros(n, n);
        self.0.mass(q, &mut A);
        let size = vector::max_abs(A.values());
        for j in 0..self.0.n_joints() {
            let row = self.gradient(j, q);
            let length = vector::norm(&row).max(f64::MIN_POSITIVE);
            for k in 0..n {
                vector::axpy(size * row[k] / (length * length), &row, A.column_mut(k));
            }
        }
        match Factor::cholesky(&Matrix::Dense(A)) {
            Ok(_) if size.is_finite() && size > 0.0 => Ok(()),
            result => {
                let place = result.err().and_then(|failure| failure.row);
                let place = place.map_or(String::new(), |row| format!(", first seen at coordinate {row}"));
                let message = format!("some motion the joints allow has no inertia{place}: [M gᵀ; g 0] is singular");
                let help = "give that coordinate a mass, or a joint that ties it to one that has";
                Err(InputError::new(Code::MASS_NOT_POSITIVE, "model.mass", message, help))
            }
        }
    }
}
