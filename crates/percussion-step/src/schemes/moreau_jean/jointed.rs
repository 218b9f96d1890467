//! Jointed bodies in time: `energy-momentum`, and `moreau-jean` where a scene has joints.
//!
//!   x₁ = x₀ + h v_θ,  R₁ = R₀ cay(h w_θ),  c(q₁) = c₀   with reactions Dᵀλ that do no work over the step, for any θ
//!   ΔE = W_ext + W_damp + W_joints + u_θ·p − (θ − ½)‖Δv‖²_M
//!
//! Newton's method with one factorisation per step, taken at the state that the last two steps promise; contacts are solved
//! inside every iteration. `energy-momentum` is θ = ½.

use crate::bodies::drives::blocked;
use crate::bodies::joint_system::JointSystem;
use crate::bodies::spin::Wrench;
use crate::bodies::theta_step::{BodiesStart, ThetaStep};
use crate::bodies::turns::Turns;
use crate::contact::jointed::JointedContacts;
use crate::contact::phase::work;
use crate::{LedgerEntry, Memory, Scheme, State, Step, StepFailure, StepStart, Stepper, Warning};
use percussion_model::Code;
use percussion_model::bodies::math::{dot, mul};
use percussion_model::bodies::measure::BodyRow;
use percussion_model::bodies::{Bodies, Frame, RowLaw, Twist};
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
    motion: ThetaStep,
    newton: Newton,
    /// Whether the values of rows are needed at the end of a step.
    measured: bool,
    turns: Turns,
    redundant: Vec<usize>,
    end_frames: Vec<Frame>,
}

/// Newton's method for reactions and impulses of a step.
#[derive(Debug)]
struct Newton {
    scene: Arc<Bodies>,
    system: JointSystem,
    contacts: JointedContacts,
    /// Hᵀp on every body.
    push: Vec<BodyRow>,
    dv: Vec<BodyRow>,
    lambda: Vec<f64>,
    dl: Vec<f64>,
    iterations: u64,
    factorisations: u64,
}

/// What the scheme carries from step to step; `earlier` is the step before the last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointedMemory {
    /// Reactions and changes of velocity without the part of contacts.
    lambda: Vec<f64>,
    lambda_earlier: Vec<f64>,
    change: Vec<f64>,
    change_earlier: Vec<f64>,
    /// Values of rows.
    values: Vec<f64>,
    /// Whole turns of the joints.
    pub turns: Vec<f64>,
}

crate::carried! { JointedMemory { lambda, lambda_earlier, change, change_earlier, values, turns } }

impl JointedBodies {
    /// For a scene under a scheme's parameters.
    pub fn new(scene: Arc<Bodies>, theta: f64, scheme: &Scheme, options: SolverOptions) -> Self {
        let n = scene.len();
        let system = JointSystem::new(Arc::clone(&scene), theta);
        let m = system.len();
        let plain = |j: &percussion_model::bodies::Joint| {
            j.rows.iter().all(|r| matches!(r.law, RowLaw::Rigid { .. }) && r.terms.len() == 1)
        };
        let measured = !scene.springs().is_empty() || !scene.joints().iter().all(plain);
        let newton = Newton {
            scene: Arc::clone(&scene),
            system,
            contacts: JointedContacts::new(&scene, theta, scheme.activation, scheme.friction_law, options),
            push: vec![[0.0; 6]; n],
            dv: vec![[0.0; 6]; n],
            lambda: vec![0.0; m],
            dl: vec![0.0; m],
            iterations: 0,
            factorisations: 0,
        };
        Self {
            motion: ThetaStep::new(theta),
            newton,
            measured,
            turns: Turns::new(&scene),
            redundant: Vec::new(),
            end_frames: Vec::new(),
            scene,
        }
    }

    fn ledger(&self, from: &StepStart, at: &BodiesStart, moved: f64, (step, next): (&Step, &Memory)) -> LedgerEntry {
        let (scene, motion) = (&self.scene, &self.motion);
        let works = self.newton.system.works(at, &motion.after, &self.newton.lambda);
        let mut entry = LedgerEntry {
            kinetic: scene.kinetic_energy(&step.after.v),
            potential: scene.potential_energy_turned(&step.after.q, &next.carried.of::<JointedMemory>().turns),
            work_external: works.external - moved,
            work_damping: works.damping,
            work_joints: works.joints,
            work_motors: Some(works.motors),
            dissipation_numerical: works.numerical,
            ..Default::default()
        };
        motion.book(scene, from.h, &mut entry);
        entry.work_contact = work(step, motion.theta);
        entry.close(from.memory.H, entry.energy());
        entry
    }
}

impl JointedBodies {
    /// Reactions and changes of velocity without the part of contacts, and the values of rows.
    fn remember(&mut self, memory: &Memory, next: &mut Memory) {
        let (ThetaStep { start, after, .. }, newton) = (&self.motion, &mut self.newton);
        newton.contacts.share(&mut newton.dv, &mut newton.dl);
        let last = memory.carried.of::<JointedMemory>();
        let carried = next.carried.renew::<JointedMemory>();
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
            carried.change_earlier.clone_from(&carried.change);
            carried.lambda_earlier.clone_from(&carried.lambda);
        }
        carried.values.clone_from(if self.measured { &newton.system.c_end } else { &newton.system.c_start });
    }
}

