//! How many threads are worth asking now: those that other programs keep from a core are waited for longer than they help.
//!
//! Parts are alike. A thread that has done its own waits microseconds for the others to wake up and to finish, and milliseconds for one that
//! another program keeps from its core: systems give cores away for some milliseconds at a time. So a wait counts as lost where it is longer
//! than a millisecond and longer than the work before it. Where more than a quarter of 50 ms is lost, half as many threads are asked for
//! a while, which doubles from failure to failure, so that trials cost a few per cent. Without that 1000 spheres on two threads took eight times as long as on one beside
//! compilations of other programs. All waits together would say little: 16 threads on 16 cores with nothing else on them wait for half
//! of the time where parts are short, and one moment in which the machine itself was busy cost a run two thirds of its speed. The clock decides
//! who works and never what is computed: no bit depends on the number of threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time over which is judged, and the part of it that may be lost.
const WINDOW: Duration = Duration::from_millis(50);
const MAY_BE_LOST: f64 = 0.25;
/// A longer wait is no matter of waking up.
const MOMENT: Duration = Duration::from_millis(1);
/// Time for which fewer are asked, at least and at most.
const SHORTEST: Duration = Duration::from_millis(200);
const LONGEST: Duration = Duration::from_secs(4);

/// Threads of a pool, which are given parts.
pub static PARTS: Spare = Spare::new();
/// Threads of teams, which wait for each other many times in a piece of work.
pub static TEAMS: Spare = Spare::new();
/// Whether all are asked whatever they bring.
static INSISTS: AtomicBool = AtomicBool::new(false);

/// All threads that are wanted are asked from now on, whatever they bring: for tests of what many do.
pub fn insist() {
    INSISTS.store(true, Ordering::Relaxed);
}

/// The account of one way of working together.
#[derive(Debug)]
pub struct Spare {
    account: Mutex<Account>,
    /// What it allows, for whoever only wants to know that.
    limit: AtomicUsize,
}

impl Spare {
    const fn new() -> Self {
        Self { account: Mutex::new(Account::new()), limit: AtomicUsize::new(usize::MAX) }
    }

    /// Threads worth asking now, of so many that are wanted.
    #[inline]
    pub fn of(&self, wanted: usize) -> usize {
        if wanted <= self.limit.load(Ordering::Relaxed) || INSISTS.load(Ordering::Relaxed) {
            return wanted;
        }
        let mut account = self.account.lock().unwrap_or_else(PoisonError::into_inner);
        let threads = account.spare(wanted, Instant::now());
        self.limit.store(account.limit, Ordering::Relaxed);
        threads
    }

    /// Tells that one of so many threads has worked for as long as each of the others, and lost so much time waiting for them.
    pub fn tell(&self, threads: usize, busy: Duration, lost: Duration) {
        let mut account = self.account.lock().unwrap_or_else(PoisonError::into_inner);
        account.tell(threads, busy, lost, Instant::now());
        self.limit.store(account.limit, Ordering::Relaxed);
    }
}

/// What of a wait after so much work is lost to other programs.
pub fn lost(busy: Duration, waited: Duration) -> Duration {
    if waited > MOMENT.max(busy) { waited } else { Duration::ZERO }
}

/// What threads have brought.
#[derive(Debug)]
struct Account {
    limit: usize,
    /// When more are asked again.
    until: Option<Instant>,
    /// For how long fewer are asked after the next failure.
    quiet: Duration,
    busy: Duration,
    lost: Duration,
}

impl Account {
    const fn new() -> Self {
        Self { limit: usize::MAX, until: None, quiet: SHORTEST, busy: Duration::ZERO, lost: Duration::ZERO }
    }

    /// Threads to ask, of so many that are wanted.
    fn spare(&mut self, wanted: usize, now: Instant) -> usize {
        if self.limit < wanted && self.until.is_none_or(|until| now >= until) {
            self.limit *= 2;
            self.until = Some(now + self.quiet);
            (self.busy, self.lost) = (Duration::ZERO, Duration::ZERO);
        }
        wanted.min(self.limit)
    }

    fn tell(&mut self, threads: usize, busy: Duration, lost: Duration, now: Instant) {
        self.busy += busy;
        self.lost += lost;
        let all = self.busy + self.lost;
        if all < WINDOW {
            return;
        }
        let bad = self.lost > all.mul_f64(MAY_BE_LOST);
        (self.busy, self.lost) = (Duration::ZERO, Duration::ZERO);
        if !bad {
            self.quiet = (self.quiet / 2).max(SHORTEST);
            return;
        }
        self.limit = (threads / 2).max(1);
        self.until = Some(now + self.quiet);
        self.quiet = (2 * self.quiet).min(LONGEST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two threads of which one is waited for half of the time are one for 200 ms, then two again, then one for 400 ms; what works is left alone,
    /// and so is what loses a moment now and then.
    #[test]
    fn who_is_kept_from_a_core_is_asked_less_often() {
        let (start, ms) = (Instant::now(), Duration::from_millis);
        let mut account = Account::new();
        for k in 0..100 {
            let hiccup = if k % 16 == 7 { ms(10) } else { ms(0) };
            account.tell(2, ms(4), hiccup, start + ms(5 * k));
            assert_eq!(account.spare(2, start + ms(5 * k)), 2);
        }
        let failed = start + ms(600);
        account.tell(2, ms(30), ms(30), failed);
        assert_eq!(account.spare(2, failed + ms(199)), 1);
        assert_eq!(account.spare(2, failed + ms(200)), 2);
        account.tell(2, ms(30), ms(30), failed + ms(260));
        assert_eq!(account.spare(2, failed + ms(659)), 1);
        assert_eq!(account.spare(2, failed + ms(660)), 2);
    }

    /// Threads that wake up, and parts that are not quite alike, are not lost time; those that another program keeps are.
    #[test]
    fn only_long_waits_are_lost() {
        let us = Duration::from_micros;
        assert_eq!(lost(us(20), us(300)), us(0));
        assert_eq!(lost(us(90_000), us(60_000)), us(0));
        assert_eq!(lost(us(20), us(4000)), us(4000));
    }

    /// Of sixteen threads on two cores no more than two are left, by halves; freed cores are taken back by doubles.
    #[test]
    fn sixteen_on_two_cores() {
        let (mut now, ms) = (Instant::now(), Duration::from_millis);
        let mut account = Account::new();
        // T threads on two cores: each part waits for T/2 others
        for _ in 0..10 {
            let threads = account.spare(16, now);
            account.tell(threads, ms(40), ms(40) * (threads as u32 / 2 - 1), now);
            account.tell(threads, ms(40), ms(40) * (threads as u32 / 2 - 1), now);
        }
        assert_eq!(account.spare(16, now), 2);
        for _ in 0..4 {
            now += LONGEST;
            let threads = account.spare(16, now);
            account.tell(threads, ms(90), ms(10), now);
        }
        assert_eq!(account.spare(16, now), 16);
    }
}
