//! Elements between bodies in the equations of a step.
//!
//!   r_a += h F_a + (μ/6)(Δv_b − Δv_a),    r_b += h F_b − (μ/6)(Δv_b − Δv_a);    ∂r/∂v₁ += h²θ K
//!
//! The stress in the geometric part of the first tangent of a step is that of its start: a predicted state stretches stiff elements
//! by its error, and what that would add to the tangent is not there.

use crate::bodies::joint_system::JointSystem;
use crate::bodies::momentum::{MomentumBook, Source};
use crate::bodies::theta_step::BodiesStart;
use percussion_model::bodies::math::{norm, scale};
use percussion_model::bodies::{Bodies, Twist};
use percussion_model::flexible::ElementStep;
use percussion_model::flexible::action::BodyTangent;

/// What elements did at the last evaluation.
#[derive(Debug)]
pub struct Elements {
    /// Element by element.
    pub steps: Vec<ElementStep>,
    /// K of the last full evaluation.
    pub tangents: Vec<BodyTangent>,
    /// Σ h|F|, and Σ h²|F|²/m of both ends.
    pub pull: f64,
    pub motion: f64,
    /// Whether the next tangent is the first of a step.
    pub first: bool,
    /// ∂N/∂e of each at the last full evaluation, and whether one has another since by more than the masses at its ends make up for.
    slopes: Vec<f64>,
    bent: bool,
}

/// h²θ |Δ∂N/∂e| (1/m_a + 1/m_b) beyond which the matrix is that of another net.
const BENT: f64 = 1.0;

impl Elements {
    /// For the elements of a scene.
    pub fn new(scene: &Bodies) -> Self {
        let n = scene.spans().len();
        let tangents = vec![[[[[0.0; 6]; 6]; 2]; 2]; n];
        let (steps, slopes) = (vec![ElementStep::default(); n], vec![0.0; n]);
        Self { steps, tangents, pull: 0.0, motion: 0.0, first: true, slopes, bent: false }
    }
}

impl JointSystem {
    /// Adds what elements do to the residuals of bodies; with `full` their tangents too.
    pub fn add_elements(&mut self, from: &BodiesStart, after: &[Twist], full: bool) {
        let h = from.h;
        let weight = h * h * self.theta;
        let elements = &mut self.elements;
        (elements.pull, elements.motion, elements.bent) = (0.0, 0.0, false);
        for (k, span) in self.scene.spans().iter().enumerate() {
            let [a, b] = span.bodies;
            let (pa, pb) = (&self.passages[a], &self.passages[b]);
            let step = if full {
                // the tangent of a cable has its own tension
                let first = elements.first && !span.element.is_cable();
                let stress = first.then(|| span.section_forces(&pa.ends[0], &pb.ends[0]).0);
                span.element.with_tangent_at(pa, pb, h, stress.as_ref(), &mut elements.tangents[k])
            } else {
                span.element.over_step(pa, pb, h)
            };
            for (side, body) in span.bodies.into_iter().enumerate() {
                let sign = if side == 0 { span.coupling } else { -span.coupling };
                let r = &mut self.r_body[body];
                for k in 0..6 {
                    r[k] += h * step.force[side][k];
                }
                if span.coupling == 0.0 {
                    continue;
                }
                for k in 0..3 {
                    r[k] += sign * ((after[b].v[k] - from.before[b].v[k]) - (after[a].v[k] - from.before[a].v[k]));
                }
            }
            let f = &step.force[1];
            let pull = h * norm(&[f[0], f[1], f[2]]);
            let bodies = self.scene.bodies();
            let mobility = bodies[a].inverse_mass + bodies[b].inverse_mass;
            elements.pull += pull;
            elements.motion += pull * pull * mobility;
            if full {
                elements.slopes[k] = step.slope;
            } else {
                elements.bent |= weight * mobility * (step.slope - elements.slopes[k]).abs() > BENT;
            }
            elements.steps[k] = step;
        }
        if full {
            elements.first = false;
        }
    }

    /// Says that the next tangent is the first of a step.
    pub fn begin_elements(&mut self) {
        self.elements.first = true;
    }

    /// Whether cables have gone slack or taut since the last full evaluation, so that its matrix leads astray.
    pub fn elements_are_bent(&self) -> bool {
        self.elements.bent
    }

    /// Σ h|F| of elements and solids at the last evaluation.
    pub fn pull_of_elements(&self) -> f64 {
        self.elements.pull + self.solids.pull
    }

    /// Σ h²|F|²/m of elements and solids at the last evaluation: the square of what they would make of rest, whose round-off stays in velocities.
    pub fn motion_of_elements(&self) -> f64 {
        self.elements.motion + self.solids.motion
    }

    /// The first element whose ends are turned by 0.9π or more against each other.
    pub fn folded(&self) -> Option<usize> {
        self.elements.steps.iter().position(|step| step.folded)
    }

    /// What viscosity takes over the step [J].
    pub fn viscous_work(&self) -> f64 {
        self.elements.steps.iter().map(|step| step.dissipation).sum::<f64>() + self.solids.dissipation()
    }

    /// Σ (μ/6)|Δv_b − Δv_a|²: what consistent mass takes from ‖Δv‖²_M.
    pub fn coupling_change(&self, from: &BodiesStart, after: &[Twist]) -> f64 {
        let change =
            |i: usize| Twist { v: std::array::from_fn(|k| after[i].v[k] - from.before[i].v[k]), ..Default::default() };
        -2.0 * self.scene.coupling_energy(change)
    }

    /// Books what elements give to free bodies.
    pub fn book_elements(&self, h: f64, book: &mut MomentumBook) {
        let free = |i: usize| self.scene.bodies()[i].is_free();
        let modal = |i: usize| self.scene.bodies()[i].modal;
        for (span, step) in self.scene.spans().iter().zip(&self.elements.steps) {
            let source = if span.bodies.into_iter().all(free) { Source::Inside } else { Source::Joint };
            for (side, i) in span.bodies.into_iter().enumerate().filter(|(_, i)| free(*i) && !modal(*i)) {
                let (way, F) = (&self.passages[i], &step.force[side]);
                let [p, m] = [[F[0], F[1], F[2]], [F[3], F[4], F[5]]].map(|x| scale(-h, &x));
                book.impulse(source, &way.x, &p, &way.spatial(&m));
            }
        }
    }
}
