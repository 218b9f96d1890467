//! A linear model as a mechanism: constant mass and gradients, so responses are made once.
//!
//!   a = M⁻¹(F − K q − C v) + M⁻¹H λ,    Γ_i = G_iᵀa + ẅ_i,    H = [G T]
//!
//! The normal force of a contact that slides brings its friction along: its column is M⁻¹(G_i − μ T_i d).

use crate::mechanism::hold::{Hold, Row, TangentialMotion};
use crate::mechanism::{Forces, Mechanism, Power, SharedLoad};
use percussion_matrix::{ConstrainedFactor, DenseMatrix, vector};
use percussion_model::LinearModel;
use std::sync::Arc;

/// A linear model with its factorised mass.
pub struct LinearMechanism {
    model: Arc<LinearModel>,
    mass: ConstrainedFactor,
    /// M⁻¹H_k of the columns met so far.
    columns: Vec<Option<Vec<f64>>>,
    /// The columns `push` counts in.
    set: Vec<usize>,
    /// The conditions of the held contacts, by `Purpose`.
    conditions: [Conditions; 3],
    normals: Vec<Hold>,
    W: DenseMatrix,
    spare: Vec<f64>,
    directions: Vec<[f64; 2]>,
}

/// What conditions on held contacts are for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// Forces, with friction.
    Forces,
    /// Velocities to be projected.
    Velocities,
    /// Places to be projected: normals alone.
    Places,
}

/// Conditions on held contacts with their factorised operator.
#[derive(Default)]
struct Conditions {
    /// The contacts and the directions in which they slide it was made for.
    held: Vec<Hold>,
    directions: Vec<[f64; 2]>,
    /// Columns of H: normals, and the tangents of contacts that stick.
    rows: Vec<usize>,
    load: SharedLoad,
}

impl LinearMechanism {
    /// With M factorised on the velocities the joints allow.
    pub fn new(model: Arc<LinearModel>) -> Option<Self> {
        let mass = ConstrainedFactor::new(model.mass(), model.J(), None).ok()?;
        let columns = vec![None; model.H().n_cols()];
        Some(Self {
            model,
            mass,
            columns,
            set: Vec::new(),
            conditions: Default::default(),
            normals: Vec::new(),
            W: DenseMatrix::zeros(0, 0),
            spare: Vec::new(),
            directions: Vec::new(),
        })
    }

    fn ensure(&mut self, set: &[usize]) {
        for &k in set {
            if self.columns[k].is_none() {
                let mut x = vec![0.0; self.model.n()];
                self.model.H().add_column(k, 1.0, &mut x);
                self.mass.solve(&mut x);
                self.columns[k] = Some(x);
            }
        }
    }

    fn column(&self, k: usize) -> &[f64] {
        self.columns[k].as_deref().unwrap_or(&[])
    }

    fn delassus(&self, set: &[usize], W: &mut DenseMatrix) {
        W.reset(set.len(), set.len());
        for (k, &j) in set.iter().enumerate() {
            let column = self.column(j);
            for (l, &i) in set.iter().enumerate() {
                W.set(l, k, self.model.H().column_dot(i, column));
            }
        }
    }

    /// The directions in which held contacts slide, into `directions`; zero where they do not.
    #[inline]
    fn slide(&mut self, held: &[Hold], v: &[f64]) {
        self.directions.clear();
        for hold in held {
            self.directions.push(match hold.along {
                TangentialMotion::Slides(sliding) => {
                    let u = self.model.tangent_rate(hold.contact, v);
                    sliding.at(u, self.model.tangent_columns(hold.contact).len())
                }
                _ => [0.0; 2],
            });
        }
    }

    /// The operator of the held contacts, factorised when they are new or slide in another direction.
    fn hold(&mut self, held: &[Hold], purpose: Purpose) -> bool {
        let conditions = &mut self.conditions[purpose as usize];
        let forces = purpose == Purpose::Forces;
        if conditions.held == held && (!forces || conditions.directions == self.directions) {
            return true;
        }
        let mut conditions = std::mem::take(conditions);
        conditions.rows.clear();
        for hold in held {
            conditions.rows.push(hold.contact);
            let tangents = self.model.tangent_columns(hold.contact);
            match hold.along {
                TangentialMotion::Sticks => conditions.rows.extend(tangents),
                TangentialMotion::Slides(_) => {
                    for column in tangents {
                        self.ensure(&[column]);
                    }
                }
                TangentialMotion::Frictionless => {}
            }
        }
        self.ensure(&conditions.rows);
        let mut W = std::mem::replace(&mut self.W, DenseMatrix::zeros(0, 0));
        self.delassus(&conditions.rows, &mut W);
        if forces {
            self.drag(held, &conditions.rows, &mut W);
        }
        let regular = conditions.load.factorise(&W);
        self.W = W;
        conditions.held.clear();
        conditions.directions.clear();
        if regular {
            conditions.held.extend_from_slice(held);
            conditions.directions.extend_from_slice(&self.directions);
        }
        self.conditions[purpose as usize] = conditions;
        regular
    }

