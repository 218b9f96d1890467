//! Hyperelastic laws ψ(C) with the stress that closes the energy of a step.
//!
//!   S = 2 ∂ψ/∂C,    ½ S̄:(C₁ − C₀) = ψ(C₁) − ψ(C₀)
//!   S̄ = S(C_m) + β ΔC,   β = 2 [ψ₁ − ψ₀ − ½ S(C_m):ΔC]/|ΔC|²,   C_m = ½(C₀ + C₁)   (Gonzalez 2000)

use super::tensor::{add, inner, matrix, symmetric_product};
use super::{neo_hookean, saint_venant_kirchhoff};
use crate::bodies::math::{Mat3, cross, dot, mul_mat, transpose};
use crate::solid::hooke::{Lame, Tensor};

/// Which law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// ψ = ½λ (tr E)² + μ E:E: linear in Green's strain, for small strains at large rotations.
    SaintVenantKirchhoff,
    /// ψ = ½μ (tr C − 3 − 2 ln J) + ½λ (ln J)²: no element can be turned inside out.
    NeoHookean,
}

/// A law with its constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hyperelastic {
    /// Which law.
    pub law: Law,
    /// λ and μ.
    pub lame: Lame,
}

/// ΔC this small (squared) has no direction.
const NO_CHANGE: f64 = 1e-28;

/// Abscissae on [0, 1] and weights of Gauss's rule of six points.
const GAUSS: [(f64, f64); 6] = [
    (0.033_765_242_898_423_99, 0.085_662_246_189_585_17),
    (0.169_395_306_766_867_74, 0.180_380_786_524_069_3),
    (0.380_690_406_958_401_56, 0.233_956_967_286_345_52),
    (0.619_309_593_041_598_4, 0.233_956_967_286_345_52),
    (0.830_604_693_233_132_3, 0.180_380_786_524_069_3),
    (0.966_234_757_101_576, 0.085_662_246_189_585_17),
];

impl Hyperelastic {
    /// ψ(C) [J/m³]; `None` where the law has no value.
    pub fn energy(&self, C: &Tensor) -> Option<f64> {
        match self.law {
            Law::SaintVenantKirchhoff => Some(saint_venant_kirchhoff::energy(&self.lame, C)),
            Law::NeoHookean => neo_hookean::energy(&self.lame, C),
        }
    }

    /// S(C) [Pa].
    pub fn stress(&self, C: &Tensor) -> Option<Tensor> {
        match self.law {
            Law::SaintVenantKirchhoff => Some(saint_venant_kirchhoff::stress(&self.lame, C)),
            Law::NeoHookean => neo_hookean::stress(&self.lame, C),
        }
    }

    /// dS for a change dC at C.
    pub fn stress_change(&self, C: &Tensor, dC: &Tensor) -> Option<Tensor> {
        match self.law {
            Law::SaintVenantKirchhoff => Some(saint_venant_kirchhoff::stress_change(&self.lame, dC)),
            Law::NeoHookean => neo_hookean::stress_change(&self.lame, C, dC),
        }
    }

    /// σ = F S Fᵀ/J, Cauchy's stress [Pa].
    pub fn cauchy(&self, F: &Mat3) -> Option<Tensor> {
        let S = matrix(&self.stress(&symmetric_product(F, F))?);
        let J = dot(&F[0], &cross(&F[1], &F[2]));
        let sigma = mul_mat(&mul_mat(F, &S), &transpose(F));
        Some([(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)].map(|(i, k)| sigma[i][k] / J))
    }

    /// S̄ between C₀ and C₁.
    pub fn step_stress(&self, C0: &Tensor, C1: &Tensor) -> Option<Tensor> {
        let mean = middle(C0, C1);
        let S = self.stress(&mean)?;
        match self.law {
            // ψ is quadratic in C
            Law::SaintVenantKirchhoff => Some(S),
            Law::NeoHookean => Some(add(&S, self.correction(C0, C1, &S)?, &add(C1, -1.0, C0))),
        }
    }

    /// dS̄ for a change dC of C₁.
    pub fn step_stress_change(&self, C0: &Tensor, C1: &Tensor, dC: &Tensor) -> Option<Tensor> {
        let mean = middle(C0, C1);
        let dS = self.stress_change(&mean, dC)?.map(|x| 0.5 * x);
        match self.law {
            Law::SaintVenantKirchhoff => Some(dS),
            Law::NeoHookean => {
                let change = add(C1, -1.0, C0);
                let square = inner(&change, &change);
                if square < NO_CHANGE {
                    return Some(dS);
                }
                let S = self.stress(&mean)?;
                let beta = self.correction(C0, C1, &S)?;
                // dβ = [S₁ − S(C_m)]:dC/|ΔC|² − dS(C_m):ΔC/|ΔC|² − 2β ΔC:dC/|ΔC|²
                let excess = inner(&add(&self.stress(C1)?, -1.0, &S), dC) - inner(&dS, &change);
                let d_beta = (excess - 2.0 * beta * inner(&change, dC)) / square;
                Some(add(&add(&dS, beta, dC), d_beta, &change))
            }
        }
    }

    /// β. The bracket ½∫(S(C₀ + sΔC) − S(C_m)):ΔC ds by Gauss's rule does not cancel for small steps; for large ones, where the
    /// rule is not exact, from the energies.
    fn correction(&self, C0: &Tensor, C1: &Tensor, S: &Tensor) -> Option<f64> {
        let change = add(C1, -1.0, C0);
        let square = inner(&change, &change);
        if square < NO_CHANGE {
            return Some(0.0);
        }
        let mut bracket = 0.0;
        for (s, w) in GAUSS {
            bracket += 0.5 * w * inner(&add(&self.stress(&add(C0, s, &change))?, -1.0, S), &change);
        }
        let (psi0, psi1) = (self.energy(C0)?, self.energy(C1)?);
        let half = 0.5 * inner(S, &change);
        let by_energies = psi1 - psi0 - half;
        let round_off =
            8.0 * f64::EPSILON * (psi0.abs() + psi1.abs() + half.abs() + self.lame.mu.abs() + self.lame.lambda.abs());
        let bracket = if (bracket - by_energies).abs() <= round_off { bracket } else { by_energies };
        Some(2.0 * bracket / square)
    }
}

fn middle(C0: &Tensor, C1: &Tensor) -> Tensor {
    [0, 1, 2, 3, 4, 5].map(|k| 0.5 * (C0[k] + C1[k]))
}
