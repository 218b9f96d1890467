//! The seven figures by name, the two of friction and the two of joints, of one run or of several overlaid.
//!
//! A figure has a panel for each unit: what is measured in metres and in radians shares no axis.

use crate::labels::run_labels;
use crate::overlay::{colour, span};
use crate::report::Report;
use crate::svg::{Figure, standalone};
use crate::{
    figures_energy as energy, figures_friction as friction, figures_joints as joints, figures_motion as motion,
};

/// Names of the figures, in the order of the page.
pub const FIGURES: [&str; 7] = ["positions", "velocities", "gaps", "energy", "works", "residual", "impulses"];

/// Further figures of runs with frictional contacts.
pub const FRICTION_FIGURES: [&str; 2] = ["sliding", "friction"];

/// Further figures of runs with joints: what they carry, and their angles and displacements.
pub const JOINT_FIGURES: [&str; 2] = ["reactions", "joints"];

/// The figure a word means: its name, the name in the singular, or "multipliers" for the impulses.
pub fn figure_name(word: &str) -> Option<&'static str> {
    let word = if matches!(word, "multiplier" | "multipliers") { "impulses" } else { word };
    names().find(|name| {
        *name == word
            || name.strip_suffix("ies").is_some_and(|stem| format!("{stem}y") == word)
            || name.strip_suffix('s') == Some(word)
    })
}

/// Figures of what only contacts have.
const OF_CONTACTS: [&str; 2] = ["gaps", "impulses"];

fn names() -> impl Iterator<Item = &'static str> {
    FIGURES.iter().chain(&FRICTION_FIGURES).chain(&JOINT_FIGURES).copied()
}

/// The figures these runs have, with their names, in the order of the page; further panels are numbered. Where nothing came near or struck
/// there is nothing to see of gaps or impulses, and of a scheme without an identity no residual: an empty frame would ask what is missing.
pub fn on_page(reports: &[Report]) -> Vec<(String, Figure)> {
    let mut list = Vec::new();
    for name in names() {
        let panels = build(reports, name).unwrap_or_default();
        let drawn = panels.iter().flat_map(|panel| &panel.curves).any(|curve| !curve.points.is_empty());
        let without = name == "residual" && reports.iter().all(|r| r.energy.residual.is_empty());
        if !drawn && (without || OF_CONTACTS.contains(&name)) {
            continue;
        }
        for (k, panel) in panels.into_iter().enumerate() {
            list.push((if k == 0 { name.to_string() } else { format!("{name}-{}", k + 1) }, panel));
        }
    }
    list
}

/// A figure as a standalone SVG on white, for documents; `None` for an unknown name, no run, or what the runs do not have.
pub fn plot_svg(reports: &[Report], figure: &str) -> Option<String> {
    if reports.is_empty() {
        return None;
    }
    Some(standalone(&build(reports, figure_name(figure)?)?))
}

/// The same as a PNG picture of 1620 pixels across, the same bytes on every machine.
pub fn plot_png(reports: &[Report], figure: &str) -> Option<Vec<u8>> {
    if reports.is_empty() {
        return None;
    }
    crate::png::png(&crate::svg::standalone(&build(reports, figure_name(figure)?)?))
}

/// The same as a page of PDF.
pub fn plot_pdf(reports: &[Report], figure: &str) -> Option<Vec<u8>> {
    if reports.is_empty() {
        return None;
    }
    crate::pdf::pdf(&crate::svg::standalone(&build(reports, figure_name(figure)?)?))
}

/// The panels of a figure of one run or of an overlay of several.
pub fn build(reports: &[Report], name: &str) -> Option<Vec<Figure>> {
    let several = reports.len() > 1;
    let mut panels = match name {
        "positions" => motion::positions(reports),
        "velocities" => motion::velocities(reports),
        "gaps" => motion::gaps(reports),
        "energy" => vec![energy::energy(reports)],
        "works" => vec![energy::works(reports)],
        "residual" => vec![energy::residual(reports)],
        "impulses" => motion::impulses(reports),
        "sliding" => friction::sliding(reports)?,
        "friction" => friction::friction(reports)?,
        "reactions" => joints::reactions(reports)?,
        "joints" => joints::coordinates(reports)?,
        _ => return None,
    };
    for figure in &mut panels {
        figure.span = span(reports);
        // the legend of an overlay names the runs first, and the quantities where there are several
        if several {
            let quantities = std::mem::take(&mut figure.legend);
            let quantities = if quantities.len() > 1 { quantities } else { Vec::new() };
            let runs = run_labels(reports).into_iter().enumerate();
            figure.legend = runs.map(|(i, name)| (name, colour(i))).chain(quantities).collect();
        }
    }
    Some(panels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_the_singular() {
        for (word, name) in [
            ("energy", "energy"),
            ("gap", "gaps"),
            ("velocity", "velocities"),
            ("position", "positions"),
            ("residual", "residual"),
            ("multipliers", "impulses"),
            ("works", "works"),
        ] {
            assert_eq!(figure_name(word), Some(name));
        }
        assert_eq!(figure_name("nonsense"), None);
    }
}
