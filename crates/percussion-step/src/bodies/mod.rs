//! Rigid bodies in time.

mod block_elimination;
mod contacts;
mod drives;
mod ggl;
mod joint_system;
mod jointed;
mod jointed_contacts;
mod moreau_jean;
mod project_start;
mod rolling;
mod rows;
mod spin;
mod spring_bound;
mod turns;

pub use drives::check_drives;
pub use ggl::BodiesGgl;
pub use jointed::JointedBodies;
pub use moreau_jean::BodiesMoreauJean;
pub use project_start::project_start;
pub use rows::{contact_velocity, directions};
pub use spin::Gyroscopic;
