//! M⁻¹ of a scene: body by body, and where elements carry consistent mass, node by node of what they join.
//!
//!   p_a = m_a v_a + (μ/6)(v_b − v_a), p_b = m_b v_b − (μ/6)(v_b − v_a):    M = m ⊗ 1 along x, y and z alike, m tridiagonal along a beam
//!
//! m is inverted once, beam by beam. Turns have no such coupling.
//!
//! Links without mass have no M⁻¹, but what the joints hold has: with D Δ = c given on the rows D of such links,
//!
//!   M Δ = f + Dᵀl    is    (M + DᵀwD) Δ = f + Dᵀl',    l = l' − w c,    for any w > 0
//!
//! and M + DᵀwD is positive where the joints move these links only as something with mass follows. It is inverted wherever the rows are
//! placed, for these links and what they are joined to.

use crate::schemes::ggl::bodies::Row;
use crate::schemes::ggl::bodies::joints::JointRow;
use crate::schemes::ggl::bodies::shift::SparseRow;
use percussion_matrix::{DenseMatrix, Factor, Matrix};
use percussion_model::bodies::math::{dot, mul};
use percussion_model::bodies::{Bodies, RowLaw};

/// Links without mass and the bodies they are joined to, as far as these hang together.
#[derive(Debug)]
struct Linked {
    bodies: Vec<usize>,
    /// Rows D of the links among them, and w.
    rows: Vec<(usize, f64)>,
    /// (M + DᵀwD)⁻¹, six numbers a body.
    inverse: DenseMatrix,
}

/// M⁻¹ of a scene.
#[derive(Debug, Default)]
pub(crate) struct Masses {
    /// Bodies that share mass, each with m⁻¹.
    groups: Vec<(Vec<usize>, DenseMatrix)>,
    /// Group and place in it of every body that has one.
    place: Vec<Option<(usize, usize)>>,
    /// Links without mass with what is beside them, and where a body stands among them.
    linked: Vec<Linked>,
    beside: Vec<Option<(usize, usize)>>,
}

/// The smallest number among what is tied to i.
fn find(root: &mut [usize], mut i: usize) -> usize {
    while root[i] != i {
        root[i] = root[root[i]];
        i = root[i];
    }
    i
}

impl Masses {
    pub fn new(scene: &Bodies, rows: &[JointRow]) -> Self {
        let n = scene.len();
        let free = |i: usize| scene.bodies()[i].is_free();
        // bodies joined by couplings, by the smallest number among them
        let mut root: Vec<usize> = (0..n).collect();
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
        let (linked, beside) = linked(scene, rows);
        Self { groups: members.into_iter().zip(m.into_iter().map(invert)).collect(), place, linked, beside }
    }

    /// Inverts M + DᵀwD of links without mass with the rows where they are placed; `false` where it is singular.
    pub fn link(&mut self, scene: &Bodies, rows: &[JointRow]) -> bool {
        for group in &mut self.linked {
            let m = 6 * group.bodies.len();
            let mut A = DenseMatrix::zeros(m, m);
            let slot = |i: usize| group.bodies.iter().position(|&j| j == i).map(|k| 6 * k);
            for (k, &i) in group.bodies.iter().enumerate() {
                let body = &scene.bodies()[i];
                for c in 0..3 {
                    A.set(6 * k + c, 6 * k + c, body.mass);
                    (0..3).for_each(|e| A.set(6 * k + 3 + c, 6 * k + 3 + e, body.inertia[c][e]));
                }
                if scene.is_planar() {
                    // what a plane has not
                    (2..5).for_each(|c| A.set(6 * k + c, 6 * k + c, 1.0));
                }
            }
            for (r, w) in &mut group.rows {
                let parts = || rows[*r].D.iter().filter_map(|(i, D)| Some((slot(*i)?, *i, D)));
                // as heavy as what it would move were the links as heavy as what is beside them
                let moved: f64 = parts().map(|(_, i, D)| over_mass(scene, i, D)).sum();
                *w = if moved > 0.0 { 1.0 / moved } else { 0.0 };
                for (a, _, D) in parts() {
                    for (b, _, E) in parts() {
                        for (c, x) in D.iter().enumerate() {
                            for (e, y) in E.iter().enumerate() {
                                let sum = A.get(a + c, b + e) + *w * x * y;
                                A.set(a + c, b + e, sum);
                            }
                        }
                    }
                }
            }
            let mut inverse = DenseMatrix::identity(m);
            let Ok(mut factor) = Factor::cholesky(&Matrix::Dense(A)) else { return false };
            factor.solve_columns(&mut inverse);
            group.inverse = inverse;
        }
        true
    }

