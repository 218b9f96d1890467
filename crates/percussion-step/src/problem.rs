//! What is to be simulated: a model and its initial state.

use percussion_matrix::vector;
use percussion_model::{Code, InputError, LinearModel};
use std::sync::Arc;

/// The kinds of model a scheme can be asked to move.
#[derive(Clone, Debug)]
pub enum Model {
    /// Constant matrices.
    Linear(Arc<LinearModel>),
}

impl Model {
    /// Number of coordinates q.
    pub fn n_q(&self) -> usize {
        match self {
            Self::Linear(model) => model.n(),
        }
    }

    /// Number of velocities v.
    pub fn n_v(&self) -> usize {
        self.n_q()
    }

    /// Number of contacts.
    pub fn n_contacts(&self) -> usize {
        match self {
            Self::Linear(model) => model.n_contacts(),
        }
    }
}

/// A model with its state at t = 0.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The model.
    pub model: Model,
    /// q at t = 0.
    pub q0: Vec<f64>,
    /// v at t = 0.
    pub v0: Vec<f64>,
}

impl Problem {
    /// A linear problem; refuses sizes that do not fit, numbers that are not finite, penetration and violated joints.
    pub fn linear(model: LinearModel, q0: Vec<f64>, v0: Vec<f64>) -> Result<Self, InputError> {
        let problem = Self::linear_unchecked(model, q0, v0)?;
        problem.check_start()?;
        Ok(problem)
    }

    /// A linear problem whose initial state may still penetrate or violate joints; only sizes and numbers are checked.
    pub fn linear_unchecked(model: LinearModel, q0: Vec<f64>, v0: Vec<f64>) -> Result<Self, InputError> {
        for (field, x) in [("model.q0", &q0), ("model.v0", &v0)] {
            if x.len() != model.n() {
                let message = format!("has {} entries where the mass matrix has {} rows", x.len(), model.n());
                return Err(InputError::new(Code::BAD_SHAPE, field, message, format!("give {} numbers", model.n())));
            }
            if let Some(i) = x.iter().position(|x| !x.is_finite()) {
                let message = format!("entry {i} is {}", x[i]);
                return Err(InputError::new(Code::NOT_FINITE, field, message, "give a finite number"));
            }
        }
        Ok(Self { model: Model::Linear(Arc::new(model)), q0, v0 })
    }

    /// Gaps not negative, joints satisfied in position and velocity, to round-off of the numbers that enter.
    pub fn check_start(&self) -> Result<(), InputError> {
        let Model::Linear(model) = &self.model;
        for (i, contact) in model.contacts().iter().enumerate() {
            let gap = model.gap(i, &self.q0, 0.0);
            let scale = contact.offset.at(0.0).abs() + row_scale(&contact.normal, &self.q0);
            if gap < -1e-12 * scale {
                let message = format!("contact {i} penetrates by {:.6e} m at t = 0", -gap);
                let help = "move q0 or the offset, or use --fix-initial project";
                return Err(InputError::new(Code::PENETRATION, format!("model.contact[{i}]"), message, help));
            }
        }
        for (i, joint) in model.joints().iter().enumerate() {
            let field = format!("model.joint[{i}]");
            let position = model.joint_violation(i, &self.q0);
            if position.abs() > 1e-10 * (joint.offset.abs() + row_scale(&joint.row, &self.q0)) {
                let message = format!("row·q0 + offset = {position:.6e} instead of 0");
                let help = "correct q0, or use --fix-initial project";
                return Err(InputError::new(Code::JOINT_POSITION, field, message, help));
            }
            let velocity = model.joint_rate(i, &self.v0);
            if velocity.abs() > 1e-10 * row_scale(&joint.row, &self.v0) {
                let message = format!("row·v0 = {velocity:.6e} instead of 0");
                let help = "correct v0, or use --fix-initial project";
                return Err(InputError::new(Code::JOINT_VELOCITY, field, message, help));
            }
        }
        Ok(())
    }
}

fn row_scale(row: &[(usize, f64)], x: &[f64]) -> f64 {
    let entries: Vec<f64> = row.iter().map(|&(i, a)| a * x[i]).collect();
    vector::norm(&entries)
}
