//! Jointed bodies in time: `energy-momentum`, and `moreau-jean` where a scene has joints.
//!
//!   x₁ = x₀ + h v_θ,  R₁ = R₀ cay(h w_θ),  c(q₁) = c₀   with reactions Dᵀλ that do no work over the step, for any θ
//!   ΔE = W_ext + W_damp + W_joints + u_θ·p − (θ − ½)‖Δv‖²_M
//!
//! Newton's method with one factorisation per step, taken at the state that the last two steps promise; contacts are solved
//! inside every iteration. `energy-momentum` is θ = ½.

use crate::bodies::drives::blocked;
use crate::bodies::joint_system::{Departure, JointSystem, middle};
use crate::bodies::spin::Wrench;
use crate::bodies::turns::Turns;
use crate::contact::jointed::JointedContacts;
use crate::{LedgerEntry, Memory, Scheme, State, Step, StepFailure, StepStart, Stepper, Warning};
use percussion_model::bodies::math::{add, axpy, dot, mul, norm, scale, sub};
use percussion_model::bodies::measure::BodyRow;
use percussion_model::bodies::{Bodies, Frame, RowLaw, Twist, at};
use percussion_model::{Code, Signal};
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// Newton has arrived when its last change is below this part of the motion, in the norm of kinetic energy.
const ARRIVED: f64 = 1e-11;
/// It is accepted below this where round-off lets it go no further.
const STALLED: f64 = 1e-7;
/// Iterations at most.
const ITERATIONS: usize = 60;

/// The scheme with its work memory.
#[derive(Debug)]
pub struct JointedBodies {
    scene: Arc<Bodies>,
    theta: f64,
    system: JointSystem,
    contacts: JointedContacts,
    /// Whether the values of rows are needed at the end of a step.
    measured: bool,
    turns: Turns,
    redundant: Vec<usize>,
    frames: Vec<Frame>,
    end_frames: Vec<Frame>,
    before: Vec<Twist>,
    after: Vec<Twist>,
    wrenches: Vec<Wrench>,
    margins: Vec<f64>,
    push: Vec<BodyRow>,
    dv: Vec<BodyRow>,
    lambda: Vec<f64>,
    dl: Vec<f64>,
    iterations: u64,
    factorisations: u64,
}

/// Fields of the memory: reactions and changes of velocity of the last two steps without the part of contacts, values of rows.
const LAMBDA: usize = 0;
const LAMBDA_BEFORE: usize = 1;
const CHANGE: usize = 2;
const CHANGE_BEFORE: usize = 3;
const VALUES: usize = 4;
/// Whole turns of the joints, in `contacts` too.
pub const TURNS: usize = 5;

impl JointedBodies {
    /// For a scene under a scheme's parameters.
    pub fn new(scene: Arc<Bodies>, theta: f64, scheme: &Scheme, options: SolverOptions) -> Self {
        let n = scene.len();
        let system = JointSystem::new(Arc::clone(&scene), theta);
        let m = system.len();
        let contacts = JointedContacts::new(&scene, theta, scheme.activation, scheme.friction_law, options);
        let plain = |j: &percussion_model::bodies::Joint| {
            j.rows.iter().all(|r| matches!(r.law, RowLaw::Rigid { .. }) && r.terms.len() == 1)
        };
        let measured = !scene.springs().is_empty() || !scene.joints().iter().all(plain);
        Self {
            theta,
            system,
            contacts,
            measured,
            turns: Turns::new(&scene),
            redundant: Vec::new(),
            frames: Vec::new(),
            end_frames: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            wrenches: Vec::new(),
            margins: Vec::new(),
            push: vec![[0.0; 6]; n],
            dv: vec![[0.0; 6]; n],
            lambda: vec![0.0; m],
            dl: vec![0.0; m],
            iterations: 0,
            factorisations: 0,
            scene,
        }
    }

