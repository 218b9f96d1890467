//! `landing` on bodies, with joints and springs or without.
//!
//!   m Δv = h F + D_vᵀλ + n̄ p₁,    I Δw + h w_m × I w_m = h τ + D_wᵀλ + H_wᵀp₁,    x⁺ = x + h v_m,    R⁺ = R cay(h w_m)
//!   c(q⁺) = c₀ of rigid joints,    0 ≤ 2g_{k+1}/h ⟂ p₁ ≥ 0
//!
//! Rows over the step are discrete gradients (`body_rows`, `Measure`), so that g_{k+1} is what the contact problem says, joints do no
//! work and springs what their potential loses. Rows, the gyroscopic term, joints and the contact problem follow each other until the
//! velocities stand. A body that is thrown further than contacts were looked for has them looked for again, and features that bodies
//! meet only on their way take part from the start. All impulses act at one point on two bodies: momentum is kept.

use crate::bodies::momentum::MomentumBook;
use crate::bodies::rolling;
use crate::bodies::rows::{apply, rolling_length};
use crate::bodies::spin::FreeMotion;
use crate::bodies::theta_step::ThetaStep;
use crate::schemes::landing::body_joints::Joints;
use crate::schemes::landing::body_position::{book_contact, delassus};
use crate::schemes::landing::body_rows::{Row, Touch, of_joints, parts};
use crate::schemes::landing::contact_problem::ContactProblem;
use crate::schemes::landing::contacts::Contacts;
use crate::schemes::landing::instant::{Arrival, CLOSED, Instant, Landed};
use crate::schemes::landing::motion::{Motion, Trial};
use crate::{
    ContactPlace, ContactState, LedgerEntry, Memory, State, Step, StepFailure, StepInfo, StepStart, Tangential,
};
use percussion_matrix::vector;
use percussion_model::bodies::math::{Vec3, axpy, mul, scale};
use percussion_model::bodies::measure::Passage;
use percussion_model::bodies::{Bodies, ContactPoint, Detector, Frame, Twist};
use percussion_solve::friction::FrictionProblem;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Searches for contacts in a step.
const SEARCHES: usize = 20;

/// Bodies as `landing` moves them.
pub struct BodiesMotion {
    pub(super) scene: Arc<Bodies>,
    pub(super) tolerance: f64,
    pub(super) d: usize,
    pub(super) detector: Detector,
    pub(super) step: ThetaStep,
    /// Where the step, or its part, starts and where step 1 leads.
    pub(super) state: State,
    pub(super) arrived: State,
    pub(super) memory: Memory,
    pub(super) joints: Option<Joints>,
    pub(super) free: Vec<FreeMotion>,
    /// The ways of the bodies, and where they end.
    pub(super) ways: Vec<Passage>,
    pub(super) frames: Vec<Frame>,
    /// Contacts within reach, and which of them take part; those whose features the bodies met only on their way.
    pub(super) points: Vec<Touch>,
    pub(super) met: Vec<ContactPoint>,
    pub(super) index: Vec<usize>,
    /// Where contacts between shapes were in this step, by their numbers: features passed on the way are not found at its end.
    pub(super) places: BTreeMap<u64, ContactPlace>,
    pub(super) rows: Vec<Row>,
    /// Contacts that obey the impact law, and their rows.
    pub(super) touching: Vec<usize>,
    pub(super) last_rows: Vec<Row>,
    /// Contacts under Frémond's law in this step.
    pub(super) fremond: Vec<usize>,
    /// Works of step 1; momentum up to this part of the step, and with its step 1.
    pub(super) works: LedgerEntry,
    pub(super) book: MomentumBook,
    pub(super) booked: MomentumBook,
}

impl BodiesMotion {
    /// For a scene.
    pub fn new(scene: Arc<Bodies>, tolerance: f64) -> Self {
        let d = match scene.has_friction() {
            false => 1,
            true if scene.has_rolling() => 5,
            true if scene.is_planar() => 2,
            true => 3,
        };
        let jointed = !scene.joints().is_empty() || !scene.springs().is_empty();
        Self {
            tolerance,
            d,
            detector: Detector::default(),
            step: ThetaStep::new(0.5),
            state: State::default(),
            arrived: State::default(),
            memory: Memory::default(),
            joints: jointed.then(|| Joints::new(&scene)),
            free: Vec::new(),
            ways: Vec::new(),
            frames: Vec::new(),
            points: Vec::new(),
            met: Vec::new(),
            index: Vec::new(),
            places: BTreeMap::new(),
            rows: Vec::new(),
            touching: Vec::new(),
            last_rows: Vec::new(),
            fremond: Vec::new(),
            works: LedgerEntry::default(),
            book: MomentumBook::default(),
            booked: MomentumBook::default(),
            scene,
        }
    }

