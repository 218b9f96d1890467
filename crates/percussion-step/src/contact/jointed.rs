//! Contacts of jointed bodies: between shapes, at stops, in joints with play; W as the joints let it be.
//!
//!   W = H (A⁻¹ − A⁻¹Dᵀ S⁻¹ θN A⁻¹) Hᵀ,    u_free = H v − W p
//!
//! The index set and the laws are those of bodies without joints; under `gap` γ g_k/h stands where ê U_k does.

use crate::bodies::joint_system::{JointSystem, dot6};
use crate::bodies::rolling;
use crate::bodies::rows::{directions, rolling_axes, rolling_length};
use crate::contact::activation::Approach;
use crate::contact::bodies::closed_in_step;
use crate::contact::friction_rule::{FrictionRule, Velocities};
use crate::schemes::moreau_jean::jointed::TURNS;
use crate::{
    Activation, ContactState, ContactStatus, FrictionLaw, Memory, PersistentContact, Step, StepFailure, Tangential,
};
use percussion_matrix::BlockMatrix;
use percussion_model::bodies::math::{cross, mul_t};
use percussion_model::bodies::measure::BodyRow;
use percussion_model::bodies::{Bodies, ContactPoint, Detector, Frame, JointTouch, Twist};
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;

/// A contact of the index set.
#[derive(Clone, Copy, Debug)]
struct Touch {
    joint: JointTouch,
    /// Where shapes touch: how the gap is found again.
    point: Option<ContactPoint>,
    /// ℓ of its rows of turning [m].
    length: f64,
}

impl Touch {
    /// Whether component k has a row: stops have no tangents, joints do not resist rolling, the plane has one axis.
    fn exists(&self, k: usize, tangents: usize) -> bool {
        match k {
            0 => true,
            1..3 => self.joint.rubs && k <= tangents,
            _ => self.joint.rolling > 0.0 && k - 2 <= tangents,
        }
    }
}

/// The contacts of a step.
#[derive(Debug)]
pub struct JointedContacts {
    activation: Activation,
    alpha: f64,
    d: usize,
    tangents: usize,
    rule: FrictionRule,
    detector: Detector,
    found: Vec<JointTouch>,
    touches: Vec<Touch>,
    restitution: Vec<f64>,
    problem: FrictionProblem,
    /// W by columns, d n × d n.
    W: Vec<f64>,
    /// Answers of velocities and of reactions to each component.
    V: Vec<BodyRow>,
    L: Vec<f64>,
    u_before: Vec<f64>,
    /// u_k as the law sees it: its normal part is γ g_k/h under `gap`.
    u_law: Vec<f64>,
    u_free: Vec<f64>,
    /// p in blocks of d.
    pub p: Vec<f64>,
    p_new: Vec<f64>,
}

