//! How deep bodies pass into each other on the way from one state to the next.
//!
//!   x(s) = x₀ + s Δx,    R(s) = R₀ exp(s log R₀ᵀR₁),    depth = max −g over s = 1/n … 1,    n = 2 (|Δx| + r φ)/ℓ
//!
//! ℓ is the least half-thickness of a pair, and samples lie half of it apart, so that nothing crosses a body between two of them. Pairs
//! that come nearer by less than ℓ/4 in a step are left to the gaps at its ends: what rests or moves slowly costs one look at its place.

use super::detect::{Grid, Touch, near_pair, touch_pair};
use super::math::{Quaternion, axpy, cross, dot, norm, rotation, sub};
use super::shapes::Manner;
use super::{Bodies, Frame, JointTouch, Shape};
use percussion_matrix::math;
use percussion_matrix::parts::{in_parts, largest_by, made_by};
use percussion_matrix::stop::requested;

/// Part of ℓ by which a pair may move in a step and not be looked at.
const SLOW: f64 = 0.25;
/// Distance, in ℓ, beyond which bodies are not near each other.
const NEAR: f64 = 0.25;
/// Distance between samples, in ℓ, and the most samples.
const APART: f64 = 0.5;
const MOST: usize = 20_000;
/// The fewest samples of play, whose gap need not fall steadily.
const FEWEST: usize = 8;
/// Halvings by which the first sample that overlaps is led back to where overlap begins.
const HALVINGS: usize = 4;

/// An overlap on a path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Crossing {
    /// The pair, lower number first.
    pub bodies: [usize; 2],
    /// Depth [m].
    pub depth: f64,
    /// Depth over ℓ.
    pub part: f64,
    /// Part of the path after which the two overlap.
    pub from: f64,
    /// How far a point of one can come towards the other on the whole path, over ℓ.
    pub way: f64,
    /// Overlap at the start, over ℓ.
    pub before: f64,
}

/// The search with its buffers.
#[derive(Clone, Debug, Default)]
pub struct PathSearch {
    /// Threads that bodies are shared among; what is found does not depend on it.
    pub threads: usize,
    /// Half-thickness of each body [m], and the least of them that is one.
    thickness: Vec<f64>,
    least: f64,
    /// The same of surfaces of triangles, V/A, which count against each other only [m].
    surface: Vec<f64>,
    /// How far a point of each body comes in the step [m].
    way: Vec<f64>,
    frames: Vec<Frame>,
    grid: Grid,
    pairs: Vec<(u32, u32)>,
    /// What each pair is found to do.
    met: Vec<Option<Crossing>>,
    touches: Vec<Touch>,
    plays: Vec<JointTouch>,
}

impl PathSearch {
    /// For a scene.
    pub fn new(scene: &Bodies) -> Self {
        let thickness: Vec<f64> =
            scene.bodies().iter().map(|body| body.shape.half_thickness(scene.is_planar())).collect();
        let is_surface = |i: &usize| scene.bodies()[*i].shape.manner() == Manner::Surface;
        let plate = |i: usize| if is_surface(&i) { scene.prepared(i, 0).plate } else { 0.0 };
        let surface: Vec<f64> = (0..scene.len()).map(plate).collect();
        let least = thickness.iter().chain(&surface).copied().filter(|&l| l > 0.0).fold(f64::INFINITY, f64::min);
        Self { thickness, least, surface, ..Self::default() }
    }

    /// ℓ of a pair: the smaller half-thickness of the two, of those that have one; infinite where neither has [m].
    pub fn half_thickness(&self, [i, j]: [usize; 2]) -> f64 {
        least([self.thickness[i], self.thickness[j]])
    }

    /// The same, of two surfaces V/A.
    fn thickness_between(&self, pair: [usize; 2]) -> f64 {
        let l = self.half_thickness(pair);
        if l.is_finite() { l } else { least(pair.map(|k| self.surface[k])) }
    }

    /// The overlap of two bodies on the way from q₀ to q₁, however slow they are.
    pub fn overlap(&mut self, scene: &Bodies, pair: [usize; 2], q0: &[f64], q1: &[f64]) -> Option<Crossing> {
        let l = self.thickness_between(pair);
        let way = self.way(scene, pair, q0, q1);
        if l.is_finite() { meet(scene, pair, (l, way), (q0, q1), &mut self.touches) } else { None }
    }

