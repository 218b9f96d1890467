//! What unit impulses do to a step: columns A_j (and B_j), one pair per contact, and W = Gᵀ(c_A A + c_B B).
//!
//! Moreau–Jean: A = M̂⁻¹G. Newmark family: A = M⁻¹G, B = S⁻¹D M⁻¹G, N = A − hγB. Implicit: A = S⁻¹G, N = γA.
//! With diagonal matrices the columns stay sparse and so does W; otherwise a dense column is made when its contact is
//! first met, and kept. Of a large model with many contacts only HᵀA is kept.

use percussion_matrix::stop::requested;
use percussion_matrix::{DenseMatrix, Matrix, SparseMatrix, vector};

/// Contacts from which a sparse W pays.
const SPARSE_FROM: usize = 13;

/// The response columns for one step size.
#[derive(Debug)]
pub struct Response {
    c_A: f64,
    c_B: f64,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// Columns G_j scaled by row.
    Scaled(Box<Scaled>),
    /// Dense columns, empty until needed.
    Dense { A: Vec<Vec<f64>>, B: Vec<Vec<f64>> },
    /// HᵀA_j, empty until needed; A itself is not kept.
    Gaps(Vec<Vec<f64>>),
}

/// Columns that are made together: their composition is fixed, so that a run and its continuation get the same bits.
pub const BLOCK: usize = 64;

/// HᵀA_j of the columns of a block, and the number of the first.
fn block(k: usize, H: &SparseMatrix, solve: impl FnOnce(&mut DenseMatrix)) -> (usize, Vec<Vec<f64>>) {
    let first = k * BLOCK;
    let width = BLOCK.min(H.n_cols() - first);
    let mut A = DenseMatrix::zeros(H.n_rows(), width);
    (0..width).for_each(|k| H.add_column(first + k, 1.0, A.column_mut(k)));
    solve(&mut A);
    let seen = |k: usize| (0..H.n_cols()).map(|i| H.column_dot(i, A.column(k))).collect();
    (first, (0..width).map(seen).collect())
}

/// Sparse columns, and W of all contacts.
#[derive(Debug)]
struct Scaled {
    A: SparseMatrix,
    B: Option<SparseMatrix>,
    W: SparseMatrix,
}

impl Response {
    /// Dense columns made on demand for m contacts.
    pub fn on_demand(m: usize, c_A: f64, c_B: f64) -> Self {
        Self { c_A, c_B, form: Form::Dense { A: vec![Vec::new(); m], B: vec![Vec::new(); m] } }
    }

    /// HᵀA_j alone, made on demand in blocks, for m columns of H.
    pub fn of_gaps(m: usize, c_A: f64) -> Self {
        Self { c_A, c_B: 0.0, form: Form::Gaps(vec![Vec::new(); m]) }
    }

    /// Whether A itself is not kept: impulses then act by one solve.
    #[inline]
    pub fn keeps_gaps_only(&self) -> bool {
        matches!(self.form, Form::Gaps(_))
    }

    /// Whether every column is there from the start.
    #[inline]
    pub fn is_whole(&self) -> bool {
        matches!(self.form, Form::Scaled(_))
    }

    /// Makes the block of HᵀA_j that holds column j with `solve(A)` unless it exists.
    pub fn ensure_block(&mut self, j: usize, H: &SparseMatrix, solve: impl FnOnce(&mut DenseMatrix)) {
        let Form::Gaps(columns) = &mut self.form else { return };
        if columns[j].is_empty() {
            let (first, made) = block(j / BLOCK, H, solve);
            columns[first..].iter_mut().zip(made).for_each(|(column, made)| *column = made);
        }
    }

