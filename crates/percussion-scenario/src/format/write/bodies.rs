//! A scene as it is written: body by body, every pair of materials, nothing left to default that moves.

use crate::build::looks::Look;
use crate::build::scenario::Scenario;
use crate::build::scene_solid::SceneSolid;
use crate::format::keys::bodies::{
    BodiesSpec, BodySpec, ComplianceSpec, LookSpec, MaterialSpec, MotionSpec, PairSpec, SpringSpec,
};
use crate::format::keys::joints::{JointFields, JointSpec, MotorSpec};
use crate::format::keys::scene_solid::SceneSolidSpec;
use crate::format::keys::shapes::{PieceSpec, ShapeSpec};
use crate::format::values::SignalSpec;
use crate::format::write::{Attached, flexible, reduced};
use percussion_model::bodies::joints::Anchor;
use percussion_model::bodies::math::Vec3;
use percussion_model::bodies::{
    Acts, BodyParts, Compliance, Growth, JointParts, Matter, Motion, Motor, Piece, SceneParts, Servo, Shape, Spring,
};
use percussion_model::{Signal, Value};
use std::sync::Arc;
use toml::Table;

/// `[model]` and its lists; meshes of solids are added to `files`.
pub fn scene(
    parts: &SceneParts,
    solids: &[SceneSolid],
    scenario: &Scenario,
    files: &mut Vec<(String, Attached)>,
) -> BodiesSpec {
    let (planar, names) = (parts.planar, parts.materials.names());
    let body_name = |i: usize| flexible::body_name(parts, i);
    let pairs = (0..names.len()).flat_map(|a| (a..names.len()).map(move |b| (a, b)));
    let moved = moves(scenario);
    let bodies = parts.bodies.iter().enumerate();
    BodiesSpec {
        dimension: if planar { 2 } else { 3 },
        gravity: Some(gravity(parts)),
        restitution: None,
        friction: None,
        rolling: None,
        compliance: None,
        no_contact: parts.no_contact.iter().map(|pair| pair.map(body_name)).collect(),
        material: names.iter().map(|name| MaterialSpec { name: name.clone() }).collect(),
        pair: pairs
            .map(|(a, b)| {
                let law = parts.materials.law(a, b);
                PairSpec {
                    materials: vec![names[a].clone(), names[b].clone()],
                    restitution: law.restitution,
                    friction: law.friction,
                    rolling: (law.rolling > 0.0).then_some(law.rolling),
                    compliance: law.compliance.map(compliance),
                }
            })
            .collect(),
        body: bodies.map(|(i, b)| body(b, parts, moved.get(i).copied().unwrap_or_default())).collect(),
        spring: parts.springs.iter().map(|s| spring(s, parts)).collect(),
        joint: parts.joints.iter().map(|j| joint(j, parts)).collect(),
        beam: parts.flexible.beams.iter().map(|b| flexible::beam(b, planar, &parts.materials)).collect(),
        cable: parts.flexible.cables.iter().map(|c| flexible::cable(c, planar, &parts.materials)).collect(),
        bushing: parts.flexible.bushings.iter().map(|b| flexible::bushing(b, parts)).collect(),
        flexible: parts.flexible.reduced.iter().map(|b| reduced::flexible(b, &parts.materials)).collect(),
        solid: solids.iter().enumerate().map(|(k, solid)| self::solid(k, solid, files)).collect(),
        load: parts.flexible.loads.iter().map(|l| flexible::load(l, parts)).collect(),
    }
}

/// How contacts give way.
fn compliance(law: Compliance) -> ComplianceSpec {
    let kind = match law.growth {
        Growth::Linear => "linear",
        Growth::Hertz => "hertz",
    };
    ComplianceSpec { kind: kind.into(), stiffness: law.stiffness, damping: law.damping }
}

/// A solid as it was typed, its mesh in a file beside.
fn solid(k: usize, solid: &SceneSolid, files: &mut Vec<(String, Attached)>) -> SceneSolidSpec {
    let mesh = format!("solid-{k}.msh");
    files.push((mesh.clone(), Attached::Bytes(Arc::clone(&solid.mesh))));
    SceneSolidSpec { mesh, ..solid.spec.clone() }
}

/// What bodies look like, each mesh in a file beside.
pub fn looks(looks: &[Look], spec: &mut BodiesSpec, files: &mut Vec<(String, Attached)>) {
    let mut known: Vec<(&Arc<[u8]>, String)> = Vec::new();
    for look in looks {
        let file = match known.iter().find(|(bytes, _)| Arc::ptr_eq(bytes, &look.bytes)) {
            Some((_, file)) => file.clone(),
            None => {
                let file = format!("look-{}.{}", known.len(), look.ending());
                files.push((file.clone(), Attached::Bytes(Arc::clone(&look.bytes))));
                known.push((&look.bytes, file.clone()));
                file
            }
        };
        if let Some(body) = spec.body.get_mut(look.body) {
            body.looks.get_or_insert_default().push(LookSpec { file, ..look.spec.clone() });
        }
    }
}

