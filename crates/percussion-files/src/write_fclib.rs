//! Writing FCLIB's HDF5 files; matrices by columns, as FCLIB's own tools prefer.

use crate::kind::{ContactProblem, ProblemFile, StoredState};
use hdf5_pure::{FileBuilder, FormatError, GroupBuilder};
use percussion_matrix::SparseMatrix;

/// The bytes of a friction problem with its title, solution and guesses; `None` for LCP and MLCP, which FCLIB does not
/// have, and for sizes beyond its 32-bit integers.
pub fn write_fclib(file: &ProblemFile) -> Option<Vec<u8>> {
    let mut builder = FileBuilder::new();
    let (name, dim) = match &file.problem {
        ContactProblem::Local(problem) => ("fclib_local", problem.dim()),
        ContactProblem::Global(problem) if problem.dim == 5 => ("fclib_global_rolling", 5),
        ContactProblem::Global(problem) => ("fclib_global", problem.dim),
        _ => return None,
    };
    let mut group = builder.create_group(name);
    integers(&mut group, "spacedim", &[dim])?;
    let mut vectors = group.create_group("vectors");
    match &file.problem {
        ContactProblem::Local(problem) => {
            matrix(&mut group, "W", &problem.W.to_sparse())?;
            numbers(&mut vectors, "q", &problem.b);
            numbers(&mut vectors, "mu", &problem.mu);
            numbers(&mut vectors, "mu_r", &problem.mu_rolling);
        }
        ContactProblem::Global(problem) => {
            matrix(&mut group, "M", &problem.M)?;
            matrix(&mut group, "H", &problem.H)?;
            numbers(&mut vectors, "f", &problem.f);
            numbers(&mut vectors, "w", &problem.w);
            numbers(&mut vectors, "mu", &problem.mu);
            numbers(&mut vectors, "mu_r", &problem.mu_rolling);
        }
        _ => return None,
    }
    group.add_group(vectors.finish());
    let mut info = group.create_group("info");
    text(&mut info, "title", &file.title).ok()?;
    text(&mut info, "description", &file.description).ok()?;
    group.add_group(info.finish());
    builder.add_group(group.finish());

    if let Some(solution) = &file.solution {
        let mut group = builder.create_group("solution");
        state(&mut group, solution);
        builder.add_group(group.finish());
    }
    if !file.guesses.is_empty() {
        let mut group = builder.create_group("guesses");
        integers(&mut group, "number_of_guesses", &[file.guesses.len()])?;
        for (k, guess) in file.guesses.iter().enumerate() {
            let mut one = group.create_group(&(k + 1).to_string());
            state(&mut one, guess);
            group.add_group(one.finish());
        }
        builder.add_group(group.finish());
    }
    builder.finish().ok()
}

fn integers(group: &mut GroupBuilder, name: &str, values: &[usize]) -> Option<()> {
    let values: Vec<i32> = values.iter().map(|&x| i32::try_from(x).ok()).collect::<Option<_>>()?;
    if !values.is_empty() {
        group.create_dataset(name).with_i32_data(&values);
    }
    Some(())
}

/// An empty vector is left out.
fn numbers(group: &mut GroupBuilder, name: &str, values: &[f64]) {
    if !values.is_empty() {
        group.create_dataset(name).with_f64_data(values);
    }
}

fn text(group: &mut GroupBuilder, name: &str, value: &str) -> Result<(), FormatError> {
    if !value.is_empty() {
        group.create_dataset(name).with_strings(&[value])?;
    }
    Ok(())
}

fn state(group: &mut GroupBuilder, state: &StoredState) {
    numbers(group, "r", &state.r);
    numbers(group, "u", &state.u);
    numbers(group, "v", &state.v);
}

/// m n nz nzmax p i x with nz = −1: compressed columns; a matrix without entries is an empty list of triplets.
fn matrix(group: &mut GroupBuilder, name: &str, A: &SparseMatrix) -> Option<()> {
    let mut inner = group.create_group(name);
    integers(&mut inner, "m", &[A.n_rows()])?;
    integers(&mut inner, "n", &[A.n_cols()])?;
    integers(&mut inner, "nzmax", &[A.n_entries()])?;
    let kind = if A.n_entries() == 0 { 0 } else { -1 };
    inner.create_dataset("nz").with_i32_data(&[kind]);
    integers(&mut inner, "p", A.col_ptr())?;
    integers(&mut inner, "i", A.row_idx())?;
    numbers(&mut inner, "x", A.values());
    group.add_group(inner.finish());
    Some(())
}
