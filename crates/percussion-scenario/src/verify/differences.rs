//! The largest difference of each check, measured by the largest value of its kind.

use crate::run::folder::Row;
use crate::verify::{Check, Finding, TOLERANCE};
use percussion_step::Model;

/// The units in which differences are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// [J]
    Energy,
    /// [m]
    Length,
    /// [m/s]
    Velocity,
    /// [N·s]
    Impulse,
    /// Any difference counts.
    Exact,
}

/// The largest difference of one check so far.
pub struct LargestDifference {
    name: &'static str,
    rule: &'static str,
    scale: Scale,
    /// Part of the scale from which a difference counts.
    tolerance: f64,
    worst: f64,
    place: String,
    /// Why the check cannot be made.
    pub unsupported: Option<String>,
}

impl LargestDifference {
    /// A check under its name.
    pub fn new(name: &'static str, rule: &'static str, scale: Scale) -> Self {
        Self { name, rule, scale, tolerance: TOLERANCE, worst: 0.0, place: String::new(), unsupported: None }
    }

    /// The same check, no sharper than this part of the scale.
    pub fn within(mut self, part: f64) -> Self {
        self.tolerance = self.tolerance.max(part);
        self
    }

    /// The same check, not made for the reason given.
    pub fn unless(mut self, reason: &Option<String>) -> Self {
        self.unsupported.clone_from(reason);
        self
    }

    /// Takes in a difference between stored and recomputed.
    pub fn compare(&mut self, difference: f64, row: &Row, contact: Option<usize>) {
        let difference = if difference.is_nan() { f64::INFINITY } else { difference.abs() };
        if difference > self.worst {
            self.worst = difference;
            let contact = contact.map_or(String::new(), |k| format!(", contact {k}"));
            self.place = format!("step {}, t = {}{contact}", row.step, row.state.t);
        }
    }

    /// What was found.
    pub fn finish(self, scales: &Scales) -> Check {
        let Self { name, rule, scale, tolerance, worst, place, unsupported } = self;
        let finding = match unsupported {
            Some(reason) => Finding::Unsupported(reason),
            None => {
                let relative = if worst == 0.0 { 0.0 } else { worst / scales.of(scale) };
                if relative > tolerance {
                    Finding::Differs { worst: relative, place }
                } else {
                    Finding::Agrees(relative)
                }
            }
        };
        Check { name, rule, finding }
    }
}

/// The largest values seen.
#[derive(Default)]
pub struct Scales {
    energy: f64,
    length: f64,
    velocity: f64,
    impulse: f64,
}

impl Scales {
    /// The largest value of a kind.
    pub fn of(&self, scale: Scale) -> f64 {
        let largest = match scale {
            Scale::Energy => self.energy,
            Scale::Length => self.length,
            Scale::Velocity => self.velocity,
            Scale::Impulse => self.impulse,
            Scale::Exact => TOLERANCE,
        };
        largest.max(f64::MIN_POSITIVE)
    }

    /// Takes in the sizes of a row.
    pub fn see(&mut self, row: &Row, model: &Model) {
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let e = &row.ledger;
        for x in [e.kinetic, e.potential, e.work_external, e.work_contact] {
            self.energy = self.energy.max(x.abs());
        }
        self.length = self.length.max(largest(&row.state.q));
        self.velocity = self.velocity.max(largest(&row.state.v));
        for c in &row.contacts {
            self.length = self.length.max(c.gap.abs());
            self.velocity = self.velocity.max(c.u_after.abs());
            self.impulse = self.impulse.max(c.p.abs());
            // at rest velocities and energies are round-off of what the impulses hold back
            if c.p != 0.0 {
                let change = c.p.abs() * model.mobility(c.id, &row.state.q);
                self.velocity = self.velocity.max(change);
                self.energy = self.energy.max(c.p.abs() * change);
            }
        }
    }
}
