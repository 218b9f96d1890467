//! What the joints of a GGL step did to their bodies.
//!
//!   impulse on b = h ((1−γ) f̂_n + γ f̂_{n+1}) + D(q)ᵀΛ,    f̂ = Dᵀλ filtered as accelerations are: the change of momentum of b asks for it
//!   m = R̄ m_b − (R̄ r_b) × f about the anchor, R̄ halfway between the ends of the step

use crate::newton::system::filtered;
use crate::schemes::ggl::bodies::{BodiesGgl, BodiesGglMemory, Row};
use crate::{JointReaction, Memory, Step};
use percussion_model::bodies::Frame;
use percussion_model::bodies::math::{Vec3, add, cross, mul, mul_t, scale, sub};

impl BodiesGgl {
    /// Dᵀl on body b of every joint, with the rows where they are placed.
    pub(super) fn on_second_bodies(&self, l: &[f64]) -> Vec<Row> {
        let mut rows = self.joints.rows.iter().zip(l);
        let mut sums = Vec::new();
        for joint in self.scene.joints() {
            let mut sum = [0.0; 6];
            for (row, l) in rows.by_ref().take(joint.rows.len()) {
                for (_, D) in row.D.iter().filter(|(body, _)| *body == joint.bodies[1]) {
                    (0..6).for_each(|k| sum[k] += l * D[k]);
                }
            }
            sums.push(sum);
        }
        sums
    }

    /// Those of the next step: filtered and not, twelve numbers each.
    pub(super) fn carry_reactions(&self, kept: &[Vec<f64>], now: &[Row], next: &mut Vec<Vec<f64>>) {
        next.resize(now.len(), Vec::new());
        for ((next, last), now) in next.iter_mut().zip(kept).zip(now) {
            next.clear();
            next.extend((0..6).map(|k| filtered(&self.p, last[k], last[6 + k], now[k])));
            next.extend(now);
        }
    }

    /// Writes the reactions of a step; rows of joints are placed at its end, and `impulses` are their Λ.
    pub(super) fn tell_reactions(
        &self,
        kept: &BodiesGglMemory,
        next: &Memory,
        impulses: &[f64],
        frames: &[Frame],
        step: &mut Step,
    ) {
        step.reactions.clear();
        let (gamma, carried) = (self.p.gamma, next.carried.of::<BodiesGglMemory>());
        let at_end = self.on_second_bodies(impulses);
        for (j, joint) in self.scene.joints().iter().enumerate().filter(|(_, joint)| !joint.rows.is_empty()) {
            let (Some(last), Some(now)) = (kept.reactions.get(j), carried.reactions.get(j)) else { continue };
            let whole: Row =
                std::array::from_fn(|k| at_end[j][k] + step.h * ((1.0 - gamma) * last[k] + gamma * now[k]));
            let b = joint.bodies[1];
            let (start, end) = (&self.start[b].R, &frames[b].R);
            let spatial = |x: &Vec3| scale(0.5, &add(&mul(start, x), &mul(end, x)));
            let own = |x: &Vec3| scale(0.5, &add(&mul_t(start, x), &mul_t(end, x)));
            let force = [whole[0], whole[1], whole[2]];
            let about_centre = spatial(&[whole[3], whole[4], whole[5]]);
            let moment = sub(&about_centre, &cross(&spatial(&joint.points[1]), &force));
            step.reactions.push(JointReaction { joint: j, force, moment, own: [own(&force), own(&moment)] });
        }
    }
}
