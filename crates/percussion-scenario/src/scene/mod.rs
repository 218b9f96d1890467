//! The moving picture of each kind of model: which coordinates it needs, and what they place.

use crate::build::scenario::{Description, LinearDescription, Scenario};

pub mod bodies;
mod joints;
mod linear;
mod picture;
mod planar;
mod rods;
pub mod shapeless;
mod solid;
mod solid_film;

pub use picture::Picture;
pub use solid_film::SolidFilm;

use percussion_model::Signal;
use percussion_model::bodies::Bodies;
use percussion_model::build::Bar;
use percussion_model::nonlinear::BeamParts;
use percussion_model::solid::Solid;
use percussion_report::{ContactMark, Coordinate, Geometry, Place, Role, SceneDescription, ScenePoint as Point, Shape};

/// Nodes of a bar that are drawn.
const DRAWN_NODES: usize = 500;

/// The coordinates the picture needs, in its order; of pictures that have numbers of their own, these.
pub fn film(scenario: &Scenario) -> Vec<usize> {
    let n = scenario.model().n_q();
    match &scenario.description {
        Description::Linear(description) => match drawn_mesh(description) {
            Some(solid) => (0..SolidFilm::new(solid).count()).collect(),
            None => (0..n.min(linear::DRAWN)).collect(),
        },
        Description::Bar { bar, .. } => nodes(bar),
        Description::Pendulum(_) | Description::RockingBlock(_) | Description::Beam(_) => (0..n).collect(),
        Description::Bodies(..) => bodies(scenario).map(bodies::film).unwrap_or_default(),
        Description::Solid(description) => (0..SolidFilm::new(&description.solid).count()).collect(),
        Description::Formula(_) | Description::Own(_) => {
            (0..formula_picture(scenario).map_or(0, |picture| picture.count())).collect()
        }
    }
}

/// The picture; `ranges` are the smallest and largest value of each coordinate over the run.
pub fn scene(scenario: &Scenario, ranges: &[(f64, f64)]) -> Option<SceneDescription> {
    match &scenario.description {
        Description::Linear(description) => match drawn_mesh(description) {
            Some(solid) => Some(solid::scene(solid)),
            None => scenario.linear().map(|model| linear::scene(model, ranges)),
        },
        Description::Bar { bar, .. } => Some(of_bar(bar, scenario)),
        Description::Pendulum(spec) => Some(pendulum(spec.length, spec.wall)),
        Description::RockingBlock(spec) => Some(rocking_block(spec.width, spec.height)),
        Description::Beam(spec) => Some(beam(&spec.parts(), spec.joints)),
        Description::Bodies(parts, _, looks) => bodies(scenario).map(|bodies| bodies::scene(bodies, parts, looks)),
        Description::Solid(description) => Some(solid::scene(&description.solid)),
        Description::Formula(_) | Description::Own(_) => formula_picture(scenario).map(|picture| picture.scene),
    }
}

/// The mesh of a linear model, where it has one and all its coordinates.
fn drawn_mesh(description: &LinearDescription) -> Option<&Solid> {
    description.picture.as_ref().filter(|_| description.kept.is_none()).map(|picture| &*picture.solid)
}

/// The elements whose nodes the coordinates of a model are.
pub fn elements(description: &Description) -> Option<&Solid> {
    match description {
        Description::Solid(own) => Some(&own.solid),
        Description::Linear(own) => drawn_mesh(own),
        Description::Bar { .. }
        | Description::Pendulum(_)
        | Description::RockingBlock(_)
        | Description::Beam(_)
        | Description::Formula(_)
        | Description::Own(_)
        | Description::Bodies(..) => None,
    }
}

