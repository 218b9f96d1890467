//! `time.adaptive`: from its table to the controller's options, and back.

use crate::error::Result;
use crate::spec::AdaptiveSpec;
use crate::write_scenario::{number, quoted};
use percussion_model::{Code, InputError};
use percussion_step::{AdaptiveOptions, AdaptiveOrder, AdaptiveStatistics, Control, Tolerance};
use serde_json::{Map, json};
use toml::Value;

/// Tolerance of a run that names none.
const TOLERANCE: f64 = 1e-4;

/// The options of a run to `end`.
pub fn options(spec: AdaptiveSpec, end: f64) -> Result<AdaptiveOptions> {
    let defaults = AdaptiveOptions::new(TOLERANCE, end);
    Ok(AdaptiveOptions {
        order: spec.order.map_or(Ok(defaults.order), order)?,
        atol: spec.atol.map_or(Ok(defaults.atol), |value| tolerance("atol", value))?,
        rtol: spec.rtol.map_or(Ok(defaults.rtol), |value| tolerance("rtol", value))?,
        control: spec.control.map_or(Ok(defaults.control), control)?,
        violation: spec.violation.unwrap_or(defaults.violation),
        step_min: spec.step_min.unwrap_or(defaults.step_min),
        step_max: spec.step_max.unwrap_or(defaults.step_max),
        extrapolate: spec.extrapolate.unwrap_or(defaults.extrapolate),
        alpha: spec.alpha.unwrap_or(defaults.alpha),
        alpha_min: spec.alpha_min.unwrap_or(defaults.alpha_min),
        alpha_max: spec.alpha_max.unwrap_or(defaults.alpha_max),
    })
}

fn refuse<T>(code: Code, field: &str, message: String, help: &str) -> Result<T> {
    Err(InputError::new(code, format!("time.adaptive.{field}"), message, help).into())
}

fn order(value: Value) -> Result<AdaptiveOrder> {
    match value {
        Value::Integer(p @ 0..=2) => Ok(AdaptiveOrder::Fixed(p as u32)),
        Value::String(word) if word == "variable" => Ok(AdaptiveOrder::Variable),
        other => refuse(Code::BAD_ADAPTIVE, "order", format!("order = {other}"), "use 0, 1, 2 or \"variable\""),
    }
}

fn control(word: String) -> Result<Control> {
    let all = [Control::Positions, Control::Velocities, Control::Both];
    match all.into_iter().find(|control| control.name() == word) {
        Some(control) => Ok(control),
        None => refuse(Code::BAD_ADAPTIVE, "control", format!("control = \"{word}\""), "use \"q\", \"v\" or \"qv\""),
    }
}

/// A number for all quantities, or a table with q, v and gap.
fn tolerance(name: &str, value: Value) -> Result<Tolerance> {
    let wrong = |key: &str| {
        let help = "give a number, or a table such as { q = 1e-4, v = 1e-2, gap = 1e-5 }; q and v may be lists";
        refuse(Code::WRONG_TYPE, name, format!("{key} is neither a number nor a list of numbers"), help)
    };
    if let Some(x) = real(&value) {
        return Ok(Tolerance::all(x));
    }
    let Value::Table(table) = value else { return wrong(name) };
    let mut tolerance = Tolerance::all(TOLERANCE);
    for (key, value) in table {
        let list = match &value {
            Value::Array(list) if key != "gap" => list.iter().map(real).collect::<Option<Vec<f64>>>(),
            other => real(other).map(|x| vec![x]),
        };
        let Some(list) = list.filter(|list| !list.is_empty()) else { return wrong(&key) };
        match key.as_str() {
            "q" => tolerance.q = list,
            "v" => tolerance.v = list,
            "gap" => tolerance.gap = list[0],
            _ => {
                let message = format!("[time.adaptive.{name}] has no key {key}");
                return refuse(Code::UNKNOWN_KEY, name, message, "its keys are q, v and gap");
            }
        }
    }
    Ok(tolerance)
}

fn real(value: &Value) -> Option<f64> {
    match value {
        Value::Float(x) => Some(*x),
        Value::Integer(x) => Some(*x as f64),
        _ => None,
    }
}

/// The inline table that gives the same options back.
pub fn text(o: &AdaptiveOptions) -> String {
    let order = match o.order {
        AdaptiveOrder::Fixed(p) => p.to_string(),
        AdaptiveOrder::Variable => quoted("variable"),
    };
    let list = |x: &[f64]| match x {
        [x] => number(*x),
        many => format!("[{}]", many.iter().map(|&x| number(x)).collect::<Vec<_>>().join(", ")),
    };
    let tolerance = |t: &Tolerance| format!("{{ q = {}, v = {}, gap = {} }}", list(&t.q), list(&t.v), number(t.gap));
    let parts = [
        ("order", order),
        ("atol", tolerance(&o.atol)),
        ("rtol", tolerance(&o.rtol)),
        ("control", quoted(o.control.name())),
        ("violation", o.violation.to_string()),
        ("step_min", number(o.step_min)),
        ("step_max", number(o.step_max)),
        ("extrapolate", o.extrapolate.to_string()),
        ("alpha", number(o.alpha)),
        ("alpha_min", number(o.alpha_min)),
        ("alpha_max", number(o.alpha_max)),
    ];
    let parts: Vec<String> = parts.into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", parts.join(", "))
}

/// What the controller did, for the summary.
pub fn summary(s: &AdaptiveStatistics) -> Map<String, serde_json::Value> {
    let value = json!({
        "accepted": s.accepted,
        "rejected": s.rejected,
        "failed": s.failed,
        "forced": s.forced,
        "solves": s.solves,
        "extrapolated": s.extrapolated,
        "smallest_step": s.smallest_step,
        "largest_step": s.largest_step,
        "energy_jump": s.energy_jump,
    });
    value.as_object().cloned().unwrap_or_default()
}
