//! The account of linear and angular momentum of one step, about the fixed origin, over free bodies.
//!
//!   r_P = Δ Σ m v − [h Σ F + Σ p],    r_J = Δ Σ (x × m v + R I w) − [Σ h (x_m × F + R̄ τ) + Σ (c × p + couple)]
//!
//! p are impulses of contacts with bodies that are fixed or moved, and of joints and springs to them. What acts between free bodies does
//! not appear: its sum must vanish, and that is what r tests.

use percussion_model::bodies::math::{add, norm, sub};

/// The account of one step; each entry is (p, l).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MomentumEntry {
    /// Whether the scheme keeps this account.
    pub kept: bool,
    /// Σ m v [N·s] and Σ (x × m v + R I w) [N·m·s] at the end of the step.
    pub total: [[f64; 3]; 2],
    /// What loads and drags gave in the step.
    pub load: [[f64; 3]; 2],
    /// What contacts with fixed or moved bodies gave.
    pub contact: [[f64; 3]; 2],
    /// What joints and springs to fixed or moved bodies gave.
    pub joint: [[f64; 3]; 2],
    /// |r_P| and |r_J|.
    pub residual: [f64; 2],
    /// Σ m|v| + Σ|p| and Σ (m|x||v| + |I w|) + Σ |c||p|.
    pub scale: [f64; 2],
}

impl MomentumEntry {
    /// What is left of the change of the momenta since a state in which they were `before`.
    pub fn left_since(&self, before: &[[f64; 3]; 2]) -> [f64; 2] {
        std::array::from_fn(|k| {
            let given = add(&add(&self.load[k], &self.contact[k]), &self.joint[k]);
            norm(&sub(&sub(&self.total[k], &before[k]), &given))
        })
    }

    /// Adds the account of the step after this one.
    pub fn accumulate(&mut self, next: &Self) {
        let added =
            |a: [[f64; 3]; 2], b: &[[f64; 3]; 2]| std::array::from_fn(|i| std::array::from_fn(|k| a[i][k] + b[i][k]));
        self.kept &= next.kept;
        self.total = next.total;
        self.load = added(self.load, &next.load);
        self.contact = added(self.contact, &next.contact);
        self.joint = added(self.joint, &next.joint);
        for i in 0..2 {
            self.residual[i] += next.residual[i];
            self.scale[i] = self.scale[i].max(next.scale[i]);
        }
    }
}

crate::packed! { MomentumEntry { kept, total, load, contact, joint, residual, scale } }
