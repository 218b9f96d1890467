//! Bodies without mass: links between joints, which have no inertia of their own and no equation but Σ Dᵀλ = −loads.
//!
//!   [ 0  −Dᵀ ; D  0 ]  is regular where the joints on both sides let the link move only as something with mass follows
//!
//! Whoever eliminates velocities body by body needs an inertia to divide by. A stand-in serves: 1e-4 of what turns with it, in
//! the equations that are eliminated and in none that are solved; what it does there is taken out again by refinement, whose every turn
//! leaves that part of what was left.
//!
//!   G = 1e-4 min_s ( I_s + Σ_{o≠s} J_o I_o/(J_o + I_o) )     s, o the sides of the link, I their least inertia, J the rotor between
//!
//! for a turn that the joints of side s do not allow takes that side along, and against the rotor J_o the others. Smaller than it may be it
//! would not be: rotors and dampers of a thumb of 5 g are a 10⁹ times its inertia, and are lost in what is divided by less.

use super::body::Body;
use super::joints::{Joint, JointKind, RowLaw};
use super::math::norm;
use super::shapes::Manner;
use super::{Bodies, Motion};
use crate::{Code, InputError};

/// The stand-in, in parts of the mass and moment that a link cannot move without.
const SHARE: f64 = 1e-4;

impl Body {
    /// Mass and inertia by which elimination divides: the stand-in of a body without mass, whose own is zero.
    #[inline]
    pub fn divisor(&self) -> (f64, super::math::Mat3) {
        let Some([m, j]) = self.stand_in else { return (self.mass, self.inertia) };
        (m, [[j, 0.0, 0.0], [0.0, j, 0.0], [0.0, 0.0, j]])
    }

    /// 1/m and I⁻¹; of a body without mass those of what is beside it.
    pub fn mobility_beside(&self) -> (f64, super::math::Mat3) {
        let share = if self.stand_in.is_some() { SHARE } else { 1.0 };
        (share * self.inverse_mass, self.inverse_inertia.map(|row| row.map(|x| share * x)))
    }

    /// Gives a body without mass its stand-in.
    fn stand_in_by(&mut self, [m, j]: [f64; 2], planar: bool) {
        self.stand_in = Some([m, j]);
        self.inverse_mass = 1.0 / m;
        self.inverse_inertia = [[0.0; 3]; 3];
        for k in if planar { 2 } else { 0 }..3 {
            self.inverse_inertia[k][k] = 1.0 / j;
        }
    }
}

impl Bodies {
    /// Whether any body has no mass.
    pub fn has_massless(&self) -> bool {
        self.bodies.iter().any(|body| body.stand_in.is_some())
    }

    /// Gives bodies without mass their stand-ins; refuses those that nothing with mass moves, and those that touch.
    pub(super) fn stand_in_for_massless(&mut self) -> Result<(), InputError> {
        for i in 0..self.bodies.len() {
            if self.bodies[i].stand_in.is_none() {
                continue;
            }
            let body = &self.bodies[i];
            let refuse = |message: String, help: &str| {
                Err(InputError::new(Code::BAD_MASS, format!("body[{i}].massless"), message, help))
            };
            if body.contact && body.shape.manner() != Manner::Nothing {
                let message = format!("\"{}\" has no mass and meets other bodies", body.name);
                return refuse(message, "add contact = false, or give mass and inertia");
            }
            let sides = self.sides(i);
            if sides.len() < 2 || sides.iter().all(|side| side.inertia.iter().all(|x| x.is_infinite())) {
                let message = format!("\"{}\" has no mass, and nothing with mass moves it", body.name);
                return refuse(
                    message,
                    "join it to bodies on both sides, one of which has mass, or give mass and inertia",
                );
            }
            let stand_in = [0, 1].map(|k| SHARE * taken_along(&sides, k));
            let planar = self.planar;
            self.bodies[i].stand_in_by(stand_in, planar);
        }
        Ok(())
    }

    /// What the joints of body i lead to, directly or over others without mass.
    fn sides(&self, i: usize) -> Vec<Side> {
        let beside = |k: usize| {
            let joints = self.joints.iter().filter(|joint| joint.kind.coupled().is_none());
            joints.filter_map(move |joint| match joint.bodies {
                [a, b] if a == k => Some((b, joint)),
                [a, b] if b == k => Some((a, joint)),
                _ => None,
            })
        };
        let mut sides = Vec::new();
        for (first, joint) in beside(i) {
            let mut side = Side { inertia: [f64::INFINITY; 2], rotor: rotor(joint) };
            let (mut seen, mut reached) = (vec![i, first], vec![first]);
            while let Some(k) = reached.pop() {
                let body = &self.bodies[k];
                if body.motion != Motion::Free {
                    continue;
                }
                if body.stand_in.is_none() {
                    let own = [body.mass, least_moment(body, self.planar)];
                    (0..2).for_each(|k| side.inertia[k] = side.inertia[k].min(own[k]));
                    continue;
                }
                for (other, joint) in beside(k).filter(|(other, _)| *other != i) {
                    let rotor = rotor(joint);
                    (0..2).for_each(|k| side.rotor[k] = side.rotor[k].min(rotor[k]));
                    if !seen.contains(&other) {
                        seen.push(other);
                        reached.push(other);
                    }
                }
            }
            sides.push(side);
        }
        sides
    }
}

/// One side of a link without mass.
struct Side {
    /// Least mass and moment of the bodies there; infinite where it is fixed.
    inertia: [f64; 2],
    /// Least inertia of the rotors on the way, of sliders and of hinges.
    rotor: [f64; 2],
}

/// Mass and moment of the rotor on a joint.
fn rotor(joint: &Joint) -> [f64; 2] {
    let inertia = joint.rows.iter().find_map(|row| match &row.law {
        RowLaw::Rotor { inertia } => Some(*inertia),
        RowLaw::Rigid { .. }
        | RowLaw::Rate(_)
        | RowLaw::Force(_)
        | RowLaw::Servo(_)
        | RowLaw::Curve(_)
        | RowLaw::Spring { .. } => None,
    });
    let inertia = inertia.unwrap_or(0.0);
    let part = |own: bool| if own { inertia } else { 0.0 };
    [part(joint.kind == JointKind::Prismatic), part(joint.kind == JointKind::Revolute)]
}

/// The least that a motion of a link takes along: a whole side, and the others over their rotors.
fn taken_along(sides: &[Side], k: usize) -> f64 {
    let over_rotor = |side: &Side| {
        let (J, I) = (side.rotor[k], side.inertia[k]);
        if J == 0.0 || I.is_infinite() { J } else { J * I / (J + I) }
    };
    let all: f64 = sides.iter().map(over_rotor).sum();
    sides.iter().map(|side| side.inertia[k] + (all - over_rotor(side))).fold(f64::INFINITY, f64::min)
}

/// A lower bound of the principal moments of a body that has mass.
fn least_moment(body: &Body, planar: bool) -> f64 {
    if planar {
        return body.inertia[2][2];
    }
    // the largest eigenvalue of the inverse is at most its largest row in the norm of the sum
    1.0 / body.inverse_inertia.iter().map(|row| norm(row) * 3.0_f64.sqrt()).fold(0.0, f64::max)
}
