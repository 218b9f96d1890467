//! Cross-sections of beams: stiffness, mass and inertia per length.
//!
//!   C = diag(EA, GA₂, GA₃, GJ, EI₂, EI₃) or any symmetric positive 6 × 6,    ρJ = ρ diag(I₂ + I₃, I₂, I₃)
//!
//! The first axis runs along the beam; an element of length L carries a linear moment with the flexibility that one strain
//! misses (MacNeal 1978): C⁻¹₂₂ += L²/12EI₃, C⁻¹₃₃ += L²/12EI₂.

use super::blocks::{Mat6, inverse_spd, turned_blocks};
use crate::bodies::math::{Mat3, mul_mat, transpose};
use crate::{Code, InputError};
use std::f64::consts::PI;

/// The outline of a section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SectionShape {
    /// A rectangle.
    Rectangle {
        /// Along the second axis [m].
        width: f64,
        /// Along the third axis [m].
        depth: f64,
    },
    /// A full circle.
    Circle {
        /// [m].
        radius: f64,
    },
    /// A thin or thick tube.
    Tube {
        /// Outer radius [m].
        radius: f64,
        /// Inner radius [m].
        inner: f64,
    },
}

/// A, I₂, I₃, J and the factor of shear of an outline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// A [m²].
    pub area: f64,
    /// I₂, about the second axis [m⁴].
    pub second: f64,
    /// I₃, about the third axis [m⁴].
    pub third: f64,
    /// J, torsion constant [m⁴].
    pub torsion: f64,
    /// A₂/A = A₃/A.
    pub shear: f64,
}

/// A section of a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    stiffness: Mat6,
    mass: f64,
    inertia: Mat3,
}

impl SectionShape {
    /// Its areas; lengths that are not positive are refused.
    pub fn area(&self) -> Result<Area, InputError> {
        match *self {
            Self::Rectangle { width, depth } => {
                positive(Code::BAD_SIZE, "width", width)?;
                positive(Code::BAD_SIZE, "depth", depth)?;
                // torsion of a rectangle with sides a ≥ c (Roark's formula)
                let (a, c) = (width.max(depth), width.min(depth));
                let ratio = c / a;
                let torsion = a * c.powi(3) * (1.0 / 3.0 - 0.21 * ratio * (1.0 - ratio.powi(4) / 12.0));
                Ok(Area {
                    area: width * depth,
                    second: width * depth.powi(3) / 12.0,
                    third: depth * width.powi(3) / 12.0,
                    torsion,
                    shear: 5.0 / 6.0,
                })
            }
            Self::Circle { radius } => {
                positive(Code::BAD_SIZE, "radius", radius)?;
                Ok(ring(radius, 0.0, 6.0 / 7.0))
            }
            Self::Tube { radius, inner } => {
                positive(Code::BAD_SIZE, "radius", radius)?;
                positive(Code::BAD_SIZE, "inner", inner)?;
                if inner >= radius {
                    let message = format!("inner = {inner} is not below radius = {radius}");
                    let help = "give the radius of the hole, or a circle";
                    return Err(InputError::new(Code::CONTRADICTION, "inner", message, help));
                }
                Ok(ring(radius, inner, 0.5))
            }
        }
    }
}

fn ring(radius: f64, inner: f64, shear: f64) -> Area {
    let fourth = 0.25 * PI * (radius.powi(4) - inner.powi(4));
    let area = PI * (radius * radius - inner * inner);
    Area { area, second: fourth, third: fourth, torsion: 2.0 * fourth, shear }
}

impl Section {
    /// Of a uniform isotropic material: E [Pa], ν, ρ [kg/m³].
    pub fn of_shape(shape: &SectionShape, young: f64, poisson: f64, density: f64) -> Result<Self, InputError> {
        let Area { area, second, third, torsion, shear } = shape.area()?;
        positive(Code::BAD_PARAMETER, "young", young)?;
        positive(Code::BAD_MASS, "density", density)?;
        if !(poisson > -1.0 && poisson <= 0.5) {
            let message = format!("poisson = {poisson} is outside (−1, 0.5]");
            return Err(InputError::new(Code::BAD_PARAMETER, "poisson", message, "metals have about 0.3"));
        }
        let G = young / (2.0 * (1.0 + poisson));
        let sheared = shear * G * area;
        let C = [young * area, sheared, sheared, G * torsion, young * second, young * third];
        let J = [density * (second + third), density * second, density * third];
        Self::new(diagonal6(&C), density * area, diagonal3(&J))
    }

