//! Which closed contacts carry on with a force, and how they move in their tangent planes.
//!
//!   0 ≤ Γ_N = (W λ + Γ_free)_N ⟂ λ_N ≥ 0 on contacts with U = 0:      λ_N > 0 held, Γ_N > 0 leaves
//!   sliding: λ_T = −μ λ_N u_T/‖u_T‖;    at rest: Γ_T = 0 sticks, ‖λ_T‖ ≤ μ λ_N, or slides towards Γ_T ≠ 0
//!
//! What this leaves open (λ_N = 0 = Γ_N, or a force on the cone with Γ_T = 0, as when sticking ends) is decided by the same
//! problem a moment later, with the contact held until then: by the next derivative that is not zero. A contact that
//! nothing decides stays held: without a force, or with one on the cone.

use crate::StepFailure;
use crate::located::event_contacts::{Asked, Instant, Member};
use crate::located::event_search::no_force;
use crate::located::motion::Motion;
use crate::located::phase::FlowFailure;
use crate::mechanism::hold::{Hold, Sliding, TangentialMotion};
use percussion_matrix::{DenseMatrix, math, vector};
use percussion_model::Code;

/// Part of the forces at a contact that counts as zero.
const ZERO: f64 = 1e-9;
/// Where the next derivative is looked for, in parts of the step or of the last stretch.
const MOMENT: f64 = 1e-3;
/// How often that is shortened by ten, and the part of a motion to which it is resolved.
const SHORTER: usize = 8;
const RESOLVED: f64 = 1e-3;

/// Whether a contact that neither approaches nor leaves stays closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Persistence {
    Held,
    Leaves,
    Undetermined,
}

/// What becomes of a contact.
#[derive(Clone, Copy, Debug)]
pub struct Outlook {
    pub contact: usize,
    pub persistence: Persistence,
    pub along: TangentialMotion,
    /// Whether its force lies on the cone without the contact moving.
    pub on_cone: bool,
}

impl Outlook {
    /// Whether the next derivative has to decide.
    fn is_open(&self) -> bool {
        self.persistence == Persistence::Undetermined || self.on_cone
    }
}

impl Motion {
    /// Sliding velocities under this are rest: the part `cut` of the largest velocity, or of what loads bring in a step.
    pub fn slip_rest(&self) -> f64 {
        self.cut * self.sizes.v.max(self.h * self.sizes.a)
    }

    /// Contact i sliding in a direction. In space friction turns the faster the slower it slides, at the rate μ λ_N/‖u_T‖:
    /// below the velocity that counts as rest it keeps its direction.
    pub fn sliding(&self, i: usize, direction: [f64; 2], moves: bool, fast: bool) -> Sliding {
        let slow = if self.mechanism.n_tangents(i) == 2 { self.slip_rest() } else { 0.0 };
        Sliding { direction, slow, moves, fast }
    }

    /// Which of the contacts `at_rest` leave, and which are held, and how, into `held`.
    pub fn decide(&mut self, at_rest: &[usize], h: f64) -> Result<Vec<usize>, StepFailure> {
        self.held.clear();
        let mut leaving = Vec::new();
        if at_rest.is_empty() {
            return Ok(leaving);
        }
        let mut now = self.outlooks(at_rest)?;
        for outlook in &now {
            match outlook.persistence {
                Persistence::Leaves => leaving.push(outlook.contact),
                _ => {
                    // what is on its cone sticks until it is known to slide
                    let along = if outlook.on_cone { TangentialMotion::Sticks } else { outlook.along };
                    self.held.push(Hold { contact: outlook.contact, along });
                }
            }
        }
        self.share(&mut now)?;
        if now.iter().any(Outlook::is_open) {
            self.look_ahead(&now, h, &mut leaving)?;
        }
        self.evaluate()?;
        self.let_go(&mut leaving)?;
        self.saturate()?;
        Ok(leaving)
    }

