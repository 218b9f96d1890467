//! A table of a run read row by row, from its CSV file or from memory; what does not fit is refused with its line.

use crate::error::{Result, ScenarioError};
use crate::run::column::Column;
use crate::run::csv_text::cells;
use crate::run::memory::Cells;
use percussion_model::Code;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Bytes of a cell at most, on the average of a line; a number has 24.
const LONGEST_CELL: u64 = 200;

/// Where the rows come from.
enum Rows {
    File(BufReader<File>),
    /// Which columns hold words.
    Kept {
        cells: Arc<Cells>,
        words: Vec<bool>,
    },
}

/// A table being read.
pub struct TableReader {
    rows: Rows,
    file: String,
    line: String,
    number: usize,
    columns: usize,
    cells: Vec<Range<usize>>,
}

impl TableReader {
    /// Opens a table and compares its header.
    pub fn open(folder: &Path, name: &str, header: &str) -> Result<Self> {
        Self::open_former(folder, name, header, usize::MAX)
    }

    /// The same, where a table may lack its last columns but for the `least` first; their cells are empty.
    pub fn open_former(folder: &Path, name: &str, header: &str, least: usize) -> Result<Self> {
        let path = folder.join(name);
        let file = path.display().to_string();
        let opened = File::open(&path).map_err(|error| missing(&file, &error))?;
        let columns = header.split(',').count();
        let rows = Rows::File(BufReader::with_capacity(1 << 16, opened));
        let mut table = Self { rows, file, line: String::new(), number: 0, columns, cells: Vec::new() };
        let read = table.advance()?;
        // tables of earlier versions end before columns that were added since
        let found = table.line.trim_end().to_string();
        let former = header.strip_prefix(found.as_str()).is_some_and(|rest| rest.starts_with(','));
        if former && found.split(',').count() >= least {
            table.columns = found.split(',').count();
            return Ok(table);
        }
        if !read || found != header {
            let shown: String = header.chars().take(60).collect();
            return table.refuse("the first line is not the header of this table", format!("it should read {shown}"));
        }
        Ok(table)
    }

    /// The table of a run in memory.
    pub fn kept(name: &str, cells: Arc<Cells>) -> Self {
        let words = cells.columns.iter().map(|column| Column::of_run(column) == Column::Word).collect();
        let columns = cells.columns.len();
        let rows = Rows::Kept { cells, words };
        Self { rows, file: name.into(), line: String::new(), number: 0, columns, cells: Vec::new() }
    }

    /// Reads the next row; false at the end.
    pub fn next(&mut self) -> Result<bool> {
        if let Rows::Kept { cells, .. } = &self.rows {
            self.number += 1;
            return Ok(self.number <= cells.len());
        }
        if !self.advance()? {
            return Ok(false);
        }
        self.cells.clear();
        let text = self.line.trim_end_matches(['\n', '\r']);
        let mut start = 0;
        if text.contains('"') {
            self.line = unquoted(text, &mut self.cells);
        } else {
            for cell in text.split(',') {
                self.cells.push(start..start + cell.len());
                start += cell.len() + 1;
            }
        }
        if self.cells.len() != self.columns || !self.line.ends_with('\n') {
            let message =
                format!("a row of {} cells where {} belong, or a row cut short", self.cells.len(), self.columns);
            return self.refuse(message, "run the scenario again");
        }
        Ok(true)
    }

    /// The cell of the present row of a table in memory.
    fn value(&self, column: usize) -> Option<f64> {
        match &self.rows {
            Rows::File(_) => None,
            Rows::Kept { cells, .. } if column >= self.columns => cells.values.first().map(|_| f64::NAN),
            Rows::Kept { cells, .. } => cells.values.get((self.number.max(1) - 1) * self.columns + column).copied(),
        }
    }

    fn advance(&mut self) -> Result<bool> {
        self.line.clear();
        self.number += 1;
        let longest = LONGEST_CELL * self.columns as u64;
        let Rows::File(reader) = &mut self.rows else { return Ok(false) };
        match reader.take(longest).read_line(&mut self.line) {
            Ok(read) if read as u64 == longest && !self.line.ends_with('\n') => {
                self.line.clear();
                self.refuse(format!("a line of more than {longest} bytes"), "run the scenario again")
            }
            Ok(read) => Ok(read > 0),
            Err(error) => {
                self.line.clear();
                self.refuse(format!("cannot be read: {error}"), "run the scenario again")
            }
        }
    }

    /// Whether the cell is empty.
    pub fn is_empty(&self, column: usize) -> bool {
        self.value(column).map_or_else(|| self.word(column).is_empty(), f64::is_nan)
    }

    /// The cell as text; nothing for a number in memory.
    pub fn word(&self, column: usize) -> &str {
        if let (Rows::Kept { cells, words }, Some(x)) = (&self.rows, self.value(column)) {
            let known = words.get(column) == Some(&true) && x >= 0.0;
            return if known { cells.words.get(x as usize).map_or("", String::as_str) } else { "" };
        }
        self.cells.get(column).map_or("", |range| &self.line[range.clone()])
    }

    /// The cell as a finite number.
    pub fn number(&self, column: usize) -> Result<f64> {
        match self.value(column).map_or_else(|| self.word(column).parse::<f64>(), Ok) {
            Ok(x) if x.is_finite() => Ok(x),
            _ => {
                let word: String = self.word(column).chars().take(60).collect();
                self.refuse(format!("\"{word}\" is not a finite number"), "run the scenario again")
            }
        }
    }

    /// The cell as a number, or zero where it is empty.
    pub fn number_or_zero(&self, column: usize) -> Result<f64> {
        if self.is_empty(column) { Ok(0.0) } else { self.number(column) }
    }

    /// The cell as a whole number.
    pub fn integer(&self, column: usize) -> Result<u64> {
        match self.value(column).map_or_else(|| self.word(column).parse(), |x| Ok(x as u64)) {
            Ok(k) => Ok(k),
            Err(_) => self.refuse(format!("\"{}\" is not a whole number", self.word(column)), "run the scenario again"),
        }
    }

    /// Refuses the present row.
    pub fn refuse<T>(&self, message: impl Into<String>, help: impl Into<String>) -> Result<T> {
        let text = self.line.trim_end();
        let text = (!text.is_empty()).then_some(text);
        Err(ScenarioError::file(Code::BAD_RUN, self.file.clone(), message, help).at_line(self.number, text))
    }
}

/// The cells of a line with quotes, one after the other and without them, and their places.
fn unquoted(line: &str, places: &mut Vec<Range<usize>>) -> String {
    let mut text = String::new();
    for cell in cells(line) {
        let start = text.len();
        text += &cell;
        places.push(start..text.len());
    }
    text.push('\n');
    text
}

/// E301 for a file that is not there.
pub fn missing(file: &str, error: &std::io::Error) -> Box<ScenarioError> {
    let help = "give the folder of a run; `percussion run SCENARIO --out FOLDER` makes one";
    ScenarioError::file(Code::BAD_RUN, file, crate::build::load::plain(error), help)
}
