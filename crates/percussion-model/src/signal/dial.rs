//! A signal that can be taken over by hand between steps: a controller's force, a torque, the velocity of a floor.
//!
//!   s(t) = w(t) as written, until a hand is put on it; a load is then the value that was set, until it is released
//!   a motion goes on from where it is:   s(t) = s₀ + ṡ₀ τ + ½ a τ²,  a = (v − ṡ₀)/T,  τ = t − t₀ ≤ T, one step,   then ṡ = v
//!
//! so that place and velocity are continuous and s̈ is finite; released it follows w from where it is: s = w + what lies between.
//!
//! A hand beside a signal leaves that one where it stands and is what differs from it: nothing, until a value x is set, then x − w(t). A load
//! that is weighed and summed with others so has the bits it has without the hand.
//!
//! Schemes that carry the load of the end of a step into the next one, in accelerations or forces, must find the same load there again:
//! for them a value that is set at t holds for times after t, and what held before at t itself.

use super::{Signal, past};
use std::sync::{Arc, Mutex, PoisonError};

/// The hand of a signal. Copies share it; a step must not be under way while it is turned.
#[derive(Clone, Debug)]
pub struct Dial(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    written: Signal,
    /// What values are measured from: a mean that is booked elsewhere.
    zero: f64,
    /// Whether the signal as written acts elsewhere, and this is what differs from it.
    beside: bool,
    turn: Mutex<Turn>,
}

/// What a signal is from some time on: as written or not, and a polynomial of τ = t − since beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// Whether the signal as written is a part of it.
    pub written: bool,
    /// t₀ [s].
    pub since: f64,
    /// At t₀.
    pub place: f64,
    /// At t₀ [1/s].
    pub rate: f64,
    /// From t₀ + `over` on [1/s].
    pub later: f64,
    /// T, the time in which the rate changes from one to the other [s].
    pub over: f64,
}

impl Course {
    /// The signal as written.
    pub const WRITTEN: Self = Self { written: true, since: 0.0, place: 0.0, rate: 0.0, later: 0.0, over: 0.0 };

    /// A constant.
    fn constant(value: f64) -> Self {
        Self { written: false, place: value, ..Self::WRITTEN }
    }

    /// Whether t lies before the end of its change; at the end itself the derivatives are those before or after it.
    fn changes(&self, t: f64, before: bool) -> bool {
        if before { t - self.since <= self.over * (1.0 + SAME) } else { past(t) < self.since + self.over }
    }

    /// Its polynomial and two derivatives.
    fn jet(&self, t: f64, before: bool) -> [f64; 3] {
        let tau = t - self.since;
        if self.over > 0.0 && self.changes(t, before) {
            let a = (self.later - self.rate) / self.over;
            return [self.place + tau * (self.rate + 0.5 * a * tau), self.rate + a * tau, a];
        }
        let end = self.place + 0.5 * (self.rate + self.later) * self.over;
        [end + self.later * (tau - self.over), self.later, 0.0]
    }
}

/// Times apart by this part of a step are one.
const SAME: f64 = 1e-6;

/// Where a hand is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Of times later than `after`.
    pub now: Course,
    /// Of the others.
    pub before: Course,
    /// [s]; −∞ where the present course holds at all times.
    pub after: f64,
}

impl Default for Turn {
    /// Off.
    fn default() -> Self {
        Self { now: Course::WRITTEN, before: Course::WRITTEN, after: f64::NEG_INFINITY }
    }
}

impl PartialEq for Dial {
    /// Whether they are the same hand.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Dial {
    /// On a signal, which holds until a value is set.
    pub fn new(written: Signal) -> Self {
        Self::from_zero(0.0, written)
    }

    /// The same where values are set as differences from a constant that stays: gravity whose mean is a potential.
    pub fn from_zero(zero: f64, written: Signal) -> Self {
        Self(Arc::new(Inner { written, zero, beside: false, turn: Mutex::default() }))
    }

    /// What differs from a signal that stays where it is, and from a constant that is booked elsewhere.
    pub fn beside(zero: f64, written: Signal) -> Self {
        Self(Arc::new(Inner { written, zero, beside: true, turn: Mutex::default() }))
    }

