//! Mixed problems in `.dat` files, in either or both of their storages.
//!
//!   M = [A C; D B],  q = [a; b]:   A u + C v + a = 0,   0 ≤ D u + B v + b ⟂ v ≥ 0

use crate::cursor::Cursor;
use crate::error::Result;
use crate::kind::{ContactProblem, ProblemFile};
use crate::matrix_text;
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::Code;
use percussion_solve::mlcp::MlcpProblem;

/// `s1 s2 n m`, then M with its blocks (s1), then A B C D a b (s2); where both are there the first is taken.
///
/// A rectangular M has N = rows − m equalities, and q as many entries as M rows. Some writers cut q to the number of
/// columns and A, C, a to n equalities: where the file does not hold the full form this one is tried, and the missing
/// entries of q are those of b.
pub fn read(cursor: &mut Cursor) -> Result<ProblemFile> {
    let start = cursor.clone();
    let (s1, s2) = (cursor.count("s1")?, cursor.count("s2")?);
    let (n, m) = (cursor.count("n")?, cursor.count("m")?);
    if s1 > 1 || s2 > 1 || s1 + s2 == 0 {
        let message = format!("storages {s1} and {s2}: each must be 0 or 1, and at least one of them 1");
        return Err(start.refuse(Code::BAD_PROBLEM_FILE, "s1 s2", message));
    }
    cursor.expect(n, "n")?;
    cursor.expect(m, "m")?;
    if s1 == 0 {
        return Ok(ProblemFile::new(ContactProblem::Mlcp(in_four(cursor, n, n, m)?)));
    }
    let blocks = in_blocks(cursor, n, m)?;
    let before = cursor.clone();
    let (n_rows, n_cols) = (blocks.M.n_rows(), blocks.M.n_cols());
    let full = rest(cursor, n_rows, s2 == 1, (n_rows - m, n, m));
    let (q, notes) = match full {
        Ok((q, _)) => (q, Vec::new()),
        Err(error) if n_rows <= n_cols || n_cols + m != n_rows || s2 == 0 => return Err(error),
        Err(error) => {
            *cursor = before;
            let Ok((mut q, Some(four))) = rest(cursor, n_cols, true, (n, n, m)) else { return Err(error) };
            q.extend_from_slice(&four.q[n..]);
            let note = format!("q is stored with {n_cols} of its {n_rows} entries; the others are those of b");
            (q, vec![note])
        }
    };
    let problem = MlcpProblem { q, ..blocks };
    if !problem.is_well_formed() {
        return Err(start.refuse(Code::BAD_SHAPE, "M", "sizes do not fit each other"));
    }
    Ok(ProblemFile { notes, ..ProblemFile::new(ContactProblem::Mlcp(problem)) })
}

/// q with as many entries as said and, if it is there, the second storage.
fn rest(
    cursor: &mut Cursor,
    n_q: usize,
    second: bool,
    sizes: (usize, usize, usize),
) -> Result<(Vec<f64>, Option<MlcpProblem>)> {
    let q = cursor.numbers(n_q, "q")?;
    let four = if second { Some(in_four(cursor, sizes.0, sizes.1, sizes.2)?) } else { None };
    Ok((q, four))
}

/// `0 … n+m`, one flag per block (0 equality, 1 complementarity), M; q is left for later.
fn in_blocks(cursor: &mut Cursor, n: usize, m: usize) -> Result<MlcpProblem> {
    let start = cursor.clone();
    let mut ends = vec![cursor.count("blocks")?];
    while ends.last().is_some_and(|&end| end < n + m) {
        let end = cursor.count("blocks")?;
        if ends.last().is_some_and(|&last| end <= last) {
            break;
        }
        ends.push(end);
    }
    if ends[0] != 0 || ends.last() != Some(&(n + m)) {
        let message = format!("the ends of its blocks do not lead from 0 to {}", n + m);
        return Err(start.refuse(Code::BAD_SHAPE, "blocks", message));
    }
    let flags = cursor.counts(ends.len() - 1, "flags")?;
    let mut free = Vec::with_capacity(n + m);
    for (pair, &flag) in ends.windows(2).zip(&flags) {
        if flag > 1 {
            return Err(start.refuse(Code::BAD_PROBLEM_FILE, "flags", format!("{flag}, where 0 or 1 belongs")));
        }
        free.resize(pair[1], flag == 0);
    }
    if free.iter().filter(|&&free| free).count() != n {
        return Err(start.refuse(Code::BAD_SHAPE, "flags", format!("they do not mark {n} free unknowns")));
    }
    let M = matrix_text::read(cursor, "M")?;
    if M.n_cols != n + m || M.n_rows < m {
        let message = format!("{} × {} where {} columns and at least {m} rows belong", M.n_rows, M.n_cols, n + m);
        return Err(start.refuse(Code::BAD_SHAPE, "M", message));
    }
    let n_rows = M.n_rows;
    let equality = rows(&free, n, n_rows - m).ok_or_else(|| {
        start.refuse(Code::BAD_SHAPE, "M", format!("{n_rows} rows for {n} free unknowns in several blocks"))
    })?;
    let M = M.into_matrix().ok_or_else(|| start.refuse(Code::BAD_SHAPE, "M", "an entry is outside the matrix"))?;
    Ok(MlcpProblem { M, q: Vec::new(), equality, free })
}

/// Which rows are equalities: those of the free unknowns; where there are more or fewer of them they are one block,
/// before or after the others as the free unknowns are.
pub fn rows(free: &[bool], n: usize, n_equalities: usize) -> Option<Vec<bool>> {
    if n == n_equalities {
        return Some(free.to_vec());
    }
    let m = free.len() - n;
    let (mut first, mut second) = (vec![true; n_equalities], vec![false; m]);
    if free[..n.min(free.len())].iter().all(|&free| free) {
        first.append(&mut second);
        Some(first)
    } else if free[m..].iter().all(|&free| free) {
        second.append(&mut first);
        Some(second)
    } else {
        None
    }
}

/// A (N × n), B (m × m), C (N × m), D (m × n) by rows, a, b.
fn in_four(cursor: &mut Cursor, n_equalities: usize, n: usize, m: usize) -> Result<MlcpProblem> {
    let start = cursor.clone();
    let rows = n_equalities;
    let mut part = |n_rows: usize, n_cols: usize, what: &str| -> Result<Vec<f64>> {
        let count = cursor.expect_product(n_rows, n_cols, what)?;
        cursor.numbers(count, what)
    };
    let (A, B) = (part(rows, n, "A")?, part(m, m, "B")?);
    let (C, D) = (part(rows, m, "C")?, part(m, n, "D")?);
    let mut q = part(rows, 1, "a")?;
    q.append(&mut part(m, 1, "b")?);

    let mut M = DenseMatrix::zeros(rows + m, n + m);
    let mut fill = |values: &[f64], at: (usize, usize), n_cols: usize| {
        for (k, &x) in values.iter().enumerate() {
            M.set(at.0 + k / n_cols, at.1 + k % n_cols, x);
        }
    };
    fill(&A, (0, 0), n);
    fill(&B, (rows, n), m);
    fill(&C, (0, n), m);
    fill(&D, (rows, 0), n);
    let mark = |first: usize| (0..first + m).map(|i| i < first).collect();
    let problem = MlcpProblem { M: Matrix::Dense(M), q, equality: mark(rows), free: mark(n) };
    if !problem.is_well_formed() {
        return Err(start.refuse(Code::BAD_SHAPE, "A B C D", "sizes do not fit each other"));
    }
    Ok(problem)
}
