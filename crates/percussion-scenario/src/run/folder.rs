//! A finished run read back: its summary, its scenario and its rows in the order of time.

use crate::build::attachments::Attachments;
use crate::build::load::{LoadOptions, Loaded, Source};
use crate::error::{Result, ScenarioError};
use crate::live::inputs::{INPUTS, INPUTS_HEADER};
use crate::run::approach::{GAPS, GAPS_HEADER};
use crate::run::beam_table::{BEAMS, BEAMS_HEADER};
use crate::run::body_tables::{JOINTS, PLACES, REACTIONS, has_joint_tables};
use crate::run::contact_names::ContactNames;
use crate::run::momentum_table::{MOMENTUM, momentum_header};
use crate::run::names::{NAMES, NAMES_HEADER};
use crate::run::selection::Selection;
use crate::run::solid_contacts::PRESSURE;
use crate::run::summary::Summary;
use crate::run::table_reader::{TableReader, missing};
use percussion_model::Code;
use percussion_step::{ContactPlace, ContactState, ContactStatus, LedgerEntry, Model, State, Tangential};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Headers of the tables that do not depend on the model.
const CONTACTS: &str = "step,t,contact,gap,u_n,u_t1,u_t2,p_n,p_t1,p_t2,status";
/// Columns every `contacts.csv` has.
const CONTACT_COLUMNS: usize = 11;
/// What `contacts.csv` has more where rolling is resisted.
const ROLLING: &str = ",w_1,w_2,m_1,m_2";
/// Header of `ledger.csv`.
pub const LEDGER: &str = "step,t,kinetic,potential,energy,algorithmic_energy,work_external,work_damping,work_contact,work_joints,dissipation_numerical,residual,work_projection,work_external_plain,work_motors";
/// Columns every `ledger.csv` has.
const LEDGER_COLUMNS: usize = 12;
/// Header of `events.csv`.
pub const EVENTS: &str = "t,step,kind,contact,u_n_before,u_n_after,p_n";
/// The tables of a run.
pub const TABLES: [&str; 4] = ["trajectory.csv", "contacts.csv", "ledger.csv", "events.csv"];

/// The tables that a folder of a run of this model holds: version 0.1 wrote none of those of bodies.
pub fn tables_in(folder: &Path, model: &Model, selection: &Selection) -> Vec<(&'static str, String)> {
    let mut list = tables(model, selection);
    list.retain(|(name, _)| !BODY_TABLES.contains(name) || folder.join(name).exists());
    list
}

/// Those with what stands beside them: names, contacts that approach, what a program set.
pub fn all_tables_in(folder: &Path, model: &Model, selection: &Selection) -> Vec<(&'static str, String)> {
    let mut list = tables_in(folder, model, selection);
    let beside = [(NAMES, NAMES_HEADER), (GAPS, GAPS_HEADER), (INPUTS, INPUTS_HEADER)];
    let there = beside.into_iter().filter(|(name, _)| folder.join(name).exists());
    list.extend(there.map(|(name, header)| (name, header.to_string())));
    list
}

/// Every table that the folder of a run may hold.
pub fn table_names() -> impl Iterator<Item = &'static str> {
    TABLES.into_iter().chain(BODY_TABLES).chain([NAMES, GAPS, INPUTS])
}

/// Those that only bodies have: two where there are joints, the last where there are beams.
pub const BODY_TABLES: [&str; 4] = [MOMENTUM, "reactions.csv", "joints.csv", BEAMS];

/// Header of `trajectory.csv` for the coordinates and velocities that are kept.
pub fn trajectory_header(selection: &Selection) -> String {
    let names = |letter: &'static str, list: &[usize]| list.iter().map(|i| format!(",{letter}{i}")).collect::<String>();
    format!("t{}{}", names("q", &selection.q), names("v", &selection.v))
}

/// Header of `contacts.csv`: relative angular velocities and moments of rolling friction where a model has these.
pub fn contacts_header(model: &Model) -> String {
    let solid = model.is_of_elements();
    let places = if model.bodies().is_some() || solid { PLACES } else { "" };
    format!("{}{places}{}", laws_header(model), if solid { PRESSURE } else { "" })
}

/// The columns of `contacts.csv` that speak of the contact's laws, as the page has them.
pub fn laws_header(model: &Model) -> String {
    let rolling = if model.has_rolling() { ROLLING } else { "" };
    format!("{CONTACTS}{rolling}")
}

