//! Contacts of jointed bodies: between shapes, at stops, in joints with play; W as the joints let it be.
//!
//!   W = H (A⁻¹ − A⁻¹Dᵀ S⁻¹ θN A⁻¹) Hᵀ,    u_free = H v − W p
//!
//! The index set and the laws are those of bodies without joints; under `gap` γ g_k/h stands where ê U_k does. Rows are those of the
//! middle of the step and follow the bodies from iteration to iteration: an impulse at a point adds c × p to the angular momentum of
//! one body and takes it from the other, a stop acts with the row that is exact over the step. Dry friction on the coordinate of a
//! joint is a contact whose normal impulse h τ is given. Shapes that give way have p and −dp/du of their law at every iterate, and stand in W by
//! 1/(θ s) and in u_free by what that leaves: their law then reads 0 ≤ p ⟂ w ≥ 0 as that of all others.

use crate::bodies::joint_system::{Push, dot6};
use crate::bodies::momentum::{MomentumBook, Source};
use crate::bodies::rolling;
use crate::bodies::rows::{apply, directions, rolling_axes, rolling_length};
use crate::bodies::theta_step::BodiesStart;
use crate::contact::activation::{Approach, IndexSet};
use crate::contact::bodies::{HOLDING, MOST_HOLDING, closing_rate};
use crate::contact::conclusion::Ending;
use crate::contact::deep::DeepContacts;
use crate::contact::joint_rows::{Touch, between_shapes, joined, mobility, rate_scale, row_at, without_freedom};
use crate::contact::law::ContactLaw;
use crate::schemes::moreau_jean::jointed::JointedMemory;
use crate::step::contact::judge;
use crate::{Activation, ContactPlace, ContactState, FrictionLaw, Memory, Step, StepFailure, StepStart};
use percussion_matrix::BlockMatrix;
use percussion_model::bodies::math::{add, axpy, cross, mul_t, norm, scale, sub};
use percussion_model::bodies::measure::{BodyRow, Passage};
use percussion_model::bodies::{Bodies, ContactPoint, Detector, Frame, JointTouch, Twist, half_way};
use percussion_model::flexible::mean_frame::body_moment;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// Part of the mobility it would have without joints below which a contact has none.
const IMMOBILE: f64 = 1e-9;
/// Part of the velocities at its place that is round-off in the normal velocity of a contact without freedom.
const ROUND_OFF: f64 = 1e-9;
/// Part of 1/W_NN that the slope of a contact that gives way has at least, so that one that is open at an iterate can close.
const LEAST_SLOPE: f64 = 1e-6;
/// Part of the largest impulse by which one may change and have stood.
const STOOD: f64 = 1e-8;
/// Part of the motion by which creeping impulses may still change velocities when they are kept.
const KEPT: f64 = 1e-5;

/// The contacts of a step.
#[derive(Debug)]
pub struct JointedContacts {
    scene: Arc<Bodies>,
    theta: f64,
    activation: Activation,
    /// (1 − θ)/θ: ê of opening contacts and α of Frémond's law.
    alpha: f64,
    tangents: usize,
    detector: Detector,
    found: Vec<JointTouch>,
    touches: Vec<Touch>,
    /// The problem; under `gap` the normal part of its u_k is γ g_k/h.
    law: ContactLaw,
    /// W by columns, d n × d n.
    W: Vec<f64>,
    /// Answers of velocities and of reactions to each component.
    V: Vec<BodyRow>,
    L: Vec<f64>,
    u_before: Vec<f64>,
    /// The bodies in the middle of the step.
    middles: Vec<Frame>,
    /// p of the last iteration, in blocks of d.
    p: Vec<f64>,
    /// The largest component by which it changed then, in parts of the largest impulse.
    change: f64,
    /// Those deep in each other.
    deep: DeepContacts,
    /// Part of W_NN that holds impulses to those of the iteration before.
    holding: f64,
    /// Whether they stay what they are.
    kept: bool,
    /// The length of the step that the next ones are parts of.
    pub whole: Option<f64>,
}

