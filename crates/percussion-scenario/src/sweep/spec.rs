//! `[sweep]`: a scenario, the parameters that vary in it and what is measured of each run.

use super::RowMaker as _;
use super::design::{Design, Method, run_seed};
use super::measure::Measure;
use super::sobol;
use crate::build::attachments::Attachments;
use crate::build::load::{Loaded, Source};
use crate::build::scenario_folder::inside;
use crate::builtin;
use crate::error::{Result, ScenarioError};
use crate::format::keys::sweep::{ParameterSpec, SweepSpec};
use crate::format::record::read;
use crate::format::suggest;
use crate::run::column::Column;
use percussion_model::{Code, InputError};
use toml::{Table, Value};

/// The most runs of one sweep.
const MOST_RUNS: u64 = 100_000_000;

/// One key that varies.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Dotted, as in `--set`.
    pub key: String,
    values: Values,
}

#[derive(Clone, Debug, PartialEq)]
enum Values {
    List(Vec<Value>),
    Range { from: f64, to: f64, log: bool },
}

impl Parameter {
    /// What its column holds.
    pub fn column(&self) -> Column {
        match &self.values {
            Values::Range { .. } => Column::Number,
            Values::List(list) if list.iter().all(Value::is_integer) => Column::Integer,
            Values::List(list) if list.iter().all(|x| x.is_integer() || x.is_float()) => Column::Number,
            Values::List(_) => Column::Word,
        }
    }

    /// The value at x ∈ [0, 1]; of a list, the part that x falls into.
    fn at(&self, x: f64) -> Value {
        match &self.values {
            Values::List(list) => list[((x * list.len() as f64) as usize).min(list.len() - 1)].clone(),
            Values::Range { from, to, log: false } => Value::Float(from + x * (to - from)),
            Values::Range { from, to, log: true } => Value::Float(from * (to / from).powf(x)),
        }
    }
}

/// A parameter study, ready to run.
pub struct Sweep {
    /// Its name.
    pub name: String,
    /// The text it came from, which a folder of results must agree with.
    pub text: String,
    /// What varies.
    pub parameters: Vec<Parameter>,
    /// Runs.
    pub count: u64,
    /// Numbers of values by parameter, for grids.
    sizes: Vec<u64>,
    seed: u64,
    seed_key: Option<String>,
    pub(super) measures: Vec<Measure>,
    method: Method,
    design: Design,
    pub(super) source: Source,
    pub(super) table: Table,
}

fn refuse<T>(field: &str, message: impl Into<String>, help: &str) -> Result<T> {
    Err(InputError::new(Code::BAD_SWEEP, field, message, help).into())
}

impl Sweep {
    /// From a file.
    pub fn open(path: &str) -> Result<Self> {
        Self::open_allowed(path, false)
    }

    /// From a file, with files outside its folder where `anywhere` allows them.
    pub fn open_allowed(path: &str, anywhere: bool) -> Result<Self> {
        Self::from_source(Source { anywhere, ..Source::open(path)? })
    }

    /// From text; files are looked for in a folder.
    pub fn from_text(name: &str, text: &str, folder: Option<std::path::PathBuf>) -> Result<Self> {
        let (name, text) = (name.to_string(), text.to_string());
        let (default_name, given) = (name.clone(), Attachments::default());
        Self::from_source(Source { default_name, name, text, folder, given, anywhere: false })
    }

    fn from_source(source: Source) -> Result<Self> {
        let mut table = source.parse()?;
        let Some(spec) = table.remove("sweep") else {
            return Err(ScenarioError::file(
                Code::BAD_SWEEP,
                source.name,
                "there is no table [sweep]",
                "add [sweep] with its [[sweep.parameter]]; docs/book/sweeps.md shows one",
            ));
        };
        Self::build(&source, table, spec).map_err(|error| match error.file {
            Some(_) => error,
            None => {
                crate::format::locate::attach(error, &source.name, &source.text, crate::format::locate::Part::Value)
            }
        })
    }

