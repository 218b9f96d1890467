//! How a scheme treats one undamped mode in smooth motion: the roots of its amplification matrix (Hughes 1987).
//!
//!   x = (q, hv, h²a),   x_{k+1} = A(hω) x_k,   ρ = max |λ_i|,   ω̄h = arg λ,   T̄/T − 1 = ω/ω̄ − 1,   ξ̄ = −ln|λ| / (ω̄h)
//!
//!   θ-method:           q⁺ = q + h v_{k+θ},   h v⁺ = h v − (hω)² q_{k+θ};   midpoint variant: q⁺ = q + h v_{k+½}
//!   Newmark family:     (1−α_m) a⁺ + α_m a = −ω²((1−α_f) q⁺ + α_f q),   q⁺, v⁺ by β and γ
//!   symplectic Euler:   q⁺ = q + h v,   h v⁺ = h v − (hω)² q⁺

use crate::NewmarkLike;
use crate::schemes::equations::Stored;

/// One mode at one hω.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// hω.
    pub frequency: f64,
    /// ρ, the largest |λ|.
    pub radius: f64,
    /// T̄/T − 1; none where the principal roots are real and nothing oscillates.
    pub period_error: Option<f64>,
    /// ξ̄, the damping ratio the scheme adds; none in the same case.
    pub damping: Option<f64>,
}

/// The mode of frequency hω under a scheme that can be followed step by step; none for the others.
pub fn mode(stored: &Stored, frequency: f64) -> Option<Mode> {
    let [real, pair] = roots(&amplification(stored, frequency)?);
    let size = |z: (f64, f64)| z.0.hypot(z.1);
    let radius = size(pair).max(real.0.abs()).max(size(real));
    let angle = pair.1.atan2(pair.0).abs();
    let oscillates = pair.1 != 0.0;
    Some(Mode {
        frequency,
        radius,
        period_error: oscillates.then(|| frequency / angle - 1.0),
        damping: oscillates.then(|| -size(pair).ln() / angle),
    })
}

/// A(hω), row by row; a is zero where the scheme carries none.
fn amplification(stored: &Stored, x: f64) -> Option<[[f64; 3]; 3]> {
    let k = x * x;
    // columns are what becomes of the unit states
    let columns = |step: &dyn Fn([f64; 3]) -> [f64; 3]| {
        let images = [step([1.0, 0.0, 0.0]), step([0.0, 1.0, 0.0]), step([0.0, 0.0, 1.0])];
        std::array::from_fn(|i| std::array::from_fn(|j| images[j][i]))
    };
    match *stored {
        Stored::Theta { theta, midpoint } => Some(columns(&|[q, v, _]| {
            let c = if midpoint { 0.5 } else { theta };
            // v⁺ = v − k(q + θ((1−c) v + c v⁺))
            let v_new = (v - k * (q + theta * (1.0 - c) * v)) / (1.0 + k * theta * c);
            [q + (1.0 - c) * v + c * v_new, v_new, 0.0]
        })),
        Stored::Newmark(p) => Some(columns(&|s| newmark(&p, k, s))),
        Stored::Implicit { beta, gamma, .. } => Some(columns(&|s| newmark(&NewmarkLike::newmark(beta, gamma), k, s))),
        Stored::Euler => Some(columns(&|[q, v, _]| [q + v, v - k * (q + v), 0.0])),
        Stored::Projected(_) | Stored::Missing(_) => None,
    }
}

fn newmark(p: &NewmarkLike, k: f64, [q, v, a]: [f64; 3]) -> [f64; 3] {
    let q_star = q + v + (0.5 - p.beta) * a;
    let load = -p.alpha_m * a - k * (p.alpha_f * q + (1.0 - p.alpha_f) * q_star);
    let a_new = load / (1.0 - p.alpha_m + (1.0 - p.alpha_f) * k * p.beta);
    [q_star + p.beta * a_new, v + (1.0 - p.gamma) * a + p.gamma * a_new, a_new]
}