    /// Contacts that repeat each other: the forces problem may have answered with one at the edge of its cone, or without a
    /// force, where all can stick. If the load shared among all of them lies inside every cone, they do.
    fn share(&mut self, now: &mut [Outlook]) -> Result<(), StepFailure> {
        let rests = |outlook: &Outlook, n_tangents: usize| {
            outlook.on_cone
                || (outlook.persistence == Persistence::Undetermined
                    && outlook.along == TangentialMotion::Frictionless
                    && n_tangents > 0)
        };
        let tried: Vec<usize> =
            now.iter().filter(|o| rests(o, self.mechanism.n_tangents(o.contact))).map(|o| o.contact).collect();
        if tried.is_empty() {
            return Ok(());
        }
        let before = self.held.clone();
        for hold in self.held.iter_mut().filter(|hold| tried.contains(&hold.contact)) {
            hold.along = TangentialMotion::Sticks;
        }
        self.evaluate()?;
        let zero = no_force(self.sizes.force);
        let inside = (0..self.held.len()).all(|k| {
            let ([n, x, y], Hold { contact, along }) = (self.now.lambda[k], self.held[k]);
            n > zero
                && (along != TangentialMotion::Sticks
                    || math::hypot(x, y) < self.mechanism.friction(contact) * n * (1.0 - ZERO))
        });
        if !inside {
            self.held = before;
            return Ok(());
        }
        for outlook in now.iter_mut().filter(|outlook| tried.contains(&outlook.contact)) {
            (outlook.persistence, outlook.along, outlook.on_cone) =
                (Persistence::Held, TangentialMotion::Sticks, false);
        }
        Ok(())
    }

    /// Contacts that repeat each other share what presses on them in a way of their own: one that would have to pull lets go,
    /// and the others keep its gap closed.
    fn let_go(&mut self, leaving: &mut Vec<usize>) -> Result<(), StepFailure> {
        for _ in 0..self.held.len() {
            let pulls = -0.5 * no_force(self.sizes.force);
            let force = |k: &usize| self.now.lambda[*k][0];
            let worst = (0..self.held.len()).min_by(|a, b| force(a).total_cmp(&force(b)));
            let Some(k) = worst.filter(|k| force(k) < pulls) else { break };
            let hold = self.held.remove(k);
            self.evaluate()?;
            let Self { mechanism, now, .. } = self;
            if mechanism.gap_acceleration(hold.contact, &now.q, &now.v, &now.a, now.t) < -ZERO * self.sizes.a {
                self.held.insert(k, hold);
                return self.evaluate();
            }
            leaving.push(hold.contact);
        }
        Ok(())
    }

