//! A signal known at points: measured records, cam lifts, torque curves.
//!
//!   linear:  x = x_k + (x_{k+1} − x_k) s,  s = (t − t_k)/(t_{k+1} − t_k)
//!   cubic:   the spline with continuous second derivative m: h_{k−1} m_{k−1} + 2(h_{k−1} + h_k) m_k + h_k m_{k+1} = 6 Δ(Δx/h)
//!
//! Before its first and after its last point a table holds its ends (m = 0 there), unless it is periodic.

use super::past;
use crate::{Code, InputError};

/// What lies between two points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Straight lines.
    #[default]
    Linear,
    /// Cubics whose rates and accelerations are continuous.
    Cubic,
}

/// Points and what lies between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    points: Vec<[f64; 2]>,
    /// Second derivatives at the points; empty where lines are straight.
    bend: Vec<f64>,
    interpolation: Interpolation,
    periodic: bool,
    delay: f64,
    /// The file it came from, if any: where it is written again.
    file: Option<String>,
}

impl Table {
    /// Points (t, x) by rising time; `delay` shifts them to later times.
    pub fn new(
        points: Vec<[f64; 2]>,
        interpolation: Interpolation,
        periodic: bool,
        delay: f64,
    ) -> Result<Self, InputError> {
        let refuse = |message: String, help: &str| Err(InputError::new(Code::BAD_SIGNAL, "table", message, help));
        if let Some(k) = points.iter().position(|p| !(p[0].is_finite() && p[1].is_finite())) {
            let message = format!("point {k} is not finite");
            return Err(InputError::new(Code::NOT_FINITE, "table", message, "give finite numbers"));
        }
        if !delay.is_finite() {
            return Err(InputError::new(Code::NOT_FINITE, "delay", format!("delay = {delay}"), "give a finite number"));
        }
        if points.is_empty() {
            return refuse("has no points".into(), "give at least one point [t, x]");
        }
        if let Some(k) = points.windows(2).position(|pair| pair[1][0] <= pair[0][0]) {
            let (a, b) = (points[k][0], points[k + 1][0]);
            return refuse(format!("point {} at {b} s does not come after {a} s", k + 1), "sort the points by time");
        }
        if periodic && points.len() < 2 {
            return refuse("a periodic table needs two points".into(), "its period is last − first time");
        }
        let (first, last) = (points[0][1], points[points.len() - 1][1]);
        if periodic && interpolation == Interpolation::Cubic && first != last {
            let message = format!("a periodic cubic starts at {first} and ends at {last}");
            return refuse(message, "end the period with the value it starts with");
        }
        let bend = match interpolation {
            Interpolation::Linear => Vec::new(),
            Interpolation::Cubic => bend(&points, periodic),
        };
        Ok(Self { points, bend, interpolation, periodic, delay, file: None })
    }

    /// The same table, written to a file of that name beside a resolved scenario.
    pub fn from_file(self, name: Option<String>) -> Self {
        Self { file: name, ..self }
    }

    /// The points (t, x), without the delay.
    pub fn points(&self) -> &[[f64; 2]] {
        &self.points
    }

    /// What lies between the points.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Whether it repeats.
    pub fn is_periodic(&self) -> bool {
        self.periodic
    }

    /// By how much later it happens [s].
    pub fn delay(&self) -> f64 {
        self.delay
    }

    /// The file it came from.
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// The time of the table at t, and what has to be added to get back to t.
    fn own_time(&self, t: f64) -> (f64, f64) {
        let own = t - self.delay;
        if !self.periodic {
            return (own, self.delay);
        }
        let (start, period) = (self.points[0][0], self.period());
        let turns = ((past(t) - self.delay - start) / period).floor();
        (own - turns * period, turns * period + self.delay)
    }

    fn period(&self) -> f64 {
        self.points[self.points.len() - 1][0] - self.points[0][0]
    }

    /// Value, rate and acceleration, derivatives from the right at a point.
    pub fn jet(&self, t: f64) -> [f64; 3] {
        let (own, _) = self.own_time(t);
        let n = self.points.len();
        let reached = own + (past(t) - t);
        let after = self.points.partition_point(|p| p[0] <= reached);
        if after == 0 && !self.periodic {
            return [self.points[0][1], 0.0, 0.0];
        }
        if after == n && !self.periodic {
            return [self.points[n - 1][1], 0.0, 0.0];
        }
        // round-off may leave a period by a hair
        let after = after.clamp(1, n - 1);
        let ([t0, a], [t1, b]) = (self.points[after - 1], self.points[after]);
        let h = t1 - t0;
        let (s, slope) = ((own - t0) / h, (b - a) / h);
        if self.bend.is_empty() {
            return [a + (b - a) * s, slope, 0.0];
        }
        let (m0, m1) = (self.bend[after - 1], self.bend[after]);
        let r = 1.0 - s;
        let value = a + (b - a) * s + h * h / 6.0 * ((r * r * r - r) * m0 + (s * s * s - s) * m1);
        let rate = slope + h / 6.0 * ((1.0 - 3.0 * r * r) * m0 + (3.0 * s * s - 1.0) * m1);
        [value, rate, r * m0 + s * m1]
    }

