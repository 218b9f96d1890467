//! Jointed bodies in time: `energy-momentum`, and `moreau-jean` where a scene has joints.
//!
//!   x₁ = x₀ + h v_θ,  R₁ = R₀ cay(h w_θ),  c(q₁) = c₀   with reactions Dᵀλ that do no work over the step, for any θ
//!   ΔE = W_ext + W_damp + W_joints + u_θ·p − (θ − ½)‖Δv‖²_M      (of contacts that give way the tangents alone)
//!
//! Newton's method with one factorisation per step, taken at the state that the last two steps promise; contacts are solved
//! inside every iteration. Where that does not arrive — rows that depend on each other far from flat, change points — all derivatives
//! and equations of any rank do (`full_newton`). `energy-momentum` is θ = ½.

use crate::bodies::drives::blocked;
use crate::bodies::joint_system::{JointSystem, Push};
use crate::bodies::momentum::MomentumBook;
use crate::bodies::spin::Wrench;
use crate::bodies::theta_step::{BodiesStart, StartBuffers, ThetaStep};
use crate::bodies::turns::Turns;
use crate::contact::jointed::JointedContacts;
use crate::contact::phase::work;
use crate::{JointReaction, LedgerEntry, Memory, Scheme, State, Step, StepFailure, StepStart, Stepper, Warning};
use percussion_model::Code;
use percussion_model::bodies::math::{dot, mul, sub};
use percussion_model::bodies::measure::BodyRow;
use percussion_model::bodies::{BeyondReduction, Bodies, Body, Frame, RowLaw, Twist};
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// Newton has arrived when its last change is below this part of the motion, in the norm of kinetic energy.
const ARRIVED: f64 = 1e-11;
/// With elements between bodies: what is left after an iteration, told by how much smaller it was than the one before.
const LEFT: f64 = 2e-14;
/// With contacts, below this.
const TOUCHING: f64 = 1e-13;
/// It is accepted below this where round-off lets it go no further.
const STALLED: f64 = 1e-7;
/// Part of the energy that may stay open for what velocities have not yet arrived at.
const OPEN: f64 = 1e-11;
/// Iterations whose contacts are not yet where they will be: their choice of law is not kept.
const PREDICTED: usize = 3;
/// Those of flexible bodies in contact that still get nearer: a capsule that turns with its node moves its contacts, which no derivative
/// here knows of, and light nodes that meet each other then arrive by a quarter an iteration.
const PATIENCE: usize = 200;
/// Square of how much second differences of changes may be of first ones where they count as smooth.
const SMOOTH: f64 = 0.05;
/// Iterations at most, on each rung.
const ITERATIONS: usize = 60;

/// The scheme with its work memory.
#[derive(Debug)]
pub struct JointedBodies {
    scene: Arc<Bodies>,
    motion: ThetaStep,
    newton: Newton,
    /// Whether the values of rows are needed at the end of a step.
    measured: bool,
    turns: Turns,
    redundant: Vec<usize>,
    end_frames: Vec<Frame>,
    /// How far off contacts may be that take part [m].
    within: f64,
}

/// Newton's method for reactions and impulses of a step.
#[derive(Debug)]
struct Newton {
    scene: Arc<Bodies>,
    system: JointSystem,
    contacts: JointedContacts,
    push: Push,
    dv: Vec<BodyRow>,
    lambda: Vec<f64>,
    dl: Vec<f64>,
    iterations: u64,
    factorisations: u64,
    /// Steps that needed all derivatives.
    full_steps: u64,
    /// Kinetic energy of every body at the start of the step, and h²f²/m.
    started: Vec<[f64; 2]>,
    /// Whether any row asks for a speed.
    drives: bool,
    /// What the joints did as drives jumped at the start of this step; empty where they fit.
    jumped: Vec<JointReaction>,
    /// Whether a step that does not arrive is made again with all derivatives.
    ladder: bool,
    /// The last change of a step that went no further, a part of the motion; zero where it is round-off.
    left: f64,
}

