//! A request to stop from outside: a timer, a user, a signal. The numerics look at it and read no clock.
//!
//! Whoever gives work away says what it hears: `stop.heard()` holds for everything its thread does until the answer is dropped, however deep,
//! and threads that help it hear the same. Loops that may take long look at `requested()`: in every sweep, pivot, iteration and round, for each pair of
//! bodies whose contacts are looked for and each tile of a factorisation. What is asked to stop returns soon with whatever it has: the caller throws it away.
//!
//! ```
//! use percussion_matrix::stop::{Stop, requested};
//! use std::sync::{Arc, atomic::{AtomicBool, Ordering}};
//!
//! let flag = Arc::new(AtomicBool::new(false));
//! let hears = Stop::when(flag.clone()).heard();
//! // a signal handler or a timer in another thread:
//! flag.store(true, Ordering::Relaxed);
//! assert!(requested());
//! drop(hears);
//! assert!(!requested());
//! ```

use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// What this thread hears.
    static HEARD: RefCell<Vec<Arc<AtomicBool>>> = const { RefCell::new(Vec::new()) };
}

/// Whether what this thread does is asked to stop.
#[inline]
pub fn requested() -> bool {
    HEARD.with_borrow(|heard| raised(heard))
}

#[inline]
fn raised(flags: &[Arc<AtomicBool>]) -> bool {
    flags.iter().any(|flag| flag.load(Ordering::Relaxed))
}

/// Whether to stop; never, by default.
#[derive(Clone, Debug, Default)]
pub struct Stop(Vec<Arc<AtomicBool>>);

/// For so long a thread hears a request.
#[derive(Debug)]
#[must_use = "a request is heard until this is dropped"]
pub struct Hearing {
    /// Requests that the thread heard before.
    before: usize,
    /// Of this thread alone.
    here: PhantomData<*const ()>,
}

impl Stop {
    /// Stops as soon as the flag is set.
    pub fn when(flag: Arc<AtomicBool>) -> Self {
        Self(vec![flag])
    }

    /// What this thread hears, for another that helps it.
    pub fn here() -> Self {
        Self(HEARD.with_borrow(Clone::clone))
    }

    /// Whether it is time, by this request or by what the thread hears.
    #[inline]
    pub fn requested(&self) -> bool {
        raised(&self.0) || requested()
    }

    /// Makes this thread hear the request, beside those it hears already.
    pub fn heard(&self) -> Hearing {
        HEARD.with_borrow_mut(|heard| {
            let before = heard.len();
            heard.extend_from_slice(&self.0);
            Hearing { before, here: PhantomData }
        })
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        HEARD.with_borrow_mut(|heard| heard.truncate(self.before));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::together;

    /// Requests add up, end with their hearing, and reach the threads of the pool.
    #[test]
    fn helpers_hear_what_their_thread_hears() {
        let (outer, inner) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let _outer = Stop::when(Arc::clone(&outer)).heard();
        {
            let _inner = Stop::when(Arc::clone(&inner)).heard();
            inner.store(true, Ordering::Relaxed);
            let mut told = [false; 40];
            together(4, |crew| told.iter_mut().for_each(|told| crew.give(move || *told = requested())));
            assert!(told.iter().all(|&told| told) && Stop::default().requested());
        }
        assert!(!requested());
        let mut told = [true; 40];
        together(4, |crew| told.iter_mut().for_each(|told| crew.give(move || *told = requested())));
        assert!(!told.iter().any(|&told| told), "a helper went on hearing what is over");
        outer.store(true, Ordering::Relaxed);
        assert!(requested());
    }
}
