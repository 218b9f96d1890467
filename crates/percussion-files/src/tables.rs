//! Tables as one HDF5 file: a group for each table, a dataset for each column.
//!
//! Numbers are 64-bit floats, NaN where a cell is empty; whole numbers 64-bit integers, −1 where empty; words UTF-8.

use hdf5_pure::FileBuilder;

/// The cells of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum TableColumn {
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Numbers.
    Numbers(Vec<f64>),
    /// Words.
    Words(Vec<String>),
}

/// A table: its name, and its columns by name.
pub type NamedTable = (String, Vec<(String, TableColumn)>);

/// The bytes of an HDF5 file with these tables; columns without rows are datasets of length zero.
pub fn write_tables(tables: &[NamedTable]) -> Option<Vec<u8>> {
    let mut builder = FileBuilder::new();
    for (name, columns) in tables {
        let mut group = builder.create_group(name);
        for (name, column) in columns {
            let dataset = group.create_dataset(name);
            match column {
                TableColumn::Integers(list) => dataset.with_i64_data(list),
                TableColumn::Numbers(list) => dataset.with_f64_data(list),
                TableColumn::Words(list) => {
                    // of fixed length, which every reader of HDF5 knows
                    let words: Vec<&str> = list.iter().map(String::as_str).collect();
                    dataset.with_strings(&words).ok()?
                }
            };
        }
        builder.add_group(group.finish());
    }
    builder.finish().ok()
}
