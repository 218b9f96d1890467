//! Beams and loads at their nodes as they are written.

use crate::format::keys::flexible::{
    ArcSpec, BeamContactSpec, BeamEntry, BushingEntry, CableEntry, CircleSpec, NodeLoadSpec, RectangleSpec,
    SectionSpec, TubeSpec,
};
use crate::format::values::Either;
use crate::format::write::bodies::{signals, vector};
use percussion_model::Signal;
use percussion_model::bodies::{BushingParts, Materials, NodeLoad, SceneParts};
use percussion_model::flexible::blocks::Mat6;
use percussion_model::flexible::{
    BeamContact, BeamParts, CableParts, Course, MassKind, SectionParts, SectionShape, StrainMeasure,
};

/// The name of a body of the scene, nodes included.
pub fn body_name(parts: &SceneParts, i: usize) -> String {
    let Some(mut node) = i.checked_sub(parts.bodies.len()) else { return parts.bodies[i].name.clone() };
    for (name, nodes, bodies) in parts.flexible.lines() {
        if node < nodes {
            return format!("{name}.{node}");
        }
        if node < bodies {
            let cable = parts.flexible.cables.iter().find(|cable| cable.name == name);
            return cable.map_or_else(|| name.to_string(), |cable| cable.link_name(node - nodes));
        }
        node -= bodies;
    }
    for solid in &parts.flexible.solids {
        if node < solid.n_bodies() {
            return solid.body_name(node);
        }
        node -= solid.n_bodies();
    }
    String::new()
}

/// A cable; what holds its ends is written as joints.
pub fn cable(cable: &CableParts, planar: bool, materials: &Materials) -> CableEntry {
    let w = cable.angular_velocity;
    CableEntry {
        name: cable.name.clone(),
        from: vector(&cable.ends[0], planar),
        to: vector(&cable.ends[1], planar),
        from_body: None,
        to_body: None,
        elements: i64::try_from(cable.elements).unwrap_or(i64::MAX),
        axial_stiffness: cable.axial,
        length: Some(cable.length),
        mass_per_length: cable.mass,
        velocity: Some(vector(&cable.velocity, planar)),
        angular_velocity: Some(if planar { vec![w[2]] } else { w.to_vec() }),
        contact: cable.contact.map(|contact| surface(&contact, materials)),
    }
}

fn surface(contact: &BeamContact, materials: &Materials) -> BeamContactSpec {
    BeamContactSpec { radius: contact.radius, material: materials.names().get(contact.material).cloned() }
}

/// A bushing.
pub fn bushing(bushing: &BushingParts, scene: &SceneParts) -> BushingEntry {
    let [a, b] = bushing.bodies.map(|i| body_name(scene, i));
    BushingEntry {
        a,
        b,
        a_node: None,
        b_node: None,
        a_marker: None,
        b_marker: None,
        a_group: None,
        b_group: None,
        anchor: vector(&bushing.anchor, scene.planar),
        stiffness: rows(&bushing.stiffness, scene.planar),
        damping: bushing.viscosity.as_ref().map(|viscosity| Either::Other(rows(viscosity, scene.planar))),
    }
}

/// A beam.
pub fn beam(beam: &BeamParts, planar: bool, materials: &Materials) -> BeamEntry {
    let turn = |x: [f64; 3]| if planar { vec![x[2]] } else { x.to_vec() };
    let (mut from, mut to, mut points, mut arc) = (None, None, None, None);
    match &beam.course {
        Course::Points(all) if all.len() == 2 => {
            from = Some(vector(&all[0], planar));
            to = Some(vector(&all[1], planar));
        }
        Course::Points(all) => points = Some(all.iter().map(|x| vector(x, planar)).collect()),
        Course::Arc { from: start, centre, axis, angle } => {
            from = Some(vector(start, planar));
            arc = Some(ArcSpec { centre: vector(centre, planar), axis: Some(axis.to_vec()), angle: *angle });
        }
    }
    let mut entry = BeamEntry {
        name: beam.name.clone(),
        from,
        to,
        points,
        arc,
        elements: i64::try_from(beam.elements).unwrap_or(i64::MAX),
        up: Some(beam.up.to_vec()),
        section: None,
        young: None,
        poisson: None,
        density: None,
        stiffness: None,
        mass_per_length: None,
        inertia_per_length: None,
        damping: beam.damping,
        strain: measure_name(beam.strain).into(),
        mass: match beam.mass {
            MassKind::Consistent => "consistent",
            MassKind::Lumped => "lumped",
        }
        .into(),
        residual: beam.residual,
        rest_curvature: beam.rest_curvature.map(turn),
        tension: (beam.tension != 0.0).then_some(beam.tension),
        velocity: Some(vector(&beam.velocity, planar)),
        angular_velocity: Some(turn(beam.angular_velocity)),
        contact: beam.contact.map(|contact| surface(&contact, materials)),
    };
    section(&beam.section, planar, &mut entry);
    entry
}

fn section(section: &SectionParts, planar: bool, entry: &mut BeamEntry) {
    match section {
        SectionParts::Shape { shape, young, poisson, density } => {
            entry.section = Some(match *shape {
                SectionShape::Rectangle { width, depth } => SectionSpec::Rectangle(RectangleSpec { width, depth }),
                SectionShape::Circle { radius } => SectionSpec::Circle(CircleSpec { radius }),
                SectionShape::Tube { radius, inner } => SectionSpec::Tube(TubeSpec { radius, inner }),
            });
            (entry.young, entry.poisson, entry.density) = (Some(*young), Some(*poisson), Some(*density));
        }
        SectionParts::Given { stiffness, mass, inertia: J } => {
            entry.stiffness = Some(rows(stiffness, planar));
            entry.mass_per_length = Some(*mass);
            let all = vec![J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2]];
            entry.inertia_per_length = Some(if planar { vec![J[2][2]] } else { all });
        }
    }
}

fn rows(C: &Mat6, planar: bool) -> Either<Vec<f64>, Vec<Vec<f64>>> {
    let place: &[usize] = if planar { &[0, 1, 5] } else { &[0, 1, 2, 3, 4, 5] };
    let diagonal = place.iter().all(|&i| place.iter().all(|&j| i == j || C[i][j] == 0.0));
    if diagonal {
        return Either::One(place.iter().map(|&k| C[k][k]).collect());
    }
    Either::Other(place.iter().map(|&i| place.iter().map(|&j| C[i][j]).collect()).collect())
}

/// A load.
pub fn load(load: &NodeLoad, scene: &SceneParts) -> NodeLoadSpec {
    let name = body_name(scene, load.body);
    let (beam, node) = name.rsplit_once('.').unwrap_or((&name, "0"));
    let given = |x: &[Signal; 3], turning| (*x != <[Signal; 3]>::default()).then(|| signals(x, scene.planar, turning));
    NodeLoadSpec {
        beam: beam.into(),
        node: node.parse().unwrap_or(0),
        force: given(&load.force, false),
        moment: given(&load.moment, true),
    }
}

/// A measure of strain in a word.
pub fn measure_name(measure: StrainMeasure) -> &'static str {
    match measure {
        StrainMeasure::Se3 => "se3",
        StrainMeasure::Cayley => "cayley",
        StrainMeasure::Director => "director",
    }
}
