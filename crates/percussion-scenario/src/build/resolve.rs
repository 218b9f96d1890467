//! From tables to a resolved scenario.

use super::attachments::Attachments;
use super::bodies::{bodies, typed};
use super::dials::{Reach, with_dials};
use super::linear::Built;
use super::load::{LoadOptions, Source};
use super::model_warnings::warn_of_model;
use super::scenario::{Description, Scenario};
use super::signal_files::read_signal_files;
use super::thinning::{Thinned, thinned};
use super::{adaptive, formula, linear, nonlinear, solid};
use crate::build::device::attach;
use crate::build::sensitivity::read_sensitivity;
use crate::dynamics::read_dynamics;
use crate::error::ScenarioError;
use crate::format::former_names::rename;
use crate::format::keys::bodies::LISTS;
use crate::format::keys::computation::{OutputSpec, SolverSpec, StartSpec, TimeSpec};
use crate::format::keys::nonlinear::OwnSpec;
use crate::format::keys::play::PlaySpec;
use crate::format::keys::scheme::read_scheme;
use crate::format::keys::{KINDS, MODEL, ModelSpec, SCENARIO, ScenarioSpec};
use crate::format::locate::Part;
use crate::format::plain_names::refuse_control_characters;
use crate::format::record::{FromValue, Place, Read, Refused, read, take_kind, unknown_key};
use crate::format::suggest;
use crate::live::inputs::{SetAgain, read_inputs};
use crate::run::selection::Selection;
use percussion_model::bodies::Bodies;
use percussion_model::{Code, InputError};
use percussion_solve::friction::DeviceChoice;
use percussion_solve::{Method, SolverOptions};
use percussion_step::{
    Activation, AdaptiveOptions, CHOSEN_FOR_LASTING_CONTACTS, FrictionLaw, Model, Problem, Scheme, SchemeOptions,
    Simulation, State, StepCount, Warning, for_lasting_contacts, onto_joints, project_start, step_count,
};
use toml::{Table, Value};

/// Numbers of the trajectory that a step of a solid takes where `output.every` says nothing: 0.2 MB of text.
const NUMBERS_IN_A_STEP: u64 = 10_000;

/// A scenario with its run at t = 0.
pub struct Resolved {
    /// The scenario.
    pub scenario: Scenario,
    /// The run.
    pub simulation: Simulation,
}

/// How in time, how at an instant, how long and what is kept: independent of the model.
struct Computation {
    scheme: Scheme,
    solver: SolverOptions,
    device: DeviceChoice,
    step: f64,
    end: f64,
    count: StepCount,
    adaptive: Option<AdaptiveOptions>,
    /// As written.
    every: Option<u64>,
    /// What the tables are to hold, as written.
    select: Vec<String>,
    /// What was written of the scheme.
    options: SchemeOptions,
}