impl JointedContacts {
    /// For a scene.
    pub fn new(
        scene: &Arc<Bodies>,
        theta: f64,
        activation: Activation,
        law: FrictionLaw,
        options: SolverOptions,
    ) -> Self {
        let alpha = (1.0 - theta) / theta;
        let tangents = if scene.is_planar() { 1 } else { 2 };
        let d = if scene.has_rolling() { 5 } else { 1 + tangents };
        // θ = 1 leaves one law, and what pushes out of an overlap is no gain to be looked for
        let law = if activation == Activation::Gap { FrictionLaw::Newton } else { law };
        let contacts = ContactLaw::new(d, law, alpha, options);
        Self {
            scene: Arc::clone(scene),
            theta,
            activation,
            alpha,
            tangents,
            detector: Detector::default(),
            found: Vec::new(),
            touches: Vec::new(),
            law: if scene.has_elements() { contacts } else { contacts.repeated() },
            W: Vec::new(),
            V: Vec::new(),
            L: Vec::new(),
            u_before: Vec::new(),
            middles: Vec::new(),
            p: Vec::new(),
            change: 0.0,
            deep: DeepContacts::new(scene, activation),
            holding: HOLDING,
            kept: false,
            whole: None,
        }
    }

    /// Threads that look for contacts.
    pub fn use_threads(&mut self, threads: usize) {
        self.detector.threads = threads;
    }

    /// Whether nothing takes part.
    pub fn is_empty(&self) -> bool {
        self.touches.is_empty()
    }

    /// Chooses the index set; the last impulses are the first guess.
    pub fn select(&mut self, from: &StepStart, at: &BodiesStart, margins: &[f64], step: &mut Step, next: &mut Memory) {
        self.take((from, at, margins), None, step, next);
    }

    /// The same, or those of the contacts within reach that `only` names, wherever they are.
    pub fn take(
        &mut self,
        (from, at, margins): (&StepStart, &BodiesStart, &[f64]),
        only: Option<&dyn Fn(u64) -> bool>,
        step: &mut Step,
        next: &mut Memory,
    ) {
        let (memory, h, d, whole) = (from.memory, from.h, self.law.dim(), self.whole);
        let Self { scene, activation, alpha, law, touches, u_before, deep, .. } = self;
        touches.clear();
        deep.clear();
        u_before.clear();
        law.clear();
        step.contacts.clear();
        step.friction.clear();
        let mut set = IndexSet::new(*activation, *alpha, from);
        let mut last = memory.persistent.iter().peekable();
        let mut take = |joint: JointTouch, point: Option<ContactPoint>| {
            let rows = &joint.rows;
            let velocity = |k: usize| (0..2).map(|s| apply(&rows[k][s], &at.before[joint.bodies[s]])).sum::<f64>();
            let u = velocity(0);
            while last.next_if(|p| p.id < joint.id).is_some() {}
            let persistent = last.peek().filter(|p| p.id == joint.id);
            let approach = Approach { gap: joint.gap, u, push: persistent.map_or(0.0, |p| p.push) };
            let admitted = match (only, joint.given) {
                (Some(named), _) => named(joint.id).then_some(0.0),
                (None, Some(_)) => Some(0.0),
                // its law knows by itself whether it pushes
                (None, None) if joint.compliance.is_some() => Some(0.0),
                (None, None) => set.admit(joint.id as usize, &approach, || joint.restitution),
            };
            let Some(e) = admitted else { return };
            let (on_gap, gives) = (*activation == Activation::Gap, joint.compliance.is_some());
            let thickness = if gives { f64::INFINITY } else { deep.length(scene, joint.id, joint.bodies) };
            deep.add(thickness, joint.gap, persistent.copied());
            law.restitution.push(match (gives, on_gap) {
                (true, _) => 0.0,
                (false, true) => 1.0,
                (false, false) => deep.restitution(touches.len(), e, *alpha),
            });
            u_before.extend((0..d).map(velocity));
            law.u_before.extend((0..d).map(velocity));
            let first = law.u_before.len() - d;
            if gives {
                law.u_before[first] = 0.0;
            } else if on_gap && joint.given.is_none() {
                let pushed = persistent.is_some_and(|p| p.p[0] > 0.0);
                law.u_before[first] = closing_rate(scene, joint.bodies, joint.gap, pushed, (h, whole));
            }
            law.p.extend_from_slice(&persistent.map_or([0.0; 5], |p| p.p)[..d]);
            step.contacts.push(ContactState::before(joint.id as usize, joint.gap, u));
            let length = if joint.rolling > 0.0 { rolling_length(scene, joint.bodies) } else { 1.0 };
            touches.push(Touch { joint, point, place: None, told: Default::default(), length, idle: false });
        };
        if scene.has_touching_shapes() {
            for point in self.detector.detect(scene, at.frames, margins) {
                take(between_shapes(scene, at.frames, point), Some(*point));
            }
        }
        self.found.clear();
        let turns = &memory.carried.of::<JointedMemory>().turns;
        scene.joint_touches(at.frames, turns, &mut self.found);
        scene.joint_frictions(at.frames, &mut self.found);
        self.found.sort_by_key(|touch| touch.id);
        for joint in &self.found {
            take(*joint, None);
        }
        set.finish(step, next);
        self.p.clone_from(&self.law.p);
        (self.holding, self.kept) = (HOLDING, false);
    }

