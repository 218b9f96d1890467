//! The moving picture of a model: shapes, and how the coordinates place each of them.
//!
//!   coordinate(q, t) = constant + Σ cᵢ qᵢ + Σ A sin(ω t + φ)
//!
//! A model fills in a [`SceneDescription`]; the page draws it in the plane (x right, y up) or in space (z up).

use serde::Serialize;

/// What the page draws while time runs. Index i of a coordinate is its place in the run's film (`Meta::film`).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SceneDescription {
    /// In space, seen in perspective; otherwise in the plane z = 0.
    pub space: bool,
    /// Bodies, links and obstacles; later ones are drawn over earlier ones.
    pub shapes: Vec<Shape>,
    /// Where contacts act, for gaps and impulse arrows.
    pub contacts: Vec<ContactMark>,
    /// How to read the picture, where it is not as the model is; one sentence or empty.
    pub note: String,
    /// Pressures along surfaces in contact, drawn at the time that is chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<PressureProfile>,
}

/// Pressure along a surface in contact; numbers of the film give its pressures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PressureProfile {
    /// The surface.
    pub name: String,
    /// What its points are told apart by.
    pub form: ProfileForm,
    /// Where its points are, in space.
    pub points: Vec<[Coordinate; 3]>,
    /// Where they are along the surface or how far from the axis [m].
    pub along: Vec<f64>,
    /// Length of a closed surface; 0 where it is open [m].
    pub length: f64,
    /// Area of each point, in the plane by thickness [m², m].
    pub areas: Vec<f64>,
    /// Their places among the numbers of the film.
    pub pressures: Vec<usize>,
    /// What Hertz's theory needs; none where the surface is not round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hertz: Option<Hertz>,
}

/// Against what pressure is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileForm {
    /// The way along the surface, from the middle of the contact.
    Along,
    /// The distance from the axis.
    FromAxis,
    /// The distance from the middle of the contact.
    FromMiddle,
}

/// a² = 4PR/(πE*) along a line, a³ = 3FR/(4E*) about a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Hertz {
    /// R, of the gap s²/(2R) [m].
    pub radius: f64,
    /// E* [Pa].
    pub modulus: f64,
}

/// One thing to draw.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shape {
    /// For people who look at it and for those who hear it; may be empty.
    pub name: String,
    /// What it is to the motion.
    pub role: Role,
    /// Its form in its own frame.
    pub geometry: Geometry,
    /// Where that frame is.
    pub place: Place,
}

/// What a shape is to the motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It has mass and moves.
    Body,
    /// A rod or spring between bodies.
    Link,
    /// What bodies meet.
    Obstacle,
    /// The axis of a joint, drawn on request.
    Axis,
}

/// A section swept along a line in space, and what its colours mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Swept {
    /// Where x of each node stands among the coordinates; its quaternion stands three after it.
    pub nodes: Vec<usize>,
    /// The section along its second and third axis [m].
    pub outline: Vec<[f64; 2]>,
    /// Whether it turns with the nodes; otherwise it stands across the line.
    pub turns: bool,
    /// What each piece resists with, which gives its colour; empty: one colour.
    pub bending: Vec<Bending>,
}

/// What a piece of a beam resists with: n = C(ε − ε_ref), ½ (ε − ε_ref)·n of strain energy by length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Bending {
    /// L [m].
    pub length: f64,
    /// ε_ref.
    pub rest: [f64; 6],
    /// C [N, N·m, N·m²].
    pub stiffness: [[f64; 6]; 6],
    /// How strain is measured: se3, cayley or director.
    pub measure: &'static str,
    /// Its axes at both ends as quaternions w, i, j, k in the frames of the nodes; none: those of the nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seats: Option<[[f64; 4]; 2]>,
}

