//! A contact held closed, and how it moves in its tangent plane.
//!
//!   stuck:  u_T = 0 with the force λ_T that takes,  ‖λ_T‖ ≤ μ λ_N;      slides:  λ_T = −μ λ_N d,  d = u_T/‖u_T‖
//!
//! In the plane d is one of two directions and stays what it was while u_T runs through zero, so that the motion is smooth
//! up to the root and beyond it. In space d follows u_T; beyond a stop it goes on as if u_T had not turned round, for the
//! same reason, and out of rest it starts from the direction given.

use percussion_matrix::math;

/// A contact with Γ_N = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// Its number.
    pub contact: usize,
    /// What happens along it.
    pub along: TangentialMotion,
}

/// How a held contact moves in its tangent plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TangentialMotion {
    /// No friction acts: μ = 0, or nothing presses yet.
    Frictionless,
    /// Its tangential velocity is zero.
    Sticks,
    /// It slides.
    Slides(Sliding),
}

/// A sliding contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sliding {
    /// d where the sliding began or was last looked at.
    pub direction: [f64; 2],
    /// In space, a speed below which the direction is more and more the one given [m/s].
    pub slow: f64,
    /// Whether it moves or is about to; otherwise its force lies on the cone and nothing moves.
    pub moves: bool,
    /// Whether the stretch under way began with more than the slow speed.
    pub fast: bool,
}

/// Forces of held contacts from the multipliers of their rows, in their order: normals, and tangents where they stick; what slides has
/// −μ λ_N d.
pub fn forces(
    held: &[Hold],
    directions: &[[f64; 2]],
    (tangents, mu): (impl Fn(usize) -> usize, impl Fn(usize) -> f64),
    mut next: impl Iterator<Item = f64>,
    lambda: &mut [[f64; 3]],
) {
    for ((hold, d), lambda) in held.iter().zip(directions).zip(lambda) {
        let mut take = || next.next().unwrap_or(0.0);
        *lambda = [take(), 0.0, 0.0];
        match hold.along {
            TangentialMotion::Frictionless => {}
            TangentialMotion::Sticks => lambda[1..=tangents(hold.contact)].iter_mut().for_each(|l| *l = take()),
            TangentialMotion::Slides(_) => {
                let most = mu(hold.contact) * lambda[0];
                (lambda[1], lambda[2]) = (-most * d[0], -most * d[1]);
            }
        }
    }
}

impl Sliding {
    /// d at the sliding velocity u_T of a contact with that many tangents.
    #[inline]
    pub fn at(&self, u: [f64; 2], tangents: usize) -> [f64; 2] {
        let d = self.direction;
        if tangents == 1 {
            return d;
        }
        let along = u[0] * d[0] + u[1] * d[1];
        let (sense, rest) = if self.fast {
            (if along < 0.0 { -1.0 } else { 1.0 }, 0.0)
        } else {
            (1.0, (self.slow - math::hypot(u[0], u[1])).max(0.0))
        };
        let x = [sense * u[0] + rest * d[0], sense * u[1] + rest * d[1]];
        let length = math::hypot(x[0], x[1]);
        if length > 0.0 { [x[0] / length, x[1] / length] } else { d }
    }

    /// The speed, negative once the contact has turned round; out of rest the part of u_T in the direction given.
    #[inline]
    pub fn speed(&self, u: [f64; 2]) -> f64 {
        let along = u[0] * self.direction[0] + u[1] * self.direction[1];
        match self.fast {
            false => along,
            true if along < 0.0 => -math::hypot(u[0], u[1]),
            true => math::hypot(u[0], u[1]),
        }
    }
}

impl Hold {
    /// Without friction.
    pub fn frictionless(contact: usize) -> Self {
        Self { contact, along: TangentialMotion::Frictionless }
    }
}

/// A row of velocities at a contact: its normal, or one of its tangents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The contact.
    pub contact: usize,
    /// 0 is the normal, 1 and 2 are tangents.
    pub component: usize,
}

impl Row {
    /// The normal of a contact.
    pub fn normal(contact: usize) -> Self {
        Self { contact, component: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a straight line the direction does not notice that the motion turned round; off it, it follows the velocity.
    #[test]
    fn direction_runs_through_a_stop() {
        let d = [0.6, 0.8];
        let sliding = Sliding { direction: d, slow: 1e-13, moves: true, fast: true };
        for s in [2.0, 1e-9, -1e-9, -2.0] {
            let at = sliding.at([s * d[0], s * d[1]], 2);
            assert!((at[0] - d[0]).abs() + (at[1] - d[1]).abs() < 1e-15, "{s}: {at:?}");
            assert!((sliding.speed([s * d[0], s * d[1]]) - s).abs() < 1e-15);
        }
        let at = sliding.at([1.0, 0.0], 2);
        assert!((at[0] - 1.0).abs() < 1e-12 && at[1].abs() < 1e-12);
        assert_eq!(
            Sliding { direction: [-1.0, 0.0], slow: 0.0, moves: true, fast: false }.at([3.0, 0.0], 1),
            [-1.0, 0.0]
        );
    }
}
