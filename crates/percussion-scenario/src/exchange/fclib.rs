//! The contact problems of a run as FCLIB files, for other people's solvers.
//!
//!   step N:  u = W r + b,  Coulomb's law between u and r   →   step-N.hdf5, with r and u as its solution
//!
//! Contacts without friction are written with μ = 0 and a tangent that moves nothing.
//!
//! A run folder holds states, not problems. The run is made again from its resolved scenario, which reproduces it bit by
//! bit; the fingerprint of the states says whether it did.

use crate::error::{Result, ScenarioError};
use crate::run::folder::RunFolder;
use crate::run::unwritable;
use percussion_files::{ContactProblem, ProblemFile, StoredState, write_fclib};
use percussion_model::Code;
use percussion_solve::friction::FrictionProblem;
use percussion_step::{Audit, Outcome};
use std::path::Path;

/// Files that one export writes at most: of longer runs every n-th step is taken.
const MOST: u64 = 1000;

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportedProblems {
    /// Files.
    pub files: usize,
    /// Every which step was looked at.
    pub every: u64,
    /// Steps made again.
    pub steps: u64,
}

/// Writes the contact problems of a run to `out`; `watch` hears the number of each step and ends the export
/// with false.
pub fn export_fclib(folder: &Path, out: &Path, watch: &mut dyn FnMut(u64) -> bool) -> Result<ExportedProblems> {
    let run = RunFolder::open(folder)?;
    let (file, summary) = (folder.display().to_string(), &run.summary);
    std::fs::create_dir_all(out).map_err(|error| unwritable(out, &error))?;
    let name = run.loaded.scenario.name.clone();
    let mut simulation = run.loaded.simulation;
    let mut audit = Audit::default();
    let every = summary.steps.div_ceil(MOST).max(1);
    let mut exported = ExportedProblems { every, ..ExportedProblems::default() };
    while exported.steps < summary.steps {
        if let Outcome::Failed(failure) = simulation.run(1, &mut audit) {
            let message = format!("step {} could not be made again: {}", exported.steps + 1, failure.message);
            return Err(ScenarioError::file(Code::BAD_RUN, file, message, "export with the version that made the run"));
        }
        exported.steps += 1;
        if !watch(exported.steps) {
            return Ok(exported);
        }
        if !exported.steps.is_multiple_of(every) {
            continue;
        }
        let Some((problem, r)) = simulation.contact_problem() else { continue };
        let place = format!("step {} at t = {} s, contacts", exported.steps, simulation.state().t);
        let Some(bytes) = problem_file(&name, &place, problem, r) else { continue };
        let path = out.join(format!("step-{}.hdf5", exported.steps));
        crate::run::plain_file::write(&path, &bytes).map_err(|error| unwritable(&path, &error))?;
        exported.files += 1;
    }
    if audit.state_hash() != summary.state_hash {
        let message = "the run made again differs from the one stored: the problems are not its own";
        return Err(ScenarioError::file(Code::BAD_RUN, file, message, "export with the version that made the run"));
    }
    Ok(exported)
}

/// One problem with its answer; `None` when it is too large for FCLIB's 32-bit integers.
fn problem_file(name: &str, place: &str, problem: FrictionProblem, r: Vec<f64>) -> Option<Vec<u8>> {
    let mut u = vec![0.0; r.len()];
    problem.velocity(&r, &mut u);
    let ids: Vec<String> = problem.ids.iter().map(ToString::to_string).collect();
    let mut file = ProblemFile::new(ContactProblem::Local(problem));
    file.title = name.to_string();
    file.description = format!("{place} {}", ids.join(" "));
    file.solution = Some(StoredState { r, u, ..StoredState::default() });
    write_fclib(&file)
}
