//! Contacts of one step: which take part, their rows, the law, the impulses.
//!
//!   hold, …  g + h U_k ≤ 0 by the activation rule,    b_N = U_free + ê U_k,    b_T = u_free,T + α u_k,T
//!   gap      all within reach of the step,             b_N = U_free + γ g_k/h:    0 ≤ γ g_k + h U_{k+1} ⟂ P ≥ 0   (θ = 1, e = 0)
//!
//! γ = 1, and 1/5 for the first 1e-5 of a body's size where the contact pushed in the last step: such a gap is what a tolerance left,
//! and fades. The first 1e-8 of the size counts as no gap at all.
//!
//! Where a pair of materials resists rolling every contact has five components, the last two turning times a length.
//!
//! Where the law needs W (the checked rule) or the contacts are few, W is formed; else bodies are solved two at a time.

use crate::bodies::rolling;
use crate::bodies::rows::{
    apply, directions, normal_velocity, own, rolling_axes, rolling_length, rolling_row, row, seen,
};
use crate::bodies::spin::FreeMotion;
use crate::contact::activation::{Approach, IndexSet};
use crate::contact::conclusion::Ending;
use crate::contact::friction_rule::slack;
use crate::contact::law::ContactLaw;
use crate::step::contact::judge;
use crate::{Activation, ContactPlace, ContactState, FrictionLaw, Memory, Step, StepFailure, StepInfo, StepStart};
use percussion_model::bodies::{Bodies, ContactPoint, Frame, Twist};
use percussion_solve::friction::{Device, FrictionProblem, FrictionSolver, TwoBodyProblem, TwoBodySolver};
use percussion_solve::{SolveReport, SolveStatus, SolverOptions, Stop};
use std::sync::Arc;

/// Contacts up to which W is formed in any case: more methods solve it.
const FEW: usize = 40;
/// Contacts up to which W is formed when two bodies at a time did not get there.
const MANY: usize = 5000;
/// Part of a small gap that a contact closes in one step if it pushed in the last. What is left of a solve within its tolerance
/// becomes a gap; closing all of it at once asks for the slowest modes of a pile again in every step (boxes at rest: 440 sweeps
/// a step instead of 110, gaps of 2e-7 m instead of 6e-7 m).
const CLOSING: f64 = 0.2;
/// Gaps that count as small, in parts of a body's size. What exceeds them is closed at once.
const SMALL: f64 = 1e-5;
/// Part of a body's size that a law on the gap pushes out in one step at most.
const RECOVERY: f64 = 1e-3;
/// Part of a body's size by which a gap may miss zero and count as none. Four corners of a face never fit to the last digit, and which three
/// of them carry would otherwise be decided again in every step by what the last one's residual left.
const FLAT: f64 = 1e-8;

/// γ g_k: the part of a gap that the law of `gap` closes in one step.
pub fn closed_in_step(scene: &Bodies, bodies: [usize; 2], gap: f64, pushed: bool) -> f64 {
    // what has no shape has no size
    let reach = bodies.map(|b| scene.bodies()[b].reach).into_iter().filter(|&r| r > 0.0);
    let size = reach.fold(f64::INFINITY, f64::min);
    let size = if size.is_finite() { size } else { 1.0 };
    let gap = gap.max(-RECOVERY * size);
    let mut gap = gap - gap.clamp(-FLAT * size, FLAT * size);
    if pushed {
        gap -= (1.0 - CLOSING) * gap.clamp(-SMALL * size, SMALL * size);
    }
    gap
}

/// The laws of a run.
#[derive(Clone, Copy, Debug)]
pub struct Laws {
    /// θ.
    pub theta: f64,
    /// Which contacts take part.
    pub activation: Activation,
    /// What those with friction obey.
    pub friction: FrictionLaw,
}

