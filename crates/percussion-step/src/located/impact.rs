//! What happens at an instant: impacts, and which closed contacts carry on with a force (`persistence.rs`).
//!
//!   impact:   0 ≤ W P + (1 + e)U⁻ ⟂ P ≥ 0 on the closed contacts,    v⁺ = v⁻ + M⁻¹G P,    W = GᵀM⁻¹G
//!
//! with Coulomb's law beside it where contacts have friction (`event_contacts.rs`). A rebound slower than `cut` of the largest approach of
//! the run is the end of an accumulation: the impact is solved again with e = 0. A contact that opens takes the largest e
//! of the set, which keeps the problem solvable.

use crate::located::event_contacts::{Asked, Instant, Member};
use crate::located::motion::{CLOSED, Motion, Standing};
use crate::mechanism::hold::{Hold, TangentialMotion};
use crate::{EventKind, JointReaction, LocatedEvent, StepFailure};
use percussion_matrix::math;

/// Impacts at one instant after which they are taken as plastic: contacts that hand an impulse to and fro.
const ROUNDS: usize = 200;
/// Units of round-off of the time within which two things happen at once.
pub const INSTANT: f64 = 16.0;
/// Part of the largest velocity that may be left of the difference of two.
pub const ROUND_OFF: f64 = 1e-13;

/// One impact, for whoever wants its derivative.
#[derive(Clone, Debug, PartialEq)]
pub struct ImpactRecord {
    /// The contacts that were closed.
    pub members: Vec<ImpactMember>,
}

/// A contact in an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactMember {
    /// Its number.
    pub contact: usize,
    /// e as the impact took it.
    pub restitution: f64,
    /// U⁻.
    pub before: f64,
    /// P.
    pub p: f64,
    /// P_T, zero beyond the tangents there are.
    pub tangential: [f64; 2],
    /// The velocity its own impulse brings, W_NN P.
    pub given: f64,
    /// u_T⁻ along its first tangent.
    pub slip: f64,
    /// U⁺ and u_T⁺.
    pub after: [f64; 3],
    /// Whether Frémond's law held.
    pub fremond: bool,
}

impl Motion {
    /// Velocities under this are rest: the cut, or the round-off of bodies that move together.
    pub fn rest(&self) -> f64 {
        (self.cut * self.u_max).max(ROUND_OFF * self.sizes.v)
    }

    /// Impacts until no closed contact approaches, then forces. `arrived`: contacts known to be closed; `shortest`: a flight
    /// under this time counts as rest; `h`: the step.
    pub fn resolve(&mut self, arrived: &[usize], shortest: f64, h: f64) -> Result<(), StepFailure> {
        self.records.clear();
        for round in 0.. {
            self.closed(arrived, 0.0);
            let rest = self.rest();
            if self.u.iter().all(|&u| u >= -rest) {
                break;
            }
            if round == 2 * ROUNDS {
                return Err(self.endless(round));
            }
            self.impact(None, shortest, round >= ROUNDS)?;
            self.evaluate()?;
        }
        self.forces(h)
    }

    /// The closed contacts, and those that close within `reach` or sooner than time can tell, into `set`, their velocities
    /// into `u`.
    pub fn closed(&mut self, arrived: &[usize], reach: f64) {
        let reach = reach.max(INSTANT * f64::EPSILON * self.now.t.abs());
        self.set.clear();
        self.u.clear();
        let Self { mechanism, now, .. } = self;
        for i in 0..self.standing.len() {
            let (gap, u) = (mechanism.gap(i, &now.q, now.t), mechanism.gap_rate(i, &now.q, &now.v, now.t));
            let near = gap + 1.5 * reach * u.min(0.0) <= CLOSED * mechanism.gap_size(i, &now.q, now.t);
            if near || arrived.contains(&i) || self.standing[i] == Standing::Held {
                self.set.push(i);
                self.u.push(u);
                self.u_max = self.u_max.max(u.abs());
            }
        }
    }

