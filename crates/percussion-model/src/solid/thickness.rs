//! How thick a solid is where it touches: what penetration is measured by.
//!
//!   ℓ = min(half the least extent, 2 V/A) of each connected piece,    of a contact the smaller of the two it is between
//!
//! 2 V/A is twice the half-thickness of a thin plate however it is bent, 2R/3 of a ball and R of a disc.

use super::contact::{Against, Obstacle};
use super::matrices::Rules;
use super::model::Solid;
use super::surface::Surface;
use crate::bodies::math::norm;

impl Solid {
    /// ℓ of each candidate [m].
    pub fn half_thicknesses(&self) -> Vec<f64> {
        let (piece, count) = self.graph().pieces();
        let of_piece = self.of_pieces(&piece, count);
        let of_surface =
            |surface: &Surface| surface.nodes.iter().map(|&i| of_piece[piece[i]]).fold(f64::INFINITY, f64::min);
        let laws = self.laws().iter().zip(self.contact_surfaces());
        let other: Vec<f64> = laws
            .map(|(law, (_, other))| match (&law.against, other) {
                (Against::Obstacle { shape: Obstacle::Plane { .. }, .. }, _) | (Against::Surface { .. }, None) => {
                    f64::INFINITY
                }
                (
                    Against::Obstacle {
                        shape: Obstacle::Sphere { radius, .. } | Obstacle::Cylinder { radius, .. },
                        ..
                    },
                    _,
                ) => *radius,
                (Against::Obstacle { shape: Obstacle::Block { half, .. }, .. }, _) => {
                    half.iter().fold(f64::INFINITY, |least, l| least.min(*l))
                }
                (Against::Surface { .. }, Some(other)) => of_surface(other),
            })
            .collect();
        self.candidates().iter().map(|c| of_piece[piece[c.node]].min(other[c.contact])).collect()
    }

    /// ℓ of each connected piece.
    fn of_pieces(&self, piece: &[usize], count: usize) -> Vec<f64> {
        let (matter, rules) = (self.matter(), Rules::new());
        let (mut volume, mut area) = (vec![0.0; count], vec![0.0; count]);
        for (e, cell) in matter.cells.iter().enumerate() {
            let own: f64 = matter.samples(e, rules.mass(cell.kind)).map(|at| at.dV).sum();
            cell.nodes().next().into_iter().for_each(|i| volume[piece[i]] += own);
        }
        for face in &self.outer_surface().faces {
            area[piece[face.nodes()[0]]] += norm(&face.area_vector(&matter.X, matter.section));
        }
        let mut ends = vec![[[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]]; count];
        for (x, &k) in matter.X.iter().zip(piece) {
            let [low, high] = &mut ends[k];
            (0..3).for_each(|axis| (low[axis], high[axis]) = (low[axis].min(x[axis]), high[axis].max(x[axis])));
        }
        let least = |[low, high]: &[[f64; 3]; 2]| {
            (0..matter.dimension()).map(|k| high[k] - low[k]).fold(f64::INFINITY, f64::min)
        };
        (0..count).map(|k| (0.5 * least(&ends[k])).min(2.0 * volume[k] / area[k])).collect()
    }
}
