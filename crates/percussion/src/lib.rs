//! Mechanical systems with contact and impact, with an energy ledger that closes.
//!
//! `Problem` says what, `Scheme` how in time, `SolverOptions` how at an instant, `Recorder`s what is kept:
//!
//! ```
//! use percussion::prelude::*;
//!
//! let loaded = load("bouncing-ball", &LoadOptions::default())?;
//! let (scenario, mut simulation) = (loaded.scenario, loaded.simulation);
//! let (mut trajectory, mut audit) = (Trajectory::new(), Audit::new());
//! simulation.run(scenario.count.n, &mut Both(&mut trajectory, &mut audit));
//!
//! let verdicts = audit.verdicts(&scenario.guarantee(), scenario.solver.tolerance);
//! assert_eq!(verdicts.energy.status, Verdict::Pass);
//! // at rest on the floor: the centre at the height of the radius, to the O(h²) the scheme may sink
//! let last = trajectory.len() - 1;
//! assert!((trajectory.q(last)[0] - 0.2).abs() < 1e-4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use percussion_files as files;
pub use percussion_matrix as matrix;
pub use percussion_model as model;
pub use percussion_scenario as scenario;
pub use percussion_solve as solve;
pub use percussion_step as step;
pub use percussion_study as study;

/// What most programs need.
pub mod prelude {
    pub use percussion_matrix::{DenseMatrix, Matrix, SparseMatrix};
    pub use percussion_model::nonlinear::{Beam, BeamParts, Pendulum, PointMass, RockingBlock};
    pub use percussion_model::{
        Auto, Code, Contact, Energies, InputError, Joint, Lagrangian, LinearModel, LinearParts, Number, Signal, Sine,
        check_derivatives,
    };
    pub use percussion_scenario::{LoadOptions, Loaded, Scenario, ScenarioError, load, load_text, run};
    pub use percussion_solve::{Method, OneStepProblem, OneStepSolver, Solver, SolverOptions};
    pub use percussion_step::{
        Activation, Audit, Both, Guarantee, ImpactLaw, Model, Outcome, Problem, Recorder, Scheme, SchemeOptions,
        Simulation, Start, Step, Stop, Trajectory, Verdict, Verdicts, simulate,
    };
}

/// The book's code, compiled and run.
#[cfg(doctest)]
pub mod book {
    #[doc = include_str!("../../../docs/book/own-model.md")]
    pub struct OwnModel;
    #[doc = include_str!("../../../docs/book/extend-law.md")]
    pub struct Law;
    #[doc = include_str!("../../../docs/book/extend-scheme.md")]
    pub struct OwnScheme;
    #[doc = include_str!("../../../docs/book/extend-solver.md")]
    pub struct OwnSolver;
}