/// A form in its own frame; the sizes are whole lengths [m].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each variant explains its fields")]
pub enum Geometry {
    /// A ball, in the plane a disk.
    Sphere { radius: f64 },
    /// A box, in the plane a rectangle.
    Box { size: [f64; 3] },
    /// A cylinder along z with half-spheres at its ends; `length` is that of the cylindrical part.
    Capsule { radius: f64, length: f64 },
    /// A cylinder along z.
    Cylinder { radius: f64, length: f64 },
    /// What lies behind the plane through the origin with this normal; `extent` is its width, 0 for no end.
    Plane { normal: [f64; 3], extent: f64 },
    /// A convex polygon in the plane.
    Polygon { points: Vec<[f64; 2]> },
    /// Triangles; with a colour of their own, red, green and blue of 255.
    Mesh {
        vertices: Vec<[f64; 3]>,
        triangles: Vec<[usize; 3]>,
        #[serde(skip_serializing_if = "Option::is_none")]
        colour: Option<[u8; 3]>,
    },
    /// A line through points that move by themselves (the place of the shape is not used). With `angles`, tangents [rad]
    /// in the plane, it is drawn smooth; with `strain`, each piece is coloured by how much its length has changed; `swept`, it has a section in space.
    Polyline {
        points: Vec<[Coordinate; 3]>,
        angles: Vec<Coordinate>,
        thickness: f64,
        strain: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        swept: Option<Box<Swept>>,
    },
    /// A solid whose points move by themselves (the place of the shape is not used), coloured by what the viewer asks for. `lame`
    /// are λ and μ [Pa] of its law in the plane of a triangle, `outline` the edges drawn over it.
    Solid {
        points: Vec<[Coordinate; 3]>,
        triangles: Vec<[usize; 3]>,
        outline: Vec<[usize; 2]>,
        /// Points on surfaces in contact: which, and the place of its pressure among the numbers of the film.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pressures: Vec<(usize, usize)>,
        lame: [f64; 2],
        law: SolidLaw,
        section: SolidSection,
    },
    /// A spring between two points.
    Spring { ends: Box<[[Coordinate; 3]; 2]>, width: f64 },
}

/// How stress follows from deformation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolidLaw {
    /// σ = λ tr ε + 2μ ε, small displacements.
    Hooke,
    /// S = λ tr E + 2μ E with Green's strain.
    SaintVenantKirchhoff,
    /// σ = (μ (B − 1) + λ ln J)/J.
    NeoHookean,
}

/// What happens across the triangles of a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolidSection {
    /// Nothing is strained.
    Slice,
    /// Nothing presses.
    Sheet,
    /// Rings about the y axis are stretched.
    Rings,
}

/// Where the frame of a shape is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each variant explains its fields")]
pub enum Place {
    /// Position and angle about z, each a coordinate.
    Coordinates { position: [Coordinate; 3], angle: Coordinate },
    /// Position x, y, z and unit quaternion w, i, j, k from seven coordinates.
    Body { first: usize },
    /// x, y and angle from three coordinates.
    Planar { first: usize },
    /// It stays: position and unit quaternion w, i, j, k.
    Fixed { position: [f64; 3], rotation: [f64; 4] },
}

/// constant + Σ cᵢ qᵢ + Σ A sin(ω t + φ).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Coordinate {
    /// The constant.
    #[serde(rename = "c", skip_serializing_if = "is_zero")]
    pub constant: f64,
    /// (i, cᵢ).
    #[serde(rename = "q", skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<(usize, f64)>,
    /// (A, ω, φ).
    #[serde(rename = "s", skip_serializing_if = "Vec::is_empty")]
    pub sines: Vec<(f64, f64, f64)>,
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

impl Coordinate {
    /// A number.
    pub fn constant(constant: f64) -> Self {
        Self { constant, ..Self::default() }
    }

    /// constant + qᵢ.
    pub fn q(i: usize, constant: f64) -> Self {
        Self { constant, terms: vec![(i, 1.0)], ..Self::default() }
    }

    /// The same, further by a number.
    pub fn plus(mut self, constant: f64) -> Self {
        self.constant += constant;
        self
    }

    /// A point of the plane.
    pub fn plane(x: Self, y: Self) -> [Self; 3] {
        [x, y, Self::default()]
    }
}

/// Points of meshes on a page, in all its pictures.
const MESH_POINTS: usize = 40_000;

