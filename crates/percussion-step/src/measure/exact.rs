//! Motions known in closed form.

/// A motion that can be asked for any time; velocities are right limits.
pub trait Exact: Send + Sync {
    /// q(t).
    fn q(&self, t: f64) -> Vec<f64>;
    /// v(t⁺).
    fn v(&self, t: f64) -> Vec<f64>;
    /// Times up to `end` at which v jumps; of infinitely many, those that can be told apart.
    fn jumps(&self, end: f64) -> Vec<f64> {
        let _ = end;
        Vec::new()
    }
}

/// q = q̄ + a cos ωt + (v0/ω) sin ωt: one free mass on a spring; ω = 0: a mass under a constant load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Free {
    /// ω [rad/s].
    pub omega: f64,
    /// f/m [m/s²].
    pub acceleration: f64,
    /// q at the start [m].
    pub q0: f64,
    /// v at the start [m/s].
    pub v0: f64,
}

impl Exact for Free {
    fn q(&self, t: f64) -> Vec<f64> {
        let Self { omega, acceleration: a, q0, v0 } = *self;
        if omega == 0.0 {
            return vec![q0 + v0 * t + 0.5 * a * t * t];
        }
        let (middle, (sin, cos)) = (a / (omega * omega), (omega * t).sin_cos());
        vec![middle + (q0 - middle) * cos + v0 / omega * sin]
    }

    fn v(&self, t: f64) -> Vec<f64> {
        let Self { omega, acceleration: a, q0, v0 } = *self;
        if omega == 0.0 {
            return vec![v0 + a * t];
        }
        let (middle, (sin, cos)) = (a / (omega * omega), (omega * t).sin_cos());
        vec![v0 * cos - (q0 - middle) * omega * sin]
    }
}

/// A point mass falling from rest at height `gap` under the acceleration `g` on a floor at `floor`.
///
///   t_1 = √(2 gap/g),  v_n = eⁿ g t_1,  flight n lasts 2 v_n/g,  t_∞ = t_1 (1+e)/(1−e)
#[derive(Clone, Copy, Debug)]
pub struct Bounce {
    /// Downward acceleration [m/s²].
    pub g: f64,
    /// e < 1.
    pub e: f64,
    /// Height of the fall [m].
    pub gap: f64,
    /// q at contact [m].
    pub floor: f64,
}

impl Bounce {
    fn fall(&self) -> f64 {
        (2.0 * self.gap / self.g).sqrt()
    }

    /// t_∞, when infinitely many impacts have happened.
    pub fn accumulation(&self) -> f64 {
        self.fall() * (1.0 + self.e) / (1.0 - self.e)
    }

    /// Height over the floor and velocity.
    fn state(&self, t: f64) -> (f64, f64) {
        let t1 = self.fall();
        if t < t1 {
            return (self.gap - 0.5 * self.g * t * t, -self.g * t);
        }
        if t >= self.accumulation() {
            return (0.0, 0.0);
        }
        // impact n (n = 1 the first) at t_n = t_1 + 2 t_1 (e + … + e^{n−1})
        let (mut start, mut up) = (t1, self.e * self.g * t1);
        while t - start >= 2.0 * up / self.g {
            start += 2.0 * up / self.g;
            up *= self.e;
            if up < 1e-300 {
                return (0.0, 0.0);
            }
        }
        let s = t - start;
        (up * s - 0.5 * self.g * s * s, up - self.g * s)
    }
}

impl Exact for Bounce {
    fn q(&self, t: f64) -> Vec<f64> {
        vec![self.floor + self.state(t).0]
    }

    fn v(&self, t: f64) -> Vec<f64> {
        vec![self.state(t).1]
    }

    fn jumps(&self, end: f64) -> Vec<f64> {
        let t1 = self.fall();
        let (mut t, mut flight, mut times) = (t1, 2.0 * self.e * t1, Vec::new());
        while t <= end && flight > 1e-9 * t1 {
            times.push(t);
            t += flight;
            flight *= self.e;
        }
        times
    }
}

/// A mass on a spring with a wall at its equilibrium, released at q0 > 0.
///
///   t_n = (n + ½)π/ω,   q = q0 e^{n+1} sin ω(t − t_n) after impact n
#[derive(Clone, Copy, Debug)]
pub struct ImpactOscillator {
    /// ω [rad/s].
    pub omega: f64,
    /// e.
    pub e: f64,
    /// Start [m].
    pub q0: f64,
}

impl ImpactOscillator {
    /// Amplitude and phase of the arc that holds t: q = A sin φ.
    fn arc(&self, t: f64) -> (f64, f64) {
        let phase = self.omega * t + std::f64::consts::FRAC_PI_2;
        // arc 0 starts at its top, φ = π/2; each impact at a multiple of π
        let impacts = (phase / std::f64::consts::PI).floor();
        (self.q0 * self.e.powf(impacts), phase - impacts * std::f64::consts::PI)
    }
}

impl Exact for ImpactOscillator {
    fn q(&self, t: f64) -> Vec<f64> {
        let (A, phase) = self.arc(t);
        vec![A * phase.sin()]
    }

    fn v(&self, t: f64) -> Vec<f64> {
        let (A, phase) = self.arc(t);
        vec![A * self.omega * phase.cos()]
    }

    fn jumps(&self, end: f64) -> Vec<f64> {
        let time = |n: u32| (f64::from(n) + 0.5) * std::f64::consts::PI / self.omega;
        (0..).map(time).take_while(|&t| t <= end).collect()
    }
}

