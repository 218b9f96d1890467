//! What a body without a shape looks like: the box of its mass and inertia, and rods to the joints that hold it.
//!
//!   a box of edges a, b, c:  I₁ = m (b² + c²)/12, …   so that   a² = 6 (I₂ + I₃ − I₁)/m

use crate::exchange::robot::inertia::eigen;
use percussion_model::bodies::Bodies;
use percussion_model::bodies::math::{Vec3, add, cross, norm, scale, tangents};
use percussion_model::bodies::shapes::Surface;

/// The least edge of the box, as a part of its largest.
const THINNEST: f64 = 0.02;
/// Half the thickness of a rod, as a part of its length.
const SLENDER: f64 = 0.02;

/// The pieces of a body that moves and would not be seen, in its frame; in the plane each is one polygon.
pub fn pieces(bodies: &Bodies, i: usize) -> Vec<Surface> {
    let body = &bodies.bodies()[i];
    let planar = bodies.is_planar();
    let inside = bodies.reduced().iter().any(|reduced| reduced.bodies().contains(&i));
    let part = body.modal || body.node || inside || bodies.beams().iter().any(|beam| beam.is_made_of(i));
    if part || !body.is_free() || !body.shape.pictures(planar).is_empty() {
        return Vec::new();
    }
    let own = if planar { square(body.mass, body.inertia[2][2]) } else { cuboid(body.mass, &body.inertia) };
    let held = bodies.joints().iter().flat_map(|joint| {
        let side = joint.bodies.iter().position(|&body| body == i);
        side.map(|side| joint.points[side])
    });
    let rods = held.filter(|end| norm(end) > 0.0).map(|end| if planar { strip(&end) } else { rod(&end) });
    own.into_iter().chain(rods).collect()
}

/// I = m a²/6.
fn square(mass: f64, inertia: f64) -> Option<Surface> {
    let half = 0.5 * (6.0 * inertia / mass).sqrt();
    (half.is_finite() && half > 0.0).then(|| polygon([[-half, -half], [half, -half], [half, half], [-half, half]]))
}

fn cuboid(mass: f64, inertia: &[Vec3; 3]) -> Option<Surface> {
    let (moments, axes) = eigen(inertia);
    let sum: f64 = moments.iter().sum();
    let edges = moments.map(|moment| (6.0 * (sum - 2.0 * moment) / mass).max(0.0).sqrt());
    let largest = edges.into_iter().fold(0.0, f64::max);
    if !(largest.is_finite() && largest > 0.0) {
        return None;
    }
    let half = edges.map(|edge| 0.5 * edge.max(THINNEST * largest));
    let along: [Vec3; 3] = std::array::from_fn(|k| [axes[0][k], axes[1][k], axes[2][k]]);
    Some(prism([0.0; 3], std::array::from_fn(|k| scale(half[k], &along[k]))))
}

/// From the centre of mass to a joint.
fn rod(end: &Vec3) -> Surface {
    let (middle, thick) = (scale(0.5, end), SLENDER * norm(end));
    let [s, t] = tangents(&scale(1.0 / norm(end), end));
    prism(middle, [middle, scale(thick, &s), scale(thick, &t)])
}

fn strip(end: &Vec3) -> Surface {
    let across = [-SLENDER * end[1], SLENDER * end[0]];
    polygon([
        across.map(|x| -x),
        [end[0] - across[0], end[1] - across[1]],
        [end[0] + across[0], end[1] + across[1]],
        across,
    ])
}

fn polygon(corners: [[f64; 2]; 4]) -> Surface {
    Surface { points: corners.map(|[x, y]| [x, y, 0.0]).to_vec(), faces: vec![vec![0, 1, 2, 3]] }
}

/// The box about a middle with these half-edges.
fn prism(middle: Vec3, half: [Vec3; 3]) -> Surface {
    // the axes right-handed, so that faces look outwards
    let turned = cross(&half[0], &half[1]);
    let right = (0..3).map(|k| turned[k] * half[2][k]).sum::<f64>() >= 0.0;
    let [a, b, c] = if right { half } else { [half[1], half[0], half[2]] };
    let corner = |k: usize| {
        let side = |bit: usize, edge: &Vec3| scale(if k & bit == 0 { -1.0 } else { 1.0 }, edge);
        add(&add(&add(&middle, &side(1, &a)), &side(2, &b)), &side(4, &c))
    };
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    Surface { points: (0..8).map(corner).collect(), faces: faces.map(|face| face.to_vec()).to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_model::bodies::math::sub;

    /// The box has the moments it was made from, about turned axes too, and its faces look outwards.
    #[test]
    fn the_box_has_the_inertia_of_the_body() {
        let (m, [a, b, c]) = (0.3_f64, [0.5_f64, 0.2, 0.1]);
        let own = [m * (b * b + c * c) / 12.0, m * (a * a + c * c) / 12.0, m * (a * a + b * b) / 12.0];
        let (s, t) = 0.6_f64.sin_cos();
        // R diag R^T about z
        let inertia = [
            [t * t * own[0] + s * s * own[1], s * t * (own[0] - own[1]), 0.0],
            [s * t * (own[0] - own[1]), s * s * own[0] + t * t * own[1], 0.0],
            [0.0, 0.0, own[2]],
        ];
        let surface = cuboid(m, &inertia).expect("it has inertia");
        // m/8 Σ over corners of x xᵀ is three times the second moments of a full box
        for i in 0..3 {
            for j in 0..3 {
                let moment = |i: usize, j: usize| surface.points.iter().map(|p| p[i] * p[j]).sum::<f64>() * m / 24.0;
                let trace: f64 = (0..3).map(|k| moment(k, k)).sum();
                let found = if i == j { trace - moment(i, i) } else { -moment(i, j) };
                assert!((found - inertia[i][j]).abs() < 1e-14, "{i} {j}: {found} for {}", inertia[i][j]);
            }
        }
        for face in &surface.faces {
            let [p, q, r] = [surface.points[face[0]], surface.points[face[1]], surface.points[face[2]]];
            let out = cross(&sub(&q, &p), &sub(&r, &q));
            assert!((0..3).map(|k| out[k] * p[k]).sum::<f64>() > 0.0);
        }
    }
}
