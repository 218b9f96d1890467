//! The points of one motion on a section, and the map from one to the next.

use super::bifurcation::begin;
use super::figures::{return_plot, section_plot, write_figures};
use super::prepared::{Shortage, prepare};
use crate::parallel::{Threads, Watch, ordered};
use percussion_dynamics::{Cycle, cycle};
use percussion_model::Code;
use percussion_scenario::{Dynamics, Result, ScenarioError, write_text};
use std::path::{Path, PathBuf};

/// A section.
pub struct SectionStudy {
    /// The scheme that made it.
    pub scheme: String,
    /// Points.
    pub points: usize,
    /// The cycle they run through, if they do.
    pub cycle: Option<Cycle>,
    /// Impacts in a period.
    pub impacts: f64,
    /// The table and figures.
    pub files: Vec<PathBuf>,
}

/// Makes the section in a folder; none when it was stopped.
pub fn section(study: &Dynamics, folder: &Path, watch: &Watch) -> Result<Option<SectionStudy>> {
    let x: Vec<f64> = study.axes.iter().map(|axis| axis.at(0)).collect();
    let prepared = prepare(study, &x, None)?;
    let place = prepared.drawn(study)?;
    begin(study, folder)?;
    let work = |_: usize, task: &crate::parallel::Task| {
        prepared.sample(None, task.stop, &|steps| task.at(steps as f64 / prepared.n.max(1) as f64))
    };
    let Some(mut made) = ordered(&[1.0], Threads(1), watch, work) else { return Ok(None) };
    let sampled = match made.pop() {
        Some(Ok(sampled)) => sampled,
        Some(Err(Shortage::Failed(failure))) => {
            return Err(ScenarioError::file(failure.code, study.name.clone(), failure.message, failure.help));
        }
        Some(Err(Shortage::Stopped)) | None => return Ok(None),
    };
    if sampled.values.is_empty() {
        let message = format!("no point: the motion never meets the section \"{}\"", study.spec.section);
        let help = "choose another section, or more periods (time.end, where there is no period)";
        return Err(ScenarioError::file(Code::BAD_DYNAMICS, study.name.clone(), message, help));
    }
    let mut text = prepared.columns().join(",") + "\n";
    for point in sampled.values.chunks_exact(sampled.width) {
        text += &point.iter().map(|x| format!("{x:e}")).collect::<Vec<_>>().join(",");
        text.push('\n');
    }
    let mut files = vec![folder.join("section.csv")];
    write_text(&files[0], &text)?;
    files.extend(write_figures(&section_plot(study, &prepared, place, &sampled), folder, "section")?);
    files.extend(write_figures(&return_plot(study, &prepared, place, &sampled), folder, "return-map")?);
    Ok(Some(SectionStudy {
        scheme: prepared.label(),
        points: sampled.values.len() / sampled.width,
        cycle: cycle(&sampled.values, sampled.width, 1, study.spec.longest as usize, study.spec.tolerance),
        impacts: prepared.impacts_per_period(sampled.impacts),
        files,
    }))
}
