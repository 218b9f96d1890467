//! A run at a glance: what moves, where the energy is, what the contacts did, over time.

use crate::error::Result;
use crate::run::columns::{Choice, among};
use crate::run::folder::{Row, RunFolder};
use crate::run::selection::Selection;
use percussion_report::{Look, Plot};

/// Coordinates that are drawn where none is chosen.
const DRAWN: usize = 8;
/// Part of the widest range below which a coordinate rests.
const RESTS: f64 = 1e-9;

/// Coordinates and velocities that are chosen, or the coordinates that move; then kinetic, potential and total energy, and the impulses of the
/// contacts.
pub fn overview(run: &RunFolder, choice: &Choice) -> Result<Vec<Plot>> {
    let drawn = Selection::of_figure(choice.only.clone(), &run.loaded.scenario.description, run.model())?;
    let kept = run.selection();
    let chosen = |letter: &str, kept: &[usize], drawn: &[usize]| -> Vec<String> {
        kept.iter().filter(|k| drawn.contains(k)).map(|k| format!("{letter}{k}")).collect()
    };
    let mut columns = Vec::new();
    if !drawn.is_whole() {
        columns = chosen("q", &kept.q, &drawn.q);
        columns.extend(chosen("v", &kept.v, &drawn.v));
    }
    if columns.is_empty() {
        columns = moving(run, choice)?;
    }
    // a word may choose a coordinate and no contact, or a contact and no coordinate
    let (mut plots, _) = among(run, "t", &columns, choice)?;
    plots.extend(among(run, "t", &["kinetic", "potential", "energy"].map(String::from), choice)?.0);
    let (mut impulses, _) = among(run, "t", &["p_n".to_string()], choice)?;
    for line in impulses.iter_mut().flat_map(|plot| &mut plot.lines) {
        line.look = Look::Marks;
    }
    plots.extend(impulses);
    Ok(plots)
}

/// The coordinates that move within the window, those that move most where they are many, in their order.
fn moving(run: &RunFolder, choice: &Choice) -> Result<Vec<String>> {
    let kept = &run.selection().q;
    let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); kept.len()];
    let (mut rows, mut row) = (run.chosen_rows()?, Row::default());
    while rows.next(&mut row)? {
        if choice.shows(row.state.t) {
            for ((low, high), &k) in ranges.iter_mut().zip(kept) {
                (*low, *high) = (low.min(row.state.q[k]), high.max(row.state.q[k]));
            }
        }
    }
    let ways: Vec<f64> = ranges.iter().map(|(low, high)| (high - low).max(0.0)).collect();
    let widest = ways.iter().copied().fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..kept.len()).filter(|&k| widest == 0.0 || ways[k] > RESTS * widest).collect();
    order.sort_by(|&a, &b| ways[b].total_cmp(&ways[a]));
    order.truncate(DRAWN);
    order.sort_unstable();
    Ok(order.into_iter().map(|k| format!("q{}", kept[k])).collect())
}
