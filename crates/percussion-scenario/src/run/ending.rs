//! How a run ended, told from the outcome of its steps.

use super::boxed;
use crate::error::{Result, ScenarioError};
use crate::run::writer::Unwritable;
use percussion_model::Code;
use percussion_step::{Audit, Outcome, StepFailure, Stop};
use std::path::Path;

/// How a run ended.
#[derive(Debug)]
pub enum RunEnd {
    /// At its horizon.
    Finished,
    /// By the watcher.
    Interrupted,
    /// At a step that could not be made.
    Failed(Box<StepFailure>),
}

impl RunEnd {
    /// Of the outcome of its steps; a table that could not be written is an error.
    pub(super) fn of(outcome: Outcome, audit: &Audit, folder: Option<&Path>) -> Result<Self> {
        match outcome {
            Outcome::Finished => Ok(Self::Finished),
            Outcome::Failed(mut failure) => {
                if let Some((created, t)) = audit.burst() {
                    tell_burst(&mut failure, created, t);
                }
                Ok(Self::Failed(Box::new(failure)))
            }
            Outcome::Stopped(Stop::Interrupted) => Ok(Self::Interrupted),
            Outcome::Stopped(Stop::Failed(error)) => {
                let error = match error.downcast::<StepFailure>() {
                    Ok(failure) => return Ok(Self::Failed(failure)),
                    Err(error) => error,
                };
                Err(match error.downcast::<Unwritable>() {
                    Ok(error) => boxed(*error),
                    Err(error) => {
                        let folder = folder.map_or(String::new(), |folder| folder.display().to_string());
                        ScenarioError::file(Code::UNWRITABLE, folder, error.to_string(), "see above")
                    }
                })
            }
        }
    }
}

/// Adds to a failure that the motion had become unstable before it.
fn tell_burst(failure: &mut StepFailure, created: f64, t: f64) {
    failure.message += &format!(
        "; before it the scheme created {created:.1e} J in the step to t = {t} s: the motion had become unstable"
    );
    let stable = "energy-momentum cannot create energy, hht and generalized-alpha damp what the step cannot follow";
    failure.help = match failure.help.as_str() {
        "" => stable.into(),
        help => format!("{help}; {stable}"),
    };
}