/// What the scheme carries from step to step; `earlier` is the step before the last, `earliest` the one before that.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointedMemory {
    /// Reactions and changes of velocity without the part of contacts.
    lambda: Vec<f64>,
    lambda_earlier: Vec<f64>,
    change: Vec<f64>,
    change_earlier: Vec<f64>,
    change_earliest: Vec<f64>,
    /// Values of rows.
    values: Vec<f64>,
    /// Whole turns of the joints.
    pub turns: Vec<f64>,
    /// The largest energy of motion and springs so far, and of what loads and motors make of rest in a step [J].
    most: f64,
}

crate::carried! {
    JointedMemory {
        lambda, lambda_earlier, change, change_earlier, change_earliest, values, turns, most
    }
}

impl JointedMemory {
    /// What the last steps promise for the next: 2a − b, or 3a − 3b + c for velocities where changes have changed smoothly, in the norm of
    /// kinetic energy.
    fn promise(&self, scene: &Bodies, after: &mut [Twist], lambda: &mut [f64], moves: impl Fn(usize) -> bool) {
        let twist = |change: &[f64], i: usize| {
            let c = &change[6 * i..6 * i + 6];
            Twist { v: [c[0], c[1], c[2]], w: [c[3], c[4], c[5]] }
        };
        let (a, b, c) = (&self.change, &self.change_earlier, &self.change_earliest);
        let (mut first, mut second) = (0.0, 0.0);
        for (i, body) in scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let (a, b, c) = (twist(a, i), twist(b, i), twist(c, i));
            let last = Twist { v: sub(&a.v, &b.v), w: sub(&a.w, &b.w) };
            let before = Twist { v: sub(&b.v, &c.v), w: sub(&b.w, &c.w) };
            first += body.kinetic_energy(&last);
            second += body.kinetic_energy(&Twist { v: sub(&last.v, &before.v), w: sub(&last.w, &before.w) });
        }
        let bend = if second <= SMOOTH * first { 1.0 } else { 0.0 };
        let next = |a: f64, b: f64, c: f64| 2.0 * a - b + bend * ((a - b) - (b - c));
        for (i, after) in after.iter_mut().enumerate().filter(|(i, _)| moves(*i)) {
            for k in 0..3 {
                let (v, w) = (6 * i + k, 6 * i + 3 + k);
                after.v[k] += next(a[v], b[v], c[v]);
                after.w[k] += next(a[w], b[w], c[w]);
            }
        }
        // shares of redundant reactions are not decided by the motion: a bolder guess would let them grow from step to step
        for (l, (last, earlier)) in lambda.iter_mut().zip(self.lambda.iter().zip(&self.lambda_earlier)) {
            *l = 2.0 * last - earlier;
        }
    }
}

impl JointedBodies {
    /// For a scene under a scheme's parameters.
    pub fn new(scene: Arc<Bodies>, theta: f64, scheme: &Scheme, options: SolverOptions) -> Self {
        let n = scene.len();
        let system = JointSystem::new(Arc::clone(&scene), theta);
        let (m, drives) = (system.len(), system.has_drives());
        let plain = |j: &percussion_model::bodies::Joint| {
            j.rows.iter().all(|r| matches!(r.law, RowLaw::Rigid { .. }) && r.terms.len() == 1)
        };
        let measured = !scene.springs().is_empty() || scene.has_elements() || !scene.joints().iter().all(plain);
        let newton = Newton {
            scene: Arc::clone(&scene),
            system,
            contacts: JointedContacts::new(&scene, theta, scheme.activation, scheme.friction_law, options),
            push: Push::none(n),
            dv: vec![[0.0; 6]; n],
            lambda: vec![0.0; m],
            dl: vec![0.0; m],
            iterations: 0,
            factorisations: 0,
            full_steps: 0,
            started: Vec::new(),
            drives,
            jumped: Vec::new(),
            ladder: true,
            left: 0.0,
        };
        Self {
            motion: ThetaStep::new(theta),
            newton,
            measured,
            turns: Turns::new(&scene),
            redundant: Vec::new(),
            end_frames: Vec::new(),
            within: f64::INFINITY,
            scene,
        }
    }

