//! `landing` on bodies without joints or springs.
//!
//!   m Δv = h F + n̄ p₁,    I Δw + h w_m × I w_m = h τ + H_wᵀp₁,    x⁺ = x + h v_m,    R⁺ = R cay(h w_m),    0 ≤ 2g_{k+1}/h ⟂ p₁ ≥ 0
//!
//! Rows over the step are discrete gradients (`body_rows`), so that g_{k+1} is what the contact problem says. Rows, the gyroscopic
//! term and the contact problem follow each other until the velocities stand. A body that is thrown further than contacts were
//! looked for has them looked for again, and features that bodies meet only on their way take part from the start.

use crate::bodies::rows::apply;
use crate::bodies::spin::{FreeMotion, free_motion};
use crate::bodies::theta_step::ThetaStep;
use crate::run::audit::NO_PENETRATION;
use crate::schemes::landing::body_rows::{Ends, Row, at_end, over_step};
use crate::schemes::landing::contact_problem::ContactProblem;
use crate::schemes::landing::contacts::{CLOSED, Contacts, SLOW, TOUCHING};
use crate::schemes::landing::instant::{Arrival, Instant};
use crate::schemes::landing::motion::Motion;
use crate::{LedgerEntry, Memory, State, Step, StepFailure, StepInfo, StepStart};
use percussion_matrix::{math, vector};
use percussion_model::bodies::math::{Mat3, Vec3, axpy, mul, norm, sub};
use percussion_model::bodies::{Bodies, ContactPoint, Detector, Features, Frame, Twist};
use std::sync::Arc;

/// Rounds of rows, gyroscopic term and contact problem.
const ROUNDS: usize = 100;
/// Those after which positions need stand only to this part of the size of the system, a hundredth of what is promised of gaps.
const LATE: usize = 20;
const STANDS: f64 = 1e-2 * NO_PENETRATION;
/// Searches for contacts in a step.
const SEARCHES: usize = 20;

/// Bodies as `landing` moves them.
pub struct BodiesMotion {
    scene: Arc<Bodies>,
    tolerance: f64,
    d: usize,
    detector: Detector,
    step: ThetaStep,
    state: State,
    memory: Memory,
    free: Vec<FreeMotion>,
    frames: Vec<Frame>,
    /// Contacts within reach, and which of them take part; those whose features the bodies met only on their way.
    points: Vec<ContactPoint>,
    met: Vec<ContactPoint>,
    index: Vec<usize>,
    rows: Vec<Row>,
    /// Contacts that obey the impact law, and their rows.
    touching: Vec<usize>,
    last_rows: Vec<Row>,
    /// Contacts under Frémond's law in this step.
    fremond: Vec<usize>,
}

impl BodiesMotion {
    /// For a scene.
    pub fn new(scene: Arc<Bodies>, tolerance: f64) -> Self {
        let d = match scene.has_friction() {
            false => 1,
            true if scene.is_planar() => 2,
            true => 3,
        };
        Self {
            tolerance,
            d,
            detector: Detector::default(),
            step: ThetaStep::new(0.5),
            state: State::default(),
            memory: Memory::default(),
            free: Vec::new(),
            frames: Vec::new(),
            points: Vec::new(),
            met: Vec::new(),
            index: Vec::new(),
            rows: Vec::new(),
            touching: Vec::new(),
            last_rows: Vec::new(),
            fremond: Vec::new(),
            scene,
        }
    }

    fn law(&self, point: &ContactPoint) -> (f64, f64) {
        let law = self.scene.law_between(point.bodies, point.id);
        (law.restitution, law.friction)
    }

    /// The contact of that number, among those within reach.
    fn find(&self, id: usize) -> Option<usize> {
        self.points.binary_search_by_key(&(id as u64), |point| point.id).ok()
    }

    /// Velocities of a body at the end of the step: its own, or those imposed.
    fn twist(&self, i: usize, v: &[f64]) -> Twist {
        if self.scene.bodies()[i].is_free() { self.scene.twist(i, v) } else { self.step.after[i] }
    }

