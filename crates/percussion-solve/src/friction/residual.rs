//! The two residuals that judge every friction solver.
//!
//!   e  = ‖(r_i − P_i(r_i − (u_i + s_i n)))_i‖ / max(‖b‖, ‖r‖, ‖u‖)          (as FCLIB and Siconos; depends on units)
//!   eₛ = ‖(r_i − P_i(r_i − ρ_i (u_i + s_i n)))_i‖ / max(‖r‖, ‖(ρ_i b_i)_i‖)   (independent of units)
//!
//! In eₛ, ‖r‖ counts up to 10³ ‖(ρ_i b_i)_i‖, and 10⁻³ ‖(ρ_i min(0, u_N,i))_i‖ / ‖(ρ_i b_i)_i‖ is its least value: the law asks
//! u_N ≥ 0. Jammed contacts have reactions of any size that do nothing, and divided by those any velocity is small; a wide
//! cone is at a distance u_N/√(1 + μ²) only. So is 10⁻³ ε‖r‖ / ‖(ρ_i b_i)_i‖, ε the round-off of W r: reactions of 10¹⁷ N·s in the null space of W
//! make a velocity of any size vanish among their digits. Where reactions and μ are ordinary this changes nothing.
//!
//! s_i = μ_i‖u_T,i‖ (+ μ_r‖u_R,i‖), P_i the projection on the cone, ρ_i = 1/‖W_ii‖₂. A division is skipped where its
//! scale vanishes.

use crate::Residuals;
use crate::friction::{Cone, FrictionProblem};
use crate::residual::{inverse_size, relative};
use percussion_matrix::{BlockMatrix, math};

/// How much larger than ‖ρ b‖ reactions may be to count in full.
pub(crate) const EXCUSED: f64 = 1e3;

/// Both residuals of r, whose velocity u = W r + b is given.
pub fn friction_residuals(problem: &FrictionProblem, r: &[f64], u: &[f64]) -> Residuals {
    let mut rho = Vec::new();
    steps(&problem.W, &mut rho);
    residuals_with(problem, &rho, r, u)
}

/// The same with the ρ_i known.
pub(crate) fn residuals_with(problem: &FrictionProblem, rho: &[f64], r: &[f64], u: &[f64]) -> Residuals {
    match problem.dim() {
        2 => natural::<2>(&problem.b, |i| problem.cone(i), rho, r, u),
        3 => natural::<3>(&problem.b, |i| problem.cone(i), rho, r, u),
        5 => natural::<5>(&problem.b, |i| problem.cone(i), rho, r, u),
        _ => Residuals::INFINITE,
    }
}

/// Sums of squares over contacts, of which both residuals are made: those of parts add up to those of the whole.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    plain: f64,
    scaled: f64,
    approach: f64,
    bb: f64,
    rr: f64,
    uu: f64,
    rb: f64,
}

impl From<[f64; 7]> for Sums {
    fn from([plain, scaled, approach, bb, rr, uu, rb]: [f64; 7]) -> Self {
        Self { plain, scaled, approach, bb, rr, uu, rb }
    }
}

impl Sums {
    /// One after the other.
    pub fn numbers(&self) -> [f64; 7] {
        let Self { plain, scaled, approach, bb, rr, uu, rb } = *self;
        [plain, scaled, approach, bb, rr, uu, rb]
    }

    /// Takes in those of a further part.
    pub fn add(&mut self, other: &Sums) {
        self.plain += other.plain;
        self.scaled += other.scaled;
        self.approach += other.approach;
        self.bb += other.bb;
        self.rr += other.rr;
        self.uu += other.uu;
        self.rb += other.rb;
    }

    /// Both residuals.
    pub fn residuals(&self) -> Residuals {
        let Self { plain, scaled, approach, bb, rr, uu, rb } = *self;
        // comparisons are false for NaN, so a NaN must not reach the maxima below
        if !(plain + scaled + bb + rr + uu + rb).is_finite() {
            return Residuals::INFINITE;
        }
        let lost = f64::EPSILON * f64::EPSILON * rr;
        let scaled = relative(scaled, rr.max(rb)).max(relative(scaled.max(approach).max(lost), rb) / EXCUSED);
        Residuals { plain: relative(plain, bb.max(rr).max(uu)), scaled }
    }
}

