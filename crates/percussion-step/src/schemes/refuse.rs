//! What a scheme cannot do with a model, said before the first step.

use crate::schemes::equations::{Ability, unsupported};
use crate::{Problem, Scheme};
use percussion_matrix::{DenseMatrix, Factor, Matrix};
use percussion_model::{Code, InputError};
use percussion_solve::{Method, SolverOptions};

/// Options no solver can work with.
pub(crate) fn check_solver(options: &SolverOptions) -> Result<(), InputError> {
    let refuse = |field: &str, message: String, help: &str| {
        Err(InputError::new(Code::BAD_SOLVER_OPTION, format!("solver.{field}"), message, help))
    };
    if !(1e-15..=1.0).contains(&options.tolerance) {
        let message = format!("tolerance = {:?} is outside [1e-15, 1]", options.tolerance);
        return refuse("tolerance", message, "1e-10 is the default; under 1e-14 rounding decides");
    }
    if options.max_iterations == 0 {
        return refuse("max_iterations", "max_iterations = 0".into(), "give at least 1");
    }
    Ok(())
}

/// A method that knows no cone would be named in the results of a run that another one solved.
pub(crate) fn check_method(problem: &Problem, options: &SolverOptions) -> Result<(), InputError> {
    let method = options.method;
    if !problem.model.has_friction() || method.solves_friction() || matches!(method, Method::Own(_)) {
        return Ok(());
    }
    let message = format!("{method} does not solve contacts with friction, which this model has");
    Err(InputError::new(Code::UNKNOWN_SOLVER, "solver.name", message, "use \"auto\", or another with friction"))
}

/// Moreau–Jean divides forces by M alone, joints or not.
pub(crate) fn check_mass(problem: &Problem, scheme: &Scheme) -> Result<(), InputError> {
    let (Some(model), true) = (problem.model.lagrangian(), scheme.facts().has(Ability::NeedsRegularMass)) else {
        return Ok(());
    };
    let mut M = DenseMatrix::zeros(model.n(), model.n());
    model.mass(&problem.q0, &mut M);
    Factor::cholesky(&Matrix::Dense(M)).map(drop).map_err(|failure| {
        let place = failure.row.map_or(String::new(), |row| format!(", first seen at coordinate {row}"));
        let message = format!("{} needs a mass that is regular without the joints{place}", scheme.name);
        unsupported(message, "use generalized-alpha or generalized-alpha-ggl, or give that coordinate a mass")
    })
}
