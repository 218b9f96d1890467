//! A linear model as a mechanism: constant mass and gradients, so responses are made once.
//!
//!   a = M⁻¹(F − K q − C v) + M⁻¹G λ,    Γ_i = G_iᵀa + ẅ_i

use super::mechanism::{Mechanism, Power, SharedLoad};
use percussion_matrix::{ConstrainedFactor, DenseMatrix, vector};
use percussion_model::LinearModel;
use std::sync::Arc;

/// A linear model with its factorised mass.
pub struct LinearMechanism {
    model: Arc<LinearModel>,
    mass: ConstrainedFactor,
    /// M⁻¹G_i of the contacts met so far.
    columns: Vec<Option<Vec<f64>>>,
    /// The set `push` counts in.
    set: Vec<usize>,
    /// The held contacts whose W is factorised.
    held: Vec<usize>,
    load: SharedLoad,
    W: DenseMatrix,
    spare: Vec<f64>,
}

impl LinearMechanism {
    /// With M factorised on the velocities the joints allow.
    pub fn new(model: Arc<LinearModel>) -> Option<Self> {
        let mass = ConstrainedFactor::new(model.mass(), model.J(), None).ok()?;
        let columns = vec![None; model.n_contacts()];
        Some(Self {
            model,
            mass,
            columns,
            set: Vec::new(),
            held: Vec::new(),
            load: SharedLoad::default(),
            W: DenseMatrix::zeros(0, 0),
            spare: Vec::new(),
        })
    }

    fn ensure(&mut self, set: &[usize]) {
        for &i in set {
            if self.columns[i].is_none() {
                let mut x = vec![0.0; self.model.n()];
                self.model.G().add_column(i, 1.0, &mut x);
                self.mass.solve(&mut x);
                self.columns[i] = Some(x);
            }
        }
    }

    fn column(&self, i: usize) -> &[f64] {
        self.columns[i].as_deref().unwrap_or(&[])
    }

    fn delassus(&self, set: &[usize], W: &mut DenseMatrix) {
        W.reset(set.len(), set.len());
        for (k, &j) in set.iter().enumerate() {
            let column = self.column(j);
            for (l, &i) in set.iter().enumerate() {
                W.set(l, k, self.model.G().column_dot(i, column));
            }
        }
    }

    /// W of the held contacts, factorised when the set is new.
    fn hold(&mut self, held: &[usize]) -> bool {
        if self.held == held {
            return true;
        }
        self.ensure(held);
        let mut W = std::mem::replace(&mut self.W, DenseMatrix::zeros(0, 0));
        self.delassus(held, &mut W);
        let regular = self.load.factorise(&W);
        self.W = W;
        self.held.clear();
        if regular {
            self.held.extend_from_slice(held);
        }
        regular
    }
}

impl Mechanism for LinearMechanism {
    fn n(&self) -> usize {
        self.model.n()
    }

    fn n_contacts(&self) -> usize {
        self.model.n_contacts()
    }

    fn restitution(&self, i: usize) -> f64 {
        self.model.contacts()[i].restitution
    }

    fn is_linear(&self) -> bool {
        true
    }

    /// J a = 0 by construction: J q + c stays at round-off.
    fn drifts(&self) -> bool {
        false
    }

    #[inline]
    fn gap(&self, i: usize, q: &[f64], t: f64) -> f64 {
        self.model.gap(i, q, t)
    }

    fn gap_size(&mut self, i: usize, q: &[f64], t: f64) -> f64 {
        let contact = &self.model.contacts()[i];
        let terms: f64 = contact.normal.iter().map(|&(k, x)| (x * q[k]).abs()).sum();
        terms + contact.offset.at(t).abs()
    }

    #[inline]
    fn gap_rate(&mut self, i: usize, _q: &[f64], v: &[f64], t: f64) -> f64 {
        self.model.gap_rate(i, v, t)
    }

    #[inline]
    fn gap_acceleration(&mut self, i: usize, _q: &[f64], _v: &[f64], a: &[f64], t: f64) -> f64 {
        self.model.G().column_dot(i, a) + self.model.contacts()[i].offset.acceleration(t)
    }

    fn obstacle_rate(&self, i: usize, t: f64) -> f64 {
        self.model.contacts()[i].offset.rate(t)
    }

    #[inline]
    fn accelerate(&mut self, t: f64, q: &[f64], v: &[f64], held: &[usize], a: &mut [f64], lambda: &mut [f64]) -> bool {
        self.model.force(t, a);
        if let Some(K) = self.model.stiffness() {
            K.mul_add(-1.0, q, a);
        }
        if let Some(C) = self.model.damping() {
            C.mul_add(-1.0, v, a);
        }
        self.mass.solve(a);
        if held.is_empty() {
            return true;
        }
        if !self.hold(held) {
            return false;
        }
        for (k, &i) in held.iter().enumerate() {
            lambda[k] = -self.gap_acceleration(i, q, v, a, t);
        }
        self.load.solve(lambda);
        for (k, &i) in held.iter().enumerate() {
            vector::axpy(lambda[k], self.column(i), a);
        }
        true
    }

    fn response(&mut self, _q: &[f64], set: &[usize], W: &mut DenseMatrix) -> bool {
        self.ensure(set);
        self.set.clear();
        self.set.extend_from_slice(set);
        self.delassus(set, W);
        true
    }

    fn push(&self, k: usize, p: f64, x: &mut [f64]) {
        vector::axpy(p, self.column(self.set[k]), x);
    }

    fn project(&mut self, t: f64, q: &mut [f64], v: &mut [f64], held: &[usize]) -> bool {
        if held.is_empty() {
            return true;
        }
        if !self.hold(held) {
            return false;
        }
        let mut x = std::mem::take(&mut self.spare);
        for velocity in [false, true] {
            x.clear();
            for &i in held {
                x.push(-if velocity { self.model.gap_rate(i, v, t) } else { self.model.gap(i, q, t) });
            }
            self.load.solve(&mut x);
            for (k, &i) in held.iter().enumerate() {
                vector::axpy(x[k], self.column(i), if velocity { v } else { q });
            }
        }
        self.spare = x;
        true
    }

    fn power(&self, t: f64, _q: &[f64], v: &[f64]) -> Power {
        let external = self.model.loads().iter().zip(v).map(|(F, v)| F.at(t) * v).sum();
        let damping = self.model.damping().map_or(0.0, |C| -C.bilinear(v, v));
        Power { external, damping }
    }

    fn kinetic_energy(&self, _q: &[f64], v: &[f64]) -> f64 {
        self.model.kinetic_energy(v)
    }

    fn potential_energy(&self, q: &[f64]) -> f64 {
        self.model.potential_energy(q)
    }
}
