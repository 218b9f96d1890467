//! What a signal can be besides a harmonic.
//!
//!   jet(t) = (w, ẇ, ẅ),    (a b)˙ = ȧ b + a ḃ,    (a b)¨ = ä b + 2 ȧ ḃ + a b̈

use super::{Dial, Profile, Signal, Table, past};
use crate::formula::Formula;
use std::sync::Arc;

/// A function of time.
#[derive(Clone, Debug, PartialEq)]
pub enum Waveform {
    /// Measured or drawn, point by point.
    Table(Table),
    /// A step, ramp, pulse or smooth step.
    Profile(Profile),
    /// A formula in t.
    Formula(Formula),
    /// The product of signals.
    Product(Vec<Signal>),
    /// A signal that a program can take over.
    Dial(Dial),
    /// The first or second derivative of another.
    Derivative {
        /// w.
        of: Arc<Waveform>,
        /// 1 or 2.
        order: usize,
    },
}

impl Waveform {
    /// w(t).
    #[inline]
    pub fn at(&self, t: f64) -> f64 {
        match self {
            Self::Formula(formula) => formula.at(&[moment(formula, t)]),
            Self::Product(factors) => factors.iter().map(|s| s.at(t)).product(),
            Self::Dial(dial) => dial.at(t),
            Self::Table(_) | Self::Profile(_) | Self::Derivative { .. } => self.jet(t)[0],
        }
    }

    /// w, ẇ and ẅ at t, derivatives from the right at a corner.
    ///
    /// Third and fourth derivatives are not known: the rates of a derivative beyond ẅ are NaN, so that whoever asks for them
    /// is told.
    pub fn jet(&self, t: f64) -> [f64; 3] {
        match self {
            Self::Table(table) => table.jet(t),
            Self::Profile(profile) => profile.jet(t),
            Self::Formula(formula) => formula.jet(moment(formula, t)),
            Self::Product(factors) => {
                let mut product = [1.0, 0.0, 0.0];
                for s in factors {
                    let ([a, da, dda], [b, db, ddb]) = (product, [s.at(t), s.rate(t), s.acceleration(t)]);
                    product = [a * b, da * b + a * db, dda * b + 2.0 * da * db + a * ddb];
                }
                product
            }
            Self::Dial(dial) => dial.jet(t),
            Self::Derivative { of, order } => {
                let jet = of.jet(t);
                std::array::from_fn(|k| jet.get(k + order).copied().unwrap_or(f64::NAN))
            }
        }
    }

    /// The first time after t at which w or a derivative jumps; of a formula those that are lines or waves of t.
    pub fn next_corner(&self, t: f64) -> f64 {
        match self {
            Self::Table(table) => table.next_corner(t),
            Self::Profile(profile) => profile.next_corner(t),
            Self::Formula(formula) => formula.next_corner(0, t),
            Self::Product(factors) => factors.iter().map(|s| s.next_corner(t)).fold(f64::INFINITY, f64::min),
            Self::Dial(dial) => dial.next_corner(t),
            Self::Derivative { of, .. } => of.next_corner(t),
        }
    }

    /// Whether it does not change in time: only a hand that is off and lies on a constant does not.
    pub fn is_constant(&self) -> bool {
        matches!(self, Self::Dial(dial) if dial.is_constant())
    }

    /// Whether a hand may change it while a model exists.
    pub fn is_live(&self) -> bool {
        match self {
            Self::Dial(_) => true,
            Self::Product(factors) => factors.iter().any(Signal::is_live),
            Self::Derivative { of, .. } => of.is_live(),
            Self::Table(_) | Self::Profile(_) | Self::Formula(_) => false,
        }
    }

    /// Whether the value itself jumps somewhere.
    pub fn jumps(&self) -> bool {
        match self {
            Self::Table(table) => table.jumps(),
            Self::Profile(profile) => profile.jumps(),
            Self::Formula(formula) => formula.jump_in_time(0, &[0.0]).is_some(),
            Self::Product(factors) => factors.iter().any(Signal::jumps),
            Self::Dial(dial) => dial.written().jumps(),
            // a corner of the value is a jump of its rate
            Self::Derivative { of, .. } => of.next_corner(f64::NEG_INFINITY) < f64::INFINITY,
        }
    }

    /// Whether every number in it is finite.
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Table(table) => table.is_finite(),
            Self::Profile(profile) => profile.is_finite(),
            Self::Formula(_) => true,
            Self::Product(factors) => factors.iter().all(Signal::is_finite),
            Self::Dial(dial) => dial.written().is_finite(),
            Self::Derivative { of, .. } => of.is_finite(),
        }
    }
}

/// t as a formula sees it: where it has corners, round-off before one counts as past it, and so does the corner itself.
fn moment(formula: &Formula, t: f64) -> f64 {
    if formula.switches() { past(t) } else { t }
}
