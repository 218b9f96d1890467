//! The figures of a study: clouds of points, maps of starts.

use super::column::Column;
use super::prepared::{Prepared, Sampled};
use percussion_dynamics::{Branch, Loss, Section};
use percussion_report::{Line, Look, Plot};
use percussion_scenario::{Direction, Dynamics, Result, write_plots};
use std::path::{Path, PathBuf};

/// Colours of attractors, which come again after as many; the next is grey.
const COLOURED: usize = 7;

/// Writes a figure as SVG and, where the program can, as PNG.
pub fn write_figures(plot: &Plot, folder: &Path, name: &str) -> Result<Vec<PathBuf>> {
    // a figure goes on its way without the page that says what made it
    let plot = &Plot { note: plot.caption.clone(), ..plot.clone() };
    let paths = percussion_scenario::FIGURE_FORMATS.iter().map(|ending| folder.join(format!("{name}.{ending}")));
    paths.map(|path| write_plots(std::slice::from_ref(plot), &path).map(|()| path)).collect()
}

/// The scheme and what was cut, below a figure.
pub fn caption(study: &Dynamics, prepared: &Prepared) -> String {
    let spec = &study.spec;
    let steps = prepared.steps_told().map_or(String::new(), |steps| format!(", {steps} steps a period"));
    format!("{}{steps}, {} periods after {}", prepared.label(), spec.periods, spec.transient)
}

/// Points over the parameter.
pub fn bifurcation_plot(
    study: &Dynamics,
    prepared: &Prepared,
    place: usize,
    columns: &[(Direction, Vec<Column>)],
) -> Plot {
    let axis = &study.axes[0];
    let line = |(direction, list): &(Direction, Vec<Column>)| {
        let point = |column: &Column| {
            let x = axis.at(column.number);
            column.component(place).into_iter().map(move |y| (x, y)).collect::<Vec<_>>()
        };
        let points = list.iter().flat_map(point).collect();
        // what goes down is drawn under what goes up
        let colour = if *direction == Direction::Up { 0 } else { 1 };
        Line::new(direction.name(), points).look(Look::Dots).colour(colour)
    };
    Plot {
        title: study.name.clone(),
        caption: caption(study, prepared),
        x_label: axis.key.clone(),
        y_label: prepared.shown(place),
        lines: columns.iter().rev().map(line).collect(),
        x_range: Some((axis.from.min(axis.to), axis.from.max(axis.to))),
        ..Plot::default()
    }
}

/// The plane of a coordinate and its velocity, or of phase and impact velocity.
pub fn section_plot(study: &Dynamics, prepared: &Prepared, place: usize, sampled: &Sampled) -> Plot {
    let (columns, n) = (prepared.columns(), prepared.problem.v0.len());
    let other = match prepared.sampling.section {
        Section::Impact(_) => 1,
        // beside q_i its velocity, and the other way round
        Section::Period | Section::Surface { .. } | Section::Step if prepared.problem.q0.len() == n && place > n => {
            place - n
        }
        Section::Period | Section::Surface { .. } | Section::Step => {
            (place + prepared.problem.q0.len()).min(columns.len() - 1)
        }
    };
    let (x, y) = if place > other { (other, place) } else { (place, other) };
    let points = sampled.values.chunks_exact(sampled.width).map(|point| (point[x], point[y])).collect();
    Plot {
        title: study.name.clone(),
        caption: caption(study, prepared),
        x_label: prepared.shown(x),
        y_label: prepared.shown(y),
        lines: vec![Line::new("", points).look(Look::Dots)],
        ..Plot::default()
    }
}

/// Each point over the one before.
pub fn return_plot(study: &Dynamics, prepared: &Prepared, place: usize, sampled: &Sampled) -> Plot {
    let x: Vec<f64> = sampled.values.chunks_exact(sampled.width).map(|point| point[place]).collect();
    let (low, high) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)));
    let name = prepared.shown(place);
    Plot {
        title: study.name.clone(),
        caption: caption(study, prepared),
        x_label: format!("{name} of a point"),
        y_label: format!("{name} of the next"),
        lines: vec![
            Line::new("unchanged", vec![(low, low), (high, high)]).look(Look::Reference),
            Line::new("", x.windows(2).map(|pair| (pair[0], pair[1])).collect()).look(Look::Dots),
        ],
        ..Plot::default()
    }
}

/// Amplitudes over the frequency, in harmonics of the drive where there is one.
pub fn spectrum_plot(study: &Dynamics, prepared: &Prepared, place: usize, lines: &[(f64, f64)]) -> Plot {
    let driven = prepared.sampling.period.is_some();
    Plot {
        title: study.name.clone(),
        caption: caption(study, prepared),
        x_label: if driven { "frequency over that of the drive".into() } else { "frequency [Hz]".into() },
        y_label: format!("amplitude of {}", prepared.shown(place)),
        log_y: true,
        lines: vec![Line::new("", lines.to_vec())],
        ..Plot::default()
    }
}

