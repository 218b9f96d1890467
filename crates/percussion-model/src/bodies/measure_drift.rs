//! What a measure accelerates by because its bodies move: d²c/dt² = D·(v̇, ẇ) + drift.
//!
//!   p = x + R r:  p̈ = v̇ + R (ẇ × r) + ω × (ω × R r),    s = R s₀:  ṡ = ω × s,  s̈ = R (ẇ × s₀) + ω × (ω × s)

use super::math::{Vec3, axpy, cross, dot, mul, norm, sub};
use super::measure::{Measure, in_plane};
use super::{Frame, Twist};
use crate::flexible::StrainMeasure;
use crate::flexible::coefficient::coefficients;

/// A vector that moves with a body: itself, its rate, and its second derivative where the body does not accelerate.
struct Moving {
    x: Vec3,
    rate: Vec3,
    second: Vec3,
}

impl Moving {
    /// R r.
    fn direction((frame, twist): (&Frame, &Twist), r: &Vec3) -> Self {
        let (x, w) = (mul(&frame.R, r), mul(&frame.R, &twist.w));
        let rate = cross(&w, &x);
        Self { x, rate, second: cross(&w, &rate) }
    }

    /// x + R r.
    fn point(body: (&Frame, &Twist), r: &Vec3) -> Self {
        let arm = Self::direction(body, r);
        Self { x: axpy(&arm.x, 1.0, &body.0.x), rate: axpy(&arm.rate, 1.0, &body.1.v), second: arm.second }
    }

    fn minus(&self, other: &Self) -> Self {
        Self { x: sub(&self.x, &other.x), rate: sub(&self.rate, &other.rate), second: sub(&self.second, &other.second) }
    }

    /// The second derivative of the product of two.
    fn product(&self, other: &Self) -> f64 {
        dot(&self.second, &other.x) + 2.0 * dot(&self.rate, &other.rate) + dot(&self.x, &other.second)
    }
}

impl Measure {
    /// d²c/dt² where neither body accelerates; the rates are those of `gradient`.
    pub fn drift(&self, a: (&Frame, &Twist), b: (&Frame, &Twist)) -> f64 {
        match self {
            Self::Point { axis, points } => {
                Moving::point(a, &points[0]).second[*axis] - Moving::point(b, &points[1]).second[*axis]
            }
            Self::Dot { vectors } => Moving::direction(a, &vectors[0]).product(&Moving::direction(b, &vectors[1])),
            Self::Along { direction, points } => {
                let d = Moving::point(b, &points[1]).minus(&Moving::point(a, &points[0]));
                Moving::direction(a, direction).product(&d)
            }
            Self::Length { points } => {
                let d = Moving::point(a, &points[0]).minus(&Moving::point(b, &points[1]));
                let l = norm(&d.x);
                if l == 0.0 {
                    return 0.0;
                }
                let along = dot(&d.x, &d.rate) / l;
                (dot(&d.x, &d.second) + dot(&d.rate, &d.rate) - along * along) / l
            }
            Self::Turn { axis } => turn_drift(a, b, *axis),
            // d¨ = n·p¨ + p˙ᵀ∇∇d p˙
            Self::Curve { curve, axes, points } => {
                let d = Moving::point(b, &points[1]).minus(&Moving::point(a, &points[0]));
                let along = axes.map(|axis| Moving::direction(a, &axis));
                let rate = [0, 1].map(|k| dot(&along[k].rate, &d.x) + dot(&along[k].x, &d.rate));
                let (n, bent) = curve.curving(&in_plane(axes, points, a.0, b.0), &rate);
                n[0] * along[0].product(&d) + n[1] * along[1].product(&d) + bent
            }
            // its row is constant in the frames of the bodies
            Self::Angle { .. } | Self::Modal { .. } => 0.0,
        }
    }
}

