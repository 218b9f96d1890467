//! The picture of a scene of bodies: each in its shape, placed by its own coordinates.

use crate::build::looks::Look;
use crate::format::write::flexible::measure_name;
use crate::run::body_tables::directions;
use crate::run::folder::Row;
use crate::scene::solid::among_bodies;
use crate::scene::{joints, shapeless};
use percussion_model::bodies::math::{norm, sub};
use percussion_model::bodies::shapes::{Picture, Surface};
use percussion_model::bodies::{Beam, Bodies, ContactPoint, Joint, Reduced, SceneParts, Span, TriangleMesh};
use percussion_model::flexible::{Element, rotation};
use percussion_report::{
    Bending, Candidates, Coordinate, Geometry, Meta, Place, ReportBuilder, Role, SceneDescription, Shape, Swept,
};

/// Impulses of one state that are drawn.
const ARROWS: usize = 200;
/// Free bodies that are all followed: those that move most have curves.
const FOLLOWED_BODIES: usize = 24;
/// Bodies that are drawn.
const DRAWN: usize = 1500;

/// Those of scenes with solids, whose nodes are bodies.
const DRAWN_NODES: usize = 6000;

/// How many bodies are drawn, at most.
fn drawn(bodies: &Bodies) -> usize {
    if bodies.elastic().is_empty() { DRAWN } else { DRAWN_NODES }
}

/// The coordinates of the bodies that are drawn.
pub fn film(bodies: &Bodies) -> Vec<usize> {
    (0..bodies.len().min(drawn(bodies)) * coordinates(bodies)).collect()
}

/// The picture.
pub fn scene(bodies: &Bodies, parts: &SceneParts, looks: &[Look]) -> SceneDescription {
    let per_body = coordinates(bodies);
    let (mut shapes, mut imagined) = (Vec::new(), false);
    for (i, body) in bodies.bodies().iter().enumerate().take(drawn(bodies)) {
        // beams and cables are drawn as lines, solids by their surfaces, modal coordinates not at all
        if body.modal || body.node || bodies.beams().iter().any(|beam| beam.is_made_of(i)) {
            continue;
        }
        let first = i * per_body;
        let role = if body.is_free() { Role::Body } else { Role::Obstacle };
        let own: Vec<&Look> = looks.iter().filter(|look| look.body == i).collect();
        for look in &own {
            let TriangleMesh { vertices, triangles, .. } = look.mesh.clone();
            let colour = look.spec.color.as_ref().map(|rgb| std::array::from_fn(|k| (255.0 * rgb[k]).round() as u8));
            let geometry = Geometry::Mesh { vertices, triangles, colour };
            shapes.push(Shape { name: body.name.clone(), role, geometry, place: Place::Body { first } });
        }
        for picture in body.shape.pictures(bodies.is_planar()).into_iter().filter(|_| own.is_empty()) {
            let place = if bodies.is_planar() { Place::Planar { first } } else { Place::Body { first } };
            shapes.push(Shape { name: body.name.clone(), role, geometry: geometry(picture), place });
        }
        for piece in shapeless::pieces(bodies, i).into_iter().filter(|_| own.is_empty()) {
            let place = if bodies.is_planar() { Place::Planar { first } } else { Place::Body { first } };
            shapes.push(Shape { name: body.name.clone(), role, geometry: of_piece(piece, bodies.is_planar()), place });
            imagined = true;
        }
    }
    // obstacles first: later shapes are drawn over earlier ones
    shapes.sort_by_key(|shape| shape.role == Role::Body);
    shapes.extend(bodies.beams().iter().filter_map(|beam| line(bodies, beam)));
    for solid in bodies.elastic().iter().filter(|solid| solid.nodes().end <= drawn(bodies)) {
        shapes.extend(among_bodies(&solid.name, &solid.solid, per_body * solid.first_node, per_body));
    }
    shapes.extend(bodies.reduced().iter().flat_map(|body| spokes(bodies, body)));
    // joints of markers and rollers are part of their solids, those of links of their cables
    let links = |i: usize| bodies.beams().iter().any(|beam| beam.is_link(i));
    let inside = |joint: &&Joint| !joint.bodies.iter().any(|&i| bodies.bodies()[i].node || links(i));
    for joint in bodies.joints().iter().filter(inside) {
        shapes.extend(joints::marks(bodies, joint, drawn(bodies)));
        let described = parts.joints.iter().find(|described| described.name == joint.name);
        shapes.extend(described.and_then(|described| joints::axis(bodies, joint, &described.axis, drawn(bodies))));
    }
    let mut notes = Vec::new();
    if imagined {
        notes.push(
            "Bodies without a shape are drawn as boxes of their mass and inertia, with rods to their joints.".into(),
        );
    }
    if bodies.len() > drawn(bodies) {
        notes.push(format!("The first {} of {} bodies are drawn.", drawn(bodies), bodies.len()));
    }
    if shapes
        .iter()
        .any(|shape| matches!(&shape.geometry, Geometry::Polyline { swept: Some(swept), .. } if swept.turns))
    {
        notes.push("The colours of beams go from nothing (dark) to the largest value of the run (bright).".into());
    }
    let note = notes.join(" ");
    SceneDescription { space: !bodies.is_planar(), shapes, contacts: Vec::new(), note, ..SceneDescription::default() }
}

