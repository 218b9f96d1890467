//! Small vibrations of bodies, joints and beams about a place at rest.
//!
//!   M δẍ + K δx = Jᵀδλ,  J δx = 0:    K = ∂r/∂x at constant reactions λ, which are those that hold the loads as far as any do
//!   with M = LLᵀ, B = L⁻¹Jᵀ, P = 1 − B(BᵀB)⁺Bᵀ:  eigenvalues ω² of P L⁻¹KL⁻ᵀP on the range of P
//!
//! Reactions stand in K: a pendulum swings because its pin carries its weight. Negative ω² is a place that is not stable. Contacts, dampers
//! and gyroscopic terms are left out, and so are spins of the nodes of cables, which nothing resists and no row holds: points that pull have no
//! turn, and ω = 0 of each would come out as round-off of either sign.

use crate::bodies::joint_system::JointSystem;
use crate::bodies::spin::Wrench;
use percussion_matrix::DenseMatrix;
use percussion_model::bodies::math::scale;
use percussion_model::bodies::measure::BodyRow;
use percussion_model::bodies::{Bodies, Twist, at};
use std::sync::Arc;

/// Coordinates at most: the matrices are dense.
pub const MOST: usize = 1500;
/// Part of the scene's size, and angle, for central differences.
const NUDGE: f64 = 1e-5;

/// Part of the largest eigenvalue of BᵀB under which rows follow from others.
const DEPENDENT: f64 = 1e-12;

/// Part of the largest stiffness, and arm [m], under which a spin is resisted by round-off alone.
const UNFELT: f64 = 1e-12;

/// One mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// ω² [1/s²].
    pub square: f64,
    /// World displacement and turn in the frame of each body, with ½ δxᵀM δx = ½.
    pub shape: Vec<BodyRow>,
}

impl Mode {
    /// ω/2π [Hz], negative where the place is not stable.
    pub fn frequency(&self) -> f64 {
        self.square.abs().sqrt().copysign(self.square) / std::f64::consts::TAU
    }
}

/// The modes about q under the loads of time t, by rising ω²; none where there are too many coordinates or no decomposition.
pub fn modes(scene: &Arc<Bodies>, q: &[f64], t: f64) -> Option<Vec<Mode>> {
    let still = Arc::new(scene.held_at(t));
    let used: &[usize] = if still.is_planar() { &[0, 1, 5] } else { &[0, 1, 2, 3, 4, 5] };
    let free: Vec<usize> = (0..still.len()).filter(|&i| still.bodies()[i].is_free()).collect();
    let all = free.iter().flat_map(|&i| used.iter().map(move |&k| (i, k)));
    let columns: Vec<(usize, usize)> = all.filter(|&(i, k)| still.is_used(i, k)).collect();
    if columns.is_empty() || columns.len() > MOST {
        return None;
    }
    let mut rest = Rest::new(&still, q, t);
    let J = rest.rows(&columns);
    let mut M = mass(&still, &columns);
    if still.has_massless() {
        add_held(&mut M, &J);
    }
    let mut factor = Triangle::new(&M)?;
    let mut B = factor.of_rows(&J);
    rest.hold(&B, &columns, &factor)?;
    let mut A = rest.stiffness(&columns);
    let kept = resisted(&still, &columns, &J, &A);
    if kept.is_empty() {
        return Some(Vec::new());
    }
    let columns: Vec<(usize, usize)> = kept.iter().map(|&k| columns[k]).collect();
    if kept.len() < J.n_rows() {
        factor = Triangle::new(&chosen(&M, &kept, &kept)?)?;
        B = factor.of_rows(&chosen(&J, &kept, &(0..J.n_cols()).collect::<Vec<_>>())?);
        A = chosen(&A, &kept, &kept)?;
    }
    factor.reduce(&mut A);
    // eigenvalues of P A P, with what is held moved above all others
    let lifted = 10.0 * A.values().iter().map(|x| x * x).sum::<f64>().sqrt().max(1.0);
    project(&mut A, &range(&B)?, lifted);
    let (values, vectors) = A.symmetric_eigen()?;
    let mut found = Vec::new();
    for (k, &square) in values.iter().enumerate().filter(|(_, x)| **x < 0.5 * lifted) {
        let mut y = vectors.column(k).to_vec();
        factor.back(&mut y);
        let mut shape = vec![[0.0; 6]; still.len()];
        columns.iter().zip(&y).for_each(|(&(i, c), x)| shape[i][c] = *x);
        found.push(Mode { square, shape });
    }
    Some(found)
}

