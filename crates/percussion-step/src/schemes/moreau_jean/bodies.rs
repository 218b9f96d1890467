//! Moreau–Jean θ-scheme for rigid bodies: one contact problem per step, the ledger exact.
//!
//!   m Δv = h F + H_vᵀp,    I Δw + h w_θ × (I w*) = h τ + H_wᵀp,    x⁺ = x + h v_θ,    R⁺ = R cay(h w_θ)
//!   ΔE = W_ext + W_damp + u_θ·p − (θ − ½)‖Δv‖²_M + (ΔV_s + h v_θ·F_s)
//!
//! The identity holds for any w*, any H and any contact law. Gravity's potential is linear in x, so its work is its
//! change; springs act with their force at the predicted middle of the step, and what that leaves is booked as numerical.
//!
//! With θ = ½ contacts have their rows in the middle of the step (`rows`), where impulses exchange angular momentum exactly. The middle
//! depends on the impulses: the contact problem is solved, rows follow the answer, until they stop; then every body is closed
//! (`closing`) under the impulses found, so that momentum is exact whatever the last pass left.

use crate::bodies::closing::{Moments, close};
use crate::bodies::mean_frames::MeanFrames;
use crate::bodies::momentum::{MomentumBook, Source};
use crate::bodies::spin::{FreeMotion, Gyroscopic, Wrench, free_motion, spin};
use crate::bodies::spring_bound::{STABLE, spring_growth};
use crate::bodies::theta_step::{StartBuffers, ThetaStep, middle};
use crate::contact::bodies::{BodyContacts, ContactStart, Laws, SeenBodies, see};
use crate::contact::phase::work_by;
use crate::{LedgerEntry, Memory, MomentumEntry, Scheme, State, Step, StepFailure, StepStart, Stepper, Warning};
use percussion_matrix::parts::{in_parts, largest_by, made_by};
use percussion_matrix::phase;
use percussion_model::Code;
use percussion_model::bodies::math::{Vec3, add, axpy, cross, dot, mul_t, norm, scale, sub};
use percussion_model::bodies::{Bodies, Detector, Frame, Pull, Twist};
use percussion_solve::SolverOptions;
use percussion_solve::friction::{Device, FrictionProblem};
use std::sync::Arc;

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
    mean: MeanFrames,
    /// Moments of impulses about the middles of the bodies' ways.
    moments: Vec<Vec3>,
    /// By how much rows still moved in the last pass of a step in which they did not stop.
    left: f64,
}

/// The motion of the bodies over a step, impulses apart.
#[derive(Debug)]
struct Motion {
    scene: Arc<Bodies>,
    gyroscopic: Gyroscopic,
    step: ThetaStep,
    pulls: Vec<[Pull; 2]>,
    /// Where springs end, in the predicted middle of the step.
    ends: Vec<[Vec3; 2]>,
    w_star: Vec<Vec3>,
    /// What closing has added to the angular velocities without impulses.
    offsets: Vec<Vec3>,
    free: Vec<FreeMotion>,
}

/// Rounds in which w* follows the impulses, at most.
const ROUNDS: usize = 20;
/// Passes in which rows follow the impulses, at most: each gains a factor h|w|.
const PASSES: usize = 60;
/// Passes after which impulses are held more where rows only creep.
const CREEPING: usize = 4;
/// Rows have stopped when what they have moved by, in parts of a body's size or in radians, is small, …
const SMALL: f64 = 1e-11;
/// … and so is the work that contacts can do on it and on what velocities have moved by, in parts of the energy at stake or beside what is
/// left of the contact problem; …
const STOPPED: f64 = 1e-15;
const LIKE: f64 = 0.1;
/// … or when it is small and no longer shrinks.
const ROUND_OFF: f64 = 1e-12;
/// … or when it no longer shrinks and is as small as this, where the contact problem is solved no sharper.
const LOOSE: f64 = 1e-7;

