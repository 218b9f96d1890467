//! Walls and arches of blocks without mortar, as problems of two bodies at each contact: redundant by construction.
//!
//! Every joint touches at its four corners; gravity has acted for one step on blocks at rest.

use percussion_solve::friction::TwoBodyProblem;

/// Gravity times step: the velocity of free fall gained in it [m/s].
const FALL: f64 = 9.81e-3;
const DENSITY: f64 = 2000.0;

type Vector = [f64; 3];

struct Masonry {
    problem: TwoBodyProblem,
    centres: Vec<Vector>,
    mu: f64,
}

impl Masonry {
    fn new(mu: f64) -> Self {
        Self { problem: TwoBodyProblem { dim: 3, ..TwoBodyProblem::default() }, centres: Vec::new(), mu }
    }

    /// A block of these sizes along the axes; rotated ones count as if they were not, which does not matter here.
    fn block(&mut self, centre: Vector, size: Vector) -> u32 {
        let m = DENSITY * size[0] * size[1] * size[2];
        let j = |a: usize, b: usize| 12.0 / (m * (size[a] * size[a] + size[b] * size[b]));
        self.problem.inverse_mass.push(1.0 / m);
        self.problem.inverse_inertia.push([j(1, 2), 0.0, 0.0, 0.0, j(0, 2), 0.0, 0.0, 0.0, j(0, 1)]);
        self.problem.v.push([0.0, 0.0, -FALL, 0.0, 0.0, 0.0]);
        self.centres.push(centre);
        self.centres.len() as u32 - 1
    }

    /// A contact at `point`, the normal pointing from the second body to the first.
    fn touch(&mut self, first: u32, second: u32, point: Vector, n: Vector) {
        let helper = if n[1].abs() < 0.9 { [0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] };
        let t = cross(n, helper);
        let size = (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]).sqrt();
        let t = t.map(|x| x / size);
        let frame = [n, t, cross(n, t)];
        for (sign, body) in [(1.0, first), (-1.0, second)] {
            let centre = self.centres.get(body as usize).copied().unwrap_or_default();
            let arm: Vector = std::array::from_fn(|k| point[k] - centre[k]);
            for e in frame {
                let m = cross(arm, e);
                self.problem.H.push([e[0], e[1], e[2], m[0], m[1], m[2]].map(|x| sign * x));
            }
        }
        self.problem.bodies.push([first, second]);
        self.problem.w.extend([0.0; 3]);
        self.problem.mu.push(self.mu);
    }
}

/// A wall in running bond, `rows` high; bricks touch those below and beside them.
pub fn wall(rows: usize, columns: usize) -> TwoBodyProblem {
    let (l, d, h) = (0.4, 0.2, 0.2);
    let mut masonry = Masonry::new(0.6);
    let mut below: Vec<(u32, f64)> = Vec::new();
    for row in 0..rows {
        let shift = 0.5 * l * (row % 2) as f64;
        let mut current: Vec<(u32, f64)> = Vec::new();
        for column in 0..columns {
            let x = column as f64 * l + shift;
            let brick = masonry.block([x, 0.0, (row as f64 + 0.5) * h], [l, d, h]);
            let mut joint = |other: u32, from: f64, to: f64| {
                for x in [from, to] {
                    for y in [-0.5 * d, 0.5 * d] {
                        masonry.touch(brick, other, [x, y, row as f64 * h], [0.0, 0.0, 1.0]);
                    }
                }
            };
            if row == 0 {
                joint(TwoBodyProblem::GROUND, x - 0.5 * l, x + 0.5 * l);
            }
            for &(other, at) in &below {
                let (from, to) = (x.max(at) - 0.5 * l, x.min(at) + 0.5 * l);
                if to - from > 1e-9 {
                    joint(other, from, to);
                }
            }
            if let Some(&(left, _)) = current.last() {
                for z in [0.0, h] {
                    for y in [-0.5 * d, 0.5 * d] {
                        masonry.touch(brick, left, [x - 0.5 * l, y, row as f64 * h + z], [1.0, 0.0, 0.0]);
                    }
                }
            }
            current.push((brick, x));
        }
        below = current;
    }
    masonry.problem
}

/// A semicircular arch of `stones` between two fixed abutments.
pub fn arch(stones: usize) -> TwoBodyProblem {
    let (inner, outer, d) = (1.0, 1.25, 0.3);
    let mut masonry = Masonry::new(0.7);
    let angle = |k: usize| std::f64::consts::PI * k as f64 / stones as f64;
    let middle = 0.5 * (inner + outer);
    let along = |a: f64, r: f64| [r * a.cos(), 0.0, r * a.sin()];
    let width = middle * std::f64::consts::PI / stones as f64;
    let bodies: Vec<u32> = (0..stones)
        .map(|k| masonry.block(along(0.5 * (angle(k) + angle(k + 1)), middle), [outer - inner, d, width]))
        .collect();
    for k in 0..=stones {
        let a = angle(k);
        // from the stone before to the one after, or from the abutment up
        let (first, second) = match (bodies.get(k), k.checked_sub(1)) {
            (Some(&next), Some(last)) => (next, bodies[last]),
            (Some(&next), None) => (next, TwoBodyProblem::GROUND),
            (None, _) => (TwoBodyProblem::GROUND, bodies[k - 1]),
        };
        for r in [inner, outer] {
            for y in [-0.5 * d, 0.5 * d] {
                let [x, _, z] = along(a, r);
                masonry.touch(first, second, [x, y, z], [-a.sin(), 0.0, a.cos()]);
            }
        }
    }
    masonry.problem
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