    /// The next point of a table with straight lines; of a cubic one its ends.
    pub fn next_corner(&self, t: f64) -> f64 {
        let n = self.points.len();
        if t == f64::NEG_INFINITY {
            return if self.periodic { t } else { self.points[0][0] + self.delay };
        }
        let (own, shift) = self.own_time(t);
        match self.interpolation {
            Interpolation::Linear => {
                // what is not after t in the time of t is behind
                let after = self.points.partition_point(|p| p[0] + shift <= past(t) || p[0] <= own);
                match self.points.get(after) {
                    Some(p) => p[0] + shift,
                    // at the end of a period to round-off: the next one begins
                    None if self.periodic => self.points[1][0] + shift + self.period(),
                    None => f64::INFINITY,
                }
            }
            Interpolation::Cubic if self.periodic => f64::INFINITY,
            Interpolation::Cubic => {
                let ends = [self.points[0][0] + shift, self.points[n - 1][0] + shift];
                ends.into_iter().find(|&corner| corner > past(t)).unwrap_or(f64::INFINITY)
            }
        }
    }

    /// Whether the value jumps: where a period ends elsewhere than it starts.
    pub fn jumps(&self) -> bool {
        self.periodic && self.points[0][1] != self.points[self.points.len() - 1][1]
    }

    /// Whether every number in it is finite, as `new` has seen to.
    pub fn is_finite(&self) -> bool {
        self.delay.is_finite() && self.points.iter().flatten().all(|x| x.is_finite())
    }
}

/// Second derivatives of the spline at its points: zero at the ends, or periodic.
fn bend(points: &[[f64; 2]], periodic: bool) -> Vec<f64> {
    let n = points.len();
    let mut m = vec![0.0; n];
    if n < 3 {
        return m;
    }
    let h: Vec<f64> = points.windows(2).map(|p| p[1][0] - p[0][0]).collect();
    let slope: Vec<f64> = points.windows(2).map(|p| (p[1][1] - p[0][1]) / (p[1][0] - p[0][0])).collect();
    if !periodic {
        // points 1 … n−2
        let (diagonal, off): (Vec<f64>, Vec<f64>) = (1..n - 1).map(|k| (2.0 * (h[k - 1] + h[k]), h[k])).unzip();
        let right: Vec<f64> = (1..n - 1).map(|k| 6.0 * (slope[k] - slope[k - 1])).collect();
        m[1..n - 1].copy_from_slice(&thomas(&diagonal, &off, right));
        return m;
    }
    // points 0 … n−2, the last one being the first: tridiagonal plus the corner entries c = h_{n−2}, by Sherman and Morrison
    let k = n - 1;
    let before = |i: usize| if i == 0 { k - 1 } else { i - 1 };
    let mut diagonal: Vec<f64> = (0..k).map(|i| 2.0 * (h[before(i)] + h[i])).collect();
    let right: Vec<f64> = (0..k).map(|i| 6.0 * (slope[i] - slope[before(i)])).collect();
    if k == 2 {
        // both neighbours are the same point
        let c = h[0] + h[1];
        let determinant = diagonal[0] * diagonal[1] - c * c;
        m[0] = (right[0] * diagonal[1] - c * right[1]) / determinant;
        m[1] = (right[1] * diagonal[0] - c * right[0]) / determinant;
        m[2] = m[0];
        return m;
    }
    let (corner, gamma) = (h[k - 1], -diagonal[0]);
    diagonal[0] -= gamma;
    diagonal[k - 1] -= corner * corner / gamma;
    let x = thomas(&diagonal, &h[..k], right);
    let mut u = vec![0.0; k];
    (u[0], u[k - 1]) = (gamma, corner);
    let z = thomas(&diagonal, &h[..k], u);
    let factor = (x[0] + corner / gamma * x[k - 1]) / (1.0 + z[0] + corner / gamma * z[k - 1]);
    for i in 0..k {
        m[i] = x[i] - factor * z[i];
    }
    m[k] = m[0];
    m
}

/// A symmetric tridiagonal system; `off[i]` couples i and i + 1.
fn thomas(diagonal: &[f64], off: &[f64], mut x: Vec<f64>) -> Vec<f64> {
    let n = x.len();
    let mut pivot = diagonal.to_vec();
    for i in 1..n {
        let factor = off[i - 1] / pivot[i - 1];
        pivot[i] -= factor * off[i - 1];
        x[i] -= factor * x[i - 1];
    }
    x[n - 1] /= pivot[n - 1];
    for i in (0..n - 1).rev() {
        x[i] = (x[i] - off[i] * x[i + 1]) / pivot[i];
    }
    x
}
