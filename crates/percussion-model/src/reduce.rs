//! Linear models with coordinates held in place, and with coordinates without mass taken out.
//!
//!   held h:      q_h constant, M_fh = K_fh = 0,   F_f ← F_f − K_fh q_h,   w ← w + G_h·q_h
//!   massless c:  K_cc q_c = F_c − K_ci q_i,   K ← K_ii − K_ic K_cc⁻¹ K_ci,   F ← F_i − K_ic K_cc⁻¹ F_c
//!   modes:       C = Σ 2ζω (Mφ)(Mφ)ᵀ,   Kφ = ω²Mφ,   φᵀMφ = 1

use crate::code::Code;
use crate::{InputError, LinearParts, Signal};
use percussion_matrix::{DenseMatrix, Factor, Matrix, SparseMatrix};

/// Neighbours of coordinates without mass up to which these are taken out: the stiffness between them becomes full.
const MOST_NEIGHBOURS: usize = 5000;
/// Coordinates up to which modes are computed.
const MOST_MODES: usize = 1000;
/// Columns solved for at once.
const BLOCK: usize = 64;
/// Squares of frequencies below this part of the largest are those of motions without stiffness.
const RIGID: f64 = 1e-12;

/// Holds coordinates where q puts them. They stay in the model, coupled to nothing, so that the others keep their numbers; −K_fh q_h,
/// the pull of the springs on the others, is returned and not yet part of the load.
pub fn hold(parts: LinearParts, held: &[usize], q: &[f64]) -> Result<(LinearParts, Vec<f64>), InputError> {
    let n = parts.mass.n_rows();
    let mut is_held = vec![false; n];
    for (k, &i) in held.iter().enumerate() {
        if i >= n {
            let message = format!("names coordinate {i} but there are {n}");
            let help = format!("use coordinates 0 to {}", n.saturating_sub(1));
            return Err(InputError::new(Code::BAD_SHAPE, format!("model.fix[{k}]"), message, help));
        }
        is_held[i] = true;
    }
    let mut pull = vec![0.0; n];
    for (i, j, x) in parts.stiffness.iter().flat_map(Matrix::triplets) {
        if is_held[j] && !is_held[i] {
            pull[i] -= x * q[j];
        }
    }
    let row = |entries: &mut Vec<(usize, f64)>| {
        let moved: f64 = entries.iter().filter(|(i, _)| is_held.get(*i) == Some(&true)).map(|&(i, x)| x * q[i]).sum();
        entries.retain(|(i, _)| is_held.get(*i) != Some(&true));
        moved
    };
    let LinearParts { mass, damping, stiffness, mut force, mut contacts, mut joints } = parts;
    for contact in &mut contacts {
        contact.offset.mean += row(&mut contact.normal);
        for tangent in &mut contact.tangents {
            row(tangent);
        }
    }
    joints.iter_mut().for_each(|joint| joint.offset += row(&mut joint.row));
    force.iter_mut().zip(&is_held).filter(|(_, held)| **held).for_each(|(f, _)| *f = Signal::default());
    // v_h = 0: any mass will do
    let inertia = |x: f64| if x > 0.0 { x } else { 1.0 };
    let mass = uncoupled(mass, &is_held, inertia);
    let none = |_: f64| 0.0;
    let (damping, stiffness) =
        (damping.map(|C| uncoupled(C, &is_held, none)), stiffness.map(|K| uncoupled(K, &is_held, none)));
    Ok((LinearParts { mass, damping, stiffness, force, contacts, joints }, pull))
}

/// A without the rows and columns of the coordinates held, whose diagonal becomes `diagonal` of what it was.
fn uncoupled(A: Matrix, held: &[bool], diagonal: impl Fn(f64) -> f64) -> Matrix {
    let n = A.n_rows();
    let own: Vec<(usize, usize, f64)> =
        (0..n).filter(|&i| held[i]).map(|i| (i, i, diagonal(A.get(i, i)))).filter(|&(_, _, x)| x != 0.0).collect();
    match A {
        Matrix::Dense(mut A) => {
            for j in 0..n {
                let column = A.column_mut(j);
                (0..n).filter(|&i| held[i] || held[j]).for_each(|i| column[i] = 0.0);
            }
            own.iter().for_each(|&(i, j, x)| A.set(i, j, x));
            Matrix::Dense(A)
        }
        Matrix::Sparse(A) => {
            let mut entries: Vec<_> = A.triplets().filter(|&(i, j, _)| !held[i] && !held[j]).collect();
            entries.extend(own);
            Matrix::Sparse(SparseMatrix::from_triplets(n, n, &entries).expect("indices of a valid matrix"))
        }
    }
}

