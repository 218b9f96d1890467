//! The progress of several runs, on a terminal only, once a second has passed.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

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

    /// So many of so many runs are done.
    pub fn show(&mut self, done: u64, runs: u64) {
        if !self.wanted || self.started.elapsed() < Duration::from_secs(1) {
            return;
        }
        let what = self.what;
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(Some(runs), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template(&format!("{{bar:32}} {{pos}} of {{len}} {what}  {{eta}} left"));
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        bar.set_length(runs);
        bar.set_position(done);
    }

    /// Takes it away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
