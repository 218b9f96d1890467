//! Contacts of solids of any shape: the normal impulse first, then the tangential one with what the first changed.
//!
//!   p_N⁺ = (p_N − u_N/W_NN)₊,   u_T ← u_T + W_TN (p_N⁺ − p_N),   p_T⁺ = p_T − W_TT⁻¹u_T  if it sticks, |p_T⁺| ≤ μ p_N⁺,
//!                                                            else  p_T − u_T/‖W_TT‖ cut to μ p_N⁺
//!
//! A fixed point obeys Coulomb's law exactly: sticking has u_T = 0, and sliding, where the step is a number, u_T against p_T.
//! Rows of the two bodies are opposite but for their arms: u = D (v_a − v_b) + A_a w_a + A_b w_b + w.

use crate::friction::TwoBodyProblem;
use crate::friction::two_body::device::ContactKind;
use crate::friction::two_body::lanes::{
    Four, LANES, Lanes, Lanes3, cut, dot, kept_three, minus, of_three, plus, positive,
};
use crate::friction::two_body::movers::{Mover, Movers};
use crate::friction::two_body::packet_sweeps::{Packet, put};

/// Four contacts of solids.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solids {
    bodies: [[u32; LANES]; 2],
    /// n, s, t.
    D: [Lanes3; 3],
    /// Rows on the angular velocities of the two bodies, and what impulses make of them: I⁻¹Aᵀ.
    A: [[Lanes3; 3]; 2],
    Y: [[Lanes3; 3]; 2],
    /// What the law adds [m/s].
    w: Lanes3,
    /// 1/W_NN and 1/‖W_TT‖ [kg].
    masses: [Lanes; 2],
    /// W_TN [1/kg], W_TT⁻¹ by rows [kg].
    coupling: [Lanes; 2],
    stick: [[Lanes; 2]; 2],
    mu: Lanes,
}

impl Packet for Solids {
    const KIND: ContactKind = ContactKind::Solids;
    const NUMBERS: usize = 57;
    // four times the work of balls
    const TEAM: usize = 3000;

    #[inline]
    fn number(&self, k: usize) -> Lanes {
        match k {
            0..9 => self.D[k / 3][k % 3],
            9..27 => self.A[k / 9 - 1][k / 3 % 3][k % 3],
            27..45 => self.Y[k / 9 - 3][k / 3 % 3][k % 3],
            45..48 => self.w[k - 45],
            48..50 => self.masses[k - 48],
            50..52 => self.coupling[k - 50],
            52..56 => self.stick[(k - 52) / 2][k % 2],
            _ => self.mu,
        }
    }

    fn empty(ground: u32) -> Self {
        let none = Lanes::ZERO;
        Self {
            bodies: [[ground; LANES]; 2],
            D: [[none; 3]; 3],
            A: [[[none; 3]; 3]; 2],
            Y: [[[none; 3]; 3]; 2],
            w: [none; 3],
            masses: [none; 2],
            coupling: [none; 2],
            stick: [[none; 2]; 2],
            mu: none,
        }
    }

    fn take(&mut self, lane: usize, problem: &TwoBodyProblem, i: usize, _: &[Mover]) -> bool {
        let held = problem.bodies[i].map(|b| b != TwoBodyProblem::GROUND);
        let rows = [0, 1].map(|side| problem.rows::<3>(i, side));
        if held[0] && held[1] && (0..3).any(|k| (0..3).any(|j| rows[0][k][j] != -rows[1][k][j])) {
            return false;
        }
        let (one, sign) = if held[0] { (0, 1.0) } else { (1, -1.0) };
        for (side, &body) in problem.bodies[i].iter().enumerate().filter(|(side, _)| held[*side]) {
            self.bodies[side][lane] = body;
            for k in 0..3 {
                let Y = problem.respond(body as usize, &rows[side][k]);
                for j in 0..3 {
                    put(&mut self.A[side][k][j], lane, rows[side][k][3 + j]);
                    put(&mut self.Y[side][k][j], lane, Y[3 + j]);
                }
            }
        }
        for k in 0..3 {
            for j in 0..3 {
                put(&mut self.D[k][j], lane, sign * rows[one][k][j]);
            }
            put(&mut self.w[k], lane, problem.w[3 * i + k]);
        }
        let W = problem.diagonal_block::<3, 9>(i);
        let (p, q, r, s) = (W[4], W[7], W[5], W[8]);
        let det = p * s - q * r;
        // the larger eigenvalue of the symmetric part
        let largest = 0.5 * (p + s) + (0.25 * (p - s) * (p - s) + 0.25 * (q + r) * (q + r)).sqrt();
        if W[0] <= 0.0 || det <= 1e-12 * largest * largest {
            return false;
        }
        put(&mut self.masses[0], lane, 1.0 / W[0]);
        put(&mut self.masses[1], lane, 1.0 / largest);
        put(&mut self.coupling[0], lane, W[1]);
        put(&mut self.coupling[1], lane, W[2]);
        for (row, values) in [[s / det, -q / det], [-r / det, p / det]].iter().enumerate() {
            for (column, x) in values.iter().enumerate() {
                put(&mut self.stick[row][column], lane, *x);
            }
        }
        put(&mut self.mu, lane, problem.mu[i]);
        true
    }

