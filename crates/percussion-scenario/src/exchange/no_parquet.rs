//! In place of Parquet tables where the program is built without them: nothing can be begun.

use crate::run::column::Column;
use std::convert::Infallible;
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// Whether this program writes Parquet.
pub const BUILT: bool = false;

/// A file that cannot be begun.
pub struct ParquetTable(Infallible);

impl ParquetTable {
    /// Refuses.
    pub fn create(_: &Path, _: &[(String, Column)]) -> Result<Self> {
        Err(Error::from(ErrorKind::Unsupported))
    }

    /// Never called.
    pub fn cell(&mut self, _: &str) -> Result<()> {
        match self.0 {}
    }

    /// Never called.
    pub fn end(&mut self) -> Result<()> {
        match self.0 {}
    }

    /// Never called.
    pub fn finish(self) -> Result<()> {
        match self.0 {}
    }
}
