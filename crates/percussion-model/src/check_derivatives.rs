//! Whether a model's derivatives are those of its functions.
//!
//! Each derivative is compared with the central difference of fourth order
//!
//!   φ′ ≈ (8 (φ(δ) − φ(−δ)) − (φ(2δ) − φ(−2δ))) / 12δ,    δ = 10⁻³ max(1, |x|),
//!
//! and the forces with the energies through the power balance v·f = −V̇ + P − ½ vᵀṀv, which holds for any motion
//! through (q, v); it is tried for v and for every unit velocity.

use crate::Lagrangian;
use percussion_matrix::DenseMatrix;

/// The largest deviation of each quantity, relative to the largest entry of that quantity (0 when it vanishes).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DerivativeReport {
    /// K = −∂f/∂q.
    pub stiffness: f64,
    /// C = −∂f/∂v.
    pub damping: f64,
    /// ∂g_j/∂q, worst constraint.
    pub gradient: f64,
    /// ∂²g_j/∂q², worst constraint.
    pub hessian: f64,
    /// ∂g_i/∂t of gaps that move, worst contact.
    pub gap_rate: f64,
    /// ∂(M x)/∂q with x = v; also finds a mass that is called constant and is not.
    pub mass_tangent: f64,
    /// |½ vᵀM v − kinetic energy|, and the asymmetry of M.
    pub mass: f64,
    /// v·f + V̇ − P + ½ vᵀṀv, relative to the largest of its terms: potential, power and forces agree.
    pub power: f64,
}

impl DerivativeReport {
    /// The largest of all deviations; NaN when one is.
    pub fn worst(&self) -> f64 {
        let forces = [self.stiffness, self.damping, self.mass_tangent, self.mass, self.power];
        forces.into_iter().chain([self.gradient, self.hessian, self.gap_rate]).fold(0.0, larger)
    }
}

impl std::fmt::Display for DerivativeReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "stiffness {:.1e}, damping {:.1e}, ", self.stiffness, self.damping)?;
        write!(f, "gradient {:.1e}, hessian {:.1e}, gap rate {:.1e}, ", self.gradient, self.hessian, self.gap_rate)?;
        write!(f, "mass tangent {:.1e}, mass {:.1e}, power {:.1e}", self.mass_tangent, self.mass, self.power)
    }
}

/// Compares every derivative of the model with differences at one state; q and v have `model.n()` entries.
///
/// Deviations of 1e-9 are usual, 1e-5 and more mean a mistake (or a function that bends within 10⁻³).
pub fn check_derivatives(model: &dyn Lagrangian, q: &[f64], v: &[f64], t: f64) -> DerivativeReport {
    let n = model.n();
    let square = || DenseMatrix::zeros(n, n);
    let (reach, speed) = (largest(q).max(1.0), largest(v).max(1.0));

    // forces
    let (mut K, mut C) = (square(), square());
    model.force_tangents(q, v, t, &mut K, &mut C);
    let K_diff = jacobian(q, n, |x, f| model.force(x, v, t, f));
    let C_diff = jacobian(v, n, |x, f| model.force(q, x, t, f));

    // constraints
    let (mut gradient, mut hessian) = (0.0, 0.0);
    for j in 0..model.n_joints() + model.restitutions().len() {
        let mut row = DenseMatrix::zeros(1, n);
        model.gradient(j, q, row.values_mut());
        let row_diff = jacobian(q, 1, |x, g| g[0] = model.constraint(j, x));
        gradient = larger(gradient, deviation(&row, &row_diff, 1.0, 0.0));
        let mut H = square();
        model.hessian(j, q, 1.0, &mut H);
        let H_diff = jacobian(q, n, |x, row| model.gradient(j, x, row));
        let small = larger(largest(row.values()) / reach, model.constraint(j, q).abs() / (reach * reach));
        hessian = larger(hessian, deviation(&H, &H_diff, 1.0, small));
    }

    // mass
    let mut D = square();
    model.mass_tangent(q, v, &mut D);
    let D_diff = jacobian(q, n, |x, Mv| {
        let mut M = square();
        model.mass(x, &mut M);
        multiply(&M, v, Mv);
    });
    let mut M = square();
    model.mass(q, &mut M);
    let (T, inertia) = (model.kinetic_energy(q, v), M.values().iter().fold(0.0, |m, x| larger(m, x.abs())));
    let asymmetry = (0..n * n).map(|k| (M.get(k / n, k % n) - M.get(k % n, k / n)).abs()).fold(0.0, larger);
    let mass = larger(ratio(T - 0.5 * form(&M, v), T.abs()), ratio(asymmetry, inertia));

    // power balance for v and for each unit velocity
    let mut power = power_deviation(model, q, v, t);
    let mut unit = vec![0.0; n];
    for i in 0..n {
        unit[i] = 1.0;
        power = larger(power, power_deviation(model, q, &unit, t));
        unit[i] = 0.0;
    }

    let mut f = vec![0.0; n];
    model.force(q, v, t, &mut f);
    DerivativeReport {
        stiffness: deviation(&K, &K_diff, -1.0, largest(&f) / reach),
        damping: deviation(&C, &C_diff, -1.0, largest(&f) / speed),
        gradient,
        hessian,
        gap_rate: gap_rate_deviation(model, q, t),
        mass_tangent: deviation(&D, &D_diff, 1.0, inertia * speed / reach),
        mass,
        power,
    }
}

