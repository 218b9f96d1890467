//! Four numbers side by side: the same operation on four contacts.
//!
//! Lane by lane, in the order written, without fused operations: the same bits on every machine, whatever its registers.

use wide::f64x4;

/// Contacts treated side by side.
pub(crate) const LANES: usize = 4;

/// One number of each of four contacts.
pub(crate) type Lanes = f64x4;

/// A vector of each of four contacts.
pub(crate) type Lanes3 = [Lanes; 3];

/// a · b.
#[inline(always)]
pub(crate) fn dot(a: &Lanes3, b: &Lanes3) -> Lanes {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a × b.
#[inline(always)]
pub(crate) fn cross(a: &Lanes3, b: &Lanes3) -> Lanes3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// a + c b.
#[inline(always)]
pub(crate) fn plus(a: &Lanes3, c: Lanes, b: &Lanes3) -> Lanes3 {
    [a[0] + c * b[0], a[1] + c * b[1], a[2] + c * b[2]]
}

/// a − c b.
#[inline(always)]
pub(crate) fn minus(a: &Lanes3, c: Lanes, b: &Lanes3) -> Lanes3 {
    [a[0] - c * b[0], a[1] - c * b[1], a[2] - c * b[2]]
}

/// max(x, 0), and 0 for what is not a number.
#[inline(always)]
pub(crate) fn positive(x: Lanes) -> Lanes {
    x.simd_gt(f64x4::ZERO).select(x, f64x4::ZERO)
}

/// The factor that brings a vector of square `square` into the disk of radius `bound`: min(1, bound/√square).
#[inline(always)]
pub(crate) fn cut(square: Lanes, bound: Lanes) -> Lanes {
    square.simd_gt(bound * bound).select(bound / square.sqrt(), f64x4::ONE)
}
