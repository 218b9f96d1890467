//! What `landing` asks of a system: its motion with contacts at position level, and what impulses do at the end of a step.

use crate::schemes::landing::contact_problem::ContactProblem;
use crate::schemes::landing::contacts::Contacts;
use crate::schemes::landing::instant::{Arrival, Instant, Landed};
use crate::{LedgerEntry, State, Step, StepFailure, StepInfo};
use percussion_solve::friction::FrictionProblem;

/// A part of a step as it is tried.
#[derive(Clone, Copy)]
pub struct Trial<'a> {
    /// Where it begins.
    pub at: &'a Instant,
    /// Its length.
    pub h: f64,
    /// The contacts that do not act.
    pub barred: &'a [usize],
}

/// A model as `landing` moves it. Rows are those of a contact problem, d for each contact.
pub trait Motion: Send {
    /// A step begins here; it may be made in parts.
    fn begin(&mut self, _: &State) {}

    /// Step 1: `contacts.first` with its answer, q_{k+1}, v₁ and gaps.
    fn position(&mut self, of: Trial, contacts: &mut Contacts, to: &mut Arrival) -> Result<StepInfo, StepFailure>;

    /// The rows of `first` at the end of the step, for `respond`, `weigh` and `along`.
    fn turn_rows(&mut self, at: &Instant, h: f64, contacts: &Contacts, to: &Arrival) -> Result<(), StepFailure>;

    /// x ← x + p N_row, N = M̂⁻¹H at the end of the step on the motions the joints allow.
    fn respond(&self, row: usize, p: f64, x: &mut [f64]);

    /// x ← M N_row.
    fn weigh(&self, row: usize, x: &mut [f64]);

    /// N_row·x.
    fn along(&self, row: usize, x: &[f64]) -> f64;

    /// xᵀM y.
    fn product(&self, x: &[f64], y: &[f64]) -> f64;

    /// Contacts at the end of the step: numbers, μ, e and u⁻ = H v⁻ in `last`.
    fn touch(&mut self, ids: &[usize], t: f64, to: &Arrival, last: &mut ContactProblem);

    /// Whether joints have velocities across them at the end of a step.
    fn has_joints(&self) -> bool {
        false
    }

    /// W = HᵀM⁻¹H and u_free of `last`, at t and for h; `v` becomes the velocity to which its impulses are added: U_b⁺ = −ê_b U_b⁻
    /// across joints, 1 + ê_b given.
    fn impact(
        &mut self,
        at: (f64, f64),
        across: f64,
        v: &mut [f64],
        last: &mut ContactProblem,
    ) -> Result<(), StepFailure>;

    /// What the hands that move bodies and drives take through the joints for a unit impulse along a row of `first` at the end of the step, or
    /// of `last` [m/s].
    fn hands(&self, _row: usize, _last: bool) -> f64 {
        0.0
    }

    /// Their work as joints turn back in `impact`.
    fn hand_of_joints(&self) -> f64 {
        0.0
    }

    /// x ← x + p M⁻¹H_row, row of `last`.
    fn strike(&self, row: usize, p: f64, x: &mut [f64]);

    /// Works of loads, dampers and joints over step 1.
    fn works(&mut self, at: &Instant, h: f64, to: &Arrival) -> LedgerEntry;

    /// The three steps are made: what the next is told besides closed contacts.
    fn remember(&mut self, _: &Contacts, _: &mut Landed) {}

    /// Kinetic and potential energy.
    fn energies(&self, q: &[f64], v: &[f64]) -> [f64; 2];

    /// Components of the contact problems, and numbers of velocities.
    fn sizes(&self) -> (usize, usize);

    /// A contact problem of step 1 in the units of people.
    fn in_metres(&self, _: &mut FrictionProblem, _: &mut [f64]) {}

    /// Tangents of a contact.
    fn tangents(&self) -> usize {
        self.sizes().0 - 1
    }

    /// Number of contacts the memory has places for: none where contacts come and go.
    fn contact_count(&self) -> usize;

    /// The contacts closed at a start, with the sizes of places and gaps.
    fn closed_at_start(&mut self, state: &State) -> (Vec<u64>, f64);

    /// What the first step is told of joints.
    fn start_joints(&mut self, _: &State, _: &mut Landed) {}

    /// The smallest gap of all contacts.
    fn smallest_gap(&mut self, state: &State) -> Option<(f64, usize)>;

    /// Gaps and velocities of the contacts listed in `step`, at both ends.
    fn conclude(&mut self, state: &State, step: &mut Step);
}
