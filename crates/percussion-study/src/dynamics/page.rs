//! The pages of diagrams and basins: their points, and the motion behind each value or attractor over the periods it repeats.

use super::column::Column;
use super::figures::caption;
use super::prepared::{Prepared, chooses_steps, prepare};
use crate::parallel::{Threads, Watch, ordered};
use percussion_dynamics::Section;
use percussion_report::{DiagramCloud, DiagramOrbit, DiagramPage};
use percussion_scenario::{Direction, Dynamics};
use percussion_step::{Recorder, Simulation, Start, State, Step, Stop};
use std::sync::atomic::{AtomicBool, Ordering};

/// Samples of a period.
const SAMPLES: u64 = 80;
/// Periods shown of a motion that repeats no cycle, and of any.
const IRREGULAR: usize = 4;
const MOST: usize = 16;
/// Coordinates shown.
const SHOWN: usize = 6;
/// Attractors with a colour and a motion of their own.
const ATTRACTORS: usize = 32;

/// Samples of a motion.
struct Trace<'a> {
    every: u64,
    pairs: &'a [(usize, usize)],
    stop: &'a AtomicBool,
    t: Vec<f64>,
    states: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Trace<'_> {
    fn keep(&mut self, state: &State) {
        self.t.push(state.t);
        for (&(q, v), (qs, vs)) in self.pairs.iter().zip(&mut self.states) {
            qs.push(state.q[q]);
            vs.push(state.v[v]);
        }
    }
}

impl Recorder for Trace<'_> {
    fn start(&mut self, start: &Start) -> Result<(), Stop> {
        self.keep(start.state);
        Ok(())
    }

    fn record(&mut self, number: u64, step: &Step) -> Result<(), Stop> {
        if number.is_multiple_of(self.every) {
            self.keep(&step.after);
        }
        if self.stop.load(Ordering::Relaxed) { Err(Stop::Interrupted) } else { Ok(()) }
    }
}

/// Places of coordinates and their velocities: of bodies in space, those of the centres.
fn pairs(n_q: usize, n_v: usize) -> Vec<(usize, usize)> {
    let all: Vec<(usize, usize)> = if n_q == n_v {
        (0..n_q).map(|i| (i, i)).collect()
    } else {
        (0..n_q / 7).flat_map(|b| (0..3).map(move |k| (7 * b + k, 6 * b + k))).filter(|(_, v)| *v < n_v).collect()
    };
    all.into_iter().take(SHOWN).collect()
}

/// The motion from a state over some periods; none where there is no period or a step fails.
fn trace(
    prepared: &Prepared,
    (q, v): &(Vec<f64>, Vec<f64>),
    periods: usize,
    name: String,
    stop: &AtomicBool,
) -> Option<DiagramOrbit> {
    let period = prepared.sampling.period?;
    // a scheme that chooses its steps is asked for as many points as are shown
    let steps = if chooses_steps(&prepared.scheme) { SAMPLES } else { prepared.sampling.steps };
    let every = (steps / SAMPLES).max(1);
    let mut problem = prepared.problem.clone();
    (problem.q0, problem.v0) = (q.clone(), v.clone());
    let mut simulation = Simulation::new(&problem, &prepared.scheme, prepared.solver, period / steps as f64).ok()?;
    let pairs = pairs(q.len(), v.len());
    let states = vec![Default::default(); pairs.len()];
    let mut trace = Trace { every, pairs: &pairs, stop, t: Vec::new(), states };
    simulation.run(periods as u64 * steps, &mut trace);
    let Trace { t, states, .. } = trace;
    Some(DiagramOrbit { name, every: (steps / every) as usize, t, states })
}

/// Periods in which a cycle of m points comes round.
fn periods(m: Option<usize>) -> usize {
    m.map_or(IRREGULAR, |m| m.clamp(1, MOST))
}

fn named(prepared: &Prepared) -> Vec<(String, String)> {
    let pairs = pairs(prepared.problem.q0.len(), prepared.problem.v0.len());
    pairs.iter().map(|(q, v)| (format!("q{q}"), format!("v{v}"))).collect()
}

