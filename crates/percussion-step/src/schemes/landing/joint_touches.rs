//! Contacts that joints bring with them.
//!
//!   stop      g = ±(c − bound)                      row ±D of its coordinate (`Measure::row`)
//!   backlash  g = b/2 ± (c − c(0))                  row ±Σ factor D of what is coupled
//!   slot      g = δ − n·d,   n of the guide         a face of the guide before a point of the slider
//!   journal   g = δ − |y|,   y = (1 − zzᵀ)Rᵀd       a face of the hole with the normal −(y₀ + y₁)/(|y₀| + |y₁|), d from its axis to the pin's
//!   dry       |p_T| ≤ h τ,   row D of the coordinate
//!
//! |y₁| − |y₀| = (y₀ + y₁)·(y₁ − y₀)/(|y₀| + |y₁|), and y is taken in the frame of the hole: before a face of that normal, which turns with the hole,
//! the gap changes over the step by h u_m exactly, as `body_rows` shows for faces. Dry friction has no gap. The normal impulse of its cone is given,
//! h τ with μ = 1; its force is finite, so that it takes no part in an impact.

use crate::schemes::landing::body_rows::Row;
use percussion_model::bodies::math::{Vec3, add, axpy, dot, mul, mul_t, norm, scale, sub};
use percussion_model::bodies::measure::{Measure, Passage};
use percussion_model::bodies::{Bodies, ContactPoint, Features, Frame, Joint, Play};
use std::f64::consts::TAU;

/// A stop of a joint's coordinate.
#[derive(Clone, Debug)]
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

/// A stop of a coupling with backlash.
#[derive(Clone, Copy, Debug)]
pub struct Slack {
    /// Its number.
    pub id: u64,
    /// The joint.
    pub joint: usize,
    /// The two bodies that move.
    pub bodies: [usize; 2],
    /// +1 or −1.
    pub side: f64,
    /// What the whole turns of the joints add to c.
    pub turned: f64,
    /// e.
    pub restitution: f64,
}

/// A pin in a hole or a slider in a guide.
#[derive(Clone, Copy, Debug)]
pub struct Loose {
    /// Before a face of the hole or guide, which is the second body.
    pub point: ContactPoint,
    /// The axis in the frame of the hole, where it is one.
    pub axis: Option<Vec3>,
    /// A direction across it for a centred pin.
    pub across: Vec3,
    /// Half the width of the pin or slider [m].
    pub radius: f64,
    /// e and μ.
    pub law: (f64, f64),
}

/// Dry friction on the coordinate of a joint.
#[derive(Clone, Debug)]
pub struct Dry {
    /// Its number.
    pub id: u64,
    /// a and b.
    pub bodies: [usize; 2],
    /// c.
    pub measure: Measure,
    /// τ [N or N·m].
    pub force: f64,
}

/// Appends a row and as many zero ones as make d.
pub(super) fn push(row: Row, factor: f64, d: usize, rows: &mut Vec<Row>) {
    rows.push(row.map(|row| row.map(|x| factor * x)));
    rows.extend((1..d).map(|_| [[0.0; 6]; 2]));
}

impl Stop {
    /// g, less than half a turn from where the bodies started.
    pub fn gap(&self, start: &[Frame], at: &[Frame]) -> f64 {
        let [a, b] = self.bodies;
        let c = self.measure.value(&start[a], &start[b]);
        self.side * (self.measure.value_after(c, &at[a], &at[b]) - self.bound)
    }
}

impl Slack {
    /// g, less than half a turn from where the bodies started.
    pub fn gap(&self, scene: &Bodies, start: &[Frame], at: &[Frame]) -> f64 {
        let Some(backlash) = &scene.joints()[self.joint].backlash else { return f64::INFINITY };
        let value = |term: &percussion_model::bodies::Term| {
            let [a, b] = term.bodies;
            let c = term.measure.value(&start[a], &start[b]);
            term.factor * term.measure.value_after(c, &at[a], &at[b])
        };
        let c: f64 = backlash.terms.iter().map(|(term, _)| value(term)).sum();
        self.side * (c + self.turned - backlash.middle) + backlash.half
    }

    /// The row, of terms by `of`.
    pub fn row(&self, scene: &Bodies, of: impl Fn([usize; 2], &Measure) -> Row) -> Row {
        scene.joints()[self.joint]
            .backlash
            .as_ref()
            .map_or([[0.0; 6]; 2], |b| b.row(|term| of(term.bodies, &term.measure)))
    }
}

