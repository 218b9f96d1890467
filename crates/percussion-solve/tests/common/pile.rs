//! A pile of spheres on a floor between walls, as a problem of two bodies at each contact.
//!
//! Layers of spheres in a container, each sphere in the pocket of four below; positions, masses and velocities are disturbed,
//! a tenth of the contacts is missing. All from one seed.

use percussion_solve::friction::TwoBodyProblem;

/// Radius of a sphere [m] and its mass [kg].
const RADIUS: f64 = 0.1;
const MASS: f64 = 1.0;
/// Gravity times step: the velocity of free fall gained in it [m/s].
const FALL: f64 = 9.81e-3;
const MU: f64 = 0.5;

/// Reproducible numbers in (−1, 1).
struct Dice(u64);

impl Dice {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A square container, `layers` layers deep and twice as many spheres wide.
pub fn pile(layers: usize) -> TwoBodyProblem {
    let wide = 2 * layers;
    let mut dice = Dice(7);
    let mut problem = TwoBodyProblem { dim: 3, ..TwoBodyProblem::default() };
    let mut centres: Vec<[f64; 3]> = Vec::new();
    let spacing = 2.05 * RADIUS;
    let height = (4.0 * RADIUS * RADIUS - 0.5 * spacing * spacing).sqrt();
    let mut below: Vec<u32> = Vec::new();
    for layer in 0..layers {
        // layers alternate between full and one sphere narrower, so that each fills the pockets of the last
        let side = wide - layer % 2;
        let last = wide - (layer + 1) % 2;
        let mut current = Vec::with_capacity(side * side);
        for ix in 0..side {
            for iy in 0..side {
                let place = |k: usize| (k as f64 - 0.5 * (side - 1) as f64) * spacing;
                let disturb = |dice: &mut Dice| 0.03 * RADIUS * dice.uniform();
                let centre = [
                    place(ix) + disturb(&mut dice),
                    place(iy) + disturb(&mut dice),
                    RADIUS + layer as f64 * height + disturb(&mut dice),
                ];
                let body = centres.len() as u32;
                centres.push(centre);
                current.push(body);
                let mass = MASS * (1.0 + 0.2 * dice.uniform());
                problem.inverse_mass.push(1.0 / mass);
                let j = 2.5 / (mass * RADIUS * RADIUS);
                problem.inverse_inertia.push([j, 0.0, 0.0, 0.0, j, 0.0, 0.0, 0.0, j]);
                let noise = |dice: &mut Dice| 0.1 * FALL * dice.uniform();
                problem.v.push([
                    noise(&mut dice),
                    noise(&mut dice),
                    -FALL + noise(&mut dice),
                    noise(&mut dice) / RADIUS,
                    noise(&mut dice) / RADIUS,
                    noise(&mut dice) / RADIUS,
                ]);

                // walls
                if side == wide {
                    for (k, axis) in [(ix, 0), (iy, 1)] {
                        for (end, inward) in [(0, 1.0), (side - 1, -1.0)] {
                            if k == end {
                                let mut n = [0.0; 3];
                                n[axis] = inward;
                                add_contact(&mut problem, body, TwoBodyProblem::GROUND, n);
                            }
                        }
                    }
                }
                if layer == 0 {
                    add_contact(&mut problem, body, TwoBodyProblem::GROUND, [0.0, 0.0, 1.0]);
                    continue;
                }
                // pockets below: (ix, iy) and its neighbours, shifted for a wider layer
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    let shift = usize::from(side > last);
                    let (Some(x), Some(y)) = ((ix + dx).checked_sub(shift), (iy + dy).checked_sub(shift)) else {
                        continue;
                    };
                    if x >= last || y >= last || dice.uniform() < -0.8 {
                        continue;
                    }
                    let other = below[x * last + y];
                    let c = centres[other as usize];
                    let d: [f64; 3] = std::array::from_fn(|k| centre[k] - c[k]);
                    let size = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
                    add_contact(&mut problem, body, other, d.map(|x| x / size));
                }
            }
        }
        below = current;
    }
    problem.places = centres;
    problem
}

/// Rows n·(v + ω × p) of both spheres, with p = ∓R n, for the normal and two tangents.
fn add_contact(problem: &mut TwoBodyProblem, first: u32, second: u32, n: [f64; 3]) {
    let helper = if n[2].abs() < 0.9 { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] };
    let t = cross(n, helper);
    let size = (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]).sqrt();
    let t = t.map(|x| x / size);
    let frame = [n, t, cross(n, t)];
    for (sign, arm) in [(1.0, -RADIUS), (-1.0, RADIUS)] {
        let p = n.map(|x| arm * x);
        for e in frame {
            let m = cross(p, e);
            problem.H.push([sign * e[0], sign * e[1], sign * e[2], sign * m[0], sign * m[1], sign * m[2]]);
        }
    }
    problem.bodies.push([first, second]);
    problem.w.extend([0.0; 3]);
    problem.mu.push(MU);
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
