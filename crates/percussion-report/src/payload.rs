//! The numbers of the page for its viewer: figures, film, events and tables as JSON with base64 columns.
//!
//! Curves are the figures' own, so what moves under the cursor is what the static figures show. Numbers of four bytes
//! where they become pixels, of eight where they become files again.

use crate::base64::{doubles, singles};
use crate::figures::on_page;
use crate::labels::run_labels;
use crate::overlay::span;
use crate::report::Report;
use crate::series::Point;
use crate::svg::{Figure, Stroke};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Runs whose picture and tables are carried; of more, only the curves are.
const PICTURED_RUNS: usize = 8;

/// The data element's text: JSON in which nothing can end the element.
pub fn payload(reports: &[Report]) -> String {
    let mut columns = Columns::default();
    let figures: Vec<Value> =
        on_page(reports).iter().map(|(name, figure)| of_figure(name, figure, &mut columns)).collect();
    let labels = run_labels(reports);
    let share = reports.len().min(PICTURED_RUNS);
    let runs: Vec<Value> = reports
        .iter()
        .zip(&labels)
        .enumerate()
        .map(|(i, (report, label))| of_run(report, label, (i < PICTURED_RUNS).then_some(share), &mut columns))
        .collect();
    let (from, to) = span(reports);
    let value = json!({ "span": [from, to], "figures": figures, "runs": runs, "columns": columns.texts });
    inert(&value.to_string())
}

// no tag can begin, and no letter turns the direction of reading
fn inert(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// Columns of curves, each different one once: the times of all curves of a short run are the same.
#[derive(Default)]
struct Columns {
    texts: Vec<String>,
    known: HashMap<String, usize>,
}

impl Columns {
    fn add(&mut self, values: impl Iterator<Item = f64>) -> usize {
        let text = singles(values);
        if let Some(&at) = self.known.get(&text) {
            return at;
        }
        self.texts.push(text.clone());
        self.known.insert(text, self.texts.len() - 1);
        self.texts.len() - 1
    }

    fn curve(&mut self, points: &[Point]) -> Value {
        let starts: Vec<usize> = (1..points.len()).filter(|&i| points[i].starts).collect();
        json!({ "t": self.add(points.iter().map(|p| p.t)), "y": self.add(points.iter().map(|p| p.y)), "starts": starts })
    }
}

fn of_stroke(stroke: Stroke) -> Value {
    json!({ "colour": stroke.colour, "dash": stroke.dash, "broad": stroke.broad })
}

fn of_figure(name: &str, figure: &Figure, columns: &mut Columns) -> Value {
    let mut known: Vec<(&str, Stroke)> = figure.legend.iter().map(|(name, stroke)| (name.as_str(), *stroke)).collect();
    known.dedup();
    let curves: Vec<Value> = figure
        .curves
        .iter()
        .map(|c| {
            json!({ "name": c.name, "stroke": of_stroke(c.stroke), "stems": c.stems, "curve": columns.curve(&c.points) })
        })
        .collect();
    json!({
        "id": name, "title": figure.title, "caption": figure.caption.trim(), "label": figure.y_label, "log": figure.log,
        "levels": figure.levels, "curves": curves,
        "legend": known.iter().map(|(name, stroke)| json!({ "name": name, "stroke": of_stroke(*stroke) })).collect::<Vec<_>>(),
    })
}

fn of_run(report: &Report, label: &str, share: Option<usize>, columns: &mut Columns) -> Value {
    let contacts: Vec<Value> = report
        .contacts
        .iter()
        .map(|(id, c)| {
            let (gap, impulse) = (columns.curve(&c.gap.points()), columns.curve(&c.impulse.points()));
            json!({ "contact": id, "gap": gap, "impulse": impulse })
        })
        .collect();
    let info = &report.info;
    let mut run = json!({
        "label": label, "scenario": info.scenario, "end": info.t_end, "impacts": report.n_impacts(), "contacts": contacts,
    });
    let Some(share) = share else { return run };
    if let Some(scene) = &report.scene {
        let film = report.film.shared(share);
        let coordinates = report.film_columns();
        let frames: Vec<f64> = {
            let mut frames = vec![0.0; film.len() * coordinates];
            for j in 0..coordinates {
                film.column(j + 1).enumerate().for_each(|(i, x)| frames[i * coordinates + j] = x);
            }
            frames
        };
        run["scene"] = json!(scene);
        run["film"] = json!({
            "columns": coordinates, "seen": film.seen(), "t": doubles(film.column(0)), "q": singles(frames.into_iter()),
        });
    }
    if report.arrows.len() > 0 {
        let arrows = report.arrows.shared(share);
        let three = |first: usize| {
            let mut out = vec![0.0; 3 * arrows.len()];
            for k in 0..3 {
                arrows.column(first + k).enumerate().for_each(|(i, x)| out[3 * i + k] = x);
            }
            singles(out.into_iter())
        };
        run["arrows"] = json!({ "t": doubles(arrows.column(0)), "at": three(1), "p": three(4) });
    }
    let tables: Vec<Value> = report
        .tables
        .iter()
        .map(|(meta, rows)| {
            let rows = rows.shared(share);
            let columns: Vec<Value> = meta
                .columns
                .iter()
                .enumerate()
                .map(|(j, column)| json!({ "name": column.name, "words": column.words, "values": doubles(rows.column(j)) }))
                .collect();
            json!({ "file": meta.file, "rows": rows.len(), "seen": rows.seen(), "columns": columns })
        })
        .collect();
    run["tables"] = json!(tables);
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_the_element() {
        let name = "</script><!-- \u{202e}";
        let text = inert(&json!({ "name": name }).to_string());
        assert!(!text.contains('<') && !text.contains('\u{202e}'));
        let back: Value = serde_json::from_str(&text).unwrap_or_default();
        assert_eq!(back["name"], name.replace('\u{202e}', "\u{FFFD}"));
    }
}
