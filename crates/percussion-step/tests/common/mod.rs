//! Runs to the end, for tests: a run that stops early is a failure of the test.

#![allow(dead_code, reason = "each test uses a part of it")]

use percussion_model::bodies::{Bodies, SceneParts};
use percussion_model::nonlinear::LinearAsLagrangian;
use percussion_model::{LinearModel, LinearParts};
use percussion_solve::SolverOptions;
use percussion_step::problems::{Dice, Recipe, random_system};
use percussion_step::{
    Audit, Both, Outcome, Problem, Recorder, Scheme, SchemeOptions, Simulation, Trajectory, simulate,
};
use std::sync::Arc;

/// A scheme by its name, with options where they differ from the defaults.
pub fn scheme(name: &str, edit: impl FnOnce(&mut SchemeOptions)) -> Scheme {
    let mut options = SchemeOptions::default();
    edit(&mut options);
    Scheme::resolve(name, &options).expect("a scheme").0
}

/// Records a whole run.
pub fn record(problem: &Problem, scheme: &Scheme, h: f64, end: f64, recorder: &mut dyn Recorder) {
    let outcome = simulate(problem, scheme, SolverOptions::default(), h, end, recorder).expect("accepted");
    assert!(matches!(outcome, Outcome::Finished), "{} h = {h}: {outcome:?}", scheme.name);
}

/// The rows of a whole run.
pub fn run(problem: &Problem, scheme: &Scheme, h: f64, end: f64) -> Trajectory {
    let mut rows = Trajectory::new();
    record(problem, scheme, h, end, &mut rows);
    rows
}

/// The rows of a whole run and what its energies did.
pub fn audited(problem: &Problem, scheme: &Scheme, h: f64, end: f64) -> (Trajectory, Audit) {
    let (mut rows, mut audit) = (Trajectory::new(), Audit::new());
    record(problem, scheme, h, end, &mut Both(&mut rows, &mut audit));
    (rows, audit)
}

/// A run about to make its first step.
pub fn start(problem: &Problem, scheme: &Scheme, h: f64) -> Simulation {
    Simulation::new(problem, scheme, SolverOptions::default(), h).expect("accepted")
}

/// A scene as a problem.
pub fn bodies(parts: SceneParts) -> Problem {
    Problem::bodies(Bodies::new(parts).expect("a scene")).expect("no overlap")
}

/// A random linear system.
pub fn random_problem(dice: &mut Dice, recipe: Recipe) -> Problem {
    random_system(dice, recipe).expect("a start above the contacts")
}

/// The parts a linear problem was made of.
pub fn parts(problem: &Problem) -> LinearParts {
    let Some(model) = problem.model.linear() else { panic!("a linear model") };
    LinearParts {
        mass: model.mass().clone(),
        damping: model.damping().cloned(),
        stiffness: model.stiffness().cloned(),
        force: model.loads().to_vec(),
        contacts: model.contacts().to_vec(),
        joints: model.joints().to_vec(),
    }
}

/// A linear problem with still obstacles, moved by the nonlinear schemes.
pub fn as_nonlinear(problem: &Problem) -> Problem {
    let model = LinearAsLagrangian::new(LinearModel::new(parts(problem)).expect("a model"));
    Problem::nonlinear(Arc::new(model), problem.q0.clone(), problem.v0.clone()).expect("a problem")
}
