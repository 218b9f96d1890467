//! A table written as one Parquet file: a typed column per column, groups of rows, empty cells null.
//!
//! Whole numbers are INT64, numbers DOUBLE (the same bits as in memory), words UTF-8. The file appears under its name when
//! it is whole.

use crate::run::column::Column;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type};
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Cells of a group of rows, at most: some 40 MB.
const CELLS: usize = 1 << 22;

/// Whether this program writes Parquet.
pub const BUILT: bool = true;

/// A file being written.
pub struct ParquetTable {
    writer: SerializedFileWriter<BufWriter<File>>,
    columns: Vec<Cells>,
    /// Column of the next cell.
    next: usize,
    rows: usize,
    most_rows: usize,
    beside: PathBuf,
    path: PathBuf,
}

/// The cells of one column in a group; `present` is 1 for a value and 0 for an empty cell.
struct Cells {
    present: Vec<i16>,
    values: Values,
}

enum Values {
    Integers(Vec<i64>),
    Numbers(Vec<f64>),
    Words(Vec<ByteArray>),
}

impl ParquetTable {
    /// Begins a file with these columns.
    pub fn create(path: &Path, columns: &[(String, Column)]) -> Result<Self> {
        let mut fields = Vec::new();
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("percussion ", env!("CARGO_PKG_VERSION")).into());
        for (name, kind) in columns {
            let (physical, logical) = match kind {
                Column::Integer => (Physical::INT64, None),
                Column::Number => (Physical::DOUBLE, None),
                Column::Word => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            };
            let field = Type::primitive_type_builder(name, physical).with_logical_type(logical);
            fields.push(Arc::new(field.with_repetition(Repetition::OPTIONAL).build().map_err(failed)?));
            // words repeat, numbers hardly ever do
            let repeats = matches!(kind, Column::Word);
            properties = properties.set_column_dictionary_enabled(ColumnPath::new(vec![name.clone()]), repeats);
        }
        let schema = Type::group_type_builder("table").with_fields(fields).build().map_err(failed)?;
        // two shards may finish at once
        let mut beside = path.file_name().map(OsString::from).unwrap_or_default();
        beside.push(format!(".{}", std::process::id()));
        let beside = path.with_file_name(beside);
        let out = BufWriter::with_capacity(1 << 16, crate::run::plain_file::create(&beside)?);
        let writer = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build())).map_err(failed)?;
        let values = |kind: &Column| match kind {
            Column::Integer => Values::Integers(Vec::new()),
            Column::Number => Values::Numbers(Vec::new()),
            Column::Word => Values::Words(Vec::new()),
        };
        let most_rows = (CELLS / columns.len().max(1)).max(1);
        let columns = columns.iter().map(|(_, kind)| Cells { present: Vec::new(), values: values(kind) }).collect();
        Ok(Self { writer, columns, next: 0, rows: 0, most_rows, beside, path: path.into() })
    }

    /// Adds the next cell of the row from its text; text that is no number in a column of numbers is `InvalidData`.
    pub fn cell(&mut self, text: &str) -> Result<()> {
        let Some(cells) = self.columns.get_mut(self.next) else {
            return Err(Error::new(ErrorKind::InvalidData, "a row is longer than the header"));
        };
        self.next += 1;
        cells.present.push(i16::from(!text.is_empty()));
        if text.is_empty() {
            return Ok(());
        }
        let wrong = || Error::new(ErrorKind::InvalidData, format!("\"{text}\" is not a number"));
        match &mut cells.values {
            Values::Integers(list) => list.push(text.parse().map_err(|_| wrong())?),
            Values::Numbers(list) => list.push(text.parse().map_err(|_| wrong())?),
            Values::Words(list) => list.push(ByteArray::from(text)),
        }
        Ok(())
    }

    /// Ends the row.
    pub fn end(&mut self) -> Result<()> {
        if self.next != self.columns.len() {
            return Err(Error::new(ErrorKind::InvalidData, "a row is shorter than the header"));
        }
        self.next = 0;
        self.rows += 1;
        if self.rows == self.most_rows { self.write_group() } else { Ok(()) }
    }

    /// Writes what is left and gives the file its name.
    pub fn finish(mut self) -> Result<()> {
        if self.rows > 0 {
            self.write_group()?;
        }
        let finished = self.writer.finish().map_err(failed).and_then(|_| std::fs::rename(&self.beside, &self.path));
        if finished.is_err() {
            let _ = std::fs::remove_file(&self.beside);
        }
        finished
    }

    fn write_group(&mut self) -> Result<()> {
        let mut group = self.writer.next_row_group().map_err(failed)?;
        for cells in &mut self.columns {
            if let Some(column) = group.next_column().map_err(failed)? {
                cells.write(column).map_err(failed)?;
            }
        }
        group.close().map_err(failed)?;
        self.rows = 0;
        Ok(())
    }
}