    /// How far a point of one of two bodies can come towards the other from q₀ to q₁ [m].
    pub fn way(&self, scene: &Bodies, pair: [usize; 2], q0: &[f64], q1: &[f64]) -> f64 {
        pair.iter().map(|&k| way(scene, k, q0, q1, scene.bodies()[k].reach)).sum()
    }

    /// Whether two bodies do not come nearer than ℓ/4 on the way from q₀ to q₁.
    pub fn keep_apart(&mut self, scene: &Bodies, pair: [usize; 2], q0: &[f64], q1: &[f64]) -> bool {
        let l = self.thickness_between(pair);
        let way = self.way(scene, pair, q0, q1);
        if !l.is_finite() {
            return false;
        }
        let [start, end] = [q0, q1].map(|q| pair.map(|k| scene.frame(k, q)));
        let n = samples(l, way);
        (0..=n).take_while(|_| !requested()).all(|k| {
            let [a, b] = [0, 1].map(|side| between(&start[side], &end[side], k as f64 / n as f64));
            self.touches.clear();
            near_pair(scene, (pair[0], &a), (pair[1], &b), NEAR * l, &mut self.touches);
            self.touches.is_empty()
        })
    }

    /// Joints whose play is overrun by more than this part of their clearance at the end of the way from q₀ to q₁; ℓ is the clearance, the way
    /// that of the gap. A hole and a guide are convex: what is inside at both ends is inside between them.
    pub fn overruns(&mut self, scene: &Bodies, q0: &[f64], q1: &[f64], limit: f64, mut found: impl FnMut(&Crossing)) {
        for (j, joint) in scene.joints().iter().enumerate() {
            let Some(l) = joint.play.as_ref().map(|play| play.clearance) else { continue };
            let end = joint.bodies.map(|k| scene.frame(k, q1));
            if scene.play_gap(j, [&end[0], &end[1]], &mut self.plays).is_some_and(|gap| gap < -limit * l) {
                let start = joint.bodies.map(|k| scene.frame(k, q0));
                let way = joint.bodies.iter().map(|&k| way(scene, k, q0, q1, 0.0)).sum();
                found(&overrun(scene, j, [&start, &end], samples(l, way).max(FEWEST), &mut self.plays));
            }
        }
    }

    /// Every overlap on the way from q₀ to q₁ of two bodies that move fast beside their thickness.
    pub fn crossings(&mut self, scene: &Bodies, q0: &[f64], q1: &[f64], mut found: impl FnMut(&Crossing)) {
        made_by(&mut self.way, scene.len(), self.threads, |i| way(scene, i, q0, q1, scene.bodies()[i].reach));
        let fastest =
            largest_by(scene.len(), self.threads, |i| if scene.bodies()[i].contact { self.way[i] } else { 0.0 });
        if fastest <= 0.5 * SLOW * self.least {
            return;
        }
        made_by(&mut self.frames, scene.len(), self.threads, |i| scene.frame(i, q0));
        self.grid.pairs(scene, &self.frames, &self.way, self.threads, &mut self.pairs);
        let mut met = std::mem::take(&mut self.met);
        met.clear();
        met.resize(self.pairs.len(), None);
        in_parts(&mut met, 1, self.threads, |first, met| {
            let mut touches = Vec::new();
            for (&(i, j), met) in self.pairs[first..].iter().zip(met) {
                let pair = [i as usize, j as usize];
                let (l, way) = (self.thickness_between(pair), pair.iter().map(|&k| self.way[k]).sum::<f64>());
                if l.is_finite() && way > SLOW * l {
                    *met = meet(scene, pair, (l, way), (q0, q1), &mut touches);
                }
            }
        });
        met.iter().flatten().for_each(&mut found);
        self.met = met;
    }
}

/// The smaller of two thicknesses, of those that are one.
fn least(l: [f64; 2]) -> f64 {
    l.into_iter().filter(|&l| l > 0.0).fold(f64::INFINITY, f64::min)
}

/// V/A of a surface of triangles: half the thickness of a plate; zero of other shapes.
pub(crate) fn half_thickness_of_surface(shape: &Shape) -> f64 {
    if shape.manner() != Manner::Surface {
        return 0.0;
    }
    let mesh = shape.surface(false, 0);
    let (mut volume, mut area) = (0.0, 0.0);
    for face in &mesh.faces {
        let [a, b, c] = [0, 1, 2].map(|k| mesh.points[face[k]]);
        let normal = cross(&sub(&b, &a), &sub(&c, &a));
        volume += dot(&a, &normal) / 6.0;
        area += 0.5 * norm(&normal);
    }
    if area > 0.0 { volume.abs() / area } else { 0.0 }
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
    let n = if scene.is_planar() { 2 } else { 3 };
    let moved = (0..n).map(|k| (b[k] - a[k]).powi(2)).sum::<f64>().sqrt();
    moved + if reach.is_finite() { angle(a, b) * reach } else { 0.0 }
}

