//! The Alart–Curnier function of one contact and its generalised derivative.
//!
//!   y = r − ρ u,    F_N = r_N − [y_N]₊,    F_T = r_T − P_{‖·‖ ≤ μ[y_N]₊}(y_T)
//!
//! F = 0 is Coulomb's law. dF = G_r dr + G_u du with the rows
//!
//!   open (y_N ≤ 0)         dr
//!   stick (‖y_T‖ ≤ μ y_N)  ρ du
//!   slip                   ρ du_N;  dr_T − μ t dy_N − (μ y_N/‖y_T‖)(1 − t tᵀ) dy_T,   t = y_T/‖y_T‖
//!
//! With five components the rolling moments obey the same law with μ_r.

use crate::friction::Cone;

/// F and its derivative at one contact; blocks by columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Law<const D: usize, const D2: usize> {
    pub F: [f64; D],
    pub G_r: [f64; D2],
    pub G_u: [f64; D2],
    /// Whether the contact is open: F = r.
    pub open: bool,
}

impl<const D: usize, const D2: usize> Law<D, D2> {
    /// The law at (r, u).
    pub fn at(cone: Cone, rho: f64, r: &[f64; D], u: &[f64; D]) -> Self {
        let mut law = Self { F: *r, G_r: [0.0; D2], G_u: [0.0; D2], open: true };
        let y_n = r[0] - rho * u[0];
        if y_n <= 0.0 {
            for k in 0..D {
                law.G_r[k * D + k] = 1.0;
            }
            return law;
        }
        law.open = false;
        law.F[0] = rho * u[0];
        law.G_u[0] = rho;
        match D {
            5 => {
                law.disc(1..3, cone.mu, rho, y_n, r, u);
                law.disc(3..5, cone.mu_rolling, rho, y_n, r, u);
            }
            _ => law.disc(1..D, cone.mu, rho, y_n, r, u),
        }
        law
    }

    /// The rows of the components in `rows`, bounded by μ y_N.
    fn disc(&mut self, rows: std::ops::Range<usize>, mu: f64, rho: f64, y_n: f64, r: &[f64; D], u: &[f64; D]) {
        let mut y = [0.0; D];
        let mut square = 0.0;
        for k in rows.clone() {
            y[k] = r[k] - rho * u[k];
            square += y[k] * y[k];
        }
        let size = square.sqrt();
        if size <= mu * y_n {
            for k in rows {
                self.F[k] = rho * u[k];
                self.G_u[k * D + k] = rho;
            }
            return;
        }
        let shrink = mu * y_n / size;
        for k in rows.clone() {
            let t_k = y[k] / size;
            self.F[k] = r[k] - shrink * y[k];
            // through dy_N = dr_N − ρ du_N
            self.G_r[k] -= mu * t_k;
            self.G_u[k] += mu * t_k * rho;
            self.G_r[k * D + k] += 1.0;
            for c in rows.clone() {
                let t_c = y[c] / size;
                let entry = shrink * (f64::from(u8::from(k == c)) - t_k * t_c);
                self.G_r[c * D + k] -= entry;
                self.G_u[c * D + k] += rho * entry;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Derivative against central differences, away from the kinks by chance.
        #[test]
        fn derivative_is_that_of_f(r in prop::array::uniform5(-1.0..1.0f64), u in prop::array::uniform5(-1.0..1.0f64),
                                   mu in 0.1..1.0f64, dr in prop::array::uniform5(-1.0..1.0f64),
                                   du in prop::array::uniform5(-1.0..1.0f64)) {
            let cone = Cone { mu, mu_rolling: 0.7 * mu };
            let rho = 0.8;
            let at = |s: f64| Law::<5, 25>::at(
                cone, rho, &std::array::from_fn(|k| r[k] + s * dr[k]), &std::array::from_fn(|k| u[k] + s * du[k]));
            let (law, e) = (at(0.0), 1e-6);
            let (plus, minus) = (at(e), at(-e));
            // a kink between the two ends shows as one-sided slopes that differ
            for k in 0..5 {
                let slope = (plus.F[k] - minus.F[k]) / (2.0 * e);
                let (right, left) = ((plus.F[k] - law.F[k]) / e, (law.F[k] - minus.F[k]) / e);
                if (right - left).abs() > 1e-3 {
                    continue;
                }
                let derivative: f64 =
                    (0..5).map(|c| law.G_r[c * 5 + k] * dr[c] + law.G_u[c * 5 + k] * du[c]).sum();
                prop_assert!((slope - derivative).abs() < 1e-6, "{slope} {derivative}");
            }
        }

        /// F vanishes where the natural map of the cone does, and only there.
        #[test]
        fn zeros_are_solutions(t in 0.0..6.3f64, slide in 0.01..1.0f64, n in 0.1..1.0f64, mu in 0.1..1.0f64) {
            let cone = Cone::coulomb(mu);
            let r = [n, mu * n * t.cos(), mu * n * t.sin()];
            let u = [0.0, -slide * t.cos(), -slide * t.sin()];
            for x in Law::<3, 9>::at(cone, 0.7, &r, &u).F {
                prop_assert!(x.abs() < 1e-14);
            }
            let wrong = [0.0, slide * t.cos(), slide * t.sin()];
            prop_assert!(Law::<3, 9>::at(cone, 0.7, &r, &wrong).F.iter().any(|x| x.abs() > 1e-4));
        }
    }
}
