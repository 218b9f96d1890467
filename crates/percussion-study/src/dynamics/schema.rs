//! What the columns of a study's tables hold: `schema.json`, a list for each table.

use super::prepared::{Prepared, first_of, prepare};
use percussion_scenario::{Axis, ColumnName, Dynamics, Result, csv_cells, read_text};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Columns that hold words; all others hold numbers.
pub const WORDS: [&str; 5] = ["direction", "status", "code", "message", "loss"];

/// Name, unit and meaning of what every study calls alike.
const COLUMNS: [(&str, &str, &str); 35] = [
    ("direction", "", "which way the parameter goes"),
    ("column", "", "number of the value, from 0 at dynamics.from"),
    ("status", "", "finished, failed (a step could not be made) or refused (an inadmissible scenario)"),
    ("code", "", "of what was refused or failed"),
    ("message", "", "why it was refused or failed"),
    ("points", "", "points that were kept"),
    ("cycle", "", "points of the cycle that is repeated; empty or 0 where none is"),
    ("closure", "", "how far the cycle is from closing, over the size of its points"),
    ("impacts_per_period", "", "impacts in a period, after the transient"),
    ("impacts", "", "impacts: of starts and orbits in a period or orbit, of exponents in all periods"),
    ("cycle_event_driven", "", "points of the cycle, event-driven"),
    ("distance", "", "of the points from those event-driven, over the range of the diagram"),
    ("start", "", "number of the start, the first key fastest"),
    ("attractor", "", "where the start ends; 0 is no cycle"),
    ("starts", "", "starts that end there"),
    ("branch", "", "which of the two ways from the scenario's own value"),
    ("periods", "", "periods after which the orbit closes"),
    ("residual", "", "how far it is from closing"),
    ("radius", "", "the largest absolute value of a multiplier"),
    ("loss", "", "what happened since the orbit before: fold, flip, torus, grazing"),
    ("slowest_impact", "m/s", "approach of the slowest impact"),
    ("nearest_gap", "m", "smallest gap at which an open contact turns back"),
    ("value", "", "number of the value, from 0 at dynamics.from"),
    ("skipped", "", "periods without a derivative, left out"),
    ("frequency", "Hz", "of the line"),
    ("harmonic", "", "the same over the frequency of the drive"),
    ("point", "", "number of the point"),
    ("t", "s", "time"),
    ("phase", "", "part of the period that has passed"),
    ("contact", "", "its number in the scenario"),
    ("u_n_before", "m/s", "normal velocity before the impact"),
    ("u_n_after", "m/s", "normal velocity after it"),
    ("p_n", "N s", "normal impulse"),
    ("exponent_", "1/s", "Lyapunov exponent, the largest first"),
    ("multiplier_", "", "Floquet multiplier, real and imaginary part"),
];

/// The columns of tables, as JSON.
pub fn schema(study: &Dynamics, tables: &[PathBuf]) -> Result<String> {
    let count = study.axes.iter().map(|axis| axis.points as u64).product::<u64>();
    let point = |i: u64| {
        let mut i = i;
        let of = |axis: &Axis| {
            let k = i % axis.points as u64;
            i /= axis.points as u64;
            axis.at(k as usize)
        };
        study.axes.iter().map(of).collect::<Vec<f64>>()
    };
    let any = first_of(count, |i| prepare(study, &point(i), None))?;
    let mut list = Map::new();
    for table in tables {
        let text = read_text(table).unwrap_or_default();
        let columns: Vec<Value> =
            csv_cells(text.lines().next().unwrap_or_default()).iter().map(|name| column(&any, name)).collect();
        list.insert(table.file_name().unwrap_or_default().to_string_lossy().into_owned(), Value::Array(columns));
    }
    Ok(format!("{:#}\n", Value::Object(list)))
}

fn column(any: &Prepared, name: &str) -> Value {
    let kind = if WORDS.contains(&name) { "word" } else { "number" };
    let plain = name.strip_suffix("_next").unwrap_or(name);
    let numbered = |own: &str| own.ends_with('_') && plain.starts_with(own);
    let (unit, meaning) = match COLUMNS.iter().find(|(own, ..)| *own == plain || numbered(own)) {
        Some((_, unit, meaning)) => (*unit, (*meaning).to_string()),
        None => match any.names().find(|own| own.column == plain) {
            Some(ColumnName { name, unit, .. }) => (*unit, name.clone()),
            None => ("", "a key of the scenario".to_string()),
        },
    };
    let meaning = if plain == name { meaning } else { format!("{meaning}, of the next point") };
    json!({ "name": name, "type": kind, "unit": unit, "meaning": meaning })
}
