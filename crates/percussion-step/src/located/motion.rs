//! A motion between events: where it is, which contacts are held closed, and what the step has added up so far.
//!
//!   ΔE = ∫ v·F dt − ∫ vᵀC v dt + Σ ½ Pᵀ(u⁻ + u⁺) + ∫ λ_T·u_T dt + balance
//!
//! Impacts are booked exactly; the balance is what the integration between them, and the projection on closed contacts and
//! joints, left over.

use crate::located::event_contacts::EventContacts;
use crate::located::explicit::{Unresolved, larger};
use crate::located::impact::{INSTANT, ImpactRecord};
use crate::located::integrator::Integrator;
use crate::located::phase::{FlowFailure, Integrals, Phase, Stretch};
use crate::located::tangent::Before;
use crate::mechanism::Mechanism;
use crate::mechanism::hold::{Hold, Row, TangentialMotion};
use crate::{EventKind, FrictionLaw, JointReaction, LocatedEvent, StepFailure, StepInfo};
use percussion_matrix::{DenseMatrix, math, stop, vector};
use percussion_model::Code;
use percussion_solve::SolverOptions;

/// How a contact stands between events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Away from its obstacle.
    Open,
    /// Closed, with a force that is watched.
    Held,
    /// Left without velocity: its gap is watched a little below zero until it has grown.
    Released,
    /// Left with a velocity: steps are limited by the time it needs to come back.
    Flying,
}

/// Part of the terms of a gap below which it counts as closed.
pub const CLOSED: f64 = 1e-12;
/// Part of a step below which no stretch is cut shorter for the forces in it.
const FINEST: f64 = 1e-9;
/// Part of the accelerations of a motion that loads may have of round-off.
const NO_LOAD: f64 = 1e-10;
/// An explicit step is followed while friction turns by less than this part of its direction in it.
const TURNING: f64 = 0.5;
/// The largest sizes met in a run, by which tolerances are measured, and the step proposed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sizes {
    /// Length of the next stretch [s]; zero before the first.
    pub ahead: f64,
    /// max |q|.
    pub q: f64,
    /// max |v|.
    pub v: f64,
    /// The largest force of a held contact [N].
    pub force: f64,
    /// The largest acceleration without contact forces at an event.
    pub a: f64,
}

/// The end of a stretch that is smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothEnd {
    /// [s].
    pub t: f64,
    /// The corner of a signal right after it.
    pub corner: Option<f64>,
}

impl SmoothEnd {
    /// Where smooth motion from t has to stop at the latest: short of the next corner of a signal, or at the end.
    pub fn next(mechanism: &dyn Mechanism, t: f64, end: f64) -> Self {
        let corner = mechanism.next_corner(t);
        // a corner that round-off puts behind the end is crossed once
        if t >= end || corner > end + INSTANT * f64::EPSILON * end.abs() {
            return Self { t: end, corner: None };
        }
        // so far before it that no stage sees what comes after
        Self { t: corner - 2.0 * INSTANT * f64::EPSILON * corner.abs(), corner: Some(corner) }
    }

    /// The other side of a corner: the end where it lies at the end.
    pub fn beyond(corner: f64, end: f64) -> f64 {
        if end - corner <= 2.0 * INSTANT * f64::EPSILON * end.abs() { end } else { corner }
    }
}

/// Which method made a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Chosen,
    Stiff,
    Explicit,
}

