//! A scheme bound to a model: one step at a time.

use crate::contact::instant::InstantContacts;
use crate::{Memory, State, Step, StepFailure, StepStart, Warning};
use percussion_model::InputError;
use percussion_solve::friction::{Device, FrictionProblem};

/// A scheme bound to a model: makes one step at a time. `&mut self` is work memory only; results depend on the arguments alone.
pub trait Stepper: Send {
    /// Moves a state to where a run can begin, and says so where that changed anything.
    fn settle(&mut self, _state: &mut State) -> Option<Warning> {
        None
    }

    /// The memory a run starts with, consistent with the state.
    fn start(&mut self, state: &State) -> Memory;

    /// One step; what it did goes to `step`, what the next one needs to `next`.
    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure>;

    /// The contact problem of the last step with its impulses, μ = 0 where contacts have no friction; where a step solves
    /// several, the last. None when no contact took part.
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)>;

    /// H of a state before a step of length h.
    fn algorithmic_energy(&self, memory: &Memory, _h: f64) -> f64 {
        memory.H
    }

    /// Whether loads are those in the middle of a step, and not the mean of its ends: the account of momentum asks.
    fn loads_in_the_middle(&self) -> bool {
        false
    }

    /// Threads a step may use; what it computes does not depend on them.
    fn use_threads(&mut self, _threads: usize) {}

    /// Steps are chosen by the difference of shorter and longer ones.
    fn follow_errors(&mut self) {}

    /// The next steps are parts of one of this length, until told otherwise: what a law corrects once in a step it corrects over all of it.
    fn part_of(&mut self, _whole: Option<f64>) {}

    /// What Newton's method left of the last step where it went no further, a part of the motion; zero where it arrived.
    fn left_over(&self) -> f64 {
        0.0
    }

    /// A machine that sweeps over many contacts; what a step computes does not depend on it.
    fn use_device(&mut self, _device: &Device) {}

    /// Counts worth a line in the summary: how often Newton needed which fallback, ….
    fn statistics(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// The contacts of instants at which this stepper solves for forces and impulses, where it is made of such instants.
    fn instants(&mut self) -> Option<&mut InstantContacts> {
        None
    }

    /// Why steps of length h from this state make no sense, if they do not.
    fn refuse(&mut self, _state: &State, _h: f64) -> Option<InputError> {
        None
    }

    /// The longest step that is made as a whole.
    fn longest(&self) -> f64 {
        f64::INFINITY
    }

    /// Remarks on the operators at this step size (indefinite W, …).
    fn warnings(&mut self, _h: f64) -> Vec<Warning> {
        Vec::new()
    }
}
