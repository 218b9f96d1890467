//! Overlapping bodies moved apart without turning, by the least motion weighed by mass.
//!
//!   min ½ Σ m_i |x_i|²   subject to   g_c + n_c·(x_a − x_b) ≥ 0   for every overlap c
//!
//! solved by its multipliers one after the other (x_i = Σ ± λ_c n_c / m_i, λ ≥ 0), and again where the bodies then are, since gaps are not
//! linear.

use crate::bodies::onto_joints::onto_joints;
use crate::{Model, Problem, State};
use percussion_model::bodies::math::{Vec3, axpy, dot, sub};
use percussion_model::bodies::{Bodies, Detector, Frame, Twist};
use percussion_model::{Code, InputError};
use std::sync::Arc;

/// Times the overlaps are looked for at most.
const PASSES: usize = 2000;
/// Sweeps over the overlaps of a pass at most; what they leave the next pass takes.
const SWEEPS: usize = 200;

/// Two bodies to be moved apart along a normal from the second to the first.
struct Overlap {
    bodies: [usize; 2],
    gap: f64,
    normal: Vec3,
}

/// The problem with its bodies moved apart and their velocities as the joints allow, and the change of its energy.
pub fn project_start(scene: &Arc<Bodies>, problem: &Problem) -> Result<(Problem, f64), InputError> {
    let mut q = problem.q0.clone();
    let mut detector = Detector::default();
    let margins = vec![0.0; scene.len()];
    for _ in 0..PASSES {
        let frames: Vec<Frame> = (0..scene.len()).map(|i| scene.frame(i, &q)).collect();
        let touching = detector.detect(scene, &frames, &margins).iter().filter(|c| c.gap < 0.0);
        let mut overlaps: Vec<Overlap> =
            touching.map(|c| Overlap { bodies: c.bodies, gap: c.gap, normal: c.normal }).collect();
        for inside in scene.inside_surfaces(&frames) {
            overlaps.push(Overlap { bodies: inside.bodies, gap: -inside.depth, normal: inside.normal });
        }
        if overlaps.is_empty() {
            let mut state = State { t: 0.0, q, v: problem.v0.clone() };
            onto_joints(scene, &mut state, true)?;
            let energy = |q: &[f64], v: &[f64]| scene.potential_energy(q) + scene.kinetic_energy_at(q, v);
            let change = energy(&state.q, &state.v) - energy(&problem.q0, &problem.v0);
            let model = Model::from(Arc::clone(scene));
            return Ok((Problem { model, q0: state.q, v0: state.v }, change));
        }
        if !scene.joints().is_empty() {
            let message = "bodies overlap, and moving them apart would break the joints between them";
            let help = "place them without overlap, or list pairs in no_contact";
            return Err(InputError::new(Code::PENETRATION, "body", message, help));
        }
        let shifts = least_motion(scene, &overlaps);
        let from = q.clone();
        for (i, shift) in shifts.iter().enumerate() {
            scene.advance(i, &from, 1.0, &Twist { v: *shift, w: [0.0; 3] }, &mut q);
        }
    }
    let message = format!("bodies still overlap after {PASSES} passes of moving them apart");
    Err(InputError::new(Code::PENETRATION, "body", message, "place them with more room"))
}

/// x of every body.
fn least_motion(scene: &Bodies, overlaps: &[Overlap]) -> Vec<Vec3> {
    let mut x = vec![[0.0; 3]; scene.len()];
    let mut multipliers = vec![0.0; overlaps.len()];
    let deepest = overlaps.iter().fold(0.0_f64, |s, c| s.max(-c.gap));
    for _ in 0..SWEEPS {
        let mut largest = 0.0_f64;
        for (c, lambda) in overlaps.iter().zip(&mut multipliers) {
            let [a, b] = c.bodies;
            let m = c.bodies.map(|i| scene.bodies()[i].inverse_mass);
            // a little more than the overlap, so that the passes end
            let wanted = -c.gap * (1.0 + 1e-9) + 1e-15;
            let short = wanted - dot(&c.normal, &sub(&x[a], &x[b]));
            let new = (*lambda + short / (m[0] + m[1])).max(0.0);
            let change = new - *lambda;
            *lambda = new;
            x[a] = axpy(&x[a], change * m[0], &c.normal);
            x[b] = axpy(&x[b], -change * m[1], &c.normal);
            largest = largest.max(change.abs() * (m[0] + m[1]));
        }
        if largest <= 1e-13 * deepest {
            break;
        }
    }
    x
}
