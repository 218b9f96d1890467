//! Finite deformation: hyperelastic laws, forces whose work over a step is exactly the change of energy, and gaps that are exact
//! over a step (Simo, Tarnow 1992; Gonzalez 2000; Armero, Petőcz 1998).
//!
//!   f·Δx = V(x₁) − V(x₀),    Σ f = 0,    Σ x_½ × f = 0

mod energy;
mod face_gap;
mod law;
mod model;
mod neo_hookean;
mod saint_venant_kirchhoff;
mod segment_gap;
mod tensor;
mod touch;

pub use energy::FiniteSolid;
pub use face_gap::FaceGap;
pub use law::{Hyperelastic, Law};
pub use model::FiniteModel;
pub use segment_gap::SegmentGap;
pub use touch::{StepRow, Touch};

pub(super) use model::refuse;
pub(super) use tensor::symmetric_product;