/// The page of a diagram; none when it was stopped.
pub fn bifurcation_page(
    study: &Dynamics,
    first: &Prepared,
    place: usize,
    columns: &[(Direction, Vec<Column>)],
    threads: Threads,
    watch: &Watch,
) -> Option<DiagramPage> {
    let axis = &study.axes[0];
    let list: Vec<(usize, &Column)> =
        columns.iter().enumerate().flat_map(|(d, (_, list))| list.iter().map(move |column| (d, column))).collect();
    let made = ordered(&vec![1.0; list.len()], threads, watch, |i, task| {
        let (d, column) = list[i];
        if !column.finished() {
            return None;
        }
        let x = axis.at(column.number);
        // the points of a surface or of impacts say little of periods
        let m = column.cycle(study).map(|cycle| cycle.points).filter(|_| first.sampling.section == Section::Period);
        let words = m.map_or("no cycle".to_string(), |m| format!("a cycle of {m}"));
        let name = format!("{} = {x}, {}: {words}", axis.key, columns[d].0.name());
        let prepared = prepare(study, &[x], None).ok()?;
        trace(&prepared, &column.end, periods(m), name, task.stop)
    })?;
    let mut page = DiagramPage {
        title: study.name.clone(),
        caption: caption(study, first),
        x_label: axis.key.clone(),
        y_label: first.shown(place),
        coordinates: named(first),
        ..DiagramPage::default()
    };
    for (d, (direction, _)) in columns.iter().enumerate() {
        let colour = usize::from(*direction == Direction::Down);
        page.clouds.push(DiagramCloud { name: direction.name().into(), colour, ..DiagramCloud::default() });
        for ((_, column), orbit) in list.iter().zip(&made).filter(|((of, _), _)| *of == d) {
            let number = orbit.as_ref().map(|_| page.orbits.len());
            page.orbits.extend(orbit.clone());
            for y in column.component(place) {
                page.clouds[d].points.push((axis.at(column.number), y));
                page.clouds[d].orbit.push(number);
            }
        }
    }
    // what goes down is drawn under what goes up
    page.clouds.reverse();
    Some(page)
}

/// The page of a basin, one motion for each attractor; none when it was stopped.
pub fn basin_page(
    study: &Dynamics,
    first: &Prepared,
    numbers: &[Option<usize>],
    cycles: &[usize],
    threads: Threads,
    watch: &Watch,
) -> Option<DiagramPage> {
    let (x, y) = (&study.axes[0], &study.axes[1]);
    let place = |i: usize| (x.at(i % x.points), y.at(i / x.points));
    let shown = (cycles.len() + 1).min(ATTRACTORS);
    let made = ordered(&vec![1.0; shown], threads, watch, |k, task| {
        // the first start that ends there is followed once more
        let start = numbers.iter().position(|number| *number == Some(k))?;
        let prepared = prepare(study, &[place(start).0, place(start).1], None).ok()?;
        let sampled = prepared.sample(None, task.stop, &|_| {}).ok()?;
        let m = k.checked_sub(1).map(|k| cycles[k]);
        trace(&prepared, &sampled.end, periods(m), attractor_name(k, m), task.stop)
    })?;
    let step = |axis: &percussion_scenario::Axis| (axis.to - axis.from).abs() / (axis.points - 1).max(1) as f64;
    let mut page = DiagramPage {
        title: study.name.clone(),
        caption: caption(study, first),
        x_label: x.key.clone(),
        y_label: y.key.clone(),
        cell: (step(x), step(y)),
        coordinates: named(first),
        ..DiagramPage::default()
    };
    for (k, orbit) in made.into_iter().enumerate() {
        let of = |(i, number): (usize, &Option<usize>)| (*number == Some(k)).then(|| place(i));
        let points: Vec<(f64, f64)> = numbers.iter().enumerate().filter_map(of).collect();
        if points.is_empty() {
            continue;
        }
        let number = orbit.as_ref().map(|_| page.orbits.len());
        page.orbits.extend(orbit);
        let name = attractor_name(k, k.checked_sub(1).map(|k| cycles[k]));
        // what is no cycle is grey
        let colour = if k == 0 { 7 } else { (k - 1) % 7 };
        page.clouds.push(DiagramCloud { name, colour, orbit: vec![number; points.len()], points });
    }
    Some(page)
}

fn attractor_name(k: usize, m: Option<usize>) -> String {
    m.map_or("no cycle".into(), |m| format!("attractor {k}, a cycle of {m}"))
}
