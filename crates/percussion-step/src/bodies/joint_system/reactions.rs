//! What the joints of a step did to their bodies.
//!
//!   f = Σ λ D_v,    m_b = Σ λ D_w (frame of b, about its centre),    m = R̄ m_b − (R̄ r_b) × f about the anchor

use crate::JointReaction;
use crate::bodies::joint_system::JointSystem;
use percussion_model::bodies::math::{Mat3, Vec3, add, mul_t, norm, scale, sub};

impl JointSystem {
    /// Impulses of every joint on its body b for reactions λ, motors and springs of the joint included; those of the step evaluated
    /// last.
    pub fn reactions(&self, lambda: &[f64], out: &mut Vec<JointReaction>) {
        out.clear();
        let mut row = 0;
        for (j, joint) in self.scene.joints().iter().enumerate().filter(|(_, joint)| !joint.rows.is_empty()) {
            let b = joint.bodies[1];
            let (first, n) = self.of_body[b];
            let (mut force, mut moment): (Vec3, Vec3) = ([0.0; 3], [0.0; 3]);
            for e in &self.entries[first..first + n] {
                if (row..row + joint.rows.len()).contains(&e.row) {
                    for k in 0..3 {
                        force[k] += lambda[e.row] * e.D[k];
                        moment[k] += lambda[e.row] * e.D[3 + k];
                    }
                }
            }
            row += joint.rows.len();
            let passage = &self.passages[b];
            let moment = sub(&passage.spatial(&moment), &passage.spatial_moment(&joint.points[1], &force));
            let [start, end] = [0, 1].map(|k| passage.ends[k].R);
            out.push(JointReaction {
                joint: j,
                force,
                moment,
                own: [own(&start, &end, &force), own(&start, &end, &moment)],
            });
        }
    }
}

/// A world vector in the frame halfway between two: the mean of both, as long as it was.
fn own(start: &Mat3, end: &Mat3, x: &Vec3) -> Vec3 {
    let mean = scale(0.5, &add(&mul_t(start, x), &mul_t(end, x)));
    let size = norm(&mean);
    if size > 0.0 { scale(norm(x) / size, &mean) } else { mean }
}
