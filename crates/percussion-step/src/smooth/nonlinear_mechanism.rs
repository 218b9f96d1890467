//! A nonlinear model as a mechanism: everything evaluated where it is asked.
//!
//!   [M  G_cᵀ; G_c  0] [a; −λ] = [f; −(∂²g_c/∂q²)[v, v]]    over joints and held contacts c

use super::mechanism::{Mechanism, Power};
use crate::nonlinear::{NewtonSystem, REDUNDANT, mul_add};
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::Lagrangian;
use std::sync::Arc;

/// A nonlinear model with its work memory.
pub struct NonlinearMechanism {
    model: Arc<dyn Lagrangian>,
    M: DenseMatrix,
    f: Vec<f64>,
    /// Gradients of the constraints of the current system, one after the other.
    rows: Vec<f64>,
    hessian: DenseMatrix,
    row: Vec<f64>,
    system: NewtonSystem,
    /// M⁻¹G of the last response, one after the other.
    columns: Vec<f64>,
    all: Vec<usize>,
    /// Whether the system has the compliance of redundant constraints in it.
    soft: bool,
    /// Gradients of the set of the last response.
    set_rows: Vec<f64>,
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
            soft: false,
            set_rows: Vec::new(),
            model,
        }
    }

    /// (∂²g_j/∂q²)[v, v].
    fn curvature(&mut self, j: usize, q: &[f64], v: &[f64]) -> f64 {
        self.hessian.values_mut().fill(0.0);
        self.model.hessian(j, q, 1.0, &mut self.hessian);
        self.row.fill(0.0);
        mul_add(&self.hessian, 1.0, v, &mut self.row);
        vector::dot(&self.row, v)
    }

    /// The matrix over M(q), the joints and some contacts, factorised; its constraints go to `all`.
    fn factorise(&mut self, q: &[f64], contacts: &[usize]) -> bool {
        let (n, nb) = (self.model.n(), self.model.n_joints());
        self.M.values_mut().fill(0.0);
        self.model.mass(q, &mut self.M);
        self.all.clear();
        self.all.extend(0..nb);
        self.all.extend(contacts.iter().map(|i| nb + i));
        let m = self.all.len();
        self.rows.clear();
        self.rows.resize(m * n, 0.0);
        self.system.clear(n + m);
        self.system.add_block(0, 0, 1.0, &self.M);
        for (k, &j) in self.all.iter().enumerate() {
            let row = &mut self.rows[k * n..(k + 1) * n];
            self.model.gradient(j, q, row);
            self.system.add_column(0, n + k, 1.0, row);
            self.system.add_row(n + k, 0, 1.0, row);
        }
        self.soft = !self.system.factorise();
        if !self.soft {
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

    fn is_linear(&self) -> bool {
        false
    }

    fn drifts(&self) -> bool {
        self.model.n_joints() > 0
    }

    fn gap(&self, i: usize, q: &[f64], _t: f64) -> f64 {
        self.model.constraint(self.model.n_joints() + i, q)
    }

    fn gap_size(&mut self, i: usize, q: &[f64], _t: f64) -> f64 {
        self.row.fill(0.0);
        self.model.gradient(self.model.n_joints() + i, q, &mut self.row);
        vector::max_abs(&self.row) * vector::max_abs(q)
    }

    fn gap_rate(&mut self, i: usize, q: &[f64], v: &[f64], _t: f64) -> f64 {
        self.row.fill(0.0);
        self.model.gradient(self.model.n_joints() + i, q, &mut self.row);
        vector::dot(&self.row, v)
    }

    fn gap_acceleration(&mut self, i: usize, q: &[f64], v: &[f64], a: &[f64], t: f64) -> f64 {
        self.curvature(self.model.n_joints() + i, q, v) + self.gap_rate(i, q, a, t)
    }

    fn obstacle_rate(&self, _i: usize, _t: f64) -> f64 {
        0.0
    }

    fn accelerate(&mut self, t: f64, q: &[f64], v: &[f64], held: &[usize], a: &mut [f64], lambda: &mut [f64]) -> bool {
        let (n, nb) = (self.model.n(), self.model.n_joints());
        if !self.factorise(q, held) {
            return false;
        }
        self.model.force(q, v, t, &mut self.f);
        let mut x = std::mem::take(&mut self.system.x);
        x.clear();
        x.extend_from_slice(&self.f);
        for k in 0..self.all.len() {
            let drift = self.curvature(self.all[k], q, v);
            x.push(-drift);
        }
        self.system.x = x;
        if !self.solve() {
            return false;
        }
        let x = &self.system.x;
        a.copy_from_slice(&x[..n]);
        for (k, lambda) in lambda.iter_mut().enumerate() {
            *lambda = -x[n + nb + k];
        }
        true
    }

    fn response(&mut self, q: &[f64], set: &[usize], W: &mut DenseMatrix) -> bool {
        let n = self.model.n();
        let nb = self.model.n_joints();
        if !self.factorise(q, &[]) {
            return false;
        }
        let mut columns = std::mem::take(&mut self.columns);
        columns.clear();
        let mut rows = std::mem::take(&mut self.set_rows);
        rows.clear();
        rows.resize(n * set.len(), 0.0);
        for (k, &i) in set.iter().enumerate() {
            let row = &mut rows[k * n..(k + 1) * n];
            self.model.gradient(nb + i, q, row);
            self.system.x.clear();
            self.system.x.extend_from_slice(row);
            self.system.x.resize(n + nb, 0.0);
            if !self.solve() {
                return false;
            }
            columns.extend_from_slice(&self.system.x[..n]);
        }
        W.reset(set.len(), set.len());
        for k in 0..set.len() {
            for l in 0..set.len() {
                W.set(l, k, vector::dot(&rows[l * n..(l + 1) * n], &columns[k * n..(k + 1) * n]));
            }
        }
        self.columns = columns;
        self.set_rows = rows;
        true
    }

    fn push(&self, k: usize, p: f64, x: &mut [f64]) {
        let n = x.len();
        vector::axpy(p, &self.columns[k * n..(k + 1) * n], x);
    }

    fn project(&mut self, _t: f64, q: &mut [f64], v: &mut [f64], held: &[usize]) -> bool {
        let n = self.model.n();
        if self.model.n_joints() + held.len() == 0 {
            return true;
        }
        for _ in 0..PROJECTIONS {
            if !self.factorise(q, held) {
                return false;
            }
            let mut x = std::mem::take(&mut self.system.x);
            x.clear();
            x.resize(n, 0.0);
            x.extend(self.all.iter().map(|&j| -self.model.constraint(j, q)));
            let worst = vector::max_abs(&x);
            self.system.x = x;
            if worst <= 4.0 * f64::EPSILON * vector::max_abs(q) {
                break;
            }
            if !self.solve() {
                return false;
            }
            vector::axpy(1.0, &self.system.x[..n], q);
        }
        if !self.factorise(q, held) {
            return false;
        }
        let mut x = std::mem::take(&mut self.system.x);
        x.clear();
        x.resize(n, 0.0);
        x.extend((0..self.all.len()).map(|k| -vector::dot(&self.rows[k * n..(k + 1) * n], v)));
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
