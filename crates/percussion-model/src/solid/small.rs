//! A solid of small displacements, element by element: energy, force over a step and the tangent of that force.
//!
//!   V = Σ ½ u·k u,    f = k ū + b k Δu/h,    f·Δu = ΔV + b Δu·k Δu/h,    ∂f/∂u₁ = (½ + b/h) k
//!
//! u is taken against the first node of each element: k does not see what moves them all, and a solid far from the origin loses no digits. About an
//! axis only the part along it is: rings feel the rest.

use super::Solid;
use super::matrices::{Rules, element_stiffness};
use crate::bodies::math::{Vec3, sub};

/// Elements with constant stiffness.
#[derive(Clone, Debug)]
pub struct SmallSolid {
    elements: Vec<SmallElement>,
    /// Places without strain.
    X: Vec<Vec3>,
    d: usize,
    rings: bool,
}

#[derive(Clone, Debug)]
struct SmallElement {
    nodes: Vec<usize>,
    /// k by rows, d·node + component.
    stiffness: Vec<f64>,
    /// b [s].
    viscosity: f64,
}

impl SmallSolid {
    /// The matter of a solid.
    pub fn new(solid: &Solid) -> Self {
        let (matter, rules) = (solid.matter(), Rules::new());
        let bare = &solid.node_mass().massless;
        let element = |(e, cell): (usize, &super::Cell)| SmallElement {
            nodes: cell.nodes().collect(),
            stiffness: element_stiffness(matter, solid.parts(), &rules, (e, cell)),
            // bK of elements with nodes without mass would brake what they follow
            viscosity: if cell.nodes().any(|i| bare[i]) {
                0.0
            } else {
                solid.parts()[matter.part[e]].damping.stiffness
            },
        };
        let elements = matter.cells.iter().enumerate().map(element).collect();
        Self { elements, X: matter.X.clone(), d: matter.dimension(), rings: matter.section.has_rings() }
    }

    /// V at places x [J].
    pub fn energy(&self, x: &[Vec3]) -> f64 {
        let (mut u, mut sum) = (Vec::new(), 0.0);
        for element in &self.elements {
            self.relative(element, |i| sub(&x[i], &self.X[i]), &mut u);
            sum += 0.5 * bilinear(&element.stiffness, &u);
        }
        sum
    }

    /// f ← the force over a step of length h from x₀ to x₁ on the nodes, as ∂V/∂x; what viscosity takes [J].
    pub fn force(&self, x0: &[Vec3], x1: &[Vec3], h: f64, f: &mut [Vec3]) -> f64 {
        f.fill([0.0; 3]);
        let (mut mean, mut change, mut taken) = (Vec::new(), Vec::new(), 0.0);
        for element in &self.elements {
            let half = |i: usize| -> Vec3 { std::array::from_fn(|k| 0.5 * (x0[i][k] + x1[i][k]) - self.X[i][k]) };
            self.relative(element, half, &mut mean);
            if element.viscosity > 0.0 && h > 0.0 {
                self.relative(element, |i| sub(&x1[i], &x0[i]), &mut change);
                let b = element.viscosity / h;
                taken += b * bilinear(&element.stiffness, &change);
                mean.iter_mut().zip(&change).for_each(|(mean, change)| *mean += b * change);
            }
            for (row, k) in
                element.stiffness.chunks_exact(mean.len()).enumerate().map(|(row, k)| (row, product(k, &mean)))
            {
                f[element.nodes[row / self.d]][row % self.d] += k;
            }
        }
        taken
    }

    /// ∂f/∂x₁ element by element: its nodes, and the matrix by rows.
    pub fn tangents(&self, h: f64, mut visit: impl FnMut(&[usize], &[f64])) {
        let mut K = Vec::new();
        for element in &self.elements {
            let factor = 0.5 + if h > 0.0 { element.viscosity / h } else { 0.0 };
            K.clear();
            K.extend(element.stiffness.iter().map(|k| factor * k));
            visit(&element.nodes, &K);
        }
    }

    /// Differences of a field to that of the first node of an element.
    fn relative(&self, element: &SmallElement, value: impl Fn(usize) -> Vec3, u: &mut Vec<f64>) {
        let mut first = value(element.nodes[0]);
        if self.rings {
            first[0] = 0.0;
        }
        u.clear();
        for &i in &element.nodes {
            let own = value(i);
            u.extend((0..self.d).map(|k| own[k] - first[k]));
        }
    }
}

fn product(row: &[f64], u: &[f64]) -> f64 {
    row.iter().zip(u).map(|(k, u)| k * u).sum()
}

fn bilinear(K: &[f64], u: &[f64]) -> f64 {
    K.chunks_exact(u.len()).zip(u).map(|(row, u_row)| u_row * product(row, u)).sum()
}
