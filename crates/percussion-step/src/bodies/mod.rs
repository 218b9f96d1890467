//! Rigid bodies in time.

mod contacts;
mod moreau_jean;
mod project_start;
mod rows;
mod spin;

pub use moreau_jean::BodiesMoreauJean;
pub use project_start::project_start;
pub use rows::{contact_velocity, directions};
pub use spin::Gyroscopic;