    /// W ← W with the friction of contacts that slide in the columns of their normals.
    fn drag(&self, held: &[Hold], rows: &[usize], W: &mut DenseMatrix) {
        let mut at = 0;
        for (hold, d) in held.iter().zip(&self.directions) {
            if let TangentialMotion::Slides(_) = hold.along {
                let mu = self.model.contacts()[hold.contact].friction;
                for (k, column) in self.model.tangent_columns(hold.contact).enumerate() {
                    for (l, &row) in rows.iter().enumerate() {
                        let x = W.get(l, at) - mu * d[k] * self.model.H().column_dot(row, self.column(column));
                        W.set(l, at, x);
                    }
                }
            }
            at += 1 + if hold.along == TangentialMotion::Sticks {
                self.model.tangent_columns(hold.contact).len()
            } else {
                0
            };
        }
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

    fn friction(&self, i: usize) -> f64 {
        self.model.contacts()[i].friction
    }

    fn n_tangents(&self, i: usize) -> usize {
        if self.model.contacts()[i].friction > 0.0 { self.model.tangent_columns(i).len() } else { 0 }
    }

    #[inline]
    fn tangent_rate(&mut self, i: usize, _q: &[f64], v: &[f64]) -> [f64; 2] {
        self.model.tangent_rate(i, v)
    }

    #[inline]
    fn tangent_acceleration(&mut self, i: usize, _q: &[f64], _v: &[f64], a: &[f64]) -> [f64; 2] {
        self.model.tangent_rate(i, a)
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

    fn next_corner(&self, t: f64) -> f64 {
        self.model.next_corner(t)
    }

    fn obstacle_rate(&self, i: usize, _q: &[f64], t: f64) -> f64 {
        self.model.contacts()[i].offset.rate(t)
    }

    #[inline]
    fn accelerate(&mut self, t: f64, q: &[f64], v: &[f64], held: &[Hold], a: &mut [f64], lambda: &mut Forces) -> bool {
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
        self.slide(held, v);
        if !self.hold(held, Purpose::Forces) {
            return false;
        }
        let mut x = std::mem::take(&mut self.spare);
        x.clear();
        let m = self.model.n_contacts();
        let forces = &mut self.conditions[Purpose::Forces as usize];
        for &row in &forces.rows {
            let moving = if row < m { self.model.contacts()[row].offset.acceleration(t) } else { 0.0 };
            x.push(-self.model.H().column_dot(row, a) - moving);
        }
        forces.load.solve(&mut x);

        // forces by contact
        let mut at = 0;
        for ((hold, d), lambda) in held.iter().zip(&self.directions).zip(lambda) {
            *lambda = [x[at], 0.0, 0.0];
            at += 1;
            let tangents = self.model.tangent_columns(hold.contact);
            match hold.along {
                TangentialMotion::Frictionless => {}
                TangentialMotion::Sticks => {
                    let n = tangents.len();
                    lambda[1..=n].copy_from_slice(&x[at..at + n]);
                    at += n;
                }
                TangentialMotion::Slides(_) => {
                    let mu = self.model.contacts()[hold.contact].friction;
                    for k in 0..tangents.len() {
                        lambda[1 + k] = -mu * lambda[0] * d[k];
                    }
                }
            }
            vector::axpy(lambda[0], self.column(hold.contact), a);
            if hold.along != TangentialMotion::Frictionless {
                for (k, column) in tangents.enumerate() {
                    vector::axpy(lambda[1 + k], self.column(column), a);
                }
            }
        }
        self.spare = x;
        true
    }

    fn response(&mut self, _t: f64, _q: &[f64], rows: &[Row], W: &mut DenseMatrix) -> bool {
        let mut set = std::mem::take(&mut self.set);
        set.clear();
        for row in rows {
            let tangent = self.model.tangent_columns(row.contact).start + row.component.max(1) - 1;
            set.push(if row.component == 0 { row.contact } else { tangent });
        }
        self.ensure(&set);
        self.delassus(&set, W);
        self.set = set;
        true
    }

    fn push(&self, k: usize, p: f64, x: &mut [f64]) {
        vector::axpy(p, self.column(self.set[k]), x);
    }

    fn project(&mut self, t: f64, q: &mut [f64], v: &mut [f64], held: &[Hold]) -> bool {
        if held.is_empty() {
            return true;
        }
        let mut normals = std::mem::take(&mut self.normals);
        normals.clear();
        normals.extend(held.iter().map(|hold| Hold::frictionless(hold.contact)));
        let mut regular = true;
        for purpose in [Purpose::Places, Purpose::Velocities] {
            let velocity = purpose == Purpose::Velocities;
            regular &= self.hold(if velocity { held } else { &normals }, purpose);
            if !regular {
                break;
            }
            let mut x = std::mem::take(&mut self.spare);
            x.clear();
            let conditions = &mut self.conditions[purpose as usize];
            for &row in &conditions.rows {
                x.push(-match (velocity, row < self.model.n_contacts()) {
                    (false, _) => self.model.gap(row, q, t),
                    (true, true) => self.model.gap_rate(row, v, t),
                    (true, false) => self.model.H().column_dot(row, v),
                });
            }
            conditions.load.solve(&mut x);
            for (k, &row) in self.conditions[purpose as usize].rows.iter().enumerate() {
                vector::axpy(x[k], self.column(row), if velocity { v } else { q });
            }
            self.spare = x;
        }
        self.normals = normals;
        regular
    }

    /// q ← q − Jᵀ(J q + c), v ← v − JᵀJ v with orthonormal rows J.
    fn return_to_joints(&self, q: &mut [f64], v: &mut [f64]) -> bool {
        let J = self.model.J();
        for (k, c) in self.model.J_offsets().iter().enumerate() {
            let (place, rate) = (J.column_dot(k, q) + c, J.column_dot(k, v));
            J.add_column(k, -place, q);
            J.add_column(k, -rate, v);
        }
        J.n_cols() > 0
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
