//! Springs with dampers between points of bodies.
//!
//!   l = |p_a − p_b|,    force k (l − l₀) + c l̇ along the line,    V = ½ k (l − l₀)²

use super::math::{Vec3, add, cross, dot, mul, mul_t, norm, scale, sub};
use super::{Frame, Twist};

/// A spring with a damper between two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Numbers of the bodies.
    pub bodies: [usize; 2],
    /// Its ends in their frames (from the centre of mass) [m].
    pub points: [Vec3; 2],
    /// k [N/m].
    pub stiffness: f64,
    /// c [N·s/m].
    pub damping: f64,
    /// l₀ [m].
    pub length: f64,
}

/// What a spring does to its two ends: a force and the moments in the frames of the bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pull {
    /// On the first body, world frame; the second gets the opposite [N].
    pub force: Vec3,
    /// On the two bodies, body frames [N·m].
    pub moments: [Vec3; 2],
}

impl Spring {
    fn line(&self, a: &Frame, b: &Frame) -> (Vec3, f64) {
        let d = sub(&a.point(&self.points[0]), &b.point(&self.points[1]));
        (d, norm(&d))
    }

    /// V.
    pub fn energy(&self, a: &Frame, b: &Frame) -> f64 {
        let stretch = self.line(a, b).1 - self.length;
        0.5 * self.stiffness * stretch * stretch
    }

    /// The pulls of spring and damper, apart.
    pub fn pulls(&self, a: (&Frame, &Twist), b: (&Frame, &Twist)) -> [Pull; 2] {
        let (d, l) = self.line(a.0, b.0);
        if l == 0.0 {
            return Default::default();
        }
        let n = scale(1.0 / l, &d);
        let rate = dot(&n, &sub(&a.0.velocity(a.1, &self.points[0]), &b.0.velocity(b.1, &self.points[1])));
        [self.stiffness * (l - self.length), self.damping * rate].map(|tension| {
            let force = scale(-tension, &n);
            let moment = |frame: &Frame, r: &Vec3, sign: f64| scale(sign, &cross(r, &mul_t(&frame.R, &force)));
            Pull { force, moments: [moment(a.0, &self.points[0], 1.0), moment(b.0, &self.points[1], -1.0)] }
        })
    }
}

impl Frame {
    /// World place of a point of the body.
    #[inline]
    pub fn point(&self, r: &Vec3) -> Vec3 {
        add(&self.x, &mul(&self.R, r))
    }

    /// World velocity of a point of the body.
    #[inline]
    pub fn velocity(&self, twist: &Twist, r: &Vec3) -> Vec3 {
        add(&twist.v, &mul(&self.R, &cross(&twist.w, r)))
    }
}