impl BodiesMoreauJean {
    /// For a scene under a scheme's parameters.
    pub fn new(scene: Arc<Bodies>, theta: f64, scheme: &Scheme, options: SolverOptions) -> Self {
        let laws = Laws { theta, activation: scheme.activation, friction: scheme.friction_law };
        let motion = Motion {
            scene: Arc::clone(&scene),
            gyroscopic: scheme.gyroscopic,
            step: ThetaStep::new(theta),
            pulls: Vec::new(),
            ends: Vec::new(),
            w_star: Vec::new(),
            offsets: Vec::new(),
            free: Vec::new(),
        };
        Self {
            detector: Detector::default(),
            contacts: BodyContacts::new(&scene, laws, options),
            motion,
            seen: SeenBodies::default(),
            frames: Vec::new(),
            mean: MeanFrames::default(),
            moments: Vec::new(),
            left: 0.0,
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
                        let Twist { v, w } = motion.passing(scene, spring.bodies[side], h);
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
        entry.work_contact = work_by(step, motion.theta, motion.threads);
        entry.close(memory.H, entry.energy());
        entry
    }
}

impl BodiesMoreauJean {
    /// Impulses with rows at the start of the step; with `newton` the gyroscopic term follows them.
    fn rounds(&mut self, from: &StepStart, step: &mut Step) -> Result<(), StepFailure> {
        let Self { contacts, motion, seen, .. } = self;
        for round in 0..ROUNDS {
            StepFailure::unless_stopped(from.state.t, from.h)?;
            motion.move_freely(from.h);
            let at = ContactStart { step: *from, frames: &motion.step.start.frames, seen };
            contacts.solve(&at, &motion.free, step)?;
            let off = motion.take_velocities(&contacts.v);
            let settled =
                motion.gyroscopic == Gyroscopic::N1p || off <= 1e-15 || (contacts.points.is_empty() && round > 0);
            if settled {
                break;
            }
        }
        Ok(())
    }

    /// Impulses with rows in the middle of the step, and every body closed under them.
    fn pass(&mut self, from: &StepStart, step: &mut Step) -> Result<(), StepFailure> {
        let Self { scene, contacts, motion, seen, mean, moments, left: unfinished, .. } = self;
        let touching = !contacts.points.is_empty();
        motion.predict(contacts, from.h);
        let (mut last, mut off) = (f64::INFINITY, f64::INFINITY);
        for pass in 0..PASSES {
            StepFailure::unless_stopped(from.state.t, from.h)?;
            if touching {
                mean.take(scene, &motion.step, from, &contacts.bodies);
                let at = ContactStart { step: *from, frames: &motion.step.start.frames, seen };
                let rows = contacts.place(&at, mean);
                let moved = rows.max(off);
                if pass > 0 {
                    let (work, energy) = contacts.at_stake(&motion.step);
                    // no sharper than the problem was solved
                    let left = LIKE * step.info.residual;
                    let small = rows <= SMALL && (moved <= left || moved * work <= STOPPED.max(left) * energy);
                    // problems that are solved no sharper do not let rows stop any better
                    let stands = moved <= LOOSE && moved >= 0.5 * last;
                    let loose = pass > 1 && step.info.loose > 0 && (moved <= left || stands);
                    if small || loose || (moved <= ROUND_OFF && moved >= 0.5 * last) {
                        contacts.go_on(&at);
                        motion.take_velocities(&contacts.v);
                        *unfinished = 0.0;
                        break;
                    }
                    *unfinished = moved;
                    if pass > CREEPING && moved > 0.5 * last {
                        contacts.hold_more();
                    }
                    last = moved;
                }
                if pass == 1 {
                    contacts.decide_again();
                }
            }
            motion.move_freely(from.h);
            let at = ContactStart { step: *from, frames: &motion.step.start.frames, seen };
            contacts.solve(&at, &motion.free, step)?;
            motion.take_velocities(&contacts.v);

            off = motion.end(contacts, from.h, moments);
            if !touching {
                break;
            }
        }
        if touching {
            // at the places found last
            motion.end(contacts, from.h, moments);
            mean.take(scene, &motion.step, from, &contacts.bodies);
            contacts.turn(&ContactStart { step: *from, frames: &motion.step.start.frames, seen }, mean);
        }
        Ok(())
    }

    fn momentum(&self, from: &StepStart, step: &Step) -> MomentumEntry {
        let (scene, motion, h) = (&self.scene, &self.motion, from.h);
        let mut book = MomentumBook::open(scene, from.state, motion.step.threads);
        let mut own = vec![[[0.0; 3]; 2]; if scene.springs().is_empty() { 0 } else { scene.len() }];
        for ((spring, pulls), ends) in scene.springs().iter().zip(&motion.pulls).zip(&motion.ends) {
            let free = spring.bodies.map(|i| scene.bodies()[i].is_free());
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let i = spring.bodies[side];
                for pull in pulls {
                    own[i][0] = axpy(&own[i][0], sign, &pull.force);
                    own[i][1] = add(&own[i][1], &pull.moments[side]);
                    if free[side] && !free[1 - side] {
                        book.impulse(Source::Joint, &ends[side], &scale(sign * h, &pull.force), &[0.0; 3]);
                    }
                }
            }
        }
        book.loads(scene, &motion.step, from, |i| own.get(i).copied().unwrap_or_default());
        self.contacts.book(&motion.step, h, &mut book);
        book.close(scene, &step.after)
    }
}

