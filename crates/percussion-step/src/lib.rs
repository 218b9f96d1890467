//! Time stepping: schemes, activation rules, the loop, recorders and the energy ledger.
//!
//! `Problem` says what, `Scheme` how in time, `SolverOptions` how at an instant, `Recorder`s what is kept.
//!
//! ```text
//! free motion → active contacts → one-step problem → solve → correct → ledger
//! ```

mod bodies;
mod contact;
mod derivative;
mod linear;
mod located;
pub mod measure;
mod mechanism;
mod newton;
mod problem;
pub mod problems;
mod run;
mod schemes;
mod step;

pub use bodies::onto_joints::onto_joints;
pub use bodies::rows::directions as contact_directions;
pub use bodies::spin::Gyroscopic;
pub use contact::activation::Activation;
pub use contact::friction_law::FrictionLaw;
pub use contact::own_impact_law::ImpactLaw;
pub use contact::phase::{ContactPhase, obstacle_work, work as contact_work};
pub use contact::response::Response;
pub use derivative::whole::StepForm;
pub use derivative::{Columns, Follow, NotDifferentiated, corner_on_the_grid, step_derivative};
pub use linear::factorised::by_products;
pub use linear::load::Load;
pub use linear::operators::{Operators, Weights};
pub use linear::projection::project_start;
pub use located::flow::{Flow, FlowEnd, ParameterModels, Permitted};
pub use located::no_derivative::{FlowStop, NoDerivative};
pub use located::options::{EventDrivenOptions, Family, HighOrderOptions, SmoothMethod};
pub use located::order::Reach;
pub use located::tableau::Tableau;
pub use located::tangent::Instant;
pub use newton::system::Accelerations;
pub use percussion_solve::friction::ContactStatus;
pub use problem::{Model, Problem};
pub use run::adaptive::{AdaptiveOptions, AdaptiveOrder, AdaptiveStatistics, Control, Estimate, Tolerance};
pub use run::audit::{Audit, Certificate, FrictionCounts, Verdict, Verdicts};
pub use run::events::{Event, EventCounts, EventDetector, EventKind, LocatedEvent};
pub use run::guarantee::{Guarantee, Level};
pub use run::modes::{Mode, modes};
pub use run::pack::{Pack, PackPart};
pub use run::recorder::{Both, Recorder, Start, Stop};
pub use run::saved::Saved;
pub use run::settle::{Settled, Unsettled, settle};
pub use run::simulate::{Driver, Outcome, Simulation, StepCount, simulate, simulate_adaptive, step_count};
pub use run::support::support;
pub use run::trajectory::Trajectory;
pub use run::warning::Warning;
pub use schemes::energy_momentum::EnergyMomentum;
pub use schemes::energy_momentum::varying_mass::EnergyMomentumVarying;
pub use schemes::equations::{
    Ability, Bound, Circumstances, ContactFrame, Energy, Equations, Facts, Promises, Steps, Stored, System, Theorem,
    linear_only, no_bodies, no_gap_law,
};
pub use schemes::event_driven::EventDriven;
pub use schemes::ggl::conditions::GglVariant;
pub use schemes::ggl::lagrangian::Ggl;
pub use schemes::ggl::lagrangian::ladder::{LadderCounts, Rung};
pub use schemes::ggl::linear::LinearGgl;
pub use schemes::lasting::{CHOSEN as CHOSEN_FOR_LASTING_CONTACTS, for_lasting_contacts};
pub use schemes::moreau_jean::bodies::BodiesMoreauJean;
pub use schemes::newmark::parameters::NewmarkLike;
pub use schemes::runge_kutta_moreau::RungeKuttaMoreau;
pub use schemes::smooth_alpha::SmoothAlpha;
pub use schemes::velocity_level::{VelocityLevel, VelocityScheme};
pub use schemes::{Projection, SCHEMES, Scheme, SchemeEntry, SchemeOptions, Written, keys};
pub use step::contact::{ContactPlace, ContactState, JointReaction, Tangential};
pub use step::failure::{StepFailure, Unsolved};
pub use step::ledger::LedgerEntry;
pub use step::memory::{Carried, Carry, Memory, PersistentContact, Shape};
pub use step::momentum::MomentumEntry;
pub use step::state::State;
pub use step::stepper::Stepper;
pub use step::{Step, StepInfo, StepStart};
