//! Where a formula has a corner as one of its variables, the time, goes on.
//!
//!   abs(x), sign(x), step(x), if(x, …) change over where x = 0 does, min(x, y) and max(x, y) where x = y
//!
//!   x = a + b t:   t = −a/b;        x = c + A sin(φ + ω t):   sin(φ + ω t) = −c/A
//!
//! Conditions that are neither lines nor waves of the time, or depend on something else, are left to whoever follows the motion.

use super::{Formula, Function, Operation, STACK, combine};
use crate::signal::past;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A value as a function of the time.
#[derive(Clone, Copy, Debug)]
enum Course {
    /// a + b t.
    Line(f64, f64),
    /// c + A sin(φ + ω t).
    Wave { mean: f64, amplitude: f64, phase: f64, omega: f64 },
    /// Anything else.
    Other,
}

impl Course {
    fn constant(self) -> Option<f64> {
        match self {
            Self::Line(a, 0.0) => Some(a),
            Self::Line(..) | Self::Wave { .. } | Self::Other => None,
        }
    }

    /// c x.
    fn times(self, c: f64) -> Self {
        match self {
            Self::Line(a, b) => Self::Line(c * a, c * b),
            Self::Wave { mean, amplitude, phase, omega } => {
                Self::Wave { mean: c * mean, amplitude: c * amplitude, phase, omega }
            }
            Self::Other => Self::Other,
        }
    }

    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Line(a, b), Self::Line(c, d)) => Self::Line(a + c, b + d),
            (Self::Wave { mean, amplitude, phase, omega }, Self::Line(c, 0.0))
            | (Self::Line(c, 0.0), Self::Wave { mean, amplitude, phase, omega }) => {
                Self::Wave { mean: mean + c, amplitude, phase, omega }
            }
            (Self::Line(..) | Self::Wave { .. } | Self::Other, Self::Line(..) | Self::Wave { .. } | Self::Other) => {
                Self::Other
            }
        }
    }

    /// The first zero after t.
    fn next_zero(self, t: f64) -> f64 {
        let now = past(t);
        match self {
            Self::Line(a, b) if b != 0.0 && -a / b > now => -a / b,
            Self::Wave { mean, amplitude, phase, omega } if mean.abs() <= amplitude.abs() && omega != 0.0 => {
                if t == f64::NEG_INFINITY {
                    return t;
                }
                let angle: f64 = Function::Asin.value(&[(-mean / amplitude).clamp(-1.0, 1.0)]);
                let [a, b] = [angle, PI - angle].map(|x| next_turn((x - phase) / omega, TAU / omega.abs(), now));
                a.min(b)
            }
            Self::Line(..) | Self::Wave { .. } | Self::Other => f64::INFINITY,
        }
    }
}

/// Periods that are shorter are not stopped at twice a period [s].
const SHORTEST: f64 = 1e-6;

/// The first of first + k period after t.
fn next_turn(first: f64, period: f64, t: f64) -> f64 {
    if period < SHORTEST {
        return f64::INFINITY;
    }
    let turn = ((t - first) / period).floor();
    // round-off may name the turn before
    let later = (0..3).map(|k| first + (turn + f64::from(k)) * period).find(|&zero| zero > t);
    later.unwrap_or(f64::INFINITY)
}

impl Function {
    /// Whether it has branches.
    pub(super) fn changes_over(self) -> bool {
        self.switch(&[Course::Other; 3]).is_some()
    }

    /// What changes over where it is zero.
    fn switch(self, x: &[Course]) -> Option<Course> {
        match self {
            Self::Abs | Self::Sign | Self::Step | Self::If => Some(x[0]),
            Self::Min | Self::Max => Some(x[0].plus(x[1].times(-1.0))),
            Self::Sin
            | Self::Cos
            | Self::Tan
            | Self::Asin
            | Self::Acos
            | Self::Atan
            | Self::Atan2
            | Self::Sinh
            | Self::Cosh
            | Self::Tanh
            | Self::Exp
            | Self::Log
            | Self::Sqrt => None,
        }
    }

    /// Its value as a function of the time.
    fn course(self, x: &[Course]) -> Course {
        let mut numbers = [0.0; 3];
        let known = x.iter().zip(&mut numbers).all(|(x, number)| x.constant().map(|c| *number = c).is_some());
        if known {
            return Course::Line(self.value(&numbers[..x.len()]), 0.0);
        }
        let turn = match self {
            Self::Sin => 0.0,
            Self::Cos => FRAC_PI_2,
            Self::Tan
            | Self::Asin
            | Self::Acos
            | Self::Atan
            | Self::Atan2
            | Self::Sinh
            | Self::Cosh
            | Self::Tanh
            | Self::Exp
            | Self::Log
            | Self::Sqrt
            | Self::Abs
            | Self::Sign
            | Self::Step
            | Self::Min
            | Self::Max
            | Self::If => return Course::Other,
        };
        match x[0] {
            Course::Line(phase, omega) => Course::Wave { mean: 0.0, amplitude: 1.0, phase: phase + turn, omega },
            Course::Wave { .. } | Course::Other => Course::Other,
        }
    }
}

impl Formula {
    /// Whether a function in it changes over from one branch to another.
    pub fn switches(&self) -> bool {
        self.switching
    }

    /// The first time after t, round-off apart, at which the value or a derivative may jump while variable k, the time, runs on; ∞ where none is known.
    pub fn next_corner(&self, k: usize, t: f64) -> f64 {
        let mut next = f64::INFINITY;
        if !self.switching {
            return next;
        }
        let mut stack = [Course::Other; STACK];
        let mut n = 0;
        for operation in &self.operations {
            match *operation {
                Operation::Number(x) => {
                    stack[n] = Course::Line(x, 0.0);
                    n += 1;
                }
                Operation::Variable(own) => {
                    stack[n] = if own == k { Course::Line(0.0, 1.0) } else { Course::Other };
                    n += 1;
                }
                Operation::Negate => stack[n - 1] = stack[n - 1].times(-1.0),
                Operation::Integer(power) => {
                    stack[n - 1] = match (stack[n - 1].constant(), power) {
                        (Some(x), _) => Course::Line(x.powi(power), 0.0),
                        (None, 1) => stack[n - 1],
                        (None, _) => Course::Other,
                    };
                }
                Operation::Add | Operation::Subtract | Operation::Multiply | Operation::Divide => {
                    n -= 1;
                    stack[n - 1] = joined(*operation, stack[n - 1], stack[n]);
                }
                Operation::Constant | Operation::Power => {
                    n -= 1;
                    stack[n - 1] = match (stack[n - 1].constant(), stack[n].constant()) {
                        (Some(a), Some(b)) => Course::Line(combine(*operation, a, b), 0.0),
                        (_, _) => Course::Other,
                    };
                }
                Operation::Call(function) => {
                    n -= function.arguments();
                    let given = &stack[n..n + function.arguments()];
                    next = function.switch(given).map_or(next, |x| next.min(x.next_zero(t)));
                    stack[n] = function.course(given);
                    n += 1;
                }
            }
        }
        next
    }
}

fn joined(operation: Operation, a: Course, b: Course) -> Course {
    match (operation, a.constant(), b.constant()) {
        (Operation::Add, _, _) => a.plus(b),
        (Operation::Subtract, _, _) => a.plus(b.times(-1.0)),
        (Operation::Multiply, Some(c), _) => b.times(c),
        (Operation::Multiply, None, Some(c)) => a.times(c),
        (Operation::Divide, _, Some(c)) => a.times(1.0 / c),
        (_, _, _) => Course::Other,
    }
}