    /// The mean of what it stands for: of the signal as written, none where that one stays.
    pub fn mean(&self) -> f64 {
        if self.0.beside { 0.0 } else { self.0.written.mean }
    }

    /// Whether it does not change in time: it is off, and what it lies on does not change.
    pub fn is_constant(&self) -> bool {
        self.turn() == Turn::default() && (self.0.beside || self.0.written.is_constant())
    }

    /// The signal with this hand on it.
    pub fn signal(&self) -> Signal {
        Signal::waveform(1.0, super::Waveform::Dial(self.clone()))
    }

    /// The signal as written.
    pub fn written(&self) -> &Signal {
        &self.0.written
    }

    /// Where it is.
    #[inline]
    pub fn turn(&self) -> Turn {
        *self.0.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts it elsewhere.
    pub fn put(&self, turn: Turn) {
        *self.0.turn.lock().unwrap_or_else(PoisonError::into_inner) = turn;
    }

    /// Sets a value at all times, or gives the signal back where it is none.
    pub fn set(&self, value: Option<f64>) {
        self.put(Turn { now: self.course(value), ..Turn::default() });
    }

    /// The same for times after t alone; at t itself and earlier holds what held at t.
    pub fn set_after(&self, t: f64, value: Option<f64>) {
        self.go_over(t, self.course(value));
    }

    fn course(&self, value: Option<f64>) -> Course {
        value.map_or(Course::WRITTEN, |x| Course::constant(x - self.0.zero))
    }

    /// From its place at t a motion goes over to a velocity, or to what was written, within a time T. `before`: derivatives that jump are at t and
    /// at t + T those before the jump, as schemes need that look at the ends of steps; else those after it.
    pub fn move_on(&self, t: f64, over: f64, velocity: Option<f64>, before: bool) {
        // what was set last at the same time counts for nothing
        let [mut place, mut rate, _] = self.jet(t);
        if velocity.is_none() {
            place -= self.0.written.at(t);
            rate -= self.0.written.rate(t);
        }
        let later = velocity.unwrap_or(0.0);
        let now = Course { written: velocity.is_none(), since: t, place, rate, later, over };
        if before { self.go_over(t, now) } else { self.put(Turn { now, ..Turn::default() }) }
    }

    fn go_over(&self, t: f64, now: Course) {
        let turn = self.turn();
        let before = if turn.after == t { turn.before } else { turn.now };
        self.put(Turn { now, before, after: t });
    }

    /// s, ṡ and s̈ at t.
    pub fn jet(&self, t: f64) -> [f64; 3] {
        let turn = self.turn();
        self.of(if t > turn.after { &turn.now } else { &turn.before }, t, turn.after > f64::NEG_INFINITY)
    }

    fn of(&self, course: &Course, t: f64, before: bool) -> [f64; 3] {
        let w = &self.0.written;
        let written = || [w.at(t), w.rate(t), w.acceleration(t)];
        match (course.written, self.0.beside) {
            (true, true) if *course == Course::WRITTEN => [0.0; 3],
            (true, false) if *course == Course::WRITTEN => written(),
            (true, false) => sum(course.jet(t, before), 1.0, written()),
            (false, true) => sum(course.jet(t, before), -1.0, written()),
            (true, true) | (false, false) => course.jet(t, before),
        }
    }

    /// s(t).
    #[inline]
    pub fn at(&self, t: f64) -> f64 {
        let turn = self.turn();
        let course = if t > turn.after { &turn.now } else { &turn.before };
        if *course == Course::WRITTEN && !self.0.beside { self.0.written.at(t) } else { self.jet(t)[0] }
    }

    /// The first time after t at which s or a derivative jumps.
    pub fn next_corner(&self, t: f64) -> f64 {
        let now = self.turn().now;
        let written = if now.written { self.0.written.next_corner(t) } else { f64::INFINITY };
        let end = now.since + now.over;
        if now.over > 0.0 && past(t) < end { written.min(end) } else { written }
    }
}

/// a + c b.
fn sum(a: [f64; 3], c: f64, b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] + c * b[k])
}
