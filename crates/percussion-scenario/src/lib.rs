//! Scenario files, built-in scenarios and run folders: the only crate that touches files.
//!
//! ```text
//! scenario.toml ─► Scenario ─► Simulation ─► run folder ─► verify
//! ```

mod adaptive;
mod atomic;
pub mod builtin;
mod checkpoint;
mod column;
mod crc64;
mod error;
mod exact;
#[cfg(feature = "hdf5")]
mod export_fclib;
mod export_parquet;
mod export_vtk;
mod fingerprint;
mod given;
mod import_urdf;
mod inside;
mod kept;
mod limits;
mod load;
mod locate;
mod lost_digits;
mod matrix_market;
mod mesh_files;
mod mobility;
mod model;
mod model_bodies;
mod model_joints;
mod model_nonlinear;
mod nesting;
mod overrides;
#[cfg_attr(not(feature = "parquet"), path = "no_parquet.rs")]
mod parquet_table;
mod problem_files;
mod remove_runs;
mod replay;
mod report;
mod report_tables;
mod resolve;
mod room;
mod run;
mod run_folder;
mod run_writer;
mod scenario;
mod scene;
mod scene_bodies;
mod scene_joints;
mod scene_linear;
mod scene_planar;
mod scene_rods;
mod schema;
mod schema_bodies;
mod sections;
mod spec;
mod spec_bodies;
mod spec_nonlinear;
mod suggest;
mod summary;
mod sweep;
mod table;
mod table_reader;
mod tally;
mod turn_count;
mod value;
mod verify;
mod verify_checksums;
mod verify_events;
mod verify_friction;
mod verify_summary;
mod write_bodies;
mod write_nonlinear;
mod write_scenario;

pub use column::Column;
pub use error::{Place, Result, ScenarioError};
pub use exact::exact;
#[cfg(feature = "hdf5")]
pub use export_fclib::{ExportedProblems, export_fclib};
pub use export_parquet::{TableFormat, export_parquet};
pub use export_vtk::export_vtk;
pub use given::Given;
pub use import_urdf::{Imported, import_urdf};
pub use kept::{Cells, Kept, KeptTable, save};
pub use limits::MAX_N as MAX_COORDINATES;
pub use load::{LoadOptions, Loaded, Source, load, load_table, load_text};
pub use percussion_report::{FIGURES, FRICTION_FIGURES, Report, figure_name};
pub use problem_files::{at_file, load_problem, write_solution};
pub use remove_runs::remove_runs;
pub use report::{
    FIGURE_FORMATS, page, read_text, report, write_figure, write_page, write_page_with, write_report, write_text,
};
pub use run::{
    CHECKPOINT_EVERY, Progress, Resumed, Run, RunEnd, resume, resume_on, run, run_checkpointed, run_kept, run_recorded,
};
pub use run_folder::{Row, Rows, RunFolder, TABLES};
pub use scenario::{Description, Scenario};
pub use schema::schema;
pub use spec::KINDS;
pub use suggest::nearest;
pub use summary::{CertificateSummary, Failure, GuaranteeSummary, Summary, TableSum};
pub use sweep::{
    Parameter, Shard, Sweep, SweepEnd, SweepProgress, append_rows, gather, missing_rows, run_seed, run_sweep,
    write_parquet as write_sweep_parquet,
};
pub use verify::{Check, Finding, Verification, verify};
pub use write_scenario::{scenario_text, write_scenario};
