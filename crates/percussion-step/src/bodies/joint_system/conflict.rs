//! Drives that exclude each other: speeds that no velocity of the bodies has.
//!
//!   S λ = θ (ω − J v_told),   v = A⁻¹Dᵀλ;   J v ≠ ω in a row that follows from others which say otherwise
//!
//! The pivot of such a row is lifted, so the rows it follows from are those with large λ.

use crate::bodies::joint_system::{JointSystem, dot6, row_dot};
use percussion_model::bodies::{RowLaw, Twist};

/// Part of the speeds asked for that counts as a contradiction.
const CONTRADICTION: f64 = 1e-6;

impl JointSystem {
    /// Joints whose drives and rows exclude each other at time t, at the last factorisation with h = 0; none where all can hold.
    pub fn conflict(&self, t: f64, told: &[Twist]) -> Vec<usize> {
        let holds = |r: usize| matches!(self.rows[r].law, RowLaw::Rigid { .. } | RowLaw::Rate(_));
        let mut asked: Vec<f64> =
            self.rows.iter().map(|row| if let RowLaw::Rate(w) = &row.law { w.at(t) } else { 0.0 }).collect();
        for (i, &(first, n)) in self.of_body.iter().enumerate().filter(|(i, _)| self.inverse[*i].0 == 0.0) {
            for e in self.entries[first..first + n].iter().filter(|e| holds(e.row)) {
                asked[e.row] -= row_dot(&e.D, &told[i]);
            }
        }
        let mut lambda: Vec<f64> = asked.iter().map(|x| self.theta * x).collect();
        let mut v = vec![[0.0; 6]; self.of_body.len()];
        self.react(&mut lambda, |i, dv| v[i].iter_mut().zip(dv).for_each(|(v, d)| *v += d));
        let mut got = vec![0.0; asked.len()];
        for (i, &(first, n)) in self.of_body.iter().enumerate().filter(|(i, _)| self.inverse[*i].0 > 0.0) {
            for e in &self.entries[first..first + n] {
                let N = if let RowLaw::Rate(_) = self.rows[e.row].law { &e.D } else { &e.N };
                got[e.row] += dot6(N, &v[i]);
            }
        }
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        let (speed, reaction) = (largest(&asked), largest(&lambda));
        let off = |r: usize| holds(r) && (got[r] - asked[r]).abs() > CONTRADICTION * speed;
        if !(0..asked.len()).any(off) {
            return Vec::new();
        }
        let mut joints = Vec::new();
        for (node, joint) in self.node_joint.iter().enumerate() {
            let first = self.lu.first(node);
            let takes_part = |r: usize| off(r) || lambda[r].abs() > CONTRADICTION * reaction;
            if (first..first + self.lu.size(node)).any(takes_part) {
                joints.extend(joint);
            }
        }
        joints
    }
}
