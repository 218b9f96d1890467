//! A request to stop from outside: a timer, a user. The numerics look at it between iterations and read no clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether to stop; never, by default.
#[derive(Clone, Debug, Default)]
pub struct Stop(Option<Arc<AtomicBool>>);

impl Stop {
    /// Stops as soon as the flag is set.
    pub fn when(flag: Arc<AtomicBool>) -> Self {
        Self(Some(flag))
    }

    /// Whether it is time.
    #[inline]
    pub fn requested(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
