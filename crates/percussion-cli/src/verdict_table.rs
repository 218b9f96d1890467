//! The verdicts as a table.

use crate::paint::Paint;
use crate::show_error::clean;
use comfy_table::{Cell, Table, presets};
use percussion::scenario::{CertificateSummary, Summary};

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
    let present = || ORDER.into_iter().filter_map(|name| Some((name, summary.verdicts.get(name)?)));
    let place = |c: &CertificateSummary| match (c.status.as_str(), &c.contact) {
        ("none", _) => String::new(),
        (_, None) => format!("t = {}", short(c.t)),
        (_, Some(name)) => format!("t = {} {}", short(c.t), clean(name)),
    };
    let width = present().map(|(name, _)| name.len()).max().unwrap_or(0).max(7);
    let room = present().map(|(_, c)| place(c).chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, c) in present() {
        let padded = format!("{:<6}", c.status);
        let status = paint.status(c.status.as_str()) + &padded[c.status.len()..];
        let worst = if c.status == "none" { String::new() } else { format!("{:.2e}", c.worst) };
        text += &format!("  {name:<width$} {status} {worst:>9}  {:<room$}  {}\n", place(c), paint.dim(&clean(&c.text)));
    }
    text.trim_end().to_string()
}

/// A time for people.
pub fn short(t: f64) -> String {
    let text = format!("{t:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
