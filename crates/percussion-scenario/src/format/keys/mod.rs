//! Every key of a scenario, once: name, form, unit, default and sentence on the line of its field.

pub mod bodies;
pub mod computation;
pub mod dynamics;
pub mod flexible;
pub mod formula;
pub mod joints;
pub mod linear;
pub mod nonlinear;
pub mod play;
pub mod reduced;
pub mod scene_solid;
pub mod scheme;
pub mod sensitivity;
pub mod shapes;
pub mod solid;
pub mod sweep;

use super::record::{kinds, record};
use bodies::{BODY_LIST, BodiesSpec, JOINTS, MATERIALS, PAIRS, SPRINGS};
use computation::{OUTPUT, SOLVER, START, TIME};
use dynamics::DYNAMICS;
use flexible::{BEAMS, BUSHINGS, CABLES, NODE_LOADS};
use formula::FormulaSpec;
use linear::{BarSpec, LinearSpec};
use nonlinear::{BeamSpec, PendulumSpec, RockingBlockSpec};
use percussion_model::Form;
use percussion_model::KeyDefault::{Absent, Integer, Required};
use play::PLAY;
use reduced::FLEXIBLES;
use scene_solid::SOLIDS;
use scheme::SCHEME;
use sensitivity::SENSITIVITY;
use solid::SolidSpec;
use sweep::SWEEP;
use toml::Value;

kinds! {
    /// `[model]`.
    enum ModelSpec as MODELS {
        Linear(LinearSpec) = "linear", "M dv + (K q + C v) dt = F dt + G dI, g = Gᵀq + w ≥ 0, J q + c = 0";
        Bar(BarSpec) = "bar", "a straight elastic bar of equal two-node elements";
        Pendulum(PendulumSpec) = "pendulum", "joints x = length·cos θ, y = length·sin θ, contact x ≥ wall; q = (x, y, θ)";
        RockingBlock(RockingBlockSpec) = "rocking-block",
            "a block on its two lower corners, gaps y − (height/2) cos θ ± (width/2) sin θ; q = (x, y, θ)";
        Beam(BeamSpec) = "beam", "a geometrically exact beam pinned at the origin, contact x ≥ wall at its tip; nodes (x, y, θ)";
        Solid(SolidSpec) = "solid", "an elastic solid in finite elements, in the plane, about an axis or in space";
        Formula(FormulaSpec) = "formula", "energies, forces and gaps as formulas of named coordinates";
        Bodies(BodiesSpec) = "bodies",
            "rigid bodies; q per body x, y, z, w, i, j, k, v per body world velocity and body-frame angular velocity; in the plane x, y, θ";
    }
}

/// The kinds of model, as in `kind = "…"`.
pub const KINDS: &[&str] = ModelSpec::NAMES;

/// `[model]`.
pub const MODEL: Form = Form::Named("model", &Form::Kinds(MODELS));

record! {
    /// A scenario; its tables are read one by one.
    struct ScenarioSpec as SCENARIO {
        format: Value = Form::Integer { least: 1, most: 1 }, "", Integer(1), "version of this format";
        name: Option<String> = Form::Text, "", Absent("the name of the file"), "name of the run";
        model: Value = MODEL, "", Required, "what moves";
        material: Option<Value> = MATERIALS, "", Absent("none"), "materials of bodies";
        pair: Option<Value> = PAIRS, "", Absent("none"), "how materials meet";
        body: Option<Value> = BODY_LIST, "", Absent("none"), "the bodies";
        spring: Option<Value> = SPRINGS, "", Absent("none"), "springs between bodies";
        joint: Option<Value> = JOINTS, "", Absent("none"), "joints between bodies";
        beam: Option<Value> = BEAMS, "", Absent("none"), "flexible beams among bodies";
        cable: Option<Value> = CABLES, "", Absent("none"), "cables among bodies";
        bushing: Option<Value> = BUSHINGS, "", Absent("none"), "elastic elements between bodies";
        flexible: Option<Value> = FLEXIBLES, "", Absent("none"), "reduced flexible bodies among bodies";
        solid: Option<Value> = SOLIDS, "", Absent("none"), "elastic solids among bodies";
        load: Option<Value> = NODE_LOADS, "", Absent("none"), "loads at nodes of beams and at markers";
        scheme: Option<Value> = Form::Table(SCHEME), "", Absent("moreau-jean"), "how in time";
        solver: Option<Value> = Form::Table(SOLVER), "", Absent("its defaults"), "how at an instant";
        time: Value = Form::Table(TIME), "", Required, "the horizon";
        start: Option<Value> = Form::Table(START), "", Absent("what the model says"), "the state at t = 0, as a run left it";
        inputs: Option<String> = Form::Text, "", Absent("none"), "what a program set in a live simulation, step by step: a file that its run folder holds";
        output: Option<Value> = Form::Table(OUTPUT), "", Absent("every step"), "what is kept";
        sweep: Option<Value> = Form::Table(SWEEP), "", Absent("one run"), "what varies, for `percussion sweep`";
        dynamics: Option<Value> = Form::Table(DYNAMICS), "", Absent("none"), "what `percussion dynamics` makes of the scenario; `percussion run` ignores it";
        play: Option<Value> = Form::Table(PLAY), "", Absent("none"), "what the panel of `percussion play` offers";
        sensitivity: Option<Value> = Form::Table(SENSITIVITY), "", Absent("none"), "what `percussion sensitivity` differentiates; `percussion run` ignores it";
    }
}
