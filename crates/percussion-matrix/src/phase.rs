//! Where a step is, told to whoever listens: the numerics have no clock, programs that time a step do.
//!
//! Nobody listens unless a program says so; then a phase costs the look at one flag.

use std::sync::OnceLock;

static LISTENER: OnceLock<fn(&'static str)> = OnceLock::new();

/// Tells `listener` of every phase that begins from now on, on whatever thread; `false` where somebody listens already.
pub fn listen(listener: fn(&'static str)) -> bool {
    LISTENER.set(listener).is_ok()
}

/// A phase begins, and the one before it ends.
#[inline]
pub fn enter(phase: &'static str) {
    if let Some(listener) = LISTENER.get() {
        listener(phase);
    }
}
