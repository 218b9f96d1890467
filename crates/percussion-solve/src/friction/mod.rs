//! Contact with Coulomb friction: the cone problem, its cone, its residuals and its solvers.
//!
//!   u = W r + b,    C*_μ ∋ u + (μ‖u_T‖, 0, 0)  ⟂  r ∈ C_μ = {‖r_T‖ ≤ μ r_N}       (de Saxcé)
//!
//! Components of a contact are (normal, tangent 1, tangent 2); the plane has one tangent; rolling friction adds two
//! moments. The cone is exact: neither a pyramid nor the convex relaxation.

mod cone;
mod global;
mod problem;
mod residual;

pub use cone::{Cone, ContactStatus};
pub use global::{GlobalFrictionProblem, NotCondensed};
pub use problem::FrictionProblem;
pub use residual::friction_residuals;
