//! Contacts of bodies as rows, over a step and at its end.
//!
//!   balls  g = |d| − r,  d = p_a − p_b:        n̄ = (d₀ + d₁)/(|d₀| + |d₁|)
//!   face   g = n·(p_a − p_b) − r,  n of b:     n̄ = (n₀ + n₁)/2, which turns with b
//!   stop   g = ±(c − bound):                   ±D of its coordinate (`Measure::row`)
//!   u_m = n̄·(v_a + Ω_a × (c − x_a) − v_b − Ω_b × (c − x_b)),    moments R̄⁻¹((c − x_m) × n̄),  R̄ = (R₀ + R₁)/2
//!
//! at the one point c = x_a,m + R̄_a r_a. R₁ − R₀ = R̄ [h w_m] under the Cayley map, so that g₁ − g₀ = h u_m exactly: for balls
//! (R̄_b r_b + x_b,m − c) × n̄ = 0, for faces the turning normal adds n̄ × (p_a − p_b)_m. One point for both bodies keeps angular momentum.

use crate::bodies::rows::directions;
use crate::contact::joint_rows::row_at;
use percussion_model::bodies::math::{Vec3, add, axpy, cross, mul, mul_t, norm, scale, sub};
use percussion_model::bodies::measure::{Measure, Passage};
use percussion_model::bodies::{Bodies, ContactPoint, Features, Frame};

/// A row on the velocities of two bodies, angular velocities in their frames.
pub type Row = [[f64; 6]; 2];

/// A stop of a joint's coordinate.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// Its number.
    pub id: u64,
    /// a and b.
    pub bodies: [usize; 2],
    /// c.
    pub measure: Measure,
    /// +1 where c may not be smaller than the bound, −1 where it may not be larger.
    pub side: f64,
    /// The bound, less the whole turns the joint has made.
    pub bound: f64,
    /// e.
    pub restitution: f64,
}

/// A contact between shapes, or at the stop of a joint.
#[derive(Clone, Copy, Debug)]
pub enum Touch {
    /// Between shapes.
    Shapes(ContactPoint),
    /// At a stop.
    Stop(Stop),
}

impl Touch {
    /// Its number.
    pub fn id(&self) -> u64 {
        match self {
            Self::Shapes(point) => point.id,
            Self::Stop(stop) => stop.id,
        }
    }

    /// a and b.
    pub fn bodies(&self) -> [usize; 2] {
        match self {
            Self::Shapes(point) => point.bodies,
            Self::Stop(stop) => stop.bodies,
        }
    }

    /// g where the bodies are `at`, less than half a turn from where they started.
    pub fn gap(&self, start: [&Frame; 2], at: [&Frame; 2]) -> f64 {
        match self {
            Self::Shapes(point) => point.gap_at(at[0], at[1]),
            Self::Stop(Stop { measure, side, bound, .. }) => {
                side * (measure.value_after(measure.value(start[0], start[1]), at[0], at[1]) - bound)
            }
        }
    }

    /// e and μ.
    pub fn law(&self, scene: &Bodies) -> (f64, f64) {
        match self {
            Self::Shapes(point) => {
                let law = scene.law_between(point.bodies, point.id);
                (law.restitution, law.friction)
            }
            Self::Stop(stop) => (stop.restitution, 0.0),
        }
    }

