//! A beam element between two frames in space: an elastic potential of the logarithm of their relative motion.
//!
//!   V = ½ L (ε − ε_ref)ᵀC(ε − ε_ref),   ε = (Γ + e₁, κ),    n̄ = C((ε₀ + ε₁)/2 − ε_ref) + (1/h) η(ε₁ − ε₀)
//!   f = Eη_y,   μ_a = ζ + ½(R̄_aη_y) × D̄,   μ_b = −ζ + ½(R̄_bη_y) × D̄,   ζ = Σ α_i z_i + τ z_t
//!
//! (α, τ, η_y) are the stresses n̄ pulled back to the base measures. Work over a step is −ΔV − (L/h) ΔεᵀηΔε to round-off, at any
//! step and any θ; Σf = 0 and Σ(x̄ × f + μ) = 0. One strain per element: neither shear nor membrane forces lock it. The strain
//! is that of Sonneville, Cardona and Brüls (2014), the exact differences of directors go back to Betsch and Steinmann (2002).

use super::action::{Action, Stiffness};
use super::base_measures::{BaseMeasures, BaseRows};
use super::blocks::{Mat6, Vec6, add_scaled, apply, inner};
use super::coefficient::StrainMeasure;
use super::strain::{StrainPassage, Weights, logarithm};
use crate::bodies::Frame;
use crate::bodies::math::{Mat3, Vec3, cross, mul, scale, sub};
use crate::bodies::measure::Passage;

/// Cosine of 0.9π: beyond this turn between its ends an element counts as folded.
const FOLDED: f64 = -0.951_056_516_295_153_5;

/// A beam element, or a bushing: any potential of this form between two frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamElement {
    /// How strain is measured.
    pub measure: StrainMeasure,
    /// L, length without load [m]; 1 for a bushing.
    pub length: f64,
    /// C, symmetric and positive [N, N·m, N·m²].
    pub stiffness: Mat6,
    /// η, stress per rate of strain, τC for Kelvin and Voigt's solid [N·s, N·m·s, N·m²·s]; absent where nothing is lost.
    pub viscosity: Option<Mat6>,
    /// ε_ref, strain without stress, (1, 0, 0, 0, 0, 0) where straight.
    pub rest: Vec6,
}

/// An element over a step.
#[derive(Clone, Copy, Debug)]
pub struct BeamStep {
    /// The strain and what it is made of.
    pub strain: StrainPassage,
    /// n̄ = (N, Q₂, Q₃, T, M₂, M₃) [N, N·m].
    pub stress: Vec6,
    /// C(ε̄ − ε_ref), the part of n̄ that has a potential.
    elastic: Vec6,
    /// ε₁ − ε₀.
    change: Vec6,
    /// What holds the element.
    pub action: Action,
    rows: BaseRows,
    /// D̄.
    way: Vec3,
    h: f64,
}

impl BeamElement {
    /// Without stress where its ends are now; C and its damping time τ [s] are those of the section, in the frames of the ends.
    pub fn unstressed(measure: StrainMeasure, a: &Frame, b: &Frame, stiffness: Mat6, damping_time: f64) -> Self {
        let log = logarithm(StrainMeasure::Se3, &base_measures(a, b));
        let length = (log[0] * log[0] + log[1] * log[1] + log[2] * log[2]).sqrt();
        let rest = logarithm(measure, &base_measures(a, b)).map(|x| x / length);
        let viscosity = (damping_time > 0.0).then(|| stiffness.map(|row| row.map(|c| damping_time * c)));
        Self { measure, length, stiffness, viscosity, rest }
    }

    /// The same with another strain at rest: (1 − N/EA, 0, 0, κ₀) bends it and pulls it from the start.
    pub fn with_rest(self, rest: Vec6) -> Self {
        Self { rest, ..self }
    }

    /// (Γ + e₁, κ) of two frames.
    pub fn strain(&self, a: &Frame, b: &Frame) -> Vec6 {
        logarithm(self.measure, &base_measures(a, b)).map(|x| x / self.length)
    }

    /// C(ε − ε_ref) of two frames at rest: N, Q₂, Q₃ [N], T, M₂, M₃ [N·m].
    pub fn section_forces(&self, a: &Frame, b: &Frame) -> Vec6 {
        apply(&self.stiffness, &self.beyond_rest(&self.strain(a, b)))
    }

    /// n̄ over a step of length h between two strains.
    pub fn mean_stress(&self, from: &Vec6, to: &Vec6, h: f64) -> Vec6 {
        let mean: Vec6 = std::array::from_fn(|k| 0.5 * (from[k] + to[k]) - self.rest[k]);
        let mut stress = apply(&self.stiffness, &mean);
        if let Some(viscosity) = self.viscosity.filter(|_| h > 0.0) {
            let change: Vec6 = std::array::from_fn(|k| (to[k] - from[k]) / h);
            stress.iter_mut().zip(apply(&viscosity, &change)).for_each(|(n, more)| *n += more);
        }
        stress
    }

    /// V [J].
    pub fn energy(&self, a: &Frame, b: &Frame) -> f64 {
        let e = self.beyond_rest(&self.strain(a, b));
        0.5 * self.length * inner(&e, &apply(&self.stiffness, &e))
    }

