//! Hands on a solid: loads by their groups, gravity, supports and obstacles where nothing forbids to move them.

use super::{Control, Hands, NOT_FOLLOWED, Reach, control, hand};
use percussion_model::Signal;
use percussion_model::bodies::math::dot;
use percussion_model::solid::contact::{Against, Obstacle};
use percussion_model::solid::{LoadKind, SolidParts};

/// Hands on what a solid is made of.
pub fn on_solid(parts: &mut SolidParts, reach: Reach) -> Hands {
    let mut hands = Hands::default();
    if reach == Reach::Nothing {
        return hands;
    }
    for load in &mut parts.loads {
        let (what, unit, signals): (_, _, &mut [Signal]) = match &mut load.kind {
            LoadKind::Pressure(signal) => ("pressure", "Pa", std::slice::from_mut(signal)),
            LoadKind::Traction(signals) => ("traction", "Pa", signals),
            LoadKind::Nodal(signals) => ("force", "N", signals),
        };
        let name = free_name(&hands, format!("{}.{what}", load.group));
        hands.controls.push(control(name, unit, signals));
    }
    hands.controls.push(weight(parts));
    supports(parts, reach, &mut hands);
    obstacles(parts, reach, &mut hands);
    hands
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
    let mut differences = parts.gravity.each_ref().map(|g| Signal { mean: 0.0, ..g.clone() });
    let means = parts.gravity.each_ref().map(|g| g.mean);
    let signals = means.into_iter().zip(&mut differences).take(parts.section.dimension()).collect();
    let control = hand("gravity".into(), "m/s²", signals, false);
    for ((g, mean), difference) in parts.gravity.iter_mut().zip(means).zip(differences) {
        *g = Signal { mean, ..difference };
    }
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
            let signals = parts.supports[k].directions.iter_mut().map(|(_, motion)| (0.0, motion)).collect();
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
            hands.controls.push(hand(name, "m/s", motion.iter_mut().map(|d| (0.0, d)).collect(), true));
            continue;
        }
        match shape {
            Obstacle::Plane { normal, .. } => {
                let length = dot(normal, normal).sqrt();
                let mut along = Signal::default();
                hands.controls.push(hand(
                    format!("contact[{k}].normal_velocity"),
                    "m/s",
                    vec![(0.0, &mut along)],
                    true,
                ));
                motion.iter_mut().zip(normal.iter()).for_each(|(d, n)| d.add(n / length, &along));
                let why =
                    format!("with friction a plane moves along its normal alone: set contact[{k}].normal_velocity");
                hands.refused.push((name, why));
            }
            Obstacle::Sphere { .. } | Obstacle::Cylinder { .. } => {
                hands
                    .refused
                    .push((name, "friction on a round obstacle that is dragged along is not in this version".into()));
            }
        }
    }
}
