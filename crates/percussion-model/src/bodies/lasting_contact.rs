//! Contacts whose gap is one smooth function of the places of two bodies for good: points and balls before planes, balls and balls.
//!
//!   plane  g = n·(c − x_b) − ρ,  c = x_a + R_a r;        balls  g = |x_a − x_b| − ρ_a − ρ_b
//!   u_k = d_k·U,    U = v_a + ω_a × s_a − v_b − ω_b × s_b,    d = n, t₁, t₂,    ġ = u_N
//!   u̇_k = H_k·(v̇, ẇ) + ḋ_k·U + d_k·(ω_a × ṡ_a − ω_b × ṡ_b)
//!
//! s are the arms from the centres of mass to the surfaces. Identities and directions are those of the detector.

use super::math::{Vec3, add, axpy, cross, dot, mul, norm, scale, sub, tangent_rates, tangents};
use super::shapes::{Manner, Plane};
use super::{Bodies, Frame, Shape, Twist};

/// What meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lasting {
    /// A ball about a point of the first body before the plane of the second.
    Plane {
        /// Its centre in the first body's frame [m].
        point: Vec3,
        /// Its radius, zero for corners [m].
        radius: f64,
        /// Outward, in the second body's frame.
        normal: Vec3,
    },
    /// Two balls about the centres of mass.
    Balls {
        /// [m].
        radii: [f64; 2],
    },
}

/// A contact that exists whether it is closed or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LastingContact {
    /// As the detector names it.
    pub id: u64,
    /// The normal points from the second to the first.
    pub bodies: [usize; 2],
    /// Its geometry.
    pub meets: Lasting,
}

/// A contact at an instant.
#[derive(Clone, Copy, Debug, Default)]
pub struct View {
    /// n, t₁, t₂; in the plane t₁ is n turned by −90°.
    pub directions: [Vec3; 3],
    /// Their rates.
    pub turning: [Vec3; 3],
    /// From the centres of mass to the surfaces, world frame.
    pub arms: [Vec3; 2],
    /// U.
    pub velocity: Vec3,
    /// ω_a × ṡ_a − ω_b × ṡ_b.
    pub bending: Vec3,
}

impl View {
    /// u_k.
    #[inline]
    pub fn rate(&self, k: usize) -> f64 {
        dot(&self.directions[k], &self.velocity)
    }

    /// u̇_k where no body accelerates.
    #[inline]
    pub fn drift(&self, k: usize) -> f64 {
        dot(&self.turning[k], &self.velocity) + dot(&self.directions[k], &self.bending)
    }
}

impl LastingContact {
    /// g.
    pub fn gap(&self, a: &Frame, b: &Frame) -> f64 {
        match &self.meets {
            Lasting::Plane { point, radius, normal } => dot(&mul(&b.R, normal), &sub(&a.point(point), &b.x)) - radius,
            Lasting::Balls { radii } => norm(&sub(&a.x, &b.x)) - radii[0] - radii[1],
        }
    }