/// Adds the pulls of springs at the predicted middle of a step to the loads; they, and where they act, for whoever needs them.
pub fn load_springs(
    scene: &Bodies,
    from: &StepStart,
    before: &[Twist],
    wrenches: &mut [Wrench],
    (all, places): (&mut Vec<[Pull; 2]>, &mut Vec<[Vec3; 2]>),
) {
    all.clear();
    places.clear();
    for spring in scene.springs() {
        let [a, b] = spring.bodies;
        let mut half = from.state.q.clone();
        for i in [a, b] {
            scene.advance(i, &from.state.q, 0.5 * from.h, &before[i], &mut half);
        }
        let (fa, fb) = (scene.frame(a, &half), scene.frame(b, &half));
        let pulls = spring.pulls((&fa, &before[a]), (&fb, &before[b]));
        for pull in &pulls {
            wrenches[a].force = add(&wrenches[a].force, &pull.force);
            wrenches[b].force = sub(&wrenches[b].force, &pull.force);
            wrenches[a].moment = add(&wrenches[a].moment, &pull.moments[0]);
            wrenches[b].moment = add(&wrenches[b].moment, &pull.moments[1]);
        }
        all.push(pulls);
        places.push([fa.point(&spring.points[0]), fb.point(&spring.points[1])]);
    }
}

impl Motion {
    /// Where the bodies are, the loads over the step with springs at its predicted middle, and w*.
    fn begin(&mut self, from: &StepStart) {
        let (scene, StepStart { h, .. }) = (&*self.scene, *from);
        self.step.begin(scene, from);
        let StartBuffers { before, wrenches, .. } = &mut self.step.start;
        load_springs(scene, from, before, wrenches, (&mut self.pulls, &mut self.ends));
        self.offsets.clear();
        self.offsets.resize(scene.len(), [0.0; 3]);
        let (theta, gyroscopic, bodies) = (self.step.theta, self.gyroscopic, scene.bodies());
        made_by(&mut self.w_star, bodies.len(), self.step.threads, |i| {
            spin(&bodies[i], &before[i].w, &wrenches[i].moment, h, theta, gyroscopic)
        });
    }

