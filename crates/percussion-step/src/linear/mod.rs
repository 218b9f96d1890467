//! Schemes for linear models. Every one is affine in the impulses:
//!
//!   v_{k+1} = v_free + N P,   U_{k+1} = Gᵀv_free + ẇ_{k+1} + W P,   W = GᵀN
//!
//! so a step is free motion, index set, one linear complementarity problem (one cone problem
//! where contacts rub), correction, ledger.

mod contact_phase;
mod d0_constant;
mod friction_phase;
mod ggl;
mod ggl_friction;
mod ggl_sequential;
mod implicit;
mod load;
mod mass;
mod moreau_jean;
mod newmark_like;
mod projection;
mod response;
mod schatzman_paoli;

pub use contact_phase::{ContactPhase, StepStart};
pub use d0_constant::D0Constant;
pub use friction_phase::{FrictionPhase, padded_blocks, status, velocity_scale};
pub use ggl::LinearGgl;
pub use ggl_friction::FrictionalGgl;
pub use implicit::Implicit;
pub use load::Load;
pub use mass::{acceleration, mass_factor};
pub use moreau_jean::MoreauJean;
pub use newmark_like::NewmarkStepper;
pub use projection::project_start;
pub use response::Response;
pub use schatzman_paoli::SchatzmanPaoli;
