//! FCLIB's HDF5 files: groups `fclib_local`, `fclib_global`, `fclib_global_rolling`, with solution and guesses.
//!
//! ```text
//! fclib_local   spacedim  W/  vectors/{q, mu}          fclib_global   spacedim  M/  H/  vectors/{f, w, mu}
//! matrix        m n nz p i x:   nz ≥ 0 triplets (row i, column p),  −1 columns,  −2 rows
//! ```

use crate::error::{FileError, Result};
use crate::half::{HALF, whole_from_half};
use crate::kind::{ContactProblem, Kind, ProblemFile, StoredState};
use hdf5_pure::{Error, File, FormatError};
use percussion_matrix::{BlockMatrix, SparseMatrix};
use percussion_model::Code;
use percussion_solve::friction::{FrictionProblem, GlobalFrictionProblem};
use std::cell::Cell;

const HELP: &str = "FCLIB's groups fclib_local, fclib_global and fclib_global_rolling are read";
const CUT: &str = "the file was cut short, or its sizes are wrong";

/// Bytes the compressed lists of a file may unpack to together.
const LARGEST_UNPACKED: usize = 1 << 28;

/// An open file and how many values its bytes can hold.
struct Source {
    file: File,
    length: usize,
    /// Bytes of compressed lists unpacked so far; many lists may share their bytes in the file.
    unpacked: Cell<u64>,
}

/// Reads the problem of the kind asked, or the one the file has.
pub fn read(bytes: &[u8], kind: Option<Kind>) -> Result<ProblemFile> {
    let file = File::from_bytes(bytes.to_vec())
        .map_err(|error| FileError::new(Code::BAD_PROBLEM_FILE, "", format!("not readable as HDF5: {error}"), CUT))?;
    let source = Source { file, length: bytes.len(), unpacked: Cell::new(0) };
    let groups = source.file.root().groups().map_err(|error| unreadable("", &error))?;
    let has = |name: &str| groups.iter().any(|group| group == name);
    let mut notes = Vec::new();
    let (problem, group) = if has("fclib_local") {
        (local(&source, "fclib_local")?, "fclib_local")
    } else if has("fclib_global") || has("fclib_global_rolling") {
        let group = if has("fclib_global") { "fclib_global" } else { "fclib_global_rolling" };
        (global(&source, group, &mut notes)?, group)
    } else {
        return Err(FileError::new(Code::UNKNOWN_PROBLEM, "", "the file has none of FCLIB's groups", HELP));
    };
    if let Some(asked) = kind.filter(|&asked| asked != problem.kind()) {
        let message = format!("the file holds a problem of kind {}, not {asked}", problem.kind());
        return Err(FileError::new(Code::UNKNOWN_PROBLEM, group, message, "leave out --kind, or give the right one"));
    }
    let mut found = ProblemFile { notes, ..ProblemFile::new(problem) };
    found.title = source.text(&format!("{group}/info/title"));
    found.description = source.text(&format!("{group}/info/description"));
    if has("solution") {
        found.solution = Some(source.state("solution")?);
    }
    if has("guesses") {
        let count = source.integer("guesses/number_of_guesses")?;
        let stored = source.file.group("guesses").and_then(|group| group.groups()).map_or(0, |groups| groups.len());
        for k in 1..=count.clamp(0, stored as i64) {
            found.guesses.push(source.state(&format!("guesses/{k}"))?);
        }
    }
    Ok(found)
}

fn local(source: &Source, group: &str) -> Result<ContactProblem> {
    let dim = source.dimension(group)?;
    let b = source.numbers_or_none(&format!("{group}/vectors/q"))?;
    let (mu, mu_rolling) = source.coefficients(group, dim)?;
    let W = source.matrix(&format!("{group}/W"), b.len(), b.len())?;
    let problem = BlockMatrix::from_sparse(dim, &W).and_then(|W| FrictionProblem::new(W, b, mu, mu_rolling));
    problem.map(ContactProblem::Local).ok_or_else(|| bad_shape(group, "W, q and mu do not fit each other"))
}

