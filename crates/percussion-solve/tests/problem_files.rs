//! The collected LCP files: each is solved, or proved to have no solution.
//!
//! The files live outside the repository, in `../shared/data` beside it or where `PERCUSSION_DATA` points.

use percussion_matrix::{DenseMatrix, Matrix};
use percussion_solve::{OneStepProblem, OneStepSolver, SolveStatus, Solver};
use std::path::PathBuf;

fn folder() -> PathBuf {
    let data = std::env::var_os("PERCUSSION_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from);
    data.join("contact-problems")
}

/// `n`, the matrix (dense or block-sparse), then b; free text may follow.
fn read(text: &str) -> Option<OneStepProblem> {
    let mut words = text.split_whitespace();
    let mut number = || words.next()?.parse::<f64>().ok();
    let n = number()? as usize;
    let (storage, rows, columns) = (number()? as usize, number()? as usize, number()? as usize);
    if rows != n || columns != n {
        return None;
    }
    let mut W = DenseMatrix::zeros(n, n);
    match storage {
        0 => {
            number()?;
            number()?;
            for x in W.values_mut() {
                *x = number()?;
            }
        }
        1 => {
            let (n_blocks, n_row, n_col) = (number()? as usize, number()? as usize, number()? as usize);
            // both lists are the ends of the block rows and columns
            let mut list =
                |count: usize| -> Option<Vec<usize>> { (0..count).map(|_| Some(number()? as usize)).collect() };
            let (row_end, col_end) = (list(n_row)?, list(n_col)?);
            let filled = list(2)?;
            let (pointers, block_col) = (list(filled[0])?, list(filled[1])?);
            let start = |ends: &[usize], k: usize| if k == 0 { 0 } else { ends[k - 1] };
            for r in 0..n_row {
                for k in pointers[r]..pointers[r + 1].min(n_blocks) {
                    let c = block_col[k];
                    number()?;
                    for j in start(&col_end, c)..col_end[c] {
                        for i in start(&row_end, r)..row_end[r] {
                            W.set(i, j, number()?);
                        }
                    }
                }
            }
        }
        _ => return None,
    }
    let b = (0..n).map(|_| number()).collect::<Option<Vec<f64>>>()?;
    Some(OneStepProblem::new(Matrix::Dense(W), b))
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
        let text = std::fs::read_to_string(path).expect("the file is text");
        let problem = read(&text).unwrap_or_else(|| panic!("{name} is not an LCP file"));
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
