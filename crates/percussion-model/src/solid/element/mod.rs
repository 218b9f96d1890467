//! Finite elements as data: one file per element with an entry whose fields are all required, and one line in the list below.
//!
//!   u(ξ) = Σ_a N_a(ξ) u_a,    N_a(ξ_b) = δ_ab,    Σ_a N_a = 1
//!
//! Nodes are in Gmsh's order. The same entries serve inside a solid and, one dimension lower, on its surface.

pub mod rule;
mod sample;

pub use rule::Point;
pub use sample::{FaceSample, Sample};

/// The most nodes an element has.
pub const MOST_NODES: usize = 10;

/// From the list: the files, the enum, the list of all kinds and the way from a kind to its entry.
macro_rules! elements {
    ($($(#[$attribute:meta])+ $Kind:ident = $module:ident,)+) => {
        $(mod $module;)+

        /// The elements a mesh may hold.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ElementKind {
            $($(#[$attribute])+ $Kind,)+
        }

        impl ElementKind {
            /// Every kind.
            pub const ALL: [Self; [$(stringify!($Kind)),+].len()] = [$(Self::$Kind),+];

            /// Its entry.
            pub fn entry(self) -> &'static Element {
                match self {
                    $(Self::$Kind => &$module::ENTRY,)+
                }
            }
        }
    };
}

elements! {
    /// A single node.
    Point1 = point1,
    /// A straight line.
    Line2 = line2,
    /// A line with a node in its middle.
    Line3 = line3,
    /// A triangle.
    Tri3 = tri3,
    /// A triangle with nodes in the middle of its sides.
    Tri6 = tri6,
    /// A quadrilateral.
    Quad4 = quad4,
    /// A tetrahedron.
    Tet4 = tet4,
    /// A tetrahedron with nodes in the middle of its edges.
    Tet10 = tet10,
    /// A hexahedron.
    Hex8 = hex8,
}

/// The domain of ξ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// A point.
    Point,
    /// −1 ≤ ξ ≤ 1.
    Line,
    /// ξ, η ≥ 0, ξ + η ≤ 1.
    Triangle,
    /// −1 ≤ ξ, η ≤ 1.
    Square,
    /// ξ, η, ζ ≥ 0, ξ + η + ζ ≤ 1.
    Tetrahedron,
    /// −1 ≤ ξ, η, ζ ≤ 1.
    Cube,
}

impl Domain {
    /// Its dimension.
    pub fn dimension(self) -> usize {
        match self {
            Self::Point => 0,
            Self::Line => 1,
            Self::Triangle | Self::Square => 2,
            Self::Tetrahedron | Self::Cube => 3,
        }
    }
}

/// How the mass of an element is put on its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lumping {
    /// m_a = ∫ρ N_a.
    RowSum,
    /// m_a in proportion to ∫ρ N_a² (Hinton, Rock, Zienkiewicz 1976): row sums of quadratic elements vanish or are negative
    /// at the corners.
    DiagonalScaling,
}

/// A face of an element: an element of one dimension less on some of its nodes, its normal pointing outwards.
#[derive(Clone, Copy, Debug)]
pub struct ElementFace {
    /// The kind of the face.
    pub kind: ElementKind,
    /// The element's nodes it has.
    pub nodes: &'static [usize],
}

