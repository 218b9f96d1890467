//! Joints, springs and motors under GGL: their rows at a place, and what holds the joints there.
//!
//!   P y = M⁻¹(y − Dᵀl),    S l = D M⁻¹ y,    S = D M⁻¹ Dᵀ + ε diag
//!
//! D is ∂c/∂(x, ψ) where the bodies are. ε lets dependent joints pass; a few refinements take its error out again, so that
//! D P y = 0 to round-off wherever the joints agree with each other. Many rows are eliminated block by block (`eliminated.rs`).

use crate::schemes::ggl::bodies::Row;
use crate::schemes::ggl::bodies::eliminated::Eliminated;
use crate::schemes::ggl::bodies::mass::Masses;
use crate::schemes::ggl::bodies::shift::SparseRow;
use percussion_matrix::{DenseMatrix, Factor, Matrix};
use percussion_model::bodies::measure::Measure;
use percussion_model::bodies::{Bodies, Frame, RowLaw, Term, Twist};

/// ε: pivots of dependent joints are lifted by this part.
const LIFT: f64 = 1e-9;
/// Refinements of a held velocity or displacement.
const REFINEMENTS: usize = 3;

/// One row: what it measures, what it demands, and where it stands now.
#[derive(Clone, Debug)]
pub(crate) struct JointRow {
    terms: Vec<Term>,
    pub law: RowLaw,
    /// D by body.
    pub D: Vec<(usize, Row)>,
    /// c, turns counted.
    pub c: f64,
}

/// The rows of a scene.
#[derive(Debug)]
pub(crate) struct JointRows {
    pub rows: Vec<JointRow>,
    /// M⁻¹.
    pub masses: Masses,
    /// Rows held at the last factorisation, with M⁻¹Dᵀ by free body.
    held: Vec<(usize, SparseRow)>,
    factor: Option<Held>,
    /// S by blocks, where rows are many.
    pub many: Option<Eliminated>,
}

/// How S is factorised.
#[derive(Debug)]
enum Held {
    Dense(Factor),
    ByBlocks,
}

pub(crate) fn product(a: &Row, b: &Row) -> f64 {
    (0..6).map(|k| a[k] * b[k]).sum()
}

/// Velocities as numbers side by side.
pub(crate) fn as_row(t: &Twist) -> Row {
    [t.v[0], t.v[1], t.v[2], t.w[0], t.w[1], t.w[2]]
}

impl JointRow {
    /// What it measures.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// c at these frames, angles in (−π, π].
    pub fn value(&self, frames: &[Frame]) -> f64 {
        let of = |t: &Term| t.factor * t.measure.value(&frames[t.bodies[0]], &frames[t.bodies[1]]);
        self.terms.iter().map(of).sum()
    }

    /// D x.
    pub fn rate(&self, x: &[Row]) -> f64 {
        self.D.iter().map(|(body, row)| product(row, &x[*body])).sum()
    }

    /// D x of fixed and prescribed bodies.
    pub fn rate_of_prescribed(&self, scene: &Bodies, x: &[Row]) -> f64 {
        let prescribed = self.D.iter().filter(|(body, _)| !scene.bodies()[*body].is_free());
        prescribed.map(|(body, row)| product(row, &x[*body])).sum()
    }
}

impl JointRows {
    /// The rows of joints, then those of springs; none where a scene has neither.
    pub fn new(scene: &Bodies) -> Self {
        let joints = scene.joints().iter().flat_map(|joint| &joint.rows);
        let mut rows: Vec<JointRow> = joints
            .map(|row| JointRow { terms: row.terms.clone(), law: row.law.clone(), D: Vec::new(), c: 0.0 })
            .collect();
        for spring in scene.springs().iter().filter(|s| s.stiffness > 0.0 || s.damping > 0.0) {
            let law = RowLaw::Spring { stiffness: spring.stiffness, damping: spring.damping, rest: spring.length };
            let measure = Measure::Length { points: spring.points };
            let terms = vec![Term { bodies: spring.bodies, measure, factor: 1.0 }];
            rows.push(JointRow { terms, law, D: Vec::new(), c: 0.0 });
        }
        let (masses, many) = (Masses::new(scene, &rows), Eliminated::new(scene, &rows));
        Self { rows, masses, held: Vec::new(), factor: None, many }
    }

