//! Systems solved by products with the matrix: the answers of a factor, on any number of threads.

use percussion_matrix::{ConjugateGradients, Factor, Matrix, SparseMatrix, vector};

/// M + c K of a cube of n³ springs, three coordinates a node that feel each other; nodes with z = 0 have no mass.
fn cube(n: usize, c: f64) -> SparseMatrix {
    let at = |i: usize, j: usize, k: usize| i + n * (j + n * k);
    let mut entries = Vec::new();
    for node in 0..n * n * n {
        let (i, j, k) = (node % n, node / n % n, node / (n * n));
        for a in 0..3 {
            let mass = if k == 0 { 0.0 } else { 1.0 + 0.1 * ((node * 7 + a) % 5) as f64 };
            entries.push((3 * node + a, 3 * node + a, mass));
        }
        let ahead = [
            (i + 1 < n).then(|| at(i + 1, j, k)),
            (j + 1 < n).then(|| at(i, j + 1, k)),
            (k + 1 < n).then(|| at(i, j, k + 1)),
        ];
        for (axis, other) in ahead.into_iter().enumerate().filter_map(|(axis, other)| Some((axis, other?))) {
            for a in 0..3 {
                for b in 0..3 {
                    let stiff = c * (f64::from(u8::from(a == b)) + if a == axis && b == axis { 1.5 } else { 0.2 });
                    entries.extend([(3 * node + a, 3 * node + b, stiff), (3 * other + a, 3 * other + b, stiff)]);
                    entries.extend([(3 * node + a, 3 * other + b, -stiff), (3 * other + b, 3 * node + a, -stiff)]);
                }
            }
        }
    }
    SparseMatrix::from_triplets(3 * n * n * n, 3 * n * n * n, &entries).expect("in range")
}

/// The answers of a factor to round-off, the same bits on any number of threads, and with a factor near the nodes without
/// mass in fewer products than without.
#[test]
fn products_solve_what_factors_solve() {
    let (n, c) = (14, 0.06);
    let A = cube(n, c);
    let b: Vec<f64> =
        (0..A.n_cols()).map(|i| ((i * 37 % 101) as f64 - 50.0) * if i % 11 == 0 { 1e3 } else { 1.0 }).collect();
    let mut exact = b.clone();
    Factor::cholesky(&Matrix::Sparse(A.clone())).expect("definite").solve(&mut exact);
    let near: Vec<usize> = (0..3 * n * n * 4).collect();
    let mut made = Vec::new();
    for (helped, threads) in [(false, 1), (true, 1), (true, 2), (true, 4)] {
        let mut gradients = ConjugateGradients::new(&A).expect("positive diagonal");
        gradients.use_threads(threads);
        if helped {
            gradients.look_near(near.clone(), None, true).expect("definite");
        }
        let mut x = b.clone();
        gradients.solve(&mut x);
        let apart = x.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart <= 2e-14 * vector::max_abs(&exact), "{apart:.1e}");
        let mut rest = b.clone();
        Matrix::Sparse(A.clone()).mul_add(-1.0, &x, &mut rest);
        assert!(vector::max_abs(&rest) <= 1e-14 * vector::max_abs(&b));
        made.push((gradients.products(), x));
    }
    eprintln!("products: {} alone, {} with a factor near the surface", made[0].0, made[1].0);
    assert!(made[1].0 < made[0].0 && made[1].0 <= 40);
    assert!(made[1..].windows(2).all(|pair| pair[0] == pair[1]));
}

/// Blocks and neighbours are those of the matrix; zero is answered by zero, and a diagonal that is not positive is refused.
#[test]
fn parts_of_the_matrix() {
    let A = cube(3, 1.0);
    let mut gradients = ConjugateGradients::new(&A).expect("positive diagonal");
    let groups = gradients.matrix();
    let chosen = [0, 1, 5, 9, 10, 11, 40];
    let block = groups.block(&chosen);
    for (a, &i) in chosen.iter().enumerate() {
        for (b, &j) in chosen.iter().enumerate() {
            assert_eq!(block.get(a, b), A.get(i, j));
        }
    }
    let coupled: Vec<usize> = (0..A.n_cols()).filter(|&i| i == 40 || A.column(40).0.contains(&i)).collect();
    assert_eq!(groups.neighbourhood(&[40]), coupled);
    let mut x = vec![0.0; A.n_cols()];
    gradients.solve(&mut x);
    assert!(x.iter().all(|&x| x == 0.0));
    let zero = SparseMatrix::from_diagonal(&[1.0, 0.0]);
    assert_eq!(ConjugateGradients::new(&zero).expect_err("singular").row, Some(1));
}

/// What acts near contacts begins with the answer of the factor there: fewer products, the same answer; what acts elsewhere does not.
#[test]
fn what_acts_near_contacts_is_answered_sooner() {
    let (n, c) = (14, 0.06);
    let mut A = cube(n, c);
    // mass everywhere
    for i in 0..3 * n * n {
        let place = A.col_ptr()[i] + A.column(i).0.binary_search(&i).expect("on the diagonal");
        A.values_mut()[place] += 1.0;
    }
    let near: Vec<usize> = (0..3 * n * n * 7).collect();
    let mut gradients = ConjugateGradients::new(&A).expect("positive diagonal");
    gradients.look_near(near, None, false).expect("definite");
    let mut factor = Factor::cholesky(&Matrix::Sparse(A.clone())).expect("definite");
    let mut products = |i: usize| {
        let (mut x, before) = (vec![0.0; A.n_cols()], gradients.products());
        x[i] = 1.0;
        let mut exact = x.clone();
        factor.solve(&mut exact);
        gradients.solve(&mut x);
        let apart = x.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart <= 1e-14 * vector::max_abs(&exact), "{apart:.1e}");
        gradients.products() - before
    };
    let (inside, outside) = (products(n), products(A.n_cols() - 1));
    eprintln!("products: {inside} near contacts, {outside} elsewhere");
    assert!(3 * inside <= 2 * outside);
}
