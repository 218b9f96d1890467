//! Contacts that rub, recomputed: tangential velocities, cones, and the law between two states.
//!
//!   u_T = Tᵀv,    ‖p_T‖ ≤ μ p_N,    ‖m‖ ≤ μ_r p_N,    stick: w_T = 0,    slip: w_T = −‖w_T‖ p_T/(μ p_N),    w_T = u_T⁺ + α u_T
//!
//! α is not stored: under the checked rule either of its two values may have been used at a contact.

use crate::run::folder::Row;
use crate::verify::TOLERANCE;
use crate::verify::differences::{LargestDifference, Scale};
use crate::verify::equations::contact_frame::{LawFrame, SUMMED};
use crate::verify::missing_data::MissingData;
use percussion_step::{ContactFrame, ContactStatus, FrictionLaw, Model, Scheme};

/// The checks of frictional contacts.
pub struct FrictionCheck<'a> {
    model: &'a Model,
    /// Where the tangents of bodies are taken.
    frame: LawFrame,
    /// The values α may have.
    alphas: Vec<f64>,
    velocity: LargestDifference,
    cone: LargestDifference,
    law: LargestDifference,
    /// The largest normal impulse so far [N·s].
    largest: f64,
}

impl<'a> FrictionCheck<'a> {
    /// `unsupported` says why two consecutive states cannot be compared, `missing` why consecutive rows are not such states.
    pub fn new(
        model: &'a Model,
        (scheme, frame): (&Scheme, LawFrame),
        unsupported: &Option<String>,
        missing: &MissingData,
    ) -> Self {
        let apart = &missing.rows;
        let frictionless = (!model.has_friction()).then(|| "no contact has friction".to_string());
        let alpha = scheme.facts().opening_restitution;
        let alphas = match scheme.friction_law {
            FrictionLaw::Newton => vec![0.0],
            FrictionLaw::Fremond => vec![alpha],
            FrictionLaw::Checked => vec![0.0, alpha],
        };
        // tangents of bodies are those where the step began
        let turned = apart.clone().filter(|_| model.contacts_vary());
        let reason = frictionless.clone().or(unsupported.clone());
        let in_parts = scheme.facts().contact_frame == ContactFrame::Parts;
        let summed = in_parts.then(|| SUMMED.to_string());
        Self {
            model,
            frame,
            alphas,
            velocity: LargestDifference::new("u_t", "Tᵀv", Scale::Velocity)
                .unless(&frictionless.clone().or(turned))
                .within(missing.rows_known),
            cone: LargestDifference::new("cones", "‖p_T‖ ≤ μ p_N, ‖m‖ ≤ μ_r p_N", Scale::Impulse)
                .unless(&frictionless.or(summed)),
            law: LargestDifference::new("friction law", "stick: w_T = 0, slip: w_T against p_T", Scale::Velocity)
                .unless(&reason),
            largest: 0.0,
        }
    }

    /// Takes in a row and the one before.
    pub fn row(&mut self, row: &Row, before: &Row, first: bool) {
        self.largest = row.contacts.iter().fold(self.largest, |largest, c| largest.max(c.p));
        for (c, along) in row.contacts.iter().zip(&row.friction) {
            if self.model.contacts_vary() && !self.lasting(c.id) {
                continue;
            }
            let u = match self.model.bodies() {
                Some(scene) => {
                    let [_, s, t] = self.frame.velocity(scene, c.id, &before.state, &row.state);
                    [s, t]
                }
                None => self.model.tangent_rate(c.id, &row.state.q, &row.state.v),
            };
            self.velocity.compare((u[0] - along.u_after[0]).hypot(u[1] - along.u_after[1]), row, Some(c.id));
            let mu = self.model.friction(c.id);
            let p_t = along.p[0].hypot(along.p[1]);
            self.cone.compare((p_t - mu * c.p).max(0.0), row, Some(c.id));
            let mu_r = self.model.rolling(c.id);
            if mu_r > 0.0 {
                let moment = along.m[0].hypot(along.m[1]);
                self.cone.compare((moment / mu_r - c.p).max(0.0), row, Some(c.id));
            }
            if first || mu == 0.0 || self.law.unsupported.is_some() {
                continue;
            }
            // along the tangents at the end of the step, as the law has it; those of linear models do not turn
            let u_before = self.model.tangent_rate(c.id, &row.state.q, &before.state.v);
            let violation = |alpha: f64| {
                let w = [along.u_after[0] + alpha * u_before[0], along.u_after[1] + alpha * u_before[1]];
                let slip = w[0].hypot(w[1]);
                match along.status {
                    ContactStatus::Stick => slip,
                    ContactStatus::Slip => {
                        // off its cone by what the largest impulse hides: of a light contact the direction is left to be judged
                        let off = mu * c.p - p_t <= TOLERANCE * self.largest && p_t > 0.0;
                        let along = along.p.map(|p| p / if off { p_t } else { mu * c.p });
                        (w[0] + slip * along[0]).hypot(w[1] + slip * along[1])
                    }
                    _ => 0.0,
                }
            };
            let least = self.alphas.iter().map(|&alpha| violation(alpha)).fold(f64::INFINITY, f64::min);
            self.law.compare(least, row, Some(c.id));
        }
    }

    /// Whether the frame of a contact of bodies can be found again.
    fn lasting(&self, id: usize) -> bool {
        self.model.bodies().is_some_and(|scene| scene.has_lasting_gap(id as u64))
    }

    /// What was found.
    pub fn finish(self) -> [LargestDifference; 3] {
        [self.velocity, self.cone, self.law]
    }
}