/// A model without the coordinates that have no mass, and those it has kept, ascending. Contacts, joints and dampers must not act on
/// the coordinates taken out: they follow the others at once, in equilibrium.
pub fn condense(parts: LinearParts) -> Result<(LinearParts, Vec<usize>), InputError> {
    let n = parts.mass.n_rows();
    let mut massless = vec![true; n];
    for (i, j, _) in parts.mass.triplets() {
        (massless[i], massless[j]) = (false, false);
    }
    let kept: Vec<usize> = (0..n).filter(|&i| !massless[i]).collect();
    if kept.len() == n {
        return Ok((parts, kept));
    }
    refuse_actions(&parts, &massless)?;
    let mut place = vec![0; n];
    let gone: Vec<usize> = (0..n).filter(|&i| massless[i]).collect();
    kept.iter().enumerate().for_each(|(k, &i)| place[i] = k);
    gone.iter().enumerate().for_each(|(k, &i)| place[i] = k);

    let K = parts.stiffness.as_ref().map(Matrix::triplets).unwrap_or_default();
    let block = |rows: bool, cols: bool| {
        let own = K.iter().filter(|(i, j, _)| massless[*i] == rows && massless[*j] == cols);
        own.map(|&(i, j, x)| (place[i], place[j], x)).collect::<Vec<_>>()
    };
    let sparse = |n: usize, m: usize, entries: &[(usize, usize, f64)]| {
        SparseMatrix::from_triplets(n, m, entries).expect("indices of a valid matrix")
    };
    let K_cc = sparse(gone.len(), gone.len(), &block(true, true));
    let K_ci = sparse(gone.len(), kept.len(), &block(true, false));
    let mut factor = Factor::new(&Matrix::Sparse(K_cc)).map_err(|failure| {
        let place = failure.row.map_or(String::new(), |row| format!(", first seen at coordinate {}", gone[row]));
        let message = format!("coordinates without mass are held by no stiffness{place}");
        InputError::new(Code::MASS_NOT_POSITIVE, "model.condense", message, "give them mass or stiffness")
    })?;

    let loaded = gone.iter().any(|&i| parts.force[i] != Signal::default());
    let (fill, responses) = schur(&K_ci, &mut factor, loaded)?;
    let mut entries = block(false, false);
    entries.extend(fill);
    let stiffness = sparse(kept.len(), kept.len(), &entries);
    let mut force: Vec<Signal> = kept.iter().map(|&i| parts.force[i].clone()).collect();
    for (j, response) in responses {
        for (&c, &x) in gone.iter().zip(&response).filter(|(_, x)| **x != 0.0) {
            force[j].add(-x, &parts.force[c]);
        }
    }
    let smaller = |A: &Matrix| {
        let own = A.triplets().into_iter().filter(|&(i, j, _)| !massless[i] && !massless[j]);
        let small = sparse(kept.len(), kept.len(), &own.map(|(i, j, x)| (place[i], place[j], x)).collect::<Vec<_>>());
        stored(small, A)
    };
    let renumber = |row: &[(usize, f64)]| row.iter().map(|&(i, x)| (place[i], x)).collect::<Vec<_>>();
    let mut contacts = parts.contacts.clone();
    for contact in &mut contacts {
        contact.normal = renumber(&contact.normal);
        contact.tangents.iter_mut().for_each(|tangent| *tangent = renumber(tangent));
    }
    let mut joints = parts.joints.clone();
    joints.iter_mut().for_each(|joint| joint.row = renumber(&joint.row));
    let reduced = LinearParts {
        mass: smaller(&parts.mass),
        damping: parts.damping.as_ref().map(smaller),
        stiffness: parts.stiffness.as_ref().map(|K| stored(stiffness, K)),
        force,
        contacts,
        joints,
    };
    Ok((reduced, kept))
}

/// As dense or sparse as the matrix it comes from.
fn stored(A: SparseMatrix, like: &Matrix) -> Matrix {
    let A = Matrix::Sparse(A);
    match like {
        Matrix::Dense(_) => Matrix::Dense(A.to_dense()),
        Matrix::Sparse(_) => A,
    }
}

/// −K_ic K_cc⁻¹ K_ci as entries, and K_cc⁻¹ K_cj of each coordinate j that touches the ones taken out, where these are loaded.
type Fill = (Vec<(usize, usize, f64)>, Vec<(usize, Vec<f64>)>);

fn schur(K_ci: &SparseMatrix, factor: &mut Factor, loaded: bool) -> Result<Fill, InputError> {
    let touched: Vec<usize> = (0..K_ci.n_cols()).filter(|&j| !K_ci.column(j).0.is_empty()).collect();
    if touched.len() > MOST_NEIGHBOURS {
        let message =
            format!("the stiffness between {} neighbours of coordinates without mass would be full", touched.len());
        let help = "give these coordinates a small mass, or condense the model where it is made";
        return Err(InputError::new(Code::TOO_LARGE, "model.condense", message, help));
    }
    let (mut fill, mut responses) = (Vec::new(), Vec::new());
    for block in touched.chunks(BLOCK) {
        let mut X = DenseMatrix::zeros(K_ci.n_rows(), block.len());
        block.iter().enumerate().for_each(|(k, &j)| K_ci.add_column(j, 1.0, X.column_mut(k)));
        factor.solve_columns(&mut X);
        for (k, &j) in block.iter().enumerate() {
            // one triangle, mirrored: the sum stays symmetric to the last bit
            for &i in touched.iter().filter(|&&i| i <= j) {
                let x = -K_ci.column_dot(i, X.column(k));
                fill.push((i, j, x));
                if i < j {
                    fill.push((j, i, x));
                }
            }
            if loaded {
                responses.push((j, X.column(k).to_vec()));
            }
        }
    }
    Ok((fill, responses))
}

