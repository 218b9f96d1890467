//! The Fischer–Burmeister function of the second-order cone (Fukushima, Luo, Tseng 2002) for one contact.
//!
//!   φ(x, y) = x + y − (x² + y²)^½,    x = (μ r_N, r_T),    y = ρ (u_N + μ‖u_T‖, μ u_T)
//!
//! Squares and roots are those of the Jordan algebra, x∘y = (x·y, x₀ȳ + y₀x̄): φ = 0 exactly when x and y lie in the
//! cone ‖x̄‖ ≤ x₀ and are orthogonal, which is Coulomb's law. With w = (x² + y²)^½,
//!
//!   dφ = (1 − L_w⁻¹L_x) dx + (1 − L_w⁻¹L_y) dy,    L_x y = x∘y
//!
//! Where w leaves the interior (x, y both on the boundary, or zero) x² + y² is raised by a hair along the unit, which
//! picks one element of the generalised derivative. Without friction the normal obeys the scalar function and r_T = 0.

use crate::friction::Cone;
use percussion_matrix::math;

/// φ and its derivatives with respect to r and u at one contact; blocks by columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jordan<const D: usize, const D2: usize> {
    pub phi: [f64; D],
    pub G_r: [f64; D2],
    pub G_u: [f64; D2],
}

/// How far the smaller spectral value of w² is kept from zero, relative to the larger.
const HAIR: f64 = 1e-24;

impl<const D: usize, const D2: usize> Jordan<D, D2> {
    /// The law at (r, u), for 2 or 3 components.
    pub fn at(cone: Cone, rho: f64, r: &[f64; D], u: &[f64; D]) -> Self {
        let mut law = Self { phi: [0.0; D], G_r: [0.0; D2], G_u: [0.0; D2] };
        let mu = cone.mu;
        if mu == 0.0 {
            law.frictionless(rho, r, u);
            return law;
        }
        let mut slip = 0.0;
        for k in 1..D {
            slip += u[k] * u[k];
        }
        let slip = slip.sqrt();
        let (mut x, mut y) = (*r, *u);
        x[0] *= mu;
        y[0] = rho * (u[0] + mu * slip);
        for k in 1..D {
            y[k] = rho * mu * u[k];
        }
        let w = root(&x, &y);
        let (A, B) = (derivative::<D, D2>(&w, &x), derivative::<D, D2>(&w, &y));
        for k in 0..D {
            law.phi[k] = x[k] + y[k] - w[k];
        }
        for k in 0..D {
            law.G_r[k] = mu * A[k];
            law.G_u[k] = rho * B[k];
            for c in 1..D {
                law.G_r[c * D + k] = A[c * D + k];
                // through the shift: dy₀ = ρ(du_N + μ t·du_T), t = u_T/‖u_T‖
                let t = if slip > 0.0 { u[c] / slip } else { 0.0 };
                law.G_u[c * D + k] = rho * mu * (B[c * D + k] + t * B[k]);
            }
        }
        law
    }

    fn frictionless(&mut self, rho: f64, r: &[f64; D], u: &[f64; D]) {
        self.phi = *r;
        for k in 1..D {
            self.G_r[k * D + k] = 1.0;
        }
        let (x, y) = (r[0], rho * u[0]);
        let size = math::hypot(x, y);
        let corner = std::f64::consts::FRAC_1_SQRT_2;
        let (a, b) = if size > 0.0 { (x / size, y / size) } else { (corner, corner) };
        self.phi[0] = x + y - size;
        self.G_r[0] = 1.0 - a;
        self.G_u[0] = rho * (1.0 - b);
    }
}

/// w = (x² + y²)^½ by its spectral values √λ₁ ≤ √λ₂.
fn root<const D: usize>(x: &[f64; D], y: &[f64; D]) -> [f64; D] {
    let mut square = 0.0;
    let mut v = [0.0; D];
    let mut size = 0.0;
    for k in 0..D {
        square += x[k] * x[k] + y[k] * y[k];
    }
    for k in 1..D {
        v[k] = 2.0 * (x[0] * x[k] + y[0] * y[k]);
        size += v[k] * v[k];
    }
    let size = size.sqrt();
    let high = square + size;
    let low = (square - size).max(HAIR * high);
    let (a, b) = (low.sqrt(), high.sqrt());
    let mut w = [0.0; D];
    w[0] = 0.5 * (a + b);
    for k in 1..D {
        // (b − a)/‖v‖ = 2/(a + b) exactly, and stays exact for small v
        w[k] = v[k] / (a + b).max(f64::MIN_POSITIVE);
    }
    w
}

/// 1 − L_w⁻¹ L_x by columns.
fn derivative<const D: usize, const D2: usize>(w: &[f64; D], x: &[f64; D]) -> [f64; D2] {
    let mut out = [0.0; D2];
    let mut bar = 0.0;
    for k in 1..D {
        bar += w[k] * w[k];
    }
    let det = (w[0] - bar.sqrt()) * (w[0] + bar.sqrt());
    for c in 0..D {
        // z = L_x e_c, then L_w⁻¹ z
        let mut z = [0.0; D];
        if c == 0 {
            z = *x;
        } else {
            z[0] = x[c];
            z[c] += x[0];
        }
        let mut dot = 0.0;
        for k in 1..D {
            dot += w[k] * z[k];
        }
        let regular = det > 0.0 && w[0] > 0.0;
        let first = if regular { (w[0] * z[0] - dot) / det } else { 0.0 };
        for k in 0..D {
            let solved = match k {
                _ if !regular => 0.0,
                0 => first,
                _ => (z[k] - first * w[k]) / w[0],
            };
            out[c * D + k] = if c == k { 1.0 } else { 0.0 } - solved;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// φ vanishes on answers of the law, and its derivative is that of central differences.
        #[test]
        fn derivative_and_zeros(r in prop::array::uniform3(-1.0..1.0f64), u in prop::array::uniform3(-1.0..1.0f64),
                                rho in 0.1..10.0f64, mu in 0.05..1.5f64) {
            let cone = Cone::coulomb(mu);
            let law = Jordan::<3, 9>::at(cone, rho, &r, &u);
            let h = 1e-6;
            for c in 0..3 {
                let at = |r_step: f64, u_step: f64| {
                    let (mut r, mut u) = (r, u);
                    r[c] += r_step;
                    u[c] += u_step;
                    Jordan::<3, 9>::at(cone, rho, &r, &u).phi
                };
                let (rp, rm, up, um) = (at(h, 0.0), at(-h, 0.0), at(0.0, h), at(0.0, -h));
                for k in 0..3 {
                    prop_assert!(((rp[k] - rm[k]) / (2.0 * h) - law.G_r[c * 3 + k]).abs() < 1e-3);
                    prop_assert!(((up[k] - um[k]) / (2.0 * h) - law.G_u[c * 3 + k]).abs() < 1e-3 * rho.max(1.0));
                }
            }
            // Moreau's parts of any vector satisfy the law: r = P(x), shifted velocity = P(x) − x
            let p = cone.project(&r);
            let mut v = [p[0] - r[0], p[1] - r[1], p[2] - r[2]];
            v[0] -= mu * (v[1] * v[1] + v[2] * v[2]).sqrt();
            for f in Jordan::<3, 9>::at(cone, rho, &p, &v).phi {
                prop_assert!(f.abs() < 1e-7, "{p:?} {v:?} {f}");
            }
        }
    }
}
