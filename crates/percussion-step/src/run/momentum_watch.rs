//! The certificate of momentum: the largest residuals of a run against the momenta that were there.
//!
//!   r_P/S_P,  r_J/S_J ≤ 1e-11 pass, > 1e-9 fail where the scheme promises it; elsewhere what exceeds the first is a warning
//!
//! Where a scheme keeps no account, residuals are those of steps in which weights and impulses between free bodies are all that acts.

use crate::Step;
use crate::run::audit::{Certificate, Verdict, Worst, nothing};
use percussion_model::bodies::Bodies;
use percussion_model::bodies::math::{Vec3, add, axpy, cross, norm, scale, sub};

/// Parts of the scale up to which momentum is kept, and beyond which a promise is broken.
const KEPT: f64 = 1e-11;
const BROKEN: f64 = 1e-9;

/// What was seen of momentum.
#[derive(Clone, Copy, Debug, Default)]
pub struct MomentumWatch {
    /// Steps measured.
    steps: u64,
    total: [Vec3; 2],
    residual: [Worst; 2],
    scale: [f64; 2],
}

impl MomentumWatch {
    /// At the start of a run.
    pub fn start(&mut self, scene: &Bodies, q: &[f64], v: &[f64]) {
        (self.total, self.scale) = scene.momentum(q, v);
    }

    /// Takes in a step from q.
    pub fn step(&mut self, scene: Option<&Bodies>, q: &[f64], step: &Step) {
        let t = step.after.t;
        if step.momentum.kept {
            for k in 0..2 {
                self.residual[k].raise(step.momentum.residual[k], t, None);
                self.scale[k] = self.scale[k].max(step.momentum.scale[k]);
            }
            self.steps += 1;
            return;
        }
        let Some(scene) = scene else { return };
        let (total, scale) = scene.momentum(&step.after.q, &step.after.v);
        let before = std::mem::replace(&mut self.total, total);
        for k in 0..2 {
            self.scale[k] = self.scale[k].max(scale[k]);
        }
        if acts_alone(scene, step) {
            let given = weights(scene, q, step);
            for k in 0..2 {
                self.residual[k].raise(norm(&sub(&sub(&total[k], &before[k]), &given[k])), t, None);
            }
            self.steps += 1;
        }
    }

    /// The certificate.
    pub fn certificate(&self, scene: Option<&Bodies>, promised: bool) -> Certificate {
        if scene.is_some_and(|scene| scene.bodies().iter().all(|body| !body.is_free())) {
            return nothing("no body that moves");
        }
        if self.steps == 0 && scene.is_none() {
            return nothing("the scheme keeps no account of momentum");
        }
        if self.steps == 0 {
            return nothing("no step in which nothing but weights and impulses between free bodies acts");
        }
        let part = |k: usize| if self.residual[k].value == 0.0 { 0.0 } else { self.residual[k].value / self.scale[k] };
        let worst = usize::from(part(1) > part(0));
        let status = match part(worst) {
            x if x <= KEPT => Verdict::Pass,
            x if promised && x > BROKEN => Verdict::Fail,
            _ => Verdict::Warn,
        };
        let mut text = format!("linear to {:.1e}, angular to {:.1e} of what is there", part(0), part(1));
        if !promised && status == Verdict::Warn {
            text += "; the scheme does not promise it (energy-momentum, landing and θ = ½ do)";
        }
        Certificate { status, worst: part(worst), t: self.residual[worst].t, contact: None, text }
    }
}

/// Whether weights and impulses between free bodies are all that acts in a step.
fn acts_alone(scene: &Bodies, step: &Step) -> bool {
    let free = |i: usize| scene.bodies()[i].is_free();
    let own = |id: usize| match scene.joint_of(id as u64) {
        Some(j) => scene.joints().get(j).is_some_and(|joint| joint.bodies.into_iter().all(free)),
        None => scene.pair_of(id as u64).into_iter().all(free),
    };
    let bodies = scene.bodies().iter().filter(|body| body.is_free());
    let unloaded =
        |signals: &[percussion_model::Signal; 3]| signals.iter().all(|s| s.is_constant() && s.at(0.0) == 0.0);
    step.contacts.iter().filter(|c| c.p != 0.0).all(|c| own(c.id))
        && scene.springs().iter().all(|spring| spring.bodies.into_iter().all(free))
        && scene.joints().iter().all(|joint| joint.bodies.into_iter().all(free))
        && scene.spans().iter().all(|span| span.bodies.into_iter().all(free))
        && scene.world_moments().iter().all(|(_, moment)| unloaded(moment))
        && bodies.clone().all(|b| b.drag == [0.0; 2] && unloaded(&b.force) && unloaded(&b.torque))
}

/// What weights give in a step from q.
fn weights(scene: &Bodies, q: &[f64], step: &Step) -> [Vec3; 2] {
    let (g, mut sum) = (scene.gravity(), [[0.0; 3]; 2]);
    for (i, body) in scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
        let p = scale(step.h * body.heavy_mass(), &g);
        let x = add(&scene.frame(i, q).x, &scene.frame(i, &step.after.q).x);
        sum = [add(&sum[0], &p), axpy(&sum[1], 0.5, &cross(&x, &p))];
    }
    sum
}

crate::packed! { MomentumWatch { steps, total, residual, scale } }