    /// W and the answers of the system: to a unit impulse along rows on two bodies, in velocities and reactions.
    pub fn prepare(
        &mut self,
        (bodies, rows): (usize, usize),
        mut answer: impl FnMut([usize; 2], &[BodyRow; 2], &mut [BodyRow], &mut [f64]),
    ) {
        let (d, n) = (self.law.dim(), self.touches.len());
        let size = d * n;
        self.V.resize(size * bodies, [0.0; 6]);
        self.L.resize(size * rows, 0.0);
        self.W.clear();
        self.W.resize(size * size, 0.0);
        self.touches.iter_mut().for_each(|touch| touch.idle = false);
        for j in 0..size {
            let touch = &self.touches[j / d].joint;
            if !self.touches[j / d].exists(j % d, self.tangents) {
                continue;
            }
            let (V, L) = (&mut self.V[j * bodies..(j + 1) * bodies], &mut self.L[j * rows..(j + 1) * rows]);
            answer(touch.bodies, &touch.rows[j % d], V, L);
            for i in 0..size {
                let other = &self.touches[i / d].joint;
                if !self.touches[i / d].exists(i % d, self.tangents) {
                    continue;
                }
                let [a, b] = other.bodies;
                let [row_a, row_b] = &other.rows[i % d];
                self.W[j * size + i] = dot6(row_a, &V[a]) + dot6(row_b, &V[b]);
            }
        }
        self.set_idle(size, d);
        for k in 0..size {
            let i = k / d * d;
            if k == i && self.touches[k / d].joint.given.is_some() {
                // a normal that is given stands alone, of the size of its tangent
                self.W[k * size + k] = self.W[(k + 1) * size + k + 1];
                continue;
            }
            let normal = self.W[i * size + i];
            // tangents that do not exist stand alone
            if !self.touches[k / d].exists(k % d, self.tangents) {
                self.W[k * size + k] = normal;
            } else if k != i {
                self.W[k * size + k] += self.holding * normal;
            }
        }
        for i in (0..size).step_by(d) {
            self.W[i * size + i] *= 1.0 + self.holding;
        }
        let mut blocks = Vec::with_capacity(n * n);
        for i in 0..n {
            for j in 0..n {
                let mut block = vec![0.0; d * d];
                for c in 0..d {
                    for k in 0..d {
                        block[c * d + k] = self.W[(j * d + c) * size + i * d + k];
                    }
                }
                if i == j || block.iter().any(|&x| x != 0.0) {
                    blocks.push((i, j, block));
                }
            }
        }
        let blocks: Vec<_> = blocks.iter().map(|(i, j, block)| (*i, *j, block.as_slice())).collect();
        let problem = &mut self.law.problem;
        if let Some(W) = BlockMatrix::from_blocks(d, n, &blocks) {
            problem.W = W;
        }
        problem.mu.clear();
        problem.mu.extend(self.touches.iter().map(|t| t.joint.friction));
        problem.mu_rolling.clear();
        if d == 5 {
            problem.mu_rolling.extend(self.touches.iter().map(|t| t.joint.rolling));
        }
        problem.ids.clear();
        problem.ids.extend(self.touches.iter().map(|t| t.joint.id as usize));
        problem.revision = 0;
    }

