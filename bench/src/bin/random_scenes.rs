//! Random scenes run by a built program, some at a time, each in a process of its own:
//!
//!   failure = exit 4, exit 5, any other exit but 0, more processor time than the limit, or energy that ran away,     of the scenes `check` accepts
//!
//! `random_scenes --program target/release/percussion --seeds 0..20000 --valid 10000 --jobs 16 [--limit 60] [--until 500] [--verify N] [--rows rows.csv]
//! [--write table.md] [--print K] [--mesh K]`: no scene is begun after `--until` seconds, nor after so many `--valid` ones, and every Nth folder of a
//! run that ended well is verified. Rows are kept in `--rows` as they are made: the same command goes on where it was cut off.
//!
//! Numbers from 10000000 on are mechanisms. `--kind jointed` takes the scenes of one kind among these numbers alone, `--scheme landing` moves them by a
//! scheme of one's own, with the lines of `--with 'landing = "inside"'` in its table.

#[path = "../../../crates/percussion-scenario/tests/random_scenes/scene/mod.rs"]
mod scene;

use scene::{DELIBERATE, Scene, scene};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
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
    /// Scenes that `check` accepts after which none is begun.
    valid: usize,
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
    /// A certificate of energy failed although a theorem holds.
    Theorem,
    Late,
    RanAway,
    Broken,
    Rejected,
}

