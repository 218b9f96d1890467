//! Nonlinear dynamics of systems with impacts: sections of a flow, cycles and attractors.
//!
//! ```text
//! Simulation ─► Sampler (section) ─► points ─► cycle, attractors
//! ```

mod attractor;
mod cycle;
mod forcing;
mod section;

pub use attractor::{Attractors, spread};
pub use cycle::{Cycle, cycle, set_distance};
pub use forcing::{ForcingError, forcing_period};
pub use section::{Sampler, Sampling, Section};
