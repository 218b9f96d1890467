//! Where the nodes of a beam are before it moves.
//!
//!   d₁ along the beam, d₂ = up × d₁ (normalised), d₃ = d₁ × d₂

use super::mean_frame::middle;
use super::rotation::{self, quaternion};
use crate::bodies::Frame;
use crate::bodies::math::{Mat3, Vec3, add, axpy, cross, mul, mul_mat, norm, scale, sub, transpose};

/// The section's frame at a place, for a direction of the beam; `None` where `up` runs along it.
pub fn section_frame(x: &Vec3, direction: &Vec3, up: &Vec3) -> Option<Frame> {
    let size = norm(direction);
    let first = scale(1.0 / size, direction);
    let across = cross(up, &first);
    let sine = norm(&across);
    if !(size > 0.0 && size.is_finite() && sine > 1e-9 * norm(up)) {
        return None;
    }
    let second = scale(1.0 / sine, &across);
    let R = transpose(&[first, second, cross(&first, &second)]);
    Some(Frame { x: *x, q: quaternion(&R), R })
}

/// n + 1 nodes on the straight line between two points.
pub fn straight(from: &Vec3, to: &Vec3, up: &Vec3, elements: usize) -> Option<Vec<Frame>> {
    let way = sub(to, from);
    let first = section_frame(from, &way, up)?;
    let at = |k: usize| Frame { x: axpy(from, k as f64 / elements as f64, &way), ..first };
    Some((0..=elements).map(at).collect())
}

/// n + 1 nodes on the arc that turns about an axis through `centre` by an angle, from a point on.
pub fn arc(from: &Vec3, centre: &Vec3, axis: &Vec3, angle: f64, up: &Vec3, elements: usize) -> Option<Vec<Frame>> {
    let size = norm(axis);
    if size == 0.0 || !size.is_finite() {
        return None;
    }
    let axis = scale(1.0 / size, axis);
    let arm = sub(from, centre);
    let first = section_frame(from, &scale(angle.signum(), &cross(&axis, &arm)), up)?;
    let at = |k: usize| {
        let turn: Mat3 = rotation::exp(&scale(angle * k as f64 / elements as f64, &axis));
        let R = mul_mat(&turn, &first.R);
        Frame { x: add(centre, &mul(&turn, &arm)), q: quaternion(&R), R }
    };
    Some((0..=elements).map(at).collect())
}

/// Nodes along a polygon, `elements` on each of its sides; its corners take the mean of the frames on both sides.
pub fn polygon(points: &[Vec3], up: &Vec3, elements: usize) -> Option<Vec<Frame>> {
    let mut nodes: Vec<Frame> = Vec::new();
    for side in points.windows(2) {
        let line = straight(&side[0], &side[1], up, elements)?;
        if let Some(corner) = nodes.last_mut() {
            *corner = middle(corner, &line[0]);
            nodes.extend_from_slice(&line[1..]);
        } else {
            nodes = line;
        }
    }
    if nodes.is_empty() { None } else { Some(nodes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flexible::{BeamElement, StrainMeasure, diagonal6};

    /// Elements of an arc all have the same strain at rest, (1, 0, 0) and the curvature 1/r, and the length of the arc.
    #[test]
    fn arc_is_a_helix() {
        let nodes = arc(&[0.0; 3], &[0.0, 2.0, 0.0], &[0.0, 0.0, 1.0], 1.2, &[0.0, 0.0, 1.0], 3).unwrap();
        for pair in nodes.windows(2) {
            let element = BeamElement::unstressed(StrainMeasure::Se3, &pair[0], &pair[1], diagonal6(&[1.0; 6]), 0.0);
            assert!((element.length - 0.8).abs() < 1e-15);
            for (got, exact) in element.rest.iter().zip([1.0, 0.0, 0.0, 0.0, 0.0, 0.5]) {
                assert!((got - exact).abs() < 2e-15, "{:?}", element.rest);
            }
        }
    }

    /// A corner stands half-way between its sides; a beam along `up` has no frame.
    #[test]
    fn corners() {
        let nodes = polygon(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], &[0.0, 0.0, 1.0], 2).unwrap();
        assert_eq!(nodes.len(), 5);
        let half = 0.5_f64.sqrt();
        assert!((nodes[2].R[0][0] - half).abs() < 1e-15 && (nodes[2].R[1][0] - half).abs() < 1e-15);
        assert!(straight(&[0.0; 3], &[0.0, 0.0, 1.0], &[0.0, 0.0, 1.0], 2).is_none());
    }
}
