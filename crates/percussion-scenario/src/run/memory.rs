//! The tables of a run in memory, cell by cell what the CSV files hold, and the run folder written from them.

use crate::build::scenario::Scenario;
use crate::error::Result;
use crate::format::write::write_scenario;
use crate::live::inputs::{INPUTS, INPUTS_HEADER};
use crate::run::atomic_file::replace;
use crate::run::checkpoint::{End, Head};
use crate::run::column::Column;
use crate::run::contact_names::ContactNames;
use crate::run::crc64::Crc64;
use crate::run::csv_text;
use crate::run::folder::tables as folder_tables;
use crate::run::names::{NAMES, NAMES_HEADER, write_names};
use crate::run::report::write_conclusions;
use crate::run::summary::{Summary, TableSum};
use crate::run::table::{Table, Written};
use crate::run::{boxed, prepare, unwritable};
use percussion_step::Model;
use std::path::Path;

/// The cells of one table, row after row. Empty cells are NaN; words stand as their place in `words`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// One number per cell, row-major.
    pub values: Vec<f64>,
    /// The words met, in the order they were.
    pub words: Vec<String>,
}

impl Cells {
    /// Nothing yet under a header, with memory for so many rows.
    pub fn new(header: &str, rows: usize) -> Self {
        let columns: Vec<String> = header.split(',').map(str::to_string).collect();
        let values = Vec::with_capacity(rows * columns.len());
        Self { columns, values, words: Vec::new() }
    }

    /// A table of words alone.
    pub fn of_words<const N: usize>(header: &str, rows: Vec<[String; N]>) -> Self {
        let mut cells = Self::new(header, rows.len());
        for word in rows.into_iter().flatten() {
            // every cell its own word: to look for equal ones would cost more
            cells.values.push(if word.is_empty() { f64::NAN } else { cells.words.len() as f64 });
            if !word.is_empty() {
                cells.words.push(word);
            }
        }
        cells
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.values.len() / self.columns.len().max(1)
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// As the file of a table.
    pub fn csv(&self) -> String {
        let mut text = self.columns.join(",") + "\n";
        for row in self.values.chunks(self.columns.len().max(1)) {
            let cell = |(column, &x): (&String, &f64)| match Column::of_run(column) {
                _ if x.is_nan() => String::new(),
                Column::Integer => (x as u64).to_string(),
                Column::Word => csv_text::quoted(self.words.get(x as usize).map_or("", String::as_str)),
                Column::Number => format!("{x:?}"),
            };
            let cells: Vec<String> = self.columns.iter().zip(row).map(cell).collect();
            text += &(cells.join(",") + "\n");
        }
        text
    }

    /// Adds a word, or an empty cell.
    #[inline]
    pub fn word(&mut self, word: &str) {
        if word.is_empty() {
            self.values.push(f64::NAN);
            return;
        }
        let place = self.words.iter().position(|known| known == word).unwrap_or_else(|| {
            self.words.push(word.to_string());
            self.words.len() - 1
        });
        self.values.push(place as f64);
    }
}

/// The tables of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// t, q, v.
    pub trajectory: Cells,
    /// The index sets.
    pub contacts: Cells,
    /// The ledger.
    pub ledger: Cells,
    /// The events.
    pub events: Cells,
    /// The account of momentum; empty where a model is not made of bodies.
    pub momentum: Cells,
    /// Reactions of joints; empty where a model has none.
    pub reactions: Cells,
    /// Coordinates of joints.
    pub joints: Cells,
    /// Strains and section forces of beams; empty where a model has none.
    pub beams: Cells,
    /// What a program set; empty where it set nothing.
    pub inputs: Cells,
    /// What columns, joints and contacts are called.
    pub names: Cells,
    /// Where the run ended, for those who go on with it; none where it failed or was interrupted.
    pub end: Option<End>,
}

/// A table of a run on its way back to a file.
pub struct KeptTable<'a> {
    /// Names of the columns.
    pub columns: &'a [String],
    /// One number per cell, row-major.
    pub values: &'a [f64],
    /// Its words.
    pub words: &'a [String],
}

