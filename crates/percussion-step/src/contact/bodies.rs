//! Contacts of one step: which take part, their rows, the law, the impulses.
//!
//!   hold, …  g + h U_k ≤ 0 by the activation rule,    b_N = U_free + ê U_k,    b_T = u_free,T + α u_k,T
//!   gap      all within reach of the step,             b_N = U_free + γ g_k/h:    0 ≤ γ g_k + h U_{k+1} ⟂ P ≥ 0   (θ = 1, e = 0)
//!
//! γ = 1, and 1/5 for the first 1e-5 of a body's size where the contact pushed in the last step: such a gap is what a tolerance left,
//! and fades.
//!
//! Where a pair of materials resists rolling every contact has five components, the last two turning times a length.
//!
//! Where the law needs W (the checked rule) or the contacts are few, W is formed; else bodies are solved two at a time.

use crate::bodies::rolling;
use crate::bodies::rows::{
    apply, directions, normal_velocity, own, rolling_axes, rolling_length, rolling_row, row, seen,
};
use crate::bodies::spin::FreeMotion;
use crate::contact::activation::Approach;
use crate::contact::friction_rule::{FrictionRule, Velocities};
use crate::{
    Activation, ContactState, ContactStatus, FrictionLaw, Memory, PersistentContact, Step, StepFailure, Tangential,
};
use percussion_model::bodies::{Bodies, ContactPoint, Frame, Twist};
use percussion_solve::friction::{FrictionProblem, FrictionSolver, TwoBodyProblem, TwoBodySolver};
use percussion_solve::{SolveReport, SolveStatus, SolverOptions};

/// Contacts up to which W is formed in any case: more methods solve it.
const FEW: usize = 40;
/// Contacts up to which W is formed when two bodies at a time did not get there.
const MANY: usize = 5000;
/// Part of a small gap that a contact closes in one step if it pushed in the last. What is left of a solve within its tolerance
/// becomes a gap; closing all of it at once asks for the slowest modes of a pile anew in every step (boxes at rest: 440 sweeps
/// a step instead of 110, gaps of 2e-7 m instead of 6e-7 m).
const CLOSING: f64 = 0.2;
/// Gaps that count as small, in parts of a body's size. What exceeds them is closed at once.
const SMALL: f64 = 1e-5;
/// Part of a body's size that a law on the gap pushes out in one step at most.
const RECOVERY: f64 = 1e-3;

/// γ g_k: the part of a gap that the law of `gap` closes in one step.
pub fn closed_in_step(scene: &Bodies, bodies: [usize; 2], gap: f64, pushed: bool) -> f64 {
    // what has no shape has no size
    let reach = bodies.map(|b| scene.bodies()[b].reach).into_iter().filter(|&r| r > 0.0);
    let size = reach.fold(f64::INFINITY, f64::min);
    let size = if size.is_finite() { size } else { 1.0 };
    let mut gap = gap.max(-RECOVERY * size);
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
    /// What those that rub obey.
    pub friction: FrictionLaw,
}

/// What is known at the start of a step.
pub struct BodiesStart<'a> {
    /// The scene.
    pub scene: &'a Bodies,
    /// Frames of all bodies.
    pub frames: &'a [Frame],
    /// Their velocities before, as rows see them …
    pub before: &'a [Twist],
    /// … and of bodies that are moved, after the step.
    pub imposed: &'a [Twist],
    /// The memory of the last step.
    pub memory: &'a Memory,
    /// t_k [s].
    pub t: f64,
    /// h [s].
    pub h: f64,
}

/// The contacts of a step with their solvers.
#[derive(Debug)]
pub struct Contacts {
    laws: Laws,
    /// (1 − θ)/θ: ê of opening contacts and α of Frémond's law.
    alpha: f64,
    rule: FrictionRule,
    few: FrictionSolver,
    many: TwoBodySolver,
    /// The contacts of the index set.
    pub points: Vec<ContactPoint>,
    problem: TwoBodyProblem,
    /// The problem with W formed as the checked rule solved it: its b depends on the law.
    checked: Option<FrictionProblem>,
    restitution: Vec<f64>,
    /// ℓ of each contact, where rolling is resisted [m].
    lengths: Vec<f64>,
    /// Velocities in blocks of d: before, at the end without impulses, at the end.
    u_before: Vec<f64>,
    u_free: Vec<f64>,
    u_after: Vec<f64>,
    /// Velocities of bodies that are moved, in blocks of d, at the end of the step.
    imposed: Vec<f64>,
    fremond: Vec<bool>,
    r: Vec<f64>,
    /// Velocities of the bodies after the step.
    pub v: Vec<[f64; 6]>,
}