/// Bodies at the start of a step, as rows of contacts see them: angular velocities of isotropic bodies in the world frame.
#[derive(Debug, Default)]
pub struct SeenBodies {
    /// Velocities before the step …
    pub before: Vec<Twist>,
    /// … and, of bodies that are moved, after it.
    pub imposed: Vec<Twist>,
    /// Velocities at the end of the step.
    pub after: Vec<Twist>,
}

/// The velocities of all bodies as rows see them, into `out`.
pub fn see(scene: &Bodies, frames: &[Frame], twists: &[Twist], out: &mut Vec<Twist>) {
    out.clear();
    out.extend(twists.iter().enumerate().map(|(i, t)| seen(&scene.bodies()[i], &frames[i], t)));
}

/// What the contacts of a step start from.
#[derive(Clone, Copy)]
pub struct ContactStart<'a> {
    /// State, memory and h.
    pub step: StepStart<'a>,
    /// Frames of all bodies.
    pub frames: &'a [Frame],
    /// Their velocities.
    pub seen: &'a SeenBodies,
}

/// The contacts of a step with their solvers.
#[derive(Debug)]
pub struct BodyContacts {
    scene: Arc<Bodies>,
    laws: Laws,
    /// (1 − θ)/θ: ê of opening contacts and α of Frémond's law.
    alpha: f64,
    /// Velocities, laws and impulses of the index set, in blocks of d; its W is formed where the rule asks for it.
    law: ContactLaw,
    few: FrictionSolver,
    many: TwoBodySolver,
    /// The contacts of the index set.
    pub points: Vec<ContactPoint>,
    problem: TwoBodyProblem,
    /// Whether the checked rule solved the problem with W formed.
    checked: bool,
    /// ℓ of each contact, where rolling is resisted [m].
    lengths: Vec<f64>,
    u_after: Vec<f64>,
    /// Velocities of bodies that are moved, in blocks of d, at the end of the step.
    imposed: Vec<f64>,
    /// Velocities of the bodies after the step.
    pub v: Vec<[f64; 6]>,
}

impl BodyContacts {
    /// Without memory yet.
    pub fn new(scene: &Arc<Bodies>, laws: Laws, options: SolverOptions) -> Self {
        let alpha = (1.0 - laws.theta) / laws.theta;
        let d = match scene.has_rolling() {
            true => 5,
            false if scene.is_planar() => 2,
            false => 3,
        };
        Self {
            scene: Arc::clone(scene),
            laws,
            alpha,
            law: ContactLaw::new(d, laws.friction, alpha, options),
            // projected on the cones afterwards, which costs up to as much again
            few: FrictionSolver::new(SolverOptions { tolerance: 0.5 * options.tolerance, ..options }),
            many: TwoBodySolver::new(options),
            points: Vec::new(),
            problem: TwoBodyProblem { dim: d, ..Default::default() },
            checked: false,
            lengths: Vec::new(),
            u_after: Vec::new(),
            imposed: Vec::new(),
            v: Vec::new(),
        }
    }

    /// Threads that islands of contacts are shared among.
    pub fn use_threads(&mut self, threads: usize) {
        self.many.threads = threads;
    }

    /// A machine that sweeps over many contacts.
    pub fn use_device(&mut self, device: &Device) {
        self.many.device = Some(device.clone());
    }

    /// A request from outside at which a solve gives up.
    pub fn stop_when(&mut self, stop: &Stop) {
        self.law.stop_when(stop);
        self.few.stop = stop.clone();
        self.many.stop = stop.clone();
    }

