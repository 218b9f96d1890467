//! One contact alone: what block Gauss–Seidel solves again and again.
//!
//!   given b, find r with u = W_ii r + b in the cone law
//!
//! The ladder: the exact solution of [`Local`]; where it has none to offer (singular or indefinite blocks), projected
//! fixed-point steps r ← P(r − ρ(u + shift n)) with ρ = 1/‖W_ii‖.

pub(crate) mod plane;
pub(crate) mod rolling;
pub(crate) mod space;

use crate::friction::Cone;

/// What a local solver keeps of a contact from sweep to sweep; zero at first.
pub(crate) type Memory = [f64; 2];

/// An exact local solver for contacts of D components.
pub(crate) trait Local<const D: usize>: Copy + Default {
    /// Prepares a contact with the block W_ii, by columns.
    fn new(w: &[f64], cone: Cone) -> Self;

    /// The reaction to b, near `old` when there are several; `memory` is kept from sweep to sweep.
    fn solve(&self, b: &[f64; D], old: &[f64; D], memory: &mut Memory) -> Option<[f64; D]>;
}

/// Projected fixed-point steps until they settle, at most `limit`.
#[cold]
pub(crate) fn fixed_point<const D: usize>(
    w: &[f64],
    cone: Cone,
    rho: f64,
    b: &[f64; D],
    old: &[f64; D],
    limit: usize,
) -> [f64; D] {
    let mut r = *old;
    for _ in 0..limit {
        let mut u = *b;
        for c in 0..D {
            for k in 0..D {
                u[k] += w[c * D + k] * r[c];
            }
        }
        let d = cone.natural_map(&r, &u, rho);
        let (mut change, mut size) = (0.0, 0.0);
        for k in 0..D {
            r[k] -= d[k];
            change += d[k] * d[k];
            size += r[k] * r[k];
        }
        if change <= 1e-24 * size {
            break;
        }
    }
    r
}
