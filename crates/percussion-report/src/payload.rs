//! The numbers of the page for its viewer: figures, film, events and tables as JSON whose columns are in one block.
//!
//! Curves are the figures' own, so what moves under the cursor is what the static figures show. Numbers of four bytes
//! where they become pixels, of eight where they become files again.

use crate::figures::on_page;
use crate::labels::run_labels;
use crate::overlay::span;
use crate::pack::Pack;
use crate::report::Report;
use crate::scene::{Geometry, Shape, Swept, light};
use crate::series::{Point, Series};
use crate::svg::{Figure, Stroke};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Runs whose picture and tables are carried; of more, only the curves are.
const PICTURED_RUNS: usize = 8;

/// Columns beyond which a table is left to the run's folder: their names alone would fill the page.
const WIDEST_TABLE: usize = 4000;

/// Levels of a coordinate of the picture: a fiftieth of a pixel, and where strains are seen a thousandth of that.
const BITS: (u32, u32) = (16, 24);

/// Numbers of a film beyond which solids are content with the fewer levels.
const FINE_FILM: usize = 2_000_000;

/// The data element's text, JSON in which nothing can end the element, and that of its columns.
pub fn payload(reports: &[Report]) -> (String, String) {
    let mut columns = Pack::default();
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
    let value = json!({
        "span": [from, to], "figures": figures, "runs": runs, "units": Report::contact_units(reports),
    });
    (inert(&value.to_string()), columns.text())
}

// no tag can begin, and no letter turns the direction of reading
pub(crate) fn inert(json: &str) -> String {
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

fn of_curve(points: &[Point], columns: &mut Pack) -> Value {
    let starts: Vec<usize> = (1..points.len()).filter(|&i| points[i].starts).collect();
    let (t, y) = (columns.singles(points.iter().map(|p| p.t)), columns.singles(points.iter().map(|p| p.y)));
    json!({ "t": t, "y": y, "starts": starts })
}

fn of_stroke(stroke: Stroke) -> Value {
    json!({ "colour": stroke.colour, "dash": stroke.dash, "broad": stroke.broad })
}

fn of_figure(name: &str, figure: &Figure, columns: &mut Pack) -> Value {
    let mut known: Vec<(&str, Stroke)> = figure.legend.iter().map(|(name, stroke)| (name.as_str(), *stroke)).collect();
    known.dedup();
    let curves: Vec<Value> = figure
        .curves
        .iter()
        .map(|c| {
            json!({ "name": c.name, "stroke": of_stroke(c.stroke), "stems": c.stems, "curve": of_curve(&c.points, columns) })
        })
        .collect();
    json!({
        "id": name, "title": figure.title, "caption": figure.caption.trim(), "label": figure.y_label, "log": figure.log,
        "levels": figure.levels, "curves": curves,
        "legend": known.iter().map(|(name, stroke)| json!({ "name": name, "stroke": of_stroke(*stroke) })).collect::<Vec<_>>(),
    })
}

// of the contacts that the viewer speaks of: those with curves and those of the events it lists
fn names(report: &Report, share: Option<usize>) -> BTreeMap<usize, &String> {
    let events = report.tables.iter().find(|(meta, _)| meta.file == "events.csv").zip(share);
    let listed: Vec<f64> = events.map_or_else(Vec::new, |((meta, rows), share)| {
        let rows = rows.shared(share);
        let column = meta.columns.iter().position(|column| column.name == "contact");
        column.map_or_else(Vec::new, |j| rows.column(j).collect())
    });
    let ids = listed.into_iter().filter(|id| *id >= 0.0).map(|id| id as usize).chain(report.contacts.keys().copied());
    ids.filter_map(|id| Some((id, report.names.get(&id)?))).collect()
}

fn of_run(report: &Report, label: &str, share: Option<usize>, columns: &mut Pack) -> Value {
    let contacts: Vec<Value> = report
        .contacts
        .iter()
        .map(|(id, c)| {
            let mut of = |series: &Series| of_curve(&series.points(), columns);
            let friction: Vec<Value> = c.sliding.iter().map(|(_, impulse)| of(impulse)).collect();
            json!({ "contact": id, "gap": of(&c.gap), "impulse": of(&c.impulse), "friction": friction })
        })
        .collect();
    let info = &report.info;
    let mut run = json!({
        "label": label, "scenario": info.scenario, "end": info.t_end, "impacts": report.n_impacts(), "contacts": contacts,
        "names": names(report, share),
    });
    if let Some((from, to)) = info.window {
        run["window"] = json!([from, to]);
    }
    let Some(share) = share else { return run };
    if let Some(scene) = &report.scene {
        let film = report.film.shared(share);
        let series: Vec<Vec<f64>> = (1..film.n_columns()).map(|j| film.column(j).collect()).collect();
        let bends = |swept: &Option<Box<Swept>>| swept.as_ref().is_some_and(|swept| !swept.bending.is_empty());
        let small = film.len() * series.len() <= FINE_FILM;
        let coloured = |shape: &Shape| match &shape.geometry {
            Geometry::Polyline { strain, swept, .. } => *strain || bends(swept),
            Geometry::Solid { .. } => small,
            Geometry::Sphere { .. }
            | Geometry::Box { .. }
            | Geometry::Capsule { .. }
            | Geometry::Cylinder { .. }
            | Geometry::Plane { .. }
            | Geometry::Polygon { .. }
            | Geometry::Mesh { .. }
            | Geometry::Spring { .. } => false,
        };
        let strained = scene.shapes.iter().any(coloured);
        let bits = if strained { BITS.1 } else { BITS.0 };
        run["scene"] = json!(light(scene, share));
        run["film"] = json!({
            "columns": series.len(), "seen": film.seen(), "t": columns.doubles(film.column(0)),
            "q": columns.levels(&series, bits),
        });
    }
    if report.arrows.len() > 0 {
        let arrows = report.arrows.shared(share);
        let mut three = |first: usize| {
            let mut out = vec![0.0; 3 * arrows.len()];
            for k in 0..3 {
                arrows.column(first + k).enumerate().for_each(|(i, x)| out[3 * i + k] = x);
            }
            columns.singles(out.into_iter())
        };
        let (at, p, f) = (three(1), three(4), three(7));
        run["arrows"] = json!({ "t": columns.doubles(arrows.column(0)), "at": at, "p": p, "f": f });
    }
    let tables: Vec<Value> = report
        .tables
        .iter()
        .map(|(meta, rows)| {
            if meta.columns.len() > WIDEST_TABLE {
                return json!({ "file": meta.file, "rows": 0, "seen": rows.seen(), "columns": [] });
            }
            let rows = rows.shared(share);
            let cells: Vec<Value> = meta
                .columns
                .iter()
                .enumerate()
                .map(|(j, column)| {
                    json!({ "name": column.name, "words": column.words, "values": columns.doubles(rows.column(j)) })
                })
                .collect();
            json!({ "file": meta.file, "rows": rows.len(), "seen": rows.seen(), "columns": cells })
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
