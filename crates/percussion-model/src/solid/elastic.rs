//! What resists the deformation of a solid, small or finite, as a step asks it.

use super::finite::FiniteSolid;
use super::small::SmallSolid;
use super::{Kinematics, Solid};
use crate::InputError;
use crate::bodies::math::Vec3;

/// Strain energy with its force over a step.
#[derive(Clone, Debug)]
pub enum Elasticity {
    /// Small displacements.
    Small(SmallSolid),
    /// Finite ones.
    Finite(Box<FiniteSolid>),
}

impl Elasticity {
    /// Of a solid.
    pub fn new(solid: &Solid) -> Result<Self, InputError> {
        Ok(match solid.kinematics() {
            Kinematics::Linear => Self::Small(SmallSolid::new(solid)),
            Kinematics::Finite(laws) => Self::Finite(Box::new(FiniteSolid::new(solid, laws)?)),
        })
    }

    /// V at places x [J]; `None` where an element is inside out and its law has no value.
    pub fn energy(&self, x: &[Vec3]) -> Option<f64> {
        match self {
            Self::Small(solid) => Some(solid.energy(x)),
            Self::Finite(solid) => solid.energy(x, 1),
        }
    }

    /// f ← the force over a step of length h from x₀ to x₁ on the nodes, as ∂V/∂x [N]; what viscosity takes [J].
    pub fn force(&self, [x0, x1]: [&[Vec3]; 2], h: f64, f: &mut [Vec3]) -> Option<f64> {
        match self {
            Self::Small(solid) => Some(solid.force(x0, x1, h, f)),
            Self::Finite(solid) => solid.force(x0, x1, f, 1).map(|()| 0.0),
        }
    }

    /// ∂f/∂x₁ element by element: its nodes, and the matrix by rows, d·node + component.
    pub fn tangents(&self, [x0, x1]: [&[Vec3]; 2], h: f64, visit: impl FnMut(&[usize], &[f64])) -> Option<()> {
        match self {
            Self::Small(solid) => {
                solid.tangents(h, visit);
                Some(())
            }
            Self::Finite(solid) => solid.tangents(x0, x1, 1, visit),
        }
    }
}
