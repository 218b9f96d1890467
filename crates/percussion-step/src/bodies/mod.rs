//! What schemes on rigid bodies share: rows, gyroscopic terms, joints of a step and their elimination.

pub mod block_elimination;
pub mod closing;
pub mod drives;
pub mod elimination_order;
pub mod joint_system;
pub mod law_velocity;
pub mod mean_frames;
pub mod momentum;
pub mod onto_joints;
pub mod project_start;
pub mod rolling;
pub mod rows;
pub mod spin;
pub mod spring_bound;
pub mod swept;
pub mod theta_step;
pub mod turns;