    /// The same for whoever looks for rest and tries a shorter step where this one does not arrive: without the rungs after elimination, with
    /// the contacts that bodies reach within so many metres.
    pub fn seeking_rest(mut self, within: f64) -> Self {
        self.newton.ladder = false;
        self.within = within;
        self
    }

    fn ledger(
        &self,
        from: &StepStart,
        at: &BodiesStart,
        (moved, jump): (f64, f64),
        (step, next): (&Step, &Memory),
    ) -> Result<LedgerEntry, StepFailure> {
        let (scene, motion) = (&self.scene, &self.motion);
        let works = self.newton.system.works(at, &motion.after, &self.newton.lambda);
        let most = next.carried.of::<JointedMemory>().most;
        let jammed = !self.newton.contacts.is_empty();
        let locked = self.newton.system.locked(at, &motion.after, (&works, &self.newton.lambda), (jammed, most));
        if let Some(message) = locked {
            return Err(StepFailure::newton(from.state, from.h, message));
        }
        let mut entry = LedgerEntry {
            kinetic: scene.kinetic_energy_at(&step.after.q, &step.after.v),
            potential: scene.potential_energy_turned(&step.after.q, &next.carried.of::<JointedMemory>().turns),
            work_external: works.external + jump - moved,
            work_damping: works.damping,
            work_joints: works.joints,
            work_motors: Some(works.motors + jump),
            dissipation_numerical: works.numerical,
            ..Default::default()
        };
        motion.book(scene, from.h, &mut entry);
        let coupled = self.newton.system.coupling_change(at, &motion.after);
        entry.dissipation_numerical += (motion.theta - 0.5) * (self.newton.system.bending_change() - coupled);
        entry.work_contact = work(step, motion.theta);
        if scene.has_compliance() {
            // normals that give way: a potential, which the gaps as the step saw them follow, and dampers
            let [given, stored] = self.newton.contacts.given_way(&motion.after, from.h);
            let change = scene.contact_energy(&step.after.q) - scene.contact_energy(&from.state.q);
            entry.work_contact -= given;
            entry.work_damping += given + stored;
            entry.dissipation_numerical -= change - stored;
        }
        entry.close(from.memory.H, entry.energy());
        Ok(entry)
    }
}

impl JointedBodies {
    /// Reactions and changes of velocity without the part of contacts, and the values of rows.
    fn remember(&mut self, memory: &Memory, next: &mut Memory) {
        let (ThetaStep { start, after, .. }, newton) = (&self.motion, &mut self.newton);
        newton.contacts.share(&mut newton.dv, &mut newton.dl);
        let last = memory.carried.of::<JointedMemory>();
        let carried = next.carried.renew::<JointedMemory>();
        carried.change_earliest.clone_from(&last.change_earlier);
        carried.lambda_earlier.clone_from(&last.lambda);
        carried.change_earlier.clone_from(&last.change);
        carried.lambda.clear();
        carried.lambda.extend(newton.lambda.iter().zip(&newton.dl).map(|(l, d)| l - d));
        carried.change.clear();
        for ((a, b), d) in after.iter().zip(&start.before).zip(&newton.dv) {
            carried.change.extend((0..3).map(|k| a.v[k] - b.v[k] - d[k]));
            carried.change.extend((0..3).map(|k| a.w[k] - b.w[k] - d[3 + k]));
        }
        // the first step has no step before it to continue
        if last.change.iter().all(|&x| x == 0.0) {
            for earlier in [&mut carried.change_earlier, &mut carried.change_earliest] {
                earlier.clone_from(&carried.change);
            }
            carried.lambda_earlier.clone_from(&carried.lambda);
        }
        carried.values.clone_from(if self.measured { &newton.system.c_end } else { &newton.system.c_start });
    }
}

