//! Time stepping: schemes, activation rules, the loop, recorders and the energy ledger.
//!
//! `Problem` says what, `Scheme` how in time, `SolverOptions` how at an instant, `Recorder`s what is kept.
//!
//! ```text
//! free motion → active contacts → one-step problem → solve → correct → ledger
//! ```

mod activation;
mod adaptive;
mod audit;
mod bind;
mod bodies;
mod checkpoint;
mod events;
mod friction_rule;
mod guarantee;
mod half_explicit;
mod hash;
mod impact_law;
mod linear;
pub mod measure;
mod nonlinear;
mod pack;
mod problem;
pub mod problems;
mod recorder;
mod redundant_contacts;
mod refuse;
mod scheme;
mod simulate;
mod slots;
mod smooth;
mod step;
mod support;
mod trajectory;
mod warning;

pub use activation::Activation;
pub use adaptive::{AdaptiveOptions, AdaptiveOrder, AdaptiveStatistics, Control, Tolerance};
pub use audit::{Audit, Certificate, FrictionCounts, Verdict, Verdicts};
pub use bodies::{BodiesMoreauJean, Gyroscopic, directions as contact_directions};
pub use events::{Event, EventCounts, EventDetector, EventKind, LocatedEvent};
pub use guarantee::Guarantee;
pub use impact_law::ImpactLaw;
pub use linear::{LinearGgl, project_start};
pub use nonlinear::{
    EnergyMomentum, EnergyMomentumVarying, Ggl, GglVariant, LadderCounts, Rung, SmoothAlpha, VelocityLevel,
    VelocityScheme,
};
pub use pack::{Pack, PackPart};
pub use problem::{Model, Problem};
pub use recorder::{Both, Recorder, Start, Stop};
pub use scheme::{FrictionLaw, NewmarkLike, Projection, SCHEMES, Scheme, SchemeEntry, SchemeKind, SchemeOptions};
pub use simulate::{Outcome, Simulation, StepCount, simulate, simulate_adaptive, step_count};
pub use smooth::{EventDriven, EventDrivenOptions, Family, HighOrderOptions, RungeKuttaMoreau, SmoothMethod, Tableau};
pub use step::{
    ContactState, ContactStatus, LedgerEntry, Memory, PersistentContact, State, Step, StepFailure, StepInfo, Stepper,
    Tangential, Unsolved,
};
pub use support::{support, support_columns};
pub use trajectory::Trajectory;
pub use warning::Warning;
