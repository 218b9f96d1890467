//! A node against a triangle in space: a gap whose row is exact over a step.
//!
//!   g = 𝒱/√N,   𝒱 = (e₁ × e₂)·r,   N = |e₁ × e₂|²,   e₁ = x_b − x_a,  e₂ = x_c − x_a,  r = x_s − x_a
//!   D_𝒱 = ∇𝒱(x_½) + d Σ Δπ_i ∇π_i(x_½)/|Δπ|²,   d = ¼ det(Δe₁, Δe₂, Δr),   π = e₁², e₂², r², e₁·e₂, e₁·r, e₂·r
//!   D_g = ½(N₀^{-½} + N₁^{-½}) D_𝒱 − (𝒱₀ + 𝒱₁)/(2√N₀√N₁(√N₀ + √N₁)) D_N,    D_g·Δx = g₁ − g₀
//!
//! 𝒱 is cubic: d is what its gradient at midpoint misses. It vanishes with Δπ in rigid motion, so the rows keep momenta.

use crate::bodies::math::{Vec3, axpy, cross, dot, norm, scale, sub};

/// The places of a node and of the corners of a triangle: s, a, b, c.
pub type Four = [Vec3; 4];

/// A node against a triangle over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceGap {
    /// g at the start [m].
    pub before: f64,
    /// g at the end [m].
    pub after: f64,
    /// D_g, the row of the normal: one vector per node.
    pub normal: Four,
    /// Rows of the slip rates, with the couples that keep angular momentum where g ≠ 0.
    pub tangents: [Four; 2],
}

/// e₁, e₂, r.
type Edges = [Vec3; 3];

/// Products of edges that π is made of.
const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

/// Δπ below this part of π is none.
const NO_CHANGE: f64 = 1e-14;

impl FaceGap {
    /// Between places x₀ and x₁ of s, a, b, c.
    pub fn new(x0: &Four, x1: &Four) -> Self {
        // lengths in units of the face, so that the products π are of order one
        let size = norm(&sub(&x0[2], &x0[1])).max(norm(&sub(&x0[3], &x0[1])));
        let (E0, E1) = (edges(x0, size), edges(x1, size));
        let (V0, V1) = (volume(&E0), volume(&E1));
        let (P0, P1) = (products(&E0), products(&E1));
        let middle = [0, 1, 2, 3].map(|k| scale(0.5, &axpy(&x0[k], 1.0, &x1[k])));
        let E = edges(&middle, size);

        // D_𝒱, by edges
        let change = [0, 1, 2].map(|k| sub(&E1[k], &E0[k]));
        let d = 0.25 * volume(&change);
        let dP = [0, 1, 2, 3, 4, 5].map(|k| P1[k] - P0[k]);
        let square: f64 = dP.iter().map(|x| x * x).sum();
        let mut D_V = [cross(&E[1], &E[2]), cross(&E[2], &E[0]), cross(&E[0], &E[1])];
        let largest = P0.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if square.sqrt() > NO_CHANGE * largest {
            for (k, dP) in dP.iter().enumerate() {
                add_product(&mut D_V, k, d * dP / square, &E);
            }
        }

        // D_N, N = e₁² e₂² − (e₁·e₂)²
        let mean = |k: usize| 0.5 * (P0[k] + P1[k]);
        let mut D_N = [[0.0; 3]; 3];
        add_product(&mut D_N, 1, mean(0), &E);
        add_product(&mut D_N, 0, mean(1), &E);
        add_product(&mut D_N, 3, -2.0 * mean(3), &E);

        let root = |P: &[f64; 6]| (P[0] * P[1] - P[3] * P[3]).sqrt();
        let (R0, R1) = (root(&P0), root(&P1));
        let (a, b) = (0.5 * (1.0 / R0 + 1.0 / R1), (V0 + V1) / (2.0 * R0 * R1 * (R0 + R1)));
        let by_edge = [0, 1, 2].map(|k| axpy(&scale(a, &D_V[k]), -b, &D_N[k]));
        Self { before: size * V0 / R0, after: size * V1 / R1, normal: by_node(&by_edge), tangents: slip(&middle) }
    }
}

fn edges([s, a, b, c]: &Four, size: f64) -> Edges {
    [sub(b, a), sub(c, a), sub(s, a)].map(|e| scale(1.0 / size, &e))
}

fn volume(E: &Edges) -> f64 {
    dot(&cross(&E[0], &E[1]), &E[2])
}

fn products(E: &Edges) -> [f64; 6] {
    PAIRS.map(|(i, j)| dot(&E[i], &E[j]))
}

/// D ← D + c ∇π_k.
fn add_product(D: &mut Edges, k: usize, c: f64, E: &Edges) {
    let (i, j) = PAIRS[k];
    D[i] = axpy(&D[i], c, &E[j]);
    D[j] = axpy(&D[j], c, &E[i]);
}

/// A row by edges as one by nodes: the edges all begin at a.
fn by_node([e1, e2, r]: &Edges) -> Four {
    let a = scale(-1.0, &axpy(&axpy(e1, 1.0, e2), 1.0, r));
    [*r, a, *e1, *e2]
}

/// s: t;  corners: −N_j t + g (t·∇N_j) n. As Σ x_j (t·∇N_j) = t, the couple is g t × n, what the lever g n of the node needs.
fn slip(x: &Four) -> [Four; 2] {
    let [e1, e2, r] = edges(x, 1.0);
    let area = cross(&e1, &e2);
    let n = scale(1.0 / norm(&area), &area);
    let g = dot(&r, &n);
    // gradients of N_b and N_c on the face
    let square = dot(&area, &area);
    let grad_b = scale(1.0 / square, &cross(&e2, &area));
    let grad_c = scale(1.0 / square, &cross(&area, &e1));
    let N = [dot(&grad_b, &r), dot(&grad_c, &r)];
    let first = scale(1.0 / norm(&e1), &e1);
    [first, cross(&n, &first)].map(|t| {
        let corner = |N: f64, gradient: &Vec3| axpy(&scale(-N, &t), g * dot(&t, gradient), &n);
        let grad_a = scale(-1.0, &axpy(&grad_b, 1.0, &grad_c));
        [t, corner(1.0 - N[0] - N[1], &grad_a), corner(N[0], &grad_b), corner(N[1], &grad_c)]
    })
}