impl End {
    const FAILURES: [(Self, &'static str); 7] = [
        (Self::Numerical, "exit 4"),
        (Self::Certificate, "exit 5"),
        (Self::Theorem, "energy under a theorem"),
        (Self::Late, "too long"),
        (Self::RanAway, "ran away"),
        (Self::Broken, "other exit"),
        (Self::Rejected, "not verified"),
    ];

    /// As it is kept in a file.
    fn of(word: &str) -> Option<Self> {
        let others = [(Self::Well, "well"), (Self::Refused, "refused")];
        Self::FAILURES.iter().chain(&others).find(|(_, own)| *own == word).map(|(end, _)| *end)
    }

    /// As said in a list.
    fn word(self) -> &'static str {
        let well = if self == Self::Refused { "refused" } else { "well" };
        Self::FAILURES.iter().find(|(end, _)| *end == self).map_or(well, |(_, word)| word)
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

/// Whether energy came from nowhere in a run:
///
///   E_n − E_0 − Σ W > Σ|W|/10 + 10 E_s   at any row,   E_s the largest of |E_0|, T in the first tenth of the run and 1e-6 J
///
/// W is the work that loads, joints and damping put in or take out up to there, that of loads where they are (`work_external_plain`) if the scheme books
/// late ones. What an under-resolved load is out by grows with what goes through it, Σ|W|; what impacts and the α-method add while they behave, with E_s.
fn ran_away(ledger: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(ledger) else { return false };
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| names.iter().position(|n| *n == name);
    let rows: Vec<Vec<Option<f64>>> =
        lines.map(|line| line.split(',').map(|cell| cell.parse().ok()).collect()).collect();
    let told = |row: &Vec<Option<f64>>, name: &str| column(name).and_then(|k| row.get(k).copied().flatten());
    let value = |row: &Vec<Option<f64>>, name: &str| told(row, name).unwrap_or(0.0);
    let Some(first) = rows.first().map(|row| value(row, "energy")) else { return false };
    let early = rows[..rows.len().div_ceil(10)].iter().map(|row| value(row, "kinetic"));
    let scale = early.fold(first.abs().max(1e-6), f64::max);
    let (mut net, mut through) = (0.0, 0.0_f64);
    rows.iter().any(|row| {
        let loads = told(row, "work_external_plain").unwrap_or_else(|| value(row, "work_external"));
        let put_in = loads + value(row, "work_joints") + value(row, "work_damping");
        net += put_in;
        through += put_in.abs();
        value(row, "energy") - first - net > 0.1 * through + 10.0 * scale
    })
}

/// Whether a run whose certificate failed created energy although a theorem excludes it.
fn broke_a_theorem(summary: &Path) -> bool {
    let text = std::fs::read_to_string(summary).unwrap_or_default();
    let energy = text.split("\"energy\": {").nth(1).and_then(|text| text.split('}').next());
    text.contains("\"holds\": true") && energy.is_some_and(|text| text.contains("\"status\": \"fail\""))
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
        Some(5) if broke_a_theorem(&out.join("summary.json")) => End::Theorem,
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

/// The rows made so far, and the file that keeps them.
struct Made {
    rows: Vec<Row>,
    file: Option<std::fs::File>,
}

impl Made {
    /// With what a file holds of the numbers that are asked for.
    fn new(asked: &Asked) -> std::io::Result<Self> {
        let Some(path) = &asked.rows else { return Ok(Self { rows: Vec::new(), file: None }) };
        let text = std::fs::read_to_string(path).unwrap_or_default();
        // a line that was cut off is made again
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let rows: Vec<Row> = whole.lines().filter_map(|line| row_of(asked, line)).collect();
        std::fs::write(path, whole)?;
        let file = std::fs::OpenOptions::new().append(true).open(path)?;
        Ok(Self { rows, file: Some(file) })
    }

    fn add(&mut self, row: Row) -> std::io::Result<()> {
        if let Some(file) = &mut self.file {
            let Row { number, end, why, seconds, .. } = &row;
            file.write_all(
                format!("{number};{};{seconds:.2};{}\n", end.word(), why.replace([';', '\n'], ",")).as_bytes(),
            )?;
        }
        self.rows.push(row);
        Ok(())
    }

    fn valid(&self) -> usize {
        self.rows.iter().filter(|row| row.end != End::Refused && !DELIBERATE.contains(&row.scheme)).count()
    }
}

/// A row as it was kept: number, end, seconds, why.
fn row_of(asked: &Asked, line: &str) -> Option<Row> {
    let mut words = line.splitn(4, ';');
    let number: u64 = words.next()?.parse().ok()?;
    let (end, seconds) = (End::of(words.next()?)?, words.next()?.parse().ok()?);
    let scene = if asked.seeds.contains(&number) { asked.scene(number)? } else { return None };
    Some(Row { number, kind: scene.kind, scheme: scene.scheme, end, why: words.next()?.to_string(), seconds })
}

/// Takes numbers until none is left.
fn work(
    asked: &Asked,
    folder: &Path,
    next: &AtomicU64,
    known: &BTreeSet<u64>,
    made: &Mutex<Made>,
) -> std::io::Result<()> {
    let start = Instant::now();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let enough = made.lock().expect("no thread panicked").valid() >= asked.valid;
        if number >= asked.seeds.end || start.elapsed() > asked.until || enough {
            return Ok(());
        }
        if known.contains(&number) {
            continue;
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
        made.lock().expect("no thread panicked").add(row)?;
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
        "# Random scenes\n\nScenes {} to {} of `bench/src/bin/random_scenes.rs`, {} s of processor time at most for each: **{} valid scenes, {failed} failed, {:.2} % ended with 0**; {refused} refused\n\
         (schemes kept to show how they fail are in the table but not in these numbers). ",
        asked.seeds.start,
        rows.last().map_or(asked.seeds.start, |row| row.number),
        asked.limit.as_secs(),
        well + failed,
        100.0 * well as f64 / (well + failed).max(1) as f64,
    );
    let longest = counted.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let longest = longest.map_or_else(String::new, |row| {
        format!("; the longest, {}, took {:.1} s by the clock", row.number, row.seconds)
    });
    let panics = number(&|end| end == End::Broken);
    writeln!(
        text,
        "Certificates of energy that failed although a theorem holds: {}; ran away: {}; exits other than 0, 4 and 5: {panics}{longest}.\n",
        number(&|end| end == End::Theorem),
        number(&|end| end == End::RanAway),
    )
    .expect("a string");
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
    text += "| kind | scheme | run | ended well | exit 4 | exit 5 | energy under a theorem | too long | ran away | other exit | not verified | refused |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n";
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
        valid: usize::MAX,
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
            "--valid" => asked.valid = value.parse().map_err(wrong)?,
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
                    "{other}: --program, --seeds, --jobs, --limit, --until, --valid, --verify, --rows, --write, --kind, --scheme, --with, --print or --mesh"
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
    match drawn(&asked) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("stopped: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs what is asked for and tells of it; whether that was all.
fn drawn(asked: &Asked) -> std::io::Result<bool> {
    let home = std::env::temp_dir().join(format!("random-scenes-{}", std::process::id()));
    let made = Made::new(asked)?;
    let known: BTreeSet<u64> = made.rows.iter().map(|row| row.number).collect();
    let (next, made) = (AtomicU64::new(asked.seeds.start), Mutex::new(made));
    std::thread::scope(|scope| {
        for k in 0..asked.jobs {
            let (folder, next, known, made) = (home.join(k.to_string()), &next, &known, &made);
            scope.spawn(move || {
                if let Err(error) = work(asked, &folder, next, known, made) {
                    println!("stopped: {error}");
                }
            });
        }
    });
    // the folder is this process's own; what cannot be removed from a temporary place may stay
    drop(std::fs::remove_dir_all(&home));
    let made = made.into_inner().expect("no thread panicked");
    let valid = made.valid();
    let mut rows = made.rows;
    rows.sort_by_key(|row| row.number);
    let text = told(asked, &rows);
    println!("\n{text}");
    let all = asked.kind.is_some() || rows.len() as u64 == asked.seeds.end - asked.seeds.start;
    let whole = all || valid >= asked.valid;
    if !whole {
        println!("{} scenes of {} were run", rows.len(), asked.seeds.end - asked.seeds.start);
    }
    if let Some(path) = &asked.write {
        std::fs::write(path, text)?;
    }
    Ok(whole)
}
