//! The directions in which a state may move: those that joints and held contacts leave.
//!
//!   Π(x): the nearest state they permit;   P = ∂Π/∂x is a projector where Π(x) = x, of rank tr P, and its columns span those directions

use crate::located::tangent::central;
use crate::mechanism::Mechanism;
use crate::mechanism::hold::Hold;
use percussion_matrix::vector;

/// Part of the sizes of q and v by which differences move a state.
const REACH: f64 = 1e-3;

/// x ← Π(x), x = (q, v); false when joints and contacts contradict each other.
pub fn settle(mechanism: &mut dyn Mechanism, t: f64, x: &mut [f64], held: &[Hold]) -> bool {
    let (q, v) = x.split_at_mut(x.len() / 2);
    mechanism.return_to_joints(q, v);
    mechanism.project(t, q, v, held)
}

/// An orthonormal basis of the permitted directions at a state that satisfies joints and held contacts.
pub fn permitted(mechanism: &mut dyn Mechanism, t: f64, x: &[f64], held: &[Hold]) -> Option<Vec<Vec<f64>>> {
    let (n, m) = (x.len() / 2, x.len());
    let unit = |c: usize| (0..m).map(|i| f64::from(u8::from(i == c))).collect::<Vec<f64>>();
    let (mut q, mut v) = (x[..n].to_vec(), x[n..].to_vec());
    if held.is_empty() && !mechanism.drifts() && !mechanism.return_to_joints(&mut q, &mut v) {
        return Some((0..m).map(unit).collect());
    }
    let size = |part: &[f64]| Some(vector::max_abs(part)).filter(|s| *s > 0.0).unwrap_or(1.0);
    let sizes = [size(&x[..n]), size(&x[n..])];
    let mut columns = Vec::with_capacity(m);
    for c in 0..m {
        let moved = |s: f64, out: &mut Vec<f64>| {
            out.clear();
            out.extend_from_slice(x);
            out[c] += s;
            settle(mechanism, t, out, held)
        };
        columns.push(central(m, REACH * sizes[c / n], moved).ok()?);
    }
    let rank = (0..m).map(|c| columns[c][c]).sum::<f64>().round() as usize;
    Some(span(columns, rank))
}

/// So many orthonormal vectors of the span of columns: the longest of what is left, again and again.
fn span(mut columns: Vec<Vec<f64>>, rank: usize) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(rank);
    for _ in 0..rank.min(columns.len()) {
        let length = |k: &usize| vector::norm(&columns[*k]);
        let Some(longest) = (0..columns.len()).max_by(|a, b| length(a).total_cmp(&length(b))) else { break };
        let mut next = columns.swap_remove(longest);
        // twice is enough
        for _ in 0..2 {
            for other in &basis {
                let along = vector::dot(other, &next);
                vector::axpy(-along, other, &mut next);
            }
        }
        let norm = vector::norm(&next);
        next.iter_mut().for_each(|x| *x /= norm);
        for column in &mut columns {
            let along = vector::dot(&next, column);
            vector::axpy(-along, &next, column);
        }
        basis.push(next);
    }
    basis
}
