//! Rigid bodies over one step of the θ-method, with joints or without.
//!
//!   F_θ = (1−θ)F_k + θF_{k+1} + m g,    x⁺ = x + h v_θ,    R⁺ = R cay(h w_θ), in the plane θ⁺ = θ + 2 atan(h w_θ/2)
//!   W_ext = h Σ (v_θ·F_θ + w_θ·τ_θ),    W_damp = −h Σ (c v_θ² + c_w w_θ²),    ‖Δv‖²_M = Σ m Δv² + Δw·I Δw
//!
//! Angular velocities stand in the frame of the body. Bodies of isotropic inertia count theirs in the world frame: within the
//! step both ends are turned into the frame at its start, ŵ⁺ = Rᵀ(R⁺w⁺), where I Δŵ is the moment of impulses, and nothing else.

use crate::bodies::spin::Wrench;
use crate::{LedgerEntry, State, StepStart};
use percussion_matrix::math;
use percussion_matrix::parts::{add_rows, in_parts_of_two, made_by};
use percussion_model::Signal;
use percussion_model::bodies::math::{Vec3, add, axpy, cross, dot, mul, norm, scale, sub};
use percussion_model::bodies::measure::Passage;
use percussion_model::bodies::{Bodies, Body, Frame, Twist, at};

/// Bodies at the start of a step.
#[derive(Clone, Copy)]
pub struct BodiesStart<'a> {
    /// q.
    pub q: &'a [f64],
    /// Frames.
    pub frames: &'a [Frame],
    /// Velocities, those of moved bodies included.
    pub before: &'a [Twist],
    /// Loads over the step.
    pub wrenches: &'a [Wrench],
    /// t [s].
    pub t: f64,
    /// h [s].
    pub h: f64,
}

/// The buffers behind it.
#[derive(Debug, Default)]
pub struct StartBuffers {
    /// Frames.
    pub frames: Vec<Frame>,
    /// Velocities.
    pub before: Vec<Twist>,
    /// Loads over the step.
    pub wrenches: Vec<Wrench>,
}

impl StartBuffers {
    /// Bodies at the start of a step.
    pub fn of<'a>(&'a self, from: &StepStart<'a>) -> BodiesStart<'a> {
        let Self { frames, before, wrenches } = self;
        BodiesStart { q: &from.state.q, frames, before, wrenches, t: from.state.t, h: from.h }
    }
}

/// A step of the θ-method with its buffers.
#[derive(Debug)]
pub struct ThetaStep {
    /// θ.
    pub theta: f64,
    /// What it starts from.
    pub start: StartBuffers,
    /// Velocities at its end; of moved bodies from the beginning.
    pub after: Vec<Twist>,
    /// How far bodies move in it, for the search of contacts [m].
    pub margins: Vec<f64>,
    /// Threads that bodies are shared among; numbers do not depend on it.
    pub threads: usize,
}

impl ThetaStep {
    /// Without bodies yet.
    pub fn new(theta: f64) -> Self {
        Self { theta, start: StartBuffers::default(), after: Vec::new(), margins: Vec::new(), threads: 1 }
    }

    /// (1 − θ) v + θ v⁺ of body i.
    #[inline]
    pub fn mean(&self, i: usize) -> Twist {
        let (b, a) = (&self.start.before[i], &self.after[i]);
        Twist { v: middle(&b.v, &a.v, self.theta), w: middle(&b.w, &a.w, self.theta) }
    }

    /// The velocities with which body i passes through a step of length h.
    #[inline]
    pub fn passing(&self, scene: &Bodies, i: usize, h: f64) -> Twist {
        mean_twist(&scene.bodies()[i], (&self.start.before[i], &self.after[i]), self.theta, h)
    }

    /// Its way through the step.
    pub fn passage(&self, scene: &Bodies, i: usize, from: &StepStart) -> Passage {
        let mean = self.passing(scene, i, from.h);
        passage(scene, i, &self.start.frames[i], &from.state.q, &mean, from.h)
    }

