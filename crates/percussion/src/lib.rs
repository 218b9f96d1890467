//! Mechanical systems with contact and impact, with an energy ledger that closes.
//!
//! `Problem` says what, `Scheme` how in time, `SolverOptions` how at an instant, `Recorder`s what is kept:
//!
//! ```
//! use percussion::prelude::*;
//!
//! let solution = load("bouncing-ball", &LoadOptions::default())?.solve();
//!
//! assert_eq!(solution.verdicts.energy.status, Verdict::Pass);
//! // at rest on the floor: the centre at the height of the radius, to the O(h²) the scheme may sink
//! assert!((solution.last().q[0] - 0.2).abs() < 1e-4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use percussion_dynamics as dynamics;
pub use percussion_files as files;
pub use percussion_matrix as matrix;
pub use percussion_model as model;
pub use percussion_scenario as scenario;
pub use percussion_solve as solve;
pub use percussion_step as step;
pub use percussion_study as study;

/// What most programs need: a scenario run, or a problem of one's own under a scheme.
pub mod prelude {
    pub use percussion_model::bodies::{Bodies, SceneParts};
    pub use percussion_model::{Contact, InputError, Lagrangian, LinearModel, LinearParts, Mechanics, Signal};
    pub use percussion_scenario::{LoadOptions, Solution, load};
    pub use percussion_solve::SolverOptions;
    pub use percussion_step::{
        Audit, Outcome, Problem, Recorder, Scheme, Simulation, State, Step, Trajectory, Verdict, simulate,
    };
}

/// The book's code, compiled and run.
#[cfg(doctest)]
pub mod book {
    #[doc = include_str!("../../../docs/book/own-model.md")]
    pub struct OwnModel;
    #[doc = include_str!("../../../docs/book/live.md")]
    pub struct LiveSimulation;
    #[doc = include_str!("../../../docs/book/extend-law.md")]
    pub struct Law;
    #[doc = include_str!("../../../docs/book/extend-scheme.md")]
    pub struct OwnScheme;
    #[doc = include_str!("../../../docs/book/extend-solver.md")]
    pub struct OwnSolver;
}
