//! The `.dat` family: numbers in a fixed order, separated by white space.
//!
//! ```text
//! lcp      n            M                q
//! mlcp     s1 s2 n m    [blocks flags M q]  [A B C D by rows, a b]     (either or both storages)
//! local    dim nc       W      b   mu [mu_r]
//! global   dim nc       M  H   f w mu [mu_r]
//! ```
//!
//! Which it is shows in the first words (`dim` is 2, 3 or 5; an LCP repeats n; an MLCP begins with two flags). Every
//! reading whose first words fit is tried to the end and the first that succeeds is taken; when none does, the error
//! is that of the one that got furthest. Words after the end are ignored, with a note. A global problem is not read as
//! a local one, also where that is asked for; and a last number that is shorter than those before it was cut.

use crate::cursor::Cursor;
use crate::error::{FileError, Result};
use crate::half::{HALF, whole_from_half};
use crate::kind::{ContactProblem, Kind, ProblemFile};
use crate::matrix_text::{self, FileMatrix};
use percussion_matrix::SparseMatrix;
use percussion_model::Code;
use percussion_solve::OneStepProblem;
use percussion_solve::friction::{FrictionProblem, GlobalFrictionProblem};

const FORMATS: &str = "lcp, mlcp, local and global friction files are read; see the book's page on contact problems";

/// A reading of the text: what it makes of it, and where it ends.
type Reading = fn(&mut Cursor) -> Result<ProblemFile>;

/// Reads the problem of a kind, or of whichever kind fits.
pub fn read(bytes: &[u8], kind: Option<Kind>) -> Result<ProblemFile> {
    let mut furthest: Option<(usize, Box<FileError>)> = None;
    for reading in candidates(bytes, kind) {
        let mut cursor = Cursor::new(bytes);
        match reading(&mut cursor) {
            // a global problem cut short begins like a local one, which ends before its second matrix
            Ok(_) if kind.is_none() && furthest.as_ref().is_some_and(|(at, _)| *at > cursor.position()) => break,
            Ok(file) => return finish(as_asked(file, &cursor, bytes), &cursor, kind),
            Err(error) => {
                if furthest.as_ref().is_none_or(|(at, _)| cursor.position() > *at) {
                    furthest = Some((cursor.position(), error));
                }
            }
        }
    }
    Err(furthest.map_or_else(
        || {
            let message = if bytes.iter().all(u8::is_ascii_whitespace) {
                "the file is empty"
            } else {
                "the first words are those of no contact problem that is known"
            };
            FileError::new(Code::UNKNOWN_PROBLEM, "", message, FORMATS)
        },
        |(_, error)| error,
    ))
}

/// Asked to be local, a global problem may read like one with many words after it. The words of a local one never make a
/// second matrix of the right size.
fn as_asked(file: ProblemFile, cursor: &Cursor, bytes: &[u8]) -> ProblemFile {
    if !matches!(file.problem, ContactProblem::Local(_)) || cursor.clone().word().is_none() {
        return file;
    }
    global(&mut Cursor::new(bytes)).unwrap_or(file)
}

/// The readings worth trying, by the first words.
fn candidates(bytes: &[u8], kind: Option<Kind>) -> Vec<Reading> {
    match kind {
        Some(Kind::Lcp) => return vec![lcp as Reading],
        Some(Kind::Mlcp) => return vec![crate::dat_mlcp::read],
        Some(Kind::Fc2d | Kind::Fc3d) => return vec![local],
        Some(Kind::Gfc2d | Kind::Gfc3d) => return vec![global],
        Some(Kind::Rolling) => return vec![global, local],
        None => {}
    }
    let mut cursor = Cursor::new(bytes);
    let head: Vec<usize> = (0..5).map_while(|_| cursor.count("").ok()).collect();
    let mut found: Vec<Reading> = Vec::new();
    if let &[n, 0..=2, rows, cols, ..] = &head[..]
        && rows == n
        && cols == n
    {
        found.push(lcp);
    }
    if let &[2 | 3 | 5, _, 0..=2, rows, cols] = &head[..]
        && rows == cols
    {
        found.extend([global as Reading, local]);
    }
    if let &[0 | 1, 0 | 1, ..] = &head[..]
        && head[0] + head[1] > 0
    {
        found.push(crate::dat_mlcp::read);
    }
    found
}

/// Notes, and the checks that need the whole.
fn finish(mut file: ProblemFile, cursor: &Cursor, kind: Option<Kind>) -> Result<ProblemFile> {
    if let Some(asked) = kind.filter(|&asked| asked != file.problem.kind()) {
        let message = format!("the file holds a problem of kind {}, not {asked}", file.problem.kind());
        return Err(FileError::new(Code::UNKNOWN_PROBLEM, "", message, "leave out --kind, or give the right one"));
    }
    if let Some(word) = cursor.cut_in_two() {
        let message = format!("the file ends inside its last number, {}", crate::cursor::shown(word));
        return Err(cursor.refuse(Code::PROBLEM_CUT_SHORT, "", message));
    }
    let mut rest = cursor.clone();
    let (mut words, mut numbers) = (0, 0);
    while let Some(word) = rest.word() {
        words += 1;
        numbers += usize::from(crate::cursor::text(word).parse::<f64>().is_ok());
    }
    // a relay has lower and upper bounds after q, and nothing else tells it from an LCP
    if kind.is_none()
        && let ContactProblem::Lcp(lcp) = &file.problem
        && words == 2 * lcp.len()
        && numbers == words
        && words > 0
    {
        let message =
            format!("after the {} entries of q follow twice as many numbers, as in a relay problem", lcp.len());
        return Err(FileError::new(
            Code::UNKNOWN_PROBLEM,
            "q",
            message,
            "relays are not read; --kind lcp ignores the bounds",
        ));
    }
    if words > 0 {
        file.notes.push(format!("{words} words after the end of the problem are ignored"));
    }
    Ok(file)
}