    /// The same for all of some columns, several blocks at a time on so many threads.
    pub fn ensure_blocks(
        &mut self,
        wanted: impl Iterator<Item = usize>,
        H: &SparseMatrix,
        threads: usize,
        solve: impl Fn(&mut DenseMatrix) + Sync,
    ) {
        let Form::Gaps(columns) = &mut self.form else { return };
        let mut missing: Vec<usize> = wanted.filter(|&j| columns[j].is_empty()).map(|j| j / BLOCK).collect();
        missing.sort_unstable();
        missing.dedup();
        for some in missing.chunks(threads.max(1)) {
            // told to stop, nobody reads them
            let solve = &|X: &mut DenseMatrix| {
                if !requested() {
                    solve(X)
                }
            };
            let made = std::thread::scope(|scope| {
                let others: Vec<_> = some[1..].iter().map(|&k| scope.spawn(move || block(k, H, solve))).collect();
                let own = block(some[0], H, solve);
                let others = others.into_iter().filter_map(|other| other.join().ok());
                std::iter::once(own).chain(others).collect::<Vec<_>>()
            });
            for (first, made) in made {
                columns[first..].iter_mut().zip(made).for_each(|(column, made)| *column = made);
            }
        }
    }

    /// Sparse columns A_j = a ∘ G_j and B_j = b ∘ G_j for diagonal systems.
    pub fn scaled(G: &SparseMatrix, a: &[f64], b: Option<&[f64]>, c_A: f64, c_B: f64) -> Self {
        let by_row = |scale: &[f64]| {
            let mut S = G.clone();
            let rows: Vec<usize> = S.row_idx().to_vec();
            for (x, i) in S.values_mut().iter_mut().zip(rows) {
                *x *= scale[i];
            }
            S
        };
        let A = by_row(a);
        let B = b.map(by_row);
        let n: Vec<f64> = (0..a.len()).map(|i| c_A * a[i] + b.map_or(0.0, |b| c_B * b[i])).collect();
        let W = G.transpose().times(&by_row(&n));
        Self { c_A, c_B, form: Form::Scaled(Box::new(Scaled { A, B, W })) }
    }

    /// c_A.
    #[inline]
    pub fn weight(&self) -> f64 {
        self.c_A
    }

    /// Makes the dense columns of contact j with `columns(A_j, B_j)` unless they exist.
    #[inline]
    pub fn ensure(&mut self, j: usize, n: usize, columns: impl FnOnce(&mut Vec<f64>, &mut Vec<f64>)) {
        if let Form::Dense { A, B } = &mut self.form
            && A[j].is_empty()
        {
            A[j] = vec![0.0; n];
            columns(&mut A[j], &mut B[j]);
        }
    }

    /// x ← x + p A_j.
    #[inline]
    pub fn add_A(&self, j: usize, p: f64, x: &mut [f64]) {
        match &self.form {
            Form::Scaled(columns) => columns.A.add_column(j, p, x),
            Form::Dense { A, .. } => vector::axpy(p, &A[j], x),
            Form::Gaps(_) => debug_assert!(false, "A is not kept: impulses act by a solve"),
        }
    }

    /// A_j·x.
    #[inline]
    pub fn dot_A(&self, j: usize, x: &[f64]) -> f64 {
        match &self.form {
            Form::Scaled(columns) => columns.A.column_dot(j, x),
            Form::Dense { A, .. } => vector::dot(&A[j], x),
            Form::Gaps(_) => 0.0,
        }
    }

    /// x ← x + p B_j.
    #[inline]
    pub fn add_B(&self, j: usize, p: f64, x: &mut [f64]) {
        match &self.form {
            Form::Scaled(columns) => {
                if let Some(B) = &columns.B {
                    B.add_column(j, p, x);
                }
            }
            Form::Dense { B, .. } if !B[j].is_empty() => vector::axpy(p, &B[j], x),
            Form::Dense { .. } | Form::Gaps(_) => {}
        }
    }

    /// Whether W of so many contacts is a full matrix.
    pub fn delassus_is_dense(&self, contacts: usize) -> bool {
        contacts < SPARSE_FROM || !matches!(self.form, Form::Scaled(_))
    }

