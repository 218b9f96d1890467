//! Factors on the elimination tree: they solve, they refuse, and threads change no bit.

use percussion_matrix::{Factor, Matrix, SparseMatrix};

/// Deterministic numbers in (−1, 1).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Unknowns of a box of n[0] × n[1] × n[2] places, d each, coupled to all neighbours; symmetric and definite, or with a skew part.
fn coupled(n: [usize; 3], d: usize, skew: f64) -> SparseMatrix {
    let mut noise = Noise(3);
    let at = |i: [usize; 3]| (i[2] * n[1] + i[1]) * n[0] + i[0];
    let mut entries = Vec::new();
    for (i, j, k) in (0..n[2]).flat_map(|k| (0..n[1]).flat_map(move |j| (0..n[0]).map(move |i| (i, j, k)))) {
        let own = at([i, j, k]);
        for (a, b) in (0..d).flat_map(|a| (0..d).map(move |b| (a, b))) {
            if a == b {
                entries.push((d * own + a, d * own + a, 60.0 * d as f64 / 3.0 + noise.next()));
            }
            for step in [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [0, 1, 1], [1, 0, 1]] {
                let to = [i + step[0], j + step[1], k + step[2]];
                if (0..3).any(|axis| to[axis] >= n[axis]) {
                    continue;
                }
                let other = at(to);
                let (x, y) = (noise.next(), skew * noise.next());
                entries.push((d * own + a, d * other + b, x + y));
                entries.push((d * other + b, d * own + a, x - y));
            }
        }
    }
    let n = d * n[0] * n[1] * n[2];
    SparseMatrix::from_triplets(n, n, &entries).expect("in range")
}

fn right_side(n: usize) -> Vec<f64> {
    let mut noise = Noise(11);
    (0..n).map(|_| noise.next()).collect()
}

/// max |b − A x|.
fn left(A: &Matrix, x: &[f64], b: &[f64]) -> f64 {
    let mut r = b.to_vec();
    A.mul_add(-1.0, x, &mut r);
    percussion_matrix::vector::max_abs(&r)
}

/// Columns with a few entries each, at one end of a matrix and strewn over it.
fn some(n: usize, columns: usize) -> SparseMatrix {
    let mut noise = Noise(columns as u64);
    let row = |j: usize, k: usize| if j.is_multiple_of(3) { (j * 977 + 131 * k) % n } else { (5 * j + k) % n };
    let entries: Vec<_> =
        (0..columns).flat_map(|j| (0..4).map(move |k| (j, k))).map(|(j, k)| (row(j, k), j, noise.next())).collect();
    SparseMatrix::from_triplets(n, columns, &entries).expect("in range")
}

/// Boxes and plates, with one and three unknowns to a place: large enough for panels of several tiles and levels above the subtrees.
fn shapes() -> [([usize; 3], usize); 3] {
    [([14, 14, 13], 3), ([70, 62, 1], 1), ([24, 22, 21], 1)]
}

/// A x = b to round-off, first and with new numbers, and the same bits whatever the threads.
#[test]
fn threads_change_no_bit() {
    for (n, d) in shapes() {
        for skew in [0.0, 0.4] {
            let A = Matrix::Sparse(coupled(n, d, skew));
            let B = Matrix::combination(A.n_rows(), &[(0.37, &A)]);
            let b = right_side(A.n_rows());
            let order: Vec<usize> = percussion_matrix::dissected_by_pattern(match &A {
                Matrix::Sparse(A) => A,
                Matrix::Dense(_) => unreachable!("made sparse"),
            });
            let solved = [1, 2, 3, 4].map(|threads| {
                let mut factor = if skew == 0.0 {
                    Factor::in_order(&A, Some(&order), threads).expect("definite")
                } else {
                    Factor::lu_in_order(&A, &order, threads).expect("regular")
                };
                factor.use_threads(threads);
                let mut x = b.clone();
                factor.solve(&mut x);
                assert!(left(&A, &x, &b) <= 1e-13, "{n:?}: {:e}", left(&A, &x, &b));
                let W = factor.between(&some(A.n_rows(), 21), &some(A.n_rows(), 40));
                factor.refactor(&B).expect("regular");
                let mut y = b.clone();
                factor.solve(&mut y);
                assert!(left(&B, &y, &b) <= 1e-13);
                (x, y, W)
            });
            solved.iter().for_each(|other| assert!(*other == solved[0], "{n:?}, {d}, {skew}"));
        }
    }
}

