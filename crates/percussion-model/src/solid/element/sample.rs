//! An element at a point of quadrature: place, shape functions, gradients in space, and the volume the point stands for.
//!
//!   x = Σ N_a X_a,    J = ∂x/∂ξ,    ∇N = J⁻ᵀ ∂N/∂ξ,    dV = w det J t   (t: thickness, or 2πr about an axis)

use super::{Element, MOST_NODES, Point};
use crate::bodies::math::{cross, dot, norm};
use crate::solid::section::Section;

/// What an element is at one point inside it.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Number of nodes.
    pub n: usize,
    /// x [m].
    pub x: [f64; 3],
    /// N_a.
    pub N: [f64; MOST_NODES],
    /// ∇N_a [1/m].
    pub dN: [[f64; 3]; MOST_NODES],
    /// Volume the point stands for [m³]; negative in elements that are inside out.
    pub dV: f64,
}

/// What a face is at one point on it.
#[derive(Clone, Copy, Debug)]
pub struct FaceSample {
    /// Number of nodes.
    pub n: usize,
    /// x [m].
    pub x: [f64; 3],
    /// N_a.
    pub N: [f64; MOST_NODES],
    /// Area the point stands for [m²].
    pub dA: f64,
    /// Unit normal, outwards.
    pub normal: [f64; 3],
}

impl Sample {
    /// Of an element with nodes at X; `None` where its map has no inverse.
    pub fn new(element: &Element, X: &[[f64; 3]], point: &Point, section: Section) -> Option<Self> {
        let (n, d) = (element.nodes.len(), element.domain.dimension());
        let (N, x) = place(element, X, point.xi);
        let mut local = [[0.0; 3]; MOST_NODES];
        (element.gradient)(point.xi, &mut local[..n]);

        // J[i][k] = ∂x_i/∂ξ_k, the unit matrix beyond the element's dimension
        let mut J = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for i in 0..d {
            for k in 0..d {
                J[i][k] = (0..n).map(|a| X[a][i] * local[a][k]).sum();
            }
        }
        let (inverse, det) = inverse(&J)?;
        let mut dN = [[0.0; 3]; MOST_NODES];
        for a in 0..n {
            for i in 0..d {
                dN[a][i] = (0..d).map(|k| local[a][k] * inverse[k][i]).sum();
            }
        }
        Some(Self { n, x, N, dN, dV: point.weight * det * section.weight(x[0]) })
    }
}

impl FaceSample {
    /// Of a face with nodes at X, in the plane a line, in space a triangle or quadrilateral.
    pub fn new(element: &Element, X: &[[f64; 3]], point: &Point, section: Section) -> Self {
        let n = element.nodes.len();
        let (N, x) = place(element, X, point.xi);
        let mut local = [[0.0; 3]; MOST_NODES];
        (element.gradient)(point.xi, &mut local[..n]);
        let tangent = |k: usize| [0, 1, 2].map(|i| (0..n).map(|a| X[a][i] * local[a][k]).sum::<f64>());

        // lines run with the solid on their left, faces turn counter-clockwise seen from outside
        let area = if element.domain.dimension() == 1 {
            let t = tangent(0);
            [t[1], -t[0], 0.0]
        } else {
            cross(&tangent(0), &tangent(1))
        };
        let size = norm(&area);
        let normal = if size > 0.0 { area.map(|x| x / size) } else { [0.0; 3] };
        Self { n, x, N, dA: point.weight * size * section.weight(x[0]), normal }
    }
}

fn place(element: &Element, X: &[[f64; 3]], xi: [f64; 3]) -> ([f64; MOST_NODES], [f64; 3]) {
    let mut N = [0.0; MOST_NODES];
    (element.shape)(xi, &mut N[..element.nodes.len()]);
    let x = [0, 1, 2].map(|i| X.iter().zip(&N).map(|(X, N)| N * X[i]).sum());
    (N, x)
}

/// J⁻¹ and det J.
fn inverse(J: &[[f64; 3]; 3]) -> Option<([[f64; 3]; 3], f64)> {
    let rows = [cross(&J[1], &J[2]), cross(&J[2], &J[0]), cross(&J[0], &J[1])];
    let det = dot(&J[0], &rows[0]);
    if det == 0.0 || !det.is_finite() {
        return None;
    }
    let mut inverse = [[0.0; 3]; 3];
    for i in 0..3 {
        for k in 0..3 {
            inverse[k][i] = rows[i][k] / det;
        }
    }
    Some((inverse, det))
}
