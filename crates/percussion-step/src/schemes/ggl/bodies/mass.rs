//! M⁻¹ of a scene: body by body, and where elements carry consistent mass, node by node of what they join.
//!
//!   p_a = m_a v_a + (μ/6)(v_b − v_a), p_b = m_b v_b − (μ/6)(v_b − v_a):    M = m ⊗ 1 along x, y and z alike, m tridiagonal along a beam
//!
//! m is inverted once, beam by beam. Turns have no such coupling.

use crate::schemes::ggl::bodies::Row;
use crate::schemes::ggl::bodies::shift::SparseRow;
use percussion_matrix::{DenseMatrix, Factor, Matrix};
use percussion_model::bodies::Bodies;
use percussion_model::bodies::math::mul;

/// M⁻¹ of a scene.
#[derive(Debug, Default)]
pub(crate) struct Masses {
    /// Bodies that share mass, each with m⁻¹.
    groups: Vec<(Vec<usize>, DenseMatrix)>,
    /// Group and place in it of every body that has one.
    place: Vec<Option<(usize, usize)>>,
}

impl Masses {
    pub fn new(scene: &Bodies) -> Self {
        let n = scene.len();
        let free = |i: usize| scene.bodies()[i].is_free();
        // bodies joined by couplings, by the smallest number among them
        let mut root: Vec<usize> = (0..n).collect();
        fn find(root: &mut [usize], mut i: usize) -> usize {
            while root[i] != i {
                root[i] = root[root[i]];
                i = root[i];
            }
            i
        }
        let coupled: Vec<_> = scene.spans().iter().filter(|span| span.coupling != 0.0).collect();
        let mut shares = vec![false; n];
        for span in &coupled {
            let [a, b] = span.bodies;
            [a, b].into_iter().filter(|&i| free(i)).for_each(|i| shares[i] = true);
            if free(a) && free(b) {
                let (a, b) = (find(&mut root, a), find(&mut root, b));
                root[a.max(b)] = a.min(b);
            }
        }
        let mut place = vec![None; n];
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut number = vec![None; n];
        for i in (0..n).filter(|&i| shares[i]) {
            let r = find(&mut root, i);
            let group = *number[r].get_or_insert_with(|| {
                members.push(Vec::new());
                members.len() - 1
            });
            place[i] = Some((group, members[group].len()));
            members[group].push(i);
        }
        let mut m: Vec<DenseMatrix> = Vec::new();
        for list in &members {
            let mut own = DenseMatrix::zeros(list.len(), list.len());
            list.iter().enumerate().for_each(|(k, &i)| own.set(k, k, scene.bodies()[i].mass));
            m.push(own);
        }
        let mut add = |group: usize, i: usize, j: usize, x: f64| {
            let sum = m[group].get(i, j) + x;
            m[group].set(i, j, sum);
        };
        for span in &coupled {
            let [a, b] = span.bodies.map(|i| place[i]);
            for (group, k) in [a, b].into_iter().flatten() {
                add(group, k, k, -span.coupling);
            }
            if let (Some((group, i)), Some((_, j))) = (a, b) {
                add(group, i, j, span.coupling);
                add(group, j, i, span.coupling);
            }
        }
        let invert = |m: DenseMatrix| {
            let mut inverse = DenseMatrix::identity(m.n_rows());
            // positive: ⅔ of the mass of every element is left on the diagonal
            if let Ok(mut factor) = Factor::cholesky(&Matrix::Dense(m)) {
                factor.solve_columns(&mut inverse);
            }
            inverse
        };
        Self { groups: members.into_iter().zip(m.into_iter().map(invert)).collect(), place }
    }

    /// M⁻¹ of a row over bodies; fixed bodies do not answer.
    pub fn respond(&self, scene: &Bodies, rows: impl Iterator<Item = (usize, Row)>) -> SparseRow {
        let mut out: SparseRow = Vec::new();
        let mut add = |body: usize, x: Row| match out.iter_mut().find(|(other, _)| *other == body) {
            Some((_, sum)) => (0..6).for_each(|k| sum[k] += x[k]),
            None => out.push((body, x)),
        };
        for (i, row) in rows.filter(|(i, _)| scene.bodies()[*i].is_free()) {
            let body = &scene.bodies()[i];
            let w = mul(&body.inverse_inertia, &[row[3], row[4], row[5]]);
            let Some((group, k)) = self.place[i] else {
                let m = body.inverse_mass;
                add(i, [m * row[0], m * row[1], m * row[2], w[0], w[1], w[2]]);
                continue;
            };
            let (members, inverse) = &self.groups[group];
            for (l, &j) in members.iter().enumerate() {
                let m = inverse.get(l, k);
                let w = if j == i { w } else { [0.0; 3] };
                add(j, [m * row[0], m * row[1], m * row[2], w[0], w[1], w[2]]);
            }
        }
        out
    }

    /// M⁻¹x of all bodies, zero for those that are fixed.
    pub fn respond_all(&self, scene: &Bodies, x: &[Row]) -> Vec<Row> {
        let mut out = vec![[0.0; 6]; x.len()];
        for (i, body) in scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let w = mul(&body.inverse_inertia, &[x[i][3], x[i][4], x[i][5]]);
            out[i][3..].copy_from_slice(&w);
            if self.place[i].is_none() {
                (0..3).for_each(|k| out[i][k] = body.inverse_mass * x[i][k]);
            }
        }
        for (members, inverse) in &self.groups {
            for (l, &j) in members.iter().enumerate() {
                for (k, &i) in members.iter().enumerate() {
                    (0..3).for_each(|c| out[j][c] += inverse.get(l, k) * x[i][c]);
                }
            }
        }
        out
    }
}
