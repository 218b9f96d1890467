//! The joints of a scene: their rows that hold, their springs, their rotors and backlash.
//!
//!   c(q) = c₀ of every row that holds,    V = Σ ½ k (c − rest)² + Σ V(c)

use super::measure::Measure;
use super::{Backlash, Bodies, Frame, Joint, JointParts, JointRow, Rotor, RowLaw, Twist};
use crate::{Code, InputError};

impl Bodies {
    pub(super) fn add_joints(&mut self, parts: &[JointParts]) -> Result<(), InputError> {
        let frames: Vec<Frame> = (0..self.len()).map(|i| self.frame(i, &self.q0)).collect();
        for (j, described) in parts.iter().enumerate() {
            let joint = Joint::new(described, &frames, self.planar, &self.joints);
            let mut joint = joint.map_err(|e| e.below(format!("joint[{j}]")))?;
            if !joint.coupling.is_empty() {
                let backlash = Backlash::new(j, &joint, &joint.coupling, &frames, &self.bodies);
                joint.backlash = Some(backlash.map_err(|e| e.below(format!("joint[{j}]")))?);
            }
            if joint.kind.coupled().is_none() && !joint.bodies.iter().any(|&i| self.bodies[i].is_free()) {
                let [a, b] = joint.bodies.map(|i| &self.bodies[i].name);
                let message =
                    format!("joint \"{}\" is between \"{a}\" and \"{b}\", neither of which moves freely", joint.name);
                let help = "remove it, or let one of the two move";
                return Err(InputError::new(Code::ZERO_JOINT, format!("joint[{j}]"), message, help));
            }
            if let Some(other) = self.joints.iter().position(|other| other.name == joint.name) {
                let message = format!("joint {other} has the name \"{}\" too", joint.name);
                return Err(InputError::new(Code::BAD_NAME, format!("joint[{j}].name"), message, "rename one"));
            }
            let rigid = joint.rows.iter().enumerate().filter(|(_, row)| matches!(row.law, RowLaw::Rigid { .. }));
            self.rigid.extend(rigid.map(|(r, _)| (j, r)));
            let rotor = Rotor::of(&joint, &frames, &self.bodies).map_err(|e| e.below(format!("joint[{j}]")))?;
            // the rate of a rotor is measured in the frames of its bodies: their spin is counted there too
            for i in rotor.iter().flat_map(|rotor| rotor.bodies) {
                let body = &mut self.bodies[i];
                body.isotropic &= self.planar || !body.is_free();
            }
            self.rotors.extend(rotor);
            self.joints.push(joint);
        }
        Ok(())
    }

    /// The k-th row that holds, with its joint and its target.
    pub fn rigid_row(&self, k: usize) -> Option<(usize, &JointRow, f64)> {
        let &(j, r) = self.rigid.get(k)?;
        let row = &self.joints[j].rows[r];
        match row.law {
            RowLaw::Rigid { target } => Some((j, row, target)),
            RowLaw::Rate(_)
            | RowLaw::Force(_)
            | RowLaw::Servo(_)
            | RowLaw::Spring { .. }
            | RowLaw::Curve(_)
            | RowLaw::Rotor { .. } => None,
        }
    }

    /// Number of rows that hold.
    pub fn n_rigid_rows(&self) -> usize {
        self.rigid.len()
    }

    /// c − target of the k-th row that holds; couplings of angles to the nearest whole turn.
    pub fn rigid_violation(&self, k: usize, q: &[f64]) -> f64 {
        self.rigid_violation_at(k, |i| self.frame(i, q))
    }

    /// The same with the frames of the bodies from a function.
    pub fn rigid_violation_at(&self, k: usize, frame: impl Fn(usize) -> Frame) -> f64 {
        let Some((_, row, target)) = self.rigid_row(k) else { return 0.0 };
        let mut sum = -target;
        let mut turn = 0.0;
        for term in &row.terms {
            let [a, b] = term.bodies.map(&frame);
            sum += term.factor * term.measure.value(&a, &b);
            if let Measure::Angle { .. } = term.measure {
                turn = common_measure(turn, term.factor.abs() * std::f64::consts::TAU);
            }
        }
        if turn > 0.0 { sum - turn * (sum / turn).round() } else { sum }
    }

    /// Rate of the k-th row that holds.
    pub fn rigid_rate(&self, k: usize, q: &[f64], v: &[f64]) -> f64 {
        let Some((_, row, _)) = self.rigid_row(k) else { return 0.0 };
        let mut sum = 0.0;
        for term in &row.terms {
            let frames = term.bodies.map(|i| self.frame(i, q));
            let rows = term.measure.gradient(&frames[0], &frames[1]);
            for (side, row) in rows.iter().enumerate() {
                let Twist { v, w } = self.twist(term.bodies[side], v);
                sum += term.factor * (0..3).map(|i| row[i] * v[i] + row[3 + i] * w[i]).sum::<f64>();
            }
        }
        sum
    }

    /// Σ ½ k (c − rest)² of springs and V of tables on the coordinates of joints, each with the whole turns it has made.
    pub(super) fn joint_energy(&self, q: &[f64], turns: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (j, joint) in self.joints.iter().enumerate() {
            for row in &joint.rows {
                let [term] = &row.terms[..] else { continue };
                let value = || {
                    let [a, b] = term.bodies.map(|i| self.frame(i, q));
                    let turned = std::f64::consts::TAU * turns.get(j).copied().unwrap_or(0.0);
                    term.measure.value(&a, &b) + turned
                };
                match &row.law {
                    RowLaw::Spring { stiffness, rest, .. } => {
                        let stretch = value() - rest;
                        sum += 0.5 * stiffness * stretch * stretch;
                    }
                    RowLaw::Curve(curve) => sum += curve.potential(value()),
                    RowLaw::Rigid { .. }
                    | RowLaw::Rate(_)
                    | RowLaw::Force(_)
                    | RowLaw::Servo(_)
                    | RowLaw::Rotor { .. } => {}
                }
            }
        }
        sum
    }
}

/// The largest length that goes into both a whole number of times, by Euclid: whole turns of coupled hinges change a coupling by multiples of it.
fn common_measure(a: f64, b: f64) -> f64 {
    let (mut long, mut short) = (a.max(b), a.min(b));
    let rest = 1e-6 * long;
    while short > rest {
        let left = long % short;
        // a remainder of nearly the whole is round-off below it
        (long, short) = (short, left.min(short - left));
    }
    long
}
