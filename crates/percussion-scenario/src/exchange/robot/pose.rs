//! Places and rotations as robot files write them.
//!
//!   x_world = x + R x_local,    R from roll, pitch, yaw (fixed axes), quaternions w, x, y, z, axes and angles

use percussion_model::bodies::math::{
    IDENTITY, Mat3, Vec3, add, cross, dot, mul, mul_mat, mul_t, norm, normalised, rotation, scale, sub, tangents,
    transpose,
};

/// A place and a rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Origin.
    pub x: Vec3,
    /// Axes as columns.
    pub R: Mat3,
}

impl Pose {
    pub const IDENTITY: Self = Self { x: [0.0; 3], R: IDENTITY };

    pub fn at(x: Vec3) -> Self {
        Self { x, R: IDENTITY }
    }

    /// The pose that is `inner` in this one.
    pub fn then(&self, inner: &Self) -> Self {
        Self { x: self.point(&inner.x), R: mul_mat(&self.R, &inner.R) }
    }

    /// This pose seen from another.
    pub fn seen_from(&self, other: &Self) -> Self {
        Self { x: mul_t(&other.R, &sub(&self.x, &other.x)), R: mul_mat(&transpose(&other.R), &self.R) }
    }

    pub fn point(&self, x: &Vec3) -> Vec3 {
        add(&self.x, &mul(&self.R, x))
    }

    pub fn direction(&self, d: &Vec3) -> Vec3 {
        mul(&self.R, d)
    }
}

/// Turned by an angle about a unit axis: exp(φ a×).
pub fn about(axis: &Vec3, angle: f64) -> Mat3 {
    let (s, c) = (0.5 * angle).sin_cos();
    rotation(&[c, s * axis[0], s * axis[1], s * axis[2]])
}

/// Roll, pitch and yaw about the fixed axes x, y, z in this order.
pub fn roll_pitch_yaw([r, p, y]: [f64; 3]) -> Mat3 {
    let ((sr, cr), (sp, cp), (sy, cy)) = (r.sin_cos(), p.sin_cos(), y.sin_cos());
    [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
}

/// The rotation whose z axis is a direction, by the shortest way.
pub fn along_z(z: &Vec3) -> Mat3 {
    let length = norm(z);
    if length == 0.0 {
        return IDENTITY;
    }
    let z = scale(1.0 / length, z);
    // the shortest way from (0, 0, 1), but for its opposite
    if z[2] < -1.0 + 1e-12 {
        return [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]];
    }
    rotation(&normalised(&[1.0 + z[2], -z[1], z[0], 0.0]))
}

/// The rotation of two axes, the second made square to the first.
pub fn from_axes(x: &Vec3, y: &Vec3) -> Mat3 {
    let x = if norm(x) > 0.0 { scale(1.0 / norm(x), x) } else { [1.0, 0.0, 0.0] };
    let y = sub(y, &scale(dot(&x, y), &x));
    let y = if norm(&y) > 0.0 { scale(1.0 / norm(&y), &y) } else { tangents(&x)[0] };
    transpose(&[x, y, cross(&x, &y)])
}

/// The unit quaternion of a rotation.
pub fn quaternion(R: &Mat3) -> [f64; 4] {
    let trace = R[0][0] + R[1][1] + R[2][2];
    let q = if trace > 0.0 {
        [1.0 + trace, R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]]
    } else {
        let i = (0..3).max_by(|&a, &b| R[a][a].total_cmp(&R[b][b])).unwrap_or(0);
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let mut q = [R[k][j] - R[j][k], 0.0, 0.0, 0.0];
        q[1 + i] = 1.0 + R[i][i] - R[j][j] - R[k][k];
        q[1 + j] = R[j][i] + R[i][j];
        q[1 + k] = R[k][i] + R[i][k];
        q
    };
    normalised(&q)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way of writing a rotation gives one, and the quaternion gives it back.
    #[test]
    fn rotations_are_rotations() {
        let turns = [
            roll_pitch_yaw([0.3, -1.2, 2.9]),
            roll_pitch_yaw([0.0, 0.0, 3.1]),
            along_z(&[0.1, -0.2, -3.0]),
            along_z(&[0.0, 0.0, -1.0]),
            from_axes(&[0.0, 2.0, 0.1], &[1.0, 0.3, 0.0]),
            about(&[0.6, 0.0, 0.8], 2.5),
        ];
        for R in turns {
            let (one, back) = (mul_mat(&R, &transpose(&R)), rotation(&quaternion(&R)));
            for i in 0..3 {
                for j in 0..3 {
                    assert!((one[i][j] - IDENTITY[i][j]).abs() < 1e-14 && (back[i][j] - R[i][j]).abs() < 1e-14);
                }
            }
        }
        let z = mul(&along_z(&[0.1, -0.2, -3.0]), &[0.0, 0.0, 1.0]);
        assert!((z[0] * -3.0 - z[2] * 0.1).abs() < 1e-14 && z[2] < 0.0);
    }
}
