//! A scene written out body by body, so that it reads back to the same bits.

use crate::build::scenario::Scenario;
use crate::format::write::{line, list, number, quoted, signal};
use percussion_model::bodies::joints::Anchor;
use percussion_model::bodies::math::Vec3;
use percussion_model::bodies::{BodyParts, JointParts, Matter, Motion, Motor, SceneParts, Shape};
use percussion_model::{Signal, Value};
use percussion_step::Model;

/// Writes `[model]`; the lists follow it.
pub fn scene(text: &mut String, parts: &SceneParts, scenario: &Scenario) {
    let planar = parts.planar;
    line(text, "kind", &quoted("bodies"));
    line(text, "dimension", if planar { "2" } else { "3" });
    line(text, "gravity", &vector(&parts.gravity, planar));
    if !parts.no_contact.is_empty() {
        let name = |i: usize| quoted(&parts.bodies[i].name);
        let pairs = parts.no_contact.iter().map(|[a, b]| format!("[{}, {}]", name(*a), name(*b)));
        line(text, "no_contact", &list(pairs));
    }
    let names = parts.materials.names();
    for name in names {
        text.push_str("\n[[material]]\n");
        line(text, "name", &quoted(name));
    }
    for a in 0..names.len() {
        for b in a..names.len() {
            let law = parts.materials.law(a, b);
            text.push_str("\n[[pair]]\n");
            line(text, "materials", &format!("[{}, {}]", quoted(&names[a]), quoted(&names[b])));
            line(text, "restitution", &number(law.restitution));
            line(text, "friction", &number(law.friction));
            if law.rolling > 0.0 {
                line(text, "rolling", &number(law.rolling));
            }
        }
    }
    let moved = moves(scenario);
    for (i, parts_of) in parts.bodies.iter().enumerate() {
        body(text, parts_of, parts, moved.get(i).copied().unwrap_or_default());
    }
    for spring in &parts.springs {
        text.push_str("\n[[spring]]\n");
        let [a, b] = spring.bodies.map(|i| quoted(&parts.bodies[i].name));
        line(text, "a", &a);
        line(text, "b", &b);
        line(text, "point_a", &vector(&spring.points[0], planar));
        line(text, "point_b", &vector(&spring.points[1], planar));
        line(text, "stiffness", &number(spring.stiffness));
        line(text, "damping", &number(spring.damping));
        line(text, "length", &number(spring.length));
    }
    for joint_parts in &parts.joints {
        joint(text, joint_parts, parts);
    }
}

fn joint(text: &mut String, joint: &JointParts, scene: &SceneParts) {
    let planar = scene.planar;
    text.push_str("\n[[joint]]\n");
    line(text, "name", &quoted(&joint.name));
    line(text, "kind", &quoted(joint.kind.name()));
    if joint.kind.anchor() == Anchor::Nowhere {
        return own_keys(text, joint, scene);
    }
    let [a, b] = joint.bodies.map(|i| quoted(&scene.bodies[i].name));
    line(text, "a", &a);
    line(text, "b", &b);
    line(text, "anchor", &vector(&joint.anchor, planar));
    if let Some(b) = &joint.anchor_b {
        line(text, "anchor_b", &vector(b, planar));
    }
    line(text, "axis", &vector(&joint.axis, planar && joint.kind.slides()));
    if let Some(b) = &joint.axis_b {
        line(text, "axis_b", &vector(b, planar));
    }
    own_keys(text, joint, scene);
    if let Some([low, high]) = joint.limits {
        line(text, "limits", &format!("[{}, {}]", number(low), number(high)));
    }
    match &joint.motor {
        Some(Motor::Velocity(w)) => line(text, "motor", &format!("{{ velocity = {} }}", signal(w))),
        Some(Motor::Force(f)) => line(text, "motor", &format!("{{ force = {} }}", signal(f))),
        None => {}
    }
    let numbers = [
        ("restitution", joint.restitution),
        ("friction", joint.friction),
        ("stiffness", joint.stiffness),
        ("damping", joint.damping),
        ("rest", joint.rest),
    ];
    for (key, x) in numbers.into_iter().filter(|(_, x)| *x != 0.0) {
        line(text, key, &number(x));
    }
}