/// Refuses contacts, joints and dampers on coordinates without mass.
fn refuse_actions(parts: &LinearParts, massless: &[bool]) -> Result<(), InputError> {
    let bare = |row: &[(usize, f64)]| row.iter().map(|&(i, _)| i).find(|&i| massless.get(i) == Some(&true));
    let refuse = |field: String, what: &str, i: usize| {
        let message = format!("{what} coordinate {i}, which has no mass and would be condensed");
        Err(InputError::new(Code::CONTRADICTION, field, message, "give the coordinate a mass"))
    };
    for (k, contact) in parts.contacts.iter().enumerate() {
        if let Some(i) = std::iter::once(&contact.normal).chain(&contact.tangents).find_map(|row| bare(row)) {
            return refuse(format!("model.contact[{k}]"), "touches", i);
        }
    }
    for (k, joint) in parts.joints.iter().enumerate() {
        if let Some(i) = bare(&joint.row) {
            return refuse(format!("model.joint[{k}]"), "holds", i);
        }
    }
    let dampers = parts.damping.as_ref().map(Matrix::triplets).unwrap_or_default();
    match dampers.into_iter().find(|&(i, j, _)| massless[i] || massless[j]) {
        Some((i, j, _)) => refuse("model.damping".into(), "acts on", if massless[i] { i } else { j }),
        None => Ok(()),
    }
}

/// C that gives the modes of M and K these ratios of damping: `ratio(k)` is ζ of the k-th mode with stiffness, by rising frequency.
pub fn modal_damping(M: &Matrix, K: &Matrix, ratio: impl Fn(usize) -> f64) -> Result<Matrix, InputError> {
    let n = M.n_rows();
    let refuse =
        |code: Code, message: String, help: &str| Err(InputError::new(code, "model.damping.ratios", message, help));
    if n > MOST_MODES {
        let message = format!("{n} coordinates; the limit for modes is {MOST_MODES}");
        return refuse(Code::TOO_LARGE, message, "use damping = { mass, stiffness }, or give the matrix");
    }
    let Ok(Factor::DenseCholesky(L)) = Factor::cholesky(&Matrix::Dense(M.to_dense())) else {
        return refuse(Code::MASS_NOT_POSITIVE, "the mass matrix is not positive definite".into(), "correct it first");
    };
    // A = L⁻¹ K L⁻ᵀ = Y ω² Yᵀ, Mφ = L y
    let mut A = K.to_dense();
    (0..n).for_each(|j| forward(&L, A.column_mut(j)));
    let mut A = transposed(&A);
    (0..n).for_each(|j| forward(&L, A.column_mut(j)));
    let Some((squares, Y)) = A.symmetric_eigen() else {
        return refuse(Code::NOT_FINITE, "the modes cannot be computed".into(), "check mass and stiffness");
    };
    let largest = squares.iter().fold(0.0_f64, |a, &b| a.max(b.abs()));
    let mut C = DenseMatrix::zeros(n, n);
    let vibrating = (0..n).filter(|&k| squares[k] > RIGID * largest);
    for (number, k) in vibrating.enumerate() {
        let c = 2.0 * ratio(number) * squares[k].sqrt();
        if c == 0.0 {
            continue;
        }
        let mut u = vec![0.0; n];
        for j in 0..n {
            (j..n).for_each(|i| u[i] += L.get(i, j) * Y.get(j, k));
        }
        for j in 0..n {
            C.column_mut(j).iter_mut().zip(&u).for_each(|(x, ui)| *x += c * ui * u[j]);
        }
    }
    Ok(Matrix::Dense(C).symmetric_part())
}

/// x ← L⁻¹ x.
fn forward(L: &DenseMatrix, x: &mut [f64]) {
    for j in 0..x.len() {
        x[j] /= L.get(j, j);
        let xj = x[j];
        (j + 1..x.len()).for_each(|i| x[i] -= L.get(i, j) * xj);
    }
}

fn transposed(A: &DenseMatrix) -> DenseMatrix {
    let n = A.n_rows();
    let mut T = DenseMatrix::zeros(n, n);
    for j in 0..n {
        (0..n).for_each(|i| T.set(j, i, A.get(i, j)));
    }
    T
}
