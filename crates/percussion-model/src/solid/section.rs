//! What a mesh of plane elements stands for: a slice, a sheet, a body of revolution; or a solid in space.
//!
//!   ε = sym ∇u,   about an axis also ε_θ = u_r / r with the weight 2πr

use crate::InputError;
use crate::code::Code;

/// Which strains a solid has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Section {
    /// A solid in space.
    Space,
    /// A slice of a long body: ε_zz = 0.
    Strain {
        /// Thickness of the slice [m].
        thickness: f64,
    },
    /// A thin sheet: σ_zz = 0.
    Stress {
        /// Thickness of the sheet [m].
        thickness: f64,
    },
    /// A body of revolution about the y axis, x being the radius r.
    Axisymmetric,
}

impl Section {
    /// Number of coordinates of a node.
    pub fn dimension(self) -> usize {
        match self {
            Self::Space => 3,
            Self::Strain { .. } | Self::Stress { .. } | Self::Axisymmetric => 2,
        }
    }

    /// What an area of the mesh counts for: thickness, or 2πr.
    pub fn weight(self, r: f64) -> f64 {
        match self {
            Self::Space => 1.0,
            Self::Strain { thickness } | Self::Stress { thickness } => thickness,
            Self::Axisymmetric => std::f64::consts::TAU * r,
        }
    }

    /// Whether rings are stretched by radial motion.
    pub fn has_rings(self) -> bool {
        match self {
            Self::Axisymmetric => true,
            Self::Space | Self::Strain { .. } | Self::Stress { .. } => false,
        }
    }

    pub(super) fn check(self) -> Result<(), InputError> {
        match self {
            Self::Space | Self::Axisymmetric => Ok(()),
            Self::Strain { thickness } | Self::Stress { thickness } => {
                if thickness > 0.0 && thickness.is_finite() {
                    return Ok(());
                }
                let message = format!("thickness = {thickness} is not a positive number");
                Err(InputError::new(Code::BAD_SIZE, "model.thickness", message, "give the thickness in metres"))
            }
        }
    }
}
