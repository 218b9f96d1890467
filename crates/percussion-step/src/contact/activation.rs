//! Which contacts take part in a step, and with which restitution.
//!
//!   hold:                   g_k + h U_k ≤ ε;                  ê = e closing, ê = ê_open opening
//!   predicted-and-closing:  g_k + h U_k ≤ 0 and U_k ≤ 1e-9 max|U|   (Acary 2016)
//!   predicted:              g_k + c h U_k ≤ 0
//!   gap:                    every contact within reach of the step, law 0 ≤ g_{k+1} ⟂ P ≥ 0 (bodies, θ = 1, e = 0; nodes
//!                           without mass, θ = ½)
//!   equilibrium:            nodes without mass are in equilibrium at both ends of the step, 0 ≤ g_{k+1} ⟂ λ_{k+1} ≥ 0 (θ = ½)
//!
//! Under `hold` an opening contact obeys 0 ≤ U_{k+θ} ⟂ P ≥ 0: its impulse does no work and its gap cannot shrink, so
//! nothing sinks at rest and the dissipation theorem stands. `predicted-and-closing` never comes to rest for 0 < e < 1.
//!
//! ε is zero for a contact that did not push in the last step. For one that did it is 1e-9 of the way its own impulse
//! could have moved it in a step, h W_ii P_i: a column resting at g = 0 ± 1e-20 would otherwise lose contacts to
//! round-off. The theorem does not depend on the gap, and a contact that really opens gets P = 0 and is free again.

use crate::{Memory, Step, StepStart};

/// The rule that selects the index set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Activation {
    /// Opening contacts are held; the default.
    #[default]
    Hold,
    /// Predicted to close, and closing (Acary 2016).
    PredictedAndClosing,
    /// Predicted to close, closing or not.
    Predicted {
        /// c ∈ [0, 1], how far ahead in parts of a step the gap is predicted.
        prediction: f64,
    },
    /// The law speaks of the gap at the end of the step: bodies with e = 0 and θ = 1 stop before they touch, nodes without
    /// mass with θ = ½ stop at the obstacle.
    Gap,
    /// Nodes without mass are in equilibrium at both ends of a step, and contacts neither take nor give energy.
    Equilibrium,
}

/// A contact at the start of a step.
#[derive(Clone, Copy, Debug)]
pub struct Approach {
    /// g_k [m].
    pub gap: f64,
    /// U_k [m/s].
    pub u: f64,
    /// W_ii P_i of the last step [m/s].
    pub push: f64,
}

/// Relative velocity below which U_k ≤ 0 is taken as fulfilled; a strict test drops closed contacts at random.
const CLOSING_TOLERANCE: f64 = 1e-9;

/// Part of the last impulse's effect that counts as round-off of a closed gap.
const ROUND_OFF: f64 = 1e-9;

/// The contacts of a step as they are looked at, one after the other.
#[derive(Debug)]
pub struct IndexSet {
    activation: Activation,
    /// ê of opening contacts under `hold`.
    e_open: f64,
    h: f64,
    /// The largest |U| of any contact so far [m/s].
    pub u_max: f64,
    smallest_gap: Option<(f64, usize)>,
}

impl IndexSet {
    /// At the start of a step.
    #[inline]
    pub fn new(activation: Activation, e_open: f64, from: &StepStart) -> Self {
        Self { activation, e_open, h: from.h, u_max: from.memory.u_max, smallest_gap: None }
    }

    /// ê of a contact, whose restitution is e, if it takes part.
    #[inline]
    pub fn admit(&mut self, id: usize, contact: &Approach, e: impl FnOnce() -> f64) -> Option<f64> {
        self.u_max = self.u_max.max(contact.u.abs());
        if self.smallest_gap.is_none_or(|(gap, _)| contact.gap < gap) {
            self.smallest_gap = Some((contact.gap, id));
        }
        let admitted = self.activation.admits(contact, self.h, self.u_max);
        admitted.then(|| self.activation.restitution(contact.u, e(), self.e_open))
    }

    /// When all have been looked at.
    #[inline]
    pub fn finish(self, step: &mut Step, next: &mut Memory) {
        step.smallest_gap = self.smallest_gap;
        next.u_max = self.u_max;
    }
}

impl Activation {
    /// Whether a contact takes part in a step of length h.
    #[inline]
    pub fn admits(self, contact: &Approach, h: f64, u_max: f64) -> bool {
        let Approach { gap, u, push } = *contact;
        match self {
            Self::Hold => gap + h * u <= ROUND_OFF * h * push,
            Self::PredictedAndClosing => gap + h * u <= 0.0 && u <= CLOSING_TOLERANCE * u_max,
            Self::Predicted { prediction } => gap + prediction * h * u <= 0.0,
            Self::Gap | Self::Equilibrium => true,
        }
    }

    /// ê of a contact that takes part: e, or ê_open for an opening one under `hold`.
    #[inline]
    pub fn restitution(self, u: f64, e: f64, e_open: f64) -> f64 {
        if matches!(self, Self::Hold) && u > 0.0 { e_open } else { e }
    }

    /// ê of a contact whose velocity before the step is taken along the normal in its middle: it may open there where it closed at the
    /// start, and must not gain by e.
    #[inline]
    pub fn restitution_in_the_middle(self, u: f64, e: f64, e_open: f64) -> f64 {
        match self {
            Self::Hold | Self::PredictedAndClosing if u > 0.0 => e_open,
            Self::Hold | Self::PredictedAndClosing | Self::Predicted { .. } | Self::Gap | Self::Equilibrium => e,
        }
    }

    /// The name in a scenario.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hold => "hold",
            Self::PredictedAndClosing => "predicted-and-closing",
            Self::Predicted { .. } => "predicted",
            Self::Gap => "gap",
            Self::Equilibrium => "equilibrium",
        }
    }
}
