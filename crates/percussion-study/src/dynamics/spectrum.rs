//! The spectrum of one motion after its transient: amplitudes of every coordinate and velocity over the frequency.

use super::figures::{spectrum_plot, write_figures};
use super::section::one_motion;
use crate::parallel::Watch;
use percussion_dynamics::{Window, amplitudes};
use percussion_model::Code;
use percussion_scenario::{Dynamics, Result, ScenarioError, write_text};
use std::path::{Path, PathBuf};

/// A spectrum.
pub struct SpectrumStudy {
    /// The scheme that made it.
    pub scheme: String,
    /// The column whose lines are told.
    pub column: String,
    /// Samples of the motion.
    pub samples: usize,
    /// The strongest lines: frequency [Hz], the same over that of the drive, amplitude.
    pub lines: Vec<(f64, Option<f64>, f64)>,
    /// The table and figures.
    pub files: Vec<PathBuf>,
}

/// Lines that are told.
const TOLD: usize = 8;
/// Lines weaker than this part of the strongest are not.
const WEAK: f64 = 1e-6;

/// Numbers of the samples at most: their transform takes ten times the memory, and the table has half as many.
const MOST_SAMPLED: usize = 20_000_000;

/// Makes the spectrum in a folder; none when it was stopped.
pub fn spectrum(study: &Dynamics, folder: &Path, watch: &Watch) -> Result<Option<SpectrumStudy>> {
    let Some((prepared, place, sampled)) = one_motion(study, folder, watch, MOST_SAMPLED)? else { return Ok(None) };
    let names = prepared.columns();
    if place == 0 {
        return study.refuse("draw", "time has no spectrum", &format!("use one of {}", names[1..].join(", ")));
    }
    let column = |k: usize| sampled.values.iter().skip(k).step_by(sampled.width).copied().collect::<Vec<f64>>();
    let t = column(0);
    let samples = t.len();
    if samples < 4 {
        let (message, help) = ("fewer than four samples have no spectrum", "give more periods, or a longer time.end");
        return Err(ScenarioError::file(Code::BAD_DYNAMICS, study.name.clone(), message, help));
    }
    let window = if study.spec.window == "none" { Window::None } else { Window::Hann };
    let spectra: Vec<Vec<f64>> = (1..sampled.width).map(|k| amplitudes(&column(k), window)).collect();
    let span = samples as f64 * (t[samples - 1] - t[0]) / (samples - 1) as f64;
    let at = |k: usize| (k as f64 / span, prepared.sampling.period.map(|period| k as f64 * period / span));
    let mut text = format!("frequency,harmonic,{}\n", names[1..].join(","));
    for k in 0..spectra[0].len() {
        let (frequency, harmonic) = at(k);
        text += &format!("{frequency:e},{}", harmonic.map_or(String::new(), |x| format!("{x:e}")));
        spectra.iter().for_each(|list| text += &format!(",{:e}", list[k]));
        text.push('\n');
    }
    let mut files = vec![folder.join("spectrum.csv")];
    write_text(&files[0], &text)?;
    let drawn = &spectra[place - 1];
    let points: Vec<(f64, f64)> = (1..drawn.len()).map(|k| (at(k).1.unwrap_or(at(k).0), drawn[k])).collect();
    files.extend(write_figures(&spectrum_plot(study, &prepared, place, &points), folder, "spectrum")?);
    let strongest = drawn.iter().skip(1).copied().fold(0.0, f64::max);
    let after = |k: usize| drawn.get(k + 1).copied().unwrap_or(0.0);
    let peak =
        |k: &usize| drawn[*k] > WEAK * strongest && (*k == 1 || drawn[*k] > drawn[*k - 1]) && drawn[*k] >= after(*k);
    let mut peaks: Vec<usize> = (1..drawn.len()).filter(peak).collect();
    peaks.sort_by(|a, b| drawn[*b].total_cmp(&drawn[*a]));
    let lines = peaks.into_iter().take(TOLD).map(|k| (at(k).0, at(k).1, drawn[k])).collect();
    Ok(Some(SpectrumStudy { scheme: prepared.label(), column: prepared.shown(place), samples, lines, files }))
}
