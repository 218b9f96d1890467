//! Balls: contacts whose arms lie along the normal, between bodies of isotropic inertia. Everything follows from n.
//!
//!   U = v_a − v_b − (R_a ω_a + R_b ω_b) × n,    W_NN = 1/m,    W_TT = (1/m + R²/I) 1,    W_NT = 0
//!
//! Sticking, sliding and opening are then closed forms: p_N = (p_N − u_N/W_NN)₊, p_T = p_T − u_T/W_TT cut to μ p_N. Impulses
//! are kept in the world frame.

use crate::friction::TwoBodyProblem;
use crate::friction::two_body::device::ContactKind;
use crate::friction::two_body::lanes::{
    Four, LANES, Lanes, Lanes3, cross, cut, dot, kept_three, minus, of_three, plus, positive,
};
use crate::friction::two_body::movers::{Mover, Movers};
use crate::friction::two_body::packet_sweeps::{Packet, put};

/// Round-off of rows, relative.
const ROUND_OFF: f64 = 1e-12;

/// Four contacts of balls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Balls {
    bodies: [[u32; LANES]; 2],
    n: Lanes3,
    /// Arms of the two bodies [m].
    arms: [Lanes; 2],
    /// What the law adds, world frame [m/s].
    w: Lanes3,
    /// 1/W_NN, 1/W_TT [kg].
    masses: [Lanes; 2],
    mu: Lanes,
}

/// n, s, t of contact i.
fn directions(problem: &TwoBodyProblem, i: usize) -> [[f64; 3]; 3] {
    let side = usize::from(problem.bodies[i][0] == TwoBodyProblem::GROUND);
    let sign = if side == 0 { 1.0 } else { -1.0 };
    let rows = problem.rows::<3>(i, side);
    std::array::from_fn(|k| [sign * rows[k][0], sign * rows[k][1], sign * rows[k][2]])
}