/// The tables of a run of this model with their headers.
pub fn tables(model: &Model, selection: &Selection) -> Vec<(&'static str, String)> {
    let trajectory = trajectory_header(selection);
    let headers = [trajectory, contacts_header(model), LEDGER.to_string(), EVENTS.to_string()];
    let mut tables: Vec<_> = TABLES.into_iter().zip(headers).collect();
    if model.momentum_is_planar().is_some() {
        tables.push((MOMENTUM, momentum_header()));
    }
    if model.bodies().is_some_and(|scene| has_joint_tables(scene)) {
        tables.extend([("reactions.csv", REACTIONS.to_string()), ("joints.csv", JOINTS.to_string())]);
    }
    if model.bodies().is_some_and(|scene| !scene.beams().is_empty()) {
        tables.push((BEAMS, BEAMS_HEADER.to_string()));
    }
    tables
}

fn driven(summary: &Summary) -> bool {
    summary.tables.contains_key(INPUTS) || !summary.held.is_empty()
}

/// A run on disk.
pub struct RunFolder {
    /// Where.
    pub folder: PathBuf,
    /// `summary.json`.
    pub summary: Summary,
    /// `scenario.toml` as text.
    pub scenario_toml: String,
    /// The scenario, ready to run again.
    pub loaded: Loaded,
}

impl RunFolder {
    /// Reads summary and scenario.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_with(folder, &Attachments::default())
    }

    /// The same with what a program hands over again: its model, its scheme, its law of impact.
    pub fn open_with(folder: &Path, given: &Attachments) -> Result<Self> {
        let summary = read_summary(folder)?;
        let path = folder.join("scenario.toml");
        let file = path.display().to_string();
        std::fs::metadata(&path).map_err(|error| missing(&file, &error))?;
        let source = Source { given: given.clone(), ..Source::open(&file)? };
        let options = LoadOptions::default();
        let loaded = source.load(&if driven(&summary) { options.live() } else { options })?;
        Ok(Self { folder: folder.into(), summary, scenario_toml: source.text, loaded })
    }

    /// Whether a program set something while it ran.
    pub fn was_driven(&self) -> bool {
        driven(&self.summary)
    }

    /// The model.
    pub fn model(&self) -> &Model {
        self.loaded.scenario.model()
    }

    /// The rows from the beginning, with whole states; refused where the run kept parts of them.
    pub fn rows(&self) -> Result<Rows> {
        match self.selection().missing(self.model()) {
            None => self.chosen_rows(),
            Some(reason) => {
                let file = self.folder.join(TABLES[0]).display().to_string();
                let help = "run the scenario again without output.select";
                Err(ScenarioError::file(Code::BAD_RUN, file, format!("holds no whole states: {reason}"), help))
            }
        }
    }

    /// What the tables hold.
    pub fn selection(&self) -> &Selection {
        &self.loaded.scenario.selection
    }

    /// The rows from the beginning; coordinates that were not kept are NaN.
    pub fn chosen_rows(&self) -> Result<Rows> {
        let (model, selection) = (self.model(), self.selection());
        Ok(Rows::new(
            (model, selection),
            TableReader::open(&self.folder, TABLES[0], &trajectory_header(selection))?,
            open_table(&self.folder, TABLES[1], &contacts_header(model))?,
            open_table(&self.folder, TABLES[2], LEDGER)?,
        ))
    }

    /// The contacts from the beginning.
    pub(crate) fn contacts(&self) -> Result<TableReader> {
        open_table(&self.folder, TABLES[1], &contacts_header(self.model()))
    }

    /// What its contacts are called.
    pub fn contact_names(&self) -> Result<ContactNames> {
        ContactNames::read(&self.folder, self.model())
    }

    /// The events from the beginning.
    pub fn events(&self) -> Result<TableReader> {
        TableReader::open(&self.folder, "events.csv", EVENTS)
    }
}

/// A table of a run; those of earlier versions may lack columns added since, whose cells then are empty.
pub(crate) fn open_table(folder: &Path, name: &str, header: &str) -> Result<TableReader> {
    let least = match name {
        "ledger.csv" => LEDGER_COLUMNS,
        "contacts.csv" => CONTACT_COLUMNS,
        _ => usize::MAX,
    };
    TableReader::open_former(folder, name, header, least)
}