/// A real root of det(A − λ) as (λ, 0), and one of the other two with the larger size: of a pair the one above the real axis.
fn roots(A: &[[f64; 3]; 3]) -> [(f64, f64); 2] {
    // λ³ + b λ² + c λ + d
    let minor = |i: usize, j: usize| A[i][i] * A[j][j] - A[i][j] * A[j][i];
    let b = -(A[0][0] + A[1][1] + A[2][2]);
    let c = minor(0, 1) + minor(0, 2) + minor(1, 2);
    let cofactor = |r: usize, s: usize| A[1][r] * A[2][s] - A[1][s] * A[2][r];
    let d = -(A[0][0] * cofactor(1, 2) - A[0][1] * cofactor(0, 2) + A[0][2] * cofactor(0, 1));
    let value = |x: f64| ((x + b) * x + c) * x + d;
    let bound = 1.0 + b.abs().max(c.abs()).max(d.abs());
    let (mut low, mut high) = (-bound, bound);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if value(middle) < 0.0 { low = middle } else { high = middle }
    }
    let real = if d == 0.0 { 0.0 } else { 0.5 * (low + high) };

    // what is left: λ² + (b + real) λ + (c + real (b + real))
    let (half, product) = (0.5 * (b + real), c + real * (b + real));
    let discriminant = half * half - product;
    let other = if discriminant < 0.0 {
        (-half, (-discriminant).sqrt())
    } else {
        let root = discriminant.sqrt();
        if half > 0.0 { (-half - root, 0.0) } else { (-half + root, 0.0) }
    };
    [(real, 0.0), other]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(p: NewmarkLike, x: f64) -> Mode {
        mode(&Stored::Newmark(p), x).expect("a mode")
    }

    /// ½(β − 1/12)(hω)² for γ = ½ (Hughes 1987), and nothing is damped.
    #[test]
    fn period_error_of_newmark() {
        for beta in [0.25, 1.0 / 6.0, 1.0 / 12.0, 0.0] {
            let (x, found) = (0.05, at(NewmarkLike::newmark(beta, 0.5), 0.05));
            let error = found.period_error.expect("it oscillates");
            assert!((error - 0.5 * (beta - 1.0 / 12.0) * x * x).abs() < 2e-7, "β = {beta}: {error:e}");
            assert!((found.radius - 1.0).abs() < 1e-13, "β = {beta}: {:e}", found.radius - 1.0);
        }
    }

    /// ρ at infinity: ρ∞ of Chung and Hulbert, (1−α)/(1+α) of Hilber, Hughes and Taylor, θ: |1 − 1/θ|.
    #[test]
    fn radius_at_infinity() {
        for rho in [0.0, 0.3, 0.5, 0.8] {
            // three roots meet there, and come apart like (hω)^{−2/3}
            assert!((at(NewmarkLike::chung_hulbert(rho), 1e9).radius - rho).abs() < 2e-5, "{rho}");
        }
        for alpha in [0.05, 0.1, 0.3] {
            let found = at(NewmarkLike::hht(alpha), 1e7).radius;
            assert!((found - (1.0 - alpha) / (1.0 + alpha)).abs() < 1e-5, "{alpha}: {found}");
        }
        for theta in [0.5, 0.6, 1.0] {
            let found = mode(&Stored::Theta { theta, midpoint: false }, 1e7).expect("a mode").radius;
            assert!((found - (1.0 / theta - 1.0)).abs() < 1e-5, "{theta}: {found}");
        }
    }

    /// Central differences and symplectic Euler are stable up to hω = 2.
    #[test]
    fn explicit_schemes_have_a_limit() {
        for stored in [Stored::Newmark(NewmarkLike::newmark(0.0, 0.5)), Stored::Euler] {
            assert!((mode(&stored, 1.99).expect("a mode").radius - 1.0).abs() < 1e-12);
            assert!(mode(&stored, 2.01).expect("a mode").radius > 1.1);
        }
    }
}