    /// Places at the end of a step with the velocities of `self.step.after`.
    fn place(&mut self, at: &Instant, h: f64, q: &mut Vec<f64>) {
        q.clone_from(&at.q);
        self.frames.clear();
        for i in 0..self.scene.len() {
            self.scene.advance(i, &at.q, h, &self.step.mean(i), q);
            self.frames.push(self.scene.frame(i, q));
        }
    }

    /// Motion without impulses for the present w_m.
    fn move_freely(&mut self, h: f64) {
        self.free.clear();
        for (i, body) in self.scene.bodies().iter().enumerate() {
            let (start, after) = (&self.step.start, &self.step.after[i]);
            self.free.push(if body.is_free() {
                let w = self.step.mean(i).w;
                free_motion(body, &start.before[i], &start.wrenches[i], &w, h, 0.5)
            } else {
                FreeMotion { twist: *after, ..Default::default() }
            });
        }
    }

    fn gap(&self, k: usize, frames: &[Frame]) -> f64 {
        let point = &self.points[k];
        let [a, b] = point.bodies;
        point.gap_at(&frames[a], &frames[b])
    }

    /// Whether a contact counts as closed: it was, or it is at its gap to round-off without being approached, as where features change.
    fn is_closed(&self, at: &Instant, k: usize, gap: f64) -> bool {
        if at.landed.is_closed(self.points[k].id as usize) {
            return true;
        }
        if gap > CLOSED * at.landed.length {
            return false;
        }
        let (point, frames) = (&self.points[k], &self.step.start.frames);
        let mut rows = Vec::new();
        let [a, b] = point.bodies;
        at_end(&self.scene, point, &frames[a], [&frames[a], &frames[b]], 0, &mut rows);
        let u: f64 = (0..2).map(|side| apply(&rows[0][side], &self.step.start.before[point.bodies[side]])).sum();
        u >= -SLOW * at.landed.speed
    }

    /// Gaps at `self.frames`; adds the contacts that are passed and says whether there are any.
    fn note_gaps(&mut self, barred: &[usize], to: &mut Arrival) -> bool {
        to.near.clear();
        let known = self.index.len();
        for k in 0..self.points.len() {
            let (id, gap) = (self.points[k].id as usize, self.gap(k, &self.frames));
            to.near.push((id, gap));
            let listed = self.index[..known].binary_search(&k).is_ok() || barred.binary_search(&id).is_ok();
            if gap < 0.0 && !listed {
                self.index.push(k);
            }
        }
        let passed = self.index.len() > known;
        self.index.sort_unstable();
        passed
    }

    /// The contacts that are closed at the start.
    fn select(&mut self, at: &Instant, barred: &[usize]) {
        let allowed = |k: &usize| barred.binary_search(&(self.points[*k].id as usize)).is_err();
        let closed = |k: &usize| self.is_closed(at, *k, self.gap(*k, &self.step.start.frames));
        self.index = (0..self.points.len()).filter(|k| allowed(k) && closed(k)).collect();
    }

    /// Rows over the step of the contacts that take part.
    fn discrete_rows(&mut self, h: f64) {
        let Self { scene, step, frames, points, index, rows, d, .. } = self;
        rows.clear();
        for &k in index.iter() {
            let ends = points[k].bodies.map(|i| {
                let phi = 0.5 * h * step.mean(i).w[2];
                let turning = if scene.is_planar() && phi != 0.0 { math::tan(phi) / phi } else { 1.0 };
                Ends { before: &step.start.frames[i], after: &frames[i], turning }
            });
            over_step(scene, &points[k], ends, *d - 1, rows);
        }
    }