impl Contacts {
    /// Without memory yet.
    pub fn new(laws: Laws, options: SolverOptions) -> Self {
        let alpha = (1.0 - laws.theta) / laws.theta;
        Self {
            laws,
            alpha,
            rule: FrictionRule::new(laws.friction, alpha, options),
            // projected on the cones afterwards, which costs up to as much again
            few: FrictionSolver::new(SolverOptions { tolerance: 0.5 * options.tolerance, ..options }),
            many: TwoBodySolver::new(options),
            points: Vec::new(),
            problem: TwoBodyProblem::default(),
            checked: None,
            restitution: Vec::new(),
            lengths: Vec::new(),
            u_before: Vec::new(),
            u_free: Vec::new(),
            u_after: Vec::new(),
            imposed: Vec::new(),
            fremond: Vec::new(),
            r: Vec::new(),
            v: Vec::new(),
        }
    }

    /// Threads that islands of contacts are shared among.
    pub fn use_threads(&mut self, threads: usize) {
        self.many.threads = threads;
    }

    /// Components of a contact.
    fn dim(from: &BodiesStart) -> usize {
        match from.scene.has_rolling() {
            true => 5,
            false if from.scene.is_planar() => 2,
            false => 3,
        }
    }

    /// Chooses the index set among the contacts found, and takes the last impulses as a first guess.
    pub fn select(&mut self, from: &BodiesStart, found: &[ContactPoint], step: &mut Step, next: &mut Memory) {
        let (scene, h) = (from.scene, from.h);
        let d = Self::dim(from);
        self.points.clear();
        self.restitution.clear();
        self.r.clear();
        step.contacts.clear();
        step.friction.clear();
        step.smallest_gap = None;
        let mut u_max = from.memory.u_max;
        let mut last = from.memory.persistent.iter().peekable();
        for point in found {
            while last.next_if(|p| p.id < point.id).is_some() {}
            let persistent = last.peek().filter(|p| p.id == point.id);
            let u = normal_velocity(scene, point, from.frames, from.before);
            u_max = u_max.max(u.abs());
            if step.smallest_gap.is_none_or(|(g, _)| point.gap < g) {
                step.smallest_gap = Some((point.gap, point.id as usize));
            }
            let approach = Approach { gap: point.gap, u, push: persistent.map_or(0.0, |p| p.push) };
            if !self.laws.activation.admits(&approach, h, u_max) {
                continue;
            }
            let [a, b] = point.bodies.map(|i| scene.bodies()[i].material);
            let e = scene.materials().law(a, b).restitution;
            self.points.push(*point);
            self.restitution.push(self.laws.activation.restitution(u, e, self.alpha));
            self.r.extend_from_slice(&persistent.map_or([0.0; 5], |p| p.p)[..d]);
            step.contacts.push(ContactState {
                id: point.id as usize,
                gap: point.gap,
                u_before: u,
                u_free: u,
                u_after: u,
                p: 0.0,
            });
        }
        next.u_max = u_max;
        self.rows(from);
    }

