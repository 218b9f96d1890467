//! A table written as one Parquet file: a typed column per column, groups of rows, empty cells null.
//!
//! Whole numbers are INT64, numbers DOUBLE (the same bits as in memory), words UTF-8. The file appears under its name when
//! it is whole. What the format holds of these: apache/parquet-format, `parquet.thrift` and `Encodings.md`.

use super::parquet_page::{PLACES, PLAIN, Pages, RUNS, pages};
use super::thrift::Thrift;
use crate::run::column::Column;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

/// Cells of a group of rows, at most: some 40 MB.
const CELLS: usize = 1 << 22;
/// Rows of a group, at most: pages stay below 8 MB.
const ROWS: usize = 1 << 20;
/// The first and the last four bytes of a file.
const MAGIC: &[u8] = b"PAR1";

/// A file being written.
pub struct ParquetTable {
    out: BufWriter<File>,
    /// Bytes written so far.
    at: u64,
    columns: Vec<Cells>,
    groups: Vec<Group>,
    /// Column of the next cell.
    next: usize,
    rows: usize,
    most_rows: usize,
    beside: PathBuf,
    path: PathBuf,
}

/// The cells of one column in a group, and which rows have one.
struct Cells {
    name: String,
    present: Vec<bool>,
    values: Values,
}

enum Values {
    Integers(Vec<i64>),
    Numbers(Vec<f64>),
    Words(Vec<String>),
}

/// A group of rows in the file.
struct Group {
    rows: usize,
    columns: Vec<Chunk>,
}

/// Where the pages of a column stand, and how long they are.
struct Chunk {
    at: u64,
    data: u64,
    length: usize,
    has_dictionary: bool,
}

impl ParquetTable {
    /// Begins a file with these columns.
    pub fn create(path: &Path, columns: &[(String, Column)]) -> Result<Self> {
        // two shards may finish at once
        let mut beside = path.file_name().map(OsString::from).unwrap_or_default();
        beside.push(format!(".{}", std::process::id()));
        let beside = path.with_file_name(beside);
        let mut out = BufWriter::with_capacity(1 << 16, crate::run::plain_file::create(&beside)?);
        out.write_all(MAGIC)?;
        let values = |kind: &Column| match kind {
            Column::Integer => Values::Integers(Vec::new()),
            Column::Number => Values::Numbers(Vec::new()),
            Column::Word => Values::Words(Vec::new()),
        };
        let most_rows = (CELLS / columns.len().max(1)).clamp(1, ROWS);
        let cells =
            |(name, kind): &(String, Column)| Cells { name: name.clone(), present: Vec::new(), values: values(kind) };
        let columns = columns.iter().map(cells).collect();
        let (at, groups) = (MAGIC.len() as u64, Vec::new());
        Ok(Self { out, at, columns, groups, next: 0, rows: 0, most_rows, beside, path: path.into() })
    }

    /// Adds the next cell of the row from its text; text that is no number in a column of numbers is `InvalidData`.
    pub fn cell(&mut self, text: &str) -> Result<()> {
        let Some(cells) = self.columns.get_mut(self.next) else {
            return Err(Error::new(ErrorKind::InvalidData, "a row is longer than the header"));
        };
        self.next += 1;
        cells.present.push(!text.is_empty());
        if text.is_empty() {
            return Ok(());
        }
        let wrong = || Error::new(ErrorKind::InvalidData, format!("\"{text}\" is not a number"));
        match &mut cells.values {
            Values::Integers(list) => list.push(text.parse().map_err(|_| wrong())?),
            Values::Numbers(list) => list.push(text.parse().map_err(|_| wrong())?),
            Values::Words(list) => list.push(text.to_string()),
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
        let finished = self.write_footer().and_then(|()| std::fs::rename(&self.beside, &self.path));
        if finished.is_err() {
            let _ = std::fs::remove_file(&self.beside);
        }
        finished
    }

    fn write_group(&mut self) -> Result<()> {
        let mut group = Group { rows: self.rows, columns: Vec::new() };
        for cells in &mut self.columns {
            let Pages { bytes, data, has_dictionary } = cells.take();
            self.out.write_all(&bytes)?;
            group.columns.push(Chunk { at: self.at, data: self.at + data as u64, length: bytes.len(), has_dictionary });
            self.at += bytes.len() as u64;
        }
        self.groups.push(group);
        self.rows = 0;
        Ok(())
    }

    /// The schema, where everything stands, and the end of the file.
    fn write_footer(&mut self) -> Result<()> {
        let Self { out, columns, groups, .. } = self;
        let rows: usize = groups.iter().map(|group| group.rows).sum();
        let footer = Thrift::write(|t| {
            t.int(1, 1);
            let schema = std::iter::once(None).chain(columns.iter().map(Some)).collect::<Vec<_>>();
            t.structures(2, schema.into_iter(), |t, column| match column {
                Some(cells) => cells.write_schema(t),
                None => {
                    t.text(4, "table");
                    t.int(5, columns.len() as i32);
                }
            });
            t.long(3, rows as i64);
            t.structures(4, groups.iter(), |t, group| group.write(t, columns));
            t.text(6, concat!("percussion ", env!("CARGO_PKG_VERSION")));
        });
        out.write_all(&footer)?;
        out.write_all(&(footer.len() as u32).to_le_bytes())?;
        out.write_all(MAGIC)?;
        out.flush()
    }
}

impl Cells {
    /// The physical type.
    fn kind(&self) -> i32 {
        match self.values {
            Values::Integers(_) => 2,
            Values::Numbers(_) => 5,
            Values::Words(_) => 6,
        }
    }