/// The formulas, wherever b, cones and ρ are kept.
pub(crate) fn natural<const D: usize>(
    b: &[f64],
    cone: impl Fn(usize) -> Cone,
    rho: &[f64],
    r: &[f64],
    u: &[f64],
) -> Residuals {
    natural_sums::<D>(b, cone, rho, r, u).residuals()
}

/// The same as sums.
pub(crate) fn natural_sums<const D: usize>(
    b: &[f64],
    cone: impl Fn(usize) -> Cone,
    rho: &[f64],
    r: &[f64],
    u: &[f64],
) -> Sums {
    let (mut plain, mut scaled, mut approach) = (0.0, 0.0, 0.0);
    let (mut bb, mut rr, mut uu, mut rb) = (0.0, 0.0, 0.0, 0.0);
    let chunks = r.as_chunks::<D>().0.iter().zip(u.as_chunks::<D>().0).zip(b.as_chunks::<D>().0);
    for (i, ((r, u), b)) in chunks.enumerate() {
        let (cone, rho) = (cone(i), rho[i]);
        let d = cone.natural_map(r, u, 1.0);
        let s = cone.natural_map(r, u, rho);
        let closing = rho * u[0].min(0.0);
        approach += closing * closing;
        for k in 0..D {
            plain += d[k] * d[k];
            scaled += s[k] * s[k];
            bb += b[k] * b[k];
            rr += r[k] * r[k];
            uu += u[k] * u[k];
            rb += (rho * b[k]) * (rho * b[k]);
        }
    }
    Sums { plain, scaled, approach, bb, rr, uu, rb }
}

/// ρ_i = 1/‖W_ii‖₂, and 1 where the block vanishes.
pub(crate) fn steps(W: &BlockMatrix, rho: &mut Vec<f64>) {
    rho.clear();
    for i in 0..W.n_blocks() {
        let size = spectral_norm(W.block_size(), W.diagonal_block(i));
        rho.push(inverse_size(size));
    }
}