    /// The forces problem on contacts with U = 0, where the motion is.
    fn outlooks(&mut self, contacts: &[usize]) -> Result<Vec<Outlook>, StepFailure> {
        // accelerations without contact forces
        let held = std::mem::take(&mut self.held);
        self.evaluate()?;
        self.held = held;
        self.sizes.a = self.sizes.a.max(vector::max_abs(&self.now.a));
        self.set.clear();
        self.set.extend_from_slice(contacts);
        self.respond()?;
        let mut free = Vec::with_capacity(self.rows.len());
        let mut slides: Vec<Option<[f64; 2]>> = Vec::with_capacity(contacts.len());
        let slow = self.slip_rest();
        for &i in contacts {
            let Self { mechanism, now, .. } = self;
            free.push(mechanism.gap_acceleration(i, &now.q, &now.v, &now.a, now.t));
            let tangents = mechanism.n_tangents(i);
            let mut direction = None;
            if tangents > 0 {
                free.extend(&mechanism.tangent_acceleration(i, &now.q, &now.v, &now.a)[..tangents]);
                let u = mechanism.tangent_rate(i, &now.q, &now.v);
                let speed = math::hypot(u[0], u[1]);
                direction = (speed > slow).then(|| [u[0] / speed, u[1] / speed]);
            }
            slides.push(direction);
        }

        // friction of contacts that slide comes with their normal forces
        let mut W = self.W.clone();
        let mut at = 0;
        let mut members = Vec::with_capacity(contacts.len());
        for (&contact, direction) in contacts.iter().zip(&slides) {
            let (mu, tangents) = (self.mechanism.friction(contact), self.mechanism.n_tangents(contact));
            if let Some(d) = direction {
                for k in 0..W.n_rows() {
                    let drag: f64 = (0..tangents).map(|t| mu * d[t] * W.get(k, at + 1 + t)).sum();
                    W.set(k, at, W.get(k, at) - drag);
                }
            }
            let sticks = tangents > 0 && direction.is_none();
            let id = self.mechanism.identity(contact);
            members.push(Member {
                contact,
                id,
                friction: if sticks { mu } else { 0.0 },
                restitution: 0.0,
                tangents: sticks,
            });
            at += 1 + tangents;
        }
        self.solve_forces(&W, &members, &free)?;

        let mut at = 0;
        let mut outlooks = Vec::with_capacity(contacts.len());
        for (member, direction) in members.iter().zip(&slides) {
            let tangents = self.mechanism.n_tangents(member.contact);
            let mut outlook = self.judge(&W, &free, at);
            outlook.contact = member.contact;
            if outlook.persistence != Persistence::Leaves && tangents > 0 {
                match direction {
                    Some(d) => outlook.along = TangentialMotion::Slides(self.sliding(member.contact, *d, true, true)),
                    None if outlook.persistence == Persistence::Held => {
                        self.judge_along(&W, &free, at, member, &mut outlook)
                    }
                    None => {}
                }
            }
            outlooks.push(outlook);
            at += 1 + tangents;
        }
        Ok(outlooks)
    }

    /// λ of the forces problem into `p`, by rows.
    fn solve_forces(&mut self, W: &DenseMatrix, members: &[Member], free: &[f64]) -> Result<(), StepFailure> {
        let Self { contacts, frictional, rows, p, info, now, .. } = self;
        let at = Instant { t: now.t, W, rows, members, before: &[], free };
        let report = contacts.solve(Asked::Forces, &at, p).map_err(|mut failure| {
            if *frictional && failure.code == Code::NO_SOLUTION {
                failure.message =
                    "no forces satisfy the contact laws of what slides here: the friction is too large for this \
                     inertia (Painlevé's paradox)"
                        .into();
                failure.help = "use a time-stepping scheme such as moreau-jean, or a smaller friction".into();
            }
            failure
        })?;
        info.add(&report);
        Ok(())
    }

    /// Γ of row k with the forces of the last problem, and the size of its terms.
    fn acceleration(&self, W: &DenseMatrix, free: &[f64], k: usize) -> (f64, f64) {
        let (mut gamma, mut size) = (free[k], free[k].abs());
        for (l, p) in self.p.iter().enumerate() {
            gamma += W.get(k, l) * p;
            size += (W.get(k, l) * p).abs();
        }
        (gamma, size)
    }

    fn judge(&self, W: &DenseMatrix, free: &[f64], at: usize) -> Outlook {
        let (gamma, size) = self.acceleration(W, free, at);
        let persistence = if (W.get(at, at) * self.p[at]).abs() > ZERO * size {
            Persistence::Held
        } else if gamma > ZERO * size {
            Persistence::Leaves
        } else {
            Persistence::Undetermined
        };
        Outlook { contact: 0, persistence, along: TangentialMotion::Frictionless, on_cone: false }
    }