    /// H, and the velocities before the step.
    fn rows(&mut self, from: &BodiesStart) {
        let scene = from.scene;
        let d = Self::dim(from);
        let problem = &mut self.problem;
        problem.dim = d;
        problem.bodies.clear();
        problem.H.clear();
        problem.mu.clear();
        problem.mu_rolling.clear();
        self.lengths.clear();
        self.u_before.clear();
        self.imposed.clear();
        for point in &self.points {
            let free = point.bodies.map(|i| scene.bodies()[i].is_free());
            let index = |side: usize| if free[side] { point.bodies[side] as u32 } else { TwoBodyProblem::GROUND };
            problem.bodies.push([index(0), index(1)]);
            let [a, b] = point.bodies.map(|i| scene.bodies()[i].material);
            let law = scene.materials().law(a, b);
            problem.mu.push(law.friction);
            let directions = directions(scene, &point.normal);
            let (axes, length) = (rolling_axes(scene, &directions), rolling_length(scene, point.bodies));
            if d == 5 {
                problem.mu_rolling.push(law.rolling / length);
                self.lengths.push(length);
            }
            // components beyond the plane have no rows
            let exists = |k: usize| !scene.is_planar() || k < 2 || k == 3;
            let first = self.u_before.len();
            self.u_before.resize(first + d, 0.0);
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
                    self.u_before[first + k] += apply(&row, &from.before[body]);
                    if !free[side] {
                        self.imposed[first + k] += apply(&row, &from.imposed[body]);
                    }
                    problem.H.push(row);
                }
            }
        }
    }

    /// Solves the law for these free motions; velocities of the bodies after the step go to `v`.
    pub fn solve(&mut self, from: &BodiesStart, free: &[FreeMotion], step: &mut Step) -> Result<(), StepFailure> {
        let d = Self::dim(from);
        let problem = &mut self.problem;
        problem.inverse_mass.clear();
        problem.inverse_inertia.clear();
        problem.v.clear();
        for (i, motion) in free.iter().enumerate() {
            let Twist { v, w } = seen(&from.scene.bodies()[i], &from.frames[i], &motion.twist);
            let A = &motion.inverse_inertia;
            problem.inverse_mass.push(motion.inverse_mass);
            problem
                .inverse_inertia
                .push([A[0][0], A[0][1], A[0][2], A[1][0], A[1][1], A[1][2], A[2][0], A[2][1], A[2][2]]);
            problem.v.push([v[0], v[1], v[2], w[0], w[1], w[2]]);
        }
        self.v.clone_from(&problem.v);
        if self.points.is_empty() {
            self.turn_back(from);
            return Ok(());
        }
        problem.w.clone_from(&self.imposed);
        self.u_free.resize(self.u_before.len(), 0.0);
        problem.contact_velocities(&problem.v, &mut self.u_free);
        if let Some(k) = self.u_free.iter().position(|u| !u.is_finite()) {
            return Err(StepFailure::not_finite(from.t, from.h, self.points[k / d].bodies[0]));
        }
        let report = self.impulses(from, step);
        if let Err(report) = report {
            let problem = self.checked.take().unwrap_or_else(|| self.condensed());
            return Err(StepFailure::unsolved_friction(from.t, from.h, &problem, &report));
        }
        self.problem.body_velocities(&self.r, &mut self.v);
        self.turn_back(from);
        Ok(())
    }

    /// Angular velocities in the frames of their bodies.
    fn turn_back(&mut self, from: &BodiesStart) {
        for (i, v) in self.v.iter_mut().enumerate() {
            let w = own(&from.scene.bodies()[i], &from.frames[i], &[v[3], v[4], v[5]]);
            v[3..].copy_from_slice(&w);
        }
    }

    fn impulses(&mut self, from: &BodiesStart, step: &mut Step) -> Result<(), SolveReport> {
        let d = Self::dim(from);
        let n = self.points.len();
        let on_gap = self.laws.activation == Activation::Gap;
        let rubs = self.rubs();
        self.fremond.clear();
        self.checked = None;

        // the checked rule looks at W
        if rubs && self.alpha > 0.0 && self.laws.friction == FrictionLaw::Checked {
            let mut problem = self.condensed();
            self.rule.fremond.clear();
            let u =
                Velocities { before: &self.u_before, free: &self.u_free, restitution: &self.restitution, positions: 0 };
            let outcome = self.rule.solve(&mut problem, u, &mut self.r);
            self.checked = Some(problem);
            let report = outcome?;
            self.fremond.extend_from_slice(&self.rule.fremond);
            step.info.solves += report.solves;
            step.info.iterations += report.iterations;
            step.info.residual = step.info.residual.max(report.residual);
            step.info.impacts += report.impacts;
            step.info.fallbacks += report.fallbacks;
            return Ok(());
        }

        // one problem: what the law adds to the velocity at the end of the step
        let fremond = self.laws.friction == FrictionLaw::Fremond;
        self.fremond.resize(n, fremond);
        for (i, point) in self.points.iter().enumerate() {
            // r still holds what the contact did in the last step
            let gap = closed_in_step(from.scene, point.bodies, point.gap, self.r[i * d] > 0.0);
            self.problem.w[i * d] += if on_gap { gap / from.h } else { self.restitution[i] * self.u_before[i * d] };
            for k in i * d + 1..(i + 1) * d {
                self.problem.w[k] += if fremond { self.alpha * self.u_before[k] } else { 0.0 };
            }
        }
        let mut report =
            if n > FEW { self.many.solve(&self.problem, &mut self.r, &mut self.v) } else { self.solve_condensed() };
        step.info.solves += 1;
        step.info.iterations += report.iterations;
        if report.status != SolveStatus::Solved && (FEW..MANY).contains(&n) {
            report = self.solve_condensed();
            step.info.solves += 1;
            step.info.iterations += report.iterations;
        }
        step.info.residual = step.info.residual.max(report.residuals.worst());
        if report.status == SolveStatus::Solved { Ok(()) } else { Err(report) }
    }

    /// Solves with W formed; impulses end inside their cones, and are judged there.
    fn solve_condensed(&mut self) -> SolveReport {
        let problem = self.condensed();
        let mut report = self.few.solve(&problem, &mut self.r);
        for i in 0..problem.len() {
            let (cone, d) = (problem.cone(i), problem.dim());
            match &mut self.r[i * d..(i + 1) * d] {
                [a, b] => [*a, *b] = cone.project(&[*a, *b]),
                [a, b, c] => [*a, *b, *c] = cone.project(&[*a, *b, *c]),
                [a, b, c, e, f] => [*a, *b, *c, *e, *f] = cone.project(&[*a, *b, *c, *e, *f]),
                _ => {}
            }
        }
        report.residuals = self.problem.residuals(&self.r);
        if report.residuals.worst() <= 2.0 * self.few.options.tolerance {
            report.status = SolveStatus::Solved;
        }
        report
    }

    /// The problem of the last step and its impulses, where something rubbed.
    pub fn friction_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        let rubs = !self.points.is_empty() && self.rubs();
        rubs.then(|| {
            let mut problem = self.checked.clone().unwrap_or_else(|| self.condensed());
            let mut r = self.r.clone();
            rolling::in_metres(&self.lengths, &mut problem, &mut r);
            (problem, r)
        })
    }

    /// Whether any contact rubs or resists rolling.
    fn rubs(&self) -> bool {
        self.problem.mu.iter().chain(&self.problem.mu_rolling).any(|&mu| mu > 0.0)
    }

    /// The same problem with W formed.
    fn condensed(&self) -> FrictionProblem {
        let mut problem = self.problem.condense().unwrap_or_else(|| FrictionProblem::empty(self.problem.dim));
        problem.ids.clear();
        problem.ids.extend(self.points.iter().map(|p| p.id as usize));
        problem
    }

    /// Impulses, velocities (`twists` as rows see them) and gaps at the end of the step; gives the work on bodies that are
    /// moved.
    pub fn conclude(
        &mut self,
        from: &BodiesStart,
        frames: &[Frame],
        twists: &[Twist],
        step: &mut Step,
        next: &mut Memory,
    ) -> f64 {
        let d = Self::dim(from);
        let theta = self.laws.theta;
        next.persistent.clear();
        let mut moved = 0.0;
        self.u_after.clear();
        for (i, point) in self.points.iter().enumerate() {
            let r = &self.r[i * d..(i + 1) * d];
            for k in 0..d {
                let mut u = 0.0;
                for side in 0..2 {
                    let row = &self.problem.H[(2 * i + side) * d + k];
                    let body = point.bodies[side];
                    u += apply(row, &twists[body]);
                    if self.problem.bodies[i][side] == TwoBodyProblem::GROUND {
                        let mean = (1.0 - theta) * apply(row, &from.before[body]) + theta * apply(row, &twists[body]);
                        moved += r[k] * mean;
                    }
                }
                self.u_after.push(u);
            }
            let u = &self.u_after[i * d..];
            let before = &self.u_before[i * d..(i + 1) * d];
            let free = self.u_free.get(i * d).copied().unwrap_or(before[0]);
            let c = &mut step.contacts[i];
            c.p = r[0];
            c.u_after = u[0];
            c.u_free = free;
            c.gap = point.gap_at(&frames[point.bodies[0]], &frames[point.bodies[1]]);
            let mobility = self.mobility(i);
            let mut p = [0.0; 5];
            p[..d].copy_from_slice(r);
            next.persistent.push(PersistentContact { id: point.id, p, push: mobility * r[0] });
            let n = if from.scene.is_planar() { 1 } else { 2 };
            let mut tangential = Tangential { n, fremond: self.fremond[i], ..Default::default() };
            tangential.u_before[..n].copy_from_slice(&before[1..=n]);
            tangential.u_after[..n].copy_from_slice(&u[1..=n]);
            tangential.p[..n].copy_from_slice(&r[1..=n]);
            if let Some(&length) = self.lengths.get(i) {
                rolling::conclude(&mut tangential, length, before, u, r);
            }
            tangential.rubs = self.problem.mu[i] > 0.0 || self.problem.mu_rolling.get(i).is_some_and(|&mu| mu > 0.0);
            tangential.status = self.status(i, r, &tangential, mobility);
            step.friction.push(tangential);
        }
        moved
    }

    fn status(&self, i: usize, r: &[f64], along: &Tangential, mobility: f64) -> ContactStatus {
        use percussion_solve::friction::ContactStatus as Judged;
        let mu = self.problem.mu[i];
        if mu == 0.0 || r[0] <= 0.0 {
            return if r[0] > 0.0 { ContactStatus::Closed } else { ContactStatus::Open };
        }
        let alpha = if along.fremond { self.alpha } else { 0.0 };
        let w: [f64; 2] = std::array::from_fn(|k| along.u_after[k] + alpha * along.u_before[k]);
        match Judged::judge(mu, &[r[0], along.p[0], along.p[1]], &[0.0, w[0], w[1]], mobility * r[0]) {
            Judged::Open => ContactStatus::Open,
            Judged::Closed => ContactStatus::Closed,
            Judged::Stick => ContactStatus::Stick,
            Judged::Slip => ContactStatus::Slip,
        }
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
