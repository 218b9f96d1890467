//! Scenario files, built-in scenarios and run folders: the only crate that touches files.
//!
//! ```text
//! scenario.toml ─► Scenario ─► Simulation ─► run folder ─► verify
//! ```

pub mod builtin;
mod error;
mod limits;
mod load;
mod locate;
mod matrix_market;
mod model;
mod overrides;
mod resolve;
mod run;
mod run_writer;
mod scenario;
mod sections;
mod spec;
mod suggest;
mod summary;
mod table;
mod value;
mod write_scenario;

pub use error::{Place, Result, ScenarioError};
pub use load::{LoadOptions, Loaded, Source, load, load_text};
pub use run::{Progress, Run, RunEnd, run};
pub use scenario::{Description, Scenario};
pub use suggest::nearest;
pub use summary::{CertificateSummary, Failure, GuaranteeSummary, Summary};
pub use write_scenario::{scenario_text, write_scenario};
