//! The contact phase of a step: index set, rows, law, solve, conclusion.

pub mod activation;
pub mod bodies;
pub mod conclusion;
pub mod deep;
pub mod end_gaps;
pub mod friction_law;
pub mod friction_phase;
pub mod friction_rule;
pub mod instant;
pub mod joint_rows;
pub mod jointed;
pub mod lasting;
pub mod law;
pub mod own_impact_law;
pub mod phase;
pub mod redundancy;
pub mod response;
