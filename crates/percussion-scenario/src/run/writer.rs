//! The recorder behind a run folder: trajectory, contacts, ledger and events, streamed.
//!
//! With `every = n` a row stands for n steps: works, dissipation and impulses are summed, the residual of largest size
//! stays, and every contact that was in the index set of one of the steps gets a row. Memory does not grow with steps.

use crate::build::scenario::Scenario;
use crate::run::beam_table::SectionForces;
use crate::run::body_tables::{JointValues, Reactions, find_place, has_joint_tables, place_bodies, write_place};
use crate::run::contact_names::ContactNames;
use crate::run::folder::{TABLES, tables};
use crate::run::memory::{Cells, Kept};
use crate::run::momentum_table::Momenta;
use crate::run::names::{NAMES_HEADER, name_rows};
use crate::run::selection::Selection;
use crate::run::solid_contacts::SolidContacts;
use crate::run::table::{Table, Written};
use percussion_model::Code;
use percussion_model::bodies::Frame;
use percussion_step::{
    Audit, ContactPlace, ContactState, EventCounts, EventDetector, EventKind, Guarantee, LedgerEntry, LocatedEvent,
    Model, Pack, PackPart, Recorder, Simulation, Start, State, Step, StepFailure, Stop, Tangential, packed,
};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Writes the tables of a run and watches its certificates.
pub struct RunWriter {
    model: Model,
    /// Whether the residual is that of an identity; a measured balance is left empty.
    identity: bool,
    every: u64,
    selection: Selection,
    /// What the contacts met so far are called.
    names: ContactNames,
    trajectory: Table,
    contacts: Table,
    ledger: Table,
    events: Table,
    /// Of bodies.
    momentum: Option<Table>,
    momenta: Momenta,
    /// Of jointed bodies.
    reactions: Option<Table>,
    joints: Option<Table>,
    reacted: Reactions,
    joint_values: JointValues,
    /// Of beams and cables.
    beams: Option<Table>,
    sections: SectionForces,
    /// Where the contacts of a solid are.
    solid: Option<SolidContacts>,
    /// Where the bodies are, for the tables of joints and for schemes that do not tell where contacts are.
    frames: Vec<Frame>,
    detector: EventDetector,
    /// The certificates.
    pub audit: Audit,
    skipped: Skipped,
}

/// Tells of every step; an answer of false ends the run.
pub struct Watch<'a>(pub &'a mut dyn FnMut(u64, f64) -> bool);

impl Recorder for Watch<'_> {
    fn start(&mut self, _: &Start) -> Result<(), Stop> {
        Ok(())
    }

    fn record(&mut self, number: u64, step: &Step) -> Result<(), Stop> {
        if (self.0)(number, step.after.t) { Ok(()) } else { Err(Stop::Interrupted) }
    }
}

/// What the steps since the last row leave behind.
#[derive(Default)]
struct Skipped {
    number: u64,
    ledger: Option<LedgerEntry>,
    state: State,
    /// The contacts that were in an index set: impulses summed, what they did when they last pushed, the rest as last seen.
    contacts: BTreeMap<usize, SkippedContact>,
}

/// What a contact did in the steps since the last row.
#[derive(Clone, Copy)]
struct SkippedContact {
    state: ContactState,
    along: Tangential,
    place: Option<ContactPlace>,
    /// The time it pushed [s]; none where an impact was located, which takes no time.
    acted: Option<f64>,
}
packed! { SkippedContact { state, along, place, acted } }

/// A file that could not be written.
#[derive(Debug)]
pub struct Unwritable {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub error: std::io::Error,
}

impl std::fmt::Display for Unwritable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.error)
    }
}

impl std::error::Error for Unwritable {}

impl RunWriter {
    /// Creates the tables in a folder, in memory with room for so many rows, or in both.
    pub fn create(folder: Option<&Path>, keep: Option<usize>, scenario: &Scenario) -> Result<Self, Unwritable> {
        let table = |(name, header): (&'static str, String)| {
            // states and ledger have a row for every step kept
            let rows = keep.filter(|_| name == TABLES[0] || name == TABLES[2]).unwrap_or(0);
            let cells = keep.map(|_| Cells::new(&header, rows));
            Table::create(folder, cells, name, &header)
                .map_err(|error| Unwritable { path: folder.unwrap_or(Path::new("")).join(name), error })
        };
        let tables = tables(scenario.model(), &scenario.selection);
        let tables: Vec<Table> = tables.into_iter().map(table).collect::<Result<_, _>>()?;
        Ok(Self::with(tables, scenario, Audit::new(), true))
    }

