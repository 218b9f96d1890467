//! The table of a sweep: rows appended as they come, gathered in order when all are there.
//!
//! Every shard appends to a file of its own, `part-i-of-n.csv`; a line counts when its end is there. Starting again
//! reads all parts and makes the missing runs only. `sweep.csv` is written once no run is missing.

use super::Sweep;
use crate::error::{Result, ScenarioError};
use crate::run::unwritable;
use percussion_model::Code;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Part i of n, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which.
    pub i: u64,
    /// Of how many.
    pub n: u64,
}

impl Shard {
    /// The whole sweep.
    pub const ALL: Self = Self { i: 1, n: 1 };

    /// From `i/n`.
    pub fn parse(text: &str) -> Option<Self> {
        let (i, n) = text.split_once('/')?;
        let (i, n) = (i.trim().parse().ok()?, n.trim().parse().ok()?);
        (1 <= i && i <= n).then_some(Self { i, n })
    }
}

/// Where a sweep is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepProgress {
    /// Runs of this shard that are done.
    pub done: u64,
    /// Runs of this shard.
    pub runs: u64,
}

/// How a sweep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepEnd {
    /// Runs made now.
    pub made: u64,
    /// Runs that were there before.
    pub found: u64,
    /// Runs that are missing, of this or another shard.
    pub missing: u64,
    /// Whether it was stopped.
    pub interrupted: bool,
}

/// Runs a shard on so many threads into a folder; false from `watch` stops it after the runs under way.
pub fn run_sweep(
    sweep: &Sweep,
    folder: &Path,
    shard: Shard,
    threads: usize,
    watch: &(dyn Fn(SweepProgress) -> bool + Sync),
) -> Result<SweepEnd> {
    begin(sweep, folder)?;
    let done = rows(sweep, folder)?;
    let mine: Vec<u64> = (0..sweep.count).filter(|i| i % shard.n == shard.i - 1).collect();
    let missing: Vec<u64> = mine.iter().copied().filter(|i| !done.contains_key(i)).collect();
    let found = (mine.len() - missing.len()) as u64;

    let path = folder.join(format!("part-{}-of-{}.csv", shard.i, shard.n));
    let part = Mutex::new(open_part(sweep, &path).map_err(|error| unwritable(&path, &error))?);
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (made, failed) = (AtomicUsize::new(0), Mutex::new(None));
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let Some(&i) = missing.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let Some(row) = sweep.row(i, &stop) else { break };
            let written = part.lock().map(|mut file| file.write_all(format!("{row}\n").as_bytes()));
            if let Ok(Err(error)) = written {
                stop.store(true, Ordering::Relaxed);
                if let Ok(mut failed) = failed.lock() {
                    *failed = Some(error);
                }
                break;
            }
            made.fetch_add(1, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.clamp(1, missing.len().max(1))).map(|_| scope.spawn(work)).collect();
        while workers.iter().any(|worker| !worker.is_finished()) {
            let done = found + made.load(Ordering::Relaxed) as u64;
            if !watch(SweepProgress { done, runs: mine.len() as u64 }) {
                stop.store(true, Ordering::Relaxed);
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    });
    if let Ok(Some(error)) = failed.into_inner() {
        return Err(unwritable(&path, &error));
    }
    let missing = gather(sweep, folder)?;
    let made = made.load(Ordering::Relaxed) as u64;
    let interrupted = found + made < mine.len() as u64;
    Ok(SweepEnd { made, found, missing, interrupted })
}

/// Writes `sweep.csv` when all rows are there; how many are missing.
pub fn gather(sweep: &Sweep, folder: &Path) -> Result<u64> {
    let rows = rows(sweep, folder)?;
    let missing = sweep.count - rows.len() as u64;
    if missing == 0 {
        let mut text = sweep.header() + "\n";
        for row in rows.values() {
            text += row;
            text.push('\n');
        }
        let (path, fresh) = (folder.join("sweep.csv"), folder.join(format!("sweep.csv.{}", std::process::id())));
        std::fs::write(&fresh, text)
            .and_then(|()| std::fs::rename(&fresh, &path))
            .map_err(|error| unwritable(&path, &error))?;
    }
    Ok(missing)
}

/// Makes the folder, and refuses one that holds another sweep.
fn begin(sweep: &Sweep, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let path = folder.join("sweep.toml");
    let mine = format!("{}\n# of the scenario\n{}", sweep.text, sweep.table);
    match std::fs::read_to_string(&path) {
        Ok(text) if text == mine => Ok(()),
        Ok(_) => {
            let message = "the folder holds the rows of another sweep, or of this one before it was changed";
            let help = "choose another --out folder, or remove this one";
            Err(ScenarioError::file(Code::BAD_SWEEP, path.display().to_string(), message, help))
        }
        Err(_) => std::fs::write(&path, mine).map_err(|error| unwritable(&path, &error)),
    }
}

/// The part's file, after its last whole line.
fn open_part(sweep: &Sweep, path: &Path) -> std::io::Result<File> {
    let whole = match std::fs::read(path) {
        Ok(bytes) => bytes.iter().rposition(|&b| b == b'\n').map_or(0, |k| k + 1) as u64,
        Err(_) => 0,
    };
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.set_len(whole)?;
    if whole == 0 {
        file.write_all(format!("{}\n", sweep.header()).as_bytes())?;
    }
    Ok(file)
}

/// Every whole row of every part, by the number of its run.
fn rows(sweep: &Sweep, folder: &Path) -> Result<BTreeMap<u64, String>> {
    let mut rows = BTreeMap::new();
    let list = std::fs::read_dir(folder).map_err(|error| unwritable(folder, &error))?;
    let mut parts: Vec<PathBuf> = list.flatten().map(|entry| entry.path()).collect();
    parts.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("part-") && name.ends_with(".csv")
    });
    for path in parts {
        let text = std::fs::read_to_string(&path).map_err(|error| unwritable(&path, &error))?;
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        for line in whole.lines().skip(1) {
            let number = line.split(',').next().and_then(|number| number.parse().ok());
            let Some(i) = number.filter(|&i: &u64| i < sweep.count) else {
                let name = path.display().to_string();
                return Err(ScenarioError::file(Code::BAD_SWEEP, name, "holds a line that is no row", "remove it"));
            };
            rows.insert(i, line.to_string());
        }
    }
    Ok(rows)
}