    /// Where the bodies are, how they move, and how those that are moved will; the others go on as they are.
    pub fn begin(&mut self, scene: &Bodies, from: &StepStart) {
        let StepStart { state, h, .. } = *from;
        let n = scene.len();
        let Self { start: StartBuffers { frames, before, .. }, after, threads, .. } = self;
        made_by(frames, n, *threads, |i| scene.frame(i, &state.q));
        made_by(before, n, *threads, |i| scene.imposed(i, state.t).unwrap_or_else(|| scene.twist(i, &state.v)));
        made_by(after, n, *threads, |i| scene.imposed(i, state.t + h).unwrap_or(before[i]));
        self.load(scene, state.t, h);
    }

    /// Weights, forces and moments over the step.
    fn load(&mut self, scene: &Bodies, t: f64, h: f64) {
        let theta = self.theta;
        let mean = |s: &[Signal; 3]| {
            if s.iter().all(Signal::is_constant) {
                return at(s, t);
            }
            // what jumps at the end of the step acts in the next one
            add(&scale(1.0 - theta, &at(s, t)), &scale(theta, &s.each_ref().map(|s| s.until(t + h))))
        };
        made_by(&mut self.start.wrenches, scene.len(), self.threads, |i| {
            let body = &scene.bodies()[i];
            let mut wrench = Wrench::default();
            if body.is_free() {
                wrench.force = axpy(&mean(&body.force), body.heavy_mass(), &scene.gravity());
                wrench.moment = mean(&body.torque);
            }
            wrench
        });
        for (body, moment) in scene.world_moments() {
            let sum = &mut self.start.wrenches[*body].world_moment;
            *sum = add(sum, &mean(moment));
        }
    }

    /// How far each body can come in the step.
    pub fn reach(&mut self, scene: &Bodies, h: f64) {
        let weight = h * h * norm(&scene.gravity());
        let Self { start, after, margins, threads, .. } = self;
        made_by(margins, scene.len(), *threads, |i| {
            let (body, b, a) = (&scene.bodies()[i], &start.before[i], &after[i]);
            let (v, w) = (norm(&b.v).max(norm(&a.v)), norm(&b.w).max(norm(&a.w)));
            let turning = if w == 0.0 { 0.0 } else { w * body.reach.min(1e6) };
            h * (v + turning) * (1.0 + 1e-9) + if body.is_free() { weight } else { 0.0 }
        });
    }

    /// The state at the end of the step.
    pub fn finish(&self, scene: &Bodies, from: &StepStart, after: &mut State) {
        let StepStart { state, h, .. } = *from;
        after.t = state.t + h;
        after.q.resize(state.q.len(), 0.0);
        after.v.resize(state.v.len(), 0.0);
        let (n_q, n_v) = (scene.q_per_body(), scene.v_per_body());
        in_parts_of_two(&mut after.q, n_q, &mut after.v, n_v, self.threads, |first, q, v| {
            let own = q.chunks_exact_mut(n_q).zip(v.chunks_exact_mut(n_v));
            for (i, (q, v)) in (first..).zip(own) {
                scene.advance(0, &state.q[n_q * i..], h, &on_its_way(scene, h, &self.passing(scene, i, h)), q);
                let mut end = self.after[i];
                if scene.bodies()[i].is_free() && scene.bodies()[i].isotropic && !scene.is_planar() {
                    end.w = self.in_own_frame(i, h);
                }
                scene.write_twist(0, &end, v);
            }
        });
    }

    /// w⁺ = R⁺ᵀRŵ⁺ = cay(a)ᵀŵ⁺ of a body of isotropic inertia, a = h w_θ.
    #[inline]
    fn in_own_frame(&self, i: usize, h: f64) -> Vec3 {
        let (before, after) = (&self.start.before[i].w, &self.after[i].w);
        // a × ŵ⁺, zero where nothing has changed
        let across = scale(h * (1.0 - self.theta), &cross(before, after));
        let a = scale(h, &middle(before, after, self.theta));
        let c = 1.0 / (1.0 + 0.25 * dot(&a, &a));
        add(after, &scale(c, &axpy(&scale(0.5, &cross(&a, &across)), -1.0, &across)))
    }

