//! Rigid shapes that nodes may touch.
//!
//!   plane g = n·(x − p),   sphere g = |x − c| − r,   cylinder g = |x − p − ((x − p)·a) a| − r

use super::{Candidate, frame};
use crate::InputError;
use crate::bodies::math::{Vec3, axpy, dot, norm, scale, sub};
use crate::code::Code;
use crate::solid::section::Section;
use crate::solid::surface::Surface;

/// A rigid shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Obstacle {
    /// A half-space.
    Plane {
        /// A point of its surface [m].
        point: Vec3,
        /// Its normal, towards the solid; any length.
        normal: Vec3,
    },
    /// A ball; in the plane a disc.
    Sphere {
        /// Its centre [m].
        centre: Vec3,
        /// Its radius [m].
        radius: f64,
    },
    /// A round bar without ends.
    Cylinder {
        /// A point of its axis [m].
        point: Vec3,
        /// Its direction; any length.
        axis: Vec3,
        /// Its radius [m].
        radius: f64,
    },
}

impl Obstacle {
    /// g and the unit normal at x; `None` at the centre of a round shape, which has no normal.
    pub fn distance(&self, x: &Vec3) -> Option<(f64, Vec3)> {
        let round = |from: Vec3, radius: f64| {
            let length = norm(&from);
            (length > 0.0).then(|| (length - radius, scale(1.0 / length, &from)))
        };
        match self {
            Self::Plane { point, normal } => {
                let n = scale(1.0 / norm(normal), normal);
                Some((dot(&n, &sub(x, point)), n))
            }
            Self::Sphere { centre, radius } => round(sub(x, centre), *radius),
            Self::Cylinder { point, axis, radius } => {
                let a = scale(1.0 / norm(axis), axis);
                let from = sub(x, point);
                round(axpy(&from, -dot(&from, &a), &a), *radius)
            }
        }
    }

    fn check(&self, section: Section, field: &str) -> Result<(), InputError> {
        let (direction, radius) = match self {
            Self::Plane { normal, .. } => (Some(("normal", normal)), None),
            Self::Sphere { radius, .. } => (None, Some(radius)),
            Self::Cylinder { axis, radius, .. } => (Some(("axis", axis)), Some(radius)),
        };
        if let Some((name, direction)) = direction {
            let length = norm(direction);
            let flat = section.dimension() == 3 || direction[2] == 0.0 || name == "axis";
            if !(length > 0.0 && length.is_finite() && flat) {
                let message = format!("{name} = {direction:?} is no direction of the solid");
                let help = "give a direction that is not zero, within the plane for plane solids";
                return Err(InputError::new(Code::ZERO_NORMAL, format!("{field}.{name}"), message, help));
            }
        }
        if let Some(radius) = radius
            && !(*radius > 0.0 && radius.is_finite())
        {
            let message = format!("radius = {radius} is not a positive number");
            return Err(InputError::new(Code::BAD_SIZE, format!("{field}.radius"), message, "give it in metres"));
        }
        Ok(())
    }
}

/// One candidate per node of the surface.
pub(in crate::solid) fn candidates(
    contact: usize,
    surface: &Surface,
    shape: &Obstacle,
    X: &[Vec3],
    section: Section,
) -> Result<Vec<Candidate>, InputError> {
    let field = format!("model.contact[{contact}].against");
    shape.check(section, &field)?;
    let areas = surface.tributary_areas(X, section);
    let mut list = Vec::with_capacity(areas.len());
    for (&node, area) in surface.nodes.iter().zip(areas) {
        let Some((gap, n)) = shape.distance(&X[node]) else {
            let message = "a node of the surface is in the middle of the obstacle";
            return Err(InputError::new(Code::PENETRATION, field, message, "move the obstacle away"));
        };
        let frame = frame(n, section.dimension());
        list.push(Candidate { contact, node, weights: vec![(node, 1.0)], frame, gap, area });
    }
    Ok(list)
}
