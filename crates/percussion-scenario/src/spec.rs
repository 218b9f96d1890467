//! A scenario as typed: the tables of the file, not yet checked against mechanics.
//!
//! Every table refuses keys it does not know. Section by section, so that an error names its key.

use crate::value::{MatrixSpec, RowSpec, SignalSpec, Spread};
use serde::Deserialize;
use toml::Value;

/// The tables a scenario may have, with the keys of the top level.
pub const TOP_KEYS: &[&str] =
    &["format", "name", "model", "body", "material", "pair", "spring", "joint", "scheme", "solver", "time", "output"];

/// The kinds of model, as in `kind = "…"`.
pub const KINDS: &[&str] = &["linear", "bar", "pendulum", "rocking-block", "beam", "bodies"];

/// `[model]` of kind "linear".
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinearSpec {
    /// "linear".
    #[serde(rename = "kind")]
    pub _kind: String,
    /// M.
    pub mass: MatrixSpec,
    /// K; zero when absent.
    pub stiffness: Option<MatrixSpec>,
    /// C; zero when absent.
    pub damping: Option<MatrixSpec>,
    /// F(t); zero when absent.
    pub force: Option<Vec<SignalSpec>>,
    /// q at t = 0; zero when absent.
    pub q0: Option<Vec<f64>>,
    /// v at t = 0; zero when absent.
    pub v0: Option<Vec<f64>>,
    /// The contacts.
    #[serde(default)]
    pub contact: Vec<ContactSpec>,
    /// The joints.
    #[serde(default)]
    pub joint: Vec<JointSpec>,
}

/// `[[model.contact]]` of a linear model.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactSpec {
    /// The contact's column of G.
    pub normal: RowSpec,
    /// w(t); zero when absent.
    #[serde(default)]
    pub offset: SignalSpec,
    /// e.
    pub restitution: f64,
    /// μ; zero when absent.
    pub friction: Option<f64>,
    /// The tangents: one in the plane, two in space.
    pub tangents: Option<Vec<RowSpec>>,
}

/// `[[model.joint]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointSpec {
    /// The row of J.
    pub row: RowSpec,
    /// c; zero when absent.
    #[serde(default)]
    pub offset: f64,
}

/// `[model]` of kind "bar".
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BarSpec {
    /// "bar".
    #[serde(rename = "kind")]
    pub _kind: String,
    /// E [Pa].
    pub young: f64,
    /// ρ [kg/m³].
    pub density: f64,
    /// A [m²].
    pub area: f64,
    /// L [m].
    pub length: f64,
    /// Number of elements.
    pub elements: i64,
    /// "consistent" or "lumped".
    #[serde(default = "consistent")]
    pub mass: String,
    /// F(t) on every node, or node by node; zero when absent.
    pub force: Option<Spread<SignalSpec>>,
    /// Displacement at t = 0 of all nodes, or node by node; zero when absent.
    pub q0: Option<Spread<f64>>,
    /// Velocity at t = 0 of all nodes, or node by node; zero when absent.
    pub v0: Option<Spread<f64>>,
    /// The contacts.
    #[serde(default)]
    pub contact: Vec<BarContactSpec>,
}

fn consistent() -> String {
    "consistent".into()
}

/// `[[model.contact]]` of a bar: one node against an obstacle.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BarContactSpec {
    /// The node, from 0.
    pub node: i64,
    /// 1: the obstacle lies below, g = q + offset; −1: above, g = −q + offset.
    #[serde(default = "upward")]
    pub direction: i64,
    /// w(t); zero when absent.
    #[serde(default)]
    pub offset: SignalSpec,
    /// e.
    pub restitution: f64,
    /// A bar moves along itself only.
    pub friction: Option<Value>,
    /// A bar moves along itself only.
    pub tangents: Option<Value>,
}

fn upward() -> i64 {
    1
}

/// `[scheme]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SchemeSpec {
    /// The scheme.
    #[serde(default = "moreau_jean")]
    pub name: String,
    /// θ.
    pub theta: Option<f64>,
    /// β.
    pub beta: Option<f64>,
    /// γ.
    pub gamma: Option<f64>,
    /// α of HHT.
    pub alpha: Option<f64>,
    /// α_m.
    pub alpha_m: Option<f64>,
    /// α_f.
    pub alpha_f: Option<f64>,
    /// ρ∞.
    pub rho_inf: Option<f64>,
    /// A named set.
    pub preset: Option<String>,
    /// The index set.
    pub activation: Option<String>,
    /// c of `predicted`.
    pub prediction: Option<f64>,
    /// `none` or `paid`.
    pub projection: Option<String>,
    /// `monolithic` or `sequential`.
    pub solution: Option<String>,
    /// Relative error between events.
    pub tolerance: Option<f64>,
    /// `explicit` or `stiff`.
    pub method: Option<String>,
    /// Part of the largest approach that counts as rest.
    pub cut: Option<f64>,
    /// p of `runge-kutta-moreau`.
    pub order: Option<u32>,
    /// `explicit` or `radau-iia`.
    pub tableau: Option<String>,
    /// C of the bracket C h^{p+1}.
    pub bracket: Option<f64>,
    /// 1 or 2.
    pub variant: Option<i64>,
    /// `checked`, `newton` or `fremond`; without effect while no contact rubs.
    pub friction_law: Option<String>,
    /// `n1p` or `newton`, for bodies.
    pub gyroscopic: Option<String>,
}

fn moreau_jean() -> String {
    "moreau-jean".into()
}

/// `[solver]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolverSpec {
    /// The method.
    #[serde(default = "auto")]
    pub name: String,
    /// Both residuals.
    pub tolerance: Option<f64>,
    /// Sweeps, iterations or pivots.
    pub max_iterations: Option<i64>,
}

fn auto() -> String {
    "auto".into()
}

/// `[time]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeSpec {
    /// T [s].
    pub end: f64,
    /// h [s].
    pub step: f64,
    /// Steps chosen by their error; equal steps when absent.
    pub adaptive: Option<AdaptiveSpec>,
}

/// `time.adaptive`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdaptiveSpec {
    /// 0, 1, 2 or "variable".
    pub order: Option<Value>,
    /// A number, or a table with q, v and gap.
    pub atol: Option<Value>,
    /// A number, or a table with q, v and gap.
    pub rtol: Option<Value>,
    /// "q", "v" or "qv".
    pub control: Option<String>,
    /// Whether penetration is controlled.
    pub violation: Option<bool>,
    /// h_min [s].
    pub step_min: Option<f64>,
    /// h_max [s].
    pub step_max: Option<f64>,
    /// Richardson extrapolation where no impulse acts.
    pub extrapolate: Option<bool>,
    /// α.
    pub alpha: Option<f64>,
    /// α_min.
    pub alpha_min: Option<f64>,
    /// α_max.
    pub alpha_max: Option<f64>,
}

/// `[output]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputSpec {
    /// One row of every table in so many steps.
    #[serde(default = "one")]
    pub every: i64,
}

fn one() -> i64 {
    1
}
