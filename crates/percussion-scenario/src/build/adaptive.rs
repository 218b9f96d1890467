//! `time.adaptive`: from its table to the controller's options, and back.

use crate::format::keys::computation::{AdaptiveSpec, TOLERANCE, ToleranceSpec};
use crate::format::locate::Part;
use crate::format::record::Read;
use crate::format::values::{Either, Spread};
use percussion_model::{Code, InputError};
use percussion_step::{AdaptiveOptions, AdaptiveOrder, AdaptiveStatistics, Control, Estimate, Tolerance};
use serde_json::{Map, json};

/// The options of a run to `end`.
pub fn options(spec: AdaptiveSpec, end: f64) -> Read<AdaptiveOptions> {
    let defaults = AdaptiveOptions::new(TOLERANCE, end);
    Ok(AdaptiveOptions {
        order: order(spec.order)?,
        estimate: estimate(spec.estimate.as_deref())?,
        atol: tolerance(spec.atol),
        rtol: tolerance(spec.rtol),
        control: control(spec.control)?,
        violation: spec.violation,
        depth: spec.depth.unwrap_or_default(),
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

fn order(order: Either<i64, String>) -> Read<AdaptiveOrder> {
    let help = "use 0, 1, 2 or \"variable\"";
    match order {
        Either::One(p @ 0..=2) => Ok(AdaptiveOrder::Fixed(p as u32)),
        Either::Other(word) if word == "variable" => Ok(AdaptiveOrder::Variable),
        Either::One(other) => refuse("order", format!("order = {other}"), help),
        Either::Other(other) => refuse("order", format!("order = \"{other}\""), help),
    }
}

fn estimate(word: Option<&str>) -> Read<Estimate> {
    match word {
        None | Some("halving") => Ok(Estimate::Halving),
        Some("milne") => Ok(Estimate::Milne),
        Some("embedded") => Ok(Estimate::Embedded),
        Some(other) => {
            refuse("estimate", format!("estimate = \"{other}\""), "use \"halving\", \"milne\" or \"embedded\"")
        }
    }
}

fn control(word: String) -> Read<Control> {
    let all = [Control::Positions, Control::Velocities, Control::Both];
    match all.into_iter().find(|control| control.name() == word) {
        Some(control) => Ok(control),
        None => refuse("control", format!("control = \"{word}\""), "use \"q\", \"v\" or \"qv\""),
    }
}

/// A number for all quantities, or each its own.
fn tolerance(spec: Either<f64, ToleranceSpec>) -> Tolerance {
    let list = |x| match x {
        Spread::All(x) => vec![x],
        Spread::Each(list) => list,
    };
    match spec {
        Either::One(x) => Tolerance::all(x),
        Either::Other(ToleranceSpec { q, v, gap }) => Tolerance { q: list(q), v: list(v), gap },
    }
}

/// The table that gives the same options back.
pub fn spec(o: &AdaptiveOptions) -> AdaptiveSpec {
    let list = |x: &[f64]| match x {
        [x] => Spread::All(*x),
        many => Spread::Each(many.to_vec()),
    };
    let tolerance = |t: &Tolerance| Either::Other(ToleranceSpec { q: list(&t.q), v: list(&t.v), gap: t.gap });
    AdaptiveSpec {
        order: match o.order {
            AdaptiveOrder::Fixed(p) => Either::One(p.into()),
            AdaptiveOrder::Variable => Either::Other("variable".into()),
        },
        estimate: (o.estimate != Estimate::Halving).then(|| o.estimate.name().into()),
        atol: tolerance(&o.atol),
        rtol: tolerance(&o.rtol),
        control: o.control.name().into(),
        violation: o.violation,
        depth: o.depth.then_some(true),
        step_min: Some(o.step_min),
        step_max: Some(o.step_max),
        extrapolate: o.extrapolate,
        alpha: o.alpha,
        alpha_min: o.alpha_min,
        alpha_max: o.alpha_max,
    }
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
