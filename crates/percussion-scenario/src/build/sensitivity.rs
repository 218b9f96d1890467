//! What a scenario says of its derivatives, and the numbers they are taken at.

use crate::build::load::{LoadOptions, Source, overrides};
use crate::build::scenario::Scenario;
use crate::error::Result;
use crate::format::keys::sensitivity::SensitivitySpec;
use crate::format::record::{Read, read};
use crate::format::write::scenario_text;
use toml::{Table, Value};

/// `[sensitivity]` of a scenario; empty where there is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SensitivityRequest {
    /// What is differentiated.
    pub of: Vec<String>,
    /// Keys by which.
    pub wrt: Vec<String>,
    /// When [s].
    pub times: Vec<f64>,
}

impl SensitivityRequest {
    /// From a file or a built-in scenario, changed as on the command line.
    pub fn open(scenario: &str, options: &LoadOptions) -> Result<Self> {
        let source = Source::open(scenario)?;
        let mut table = source.parse()?;
        let mut set = overrides(options)?;
        set.retain(|change| change.is_of("sensitivity"));
        set.iter().try_for_each(|change| change.apply(&mut table))?;
        let Some(value) = table.remove("sensitivity") else { return Ok(Self::default()) };
        let located = |(error, part)| source.locate(error, &set, part);
        let SensitivitySpec { of, wrt, times } = read_sensitivity(value).map_err(located)?;
        Ok(Self { of, wrt, times })
    }
}

/// The table.
pub fn read_sensitivity(value: Value) -> Read<SensitivitySpec> {
    read("sensitivity", value)
}

/// The number a key has in a scenario, defaults included. `model.restitution` and the like, by which a scene of one material says what the
/// one pair of its resolved form says, are that pair's.
pub fn scenario_number(scenario: &Scenario, key: &str) -> Option<f64> {
    let (text, _) = scenario_text(scenario);
    let table = text.parse::<Table>().ok()?;
    let of_the_pair = || {
        let pairs = table.get("pair")?.as_array()?;
        let short = key.strip_prefix("model.")?;
        (pairs.len() == 1).then(|| number(pairs[0].as_table()?, short)).flatten()
    };
    // the resolved form tells the mass of a shape by its density
    let of_the_body = || {
        let k: usize = key.strip_prefix("body.")?.strip_suffix(".mass")?.parse().ok()?;
        let written = table.get("body")?.as_array()?.get(k)?;
        let scene = scenario.problem.model.bodies()?;
        written.get("density").and_then(|_| scene.bodies().get(k)).map(|body| body.mass)
    };
    // and its angle in the plane by a rotation
    let of_the_angle = || {
        let k: usize = key.strip_prefix("body.")?.strip_suffix(".angle")?.parse().ok()?;
        let scene = scenario.problem.model.bodies().filter(|scene| scene.is_planar() && k < scene.bodies().len())?;
        scenario.problem.q0.get(3 * k + 2).copied().filter(|_| !scene.bodies()[k].modal)
    };
    number(&table, key).or_else(of_the_pair).or_else(of_the_body).or_else(of_the_angle)
}

/// The number at a dotted place of a table.
pub(crate) fn number(table: &Table, key: &str) -> Option<f64> {
    let value = value_at(table, key)?;
    value.as_float().or(value.as_integer().map(|n| n as f64)).filter(|x| x.is_finite())
}

/// What stands at a dotted place of a table.
pub(crate) fn value_at<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    let mut parts = key.split('.');
    let mut value = table.get(parts.next()?)?;
    for part in parts {
        value = match part.parse::<usize>() {
            Ok(k) if value.is_array() => value.get(k)?,
            _ => value.get(part)?,
        };
    }
    Some(value)
}
