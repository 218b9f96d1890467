//! Overlapping bodies moved apart, each overlap shared by inverse mass, until none is left.

use crate::{Model, Problem};
use percussion_model::bodies::math::axpy;
use percussion_model::bodies::{Bodies, Detector, Frame, Twist};
use percussion_model::{Code, InputError};
use std::sync::Arc;

/// Passes over all overlaps at most.
const PASSES: usize = 2000;

/// The problem with its bodies moved apart along the normals of their contacts, and the change of its energy.
pub fn project_start(scene: &Arc<Bodies>, problem: &Problem) -> Result<(Problem, f64), InputError> {
    let mut q = problem.q0.clone();
    let mut detector = Detector::default();
    let margins = vec![0.0; scene.len()];
    for _ in 0..PASSES {
        let frames: Vec<Frame> = (0..scene.len()).map(|i| scene.frame(i, &q)).collect();
        let mut moved = false;
        let mut place: Vec<_> = frames.iter().map(|f| f.x).collect();
        for c in detector.detect(scene, &frames, &margins).iter().filter(|c| c.gap < 0.0) {
            let [a, b] = c.bodies;
            let m = c.bodies.map(|i| scene.bodies()[i].inverse_mass);
            // a little more than the overlap, so that the passes end
            let push = -c.gap * (1.0 + 1e-9) + 1e-15;
            place[a] = axpy(&place[a], push * m[0] / (m[0] + m[1]), &c.normal);
            place[b] = axpy(&place[b], -push * m[1] / (m[0] + m[1]), &c.normal);
            moved = true;
        }
        if !moved {
            let energy = |q: &[f64]| scene.potential_energy(q);
            let change = energy(&q) - energy(&problem.q0);
            let model = Model::Bodies(Arc::clone(scene));
            return Ok((Problem { model, q0: q, v0: problem.v0.clone() }, change));
        }
        if !scene.joints().is_empty() {
            let message = "bodies overlap, and moving them apart would break the joints between them";
            let help = "place them without overlap, or list pairs in no_contact";
            return Err(InputError::new(Code::PENETRATION, "body", message, help));
        }
        let from = q.clone();
        for i in 0..scene.len() {
            let shift = axpy(&place[i], -1.0, &frames[i].x);
            scene.advance(i, &from, 1.0, &Twist { v: shift, w: [0.0; 3] }, &mut q);
        }
    }
    let message = format!("bodies still overlap after {PASSES} passes of moving them apart");
    Err(InputError::new(Code::PENETRATION, "body", message, "place them with more room"))
}
