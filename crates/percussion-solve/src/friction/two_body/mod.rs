//! Rigid bodies touching two at a time: W is never formed, sweeps work on the bodies' velocities.
//!
//!   u_i = H_a v_a + H_b v_b + w_i,    v = v₀ + M⁻¹Hᵀr

mod body_newton;
mod curve;
mod device;
mod island_solver;
mod islands;
mod ladder;
mod lanes;
mod momentum;
mod movers;
mod packet_ball;
mod packet_solid;
mod packet_sweeps;
mod packet_team;
mod packing;
mod problem;
mod solver;
mod sweeps;
mod team;
mod tree;

pub use device::{ContactKind, Device, DeviceChoice, DeviceError, SweepAnswer, SweepEnd, SweepJob, SweepMachine};
pub use problem::TwoBodyProblem;
pub(crate) use solver::OnBodies;
pub use solver::TwoBodySolver;