/// A free elastic bar flying at −v0 against a wall that its end x = 0 meets after the distance d0 (e = 0).
///
///   contact for 2L/c, force ρ c v0 A; the stop travels up the bar with c, comes back from the free end as +v0
#[derive(Clone, Copy, Debug)]
pub struct BarImpact {
    /// c = √(E/ρ) [m/s].
    pub c: f64,
    /// L [m].
    pub length: f64,
    /// v0 > 0 [m/s].
    pub v0: f64,
    /// Distance to the wall [m].
    pub d0: f64,
    /// Number of equally spaced nodes at which the motion is given.
    pub nodes: usize,
}

impl BarImpact {
    /// When the wall is met [s].
    pub fn contact_begins(&self) -> f64 {
        self.d0 / self.v0
    }

    /// How long contact lasts [s].
    pub fn contact_lasts(&self) -> f64 {
        2.0 * self.length / self.c
    }

    fn at(&self, node: usize, t: f64) -> (f64, f64) {
        let x = self.length * node as f64 / (self.nodes - 1) as f64;
        let tau = t - self.contact_begins();
        let (stops, leaves) = (x / self.c, (2.0 * self.length - x) / self.c);
        let fallen = -self.d0 - self.v0 * stops;
        if tau < stops {
            (-self.v0 * t, -self.v0)
        } else if tau < leaves {
            (fallen, 0.0)
        } else {
            (fallen + self.v0 * (tau - leaves), self.v0)
        }
    }
}

impl Exact for BarImpact {
    fn q(&self, t: f64) -> Vec<f64> {
        (0..self.nodes).map(|i| self.at(i, t).0).collect()
    }

    fn v(&self, t: f64) -> Vec<f64> {
        (0..self.nodes).map(|i| self.at(i, t).1).collect()
    }

    fn jumps(&self, end: f64) -> Vec<f64> {
        // a wave passes every node on its way up, from the wall, and on its way back
        let passed = |x: f64| self.contact_begins() + x / self.c;
        let spacing = self.length / (self.nodes - 1) as f64;
        (0..2 * self.nodes - 1).map(|i| passed(i as f64 * spacing)).take_while(|&t| t <= end).collect()
    }
}

/// A block pushed along a floor: friction takes μ g until it stops.
///
///   x(t) = x0 + v0 t − ½ a t² up to t = v0/a,   a = μ g
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slide {
    /// Deceleration a [m/s²].
    pub deceleration: f64,
    /// Where it starts [m].
    pub x0: f64,
    /// Velocity at the start, of either sign [m/s].
    pub v0: f64,
    /// Which of the two coordinates slides; the other keeps its value.
    pub along: usize,
    /// The coordinate that does not move [m].
    pub height: f64,
}

impl Slide {
    fn pair(&self, along: f64, across: f64) -> Vec<f64> {
        if self.along == 0 { vec![along, across] } else { vec![across, along] }
    }
}

impl Exact for Slide {
    fn q(&self, t: f64) -> Vec<f64> {
        let t = t.min(self.v0.abs() / self.deceleration);
        let x = self.x0 + self.v0 * t - 0.5 * self.deceleration * self.v0.signum() * t * t;
        self.pair(x, self.height)
    }

    fn v(&self, t: f64) -> Vec<f64> {
        let v = (self.v0.abs() - self.deceleration * t).max(0.0) * self.v0.signum();
        self.pair(v, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// f = 2, e = ½ from height 1: impacts at t_n = 3 − 2/2ⁿ, q = −(t−3+2/2ⁿ)(t−3+1/2ⁿ) between.
    #[test]
    fn bounce_agrees_with_the_closed_form() {
        let ball = Bounce { g: 2.0, e: 0.5, gap: 1.0, floor: 0.0 };
        assert!((ball.accumulation() - 3.0).abs() < 1e-15);
        for n in 0..6 {
            let c = 0.5_f64.powi(n);
            let t = 3.0 - 1.6 * c;
            let q = -(t - 3.0 + 2.0 * c) * (t - 3.0 + c);
            let v = -2.0 * (t - 3.0) - 3.0 * c;
            assert!((ball.q(t)[0] - q).abs() < 1e-14 && (ball.v(t)[0] - v).abs() < 1e-13, "n = {n}");
        }
        assert_eq!(ball.q(3.5), vec![0.0]);
        let faster = Bounce { g: 10.0, e: 0.8, gap: 0.801, floor: 0.2 };
        assert!((faster.accumulation() - 3.602249297314).abs() < 1e-12);
    }

    /// Position continuous, velocity turned by −e at t = π/2, and the initial arc a cosine.
    #[test]
    fn oscillator_reverses_at_the_wall() {
        let o = ImpactOscillator { omega: 1.0, e: 0.5, q0: 1.0 };
        assert!((o.q(0.7)[0] - 0.7_f64.cos()).abs() < 1e-15 && (o.v(0.7)[0] + 0.7_f64.sin()).abs() < 1e-15);
        let impact = std::f64::consts::FRAC_PI_2;
        let (before, after) = (impact - 1e-7, impact + 1e-7);
        assert!((o.v(after)[0] + 0.5 * o.v(before)[0]).abs() < 1e-6);
        assert!(o.q(before)[0].abs() < 1e-6 && o.q(after)[0].abs() < 1e-6);
    }

    /// The bar leaves with +v0 after 2L/c, its end exactly at the wall.
    #[test]
    fn bar_leaves_whole() {
        let bar = BarImpact { c: 30.0, length: 10.0, v0: 10.0, d0: 5.005, nodes: 5 };
        let t = bar.contact_begins() + bar.contact_lasts() + 1e-9;
        assert!((bar.contact_lasts() - 2.0 / 3.0).abs() < 1e-15);
        assert!(bar.v(t).iter().all(|&v| v == 10.0));
        assert!((bar.q(t)[0] + 5.005).abs() < 1e-7 && (bar.q(t)[4] + 5.005).abs() < 1e-7);
    }
}
