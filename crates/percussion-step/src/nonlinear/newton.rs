//! The dense linear system of a Newton iteration, filled block by block.

use super::evaluation::{Evaluation, mul_add};
use crate::{Memory, NewmarkLike, State};
use percussion_matrix::{DenseMatrix, SmallLu, vector};
use percussion_model::Lagrangian;

/// T x = −r with its factorisation.
#[derive(Debug, Default)]
pub struct NewtonSystem {
    size: usize,
    lu: SmallLu,
    T: Vec<f64>,
    /// The right-hand side, then the solution.
    pub x: Vec<f64>,
}

impl NewtonSystem {
    /// A zero system of the given size.
    pub fn clear(&mut self, size: usize) {
        self.size = size;
        self.T.clear();
        self.T.resize(size * size, 0.0);
        self.x.clear();
        self.x.resize(size, 0.0);
    }

    /// T[i, j] += x.
    #[inline]
    pub fn add(&mut self, i: usize, j: usize, x: f64) {
        self.T[i + j * self.size] += x;
    }

    /// T[row.., col..] += c A.
    pub fn add_block(&mut self, row: usize, col: usize, c: f64, A: &DenseMatrix) {
        if c == 0.0 {
            return;
        }
        for j in 0..A.n_cols() {
            let start = row + (col + j) * self.size;
            for (t, a) in self.T[start..start + A.n_rows()].iter_mut().zip(A.column(j)) {
                *t += c * a;
            }
        }
    }

    /// T[row.., col] += c a.
    pub fn add_column(&mut self, row: usize, col: usize, c: f64, a: &[f64]) {
        let start = row + col * self.size;
        for (t, a) in self.T[start..start + a.len()].iter_mut().zip(a) {
            *t += c * a;
        }
    }

    /// T[row, col..] += c a.
    pub fn add_row(&mut self, row: usize, col: usize, c: f64, a: &[f64]) {
        for (j, a) in a.iter().enumerate() {
            self.T[row + (col + j) * self.size] += c * a;
        }
    }

    /// Entry (i, j) of T.
    #[inline]
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        self.T[i + j * self.size]
    }

    /// Factorises T; false when it is singular.
    pub fn factorise(&mut self) -> bool {
        self.lu.reset(self.size).copy_from_slice(&self.T);
        self.lu.factorise()
    }

    /// Factorises T with `shift(i)` added to its diagonal, for systems that redundant joints make singular.
    pub fn factorise_shifted(&mut self, shift: impl Fn(usize) -> f64) -> bool {
        let buffer = self.lu.reset(self.size);
        buffer.copy_from_slice(&self.T);
        for i in 0..self.size {
            buffer[i + i * self.size] += shift(i);
        }
        self.lu.factorise()
    }

    /// b ← T⁻¹ b with the last factorisation and refinement, which takes out what a shift put in where a solution exists.
    pub fn solve_refined(&self, b: &mut [f64]) {
        let n = self.size;
        let rhs = b.to_vec();
        let size = vector::max_abs(&rhs);
        self.lu.solve(b);
        for _ in 0..4 {
            let mut rest = rhs.clone();
            for j in 0..n {
                vector::axpy(-b[j], &self.T[j * n..(j + 1) * n], &mut rest);
            }
            if vector::max_abs(&rest) <= 1e-15 * size {
                return;
            }
            self.lu.solve(&mut rest);
            vector::axpy(1.0, &rest, b);
        }
    }

    /// x ← T⁻¹ x with the last factorisation; false when the result is not finite.
    pub fn solve(&mut self) -> bool {
        self.lu.solve(&mut self.x);
        self.x.iter().all(|x| x.is_finite())
    }
}

/// Places of a and v̇ in the memory of the nonlinear generalized-α schemes.
pub const ACCELERATION: usize = 0;
/// See `ACCELERATION`.
pub const SMOOTH: usize = 1;

