//! The motion inside a step, from both ends: a quintic for q, its own cubic for v.
//!
//!   q(θ) = q₀ + h θ v₀ + …  matches q, v, a at θ = 0 and 1 (error O(h⁶));   v(θ) matches v and a there (error O(h⁴))
//!
//! It only finds and brackets events; the state at an event is that of a Runge–Kutta step that ends there.

use crate::located::phase::Phase;

/// The motion between two phases.
pub struct DenseOutput<'a> {
    from: &'a Phase,
    to: &'a Phase,
    h: f64,
}

impl<'a> DenseOutput<'a> {
    /// Between the ends of a step of length h.
    pub fn new(from: &'a Phase, to: &'a Phase, h: f64) -> Self {
        Self { from, to, h }
    }

    /// Time at θ.
    pub fn t(&self, theta: f64) -> f64 {
        self.from.t + theta * self.h
    }

    /// q ← q(θ).
    #[inline]
    pub fn q(&self, theta: f64, q: &mut Vec<f64>) {
        let (from, to, h, x) = (self.from, self.to, self.h, theta);
        let (x2, x3) = (x * x, x * x * x);
        // q₁ − q₀ enters as a difference: a constant stays a constant
        let p1 = x3 * (10.0 - 15.0 * x + 6.0 * x2);
        let v0 = h * (x + x3 * (-6.0 + 8.0 * x - 3.0 * x2));
        let v1 = h * x3 * (-4.0 + 7.0 * x - 3.0 * x2);
        let a0 = h * h * (0.5 * x2 + x3 * (-1.5 + 1.5 * x - 0.5 * x2));
        let a1 = h * h * x3 * (0.5 - x + 0.5 * x2);
        q.resize(from.q.len(), 0.0);
        for i in 0..from.q.len() {
            q[i] =
                from.q[i] + p1 * (to.q[i] - from.q[i]) + v0 * from.v[i] + v1 * to.v[i] + a0 * from.a[i] + a1 * to.a[i];
        }
    }

    /// v ← v(θ).
    #[inline]
    pub fn v(&self, theta: f64, v: &mut Vec<f64>) {
        let (from, to, h, x) = (self.from, self.to, self.h, theta);
        let p1 = x * x * (3.0 - 2.0 * x);
        let (a0, a1) = (h * x * (1.0 - x) * (1.0 - x), h * x * x * (x - 1.0));
        v.resize(from.v.len(), 0.0);
        for i in 0..from.v.len() {
            v[i] = from.v[i] + p1 * (to.v[i] - from.v[i]) + a0 * from.a[i] + a1 * to.a[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quintic in q is reproduced, and so is a cubic in v; 1e-14 is round-off of their terms.
    #[test]
    fn polynomials_are_reproduced() {
        let c = [0.3, -1.2, 0.7, 2.0, -0.9, 0.4];
        let q = |t: f64| c.iter().rev().fold(0.0, |s, c| s * t + c);
        let v = |t: f64| c[1] + t * (2.0 * c[2] + t * (3.0 * c[3] + t * (4.0 * c[4] + t * 5.0 * c[5])));
        let a = |t: f64| 2.0 * c[2] + t * (6.0 * c[3] + t * (12.0 * c[4] + t * 20.0 * c[5]));
        let at = |t: f64| Phase { t, q: vec![q(t)], v: vec![v(t)], a: vec![a(t)], ..Phase::default() };
        let (from, to) = (at(0.4), at(1.1));
        let dense = DenseOutput::new(&from, &to, 0.7);
        let mut x = Vec::new();
        for theta in [0.0, 0.2, 0.55, 0.9, 1.0] {
            dense.q(theta, &mut x);
            assert!((x[0] - q(dense.t(theta))).abs() < 1e-14, "{theta}");
        }
        let cubic = |t: f64| 1.0 + t * (0.5 + t * (-2.0 + 0.8 * t));
        let slope = |t: f64| 0.5 + t * (-4.0 + 2.4 * t);
        let at = |t: f64| Phase { t, q: vec![0.0], v: vec![cubic(t)], a: vec![slope(t)], ..Phase::default() };
        let (from, to) = (at(0.4), at(1.1));
        let dense = DenseOutput::new(&from, &to, 0.7);
        for theta in [0.1, 0.5, 0.8] {
            dense.v(theta, &mut x);
            assert!((x[0] - cubic(dense.t(theta))).abs() < 1e-14, "{theta}");
        }
    }
}
