//! `[model]` of the nonlinear kinds written out; q0 and v0 always in full.

use crate::build::scenario::{Description, Scenario};
use crate::format::write::{initial, line, number, quoted};
use percussion_model::nonlinear::BeamParts;

/// Writes the keys of a nonlinear description; nothing for matrices, which have a linear model.
pub fn nonlinear(text: &mut String, description: &Description, scenario: &Scenario) {
    match description {
        Description::Linear { .. } | Description::Bar { .. } => return,
        Description::Bodies(parts) => return crate::format::write::bodies::scene(text, parts, scenario),
        Description::Own => line(text, "kind", &quoted("own")),
        Description::Pendulum { mass, inertia, length, gravity, wall, restitution } => {
            line(text, "kind", &quoted("pendulum"));
            numbers(text, &[("mass", *mass), ("inertia", *inertia), ("length", *length), ("gravity", *gravity)]);
            numbers(text, &[("wall", *wall), ("restitution", *restitution)]);
        }
        Description::RockingBlock { mass, width, height, gravity, restitution, friction } => {
            line(text, "kind", &quoted("rocking-block"));
            numbers(text, &[("mass", *mass), ("width", *width), ("height", *height), ("gravity", *gravity)]);
            numbers(text, &[("restitution", *restitution)]);
            if *friction > 0.0 {
                numbers(text, &[("friction", *friction)]);
            }
        }
        Description::Beam { parts, joints } => {
            let BeamParts { length, width, depth, young, poisson, density, gravity, elements, wall, restitution } =
                *parts;
            line(text, "kind", &quoted("beam"));
            numbers(text, &[("length", length), ("width", width), ("depth", depth), ("young", young)]);
            numbers(text, &[("poisson", poisson), ("density", density), ("gravity", gravity)]);
            line(text, "elements", &elements.to_string());
            numbers(text, &[("wall", wall), ("restitution", restitution)]);
            line(text, "joints", &joints.to_string());
        }
    }
    initial(text, scenario, false);
}

fn numbers(text: &mut String, keys: &[(&str, f64)]) {
    for (key, x) in keys {
        line(text, key, &number(*x));
    }
}
