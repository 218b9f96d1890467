//! The picture of a solid: its elements in the plane, its outer surface in space, coloured by what the viewer asks for.
//!
//!   x_i = X_i + Σ_k b_ik q_k + b_ik s_k(t)   for every node that is drawn

use super::solid_film::SolidFilm;
use super::wall;
use percussion_model::Signal;
use percussion_model::bodies::math::Vec3;
use percussion_model::solid::contact::{Against, Obstacle, SurfaceContact};
use percussion_model::solid::finite::Law;
use percussion_model::solid::{Axis, Kinematics, Section, Solid};
use percussion_report::{
    ContactMark, Coordinate, Geometry, Place, Role, SceneDescription, ScenePoint as Point, Shape, SolidLaw,
    SolidSection,
};
use std::collections::BTreeSet;

/// Triangles a page can carry.
const MOST_TRIANGLES: usize = 50_000;
/// Contacts whose impulses are drawn.
const MOST_MARKS: usize = 200;

/// The triangles of each part, empty where they are too many.
fn triangles(solid: &Solid) -> Vec<Vec<[usize; 3]>> {
    let mut by_part = vec![Vec::new(); solid.parts().len()];
    let all = solid.triangles_by_element();
    if all.len() <= MOST_TRIANGLES {
        all.into_iter().for_each(|(e, triangle)| by_part[solid.matter().part[e]].push(triangle));
    }
    by_part
}

/// The nodes that are drawn, ascending.
pub fn drawn(solid: &Solid) -> Vec<usize> {
    let nodes: BTreeSet<usize> = triangles(solid).into_iter().flatten().flatten().collect();
    nodes.into_iter().collect()
}

/// The free coordinates of a node and their directions.
pub fn free_axes(solid: &Solid, node: usize) -> impl Iterator<Item = (usize, Vec3)> + '_ {
    let coordinates = solid.coordinates();
    coordinates.axes(node).iter().enumerate().filter_map(move |(k, axis)| match axis {
        Axis::Free(i) => Some((*i, coordinates.direction(node, k))),
        Axis::Supported(_) => None,
    })
}

/// Where a node is, by the numbers of the film.
fn place(solid: &Solid, film: &SolidFilm, node: usize) -> [Coordinate; 3] {
    let (X, coordinates) = (solid.matter().X[node], solid.coordinates());
    [0, 1, 2].map(|k| {
        let mut x = Coordinate::constant(X[k]);
        for (a, axis) in coordinates.axes(node).iter().enumerate() {
            let b = coordinates.direction(node, a);
            if b[k] == 0.0 {
                continue;
            }
            match axis {
                Axis::Free(i) => x.terms.extend(film.terms(*i, &b, k)),
                Axis::Supported(i) => {
                    let motion = film.moved(&coordinates.motions()[*i], b[k]);
                    x.constant += motion.constant;
                    x.terms.extend(motion.terms);
                    x.sines.extend(motion.sines);
                }
            }
        }
        x
    })
}

/// A solid among bodies, by the coordinates of its nodes from `first` on, so many each.
pub fn among_bodies(name: &str, solid: &Solid, first: usize, per_body: usize) -> Vec<Shape> {
    // the page takes the constant for the place without strain: a sine of no frequency takes it off again
    let place = |node: usize| {
        let X = solid.matter().X[node];
        let q = |k: usize| Coordinate {
            sines: vec![(X[k], 0.0, -0.5 * std::f64::consts::PI)],
            ..Coordinate::q(first + per_body * node + k, X[k])
        };
        if solid.matter().dimension() == 2 { Coordinate::plane(q(0), q(1)) } else { [q(0), q(1), q(2)] }
    };
    let mut shapes = parts(solid, place, |_| Vec::new());
    shapes.iter_mut().for_each(|shape| shape.name = format!("{name} {}", shape.name));
    shapes
}

/// The picture.
pub fn scene(solid: &Solid) -> SceneDescription {
    let film = SolidFilm::new(solid);
    let space = solid.matter().dimension() == 3;
    let mut shapes: Vec<Shape> = solid.laws().iter().filter_map(|law| obstacle(law, &film, space)).collect();
    shapes.extend(parts(solid, |node| place(solid, &film, node), |nodes| film.pressures(nodes)));
    let marked = solid.candidates().iter().enumerate().take(MOST_MARKS);
    let contacts = marked.map(|(contact, candidate)| ContactMark {
        contact,
        point: Point::At { position: place(solid, &film, candidate.node) },
        normal: candidate.frame[0],
        tangents: if solid.laws()[candidate.contact].friction > 0.0 {
            candidate.frame[1..solid.matter().dimension()].to_vec()
        } else {
            Vec::new()
        },
    });
    let contacts = contacts.collect();
    let note = if film.count() == 0 {
        format!("The mesh has more than {MOST_TRIANGLES} triangles and is not drawn; export --to vtk shows it.")
    } else {
        String::new()
    };
    let profiles = film.profiles(|node| place(solid, &film, node));
    SceneDescription { space, shapes, contacts, note, profiles }
}

