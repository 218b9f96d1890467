//! Contact with Coulomb friction: the cone problem, its cone, its residuals and its solvers.
//!
//!   u = W r + b,    C*_μ ∋ u + (μ‖u_T‖, 0, 0)  ⟂  r ∈ C_μ = {‖r_T‖ ≤ μ r_N}       (de Saxcé)
//!
//! Components of a contact are (normal, tangent 1, tangent 2); the plane has one tangent; rolling friction adds two
//! moments. The cone is exact: neither a pyramid nor the convex relaxation.
//!
//! One contact alone is solved in `local/`, contact after contact in `sweeps/`, all at once in `newton/`; `gradient/` needs
//! products with W only, `splitting/` one factorisation for many iterations. `global/` and `two_body/` hold problems whose W
//! is not formed.

pub(crate) mod auto;
mod cone;
mod contradiction;
mod global;
pub(crate) mod gradient;
pub(crate) mod local;
pub(crate) mod newton;
mod problem;
mod residual;
pub(crate) mod solver;
pub(crate) mod splitting;
mod status;
mod stretch;
pub(crate) mod sweeps;
pub(crate) mod task;
pub(crate) mod two_body;

pub use crate::Stop;
pub use cone::Cone;
pub use global::{GlobalAnswer, GlobalFrictionProblem, MOST_ENTRIES, NotCondensed, solve_global_admm};
pub use problem::FrictionProblem;
pub use residual::friction_residuals;
pub use solver::FrictionSolver;
pub use status::ContactStatus;
pub use sweeps::Order;
pub use two_body::{
    ContactKind, Device, DeviceChoice, DeviceError, SweepAnswer, SweepEnd, SweepJob, SweepMachine, TwoBodyProblem,
    TwoBodySolver,
};