/// A beam as a line through its nodes, as thick as it is and not thinner than can be seen.
fn line(bodies: &Bodies, beam: &Beam) -> Option<Shape> {
    let (first, last) = (beam.first_node, beam.first_node + beam.elements);
    if last >= drawn(bodies) {
        return None;
    }
    let n = coordinates(bodies);
    let q = |i: usize, k: usize| Coordinate::q(n * i + k, 0.0);
    let place = |i: usize| match bodies.is_planar() {
        true => Coordinate::plane(q(i, 0), q(i, 1)),
        false => [q(i, 0), q(i, 1), q(i, 2)],
    };
    let points = (first..=last).map(place).collect();
    let angles = if bodies.is_planar() { (first..=last).map(|i| q(i, 2)).collect() } else { Vec::new() };
    let thickness = beam.thickness.max(0.005 * beam.length);
    let swept = (!bodies.is_planar()).then(|| Box::new(swept(bodies, beam)));
    let geometry = Geometry::Polyline { points, angles, thickness, strain: false, swept };
    let place = Place::Fixed { position: [0.0; 3], rotation: [1.0, 0.0, 0.0, 0.0] };
    Some(Shape { name: beam.name.clone(), role: Role::Body, geometry, place })
}

/// The section of a beam in space swept along it, with what gives its colours; cables have none.
fn swept(bodies: &Bodies, beam: &Beam) -> Swept {
    let bending = |span: &Span| {
        let (element, seats) = match &span.element {
            Element::Beam(element) => (element, None),
            // beside a corner, whose node stands half-way between the sides
            Element::Bushing(bushing) => {
                (&bushing.element, Some(bushing.seats.map(|seat| rotation::quaternion(&seat.axes))))
            }
            Element::Cable(_) | Element::Modes(_) => return None,
        };
        let (rest, stiffness, measure) = (element.rest, element.stiffness, measure_name(element.measure));
        Some(Bending { length: element.length, rest, stiffness, measure, seats })
    };
    let spans = &bodies.spans()[beam.first_span..beam.first_span + beam.elements];
    let bending: Vec<Bending> = spans.iter().filter_map(bending).collect();
    let nodes = (beam.first_node..=beam.first_node + beam.elements).map(|i| coordinates(bodies) * i).collect();
    Swept { nodes, outline: beam.outline.clone(), turns: !bending.is_empty(), bending }
}

/// A reduced body as lines from its frame to its markers.
fn spokes(bodies: &Bodies, body: &Reduced) -> Vec<Shape> {
    let n = coordinates(bodies);
    let place = |i: usize| std::array::from_fn(|k| Coordinate::q(n * i + k, 0.0));
    let centre = bodies.frame(body.frame(), bodies.q0()).x;
    let line = |i: usize| {
        let long = norm(&sub(&bodies.frame(i, bodies.q0()).x, &centre));
        let points = vec![place(body.frame()), place(i)];
        let geometry =
            Geometry::Polyline { points, angles: Vec::new(), thickness: 0.04 * long, strain: false, swept: None };
        let place = Place::Fixed { position: [0.0; 3], rotation: [1.0, 0.0, 0.0, 0.0] };
        Shape { name: body.name.clone(), role: Role::Body, geometry, place }
    };
    let drawn = body.frame() < drawn(bodies);
    (body.first_marker..body.frame()).filter(|_| drawn).map(line).collect()
}