/// The keys of the joint's kind.
fn own_keys(text: &mut String, joint: &JointParts, scene: &SceneParts) {
    for (key, value) in joint.kind.values() {
        line(text, key, &written(&value, &scene.joints));
    }
}

/// How far each body was moved from where it was described.
fn moves(scenario: &Scenario) -> Vec<Vec3> {
    let Model::Bodies(scene) = scenario.model() else { return Vec::new() };
    let (q, q0) = (&scenario.problem.q0, scene.q0());
    if q == q0 {
        return Vec::new();
    }
    let place = |i: usize, q: &[f64]| scene.frame(i, q).x;
    (0..scene.len()).map(|i| std::array::from_fn(|k| place(i, q)[k] - place(i, q0)[k])).collect()
}

fn body(text: &mut String, body: &BodyParts, scene: &SceneParts, moved: Vec3) {
    let planar = scene.planar;
    text.push_str("\n[[body]]\n");
    line(text, "name", &quoted(&body.name));
    line(text, "shape", &shape(&body.shape, planar));
    match (&body.motion, &body.matter) {
        (Motion::Free, Matter::Density(density)) => line(text, "density", &number(*density)),
        (Motion::Free, Matter::Given { mass, inertia: I }) => {
            line(text, "mass", &number(*mass));
            let entries =
                if planar { vec![I[2][2]] } else { vec![I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]] };
            line(text, "inertia", &list(entries.into_iter().map(number)));
        }
        (Motion::Fixed, _) => line(text, "fixed", "true"),
        (Motion::Prescribed { velocity, angular_velocity }, _) => {
            let v = signals(velocity, planar, false);
            let w = signals(angular_velocity, planar, true);
            line(text, "motion", &format!("{{ velocity = {v}, angular_velocity = {w} }}"));
        }
    }
    let position = std::array::from_fn(|k| body.position[k] + moved[k]);
    line(text, "position", &vector(&position, planar));
    line(text, "rotation", &list(body.rotation.iter().map(|&x| number(x))));
    if body.motion == Motion::Free {
        line(text, "velocity", &vector(&body.velocity, planar));
        let w = body.angular_velocity;
        let w = if planar { list([number(w[2])].into_iter()) } else { vector(&w, false) };
        line(text, "angular_velocity", &w);
        if body.force != <[Signal; 3]>::default() {
            line(text, "force", &signals(&body.force, planar, false));
        }
        if body.torque != <[Signal; 3]>::default() {
            line(text, "torque", &signals(&body.torque, planar, true));
        }
        if body.drag != [0.0; 2] {
            line(text, "drag", &list(body.drag.iter().map(|&x| number(x))));
        }
    }
    if !body.contact {
        line(text, "contact", "false");
    }
    line(text, "material", &quoted(&scene.materials.names()[body.material]));
}

fn vector(x: &Vec3, planar: bool) -> String {
    list(x[..if planar { 2 } else { 3 }].iter().map(|&x| number(x)))
}

fn signals(x: &[Signal; 3], planar: bool, turning: bool) -> String {
    let range = match (planar, turning) {
        (false, _) => 0..3,
        (true, false) => 0..2,
        (true, true) => 2..3,
    };
    list(x[range].iter().map(signal))
}

fn shape(shape: &Shape, planar: bool) -> String {
    let keys: String =
        shape.values(planar).into_iter().map(|(key, value)| format!(", {key} = {}", written(&value, &[]))).collect();
    format!("{{ kind = {}{keys} }}", quoted(shape.name()))
}

/// A value; joints by the names they have in the list.
fn written(value: &Value, joints: &[JointParts]) -> String {
    let numbers = |x: &[f64]| list(x.iter().map(|&x| number(x)));
    match value {
        Value::Number(x) => number(*x),
        Value::Numbers(x) => numbers(x),
        Value::Rows(rows) => list(rows.iter().map(|row| numbers(row))),
        Value::Joints(pair) => list(pair.iter().map(|&j| quoted(&joints[j].name))),
        Value::Triples(triples) => list(triples.iter().map(|t| list(t.iter().map(ToString::to_string)))),
    }
}
