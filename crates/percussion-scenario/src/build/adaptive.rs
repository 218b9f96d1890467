//! `time.adaptive`: from its table to the controller's options, and back.

use crate::format::keys::computation::{AdaptiveSpec, BY_QUANTITY, TOLERANCE, ToleranceSpec};
use crate::format::locate::Part;
use crate::format::record::{FromValue, Place, Read};
use crate::format::values::Spread;
use crate::format::write::{number, quoted};
use percussion_model::{Code, InputError};
use percussion_step::{AdaptiveOptions, AdaptiveOrder, AdaptiveStatistics, Control, Tolerance};
use serde_json::{Map, json};
use toml::Value;

/// The options of a run to `end`.
pub fn options(spec: AdaptiveSpec, end: f64) -> Read<AdaptiveOptions> {
    let defaults = AdaptiveOptions::new(TOLERANCE, end);
    Ok(AdaptiveOptions {
        order: order(spec.order)?,
        atol: tolerance("atol", spec.atol)?,
        rtol: tolerance("rtol", spec.rtol)?,
        control: control(spec.control)?,
        violation: spec.violation,
        step_min: spec.step_min.unwrap_or(defaults.step_min),
        step_max: spec.step_max.unwrap_or(defaults.step_max),
        extrapolate: spec.extrapolate,
        alpha: spec.alpha,
        alpha_min: spec.alpha_min,
        alpha_max: spec.alpha_max,
    })
}

fn refuse<T>(field: &str, message: String, help: &str) -> Read<T> {
    let error = InputError::new(Code::BAD_ADAPTIVE, format!("time.adaptive.{field}"), message, help);
    Err((error.into(), Part::Value))
}

fn order(value: Value) -> Read<AdaptiveOrder> {
    match value {
        Value::Integer(p @ 0..=2) => Ok(AdaptiveOrder::Fixed(p as u32)),
        Value::String(word) if word == "variable" => Ok(AdaptiveOrder::Variable),
        other => refuse("order", format!("order = {other}"), "use 0, 1, 2 or \"variable\""),
    }
}

fn control(word: String) -> Read<Control> {
    let all = [Control::Positions, Control::Velocities, Control::Both];
    match all.into_iter().find(|control| control.name() == word) {
        Some(control) => Ok(control),
        None => refuse("control", format!("control = \"{word}\""), "use \"q\", \"v\" or \"qv\""),
    }
}

/// A number for all quantities, or a table with q, v and gap.
fn tolerance(name: &str, value: Value) -> Read<Tolerance> {
    let (time, list) = (Place::top("time"), |x| match x {
        Spread::All(x) => vec![x],
        Spread::Each(list) => list,
    });
    let adaptive = time.key("adaptive");
    let at = adaptive.key(name);
    if !value.is_table() {
        return f64::from_value(value, &BY_QUANTITY, &at).map(Tolerance::all);
    }
    let ToleranceSpec { q, v, gap } = ToleranceSpec::from_value(value, &BY_QUANTITY, &at)?;
    Ok(Tolerance { q: list(q), v: list(v), gap })
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
