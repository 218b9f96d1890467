//! The table of a sweep, or of any study of independent rows: rows appended as they come, gathered in order when all are there.
//!
//! Every shard appends to a file of its own, `part-i-of-n.csv`; a line counts when its end is there. Starting again
//! reads all parts and makes the missing runs only. `sweep.csv` is written once no run is missing.

use crate::error::{Result, ScenarioError};
use crate::exchange::parquet::TableFormat;
use crate::exchange::parquet_table::ParquetTable;
use crate::run::column::Column;
use crate::run::csv_text::{cells, quoted};
use crate::run::plain_file;
use crate::run::unwritable;
use percussion_model::Code;
use percussion_solve::Stop;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Independent rows of one table, each made from its number alone.
pub trait RowMaker: Sync {
    /// The name of the table without its ending.
    fn stem(&self) -> &'static str;

    /// Rows.
    fn count(&self) -> u64;

    /// The columns, the first of which is the number of the row.
    fn columns(&self) -> Vec<(String, Column)>;

    /// What a folder of results must agree with.
    fn identity(&self) -> String;

    /// Row i, without its end of line; none when `stop` was raised while it was made.
    fn row(&self, i: u64, stop: &AtomicBool) -> Option<String>;

    /// The first line of the table.
    fn header(&self) -> String {
        self.columns().iter().map(|(name, _)| quoted(name)).collect::<Vec<_>>().join(",")
    }
}

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
    study: &dyn RowMaker,
    folder: &Path,
    shard: Shard,
    threads: usize,
    format: TableFormat,
    watch: &dyn Fn(SweepProgress) -> bool,
) -> Result<SweepEnd> {
    format.available()?;
    begin(study, folder)?;
    let done = rows(study, folder)?;
    let mine: Vec<u64> = (0..study.count()).filter(|i| i % shard.n == shard.i - 1).collect();
    let missing: Vec<u64> = mine.iter().copied().filter(|i| !done.contains_key(i)).collect();
    let found = (mine.len() - missing.len()) as u64;

    let path = part_file(folder, shard);
    let part = Mutex::new(open_part(study, &path).map_err(|error| unwritable(&path, &error))?);
    let (next, stop) = (AtomicUsize::new(0), Arc::new(AtomicBool::new(false)));
    let (made, failed) = (AtomicUsize::new(0), Mutex::new(None));
    let work = || {
        let _hears = Stop::when(Arc::clone(&stop)).heard();
        while !stop.load(Ordering::Relaxed) {
            let Some(&i) = missing.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            // whatever a row has become that was told to stop
            let Some(row) = study.row(i, &stop).filter(|_| !stop.load(Ordering::Relaxed)) else { break };
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
    let missing = gather(study, folder, format)?;
    let made = made.load(Ordering::Relaxed) as u64;
    let interrupted = found + made < mine.len() as u64;
    Ok(SweepEnd { made, found, missing, interrupted })
}

/// The runs that a folder of results does not have yet; makes the folder.
pub fn missing_rows(study: &dyn RowMaker, folder: &Path) -> Result<Vec<u64>> {
    begin(study, folder)?;
    let done = rows(study, folder)?;
    Ok((0..study.count()).filter(|i| !done.contains_key(i)).collect())
}

/// Appends rows that were made elsewhere to a part of their own.
pub fn append_rows(study: &dyn RowMaker, folder: &Path, rows: &[String]) -> Result<()> {
    let path = folder.join("part-gathered.csv");
    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    open_part(study, &path)
        .and_then(|mut file| file.write_all(lines.as_bytes()))
        .map_err(|error| unwritable(&path, &error))
}

/// Writes `sweep.csv`, and `sweep.parquet` where it is asked for, when all rows are there; how many are missing.
pub fn gather(study: &dyn RowMaker, folder: &Path, format: TableFormat) -> Result<u64> {
    let rows = rows(study, folder)?;
    let missing = study.count() - rows.len() as u64;
    if missing == 0 {
        let mut text = study.header() + "\n";
        for row in rows.values() {
            text += row;
            text.push('\n');
        }
        let stem = study.stem();
        let path = folder.join(format!("{stem}.csv"));
        let fresh = folder.join(format!("{stem}.csv.{}", std::process::id()));
        if format == TableFormat::Parquet {
            write_parquet(&study.columns(), &text, &folder.join(format!("{stem}.parquet")))?;
        }
        plain_file::write(&fresh, text.as_bytes())
            .and_then(|()| std::fs::rename(&fresh, &path))
            .map_err(|error| unwritable(&path, &error))?;
    }
    Ok(missing)
}

/// Writes a table with these columns, given as the text of `sweep.csv`, as one Parquet file.
pub fn write_parquet(columns: &[(String, Column)], text: &str, path: &Path) -> Result<()> {
    TableFormat::Parquet.available()?;
    let failed = |error: std::io::Error| unwritable(path, &error);
    let mut table = ParquetTable::create(path, columns).map_err(failed)?;
    for line in text.lines().skip(1) {
        for cell in cells(line) {
            table.cell(&cell).map_err(failed)?;
        }
        table.end().map_err(failed)?;
    }
    table.finish().map_err(failed)
}

fn begin(study: &dyn RowMaker, folder: &Path) -> Result<()> {
    begin_rows(folder, study.stem(), &study.identity(), Code::BAD_SWEEP)
}

/// Where a folder says of what study its rows are.
const IDENTITIES: [&str; 4] = ["sweep", "starts", "exponent", "dynamics"];

/// Makes the folder, and refuses one that holds another study.
pub fn begin_rows(folder: &Path, stem: &str, mine: &str, code: Code) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let refuse = |path: &Path| {
        let message = "the folder holds another study, or this one before it was changed";
        let help = "choose another --out folder, or remove this one";
        Err(ScenarioError::file(code, path.display().to_string(), message, help))
    };
    let identity = |stem: &str| folder.join(format!("{stem}.toml"));
    // rows of another study would be taken for its own
    let other =
        IDENTITIES.iter().filter(|other| **other != stem).map(|other| identity(other)).find(|path| path.exists());
    if let Some(other) = other {
        return refuse(&other);
    }
    let path = identity(stem);
    match std::fs::read_to_string(&path) {
        Ok(text) if text == mine => Ok(()),
        Ok(_) => refuse(&path),
        Err(_) => plain_file::write(&path, mine.as_bytes()).map_err(|error| unwritable(&path, &error)),
    }
}

/// A part's file for this process alone, as long as it is open: the rows of a second one would mix with its own. Where locks keep others from
/// reading too, and other shards must, there is none.
pub(crate) fn locked(file: File) -> std::io::Result<File> {
    if cfg!(unix) && matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock)) {
        let words = "the same study is being made here by another process; wait for it, or give another --out";
        return Err(std::io::Error::new(std::io::ErrorKind::WouldBlock, words));
    }
    Ok(file)
}

