//! Dense and sparse matrices behind one type, and factorisations that keep their symbolic part.
//!
//!   y += α A x,    xᵀA x,    A = Σ c_i A_i,    A x = b
//!
//! Factorisation itself is faer's; substitution, storage and the choice of method are here.

mod block_lu;
mod block_sparse;
mod column_groups;
mod conjugate;
mod constrained;
mod dense;
mod dissection;
mod elimination;
mod embedding;
mod factor;
pub mod math;
mod matrix;
pub mod parts;
pub mod phase;
mod pivoted_qr;
pub mod pool;
mod quadratic;
mod scalar_factor;
mod separator;
mod small_lu;
pub mod spare;
mod sparse;
pub mod stop;
pub mod vector;

pub use block_lu::BlockLu;
pub use block_sparse::BlockMatrix;
pub use column_groups::ColumnGroups;
pub use conjugate::ConjugateGradients;
pub use constrained::ConstrainedFactor;
pub use dense::DenseMatrix;
pub use dissection::{Adjacency, dissected_by_distances, dissected_by_graph, dissected_by_pattern, dissected_by_place};
pub use factor::{Factor, NotFactorised, SparseCholesky, between_by_columns};
pub use matrix::Matrix;
pub use pivoted_qr::PivotedQr;
pub use quadratic::QuadraticForm;
pub use small_lu::SmallLu;
pub use sparse::SparseMatrix;
