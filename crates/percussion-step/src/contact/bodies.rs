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
use crate::{
    Activation, ContactPlace, ContactState, FrictionLaw, Memory, Step, StepFailure, StepInfo, StepStart, Tangential,
};
use percussion_matrix::parts::{in_parts, in_parts_of_two, made_by};
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

/// A contact found, before it is known whether it takes part.
#[derive(Clone, Copy, Debug, Default)]
struct Candidate {
    /// U_k [m/s].
    u: f64,
    e: f64,
    /// Its place among the contacts of the last step.
    last: Option<u32>,
}

/// The rows of a contact for its two bodies; components beyond the plane have none.
fn contact_rows(scene: &Bodies, frames: &[Frame], point: &ContactPoint, rows: &mut [[f64; 6]]) {
    let d = rows.len() / 2;
    let directions = directions(scene, &point.normal);
    let (axes, length) = (rolling_axes(scene, &directions), rolling_length(scene, point.bodies));
    let exists = |k: usize| !scene.is_planar() || k < 2 || k == 3;
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        let body = point.bodies[side];
        let (of, frame) = (&scene.bodies()[body], &frames[body]);
        for k in 0..d {
            rows[side * d + k] = match k {
                _ if !exists(k) => [0.0; 6],
                0..3 => row(of, frame, &point.arms[side], &directions[k], sign),
                _ => rolling_row(of, frame, &axes[k - 3], sign * length),
            };
        }
    }
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

