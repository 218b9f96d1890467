//! From tables to a resolved scenario.

use crate::adaptive;
use crate::error::{Result, ScenarioError};
use crate::load::{Refused, Source};
use crate::locate::Part;
use crate::lost_digits::lost_digits;
use crate::model::{Built, bar, linear};
use crate::model_bodies::{bodies, typed};
use crate::model_nonlinear::{beam, own, pendulum, rocking_block};
use crate::scenario::Scenario;
use crate::sections::{section, unknown_key};
use crate::spec::{KINDS, OutputSpec, SchemeSpec, SolverSpec, TOP_KEYS, TimeSpec};
use crate::spec_bodies::LISTS;
use crate::suggest;
use percussion_model::{Code, InputError};
use percussion_solve::{Method, SolverOptions};
use percussion_step::{
    FrictionLaw, Model, Problem, SCHEMES, Scheme, SchemeOptions, Simulation, Warning, project_start, step_count,
};
use toml::{Table, Value};

/// A scenario with its run at t = 0.
pub struct Resolved {
    /// The scenario.
    pub scenario: Scenario,
    /// The run.
    pub simulation: Simulation,
}

/// Checks everything in the order of the file: model, scheme, solver, time, output.
pub fn resolve(mut table: Table, source: &Source, project: bool) -> std::result::Result<Resolved, Refused> {
    for key in table.keys() {
        if !TOP_KEYS.contains(&key.as_str()) {
            return Err(unknown_key("", key, TOP_KEYS));
        }
    }
    let name = top(&mut table, source).map_err(value)?;
    let mut warnings = Vec::new();

    // how in time and at an instant first: cheap, and independent of the model
    let scheme_spec: SchemeSpec = section("scheme", take(&mut table, "scheme"))?;
    let (scheme, mut remarks) = scheme(scheme_spec).map_err(value)?;
    let solver = solver(section("solver", take(&mut table, "solver"))?).map_err(value)?;
    let time: TimeSpec = section("time", required(&mut table, "time").map_err(value)?)?;
    let count = step_count(time.end, time.step).map_err(|e| value(e.into()))?;
    let adaptive = time.adaptive.map(|spec| adaptive::options(spec, time.end)).transpose().map_err(value)?;
    let output: OutputSpec = section("output", take(&mut table, "output"))?;
    if output.every < 1 {
        let message = format!("every = {} is not a whole number of at least 1", output.every);
        return Err(value(InputError::new(Code::BAD_OUTPUT, "output.every", message, "1 keeps every step").into()));
    }

    // what
    let mut model = required(&mut table, "model").map_err(value)?;
    let kind = match model.get("kind") {
        Some(Value::String(kind)) => kind.clone(),
        Some(_) => return Err(wrong_kind("kind is not text")),
        None if model.is_table() => return Err(wrong_kind("kind is missing")),
        None => {
            return Err(value(InputError::new(Code::WRONG_TYPE, "model", "is not a table", "write [model]").into()));
        }
    };
    let at_top = gather_lists(&mut table, &mut model, kind == "bodies")?;
    let Built { description, model, q0, v0, start: placed_by, tables } = match kind.as_str() {
        "bodies" => section("model", model)
            .and_then(|spec| bodies(spec, source).map_err(value))
            .map_err(|refused| renamed(refused, at_top))?,
        "linear" => linear(section("model", model)?, source).map_err(value)?,
        "bar" => bar(section("model", model)?).map_err(value)?,
        "pendulum" => pendulum(section("model", model)?).map_err(value)?,
        "rocking-block" => rocking_block(section("model", model)?).map_err(value)?,
        "beam" => beam(section("model", model)?).map_err(value)?,
        "own" => own(section("model", model)?, &source.given).map_err(value)?,
        other => {
            let message = format!("there is no kind of model \"{other}\"");
            let help = suggest::help(other, KINDS.iter().copied());
            return Err(value(InputError::new(Code::UNKNOWN_KIND, "model.kind", message, help).into()));
        }
    };
    let problem = Problem::unchecked(model, q0, v0).and_then(|problem| start(problem, project, solver, &mut warnings));
    let problem = problem.map_err(|error| renamed(value(placed(typed(error, &tables), placed_by).into()), at_top))?;

    // what the user should know
    warnings.append(&mut remarks);
    if !count.exact && adaptive.is_none() {
        let last = count.n as f64 * time.step;
        let message = format!("end = {} is not a multiple of step = {}: the run ends at {last}", time.end, time.step);
        warnings.push(Warning { code: Code::END_ROUNDED, message });
    }
    if let Model::Linear(linear) = &problem.model {
        for joint in linear.superfluous_joints() {
            let message = format!("model.joint[{joint}] follows from the others and carries no load");
            warnings.push(Warning { code: Code::REDUNDANT_JOINT, message });
        }
        if let Some(i) = linear.fed_coordinate() {
            let message = format!("model.damping has a negative entry ({i}, {i}): it feeds energy into coordinate {i}");
            warnings.push(Warning { code: Code::FED_BY_DAMPING, message });
        }
    }
    warnings.extend(lost_digits(&problem, time.end));
    let simulation = match &adaptive {
        None => Simulation::new(&problem, &scheme, solver, time.step),
        Some(options) => Simulation::adaptive(&problem, &scheme, solver, time.step, time.end, options),
    };
    let mut simulation = simulation.map_err(|e| value(e.into()))?;
    let scheme = simulation.scheme().clone();
    warnings.extend(simulation.warnings());
    let (step, end, every) = (time.step, time.end, output.every as u64);
    let scenario = Scenario { name, description, problem, scheme, solver, step, end, count, adaptive, every, warnings };
    Ok(Resolved { scenario, simulation })
}

