//! A cable element: elastic where longer than its length, slack where shorter, exact over a step.
//!
//!   V = (EA/2L) e⁺²,   e = |D| − L:    f = N D̄/ℓ̄,   N = (EA/2L)(e₁⁺² − e₀⁺²)/(e₁ − e₀),   ℓ̄ = (|D₀| + |D₁|)/2
//!
//! Δ|D| = D̄·ΔD/ℓ̄, so f·ΔD = ΔV to round-off, through the slack too. The part of the tangent across the cable, N/|D|, is kept.

use super::action::{Action, BodyTangent, Stiffness, body_tangent, carried_stiffness};
use crate::bodies::Frame;
use crate::bodies::math::{Mat3, Vec3, add, mul, norm, scale, sub};
use crate::bodies::measure::{BodyRow, Passage};

/// A cable between points of two bodies, or between two bodies that are points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cable {
    /// L, length without tension [m].
    pub length: f64,
    /// EA [N].
    pub axial: f64,
    /// Where it is held, in the frames of a and b [m].
    pub points: [Vec3; 2],
    /// Whether its tension is that of the end of a step, which loses energy and finds rest.
    pub at_end: bool,
}

/// A cable over a step.
#[derive(Clone, Copy, Debug)]
pub struct CableStep {
    /// e at both ends [m].
    pub stretch: [f64; 2],
    /// N ≥ 0 [N].
    pub tension: f64,
    /// f, on b; a has its negative [N].
    pub force: Vec3,
    /// ∂N/∂e₁ [N/m].
    pub slope: f64,
    /// D̄ and ℓ̄, D₁/|D₁|.
    way: Vec3,
    size: f64,
    end: Vec3,
}

impl Cable {
    /// V [J].
    pub fn energy(&self, a: &Frame, b: &Frame) -> f64 {
        let e = self.elongation(a, b).max(0.0);
        0.5 * self.axial / self.length * e * e
    }

    /// e = |D| − L, negative where it is slack [m].
    pub fn elongation(&self, a: &Frame, b: &Frame) -> f64 {
        let at = |f: &Frame, k: usize| add(&f.x, &mul(&f.R, &self.points[k]));
        norm(&sub(&at(b, 1), &at(a, 0))) - self.length
    }

    /// Tension [N] and stretch e/L, zero where it is slack.
    pub fn tension(&self, a: &Frame, b: &Frame) -> (f64, f64) {
        let stretch = self.elongation(a, b).max(0.0) / self.length;
        (self.axial * stretch, stretch)
    }

    /// N between elongations e₀ and e₁ [N].
    pub fn mean_tension(&self, e0: f64, e1: f64) -> f64 {
        self.pull(e0, e1).0
    }

    /// N and ∂N/∂e₁.
    #[inline]
    fn pull(&self, e0: f64, e1: f64) -> (f64, f64) {
        let half = 0.5 * self.axial / self.length;
        match (e0 > 0.0, e1 > 0.0) {
            (_, true) if self.at_end => (2.0 * half * e1, 2.0 * half),
            (_, false) if self.at_end => (0.0, 0.0),
            (true, true) => (half * (e0 + e1), half),
            (false, false) => (0.0, 0.0),
            (false, true) => {
                let change = e1 - e0;
                (half * e1 * e1 / change, half * e1 * (change - e0) / (change * change))
            }
            (true, false) => {
                let part = e0 / (e0 - e1);
                (half * e0 * part, half * part * part)
            }
        }
    }

    /// V₁ − V₀ [J].
    pub fn energy_increment(&self, step: &CableStep) -> f64 {
        step.tension * (step.stretch[1] - step.stretch[0])
    }

    /// Between bodies.
    #[inline]
    pub fn over_step(&self, a: &Passage, b: &Passage) -> CableStep {
        let at = |p: &Passage, side: usize, k: usize| add(&p.ends[k].x, &mul(&p.ends[k].R, &self.points[side]));
        self.between([0, 1].map(|k| sub(&at(b, 1, k), &at(a, 0, k))))
    }

    /// For the way from a to b at both ends of the step: points without frames.
    #[inline]
    pub fn between(&self, ways: [Vec3; 2]) -> CableStep {
        let sizes = ways.map(|D| norm(&D));
        let [e0, e1] = sizes.map(|l| l - self.length);
        let (tension, slope) = self.pull(e0, e1);
        let size = 0.5 * (sizes[0] + sizes[1]);
        let way = scale(0.5, &add(&ways[0], &ways[1]));
        // points that coincide have no line between them
        let n = if size > 0.0 { scale(1.0 / size, &way) } else { [0.0; 3] };
        let end = if sizes[1] > 0.0 { scale(1.0 / sizes[1], &ways[1]) } else { [0.0; 3] };
        CableStep { stretch: [e0, e1], tension, force: scale(tension, &n), slope, way: n, size, end }
    }

