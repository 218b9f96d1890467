//! Moreau–Jean θ-scheme for rigid bodies: one contact problem per step, the ledger exact.
//!
//!   m Δv = h F + H_vᵀp,    I Δw + h w_θ × (I w*) = h τ + H_wᵀp,    x⁺ = x + h v_θ,    R⁺ = R cay(h w_θ)
//!   ΔE = W_ext + W_damp + u_θ·p − (θ − ½)‖Δv‖²_M + (ΔV_s + h v_θ·F_s)
//!
//! The identity holds for any w*, any H and any contact law. Gravity's potential is linear in x, so its work is its
//! change; springs act with their force at the predicted middle of the step, and what that leaves is booked as numerical.

use crate::bodies::rows::seen;
use crate::bodies::spin::{FreeMotion, Gyroscopic, Wrench, free_motion, spin};
use crate::bodies::spring_bound::{STABLE, spring_growth};
use crate::contact::bodies::{BodiesStart, Contacts, Laws};
use crate::{LedgerEntry, Memory, Scheme, State, Step, StepFailure, StepStart, Stepper, Warning};
use percussion_model::Code;
use percussion_model::bodies::math::{Vec3, add, axpy, dot, mul, norm, scale, sub};
use percussion_model::bodies::{Bodies, Detector, Frame, Pull, Twist, at};
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// The scheme with its work memory.
#[derive(Debug)]
pub struct BodiesMoreauJean {
    scene: Arc<Bodies>,
    theta: f64,
    gyroscopic: Gyroscopic,
    detector: Detector,
    contacts: Contacts,
    /// At the start and at the end of the step.
    start_frames: Vec<Frame>,
    frames: Vec<Frame>,
    /// Velocities as rows see them: before, of bodies that are moved, after.
    seen_before: Vec<Twist>,
    seen_after: Vec<Twist>,
    seen_end: Vec<Twist>,
    before: Vec<Twist>,
    after: Vec<Twist>,
    margins: Vec<f64>,
    wrenches: Vec<Wrench>,
    pulls: Vec<[Pull; 2]>,
    w_star: Vec<Vec3>,
    free: Vec<FreeMotion>,
}

/// Rounds in which w* follows the impulses, at most.
const ROUNDS: usize = 20;

