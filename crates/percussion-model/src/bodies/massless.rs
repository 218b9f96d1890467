//! Bodies without mass: links between joints, which have no inertia of their own and no equation but Σ Dᵀλ = −loads.
//!
//!   [ 0  −Dᵀ ; D  0 ]  is regular where the joints on both sides let the link move only as something with mass follows
//!
//! Whoever eliminates velocities body by body needs an inertia to divide by. A stand-in serves: 1e-4 of that of the bodies beside it, in
//! the equations that are eliminated and in none that are solved; what it does there is taken out again by refinement, whose every turn
//! leaves that part of what was left.

use super::body::Body;
use super::math::norm;
use super::shapes::Manner;
use super::{Bodies, Motion};
use crate::{Code, InputError};

/// The stand-in, in parts of the least mass and moment of the bodies beside a link.
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
            let joints = self.joints.iter().filter(|joint| joint.kind.coupled().is_none());
            let held = joints.filter(|joint| joint.bodies.contains(&i)).count();
            let beside = self.with_mass_beside(i);
            if held < 2 || beside.is_empty() {
                let message = format!("\"{}\" has no mass, and nothing with mass moves it", body.name);
                return refuse(
                    message,
                    "join it to bodies on both sides, one of which has mass, or give mass and inertia",
                );
            }
            let mut stand_in = [f64::INFINITY; 2];
            for k in beside {
                let body = &self.bodies[k];
                stand_in[0] = stand_in[0].min(body.mass);
                stand_in[1] = stand_in[1].min(least_moment(body, self.planar));
            }
            let planar = self.planar;
            self.bodies[i].stand_in_by(stand_in.map(|x| SHARE * x), planar);
        }
        Ok(())
    }

    /// The free bodies with mass that joints connect to body i directly or over others without mass.
    fn with_mass_beside(&self, i: usize) -> Vec<usize> {
        let (mut seen, mut reached, mut found) = (vec![i], vec![i], Vec::new());
        while let Some(k) = reached.pop() {
            for joint in self.joints.iter().filter(|joint| joint.kind.coupled().is_none()) {
                let [a, b] = joint.bodies;
                let other = if a == k {
                    b
                } else if b == k {
                    a
                } else {
                    continue;
                };
                if seen.contains(&other) || self.bodies[other].motion != Motion::Free {
                    continue;
                }
                seen.push(other);
                if self.bodies[other].stand_in.is_some() {
                    reached.push(other);
                } else {
                    found.push(other);
                }
            }
        }
        found
    }
}

/// A lower bound of the principal moments of a body that has mass.
fn least_moment(body: &Body, planar: bool) -> f64 {
    if planar {
        return body.inertia[2][2];
    }
    // the largest eigenvalue of the inverse is at most its largest row in the norm of the sum
    1.0 / body.inverse_inertia.iter().map(|row| norm(row) * 3.0_f64.sqrt()).fold(0.0, f64::max)
}
