//! Random scenes run by a built program, some at a time, each in a process of its own:
//!
//!   failure = exit 4, exit 5, any other exit but 0, more processor time than the limit, or energy that ran away,     of the scenes `check` accepts
//!
//! `random_scenes --program target/release/percussion --seeds 0..10000 --jobs 16 [--limit 60] [--until 500] [--verify N] [--rows rows.csv]
//! [--write bench/results/scenes.md] [--print K] [--mesh K]`: no scene is begun after `--until` seconds, and every Nth folder of a run that ended well
//! is verified.
//!
//! Numbers from 10000000 on are mechanisms. `--kind jointed` takes the scenes of one kind among these numbers alone, `--scheme landing` moves them by a
//! scheme of one's own, with the lines of `--with 'landing = "inside"'` in its table.

#[path = "../../../crates/percussion-scenario/tests/random_scenes/scene/mod.rs"]
mod scene;

use scene::{DELIBERATE, Scene, scene};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What is asked on the command line.
struct Asked {
    program: PathBuf,
    seeds: Range<u64>,
    jobs: usize,
    limit: Duration,
    until: Duration,
    /// Every so many folders are verified; 0 for none.
    verify: u64,
    rows: Option<PathBuf>,
    write: Option<PathBuf>,
    kind: Option<String>,
    scheme: Option<&'static str>,
    with: String,
}

impl Asked {
    /// Scene number k as it is asked for, if its kind is.
    fn scene(&self, k: u64) -> Option<Scene> {
        let scene = scene(k);
        if self.kind.as_ref().is_some_and(|kind| *kind != scene.kind) {
            return None;
        }
        let scheme = self.scheme.unwrap_or(scene.scheme);
        Some(scene.moved_by(scheme, &self.with))
    }
}

/// Times the limit by the clock after which a run that hardly works is given up too.
const PATIENCE: u32 = 20;

/// How a scene ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Well,
    Refused,
    Numerical,
    Certificate,
    Late,
    RanAway,
    Broken,
    Rejected,
}

impl End {
    const FAILURES: [(Self, &'static str); 6] = [
        (Self::Numerical, "exit 4"),
        (Self::Certificate, "exit 5"),
        (Self::Late, "too long"),
        (Self::RanAway, "ran away"),
        (Self::Broken, "other exit"),
        (Self::Rejected, "not verified"),
    ];

    /// As said in a list.
    fn word(self) -> &'static str {
        Self::FAILURES.iter().find(|(end, _)| *end == self).map_or("", |(_, word)| word)
    }
}

/// One scene that was run.
struct Row {
    number: u64,
    kind: &'static str,
    scheme: &'static str,
    end: End,
    why: String,
    seconds: f64,
}

/// Seconds of processor time a process has had, where the system tells: on a machine with other work the clock says little.
fn worked(process: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // user and system time are the 14th and 15th words, in hundredths; the second may contain blanks
    let words: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    Some(0.01 * (words.get(11)?.parse::<f64>().ok()? + words.get(12)?.parse::<f64>().ok()?))
}

/// The exit of a command and its last words, or none after the limit.
fn ran(command: &mut Command, said: &Path, limit: Duration) -> std::io::Result<(Option<i32>, String)> {
    let file = std::fs::File::create(said)?;
    let mut child = command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).spawn()?;
    let began = Instant::now();
    let exit = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status.code().unwrap_or(-1));
        }
        let spent = worked(child.id()).unwrap_or_else(|| began.elapsed().as_secs_f64());
        if spent > limit.as_secs_f64() || began.elapsed() > PATIENCE * limit {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(3));
    };
    Ok((exit, std::fs::read_to_string(said).unwrap_or_default()))
}

/// What a run said of its failure, in one line.
fn cause(said: &str) -> String {
    let told = |line: &&str| line.starts_with("error") || line.contains(" fail ") || line.starts_with(" = ");
    let lines: Vec<&str> = said.lines().filter(told).take(3).map(str::trim).collect();
    lines.join(" ").chars().take(260).collect()
}

/// What `verify` said of a folder that it rejects, in one line.
fn rejected(exit: Option<i32>, said: &str) -> String {
    let told = |line: &&str| line.contains("DIFFERS") || line.contains("differs") || line.starts_with("error");
    let lines: Vec<&str> = said.lines().filter(told).take(4).map(str::trim).collect();
    format!("verify: exit {exit:?} {}", lines.join(" ")).chars().take(400).collect()
}

