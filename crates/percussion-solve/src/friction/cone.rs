//! Coulomb's cone of one contact, and the intersection with the rolling cone.
//!
//!   C = {‖r_T‖ ≤ μ r_N}                         2 or 3 components
//!   C = {‖r_T‖ ≤ μ r_N, ‖r_R‖ ≤ μ_r r_N}        5 components: N, T1, T2, R1, R2
//!
//! A velocity u enters with its normal part shifted by μ‖u_T‖ + μ_r‖u_R‖ (de Saxcé): the law is then "shifted u in the
//! dual cone, orthogonal to r in C", and r solves it exactly when r = P_C(r − ρ (u + shift n)) for any ρ > 0.

/// The cone of one contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cone {
    /// μ ≥ 0, dimensionless.
    pub mu: f64,
    /// μ_r ≥ 0 [m]; only with five components.
    pub mu_rolling: f64,
}

impl Cone {
    /// Coulomb friction without rolling.
    pub fn coulomb(mu: f64) -> Self {
        Self { mu, mu_rolling: 0.0 }
    }

    /// The cone of contact i; lists without μ_r are those of contacts without rolling friction.
    #[inline]
    pub(crate) fn of(mu: &[f64], mu_rolling: &[f64], i: usize) -> Self {
        Self { mu: mu[i], mu_rolling: mu_rolling.get(i).copied().unwrap_or(0.0) }
    }

    /// de Saxcé's shift μ‖u_T‖ + μ_r‖u_R‖.
    #[inline]
    pub fn shift<const D: usize>(&self, u: &[f64; D]) -> f64 {
        match D {
            2 => self.mu * u[1].abs(),
            3 => self.mu * (u[1] * u[1] + u[2] * u[2]).sqrt(),
            5 => self.mu * (u[1] * u[1] + u[2] * u[2]).sqrt() + self.mu_rolling * (u[3] * u[3] + u[4] * u[4]).sqrt(),
            _ => 0.0,
        }
    }

    /// P_C(x), the nearest point of the cone.
    #[inline]
    pub fn project<const D: usize>(&self, x: &[f64; D]) -> [f64; D] {
        match D {
            1 => {
                let mut y = [0.0; D];
                y[0] = x[0].max(0.0);
                y
            }
            5 => self.project_rolling(x),
            _ => self.project_coulomb(x),
        }
    }

    #[inline]
    fn project_coulomb<const D: usize>(&self, x: &[f64; D]) -> [f64; D] {
        let mut square = 0.0;
        for t in &x[1..] {
            square += t * t;
        }
        let size = square.sqrt();
        let mut y = [0.0; D];
        // first, so that μ = 0 sends a negative normal part to zero
        if self.mu * size <= -x[0] {
            return y;
        }
        if size <= self.mu * x[0] {
            return *x;
        }
        y[0] = (self.mu * size + x[0]) / (1.0 + self.mu * self.mu);
        // size > μ x_N and > −x_N/μ here, so it is positive unless μ = 0 = size
        let along = if size > 0.0 { self.mu * y[0] / size } else { 0.0 };
        for k in 1..D {
            y[k] = along * x[k];
        }
        y
    }

    /// The normal part z ≥ 0 minimises (z − x_N)² + (‖x_T‖ − μz)₊² + (‖x_R‖ − μ_r z)₊², which is convex and piecewise
    /// quadratic: with the rows of a set S of active terms, z = (x_N + Σ μ_k s_k)/(1 + Σ μ_k²). A term is active below z_k =
    /// s_k/μ_k, so sets are tried from the highest z_k down; each z is continued by the next, and round-off between two does not matter.
    fn project_rolling<const D: usize>(&self, x: &[f64; D]) -> [f64; D] {
        let s = [(x[1] * x[1] + x[2] * x[2]).sqrt(), (x[3] * x[3] + x[4] * x[4]).sqrt()];
        let m = [self.mu, self.mu_rolling];
        let ends = [0, 1].map(|k| if s[k] > 0.0 { s[k] / m[k] } else { 0.0 });
        let order = if ends[0] >= ends[1] { [0, 1] } else { [1, 0] };
        let (mut sum, mut weight) = (x[0], 1.0);
        for k in order {
            if sum / weight >= ends[k] {
                break;
            }
            sum += m[k] * s[k];
            weight += m[k] * m[k];
        }
        let z = (sum / weight).max(0.0);
        let mut y = [0.0; D];
        y[0] = z;
        for k in 0..2 {
            let along = if s[k] > m[k] * z { m[k] * z / s[k] } else { 1.0 };
            y[1 + 2 * k] = along * x[1 + 2 * k];
            y[2 + 2 * k] = along * x[2 + 2 * k];
        }
        y
    }

