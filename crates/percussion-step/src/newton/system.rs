//! The dense linear system of a Newton iteration, filled block by block.

use crate::newton::evaluation::{Evaluation, mul_add};
use crate::{Memory, NewmarkLike, State};
use percussion_matrix::{DenseMatrix, SmallLu, vector};
use percussion_model::Lagrangian;
use percussion_solve::SolverOptions;

/// The relative residual Newton goes to, or to round-off, whatever is asked: it converges fast, and ledgers are as exact as it is.
pub const FINEST: f64 = 1e-11;

/// What Newton is to reach; what is asked judges what was reached.
pub fn newton_tolerance(options: &SolverOptions) -> f64 {
    (0.1 * options.tolerance).min(FINEST)
}

/// T x = −r with its factorisation.
#[derive(Debug, Default)]
pub struct NewtonSystem {
    size: usize,
    lu: SmallLu,
    T: Vec<f64>,
    /// Scales of rows and columns in the factorisation.
    rows: Vec<f64>,
    columns: Vec<f64>,
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
        self.factorise_shifted(|_| 0.0)
    }

    /// Factorises T with `shift(i)` added to its diagonal, for systems that redundant joints make singular. Rows and columns
    /// are brought to a largest entry of one first: kilograms and radians stand side by side.
    pub fn factorise_shifted(&mut self, shift: impl Fn(usize) -> f64) -> bool {
        let n = self.size;
        let A = self.lu.reset(n);
        A.copy_from_slice(&self.T);
        for i in 0..n {
            A[i + i * n] += shift(i);
        }
        self.rows.clear();
        self.rows.resize(n, 0.0);
        // plain comparisons: f64::max checks for NaN, which the factorisation refuses anyway
        let larger = |a: f64, b: f64| if b > a { b } else { a };
        for column in A.chunks_exact(n.max(1)) {
            for (r, a) in self.rows.iter_mut().zip(column) {
                *r = larger(*r, a.abs());
            }
        }
        self.rows.iter_mut().for_each(|r| *r = if *r > 0.0 { 1.0 / *r } else { 1.0 });
        self.columns.clear();
        for j in 0..n {
            let column = &mut A[j * n..(j + 1) * n];
            let mut largest = 0.0_f64;
            for (a, r) in column.iter_mut().zip(&self.rows) {
                *a *= r;
                largest = larger(largest, a.abs());
            }
            let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
            column.iter_mut().for_each(|a| *a *= scale);
            self.columns.push(scale);
        }
        self.lu.factorise()
    }

    /// b ← T⁻¹ b with the last factorisation.
    fn substitute(&self, b: &mut [f64]) {
        b.iter_mut().zip(&self.rows).for_each(|(b, r)| *b *= r);
        self.lu.solve(b);
        b.iter_mut().zip(&self.columns).for_each(|(b, c)| *b *= c);
    }

    /// x ← T⁻¹ x; where T is singular because of redundant constraints the rows `shift` names get a small compliance, whose
    /// effect on the motion refinement takes out. False when that does not help either.
    pub fn solve_sharing(&mut self, shift: impl Fn(usize) -> f64) -> bool {
        if self.factorise() {
            return self.solve();
        }
        if !self.factorise_shifted(shift) {
            return false;
        }
        let mut x = std::mem::take(&mut self.x);
        self.solve_refined(&mut x);
        self.x = x;
        self.x.iter().all(|x| x.is_finite())
    }

    /// b ← T⁻¹ b with the last factorisation and refinement, which takes out what a shift put in where a solution exists.
    pub fn solve_refined(&self, b: &mut [f64]) {
        let n = self.size;
        let rhs = b.to_vec();
        let size = vector::max_abs(&rhs);
        self.substitute(b);
        for _ in 0..4 {
            let mut rest = rhs.clone();
            for j in 0..n {
                vector::axpy(-b[j], &self.T[j * n..(j + 1) * n], &mut rest);
            }
            if vector::max_abs(&rest) <= 1e-15 * size {
                return;
            }
            self.substitute(&mut rest);
            vector::axpy(1.0, &rest, b);
        }
    }

    /// x ← T⁻¹ x with the last factorisation; false when the result is not finite.
    pub fn solve(&mut self) -> bool {
        let mut x = std::mem::take(&mut self.x);
        self.substitute(&mut x);
        self.x = x;
        self.x.iter().all(|x| x.is_finite())
    }
}

