//! Friction problems that are nearly jammed or carry more contacts than coordinates, from a seed each.
//!
//!   b = H v₀,    W = H M⁻¹ Hᵀ
//!
//! No velocity is prescribed, so v = 0 is admissible and every problem has a solution as soon as the image of the cones
//! under Hᵀ is closed. Reactions are not unique, and velocities need not be.
#![allow(dead_code)]

use percussion_matrix::BlockMatrix;
use percussion_solve::friction::{FrictionProblem, TwoBodyProblem};

/// Radius of a sphere or a log [m].
const RADIUS: f64 = 0.1;
/// Gravity times step [m/s].
const FALL: f64 = 9.81e-3;

/// Reproducible numbers in (−1, 1).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// All of them, by name: what the driver is measured on.
pub fn all() -> Vec<(String, FrictionProblem)> {
    let mut list = Vec::new();
    for layers in [4, 6, 8, 10] {
        for mu in [0.3, 0.5] {
            list.push((format!("pyramid-{layers}-{mu}"), pyramid(layers, mu)));
        }
    }
    for (layers, logs, mu) in [(3, 3, 0.3), (5, 4, 0.3), (5, 4, 0.7), (8, 6, 0.5)] {
        list.push((format!("logs-{layers}x{logs}-{mu}"), crossed_logs(layers, logs, mu)));
    }
    for coordinates in 6..=9 {
        for seed in 0..10 {
            list.push((format!("over-{coordinates}-{seed}"), over_constrained(seed, 6, coordinates)));
        }
    }
    list
}

/// Spheres in a pyramid on a square base without walls, each in the pocket of four below; disturbed as piles are, a
/// tenth of the contacts missing.
pub fn pyramid(layers: usize, mu: f64) -> FrictionProblem {
    let mut dice = Numbers(7);
    let mut problem = TwoBodyProblem { dim: 3, ..TwoBodyProblem::default() };
    let mut centres: Vec<[f64; 3]> = Vec::new();
    let spacing = 2.05 * RADIUS;
    let height = (4.0 * RADIUS * RADIUS - 0.5 * spacing * spacing).sqrt();
    let mut below: Vec<u32> = Vec::new();
    for layer in 0..layers {
        let side = layers - layer;
        let mut current = Vec::new();
        for (ix, iy) in (0..side * side).map(|k| (k / side, k % side)) {
            let place = |k: usize| (k as f64 - 0.5 * (side - 1) as f64) * spacing;
            let mut disturb = || 0.03 * RADIUS * dice.uniform();
            let at = [place(ix) + disturb(), place(iy) + disturb(), RADIUS + layer as f64 * height + disturb()];
            let mass = 1.0 + 0.2 * dice.uniform();
            let body = add_body(&mut problem, &mut dice, mass, [0.4 * mass * RADIUS * RADIUS; 3]);
            centres.push(at);
            current.push(body);
            if layer == 0 {
                add_contact(
                    &mut problem,
                    [body, TwoBodyProblem::GROUND],
                    [0.0, 0.0, 1.0],
                    [[0.0, 0.0, -RADIUS]; 2],
                    mu,
                );
                continue;
            }
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                if dice.uniform() < -0.8 {
                    continue;
                }
                let other = below[(ix + dx) * (side + 1) + iy + dy];
                let c = centres[other as usize];
                let n = unit(std::array::from_fn(|k| at[k] - c[k]));
                let arms = [n.map(|x| -RADIUS * x), n.map(|x| RADIUS * x)];
                add_contact(&mut problem, [body, other], n, arms, mu);
            }
        }
        below = current;
    }
    problem.condense().expect("well-formed")
}

