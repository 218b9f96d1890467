//! Which shapes overlap at the start, and the corners by which the lowest point is found.

use super::start::Start;
use super::{Form, Link, Robot};
use percussion_model::bodies::math::Vec3;
use percussion_model::bodies::{
    Bodies, BodyParts, Detector, Frame, Materials, Matter, Motion, Piece, SceneParts, Shape,
};

/// Shapes nearer than this are taken to overlap [m].
const NEAR: f64 = 1e-6;

/// Balls whose hull holds a shape: centre and radius in its frame.
pub fn points(form: &Form, mut visit: impl FnMut(&Vec3, f64)) {
    match form {
        Form::Box(size) => {
            (0..8).for_each(|k: usize| visit(&std::array::from_fn(|a| size[a] * (0.5 - (k >> a & 1) as f64)), 0.0));
        }
        Form::Sphere(radius) => visit(&[0.0; 3], *radius),
        Form::Cylinder { radius, length } => {
            for k in 0..64 {
                let (s, c) = ((k / 2) as f64 * std::f64::consts::TAU / 32.0).sin_cos();
                // corners of the prism around it: not above any point of the rim
                let r = radius / (std::f64::consts::PI / 32.0).cos();
                visit(&[r * c, r * s, if k % 2 == 0 { -0.5 * length } else { 0.5 * length }], 0.0);
            }
        }
        Form::Capsule { radius, length } => {
            [-0.5, 0.5].iter().for_each(|s| visit(&[0.0, 0.0, s * length], *radius));
        }
        Form::Hull { corners, .. } => corners.iter().for_each(|p| visit(p, 0.0)),
        Form::Plane => {}
    }
}

/// The shape of a form.
fn shape(form: &Form) -> Shape {
    match form {
        Form::Box(size) => Shape::cuboid(*size),
        Form::Sphere(radius) => Shape::sphere(*radius),
        Form::Cylinder { radius, length } => Shape::cylinder(*radius, *length),
        Form::Capsule { radius, length } => Shape::capsule(*radius, *length),
        Form::Hull { corners, .. } => Shape::hull(corners.clone()),
        Form::Plane => Shape::plane(),
    }
}

/// The shapes of a link as one; planes stand alone.
pub fn solid(link: &Link) -> Shape {
    let piece = |s: &super::LinkShape| Piece::new(shape(&s.form), s.pose.x, &super::pose::quaternion(&s.pose.R), None);
    let solid: Vec<Piece> = link.shapes.iter().filter(|s| s.form != Form::Plane).map(piece).collect();
    if solid.is_empty() { Shape::point() } else { Shape::compound(solid) }
}

/// Pairs of links that overlap at the start and are not held together by a joint; `None` where the shapes make no scene.
pub fn overlaps(robot: &Robot, start: &Start, present: &[usize]) -> Option<Vec<[usize; 2]>> {
    let mut bodies = Vec::new();
    for &i in present {
        let (link, pose) = (&robot.links[i], &start.poses[i]);
        bodies.push(BodyParts {
            name: format!("{i}"),
            shape: solid(link),
            matter: Matter::Given { mass: 1.0, inertia: percussion_model::bodies::math::IDENTITY },
            motion: if link.fixed { Motion::Fixed } else { Motion::Free },
            position: pose.x,
            rotation: super::pose::quaternion(&pose.R),
            ..BodyParts::default()
        });
    }
    let number = |link: usize| present.iter().position(|&i| i == link);
    let held = robot.joints.iter().map(|j| [j.parent, j.child]).chain(robot.loops.iter().map(|l| l.links));
    let no_contact = held.filter_map(|[a, b]| Some([number(a)?, number(b)?])).collect();
    let materials = Materials::uniform(Default::default()).ok()?;
    let gravity = [0.0; 3];
    let parts = SceneParts {
        planar: false,
        gravity,
        bodies,
        materials,
        springs: vec![],
        joints: vec![],
        no_contact,
        flexible: Default::default(),
    };
    let scene = Bodies::new(parts).ok()?;
    let frames: Vec<Frame> = (0..scene.len()).map(|i| scene.frame(i, scene.q0())).collect();
    let mut detector = Detector::default();
    let found = detector.detect(&scene, &frames, &vec![0.5 * NEAR; scene.len()]);
    let mut pairs: Vec<[usize; 2]> =
        found.iter().map(|c| c.bodies.map(|k| present[k])).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    pairs.sort_unstable();
    pairs.dedup();
    Some(pairs)
}
