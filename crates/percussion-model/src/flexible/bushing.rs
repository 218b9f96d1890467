//! A beam element held at points and axes of two bodies: bushings, torsion springs, beams that end away from a frame.
//!
//!   frames of the element:  x + Rr, RQ of each body;    V = ½ ξᵀCξ,  ξ the logarithm of the motion from one to the other
//!   on a body:  f and R̄⁻¹(μ + (R̄r) × f)
//!
//! The frames move with the bodies, so their means are those of the bodies: x̄ + R̄r and R̄Q, and rows stay exact.

use super::action::{BodyTangent, body_tangent, carried_stiffness, spatial_change};
use super::beam_element::{BeamElement, BeamStep};
use super::blocks::{Mat6, Vec6};
use super::coefficient::StrainMeasure;
use super::rotation;
use crate::bodies::Frame;
use crate::bodies::math::{IDENTITY, Mat3, Vec3, add, compose, mul, mul_mat, mul_t, sub, transpose};
use crate::bodies::measure::{BodyRow, Passage};

/// Where an element is held on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seat {
    /// r, in the frame of the body [m].
    pub point: Vec3,
    /// Q, the axes of the element in the frame of the body.
    pub axes: Mat3,
}

/// An element between seats on two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bushing {
    /// The potential; length 1 and no strain at rest for a bushing.
    pub element: BeamElement,
    /// On a and b.
    pub seats: [Seat; 2],
}

/// A bushing over a step.
#[derive(Clone, Copy, Debug)]
pub struct BushingStep {
    /// The element between its seats.
    pub inner: BeamStep,
    seats: [Passage; 2],
}

impl Seat {
    /// The frame of the element for a frame of the body.
    pub fn frame(&self, body: &Frame) -> Frame {
        let q = compose(&body.q, &rotation::quaternion(&self.axes));
        Frame { x: add(&body.x, &mul(&body.R, &self.point)), q, R: mul_mat(&body.R, &self.axes) }
    }

    #[inline]
    fn passage(&self, body: &Passage) -> Passage {
        let end = |k: usize| {
            let frame = &body.ends[k];
            // the quaternion of a seat is not needed over a step
            Frame { x: add(&frame.x, &mul(&frame.R, &self.point)), q: frame.q, R: mul_mat(&frame.R, &self.axes) }
        };
        let R = mul_mat(&body.R, &self.axes);
        Passage {
            ends: [end(0), end(1)],
            x: add(&body.x, &mul(&body.R, &self.point)),
            R,
            turn: mul_t(&self.axes, &body.turn),
            tilt: mul_t(&self.axes, &body.tilt),
            end_turn: body.end_turn,
        }
    }
}

impl Bushing {
    /// Without stress now, at a point of the world and along the world's axes: C [N/m, N·m], η [N·s/m, N·m·s].
    pub fn at_anchor(a: &Frame, b: &Frame, anchor: &Vec3, stiffness: Mat6, viscosity: Option<Mat6>) -> Self {
        let measure = StrainMeasure::Se3;
        let element = BeamElement { measure, length: 1.0, stiffness, viscosity, rest: [0.0; 6] };
        let seat = |f: &Frame| Seat { point: mul_t(&f.R, &sub(anchor, &f.x)), axes: transpose(&f.R) };
        Self { element, seats: [seat(a), seat(b)] }
    }

    /// V [J].
    pub fn energy(&self, a: &Frame, b: &Frame) -> f64 {
        self.element.energy(&self.seats[0].frame(a), &self.seats[1].frame(b))
    }

    /// Over a step of length h.
    #[inline]
    pub fn over_step(&self, a: &Passage, b: &Passage, h: f64) -> BushingStep {
        let seats = [self.seats[0].passage(a), self.seats[1].passage(b)];
        BushingStep { inner: self.element.over_step(&seats[0], &seats[1], h), seats }
    }

    fn points(&self) -> [Vec3; 2] {
        [self.seats[0].point, self.seats[1].point]
    }

    /// What holds it, on (Δx, a) of both bodies.
    #[inline]
    pub fn rows(&self, step: &BushingStep, a: &Passage, b: &Passage) -> [BodyRow; 2] {
        step.inner.action.carried(a, b, &self.points()).on_bodies(a, b)
    }

    /// ∂rows/∂(Δx, a), `stress` as in `BeamElement::tangent`.
    #[inline]
    pub fn tangent(&self, step: &BushingStep, a: &Passage, b: &Passage, stress: &Vec6) -> BodyTangent {
        let [p, q] = &step.seats;
        let (K, action) = self.element.tangent(&step.inner, p, q, stress);
        let K = carried_stiffness(&K, &action, a, b, &self.points());
        body_tangent(&K, &action.carried(a, b, &self.points()), a, b)
    }

    /// How n̄ follows changes of (Δx, a) of both bodies, to first order.
    pub fn stress_increment(&self, a: &Passage, b: &Passage, h: f64, change: &[BodyRow; 2]) -> Vec6 {
        let step = self.over_step(a, b, h);
        let change = spatial_change(a, b, &self.points(), change);
        self.element.stress_increment(&step.inner, &step.seats[0], &step.seats[1], &change)
    }
}

impl Default for Seat {
    fn default() -> Self {
        Self { point: [0.0; 3], axes: IDENTITY }
    }
}
