//! Discrete gradients: D·Δq = Δφ, their derivative, and no noise however small the step.

use super::*;

/// φ = Σ sin(k·q) + ½|q|⁴ with a large constant that only adds round-off.
struct Wavy {
    k: Vec<Vec<f64>>,
    constant: f64,
}

impl Potential for Wavy {
    fn value(&self, q: &[f64]) -> f64 {
        let r = vector::dot(q, q);
        self.k.iter().map(|k| vector::dot(k, q).sin()).sum::<f64>() + 0.5 * r * r + self.constant
    }
    fn gradient(&self, q: &[f64], d: &mut [f64]) {
        for k in &self.k {
            vector::axpy(vector::dot(k, q).cos(), k, d);
        }
        vector::axpy(2.0 * vector::dot(q, q), q, d);
    }
    fn hessian(&self, q: &[f64], H: &mut DenseMatrix) {
        let r = vector::dot(q, q);
        for i in 0..q.len() {
            for j in 0..q.len() {
                let waves: f64 = self.k.iter().map(|k| -vector::dot(k, q).sin() * k[i] * k[j]).sum();
                let diagonal = if i == j { 2.0 * r } else { 0.0 };
                H.set(i, j, H.get(i, j) + waves + 4.0 * q[i] * q[j] + diagonal);
            }
        }
    }
}

fn number(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn case(seed: &mut u64, n: usize) -> (Wavy, DenseMatrix, Vec<f64>, Vec<f64>) {
    let mut vector = || (0..n).map(|_| number(seed)).collect::<Vec<_>>();
    let phi = Wavy { k: (0..3).map(|_| vector()).collect(), constant: 3.0 };
    let (q0, way, mass) = (vector(), vector(), vector());
    let mut M = DenseMatrix::zeros(n, n);
    for i in 0..n {
        M.set(i, i, 1.5 + mass[i]);
    }
    (phi, M, q0, way)
}

fn evaluate(phi: &Wavy, M: &DenseMatrix, q0: &[f64], dq: &[f64]) -> (Vec<f64>, DenseMatrix) {
    let n = q0.len();
    let q1: Vec<f64> = (0..n).map(|i| q0[i] + dq[i]).collect();
    let qm: Vec<f64> = (0..n).map(|i| q0[i] + 0.5 * dq[i]).collect();
    let mut Mdq = vec![0.0; n];
    mul_add(M, 1.0, dq, &mut Mdq);
    let at = Between { q0, q1: &q1, qm: &qm, dq, M, Mdq: &Mdq };
    let (mut D, mut J) = (vec![0.0; n], DenseMatrix::zeros(n, n));
    gonzalez(phi, &at, &mut D, &mut J, &mut Room::new(n));
    (D, J)
}

/// Over sixteen decades of |Δq| the identity holds to the round-off of φ, and D moves by what |Δq|² allows, never by ε/|Δq|.
#[test]
fn identity_without_noise_at_every_length() {
    let mut seed = 3;
    for _ in 0..50 {
        let (phi, M, q0, way) = case(&mut seed, 4);
        let mut gradient = vec![0.0; 4];
        for decade in 0..=16 {
            let dq: Vec<f64> = way.iter().map(|x| x * 10.0_f64.powi(-decade)).collect();
            let q1: Vec<f64> = q0.iter().zip(&dq).map(|(q, d)| q + d).collect();
            let (D, _) = evaluate(&phi, &M, &q0, &dq);
            let (v0, v1) = (phi.value(&q0), phi.value(&q1));
            let identity = (vector::dot(&D, &dq) - (v1 - v0)).abs();
            // terms of φ, and ∇φ times the rounding of q₁
            assert!(identity <= 5e-15 * (v0.abs() + v1.abs() + 10.0), "1e-{decade}: {identity:e}");

            let qm: Vec<f64> = q0.iter().zip(&dq).map(|(q, d)| q + 0.5 * d).collect();
            gradient.fill(0.0);
            phi.gradient(&qm, &mut gradient);
            let apart = D.iter().zip(&gradient).fold(0.0_f64, |s, (a, b)| s.max((a - b).abs()));
            let length = vector::max_abs(&dq);
            let size = 1.0 + vector::max_abs(&gradient);
            assert!(apart <= 20.0 * size * length * length + 1e-14 * size, "1e-{decade}: {apart:e}");
        }
    }
}

/// ∂D/∂q₁ against central differences, at steps of order one and of 1e-3.
#[test]
fn derivative_by_differences() {
    let mut seed = 8;
    for length in [1.0, 1e-3] {
        for _ in 0..30 {
            let (phi, M, q0, way) = case(&mut seed, 4);
            let dq: Vec<f64> = way.iter().map(|x| x * length).collect();
            let (_, J) = evaluate(&phi, &M, &q0, &dq);
            for j in 0..4 {
                let delta = 1e-5 * length;
                let moved = |sign: f64| {
                    let mut dq = dq.clone();
                    dq[j] += sign * delta;
                    evaluate(&phi, &M, &q0, &dq).0
                };
                let (plus, minus) = (moved(1.0), moved(-1.0));
                for i in 0..4 {
                    let slope = (plus[i] - minus[i]) / (2.0 * delta);
                    assert!((slope - J.get(i, j)).abs() <= 1e-6 * (1.0 + J.get(i, j).abs()), "{slope} {}", J.get(i, j));
                }
            }
        }
    }
}

/// The mean gradient has the identity at every length, and no component along a coordinate that φ does not depend on.
#[test]
fn mean_gradients() {
    let mut seed = 5;
    for _ in 0..50 {
        let (mut phi, M, q0, way) = case(&mut seed, 4);
        phi.k.iter_mut().for_each(|k| k[3] = 0.0);
        for decade in 0..=16 {
            let dq: Vec<f64> = way.iter().map(|x| x * 10.0_f64.powi(-decade)).collect();
            let q1: Vec<f64> = q0.iter().zip(&dq).map(|(q, d)| q + d).collect();
            let qm: Vec<f64> = q0.iter().zip(&dq).map(|(q, d)| q + 0.5 * d).collect();
            let mut Mdq = vec![0.0; 4];
            mul_add(&M, 1.0, &dq, &mut Mdq);
            let at = Between { q0: &q0, q1: &q1, qm: &qm, dq: &dq, M: &M, Mdq: &Mdq };
            let mut D = vec![0.0; 4];
            mean_gradient(&phi, &at, &mut D, &mut Room::new(4));
            let (v0, v1) = (phi.value(&q0), phi.value(&q1));
            let identity = (vector::dot(&D, &dq) - (v1 - v0)).abs();
            assert!(identity <= 1e-14 * (v0.abs() + v1.abs() + 10.0), "1e-{decade}: {identity:e}");
        }
    }
}
