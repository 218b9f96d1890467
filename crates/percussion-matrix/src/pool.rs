//! Threads that stay: work given to them begins in microseconds, where starting a thread takes tens of them and a step has sixty such moments.
//!
//! One pool for each number of threads, shared by all who ask for it. What is given must not wait for anything else that is: teams that
//! wait for each other start threads of their own. In a browser, and where the system gives no threads, the asking one does everything.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Looks at whether the others have finished before this thread goes to sleep.
const SPINS: usize = 20_000;

type Pool = Option<Arc<rayon_core::ThreadPool>>;

/// To whom work is given.
#[derive(Debug)]
pub struct Crew<'c, 'scope> {
    /// None where there is nobody else.
    threads: Option<&'c rayon_core::Scope<'scope>>,
    /// What has been given and is not done.
    open: Arc<AtomicUsize>,
}

impl<'scope> Crew<'_, 'scope> {
    /// Gives work to whoever is free.
    pub fn give(&self, work: impl FnOnce() + Send + 'scope) {
        let Some(threads) = self.threads else { return work() };
        self.open.fetch_add(1, Ordering::Relaxed);
        let open = Arc::clone(&self.open);
        threads.spawn(move |_| {
            work();
            open.fetch_sub(1, Ordering::Release);
        });
    }
}

/// Calls `work` with a crew of `threads` together with this one, and returns when all that was given is done.
pub fn together<'scope, R>(threads: usize, work: impl FnOnce(&Crew<'_, 'scope>) -> R) -> R {
    let open = Arc::new(AtomicUsize::new(0));
    let Some(pool) = pool(threads) else { return work(&Crew { threads: None, open }) };
    pool.in_place_scope(|scope| {
        let done = work(&Crew { threads: Some(scope), open: Arc::clone(&open) });
        // parts are alike: the others are done in a moment
        for _ in 0..SPINS {
            if open.load(Ordering::Acquire) == 0 {
                break;
            }
            std::hint::spin_loop();
        }
        done
    })
}

fn pool(threads: usize) -> Pool {
    static POOLS: OnceLock<Mutex<BTreeMap<usize, Pool>>> = OnceLock::new();
    if threads < 2 || cfg!(target_arch = "wasm32") {
        return None;
    }
    let pools = POOLS.get_or_init(Mutex::default);
    let mut pools = pools.lock().unwrap_or_else(PoisonError::into_inner);
    let start = || rayon_core::ThreadPoolBuilder::new().num_threads(threads - 1).build().ok().map(Arc::new);
    pools.entry(threads).or_insert_with(start).clone()
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