    /// Rows of links without mass with their w: l = l' − w D Δ.
    pub fn weights(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.linked.iter().flat_map(|group| group.rows.iter().copied())
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
            if let Some((group, k)) = self.beside[i] {
                let Linked { bodies, inverse, .. } = &self.linked[group];
                for (l, &j) in bodies.iter().enumerate() {
                    add(j, std::array::from_fn(|c| (0..6).map(|e| inverse.get(6 * l + c, 6 * k + e) * row[e]).sum()));
                }
                continue;
            }
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
        let beside = |i: &usize| self.beside[*i].is_some();
        for (j, part) in (0..x.len()).filter(beside).flat_map(|i| self.respond(scene, [(i, x[i])].into_iter())) {
            (0..6).for_each(|k| out[j][k] += part[k]);
        }
        for (i, body) in
            scene.bodies().iter().enumerate().filter(|(i, body)| body.is_free() && self.beside[*i].is_none())
        {
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

/// D M⁻¹Dᵀ of a row on one body; one without mass as heavy as what is beside it.
fn over_mass(scene: &Bodies, i: usize, D: &Row) -> f64 {
    let (inverse_mass, inverse_inertia) = scene.bodies()[i].mobility_beside();
    let turned = [D[3], D[4], D[5]];
    inverse_mass * (D[0] * D[0] + D[1] * D[1] + D[2] * D[2]) + dot(&turned, &mul(&inverse_inertia, &turned))
}

/// Links without mass with the free bodies that rigid rows join them to, and where each body stands among them.
fn linked(scene: &Bodies, rows: &[JointRow]) -> (Vec<Linked>, Vec<Option<(usize, usize)>>) {
    let n = scene.len();
    let mut beside = vec![None; n];
    if !scene.has_massless() {
        return (Vec::new(), beside);
    }
    let light = |i: usize| scene.bodies()[i].stand_in.is_some();
    let of_row = |row: &JointRow| -> Vec<usize> {
        let rigid = matches!(row.law, RowLaw::Rigid { .. });
        let bodies: Vec<usize> = row.terms().iter().flat_map(|term| term.bodies).collect();
        if !rigid || !bodies.iter().any(|&i| light(i)) {
            return Vec::new();
        }
        bodies.into_iter().filter(|&i| scene.bodies()[i].is_free()).collect()
    };
    let mut root: Vec<usize> = (0..n).collect();
    let mut takes_part = vec![false; n];
    for bodies in rows.iter().map(of_row) {
        for &i in &bodies {
            takes_part[i] = true;
            let (a, b) = (find(&mut root, bodies[0]), find(&mut root, i));
            root[a.max(b)] = a.min(b);
        }
    }
    let (mut groups, mut number): (Vec<Linked>, Vec<Option<usize>>) = (Vec::new(), vec![None; n]);
    for i in (0..n).filter(|&i| takes_part[i]) {
        let r = find(&mut root, i);
        let group = *number[r].get_or_insert_with(|| {
            groups.push(Linked { bodies: Vec::new(), rows: Vec::new(), inverse: DenseMatrix::zeros(0, 0) });
            groups.len() - 1
        });
        beside[i] = Some((group, groups[group].bodies.len()));
        groups[group].bodies.push(i);
    }
    for (r, row) in rows.iter().enumerate() {
        if let Some((group, _)) = of_row(row).first().and_then(|&i| beside[i]) {
            groups[group].rows.push((r, 0.0));
        }
    }
    (groups, beside)
}