    /// r − P_C(r − ρ (u + shift n)): zero exactly at a solution.
    #[inline]
    pub fn natural_map<const D: usize>(&self, r: &[f64; D], u: &[f64; D], rho: f64) -> [f64; D] {
        let mut x = *r;
        x[0] -= rho * (u[0] + self.shift(u));
        for k in 1..D {
            x[k] -= rho * u[k];
        }
        let p = self.project(&x);
        let mut d = [0.0; D];
        for k in 0..D {
            d[k] = r[k] - p[k];
        }
        d
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// x − P(x) ⟂ P(x), P(x) in the cone, x − P(x) in the polar cone: Moreau's decomposition characterises P.
    fn check<const D: usize>(cone: Cone, x: [f64; D], others: &[[f64; D]]) {
        let p = cone.project(&x);
        let scale = x.iter().map(|v| v * v).sum::<f64>().sqrt().max(1e-300);
        let dot = |a: &[f64; D], b: &[f64; D]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let rest: [f64; D] = std::array::from_fn(|k| x[k] - p[k]);
        assert!(dot(&rest, &p).abs() <= 1e-13 * scale * scale, "{cone:?} {x:?}");
        let inside = |r: &[f64; D], slack: f64| {
            let t = (r[1] * r[1] + if D > 2 { r[2] * r[2] } else { 0.0 }).sqrt();
            let roll = if D == 5 { (r[3] * r[3] + r[4] * r[4]).sqrt() } else { 0.0 };
            t <= cone.mu * r[0] + slack && roll <= cone.mu_rolling * r[0] + slack && r[0] >= -slack
        };
        assert!(inside(&p, 1e-13 * scale));
        for other in others {
            let y = cone.project(other);
            assert!(dot(&rest, &y) <= 1e-12 * scale * scale.max(1.0), "not polar: {cone:?} {x:?} {y:?}");
        }
    }

    proptest! {
        #[test]
        fn projection_is_moreaus(mu in 0.0..2.0f64, roll in 0.0..2.0f64,
                                 x in prop::array::uniform5(-1.0..1.0f64),
                                 y in prop::collection::vec(prop::array::uniform5(-1.0..1.0f64), 8)) {
            let y3: Vec<[f64; 3]> = y.iter().map(|y| [y[0], y[1], y[2]]).collect();
            let y2: Vec<[f64; 2]> = y.iter().map(|y| [y[0], y[1]]).collect();
            check(Cone { mu, mu_rolling: roll }, x, &y);
            check(Cone::coulomb(mu), [x[0], x[1], x[2]], &y3);
            check(Cone::coulomb(mu), [x[0], x[1]], &y2);
            check(Cone::coulomb(0.0), [x[0], x[1], x[2]], &y3);
        }
    }

    /// Points of the surface are their own projection, whichever side of it round-off puts them on.
    #[test]
    fn surface_stays() {
        for k in 0..2000 {
            let angle = f64::from(k) * 0.37;
            let (mu, roll) = (0.1 + 0.9 * angle.sin().abs(), 0.05 + 0.4 * angle.cos().abs());
            let z = 0.3 + 0.01 * f64::from(k % 97);
            let part = [0.3, 0.9, 1.0 - 1e-16, 1.0][k as usize % 4];
            let (s, c) = angle.sin_cos();
            let x = [z, part * mu * z * c, part * mu * z * s, roll * z * s, roll * z * c];
            let y = Cone { mu, mu_rolling: roll }.project(&x);
            assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() <= 1e-15 * z), "{x:?} {y:?}");
        }
    }

    /// With μ = 0 only the normal part is left, and a huge normal with no tangent is untouched.
    #[test]
    fn frictionless_and_axis() {
        assert_eq!(Cone::coulomb(0.0).project(&[2.0, 1.0, -1.0]), [2.0, 0.0, 0.0]);
        assert_eq!(Cone::coulomb(0.0).project(&[-2.0, 0.0, 0.0]), [0.0, 0.0, 0.0]);
        assert_eq!(Cone::coulomb(0.0).project(&[0.0, 0.0, 0.0]), [0.0, 0.0, 0.0]);
        assert_eq!(Cone { mu: 0.0, mu_rolling: 0.0 }.project(&[1.0, 1.0, 1.0, 1.0, 1.0]), [1.0, 0.0, 0.0, 0.0, 0.0]);
    }
}