    fn build(source: &Source, mut table: Table, spec: Value) -> Result<Self> {
        let spec: SweepSpec = read("sweep", spec).map_err(|(error, _)| error)?;
        let text = source.text.clone();
        let name = match table.get("name") {
            Some(Value::String(name)) => name.clone(),
            _ => source.default_name.clone(),
        };
        let base = match &spec.scenario {
            None => source.clone(),
            Some(scenario) => {
                if let Some(key) = table.keys().find(|key| !["format", "name"].contains(&key.as_str())) {
                    let message = format!("scenario = \"{scenario}\" and the table [{key}] both describe the scenario");
                    return refuse("sweep.scenario", message, "keep one of the two");
                }
                let beside = source.folder.as_ref().is_some_and(|folder| folder.join(scenario).is_file());
                let base = if beside || builtin::text(scenario).is_none() {
                    let path = inside(scenario, "sweep.scenario", source)?;
                    Source { anywhere: source.anywhere, ..Source::open(&path.display().to_string())? }
                } else {
                    Source::open(scenario)?
                };
                table = base.parse()?;
                base
            }
        };
        let Some(method) = Method::NAMES.iter().position(|word| *word == spec.method).map(|k| Method::ALL[k]) else {
            let help = suggest::help(&spec.method, Method::NAMES);
            return refuse("sweep.method", format!("there is no method \"{}\"", spec.method), &help);
        };
        if spec.parameter.is_empty() {
            return refuse("sweep.parameter", "no parameter varies", "add [[sweep.parameter]] with key and values");
        }
        let Ok(seed) = u64::try_from(spec.seed) else {
            return refuse("sweep.seed", format!("seed = {} is negative", spec.seed), "give zero or more");
        };
        let (mut parameters, mut sizes) = (Vec::new(), Vec::new());
        for (j, parameter) in spec.parameter.into_iter().enumerate() {
            let (parameter, size) = parameter_of(parameter, j, method)?;
            if parameters.iter().any(|other: &Parameter| other.key == parameter.key) {
                return refuse(
                    &format!("sweep.parameter[{j}].key"),
                    format!("{} varies twice", parameter.key),
                    "remove one",
                );
            }
            parameters.push(parameter);
            sizes.push(size);
        }
        let count = match (method, spec.samples) {
            (Method::Grid, None) => sizes.iter().try_fold(1_u64, |n, &k| n.checked_mul(k)).unwrap_or(u64::MAX),
            (Method::Grid, Some(_)) => {
                return refuse("sweep.samples", "a grid has as many points as its values give", "remove samples");
            }
            (_, Some(n)) if n > 0 => n as u64,
            _ => return refuse("sweep.samples", "samples is missing or not positive", "give the number of runs"),
        };
        if count > MOST_RUNS {
            return refuse("sweep", format!("{count} runs; the limit is {MOST_RUNS}"), "use fewer values");
        }
        if method == Method::Sobol && parameters.len() > sobol::DIMENSIONS {
            let message = format!("{} parameters, where sobol takes {}", parameters.len(), sobol::DIMENSIONS);
            return refuse("sweep.method", message, "use latin-hypercube");
        }
        let measures = spec.measure.iter().enumerate();
        let measures = measures
            .map(|(k, text)| Measure::parse(text).map_err(|e| e.below(format!("sweep.measure[{k}]"))))
            .collect::<std::result::Result<_, _>>()?;
        let design = Design::new(method, seed, count, parameters.len());
        let sweep = Self {
            name,
            text,
            parameters,
            count,
            sizes,
            seed,
            seed_key: spec.seed_key,
            measures,
            method,
            design,
            source: base,
            table,
        };
        let columns = sweep.columns();
        for (k, (name, _)) in columns.iter().enumerate() {
            if columns[..k].iter().any(|(other, _)| other == name) {
                return refuse("sweep", format!("two columns of its table are called {name}"), "remove one");
            }
        }
        sweep.check_measures()?;
        Ok(sweep)
    }