/// Checks everything: scheme, solver, time and output first, which are cheap, then the model and its initial state.
pub fn resolve(mut table: Table, source: &Source, asked: &LoadOptions) -> Read<Resolved> {
    let mut warnings = Vec::new();
    rename(&mut table, SCENARIO, &mut warnings)?;
    refuse_control_characters(&table)?;
    let signal_files = read_signal_files(&mut table, source).map_err(refused)?;
    let mut spec: ScenarioSpec = read("", Value::Table(table))?;
    if spec.format != Value::Integer(1) {
        let message = format!("format = {} is not known", spec.format);
        return Err(value(InputError::new(Code::WRONG_TYPE, "format", message, "this version reads format = 1")));
    }
    if spec.sweep.is_some() {
        let message = "[sweep] describes many runs, and this is about one";
        let error = InputError::new(Code::UNKNOWN_KEY, "sweep", message, "use `percussion sweep`, or remove [sweep]");
        return Err((error.into(), Part::Key));
    }
    if let Some(dynamics) = spec.dynamics.take() {
        read_dynamics(dynamics)?;
    }
    if let Some(sensitivity) = spec.sensitivity.take() {
        read_sensitivity(sensitivity)?;
    }
    if let Some(play) = spec.play.take() {
        read::<PlaySpec>("play", play)?;
    }
    let mut remarks = Vec::new();
    name_scheme_of_finite_solids(&mut spec);
    let computation = computation(&mut spec, &source.given, &mut remarks)?;

    let at_top = gather_lists(&mut spec)?;
    // a live simulation is in the hands of its program alone
    let name = spec.inputs.take().filter(|_| !asked.live);
    let inputs = name.map(|name| read_inputs(&name, source)).transpose().map_err(refused)?;
    let reach = if asked.live || inputs.is_some() { Reach::of(&computation.scheme) } else { Reach::Nothing };
    let Built { description, mut model, q0, v0, start: placed_by, tables, mut hands } =
        build(spec.model, source, (takes_massless(&computation), reach)).map_err(|refused| renamed(refused, at_top))?;
    if reach != Reach::Nothing {
        model = with_dials(&description, model, reach, &mut hands).map_err(refused)?;
    }
    let Computation { scheme, solver, device, step, end, count, adaptive, every, select, options } = computation;
    let lasting = for_lasting_contacts(scheme.name, &options, &model).filter(|_| adaptive.is_none());
    let chosen = lasting.is_some().then_some(CHOSEN_FOR_LASTING_CONTACTS);
    let mut scheme = match lasting {
        Some(options) => Scheme::resolve(scheme.name, &options).map_err(value)?.0,
        None => scheme,
    };
    let massless = model.linear().is_some_and(|linear| linear.has_massless());
    if massless && options.activation.is_none() && scheme.equations().admits(Activation::Equilibrium).is_ok() {
        scheme.activation = if model.has_friction() { Activation::Gap } else { Activation::Equilibrium };
    }
    let left: Option<StartSpec> = spec.start.take().map(|table| read("start", table)).transpose()?;
    let continued = left.is_some();
    let problem = match left {
        // what a run left is admitted as it is
        Some(StartSpec { q, v }) => Problem::unchecked(model, q, v)
            .and_then(|problem| joined(problem, asked.project, &mut warnings))
            .map_err(at_start),
        None => {
            Problem::unchecked(model, q0, v0).and_then(|problem| start(problem, asked.project, solver, &mut warnings))
        }
    };
    let mut problem = problem.map_err(|error| renamed(value(placed(typed(error, &tables), placed_by)), at_top))?;
    warnings.append(&mut remarks);
    warnings.extend(warn_of_end(step, end, &count).filter(|_| adaptive.is_none()));
    if let Description::Solid(solid) = &description {
        warnings.extend(solid.warnings());
    }
    warn_of_model(&problem, step, end, &mut warnings);
    let simulation = match &adaptive {
        None => Simulation::new(&problem, &scheme, solver, step),
        Some(options) => Simulation::adaptive(&problem, &scheme, solver, step, end, options),
    };
    let mut simulation = simulation.map_err(value)?;
    let scheme = simulation.scheme().clone();
    // where a law moved the start, the run is written with the place it begins at
    problem.q0.clone_from(&simulation.state().q);
    // flexible bodies are described without strain: nodes that were moved stand in [start], and so do velocities that were
    let bent = |scene: &Bodies| scene.has_elements() && scene.q0() != problem.q0;
    let continued = continued || problem.model.bodies().is_some_and(|scene| bent(scene) || scene.v0() != problem.v0);
    warnings.extend(simulation.warnings());
    let unsaid = asked.kept && every.is_none() && select.is_empty() && adaptive.is_none();
    let thinned = problem.model.bodies().filter(|_| unsaid).and_then(|scene| thinned(scene, count.n));
    let (every, select) = match thinned {
        Some(Thinned { every, select, warning }) => {
            warnings.push(warning);
            (Some(every), select)
        }
        None => (every, select),
    };
    let selection = Selection::new(select, &description, &problem.model).map_err(value)?;
    warnings.extend(attach(&mut simulation, asked.device.unwrap_or(device)).map_err(value)?);
    let kept = selection.q.len() + selection.v.len();
    let every = every.unwrap_or_else(|| if has_solids(&description, &problem.model) { every_by_size(kept) } else { 1 });
    let name = spec.name.unwrap_or_else(|| source.default_name.clone());
    let given = source.given.clone();
    let scenario = Scenario {
        name,
        description,
        problem,
        scheme,
        solver,
        device,
        step,
        end,
        count,
        adaptive,
        every,
        selection,
        warnings,
        chosen,
        given,
        signal_files,
        hands,
        continued,
        inputs,
    };
    if let Some(inputs) = &scenario.inputs {
        let again = SetAgain::new(&scenario, inputs, &mut simulation).map_err(refused)?;
        simulation.driven_by(Some(Box::new(again)));
    }
    Ok(Resolved { scenario, simulation })
}

/// Solids in finite deformation have one scheme, which need not be written.
fn name_scheme_of_finite_solids(spec: &mut ScenarioSpec) {
    let said = |key: &str, word: &str| spec.model.get(key).and_then(Value::as_str) == Some(word);
    if !said("kind", "solid") || !said("kinematics", "finite") {
        return;
    }
    let written = spec.scheme.get_or_insert_with(|| Value::Table(Table::new()));
    if let Value::Table(keys) = written {
        keys.entry("name").or_insert_with(|| Value::String("energy-momentum".into()));
    }
}