impl Newton {
    /// The velocities at the end of the step, with their reactions and impulses, from a guess: by elimination with one factorisation
    /// as long as that goes, then with all derivatives.
    fn iterate(&mut self, from: &BodiesStart, after: &mut [Twist], step: &mut Step) -> Result<(), StepFailure> {
        self.left = 0.0;
        let started = |(i, body): (usize, &Body)| {
            let force = &from.wrenches[i].force;
            [body.kinetic_energy(&from.before[i]), from.h * from.h * body.inverse_mass * dot(force, force)]
        };
        self.started.clear();
        self.started.extend(self.scene.bodies().iter().enumerate().map(started));
        let failure = match self.quickly(from, after, step) {
            Ok(()) => return Ok(()),
            Err(failure) => failure,
        };
        if !self.ladder || !self.system.fits_full_newton() {
            return Err(failure);
        }
        // from the velocities before, without reactions
        for (i, _) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            after[i] = from.before[i];
        }
        self.lambda.fill(0.0);
        self.contacts.restart();
        self.full_steps += 1;
        self.fully(from, after, step)
    }

    /// Velocities before the step as drives ask for them; the work of the motors.
    fn jump(&mut self, from: &StepStart, motion: &mut ThetaStep, book: &mut MomentumBook) -> f64 {
        let StartBuffers { frames, before, .. } = &mut motion.start;
        let Some(lambda) = self.system.jump(from.state.t, &from.state.q, frames, before) else { return 0.0 };
        self.system.book_jump(&lambda, book);
        self.system.reactions(&lambda, &mut self.jumped);
        let mut work = -self.scene.kinetic_energy(&from.state.v);
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            motion.after[i] = before[i];
            work += body.kinetic_energy(&before[i]);
        }
        work += self.scene.rotor_energy(|i| before[i]);
        work
    }

    /// Newton's method with S of one factorisation, taken again where it is slow.
    fn quickly(&mut self, from: &BodiesStart, after: &mut [Twist], step: &mut Step) -> Result<(), StepFailure> {
        let h = from.h;
        let (mut last, mut factor) = (f64::INFINITY, true);
        let most = if self.scene.has_elements() { PATIENCE } else { ITERATIONS };
        // whether cables go slack and taut in this step: every iteration then wants its own matrix
        let mut flapping = false;
        for iteration in 1..=most {
            self.pass(from, after);
            self.system.evaluate(from, after, &self.lambda, &self.push, factor);
            if !factor {
                flapping = self.contacts.is_empty() && self.system.elements_are_bent();
                if flapping || self.system.is_bent() {
                    factor = true;
                    self.system.evaluate(from, after, &self.lambda, &self.push, true);
                }
            }
            // of the iterate before, where this one may be the last
            let mut open = f64::INFINITY;
            if iteration > 3 && last <= 2.0 * STALLED.max(self.noise(from, after)) {
                self.system.rates(from, after);
                open = self.system.left_open(from, after, &self.lambda);
            }
            if factor {
                if !self.system.factor(from, after) {
                    return Err(StepFailure::singular(from.t, h, None));
                }
                if !self.contacts.is_empty() {
                    let sizes = (self.scene.len(), self.system.len());
                    let system = &mut self.system;
                    self.contacts.prepare(sizes, |bodies, rows, V, L| system.answer(bodies, rows, V, L));
                }
                self.factorisations += 1;
            }
            self.system.direction(&mut self.dv, &mut self.dl);
            if iteration <= PREDICTED {
                self.contacts.decide_again();
            }
            self.impulses(from, after, step)?;
            self.go(1.0, after);
            let size = self.relative_size(after);
            self.iterations += 1;
            let shrunk = if last.is_finite() { (size / last).min(1.0) } else { 1.0 };
            let elastic = self.contacts.is_empty() && self.scene.has_elements();
            let near = size <= ARRIVED && size <= self.arrived(from, after);
            // answers of earlier rows to impulses that have moved
            let stale = !factor && !self.contacts.is_empty() && !self.contacts.stood();
            let done =
                if elastic { size * shrunk <= LEFT || flapping && self.is_round_off(from) } else { !stale && near };
            if done {
                return Ok(());
            }
            if !size.is_finite() {
                break;
            }
            let slow = size > 0.1 * last;
            let shrinking = if self.contacts.is_empty() { 0.5 } else { 0.9 };
            // impulses that are not unique jump where W is that of earlier rows
            let sharp = factor || self.contacts.is_empty();
            let ended = size > shrinking * last && iteration > 3 && sharp;
            let stalled = if ended { STALLED.max(self.noise(from, after)) } else { 0.0 };
            // contacts between rigid bodies may jump for ever; elements between them do work on every such jump
            let jumps = !self.contacts.is_empty() && (!self.scene.has_elements() || iteration >= ITERATIONS);
            let closed =
                || jumps || self.open(size, from, after) <= OPEN || open <= OPEN * self.system.energy(from, after);
            // elements leave the round-off of their forces, whatever the velocities are
            let floor = elastic && iteration > 6 && shrunk > 0.5;
            if size <= stalled && last <= stalled && (closed() || floor) {
                self.left = if size <= self.noise(from, after) { 0.0 } else { size };
                return Ok(());
            }
            if iteration >= ITERATIONS && size > shrinking * last {
                break;
            }
            factor = flapping || slow && iteration > 1 || stale && near;
            // elements do work on what is held back: their contacts are followed
            if ended && !self.contacts.is_empty() && !self.scene.has_elements() {
                self.contacts.hold_more(size);
            }
            last = size;
        }
        Err(self.not_arrived(from))
    }

    /// Newton's method with all derivatives, equations of any rank, and steps that shorten what is left.
    fn fully(&mut self, from: &BodiesStart, after: &mut [Twist], step: &mut Step) -> Result<(), StepFailure> {
        let (mut last, mut best) = (f64::INFINITY, f64::INFINITY);
        for iteration in 1..=ITERATIONS {
            self.pass(from, after);
            self.system.factor_fully(from, after, &self.lambda, &self.push);
            self.factorisations += 1;
            if iteration > 2 && self.contacts.is_empty() && self.system.at_round_off(from, after, &self.lambda) {
                return Ok(());
            }
            if !self.contacts.is_empty() {
                let (system, sizes) = (&mut self.system, (self.scene.len(), self.lambda.len()));
                self.contacts.prepare(sizes, |bodies, rows, V, L| system.full_answer(bodies, rows, V, L));
            }
            self.system.full_direction(&self.lambda, &mut self.dv, &mut self.dl);
            if iteration <= PREDICTED {
                self.contacts.decide_again();
            }
            self.impulses(from, after, step)?;
            let part = if self.contacts.is_empty() { self.shorten(from, after) } else { 1.0 };
            self.go(part, after);
            let size = self.relative_size(after);
            self.iterations += 1;
            if size <= self.arrived(from, after) {
                return Ok(());
            }
            if !size.is_finite() {
                break;
            }
            // round-off of nearly dependent rows: no iteration is better than the one before
            let floor = STALLED.max(self.noise(from, after));
            if iteration > 4 && size <= floor && last <= floor && size >= 0.5 * best {
                self.left = if size <= self.noise(from, after) { 0.0 } else { size };
                return Ok(());
            }
            if iteration > 4 && size > 0.9 * last && !self.scene.has_elements() {
                self.contacts.hold_more(size);
            }
            (last, best) = (size, best.min(size));
        }
        Err(self.not_arrived(from))
    }

    /// The part of the direction after which less is left of the equations.
    fn shorten(&mut self, from: &BodiesStart, after: &mut [Twist]) -> f64 {
        let start = self.system.left();
        let mut part = 1.0;
        loop {
            self.go(part, after);
            self.pass(from, after);
            self.system.evaluate(from, after, &self.lambda, &self.push, false);
            let left = self.system.left();
            self.go(-part, after);
            if left <= (1.0 - 1e-4 * part) * start || part < 1e-3 || start == 0.0 {
                // where nothing is shorter any more, the whole direction is round-off or a way out
                return if part < 1e-3 { 1.0 } else { part };
            }
            part *= 0.5;
        }
    }

    /// Where the bodies pass, and what contacts do to them there.
    fn pass(&mut self, from: &BodiesStart, after: &[Twist]) {
        self.system.go(from, after);
        if !self.contacts.is_empty() {
            self.contacts.turn(from, &self.system.passages);
            self.contacts.push(&mut self.push, from.frames);
        }
    }

    /// Impulses for the direction, which takes their change in.
    fn impulses(&mut self, from: &BodiesStart, after: &[Twist], step: &mut Step) -> Result<(), StepFailure> {
        if self.contacts.is_empty() {
            return Ok(());
        }
        let solved = self.contacts.solve(after, &mut self.dv, &mut self.dl, (from.t, from.h), step);
        solved.map_err(|failure| blocked(failure, &self.scene, &self.system, &self.contacts))
    }

    /// Goes a part of the direction.
    fn go(&mut self, part: f64, after: &mut [Twist]) {
        for (twist, d) in after.iter_mut().zip(&self.dv) {
            for k in 0..3 {
                twist.v[k] += part * d[k];
                twist.w[k] += part * d[3 + k];
            }
        }
        for (l, d) in self.lambda.iter_mut().zip(&self.dl) {
            *l += part * d;
        }
    }

    /// A beam folded upon itself, or a bushing turned as far: its strain is no longer told by the frames of its ends.
    fn refuse_folds(&self, from: &BodiesStart) -> Result<(), StepFailure> {
        let Some(span) = self.system.folded() else { return Ok(()) };
        Err(StepFailure::folded(&self.scene, span, from.t, from.h))
    }

    fn not_arrived(&self, from: &BodiesStart) -> StepFailure {
        let dependent: Vec<usize> = self.system.dependent().collect();
        let names: Vec<String> = dependent.iter().map(|&j| format!("\"{}\"", self.scene.joints()[j].name)).collect();
        let near =
            if names.is_empty() { String::new() } else { format!("; {} depend on the others here", names.join(", ")) };
        let message = format!("Newton's method for the joints did not arrive in {ITERATIONS} iterations{near}");
        StepFailure::newton(&State { t: from.t, ..Default::default() }, from.h, message)
    }

    /// What a change of velocities by `size` of the motion can leave open in the balance of energy, against the energy: reactions do
    /// work on what they do not yet know of.
    fn open(&self, size: f64, from: &BodiesStart, after: &[Twist]) -> f64 {
        let reactions: f64 = self.lambda.iter().map(|l| l.abs()).sum::<f64>() + self.system.pull_of_elements();
        let mut speed = 0.0_f64;
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            for twist in [&from.before[i], &after[i]] {
                speed = speed.max((2.0 * body.kinetic_energy(twist) * body.inverse_mass).sqrt());
            }
        }
        let energy = self.system.energy(from, after);
        if energy > 0.0 { size * speed * reactions / energy } else { 0.0 }
    }

    /// The change of velocities at which Newton has arrived.
    fn arrived(&self, from: &BodiesStart, after: &[Twist]) -> f64 {
        // rows of contacts follow the bodies, which costs the last digits of an iteration; below what an ulp of a place is as a velocity
        // there is nothing to arrive at
        if !self.contacts.is_empty() {
            return TOUCHING.max(0.125 * self.noise(from, after));
        }
        let open = self.open(1.0, from, after);
        if open * ARRIVED <= OPEN { ARRIVED } else { (OPEN / open).max(1e-15) }
    }

    /// Size of the last change of velocities against the motion, in the norm of kinetic energy.
    fn relative_size(&self, after: &[Twist]) -> f64 {
        let (mut change, mut motion) = (0.0, self.system.motion_of_elements());
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let d = &self.dv[i];
            let w = [d[3], d[4], d[5]];
            change += body.mass * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + dot(&w, &mul(&body.inertia, &w));
            let [kinetic, forced] = self.started[i];
            motion += 2.0 * (kinetic + body.kinetic_energy(&after[i]));
            motion += forced;
        }
        if change == 0.0 { 0.0 } else { (change / motion.max(f64::MIN_POSITIVE)).sqrt() }
    }

    /// Whether the last change is what an ulp or two of places make of velocities, 4 ε (|x| + size)/h.
    fn is_round_off(&self, from: &BodiesStart) -> bool {
        let (mut change, mut noise) = (0.0, 0.0);
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let (x, d) = (&from.frames[i].x, &self.dv[i]);
            let v = 4.0 * f64::EPSILON * (dot(x, x).sqrt() + body.reach) / from.h;
            noise += body.mass * v * v;
            let w = [d[3], d[4], d[5]];
            change += body.mass * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + dot(&w, &mul(&body.inertia, &w));
        }
        change <= noise
    }

    /// What round-off of places makes of velocities, 8 ε (|x| + size)/h, against the motion.
    fn noise(&self, from: &BodiesStart, after: &[Twist]) -> f64 {
        let (mut noise, mut motion) = (0.0, 0.0);
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let x = &from.frames[i].x;
            let v = 8.0 * f64::EPSILON * (dot(x, x).sqrt() + body.reach) / from.h;
            noise += body.mass * v * v;
            motion += 2.0 * (body.kinetic_energy(&from.before[i]) + body.kinetic_energy(&after[i]));
            let force = &from.wrenches[i].force;
            motion += from.h * from.h * body.inverse_mass * dot(force, force);
        }
        (noise / motion.max(f64::MIN_POSITIVE)).sqrt()
    }
}

