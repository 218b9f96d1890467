//! What a program set, step by step: kept in `inputs.csv`, and set again where the run is made again, gone on with or verified.

use crate::build::dials::Control;
use crate::build::load::Source;
use crate::build::scenario::Scenario;
use crate::build::scenario_folder::bytes;
use crate::error::{Result, ScenarioError};
use crate::run::csv_text;
use crate::run::folder::RunFolder;
use crate::run::memory::Cells;
use crate::run::table_reader::missing;
use percussion_model::{Code, Course, Dial, InputError, Turn};
use percussion_step::{Ability, Driver, Simulation};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The table.
pub const INPUTS: &str = "inputs.csv";
/// Set after `step`, at t; an empty value gives back what was written.
pub const INPUTS_HEADER: &str = "step,t,name,axis,value";

/// How values are set under a scheme.
#[derive(Clone, Copy, Debug)]
pub struct Grip {
    /// Whether the scheme carries loads from step to step: what is set then holds after the present time, not at it.
    carries: bool,
    /// Whether the scheme stops where an acceleration jumps and goes on behind it; the others look at the ends of steps.
    stops: bool,
    h: f64,
}

impl Grip {
    /// On a run at its start, nothing set.
    pub fn new(scenario: &Scenario, simulation: &mut Simulation) -> Self {
        Self {
            carries: carries_loads(scenario, simulation),
            stops: scenario.scheme.facts().has(Ability::StopsAtCorners),
            h: scenario.step,
        }
    }

    /// Sets one value at t, or gives it back.
    pub fn turn(&self, control: &Control, dial: &Dial, t: f64, value: Option<f64>) {
        match (control.moves, self.carries) {
            (true, _) => dial.move_on(t, self.h, value, !self.stops),
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

/// One number that was set: after so many steps, at t, of which control and axis; none gives back what was written.
#[derive(Clone, Copy, Debug)]
struct Row {
    step: u64,
    t: f64,
    control: usize,
    axis: usize,
    value: Option<f64>,
}

/// The table that a scenario names.
pub fn read_inputs(name: &str, source: &Source) -> Result<Arc<Cells>> {
    let (bytes, shown) = bytes(name, "inputs", source)?;
    parse(&String::from_utf8_lossy(&bytes), &shown).map(Arc::new)
}

fn parse(text: &str, shown: &str) -> Result<Cells> {
    let refuse = |line: usize, message: &str| {
        let error = ScenarioError::file(
            Code::BAD_RUN,
            shown,
            message,
            format!("write a heading {INPUTS_HEADER}, and such rows"),
        );
        Err(error.at_line(line, text.lines().nth(line - 1)))
    };
    let mut cells = Cells::new(INPUTS_HEADER, 0);
    if text.lines().next() != Some(INPUTS_HEADER) {
        return refuse(1, "is no table of inputs");
    }
    let mut latest = 0;
    for (i, line) in text.lines().enumerate().skip(1) {
        let words = csv_text::cells(line);
        let [step, t, name, axis, value] = &words[..] else { return refuse(i + 1, "has not five cells") };
        let numbers = (step.parse::<u64>(), t.parse::<f64>(), axis.parse::<u32>());
        let x = if value.is_empty() { Ok(f64::NAN) } else { value.parse::<f64>() };
        let (Ok(step), Ok(t), Ok(axis), Ok(x)) = (numbers.0, numbers.1, numbers.2, x) else {
            return refuse(i + 1, "has a cell that is no number");
        };
        if step < latest || !t.is_finite() || x.is_infinite() || (x.is_nan() && !value.is_empty()) {
            return refuse(i + 1, "has a number that is not finite, or a step before the one above");
        }
        latest = step;
        cells.values.extend([step as f64, t]);
        cells.word(name);
        cells.values.extend([f64::from(axis), x]);
    }
    Ok(cells)
}

/// The rows of a table, on the controls of a model.
fn rows(cells: &Cells, controls: &[Control]) -> Result<Vec<Row>> {
    let mut list = Vec::new();
    for row in cells.values.chunks_exact(5) {
        let name = cells.words.get(row[2] as usize).map_or("", String::as_str);
        let (axis, value) = (row[3] as usize, Some(row[4]).filter(|x| !x.is_nan()));
        let Some(control) = controls.iter().position(|c| c.name == name && axis < c.dials.len()) else {
            let message = format!("\"{name}\" is set, and this model has no such load, drive or motion");
            let help = "the scenario must be that of the simulation in which it was set";
            return Err(InputError::new(Code::BAD_NAME, "inputs", message, help).into());
        };
        list.push(Row { step: row[0] as u64, t: row[1], control, axis, value });
    }
    Ok(list)
}

/// Sets what a program set, in a run of the scenario that keeps it.
pub struct SetAgain {
    grip: Grip,
    controls: Vec<Control>,
    rows: Vec<Row>,
    /// Rows that have been set.
    done: usize,
}

impl SetAgain {
    /// On a run at its start.
    pub fn new(scenario: &Scenario, cells: &Cells, simulation: &mut Simulation) -> Result<Self> {
        if scenario.adaptive.is_some() {
            let message = "what was set step by step needs equal steps";
            return Err(InputError::new(Code::CONTRADICTION, "time.adaptive", message, "remove it").into());
        }
        let controls = scenario.hands.controls.clone();
        Ok(Self { grip: Grip::new(scenario, simulation), rows: rows(cells, &controls)?, controls, done: 0 })
    }
}

impl Driver for SetAgain {
    fn before_step(&mut self, number: u64) {
        while let Some(row) = self.rows.get(self.done).filter(|row| row.step <= number) {
            let control = &self.controls[row.control];
            self.grip.turn(control, &control.dials[row.axis], row.t, row.value);
            self.done += 1;
        }
    }
}

/// The inputs of a stored run on their way back into its model.
pub struct Replayed {
    grip: Grip,
    rows: Vec<Row>,
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
        for held in &run.summary.held {
            let control = controls.iter().find(|control| control.name == held.name);
            if let Some(dial) = control.and_then(|control| control.dials.get(held.axis)) {
                dial.put(held.turn());
            }
        }
        let mut list = Vec::new();
        if run.summary.tables.contains_key(INPUTS) {
            let path = run.folder.join(INPUTS);
            let file = path.display().to_string();
            let text = std::fs::read_to_string(&path).map_err(|error| missing(&file, &error))?;
            list = rows(&parse(&text, &file)?, controls)?;
        }
        Ok(Some(Self { grip, rows: list, next: 0 }))
    }

    /// Sets what was set between a row and the next one.
    pub fn go(&mut self, controls: &[Control], step: u64, t: f64) {
        while let Some(row) = self.rows.get(self.next).filter(|row| row.step <= step) {
            let control = &controls[row.control];
            self.grip.turn(control, &control.dials[row.axis], t, row.value);
            self.next += 1;
        }
    }
}
