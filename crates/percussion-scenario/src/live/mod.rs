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
use crate::run::checkpoint::End;
use crate::run::memory::{Cells, Kept};
use crate::run::summary::{Failure, Summary};
use crate::run::writer::RunWriter;
use crate::run::{Run, RunEnd};
use percussion_model::{Code, Dial, InputError, Turn};
use percussion_step::{
    Event, EventDetector, Outcome, Recorder, Saved, Simulation, Start, State, Step, StepFailure, Stop, Warning,
    step_count,
};
use std::ops::ControlFlow;
use std::sync::Arc;
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
    grip: Grip,
    /// What was set since the record began, its first state and when it was reached, and the hands that were on then.
    inputs: Cells,
    begun: u64,
    begun_at: State,
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
    /// The contacts in the order they were met, by which they are named.
    pub met: Vec<usize>,
}
percussion_step::packed! { LiveState { run, set, angles, met } }

impl LoadOptions {
    /// The same, for a simulation whose loads and drives can be set.
    pub fn live(self) -> Self {
        Self { live: true, ..self }
    }
}

impl Live {
    /// A scenario loaded with [`LoadOptions::live`], at t = 0.
    pub fn new(loaded: Loaded) -> Result<Self> {
        let Loaded { mut scenario, mut simulation } = loaded;
        // what another program set is not this one's
        simulation.driven_by(None);
        scenario.inputs = None;
        if scenario.adaptive.is_some() {
            let message = "a live simulation makes equal steps";
            return Err(InputError::new(Code::CONTRADICTION, "time.adaptive", message, "remove it").into());
        }
        let grip = Grip::new(&scenario, &mut simulation);
        let mut detector = EventDetector::new(scenario.model().n_contacts());
        detector.start(simulation.scheme(), scenario.model());
        let mut live = Self {
            grip,
            inputs: Cells::default(),
            begun: 0,
            begun_at: State::default(),
            held: Vec::new(),
            writer: record(&scenario)?,
            detector,
            events: Vec::new(),
            first: simulation.save(),
            angles: Vec::new(),
            first_angles: Vec::new(),
            failure: None,
            wall_s: 0.0,
            scenario,
            simulation,
        };
        live.angles = live.hinge_angles(&live.simulation.state().q);
        live.first_angles.clone_from(&live.angles);
        live.begin(Cells::new(INPUTS_HEADER, 0));
        Ok(live)
    }

    /// A new record begins at the present state, with what was set there before.
    fn begin(&mut self, inputs: Cells) {
        self.detector = EventDetector::new(self.scenario.model().n_contacts());
        self.detector.start(self.simulation.scheme(), self.scenario.model());
        self.begun = self.simulation.number();
        self.begun_at.clone_from(self.simulation.state());
        self.held = if inputs.is_empty() { Held::all(self.controls()) } else { Vec::new() };
        self.inputs = inputs;
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
        let met = self.writer.contact_names().order().to_vec();
        LiveState { run: self.simulation.save(), set: set.collect(), angles: self.angles.clone(), met }
    }

    /// Goes on from a saved state, to the same bits; a new record begins there.
    pub fn restore(&mut self, saved: &LiveState) -> Result<()> {
        let controls = &self.scenario.hands.controls;
        let same = saved.set.len() == controls.len()
            && controls.iter().zip(&saved.set).all(|(control, set)| control.dials.len() == set.len())
            && saved.angles.len() == self.angles.len();
        if !same || !self.simulation.restore(&saved.run) {
            let message = "was saved from another model, scheme or step";
            let help = "restore what a simulation of the same scene saved, with the same masses, springs and gravity; or place q and v alone";
            return Err(InputError::new(Code::BAD_CHECKPOINT, "state", message, help).into());
        }
        for (control, set) in controls.iter().zip(&saved.set) {
            control.dials.iter().zip(set).for_each(|(dial, &turn)| dial.put(turn));
        }
        self.angles.clone_from(&saved.angles);
        self.renew(&saved.met, Cells::new(INPUTS_HEADER, 0))
    }

    /// Puts the bodies elsewhere, at the present time; a new record begins there. Bodies that miss their joints by round-off are moved onto them, by more
    /// where `project` asks for it.
    pub fn place(&mut self, q: &[f64], v: &[f64], project: bool) -> Result<()> {
        self.simulation.place(q, v, project)?;
        self.angles = self.hinge_angles(&self.simulation.state().q);
        let met = self.writer.contact_names().order().to_vec();
        // at the start itself what was set before counts too
        let first = self.number() == 0 && self.begun == 0;
        let inputs = if first { std::mem::take(&mut self.inputs) } else { Cells::new(INPUTS_HEADER, 0) };
        self.renew(&met, inputs)
    }

    /// Back to the start, nothing set.
    pub fn reset(&mut self) -> Result<()> {
        let set = self.controls().iter().map(|control| vec![Turn::default(); control.dials.len()]).collect();
        let (run, angles) = (self.first.clone(), self.first_angles.clone());
        self.restore(&LiveState { run, set, angles, met: Vec::new() })
    }

    fn renew(&mut self, met: &[usize], inputs: Cells) -> Result<()> {
        self.writer = record(&self.scenario)?;
        self.writer.know(met);
        self.begin(inputs);
        Ok(())
    }

    /// Whether the record begins at the start, nothing set that it does not know of.
    fn is_whole(&self) -> bool {
        self.begun == 0 && self.held.is_empty()
    }

    /// The scenario of the record: it begins where the record does, ends where it does, and sets what was set. A record that begins in the middle has none.
    fn of_record(&self) -> Result<Scenario> {
        let mut scenario = self.scenario.clone();
        // a step that failed fails again
        let steps = self.number() - self.begun + u64::from(self.failure.is_some());
        scenario.end = steps as f64 * scenario.step;
        scenario.count = step_count(scenario.end, scenario.step)?;
        if self.is_whole() {
            let State { q, v, .. } = &self.begun_at;
            if *q != scenario.problem.q0 || *v != scenario.problem.v0 {
                (scenario.problem.q0, scenario.problem.v0) = (q.clone(), v.clone());
                scenario.continued = true;
            }
            scenario.inputs = (!self.inputs.is_empty()).then(|| Arc::new(self.inputs.clone()));
        }
        Ok(scenario)
    }

    /// What the steps since the record began came to; the simulation can go on.
    pub fn solution(&mut self) -> Result<(Scenario, Run, Kept)> {
        let statistics = self.simulation.statistics();
        let scenario = self.of_record()?;
        let mut summary = Summary::new(
            &scenario,
            (&self.writer.audit, self.writer.contact_names()),
            self.writer.counts(),
            &statistics,
            self.wall_s,
        );
        if !self.is_whole() {
            let message = format!(
                "the record begins where a state was assigned, at t = {} s: a run of its scenario.toml begins at t = 0 and is another one",
                self.begun_at.t
            );
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
        let ended = (self.is_whole() && self.failure.is_none() && self.number() > 0)
            .then(|| End::of(&mut self.writer, &self.simulation));
        let mut kept = self.writer.copied(&scenario).map_err(crate::run::boxed)?;
        if !self.inputs.is_empty() {
            kept.inputs = self.inputs.clone();
        }
        kept.end = ended;
        Ok((scenario, Run { end, summary }, kept))
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
