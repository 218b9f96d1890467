//! What a page may change in a scenario: its numbers with name, unit, meaning and range, and the files it reads.
//!
//! A number is found by walking the text's tables beside the tables of keys, so every key there is can be changed.

use crate::build::load::Source;
use crate::build::scenario_folder::bytes;
use crate::error::Result;
use crate::format::keys::SCENARIO;
use crate::format::keys::play::PlaySpec;
use crate::format::locate::{Part, attach};
use crate::format::record::read;
use crate::format::suggest::nearest;
use percussion_model::{Bound, Code, Form, InputError, Key, Range};
use std::collections::BTreeMap;
use std::sync::Arc;
use toml::{Table, Value};

/// Keys whose text names a file of the scenario's folder.
pub const FILE_KEYS: [&str; 4] = ["file", "inputs", "mesh", "table"];
/// Numbers of a scenario that are offered at most.
const MOST: usize = 500;
/// Numbers that a panel shows unless `[play]` names them.
const SHOWN: usize = 10;
/// Names of numbers that are shown unless `[play]` names others.
const SENSIBLE: [&str; 8] = ["step", "end", "restitution", "friction", "gravity", "theta", "rho_inf", "alpha"];

/// A number of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayNumber {
    /// Dotted, as in `--set`.
    pub key: String,
    /// For people: `ball · restitution`.
    pub label: String,
    /// As written.
    pub value: f64,
    /// From where a slider goes.
    pub low: f64,
    /// To where.
    pub high: f64,
    /// Whether it goes by ratios.
    pub log: bool,
    /// Whether only whole numbers stand there.
    pub whole: bool,
    /// Its unit.
    pub unit: &'static str,
    /// One sentence.
    pub meaning: &'static str,
    /// Whether the panel shows it from the start.
    pub shown: bool,
}

/// The numbers of a scenario; those the panel shows are marked.
pub fn play_numbers(source: &Source) -> Result<Vec<PlayNumber>> {
    let table = source.parse()?;
    let mut found = Vec::new();
    of_table(&table, SCENARIO, &Place::default(), &mut found);
    let mut found = shown_first(source, &table, found)?;
    found.truncate(MOST);
    Ok(found)
}

/// What the panel shows, in the order `[play]` names it, before the rest.
fn shown_first(source: &Source, table: &Table, mut found: Vec<PlayNumber>) -> Result<Vec<PlayNumber>> {
    let refuse = |(error, part)| attach(error, &source.name, &source.text, part);
    let play = table.get("play").map(|play| read::<PlaySpec>("play", play.clone()).map_err(refuse)).transpose()?;
    let wanted = play.map_or_else(Vec::new, |play| play.parameters);
    let mut shown: Vec<PlayNumber> = Vec::with_capacity(wanted.len());
    for (i, key) in wanted.iter().enumerate() {
        let plain = key.replace('[', ".").replace(']', "");
        if shown.iter().any(|number| number.key == plain) {
            continue;
        }
        let Some(at) = found.iter().position(|number| number.key == plain) else {
            let message = format!("\"{key}\" names no number of the scenario");
            let help = match nearest(&plain, found.iter().map(|number| number.key.as_str())) {
                Some(name) => format!("did you mean \"{name}\"?"),
                None => "write the key dotted, such as model.contact.0.restitution".into(),
            };
            let error = InputError::new(Code::UNKNOWN_KEY, format!("play.parameters[{i}]"), message, help);
            return Err(refuse((error.into(), Part::Value)));
        };
        shown.push(PlayNumber { shown: true, ..found.remove(at) });
    }
    if wanted.is_empty() {
        found.iter_mut().filter(|number| is_sensible(number)).take(SHOWN).for_each(|number| number.shown = true);
        // what is shown is kept, however many come before it
        found.sort_by_key(|number| !number.shown);
    }
    shown.append(&mut found);
    Ok(shown)
}

/// Whether a number is worth a slider unasked: entries of vectors that are zero are not.
fn is_sensible(number: &PlayNumber) -> bool {
    let mut parts = number.key.rsplit('.').filter(|part| part.parse::<usize>().is_err());
    let (name, indexed) = (parts.next().unwrap_or_default(), number.key.ends_with(|c: char| c.is_ascii_digit()));
    SENSIBLE.contains(&name) && !number.key.contains("adaptive") && !(indexed && number.value == 0.0)
}

/// The files a scenario names, by the names it has for them.
pub fn play_files(source: &Source) -> Result<BTreeMap<String, Arc<[u8]>>> {
    let mut files = source.given.files.clone();
    gather(&Value::Table(source.parse()?), "", source, &mut files)?;
    Ok(files)
}

fn gather(value: &Value, key: &str, source: &Source, files: &mut BTreeMap<String, Arc<[u8]>>) -> Result<()> {
    match value {
        Value::Table(table) => table.iter().try_for_each(|(key, value)| gather(value, key, source, files)),
        Value::Array(list) => list.iter().try_for_each(|value| gather(value, key, source, files)),
        Value::String(name) if FILE_KEYS.contains(&key) && !files.contains_key(name) => {
            files.insert(name.clone(), bytes(name, key, source)?.0);
            Ok(())
        }
        Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => Ok(()),
    }
}

/// Where the walk is.
#[derive(Clone, Default)]
struct Place {
    key: String,
    label: String,
}

