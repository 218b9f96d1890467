//! `percussion plot`: a figure by name, or any column of the tables against any other.

use crate::args::PlotOptions;
use crate::exit::Exit;
use crate::say;
use crate::show_error::show;
use percussion::model::Code;
use percussion::scenario::{
    self, Choice, FIGURE_FORMATS, FIGURES, FRICTION_FIGURES, JOINT_FIGURES, Plot, RunFolder, ScenarioError,
};
use std::path::Path;

/// `percussion plot RUN… --figure NAME --out FILE.svg` (`.png`, `.pdf`), or `--x COLUMN --y COLUMN,…`.
pub fn plot(options: &PlotOptions) -> Exit {
    let out = &options.out;
    let known =
        |extension: &std::ffi::OsStr| FIGURE_FORMATS.iter().any(|format| extension.eq_ignore_ascii_case(format));
    if !out.extension().is_some_and(known) {
        let formats: Vec<String> = FIGURE_FORMATS.iter().map(|format| format!(".{format}")).collect();
        let message = format!("{} is no file a figure is written to", out.display());
        return refuse("--out", message, format!("give a file that ends in {}", formats.join(" or ")));
    }
    match &options.figure {
        Some(figure) => by_name(options, figure),
        None => columns(options),
    }
}

/// What is wrong with the words of the command is a matter of usage.
fn refuse(place: &str, message: String, help: String) -> Exit {
    show(&ScenarioError::file(Code::NO_FIGURE, place, message, help), false);
    Exit::Usage
}

fn wrote(out: &Path) -> Exit {
    say!("wrote {}", out.display());
    Exit::Good
}

/// A figure of the report.
fn by_name(options: &PlotOptions, figure: &str) -> Exit {
    let Some(name) = scenario::figure_name(figure) else {
        let names = FIGURES.into_iter().chain(FRICTION_FIGURES).chain(JOINT_FIGURES);
        let near = scenario::nearest(figure, names).map_or(String::new(), |near| format!("did you mean \"{near}\"? "));
        let [friction, joints] = [FRICTION_FIGURES, JOINT_FIGURES].map(|names| names.join(" and "));
        let all = format!("{near}there are {}; with friction {friction}, with joints {joints}", FIGURES.join(", "));
        return refuse("--figure", format!("percussion plot knows no figure \"{figure}\""), all);
    };
    let mut choice = options.chosen.choice();
    if let Err(error) = settle_window(options, &mut choice) {
        return show(&error, false);
    }
    let reports: scenario::Result<Vec<_>> =
        options.runs.iter().map(|folder| scenario::report_chosen(folder, &choice)).collect();
    match reports.and_then(|reports| scenario::write_figure(&reports, name, &options.out)) {
        Ok(true) => wrote(&options.out),
        Ok(false) => {
            let lack = match JOINT_FIGURES.contains(&name) {
                true => "they have no joints, or their tables do not tell of them",
                false => "no contact has friction",
            };
            let message = format!("these runs have no figure \"{name}\": {lack}");
            refuse("--figure", message, format!("there are {}", FIGURES.join(", ")))
        }
        Err(error) => show(&error, false),
    }
}

/// Where a vibration of hundreds of periods would be a block of ink, a part of it is shown, and said.
fn settle_window(options: &PlotOptions, choice: &mut Choice) -> scenario::Result<()> {
    if choice.window.is_none() {
        for folder in &options.runs {
            choice.window = choice.window.or(scenario::legible_window(&RunFolder::open(folder)?)?);
        }
        if let Some((from, to)) = choice.window {
            say!("shown: {from:.4} s to {to:.4} s, where single periods can be seen; --time A,B shows another part");
        }
    }
    Ok(())
}

/// Columns against a column.
fn columns(options: &PlotOptions) -> Exit {
    let mut choice = options.chosen.choice();
    if options.x == "t"
        && let Err(error) = settle_window(options, &mut choice)
    {
        return show(&error, false);
    }
    // a plot for each unit, of all runs together
    let mut panels: Vec<Plot> = Vec::new();
    for folder in &options.runs {
        let drawn = RunFolder::open(folder).and_then(|run| scenario::against(&run, &options.x, &options.y, &choice));
        let plots = match drawn {
            Ok(plots) => plots,
            Err(error) => return show(&error, false),
        };
        for mut plot in plots {
            if options.runs.len() > 1 {
                let run = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
                plot.lines.iter_mut().for_each(|line| line.name = format!("{run}: {}", line.name));
            }
            if !plot.caption.is_empty() {
                say!("{}", plot.caption);
            }
            match panels.iter_mut().find(|panel| panel.y_label == plot.y_label) {
                Some(panel) => panel.lines.append(&mut plot.lines),
                None => panels.push(plot),
            }
        }
    }
    let number = |&(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
    if !panels.iter().flat_map(|panel| &panel.lines).any(|line| line.points.iter().any(number)) {
        let help = "choose others with --only, or another part of the run with --time";
        return refuse("--y", "there is nothing to draw".into(), help.into());
    }
    match scenario::write_plots(&panels, &options.out) {
        Ok(()) => wrote(&options.out),
        Err(error) => show(&error, false),
    }
}
