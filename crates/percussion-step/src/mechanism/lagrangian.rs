//! A nonlinear model as a mechanism: everything evaluated where it is asked.
//!
//!   [M  G_cᵀ; G_c  0] [a; −λ] = [f; −(∂²g_c/∂q²)[v, v] − 2 (∂²g_c/∂q∂t)·v − ∂²g_c/∂t²]
//!
//! over joints, held contacts and tangents that stick c; the last two terms where obstacles move.
//!
//! The normal force of a contact that slides brings its friction along: its column is G − μ T d.

use crate::mechanism::hold::{Hold, Row, TangentialMotion, forces};
use crate::mechanism::{Forces, Mechanism, Power};
use crate::newton::evaluation::mul_add;
use crate::newton::system::{NewtonSystem, REDUNDANT};
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::{AtTime, Lagrangian};
use std::sync::Arc;

/// A nonlinear model with its work memory.
pub struct NonlinearMechanism {
    model: Arc<dyn Lagrangian>,
    M: DenseMatrix,
    f: Vec<f64>,
    K: DenseMatrix,
    C: DenseMatrix,
    /// Gradients of the constraints of the current system, one after the other, and which they are.
    rows: Vec<f64>,
    all: Vec<Condition>,
    hessian: DenseMatrix,
    row: Vec<f64>,
    system: NewtonSystem,
    /// M⁻¹G of the last response, one after the other.
    columns: Vec<f64>,
    /// Directions in which the held contacts slide; zero where they do not.
    directions: Vec<[f64; 2]>,
    normals: Vec<Hold>,
    /// Whether what is factorised is a constant mass and nothing else.
    mass_alone: bool,
    /// Whether the system has the compliance of redundant constraints in it.
    soft: bool,
    /// Gradients of the set of the last response.
    set_rows: Vec<f64>,
}

/// A row of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    /// A joint or the normal of a contact, as the model counts constraints.
    Constraint(usize),
    /// Tangent k of contact i, which sticks.
    Tangent(usize, usize),
}

/// Newton steps of a projection: it starts within the integration error of a solution.
const PROJECTIONS: usize = 4;

impl NonlinearMechanism {
    /// Buffers for a model.
    pub fn new(model: Arc<dyn Lagrangian>) -> Self {
        let n = model.n();
        Self {
            M: DenseMatrix::zeros(n, n),
            f: vec![0.0; n],
            rows: Vec::new(),
            hessian: DenseMatrix::zeros(n, n),
            row: vec![0.0; n],
            system: NewtonSystem::default(),
            columns: Vec::new(),
            all: Vec::new(),
            directions: Vec::new(),
            mass_alone: false,
            normals: Vec::new(),
            K: DenseMatrix::zeros(0, 0),
            C: DenseMatrix::zeros(0, 0),
            soft: false,
            set_rows: Vec::new(),
            model,
        }
    }

