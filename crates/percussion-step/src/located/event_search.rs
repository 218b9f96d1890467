//! The first event inside a step: a contact that closes, or a held one whose force or sliding ends.
//!
//!   closes:  g_i(θ) ≤ 0 with U_i(θ) < 0, i not held;      ends:  λ_N(θ) < 0, i held
//!   slips:   μ λ_N − ‖λ_T‖ < 0, i stuck;      stops:  ±‖u_T‖ < 0, i sliding;      presses:  λ_N > 0, i held without a force
//!
//! All are looked for at four points of the dense output and at minima between them, then bracketed.
//! A contact that has just left starts at g = 0 ± round-off: while it moves away it counts as open whatever its gap.

use crate::located::dense_output::DenseOutput;
use crate::located::motion::{CLOSED, Motion, Standing};
use crate::located::root::bracket;
use crate::mechanism::Mechanism;
use crate::mechanism::hold::{Hold, TangentialMotion};
use percussion_matrix::math;

/// What ends a stretch of smooth motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// This contact closes.
    Closes(usize),
    /// The force of this contact ends.
    Ends(usize),
    /// The force of this contact reaches its cone.
    Slips(usize),
    /// This contact stops sliding.
    Stops(usize),
    /// Something presses on this contact again.
    Presses(usize),
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
pub struct EventSearch {
    /// Events that the dense output shows and the method's own steps do not: they hide nothing that comes after them.
    pub denied: Vec<Cause>,
    q: [Vec<f64>; 4],
    v: [Vec<f64>; 4],
    /// λ at the inner probes, one after the other.
    lambda: Vec<[f64; 3]>,
    spare: (Vec<f64>, Vec<f64>, Vec<f64>, Vec<[f64; 3]>),
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

/// What is watched of a held contact.
fn causes(hold: &Hold, mechanism: &dyn Mechanism) -> [Option<Cause>; 2] {
    let i = hold.contact;
    let along = match hold.along {
        TangentialMotion::Sticks => Some(Cause::Slips(i)),
        TangentialMotion::Slides(_) => Some(Cause::Stops(i)),
        TangentialMotion::Frictionless => (mechanism.n_tangents(i) > 0).then_some(Cause::Presses(i)),
    };
    [Some(Cause::Ends(i)), along]
}

/// The function of a held contact whose fall through zero is the event.
fn phi(cause: Cause, hold: &Hold, lambda: [f64; 3], mechanism: &mut dyn Mechanism, (q, v): (&[f64], &[f64])) -> f64 {
    match (cause, hold.along) {
        (Cause::Slips(i), _) => mechanism.friction(i) * lambda[0] - math::hypot(lambda[1], lambda[2]),
        (Cause::Stops(i), TangentialMotion::Slides(sliding)) => sliding.speed(mechanism.tangent_rate(i, q, v)),
        (Cause::Presses(_), _) => -lambda[0],
        _ => lambda[0],
    }
}

/// By how much functions are shifted: what starts at zero must not end at once.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// A force that is none.
    zero: f64,
    /// A sliding velocity that counts as rest.
    rest: f64,
}

impl Limits {
    fn shift(&self, cause: Cause, hold: &Hold, mechanism: &dyn Mechanism) -> f64 {
        match (cause, hold.along) {
            (Cause::Stops(_), TangentialMotion::Slides(sliding)) if !sliding.fast => 0.25 * self.rest,
            // in the plane the stop is a root like any other; in space the direction turns ever faster near it
            (Cause::Stops(i), _) if mechanism.n_tangents(i) == 2 => -0.5 * self.rest,
            (Cause::Stops(_), _) => 0.0,
            _ => self.zero,
        }
    }
}

/// The first root of a function before θ = `before`, from its values at 0, ¼, ½, ¾ and 1, and at minima between them.
fn first_root(values: &[f64; 5], before: f64, value: &mut dyn FnMut(f64) -> f64) -> Option<f64> {
    const THETA: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
    for k in 0..4 {
        let (a, b) = (THETA[k], THETA[k + 1]);
        if a >= before {
            return None;
        }
        if values[k + 1] < 0.0 {
            return Some(if values[k] <= 0.0 { a } else { bracket(a, b, values[k], values[k + 1], WIDTH, value).1 });
        }
        // the parabola through three values shows a dip between two of them
        let middle = k.clamp(1, 3);
        let [l, m, r] = [values[middle - 1], values[middle], values[middle + 1]];
        let (slope, bend) = (2.0 * (r - l), 16.0 * (l - 2.0 * m + r));
        if bend > 0.0 && bend.is_finite() {
            let x = -slope / bend;
            let lowest = m + 0.5 * slope * x;
            let theta = THETA[middle] + x;
            if theta > a && theta < b && lowest < 0.1 * (l.max(r) - lowest) {
                let low = value(theta);
                if low < 0.0 && values[k] > 0.0 {
                    return Some(bracket(a, theta, values[k], low, WIDTH, value).1);
                }
            }
        }
    }
    None
}