fn global(source: &Source, group: &str, notes: &mut Vec<String>) -> Result<ContactProblem> {
    let dim = source.dimension(group)?;
    let f = source.numbers_or_none(&format!("{group}/vectors/f"))?;
    let (mu, mu_rolling) = source.coefficients(group, dim)?;
    let size = dim * mu.len();
    let w = source.numbers_or_none(&format!("{group}/vectors/w"))?;
    let M = source.matrix(&format!("{group}/M"), f.len(), f.len())?;
    let H = source.matrix(&format!("{group}/H"), f.len(), size)?;
    if source.has(&format!("{group}/G/m")) && source.integer(&format!("{group}/G/n"))? > 0 {
        let message = "bilateral constraints G are not supported";
        return Err(FileError::new(Code::UNKNOWN_PROBLEM, &format!("{group}/G"), message, "remove or eliminate them"));
    }
    let M = match whole_from_half(&M) {
        Some(whole) => {
            notes.push(HALF.into());
            whole
        }
        None => M,
    };
    let problem = GlobalFrictionProblem { dim, M, H, f, w, mu, mu_rolling };
    if !problem.is_well_formed() {
        return Err(bad_shape(group, "M, H, f, w and mu do not fit each other"));
    }
    Ok(ContactProblem::Global(problem))
}

impl Source {
    fn has(&self, path: &str) -> bool {
        self.file.dataset(path).is_ok()
    }

    fn integer(&self, path: &str) -> Result<i64> {
        let values = self.integers(path)?;
        values.first().copied().ok_or_else(|| bad_shape(path, "it has no value"))
    }

    fn dimension(&self, group: &str) -> Result<usize> {
        let path = format!("{group}/spacedim");
        match self.integer(&path)? {
            dim @ (2 | 3 | 5) => Ok(dim as usize),
            dim => Err(bad_shape(&path, &format!("dimension {dim}, where 2, 3 or 5 belongs"))),
        }
    }

    /// The dataset, once its declared size is seen to fit into the file.
    fn dataset(&self, path: &str) -> Result<hdf5_pure::Dataset> {
        let fail = |error: Error| unreadable(path, &error);
        let dataset = self.file.dataset(path).map_err(fail)?;
        let shape = dataset.shape().map_err(fail)?;
        let size = dataset.element_size().map_err(fail)?;
        let chunk = dataset.chunk_shape().map_err(fail)?.unwrap_or_default();
        let bytes = |shape: &[u64]| shape.iter().try_fold(size, |bytes, &side| bytes.checked_mul(side));
        // a compressed byte makes at most about a thousand; an uncompressed one makes one
        let unpacked = self.length.saturating_mul(1032).min(LARGEST_UNPACKED) as u64;
        let left = unpacked.saturating_sub(self.unpacked.get());
        let limit = if dataset.is_chunked() { left } else { self.length as u64 };
        let fits = |shape: &[u64]| bytes(shape).is_some_and(|bytes| bytes <= limit);
        if size > self.length as u64 || !fits(&shape) || !fits(&chunk) {
            let message = format!("{shape:?} values of {size} bytes are declared in a file of {} bytes", self.length);
            return Err(FileError::new(Code::PROBLEM_CUT_SHORT, path, message, CUT));
        }
        if dataset.is_chunked() {
            self.unpacked.set(self.unpacked.get() + bytes(&shape).unwrap_or(u64::MAX));
        }
        Ok(dataset)
    }

    fn integers(&self, path: &str) -> Result<Vec<i64>> {
        let read = self.dataset(path)?.read_i64();
        read.map_err(|error| unreadable(path, &error))
    }

    fn numbers(&self, path: &str) -> Result<Vec<f64>> {
        let read = self.dataset(path)?.read_f64();
        let values = read.map_err(|error| unreadable(path, &error))?;
        match values.iter().find(|x| !x.is_finite()) {
            Some(x) => {
                let message = format!("{x} is not a finite number");
                Err(FileError::new(Code::NOT_FINITE, path, message, "every number of a problem must be finite"))
            }
            None => Ok(values),
        }
    }

    /// Writers leave empty vectors out; what is missing otherwise shows in the sizes, and what is there must be readable.
    fn numbers_or_none(&self, path: &str) -> Result<Vec<f64>> {
        match self.file.dataset(path) {
            Err(Error::Format(FormatError::PathNotFound(_))) => Ok(Vec::new()),
            Err(error) => Err(unreadable(path, &error)),
            Ok(_) => self.numbers(path),
        }
    }

    fn text(&self, path: &str) -> String {
        let read = self.dataset(path).ok().and_then(|dataset| dataset.read_string().ok());
        read.and_then(|strings| strings.into_iter().next()).unwrap_or_default()
    }

