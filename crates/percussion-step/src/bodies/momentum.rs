//! Keeps the account of momentum over a step of bodies.
//!
//!   an impulse p at the point c, with a couple m, gives (p, c × p + m)

use crate::MomentumEntry;
use crate::bodies::theta_step::ThetaStep;
use crate::{State, StepStart};
use percussion_matrix::parts::for_each_in_order;
use percussion_model::bodies::Bodies;
use percussion_model::bodies::math::{Vec3, add, axpy, cross, mul, norm, scale, sub};

/// From what an impulse comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Between free bodies: nothing may be left of it.
    Inside,
    /// A contact with a body that is fixed or moved.
    Contact,
    /// A joint or spring to one.
    Joint,
}

/// What an impulse gives to the momenta, and the size of its terms.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    source: Source,
    momentum: [Vec3; 2],
    size: [f64; 2],
}

impl Default for Given {
    fn default() -> Self {
        Self { source: Source::Inside, momentum: [[0.0; 3]; 2], size: [0.0; 2] }
    }
}

impl Given {
    /// Of an impulse p at the world point c, with a couple m.
    pub fn new(source: Source, c: &Vec3, p: &Vec3, m: &Vec3) -> Self {
        Self { source, momentum: [*p, add(&cross(c, p), m)], size: [norm(p), norm(c) * norm(p) + norm(m)] }
    }
}

/// The account of a step under way.
#[derive(Clone, Copy, Debug, Default)]
pub struct MomentumBook {
    entry: MomentumEntry,
    before: [Vec3; 2],
    /// Σ m|v| and Σ (m|x||v| + |I w|) at the start.
    size: [f64; 2],
    /// Threads that products are shared among; sums are taken in order.
    threads: usize,
}

impl MomentumBook {
    /// Opens the account of a step.
    pub fn open(scene: &Bodies, state: &State, threads: usize) -> Self {
        let (before, size) = scene.momentum_by(&state.q, &state.v, threads);
        Self { entry: MomentumEntry { kept: true, ..Default::default() }, before, size, threads }
    }

    /// Books an impulse p on a body at the world point c, with a couple m.
    pub fn impulse(&mut self, source: Source, c: &Vec3, p: &Vec3, m: &Vec3) {
        self.take(&Given::new(source, c, p, m));
    }

    /// Books n impulses in their order, made by the threads.
    pub fn impulses(&mut self, n: usize, make: impl Fn(usize) -> Given + Sync) {
        for_each_in_order(n, self.threads, make, |given| self.take(&given));
    }

    fn take(&mut self, given: &Given) {
        let entry = &mut self.entry;
        let to = match given.source {
            Source::Inside => None,
            Source::Contact => Some(&mut entry.contact),
            Source::Joint => Some(&mut entry.joint),
        };
        if let Some(to) = to {
            *to = [add(&to[0], &given.momentum[0]), add(&to[1], &given.momentum[1])];
        }
        (0..2).for_each(|k| entry.scale[k] += given.size[k]);
    }

    /// Books loads and drags of a step of the θ-method. `inside` are forces and moments, in its frame, on body i that are booked elsewhere.
    pub fn loads(
        &mut self,
        scene: &Bodies,
        step: &ThetaStep,
        from: &StepStart,
        inside: impl Fn(usize) -> [Vec3; 2] + Sync,
    ) {
        let h = from.h;
        let of_body = |i: usize| {
            let body = &scene.bodies()[i];
            if !body.is_free() {
                return None;
            }
            let (mean, wrench, [force, moment]) = (step.passing(scene, i, h), &step.start.wrenches[i], inside(i));
            let [c, c_w] = body.drag;
            let p = scale(h, &axpy(&sub(&wrench.force, &force), -c, &mean.v));
            let moment = axpy(&sub(&wrench.moment, &moment), -c_w, &mean.w);
            let x = axpy(&step.start.frames[i].x, 0.5 * h, &mean.v);
            let mut l = cross(&x, &p);
            if moment != [0.0; 3] {
                l = axpy(&l, h, &mul(&step.passage(scene, i, from).R, &moment));
            }
            l = axpy(&l, h, &wrench.world_moment);
            Some([p, l])
        };
        let load = &mut self.entry.load;
        for_each_in_order(scene.len(), self.threads, of_body, |given| {
            if let Some([p, l]) = given {
                *load = [add(&load[0], &p), add(&load[1], &l)];
            }
        });
    }

    /// Closes the account at the state the step has led to.
    pub fn close(mut self, scene: &Bodies, after: &State) -> MomentumEntry {
        let (total, size) = scene.momentum_by(&after.q, &after.v, self.threads);
        let entry = &mut self.entry;
        entry.total = total;
        entry.residual = entry.left_since(&self.before);
        for k in 0..2 {
            entry.scale[k] += size[k].max(self.size[k]);
        }
        self.entry
    }
}