impl Motion {
    /// The function of an event at the end of the trial, or where it starts; none where the contact is not held.
    pub fn event_function(&mut self, cause: Cause, start: bool) -> Option<f64> {
        let limits = Limits { zero: no_force(self.sizes.force), rest: self.slip_rest() };
        let Self { mechanism, now, trial, standing, held, .. } = self;
        let (mechanism, at) = (&mut **mechanism, if start { &*now } else { &*trial });
        let i = match cause {
            Cause::Closes(i) => {
                let size = mechanism.gap_size(i, &at.q, at.t);
                return Some(mechanism.gap(i, &at.q, at.t) + shift(standing[i], size));
            }
            Cause::Ends(i) | Cause::Slips(i) | Cause::Stops(i) | Cause::Presses(i) => i,
        };
        let k = held.iter().position(|hold| hold.contact == i)?;
        let shift = limits.shift(cause, &held[k], mechanism);
        Some(phi(cause, &held[k], at.lambda[k], mechanism, (&at.q, &at.v)) + shift)
    }

    /// The round-off of an event's function.
    pub fn event_round_off(&mut self, cause: Cause) -> f64 {
        let Self { mechanism, trial, sizes, .. } = self;
        match cause {
            Cause::Closes(i) => 2.0 * f64::EPSILON * mechanism.gap_size(i, &trial.q, trial.t),
            Cause::Stops(_) => 4.0 * f64::EPSILON * sizes.v,
            _ => 4.0 * f64::EPSILON * sizes.force,
        }
    }
}

impl EventSearch {
    /// The first event between `motion.now` and `motion.trial`, h apart.
    pub fn first(&mut self, motion: &mut Motion, h: f64) -> Option<Found> {
        let rest = motion.slip_rest();
        let Motion { mechanism, now, trial, standing, held, unseen, sizes, .. } = motion;
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
            if stands == Standing::Held || unseen.contains(&i) || self.denied.contains(&Cause::Closes(i)) {
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

        // forces and sliding that end
        let m = held.len();
        if m == 0 {
            return first;
        }
        let limits = Limits { zero: no_force(sizes.force), rest };
        let (q, v, acceleration, lambda) = &mut self.spare;
        acceleration.resize(now.q.len(), 0.0);
        lambda.resize(m, [0.0; 3]);
        self.lambda.clear();
        for k in 0..3 {
            if mechanism.accelerate(dense.t(PROBES[k]), &self.q[k], &self.v[k], held, acceleration, lambda) {
                self.lambda.extend_from_slice(lambda);
            } else {
                self.lambda.extend(std::iter::repeat_n([f64::INFINITY, 0.0, 0.0], m));
            }
        }
        self.lambda.extend_from_slice(&trial.lambda);
        for (j, hold) in held.iter().enumerate() {
            for cause in causes(hold, mechanism).into_iter().flatten().filter(|cause| !self.denied.contains(cause)) {
                let shift = limits.shift(cause, hold, mechanism);
                let mut values = [0.0; 5];
                values[0] = phi(cause, hold, now.lambda[j], mechanism, (&now.q, &now.v)) + shift;
                for k in 0..4 {
                    let at = (self.q[k].as_slice(), self.v[k].as_slice());
                    values[k + 1] = phi(cause, hold, self.lambda[k * m + j], mechanism, at) + shift;
                }
                let mut value = |theta: f64| {
                    dense.q(theta, q);
                    dense.v(theta, v);
                    let accelerated = mechanism.accelerate(dense.t(theta), q, v, held, acceleration, lambda);
                    let lambda = if accelerated { lambda[j] } else { [f64::INFINITY, 0.0, 0.0] };
                    phi(cause, hold, lambda, mechanism, (q, v)) + shift
                };
                let before = first.map_or(1.0, |found| found.theta);
                if let Some(theta) = first_root(&values, before, &mut value)
                    && first.is_none_or(|found| theta < found.theta)
                {
                    first = Some(Found { theta, cause, open: true });
                }
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