/// Whether E grew by more than a tenth beyond all work put in, and ten times the energies of the start. Work is that of the loads where they are
/// (`work_external_plain`) if the scheme books late ones: a mass that a pulse sets moving from rest had 2 % more energy than those did, and less than
/// it should.
fn ran_away(ledger: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(ledger) else { return false };
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| names.iter().position(|n| *n == name);
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap_or(0.0)).collect()).collect();
    let value = |row: &Vec<f64>, name: &str| column(name).and_then(|k| row.get(k)).copied().unwrap_or(0.0);
    let Some(first) = rows.first() else { return false };
    let early = &rows[..rows.len().div_ceil(10)];
    let scale = early.iter().map(|row| value(row, "kinetic")).fold(value(first, "energy").abs().max(1e-6), f64::max);
    let loads = |row: &Vec<f64>| value(row, "work_external").max(value(row, "work_external_plain")).max(0.0);
    let put_in: f64 = rows.iter().map(|row| loads(row) + value(row, "work_joints").max(0.0)).sum();
    let most = rows.iter().map(|row| value(row, "energy")).fold(f64::MIN, f64::max);
    most - value(first, "energy") > 1.1 * put_in + 10.0 * scale
}

fn judged(asked: &Asked, folder: &Path, scene: &Scene, verify: bool) -> std::io::Result<(End, String)> {
    let (file, said, out) = (folder.join("scene.toml"), folder.join("said"), folder.join("run"));
    std::fs::create_dir_all(folder)?;
    if out.exists() {
        std::fs::remove_dir_all(&out)?;
    }
    std::fs::write(&file, &scene.text)?;
    if let Some(mesh) = &scene.mesh {
        std::fs::write(folder.join("mesh.msh"), mesh)?;
    }
    let (exit, words) = ran(Command::new(&asked.program).arg("check").arg(&file), &said, asked.limit)?;
    match exit {
        Some(0) => {}
        Some(2 | 3) => return Ok((End::Refused, cause(&words))),
        _ => return Ok((End::Broken, format!("check: exit {exit:?} {}", cause(&words)))),
    }
    let mut run = Command::new(&asked.program);
    run.arg("run").arg(&file).arg("--out").arg(&out).args(["--threads", "1"]);
    let (exit, words) = ran(&mut run, &said, asked.limit)?;
    let end = match exit {
        None => End::Late,
        Some(0) if ran_away(&out.join("ledger.csv")) => End::RanAway,
        Some(0) => End::Well,
        Some(4) => End::Numerical,
        Some(5) => End::Certificate,
        Some(_) => End::Broken,
    };
    if end == End::Well && verify {
        let (exit, words) = ran(Command::new(&asked.program).arg("verify").arg(&out), &said, asked.limit)?;
        return Ok(if exit == Some(0) { (end, String::new()) } else { (End::Rejected, rejected(exit, &words)) });
    }
    let why = if end == End::Well { String::new() } else { cause(&words) };
    Ok((end, why))
}

/// Takes numbers until none is left.
fn work(asked: &Asked, folder: &Path, next: &AtomicU64, rows: &Mutex<Vec<Row>>) -> std::io::Result<()> {
    let start = Instant::now();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= asked.seeds.end || start.elapsed() > asked.until {
            return Ok(());
        }
        let Some(scene) = asked.scene(number) else { continue };
        let began = Instant::now();
        let (end, why) = judged(asked, folder, &scene, asked.verify > 0 && number.is_multiple_of(asked.verify))?;
        let row =
            Row { number, kind: scene.kind, scheme: scene.scheme, end, why, seconds: began.elapsed().as_secs_f64() };
        if end >= End::Numerical {
            println!("{number} {}: {}, {}: {}", end.word(), row.kind, row.scheme, row.why);
        } else if row.seconds > 5.0 {
            println!("{number} took {:.1} s: {}, {}", row.seconds, row.kind, row.scheme);
        }
        rows.lock().expect("no thread panicked").push(row);
    }
}

/// Rates by kind and scheme, then what failed.
fn told(asked: &Asked, rows: &[Row]) -> String {
    let mut counts: BTreeMap<(&str, &str), BTreeMap<End, u64>> = BTreeMap::new();
    for row in rows {
        *counts.entry((row.kind, row.scheme)).or_default().entry(row.end).or_default() += 1;
    }
    let counted: Vec<&Row> = rows.iter().filter(|row| !DELIBERATE.contains(&row.scheme)).collect();
    let number = |wanted: &dyn Fn(End) -> bool| counted.iter().filter(|row| wanted(row.end)).count();
    let (well, refused) = (number(&|end| end == End::Well), number(&|end| end == End::Refused));
    let failed = number(&|end| end >= End::Numerical);
    let mut text = format!(
        "# Random scenes\n\nScenes {} to {} of `bench/src/bin/random_scenes.rs`, {} s of processor time at most for each: {} valid scenes, {failed} failed, {:.2} % ended with 0; {refused} refused\n\
         (schemes kept to show how they fail are in the table but not in these numbers).\n\n",
        asked.seeds.start,
        asked.seeds.end - 1,
        asked.limit.as_secs(),
        well + failed,
        100.0 * well as f64 / (well + failed).max(1) as f64,
    );
    let failures: Vec<&Row> = rows.iter().filter(|row| row.end >= End::Numerical).collect();
    if !failures.is_empty() {
        text += "| scene | kind | scheme | how | what was said |\n|---|---|---|---|---|\n";
        for row in failures {
            let why = row.why.replace('|', "\\|");
            writeln!(text, "| {} | {} | `{}` | {} | {why} |", row.number, row.kind, row.scheme, row.end.word())
                .expect("a string");
        }
        text += "\n";
    }
    text += "| kind | scheme | run | ended well | exit 4 | exit 5 | too long | ran away | other exit | not verified | refused |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
    for ((kind, scheme), ends) in &counts {
        let of = |end: End| ends.get(&end).copied().unwrap_or(0);
        let failed: u64 = End::FAILURES.iter().map(|(end, _)| of(*end)).sum();
        write!(text, "| {kind} | `{scheme}` | {} | {} |", of(End::Well) + failed, of(End::Well)).expect("a string");
        End::FAILURES.iter().for_each(|(end, _)| write!(text, " {} |", of(*end)).expect("a string"));
        writeln!(text, " {} |", of(End::Refused)).expect("a string");
    }
    text
}

