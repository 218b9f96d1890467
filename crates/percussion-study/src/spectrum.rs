//! Spectral radius, period error and damping of schemes against hω (Hughes 1987), as a table and as a page.

use crate::variant::Variant;
use percussion_model::Code;
use percussion_report::{Block, Document, Line, Plot};
use percussion_scenario::{Result, ScenarioError, load, write_text};
use percussion_step::measure::{Mode, mode};
use std::path::Path;

/// The scenario whose scheme is exchanged: only the scheme is looked at.
const ANY: &str = "impact-oscillator";

/// Modes of several schemes.
pub struct Spectrum {
    /// Names of the schemes, each with its modes by rising hω.
    pub list: Vec<(String, Vec<Mode>)>,
}

/// 61 frequencies from 0.01 to 10⁴, six to a factor of ten.
fn frequencies() -> Vec<f64> {
    (0..=60).map(|k| 10f64.powf(-2.0 + f64::from(k) / 10.0)).collect()
}

/// The modes of every scheme at every frequency; a default set where none is given.
pub fn spectrum(variants: &[Variant], at: &[f64]) -> Result<Spectrum> {
    if let Some(x) = at.iter().find(|x| !(x.is_finite() && **x > 0.0)) {
        let message = format!("a frequency of {x} is not a positive number");
        return Err(ScenarioError::file(
            Code::BAD_STUDY,
            "--frequencies",
            message,
            "give positive h ω, such as 0.1,1,10",
        ));
    }
    let at = if at.is_empty() { frequencies() } else { at.to_vec() };
    let mut list = Vec::new();
    for variant in variants {
        let stored = load(ANY, &variant.options)?.scenario.scheme.facts().stored;
        let modes: Option<Vec<Mode>> = at.iter().map(|&x| mode(&stored, x)).collect();
        let Some(modes) = modes else {
            let message = "a step of this scheme is no fixed matrix on (q, v, a)";
            let help = "use moreau-jean, newmark, hht, generalized-alpha, implicit-newmark or d0-constant";
            return Err(ScenarioError::file(Code::BAD_STUDY, format!("--schemes {}", variant.label), message, help));
        };
        list.push((variant.label.clone(), modes));
    }
    Ok(Spectrum { list })
}

impl Spectrum {
    /// One row per scheme and frequency.
    pub fn csv(&self) -> String {
        let mut text = String::from("scheme,frequency,radius,period_error,damping\n");
        let cell = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:e}"));
        for (label, modes) in &self.list {
            let name = crate::compare::quoted(label);
            for m in modes {
                let (error, damping) = (cell(m.period_error), cell(m.damping));
                text += &format!("{name},{:e},{:e},{error},{damping}\n", m.frequency, m.radius);
            }
        }
        text
    }

    /// Radius over all frequencies; period error and damping up to hω = 2.
    pub fn plots(&self) -> Vec<Plot> {
        let lines = |pick: &dyn Fn(&Mode) -> Option<f64>, most: f64| -> Vec<Line> {
            let points = |modes: &[Mode]| {
                let low = modes.iter().filter(|m| m.frequency <= most);
                low.filter_map(|m| Some((m.frequency, pick(m)?))).collect::<Vec<_>>()
            };
            self.list.iter().map(|(label, modes)| Line::new(label.clone(), points(modes))).collect()
        };
        let plot = |title: &str, y_label: &str, log_x: bool, lines: Vec<Line>| Plot {
            title: title.into(),
            x_label: "hω".into(),
            y_label: y_label.into(),
            log_x,
            lines,
            ..Plot::default()
        };
        vec![
            plot("Spectral radius", "ρ", true, lines(&|m| Some(m.radius), f64::INFINITY)),
            plot("Period error", "T̄/T − 1", false, lines(&|m| m.period_error, 2.0)),
            plot("Damping ratio the scheme adds", "ξ̄", false, lines(&|m| m.damping, 2.0)),
        ]
    }

    /// Writes `spectrum.csv` and `report.html`.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let document = Document {
            title: "Smooth modes under a scheme".into(),
            subtitle: "roots of the amplification matrix against hω".into(),
            up: None,
            blocks: vec![Block::Figures(self.plots().into_iter().map(|plot| (plot, None)).collect())],
        };
        write_text(&folder.join("spectrum.csv"), &self.csv())?;
        write_text(&folder.join("report.html"), &document.render())
    }
}