    /// Gives the moment of rolling friction its unit, and says whether the contact has one.
    fn roll(&self, id: usize, bodies: [usize; 2], along: &mut Tangential) -> bool {
        let rolls = self.d == 5 && self.scene.contact_law(id as u64).rolling > 0.0;
        let length = if rolls { rolling_length(&self.scene, bodies) } else { 0.0 };
        along.n_rolling = if rolls { along.n } else { 0 };
        along.m = along.m.map(|m| m * length);
        rolls
    }

    /// The contact of that number, among those within reach.
    fn find(&self, id: usize) -> Option<usize> {
        self.points.binary_search_by_key(&(id as u64), Touch::id).ok()
    }

    /// Velocities of a body at the end of the step: its own, or those imposed.
    fn twist(&self, i: usize, v: &[f64]) -> Twist {
        if self.scene.bodies()[i].is_free() { self.scene.twist(i, v) } else { self.step.after[i] }
    }

    /// Rows of contacts where the bodies are.
    fn end_rows(&self, of: &[usize]) -> Vec<Row> {
        let mut rows = Vec::new();
        for &k in of {
            self.points[k].at_end(&self.scene, &self.frames, self.d, &mut rows);
        }
        rows
    }

    /// x ← x + p M⁻¹row of a contact without joints.
    fn push(&self, k: usize, row: &Row, p: f64, x: &mut [f64]) {
        for side in 0..2 {
            let i = self.points[k].bodies()[side];
            let body = &self.scene.bodies()[i];
            if body.is_free() {
                let [v, w] = parts(&row[side]);
                let w = mul(&body.inverse_inertia, &w);
                self.add(i, &[0, 1, 2].map(|c| p * body.inverse_mass * v[c]), &w.map(|w| p * w), x);
            }
        }
    }

    /// Adds to the velocities of a body.
    fn add(&self, i: usize, v: &Vec3, w: &Vec3, x: &mut [f64]) {
        let Twist { v: a, w: b } = self.scene.twist(i, x);
        let sum = Twist { v: axpy(&a, 1.0, v), w: axpy(&b, 1.0, w) };
        self.scene.write_twist(i, &sum, x);
    }
}

impl Motion for BodiesMotion {
    fn begin(&mut self, state: &State) {
        self.places.clear();
        self.book = MomentumBook::open(&self.scene, state, 1);
        if let Some(joints) = &mut self.joints {
            joints.begin_step();
        }
    }

    fn position(&mut self, of: Trial, contacts: &mut Contacts, to: &mut Arrival) -> Result<StepInfo, StepFailure> {
        let Trial { at, h, .. } = of;
        self.state.set(at.t, &at.q, &at.v);
        let start = StepStart { state: &self.state, memory: &self.memory, h };
        self.step.begin(&self.scene, &start);
        self.step.reach(&self.scene, h);
        self.met.clear();
        let mut info = StepInfo::default();
        for search in 0..SEARCHES {
            self.search(&at.landed);
            if search > 0 {
                let start = StepStart { state: &self.state, memory: &self.memory, h };
                self.step.begin(&self.scene, &start);
            }
            info.add(&self.settle(of, contacts, to)?);
            let wider = self.widen(at, h);
            if !self.meet(at, to) && !wider {
                break;
            }
        }
        to.q.clone_from(&self.arrived.q);
        to.v1.clone_from(&self.arrived.v);
        contacts.take_in();
        let Self { joints, step, state, memory, frames, .. } = self;
        if let Some(joints) = joints {
            let start = StepStart { state, memory, h };
            joints.arrive(&step.start.of(&start), &step.after, frames, &at.landed.turns)?;
        }
        self.account(h, contacts, at.landed.speed)?;
        let Self { points, places, step, .. } = self;
        places.extend(points.iter().filter_map(|touch| match touch {
            Touch::Shapes(point) => Some((point.id, ContactPlace::of(point, &step.start.frames))),
            Touch::Stop(_) | Touch::Slack(_) | Touch::Loose(_) | Touch::Dry(_) => None,
        }));
        Ok(info)
    }

