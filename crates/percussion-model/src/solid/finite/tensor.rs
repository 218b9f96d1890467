//! Symmetric tensors xx, yy, zz, xy, yz, zx and their products with matrices.

use crate::bodies::math::{Mat3, mul_mat, transpose};
use crate::solid::hooke::Tensor;

pub(super) const UNIT: Tensor = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];

/// A:B.
pub(super) fn inner(a: &Tensor, b: &Tensor) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + 2.0 * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])
}

/// a + c b.
pub(super) fn add(a: &Tensor, c: f64, b: &Tensor) -> Tensor {
    [0, 1, 2, 3, 4, 5].map(|k| a[k] + c * b[k])
}

/// tr A.
pub(super) fn trace(a: &Tensor) -> f64 {
    a[0] + a[1] + a[2]
}

/// As a matrix.
pub(super) fn matrix(a: &Tensor) -> Mat3 {
    [[a[0], a[3], a[5]], [a[3], a[1], a[4]], [a[5], a[4], a[2]]]
}

/// sym(AᵀB).
pub(in crate::solid) fn symmetric_product(a: &Mat3, b: &Mat3) -> Tensor {
    let p = mul_mat(&transpose(a), b);
    let mean = |i: usize, j: usize| 0.5 * (p[i][j] + p[j][i]);
    [p[0][0], p[1][1], p[2][2], mean(0, 1), mean(1, 2), mean(2, 0)]
}

/// det A and A⁻¹ det A.
pub(super) fn cofactor(a: &Tensor) -> (f64, Tensor) {
    let [xx, yy, zz, xy, yz, zx] = *a;
    let c = [
        yy * zz - yz * yz,
        zz * xx - zx * zx,
        xx * yy - xy * xy,
        yz * zx - xy * zz,
        zx * xy - yz * xx,
        xy * yz - zx * yy,
    ];
    (xx * c[0] + xy * c[3] + zx * c[5], c)
}

/// A B A for symmetric A and B.
pub(super) fn sandwich(a: &Tensor, b: &Tensor) -> Tensor {
    let a = matrix(a);
    let p = mul_mat(&mul_mat(&a, &matrix(b)), &a);
    [p[0][0], p[1][1], p[2][2], p[0][1], p[1][2], p[2][0]]
}