/// (f a)¨ = (f″ ṫ² + f′ ẗ) a + 2 f′ ṫ ȧ + f ä of a component of the rotation vector, a and t products of the axes of both frames.
fn turn_drift(a: (&Frame, &Twist), b: (&Frame, &Twist), axis: usize) -> f64 {
    let unit = |i: usize| -> Vec3 { std::array::from_fn(|j| f64::from(u8::from(i == j))) };
    // the product of axis i of a with axis j of b: itself, its rate, its second derivative
    let pair = |i: usize, j: usize| {
        let (s, t) = (Moving::direction(a, &unit(i)), Moving::direction(b, &unit(j)));
        [dot(&s.x, &t.x), dot(&s.rate, &t.x) + dot(&s.x, &t.rate), s.product(&t)]
    };
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let (up, down) = (pair(k, j), pair(j, k));
    let sine: [f64; 3] = std::array::from_fn(|d| 0.5 * (up[d] - down[d]));
    let [x, y, z] = [pair(0, 0), pair(1, 1), pair(2, 2)];
    let cosine: [f64; 3] = std::array::from_fn(|d| 0.5 * (x[d] + y[d] + z[d] - if d == 0 { 1.0 } else { 0.0 }));
    let [f, _] = coefficients(StrainMeasure::Se3, [cosine[0]; 2]);
    // ∂f[t₀, t₁]/∂t₁ is f″/2 where both are one
    let second = 2.0 * f.slope_change * cosine[1] * cosine[1] + f.end_slope * cosine[2];
    second * sine[0] + 2.0 * f.end_slope * cosine[1] * sine[1] + f.ends[1] * sine[2]
}

#[cfg(test)]
mod tests {
    use super::super::math::{scale, turned};
    use super::*;

    /// A body that has moved for a time t with constant velocity and spin.
    fn moved(frame: &Frame, twist: &Twist, t: f64) -> Frame {
        let w = norm(&twist.w);
        // the Cayley map of 2 tan(w t/2) turns by w t
        let turn = scale(2.0 * (0.5 * w * t).tan() / w, &twist.w);
        let q = turned(&frame.q, &turn);
        Frame { x: axpy(&frame.x, t, &twist.v), q, R: super::super::math::rotation(&q) }
    }

    /// Against second differences along motions with constant velocity and spin; 1e-6 is their round-off at 1e-4 s.
    #[test]
    fn drift_is_the_second_derivative() {
        let unit = |q: [f64; 4]| super::super::math::normalised(&q);
        let frame = |x: Vec3, q: [f64; 4]| Frame { x, q: unit(q), R: super::super::math::rotation(&unit(q)) };
        let a = frame([0.3, -0.2, 0.5], [0.8, 0.1, -0.5, 0.3]);
        let b = frame([-0.4, 0.6, 1.0], [0.2, 0.7, 0.4, -0.6]);
        let s = Twist { v: [0.5, -0.3, 0.8], w: [1.1, 0.4, -0.9] };
        let t = Twist { v: [-0.7, 0.2, 0.1], w: [-0.5, 1.3, 0.6] };
        let points = [[0.2, 0.1, -0.3], [-0.1, 0.4, 0.2]];
        let vectors = [[0.6, 0.0, 0.8], [0.0, 0.6, -0.8]];
        let measures = [
            Measure::Point { axis: 1, points },
            Measure::Dot { vectors },
            Measure::Along { direction: vectors[0], points },
            Measure::Length { points },
        ];
        // rotation vectors between frames a radian apart
        let near = frame([0.0; 3], [0.7, 0.5, -0.4, 0.1]);
        let turns = (0..3).map(|axis| (Measure::Turn { axis }, near));
        let h = 1e-4;
        for (measure, b) in measures.map(|measure| (measure, b)).into_iter().chain(turns) {
            let value = |time: f64| measure.value(&moved(&a, &s, time), &moved(&b, &t, time));
            let second = (value(h) - 2.0 * value(0.0) + value(-h)) / (h * h);
            let drift = measure.drift((&a, &s), (&b, &t));
            assert!((second - drift).abs() < 1e-6, "{measure:?}: {second} {drift}");
        }
    }
}
