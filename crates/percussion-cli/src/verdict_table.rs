//! The verdicts as a table.

use crate::paint::Paint;
use crate::show_error::clean;
use comfy_table::{Cell, Table, presets};
use percussion::scenario::Summary;

/// The certificates in the order they are shown.
pub const ORDER: [&str; 6] = ["energy", "gap", "cone", "joints", "momentum", "solver"];

/// A table with thin rules.
pub fn plain(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header.iter().map(Cell::new));
    table
}

/// Status, worst value, time and words of each certificate.
pub fn verdicts(summary: &Summary, paint: Paint) -> String {
    let mut text = String::new();
    let width = ORDER.iter().filter(|name| summary.verdicts.contains_key(**name)).map(|name| name.len().max(7)).max();
    let width = width.unwrap_or(7);
    for name in ORDER {
        let Some(c) = summary.verdicts.get(name) else { continue };
        let padded = format!("{:<6}", c.status);
        let status = paint.status(c.status.as_str()) + &padded[c.status.len()..];
        let worst = if c.status == "none" { String::new() } else { format!("{:.2e}", c.worst) };
        let when = if c.status == "none" { String::new() } else { format!("t = {}", short(c.t)) };
        let place = c.contact.as_ref().map_or(String::new(), |name| format!(" {}", clean(name)));
        text += &format!(
            "  {name:<width$} {status} {worst:>9}  {:<22} {}\n",
            format!("{when}{place}"),
            paint.dim(&clean(&c.text))
        );
    }
    text.trim_end().to_string()
}

/// A time for people.
pub fn short(t: f64) -> String {
    let text = format!("{t:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
