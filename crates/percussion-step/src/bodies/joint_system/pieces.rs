//! Rows that are read together: the three of one place, and two products with one axis, share nearly all of their numbers.
//!
//!   place     c_k = (p_a − p_b)_k     D_w e_k = R̄⁻¹(z × e_k) = (J_i × z)_k,   J = R̄⁻¹,  z = R̄ r
//!   axis      c_k = s_k·t             D_w = J (S_k × T),   S = R̄ s,  T = R̄ t
//!
//! Newton's matrix knows how their moments turn with their own body; there the rows of a piece are one arm with the sum of their reactions.

use crate::bodies::joint_system::{Entry, Geometric, Row};
use percussion_model::bodies::RowLaw;
use percussion_model::bodies::math::{Mat3, Vec3, add, axpy, cross, dot, mul, mul_t, scale, sub};
use percussion_model::bodies::measure::{BodyRow, Measure, Passage};

/// What is read together, and its first row.
#[derive(Clone, Copy, Debug)]
pub enum Piece {
    /// The components of p_a − p_b: three, two in the plane.
    Place { row: usize, count: usize, at: Sides, points: [Vec3; 2] },
    /// Products of two directions of a with one of b.
    Axis { row: usize, at: Sides, directions: [Vec3; 2], axis: Vec3 },
    /// Any other row.
    Single(usize),
}

/// The two bodies of a piece, and its first entry at each.
#[derive(Clone, Copy, Debug)]
pub struct Sides {
    pub bodies: [usize; 2],
    pub entries: [usize; 2],
}

/// Bodies on their way, with J of each.
#[derive(Clone, Copy)]
pub struct Ways<'a> {
    pub passages: &'a [Passage],
    pub back: &'a [Mat3],
}

/// What pieces write to.
pub struct Written<'a> {
    pub entries: &'a mut [Entry],
    pub geometric: &'a mut [Geometric],
    /// By how much c has grown.
    pub grown: &'a mut [f64],
}

/// The measure of a row that is nothing but one, and may share.
fn alone(row: &Row) -> Option<(&Measure, Sides)> {
    let [term] = &row.terms[..] else { return None };
    let [a, b] = term.term.bodies;
    let plain = term.term.factor == 1.0 && a != b && !matches!(row.law, RowLaw::Rotor { .. });
    plain.then_some((&term.term.measure, Sides { bodies: [a, b], entries: term.entries }))
}

impl Piece {
    /// The pieces of these rows, in their order.
    pub fn of(rows: &[Row]) -> Vec<Self> {
        let mut pieces = Vec::new();
        let mut r = 0;
        while r < rows.len() {
            let (piece, count) = Self::first_of(r, &rows[r..]);
            pieces.push(piece);
            r += count;
        }
        pieces
    }

    /// The piece rows begin with, the first of them number r, and how many it takes.
    fn first_of(r: usize, rows: &[Row]) -> (Self, usize) {
        let Some((first, at)) = alone(&rows[0]) else { return (Self::Single(r), 1) };
        // the k-th after the first, at the same bodies
        let next = |k: usize| {
            let (measure, of) = rows.get(k).and_then(alone)?;
            (of.bodies == at.bodies && of.entries == at.entries.map(|e| e + k)).then_some(measure)
        };
        match first {
            Measure::Point { axis: 0, points } => {
                let is = |k: usize| matches!(next(k), Some(Measure::Point { axis, points: of }) if *axis == k && of == points);
                match (is(1), is(2)) {
                    (true, true) => (Self::Place { row: r, count: 3, at, points: *points }, 3),
                    (true, false) => (Self::Place { row: r, count: 2, at, points: *points }, 2),
                    (false, _) => (Self::Single(r), 1),
                }
            }
            Measure::Dot { vectors: [s, t] } => match next(1) {
                Some(Measure::Dot { vectors: [other, axis] }) if axis == t => {
                    (Self::Axis { row: r, at, directions: [*s, *other], axis: *t }, 2)
                }
                Some(_) | None => (Self::Single(r), 1),
            },
            Measure::Point { .. }
            | Measure::Along { .. }
            | Measure::Length { .. }
            | Measure::Angle { .. }
            | Measure::Turn { .. }
            | Measure::Curve { .. }
            | Measure::Modal { .. } => (Self::Single(r), 1),
        }
    }
}

/// [v, ±w].
#[inline]
fn body_row(v: &Vec3, sign: f64, w: &Vec3) -> BodyRow {
    [v[0], v[1], v[2], sign * w[0], sign * w[1], sign * w[2]]
}

