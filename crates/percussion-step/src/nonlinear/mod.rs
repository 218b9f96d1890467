//! Schemes for nonlinear models: Newton on the whole step, active sets re-evaluated at every iteration.

mod discrete_gradient;
mod energy_momentum;
mod energy_momentum_varying;
mod evaluation;
mod ggl;
mod ggl_newton;
mod inner_lcp;
mod newton;
mod project_start;
mod redundancy;
mod schatzman_paoli;
mod smooth_alpha;
mod velocity_friction;
mod velocity_level;

pub use energy_momentum::EnergyMomentum;
pub use energy_momentum_varying::EnergyMomentumVarying;
pub(crate) use evaluation::mul_add;
pub use ggl::{Ggl, LadderCounts, Rung};
pub use ggl_newton::GglVariant;
pub(crate) use newton::{NewtonSystem, REDUNDANT};
pub use newton::{larger, over};
pub use project_start::project_start;
pub use schatzman_paoli::SchatzmanPaoli as NonlinearSchatzmanPaoli;
pub use smooth_alpha::SmoothAlpha;
pub use velocity_friction::VelocityFriction;
pub use velocity_level::{VelocityLevel, VelocityScheme};
