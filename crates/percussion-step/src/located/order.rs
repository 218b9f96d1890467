//! How far a derivative holds: the change of a parameter at which the motion meets its contacts in another order, or no longer meets one.
//!
//!   |Δp| = (t_j − t_i)/|δt_i − δt_j|  of events of contacts that answer each other's impulses,      |Δp| = −U⁻/|δU⁻|  of an impact
//!
//! to first order. Where two corners of a body rattle to rest, the places where their impacts change over lie ever closer to each other,
//! and the slope of what comes of it is another one behind each of them.

use crate::located::motion::Motion;
use crate::mechanism::hold::Row;
use percussion_matrix::DenseMatrix;

/// Part of their own responses by which contacts answer each other's impulses.
const COUPLED: f64 = 1e-9;

/// A change of a parameter, and what happens then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// |Δp|.
    pub change: f64,
    /// The instant of the event [s].
    pub t: f64,
    /// The contact that is met then, and the one with which it changes places; itself where it is no longer met.
    pub contacts: (usize, usize),
}

/// The last event of every contact, and the smallest change for every parameter.
#[derive(Clone, Debug, Default)]
pub struct Order {
    latest: Vec<(usize, f64, Vec<f64>)>,
    /// One for each parameter; none where no change is known.
    pub reach: Vec<Option<Reach>>,
}

impl Order {
    /// Begins with no event.
    pub fn begin(&mut self, parameters: usize) {
        self.latest.clear();
        self.reach.clear();
        self.reach.resize(parameters, None);
    }

    /// Takes a change if it is the smallest of its parameter.
    fn tell(&mut self, p: usize, reach: Reach) {
        if reach.change.is_finite() && self.reach[p].is_none_or(|known| reach.change < known.change) {
            self.reach[p] = Some(reach);
        }
    }

    /// An event whose time moves by these rates, one for each column; the last columns belong to the parameters.
    pub fn event(&mut self, motion: &mut Motion, i: usize, rates: &[f64]) {
        let t = motion.now.t;
        let first = rates.len() - self.reach.len();
        for k in 0..self.latest.len() {
            let (j, before, ref earlier) = self.latest[k];
            let change = |p: usize| (t - before) / (rates[first + p] - earlier[first + p]).abs();
            let list: Vec<f64> = (0..self.reach.len()).map(change).collect();
            let closer = |(p, change): (usize, &f64)| self.reach[p].is_none_or(|known| *change < known.change);
            if j == i || !list.iter().enumerate().any(closer) || !coupled(motion, i, j) {
                continue;
            }
            list.into_iter().enumerate().for_each(|(p, change)| self.tell(p, Reach { change, t, contacts: (i, j) }));
        }
        self.latest.retain(|(j, ..)| *j != i);
        self.latest.push((i, t, rates.to_vec()));
    }

    /// An impact of contact i whose approach U⁻ < 0 goes with parameter p at a rate.
    pub fn approach(&mut self, t: f64, (p, i): (usize, usize), u: f64, rate: f64) {
        self.tell(p, Reach { change: -u / rate.abs(), t, contacts: (i, i) });
    }
}

/// Whether an impulse at one of two contacts moves the other, perhaps by way of contacts that are closed.
fn coupled(motion: &mut Motion, i: usize, j: usize) -> bool {
    let mechanism = &mut *motion.mechanism;
    let held = motion.held.iter().map(|hold| hold.contact).filter(|k| *k != i && *k != j);
    let contacts: Vec<usize> = [i, j].into_iter().chain(held).collect();
    let rows: Vec<Row> = contacts
        .iter()
        .flat_map(|&contact| (0..=mechanism.n_tangents(contact)).map(move |component| Row { contact, component }))
        .collect();
    let mut W = DenseMatrix::zeros(rows.len(), rows.len());
    if !mechanism.response(motion.now.t, &motion.now.q, &rows, &mut W) {
        return true;
    }
    let answers = |a: usize, b: usize| {
        let own = (W.get(a, a) * W.get(b, b)).abs().sqrt();
        W.get(a, b).abs() > COUPLED * own
    };
    // what is reached from i
    let (mut reached, mut next) = (vec![false; rows.len()], vec![0]);
    while let Some(a) = next.pop() {
        let same = |b: usize| rows[a].contact == rows[b].contact;
        for b in 0..rows.len() {
            if !reached[b] && (same(b) || answers(a, b)) {
                reached[b] = true;
                next.push(b);
            }
        }
    }
    rows.iter().zip(&reached).any(|(row, reached)| row.contact == j && *reached)
}
