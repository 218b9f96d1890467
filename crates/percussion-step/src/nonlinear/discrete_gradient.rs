//! Gonzalez' discrete gradient in the metric of the mass.
//!
//!   D(q₀, q₁) = ∇φ(q_m) + s MΔq,   s = (φ₁ − φ₀ − ∇φ(q_m)·Δq) / (ΔqᵀMΔq),   so that D·Δq = φ₁ − φ₀ exactly
//!   ∂D/∂q₁ = ½∇²φ(q_m) + MΔq ⊗ ∂s/∂q₁ + s M,   ∂s/∂q₁ = (∇φ₁ − ∇φ_m − ½∇²φ_m Δq − 2s MΔq) / (ΔqᵀMΔq)

use super::evaluation::mul_add;
use percussion_matrix::{DenseMatrix, vector};

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

/// D and, in `J`, ∂D/∂q₁ (both overwritten); `g1` is a buffer of the same length.
pub fn gonzalez(phi: &dyn Potential, at: &Between, D: &mut [f64], J: &mut DenseMatrix, g1: &mut [f64]) {
    let n = D.len();
    D.fill(0.0);
    phi.gradient(at.qm, D);
    J.values_mut().fill(0.0);
    phi.hessian(at.qm, J);
    let size = vector::dot(at.dq, at.Mdq);
    let (v0, v1, along) = (phi.value(at.q0), phi.value(at.q1), vector::dot(D, at.dq));
    let defect = v1 - v0 - along;
    // φ is often a small difference of terms of the size |∇φ||q|, which sets its round-off
    let terms: f64 = D.iter().zip(at.qm).map(|(d, q)| (d * q).abs()).sum();
    let round_off = 8.0 * f64::EPSILON * (v0.abs() + v1.abs() + terms);
    if size <= 0.0 || defect.abs() <= round_off {
        J.values_mut().iter_mut().for_each(|x| *x *= 0.5);
        return;
    }
    let s = defect / size;
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
    vector::axpy(s, at.Mdq, D);
}