/// The picture with meshes as they are while they fit, else as the boxes around them.
pub fn light(scene: &SceneDescription, pictures: usize) -> SceneDescription {
    let size = |shape: &Shape| match &shape.geometry {
        Geometry::Mesh { vertices, triangles, .. } => vertices.len() + triangles.len(),
        _ => 0,
    };
    let mut scene = scene.clone();
    let mut room = MESH_POINTS / pictures.max(1);
    let mut boxes = 0;
    for shape in &mut scene.shapes {
        let n = size(shape);
        if n <= room {
            room -= n;
        } else if let Geometry::Mesh { vertices, .. } = &shape.geometry {
            shape.geometry = box_around(vertices);
            boxes += 1;
        }
    }
    if boxes > 0 {
        let note = format!("{boxes} meshes are drawn as their bounding boxes: they are too large for the page.");
        scene.note = format!("{} {note}", scene.note).trim().to_string();
    }
    scene
}

fn box_around(points: &[[f64; 3]]) -> Geometry {
    let end = |k: usize, pick: fn(f64, f64) -> f64, from: f64| points.iter().map(|p| p[k]).fold(from, pick);
    let low: [f64; 3] = std::array::from_fn(|k| end(k, f64::min, f64::INFINITY));
    let high: [f64; 3] = std::array::from_fn(|k| end(k, f64::max, f64::NEG_INFINITY));
    let vertices = (0..8).map(|i| std::array::from_fn(|k| if i >> k & 1 == 0 { low[k] } else { high[k] })).collect();
    // two triangles of each face, seen from outside
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Geometry::Mesh { vertices, triangles, colour: None }
}

/// Where a contact acts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContactMark {
    /// Number of the contact.
    pub contact: usize,
    /// The point of the body that meets the obstacle.
    pub point: Point,
    /// Unit normal, from the obstacle to the body: the direction of a positive impulse.
    pub normal: [f64; 3],
    /// Unit tangents: the directions of positive friction impulses; empty without friction or where it has no place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tangents: Vec<[f64; 3]>,
}

/// A point of the picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each variant explains its fields")]
pub enum Point {
    /// By its coordinates.
    At { position: [Coordinate; 3] },
    /// Fixed to a shape, in the shape's frame.
    On { shape: usize, local: [f64; 3] },
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mesh too large for the page becomes the box around it: the same extent, faces that point outwards.
    ///
    /// The bug: the report of a run with a large mesh did not end. Meshes beyond a bound are drawn as the boxes around them, and the
    /// page says so.
    #[test]
    fn regression_large_meshes_become_boxes() {
        let mesh = |n: usize| Shape {
            name: String::new(),
            role: Role::Body,
            geometry: Geometry::Mesh {
                vertices: (0..n).map(|i| [i as f64, -(i as f64), 2.0 * i as f64]).collect(),
                triangles: Vec::new(),
                colour: None,
            },
            place: Place::Body { first: 0 },
        };
        let scene = SceneDescription { shapes: vec![mesh(100), mesh(100_000)], ..SceneDescription::default() };
        let drawn = light(&scene, 1);
        assert_eq!(drawn.shapes[0], scene.shapes[0]);
        assert!(drawn.note.starts_with("1 meshes"), "{}", drawn.note);
        let Geometry::Mesh { vertices, triangles, .. } = &drawn.shapes[1].geometry else { panic!("a mesh") };
        let top = 99_999.0;
        assert_eq!((vertices[0], vertices[7]), ([0.0, -top, 0.0], [top, 0.0, 2.0 * top]));
        let middle = [0.5 * top, -0.5 * top, top];
        for &[a, b, c] in triangles {
            let side = |i: usize, j: usize| -> [f64; 3] { std::array::from_fn(|k| vertices[i][k] - vertices[j][k]) };
            let (u, v) = (side(b, a), side(c, a));
            let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            let out: f64 = (0..3).map(|k| n[k] * (vertices[a][k] - middle[k])).sum();
            assert!(out > 0.0, "{a} {b} {c}");
        }
    }
}
