//! Distance of two motions with jumps as sets in the plane (Moreau 1978): insensitive to an impact one step late.
//!
//!   gr(f) = {(t, x): x ∈ [f(t⁻), f(t⁺)]},   d = max(|t − s|, |x − y|),   h = max{ sup_gr(f) d(·, gr(g)), sup_gr(g) d(·, gr(f)) }
//!
//! Both graphs are polylines of rising time; a jump is a vertical segment. The supremum over a segment is found by bisection with
//! two upper bounds: from the length, (d_a + d_b + length)/2, and from convexity, the larger distance of its ends to one segment
//! of the other graph. Without the second, plateaus are halved for ever.

/// A filled-in graph as a polyline, times never falling.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    points: Vec<(f64, f64)>,
}

impl Graph {
    /// Through samples of a continuous function.
    pub fn continuous(t: &[f64], x: &[f64]) -> Self {
        Self { points: t.iter().copied().zip(x.iter().copied()).collect() }
    }

    /// Of a function equal to sample k from t_k to t_{k+1}, jumps filled in.
    pub fn staircase(t: &[f64], x: &[f64]) -> Self {
        let mut points: Vec<(f64, f64)> = Vec::with_capacity(2 * t.len());
        for (&t, &x) in t.iter().zip(x) {
            if let Some(&(_, before)) = points.last().filter(|(_, before)| *before != x) {
                points.push((t, before));
            }
            points.push((t, x));
        }
        Self { points }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    fn segment(&self, k: usize) -> Segment {
        let last = self.points.len() - 1;
        (self.points[k], self.points[(k + 1).min(last)])
    }

    /// Distance of a point and the number of the nearest segment: outwards from its time until time alone is too far.
    fn nearest(&self, p: (f64, f64)) -> (f64, usize) {
        let segments = self.points.len().max(2) - 1;
        let start = self.points.partition_point(|point| point.0 < p.0).min(segments);
        let (mut best, mut place) = (f64::INFINITY, start.min(segments - 1));
        for k in start..segments {
            if self.points[k].0 - p.0 >= best {
                break;
            }
            let d = distance(p, self.segment(k));
            if d < best {
                (best, place) = (d, k);
            }
        }
        for k in (0..start).rev() {
            if p.0 - self.segment(k).1.0 >= best {
                break;
            }
            let d = distance(p, self.segment(k));
            if d < best {
                (best, place) = (d, k);
            }
        }
        (best, place)
    }
}

type Segment = ((f64, f64), (f64, f64));

/// Hausdorff distance of two graphs, to the relative accuracy asked (1e-3 is usual).
pub fn hausdorff(f: &Graph, g: &Graph, accuracy: f64) -> f64 {
    if f.is_empty() || g.is_empty() {
        return if f.is_empty() && g.is_empty() { 0.0 } else { f64::INFINITY };
    }
    let one = excess(f, g, accuracy, 0.0);
    excess(g, f, accuracy, one)
}

/// The larger of `best` and sup over f of the distance to g.
fn excess(f: &Graph, g: &Graph, accuracy: f64, mut best: f64) -> f64 {
    let ends: Vec<(f64, usize)> = f.points.iter().map(|&p| g.nearest(p)).collect();
    best = ends.iter().fold(best, |best, end| best.max(end.0));
    let mut waiting: Vec<(Segment, [(f64, usize); 2])> = Vec::new();
    for k in 0..f.points.len() - 1 {
        waiting.push((f.segment(k), [ends[k], ends[k + 1]]));
        while let Some(((a, b), [at_a, at_b])) = waiting.pop() {
            let length = (b.0 - a.0).abs().max((b.1 - a.1).abs());
            let to_segment = |s: usize| distance(a, g.segment(s)).max(distance(b, g.segment(s)));
            let bound = (0.5 * (at_a.0 + at_b.0 + length)).min(to_segment(at_a.1)).min(to_segment(at_b.1));
            if bound <= best * (1.0 + accuracy) {
                continue;
            }
            let middle = (0.5 * (a.0 + b.0), 0.5 * (a.1 + b.1));
            if middle == a || middle == b {
                continue;
            }
            let at_middle = g.nearest(middle);
            best = best.max(at_middle.0);
            waiting.push(((a, middle), [at_a, at_middle]));
            waiting.push(((middle, b), [at_middle, at_b]));
        }
    }
    best
}

/// min over s ∈ [0, 1] of max(|a + α s|, |b + β s|): at an end, where one of the two vanishes, or where they are equal.
fn distance(p: (f64, f64), (from, to): Segment) -> f64 {
    let (a, b) = (from.0 - p.0, from.1 - p.1);
    let (alpha, beta) = (to.0 - from.0, to.1 - from.1);
    let at = |s: f64| (a + alpha * s).abs().max((b + beta * s).abs());
    let mut best = at(0.0).min(at(1.0));
    for s in [-a / alpha, -b / beta, (b - a) / (alpha - beta), -(a + b) / (alpha + beta)] {
        if s > 0.0 && s < 1.0 {
            best = best.min(at(s));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    // xorshift: the same cases every time
    fn random(seed: &mut u64) -> f64 {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        (*seed >> 11) as f64 / (1u64 << 53) as f64
    }

    fn dense(graph: &Graph) -> Vec<(f64, f64)> {
        let mut all = Vec::new();
        for k in 0..graph.len() - 1 {
            let (a, b) = graph.segment(k);
            all.extend((0..=40).map(|i| {
                let s = i as f64 / 40.0;
                (a.0 + s * (b.0 - a.0), a.1 + s * (b.1 - a.1))
            }));
        }
        all
    }

    /// Against every pair of densely sampled points, on random staircases and polylines.
    #[test]
    fn brute_force_agrees() {
        let mut seed = 7;
        for case in 0..40 {
            let graph = |seed: &mut u64, stairs: bool| {
                let n = 4 + (random(seed) * 12.0) as usize;
                let t: Vec<f64> = (0..n).map(|k| k as f64 / (n - 1) as f64).collect();
                let x: Vec<f64> = (0..n).map(|_| 0.4 * random(seed)).collect();
                if stairs { Graph::staircase(&t, &x) } else { Graph::continuous(&t, &x) }
            };
            let (f, g) = (graph(&mut seed, case % 2 == 0), graph(&mut seed, case % 3 == 0));
            let found = hausdorff(&f, &g, 1e-6);
            let (a, b) = (dense(&f), dense(&g));
            let one_way = |a: &[(f64, f64)], b: &[(f64, f64)]| {
                a.iter().fold(0.0_f64, |sup, p| {
                    let near = |q: &(f64, f64)| (p.0 - q.0).abs().max((p.1 - q.1).abs());
                    sup.max(b.iter().map(near).fold(f64::INFINITY, f64::min))
                })
            };
            let brute = one_way(&a, &b).max(one_way(&b, &a));
            // samples lie 1/40 of a segment of at most 0.4 apart
            assert!((found - brute).abs() <= 0.4 / 40.0, "case {case}: {found} for {brute}");
        }
    }

    /// A jump of height 1 that comes 0.01 late is 0.01 away, not 1; a plateau does not hang.
    #[test]
    fn a_late_jump_is_near() {
        let t: Vec<f64> = (0..=1000).map(|k| k as f64 * 1e-3).collect();
        let step =
            |at: f64| Graph::staircase(&t, &t.iter().map(|&t| if t < at { 0.0 } else { 1.0 }).collect::<Vec<_>>());
        let found = hausdorff(&step(0.5), &step(0.51), 1e-6);
        assert!((found - 0.01).abs() < 1e-9, "{found}");
        assert_eq!(hausdorff(&step(0.5), &step(0.5), 1e-3), 0.0);
        assert_eq!(hausdorff(&Graph::default(), &step(0.5), 1e-3), f64::INFINITY);
    }
}