/// Its constant part, and what varies in time, which every body has.
fn gravity(parts: &SceneParts) -> Vec<SignalSpec> {
    let mut g = parts.gravity.map(Signal::constant);
    let shaken = parts
        .bodies
        .iter()
        .map(|body| &body.shaking)
        .chain(parts.flexible.beams.iter().map(|beam| &beam.shaking))
        .chain(parts.flexible.cables.iter().map(|cable| &cable.shaking))
        .chain(parts.flexible.reduced.iter().map(|body| &body.shaking))
        .chain(parts.flexible.solids.iter().map(|solid| &solid.shaking));
    for shaking in shaken.take(1) {
        g.iter_mut().zip(shaking).for_each(|(g, shaking)| g.add(1.0, shaking));
    }
    signals(&g, parts.planar, false)
}

fn spring(spring: &Spring, scene: &SceneParts) -> SpringSpec {
    let [a, b] = spring.bodies.map(|i| flexible::body_name(scene, i));
    let [point_a, point_b] = spring.points.map(|x| Some(vector(&x, scene.planar)));
    let Spring { stiffness, damping, length, .. } = *spring;
    SpringSpec { a, b, a_group: None, b_group: None, point_a, point_b, stiffness, damping, length }
}

fn joint(joint: &JointParts, scene: &SceneParts) -> JointSpec {
    let planar = scene.planar;
    let unless_zero = |x: f64| (x != 0.0).then_some(x);
    // one that couples joints has no bodies and places
    let placed = joint.kind.anchor() != Anchor::Nowhere;
    let [a, b] = joint.bodies.map(|i| placed.then(|| flexible::body_name(scene, i)));
    let fields = JointFields {
        name: Some(joint.name.clone()),
        kind: joint.kind.name().to_string(),
        a,
        b,
        a_node: None,
        b_node: None,
        a_marker: None,
        b_marker: None,
        a_group: None,
        b_group: None,
        anchor: placed.then(|| vector(&joint.anchor, planar)),
        anchor_b: joint.anchor_b.map(|x| vector(&x, planar)),
        axis: placed.then(|| vector(&joint.axis, planar && joint.kind.slides())),
        axis_b: joint.axis_b.map(|x| vector(&x, planar)),
        limits: joint.limits,
        motor: joint.motor.as_ref().map(motor),
        restitution: unless_zero(joint.restitution),
        friction: unless_zero(joint.friction),
        stiffness: unless_zero(joint.stiffness),
        damping: unless_zero(joint.damping),
        rest: unless_zero(joint.rest),
        friction_force: unless_zero(joint.friction_force),
        armature: unless_zero(joint.armature),
        acts: match joint.acts {
            Acts::Both => None,
            Acts::Above => Some("above".into()),
            Acts::Below => Some("below".into()),
        },
        force_table: (!joint.tables[0].is_empty()).then(|| joint.tables[0].clone()),
        points: (!joint.points.is_empty()).then(|| joint.points.iter().map(|x| vector(x, planar)).collect()),
        closed: joint.closed.then_some(true),
        rate_table: (!joint.tables[1].is_empty()).then(|| joint.tables[1].clone()),
    };
    JointSpec { fields, own: table(joint.kind.values(), &scene.joints) }
}

fn motor(motor: &Motor) -> MotorSpec {
    let signal = |s: &Signal| Some(SignalSpec(s.clone()));
    let none = MotorSpec { velocity: None, force: None, target: None, stiffness: None, damping: None, limit: None };
    match motor {
        Motor::Velocity(w) => MotorSpec { velocity: signal(w), ..none },
        Motor::Force(f) => MotorSpec { force: signal(f), ..none },
        Motor::Servo(Servo { target, velocity, stiffness, damping, limit }) => MotorSpec {
            velocity: velocity.as_ref().and_then(signal),
            force: None,
            // one that follows a velocity alone has no target
            target: (velocity.is_none() || *stiffness > 0.0).then(|| SignalSpec(target.clone())),
            stiffness: (*stiffness > 0.0).then_some(*stiffness),
            damping: Some(*damping),
            limit: limit.is_finite().then_some(*limit),
        },
    }
}