/// The coordinates without the spins of nodes of cables that no row holds and no other coordinate feels.
fn resisted(scene: &Bodies, columns: &[(usize, usize)], J: &DenseMatrix, K: &DenseMatrix) -> Vec<usize> {
    let mut of_cable = vec![false; scene.len()];
    for line in scene.beams().iter().filter(|line| scene.spans()[line.first_span].element.is_cable()) {
        of_cable[line.first_node..=line.first_node + line.elements].fill(true);
    }
    let largest = K.values().iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    let idle = |r: usize, (i, c): (usize, usize)| {
        c >= 3
            && of_cable[i]
            && (0..J.n_cols()).all(|k| J.get(r, k).abs() <= UNFELT)
            && (0..columns.len()).all(|s| K.get(r, s).abs() <= UNFELT * largest)
    };
    (0..columns.len()).filter(|&r| !idle(r, columns[r])).collect()
}

/// Rows and columns of a matrix.
fn chosen(A: &DenseMatrix, rows: &[usize], columns: &[usize]) -> Option<DenseMatrix> {
    let values = columns.iter().flat_map(|&j| rows.iter().map(move |&i| A.get(i, j))).collect();
    DenseMatrix::from_columns(rows.len(), columns.len(), values)
}

/// M of the free bodies.
fn mass(scene: &Bodies, columns: &[(usize, usize)]) -> DenseMatrix {
    let n = columns.len();
    let mut M = DenseMatrix::zeros(n, n);
    let place = |i: usize, c: usize| columns.binary_search(&(i, c)).ok();
    for (r, &(i, c)) in columns.iter().enumerate() {
        let body = &scene.bodies()[i];
        for (s, &(j, d)) in columns.iter().enumerate().filter(|(_, (j, _))| *j == i) {
            debug_assert_eq!(i, j);
            let entry = match (c < 3, d < 3) {
                (true, true) if c == d => body.mass,
                (false, false) => body.inertia[c - 3][d - 3],
                (true, _) | (false, true) => 0.0,
            };
            M.set(r, s, entry);
        }
    }
    for span in scene.spans() {
        let [a, b] = span.bodies;
        for c in 0..3 {
            let (Some(r), Some(s)) = (place(a, c), place(b, c)) else { continue };
            for (i, j, sign) in [(r, r, -1.0), (s, s, -1.0), (r, s, 1.0), (s, r, 1.0)] {
                M.set(i, j, M.get(i, j) + sign * span.coupling);
            }
        }
    }
    M
}

/// M ← M + s JᵀJ, which is M where J δx = 0: positive with bodies without mass, too.
fn add_held(M: &mut DenseMatrix, J: &DenseMatrix) {
    let n = M.n_rows();
    let size = (0..n).map(|i| M.get(i, i)).sum::<f64>() / n as f64;
    for k in 0..J.n_cols() {
        let row = J.column(k);
        for (j, y) in row.iter().enumerate().filter(|(_, y)| **y != 0.0) {
            M.column_mut(j).iter_mut().zip(row).for_each(|(m, x)| *m += size * x * y);
        }
    }
}

/// A scene at rest.
struct Rest<'a> {
    scene: &'a Arc<Bodies>,
    system: JointSystem,
    q: &'a [f64],
    t: f64,
    wrenches: Vec<Wrench>,
    lambda: Vec<f64>,
    held: Vec<usize>,
}