/// φ between two places of a body: x, y, θ or x, y, z and a quaternion.
fn angle(a: &[f64], b: &[f64]) -> f64 {
    if a.len() == 3 {
        return (b[2] - a[2]).abs();
    }
    // |q₁ ∓ q₀| = 2 sin(φ/4)
    let size = |sign: f64| (3..7).map(|k| (b[k] - sign * a[k]).powi(2)).sum::<f64>().sqrt();
    4.0 * math::asin((0.5 * size(1.0).min(size(-1.0))).min(1.0))
}

/// The angle by which body i turns from q₀ to q₁, the short way [rad].
pub fn turn(scene: &Bodies, i: usize, q0: &[f64], q1: &[f64]) -> f64 {
    let n = scene.q_per_body();
    angle(&q0[n * i..n * (i + 1)], &q1[n * i..n * (i + 1)])
}

/// The overlap of a pair on the way.
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
    let hollow = pair.iter().all(|&k| scene.bodies()[k].shape.manner() == Manner::Surface);
    let mut depth_at = |s: f64| {
        let [a, b] = [0, 1].map(|side| if s == 1.0 { end[side] } else { between(&start[side], &end[side], s) });
        touches.clear();
        touch_pair(scene, (i, &a), (j, &b), touches);
        let depth = touches.iter().map(|touch| -touch.gap).fold(0.0, f64::max);
        // triangles have no depth: two surfaces are as deep in each other as their vertices
        if hollow && depth > 0.0 { depth.max(scene.depth_of_surfaces(pair, [&a, &b])) } else { depth }
    };
    let n = samples(l, way);
    let (mut depth, mut first) = (0.0_f64, None);
    for k in (1..=n).take_while(|_| !requested()) {
        let s = k as f64 / n as f64;
        let here = depth_at(s);
        if here > 0.0 {
            first.get_or_insert(s);
        }
        depth = depth.max(here);
    }
    let mut to = first?;
    let mut from = to - 1.0 / n as f64;
    for _ in 0..HALVINGS {
        let middle = 0.5 * (from + to);
        *(if depth_at(middle) > 0.0 { &mut to } else { &mut from }) = middle;
    }
    Some(Crossing { bodies: pair, depth, part: depth / l, from, way: way / l, before: depth_at(0.0) / l })
}

/// How far the play of joint j is overrun on the way.
fn overrun(
    scene: &Bodies,
    j: usize,
    [start, end]: [&[Frame; 2]; 2],
    n: usize,
    touches: &mut Vec<JointTouch>,
) -> Crossing {
    let joint = &scene.joints()[j];
    let l = joint.play.as_ref().map_or(f64::INFINITY, |play| play.clearance);
    let mut gap_at = |k: usize| {
        let s = k as f64 / n as f64;
        let [a, b] = [0, 1].map(|side| between(&start[side], &end[side], s));
        scene.play_gap(j, [&a, &b], touches).unwrap_or(l)
    };
    let before = gap_at(0);
    let (mut last, mut deepest, mut way) = (before, before, 0.0);
    let mut from = if before < 0.0 { 0.0 } else { 1.0 };
    for k in 1..=n {
        let gap = gap_at(k);
        way += (gap - last).abs();
        if gap < 0.0 && from == 1.0 {
            from = (k as f64 - gap / (gap - last)) / n as f64;
        }
        (last, deepest) = (gap, deepest.min(gap));
    }
    let (depth, before) = (-deepest, (-before).max(0.0));
    Crossing { bodies: joint.bodies, depth, part: depth / l, from, way: way / l, before: before / l }
}

/// Samples on a way.
fn samples(l: f64, way: f64) -> usize {
    ((way / (APART * l)).ceil() as usize).clamp(1, MOST)
}

/// The least distance of two centres on straight ways.
fn apart(start: &[Frame; 2], end: &[Frame; 2]) -> f64 {
    let (a, b) = (sub(&start[1].x, &start[0].x), sub(&end[1].x, &end[0].x));
    let d = sub(&b, &a);
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