    /// The contact problem of the present rows.
    fn fill(&mut self, at: &Instant, h: f64, contacts: &mut Contacts, guess: &[f64]) {
        let d = self.d;
        let first = &mut contacts.first;
        let mut kept = std::mem::take(&mut self.fremond);
        kept.extend(first.ids().iter().enumerate().filter(|(k, _)| first.law.fremond(*k)).map(|(_, &id)| id));
        first.clear();
        contacts.gaps.clear();
        contacts.closed.clear();
        let (mut ids, mut mu) = (Vec::with_capacity(self.index.len()), Vec::with_capacity(self.index.len()));
        for (j, &k) in self.index.iter().enumerate() {
            let point = &self.points[k];
            let gap = self.gap(k, &self.step.start.frames);
            let closed = self.is_closed(at, k, gap);
            // an overlap that changing features left is not pushed out, which would put energy in
            let gap = if gap < -TOUCHING * at.landed.length { 0.0 } else { gap };
            ids.push(point.id as usize);
            mu.push(if closed { self.law(point).1 } else { 0.0 });
            contacts.gaps.push(gap);
            contacts.closed.push(closed);
            first.law.restitution.push(1.0);
            for c in 0..d {
                let row = &self.rows[j * d + c];
                let (mut before, mut free, mut drift) = (0.0, 0.0, 0.0);
                for side in 0..2 {
                    let i = point.bodies[side];
                    before += apply(&row[side], &self.step.start.before[i]);
                    free += apply(&row[side], &self.free[i].twist);
                    if !self.scene.bodies()[i].is_free() {
                        drift += apply(&row[side], &self.step.mean(i));
                    }
                }
                let gap = if c == 0 { 2.0 * gap / h } else { 0.0 };
                first.law.u_before.push(before + gap);
                first.law.u_free.push(free);
                first.law.p.push(guess.get(j * d + c).copied().unwrap_or(0.0));
                first.drift.push(drift);
            }
        }
        first.name(&ids, mu.into_iter());
        let bodies: Vec<[usize; 2]> = self.index.iter().map(|&k| self.points[k].bodies).collect();
        let inverse = |i: usize| (self.free[i].inverse_mass, self.free[i].inverse_inertia);
        let entries = delassus(&self.rows, &bodies, d, self.scene.len(), inverse);
        first.set_operator(&(0..self.rows.len()).map(Some).collect::<Vec<_>>(), &entries);
        first.law.flag(ids.iter().map(|id| kept.contains(id)));
        self.fremond = kept;
    }

    /// Velocities with the impulses found; how much they changed, and how fast the fastest is.
    fn take_velocities(&mut self, p: &[f64]) -> (f64, f64) {
        let mut after: Vec<Twist> = self.free.iter().map(|free| free.twist).collect();
        for (k, &p) in p.iter().enumerate().filter(|(_, p)| **p != 0.0) {
            let bodies = self.points[self.index[k / self.d]].bodies;
            for side in 0..2 {
                let (i, row) = (bodies[side], &self.rows[k][side]);
                let FreeMotion { inverse_mass, inverse_inertia, .. } = &self.free[i];
                let [v, w] = parts(row);
                after[i].v = axpy(&after[i].v, p * inverse_mass, &v);
                after[i].w = axpy(&after[i].w, p, &mul(inverse_inertia, &w));
            }
        }
        let (mut change, mut speed) = (0.0_f64, 0.0_f64);
        for (i, (new, old)) in after.iter().zip(&self.step.after).enumerate() {
            let size = self.scene.bodies()[i].reach.clamp(1e-3, 1e3);
            change = change.max(norm(&sub(&new.v, &old.v))).max(size * norm(&sub(&new.w, &old.w)));
            speed = speed.max(norm(&new.v)).max(size * norm(&new.w));
        }
        self.step.after = after;
        (change, speed)
    }

    /// Step 1 with the contacts found.
    fn settle(
        &mut self,
        at: &Instant,
        h: f64,
        barred: &[usize],
        contacts: &mut Contacts,
        to: &mut Arrival,
    ) -> Result<StepInfo, StepFailure> {
        let mut info = StepInfo::default();
        let (mut last, mut guess) = (f64::INFINITY, Vec::new());
        self.fremond.clear();
        contacts.first.clear();
        for round in 0..ROUNDS {
            self.move_freely(h);
            if round == 0 {
                self.step.after = self.free.iter().map(|free| free.twist).collect();
                self.place(at, h, &mut to.q);
                to.fastest = self.free.iter().fold(0.0, |s: f64, free| s.max(norm(&free.twist.v)));
                self.select(at, barred);
                self.note_gaps(barred, to);
                for &k in &self.index {
                    guess.extend_from_slice(&at.landed.guess(self.points[k].id as usize)[..self.d]);
                }
            }
            self.discrete_rows(h);
            self.fill(at, h, contacts, &guess);
            let solved = contacts.first.solve((at.t, h), true)?;
            info = StepInfo { iterations: info.iterations + solved.iterations, ..solved };
            guess.clone_from(&contacts.first.law.p);
            let (change, speed) = self.take_velocities(&guess);
            self.place(at, h, &mut to.q);
            if self.note_gaps(barred, to) {
                guess.clear();
                last = f64::INFINITY;
                continue;
            }
            let floor = (4.0 * f64::EPSILON * speed).max(f64::EPSILON * vector::max_abs(&to.q) / h);
            // the first round knows no w_m yet
            let turning = round == 0 && self.scene.bodies().iter().any(|body| body.is_free() && !body.isotropic);
            let still = (!turning && change <= floor) || (change <= self.tolerance * speed && change > 0.5 * last);
            // contact problems solved to their tolerance leave a rest: positions that stand far within what is promised of gaps are positions
            let stands = round >= LATE && change * h <= STANDS * vector::max_abs(&to.q).max(1e-3);
            last = change;
            if still || stands {
                return Ok(info);
            }
            if !change.is_finite() {
                break;
            }
        }
        let message = format!("rows and contacts did not settle in {ROUNDS} rounds, the last change is {last:.1e} m/s");
        Err(StepFailure::newton(&self.state, h, message))
    }

