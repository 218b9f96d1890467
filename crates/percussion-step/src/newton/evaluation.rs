//! Everything a Newton iteration asks of a model at one place, in buffers that are reused.

use percussion_matrix::{DenseMatrix, vector};
use percussion_model::{AtTime, Lagrangian};

/// M, f, their tangents, and all constraints with their gradients.
#[derive(Debug)]
pub struct Evaluation {
    /// M(q).
    pub M: DenseMatrix,
    /// f(q, v, t).
    pub f: Vec<f64>,
    /// −∂f/∂q.
    pub K: DenseMatrix,
    /// −∂f/∂v.
    pub C: DenseMatrix,
    /// Whether C has any entry.
    pub damped: bool,
    /// g_j(q, t), joints first.
    pub g: Vec<f64>,
    /// ∂g_j/∂t, zero where no obstacle moves.
    pub rates: Vec<f64>,
    /// ∂g_j/∂q in column j.
    pub G: DenseMatrix,
}

impl Evaluation {
    /// Buffers for a model.
    pub fn new(model: &dyn Lagrangian) -> Self {
        let n = model.n();
        let nc = model.n_joints() + model.restitutions().len();
        Self {
            M: DenseMatrix::zeros(n, n),
            f: vec![0.0; n],
            K: DenseMatrix::zeros(n, n),
            C: DenseMatrix::zeros(n, n),
            damped: false,
            g: vec![0.0; nc],
            rates: vec![0.0; nc],
            G: DenseMatrix::zeros(n, nc),
        }
    }

    /// Forces and mass at (q, v, t).
    pub fn dynamics(&mut self, model: &dyn Lagrangian, q: &[f64], v: &[f64], t: f64) {
        self.M.values_mut().fill(0.0);
        model.mass(q, &mut self.M);
        model.force(q, v, t, &mut self.f);
    }

    /// Tangents at (q, v, t).
    pub fn tangents(&mut self, model: &dyn Lagrangian, q: &[f64], v: &[f64], t: f64) {
        self.K.values_mut().fill(0.0);
        self.C.values_mut().fill(0.0);
        model.force_tangents(q, v, t, &mut self.K, &mut self.C);
        self.damped = self.C.values().iter().any(|&x| x != 0.0);
    }

    /// Round-off of an impulse h f that is the difference of terms of the size of the stiffness times the coordinates.
    pub fn round_off(&mut self, model: &dyn Lagrangian, q: &[f64], v: &[f64], t: f64, h: f64) -> f64 {
        self.tangents(model, q, v, t);
        8.0 * f64::EPSILON * h * vector::max_abs(self.K.values()) * vector::max_abs(q)
    }

    /// Constraints and gradients at q and t.
    pub fn constraints(&mut self, model: &dyn Lagrangian, q: &[f64], t: f64) {
        let at = AtTime(model, t);
        self.G.values_mut().fill(0.0);
        for j in 0..self.g.len() {
            self.g[j] = at.constraint(j, q);
            at.gradient(j, q, self.G.column_mut(j));
            self.rates[j] = at.rate(j, q);
        }
    }

    /// ġ_j = ∂g_j/∂q·v + ∂g_j/∂t.
    #[inline]
    pub fn constraint_rate(&self, j: usize, v: &[f64]) -> f64 {
        vector::dot(self.G.column(j), v) + self.rates[j]
    }
}

/// y ← y + α A x, column by column.
#[inline]
pub fn mul_add(A: &DenseMatrix, alpha: f64, x: &[f64], y: &mut [f64]) {
    for (j, &xj) in x.iter().enumerate() {
        if xj != 0.0 {
            vector::axpy(alpha * xj, A.column(j), y);
        }
    }
}
