//! What lies between the interfaces: how it follows them, and how it vibrates while they stand still.
//!
//!   Ψ = −K_II⁻¹K_IB,    K_II φ = λ M_II φ by iteration of subspaces: X ← K_II⁻¹M X, then the best φ = X y among them

use super::eigen::{Triangle, times, times_transposed};
use super::{FiniteBody, Interface};
use crate::bodies::math::Vec3;
use crate::{Code, InputError};
use percussion_matrix::{DenseMatrix, Factor, Matrix, SparseMatrix};

/// Change of the eigenvalues at which the iteration ends, and the most iterations.
const SETTLED: f64 = 1e-11;
const ITERATIONS: usize = 200;

/// The interior of a body.
pub struct Interior {
    /// Its number among interior coordinates, of every coordinate.
    inside: Vec<Option<usize>>,
    /// Ψ and φ, column by column.
    columns: DenseMatrix,
    /// M_II.
    masses: Vec<f64>,
    /// K̂ of the interfaces.
    condensed: DenseMatrix,
    /// λ of φ.
    squares: Vec<f64>,
}

impl Interior {
    pub fn new(body: &FiniteBody, sets: &[Interface], modes: usize) -> Result<Self, InputError> {
        let n = body.per_node();
        let mut held: Vec<Option<&Interface>> = vec![None; body.places.len()];
        sets.iter().for_each(|set| set.nodes.iter().for_each(|&i| held[i] = Some(set)));
        let mut count = 0;
        let mut number = |i: usize| {
            held[i / n].is_none().then(|| {
                count += 1;
                count - 1
            })
        };
        let inside: Vec<Option<usize>> = (0..n * body.places.len()).map(&mut number).collect();
        let width: usize = sets.iter().map(Interface::n_columns).sum();
        let columns_of = |i: usize| held[i / n].map_or_else(Vec::new, |set| set.columns(&body.places[i / n], i % n));
        let mut within = Vec::new();
        let (mut across, mut between) = (DenseMatrix::zeros(count, width), DenseMatrix::zeros(width, width));
        for (i, j, k) in body.stiffness.triplets() {
            match (inside[i], inside[j]) {
                (Some(a), Some(b)) => within.push((a, b, k)),
                (Some(a), None) => {
                    columns_of(j).into_iter().for_each(|(c, x)| across.set(a, c, across.get(a, c) + k * x));
                }
                (None, Some(_)) => {}
                (None, None) => {
                    for (r, x) in columns_of(i) {
                        columns_of(j).into_iter().for_each(|(c, y)| between.set(r, c, between.get(r, c) + k * x * y));
                    }
                }
            }
        }
        let held_badly = || {
            let message = "with its interfaces held the body can still move";
            let help = "name at least three nodes that are not on a line, or a set of nodes; check that K is symmetric";
            InputError::new(Code::NOT_REDUCED, "interfaces", message, help)
        };
        let K = SparseMatrix::from_triplets(count, count, &within).filter(|_| count > 0).ok_or_else(held_badly)?;
        let mut factor = Factor::cholesky(&Matrix::Sparse(K)).map_err(|_| held_badly())?;
        let mut follow = across.clone();
        follow.values_mut().iter_mut().for_each(|x| *x = -*x);
        factor.solve_columns(&mut follow);
        let mut condensed = times_transposed(&across, &follow);
        condensed.values_mut().iter_mut().zip(between.values()).for_each(|(x, k)| *x += k);
        if !condensed.values().iter().all(|x| x.is_finite()) {
            return Err(held_badly());
        }
        let masses: Vec<f64> = (0..inside.len()).filter(|&i| inside[i].is_some()).map(|i| body.mass_of(i)).collect();
        let massive = masses.iter().filter(|m| **m > 0.0).count();
        let Some(room) = massive.checked_sub(width) else {
            let message = format!("they have {width} coordinates, and only {massive} between them have mass");
            let help = "name fewer or smaller interfaces, or use a finer mesh";
            return Err(InputError::new(Code::NOT_REDUCED, "interfaces", message, help));
        };
        let (squares, vectors) = lowest(&mut factor, &masses, modes.min(room)).ok_or_else(held_badly)?;
        let mut all = follow.values().to_vec();
        all.extend(vectors.values());
        let columns = DenseMatrix::from_columns(count, width + squares.len(), all).ok_or_else(held_badly)?;
        Ok(Self { inside, columns, masses, condensed, squares })
    }