impl Place {
    fn inner(&self, key: &str, label: &str) -> Self {
        let join = |a: &str, b: &str, by: &str| if a.is_empty() { b.to_string() } else { format!("{a}{by}{b}") };
        Self { key: join(&self.key, key, "."), label: join(&self.label, label, " ") }
    }
}

fn of_table(table: &Table, keys: &[Key], place: &Place, found: &mut Vec<PlayNumber>) {
    // one of many parts is called by its name, if it has one
    let listed = place.key.ends_with(|c: char| c.is_ascii_digit());
    let name = table.get("name").and_then(Value::as_str).filter(|_| listed);
    let label = name.map_or(place.label.clone(), |name| format!("{name} ·"));
    for (written, value) in table {
        if let Some(key) = keys.iter().find(|key| key.name == written) {
            let own = Place { label: label.clone(), ..place.clone() };
            // tables of one scenario's own are plain from their keys
            let known = ["model", "time", "scheme", "solver", "output", "body"].contains(&written.as_str());
            of_value(value, &key.form, key, &own.inner(written, if known { "" } else { written }).trimmed(), found);
        }
    }
}

impl Place {
    fn trimmed(mut self) -> Self {
        self.label = self.label.trim().to_string();
        self
    }
}

fn of_value(value: &Value, form: &Form, key: &Key, place: &Place, found: &mut Vec<PlayNumber>) {
    match (form, value) {
        (Form::Named(_, form), _) => of_value(value, form, key, place, found),
        (Form::Table(keys), Value::Table(table)) => of_table(table, keys, place, found),
        (Form::Kinds(kinds), Value::Table(table)) => {
            let word = table.get("kind").and_then(Value::as_str).unwrap_or_default();
            if let Some(kind) = kinds.iter().find(|kind| kind.name == word || kind.also.contains(&word)) {
                of_table(table, kind.keys, place, found);
            }
        }
        (Form::List { of, .. }, Value::Array(list)) => {
            for (i, value) in list.iter().enumerate() {
                let name = if value.is_table() { format!("{i}") } else { format!("[{i}]") };
                of_value(value, of, key, &place.inner(&i.to_string(), &name), found);
            }
        }
        (Form::OneOf(forms), _) => {
            if let Some(form) = forms.iter().find(|form| fits(form, value)) {
                of_value(value, form, key, place, found);
            }
        }
        (Form::Number(range), Value::Float(_) | Value::Integer(_)) => {
            let x = value.as_float().or_else(|| value.as_integer().map(|k| k as f64)).unwrap_or_default();
            let (low, high, log) = span(x, *range);
            let (unit, meaning, whole) = (key.unit, key.meaning, false);
            let Place { key, label } = place.clone();
            found.push(PlayNumber { key, label, value: x, low, high, log, whole, unit, meaning, shown: false });
        }
        (Form::Integer { least, most }, Value::Integer(k)) if key.name != "format" => {
            let (low, high) = ((*least).max(k / 4) as f64, (*most).min(k.saturating_mul(4).max(10)) as f64);
            let (unit, meaning) = (key.unit, key.meaning);
            let Place { key, label } = place.clone();
            let (value, log) = (*k as f64, false);
            found.push(PlayNumber { key, label, value, low, high, log, whole: true, unit, meaning, shown: false });
        }
        _ => {}
    }
}

/// Whether a value may be of a form, by its type.
fn fits(form: &Form, value: &Value) -> bool {
    match form {
        Form::Named(_, form) => fits(form, value),
        Form::Number(_) => value.is_float() || value.is_integer(),
        Form::Integer { .. } => value.is_integer(),
        Form::Flag => value.is_bool(),
        Form::Text | Form::Word(_) => value.is_str(),
        Form::List { of, .. } => value.as_array().is_some_and(|list| list.first().is_none_or(|first| fits(of, first))),
        Form::Table(_) | Form::Kinds(_) | Form::Entries => value.is_table(),
        Form::OneOf(forms) => forms.iter().any(|form| fits(form, value)),
        Form::Any => true,
    }
}

/// Where a slider about x goes: the whole range where it is bounded, without its ends where these are refused; else a decade
/// each way, else as far on both sides.
fn span(x: f64, range: Range) -> (f64, f64, bool) {
    let end = |bound: Bound| match bound {
        Bound::None => None,
        Bound::Closed(x) | Bound::Open(x) => Some(x),
    };
    let open = |bound: Bound| if matches!(bound, Bound::Open(_)) { 1.0 / 64.0 } else { 0.0 };
    match (end(range.low), end(range.high)) {
        (Some(low), Some(high)) => {
            let (inner, outer) = (open(range.low) * (high - low), open(range.high) * (high - low));
            ((low + inner).min(x), (high - outer).max(x), false)
        }
        (Some(low), None) if x > low && matches!(range.low, Bound::Open(_)) => (x / 10.0, x * 10.0, true),
        (Some(low), None) if x > low => (low, low + 2.0 * (x - low), false),
        (Some(low), None) => (low, low + 1.0, false),
        (None, Some(high)) => (high - 2.0 * (high - x).abs().max(1.0), high, false),
        (None, None) if x == 0.0 => (-1.0, 1.0, false),
        (None, None) => (x - 2.0 * x.abs(), x + 2.0 * x.abs(), false),
    }
}