    /// The pages of what was collected, which is given up.
    fn take(&mut self) -> Pages {
        let present = std::mem::take(&mut self.present);
        match &mut self.values {
            Values::Integers(list) => pages(&present, std::mem::take(list).iter().copied()),
            Values::Numbers(list) => pages(&present, std::mem::take(list).iter().copied()),
            Values::Words(list) => pages(&present, std::mem::take(list).iter().map(String::as_str)),
        }
    }

    /// An optional column; words are UTF-8, by the old name of that and the new one.
    fn write_schema(&self, t: &mut Thrift) {
        t.int(1, self.kind());
        t.int(3, 1);
        t.text(4, &self.name);
        if let Values::Words(_) = self.values {
            t.int(6, 0);
            t.inner(10, |t| t.inner(1, |_| {}));
        }
    }
}

impl Group {
    fn write(&self, t: &mut Thrift, columns: &[Cells]) {
        let size: usize = self.columns.iter().map(|chunk| chunk.length).sum();
        t.structures(1, self.columns.iter().zip(columns), |t, (chunk, cells)| {
            t.long(2, chunk.at as i64);
            t.inner(3, |t| {
                t.int(1, cells.kind());
                t.ints(2, if chunk.has_dictionary { &[PLAIN, RUNS, PLACES] } else { &[PLAIN, RUNS] });
                t.texts(3, &[&cells.name]);
                t.int(4, 0);
                t.long(5, self.rows as i64);
                t.long(6, chunk.length as i64);
                t.long(7, chunk.length as i64);
                t.long(9, chunk.data as i64);
                if chunk.has_dictionary {
                    t.long(11, chunk.at as i64);
                }
            });
        });
        t.long(2, size as i64);
        t.long(3, self.rows as i64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No file stands under its name before it is whole; it begins and ends as the format says, and tells where its footer begins. What
    /// is in it the tests of the wheel read by Arrow.
    #[test]
    fn whole_files_alone() {
        let path = std::env::temp_dir().join(format!("percussion-groups-{}.parquet", std::process::id()));
        let columns = [("k".to_string(), Column::Integer), ("x".into(), Column::Number), ("w".into(), Column::Word)];
        let mut table = ParquetTable::create(&path, &columns).expect("a file");
        table.most_rows = 3;
        for k in 0..7 {
            for cell in [k.to_string().as_str(), "0.1", if k % 2 == 0 { "Ω" } else { "" }] {
                table.cell(cell).expect("a cell");
            }
            table.end().expect("a row");
        }
        assert!(!path.exists());
        table.finish().expect("written");
        let bytes = std::fs::read(&path).expect("the file");
        let (body, end) = bytes.split_at(bytes.len() - 8);
        let footer = u32::from_le_bytes(end[..4].try_into().expect("four bytes")) as usize;
        assert!(bytes.starts_with(MAGIC) && end.ends_with(MAGIC) && footer < body.len());
        // version 1, then the list of the schema: the root and three columns
        assert_eq!(body[body.len() - footer..][..4], [0x15, 2, 0x19, 0x4c]);
        let _ = std::fs::remove_file(&path);
        let mut table = ParquetTable::create(&path, &columns).expect("a file");
        assert!(table.cell("one").is_err_and(|error| error.kind() == ErrorKind::InvalidData));
        assert!(table.end().is_err());
        let _ = std::fs::remove_file(&table.beside);
    }
}