fn inner(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Packet for Balls {
    const KIND: ContactKind = ContactKind::Balls;
    const NUMBERS: usize = 11;
    // 2480 contacts: 1.4 times as long on two threads, 6185: 1.1, 12 476: 1.0, 35 812: 0.8, 107 185: 0.65
    const TEAM: usize = 12_000;

    #[inline]
    fn number(&self, k: usize) -> Lanes {
        match k {
            0..3 => self.n[k],
            3..5 => self.arms[k - 3],
            5..8 => self.w[k - 5],
            8..10 => self.masses[k - 8],
            _ => self.mu,
        }
    }

    fn empty(ground: u32) -> Self {
        let none = Lanes::ZERO;
        Self { bodies: [[ground; LANES]; 2], n: [none; 3], arms: [none; 2], w: [none; 3], masses: [none; 2], mu: none }
    }

    fn take(&mut self, lane: usize, problem: &TwoBodyProblem, i: usize, movers: &[Mover]) -> bool {
        let [n, s, t] = directions(problem, i);
        let (mut normal, mut tangential) = (0.0, 0.0);
        for (side, &body) in problem.bodies[i].iter().enumerate() {
            if body == TwoBodyProblem::GROUND {
                continue;
            }
            let rows = problem.rows::<3>(i, side);
            let arm = |k: usize| [rows[k][3], rows[k][4], rows[k][5]];
            // −R n × s = −R t for the first row of tangents
            let radius = -inner(&arm(1), &t);
            let off = |k: usize, d: &[f64; 3]| {
                let x = arm(k);
                let e = [n[1] * d[2] - n[2] * d[1], n[2] * d[0] - n[0] * d[2], n[0] * d[1] - n[1] * d[0]];
                (0..3).map(|j| (x[j] + radius * e[j]).abs()).fold(0.0, f64::max)
            };
            let [[_, _, _, inverse_mass], [_, _, _, inverse_inertia]] = movers[body as usize].0;
            if off(0, &n).max(off(1, &s)).max(off(2, &t)) > ROUND_OFF * radius.abs() || inverse_inertia.is_nan() {
                return false;
            }
            self.bodies[side][lane] = body;
            put(&mut self.arms[side], lane, radius);
            normal += inverse_mass;
            tangential += inverse_mass + radius * radius * inverse_inertia;
        }
        if normal <= 0.0 {
            return false;
        }
        let w = &problem.w[3 * i..3 * i + 3];
        for j in 0..3 {
            put(&mut self.n[j], lane, n[j]);
            put(&mut self.w[j], lane, w[0] * n[j] + w[1] * s[j] + w[2] * t[j]);
        }
        put(&mut self.masses[0], lane, 1.0 / normal);
        put(&mut self.masses[1], lane, 1.0 / tangential);
        put(&mut self.mu, lane, problem.mu[i]);
        true
    }

    // no closures: they would not be compiled for the registers of `F`
    #[inline(always)]
    fn visit<F: Four>(&self, means: F::Means, kept: &mut Lanes3, movers: &mut impl Movers, omega: f64) -> Lanes {
        let (n, p, omega): ([F; 3], [F; 3], F) =
            (of_three(means, &self.n), of_three(means, kept), F::same(means, omega));
        let [[a_x, a_y, a_z, m_a], [a_1, a_2, a_3, j_a]] = movers.gather::<F>(means, &self.bodies[0]);
        let [[b_x, b_y, b_z, m_b], [b_1, b_2, b_3, j_b]] = movers.gather::<F>(means, &self.bodies[1]);
        let (v_a, w_a, v_b, w_b) = ([a_x, a_y, a_z], [a_1, a_2, a_3], [b_x, b_y, b_z], [b_1, b_2, b_3]);
        let (arm_a, arm_b) = (F::of(means, self.arms[0]), F::of(means, self.arms[1]));
        let turn = cross(&plus(&[arm_a * w_a[0], arm_a * w_a[1], arm_a * w_a[2]], arm_b, &w_b), &n);
        let u = [
            v_a[0] - v_b[0] - turn[0] + F::of(means, self.w[0]),
            v_a[1] - v_b[1] - turn[1] + F::of(means, self.w[1]),
            v_a[2] - v_b[2] - turn[2] + F::of(means, self.w[2]),
        ];

        // what the contact alone asks for
        let (u_n, p_n) = (dot(&u, &n), dot(&p, &n));
        let normal = positive(means, p_n - F::of(means, self.masses[0]) * u_n);
        let x = minus(&minus(&p, p_n, &n), F::of(means, self.masses[1]), &minus(&u, u_n, &n));
        let keep = cut(means, dot(&x, &x), F::of(means, self.mu) * normal);
        let delta = [
            omega * (normal * n[0] + keep * x[0] - p[0]),
            omega * (normal * n[1] + keep * x[1] - p[1]),
            omega * (normal * n[2] + keep * x[2] - p[2]),
        ];
        *kept = kept_three(&[p[0] + delta[0], p[1] + delta[1], p[2] + delta[2]]);

        let moment = cross(&n, &delta);
        let ([x, y, z], [a, b, c]) = (plus(&v_a, m_a, &delta), minus(&w_a, arm_a * j_a, &moment));
        movers.scatter(means, &self.bodies[0], &[[x, y, z, m_a], [a, b, c, j_a]]);
        let ([x, y, z], [a, b, c]) = (minus(&v_b, m_b, &delta), minus(&w_b, arm_b * j_b, &moment));
        movers.scatter(means, &self.bodies[1], &[[x, y, z, m_b], [a, b, c, j_b]]);
        dot(&delta, &delta).kept()
    }

    fn impulse(problem: &TwoBodyProblem, i: usize, r: &[f64; 3]) -> [f64; 3] {
        let [n, s, t] = directions(problem, i);
        std::array::from_fn(|j| r[0] * n[j] + r[1] * s[j] + r[2] * t[j])
    }

    fn components(problem: &TwoBodyProblem, i: usize, p: &[f64; 3]) -> [f64; 3] {
        directions(problem, i).map(|d| inner(p, &d))
    }
}