/// What generalized-α carries from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Accelerations {
    /// a, the average of v̇ that positions and velocities are made of.
    pub a: Vec<f64>,
    /// v̇ of the smooth motion.
    pub vd: Vec<f64>,
    /// Multipliers of the position correction of each contact, where the scheme has one.
    pub nu: Vec<f64>,
    /// Forces of the joints filtered as v̇ is to a, where the scheme's ledger asks for them.
    pub f_a: Vec<f64>,
    /// The same unfiltered.
    pub f: Vec<f64>,
}

crate::carried! { Accelerations { a, vd, nu, f_a, f } }

/// x^a_{n+1} from (1−α_m) x^a_{n+1} + α_m x^a_n = (1−α_f) x_{n+1} + α_f x_n.
#[inline]
pub fn filtered(p: &NewmarkLike, last: f64, x_n: f64, x: f64) -> f64 {
    (p.alpha_f * x_n - p.alpha_m * last + (1.0 - p.alpha_f) * x) / (1.0 - p.alpha_m)
}

impl Accelerations {
    /// At the start: a = v̇, no correction.
    pub fn new(vd: Vec<f64>) -> Self {
        Self { a: vd.clone(), vd, ..Default::default() }
    }

    /// a_{n+1} from (1−α_m) a_{n+1} + α_m a_n = (1−α_f) v̇_{n+1} + α_f v̇_n, and v̇_{n+1}.
    pub fn carry(&mut self, p: &NewmarkLike, vd: &[f64], before: &Accelerations) {
        carry_pair(p, vd, (&before.a, &before.vd), (&mut self.a, &mut self.vd));
    }

    /// The same for the forces of joints.
    pub fn carry_forces(&mut self, p: &NewmarkLike, f: &[f64], before: &Accelerations) {
        carry_pair(p, f, (&before.f_a, &before.f), (&mut self.f_a, &mut self.f));
    }
}

fn carry_pair(p: &NewmarkLike, x: &[f64], last: (&[f64], &[f64]), next: (&mut Vec<f64>, &mut Vec<f64>)) {
    next.0.clear();
    next.0.extend((0..x.len()).map(|i| filtered(p, last.0[i], last.1[i], x[i])));
    next.1.clear();
    next.1.extend_from_slice(x);
}

/// Accelerations from memory to memory.
pub fn carry(p: &NewmarkLike, vd: &[f64], memory: &Memory, next: &mut Memory) {
    next.carried.renew::<Accelerations>().carry(p, vd, memory.carried.of());
}

/// The larger of two numbers, NaN if either is: `f64::max` would hide it.
#[inline]
pub fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// p/m, zero for a multiplier that is zero whatever its mass.
#[inline]
pub fn over(p: f64, m: f64) -> f64 {
    if p == 0.0 { 0.0 } else { p / m.max(f64::MIN_POSITIVE) }
}

/// What Newton's residuals are compared with: the impulses and velocities of the step itself, so that units do not matter.
#[derive(Clone, Copy, Debug)]
pub struct Scales {
    /// max(‖M v‖, h‖f‖, ‖M v̇‖h) [N·s].
    pub momentum: f64,
    /// max(‖v‖, ‖v_n‖, h‖v̇‖) [m/s].
    pub velocity: f64,
    /// Velocities are no better than positions over h: 8 ε‖q‖/h [m/s].
    pub velocity_floor: f64,
}

impl Scales {
    /// At an iterate of a step from v_n.
    pub fn new(at: &Evaluation, q: &[f64], v: &[f64], vd: &[f64], v_n: &[f64], h: f64) -> Self {
        let (mut inertia, mut change) = (0.0_f64, 0.0_f64);
        for i in 0..v.len() {
            let (mut p, mut dp) = (0.0, 0.0);
            for j in 0..v.len() {
                p += at.M.get(i, j) * v[j];
                dp += at.M.get(i, j) * vd[j];
            }
            inertia = larger(inertia, p.abs());
            change = larger(change, h * dp.abs());
        }
        let momentum = larger(larger(inertia, change), h * vector::max_abs(&at.f));
        let velocity = larger(larger(vector::max_abs(v), vector::max_abs(v_n)), h * vector::max_abs(vd));
        Self { momentum, velocity, velocity_floor: 8.0 * f64::EPSILON * vector::max_abs(q) / h }
    }

    /// With the velocities the impulses give counted too: at rest they are the only ones.
    pub fn with_impulses(mut self, p: &[f64], masses: &[f64]) -> Self {
        for (p, m) in p.iter().zip(masses).filter(|(_, m)| **m > 0.0) {
            self.velocity = larger(self.velocity, over(p.abs(), *m));
        }
        self
    }

