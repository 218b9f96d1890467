//! The first event inside a step: a contact that closes, or a held one whose force ends.
//!
//!   closes:  g_i(θ) ≤ 0 with U_i(θ) < 0, i not held;      ends:  λ_i(θ) < 0, i held
//!
//! Both are looked for at four points of the dense output and at the minimum of a gap between two of them, then bracketed.
//! A contact that has just left starts at g = 0 ± round-off: while it moves away it counts as open whatever its gap.

use super::dense_output::DenseOutput;
use super::mechanism::Mechanism;
use super::motion::{CLOSED, Motion, Standing};
use super::root::bracket;

/// What ends a stretch of smooth motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// This contact closes.
    Closes(usize),
    /// The force of this contact ends.
    Ends(usize),
}

/// The first event of a step.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Where, in parts of the step.
    pub theta: f64,
    /// What.
    pub cause: Cause,
    /// Whether a contact that closes was open before; otherwise it turned back without having opened.
    pub open: bool,
}

const PROBES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// Width of a bracket in parts of the step.
const WIDTH: f64 = 1e-12;
/// A released contact is watched at this many closed gaps below zero.
pub const RELEASED: f64 = 10.0;
/// Part of the largest force by which a force may be negative: what is left of one that ended.
const NO_FORCE: f64 = 1e-10;

/// Memory of the search.
#[derive(Default)]
pub struct Watch {
    q: [Vec<f64>; 4],
    v: [Vec<f64>; 4],
    /// λ at the inner probes, one after the other.
    lambda: Vec<f64>,
    spare: (Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>),
}

/// How far below zero the gap of a contact is watched.
pub fn shift(standing: Standing, size: f64) -> f64 {
    if standing == Standing::Released { RELEASED * CLOSED * size } else { 0.0 }
}

/// How far below zero the force of a held contact is watched.
pub fn no_force(largest: f64) -> f64 {
    NO_FORCE * largest
}

/// g as the search sees it: positive while a contact that has not been open yet moves away.
fn seen(gap: f64, u: f64, open: bool) -> f64 {
    if !open && u >= 0.0 { gap.max(f64::MIN_POSITIVE) } else { gap }
}