/// The command line, or what is wrong with it.
fn asked() -> Result<Asked, String> {
    let mut asked = Asked {
        program: "target/release/percussion".into(),
        seeds: 0..60,
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        limit: Duration::from_secs(60),
        until: Duration::MAX,
        verify: 0,
        rows: None,
        write: None,
        kind: None,
        scheme: None,
        with: String::new(),
    };
    let mut printed = None;
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or(format!("{word} needs a value"))?;
        let wrong = |_| format!("{word} {value}: not a number");
        match word.as_str() {
            "--program" => asked.program = value.into(),
            "--seeds" => {
                let (a, b) = value.split_once("..").ok_or("--seeds A..B")?;
                asked.seeds = a.parse().map_err(wrong)?..b.parse().map_err(wrong)?;
            }
            "--jobs" => asked.jobs = value.parse().map_err(wrong)?,
            "--limit" => asked.limit = Duration::from_secs(value.parse().map_err(wrong)?),
            "--until" => asked.until = Duration::from_secs(value.parse().map_err(wrong)?),
            "--verify" => asked.verify = value.parse().map_err(wrong)?,
            "--rows" => asked.rows = Some(value.into()),
            "--write" => asked.write = Some(value.into()),
            "--kind" => asked.kind = Some(value),
            "--scheme" => asked.scheme = Some(Box::leak(value.into_boxed_str())),
            "--with" => asked.with = value,
            "--print" => printed = Some(value.parse().map_err(wrong)?),
            "--mesh" => return Err(scene(value.parse().map_err(wrong)?).mesh.unwrap_or_default()),
            other => {
                return Err(format!(
                    "{other}: --program, --seeds, --jobs, --limit, --until, --verify, --rows, --write, --kind, --scheme, --with, --print or --mesh"
                ));
            }
        }
    }
    match printed {
        Some(k) => Err(asked.scene(k).map_or_else(|| format!("{k} is of another kind"), |scene| scene.text)),
        None => Ok(asked),
    }
}

fn main() -> ExitCode {
    let asked = match asked() {
        Ok(asked) => asked,
        Err(text) => {
            println!("{text}");
            return ExitCode::from(2);
        }
    };
    let home = std::env::temp_dir().join(format!("random-scenes-{}", std::process::id()));
    let (next, rows) = (AtomicU64::new(asked.seeds.start), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for k in 0..asked.jobs {
            let (asked, folder, next, rows) = (&asked, home.join(k.to_string()), &next, &rows);
            scope.spawn(move || {
                if let Err(error) = work(asked, &folder, next, rows) {
                    println!("stopped: {error}");
                }
            });
        }
    });
    // the folder is this process's own; what cannot be removed from a temporary place may stay
    drop(std::fs::remove_dir_all(&home));
    let mut rows = rows.into_inner().expect("no thread panicked");
    rows.sort_by_key(|row| row.number);
    let text = told(&asked, &rows);
    println!("\n{text}");
    let lines = rows.iter().map(|Row { number, kind, scheme, end, why, seconds }| {
        format!("{number};{kind};{scheme};{};{seconds:.2};{}\n", *end as u8, why.replace(';', ","))
    });
    let whole = asked.kind.is_some() || rows.len() as u64 == asked.seeds.end - asked.seeds.start;
    if !whole {
        println!("{} scenes of {} were run", rows.len(), asked.seeds.end - asked.seeds.start);
    }
    let kept = asked.rows.is_none_or(|path| std::fs::write(path, lines.collect::<String>()).is_ok());
    let written = asked.write.is_none_or(|path| std::fs::write(path, text).is_ok()) && kept;
    if written && whole { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