/// Starts in the colours of where they end, those of no cycle grey; what failed stays white.
pub fn basin_plot(study: &Dynamics, prepared: &Prepared, numbers: &[Option<usize>]) -> Plot {
    let (x, y) = (&study.axes[0], &study.axes[1]);
    let most = numbers.iter().flatten().copied().max().unwrap_or(0);
    let cells = |name: String, colour: usize, mine: &dyn Fn(usize) -> bool| {
        let of = |(i, number): (usize, &Option<usize>)| {
            number.is_some_and(mine).then(|| (x.at(i % x.points), y.at(i / x.points)))
        };
        Line::new(name, numbers.iter().enumerate().filter_map(of).collect()).look(Look::Cells).colour(colour)
    };
    let attractor = |colour: usize| {
        let further =
            if colour + 1 + COLOURED <= most { format!(", {}, …", colour + 1 + COLOURED) } else { String::new() };
        let name = format!("attractor {}{further}", colour + 1);
        cells(name, colour, &|k| k > 0 && (k - 1) % COLOURED == colour)
    };
    let mut lines: Vec<Line> = (0..most.min(COLOURED)).map(attractor).collect();
    if numbers.contains(&Some(0)) {
        lines.push(cells("no cycle".into(), COLOURED, &|k| k == 0));
    }
    let step = |axis: &percussion_scenario::Axis| (axis.to - axis.from).abs() / (axis.points - 1).max(1) as f64;
    let range = |axis: &percussion_scenario::Axis| {
        let half = 0.5 * step(axis);
        Some((axis.from.min(axis.to) - half, axis.from.max(axis.to) + half))
    };
    Plot {
        title: study.name.clone(),
        caption: caption(study, prepared),
        x_label: x.key.clone(),
        y_label: y.key.clone(),
        lines,
        x_range: range(x),
        y_range: range(y),
        cell: (step(x), step(y)),
        ..Plot::default()
    }
}

/// What happens on a branch, in a colour of its own: lines have the first two.
fn mark(loss: Loss, at: (f64, f64)) -> Line {
    let colour = match loss {
        Loss::Fold => 2,
        Loss::Flip => 3,
        Loss::Torus => 4,
        Loss::Grazing => 5,
        Loss::Corner => 6,
    };
    Line::new(loss.name(), vec![at]).look(Look::Marks).colour(colour)
}

/// Orbits over the parameter: stable ones as lines, unstable ones dashed, what happens marked.
pub fn branch_plot(study: &Dynamics, prepared: &Prepared, place: usize, branches: &[Branch]) -> Plot {
    let component = place - 1;
    let mut lines: Vec<Line> = Vec::new();
    let mut marks: Vec<Line> = Vec::new();
    for branch in branches {
        let mut stable = None;
        for point in &branch.points {
            let at = (point.p, point.orbit.x[component]);
            let now = point.orbit.is_stable();
            if stable != Some(now) {
                let (name, look) = if now { ("stable", Look::Solid) } else { ("unstable", Look::Dashed) };
                // parts join
                let last = lines.last().filter(|_| stable.is_some()).and_then(|line| line.points.last().copied());
                lines.push(Line::new(name, last.into_iter().collect()).look(look).colour(usize::from(!now)));
                stable = Some(now);
            }
            if let Some(line) = lines.last_mut() {
                line.points.push(at);
            }
            if let Some(loss) = point.loss {
                marks.push(mark(loss, at));
            }
        }
        if let (Some(loss), Some(last)) = (branch.end_loss, branch.points.last()) {
            marks.push(mark(loss, (last.p, last.orbit.x[component])));
        }
    }
    lines.append(&mut marks);
    let axis = &study.axes[0];
    Plot {
        title: study.name.clone(),
        caption: "orbits of the event-driven flow".into(),
        x_label: axis.key.clone(),
        y_label: prepared.shown(place),
        lines,
        ..Plot::default()
    }
}

/// Exponents over the parameter.
pub fn exponent_plot(study: &Dynamics, rows: &[(Option<f64>, Option<Vec<f64>>)]) -> Plot {
    let count = rows.iter().filter_map(|(_, list)| list.as_ref().map(Vec::len)).max().unwrap_or(0);
    let line = |k: usize| {
        // −∞ has no place
        let at = |(x, list): &(Option<f64>, Option<Vec<f64>>)| {
            Some(((*x)?, *list.as_ref()?.get(k)?)).filter(|(_, y)| y.is_finite())
        };
        Line::new(format!("exponent {}", k + 1), rows.iter().filter_map(at).collect())
    };
    Plot {
        title: study.name.clone(),
        caption: format!(
            "exponents of the event-driven flow, {} periods after {}",
            study.spec.periods, study.spec.transient
        ),
        x_label: study.axes.first().map_or(String::new(), |axis| axis.key.clone()),
        y_label: "exponent [1/s]".into(),
        lines: (0..count.min(2)).map(line).collect(),
        levels: vec![(0.0, String::new())],
        ..Plot::default()
    }
}
