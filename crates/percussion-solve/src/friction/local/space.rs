//! One contact in space, solved exactly by a scalar equation.
//!
//! Sliding means u_N = 0 and u_T = −α r_T with α > 0 and r on the cone. Eliminating r_N = −b_N/W_NN − n·r_T,
//!
//!   (A + α 1) r_T = −c,    A = W_TT − W_TN W_NT/W_NN,   c = b_T − W_TN b_N/W_NN,   n = W_NT/W_NN
//!   g(α) = (μ r_N(α))²/‖r_T(α)‖² − 1 = 0
//!
//! g is nearly a parabola in α, and Newton's method from the last sweep's α needs one or two steps. Near the root the
//! last step is taken to first order: its error is the square of what the neighbours still change, and vanishes with
//! it. Bonnefon and Daviet (2011) solve the same equation as a quartic.

use crate::friction::Cone;
use crate::friction::local::{Local, Memory};

/// The block of one contact with what the exact solution needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Space {
    mu: f64,
    /// 1/W_NN, 0 where W_NN is not positive.
    inverse_w: f64,
    /// W_TN/W_NN.
    s: [f64; 2],
    /// W_NT/W_NN.
    n: [f64; 2],
    /// A by columns.
    a: [f64; 4],
    /// 1/det A, 0 when A is singular and sticking is not offered.
    inverse_det: f64,
}

/// Newton steps for α in one visit.
const NEWTON_STEPS: usize = 40;
/// |g| from which the last step is taken to first order.
const NEAR: f64 = 1e-3;

impl Space {
    /// r_T(α) = −(A + α1)⁻¹ c and its derivative −(A + α1)⁻¹ r_T.
    #[inline(always)]
    fn tangent(&self, alpha: f64, c: &[f64; 2]) -> Option<([f64; 2], [f64; 2])> {
        let (p, q, r, s) = (self.a[0] + alpha, self.a[1], self.a[2], self.a[3] + alpha);
        let det = p * s - q * r;
        if det <= 0.0 {
            return None;
        }
        let i = 1.0 / det;
        let x = [-(s * c[0] - r * c[1]) * i, -(p * c[1] - q * c[0]) * i];
        let dx = [-(s * x[0] - r * x[1]) * i, -(p * x[1] - q * x[0]) * i];
        Some((x, dx))
    }
}

impl Space {
    /// The step to first order from the last visit's α, `None` where it is not near.
    ///
    /// With D = det(A + α1), X = D r_T, R = D r_N, and X' = D² r_T', R' = D² r_N' the same step is
    ///
    ///   Δα = −(μ²R² − X²) R X² D/(2 μ²R² (R' X² − R X·X'))
    ///
    /// one division instead of three in a row, and 1/D beside it: a sweep waits for little else.
    #[inline(always)]
    fn near(&self, z: f64, c: &[f64; 2], memory: &mut f64) -> Option<[f64; 3]> {
        let alpha = *memory;
        let (p, q, r, s) = (self.a[0] + alpha, self.a[1], self.a[2], self.a[3] + alpha);
        let det = p * s - q * r;
        let x = [r * c[1] - s * c[0], q * c[0] - p * c[1]];
        let normal = z * det - self.n[0] * x[0] - self.n[1] * x[1];
        let (square, bound) = (x[0] * x[0] + x[1] * x[1], self.mu * self.mu * normal * normal);
        let off = bound - square;
        if !(det > 0.0 && normal > 0.0 && off.abs() <= NEAR * square) {
            return None;
        }
        let inverse = 1.0 / det;
        let dx = [r * x[1] - s * x[0], q * x[0] - p * x[1]];
        let d_normal = -(self.n[0] * dx[0] + self.n[1] * dx[1]);
        let slope = 2.0 * bound * (d_normal * square - normal * (x[0] * dx[0] + x[1] * dx[1]));
        let step = -off * normal * square * det / slope;
        let along = step * inverse;
        let answer =
            [(normal + along * d_normal) * inverse, (x[0] + along * dx[0]) * inverse, (x[1] + along * dx[1]) * inverse];
        // products of five impulses over- or underflow long before the impulses do; α ≤ 0 is no slip
        if !((answer[0] + answer[1] + answer[2]).is_finite() && alpha + step > 0.0) {
            return None;
        }
        *memory = alpha + step;
        Some(answer)
    }
}

impl Local<3> for Space {
    fn new(w: &[f64], cone: Cone) -> Self {
        let w_nn = w[0];
        if w_nn <= 0.0 {
            return Self { mu: cone.mu, ..Self::default() };
        }
        let (s, n) = ([w[1] / w_nn, w[2] / w_nn], [w[3] / w_nn, w[6] / w_nn]);
        let a = [w[4] - w[1] * n[0], w[5] - w[2] * n[0], w[7] - w[1] * n[1], w[8] - w[2] * n[1]];
        let det = a[0] * a[3] - a[1] * a[2];
        // cancellation in A and in its determinant decide what counts as singular
        let size = [w[4].abs() + (w[1] * n[0]).abs(), w[8].abs() + (w[2] * n[1]).abs()];
        let inverse_det = if det > 1e-13 * size[0] * size[1] { 1.0 / det } else { 0.0 };
        Self { mu: cone.mu, inverse_w: 1.0 / w_nn, s, n, a, inverse_det }
    }

