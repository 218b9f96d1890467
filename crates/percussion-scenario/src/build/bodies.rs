//! From a scene as typed to bodies.

use crate::build::dials::Hands;
use crate::build::flexible::{self, Names};
use crate::build::joints::joint_parts;
use crate::build::linear::{Built, limit};
use crate::build::load::Source;
use crate::build::looks::of_body;
use crate::build::reduced;
use crate::build::scenario::Description;
use crate::build::scene_solid;
use crate::build::shapes::shapes;
use crate::error::{Result, ScenarioError};
use crate::format::keys::bodies::{BodiesSpec, BodySpec, ComplianceSpec, RepeatSpec};
use crate::format::suggest;
use crate::format::values::SignalSpec;
use crate::limits::MAX_BODIES;
use percussion_matrix::math;
use percussion_model::bodies::math::Vec3;
use percussion_model::bodies::{
    Bodies, BodyParts, Compliance, FlexibleParts, Growth, JointParts, Materials, Matter, Motion, PairLaw, SceneParts,
    Shape, Spring,
};
use percussion_model::{Code, InputError, Signal};
use percussion_step::Model;

/// A model of kind "bodies".
pub fn bodies(spec: BodiesSpec, source: &Source) -> Result<Built> {
    let planar = match spec.dimension {
        2 => true,
        3 => false,
        other => {
            let message = format!("dimension = {other} is neither 2 nor 3");
            return Err(InputError::new(Code::BAD_SHAPE, "model.dimension", message, "write 2 or 3").into());
        }
    };
    let (gravity, shaking) = gravity(&spec.gravity, planar)?;
    let materials = materials(&spec)?;
    let mut described = Vec::new();
    let (mut tables, mut looks) = (Vec::new(), Vec::new());
    for (i, body) in spec.body.iter().enumerate() {
        let field = format!("body[{i}]");
        let mut parts = body_parts(body, planar, &materials, source).map_err(|e| below(e, &field))?;
        parts.shaking.clone_from(&shaking);
        match &body.repeat {
            Some(repeat) => copies(&parts, repeat, planar, &mut described).map_err(|e| below(e, &field))?,
            None => described.push(parts),
        }
        limit("body", "bodies", described.len(), MAX_BODIES)?;
        looks.extend(of_body(body, tables.len()..described.len(), planar, source).map_err(|e| below(e, &field))?);
        tables.resize(described.len(), i);
    }
    let beams = flexible::beams(&spec, planar, &shaking, &materials)?;
    let cables = flexible::cables(&spec, planar, &shaking, &materials)?;
    let reduced = reduced::reduced(&spec, &shaking, &materials, source)?;
    let (solids, typed_solids) = scene_solid::solids(&spec, planar, &shaking, &materials, source)?;
    let names = Names::new(&described, &beams, &cables, &reduced, &solids)?;
    let find = |name: &str, field: String| names.find(name, field);
    let mut springs = Vec::new();
    for (i, spring) in spec.spring.iter().enumerate() {
        let end = |name: &str, group: &Option<String>, key: &str| match group {
            Some(group) => names.group(name, group, &format!("spring[{i}].{key}")),
            None => find(name, format!("spring[{i}].{key}")),
        };
        let bodies = [end(&spring.a, &spring.a_group, "a")?, end(&spring.b, &spring.b_group, "b")?];
        let point = |x: &Option<Vec<f64>>, key: &str| {
            x.as_ref().map_or(Ok([0.0; 3]), |x| vector(x, planar, &format!("spring[{i}].{key}")))
        };
        springs.push(Spring {
            bodies,
            points: [point(&spring.point_a, "point_a")?, point(&spring.point_b, "point_b")?],
            stiffness: spring.stiffness,
            damping: spring.damping,
            length: spring.length,
        });
    }
    let mut no_contact = Vec::new();
    for (i, [a, b]) in spec.no_contact.iter().enumerate() {
        let field = format!("model.no_contact[{i}]");
        let (a, b) = (names.all(a, field.clone())?, names.all(b, field)?);
        no_contact.extend(a.flat_map(|i| b.clone().map(move |j| [i, j])).filter(|[i, j]| i != j));
    }
    let mut joints: Vec<JointParts> = Vec::new();
    for (i, joint) in spec.joint.iter().enumerate() {
        let field = format!("joint[{i}]");
        let parts = joint_parts(joint, i, planar, &joints, &names, source).map_err(|e| below(e, &field))?;
        joints.push(parts);
    }
    joints.extend(flexible::held_ends(&spec, planar, &cables, &names)?);
    limit("beam", "bodies", described.len() + names.n_flexible(), MAX_BODIES)?;
    let flexible = flexible::flexible(&spec, planar, (&beams, &cables, &reduced), &names)?;
    let flexible = FlexibleParts { solids, ..flexible };
    let parts = SceneParts { planar, gravity, bodies: described, materials, springs, joints, no_contact, flexible };
    let scene = Bodies::new(parts.clone()).map_err(|error| typed(error, &tables))?;
    let (q0, v0) = (scene.q0().to_vec(), scene.v0().to_vec());
    let description = Description::Bodies(Box::new(parts), typed_solids.into(), looks.into());
    Ok(Built { description, model: Model::from(scene), q0, v0, start: None, tables, hands: Hands::default() })
}

