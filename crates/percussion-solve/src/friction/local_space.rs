//! One contact in space, solved exactly by a scalar equation.
//!
//! Sliding means u_N = 0 and u_T = −α r_T with α > 0 and r on the cone. Eliminating r_N = −b_N/W_NN − n·r_T,
//!
//!   (A + α 1) r_T = −c,    A = W_TT − W_TN W_NT/W_NN,   c = b_T − W_TN b_N/W_NN,   n = W_NT/W_NN
//!   g(α) = (μ r_N(α))²/‖r_T(α)‖² − 1 = 0
//!
//! √(g + 1) is nearly linear in α, as in trust regions, and one step of Newton's method on it from the last sweep's α is
//! most often enough: its error is the square of what the neighbours still change, and vanishes with it. Bonnefon and
//! Daviet (2011) solve the same equation as a quartic.
//!
//! A sweep waits for the chain of operations from one contact's b to the next one's. What depends on α alone is
//! outside that chain, and near the root so is the slope of g: the last visit's serves.

use super::Cone;
use super::local::{Local, Memory};

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
    /// −A⁻¹ by columns, 0 when A is singular and sticking is not offered.
    stick: [f64; 4],
}

/// Newton steps for α in one visit.
const NEWTON_STEPS: usize = 40;
/// |g| from which the next step is the last.
const NEAR: f64 = 0.1;
/// |g| from which the last visit's slope serves.
const VERY_NEAR: f64 = 1e-3;

/// What Newton's method sees at one α.
struct Point {
    /// −(A + α1)⁻¹ by columns.
    m: [f64; 4],
    /// r_T = −(A + α1)⁻¹ c.
    x: [f64; 2],
    /// r_N.
    normal: f64,
    /// ‖r_T‖².
    square: f64,
    /// (μ r_N)².
    bound: f64,
    /// Whether A + α1 is positive, r_N as well.
    inside: bool,
}

impl Point {
    /// g = (bound − square)/square is within a distance.
    #[inline(always)]
    fn within(&self, distance: f64) -> bool {
        self.inside && (self.bound - self.square).abs() <= distance * self.square
    }
}

impl Space {
    #[inline(always)]
    fn at(&self, alpha: f64, z: f64, c: &[f64; 2]) -> Point {
        let (p, q, r, s) = (self.a[0] + alpha, self.a[1], self.a[2], self.a[3] + alpha);
        let det = p * s - q * r;
        let inverse = 1.0 / det;
        let m = [-s * inverse, q * inverse, r * inverse, -p * inverse];
        let x = apply(&m, c);
        let normal = z - (self.n[0] * x[0] + self.n[1] * x[1]);
        let bound = self.mu * normal;
        Point {
            m,
            x,
            normal,
            square: x[0] * x[0] + x[1] * x[1],
            bound: bound * bound,
            inside: det > 0.0 && normal > 0.0,
        }
    }

    /// Derivative by α of what −(A + α1)⁻¹ maps to x, and of its part of r_N.
    #[inline(always)]
    fn derivative(&self, at: &Point, x: &[f64; 2]) -> ([f64; 2], f64) {
        let dx = apply(&at.m, x);
        (dx, -(self.n[0] * dx[0] + self.n[1] * dx[1]))
    }

    /// The answer one step from a point near the root, `None` where α would not stay positive.
    ///
    /// To second order the step on √(g + 1) is −(1 + g/4) g/g', and g/g' = off·rate with
    ///
    ///   off = (μ r_N)² − ‖r_T‖²,    rate = r_N ‖r_T‖²/(2 (μ r_N)² (r_N' ‖r_T‖² − r_N r_T·r_T'))
    #[inline(always)]
    fn last_step(&self, at: &Point, alpha: f64, memory: &mut Memory) -> Option<[f64; 3]> {
        let off = at.bound - at.square;
        let (dx, d_normal) = self.derivative(at, &at.x);
        let slope = 2.0 * at.bound * (d_normal * at.square - at.normal * (at.x[0] * dx[0] + at.x[1] * dx[1]));
        let rate = at.normal * at.square / slope;
        let very_near = at.within(VERY_NEAR) && memory[1] != 0.0;
        let (step, answer) = if very_near {
            let step = -off * memory[1];
            (step, [at.normal + step * d_normal, at.x[0] + step * dx[0], at.x[1] + step * dx[1]])
        } else {
            let step = -off * at.normal * (at.square + 0.25 * off) / slope;
            // r'' = −2 (A + α1)⁻¹ r'
            let (ddx, dd_normal) = self.derivative(at, &dx);
            let answer = [
                at.normal + step * (d_normal + step * dd_normal),
                at.x[0] + step * (dx[0] + step * ddx[0]),
                at.x[1] + step * (dx[1] + step * ddx[1]),
            ];
            (step, answer)
        };
        // products of five impulses over- or underflow long before the impulses do; α ≤ 0 is no slip
        if !((answer[0] + answer[1] + answer[2]).is_finite() && alpha + step > 0.0) {
            return None;
        }
        *memory = [alpha + step, rate];
        Some(answer)
    }
}