    /// Refuses measures that no run has; what is wrong with the runs themselves is told in their rows.
    fn check_measures(&self) -> Result<()> {
        if self.measures.is_empty() {
            return Ok(());
        }
        let some = [0, self.count / 2, self.count - 1].into_iter().find_map(|i| self.load(i).ok());
        let Some(Loaded { scenario, .. }) = some else { return Ok(()) };
        for (k, measure) in self.measures.iter().enumerate() {
            if let Some(message) = measure.missing(&scenario) {
                let help = "name impacts, a column of the ledger, trajectory, contacts or momentum, what the scenario calls a coordinate, or a \
                            joint and its part: \"max q0\", \"rms bob.x\", \"max pin.fx\", \"max pin.value\"";
                return refuse(&format!("sweep.measure[{k}]"), message, help);
            }
        }
        Ok(())
    }

    /// The sweep and its scenario as one text: `[sweep]` without `scenario`, beside the scenario's tables.
    pub fn standalone(&self) -> String {
        let mut table = self.table.clone();
        if let Some(Value::Table(mut sweep)) = self.text.parse::<Table>().ok().and_then(|mut t| t.remove("sweep")) {
            sweep.remove("scenario");
            table.insert("sweep".into(), Value::Table(sweep));
        }
        table.insert("name".into(), Value::String(self.name.clone()));
        table.to_string()
    }

    /// Where the files of its scenario are looked for.
    pub fn folder(&self) -> Option<&std::path::Path> {
        self.source.folder.as_deref()
    }

    /// The seed of run i.
    pub fn seed(&self, i: u64) -> u64 {
        run_seed(self.seed, i)
    }

    /// The keys of run i and their values.
    pub fn point(&self, i: u64) -> Vec<(String, Value)> {
        let mut rest = i;
        let mut values = vec![Value::Boolean(false); self.parameters.len()];
        for (j, parameter) in self.parameters.iter().enumerate().rev() {
            let x = if self.method == Method::Grid {
                let (k, n) = (rest % self.sizes[j], self.sizes[j]);
                rest /= n;
                match parameter.values {
                    Values::List(_) => (k as f64 + 0.5) / n as f64,
                    Values::Range { .. } => k as f64 / (n - 1).max(1) as f64,
                }
            } else {
                self.design.at(i, j)
            };
            values[j] = parameter.at(x);
        }
        self.parameters.iter().map(|parameter| parameter.key.clone()).zip(values).collect()
    }

    /// The key that takes the seed, if any.
    pub(super) fn seed_key(&self) -> Option<&str> {
        self.seed_key.as_deref()
    }
}

fn parameter_of(spec: ParameterSpec, j: usize, method: Method) -> Result<(Parameter, u64)> {
    let field = format!("sweep.parameter[{j}]");
    let log = match spec.scale.as_str() {
        "linear" => false,
        "log" => true,
        other => return refuse(&format!("{field}.scale"), format!("scale = \"{other}\""), "use \"linear\" or \"log\""),
    };
    let (values, size) = match (spec.values, spec.from, spec.to) {
        (Some(list), None, None) if !list.is_empty() && spec.count.is_none() => {
            if let Some(x) = list.iter().find(|x| x.as_float().is_some_and(|x| !x.is_finite())) {
                return refuse(&format!("{field}.values"), format!("{x} is no value"), "give finite numbers");
            }
            let n = list.len() as u64;
            (Values::List(list), n)
        }
        (None, Some(from), Some(to)) => {
            let size = match spec.count {
                Some(n) if n >= 1 => n as u64,
                None if method != Method::Grid => 1,
                _ => return refuse(&format!("{field}.count"), "a grid needs count, at least 1", "add count = …"),
            };
            if !(from.is_finite() && to.is_finite()) || (log && !(from > 0.0 && to > 0.0)) {
                let message = format!("from = {from} to {to}");
                return refuse(&format!("{field}.from"), message, "give finite numbers, positive for scale = \"log\"");
            }
            (Values::Range { from, to, log }, size)
        }
        _ => {
            let help = "give values = [ … ], or from, to and (for a grid) count";
            return refuse(&field, "needs either values or from and to", help);
        }
    };
    Ok((Parameter { key: spec.key, values }, size))
}