    /// The constraints at a time.
    fn at(&self, t: f64) -> AtTime<'_> {
        AtTime(&*self.model, t)
    }

    /// g̈_j without acceleration: (∂²g_j/∂q²)[v, v] and what the motion of the obstacle adds.
    fn curvature(&mut self, j: usize, q: &[f64], v: &[f64], t: f64) -> f64 {
        let at = AtTime(&*self.model, t);
        self.hessian.values_mut().fill(0.0);
        at.hessian(j, q, 1.0, &mut self.hessian);
        self.row.fill(0.0);
        mul_add(&self.hessian, 1.0, v, &mut self.row);
        vector::dot(&self.row, v) + at.drift(j, q, v)
    }

    /// row ← a condition's gradient at q and t; comes zeroed.
    fn gradient(&self, condition: Condition, (t, q): (f64, &[f64]), row: &mut [f64]) {
        match condition {
            Condition::Constraint(j) => self.at(t).gradient(j, q, row),
            Condition::Tangent(i, k) => self.model.contact_tangent(i, k, q, row),
        }
    }

    /// The matrix over M(q), the joints and the held contacts, factorised; its conditions go to `all`. With v the normal
    /// forces of contacts that slide bring their friction along, in the directions left in `directions`.
    fn factorise(&mut self, (t, q): (f64, &[f64]), v: Option<&[f64]>, held: &[Hold]) -> bool {
        let (n, nb) = (self.model.n(), self.model.n_joints());
        // a constant mass alone stays factorised
        let alone = nb == 0 && held.is_empty() && self.model.mass_is_constant();
        if alone && self.mass_alone {
            self.all.clear();
            self.directions.clear();
            return true;
        }
        self.mass_alone = false;
        self.M.values_mut().fill(0.0);
        self.model.mass(q, &mut self.M);
        self.all.clear();
        self.all.extend((0..nb).map(Condition::Constraint));
        for hold in held {
            self.all.push(Condition::Constraint(nb + hold.contact));
            if hold.along == TangentialMotion::Sticks {
                self.all.extend((0..self.n_tangents(hold.contact)).map(|k| Condition::Tangent(hold.contact, k)));
            }
        }
        let m = self.all.len();
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        rows.resize(m * n, 0.0);
        self.system.clear(n + m);
        self.system.add_block(0, 0, 1.0, &self.M);
        for k in 0..m {
            let row = &mut rows[k * n..(k + 1) * n];
            self.gradient(self.all[k], (t, q), row);
            self.system.add_column(0, n + k, 1.0, row);
            self.system.add_row(n + k, 0, 1.0, row);
        }
        self.rows = rows;
        self.directions.clear();
        self.directions.resize(held.len(), [0.0; 2]);
        if let Some(v) = v {
            self.drag(q, v, held);
        }
        self.soft = !self.system.factorise();
        if !self.soft {
            self.mass_alone = alone;
            return true;
        }
        // constraints that repeat each other: a small compliance shares the load
        let size = vector::max_abs(self.M.values());
        let rows = &self.rows;
        let compliance = |i: usize| {
            if i < n {
                return 0.0;
            }
            let row = &rows[(i - n) * n..(i - n + 1) * n];
            -REDUNDANT * vector::dot(row, row) / size
        };
        self.system.factorise_shifted(compliance)
    }

    /// The friction of contacts that slide, in the columns of their normals.
    fn drag(&mut self, q: &[f64], v: &[f64], held: &[Hold]) {
        let (n, mut at) = (self.model.n(), self.model.n_joints());
        for (k, hold) in held.iter().enumerate() {
            let i = hold.contact;
            if let TangentialMotion::Slides(sliding) = hold.along {
                let tangents = self.n_tangents(i);
                let d = sliding.at(self.tangent_rate(i, q, v), tangents);
                self.directions[k] = d;
                for (tangent, d) in d.into_iter().enumerate().take(tangents) {
                    self.row.fill(0.0);
                    self.model.contact_tangent(i, tangent, q, &mut self.row);
                    self.system.add_column(0, n + at, -self.friction(i) * d, &self.row);
                }
            }
            at += 1 + if hold.along == TangentialMotion::Sticks { self.n_tangents(i) } else { 0 };
        }
    }

    /// system.x ← its solution; false when that is not finite.
    fn solve(&mut self) -> bool {
        if !self.soft {
            return self.system.solve();
        }
        let mut x = std::mem::take(&mut self.system.x);
        self.system.solve_refined(&mut x);
        self.system.x = x;
        self.system.x.iter().all(|x| x.is_finite())
    }
}

impl Mechanism for NonlinearMechanism {
    fn n(&self) -> usize {
        self.model.n()
    }

    fn n_contacts(&self) -> usize {
        self.model.restitutions().len()
    }

    fn restitution(&self, i: usize) -> f64 {
        self.model.restitutions()[i]
    }

    fn friction(&self, i: usize) -> f64 {
        self.model.frictions().get(i).copied().unwrap_or(0.0)
    }

    fn n_tangents(&self, i: usize) -> usize {
        if self.friction(i) > 0.0 { self.model.n_tangents(i) } else { 0 }
    }

    fn tangent_rate(&mut self, i: usize, q: &[f64], v: &[f64]) -> [f64; 2] {
        let mut u = [0.0; 2];
        for (k, u) in u.iter_mut().enumerate().take(self.n_tangents(i)) {
            self.row.fill(0.0);
            self.model.contact_tangent(i, k, q, &mut self.row);
            *u = vector::dot(&self.row, v);
        }
        u
    }

