//! `[model]` of the nonlinear kinds as typed, not yet checked against mechanics.

use percussion_model::nonlinear::BeamParts;
use serde::Deserialize;

/// `[model]` of kind "pendulum".
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PendulumSpec {
    /// "pendulum".
    #[serde(rename = "kind")]
    pub _kind: String,
    /// m [kg].
    pub mass: f64,
    /// J about the mass [kg·m²].
    pub inertia: f64,
    /// l [m].
    pub length: f64,
    /// g [m/s²].
    pub gravity: f64,
    /// The mass stays at x ≥ wall [m].
    pub wall: f64,
    /// e.
    pub restitution: f64,
    /// θ at t = 0 [rad], from the horizontal; or q0.
    pub angle: Option<f64>,
    /// (x, y, θ) at t = 0; or angle.
    pub q0: Option<Vec<f64>>,
    /// v at t = 0; zero when absent.
    pub v0: Option<Vec<f64>>,
}

/// `[model]` of kind "rocking-block".
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RockingBlockSpec {
    /// "rocking-block".
    #[serde(rename = "kind")]
    pub _kind: String,
    /// m [kg].
    pub mass: f64,
    /// b [m].
    pub width: f64,
    /// a [m].
    pub height: f64,
    /// g [m/s²].
    pub gravity: f64,
    /// e of both corners.
    pub restitution: f64,
    /// μ of both corners; zero when absent.
    #[serde(default)]
    pub friction: f64,
    /// (x, y, θ) of the centre at t = 0.
    pub q0: Vec<f64>,
    /// v at t = 0; zero when absent.
    pub v0: Option<Vec<f64>>,
}

/// `[model]` of kind "beam".
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeamSpec {
    /// "beam".
    #[serde(rename = "kind")]
    pub _kind: String,
    /// Length of the whole beam [m].
    pub length: f64,
    /// b, across the plane [m].
    pub width: f64,
    /// d, in the plane [m].
    pub depth: f64,
    /// E [Pa].
    pub young: f64,
    /// ν.
    pub poisson: f64,
    /// ρ [kg/m³].
    pub density: f64,
    /// g [m/s²].
    pub gravity: f64,
    /// Number of elements.
    pub elements: i64,
    /// The tip stays at x ≥ wall [m].
    pub wall: f64,
    /// e of the tip.
    pub restitution: f64,
    /// The pin as two joints instead of two coordinates left out.
    #[serde(default)]
    pub joints: bool,
    /// q at t = 0; straight along x when absent.
    pub q0: Option<Vec<f64>>,
    /// v at t = 0; zero when absent.
    pub v0: Option<Vec<f64>>,
}

impl BeamSpec {
    /// What the beam is made of; a negative number of elements is none.
    pub fn parts(&self) -> BeamParts {
        BeamParts {
            length: self.length,
            width: self.width,
            depth: self.depth,
            young: self.young,
            poisson: self.poisson,
            density: self.density,
            gravity: self.gravity,
            elements: usize::try_from(self.elements).unwrap_or(0),
            wall: self.wall,
            restitution: self.restitution,
        }
    }
}

/// `[model]` of kind "own".
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnSpec {
    /// "own".
    #[serde(rename = "kind")]
    pub _kind: String,
    /// q at t = 0; zero when absent.
    pub q0: Option<Vec<f64>>,
    /// v at t = 0; zero when absent.
    pub v0: Option<Vec<f64>>,
}
