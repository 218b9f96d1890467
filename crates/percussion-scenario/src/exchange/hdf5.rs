//! The tables of a run as one HDF5 file, cell by cell what the CSV files hold.

use crate::error::Result;
use crate::exchange::parquet::TableFormat;
use crate::run::column::Column;
use crate::run::folder::{RunFolder, all_tables_in, open_table};
use crate::run::table_reader::TableReader;
use crate::run::unwritable;
use percussion_files::{NamedTable, TableColumn, write_tables};
use std::path::{Path, PathBuf};

/// The file in a run's folder.
pub const HDF5: &str = "run.h5";

/// Writes the tables of a run into a folder, which may be the run's own; gives the path.
pub fn export_hdf5(folder: &Path, out: &Path) -> Result<PathBuf> {
    TableFormat::Hdf5.available()?;
    let run = RunFolder::open(folder)?;
    let mut tables: Vec<NamedTable> = Vec::new();
    for (name, header) in all_tables_in(folder, run.model(), run.selection()) {
        let columns = columns(&header, open_table(folder, name, &header)?)?;
        tables.push((name.trim_end_matches(".csv").to_string(), columns));
    }
    let path = out.join(HDF5);
    let too_large = || std::io::Error::other("the tables do not fit into an HDF5 file");
    let written = std::fs::create_dir_all(out)
        .and_then(|()| write_tables(&tables).ok_or_else(too_large))
        .and_then(|bytes| crate::run::atomic_file::replace(&path, &bytes));
    written.map_err(|error| unwritable(&path, &error))?;
    Ok(path)
}

/// The columns of a table.
fn columns(header: &str, mut from: TableReader) -> Result<Vec<(String, TableColumn)>> {
    let empty = |name: &str| match Column::of_run(name) {
        Column::Word => TableColumn::Words(Vec::new()),
        Column::Integer => TableColumn::Integers(Vec::new()),
        Column::Number => TableColumn::Numbers(Vec::new()),
    };
    let mut columns: Vec<(String, TableColumn)> =
        header.split(',').map(|name| (name.to_string(), empty(name))).collect();
    while from.next()? {
        for (k, (_, column)) in columns.iter_mut().enumerate() {
            let word = from.word(k);
            match column {
                TableColumn::Integers(list) => {
                    list.push(if word.is_empty() { -1 } else { from.integer(k)? as i64 });
                }
                TableColumn::Numbers(list) => {
                    list.push(if word.is_empty() { f64::NAN } else { from.number(k)? });
                }
                TableColumn::Words(list) => list.push(word.to_string()),
            }
        }
    }
    Ok(columns)
}
