//! The collected friction problems, solved by the automatic driver to both residuals. They live outside the repository: in
//! `../shared/data/contact-problems`, or where PERCUSSION_DATA says.

use percussion_files::{ContactProblem, Kind, read, solve};
use percussion_solve::friction::Stop;
use percussion_solve::{SolveStatus, SolverOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn folder() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/contact-problems");
    std::env::var_os("PERCUSSION_DATA").map_or(beside, PathBuf::from)
}

const LIMIT: Duration = Duration::from_secs(10);

fn stop_after(limit: Duration) -> Stop {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    std::thread::spawn(move || {
        std::thread::sleep(limit);
        raised.store(true, Ordering::Relaxed);
    });
    Stop::when(flag)
}

/// How many are solved to a tolerance, each within ten seconds; the names of the others.
fn solved(tolerance: f64, leave_out: &[&str]) -> Option<(usize, Vec<String>)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder()).ok()?.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let (mut count, mut failed) = (0, Vec::new());
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).unwrap_or_default();
        let Ok(file) = read(&bytes, None) else { continue };
        if matches!(file.problem, ContactProblem::Lcp(_) | ContactProblem::Mlcp(_))
            || leave_out.iter().any(|x| name.contains(x))
        {
            continue;
        }
        let options = SolverOptions { tolerance, max_iterations: usize::MAX, ..SolverOptions::default() };
        let started = Instant::now();
        let answer = solve(&file.problem, options, &stop_after(LIMIT)).expect("a problem");
        if answer.report.status == SolveStatus::Solved {
            count += 1;
        } else {
            let (kind, took): (Kind, _) = (file.problem.kind(), started.elapsed());
            failed.push(format!("{name} ({kind}): {:?} after {took:.1?}", answer.report.residuals));
        }
    }
    Some((count, failed))
}

#[test]
fn the_driver_solves_them() {
    // RockPile is the slow one
    for (tolerance, leave_out) in [(1e-4, &[][..]), (1e-8, &["RockPile"])] {
        let Some((count, failed)) = solved(tolerance, leave_out) else {
            println!("skipped: {} is not there; set PERCUSSION_DATA", folder().display());
            return;
        };
        println!("{count} at {tolerance:.0e}");
        assert!(failed.is_empty(), "at {tolerance:e}: {failed:#?}");
        assert!(count >= 40, "{count} problems in {}", folder().display());
    }
}
