//! `percussion spectrum`: spectral radius, period error and damping of schemes against hω.

use crate::args::SpectrumOptions;
use crate::exit::Exit;
use crate::say;
use crate::show_error::{clean, show};
use crate::verdict_table::plain;
use percussion::scenario::LoadOptions;
use percussion::study::{Spectrum, spectrum as measure, variants};
use std::path::PathBuf;

/// `percussion spectrum --schemes a,b`.
pub fn spectrum(options: &SpectrumOptions) -> Exit {
    let folder = options.out.clone().unwrap_or_else(|| PathBuf::from("percussion-runs/spectrum"));
    let made = variants(options.schemes.iter().map(String::as_str), &LoadOptions::default())
        .and_then(|list| measure(&list, &options.frequencies))
        .and_then(|spectrum| spectrum.write(&folder).map(|()| spectrum));
    let spectrum = match made {
        Ok(spectrum) => spectrum,
        Err(error) => return show(&error, options.json),
    };
    if options.json {
        say!("{}", json(&spectrum));
    } else if !options.quiet {
        table(&spectrum, options.frequencies.is_empty());
        say!("\ntable and page are in {}", folder.display());
    }
    Exit::Good
}

fn json(spectrum: &Spectrum) -> serde_json::Value {
    let scheme = |(label, modes): &(String, Vec<percussion::step::measure::Mode>)| {
        let mode = |m: &percussion::step::measure::Mode| {
            serde_json::json!({
                "frequency": m.frequency, "radius": m.radius, "period_error": m.period_error, "damping": m.damping,
            })
        };
        serde_json::json!({ "scheme": label, "modes": modes.iter().map(mode).collect::<Vec<_>>() })
    };
    serde_json::json!({ "schemes": spectrum.list.iter().map(scheme).collect::<Vec<_>>() })
}

/// All frequencies asked for, or one to a factor of ten.
fn table(spectrum: &Spectrum, thinned: bool) {
    let mut table = plain(&["scheme", "h ω", "spectral radius", "period error", "damping ratio"]);
    let every = if thinned { 10 } else { 1 };
    for (label, modes) in &spectrum.list {
        for m in modes.iter().step_by(every) {
            let cell = |x: Option<f64>| x.map_or("–".to_string(), |x| format!("{:.4e}", x + 0.0));
            let row = [
                clean(label),
                format!("{:.3e}", m.frequency),
                format!("{:.6}", m.radius),
                cell(m.period_error),
                cell(m.damping),
            ];
            table.add_row(row);
        }
    }
    for line in table.lines() {
        say!("{}", line.trim_end());
    }
}