    /// K̂ of interfaces and modes.
    pub fn stiffness(&self) -> DenseMatrix {
        let (n, width) = (self.columns.n_cols(), self.condensed.n_rows());
        let mut K = DenseMatrix::zeros(n, n);
        for i in 0..width {
            (0..width).for_each(|j| K.set(i, j, 0.5 * (self.condensed.get(i, j) + self.condensed.get(j, i))));
        }
        self.squares.iter().enumerate().for_each(|(k, &square)| K.set(width + k, width + k, square));
        K
    }

    /// M̂ of the interior.
    pub fn mass(&self) -> DenseMatrix {
        let mut heavy = self.columns.clone();
        (0..heavy.n_cols()).for_each(|j| weigh(&self.masses, heavy.column_mut(j)));
        times_transposed(&self.columns, &heavy)
    }

    /// The highest frequency kept, zero where none is.
    pub fn cutoff(&self) -> f64 {
        self.squares.last().map_or(0.0, |square| square.sqrt())
    }

    /// Displacements of the interior for columns of interface motions and modes.
    pub fn moved(&self, modes: &DenseMatrix) -> DenseMatrix {
        times(&self.columns, modes)
    }

    /// Whether coordinate i is inside.
    pub fn is_inside(&self, i: usize) -> bool {
        self.inside[i].is_some()
    }

    /// Coordinate i, zero where it is not inside.
    pub fn coordinate(&self, i: usize, moved: &[f64]) -> f64 {
        self.inside[i].map_or(0.0, |at| moved[at])
    }

    /// Three displacements from coordinate i on, where it is inside.
    pub fn displacement(&self, i: usize, moved: &[f64]) -> Option<Vec3> {
        self.inside[i].map(|at| [moved[at], moved[at + 1], moved[at + 2]])
    }
}

fn weigh(masses: &[f64], x: &mut [f64]) {
    x.iter_mut().zip(masses).for_each(|(x, m)| *x *= m);
}

/// The lowest eigenvalues of K φ = λ M φ, rising, and vectors of unit mass.
fn lowest(factor: &mut Factor, masses: &[f64], wanted: usize) -> Option<(Vec<f64>, DenseMatrix)> {
    let n = masses.len();
    if wanted == 0 {
        return Some((Vec::new(), DenseMatrix::zeros(n, 0)));
    }
    let massive: Vec<usize> = (0..n).filter(|&i| masses[i] > 0.0).collect();
    let size = (2 * wanted).min(wanted + 8).min(massive.len());
    // heavy coordinates one by one where all are wanted, else columns without symmetry, the same in every run
    let mut seed = 1_u64;
    let mut dice = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let mut heavy = DenseMatrix::zeros(n, size);
    for j in 0..size {
        massive.iter().for_each(|&i| heavy.set(i, j, dice() * masses[i]));
    }
    let mut before = vec![f64::INFINITY; wanted];
    let mut found = None;
    for _ in 0..ITERATIONS {
        // X = K⁻¹(M X before), XᵀKX = XᵀM(X before)
        let mut X = heavy.clone();
        factor.solve_columns(&mut X);
        let K = times_transposed(&X, &heavy);
        heavy = X.clone();
        (0..size).for_each(|j| weigh(masses, heavy.column_mut(j)));
        let M = times_transposed(&X, &heavy);
        let (mu, y) = Triangle::new(K)?.modes(M)?;
        // μ rises, so the lowest are the last; vectors of unit mass
        let order: Vec<usize> = (0..size).rev().collect();
        let mut turn = DenseMatrix::zeros(size, size);
        for (to, &j) in order.iter().enumerate() {
            let unit = 1.0 / mu[j].max(f64::MIN_POSITIVE).sqrt();
            turn.column_mut(to).iter_mut().zip(y.column(j)).for_each(|(t, y)| *t = unit * y);
        }
        let X = times(&X, &turn);
        heavy = X.clone();
        (0..size).for_each(|j| weigh(masses, heavy.column_mut(j)));
        let now: Vec<f64> = order.iter().take(wanted).map(|&j| 1.0 / mu[j]).collect();
        let settled = now.iter().zip(&before).all(|(a, b)| (a - b).abs() <= SETTLED * a);
        before = now;
        found = Some(X);
        if settled {
            break;
        }
    }
    let X = found?;
    let kept: Vec<f64> = (0..wanted).flat_map(|j| X.column(j).to_vec()).collect();
    Some((before, DenseMatrix::from_columns(n, wanted, kept)?))
}
