//! Contact problems as bytes: the `.dat` family and FCLIB's HDF5, read and written.
//!
//! ```text
//! bytes ─► read ─► ProblemFile { problem: Lcp | Mlcp | Local | Global, notes, solution, guesses } ─► write ─► bytes
//! ```
//!
//! Nothing here opens a file. A reader answers any bytes with a problem or a coded error; what a file promises is
//! compared with what it holds before memory is allocated.

mod answer;
mod cursor;
mod dat;
mod dat_mlcp;
mod error;
#[cfg(feature = "hdf5")]
mod fclib;
mod half;
mod kind;
mod matrix_text;
#[cfg(feature = "hdf5")]
mod tables;
mod write_dat;
#[cfg(feature = "hdf5")]
mod write_fclib;

pub use answer::{Answer, solve};
pub use error::{FileError, Result};
pub use kind::{ContactProblem, Kind, ProblemFile, StoredState};
#[cfg(feature = "hdf5")]
pub use tables::{NamedTable, TableColumn, write_tables};
pub use write_dat::write_dat;
#[cfg(feature = "hdf5")]
pub use write_fclib::write_fclib;

/// Reads a problem of a kind, or of the kind its structure shows, from a `.dat` or an HDF5 file.
pub fn read(bytes: &[u8], kind: Option<Kind>) -> Result<ProblemFile> {
    if is_hdf5(bytes) { hdf5(bytes, kind) } else { dat::read(bytes, kind) }
}

/// HDF5's signature stands at the beginning or after a user block of 512, 1024, … bytes.
fn is_hdf5(bytes: &[u8]) -> bool {
    let starts = std::iter::successors(Some(512_usize), |start| start.checked_mul(2));
    let mut places = std::iter::once(0).chain(starts).take_while(|&start| start < bytes.len());
    places.any(|start| bytes[start..].starts_with(b"\x89HDF\r\n\x1a\n"))
}

#[cfg(feature = "hdf5")]
use fclib::read as hdf5;

#[cfg(not(feature = "hdf5"))]
fn hdf5(_: &[u8], _: Option<Kind>) -> Result<ProblemFile> {
    let message = "this program was built without HDF5";
    Err(FileError::new(percussion_model::Code::UNKNOWN_PROBLEM, "", message, "build with the feature `hdf5`"))
}
