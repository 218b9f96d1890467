//! The collected contact-problem files: each is read, as the kind it is.
//!
//! The files live outside the repository, in `../shared/data` beside it or where `PERCUSSION_DATA` points.

use percussion_files::{ContactProblem, Kind, read, write_dat, write_fclib};
use percussion_model::Code;
use std::path::PathBuf;

fn folder() -> PathBuf {
    let data = std::env::var_os("PERCUSSION_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from);
    data.join("contact-problems")
}

fn files() -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = std::fs::read_dir(folder()) else {
        println!("skipped: no folder {}", folder().display());
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read(path).expect("a readable file"))).collect()
}

/// What the names promise; `None` for formats that are not read.
fn expected(name: &str) -> Option<Kind> {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    if starts(&["GMP", "relay_", "relay1", "step_", "Example1_Fc3D"]) {
        None
    } else if name.ends_with("_mlcp.dat") {
        Some(Kind::Mlcp)
    } else if starts(&["lcp_"]) {
        Some(Kind::Lcp)
    } else if starts(&["RFC3D", "rfc3d", "GRFC3D", "rockfall"]) {
        Some(Kind::Rolling)
    } else if starts(&["gfc2d"]) {
        Some(Kind::Gfc2d)
    } else if starts(&["fc2d", "FC2D", "FrictionContactProblem0"]) {
        Some(Kind::Fc2d)
    } else if name == "GFC3D_TwoRods1-condensed.dat" {
        // a local problem despite its name
        Some(Kind::Fc3d)
    } else if starts(&["GFC3D", "CubeH8", "LMGC_GFC3D", "Box_Stacks-i", "Spheres-i099"]) {
        Some(Kind::Gfc3d)
    } else {
        Some(Kind::Fc3d)
    }
}

/// Equal, up to blocks that hold only zeros.
fn same(a: &ContactProblem, b: &ContactProblem) -> bool {
    match (a, b) {
        (ContactProblem::Local(a), ContactProblem::Local(b)) => {
            let entries = |W: &percussion_matrix::BlockMatrix| -> Vec<_> {
                W.to_sparse().triplets().filter(|&(_, _, x)| x != 0.0).collect()
            };
            (&a.b, &a.mu, &a.mu_rolling) == (&b.b, &b.mu, &b.mu_rolling) && entries(&a.W) == entries(&b.W)
        }
        _ => a == b,
    }
}

#[test]
fn every_file_is_read_as_what_it_is() {
    for (name, bytes) in files() {
        match (read(&bytes, None), expected(&name)) {
            (Ok(file), expected) => {
                println!("{name:<46} {:<8} {:>5} {:?}", file.problem.kind(), file.problem.contacts(), file.notes);
                assert_eq!(Some(file.problem.kind()), expected, "{name}");
                // asking for the kind gives the same
                assert_eq!(read(&bytes, expected).as_ref(), Ok(&file), "{name}");
                let well_formed = match &file.problem {
                    ContactProblem::Lcp(problem) => problem.W.max_abs().is_finite(),
                    ContactProblem::Mlcp(problem) => problem.is_well_formed(),
                    ContactProblem::Local(problem) => problem.is_well_formed(),
                    ContactProblem::Global(problem) => problem.is_well_formed() && problem.condense().is_ok(),
                };
                assert!(well_formed, "{name}");
                // written and read again it is the same
                let text = write_dat(&file.problem).expect("a format");
                assert_eq!(read(text.as_bytes(), None).map(|file| file.problem).as_ref(), Ok(&file.problem), "{name}");
                if let Some(bytes) = write_fclib(&file) {
                    let back = read(&bytes, None).unwrap_or_else(|error| panic!("{name}: {error}"));
                    assert!(same(&back.problem, &file.problem), "{name}");
                }
            }
            (Err(error), expected) => {
                println!("{name:<46} {error}");
                assert_eq!(expected, None, "{name}");
                assert_eq!(error.code, Code::UNKNOWN_PROBLEM, "{name}");
            }
        }
    }
}

/// Cut anywhere, a file is cut short or not understood, and never a problem of the wrong size.
#[test]
fn cut_hdf5_says_so() {
    let Some((_, bytes)) = files().into_iter().find(|(name, _)| name == "CubeH8.hdf5") else { return };
    let whole = read(&bytes, None).expect("a whole file").problem;
    let mut short = 0;
    for part in 1..60 {
        match read(&bytes[..bytes.len() * part / 60], None) {
            // only what the problem does not need is gone
            Ok(file) => assert!(file.problem == whole, "{part}/60"),
            Err(error) => {
                assert!([Code::PROBLEM_CUT_SHORT, Code::BAD_PROBLEM_FILE].contains(&error.code), "{part}/60: {error}");
                short += usize::from(error.code == Code::PROBLEM_CUT_SHORT);
            }
        }
    }
    assert!(short >= 40, "{short} of 59 were seen to be cut short");
}

/// A global problem asked for as a local one is refused, whatever its first words look like.
#[test]
fn a_global_problem_is_not_read_as_local() {
    for (name, bytes) in files() {
        let Some(kind @ (Kind::Gfc2d | Kind::Gfc3d)) = expected(&name) else { continue };
        let asked = if kind == Kind::Gfc2d { Kind::Fc2d } else { Kind::Fc3d };
        assert!(read(&bytes, Some(asked)).is_err(), "{name}");
    }
}
