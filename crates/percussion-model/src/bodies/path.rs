//! How deep bodies pass into each other on the way from one state to the next.
//!
//!   x(s) = x₀ + s Δx,    R(s) = R₀ exp(s log R₀ᵀR₁),    depth = max −g over s = 1/n … 1,    n = 2 (|Δx| + r φ)/ℓ
//!
//! ℓ is the least half-thickness of a pair, and samples lie half of it apart, so that nothing crosses a body between two of them. Pairs
//! that come nearer by less than ℓ/4 in a step are left to the gaps at its ends: what rests or moves slowly costs one look at its place.

use super::detect::{Touch, touch_pair};
use super::math::{Quaternion, Vec3, axpy, norm, rotation, sub};
use super::{Bodies, Frame};
use percussion_matrix::math;

/// Part of ℓ by which a pair may move in a step and not be looked at.
const SLOW: f64 = 0.25;
/// Distance between samples, in ℓ, and the most samples.
const APART: f64 = 0.5;
const MOST: usize = 1000;

/// The deepest overlap on a path, measured by the pair's half-thickness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The pair, lower number first.
    pub bodies: [usize; 2],
    /// Depth [m].
    pub depth: f64,
    /// Depth over ℓ.
    pub part: f64,
}

/// The search with its buffers.
#[derive(Clone, Debug, Default)]
pub struct PathSearch {
    /// Half-thickness of each body [m].
    thickness: Vec<f64>,
    /// How far a point of each body comes in the step [m].
    way: Vec<f64>,
    fast: Vec<usize>,
    touches: Vec<Touch>,
}

impl PathSearch {
    /// For a scene.
    pub fn new(scene: &Bodies) -> Self {
        let thickness = scene.bodies().iter().map(|body| body.shape.half_thickness(scene.is_planar())).collect();
        Self { thickness, ..Self::default() }
    }

    /// ℓ of a pair: the smaller half-thickness of the two, of those that have one; infinite where neither has [m].
    pub fn half_thickness(&self, [i, j]: [usize; 2]) -> f64 {
        [self.thickness[i], self.thickness[j]].into_iter().filter(|&l| l > 0.0).fold(f64::INFINITY, f64::min)
    }

    /// The deepest overlap on the way from q₀ to q₁ among pairs that move fast beside their thickness.
    pub fn deepest(&mut self, scene: &Bodies, q0: &[f64], q1: &[f64]) -> Option<Crossing> {
        let bodies = scene.bodies();
        self.way.clear();
        self.fast.clear();
        let least = self.thickness.iter().copied().filter(|&l| l > 0.0).fold(f64::INFINITY, f64::min);
        for (i, body) in bodies.iter().enumerate() {
            let way = way(scene, i, q0, q1, body.reach);
            if body.contact && way > 0.5 * SLOW * least {
                self.fast.push(i);
            }
            self.way.push(way);
        }
        let mut worst: Option<Crossing> = None;
        for &i in &self.fast {
            for j in 0..scene.len() {
                // a pair of fast bodies once
                let again = j < i && self.fast.binary_search(&j).is_ok();
                if j == i || again || !scene.may_touch(i, j) {
                    continue;
                }
                let pair = [i.min(j), i.max(j)];
                let l = self.half_thickness(pair);
                let way = self.way[i] + self.way[j];
                if !l.is_finite() || way <= SLOW * l {
                    continue;
                }
                let found = meet(scene, pair, (l, way), (q0, q1), &mut self.touches);
                if let Some(found) = found
                    && worst.is_none_or(|w| found.part > w.part)
                {
                    worst = Some(found);
                }
            }
        }
        worst
    }
}

/// How far a point of body i comes from q₀ to q₁.
fn way(scene: &Bodies, i: usize, q0: &[f64], q1: &[f64], reach: f64) -> f64 {
    let (a, b) = if scene.is_planar() {
        (&q0[3 * i..3 * i + 3], &q1[3 * i..3 * i + 3])
    } else {
        (&q0[7 * i..7 * i + 7], &q1[7 * i..7 * i + 7])
    };
    if a == b {
        return 0.0;
    }
    let (turn, n) = if scene.is_planar() {
        ((b[2] - a[2]).abs(), 2)
    } else {
        // |q₁ ∓ q₀| = 2 sin(φ/4)
        let size = |sign: f64| (3..7).map(|k| (b[k] - sign * a[k]).powi(2)).sum::<f64>().sqrt();
        (4.0 * math::asin((0.5 * size(1.0).min(size(-1.0))).min(1.0)), 3)
    };
    let moved = (0..n).map(|k| (b[k] - a[k]).powi(2)).sum::<f64>().sqrt();
    moved + if reach.is_finite() { turn * reach } else { 0.0 }
}

/// The deepest overlap of a pair on the way.
fn meet(
    scene: &Bodies,
    pair: [usize; 2],
    (l, way): (f64, f64),
    (q0, q1): (&[f64], &[f64]),
    touches: &mut Vec<Touch>,
) -> Option<Crossing> {
    let [i, j] = pair;
    let start = pair.map(|k| scene.frame(k, q0));
    let end = pair.map(|k| scene.frame(k, q1));
    let reach = pair.map(|k| scene.bodies()[k].reach);
    if reach.iter().all(|r| r.is_finite()) && apart(&start, &end) > reach[0] + reach[1] {
        return None;
    }
    let n = ((way / (APART * l)).ceil() as usize).clamp(1, MOST);
    let mut depth = 0.0_f64;
    for k in 1..=n {
        let s = k as f64 / n as f64;
        let [a, b] = [0, 1].map(|side| if k == n { end[side] } else { between(&start[side], &end[side], s) });
        touches.clear();
        touch_pair(scene, (i, &a), (j, &b), touches);
        depth = touches.iter().map(|touch| -touch.gap).fold(depth, f64::max);
    }
    (depth > 0.0).then_some(Crossing { bodies: pair, depth, part: depth / l })
}

/// The least distance of two centres on straight ways.
fn apart(start: &[Frame; 2], end: &[Frame; 2]) -> f64 {
    let (a, b) = (sub(&start[1].x, &start[0].x), sub(&end[1].x, &end[0].x));
    let d = sub(&b, &a);
    let dot = |x: &Vec3, y: &Vec3| x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    let length = dot(&d, &d);
    let s = if length > 0.0 { (-dot(&a, &d) / length).clamp(0.0, 1.0) } else { 0.0 };
    norm(&axpy(&a, s, &d))
}

/// A frame between two, turning about one axis at one rate.
fn between(a: &Frame, b: &Frame, s: f64) -> Frame {
    let d = sub(&b.x, &a.x);
    let q = turned(&a.q, &b.q, s);
    Frame { x: axpy(&a.x, s, &d), q, R: rotation(&q) }
}

/// Spherical interpolation the short way.
fn turned(a: &Quaternion, b: &Quaternion, s: f64) -> Quaternion {
    let cosine: f64 = (0..4).map(|k| a[k] * b[k]).sum();
    let sign = if cosine < 0.0 { -1.0 } else { 1.0 };
    let angle = math::acos(cosine.abs().min(1.0));
    let (p, q) = if angle < 1e-9 {
        (1.0 - s, s)
    } else {
        (math::sin((1.0 - s) * angle) / math::sin(angle), math::sin(s * angle) / math::sin(angle))
    };
    let mixed: Quaternion = std::array::from_fn(|k| p * a[k] + sign * q * b[k]);
    let size = mixed.iter().map(|x| x * x).sum::<f64>().sqrt();
    mixed.map(|x| x / size)
}
