//! A study of `[dynamics]`, ready to load its scenario at any value of its parameters.

use crate::build::load::{LoadOptions, Loaded, Source, overrides};
use crate::build::sensitivity::{number, scenario_number};
use crate::error::{Result, ScenarioError};
use crate::format::keys::dynamics::{AxisSpec, DYNAMICS, DynamicsSpec, LinkSpec};
use crate::format::locate::Part;
use crate::format::overrides::Override;
use crate::format::record::{Place, Read, misfit, read};
use percussion_model::{Code, Form, InputError};
use toml::{Table, Value};

/// What is made of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DynamicsKind {
    /// The points of one motion on a section.
    Section,
    /// The amplitudes of one motion over the frequency.
    Spectrum,
    /// The points of a section for every value of a parameter.
    Bifurcation,
    /// Where the starts of a grid end.
    Basin,
    /// A periodic orbit, and its branch over a parameter.
    Orbit,
    /// Lyapunov exponents.
    Exponent,
}

/// Which way a parameter goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From its first value to its last.
    Up,
    /// Back.
    Down,
}

impl Direction {
    /// As tables name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
        }
    }
}

/// Starts of a basin at most.
const MOST_STARTS: u64 = 10_000_000;

/// A key that varies between two values.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Dotted.
    pub key: String,
    /// The first value.
    pub from: f64,
    /// The last.
    pub to: f64,
    /// How many.
    pub points: usize,
}

impl Axis {
    /// Value k; the ends, and a zero between them, exactly: round-off beside them is out of the range of many a key.
    pub fn at(&self, k: usize) -> f64 {
        let last = (self.points - 1).max(1);
        if k == last {
            return self.to;
        }
        let x = self.from + (self.to - self.from) * k as f64 / last as f64;
        if x.abs() <= 4.0 * f64::EPSILON * self.from.abs().max(self.to.abs()) { 0.0 } else { x }
    }
}

/// A study.
pub struct Dynamics {
    /// Its name.
    pub name: String,
    /// What is made.
    pub kind: DynamicsKind,
    /// What varies; the second is the ordinate of a basin.
    pub axes: Vec<Axis>,
    /// Which way the parameter goes.
    pub directions: Vec<Direction>,
    /// The keys as written.
    pub spec: DynamicsSpec,
    source: Source,
    table: Table,
    options: LoadOptions,
    /// What was set from outside: of the study, and of its scenario.
    own: Vec<Override>,
    changes: Vec<Override>,
}

fn refuse<T>(field: &str, message: impl Into<String>, help: &str) -> Result<T> {
    Err(InputError::new(Code::BAD_DYNAMICS, format!("dynamics.{field}"), message, help).into())
}

impl Dynamics {
    /// From a file or a built-in scenario with `[dynamics]`, changed as on the command line.
    pub fn open(scenario: &str, options: &LoadOptions) -> Result<Self> {
        let source = Source { anywhere: options.anywhere, ..Source::open(scenario)? };
        let mut table = source.parse()?;
        let (own, changes): (Vec<Override>, Vec<Override>) =
            overrides(options)?.into_iter().partition(|change| change.is_of("dynamics"));
        own.iter().try_for_each(|change| change.apply(&mut table))?;
        let Some(spec) = table.remove("dynamics") else {
            let help = "add [dynamics] with kind = \"bifurcation\" and its keys; docs/book/dynamics.md shows one";
            return Err(ScenarioError::file(Code::BAD_DYNAMICS, source.name, "there is no table [dynamics]", help));
        };
        let name = match table.get("name") {
            Some(Value::String(name)) => name.clone(),
            _ => source.default_name.clone(),
        };
        let located = |error| source.locate(error, &own, Part::Value);
        let spec = read_dynamics(spec).map_err(|(error, _)| located(error))?;
        let (kind, axes, directions) = Self::check(&spec).map_err(located)?;
        let study = Self { name, kind, axes, directions, spec, source, table, options: options.clone(), own, changes };
        study.check_keys()?;
        Ok(study)
    }

