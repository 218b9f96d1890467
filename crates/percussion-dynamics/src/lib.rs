//! Nonlinear dynamics of systems with impacts: sections, cycles and attractors, periodic orbits, exponents.
//!
//! ```text
//! Simulation ─► Sampler (section) ─► points ─► cycle, attractors
//! Flow (event-driven, with derivatives) ─► orbit ─► multipliers, branch        ─► exponents
//! ```

mod attractor;
mod continuation;
mod cycle;
mod eigenvalues;
mod exponent;
mod forcing;
mod orbit;
mod section;
mod spectrum;

pub use attractor::{Attractors, distance, spread};
pub use continuation::{Branch, BranchPoint, Loss, Pursuit, follow};
pub use cycle::{Cycle, cycle, set_distance};
pub use eigenvalues::eigenvalues;
pub use exponent::{Exponents, exponents};
pub use forcing::{ForcingError, forcing_period};
pub use orbit::{Driven, Orbit, Stability};
pub use section::{MOST_NUMBERS, Sampler, Sampling, Section};
pub use spectrum::{Window, amplitudes};