    /// D and c at these frames; `c_start` is c at the frames of the start.
    pub fn place(&mut self, start: &[Frame], c_start: &[f64], frames: &[Frame]) {
        for (row, c_start) in self.rows.iter_mut().zip(c_start) {
            row.D.clear();
            row.c = *c_start;
            for Term { bodies: [a, b], measure, factor } in &row.terms {
                // angles may have turned more than once before: only the change is known from the frames
                let before = measure.value(&start[*a], &start[*b]);
                row.c += factor * (measure.value_after(before, &frames[*a], &frames[*b]) - before);
                for (body, part) in [*a, *b].into_iter().zip(measure.gradient(&frames[*a], &frames[*b])) {
                    let part = part.map(|x| factor * x);
                    match row.D.iter_mut().find(|(other, _)| *other == body) {
                        Some((_, sum)) => (0..6).for_each(|k| sum[k] += part[k]),
                        None => row.D.push((body, part)),
                    }
                }
            }
        }
    }

    /// S of the rows that hold positions, or velocities; `false` when it cannot be factorised.
    pub fn hold(&mut self, scene: &Bodies, velocities: bool) -> bool {
        self.held.clear();
        self.factor = None;
        if !self.masses.link(scene, &self.rows) {
            return false;
        }
        for (r, row) in self.rows.iter().enumerate() {
            let holds = match row.law {
                RowLaw::Rigid { .. } => true,
                RowLaw::Rate(_) => velocities,
                RowLaw::Force(_)
                | RowLaw::Servo(_)
                | RowLaw::Spring { .. }
                | RowLaw::Curve(_)
                | RowLaw::Rotor { .. } => false,
            };
            if holds {
                self.held.push((r, self.masses.respond(scene, row.D.iter().copied())));
            }
        }
        let m = self.held.len();
        if m == 0 {
            return true;
        }
        let Self { rows, held, many, .. } = self;
        if let Some(many) = many {
            let mut place = vec![None; rows.len()];
            held.iter().enumerate().for_each(|(k, (r, _))| place[*r] = Some(k));
            let weight = |r: usize| if place[r].is_some() { 1.0 } else { 0.0 };
            let found = many.factor(rows, |c| place[c].map(|k| &held[k].1), weight, |_| 0.0);
            self.factor = found.then_some(Held::ByBlocks);
            return found;
        }
        let mut S = DenseMatrix::zeros(m, m);
        for (j, (_, response)) in self.held.iter().enumerate() {
            for (i, (r, _)) in self.held.iter().enumerate() {
                let of = |body: usize| self.rows[*r].D.iter().find(|(other, _)| *other == body);
                let sum: f64 = response.iter().filter_map(|(body, x)| of(*body).map(|(_, D)| product(D, x))).sum();
                S.set(i, j, sum);
            }
        }
        for i in 0..m {
            let pivot = S.get(i, i);
            S.set(i, i, if pivot > 0.0 { pivot * (1.0 + LIFT) } else { 1.0 });
        }
        self.factor = Factor::lu(&Matrix::Dense(S)).ok().map(Held::Dense);
        self.factor.is_some()
    }

    /// x ← x + M⁻¹Dᵀl with D x = `wanted` on the rows held; l of every row of the scene is added to `l`.
    pub fn project(&mut self, x: &mut [Row], l: &mut [f64], wanted: impl Fn(usize, &JointRow) -> f64) {
        let Self { rows, held, factor, many, .. } = self;
        let Some(factor) = factor else { return };
        for _ in 0..REFINEMENTS {
            let mut z: Vec<f64> = held.iter().map(|(r, _)| wanted(*r, &rows[*r]) - rows[*r].rate(x)).collect();
            match (&mut *factor, &*many) {
                (Held::Dense(factor), _) => factor.solve(&mut z),
                (Held::ByBlocks, many) => {
                    let mut all = vec![0.0; rows.len()];
                    held.iter().zip(&z).for_each(|((r, _), z)| all[*r] = *z);
                    many.iter().for_each(|many| many.solve(&mut all));
                    held.iter().zip(&mut z).for_each(|((r, _), z)| *z = all[*r]);
                }
            }
            for ((r, response), z) in held.iter().zip(&z) {
                l[*r] += z;
                for (body, part) in response {
                    (0..6).for_each(|k| x[*body][k] += z * part[k]);
                }
            }
        }
    }

    /// The same reactions with links without mass as they are, where `from` is what x was before any impulse: l = l' − w (D x − D from).
    pub fn unweighted(&self, from: &[Row], l: &mut [f64], wanted: impl Fn(usize, &JointRow) -> f64) {
        for (r, w) in self.masses.weights() {
            let row = &self.rows[r];
            l[r] -= w * (wanted(r, row) - row.rate(from));
        }
    }
}
