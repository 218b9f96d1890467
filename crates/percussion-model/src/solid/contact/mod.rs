//! Candidates for contact: points of a surface that may touch an obstacle or another surface.
//!
//!   g = n·Σ_i w_i (X_i + u_i) − place of the obstacle,    u_T = t·Σ_i w_i v_i,    Σ_i w_i = 0 between surfaces, 1 against obstacles
//!
//! Normals, tangents and weights are those of the undeformed solid (small displacements).

mod mortar;
mod mortar_plane;
mod mortar_space;
mod node_to_face;
mod obstacle;
pub(super) mod search;

pub use mortar::Multipliers;
pub use obstacle::Obstacle;

pub(super) use mortar::candidates as mortar;
pub(super) use node_to_face::{candidates as node_to_face, every_node};
pub(super) use obstacle::candidates as node_to_obstacle;

use crate::Signal;
use crate::bodies::math::{Vec3, axpy, cross, dot, norm, scale};

/// How a surface meets what it is against.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceContact {
    /// Group whose faces may touch; between two surfaces the one that carries the contact points.
    pub surface: String,
    /// What they may touch.
    pub against: Against,
    /// e ∈ [0, 1] of each candidate.
    pub restitution: f64,
    /// μ ≥ 0.
    pub friction: f64,
    /// Whether the nodes of the surface (of both) give their mass to those behind them.
    pub massless: bool,
}

/// What a surface may touch.
#[derive(Clone, Debug, PartialEq)]
pub enum Against {
    /// A rigid shape, touched by the nodes of the surface.
    Obstacle {
        /// The shape at rest.
        shape: Obstacle,
        /// Its displacement, one signal per component, none at rest [m].
        motion: Vec<Signal>,
    },
    /// Another surface, of the same solid or of another part.
    Surface {
        /// Its group.
        surface: String,
        /// How the two are tied together.
        method: Method,
        /// Candidates are made where the gap is below this [m].
        reach: f64,
    },
}

/// How points of one surface are paired with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Nodes against faces: simple, but pressures are off by some percent where meshes do not match.
    Node,
    /// Weighted gaps ∫φ_j g dA: constant pressure is transmitted exactly.
    Mortar(Multipliers),
}

/// A point that may touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Number of the surface contact it belongs to.
    pub contact: usize,
    /// The node of the surface it stands for.
    pub node: usize,
    /// w: nodes and their weights.
    pub weights: Vec<(usize, f64)>,
    /// Normal, pointing the way the surface moves when the gap opens, and tangents (the second in space only).
    pub frame: [Vec3; 3],
    /// g at rest, in the undeformed solid; zero where the pairs of two surfaces are found step by step [m].
    pub gap: f64,
    /// Area it stands for: pressure is force over area [m²].
    pub area: f64,
}

/// n and its tangents: in the plane (n_y, −n_x), in space from the axis most at right angles to n.
pub(super) fn frame(n: Vec3, d: usize) -> [Vec3; 3] {
    if d == 2 {
        return [n, [n[1], -n[0], 0.0], [0.0, 0.0, 1.0]];
    }
    let mut least = 0;
    for k in 1..3 {
        if n[k].abs() < n[least].abs() {
            least = k;
        }
    }
    let mut axis = [0.0; 3];
    axis[least] = 1.0;
    let rest = axpy(&axis, -dot(&axis, &n), &n);
    let t = scale(1.0 / norm(&rest), &rest);
    [n, t, cross(&n, &t)]
}