    /// Stick or slide, of a contact at rest that is held.
    fn judge_along(&self, W: &DenseMatrix, free: &[f64], at: usize, member: &Member, outlook: &mut Outlook) {
        let tangents = self.mechanism.n_tangents(member.contact);
        let (mut gamma, mut size, mut force) = ([0.0; 2], 0.0_f64, [0.0; 2]);
        for k in 0..tangents {
            let (g, s) = self.acceleration(W, free, at + 1 + k);
            (gamma[k], size, force[k]) = (g, size.max(s), self.p[at + 1 + k]);
        }
        let (length, bound) = (math::hypot(force[0], force[1]), member.friction * self.p[at]);
        let moves = math::hypot(gamma[0], gamma[1]);
        if moves > ZERO * size {
            let direction = [gamma[0] / moves, gamma[1] / moves];
            outlook.along = TangentialMotion::Slides(self.sliding(member.contact, direction, true, false));
        } else if bound - length > ZERO * bound {
            outlook.along = TangentialMotion::Sticks;
        } else {
            let direction = [-force[0] / length, -force[1] / length];
            outlook.along = TangentialMotion::Slides(self.sliding(member.contact, direction, false, false));
            outlook.on_cone = true;
        }
    }

    /// Asks the forces problem again a moment later for the contacts it could not decide.
    fn look_ahead(&mut self, now: &[Outlook], h: f64, leaving: &mut Vec<usize>) -> Result<(), StepFailure> {
        self.evaluate()?;
        let mut moment = MOMENT * h.min(self.sizes.ahead);
        let contacts: Vec<usize> = self.held.iter().map(|hold| hold.contact).collect();
        let mut later = Vec::new();
        let mut made = self.try_step(moment);
        // a long step may hold many turns of the load: the moment is one that the method resolves
        for _ in 0..SHORTER {
            let v = vector::max_abs(&self.trial.v).max(self.sizes.v);
            let q = vector::max_abs(&self.trial.q).max(self.sizes.q);
            if made.is_ok() && self.error(moment, (RESOLVED * q.max(moment * v), RESOLVED * v)).0 <= 1.0 {
                break;
            }
            moment *= 0.1;
            made = self.try_step(moment);
        }
        if made.is_ok() {
            std::mem::swap(&mut self.now, &mut self.trial);
            let outlooks = self.outlooks(&contacts);
            std::mem::swap(&mut self.now, &mut self.trial);
            later = outlooks?;
        }
        for before in now {
            let after = later.iter().find(|outlook| outlook.contact == before.contact);
            let contact = before.contact;
            if before.persistence == Persistence::Undetermined
                && after.is_some_and(|after| after.persistence == Persistence::Leaves)
            {
                leaving.push(contact);
                self.held.retain(|hold| hold.contact != contact);
            } else if before.on_cone {
                let along = after
                    .filter(|after| after.persistence == Persistence::Held)
                    .map_or(before.along, |after| after.along);
                if let Some(hold) = self.held.iter_mut().find(|hold| hold.contact == contact) {
                    hold.along = along;
                }
            }
        }
        Ok(())
    }

    /// Contacts that repeat each other share what holds them in a way of their own: one whose share lies outside its cone
    /// goes on with a force on the cone, and the others take over.
    fn saturate(&mut self) -> Result<(), StepFailure> {
        for _ in 0..self.held.len() {
            let zero = no_force(self.sizes.force);
            let beyond = (0..self.held.len()).find(|&k| {
                let [n, x, y] = self.now.lambda[k];
                let mu = self.mechanism.friction(self.held[k].contact);
                self.held[k].along == TangentialMotion::Sticks && math::hypot(x, y) > mu * n.max(0.0) + zero
            });
            let Some(k) = beyond else { break };
            let [_, x, y] = self.now.lambda[k];
            let length = math::hypot(x, y);
            let sliding = self.sliding(self.held[k].contact, [-x / length, -y / length], false, false);
            self.held[k].along = TangentialMotion::Slides(sliding);
            self.evaluate()?;
        }
        Ok(())
    }

    /// The equations of motion are singular.
    pub(crate) fn singular(&self) -> StepFailure {
        self.failure(FlowFailure::Singular)
    }
}