    /// Appends its rows over a step: the normal's discrete gradient, and as many tangents as asked for, which stops do not have.
    pub fn over_step(&self, scene: &Bodies, ways: [&Passage; 2], tangents: usize, rows: &mut Vec<Row>) {
        let contact = match self {
            Self::Shapes(contact) => contact,
            Self::Stop(stop) => return stop.push(stop.measure.row(ways[0], ways[1]).rows, tangents, rows),
        };
        let r = points(contact);
        let d = [0, 1].map(|k| sub(&ways[0].ends[k].point(&r[0]), &ways[1].ends[k].point(&r[1])));
        let n = match &contact.features {
            Features::Balls { .. } => {
                scale(1.0 / (norm(&d[0]) + norm(&d[1])).max(f64::MIN_POSITIVE), &add(&d[0], &d[1]))
            }
            Features::Face { normal, .. } => mul(&ways[1].R, normal),
        };
        let point = add(&ways[0].x, &mul(&ways[0].R, &r[0]));
        rows.push([row_at(ways[0], &point, &n, 1.0), row_at(ways[1], &point, &n, -1.0)]);
        if tangents == 0 {
            return;
        }
        // on the surface of the first body
        let offset = sub(&contact.arms[0], &mul(&ways[0].ends[0].R, &r[0]));
        let place = add(&point, &offset);
        let unit = scale(1.0 / norm(&n).max(f64::MIN_POSITIVE), &n);
        for d in &directions(scene, &unit)[1..=tangents] {
            rows.push([row_at(ways[0], &place, d, 1.0), row_at(ways[1], &place, d, -1.0)]);
        }
    }

    /// Appends its rows where the bodies are, `before` being the first body's frame when the contact was found.
    pub fn at_end(&self, scene: &Bodies, before: &Frame, frames: [&Frame; 2], tangents: usize, rows: &mut Vec<Row>) {
        let contact = match self {
            Self::Shapes(contact) => contact,
            Self::Stop(stop) => return stop.push(stop.measure.gradient(frames[0], frames[1]), tangents, rows),
        };
        let r = points(contact);
        let d = sub(&frames[0].point(&r[0]), &frames[1].point(&r[1]));
        let n = match &contact.features {
            Features::Balls { .. } => scale(1.0 / norm(&d).max(f64::MIN_POSITIVE), &d),
            Features::Face { normal, .. } => mul(&frames[1].R, normal),
        };
        // from the feature's point to the surface, along the normal
        let offset = sub(&contact.arms[0], &mul(&before.R, &r[0]));
        let place = axpy(&frames[0].point(&r[0]), -norm(&offset), &n);
        for d in &directions(scene, &n)[..=tangents] {
            let moment = |side: usize, sign: f64| {
                let world = scale(sign, &cross(&sub(&place, &frames[side].x), d));
                mul_t(&frames[side].R, &world)
            };
            rows.push([joined(d, 1.0, &moment(0, 1.0)), joined(d, -1.0, &moment(1, -1.0))]);
        }
    }
}

impl Stop {
    fn push(&self, row: Row, tangents: usize, rows: &mut Vec<Row>) {
        rows.push(row.map(|row| row.map(|x| self.side * x)));
        rows.extend((0..tangents).map(|_| [[0.0; 6]; 2]));
    }
}

/// The points of the bodies that a contact is about, in their frames.
fn points(contact: &ContactPoint) -> &[Vec3; 2] {
    match &contact.features {
        Features::Balls { points, .. } | Features::Face { points, .. } => points,
    }
}

fn joined(d: &Vec3, sign: f64, moment: &Vec3) -> [f64; 6] {
    [sign * d[0], sign * d[1], sign * d[2], moment[0], moment[1], moment[2]]
}

/// A contact found at later frames as it stands at earlier ones.
pub fn brought_back(point: &ContactPoint, later: &Frame, earlier: [&Frame; 2]) -> ContactPoint {
    let (r, n) = match &point.features {
        Features::Balls { points, .. } => {
            let d = sub(&earlier[0].point(&points[0]), &earlier[1].point(&points[1]));
            (points[0], d.map(|x| x / norm(&d).max(f64::MIN_POSITIVE)))
        }
        Features::Face { points, normal, .. } => (points[0], mul(&earlier[1].R, normal)),
    };
    let radius = norm(&sub(&point.arms[0], &mul(&later.R, &r)));
    let arms = [axpy(&mul(&earlier[0].R, &r), -radius, &n), point.arms[1]];
    ContactPoint { gap: point.gap_at(earlier[0], earlier[1]), normal: n, arms, ..*point }
}

/// The two parts of a row.
pub fn parts(row: &[f64; 6]) -> [Vec3; 2] {
    [[row[0], row[1], row[2]], [row[3], row[4], row[5]]]
}