    /// The velocities at the end that the first rows are made for: loads and the impulses of the last step, spin as w* has it.
    fn predict(&mut self, contacts: &BodyContacts, h: f64) {
        let ThetaStep { start, after, .. } = &mut self.step;
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            after[i].v = axpy(&start.before[i].v, h * body.inverse_mass, &start.wrenches[i].force);
            if !body.isotropic {
                after[i].w = axpy(&scale(2.0, &self.w_star[i]), -1.0, &start.before[i].w);
            }
        }
        contacts.add_guess(&start.frames, after);
    }

    /// The moments of springs about the middles of the bodies' ways become impulses, which are booked as moments of the same work.
    fn take_springs(&mut self, h: f64, moments: &mut [Vec3]) {
        for ((spring, pulls), ends) in self.scene.springs().iter().zip(&mut self.pulls).zip(&self.ends) {
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let i = spring.bodies[side];
                let frame = &self.step.start.frames[i];
                let x = axpy(&frame.x, 0.5 * h, &self.step.passing(&self.scene, i, h).v);
                for pull in pulls.iter_mut() {
                    let moment = cross(&sub(&ends[side], &x), &scale(sign, &pull.force));
                    let own = &mut self.step.start.wrenches[i].moment;
                    *own = sub(own, &pull.moments[side]);
                    pull.moments[side] = mul_t(&frame.R, &moment);
                    moments[i] = axpy(&moments[i], h, &moment);
                }
            }
        }
    }

    /// Places of contacts and impulses stay; bodies are where these lead.
    fn end(&mut self, contacts: &BodyContacts, h: f64, moments: &mut Vec<Vec3>) -> f64 {
        moments.clear();
        moments.resize(self.scene.len(), [0.0; 3]);
        contacts.moments(&self.step, h, moments);
        self.take_springs(h, moments);
        self.close(h, moments)
    }

    /// Every body at the end of the step under the moments of all impulses. How far this is from what the contact problem knew, in parts of
    /// the fastest velocity; the next pass starts with the difference.
    fn close(&mut self, h: f64, moments: &[Vec3]) -> f64 {
        let planar = self.scene.is_planar();
        let (mut off, mut fastest) = (0.0_f64, f64::MIN_POSITIVE);
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let ThetaStep { start, after, .. } = &mut self.step;
            let (own, before) = (start.wrenches[i].moment, &start.before[i].w);
            let still = moments[i] == [0.0; 3] && own == [0.0; 3] && body.drag[1] == 0.0;
            if body.isotropic && still {
                after[i].w = *before;
                continue;
            }
            let spatial = mul_t(&start.frames[i].R, &moments[i]);
            let closed = close(body, planar, before, &after[i].w, &Moments { spatial, own }, h);
            let difference = sub(&closed, &after[i].w);
            let size = if body.reach > 0.0 && body.reach.is_finite() { body.reach } else { 1.0 };
            let speed = size * (norm(before) + norm(&closed)) + norm(&start.before[i].v) + norm(&after[i].v);
            off = off.max(size * norm(&difference));
            fastest = fastest.max(speed);
            self.offsets[i] = add(&self.offsets[i], &difference);
            after[i].w = closed;
        }
        // springs are loads again
        for (spring, pulls) in self.scene.springs().iter().zip(&self.pulls) {
            for (side, &i) in spring.bodies.iter().enumerate() {
                for pull in pulls {
                    let own = &mut self.step.start.wrenches[i].moment;
                    *own = add(own, &pull.moments[side]);
                }
            }
        }
        off / fastest
    }

    /// Motion without impulses of every body, for the present w*.
    fn move_freely(&mut self, h: f64) {
        phase::enter("free motion");
        let ThetaStep { theta, start, after, threads, .. } = &self.step;
        let (bodies, w_star, offsets) = (self.scene.bodies(), &self.w_star, &self.offsets);
        made_by(&mut self.free, bodies.len(), *threads, |i| {
            if !bodies[i].is_free() {
                return FreeMotion { twist: after[i], ..Default::default() };
            }
            let mut free = free_motion(&bodies[i], &start.before[i], &start.wrenches[i], &w_star[i], h, *theta);
            free.twist.w = add(&free.twist.w, &offsets[i]);
            free
        });
    }

    /// Takes over velocities after the step; how far w_θ is from w*.
    fn take_velocities(&mut self, velocities: &[[f64; 6]]) -> f64 {
        let ThetaStep { theta, start, after, threads, .. } = &mut self.step;
        let (theta, bodies, w_star) = (*theta, self.scene.bodies(), &mut self.w_star);
        in_parts(after, 1, *threads, |first, after| {
            for (i, after) in (first..).zip(after).filter(|(i, _)| bodies[*i].is_free()) {
                let v = &velocities[i];
                *after = Twist { v: [v[0], v[1], v[2]], w: [v[3], v[4], v[5]] };
            }
        });
        let spins = |i: usize| bodies[i].is_free() && !bodies[i].isotropic;
        let mean = |i: usize| middle(&start.before[i].w, &after[i].w, theta);
        let off = largest_by(bodies.len(), *threads, |i| {
            let w = if spins(i) { mean(i) } else { return 0.0 };
            norm(&sub(&w, &w_star[i])) / norm(&w).max(f64::MIN_POSITIVE)
        });
        if self.gyroscopic == Gyroscopic::Newton || theta == 0.5 {
            in_parts(w_star, 1, *threads, |first, w_star| {
                (first..).zip(w_star).filter(|(i, _)| spins(*i)).for_each(|(i, w_star)| *w_star = mean(i));
            });
        }
        off
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

    fn part_of(&mut self, whole: Option<f64>) {
        self.contacts.whole = whole;
    }

    fn left_over(&self) -> f64 {
        self.left
    }

    fn start(&mut self, state: &State) -> Memory {
        let energy = self.scene.kinetic_energy(&state.v) + self.scene.potential_energy(&state.q);
        Memory::new(energy, 0)
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let Self { scene, detector, contacts, motion, seen, .. } = self;
        let h = from.h;
        step.h = h;
        step.info = Default::default();

        // contacts within reach of the step
        phase::enter("free motion");
        motion.begin(from);
        motion.step.reach(scene, h);
        let ThetaStep { start, after, margins, .. } = &motion.step;
        phase::enter("contacts found");
        let found = detector.detect(scene, &start.frames, margins);
        let threads = motion.step.threads;
        phase::enter("contacts chosen");
        see(scene, &start.frames, &start.before, threads, &mut seen.before);
        see(scene, &start.frames, after, threads, &mut seen.imposed);
        contacts.select(&ContactStart { step: *from, frames: &start.frames, seen }, found, step, next);

        // impulses
        phase::enter("free motion");
        self.left = 0.0;
        if contacts.in_the_mean_frame() {
            self.pass(from, step)?;
        } else {
            self.rounds(from, step)?;
        }

        // correct
        phase::enter("end of the step");
        let Self { scene, contacts, motion, seen, frames, .. } = self;
        let ThetaStep { start, after, .. } = &motion.step;
        motion.step.finish(scene, from, &mut step.after);
        made_by(frames, scene.len(), threads, |i| scene.frame(i, &step.after.q));
        see(scene, &start.frames, after, threads, &mut seen.after);
        let at = ContactStart { step: *from, frames: &start.frames, seen };
        let moved = contacts.conclude(&at, frames, step, next);

        // ledger
        phase::enter("ledger");
        step.ledger = self.ledger(from, moved, step);
        phase::enter("momentum");
        step.momentum = self.momentum(from, step);
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
