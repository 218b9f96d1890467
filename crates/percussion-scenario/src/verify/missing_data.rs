//! What a run folder does not hold, and which checks it therefore cannot support.

use crate::build::scenario::Scenario;
use crate::run::summary::{IN_PARTS, Summary};
use percussion_step::{Ability, ContactFrame, Projection, Stored, System};

/// Why a check cannot be made; `None` where it can.
pub type Reason = Option<String>;

/// The reasons, by what a check needs.
pub struct MissingData {
    /// Rows one step apart.
    pub rows: Reason,
    /// The scheme's equations between two rows.
    pub scheme: Reason,
    /// Rows one step apart and the scheme's equations between them.
    pub step: Reason,
    /// Those, and accelerations.
    pub acceleration: Reason,
    /// Those, and every impulse.
    pub motion: Reason,
    /// Those, and the loads at the positions stored.
    pub loads: Reason,
    /// Accelerations at the positions stored.
    pub dissipation: Reason,
    /// What moved positions onto contacts, where the scheme does.
    pub projection: Reason,
    /// Contacts of bodies, which are those where the step began.
    pub contacts: Reason,
    /// An energy that the works of a step balance.
    pub balance: Reason,
    /// How well the rows of contacts in the middle of a step are known, in parts of the largest velocity: they follow impulses, no sharper than
    /// these were solved.
    pub rows_known: f64,
}

/// What rows leave open, over the residual of the contact problems they follow.
const FOLLOWING: f64 = 10.0;

impl MissingData {
    /// Of a run of this scenario.
    pub fn of(scenario: &Scenario, summary: &Summary) -> Self {
        let (model, scheme) = (scenario.model(), &scenario.scheme);
        let rows = (scenario.every > 1)
            .then(|| format!("every = {}: the steps between two rows are not stored", scenario.every));
        let extrapolated = scheme.extrapolated.then(|| "extrapolated states are not the scheme's".to_string());
        // accelerations follow from the equation of motion only without joints
        let accelerated = !matches!(scheme.facts().stored, Stored::Theta { .. } | Stored::Euler);
        // a record of a live simulation may begin in the middle of a run
        let late = scenario.adaptive.is_none() && summary.t_end > (summary.steps as f64 + 0.5) * scenario.step;
        let carried = (late && accelerated)
            .then(|| "what the scheme carried when the record began, later than t = 0, is not stored".to_string());
        let in_parts = summary
            .solver
            .contains_key(IN_PARTS)
            .then(|| "some steps were made in parts, which are not stored".to_string());
        let unknown = unknown_scheme(scenario).or(extrapolated).or(carried).or(in_parts);
        let step = rows.clone().or(unknown.clone());
        let joined = (model.n_joints() > 0).then(|| "the impulses of joints are not stored".to_string());
        let lifted =
            (scheme.projection == Projection::Paid).then(|| "the lift of the projection is not stored".to_string());
        let acceleration = step.clone().or(joined.clone().filter(|_| accelerated));
        let identity = (!scenario.guarantee().has_identity()).then(|| "the scheme has no identity".to_string());
        // where H contains the step it is compared by the step that follows, which takes the scheme's equations
        let jumping = scenario.adaptive.is_some() && scheme.facts().has(Ability::EnergyOfStep);
        let projected = matches!(scheme.facts().stored, Stored::Projected(_));
        let projection =
            projected.then(|| "the multipliers that move positions onto contacts are not stored".to_string());
        // residuals within the tolerance asked for are no excuse
        let loose = summary
            .verdicts
            .get("solver")
            .filter(|c| c.status == "warn" && scheme.facts().contact_frame == ContactFrame::Middle);
        Self {
            rows_known: loose.map_or(0.0, |c| FOLLOWING * c.worst),
            projection,
            motion: step.clone().or(joined).or(lifted.clone()),
            loads: step.clone().or(lifted.clone()),
            dissipation: acceleration.clone().or(lifted),
            balance: identity.or(acceleration.clone().filter(|_| jumping)),
            contacts: rows.clone().filter(|_| model.system() == System::Bodies),
            rows,
            scheme: unknown,
            step,
            acceleration,
        }
    }
}

/// Why the equations of a scheme cannot be followed from positions, velocities and impulses.
fn unknown_scheme(scenario: &Scenario) -> Reason {
    match (scenario.model().system(), scenario.scheme.facts().stored) {
        (System::Bodies, _) => Some("the w* and the features of a step of bodies are not stored".to_string()),
        (System::Lagrangian, _) => {
            Some("a nonlinear step holds between forces and multipliers that are not stored".to_string())
        }
        (System::Linear, Stored::Missing(why)) => Some(why.to_string()),
        (
            System::Linear,
            Stored::Theta { .. } | Stored::Newmark(_) | Stored::Implicit { .. } | Stored::Euler | Stored::Projected(_),
        ) => None,
    }
}