/// ‖A‖₂ = √λ_max(AᵀA) of a small d × d block: the trigonometric formula up to 3 × 3, Jacobi rotations above.
pub(crate) fn spectral_norm(d: usize, A: &[f64]) -> f64 {
    let mut S = [[0.0; 5]; 5];
    let mut scale = 0.0_f64;
    for x in A {
        scale = scale.max(x.abs());
    }
    if scale == 0.0 || !scale.is_finite() {
        return scale;
    }
    let mut B = [[0.0; 5]; 5];
    for (row, from) in B.iter_mut().zip(A.chunks_exact(d)) {
        row.iter_mut().zip(from).for_each(|(b, a)| *b = a / scale);
    }
    for i in 0..d {
        for j in 0..d {
            for k in 0..d {
                S[i][j] += B[i][k] * B[j][k];
            }
        }
    }
    if d == 3 {
        return scale * largest_eigenvalue_3(&S).sqrt();
    }
    // cyclic Jacobi: a few sweeps reach round-off for 5 × 5
    for _ in 0..30 {
        let mut off = 0.0;
        for p in 0..d {
            for q in p + 1..d {
                off += S[p][q] * S[p][q];
                if S[p][q].abs() <= 1e-300 {
                    continue;
                }
                let theta = (S[q][q] - S[p][p]) / (2.0 * S[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..d {
                    let (x, y) = (S[k][p], S[k][q]);
                    S[k][p] = c * x - s * y;
                    S[k][q] = s * x + c * y;
                }
                for k in 0..d {
                    let (x, y) = (S[p][k], S[q][k]);
                    S[p][k] = c * x - s * y;
                    S[q][k] = s * x + c * y;
                }
            }
        }
        if off <= 1e-34 {
            break;
        }
    }
    let mut largest = 0.0_f64;
    for (i, row) in S.iter().enumerate().take(d) {
        largest = largest.max(row[i]);
    }
    scale * largest.sqrt()
}

/// λ_max of a symmetric 3 × 3 matrix: q + 2p cos φ with q = tr/3, 6p² = ‖S − q1‖², cos 3φ = det((S − q1)/p)/2.
fn largest_eigenvalue_3(S: &[[f64; 5]; 5]) -> f64 {
    let q = (S[0][0] + S[1][1] + S[2][2]) / 3.0;
    let (a, b, c) = (S[0][0] - q, S[1][1] - q, S[2][2] - q);
    let (d, e, f) = (S[0][1], S[0][2], S[1][2]);
    let p = ((a * a + b * b + c * c + 2.0 * (d * d + e * e + f * f)) / 6.0).sqrt();
    if p == 0.0 {
        return q;
    }
    let det = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e);
    let cosine = (det / (2.0 * p * p * p)).clamp(-1.0, 1.0);
    q + 2.0 * p * math::cos(math::acos(cosine) / 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Norm of a diagonal, of a rotation times 3, and of a rank-one block.
    #[test]
    fn spectral_norms() {
        assert!((spectral_norm(3, &[1.0, 0.0, 0.0, 0.0, -4.0, 0.0, 0.0, 0.0, 2.0]) - 4.0).abs() < 1e-15);
        let (c, s) = (3.0 * 0.6, 3.0 * 0.8);
        assert!((spectral_norm(2, &[c, s, -s, c]) - 3.0).abs() < 1e-14);
        let unit = [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0];
        assert_eq!(spectral_norm(3, &unit), 2.0);
        let (x, y) = ([1.0, 2.0, -1.0, 0.5, 3.0], [2.0, 0.0, 1.0, -1.0, 0.3]);
        let A: Vec<f64> = (0..25).map(|k| x[k % 5] * y[k / 5]).collect();
        let exact = (x.iter().map(|x| x * x).sum::<f64>() * y.iter().map(|y| y * y).sum::<f64>()).sqrt();
        assert!((spectral_norm(5, &A) - exact).abs() < 1e-13 * exact);
        let A: Vec<f64> = (0..9).map(|k| x[k % 3] * y[k / 3]).collect();
        let exact = (x[..3].iter().map(|x| x * x).sum::<f64>() * y[..3].iter().map(|y| y * y).sum::<f64>()).sqrt();
        assert!((spectral_norm(3, &A) - exact).abs() < 1e-13 * exact);
    }

    /// A contact of one degree of freedom that friction drives into itself, u_N = −1 and W r = 0: reactions that lose u among their digits are no answer.
    #[test]
    fn reactions_beyond_their_digits_are_no_answer() {
        let (n, t) = (0.6, 0.8);
        let W = BlockMatrix::from_blocks(2, 1, &[(0, 0, &[n * n, n * t, n * t, t * t])]).unwrap();
        let problem = FrictionProblem::new(W, vec![-1.0, 0.1], vec![0.9], Vec::new()).unwrap();
        for size in [1e13, 1e17, 1e20] {
            let residuals = friction_residuals(&problem, &[size, -size * n / t], &[0.0; 2]);
            assert!(residuals.worst() > 1e-6, "{size:e}: {residuals:?}");
        }
        assert!(friction_residuals(&problem, &[1e3, -1e3 * n / t], &[0.0; 2]).worst() < 1e-15);
    }

    /// The residuals of a problem solved by hand vanish, and grow with the error.
    #[test]
    fn residuals_of_a_known_answer() {
        // one contact, W = I, b pushes down and sideways: slip with r_N = 1, r_T = −μ
        let W = BlockMatrix::from_blocks(2, 1, &[(0, 0, &[1.0, 0.0, 0.0, 1.0])]).unwrap();
        let problem = FrictionProblem::new(W, vec![-1.0, 2.0], vec![0.5], Vec::new()).unwrap();
        let mut u = [0.0; 2];
        problem.velocity(&[1.0, -0.5], &mut u);
        let Residuals { plain, scaled } = friction_residuals(&problem, &[1.0, -0.5], &u);
        // but for the digits that any reaction may lose
        assert!(plain == 0.0 && scaled < 1e-3 * f64::EPSILON, "{plain:e} {scaled:e}");
        problem.velocity(&[1.0, 0.5], &mut u);
        assert!(friction_residuals(&problem, &[1.0, 0.5], &u).worst() > 0.1);
    }
}
