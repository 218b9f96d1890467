//! Tables of signals that stand in files: read before anything else, so that every reader of signals sees points.
//!
//!   { table = "record.csv", … }   becomes   { table = [[t, x], …], file = "record.csv", … }
//!
//! Two columns, t and x, apart by commas, semicolons or blanks; a heading and lines that begin with # are passed over.

use super::load::Source;
use super::scenario_folder::bytes;
use crate::error::{Result, ScenarioError};
use crate::run::crc64::Crc64;
use percussion_model::Code;
use std::path::{Component, Path};
use toml::{Table, Value};

/// A table as it is written again beside a resolved scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct SignalFile {
    /// Relative to the scenario's folder.
    pub name: String,
    /// (t, x).
    pub points: Vec<[f64; 2]>,
}

/// Replaces the names of files by their points, everywhere below a table.
pub fn read_signal_files(table: &mut Table, source: &Source) -> Result<Vec<SignalFile>> {
    let mut files = Vec::new();
    walk_table(table, "", source, &mut files)?;
    Ok(files)
}

fn walk_table(table: &mut Table, at: &str, source: &Source, files: &mut Vec<SignalFile>) -> Result<()> {
    for (key, value) in table.iter_mut() {
        let place = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
        walk(value, &place, source, files)?;
    }
    let Some(Value::String(name)) = table.get("table") else { return Ok(()) };
    let file = match files.iter().find(|file| file.name == *name) {
        Some(known) => known.clone(),
        None => {
            let file = read(name, &format!("{at}.table"), source)?;
            files.push(file.clone());
            file
        }
    };
    let point = |p: &[f64; 2]| Value::Array(p.iter().map(|&x| Value::Float(x)).collect());
    table.insert("table".into(), Value::Array(file.points.iter().map(point).collect()));
    table.insert("file".into(), Value::String(file.name));
    Ok(())
}

fn walk(value: &mut Value, at: &str, source: &Source, files: &mut Vec<SignalFile>) -> Result<()> {
    match value {
        Value::Table(table) => walk_table(table, at, source, files),
        Value::Array(list) => list
            .iter_mut()
            .enumerate()
            // lists of numbers are long
            .filter(|(_, value)| value.is_table() || value.is_array())
            .try_for_each(|(i, value)| walk(value, &format!("{at}[{i}]"), source, files)),
        Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => Ok(()),
    }
}

fn read(name: &str, field: &str, source: &Source) -> Result<SignalFile> {
    // points handed over by a program go before files of that name
    if let Some(A) = source.given.matrices.get(name).filter(|A| A.n_cols() == 2) {
        let points = (0..A.n_rows()).map(|i| [A.get(i, 0), A.get(i, 1)]).collect();
        return Ok(SignalFile { name: name.into(), points });
    }
    let (bytes, shown) = bytes(name, field, source)?;
    let text = String::from_utf8_lossy(&bytes);
    let points = points(&text).map_err(|(line, message)| {
        let help = "write two numbers a line, t and x, by rising t";
        ScenarioError::file(Code::BAD_SIGNAL, shown.as_str(), message, help).at_line(line, text.lines().nth(line - 1))
    })?;
    Ok(SignalFile { name: kept_name(name, &bytes), points })
}

/// The name under which a run keeps the table: its own, or one of its content where it lies outside the folder.
fn kept_name(name: &str, bytes: &[u8]) -> String {
    let path = Path::new(name);
    if path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return name.to_string();
    }
    let last = path.file_name().map_or("table.csv".into(), |name| name.to_string_lossy());
    format!("{:016x}-{last}", Crc64::of(bytes))
}

/// The points, or the line that is none.
fn points(text: &str) -> std::result::Result<Vec<[f64; 2]>, (usize, String)> {
    let mut points = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let separated = line.split(|c: char| c == ',' || c == ';' || c.is_whitespace()).filter(|word| !word.is_empty());
        let numbers: Vec<Option<f64>> = separated.map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [Some(t), Some(x)] if t.is_finite() && x.is_finite() => points.push([t, x]),
            // one line of words may stand above the numbers
            [first, ..] if points.is_empty() && first.is_none() => {}
            [Some(_), Some(_)] => return Err((i + 1, "a number is not finite".into())),
            _ => return Err((i + 1, format!("has {} columns, or one that is no number", numbers.len()))),
        }
    }
    Ok(points)
}
