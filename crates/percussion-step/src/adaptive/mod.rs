//! Steps of changing length: a controller around any time-stepping scheme.
//!
//!   x_1: one step h,   x_½: two steps h/2,   local error by their difference, x_½ goes on

mod controller;
mod options;

pub use controller::{AdaptiveStatistics, Controller};
pub use options::{AdaptiveOptions, AdaptiveOrder, Control, Tolerance};
