//! Multipliers of GGL and of Moreau–Jean on a nonlinear model, step by step: what run folders do not hold.

use super::play::Points;
use percussion_model::Lagrangian;
use percussion_scenario::{Result, ScenarioError};
use percussion_step::{
    Activation, Ggl, GglVariant, Memory, NewmarkLike, State, Step, StepFailure, StepStart, Stepper, VelocityLevel,
    VelocityScheme,
};
use std::sync::Arc;

/// The multipliers of every step, joints first, then contacts.
#[derive(Default)]
pub struct Multipliers {
    pub t: Vec<f64>,
    /// λ̃ of the joints, forces.
    pub smooth: Vec<Vec<f64>>,
    /// Λ, impulses.
    pub impulse: Vec<Vec<f64>>,
    /// ν of the position correction.
    pub position: Vec<Vec<f64>>,
    /// g of the joints.
    pub joints: Vec<Vec<f64>>,
}

impl Multipliers {
    pub fn points(&self, which: &[Vec<f64>], j: usize) -> Points {
        self.t.iter().copied().zip(which.iter().map(|row| row[j])).collect()
    }
}

/// GGL with the activation of the papers.
pub fn of_ggl(model: &Arc<dyn Lagrangian>, rho_inf: f64, q0: &[f64], (h, end): (f64, f64)) -> Result<Multipliers> {
    let p = NewmarkLike::chung_hulbert(rho_inf);
    let mut stepper = Ggl::new(Arc::clone(model), GglVariant::Ggl, p, false, 1e-11);
    run(model, &mut stepper, q0, (h, end), |s, found| {
        found.smooth.push(s.smooth_multipliers().to_vec());
        found.impulse.push(s.impulses().to_vec());
        found.position.push(s.position_multipliers().to_vec());
    })
}

/// Moreau–Jean with θ, activated by g(q + h v) ≤ 0.
pub fn of_moreau(model: &Arc<dyn Lagrangian>, theta: f64, q0: &[f64], (h, end): (f64, f64)) -> Result<Multipliers> {
    let activation = Activation::Predicted { prediction: 1.0 };
    let mut stepper = VelocityLevel::new(Arc::clone(model), VelocityScheme::MoreauJean(theta), activation, 1e-11);
    run(model, &mut stepper, q0, (h, end), |s, found| found.impulse.push(s.impulses().to_vec()))
}

fn run<S: Stepper>(
    model: &Arc<dyn Lagrangian>,
    stepper: &mut S,
    q0: &[f64],
    (h, end): (f64, f64),
    take: impl Fn(&S, &mut Multipliers),
) -> Result<Multipliers> {
    let mut state = State { t: 0.0, q: q0.to_vec(), v: vec![0.0; q0.len()] };
    let mut memory = stepper.start(&state);
    let (mut step, mut next) = (Step::default(), Memory::default());
    let mut found = Multipliers::default();
    for k in 1..=(end / h).round() as u64 {
        stepper.step(&StepStart { state: &state, memory: &memory, h }, &mut step, &mut next).map_err(refused)?;
        std::mem::swap(&mut memory, &mut next);
        state.clone_from(&step.after);
        state.t = k as f64 * h;
        found.t.push(state.t);
        found.joints.push((0..model.n_joints()).map(|j| model.constraint(j, &state.q)).collect());
        take(stepper, &mut found);
    }
    Ok(found)
}

fn refused(failure: StepFailure) -> Box<ScenarioError> {
    ScenarioError::file(failure.code, "reproduce", failure.to_string(), failure.help.clone())
}
