//! Fuzzing of every reader: no panic, no hang, no allocation out of proportion, whatever the bytes.
//!
//! `fuzz/corpus/READER.bin` holds inputs that once took a path of their own; `cargo test` replays them with a few changes each.
//! Three more commands (`fuzz/README.md`) search for more, add one found elsewhere, and write them out as files:
//!
//! ```text
//! FUZZ_SECONDS=600                     cargo test --release -p percussion --test fuzz -- --ignored --nocapture search
//! FUZZ_TARGET=urdf FUZZ_FILE=a.urdf    cargo test --release -p percussion --test fuzz -- --ignored --nocapture add_file
//! FUZZ_TARGET=urdf FUZZ_FOLDER=inputs  cargo test --release -p percussion --test fuzz -- --ignored --nocapture unpack
//! ```

mod mutate;
mod pack;
mod targets;
mod watch;

use mutate::{Dice, grown, mutated};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};
use targets::{TARGETS, Target};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Tests take turns: the allocator counts for the whole program.
static TURN: Mutex<()> = Mutex::new(());

const LONGEST: usize = 24_000;
/// One input in this many is made long.
const RARELY: usize = 500;
const LARGE: usize = 1_000_000;
const HANG: Duration = Duration::from_secs(1);
const MEMORY: usize = 1 << 30;

/// Time this process has computed, to 10 ms, where the system says so; else the time on the wall.
fn cpu_time() -> Duration {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    let begun = *BEGUN.get_or_init(Instant::now);
    let ticks = || -> Option<u64> {
        let text = std::fs::read_to_string("/proc/self/stat").ok()?;
        let words: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
        Some(words.get(11)?.parse::<u64>().ok()? + words.get(12)?.parse::<u64>().ok()?)
    };
    ticks().map_or_else(|| begun.elapsed(), |ticks| Duration::from_millis(10 * ticks))
}

/// What an input did.
struct Outcome {
    answer: Result<String, String>,
    took: Duration,
    memory: usize,
}

fn tried(target: &Target, bytes: &[u8]) -> Outcome {
    let region = Region::new(GLOBAL);
    let started = cpu_time();
    let held = || {
        let stats = GLOBAL.stats();
        stats.bytes_allocated.saturating_sub(stats.bytes_deallocated)
    };
    let read = || std::panic::catch_unwind(|| (target.answer)(bytes));
    let answer = watch::watched(target.name, bytes, cpu_time, (held, MEMORY), read).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default()
    });
    let (took, change) = (cpu_time().saturating_sub(started), region.change());
    Outcome { answer, took, memory: change.bytes_allocated + change.bytes_reallocated.max(0) as usize }
}

/// What is wrong with what an input did; a slow one is tried again, since its time may have been another test's.
fn fault(target: &Target, bytes: &[u8], outcome: &Outcome) -> Option<String> {
    if let Err(panic) = &outcome.answer {
        return Some(format!("panic: {panic}"));
    }
    if outcome.memory > MEMORY {
        return Some(format!("{} bytes allocated", outcome.memory));
    }
    let slow = outcome.took > HANG && (0..3).all(|_| tried(target, bytes).took > HANG);
    slow.then(|| format!("{:.1} s", outcome.took.as_secs_f64()))
}

/// The corpus as it is, and so many changed inputs of every reader, the same at each run.
#[test]
fn replay() {
    let _turn = TURN.lock();
    for target in TARGETS {
        let started = Instant::now();
        let mut inputs: Vec<(String, Vec<u8>)> =
            pack::inputs(target.name).into_iter().map(|input| (input.name, input.bytes)).collect();
        assert!(!inputs.is_empty(), "{}: no corpus", target.name);
        inputs.extend((target.seeds)().into_iter().map(|seed| ("seed".to_string(), seed)));
        let pool: Vec<Vec<u8>> = inputs.iter().map(|(_, bytes)| bytes.clone()).collect();
        let mut dice = Dice::new(9);
        for k in 0..200 {
            inputs.push((format!("change {k}"), mutated(&mut dice, &pool, target.words, target.binary, LONGEST)));
        }
        for k in 0..4 {
            let start = pool[dice.below(pool.len())].clone();
            inputs.push((format!("long {k}"), grown(&mut dice, start, target.binary, LARGE)));
        }
        for (name, bytes) in &inputs {
            let outcome = tried(target, bytes);
            if let Some(fault) = fault(target, bytes, &outcome) {
                let path = watch::kept(target.name, "replayed", bytes);
                panic!("{}, {name}: {fault}, in {}", target.name, path.display());
            }
        }
        println!("{}: {} inputs in {:.1} s", target.name, inputs.len(), started.elapsed().as_secs_f64());
    }
}

