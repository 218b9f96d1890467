//! The collected LCP files: each is solved, or proved to have no solution.
//!
//! The files live outside the repository, in `../shared/data` beside it or where `PERCUSSION_DATA` points.

use percussion_files::{ContactProblem, Kind, read};
use percussion_solve::{OneStepSolver, SolveStatus, Solver};
use std::path::PathBuf;

fn folder() -> PathBuf {
    let data = std::env::var_os("PERCUSSION_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from);
    data.join("contact-problems")
}

#[test]
fn every_file_is_solved_or_refuted() {
    let Ok(entries) = std::fs::read_dir(folder()) else {
        println!("skipped: no folder {}", folder().display());
        return;
    };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lcp")));
    files.sort();
    let mut open = Vec::new();
    for path in &files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = read(&std::fs::read(path).expect("readable"), Some(Kind::Lcp));
        let Ok(ContactProblem::Lcp(problem)) = file.map(|file| file.problem) else {
            panic!("{name} is not an LCP file")
        };
        let mut p = vec![0.0; problem.len()];
        let report = Solver::default().solve(&problem, &mut p);
        println!(
            "{name:<28} n = {:>3}  {:?} by {} after {} ({:.1e})",
            problem.len(),
            report.status,
            report.method,
            report.iterations,
            report.residuals.worst()
        );
        if report.status == SolveStatus::NotConverged {
            open.push(name);
        }
    }
    println!("{} files, {} open", files.len(), open.len());
    assert!(open.is_empty(), "neither solved nor refuted: {open:?}");
}
