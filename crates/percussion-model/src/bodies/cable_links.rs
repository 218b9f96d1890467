//! Cables that touch: each element carries a rigid capsule, its link, which its two nodes guide.
//!
//!   across   e₁·(x_a − x_c) = e₂·(x_a − x_c) = 0,   the same of b;       along   e₃·(x_a − x_c) + e₃·(x_b − x_c) = 0
//!
//! e_i are the axes of the link: it lies along the chord, its middle in the middle of the chord, and turns freely about it. The rows are products of
//! frames: over a step their reactions do no work, and both momenta are kept. An element has its mass m at its ends and its link as Simpson's
//! rule has it, m/6, 2m/3, m/6, which is the consistent mass of a straight line with ends that move: ∫N_iN_j = 1/3, 1/6. The inertia of the link is that of the round
//! section alone, m r²/2 about itself and m r²/4 across. It keeps its length: where an element is slack its link stands out at both ends by
//! half of what is missing.

use super::math::{Mat3, Vec3, add, cross, diagonal, mul_t, norm, scale, sub, tangents, transpose};
use super::measure::Measure;
use super::{Beam, Bodies, BodyParts, Joint, JointKind, JointParts, JointRow, Matter, RowLaw, Shape, Term};
use crate::flexible::rotation::quaternion;
use crate::flexible::{BeamContact, CableParts};
use crate::{Code, InputError};
use std::collections::HashSet;

/// Part of an element within which two ends of links are at one place.
const SAME_PLACE: f64 = 1e-6;

impl CableParts {
    /// Number of its bodies: nodes, and links where it touches.
    pub fn n_bodies(&self) -> usize {
        self.elements + 1 + if self.contact.is_some() { self.elements } else { 0 }
    }

    /// What link k is called.
    pub fn link_name(&self, k: usize) -> String {
        format!("{}.link.{k}", self.name)
    }

    /// Length of an element without tension [m], and its mass [kg].
    fn link(&self) -> (f64, f64) {
        let length = self.length / self.elements as f64;
        (length, self.mass * length)
    }
}

impl Bodies {
    /// A surface needs space and a radius.
    pub(super) fn check_links(&self, cable: &CableParts) -> Result<(), InputError> {
        let Some(contact) = cable.contact else { return Ok(()) };
        if !(contact.radius > 0.0 && contact.radius.is_finite()) {
            let help = "give a radius above zero";
            return Err(InputError::new(Code::BAD_SIZE, "contact.radius", "is not positive", help));
        }
        if self.planar {
            let message = "cables of the plane meet nothing";
            return Err(InputError::new(Code::BAD_SHAPE, "contact", message, "use dimension = 3"));
        }
        Ok(())
    }

    /// Adds the links of a cable after its nodes; gives those of them that are too near to each other along it to touch.
    pub(super) fn add_links(
        &mut self,
        cable: &CableParts,
        contact: BeamContact,
        names: &mut HashSet<String>,
    ) -> Result<Vec<[usize; 2]>, InputError> {
        let (length, mass) = cable.link();
        let nodes = cable.nodes()?;
        let along = sub(&cable.ends[1], &cable.ends[0]);
        let along = scale(1.0 / norm(&along), &along);
        let [e1, e2] = tangents(&along);
        // e₁ × e₂ = e₃
        let R: Mat3 = transpose(&[e1, e2, along]);
        let about = 0.5 * mass * contact.radius * contact.radius;
        let first = self.bodies.len();
        for k in 0..cable.elements {
            let middle = scale(0.5, &add(&nodes[k].x, &nodes[k + 1].x));
            let parts = BodyParts {
                name: cable.link_name(k),
                matter: Matter::Given { mass: 2.0 / 3.0 * mass, inertia: diagonal(0.5 * about, 0.5 * about, about) },
                shape: Shape::capsule(contact.radius, length),
                material: contact.material,
                position: middle,
                rotation: quaternion(&R),
                velocity: cable.velocity_at(&middle),
                angular_velocity: mul_t(&R, &cable.angular_velocity),
                shaking: cable.shaking.clone(),
                ..Default::default()
            };
            self.add_part(&parts, names)?;
        }
        let near = |i: usize, j: usize| j == i + 1 || (j - i - 1) as f64 * length < 2.0 * contact.radius;
        let after =
            |i: usize| (i + 1..cable.elements).take_while(move |&j| near(i, j)).map(move |j| [first + i, first + j]);
        Ok((0..cable.elements).flat_map(after).collect())
    }