/// The coordinates and velocities that may have a curve: places and, in the plane, angles of all free bodies, or of the first, the middle and the
/// last of very many; the page shows the component that moves most, of the bodies that move most. Of one that is alone all that move.
pub fn choose(bodies: &Bodies, meta: &mut Meta) {
    let (n_q, n_v) = if bodies.is_planar() { (3, 3) } else { (7, 6) };
    let drawn = |i: &usize| bodies.bodies()[*i].is_free() && !bodies.bodies()[*i].modal;
    let free: Vec<usize> = (0..bodies.len()).filter(drawn).collect();
    let m = free.len();
    if let [alone] = free[..] {
        meta.q_drawn = (0..3).map(|k| alone * n_q + k).collect();
        meta.v_drawn = (0..n_v).map(|k| alone * n_v + k).collect();
        meta.candidates = [Some(Candidates::Each); 2];
        return;
    }
    let few = (0..m).filter(|&k| m <= FOLLOWED_BODIES || k == 0 || k == m / 2 || k + 1 == m).map(|k| free[k]);
    let few: Vec<usize> = few.collect();
    // places before angles
    let places = if bodies.is_planar() { 2 } else { 3 };
    for components in [0..places, places..3] {
        for i in &few {
            meta.q_drawn.extend(components.clone().map(|k| i * n_q + k));
            meta.v_drawn.extend(components.clone().map(|k| i * n_v + k));
        }
    }
    meta.candidates = [Some(Candidates::OneComponent); 2];
}

/// The impulses of a state on the bodies that can move, along the normals and tangents of the step; the first so many of a large
/// pile. Where they act is in the table, or is found again for tables of version 0.1.
pub fn push_arrows(builder: &mut ReportBuilder, bodies: &Bodies, row: &Row) {
    let q = &row.state.q;
    for (k, c) in row.contacts.iter().enumerate().filter(|(_, c)| c.p > 0.0).take(ARROWS) {
        let told = row.places.get(k).copied().flatten().map(|place| (place.bodies, place.at));
        let found = || bodies.contact(c.id as u64, q).map(|point| (point.bodies, Some(place(bodies, &point, q))));
        let Some((pair, Some((at, n)))) = told.or_else(found) else { continue };
        // on the body that can move; between two of them, on the one that is pushed up
        let [free, other_free] = pair.map(|i| bodies.bodies()[i].is_free());
        let up = n[if bodies.is_planar() { 1 } else { 2 }];
        let sign = if free && (!other_free || up >= 0.0) { 1.0 } else { -1.0 };
        let [normal, s, t] = directions(bodies, c.id as u64, &n, q);
        let [p_s, p_t] = row.friction.get(k).map_or([0.0; 2], |along| along.p);
        let friction = std::array::from_fn(|k| sign * (p_s * s[k] + p_t * t[k]));
        builder.push_arrow(row.state.t, at, normal.map(|n| sign * c.p * n), friction);
    }
}

/// World place and normal of a contact.
fn place(bodies: &Bodies, point: &ContactPoint, q: &[f64]) -> ([f64; 3], [f64; 3]) {
    let centre = bodies.frame(point.bodies[0], q).x;
    (std::array::from_fn(|k| centre[k] + point.arms[0][k]), point.normal)
}

pub fn coordinates(bodies: &Bodies) -> usize {
    if bodies.is_planar() { 3 } else { 7 }
}

/// A piece of a body without a shape.
fn of_piece(piece: Surface, planar: bool) -> Geometry {
    if planar {
        return Geometry::Polygon { points: piece.points.iter().map(|p| [p[0], p[1]]).collect() };
    }
    geometry(Picture::Mesh(piece.triangulated()))
}

/// What the page draws.
fn geometry(picture: Picture) -> Geometry {
    match picture {
        Picture::Ball { radius } => Geometry::Sphere { radius },
        Picture::Box { size } => Geometry::Box { size },
        Picture::Capsule { radius, length } => Geometry::Capsule { radius, length },
        Picture::Cylinder { radius, length } => Geometry::Cylinder { radius, length },
        Picture::Mesh(mesh) => Geometry::Mesh { vertices: mesh.vertices, triangles: mesh.triangles, colour: None },
        Picture::Polygon { points } => Geometry::Polygon { points },
        Picture::HalfSpace { normal } => Geometry::Plane { normal, extent: 0.0 },
    }
}
