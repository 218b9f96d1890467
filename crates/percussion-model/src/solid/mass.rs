//! Mass of elements and of nodes.
//!
//!   consistent m_ab = ∫ρ N_a N_b,    lumped m_a = ∫ρ N_a, or in proportion to m_aa where row sums are not positive

use super::element::{Element, Lumping, MOST_NODES, Point, Sample};
use super::section::Section;

/// How the mass of a solid is represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolidMass {
    /// From the shape functions; couples neighbouring nodes.
    Consistent,
    /// At the nodes; diagonal.
    Lumped,
}

/// m_ab of an element with nodes at X, n × n by rows; zero where the element cannot be mapped.
pub fn consistent(element: &Element, X: &[[f64; 3]], section: Section, density: f64, rule: &[Point]) -> Vec<f64> {
    let n = element.nodes.len();
    let mut m = vec![0.0; n * n];
    for at in rule.iter().filter_map(|point| Sample::new(element, X, point, section)) {
        for a in 0..n {
            for b in 0..n {
                m[n * a + b] += density * at.dV * at.N[a] * at.N[b];
            }
        }
    }
    m
}

/// m_a of an element with nodes at X.
pub fn lumped(element: &Element, X: &[[f64; 3]], section: Section, density: f64, rule: &[Point]) -> [f64; MOST_NODES] {
    let n = element.nodes.len();
    let (mut rows, mut squares) = ([0.0; MOST_NODES], [0.0; MOST_NODES]);
    for at in rule.iter().filter_map(|point| Sample::new(element, X, point, section)) {
        for a in 0..n {
            rows[a] += density * at.dV * at.N[a];
            squares[a] += density * at.dV * at.N[a] * at.N[a];
        }
    }
    match element.lumping {
        Lumping::RowSum => rows,
        Lumping::DiagonalScaling => {
            let factor = rows.iter().sum::<f64>() / squares.iter().sum::<f64>();
            squares.map(|m| m * factor)
        }
    }
}