    // no closures: they would not be compiled for the registers of `F`
    #[inline(always)]
    fn visit<F: Four>(&self, means: F::Means, kept: &mut Lanes3, movers: &mut impl Movers, omega: f64) -> Lanes {
        let (p, omega): ([F; 3], F) = (of_three(means, kept), F::same(means, omega));
        let [[a_x, a_y, a_z, m_a], [a_1, a_2, a_3, j_a]] = movers.gather::<F>(means, &self.bodies[0]);
        let [[b_x, b_y, b_z, m_b], [b_1, b_2, b_3, j_b]] = movers.gather::<F>(means, &self.bodies[1]);
        let (v_a, w_a, v_b, w_b) = ([a_x, a_y, a_z], [a_1, a_2, a_3], [b_x, b_y, b_z], [b_1, b_2, b_3]);
        let v = [v_a[0] - v_b[0], v_a[1] - v_b[1], v_a[2] - v_b[2]];
        let D: [[F; 3]; 3] = [of_three(means, &self.D[0]), of_three(means, &self.D[1]), of_three(means, &self.D[2])];
        let u_n = self.rate(means, 0, &D[0], &v, (&w_a, &w_b));
        let u_s = self.rate(means, 1, &D[1], &v, (&w_a, &w_b));
        let u_t = self.rate(means, 2, &D[2], &v, (&w_a, &w_b));

        // what the contact alone asks for
        let normal = positive(means, p[0] - F::of(means, self.masses[0]) * u_n);
        let change = normal - p[0];
        let u_s = u_s + F::of(means, self.coupling[0]) * change;
        let u_t = u_t + F::of(means, self.coupling[1]) * change;
        let bound = F::of(means, self.mu) * normal;
        let [[ss, st], [ts, tt]] = self.stick;
        let x = p[1] - (F::of(means, ss) * u_s + F::of(means, st) * u_t);
        let y = p[2] - (F::of(means, ts) * u_s + F::of(means, tt) * u_t);
        let (square, most) = (x * x + y * y, bound * bound);
        let slide = F::of(means, self.masses[1]);
        let (a, b) = (p[1] - slide * u_s, p[2] - slide * u_t);
        let keep = cut(means, a * a + b * b, bound);
        let new = [normal, square.above(most, keep * a, x), square.above(most, keep * b, y)];
        let delta = [omega * (new[0] - p[0]), omega * (new[1] - p[1]), omega * (new[2] - p[2])];
        *kept = kept_three(&[p[0] + delta[0], p[1] + delta[1], p[2] + delta[2]]);

        let push = [
            D[0][0] * delta[0] + D[1][0] * delta[1] + D[2][0] * delta[2],
            D[0][1] * delta[0] + D[1][1] * delta[1] + D[2][1] * delta[2],
            D[0][2] * delta[0] + D[1][2] * delta[1] + D[2][2] * delta[2],
        ];
        let ([x, y, z], [a, b, c]) = (plus(&v_a, m_a, &push), turned(means, &w_a, &self.Y[0], &delta));
        movers.scatter(means, &self.bodies[0], &[[x, y, z, m_a], [a, b, c, j_a]]);
        let ([x, y, z], [a, b, c]) = (minus(&v_b, m_b, &push), turned(means, &w_b, &self.Y[1], &delta));
        movers.scatter(means, &self.bodies[1], &[[x, y, z, m_b], [a, b, c, j_b]]);
        dot(&delta, &delta).kept()
    }

    fn impulse(_: &TwoBodyProblem, _: usize, r: &[f64; 3]) -> [f64; 3] {
        *r
    }

    fn components(_: &TwoBodyProblem, _: usize, p: &[f64; 3]) -> [f64; 3] {
        *p
    }
}

impl Solids {
    /// u along row k.
    #[inline(always)]
    fn rate<F: Four>(&self, means: F::Means, k: usize, d: &[F; 3], v: &[F; 3], (w_a, w_b): (&[F; 3], &[F; 3])) -> F {
        let (a, b) = (of_three::<F>(means, &self.A[0][k]), of_three::<F>(means, &self.A[1][k]));
        dot(d, v) + dot(&a, w_a) + dot(&b, w_b) + F::of(means, self.w[k])
    }
}

/// w + Y δ.
#[inline(always)]
fn turned<F: Four>(means: F::Means, w: &[F; 3], Y: &[Lanes3; 3], delta: &[F; 3]) -> [F; 3] {
    let w = plus(w, delta[0], &of_three(means, &Y[0]));
    let w = plus(&w, delta[1], &of_three(means, &Y[1]));
    plus(&w, delta[2], &of_three(means, &Y[2]))
}