    /// Takes in overlaps at the end of the step whose features were not those found at its start; whether there are any.
    fn meet(&mut self, at: &Instant) -> bool {
        let Self { scene, detector, step, frames, points, met, .. } = self;
        let allowed = -TOUCHING * at.landed.length;
        let mut any = false;
        for point in detector.detect(scene, frames, &vec![0.0; scene.len()]) {
            let [a, b] = point.bodies;
            let listed = points.binary_search_by_key(&point.id, |known| known.id);
            let same = listed.is_ok_and(|k| points[k].gap_at(&frames[a], &frames[b]) <= 0.5 * point.gap);
            let start = point.gap_at(&step.start.frames[a], &step.start.frames[b]);
            // what lies behind a face from the start is not held by it
            if point.gap >= allowed || same || start < allowed {
                continue;
            }
            any = true;
            let point = brought_back(point, &frames[a], [&step.start.frames[a], &step.start.frames[b]]);
            match met.iter_mut().find(|other| other.id == point.id) {
                Some(other) => *other = point,
                None => met.push(point),
            }
        }
        any
    }

    /// Widens the margins of bodies that went further than contacts were looked for; whether any did.
    fn widen(&mut self, at: &Instant, h: f64) -> bool {
        let mut wider = false;
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let Twist { v, w } = self.step.mean(i);
            let way = h * (norm(&v) + if norm(&w) == 0.0 { 0.0 } else { norm(&w) * body.reach.min(1e6) });
            if way > self.step.margins[i] + f64::EPSILON * at.landed.length {
                self.step.margins[i] = 1.5 * way;
                wider = true;
            }
        }
        wider
    }

    /// Rows of the contacts that take part, where the bodies are.
    fn end_rows(&self, of: &[usize]) -> Vec<Row> {
        let mut rows = Vec::new();
        for &k in of {
            let point = &self.points[k];
            let [a, b] = point.bodies;
            let frames = [&self.frames[a], &self.frames[b]];
            at_end(&self.scene, point, &self.step.start.frames[a], frames, self.d - 1, &mut rows);
        }
        rows
    }

    /// x ← x + p M⁻¹row of a contact.
    fn push(&self, k: usize, row: &Row, p: f64, x: &mut [f64]) {
        for side in 0..2 {
            let i = self.points[k].bodies[side];
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

/// A contact found at later frames as it stands at earlier ones.
fn brought_back(point: &ContactPoint, later: &Frame, earlier: [&Frame; 2]) -> ContactPoint {
    let (r, n) = match &point.features {
        Features::Balls { points, .. } => {
            let d = sub(&earlier[0].point(&points[0]), &earlier[1].point(&points[1]));
            (points[0], d.map(|x| x / norm(&d).max(f64::MIN_POSITIVE)))
        }
        Features::Face { points, normal, .. } => (points[0], mul(&earlier[1].R, normal)),
    };
    let radius = norm(&sub(&point.arms[0], &mul(&later.R, &r)));
    let arms = [axpy(&mul(&earlier[0].R, &r), -radius, &n), point.arms[1]];
    ContactPoint { gap: point.gap_at(earlier[0], earlier[1]), normal: n, arms, ..*point }
}

fn parts(row: &[f64; 6]) -> [Vec3; 2] {
    [[row[0], row[1], row[2]], [row[3], row[4], row[5]]]
}

/// The entries of W = H M⁻¹Hᵀ between rows that share a body.
fn delassus(
    rows: &[Row],
    bodies: &[[usize; 2]],
    d: usize,
    n: usize,
    inverse: impl Fn(usize) -> (f64, Mat3),
) -> Vec<(usize, usize, f64)> {
    let mut of: Vec<Vec<(usize, usize)>> = vec![Vec::new(); n];
    for k in 0..rows.len() {
        for side in 0..2 {
            of[bodies[k / d][side]].push((k, side));
        }
    }
    let mut entries = Vec::new();
    for (i, of) in of.iter().enumerate() {
        let (m, I) = inverse(i);
        if m == 0.0 {
            continue;
        }
        for &(b, side_b) in of {
            let [v, w] = parts(&rows[b][side_b]);
            let response = Twist { v: v.map(|v| m * v), w: mul(&I, &w) };
            for &(a, side_a) in of {
                entries.push((a, b, apply(&rows[a][side_a], &response)));
            }
        }
    }
    entries
}

impl Motion for BodiesMotion {
    fn position(
        &mut self,
        at: &Instant,
        h: f64,
        barred: &[usize],
        contacts: &mut Contacts,
        to: &mut Arrival,
    ) -> Result<StepInfo, StepFailure> {
        self.state.set(at.t, &at.q, &at.v);
        let start = StepStart { state: &self.state, memory: &self.memory, h };
        self.step.begin(&self.scene, &start);
        self.step.reach(&self.scene, h);
        self.met.clear();
        let mut info = StepInfo::default();
        for search in 0..SEARCHES {
            self.points.clear();
            let found = self.detector.detect(&self.scene, &self.step.start.frames, &self.step.margins);
            self.points.extend_from_slice(found);
            for point in &self.met {
                match self.points.binary_search_by_key(&point.id, |known| known.id) {
                    Ok(k) => self.points[k] = *point,
                    Err(k) => self.points.insert(k, *point),
                }
            }
            if search > 0 {
                let start = StepStart { state: &self.state, memory: &self.memory, h };
                self.step.begin(&self.scene, &start);
            }
            info.add(&self.settle(at, h, barred, contacts, to)?);
            let wider = self.widen(at, h);
            if !self.meet(at) && !wider {
                break;
            }
        }
        to.v1.clone_from(&at.v);
        for (i, twist) in self.step.after.iter().enumerate() {
            self.scene.write_twist(i, twist, &mut to.v1);
        }
        contacts.take_in();
        Ok(info)
    }

    fn turn_rows(&mut self, _: &Instant, _: f64, _: &Contacts, _: &Arrival) -> Result<(), StepFailure> {
        self.rows = self.end_rows(&self.index);
        Ok(())
    }

    fn respond(&self, row: usize, p: f64, x: &mut [f64]) {
        self.push(self.index[row / self.d], &self.rows[row], p, x);
    }

    fn weigh(&self, row: usize, x: &mut [f64]) {
        // M M⁻¹H = H
        x.fill(0.0);
        let bodies = self.points[self.index[row / self.d]].bodies;
        for (side, &i) in bodies.iter().enumerate().filter(|(_, i)| self.scene.bodies()[**i].is_free()) {
            let [v, w] = parts(&self.rows[row][side]);
            self.add(i, &v, &w, x);
        }
    }

    fn along(&self, row: usize, x: &[f64]) -> f64 {
        let bodies = self.points[self.index[row / self.d]].bodies;
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
        sum
    }

    fn touch(&mut self, ids: &[usize], _: f64, to: &Arrival, last: &mut ContactProblem) {
        self.touching = ids.iter().filter_map(|&id| self.find(id)).collect();
        self.last_rows = self.end_rows(&self.touching);
        let mut mu = Vec::with_capacity(ids.len());
        for (j, &k) in self.touching.iter().enumerate() {
            let point = &self.points[k];
            let (e, friction) = self.law(point);
            last.law.restitution.push(e);
            mu.push(friction);
            for row in &self.last_rows[j * self.d..(j + 1) * self.d] {
                let (mut u, mut drift) = (0.0, 0.0);
                for side in 0..2 {
                    let i = point.bodies[side];
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

    fn impact(&mut self, _: (f64, f64), _: &mut [f64], last: &mut ContactProblem) -> Result<(), StepFailure> {
        last.law.u_free.clone_from(&last.law.u_before);
        let bodies: Vec<[usize; 2]> = self.touching.iter().map(|&k| self.points[k].bodies).collect();
        let inverse = |i: usize| (self.scene.bodies()[i].inverse_mass, self.scene.bodies()[i].inverse_inertia);
        let entries = delassus(&self.last_rows, &bodies, self.d, self.scene.len(), inverse);
        last.set_operator(&(0..self.last_rows.len()).map(Some).collect::<Vec<_>>(), &entries);
        Ok(())
    }

    fn strike(&self, row: usize, p: f64, x: &mut [f64]) {
        self.push(self.touching[row / self.d], &self.last_rows[row], p, x);
    }

    fn works(&mut self, _: &Instant, h: f64, _: &Arrival) -> [f64; 2] {
        let mut entry = LedgerEntry::default();
        self.step.book(&self.scene, h, &mut entry);
        [entry.work_external, entry.work_damping]
    }

    fn energies(&self, q: &[f64], v: &[f64]) -> [f64; 2] {
        [self.scene.kinetic_energy(v), self.scene.potential_energy(q)]
    }

    fn sizes(&self) -> (usize, usize) {
        (self.d, self.scene.n_v())
    }

    fn contact_count(&self) -> usize {
        0
    }

    fn closed_at_start(&mut self, state: &State) -> (Vec<u64>, f64) {
        let length = vector::max_abs(&state.q);
        let frames: Vec<Frame> = (0..self.scene.len()).map(|i| self.scene.frame(i, &state.q)).collect();
        let margins = vec![CLOSED * length; self.scene.len()];
        let mut closed = Vec::new();
        for point in self.detector.detect(&self.scene, &frames, &margins) {
            let (mut rows, [a, b]) = (Vec::new(), point.bodies);
            at_end(&self.scene, point, &frames[a], [&frames[a], &frames[b]], 0, &mut rows);
            let u: f64 =
                (0..2).map(|side| apply(&rows[0][side], &self.scene.twist(point.bodies[side], &state.v))).sum();
            if point.gap_at(&frames[a], &frames[b]) <= CLOSED * length && u >= 0.0 {
                closed.push(point.id);
            }
        }
        (closed, length)
    }

    fn smallest_gap(&mut self, state: &State) -> Option<(f64, usize)> {
        let frames: Vec<Frame> = (0..self.scene.len()).map(|i| self.scene.frame(i, &state.q)).collect();
        let found = self.detector.detect(&self.scene, &frames, &vec![0.0; self.scene.len()]);
        found.iter().map(|point| (point.gap, point.id as usize)).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn conclude(&mut self, state: &State, step: &mut Step) {
        for (j, c) in step.contacts.iter_mut().enumerate() {
            // of the last part of the step, or of an earlier one
            let (point, start) = match self.find(c.id) {
                Some(k) => (self.points[k], &self.step.start.frames),
                None => match self.scene.contact(c.id as u64, &step.after.q) {
                    Some(point) => (point, &self.frames),
                    None => continue,
                },
            };
            let ([a, b], mut rows) = (point.bodies, Vec::new());
            let frames = [&self.frames[a], &self.frames[b]];
            c.gap = point.gap_at(frames[0], frames[1]);
            at_end(&self.scene, &point, &start[a], frames, self.d - 1, &mut rows);
            let bodies = point.bodies;
            let u = |row: &Row, v: &[f64]| -> f64 {
                (0..2).map(|side| apply(&row[side], &self.twist(bodies[side], v))).sum()
            };
            (c.u_before, c.u_after) = (u(&rows[0], &state.v), u(&rows[0], &step.after.v));
            let Some(along) = step.friction.get_mut(j) else { continue };
            for (t, row) in rows[1..].iter().enumerate() {
                (along.u_before[t], along.u_after[t]) = (u(row, &state.v), u(row, &step.after.v));
            }
        }
    }
}
