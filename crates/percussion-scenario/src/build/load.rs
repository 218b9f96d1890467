//! From a file, or a built-in name, to a scenario that can run.
//!
//! text → tables → overrides → keys → model, scheme, solver; an error finds its way back to its line.

use crate::build::attachments::Attachments;
use crate::build::resolve::{Resolved, resolve};
use crate::build::scenario::Scenario;
use crate::build::sensitivity::value_at;
use crate::build::start_from::{Left, StartFrom, start_from};
use crate::builtin;
use crate::error::{Result, ScenarioError};
use crate::format::locate::{Part, attach, place};
use crate::format::nesting::{DEEPEST, is_shallow};
use crate::format::overrides::Override;
use crate::format::write::scenario_text;
use crate::limits::{MAX_SCENARIO, too_large};
use crate::play::play_numbers;
use percussion_model::Code;
use percussion_solve::friction::DeviceChoice;
use percussion_step::{SCHEMES, Simulation, Warning};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// What the command line changes in a scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadOptions {
    /// `--set key=value`, in order.
    pub set: Vec<String>,
    /// `--scheme NAME`.
    pub scheme: Option<String>,
    /// `--step H` [s].
    pub step: Option<f64>,
    /// `--end T` [s].
    pub end: Option<f64>,
    /// `--fix-initial project`: move an inadmissible initial state to the nearest admissible one.
    pub project: bool,
    /// `--allow-outside`: files named by the scenario may lie outside its folder.
    pub anywhere: bool,
    /// `--from RUN[@t]`: start where another run was.
    pub from: Option<StartFrom>,
    /// `--device WHERE`, instead of the scenario's.
    pub device: Option<DeviceChoice>,
    /// Whether loads and drives are to be set by a program between steps.
    pub live: bool,
    /// Whether tables are to be kept, of large scenes a part where nothing is said of it.
    pub kept: bool,
}

/// A scenario's text with its name in messages and the folder its files lie in.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file as given, or `built-in NAME`.
    pub name: String,
    /// The text.
    pub text: String,
    /// Where matrix files are looked for; none for built-in scenarios.
    pub folder: Option<PathBuf>,
    /// What the run is called when the scenario has no name.
    pub default_name: String,
    /// What is not text.
    pub given: Attachments,
    /// Whether files may lie outside the folder.
    pub anywhere: bool,
}

