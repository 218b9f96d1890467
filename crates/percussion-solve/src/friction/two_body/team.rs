//! Threads that take the same steps side by side: numbers they share, and a barrier at which they wait for each other.
//!
//! Whoever does a piece of work does the same operations in the same order, and sums are taken block by block and then in the order of
//! the blocks: the bits do not depend on the number of threads.

use percussion_matrix::pool::together;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A number that every thread may read and, between two barriers, one may write.
#[derive(Debug, Default)]
pub(crate) struct Number(AtomicU64);

impl Number {
    #[inline(always)]
    pub fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    #[inline(always)]
    pub fn set(&self, x: f64) {
        self.0.store(x.to_bits(), Ordering::Relaxed);
    }
}

/// Looks at the barrier before a thread lets others run.
const SPINS: u32 = 300;

/// Where all threads of a team wait until the last one has come.
#[derive(Debug)]
pub(crate) struct Barrier {
    size: usize,
    came: AtomicUsize,
    round: AtomicUsize,
}

impl Barrier {
    /// For so many threads.
    pub fn new(size: usize) -> Self {
        Self { size, came: AtomicUsize::new(0), round: AtomicUsize::new(0) }
    }

    /// Waits for the others; what they wrote before is seen after. How long it took where that was more than a moment.
    #[inline]
    pub fn wait(&self) -> Duration {
        if self.size == 1 {
            return Duration::ZERO;
        }
        let round = self.round.load(Ordering::Acquire);
        if self.came.fetch_add(1, Ordering::AcqRel) + 1 == self.size {
            self.came.store(0, Ordering::Relaxed);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return Duration::ZERO;
        }
        for _ in 0..SPINS {
            if self.round.load(Ordering::Acquire) != round {
                return Duration::ZERO;
            }
            std::hint::spin_loop();
        }
        let started = Instant::now();
        while self.round.load(Ordering::Acquire) == round {
            std::thread::yield_now();
        }
        started.elapsed()
    }
}

/// The k-th of n nearly equal parts of 0..len.
pub(crate) fn share(len: usize, k: usize, n: usize) -> std::ops::Range<usize> {
    len * k / n..len * (k + 1) / n
}

/// Fills a slice in parts, one per thread; `fill` is given the place of its first item. Whether every part said yes.
pub(crate) fn fill_in_parts<X: Send>(
    items: &mut [X],
    threads: usize,
    fill: impl Fn(usize, &mut [X]) -> bool + Sync,
) -> bool {
    if threads < 2 {
        return fill(0, items);
    }
    let part = items.len().div_ceil(threads).max(1);
    let (fill, all) = (&fill, AtomicBool::new(true));
    let answer = &all;
    together(threads, |crew| {
        for (k, chunk) in items.chunks_mut(part).enumerate() {
            crew.give(move || {
                if !fill(k * part, chunk) {
                    answer.store(false, Ordering::Relaxed);
                }
            });
        }
    });
    all.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four threads add to a number in turn, one in each round: none overtakes.
    #[test]
    fn nobody_passes_the_barrier_early() {
        let (barrier, number) = (Barrier::new(4), Number::default());
        std::thread::scope(|scope| {
            for k in 0..4 {
                let (barrier, number) = (&barrier, &number);
                scope.spawn(move || {
                    for round in 0..400 {
                        if round % 4 == k {
                            number.set(number.get() + 1.0);
                        }
                        barrier.wait();
                        assert_eq!(number.get(), f64::from(round + 1));
                        barrier.wait();
                    }
                });
            }
        });
        assert_eq!(number.get(), 400.0);
    }

    #[test]
    fn parts_cover_everything_once() {
        for (len, n) in [(0, 3), (5, 3), (64, 5), (7, 9)] {
            let all: Vec<usize> = (0..n).flat_map(|k| share(len, k, n)).collect();
            assert_eq!(all, (0..len).collect::<Vec<_>>());
        }
        let mut items = vec![0; 1001];
        let all = fill_in_parts(&mut items, 3, |first, part| {
            part.iter_mut().enumerate().for_each(|(i, x)| *x = first + i);
            true
        });
        assert!(all && items.iter().copied().eq(0..1001));
    }
}
