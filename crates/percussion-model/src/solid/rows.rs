//! Candidates as contacts of a linear model: rows over the free coordinates, what supports and obstacles do in the offset.
//!
//!   g = Σ_i w_i n·u_i + g_0 − n·d(t),    d the obstacle's displacement

use super::contact::{Against, Candidate, SurfaceContact};
use super::coordinates::{Axis, Coordinates, add_signal, largest};
use crate::bodies::math::{Vec3, dot};
use crate::code::Code;
use crate::{Contact, InputError, Signal};

/// Parts of a row below this are round-off of axes that are turned.
const ROUND_OFF: f64 = 1e-14;

/// A row of coordinates, and the motion supports add to it.
struct Row {
    entries: Vec<(usize, f64)>,
    motion: Signal,
}

fn row(candidate: &Candidate, direction: &Vec3, coordinates: &Coordinates) -> Row {
    let mut row = Row { entries: Vec::new(), motion: Signal::default() };
    for &(node, w) in &candidate.weights {
        for (k, &axis) in coordinates.axes(node).iter().enumerate() {
            let c = w * dot(direction, &coordinates.direction(node, k));
            match axis {
                Axis::Free(i) if c.abs() > ROUND_OFF => row.entries.push((i, c)),
                Axis::Free(_) => (),
                Axis::Supported(i) => add_signal(&mut row.motion, c, &coordinates.motions()[i]),
            }
        }
    }
    row
}

/// The contact of a candidate; `None` where supports hold it.
pub(super) fn contact(
    candidate: &Candidate,
    law: &SurfaceContact,
    coordinates: &Coordinates,
) -> Result<Option<Contact>, InputError> {
    let field = format!("model.contact[{}]", candidate.contact);
    let normal = row(candidate, &candidate.frame[0], coordinates);
    if normal.entries.is_empty() {
        return Ok(None);
    }
    let mut offset = normal.motion;
    offset.mean += candidate.gap;
    let obstacle: &[Signal] = match &law.against {
        Against::Obstacle { motion, .. } => motion,
        Against::Surface { .. } => &[],
    };
    for (k, d) in obstacle.iter().enumerate() {
        add_signal(&mut offset, -candidate.frame[0][k], d);
    }
    let mut tangents = Vec::new();
    if law.friction > 0.0 {
        for direction in &candidate.frame[1..coordinates.dimension()] {
            let tangent = row(candidate, direction, coordinates);
            let mut sliding = tangent.motion;
            obstacle.iter().enumerate().for_each(|(k, d)| add_signal(&mut sliding, -direction[k], d));
            let moving = Signal { mean: 0.0, ..sliding };
            if largest(&moving) > ROUND_OFF * largest(&offset) {
                let message = "friction on what a support or obstacle drags along is not in this version";
                let help = "let it move along the normal only, or take friction = 0";
                return Err(InputError::new(Code::FRICTION, field, message, help));
            }
            // a tangent held by supports cannot slide
            if !tangent.entries.is_empty() {
                tangents.push(tangent.entries);
            }
        }
    }
    let friction = if tangents.is_empty() { 0.0 } else { law.friction };
    Ok(Some(Contact {
        normal: normal.entries,
        offset,
        restitution: law.restitution,
        tangents,
        friction,
        ..Contact::default()
    }))
}
