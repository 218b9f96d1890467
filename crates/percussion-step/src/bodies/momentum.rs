//! Keeps the account of momentum over a step of bodies.
//!
//!   an impulse p at the point c, with a couple m, gives (p, c × p + m)

use crate::MomentumEntry;
use crate::bodies::theta_step::ThetaStep;
use crate::{State, StepStart};
use percussion_matrix::parts::add_rows;
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

impl Given {
    /// Of an impulse p at the world point c, with a couple m.
    pub fn new(source: Source, c: &Vec3, p: &Vec3, m: &Vec3) -> Self {
        Self { source, momentum: [*p, add(&cross(c, p), m)], size: [norm(p), norm(c) * norm(p) + norm(m)] }
    }

    /// Adds itself to the sums of a book.
    #[inline]
    fn add_to(&self, sums: &mut [f64; SUMS]) {
        let first = match self.source {
            Source::Inside => None,
            Source::Contact => Some(0),
            Source::Joint => Some(6),
        };
        if let Some(first) = first {
            sums[first..first + 6].iter_mut().zip(self.momentum.as_flattened()).for_each(|(sum, x)| *sum += x);
        }
        sums[12..].iter_mut().zip(&self.size).for_each(|(sum, x)| *sum += x);
    }
}

/// Sums of a book: momenta that contacts and joints gave, and sizes.
const SUMS: usize = 14;

/// The account of a step under way.
#[derive(Clone, Copy, Debug, Default)]
pub struct MomentumBook {
    /// Momenta that contacts with fixed or moved bodies gave, six numbers, joints and springs to them, six, and Σ|p|, Σ(|c||p| + |m|).
    sums: [f64; SUMS],
    load: [f64; 6],
    before: [Vec3; 2],
    /// Σ m|v| and Σ (m|x||v| + |I w|) at the start.
    size: [f64; 2],
    /// Threads that share long sums.
    threads: usize,
}

impl MomentumBook {
    /// Opens the account of a step.
    pub fn open(scene: &Bodies, state: &State, threads: usize) -> Self {
        let (before, size) = scene.momentum_by(&state.q, &state.v, threads);
        Self { before, size, threads, ..Self::default() }
    }

    /// Books an impulse p on a body at the world point c, with a couple m.
    pub fn impulse(&mut self, source: Source, c: &Vec3, p: &Vec3, m: &Vec3) {
        Given::new(source, c, p, m).add_to(&mut self.sums);
    }

    /// Books n impulses, made by the threads.
    pub fn impulses(&mut self, n: usize, make: impl Fn(usize) -> Given + Sync) {
        add_rows(&mut self.sums, n, self.threads, |sums, i| make(i).add_to(sums));
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
        let of_body = |load: &mut [f64; 6], i: usize| {
            let body = &scene.bodies()[i];
            if !body.is_free() {
                return;
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
            load.iter_mut().zip(p.iter().chain(&l)).for_each(|(sum, x)| *sum += x);
        };
        add_rows(&mut self.load, scene.len(), self.threads, of_body);
    }

    /// Closes the account at the state the step has led to.
    pub fn close(self, scene: &Bodies, after: &State) -> MomentumEntry {
        let (total, size) = scene.momentum_by(&after.q, &after.v, self.threads);
        let pair = |sums: &[f64]| std::array::from_fn(|i| std::array::from_fn(|k| sums[3 * i + k]));
        let mut entry = MomentumEntry {
            kept: true,
            total,
            load: pair(&self.load),
            contact: pair(&self.sums[..6]),
            joint: pair(&self.sums[6..12]),
            residual: [0.0; 2],
            scale: std::array::from_fn(|k| self.sums[12 + k] + size[k].max(self.size[k])),
        };
        entry.residual = entry.left_since(&self.before);
        entry
    }
}
