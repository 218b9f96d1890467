//! What is written is read back, digit by digit.

mod common;

use common::{Dice, problems};
use percussion_files::{ContactProblem, ProblemFile, StoredState, read, write_dat, write_fclib};

#[test]
fn dat_files_come_back() {
    let mut dice = Dice(1);
    for round in 0..20 {
        for (k, problem) in problems(&mut dice).into_iter().enumerate() {
            let text = write_dat(&problem).expect("a format for every problem here");
            for kind in [None, Some(problem.kind())] {
                let file = read(text.as_bytes(), kind).unwrap_or_else(|error| panic!("{round} {k}: {error}\n{text}"));
                assert_eq!(file.problem, problem, "round {round}, problem {k}");
                assert!(file.notes.is_empty(), "{:?}", file.notes);
            }
        }
    }
}

#[test]
fn fclib_files_come_back() {
    let mut dice = Dice(2);
    for (k, problem) in problems(&mut dice).into_iter().enumerate() {
        let mut file = ProblemFile::new(problem);
        let friction = matches!(file.problem, ContactProblem::Local(_) | ContactProblem::Global(_));
        file.title = "five cubes".into();
        file.description = "leaning on each other".into();
        file.solution = Some(StoredState { r: dice.numbers(6), u: dice.numbers(6), v: dice.numbers(2) });
        file.guesses = vec![StoredState { r: dice.numbers(3), ..StoredState::default() }];
        match write_fclib(&file) {
            Some(bytes) => {
                assert!(friction);
                let back = read(&bytes, None).unwrap_or_else(|error| panic!("problem {k}: {error}"));
                assert_eq!(back, file, "problem {k}");
            }
            None => assert!(!friction, "problem {k}"),
        }
    }
}

/// A mass matrix of which one triangle is stored is completed, with a note.
#[test]
fn half_stored_masses_are_completed() {
    let text = "2\n0\n2 2 2\n1\nCSparse Version\ntriplet: 2-by-2, nzmax: 3 nnz: 3\n 0 0 : 2\n 0 1 : 1\n 1 1 : 3\n\
                2 2 0\n2\nCSparse Version\n2-by-0, nzmax: 1 nnz: 0, 1-norm: 0\n1 2\n";
    let file = read(text.as_bytes(), None).expect("a global problem without contacts");
    let ContactProblem::Global(problem) = &file.problem else { panic!("{:?}", file.problem) };
    assert_eq!(problem.M.get(1, 0), 1.0);
    assert_eq!(file.notes.len(), 1);
    // v = M⁻¹f is all there is to find
    let v = problem.velocity(&mut problem.factor().expect("regular"), &[]);
    assert!((v[0] - 0.2).abs() < 1e-15 && (v[1] - 0.6).abs() < 1e-15, "{v:?}");
}

/// CSparse's listings by columns and by rows, duplicates summed, empty lines of the matrix in between.
#[test]
fn sparse_listings() {
    let columns = "3\n2 3 3\n2\nCSparse Version 3.1.9\n3-by-3, nzmax: 4 nnz: 3, 1-norm: 5\n    col 0 : locations 0 to 1\n      \
                   0 : 1\n      2 : 4\n    col 1 : locations 2 to 1\n    col 2 : locations 2 to 2\n      1 : 2.5e-1\n 1 2 3\n";
    let rows = "3\n2 3 3\n3\nCSparse Version 3.1.9\ncsr: 3-by-3, nzmax: 4 nnz: 3, 1-norm: 5\n    row 0 : locations 0 to 0\n      \
                0 : 1\n    row 1 : locations 1 to 1\n      2 : 0.25\n    row 2 : locations 2 to 2\n      0 : 4\n 1 2 3\n";
    let triplets = "3\n2 3 3\n1\nCSparse Version 3.1.9\ntriplet: 3-by-3, nzmax: 9 nnz: 4\n    0 0 : 1\n    2 0 : 3\n    \
                    1 2 : 0.25\n    2 0 : 1\n 1 2 3\n";
    let [a, b, c] = [columns, rows, triplets].map(|text| read(text.as_bytes(), None).expect("an LCP").problem);
    assert_eq!(a, b);
    assert_eq!(a, c);
    let ContactProblem::Lcp(problem) = a else { panic!() };
    assert_eq!((problem.W.get(0, 0), problem.W.get(2, 0), problem.W.get(1, 2)), (1.0, 4.0, 0.25));
}

/// A file that ends inside its last number was cut; a short last number after short ones is whole.
#[test]
fn a_number_cut_in_two() {
    let numbers = "-1.0000000000000000e0 2.0000000000000000e0\n5.0000000000000000e-1";
    let text = format!("2\n1\n0\n2\n2\n2 2\n1 0\n0 1\n{numbers}");
    assert!(read(text.as_bytes(), None).is_ok());
    for cut in 1..text.len() - text.rfind('\n').expect("lines") - 1 {
        let error = read(&text.as_bytes()[..text.len() - cut], None).expect_err("cut");
        assert!(["E161", "E160"].contains(&error.code.as_str()), "{cut}: {error}");
    }
    assert!(read(b"2\n1\n0\n2\n2\n2 2\n1 0\n0 1\n-1 2\n0.5", None).is_ok());
}