impl Newton {
    /// The velocities at the end of the step, with their reactions and impulses, from a guess.
    fn iterate(&mut self, from: &BodiesStart, after: &mut [Twist], step: &mut Step) -> Result<(), StepFailure> {
        let h = from.h;
        let (mut last, mut factor) = (f64::INFINITY, true);
        for iteration in 1..=ITERATIONS {
            self.system.evaluate(from, after, &self.lambda, &self.push, factor);
            if factor {
                if !self.system.factor(from, after) {
                    return Err(StepFailure::singular(from.t, h, None));
                }
                if !self.contacts.is_empty() {
                    self.contacts.prepare(&self.system, self.scene.len(), h);
                }
                self.factorisations += 1;
            }
            self.system.direction(h, &mut self.dv, &mut self.dl);
            if !self.contacts.is_empty() {
                let solved = self.contacts.solve(after, &mut self.dv, &mut self.dl, (from.t, h), step);
                solved.map_err(|failure| blocked(failure, &self.scene, &self.system, &self.contacts))?;
                self.contacts.push(&mut self.push);
            }
            for (twist, d) in after.iter_mut().zip(&self.dv) {
                for k in 0..3 {
                    twist.v[k] += d[k];
                    twist.w[k] += d[3 + k];
                }
            }
            for (l, d) in self.lambda.iter_mut().zip(&self.dl) {
                *l += d;
            }
            let size = self.relative_size(from, after);
            self.iterations += 1;
            if size <= ARRIVED {
                return Ok(());
            }
            if !size.is_finite() {
                break;
            }
            let slow = size > 0.1 * last;
            let stalled = if slow && iteration > 3 { STALLED.max(self.noise(from, after)) } else { 0.0 };
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
    fn relative_size(&self, from: &BodiesStart, after: &[Twist]) -> f64 {
        let (mut change, mut motion) = (0.0, 0.0);
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let d = &self.dv[i];
            let w = [d[3], d[4], d[5]];
            change += body.mass * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + dot(&w, &mul(&body.inertia, &w));
            motion += 2.0 * (body.kinetic_energy(&from.before[i]) + body.kinetic_energy(&after[i]));
            let force = &from.wrenches[i].force;
            motion += from.h * from.h * body.inverse_mass * dot(force, force);
        }
        if change == 0.0 { 0.0 } else { (change / motion.max(f64::MIN_POSITIVE)).sqrt() }
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

impl Stepper for JointedBodies {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.newton.contacts.contact_problem()
    }

    fn use_threads(&mut self, threads: usize) {
        self.newton.contacts.use_threads(threads);
    }

    fn stop_when(&mut self, stop: &percussion_solve::Stop) {
        self.newton.contacts.stop_when(stop);
    }

    fn start(&mut self, state: &State) -> Memory {
        let scene = Arc::clone(&self.scene);
        let energy = scene.kinetic_energy(&state.v) + scene.potential_energy(&state.q);
        let (n, m) = (scene.len(), self.newton.system.len());
        let frames: Vec<Frame> = (0..n).map(|i| scene.frame(i, &state.q)).collect();
        let mut values = Vec::new();
        self.newton.system.values(&frames, &mut values);

        // joints that follow from the others, seen where the run starts
        let twists: Vec<Twist> = vec![Twist::default(); n];
        let wrenches = vec![Wrench::default(); n];
        let from =
            BodiesStart { q: &state.q, frames: &frames, before: &twists, wrenches: &wrenches, t: state.t, h: 0.0 };
        self.newton.system.evaluate(&from, &twists, &vec![0.0; m], &vec![[0.0; 6]; n], true);
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
            values,
            turns: vec![0.0; scene.joints().len()],
        })
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let Self { scene, motion, newton, measured, turns, end_frames, .. } = self;
        step.h = h;
        step.info = Default::default();

        // where the bodies are, and where the last two steps promise they will go
        let kept = memory.carried.of::<JointedMemory>();
        motion.begin(scene, from);
        for (i, after) in motion.after.iter_mut().enumerate().filter(|(i, _)| scene.imposed(*i, state.t).is_none()) {
            let (last, earlier) = (&kept.change[6 * i..], &kept.change_earlier[6 * i..]);
            for k in 0..3 {
                after.v[k] += 2.0 * last[k] - earlier[k];
                after.w[k] += 2.0 * last[3 + k] - earlier[3 + k];
            }
        }
        let lambda = kept.lambda.iter().zip(&kept.lambda_earlier);
        for (l, (last, earlier)) in newton.lambda.iter_mut().zip(lambda) {
            *l = 2.0 * last - earlier;
        }
        newton.system.c_start.copy_from_slice(&kept.values);

        // contacts within reach of the step; motion, reactions and impulses
        motion.reach(scene, h);
        let at = motion.start.of(from);
        newton.contacts.select(from, &at, &motion.margins, step, next);
        newton.contacts.push(&mut newton.push);
        newton.iterate(&at, &mut motion.after, step)?;

        // correct
        motion.finish(scene, from, &mut step.after);
        end_frames.clear();
        if !newton.contacts.is_empty() || !turns.is_empty() {
            end_frames.extend((0..scene.len()).map(|i| scene.frame(i, &step.after.q)));
        }
        let at = motion.start.of(from);
        let counted = &mut next.carried.renew::<JointedMemory>().turns;
        counted.clone_from(&kept.turns);
        turns.count(scene, &at, &motion.after, end_frames, motion.theta, counted)?;
        let moved = newton.contacts.conclude((at.frames, end_frames), (at.before, &motion.after), step, next);

        // ledger
        if *measured {
            newton.system.evaluate(&at, &motion.after, &newton.lambda, &newton.push, false);
        } else {
            newton.system.rates(&at, &motion.after);
        }
        self.newton.system.reactions(&self.newton.lambda, &mut step.reactions);
        let at = self.motion.start.of(from);
        step.ledger = self.ledger(from, &at, moved, (step, next));
        next.H = step.ledger.energy();
        next.clear_impulses(0);
        next.p_t.clear();
        self.remember(memory, next);
        Ok(())
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        vec![("newton_iterations", self.newton.iterations), ("factorisations", self.newton.factorisations)]
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
