//! Lists made by several threads, a part each: the same items in the same places, whatever their number.

use crate::pool::together;
use crate::spare::PARTS;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Rows for which a further thread is worth its start.
const WORTH: usize = 2048;

/// Rows whose terms are added up in their order; longer sums are sums of such runs.
const RUN: usize = 1024;

/// Threads worth having for n rows, of those there are and are not kept busy by others.
#[inline]
pub fn worth(threads: usize, n: usize) -> usize {
    // a small step asks many times
    if n < 2 * WORTH { 1 } else { PARTS.of(threads.min(n / WORTH).max(1)) }
}

/// list ← make(0), …, make(n − 1).
pub fn made_by<X: Clone + Default + Send>(
    list: &mut Vec<X>,
    n: usize,
    threads: usize,
    make: impl Fn(usize) -> X + Sync,
) {
    if worth(threads, n) < 2 {
        list.clear();
        list.extend((0..n).map(make));
        return;
    }
    list.resize(n, X::default());
    in_parts(list, 1, threads, |first, part| (first..).zip(part).for_each(|(i, x)| *x = make(i)));
}

/// Lists side by side that are cut into parts at the same rows.
pub trait Side: Sized + Send {
    /// The first rows, and the rest.
    fn cut(self, rows: usize) -> (Self, Self);
}

/// A list of rows of so many items each.
#[derive(Debug)]
pub struct Rows<'a, X>(pub &'a mut [X], pub usize);

impl<X: Send> Side for Rows<'_, X> {
    fn cut(self, rows: usize) -> (Self, Self) {
        let at = (rows * self.1).min(self.0.len());
        let (first, rest) = self.0.split_at_mut(at);
        (Self(first, self.1), Self(rest, self.1))
    }
}

impl<A: Side, B: Side> Side for (A, B) {
    fn cut(self, rows: usize) -> (Self, Self) {
        let ((a, more_a), (b, more_b)) = (self.0.cut(rows), self.1.cut(rows));
        ((a, b), (more_a, more_b))
    }
}

/// Gives `work` parts of so many rows, a thread each, with the number of their first row.
pub fn share<S: Side>(mut lists: S, rows: usize, threads: usize, work: impl Fn(usize, S) + Sync) {
    let threads = worth(threads, rows);
    if threads < 2 {
        return work(0, lists);
    }
    let part = rows.div_ceil(threads);
    let work = &work;
    together(threads, |crew| {
        let (mine, rest) = lists.cut(part);
        lists = rest;
        let mut first = part;
        while first < rows {
            let (next, rest) = lists.cut(part);
            lists = rest;
            crew.give(move || work(first, next));
            first += part;
        }
        work(0, mine);
    });
}

/// Gives `work` the rows of each part, `width` items each, with the number of the first row.
pub fn in_parts<X: Send>(items: &mut [X], width: usize, threads: usize, work: impl Fn(usize, &mut [X]) + Sync) {
    let rows = items.len() / width.max(1);
    share(Rows(items, width), rows, threads, |first, part| work(first, part.0));
}

/// to ← from, on so many threads.
#[inline]
pub fn copied<X: Copy + Send + Sync>(to: &mut [X], from: &[X], threads: usize) {
    if worth(threads, from.len()) < 2 {
        return to.copy_from_slice(from);
    }
    in_parts(to, 1, threads, |first, part| part.copy_from_slice(&from[first..first + part.len()]));
}

/// Gives `work` the rows of each part of two lists side by side, of rows of their own widths.
pub fn in_parts_of_two<X: Send, Y: Send>(
    items: &mut [X],
    width: usize,
    others: &mut [Y],
    other_width: usize,
    threads: usize,
    work: impl Fn(usize, &mut [X], &mut [Y]) + Sync,
) {
    let rows = items.len() / width.max(1);
    share((Rows(items, width), Rows(others, other_width)), rows, threads, |first, (a, b)| work(first, a.0, b.0));
}