/// `summary.json` of a folder.
pub fn read_summary(folder: &Path) -> Result<Summary> {
    let path = folder.join("summary.json");
    let file = path.display().to_string();
    if std::fs::metadata(&path).is_ok_and(|there| !there.is_file()) {
        return Err(ScenarioError::file(Code::BAD_RUN, file, "is not a regular file", "run the scenario again"));
    }
    let text = std::fs::read_to_string(&path).map_err(|error| match error.kind() {
        ErrorKind::NotFound if folder.join("scenario.toml").is_file() && folder.join(TABLES[0]).is_file() => {
            let help = format!("the run was cut off: percussion resume {}", folder.display());
            ScenarioError::file(Code::BAD_RUN, file.as_str(), "there is no such file", help)
        }
        _ => missing(&file, &error),
    })?;
    serde_json::from_str(&text).map_err(|error| {
        let refused = ScenarioError::file(Code::BAD_RUN, file, error.to_string(), "run the scenario again");
        refused.at_line(error.line().max(1), text.lines().nth(error.line().saturating_sub(1)))
    })
}

/// One row of every table.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Number of the step that arrived here.
    pub step: u64,
    /// The state.
    pub state: State,
    /// t of the ledger [s].
    pub ledger_t: f64,
    /// Whether t of every contact is the time of the step.
    pub contacts_in_time: bool,
    /// E as written.
    pub energy: f64,
    /// The ledger.
    pub ledger: LedgerEntry,
    /// The contacts of the index set; `u_before` and `u_free` are not stored.
    pub contacts: Vec<ContactState>,
    /// Their tangential motion; empty where no contact has tangents. `u_before` and `fremond` are not stored.
    pub friction: Vec<Tangential>,
    /// Where bodies touch, one for each contact; none where the table does not tell.
    pub places: Vec<Option<ContactPlace>>,
}

/// The tables side by side.
pub struct Rows {
    /// Numbers of coordinates and velocities.
    sizes: (usize, usize),
    selection: Selection,
    model: Model,
    /// Whether any contact has tangents.
    tangents: bool,
    trajectory: TableReader,
    ledger: TableReader,
    contacts: TableReader,
    /// The bodies by name, and the column of `body_a`.
    bodies: HashMap<String, usize>,
    first_place: usize,
    /// Whether the contact table stands on a row not yet used.
    waiting: bool,
}

impl Rows {
    /// The rows of a model's tables.
    pub(crate) fn new(
        (model, selection): (&Model, &Selection),
        trajectory: TableReader,
        contacts: TableReader,
        ledger: TableReader,
    ) -> Self {
        Self {
            sizes: (model.n_q(), model.n_v()),
            selection: selection.clone(),
            model: model.clone(),
            tangents: model.has_tangents(),
            trajectory,
            ledger,
            contacts,
            bodies: model.bodies().map_or_else(HashMap::new, |scene| {
                scene.bodies().iter().enumerate().map(|(i, body)| (body.name.clone(), i)).collect()
            }),
            first_place: CONTACT_COLUMNS + if model.has_rolling() { 4 } else { 0 },
            waiting: false,
        }
    }

    /// Reads the next row of every table into `row`; false at the end of all of them.
    pub fn next(&mut self, row: &mut Row) -> Result<bool> {
        let (state, entry) = (self.trajectory.next()?, self.ledger.next()?);
        if state != entry {
            let table = if state { &self.trajectory } else { &self.ledger };
            return table
                .refuse("trajectory.csv and ledger.csv differ in their number of rows", "run the scenario again");
        }
        if !state {
            if self.waiting || self.contacts.next()? {
                return self.contacts.refuse("a contact of a step that is not in the ledger", "run the scenario again");
            }
            return Ok(false);
        }

        let table = &self.trajectory;
        row.state.t = table.number(0)?;
        row.state.q.resize(self.sizes.0, f64::NAN);
        row.state.v.resize(self.sizes.1, f64::NAN);
        for (k, &i) in self.selection.q.iter().enumerate() {
            row.state.q[i] = table.number(1 + k)?;
        }
        for (k, &i) in self.selection.v.iter().enumerate() {
            row.state.v[i] = table.number(1 + self.selection.q.len() + k)?;
        }
        let table = &self.ledger;
        row.step = table.integer(0)?;
        row.ledger_t = table.number(1)?;
        row.energy = table.number(4)?;
        row.ledger = LedgerEntry {
            kinetic: table.number(2)?,
            potential: table.number(3)?,
            algorithmic_energy: table.number(5)?,
            work_external: table.number(6)?,
            work_damping: table.number(7)?,
            work_contact: table.number(8)?,
            work_joints: table.number(9)?,
            dissipation_numerical: table.number(10)?,
            balance: table.number_or_zero(11)?,
            work_projection: number_if_any(table, 12)?,
            work_external_plain: number_if_any(table, 13)?,
            work_motors: number_if_any(table, 14)?,
        };

        row.contacts.clear();
        row.friction.clear();
        row.places.clear();
        row.contacts_in_time = true;
        loop {
            if !self.waiting {
                self.waiting = self.contacts.next()?;
            }
            if !self.waiting {
                break;
            }
            let table = &self.contacts;
            let step = table.integer(0)?;
            if step > row.step {
                break;
            }
            if step < row.step {
                return table.refuse("a contact of a step that is not in the ledger", "run the scenario again");
            }
            row.contacts_in_time &= table.number(1)? == row.state.t;
            let id = table.integer(2)? as usize;
            if !self.model.knows_contact(id) || row.contacts.last().is_some_and(|last| last.id >= id) {
                return table
                    .refuse(format!("contact {id} does not exist, or is out of order"), "run the scenario again");
            }
            let (gap, u_after, p) = (table.number(3)?, table.number(4)?, table.number(7)?);
            let contact = ContactState { id, gap, u_before: 0.0, u_free: 0.0, u_after, p };
            let along = along(table, &self.model, &contact)?;
            row.contacts.push(contact);
            if self.tangents {
                row.friction.push(along);
            }
            if !self.bodies.is_empty() {
                let mut place = place(table, &self.bodies, self.first_place)?;
                if self.model.bodies().is_some_and(|scene| scene.is_angular(id as u64)) {
                    // a moment about the axis, no force along it
                    place = place.map(|place| ContactPlace { at: None, ..place });
                }
                row.places.push(place);
            }
            self.waiting = false;
        }
        Ok(true)
    }
}