/// Steps of one length that do not end where they were asked to.
fn warn_of_end(step: f64, end: f64, count: &StepCount) -> Option<Warning> {
    if step > end && end > 0.0 {
        let message = format!("step = {step} is longer than the run, end = {end}: it is one step, and ends at {step}");
        return Some(Warning { code: Code::LONG_STEP, message });
    }
    let last = count.n as f64 * step;
    let message = format!("end = {end} is not a multiple of step = {step}: the run ends at {last}");
    (!count.exact).then_some(Warning { code: Code::END_ROUNDED, message })
}

fn computation(spec: &mut ScenarioSpec, given: &Attachments, remarks: &mut Vec<Warning>) -> Read<Computation> {
    let section = |table: &mut Option<Value>| table.take().unwrap_or_else(|| Value::Table(Table::new()));
    let (name, options) = read_scheme(section(&mut spec.scheme))?;
    let (scheme, mut said) = scheme(&name, &options, given).map_err(value)?;
    remarks.append(&mut said);
    let solver_spec: SolverSpec = read("solver", section(&mut spec.solver))?;
    let device = device(&solver_spec.device).map_err(value)?;
    let solver = solver(solver_spec).map_err(value)?;
    let time: TimeSpec = read("time", std::mem::replace(&mut spec.time, Value::Boolean(false)))?;
    let count = step_count(time.end, time.step).map_err(value)?;
    let adaptive = time.adaptive.map(|spec| adaptive::options(spec, time.end)).transpose()?;
    let output: OutputSpec = read("output", section(&mut spec.output))?;
    let every = match output.every.map(|every| (every, u64::try_from(every))) {
        None => None,
        Some((_, Ok(every))) if every > 0 => Some(every),
        Some((every, _)) => {
            let message = format!("every = {every} is not a whole number of at least 1");
            return Err(value(InputError::new(Code::BAD_OUTPUT, "output.every", message, "1 keeps every step")));
        }
    };
    let select = output.select;
    Ok(Computation { scheme, solver, device, step: time.step, end: time.end, count, adaptive, every, select, options })
}

/// Whether the model is a solid of finite elements, or a scene with some.
fn has_solids(description: &Description, model: &Model) -> bool {
    description.solid().is_some() || model.bodies().is_some_and(|scene| !scene.elastic().is_empty())
}

/// Steps to a row for which a step takes no more than so many numbers of the trajectory: it depends on the model alone, so that a run
/// and its continuation keep the same rows.
fn every_by_size(numbers: usize) -> u64 {
    (numbers as u64).div_ceil(NUMBERS_IN_A_STEP).max(1)
}

/// Whether contact surfaces may be left without mass: the scheme has a law for them, and no other was asked for.
fn takes_massless(computation: &Computation) -> bool {
    let scheme = &computation.scheme;
    let other = computation.options.activation.is_some()
        && !matches!(scheme.activation, Activation::Gap | Activation::Equilibrium);
    let law = scheme.entry.and_then(|entry| entry.only_law);
    !other
        && law.is_none()
        && computation.adaptive.is_none()
        && scheme.equations().admits(Activation::Equilibrium).is_ok()
}

/// The model of `[model]`; asked: whether the scheme moves nodes without mass, and what hands are put on.
fn build(model: Value, source: &Source, asked: (bool, Reach)) -> Read<Built> {
    let at = Place::top("model");
    let own = |kind: &str| model.get("kind").and_then(Value::as_str) == Some(kind);
    if own("own") {
        let (_, rest) = take_kind(model, KINDS, &at)?;
        return nonlinear::own(OwnSpec::from_value(rest, &MODEL, &at)?, &source.given).map_err(refused);
    }
    if own("bar") {
        linear::refuse_friction(&model).map_err(refused)?;
    }
    let built = match ModelSpec::from_value(model, &MODEL, &at)? {
        ModelSpec::Linear(spec) => linear::linear(spec, source),
        ModelSpec::Bar(spec) => linear::bar(spec),
        ModelSpec::Pendulum(spec) => nonlinear::pendulum(spec),
        ModelSpec::RockingBlock(spec) => nonlinear::rocking_block(spec),
        ModelSpec::Beam(spec) => nonlinear::beam(spec),
        ModelSpec::Solid(spec) => solid::solid(spec, source, asked),
        ModelSpec::Bodies(spec) => bodies(spec, source),
        ModelSpec::Formula(spec) => formula::formula(spec),
    };
    built.map_err(refused)
}

