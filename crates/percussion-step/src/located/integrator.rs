//! The two families of Runge–Kutta steps behind one face, with their error in units of a tolerance.

use crate::located::explicit::{Explicit, Unresolved, larger};
use crate::located::phase::{FlowFailure, Integrals, Phase, Stretch};
use crate::located::radau::Radau;
use crate::located::tableau::Tableau;

/// Part of the largest force of a held contact that a stretch may leave unresolved, by the estimates of the two families: enough to see forces end
/// and reach their cones, less than what the motion itself is followed to.
const EXPLICIT_FORCES: f64 = 1e-6;
const RADAU_FORCES: f64 = 0.1;

/// A Runge–Kutta method with its memory.
pub enum Integrator {
    /// Explicit.
    Explicit(Box<Explicit>),
    /// Radau IIA.
    Radau(Box<Radau>),
}

impl Integrator {
    /// With an explicit table.
    pub fn explicit(tableau: Tableau) -> Self {
        Self::Explicit(Box::new(Explicit::new(tableau)))
    }

    /// With a table of Radau IIA.
    pub fn radau(tableau: Tableau) -> Self {
        Self::Radau(Box::new(Radau::new(tableau)))
    }

    /// Dormand–Prince 5(4).
    pub fn plain() -> Self {
        Self::explicit(Tableau::explicit(5).expect("order 5 is in the list"))
    }

    /// Radau IIA of order 5.
    pub fn stiff() -> Self {
        Self::radau(Tableau::radau(5).expect("order 5 is in the list"))
    }

    /// One step; what it starts from comes with its acceleration, `to` leaves with its own.
    #[inline]
    pub fn step(&mut self, over: Stretch, to: &mut Phase, integrals: &mut Integrals) -> Result<(), FlowFailure> {
        match self {
            Self::Explicit(method) => method.step(over, to, integrals),
            Self::Radau(method) => method.step(over, to, integrals),
        }
    }

    /// The estimated error of the last step over what is allowed in q and in v.
    pub fn error(&mut self, h: f64, from: &Phase, to: &Phase, allowed: (f64, f64)) -> f64 {
        let (q, v) = match self {
            Self::Explicit(method) => method.error(h, to),
            Self::Radau(method) => method.error(h, from),
        };
        let over = |error: f64, allowed: f64| if error == 0.0 { 0.0 } else { error / allowed.max(f64::MIN_POSITIVE) };
        larger(over(q, allowed.0), over(v, allowed.1))
    }

    /// What the last step left unresolved of the forces of held contacts, and the part of the largest that is allowed.
    pub fn unresolved_forces(&self, from: &Phase) -> (Unresolved, f64) {
        match self {
            Self::Explicit(method) => (method.unresolved_forces(), EXPLICIT_FORCES),
            Self::Radau(method) => (method.unresolved_forces(from), RADAU_FORCES),
        }
    }

    /// 1/(order of the estimate), by which an error turns into a step.
    pub fn exponent(&self) -> f64 {
        match self {
            Self::Explicit(method) => 1.0 / method.tableau().order as f64,
            Self::Radau(_) => 0.25,
        }
    }
}