/// m v, m by columns.
#[inline(always)]
fn apply(m: &[f64; 4], v: &[f64; 2]) -> [f64; 2] {
    [m[0] * v[0] + m[2] * v[1], m[1] * v[0] + m[3] * v[1]]
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
        let stick =
            if det > 1e-13 * size[0] * size[1] { [-a[3] / det, a[1] / det, a[2] / det, -a[0] / det] } else { [0.0; 4] };
        Self { mu: cone.mu, inverse_w: 1.0 / w_nn, s, n, a, stick }
    }

    #[inline]
    fn solve(&self, b: &[f64; 3], _: &[f64; 3], memory: &mut Memory) -> Option<[f64; 3]> {
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

        // a contact that slid at the last visit most often slides again, near the root of then
        if memory[0] > 0.0 {
            let at = self.at(memory[0], z, &c);
            if at.within(NEAR)
                && let Some(r) = self.last_step(&at, memory[0], memory)
            {
                return Some(r);
            }
        }

        // stick: α = 0; the last α is kept with a sign, for the next slip to start from
        if self.stick[0] != 0.0 {
            let x = apply(&self.stick, &c);
            let r = z - (self.n[0] * x[0] + self.n[1] * x[1]);
            let bound = self.mu * r;
            if r >= 0.0 && x[0] * x[0] + x[1] * x[1] <= bound * bound {
                memory[0] = -memory[0].abs();
                return Some([r, x[0], x[1]]);
            }
        }
        if c == [0.0; 2] {
            return None;
        }

        // slip: g < 0 at stick and g → ∞ with α; Newton inside the bracket
        let scale = self.a[0].abs() + self.a[3].abs();
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut alpha = if memory[0] != 0.0 { memory[0].abs() } else { 0.1 * scale };
        memory[1] = 0.0;
        for _ in 0..NEWTON_STEPS {
            let at = self.at(alpha, z, &c);
            if at.within(NEAR)
                && let Some(answer) = self.last_step(&at, alpha, memory)
            {
                return Some(answer);
            }
            if at.inside && at.bound > at.square {
                high = alpha;
            } else {
                low = alpha;
            }
            // √(g + 1) = 1, where its slope is √(g + 1) (r_N'/r_N − r_T·r_T'/‖r_T‖²)
            let (dx, d_normal) = self.derivative(&at, &at.x);
            let slope = d_normal / at.normal - (at.x[0] * dx[0] + at.x[1] * dx[1]) / at.square;
            let newton = alpha + ((at.square / at.bound).sqrt() - 1.0) / slope;
            alpha = if at.inside && newton > low && newton < high {
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
            let mut memory = Memory::default();
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
        let mut memory = Memory::default();
        for _ in 0..3 {
            local.solve(&[-1.0, 3.0, 4.0], &[0.0; 3], &mut memory);
        }
        let r = local.solve(&[-1.0, 3.0, 4.0], &[0.0; 3], &mut memory).unwrap();
        assert!((r[0] - 1.0).abs() < 1e-14 && (r[1] + 0.3).abs() < 1e-14 && (r[2] + 0.4).abs() < 1e-14, "{r:?}");
        assert_eq!(local.solve(&[-1.0, 0.3, 0.0], &[0.0; 3], &mut [0.0; 2]).unwrap(), [1.0, -0.3, 0.0]);
        assert_eq!(local.solve(&[1.0, 0.3, 0.0], &[0.0; 3], &mut [0.0; 2]).unwrap(), [0.0; 3]);
    }
}