    fn tangent_acceleration(&mut self, i: usize, q: &[f64], v: &[f64], a: &[f64]) -> [f64; 2] {
        let mut rate = self.tangent_rate(i, q, a);
        for (k, rate) in rate.iter_mut().enumerate().take(self.n_tangents(i)) {
            *rate += self.model.tangent_drift(i, k, q, v);
        }
        rate
    }

    fn is_linear(&self) -> bool {
        false
    }

    fn drifts(&self) -> bool {
        self.model.n_joints() > 0
    }

    fn gap(&self, i: usize, q: &[f64], t: f64) -> f64 {
        self.at(t).constraint(self.model.n_joints() + i, q)
    }

    fn gap_size(&mut self, i: usize, q: &[f64], t: f64) -> f64 {
        self.row.fill(0.0);
        AtTime(&*self.model, t).gradient(self.model.n_joints() + i, q, &mut self.row);
        vector::max_abs(&self.row) * vector::max_abs(q)
    }

    fn gap_rate(&mut self, i: usize, q: &[f64], v: &[f64], t: f64) -> f64 {
        self.row.fill(0.0);
        AtTime(&*self.model, t).gradient(self.model.n_joints() + i, q, &mut self.row);
        vector::dot(&self.row, v) + self.obstacle_rate(i, q, t)
    }

    fn gap_acceleration(&mut self, i: usize, q: &[f64], v: &[f64], a: &[f64], t: f64) -> f64 {
        let curvature = self.curvature(self.model.n_joints() + i, q, v, t);
        self.row.fill(0.0);
        AtTime(&*self.model, t).gradient(self.model.n_joints() + i, q, &mut self.row);
        curvature + vector::dot(&self.row, a)
    }

    fn next_corner(&self, t: f64) -> f64 {
        self.model.next_corner(t)
    }

    fn obstacle_rate(&self, i: usize, q: &[f64], t: f64) -> f64 {
        self.at(t).rate(self.model.n_joints() + i, q)
    }

    fn accelerate(&mut self, t: f64, q: &[f64], v: &[f64], held: &[Hold], a: &mut [f64], lambda: &mut Forces) -> bool {
        let (n, nb) = (self.model.n(), self.model.n_joints());
        if !self.factorise((t, q), Some(v), held) {
            return false;
        }
        self.model.force(q, v, t, &mut self.f);
        let mut x = std::mem::take(&mut self.system.x);
        x.clear();
        x.extend_from_slice(&self.f);
        for k in 0..self.all.len() {
            x.push(-match self.all[k] {
                Condition::Constraint(j) => self.curvature(j, q, v, t),
                Condition::Tangent(i, k) => self.model.tangent_drift(i, k, q, v),
            });
        }
        self.system.x = x;
        if !self.solve() {
            return false;
        }
        let x = &self.system.x;
        a.copy_from_slice(&x[..n]);
        let of = (|i| self.n_tangents(i), |i| self.friction(i));
        forces(held, &self.directions, of, x[n + nb..].iter().map(|x| -x), lambda);
        true
    }

    /// With a constant mass alone: ∂a/∂q = −M⁻¹K, ∂a/∂v = −M⁻¹C.
    fn derivatives(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        held: &[Hold],
        Jq: &mut DenseMatrix,
        Jv: &mut DenseMatrix,
    ) -> bool {
        let n = self.model.n();
        let alone = held.is_empty() && self.model.n_joints() == 0 && self.model.mass_is_constant();
        if !(alone && self.factorise((t, q), None, held)) || self.soft {
            return false;
        }
        self.K.reset(n, n);
        self.C.reset(n, n);
        self.model.force_tangents(q, v, t, &mut self.K, &mut self.C);
        for (from, to) in [(&self.K, Jq), (&self.C, Jv)] {
            to.reset(n, n);
            for j in 0..n {
                if from.column(j).iter().all(|&x| x == 0.0) {
                    continue;
                }
                self.system.x.clear();
                self.system.x.extend(from.column(j).iter().map(|x| -x));
                if !self.system.solve() {
                    return false;
                }
                to.column_mut(j).copy_from_slice(&self.system.x);
            }
        }
        true
    }

