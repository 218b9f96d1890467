//! From the tables of a scenario to a model, a scheme and a run at t = 0.
//!
//! ```text
//! Source ─► tables ─► keys ─► model, scheme, solver ─► Scenario + Simulation
//! ```

pub mod adaptive;
pub mod attachments;
mod bodies;
pub mod coordinates;
pub mod device;
pub mod dials;
pub mod exact_motion;
mod flexible;
mod formula;
mod joints;
mod keys;
mod linear;
pub mod load;
pub mod looks;
pub mod matrices;
pub mod mesh_picture;
mod model_warnings;
mod nonlinear;
mod position_digits;
mod reduced;
mod resolve;
pub mod scenario;
pub mod scenario_folder;
pub mod scene_solid;
pub mod sensitivity;
mod shapes;
pub mod signal_files;
pub mod solid;
pub mod start_from;
mod thinning;