/// Tangential velocities and impulses of a row of `contacts.csv`, with its status.
fn along(table: &TableReader, model: &Model, contact: &ContactState) -> Result<Tangential> {
    let (n, frictional) = (model.n_tangents(contact.id), model.friction(contact.id) > 0.0);
    let mut along = Tangential { n, frictional, status: contact.status(), ..Tangential::default() };
    for k in 0..2 {
        for column in [5 + k, 8 + k] {
            if k >= n && !table.is_empty(column) {
                let message = format!("contact {} has {n} tangents, and a number in column {column}", contact.id);
                return table.refuse(message, "run the scenario again");
            }
        }
        // schemes without a law along contacts leave the fields of those without friction empty
        if k < n && (frictional || !table.is_empty(5 + k)) {
            (along.u_after[k], along.p[k]) = (table.number(5 + k)?, table.number(8 + k)?);
        }
    }
    if model.has_rolling() {
        along.n_rolling = if model.rolling(contact.id) > 0.0 { n } else { 0 };
        for k in 0..along.n_rolling {
            (along.w_after[k], along.m[k]) = (table.number(11 + k)?, table.number(13 + k)?);
        }
    }
    let possible: &[ContactStatus] = match contact.status() {
        // steps made in parts know no single one of stick and slip
        ContactStatus::Closed if frictional => &[ContactStatus::Stick, ContactStatus::Slip, ContactStatus::Closed],
        ContactStatus::Closed => &[ContactStatus::Closed],
        _ => &[ContactStatus::Open],
    };
    match possible.iter().find(|status| status.as_str() == table.word(10)) {
        Some(&status) => Ok(Tangential { status, ..along }),
        None => table.refuse(format!("the status does not fit p_n = {}", contact.p), "run the scenario again"),
    }
}

/// Bodies, place and normal of a row of `contacts.csv`; none in tables of version 0.1.
fn place(table: &TableReader, bodies: &HashMap<String, usize>, first: usize) -> Result<Option<ContactPlace>> {
    if table.is_empty(first) {
        return Ok(None);
    }
    let mut place = ContactPlace::default();
    for k in 0..2 {
        // behind the apostrophe of a name that a spreadsheet would compute
        let name = table.word(first + k);
        let found = bodies.get(name).or_else(|| bodies.get(name.strip_prefix('\'')?));
        let Some(&body) = found else {
            return table.refuse(format!("there is no body \"{name}\""), "run the scenario again");
        };
        place.bodies[k] = body;
    }
    if !table.is_empty(first + 2) {
        let mut numbers = [0.0; 6];
        for (k, x) in numbers.iter_mut().enumerate() {
            *x = table.number(first + 2 + k)?;
        }
        let [x, y, z, a, b, c] = numbers;
        place.at = Some(([x, y, z], [a, b, c]));
    }
    Ok(Some(place))
}

/// A cell that may be empty.
fn number_if_any(table: &TableReader, column: usize) -> Result<Option<f64>> {
    if table.is_empty(column) { Ok(None) } else { table.number(column).map(Some) }
}
