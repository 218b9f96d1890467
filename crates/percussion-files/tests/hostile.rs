//! Mutated and made-up files: the reader answers each with a problem or a coded error, never a panic, and takes no more
//! memory than a multiple of what it was given.

mod common;

use common::{Dice, problems};
use percussion_files::{ContactProblem, Kind, ProblemFile, StoredState, read, solve, write_dat, write_fclib};
use percussion_solve::friction::Stop;
use percussion_solve::{SolveStatus, SolverOptions};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::path::PathBuf;
use std::sync::Mutex;

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Changes to each collected file.
const ROUNDS: usize = 1500;

/// Words that readers trip over.
const WORDS: [&str; 22] = [
    "-1",
    "0",
    "1",
    "2",
    "3",
    "5",
    "1000000000000",
    "18446744073709551615",
    "99999999999999999999999",
    "4294967296",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "1e400",
    "1.5",
    "x",
    "0x10",
    ":",
    "CSparse",
    "col",
    "-9223372036854775808",
];

/// Tests take turns: the allocator counts for the whole program.
static TURN: Mutex<()> = Mutex::new(());

/// The bytes allocated in all while reading, which bound those held at once.
fn allocated(bytes: &[u8], kind: Option<Kind>) -> (usize, Result<ProblemFile, String>) {
    let region = Region::new(GLOBAL);
    let result = read(bytes, kind);
    let change = region.change();
    let taken = change.bytes_allocated + change.bytes_reallocated.max(0) as usize;
    let result = result.map_err(|error| {
        assert!(error.code.as_str().starts_with("E1"), "{error}");
        assert!(!error.message.is_empty() && !error.help.is_empty());
        assert!(error.message.len() < 1000, "{error}");
        error.to_string()
    });
    (taken, result)
}

fn check(bytes: &[u8], kind: Option<Kind>, per_byte: usize) -> bool {
    let (taken, result) = allocated(bytes, kind);
    let limit = per_byte * bytes.len() + 200_000;
    assert!(taken <= limit, "{taken} bytes taken for {} bytes: {result:?}", bytes.len());
    if let Ok(file) = &result {
        let sound = match &file.problem {
            ContactProblem::Lcp(problem) => problem.W.max_abs().is_finite() && problem.b.iter().all(|b| b.is_finite()),
            ContactProblem::Mlcp(problem) => problem.is_well_formed(),
            ContactProblem::Local(problem) => problem.is_well_formed(),
            ContactProblem::Global(problem) => problem.is_well_formed(),
        };
        assert!(sound, "{:?}", file.problem);
        // whatever was read can be handed to the solvers
        let options = SolverOptions { max_iterations: 20, ..SolverOptions::default() };
        if let Ok(answer) = solve(&file.problem, options, &Stop::default()) {
            assert!(answer.solution.iter().all(|x| x.is_finite()), "{:?}", file.problem);
            if answer.report.status == SolveStatus::Solved {
                assert!(answer.report.residuals.worst() <= options.tolerance);
            }
        }
    }
    result.is_ok()
}

fn kind(dice: &mut Dice) -> Option<Kind> {
    let k = dice.below(2 * Kind::ALL.len());
    Kind::ALL.get(k).copied()
}

/// One change to the words of a text.
fn mutate_words(dice: &mut Dice, text: &str) -> String {
    let mut words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    for _ in 0..=dice.below(3) {
        // sizes stand at the beginning: hit them more often
        let n = words.len().max(1);
        let at = if dice.below(2) == 0 { dice.below(n.min(30)) } else { dice.below(n) };
        match dice.below(4) {
            0 if !words.is_empty() => drop(words.remove(at)),
            1 if !words.is_empty() => words.insert(at, words[at]),
            2 => words.truncate(at),
            _ if !words.is_empty() => {
                words[at] = WORDS[dice.below(WORDS.len())];
                words.insert(at + 1, "\n");
            }
            _ => {}
        }
    }
    words.concat()
}

/// One change to the bytes.
fn mutate_bytes(dice: &mut Dice, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len());
        match dice.below(6) {
            0 => bytes.truncate(at),
            1 | 2 if !bytes.is_empty() => bytes[at] ^= 1 << dice.below(8),
            3 if !bytes.is_empty() => bytes[at] = [0, 0xff, 0x7f, b'\n', b' ', b'-'][dice.below(6)],
            4 if bytes.len() > 8 => {
                // a length or an address
                let at = dice.below(bytes.len() - 8);
                let value = [u64::MAX, 1 << 40, 1 << 20, 0][dice.below(4)];
                bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
            }
            _ => bytes.insert(at, (dice.next() >> 56) as u8),
        }
    }
    bytes
}