/// list ← what the parts hold, one after the other.
pub fn joined<'a, X: Copy + Default + Send + Sync + 'a>(
    list: &mut Vec<X>,
    parts: impl Iterator<Item = &'a [X]> + Clone,
    threads: usize,
) {
    let n = parts.clone().map(<[X]>::len).sum();
    if worth(threads, n) < 2 {
        list.clear();
        parts.for_each(|part| list.extend_from_slice(part));
        return;
    }
    list.resize(n, X::default());
    together(threads, |crew| {
        let mut rest = &mut list[..];
        for part in parts {
            let (own, more) = rest.split_at_mut(part.len());
            rest = more;
            crew.give(move || own.copy_from_slice(part));
        }
    });
}

/// What the rows 0, …, n − 1 come to, runs of them by the threads and then those together: the same whatever the runs only where `join` does not
/// mind the order, as the largest or the least of numbers.
pub fn reduced<X: Send>(
    n: usize,
    threads: usize,
    of: impl Fn(Range<usize>) -> X + Sync,
    join: impl Fn(X, X) -> X,
) -> X {
    let threads = worth(threads, n);
    if threads < 2 {
        return of(0..n);
    }
    let part = n.div_ceil(threads);
    let mut found: Vec<Option<X>> = (0..threads).map(|_| None).collect();
    let of = &of;
    together(threads, |crew| {
        for (k, found) in found.iter_mut().enumerate() {
            crew.give(move || *found = Some(of((k * part).min(n)..((k + 1) * part).min(n))));
        }
    });
    found.into_iter().flatten().reduce(join).unwrap_or_else(|| of(0..0))
}

/// The largest of value(0), …, value(n − 1) and zero.
pub fn largest_by(n: usize, threads: usize, value: impl Fn(usize) -> f64 + Sync) -> f64 {
    reduced(n, threads, |rows| rows.map(&value).fold(0.0, f64::max), f64::max)
}

/// Whether all items are so.
pub fn all_of<X: Sync>(items: &[X], threads: usize, is_so: impl Fn(&X) -> bool + Sync) -> bool {
    let threads = worth(threads, items.len());
    if threads < 2 {
        return items.iter().all(is_so);
    }
    let (is_so, all) = (&is_so, AtomicBool::new(true));
    let answer = &all;
    together(threads, |crew| {
        for part in items.chunks(items.len().div_ceil(threads)) {
            crew.give(move || {
                if !part.iter().all(is_so) {
                    answer.store(false, Ordering::Relaxed);
                }
            });
        }
    });
    all.into_inner()
}

/// Adds the terms of the rows 0, …, n − 1 to `sums`, `add` those of one row: run by run in their order, and then the sums of the runs in
/// theirs. The same bits for any number of threads.
#[inline]
pub fn add_rows<const N: usize>(
    sums: &mut [f64; N],
    n: usize,
    threads: usize,
    add: impl Fn(&mut [f64; N], usize) + Sync,
) {
    if n > RUN {
        return add_runs(sums, n, threads, add);
    }
    (0..n).for_each(|i| add(sums, i));
}

fn add_runs<const N: usize>(sums: &mut [f64; N], n: usize, threads: usize, add: impl Fn(&mut [f64; N], usize) + Sync) {
    let of_run = |run: usize| {
        let mut own = [0.0; N];
        (run * RUN..n.min((run + 1) * RUN)).for_each(|i| add(&mut own, i));
        own
    };
    let mut join = |own: &[f64; N]| sums.iter_mut().zip(own).for_each(|(sum, x)| *sum += x);
    let (runs, threads) = (n.div_ceil(RUN), worth(threads, n));
    if threads < 2 {
        return (0..runs).for_each(|run| join(&of_run(run)));
    }
    let (part, of_run) = (runs.div_ceil(threads), &of_run);
    let mut made = vec![[0.0; N]; runs];
    together(threads, |crew| {
        for (k, own) in made.chunks_mut(part).enumerate() {
            crew.give(move || (k * part..).zip(own).for_each(|(run, own)| *own = of_run(run)));
        }
    });
    made.iter().for_each(join);
}