impl Source {
    /// A file, or the name of a built-in scenario when there is no such file (a folder of that name, such as its run, does not count).
    pub fn open(scenario: &str) -> Result<Self> {
        let path = Path::new(scenario);
        if !path.is_file()
            && let Some(text) = builtin::text(scenario)
        {
            let name = format!("built-in {scenario}");
            let (text, mut given) = (text.into(), Attachments::default());
            given.files.extend(builtin::mesh(scenario).map(|mesh| (builtin::MESH.to_string(), mesh.into())));
            return Ok(Self { name, text, folder: None, default_name: scenario.into(), given, anywhere: false });
        }
        let refuse =
            |message: String, help: String| Err(ScenarioError::file(Code::UNREADABLE, scenario, message, help));
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) => {
                let names = builtin::names();
                let help = match crate::format::suggest::nearest(scenario, names.clone()) {
                    Some(name) => format!("did you mean the built-in scenario \"{name}\"?"),
                    None => format!("check the path; built in are: {}", names.collect::<Vec<_>>().join(", ")),
                };
                return refuse(plain(&error), help);
            }
        };
        if !metadata.is_file() {
            return refuse(
                "is not a file".into(),
                "give the scenario file itself, such as FOLDER/scenario.toml".into(),
            );
        }
        if metadata.len() > MAX_SCENARIO {
            return Err(too_large(scenario, "bytes", metadata.len(), MAX_SCENARIO));
        }
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => return refuse(plain(&error), "check that you may read it".into()),
        };
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let line =
                    error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|&&b| b == b'\n').count() + 1;
                let message = "is not text: a byte is not UTF-8";
                return Err(ScenarioError::file(Code::SYNTAX, scenario, message, "save the file as UTF-8 text")
                    .at_line(line, None));
            }
        };
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_path_buf();
        let stem = path.file_stem().map_or("scenario".into(), |s| s.to_string_lossy().into_owned());
        let (name, folder, given) = (scenario.into(), Some(folder), Attachments::default());
        Ok(Self { name, text, folder, default_name: stem, given, anywhere: false })
    }

    /// A text without files beside it, with what a program hands over.
    pub fn of_text(name: &str, text: &str, given: Attachments) -> Self {
        let (default_name, anywhere) = (name.into(), false);
        Self { name: name.into(), text: text.into(), folder: None, default_name, given, anywhere }
    }

    /// The scenario, ready to run.
    pub fn load(&self, options: &LoadOptions) -> Result<Loaded> {
        let table = self.parse()?;
        let plays = table.contains_key("play");
        let loaded = self.load_parsed(table, options)?;
        if plays {
            play_numbers(self)?;
        }
        Ok(loaded)
    }

    fn load_parsed(&self, table: Table, options: &LoadOptions) -> Result<Loaded> {
        self.load_changed(table, overrides(options)?, options)
    }

    /// The list that holds the entry a change is of, where the scenario leaves it out: `body.2.velocity.0` of a body at rest.
    fn unwritten_list(&self, table: &Table, change: &Override, options: &LoadOptions) -> Option<Override> {
        let (parent, entry) = change.field.rsplit_once('.')?;
        let (owner, _) = parent.rsplit_once('.')?;
        entry.parse::<usize>().ok()?;
        if value_at(table, parent).is_some() || !value_at(table, owner)?.is_table() {
            return None;
        }
        let plain = LoadOptions { from: None, live: false, ..options.clone() };
        let own = resolve(table.clone(), self, &plain).ok()?;
        let (text, _) = scenario_text(&own.scenario);
        let resolved: Table = text.parse().ok()?;
        let list = value_at(&resolved, parent)?.clone();
        list.is_array().then(|| Override::option(change.label.clone(), parent, list))
    }

    /// The tables with keys changed from outside.
    pub(crate) fn load_changed(
        &self,
        mut table: Table,
        overrides: Vec<Override>,
        options: &LoadOptions,
    ) -> Result<Loaded> {
        let mut warnings = Vec::new();
        if let Some(name) = &options.scheme {
            switch_scheme(&mut table, name, &mut warnings);
        }
        for change in &overrides {
            if let Some(list) = self.unwritten_list(&table, change, options) {
                list.apply(&mut table)?;
            }
            change.apply(&mut table)?;
        }
        if let Some(from) = &options.from {
            let plain = LoadOptions { from: None, live: false, ..options.clone() };
            let own = resolve(table.clone(), self, &plain)
                .map_err(|(error, part)| attach(error, &self.name, &self.text, part))?;
            let Left { q, v, remark } = start_from(from, &own.scenario.problem, &self.given)?;
            warnings.extend(remark);
            let list = |x: Vec<f64>| Value::Array(x.into_iter().map(Value::Float).collect());
            table
                .insert("start".into(), Value::Table(Table::from_iter([("q".into(), list(q)), ("v".into(), list(v))])));
        }
        let located = |(error, part)| self.locate(error, &overrides, part);
        let Resolved { mut scenario, simulation } = resolve(table, self, options).map_err(located)?;
        warnings.append(&mut scenario.warnings);
        scenario.warnings = warnings;
        Ok(Loaded { scenario, simulation })
    }

    /// An error with where it stands: in what was set from outside, which is not in the file, or there.
    pub(crate) fn locate(&self, error: Box<ScenarioError>, set: &[Override], part: Part) -> Box<ScenarioError> {
        match set.iter().rev().find(|change| change.concerns(&error.field)) {
            Some(change) if error.file.is_none() => {
                Box::new(ScenarioError { file: Some(change.label.clone()), ..*error })
            }
            Some(_) | None => attach(error, &self.name, &self.text, part),
        }
    }

    pub(crate) fn parse(&self) -> Result<Table> {
        if !is_shallow(&self.text) {
            let message = format!("brackets lie more than {DEEPEST} deep in each other");
            let help = "close the brackets; a scenario needs some five levels";
            return Err(ScenarioError::file(Code::SYNTAX, self.name.clone(), message, help));
        }
        self.text.parse::<Table>().map_err(|error| {
            let message = error.message().trim().to_string();
            let mut refused = ScenarioError::file(
                Code::SYNTAX,
                self.name.clone(),
                message,
                "look for a missing quote, bracket or equals sign, or a key given twice",
            );
            let (place, line) = place(&self.text, error.span().unwrap_or(0..0));
            refused.place = Some(place);
            refused.source_line = Some(line);
            refused
        })
    }
}

