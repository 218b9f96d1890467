//! Section forces and strains along a beam, `--x s`: a line for each of a few instants.
//!
//!   s = the middle of each element, along the beam as it is without load

use crate::error::{Result, ScenarioError};
use crate::run::beam_table::{BEAMS, BEAMS_HEADER};
use crate::run::columns::{Choice, unit_of, with_unit};
use crate::run::folder::{RunFolder, open_table};
use percussion_model::Code;
use percussion_model::bodies::{Beam, Bodies};
use percussion_report::{Line, Plot};

/// Instants that are drawn, spread evenly over what is shown.
const INSTANTS: usize = 5;

/// The row of an element.
struct Row {
    step: u64,
    t: f64,
    beam: String,
    element: usize,
    values: Vec<f64>,
}

/// The lines y over s of one run, a plot for each column.
pub fn along(run: &RunFolder, y: &[String], choice: &Choice) -> Result<Vec<Plot>> {
    let refuse = |message: String, help: &str| {
        ScenarioError::file(Code::NO_FIGURE, run.folder.display().to_string(), message, help)
    };
    let Some(scene) = run.model().bodies().filter(|scene| !scene.beams().is_empty()) else {
        return Err(refuse("the run has no beams to draw along".into(), "draw over t, or over another column"));
    };
    let header: Vec<&str> = BEAMS_HEADER.split(',').collect();
    let mut places = Vec::new();
    for word in y {
        let name = word.strip_prefix("beams.").unwrap_or(word);
        let Some(place) = header.iter().position(|column| *column == name).filter(|place| *place > 3) else {
            let help = "gamma1 to gamma3, kappa1 to kappa3, N, Q2, Q3, T, M2 and M3 are drawn along a beam";
            return Err(refuse(format!("beams.csv has no column \"{word}\""), help));
        };
        places.push(place);
    }
    let rows = rows(run, &places, choice)?;
    let mut instants: Vec<(u64, f64)> = rows.iter().map(|row| (row.step, row.t)).collect();
    instants.dedup();
    let n = instants.len();
    let shown = n.min(INSTANTS);
    let instants: Vec<(u64, f64)> = (0..shown).map(|k| instants[k * (n - 1) / (shown - 1).max(1)]).collect();
    let plot = |(k, &place): (usize, &usize)| {
        let mut lines = Vec::new();
        for beam in scene.beams().iter().filter(|beam| rows.iter().any(|row| row.beam == beam.name)) {
            let s = middles(scene, beam);
            for &(step, t) in &instants {
                let own = rows.iter().filter(|row| row.step == step && row.beam == beam.name);
                let points = own.map(|row| (s.get(row.element).copied().unwrap_or(f64::NAN), row.values[k]));
                lines.push(Line::new(format!("{}, {t:.4} s", beam.name), points.collect()));
            }
        }
        let y_label = with_unit(header[place], unit_of(BEAMS, header[place]));
        Plot { title: format!("{y_label} along the beam"), x_label: "s [m]".into(), y_label, lines, ..Plot::default() }
    };
    Ok(places.iter().enumerate().map(plot).collect())
}

/// The rows of the beams that are chosen, inside the window; NaN where a cell is empty.
fn rows(run: &RunFolder, places: &[usize], choice: &Choice) -> Result<Vec<Row>> {
    let mut table = open_table(&run.folder, BEAMS, BEAMS_HEADER)?;
    let mut rows = Vec::new();
    while table.next()? {
        let (t, beam) = (table.number(1)?, table.word(2).to_string());
        if !choice.shows(t) || !choice.takes(&beam) {
            continue;
        }
        let mut values = Vec::with_capacity(places.len());
        for &place in places {
            values.push(if table.word(place).is_empty() { f64::NAN } else { table.number(place)? });
        }
        rows.push(Row { step: table.integer(0)?, t, beam, element: table.integer(3)? as usize, values });
    }
    Ok(rows)
}

/// The middles of the elements of a beam along it [m].
fn middles(scene: &Bodies, beam: &Beam) -> Vec<f64> {
    let mut s = 0.0;
    let spans = &scene.spans()[beam.first_span..beam.first_span + beam.elements];
    let middle = |length: f64| {
        s += length;
        s - 0.5 * length
    };
    spans.iter().map(|span| span.element.length()).map(middle).collect()
}