    /// ∂f/∂D₁.
    #[inline]
    pub fn point_tangent(&self, step: &CableStep) -> Mat3 {
        let across = if step.size > 0.0 { 0.5 * step.tension / step.size } else { 0.0 };
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let unit = if i == j { across } else { 0.0 };
                (step.slope - across) * step.way[i] * step.end[j] + unit
            })
        })
    }

    /// Whether it is held at the centres of both bodies, which it then does not turn.
    #[inline]
    fn is_central(&self) -> bool {
        self.points == [[0.0; 3]; 2]
    }

    /// What holds it, on (Δx, a) of both bodies.
    #[inline]
    pub fn rows(&self, step: &CableStep, a: &Passage, b: &Passage) -> [BodyRow; 2] {
        if self.is_central() {
            let f = &step.force;
            return [[-f[0], -f[1], -f[2], 0.0, 0.0, 0.0], [f[0], f[1], f[2], 0.0, 0.0, 0.0]];
        }
        self.action(step).carried(a, b, &self.points).on_bodies(a, b)
    }

    /// ∂rows/∂(Δx, a), written where that of this cable was before, or zero.
    #[inline]
    pub fn tangent(&self, step: &CableStep, a: &Passage, b: &Passage, to: &mut BodyTangent) {
        let of_points = self.point_tangent(step);
        if self.is_central() {
            // ±∂f/∂D₁ between places; turns stay without any
            for (i, row) in to.iter_mut().enumerate() {
                for (j, block) in row.iter_mut().enumerate() {
                    let sign = if i == j { 1.0 } else { -1.0 };
                    for (to, from) in block.iter_mut().zip(&of_points) {
                        to[..3].iter_mut().zip(from).for_each(|(x, k)| *x = sign * k);
                    }
                }
            }
            return;
        }
        let mut K: Stiffness = [[[[0.0; 3]; 3]; 3]; 3];
        K[0][0] = of_points;
        let action = self.action(step);
        let K = carried_stiffness(&K, &action, a, b, &self.points);
        *to = body_tangent(&K, &action.carried(a, b, &self.points), a, b);
    }

    #[inline]
    fn action(&self, step: &CableStep) -> Action {
        Action { force: step.force, moments: [[0.0; 3]; 2] }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_tools::Dice;
    use super::*;
    use crate::bodies::math::dot;

    const CABLE: Cable = Cable { length: 0.8, axial: 3.0, points: [[0.0; 3]; 2], at_end: false };

    fn energy(D: &Vec3) -> f64 {
        let e = (norm(D) - CABLE.length).max(0.0);
        0.5 * CABLE.axial / CABLE.length * e * e
    }

    /// Force times way is the change of energy to round-off: taut, slack, becoming taut and becoming slack.
    #[test]
    fn work_is_exact() {
        let mut dice = Dice::new(41);
        let mut met = [0; 4];
        for _ in 0..400 {
            let ways = [dice.vector(), dice.vector()];
            let step = CABLE.between(ways);
            met[usize::from(step.stretch[0] > 0.0) + 2 * usize::from(step.stretch[1] > 0.0)] += 1;
            let work = dot(&step.force, &sub(&ways[1], &ways[0]));
            assert!((work - (energy(&ways[1]) - energy(&ways[0]))).abs() < 2e-15);
            assert!((CABLE.energy_increment(&step) - work).abs() < 2e-15 && step.tension >= 0.0);
        }
        assert!(met.iter().all(|&n| n > 20), "{met:?}");
    }

    /// The tangent against central differences, in all four cases.
    #[test]
    fn tangent_of_points() {
        let mut dice = Dice::new(43);
        let h = 1e-6;
        for _ in 0..100 {
            let ways = [dice.vector(), dice.vector()];
            if CABLE.between(ways).stretch.iter().any(|e| e.abs() < 1e-3) {
                continue;
            }
            let K = CABLE.point_tangent(&CABLE.between(ways));
            for j in 0..3 {
                let by = |s: f64| {
                    let mut end = ways[1];
                    end[j] += s * h;
                    CABLE.between([ways[0], end]).force
                };
                let (plus, minus) = (by(1.0), by(-1.0));
                for i in 0..3 {
                    assert!((0.5 * (plus[i] - minus[i]) / h - K[i][j]).abs() < 2e-7);
                }
            }
        }
    }
}
