//! Gonzalez' discrete gradient in the metric of the mass.
//!
//!   D(q₀, q₁) = ∇φ(q_m) + s MΔq,   s = (φ₁ − φ₀ − ∇φ(q_m)·Δq) / (ΔqᵀMΔq),   so that D·Δq = φ₁ − φ₀ exactly
//!   ∂D/∂q₁ = ½∇²φ(q_m) + MΔq ⊗ ∂s/∂q₁ + s M,   ∂s/∂q₁ = (∇φ₁ − ∇φ_m − ½∇²φ_m Δq − 2s MΔq) / (ΔqᵀMΔq)
//!
//! The defect φ₁ − φ₀ − ∇φ_m·Δq is O(|Δq|³), a difference of values whose round-off does not shrink with Δq: over ΔqᵀMΔq it
//! becomes noise of size ε|φ|/|Δq|. Taken from gradients instead, by Gauss' three points of the line q₀q₁,
//!
//!   φ₁ − φ₀ − ∇φ_m·Δq = (5/18) (∇φ(q_m + cΔq) + ∇φ(q_m − cΔq) − 2∇φ_m)·Δq + O(|Δq|⁷ ∂⁷φ/2016000),   c = √(3/5)/2
//!
//! its round-off is ε|∇φ||Δq|, and D has that of ∇φ however small the step. Wherever both agree to the round-off of φ the
//! second is used: they part where |Δq| is a tenth of the length over which φ changes, and there the first is clean.

use crate::newton::evaluation::mul_add;
use percussion_matrix::{DenseMatrix, vector};

/// c = √(3/5)/2: the outer two of Gauss' three points, from the middle of an interval of length one.
pub const GAUSS_POINT: f64 = 0.387_298_334_620_741_7;
/// Their weight.
pub const GAUSS_WEIGHT: f64 = 5.0 / 18.0;

/// A function with gradient and Hessian.
pub trait Potential {
    /// φ(q).
    fn value(&self, q: &[f64]) -> f64;
    /// d ← ∇φ(q).
    fn gradient(&self, q: &[f64], d: &mut [f64]);
    /// H ← ∇²φ(q); comes zeroed.
    fn hessian(&self, q: &[f64], H: &mut DenseMatrix);
}

/// Two states with what every discrete gradient between them needs.
pub struct Between<'a> {
    /// q₀.
    pub q0: &'a [f64],
    /// q₁.
    pub q1: &'a [f64],
    /// (q₀ + q₁)/2.
    pub qm: &'a [f64],
    /// Δq.
    pub dq: &'a [f64],
    /// M.
    pub M: &'a DenseMatrix,
    /// MΔq.
    pub Mdq: &'a [f64],
}

/// Room for the places and gradients off the midpoint.
#[derive(Debug)]
pub struct Room {
    place: Vec<f64>,
    gradient: Vec<f64>,
}

impl Room {
    /// For n coordinates.
    pub fn new(n: usize) -> Self {
        Self { place: vec![0.0; n], gradient: vec![0.0; n] }
    }
}

/// Where φ₁ − φ₀ − ∇φ_m·Δq comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// The values at both ends.
    Values,
    /// The gradients at Gauss' points.
    Gradients,
}

/// φ₁ − φ₀ − ∇φ_m·Δq to the round-off of ∇φ·Δq where φ is smooth over the step, else to that of φ; `Dm` is ∇φ(q_m).
fn defect(phi: &dyn Potential, at: &Between, Dm: &[f64], room: &mut Room) -> f64 {
    let by_gradients = defect_by_gradients(phi, at, Dm, room);
    match choose_defect(phi, at, Dm, by_gradients) {
        (Defect::Values, by_values) => by_values,
        (Defect::Gradients, _) => by_gradients,
    }
}

fn defect_by_gradients(phi: &dyn Potential, at: &Between, Dm: &[f64], room: &mut Room) -> f64 {
    let mut by_gradients = 0.0;
    for c in [GAUSS_POINT, -GAUSS_POINT] {
        for i in 0..Dm.len() {
            room.place[i] = at.qm[i] + c * at.dq[i];
        }
        room.gradient.fill(0.0);
        phi.gradient(&room.place, &mut room.gradient);
        for i in 0..Dm.len() {
            by_gradients += GAUSS_WEIGHT * (room.gradient[i] - Dm[i]) * at.dq[i];
        }
    }
    by_gradients
}

/// Which of the two is taken, and the defect by values.
fn choose_defect(phi: &dyn Potential, at: &Between, Dm: &[f64], by_gradients: f64) -> (Defect, f64) {
    let (v0, v1) = (phi.value(at.q0), phi.value(at.q1));
    let by_values = v1 - v0 - vector::dot(Dm, at.dq);
    // φ is often a small difference of terms of the size |∇φ||q|, which sets its round-off
    let terms: f64 = Dm.iter().zip(at.qm).map(|(d, q)| (d * q).abs()).sum();
    let round_off = 4.0 * f64::EPSILON * (v0.abs() + v1.abs() + terms);
    let close = (by_values - by_gradients).abs() <= round_off;
    (if close { Defect::Gradients } else { Defect::Values }, by_values)
}

/// Δq, q_m and MΔq.
fn way((q0, q1): (&[f64], &[f64]), M: &DenseMatrix) -> [Vec<f64>; 3] {
    let dq: Vec<f64> = q1.iter().zip(q0).map(|(a, b)| a - b).collect();
    let qm = q1.iter().zip(q0).map(|(a, b)| 0.5 * (a + b)).collect();
    let mut Mdq = vec![0.0; dq.len()];
    mul_add(M, 1.0, &dq, &mut Mdq);
    [dq, qm, Mdq]
}