/// Its parts, each a shape, for the places of nodes and the pressures on them.
fn parts(
    solid: &Solid,
    place: impl Fn(usize) -> [Coordinate; 3],
    pressures: impl Fn(&[usize]) -> Vec<(usize, usize)>,
) -> Vec<Shape> {
    let space = solid.matter().dimension() == 3;
    let here = || Place::Fixed { position: [0.0; 3], rotation: [1.0, 0.0, 0.0, 0.0] };
    let mut shapes = Vec::new();
    for (part, triangles) in triangles(solid).into_iter().enumerate().filter(|(_, list)| !list.is_empty()) {
        let nodes: Vec<usize> = triangles.iter().flatten().copied().collect::<BTreeSet<_>>().into_iter().collect();
        let local = |i: usize| nodes.binary_search(&i).unwrap_or(0);
        let triangles: Vec<[usize; 3]> = triangles.iter().map(|triangle| triangle.map(local)).collect();
        let section = solid.matter().section;
        // on a free surface nothing presses across the triangles
        let drawn_in = match section {
            Section::Space => Section::Stress { thickness: 1.0 },
            Section::Strain { .. } | Section::Stress { .. } | Section::Axisymmetric => section,
        };
        let lame = solid.parts()[part].material.lame(drawn_in);
        let geometry = Geometry::Solid {
            points: nodes.iter().map(|&node| place(node)).collect(),
            pressures: pressures(&nodes),
            outline: if space { Vec::new() } else { outline(&triangles) },
            triangles,
            lame: [lame.lambda, lame.mu],
            law: match solid.kinematics() {
                Kinematics::Linear => SolidLaw::Hooke,
                Kinematics::Finite(laws) => match laws[part] {
                    Law::SaintVenantKirchhoff => SolidLaw::SaintVenantKirchhoff,
                    Law::NeoHookean => SolidLaw::NeoHookean,
                },
            },
            section: match section {
                Section::Strain { .. } => SolidSection::Slice,
                Section::Stress { .. } | Section::Space => SolidSection::Sheet,
                Section::Axisymmetric => SolidSection::Rings,
            },
        };
        let name = solid.parts()[part].group.clone();
        shapes.push(Shape { name, role: Role::Body, geometry, place: here() });
    }
    shapes
}

/// A rigid shape that a surface may touch.
fn obstacle(law: &SurfaceContact, film: &SolidFilm, space: bool) -> Option<Shape> {
    let Against::Obstacle { shape, motion } = &law.against else { return None };
    let still = Signal::default();
    let at = |x: [f64; 3]| [0, 1, 2].map(|k| film.moved(motion.get(k).unwrap_or(&still), 1.0).plus(x[k]));
    let placed = |name: &str, geometry: Geometry, x: [f64; 3]| {
        let place = Place::Coordinates { position: at(x), angle: Coordinate::default() };
        Some(Shape { name: name.into(), role: Role::Obstacle, geometry, place })
    };
    match *shape {
        Obstacle::Plane { point, normal } => Some(wall("plane", at(point), normal, 0.0)),
        Obstacle::Sphere { centre, radius } => placed("sphere", Geometry::Sphere { radius }, centre),
        // across the plane a disc, in space one along z
        Obstacle::Cylinder { point, radius, .. } if !space => placed("cylinder", Geometry::Sphere { radius }, point),
        Obstacle::Cylinder { point, axis, radius } if axis[0] == 0.0 && axis[1] == 0.0 => {
            placed("cylinder", Geometry::Cylinder { radius, length: 20.0 * radius }, point)
        }
        Obstacle::Cylinder { .. } => None,
        Obstacle::Block { centre, half, angle } => {
            let size = half.map(|l| if l.is_finite() { 2.0 * l } else { 0.0 });
            let angle = Coordinate::constant(angle);
            let place = Place::Coordinates { position: at(centre), angle };
            Some(Shape { name: "box".into(), role: Role::Obstacle, geometry: Geometry::Box { size }, place })
        }
    }
}

/// Edges of one triangle only.
fn outline(triangles: &[[usize; 3]]) -> Vec<[usize; 2]> {
    let mut edges: Vec<[usize; 2]> =
        triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.chunk_by(|a, b| a == b).filter(|same| same.len() == 1).map(|same| same[0]).collect()
}
