//! Curves and figures of a solution that was written to a folder: what a reader chooses, as the command line draws it.

use crate::errors;
use crate::from_python::refuse;
use crate::handle::Handle;
use crate::words::in_python;
use numpy::PyArray1;
use percussion::model::Code;
use percussion::scenario::{
    self, Choice, FIGURE_FORMATS, FIGURES, FRICTION_FIGURES, JOINT_FIGURES, Plot, RunFolder, against, figure_name,
    legible_window, overview, report_of, write_figure,
};
use pyo3::prelude::*;
use std::path::PathBuf;

type Window = Option<(f64, f64)>;
/// Name, x, y, and whether they are marks instead of a line.
type Curve<'py> = (String, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, bool);
/// Labels of the axes, a remark, the lines.
type Panel<'py> = (String, String, String, Vec<Curve<'py>>);

/// The lines of columns `y` over `x`, a panel for each unit, or of the run at a glance where no column is named; and the part of the time
/// that is shown, where it was chosen for a vibration that could not be seen otherwise.
#[pyfunction]
pub fn curves<'py>(
    py: Python<'py>,
    handle: &Bound<'py, Handle>,
    folder: PathBuf,
    y: Vec<String>,
    x: &str,
    only: Vec<String>,
    time: Window,
) -> PyResult<(Window, Vec<Panel<'py>>)> {
    let handle = handle.get();
    let draw = || -> scenario::Result<(Window, Vec<Plot>)> {
        let run = RunFolder::open_with(&folder, &handle.scenario.given)?;
        let legible = if time.is_none() && x == "t" { legible_window(&run)? } else { None };
        let choice = Choice { only, window: time.or(legible) };
        let plots = if y.is_empty() { overview(&run, &choice)? } else { against(&run, x, &y, &choice)? };
        Ok((legible, plots))
    };
    let (legible, plots) = py.detach(draw).map_err(|error| errors::raise(py, &error))?;
    let curve = |line: scenario::Line| {
        let (x, y) = line.points.iter().copied().unzip();
        (line.name, PyArray1::from_vec(py, x), PyArray1::from_vec(py, y), line.look == scenario::Look::Marks)
    };
    let panel = |plot: Plot| {
        let caption = in_python(&plot.caption);
        (plot.x_label, plot.y_label, caption, plot.lines.into_iter().map(curve).collect())
    };
    Ok((legible, plots.into_iter().map(panel).collect()))
}

/// Writes a figure of one run or of several overlaid to a file that ends in .svg, .png or .pdf; gives the part of the time that is shown, where it was chosen
/// for a vibration.
#[pyfunction]
pub fn figure(
    py: Python<'_>,
    runs: Vec<(Bound<'_, Handle>, PathBuf)>,
    name: &str,
    only: Vec<String>,
    time: Window,
    out: PathBuf,
) -> PyResult<Window> {
    let all = || {
        let [friction, joints] = [FRICTION_FIGURES, JOINT_FIGURES].map(|names| names.join(" and "));
        format!("there are {}; with friction {friction}, with joints {joints}", FIGURES.join(", "))
    };
    let Some(known) = figure_name(name) else {
        return Err(refuse(py, Code::NO_FIGURE, "name", format!("there is no figure \"{name}\""), &all()));
    };
    if !out.extension().is_some_and(|ending| FIGURE_FORMATS.iter().any(|format| ending.eq_ignore_ascii_case(format))) {
        let message = format!("{} is no file a figure is written to", out.display());
        return Err(refuse(py, Code::NO_FIGURE, "path", message, "give a file that ends in .svg, .png or .pdf"));
    }
    let runs: Vec<(&Handle, PathBuf)> = runs.iter().map(|(handle, folder)| (handle.get(), folder.clone())).collect();
    let write = || -> scenario::Result<(Window, bool)> {
        let open = |(handle, folder): &(&Handle, PathBuf)| RunFolder::open_with(folder, &handle.scenario.given);
        let runs: Vec<RunFolder> = runs.iter().map(open).collect::<scenario::Result<_>>()?;
        let mut legible = None;
        for run in runs.iter().filter(|_| time.is_none()) {
            legible = legible.or(legible_window(run)?);
        }
        let choice = Choice { only, window: time.or(legible) };
        let reports: Vec<_> = runs.iter().map(|run| report_of(run, &choice)).collect::<scenario::Result<_>>()?;
        Ok((legible, write_figure(&reports, known, &out)?))
    };
    match py.detach(write).map_err(|error| errors::raise(py, &error))? {
        (legible, true) => Ok(legible),
        (_, false) => {
            let message =
                format!("there is no figure \"{known}\" here: there is neither friction nor joints to show there");
            Err(refuse(py, Code::NO_FIGURE, "name", message, &all()))
        }
    }
}