impl Watch {
    /// The first event between `motion.now` and `motion.trial`, h apart; `unseen`: a contact whose gap tells nothing.
    pub fn first(&mut self, motion: &mut Motion, h: f64, unseen: Option<usize>) -> Option<Found> {
        let Motion { mechanism, now, trial, standing, held, sizes, .. } = motion;
        let mechanism = &mut **mechanism;
        let dense = DenseOutput::new(now, trial, h);
        if standing.is_empty() {
            return None;
        }
        for (k, &theta) in PROBES.iter().enumerate().take(3) {
            dense.q(theta, &mut self.q[k]);
            dense.v(theta, &mut self.v[k]);
        }
        self.q[3].clone_from(&trial.q);
        self.v[3].clone_from(&trial.v);
        let mut first: Option<Found> = None;

        // contacts that close
        for (i, &stands) in standing.iter().enumerate() {
            if stands == Standing::Held || unseen == Some(i) {
                continue;
            }
            let shift = shift(stands, mechanism.gap_size(i, &now.q, now.t));
            let (mut a, mut u_a) = (0.0, mechanism.gap_rate(i, &now.q, &now.v, now.t));
            let mut phi_a = mechanism.gap(i, &now.q, now.t) + shift;
            // one that starts at zero is open while it moves away; once open, it closes whatever its velocity
            let mut open = phi_a > 0.0;
            phi_a = seen(phi_a, u_a, open);
            for (k, &b) in PROBES.iter().enumerate() {
                if first.is_some_and(|found| found.theta <= a) {
                    break;
                }
                let t = dense.t(b);
                let u_b = mechanism.gap_rate(i, &self.q[k], &self.v[k], t);
                let phi_b = seen(mechanism.gap(i, &self.q[k], t) + shift, u_b, open);
                let root = if phi_b <= 0.0 && phi_a <= 0.0 {
                    Some(a)
                } else if phi_b <= 0.0 {
                    Some(self.closing(mechanism, &dense, (i, shift, open), (a, b), (phi_a, phi_b)))
                } else if u_a < 0.0 && u_b > 0.0 {
                    self.touching(mechanism, &dense, (i, shift, open), (a, b), (u_a, u_b), phi_a)
                } else {
                    None
                };
                if let Some(theta) = root {
                    if first.is_none_or(|found| theta < found.theta) {
                        first = Some(Found { theta, cause: Cause::Closes(i), open });
                    }
                    break;
                }
                open |= phi_b > f64::MIN_POSITIVE;
                (a, u_a, phi_a) = (b, u_b, phi_b);
            }
        }

        // forces that end
        if held.is_empty() {
            return first;
        }
        let m = held.len();
        let zero = no_force(sizes.force);
        let (_, _, acceleration, lambda) = &mut self.spare;
        acceleration.resize(now.q.len(), 0.0);
        lambda.resize(m, 0.0);
        self.lambda.clear();
        for k in 0..3 {
            if mechanism.accelerate(dense.t(PROBES[k]), &self.q[k], &self.v[k], held, acceleration, lambda) {
                self.lambda.extend_from_slice(lambda);
            } else {
                self.lambda.extend(std::iter::repeat_n(f64::INFINITY, m));
            }
        }
        self.lambda.extend_from_slice(&trial.lambda);
        for (j, &i) in held.iter().enumerate() {
            let (mut a, mut phi_a) = (0.0, now.lambda[j] + zero);
            for (k, &b) in PROBES.iter().enumerate() {
                if first.is_some_and(|found| found.theta <= a) {
                    break;
                }
                let phi_b = self.lambda[k * m + j] + zero;
                if phi_b < 0.0 {
                    let theta = if phi_a <= 0.0 {
                        a
                    } else {
                        let (q, v, acceleration, lambda) = &mut self.spare;
                        let force = |theta: f64| {
                            dense.q(theta, q);
                            dense.v(theta, v);
                            mechanism.accelerate(dense.t(theta), q, v, held, acceleration, lambda);
                            lambda[j] + zero
                        };
                        bracket(a, b, phi_a, phi_b, WIDTH, force).1
                    };
                    if first.is_none_or(|found| theta < found.theta) {
                        first = Some(Found { theta, cause: Cause::Ends(i), open: false });
                    }
                    break;
                }
                (a, phi_a) = (b, phi_b);
            }
        }
        first
    }

    /// Where a gap that is closed at b closes.
    fn closing(
        &mut self,
        mechanism: &mut dyn Mechanism,
        dense: &DenseOutput,
        (i, shift, open): (usize, f64, bool),
        (a, b): (f64, f64),
        (phi_a, phi_b): (f64, f64),
    ) -> f64 {
        let (q, v, ..) = &mut self.spare;
        let gap = |theta: f64| {
            dense.q(theta, q);
            dense.v(theta, v);
            let t = dense.t(theta);
            seen(mechanism.gap(i, q, t) + shift, mechanism.gap_rate(i, q, v, t), open)
        };
        bracket(a, b, phi_a, phi_b, WIDTH, gap).1
    }

    /// Where a gap that turns between a and b has closed before, if it has.
    fn touching(
        &mut self,
        mechanism: &mut dyn Mechanism,
        dense: &DenseOutput,
        (i, shift, open): (usize, f64, bool),
        (a, b): (f64, f64),
        (u_a, u_b): (f64, f64),
        phi_a: f64,
    ) -> Option<f64> {
        let (q, v, ..) = &mut self.spare;
        let approach = |theta: f64| {
            dense.q(theta, q);
            dense.v(theta, v);
            -mechanism.gap_rate(i, q, v, dense.t(theta))
        };
        let turn = bracket(a, b, -u_a, -u_b, 1e-6, approach).0;
        dense.q(turn, q);
        let phi = mechanism.gap(i, q, dense.t(turn)) + shift;
        (phi <= 0.0).then(|| self.closing(mechanism, dense, (i, shift, open), (a, turn), (phi_a, phi)))
    }
}