    /// Books loads, drags and (θ − ½)‖Δv‖²_M; the work of weights is a change of potential.
    pub fn book(&self, scene: &Bodies, h: f64, entry: &mut LedgerEntry) {
        let mut sums = [entry.work_external, entry.work_damping, 0.0];
        add_rows(&mut sums, scene.len(), self.threads, |[external, damping, inertial], i| {
            let [loads, drags, jump] = self.works(scene, i, h);
            *external += loads;
            *damping -= drags;
            *inertial += jump;
        });
        let [external, damping, inertial] = sums;
        (entry.work_external, entry.work_damping) = (external, damping);
        entry.dissipation_numerical += (self.theta - 0.5) * inertial;
    }

    /// Work of the loads on body i, what its drags take, and ‖Δv‖²_M.
    fn works(&self, scene: &Bodies, i: usize, h: f64) -> [f64; 3] {
        let body = &scene.bodies()[i];
        if !body.is_free() {
            return [0.0; 3];
        }
        let Twist { v, w } = self.passing(scene, i, h);
        let wrench = &self.start.wrenches[i];
        let force = axpy(&wrench.force, -body.heavy_mass(), &scene.gravity());
        let mut loads = h * (dot(&v, &force) + dot(&w, &wrench.moment));
        if wrench.world_moment != [0.0; 3] {
            // s·μ, the same for spin in either frame
            loads += h * dot(&mul(&self.start.frames[i].R, &w), &wrench.world_moment);
        }
        let drags = h * (body.drag[0] * dot(&v, &v) + body.drag[1] * dot(&w, &w));
        let (before, after) = (&self.start.before[i], &self.after[i]);
        let (dv, dw) = (sub(&after.v, &before.v), sub(&after.w, &before.w));
        let jump = body.mass * dot(&dv, &dv) + dot(&dw, &mul(&body.inertia, &dw));
        [loads, drags, if self.theta == 0.5 { 0.0 } else { jump }]
    }
}

/// The velocities with which a body passes through a step of length h: (1 − θ) v + θ v⁺. Bodies that are told how to move turn by
/// the angle they are told, 2 tan(h w/2)/h where Cayley's map takes it back.
#[inline]
pub fn mean_twist(body: &Body, (before, after): (&Twist, &Twist), theta: f64, h: f64) -> Twist {
    let w = middle(&before.w, &after.w, theta);
    let mut mean = Twist { v: middle(&before.v, &after.v, theta), w };
    if !body.is_free() {
        let half = 0.5 * h * norm(&w);
        // half a turn in one step has no Cayley vector
        if half > 0.0 && half < 1.0 {
            mean.w = scale(math::tan(half) / half, &w);
        }
    }
    mean
}

/// The same velocities as the angle of a body in the plane grows with them: 2 atan(h w/2)/h.
#[inline]
pub fn on_its_way(scene: &Bodies, h: f64, mean: &Twist) -> Twist {
    let w = mean.w[2];
    if !scene.is_planar() || w == 0.0 || h == 0.0 {
        return *mean;
    }
    Twist { v: mean.v, w: [0.0, 0.0, 2.0 * math::atan(0.5 * h * w) / h] }
}

/// The way of body i from a frame through a step.
#[inline]
pub fn passage(scene: &Bodies, i: usize, frame: &Frame, q: &[f64], mean: &Twist, h: f64) -> Passage {
    if mean.w == [0.0; 3] && !scene.is_planar() {
        let end = Frame { x: axpy(&frame.x, h, &mean.v), ..*frame };
        let x = scale(0.5, &add(&frame.x, &end.x));
        return Passage { ends: [*frame, end], x, ..Passage::resting(frame) };
    }
    let end = scene.advanced(frame, h, &on_its_way(scene, h, mean), q, i);
    let passage = Passage::new(frame, &end, &scale(h, &mean.w));
    if scene.bodies()[i].isotropic { passage.in_the_world() } else { passage }
}

/// (1 − θ) a + θ b.
#[inline]
pub fn middle(a: &Vec3, b: &Vec3, theta: f64) -> Vec3 {
    std::array::from_fn(|k| (1.0 - theta) * a[k] + theta * b[k])
}
