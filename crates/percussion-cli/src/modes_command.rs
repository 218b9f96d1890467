//! `percussion modes`: frequencies and shapes of small vibrations about where a scenario starts or a run was, as a list, a table and a page.

use crate::args::ModesOptions;
use crate::exit::Exit;
use crate::show_error::show;
use crate::{complain, say};
use percussion::scenario::{LoadOptions, Scenario, StartFrom, load, modes, modes_page};
use percussion::step::Mode;
use std::fmt::Write as _;

/// `percussion modes SCENARIO`.
pub fn find_modes(options: &ModesOptions) -> Exit {
    let from = options.from.as_deref().map(StartFrom::parse);
    let load_options =
        LoadOptions { set: options.set.clone(), anywhere: options.allow_outside, from, ..LoadOptions::default() };
    let scenario = match load(&options.scenario, &load_options) {
        Ok(loaded) => loaded.scenario,
        Err(error) => return show(&error, options.json),
    };
    let mut found = match modes(&scenario, options.at) {
        Ok(found) => found,
        Err(error) => return show(&error, options.json),
    };
    found.truncate(options.number as usize);
    if let Some(file) = &options.out
        && let Err(error) = std::fs::write(file, table(&scenario, &found))
    {
        complain!("{}: {error}", file.display());
        return Exit::Files;
    }
    if let (Some(file), Some(page)) = (&options.page, modes_page(&scenario, &found))
        && let Err(error) = std::fs::write(file, page)
    {
        complain!("{}: {error}", file.display());
        return Exit::Files;
    }
    if options.json {
        let one = |mode: &Mode| serde_json::json!({ "frequency": mode.frequency(), "omega_squared": mode.square });
        say!("{}", serde_json::Value::Array(found.iter().map(one).collect()));
        return Exit::Good;
    }
    say!("mode  frequency [Hz]   ω² [1/s²]");
    for (k, mode) in found.iter().enumerate() {
        say!("{k:>4}  {:>14.6}   {:>12.5e}", mode.frequency(), mode.square);
    }
    if found.iter().any(|mode| mode.square < -1e-6 * found.iter().fold(1.0_f64, |s, m| s.max(m.square.abs()))) {
        say!("a negative frequency: the place is not stable, or not at rest");
    }
    Exit::Good
}

/// Shapes as CSV: a row for each mode and body.
fn table(scenario: &Scenario, found: &[Mode]) -> String {
    let mut text = String::from("mode,frequency,body,x,y,z,turn1,turn2,turn3\n");
    let Some(scene) = scenario.model().bodies() else { return text };
    for (k, mode) in found.iter().enumerate() {
        for (body, shape) in scene.bodies().iter().zip(&mode.shape).filter(|(body, _)| body.is_free()) {
            let name = body.name.replace('"', "\"\"");
            let _ = write!(text, "{k},{:?},\"{name}\"", mode.frequency());
            shape.iter().for_each(|x| {
                let _ = write!(text, ",{x:?}");
            });
            text.push('\n');
        }
    }
    text
}