/// A body with full inertia and without geometric stiffness that spins faster than it may: it would soften where it should stiffen.
fn refuse_spin(scene: &Bodies, after: &State, h: f64) -> Result<(), StepFailure> {
    for (k, body) in scene.reduced().iter().enumerate().filter(|(_, body)| body.full.is_some()) {
        let Some(BeyondReduction::Spinning(part)) = scene.beyond_reduction(k, &after.q, &after.v) else { continue };
        let message = format!(
            "\"{}\" turns with {part:.2} of its lowest frequency, and has no geometric stiffness against the centrifugal forces on its modes",
            body.name
        );
        let help =
            "give it geometric_stiffness, or use inertia = \"constant\" with its warning, or [[beam]]".to_string();
        return Err(StepFailure { code: Code::SPUN_TOO_FAST, t: after.t, h, message, help, problem: None });
    }
    Ok(())
}

impl Stepper for JointedBodies {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.newton.contacts.contact_problem()
    }

    fn use_threads(&mut self, threads: usize) {
        self.newton.contacts.use_threads(threads);
    }

    fn left_over(&self) -> f64 {
        self.newton.left
    }

    fn part_of(&mut self, whole: Option<f64>) {
        self.newton.contacts.whole = whole;
    }

    fn start(&mut self, state: &State) -> Memory {
        let scene = Arc::clone(&self.scene);
        let energy = scene.kinetic_energy_at(&state.q, &state.v) + scene.potential_energy(&state.q);
        let (n, m) = (scene.len(), self.newton.system.len());
        let frames: Vec<Frame> = (0..n).map(|i| scene.frame(i, &state.q)).collect();
        let mut values = Vec::new();
        self.newton.system.values(&frames, &mut values);

        // joints that follow from the others, seen where the run starts
        let twists: Vec<Twist> = vec![Twist::default(); n];
        let wrenches = vec![Wrench::default(); n];
        let from =
            BodiesStart { q: &state.q, frames: &frames, before: &twists, wrenches: &wrenches, t: state.t, h: 0.0 };
        self.newton.system.go(&from, &twists);
        self.newton.system.evaluate(&from, &twists, &vec![0.0; m], &Push::none(n), true);
        self.redundant.clear();
        if self.newton.system.factor(&from, &twists) {
            self.redundant.extend(self.newton.system.dependent());
            self.redundant.sort_unstable();
        }
        Memory::new(energy, 0).carrying(JointedMemory {
            lambda: vec![0.0; m],
            lambda_earlier: vec![0.0; m],
            change: vec![0.0; 6 * n],
            change_earlier: vec![0.0; 6 * n],
            change_earliest: vec![0.0; 6 * n],
            values,
            turns: vec![0.0; scene.joints().len()],
            most: 0.0,
        })
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let Self { scene, motion, newton, measured, turns, end_frames, within, .. } = self;
        step.h = h;
        step.info = Default::default();

        // where the bodies are, and where the last two steps promise they will go
        let kept = memory.carried.of::<JointedMemory>();
        let mut book = MomentumBook::open(scene, state, 1);
        motion.begin(scene, from);
        newton.jumped.clear();
        let jump = if newton.drives && kept.change.iter().all(|&x| x == 0.0) {
            newton.jump(from, motion, &mut book)
        } else {
            0.0
        };
        kept.promise(scene, &mut motion.after, &mut newton.lambda, |i| scene.imposed(i, state.t).is_none());
        newton.system.c_start.copy_from_slice(&kept.values);

        // contacts within reach of the step; motion, reactions and impulses
        motion.reach(scene, h);
        motion.margins.iter_mut().for_each(|margin| *margin = margin.min(*within));
        let at = motion.start.of(from);
        newton.contacts.select(from, &at, &motion.margins, step, next);
        newton.push.impulses.fill([0.0; 6]);
        newton.push.moments.fill([0.0; 3]);
        newton.system.begin_elements();
        newton.iterate(&at, &mut motion.after, step)?;
        newton.refuse_folds(&at)?;

        // correct
        motion.finish(scene, from, &mut step.after);
        refuse_spin(scene, &step.after, h)?;
        end_frames.clear();
        if !newton.contacts.is_empty() || !turns.is_empty() {
            end_frames.extend((0..scene.len()).map(|i| scene.frame(i, &step.after.q)));
        }
        let at = motion.start.of(from);
        let counted = &mut next.carried.renew::<JointedMemory>().turns;
        counted.clone_from(&kept.turns);
        turns.count(scene, &at, &motion.after, end_frames, motion.theta, counted)?;
        newton.system.go(&at, &motion.after);
        newton.contacts.turn(&at, &newton.system.passages);
        newton.contacts.judge(&motion.after, (state.t, h), step)?;
        let moved = newton.contacts.conclude((at.frames, end_frames), &motion.after, step, next);

        // ledger
        if *measured || !newton.contacts.is_empty() {
            newton.contacts.push(&mut newton.push, at.frames);
            newton.system.evaluate(&at, &motion.after, &newton.lambda, &newton.push, false);
        } else {
            newton.system.rates(&at, &motion.after);
        }
        self.newton.system.reactions(&self.newton.lambda, &mut step.reactions);
        JointReaction::accumulate(&mut step.reactions, 1.0, &self.newton.jumped);
        let at = self.motion.start.of(from);
        let energy =
            self.newton.system.energy(&at, &self.motion.after) + self.newton.system.driven(&self.newton.lambda);
        next.carried.renew::<JointedMemory>().most = memory.carried.of::<JointedMemory>().most.max(energy);
        step.ledger = self.ledger(from, &at, (moved, jump), (step, next))?;
        book.loads(&self.scene, &self.motion, from, |_| Default::default());
        self.newton.contacts.book(&self.newton.system.passages, &mut book);
        self.newton.system.book(&self.newton.lambda, &mut book);
        self.newton.system.book_elements(from.h, &mut book);
        self.newton.system.book_solids(from.h, &mut book);
        step.momentum = book.close(&self.scene, &step.after);
        next.H = step.ledger.energy();
        next.clear_impulses(0);
        next.p_t.clear();
        self.remember(memory, next);
        Ok(())
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        let Newton { iterations, factorisations, full_steps, .. } = &self.newton;
        vec![
            ("newton_iterations", *iterations),
            ("factorisations", *factorisations),
            ("full_newton_steps", *full_steps),
        ]
    }

    fn warnings(&mut self, _h: f64) -> Vec<Warning> {
        let name = |&j: &usize| format!("\"{}\"", self.scene.joints()[j].name);
        if self.redundant.is_empty() {
            return Vec::new();
        }
        let names: Vec<String> = self.redundant.iter().map(name).collect();
        let message = format!(
            "joint {} follows in part from the others: motion is unique, the share of each in the reactions is not",
            names.join(", ")
        );
        vec![Warning { code: Code::REDUNDANT_JOINT, message }]
    }
}
