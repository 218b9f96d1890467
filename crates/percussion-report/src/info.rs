//! What the caller says about a run: before it (`Meta`) and after it (`RunInfo`).

use crate::joints::JointMeta;
use crate::thinned::Rule;

/// Known before the first step; every field may stay empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    /// How many contacts the model has; decides which are plotted. Zero: the first six met.
    pub n_contacts: usize,
    /// Names of the coordinates, `q0`, `q1`, … where missing.
    pub q_names: Vec<String>,
    /// Names of the velocities, `v0`, `v1`, … where missing.
    pub v_names: Vec<String>,
    /// Units of the coordinates, empty where the model does not tell; metres where none is given.
    pub q_units: Vec<String>,
    /// Units of the velocities; metres per second where none is given.
    pub v_units: Vec<String>,
    /// Which coordinates have a curve; empty: all of a few, the first, the middle and the last of many.
    pub q_drawn: Vec<usize>,
    /// Which velocities have one.
    pub v_drawn: Vec<usize>,
    /// Whether those of coordinates, and those of velocities, are candidates of which the page shows what moves.
    pub candidates: [Option<Candidates>; 2],
    /// Names of the contacts, `contact 0`, … where missing.
    pub contact_names: Vec<String>,
    /// The joints that tables tell of.
    pub joints: Vec<JointMeta>,
    /// Whether reactions are pushed as means of two steps.
    pub reactions_of_two_steps: bool,
    /// Which coordinates the moving picture needs, in the order its description counts them; empty: none is kept.
    pub film: Vec<usize>,
    /// The tables that can be taken out of the page.
    pub tables: Vec<TableMeta>,
}

/// How curves are taken from candidates, unit by unit; one that stands still beside others that move is left out in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Candidates {
    /// All that move.
    Each,
    /// Those of one component, named after the last dot (`ball.x` is an x): the one in which they move most.
    OneComponent,
}

/// A table of the run folder as the page carries it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableMeta {
    /// Its file name.
    pub file: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Bytes it may take as numbers of eight bytes.
    pub budget: usize,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its header.
    pub name: String,
    /// What becomes of it where rows are left out.
    pub rule: Rule,
    /// The words its numbers stand for; empty for plain numbers. NaN is an empty cell.
    pub words: Vec<String>,
}

/// Known when the run has ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunInfo {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the scheme, which also names the run in a comparison.
    pub scheme: String,
    /// Parameters of the scheme as they should be read: ("theta", "0.5").
    pub scheme_parameters: Vec<(String, String)>,
    /// Which of them were chosen for a scenario that leaves them open, and why.
    pub chosen: Option<String>,
    /// Name of the solver.
    pub solver: String,
    /// Parameters of the solver.
    pub solver_parameters: Vec<(String, String)>,
    /// h [s], the step asked.
    pub step: f64,
    /// Accepted steps; zero when not known.
    pub steps: u64,
    /// The time reached [s].
    pub t_end: f64,
    /// Wall time [s].
    pub wall_s: f64,
    /// Version of the program.
    pub version: String,
    /// The certificates in the order they are shown.
    pub verdicts: Vec<VerdictInfo>,
    /// The theorem that does or does not apply.
    pub guarantee: Option<GuaranteeInfo>,
    /// Why the run ended before its time.
    pub failure: Option<FailureInfo>,
    /// What the run warned of.
    pub warnings: Vec<String>,
    /// Fingerprint of every state of the run.
    pub state_hash: String,
    /// The resolved scenario.
    pub scenario_toml: String,
    /// What the deepest penetration is measured by, in its unit, and what that is.
    pub size: Option<(f64, String)>,
    /// Whether the deepest penetration is an angle, of a stop or of backlash.
    pub angular_depth: bool,
    /// The part of the time [s] that is shown, where states are left out.
    pub window: Option<(f64, f64)>,
}

/// The end of a run that did not reach its time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FailureInfo {
    /// The code, such as E201; empty when somebody stopped the run.
    pub code: String,
    /// When [s].
    pub t: f64,
    /// The fact.
    pub message: String,
    /// A way out.
    pub help: String,
}

/// One certificate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VerdictInfo {
    /// energy, gap, cone, joints or solver.
    pub name: String,
    /// pass, warn, fail, report or none.
    pub status: String,
    /// In words.
    pub text: String,
    /// The worst value (J for energy, m for gap and joints, otherwise a residual).
    pub worst: Option<f64>,
    /// When it was met [s].
    pub t: Option<f64>,
    /// At which contact.
    pub contact: Option<usize>,
}

/// A statement about energy, made before the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GuaranteeInfo {
    /// The theorem, or "none".
    pub theorem: String,
    /// Its condition with this run's numbers.
    pub condition: String,
    /// Whether it applies.
    pub holds: bool,
    /// Why or why not.
    pub reason: String,
    /// The identity the ledger's residual belongs to; empty when there is none.
    pub identity: String,
}
