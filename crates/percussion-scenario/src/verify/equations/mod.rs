//! The numerics of `verify`: what the equations of model and scheme say about stored states, without a file in sight.

pub mod contact_frame;
pub mod replay;
pub mod turn_count;
