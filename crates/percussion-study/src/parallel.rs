//! Independent tasks on threads, answers in the order of the tasks.

use percussion_solve::Stop;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Where a study is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StudyProgress {
    /// Runs that are over.
    pub done: usize,
    /// Runs in all.
    pub runs: usize,
    /// Of all the steps, those that are made, inside unfinished runs too: from 0 to 1.
    pub share: f64,
}

/// Told now and then where the study is; false stops it.
pub type Watch<'a> = dyn Fn(StudyProgress) -> bool + 'a;

/// What a task hears and says while it runs.
pub struct Task<'a> {
    /// Raised when the study is stopped: the task may end early.
    pub stop: &'a AtomicBool,
    share: &'a AtomicU64,
}

impl Task<'_> {
    /// So much of the task is done, from 0 to 1.
    pub fn at(&self, share: f64) {
        self.share.store(share.clamp(0.0, 1.0).to_bits(), Ordering::Relaxed);
    }

    /// The same of a run, in steps; says whether to go on.
    pub fn step(&self, step: u64, steps: u64) -> bool {
        self.at(step as f64 / steps.max(1) as f64);
        !self.stop.load(Ordering::Relaxed)
    }
}

/// How many threads to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads(pub usize);

impl Default for Threads {
    fn default() -> Self {
        Self(std::thread::available_parallelism().map_or(1, usize::from))
    }
}

/// Runs a task for each weight; none when `watch` stopped it. Weights say how much of the progress a task is: its steps.
pub fn ordered<T: Send>(
    weights: &[f64],
    threads: Threads,
    watch: &Watch,
    task: impl Fn(usize, &Task) -> T + Sync,
) -> Option<Vec<T>> {
    let n = weights.len();
    let (next, done, stop) = (AtomicUsize::new(0), AtomicUsize::new(0), Arc::new(AtomicBool::new(false)));
    let answers: Vec<Mutex<Option<T>>> = (0..n).map(|_| Mutex::new(None)).collect();
    let shares: Vec<AtomicU64> = (0..n).map(|_| AtomicU64::new(0.0_f64.to_bits())).collect();
    let whole = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let progress = || {
        let made = |(weight, share): (&f64, &AtomicU64)| weight * f64::from_bits(share.load(Ordering::Relaxed));
        let share = weights.iter().zip(&shares).map(made).sum::<f64>() / whole;
        StudyProgress { done: done.load(Ordering::Relaxed), runs: n, share }
    };
    // makes the next task; false where there is none
    let one = || {
        let i = next.fetch_add(1, Ordering::Relaxed);
        let Some(place) = answers.get(i) else { return false };
        let told = Task { stop: &stop, share: &shares[i] };
        let answer = task(i, &told);
        told.at(1.0);
        if let Ok(mut place) = place.lock() {
            *place = Some(answer);
        }
        done.fetch_add(1, Ordering::Relaxed);
        true
    };
    let work = || {
        // what is stopped in the middle of a task is thrown away with the study
        let _hears = Stop::when(Arc::clone(&stop)).heard();
        while !stop.load(Ordering::Relaxed) && one() {}
    };
    if cfg!(target_family = "wasm") {
        // a page has no threads: one task after the other
        while next.load(Ordering::Relaxed) < n && !stop.load(Ordering::Relaxed) {
            one();
            if !watch(progress()) {
                stop.store(true, Ordering::Relaxed);
            }
        }
        return gathered(answers, &stop);
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.0.clamp(1, n.max(1))).map(|_| scope.spawn(work)).collect();
        while workers.iter().any(|worker| !worker.is_finished()) {
            if !watch(progress()) {
                stop.store(true, Ordering::Relaxed);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    gathered(answers, &stop)
}

/// The answers in order, unless the study was stopped.
fn gathered<T>(answers: Vec<Mutex<Option<T>>>, stop: &AtomicBool) -> Option<Vec<T>> {
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
            let squares = ordered(&[1.0; 100], Threads(threads), &|_| true, |i, _| i * i);
            assert_eq!(squares, Some((0..100).map(|i| i * i).collect()));
        }
        assert_eq!(ordered(&[], Threads(2), &|_| true, |i, _| i), Some(vec![]));
    }

    #[test]
    fn a_watcher_stops_it() {
        let slow = |i: usize, task: &Task| {
            while !task.stop.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            i
        };
        assert_eq!(ordered(&[1.0; 1000], Threads(2), &|_| false, slow), None);
    }

    /// A task of nine tenths of the work that is half done is 45 % of the progress, although no run is over.
    #[test]
    fn progress_weighs_steps_inside_runs() {
        let seen = Mutex::new(Vec::new());
        let watch = |p: StudyProgress| {
            seen.lock().expect("no panic").push(p);
            true
        };
        let half = |i: usize, task: &Task| {
            if i == 0 {
                assert!(task.step(50, 100));
                std::thread::sleep(Duration::from_millis(100));
            }
        };
        assert!(ordered(&[9.0, 1.0], Threads(1), &watch, half).is_some());
        let seen = seen.into_inner().expect("no panic");
        assert!(seen.iter().any(|p| p.done == 0 && p.runs == 2 && (p.share - 0.45).abs() < 1e-12), "{seen:?}");
        assert!(seen.windows(2).all(|w| w[0].share <= w[1].share), "{seen:?}");
    }
}
