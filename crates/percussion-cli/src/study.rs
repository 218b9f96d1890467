//! What `compare` and `converge` share: the scenario, threads, the bar, the interrupt.

use crate::args::StudyOptions;
use crate::bar::RunsBar;
use crate::run_command::{default_folder, interrupt_flag};
use percussion::scenario::{LoadOptions, Result, Source};
use percussion::study::{Threads, Watch};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

impl StudyOptions {
    /// What every run changes in the scenario.
    pub fn load_options(&self, step: Option<f64>) -> LoadOptions {
        let (set, end, project) = (self.set.clone(), self.end, self.fix_initial.is_some());
        LoadOptions { set, step, end, project, ..LoadOptions::default() }
    }

    /// The scenario as given.
    pub fn source(&self) -> Result<Source> {
        Source::open(&self.scenario)
    }

    /// All cores where nothing is said.
    pub fn threads(&self) -> Threads {
        self.threads.map_or_else(Threads::default, |n| Threads(n as usize))
    }

    /// Where results go.
    pub fn folder(&self, source: &Source, what: &str) -> PathBuf {
        self.out.clone().unwrap_or_else(|| default_folder(&format!("{}-{what}", source.default_name)))
    }

    /// Whether people are spoken to.
    pub fn talks(&self) -> bool {
        !self.json && !self.quiet
    }

    /// Calls `study` with a watcher that shows the bar and listens for interrupts.
    pub fn watched<T>(&self, study: impl FnOnce(&Watch) -> T) -> T {
        let (stop, bar) = (interrupt_flag(), Mutex::new(RunsBar::new(self.talks())));
        let answer = study(&|progress| {
            if let Ok(mut bar) = bar.lock() {
                bar.weigh(progress.done as u64, progress.runs as u64, progress.share);
            }
            !stop.load(Ordering::Relaxed)
        });
        if let Ok(bar) = bar.lock() {
            bar.clear();
        }
        answer
    }
}