/// The picture of a model of formulas or functions that has one.
pub fn formula_picture(scenario: &Scenario) -> Option<Picture> {
    match &scenario.description {
        // formulas that cannot be read were refused when the scenario was
        Description::Formula(spec) => Picture::of(spec).ok().flatten(),
        Description::Own(spec) => Picture::of_own(spec, scenario.model().n_q()).ok().flatten(),
        Description::Linear(_)
        | Description::Bar { .. }
        | Description::Pendulum(_)
        | Description::RockingBlock(_)
        | Description::Beam(_)
        | Description::Bodies(..)
        | Description::Solid(_) => None,
    }
}

/// The bodies of a scenario that has some.
pub fn bodies(scenario: &Scenario) -> Option<&Bodies> {
    scenario.model().bodies().map(|bodies| &**bodies)
}

/// A signal as a coordinate of the picture, times a factor; what is no harmonic is drawn where it starts.
pub fn moved(signal: &Signal, factor: f64) -> Coordinate {
    let sines = signal.sines.iter().map(|s| (factor * s.amplitude, s.omega, s.phase)).collect();
    let start: f64 = signal.terms.iter().map(|term| term.factor * term.waveform.at(0.0)).sum();
    Coordinate { constant: factor * (signal.mean + start), sines, ..Coordinate::default() }
}

/// A wall or floor through a point, its normal pointing at the bodies.
pub fn wall(name: &str, position: [Coordinate; 3], normal: [f64; 3], extent: f64) -> Shape {
    let place = Place::Coordinates { position, angle: Coordinate::default() };
    Shape { name: name.into(), role: Role::Obstacle, geometry: Geometry::Plane { normal, extent }, place }
}

fn fixed(x: f64, y: f64) -> [Coordinate; 3] {
    Coordinate::plane(Coordinate::constant(x), Coordinate::constant(y))
}

fn here() -> Place {
    Place::Fixed { position: [0.0; 3], rotation: [1.0, 0.0, 0.0, 0.0] }
}

// all nodes, or evenly chosen ones with both ends
fn nodes(bar: &Bar) -> Vec<usize> {
    let n = bar.n_nodes();
    let m = n.min(DRAWN_NODES);
    (0..m).map(|k| if m < 2 { 0 } else { k * (n - 1) / (m - 1) }).collect()
}

// lying along x, coloured by its strain
fn of_bar(bar: &Bar, scenario: &Scenario) -> SceneDescription {
    let element = bar.length / bar.elements as f64;
    let drawn = nodes(bar);
    let at = |k: usize| Coordinate::q(k, drawn[k] as f64 * element);
    let points = (0..drawn.len()).map(|k| Coordinate::plane(at(k), Coordinate::default())).collect();
    let thickness = 0.09 * bar.length;
    let mut shapes = Vec::new();
    let mut contacts = Vec::new();
    for (contact, c) in scenario.linear().map(|model| model.contacts()).unwrap_or_default().iter().enumerate() {
        let &[(node, direction)] = c.normal.as_slice() else { continue };
        // g = ±q + w: the obstacle is where that is zero
        let level = moved(&c.offset, -1.0 / direction).plus(node as f64 * element);
        let normal = [direction.signum(), 0.0, 0.0];
        shapes.push(wall("wall", Coordinate::plane(level, Coordinate::default()), normal, 3.0 * thickness));
        if let Some(k) = drawn.iter().position(|&d| d == node) {
            let point = Point::At { position: Coordinate::plane(at(k), Coordinate::default()) };
            contacts.push(ContactMark { contact, point, normal, tangents: Vec::new() });
        }
    }
    let geometry = Geometry::Polyline { points, angles: Vec::new(), thickness, strain: true, swept: None };
    shapes.push(Shape { name: "bar".into(), role: Role::Body, geometry, place: here() });
    let note = "The colour is the strain: blue where the bar is compressed, orange where it is stretched.";
    SceneDescription { space: false, shapes, contacts, note: note.into(), ..SceneDescription::default() }
}

