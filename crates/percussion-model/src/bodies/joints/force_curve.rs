//! Forces over a coordinate and its rate that tables give: bumpers, ropes, springs that stiffen, dampers that do not grow with the rate.
//!
//!   f = f_c(c) − d ė + f_v(ċ),    e grows with c where f_c is not zero over a stretch,    V = −∫ f_c dc
//!   over a step  λ = h (f̄_c + f_v(Δc/h)) − d Δe,    f̄_c = −ΔV/Δc
//!
//! Tables are straight lines between points and beyond the ends, so ΔV is exact and the elastic part does exactly what V loses. Where a
//! stretch of f_c is zero the force acts from one side: its damper never makes it pull where it pushes.

use crate::{Code, InputError};

/// A force over a coordinate and its rate.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceCurve {
    /// f_c: (c, f) by rising c; none for zero.
    forces: Vec<[f64; 2]>,
    /// f_v: (ċ, f) by rising ċ; none for zero.
    rates: Vec<[f64; 2]>,
    /// d.
    damping: f64,
    /// Where V = 0.
    origin: f64,
    /// Whether a stretch of f_c is zero.
    one_sided: bool,
}

/// What a curve does over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveStep {
    /// λ.
    pub impulse: f64,
    /// −∂λ/∂c₁.
    pub slope: f64,
    /// h f̄_c.
    pub elastic: f64,
}

/// From which side a spring acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acts {
    /// Both.
    #[default]
    Both,
    /// Above its rest alone: a rope.
    Above,
    /// Below its rest alone: a bumper.
    Below,
}

impl ForceCurve {
    /// From tables over the coordinate and over its rate.
    pub fn new(forces: Vec<[f64; 2]>, rates: Vec<[f64; 2]>, damping: f64) -> Result<Self, InputError> {
        for (field, table) in [("force_table", &forces), ("rate_table", &rates)] {
            let refuse = |message: &str, help: &str| Err(InputError::new(Code::BAD_PARAMETER, field, message, help));
            if table.len() == 1 {
                return refuse("one point is no line", "give two points or more");
            }
            if table.iter().flatten().any(|x| !x.is_finite()) {
                return refuse("a number is NaN or infinite", "give finite numbers");
            }
            if table.windows(2).any(|w| w[0][0] >= w[1][0]) {
                return refuse("the first numbers do not rise from point to point", "sort the points, each once");
            }
        }
        let least = forces.iter().copied().min_by(|a, b| a[1].abs().total_cmp(&b[1].abs()));
        let one_sided = forces.windows(2).any(is_dead);
        Ok(Self { origin: least.map_or(0.0, |p| p[0]), forces, rates, damping, one_sided })
    }

    /// −k (c − rest) − d ċ on one side of its rest.
    pub fn one_sided(stiffness: f64, damping: f64, rest: f64, acts: Acts) -> Result<Self, InputError> {
        let points = match acts {
            Acts::Both => vec![[rest, 0.0], [rest + 1.0, -stiffness]],
            Acts::Above => vec![[rest - 1.0, 0.0], [rest, 0.0], [rest + 1.0, -stiffness]],
            Acts::Below => vec![[rest - 1.0, stiffness], [rest, 0.0], [rest + 1.0, 0.0]],
        };
        Self::new(points, Vec::new(), damping)
    }

    /// Whether it jumps: a damper sets in where the force does.
    pub fn jumps(&self) -> bool {
        self.one_sided && self.damping > 0.0
    }

    /// V(c).
    pub fn potential(&self, c: f64) -> f64 {
        -(c - self.origin) * mean(&self.forces, self.origin, c)
    }

    /// f at an instant, with the part that is no potential.
    pub fn force(&self, c: f64, rate: f64) -> (f64, f64) {
        let elastic = value(&self.forces, c);
        let damper = if self.is_dead_at(c) { 0.0 } else { -self.damping * rate };
        let damper = if self.pulls(elastic, damper) { -elastic } else { damper };
        let lossy = damper + value(&self.rates, rate);
        (elastic + lossy, lossy)
    }

    /// −∂f/∂c and −∂f/∂ċ at an instant.
    pub fn stiffness(&self, c: f64, rate: f64) -> [f64; 2] {
        let damper = if self.is_dead_at(c) { 0.0 } else { self.damping };
        [-slope(&self.forces, c), damper - slope(&self.rates, rate)]
    }

    /// λ over a step between two values of the coordinate.
    pub fn over_step(&self, [c0, c1]: [f64; 2], h: f64) -> CurveStep {
        if h == 0.0 {
            return CurveStep { impulse: 0.0, slope: 0.0, elastic: 0.0 };
        }
        let (change, f) = (c1 - c0, mean(&self.forces, c0, c1));
        let rate = change / h;
        let damper = -self.damping * self.acting(c0, c1);
        let bend = if segment(&self.forces, c0) == segment(&self.forces, c1) || change == 0.0 {
            0.5 * slope(&self.forces, 0.5 * (c0 + c1))
        } else {
            (value(&self.forces, c1) - f) / change
        };
        let lost = h * value(&self.rates, rate);
        let loss = -slope(&self.rates, rate);
        if self.pulls(h * f, damper) {
            return CurveStep { impulse: lost, slope: loss, elastic: h * f };
        }
        let own = if self.is_dead_at(c1) { 0.0 } else { self.damping };
        CurveStep { impulse: h * f + damper + lost, slope: own + loss - h * bend, elastic: h * f }
    }

