//! Why a motion has no derivative, or none that is known here.
//!
//!   δt = −(n·δx)/(n·f⁻) needs n·f⁻ ≠ 0; the map of an impact needs contacts that close together to do so nearby

use crate::StepFailure;
use percussion_model::Code;
use std::fmt;

/// The reasons; contacts by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoDerivative {
    /// A contact is touched without an approach velocity.
    Grazing(usize),
    /// Contacts close at the same instant, so many: a corner of the admissible set is met.
    Corner(usize),
    /// Impacts follow each other at one instant, so many.
    Succession(usize),
    /// A contact stops sliding without a deceleration.
    Standstill(usize),
    /// A contact closes at the very time that is asked for, and the impact moves with a parameter: there the velocity jumps.
    Jump(usize),
    /// A contact neither pushes nor leaves in an impact of others, and what it does nearby depends on the side.
    Undecided(usize),
    /// So many contacts share an impact in no unique way, and the motion behind it depends on how.
    Shares(usize),
    /// A corner of a signal moves with a parameter.
    CornerMoves,
    /// An impact slides in space: the direction of its impulse turns with the velocity.
    SlidesInSpace(usize),
}

impl fmt::Display for NoDerivative {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Grazing(i) => write!(f, "contact {i} is touched without an approach velocity: it grazes"),
            Self::Corner(n) => write!(f, "{n} contacts close at the same instant"),
            Self::Succession(n) => write!(f, "{n} impacts follow each other at one instant"),
            Self::Standstill(i) => write!(f, "contact {i} stops sliding without a deceleration"),
            Self::Jump(i) => {
                write!(f, "contact {i} closes at the very time that is asked for: the velocity jumps there")
            }
            Self::Undecided(i) => {
                write!(
                    f,
                    "contact {i} neither pushes nor leaves in an impact of others: nearby it does one or the other"
                )
            }
            Self::Shares(n) => {
                write!(f, "{n} contacts share an impact in no unique way, and the motion depends on how")
            }
            Self::CornerMoves => write!(f, "a corner of a signal moves with a parameter"),
            Self::SlidesInSpace(i) => write!(f, "contact {i} slides in space while it closes"),
        }
    }
}

/// Why a flow ended early: a step that failed, and the reason where it is one of these.
#[derive(Debug)]
pub struct FlowStop {
    /// The failure in words.
    pub failure: StepFailure,
    /// The reason, where the motion goes on and its derivative does not.
    pub reason: Option<NoDerivative>,
}

impl FlowStop {
    /// At a time.
    pub fn at(t: f64, reason: NoDerivative) -> Self {
        let help = match reason {
            NoDerivative::Corner(_) | NoDerivative::Succession(_) => {
                "move the start or the parameter a little; where impacts rattle to rest, count more of them as rest (scheme.cut, 1e-8 by default)"
            }
            NoDerivative::Grazing(_)
            | NoDerivative::Undecided(_)
            | NoDerivative::Shares(_)
            | NoDerivative::Standstill(_) => {
                "move the start or the parameter a little; results on both sides differ by more than a derivative says"
            }
            NoDerivative::Jump(_) => "ask for a time a little before or after it",
            NoDerivative::SlidesInSpace(_) | NoDerivative::CornerMoves => {
                "use percussion sensitivity, which takes differences of runs here"
            }
        };
        let (code, message) = (Code::NO_DERIVATIVE, reason.to_string());
        let failure = StepFailure { code, t, h: 0.0, message, help: help.into(), problem: None };
        Self { failure, reason: Some(reason) }
    }
}

impl From<StepFailure> for FlowStop {
    fn from(failure: StepFailure) -> Self {
        Self { failure, reason: None }
    }
}

impl From<FlowStop> for StepFailure {
    fn from(stop: FlowStop) -> Self {
        stop.failure
    }
}
