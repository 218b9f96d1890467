//! Strain as a function of the base measures, with its exact difference over a step.
//!
//!   L(Γ + e₁) = f y − g σ a,   Lκ = f a,   σ = a·y
//!   LΔκ = f̄Δa + ā f′Δt
//!   LΔΓ = f̄Δy + ȳf′Δt − ḡ[σ̄Δa + ā(ā·Δy + ȳ·Δa)] − (σa)‾g′Δt
//!
//! A bar is the mean of the ends, f′ = f[t₀, t₁] and g′ = g[t₀, t₁]. For `se3` (L(Γ + e₁), Lκ) is the logarithm of the motion
//! from one frame to the other.

use super::base_measures::BaseMeasures;
use super::blocks::Vec6;
use super::coefficient::{Coefficient, StrainMeasure, coefficients};
use crate::bodies::math::{Mat3, Vec3, axpy, dot, mul_t, scale};

/// L (Γ + e₁, κ) of the measures where f and g have these values.
#[inline]
fn stretched(m: &BaseMeasures, f: f64, g: f64) -> Vec6 {
    let sigma = g * dot(&m.a, &m.y);
    std::array::from_fn(|k| if k < 3 { f * m.y[k] - sigma * m.a[k] } else { f * m.a[k - 3] })
}

/// L (Γ + e₁, κ) [m, rad].
pub fn logarithm(measure: StrainMeasure, m: &BaseMeasures) -> Vec6 {
    let [f, g] = coefficients(measure, [m.t; 2]);
    stretched(m, f.ends[1], g.ends[1])
}

/// The measures at both ends of a step and all that is formed of them.
#[derive(Clone, Copy, Debug)]
pub struct StrainPassage {
    /// At the ends.
    pub ends: [BaseMeasures; 2],
    /// L (Γ + e₁, κ) at the ends.
    pub logarithms: [Vec6; 2],
    f: Coefficient,
    g: Coefficient,
    /// ā, ȳ, σ̄ and (σa)‾.
    a: Vec3,
    y: Vec3,
    sigma: f64,
    sigma_a: Vec3,
}

/// What multiplies (Δa, Δt, Δy) in L(ΔΓ, Δκ).
#[derive(Clone, Copy, Debug)]
pub struct StrainMap {
    /// ∂Γ/∂a, ∂Γ/∂t, ∂Γ/∂y.
    pub gamma_a: Mat3,
    /// See above.
    pub gamma_t: Vec3,
    /// See above.
    pub gamma_y: Mat3,
    /// ∂κ/∂a is this times 1.
    pub kappa_a: f64,
    /// ∂κ/∂t.
    pub kappa_t: Vec3,
}

/// Stresses pulled back to the measures: what multiplies Δa, Δt and Δy in the work of a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weights {
    /// α.
    pub a: Vec3,
    /// τ.
    pub t: f64,
    /// η.
    pub y: Vec3,
}

impl StrainPassage {
    /// From the measures at one end to those at the other.
    #[inline]
    pub fn new(measure: StrainMeasure, ends: [BaseMeasures; 2]) -> Self {
        let [m0, m1] = &ends;
        let [f, g] = coefficients(measure, [m0.t, m1.t]);
        let sigma = [dot(&m0.a, &m0.y), dot(&m1.a, &m1.y)];
        Self {
            logarithms: [stretched(m0, f.ends[0], g.ends[0]), stretched(m1, f.ends[1], g.ends[1])],
            f,
            g,
            a: scale(0.5, &axpy(&m0.a, 1.0, &m1.a)),
            y: scale(0.5, &axpy(&m0.y, 1.0, &m1.y)),
            sigma: 0.5 * (sigma[0] + sigma[1]),
            sigma_a: scale(0.5, &axpy(&scale(sigma[0], &m0.a), sigma[1], &m1.a)),
            ends,
        }
    }

    /// The map over the step.
    #[inline]
    pub fn map(&self) -> StrainMap {
        strain_map(&self.f, &self.g, &self.a, &self.y, self.sigma, &self.sigma_a)
    }

