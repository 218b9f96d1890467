//! Threads that stay: work given to them begins in microseconds, where starting a thread takes tens of them and a step has sixty such moments.
//!
//! A pool for two, four, eight, … threads, shared by all who ask for it; who has nothing to do sleeps. What is given must not wait for anything
//! else that is: teams that wait for each other start threads of their own. Where other programs have the cores (`spare.rs`), in a browser,
//! and where the system gives no threads, the asking one does everything.

use crate::spare::{PARTS, lost};
use crate::stop::Stop;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// Looks at whether the others have finished before this thread lets others run, and before it goes to sleep.
const SPINS: usize = 1000;
const YIELDS: usize = 200;

type Pool = Option<Arc<rayon_core::ThreadPool>>;

type Work<'scope> = Box<dyn FnOnce() + Send + 'scope>;

/// What has been given.
#[derive(Default)]
struct Given<'scope> {
    /// What nobody has taken.
    work: Mutex<VecDeque<Work<'scope>>>,
    /// How much is not done.
    open: AtomicUsize,
    /// What whoever gave it hears.
    stop: Stop,
}

impl Given<'_> {
    /// Does one piece that nobody has taken; whether there was any.
    fn do_one(&self) -> bool {
        // the lock ends before the work begins
        let next = || self.work.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(work) = next() else { return false };
        work();
        self.open.fetch_sub(1, Ordering::Release);
        true
    }
}

/// To whom work is given.
pub struct Crew<'c, 'scope> {
    /// None where there is nobody else.
    threads: Option<&'c rayon_core::Scope<'scope>>,
    given: Arc<Given<'scope>>,
}

impl<'scope> Crew<'_, 'scope> {
    /// Gives work to whoever is free.
    pub fn give(&self, work: impl FnOnce() + Send + 'scope) {
        let Some(threads) = self.threads else { return work() };
        self.given.open.fetch_add(1, Ordering::Relaxed);
        self.given.work.lock().unwrap_or_else(PoisonError::into_inner).push_back(Box::new(work));
        let given = Arc::clone(&self.given);
        threads.spawn(move |_| {
            let _hears = given.stop.heard();
            given.do_one();
        });
    }

    /// Waits a little: parts are alike, and the others are done in a moment.
    fn linger(&self) {
        for k in 0..SPINS + YIELDS {
            if self.given.open.load(Ordering::Acquire) == 0 {
                return;
            }
            match k {
                0..SPINS => std::hint::spin_loop(),
                _ => std::thread::yield_now(),
            }
        }
    }
}

/// Calls `work` with a crew of `threads` together with this one, and returns when all that was given is done.
pub fn together<'scope, R>(threads: usize, work: impl FnOnce(&Crew<'_, 'scope>) -> R) -> R {
    let threads = PARTS.of(threads);
    let Some(pool) = pool(threads) else { return work(&Crew { threads: None, given: Arc::default() }) };
    let given = Arc::new(Given { stop: Stop::here(), ..Given::default() });
    let started = Instant::now();
    let (done, busy) = pool.in_place_scope(|scope| {
        let crew = Crew { threads: Some(scope), given };
        let done = work(&crew);
        // who has given everything away takes of it too
        while crew.given.do_one() {}
        let busy = started.elapsed();
        crew.linger();
        (done, busy)
    });
    PARTS.tell(threads, busy, lost(busy, started.elapsed() - busy));
    done
}

fn pool(threads: usize) -> Pool {
    static POOLS: OnceLock<Mutex<BTreeMap<usize, Pool>>> = OnceLock::new();
    if threads < 2 || cfg!(target_arch = "wasm32") {
        return None;
    }
    let size = threads.next_power_of_two();
    let pools = POOLS.get_or_init(Mutex::default);
    let mut pools = pools.lock().unwrap_or_else(PoisonError::into_inner);
    let start = || rayon_core::ThreadPoolBuilder::new().num_threads(size - 1).build().ok().map(Arc::new);
    pools.entry(size).or_insert_with(start).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_given_is_done() {
        for threads in [1, 2, 5] {
            let mut sums = vec![0_usize; 40];
            let own = together(threads, |crew| {
                for (k, sum) in sums.iter_mut().enumerate() {
                    crew.give(move || *sum = (0..=k).sum());
                }
                7
            });
            assert!(own == 7 && sums.iter().enumerate().all(|(k, &sum)| sum == k * (k + 1) / 2));
        }
    }
}
