use super::*;
use crate::bodies::math::norm;
use crate::flexible::{BeamElement, StrainMeasure, diagonal6};
use percussion_matrix::Matrix;

/// An L-frame of n beam elements a side, clamped nowhere, from the elements' own tangents at rest: six coordinates a node.
fn frame(n: usize) -> FiniteBody {
    use crate::bodies::Frame;
    use crate::bodies::measure::Passage;
    let mut places: Vec<Vec3> = (0..=n).map(|k| [0.5 * k as f64 / n as f64, 0.0, 0.0]).collect();
    places.extend((1..=n).map(|k| [0.5, 0.4 * k as f64 / n as f64, 0.0]));
    let N = places.len();
    let C = diagonal6(&[7e5, 2e5, 2e5, 30.0, 40.0, 60.0]);
    let (mut triplets, mut masses, mut inertias) = (Vec::new(), vec![0.0; N], vec![[0.0; 3]; N]);
    for e in 0..N - 1 {
        let d = sub(&places[e + 1], &places[e]);
        let along = scale(1.0 / norm(&d), &d);
        let third = [0.0, 0.0, 1.0];
        let second = cross(&third, &along);
        // columns are the axes of the section
        let R: Mat3 = std::array::from_fn(|i| [along[i], second[i], third[i]]);
        let at = |x: Vec3| Frame { x, q: [1.0, 0.0, 0.0, 0.0], R };
        let ends = [at(places[e]), at(places[e + 1])];
        let element = BeamElement::unstressed(StrainMeasure::Se3, &ends[0], &ends[1], C, 0.0);
        let [a, b] = [0, 1].map(|k| Passage::resting(&ends[k]));
        let (_, K) = crate::flexible::Element::Beam(element).with_tangent(&a, &b, 1.0, None);
        // turns stand in the frame of the section: θ_body = Rᵀθ; the tangent of a step is half that of its end
        for (i, row) in K.iter().enumerate() {
            for (j, block) in row.iter().enumerate() {
                let turned = turned_block(block, &R);
                for r in 0..6 {
                    for c in 0..6 {
                        triplets.push((6 * (e + i) + r, 6 * (e + j) + c, 2.0 * turned[r][c]));
                    }
                }
            }
        }
        for k in [e, e + 1] {
            masses[k] += 0.5 * norm(&d) * 1.2;
            (0..3).for_each(|a| inertias[k][a] += 0.5 * norm(&d) * 2e-4);
        }
    }
    let stiffness = SparseMatrix::from_triplets(6 * N, 6 * N, &triplets).expect("entries");
    FiniteBody { places, masses, inertias: Some(inertias), stiffness }
}

fn turned_block(K: &[[f64; 6]; 6], R: &Mat3) -> [[f64; 6]; 6] {
    let mut T = [[0.0; 6]; 6];
    for i in 0..3 {
        T[i][i] = 1.0;
        for j in 0..3 {
            T[3 + i][3 + j] = R[j][i];
        }
    }
    // TᵀKT with θ_body = Rᵀθ
    let KT: [[f64; 6]; 6] = std::array::from_fn(|i| std::array::from_fn(|j| (0..6).map(|k| K[i][k] * T[k][j]).sum()));
    std::array::from_fn(|i| std::array::from_fn(|j| (0..6).map(|k| T[k][i] * KT[k][j]).sum()))
}

/// ω of the whole body by a dense decomposition of all its coordinates.
fn all_frequencies(body: &FiniteBody) -> Vec<f64> {
    let n = body.stiffness.n_rows();
    let root: Vec<f64> = (0..n).map(|i| body.mass_of(i).sqrt()).collect();
    let mut A = Matrix::Sparse(body.stiffness.clone()).to_dense();
    for i in 0..n {
        (0..n).for_each(|j| A.set(i, j, A.get(i, j) / (root[i] * root[j])));
    }
    let (values, _) = A.symmetric_eigen().expect("eigenvalues");
    values.into_iter().map(|x| x.max(0.0).sqrt()).collect()
}

