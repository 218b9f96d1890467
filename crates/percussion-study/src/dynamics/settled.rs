//! Ends of a basin that had not settled, followed on until they have.
//!
//! A motion that comes to its cycle slowly may repeat itself to the tolerance while it is still ten tolerances away, and motions that come
//! from two sides then look like two attractors. One motion of each group of like ends is therefore followed on, as many periods again as the study
//! has and as often as it takes, until they change nothing of its cycle any more.

use super::basin::{Starts, round};
use super::prepared::{Prepared, prepare};
use crate::parallel::{Task, Threads, Watch, ordered};
use percussion_dynamics::distance;

/// Where a group ended.
#[derive(Clone, Debug)]
pub struct Settled {
    /// Points of its cycle; 0 where it left the one it seemed to be on.
    pub cycle: usize,
    /// They.
    pub points: Vec<Vec<f64>>,
    /// Whether it went farther than the tolerance on the way.
    pub moved: bool,
    /// Whether it came to rest on its cycle.
    pub rests: bool,
}

/// Groups that are followed at most; of a continuum of orbits every start may be one.
const GROUPS: usize = 1000;
/// How often the periods of the study are run again at most.
const ROUNDS: usize = 50;
/// Part of the tolerance that a round may change at the end.
const STILL: f64 = 0.01;

/// Follows groups: the row of one start, the points of its cycle and one of them. None when it was stopped.
pub fn settle(
    starts: &Starts,
    first: &Prepared,
    groups: &[(usize, usize, &[f64])],
    size: &[f64],
    threads: Threads,
    watch: &Watch,
) -> Option<Vec<Settled>> {
    let followed = if first.can_go_on() { groups.len().min(GROUPS) } else { 0 };
    let mut made = ordered(&vec![1.0; followed], threads, watch, |k, task| follow(starts, groups[k], size, task))?;
    let as_it_is = |&(_, cycle, point): &(usize, usize, &[f64])| Settled {
        cycle,
        points: vec![point.to_vec()],
        moved: false,
        rests: true,
    };
    made.extend(groups[followed..].iter().map(as_it_is));
    Some(made)
}

/// One of them.
fn follow(starts: &Starts, (row, cycle, point): (usize, usize, &[f64]), size: &[f64], task: &Task) -> Settled {
    let study = starts.study;
    let mut end = Settled { cycle, points: vec![point.to_vec()], moved: false, rests: false };
    let Ok(prepared) = prepare(study, &starts.place(row as u64), None) else { return Settled { rests: true, ..end } };
    let n_q = prepared.problem.q0.len();
    for k in 0..ROUNDS {
        let from = end.points[0].split_at(n_q);
        let from = (from.0.to_vec(), from.1.to_vec());
        // what fails on the way, or is stopped, is left as it was
        let Ok(sampled) = prepared.sample(Some(&from), task.stop, &|_| {}) else { break };
        let (cycle, points) = round(study, &sampled);
        let to = |last: &Vec<f64>| points.iter().map(|own| distance(own, last, size)).fold(f64::INFINITY, f64::min);
        let change = to(&end.points[0]);
        end.moved |= cycle != end.cycle || to(&point.to_vec()) > study.spec.tolerance;
        end.rests = cycle > 0 && change <= STILL * study.spec.tolerance;
        (end.cycle, end.points) = (cycle, points);
        if end.rests || cycle == 0 {
            end.rests = true;
            break;
        }
        task.at((k + 1) as f64 / ROUNDS as f64);
    }
    end
}
