//! A model: a mass on a stiffening spring above a floor with friction.
//!
//!   T = ½ m (ẋ² + ẏ²),    V = ¼ k (r − l)⁴ + m g y,    gap y − floor,    tangent x

use percussion::model::{Energies, Number};

/// A mass held to the origin by a spring whose force grows with the cube of its stretch.
#[derive(Debug)]
pub struct SpringMass {
    /// m [kg].
    pub mass: f64,
    /// k [N/m³].
    pub stiffness: f64,
    /// l [m].
    pub length: f64,
    /// g [m/s²].
    pub gravity: f64,
    /// Height of the floor [m].
    pub floor: f64,
    /// e of the floor.
    pub restitution: [f64; 1],
    /// μ of the floor.
    pub friction: [f64; 1],
}

impl Energies for SpringMass {
    fn n(&self) -> usize {
        2
    }

    fn restitutions(&self) -> &[f64] {
        &self.restitution
    }

    fn frictions(&self) -> &[f64] {
        &self.friction
    }

    fn mass_is_constant(&self) -> bool {
        true
    }

    fn kinetic<D: Number>(&self, _q: &[D], v: &[D]) -> D {
        (v[0] * v[0] + v[1] * v[1]) * (0.5 * self.mass)
    }

    fn potential<D: Number>(&self, q: &[D]) -> D {
        let stretch = (q[0] * q[0] + q[1] * q[1]).sqrt() - D::from(self.length);
        stretch.powi(4) * (0.25 * self.stiffness) + q[1] * (self.mass * self.gravity)
    }

    fn constraint<D: Number>(&self, _j: usize, q: &[D]) -> D {
        q[1] - D::from(self.floor)
    }

    fn n_tangents(&self, _i: usize) -> usize {
        1
    }

    fn contact_tangent(&self, _i: usize, _k: usize, _q: &[f64], row: &mut [f64]) {
        row[0] = 1.0;
    }
}