/// Sorts keys that differ: runs by the threads, then ranges of keys, each gathered from all runs. The sorted list is the same whatever their
/// number.
pub fn sort_in_parts<X: Ord + Copy + Default + Send + Sync>(items: &mut Vec<X>, threads: usize) {
    let n = items.len();
    let threads = worth(threads, n);
    if threads < 2 {
        return items.sort_unstable();
    }
    in_parts(items, 1, threads, |_, part| part.sort_unstable());
    let runs: Vec<&[X]> = items.chunks(n.div_ceil(threads)).collect();
    // keys that cut the list into ranges of like size
    let mut sample: Vec<X> =
        runs.iter().flat_map(|run| run.iter().step_by(n.div_ceil(64 * threads)).copied()).collect();
    sample.sort_unstable();
    let cuts = |run: &[X], k: usize| match k {
        0 => 0,
        _ if k == threads => run.len(),
        _ => run.partition_point(|x| *x < sample[k * sample.len() / threads]),
    };
    let mut sorted = vec![X::default(); n];
    together(threads, |crew| {
        let mut rest = &mut sorted[..];
        for k in 0..threads {
            let own: Vec<&[X]> = runs.iter().map(|run| &run[cuts(run, k)..cuts(run, k + 1)]).collect();
            let (range, more) = rest.split_at_mut(own.iter().map(|part| part.len()).sum());
            rest = more;
            crew.give(move || {
                let mut at = 0;
                for part in own {
                    range[at..at + part.len()].copy_from_slice(part);
                    at += part.len();
                }
                range.sort_unstable();
            });
        }
    });
    *items = sorted;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_once_for_any_number_of_threads() {
        let n = 20_011;
        for threads in [1, 2, 3, 4] {
            let mut list = vec![7; 3];
            made_by(&mut list, n, threads, |i| 2 * i);
            assert!(list.iter().copied().eq((0..n).map(|i| 2 * i)));
            let (mut wide, mut flags) = (vec![0; 3 * n], vec![0; n]);
            in_parts_of_two(&mut wide, 3, &mut flags, 1, threads, |first, wide, flags| {
                for (k, (row, flag)) in wide.chunks_mut(3).zip(flags).enumerate() {
                    row.fill(first + k);
                    *flag += 1;
                }
            });
            for n in [7, RUN, RUN + 1, n] {
                let (mut sums, mut alone) = ([0.5, 1.0], [0.5, 1.0]);
                let add = |sums: &mut [f64; 2], i: usize| {
                    sums[0] += 1.0 / (1.0 + i as f64);
                    sums[1] += i as f64;
                };
                add_rows(&mut sums, n, threads, add);
                add_rows(&mut alone, n, 1, add);
                assert_eq!(sums.map(f64::to_bits), alone.map(f64::to_bits));
                // whole numbers add up exactly in any order, so every row must be there once
                assert_eq!(sums[1], 1.0 + (n * (n - 1) / 2) as f64);
            }
            let halves: Vec<&[usize]> = vec![&list[..7], &list[7..11], &[], &list[11..]];
            let mut whole = vec![1; 5];
            joined(&mut whole, halves.iter().copied(), threads);
            assert!(whole == list);
            assert_eq!(largest_by(n, threads, |i| if i == 12_345 { 7.0 } else { -1.0 }), 7.0);
            assert!(flags.iter().all(|&n| n == 1) && wide.iter().enumerate().all(|(k, &x)| x == k / 3));
            // also where nearly all keys lie in one range
            for modulus in [1009, 3] {
                let mut keys: Vec<(usize, usize)> = (0..n).map(|k| (k * 7919 % modulus, k)).collect();
                let mut sorted = keys.clone();
                sorted.sort_unstable();
                sort_in_parts(&mut keys, threads);
                assert!(keys == sorted);
            }
        }
    }
}
