//! The state of another run as a start: deposit, then shake.
//!
//!   bodies: frame and velocities of each that moves, by name;    other models: q and v as they are

use super::attachments::Attachments;
use crate::error::{Result, ScenarioError};
use crate::run::folder::{Row, RunFolder};
use percussion_model::bodies::Motion;
use percussion_model::{Code, InputError};
use percussion_step::{Problem, State, Warning};
use std::path::PathBuf;

/// A run, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct StartFrom {
    /// Its folder.
    pub run: PathBuf,
    /// The last row up to this time; the last of all where it is none [s].
    pub t: Option<f64>,
}

impl StartFrom {
    /// `RUN` or `RUN@t`; what is no finite number after an @ belongs to the folder's name.
    pub fn parse(text: &str) -> Self {
        let time = |t: &str| t.parse().ok().filter(|t: &f64| t.is_finite());
        match text.rsplit_once('@').and_then(|(run, t)| Some((run, time(t)?))) {
            Some((run, t)) => Self { run: run.into(), t: Some(t) },
            None => Self { run: text.into(), t: None },
        }
    }
}

/// Where a run was, on the coordinates of another problem.
pub struct Left {
    /// q.
    pub q: Vec<f64>,
    /// v.
    pub v: Vec<f64>,
    /// What is to be said of it.
    pub remark: Option<Warning>,
}

/// q and v of a problem that starts where a run was, a run of what the program hands over where it was one; what the run does not know stays as the problem has it.
pub fn start_from(from: &StartFrom, problem: &Problem, given: &Attachments) -> Result<Left> {
    // its files are its own
    let given = Attachments { files: Default::default(), matrices: Default::default(), ..given.clone() };
    let run = RunFolder::open_with(&from.run, &given)?;
    let state = state_at(&run, from)?;
    let remark = from.t.filter(|t| state.t < t - 1e-9 * t.abs()).map(|t| {
        let message = format!(
            "{} keeps no row at t = {t} s: the start is the row before it, at t = {} s",
            from.run.display(),
            state.t
        );
        Warning { code: Code::EARLIER_START, message }
    });
    let (mut q, mut v) = (problem.q0.clone(), problem.v0.clone());
    let refuse = |message: String, help: &str| {
        Err(InputError::new(Code::BAD_RUN, "start", format!("{}: {message}", from.run.display()), help).into())
    };
    let (Some(there), Some(here)) = (run.model().bodies(), problem.model.bodies()) else {
        if state.q.len() != q.len() || state.v.len() != v.len() {
            let message = format!("has {} coordinates, where this model has {}", state.q.len(), q.len());
            return refuse(message, "start from a run of the same model");
        }
        return Ok(Left { q: state.q, v: state.v, remark });
    };
    if there.is_planar() != here.is_planar() {
        return refuse(
            "one of the scenes lies in the plane, the other in space".into(),
            "start from a scene of its kind",
        );
    }
    let (a, b) = if here.is_planar() { (3, 3) } else { (7, 6) };
    let mut found = 0;
    for (i, body) in here.bodies().iter().enumerate().filter(|(_, body)| body.motion != Motion::Fixed) {
        let Some(j) = there.bodies().iter().position(|other| other.name == body.name) else { continue };
        q[a * i..a * (i + 1)].copy_from_slice(&state.q[a * j..a * (j + 1)]);
        v[b * i..b * (i + 1)].copy_from_slice(&state.v[b * j..b * (j + 1)]);
        found += 1;
    }
    if found == 0 {
        return refuse("no body that moves has a name of this scene".into(), "give the bodies the same names");
    }
    Ok(Left { q, v, remark })
}

fn state_at(run: &RunFolder, from: &StartFrom) -> Result<State> {
    let (mut rows, mut row, mut state) = (run.rows()?, Row::default(), None);
    let mut rows_ended = true;
    while rows.next(&mut row)? {
        // a time is written to round-off
        if from.t.is_some_and(|t| row.state.t > t + 1e-9 * t.abs()) {
            rows_ended = false;
            break;
        }
        state = Some(row.state.clone());
    }
    let end = state.as_ref().map_or(0.0, |state: &State| state.t);
    if rows_ended && from.t.is_some_and(|t| t > end + 1e-9 * t.abs()) {
        let message = format!("ends at t = {end} s, before the time asked for");
        return Err(ScenarioError::file(
            Code::BAD_RUN,
            from.run.display().to_string(),
            message,
            "give a time of the run, or none for its end",
        ));
    }
    state.ok_or_else(|| {
        let message = "has no row up to that time";
        ScenarioError::file(Code::BAD_RUN, from.run.display().to_string(), message, "give a time of the run")
    })
}