/// What there is to know about an element.
#[derive(Debug)]
pub struct Element {
    /// Its name, such as `tet10`.
    pub name: &'static str,
    /// Its number in Gmsh's files.
    pub gmsh: u32,
    /// Its number in VTK's files.
    pub vtk: u8,
    /// VTK's order of its nodes.
    pub vtk_order: &'static [usize],
    /// Its reference domain.
    pub domain: Domain,
    /// The element of its corners alone.
    pub of_corners: ElementKind,
    /// ξ of its nodes.
    pub nodes: &'static [[f64; 3]],
    /// Number of its corners, which come first.
    pub corners: usize,
    /// N(ξ), one per node.
    pub shape: fn([f64; 3], &mut [f64]),
    /// ∂N/∂ξ, one per node.
    pub gradient: fn([f64; 3], &mut [[f64; 3]]),
    /// Points for the stiffness.
    pub stiffness_rule: fn() -> Vec<Point>,
    /// Points that integrate the mass exactly, with the weight 2πr too, where edges are straight.
    pub mass_rule: fn() -> Vec<Point>,
    /// How its mass is lumped.
    pub lumping: Lumping,
    /// Its faces.
    pub faces: &'static [ElementFace],
    /// Its nodes in the order that turns it inside out.
    pub mirror: &'static [usize],
    /// The triangles it is drawn with, for elements of dimension 2.
    pub triangles: &'static [[usize; 3]],
}

impl ElementKind {
    /// Number of nodes.
    pub fn n_nodes(self) -> usize {
        self.entry().nodes.len()
    }

    /// Dimension of its reference domain.
    pub fn dimension(self) -> usize {
        self.entry().domain.dimension()
    }
}

impl Element {
    /// ξ of the middle of its corners.
    pub fn centre(&self) -> [f64; 3] {
        let mut centre = [0.0; 3];
        for node in &self.nodes[..self.corners] {
            for k in 0..3 {
                centre[k] += node[k] / self.corners as f64;
            }
        }
        centre
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// N_a(ξ_b) = δ_ab and Σ N = 1, Σ ∂N = 0 at points inside; gradients against central differences (error 1e-10).
    #[test]
    fn shape_functions_interpolate() {
        for kind in ElementKind::ALL {
            let element = kind.entry();
            let n = element.nodes.len();
            let mut N = [0.0; MOST_NODES];
            for (b, node) in element.nodes.iter().enumerate() {
                (element.shape)(*node, &mut N[..n]);
                for a in 0..n {
                    let delta = if a == b { 1.0 } else { 0.0 };
                    assert!((N[a] - delta).abs() < 1e-15, "{}: N{a} at node {b}", element.name);
                }
            }
            let xi = [0.21, 0.17, 0.33];
            let mut dN = [[0.0; 3]; MOST_NODES];
            (element.shape)(xi, &mut N[..n]);
            (element.gradient)(xi, &mut dN[..n]);
            assert!((N[..n].iter().sum::<f64>() - 1.0).abs() < 1e-15);
            for k in 0..element.domain.dimension() {
                assert!(dN[..n].iter().map(|d| d[k]).sum::<f64>().abs() < 1e-15, "{}", element.name);
                let (mut ahead, mut behind) = (xi, xi);
                (ahead[k], behind[k]) = (xi[k] + 1e-5, xi[k] - 1e-5);
                let (mut Na, mut Nb) = ([0.0; MOST_NODES], [0.0; MOST_NODES]);
                (element.shape)(ahead, &mut Na[..n]);
                (element.shape)(behind, &mut Nb[..n]);
                for a in 0..n {
                    assert!(((Na[a] - Nb[a]) / 2e-5 - dN[a][k]).abs() < 1e-9, "{}: ∂N{a}", element.name);
                }
            }
        }
    }

    /// Turning an element inside out and drawing its faces use each of its nodes as they should.
    #[test]
    fn lists_of_nodes_fit() {
        for kind in ElementKind::ALL {
            let element = kind.entry();
            let n = element.nodes.len();
            for order in [element.mirror, element.vtk_order] {
                let mut sorted = order.to_vec();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..n).collect::<Vec<_>>(), "{}", element.name);
            }
            for face in element.faces {
                assert_eq!(face.kind.n_nodes(), face.nodes.len());
                assert_eq!(face.kind.dimension() + 1, element.domain.dimension());
            }
            assert_eq!(element.triangles.is_empty(), element.domain.dimension() != 2);
        }
    }
}
