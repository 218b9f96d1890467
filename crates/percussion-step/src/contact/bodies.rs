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

mod impulses;

use self::impulses::hold;
use crate::bodies::mean_frames::MeanFrames;
use crate::bodies::rolling;
use crate::bodies::rows::{
    apply, directions, normal_velocity, own, rolling_axes, rolling_length, rolling_row, row, seen,
};
use crate::bodies::spin::FreeMotion;
use crate::contact::activation::{Approach, IndexSet};
use crate::contact::conclusion::Ending;
use crate::contact::deep::DeepContacts;
use crate::contact::friction_rule::{put_inside, slack};
use crate::contact::lasting;
use crate::contact::law::ContactLaw;
use crate::step::contact::judge_by;
use crate::{
    Activation, ContactPlace, ContactState, FrictionLaw, Memory, PersistentContact, Step, StepFailure, StepInfo,
    StepStart, Tangential,
};
use percussion_matrix::parts::{Rows, in_parts, in_parts_of_two, made_by, share};
use percussion_matrix::phase;
use percussion_model::bodies::math::{Vec3, sub};
use percussion_model::bodies::{Bodies, ContactPoint, Frame, Twist};
use percussion_solve::friction::{Device, FrictionProblem, FrictionSolver, TwoBodyProblem, TwoBodySolver};
use percussion_solve::{SolveReport, SolveStatus, SolverOptions};
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

/// Part of W_NN that holds impulses to those of the pass before: where they are not unique they would jump from pass to pass, and rows with
/// them. What it leaves of the law goes with their change.
pub const HOLDING: f64 = 1e-8;
/// It grows up to this while rows creep: impulses that are all but not unique have far to go and need not go there, since what is
/// left of the law, ε W Δr, stays the same while their steps Δr get shorter.
pub const MOST_HOLDING: f64 = 1e-4;
/// With rows that follow their impulses problems are solved to this where they can be, in no more iterations than these.
const TIGHT: f64 = 1e-14;
const TIGHT_ITERATIONS: usize = 1000;

/// γ g_k/h: the rate at which the law of `gap` closes a gap in a step of length h. Overlap is pushed out over the `whole` step that it may be
/// a part of: in shorter and shorter parts it would be thrown out faster and faster.
pub fn closing_rate(scene: &Bodies, bodies: [usize; 2], gap: f64, pushed: bool, (h, whole): (f64, Option<f64>)) -> f64 {
    // what has no shape has no size
    let reach = bodies.map(|b| scene.bodies()[b].reach).into_iter().filter(|&r| r > 0.0);
    let size = reach.fold(f64::INFINITY, f64::min);
    let size = if size.is_finite() { size } else { 1.0 };
    let gap = gap.max(-RECOVERY * size);
    let mut gap = gap - gap.clamp(-FLAT * size, FLAT * size);
    if pushed {
        gap -= (1.0 - CLOSING) * gap.clamp(-SMALL * size, SMALL * size);
    }
    gap / if gap < 0.0 { whole.unwrap_or(h) } else { h }
}

/// A contact found, before it is known whether it takes part.
#[derive(Clone, Copy, Debug, Default)]
struct Candidate {
    /// Its name, g_k [m] and U_k [m/s].
    id: usize,
    gap: f64,
    u: f64,
    e: f64,
    /// W_NN P of the last step [m/s].
    push: f64,
    /// Its place among the contacts of the last step.
    last: Option<u32>,
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
    /// Those that take part, in their order.
    chosen: Vec<u32>,
    deep: DeepContacts,
    /// The contacts of the index set, their directions, and the arms of their rows.
    pub points: Vec<ContactPoint>,
    directions: Vec<[Vec3; 3]>,
    arms: Vec<[Vec3; 2]>,
    /// Where they touch in the middle of the step, for rows in the mean frame.
    places: Vec<Vec3>,
    /// The bodies they touch.
    pub bodies: Vec<usize>,
    problem: TwoBodyProblem,
    /// Whether the law solved the problem, with W formed.
    checked: bool,
    /// Whether the step's problem was solved before, with other rows.
    again: bool,
    /// How much impulses are held, in parts of W_NN.
    holding: f64,
    /// ℓ of each contact, where rolling is resisted [m].
    lengths: Vec<f64>,
    u_after: Vec<f64>,
    /// Velocities of bodies that are moved, in blocks of d, at the start and at the end of the step.
    told: [Vec<f64>; 2],
    /// Rows and velocities of moved bodies of the pass before.
    last_H: Vec<[f64; 6]>,
    last_told: Vec<f64>,
    /// Velocities of the bodies after the step.
    pub v: Vec<[f64; 6]>,
    /// Whether the solver has just left them there for the impulses as they are.
    known: bool,
    /// The length of the step that the next ones are parts of.
    pub whole: Option<f64>,
}

