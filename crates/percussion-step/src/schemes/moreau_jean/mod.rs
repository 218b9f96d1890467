//! Moreau–Jean θ-scheme (Jean 1999): impulses at velocity level, one contact problem per step.

pub mod bodies;
pub mod jointed;
pub mod linear;
pub mod massless;
pub mod parameters;
