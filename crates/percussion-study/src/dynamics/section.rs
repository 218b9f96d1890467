//! The points of one motion on a section, and the map from one to the next.

use super::bifurcation::begin;
use super::figures::{return_plot, section_plot, write_figures};
use super::prepared::{Prepared, Sampled, Shortage, limit_numbers, prepare};
use crate::parallel::{Threads, Watch, ordered};
use percussion_dynamics::{Cycle, MOST_NUMBERS, cycle};
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
    /// Impacts in a period, or in the whole motion where there is none.
    pub impacts: f64,
    /// Which of them.
    pub per_period: bool,
    /// The table and figures.
    pub files: Vec<PathBuf>,
}

/// A scenario, the drawn column and the points of its motion, at most so many numbers; none when it was stopped.
pub fn one_motion(
    study: &Dynamics,
    folder: &Path,
    watch: &Watch,
    most: usize,
) -> Result<Option<(Prepared, usize, Sampled)>> {
    let prepared = prepare(study, &[], None)?;
    limit_numbers(study, prepared.kept(), most as u64)?;
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
    Ok(Some((prepared, place, sampled)))
}

/// Makes the section in a folder; none when it was stopped.
pub fn section(study: &Dynamics, folder: &Path, watch: &Watch) -> Result<Option<SectionStudy>> {
    let Some((prepared, place, sampled)) = one_motion(study, folder, watch, MOST_NUMBERS)? else { return Ok(None) };
    let mut text = prepared.columns().join(",") + "\n";
    for point in sampled.values.chunks_exact(sampled.width) {
        text += &point.iter().map(|x| format!("{x:e}")).collect::<Vec<_>>().join(",");
        text.push('\n');
    }
    let mut files = vec![folder.join("section.csv")];
    write_text(&files[0], &text)?;
    files.push(folder.join("return-map.csv"));
    write_text(&files[1], &return_map(&prepared.columns()[place], place, &sampled))?;
    files.extend(write_figures(&section_plot(study, &prepared, place, &sampled), folder, "section")?);
    files.extend(write_figures(&return_plot(study, &prepared, place, &sampled), folder, "return-map")?);
    Ok(Some(SectionStudy {
        scheme: prepared.label(),
        points: sampled.values.len() / sampled.width,
        cycle: cycle(&sampled.values, sampled.width, 1, study.spec.longest as usize, study.spec.tolerance),
        impacts: prepared.impacts_per_period(sampled.impacts),
        per_period: prepared.sampling.period.is_some(),
        files,
    }))
}

/// Each point beside the next, of the drawn column.
fn return_map(name: &str, place: usize, sampled: &Sampled) -> String {
    let x: Vec<f64> = sampled.values.iter().skip(place).step_by(sampled.width).copied().collect();
    let rows = x.windows(2).enumerate().map(|(k, pair)| format!("{k},{:e},{:e}\n", pair[0], pair[1]));
    format!("point,{name},{name}_next\n") + &rows.collect::<String>()
}