/// What the rows of a contact follow from, besides the contact.
struct Contact<'a> {
    scene: &'a Bodies,
    from: &'a ContactStart<'a>,
    mean: Option<&'a MeanFrames>,
}

impl Contact<'_> {
    /// The rows of a contact, its velocity before the step, and what of it moved bodies are told at both ends of the step.
    fn rows(
        &self,
        point: &ContactPoint,
        directions: &[Vec3; 3],
        arms: &[Vec3; 2],
        H: &mut [[f64; 6]],
        u_before: &mut [f64],
        mut told: [&mut [f64]; 2],
    ) {
        let Self { scene, from, mean } = *self;
        let d = u_before.len();
        u_before.fill(0.0);
        told.iter_mut().for_each(|u| u.fill(0.0));
        let (axes, length) = (rolling_axes(scene, directions), rolling_length(scene, point.bodies));
        // components beyond the plane have no rows
        let exists = |k: usize| !scene.is_planar() || k < 2 || k == 3;
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let body = point.bodies[side];
            let of = &scene.bodies()[body];
            let tilt = mean.map_or([0.0; 3], |mean| mean.tilts[body]);
            let row = |k: usize, arm: &Vec3| match k {
                _ if !exists(k) => [0.0; 6],
                0..3 => row(of, &from.frames[body], &tilt, arm, &directions[k], sign),
                _ => rolling_row(of, &from.frames[body], &tilt, &axes[k - 3], sign * length),
            };
            let own = &mut H[side * d..(side + 1) * d];
            own.iter_mut().enumerate().for_each(|(k, own)| *own = row(k, &arms[side]));
            if of.is_free() {
                (0..d).for_each(|k| u_before[k] += apply(&own[k], &from.seen.before[body]));
                continue;
            }
            let ends = [(from.frames, &from.seen.before), (mean.map_or(from.frames, |m| &m.end), &from.seen.imposed)];
            for (told, (frames, twists)) in told.iter_mut().zip(ends) {
                if twists[body] == Twist::default() {
                    continue;
                }
                let arm = match mean {
                    Some(_) => {
                        let [a, b] = point.bodies.map(|i| &frames[i]);
                        sub(&point.place_at(a, b).1, &frames[body].x)
                    }
                    None => arms[side],
                };
                (0..d).for_each(|k| told[k] += apply(&row(k, &arm), &twists[body]));
            }
            (0..d).for_each(|k| u_before[k] += told[0][k]);
        }
    }
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
            chosen: Vec::new(),
            deep: DeepContacts::new(scene, laws.activation),
            points: Vec::new(),
            directions: Vec::new(),
            arms: Vec::new(),
            places: Vec::new(),
            bodies: Vec::new(),
            problem: TwoBodyProblem { dim: d, ..Default::default() },
            checked: false,
            again: false,
            holding: HOLDING,
            lengths: Vec::new(),
            u_after: Vec::new(),
            told: [Vec::new(), Vec::new()],
            last_H: Vec::new(),
            last_told: Vec::new(),
            v: Vec::new(),
            known: false,
            whole: None,
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

    /// Chooses the index set among the contacts found, and takes the last impulses as a first guess.
    pub fn select(&mut self, from: &ContactStart, found: &[ContactPoint], step: &mut Step, next: &mut Memory) {
        let (d, threads, alpha) = (self.problem.dim, self.many.threads, self.alpha);
        let Self { scene, candidates, chosen, points, law, deep, .. } = self;
        law.clear();
        step.friction.clear();
        let known = &from.step.memory.persistent;
        made_by(candidates, found.len(), threads, |i| {
            let point = &found[i];
            let size = point.bodies.map(|b| scene.bodies()[b].reach).into_iter().fold(f64::INFINITY, f64::min);
            let last = lasting::predecessor(size, known, found, i);
            Candidate {
                id: point.id as usize,
                gap: point.gap,
                u: normal_velocity(scene, point, from.frames, &from.seen.before),
                e: scene.law_between(point.bodies, point.id).restitution,
                push: last.map_or(0.0, |last| known[last].push),
                last: last.map(|last| last as u32),
            }
        });
        // one after the other, since some rules look at the fastest so far
        let mut set = IndexSet::new(self.laws.activation, alpha, &from.step);
        chosen.clear();
        for (i, candidate) in candidates.iter_mut().enumerate() {
            let Candidate { id, gap, u, e, push, .. } = *candidate;
            if let Some(e) = set.admit(id, &Approach { gap, u, push }, || e) {
                candidate.e = e;
                chosen.push(i as u32);
            }
        }
        set.finish(step, next);
        let n = chosen.len();
        let last = |k: usize| candidates[chosen[k] as usize].last.map(|last| &known[last as usize]);
        made_by(points, n, threads, |k| found[chosen[k] as usize]);
        deep.hold(scene, points, threads, last);
        made_by(&mut law.restitution, n, threads, |k| deep.restitution(k, candidates[chosen[k] as usize].e, alpha));
        law.p.resize(d * n, 0.0);
        in_parts(&mut law.p, d, threads, |first, p| {
            for (k, p) in (first..).zip(p.chunks_exact_mut(d)) {
                p.copy_from_slice(&last(k).map_or([0.0; 5], |last| last.p)[..d]);
            }
        });
        made_by(&mut step.contacts, n, threads, |k| {
            let Candidate { id, gap, u, .. } = candidates[chosen[k] as usize];
            ContactState::before(id, gap, u)
        });
        self.again = false;
        self.holding = HOLDING;
        if !self.in_the_mean_frame() {
            let Self { scene, points, .. } = self;
            made_by(&mut self.directions, n, threads, |k| directions(scene, &points[k].normal));
            made_by(&mut self.arms, n, threads, |k| points[k].arms);
            self.rows(from, None);
            return;
        }
        self.bodies.clear();
        self.bodies.extend(self.points.iter().flat_map(|point| point.bodies));
        self.bodies.sort_unstable();
        self.bodies.dedup();
    }

    /// Whether rows are those of the middle of the step: only there is angular momentum exact.
    pub fn in_the_mean_frame(&self) -> bool {
        self.laws.theta == 0.5
    }

    /// Forgets which contacts obeyed Frémond's law: rows of the first pass are only predicted.
    pub fn decide_again(&mut self) {
        self.law.decide_again();
    }

    /// Holds impulses more: rows only creep.
    pub fn hold_more(&mut self) {
        self.holding = (10.0 * self.holding).min(MOST_HOLDING);
    }

    /// Where contacts are in the middle of the step, and their rows there; by how much rows, in parts of a body's size, and velocities
    /// of moved bodies, in parts of what they are, have changed since the last call of the step.
    pub fn place(&mut self, from: &ContactStart, mean: &MeanFrames) -> f64 {
        std::mem::swap(&mut self.last_H, &mut self.problem.H);
        std::mem::swap(&mut self.last_told, &mut self.told[1]);
        self.directions.clear();
        self.places.clear();
        for point in &self.points {
            let [a, b] = point.bodies.map(|i| &mean.middle[i]);
            let (normal, place) = point.place_at(a, b);
            self.directions.push(directions(&self.scene, &normal));
            self.places.push(place);
        }
        self.turn(from, mean);
        self.change_of_rows()
    }

    fn change_of_rows(&self) -> f64 {
        if self.last_H.len() != self.problem.H.len() {
            return f64::INFINITY;
        }
        let (d, mut change) = (self.problem.dim, 0.0_f64);
        for (k, (new, old)) in self.problem.H.iter().zip(&self.last_H).enumerate() {
            let body = &self.scene.bodies()[self.points[k / (2 * d)].bodies[k / d % 2]];
            // the others act by the velocities they are told
            if !body.is_free() {
                continue;
            }
            let size = if body.reach > 0.0 && body.reach.is_finite() { body.reach } else { 1.0 };
            for c in 0..6 {
                change = change.max((new[c] - old[c]).abs() / if c < 3 { 1.0 } else { size });
            }
        }
        for (new, old) in self.told[1].iter().zip(&self.last_told) {
            let size = new.abs().max(old.abs());
            change = change.max(if size > 0.0 { (new - old).abs() / size } else { 0.0 });
        }
        change
    }

    /// The rows of the same places and directions, where bodies are in the middle of the step.
    pub fn turn(&mut self, from: &ContactStart, mean: &MeanFrames) {
        self.arms.clear();
        let arms = self.points.iter().zip(&self.places);
        self.arms.extend(arms.map(|(point, place)| point.bodies.map(|i| sub(place, &mean.middle[i].x))));
        self.rows(from, Some(mean));
    }

    /// H, and the velocities before the step; in the mean frame told bodies move as they do where the contact is then.
    fn rows(&mut self, from: &ContactStart, mean: Option<&MeanFrames>) {
        phase::enter("rows");
        let Self { scene, points, directions, arms, problem, law, lengths, told, deep, many, .. } = self;
        let (d, n, threads) = (problem.dim, points.len(), many.threads);
        made_by(&mut problem.bodies, n, threads, |i| {
            points[i].bodies.map(|b| if scene.bodies()[b].is_free() { b as u32 } else { TwoBodyProblem::GROUND })
        });
        made_by(&mut problem.mu, n, threads, |i| scene.law_between(points[i].bodies, points[i].id).friction);
        let rolling = if d == 5 { n } else { 0 };
        made_by(lengths, rolling, threads, |i| rolling_length(scene, points[i].bodies));
        made_by(&mut problem.mu_rolling, rolling, threads, |i| {
            scene.law_between(points[i].bodies, points[i].id).rolling / lengths[i]
        });
        problem.H.resize(2 * d * n, [0.0; 6]);
        let [before, after] = told;
        for u in [&mut law.u_before, &mut *before, &mut *after] {
            u.resize(d * n, 0.0);
        }
        let one = Contact { scene, from, mean };
        let told = (Rows(before, d), Rows(after, d));
        let lists = (Rows(&mut problem.H, 2 * d), (Rows(&mut law.u_before, d), told));
        share(lists, n, threads, |first, (H, (u, (before, after)))| {
            let velocities = u.0.chunks_exact_mut(d).zip(before.0.chunks_exact_mut(d)).zip(after.0.chunks_exact_mut(d));
            for ((i, H), ((u, before), after)) in (first..).zip(H.0.chunks_exact_mut(2 * d)).zip(velocities) {
                one.rows(&points[i], &directions[i], &arms[i], H, u, [before, after]);
            }
        });
        if mean.is_some() {
            for (i, point) in points.iter().enumerate() {
                let (u, restitution) = (law.u_before[i * d], scene.law_between(point.bodies, point.id).restitution);
                let e = self.laws.activation.restitution_in_the_middle(u, restitution, self.alpha);
                law.restitution[i] = deep.restitution(i, e, self.alpha);
            }
        }
    }

    /// Solves the law for these free motions; velocities of the bodies after the step go to `v`.
    pub fn solve(&mut self, from: &ContactStart, free: &[FreeMotion], step: &mut Step) -> Result<(), StepFailure> {
        let (t, h) = (from.step.state.t, from.step.h);
        phase::enter("problem set up");
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
        made_by(&mut problem.places, free.len(), threads, |i| from.frames[i].x);
        made_by(&mut self.v, free.len(), threads, |i| problem.v[i]);
        self.known = false;
        if !self.points.is_empty() {
            problem.w.clone_from(&self.told[1]);
            self.law.u_free.resize(self.law.u_before.len(), 0.0);
            problem.contact_velocities_by(&problem.v, &mut self.law.u_free, threads);
            if let Some(k) = self.law.u_free.iter().position(|u| !u.is_finite()) {
                return Err(StepFailure::not_finite(t, h, self.points[k / problem.dim].bodies[0]));
            }
            self.impulses(t, h, step)?;
            self.again = true;
        }
        self.go_on(from);
        Ok(())
    }

    /// The velocities that the impulses lead to with the rows as they are now.
    pub fn go_on(&mut self, from: &ContactStart) {
        phase::enter("velocities of bodies");
        let threads = self.many.threads;
        if !self.points.is_empty() && !std::mem::take(&mut self.known) {
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
    }

    fn impulses(&mut self, t: f64, h: f64, step: &mut Step) -> Result<(), StepFailure> {
        let (d, n) = (self.problem.dim, self.points.len());

        // the checked rule looks at W; where rows follow their impulses these are held by it
        let by_rule = match self.laws.friction {
            FrictionLaw::Checked => self.has_friction(),
            FrictionLaw::Fremond | FrictionLaw::Newton => self.in_the_mean_frame() && n <= FEW,
        };
        self.checked = self.alpha > 0.0 && by_rule;
        if self.checked {
            self.law.problem = self.condensed();
            let ContactLaw { problem, u_free, p, .. } = &mut self.law;
            if self.again {
                hold(&mut problem.W, u_free, p, self.holding);
            }
            // flags only grow within a step: impacts and gains seen once stay seen
            let (impacts, fallbacks) = (step.info.impacts, step.info.fallbacks);
            step.info.repeat(&self.law.solve(t, h)?);
            step.info.impacts = step.info.impacts.max(impacts);
            step.info.fallbacks += fallbacks;
            return Ok(());
        }

        // one problem: what the law adds to the velocity at the end of the step
        let on_gap = self.laws.activation == Activation::Gap;
        let fremond = self.laws.friction == FrictionLaw::Fremond;
        let (scene, points, alpha, whole) = (&self.scene, &self.points, self.alpha, self.whole);
        let ContactLaw { p, u_before, restitution, .. } = &self.law;
        in_parts(&mut self.problem.w, d, self.many.threads, |first, w| {
            for (i, w) in (first..).zip(w.chunks_exact_mut(d)) {
                // p still holds what the contact did in the last step
                let rate = closing_rate(scene, points[i].bodies, points[i].gap, p[i * d] > 0.0, (h, whole));
                w[0] += if on_gap { rate } else { restitution[i] * u_before[i * d] };
                for k in 1..d {
                    w[k] += if fremond { alpha * u_before[i * d + k] } else { 0.0 };
                }
            }
        });
        let mut report =
            if n > FEW { self.many.solve(&self.problem, &mut self.law.p, &mut self.v) } else { self.solve_condensed() };
        step.info.add(&StepInfo { residual: 0.0, ..StepInfo::of(&report) });
        let condensed = report.status != SolveStatus::Solved && (FEW..MANY).contains(&n);
        if condensed {
            report = self.solve_condensed();
            step.info.add(&StepInfo { residual: 0.0, ..StepInfo::of(&report) });
        }
        step.info.residual = step.info.residual.max(report.residuals.worst());
        if report.status == SolveStatus::Solved {
            self.known = n > FEW && !condensed;
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
        let mut report = self.solve_few(&problem);
        let reached = report.residuals.worst();
        if reached <= 2.0 * self.few.options.tolerance {
            report.status = SolveStatus::Solved;
        } else if report.status == SolveStatus::Solved && reached > self.few.options.acceptable() {
            report.status = SolveStatus::NotConverged;
        }
        report
    }

    /// Solves a problem once, sharply where rows follow the impulses; judged after these are put inside their cones.
    fn solve_few(&mut self, problem: &FrictionProblem) -> SolveReport {
        let (tight, r) = (self.laws.theta == 0.5, &mut self.law.p);
        let mut report = if tight {
            // a pass starts from the answer of the one before: what its tolerance left must not stay
            let asked = self.few.options;
            let max_iterations = asked.max_iterations.min(TIGHT_ITERATIONS);
            self.few.options = SolverOptions { tolerance: asked.tolerance.min(TIGHT), max_iterations, ..asked };
            let report = self.few.solve(problem, r);
            self.few.options = asked;
            if report.residuals.worst() <= asked.tolerance { report } else { self.few.solve(problem, r) }
        } else {
            self.few.solve(problem, r)
        };
        put_inside(problem, r);
        report.residuals = self.problem.residuals(r);
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
        let middle = self.in_the_mean_frame();
        made_by(&mut step.places, n, threads, |i| match &self.points[i] {
            // where the impulse acted and along what, not where the step began
            point if middle => ContactPlace { bodies: point.bodies, at: Some((self.places[i], self.directions[i][0])) },
            point => ContactPlace::of(point, from.frames),
        });
        let mut u_after = std::mem::take(&mut self.u_after);
        u_after.resize(d * n, 0.0);
        let H = &self.problem.H;
        in_parts(&mut u_after, d, threads, |first, u| {
            for (i, u) in (first..).zip(u.chunks_exact_mut(d)) {
                for k in 0..d {
                    u[k] = self.told[1][i * d + k];
                    for side in (0..2).filter(|&side| self.problem.bodies[i][side] != TwoBodyProblem::GROUND) {
                        u[k] += apply(&H[(2 * i + side) * d + k], &from.seen.after[self.points[i].bodies[side]]);
                    }
                }
            }
        });
        let moved = self.work_on_moved();
        if step.info.loose > 0 && self.in_the_mean_frame() {
            // rows have moved since the problem was solved
            step.info.slack = step.info.slack.max(self.slack_at_end(&u_after));
        }
        let ending = |i: usize| self.ending(i, &u_after);
        step.friction.resize(n, Tangential::default());
        in_parts_of_two(&mut step.contacts, 1, &mut step.friction, 1, threads, |first, contacts, friction| {
            for (i, (c, tangential)) in (first..).zip(contacts.iter_mut().zip(friction)) {
                let point = &self.points[i];
                c.u_before = self.law.u_before[i * d];
                c.u_free = self.law.u_free.get(i * d).copied().unwrap_or(c.u_before);
                c.gap = point.gap_at(&frames[point.bodies[0]], &frames[point.bodies[1]]);
                *tangential = ending(i).conclude(c);
            }
        });
        made_by(&mut next.persistent, n, threads, |i| {
            let kept = ending(i).persistent(self.points[i].id, self.mobility(i) * self.law.p[i * d]);
            PersistentContact { place: lasting::place(&self.points[i]), ..kept }
        });
        self.u_after = u_after;
        judge_by(step, self.alpha, threads, |i| (self.problem.mu[i], next.persistent[i].push));
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
    fn work_on_moved(&self) -> f64 {
        let theta = self.laws.theta;
        let [before, after] = &self.told;
        let told = before.iter().zip(after).map(|(b, a)| (1.0 - theta) * b + theta * a);
        self.law.p.iter().zip(told).map(|(p, u)| p * u).sum()
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