    fn turn_rows(&mut self, at: &Instant, h: f64, _: &Contacts, to: &Arrival) -> Result<(), StepFailure> {
        self.rows = self.end_rows(&self.index);
        let pairs = self.pairs(&self.index);
        if let Some(joints) = &mut self.joints {
            joints.stand(&to.q, &self.frames, &to.v1, (at.t, h), h)?;
            joints.taken = joints.respond(&self.rows, &pairs, self.d);
        }
        Ok(())
    }

    fn respond(&self, row: usize, p: f64, x: &mut [f64]) {
        match &self.joints {
            Some(joints) => joints.taken.add(row, p, x),
            None => self.push(self.index[row / self.d], &self.rows[row], p, x),
        }
    }

    fn weigh(&self, row: usize, x: &mut [f64]) {
        x.fill(0.0);
        if self.joints.is_some() {
            let mut N = vec![0.0; x.len()];
            self.respond(row, 1.0, &mut N);
            for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
                let Twist { v, w } = self.scene.twist(i, &N);
                self.add(i, &scale(body.mass, &v), &mul(&body.inertia, &w), x);
            }
            return;
        }
        // M M⁻¹H = H
        let bodies = self.points[self.index[row / self.d]].bodies();
        for (side, &i) in bodies.iter().enumerate().filter(|(_, i)| self.scene.bodies()[**i].is_free()) {
            let [v, w] = parts(&self.rows[row][side]);
            self.add(i, &v, &w, x);
        }
    }

    fn along(&self, row: usize, x: &[f64]) -> f64 {
        if let Some(joints) = &self.joints {
            return joints.taken.dot(row, x);
        }
        let bodies = self.points[self.index[row / self.d]].bodies();
        let mut sum = 0.0;
        for (side, &i) in bodies.iter().enumerate() {
            let body = &self.scene.bodies()[i];
            if body.is_free() {
                let [v, w] = parts(&self.rows[row][side]);
                let w = mul(&body.inverse_inertia, &w);
                let N = [0, 1, 2].map(|c| body.inverse_mass * v[c]);
                sum += apply(&[N[0], N[1], N[2], w[0], w[1], w[2]], &self.scene.twist(i, x));
            }
        }
        sum
    }

    fn product(&self, x: &[f64], y: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let (a, b) = (self.scene.twist(i, x), self.scene.twist(i, y));
            let Iw = mul(&body.inertia, &b.w);
            sum += (0..3).map(|k| body.mass * a.v[k] * b.v[k] + a.w[k] * Iw[k]).sum::<f64>();
        }
        if self.joints.is_some() {
            // rotors have energies of their own: xᵀJy by polarisation
            let of = |s: f64, t: f64| {
                self.scene.rotor_energy(|i| {
                    let (a, b) = (self.scene.twist(i, x), self.scene.twist(i, y));
                    Twist { v: axpy(&scale(s, &a.v), t, &b.v), w: axpy(&scale(s, &a.w), t, &b.w) }
                })
            };
            sum += of(1.0, 1.0) - of(1.0, 0.0) - of(0.0, 1.0);
        }
        sum
    }

    fn hands(&self, row: usize, last: bool) -> f64 {
        self.joints.as_ref().map_or(0.0, |joints| if last { &joints.struck } else { &joints.taken }.hands(row))
    }

    fn touch(&mut self, ids: &[usize], _: f64, to: &Arrival, last: &mut ContactProblem) {
        self.touching = ids.iter().filter_map(|&id| self.find(id)).collect();
        self.last_rows = self.end_rows(&self.touching);
        let mut mu = Vec::with_capacity(ids.len());
        for (j, &k) in self.touching.iter().enumerate() {
            let touch = &self.points[k];
            let law = touch.law(&self.scene);
            last.law.restitution.push(law.restitution);
            mu.push((law.friction, law.rolling));
            for row in &self.last_rows[j * self.d..(j + 1) * self.d] {
                let (mut u, mut drift) = (0.0, 0.0);
                for (side, i) in touch.bodies().into_iter().enumerate() {
                    let along = apply(&row[side], &self.twist(i, &to.v_minus));
                    u += along;
                    drift += if self.scene.bodies()[i].is_free() { 0.0 } else { along };
                }
                last.law.u_before.push(u);
                last.law.p.push(0.0);
                last.drift.push(drift);
            }
        }
        last.name(ids, mu.into_iter());
    }

    fn has_joints(&self) -> bool {
        self.joints.is_some()
    }

    fn impact(
        &mut self,
        at: (f64, f64),
        across: f64,
        v: &mut [f64],
        last: &mut ContactProblem,
    ) -> Result<(), StepFailure> {
        let pairs = self.pairs(&self.touching);
        let Some(joints) = &mut self.joints else {
            last.law.u_free.clone_from(&last.law.u_before);
            let inverse = |i: usize| (self.scene.bodies()[i].inverse_mass, self.scene.bodies()[i].inverse_inertia);
            let entries = delassus(&self.last_rows, &pairs, self.d, self.scene.len(), inverse);
            last.set_operator(&self.present(&self.touching, &self.last_rows), &entries);
            return Ok(());
        };
        joints.stand(&self.arrived.q, &self.frames, &self.arrived.v, (at.0 - at.1, at.1), 0.0)?;
        joints.bounce(across, v);
        joints.struck = joints.respond(&self.last_rows, &pairs, self.d);
        last.law.u_free.clear();
        for (k, row) in self.last_rows.iter().enumerate() {
            let u: f64 = (0..2).map(|side| apply(&row[side], &self.twist(pairs[k / self.d][side], v))).sum();
            last.law.u_free.push(u);
        }
        let entries = self
            .joints
            .as_ref()
            .map_or_else(Vec::new, |j| j.struck.entries(&self.scene, &self.last_rows, &pairs, self.d));
        last.set_operator(&self.present(&self.touching, &self.last_rows), &entries);
        Ok(())
    }

    fn strike(&self, row: usize, p: f64, x: &mut [f64]) {
        match &self.joints {
            Some(joints) => joints.struck.add(row, p, x),
            None => self.push(self.touching[row / self.d], &self.last_rows[row], p, x),
        }
    }

    fn hand_of_joints(&self) -> f64 {
        self.joints.as_ref().map_or(0.0, Joints::hand_of_bounce)
    }

    fn works(&mut self, _: &Instant, _: f64, _: &Arrival) -> LedgerEntry {
        self.works
    }

    fn remember(&mut self, contacts: &Contacts, landed: &mut Landed) {
        let Self { scene, joints, frames, points, index, rows, touching, last_rows, d, book, booked, .. } = self;
        *book = *booked;
        let spatial = |i: usize, m: &Vec3| (frames[i].x, mul(&frames[i].R, m));
        let (first, last) = (&contacts.taken, &contacts.last.law.p);
        if contacts.landed.contains(&true) {
            for (j, &k) in index.iter().enumerate() {
                let of = (j * *d..(j + 1) * *d).map(|k| (-first[k], &rows[k]));
                book_contact(scene, &points[k], of, spatial, book);
            }
        }
        if contacts.struck {
            for (j, &k) in touching.iter().enumerate() {
                let of = (j * *d..(j + 1) * *d).map(|k| (last[k], &last_rows[k]));
                book_contact(scene, &points[k], of, spatial, book);
            }
        }
        if let Some(joints) = joints {
            joints.remember(contacts, book, landed);
        }
    }

    fn energies(&self, q: &[f64], v: &[f64]) -> [f64; 2] {
        let potential = match &self.joints {
            Some(joints) => self.scene.potential_energy_turned(q, &joints.turned),
            None => self.scene.potential_energy(q),
        };
        [self.scene.kinetic_energy(v), potential]
    }

    fn sizes(&self) -> (usize, usize) {
        (self.d, self.scene.n_v())
    }

    fn in_metres(&self, problem: &mut FrictionProblem, p: &mut [f64]) {
        let lengths: Vec<f64> =
            self.index.iter().map(|&k| rolling_length(&self.scene, self.points[k].bodies())).collect();
        rolling::in_metres(&lengths, problem, p);
    }

    fn tangents(&self) -> usize {
        (self.d - 1).min(if self.scene.is_planar() { 1 } else { 2 })
    }

    fn contact_count(&self) -> usize {
        0
    }

    fn closed_at_start(&mut self, state: &State) -> (Vec<u64>, f64) {
        let length = vector::max_abs(&state.q);
        let frames: Vec<Frame> = (0..self.scene.len()).map(|i| self.scene.frame(i, &state.q)).collect();
        let margins = vec![CLOSED * length; self.scene.len()];
        let mut found: Vec<Touch> = Vec::new();
        if self.scene.has_touching_shapes() {
            let near = self.detector.detect(&self.scene, &frames, &margins);
            found.extend(near.iter().map(|point| Touch::Shapes(*point)));
        }
        of_joints(&self.scene, &frames, &[], &mut found);
        found.retain(|touch| touch.given().is_none());
        found.sort_by_key(Touch::id);
        let mut closed = Vec::new();
        for touch in &found {
            let (mut rows, bodies) = (Vec::new(), touch.bodies());
            touch.at_end(&self.scene, &frames, 1, &mut rows);
            let u: f64 = (0..2).map(|side| apply(&rows[0][side], &self.scene.twist(bodies[side], &state.v))).sum();
            if touch.gap(&self.scene, &frames, &frames) <= CLOSED * length && u >= 0.0 {
                closed.push(touch.id());
            }
        }
        (closed, length)
    }

    fn start_joints(&mut self, state: &State, landed: &mut Landed) {
        let frames: Vec<Frame> = (0..self.scene.len()).map(|i| self.scene.frame(i, &state.q)).collect();
        if let Some(joints) = &mut self.joints {
            joints.start(&frames, landed);
        }
    }

    fn smallest_gap(&mut self, state: &State) -> Option<(f64, usize)> {
        let frames: Vec<Frame> = (0..self.scene.len()).map(|i| self.scene.frame(i, &state.q)).collect();
        if !self.scene.has_touching_shapes() {
            return None;
        }
        let found = self.detector.detect(&self.scene, &frames, &vec![0.0; self.scene.len()]);
        found.iter().map(|point| (point.gap, point.id as usize)).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn conclude(&mut self, state: &State, step: &mut Step) {
        for (j, c) in step.contacts.iter_mut().enumerate() {
            // of the last part of the step, or of an earlier one
            let (touch, start) = match self.find(c.id) {
                Some(k) => (self.points[k].clone(), &self.step.start.frames),
                None => match self.scene.contact(c.id as u64, &step.after.q) {
                    Some(point) => (Touch::Shapes(point), &self.frames),
                    // passed on the way: its impulses are what is left of it
                    None => {
                        let place = self.places.get(&(c.id as u64)).copied().unwrap_or_default();
                        if let Some(along) = step.friction.get_mut(j) {
                            self.roll(c.id, place.bodies, along);
                        }
                        continue;
                    }
                },
            };
            let (bodies, mut rows) = (touch.bodies(), Vec::new());
            c.gap = touch.gap(&self.scene, start, &self.frames);
            touch.at_end(&self.scene, &self.frames, self.d, &mut rows);
            let u = |row: &Row, v: &[f64]| -> f64 {
                (0..2).map(|side| apply(&row[side], &self.twist(bodies[side], v))).sum()
            };
            (c.u_before, c.u_after) = (u(&rows[0], &state.v), u(&rows[0], &step.after.v));
            let Some(along) = step.friction.get_mut(j) else { continue };
            let tangents = rows.len().min(1 + along.n);
            for (t, row) in rows[1..tangents].iter().enumerate() {
                (along.u_before[t], along.u_after[t]) = (u(row, &state.v), u(row, &step.after.v));
            }
            if self.roll(c.id, bodies, along) {
                let length = rolling_length(&self.scene, bodies);
                for (k, row) in rows[3..3 + along.n].iter().enumerate() {
                    (along.w_before[k], along.w_after[k]) = (u(row, &state.v) / length, u(row, &step.after.v) / length);
                }
            }
        }
        let place = |c: &ContactState| self.places.get(&(c.id as u64)).copied().unwrap_or_default();
        step.places.clear();
        step.places.extend(step.contacts.iter().map(place));
        step.reactions.clear();
        if let Some(joints) = &self.joints {
            joints.reactions(&mut step.reactions);
        }
        step.momentum = self.book.close(&self.scene, &step.after);
    }
}
