//! Shapes of bodies, in the frame of their body; sizes are checked before anything else is done with them.

use super::math::{Vec3, norm};
use super::mesh::{TriangleMesh, check_mesh, check_polygon};
use crate::{Code, InputError};

/// What a body looks like. Axes of capsules and cylinders lie along z; a plane is solid below z = 0 (in a planar scene
/// below y = 0).
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A ball; in a planar scene a disk.
    Sphere {
        /// [m].
        radius: f64,
    },
    /// A box; in a planar scene a rectangle, whose third size is not used.
    Box {
        /// Lengths of its edges [m].
        size: Vec3,
    },
    /// A cylinder with half-spheres at its ends; space only.
    Capsule {
        /// [m].
        radius: f64,
        /// Of the cylindrical part [m].
        length: f64,
    },
    /// Space only.
    Cylinder {
        /// [m].
        radius: f64,
        /// [m].
        length: f64,
    },
    /// The convex hull of points; space only.
    Hull {
        /// At least four, not in one plane [m].
        points: Vec<Vec3>,
    },
    /// A closed surface of triangles, seen from outside counter-clockwise; space only.
    Mesh(TriangleMesh),
    /// A convex polygon, counter-clockwise; planar scenes only.
    Polygon {
        /// Its corners [m].
        points: Vec<[f64; 2]>,
    },
    /// The half-space below z = 0; only for bodies that are fixed or moved.
    Plane,
    /// A point without extent: it meets nothing.
    Point,
}

impl Shape {
    /// The word in a scenario.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::Box { .. } => "box",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Hull { .. } => "hull",
            Self::Mesh(_) => "mesh",
            Self::Polygon { .. } => "polygon",
            Self::Plane => "plane",
            Self::Point => "point",
        }
    }

    /// The radius of the ball about the body's origin that holds it; infinite for a plane [m].
    pub fn reach(&self) -> f64 {
        match self {
            Self::Sphere { radius } => *radius,
            Self::Box { size } => 0.5 * norm(size),
            Self::Capsule { radius, length } => radius + 0.5 * length,
            Self::Cylinder { radius, length } => radius.hypot(0.5 * length),
            Self::Hull { points } => points.iter().map(norm).fold(0.0, f64::max),
            Self::Mesh(mesh) => mesh.vertices.iter().map(norm).fold(0.0, f64::max),
            Self::Polygon { points } => points.iter().map(|p| p[0].hypot(p[1])).fold(0.0, f64::max),
            Self::Plane => f64::INFINITY,
            Self::Point => 0.0,
        }
    }

    /// Refuses what is no shape, or none of a scene of that kind; fields are named relative to the shape.
    pub fn check(&self, planar: bool) -> Result<(), InputError> {
        let length = |field: &str, x: f64| {
            if !x.is_finite() {
                return Err(InputError::new(Code::NOT_FINITE, field, format!("is {x}"), "give a finite length"));
            }
            if x <= 0.0 {
                let message = format!("is {x} m, not a positive length");
                return Err(InputError::new(Code::BAD_SIZE, field, message, "give a length above zero"));
            }
            Ok(())
        };
        let only = |kind: &str| {
            let message = format!("a {} belongs to a {kind} scene", self.name());
            Err(InputError::new(Code::BAD_SHAPE, "kind", message, "use sphere, box, polygon or plane in the plane"))
        };
        match self {
            Self::Sphere { radius } => length("radius", *radius),
            Self::Box { size } => {
                let n = if planar { 2 } else { 3 };
                size[..n].iter().enumerate().try_for_each(|(k, &x)| length(&format!("size[{k}]"), x))
            }
            Self::Capsule { .. } | Self::Cylinder { .. } | Self::Hull { .. } | Self::Mesh(_) if planar => {
                only("spatial")
            }
            Self::Polygon { .. } if !planar => only("planar"),
            Self::Capsule { radius, length: l } | Self::Cylinder { radius, length: l } => {
                length("radius", *radius)?;
                length("length", *l)
            }
            Self::Hull { points } => super::mesh::hull_triangles(points).map(|_| ()),
            Self::Mesh(mesh) => check_mesh(mesh),
            Self::Polygon { points } => check_polygon(points),
            Self::Plane | Self::Point => Ok(()),
        }
    }
}
