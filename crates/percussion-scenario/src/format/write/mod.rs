//! A resolved scenario as TOML: every default written out, so that it reproduces the run bit by bit.
//!
//! Numbers are written with as many digits as it takes to read the same bits back. Matrices of more than 16 rows, long
//! vectors and meshes go to files beside it, large ones in binary.

mod attached;
mod bodies;
pub mod flexible;
mod linear;
mod reduced;
mod solid;

pub use attached::Attached;

use super::keys::ModelSpec;
use super::keys::computation::{OutputSpec, SolverSpec, StartSpec, TimeSpec};
use super::keys::formula::FormulaSpec;
use super::keys::nonlinear::{BeamSpec, OwnSpec, PendulumSpec, RockingBlockSpec};
use super::text::{ToText, write_lines};
use crate::build::adaptive;
use crate::build::scenario::{Description, Scenario};
use crate::build::signal_files::SignalFile;
use crate::live::inputs::INPUTS;
use crate::run::memory::{Cells, KeptTable, write_inputs};
use percussion_solve::SolverOptions;
use percussion_step::{Activation, Projection, Written};
use std::fmt::Write as _;
use std::path::Path;

/// The first line of every resolved scenario; a file without it is a person's and is not overwritten.
pub const MARK: &str = "# resolved by percussion: this file reproduces the run exactly";

/// Writes `scenario.toml` and the files it needs into a folder; its text.
pub fn write_scenario(scenario: &Scenario, folder: &Path) -> std::io::Result<String> {
    let (text, files) = scenario_text(scenario);
    for (name, attached) in files {
        attached.write(&folder.join(name))?;
    }
    for SignalFile { name, points } in &scenario.signal_files {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let rows = points.iter().map(|[t, x]| format!("{},{}\n", number(*t), number(*x)));
        std::fs::write(path, format!("t,x\n{}", rows.collect::<String>()))?;
    }
    if let Some(inputs) = &scenario.inputs {
        let Cells { columns, values, words } = &**inputs;
        write_inputs(folder, &KeptTable { columns, values, words })?;
    }
    crate::run::atomic_file::replace(&folder.join("scenario.toml"), text.as_bytes())?;
    Ok(text)
}

