//! Vectors, matrices and rotations of space, small enough to be written out.
//!
//!   R(q) with q = (w, i, j, k), |q| = 1;    cay(a) = (1 − [a]/2)⁻¹(1 + [a]/2), as a quaternion (1, a/2)/|·|

/// A vector of space.
pub type Vec3 = [f64; 3];
/// A 3 × 3 matrix, by rows.
pub type Mat3 = [[f64; 3]; 3];
/// A rotation as a unit quaternion w, i, j, k.
pub type Quaternion = [f64; 4];

/// The unit matrix.
pub const IDENTITY: Mat3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// diag(x, y, z).
pub fn diagonal(x: f64, y: f64, z: f64) -> Mat3 {
    [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]
}

/// a·b.
#[inline]
pub fn dot(a: &Vec3, b: &Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a × b.
#[inline]
pub fn cross(a: &Vec3, b: &Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// |a|.
#[inline]
pub fn norm(a: &Vec3) -> f64 {
    dot(a, a).sqrt()
}

/// a + b.
#[inline]
pub fn add(a: &Vec3, b: &Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a − b.
#[inline]
pub fn sub(a: &Vec3, b: &Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// c a.
#[inline]
pub fn scale(c: f64, a: &Vec3) -> Vec3 {
    [c * a[0], c * a[1], c * a[2]]
}

/// a + c b.
#[inline]
pub fn axpy(a: &Vec3, c: f64, b: &Vec3) -> Vec3 {
    [a[0] + c * b[0], a[1] + c * b[1], a[2] + c * b[2]]
}

/// A x.
#[inline]
pub fn mul(A: &Mat3, x: &Vec3) -> Vec3 {
    [dot(&A[0], x), dot(&A[1], x), dot(&A[2], x)]
}

/// Aᵀ x.
#[inline]
pub fn mul_t(A: &Mat3, x: &Vec3) -> Vec3 {
    std::array::from_fn(|i| A[0][i] * x[0] + A[1][i] * x[1] + A[2][i] * x[2])
}

/// A B.
#[inline]
pub fn mul_mat(A: &Mat3, B: &Mat3) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| A[i][0] * B[0][j] + A[i][1] * B[1][j] + A[i][2] * B[2][j]))
}

/// Aᵀ.
#[inline]
pub fn transpose(A: &Mat3) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| A[j][i]))
}

/// [a], the matrix of x ↦ a × x.
#[inline]
pub fn skew(a: &Vec3) -> Mat3 {
    [[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]]
}

/// A⁻¹ by cofactors; `None` when the determinant vanishes.
#[inline]
pub fn inverse(A: &Mat3) -> Option<Mat3> {
    let (c0, c1, c2) = (cross(&A[1], &A[2]), cross(&A[2], &A[0]), cross(&A[0], &A[1]));
    let det = dot(&A[0], &c0);
    if det == 0.0 || !det.is_finite() {
        return None;
    }
    let i = 1.0 / det;
    Some(std::array::from_fn(|k| [c0[k] * i, c1[k] * i, c2[k] * i]))
}

/// R(q) of a unit quaternion.
#[inline]
pub fn rotation(q: &Quaternion) -> Mat3 {
    let [w, x, y, z] = *q;
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// p q, the rotation q followed by p.
#[inline]
pub fn compose(p: &Quaternion, q: &Quaternion) -> Quaternion {
    [
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    ]
}

/// q / |q|.
#[inline]
pub fn normalised(q: &Quaternion) -> Quaternion {
    let size = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    q.map(|x| x / size)
}

/// q cay(a): turned by the Cayley map of a body-frame vector, without a trigonometric function.
#[inline]
pub fn turned(q: &Quaternion, a: &Vec3) -> Quaternion {
    normalised(&compose(q, &[1.0, 0.5 * a[0], 0.5 * a[1], 0.5 * a[2]]))
}

/// Normals whose third component is below this get the other of two frames: not zero, so that round-off in the horizontal normals of bricks
/// side by side does not turn their tangents round.
const BELOW: f64 = -1e-4;

/// Two unit vectors that complete n to a right-handed frame, a smooth function of n but for one sign change
/// (Duff et al. 2017), a little below the horizon.
#[inline]
pub fn tangents(n: &Vec3) -> [Vec3; 2] {
    let sign = if n[2] < BELOW { -1.0 } else { 1.0 };
    let a = -1.0 / (sign + n[2]);
    let b = n[0] * n[1] * a;
    [[1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]], [b, sign + n[1] * n[1] * a, -n[1]]]
}

/// The rates of these two vectors while n changes at the rate ṅ.
pub fn tangent_rates(n: &Vec3, rate: &Vec3) -> [Vec3; 2] {
    let sign = if n[2] < BELOW { -1.0 } else { 1.0 };
    let a = -1.0 / (sign + n[2]);
    let da = a * a * rate[2];
    let db = (rate[0] * n[1] + n[0] * rate[1]) * a + n[0] * n[1] * da;
    let square = |x: f64, dx: f64| 2.0 * x * dx * a + x * x * da;
    [[sign * square(n[0], rate[0]), sign * db, -sign * rate[0]], [db, square(n[1], rate[1]), -rate[1]]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// cay(a) as a quaternion is (1 − [a]/2)⁻¹(1 + [a]/2) as a matrix, and R is a rotation.
    #[test]
    fn cayley_map() {
        let a = [0.3, -0.7, 1.1];
        let half: Mat3 = skew(&a).map(|row| row.map(|x| 0.5 * x));
        let plus: Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| IDENTITY[i][j] + half[i][j]));
        let minus: Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| IDENTITY[i][j] - half[i][j]));
        let cay = mul_mat(&inverse(&minus).unwrap(), &plus);
        let R = rotation(&turned(&[1.0, 0.0, 0.0, 0.0], &a));
        let unit = mul_mat(&transpose(&R), &R);
        for i in 0..3 {
            for j in 0..3 {
                assert!((R[i][j] - cay[i][j]).abs() < 1e-15 && (unit[i][j] - IDENTITY[i][j]).abs() < 1e-15);
            }
        }
    }

    /// The frame is right-handed and orthonormal for every normal.
    #[test]
    fn frames() {
        for n in [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.6, 0.0, -0.8], [0.36, 0.48, 0.8], [1.0, 0.0, 0.0]] {
            let [s, t] = tangents(&n);
            assert!(
                norm(&sub(&cross(&n, &s), &t)) < 1e-15 && (norm(&s) - 1.0).abs() < 1e-15 && dot(&n, &s).abs() < 1e-15
            );
        }
        // bricks side by side: round-off does not turn their tangents round
        for z in [-1e-8, -1e-17, -0.0, 1e-17] {
            let off = |a: &Vec3, b: &Vec3| norm(&sub(a, b)) <= 2e-8;
            let ([s, t], [s0, t0]) = (tangents(&[0.6, 0.8, z]), tangents(&[0.6, 0.8, 0.0]));
            assert!(off(&s, &s0) && off(&t, &t0));
        }
    }
}
