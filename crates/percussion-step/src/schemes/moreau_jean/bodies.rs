//! Moreau–Jean θ-scheme for rigid bodies: one contact problem per step, the ledger exact.
//!
//!   m Δv = h F + H_vᵀp,    I Δw + h w_θ × (I w*) = h τ + H_wᵀp,    x⁺ = x + h v_θ,    R⁺ = R cay(h w_θ)
//!   ΔE = W_ext + W_damp + u_θ·p − (θ − ½)‖Δv‖²_M + (ΔV_s + h v_θ·F_s)
//!
//! The identity holds for any w*, any H and any contact law. Gravity's potential is linear in x, so its work is its
//! change; springs act with their force at the predicted middle of the step, and what that leaves is booked as numerical.

use crate::bodies::spin::{FreeMotion, Gyroscopic, free_motion, spin};
use crate::bodies::spring_bound::{STABLE, spring_growth};
use crate::bodies::theta_step::{ThetaStep, middle};
use crate::contact::bodies::{BodyContacts, ContactStart, Laws, SeenBodies, see};
use crate::contact::phase::work;
use crate::{LedgerEntry, Memory, Scheme, State, Step, StepFailure, StepStart, Stepper, Warning};
use percussion_matrix::parts::{in_parts_of_two, made_by};
use percussion_model::Code;
use percussion_model::bodies::math::{Vec3, add, dot, norm, sub};
use percussion_model::bodies::{Bodies, Detector, Frame, Pull, Twist};
use percussion_solve::friction::{Device, FrictionProblem};
use percussion_solve::{SolverOptions, Stop};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The scheme with its work memory.
#[derive(Debug)]
pub struct BodiesMoreauJean {
    scene: Arc<Bodies>,
    detector: Detector,
    contacts: BodyContacts,
    motion: Motion,
    seen: SeenBodies,
    /// At the end of the step.
    frames: Vec<Frame>,
}

/// The motion of the bodies over a step, impulses apart.
#[derive(Debug)]
struct Motion {
    scene: Arc<Bodies>,
    gyroscopic: Gyroscopic,
    step: ThetaStep,
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
        let motion = Motion {
            scene: Arc::clone(&scene),
            gyroscopic: scheme.gyroscopic,
            step: ThetaStep::new(theta),
            pulls: Vec::new(),
            w_star: Vec::new(),
            free: Vec::new(),
        };
        Self {
            detector: Detector::default(),
            contacts: BodyContacts::new(&scene, laws, options),
            motion,
            seen: SeenBodies::default(),
            frames: Vec::new(),
            scene,
        }
    }

    fn ledger(&self, from: &StepStart, moved: f64, step: &Step) -> LedgerEntry {
        let (scene, motion) = (&self.scene, &self.motion.step);
        let StepStart { state, memory, h } = *from;
        let [kinetic, potential] = scene.energies_by(&step.after.q, &step.after.v, motion.threads);
        let mut entry = LedgerEntry { kinetic, potential, work_external: -moved, ..Default::default() };
        motion.book(scene, h, &mut entry);

        // springs are a potential: their work moves there, dampers to theirs
        if !scene.springs().is_empty() {
            let mut spring_work = 0.0;
            for (spring, pulls) in scene.springs().iter().zip(&self.motion.pulls) {
                let [elastic, viscous] = pulls.map(|pull| {
                    let mut of = [0.0; 2];
                    for (side, sign) in [(0, 1.0), (1, -1.0)] {
                        let Twist { v, w } = motion.mean(spring.bodies[side]);
                        of[side] = h * (sign * dot(&v, &pull.force) + dot(&w, &pull.moments[side]));
                    }
                    of
                });
                for side in 0..2 {
                    // booked above for free bodies; what moves the others does the opposite work
                    entry.work_external -= elastic[side] + viscous[side];
                }
                spring_work += elastic[0] + elastic[1];
                entry.work_damping += viscous[0] + viscous[1];
            }
            let change = scene.spring_energy(&step.after.q) - scene.spring_energy(&state.q);
            entry.dissipation_numerical -= spring_work + change;
        }
        entry.work_contact = work(step, motion.theta);
        entry.close(memory.H, entry.energy());
        entry
    }
}

impl Motion {
    /// Where the bodies are, the loads over the step with springs at its predicted middle, and w*.
    fn begin(&mut self, from: &StepStart) {
        let (scene, StepStart { state, h, .. }) = (&*self.scene, *from);
        self.step.begin(scene, from);
        let (before, wrenches) = (&self.step.start.before, &mut self.step.start.wrenches);
        self.pulls.clear();
        for spring in scene.springs() {
            let [a, b] = spring.bodies;
            let mut half = state.q.clone();
            for i in [a, b] {
                scene.advance(i, &state.q, 0.5 * h, &before[i], &mut half);
            }
            let (fa, fb) = (scene.frame(a, &half), scene.frame(b, &half));
            let pulls = spring.pulls((&fa, &before[a]), (&fb, &before[b]));
            for pull in &pulls {
                wrenches[a].force = add(&wrenches[a].force, &pull.force);
                wrenches[b].force = sub(&wrenches[b].force, &pull.force);
                wrenches[a].moment = add(&wrenches[a].moment, &pull.moments[0]);
                wrenches[b].moment = add(&wrenches[b].moment, &pull.moments[1]);
            }
            self.pulls.push(pulls);
        }
        let (theta, gyroscopic) = (self.step.theta, self.gyroscopic);
        made_by(&mut self.w_star, scene.len(), self.step.threads, |i| {
            spin(&scene.bodies()[i], &before[i].w, &wrenches[i].moment, h, theta, gyroscopic)
        });
    }

