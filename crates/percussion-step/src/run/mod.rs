//! The loop around a scheme: simulation, step control, recorders, events, certificates, checkpoints.

pub mod adaptive;
pub mod audit;
pub mod checkpoint;
pub mod events;
pub mod guarantee;
pub mod hash;
pub mod modes;
pub mod momentum_watch;
pub mod pack;
pub mod recorder;
pub mod saved;
pub mod settle;
pub mod simulate;
pub mod slots;
pub mod support;
pub mod trajectory;
pub mod warning;