/// An error about a body at the table that describes it: copies have none of their own.
pub fn typed(error: InputError, tables: &[usize]) -> InputError {
    let Some((number, rest)) = error.field.strip_prefix("body[").and_then(|rest| rest.split_once(']')) else {
        return error;
    };
    let table = number.parse().ok().and_then(|k: usize| tables.get(k));
    match table {
        Some(table) => InputError { field: format!("body[{table}]{rest}"), ..error },
        None => error,
    }
}

pub fn below(error: Box<ScenarioError>, field: &str) -> Box<ScenarioError> {
    let full = if error.field.is_empty() { field.to_string() } else { format!("{field}.{}", error.field) };
    error.about(full)
}

pub fn unknown<'a>(name: &str, field: String, known: impl Iterator<Item = &'a str> + Clone) -> Box<ScenarioError> {
    let help = suggest::help(name, known);
    InputError::new(Code::BAD_NAME, field, format!("there is no \"{name}\""), help).into()
}

/// How contacts give way; the field is that of the table.
fn compliance(spec: &Option<ComplianceSpec>, field: &str) -> Result<Option<Compliance>> {
    let Some(ComplianceSpec { kind, stiffness, damping }) = spec else { return Ok(None) };
    let growth = match kind.as_str() {
        "linear" => Growth::Linear,
        "hertz" => Growth::Hertz,
        other => return Err(unknown(other, format!("{field}.compliance.kind"), ["linear", "hertz"].into_iter())),
    };
    Ok(Some(Compliance { growth, stiffness: *stiffness, damping: *damping }))
}

fn materials(spec: &BodiesSpec) -> Result<Materials> {
    let default = PairLaw {
        restitution: spec.restitution.unwrap_or_default(),
        friction: spec.friction.unwrap_or_default(),
        rolling: spec.rolling.unwrap_or_default(),
        compliance: compliance(&spec.compliance, "model")?,
    };
    let names = if spec.material.is_empty() {
        vec!["default".to_string()]
    } else {
        spec.material.iter().map(|m| m.name.clone()).collect()
    };
    let mut materials = Materials::new(names, default).map_err(|e| {
        let field = e.field.clone();
        let prefix = if field.starts_with("material") { "" } else { "model." };
        InputError { field: format!("{prefix}{field}"), ..e }
    })?;
    let mut given = Vec::new();
    for (i, pair) in spec.pair.iter().enumerate() {
        let field = format!("pair[{i}]");
        let number = |name: &String| {
            let names = materials.names().iter().map(String::as_str);
            materials.find(name).ok_or_else(|| unknown(name, format!("{field}.materials"), names))
        };
        let [a, b] = match &pair.materials[..] {
            [a] => [number(a)?, number(a)?],
            [a, b] => [number(a)?, number(b)?],
            other => {
                let message = format!("names {} materials", other.len());
                return Err(InputError::new(Code::BAD_SHAPE, format!("{field}.materials"), message, "name two").into());
            }
        };
        let sorted = [a.min(b), a.max(b)];
        if let Some(first) = given.iter().position(|earlier| *earlier == sorted) {
            let message = format!("the same materials as pair[{first}]");
            let error =
                InputError::new(Code::CONTRADICTION, format!("{field}.materials"), message, "keep one of the two");
            return Err(error.into());
        }
        given.push(sorted);
        let law = PairLaw {
            restitution: pair.restitution,
            friction: pair.friction,
            rolling: pair.rolling.unwrap_or_default(),
            compliance: compliance(&pair.compliance, &field)?,
        };
        materials.set(a, b, law).map_err(|e| e.below(field))?;
    }
    Ok(materials)
}

/// Two numbers in the plane, three in space.
pub fn vector(x: &[f64], planar: bool, field: &str) -> Result<[f64; 3]> {
    match (x, planar) {
        (&[x, y], true) => Ok([x, y, 0.0]),
        (&[x, y, z], false) => Ok([x, y, z]),
        _ => Err(size(x.len(), if planar { 2 } else { 3 }, field)),
    }
}

