//! Whether a run's tables fit where they are to go, told before the first step.
//!
//!   rows ≥ 1 + steps/every;   a number is at least 21 bytes of text or 8 of memory
//!
//! Rows of contacts and events are not known beforehand, so this is a lower bound: what it refuses cannot fit. Adaptive steps
//! are at least as many as those of `step_max`.

use crate::build::scenario::Scenario;
use crate::error::{Result, ScenarioError};
use percussion_model::Code;
use std::path::Path;

/// Steps, at least.
fn steps(scenario: &Scenario) -> u64 {
    // a number too large for u64 becomes the largest
    scenario.adaptive.as_ref().map_or(scenario.count.n, |options| (scenario.end / options.step_max) as u64)
}

/// Numbers of trajectory and ledger, at least.
fn numbers(scenario: &Scenario) -> Option<u64> {
    let model = scenario.model();
    let columns = 1 + model.n_q() as u64 + model.n_v() as u64 + 11;
    (1 + steps(scenario) / scenario.every.max(1)).checked_mul(columns)
}

/// Refuses a run whose tables are larger than the free part of the disk.
pub fn on_disk(scenario: &Scenario, folder: &Path) -> Result<()> {
    let (Some(numbers), Some(free)) = (numbers(scenario), free_disk(folder)) else { return Ok(()) };
    refuse(scenario, numbers.saturating_mul(21), free, "disk", &folder.display().to_string())
}

/// Refuses a run whose tables in memory are larger than the free part of it.
pub fn in_memory(scenario: &Scenario) -> Result<()> {
    let (Some(numbers), Some(free)) = (numbers(scenario), free_memory()) else { return Ok(()) };
    refuse(scenario, numbers.saturating_mul(8), free, "memory", &scenario.name)
}

fn refuse(scenario: &Scenario, needed: u64, free: u64, what: &str, place: &str) -> Result<()> {
    if needed <= free {
        return Ok(());
    }
    let size = |bytes: u64| match bytes as f64 {
        bytes if bytes < 1e9 => format!("{:.1} MB", bytes / 1e6),
        bytes => format!("{:.1} GB", bytes / 1e9),
    };
    let steps = steps(scenario);
    let message = format!("{steps} steps take at least {}, and {} of {what} are free", size(needed), size(free));
    let every = (needed / free.max(1)).saturating_add(1).saturating_mul(scenario.every).saturating_mul(2);
    let help = format!("write fewer rows: [output] every = {every}, or end earlier");
    Err(ScenarioError::file(Code::NO_ROOM, place, message, help).about("output.every"))
}

/// Bytes free for us on the disk of the nearest folder that exists.
#[cfg(unix)]
fn free_disk(folder: &Path) -> Option<u64> {
    let there = folder.ancestors().find(|path| path.is_dir());
    let there = there.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let status = nix::sys::statvfs::statvfs(there).ok()?;
    #[allow(clippy::useless_conversion, reason = "the types differ between systems")]
    u64::from(status.blocks_available()).checked_mul(status.fragment_size().into())
}

#[cfg(not(unix))]
fn free_disk(_folder: &Path) -> Option<u64> {
    None
}

/// Bytes of memory that can be had, where the system says so.
fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}
