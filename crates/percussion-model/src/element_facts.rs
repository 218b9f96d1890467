//! What assembling a linear model from finite elements tells, and how large a factor of its matrices is.
//!
//!   values in L ≈ 15.5 n log₂(n/2) in the plane,  23 n^{4/3} in space

use crate::bodies::math::Vec3;
use crate::nodal::NodalCoordinates;
use percussion_matrix::math;

/// What is known of matrices that were assembled from finite elements and need not be found out by factorising them: M and K
/// are symmetric, K has no negative direction, and M + c K is positive definite for every c > 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElementFacts {
    /// Which coordinates have no mass; all have some where it is empty.
    pub massless: Vec<bool>,
    /// The nodes the coordinates belong to.
    pub coordinates: NodalCoordinates,
    /// An order of elimination that keeps factors sparse.
    pub order: Vec<usize>,
    /// What each contact is called.
    pub contact_names: Vec<String>,
    /// Direction of each coordinate and its moment about the origin, undeformed; empty where something holds the solid.
    pub moments: Vec<[Vec3; 2]>,
    /// Of each contact, how thick what touches is, halved: overlaps are measured by it; empty where that is not known [m].
    pub half_thicknesses: Vec<f64>,
}

/// Numbers in a factor above which systems are solved by products: 2 GB.
pub const MOST_IN_FACTOR: f64 = 2.5e8;

/// Entries of K a row, on average, that meshes in a plane have at most.
pub const MOST_IN_PLANE: usize = 30;

/// Numbers in the factor of n coordinates of finite elements in d dimensions by nested dissection, as measured on squares and cubes.
pub fn factor_size(n: usize, d: usize) -> f64 {
    let n = n as f64;
    if d == 3 { 23.0 * math::powf(n, 4.0 / 3.0) } else { 15.5 * n * math::log2(0.5 * n).max(1.0) }
}
