//! One contact with rolling friction.
//!
//!   open (b_N ≥ 0), stick (r = −W⁻¹b in the cone), otherwise projected fixed-point steps
//!
//! Sliding, rolling, or both at once have no closed form worth its length: the ladder's fixed point takes over.

use super::Cone;
use super::local::{Local, Memory};
use percussion_matrix::SmallLu;

/// The block of one contact with its inverse.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rolling {
    cone: Cone,
    /// W⁻¹ by columns, when W is regular.
    inverse: Option<[f64; 25]>,
}

impl Local<5> for Rolling {
    fn new(w: &[f64], cone: Cone) -> Self {
        let mut lu = SmallLu::default();
        lu.reset(5).copy_from_slice(w);
        if !lu.factorise() {
            return Self { cone, inverse: None };
        }
        let mut inverse = [0.0; 25];
        for c in 0..5 {
            let column = &mut inverse[c * 5..c * 5 + 5];
            column[c] = 1.0;
            lu.solve(column);
        }
        Self { cone, inverse: inverse.iter().all(|x| x.is_finite()).then_some(inverse) }
    }

    fn solve(&self, b: &[f64; 5], _: &[f64; 5], _: &mut Memory) -> Option<[f64; 5]> {
        if b[0] >= 0.0 {
            return Some([0.0; 5]);
        }
        let inverse = self.inverse?;
        let r: [f64; 5] = std::array::from_fn(|k| -(0..5).map(|c| inverse[c * 5 + k] * b[c]).sum::<f64>());
        let inside =
            r[0] >= 0.0 && r[1].hypot(r[2]) <= self.cone.mu * r[0] && r[3].hypot(r[4]) <= self.cone.mu_rolling * r[0];
        inside.then_some(r)
    }
}
