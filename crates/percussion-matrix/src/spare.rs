//! How many threads are worth asking now: those that other programs keep from a core are waited for longer than they help.
//!
//!   speed-up ≈ T · busy / (busy + waited)        parts alike, summed over 5 ms
//!
//! Where T threads bring less than 0.3 T + 0.85, half as many are asked for a while, which doubles from failure to failure, so that trials cost a
//! few per cent. Without that 1000 spheres on two threads took eight times as long as on one beside compilations of other programs. The clock decides who works and never what is computed: no bit depends on the number of threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time over which is judged.
const WINDOW: Duration = Duration::from_millis(5);
/// Time for which fewer are asked, at least and at most.
const SHORTEST: Duration = Duration::from_millis(200);
const LONGEST: Duration = Duration::from_secs(4);
/// Speed-up asked of T threads: T · A_SHARE + MORE.
const A_SHARE: f64 = 0.3;
const MORE: f64 = 0.85;

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

    /// Tells that one of so many threads has worked for as long as each of the others, and then waited for them.
    pub fn tell(&self, threads: usize, busy: Duration, waited: Duration) {
        let mut account = self.account.lock().unwrap_or_else(PoisonError::into_inner);
        account.tell(threads, busy, waited, Instant::now());
        self.limit.store(account.limit, Ordering::Relaxed);
    }
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
    waited: Duration,
}

impl Account {
    const fn new() -> Self {
        Self { limit: usize::MAX, until: None, quiet: SHORTEST, busy: Duration::ZERO, waited: Duration::ZERO }
    }

    /// Threads to ask, of so many that are wanted.
    fn spare(&mut self, wanted: usize, now: Instant) -> usize {
        if self.limit < wanted && self.until.is_none_or(|until| now >= until) {
            self.limit *= 2;
            self.until = Some(now + self.quiet);
            (self.busy, self.waited) = (Duration::ZERO, Duration::ZERO);
        }
        wanted.min(self.limit)
    }

    fn tell(&mut self, threads: usize, busy: Duration, waited: Duration, now: Instant) {
        self.busy += busy;
        self.waited += waited;
        let all = self.busy + self.waited;
        if all < WINDOW {
            return;
        }
        let T = threads as f64;
        let brought = T * self.busy.as_secs_f64() / all.as_secs_f64();
        (self.busy, self.waited) = (Duration::ZERO, Duration::ZERO);
        if brought >= A_SHARE * T + MORE {
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

    /// Two threads of which one is waited for half of the time are one for 200 ms, then two again, then one for 400 ms; what works is left alone.
    #[test]
    fn who_is_kept_from_a_core_is_asked_less_often() {
        let (start, ms) = (Instant::now(), Duration::from_millis);
        let mut account = Account::new();
        for k in 0..100 {
            account.tell(2, ms(3), ms(1), start + ms(4 * k));
            assert_eq!(account.spare(2, start + ms(4 * k)), 2);
        }
        let failed = start + ms(500);
        account.tell(2, ms(3), ms(3), failed);
        assert_eq!(account.spare(2, failed + ms(199)), 1);
        assert_eq!(account.spare(2, failed + ms(200)), 2);
        account.tell(2, ms(3), ms(3), failed + ms(206));
        assert_eq!(account.spare(2, failed + ms(605)), 1);
        assert_eq!(account.spare(2, failed + ms(606)), 2);
    }

    /// Of sixteen threads on two cores no more than two are left, by halves; freed cores are taken back by doubles.
    #[test]
    fn sixteen_on_two_cores() {
        let (mut now, ms) = (Instant::now(), Duration::from_millis);
        let mut account = Account::new();
        // T threads on two cores: each part waits for T/2 others
        for _ in 0..10 {
            let threads = account.spare(16, now);
            account.tell(threads, ms(4), ms(4) * (threads as u32 / 2 - 1), now);
            account.tell(threads, ms(4), ms(4) * (threads as u32 / 2 - 1), now);
        }
        assert_eq!(account.spare(16, now), 2);
        for _ in 0..4 {
            now += LONGEST;
            let threads = account.spare(16, now);
            account.tell(threads, ms(9), ms(1), now);
        }
        assert_eq!(account.spare(16, now), 16);
    }
}