    /// W on the index set, whose columns exist; reuses the memory of `W`.
    pub fn delassus(&self, G: &SparseMatrix, index: &[usize], W: &mut Matrix) {
        let k = index.len();
        if let Form::Scaled(columns) = &self.form
            && k >= SPARSE_FROM
        {
            let all = &columns.W;
            *W = Matrix::Sparse(if k == all.n_cols() { all.clone() } else { submatrix(all, index) });
            return;
        }
        if !matches!(W, Matrix::Dense(_)) {
            *W = Matrix::Dense(DenseMatrix::zeros(0, 0));
        }
        let Matrix::Dense(W) = W else { unreachable!("made dense above") };
        W.reset(k, k);
        for (b, &j) in index.iter().enumerate() {
            for (a, &i) in index.iter().enumerate() {
                let w = match &self.form {
                    Form::Scaled(columns) => columns.W.get(i, j),
                    Form::Dense { A, B } => {
                        let second = if B[j].is_empty() { 0.0 } else { self.c_B * G.column_dot(i, &B[j]) };
                        self.c_A * G.column_dot(i, &A[j]) + second
                    }
                    Form::Gaps(columns) => self.c_A * columns[j][i],
                };
                W.set(a, b, w);
            }
        }
    }
}

impl Response {
    /// Entries (a, b, H_iᵀ N_j) of W whose row a and column b stand for the columns i and j of H; padding stands for none.
    pub fn delassus_rows(&self, H: &SparseMatrix, rows: &[Option<usize>]) -> Vec<(usize, usize, f64)> {
        let mut entries = Vec::new();
        match &self.form {
            Form::Scaled(columns) => {
                let mut place = vec![usize::MAX; columns.W.n_rows()];
                for (a, row) in rows.iter().enumerate() {
                    if let Some(i) = row {
                        place[*i] = a;
                    }
                }
                for (b, j) in rows.iter().enumerate() {
                    let Some(j) = j else { continue };
                    let (row_idx, values) = columns.W.column(*j);
                    let listed = row_idx.iter().zip(values).filter(|(i, _)| place[**i] != usize::MAX);
                    entries.extend(listed.map(|(&i, &x)| (place[i], b, x)));
                }
            }
            Form::Dense { A, B } => {
                for (b, j) in rows.iter().enumerate() {
                    let Some(j) = *j else { continue };
                    for (a, i) in rows.iter().enumerate() {
                        let Some(i) = *i else { continue };
                        let second = if B[j].is_empty() { 0.0 } else { self.c_B * H.column_dot(i, &B[j]) };
                        let w = self.c_A * H.column_dot(i, &A[j]) + second;
                        if w != 0.0 {
                            entries.push((a, b, w));
                        }
                    }
                }
            }
            Form::Gaps(columns) => {
                for (b, j) in rows.iter().enumerate() {
                    let Some(j) = *j else { continue };
                    let listed = rows.iter().enumerate().filter_map(|(a, i)| i.map(|i| (a, columns[j][i])));
                    entries.extend(listed.filter(|(_, w)| *w != 0.0).map(|(a, w)| (a, b, self.c_A * w)));
                }
            }
        }
        entries
    }
}

/// Makes room in a list of operators by step size: adaptive runs meet many sizes, memory must not grow with them.
pub fn keep_few<T>(operators: &mut Vec<T>) {
    if operators.len() >= 8 {
        operators.remove(0);
    }
}

fn submatrix(W: &SparseMatrix, index: &[usize]) -> SparseMatrix {
    let mut place = vec![usize::MAX; W.n_rows()];
    for (a, &i) in index.iter().enumerate() {
        place[i] = a;
    }
    let mut entries = Vec::new();
    for (b, &j) in index.iter().enumerate() {
        let (rows, values) = W.column(j);
        for (&i, &x) in rows.iter().zip(values) {
            if place[i] != usize::MAX {
                entries.push((place[i], b, x));
            }
        }
    }
    SparseMatrix::from_triplets(index.len(), index.len(), &entries).expect("indices of a valid matrix")
}