    /// Adds the rows between links and nodes, as joints after those of the scene.
    pub(super) fn join_links(&mut self) {
        for beam in self.beams.clone() {
            let Some(first) = beam.links else { continue };
            for k in 0..beam.elements {
                let joint = self.link_joint(&beam, first, k);
                let j = self.joints.len();
                self.rigid.extend((0..joint.rows.len()).map(|r| (j, r)));
                self.joints.push(joint);
            }
        }
    }

    fn link_joint(&self, cable: &Beam, first: usize, k: usize) -> Joint {
        let (link, ends) = (first + k, [cable.first_node + k, cable.first_node + k + 1]);
        let axis = |i: usize| -> Vec3 { std::array::from_fn(|j| f64::from(u8::from(i == j))) };
        let term = |i: usize, end: usize| Term {
            bodies: [link, ends[end]],
            measure: Measure::Along { direction: axis(i), points: [[0.0; 3]; 2] },
            factor: 1.0,
        };
        let rows =
            [vec![term(0, 0)], vec![term(1, 0)], vec![term(0, 1)], vec![term(1, 1)], vec![term(2, 0), term(2, 1)]];
        let rigid = |terms| JointRow { terms, law: RowLaw::Rigid { target: 0.0 } };
        let half = 0.5 * cable.length / cable.elements as f64;
        Joint {
            points: [[0.0; 3], [0.0, 0.0, -half]],
            rows: rows.into_iter().map(rigid).collect(),
            ..Joint::of_rows(format!("{} link {k}", cable.name), JointKind::Fixed, [ends[0], link])
        }
    }

    /// Links that end at one place at t = 0, and links and what a joint holds at their ends: they do not touch.
    pub(super) fn apart_at_knots(&self, joints: &[JointParts]) -> Vec<[usize; 2]> {
        let mut ends: Vec<(Vec3, f64, usize)> = Vec::new();
        for (cable, first) in self.beams.iter().filter_map(|beam| Some((beam, beam.links?))) {
            let reach = SAME_PLACE * cable.length / cable.elements as f64;
            for k in 0..cable.elements {
                let end = |node: usize| (self.frame(cable.first_node + node, &self.q0).x, reach, first + k);
                ends.extend([end(k), end(k + 1)]);
            }
        }
        ends.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]).then(a.2.cmp(&b.2)));
        let mut pairs = Vec::new();
        for (i, (x, reach, link)) in ends.iter().enumerate() {
            let near = ends[i + 1..].iter().take_while(|(y, other, _)| y[0] - x[0] <= reach.max(*other));
            let meeting = near.filter(|(y, other, l)| l != link && norm(&sub(y, x)) <= reach.max(*other));
            pairs.extend(meeting.map(|(_, _, other)| [*link, *other]));
        }
        for joint in joints.iter().filter(|joint| joint.kind.coupled().is_none()) {
            for (side, &node) in joint.bodies.iter().enumerate() {
                let other = joint.bodies[1 - side];
                pairs.extend(self.links_at(node).into_iter().map(|link| [link, other]));
            }
        }
        pairs
    }

    /// The links that end at a node of a cable.
    fn links_at(&self, node: usize) -> Vec<usize> {
        let own = |beam: &&Beam| (beam.first_node..=beam.first_node + beam.elements).contains(&node);
        let Some((cable, first)) = self.beams.iter().find(own).and_then(|beam| Some((beam, beam.links?))) else {
            return Vec::new();
        };
        let k = node - cable.first_node;
        (k.saturating_sub(1)..(k + 1).min(cable.elements)).map(|link| first + link).collect()
    }
}

impl CableParts {
    /// Velocity of a point of it at t = 0.
    pub fn velocity_at(&self, x: &Vec3) -> Vec3 {
        add(&self.velocity, &cross(&self.angular_velocity, &sub(x, &self.ends[0])))
    }
}