    /// Stress and forces over a step of length h; at rest, with both ends of each passage the same, the gradient of V.
    #[inline]
    pub fn over_step(&self, a: &Passage, b: &Passage, h: f64) -> BeamStep {
        let measures = |k: usize| base_measures(&a.ends[k], &b.ends[k]);
        let strain = StrainPassage::new(self.measure, [measures(0), measures(1)]);
        let way = sub(&b.x, &a.x);
        let rows = BaseRows::new(&a.R, &b.R, &way);
        let inverse = 1.0 / self.length;
        let [l0, l1] = &strain.logarithms;
        let mean: Vec6 = std::array::from_fn(|k| 0.5 * inverse * (l0[k] + l1[k]) - self.rest[k]);
        let change: Vec6 = std::array::from_fn(|k| inverse * (l1[k] - l0[k]));
        let elastic = apply(&self.stiffness, &mean);
        let stress = match &self.viscosity {
            Some(viscosity) if h > 0.0 => {
                let viscous = apply(viscosity, &change);
                std::array::from_fn(|k| elastic[k] + viscous[k] / h)
            }
            Some(_) | None => elastic,
        };
        let weights = strain.map().weights(&stress);
        let action = action(&rows, &weights, &a.R, &b.R, &way);
        BeamStep { strain, stress, elastic, change, action, rows, way, h }
    }

    /// ½C + η/h: how n̄ follows the strain at the end of the step.
    #[inline]
    fn stress_slope(&self, h: f64) -> Mat6 {
        let half = self.stiffness.map(|row| row.map(|c| 0.5 * c));
        match &self.viscosity {
            Some(viscosity) if h > 0.0 => add_scaled(&half, 1.0 / h, viscosity),
            Some(_) | None => half,
        }
    }

    /// V₁ − V₀ = L ΔεᵀC(ε̄ − ε_ref) [J].
    #[inline]
    pub fn energy_increment(&self, step: &BeamStep) -> f64 {
        self.length * inner(&step.change, &step.elastic)
    }

    /// (L/h) ΔεᵀηΔε ≥ 0, what the viscosity takes over the step [J].
    #[inline]
    pub fn dissipation(&self, step: &BeamStep) -> f64 {
        match &self.viscosity {
            Some(viscosity) if step.h > 0.0 => {
                self.length / step.h * inner(&step.change, &apply(viscosity, &step.change))
            }
            Some(_) | None => 0.0,
        }
    }

    #[inline]
    fn beyond_rest(&self, strain: &Vec6) -> Vec6 {
        std::array::from_fn(|k| strain[k] - self.rest[k])
    }

    /// ∂(f, μ_a, μ_b)/∂(D, ψ_a, ψ_b) at the end of the step, and the action that goes with it. `stress` stands in the geometric
    /// part: n̄ makes it exact; a stress carried along by `stress_increment` keeps Newton's method from seeing the spurious
    /// forces of a predicted state where an element is stiff along its axis and soft across.
    #[inline]
    pub fn tangent(&self, step: &BeamStep, a: &Passage, b: &Passage, stress: &Vec6) -> (Stiffness, Action) {
        super::beam_tangent::tangent(self, &self.stress_slope(step.h), step, a, b, stress)
    }

    /// How n̄ follows moves of the ends: what (D, ψ_a, ψ_b) change by, ψ spatial.
    pub fn stress_increment(&self, step: &BeamStep, a: &Passage, b: &Passage, change: &[Vec3; 3]) -> Vec6 {
        let strain = super::beam_tangent::strain_increment(step, a, b, change);
        apply(&self.stress_slope(step.h), &strain.map(|x| x / self.length))
    }
}

impl BeamStep {
    /// Whether the ends are turned by 0.9π or more against each other at the end of the step.
    pub fn is_folded(&self) -> bool {
        self.strain.ends[1].t <= FOLDED
    }

    pub(super) fn rows(&self) -> &BaseRows {
        &self.rows
    }

    pub(super) fn way(&self) -> &Vec3 {
        &self.way
    }
}

/// The measures of two frames.
#[inline]
fn base_measures(a: &Frame, b: &Frame) -> BaseMeasures {
    BaseMeasures::new(&a.R, &b.R, &sub(&b.x, &a.x))
}

/// The action of weights on the base measures.
#[inline]
pub(super) fn action(rows: &BaseRows, weights: &Weights, Ra: &Mat3, Rb: &Mat3, way: &Vec3) -> Action {
    let Z = &rows.Z;
    let w = &weights.a;
    let zeta: Vec3 = std::array::from_fn(|c| w[0] * Z[0][c] + w[1] * Z[1][c] + w[2] * Z[2][c] + weights.t * Z[3][c]);
    let arm = |R: &Mat3| scale(0.5, &cross(&mul(R, &weights.y), way));
    let (ma, mb) = (arm(Ra), arm(Rb));
    Action {
        force: mul(&rows.E, &weights.y),
        moments: [std::array::from_fn(|c| ma[c] + zeta[c]), std::array::from_fn(|c| mb[c] - zeta[c])],
    }
}
