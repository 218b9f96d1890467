//! Contacts of solids of any shape: the normal impulse first, then the tangential one with what the first changed.
//!
//!   p_N⁺ = (p_N − u_N/W_NN)₊,   u_T ← u_T + W_TN (p_N⁺ − p_N),   p_T⁺ = p_T − W_TT⁻¹u_T  if it sticks, |p_T⁺| ≤ μ p_N⁺,
//!                                                            else  p_T − u_T/‖W_TT‖ cut to μ p_N⁺
//!
//! A fixed point obeys Coulomb's law exactly: sticking has u_T = 0, and sliding, where the step is a number, u_T against p_T.
//! Rows of the two bodies are opposite but for their arms: u = D (v_a − v_b) + A_a w_a + A_b w_b + w.

use crate::friction::TwoBodyProblem;
use crate::friction::two_body::device::ContactKind;
use crate::friction::two_body::lanes::{LANES, Lanes, Lanes3, cut, dot, minus, plus, positive};
use crate::friction::two_body::movers::{Mover, Movers, gather, scatter};
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
    inverse_masses: [Lanes; 2],
}

impl Packet for Solids {
    const KIND: ContactKind = ContactKind::Solids;
    const NUMBERS: usize = 57;

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
            inverse_masses: [none; 2],
        }
    }

    fn take(&mut self, lane: usize, problem: &TwoBodyProblem, i: usize, movers: &[Mover]) -> bool {
        let held = problem.bodies[i].map(|b| b != TwoBodyProblem::GROUND);
        let rows = [0, 1].map(|side| problem.rows::<3>(i, side));
        if held[0] && held[1] && (0..3).any(|k| (0..3).any(|j| rows[0][k][j] != -rows[1][k][j])) {
            return false;
        }
        let (one, sign) = if held[0] { (0, 1.0) } else { (1, -1.0) };
        for (side, &body) in problem.bodies[i].iter().enumerate().filter(|(side, _)| held[*side]) {
            self.bodies[side][lane] = body;
            put(&mut self.inverse_masses[side], lane, movers[body as usize].0[3]);
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

    #[inline(always)]
    fn visit(&self, p: &mut Lanes3, movers: &mut impl Movers, omega: f64) -> Lanes {
        let omega = Lanes::splat(omega);
        let [v_a, w_a] = gather(movers, &self.bodies[0]);
        let [v_b, w_b] = gather(movers, &self.bodies[1]);
        let v = [v_a[0] - v_b[0], v_a[1] - v_b[1], v_a[2] - v_b[2]];
        let u = |k: usize| dot(&self.D[k], &v) + dot(&self.A[0][k], &w_a) + dot(&self.A[1][k], &w_b) + self.w[k];
        let [u_n, u_s, u_t] = [u(0), u(1), u(2)];

        // what the contact alone asks for
        let normal = positive(p[0] - self.masses[0] * u_n);
        let change = normal - p[0];
        let (u_s, u_t) = (u_s + self.coupling[0] * change, u_t + self.coupling[1] * change);
        let bound = self.mu * normal;
        let (x, y) = (
            p[1] - (self.stick[0][0] * u_s + self.stick[0][1] * u_t),
            p[2] - (self.stick[1][0] * u_s + self.stick[1][1] * u_t),
        );
        let slips = (x * x + y * y).simd_gt(bound * bound);
        let (a, b) = (p[1] - self.masses[1] * u_s, p[2] - self.masses[1] * u_t);
        let keep = cut(a * a + b * b, bound);
        let new = [normal, slips.select(keep * a, x), slips.select(keep * b, y)];
        let delta = [omega * (new[0] - p[0]), omega * (new[1] - p[1]), omega * (new[2] - p[2])];
        *p = [p[0] + delta[0], p[1] + delta[1], p[2] + delta[2]];

        let push = [0, 1, 2].map(|j| self.D[0][j] * delta[0] + self.D[1][j] * delta[1] + self.D[2][j] * delta[2]);
        let turn =
            |w: &Lanes3, Y: &[Lanes3; 3]| plus(&plus(&plus(w, delta[0], &Y[0]), delta[1], &Y[1]), delta[2], &Y[2]);
        scatter(movers, &self.bodies[0], &plus(&v_a, self.inverse_masses[0], &push), &turn(&w_a, &self.Y[0]));
        scatter(movers, &self.bodies[1], &minus(&v_b, self.inverse_masses[1], &push), &turn(&w_b, &self.Y[1]));
        dot(&delta, &delta)
    }

    fn impulse(_: &TwoBodyProblem, _: usize, r: &[f64; 3]) -> [f64; 3] {
        *r
    }

    fn components(_: &TwoBodyProblem, _: usize, p: &[f64; 3]) -> [f64; 3] {
        *p
    }
}
