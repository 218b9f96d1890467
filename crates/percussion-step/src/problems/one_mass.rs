//! One mass with a spring, a damper, a load and an obstacle: the ball, the oscillator, free flight.
//!
//!   m q̈ + c q̇ + k q = f,    g = q − floor ≥ 0,    v⁺ = −e v⁻

use super::Known;
use super::linear::{contact, linear, masses};
use crate::Problem;
use crate::measure::{Bounce, Exact, Free, ImpactOscillator, TwoMassDrop};
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::{InputError, LinearParts};

/// What pulls, holds and stops one mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneMass {
    /// m [kg]. Default 1.
    pub mass: f64,
    /// c [N·s/m]. Default 0: no damper.
    pub damping: f64,
    /// k [N/m]. Default 0: no spring.
    pub stiffness: f64,
    /// f [N]. Default 0.
    pub force: f64,
    /// q at contact [m], from above. Default none: nothing in the way.
    pub floor: Option<f64>,
    /// e ∈ [0, 1] of the floor. Default 0.
    pub restitution: f64,
    /// q at the start [m]. Default 0.
    pub q0: f64,
    /// v at the start [m/s]. Default 0.
    pub v0: f64,
}

impl Default for OneMass {
    fn default() -> Self {
        Self { mass: 1.0, damping: 0.0, stiffness: 0.0, force: 0.0, floor: None, restitution: 0.0, q0: 0.0, v0: 0.0 }
    }
}

impl OneMass {
    /// The ball of Brüls, Acary and Cardona (2014): weight 10 N, radius 0.2 m, e = 0.8, centre at 1.001 m.
    pub fn ball() -> Self {
        Self { force: -10.0, floor: Some(0.2), restitution: 0.8, q0: 1.001, ..Self::default() }
    }

    /// As a problem.
    pub fn problem(&self) -> Result<Problem, InputError> {
        let entry = |x: f64| (x != 0.0).then(|| square(&[&[x]]));
        let parts = LinearParts {
            damping: entry(self.damping),
            stiffness: entry(self.stiffness),
            contacts: self.floor.iter().map(|floor| contact(&[1.0], -floor, self.restitution)).collect(),
            ..masses(&[self.mass], &[self.force])
        };
        linear(parts, &[self.q0], &[self.v0])
    }
}

/// A small dense matrix from its rows.
fn square(rows: &[&[f64]]) -> Matrix {
    let mut A = DenseMatrix::zeros(rows.len(), rows.len());
    for (i, row) in rows.iter().enumerate() {
        row.iter().enumerate().for_each(|(j, x)| A.set(i, j, *x));
    }
    Matrix::Dense(A)
}

impl Known for Bounce {
    fn problem(&self) -> Result<Problem, InputError> {
        let Self { g, e, gap, floor } = *self;
        let ball = OneMass { force: -g, floor: Some(floor), restitution: e, q0: floor + gap, ..OneMass::default() };
        ball.problem()
    }
}

impl Known for ImpactOscillator {
    fn problem(&self) -> Result<Problem, InputError> {
        let (stiffness, floor) = (self.omega * self.omega, Some(0.0));
        OneMass { stiffness, floor, restitution: self.e, q0: self.q0, ..OneMass::default() }.problem()
    }
}

impl Known for Free {
    fn problem(&self) -> Result<Problem, InputError> {
        let Self { omega, acceleration, q0, v0 } = *self;
        OneMass { stiffness: omega * omega, force: acceleration, q0, v0, ..OneMass::default() }.problem()
    }
}

/// q̈ + 2ζ q̇ + q = 0 released at q = 1, ζ < 1.
///
///   q = e^{−ζt} (cos wt + ζ/w sin wt),   w = √(1 − ζ²)
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DampedOscillator {
    /// ζ, the part of critical damping.
    pub zeta: f64,
}

impl Exact for DampedOscillator {
    fn q(&self, t: f64) -> Vec<f64> {
        let w = (1.0 - self.zeta * self.zeta).sqrt();
        vec![(-self.zeta * t).exp() * ((w * t).cos() + self.zeta / w * (w * t).sin())]
    }

    fn v(&self, t: f64) -> Vec<f64> {
        let w = (1.0 - self.zeta * self.zeta).sqrt();
        vec![-(-self.zeta * t).exp() * (w * t).sin() / w]
    }
}

impl Known for DampedOscillator {
    fn problem(&self) -> Result<Problem, InputError> {
        OneMass { stiffness: 1.0, damping: 2.0 * self.zeta, q0: 1.0, ..OneMass::default() }.problem()
    }
}

impl TwoMassDrop {
    /// Two unit masses on a spring, the lower one over a floor; `TwoMasses::fly` is its motion.
    pub fn problem(&self) -> Result<Problem, InputError> {
        let Self { stiffness: k, g, e, gap, floor } = *self;
        let parts = LinearParts {
            stiffness: Some(square(&[&[k, -k], &[-k, k]])),
            contacts: vec![contact(&[1.0, 0.0], -floor, e)],
            ..masses(&[1.0; 2], &[-g; 2])
        };
        linear(parts, &[floor + gap; 2], &[0.0; 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::TwoMasses;

    /// Each exact motion solves its own problem: same start, and m q̈ = f − k q − c q̇ by differences of v between impacts.
    #[test]
    fn exact_motions_solve_their_equations() {
        let bounce = Bounce { g: 2.0, e: 0.5, gap: 1.0, floor: 0.3 };
        let wall = ImpactOscillator { omega: 1.5, e: 0.5, q0: 0.8 };
        let free = Free { omega: 2.0, acceleration: 3.0, q0: 0.1, v0: -0.4 };
        let damped = DampedOscillator { zeta: 0.1 };
        // after which the acceleration is a − ω² q − 2ζ q̇
        let cases: [(&dyn Known, [f64; 3]); 4] = [
            (&bounce, [-2.0, 0.0, 0.0]),
            (&wall, [0.0, 1.5 * 1.5, 0.0]),
            (&free, [3.0, 4.0, 0.0]),
            (&damped, [0.0, 1.0, 0.2]),
        ];
        for (known, [a, k, c]) in cases {
            let problem = known.problem().expect("a problem");
            // cos(π/2) of the oscillator is round-off
            let off = (known.q(0.0)[0] - problem.q0[0]).abs().max((known.v(0.0)[0] - problem.v0[0]).abs());
            assert!(off < 1e-15, "the start is off by {off:e}");
            // before the first impact, and after it
            for t in [0.4, 1.3] {
                let d = 1e-6;
                let acceleration = (known.v(t + d)[0] - known.v(t - d)[0]) / (2.0 * d);
                let rate = (known.q(t + d)[0] - known.q(t - d)[0]) / (2.0 * d);
                let expected = a - k * known.q(t)[0] - c * known.v(t)[0];
                assert!((acceleration - expected).abs() < 1e-8 && (rate - known.v(t)[0]).abs() < 1e-8, "t = {t}");
            }
        }
        let drop = TwoMassDrop { stiffness: 1e3, g: 10.0, e: 0.8, gap: 1.0, floor: 0.0 };
        let problem = drop.problem().expect("a problem");
        assert_eq!(TwoMasses::fly(&drop, 1.0).q(0.0), problem.q0);
    }
}
