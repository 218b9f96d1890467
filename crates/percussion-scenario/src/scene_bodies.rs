//! The picture of a scene of bodies: each in its shape, placed by its own coordinates.

use crate::run_folder::Row;
use percussion_model::bodies::{Bodies, Shape as BodyShape};
use percussion_report::{Geometry, Place, ReportBuilder, Role, SceneDescription, Shape};

/// Impulses of one state that are drawn.
const ARROWS: usize = 200;
/// Bodies that are drawn.
const DRAWN: usize = 1500;

/// The coordinates of the bodies that are drawn.
pub fn film(bodies: &Bodies) -> Vec<usize> {
    (0..bodies.len().min(DRAWN) * coordinates(bodies)).collect()
}

/// The picture.
pub fn scene(bodies: &Bodies) -> SceneDescription {
    let per_body = coordinates(bodies);
    let mut shapes = Vec::new();
    for (i, body) in bodies.bodies().iter().enumerate().take(DRAWN) {
        let Some(geometry) = geometry(&body.shape, bodies.is_planar()) else { continue };
        let first = i * per_body;
        let place = if bodies.is_planar() { Place::Planar { first } } else { Place::Body { first } };
        let role = if body.is_free() { Role::Body } else { Role::Obstacle };
        shapes.push(Shape { name: body.name.clone(), role, geometry, place });
    }
    // obstacles first: later shapes are drawn over earlier ones
    shapes.sort_by_key(|shape| shape.role == Role::Body);
    let note = match bodies.len() {
        n if n > DRAWN => format!("The first {DRAWN} of {n} bodies are drawn."),
        _ => String::new(),
    };
    SceneDescription { space: !bodies.is_planar(), shapes, contacts: Vec::new(), note }
}

/// The normal impulses of a state, where they act on the first body of each pair; the first so many of a large pile.
pub fn push_arrows(builder: &mut ReportBuilder, bodies: &Bodies, row: &Row) {
    let q = &row.state.q;
    for c in row.contacts.iter().filter(|c| c.p > 0.0).take(ARROWS) {
        let Some(point) = bodies.contact(c.id as u64, q) else { continue };
        let centre = bodies.frame(point.bodies[0], q).x;
        let at = std::array::from_fn(|k| centre[k] + point.arms[0][k]);
        builder.push_arrow(row.state.t, at, point.normal.map(|n| c.p * n));
    }
}

fn coordinates(bodies: &Bodies) -> usize {
    if bodies.is_planar() { 3 } else { 7 }
}

/// A body's shape as the page draws it; points are not drawn.
fn geometry(shape: &BodyShape, planar: bool) -> Option<Geometry> {
    Some(match shape {
        BodyShape::Sphere { radius } => Geometry::Sphere { radius: *radius },
        BodyShape::Box { size } => Geometry::Box { size: *size },
        BodyShape::Capsule { radius, length } => Geometry::Capsule { radius: *radius, length: *length },
        BodyShape::Cylinder { radius, length } => Geometry::Cylinder { radius: *radius, length: *length },
        // every pair of points may be an edge of the hull: the points themselves show where it is
        BodyShape::Hull { points } => Geometry::Mesh { vertices: points.clone(), triangles: hull_triangles(points) },
        BodyShape::Mesh(mesh) => Geometry::Mesh { vertices: mesh.vertices.clone(), triangles: mesh.triangles.clone() },
        BodyShape::Polygon { points } => Geometry::Polygon { points: points.clone() },
        BodyShape::Plane => {
            let normal = if planar { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
            Geometry::Plane { normal, extent: 0.0 }
        }
        BodyShape::Point => return None,
    })
}

/// The triples of points with all others on one side: the faces of the hull, cut into triangles.
fn hull_triangles(points: &[[f64; 3]]) -> Vec<[usize; 3]> {
    let n = points.len().min(60);
    let sub = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                let normal = cross(sub(points[j], points[i]), sub(points[k], points[i]));
                let scale = dot(normal, normal).sqrt() * 1e-9;
                let side = |m: usize| dot(normal, sub(points[m], points[i]));
                if (0..n).all(|m| side(m) <= scale) {
                    triangles.push([i, j, k]);
                } else if (0..n).all(|m| side(m) >= -scale) {
                    triangles.push([i, k, j]);
                }
            }
        }
    }
    triangles
}
