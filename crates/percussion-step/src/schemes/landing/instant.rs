//! Where a step of `landing` starts and ends: state, closed contacts, and the sizes its round-off is measured by.

use crate::StepStart;
use crate::run::audit::NO_PENETRATION;

/// Part of the length up to which a gap is closed.
pub const CLOSED: f64 = 1e-13;
/// Part of the largest velocity with which the round-off of a gap is taken back: its work is that part of an energy.
const TAKEN_BACK: f64 = 1e-13;

/// Part of the length that a solver's residual may leave of a gap in a step.
const LEFT_OVER: f64 = 0.02 * NO_PENETRATION;

/// What the scheme carries from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Landed {
    /// Contacts that are closed, by rising number: what they do in the next step is no landing.
    pub closed: Vec<u64>,
    /// Their p₁ of the last step, a first guess for the next [N·s].
    pub p: Vec<[f64; 5]>,
    /// L, the largest |q| or |g| so far [m].
    pub length: f64,
    /// V, the largest |v| so far [m/s].
    pub speed: f64,
    /// Reactions of joints without what contacts caused, a first guess for the next step [N·s]; values of their rows, and whole turns.
    pub lambda: Vec<f64>,
    pub values: Vec<f64>,
    pub turns: Vec<f64>,
}

crate::packed! { Landed { closed, p, length, speed, lambda, values, turns } }

impl crate::Carry for Landed {
    fn fits(&self, start: &Self) -> bool {
        let sorted = self.closed.windows(2).all(|pair| pair[0] < pair[1]);
        let sized = |of: fn(&Self) -> &Vec<f64>| of(self).len() == of(start).len();
        let joints = sized(|l| &l.lambda) && sized(|l| &l.values) && sized(|l| &l.turns);
        joints && sorted && self.closed.len() == self.p.len() && self.length >= 0.0 && self.speed >= 0.0
    }
}

impl Landed {
    /// The place of a contact among those that are closed.
    #[inline]
    pub fn place(&self, id: usize) -> Option<usize> {
        self.closed.binary_search(&(id as u64)).ok()
    }

    /// Whether a contact is closed.
    #[inline]
    pub fn is_closed(&self, id: usize) -> bool {
        self.place(id).is_some()
    }

    /// The first guess for a contact's impulse.
    #[inline]
    pub fn guess(&self, id: usize) -> [f64; 5] {
        self.place(id).map_or([0.0; 5], |k| self.p[k])
    }

    /// g_k as a step of length h meets it. A closed contact has none but round-off, and an overlap is not pushed out: over a short part of
    /// a step either would be a velocity that does work.
    #[inline]
    pub fn level(&self, gap: f64, closed: bool, h: f64) -> f64 {
        let small = TAKEN_BACK * h * self.speed;
        if closed && gap.abs() <= CLOSED * self.length { gap.max(-small).min(small) } else { gap.max(-small) }
    }

    /// How much of what is left of a joint's position a part of length h takes back: κ h V, whose work is κ of an energy, as small as what
    /// solvers leave. Over a short part all of it would be a velocity that does work.
    #[inline]
    pub fn taken_back(&self, h: f64, kappa: f64) -> f64 {
        kappa.max(TAKEN_BACK) * h * self.speed
    }

    /// What may be left of w_N = 2g_{k+1}/h after a step of length h [m/s]: what `level` takes back in the next one, or a small part of what is
    /// promised of gaps.
    #[inline]
    pub fn left_over(&self, h: f64) -> f64 {
        (2.0 * TAKEN_BACK * self.speed).max(2.0 * LEFT_OVER * self.length / h)
    }

    /// Takes over another value; nothing is allocated once the sizes have been seen.
    pub fn set(&mut self, other: &Self) {
        self.closed.clear();
        self.closed.extend_from_slice(&other.closed);
        self.p.clear();
        self.p.extend_from_slice(&other.p);
        (self.length, self.speed) = (other.length, other.speed);
        self.lambda.clone_from(&other.lambda);
        self.values.clone_from(&other.values);
        self.turns.clone_from(&other.turns);
    }
}

/// A state between the parts of a step.
#[derive(Clone, Debug, Default)]
pub struct Instant {
    /// t [s].
    pub t: f64,
    /// q.
    pub q: Vec<f64>,
    /// v.
    pub v: Vec<f64>,
    /// Closed contacts and sizes.
    pub landed: Landed,
}

impl Instant {
    /// At the start of a step.
    pub fn set(&mut self, from: &StepStart) {
        self.t = from.state.t;
        for (to, x) in [(&mut self.q, &from.state.q), (&mut self.v, &from.state.v)] {
            to.clear();
            to.extend_from_slice(x);
        }
        self.landed.set(from.memory.carried.of::<Landed>());
    }
}

/// Where step 1 leads, and what steps 2 and 3 make of its velocity.
#[derive(Clone, Debug, Default)]
pub struct Arrival {
    /// Whether bodies overlap more than before, where features changed on the way.
    pub overlap: bool,
    /// q_{k+1}.
    pub q: Vec<f64>,
    /// v₁.
    pub v1: Vec<f64>,
    /// v⁻.
    pub v_minus: Vec<f64>,
    /// v_{k+1}.
    pub v: Vec<f64>,
    /// Contacts within reach with their gaps at q_{k+1}, by rising number.
    pub near: Vec<(usize, f64)>,
    /// The largest |v_free| [m/s].
    pub fastest: f64,
}