    /// A writer into these tables, in the order of `tables`.
    fn with(tables: Vec<Table>, scenario: &Scenario, audit: Audit, identity: bool) -> Self {
        let model = scenario.model();
        let mut tables = tables.into_iter();
        let mut next = || tables.next().expect("four tables at least");
        let (trajectory, contacts, ledger, events) = (next(), next(), next(), next());
        let bodies = model.bodies();
        let jointed = bodies.is_some_and(|scene| has_joint_tables(scene));
        let planar = model.momentum_is_planar();
        let momentum = planar.and_then(|_| tables.next());
        let [reactions, joints] = [(); 2].map(|()| if jointed { tables.next() } else { None });
        Self {
            every: scenario.every,
            selection: scenario.selection.clone(),
            names: ContactNames::default(),
            trajectory,
            contacts,
            ledger,
            events,
            momentum,
            momenta: Momenta::new(planar.unwrap_or(false)),
            reactions,
            joints,
            beams: tables.next(),
            sections: SectionForces::default(),
            reacted: Reactions::default(),
            joint_values: JointValues::default(),
            solid: scenario.description.solid().map(|solid| SolidContacts::new(&solid.solid, scenario.model())),
            frames: Vec::new(),
            detector: EventDetector::new(model.n_contacts()),
            audit,
            skipped: Skipped::default(),
            model: model.clone(),
            identity,
        }
    }