/// The keys of a shape or a kind of joint; joints by the names they have in the list.
fn table(values: Vec<(&'static str, Value)>, joints: &[JointParts]) -> Table {
    fn list<T>(entries: &[T], of: impl Fn(&T) -> toml::Value) -> toml::Value {
        toml::Value::Array(entries.iter().map(of).collect())
    }
    let number = |x: &f64| toml::Value::Float(*x);
    let whole = |n: &usize| toml::Value::Integer(i64::try_from(*n).unwrap_or(i64::MAX));
    let value = |value: Value| match value {
        Value::Number(x) => number(&x),
        Value::Numbers(x) => list(&x, number),
        Value::Rows(rows) => list(&rows, |row| list(row, number)),
        Value::Triples(triples) => list(&triples, |t| list(t, whole)),
        Value::Joints(pair) => list(&pair, |&j| toml::Value::String(joints[j].name.clone())),
    };
    values.into_iter().map(|(key, x)| (key.to_string(), value(x))).collect()
}

/// How far each body was moved from where it was described.
fn moves(scenario: &Scenario) -> Vec<Vec3> {
    let Some(scene) = scenario.model().bodies() else { return Vec::new() };
    let (q, q0) = (&scenario.problem.q0, scene.q0());
    // what a run left stands in [start]; joints are placed by the description
    if q == q0 || scenario.continued {
        return Vec::new();
    }
    let place = |i: usize, q: &[f64]| scene.frame(i, q).x;
    (0..scene.len()).map(|i| std::array::from_fn(|k| place(i, q)[k] - place(i, q0)[k])).collect()
}

fn body(body: &BodyParts, scene: &SceneParts, moved: Vec3) -> BodySpec {
    let planar = scene.planar;
    let free = body.motion == Motion::Free;
    let (mut density, mut mass, mut inertia) = (None, None, None);
    match &body.matter {
        Matter::Density(rho) if free => density = Some(*rho),
        Matter::Given { mass: m, inertia: I } if free => {
            mass = Some(*m);
            let entries =
                if planar { vec![I[2][2]] } else { vec![I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]] };
            inertia = Some(entries);
        }
        // a body that does not move freely needs no mass
        Matter::Density(_) | Matter::Given { .. } | Matter::Massless => {}
    }
    let position: Vec3 = std::array::from_fn(|k| body.position[k] + moved[k]);
    let w = body.angular_velocity;
    let load = |x: &[Signal; 3], turning| (free && *x != <[Signal; 3]>::default()).then(|| signals(x, planar, turning));
    BodySpec {
        name: body.name.clone(),
        shape: body.shape.pieces().is_empty().then(|| shape(&body.shape, planar)),
        shapes: pieces(&body.shape, scene),
        density,
        mass,
        inertia,
        massless: (free && body.matter == Matter::Massless).then_some(true),
        fixed: (body.motion == Motion::Fixed).then_some(true),
        motion: match &body.motion {
            Motion::Free | Motion::Fixed => None,
            Motion::Prescribed { velocity, angular_velocity } => Some(MotionSpec {
                velocity: Some(signals(velocity, planar, false)),
                angular_velocity: Some(signals(angular_velocity, planar, true)),
            }),
        },
        position: Some(vector(&position, planar)),
        rotation: Some(body.rotation.to_vec()),
        angle: None,
        velocity: free.then(|| vector(&body.velocity, planar)),
        angular_velocity: free.then(|| if planar { vec![w[2]] } else { w.to_vec() }),
        force: load(&body.force, false),
        torque: load(&body.torque, true),
        drag: (free && body.drag != [0.0; 2]).then_some(body.drag),
        contact: (!body.contact).then_some(false),
        material: Some(scene.materials.names()[body.material].clone()),
        looks: None,
        repeat: None,
    }
}

pub fn vector(x: &Vec3, planar: bool) -> Vec<f64> {
    x[..if planar { 2 } else { 3 }].to_vec()
}

pub fn signals(x: &[Signal; 3], planar: bool, turning: bool) -> Vec<SignalSpec> {
    let range = match (planar, turning) {
        (false, _) => 0..3,
        (true, false) => 0..2,
        (true, true) => 2..3,
    };
    x[range].iter().cloned().map(SignalSpec).collect()
}

/// The several shapes of a body.
fn pieces(shape: &Shape, scene: &SceneParts) -> Option<Vec<PieceSpec>> {
    let spec = |piece: &Piece| {
        let mut spec = self::shape(&piece.shape, scene.planar);
        let list = |x: &[f64]| toml::Value::Array(x.iter().map(|x| toml::Value::Float(*x)).collect());
        spec.keys.insert("position".into(), list(&vector(&piece.frame.x, scene.planar)));
        spec.keys.insert("rotation".into(), list(&piece.frame.q));
        if let Some(material) = piece.material {
            spec.keys.insert("material".into(), toml::Value::String(scene.materials.names()[material].clone()));
        }
        PieceSpec(spec)
    };
    (!shape.pieces().is_empty()).then(|| shape.pieces().iter().map(spec).collect())
}

fn shape(shape: &Shape, planar: bool) -> ShapeSpec {
    ShapeSpec { kind: shape.name().into(), keys: table(shape.values(planar), &[]) }
}