/// A scenario and its run at t = 0.
pub struct Loaded {
    /// The resolved scenario.
    pub scenario: Scenario,
    /// The run, not yet begun.
    pub simulation: Simulation,
}

/// Loads a file, or a built-in scenario by name.
pub fn load(scenario: &str, options: &LoadOptions) -> Result<Loaded> {
    Source { anywhere: options.anywhere, ..Source::open(scenario)? }.load(options)
}

/// Loads a scenario given as text, without files beside it.
pub fn load_text(name: &str, text: &str, options: &LoadOptions) -> Result<Loaded> {
    Source::of_text(name, text, Attachments::default()).load(options)
}

/// Loads a scenario given as tables, with what is not text beside them.
pub fn load_table(name: &str, table: Table, given: Attachments, options: &LoadOptions) -> Result<Loaded> {
    let source = Source::of_text(name, "", given);
    source.load_parsed(table, options).map_err(|mut error| {
        // there is no file to point into
        if error.file.as_deref() == Some(name) {
            (error.file, error.place, error.source_line) = (None, None, None);
        }
        error
    })
}

pub(crate) fn overrides(options: &LoadOptions) -> Result<Vec<Override>> {
    let mut list = Vec::new();
    if let Some(name) = &options.scheme {
        list.push(Override::option(format!("--scheme {name}"), "scheme.name", Value::String(name.clone())));
    }
    for (option, field, x) in [("--step", "time.step", options.step), ("--end", "time.end", options.end)] {
        if let Some(x) = x {
            list.push(Override::option(format!("{option} {x}"), field, Value::Float(x)));
        }
    }
    for text in &options.set {
        list.push(Override::parse(text)?);
    }
    Ok(list)
}

/// Parameters that mean the same in every scheme that takes them.
const CARRIED: &[&str] = &["theta", "alpha", "rho_inf", "activation", "prediction", "projection", "friction_law"];

/// Removes the parameters of the file's scheme that another one does not take, and says so.
fn switch_scheme(table: &mut Table, name: &str, warnings: &mut Vec<Warning>) {
    let Some(Value::Table(scheme)) = table.get_mut("scheme") else { return };
    let old = scheme.get("name").and_then(Value::as_str).unwrap_or("moreau-jean").to_string();
    let Some(entry) = SCHEMES.iter().find(|entry| entry.name == name) else { return };
    if old == name {
        return;
    }
    let dropped: Vec<String> = scheme
        .keys()
        .filter(|key| *key != "name")
        // moreau-jean-fremond is a law already
        .filter(|key| {
            let means_the_same = CARRIED.contains(&key.as_str()) && entry.takes(key);
            !means_the_same || (*key == "friction_law" && name == "moreau-jean-fremond")
        })
        .cloned()
        .collect();
    for key in &dropped {
        scheme.remove(key);
    }
    if !dropped.is_empty() {
        let message = format!("{} of the file belongs to {old} and is not used by {name}", dropped.join(", "));
        warnings.push(Warning { code: Code::SCHEME_SWITCHED, message });
    }
}

/// An I/O error without the operating system's number.
pub(crate) fn plain(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "may not be read".into(),
        _ => format!("cannot be read: {error}"),
    }
}
