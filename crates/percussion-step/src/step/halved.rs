//! Steps of solids that find no motion, or none that keeps its energy, are made in halves, and so are those that wind up a stiffness.
//!
//!   no step of length h   ⟹   two of h/2, each of them in halves again where it must be, down to h/1024
//!   E gained > E/20, most of it in V   ⟹   the same, where the scheme lets impulses move positions freely
//!
//! Where impulses move positions by hM⁻¹GΛ, Λ = (1 + e)|U|/W, an impact changes the energy of a mass on a spring from ½mU² to
//! ½mU² [e² + (hω)²(1 + e)²]: with hω = 0.85 and e = 0.8 threefold, and again at every impact. Halves of the step take it below 1 where e < 1.
//! Where a solid is struck faster than its waves carry the news away, a step leads Newton's method to where elements are crushed; under `equilibrium` one in which
//! all contacts open and close may have no correction that keeps its energy. Every half is a step of the scheme with a closed ledger of its own;
//! the whole hands on their sums. Steps are pure, so that one which failed leaves no trace.

use crate::linear::momentum::account;
use crate::step::parts::Parts;
use crate::{Ability, Activation, Memory, Model, Scheme, State, Step, StepFailure, StepStart, Stepper, Warning};
use percussion_model::{Code, InputError};
use percussion_solve::friction::FrictionProblem;

/// The shortest half, of the step, and how many tries a step may take.
const SHORTEST: f64 = 1.0 / 1024.0;
const MOST: usize = 4096;
/// Part of the energies of a step by which one that is made in halves for it gains.
const GAINED: f64 = 0.05;

/// A stepper of a solid whose steps may be made in halves.
pub struct Halved {
    inner: Box<dyn Stepper>,
    model: Model,
    parts: Parts,
    part: Step,
    at: State,
    memory: Memory,
    cuts: bool,
    /// Whether the scheme keeps an account of momentum.
    has_momentum: bool,
    /// Whether impulses may wind up a stiffness.
    winds: bool,
}

impl Halved {
    /// Whether steps of a scheme on a model are made so: solids in finite deformation, `equilibrium`, and what winds up.
    pub fn takes(model: &Model, scheme: &Scheme) -> bool {
        let finite = model.lagrangian().is_some_and(|lagrangian| lagrangian.finite_solid().is_some());
        finite
            || scheme.facts().has(Ability::WindsUp)
            || (model.linear().is_some() && scheme.activation == Activation::Equilibrium)
    }

    /// A stepper of the model, its steps in halves where they must be.
    pub fn over(inner: Box<dyn Stepper>, model: &Model, scheme: &Scheme) -> Box<dyn Stepper> {
        if !Self::takes(model, scheme) {
            return inner;
        }
        Box::new(Self {
            inner,
            model: model.clone(),
            parts: Parts::new(model, scheme.facts().contact_frame),
            part: Step::default(),
            at: State::default(),
            memory: Memory::default(),
            cuts: true,
            has_momentum: scheme.facts().promises.momentum,
            winds: scheme.facts().has(Ability::WindsUp),
        })
    }

    fn make_parts(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        self.at.clone_from(from.state);
        self.memory.clone_from(from.memory);
        self.parts.begin(from, step);
        // in units of the shortest half, so that halves meet exactly
        let whole = (1.0 / SHORTEST) as u64;
        let (mut done, mut length) = (0, whole / 2);
        for _ in 0..MOST {
            StepFailure::unless_stopped(from.state.t, from.h)?;
            let at = StepStart { state: &self.at, memory: &self.memory, h: from.h * length as f64 * SHORTEST };
            if let Err(failure) = self.inner.step(&at, &mut self.part, next) {
                if length == 1 || !may_be_halved(&failure) {
                    return Err(failure);
                }
                length /= 2;
                continue;
            }
            if length > 1 && self.wound_up(&at, &self.part) {
                length /= 2;
                continue;
            }
            if let Some(linear) = self.model.linear().filter(|_| self.has_momentum)
                && let Some(entry) = account(linear, &self.at, &self.part, self.inner.loads_in_the_middle())
            {
                self.part.momentum = entry;
            }
            self.parts.add(&self.part, step);
            done += length;
            if done == whole {
                // the end of the whole step to the last bit
                step.after.t = from.end();
                self.parts.finish(from, step);
                return Ok(());
            }
            self.at.clone_from(&self.part.after);
            std::mem::swap(&mut self.memory, next);
            // as long as the multiples of twice this length allow
            if done.is_multiple_of(2 * length) {
                length *= 2;
            }
        }
        Err(from.failure("no motion was found in 4096 parts of a step"))
    }