/// A mechanism in motion.
pub struct Motion {
    /// The model.
    pub mechanism: Box<dyn Mechanism>,
    /// The Runge–Kutta method.
    pub integrator: Integrator,
    /// Where contacts slide in space: a stiff method for slow sliding, whose friction turns faster than an explicit one can
    /// follow, and an explicit one for stops, at which the stages of an implicit step have no solution.
    in_space: Option<[Integrator; 2]>,
    /// Which of them made the last step.
    used: Method,
    /// Where the motion is.
    pub now: Phase,
    /// Where the stretch under trial ends.
    pub trial: Phase,
    /// What it adds up.
    pub integrals: Integrals,
    /// How each contact stands.
    pub standing: Vec<Standing>,
    /// The contacts held closed, by rising number.
    pub held: Vec<Hold>,
    /// Contacts that fly lower than the round-off of their gaps.
    pub unseen: Vec<usize>,
    /// Part of the largest approach under which a rebound counts as rest.
    pub cut: f64,
    /// The largest |U| of a contact at an event so far [m/s].
    pub u_max: f64,
    /// Sizes of the run.
    pub sizes: Sizes,
    /// Events of the step under way.
    pub events: Vec<LocatedEvent>,
    /// Contact problems of events.
    pub(crate) contacts: EventContacts,
    /// Whether any contact has friction.
    pub(crate) frictional: bool,
    /// W of the last response.
    pub(crate) W: DenseMatrix,
    pub(crate) info: StepInfo,
    pub(crate) work_contact: f64,
    pub(crate) set: Vec<usize>,
    pub(crate) u: Vec<f64>,
    pub(crate) p: Vec<f64>,
    pub(crate) rows: Vec<Row>,
    pub(crate) impulses: Vec<[f64; 3]>,
    /// Impulses of the joints.
    pub(crate) reactions: Vec<JointReaction>,
    pub(crate) met: Vec<bool>,
    /// Whether an impact of the step obeyed Frémond's law at a contact.
    pub(crate) fremond: Vec<bool>,
    /// What events last told of a contact's tangential motion.
    pub(crate) told: Vec<Option<EventKind>>,
    pub(crate) external: f64,
    pub(crate) damping: f64,
    pub(crate) u_start: Vec<[f64; 3]>,
    pub(crate) smallest_gap: Option<(f64, usize)>,
    pub(crate) energy: f64,
    pub(crate) h: f64,
    /// Whether impacts are kept, and those of the last event.
    pub(crate) recording: bool,
    pub(crate) records: Vec<ImpactRecord>,
}

impl Motion {
    /// A mechanism, a method, the law of impacts with friction, and the contact solver's options.
    pub fn new(
        mechanism: Box<dyn Mechanism>,
        integrator: Integrator,
        cut: f64,
        law: FrictionLaw,
        options: SolverOptions,
    ) -> Self {
        let m = mechanism.n_contacts();
        let tangents = (0..m).map(|i| mechanism.n_tangents(i)).max().unwrap_or(0);
        Self {
            mechanism,
            in_space: (tangents == 2).then(|| [Integrator::stiff(), Integrator::plain()]),
            used: Method::Chosen,
            integrator,
            now: Phase::default(),
            trial: Phase::default(),
            integrals: Integrals::default(),
            standing: vec![Standing::Open; m],
            held: Vec::new(),
            unseen: Vec::new(),
            cut,
            u_max: 0.0,
            sizes: Sizes::default(),
            events: Vec::new(),
            contacts: EventContacts::new(1 + tangents, law, options),
            frictional: tangents > 0,
            W: DenseMatrix::zeros(0, 0),
            info: StepInfo::default(),
            work_contact: 0.0,
            set: Vec::new(),
            u: Vec::new(),
            p: Vec::new(),
            rows: Vec::new(),
            impulses: vec![[0.0; 3]; m],
            reactions: Vec::new(),
            met: vec![false; m],
            fremond: vec![false; m],
            told: vec![None; m],
            external: 0.0,
            damping: 0.0,
            u_start: vec![[0.0; 3]; m],
            smallest_gap: None,
            energy: 0.0,
            h: 0.0,
            recording: false,
            records: Vec::new(),
        }
    }

    /// a and λ where the motion is.
    pub fn evaluate(&mut self) -> Result<(), StepFailure> {
        self.now.evaluate(&mut *self.mechanism, &self.held).map_err(|why| self.failure(why))?;
        for lambda in &self.now.lambda {
            self.sizes.force = self.sizes.force.max(lambda[0].abs());
        }
        Ok(())
    }

    /// One Runge–Kutta step of length h from where the motion is, to `trial`.
    #[inline]
    pub fn try_step(&mut self, h: f64) -> Result<(), FlowFailure> {
        let turns = self.turns(h);
        let Self { integrator, in_space, used, mechanism, held, now, trial, integrals, .. } = self;
        let Some([stiff, explicit]) = in_space else {
            return integrator.step(Stretch { mechanism: &mut **mechanism, held, from: now, h }, trial, integrals);
        };
        // a stop inside the step has no smooth stages; short explicit steps come to it
        let order = if turns { [Method::Stiff, Method::Explicit] } else { [Method::Chosen, Method::Explicit] };
        let mut outcome = Ok(());
        for method in order {
            *used = method;
            let integrator = match method {
                Method::Chosen => &mut *integrator,
                Method::Stiff => &mut *stiff,
                Method::Explicit => &mut *explicit,
            };
            outcome = integrator.step(Stretch { mechanism: &mut **mechanism, held, from: now, h }, trial, integrals);
            if outcome != Err(FlowFailure::Stages) {
                break;
            }
        }
        outcome
    }