/// One number in the plane, three in space.
pub fn axial(x: &[f64], planar: bool, field: &str) -> Result<[f64; 3]> {
    match (x, planar) {
        (&[z], true) => Ok([0.0, 0.0, z]),
        (&[x, y, z], false) => Ok([x, y, z]),
        _ => Err(size(x.len(), if planar { 1 } else { 3 }, field)),
    }
}

pub fn size(found: usize, wanted: usize, field: &str) -> Box<ScenarioError> {
    let message = format!("has {found} entries, not {wanted}");
    InputError::new(Code::BAD_SHAPE, field, message, format!("give {wanted} numbers")).into()
}

/// The constant part of gravity, which is a potential, and what varies in time.
fn gravity(spec: &Option<Vec<SignalSpec>>, planar: bool) -> Result<(Vec3, [Signal; 3])> {
    if spec.is_none() {
        return Ok((if planar { [0.0, -9.81, 0.0] } else { [0.0, 0.0, -9.81] }, Default::default()));
    }
    let mut shaking = signals(spec, planar, false, "model.gravity")?;
    let constant = std::array::from_fn(|k| std::mem::take(&mut shaking[k].mean));
    Ok((constant, shaking))
}

/// Signals along the axes (`turning`: about them).
pub fn signals(x: &Option<Vec<SignalSpec>>, planar: bool, turning: bool, field: &str) -> Result<[Signal; 3]> {
    let Some(x) = x else { return Ok(Default::default()) };
    let of = |k: usize| x[k].0.clone();
    match (x.len(), planar, turning) {
        (3, false, _) => Ok([of(0), of(1), of(2)]),
        (2, true, false) => Ok([of(0), of(1), Signal::default()]),
        (1, true, true) => Ok([Signal::default(), Signal::default(), of(0)]),
        (n, _, _) => Err(size(n, if !planar { 3 } else { 2 - usize::from(turning) }, field)),
    }
}

/// A quaternion, or an angle in the plane.
pub fn rotation(rotation: &Option<Vec<f64>>, angle: Option<f64>, planar: bool) -> Result<[f64; 4]> {
    let contradiction = |message: &str, help: &str| {
        Box::<ScenarioError>::from(InputError::new(Code::CONTRADICTION, "angle", message, help))
    };
    match (rotation, angle) {
        (Some(_), Some(_)) => Err(contradiction("angle and rotation both turn the body", "give one")),
        (Some(q), None) => match q[..] {
            [w, x, y, z] => Ok([w, x, y, z]),
            _ => Err(size(q.len(), 4, "rotation")),
        },
        (None, Some(_)) if !planar => Err(contradiction("angle is for planar scenes", "use rotation = [w, x, y, z]")),
        (None, angle) => {
            let (s, c) = math::sin_cos(0.5 * angle.unwrap_or(0.0));
            Ok([c, 0.0, 0.0, s])
        }
    }
}

fn body_parts(spec: &BodySpec, planar: bool, materials: &Materials, source: &Source) -> Result<BodyParts> {
    let contradiction = |field: &str, message: &str, help: &str| {
        Box::<ScenarioError>::from(InputError::new(Code::CONTRADICTION, field, message, help))
    };
    let rotation = rotation(&spec.rotation, spec.angle, planar)?;
    let motion = match (&spec.motion, spec.fixed == Some(true)) {
        (Some(_), true) => return Err(contradiction("fixed", "a fixed body is not moved", "remove fixed or motion")),
        (Some(motion), false) => Motion::Prescribed {
            velocity: signals(&motion.velocity, planar, false, "motion.velocity")?.into(),
            angular_velocity: signals(&motion.angular_velocity, planar, true, "motion.angular_velocity")?.into(),
        },
        (None, true) => {
            let moves = |x: &Option<Vec<f64>>| x.iter().flatten().any(|x| *x != 0.0);
            for (field, x) in [("velocity", &spec.velocity), ("angular_velocity", &spec.angular_velocity)] {
                if moves(x) {
                    let help = "remove fixed or the velocity; motion = { velocity = [...] } moves a body as you say";
                    return Err(contradiction(field, "a fixed body has no velocity", help));
                }
            }
            for (field, given) in
                [("force", spec.force.is_some()), ("torque", spec.torque.is_some()), ("drag", spec.drag.is_some())]
            {
                if given {
                    return Err(contradiction(field, "nothing moves a fixed body", "remove it, or fixed"));
                }
            }
            Motion::Fixed
        }
        (None, false) => Motion::Free,
    };
    let material = match &spec.material {
        None => 0,
        Some(name) => {
            let names = materials.names().iter().map(String::as_str);
            materials.find(name).ok_or_else(|| unknown(name, "material".into(), names))?
        }
    };
    let optional = |x: &Option<Vec<f64>>, field: &str| x.as_ref().map_or(Ok([0.0; 3]), |x| vector(x, planar, field));
    let shape = shapes(spec, planar, materials, source)?;
    Ok(BodyParts {
        name: spec.name.clone(),
        matter: matter(spec, &shape, planar, motion == Motion::Free)?,
        shape,
        position: optional(&spec.position, "position")?,
        rotation,
        velocity: optional(&spec.velocity, "velocity")?,
        angular_velocity: spec
            .angular_velocity
            .as_ref()
            .map_or(Ok([0.0; 3]), |w| axial(w, planar, "angular_velocity"))?,
        motion,
        material,
        force: signals(&spec.force, planar, false, "force")?,
        shaking: Default::default(),
        torque: signals(&spec.torque, planar, true, "torque")?,
        drag: spec.drag.unwrap_or_default(),
        contact: spec.contact != Some(false),
        placed: None,
        modal: false,
        node: false,
    })
}

