//! Two equal masses on a spring, the lower one bouncing on a floor, flown from impact to impact in closed form.
//!
//!   x(t) = x + ẋ t − ½ g t²,   s(t) = s cos ωt + (ṡ/ω) sin ωt,   q0 = x − s/2,   q1 = x + s/2,   ω = √(2k/m)
//!
//! Impacts are found by bisection. Valid as long as they do not accumulate, which the stretch prevents for a while.

use crate::measure::exact::Exact;

/// The flights between impacts.
#[derive(Clone, Debug)]
pub struct TwoMasses {
    g: f64,
    omega: f64,
    floor: f64,
    flights: Vec<Flight>,
}

/// State after an impact, heights over the floor.
#[derive(Clone, Copy, Debug)]
struct Flight {
    start: f64,
    /// x, ẋ.
    centre: (f64, f64),
    /// s, ṡ.
    stretch: (f64, f64),
}

/// What is dropped on what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoMassDrop {
    /// k/m [1/s²].
    pub stiffness: f64,
    /// g [m/s²].
    pub g: f64,
    /// e.
    pub e: f64,
    /// Height of the lower mass over the floor, both masses at rest and the spring unstretched [m].
    pub gap: f64,
    /// q0 at contact [m].
    pub floor: f64,
}

/// Most impacts that are followed.
const MOST_IMPACTS: usize = 100_000;

impl TwoMasses {
    /// The flights until `end`.
    pub fn fly(drop: &TwoMassDrop, end: f64) -> Self {
        let TwoMassDrop { stiffness, g, e, gap, floor } = *drop;
        let omega = (2.0 * stiffness).sqrt();
        let mut masses =
            Self { g, omega, floor, flights: vec![Flight { start: 0.0, centre: (gap, 0.0), stretch: (0.0, 0.0) }] };
        // a look at 1/6000 of a period, so that no flight is missed that lasts longer
        let look = 1e-3 / omega;
        while let Some(flight) = masses.flights.last().copied().filter(|_| masses.flights.len() <= MOST_IMPACTS) {
            let height = |t: f64| masses.lower(&flight, t).0;
            let mut t = look;
            while height(t) > 0.0 && flight.start + t < end {
                t += look;
            }
            if height(t) > 0.0 {
                break;
            }
            let (mut above, mut below) = (t - look, t);
            for _ in 0..60 {
                let middle = 0.5 * (above + below);
                if height(middle) > 0.0 { above = middle } else { below = middle }
            }
            let (centre, stretch) = masses.at(&flight, below);
            let (_, v) = masses.lower(&flight, below);
            // the lower mass turns, the upper keeps its velocity
            let jump = -(1.0 + e) * v;
            masses.flights.push(Flight {
                start: flight.start + below,
                centre: (centre.0, centre.1 + 0.5 * jump),
                stretch: (stretch.0, stretch.1 - jump),
            });
        }
        masses
    }

    /// The instants of impact.
    pub fn impacts(&self) -> Vec<f64> {
        self.flights[1..].iter().map(|f| f.start).collect()
    }

    fn at(&self, flight: &Flight, t: f64) -> ((f64, f64), (f64, f64)) {
        let ((x, vx), (s, vs)) = (flight.centre, flight.stretch);
        let (sin, cos) = (self.omega * t).sin_cos();
        (
            (x + vx * t - 0.5 * self.g * t * t, vx - self.g * t),
            (s * cos + vs / self.omega * sin, vs * cos - s * self.omega * sin),
        )
    }

    /// Height over the floor and velocity of the lower mass.
    fn lower(&self, flight: &Flight, t: f64) -> (f64, f64) {
        let ((x, vx), (s, vs)) = self.at(flight, t);
        (x - 0.5 * s, vx - 0.5 * vs)
    }

    fn state(&self, t: f64) -> ((f64, f64), (f64, f64)) {
        let k = self.flights.partition_point(|f| f.start <= t).max(1) - 1;
        self.at(&self.flights[k], t - self.flights[k].start)
    }
}

impl Exact for TwoMasses {
    fn q(&self, t: f64) -> Vec<f64> {
        let ((x, _), (s, _)) = self.state(t);
        vec![self.floor + x - 0.5 * s, self.floor + x + 0.5 * s]
    }

    fn v(&self, t: f64) -> Vec<f64> {
        let ((_, v), (_, s)) = self.state(t);
        vec![v - 0.5 * s, v + 0.5 * s]
    }

    fn jumps(&self, end: f64) -> Vec<f64> {
        self.impacts().into_iter().filter(|&t| t <= end).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Impacts and E(0.6 s) of an event-driven integration at 1e-12, with 10 and 8 printed digits.
    #[test]
    fn two_masses_impact_when_they_should() {
        let drop = |stiffness: f64, gap: f64, floor: f64| TwoMassDrop { stiffness, g: 10.0, e: 0.8, gap, floor };
        let cases = [
            (drop(1e4, 0.801, 0.2), [0.4002499219, 0.4197075641, 1.0058669104, 1.0315327027, 1.3855613388], 14.360897),
            (drop(1e3, 1.0, 0.0), [0.4472135955, 0.5061252055, 1.1064140506, 1.4338275639, 1.4820652749], 12.665411),
        ];
        for (drop, expected, total) in cases {
            let masses = TwoMasses::fly(&drop, 2.0);
            for (found, expected) in masses.impacts().iter().zip(expected) {
                // ten digits are printed; later impacts magnify the first ones' round-off
                assert!((found - expected).abs() <= 2e-10, "{found} for {expected}");
            }
            let (q, v) = (masses.q(0.6), masses.v(0.6));
            let energy = 0.5 * (v[0] * v[0] + v[1] * v[1]) + 0.5 * drop.stiffness * (q[1] - q[0]).powi(2);
            assert!((energy + 10.0 * (q[0] + q[1]) - total).abs() <= 1e-6);
        }
    }
}
