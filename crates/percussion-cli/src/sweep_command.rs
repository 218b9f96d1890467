//! `percussion sweep`: a parameter study on threads, whole or one shard of it.

use crate::args::{StudyFormat, SweepOptions};
use crate::bar::RunsBar;
use crate::exit::Exit;
use crate::run_command::{default_folder, interrupt_flag};
use crate::show_error::show;
use crate::{complain, say};
use percussion::scenario::{Shard, Sweep, SweepProgress, run_sweep};
use std::sync::Mutex;
use std::sync::atomic::Ordering;

/// `percussion sweep SWEEP`.
pub fn sweep(options: &SweepOptions) -> Exit {
    let Some(shard) = options.shard.as_deref().map_or(Some(Shard::ALL), Shard::parse) else {
        complain!("percussion sweep --shard i/n: give a part and their number, counted from 1, such as --shard 3/16");
        return Exit::Usage;
    };
    let sweep = match Sweep::open_allowed(&options.sweep, options.allow_outside) {
        Ok(sweep) => sweep,
        Err(error) => return show(&error, options.json),
    };
    let folder = options.out.clone().unwrap_or_else(|| default_folder(&sweep.name));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = options.threads.map_or(cores, |n| n as usize);
    let (stop, bar) = (interrupt_flag(), Mutex::new(RunsBar::new(!options.json && !options.quiet)));
    let watch = |progress: SweepProgress| {
        if let Ok(mut bar) = bar.lock() {
            bar.show(progress.done, progress.runs);
        }
        !stop.load(Ordering::Relaxed)
    };
    let result = run_sweep(&sweep, &folder, shard, threads, options.format.into(), &watch);
    if let Ok(bar) = bar.lock() {
        bar.clear();
    }
    let end = match result {
        Ok(end) => end,
        Err(error) => return show(&error, options.json),
    };
    let table = folder.join(if options.format == StudyFormat::Parquet { "sweep.parquet" } else { "sweep.csv" });
    if options.json {
        let object = serde_json::json!({
            "sweep": sweep.name,
            "runs": sweep.count,
            "made": end.made,
            "found": end.found,
            "missing": end.missing,
            "table": (end.missing == 0).then(|| table.display().to_string()),
        });
        say!("{object}");
    } else if !options.quiet {
        match end.missing {
            0 => say!("{} runs made, {} were there; all {} in {}", end.made, end.found, sweep.count, table.display()),
            n => say!("{} runs made, {} were there; {n} of {} are missing", end.made, end.found, sweep.count),
        }
    }
    if end.interrupted {
        complain!("interrupted; the runs made are kept, and the same command goes on with the rest");
        return Exit::Interrupted;
    }
    Exit::Good
}