    fn response(&mut self, t: f64, q: &[f64], rows: &[Row], W: &mut DenseMatrix) -> bool {
        let n = self.model.n();
        let nb = self.model.n_joints();
        if !self.factorise((t, q), None, &[]) {
            return false;
        }
        let mut columns = std::mem::take(&mut self.columns);
        columns.clear();
        let mut gradients = std::mem::take(&mut self.set_rows);
        gradients.clear();
        gradients.resize(n * rows.len(), 0.0);
        for (k, &Row { contact, component }) in rows.iter().enumerate() {
            let gradient = &mut gradients[k * n..(k + 1) * n];
            let condition = match component {
                0 => Condition::Constraint(nb + contact),
                k => Condition::Tangent(contact, k - 1),
            };
            self.gradient(condition, (t, q), gradient);
            self.system.x.clear();
            self.system.x.extend_from_slice(gradient);
            self.system.x.resize(n + nb, 0.0);
            if !self.solve() {
                return false;
            }
            columns.extend_from_slice(&self.system.x[..n]);
        }
        W.reset(rows.len(), rows.len());
        for k in 0..rows.len() {
            for l in 0..rows.len() {
                W.set(l, k, vector::dot(&gradients[l * n..(l + 1) * n], &columns[k * n..(k + 1) * n]));
            }
        }
        self.columns = columns;
        self.set_rows = gradients;
        true
    }

    fn push(&self, k: usize, p: f64, x: &mut [f64]) {
        let n = x.len();
        vector::axpy(p, &self.columns[k * n..(k + 1) * n], x);
    }

    fn project(&mut self, t: f64, q: &mut [f64], v: &mut [f64], held: &[Hold]) -> bool {
        let n = self.model.n();
        if self.model.n_joints() + held.len() == 0 {
            return true;
        }
        // places: normals alone; velocities: tangents that stick too
        let mut normals = std::mem::take(&mut self.normals);
        normals.clear();
        normals.extend(held.iter().map(|hold| Hold::frictionless(hold.contact)));
        let mut regular = true;
        for _ in 0..PROJECTIONS {
            regular = self.factorise((t, q), None, &normals);
            if !regular {
                break;
            }
            let mut x = std::mem::take(&mut self.system.x);
            x.clear();
            x.resize(n, 0.0);
            x.extend(self.all.iter().map(|&condition| match condition {
                Condition::Constraint(j) => -self.at(t).constraint(j, q),
                Condition::Tangent(..) => 0.0,
            }));
            let worst = vector::max_abs(&x);
            self.system.x = x;
            if worst <= 4.0 * f64::EPSILON * vector::max_abs(q) {
                break;
            }
            regular = self.solve();
            if !regular {
                break;
            }
            vector::axpy(1.0, &self.system.x[..n], q);
        }
        self.normals = normals;
        if !regular || !self.factorise((t, q), None, held) {
            return false;
        }
        let mut x = std::mem::take(&mut self.system.x);
        x.clear();
        x.resize(n, 0.0);
        x.extend(self.all.iter().zip(self.rows.chunks_exact(n)).map(|(&condition, row)| {
            let moved = match condition {
                Condition::Constraint(j) => self.at(t).rate(j, q),
                Condition::Tangent(..) => 0.0,
            };
            -(vector::dot(row, v) + moved)
        }));
        self.system.x = x;
        if !self.solve() {
            return false;
        }
        vector::axpy(1.0, &self.system.x[..n], v);
        true
    }

    fn power(&self, t: f64, q: &[f64], v: &[f64]) -> Power {
        Power { external: self.model.power_without_potential(q, v, t), damping: 0.0 }
    }

    fn kinetic_energy(&self, q: &[f64], v: &[f64]) -> f64 {
        self.model.kinetic_energy(q, v)
    }

    fn potential_energy(&self, q: &[f64]) -> f64 {
        self.model.potential_energy(q)
    }
}