    fn loads(&mut self, t: f64, h: f64) {
        let (scene, theta) = (&self.scene, self.theta);
        let mean = |s: &[Signal; 3]| {
            if s.iter().all(Signal::is_constant) {
                return at(s, t);
            }
            add(&scale(1.0 - theta, &at(s, t)), &scale(theta, &at(s, t + h)))
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
    }

    fn newton(&mut self, state: &State, h: f64, step: &mut Step) -> Result<(), StepFailure> {
        let frames = std::mem::take(&mut self.frames);
        let before = std::mem::take(&mut self.before);
        let wrenches = std::mem::take(&mut self.wrenches);
        let from = Departure { q: &state.q, frames: &frames, before: &before, wrenches: &wrenches, t: state.t, h };
        let result = self.iterate(&from, step);
        (self.frames, self.before, self.wrenches) = (frames, before, wrenches);
        result
    }

    fn iterate(&mut self, from: &Departure, step: &mut Step) -> Result<(), StepFailure> {
        let h = from.h;
        let (mut last, mut factor) = (f64::INFINITY, true);
        for iteration in 1..=ITERATIONS {
            self.system.evaluate(from, &self.after, &self.lambda, &self.push, factor);
            if factor {
                if !self.system.factor(from, &self.after) {
                    return Err(StepFailure::singular(from.t, h, None));
                }
                if !self.contacts.is_empty() {
                    self.contacts.prepare(&self.system, self.scene.len(), h);
                }
                self.factorisations += 1;
            }
            self.system.direction(h, &mut self.dv, &mut self.dl);
            if !self.contacts.is_empty() {
                let solved = self.contacts.solve(&self.after, &mut self.dv, &mut self.dl, (from.t, h), step);
                solved.map_err(|failure| blocked(failure, &self.scene, &self.system, &self.contacts))?;
                self.contacts.push(&mut self.push);
            }
            for (twist, d) in self.after.iter_mut().zip(&self.dv) {
                for k in 0..3 {
                    twist.v[k] += d[k];
                    twist.w[k] += d[3 + k];
                }
            }
            for (l, d) in self.lambda.iter_mut().zip(&self.dl) {
                *l += d;
            }
            let size = self.relative_size(from);
            self.iterations += 1;
            if size <= ARRIVED {
                return Ok(());
            }
            if !size.is_finite() {
                break;
            }
            let slow = size > 0.1 * last;
            let stalled = if slow && iteration > 3 { STALLED.max(self.noise(from)) } else { 0.0 };
            if size <= stalled && last <= stalled {
                return Ok(());
            }
            factor = slow && iteration > 1;
            last = size;
        }
        let message = format!("Newton's method for the joints did not arrive in {ITERATIONS} iterations");
        let state = State { t: from.t, ..Default::default() };
        Err(StepFailure::newton(&state, h, message))
    }

    /// Size of the last change of velocities against the motion, in the norm of kinetic energy.
    fn relative_size(&self, from: &Departure) -> f64 {
        let (mut change, mut motion) = (0.0, 0.0);
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let d = &self.dv[i];
            let w = [d[3], d[4], d[5]];
            change += body.mass * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + dot(&w, &mul(&body.inertia, &w));
            motion += 2.0 * (body.kinetic_energy(&from.before[i]) + body.kinetic_energy(&self.after[i]));
            let force = &from.wrenches[i].force;
            motion += from.h * from.h * body.inverse_mass * dot(force, force);
        }
        if change == 0.0 { 0.0 } else { (change / motion.max(f64::MIN_POSITIVE)).sqrt() }
    }