/// Text files: about twenty bytes are allocated in turn for each byte of the original ones.
#[test]
fn hostile_texts() {
    let _turn = TURN.lock();
    let mut dice = Dice(3);
    let (mut good, mut count) = (0, 0);
    for _ in 0..120 {
        for problem in problems(&mut dice) {
            let text = write_dat(&problem).expect("a format for every problem here");
            assert!(check(text.as_bytes(), None, 60));
            for _ in 0..6 {
                let changed = mutate_words(&mut dice, &text);
                good += usize::from(check(changed.as_bytes(), kind(&mut dice), 60));
                let changed = mutate_bytes(&mut dice, text.as_bytes());
                good += usize::from(check(&changed, kind(&mut dice), 60));
                count += 2;
            }
        }
    }
    for length in 0..400 {
        let noise: Vec<u8> = (0..length).map(|_| (dice.next() >> 56) as u8).collect();
        assert!(!check(&noise, None, 60));
        let numbers: Vec<String> = (0..length).map(|_| WORDS[dice.below(WORDS.len())].to_string()).collect();
        check(numbers.join(" ").as_bytes(), kind(&mut dice), 60);
    }
    println!("{count} changed texts, {good} still problems");
    // digits of numbers change without harm, most else does harm
    assert!(good > 0 && good < count / 2);
}

/// HDF5 files as written here, with checksums.
#[test]
fn hostile_hdf5() {
    let _turn = TURN.lock();
    let mut dice = Dice(4);
    let (mut good, mut count) = (0, 0);
    for _ in 0..40 {
        for problem in problems(&mut dice) {
            let mut file = ProblemFile::new(problem);
            file.title = "title".into();
            file.solution = Some(StoredState { r: dice.numbers(4), ..StoredState::default() });
            let Some(bytes) = write_fclib(&file) else { continue };
            assert!(check(&bytes, None, 60));
            for _ in 0..12 {
                let changed = mutate_bytes(&mut dice, &bytes);
                good += usize::from(check(&changed, None, 60));
                count += 1;
            }
        }
    }
    println!("{count} changed files, {good} still problems");
    assert!(good > 0 && good < count);
}

/// Declared sizes of 10¹² in every place a size has: refused before memory is allocated.
#[test]
fn huge_sizes_cost_nothing() {
    let _turn = TURN.lock();
    let mut dice = Dice(5);
    for problem in problems(&mut dice) {
        let text = write_dat(&problem).expect("a format for every problem here");
        let words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
        for at in 0..words.len() {
            if words[at].trim().parse::<u64>().is_err() {
                continue;
            }
            for huge in ["1000000000000\n", "18446744073709551615\n", "-5\n"] {
                let mut changed = words.clone();
                changed[at] = huge;
                assert!(!check(changed.concat().as_bytes(), Some(problem.kind()), 60), "word {at} of\n{text}");
            }
        }
    }
}

/// A file of some 300 kB whose compressed lists, each within bounds, unpack to more than the 2²⁸ bytes all may have.
#[test]
fn compressed_bombs_are_refused() {
    let _turn = TURN.lock();
    let mut builder = hdf5_pure::FileBuilder::new();
    let mut group = builder.create_group("fclib_local");
    group.create_dataset("spacedim").with_i32_data(&[3]);
    let mut matrix = group.create_group("W");
    for (name, value) in [("m", 3), ("n", 3), ("nz", 1)] {
        matrix.create_dataset(name).with_i32_data(&[value]);
    }
    matrix.create_dataset("p").with_i32_data(&[0]);
    matrix.create_dataset("i").with_i32_data(&[0]);
    matrix.create_dataset("x").with_f64_data(&[1.0]);
    group.add_group(matrix.finish());
    let mut vectors = group.create_group("vectors");
    vectors.create_dataset("q").with_f64_data(&[-1.0, 0.0, 0.0]);
    vectors.create_dataset("mu").with_f64_data(&[0.5]);
    group.add_group(vectors.finish());
    builder.add_group(group.finish());
    let zeros = vec![0.0_f64; 12 << 20];
    let mut solution = builder.create_group("solution");
    for name in ["r", "u", "v"] {
        solution.create_dataset(name).with_f64_data(&zeros).with_chunks(&[1 << 20]).with_deflate(9);
    }
    builder.add_group(solution.finish());
    let bytes = builder.finish().expect("a file");
    assert!(bytes.len() < 1 << 20, "{} bytes", bytes.len());
    let mut one = 0;
    for _ in 0..2 {
        let (taken, result) = allocated(&bytes, None);
        // two of the three lists are unpacked before the sum is too large
        assert!(result.is_err_and(|error| error.contains("solution/")), "three lists of 101 MB");
        assert!(taken < 1 << 30, "{taken} bytes for a file of {}", bytes.len());
        one = one.max(taken);
    }
    println!("{} bytes made {one}", bytes.len());
}

/// FCLIB's own files have no checksums, so changes reach deeper into them. They live outside the repository.
#[test]
fn hostile_collected_hdf5() {
    let _turn = TURN.lock();
    let data = std::env::var_os("PERCUSSION_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from);
    let mut dice = Dice(6);
    for name in ["LMGC_GFC3D-i00001-1-00000.hdf5", "CubeH8.hdf5", "Box_Stacks-i0035-31-0.hdf5"] {
        let path = data.join("contact-problems").join(name);
        let Ok(bytes) = std::fs::read(&path) else {
            println!("skipped: no file {}", path.display());
            continue;
        };
        let (mut good, count) = (0, ROUNDS);
        for _ in 0..count {
            // metadata lie at the beginning and between the datasets
            let changed = mutate_bytes(&mut dice, &bytes);
            good += usize::from(check(&changed, None, 60));
        }
        println!("{name}: {count} changed files, {good} still problems");
        assert!(good > 0 && good < count);
    }
}
