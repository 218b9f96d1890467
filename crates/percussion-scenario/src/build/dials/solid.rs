//! Hands on a solid: loads by their groups, gravity, supports and obstacles where nothing forbids to move them.

use super::{Control, Hands, NOT_FOLLOWED, Reach, hand, load, of_gravity};
use crate::error::Result;
use percussion_model::Signal;
use percussion_model::bodies::ElasticParts;
use percussion_model::bodies::math::dot;
use percussion_model::solid::contact::{Against, Obstacle};
use percussion_model::solid::{Load, LoadKind, Solid, SolidParts};
use std::sync::Arc;

/// Hands on what a solid is made of.
pub fn on_solid(parts: &mut SolidParts, reach: Reach) -> Hands {
    let mut hands = Hands::default();
    if reach == Reach::Nothing {
        return hands;
    }
    for own in &mut parts.loads {
        let control = on_load(own, "", |name| free_name(&hands, name));
        hands.controls.push(control);
    }
    hands.controls.push(weight(parts));
    supports(parts, reach, &mut hands);
    obstacles(parts, reach, &mut hands);
    hands
}

/// A hand on a load of a solid.
fn on_load(own: &mut Load, of: &str, free: impl Fn(String) -> String) -> Control {
    let (what, unit, signals): (_, _, &mut [Signal]) = match &mut own.kind {
        LoadKind::Pressure(signal) => ("pressure", "Pa", std::slice::from_mut(signal)),
        LoadKind::Traction(signals) => ("traction", "Pa", signals),
        LoadKind::Nodal(signals) => ("force", "N", signals),
    };
    load(free(format!("{of}{}.{what}", own.group)), unit, signals)
}

/// Hands on the loads of solids among bodies, by the names of solid and group.
pub fn among_bodies(solids: &mut [ElasticParts], controls: &mut Vec<Control>) -> Result<()> {
    for parts in solids.iter_mut().filter(|parts| !parts.solid.description().loads.is_empty()) {
        let mut described = parts.solid.description().clone();
        let mut hands = Hands::default();
        for own in &mut described.loads {
            let control = on_load(own, &format!("{}.", parts.name), |name| free_name(&hands, name));
            hands.controls.push(control);
        }
        parts.solid = Arc::new(Solid::new(described)?);
        controls.append(&mut hands.controls);
    }
    Ok(())
}

/// The name, numbered where there is one already.
fn free_name(hands: &Hands, name: String) -> String {
    let names = hands.controls.iter().map(|c| &c.name).chain(hands.refused.iter().map(|(name, _)| name));
    match names.filter(|own| **own == name || own.starts_with(&format!("{name}["))).count() {
        0 => name,
        before => format!("{name}[{before}]"),
    }
}

/// What differs from the mean of gravity.
fn weight(parts: &mut SolidParts) -> Control {
    let (control, differences) = of_gravity(&parts.gravity[..parts.section.dimension()]);
    parts.gravity.iter_mut().zip(&differences).for_each(|(g, difference)| g.add(1.0, difference));
    control
}

/// A support can be moved where its nodes are its own, and none of them slides on something.
fn supports(parts: &mut SolidParts, reach: Reach, hands: &mut Hands) {
    // a group that does not exist is refused where the solid is made
    let nodes_of = |group: &str| parts.mesh.nodes_of(group, "").unwrap_or_default();
    let nodes: Vec<Vec<usize>> = parts.supports.iter().map(|support| nodes_of(&support.group)).collect();
    let meet = |a: &[usize], b: &[usize]| a.iter().any(|node| b.binary_search(node).is_ok());
    let sliding: Vec<Vec<usize>> = parts
        .contacts
        .iter()
        .filter(|contact| contact.friction > 0.0)
        .flat_map(|contact| match &contact.against {
            Against::Surface { surface, .. } => vec![nodes_of(&contact.surface), nodes_of(surface)],
            Against::Obstacle { .. } => vec![nodes_of(&contact.surface)],
        })
        .collect();
    for k in 0..parts.supports.len() {
        let support = &parts.supports[k];
        let name = free_name(hands, format!("{}.velocity", support.group));
        let slanted =
            |other: &[(_, Signal)]| support.directions.iter().any(|(a, _)| other.iter().any(|(b, _)| dot(a, b) != 0.0));
        let shared = (0..nodes.len())
            .find(|&j| j != k && slanted(&parts.supports[j].directions) && meet(&nodes[k], &nodes[j]))
            .map(|j| &parts.supports[j].group);
        let axis = parts.section.has_rings() && support.directions.iter().any(|(n, _)| n[0] != 0.0);
        let why = if reach != Reach::Motions {
            NOT_FOLLOWED.into()
        } else if let Some(other) = shared {
            format!("it shares nodes with the support \"{other}\": give the nodes one support")
        } else if axis {
            "a body of revolution is held at its axis: let the support hold y alone".into()
        } else if sliding.iter().any(|surface| meet(&nodes[k], surface)) {
            "its nodes belong to a surface with friction, which must not be dragged along".into()
        } else {
            let signals = parts.supports[k].directions.iter_mut().map(|(_, motion)| motion).collect();
            hands.controls.push(hand(name, "m/s", signals, true));
            continue;
        };
        hands.refused.push((name, why));
    }
}

/// Obstacles move anywhere without friction; with it a plane moves along its normal.
fn obstacles(parts: &mut SolidParts, reach: Reach, hands: &mut Hands) {
    let axes = parts.section.dimension();
    for (k, contact) in parts.contacts.iter_mut().enumerate() {
        let name = format!("contact[{k}].velocity");
        let Against::Obstacle { shape, motion } = &mut contact.against else {
            hands.refused.push((name, "two surfaces of solids touch there: move a support".into()));
            continue;
        };
        if reach != Reach::Motions {
            hands.refused.push((name, NOT_FOLLOWED.into()));
            continue;
        }
        motion.resize(axes, Signal::default());
        if contact.friction == 0.0 {
            hands.controls.push(hand(name, "m/s", motion.iter_mut().collect(), true));
            continue;
        }
        match shape {
            Obstacle::Plane { normal, .. } => {
                let length = dot(normal, normal).sqrt();
                let mut along = Signal::default();
                hands.controls.push(hand(format!("contact[{k}].normal_velocity"), "m/s", vec![&mut along], true));
                motion.iter_mut().zip(normal.iter()).for_each(|(d, n)| d.add(n / length, &along));
                let why =
                    format!("with friction a plane moves along its normal alone: set contact[{k}].normal_velocity");
                hands.refused.push((name, why));
            }
            Obstacle::Sphere { .. } | Obstacle::Cylinder { .. } | Obstacle::Block { .. } => {
                let why = "friction on a round obstacle or a box that is dragged along is not in this version";
                hands.refused.push((name, why.into()));
            }
        }
    }
}