impl BodiesMoreauJean {
    /// For a scene under a scheme's parameters.
    pub fn new(scene: Arc<Bodies>, theta: f64, scheme: &Scheme, options: SolverOptions) -> Self {
        let laws = Laws { theta, activation: scheme.activation, friction: scheme.friction_law };
        Self {
            scene,
            theta,
            gyroscopic: scheme.gyroscopic,
            detector: Detector::default(),
            contacts: Contacts::new(laws, options),
            start_frames: Vec::new(),
            frames: Vec::new(),
            seen_before: Vec::new(),
            seen_after: Vec::new(),
            seen_end: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            margins: Vec::new(),
            wrenches: Vec::new(),
            pulls: Vec::new(),
            w_star: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Forces and moments over the step, springs at the predicted middle.
    fn loads(&mut self, state: &State, h: f64) {
        let (scene, theta) = (&self.scene, self.theta);
        let (t, end) = (state.t, state.t + h);
        let mean = |s: &[percussion_model::Signal; 3]| {
            if s.iter().all(percussion_model::Signal::is_constant) {
                return at(s, t);
            }
            add(&scale(1.0 - theta, &at(s, t)), &scale(theta, &at(s, end)))
        };
        self.wrenches.clear();
        for body in scene.bodies() {
            let mut wrench = Wrench::default();
            if body.is_free() {
                wrench.force = axpy(&mean(&body.force), body.mass, &scene.gravity());
                wrench.moment = mean(&body.torque);
            }
            self.wrenches.push(wrench);
        }
        self.pulls.clear();
        for spring in scene.springs() {
            let [a, b] = spring.bodies;
            let mut middle = state.q.clone();
            for i in [a, b] {
                scene.advance(i, &state.q, 0.5 * h, &self.before[i], &mut middle);
            }
            let (fa, fb) = (scene.frame(a, &middle), scene.frame(b, &middle));
            let pulls = spring.pulls((&fa, &self.before[a]), (&fb, &self.before[b]));
            for pull in &pulls {
                self.wrenches[a].force = add(&self.wrenches[a].force, &pull.force);
                self.wrenches[b].force = sub(&self.wrenches[b].force, &pull.force);
                self.wrenches[a].moment = add(&self.wrenches[a].moment, &pull.moments[0]);
                self.wrenches[b].moment = add(&self.wrenches[b].moment, &pull.moments[1]);
            }
            self.pulls.push(pulls);
        }
    }

    /// Motion without impulses of every body, for the present w*.
    fn move_freely(&mut self, h: f64) {
        self.free.clear();
        for (i, body) in self.scene.bodies().iter().enumerate() {
            self.free.push(if body.is_free() {
                free_motion(body, &self.before[i], &self.wrenches[i], &self.w_star[i], h, self.theta)
            } else {
                FreeMotion { twist: self.after[i], ..Default::default() }
            });
        }
    }

    /// Velocities after the step from the contact phase; how far w_θ is from w*.
    fn take_velocities(&mut self) -> f64 {
        let mut off = 0.0_f64;
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let v = &self.contacts.v[i];
            let twist = Twist { v: [v[0], v[1], v[2]], w: [v[3], v[4], v[5]] };
            self.after[i] = twist;
            if !body.isotropic {
                let w = middle(&self.before[i].w, &twist.w, self.theta);
                off = off.max(norm(&sub(&w, &self.w_star[i])) / norm(&w).max(f64::MIN_POSITIVE));
                if self.gyroscopic == Gyroscopic::Newton {
                    self.w_star[i] = w;
                }
            }
        }
        off
    }

    fn ledger(&self, state: &State, h: f64, H: f64, moved: f64, step: &Step) -> LedgerEntry {
        let (scene, theta) = (&self.scene, self.theta);
        let mut entry = LedgerEntry {
            kinetic: scene.kinetic_energy(&step.after.v),
            potential: scene.potential_energy(&step.after.q),
            work_external: -moved,
            ..Default::default()
        };
        let mut inertial = 0.0;
        for (i, body) in scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let (before, after) = (&self.before[i], &self.after[i]);
            let (v, w) = (middle(&before.v, &after.v, theta), middle(&before.w, &after.w, theta));
            let weight = scale(body.mass, &scene.gravity());
            let force = sub(&self.wrenches[i].force, &weight);
            entry.work_external += h * (dot(&v, &force) + dot(&w, &self.wrenches[i].moment));
            entry.work_damping -= h * (body.drag[0] * dot(&v, &v) + body.drag[1] * dot(&w, &w));
            if theta != 0.5 {
                let (dv, dw) = (sub(&after.v, &before.v), sub(&after.w, &before.w));
                inertial += body.mass * dot(&dv, &dv) + dot(&dw, &mul(&body.inertia, &dw));
            }
        }
        entry.dissipation_numerical = (theta - 0.5) * inertial;

        // springs are a potential: their work moves there, dampers to theirs
        if !scene.springs().is_empty() {
            let mut spring_work = 0.0;
            for (spring, pulls) in scene.springs().iter().zip(&self.pulls) {
                let [elastic, viscous] = pulls.map(|pull| {
                    let mut of = [0.0; 2];
                    for (side, sign) in [(0, 1.0), (1, -1.0)] {
                        let i = spring.bodies[side];
                        let v = middle(&self.before[i].v, &self.after[i].v, theta);
                        let w = middle(&self.before[i].w, &self.after[i].w, theta);
                        of[side] = h * (sign * dot(&v, &pull.force) + dot(&w, &pull.moments[side]));
                    }
                    of
                });
                for side in 0..2 {
                    // counted above for free bodies; the hand that moves the others does the opposite work
                    entry.work_external -= elastic[side] + viscous[side];
                }
                spring_work += elastic[0] + elastic[1];
                entry.work_damping += viscous[0] + viscous[1];
            }
            let change = scene.spring_energy(&step.after.q) - scene.spring_energy(&state.q);
            entry.dissipation_numerical -= spring_work + change;
        }
        for c in &step.contacts {
            entry.work_contact += c.p * ((1.0 - theta) * c.u_before + theta * c.u_after);
        }
        for k in &step.friction {
            entry.work_contact += k.work(theta);
        }
        entry.close(H, entry.energy());
        entry
    }
}

/// (1 − θ) a + θ b.
#[inline]
fn middle(a: &Vec3, b: &Vec3, theta: f64) -> Vec3 {
    std::array::from_fn(|k| (1.0 - theta) * a[k] + theta * b[k])
}

