//! What `landing` asks of a system: its motion with contacts at position level, and what impulses do at the end of a step.

use crate::schemes::landing::contact_problem::ContactProblem;
use crate::schemes::landing::contacts::Contacts;
use crate::schemes::landing::instant::{Arrival, Instant};
use crate::{State, Step, StepFailure, StepInfo};

/// A model as `landing` moves it. Rows are those of a contact problem, d for each contact.
pub trait Motion: Send {
    /// Step 1 of length h, the contacts `barred` not acting: `contacts.first` with its answer, q_{k+1}, v₁ and gaps.
    fn position(
        &mut self,
        at: &Instant,
        h: f64,
        barred: &[usize],
        contacts: &mut Contacts,
        to: &mut Arrival,
    ) -> Result<StepInfo, StepFailure>;

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

    /// W = HᵀM⁻¹H and u_free of `last`, at t and for h; `v` becomes the velocity to which its impulses are added.
    fn impact(&mut self, at: (f64, f64), v: &mut [f64], last: &mut ContactProblem) -> Result<(), StepFailure>;

    /// x ← x + p M⁻¹H_row, row of `last`.
    fn strike(&self, row: usize, p: f64, x: &mut [f64]);

    /// Work of loads and of dampers over step 1.
    fn works(&mut self, at: &Instant, h: f64, to: &Arrival) -> [f64; 2];

    /// Kinetic and potential energy.
    fn energies(&self, q: &[f64], v: &[f64]) -> [f64; 2];

    /// Components of the contact problems, and numbers of velocities.
    fn sizes(&self) -> (usize, usize);

    /// Number of contacts the memory has places for: none where contacts come and go.
    fn contact_count(&self) -> usize;

    /// The contacts closed at a start, with the sizes of places and gaps.
    fn closed_at_start(&mut self, state: &State) -> (Vec<u64>, f64);

    /// The smallest gap of all contacts.
    fn smallest_gap(&mut self, state: &State) -> Option<(f64, usize)>;

    /// Gaps and velocities of the contacts listed in `step`, at both ends.
    fn conclude(&mut self, state: &State, step: &mut Step);
}