    /// What round-off of places makes of velocities, 8 ε (|x| + size)/h, against the motion.
    fn noise(&self, from: &Departure) -> f64 {
        let (mut noise, mut motion) = (0.0, 0.0);
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let x = &from.frames[i].x;
            let v = 8.0 * f64::EPSILON * (dot(x, x).sqrt() + body.reach) / from.h;
            noise += body.mass * v * v;
            motion += 2.0 * (body.kinetic_energy(&from.before[i]) + body.kinetic_energy(&self.after[i]));
            let force = &from.wrenches[i].force;
            motion += from.h * from.h * body.inverse_mass * dot(force, force);
        }
        (noise / motion.max(f64::MIN_POSITIVE)).sqrt()
    }

    fn ledger(&self, h: f64, memory: [&Memory; 2], moved: f64, from: &Departure, step: &Step) -> LedgerEntry {
        let (scene, theta) = (&self.scene, self.theta);
        let works = self.system.works(from, &self.after, &self.lambda);
        let mut entry = LedgerEntry {
            kinetic: scene.kinetic_energy(&step.after.v),
            potential: scene.potential_energy_turned(&step.after.q, &memory[1].fields[TURNS]),
            work_external: works.external - moved,
            work_damping: works.damping,
            work_joints: works.joints,
            dissipation_numerical: works.numerical,
            ..Default::default()
        };
        let mut inertial = 0.0;
        for (i, body) in scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let (before, after) = (&self.before[i], &self.after[i]);
            let (v, w) = (middle(&before.v, &after.v, theta), middle(&before.w, &after.w, theta));
            let force = axpy(&self.wrenches[i].force, -body.mass, &scene.gravity());
            entry.work_external += h * (dot(&v, &force) + dot(&w, &self.wrenches[i].moment));
            entry.work_damping -= h * (body.drag[0] * dot(&v, &v) + body.drag[1] * dot(&w, &w));
            if theta != 0.5 {
                let (dv, dw) = (sub(&after.v, &before.v), sub(&after.w, &before.w));
                inertial += body.mass * dot(&dv, &dv) + dot(&dw, &mul(&body.inertia, &dw));
            }
        }
        entry.dissipation_numerical += (theta - 0.5) * inertial;
        for c in &step.contacts {
            entry.work_contact += c.p * ((1.0 - theta) * c.u_before + theta * c.u_after);
        }
        for k in &step.friction {
            entry.work_contact += k.work(theta);
        }
        entry.close(memory[0].H, entry.energy());
        entry
    }
}