    /// Whether a damper would turn a force round that acts from one side.
    fn pulls(&self, elastic: f64, damper: f64) -> bool {
        self.one_sided && elastic != 0.0 && (elastic + damper) * elastic < 0.0
    }

    fn is_dead_at(&self, c: f64) -> bool {
        let k = segment(&self.forces, c);
        self.forces.get(k..k + 2).is_some_and(is_dead)
    }

    /// The part of the way from c₀ to c₁ on which f_c acts.
    fn acting(&self, c0: f64, c1: f64) -> f64 {
        if !self.one_sided {
            return c1 - c0;
        }
        let (low, high) = (c0.min(c1), c0.max(c1));
        let mut dead = 0.0;
        for (k, ends) in self.forces.windows(2).enumerate().filter(|(_, ends)| is_dead(ends)) {
            let first = if k == 0 { f64::NEG_INFINITY } else { ends[0][0] };
            let last = if k + 2 == self.forces.len() { f64::INFINITY } else { ends[1][0] };
            dead += (high.min(last) - low.max(first)).max(0.0);
        }
        (high - low - dead) * (c1 - c0).signum()
    }
}

fn is_dead(ends: &[[f64; 2]]) -> bool {
    ends[0][1] == 0.0 && ends[1][1] == 0.0
}

/// The first point of the line that c lies on.
fn segment(points: &[[f64; 2]], c: f64) -> usize {
    let after = points.partition_point(|p| p[0] <= c);
    after.saturating_sub(1).min(points.len().saturating_sub(2))
}

fn slope(points: &[[f64; 2]], c: f64) -> f64 {
    let k = segment(points, c);
    match points.get(k..k + 2) {
        Some([a, b]) => (b[1] - a[1]) / (b[0] - a[0]),
        _ => 0.0,
    }
}

fn value(points: &[[f64; 2]], c: f64) -> f64 {
    points.get(segment(points, c)).map_or(0.0, |p| p[1] + slope(points, c) * (c - p[0]))
}

/// The mean of a table between two places, whichever is the greater: exact, and the value where they are one.
fn mean(points: &[[f64; 2]], c0: f64, c1: f64) -> f64 {
    let (low, high) = (c0.min(c1), c0.max(c1));
    let (first, last) = (segment(points, low), segment(points, high));
    if first == last {
        return value(points, 0.5 * (low + high));
    }
    let (mut sum, mut from) = (0.0, low);
    for k in first..=last {
        let to = if k == last { high } else { points[k + 1][0] };
        let middle = points[k][1] + slope(points, points[k][0]) * (0.5 * (from + to) - points[k][0]);
        sum += (to - from) * middle;
        from = to;
    }
    sum / (high - low)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Over random tables and ways: λ Δc/h with f̄_c alone is what V loses, to round-off; with a damper of either kind no energy comes out.
    #[test]
    fn a_curve_gives_what_its_potential_loses() {
        let mut seed = 5_u64;
        let mut draw = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for round in 0..2000 {
            let mut at = -1.0;
            let mut table = Vec::new();
            for k in 0..5 {
                at += 0.05 + 0.5 + draw();
                table.push([at, if round % 2 == 0 && (k == 1 || k == 2) { 0.0 } else { 10.0 * draw() }]);
            }
            let rates = vec![[-1.0, 2.0], [-0.2, 1.5], [0.2, -1.5], [1.0, -2.0]];
            let (c0, c1, h) = (3.0 * draw() + 0.5, 3.0 * draw() + 0.5, 0.01);
            let plain = ForceCurve::new(table.clone(), Vec::new(), 0.0).unwrap();
            let lost = plain.potential(c0) - plain.potential(c1);
            let done = plain.over_step([c0, c1], h).impulse * (c1 - c0) / h;
            assert!((lost - done).abs() < 1e-13 * (1.0 + lost.abs() + 40.0), "{lost} {done}");
            for curve in [ForceCurve::new(table.clone(), rates, 0.0), ForceCurve::new(table, Vec::new(), 3.0)] {
                let step = curve.unwrap().over_step([c0, c1], h);
                assert!((step.impulse - step.elastic) * (c1 - c0) <= 1e-12, "{step:?}");
            }
        }
    }

    /// The slope is the derivative of the impulse, by differences.
    #[test]
    fn a_slope_is_a_derivative() {
        let curve = ForceCurve::new(
            vec![[-1.0, 5.0], [-0.2, 0.0], [0.3, 0.0], [1.0, -8.0]],
            vec![[-1.0, 2.0], [1.0, -2.0]],
            0.3,
        )
        .unwrap();
        for (c0, c1) in [(-0.9, -0.7), (-0.6, 0.5), (0.1, 0.7), (0.6, 0.8), (0.0, 0.1)] {
            let of = |c1: f64| curve.over_step([c0, c1], 0.1).impulse;
            let (e, step) = (1e-6, curve.over_step([c0, c1], 0.1));
            let difference = (of(c1 - e) - of(c1 + e)) / (2.0 * e);
            assert!((step.slope - difference).abs() < 1e-7, "{c0} {c1}: {} {difference}", step.slope);
        }
    }
}
