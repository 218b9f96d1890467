//! What a program set, step by step: kept in `inputs.csv`, and set again where a run is verified.

use crate::build::dials::Control;
use crate::build::scenario::Scenario;
use crate::error::Result;
use crate::run::folder::RunFolder;
use crate::run::memory::Cells;
use crate::run::table_reader::TableReader;
use percussion_model::{Course, Dial, Turn};
use percussion_step::{Ability, Simulation};
use serde::{Deserialize, Serialize};

/// The table.
pub const INPUTS: &str = "inputs.csv";
/// Set after `step`, at t; an empty value gives back what was written.
pub const INPUTS_HEADER: &str = "step,t,name,axis,value";

/// How values are set under a scheme.
#[derive(Clone, Copy, Debug)]
pub struct Grip {
    /// Whether the scheme carries loads from step to step: what is set then holds after the present time, not at it.
    carries: bool,
    /// Whoever locates events stops where an acceleration jumps and goes on behind it; the others look at the ends of steps.
    located: bool,
    h: f64,
}

impl Grip {
    /// On a run at its start, nothing set.
    pub fn new(scenario: &Scenario, simulation: &mut Simulation) -> Self {
        Self {
            carries: carries_loads(scenario, simulation),
            located: scenario.scheme.facts().has(Ability::LocatesEvents),
            h: scenario.step,
        }
    }

    /// Sets one value at t, or gives it back.
    pub fn turn(&self, control: &Control, dial: &Dial, t: f64, value: Option<f64>) {
        match (control.moves, self.carries) {
            (true, _) => dial.move_on(t, self.h, value, !self.located),
            (false, true) => dial.set_after(t, value),
            (false, false) => dial.set(value),
        }
    }
}

/// Whether what the scheme carries at the start depends on the loads of that moment.
fn carries_loads(scenario: &Scenario, simulation: &mut Simulation) -> bool {
    let loads = || scenario.hands.controls.iter().filter(|control| !control.moves);
    let dials = || loads().flat_map(|control| &control.dials);
    let quiet = simulation.begun_here();
    dials().for_each(|dial| dial.set(Some(dial.written().at(0.0) + 1.0)));
    let pushed = simulation.begun_here();
    dials().for_each(|dial| dial.set(None));
    quiet.carried != pushed.carried
}

/// A row for each number of a control.
pub fn note(inputs: &mut Cells, (step, t): (u64, f64), control: &Control, values: impl Iterator<Item = Option<f64>>) {
    for (axis, value) in values.enumerate() {
        inputs.values.extend([step as f64, t]);
        inputs.word(&control.name);
        inputs.values.extend([axis as f64, value.unwrap_or(f64::NAN)]);
    }
}

/// A hand that was on when the record began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Held {
    name: String,
    axis: usize,
    /// written, since, place, rate, later, over.
    now: [f64; 6],
    before: [f64; 6],
    /// None at all times.
    after: Option<f64>,
}

impl Held {
    /// All that are on.
    pub fn all(controls: &[Control]) -> Vec<Self> {
        let mut list = Vec::new();
        for control in controls {
            let turned = control.dials.iter().map(Dial::turn).enumerate();
            for (axis, turn) in turned.filter(|(_, turn)| *turn != Turn::default()) {
                let numbers = |c: Course| [f64::from(u8::from(c.written)), c.since, c.place, c.rate, c.later, c.over];
                let after = Some(turn.after).filter(|t| t.is_finite());
                let (now, before) = (numbers(turn.now), numbers(turn.before));
                list.push(Self { name: control.name.clone(), axis, now, before, after });
            }
        }
        list
    }

    fn turn(&self) -> Turn {
        let course = |[written, since, place, rate, later, over]: [f64; 6]| Course {
            written: written != 0.0,
            since,
            place,
            rate,
            later,
            over,
        };
        let after = self.after.unwrap_or(f64::NEG_INFINITY);
        Turn { now: course(self.now), before: course(self.before), after }
    }
}

/// The inputs of a stored run on their way back into its model.
pub struct Replayed {
    grip: Grip,
    /// Step, control, axis, value.
    rows: Vec<(u64, usize, usize, Option<f64>)>,
    next: usize,
}

impl Replayed {
    /// Of a folder; the hands that were on when the record began are on again. None where nothing was set.
    pub fn open(run: &mut RunFolder) -> Result<Option<Self>> {
        if !run.was_driven() {
            return Ok(None);
        }
        let grip = Grip::new(&run.loaded.scenario, &mut run.loaded.simulation);
        let controls = &run.loaded.scenario.hands.controls;
        let place = |name: &str| controls.iter().position(|control| control.name == name);
        for held in &run.summary.held {
            if let Some(dial) = place(&held.name).and_then(|k| controls[k].dials.get(held.axis)) {
                dial.put(held.turn());
            }
        }
        let mut rows = Vec::new();
        if run.summary.tables.contains_key(INPUTS) {
            let mut table = TableReader::open(&run.folder, INPUTS, INPUTS_HEADER)?;
            while table.next()? {
                let (step, axis) = (table.number(0)? as u64, table.number(3)? as usize);
                let value = if table.is_empty(4) { None } else { Some(table.number(4)?) };
                match place(table.word(2)).filter(|&k| axis < controls[k].dials.len()) {
                    Some(control) => rows.push((step, control, axis, value)),
                    None => return table.refuse("nothing of this name can be set", "run the program again"),
                }
            }
        }
        Ok(Some(Self { grip, rows, next: 0 }))
    }

    /// Sets what was set between a row and the next one.
    pub fn go(&mut self, controls: &[Control], step: u64, t: f64) {
        while let Some(&(_, control, axis, value)) = self.rows.get(self.next).filter(|(at, ..)| *at <= step) {
            let control = &controls[control];
            self.grip.turn(control, &control.dials[axis], t, value);
            self.next += 1;
        }
    }
}
