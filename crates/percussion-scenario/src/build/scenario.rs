//! A resolved scenario: everything a run needs, nothing left to default.

use crate::build::attachments::Attachments;
use crate::build::dials::Hands;
use crate::build::looks::Look;
use crate::build::mesh_picture::MeshPicture;
use crate::build::scene_solid::{self, SceneSolid};
use crate::build::signal_files::SignalFile;
use crate::build::solid::SolidDescription;
use crate::format::keys::formula::FormulaSpec;
use crate::format::keys::linear::DampingSpec;
use crate::format::keys::nonlinear::{BeamSpec, OwnSpec, PendulumSpec, RockingBlockSpec};
use crate::format::values::Spread;
use crate::run::memory::Cells;
use crate::run::selection::Selection;
use percussion_model::bodies::SceneParts;
use percussion_model::{LinearModel, LinearParts, Signal, build::Bar};
use percussion_solve::SolverOptions;
use percussion_solve::friction::DeviceChoice;
use percussion_step::{Ability, AdaptiveOptions, Guarantee, Model, Problem, Scheme, StepCount, Warning, by_products};
use std::sync::Arc;

/// What the keys of a linear model say beside its matrices; the load is kept because a model only answers F(t).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinearDescription {
    /// F(t), without that of gravity.
    pub force: Vec<Signal>,
    /// The acceleration of gravity; none where there is none.
    pub gravity: Option<Vec<Signal>>,
    /// Whether constant loads are potentials.
    pub conservative: bool,
    /// Damping that is no matrix of its own.
    pub damping: Option<DampingSpec>,
    /// Coordinates held, ascending.
    pub fixed: Vec<usize>,
    /// The weight and the pull of coordinates held elsewhere than at zero, part of the model's load beside F [N].
    pub own_load: Vec<f64>,
    /// The coordinates kept where others were condensed.
    pub kept: Option<Vec<usize>>,
    /// Names of the coordinates as they were given; none where they have none.
    pub coordinates: Vec<String>,
    /// Their units; metres where none are told.
    pub units: Option<Spread<String>>,
    /// The mesh it came from.
    pub picture: Option<MeshPicture>,
    /// What was given, where the model is made of less: coordinates are held or condensed.
    pub given: Option<LinearParts>,
}

/// How the model was described, kept so that it can be written out again.
#[derive(Clone, Debug, PartialEq)]
pub enum Description {
    /// Matrices.
    Linear(Box<LinearDescription>),
    /// A bar in finite elements.
    Bar {
        /// Its data.
        bar: Bar,
        /// F(t), one per node.
        force: Vec<Signal>,
    },
    /// A pendulum held by two joints, beside a wall.
    Pendulum(PendulumSpec),
    /// A block on its two lower corners.
    RockingBlock(RockingBlockSpec),
    /// Energies, forces and gaps as formulas.
    Formula(Box<FormulaSpec>),
    /// A model a program handed over; it has no text but for its names and its picture.
    Own(Box<OwnSpec>),
    /// A pinned beam in finite elements.
    Beam(BeamSpec),
    /// Bodies, with the solids among them as they were typed.
    Bodies(Box<SceneParts>, Arc<[SceneSolid]>, Arc<[Look]>),
    /// An elastic solid in finite elements.
    Solid(Box<SolidDescription>),
}

impl Description {
    /// The solid, where that is what was described.
    pub fn solid(&self) -> Option<&SolidDescription> {
        if let Self::Solid(solid) = self { Some(solid) } else { None }
    }
}

/// What to run, how, and what to keep.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The name of the run.
    pub name: String,
    /// How the model was described.
    pub description: Description,
    /// Model and initial state.
    pub problem: Problem,
    /// How in time.
    pub scheme: Scheme,
    /// How at an instant.
    pub solver: SolverOptions,
    /// Where many contacts are swept; what is computed does not depend on it.
    pub device: DeviceChoice,
    /// h [s].
    pub step: f64,
    /// T as asked [s].
    pub end: f64,
    /// The number of equal steps that covers it.
    pub count: StepCount,
    /// How steps are chosen, where they are not equal; `step` is then the first.
    pub adaptive: Option<AdaptiveOptions>,
    /// One row of every table in so many steps.
    pub every: u64,
    /// What the tables hold.
    pub selection: Selection,
    /// What the user should know.
    pub warnings: Vec<Warning>,
    /// What was chosen for a scene that leaves it open, and why.
    pub chosen: Option<&'static str>,
    /// What a program handed over beside the text.
    pub given: Attachments,
    /// Tables of signals that stand in files of their own.
    pub signal_files: Vec<SignalFile>,
    /// What a program set, to be set again.
    pub inputs: Option<Arc<Cells>>,
    /// Whether it starts from what a run left.
    pub continued: bool,
    /// What a program may set between steps; empty unless it asked to.
    pub hands: Hands,
}

impl Scenario {
    /// The model.
    pub fn model(&self) -> &Model {
        &self.problem.model
    }

    /// The model's matrices, if it is linear.
    pub fn linear(&self) -> Option<&Arc<LinearModel>> {
        self.problem.model.linear()
    }

    /// Sizes of a solid, its mass, the step against waves, the memory a run may want; empty for other kinds.
    pub fn solid_facts(&self) -> Vec<(&'static str, String)> {
        match &self.description {
            Description::Solid(solid) => {
                let by_products = self.linear().is_some_and(|model| by_products(model, self.step));
                let numbers = (self.selection.q.len() + self.selection.v.len()) as f64;
                let rows = (self.count.n / self.every.max(1) + 1) as f64;
                let kept = format!("1 state in {}, about {:.0} MB", self.every, 22e-6 * numbers * rows);
                let mut facts = solid.facts(self.step, by_products);
                facts.push(("trajectory", kept));
                facts
            }
            Description::Bodies(parts, ..) => scene_solid::facts(&parts.flexible.solids, self.step),
            Description::Linear(_)
            | Description::Bar { .. }
            | Description::Pendulum(_)
            | Description::RockingBlock(_)
            | Description::Own(_)
            | Description::Beam(_)
            | Description::Formula(_) => Vec::new(),
        }
    }

    /// What theory promises about the energy of this run.
    pub fn guarantee(&self) -> Guarantee {
        let mut guarantee = Guarantee::new(&self.scheme, &self.problem.model);
        if self.adaptive.is_some() && self.scheme.facts().has(Ability::EnergyOfStep) && guarantee.has_identity() {
            guarantee.reason.push_str(
                "; H contains the step: the identity closes in each step with that step's H, which jumps where the step \
                 changes (adaptive.energy_jump of the summary)",
            );
        }
        guarantee
    }
}