    /// Goes on with the tables of a folder after what a checkpoint vouches for; `simulation` is still at t = 0.
    pub fn go_on(
        folder: &Path,
        written: &[Written],
        scenario: &Scenario,
        simulation: &Simulation,
    ) -> Result<Self, Unwritable> {
        let model = scenario.model();
        let names = tables(model, &scenario.selection);
        let misfit = || Unwritable { path: folder.into(), error: ErrorKind::InvalidData.into() };
        if names.len() != written.len() {
            return Err(misfit());
        }
        let table = |((name, _), written): (&(&'static str, String), &Written)| {
            Table::go_on(folder, name, *written).map_err(|error| Unwritable { path: folder.join(name), error })
        };
        let tables: Vec<Table> = names.iter().zip(written).map(table).collect::<Result<_, _>>()?;
        let mut audit = Audit::new();
        // an audit keeps, it does not write: nothing here can fail
        let _ = simulation.tell_start(&mut audit);
        let identity = Guarantee::new(simulation.scheme(), model).has_identity();
        Ok(Self::with(tables, scenario, audit, identity))
    }

    /// Whether what was read from a checkpoint speaks of this model.
    fn sound(&self) -> bool {
        let Skipped { ledger, state, contacts, .. } = &self.skipped;
        let sizes = state.q.len() == self.model.n_q() && state.v.len() == self.model.n_v();
        (ledger.is_none() || sizes)
            && contacts.keys().all(|&id| self.model.knows_contact(id))
            && (self.beams.is_none() || self.model.bodies().is_some_and(|scene| self.sections.fits(scene)))
            && self.audit.fits(&self.model)
            && self.detector.fits(&self.model)
    }

    /// Hands every table to the disk and says how much there is.
    pub fn sync(&mut self) -> Result<Vec<Written>, Unwritable> {
        for table in self.tables() {
            table.sync().map_err(|error| Unwritable { path: table.path().into(), error })?;
        }
        Ok(self.written())
    }

    /// Hands every table to the system and says how much there is.
    pub fn flush(&mut self) -> Result<Vec<Written>, Unwritable> {
        for table in self.tables() {
            table.flush().map_err(|error| Unwritable { path: table.path().into(), error })?;
        }
        Ok(self.written())
    }

    /// Lengths and checksums of the tables, as far as they were handed to the system.
    pub fn written(&mut self) -> Vec<Written> {
        self.tables().into_iter().map(|table| table.written().unwrap_or_default()).collect()
    }

    /// Whether its tables are in memory.
    pub fn is_kept(&self) -> bool {
        self.trajectory.cells().is_some()
    }

    /// Rows of the tables in memory.
    pub fn rows(&mut self) -> Vec<u64> {
        self.tables().into_iter().map(|table| table.cells().map_or(0, |cells| cells.len() as u64)).collect()
    }

    fn tables(&mut self) -> Vec<&mut Table> {
        let mut tables = vec![&mut self.trajectory, &mut self.contacts, &mut self.ledger, &mut self.events];
        tables
            .extend(self.momentum.iter_mut().chain(&mut self.reactions).chain(&mut self.joints).chain(&mut self.beams));
        tables
    }

    /// The tables in memory, empty where none were kept.
    pub fn kept(&mut self, scenario: &Scenario) -> Kept {
        self.collected(scenario, |table| table.take_cells().unwrap_or_default())
    }

    /// The tables in memory as they would be if the run ended here; the run goes on.
    pub fn copied(&mut self, scenario: &Scenario) -> Result<Kept, Unwritable> {
        if self.skipped.ledger.is_none() {
            return Ok(self.collected(scenario, |table| table.cells().cloned().unwrap_or_default()));
        }
        // the row of a thinned table that waits for its steps is written, and taken back with all it used up
        let mut waiting = Vec::new();
        self.pack_part(&mut waiting);
        let cells: Vec<Option<Cells>> = self.tables().into_iter().map(|table| table.cells().cloned()).collect();
        self.write_skipped()?;
        let kept = self.collected(scenario, |table| table.take_cells().unwrap_or_default());
        self.tables().into_iter().zip(cells).for_each(|(table, cells)| table.put_cells(cells));
        match self.unpack_part(&mut &waiting[..]) {
            Some(()) => Ok(kept),
            None => Err(Unwritable { path: PathBuf::new(), error: ErrorKind::InvalidData.into() }),
        }
    }

    fn collected(&mut self, scenario: &Scenario, cells: impl Fn(&mut Table) -> Cells) -> Kept {
        let (bodies, jointed) = (self.momentum.is_some(), self.reactions.is_some());
        let mut tables = self.tables().into_iter().map(cells);
        let mut next = || tables.next().unwrap_or_default();
        let (trajectory, contacts, ledger, events) = (next(), next(), next(), next());
        let momentum = if bodies { next() } else { Cells::default() };
        let [reactions, joints] = [(); 2].map(|()| if jointed { next() } else { Cells::default() });
        let beams = next();
        drop(tables);
        let names = match trajectory.columns.is_empty() {
            true => Cells::default(),
            false => Cells::of_words(NAMES_HEADER, name_rows(scenario, &self.names)),
        };
        Kept {
            trajectory,
            contacts,
            ledger,
            events,
            momentum,
            reactions,
            joints,
            beams,
            inputs: scenario.inputs.as_ref().map_or_else(Cells::default, |inputs| (**inputs).clone()),
            names,
            end: None,
        }
    }

    /// Names contacts that were met before the record began, in that order.
    pub fn know(&mut self, met: &[usize]) {
        met.iter().filter(|&&id| self.model.knows_contact(id)).for_each(|&id| self.names.meet(&self.model, id));
    }

    /// What the contacts met so far are called.
    pub fn contact_names(&self) -> &ContactNames {
        &self.names
    }

    /// Events so far.
    pub fn counts(&self) -> EventCounts {
        self.detector.counts
    }

    /// Writes the steps that are still waiting for their row, and flushes all tables.
    pub fn finish(&mut self) -> Result<(), Unwritable> {
        self.write_skipped()?;
        for table in self.tables() {
            table.flush().map_err(|error| Unwritable { path: table.path().into(), error })?;
        }
        Ok(())
    }

    fn write_state(
        &mut self,
        number: u64,
        t: f64,
        q: &[f64],
        v: &[f64],
        entry: &LedgerEntry,
    ) -> Result<(), Unwritable> {
        self.trajectory.number(t);
        for &k in &self.selection.q {
            self.trajectory.number(q[k]);
        }
        for &k in &self.selection.v {
            self.trajectory.number(v[k]);
        }
        ended(&mut self.trajectory)?;
        self.ledger.integer(number).number(t);
        for x in [
            entry.kinetic,
            entry.potential,
            entry.energy(),
            entry.algorithmic_energy,
            entry.work_external,
            entry.work_damping,
            entry.work_contact,
            entry.work_joints,
            entry.dissipation_numerical,
        ] {
            self.ledger.number(x);
        }
        if self.identity {
            self.ledger.number(entry.balance);
        } else {
            self.ledger.word("");
        }
        for work in [entry.work_projection, entry.work_external_plain, entry.work_motors] {
            match work {
                Some(work) => self.ledger.number(work),
                None => self.ledger.word(""),
            };
        }
        ended(&mut self.ledger)?;
        let Some(table) = &mut self.momentum else { return Ok(()) };
        self.momenta.row(table, number, t);
        ended(table)
    }

    /// `pushed`: where the contact is, and the time it acted.
    fn write_contact(
        &mut self,
        (number, t): (u64, f64),
        c: &ContactState,
        along: Option<&Tangential>,
        (place, acted): (Option<ContactPlace>, Option<f64>),
    ) -> Result<(), Unwritable> {
        self.names.meet(&self.model, c.id);
        if !self.selection.contact(&self.model, &self.names, c.id) {
            return Ok(());
        }
        let table = &mut self.contacts;
        let none = Tangential { status: c.status(), ..Default::default() };
        let along = along.unwrap_or(&none);
        let tangents = |table: &mut Table, x: [f64; 2]| {
            for (k, x) in x.into_iter().enumerate() {
                if k < along.n {
                    table.number(x)
                } else {
                    table.word("")
                };
            }
        };
        table.integer(number).number(t).integer(c.id as u64).number(c.gap).number(c.u_after);
        tangents(table, along.u_after);
        table.number(c.p);
        tangents(table, along.p);
        table.word(along.status.as_str());
        if self.model.has_rolling() {
            for x in [along.w_after, along.m] {
                for (k, x) in x.into_iter().enumerate() {
                    if k < along.n_rolling {
                        table.number(x)
                    } else {
                        table.word("")
                    };
                }
            }
        }
        let p = [c.p, along.p[0], along.p[1]];
        if let Some(scene) = self.model.bodies() {
            write_place(table, scene, place.as_ref(), acted.map(|_| p), acted.unwrap_or(0.0));
        }
        if let Some(solid) = &self.solid {
            solid.write(table, c.id, p, acted.unwrap_or(0.0), along.n);
        }
        ended(table)
    }

    /// Where the k-th contact of a step is, and the time it acted; impacts that were located take none.
    fn pushed(&mut self, step: &Step, k: usize) -> (Option<ContactPlace>, Option<f64>) {
        let Some(scene) = self.model.bodies() else {
            let acted = if step.contacts[k].p != 0.0 { step.h } else { 0.0 };
            return (None, self.solid.is_some().then_some(acted));
        };
        let (c, told) = (&step.contacts[k], step.places.len() == step.contacts.len());
        // steps do not tell where stops are
        let place = step.places.get(k).copied().filter(|place| told && place.at.is_some());
        let place = place.or_else(|| find_place(scene, c.id as u64, &step.after.q, &mut self.frames));
        let hit = |e: &LocatedEvent| e.kind == EventKind::Impact && e.contact == c.id;
        let impact = step.located && step.events.iter().any(hit);
        (place, (!impact).then_some(if c.p != 0.0 { step.h } else { 0.0 }))
    }

    /// Takes the displacements of a solid at a state in which something touches.
    fn place_solid(&mut self, state: &State, nothing: bool) {
        if let Some(solid) = self.solid.as_mut().filter(|_| !nothing) {
            solid.place(state);
        }
    }

    /// Joints of a step: their reactions, and how far they have come.
    fn follow_joints(&mut self, step: &Step) {
        let Some(scene) = self.model.bodies().filter(|_| self.joints.is_some()) else { return };
        self.reacted.add(&step.reactions, step.h);
        place_bodies(scene, &step.after.q, &mut self.frames);
        self.joint_values.follow(scene, &self.frames, &step.turns);
    }

    /// The rows of the joints at a state.
    fn write_joints(&mut self, number: u64, t: f64, q: &[f64], v: &[f64]) -> Result<(), Unwritable> {
        let Self {
            model,
            reactions: Some(reactions),
            joints: Some(joints),
            reacted,
            joint_values,
            frames,
            selection,
            ..
        } = self
        else {
            return Ok(());
        };
        let chosen = |j: usize| selection.joint(j);
        let Some(scene) = model.bodies() else { return Ok(()) };
        place_bodies(scene, q, frames);
        reacted
            .write(reactions, scene, (number, t), chosen)
            .map_err(|error| Unwritable { path: reactions.path().into(), error })?;
        let written = joint_values.write(joints, scene, (number, t), frames, |i| scene.twist(i, v), chosen);
        written.map_err(|error| Unwritable { path: joints.path().into(), error })
    }

    /// The rows of beams.
    fn write_beams(&mut self, number: u64, t: f64) -> Result<(), Unwritable> {
        let Self { model, beams: Some(table), sections, selection, .. } = self else { return Ok(()) };
        let Some(scene) = model.bodies() else { return Ok(()) };
        let written = sections.write(table, scene, (number, t), selection);
        written.map_err(|error| Unwritable { path: table.path().into(), error })
    }

    /// Remembers a step that gets no row of its own.
    fn skip(&mut self, number: u64, step: &Step) {
        let skipped = &mut self.skipped;
        skipped.number = number;
        match &mut skipped.ledger {
            Some(sum) => sum.accumulate(&step.ledger),
            None => skipped.ledger = Some(step.ledger),
        }
        skipped.state.clone_from(&step.after);
        for (k, c) in step.contacts.iter().enumerate() {
            let now = step.friction.get(k).copied().unwrap_or_default();
            let (place, acted) = self.pushed(step, k);
            let blank = SkippedContact {
                state: ContactState { p: 0.0, ..*c },
                along: Tangential::default(),
                place,
                acted: Some(0.0),
            };
            let SkippedContact { state, along, .. } = *self.skipped.contacts.get(&c.id).unwrap_or(&blank);
            let before = self.skipped.contacts.get(&c.id).unwrap_or(&blank).acted;
            let p = [along.p[0] + now.p[0], along.p[1] + now.p[1]];
            let status = if c.p > 0.0 { now.status } else { along.status };
            let m = [along.m[0] + now.m[0], along.m[1] + now.m[1]];
            let sum = SkippedContact {
                state: ContactState { p: state.p + c.p, ..*c },
                along: Tangential { p, m, status, ..now },
                place,
                acted: before.zip(acted).map(|(a, b)| a + b),
            };
            self.skipped.contacts.insert(c.id, sum);
        }
    }

    /// The row of the steps remembered.
    fn write_skipped(&mut self) -> Result<(), Unwritable> {
        let Some(entry) = self.skipped.ledger.take() else { return Ok(()) };
        let number = self.skipped.number;
        let state = std::mem::take(&mut self.skipped.state);
        let contacts = std::mem::take(&mut self.skipped.contacts);
        self.write_state(number, state.t, &state.q, &state.v, &entry)?;
        self.write_joints(number, state.t, &state.q, &state.v)?;
        self.write_beams(number, state.t)?;
        self.place_solid(&state, contacts.is_empty());
        for (id, SkippedContact { state: mut contact, mut along, place, acted }) in contacts {
            // contacts of bodies may be gone by now: they stay as last seen
            if !self.model.contacts_vary() {
                contact.gap = self.model.gap(id, &state.q, state.t);
                contact.u_after = self.model.gap_rate(id, &state.q, &state.v, state.t);
                along.u_after = self.model.tangent_rate(id, &state.q, &state.v);
            }
            // a landing may be given back in a later step than the one that pushed: nothing is left of it in sum
            if contact.p <= 0.0 {
                along.status = contact.status();
            }
            self.write_contact((number, state.t), &contact, (along.n > 0).then_some(&along), (place, acted))?;
        }
        self.skipped.state = state;
        Ok(())
    }

    /// Of the contacts that are kept, where any is named.
    fn write_events(&mut self, number: u64, step: &Step) -> Result<(), Unwritable> {
        let Self { events, detector, selection, model, names, .. } = self;
        let all = !selection.names_contacts();
        let mut result = Ok(());
        detector.step(number, step, |event| {
            if result.is_err() || !(all || selection.contact(model, names, event.contact)) {
                return;
            }
            events.number(event.t).integer(event.step).word(event.kind.as_str()).integer(event.contact as u64);
            for u in [event.u_before, event.u_after] {
                match u {
                    Some(u) => events.number(u),
                    None => events.word(""),
                };
            }
            events.number(event.p);
            result = ended(events);
        });
        result
    }
}

fn ended(table: &mut Table) -> Result<(), Unwritable> {
    table.end().map_err(|error| Unwritable { path: table.path().into(), error })
}

fn failed(error: Unwritable) -> Stop {
    Stop::Failed(Box::new(error))
}

/// Energies of a finite state may still overflow; no file shows an infinity.
fn overflow(entry: &LedgerEntry) -> bool {
    let sum = entry.energy() + entry.algorithmic_energy + entry.work_external + entry.work_damping;
    !(sum + entry.created() + entry.work_contact.abs() + entry.work_joints.abs() + entry.balance).is_finite()
}

fn infinite(t: f64, h: f64, message: &str, help: &str) -> Stop {
    let (message, help) = (message.into(), help.into());
    Stop::Failed(Box::new(StepFailure { code: Code::NOT_FINITE_STATE, t, h, message, help, problem: None }))
}

impl Recorder for RunWriter {
    fn start(&mut self, start: &Start) -> Result<(), Stop> {
        if overflow(start.ledger) {
            let help = "choose units in which the numbers are nearer to one";
            return Err(infinite(start.state.t, 0.0, "the energy of the initial state is infinite", help));
        }
        self.audit.start(start)?;
        self.detector.start(start.scheme, start.model);
        self.identity = Guarantee::new(start.scheme, start.model).has_identity();
        let state = start.state;
        self.momenta.start(start.model, state);
        self.write_state(0, state.t, &state.q, &state.v, start.ledger).map_err(failed)?;
        if let Some(scene) = self.model.bodies().filter(|_| self.joints.is_some()) {
            place_bodies(scene, &state.q, &mut self.frames);
            self.joint_values.follow(scene, &self.frames, &[]);
        }
        if let Some(scene) = self.model.bodies().filter(|_| self.beams.is_some()) {
            self.sections.start(scene, &state.q);
        }
        self.write_joints(0, state.t, &state.q, &state.v).map_err(failed)?;
        self.write_beams(0, state.t).map_err(failed)
    }

