//! Rigid shapes that nodes may touch.
//!
//!   plane g = n·(x − p),   sphere g = |x − c| − r,   cylinder g = |x − p − ((x − p)·a) a| − r
//!   box: the face, edge or corner of it that is nearest, as a plane, a cylinder or a sphere without radius

use super::{Candidate, frame};
use crate::InputError;
use crate::bodies::math::{Vec3, axpy, dot, norm, scale, sub};
use crate::code::Code;
use crate::solid::section::Section;
use crate::solid::surface::Surface;
use percussion_matrix::math;

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
    /// A block; in the plane a rectangle.
    Block {
        /// Its centre [m].
        centre: Vec3,
        /// Half its lengths; without end across the plane [m].
        half: Vec3,
        /// How far it is turned about z [rad].
        angle: f64,
    },
}

impl Obstacle {
    /// g and the unit normal at x; `None` at the centre of a round shape, which has no normal.
    pub fn distance(&self, x: &Vec3) -> Option<(f64, Vec3)> {
        if let Self::Block { centre, half, angle } = self {
            return facing(x, centre, half, *angle).distance(x);
        }
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
            Self::Block { .. } => None,
        }
    }

    /// What of it a point meets: itself, or the face, edge or corner of a block that is nearest.
    pub fn met_at(&self, x: &Vec3) -> Self {
        match self {
            Self::Plane { .. } | Self::Sphere { .. } | Self::Cylinder { .. } => *self,
            Self::Block { centre, half, angle } => facing(x, centre, half, *angle),
        }
    }

    fn check(&self, section: Section, field: &str) -> Result<(), InputError> {
        let (direction, radius) = match self {
            Self::Plane { normal, .. } => (Some(("normal", normal)), None),
            Self::Sphere { radius, .. } => (None, Some(radius)),
            Self::Cylinder { axis, radius, .. } => (Some(("axis", axis)), Some(radius)),
            Self::Block { half, .. } => {
                let size = &half[..section.dimension()];
                if size.iter().any(|l| !(*l > 0.0 && l.is_finite())) {
                    let message =
                        format!("size = {:?} is not positive", size.iter().map(|l| 2.0 * l).collect::<Vec<_>>());
                    return Err(InputError::new(Code::BAD_SIZE, format!("{field}.size"), message, "give it in metres"));
                }
                (None, None)
            }
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

/// The face, edge or corner of a block that is nearest to a point; inside it the nearest face.
fn facing(x: &Vec3, centre: &Vec3, half: &Vec3, angle: f64) -> Obstacle {
    let (s, c) = math::sin_cos(angle);
    let axes: [Vec3; 3] = [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]];
    let from = sub(x, centre);
    let own = axes.map(|a| dot(&from, &a));
    let beyond: Vec3 = std::array::from_fn(|k| own[k].abs() - half[k]);
    let side = |k: usize| if own[k] < 0.0 { -half[k] } else { half[k] };
    let outside: Vec<usize> = (0..3).filter(|&k| beyond[k] > 0.0).collect();
    let corner = outside.iter().fold(*centre, |p, &k| axpy(&p, side(k), &axes[k]));
    match outside[..] {
        [a, b] => Obstacle::Cylinder { point: corner, axis: axes[3 - a - b], radius: 0.0 },
        [_, _, _] => Obstacle::Sphere { centre: corner, radius: 0.0 },
        _ => {
            let k = (0..3).max_by(|&a, &b| beyond[a].total_cmp(&beyond[b])).unwrap_or(0);
            Obstacle::Plane { point: axpy(centre, side(k), &axes[k]), normal: scale(side(k).signum(), &axes[k]) }
        }
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