/// Moves the lists of a scene from the top level into `[model]`; whether any stood there.
fn gather_lists(table: &mut Table, model: &mut Value, bodies: bool) -> std::result::Result<bool, Refused> {
    let mut at_top = false;
    for key in LISTS {
        let Some(list) = table.remove(key) else { continue };
        if !bodies {
            return Err(unknown_key("", key, &TOP_KEYS[..3]));
        }
        let Value::Table(model) = &mut *model else { continue };
        if model.contains_key(key) {
            let message = format!("[[{key}]] stands at the top level and below [model]");
            let error = InputError::new(Code::CONTRADICTION, key, message, "keep one of the two places");
            return Err((error.into(), Part::Key));
        }
        model.insert(key.into(), list);
        at_top = true;
    }
    Ok(at_top)
}

/// An error about a list of a scene, named as the file has it.
fn renamed((error, part): Refused, at_top: bool) -> Refused {
    let field = error.field.clone();
    let bare = field.strip_prefix("model.").unwrap_or(&field);
    let listed = LISTS
        .iter()
        .any(|key| bare.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.'])));
    if !listed {
        return (error, part);
    }
    let field = if at_top { bare.to_string() } else { format!("model.{bare}") };
    (error.about(field), part)
}

fn value(error: Box<ScenarioError>) -> Refused {
    (error, Part::Value)
}

fn wrong_kind(message: &str) -> Refused {
    let kinds: Vec<String> = KINDS.iter().map(|kind| format!("\"{kind}\"")).collect();
    let help = format!("write kind = one of {}", kinds.join(", "));
    value(InputError::new(Code::WRONG_TYPE, "model.kind", message, help).into())
}

fn take(table: &mut Table, key: &str) -> Value {
    table.remove(key).unwrap_or_else(|| Value::Table(Table::new()))
}

fn required(table: &mut Table, key: &str) -> Result<Value> {
    table.remove(key).ok_or_else(|| {
        let message = format!("the table [{key}] is missing");
        InputError::new(Code::WRONG_TYPE, key, message, format!("add [{key}]; `percussion new NAME` writes an example"))
            .into()
    })
}

/// `format` and `name`.
fn top(table: &mut Table, source: &Source) -> Result<String> {
    match table.remove("format") {
        None | Some(Value::Integer(1)) => {}
        Some(other) => {
            let message = format!("format = {other} is not known");
            return Err(InputError::new(Code::WRONG_TYPE, "format", message, "this version reads format = 1").into());
        }
    }
    match table.remove("name") {
        None => Ok(source.default_name.clone()),
        Some(Value::String(name)) => Ok(name),
        Some(_) => Err(InputError::new(Code::WRONG_TYPE, "name", "is not text", "put it in quotes").into()),
    }
}

fn scheme(spec: SchemeSpec) -> Result<(Scheme, Vec<Warning>)> {
    if let Some(law) = &spec.friction_law
        && !FrictionLaw::NAMES.contains(&law.as_str())
    {
        let message = format!("friction_law = \"{law}\" does not exist");
        let help = suggest::help(law, FrictionLaw::NAMES);
        return Err(InputError::new(Code::BAD_PARAMETER, "scheme.friction_law", message, help).into());
    }
    let options = SchemeOptions {
        theta: spec.theta,
        beta: spec.beta,
        gamma: spec.gamma,
        alpha: spec.alpha,
        alpha_m: spec.alpha_m,
        alpha_f: spec.alpha_f,
        rho_inf: spec.rho_inf,
        preset: spec.preset,
        activation: spec.activation,
        prediction: spec.prediction,
        projection: spec.projection,
        solution: spec.solution,
        friction_law: spec.friction_law,
        tolerance: spec.tolerance,
        method: spec.method,
        cut: spec.cut,
        order: spec.order,
        tableau: spec.tableau,
        bracket: spec.bracket,
        variant: spec.variant,
        gyroscopic: spec.gyroscopic,
    };
    Scheme::resolve(&spec.name, &options).map_err(|mut error| {
        if error.code == Code::UNKNOWN_SCHEME {
            error.help = suggest::help(&spec.name, SCHEMES.iter().map(|entry| entry.name));
        }
        error.into()
    })
}

fn solver(spec: SolverSpec) -> Result<SolverOptions> {
    let Some(method) = Method::from_name(&spec.name) else {
        let message = format!("there is no solver \"{}\"", spec.name);
        let help = suggest::help(&spec.name, Method::NAMES);
        return Err(InputError::new(Code::UNKNOWN_SOLVER, "solver.name", message, help).into());
    };
    let defaults = SolverOptions::default();
    let max_iterations = spec.max_iterations.map_or(Ok(defaults.max_iterations), usize::try_from);
    let Some(max_iterations) = max_iterations.ok().filter(|&k| k > 0) else {
        let message = format!("max_iterations = {} is not at least 1", spec.max_iterations.unwrap_or(0));
        let help = "10000 is the default";
        return Err(InputError::new(Code::BAD_SOLVER_OPTION, "solver.max_iterations", message, help).into());
    };
    let tolerance = spec.tolerance.unwrap_or(defaults.tolerance);
    if !tolerance.is_finite() {
        let message = format!("tolerance = {tolerance}");
        return Err(InputError::new(Code::NOT_FINITE, "solver.tolerance", message, "1e-10 is the default").into());
    }
    Ok(SolverOptions { method, tolerance, max_iterations })
}

/// The initial state, moved to an admissible one when that was asked for.
fn start(
    mut problem: Problem,
    project: bool,
    solver: SolverOptions,
    warnings: &mut Vec<Warning>,
) -> std::result::Result<Problem, InputError> {
    if !project || problem.check_start().is_ok() {
        problem.check_start()?;
        return Ok(problem);
    }
    // a projection is exact to the solver's tolerance only; a second removes what the first left
    let mut change = 0.0;
    for _ in 0..3 {
        let (moved, gained) = project_start(&problem, solver)?;
        problem = moved;
        change += gained;
        if problem.check_start().is_ok() {
            break;
        }
    }
    problem.check_start()?;
    let message =
        format!("the initial state was moved to an admissible one near by; its energy changed by {change:.6e} J");
    warnings.push(Warning { code: Code::START_MOVED, message });
    Ok(problem)
}

/// An error about a contact or joint that has no table of its own, at the key that places the bodies.
fn placed(error: InputError, placed_by: Option<&'static str>) -> InputError {
    let Some(key) = placed_by else { return error };
    let (key, help) = match error.code {
        Code::PENETRATION => (key, "correct it, or use --fix-initial project"),
        Code::JOINT_POSITION if error.field != "model.q0" => (key, "correct it, or use --fix-initial project"),
        Code::JOINT_POSITION => (key, error.help.as_str()),
        Code::JOINT_VELOCITY => ("model.v0", error.help.as_str()),
        _ => return error,
    };
    let joint = error.field.strip_prefix("model.joint").map_or(String::new(), |k| {
        let number = k.trim_matches(['[', ']']);
        format!("joint {number}: ")
    });
    InputError::new(error.code, key, joint + &error.message, help)
}
