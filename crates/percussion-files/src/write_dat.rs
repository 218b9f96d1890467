//! Writing the `.dat` family, every number with 17 significant digits.
//!
//! W goes out in blocks, dense matrices dense, sparse ones as CSparse's triplets (with all digits, where CSparse
//! itself prints six). What is written is read back as the same problem.

use crate::kind::ContactProblem;
use percussion_matrix::{BlockMatrix, Matrix, SparseMatrix};
use percussion_solve::mlcp::MlcpProblem;
use std::fmt::Write;

/// The text of a problem; `None` for a rectangular mixed problem whose free unknowns are scattered among the others,
/// which the format cannot say.
pub fn write_dat(problem: &ContactProblem) -> Option<String> {
    let mut out = String::new();
    match problem {
        ContactProblem::Lcp(problem) => {
            line(&mut out, &[problem.len()]);
            matrix(&mut out, &problem.W);
            numbers(&mut out, &problem.b);
        }
        ContactProblem::Mlcp(problem) => mixed(&mut out, problem)?,
        ContactProblem::Local(problem) => {
            line(&mut out, &[problem.dim()]);
            line(&mut out, &[problem.len()]);
            blocks(&mut out, &problem.W);
            numbers(&mut out, &problem.b);
            numbers(&mut out, &problem.mu);
            numbers(&mut out, &problem.mu_rolling);
        }
        ContactProblem::Global(problem) => {
            line(&mut out, &[problem.dim]);
            line(&mut out, &[problem.len()]);
            triplets(&mut out, &problem.M);
            triplets(&mut out, &problem.H);
            numbers(&mut out, &problem.f);
            numbers(&mut out, &problem.w);
            numbers(&mut out, &problem.mu);
            numbers(&mut out, &problem.mu_rolling);
        }
    }
    Some(out)
}

fn line(out: &mut String, values: &[usize]) {
    let words: Vec<String> = values.iter().map(ToString::to_string).collect();
    let _ = writeln!(out, "{}", words.join("\t"));
}

fn numbers(out: &mut String, values: &[f64]) {
    for x in values {
        let _ = write!(out, " {x:.16e}");
    }
    if !values.is_empty() {
        out.push('\n');
    }
}

fn matrix(out: &mut String, A: &Matrix) {
    match A {
        Matrix::Dense(A) => {
            let (m, n) = (A.n_rows(), A.n_cols());
            line(out, &[0, m, n]);
            line(out, &[m, n]);
            for j in 0..n {
                numbers(out, A.column(j));
            }
        }
        Matrix::Sparse(A) => triplets(out, A),
    }
}

fn triplets(out: &mut String, A: &SparseMatrix) {
    let (m, n, count) = (A.n_rows(), A.n_cols(), A.n_entries());
    line(out, &[2, m, n]);
    line(out, &[1]);
    let _ = writeln!(out, "CSparse listing, all digits");
    let _ = writeln!(out, "triplet: {m}-by-{n}, nzmax: {count} nnz: {count}");
    for (i, j, x) in A.triplets() {
        let _ = writeln!(out, "    {i} {j} : {x:.16e}");
    }
}

fn blocks(out: &mut String, A: &BlockMatrix) {
    let (d, n, count) = (A.block_size(), A.n_blocks(), A.n_stored());
    line(out, &[1, d * n, d * n]);
    line(out, &[count, n, n]);
    let ends: Vec<usize> = (1..=n).map(|k| k * d).collect();
    line(out, &ends);
    line(out, &ends);
    line(out, &[n + 1, count]);
    line(out, A.row_ptr());
    line(out, &A.col_idx().iter().map(|&j| j as usize).collect::<Vec<_>>());
    let mut b = 0;
    for i in 0..n {
        for (_, block) in A.row(i) {
            line(out, &[b]);
            numbers(out, block);
            b += 1;
        }
    }
}

/// `s1 s2 n m`, blocks, flags, M, q; rows in the order in which the reader finds them.
fn mixed(out: &mut String, problem: &MlcpProblem) -> Option<()> {
    let (m, n) = (problem.n_pairs(), problem.len() - problem.n_pairs());
    for value in [1, 0, n, m] {
        line(out, &[value]);
    }
    let mut ends = vec![0];
    let mut flags = Vec::new();
    for (j, &free) in problem.free.iter().enumerate() {
        if j > 0 && problem.free[j - 1] != free {
            ends.push(j);
        }
        if ends.len() > flags.len() {
            flags.push(usize::from(!free));
        }
    }
    ends.push(problem.len());
    ends.dedup();
    line(out, &ends);
    line(out, &flags);
    let order = crate::dat_mlcp::rows(&problem.free, n, problem.q.len() - m)?;
    let mut equalities = (0..problem.q.len()).filter(|&i| problem.equality[i]);
    let mut others = (0..problem.q.len()).filter(|&i| !problem.equality[i]);
    let mut place = vec![0; problem.q.len()];
    for (row, &equality) in order.iter().enumerate() {
        place[if equality { equalities.next()? } else { others.next()? }] = row;
    }
    let mut q = vec![0.0; problem.q.len()];
    for (i, &row) in place.iter().enumerate() {
        q[row] = problem.q[i];
    }
    let mut M = problem.M.clone();
    match &mut M {
        Matrix::Dense(M) => {
            for j in 0..M.n_cols() {
                for (i, &row) in place.iter().enumerate() {
                    M.set(row, j, problem.M.get(i, j));
                }
            }
        }
        Matrix::Sparse(M) => {
            let moved: Vec<_> = M.triplets().map(|(i, j, x)| (place[i], j, x)).collect();
            *M = SparseMatrix::from_triplets(M.n_rows(), M.n_cols(), &moved)?;
        }
    }
    matrix(out, &M);
    numbers(out, &q);
    Some(())
}
