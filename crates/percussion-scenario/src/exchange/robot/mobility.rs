//! How easily what holds a robot could move one of its links: what MuJoCo measures the softness of a hold by.
//!
//!   Y = Jᵢ M⁻¹ Jᵢᵀ,    M = Σ_k J_kᵀ diag(m_k 1, I_k) J_k + rotors;    ȳ = (mean of Y's three shifts, mean of its three turns)

use super::start::Start;
use super::{Freedom, Robot};
use percussion_matrix::{DenseMatrix, Factor, Matrix};
use percussion_model::bodies::math::{Vec3, cross, dot, mul, mul_mat, sub, transpose};

/// One coordinate: what it moves, and how.
struct Column {
    /// The link below which everything moves.
    link: usize,
    /// Direction of a shift, or axis of a turn.
    axis: Vec3,
    /// Where the axis of a turn passes.
    turn_at: Option<Vec3>,
    rotor: f64,
}

impl Column {
    /// Velocity of a point of what moves, and spin.
    fn twist(&self, x: &Vec3) -> [Vec3; 2] {
        match &self.turn_at {
            Some(p) => [cross(&self.axis, &sub(x, p)), self.axis],
            None => [self.axis, [0.0; 3]],
        }
    }
}

/// Mean mobilities [1/kg, 1/(kg·m²)] of a link at a point of it where the robot starts, as if nothing closed a loop; `None` where one is zero.
pub fn mean_mobility(robot: &Robot, start: &Start, (link, point): (usize, &Vec3)) -> Option<[f64; 2]> {
    let columns = columns(robot, start);
    let above: Vec<Vec<usize>> = (0..robot.links.len()).map(|i| chain(robot, i)).collect();
    let n = columns.len();
    let mut M = DenseMatrix::zeros(n, n);
    for (i, body) in robot.links.iter().enumerate().filter(|(_, body)| body.mass > 0.0) {
        let pose = &start.poses[i];
        let inertia = mul_mat(&mul_mat(&pose.R, &body.inertia), &transpose(&pose.R));
        let moving: Vec<usize> = (0..n).filter(|&c| above[i].contains(&columns[c].link)).collect();
        let twists: Vec<[Vec3; 2]> = moving.iter().map(|&c| columns[c].twist(&pose.point(&body.centre))).collect();
        for (&c, [v, w]) in moving.iter().zip(&twists) {
            let spin = mul(&inertia, w);
            for (&d, [u, z]) in moving.iter().zip(&twists) {
                M.set(c, d, M.get(c, d) + body.mass * dot(v, u) + dot(&spin, z));
            }
        }
    }
    (0..n).for_each(|c| M.set(c, c, M.get(c, c) + columns[c].rotor));
    let mut factor = Factor::cholesky(&Matrix::Dense(M)).ok()?;
    let at = start.poses[link].point(point);
    let moving: Vec<usize> = (0..n).filter(|&c| above[link].contains(&columns[c].link)).collect();
    let mut means = [0.0; 2];
    for k in 0..3 {
        for (part, mean) in means.iter_mut().enumerate() {
            let mut J = vec![0.0; n];
            moving.iter().for_each(|&c| J[c] = columns[c].twist(&at)[part][k]);
            let mut y = J.clone();
            factor.solve(&mut y);
            *mean += J.iter().zip(&y).map(|(a, b)| a * b).sum::<f64>() / 3.0;
        }
    }
    means.iter().all(|y| y.is_finite() && *y > 0.0).then_some(means)
}

/// Coordinates of joints and of roots that nothing holds.
fn columns(robot: &Robot, start: &Start) -> Vec<Column> {
    let mut columns = Vec::new();
    let unit = |k: usize| std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 });
    for joint in &robot.joints {
        let (link, pose) = (joint.child, &start.poses[joint.child]);
        let mut push =
            |axis: Vec3, turn_at: Option<Vec3>| columns.push(Column { link, axis, turn_at, rotor: joint.armature });
        match joint.freedom {
            Freedom::Turn => push(pose.direction(&joint.axis), Some(pose.point(&joint.anchor))),
            Freedom::Slide => push(pose.direction(&joint.axis), None),
            Freedom::Ball => (0..3).for_each(|k| push(unit(k), Some(pose.point(&joint.anchor)))),
            Freedom::Nothing => {}
            Freedom::Everything => (0..3).for_each(|k| {
                push(unit(k), None);
                push(unit(k), Some(pose.x));
            }),
        }
    }
    for &(link, _) in robot.roots.iter().filter(|(root, _)| !robot.links[*root].fixed) {
        let at = start.poses[link].x;
        for k in 0..3 {
            columns.push(Column { link, axis: unit(k), turn_at: None, rotor: 0.0 });
            columns.push(Column { link, axis: unit(k), turn_at: Some(at), rotor: 0.0 });
        }
    }
    columns
}

/// A link and those it hangs on.
fn chain(robot: &Robot, link: usize) -> Vec<usize> {
    let mut found = vec![link];
    let mut at = link;
    while let Some(joint) = robot.joints.iter().find(|joint| joint.child == at && !found.contains(&joint.parent)) {
        at = joint.parent;
        found.push(at);
    }
    found
}
