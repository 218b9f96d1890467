//! The Newmark family: Newmark, HHT and generalized-α, with impulses at velocity level (Acary 2016).

pub mod equations;
pub mod linear;
pub mod parameters;