/// Writes the folder a run into files would have written: trajectory, contacts, ledger, events and those of
/// bodies in the order of `tables`, names at the end.
pub fn save(
    scenario: &Scenario,
    summary: &Summary,
    mut tables: Vec<KeptTable>,
    end: Option<&End>,
    folder: &Path,
) -> Result<()> {
    prepare(folder)?;
    let text = write_scenario(scenario, folder).map_err(|error| unwritable(&folder.join("scenario.toml"), &error))?;
    let mut summary = summary.clone();
    let names = tables.pop_if(|table| table.columns.join(",") == NAMES_HEADER);
    let names = names.map_or_else(ContactNames::default, |names| contact_names(scenario.model(), &names));
    if let Some(inputs) = tables.pop_if(|table| table.columns.join(",") == INPUTS_HEADER) {
        let sum = write_inputs(folder, &inputs).map_err(|error| unwritable(&folder.join(INPUTS), &error))?;
        summary.tables.insert(INPUTS.into(), sum);
    }
    let mut vouched = Vec::new();
    for ((name, _), table) in folder_tables(scenario.model(), &scenario.selection).into_iter().zip(tables) {
        let at_end = end.and_then(|end| end.rows.get(vouched.len())).copied().unwrap_or(u64::MAX);
        let [then, written] =
            write_table(folder, name, &table, at_end).map_err(|error| unwritable(&folder.join(name), &error))?;
        vouched.push(then);
        summary.tables.insert(name.into(), written.into());
    }
    if let Some(end) = end {
        let head = Head {
            version: env!("CARGO_PKG_VERSION").into(),
            scenario: Crc64::of(text.as_bytes()),
            wall_s: summary.wall_s,
            warnings: summary.warnings.clone(),
            written: vouched,
        };
        end.write(folder, &head).map_err(boxed)?;
    }
    write_names(scenario, &names, folder).map_err(|error| unwritable(&folder.join(NAMES), &error))?;
    let path = folder.join("summary.json");
    replace(&path, summary.to_json().as_bytes()).map_err(|error| unwritable(&path, &error))?;
    write_conclusions(folder, &scenario.given)
}

/// What the contacts are called, from a table of names.
fn contact_names(model: &Model, names: &KeptTable) -> ContactNames {
    let rows = names.values.chunks_exact(names.columns.len().max(3));
    let word = |x: f64| if x >= 0.0 { names.words.get(x as usize).cloned().unwrap_or_default() } else { String::new() };
    ContactNames::from_rows(model, rows.map(|row| [row[0], row[1], row[2]].map(word)))
}

impl Kept {
    /// Writes the folder a run into files would have written.
    pub fn save(&self, scenario: &Scenario, summary: &Summary, folder: &Path) -> Result<()> {
        let Self { trajectory, contacts, ledger, events, momentum, reactions, joints, beams, inputs, names, end } =
            self;
        let all = [trajectory, contacts, ledger, events, momentum, reactions, joints, beams, inputs, names];
        let present = all.into_iter().filter(|cells| !cells.columns.is_empty());
        let tables = present.map(|Cells { columns, values, words }| KeptTable { columns, values, words });
        save(scenario, summary, tables.collect(), end.as_ref(), folder)
    }

    /// What the contacts are called.
    pub fn contact_names(&self, model: &Model) -> ContactNames {
        let Cells { columns, values, words } = &self.names;
        contact_names(model, &KeptTable { columns, values, words })
    }
}

/// Writes what was set, and its checksum.
pub(crate) fn write_inputs(folder: &Path, kept: &KeptTable) -> std::io::Result<TableSum> {
    write_table(folder, INPUTS, kept, u64::MAX).map(|[_, written]| written.into())
}

/// Writes a table; its length after so many rows, and at the end.
fn write_table(folder: &Path, name: &str, kept: &KeptTable, rows: u64) -> std::io::Result<[Written; 2]> {
    let mut table = Table::create(Some(folder), None, name, &kept.columns.join(","))?;
    let mut then = None;
    for (k, row) in kept.values.chunks(kept.columns.len().max(1)).enumerate() {
        if k as u64 == rows {
            table.flush()?;
            then = table.written();
        }
        for (column, &x) in kept.columns.iter().zip(row) {
            let word = |x: f64| kept.words.get(x as usize).map_or("", String::as_str);
            match Column::of_run(column) {
                _ if x.is_nan() => table.word(""),
                Column::Integer => table.integer(x as u64),
                Column::Word => table.text(word(x)),
                Column::Number => table.number(x),
            };
        }
        table.end()?;
    }
    table.flush()?;
    let written = table.written().unwrap_or_default();
    Ok([then.unwrap_or(written), written])
}