    /// Chooses the index set among the contacts found, and takes the last impulses as a first guess.
    pub fn select(&mut self, from: &ContactStart, found: &[ContactPoint], step: &mut Step, next: &mut Memory) {
        let (scene, d) = (&*self.scene, self.problem.dim);
        self.points.clear();
        self.law.clear();
        step.contacts.clear();
        step.friction.clear();
        let mut set = IndexSet::new(self.laws.activation, self.alpha, &from.step);
        let mut last = from.step.memory.persistent.iter().peekable();
        for point in found {
            while last.next_if(|p| p.id < point.id).is_some() {}
            let persistent = last.peek().filter(|p| p.id == point.id);
            let u = normal_velocity(scene, point, from.frames, &from.seen.before);
            let e = || scene.law_between(point.bodies, point.id).restitution;
            let approach = Approach { gap: point.gap, u, push: persistent.map_or(0.0, |p| p.push) };
            let Some(e) = set.admit(point.id as usize, &approach, e) else { continue };
            self.points.push(*point);
            self.law.restitution.push(e);
            self.law.p.extend_from_slice(&persistent.map_or([0.0; 5], |p| p.p)[..d]);
            step.contacts.push(ContactState::before(point.id as usize, point.gap, u));
        }
        set.finish(step, next);
        self.rows(from);
    }