impl Stepper for JointedBodies {
    fn friction_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.contacts.friction_problem()
    }

    fn use_threads(&mut self, threads: usize) {
        self.contacts.use_threads(threads);
    }

    fn start(&mut self, state: &State) -> Memory {
        let scene = Arc::clone(&self.scene);
        let energy = scene.kinetic_energy(&state.v) + scene.potential_energy(&state.q);
        let (n, m) = (scene.len(), self.system.len());
        let frames: Vec<Frame> = (0..n).map(|i| scene.frame(i, &state.q)).collect();
        let mut values = Vec::new();
        self.system.values(&frames, &mut values);

        // joints that follow from the others, seen where the run starts
        let twists: Vec<Twist> = vec![Twist::default(); n];
        let wrenches = vec![Wrench::default(); n];
        let from = Departure { q: &state.q, frames: &frames, before: &twists, wrenches: &wrenches, t: state.t, h: 0.0 };
        self.system.evaluate(&from, &twists, &vec![0.0; m], &vec![[0.0; 6]; n], true);
        self.redundant.clear();
        if self.system.factor(&from, &twists) {
            self.redundant.extend(self.system.dependent());
            self.redundant.sort_unstable();
        }
        let fields = vec![
            vec![0.0; m],
            vec![0.0; m],
            vec![0.0; 6 * n],
            vec![0.0; 6 * n],
            values,
            vec![0.0; scene.joints().len()],
        ];
        Memory::new(energy, 0, fields)
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let scene = Arc::clone(&self.scene);
        let n = scene.len();
        step.h = h;
        step.info = Default::default();

        // where the bodies are, and where the last two steps promise they will go
        self.frames.clear();
        self.frames.extend((0..n).map(|i| scene.frame(i, &state.q)));
        self.before.clear();
        self.after.clear();
        for i in 0..n {
            let told = scene.imposed(i, state.t);
            self.before.push(told.unwrap_or_else(|| scene.twist(i, &state.v)));
            let mut after = scene.imposed(i, state.t + h).unwrap_or(self.before[i]);
            if told.is_none() {
                let (last, earlier) = (&memory.fields[CHANGE][6 * i..], &memory.fields[CHANGE_BEFORE][6 * i..]);
                for k in 0..3 {
                    after.v[k] += 2.0 * last[k] - earlier[k];
                    after.w[k] += 2.0 * last[3 + k] - earlier[3 + k];
                }
            }
            self.after.push(after);
        }
        for (l, (last, earlier)) in
            self.lambda.iter_mut().zip(memory.fields[LAMBDA].iter().zip(&memory.fields[LAMBDA_BEFORE]))
        {
            *l = 2.0 * last - earlier;
        }
        self.system.c_start.copy_from_slice(&memory.fields[VALUES]);
        self.loads(state.t, h);

        // contacts within reach of the step
        let weight = h * h * norm(&scene.gravity());
        self.margins.clear();
        for (i, body) in scene.bodies().iter().enumerate() {
            let (b, a) = (&self.before[i], &self.after[i]);
            let (v, w) = (norm(&b.v).max(norm(&a.v)), norm(&b.w).max(norm(&a.w)));
            let turning = if w == 0.0 { 0.0 } else { w * body.reach.min(1e6) };
            self.margins.push(h * (v + turning) * (1.0 + 1e-9) + if body.is_free() { weight } else { 0.0 });
        }
        self.contacts.select(&scene, &self.frames, &self.margins, &self.before, h, memory, step, next);
        self.contacts.push(&mut self.push);

        // motion, reactions and impulses
        self.newton(state, h, step)?;

        // correct
        step.after.t = state.t + h;
        step.after.q.resize(state.q.len(), 0.0);
        step.after.v.resize(state.v.len(), 0.0);
        self.end_frames.clear();
        for i in 0..n {
            let (b, a) = (&self.before[i], &self.after[i]);
            let twist = Twist { v: middle(&b.v, &a.v, self.theta), w: middle(&b.w, &a.w, self.theta) };
            scene.advance(i, &state.q, h, &twist, &mut step.after.q);
            scene.write_twist(i, a, &mut step.after.v);
        }
        if !self.contacts.is_empty() || !self.turns.is_empty() {
            self.end_frames.extend((0..n).map(|i| scene.frame(i, &step.after.q)));
        }
        let from = Departure {
            q: &state.q,
            frames: &self.frames,
            before: &self.before,
            wrenches: &self.wrenches,
            t: state.t,
            h,
        };
        next.fields.resize(6, Vec::new());
        next.fields[TURNS].clone_from(&memory.fields[TURNS]);
        self.turns.count(&scene, &from, &self.after, &self.end_frames, self.theta, &mut next.fields[TURNS])?;
        let moved = self.contacts.conclude(&scene, &self.end_frames, &self.before, &self.after, self.theta, step, next);

        // ledger
        if self.measured {
            self.system.evaluate(&from, &self.after, &self.lambda, &self.push, false);
        } else {
            self.system.rates(&from, &self.after);
        }
        step.ledger = self.ledger(h, [memory, next], moved, &from, step);

        // memory
        next.H = step.ledger.energy();
        next.p.clear();
        next.p_t.clear();
        next.push.clear();
        next.fields[LAMBDA_BEFORE].clone_from(&memory.fields[LAMBDA]);
        next.fields[CHANGE_BEFORE].clone_from(&memory.fields[CHANGE]);
        self.contacts.share(&mut self.dv, &mut self.dl);
        let Memory { fields, .. } = next;
        fields[LAMBDA].clear();
        fields[LAMBDA].extend(self.lambda.iter().zip(&self.dl).map(|(l, d)| l - d));
        fields[CHANGE].clear();
        for ((a, b), d) in self.after.iter().zip(&self.before).zip(&self.dv) {
            fields[CHANGE].extend((0..3).map(|k| a.v[k] - b.v[k] - d[k]));
            fields[CHANGE].extend((0..3).map(|k| a.w[k] - b.w[k] - d[3 + k]));
        }
        // the first step has no step before it to continue
        if memory.fields[CHANGE].iter().all(|&x| x == 0.0) {
            let (head, tail) = fields.split_at_mut(CHANGE_BEFORE);
            tail[0].clone_from(&head[CHANGE]);
            let (head, tail) = fields.split_at_mut(LAMBDA_BEFORE);
            tail[0].clone_from(&head[LAMBDA]);
        }
        fields[VALUES].clear();
        fields[VALUES].extend_from_slice(if self.measured { &self.system.c_end } else { &self.system.c_start });
        Ok(())
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        vec![("newton_iterations", self.iterations), ("factorisations", self.factorisations)]
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
