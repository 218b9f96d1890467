//! The exact motions of the gallery's scenarios: closed forms, and two masses flown from impact to impact.

use percussion_step::measure::{BarImpact, Bounce, Exact, ImpactOscillator};

/// The exact motion of a built-in scenario with its own data.
pub fn exact(name: &str) -> Option<Box<dyn Exact>> {
    Some(match name {
        "bouncing-ball" => Box::new(Bounce { g: 10.0, e: 0.8, gap: 0.801, floor: 0.2 }),
        "bouncing-ball-f2" => Box::new(Bounce { g: 2.0, e: 0.5, gap: 1.0, floor: 0.0 }),
        "impact-oscillator" => Box::new(ImpactOscillator { omega: 1.0, e: 0.5, q0: 1.0 }),
        "two-mass-oscillator" => Box::new(TwoMasses::fly(1e4, 0.801, 0.2, 2.0)),
        "two-mass-oscillator-1e3" => Box::new(TwoMasses::fly(1e3, 1.0, 0.0, 2.0)),
        "elastic-bar" => Box::new(BarImpact { c: 30.0, length: 10.0, v0: 10.0, d0: 5.005, nodes: 201 }),
        _ => return None,
    })
}

const G: f64 = 10.0;
const E: f64 = 0.8;

/// Two masses of 1 kg on a spring k, dropped unstretched: between impacts the centre falls and the stretch s = q1 − q0
/// swings with ω = √(2k); impacts of the lower mass by bisection. Valid as long as the impacts do not accumulate.
///
///   x(t) = x + ẋ t − ½ g t²,   s(t) = s cos ωt + (ṡ/ω) sin ωt,   q0 = x − s/2,   q1 = x + s/2
pub struct TwoMasses {
    omega: f64,
    floor: f64,
    flights: Vec<Flight>,
}

/// State after an impact.
#[derive(Clone, Copy)]
struct Flight {
    start: f64,
    /// x, ẋ, s, ṡ; heights over the floor.
    centre: (f64, f64),
    stretch: (f64, f64),
}

impl TwoMasses {
    /// The flights from a drop over `gap` until `end`.
    pub fn fly(k: f64, gap: f64, floor: f64, end: f64) -> Self {
        let omega = (2.0 * k).sqrt();
        let mut flights = vec![Flight { start: 0.0, centre: (gap, 0.0), stretch: (0.0, 0.0) }];
        // a look every 10 µs: the shortest flight met lasts 20 ms
        let look = 1e-5;
        while let Some(flight) = flights.last().copied() {
            let height = |t: f64| flight.lower(omega, t).0;
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
            let (centre, stretch) = flight.at(omega, below);
            let (_, v) = flight.lower(omega, below);
            // the lower mass turns, the upper keeps its velocity
            let jump = -(1.0 + E) * v;
            flights.push(Flight {
                start: flight.start + below,
                centre: (centre.0, centre.1 + 0.5 * jump),
                stretch: (stretch.0, stretch.1 - jump),
            });
        }
        Self { omega, floor, flights }
    }

    /// The instants of impact.
    pub fn impacts(&self) -> Vec<f64> {
        self.flights[1..].iter().map(|f| f.start).collect()
    }

    fn state(&self, t: f64) -> ((f64, f64), (f64, f64)) {
        let k = self.flights.partition_point(|f| f.start <= t).max(1) - 1;
        self.flights[k].at(self.omega, t - self.flights[k].start)
    }
}

impl Flight {
    fn at(&self, omega: f64, t: f64) -> ((f64, f64), (f64, f64)) {
        let ((x, vx), (s, vs)) = (self.centre, self.stretch);
        let (sin, cos) = (omega * t).sin_cos();
        ((x + vx * t - 0.5 * G * t * t, vx - G * t), (s * cos + vs / omega * sin, vs * cos - s * omega * sin))
    }

    /// Height over the floor and velocity of the lower mass.
    fn lower(&self, omega: f64, t: f64) -> (f64, f64) {
        let ((x, vx), (s, vs)) = self.at(omega, t);
        (x - 0.5 * s, vx - 0.5 * vs)
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
}