impl Loose {
    /// From the axis of the hole, across it, to the pin, in the frame of the hole.
    fn across(&self, axis: &Vec3, pin: &Frame, hole: &Frame) -> Vec3 {
        let Features::Face { points, .. } = &self.point.features else { return [0.0; 3] };
        let d = mul_t(&hole.R, &sub(&pin.point(&points[0]), &hole.point(&points[1])));
        axpy(&d, -dot(&d, axis), axis)
    }

    /// g.
    pub fn gap(&self, pin: &Frame, hole: &Frame) -> f64 {
        match &self.axis {
            None => self.point.gap_at(pin, hole),
            Some(axis) => {
                let Features::Face { radius, .. } = &self.point.features else { return f64::INFINITY };
                -norm(&self.across(axis, pin, hole)) - radius
            }
        }
    }

    /// The face whose gap changes as g does from the first frames to the second ones; its surface is that of the pin.
    pub fn face(&self, pin: [&Frame; 2], hole: [&Frame; 2]) -> ContactPoint {
        let Features::Face { points, normal, radius } = self.point.features else { return self.point };
        let normal = match &self.axis {
            None => normal,
            Some(axis) => {
                let y = [0, 1].map(|k| self.across(axis, pin[k], hole[k]));
                let (sum, size) = (add(&y[0], &y[1]), norm(&y[0]) + norm(&y[1]));
                if size > 0.0 { scale(-1.0 / size, &sum) } else { scale(-1.0, &self.across) }
            }
        };
        let n = mul(&hole[0].R, &normal);
        let arm = axpy(&mul(&pin[0].R, &points[0]), -self.radius / norm(&n).max(f64::MIN_POSITIVE), &n);
        let features = Features::Face { points, normal, radius };
        ContactPoint { normal: n, arms: [arm, self.point.arms[1]], features, ..self.point }
    }

    /// The same over a step.
    pub fn over(&self, ways: &[Passage]) -> ContactPoint {
        let [pin, hole] = self.point.bodies.map(|i| &ways[i].ends);
        self.face([&pin[0], &pin[1]], [&hole[0], &hole[1]])
    }

    /// The contacts of a joint with play, numbered from `first`.
    pub fn of_joint(joint: &Joint, play: &Play, first: u64, planar: bool, out: &mut impl FnMut(Self)) {
        let [hole, pin] = joint.bodies;
        let single = play.length == 0.0 || (planar && play.round);
        let ends: &[f64] = if single { &[0.0] } else { &[-0.5, 0.5] };
        for (e, &end) in ends.iter().enumerate() {
            let points = [axpy(&play.points[1], end * play.length, &play.axes[1]), play.points[0]];
            let mut push = |feature: usize, normal: Vec3, axis: Option<Vec3>| {
                let features = Features::Face { points, normal, radius: -play.clearance };
                let (id, bodies) = (first + feature as u64, [pin, hole]);
                let point = ContactPoint { id, bodies, gap: 0.0, normal, arms: [[0.0; 3]; 2], features };
                let law = (joint.restitution, joint.friction);
                out(Self { point, axis, across: play.across[0], radius: play.radius, law });
            };
            if play.round {
                push(e, play.across[0], Some(play.axes[0]));
                continue;
            }
            for (k, across) in play.across[..if planar { 1 } else { 2 }].iter().enumerate() {
                for (s, side) in [-1.0, 1.0].into_iter().enumerate() {
                    push(4 * e + 2 * k + s, scale(side, across), None);
                }
            }
        }
    }
}

/// What the whole turns of joints add to the value of a coupling.
pub fn turned(scene: &Bodies, joint: usize, turns: &[f64]) -> f64 {
    let Some(backlash) = &scene.joints()[joint].backlash else { return 0.0 };
    let of = |(term, j): &(percussion_model::bodies::Term, usize)| match term.measure {
        Measure::Angle { .. } => term.factor * TAU * turns.get(*j).copied().unwrap_or(0.0),
        Measure::Point { .. }
        | Measure::Dot { .. }
        | Measure::Along { .. }
        | Measure::Length { .. }
        | Measure::Turn { .. }
        | Measure::Curve { .. }
        | Measure::Modal { .. } => 0.0,
    };
    backlash.terms.iter().map(of).sum()
}
