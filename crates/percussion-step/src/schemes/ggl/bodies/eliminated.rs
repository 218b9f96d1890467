//! Sums over rows of joints and springs that share bodies, block by block: S = W D A⁻¹Dᵀ + E.
//!
//! Joints are blocks that touch where they share a free body. A chain is eliminated from its ends, so that the cost grows with its length and not
//! with its cube. Pivots of rows that follow from others are lifted by 1e-9 of themselves, as in the dense form.

use crate::bodies::block_elimination::BlockElimination;
use crate::schemes::ggl::bodies::Row;
use crate::schemes::ggl::bodies::joints::{JointRow, product};
use crate::schemes::ggl::bodies::shift::SparseRow;
use percussion_model::bodies::Bodies;

/// Rows from which blocks are worth their plan.
const MANY: usize = 24;

/// How many rows every joint and spring has, and the joint of every row with its place there.
pub(super) fn nodes_of(scene: &Bodies, rows: usize) -> (Vec<usize>, Vec<(usize, usize)>) {
    let joints = scene.joints().iter().map(|joint| joint.rows.len()).filter(|&n| n > 0);
    let mut sizes: Vec<usize> = joints.collect();
    let springs = rows - sizes.iter().sum::<usize>();
    sizes.resize(sizes.len() + springs, 1);
    let places = sizes.iter().enumerate().flat_map(|(node, &n)| (0..n).map(move |k| (node, k)));
    let node_of = places.collect();
    (sizes, node_of)
}

/// Rows at every body that they have a term at.
pub(super) fn rows_at(scene: &Bodies, rows: &[JointRow]) -> Vec<Vec<usize>> {
    let mut rows_at: Vec<Vec<usize>> = vec![Vec::new(); scene.len()];
    for (r, row) in rows.iter().enumerate() {
        for body in row.terms().iter().flat_map(|term| term.bodies) {
            if rows_at[body].last() != Some(&r) {
                rows_at[body].push(r);
            }
        }
    }
    rows_at
}

/// S with the plan of its elimination.
#[derive(Debug)]
pub(crate) struct Eliminated {
    lu: BlockElimination,
    /// Free bodies with their rows, and where the entry of each pair of them is, row by row.
    shared: Vec<(usize, Vec<usize>, Vec<usize>)>,
    /// Where the diagonal entry of every row is.
    diagonal: Vec<usize>,
}

impl Eliminated {
    /// For scenes with many rows whose bodies answer alone: neither elements nor links without mass spread what a row does.
    pub fn new(scene: &Bodies, rows: &[JointRow]) -> Option<Self> {
        if rows.len() < MANY || !scene.spans().is_empty() || scene.has_massless() {
            return None;
        }
        let (sizes, node_of) = nodes_of(scene, rows.len());
        let at = rows_at(scene, rows);
        let free = || at.iter().enumerate().filter(|(i, rows)| scene.bodies()[*i].is_free() && !rows.is_empty());
        let mut touches = Vec::new();
        for (_, rows) in free() {
            let mut nodes: Vec<usize> = rows.iter().map(|&r| node_of[r].0).collect();
            nodes.dedup();
            touches.extend(nodes.iter().flat_map(|&a| nodes.iter().filter(move |&&b| b < a).map(move |&b| (a, b))));
        }
        let lu = BlockElimination::new(sizes, &touches);
        let entry = |r: usize, c: usize| {
            let ((a, k), (b, l)) = (node_of[r], node_of[c]);
            lu.offset(a, b) + k * lu.size(b) + l
        };
        let shared = free()
            .map(|(i, rows)| {
                let pairs = rows.iter().flat_map(|&r| rows.iter().map(move |&c| (r, c)));
                (i, rows.clone(), pairs.map(|(r, c)| entry(r, c)).collect())
            })
            .collect();
        let diagonal = (0..rows.len()).map(|r| entry(r, r)).collect();
        Some(Self { lu, shared, diagonal })
    }

    /// S with rows where they are placed: row r times `weight(r)`, `own(r)` on its diagonal; a row without weight stands alone. `response(c)` is
    /// A⁻¹Dᵀ of row c. `false` where it is singular.
    pub fn factor<'a>(
        &mut self,
        rows: &[JointRow],
        response: impl Fn(usize) -> Option<&'a SparseRow>,
        weight: impl Fn(usize) -> f64,
        own: impl Fn(usize) -> f64,
    ) -> bool {
        let Self { lu, shared, diagonal } = self;
        lu.values.fill(0.0);
        for (body, at, entries) in shared.iter() {
            let part = |of: &[(usize, Row)]| of.iter().find(|(other, _)| other == body).map(|(_, x)| *x);
            let answers: Vec<Option<Row>> = at.iter().map(|&c| response(c).and_then(|x| part(x))).collect();
            for (&r, entries) in at.iter().zip(entries.chunks_exact(at.len())) {
                let weight = weight(r);
                let Some(D) = part(&rows[r].D).filter(|_| weight != 0.0) else { continue };
                for (x, &entry) in answers.iter().zip(entries) {
                    lu.values[entry] += x.as_ref().map_or(0.0, |x| weight * product(&D, x));
                }
            }
        }
        for (r, &entry) in diagonal.iter().enumerate() {
            lu.values[entry] += own(r);
            if lu.values[entry] == 0.0 {
                lu.values[entry] = 1.0;
            }
        }
        lu.factor()
    }

    /// x ← S⁻¹x.
    pub fn solve(&self, x: &mut [f64]) {
        self.lu.solve(x);
    }
}
