//! Where a body is in the middle of a step, and contacts seen from there.
//!
//!   x_m = (x₀ + x₁)/2,    R_m = R₀ cay(b),  b = a/(1 + √(1 + |a|²/4)):  half of the turn cay(a) from R₀ to R₁
//!   u = d·(v_a + Ω_a × (c − x_a) − v_b − Ω_b × (c − x_b)),  one point c for both bodies
//!
//! An impulse p at c adds c × p to the angular momentum of one body and takes it from the other. Bodies of isotropic inertia count
//! Ω = R w of either end of the step; to the others a spatial moment μ is R̄⁻¹μ in the frame of the body (`mean_frame`). Bodies that
//! are told how to move have the velocity of the end in question at the point of contact there.

use super::math::{Vec3, add, cross, dot, mul, mul_mat, norm, scale, skew, sub};
use super::measure::Passage;
use super::{Bodies, ContactPoint, Frame};
use crate::flexible::cayley;
use crate::flexible::mean_frame::body_moment;
use percussion_matrix::parts::add_rows;

/// The frame half-way from R₀ to R₀ cay(a), at x.
pub fn half_way(start: &Frame, x: &Vec3, a: &Vec3) -> Frame {
    let b = scale(1.0 / (1.0 + (1.0 + 0.25 * dot(a, a)).sqrt()), a);
    let c = 1.0 / (1.0 + 0.25 * dot(&b, &b));
    let S = skew(&b);
    let S2 = mul_mat(&S, &S);
    let turn =
        std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j)) + c * (S[i][j] + 0.5 * S2[i][j])));
    // the quaternion is not needed for the place of a contact
    Frame { x: *x, q: start.q, R: mul_mat(&start.R, &turn) }
}

impl Bodies {
    /// The way of body i between two states, less than half a turn long.
    fn way(&self, i: usize, before: &[f64], after: &[f64]) -> Passage {
        let (start, end) = (self.frame(i, before), self.frame(i, after));
        let turn = mul_mat(&super::math::transpose(&start.R), &end.R);
        let passage = Passage::new(&start, &end, &cayley::inverse(&turn));
        if self.bodies()[i].isotropic { passage.in_the_world() } else { passage }
    }

    /// Normal and tangential velocities of a contact that was found at q₀, in the middle of the step from q₀ to q₁: of velocities v
    /// at its end, or with `at_start` at its start.
    pub fn middle_velocity(
        &self,
        contact: &ContactPoint,
        (q0, q1): (&[f64], &[f64]),
        v: &[f64],
        at_start: bool,
    ) -> [f64; 3] {
        let ways = contact.bodies.map(|i| self.way(i, q0, q1));
        let middle = [0, 1].map(|s: usize| half_way(&ways[s].ends[0], &ways[s].x, &ways[s].turn));
        let (normal, place) = contact.place_at(&middle[0], &middle[1]);
        let k = usize::from(!at_start);
        let there = contact.place_at(&ways[0].ends[k], &ways[1].ends[k]).1;
        let directions = self.contact_directions(&normal);
        let mut u = [0.0; 3];
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let body = &self.bodies()[contact.bodies[side]];
            let (way, twist) = (&ways[side], self.twist(contact.bodies[side], v));
            for (u, d) in u.iter_mut().zip(&directions).take(if self.is_planar() { 2 } else { 3 }) {
                let turning = if !body.is_free() {
                    let arm = sub(&there, &way.ends[k].x);
                    dot(&mul(&way.ends[k].R, &twist.w), &cross(&arm, d))
                } else if body.isotropic {
                    dot(&mul(&way.ends[k].R, &twist.w), &cross(&sub(&place, &way.x), d))
                } else {
                    dot(&twist.w, &body_moment(&way.ends[0].R, &way.tilt, &cross(&sub(&place, &way.x), d)))
                };
                *u += sign * (dot(d, &twist.v) + turning);
            }
        }
        u
    }

    /// Linear and angular momentum of the free bodies about the origin, and Σ m|v|, Σ (m|x||v| + |I w|).
    pub fn momentum(&self, q: &[f64], v: &[f64]) -> ([Vec3; 2], [f64; 2]) {
        self.momentum_by(q, v, 1)
    }

    /// The same on so many threads.
    pub fn momentum_by(&self, q: &[f64], v: &[f64], threads: usize) -> ([Vec3; 2], [f64; 2]) {
        let of_body = |sums: &mut [f64; 8], i: usize| {
            let body = &self.bodies()[i];
            if !body.is_free() || body.modal {
                return;
            }
            let (frame, twist) = (self.frame(i, q), self.twist(i, v));
            let (p, spin) = (scale(body.mass, &twist.v), mul(&body.inertia, &twist.w));
            let turning = add(&cross(&frame.x, &p), &mul(&frame.R, &spin));
            let sizes = [norm(&p), norm(&frame.x) * norm(&p) + norm(&spin)];
            sums.iter_mut().zip(p.iter().chain(&turning).chain(&sizes)).for_each(|(sum, x)| *sum += x);
        };
        let mut sums = [0.0; 8];
        add_rows(&mut sums, self.len(), threads, of_body);
        let [px, py, pz, lx, ly, lz, moving, turning] = sums;
        let (mut sum, mut size) = ([[px, py, pz], [lx, ly, lz]], [moving, turning]);
        if !self.spans().is_empty() {
            let (between, coupled) = self.coupling_momentum(q, v);
            sum[1] = add(&sum[1], &between);
            (size[0], size[1]) = (size[0] + coupled[0], size[1] + coupled[1]);
        }
        if self.has_full_inertia() {
            let (_, spin, own) = self.modal_motion(q, v);
            (sum[1], size[1]) = (add(&sum[1], &spin), size[1] + own);
        }
        (sum, size)
    }
}

#[cfg(test)]
mod tests {
    use super::super::math::mul_t;
    use super::*;
    use crate::flexible::test_tools::Dice;

    /// Twice the half turn is the turn, and the mean of the ends is the half turn, shortened.
    #[test]
    fn half_of_a_turn() {
        let mut dice = Dice::new(23);
        for size in [1e-6, 0.3, 2.0] {
            let (start, a) = (dice.frame(), scale(size, &dice.unit()));
            let end = cayley::advanced(&start, &[0.0; 3], &a);
            let middle = half_way(&start, &start.x, &a);
            let half = mul_mat(&super::super::math::transpose(&start.R), &middle.R);
            let twice = mul_mat(&middle.R, &half);
            for i in 0..3 {
                assert!(norm(&sub(&twice[i], &end.R[i])) < 4e-15);
            }
            let axis = mul_t(&middle.R, &mul(&start.R, &a));
            assert!(norm(&sub(&axis, &a)) < 4e-15 * size);
        }
    }
}
