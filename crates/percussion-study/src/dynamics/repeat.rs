//! Columns of a diagram, chosen at random, repeated event-driven: how far the scheme's points are from located ones.
//!
//! A repeated column starts where the original did. Points of a cycle are compared as sets, by the Hausdorff distance of the drawn
//! component over the range of the whole diagram: on a chaotic attractor single points cannot agree, sets can.

use super::column::Column;
use crate::compare::quoted;
use crate::parallel::{Threads, Watch, ordered};
use percussion_dynamics::set_distance;
use percussion_scenario::{Direction, Dynamics, run_seed};

/// One column, twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeated {
    /// Which way.
    pub direction: Direction,
    /// Its number.
    pub number: usize,
    /// Points of its cycle, if it has one.
    pub cycle: Option<usize>,
    /// The same, event-driven.
    pub cycle_located: Option<usize>,
    /// The distance of the two sets over the range of the diagram; none where a run did not finish.
    pub distance: Option<f64>,
    /// Why not.
    pub message: String,
}

/// The columns repeated, in the order of their choice; none when it was stopped.
pub fn repeat(
    study: &Dynamics,
    columns: &[(Direction, Vec<Column>)],
    place: usize,
    threads: Threads,
    watch: &Watch,
) -> Option<Vec<Repeated>> {
    let drawn = || columns.iter().flat_map(|(_, list)| list).flat_map(|column| column.component(place));
    let (low, high) = drawn().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let range = if high > low { high - low } else { 1.0 };
    let chosen = choose(study, columns);
    let told = |_: u64| {};
    let made = ordered(&vec![1.0; chosen.len()], threads, watch, |i, task| {
        let (d, k) = chosen[i];
        let (direction, list) = &columns[d];
        let column = &list[k];
        let before = match direction {
            Direction::Up => k.checked_sub(1),
            Direction::Down => Some(k + 1),
        };
        let carried = before.and_then(|k| list.get(k)).filter(|before| study.spec.carry && before.finished());
        let located = Column::run(study, k, carried.map(|before| &before.end), Some("event-driven"), task.stop, &told)?;
        let both = column.finished() && located.finished();
        let distance = both.then(|| set_distance(&column.component(place), &located.component(place)) / range);
        Some(Repeated {
            direction: *direction,
            number: k,
            cycle: column.cycle(study).map(|cycle| cycle.points),
            cycle_located: located.cycle(study).map(|cycle| cycle.points),
            distance: distance.filter(|x| x.is_finite()),
            message: if located.finished() { column.message.clone() } else { located.message },
        })
    })?;
    made.into_iter().collect()
}

/// (direction, column) by the seed; each once, those without points left out.
fn choose(study: &Dynamics, columns: &[(Direction, Vec<Column>)]) -> Vec<(usize, usize)> {
    let with_points = |(d, (_, list)): (usize, &(Direction, Vec<Column>))| {
        let finished = |(k, column): (usize, &Column)| column.finished().then_some((d, k));
        list.iter().enumerate().filter_map(finished).collect::<Vec<_>>()
    };
    let mut left: Vec<(usize, usize)> = columns.iter().enumerate().flat_map(with_points).collect();
    let mut chosen = Vec::new();
    for i in 0..study.spec.repeat as u64 {
        if left.is_empty() {
            break;
        }
        let k = run_seed(study.spec.seed as u64, i) as usize % left.len();
        chosen.push(left.swap_remove(k));
    }
    chosen
}

/// The median and the largest distance, and how many cycles agree of how many.
pub fn repeat_differences(list: &[Repeated]) -> Option<(f64, f64, usize, usize)> {
    let mut distances: Vec<f64> = list.iter().filter_map(|one| one.distance).collect();
    distances.sort_by(f64::total_cmp);
    let (middle, largest) = (distances.len() / 2, *distances.last()?);
    let median = 0.5 * (distances[middle] + distances[(distances.len() - 1) / 2]);
    let agree = list.iter().filter(|one| one.cycle == one.cycle_located).count();
    Some((median, largest, agree, list.len()))
}

/// That in a sentence.
pub fn repeat_words(list: &[Repeated]) -> Option<String> {
    repeat_differences(list).map(|(median, largest, agree, all)| {
        format!(
            "{all} {} repeated event-driven: distance of the points over the range of the diagram {median:.1e} (median), {largest:.1e} (largest); \
             {agree} of {all} have the same cycle",
            if all == 1 { "value" } else { "values" }
        )
    })
}

/// One row per repeated column.
pub fn repeat_csv(study: &Dynamics, list: &[Repeated]) -> String {
    let axis = &study.axes[0];
    let mut text = format!("direction,column,{},cycle,cycle_event_driven,distance,message\n", quoted(&axis.key));
    for one in list {
        let number = |n: Option<usize>| n.map_or(String::new(), |n| n.to_string());
        text += &format!(
            "{},{},{:e},{},{},{},{}\n",
            one.direction.name(),
            one.number,
            axis.at(one.number),
            number(one.cycle),
            number(one.cycle_located),
            one.distance.map_or(String::new(), |x| format!("{x:e}")),
            quoted(&one.message)
        );
    }
    text
}