    /// The gradient at the end of the step.
    #[inline]
    pub fn end_map(&self) -> StrainMap {
        let m = &self.ends[1];
        let sigma = dot(&m.a, &m.y);
        strain_map(&self.f.at_end(), &self.g.at_end(), &m.a, &m.y, sigma, &scale(sigma, &m.a))
    }

    /// X = ∂(α, τ, η)/∂(a, t, y)₁ for stresses that stay as they are: how the rows themselves change with the end.
    #[inline]
    pub fn row_change(&self, stress: &Vec6) -> [[f64; 7]; 7] {
        let (f, g) = (&self.f, &self.g);
        let h = [stress[0], stress[1], stress[2]];
        let k = [stress[3], stress[4], stress[5]];
        let (a1, y1) = (&self.ends[1].a, &self.ends[1].y);
        let (g_half, ah, a1h) = (0.5 * g.mean(), dot(&self.a, &h), dot(a1, &h));
        let sigma1 = dot(a1, y1);
        let mut X = [[0.0; 7]; 7];
        for i in 0..3 {
            for j in 0..3 {
                X[i][j] = -g_half * (h[i] * y1[j] + self.y[i] * h[j]);
                X[i][4 + j] = -g_half * h[i] * a1[j];
                X[4 + i][j] = -g_half * self.a[i] * h[j];
            }
            X[i][4 + i] -= g_half * ah;
            X[4 + i][i] -= g_half * ah;
            X[i][3] = 0.5 * (f.end_slope * k[i] - g.end_slope * (self.sigma * h[i] + ah * self.y[i]));
            X[3][i] = 0.5 * (f.slope * k[i] - g.slope * (sigma1 * h[i] + a1h * y1[i]));
            X[3][4 + i] = 0.5 * (f.slope * h[i] - g.slope * a1h * a1[i]);
            X[4 + i][3] = 0.5 * (f.end_slope * h[i] - g.end_slope * ah * self.a[i]);
        }
        X[3][3] = f.slope_change * (dot(&self.a, &k) + dot(&self.y, &h)) - g.slope_change * dot(&self.sigma_a, &h);
        X
    }
}

#[inline]
fn strain_map(f: &Coefficient, g: &Coefficient, a: &Vec3, y: &Vec3, sigma: f64, sigma_a: &Vec3) -> StrainMap {
    let (f_mean, g_mean) = (f.mean(), g.mean());
    let mut gamma_a: Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| -g_mean * a[i] * y[j]));
    let mut gamma_y: Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| -g_mean * a[i] * a[j]));
    for i in 0..3 {
        gamma_a[i][i] -= g_mean * sigma;
        gamma_y[i][i] += f_mean;
    }
    let gamma_t = std::array::from_fn(|i| f.slope * y[i] - g.slope * sigma_a[i]);
    StrainMap { gamma_a, gamma_t, gamma_y, kappa_a: f_mean, kappa_t: scale(f.slope, a) }
}

impl StrainMap {
    /// The weights of a stress: its map transposed.
    #[inline]
    pub fn weights(&self, stress: &Vec6) -> Weights {
        let h = [stress[0], stress[1], stress[2]];
        let k = [stress[3], stress[4], stress[5]];
        Weights {
            a: axpy(&mul_t(&self.gamma_a, &h), self.kappa_a, &k),
            t: dot(&self.gamma_t, &h) + dot(&self.kappa_t, &k),
            y: mul_t(&self.gamma_y, &h),
        }
    }