/// Capsules that lie crosswise in layers, every one on all of the layer below: `logs`² contacts between two layers of
/// 6 `logs` coordinates.
pub fn crossed_logs(layers: usize, logs: usize, mu: f64) -> FrictionProblem {
    let mut dice = Numbers(11);
    let mut problem = TwoBodyProblem { dim: 3, ..TwoBodyProblem::default() };
    let length = 2.5 * RADIUS * logs as f64;
    let mut below: Vec<(u32, f64)> = Vec::new();
    for layer in 0..layers {
        let mut current = Vec::new();
        for k in 0..logs {
            // logs of even layers lie along x, of odd ones along y; `side` is where their axis is
            let side = (k as f64 - 0.5 * (logs - 1) as f64) * 2.5 * RADIUS + 0.1 * RADIUS * dice.uniform();
            let mass = 1.0 + 0.2 * dice.uniform();
            let (along, across) = (0.5 * mass * RADIUS * RADIUS, mass * length * length / 12.0);
            let even = layer % 2 == 0;
            let inertia = if even { [along, across, across] } else { [across, along, across] };
            let body = add_body(&mut problem, &mut dice, mass, inertia);
            let point = |distance: f64, z: f64| if even { [distance, 0.0, z] } else { [0.0, distance, z] };
            if layer == 0 {
                for end in [-0.5 * length, 0.5 * length] {
                    let arm = point(end, -RADIUS);
                    add_contact(&mut problem, [body, TwoBodyProblem::GROUND], [0.0, 0.0, 1.0], [arm; 2], mu);
                }
            }
            for &(other, place) in &below {
                let other_arm = if even { [0.0, side, RADIUS] } else { [side, 0.0, RADIUS] };
                let arms = [point(place, -RADIUS), other_arm];
                add_contact(&mut problem, [body, other], [0.0, 0.0, 1.0], arms, mu);
            }
            current.push((body, side));
        }
        below = current;
    }
    problem.condense().expect("well-formed")
}

/// Random rows, `contacts` times three of them on fewer coordinates, μ between 0.1 and 1.
pub fn over_constrained(seed: u64, contacts: usize, coordinates: usize) -> FrictionProblem {
    let mut dice = Numbers(1000 * coordinates as u64 + seed);
    for _ in 0..8 {
        dice.uniform();
    }
    let rows = 3 * contacts;
    let H: Vec<Vec<f64>> = (0..rows).map(|_| (0..coordinates).map(|_| dice.uniform()).collect()).collect();
    let inverse_mass: Vec<f64> = (0..coordinates).map(|_| 1.0 / (1.25 + 0.75 * dice.uniform())).collect();
    let v: Vec<f64> = (0..coordinates).map(|_| dice.uniform()).collect();
    let mu = (0..contacts).map(|_| 0.55 + 0.45 * dice.uniform()).collect();
    let w = |i: usize, j: usize| (0..coordinates).map(|k| H[i][k] * inverse_mass[k] * H[j][k]).sum::<f64>();
    let blocks: Vec<(usize, usize, Vec<f64>)> = (0..contacts * contacts)
        .map(|k| (k / contacts, k % contacts))
        .map(|(i, j)| (i, j, (0..9).map(|k| w(3 * i + k % 3, 3 * j + k / 3)).collect()))
        .collect();
    let blocks: Vec<_> = blocks.iter().map(|(i, j, block)| (*i, *j, block.as_slice())).collect();
    let W = BlockMatrix::from_blocks(3, contacts, &blocks).expect("in range");
    let b = H.iter().map(|h| h.iter().zip(&v).map(|(h, v)| h * v).sum()).collect();
    FrictionProblem::new(W, b, mu, Vec::new()).expect("sizes agree")
}

/// A body that falls, with some noise in its velocities.
fn add_body(problem: &mut TwoBodyProblem, dice: &mut Numbers, mass: f64, inertia: [f64; 3]) -> u32 {
    let [a, b, c] = inertia.map(|x| 1.0 / x);
    problem.inverse_mass.push(1.0 / mass);
    problem.inverse_inertia.push([a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c]);
    let mut v: [f64; 6] = std::array::from_fn(|k| 0.1 * FALL * dice.uniform() / if k < 3 { 1.0 } else { RADIUS });
    v[2] -= FALL;
    problem.v.push(v);
    problem.v.len() as u32 - 1
}

/// Rows e·(v + ω × p) of both bodies, for the normal and two tangents.
fn add_contact(problem: &mut TwoBodyProblem, bodies: [u32; 2], n: [f64; 3], arms: [[f64; 3]; 2], mu: f64) {
    let helper = if n[2].abs() < 0.9 { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] };
    let t = unit(cross(n, helper));
    for (sign, p) in [(1.0, arms[0]), (-1.0, arms[1])] {
        for e in [n, t, cross(n, t)] {
            let m = cross(p, e);
            problem.H.push([e[0], e[1], e[2], m[0], m[1], m[2]].map(|x| sign * x));
        }
    }
    problem.bodies.push(bodies);
    problem.w.extend([0.0; 3]);
    problem.mu.push(mu);
}

fn unit(x: [f64; 3]) -> [f64; 3] {
    let size = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt();
    x.map(|x| x / size)
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
