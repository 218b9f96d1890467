//! A signal that can be taken over by hand between steps: a controller's force, a torque, a velocity.
//!
//!   s(t) = the signal as written, until a value is set; that value until it is released
//!
//! Schemes that carry the load of the end of a step into the next one, in accelerations or forces, must find the same load there again:
//! for them a value that is set at t holds for times after t, and what held before at t itself.

use super::Signal;
use std::sync::{Arc, Mutex, PoisonError};

/// The hand of a signal. Copies share it; a step must not be under way while it is turned.
#[derive(Clone, Debug)]
pub struct Dial(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    written: Signal,
    turn: Mutex<Turn>,
}

/// Where a hand is: values, or the signal as written where there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Of times later than `after`.
    pub value: Option<f64>,
    /// Of the others.
    pub before: Option<f64>,
    /// [s]; −∞ where the value holds at all times.
    pub after: f64,
}

impl Default for Turn {
    /// Off.
    fn default() -> Self {
        Self { value: None, before: None, after: f64::NEG_INFINITY }
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
        Self(Arc::new(Inner { written, turn: Mutex::default() }))
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
        self.put(Turn { value, ..Turn::default() });
    }

    /// The same for times after t alone; at t itself and earlier holds what held at t.
    pub fn set_after(&self, t: f64, value: Option<f64>) {
        let turn = self.turn();
        let before = if turn.after == t { turn.before } else { turn.value };
        self.put(Turn { value, before, after: t });
    }

    /// The value that was set, of time t.
    #[inline]
    pub fn value_at(&self, t: f64) -> Option<f64> {
        let turn = self.turn();
        if t > turn.after { turn.value } else { turn.before }
    }
}