/// D of the rows of a place and how they grow; with `lambda` N too, and how their moments turn.
#[inline]
pub fn place(
    (row, count): (usize, usize),
    at: &Sides,
    points: &[Vec3; 2],
    ways: Ways,
    lambda: Option<&[f64]>,
    to: &mut Written,
) {
    let mut grown = [0.0; 3];
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        let (way, J, r) = (&ways.passages[at.bodies[side]], &ways.back[at.bodies[side]], &points[side]);
        if *r == [0.0; 3] {
            // a centre: nothing turns it, and it turns nothing
            for (k, entry) in to.entries[at.entries[side]..at.entries[side] + count].iter_mut().enumerate() {
                (entry.D, entry.N) = ([0.0; 6], [0.0; 6]);
                (entry.D[k], entry.N[k]) = (sign, sign);
            }
            let [start, end] = &way.ends;
            grown = axpy(&grown, sign, &sub(&end.x, &start.x));
            continue;
        }
        let z = mul(&way.R, r);
        let turned = [cross(&J[0], &z), cross(&J[1], &z), cross(&J[2], &z)];
        let entries = &mut to.entries[at.entries[side]..at.entries[side] + count];
        for (k, entry) in entries.iter_mut().enumerate() {
            entry.D = body_row(&[0.0; 3], sign, &[turned[0][k], turned[1][k], turned[2][k]]);
            entry.D[k] = sign;
        }
        let [start, end] = &way.ends;
        grown = axpy(&grown, sign, &sub(&end.point(r), &start.point(r)));
        let Some(lambda) = lambda else { continue };
        for (k, entry) in entries.iter_mut().enumerate() {
            entry.N = body_row(&[0.0; 3], sign, &mul_t(&way.end_turn, &cross(r, &end.R[k])));
            entry.N[k] = sign;
        }
        let mut y = [0.0; 3];
        y.iter_mut().zip(&lambda[row..row + count]).for_each(|(y, l)| *y = sign * l);
        to.geometric[at.bodies[side]].add(way, r, &y, &cross(&z, &y));
    }
    to.grown[row..row + count].copy_from_slice(&grown[..count]);
}

/// The same of two products with one axis.
#[inline]
pub fn axis(
    row: usize,
    at: &Sides,
    (directions, axis): (&[Vec3; 2], &Vec3),
    ways: Ways,
    lambda: Option<&[f64]>,
    to: &mut Written,
) {
    let [a, b] = at.bodies;
    let (way_a, way_b) = (&ways.passages[a], &ways.passages[b]);
    let T = mul(&way_b.R, axis);
    let ends = [0, 1].map(|end| mul(&way_b.ends[end].R, axis));
    for (k, s) in directions.iter().enumerate() {
        let S = mul(&way_a.R, s);
        let couple = cross(&S, &T);
        let ends_s = [0, 1].map(|end| mul(&way_a.ends[end].R, s));
        let (e_a, e_b) = (at.entries[0] + k, at.entries[1] + k);
        to.entries[e_a].D = body_row(&[0.0; 3], 1.0, &mul(&ways.back[a], &couple));
        to.entries[e_b].D = body_row(&[0.0; 3], -1.0, &mul(&ways.back[b], &couple));
        to.grown[row + k] = dot(&ends_s[1], &ends[1]) - dot(&ends_s[0], &ends[0]);
        if lambda.is_some() {
            let couple = cross(&ends_s[1], &ends[1]);
            let seen = |way: &Passage| mul_t(&way.end_turn, &mul_t(&way.ends[1].R, &couple));
            to.entries[e_a].N = body_row(&[0.0; 3], 1.0, &seen(way_a));
            to.entries[e_b].N = body_row(&[0.0; 3], -1.0, &seen(way_b));
        }
    }
    if let Some(lambda) = lambda {
        let s = add(&scale(lambda[row], &directions[0]), &scale(lambda[row + 1], &directions[1]));
        let S = mul(&way_a.R, &s);
        let couple = cross(&S, &T);
        to.geometric[a].add(way_a, &s, &T, &couple);
        to.geometric[b].add(way_b, axis, &S, &scale(-1.0, &couple));
    }
}

impl Geometric {
    /// A moment (R̄ r) × y: [z][r] = r zᵀ − (r·z) 1, z = R₁ᵀy.
    #[inline]
    pub fn add(&mut self, way: &Passage, r: &Vec3, y: &Vec3, moment: &Vec3) {
        let z = mul_t(&way.ends[1].R, y);
        let along = dot(r, &z);
        for i in 0..3 {
            for j in 0..3 {
                self.arms[i][j] += r[i] * z[j];
            }
            self.arms[i][i] -= along;
        }
        self.moment = add(&self.moment, &mul_t(&way.ends[0].R, moment));
    }
}