/// Where the defect of φ between two places is taken from.
pub fn chosen_defect(phi: &dyn Potential, (q0, q1): (&[f64], &[f64]), M: &DenseMatrix) -> Defect {
    let [dq, qm, Mdq] = way((q0, q1), M);
    let at = Between { q0, q1, qm: &qm, dq: &dq, M, Mdq: &Mdq };
    let mut Dm = vec![0.0; dq.len()];
    phi.gradient(&qm, &mut Dm);
    let by_gradients = defect_by_gradients(phi, &at, &Dm, &mut Room::new(dq.len()));
    choose_defect(phi, &at, &Dm, by_gradients).0
}

/// D with the defect from where it is said to come: a smooth function of both places.
pub fn gonzalez_by(phi: &dyn Potential, (q0, q1): (&[f64], &[f64]), M: &DenseMatrix, defect: Defect) -> Vec<f64> {
    let [dq, qm, Mdq] = way((q0, q1), M);
    let at = Between { q0, q1, qm: &qm, dq: &dq, M, Mdq: &Mdq };
    let mut D = vec![0.0; dq.len()];
    phi.gradient(&qm, &mut D);
    let left = match defect {
        Defect::Values => phi.value(q1) - phi.value(q0) - vector::dot(&D, &dq),
        Defect::Gradients => defect_by_gradients(phi, &at, &D, &mut Room::new(dq.len())),
    };
    let size = vector::dot(&dq, &Mdq);
    if size > f64::MIN_POSITIVE {
        vector::axpy(left / size, &Mdq, &mut D);
    }
    D
}

/// D and, in `J`, ∂D/∂q₁ (both overwritten).
pub fn gonzalez(phi: &dyn Potential, at: &Between, D: &mut [f64], J: &mut DenseMatrix, room: &mut Room) {
    let n = D.len();
    D.fill(0.0);
    phi.gradient(at.qm, D);
    J.values_mut().fill(0.0);
    phi.hessian(at.qm, J);
    let size = vector::dot(at.dq, at.Mdq);
    let defect = defect(phi, at, D, room);
    if size <= f64::MIN_POSITIVE || defect == 0.0 {
        J.values_mut().iter_mut().for_each(|x| *x *= 0.5);
        return;
    }
    let s = defect / size;
    // the correction's part of J is O(|Δq|) with round-off O(ε/|Δq|): below √ε only the latter is left of it
    let tiny = f64::EPSILON.sqrt() * vector::max_abs(at.qm);
    if vector::max_abs(at.dq) <= tiny {
        J.values_mut().iter_mut().for_each(|x| *x *= 0.5);
    } else {
        let g1 = &mut room.gradient;
        g1.fill(0.0);
        phi.gradient(at.q1, g1);
        vector::axpy(-1.0, D, g1);
        mul_add(J, -0.5, at.dq, g1);
        vector::axpy(-2.0 * s, at.Mdq, g1);
        for j in 0..n {
            let ds = g1[j] / size;
            for i in 0..n {
                J.set(i, j, 0.5 * J.get(i, j) + at.Mdq[i] * ds);
            }
        }
        vector::axpy(s, at.M.values(), J.values_mut());
    }
    vector::axpy(s, at.Mdq, D);
}

/// Gauss' five points from the middle of an interval of length one, and their weights.
const FIVE: [(f64, f64); 5] = [
    (0.0, 64.0 / 225.0),
    (0.269_234_655_052_841_55, 0.239_314_335_249_683_24),
    (-0.269_234_655_052_841_55, 0.239_314_335_249_683_24),
    (0.453_089_922_969_332, 0.118_463_442_528_094_54),
    (-0.453_089_922_969_332, 0.118_463_442_528_094_54),
];

/// D ← ∫₀¹ ∇φ(q₀ + sΔq) ds, the mean gradient over the step: D·Δq = φ₁ − φ₀ too, and what φ does not depend on stays zero. Five
/// points give it to round-off where φ is smooth over the step; what they leave is closed along MΔq.
pub fn mean_gradient(phi: &dyn Potential, at: &Between, D: &mut [f64], room: &mut Room) {
    five_points(phi, at, D, room);
    let (v0, v1) = (phi.value(at.q0), phi.value(at.q1));
    let defect = v1 - v0 - vector::dot(D, at.dq);
    let terms: f64 = D.iter().zip(at.qm).map(|(d, q)| (d * q).abs()).sum();
    let size = vector::dot(at.dq, at.Mdq);
    if defect.abs() > 4.0 * f64::EPSILON * (v0.abs() + v1.abs() + terms) && size > f64::MIN_POSITIVE {
        vector::axpy(defect / size, at.Mdq, D);
    }
}

/// The same by the five points alone.
pub fn five_points(phi: &dyn Potential, at: &Between, D: &mut [f64], room: &mut Room) {
    D.fill(0.0);
    for (c, weight) in FIVE {
        for i in 0..D.len() {
            room.place[i] = at.qm[i] + c * at.dq[i];
        }
        room.gradient.fill(0.0);
        phi.gradient(&room.place, &mut room.gradient);
        vector::axpy(weight, &room.gradient, D);
    }
}

#[cfg(test)]
#[path = "discrete_gradient_test.rs"]
mod test;