/// Mass and inertia: as given, or those of a homogeneous body of its shape, of this density or of this mass.
fn matter(spec: &BodySpec, shape: &Shape, planar: bool, free: bool) -> Result<Matter> {
    let refuse = |code, field: &str, message: &str| {
        let help = "give density, or mass, or mass and inertia";
        Err(InputError::new(code, field, message, help).into())
    };
    if spec.massless == Some(true) && free {
        return match (spec.density, spec.mass, &spec.inertia) {
            (None, None, None) => Ok(Matter::Massless),
            _ => {
                refuse(Code::CONTRADICTION, "massless", "a body without mass has neither density nor mass nor inertia")
            }
        };
    }
    match (spec.density, spec.mass, &spec.inertia) {
        (Some(density), None, None) => Ok(Matter::Density(density)),
        (None, Some(mass), Some(i)) => {
            let inertia = match (&i[..], planar) {
                (&[z], true) => [[0.0; 3], [0.0; 3], [0.0, 0.0, z]],
                (&[x, y, z], false) => [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]],
                (&[x, y, z, xy, xz, yz], false) => [[x, xy, xz], [xy, y, yz], [xz, yz, z]],
                (other, _) => return Err(size(other.len(), if planar { 1 } else { 3 }, "inertia")),
            };
            Ok(Matter::Given { mass, inertia })
        }
        (None, Some(mass), None) => match shape.mass_properties(1.0, planar) {
            Some(unit) if unit.mass > 0.0 => Ok(Matter::Density(mass / unit.mass)),
            Some(_) | None => {
                refuse(Code::WRONG_TYPE, "inertia", "a body without volume needs an inertia beside its mass")
            }
        },
        (None, None, Some(_)) => refuse(Code::WRONG_TYPE, "mass", "an inertia needs a mass"),
        (Some(_), _, _) => refuse(Code::CONTRADICTION, "density", "density fixes mass and inertia"),
        (None, None, None) if free => refuse(Code::WRONG_TYPE, "density", "the body has no mass"),
        (None, None, None) => Ok(Matter::Density(1.0)),
    }
}

/// Copies on a grid with reproducible shifts.
fn copies(parts: &BodyParts, repeat: &RepeatSpec, planar: bool, out: &mut Vec<BodyParts>) -> Result<()> {
    let axes = if planar { 2 } else { 3 };
    if repeat.count.len() != axes {
        return Err(size(repeat.count.len(), axes, "repeat.count"));
    }
    let spacing = vector(&repeat.spacing, planar, "repeat.spacing")?;
    let jitter = repeat.jitter.as_ref().map_or(Ok([0.0; 3]), |j| vector(j, planar, "repeat.jitter"))?;
    let mut count = [1_usize; 3];
    let mut total = 1_usize;
    for (k, &n) in repeat.count.iter().enumerate() {
        count[k] = usize::try_from(n).unwrap_or(0);
        if count[k] == 0 {
            let message = format!("{n} copies along axis {k}");
            return Err(InputError::new(Code::BAD_SHAPE, "repeat.count", message, "give at least 1").into());
        }
        total = total.saturating_mul(count[k]);
    }
    limit("repeat.count", "bodies", total, MAX_BODIES)?;
    let mut seed = repeat.seed.wrapping_mul(2).wrapping_add(1);
    let mut dice = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    for k in 0..count[2] {
        for j in 0..count[1] {
            for i in 0..count[0] {
                let mut copy = parts.clone();
                copy.name = format!("{}.{}", parts.name, (k * count[1] + j) * count[0] + i);
                for (axis, n) in [i, j, k].into_iter().enumerate() {
                    copy.position[axis] +=
                        n as f64 * spacing[axis] + if jitter[axis] == 0.0 { 0.0 } else { jitter[axis] * dice() };
                }
                out.push(copy);
            }
        }
    }
    Ok(())
}
