//! Pieces of scenes of rigid bodies, and heaps of many.
//!
//!   m v̇ = m g + f,   I ẇ + w × I w = τ,   contacts by one law e, μ

use super::Dice;
use crate::Problem;
use percussion_model::InputError;
use percussion_model::bodies::math::Vec3;
use percussion_model::bodies::{
    Bodies, BodyParts, JointKind, JointParts, Materials, Matter, Motion, PairLaw, SceneParts, Shape,
};

/// Bodies that all meet by one law, without springs and joints, which are for the caller to add.
pub fn scene(planar: bool, gravity: Vec3, bodies: Vec<BodyParts>, law: PairLaw) -> Result<SceneParts, InputError> {
    let (materials, springs, joints, no_contact) = (Materials::uniform(law)?, Vec::new(), Vec::new(), Vec::new());
    Ok(SceneParts { planar, gravity, bodies, materials, springs, joints, no_contact, flexible: Default::default() })
}

/// A fixed floor at height 0.
pub fn floor() -> BodyParts {
    BodyParts { name: "floor".into(), shape: Shape::plane(), ..ground() }
}

/// A fixed body without a shape, to hang joints from.
pub fn ground() -> BodyParts {
    BodyParts { name: "ground".into(), motion: Motion::Fixed, ..Default::default() }
}

/// A ball of density 1000 kg/m³, at rest.
pub fn ball(name: &str, radius: f64, position: Vec3) -> BodyParts {
    BodyParts { name: name.into(), shape: Shape::sphere(radius), position, ..Default::default() }
}

/// A box of density 1000 kg/m³ with its edges along the axes, at rest.
pub fn cuboid(name: &str, size: Vec3, position: Vec3) -> BodyParts {
    BodyParts { name: name.into(), shape: Shape::cuboid(size), position, ..Default::default() }
}

/// A body without a shape, given by its mass and principal moments of inertia, at rest.
pub fn solid(name: &str, position: Vec3, mass: f64, [x, y, z]: Vec3) -> BodyParts {
    let inertia = [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]];
    BodyParts { name: name.into(), position, matter: Matter::Given { mass, inertia }, ..Default::default() }
}

/// A joint of two bodies, by their numbers.
pub fn joint(name: &str, kind: JointKind, bodies: [usize; 2], anchor: Vec3, axis: Vec3) -> JointParts {
    JointParts { name: name.into(), kind, bodies, anchor, axis, ..Default::default() }
}

/// Heaps of 5 × 5 × 4 equal bodies falling on a floor, 3 m from each other, each body up to 9 mm aside; e = 0, μ = 0.5. A body
/// must be smaller than 0.2 m.
pub fn heaps(count: usize, shape: &Shape) -> Result<Problem, InputError> {
    let mut dice = Dice(5);
    let mut bodies = vec![floor()];
    for heap in 0..count {
        for k in 0..100 {
            let (i, j, layer) = (k % 5, k / 5 % 5, k / 25);
            let mut aside = |x: f64| x + dice.real(-0.009, 0.009);
            let (x, y) = (aside(3.0 * heap as f64 + 0.22 * f64::from(i)), aside(0.22 * f64::from(j)));
            let position = [x, y, 0.105 + 0.21 * f64::from(layer)];
            bodies.push(BodyParts {
                name: format!("{heap} {k}"),
                shape: shape.clone(),
                position,
                ..Default::default()
            });
        }
    }
    let law = PairLaw { restitution: 0.0, friction: 0.5, ..Default::default() };
    Problem::bodies(Bodies::new(scene(false, [0.0, 0.0, -9.81], bodies, law)?)?)
}