/// Gᵀ A⁻¹ H is what solving for each column gives, with rows that G asks for and H has not, and with no columns at all.
#[test]
fn between_few_rows() {
    let [one, two, three] = shapes();
    for (n, d) in [one, two, three] {
        for skew in [0.0, 0.4] {
            let S = coupled(n, d, skew);
            let order = percussion_matrix::dissected_by_pattern(&S);
            let A = Matrix::Sparse(S);
            let mut factor = if skew == 0.0 {
                Factor::in_order(&A, Some(&order), 2).expect("definite")
            } else {
                Factor::lu_in_order(&A, &order, 2).expect("regular")
            };
            for (rows, columns) in [(33, 50), (1, 16), (40, 1), (0, 3), (3, 0)] {
                let (G, H) = (some(A.n_rows(), rows), some(A.n_rows(), columns));
                let W = factor.between(&G, &H);
                let exact = percussion_matrix::between_by_columns(&G, &H, |x| factor.solve(x));
                assert_eq!((W.n_rows(), W.n_cols()), (rows, columns));
                let off = W.values().iter().zip(exact.values()).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
                assert!(off <= 1e-15, "{n:?}, {skew}, {rows} × {columns}: {off:e}");
            }
        }
    }
}

/// A factor of the same pattern shares what is known of it.
#[test]
fn similar_factors() {
    let A = Matrix::Sparse(coupled([16, 16, 16], 1, 0.0));
    let B = Matrix::combination(A.n_rows(), &[(2.0, &A)]);
    let first = Factor::in_order(&A, None, 2).expect("definite");
    let (mut own, mut lent) = (Factor::in_order(&B, None, 1).expect("definite"), first.similar(&B).expect("definite"));
    let b = right_side(A.n_rows());
    let (mut x, mut y) = (b.clone(), b);
    own.solve(&mut x);
    lent.solve(&mut y);
    assert_eq!(x, y);
}

/// The row at which a large matrix ceases to be definite is one of those to blame, the same for any number of threads.
#[test]
fn an_indefinite_matrix_is_refused() {
    for bad in [0, 2100, 4095] {
        let mut A = coupled([16, 16, 16], 1, 0.0);
        let at = A.col_ptr()[bad] + A.column(bad).0.binary_search(&bad).expect("on the diagonal");
        A.values_mut()[at] = -1e3;
        let A = Matrix::Sparse(A);
        let rows = [1, 2, 4].map(|threads| Factor::in_order(&A, None, threads).expect_err("indefinite").row);
        assert_eq!(rows[0], Some(bad));
        assert!(rows[0] == rows[1] && rows[0] == rows[2]);
    }
}

/// Where elimination without pivots meets a zero, or loses its digits, rows are exchanged after all; where none helps it is refused.
#[test]
fn without_pivots_only_where_it_is_exact() {
    let n = 5000;
    let mut entries: Vec<(usize, usize, f64)> = Vec::new();
    for i in (0..n).step_by(2) {
        let small = if i % 4 == 0 { 0.0 } else { 1e-14 };
        entries.extend([(i, i, small), (i, i + 1, 1.0), (i + 1, i, 1.0), (i + 1, i + 1, 1.0)]);
        if i + 3 < n {
            entries.extend([(i + 1, i + 3, 0.25), (i + 3, i + 1, 0.25)]);
        }
    }
    let A = SparseMatrix::from_triplets(n, n, &entries).expect("in range");
    let order: Vec<usize> = (0..n).collect();
    let b = right_side(n);
    let A = Matrix::Sparse(A);
    let mut factor = Factor::lu_in_order(&A, &order, 2).expect("regular");
    let mut x = b.clone();
    factor.solve(&mut x);
    assert!(left(&A, &x, &b) <= 1e-12);
    // and back to numbers that need no pivots
    let mut dominant = entries.clone();
    dominant.iter_mut().filter(|(i, j, _)| i == j).for_each(|entry| entry.2 = 5.0);
    let B = Matrix::Sparse(SparseMatrix::from_triplets(n, n, &dominant).expect("in range"));
    factor.refactor(&B).expect("regular");
    let mut x = b.clone();
    factor.solve(&mut x);
    let mut y = b.clone();
    Factor::lu_in_order(&B, &order, 1).expect("regular").solve(&mut y);
    assert_eq!(x, y);

    let mut singular = entries;
    singular.iter_mut().filter(|(i, j, _)| *i == 10 || *j == 10).for_each(|entry| entry.2 = 0.0);
    let C = Matrix::Sparse(SparseMatrix::from_triplets(n, n, &singular).expect("in range"));
    assert!(Factor::lu_in_order(&C, &order, 2).is_err());
}

/// Parts that do not touch, and unknowns coupled to nothing.
#[test]
fn forests() {
    let part = coupled([13, 13, 13], 1, 0.0);
    let k = part.n_rows();
    let n = 3 * k + 10;
    let shifted = |shift: usize| part.triplets().map(move |(i, j, x)| (i + shift, j + shift, x)).collect::<Vec<_>>();
    let mut entries = [shifted(0), shifted(k + 5), shifted(2 * k + 5)].concat();
    entries.extend((k..k + 5).chain(3 * k + 5..n).map(|i| (i, i, 2.0)));
    let A = Matrix::Sparse(SparseMatrix::from_triplets(n, n, &entries).expect("in range"));
    let b = right_side(n);
    for threads in [1, 3] {
        let mut factor = Factor::in_order(&A, None, threads).expect("definite");
        let mut x = b.clone();
        factor.solve(&mut x);
        assert!(left(&A, &x, &b) <= 1e-13);
    }
}
