//! A run driven from outside: look, set, step, save, go back.
//!
//!   (state, memory, hands)_k  →  step  →  (state, memory, hands)_{k+1},    every step in the ledger and the tables
//!
//! What is set holds through the next steps; its work is external work.

pub(crate) mod inputs;
mod read;

pub use read::{JointReading, ReactionReading, TouchReading};

use self::inputs::{Grip, Held, INPUTS_HEADER, note};
use crate::build::dials::{Control, reason};
use crate::build::load::{LoadOptions, Loaded};
use crate::build::scenario::Scenario;
use crate::error::Result;
use crate::format::suggest;
use crate::run::memory::{Cells, Kept};
use crate::run::summary::{Failure, Summary};
use crate::run::writer::RunWriter;
use crate::run::{Run, RunEnd};
use percussion_model::{Code, Dial, InputError, Turn};
use percussion_step::{
    Event, EventDetector, Outcome, Recorder, Saved, Simulation, Start, State, Step, StepFailure, Stop, Warning,
};
use std::ops::ControlFlow;
use std::time::Instant;

/// A simulation in the hands of a program.
pub struct Live {
    scenario: Scenario,
    simulation: Simulation,
    writer: RunWriter,
    detector: EventDetector,
    events: Vec<Event>,
    first: Saved,
    angles: Vec<f64>,
    first_angles: Vec<f64>,
    /// Whether a value was ever set, or a state.
    driven: bool,
    grip: Grip,
    /// What was set since the record began, when its first state was reached, and the hands that were on then.
    inputs: Cells,
    begun: u64,
    held: Vec<Held>,
    failure: Option<Box<StepFailure>>,
    /// Time spent in steps [s].
    wall_s: f64,
}

/// A live simulation at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveState {
    /// State and memory of the scheme.
    pub run: Saved,
    /// What was set, control by control.
    pub set: Vec<Vec<Turn>>,
    /// Angles of hinges with their whole turns.
    pub angles: Vec<f64>,
}
percussion_step::packed! { LiveState { run, set, angles } }

impl LoadOptions {
    /// The same, for a simulation whose loads and drives can be set.
    pub fn live(self) -> Self {
        Self { live: true, ..self }
    }
}

impl Live {
    /// A scenario loaded with [`LoadOptions::live`], at t = 0.
    pub fn new(loaded: Loaded) -> Result<Self> {
        let Loaded { scenario, mut simulation } = loaded;
        if scenario.adaptive.is_some() {
            let message = "a live simulation makes equal steps";
            return Err(InputError::new(Code::CONTRADICTION, "time.adaptive", message, "remove it").into());
        }
        let grip = Grip::new(&scenario, &mut simulation);
        let mut live = Self {
            grip,
            inputs: Cells::default(),
            begun: 0,
            held: Vec::new(),
            writer: record(&scenario)?,
            detector: EventDetector::new(scenario.model().n_contacts()),
            events: Vec::new(),
            first: simulation.save(),
            angles: Vec::new(),
            first_angles: Vec::new(),
            driven: false,
            failure: None,
            wall_s: 0.0,
            scenario,
            simulation,
        };
        live.angles = live.hinge_angles(&live.simulation.state().q);
        live.first_angles.clone_from(&live.angles);
        live.begin();
        Ok(live)
    }

    /// A new record begins at the present state.
    fn begin(&mut self) {
        self.detector = EventDetector::new(self.scenario.model().n_contacts());
        self.detector.start(self.simulation.scheme());
        self.inputs = Cells::new(INPUTS_HEADER, 0);
        self.begun = self.simulation.number();
        self.held = Held::all(self.controls());
        self.events.clear();
        self.failure = None;
        self.wall_s = 0.0;
        // rows in memory cannot fail
        let _ = self.simulation.tell_start(&mut self.writer);
    }

