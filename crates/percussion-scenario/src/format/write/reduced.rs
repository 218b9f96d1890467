//! Reduced bodies as they are written: the reduction itself, so that a run needs no matrices.

use crate::format::keys::flexible::BeamContactSpec;
use crate::format::keys::reduced::{FlexibleEntry, MarkerSpec, ReducedSpec};
use percussion_model::bodies::Materials;
use percussion_model::bodies::math::Mat3;
use percussion_model::flexible::{ModalInertia, ReducedParts};

/// A reduced body.
pub fn flexible(parts: &ReducedParts, materials: &Materials) -> FlexibleEntry {
    let marker = parts.markers.iter().map(|marker| MarkerSpec {
        place: marker.place,
        mass: marker.mass,
        inertia: six(&marker.inertia),
        shapes: marker.shapes.clone(),
    });
    let sixes =
        |of: fn(&ModalInertia) -> &Vec<Mat3>| -> Vec<[f64; 6]> { parts.full.iter().flat_map(of).map(six).collect() };
    FlexibleEntry {
        name: parts.name.clone(),
        nodes: None,
        stiffness: None,
        mesh: None,
        scale: None,
        young: None,
        poisson: None,
        density: None,
        interfaces: Vec::new(),
        modes: i64::try_from(parts.frequencies.len()).unwrap_or(i64::MAX),
        damping_ratio: parts.damping_ratio,
        inertia: if parts.full.is_some() { "full" } else { "constant" }.into(),
        geometric_stiffness: None,
        position: Some(parts.position.to_vec()),
        rotation: Some(parts.rotation.to_vec()),
        velocity: Some(parts.velocity.to_vec()),
        angular_velocity: Some(parts.angular_velocity.to_vec()),
        contact: parts.contact.map(|contact| BeamContactSpec {
            radius: contact.radius,
            material: materials.names().get(contact.material).cloned(),
        }),
        reduced: Some(ReducedSpec {
            mass: parts.mass,
            centre: parts.centre,
            inertia: six(&parts.inertia),
            frequencies: parts.frequencies.clone(),
            lowest: parts.lowest,
            cutoff: parts.cutoff,
            marker: marker.collect(),
            witnesses: parts.witnesses.clone(),
            first: sixes(|full| &full.first),
            second: sixes(|full| &full.second),
            turning: parts.full.as_ref().map_or_else(Vec::new, |full| full.turning.clone()),
            stiffened: parts.full.as_ref().is_some_and(|full| full.stiffened),
        }),
    }
}

/// x, y, z, xy, xz, yz.
fn six(I: &Mat3) -> [f64; 6] {
    [I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]]
}