    /// Refuses keys the scenario has no number for, and those that cannot be set as it is written.
    fn check_keys(&self) -> Result<()> {
        // what is wrong with the scenario itself is told where it is run
        let Ok(Loaded { scenario, .. }) = self.load(&[], None, None) else { return Ok(()) };
        let axes = self.axes.iter().zip(["parameter", "y"]).map(|(axis, field)| (field, &axis.key));
        let links = self.spec.link.iter().map(|link| ("link", &link.key));
        for (field, key) in axes.chain(links).chain(self.spec.omega.iter().map(|key| ("omega", key))) {
            if OUTSIDE.iter().any(|table| key.starts_with(table)) {
                let help = "masses, stiffnesses, restitution, friction, places, loads, initial values and a scheme's parameters vary";
                return self.refuse(field, format!("{key} is no number of the model or of the scheme"), help);
            }
            if scenario_number(&scenario, key).is_none() && number(&self.table, key).is_none() {
                let help = "name a key of the scenario as in --set: model.contact.0.restitution, body.0.mass";
                return self.refuse(field, format!("{key} is no key with a number"), help);
            }
        }
        let first: Vec<f64> = self.axes.iter().map(|axis| axis.from).collect();
        match self.load(&first, None, None) {
            Err(error) if error.code == Code::WRONG_TYPE => {
                let keys: Vec<&str> = self.axes.iter().map(|axis| axis.key.as_str()).collect();
                let message = format!("{} cannot be set ({}: {})", keys.join(", "), error.code.as_str(), error.message);
                let help = "name keys that the scenario writes, with their whole list or table there";
                self.refuse("parameter", message, help)
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Whether its rows do not follow from each other, so that shards may share them out.
    pub fn has_independent_rows(&self) -> bool {
        match self.kind {
            DynamicsKind::Basin | DynamicsKind::Exponent => true,
            DynamicsKind::Bifurcation => !self.spec.carry,
            DynamicsKind::Section | DynamicsKind::Spectrum | DynamicsKind::Orbit => false,
        }
    }

    /// What the keys mean together.
    fn check(spec: &DynamicsSpec) -> Result<(DynamicsKind, Vec<Axis>, Vec<Direction>)> {
        let kind = match spec.kind.as_str() {
            "section" => DynamicsKind::Section,
            "spectrum" => DynamicsKind::Spectrum,
            "bifurcation" => DynamicsKind::Bifurcation,
            "basin" => DynamicsKind::Basin,
            "orbit" => DynamicsKind::Orbit,
            "exponent" => DynamicsKind::Exponent,
            other => {
                let help = "use \"section\", \"spectrum\", \"bifurcation\", \"basin\", \"orbit\" or \"exponent\"";
                return refuse("kind", format!("there is no kind \"{other}\""), help);
            }
        };
        let mut axes = Vec::new();
        // of one motion, at the scenario's own values: what another kind would vary may stand
        let single = matches!(kind, DynamicsKind::Section | DynamicsKind::Spectrum);
        match (&spec.parameter, spec.from, spec.to) {
            (Some(_), Some(_), Some(_)) if single => {}
            (Some(key), Some(from), Some(to)) => {
                axes.push(Axis { key: key.clone(), from, to, points: spec.points as usize });
            }
            (None, None, None) if !matches!(kind, DynamicsKind::Bifurcation | DynamicsKind::Basin) => {}
            _ => return refuse("parameter", "parameter, from and to belong together", "give all three"),
        }
        match (&spec.y, kind) {
            (Some(AxisSpec { parameter, from, to, points }), DynamicsKind::Basin) => {
                axes.push(Axis { key: parameter.clone(), from: *from, to: *to, points: *points as usize });
            }
            (None, DynamicsKind::Basin) => {
                let help = "add y = { parameter = \"model.v0.0\", from = …, to = …, points = … }";
                return refuse("y", "a basin varies two keys", help);
            }
            (Some(_), _) => {
                return refuse("y", "only a basin varies a second key", "remove y, or use kind = \"basin\"");
            }
            (None, _) => {}
        }
        if let Some(axis) = axes.iter().find(|axis| axis.from == axis.to) {
            let message = format!("{} would be {} at every point", axis.key, axis.from);
            return refuse("to", message, "give from and to that differ");
        }
        if let Some(axis) = axes.iter().find(|axis| !(axis.from.is_finite() && axis.to.is_finite())) {
            return refuse(
                "from",
                format!("{} goes from {} to {}", axis.key, axis.from, axis.to),
                "give finite numbers",
            );
        }
        let starts = axes.iter().map(|axis| axis.points as u64).product::<u64>();
        if starts > MOST_STARTS {
            let message = format!("{starts} starts are more than the {MOST_STARTS} that one table holds");
            return refuse("points", message, "give fewer points, and parts of the plane as studies of their own");
        }
        if spec.period.is_some() && spec.omega.is_some() {
            return refuse("period", "period and omega say the same twice", "remove one");
        }
        let directions = match spec.direction.as_str() {
            "up" => vec![Direction::Up],
            "down" => vec![Direction::Down],
            "both" => vec![Direction::Up, Direction::Down],
            other => {
                let help = "use \"up\", \"down\" or \"both\"";
                return refuse("direction", format!("there is no direction \"{other}\""), help);
            }
        };
        Ok((kind, axes, directions))
    }

    /// What a folder of results must agree with.
    pub fn identity(&self) -> String {
        let LoadOptions { set, scheme, step, end, project, anywhere: _, from: _, live: _, kept: _, device: _ } =
            &self.options;
        format!("{}# changed by {:?}\n", self.source.text, (set, scheme, step, end, project))
    }

    /// What the axes and links set at a point.
    fn point(&self, x: &[f64]) -> Vec<Override> {
        let label = |key: &str, x: f64| format!("dynamics, {key} = {x}");
        let mut list = self.changes.clone();
        for (axis, &x) in self.axes.iter().zip(x) {
            list.push(Override::option(label(&axis.key, x), &axis.key, Value::Float(x)));
        }
        if let Some(&x) = x.first() {
            for LinkSpec { key, factor, add, power } in &self.spec.link {
                let value = add + factor * x.powf(*power);
                list.push(Override::option(label(key, value), key, Value::Float(value)));
            }
        }
        list
    }

    /// The scenario at a point, perhaps under another scheme, and with another step.
    pub fn load(&self, x: &[f64], scheme: Option<&str>, step: Option<f64>) -> Result<Loaded> {
        let mut set = self.point(x);
        if let Some(step) = step {
            set.push(Override::option(format!("dynamics.steps: step = {step}"), "time.step", Value::Float(step)));
        }
        let scheme = scheme.map(str::to_string);
        if let Some(name) = scheme.as_ref().filter(|name| !self.is_own_scheme(name, &set)) {
            // what the user set of the scenario's own scheme is not for another
            set.retain(|change| !change.field.starts_with("scheme."));
            set.push(Override::option(format!("scheme {name}"), "scheme.name", Value::String(name.clone())));
        }
        let scheme = scheme.or_else(|| self.options.scheme.clone());
        let options = LoadOptions { scheme, project: self.options.project, ..LoadOptions::default() };
        self.source.load_changed(self.table.clone(), set, &options)
    }

    /// Whether the scenario, as it was changed, has this scheme.
    fn is_own_scheme(&self, name: &str, set: &[Override]) -> bool {
        let written = self.table.get("scheme").and_then(|scheme| scheme.get("name")).and_then(Value::as_str);
        let changed =
            set.iter().rev().find(|change| change.field == "scheme.name").and_then(|change| change.value.as_str());
        changed.or(self.options.scheme.as_deref()).or(written) == Some(name)
    }

    /// The number that a key has at a point.
    pub fn number(&self, key: &str, x: &[f64]) -> Result<f64> {
        let mut table = self.table.clone();
        self.point(x).iter().try_for_each(|change| change.apply(&mut table))?;
        match number(&table, key) {
            Some(x) => Ok(x),
            None => refuse("parameter", format!("{key} is no key with a number"), "name the key as in --set"),
        }
    }

    /// An error about one of its keys.
    pub fn refuse<T>(&self, field: &str, message: impl Into<String>, help: &str) -> Result<T> {
        refuse(field, message, help).map_err(|error| self.source.locate(error, &self.own, Part::Value))
    }
}

/// Tables of a scenario that say nothing of the model or of how it moves; of `time`, a study sets the step and the end itself.
const OUTSIDE: [&str; 5] = ["time.", "output.", "sensitivity.", "dynamics.", "play."];

/// The table, its numbers within the ranges of its rows.
pub fn read_dynamics(value: Value) -> Read<DynamicsSpec> {
    let at = Place::top("dynamics");
    within(&value, &Form::Table(DYNAMICS), &at)?;
    read("dynamics", value)
}

/// Refuses numbers outside the ranges of their rows and words that are none of theirs.
fn within(value: &Value, form: &Form, at: &Place) -> Read<()> {
    let inside = match (form, value) {
        (Form::Table(keys), Value::Table(table)) => {
            let key = |name: &str| keys.iter().find(|key| key.name == name);
            let mut known = table.iter().filter_map(|(name, value)| key(name).map(|key| (key, value)));
            return known.try_for_each(|(key, value)| within(value, &key.form, &at.key(key.name)));
        }
        (Form::List { of, .. }, Value::Array(list)) => {
            return list.iter().enumerate().try_for_each(|(i, value)| within(value, of, &at.index(i)));
        }
        (Form::Number(range), Value::Float(x)) => range.contains(*x),
        (Form::Number(range), Value::Integer(n)) => range.contains(*n as f64),
        (Form::Integer { least, most }, Value::Integer(n)) => (least..=most).contains(&n),
        (Form::Word(words), Value::String(word)) => words.contains(&word.as_str()),
        // what is of another form is refused by the reader
        (
            Form::Number(_)
            | Form::Integer { .. }
            | Form::Flag
            | Form::Text
            | Form::Word(_)
            | Form::List { .. }
            | Form::Entries
            | Form::Table(_)
            | Form::Kinds(_)
            | Form::OneOf(_)
            | Form::Named(..)
            | Form::Any,
            _,
        ) => true,
    };
    if inside { Ok(()) } else { Err(misfit(value, form, at)) }
}