/// The velocities of all bodies as rows see them, into `out`, on so many threads.
pub fn see(scene: &Bodies, frames: &[Frame], twists: &[Twist], threads: usize, out: &mut Vec<Twist>) {
    made_by(out, twists.len(), threads, |i| seen(&scene.bodies()[i], &frames[i], &twists[i]));
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
    candidates: Vec<Candidate>,
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
            candidates: Vec::new(),
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
        let known = &from.step.memory.persistent;
        self.candidates.resize(found.len(), Candidate::default());
        in_parts(&mut self.candidates, 1, self.many.threads, |first, part| {
            let mut last = found.get(first).map_or(0, |point| known.partition_point(|p| p.id < point.id));
            for (point, candidate) in found[first..].iter().zip(part) {
                while known.get(last).is_some_and(|p| p.id < point.id) {
                    last += 1;
                }
                *candidate = Candidate {
                    u: normal_velocity(scene, point, from.frames, &from.seen.before),
                    e: scene.law_between(point.bodies, point.id).restitution,
                    last: known.get(last).is_some_and(|p| p.id == point.id).then_some(last as u32),
                };
            }
        });
        let mut set = IndexSet::new(self.laws.activation, self.alpha, &from.step);
        for (point, &Candidate { u, e, last }) in found.iter().zip(&self.candidates) {
            let persistent = last.map(|last| &known[last as usize]);
            let approach = Approach { gap: point.gap, u, push: persistent.map_or(0.0, |p| p.push) };
            let Some(e) = set.admit(point.id as usize, &approach, || e) else { continue };
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
        let threads = self.many.threads;
        let Self { scene, points, problem, lengths, imposed, law, .. } = self;
        let (d, n) = (problem.dim, points.len());
        let free = |body: usize| scene.bodies()[body].is_free();
        let law_of = |i: usize| scene.law_between(points[i].bodies, points[i].id);
        let index = |body: usize| if free(body) { body as u32 } else { TwoBodyProblem::GROUND };
        made_by(&mut problem.bodies, n, threads, |i| points[i].bodies.map(index));
        made_by(&mut problem.mu, n, threads, |i| law_of(i).friction);
        let rolling = if d == 5 { n } else { 0 };
        made_by(lengths, rolling, threads, |i| rolling_length(scene, points[i].bodies));
        made_by(&mut problem.mu_rolling, rolling, threads, |i| law_of(i).rolling / lengths[i]);
        problem.H.resize(2 * d * n, [0.0; 6]);
        in_parts(&mut problem.H, 2 * d, threads, |first, rows| {
            for (point, rows) in points[first..].iter().zip(rows.chunks_exact_mut(2 * d)) {
                contact_rows(scene, from.frames, point, rows);
            }
        });
        law.u_before.resize(d * n, 0.0);
        imposed.resize(d * n, 0.0);
        let H = &problem.H;
        in_parts_of_two(&mut law.u_before, d, imposed, d, threads, |first, before, imposed| {
            for (i, (before, imposed)) in (first..).zip(before.chunks_exact_mut(d).zip(imposed.chunks_exact_mut(d))) {
                for k in 0..d {
                    (before[k], imposed[k]) = (0.0, 0.0);
                    for (side, &body) in points[i].bodies.iter().enumerate() {
                        let row = &H[(2 * i + side) * d + k];
                        before[k] += apply(row, &from.seen.before[body]);
                        if !free(body) {
                            imposed[k] += apply(row, &from.seen.imposed[body]);
                        }
                    }
                }
            }
        });
    }

    /// Solves the law for these free motions; velocities of the bodies after the step go to `v`.
    pub fn solve(&mut self, from: &ContactStart, free: &[FreeMotion], step: &mut Step) -> Result<(), StepFailure> {
        let (t, h) = (from.step.state.t, from.step.h);
        let (scene, threads, problem) = (&self.scene, self.many.threads, &mut self.problem);
        made_by(&mut problem.inverse_mass, free.len(), threads, |i| free[i].inverse_mass);
        made_by(&mut problem.inverse_inertia, free.len(), threads, |i| {
            let A = &free[i].inverse_inertia;
            [A[0][0], A[0][1], A[0][2], A[1][0], A[1][1], A[1][2], A[2][0], A[2][1], A[2][2]]
        });
        made_by(&mut problem.v, free.len(), threads, |i| {
            let Twist { v, w } = seen(&scene.bodies()[i], &from.frames[i], &free[i].twist);
            [v[0], v[1], v[2], w[0], w[1], w[2]]
        });
        self.v.clone_from(&problem.v);
        if !self.points.is_empty() {
            problem.w.clone_from(&self.imposed);
            self.law.u_free.resize(self.law.u_before.len(), 0.0);
            problem.contact_velocities_by(&problem.v, &mut self.law.u_free, threads);
            if let Some(k) = self.law.u_free.iter().position(|u| !u.is_finite()) {
                return Err(StepFailure::not_finite(t, h, self.points[k / problem.dim].bodies[0]));
            }
            self.impulses(t, h, step)?;
            self.problem.body_velocities_by(&self.law.p, &mut self.v, threads);
        }
        // angular velocities in the frames of their bodies
        let scene = &self.scene;
        in_parts(&mut self.v, 1, threads, |first, v| {
            for (i, v) in (first..).zip(v) {
                let w = own(&scene.bodies()[i], &from.frames[i], &[v[3], v[4], v[5]]);
                v[3..].copy_from_slice(&w);
            }
        });
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
        let (scene, points, alpha) = (&self.scene, &self.points, self.alpha);
        let ContactLaw { p, u_before, restitution, .. } = &self.law;
        in_parts(&mut self.problem.w, d, self.many.threads, |first, w| {
            for (i, w) in (first..).zip(w.chunks_exact_mut(d)) {
                // p still holds what the contact did in the last step
                let gap = closed_in_step(scene, points[i].bodies, points[i].gap, p[i * d] > 0.0);
                w[0] += if on_gap { gap / h } else { restitution[i] * u_before[i * d] };
                for k in 1..d {
                    w[k] += if fremond { alpha * u_before[i * d + k] } else { 0.0 };
                }
            }
        });
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
        let (d, n, threads) = (self.problem.dim, self.points.len(), self.many.threads);
        made_by(&mut step.places, n, threads, |i| ContactPlace::of(&self.points[i], from.frames));
        let mut u_after = std::mem::take(&mut self.u_after);
        u_after.resize(d * n, 0.0);
        let H = &self.problem.H;
        in_parts(&mut u_after, d, threads, |first, u| {
            for (i, u) in (first..).zip(u.chunks_exact_mut(d)) {
                let [a, b] = self.points[i].bodies.map(|body| &from.seen.after[body]);
                for k in 0..d {
                    u[k] = 0.0 + apply(&H[2 * i * d + k], a) + apply(&H[(2 * i + 1) * d + k], b);
                }
            }
        });
        let moved = self.work_on_moved(from);
        let ending = |i: usize| self.ending(i, &u_after);
        step.friction.resize(n, Tangential::default());
        in_parts_of_two(&mut step.contacts, 1, &mut step.friction, 1, threads, |first, contacts, friction| {
            for (i, (c, tangential)) in (first..).zip(contacts.iter_mut().zip(friction)) {
                let point = &self.points[i];
                c.u_free = self.law.u_free.get(i * d).copied().unwrap_or(c.u_before);
                c.gap = point.gap_at(&frames[point.bodies[0]], &frames[point.bodies[1]]);
                *tangential = ending(i).conclude(c);
            }
        });
        made_by(&mut next.persistent, n, threads, |i| {
            ending(i).persistent(self.points[i].id, self.mobility(i) * self.law.p[i * d])
        });
        self.u_after = u_after;
        judge(step, self.alpha, |i| (self.problem.mu[i], next.persistent[i].push));
        moved
    }

    /// Contact i at the end of the step, where the contacts have these velocities.
    fn ending<'a>(&'a self, i: usize, u_after: &'a [f64]) -> Ending<'a> {
        let (d, problem) = (self.problem.dim, &self.problem);
        let of = i * d..(i + 1) * d;
        let fremond = self.laws.friction == FrictionLaw::Fremond;
        Ending {
            r: &self.law.p[of.clone()],
            before: &self.law.u_before[of.clone()],
            after: &u_after[of],
            tangents: if self.scene.is_planar() { 1 } else { 2 },
            frictional: problem.mu[i] > 0.0 || problem.mu_rolling.get(i).is_some_and(|&mu| mu > 0.0),
            length: self.lengths.get(i).copied(),
            fremond: if self.checked { self.law.fremond(i) } else { fremond },
        }
    }

    /// The work of the impulses on bodies that are moved.
    fn work_on_moved(&self, from: &ContactStart) -> f64 {
        let (d, theta, problem) = (self.problem.dim, self.laws.theta, &self.problem);
        let mut moved = 0.0;
        let held = |i: usize| problem.bodies[i].contains(&TwoBodyProblem::GROUND);
        for (i, point) in self.points.iter().enumerate().filter(|(i, _)| held(*i)) {
            for k in 0..d {
                for side in (0..2).filter(|&side| problem.bodies[i][side] == TwoBodyProblem::GROUND) {
                    let (row, body) = (&problem.H[(2 * i + side) * d + k], point.bodies[side]);
                    let (b, a) = (apply(row, &from.seen.before[body]), apply(row, &from.seen.after[body]));
                    moved += self.law.p[i * d + k] * ((1.0 - theta) * b + theta * a);
                }
            }
        }
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
