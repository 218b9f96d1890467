//! The force of a beam element between two states that does exactly the work V₁ − V₀.
//!
//!   f̃ = L B̃ᵀ D ε̄,   ε̄ = (ε₀ + ε₁)/2,   B̃ (q₁ − q₀) = ε₁ − ε₀   ⇒   f̃·(q₁ − q₀) = V₁ − V₀
//!
//! With averages X̄, Ȳ of the slopes, c̄, s̄ of cosine and sine, T̄ = (T₀ + T₁)/2, u = T₁ − T₀, σ = sin(u/2)/(u/2),
//! B̃ has the rows of B with c̄, s̄ for cosine and sine, and for the derivatives with respect to T
//!
//!   α₁ = σ (−X̄ sin T̄ + Ȳ cos T̄),   α₂ = −σ (X̄ cos T̄ + Ȳ sin T̄).
//!
//! Newton's method on f̃ converges at large steps only when the geometric part of its Jacobian is driven by an
//! independent stress n (mixed integration point): `predicted_stress` is the one to use.

use super::beam_element::{BeamElement, gradient_rows, slopes, weighted_rows};
use percussion_matrix::math;

/// What B̃ is made of, and its derivatives with respect to (X₁, Y₁, T₁).
struct Averages {
    c: f64,
    s: f64,
    c_T: f64,
    s_T: f64,
    stretch_T: f64,
    shear_T: f64,
    d_stretch_T: [f64; 3],
    d_shear_T: [f64; 3],
}

fn averages(L: f64, q0: &[f64; 6], q1: &[f64; 6]) -> Averages {
    let ((X0, Y0, T0), (X1, Y1, T1)) = (slopes(L, q0), slopes(L, q1));
    let ((s0, c0), (s1, c1)) = (math::sin_cos(T0), math::sin_cos(T1));
    let (X, Y, u) = (0.5 * (X0 + X1), 0.5 * (Y0 + Y1), T1 - T0);
    let (s, c) = math::sin_cos(0.5 * (T0 + T1));
    let (sigma, sigma_u) = half_sinc(u);
    let (across, along) = (Y * c - X * s, X * c + Y * s);
    Averages {
        c: 0.5 * (c0 + c1),
        s: 0.5 * (s0 + s1),
        c_T: -0.5 * s1,
        s_T: 0.5 * c1,
        stretch_T: sigma * across,
        shear_T: -sigma * along,
        d_stretch_T: [-0.5 * sigma * s, 0.5 * sigma * c, sigma_u * across - 0.5 * sigma * along],
        d_shear_T: [-0.5 * sigma * c, -0.5 * sigma * s, -sigma_u * along - 0.5 * sigma * across],
    }
}

/// σ(u) = sin(u/2)/(u/2) and σ′(u); by their series where the closed form of σ′ cancels.
fn half_sinc(u: f64) -> (f64, f64) {
    let w = u * u;
    if u.abs() < 0.1 {
        let sigma = 1.0 - w / 24.0 * (1.0 - w / 80.0 * (1.0 - w / 168.0));
        let sigma_u = -u / 12.0 * (1.0 - w / 40.0 * (1.0 - w / 112.0 * (1.0 - w / 216.0)));
        return (sigma, sigma_u);
    }
    let z = 0.5 * u;
    let (s, c) = math::sin_cos(z);
    (s / z, (z * c - s) / (2.0 * z * z))
}

impl BeamElement {
    /// B̃, 3 × 6, with B̃ (q₁ − q₀) = ε₁ − ε₀; B itself when the states agree.
    pub fn discrete_strain_gradient(&self, q0: &[f64; 6], q1: &[f64; 6]) -> [[f64; 6]; 3] {
        let a = averages(self.length, q0, q1);
        gradient_rows(self.length, a.c, a.s, a.stretch_T, a.shear_T)
    }

    /// D ε̄, the stress of the averaged strain.
    pub fn discrete_stress(&self, q0: &[f64; 6], q1: &[f64; 6]) -> [f64; 3] {
        let (e0, e1) = (self.strain(q0), self.strain(q1));
        self.stress(&[0.5 * (e0[0] + e1[0]), 0.5 * (e0[1] + e1[1]), 0.5 * (e0[2] + e1[2])])
    }

    /// f̃ with f̃·(q₁ − q₀) = V₁ − V₀.
    pub fn discrete_force(&self, q0: &[f64; 6], q1: &[f64; 6]) -> [f64; 6] {
        weighted_rows(self.length, &self.discrete_strain_gradient(q0, q1), &self.discrete_stress(q0, q1))
    }

    /// D (ε̄ + B(q₁) δ/2): the stress Newton's increment δ of q₁ leads to, as if strains were linear.
    pub fn predicted_stress(&self, q0: &[f64; 6], q1: &[f64; 6], delta: &[f64; 6]) -> [f64; 3] {
        let (e0, e1, B) = (self.strain(q0), self.strain(q1), self.strain_gradient(q1));
        let strain = std::array::from_fn(|r| {
            let change: f64 = B[r].iter().zip(delta).map(|(b, d)| b * d).sum();
            0.5 * (e0[r] + e1[r] + change)
        });
        self.stress(&strain)
    }

    /// ∂f̃/∂q₁ = ½ L B̃ᵀ D B(q₁) + L (∂B̃/∂q₁)ᵀ n, not symmetric; exact with n = `discrete_stress`.
    pub fn discrete_tangent(&self, q0: &[f64; 6], q1: &[f64; 6], n: &[f64; 3]) -> [[f64; 6]; 6] {
        let B_tilde = self.discrete_strain_gradient(q0, q1);
        let mut K = self.material_tangent(&B_tilde, &self.strain_gradient(q1), 0.5);
        let geometric = self.discrete_geometric_tangent(q0, q1, n);
        K.iter_mut().flatten().zip(geometric.iter().flatten()).for_each(|(k, g)| *k += g);
        K
    }

    /// L (∂B̃/∂q₁)ᵀ n, the part of the tangent driven by the stress alone.
    pub fn discrete_geometric_tangent(&self, q0: &[f64; 6], q1: &[f64; 6], n: &[f64; 3]) -> [[f64; 6]; 6] {
        let L = self.length;
        let a = averages(L, q0, q1);
        // ∂/∂(X₁, Y₁, T₁) of the rows of f̃ that belong to x₂, y₂ and to each θ
        let fx = [0.0, 0.0, n[0] * a.c_T - n[1] * a.s_T];
        let fy = [0.0, 0.0, n[0] * a.s_T + n[1] * a.c_T];
        let ft: [f64; 3] = std::array::from_fn(|k| 0.5 * L * (n[0] * a.d_stretch_T[k] + n[1] * a.d_shear_T[k]));
        // and of (X₁, Y₁, T₁) with respect to q₁
        let row = |f: [f64; 3]| {
            let (X, Y, T) = (f[0] / L, f[1] / L, 0.5 * f[2]);
            [-X, -Y, T, X, Y, T]
        };
        let minus = |f: [f64; 3]| f.map(|x| -x);
        [row(minus(fx)), row(minus(fy)), row(ft), row(fx), row(fy), row(ft)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// σ and σ′ by series and by closed form agree at the seam; the closed form of σ′ loses 1e-16/u² there.
    #[test]
    fn series_meets_closed_form() {
        let (a, b) = (half_sinc(0.1 - 1e-15), half_sinc(0.1));
        assert!((a.0 - b.0).abs() < 1e-15 && (a.1 - b.1).abs() < 1e-14, "{a:?} {b:?}");
        assert_eq!(half_sinc(0.0), (1.0, 0.0));
    }
}
