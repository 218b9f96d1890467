//! What supports do to the nodes they hold: whatever is left of the balance of momentum in the directions they take away.
//!
//!   R_s = (f(u₀, u₁) + C u̇ + M Δu̇/h − F − contacts)_s,   means over a step from one state to the next

use super::coordinates::Axis;
use super::elastic::Elasticity;
use super::mass::{self, SolidMass};
use super::matrices::Rules;
use super::model::Solid;
use crate::InputError;
use crate::bodies::math::{Vec3, axpy, dot, scale, sub};

/// Displacement and velocity of every node at a time.
#[derive(Clone, Debug)]
pub struct NodalState {
    /// t [s].
    pub t: f64,
    /// u [m].
    pub u: Vec<Vec3>,
    /// u̇ [m/s].
    pub v: Vec<Vec3>,
}

/// The forces of supports.
#[derive(Clone, Debug)]
pub struct Reactions {
    elasticity: Elasticity,
    rules: Rules,
    /// a m of each node, where mass is lumped.
    drags: Vec<f64>,
}

impl Reactions {
    /// Of a solid; none where nothing holds it but the axis it turns about.
    pub fn new(solid: &Solid) -> Result<Option<Self>, InputError> {
        if (0..solid.matter().n_nodes()).all(|node| held(solid, node).next().is_none()) {
            return Ok(None);
        }
        let drags = solid.node_drags();
        Ok(Some(Self { elasticity: Elasticity::new(solid)?, rules: Rules::new(), drags }))
    }

    /// Force on each node over the step between two states, beside the force of contacts there [N]; none where an element is inside out.
    pub fn over(&self, solid: &Solid, [a, b]: [&NodalState; 2], contact: &[Vec3]) -> Option<Vec<Vec3>> {
        let X = &solid.matter().X;
        let h = b.t - a.t;
        let places = |u: &[Vec3]| -> Vec<Vec3> { X.iter().zip(u).map(|(X, u)| axpy(X, 1.0, u)).collect() };
        let mut left = vec![[0.0; 3]; X.len()];
        self.elasticity.force([&places(&a.u), &places(&b.u)], h, &mut left)?;

        // inertia, and damping by the mass
        let pairs = || a.v.iter().zip(&b.v);
        let rate: Vec<Vec3> = pairs().map(|(a, b)| scale(1.0 / h, &sub(b, a))).collect();
        let mean: Vec<Vec3> = pairs().map(|(a, b)| scale(0.5, &axpy(a, 1.0, b))).collect();
        match solid.description().mass {
            SolidMass::Lumped => {
                for (i, left) in left.iter_mut().enumerate() {
                    *left = axpy(&axpy(left, solid.node_mass().lumped[i], &rate[i]), self.drags[i], &mean[i]);
                }
            }
            SolidMass::Consistent => self.add_consistent(solid, &rate, &mean, &mut left),
        }

        let forces = solid.held_force();
        let of_node = |node: usize| {
            held(solid, node).fold([0.0; 3], |sum, (i, direction)| {
                let load = 0.5 * (forces[i].at(a.t) + forces[i].at(b.t));
                let R = dot(&direction, &sub(&left[node], &contact[node])) - load;
                axpy(&sum, R, &direction)
            })
        };
        Some((0..X.len()).map(of_node).collect())
    }

    fn add_consistent(&self, solid: &Solid, rate: &[Vec3], mean: &[Vec3], left: &mut [Vec3]) {
        let matter = solid.matter();
        for (e, cell) in matter.cells.iter().enumerate() {
            let (entry, places, part) = (cell.kind.entry(), matter.places(e), &solid.parts()[matter.part[e]]);
            let nodes: Vec<usize> = cell.nodes().collect();
            let n = nodes.len();
            let m = mass::consistent(
                entry,
                &places[..n],
                matter.section,
                part.material.density,
                self.rules.mass(cell.kind),
            );
            for (row, &i) in m.chunks_exact(n).zip(&nodes) {
                for (m, &j) in row.iter().zip(&nodes) {
                    left[i] = axpy(&axpy(&left[i], *m, &rate[j]), part.damping.mass * m, &mean[j]);
                }
            }
        }
    }
}

/// The directions of a node that supports hold, and their numbers; not the radius of what lies on an axis, whose rings have no length.
fn held(solid: &Solid, node: usize) -> impl Iterator<Item = (usize, Vec3)> + '_ {
    let (coordinates, matter) = (solid.coordinates(), solid.matter());
    let on_axis = matter.is_on_axis(node);
    coordinates.axes(node).iter().enumerate().filter_map(move |(k, axis)| match axis {
        Axis::Supported(i) => {
            let direction = coordinates.direction(node, k);
            (!on_axis || direction[0] == 0.0).then_some((*i, direction))
        }
        Axis::Free(_) => None,
    })
}