/// Moves the lists of a scene from the top level into `[model]`; whether any stood there.
fn gather_lists(spec: &mut ScenarioSpec) -> Read<bool> {
    let lists = [
        &mut spec.material,
        &mut spec.pair,
        &mut spec.body,
        &mut spec.spring,
        &mut spec.joint,
        &mut spec.beam,
        &mut spec.cable,
        &mut spec.bushing,
        &mut spec.flexible,
        &mut spec.solid,
        &mut spec.load,
    ];
    let mut at_top = false;
    for (key, list) in LISTS.into_iter().zip(lists) {
        let Some(list) = list.take() else { continue };
        let Value::Table(model) = &mut spec.model else { continue };
        if model.get("kind").and_then(Value::as_str) != Some("bodies") {
            return Err(unknown_key(&Place::top(""), key, ["format", "name", "model"]));
        }
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

fn refused(error: Box<ScenarioError>) -> Refused {
    (error, Part::Value)
}

fn value(error: InputError) -> Refused {
    refused(error.into())
}

fn scheme(
    name: &str,
    options: &SchemeOptions,
    given: &Attachments,
) -> std::result::Result<(Scheme, Vec<Warning>), InputError> {
    if let Some(law) = &options.friction_law
        && !FrictionLaw::NAMES.contains(&law.as_str())
    {
        let message = format!("friction_law = \"{law}\" does not exist");
        let help = suggest::help(law, FrictionLaw::NAMES);
        return Err(InputError::new(Code::BAD_PARAMETER, "scheme.friction_law", message, help));
    }
    given.scheme(name, options).map_err(|mut error| {
        if error.code == Code::UNKNOWN_SCHEME {
            error.help = suggest::help(name, given.scheme_names());
        }
        error
    })
}

fn device(name: &str) -> std::result::Result<DeviceChoice, InputError> {
    DeviceChoice::from_name(name).ok_or_else(|| {
        let message = format!("there is no device \"{name}\"");
        InputError::new(Code::BAD_SOLVER_OPTION, "solver.device", message, suggest::help(name, DeviceChoice::NAMES))
    })
}

fn solver(spec: SolverSpec) -> std::result::Result<SolverOptions, InputError> {
    let Some(method) = Method::from_name(&spec.name) else {
        let message = format!("there is no solver \"{}\"", spec.name);
        let help = suggest::help(&spec.name, Method::NAMES);
        return Err(InputError::new(Code::UNKNOWN_SOLVER, "solver.name", message, help));
    };
    let Some(max_iterations) = usize::try_from(spec.max_iterations).ok().filter(|&k| k > 0) else {
        let message = format!("max_iterations = {} is not at least 1", spec.max_iterations);
        let help = "10000 is the default";
        return Err(InputError::new(Code::BAD_SOLVER_OPTION, "solver.max_iterations", message, help));
    };
    let defaults = SolverOptions::default();
    let (tolerance, enough) = spec.tolerance.map_or((defaults.tolerance, Some(ENOUGH)), |written| (written, None));
    if !tolerance.is_finite() {
        let message = format!("tolerance = {tolerance}");
        return Err(InputError::new(Code::NOT_FINITE, "solver.tolerance", message, "1e-10 is the default"));
    }
    Ok(SolverOptions { method, tolerance, enough, max_iterations })
}

/// Residuals that are accepted where no tolerance is written.
const ENOUGH: f64 = 1e-6;

/// An error about the state of a run, at its own table.
fn at_start(error: InputError) -> InputError {
    let field = error.field.replace("model.q0", "start.q").replace("model.v0", "start.v");
    let field = field.replace("model.q", "start.q").replace("model.v", "start.v");
    InputError { field, ..error }
}

/// What a run left, its bodies moved onto the joints of this scene where they miss them by round-off, or where it was asked for. Velocities that part them
/// are changed by the least that joints allow: with θ = ½ it is the mean of both ends of a step that joints hold, and light links of cables swing about it.
fn joined(
    mut problem: Problem,
    project: bool,
    warnings: &mut Vec<Warning>,
) -> std::result::Result<Problem, InputError> {
    if let Some(scene) = problem.model.bodies() {
        let mut state = State { t: 0.0, q: problem.q0, v: problem.v0 };
        let mut moved = onto_joints(scene, &mut state, project);
        if let Some(parting) = moved.as_ref().err().filter(|error| error.code == Code::JOINT_VELOCITY) {
            let message = format!("{}: velocities were changed by the least that joints allow", parting.message);
            warnings.push(Warning { code: Code::START_MOVED, message });
            moved = onto_joints(scene, &mut state, true);
        }
        moved.map_err(|error| {
            let help = "start from a run whose bodies the joints of this scene hold, or use --fix-initial project";
            InputError { field: error.field.replace("state", "model"), help: help.into(), ..error }
        })?;
        (problem.q0, problem.v0) = (state.q, state.v);
    }
    Ok(problem)
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
        let (moved, gained) = project_start(&problem, SolverOptions { enough: None, ..solver })?;
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