/// The part's file, after its last whole line.
fn open_part(study: &dyn RowMaker, path: &Path) -> std::io::Result<File> {
    let mut file = locked(plain_file::open(path, OpenOptions::new().create(true).read(true).append(true))?)?;
    let bytes = file.seek(SeekFrom::End(0))?;
    let mut last = [b'\n'];
    if bytes > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let mut whole = bytes;
    if last != *b"\n" {
        // the run that wrote it was killed within a line
        let text = std::fs::read(path)?;
        whole = text.iter().rposition(|&b| b == b'\n').map_or(0, |k| k + 1) as u64;
        file.set_len(whole)?;
    }
    if whole == 0 {
        file.write_all(format!("{}\n", study.header()).as_bytes())?;
    }
    Ok(file)
}

/// The file of a shard.
pub fn part_file(folder: &Path, shard: Shard) -> PathBuf {
    folder.join(format!("part-{}-of-{}.csv", shard.i, shard.n))
}

/// The files of all shards, and of whatever else made rows, by name.
pub fn part_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let list = std::fs::read_dir(folder).map_err(|error| unwritable(folder, &error))?;
    let mut parts: Vec<PathBuf> = list.flatten().map(|entry| entry.path()).collect();
    parts.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("part-") && name.ends_with(".csv")
    });
    parts.sort_unstable();
    Ok(parts)
}

/// Every whole row of every part, by the number of its run.
fn rows(study: &dyn RowMaker, folder: &Path) -> Result<BTreeMap<u64, String>> {
    let mut rows = BTreeMap::new();
    for path in part_files(folder)? {
        let text = std::fs::read_to_string(&path).map_err(|error| unwritable(&path, &error))?;
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        for line in whole.lines().skip(1) {
            let number = line.split(',').next().and_then(|number| number.parse().ok());
            let Some(i) = number.filter(|&i: &u64| i < study.count()) else {
                let name = path.display().to_string();
                return Err(ScenarioError::file(
                    Code::BAD_SWEEP,
                    name,
                    "contains a line that is not a row",
                    "remove it",
                ));
            };
            rows.insert(i, line.to_string());
        }
    }
    Ok(rows)
}
