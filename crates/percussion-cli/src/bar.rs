//! The progress of several runs, on a terminal only, once a second has passed.

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// The length of the bar.
const WHOLE: u64 = 10_000;

/// A bar that counts runs.
pub struct RunsBar {
    bar: Option<ProgressBar>,
    started: Instant,
    wanted: bool,
    what: &'static str,
}

impl RunsBar {
    /// Nothing shown yet.
    pub fn new(wanted: bool) -> Self {
        Self::of(wanted, "runs")
    }

    /// The same, counting something else.
    pub fn of(wanted: bool, what: &'static str) -> Self {
        Self { bar: None, started: Instant::now(), wanted: wanted && std::io::stderr().is_terminal(), what }
    }

    /// So many of so many runs are done, each as long as the others.
    pub fn show(&mut self, done: u64, runs: u64) {
        self.weigh(done, runs, done as f64 / runs.max(1) as f64);
    }

    /// So many of so many runs are done, and with the parts of the others `share` of all the steps.
    pub fn weigh(&mut self, done: u64, runs: u64, share: f64) {
        let elapsed = self.started.elapsed();
        if !self.wanted || elapsed < Duration::from_secs(1) {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(Some(WHOLE), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:32} {percent:>3} %  {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        // at the speed so far; before anything is done nothing can be said
        let left = elapsed.as_secs_f64() * (1.0 - share) / share;
        let left = if left.is_finite() && left < 1e7 {
            format!(", {} left", HumanDuration(Duration::from_secs_f64(left)))
        } else {
            String::new()
        };
        bar.set_position((share * WHOLE as f64) as u64);
        bar.set_message(format!("{done} of {runs} {}{left}", self.what));
    }

    /// Takes it away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