    /// Residuals relative to their scales.
    pub fn worst(&self, momentum: f64, conditions: f64) -> f64 {
        let relative = |residual: f64, scale: f64| {
            if residual == 0.0 { 0.0 } else { residual / scale.max(f64::MIN_POSITIVE) }
        };
        larger(relative(momentum, self.momentum), relative(conditions, self.velocity))
    }

    /// What is reported where Newton stops: a residual at the round-off of the forces (`floor`) or of positions over h counts as
    /// [`FINEST`], the finest Newton asks of itself.
    pub fn beyond_round_off(&self, momentum: f64, conditions: f64, floor: f64) -> f64 {
        let relative = |residual: f64, scale: f64, floor: f64| {
            if residual == 0.0 { 0.0 } else { residual / scale.max(floor / FINEST).max(f64::MIN_POSITIVE) }
        };
        larger(relative(momentum, self.momentum, floor), relative(conditions, self.velocity, self.velocity_floor))
    }

    /// Whether Newton may stop: within the tolerance, or at the round-off of the forces (`floor`) and of positions over h.
    pub fn met(&self, momentum: f64, conditions: f64, tolerance: f64, floor: f64) -> bool {
        momentum <= (tolerance * self.momentum).max(floor)
            && conditions <= (tolerance * self.velocity).max(self.velocity_floor)
    }
}

/// v̂ and q̂ with v̇ = 0: the prediction of generalized-α.
pub fn predict(p: &NewmarkLike, state: &State, memory: &Memory, h: f64, v: &mut [f64], q: &mut [f64]) {
    let Accelerations { a, vd, .. } = memory.carried.of();
    for i in 0..v.len() {
        let a_p = (p.alpha_f * vd[i] - p.alpha_m * a[i]) / (1.0 - p.alpha_m);
        v[i] = state.v[i] + h * ((1.0 - p.gamma) * a[i] + p.gamma * a_p);
        q[i] = state.q[i] + h * state.v[i] + h * h * ((0.5 - p.beta) * a[i] + p.beta * a_p);
    }
}

/// v̇ and −λ of [M g_bᵀ; g_b 0][v̇; −λ] = [f; −∂(g_b v)/∂q v] over the first `nb` joints, evaluated at (q, v), one after the other;
/// `None` when singular.
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
    x.iter().all(|x| x.is_finite()).then_some(x)
}

/// Relative compliance given to joint rows when joints are redundant.
pub const REDUNDANT: f64 = 1e-8;

/// That compliance in row i of a Newton matrix whose rows from `first` on are constraints that see the masses r.
pub fn sharing(r: &[f64], first: usize, i: usize) -> f64 {
    if i < first { 0.0 } else { -REDUNDANT / r[i - first].max(f64::MIN_POSITIVE) }
}

/// r_j ← 1/(g_q M⁻¹ g_qᵀ)_jj, the mass each constraint sees, from M plus scaled g_bᵀg_b of the `nb` joints where M alone is
/// singular; false when neither serves.
pub fn effective_masses(at: &Evaluation, nb: usize, system: &mut NewtonSystem, r: &mut [f64]) -> bool {
    [false, true].into_iter().any(|tied| factorise_mass(at, nb, tied, system) && divide_out(at, system, r))
}

/// Factorises M, or M plus scaled g_bᵀg_b of the `nb` joints where M alone is singular; false when both are.
pub fn inertia(at: &Evaluation, nb: usize, system: &mut NewtonSystem) -> bool {
    [false, true].into_iter().any(|tied| factorise_mass(at, nb, tied, system))
}

fn factorise_mass(at: &Evaluation, nb: usize, tied: bool, system: &mut NewtonSystem) -> bool {
    let n = at.M.n_rows();
    system.clear(n);
    system.add_block(0, 0, 1.0, &at.M);
    if tied {
        let size = vector::max_abs(at.M.values());
        for j in 0..nb {
            let column = at.G.column(j);
            let c = size / vector::dot(column, column).max(f64::MIN_POSITIVE);
            for k in 0..n {
                system.add_column(0, k, c * column[k], column);
            }
        }
    }
    system.factorise()
}

/// The same from the factorised matrix in `system`. A contact without a gradient sees an infinite mass: it cannot act.
fn divide_out(at: &Evaluation, system: &mut NewtonSystem, r: &mut [f64]) -> bool {
    for j in 0..r.len() {
        let column = at.G.column(j);
        system.x.clear();
        system.x.extend_from_slice(column);
        if !system.solve() {
            return false;
        }
        let w = vector::dot(&system.x, column);
        let flat = column.iter().all(|&x| x == 0.0);
        if w.is_nan() || (w <= 0.0 && !flat) {
            return false;
        }
        r[j] = if flat { 0.0 } else { 1.0 / w };
    }
    true
}