/// Looks for new paths for FUZZ_SECONDS (60) of CPU in all, divided among the readers (or FUZZ_TARGET alone), from FUZZ_SEED (1).
#[test]
#[ignore = "as long as it is told; bench/results/reliability.md has the log"]
fn search() {
    let _turn = TURN.lock();
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(default)
    };
    let only = std::env::var("FUZZ_TARGET").ok();
    let targets: Vec<&Target> = TARGETS.iter().filter(|t| only.as_deref().is_none_or(|only| only == t.name)).collect();
    let each = Duration::from_secs_f64(number("FUZZ_SECONDS", 60) as f64 / targets.len().max(1) as f64);
    let seed = number("FUZZ_SEED", 1);
    let mut faults: BTreeSet<String> = BTreeSet::new();
    std::panic::set_hook(Box::new(|_| {}));
    for target in targets {
        let mut pool: Vec<Vec<u8>> = (target.seeds)();
        pool.extend(pack::inputs(target.name).into_iter().map(|input| input.bytes));
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for bytes in &pool {
            if let Ok(answer) = tried(target, bytes).answer {
                *seen.entry(answer).or_default() += 1;
            }
        }
        let (known, cpu) = (seen.len(), cpu_time());
        let (mut runs, mut long, mut slowest, mut largest, mut fresh) = (0_u64, 0_u64, Duration::ZERO, 0, 0);
        let mut dice = Dice::new(seed);
        while cpu_time().saturating_sub(cpu) < each {
            let mut bytes = mutated(&mut dice, &pool, target.words, target.binary, LONGEST);
            if dice.below(RARELY) == 0 {
                bytes = grown(&mut dice, bytes, target.binary, LARGE);
                long += 1;
            }
            // an abort, as when the stack overflows, leaves a long input behind
            let present = (bytes.len() > LONGEST).then(|| watch::kept(target.name, "aborts", &bytes));
            let outcome = tried(target, &bytes);
            if let Some(path) = present {
                std::fs::remove_file(path).expect("removed");
            }
            runs += 1;
            (slowest, largest) = (slowest.max(outcome.took), largest.max(outcome.memory));
            if let Some(fault) = fault(target, &bytes, &outcome) {
                let fault = format!("{}: {fault}", target.name);
                let kind: String = fault.chars().filter(|c| !c.is_ascii_digit()).take(120).collect();
                if faults.insert(kind) {
                    let path = watch::kept(target.name, &format!("{seed}-{runs}"), &bytes);
                    println!("FAULT {fault}\n  in {}", path.display());
                }
                continue;
            }
            let Ok(answer) = outcome.answer else { continue };
            let count = seen.entry(answer).or_default();
            *count += 1;
            // the first of each answer stays, while small
            if *count == 1 {
                fresh += 1;
                if bytes.len() <= 8_000 && pool.len() < 160 {
                    pack::add(target.name, &format!("{seed}-{runs}"), &bytes);
                }
                if bytes.len() <= LONGEST {
                    pool.push(bytes);
                }
            }
        }
        println!(
            "{:<14} {:>8} inputs, {long} long, in {:>6.1} s of CPU, {known} answers known, {fresh} new; slowest {:.2} s, most memory {:.1} MB",
            target.name,
            runs,
            (cpu_time() - cpu).as_secs_f64(),
            slowest.as_secs_f64(),
            largest as f64 / 1e6
        );
    }
    let _ = std::panic::take_hook();
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The reader named by FUZZ_TARGET.
fn asked_target() -> &'static Target {
    let name = std::env::var("FUZZ_TARGET").expect("FUZZ_TARGET names a reader");
    TARGETS.iter().find(|target| target.name == name).unwrap_or_else(|| panic!("there is no reader `{name}`"))
}

/// Adds FUZZ_FILE, such as an input that made a program fail, to the corpus of FUZZ_TARGET under its own name.
#[test]
#[ignore = "a tool: it changes the corpus"]
fn add_file() {
    let file = PathBuf::from(std::env::var("FUZZ_FILE").expect("FUZZ_FILE names a file"));
    let name = file.file_name().expect("a file").to_string_lossy().replace(' ', "-");
    let target = asked_target();
    assert!(pack::inputs(target.name).iter().all(|input| input.name != name), "`{name}` is there already");
    pack::add(target.name, &name, &std::fs::read(&file).expect("the file is readable"));
}

/// Writes the corpus of FUZZ_TARGET as one file for each input into FUZZ_FOLDER.
#[test]
#[ignore = "a tool: it writes files"]
fn unpack() {
    let folder = PathBuf::from(std::env::var("FUZZ_FOLDER").expect("FUZZ_FOLDER names a folder"));
    std::fs::create_dir_all(&folder).expect("a folder");
    for input in pack::inputs(asked_target().name) {
        std::fs::write(folder.join(input.name), input.bytes).expect("written");
    }
}

/// Stands for a reader that never answers; the test below starts it.
#[test]
#[ignore = "does not end by itself"]
fn never_ends() {
    watch::watched("nobody", b"an input", cpu_time, (|| 1, 0), || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    })
}

/// What does not come back ends the process, named and kept; here because it holds more than it may.
#[test]
fn the_watchdog_bites() {
    let program = std::env::current_exe().expect("this program");
    let output =
        std::process::Command::new(program).args(["--ignored", "--exact", "never_ends", "--nocapture"]).output();
    let output = output.expect("a process");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(1) && words.contains("FAULT nobody: no answer"),
        "{:?}: {words}",
        output.status
    );
    let path = words.split("in ").last().expect("a file").trim();
    assert_eq!(std::fs::read(path).expect("the input"), b"an input");
    std::fs::remove_file(path).expect("removed");
}