    fn coefficients(&self, group: &str, dim: usize) -> Result<(Vec<f64>, Vec<f64>)> {
        let path = format!("{group}/vectors/mu");
        let mu = self.numbers_or_none(&path)?;
        let mu_rolling = if dim == 5 { self.numbers_or_none(&format!("{group}/vectors/mu_r"))? } else { Vec::new() };
        match mu.iter().chain(&mu_rolling).find(|&&mu| mu < 0.0) {
            Some(mu) => {
                let message = format!("a coefficient of friction of {mu}");
                Err(FileError::new(Code::FRICTION, &path, message, "coefficients are not negative"))
            }
            None => Ok((mu, mu_rolling)),
        }
    }

    fn state(&self, group: &str) -> Result<StoredState> {
        let part = |name: &str| self.numbers_or_none(&format!("{group}/{name}"));
        Ok(StoredState { r: part("r")?, u: part("u")?, v: part("v")? })
    }

    /// A matrix that must have the given sides.
    fn matrix(&self, group: &str, n_rows: usize, n_cols: usize) -> Result<SparseMatrix> {
        let (m, n) = (self.integer(&format!("{group}/m"))?, self.integer(&format!("{group}/n"))?);
        if (m, n) != (n_rows as i64, n_cols as i64) {
            return Err(bad_shape(group, &format!("{m} × {n} where {n_rows} × {n_cols} belongs")));
        }
        let nz = self.integer(&format!("{group}/nz"))?;
        if nz == 0 || n_rows == 0 || n_cols == 0 {
            return SparseMatrix::from_triplets(n_rows, n_cols, &[]).ok_or_else(|| bad_shape(group, "empty"));
        }
        let p = self.integers(&format!("{group}/p"))?;
        let i = self.integers(&format!("{group}/i"))?;
        let x = self.numbers(&format!("{group}/x"))?;
        let entries = match nz {
            1.. => triplets(nz, &p, &i, &x),
            -1 => compressed(n_cols, &p, &i, &x).map(|list| list.map(|(line, i, x)| (i, line, x)).collect()),
            -2 => compressed(n_rows, &p, &i, &x).map(|list| list.collect()),
            _ => None,
        };
        let place = |(i, j, x): (i64, i64, f64)| Some((usize::try_from(i).ok()?, usize::try_from(j).ok()?, x));
        let entries: Option<Vec<(usize, usize, f64)>> =
            entries.and_then(|entries: Vec<(i64, i64, f64)>| entries.into_iter().map(place).collect());
        let matrix = entries.and_then(|entries| SparseMatrix::from_triplets(n_rows, n_cols, &entries));
        matrix.ok_or_else(|| bad_shape(group, "its lists p, i and x do not fit its sizes"))
    }
}

/// The first nz entries: row i, column p (FCLIB's header says the opposite; its files do not).
fn triplets(nz: i64, p: &[i64], i: &[i64], x: &[f64]) -> Option<Vec<(i64, i64, f64)>> {
    let nz = usize::try_from(nz).ok()?;
    let (p, i, x) = (p.get(..nz)?, i.get(..nz)?, x.get(..nz)?);
    Some((0..nz).map(|k| (i[k], p[k], x[k])).collect())
}

/// (line, index, value) of compressed lines: line k has the entries `p[k]..p[k+1]`.
fn compressed<'a>(
    n_lines: usize,
    p: &'a [i64],
    i: &'a [i64],
    x: &'a [f64],
) -> Option<impl Iterator<Item = (i64, i64, f64)> + 'a> {
    let p = p.get(..n_lines.checked_add(1)?)?;
    let end = usize::try_from(*p.last()?).ok()?;
    let fits = p[0] == 0 && p.is_sorted() && end <= i.len() && end <= x.len();
    let line = move |k: usize| (p[k] as usize..p[k + 1] as usize).map(move |e| (k as i64, i[e], x[e]));
    fits.then(|| (0..n_lines).flat_map(line))
}

/// Bytes that should follow and do not are a file cut short; anything else is no HDF5 that is understood.
fn unreadable(path: &str, error: &Error) -> Box<FileError> {
    let cut = matches!(error, Error::Format(FormatError::UnexpectedEof { .. }));
    let (code, help) = if cut { (Code::PROBLEM_CUT_SHORT, CUT) } else { (Code::BAD_PROBLEM_FILE, HELP) };
    FileError::new(code, path, format!("{error}"), help)
}

fn bad_shape(field: &str, message: &str) -> Box<FileError> {
    FileError::new(Code::BAD_SHAPE, field, message, "see the book's page on contact problems for the formats")
}
