//! Elastic solids in the equations of a step.
//!
//!   r_i += h f_i(x₀, x₁),    ∂r/∂v₁ += h²θ ∂f/∂x₁   between the nodes of each element
//!
//! f·Δx is the change of energy and what viscosity takes, whatever the step; its sum and, in finite deformation, its moment are zero.

use crate::bodies::joint_system::JointSystem;
use crate::bodies::joint_system::graph::BlockGraph;
use crate::bodies::momentum::{MomentumBook, Source};
use percussion_model::bodies::math::{Vec3, norm, scale};
use percussion_model::bodies::{Bodies, Elastic};

/// What one solid did at the last evaluation.
#[derive(Clone, Debug, Default)]
pub struct SolidStep {
    x: [Vec<Vec3>; 2],
    /// f, what holds its nodes [N].
    force: Vec<Vec3>,
    /// What viscosity takes [J].
    pub dissipation: f64,
}

/// The solids of a scene.
#[derive(Debug)]
pub struct Solids {
    steps: Vec<SolidStep>,
    /// Σ h|f|, and Σ h²|f|²/m.
    pub pull: f64,
    pub motion: f64,
}

impl Solids {
    /// Of a scene.
    pub fn new(scene: &Bodies) -> Self {
        let of = |solid: &Elastic| SolidStep { force: vec![[0.0; 3]; solid.n_nodes()], ..Default::default() };
        Self { steps: scene.elastic().iter().map(of).collect(), pull: 0.0, motion: 0.0 }
    }

    /// What viscosity takes [J].
    pub fn dissipation(&self) -> f64 {
        self.steps.iter().map(|step| step.dissipation).sum()
    }
}

impl JointSystem {
    /// Adds what solids do to the residuals of their nodes; not a number where an element is inside out.
    pub fn add_solids(&mut self, h: f64) {
        (self.solids.pull, self.solids.motion) = (0.0, 0.0);
        for (solid, step) in self.scene.elastic().iter().zip(&mut self.solids.steps) {
            for (end, x) in step.x.iter_mut().enumerate() {
                solid.places(|i| self.passages[i].ends[end].x, x);
            }
            let [x0, x1] = &step.x;
            match solid.elasticity.force([x0, x1], h, &mut step.force) {
                Some(taken) => step.dissipation = taken,
                None => step.force.fill([f64::NAN; 3]),
            }
            for (i, f) in solid.nodes().zip(&step.force) {
                let r = &mut self.r_body[i];
                (0..3).for_each(|k| r[k] += h * f[k]);
                let pull = h * norm(f);
                self.solids.pull += pull;
                self.solids.motion += pull * pull * self.scene.bodies()[i].inverse_mass;
            }
        }
    }

    /// Adds ∂r/∂v₁ of solids at the last evaluation; `false` where an element is inside out.
    pub fn put_solids(&self, graph: &mut BlockGraph, h: f64) -> bool {
        let factor = h * h * self.theta;
        let mut known = true;
        for (k, (solid, step)) in self.scene.elastic().iter().zip(&self.solids.steps).enumerate() {
            let (d, mut element, [x0, x1]) = (solid.solid.matter().dimension(), 0, &step.x);
            let put = |_: &[usize], K: &[f64]| {
                graph.add_element(k, element, d, factor, K);
                element += 1;
            };
            known &= solid.elasticity.tangents([x0, x1], h, put).is_some();
        }
        known
    }

    /// Books what solids give to their nodes: between themselves, where no support holds some of them.
    pub fn book_solids(&self, h: f64, book: &mut MomentumBook) {
        for (solid, step) in self.scene.elastic().iter().zip(&self.solids.steps) {
            let source = if solid.supported { Source::Joint } else { Source::Inside };
            for (i, f) in solid.nodes().zip(&step.force).filter(|(i, _)| self.scene.bodies()[*i].is_free()) {
                book.impulse(source, &self.passages[i].x, &scale(-h, f), &[0.0; 3]);
            }
        }
    }
}
