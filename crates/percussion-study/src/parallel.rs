//! Independent tasks on threads, answers in the order of the tasks.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Told now and then how many of how many tasks are done; false stops the study.
pub type Watch<'a> = dyn Fn(usize, usize) -> bool + 'a;

/// How many threads to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads(pub usize);

impl Default for Threads {
    fn default() -> Self {
        Self(std::thread::available_parallelism().map_or(1, usize::from))
    }
}

/// Runs `task(0) … task(n − 1)`; none when `watch` stopped it. A task sees `stop` rise and may end early.
pub fn ordered<T: Send>(
    n: usize,
    threads: Threads,
    watch: &Watch,
    task: impl Fn(usize, &AtomicBool) -> T + Sync,
) -> Option<Vec<T>> {
    let (next, done, stop) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let answers: Vec<Mutex<Option<T>>> = (0..n).map(|_| Mutex::new(None)).collect();
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(place) = answers.get(i) else { break };
            let answer = task(i, &stop);
            if let Ok(mut place) = place.lock() {
                *place = Some(answer);
            }
            done.fetch_add(1, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.0.clamp(1, n.max(1))).map(|_| scope.spawn(work)).collect();
        while workers.iter().any(|worker| !worker.is_finished()) {
            if !watch(done.load(Ordering::Relaxed), n) {
                stop.store(true, Ordering::Relaxed);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    answers.into_iter().map(|answer| answer.into_inner().ok().flatten()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_order() {
        for threads in [1, 3, 64] {
            let squares = ordered(100, Threads(threads), &|_, _| true, |i, _| i * i);
            assert_eq!(squares, Some((0..100).map(|i| i * i).collect()));
        }
        assert_eq!(ordered(0, Threads(2), &|_, _| true, |i, _| i), Some(vec![]));
    }

    #[test]
    fn a_watcher_stops_it() {
        let slow = |i: usize, stop: &AtomicBool| {
            while !stop.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            i
        };
        assert_eq!(ordered(1000, Threads(2), &|_, _| false, slow), None);
    }
}
