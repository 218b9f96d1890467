//! Mechanical models: what there is, never how it moves in time.
//!
//!   M dv + (K q + C v) dt = F(t) dt + G dI,    g = Gᵀq + w(t) ≥ 0,    J q + c = 0
//!
//! A model answers the same question the same way twice and knows no time step, no solver and no file.

mod auto;
pub mod bodies;
pub mod build;
mod check_derivatives;
mod check_model;
mod code;
mod contact;
mod definite;
mod element_facts;
pub mod flexible;
mod formula;
mod input_error;
mod key;
mod lagrangian;
mod linear;
mod mechanics;
mod momenta;
mod moving_gaps;
mod nodal;
pub mod nonlinear;
pub mod reduce;
mod signal;
pub mod solid;
mod written;

pub use auto::{Auto, Energies, Number};
pub use check_derivatives::{DerivativeReport, check_derivatives};
pub use check_model::{Claims, check_model};
pub use code::Code;
pub use contact::Contact;
pub use element_facts::{ElementFacts, factor_size};
pub use formula::{Formula, Function};
pub use input_error::InputError;
pub use key::{Bound, Form, Key, KeyDefault, Kind, Range, short};
pub use lagrangian::{DiscreteForce, Lagrangian, SecondDerivatives};
pub use linear::{Joint, LinearModel, LinearParts};
pub use mechanics::{LagrangianModel, Mechanics, Structure};
pub use momenta::Momenta;
pub use moving_gaps::{AtTime, MovingGaps};
pub use nodal::NodalCoordinates;
pub use signal::{Course, Dial, Interpolation, Profile, PulseShape, Signal, Sine, Table, Term, Turn, Waveform};
pub use written::{JointValues, Value, Values};