fn pendulum(length: f64, x_wall: f64) -> SceneDescription {
    // the wall is drawn a radius further, so that the disk touches it where its centre stops
    let radius = 0.06 * length;
    let bob = |dx: f64| Coordinate::plane(Coordinate::q(0, dx), Coordinate::q(1, 0.0));
    let rod = Geometry::Polyline {
        points: vec![fixed(0.0, 0.0), bob(0.0)],
        angles: Vec::new(),
        thickness: 0.02 * length,
        strain: false,
        swept: None,
    };
    let place = Place::Planar { first: 0 };
    let shapes = vec![
        short_wall(length, x_wall, x_wall - radius),
        Shape { name: "rod".into(), role: Role::Link, geometry: rod, place: here() },
        pin(length),
        Shape { name: "mass".into(), role: Role::Body, geometry: Geometry::Sphere { radius }, place },
    ];
    let point = Point::At { position: bob(-radius) };
    let contacts = vec![ContactMark { contact: 0, point, normal: [1.0, 0.0, 0.0], tangents: Vec::new() }];
    SceneDescription { space: false, shapes, contacts, note: String::new(), ..SceneDescription::default() }
}

// only the end of the arm meets the wall: it is drawn where the arm, hanging straight, would touch it
fn short_wall(length: f64, reached: f64, drawn: f64) -> Shape {
    let y = -(length * length - reached * reached).max(0.0).sqrt();
    wall("wall", fixed(drawn, y), [1.0, 0.0, 0.0], 0.5 * length)
}

/// A pin at the origin, for something so long.
pub fn pin(length: f64) -> Shape {
    let geometry = Geometry::Sphere { radius: 0.018 * length };
    Shape { name: "pin".into(), role: Role::Obstacle, geometry, place: here() }
}

fn rocking_block(width: f64, height: f64) -> SceneDescription {
    let geometry = Geometry::Box { size: [width, height, width] };
    let block = Shape { name: "block".into(), role: Role::Body, geometry, place: Place::Planar { first: 0 } };
    let floor = wall("floor", fixed(0.0, 0.0), [0.0, 1.0, 0.0], 0.0);
    // the gaps are those of the corners y − (a/2) cos θ ± (b/2) sin θ, the right one first
    let corner = |contact: usize, x: f64| ContactMark {
        contact,
        point: Point::On { shape: 1, local: [x, -0.5 * height, 0.0] },
        normal: [0.0, 1.0, 0.0],
        tangents: vec![[1.0, 0.0, 0.0]],
    };
    let contacts = vec![corner(0, CORNERS[0] * width), corner(1, CORNERS[1] * width)];
    SceneDescription {
        space: false,
        shapes: vec![floor, block],
        contacts,
        note: String::new(),
        ..SceneDescription::default()
    }
}

/// x of the corners of contacts 0 and 1 over the width.
const CORNERS: [f64; 2] = [0.5, -0.5];

fn beam(parts: &BeamParts, joints: bool) -> SceneDescription {
    let left_out = if joints { 0 } else { 2 };
    let coordinate = |i: usize| i.checked_sub(left_out).map_or(Coordinate::default(), |i| Coordinate::q(i, 0.0));
    let node = |k: usize| Coordinate::plane(coordinate(3 * k), coordinate(3 * k + 1));
    let points = (0..=parts.elements).map(node).collect();
    let angles = (0..=parts.elements).map(|k| coordinate(3 * k + 2)).collect();
    let thickness = parts.depth.max(0.02 * parts.length);
    let shapes = vec![
        short_wall(parts.length, parts.wall, parts.wall - 0.5 * thickness),
        Shape {
            name: "beam".into(),
            role: Role::Body,
            geometry: Geometry::Polyline { points, angles, thickness, strain: false, swept: None },
            place: here(),
        },
        pin(parts.length),
    ];
    let point = Point::At { position: node(parts.elements) };
    let contacts = vec![ContactMark { contact: 0, point, normal: [1.0, 0.0, 0.0], tangents: Vec::new() }];
    let note = if thickness > parts.depth { "The beam is drawn thicker than it is." } else { "" };
    SceneDescription { space: false, shapes, contacts, note: note.into(), ..SceneDescription::default() }
}