/// a_{n+1} from (1−α_m) a_{n+1} + α_m a_n = (1−α_f) v̇_{n+1} + α_f v̇_n, and v̇_{n+1}, into the next memory.
pub fn carry(p: &NewmarkLike, vd: &[f64], memory: &Memory, next: &mut Memory) {
    next.fields.resize_with(2, Vec::new);
    for field in &mut next.fields {
        field.resize(vd.len(), 0.0);
    }
    for i in 0..vd.len() {
        let (a_n, vd_n) = (memory.fields[ACCELERATION][i], memory.fields[SMOOTH][i]);
        next.fields[ACCELERATION][i] =
            (p.alpha_f * vd_n - p.alpha_m * a_n + (1.0 - p.alpha_f) * vd[i]) / (1.0 - p.alpha_m);
        next.fields[SMOOTH][i] = vd[i];
    }
}

/// v̂ and q̂ with v̇ = 0: the prediction of generalized-α.
pub fn predict(p: &NewmarkLike, state: &State, memory: &Memory, h: f64, v: &mut [f64], q: &mut [f64]) {
    let (a, vd) = (&memory.fields[ACCELERATION], &memory.fields[SMOOTH]);
    for i in 0..v.len() {
        let a_p = (p.alpha_f * vd[i] - p.alpha_m * a[i]) / (1.0 - p.alpha_m);
        v[i] = state.v[i] + h * ((1.0 - p.gamma) * a[i] + p.gamma * a_p);
        q[i] = state.q[i] + h * state.v[i] + h * h * ((0.5 - p.beta) * a[i] + p.beta * a_p);
    }
}

/// v̇ of [M g_bᵀ; g_b 0][v̇; −λ] = [f; −∂(g_b v)/∂q v] over the first `nb` joints, evaluated at (q, v); `None` when singular.
pub fn consistent_acceleration(
    model: &dyn Lagrangian,
    at: &Evaluation,
    q: &[f64],
    v: &[f64],
    nb: usize,
    system: &mut NewtonSystem,
) -> Option<Vec<f64>> {
    let n = model.n();
    system.clear(n + nb);
    system.add_block(0, 0, 1.0, &at.M);
    system.x[..n].copy_from_slice(&at.f);
    let mut hessian = DenseMatrix::zeros(n, n);
    let mut row = vec![0.0; n];
    for j in 0..nb {
        system.add_column(0, n + j, 1.0, at.G.column(j));
        system.add_row(n + j, 0, 1.0, at.G.column(j));
        hessian.values_mut().fill(0.0);
        model.hessian(j, q, 1.0, &mut hessian);
        row.fill(0.0);
        mul_add(&hessian, 1.0, v, &mut row);
        system.x[n + j] = -vector::dot(&row, v);
    }
    if !system.factorise() {
        // redundant joints: a small compliance shares the load, refinement removes its effect on the motion
        let size = vector::max_abs(at.M.values());
        let norm = |j: usize| vector::dot(at.G.column(j), at.G.column(j));
        if !system.factorise_shifted(|i| if i < n { 0.0 } else { -REDUNDANT * norm(i - n) / size }) {
            return None;
        }
    }
    let mut x = system.x.clone();
    system.solve_refined(&mut x);
    x.truncate(n);
    x.iter().all(|x| x.is_finite()).then_some(x)
}

/// Relative compliance given to joint rows when joints are redundant.
pub const REDUNDANT: f64 = 1e-8;

/// r_j ← 1/(g_q M⁻¹ g_qᵀ)_jj, the mass each constraint sees; false when M is singular or a gradient vanishes.
pub fn effective_masses(at: &Evaluation, system: &mut NewtonSystem, r: &mut [f64]) -> bool {
    system.clear(at.M.n_rows());
    system.add_block(0, 0, 1.0, &at.M);
    system.factorise() && divide_out(at, system, r)
}

/// The same from the factorised matrix in `system`.
pub fn divide_out(at: &Evaluation, system: &mut NewtonSystem, r: &mut [f64]) -> bool {
    for j in 0..r.len() {
        let column = at.G.column(j);
        system.x.clear();
        system.x.extend_from_slice(column);
        if !system.solve() {
            return false;
        }
        let w = vector::dot(&system.x, column);
        if w <= 0.0 || w.is_nan() {
            return false;
        }
        r[j] = 1.0 / w;
    }
    true
}
