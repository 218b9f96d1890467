//! Hooke's law on elements of small strains: stiffness, strains, stresses.
//!
//!   σ = λ tr ε 1 + 2μ ε,    λ = Eν/((1+ν)(1−2ν)),   μ = E/(2(1+ν)),   in a sheet λ → Eν/(1−ν²)
//!   K_ai,bj = ∫ λ d_ai d_bj + μ (∂_j N_a ∂_i N_b + δ_ij ∇N_a·∇N_b) + 2μ δ_ir δ_jr N_a N_b / r²,    d_ai = ∂_i N_a + δ_ir N_a / r

use super::element::{MOST_NODES, Sample};
use super::section::Section;
use crate::InputError;
use crate::code::Code;

/// An isotropic elastic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hooke {
    /// E, Young's modulus [Pa].
    pub young: f64,
    /// ν, Poisson's ratio, above −1 and below ½.
    pub poisson: f64,
    /// ρ, density [kg/m³].
    pub density: f64,
}

/// A symmetric tensor: xx, yy, zz, xy, yz, zx. About an axis zz is the direction around it.
pub type Tensor = [f64; 6];

/// λ and μ as they act in a section [Pa].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// λ, in a sheet λ* = Eν/(1−ν²).
    pub lambda: f64,
    /// μ.
    pub mu: f64,
    /// Whether σ_zz = 0.
    pub sheet: bool,
}

impl Hooke {
    /// From λ and μ of the solid in space.
    pub fn from_lame(lambda: f64, mu: f64, density: f64) -> Self {
        Self { young: mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu), poisson: lambda / (2.0 * (lambda + mu)), density }
    }

    /// λ and μ.
    pub fn lame(&self, section: Section) -> Lame {
        let (E, nu) = (self.young, self.poisson);
        let mu = E / (2.0 * (1.0 + nu));
        match section {
            Section::Stress { .. } => Lame { lambda: E * nu / (1.0 - nu * nu), mu, sheet: true },
            Section::Space | Section::Strain { .. } | Section::Axisymmetric => {
                Lame { lambda: E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), mu, sheet: false }
            }
        }
    }

    /// c = √((λ + 2μ)/ρ), the speed of pressure waves [m/s].
    pub fn wave_speed(&self, section: Section) -> f64 {
        let lame = self.lame(section);
        ((lame.lambda + 2.0 * lame.mu) / self.density).sqrt()
    }

    pub(super) fn check(&self) -> Result<(), InputError> {
        let refuse = |field: &str, x: f64, range: &str| {
            let message = format!("{field} = {x} is not {range}");
            Err(InputError::new(Code::BAD_ELASTICITY, field.to_string(), message, format!("give a number {range}")))
        };
        for (field, x) in [("young", self.young), ("density", self.density)] {
            if !(x > 0.0 && x.is_finite()) {
                return refuse(field, x, "positive and finite");
            }
        }
        if !(self.poisson > -1.0 && self.poisson < 0.5) {
            return refuse("poisson", self.poisson, "above −1 and below ½");
        }
        Ok(())
    }
}

impl Lame {
    /// K ← K + the point's share; K is nd × nd by rows, coordinate d·a + i.
    pub fn add_stiffness(&self, at: &Sample, section: Section, K: &mut [f64]) {
        let d = section.dimension();
        let size = d * at.n;
        let (lambda, mu) = (self.lambda * at.dV, self.mu * at.dV);
        let ring = ring(at, section);
        for a in 0..at.n {
            for b in 0..at.n {
                let shear = mu * (0..d).map(|i| at.dN[a][i] * at.dN[b][i]).sum::<f64>();
                for i in 0..d {
                    let trace_a = at.dN[a][i] + if i == 0 { ring[a] } else { 0.0 };
                    for j in 0..d {
                        let trace_b = at.dN[b][j] + if j == 0 { ring[b] } else { 0.0 };
                        let mut k = lambda * trace_a * trace_b + mu * at.dN[a][j] * at.dN[b][i];
                        if i == j {
                            k += shear;
                        }
                        if i == 0 && j == 0 {
                            k += 2.0 * mu * ring[a] * ring[b];
                        }
                        K[(d * a + i) * size + d * b + j] += k;
                    }
                }
            }
        }
    }

    /// f ← f + ∫ Bᵀσ at the point, per node.
    pub fn add_force(&self, at: &Sample, section: Section, u: &[[f64; 3]], f: &mut [[f64; 3]]) {
        let s = self.stress(&strain(at, section, u));
        let rows = [[s[0], s[3], s[5]], [s[3], s[1], s[4]], [s[5], s[4], s[2]]];
        let ring = ring(at, section);
        for a in 0..at.n {
            for i in 0..section.dimension() {
                f[a][i] += at.dV * (0..section.dimension()).map(|k| rows[i][k] * at.dN[a][k]).sum::<f64>();
            }
            f[a][0] += at.dV * s[2] * ring[a];
        }
    }

    /// σ of a strain.
    pub fn stress(&self, strain: &Tensor) -> Tensor {
        let mut e = *strain;
        if self.sheet {
            e[2] = 0.0;
        }
        let pressure = self.lambda * (e[0] + e[1] + e[2]);
        let mut stress = e.map(|e| 2.0 * self.mu * e);
        stress[..3].iter_mut().for_each(|s| *s += pressure);
        if self.sheet {
            stress[2] = 0.0;
        }
        stress
    }

    /// ½ σ:ε [J/m³].
    pub fn energy_density(&self, e: &Tensor) -> f64 {
        let s = self.stress(e);
        0.5 * (s[0] * e[0] + s[1] * e[1] + s[2] * e[2]) + s[3] * e[3] + s[4] * e[4] + s[5] * e[5]
    }
}

/// ε at a point for displacements u of the nodes.
pub fn strain(at: &Sample, section: Section, u: &[[f64; 3]]) -> Tensor {
    let d = section.dimension();
    let mut gradient = [[0.0; 3]; 3];
    for a in 0..at.n {
        for i in 0..d {
            for k in 0..d {
                gradient[i][k] += u[a][i] * at.dN[a][k];
            }
        }
    }
    if section.has_rings() {
        let ring = ring(at, section);
        gradient[2][2] = (0..at.n).map(|a| ring[a] * u[a][0]).sum();
    }
    let mean = |i: usize, j: usize| 0.5 * (gradient[i][j] + gradient[j][i]);
    [gradient[0][0], gradient[1][1], gradient[2][2], mean(0, 1), mean(1, 2), mean(2, 0)]
}

/// √(3/2 s:s) with s the deviator of σ.
pub fn von_mises(s: &Tensor) -> f64 {
    let normal = (s[0] - s[1]).powi(2) + (s[1] - s[2]).powi(2) + (s[2] - s[0]).powi(2);
    let shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
    (0.5 * normal + 3.0 * shear).sqrt()
}

/// N_a / r where rings are stretched, zero elsewhere.
fn ring(at: &Sample, section: Section) -> [f64; MOST_NODES] {
    if section.has_rings() { at.N.map(|N| N / at.x[0]) } else { [0.0; MOST_NODES] }
}
