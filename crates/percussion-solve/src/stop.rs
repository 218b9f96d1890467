//! A request to stop from outside: a timer, a user, a signal. The numerics look at it and read no clock.
//!
//! Solvers look at least once in every sweep, pivot, iteration and row of a block factorisation, and end with the best impulses
//! so far and the status `TimeLimit`. A caller keeps one flag and gives a clone of it to each solver:
//!
//! ```
//! use percussion_solve::{SolverOptions, Stop, friction::FrictionSolver};
//! use std::sync::{Arc, atomic::{AtomicBool, Ordering}};
//!
//! let flag = Arc::new(AtomicBool::new(false));
//! let mut solver = FrictionSolver::new(SolverOptions::default());
//! solver.stop = Stop::when(flag.clone());
//! // a signal handler or a timer in another thread:
//! flag.store(true, Ordering::Relaxed);
//! assert!(solver.stop.requested());
//! ```

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