    /// By its stiffness [N, N·m²], mass [kg/m] and inertia [kg·m] per length.
    pub fn new(stiffness: Mat6, mass: f64, inertia: Mat3) -> Result<Self, InputError> {
        let size = stiffness.iter().flatten().fold(0.0_f64, |s, x| s.max(x.abs()));
        for i in 0..6 {
            for j in 0..i {
                if (stiffness[i][j] - stiffness[j][i]).abs() > 1e-12 * size {
                    let message = format!("entries ({i}, {j}) and ({j}, {i}) differ");
                    let help = "a potential has a symmetric stiffness";
                    return Err(InputError::new(Code::STIFFNESS_NOT_SYMMETRIC, "stiffness", message, help));
                }
            }
        }
        if inverse_spd(&stiffness).is_none() {
            let message = "some strain would cost no energy, or give some";
            let help = "give a positive definite stiffness: EA, GA2, GA3, GJ, EI2, EI3";
            return Err(InputError::new(Code::BAD_PARAMETER, "stiffness", message, help));
        }
        positive(Code::BAD_MASS, "mass_per_length", mass)?;
        for k in 0..3 {
            positive(Code::BAD_INERTIA, "inertia_per_length", inertia[k][k])?;
        }
        Ok(Self { stiffness, mass, inertia })
    }

    /// C, of the section itself.
    pub fn stiffness(&self) -> &Mat6 {
        &self.stiffness
    }

    /// ρA [kg/m].
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// ρJ [kg·m].
    pub fn inertia(&self) -> &Mat3 {
        &self.inertia
    }

    /// C of an element of length L, with the flexibility of a linear moment added to that of shear. With a full C the bending
    /// stiffnesses are those of a free section, EI₂ = 1/(C⁻¹)₅₅ and EI₃ = 1/(C⁻¹)₆₆.
    pub fn with_residual_flexibility(&self, length: f64) -> Mat6 {
        let Some(mut flexibility) = inverse_spd(&self.stiffness) else { return self.stiffness };
        let residual = length * length / 12.0;
        flexibility[1][1] += residual * flexibility[5][5];
        flexibility[2][2] += residual * flexibility[4][4];
        inverse_spd(&flexibility).unwrap_or(self.stiffness)
    }

    /// The same section in frames against which it is turned by Q: its axes are the columns of Q.
    pub fn turned(&self, Q: &Mat3) -> Self {
        Self {
            stiffness: turned_blocks(&self.stiffness, Q),
            mass: self.mass,
            inertia: mul_mat(&mul_mat(Q, &self.inertia), &transpose(Q)),
        }
    }
}

/// A diagonal matrix.
pub fn diagonal6(d: &[f64; 6]) -> Mat6 {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { d[i] } else { 0.0 }))
}

fn diagonal3(d: &[f64; 3]) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { d[i] } else { 0.0 }))
}

fn positive(code: Code, field: &str, x: f64) -> Result<(), InputError> {
    if x > 0.0 && x.is_finite() {
        return Ok(());
    }
    Err(InputError::new(code, field, format!("{field} = {x} must be positive"), "give a positive number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of 1 m: J = 0.1408 (Timoshenko and Goodier give 0.1406), I = 1/12.
    #[test]
    fn square() {
        let square = SectionShape::Rectangle { width: 1.0, depth: 1.0 }.area().unwrap();
        assert!((square.torsion - 0.1406).abs() < 5e-4, "{}", square.torsion);
        assert!((square.second - 1.0 / 12.0).abs() < 1e-16);
    }

    /// A cantilever of one element with residual flexibility has the tip deflection PL³/3EI + PL/GA of Timoshenko's beam:
    /// L²/12EI of the element's own linear moment and L²/4EI of its mean one.
    #[test]
    fn residual_flexibility_completes_a_third() {
        let section = Section::new(diagonal6(&[7.0, 5.0, 4.0, 3.0, 2.0, 1.5]), 1.0, diagonal3(&[1.0; 3])).unwrap();
        let L: f64 = 0.7;
        let C = section.with_residual_flexibility(L);
        let deflection = L / C[1][1] + L.powi(3) / (4.0 * 1.5);
        assert!((deflection - (L / 5.0 + L.powi(3) / (3.0 * 1.5))).abs() < 1e-14);
    }

    /// What no section has is refused.
    #[test]
    fn refusals() {
        let shape = SectionShape::Tube { radius: 0.1, inner: 0.1 };
        assert_eq!(shape.area().unwrap_err().code, Code::CONTRADICTION);
        let C = diagonal6(&[1.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
        assert_eq!(Section::new(C, 1.0, diagonal3(&[1.0; 3])).unwrap_err().code, Code::BAD_PARAMETER);
        let C = diagonal6(&[1.0; 6]);
        assert_eq!(Section::new(C, 0.0, diagonal3(&[1.0; 3])).unwrap_err().code, Code::BAD_MASS);
    }
}
