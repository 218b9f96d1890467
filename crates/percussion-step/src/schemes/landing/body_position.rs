//! Step 1 of `landing` on bodies: ways, rows, joints and the contact problem follow each other until the velocities stand.

use crate::bodies::drives::Reached;
use crate::bodies::momentum::{MomentumBook, Source};
use crate::bodies::rows::apply;
use crate::bodies::spin::{FreeMotion, free_motion};
use crate::run::audit::NO_PENETRATION;
use crate::schemes::landing::bodies::BodiesMotion;
use crate::schemes::landing::body_joints::Joints;
use crate::schemes::landing::body_rows::{Row, Touch, brought_back, of_joints, parts};
use crate::schemes::landing::contacts::{Contacts, SLOW, TOUCHING};
use crate::schemes::landing::instant::{Arrival, CLOSED, Instant, Landed};
use crate::schemes::landing::motion::Trial;
use crate::schemes::landing::places::{before_one_face, free_name, one_at_each_place, one_place};
use crate::schemes::landing::rounds::Rounds;
use crate::{LedgerEntry, StepFailure, StepInfo, StepStart};
use percussion_matrix::vector;
use percussion_model::bodies::math::{Mat3, Vec3, axpy, dot, mul, mul_t, norm, sub};
use percussion_model::bodies::{Bodies, Body, ContactPoint, Frame, Twist};

/// Rounds of rows, gyroscopic term, joints and contact problem.
const ROUNDS: usize = 100;
/// Those after which positions need stand only to this part of the size of the system, a hundredth of what is promised of gaps.
const LATE: usize = 20;
const STANDS: f64 = 1e-2 * NO_PENETRATION;
/// Rounds after which impulses are followed from one to the next, and not looked for again: friction and redundant contacts leave many answers.
const HELD: usize = 5;
/// Those after which they stay as they are and only places follow, and the part of the energies of the run that they may then create.
const STANDING: usize = 3 * LATE;
const CREATED: f64 = 1e-11;
/// Changes of positions, of the size of the system, up to which further rounds mend no gap, the rounds after which they do not either, and the part
/// of what is promised that a gap may miss until then, and after: a shorter step finds what these rounds do not.
const SETTLED: f64 = 0.1 * NO_PENETRATION;
const PATIENT: usize = 3 * LATE;
const WITHIN: f64 = 0.25;
const NEARLY: f64 = 0.8;
/// Rounds after which those that leave more than this part of a change are mixed with the ones before.
const EARLY: usize = 3;
const SLOWLY: f64 = 0.1;
/// Times the fastest that a round may make bodies and still be near the step.
const ASTRAY: f64 = 10.0;
/// Times the residual of a problem solved less well than asked that velocities may still change by, of the fastest.
const LOOSE: f64 = 10.0;

impl BodiesMotion {
    /// Ways and places at the end of a step with the velocities of `self.step.after`.
    pub(super) fn place(&mut self, h: f64) {
        let Self { scene, step, state, memory, joints, ways, frames, arrived, .. } = self;
        let start = StepStart { state, memory, h };
        match joints {
            Some(joints) => ways.clone_from(joints.go(&step.start.of(&start), &step.after)),
            None => {
                ways.clear();
                ways.extend((0..scene.len()).map(|i| step.passage(scene, i, &start)));
            }
        }
        step.finish(scene, &start, arrived);
        frames.clear();
        frames.extend((0..scene.len()).map(|i| scene.frame(i, &arrived.q)));
    }

    /// Motion without impulses for the present w_m.
    fn move_freely(&mut self, h: f64) {
        self.free.clear();
        for (i, body) in self.scene.bodies().iter().enumerate() {
            let (start, after) = (&self.step.start, &self.step.after[i]);
            self.free.push(if body.is_free() {
                let (w, mut wrench) = (self.step.mean(i).w, start.wrenches[i]);
                if body.isotropic && wrench.moment != [0.0; 3] && !self.scene.is_planar() {
                    // spin counted in the world frame: a moment that turns with the body is R̄τ in space
                    let way = &self.ways[i];
                    wrench.moment = mul_t(&way.ends[0].R, &mul(&way.R, &wrench.moment));
                }
                free_motion(body, &start.before[i], &wrench, &w, h, 0.5)
            } else {
                FreeMotion { twist: *after, ..Default::default() }
            });
        }
    }