/// Frequencies below half the cut-off agree with the whole model to 1 %, and the error falls as modes are added.
#[test]
fn frequencies_of_an_l_frame() {
    let body = frame(9);
    let exact = all_frequencies(&body);
    let mut worst_before = f64::INFINITY;
    for modes in [4, 8, 16] {
        let reduced = body.reduce(&[vec![0], vec![18]], modes).expect("a reduction");
        assert_eq!(reduced.whole.len(), 6 + modes);
        let mut worst = 0.0_f64;
        for (k, omega) in reduced.whole.iter().enumerate().filter(|(_, omega)| **omega < 0.5 * reduced.cutoff) {
            worst = worst.max((omega / exact[6 + k] - 1.0).abs());
        }
        assert!(worst < 1e-2, "{modes} modes: {worst:.1e}");
        let first = reduced.whole[0] / exact[6] - 1.0;
        assert!((-1e-9..worst_before).contains(&first), "{modes} modes: {first:.1e}");
        worst_before = first.max(1e-9);
    }
}

/// Modes have unit mass, and neither move nor turn the body as a whole.
#[test]
fn modes_are_about_mean_axes() {
    let body = frame(6);
    let sets = body.interfaces(&[vec![0], vec![12]]).expect("interfaces");
    let interior = Interior::new(&body, &sets, 6).expect("an interior");
    let reduced = body.reduce(&[vec![0], vec![12]], 6).expect("a reduction");
    let (K, M) = (interior.stiffness(), interior.mass());
    let Y = body.rigid_columns(&sets, &reduced.centre, K.n_rows());
    let (_, modes) = lifted_modes(&K, &M, &Y).expect("modes");
    let moved = interior.moved(&modes);
    let weight = |i: usize, j: usize, rigid: &[f64]| -> f64 {
        let at = |c: usize| interior.displacement(6 * i, moved.column(j)).map(|x| x[c]).unwrap_or(0.0);
        (0..3).map(|c| body.masses[i] * at(c) * rigid[6 * i + c]).sum()
    };
    for motion in 0..3 {
        let rigid = body.rigid(&reduced.centre, motion);
        for j in 0..modes.n_cols() {
            let sum: f64 = (0..body.places.len()).map(|i| weight(i, j, &rigid)).sum();
            assert!(sum.abs() < 1e-10, "motion {motion} of mode {j}: {sum:.1e}");
        }
    }
    let heavy = eigen::times(&M, &modes);
    let unit = eigen::times_transposed(&modes, &heavy);
    for i in 0..modes.n_cols() {
        for j in 0..modes.n_cols() {
            assert!((unit.get(i, j) - f64::from(u8::from(i == j))).abs() < 1e-8);
        }
    }
}

/// What cannot be reduced is refused by its reason.
#[test]
fn refusals() {
    let body = frame(3);
    let code = |body: &FiniteBody, sets: &[Vec<usize>]| body.reduce(sets, 2).expect_err("refused").code;
    assert_eq!(code(&body, &[vec![99]]), Code::BAD_NAME);
    assert_eq!(code(&body, &[vec![0], vec![0]]), Code::CONTRADICTION);
    assert_eq!(code(&body, &[]), Code::BAD_SHAPE);
    let mut held = body.clone();
    let mut triplets: Vec<_> = held.stiffness.triplets().collect();
    triplets.push((0, 0, 1e6));
    held.stiffness = SparseMatrix::from_triplets(42, 42, &triplets).expect("entries");
    assert_eq!(code(&held, &[vec![0]]), Code::NOT_REDUCED);
    let mut skew = body.clone();
    triplets.pop();
    triplets.push((0, 1, 1e6));
    skew.stiffness = SparseMatrix::from_triplets(42, 42, &triplets).expect("entries");
    assert_eq!(code(&skew, &[vec![0]]), Code::STIFFNESS_NOT_SYMMETRIC);
    let mut bare = body;
    bare.masses[0] = 0.0;
    assert_eq!(code(&bare, &[vec![0]]), Code::BAD_MASS);
}