impl<'a> Rest<'a> {
    fn new(scene: &'a Arc<Bodies>, q: &'a [f64], t: f64) -> Self {
        let system = JointSystem::new(Arc::clone(scene), 0.5);
        let mut wrenches = vec![Wrench::default(); scene.len()];
        for (wrench, body) in wrenches.iter_mut().zip(scene.bodies()).filter(|(_, body)| body.is_free()) {
            let weight = scale(body.heavy_mass(), &scene.gravity());
            let force = at(&body.force, t);
            wrench.force = std::array::from_fn(|k| weight[k] + force[k]);
            wrench.moment = at(&body.torque, t);
        }
        for (body, moment) in scene.world_moments() {
            let given = at(moment, t);
            (0..3).for_each(|k| wrenches[*body].world_moment[k] += given[k]);
        }
        let lambda = vec![0.0; system.len()];
        Self { scene, system, q, t, wrenches, lambda, held: Vec::new() }
    }

    /// Jᵀ, a column for each row that holds.
    fn rows(&mut self, columns: &[(usize, usize)]) -> DenseMatrix {
        self.system.at_rest(self.q, self.t, &self.wrenches, &mut self.lambda);
        let rows = self.system.holding_rows();
        let mut B = DenseMatrix::zeros(columns.len(), rows.len());
        for (k, (number, entries)) in rows.iter().enumerate() {
            self.held.push(*number);
            let column = B.column_mut(k);
            for (i, D) in entries {
                for (x, (_, c)) in column.iter_mut().zip(columns).filter(|(_, (j, _))| j == i) {
                    *x += D[*c];
                }
            }
        }
        B
    }

    /// Reactions that hold what acts, as far as rows can: λ = (BᵀB)⁺BᵀL⁻¹r.
    fn hold(&mut self, B: &DenseMatrix, columns: &[(usize, usize)], factor: &Triangle) -> Option<()> {
        let r = self.system.at_rest(self.q, self.t, &self.wrenches, &mut self.lambda);
        let mut y: Vec<f64> = columns.iter().map(|&(i, c)| r[i][c]).collect();
        factor.forward(&mut y);
        let seen: Vec<f64> = (0..B.n_cols()).map(|k| dot(B.column(k), &y)).collect();
        let held = pseudo_solve(B, &seen)?;
        self.held.iter().zip(held).for_each(|(&row, l)| self.lambda[row] = l);
        Some(())
    }

