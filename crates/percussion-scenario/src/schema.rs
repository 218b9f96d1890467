//! JSON Schema of a scenario, for editors and for people.
//!
//! Written by hand because several values have two forms; a test holds it against every built-in scenario.

use crate::limits::MAX_BEAM_ELEMENTS;
use crate::schema_bodies::bodies;
use crate::spec::KINDS;
use percussion_solve::Method;
use percussion_step::{FrictionLaw, Gyroscopic, SCHEMES};
use serde_json::{Value, json};

/// The schema (draft 2020-12).
pub fn schema() -> Value {
    let mut schema = written();
    if let Some(Value::Object(definitions)) = schema.get_mut("$defs") {
        definitions.extend(bodies());
    }
    schema
}

fn written() -> Value {
    let schemes: Vec<&str> = SCHEMES.iter().map(|entry| entry.name).collect();
    let kinds: Vec<Value> = KINDS.iter().map(|kind| json!({ "$ref": format!("#/$defs/{kind}") })).collect();
    let scheme = object(
        "how in time",
        &[],
        json!({
            "name": { "enum": schemes, "default": "moreau-jean" },
            "theta": range("θ of Moreau–Jean", 0.0, 1.0),
            "beta": range("β of the Newmark family", 0.0, 2.0),
            "gamma": range("γ of the Newmark family", 0.0, 2.0),
            "alpha": range("α of HHT, positive convention", 0.0, 1.0 / 3.0),
            "alpha_m": range("α_m of generalized-α", -1.0, 0.5),
            "alpha_f": range("α_f of generalized-α", 0.0, 0.5),
            "rho_inf": range("ρ∞, spectral radius at infinite frequency", 0.0, 1.0),
            "preset": { "type": "string", "description": "a named set of parameters" },
            "activation": { "enum": ["hold", "predicted-and-closing", "predicted", "gap"], "default": "hold" },
            "prediction": range("how far ahead `predicted` looks, in steps", 0.0, 1.0),
            "projection": { "enum": ["none", "paid"], "default": "none" },
            "variant": { "enum": [1, 2], "default": 2, "description": "of splitting" },
            "solution": { "enum": ["monolithic", "sequential"], "default": "monolithic" },
            "tolerance": range("relative error of the smooth motion between events", 1e-14, 1e-2),
            "method": { "enum": ["explicit", "stiff"], "default": "explicit", "description": "what follows the smooth motion between events" },
            "cut": range("part of the largest approach under which a rebound counts as rest", 1e-12, 1e-2),
            "order": { "type": "integer", "minimum": 1, "maximum": 8, "description": "p of runge-kutta-moreau" },
            "tableau": { "enum": ["explicit", "radau-iia"], "default": "explicit" },
            "bracket": range("C: events are bracketed to C h^{p+1}", 1e-12, 1e3),
            "friction_law": { "enum": FrictionLaw::NAMES, "default": "checked", "description": "what contacts that rub obey" },
            "gyroscopic": { "enum": Gyroscopic::NAMES, "default": "n1p", "description": "how the gyroscopic term of bodies is evaluated" }
        }),
    );
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Percussion scenario",
        "description": "What to simulate, how in time, how at an instant, and what to keep.",
        "type": "object",
        "additionalProperties": false,
        "required": ["model", "time"],
        "properties": {
            "format": { "const": 1, "description": "version of this format" },
            "name": { "type": "string", "description": "the name of the run" },
            "model": { "oneOf": kinds },
            "body": { "$ref": "#/$defs/body_list" },
            "material": { "$ref": "#/$defs/material_list" },
            "pair": { "$ref": "#/$defs/pair_list" },
            "spring": { "$ref": "#/$defs/spring_list" },
            "joint": { "$ref": "#/$defs/body_joint_list" },
            "scheme": scheme,
            "solver": object("how at an instant", &[], json!({
                "name": { "enum": Method::NAMES, "default": "auto" },
                "tolerance": { "type": "number", "minimum": 1e-15, "maximum": 1.0, "default": 1e-10 },
                "max_iterations": { "type": "integer", "minimum": 1, "default": 10000 }
            })),
            "time": object("the horizon", &["end", "step"], json!({
                "end": { "type": "number", "minimum": 0.0, "description": "T [s]" },
                "step": { "type": "number", "exclusiveMinimum": 0.0, "description": "h [s]; the first step where steps are adaptive" },
                "adaptive": object("steps chosen by their error, estimated by halving", &[], json!({
                    "order": { "enum": [0, 1, 2, "variable"], "default": 1, "description": "p of the estimate" },
                    "atol": { "$ref": "#/$defs/tolerance" },
                    "rtol": { "$ref": "#/$defs/tolerance" },
                    "control": { "enum": ["q", "v", "qv"], "default": "q" },
                    "violation": { "type": "boolean", "default": true, "description": "a contact gets deeper by at most atol in a step" },
                    "step_min": positive("h_min [s]"),
                    "step_max": positive("h_max [s]"),
                    "extrapolate": { "type": "boolean", "default": false, "description": "Richardson extrapolation where no impulse acts" },
                    "alpha": range("part of the allowed step that is taken", 0.0, 1.0),
                    "alpha_min": range("most a step shrinks at once", 0.0, 1.0),
                    "alpha_max": { "type": "number", "exclusiveMinimum": 1.0, "description": "most a step grows at once" }
                }))
            })),
            "output": object("what is kept", &[], json!({
                "every": { "type": "integer", "minimum": 1, "default": 1, "description": "one row in so many steps; works and impulses are summed" }
            }))
        },
        "$defs": {
            "linear": object("M dv + (K q + C v) dt = F dt + G dI, g = Gᵀq + w ≥ 0, J q + c = 0", &["kind", "mass"], json!({
                "kind": { "const": "linear" },
                "mass": { "$ref": "#/$defs/matrix", "description": "M, symmetric positive definite [kg]" },
                "stiffness": { "$ref": "#/$defs/matrix", "description": "K, symmetric [N/m]; zero when absent" },
                "damping": { "$ref": "#/$defs/matrix", "description": "C [N·s/m]; zero when absent" },
                "force": { "type": "array", "items": { "$ref": "#/$defs/signal" }, "description": "F(t) [N]; zero when absent" },
                "q0": { "$ref": "#/$defs/numbers" },
                "v0": { "$ref": "#/$defs/numbers" },
                "contact": { "type": "array", "items": object("g = normal·q + offset ≥ 0", &["normal", "restitution"], json!({
                    "normal": { "$ref": "#/$defs/row" },
                    "offset": { "$ref": "#/$defs/signal" },
                    "restitution": range("e", 0.0, 1.0),
                    "tangents": { "type": "array", "items": { "$ref": "#/$defs/row" }, "minItems": 1, "maxItems": 2, "description": "rows of the sliding velocities: one in the plane, two in space" },
                    "friction": { "type": "number", "minimum": 0.0, "description": "μ; needs tangents" }
                })) },
                "joint": { "type": "array", "items": object("row·q + offset = 0", &["row"], json!({
                    "row": { "$ref": "#/$defs/row" },
                    "offset": { "type": "number", "default": 0.0 }
                })) }
            })),
            "bar": object("a straight elastic bar of equal two-node elements", &["kind", "young", "density", "area", "length", "elements"], json!({
                "kind": { "const": "bar" },
                "young": positive("E [Pa]"),
                "density": positive("ρ [kg/m³]"),
                "area": positive("A [m²]"),
                "length": positive("L [m]"),
                "elements": { "type": "integer", "minimum": 1 },
                "mass": { "enum": ["consistent", "lumped"], "default": "consistent" },
                "force": { "oneOf": [{ "type": "number" }, { "type": "array", "items": { "$ref": "#/$defs/signal" } }] },
                "q0": { "$ref": "#/$defs/spread" },
                "v0": { "$ref": "#/$defs/spread" },
                "contact": { "type": "array", "items": object("one node against an obstacle: g = direction·q + offset ≥ 0", &["node", "restitution"], json!({
                    "node": { "type": "integer", "minimum": 0 },
                    "direction": { "enum": [1, -1], "default": 1 },
                    "offset": { "$ref": "#/$defs/signal" },
                    "restitution": range("e", 0.0, 1.0)
                })) }
            })),
            "pendulum": object("joints x = length·cos θ, y = length·sin θ, contact x ≥ wall; q = (x, y, θ)", &["kind", "mass", "inertia", "length", "gravity", "wall", "restitution"], json!({
                "kind": { "const": "pendulum" },
                "mass": positive("m [kg]"),
                "inertia": positive("J about the mass [kg·m²]"),
                "length": positive("l [m]"),
                "gravity": number("g [m/s²], positive pulls towards −y"),
                "wall": number("x of the wall [m]"),
                "restitution": range("e", 0.0, 1.0),
                "angle": number("θ at t = 0 from the horizontal [rad]; or q0"),
                "q0": { "$ref": "#/$defs/numbers" },
                "v0": { "$ref": "#/$defs/numbers" }
            })),
            "rocking-block": object("a block on its two lower corners, gaps y − (height/2) cos θ ± (width/2) sin θ; q = (x, y, θ)", &["kind", "mass", "width", "height", "gravity", "restitution", "q0"], json!({
                "kind": { "const": "rocking-block" },
                "mass": positive("m [kg]"),
                "width": positive("b [m]"),
                "height": positive("a [m]"),
                "gravity": number("g [m/s²], positive pulls towards −y"),
                "restitution": range("e of both corners", 0.0, 1.0),
                "friction": { "type": "number", "minimum": 0.0, "default": 0.0, "description": "μ of both corners; zero when absent" },
                "q0": { "$ref": "#/$defs/numbers" },
                "v0": { "$ref": "#/$defs/numbers" }
            })),
            "beam": object("a geometrically exact beam pinned at the origin, contact x ≥ wall at its tip; nodes (x, y, θ)", &["kind", "length", "width", "depth", "young", "poisson", "density", "gravity", "elements", "wall", "restitution"], json!({
                "kind": { "const": "beam" },
                "length": positive("[m]"),
                "width": positive("b of the section, across the plane [m]"),
                "depth": positive("d of the section, in the plane [m]"),
                "young": positive("E [Pa]"),
                "poisson": range("ν", -1.0, 0.5),
                "density": positive("ρ [kg/m³]"),
                "gravity": number("g [m/s²], positive pulls towards −y"),
                "elements": { "type": "integer", "minimum": 1, "maximum": MAX_BEAM_ELEMENTS },
                "wall": number("the tip stays at x ≥ wall [m]"),
                "restitution": range("e of the tip", 0.0, 1.0),
                "joints": { "type": "boolean", "default": false, "description": "the pin as two joints instead of two coordinates left out" },
                "q0": { "$ref": "#/$defs/numbers" },
                "v0": { "$ref": "#/$defs/numbers" }
            })),
            "matrix": { "oneOf": [
                { "type": "array", "items": { "$ref": "#/$defs/numbers" } },
                object("a Matrix Market file in the scenario's folder", &["file"], json!({ "file": { "type": "string" } }))
            ] },
            "signal": { "oneOf": [
                { "type": "number" },
                object("mean + Σ amplitude·sin(omega·t + phase)", &[], json!({
                    "mean": { "type": "number", "default": 0.0 },
                    "sines": { "type": "array", "items": object("one harmonic", &["amplitude", "omega"], json!({
                        "amplitude": { "type": "number" },
                        "omega": { "type": "number", "description": "[rad/s]" },
                        "phase": { "type": "number", "default": 0.0, "description": "[rad]" }
                    })) }
                }))
            ] },
            "row": { "oneOf": [
                { "$ref": "#/$defs/numbers" },
                { "type": "object", "patternProperties": { "^[0-9]+$": { "type": "number" } }, "additionalProperties": false }
            ] },
            "tolerance": { "oneOf": [
                { "type": "number", "minimum": 0.0 },
                object("by quantity", &[], json!({
                    "q": { "$ref": "#/$defs/spread" },
                    "v": { "$ref": "#/$defs/spread" },
                    "gap": { "type": "number", "minimum": 0.0 }
                }))
            ] },
            "numbers": { "type": "array", "items": { "type": "number" } },
            "spread": { "oneOf": [{ "type": "number" }, { "$ref": "#/$defs/numbers" }] }
        }
    })
}

pub(crate) fn object(description: &str, required: &[&str], properties: Value) -> Value {
    json!({
        "type": "object",
        "description": description,
        "additionalProperties": false,
        "required": required,
        "properties": properties,
    })
}

pub(crate) fn range(description: &str, low: f64, high: f64) -> Value {
    json!({ "type": "number", "minimum": low, "maximum": high, "description": description })
}

pub(crate) fn number(description: &str) -> Value {
    json!({ "type": "number", "description": description })
}

pub(crate) fn positive(description: &str) -> Value {
    json!({ "type": "number", "exclusiveMinimum": 0.0, "description": description })
}
