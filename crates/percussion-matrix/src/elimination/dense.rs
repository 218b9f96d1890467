//! A panel of dense columns, its diagonal block first, factorised tile by tile.
//!
//!   for each tile k:  D_k = L_k U_k,   rows below by U_k⁻¹,   columns beside by L_k⁻¹,   A_ij ← A_ij − L_ik R_jk ᵀ
//!
//! Tiles and the pieces of rows have fixed sizes: what threads share is the same for any number of them.

use super::numeric::Panel;
use super::{Kind, share};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, LltRegularization, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_unit_lower_triangular_in_place};
use faer::prelude::{IntoConst, Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par};

/// Columns that are eliminated together.
pub const TILE: usize = 128;
/// Rows that a thread takes at once.
const PIECE: usize = 512;
/// Unknowns from which a block is eliminated in two halves.
const HALVED: usize = 16;
/// Operations for which threads are worth their start.
const WORTH: f64 = 4e6;

/// C ← C − A Bᵀ.
struct Update<'a> {
    C: MatMut<'a, f64>,
    A: MatRef<'a, f64>,
    B: MatRef<'a, f64>,
}

/// Factorises the panel of a supernode; the column at which it fails otherwise.
pub fn factorise_panel(kind: Kind, columns: usize, panel: &mut Panel, threads: usize) -> Result<(), usize> {
    let (height, below) = (panel.lower.len() / columns, panel.upper.len() / columns);
    let mut lower = MatMut::from_column_major_slice_mut(panel.lower, height, columns);
    let mut upper = MatMut::from_column_major_slice_mut(panel.upper, below, columns);
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(TILE.min(columns), Par::Seq, Default::default()));
    for first in (0..columns).step_by(TILE) {
        let end = columns.min(first + TILE);
        let work = ((end - first) * (end - first) * (height - first)) as f64;
        let threads_of = |work: f64| if work > WORTH { threads } else { 1 };

        // the diagonal tile
        let tile = lower.rb_mut().submatrix_mut(first, first, end - first, end - first);
        match kind {
            Kind::Cholesky => {
                let memory = MemStack::new(&mut memory);
                cholesky_in_place(tile, LltRegularization::default(), Par::Seq, memory, Default::default())
                    .map_err(|LltError::NonPositivePivot { index }| first + index)?;
            }
            Kind::Lu => eliminate(tile).map_err(|column| first + column)?,
        }

        // rows below and, for LU, columns beside it
        let (tile, rest) = lower.rb_mut().subcols_mut(first, columns - first).split_at_col_mut(end - first);
        let (tile, mut rows) = tile.subrows_mut(first, height - first).split_at_row_mut(end - first);
        let tile = tile.into_const();
        let mut beside = rest;
        let mut above = beside.rb_mut().subrows_mut(first, end - first);
        let mut solves: Vec<(bool, MatMut<f64>)> =
            pieces(rows.rb_mut()).into_iter().map(|piece| (true, piece.transpose_mut())).collect();
        let (upper_tile, _) = upper.rb_mut().subcols_mut(first, columns - first).split_at_col_mut(end - first);
        if kind == Kind::Lu {
            solves.extend(pieces(upper_tile).into_iter().map(|piece| (false, piece.transpose_mut())));
            solves
                .extend(pieces(above.rb_mut().transpose_mut()).into_iter().map(|piece| (false, piece.transpose_mut())));
        }
        share(
            solves,
            threads_of(work),
            || (),
            |(), (is_lower, piece)| match (kind, is_lower) {
                (Kind::Cholesky, _) => solve_lower_triangular_in_place(tile, piece, Par::Seq),
                (Kind::Lu, true) => solve_lower_triangular_in_place(tile.transpose(), piece, Par::Seq),
                (Kind::Lu, false) => solve_unit_lower_triangular_in_place(tile, piece, Par::Seq),
            },
        );

        // what is left
        let rows = rows.into_const();
        let work = work * (columns - end) as f64 / (end - first) as f64;
        let mut updates = Vec::new();
        let mut left = beside;
        for from in (end..columns).step_by(TILE) {
            let width = TILE.min(columns - from);
            let (column, others) = left.split_at_col_mut(width);
            left = others;
            let (above, column) = column.split_at_row_mut(end);
            match kind {
                Kind::Cholesky => {
                    // rows from the diagonal on
                    let skip = from - end;
                    let B = rows.subrows(skip, width);
                    let column = column.subrows_mut(skip, height - from);
                    push_updates(&mut updates, column, rows.subrows(skip, height - from), B);
                }
                Kind::Lu => {
                    let B = above.into_const().subrows(first, end - first).transpose();
                    push_updates(&mut updates, column, rows, B);
                }
            }
        }
        if kind == Kind::Lu {
            let (done, mut left) = upper.rb_mut().split_at_col_mut(end);
            let done = done.into_const().subcols(first, end - first);
            for from in (end..columns).step_by(TILE) {
                let width = TILE.min(columns - from);
                let (column, others) = left.split_at_col_mut(width);
                left = others;
                push_updates(&mut updates, column, done, rows.subrows(from - end, width));
            }
        }
        share(
            updates,
            threads_of(work),
            || (),
            |(), Update { C, A, B }| {
                matmul(C, Accum::Add, A, B.transpose(), -1.0, Par::Seq);
            },
        );
    }
    Ok(())
}

/// A column of tiles in pieces of rows.
fn push_updates<'a>(list: &mut Vec<Update<'a>>, C: MatMut<'a, f64>, A: MatRef<'a, f64>, B: MatRef<'a, f64>) {
    let mut first = 0;
    for C in pieces(C) {
        let n = C.nrows();
        list.push(Update { C, A: A.subrows(first, n), B });
        first += n;
    }
}

/// Rows in pieces.
fn pieces(matrix: MatMut<f64>) -> Vec<MatMut<f64>> {
    let mut list = Vec::new();
    let mut rest = matrix;
    while rest.nrows() > 0 {
        let n = PIECE.min(rest.nrows());
        let (piece, others) = rest.split_at_row_mut(n);
        list.push(piece);
        rest = others;
    }
    list
}

/// D ← L and U of D without pivots; the column whose pivot vanishes otherwise.
fn eliminate(mut D: MatMut<f64>) -> Result<(), usize> {
    let n = D.nrows();
    if n > HALVED {
        let half = n / 2;
        let (mut a, mut b, mut c, mut d) = D.split_at_mut(half, half);
        eliminate(a.rb_mut())?;
        solve_unit_lower_triangular_in_place(a.rb(), b.rb_mut(), Par::Seq);
        solve_lower_triangular_in_place(a.rb().transpose(), c.rb_mut().transpose_mut(), Par::Seq);
        matmul(d.rb_mut(), Accum::Add, c.rb(), b.rb(), -1.0, Par::Seq);
        return eliminate(d).map_err(|column| half + column);
    }
    for k in 0..n {
        let pivot = D[(k, k)];
        if !pivot.is_normal() {
            return Err(k);
        }
        for i in k + 1..n {
            D[(i, k)] /= pivot;
        }
        for j in k + 1..n {
            let factor = D[(k, j)];
            for i in k + 1..n {
                D[(i, j)] -= D[(i, k)] * factor;
            }
        }
    }
    Ok(())
}
