//! What one step takes and gives: state and memory in, step and memory out, inputs untouched.

pub mod contact;
pub mod failure;
pub mod halved;
pub mod ledger;
pub mod memory;
pub mod momentum;
pub mod parts;
pub mod state;
pub mod stepper;

use crate::{
    ContactPlace, ContactState, ContactStatus, JointReaction, LedgerEntry, LocatedEvent, Memory, MomentumEntry, State,
    StepFailure, Tangential,
};
use percussion_model::bodies::Crossing;
use percussion_solve::SolveReport;

/// What a step starts from.
#[derive(Clone, Copy, Debug)]
pub struct StepStart<'a> {
    /// t_k, q_k, v_k.
    pub state: &'a State,
    /// What the scheme carried here.
    pub memory: &'a Memory,
    /// h, the length of the step [s].
    pub h: f64,
}

impl StepStart<'_> {
    /// t_{k+1} [s].
    #[inline]
    pub fn end(&self) -> f64 {
        self.state.t + self.h
    }

    /// Newton's iteration cannot go on.
    pub(crate) fn failure(&self, message: impl Into<String>) -> StepFailure {
        StepFailure::newton(self.state, self.h, message.into())
    }
}

/// How the contact problems of a step were solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepInfo {
    /// Contact problems solved.
    pub solves: usize,
    /// Iterations, sweeps or pivots in all.
    pub iterations: usize,
    /// The worse of the two residuals of the worst problem.
    pub residual: f64,
    /// Islands of frictional contacts in which the checked rule saw an impact.
    pub impacts: usize,
    /// Contacts at which the checked rule fell back to Frémond's law because work was positive.
    pub fallbacks: usize,
    /// Problems whose answer was good enough, though not within the tolerance.
    pub loose: usize,
    /// Σ|w·p| of those: what they can have created [J].
    pub slack: f64,
}

impl StepInfo {
    /// Adds a further problem of the step.
    pub fn add(&mut self, other: &StepInfo) {
        let residual = self.residual.max(other.residual);
        let (impacts, fallbacks) = (self.impacts + other.impacts, self.fallbacks + other.fallbacks);
        let (loose, slack) = (self.loose + other.loose, self.slack + other.slack);
        self.repeat(other);
        (self.residual, self.impacts, self.fallbacks) = (residual, impacts, fallbacks);
        (self.loose, self.slack) = (loose, slack);
    }

    /// Adds a further solution of the same problem, whose residual and law replace those before it.
    pub fn repeat(&mut self, other: &StepInfo) {
        self.solves += other.solves;
        self.iterations += other.iterations;
        self.residual = other.residual;
        self.impacts = other.impacts;
        self.fallbacks = other.fallbacks;
        (self.loose, self.slack) = (other.loose, other.slack);
    }

    /// One problem without friction.
    pub(crate) fn of(report: &SolveReport) -> Self {
        Self { solves: 1, iterations: report.iterations, residual: report.residuals.worst(), ..Default::default() }
    }
}

/// One accepted step. Buffers are reused: nothing is allocated once the sizes have been seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Length of the step [s].
    pub h: f64,
    /// The state arrived at.
    pub after: State,
    /// The contacts of the index set, by rising number.
    pub contacts: Vec<ContactState>,
    /// Their tangential motion, one for each; empty where no contact has tangents.
    pub friction: Vec<Tangential>,
    /// Where they are, one for each, where bodies meet and the scheme tells.
    pub places: Vec<ContactPlace>,
    /// What the joints of bodies did, where the scheme tells.
    pub reactions: Vec<JointReaction>,
    /// The smallest gap of all contacts at the start of the step and its contact, if there is any contact.
    pub smallest_gap: Option<(f64, usize)>,
    /// The deepest overlap on the way, of bodies that are fast beside their thickness.
    pub crossing: Option<Crossing>,
    /// Parts it was made in so that nothing passes through, where bodies move.
    pub parts: usize,
    /// Joints whose angle came further in those parts than the two ends of the step tell, and by how many whole turns.
    pub turns: Vec<(usize, f64)>,
    /// The energy account.
    pub ledger: LedgerEntry,
    /// The account of momentum, of bodies.
    pub momentum: MomentumEntry,
    /// The contact solver's part.
    pub info: StepInfo,
    /// Whether the scheme locates its events itself.
    pub located: bool,
    /// The events it located, in the order of time.
    pub events: Vec<LocatedEvent>,
}

impl Step {
    /// The status of the k-th contact of the index set.
    #[inline]
    pub fn status(&self, k: usize) -> ContactStatus {
        self.friction.get(k).map_or_else(|| self.contacts[k].status(), |tangential| tangential.status)
    }
}

crate::packed! {
    Crossing { bodies, depth, part, from, way, before }
    StepInfo { solves, iterations, residual, impacts, fallbacks, loose, slack }
    Step { h, after, contacts, friction, places, reactions, smallest_gap, crossing, parts, turns, ledger, momentum, info, located, events }
}
