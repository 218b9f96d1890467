//! In place of HDF5 tables where the program is built without them.

use crate::error::Result;
use crate::exchange::parquet::TableFormat;
use std::path::{Path, PathBuf};

/// The file in a run's folder.
pub const HDF5: &str = "run.h5";

/// Refuses, with E304.
pub fn export_hdf5(folder: &Path, _: &Path) -> Result<PathBuf> {
    TableFormat::Hdf5.available()?;
    Ok(folder.join(HDF5))
}
