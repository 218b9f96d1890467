//! Where a formula jumps as one of its variables, the time or a coordinate, goes on.
//!
//!   step(x), sign(x), if(x, …) change over where x does; the formula jumps there unless both sides agree, as in t*step(t)
//!
//! Times are looked through from microseconds to weeks, each longer than the one before by a part of it, ways of a coordinate likewise to both sides, and where
//! a condition changes over the place is found by bisection.

use super::{Formula, Function, Operation};
use crate::Number;

/// The first and the last time or way looked at [s, m], and the ratio of two.
const WAYS: [f64; 3] = [1e-6, 1e6, 1.002];
/// Ways that are none.
const TINY: f64 = 1e-30;
/// Changes of conditions that are looked at.
const MOST: usize = 64;
/// Part of its values around there by which a formula may differ from one side to the other.
const SAME: f64 = 1e-9;

impl Function {
    /// On which side of its jump an argument lies; none for functions that do not jump.
    fn side<D: Number>(self, x: &[D]) -> Option<bool> {
        match self {
            Self::Step => Some(x[0].re() < 0.0),
            Self::Sign | Self::If => Some(x[0].re() > 0.0),
            // over the half line y = 0, x < 0 the angle jumps by 2π
            Self::Atan2 => Some(x[0].re() < 0.0 && x[1].re() < 0.0),
            Self::Sin
            | Self::Cos
            | Self::Tan
            | Self::Asin
            | Self::Acos
            | Self::Atan
            | Self::Sinh
            | Self::Cosh
            | Self::Tanh
            | Self::Exp
            | Self::Log
            | Self::Sqrt
            | Self::Abs
            | Self::Min
            | Self::Max => None,
        }
    }
}

impl Formula {
    /// A time at which the value jumps while variable k, the time, runs on from zero and the others stay; none where it does not.
    pub fn jump_in_time(&self, k: usize, variables: &[f64]) -> Option<f64> {
        let mut variables = variables.to_vec();
        variables[k] = 0.0;
        self.jump_along(k, &variables, 1.0, Function::side)
    }

    /// A value of variable k, a coordinate, at which the value of the formula jumps on the line through a place; none where it does not. Where an angle starts again
    /// is no jump: motions that stay on one side of it are many.
    pub fn jump_in_place(&self, k: usize, variables: &[f64]) -> Option<f64> {
        let side = |function: Function, x: &[f64]| if function == Function::Atan2 { None } else { function.side(x) };
        [1.0, -1.0].into_iter().find_map(|sign| self.jump_along(k, variables, sign, side))
    }

    /// The first jump on the way of variable k from where it is to one side.
    fn jump_along(
        &self,
        k: usize,
        variables: &[f64],
        sign: f64,
        side: impl Fn(Function, &[f64]) -> Option<bool>,
    ) -> Option<f64> {
        let can = |operation: &Operation| matches!(operation, Operation::Call(f) if side(*f, &[0.0; 3]).is_some());
        if !self.uses(k) || !self.operations.iter().any(can) {
            return None;
        }
        let mut x = variables.to_vec();
        let mut at = |way: f64| {
            x[k] = variables[k] + sign * way;
            let mut sides = Vec::new();
            let value = self.evaluated(&x, |function, given| sides.extend(side(function, given)));
            (value, sides)
        };
        let [first, last, ratio] = WAYS;
        let (mut way, mut looked) = (0.0, 0);
        let mut here = at(way);
        while way < last && looked < MOST {
            let next = first.max(ratio * way);
            let there = at(next);
            if there.1 != here.1 {
                looked += 1;
                let size = here.0.abs().max(there.0.abs());
                let (mut a, mut b, mut before, mut after) = (way, next, here, there.clone());
                while b - a > 4.0 * f64::EPSILON * b && b > TINY {
                    let middle = 0.5 * (a + b);
                    let found = at(middle);
                    if found.1 == before.1 { (a, before) = (middle, found) } else { (b, after) = (middle, found) }
                }
                if (before.0 - after.0).abs() > SAME * size {
                    return Some(variables[k] + sign * b);
                }
            }
            (way, here) = (next, there);
        }
        None
    }
}
