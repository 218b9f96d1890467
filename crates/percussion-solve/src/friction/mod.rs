//! Contact with Coulomb friction: the cone problem, its cone, its residuals and its solvers.
//!
//!   u = W r + b,    C*_μ ∋ u + (μ‖u_T‖, 0, 0)  ⟂  r ∈ C_μ = {‖r_T‖ ≤ μ r_N}       (de Saxcé)
//!
//! Components of a contact are (normal, tangent 1, tangent 2); the plane has one tangent; rolling friction adds two
//! moments. The cone is exact: neither a pyramid nor the convex relaxation.

mod admm;
mod alart_curnier;
mod anderson;
mod apgd;
mod auto;
mod colouring;
mod cone;
mod contradiction;
mod extragradient;
mod gauss_seidel;
mod global;
mod global_admm;
#[cfg(feature = "interior-point")]
mod interior_point;
mod island_solver;
mod islands;
mod jordan;
mod lanes;
mod local;
mod local_plane;
mod local_rolling;
mod local_space;
mod momentum;
mod newton;
mod newton_fb;
mod packet_ball;
mod packet_solid;
mod packet_sweeps;
mod packing;
mod problem;
mod product;
mod prox_newton;
mod residual;
mod solver;
mod stop;
mod stretch;
mod task;
mod thresholds;
mod two_body;
mod two_body_solver;
mod two_body_sweeps;

pub use cone::{Cone, ContactStatus};
pub use gauss_seidel::Order;
pub use global::{GlobalFrictionProblem, MOST_ENTRIES, NotCondensed};
pub use global_admm::{GlobalAnswer, solve_global_admm};
pub use problem::FrictionProblem;
pub use residual::friction_residuals;
pub use solver::FrictionSolver;
pub use stop::Stop;
pub use two_body::TwoBodyProblem;
pub use two_body_solver::TwoBodySolver;