/// ∂g/∂t of moving gaps against differences at some times from t on, over the largest of them.
fn gap_rate_deviation(model: &dyn Lagrangian, q: &[f64], t: f64) -> f64 {
    const DELTA: f64 = 1e-5;
    let Some(gaps) = model.moving_gaps() else { return 0.0 };
    let mut worst = 0.0;
    for i in 0..model.restitutions().len() {
        // differences have the round-off of g over δ: a rate that small is none
        let (mut difference, mut size) = (0.0, 0.0);
        for later in [0.0, 0.0917, 0.3719, 0.8231] {
            let t = t + later;
            let values = STENCIL.map(|steps| gaps.gap(i, q, t + steps * DELTA));
            let (rate, found) = (gaps.rate(i, q, t), central(values, DELTA));
            difference = larger(difference, (rate - found).abs());
            size = [rate.abs(), found.abs(), DELTA * largest(&values)].into_iter().fold(size, larger);
        }
        worst = larger(worst, ratio(difference, size));
    }
    worst
}

/// v·f + V̇ − P + ½ vᵀṀv over the largest of its terms.
fn power_deviation(model: &dyn Lagrangian, q: &[f64], v: &[f64], t: f64) -> f64 {
    let n = model.n();
    let mut f = vec![0.0; n];
    model.force(q, v, t, &mut f);
    let mut D = DenseMatrix::zeros(n, n);
    model.mass_tangent(q, v, &mut D);
    let mut moved = vec![0.0; n];
    let delta = 1e-3 / largest(v).max(1.0);
    let V = STENCIL.map(|steps| {
        for i in 0..n {
            moved[i] = q[i] + steps * delta * v[i];
        }
        model.potential_energy(&moved)
    });
    let V_dot = central(V, delta);
    let work: f64 = f.iter().zip(v).map(|(f, v)| f * v).sum();
    let terms = [work, V_dot, -model.power_without_potential(q, v, t), 0.5 * form(&D, v)];

    // a force may happen to do no work along v: its size still sets the round-off
    ratio(terms.iter().sum::<f64>(), larger(largest(&terms), largest(&f) * largest(v)))
}

/// ∂φ/∂x column by column; exactly zero where φ does not change.
fn jacobian(x: &[f64], rows: usize, mut phi: impl FnMut(&[f64], &mut [f64])) -> DenseMatrix {
    let mut J = DenseMatrix::zeros(rows, x.len());
    let mut moved = x.to_vec();
    let mut values = [(); 4].map(|()| vec![0.0; rows]);
    for i in 0..x.len() {
        let delta = 1e-3 * x[i].abs().max(1.0);
        for (value, steps) in values.iter_mut().zip(STENCIL) {
            moved[i] = x[i] + steps * delta;
            value.fill(0.0);
            phi(&moved, value);
        }
        moved[i] = x[i];
        let [a, b, c, d] = &values;
        for (k, entry) in J.column_mut(i).iter_mut().enumerate() {
            *entry = central([a[k], b[k], c[k], d[k]], delta);
        }
    }
    J
}

const STENCIL: [f64; 4] = [-2.0, -1.0, 1.0, 2.0];

/// φ′ from the values at the four points.
fn central(phi: [f64; 4], delta: f64) -> f64 {
    (8.0 * (phi[2] - phi[1]) - (phi[3] - phi[0])) / (12.0 * delta)
}

/// max |A − sign · B| / max(|A|, |B|, small). Differences have the round-off of what they differ: `small` is that over the size of its variables, beside which a
/// derivative of round-off is none.
fn deviation(A: &DenseMatrix, B: &DenseMatrix, sign: f64, small: f64) -> f64 {
    let worst = A.values().iter().zip(B.values()).fold(0.0, |m, (a, b)| larger(m, (a - sign * b).abs()));
    ratio(worst, larger(larger(largest(A.values()), largest(B.values())), small))
}

/// |x| / scale; 0 when nothing is there to compare, NaN for NaN.
fn ratio(x: f64, scale: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.abs() / scale }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| larger(m, x.abs()))
}

/// The larger of two, NaN when one is: f64::max would hide it.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

fn multiply(M: &DenseMatrix, x: &[f64], y: &mut [f64]) {
    for j in 0..x.len() {
        for i in 0..y.len() {
            y[i] += M.get(i, j) * x[j];
        }
    }
}

fn form(M: &DenseMatrix, x: &[f64]) -> f64 {
    let n = x.len();
    (0..n * n).map(|k| x[k / n] * M.get(k / n, k % n) * x[k % n]).sum()
}
