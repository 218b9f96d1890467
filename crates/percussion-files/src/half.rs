//! Mass matrices of which only one triangle is stored.
//!
//!   M = S + Sᵀ − diag S

use percussion_matrix::SparseMatrix;

/// What the user is told.
pub const HALF: &str = "only one triangle of M is stored; the other is its mirror image";

/// M + Mᵀ − diag M when one strict triangle is empty and the other is not; nothing in a file says that it is half.
pub fn whole_from_half(M: &SparseMatrix) -> Option<SparseMatrix> {
    let lower = M.triplets().any(|(i, j, x)| i > j && x != 0.0);
    let upper = M.triplets().any(|(i, j, x)| i < j && x != 0.0);
    if lower == upper {
        return None;
    }
    let mut entries: Vec<_> = M.triplets().collect();
    entries.extend(M.triplets().filter(|&(i, j, _)| i != j).map(|(i, j, x)| (j, i, x)));
    SparseMatrix::from_triplets(M.n_rows(), M.n_cols(), &entries)
}
