//! The tables of a run as Parquet files, cell by cell what the CSV files hold.

use crate::error::Result;
use crate::exchange::parquet_table::ParquetTable;
use crate::run::column::Column;
use crate::run::folder::{RunFolder, all_tables_in, open_table, table_names};
use crate::run::table_reader::TableReader;
use crate::run::unwritable;
use percussion_model::{Code, InputError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Formats of tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableFormat {
    /// Text.
    #[default]
    Csv,
    /// Text, and Parquet beside it.
    Parquet,
    /// Text, and one HDF5 file beside it.
    Hdf5,
}

impl TableFormat {
    /// Refuses, with E304, a format the program was built without.
    pub fn available(self) -> Result<()> {
        let missing = match self {
            Self::Csv | Self::Parquet => None,
            Self::Hdf5 => (!cfg!(feature = "hdf5")).then_some("HDF5"),
        };
        if let Some(format) = missing {
            let message = format!("this program was built without {format}");
            let help = "build it with cargo install --path crates/percussion-cli --features formats, or use the Python wheel, \
                        which has it";
            return Err(InputError::new(Code::NOT_BUILT, "format", message, help).into());
        }
        Ok(())
    }
}

/// The name of a table's Parquet file.
pub fn parquet_name(table: &str) -> String {
    format!("{}.parquet", table.trim_end_matches(".csv"))
}

/// Writes the tables of a run into a folder, which may be the run's own; gives their paths.
pub fn export_parquet(folder: &Path, out: &Path) -> Result<Vec<PathBuf>> {
    let run = RunFolder::open(folder)?;
    std::fs::create_dir_all(out).map_err(|error| unwritable(out, &error))?;
    let mut paths = Vec::new();
    for (name, header) in all_tables_in(folder, run.model(), run.selection()) {
        let header = header.as_str();
        let path = out.join(parquet_name(name));
        copy(open_table(folder, name, header)?, header, &path)?;
        paths.push(path);
    }
    Ok(paths)
}

fn copy(mut from: TableReader, header: &str, path: &Path) -> Result<()> {
    let columns: Vec<_> = header.split(',').map(|name| (name.to_string(), Column::of_run(name))).collect();
    let failed = |error: std::io::Error| unwritable(path, &error);
    let mut table = ParquetTable::create(path, &columns).map_err(failed)?;
    while from.next()? {
        for k in 0..columns.len() {
            match table.cell(from.word(k)) {
                Err(error) if error.kind() == ErrorKind::InvalidData => {
                    return from.refuse(error.to_string(), "run the scenario again");
                }
                result => result.map_err(failed)?,
            }
        }
        table.end().map_err(failed)?;
    }
    table.finish().map_err(failed)
}

/// The Parquet files of a run, which belong to the tables beside them.
pub(crate) fn parquet_names() -> Vec<String> {
    table_names().map(parquet_name).collect()
}
