//! Tables of a run folder as tests read them.

use std::collections::BTreeMap;
use std::path::Path;

/// The rows of a table as maps from column to cell.
pub fn rows(folder: &Path, table: &str) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(folder.join(table)).unwrap_or_else(|error| panic!("{table}: {error}"));
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    lines
        .map(|line| header.iter().map(|name| name.to_string()).zip(line.split(',').map(String::from)).collect())
        .collect()
}

/// A cell as a number.
pub fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} = {:?}", row[column]))
}
