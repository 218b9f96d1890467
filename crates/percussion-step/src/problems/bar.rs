//! An elastic bar of unit density and cross-section that flies against a wall.
//!
//!   c = √E,   contact lasts 2L/c with the force c v0

use super::Known;
use super::linear::{contact, linear};
use crate::Problem;
use crate::measure::BarImpact;
use percussion_model::build::{Bar, MassKind};
use percussion_model::{InputError, LinearParts, Signal};

/// The bar in two-node elements, one fewer than the nodes at which the motion is given, with either mass matrix; q are
/// displacements.
pub fn bar(motion: &BarImpact, mass: MassKind) -> Result<Problem, InputError> {
    let BarImpact { c, length, v0, d0, nodes } = *motion;
    let bar = Bar { young: c * c, density: 1.0, area: 1.0, length, elements: nodes.saturating_sub(1), mass };
    let (mass, stiffness) = bar.matrices()?;
    let mut normal = vec![0.0; nodes];
    normal[0] = 1.0;
    let parts = LinearParts {
        mass,
        damping: None,
        stiffness: Some(stiffness),
        force: vec![Signal::constant(0.0); nodes],
        contacts: vec![contact(&normal, d0, 0.0)],
        joints: Vec::new(),
    };
    linear(parts, &vec![0.0; nodes], &vec![-v0; nodes])
}

impl BarImpact {
    /// The bar of the literature: 200 elements, L = 10 m, c = 30 m/s, flying at 10 m/s from 5.005 m.
    pub const USUAL: Self = Self { c: 30.0, length: 10.0, v0: 10.0, d0: 5.005, nodes: 201 };
}

impl Known for BarImpact {
    fn problem(&self) -> Result<Problem, InputError> {
        bar(self, MassKind::Consistent)
    }
}
