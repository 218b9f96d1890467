//! Where the wall time of steps goes, by the phases that the numerics tell of.

use std::cell::RefCell;
use std::time::Instant;

/// The phase a thread is in and since when, and the seconds each has taken.
type Watch = (&'static str, Option<Instant>, Vec<(&'static str, f64)>);

thread_local! {
    static WATCH: RefCell<Watch> = const { RefCell::new(("", None, Vec::new())) };
}

/// Counts the time of this thread's phases; what other threads enter is theirs.
pub fn enter(next: &'static str) {
    WATCH.with_borrow_mut(|(now, since, spent)| {
        let moment = Instant::now();
        if let Some(since) = since {
            let seconds = moment.duration_since(*since).as_secs_f64();
            match spent.iter_mut().find(|(name, _)| name == now) {
                Some((_, sum)) => *sum += seconds,
                None => spent.push((now, seconds)),
            }
        }
        (*now, *since) = (next, Some(moment));
    });
}

/// Prints where the time went, and begins anew.
pub fn print_phases(steps: u64) {
    let mut spent = WATCH.take().2;
    spent.sort_by(|a, b| b.1.total_cmp(&a.1));
    let whole: f64 = spent.iter().map(|(_, seconds)| seconds).sum();
    for (name, seconds) in spent.iter().filter(|(_, seconds)| *seconds > 0.0) {
        println!(
            "  {name:26} {seconds:9.3} s  {:5.1} %  {:9.3} ms a step",
            100.0 * seconds / whole,
            1e3 * seconds / steps as f64
        );
    }
}