    #[inline]
    fn solve(&self, b: &[f64; 3], _: &[f64; 3], memory: &mut Memory) -> Option<[f64; 3]> {
        let memory = &mut memory[0];
        if b[0] >= 0.0 {
            return Some([0.0; 3]);
        }
        if self.inverse_w == 0.0 {
            return None;
        }
        let z = -b[0] * self.inverse_w;
        if self.mu == 0.0 {
            return Some([z, 0.0, 0.0]);
        }
        let c = [b[1] - self.s[0] * b[0], b[2] - self.s[1] * b[0]];

        // a contact that slid at the last visit most often slides again, near the same root
        if *memory > 0.0
            && let Some(r) = self.near(z, &c, memory)
        {
            return Some(r);
        }

        // stick: α = 0; the last α is kept with a sign, for the next slip to start from
        if self.inverse_det != 0.0 {
            let x = [
                -(self.a[3] * c[0] - self.a[2] * c[1]) * self.inverse_det,
                -(self.a[0] * c[1] - self.a[1] * c[0]) * self.inverse_det,
            ];
            let r = z - self.n[0] * x[0] - self.n[1] * x[1];
            if r >= 0.0 && x[0] * x[0] + x[1] * x[1] <= self.mu * self.mu * r * r {
                *memory = -memory.abs();
                return Some([r, x[0], x[1]]);
            }
        }
        if c == [0.0; 2] {
            return None;
        }

        // slip: g < 0 at stick and g → ∞ with α; Newton inside the bracket
        let scale = self.a[0].abs() + self.a[3].abs();
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut alpha = if *memory != 0.0 { memory.abs() } else { 0.1 * scale };
        for _ in 0..NEWTON_STEPS {
            let further = if high.is_finite() { 0.5 * (alpha + high) } else { 2.0 * alpha + scale };
            let Some((x, dx)) = self.tangent(alpha, &c) else {
                low = alpha;
                alpha = further;
                continue;
            };
            let r = z - self.n[0] * x[0] - self.n[1] * x[1];
            if r <= 0.0 {
                low = alpha;
                alpha = further;
                continue;
            }
            let dr = -(self.n[0] * dx[0] + self.n[1] * dx[1]);
            let inverse = 1.0 / (x[0] * x[0] + x[1] * x[1]);
            let ratio = self.mu * self.mu * r * r * inverse;
            let g = ratio - 1.0;
            // g' = 2 ratio (r'/r − x·x'/x²)
            let step = -g * r / (2.0 * ratio * (dr - r * (x[0] * dx[0] + x[1] * dx[1]) * inverse));
            if g.abs() <= NEAR {
                *memory = alpha + step;
                return Some([r + step * dr, x[0] + step * dx[0], x[1] + step * dx[1]]);
            }
            if g < 0.0 {
                low = alpha;
            } else {
                high = alpha;
            }
            let newton = alpha + step;
            alpha = if newton > low && newton < high {
                newton
            } else if high.is_finite() {
                0.5 * (low + high)
            } else {
                2.0 * alpha + scale
            };
            if high.is_finite() && high - low <= 1e-15 * high {
                break;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Random positive definite blocks, also with a skew part: the answer satisfies the law.
        #[test]
        fn answers_satisfy_the_law(l in prop::array::uniform9(-1.0..1.0f64), skew in -0.1..0.1f64,
                                   b in prop::array::uniform3(-1.0..1.0f64), mu in 0.0..0.6f64) {
            let mut w = [0.0; 9];
            for i in 0..3 {
                for j in 0..3 {
                    for k in 0..3 {
                        w[i * 3 + j] += l[i * 3 + k] * l[j * 3 + k];
                    }
                }
                w[i * 3 + i] += 0.3;
            }
            w[1] += skew;
            w[3] -= skew;
            let cone = Cone::coulomb(mu);
            let mut memory = [0.0; 2];
            let local = Space::new(&w, cone);
            // the second visit starts from the first one's α, the third is exact
            let mut r = [0.0; 3];
            for _ in 0..4 {
                let Some(answer) = local.solve(&b, &r, &mut memory) else {
                    prop_assert!(w[0] <= mu * (w[3] * w[3] + w[6] * w[6]).sqrt(), "no answer outside Painlevé's region");
                    return Ok(());
                };
                r = answer;
            }
            let u: [f64; 3] = std::array::from_fn(|k| b[k] + w[k] * r[0] + w[3 + k] * r[1] + w[6 + k] * r[2]);
            for x in cone.natural_map(&r, &u, 1.0) {
                prop_assert!(x.abs() < 1e-12, "{w:?} {b:?} {mu} {r:?} {u:?}");
            }
        }
    }

    /// Conventional tests by hand: W = 1, sliding along −b_T with r_T = μ r_N.
    #[test]
    fn unit_block() {
        let local = Space::new(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], Cone::coulomb(0.5));
        let mut memory = [0.0; 2];
        for _ in 0..3 {
            local.solve(&[-1.0, 3.0, 4.0], &[0.0; 3], &mut memory);
        }
        let r = local.solve(&[-1.0, 3.0, 4.0], &[0.0; 3], &mut memory).unwrap();
        assert!((r[0] - 1.0).abs() < 1e-14 && (r[1] + 0.3).abs() < 1e-14 && (r[2] + 0.4).abs() < 1e-14, "{r:?}");
        assert_eq!(local.solve(&[-1.0, 0.3, 0.0], &[0.0; 3], &mut [0.0; 2]).unwrap(), [1.0, -0.3, 0.0]);
        assert_eq!(local.solve(&[1.0, 0.3, 0.0], &[0.0; 3], &mut [0.0; 2]).unwrap(), [0.0; 3]);
    }
}