    /// As a matrix on (a, t, y).
    #[inline]
    pub fn matrix(&self) -> [[f64; 7]; 6] {
        let mut M = [[0.0; 7]; 6];
        for i in 0..3 {
            M[i][..3].copy_from_slice(&self.gamma_a[i]);
            M[i][3] = self.gamma_t[i];
            M[i][4..].copy_from_slice(&self.gamma_y[i]);
            M[3 + i][i] = self.kappa_a;
            M[3 + i][3] = self.kappa_t[i];
        }
        M
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::apply;
    use super::super::rigid_motion::RigidMotion;
    use super::super::test_tools::Dice;
    use super::*;
    use crate::bodies::math::sub;

    const KINDS: [StrainMeasure; 3] = [StrainMeasure::Se3, StrainMeasure::Cayley, StrainMeasure::Director];

    fn measures(a: &crate::bodies::Frame, b: &crate::bodies::Frame) -> BaseMeasures {
        BaseMeasures::new(&a.R, &b.R, &sub(&b.x, &a.x))
    }

    /// `se3` is the logarithm of SE(3), computed there through quaternions and cotangents, up to 0.9π.
    #[test]
    fn se3_is_the_logarithm() {
        let mut dice = Dice::new(29);
        for angle in [1e-9, 1e-3, 0.5, 1.04, 1.05, 2.0, 2.82] {
            let a = dice.frame();
            let (u, phi) = (dice.vector(), scale(angle, &dice.unit()));
            let b = RigidMotion::exp(&u, &phi).from_frame(&a);
            let log = logarithm(StrainMeasure::Se3, &measures(&a, &b));
            // f and g are functions of cos φ, whose slopes grow towards half a turn
            let tolerance = 4e-15 * (1.0 + (1.0 + angle.cos()).powi(-2));
            for k in 0..3 {
                let off = (log[k] - u[k]).abs().max((log[3 + k] - phi[k]).abs());
                assert!(off < tolerance, "angle {angle}: {off:e}");
            }
        }
    }

    /// The map times the changes of the measures is the change of the strain, whatever the measures do.
    #[test]
    fn map_is_exact() {
        let mut dice = Dice::new(31);
        for kind in KINDS {
            for angle in [0.01, 0.3, 0.9, 1.5] {
                let a = dice.frame();
                let ends: [BaseMeasures; 2] = std::array::from_fn(|_| {
                    measures(&a, &RigidMotion::exp(&dice.vector(), &scale(angle, &dice.unit())).from_frame(&a))
                });
                let p = StrainPassage::new(kind, ends);
                let [m0, m1] = ends;
                let mut change = [0.0; 7];
                for k in 0..3 {
                    change[k] = m1.a[k] - m0.a[k];
                    change[4 + k] = m1.y[k] - m0.y[k];
                }
                change[3] = m1.t - m0.t;
                let got = apply(&p.map().matrix(), &change);
                for k in 0..6 {
                    let exact = p.logarithms[1][k] - p.logarithms[0][k];
                    assert!((got[k] - exact).abs() < 4e-15 * (1.0 + angle * angle), "{kind:?} {angle}");
                }
            }
        }
    }

    /// X against central differences of the weights.
    #[test]
    fn change_of_rows() {
        let mut dice = Dice::new(37);
        let step = 1e-6;
        for kind in KINDS {
            let a = dice.frame();
            let ends: [BaseMeasures; 2] = std::array::from_fn(|_| {
                measures(&a, &RigidMotion::exp(&dice.vector(), &scale(0.8, &dice.unit())).from_frame(&a))
            });
            let stress: Vec6 = std::array::from_fn(|_| dice.number());
            let X = StrainPassage::new(kind, ends).row_change(&stress);
            for j in 0..7 {
                let by = |s: f64| {
                    let mut end = ends[1];
                    match j {
                        0..3 => end.a[j] += s * step,
                        3 => end.t += s * step,
                        _ => end.y[j - 4] += s * step,
                    }
                    let w = StrainPassage::new(kind, [ends[0], end]).map().weights(&stress);
                    [w.a[0], w.a[1], w.a[2], w.t, w.y[0], w.y[1], w.y[2]]
                };
                let (plus, minus) = (by(1.0), by(-1.0));
                for i in 0..7 {
                    let difference = 0.5 * (plus[i] - minus[i]) / step;
                    assert!((difference - X[i][j]).abs() < 1e-8, "{kind:?} {i} {j}: {difference} {}", X[i][j]);
                }
            }
        }
    }
}
