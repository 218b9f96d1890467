//! A signal that can be taken over by hand between steps: a controller's force, a torque, a velocity.
//!
//!   s(t) = the signal as written, until a value is set; that value until it is released

use super::Signal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The hand of a signal. Copies share it; a step must not be under way while it is turned.
#[derive(Clone, Debug)]
pub struct Dial(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    written: Signal,
    held: AtomicBool,
    bits: AtomicU64,
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
        Self(Arc::new(Inner { written, held: AtomicBool::new(false), bits: AtomicU64::new(0) }))
    }

    /// The signal with this hand on it.
    pub fn signal(&self) -> Signal {
        Signal::waveform(1.0, super::Waveform::Dial(self.clone()))
    }

    /// The signal as written.
    pub fn written(&self) -> &Signal {
        &self.0.written
    }

    /// The value that was set.
    #[inline]
    pub fn value(&self) -> Option<f64> {
        self.0.held.load(Ordering::Acquire).then(|| f64::from_bits(self.0.bits.load(Ordering::Relaxed)))
    }

    /// Sets a value, or gives the signal back where it is none.
    pub fn set(&self, value: Option<f64>) {
        self.0.bits.store(value.unwrap_or(0.0).to_bits(), Ordering::Relaxed);
        self.0.held.store(value.is_some(), Ordering::Release);
    }
}