    /// Directions, arms and velocities.
    pub fn view(&self, planar: bool, a: (&Frame, &Twist), b: (&Frame, &Twist)) -> View {
        let (omega_a, omega_b) = (mul(&a.0.R, &a.1.w), mul(&b.0.R, &b.1.w));
        let apart = sub(&a.1.v, &b.1.v);
        let relative = |arms: &[Vec3; 2]| sub(&add(&apart, &cross(&omega_a, &arms[0])), &cross(&omega_b, &arms[1]));
        let (n, turning, arms, arm_rates);
        match &self.meets {
            Lasting::Plane { point, radius, normal } => {
                n = mul(&b.0.R, normal);
                turning = cross(&omega_b, &n);
                let r = mul(&a.0.R, point);
                let d = sub(&add(&a.0.x, &r), &b.0.x);
                let height = dot(&n, &d);
                arms = [axpy(&r, -radius, &n), axpy(&d, -height, &n)];
                let swing = cross(&omega_a, &r);
                let closing = dot(&n, &relative(&arms));
                let below = axpy(&axpy(&add(&apart, &swing), -closing, &n), -height, &turning);
                arm_rates = [axpy(&swing, -radius, &turning), below];
            }
            Lasting::Balls { radii } => {
                let d = sub(&a.0.x, &b.0.x);
                let distance = norm(&d);
                // concentric balls have no normal of their own
                n = if distance > 0.0 { scale(1.0 / distance, &d) } else { [0.0, 0.0, 1.0] };
                turning = scale(1.0 / distance.max(f64::MIN_POSITIVE), &axpy(&apart, -dot(&n, &apart), &n));
                arms = [scale(-radii[0], &n), scale(radii[1], &n)];
                arm_rates = [scale(-radii[0], &turning), scale(radii[1], &turning)];
            }
        }
        let [t1, t2] = if planar { [[n[1], -n[0], 0.0], [0.0, 0.0, 1.0]] } else { tangents(&n) };
        let [r1, r2] = if planar { [[turning[1], -turning[0], 0.0], [0.0; 3]] } else { tangent_rates(&n, &turning) };
        View {
            directions: [n, t1, t2],
            turning: [turning, r1, r2],
            velocity: relative(&arms),
            bending: sub(&cross(&omega_a, &arm_rates[0]), &cross(&omega_b, &arm_rates[1])),
            arms,
        }
    }
}

impl Bodies {
    /// Every contact of the scene, closed or not, by rising identity; or the first pair of bodies whose shapes meet in ways that
    /// change from place to place.
    pub fn lasting_contacts(&self) -> Result<Vec<LastingContact>, [usize; 2]> {
        let mut out = Vec::new();
        for i in 0..self.len() {
            for j in i + 1..self.len() {
                if self.may_touch(i, j) {
                    self.lasting_pair(i, j, &mut out).ok_or([i, j])?;
                }
            }
        }
        Ok(out)
    }

    fn lasting_pair(&self, i: usize, j: usize, out: &mut Vec<LastingContact>) -> Option<()> {
        let id = ((i * self.len() + j) as u64) << 16;
        let [a, b] = [i, j].map(|k| &self.bodies()[k].shape);
        if let (Shape::Sphere(a), Shape::Sphere(b)) = (a, b) {
            out.push(LastingContact { id, bodies: [i, j], meets: Lasting::Balls { radii: [a.radius, b.radius] } });
            return Some(());
        }
        let (bodies, shape) = match (a.manner(), b.manner()) {
            (Manner::Convex | Manner::Several, Manner::HalfSpace) => ([i, j], a),
            (Manner::HalfSpace, Manner::Convex | Manner::Several) => ([j, i], b),
            // a surface has too many corners to follow each of them
            (Manner::Surface, _) | (_, Manner::Surface) => return None,
            (Manner::Nothing, _) | (_, Manner::Nothing) => return Some(()),
            (Manner::Convex | Manner::Several, Manner::Convex | Manner::Several)
            | (Manner::HalfSpace, Manner::HalfSpace) => return None,
        };
        if !shape.has_lasting_gaps() {
            return None;
        }
        let planar = self.is_planar();
        let normal = Plane::normal(planar);
        if let Shape::Compound(compound) = shape {
            let own = bodies[0];
            // the names of the detector: the feature's number and its material
            let n = self.bodies()[own].materials.len() as u64;
            compound.features(planar, &mut |piece, k, &point, radius| {
                let id = id + u64::from(k) * n + u64::from(self.prepared(own, piece).material);
                out.push(LastingContact { id, bodies, meets: Lasting::Plane { point, radius, normal } });
            });
            return Some(());
        }
        // features in the order of the detector
        shape.balls(planar, |k, &point, radius| {
            out.push(LastingContact { id: id + u64::from(k), bodies, meets: Lasting::Plane { point, radius, normal } });
        });
        Some(())
    }
}

#[cfg(test)]
mod tests;
