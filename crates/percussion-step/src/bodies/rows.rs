//! Contacts as rows on the velocities of two bodies.
//!
//!   u_k = d_k·(v_a − v_b) + (r_a × R_aᵀd_k)·w_a − (r_b × R_bᵀd_k)·w_b,    d = n, t₁, t₂
//!   u_k = ℓ d_k·(R_a w_a − R_b w_b),    d = t₁, t₂ where rolling is resisted; the plane's axis there
//!
//! Angular velocities of bodies of isotropic inertia are taken in the world frame, where rows of balls depend on n alone;
//! those of the others in the frame of the body. The identity of the ledger holds wherever one H is used for u_k, u_{k+1} and Hᵀp.
//! With θ = ½ H is taken in the middle of the step, moments as (1 − ½[a])R₀ᵀ in place of R_aᵀ (a = h w_m): angular momentum is
//! then exact too. Else it is taken at q_k.

use percussion_model::bodies::math::{Vec3, cross, mul, mul_t, tangents};
use percussion_model::bodies::{Bodies, Body, ContactPoint, Frame, Twist};
use percussion_model::flexible::mean_frame::body_moment;

/// n and the tangents of a contact; in the plane the one tangent is n turned by −90°.
pub fn directions(scene: &Bodies, n: &Vec3) -> [Vec3; 3] {
    if scene.is_planar() {
        return [*n, [n[1], -n[0], 0.0], [0.0, 0.0, 1.0]];
    }
    let [s, t] = tangents(n);
    [*n, s, t]
}

/// Velocities of a body as rows see them.
#[inline]
pub fn seen(body: &Body, frame: &Frame, twist: &Twist) -> Twist {
    if body.isotropic { Twist { v: twist.v, w: mul(&frame.R, &twist.w) } } else { *twist }
}

/// The way back: angular velocity in the frame of the body.
#[inline]
pub fn own(body: &Body, frame: &Frame, w: &Vec3) -> Vec3 {
    if body.isotropic { mul_t(&frame.R, w) } else { *w }
}

/// The row of one direction on the velocities of one side, as seen; `tilt` is h w_m for rows in the mean frame of a step, else zero.
#[inline]
pub fn row(body: &Body, frame: &Frame, tilt: &Vec3, arm: &Vec3, d: &Vec3, sign: f64) -> [f64; 6] {
    let m = cross(arm, d);
    let m = if body.isotropic { m } else { body_moment(&frame.R, tilt, &m) };
    [sign * d[0], sign * d[1], sign * d[2], sign * m[0], sign * m[1], sign * m[2]]
}

/// The axes about which rolling is resisted.
pub fn rolling_axes(scene: &Bodies, directions: &[Vec3; 3]) -> [Vec3; 2] {
    if scene.is_planar() { [[0.0, 0.0, 1.0], [0.0; 3]] } else { [directions[1], directions[2]] }
}

/// The length ℓ that moments of a contact are divided by: with the size of the smaller body turning weighs as much as sliding.
pub fn rolling_length(scene: &Bodies, bodies: [usize; 2]) -> f64 {
    let [a, b] = bodies.map(|i| scene.bodies()[i].reach);
    let length = a.min(b);
    if length > 0.0 && length.is_finite() { length } else { 1.0 }
}

/// The row of turning about an axis, times ℓ.
#[inline]
pub fn rolling_row(body: &Body, frame: &Frame, tilt: &Vec3, axis: &Vec3, scaled: f64) -> [f64; 6] {
    let m = if body.isotropic { *axis } else { body_moment(&frame.R, tilt, axis) };
    [0.0, 0.0, 0.0, scaled * m[0], scaled * m[1], scaled * m[2]]
}

/// The product of a row with the velocities of its body.
#[inline]
pub fn apply(row: &[f64; 6], twist: &Twist) -> f64 {
    let (v, w) = (&twist.v, &twist.w);
    row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3] * w[0] + row[4] * w[1] + row[5] * w[2]
}

/// Normal velocity of a contact, for velocities as seen.
pub fn normal_velocity(scene: &Bodies, contact: &ContactPoint, frames: &[Frame], twists: &[Twist]) -> f64 {
    let mut u = 0.0;
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        let i = contact.bodies[side];
        let (body, frame) = (&scene.bodies()[i], &frames[i]);
        u += apply(&row(body, frame, &[0.0; 3], &contact.arms[side], &contact.normal, sign), &twists[i]);
    }
    u
}