    fn record(&mut self, number: u64, step: &Step) -> Result<(), Stop> {
        if overflow(&step.ledger) {
            let help = "reduce the step, or use a scheme with a guarantee";
            return Err(infinite(step.after.t - step.h, step.h, "the energy became infinite", help));
        }
        self.audit.record(number, step)?;
        self.write_events(number, step).map_err(failed)?;
        self.momenta.take(&self.model, step);
        self.follow_joints(step);
        if let Some(scene) = self.model.bodies().filter(|_| self.beams.is_some()) {
            self.sections.take(scene, step);
        }
        if self.every == 1 {
            self.write_state(number, step.after.t, &step.after.q, &step.after.v, &step.ledger).map_err(failed)?;
            self.write_joints(number, step.after.t, &step.after.q, &step.after.v).map_err(failed)?;
            self.write_beams(number, step.after.t).map_err(failed)?;
            self.place_solid(&step.after, step.contacts.is_empty());
            for (k, c) in step.contacts.iter().enumerate() {
                let pushed = self.pushed(step, k);
                self.write_contact((number, step.after.t), c, step.friction.get(k), pushed).map_err(failed)?;
            }
        } else {
            self.skip(number, step);
            if number.is_multiple_of(self.every) {
                self.write_skipped().map_err(failed)?;
            }
        }
        Ok(())
    }
}

impl PackPart for RunWriter {
    fn pack_part(&self, out: &mut Vec<u8>) {
        self.audit.pack_part(out);
        self.detector.pack(out);
        let Skipped { number, ledger, state, contacts } = &self.skipped;
        (*number, *ledger).pack(out);
        state.pack(out);
        let contacts: Vec<SkippedContact> = contacts.values().copied().collect();
        contacts.pack(out);
        self.reacted.pack(out);
        self.joint_values.pack(out);
        self.names.pack(out);
        self.momenta.pack_part(out);
        self.sections.pack_part(out);
    }

    fn unpack_part(&mut self, from: &mut &[u8]) -> Option<()> {
        self.audit.unpack_part(from)?;
        self.detector = Pack::unpack(from)?;
        let (number, ledger) = Pack::unpack(from)?;
        let state = Pack::unpack(from)?;
        let contacts: Vec<SkippedContact> = Pack::unpack(from)?;
        let contacts = contacts.into_iter().map(|contact| (contact.state.id, contact)).collect();
        self.reacted = Pack::unpack(from)?;
        self.joint_values = Pack::unpack(from)?;
        self.names = ContactNames::unpack(&self.model, from)?;
        self.skipped = Skipped { number, ledger, state, contacts };
        self.momenta.unpack_part(from)?;
        self.sections.unpack_part(from)?;
        self.sound().then_some(())
    }
}