/// The text, and what goes to files of its own.
pub fn scenario_text(scenario: &Scenario) -> (String, Vec<(String, Attached<'_>)>) {
    let inputs = scenario.inputs.as_ref().map_or(String::new(), |_| format!("inputs = {}\n", quoted(INPUTS)));
    let mut text = format!("{MARK}\nformat = 1\nname = {}\n{inputs}\n[model]\n", quoted(&scenario.name));
    let mut files = Vec::new();
    let (q0, v0) = (Some(scenario.problem.q0.clone()), Some(scenario.problem.v0.clone()));
    let spec = match (&scenario.description, scenario.linear()) {
        (Description::Linear(description), Some(model)) => {
            Some(ModelSpec::Linear(linear::linear(model, description, &scenario.problem, &mut files)))
        }
        (Description::Bar { bar, force }, Some(model)) => {
            Some(ModelSpec::Bar(linear::bar(bar, model, force, scenario)))
        }
        (Description::Pendulum(spec), _) => {
            let friction = spec.friction.filter(|&mu| mu > 0.0);
            Some(ModelSpec::Pendulum(PendulumSpec { angle: None, friction, q0, v0, ..spec.clone() }))
        }
        (Description::RockingBlock(spec), _) => {
            let (q0, friction) = (q0.unwrap_or_default(), spec.friction.filter(|&mu| mu > 0.0));
            Some(ModelSpec::RockingBlock(RockingBlockSpec { friction, q0, v0, ..spec.clone() }))
        }
        (Description::Beam(spec), _) => {
            let friction = spec.friction.filter(|&mu| mu > 0.0);
            Some(ModelSpec::Beam(BeamSpec { friction, q0, v0, ..spec.clone() }))
        }
        (Description::Bodies(parts, solids, looks), _) => {
            let mut spec = bodies::scene(parts, solids, scenario, &mut files);
            bodies::looks(looks, &mut spec, &mut files);
            Some(ModelSpec::Bodies(spec))
        }
        (Description::Solid(description), _) => Some(ModelSpec::Solid(solid::solid(description, scenario, &mut files))),
        (Description::Formula(spec), _) => Some(ModelSpec::Formula(FormulaSpec { q0, v0, ..(**spec).clone() })),
        (Description::Own(spec), _) => {
            line(&mut text, "kind", &quoted("own"));
            let spec = OwnSpec { q0, v0, ..(**spec).clone() };
            write_lines(&mut text, &spec.lines().unwrap_or_default(), "model.");
            None
        }
        // these two have a linear model
        (Description::Linear(_) | Description::Bar { .. }, None) => None,
    };
    // the lists of a scene stand at the top level
    let prefix = if matches!(spec, Some(ModelSpec::Bodies(_))) { "" } else { "model." };
    write_lines(&mut text, &spec.and_then(|spec| spec.lines()).unwrap_or_default(), prefix);
    write_scheme(&mut text, scenario);
    write_computation(&mut text, scenario);
    (text, files)
}

/// Solver, time and output.
fn write_computation(text: &mut String, scenario: &Scenario) {
    let SolverOptions { method, tolerance, enough, max_iterations } = scenario.solver;
    // a tolerance that is written must be met
    let tolerance = enough.is_none().then_some(tolerance);
    let max_iterations = i64::try_from(max_iterations).unwrap_or(i64::MAX);
    let device = scenario.device.name().into();
    let solver = SolverSpec { name: method.name().into(), tolerance, max_iterations, device };
    let adaptive = scenario.adaptive.as_ref().map(adaptive::spec);
    let time = TimeSpec { end: scenario.end, step: scenario.step, adaptive };
    let output = OutputSpec {
        every: Some(i64::try_from(scenario.every).unwrap_or(i64::MAX)),
        select: scenario.selection.words.clone(),
    };
    let start = StartSpec { q: scenario.problem.q0.clone(), v: scenario.problem.v0.clone() };
    let start = scenario.continued.then(|| start.lines()).flatten();
    let tables = [("solver", solver.lines()), ("time", time.lines()), ("start", start), ("output", output.lines())];
    for (name, lines) in tables.into_iter().filter(|(_, lines)| lines.is_some()) {
        let _ = writeln!(text, "\n[{name}]");
        write_lines(text, &lines.unwrap_or_default(), "");
    }
}

fn write_scheme(text: &mut String, scenario: &Scenario) {
    text.push_str("\n[scheme]\n");
    let scheme = &scenario.scheme;
    line(text, "name", &quoted(scheme.name));
    let takes = |key: &str| scheme.takes(key);
    for (key, value) in scheme.parameters() {
        // HHT calls its α_f alpha, and has no α_m
        let key = if key == "alpha_f" && !takes("alpha_f") && takes("alpha") { "alpha" } else { key };
        if takes(key) {
            let value = match value {
                Written::Number(x) => number(x),
                Written::Integer(k) => k.to_string(),
                Written::Word(word) => quoted(&word),
            };
            line(text, key, &value);
        }
    }
    if takes("activation") {
        line(text, "activation", &quoted(scheme.activation.name()));
        // position-level schemes decide on g(q̂) and take no prediction
        if let (Activation::Predicted { prediction }, true) = (scheme.activation, takes("prediction")) {
            line(text, "prediction", &number(prediction));
        }
    }
    if takes("projection") {
        line(text, "projection", &quoted(projection_name(scheme.projection)));
    }
    if takes("solution") {
        line(text, "solution", &quoted(solution_name(scheme.sequential)));
    }
    if takes("friction_law") {
        line(text, "friction_law", &quoted(scheme.friction_law.name()));
    }
    if let Some(law) = &scheme.impact_law {
        line(text, "impact_law", &quoted(law.name));
    }
    if takes("gyroscopic") && scenario.model().bodies().is_some() {
        line(text, "gyroscopic", &quoted(scheme.gyroscopic.name()));
    }
}

/// The word for the way GGL is solved.
pub fn solution_name(sequential: bool) -> &'static str {
    if sequential { "sequential" } else { "monolithic" }
}

/// The word for a projection.
pub fn projection_name(projection: Projection) -> &'static str {
    match projection {
        Projection::None => "none",
        Projection::Paid => "paid",
    }
}

/// One key.
pub fn line(text: &mut String, key: &str, value: &str) {
    let _ = writeln!(text, "{key} = {value}");
}

/// The shortest text that reads back to the same bits; TOML wants a digit on both sides of a point.
pub fn number(x: f64) -> String {
    format!("{x:?}")
}

/// A TOML string.
pub fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}

pub fn list(entries: impl Iterator<Item = String>) -> String {
    format!("[{}]", entries.collect::<Vec<_>>().join(", "))
}