impl Cells {
    fn write(&mut self, mut column: SerializedColumnWriter) -> std::result::Result<(), ParquetError> {
        let present = Some(self.present.as_slice());
        match &mut self.values {
            Values::Integers(list) => {
                column.typed::<Int64Type>().write_batch(list, present, None)?;
                list.clear();
            }
            Values::Numbers(list) => {
                column.typed::<DoubleType>().write_batch(list, present, None)?;
                list.clear();
            }
            Values::Words(list) => {
                column.typed::<ByteArrayType>().write_batch(list, present, None)?;
                list.clear();
            }
        }
        self.present.clear();
        column.close()
    }
}

fn failed(error: ParquetError) -> Error {
    match error {
        ParquetError::External(error) => match error.downcast::<Error>() {
            Ok(error) => *error,
            Err(error) => Error::other(error),
        },
        error => Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    /// Rows over several groups, empty cells, and words that are no numbers; no file under its name before it is whole.
    #[test]
    fn groups_of_rows() {
        let path = std::env::temp_dir().join(format!("percussion-groups-{}.parquet", std::process::id()));
        let columns = [("k".to_string(), Column::Integer), ("x".into(), Column::Number), ("w".into(), Column::Word)];
        let mut table = ParquetTable::create(&path, &columns).expect("a file");
        table.most_rows = 3;
        let numbers = ["-0.0", "1e-308", "", "0.1", "5e-324", "1.7976931348623157e308", "3"];
        for (k, x) in numbers.iter().enumerate() {
            for cell in [k.to_string().as_str(), x, if k % 2 == 0 { "Ω" } else { "" }] {
                table.cell(cell).expect("a cell");
            }
            table.end().expect("a row");
        }
        assert!(!path.exists());
        table.finish().expect("written");
        let reader = SerializedFileReader::new(File::open(&path).expect("the file")).expect("Parquet");
        assert_eq!(reader.metadata().num_row_groups(), 3);
        for (k, row) in reader.get_row_iter(None).expect("rows").enumerate() {
            let fields: Vec<Field> = row.expect("a row").get_column_iter().map(|(_, field)| field.clone()).collect();
            assert_eq!(fields[0], Field::Long(k as i64));
            match (&fields[1], numbers[k]) {
                (Field::Null, "") => {}
                (Field::Double(x), text) => assert_eq!(x.to_bits(), text.parse::<f64>().expect("a number").to_bits()),
                other => panic!("{other:?}"),
            }
            assert_eq!(fields[2], if k % 2 == 0 { Field::Str("Ω".into()) } else { Field::Null });
        }
        let _ = std::fs::remove_file(&path);
        let mut table = ParquetTable::create(&path, &columns).expect("a file");
        assert!(table.cell("one").is_err_and(|error| error.kind() == ErrorKind::InvalidData));
        assert!(table.end().is_err());
        let _ = std::fs::remove_file(&table.beside);
    }
}