    /// Contacts without freedom stand alone: W of their own, coupled to nothing.
    fn set_idle(&mut self, size: usize, d: usize) {
        for (i, touch) in self.touches.iter_mut().enumerate().filter(|(_, touch)| touch.joint.given.is_none()) {
            let alone = mobility(&self.scene, &touch.joint);
            if self.W[i * d * (size + 1)].abs() > IMMOBILE * alone {
                continue;
            }
            touch.idle = true;
            for k in i * d..(i + 1) * d {
                for j in 0..size {
                    (self.W[k * size + j], self.W[j * size + k]) = (0.0, 0.0);
                }
            }
            self.W[i * d * (size + 1)] = alone;
        }
    }

    /// The problem of the last iteration and its impulses.
    pub fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        let (mut problem, mut p) = self.law.contact_problem()?;
        let lengths: Vec<f64> = self.touches.iter().map(|t| t.length).collect();
        rolling::in_metres(&lengths, &mut problem, &mut p);
        Some((problem, p))
    }

    /// Contacts with W_NN and the velocity they would have without their impulse, after a problem that was not solved.
    pub fn judged(&self) -> impl Iterator<Item = (&JointTouch, f64, f64)> {
        let d = self.law.dim();
        let size = d * self.touches.len();
        let of = move |(i, touch)| -> (&JointTouch, f64, f64) {
            let touch: &Touch = touch;
            let mobility = if touch.idle { 0.0 } else { self.W[i * d * size + i * d] };
            (&touch.joint, mobility, self.law.u_free[i * d])
        };
        self.touches.iter().enumerate().map(of)
    }

    /// Impulses for a direction that keeps the last ones; δv, δλ and `push` take the change in.
    pub fn solve(
        &mut self,
        after: &[Twist],
        dv: &mut [BodyRow],
        dl: &mut [f64],
        (t, h): (f64, f64),
        step: &mut Step,
    ) -> Result<(), StepFailure> {
        if self.kept {
            return Ok(());
        }
        self.free_velocities(after, Some(dv), (t, h))?;
        self.give_way(after, h);
        let solved = self.law.solve(t, h)?;
        self.law.be_content(solved.residual);
        step.info.repeat(&solved);
        let (bodies, rows) = (dv.len(), dl.len());
        let (mut change, mut largest) = (0.0_f64, 0.0_f64);
        for j in 0..self.p.len() {
            let by = self.law.p[j] - self.p[j];
            (change, largest) = (change.max(by.abs()), largest.max(self.law.p[j].abs()));
            self.add(j, by, (bodies, rows), dv, dl);
        }
        self.change = if change > 0.0 { change / largest.max(f64::MIN_POSITIVE) } else { 0.0 };
        self.p.clone_from(&self.law.p);
        Ok(())
    }

    /// Whether the last iteration left the impulses where they were. Those that are not unique may move far and change no velocity, by the rows for
    /// which answers were found; by rows that have moved since they do.
    pub fn stood(&self) -> bool {
        self.change <= STOOD
    }

    /// Holds impulses more where they creep, after a change of velocities by `size` of the motion: those that are nearly there, or hardly
    /// move any more, are kept, and the rest of the iterations is left to the joints.
    pub fn hold_more(&mut self, size: f64) {
        self.kept |= size <= KEPT || self.holding >= MOST_HOLDING;
        self.holding = (10.0 * self.holding).min(MOST_HOLDING);
    }

    /// What holding left of the law, where impulses were held more than they always are.
    pub fn judge(&mut self, after: &[Twist], (t, h): (f64, f64), step: &mut Step) -> Result<(), StepFailure> {
        if self.holding > HOLDING {
            self.free_velocities(after, None, (t, h))?;
            self.give_way(after, h);
            let judged = self.law.judge(t, h)?;
            step.info.residual = step.info.residual.max(judged.residual);
            (step.info.loose, step.info.slack) = (judged.loose, judged.slack);
        }
        Ok(())
    }

    /// u_free of a direction that keeps the last impulses, of none at v.
    fn free_velocities(
        &mut self,
        after: &[Twist],
        dv: Option<&[BodyRow]>,
        (t, h): (f64, f64),
    ) -> Result<(), StepFailure> {
        let d = self.law.dim();
        let size = d * self.touches.len();
        self.law.u_free.clear();
        let mut closes = None;
        for i in 0..size {
            let touch = &self.touches[i / d].joint;
            if let (0, Some(force)) = (i % d, touch.given) {
                // W p_N + u_free = 0 at p_N = h τ
                self.law.u_free.push(-self.W[i * size + i] * h * force);
                continue;
            }
            let mut u = 0.0;
            for (side, &body) in touch.bodies.iter().enumerate().filter(|(_, b)| self.scene.bodies()[**b].is_free()) {
                let row = &touch.rows[i % d][side];
                u += apply(row, &after[body]) + dv.map_or(0.0, |dv| dot6(row, &dv[body]));
            }
            u += self.touches[i / d].told[1][i % d];
            if self.touches[i / d].idle {
                // what joints carry leaves round-off of g h in a contact at rest
                let size = rate_scale(touch, after) + h * norm(&self.scene.gravity());
                // a law on gaps lets what is apart come as far as that
                let apart =
                    if self.activation == Activation::Gap { self.law.u_before[i / d * d].max(0.0) } else { 0.0 };
                let stopped = i % d == 0 && touch.compliance.is_none() && u + apart < -ROUND_OFF * size;
                closes = closes.or(stopped.then_some(touch.bodies));
                self.law.u_free.push(if stopped { u } else { 0.0 });
                continue;
            }
            for j in 0..size {
                u -= self.W[j * size + i] * self.p[j];
            }
            self.law.u_free.push(u);
        }
        if let Some(k) = self.law.u_free.iter().position(|u| !u.is_finite()) {
            return Err(StepFailure::not_finite(t, h, self.touches[k / d].joint.bodies[0]));
        }
        if let Some(bodies) = closes {
            return Err(without_freedom(&self.scene, bodies, (t, h)));
        }
        Ok(())
    }

    /// The laws of contacts that give way at this iterate, in u_{k+θ}/θ: 1/(θ s) in W beside what is there, the rest in u_free. One
    /// without freedom has the impulse of its depth.
    fn give_way(&mut self, after: &[Twist], h: f64) {
        let (d, theta) = (self.law.dim(), self.theta);
        let size = d * self.touches.len();
        for i in 0..self.touches.len() {
            let Some(compliance) = self.touches[i].joint.compliance else { continue };
            let u = self.passing(i, after);
            let [p, slope] = compliance.push(self.touches[i].joint.gap, u, h);
            let (first, own) = (i * d, self.W[i * d * (size + 1)]);
            if self.touches[i].idle {
                self.law.u_free[first] = -own * p;
                continue;
            }
            let slope = theta * slope.max(LEAST_SLOPE / own);
            let W = &mut self.law.problem.W;
            let place = W.diagonal_position(i) * d * d;
            W.values_mut()[place] = own + 1.0 / slope;
            self.law.u_free[first] += self.alpha * self.u_before[first] - p / slope - u / theta;
        }
    }

    /// u_{k+θ} along the normal of contact i, where the bodies move with these velocities at the end.
    fn passing(&self, i: usize, after: &[Twist]) -> f64 {
        let (before, now) = self.velocities(i, after);
        (1.0 - self.theta) * before[0] + self.theta * now[0]
    }

    /// What contacts that give way did in a step: p u_{k+θ} of their normals, and by how much V grew along the gaps as the step sees them.
    pub fn given_way(&self, after: &[Twist], h: f64) -> [f64; 2] {
        let (d, mut sums) = (self.law.dim(), [0.0; 2]);
        for (i, touch) in self.touches.iter().enumerate() {
            let Some(compliance) = touch.joint.compliance else { continue };
            let (u, gap) = (self.passing(i, after), touch.joint.gap);
            sums[0] += self.p[i * d] * u;
            sums[1] += compliance.energy(gap + h * u) - compliance.energy(gap);
        }
        sums
    }

    /// Adds the answer to a change of component j.
    fn add(&self, j: usize, change: f64, (bodies, rows): (usize, usize), dv: &mut [BodyRow], dl: &mut [f64]) {
        let d = self.law.dim();
        if change == 0.0 || !self.touches[j / d].exists(j % d, self.tangents) {
            return;
        }
        for (to, x) in dv.iter_mut().zip(&self.V[j * bodies..(j + 1) * bodies]) {
            for k in 0..6 {
                to[k] += change * x[k];
            }
        }
        for (to, x) in dl.iter_mut().zip(&self.L[j * rows..(j + 1) * rows]) {
            *to += change * x;
        }
    }

    /// What the impulses did to velocities and reactions, to first order.
    pub fn share(&self, dv: &mut [BodyRow], dl: &mut [f64]) {
        dv.fill([0.0; 6]);
        dl.fill(0.0);
        let sizes = (dv.len(), dl.len());
        for j in 0..self.p.len() {
            self.add(j, self.p[j], sizes, dv, dl);
        }
    }

    /// Forgets which contacts obeyed Frémond's law: rows of the first iterations are only predicted.
    pub fn decide_again(&mut self) {
        self.law.decide_again();
    }

    /// No impulses: a first guess of nothing.
    pub fn restart(&mut self) {
        self.p.fill(0.0);
        self.law.p.fill(0.0);
        (self.holding, self.kept) = (HOLDING, false);
    }

    /// The contacts.
    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }

    /// Takes impulses that are known: of contact i, its first components.
    pub fn put<'a>(&mut self, of: impl Fn(&JointTouch) -> &'a [f64]) {
        let d = self.law.dim();
        self.p.fill(0.0);
        for (touch, p) in self.touches.iter().zip(self.p.chunks_exact_mut(d)) {
            let known = of(&touch.joint);
            p[..known.len()].copy_from_slice(known);
        }
    }

    /// The velocities of contact i before the step, and after it where the bodies move with these.
    pub fn velocities(&self, i: usize, after: &[Twist]) -> (&[f64], [f64; 5]) {
        let (d, touch) = (self.law.dim(), &self.touches[i]);
        let mut u = [0.0; 5];
        for k in 0..d {
            u[k] = touch.told[1][k];
            for (side, &body) in
                touch.joint.bodies.iter().enumerate().filter(|(_, b)| self.scene.bodies()[**b].is_free())
            {
                u[k] += apply(&touch.joint.rows[k][side], &after[body]);
            }
        }
        (&self.u_before[i * d..(i + 1) * d], u)
    }

    /// Hᵀp on every body.
    pub fn push(&self, push: &mut Push, frames: &[Frame]) {
        let d = self.law.dim();
        push.impulses.fill([0.0; 6]);
        push.moments.fill([0.0; 3]);
        for (j, &p) in self.p.iter().enumerate().filter(|(_, p)| **p != 0.0) {
            let touch = &self.touches[j / d];
            for side in 0..2 {
                let (body, row) = (touch.joint.bodies[side], &touch.joint.rows[j % d][side]);
                for k in 0..6 {
                    push.impulses[body][k] += p * row[k];
                }
                if let Some(place) = &touch.place {
                    // moments of rolling and of stops stand apart
                    let arm = sub(place, &self.middles[body].x);
                    let moment = cross(&arm, &scale(p, &[row[0], row[1], row[2]]));
                    push.moments[body] = add(&push.moments[body], &mul_t(&frames[body].R, &moment));
                }
            }
        }
    }

    /// Rows and velocities before the step, where bodies pass on these ways.
    pub fn turn(&mut self, from: &BodiesStart, ways: &[Passage]) {
        let d = self.law.dim();
        let Self { scene, touches, middles, found, .. } = self;
        if touches.is_empty() {
            return;
        }
        // only θ = ½ keeps angular momentum; elsewhere rows stay those of the start
        let turning = self.theta == 0.5;
        middles.clear();
        middles.extend(ways.iter().map(|way| half_way(&way.ends[0], &way.x, &way.turn)));
        if turning && touches.iter().any(|touch| touch.point.is_none()) {
            found.clear();
            scene.joint_touches(middles, &[], found);
            scene.joint_frictions(middles, found);
        }
        for touch in touches.iter_mut() {
            let ids = touch.joint.bodies;
            let pair = ids.map(|i| &ways[i]);
            match &touch.point {
                _ if !turning => {}
                Some(point) => {
                    let (normal, place) = point.place_at(&middles[ids[0]], &middles[ids[1]]);
                    let directions = directions(scene, &normal);
                    let axes = rolling_axes(scene, &directions);
                    for (rows, d) in touch.joint.rows.iter_mut().zip(&directions) {
                        *rows = [0, 1].map(|side| row_at(pair[side], &place, d, if side == 0 { 1.0 } else { -1.0 }));
                    }
                    if touch.joint.rolling > 0.0 {
                        for (rows, axis) in touch.joint.rows[3..].iter_mut().zip(&axes) {
                            let length = touch.length;
                            *rows = [length, -length].map(|l| scale(l, axis)).map(|m| joined(&[0.0; 3], &m));
                            for (row, way) in rows.iter_mut().zip(pair) {
                                let m = body_moment(&way.ends[0].R, &way.tilt, &[row[3], row[4], row[5]]);
                                *row = joined(&[0.0; 3], &m);
                            }
                        }
                    }
                    touch.place = Some(place);
                }
                None => {
                    let Some(now) = found.iter().find(|t| t.id == touch.joint.id) else { continue };
                    if let Some((place, _)) = &now.place {
                        for (rows, seen) in touch.joint.rows.iter_mut().zip(&now.rows) {
                            let d = [seen[0][0], seen[0][1], seen[0][2]];
                            *rows =
                                [0, 1].map(|side| row_at(pair[side], place, &d, if side == 0 { 1.0 } else { -1.0 }));
                        }
                        touch.place = Some(*place);
                    } else if let Some((backlash, side)) = scene.backlash_of(touch.joint.id) {
                        let row = backlash.row(|t| t.measure.row(&ways[t.bodies[0]], &ways[t.bodies[1]]).rows);
                        touch.joint.rows[0] = row.map(|row| row.map(|x| side * x));
                    } else if let Some(free) = scene.dry_friction_of(touch.joint.id).and_then(|j| j.coordinate.as_ref())
                    {
                        touch.joint.rows[1] = free.measure.row(pair[0], pair[1]).rows;
                    } else if let Some((measure, side)) = scene.stop_of(touch.joint.id) {
                        touch.joint.rows[0] = measure.row(pair[0], pair[1]).rows.map(|row| row.map(|x| side * x));
                    }
                }
            }
            touch.told = [0, 1].map(|end| touch.velocities_told(scene, from, ways, end));
        }
        for (i, touch) in touches.iter().enumerate() {
            for k in 0..d {
                let mut u = touch.told[0][k];
                for (side, &body) in
                    touch.joint.bodies.iter().enumerate().filter(|(_, b)| scene.bodies()[**b].is_free())
                {
                    u += apply(&touch.joint.rows[k][side], &from.before[body]);
                }
                self.u_before[i * d + k] = u;
                if k == 0 && (self.activation == Activation::Gap || touch.joint.compliance.is_some()) {
                    continue;
                }
                self.law.u_before[i * d + k] = u;
                if k == 0 && turning && touch.joint.given.is_none() {
                    let e = touch.joint.restitution;
                    let e = self.activation.restitution_in_the_middle(u, e, self.alpha);
                    self.law.restitution[i] = self.deep.restitution(i, e, self.alpha);
                }
            }
        }
    }

    /// Books the impulses.
    pub fn book(&self, ways: &[Passage], book: &mut MomentumBook) {
        let d = self.law.dim();
        for (i, touch) in self.touches.iter().enumerate() {
            let free = touch.joint.bodies.map(|b| self.scene.bodies()[b].is_free());
            // wheels with backlash push each other through the frame that carries them
            let through = self.scene.backlash_of(touch.joint.id).is_some();
            let both = free[0] && free[1];
            for side in (0..2).filter(|&side| if through { free[side] } else { side == usize::from(!free[0]) }) {
                let way = &ways[touch.joint.bodies[side]];
                let (mut p, mut m) = ([0.0; 3], [0.0; 3]);
                for k in (0..d).filter(|&k| touch.exists(k, self.tangents)) {
                    let row = touch.joint.rows[k][side];
                    p = axpy(&p, self.p[i * d + k], &[row[0], row[1], row[2]]);
                    m = axpy(&m, self.p[i * d + k], &[row[3], row[4], row[5]]);
                }
                let source = if both && !through { Source::Inside } else { Source::Contact };
                book.impulse(source, &way.x, &p, &way.spatial(&m));
            }
        }
    }

    /// Impulses, velocities and gaps at the end of the step; gives the work on bodies that are moved.
    pub fn conclude(
        &mut self,
        (start, frames): (&[Frame], &[Frame]),
        after: &[Twist],
        step: &mut Step,
        next: &mut Memory,
    ) -> f64 {
        let (d, size, theta) = (self.law.dim(), self.p.len(), self.theta);
        let scene = &*self.scene;
        next.persistent.clear();
        step.places.clear();
        step.places.extend(self.touches.iter().map(|touch| match (touch.place, &touch.point) {
            // where the impulse acted and along what, not where the step began
            (Some(place), _) => {
                let [x, y, z, ..] = touch.joint.rows[0][0];
                ContactPlace { bodies: touch.joint.bodies, at: Some((place, [x, y, z])) }
            }
            (None, Some(point)) => ContactPlace::of(point, start),
            (None, None) => ContactPlace { bodies: touch.joint.bodies, at: touch.joint.place },
        }));
        let mut moved = 0.0;
        if self.touches.iter().any(|touch| touch.point.is_none()) {
            self.found.clear();
            let turns = &next.carried.of::<JointedMemory>().turns;
            scene.joint_touches(frames, turns, &mut self.found);
        }
        for (i, touch) in self.touches.iter().enumerate() {
            let joint = &touch.joint;
            let r = &self.p[i * d..(i + 1) * d];
            let u = self.velocities(i, after).1;
            for k in 0..d {
                moved += r[k] * ((1.0 - theta) * touch.told[0][k] + theta * touch.told[1][k]);
            }
            let c = &mut step.contacts[i];
            c.u_before = self.u_before[i * d];
            c.u_free = match joint.compliance {
                Some(_) => u[0] - self.W[i * d * (size + 1)] * r[0],
                None => self.law.u_free.get(i * d).copied().unwrap_or(c.u_before),
            };
            c.gap = match &touch.point {
                Some(point) => point.gap_at(&frames[joint.bodies[0]], &frames[joint.bodies[1]]),
                None => self.found.iter().find(|t| t.id == joint.id).map_or(joint.gap, |t| t.gap),
            };
            let ending = Ending {
                r,
                before: &self.u_before[i * d..(i + 1) * d],
                after: &u,
                tangents: self.tangents,
                frictional: joint.friction > 0.0 || joint.rolling > 0.0,
                length: (joint.rolling > 0.0).then_some(touch.length),
                fremond: self.law.fremond(i),
            };
            step.friction.push(ending.conclude(c));
            next.persistent.push(ending.persistent(joint.id, self.W[i * d * size + i * d] * r[0]));
        }
        judge(step, self.alpha, |i| (self.touches[i].joint.friction, next.persistent[i].push));
        moved
    }
}
