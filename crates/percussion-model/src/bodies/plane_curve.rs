//! A smooth curve in a plane, through points: the distance of a place from it, and how that changes.
//!
//!   r(s) = (x(s), y(s)), cubic splines over the length s of the polygon;    (r(s) − p)·r'(s) = 0 at the foot of p
//!   d = n·(p − r),    ∇d = n,    ∇∇d = κ/(1 + κ d) t tᵀ
//!
//! d is positive outside a closed curve, and to the left of an open one seen along it, which goes on straight beyond its ends. Over a step
//! the gradient is Gonzalez' n̄ = n + (d₁ − d₀ − n·Δp) Δp/|Δp|², n in the middle: n̄·Δp is what d changes by.

use crate::signal::{Interpolation, Table};
use crate::{Code, InputError};

/// Feet are looked for from the nearest of so many places between two points.
const BETWEEN: usize = 8;
/// Part of the length of the curve below which a way counts as none: n in its middle is exact to round-off there.
const SHORT: f64 = 1e-7;

/// The curve.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneCurve {
    x: Table,
    y: Table,
    length: f64,
    closed: bool,
    /// +1 where ∇d is the right normal of the way, −1 where it is the left one.
    side: f64,
    /// s and r at places from which a foot is looked for.
    places: Vec<[f64; 3]>,
}

/// What is nearest to a place: d, n, and κ with the sign of n.
#[derive(Clone, Copy, Debug)]
struct Foot {
    distance: f64,
    normal: [f64; 2],
    bend: f64,
}

impl PlaneCurve {
    /// Through points in their order.
    pub fn new(points: &[[f64; 2]], closed: bool) -> Result<Self, InputError> {
        let refuse = |message: String, help: &str| Err(InputError::new(Code::BAD_SIZE, "points", message, help));
        let least = if closed { 3 } else { 2 };
        if points.len() < least {
            return refuse(format!("{} points make no curve", points.len()), "give more points");
        }
        let mut way = points.to_vec();
        if closed && way[0] != way[way.len() - 1] {
            way.push(way[0]);
        }
        let mut s = vec![0.0];
        for (k, pair) in way.windows(2).enumerate() {
            let step = length(pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]);
            if !(step > 0.0 && step.is_finite()) {
                return refuse(format!("points {k} and {} are one", k + 1), "remove one of them");
            }
            s.push(s[k] + step);
        }
        let length = s[s.len() - 1];
        let table = |axis: usize| {
            let rows = s.iter().zip(&way).map(|(s, p)| [*s, p[axis]]).collect();
            Table::new(rows, Interpolation::Cubic, closed, 0.0)
        };
        let area: f64 = way.windows(2).map(|p| p[0][0] * p[1][1] - p[1][0] * p[0][1]).sum();
        let side = if closed && area > 0.0 { 1.0 } else { -1.0 };
        let mut curve = Self { x: table(0)?, y: table(1)?, length, closed, side, places: Vec::new() };
        for pair in s.windows(2) {
            for k in 0..BETWEEN {
                let at = pair[0] + (pair[1] - pair[0]) * k as f64 / BETWEEN as f64;
                let [x, y] = curve.jet(at).map(|jet| jet[0]);
                curve.places.push([at, x, y]);
            }
        }
        let [x, y] = curve.jet(length).map(|jet| jet[0]);
        curve.places.push([length, x, y]);
        Ok(curve)
    }

    /// x and y with their first two derivatives; straight beyond the ends of an open curve.
    fn jet(&self, s: f64) -> [[f64; 3]; 2] {
        // the last point of a table begins what holds its value
        let inside = if self.closed { s } else { s.clamp(0.0, self.length * (1.0 - 1e-12)) };
        [&self.x, &self.y].map(|table| {
            let [value, rate, bend] = table.jet(inside);
            if s == inside { [value, rate, bend] } else { [value + (s - inside) * rate, rate, 0.0] }
        })
    }

    /// Places along the curve, for pictures.
    pub fn outline(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        self.places.iter().map(|&[_, x, y]| [x, y])
    }

    /// Whether its last point leads back to the first.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The foot of a place.
    fn foot(&self, p: &[f64; 2]) -> Foot {
        let apart = |place: &[f64; 3]| (place[1] - p[0]).powi(2) + (place[2] - p[1]).powi(2);
        let nearest = (0..self.places.len()).min_by(|&i, &j| apart(&self.places[i]).total_cmp(&apart(&self.places[j])));
        let k = nearest.unwrap_or(0);
        let last = self.places.len() - 1;
        // the foot lies between the two places beside the nearest one, or beyond an end
        let step = self.length / last as f64;
        let (mut low, mut high) = match (k == 0, k == last, self.closed) {
            (true, _, false) => (f64::NEG_INFINITY, self.places[1][0]),
            (_, true, false) => (self.places[last - 1][0], f64::INFINITY),
            (true, ..) => (self.places[last - 1][0] - self.length, self.places[1][0]),
            (_, true, _) => (self.places[last - 1][0], self.length + self.places[1][0]),
            (false, false, _) => (self.places[k - 1][0], self.places[k + 1][0]),
        };
        let mut s = self.places[k][0];
        for _ in 0..60 {
            let [[x, dx, ddx], [y, dy, ddy]] = self.jet(s);
            let (u, v) = (x - p[0], y - p[1]);
            let along = u * dx + v * dy;
            if along > 0.0 {
                high = s
            } else {
                low = s
            }
            let slope = dx * dx + dy * dy + u * ddx + v * ddy;
            let mut next = if slope > 0.0 { s - along / slope } else { f64::NAN };
            if !(next > low && next < high) {
                next = if low.is_finite() && high.is_finite() { 0.5 * (low + high) } else { s - along.signum() * step };
            }
            let done = (next - s).abs() <= 4.0 * f64::EPSILON * self.length;
            s = next;
            if done {
                break;
            }
        }
        let [[x, dx, ddx], [y, dy, ddy]] = self.jet(s);
        let speed = length(dx, dy).max(f64::MIN_POSITIVE);
        let normal = [self.side * dy / speed, -self.side * dx / speed];
        let distance = normal[0] * (p[0] - x) + normal[1] * (p[1] - y);
        Foot { distance, normal, bend: self.side * (dx * ddy - dy * ddx) / speed.powi(3) }
    }

    /// d.
    pub fn distance(&self, p: &[f64; 2]) -> f64 {
        self.foot(p).distance
    }

    /// n̄ from one place to another; n where they are one.
    pub fn gradient(&self, from: &[f64; 2], to: &[f64; 2]) -> [f64; 2] {
        let way = [to[0] - from[0], to[1] - from[1]];
        let n = self.foot(&[0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1])]).normal;
        let square = way[0] * way[0] + way[1] * way[1];
        if square <= (SHORT * self.length).powi(2) {
            return n;
        }
        let left = self.distance(to) - self.distance(from) - (n[0] * way[0] + n[1] * way[1]);
        [n[0] + left / square * way[0], n[1] + left / square * way[1]]
    }

    /// n, and vᵀ ∇∇d v for a rate v.
    pub fn curving(&self, p: &[f64; 2], v: &[f64; 2]) -> ([f64; 2], f64) {
        let Foot { distance, normal, bend } = self.foot(p);
        let along = v[0] * normal[1] - v[1] * normal[0];
        (normal, bend / (1.0 + bend * distance) * along * along)
    }

    /// Its length, as the polygon has it.
    pub fn length(&self) -> f64 {
        self.length
    }
}

fn length(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}
