//! What the steps of a linear model divide by: a factor of S or, of models of finite elements whose factor would be too large,
//! products with S.
//!
//!   S = Σ c A,    W ≈ c_A H_nᵀ S_nn⁻¹ H_n,    n the coordinates near contacts
//!
//! A wave does not get far in a step that resolves it: what an impulse does to the other contacts is decided near the surface, by
//! round-off the same as in the whole solid. How near is found by comparing with the whole, contact by contact for a few.

use percussion_matrix::{
    ConjugateGradients, ConstrainedFactor, DenseMatrix, Matrix, NotFactorised, SparseMatrix, math,
};
use percussion_model::{LinearModel, factor_size};

/// Layers of elements behind a surface that are factorised at first.
const LAYERS: usize = 4;
/// Responses this near to those of the whole solid, relative to the largest, are the same.
const SAME: f64 = 1e-13;
/// Numbers in the factor near contacts, at most.
const MOST_NEAR: f64 = 1e8;
/// Coordinates from which products may be cheaper than a factor.
const LARGE: usize = 20_000;
/// Numbers read by all products of a solve, over those in a factor, up to which products are preferred: a factor is read
/// twice, must be made and kept, and is read by one thread.
const CHEAPER: f64 = 4.0;
/// Contacts whose responses are compared with those of the whole solid.
const COMPARED: usize = 3;

/// Σ c A over the terms, factorised or ready for products; `similar` lends the symbolic part of a factor of the same pattern, and
/// numbers do not depend on the threads.
pub fn factorised(
    model: &LinearModel,
    terms: &[(f64, &Matrix)],
    similar: Option<&ConstrainedFactor>,
    threads: usize,
) -> Result<ConstrainedFactor, NotFactorised> {
    let S = Matrix::combination(model.n(), terms);
    if !goes_by_products(model, terms, &S) {
        return ConstrainedFactor::in_order(&S, model.J(), similar, model.elimination_order(), threads);
    }
    let mut factor = ConstrainedFactor::by_products(&S)?;
    factor.use_threads(threads);
    if let Some(gradients) = factor.products() {
        let surface = touched(model);
        if !surface.is_empty() {
            look_near(model, gradients, surface, LAYERS)?;
        }
    }
    Ok(factor)
}

/// Whether the steps of a model are solved by products: because a factor would be too large, or because they are cheaper.
pub fn by_products(model: &LinearModel, h: f64) -> bool {
    let mut terms = vec![(1.0, model.mass())];
    terms.extend(model.damping().map(|C| (0.5 * h, C)));
    terms.extend(model.stiffness().map(|K| (0.25 * h * h, K)));
    model.is_too_large_to_factor() || goes_by_products(model, &terms, &Matrix::combination(model.n(), &terms))
}

/// The same for S = Σ c A, the first term of which is the mass.
fn goes_by_products(model: &LinearModel, terms: &[(f64, &Matrix)], S: &Matrix) -> bool {
    if model.is_too_large_to_factor() {
        return true;
    }
    let Matrix::Sparse(S) = S else { return false };
    let symmetric = model.is_of_elements() || model.damping().is_none();
    let regular = symmetric && model.J().n_cols() == 0 && model.stiffness_is_semidefinite();
    if !regular || model.n() < LARGE {
        return false;
    }
    let by_products = products_expected(terms[0].0, model.mass(), S) * S.n_entries() as f64;
    by_products <= CHEAPER * model.factor_size()
}

/// Products it takes to solve with S, from bounds of the spectrum of D⁻¹S: at least min c M_ii/S_ii where M is diagonal and K has no
/// negative direction, at most the largest sum of a row (Gershgorin). Infinite where nothing is known.
fn products_expected(c: f64, mass: &Matrix, S: &SparseMatrix) -> f64 {
    if !mass.is_diagonal() {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for (j, m) in mass.diagonal().into_iter().enumerate() {
        let own = S.get(j, j);
        low = low.min(c * m / own);
        high = high.max(S.column(j).1.iter().map(|x| x.abs()).sum::<f64>() / own);
    }
    let root = (high / low).sqrt();
    let expected = math::log2(2.0 / f64::EPSILON) / math::log2((root + 1.0) / (root - 1.0));
    if low > 0.0 && expected.is_finite() { expected } else { f64::INFINITY }
}

/// The coordinates that contacts touch and those without mass, ascending.
fn touched(model: &LinearModel) -> Vec<usize> {
    let mut touched = vec![false; model.n()];
    model.H().row_idx().iter().for_each(|&i| touched[i] = true);
    model.massless().iter().zip(&mut touched).filter(|(bare, _)| **bare).for_each(|(_, touched)| *touched = true);
    (0..model.n()).filter(|&i| touched[i]).collect()
}

/// Factorises what lies within so many layers of elements of the coordinates given; whether it is small enough for that.
fn look_near(
    model: &LinearModel,
    gradients: &mut ConjugateGradients,
    mut near: Vec<usize>,
    layers: usize,
) -> Result<bool, NotFactorised> {
    for _ in 0..layers {
        near = gradients.matrix().neighbourhood(&near);
    }
    let fits = factor_size(near.len(), 3) <= MOST_NEAR;
    if fits {
        gradients.look_near(near, model.elimination_order(), model.has_massless())?;
    }
    Ok(fits)
}

/// H over the coordinates near contacts, which are made as many as it takes for S_nn⁻¹ to answer for S⁻¹ on them; none where
/// that would be too many, and each column has to be solved for.
pub fn near_rows(model: &LinearModel, gradients: &mut ConjugateGradients) -> Option<SparseMatrix> {
    let H = model.H();
    let m = H.n_cols();
    if m == 0 {
        return None;
    }
    let mut compared: Vec<usize> = (0..COMPARED).map(|k| k * (m - 1) / (COMPARED - 1)).collect();
    compared.dedup();
    let mut exact = DenseMatrix::zeros(m, compared.len());
    for (k, &j) in compared.iter().enumerate() {
        let mut x = vec![0.0; model.n()];
        H.add_column(j, 1.0, &mut x);
        gradients.solve(&mut x);
        (0..m).for_each(|i| exact.set(i, k, H.column_dot(i, &x)));
    }
    loop {
        let rows = restricted(H, gradients.near())?;
        let mut X = DenseMatrix::zeros(rows.n_rows(), compared.len());
        compared.iter().enumerate().for_each(|(k, &j)| rows.add_column(j, 1.0, X.column_mut(k)));
        gradients.solve_near(&mut X);
        let apart = (0..compared.len()).all(|k| {
            let own = exact.column(k);
            let size = percussion_matrix::vector::max_abs(own);
            (0..m).all(|i| (rows.column_dot(i, X.column(k)) - own[i]).abs() <= SAME * size)
        });
        if apart {
            return Some(rows);
        }
        let near = gradients.near().to_vec();
        if near.len() == model.n() || !look_near(model, gradients, near, LAYERS).unwrap_or(false) {
            return None;
        }
    }
}

/// The rows of H at some coordinates, ascending; none where others are touched.
fn restricted(H: &SparseMatrix, coordinates: &[usize]) -> Option<SparseMatrix> {
    let place = |i: usize| coordinates.binary_search(&i).ok();
    let entries = H.triplets().map(|(i, j, x)| Some((place(i)?, j, x))).collect::<Option<Vec<_>>>()?;
    SparseMatrix::from_triplets(coordinates.len(), H.n_cols(), &entries)
}
