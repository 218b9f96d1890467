//! Whole turns of hinges: frames know an angle up to 2π, stops and springs mean all of it.
//!
//!   c = c(frames) + 2π n,    c₁ = c₀ + (c(frames₁) − c(frames₀) brought into [−π, π))
//!
//! n belongs to the motion and not to the place, so whoever moves the bodies carries it along.

use super::math::dot;
use super::measure::{Measure, wrapped};
use super::{Bodies, Frame, RowLaw, Twist};
use std::f64::consts::TAU;

impl Bodies {
    /// Joints whose angle means more than its place: with stops, a spring or a servo on it, or coupled to another coordinate.
    pub fn counted_joints(&self) -> Vec<usize> {
        let mut counted = Vec::new();
        for (j, joint) in self.joints().iter().enumerate() {
            let springs = joint
                .rows
                .iter()
                .any(|row| matches!(row.law, RowLaw::Spring { .. } | RowLaw::Curve(_) | RowLaw::Servo(_)));
            match joint.kind.coupled() {
                Some(joints) => counted.extend(joints),
                None if springs || !joint.stops.is_empty() || joint.kind.counts_turns() => counted.push(j),
                None => {}
            }
        }
        counted.retain(|&j| self.angle_of(j).is_some());
        counted.sort_unstable();
        counted.dedup();
        counted
    }

    fn angle_of(&self, j: usize) -> Option<(&Measure, [usize; 2])> {
        let term = self.joints().get(j)?.coordinate.as_ref()?;
        matches!(term.measure, Measure::Angle { .. }).then_some((&term.measure, term.bodies))
    }

    /// n of joint j after a step between these frames, less than half a turn long.
    pub fn turns_after(&self, j: usize, n: f64, before: &[Frame], after: &[Frame]) -> f64 {
        let Some((angle, [a, b])) = self.angle_of(j) else { return n };
        let (c0, c1) = (angle.value(&before[a], &before[b]), angle.value(&after[a], &after[b]));
        n + ((c0 + wrapped(c1 - c0) - c1) / TAU).round()
    }

    /// By how much the angle of joint j grows over a step, as these mean velocities say at its start [rad]: Cayley's map turns by less than
    /// half a turn whatever they are.
    pub fn angle_growth(&self, j: usize, before: &[Frame], h: f64, mean: impl Fn(usize) -> Twist) -> f64 {
        let Some((angle, [a, b])) = self.angle_of(j) else { return 0.0 };
        let rows = angle.gradient(&before[a], &before[b]);
        [a, b].iter().zip(rows).map(|(&i, row)| h * dot(&[row[3], row[4], row[5]], &mean(i).w)).sum()
    }
}
