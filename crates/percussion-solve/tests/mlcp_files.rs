//! The collected mixed problems: each is solved or proved to have no solution, and the answers are checked here by
//! conditions written out again.
//!
//! The files live outside the repository, in `../shared/data` beside it or where `PERCUSSION_DATA` points.

use percussion_files::{ContactProblem, Kind, read};
use percussion_solve::SolveStatus;
use percussion_solve::mlcp::{MlcpProblem, MlcpSolver};
use std::path::PathBuf;

fn folder() -> PathBuf {
    let data = std::env::var_os("PERCUSSION_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from);
    data.join("contact-problems")
}

/// The largest violation of any condition, each relative to the largest term its row could have.
fn violation(problem: &MlcpProblem, z: &[f64]) -> f64 {
    let (n_rows, n) = (problem.q.len(), z.len());
    let mut worst = 0.0_f64;
    let mut pair = (0..n).filter(|&j| !problem.free[j]);
    for i in 0..n_rows {
        let w = problem.q[i] + (0..n).map(|j| problem.M.get(i, j) * z[j]).sum::<f64>();
        let largest = z.iter().fold(1e-300_f64, |m, x| m.max(x.abs()));
        let entry = (0..n).map(|j| problem.M.get(i, j).abs()).fold(0.0, f64::max);
        let size = (entry * largest).max(problem.q[i].abs()).max(1e-300);
        if problem.equality[i] {
            worst = worst.max(w.abs() / size);
        } else {
            let x = z[pair.next().expect("a pair for every row")];
            worst = worst.max(-w / size).max(-x / largest).max((w / size).min(x / largest));
        }
    }
    worst
}

#[test]
fn every_file_is_solved_or_refuted() {
    let Ok(entries) = std::fs::read_dir(folder()) else {
        println!("skipped: no folder {}", folder().display());
        return;
    };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.to_string_lossy().ends_with("_mlcp.dat"));
    files.sort();
    let mut open = Vec::new();
    for path in &files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = read(&std::fs::read(path).expect("readable"), Some(Kind::Mlcp)).expect("a mixed problem");
        let ContactProblem::Mlcp(problem) = file.problem else { panic!("{name} is not mixed") };
        let mut z = vec![0.0; problem.len()];
        let report = MlcpSolver::default().solve(&problem, &mut z);
        let checked = violation(&problem, &z);
        println!(
            "{name:<28} n = {:>3} pairs {:>3} {:?} by {} after {} ({:.1e} {:.1e}), checked {checked:.1e}",
            problem.len(),
            problem.n_pairs(),
            report.status,
            report.method,
            report.iterations,
            report.residuals.plain,
            report.residuals.scaled
        );
        match report.status {
            SolveStatus::Solved => assert!(checked <= 1e-8, "{name}: {checked:e}"),
            SolveStatus::NoSolution => {}
            _ => open.push(name),
        }
    }
    assert!(open.is_empty(), "neither solved nor refuted: {open:?}");
}