    /// Whether friction turns too fast for an explicit step of length h: d relaxes at the rate μ λ_N W/‖u_T‖, for which the
    /// accelerations of the loads stand.
    fn turns(&mut self, h: f64) -> bool {
        if self.in_space.is_none() {
            return false;
        }
        let reach = TURNING * h * self.sizes.a;
        let Self { mechanism, now, held, .. } = self;
        held.iter().any(|hold| {
            matches!(hold.along, TangentialMotion::Slides(_)) && mechanism.n_tangents(hold.contact) == 2 && {
                let u = mechanism.tangent_rate(hold.contact, &now.q, &now.v);
                math::hypot(u[0], u[1]) < reach
            }
        })
    }

    /// The estimated error of the last step of length h over what is allowed in q and in v, and the exponent by which it
    /// turns into a step.
    pub fn error(&mut self, h: f64, allowed: (f64, f64)) -> (f64, f64) {
        let Self { integrator, in_space, used, now, trial, sizes, .. } = self;
        let integrator = match (used, in_space) {
            (Method::Stiff, Some([stiff, _])) => stiff,
            (Method::Explicit, Some([_, explicit])) => explicit,
            _ => integrator,
        };
        let (error, exponent) = (integrator.error(h, now, trial, allowed), integrator.exponent());
        let (open, part) = integrator.unresolved_forces(now);
        let forces = open.estimate / (part * sizes.force.max(open.force)).max(f64::MIN_POSITIVE);
        // what slides is seen in v; where it slides in space its force turns ever faster before a stop, and no stretch would do
        let slides = self.held.iter().any(|hold| matches!(hold.along, TangentialMotion::Slides(_)));
        if forces <= 1.0 || slides || h <= FINEST * self.h || self.is_round_off(open) {
            return (error, exponent);
        }
        (larger(error, forces), exponent)
    }

    /// Whether an unresolved force is so small that what it accelerates is the round-off of the loads.
    fn is_round_off(&mut self, open: Unresolved) -> bool {
        let Self { mechanism, now, held, sizes, .. } = self;
        let (mut W, row) = (DenseMatrix::zeros(1, 1), Row::normal(held[open.held].contact));
        let largest = sizes.a.max(vector::max_abs(&now.a));
        mechanism.response(now.t, &now.q, &[row], &mut W) && (W.get(0, 0) * open.estimate).abs() <= NO_LOAD * largest
    }

    /// Takes over the trial, brought back to closed contacts and joints.
    pub fn accept(&mut self) -> Result<(), StepFailure> {
        std::mem::swap(&mut self.now, &mut self.trial);
        self.external += self.integrals.external;
        self.damping += self.integrals.damping;
        self.work_contact += self.integrals.friction;
        JointReaction::accumulate(&mut self.reactions, 1.0, &self.integrals.reactions);
        let rest = self.slip_rest();
        for (k, hold) in self.held.iter_mut().enumerate() {
            let i = hold.contact;
            for (sum, p) in self.impulses[i].iter_mut().zip(self.integrals.impulses[k]) {
                *sum += p;
            }
            self.met[i] = true;
            self.sizes.force = self.sizes.force.max(self.now.lambda[k][0].abs());
            if let TangentialMotion::Slides(sliding) = &mut hold.along {
                let u = self.mechanism.tangent_rate(i, &self.now.q, &self.now.v);
                let speed = math::hypot(u[0], u[1]);
                sliding.fast = speed > rest;
                // in space the direction goes with the motion
                if self.mechanism.n_tangents(i) == 2 && sliding.fast {
                    sliding.direction = [u[0] / speed, u[1] / speed];
                }
            }
        }
        self.sizes.q = self.sizes.q.max(vector::max_abs(&self.now.q));
        self.sizes.v = self.sizes.v.max(vector::max_abs(&self.now.v));
        if self.mechanism.recentre(&mut self.now.q, &mut self.now.v) {
            self.evaluate()?;
        }
        if self.mechanism.drifts() || !self.held.is_empty() {
            self.project()?;
        }
        Ok(())
    }

