//! Flexible bodies on their own: elements, equilibria and motions, against closed forms, published numbers and reference files.
//!
//! The stepper here is the plainest that does the job (full Newton, a banded factorisation, no contact but one stop).

mod band;
mod conservation;
mod dynamics;
mod elements;
mod equilibrium;
mod joints;
mod motion;
mod reference;
mod statics;
mod structure;