    /// Makes one step; on failure the state before it stands.
    pub fn step(&mut self) -> std::result::Result<(), StepFailure> {
        let started = Instant::now();
        let outcome = self.simulation.run(1, &mut Started(&mut self.writer, self.begun));
        self.wall_s += started.elapsed().as_secs_f64();
        self.events.clear();
        match outcome {
            Outcome::Finished => {}
            Outcome::Failed(failure) => {
                self.failure = Some(Box::new(failure.clone()));
                return Err(failure);
            }
            Outcome::Stopped(stop) => return Err(stopped(stop, self.simulation.state())),
        }
        let events = &mut self.events;
        let number = self.simulation.number() - self.begun;
        self.detector.step(number, self.simulation.last(), |event| events.push(event));
        if !self.angles.is_empty() {
            self.count_turns();
        }
        Ok(())
    }

    /// Steps until t is reached, to a millionth of a step, and tells of each step; its events are [`Live::events`]. What breaks ends it, and what was
    /// done stands.
    pub fn advance_to(
        &mut self,
        t: f64,
        mut tell: impl FnMut(&mut Self) -> ControlFlow<()>,
    ) -> std::result::Result<(), StepFailure> {
        while self.state().t < t - 1e-6 * self.scenario.step {
            self.step()?;
            if tell(self).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// t, q, v.
    pub fn state(&self) -> &State {
        self.simulation.state()
    }

    /// Steps made.
    pub fn number(&self) -> u64 {
        self.simulation.number()
    }

    /// The last step; empty before the first.
    pub fn last(&self) -> &Step {
        self.simulation.last()
    }

    /// Events of the last step.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What can be set.
    pub fn controls(&self) -> &[Control] {
        &self.scenario.hands.controls
    }

    fn control(&self, name: &str) -> std::result::Result<&Control, InputError> {
        self.controls().iter().find(|control| control.name == name).ok_or_else(|| {
            if let Some(why) = reason(&self.scenario, name) {
                return InputError::new(Code::BAD_NAME, "name", format!("\"{name}\" cannot be set"), why);
            }
            let names: Vec<&str> = self.controls().iter().map(|control| control.name.as_str()).collect();
            let help = match suggest::nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None if names.is_empty() => "this model has no loads and drives that can be set".into(),
                None => format!("there are {}", names[..names.len().min(12)].join(", ")),
            };
            InputError::new(Code::BAD_NAME, "name", format!("nothing is called \"{name}\""), help)
        })
    }

    /// Sets a load, torque, drive, gravity or prescribed velocity from now on; its work is external work. Velocities of supports and obstacles are
    /// reached within the next step.
    pub fn set(&mut self, name: &str, values: &[f64]) -> std::result::Result<(), InputError> {
        let control = self.control(name)?;
        if control.dials.len() != values.len() {
            let message = format!("\"{name}\" takes {} numbers, not {}", control.dials.len(), values.len());
            return Err(InputError::new(Code::BAD_SHAPE, "value", message, "give one for each axis"));
        }
        if let Some(x) = values.iter().find(|x| !x.is_finite()) {
            return Err(InputError::new(Code::NOT_FINITE, "value", format!("is {x}"), "give finite numbers"));
        }
        let values: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
        self.turn(name, &values);
        self.driven = true;
        Ok(())
    }

    /// Gives a load or drive back to the scenario.
    pub fn release(&mut self, name: &str) -> std::result::Result<(), InputError> {
        let values = vec![None; self.control(name)?.dials.len()];
        self.turn(name, &values);
        Ok(())
    }

    /// Sets or gives back, and keeps a record of it.
    fn turn(&mut self, name: &str, values: &[Option<f64>]) {
        let t = self.state().t;
        let now = (self.number() - self.begun, t);
        if let Some(control) = self.scenario.hands.controls.iter().find(|control| control.name == name) {
            control.dials.iter().zip(values).for_each(|(dial, &x)| self.grip.turn(control, dial, t, x));
            note(&mut self.inputs, now, control, values.iter().copied());
        }
    }

    /// Everything the next steps depend on.
    pub fn save(&self) -> LiveState {
        let set = self.controls().iter().map(|control| control.dials.iter().map(Dial::turn).collect());
        LiveState { run: self.simulation.save(), set: set.collect(), angles: self.angles.clone() }
    }

    /// Goes on from a saved state, to the same bits; a new record begins there.
    pub fn restore(&mut self, saved: &LiveState) -> Result<()> {
        let controls = &self.scenario.hands.controls;
        let same = saved.set.len() == controls.len()
            && controls.iter().zip(&saved.set).all(|(control, set)| control.dials.len() == set.len())
            && saved.angles.len() == self.angles.len();
        if !same || !self.simulation.restore(&saved.run) {
            let message = "was saved from another model, scheme or step";
            let help = "restore what a simulation of the same scene saved";
            return Err(InputError::new(Code::BAD_CHECKPOINT, "state", message, help).into());
        }
        for (control, set) in controls.iter().zip(&saved.set) {
            control.dials.iter().zip(set).for_each(|(dial, &turn)| dial.put(turn));
        }
        self.angles.clone_from(&saved.angles);
        self.renew()
    }

    /// Puts the bodies elsewhere, at the present time; a new record begins there.
    pub fn place(&mut self, q: &[f64], v: &[f64]) -> Result<()> {
        if !self.simulation.place(q, v) {
            let state = self.simulation.state();
            let message = format!("needs {} coordinates and {} velocities, all finite", state.q.len(), state.v.len());
            return Err(InputError::new(Code::BAD_SHAPE, "state", message, "give arrays of these lengths").into());
        }
        self.angles = self.hinge_angles(q);
        self.driven = true;
        self.renew()
    }

    /// Back to the start, nothing set.
    pub fn reset(&mut self) -> Result<()> {
        let set = self.controls().iter().map(|control| vec![Turn::default(); control.dials.len()]).collect();
        self.driven = false;
        self.restore(&LiveState { run: self.first.clone(), set, angles: self.first_angles.clone() })
    }

    fn renew(&mut self) -> Result<()> {
        self.writer = record(&self.scenario)?;
        self.begin();
        Ok(())
    }

    /// What the steps since the record began came to; the simulation can go on.
    pub fn solution(&mut self) -> Result<(Scenario, Run, Kept)> {
        let statistics = self.simulation.statistics();
        let mut summary = Summary::new(
            &self.scenario,
            (&self.writer.audit, self.writer.contact_names()),
            self.writer.counts(),
            &statistics,
            self.wall_s,
        );
        if self.driven {
            let message = "values were set while it ran: the scenario alone does not reproduce the run".into();
            summary.warnings.push(Warning { code: Code::DRIVEN, message }.to_string());
        }
        let end = match &self.failure {
            None => RunEnd::Finished,
            Some(failure) => {
                summary.fail(Failure::new(failure, None));
                RunEnd::Failed(failure.clone())
            }
        };
        summary.held.clone_from(&self.held);
        let mut kept = self.writer.copied(&self.scenario).map_err(crate::run::boxed)?;
        if !self.inputs.is_empty() {
            kept.inputs = self.inputs.clone();
        }
        Ok((self.scenario.clone(), Run { end, summary }, kept))
    }
}

/// Tables in memory.
fn record(scenario: &Scenario) -> Result<RunWriter> {
    RunWriter::create(None, Some(0), scenario).map_err(crate::run::boxed)
}

/// The tables know of the start already, and count from there.
struct Started<'a>(&'a mut RunWriter, u64);

impl Recorder for Started<'_> {
    fn start(&mut self, _: &Start) -> std::result::Result<(), Stop> {
        Ok(())
    }

    fn record(&mut self, number: u64, step: &Step) -> std::result::Result<(), Stop> {
        self.0.record(number - self.1, step)
    }
}

/// A table in memory stops for an infinite energy only.
fn stopped(stop: Stop, state: &State) -> StepFailure {
    match stop {
        Stop::Failed(error) => match error.downcast::<StepFailure>() {
            Ok(failure) => *failure,
            Err(_) => StepFailure::no_energy(state.t, 0.0),
        },
        Stop::Interrupted => StepFailure::no_energy(state.t, 0.0),
    }
}