    /// Whether a step gained energy that went into potentials, by more than a part of what there was and what loads put in.
    fn wound_up(&self, from: &StepStart, step: &Step) -> bool {
        if !self.winds {
            return false;
        }
        let (entry, model) = (&step.ledger, &self.model);
        let State { q, v, .. } = from.state;
        let (kinetic, potential) = (model.kinetic_energy(q, v), model.potential_energy(q));
        let gained = entry.gained();
        gained > GAINED * (kinetic + potential.abs() + entry.work_external.abs())
            && entry.potential - potential > 0.5 * gained
    }

    /// Why the whole step failed, and what the matter is like where its parts ended.
    fn explained(&self, failure: StepFailure) -> StepFailure {
        let Some(solid) = self.model.lagrangian().and_then(|model| model.finite_solid()) else { return failure };
        let (Some((tag, left)), inner) = (solid.most_compressed(&self.at.q), solid.inner_speed(&self.at.v)) else {
            return failure;
        };
        let waves = solid.solid().parts().iter().map(|part| part.material.wave_speed(solid.solid().matter().section));
        let waves = waves.fold(f64::INFINITY, f64::min);
        if inner < waves && left > 0.5 {
            return failure;
        }
        let message = format!(
            "{}; element {tag} has {:.1} % of its volume left, and velocities within the solid differ by {inner:.3} m/s, where waves travel at {waves:.3} m/s",
            failure.message,
            100.0 * left
        );
        let help = "what is struck faster than its waves is crushed element by element, which no mesh resolves: take a lower speed or a stiffer, lighter \
                    material";
        StepFailure { message, help: help.into(), problem: None, ..failure }
    }
}

/// Whether a shorter step may be made where this one was not.
fn may_be_halved(failure: &StepFailure) -> bool {
    [Code::NOT_SOLVED, Code::NO_SOLUTION, Code::SINGULAR_STEP, Code::NOT_FINITE_STATE].contains(&failure.code)
}

impl Stepper for Halved {
    /// Steps chosen by their error are shortened by it.
    fn follow_errors(&mut self) {
        self.cuts = false;
        self.inner.follow_errors();
    }

    fn settle(&mut self, state: &mut State) -> Option<Warning> {
        self.inner.settle(state)
    }

    fn start(&mut self, state: &State) -> Memory {
        self.inner.start(state)
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        step.parts = 1;
        let Err(failure) = self.inner.step(from, step, next) else {
            if self.cuts && self.wound_up(from, step) && self.make_parts(from, step, next).is_err() {
                self.inner.step(from, step, next)?;
                step.parts = 1;
            }
            return Ok(());
        };
        if !self.cuts || !may_be_halved(&failure) {
            return Err(failure);
        }
        // what is told is why the whole step failed
        self.make_parts(from, step, next).map_err(|_| self.explained(failure))
    }

    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.inner.contact_problem()
    }

    fn algorithmic_energy(&self, memory: &Memory, h: f64) -> f64 {
        self.inner.algorithmic_energy(memory, h)
    }

    fn loads_in_the_middle(&self) -> bool {
        self.inner.loads_in_the_middle()
    }

    fn use_threads(&mut self, threads: usize) {
        self.inner.use_threads(threads);
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        self.inner.statistics()
    }

    fn refuse(&mut self, state: &State, h: f64) -> Option<InputError> {
        self.inner.refuse(state, h)
    }

    fn longest(&self) -> f64 {
        self.inner.longest()
    }

    fn warnings(&mut self, h: f64) -> Vec<Warning> {
        self.inner.warnings(h)
    }
}