    /// The impact problem on `set` with approach velocities `u`. `free`: velocities without impulses, where they are not
    /// those of the approach.
    pub fn impact(&mut self, free: Option<&[f64]>, shortest: f64, plastic: bool) -> Result<(), StepFailure> {
        let rest = self.rest();
        self.respond()?;
        let largest = self.set.iter().map(|&i| self.mechanism.restitution(i)).fold(0.0, f64::max);

        // velocities by rows of W, and the law of each contact
        let (mut before, mut u_free) = (Vec::with_capacity(self.rows.len()), Vec::with_capacity(self.rows.len()));
        let mut members = Vec::with_capacity(self.set.len());
        let mut normals = Vec::with_capacity(self.set.len());
        for (j, &contact) in self.set.iter().enumerate() {
            let own = if self.u[j] > 0.0 { largest } else { self.mechanism.restitution(contact) };
            let restitution = if plastic { 0.0 } else { own };
            let tangents = self.mechanism.n_tangents(contact);
            let friction = self.mechanism.friction(contact);
            let id = self.mechanism.identity(contact);
            members.push(Member { contact, id, friction, restitution, tangents: tangents > 0 });
            normals.push(before.len());
            before.push(self.u[j]);
            u_free.push(free.map_or(self.u[j], |free| free[j]));
            if tangents > 0 {
                let u = self.mechanism.tangent_rate(contact, &self.now.q, &self.now.v);
                before.extend(&u[..tangents]);
                u_free.extend(&u[..tangents]);
            }
        }
        let mut after: Vec<f64> = vec![0.0; before.len()];
        for again in [false, true] {
            self.solve_impact(&members, &before, &u_free)?;
            for (k, after) in after.iter_mut().enumerate() {
                *after = u_free[k] + self.p.iter().enumerate().map(|(l, p)| self.W.get(k, l) * p).sum::<f64>();
            }
            if again {
                break;
            }
            // rebounds too slow to count
            let mut slow = false;
            for (member, &k) in members.iter_mut().zip(&normals) {
                let Self { mechanism, now, .. } = self;
                let gamma = mechanism.gap_acceleration(member.contact, &now.q, &now.v, &now.a, now.t);
                let short = if gamma < 0.0 { -0.5 * gamma * shortest } else { 0.0 };
                let rebounds = before[k] < 0.0 && after[k] > 0.0;
                if member.restitution > 0.0 && rebounds && after[k] <= rest.max(short) {
                    member.restitution = 0.0;
                    slow = true;
                }
            }
            if !slow {
                break;
            }
        }

        if self.recording {
            let member = |(j, (member, &k)): (usize, (&Member, &usize))| {
                let Member { contact, restitution, tangents, .. } = *member;
                let n_tangents = self.mechanism.n_tangents(contact);
                let of = |list: &[f64], t: usize| if t < n_tangents { list[k + 1 + t] } else { 0.0 };
                ImpactMember {
                    contact,
                    restitution,
                    before: before[k],
                    p: self.p[k],
                    tangential: [of(&self.p, 0), of(&self.p, 1)],
                    given: self.W.get(k, k) * self.p[k],
                    slip: of(&before, 0),
                    after: [after[k], of(&after, 0), of(&after, 1)],
                    fremond: tangents && self.contacts.fremond(j),
                }
            };
            self.records.push(ImpactRecord { members: members.iter().zip(&normals).enumerate().map(member).collect() });
        }

        // velocities, and the account; an impulse that changes the velocity of its own contact by round-off is no impact
        let noticed = ROUND_OFF * before.iter().fold(0.0_f64, |largest, u| largest.max(u.abs()));
        for (j, (member, &k)) in members.iter().zip(&normals).enumerate() {
            if self.p[k] == 0.0 {
                continue;
            }
            let (i, p, t) = (member.contact, self.p[k], self.now.t);
            for (component, row) in (k..k + 1 + self.mechanism.n_tangents(i)).enumerate() {
                let p = self.p[row];
                self.mechanism.push(row, p, &mut self.now.v);
                JointReaction::accumulate(&mut self.reactions, p, self.mechanism.answering_reactions(row));
                self.impulses[i][component] += p;
                self.work_contact += p * 0.5 * (u_free[row] + after[row]);
            }
            self.met[i] = true;
            if member.tangents {
                self.fremond[i] |= self.contacts.fremond(j);
            }
            let rate = self.mechanism.obstacle_rate(i, &self.now.q, t);
            self.add_works(-p * rate, 0.0);
            if p * self.W.get(k, k) <= noticed {
                continue;
            }
            let (u_before, u_after) = (Some(before[k]), Some(after[k]));
            self.events.push(LocatedEvent { t, kind: EventKind::Impact, contact: i, u_before, u_after, p });
        }
        Ok(())
    }

    /// Impulses of the impact problem into `p`, by rows.
    fn solve_impact(&mut self, members: &[Member], before: &[f64], free: &[f64]) -> Result<(), StepFailure> {
        let Self { contacts, W, rows, p, info, now, .. } = self;
        info.add(&contacts.solve(Asked::Impact, &Instant { t: now.t, W, rows, members, before, free }, p)?);
        Ok(())
    }