impl JointedContacts {
    /// For a scene.
    pub fn new(scene: &Bodies, theta: f64, activation: Activation, law: FrictionLaw, options: SolverOptions) -> Self {
        let alpha = (1.0 - theta) / theta;
        let tangents = if scene.is_planar() { 1 } else { 2 };
        let d = if scene.has_rolling() { 5 } else { 1 + tangents };
        Self {
            activation,
            alpha,
            d,
            tangents,
            // θ = 1 leaves one law, and what pushes out of an overlap is no gain to be looked for
            rule: FrictionRule::new(
                if activation == Activation::Gap { FrictionLaw::Newton } else { law },
                alpha,
                options,
            ),
            detector: Detector::default(),
            found: Vec::new(),
            touches: Vec::new(),
            restitution: Vec::new(),
            problem: FrictionProblem::empty(d),
            W: Vec::new(),
            V: Vec::new(),
            L: Vec::new(),
            u_before: Vec::new(),
            u_law: Vec::new(),
            u_free: Vec::new(),
            p: Vec::new(),
            p_new: Vec::new(),
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
    #[allow(clippy::too_many_arguments)]
    pub fn select(
        &mut self,
        scene: &Bodies,
        frames: &[Frame],
        margins: &[f64],
        before: &[Twist],
        h: f64,
        memory: &Memory,
        step: &mut Step,
        next: &mut Memory,
    ) {
        let d = self.d;
        self.touches.clear();
        self.restitution.clear();
        self.u_before.clear();
        self.u_law.clear();
        self.p.clear();
        self.rule.fremond.clear();
        step.contacts.clear();
        step.friction.clear();
        step.smallest_gap = None;
        let mut u_max = memory.u_max;
        let mut last = memory.persistent.iter().peekable();
        let mut take = |joint: JointTouch, point: Option<ContactPoint>| {
            let rows = &joint.rows;
            let velocity = |k: usize| (0..2).map(|s| apply(&rows[k][s], &before[joint.bodies[s]])).sum::<f64>();
            let u = velocity(0);
            while last.next_if(|p| p.id < joint.id).is_some() {}
            let persistent = last.peek().filter(|p| p.id == joint.id);
            u_max = u_max.max(u.abs());
            if step.smallest_gap.is_none_or(|(g, _)| joint.gap < g) {
                step.smallest_gap = Some((joint.gap, joint.id as usize));
            }
            let approach = Approach { gap: joint.gap, u, push: persistent.map_or(0.0, |p| p.push) };
            if !self.activation.admits(&approach, h, u_max) {
                return;
            }
            let on_gap = self.activation == Activation::Gap;
            let e = self.activation.restitution(u, joint.restitution, self.alpha);
            self.restitution.push(if on_gap { 1.0 } else { e });
            self.u_before.extend((0..d).map(velocity));
            self.u_law.extend((0..d).map(velocity));
            if on_gap {
                let pushed = persistent.is_some_and(|p| p.p[0] > 0.0);
                let first = self.u_law.len() - d;
                self.u_law[first] = closed_in_step(scene, joint.bodies, joint.gap, pushed) / h;
            }
            self.p.extend_from_slice(&persistent.map_or([0.0; 5], |p| p.p)[..d]);
            let (id, gap) = (joint.id as usize, joint.gap);
            step.contacts.push(ContactState { id, gap, u_before: u, u_free: u, u_after: u, p: 0.0 });
            let length = if joint.rolling > 0.0 { rolling_length(scene, joint.bodies) } else { 1.0 };
            self.touches.push(Touch { joint, point, length });
        };
        if scene.has_touching_shapes() {
            for point in self.detector.detect(scene, frames, margins) {
                take(between_shapes(scene, frames, point), Some(*point));
            }
        }
        self.found.clear();
        let turns = memory.fields.get(TURNS).map_or(&[][..], Vec::as_slice);
        scene.joint_touches(frames, turns, &mut self.found);
        for joint in &self.found {
            take(*joint, None);
        }
        next.u_max = u_max;
    }

    /// W and the answers of the system, for its last factorisation.
    pub fn prepare(&mut self, system: &JointSystem, bodies: usize, h: f64) {
        let (d, n) = (self.d, self.touches.len());
        let (rows, size) = (system.len(), d * n);
        self.V.resize(size * bodies, [0.0; 6]);
        self.L.resize(size * rows, 0.0);
        self.W.clear();
        self.W.resize(size * size, 0.0);
        for j in 0..size {
            let touch = &self.touches[j / d].joint;
            if !self.touches[j / d].exists(j % d, self.tangents) {
                continue;
            }
            let (V, L) = (&mut self.V[j * bodies..(j + 1) * bodies], &mut self.L[j * rows..(j + 1) * rows]);
            system.answer(h, touch.bodies, &touch.rows[j % d], V, L);
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
        // tangents that do not exist stand alone
        for k in 0..size {
            if !self.touches[k / d].exists(k % d, self.tangents) {
                let i = k / d * d;
                self.W[k * size + k] = self.W[i * size + i];
            }
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
        if let Some(W) = BlockMatrix::from_blocks(d, n, &blocks) {
            self.problem.W = W;
        }
        self.problem.mu.clear();
        self.problem.mu.extend(self.touches.iter().map(|t| t.joint.friction));
        self.problem.mu_rolling.clear();
        if d == 5 {
            self.problem.mu_rolling.extend(self.touches.iter().map(|t| t.joint.rolling));
        }
        self.problem.ids.clear();
        self.problem.ids.extend(self.touches.iter().map(|t| t.joint.id as usize));
        self.problem.revision = 0;
    }

    /// The problem of the last iteration and its impulses, where something rubbed.
    pub fn friction_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        let rubs = self.touches.iter().any(|touch| touch.joint.rubs);
        rubs.then(|| {
            let (mut problem, mut p) = (self.problem.clone(), self.p.clone());
            let lengths: Vec<f64> = self.touches.iter().map(|t| t.length).collect();
            rolling::in_metres(&lengths, &mut problem, &mut p);
            (problem, p)
        })
    }

    /// Contacts with W_NN and the velocity they would have without their impulse, after a problem that was not solved.
    pub fn judged(&self) -> impl Iterator<Item = (&JointTouch, f64, f64)> {
        let (d, size) = (self.d, self.d * self.touches.len());
        let of = move |(i, touch)| -> (&JointTouch, f64, f64) {
            let touch: &Touch = touch;
            (&touch.joint, self.W[i * d * size + i * d], self.u_free[i * d])
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
        let (d, n) = (self.d, self.touches.len());
        let size = d * n;
        self.u_free.clear();
        for i in 0..size {
            let touch = &self.touches[i / d].joint;
            let mut u = 0.0;
            for side in 0..2 {
                let body = touch.bodies[side];
                let row = &touch.rows[i % d][side];
                u += apply(row, &after[body]) + dot6(row, &dv[body]);
            }
            for j in 0..size {
                u -= self.W[j * size + i] * self.p[j];
            }
            self.u_free.push(u);
        }
        if let Some(k) = self.u_free.iter().position(|u| !u.is_finite()) {
            return Err(StepFailure::not_finite(t, h, self.touches[k / d].joint.bodies[0]));
        }
        self.p_new.clone_from(&self.p);
        let u = Velocities { before: &self.u_law, free: &self.u_free, restitution: &self.restitution, positions: 0 };
        let report = self.rule.solve(&mut self.problem, u, &mut self.p_new);
        let report = report.map_err(|report| StepFailure::unsolved_friction(t, h, &self.problem, &report))?;
        step.info.solves += report.solves;
        step.info.iterations += report.iterations;
        step.info.residual = report.residual;
        step.info.impacts = report.impacts;
        step.info.fallbacks = report.fallbacks;
        let (bodies, rows) = (dv.len(), dl.len());
        for j in 0..size {
            let change = self.p_new[j] - self.p[j];
            self.add(j, change, (bodies, rows), dv, dl);
        }
        self.p.clone_from(&self.p_new);
        Ok(())
    }

    /// Adds the answer to a change of component j.
    fn add(&self, j: usize, change: f64, (bodies, rows): (usize, usize), dv: &mut [BodyRow], dl: &mut [f64]) {
        if change == 0.0 || !self.touches[j / self.d].exists(j % self.d, self.tangents) {
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

    /// Hᵀp on every body.
    pub fn push(&self, push: &mut [BodyRow]) {
        push.fill([0.0; 6]);
        for (j, &p) in self.p.iter().enumerate().filter(|(_, p)| **p != 0.0) {
            let touch = &self.touches[j / self.d].joint;
            for side in 0..2 {
                let row = &touch.rows[j % self.d][side];
                for k in 0..6 {
                    push[touch.bodies[side]][k] += p * row[k];
                }
            }
        }
    }

    /// Impulses, velocities and gaps at the end of the step; gives the work on bodies that are moved.
    #[allow(clippy::too_many_arguments)]
    pub fn conclude(
        &mut self,
        scene: &Bodies,
        frames: &[Frame],
        before: &[Twist],
        after: &[Twist],
        theta: f64,
        step: &mut Step,
        next: &mut Memory,
    ) -> f64 {
        let d = self.d;
        let size = self.p.len();
        next.persistent.clear();
        let mut moved = 0.0;
        if self.touches.iter().any(|touch| touch.point.is_none()) {
            self.found.clear();
            let turns = next.fields.get(TURNS).map_or(&[][..], Vec::as_slice);
            scene.joint_touches(frames, turns, &mut self.found);
        }
        for (i, touch) in self.touches.iter().enumerate() {
            let joint = &touch.joint;
            let r = &self.p[i * d..(i + 1) * d];
            let mut u = [0.0; 5];
            for k in 0..d {
                for side in 0..2 {
                    let (row, body) = (&joint.rows[k][side], joint.bodies[side]);
                    u[k] += apply(row, &after[body]);
                    if !scene.bodies()[body].is_free() {
                        moved += r[k] * ((1.0 - theta) * apply(row, &before[body]) + theta * apply(row, &after[body]));
                    }
                }
            }
            let c = &mut step.contacts[i];
            c.p = r[0];
            c.u_after = u[0];
            c.u_free = self.u_free.get(i * d).copied().unwrap_or(c.u_before);
            c.gap = match &touch.point {
                Some(point) => point.gap_at(&frames[joint.bodies[0]], &frames[joint.bodies[1]]),
                None => self.found.iter().find(|t| t.id == joint.id).map_or(joint.gap, |t| t.gap),
            };
            let mobility = self.W[i * d * size + i * d];
            let mut p = [0.0; 5];
            p[..d].copy_from_slice(r);
            next.persistent.push(PersistentContact { id: joint.id, p, push: mobility * r[0] });
            let fremond = self.rule.fremond.get(i).copied().unwrap_or(false);
            let n = self.tangents;
            let rubs = joint.friction > 0.0 || joint.rolling > 0.0;
            let mut along = Tangential { n, fremond, rubs, ..Default::default() };
            let before = &self.u_before[i * d..(i + 1) * d];
            along.u_before[..n].copy_from_slice(&before[1..=n]);
            along.u_after[..n].copy_from_slice(&u[1..=n]);
            along.p[..n].copy_from_slice(&r[1..=n]);
            if joint.rolling > 0.0 {
                rolling::conclude(&mut along, touch.length, before, &u, r);
            }
            along.status = status(joint.friction, r[0], &along, self.alpha, mobility);
            step.friction.push(along);
        }
        moved
    }
}

fn status(mu: f64, p: f64, along: &Tangential, alpha: f64, mobility: f64) -> ContactStatus {
    use percussion_solve::friction::ContactStatus as Judged;
    if mu == 0.0 || p <= 0.0 {
        return if p > 0.0 { ContactStatus::Closed } else { ContactStatus::Open };
    }
    let alpha = if along.fremond { alpha } else { 0.0 };
    let w: [f64; 2] = std::array::from_fn(|k| along.u_after[k] + alpha * along.u_before[k]);
    match Judged::judge(mu, &[p, along.p[0], along.p[1]], &[0.0, w[0], w[1]], mobility * p) {
        Judged::Open => ContactStatus::Open,
        Judged::Closed => ContactStatus::Closed,
        Judged::Stick => ContactStatus::Stick,
        Judged::Slip => ContactStatus::Slip,
    }
}

#[inline]
fn apply(row: &BodyRow, t: &Twist) -> f64 {
    row[0] * t.v[0] + row[1] * t.v[1] + row[2] * t.v[2] + row[3] * t.w[0] + row[4] * t.w[1] + row[5] * t.w[2]
}

/// A contact of shapes with its rows in the frames of the bodies.
fn between_shapes(scene: &Bodies, frames: &[Frame], point: &ContactPoint) -> JointTouch {
    let [a, b] = point.bodies.map(|i| scene.bodies()[i].material);
    let law = scene.materials().law(a, b);
    let row = |side: usize, d: &[f64; 3], sign: f64| {
        let m = mul_t(&frames[point.bodies[side]].R, &cross(&point.arms[side], d));
        [sign * d[0], sign * d[1], sign * d[2], sign * m[0], sign * m[1], sign * m[2]]
    };
    let directions = directions(scene, &point.normal);
    let mut rows = [[[0.0; 6]; 2]; 5];
    for (rows, d) in rows.iter_mut().zip(&directions) {
        *rows = [row(0, d, 1.0), row(1, d, -1.0)];
    }
    let length = rolling_length(scene, point.bodies);
    if law.rolling > 0.0 {
        let turn = |side: usize, axis: &[f64; 3], scaled: f64| {
            let m = mul_t(&frames[point.bodies[side]].R, axis);
            [0.0, 0.0, 0.0, scaled * m[0], scaled * m[1], scaled * m[2]]
        };
        for (rows, axis) in rows[3..].iter_mut().zip(&rolling_axes(scene, &directions)) {
            *rows = [turn(0, axis, length), turn(1, axis, -length)];
        }
    }
    JointTouch {
        id: point.id,
        bodies: point.bodies,
        gap: point.gap,
        rows,
        place: None,
        rubs: true,
        restitution: law.restitution,
        friction: law.friction,
        rolling: law.rolling / length,
    }
}
