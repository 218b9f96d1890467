//! Lists made by several threads, a part each: the same items in the same places, whatever their number.

/// Rows for which a further thread is worth its start.
const WORTH: usize = 4096;

/// Threads worth having for n rows, of those there are.
pub fn worth(threads: usize, n: usize) -> usize {
    threads.min(n / WORTH).max(1)
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

/// Gives `work` the rows of each part, `width` items each, with the number of the first row.
pub fn in_parts<X: Send>(items: &mut [X], width: usize, threads: usize, work: impl Fn(usize, &mut [X]) + Sync) {
    let rows = items.len() / width.max(1);
    let mut none = vec![(); rows];
    in_parts_of_two(items, width, &mut none, 1, threads, |first, part, _| work(first, part));
}

/// The same with two lists side by side, of rows of their own widths.
pub fn in_parts_of_two<X: Send, Y: Send>(
    items: &mut [X],
    width: usize,
    others: &mut [Y],
    other_width: usize,
    threads: usize,
    work: impl Fn(usize, &mut [X], &mut [Y]) + Sync,
) {
    let rows = items.len() / width.max(1);
    let threads = worth(threads, rows);
    if threads < 2 {
        return work(0, items, others);
    }
    let part = rows.div_ceil(threads);
    std::thread::scope(|scope| {
        let work = &work;
        let mut parts = items.chunks_mut(part * width).zip(others.chunks_mut(part * other_width)).enumerate();
        let mine = parts.next();
        for (k, (items, others)) in parts {
            scope.spawn(move || work(k * part, items, others));
        }
        if let Some((_, (items, others))) = mine {
            work(0, items, others);
        }
    });
}

/// Whether all items are so.
pub fn all_of<X: Sync>(items: &[X], threads: usize, is_so: impl Fn(&X) -> bool + Sync) -> bool {
    let threads = worth(threads, items.len());
    if threads < 2 {
        return items.iter().all(is_so);
    }
    std::thread::scope(|scope| {
        let is_so = &is_so;
        let parts = items.chunks(items.len().div_ceil(threads));
        let asked: Vec<_> = parts.map(|part| scope.spawn(move || part.iter().all(is_so))).collect();
        // every part is waited for
        let answers: Vec<bool> = asked.into_iter().map(|part| part.join().unwrap_or(false)).collect();
        answers.into_iter().all(|so| so)
    })
}

/// Hands make(0), …, make(n − 1) to `take` in this order, made by so many threads: a sum has the same bits for any number.
pub fn for_each_in_order<X: Clone + Default + Send>(
    n: usize,
    threads: usize,
    make: impl Fn(usize) -> X + Sync,
    take: impl FnMut(X),
) {
    if worth(threads, n) < 2 {
        return (0..n).map(make).for_each(take);
    }
    let mut made = Vec::new();
    made_by(&mut made, n, threads, make);
    made.into_iter().for_each(take);
}

/// Sorts keys that differ: parts by threads, then their merger, which is the sorted list whatever their number.
pub fn sort_in_parts<X: Ord + Send>(items: &mut [X], threads: usize) {
    if worth(threads, items.len()) < 2 {
        return items.sort_unstable();
    }
    in_parts(items, 1, threads, |_, part| part.sort_unstable());
    // runs that are sorted are found and merged
    items.sort();
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
            assert!(flags.iter().all(|&n| n == 1) && wide.iter().enumerate().all(|(k, &x)| x == k / 3));
            let mut keys: Vec<(usize, usize)> = (0..n).map(|k| (k * 7919 % 1009, k)).collect();
            let mut sorted = keys.clone();
            sorted.sort_unstable();
            sort_in_parts(&mut keys, threads);
            assert!(keys == sorted);
        }
    }
}