    /// Which of the contacts with U = 0 stay closed; the others leave.
    pub fn forces(&mut self, h: f64) -> Result<(), StepFailure> {
        let rest = self.rest();
        let was_held = std::mem::take(&mut self.held);
        let held_before = |i: usize| was_held.iter().find(|hold| hold.contact == i);

        // the contacts that neither approach nor leave
        let at_rest: Vec<usize> =
            (0..self.set.len()).filter(|&k| self.u[k].abs() <= rest).map(|k| self.set[k]).collect();
        let flying: Vec<(usize, f64)> =
            (0..self.set.len()).filter(|&k| self.u[k] > rest).map(|k| (self.set[k], self.u[k])).collect();
        let leaving = self.decide(&at_rest, h)?;

        // how each stands now, and what that means
        for (i, u) in flying {
            if held_before(i).is_some() {
                self.tell(EventKind::Open, i, u);
            }
            (self.standing[i], self.told[i]) = (Standing::Flying, None);
        }
        for &i in &leaving {
            if held_before(i).is_some() {
                self.tell(EventKind::Open, i, 0.0);
            }
            (self.standing[i], self.told[i]) = (Standing::Released, None);
        }
        for k in 0..self.held.len() {
            let Hold { contact: i, along } = self.held[k];
            self.met[i] = true;
            self.standing[i] = Standing::Held;
            if held_before(i).is_none() {
                self.tell(EventKind::Close, i, 0.0);
            }
            self.tell_along(i, held_before(i).map(|hold| hold.along), along);
        }
        self.lift(&leaving)?;
        self.set_off()?;
        self.evaluate()?;
        self.project()
    }

    /// Contacts that slide out of rest do so from u_T = 0, not from what is left of the velocity that counts as rest.
    fn set_off(&mut self) -> Result<(), StepFailure> {
        let floor = 4.0 * f64::EPSILON * self.sizes.v;
        let Self { mechanism, now, held, .. } = self;
        let mut stopped = held.clone();
        let mut left = false;
        for hold in &mut stopped {
            if let TangentialMotion::Slides(sliding) = hold.along
                && !sliding.fast
            {
                let u = mechanism.tangent_rate(hold.contact, &now.q, &now.v);
                hold.along = TangentialMotion::Sticks;
                left |= math::hypot(u[0], u[1]) > floor;
            }
        }
        if left {
            if !mechanism.project(now.t, &mut now.q, &mut now.v, &stopped) {
                return Err(self.singular());
            }
            self.book_projection();
        }
        Ok(())
    }

    /// Tells whether a contact begins to stick, to slide or to slide back.
    fn tell_along(&mut self, i: usize, before: Option<TangentialMotion>, now: TangentialMotion) {
        let kind = match (before, now) {
            (_, TangentialMotion::Frictionless) => return,
            (_, TangentialMotion::Sticks) => EventKind::Stick,
            // a force on the cone that moves nothing yet
            (_, TangentialMotion::Slides(b)) if !b.moves => EventKind::Stick,
            (Some(TangentialMotion::Slides(a)), TangentialMotion::Slides(b))
                if self.told[i] == Some(EventKind::Slip) =>
            {
                let along = a.direction[0] * b.direction[0] + a.direction[1] * b.direction[1];
                if along >= 0.0 {
                    return;
                }
                EventKind::Reverse
            }
            (_, TangentialMotion::Slides(_)) => EventKind::Slip,
        };
        let state = if kind == EventKind::Stick { EventKind::Stick } else { EventKind::Slip };
        if kind == EventKind::Reverse || self.told[i] != Some(state) {
            self.tell(kind, i, 0.0);
        }
        self.told[i] = Some(state);
    }

    /// Brings contacts that leave from rest to g = 0 = U, where rounding or the rest velocity had them below: they would
    /// close again at once.
    fn lift(&mut self, leaving: &[usize]) -> Result<(), StepFailure> {
        let Self { mechanism, now, held, .. } = self;
        let mut below = leaving
            .iter()
            .copied()
            .filter(|&i| mechanism.gap(i, &now.q, now.t) < 0.0 || mechanism.gap_rate(i, &now.q, &now.v, now.t) < 0.0);
        let Some(first) = below.next() else { return Ok(()) };
        let mut set: Vec<Hold> =
            held.iter().copied().chain([Hold::frictionless(first)]).chain(below.map(Hold::frictionless)).collect();
        set.sort_unstable_by_key(|hold| hold.contact);
        if !mechanism.project(now.t, &mut now.q, &mut now.v, &set) {
            return Err(self.singular());
        }
        self.book_projection();
        Ok(())
    }

    fn tell(&mut self, kind: EventKind, contact: usize, u: f64) {
        self.met[contact] = true;
        let u = Some(u);
        self.events.push(LocatedEvent { t: self.now.t, kind, contact, u_before: u, u_after: u, p: 0.0 });
    }
}