    /// K by central differences.
    fn stiffness(&mut self, columns: &[(usize, usize)]) -> DenseMatrix {
        let n = columns.len();
        let mut K = DenseMatrix::zeros(n, n);
        let length = self.scene.size(self.q);
        let mut moved = self.q.to_vec();
        for (j, &(body, c)) in columns.iter().enumerate() {
            let nudge = if c < 3 { NUDGE * length } else { NUDGE };
            for sign in [1.0, -1.0] {
                let mut twist = Twist::default();
                if c < 3 {
                    twist.v[c] = sign * nudge
                } else {
                    twist.w[c - 3] = sign * nudge
                };
                moved.copy_from_slice(self.q);
                self.scene.advance(body, self.q, 1.0, &twist, &mut moved);
                let r = self.system.at_rest(&moved, self.t, &self.wrenches, &mut self.lambda);
                for (x, &(i, d)) in K.column_mut(j).iter_mut().zip(columns) {
                    *x += sign * r[i][d] / (2.0 * nudge);
                }
            }
        }
        // what is conservative at a place at rest is symmetric there
        for i in 0..n {
            for j in 0..i {
                let mean = 0.5 * (K.get(i, j) + K.get(j, i));
                K.set(i, j, mean);
                K.set(j, i, mean);
            }
        }
        K
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// BᵀB.
fn gram(B: &DenseMatrix) -> DenseMatrix {
    let m = B.n_cols();
    let mut S = DenseMatrix::zeros(m, m);
    for i in 0..m {
        for j in 0..m {
            S.set(i, j, dot(B.column(i), B.column(j)));
        }
    }
    S
}

/// (BᵀB)⁺x.
fn pseudo_solve(B: &DenseMatrix, x: &[f64]) -> Option<Vec<f64>> {
    let m = B.n_cols();
    if m == 0 {
        return Some(Vec::new());
    }
    let (values, vectors) = gram(B).symmetric_eigen()?;
    let largest = values.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    let mut out = vec![0.0; m];
    for (k, &s) in values.iter().enumerate().filter(|(_, s)| **s > DEPENDENT * largest) {
        let part = dot(vectors.column(k), x) / s;
        out.iter_mut().zip(vectors.column(k)).for_each(|(o, v)| *o += part * v);
    }
    Some(out)
}

/// Columns of unit length across each other, Q with QQᵀ = B(BᵀB)⁺Bᵀ.
fn range(B: &DenseMatrix) -> Option<DenseMatrix> {
    let n = B.n_rows();
    let (values, vectors) =
        if B.n_cols() == 0 { return Some(DenseMatrix::zeros(n, 0)) } else { gram(B).symmetric_eigen()? };
    let largest = values.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    let mut columns = Vec::new();
    for (k, &s) in values.iter().enumerate().filter(|(_, s)| **s > DEPENDENT * largest) {
        let mut column = vec![0.0; n];
        for (c, v) in vectors.column(k).iter().enumerate() {
            column.iter_mut().zip(B.column(c)).for_each(|(x, b)| *x += v / s.sqrt() * b);
        }
        columns.extend(column);
    }
    DenseMatrix::from_columns(n, columns.len() / n.max(1), columns)
}

/// A ← P A P + lifted (1 − P), P = 1 − QQᵀ.
fn project(A: &mut DenseMatrix, Q: &DenseMatrix, lifted: f64) {
    let n = A.n_rows();
    for _ in 0..2 {
        for j in 0..n {
            let column = A.column_mut(j);
            for k in 0..Q.n_cols() {
                let along = dot(Q.column(k), column);
                column.iter_mut().zip(Q.column(k)).for_each(|(x, b)| *x -= along * b);
            }
        }
        transpose(A);
    }
    for k in 0..Q.n_cols() {
        for j in 0..n {
            let weight = lifted * Q.get(j, k);
            A.column_mut(j).iter_mut().zip(Q.column(k)).for_each(|(x, b)| *x += weight * b);
        }
    }
}

fn transpose(A: &mut DenseMatrix) {
    for i in 0..A.n_rows() {
        for j in 0..i {
            let (x, y) = (A.get(i, j), A.get(j, i));
            A.set(i, j, y);
            A.set(j, i, x);
        }
    }
}

/// L of M = LLᵀ.
struct Triangle {
    L: DenseMatrix,
}

impl Triangle {
    fn new(M: &DenseMatrix) -> Option<Self> {
        let n = M.n_rows();
        let mut L = M.clone();
        for j in 0..n {
            for k in 0..j {
                let l = L.get(j, k);
                if l != 0.0 {
                    for i in j..n {
                        L.set(i, j, L.get(i, j) - L.get(i, k) * l);
                    }
                }
            }
            let pivot = L.get(j, j);
            if !(pivot > 0.0 && pivot.is_finite()) {
                return None;
            }
            let root = pivot.sqrt();
            for i in j..n {
                L.set(i, j, L.get(i, j) / root);
            }
        }
        Some(Self { L })
    }

    /// L⁻¹Jᵀ.
    fn of_rows(&self, J: &DenseMatrix) -> DenseMatrix {
        let mut B = J.clone();
        (0..B.n_cols()).for_each(|k| self.forward(B.column_mut(k)));
        B
    }

    /// x ← L⁻¹x.
    fn forward(&self, x: &mut [f64]) {
        for j in 0..x.len() {
            x[j] /= self.L.get(j, j);
            let (head, tail) = x.split_at_mut(j + 1);
            tail.iter_mut().zip(&self.L.column(j)[j + 1..]).for_each(|(x, l)| *x -= head[j] * l);
        }
    }

    /// x ← L⁻ᵀx.
    fn back(&self, x: &mut [f64]) {
        for j in (0..x.len()).rev() {
            x[j] = (x[j] - dot(&self.L.column(j)[j + 1..], &x[j + 1..])) / self.L.get(j, j);
        }
    }

    /// A ← L⁻¹A L⁻ᵀ.
    fn reduce(&self, A: &mut DenseMatrix) {
        for _ in 0..2 {
            for j in 0..A.n_cols() {
                self.forward(A.column_mut(j));
            }
            transpose(A);
        }
    }
}