impl Stepper for BodiesMoreauJean {
    fn friction_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.contacts.friction_problem()
    }

    fn use_threads(&mut self, threads: usize) {
        self.contacts.use_threads(threads);
        self.detector.threads = threads;
    }

    fn start(&mut self, state: &State) -> Memory {
        let energy = self.scene.kinetic_energy(&state.v) + self.scene.potential_energy(&state.q);
        Memory::new(energy, 0, Vec::new())
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let scene = Arc::clone(&self.scene);
        let n = scene.len();
        step.h = h;
        step.info = Default::default();

        // where the bodies are, and how those that are told move
        self.start_frames.clear();
        self.start_frames.extend((0..n).map(|i| scene.frame(i, &state.q)));
        self.before.clear();
        self.before.extend((0..n).map(|i| scene.imposed(i, state.t).unwrap_or_else(|| scene.twist(i, &state.v))));
        self.after.clear();
        self.after.extend((0..n).map(|i| scene.imposed(i, state.t + h).unwrap_or(self.before[i])));

        // free motion
        self.loads(state, h);
        self.w_star.clear();
        for (i, body) in scene.bodies().iter().enumerate() {
            let moment = &self.wrenches[i].moment;
            self.w_star.push(spin(body, &self.before[i].w, moment, h, self.theta, self.gyroscopic));
        }

        // contacts within reach of the step
        let weight = h * h * norm(&scene.gravity());
        self.margins.clear();
        for (i, body) in scene.bodies().iter().enumerate() {
            let (b, a) = (&self.before[i], &self.after[i]);
            let (v, w) = (norm(&b.v).max(norm(&a.v)), norm(&b.w).max(norm(&a.w)));
            let turning = if w == 0.0 { 0.0 } else { w * body.reach.min(1e6) };
            self.margins.push(h * (v + turning) * (1.0 + 1e-9) + if body.is_free() { weight } else { 0.0 });
        }
        let found = self.detector.detect(&scene, &self.start_frames, &self.margins);
        let frames = std::mem::take(&mut self.start_frames);
        let seen_by = |twists: &[Twist], out: &mut Vec<Twist>| {
            out.clear();
            out.extend(twists.iter().enumerate().map(|(i, t)| seen(&scene.bodies()[i], &frames[i], t)));
        };
        seen_by(&self.before, &mut self.seen_before);
        seen_by(&self.after, &mut self.seen_after);
        let (before, imposed) = (std::mem::take(&mut self.seen_before), std::mem::take(&mut self.seen_after));
        let from =
            BodiesStart { scene: &scene, frames: &frames, before: &before, imposed: &imposed, memory, t: state.t, h };
        self.contacts.select(&from, found, step, next);

        // impulses; with `newton` the gyroscopic term follows them
        for round in 0..ROUNDS {
            self.move_freely(h);
            if let Err(failure) = self.contacts.solve(&from, &self.free, step) {
                (self.start_frames, self.seen_before, self.seen_after) = (frames, before, imposed);
                return Err(failure);
            }
            let off = self.take_velocities();
            let settled =
                self.gyroscopic == Gyroscopic::N1p || off <= 1e-15 || (self.contacts.points.is_empty() && round > 0);
            if settled {
                break;
            }
        }

        // correct
        step.after.t = state.t + h;
        step.after.q.resize(state.q.len(), 0.0);
        step.after.v.resize(state.v.len(), 0.0);
        for i in 0..n {
            let (b, a) = (&self.before[i], &self.after[i]);
            let twist = Twist { v: middle(&b.v, &a.v, self.theta), w: middle(&b.w, &a.w, self.theta) };
            scene.advance(i, &state.q, h, &twist, &mut step.after.q);
            scene.write_twist(i, a, &mut step.after.v);
        }
        self.frames.clear();
        self.frames.extend((0..n).map(|i| scene.frame(i, &step.after.q)));
        self.seen_end.clear();
        self.seen_end.extend(self.after.iter().enumerate().map(|(i, t)| seen(&scene.bodies()[i], &frames[i], t)));
        let moved = self.contacts.conclude(&from, &self.frames, &self.seen_end, step, next);
        (self.start_frames, self.seen_before, self.seen_after) = (frames, before, imposed);

        // ledger
        step.ledger = self.ledger(state, h, memory.H, moved, step);
        next.H = step.ledger.energy();
        next.p.clear();
        next.p_t.clear();
        next.push.clear();
        next.fields.clear();
        Ok(())
    }

    fn warnings(&mut self, h: f64) -> Vec<Warning> {
        let growth = spring_growth(&self.scene, self.theta, h);
        if growth <= STABLE {
            return Vec::new();
        }
        // springs count with h², dampers with h
        let ratio = STABLE / growth;
        let damped = self.scene.springs().iter().any(|spring| spring.damping > 0.0);
        let step = h * if damped { ratio } else { ratio.sqrt() };
        let message = format!(
            "springs act with their force at the predicted middle of a step, which is stable while θh²k/m + hc/m < {STABLE}: here it \
             is {growth:.1e} at h = {h:.1e} s, and the motion will grow without bound; use a step below {step:.1e} s, or energy-momentum, which has no \
             such bound"
        );
        vec![Warning { code: Code::UNSTABLE, message }]
    }
}
