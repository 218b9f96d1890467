//! Contacts of bodies as rows, over a step and at its end.
//!
//!   balls  g = |d| − r,  d = p_a − p_b:        n̄ = (d₀ + d₁)/(|d₀| + |d₁|)
//!   face   g = n·(p_a − p_b) − r,  n of b:     n̄ = (n₀ + n₁)/2,  and n̄ turns with b:  n × Rb_bᵀ(p_a − p_b)_mean
//!   u_m = n̄·(v_a − v_b) + (r_a × Rb_aᵀn̄)·w_a − (r_b × Rb_bᵀn̄)·w_b,    Rb = (R₀ + R₁)/2
//!
//! Because R₁ − R₀ = h Rb [w_m] under the Cayley map (in the plane with tan φ/φ, φ = hw_m/2), g₁ − g₀ = h u_m exactly. Tangents
//! have the moment of the mean frame, Rb⁻¹((c − x_m) × d), which keeps angular momentum.

use crate::bodies::rows::directions;
use percussion_model::bodies::math::{Mat3, Vec3, add, axpy, cross, inverse, mul, mul_t, norm, scale, sub};
use percussion_model::bodies::{Bodies, ContactPoint, Features, Frame};

/// A row on the velocities of two bodies, angular velocities in their frames.
pub type Row = [[f64; 6]; 2];

/// A body at both ends of a step.
#[derive(Clone, Copy, Debug)]
pub struct Ends<'a> {
    /// At the start.
    pub before: &'a Frame,
    /// At the end.
    pub after: &'a Frame,
    /// tan φ/φ in the plane, one in space.
    pub turning: f64,
}

impl Ends<'_> {
    /// Rb.
    fn mean(&self) -> Mat3 {
        std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (self.before.R[i][j] + self.after.R[i][j])))
    }

    fn middle(&self) -> Vec3 {
        scale(0.5, &add(&self.before.x, &self.after.x))
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

/// The rows of a contact over a step: the normal's discrete gradient, and as many tangents as asked for.
pub fn over_step(scene: &Bodies, contact: &ContactPoint, ends: [Ends; 2], tangents: usize, rows: &mut Vec<Row>) {
    let means = ends.map(|end| end.mean());
    let r = points(contact);
    let at = |side: usize, frame: &Frame| frame.point(&r[side]);
    let (before, after) =
        (sub(&at(0, ends[0].before), &at(1, ends[1].before)), sub(&at(0, ends[0].after), &at(1, ends[1].after)));
    let (n, extra) = match &contact.features {
        Features::Balls { .. } => {
            let size = (norm(&before) + norm(&after)).max(f64::MIN_POSITIVE);
            (scale(1.0 / size, &add(&before, &after)), [0.0; 3])
        }
        Features::Face { normal, .. } => {
            let between = scale(0.5, &add(&before, &after));
            (mul(&means[1], normal), cross(normal, &mul_t(&means[1], &between)))
        }
    };
    let moment = |side: usize, sign: f64| {
        let m = scale(sign, &cross(&r[side], &mul_t(&means[side], &n)));
        let m = if side == 1 { add(&m, &extra) } else { m };
        scale(ends[side].turning, &m)
    };
    rows.push([joined(&n, 1.0, &moment(0, 1.0)), joined(&n, -1.0, &moment(1, -1.0))]);
    if tangents == 0 {
        return;
    }
    // the point of the first body's surface, in the middle of the step
    let offset = sub(&contact.arms[0], &mul(&ends[0].before.R, &r[0]));
    let place = add(&add(&ends[0].middle(), &mul(&means[0], &r[0])), &offset);
    let unit = scale(1.0 / norm(&n).max(f64::MIN_POSITIVE), &n);
    for d in &directions(scene, &unit)[1..=tangents] {
        let moment = |side: usize, sign: f64| {
            let world = scale(sign, &cross(&sub(&place, &ends[side].middle()), d));
            inverse(&means[side]).map_or([0.0; 3], |inverse| mul(&inverse, &world))
        };
        rows.push([joined(d, 1.0, &moment(0, 1.0)), joined(d, -1.0, &moment(1, -1.0))]);
    }
}

/// The rows of a contact where the bodies are.
pub fn at_end(
    scene: &Bodies,
    contact: &ContactPoint,
    before: &Frame,
    frames: [&Frame; 2],
    tangents: usize,
    rows: &mut Vec<Row>,
) {
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
