//! Scenario files, built-in scenarios and run folders: the only crate that touches files.
//!
//! ```text
//! scenario.toml ─► Scenario ─► Simulation ─► run folder ─► verify
//! ```

mod build;
pub mod builtin;
mod dynamics;
mod error;
mod error_text;
mod exchange;
mod format;
mod limits;
mod live;
mod modes_page;
mod play;
#[cfg(not(target_family = "wasm"))]
mod play_page;
mod run;
mod scene;
mod settle;
mod sweep;
mod verify;
mod vibration;

pub use build::attachments::Attachments;
pub use build::dials::{Control, Hands};
pub use build::exact_motion::exact;
pub use build::load::{LoadOptions, Loaded, Source, load, load_table, load_text};
pub use build::scenario::{Description, Scenario};
pub use build::sensitivity::{SensitivityRequest, scenario_number};
pub use build::solid::SolidDescription;
pub use build::start_from::StartFrom;
pub use dynamics::{Axis, Direction, Dynamics, DynamicsKind, LineFile};
pub use error::{Place, Result, ScenarioError};
pub use error_text::{Colours, Plain, clean, error_text, failure_text};
pub use exchange::contact_problems::{at_file, load_problem, write_solution};
pub use exchange::csv::export_csv;
#[cfg(feature = "hdf5")]
pub use exchange::fclib::{ExportedProblems, export_fclib};
pub use exchange::hdf5::export_hdf5;
pub use exchange::parquet::{TableFormat, export_parquet};
pub use exchange::robot::{ImportOptions, Imported, import_robot};
pub use exchange::vtk::export_vtk;
pub use format::key_tables::{key_tables, unwritten_keys};
pub use format::keys::nonlinear::{BeamSpec, PendulumSpec, RockingBlockSpec};
pub use format::keys::{KINDS, SCENARIO as SCENARIO_KEYS};
pub use format::schema::schema;
pub use format::suggest::nearest;
pub use format::write::{Attached, scenario_text, write_scenario};
pub use limits::MAX_N as MAX_COORDINATES;
pub use live::inputs::INPUTS;
pub use live::{JointReading, Live, LiveState, ReactionReading, TouchReading};
pub use modes_page::modes_page;
pub use percussion_report::{FIGURES, FRICTION_FIGURES, JOINT_FIGURES, Line, Look, Plot, Report, figure_name};
pub use play::{FILE_KEYS, PlayNumber, play_files, play_numbers};
#[cfg(not(target_family = "wasm"))]
pub use play_page::{live_gallery, play_page};
pub use run::checkpoint::End;
pub use run::column::Column;
pub use run::columns::{Choice, against};
pub use run::csv_text::cells as csv_cells;
pub use run::folder::{Row, Rows, RunFolder, TABLES};
pub use run::memory::{Cells, Kept, KeptTable, save};
pub use run::names::{ColumnName, columns as column_names};
pub use run::overview::overview;
pub use run::remove::remove_runs;
pub use run::report::{
    FIGURE_FORMATS, legible_window, page, read_text, report, report_chosen, report_kept, report_of, report_with,
    write_figure, write_page, write_page_with, write_plots, write_report, write_report_with, write_text,
};
pub use run::selection::Selection;
pub use run::solution::Solution;
pub use run::summary::{CertificateSummary, Failure, GuaranteeSummary, Summary, TableSum};
pub use run::{
    CHECKPOINT_EVERY, Means, Progress, Resumed, Run, RunEnd, resume, resume_on, resume_to, run, run_checkpointed,
    run_kept, run_recorded,
};
pub use settle::settle;
pub use sweep::{
    Parameter, RowMaker, Shard, Sweep, SweepEnd, SweepProgress, append_rows, begin_rows, gather, missing_rows,
    part_file, part_files, run_seed, run_sweep, write_parquet as write_sweep_parquet,
};
pub use verify::{Check, Finding, Verification, verify, verify_with};
pub use vibration::modes;