    pub(super) fn gap(&self, k: usize, frames: &[Frame]) -> f64 {
        self.points[k].gap(&self.scene, &self.step.start.frames, frames)
    }

    /// Whether a contact counts as closed: it was, or it is at its gap to round-off without being approached, as where features change.
    fn is_closed(&self, at: &Instant, k: usize, gap: f64) -> bool {
        let touch = &self.points[k];
        if at.landed.is_closed(touch.id() as usize) || touch.given().is_some() {
            return true;
        }
        if gap > CLOSED * at.landed.length {
            return false;
        }
        let frames = &self.step.start.frames;
        let mut rows = Vec::new();
        touch.at_end(&self.scene, frames, 1, &mut rows);
        let u: f64 = (0..2).map(|side| apply(&rows[0][side], &self.step.start.before[touch.bodies()[side]])).sum();
        u >= -SLOW * at.landed.speed
    }

    /// Gaps at `self.frames`; adds the contacts that are passed and says whether there are any.
    fn note_gaps(&mut self, barred: &[usize], to: &mut Arrival) -> bool {
        to.near.clear();
        let known = self.index.len();
        for k in (0..self.points.len()).filter(|&k| self.points[k].given().is_none()) {
            let (id, gap) = (self.points[k].id() as usize, self.gap(k, &self.frames));
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
        let allowed = |k: &usize| barred.binary_search(&(self.points[*k].id() as usize)).is_err();
        let closed = |k: &usize| self.is_closed(at, *k, self.gap(*k, &self.step.start.frames));
        self.index = (0..self.points.len()).filter(|k| allowed(k) && closed(k)).collect();
    }

    /// Rows over the step of the contacts that take part.
    fn discrete_rows(&mut self) {
        let Self { scene, ways, points, index, rows, d, .. } = self;
        rows.clear();
        for &k in index.iter() {
            points[k].over_step(scene, ways, *d, rows);
        }
    }

    /// The bodies of contacts.
    pub(super) fn pairs(&self, of: &[usize]) -> Vec<[usize; 2]> {
        of.iter().map(|&k| self.points[k].bodies()).collect()
    }

    /// The contact problem of the present rows, the impulses `acting` being those of the last round.
    fn fill(&mut self, at: &Instant, h: f64, contacts: &mut Contacts, (acting, guess): (&[f64], &[f64])) {
        let d = self.d;
        let first = &mut contacts.first;
        let mut kept = std::mem::take(&mut self.fremond);
        kept.extend(first.ids().iter().enumerate().filter(|(k, _)| first.law.fremond(*k)).map(|(_, &id)| id));
        first.clear();
        contacts.gaps.clear();
        contacts.closed.clear();
        let pairs = self.pairs(&self.index);
        let mut entries = match &mut self.joints {
            Some(joints) => joints.answer(&self.rows, &pairs, d),
            None => {
                let inverse = |i: usize| (self.free[i].inverse_mass, self.free[i].inverse_inertia);
                delassus(&self.rows, &pairs, d, self.scene.len(), inverse)
            }
        };
        let (mut ids, mut laws) = (Vec::with_capacity(self.index.len()), Vec::with_capacity(self.index.len()));
        for (j, &k) in self.index.iter().enumerate() {
            let touch = &self.points[k];
            let gap = self.gap(k, &self.step.start.frames);
            let closed = self.is_closed(at, k, gap);
            let gap = at.landed.level(gap, closed, h);
            ids.push(touch.id() as usize);
            let law = touch.law(&self.scene);
            laws.push(if closed { (law.friction, law.rolling) } else { (0.0, 0.0) });
            contacts.gaps.push(gap);
            contacts.closed.push(closed);
            first.law.restitution.push(1.0);
            for c in 0..d {
                let row = &self.rows[j * d + c];
                // of bodies that are told how to move: along the normal over the step, of which the gap knows, else at both ends
                let (mut before, mut free, mut told) = (0.0, 0.0, [0.0; 2]);
                for (side, &i) in pairs[j].iter().enumerate() {
                    if self.scene.bodies()[i].is_free() {
                        before += apply(&row[side], &self.step.start.before[i]);
                        free += match &self.joints {
                            Some(joints) => apply(&row[side], &joints.next(i, &self.step.after[i])),
                            None => apply(&row[side], &self.free[i].twist),
                        };
                    } else {
                        let ends = [&self.step.start.before[i], &self.step.after[i]];
                        let of = match c {
                            0 => [apply(&row[side], &self.step.passing(&self.scene, i, h)); 2],
                            _ => touch.told(&self.ways, (c, side), &row[side], ends),
                        };
                        told = [told[0] + of[0], told[1] + of[1]];
                    }
                }
                let gap = if c == 0 { 2.0 * gap / h } else { 0.0 };
                first.law.u_before.push(before + told[0] + gap);
                first.law.u_free.push(free + told[1]);
                first.law.p.push(guess.get(j * d + c).copied().unwrap_or(0.0));
                first.drift.push(0.5 * (told[0] + told[1]));
            }
        }
        if self.joints.is_some() {
            // what the impulses of the last round did
            entries.iter().for_each(|&(i, j, w)| first.law.u_free[i] -= w * acting[j]);
        }
        for (j, force) in self.index.iter().enumerate().filter_map(|(j, &k)| Some((j, self.points[k].given()?))) {
            // the normal impulse of dry friction is given, h τ: it stands alone, of the size of its tangent
            let size =
                entries.iter().filter(|(a, b, _)| (*a, *b) == (j * d + 1, j * d + 1)).map(|(_, _, x)| x).sum::<f64>();
            let size = if size > 0.0 { size } else { 1.0 };
            entries.push((j * d, j * d, size));
            (first.law.u_before[j * d], first.law.u_free[j * d]) = (0.0, -size * h * force);
        }
        first.name(&ids, laws.into_iter());
        first.set_operator(&self.present(&self.index, &self.rows), &entries);
        first.law.flag(ids.iter().map(|id| kept.contains(id)));
        self.fremond = kept;
    }

    /// Velocities with the impulses found; how much they changed, and how fast the fastest is.
    fn take_velocities(&mut self, p: &[f64], acting: &[f64]) -> (f64, f64) {
        let after = match &mut self.joints {
            Some(joints) => joints.take(&self.step.after, p, acting),
            None => {
                let mut after: Vec<Twist> = self.free.iter().map(|free| free.twist).collect();
                for (k, &p) in p.iter().enumerate().filter(|(_, p)| **p != 0.0) {
                    let bodies = self.points[self.index[k / self.d]].bodies();
                    for side in 0..2 {
                        let (i, row) = (bodies[side], &self.rows[k][side]);
                        let FreeMotion { inverse_mass, inverse_inertia, .. } = &self.free[i];
                        let [v, w] = parts(row);
                        after[i].v = axpy(&after[i].v, p * inverse_mass, &v);
                        after[i].w = axpy(&after[i].w, p, &mul(inverse_inertia, &w));
                    }
                }
                after
            }
        };
        let (mut change, mut speed) = (0.0_f64, 0.0_f64);
        for (i, (new, old)) in after.iter().zip(&self.step.after).enumerate() {
            let size = reach(&self.scene.bodies()[i]);
            change = change.max(norm(&sub(&new.v, &old.v))).max(size * norm(&sub(&new.w, &old.w)));
            speed = speed.max(norm(&new.v)).max(size * norm(&new.w));
        }
        self.step.after = after;
        (change, speed)
    }

    /// Velocities of the bodies in one unit, turning times their reach.
    fn speeds(&self) -> Vec<f64> {
        let of = |(body, Twist { v, w }): (&Body, &Twist)| {
            let size = reach(body);
            [v[0], v[1], v[2], size * w[0], size * w[1], size * w[2]]
        };
        self.scene.bodies().iter().zip(&self.step.after).flat_map(of).collect()
    }

    /// Notes where a round led, and begins the next from a mixture of the rounds before where they are slow.
    fn mix(&mut self, rounds: &mut Rounds, slow: bool, h: f64) {
        let speeds = self.speeds();
        let Some(mixed) = rounds.to(speeds, slow) else { return };
        for (i, x) in mixed.chunks_exact(6).enumerate().filter(|(i, _)| self.scene.bodies()[*i].is_free()) {
            let size = reach(&self.scene.bodies()[i]);
            self.step.after[i] = Twist { v: [x[0], x[1], x[2]], w: [x[3], x[4], x[5]].map(|x| x / size) };
        }
        self.place(h);
    }

    /// The motion without contacts, or with the impulses of the last round where joints share them.
    fn prepare(&mut self, h: f64, acting: &[f64]) -> Result<(), StepFailure> {
        if self.joints.is_none() {
            self.move_freely(h);
            return Ok(());
        }
        let pairs = self.pairs(&self.index);
        let Self { joints, step, state, memory, rows, d, .. } = self;
        let start = StepStart { state, memory, h };
        let Some(joints) = joints else { return Ok(()) };
        joints.direct(&step.start.of(&start), &step.after, (rows, &pairs, *d, acting))
    }

    /// Step 1 with the contacts found. Newton's directions of joints are those of a contact problem that need not have an answer where bodies are
    /// jammed between joints and contacts: there joints are taken as contacts are, with their rows as they stand in each round.
    pub(super) fn settle(
        &mut self,
        of: Trial,
        contacts: &mut Contacts,
        to: &mut Arrival,
    ) -> Result<StepInfo, StepFailure> {
        let guess = self.step.after.clone();
        let found = self.rounds(of, contacts, to);
        let (Err(_), Some(joints)) = (&found, &mut self.joints) else { return found };
        joints.take_as_contacts(true);
        self.step.after = guess;
        let again = self.rounds(of, contacts, to);
        if let Some(joints) = &mut self.joints {
            joints.take_as_contacts(false);
        }
        if again.is_ok() { again } else { found }
    }

    /// Rounds of rows, gyroscopic term, joints and contact problem.
    fn rounds(&mut self, of: Trial, contacts: &mut Contacts, to: &mut Arrival) -> Result<StepInfo, StepFailure> {
        let Trial { at, h, barred } = of;
        let mut info = StepInfo::default();
        self.fremond.clear();
        contacts.first.clear();
        self.place(h);
        if let Some(joints) = &mut self.joints {
            joints.begin(&at.landed, h, self.tolerance);
        } else {
            self.move_freely(h);
            self.step.after = self.free.iter().map(|free| free.twist).collect();
            self.place(h);
        }
        self.select(at, barred);
        self.note_gaps(barred, to);
        let mut guess: Vec<f64> = Vec::new();
        for &k in &self.index {
            guess.extend_from_slice(&at.landed.guess(self.points[k].id() as usize)[..self.d]);
        }
        let mut acting = vec![0.0; guess.len()];
        let (mut last, mut late) = (f64::INFINITY, 0);
        let mut rounds = Rounds::default();
        for round in 0..ROUNDS {
            StepFailure::unless_stopped(at.t, h)?;
            self.discrete_rows();
            self.prepare(h, &acting)?;
            if round == 0 {
                let after = |i: usize| match &self.joints {
                    Some(joints) => joints.next(i, &self.step.after[i]),
                    None => self.free[i].twist,
                };
                to.fastest = (0..self.scene.len()).fold(0.0, |s: f64, i| s.max(norm(&after(i).v)));
            }
            self.fill(at, h, contacts, (&acting, &guess));
            contacts.take_back(h);
            let (fastest, first, small) =
                (at.landed.speed.max(to.fastest), &mut contacts.first, at.landed.left_over(h));
            // friction has many answers where bodies rest on several points or lines, and each round would find another
            let held = match late {
                STANDING.. if self.d > 1 => {
                    first.stand((at.t, h), 2.0 * NEARLY * NO_PENETRATION * at.landed.length / h)
                }
                HELD.. if self.d > 1 => first.hold((at.t, h), small),
                0.. => None,
            };
            let solved = match held {
                Some(info) => info,
                None => {
                    contacts.first.law.p.clone_from(&guess);
                    contacts.first.law.p.resize(contacts.first.law.u_free.len(), 0.0);
                    let solved = contacts.first.solve_level((at.t, h), small);
                    solved.map_err(|failure| match self.blocked(contacts, fastest, false) {
                        Some(reached) => reached.failure(&self.scene, failure),
                        None => failure,
                    })?
                }
            };
            if let Some(reached) = self.blocked(contacts, fastest, true) {
                return Err(reached.failure(&self.scene, StepFailure::newton(&self.state, h, String::new())));
            }
            info = StepInfo { iterations: info.iterations + solved.iterations, ..solved };
            guess.clone_from(&contacts.first.law.p);
            rounds.from(self.speeds());
            let (change, speed) = self.take_velocities(&guess, &acting);
            acting.clone_from(&guess);
            self.place(h);
            if self.note_gaps(barred, to) {
                guess.clear();
                acting = vec![0.0; self.index.len() * self.d];
                (last, late) = (f64::INFINITY, 0);
                rounds.forget();
                continue;
            }
            late += 1;
            let floor = (4.0 * f64::EPSILON * speed).max(f64::EPSILON * vector::max_abs(&self.arrived.q) / h);
            // the first round knows no w_m yet, nor where joints lead
            let turning = |b: &Body| b.is_free() && !b.isotropic;
            let first = late == 1 && (self.joints.is_some() || self.scene.bodies().iter().any(turning));
            let (moved, size) = (change * h, vector::max_abs(&self.arrived.q).max(1e-3));
            let stalled = change <= self.tolerance * speed && change > 0.5 * last;
            // contact problems solved to their tolerance leave a rest: positions that stand far within what is promised of gaps are positions
            let rest = if info.loose > 0 { LOOSE * info.residual * speed * h } else { 0.0 };
            let within = late > LATE && moved <= rest;
            let stands = (late > LATE && moved <= STANDS * size) || (late > PATIENT && moved <= SETTLED * size);
            let before_last = std::mem::replace(&mut last, change);
            // slow progress, and rounds that a solver's rest keeps moving, may leave more than is promised: then they go on for a while
            let moving = moved > SETTLED * size && self.penetrates(if late <= PATIENT { WITHIN } else { NEARLY }, size);
            if (!first && (change <= floor || (stalled && !moving))) || stands || (within && !moving) {
                // impulses that stood have followed their law no further, and a residual beside impulses that hold each other is no gap
                let (stood, V) = (self.d > 1 && late > STANDING, at.landed.speed);
                let creates = stood && contacts.first.created() > CREATED * 0.5 * moving_mass(&self.scene) * V * V;
                if creates || self.sinks(size) {
                    break;
                }
                return Ok(info);
            }
            if !change.is_finite() {
                break;
            }
            // Newton's directions know λ from the round before
            if self.joints.as_ref().is_none_or(Joints::are_taken_as_contacts) {
                self.mix(&mut rounds, late >= EARLY && change > SLOWLY * before_last, h);
            }
        }
        let message = format!("rows and contacts did not settle in {ROUNDS} rounds, the last change is {last:.1e} m/s");
        Err(StepFailure::newton(&self.state, h, message))
    }

    /// A contact that is approached and that joints and drives leave no freedom; where impulses were `found`, one that pushes in vain. Rounds that went
    /// astray, many times faster than the fastest, say nothing of it.
    fn blocked(&self, contacts: &Contacts, fastest: f64, found: bool) -> Option<Reached> {
        self.joints.as_ref()?;
        if self.step.after.iter().any(|twist| norm(&twist.v) > ASTRAY * fastest) {
            return None;
        }
        let (first, d) = (&contacts.first, self.d);
        let along = |touch: &Touch, row: &Row, side: usize| {
            let body = &self.scene.bodies()[touch.bodies()[side]];
            let [v, w] = parts(&row[side]);
            if body.is_free() {
                body.inverse_mass * dot(&v, &v) + dot(&w, &mul(&body.inverse_inertia, &w))
            } else {
                0.0
            }
        };
        self.index.iter().enumerate().find_map(|(i, &k)| {
            let (touch, row) = (&self.points[k], &self.rows[i * d]);
            let reached = Reached {
                id: touch.id(),
                bodies: touch.bodies(),
                is_stop: matches!(touch, Touch::Stop(_) | Touch::Slack(_)),
                u_free: first.law.u_free[i * d],
                mobility: first.mobility(i),
                alone: along(touch, row, 0) + along(touch, row, 1),
            };
            let missed = first.law.u_free[i * d] + first.law.u_before[i * d] < 0.0 && touch.given().is_none();
            let vain = !found || reached.pushes_in_vain(first.law.p[i * d], fastest);
            (missed && reached.is_blocked() && vain).then_some(reached)
        })
    }

    /// Whether a contact that takes part lies deeper where the bodies are than this part of what is promised.
    fn penetrates(&self, part: f64, size: f64) -> bool {
        self.index.iter().any(|&k| self.gap(k, &self.frames) < -part * NO_PENETRATION * size)
    }

    /// Whether a contact that takes part came deeper by more than is promised, and not only from where it was.
    fn sinks(&self, size: f64) -> bool {
        let before = |k: usize| self.gap(k, &self.step.start.frames).min(0.0);
        self.index.iter().any(|&k| self.gap(k, &self.frames) < before(k) - NEARLY * NO_PENETRATION * size)
    }

    /// Which rows exist: those of nothing else, and the normal of dry friction.
    pub(super) fn present(&self, of: &[usize], rows: &[Row]) -> Vec<Option<usize>> {
        let exists = |row: &Row| row.iter().flatten().any(|&x| x != 0.0);
        let given = |k: usize| k.is_multiple_of(self.d) && self.points[of[k / self.d]].given().is_some();
        rows.iter().enumerate().map(|(k, row)| (exists(row) || given(k)).then_some(k)).collect()
    }

    /// Takes in overlaps at the end of the step whose features were not those found at its start; whether there are any.
    /// What is deeper than the two bodies were at the start is noted: a shorter step meets it where the features change.
    pub(super) fn meet(&mut self, at: &Instant, to: &mut Arrival) -> bool {
        let Self { scene, detector, step, frames, points, met, .. } = self;
        to.overlap = false;
        if !scene.has_touching_shapes() {
            return false;
        }
        let length = at.landed.length;
        let mut any = false;
        for point in detector.detect(scene, frames, &vec![0.0; scene.len()]) {
            if point.gap >= -TOUCHING * length {
                continue;
            }
            let [a, b] = point.bodies;
            let start = [&step.start.frames[a], &step.start.frames[b]];
            let gap = |known: &Touch| match known {
                Touch::Shapes(known) if known.bodies == point.bodies => known.gap,
                Touch::Shapes(_) | Touch::Stop(_) | Touch::Slack(_) | Touch::Loose(_) | Touch::Dry(_) => 0.0,
            };
            let before = points.iter().map(gap).fold(0.0, f64::min);
            // what steps leave must not add up
            let deeper = point.gap < before - CLOSED * length;
            let listed = points.binary_search_by_key(&point.id, Touch::id);
            // what rolls touches with another point of the same name at the end
            let seen = if deeper { point.gap + CLOSED * length } else { 0.5 * point.gap };
            let same = listed.is_ok_and(|k| points[k].gap(scene, &step.start.frames, frames) <= seen);
            if same {
                continue;
            }
            to.overlap |= deeper;
            // the same under another name
            if points.iter().any(|known| one_place(known, point, TOUCHING * length)) {
                continue;
            }
            // what lies behind a face from the start, deeper than the two overlap there, is not held by it
            if point.gap_at(start[0], start[1]) < before - TOUCHING * length {
                continue;
            }
            any = true;
            // a rim shows another point of its own under the same name: the earlier one stays too, or two that alternate would never agree
            if let Some(Touch::Shapes(earlier)) = listed.ok().map(|k| &points[k])
                && before_one_face(earlier, point)
            {
                let id = free_name(scene, earlier, |id| {
                    points.binary_search_by_key(&id, Touch::id).is_ok() || met.iter().any(|other| other.id == id)
                });
                met.push(ContactPoint { id, ..*earlier });
            }
            met.retain(|other| other.id != point.id);
            met.push(brought_back(point, &frames[a], start));
        }
        any
    }

    /// Contacts within reach: between shapes, those met on the way, stops of joints.
    pub(super) fn search(&mut self, landed: &Landed) {
        let Self { scene, detector, step, points, met, joints, .. } = self;
        points.clear();
        if scene.has_touching_shapes() {
            let found = detector.detect(scene, &step.start.frames, &step.margins);
            points.extend(found.iter().map(|point| Touch::Shapes(*point)));
        }
        for point in met {
            match points.binary_search_by_key(&point.id, Touch::id) {
                Ok(k) => points[k] = Touch::Shapes(*point),
                Err(k) => points.insert(k, Touch::Shapes(*point)),
            }
        }
        one_at_each_place(scene, points, landed);
        if joints.is_some() {
            of_joints(scene, &step.start.frames, &landed.turns, points);
            points.sort_by_key(Touch::id);
        }
    }

    /// Widens the margins of bodies that went further than contacts were looked for; whether any did.
    pub(super) fn widen(&mut self, at: &Instant, h: f64) -> bool {
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

    /// Works of step 1 and what it did to momentum; V is the largest velocity so far.
    pub(super) fn account(&mut self, h: f64, contacts: &Contacts, V: f64) -> Result<(), StepFailure> {
        let Self { scene, step, state, memory, joints, ways, rows, index, points, d, book, booked, works, .. } = self;
        let start = StepStart { state, memory, h };
        *works = LedgerEntry::default();
        step.book(scene, h, works);
        *booked = *book;
        booked.loads(scene, step, &start, |_| Default::default());
        let p = &contacts.first.law.p;
        for (j, &k) in index.iter().enumerate() {
            let own = j * *d..(j + 1) * *d;
            let spatial = |i: usize, m: &Vec3| (ways[i].x, ways[i].spatial(m));
            book_contact(scene, &points[k], own.map(|k| (p[k], &rows[k])), spatial, booked);
        }
        if let Some(joints) = joints {
            let pairs: Vec<[usize; 2]> = index.iter().map(|&k| points[k].bodies()).collect();
            let most = 0.5 * moving_mass(scene) * V * V;
            let done = joints.account(&step.start.of(&start), &step.after, (rows, &pairs, *d, p), most, works, booked);
            done.map_err(|message| StepFailure::newton(state, h, message))?;
        }
        Ok(())
    }
}

/// The mass of all that moves.
fn moving_mass(scene: &Bodies) -> f64 {
    scene.bodies().iter().filter(|body| body.is_free()).map(|body| body.mass).sum()
}

/// The length by which a body's angular velocity counts beside its velocity.
fn reach(body: &Body) -> f64 {
    body.reach.clamp(1e-3, 1e3)
}

/// Books the impulses of a contact, once for both bodies where both are free.
pub(super) fn book_contact<'a>(
    scene: &Bodies,
    touch: &Touch,
    rows: impl Iterator<Item = (f64, &'a Row)>,
    spatial: impl Fn(usize, &Vec3) -> (Vec3, Vec3),
    book: &mut MomentumBook,
) {
    let bodies = touch.bodies();
    let free = bodies.map(|i| scene.bodies()[i].is_free());
    let (mut p, mut m) = ([[0.0; 3]; 2], [[0.0; 3]; 2]);
    for (impulse, row) in rows {
        for side in 0..2 {
            let [v, w] = parts(&row[side]);
            p[side] = axpy(&p[side], impulse, &v);
            m[side] = axpy(&m[side], impulse, &w);
        }
    }
    let mut give = |side: usize, source: Source| {
        let (x, m) = spatial(bodies[side], &m[side]);
        book.impulse(source, &x, &p[side], &m);
    };
    match free {
        // wheels push on each other through their axles: what one gets the frame that carries them has to bear
        [true, true] if matches!(touch, Touch::Slack(_)) => (0..2).for_each(|side| give(side, Source::Contact)),
        [true, true] => give(0, Source::Inside),
        [true, false] => give(0, Source::Contact),
        [false, _] => give(1, Source::Contact),
    }
}

/// The entries of W = H M⁻¹Hᵀ between rows that share a body.
pub(super) fn delassus(
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