fn lcp(cursor: &mut Cursor) -> Result<ProblemFile> {
    let start = cursor.clone();
    let n = cursor.count("n")?;
    let M = square(cursor, "M", n)?;
    let q = cursor.numbers(n, "q")?;
    let W = M.into_matrix().ok_or_else(|| start.refuse(Code::BAD_SHAPE, "M", "an entry is outside the matrix"))?;
    Ok(ProblemFile::new(ContactProblem::Lcp(OneStepProblem::new(W, q))))
}

fn local(cursor: &mut Cursor) -> Result<ProblemFile> {
    let start = cursor.clone();
    let (dim, nc) = header(cursor)?;
    let size = cursor.expect_product(dim, nc, "nc")?;
    let W = square(cursor, "M", size)?;
    let b = cursor.numbers(size, "q")?;
    let (mu, mu_rolling) = coefficients(cursor, dim, nc)?;
    let W = W.into_blocks(dim);
    let problem = W.and_then(|W| FrictionProblem::new(W, b, mu, mu_rolling));
    let problem = problem.ok_or_else(|| start.refuse(Code::BAD_SHAPE, "M", "sizes do not fit each other"))?;
    Ok(ProblemFile::new(ContactProblem::Local(problem)))
}

fn global(cursor: &mut Cursor) -> Result<ProblemFile> {
    let start = cursor.clone();
    let (dim, nc) = header(cursor)?;
    let size = cursor.expect_product(dim, nc, "nc")?;
    let M = matrix_text::read(cursor, "M")?;
    let n = M.n_rows;
    if M.n_cols != n {
        return Err(start.refuse(Code::BAD_SHAPE, "M", format!("{n} × {} is not square", M.n_cols)));
    }
    let H = matrix_text::read(cursor, "H")?;
    if (H.n_rows, H.n_cols) != (n, size) {
        let message = format!("{} × {} where {n} × {size} belongs", H.n_rows, H.n_cols);
        return Err(start.refuse(Code::BAD_SHAPE, "H", message));
    }
    let f = cursor.numbers(n, "q")?;
    let w = cursor.numbers(size, "b")?;
    let (mu, mu_rolling) = coefficients(cursor, dim, nc)?;
    let outside = || start.refuse(Code::BAD_SHAPE, "M", "an entry is outside the matrix");
    let M: SparseMatrix = M.into_sparse().ok_or_else(outside)?;
    let H: SparseMatrix = H.into_sparse().ok_or_else(outside)?;
    let whole = whole_from_half(&M);
    let notes = if whole.is_some() { vec![HALF.to_string()] } else { Vec::new() };
    let M = whole.unwrap_or(M);
    let problem = ContactProblem::Global(GlobalFrictionProblem { dim, M, H, f, w, mu, mu_rolling });
    Ok(ProblemFile { notes, ..ProblemFile::new(problem) })
}

/// `dim nc`.
fn header(cursor: &mut Cursor) -> Result<(usize, usize)> {
    let start = cursor.clone();
    let (dim, nc) = (cursor.count("dim")?, cursor.count("nc")?);
    if !matches!(dim, 2 | 3 | 5) {
        return Err(start.refuse(Code::BAD_SHAPE, "dim", format!("dimension {dim}, where 2, 3 or 5 belongs")));
    }
    Ok((dim, nc))
}

/// μ and, with rolling friction, μ_r.
fn coefficients(cursor: &mut Cursor, dim: usize, nc: usize) -> Result<(Vec<f64>, Vec<f64>)> {
    let start = cursor.clone();
    let mu = cursor.numbers(nc, "mu")?;
    let mu_rolling = if dim == 5 { cursor.numbers(nc, "mu_r")? } else { Vec::new() };
    match mu.iter().chain(&mu_rolling).find(|&&mu| mu < 0.0) {
        Some(mu) => Err(start.refuse(Code::FRICTION, "mu", format!("a coefficient of friction of {mu}"))),
        None => Ok((mu, mu_rolling)),
    }
}

fn square(cursor: &mut Cursor, what: &str, n: usize) -> Result<FileMatrix> {
    let start = cursor.clone();
    let A = matrix_text::read(cursor, what)?;
    if (A.n_rows, A.n_cols) != (n, n) {
        return Err(start.refuse(
            Code::BAD_SHAPE,
            what,
            format!("{} × {} where {n} × {n} belongs", A.n_rows, A.n_cols),
        ));
    }
    Ok(A)
}