    /// Moves the state to closed contacts and joints where it has left them by more than round-off.
    pub fn project(&mut self) -> Result<(), StepFailure> {
        let Self { mechanism, now, held, sizes, .. } = self;
        let mut away = mechanism.drifts();
        for hold in held.iter() {
            let i = hold.contact;
            let size = mechanism.gap_size(i, &now.q, now.t);
            away |= mechanism.gap(i, &now.q, now.t).abs() > 4.0 * f64::EPSILON * size;
            away |= mechanism.gap_rate(i, &now.q, &now.v, now.t).abs() > 4.0 * f64::EPSILON * sizes.v;
            if hold.along == TangentialMotion::Sticks {
                let u = mechanism.tangent_rate(i, &now.q, &now.v);
                away |= u[0].abs().max(u[1].abs()) > 4.0 * f64::EPSILON * sizes.v;
            }
        }
        if !away {
            return Ok(());
        }
        if !mechanism.project(now.t, &mut now.q, &mut now.v, held) {
            return Err(self.failure(FlowFailure::Singular));
        }
        self.book_projection();
        self.evaluate()
    }

    /// The impulses of joints by which a projection moved the velocities.
    pub(crate) fn book_projection(&mut self) {
        JointReaction::accumulate(&mut self.reactions, 1.0, self.mechanism.reactions());
    }

    /// Where smooth motion has to stop at the latest.
    pub fn next_stop(&self, end: f64) -> SmoothEnd {
        SmoothEnd::next(&*self.mechanism, self.now.t, end)
    }

    /// Goes on from the other side of a corner, forces and rates of obstacles being those after it.
    pub fn cross_corner(&mut self, corner: f64, end: f64, shortest: f64) -> Result<(), StepFailure> {
        self.now.t = SmoothEnd::beyond(corner, end);
        self.evaluate()?;
        self.resolve(&[], shortest, self.h)
    }

    /// What an event finds, for the tangent that goes through it.
    pub(crate) fn before(&self) -> Before {
        Before { phase: self.now.clone(), held: self.held.clone(), standing: self.standing.clone() }
    }

    /// A stretch that could not be followed, as the failure of the step.
    pub fn failure(&self, why: FlowFailure) -> StepFailure {
        let message = match why {
            FlowFailure::Singular => "the equations of motion are singular: some motion has no inertia",
            FlowFailure::Stages => "the stages of the implicit Runge–Kutta step were not found",
        };
        let help = match why {
            FlowFailure::Singular => "give every motion that joints and closed contacts allow a mass".into(),
            FlowFailure::Stages => String::new(),
        };
        let code = if why == FlowFailure::Singular { Code::SINGULAR_STEP } else { Code::NOT_SOLVED };
        StepFailure { code, t: self.now.t, h: self.h, message: message.into(), help, problem: None }
    }

    /// The step that was to be given up.
    pub fn asked_to_stop(&self) -> Option<StepFailure> {
        stop::requested().then(|| StepFailure::interrupted(self.now.t, self.h))
    }

    /// A motion that has become infinite.
    pub fn not_finite(&self) -> Option<StepFailure> {
        let wrong = (0..self.now.q.len()).find(|&i| !(self.now.q[i].is_finite() && self.now.v[i].is_finite()))?;
        Some(StepFailure::not_finite(self.now.t, self.h, wrong))
    }

    /// More events in a step than any motion that goes on.
    pub fn endless(&self, events: usize) -> StepFailure {
        StepFailure {
            code: Code::ENDLESS_EVENTS,
            t: self.now.t,
            h: self.h,
            message: format!("{events} events in one step, the last at t = {}", self.now.t),
            help: "raise scheme.cut, the part of the largest approach under which a rebound counts as rest".into(),
            problem: None,
        }
    }

    /// Books works of loads or obstacles, and of dampers.
    pub(crate) fn add_works(&mut self, external: f64, damping: f64) {
        self.external += external;
        self.damping += damping;
    }

    /// W of the normals and tangents of a set of contacts, by `rows`, responses kept.
    pub(crate) fn respond(&mut self) -> Result<(), StepFailure> {
        self.rows.clear();
        for &contact in &self.set {
            self.rows.extend((0..=self.mechanism.n_tangents(contact)).map(|component| Row { contact, component }));
        }
        let regular = self.mechanism.response(self.now.t, &self.now.q, &self.rows, &mut self.W);
        if regular { Ok(()) } else { Err(self.failure(FlowFailure::Singular)) }
    }
}