    /// H, and the velocities before the step.
    fn rows(&mut self, from: &ContactStart) {
        let scene = &*self.scene;
        let problem = &mut self.problem;
        let d = problem.dim;
        problem.bodies.clear();
        problem.H.clear();
        problem.mu.clear();
        problem.mu_rolling.clear();
        self.lengths.clear();
        self.imposed.clear();
        let u_before = &mut self.law.u_before;
        for point in &self.points {
            let free = point.bodies.map(|i| scene.bodies()[i].is_free());
            let index = |side: usize| if free[side] { point.bodies[side] as u32 } else { TwoBodyProblem::GROUND };
            problem.bodies.push([index(0), index(1)]);
            let law = scene.law_between(point.bodies, point.id);
            problem.mu.push(law.friction);
            let directions = directions(scene, &point.normal);
            let (axes, length) = (rolling_axes(scene, &directions), rolling_length(scene, point.bodies));
            if d == 5 {
                problem.mu_rolling.push(law.rolling / length);
                self.lengths.push(length);
            }
            // components beyond the plane have no rows
            let exists = |k: usize| !scene.is_planar() || k < 2 || k == 3;
            let first = u_before.len();
            u_before.resize(first + d, 0.0);
            self.imposed.resize(first + d, 0.0);
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let body = point.bodies[side];
                for k in 0..d {
                    let (of, frame) = (&scene.bodies()[body], &from.frames[body]);
                    let row = match k {
                        _ if !exists(k) => [0.0; 6],
                        0..3 => row(of, frame, &point.arms[side], &directions[k], sign),
                        _ => rolling_row(of, frame, &axes[k - 3], sign * length),
                    };
                    u_before[first + k] += apply(&row, &from.seen.before[body]);
                    if !free[side] {
                        self.imposed[first + k] += apply(&row, &from.seen.imposed[body]);
                    }
                    problem.H.push(row);
                }
            }
        }
    }

    /// Solves the law for these free motions; velocities of the bodies after the step go to `v`.
    pub fn solve(&mut self, from: &ContactStart, free: &[FreeMotion], step: &mut Step) -> Result<(), StepFailure> {
        let (t, h) = (from.step.state.t, from.step.h);
        let problem = &mut self.problem;
        problem.inverse_mass.clear();
        problem.inverse_inertia.clear();
        problem.v.clear();
        for (i, motion) in free.iter().enumerate() {
            let Twist { v, w } = seen(&self.scene.bodies()[i], &from.frames[i], &motion.twist);
            let A = &motion.inverse_inertia;
            problem.inverse_mass.push(motion.inverse_mass);
            problem
                .inverse_inertia
                .push([A[0][0], A[0][1], A[0][2], A[1][0], A[1][1], A[1][2], A[2][0], A[2][1], A[2][2]]);
            problem.v.push([v[0], v[1], v[2], w[0], w[1], w[2]]);
        }
        self.v.clone_from(&problem.v);
        if !self.points.is_empty() {
            problem.w.clone_from(&self.imposed);
            self.law.u_free.resize(self.law.u_before.len(), 0.0);
            problem.contact_velocities(&problem.v, &mut self.law.u_free);
            if let Some(k) = self.law.u_free.iter().position(|u| !u.is_finite()) {
                return Err(StepFailure::not_finite(t, h, self.points[k / problem.dim].bodies[0]));
            }
            self.impulses(t, h, step)?;
            self.problem.body_velocities(&self.law.p, &mut self.v);
        }
        // angular velocities in the frames of their bodies
        for (i, v) in self.v.iter_mut().enumerate() {
            let w = own(&self.scene.bodies()[i], &from.frames[i], &[v[3], v[4], v[5]]);
            v[3..].copy_from_slice(&w);
        }
        Ok(())
    }

    fn impulses(&mut self, t: f64, h: f64, step: &mut Step) -> Result<(), StepFailure> {
        let (d, n) = (self.problem.dim, self.points.len());

        // the checked rule looks at W
        self.checked = self.alpha > 0.0 && self.laws.friction == FrictionLaw::Checked && self.has_friction();
        if self.checked {
            self.law.problem = self.condensed();
            self.law.decide_again();
            step.info.add(&self.law.solve(t, h)?);
            return Ok(());
        }

        // one problem: what the law adds to the velocity at the end of the step
        let on_gap = self.laws.activation == Activation::Gap;
        let fremond = self.laws.friction == FrictionLaw::Fremond;
        let ContactLaw { p, u_before, restitution, .. } = &self.law;
        for (i, point) in self.points.iter().enumerate() {
            // p still holds what the contact did in the last step
            let gap = closed_in_step(&self.scene, point.bodies, point.gap, p[i * d] > 0.0);
            self.problem.w[i * d] += if on_gap { gap / h } else { restitution[i] * u_before[i * d] };
            for k in i * d + 1..(i + 1) * d {
                self.problem.w[k] += if fremond { self.alpha * u_before[k] } else { 0.0 };
            }
        }
        let mut report =
            if n > FEW { self.many.solve(&self.problem, &mut self.law.p, &mut self.v) } else { self.solve_condensed() };
        step.info.add(&StepInfo { residual: 0.0, ..StepInfo::of(&report) });
        if report.status != SolveStatus::Solved && (FEW..MANY).contains(&n) {
            report = self.solve_condensed();
            step.info.add(&StepInfo { residual: 0.0, ..StepInfo::of(&report) });
        }
        step.info.residual = step.info.residual.max(report.residuals.worst());
        if report.status == SolveStatus::Solved {
            if report.residuals.worst() > self.many.options.tolerance {
                step.info.loose += 1;
                step.info.slack += self.slack();
            }
            return Ok(());
        }
        Err(StepFailure::unsolved_friction(t, h, &self.condensed(), &report))
    }

    /// Σ|w·p| of the impulses found.
    fn slack(&mut self) -> f64 {
        let (problem, p) = (&self.problem, &self.law.p);
        problem.body_velocities(p, &mut self.v);
        self.u_after.resize(p.len(), 0.0);
        problem.contact_velocities(&self.v, &mut self.u_after);
        slack(problem.dim, p, &self.u_after, |i| problem.cone(i))
    }

    /// Solves with W formed; impulses end inside their cones, and are judged there.
    fn solve_condensed(&mut self) -> SolveReport {
        let problem = self.condensed();
        let r = &mut self.law.p;
        let mut report = self.few.solve(&problem, r);
        for i in 0..problem.len() {
            let (cone, d) = (problem.cone(i), problem.dim());
            match &mut r[i * d..(i + 1) * d] {
                [a, b] => [*a, *b] = cone.project(&[*a, *b]),
                [a, b, c] => [*a, *b, *c] = cone.project(&[*a, *b, *c]),
                [a, b, c, e, f] => [*a, *b, *c, *e, *f] = cone.project(&[*a, *b, *c, *e, *f]),
                _ => {}
            }
        }
        report.residuals = self.problem.residuals(r);
        let reached = report.residuals.worst();
        if reached <= 2.0 * self.few.options.tolerance {
            report.status = SolveStatus::Solved;
        } else if report.status == SolveStatus::Solved && reached > self.few.options.acceptable() {
            report.status = SolveStatus::NotConverged;
        }
        report
    }

    /// The problem of the last step and its impulses.
    pub fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        (!self.points.is_empty()).then(|| {
            let mut problem = if self.checked { self.law.problem.clone() } else { self.condensed() };
            let mut r = self.law.p.clone();
            rolling::in_metres(&self.lengths, &mut problem, &mut r);
            (problem, r)
        })
    }

    /// Whether any contact has friction, in its tangent plane or against rolling.
    fn has_friction(&self) -> bool {
        self.problem.mu.iter().chain(&self.problem.mu_rolling).any(|&mu| mu > 0.0)
    }

    /// The same problem with W formed.
    fn condensed(&self) -> FrictionProblem {
        let mut problem = self.problem.condense().unwrap_or_else(|| FrictionProblem::empty(self.problem.dim));
        problem.ids.clear();
        problem.ids.extend(self.points.iter().map(|p| p.id as usize));
        problem
    }

    /// Impulses, velocities and gaps at the end of the step, where bodies have these frames; gives the work on bodies that
    /// are moved.
    pub fn conclude(&mut self, from: &ContactStart, frames: &[Frame], step: &mut Step, next: &mut Memory) -> f64 {
        let (d, theta) = (self.problem.dim, self.laws.theta);
        let fremond = self.laws.friction == FrictionLaw::Fremond;
        next.persistent.clear();
        let mut moved = 0.0;
        step.places.clear();
        step.places.extend(self.points.iter().map(|point| ContactPlace::of(point, from.frames)));
        self.u_after.clear();
        for (i, point) in self.points.iter().enumerate() {
            let of = i * d..(i + 1) * d;
            let r = &self.law.p[of.clone()];
            for k in 0..d {
                let mut u = 0.0;
                for side in 0..2 {
                    let row = &self.problem.H[(2 * i + side) * d + k];
                    let body = point.bodies[side];
                    u += apply(row, &from.seen.after[body]);
                    if self.problem.bodies[i][side] == TwoBodyProblem::GROUND {
                        let (b, a) = (apply(row, &from.seen.before[body]), apply(row, &from.seen.after[body]));
                        moved += r[k] * ((1.0 - theta) * b + theta * a);
                    }
                }
                self.u_after.push(u);
            }
            let c = &mut step.contacts[i];
            c.u_free = self.law.u_free.get(i * d).copied().unwrap_or(c.u_before);
            c.gap = point.gap_at(&frames[point.bodies[0]], &frames[point.bodies[1]]);
            let ending = Ending {
                r,
                before: &self.law.u_before[of.clone()],
                after: &self.u_after[of],
                tangents: if self.scene.is_planar() { 1 } else { 2 },
                frictional: self.problem.mu[i] > 0.0 || self.problem.mu_rolling.get(i).is_some_and(|&mu| mu > 0.0),
                length: self.lengths.get(i).copied(),
                fremond: if self.checked { self.law.fremond(i) } else { fremond },
            };
            step.friction.push(ending.conclude(c));
            next.persistent.push(ending.persistent(point.id, self.mobility(i) * r[0]));
        }
        judge(step, self.alpha, |i| (self.problem.mu[i], next.persistent[i].push));
        moved
    }

    /// W_NN of contact i.
    fn mobility(&self, i: usize) -> f64 {
        let (problem, d) = (&self.problem, self.problem.dim);
        let mut sum = 0.0;
        for side in 0..2 {
            let body = problem.bodies[i][side];
            if body == TwoBodyProblem::GROUND {
                continue;
            }
            let (h, A) = (&problem.H[(2 * i + side) * d], &problem.inverse_inertia[body as usize]);
            sum += problem.inverse_mass[body as usize] * (h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
            for k in 0..3 {
                sum += h[3 + k] * (A[3 * k] * h[3] + A[3 * k + 1] * h[4] + A[3 * k + 2] * h[5]);
            }
        }
        sum
    }
}
