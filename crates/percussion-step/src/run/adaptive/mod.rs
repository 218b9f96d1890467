//! Steps of changing length: a controller around any time-stepping scheme.
//!
//!   x_1: one step h,   x_½: two steps h/2,   local error by their difference, x_½ goes on (or by Milne's device, or an embedded pair)

pub mod controller;
pub mod embedded;
pub mod milne;
pub mod options;

pub use crate::run::adaptive::controller::AdaptiveStatistics;
pub use crate::run::adaptive::options::{AdaptiveOptions, AdaptiveOrder, Control, Estimate, Tolerance};