    /// Motion without impulses of every body, for the present w*.
    fn move_freely(&mut self, h: f64) {
        let ThetaStep { theta, start, after, threads, .. } = &self.step;
        let (scene, w_star) = (&self.scene, &self.w_star);
        made_by(&mut self.free, scene.len(), *threads, |i| match &scene.bodies()[i] {
            body if body.is_free() => free_motion(body, &start.before[i], &start.wrenches[i], &w_star[i], h, *theta),
            _ => FreeMotion { twist: after[i], ..Default::default() },
        });
    }

    /// Takes over velocities after the step; how far w_θ is from w*.
    fn take_velocities(&mut self, velocities: &[[f64; 6]]) -> f64 {
        let ThetaStep { theta, start, after, threads, .. } = &mut self.step;
        let (scene, gyroscopic) = (&self.scene, self.gyroscopic);
        // the bits of numbers that are not negative rise with them
        let off = AtomicU64::new(0);
        in_parts_of_two(after, 1, &mut self.w_star, 1, *threads, |first, after, w_star| {
            let mut here = 0.0_f64;
            for (i, (after, w_star)) in (first..).zip(after.iter_mut().zip(w_star)) {
                let body = &scene.bodies()[i];
                if !body.is_free() {
                    continue;
                }
                let v = &velocities[i];
                *after = Twist { v: [v[0], v[1], v[2]], w: [v[3], v[4], v[5]] };
                if !body.isotropic {
                    let w = middle(&start.before[i].w, &after.w, *theta);
                    here = here.max(norm(&sub(&w, w_star)) / norm(&w).max(f64::MIN_POSITIVE));
                    if gyroscopic == Gyroscopic::Newton {
                        *w_star = w;
                    }
                }
            }
            off.fetch_max(here.to_bits(), Ordering::Relaxed);
        });
        f64::from_bits(off.into_inner())
    }
}

impl Stepper for BodiesMoreauJean {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.contacts.contact_problem()
    }

    fn use_threads(&mut self, threads: usize) {
        self.contacts.use_threads(threads);
        self.detector.threads = threads;
        self.motion.step.threads = threads;
    }

    fn use_device(&mut self, device: &Device) {
        self.contacts.use_device(device);
    }

    fn stop_when(&mut self, stop: &Stop) {
        self.contacts.stop_when(stop);
    }

    fn start(&mut self, state: &State) -> Memory {
        let energy = self.scene.kinetic_energy(&state.v) + self.scene.potential_energy(&state.q);
        Memory::new(energy, 0)
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let Self { scene, detector, contacts, motion, seen, frames } = self;
        let h = from.h;
        step.h = h;
        step.info = Default::default();

        // contacts within reach of the step
        motion.begin(from);
        motion.step.reach(scene, h);
        let ThetaStep { start, after, margins, .. } = &motion.step;
        let found = detector.detect(scene, &start.frames, margins);
        let threads = motion.step.threads;
        see(scene, &start.frames, &start.before, threads, &mut seen.before);
        see(scene, &start.frames, after, threads, &mut seen.imposed);
        contacts.select(&ContactStart { step: *from, frames: &start.frames, seen }, found, step, next);

        // impulses; with `newton` the gyroscopic term follows them
        for round in 0..ROUNDS {
            motion.move_freely(h);
            let at = ContactStart { step: *from, frames: &motion.step.start.frames, seen };
            contacts.solve(&at, &motion.free, step)?;
            let off = motion.take_velocities(&contacts.v);
            let settled =
                motion.gyroscopic == Gyroscopic::N1p || off <= 1e-15 || (contacts.points.is_empty() && round > 0);
            if settled {
                break;
            }
        }

        // correct
        let ThetaStep { start, after, .. } = &motion.step;
        motion.step.finish(scene, from, &mut step.after);
        made_by(frames, scene.len(), threads, |i| scene.frame(i, &step.after.q));
        see(scene, &start.frames, after, threads, &mut seen.after);
        let at = ContactStart { step: *from, frames: &start.frames, seen };
        let moved = contacts.conclude(&at, frames, step, next);

        // ledger
        step.ledger = self.ledger(from, moved, step);
        next.H = step.ledger.energy();
        next.clear_impulses(0);
        next.p_t.clear();
        Ok(())
    }

    fn warnings(&mut self, h: f64) -> Vec<Warning> {
        let growth = spring_growth(&self.scene, self.motion.step.theta, h);
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
