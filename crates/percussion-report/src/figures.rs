//! The seven figures by name and the two of friction, of one run or of several overlaid.

use crate::labels::run_labels;
use crate::overlay::{colour, span};
use crate::report::Report;
use crate::svg::Figure;
use crate::{figures_energy as energy, figures_friction as friction, figures_motion as motion};

/// Names of the figures, in the order of the page.
pub const FIGURES: [&str; 7] = ["positions", "velocities", "gaps", "energy", "works", "residual", "impulses"];

/// Further figures of runs with frictional contacts.
pub const FRICTION_FIGURES: [&str; 2] = ["sliding", "friction"];

/// The figure a word means: its name, the name in the singular, or "multipliers" for the impulses.
pub fn figure_name(word: &str) -> Option<&'static str> {
    let word = if matches!(word, "multiplier" | "multipliers") { "impulses" } else { word };
    FIGURES.iter().chain(&FRICTION_FIGURES).copied().find(|name| {
        *name == word
            || name.strip_suffix("ies").is_some_and(|stem| format!("{stem}y") == word)
            || name.strip_suffix('s') == Some(word)
    })
}

/// The figures these runs have, with their names, in the order of the page.
pub fn on_page(reports: &[Report]) -> Vec<(&'static str, Figure)> {
    let names = FIGURES.iter().chain(&FRICTION_FIGURES).copied();
    names.filter_map(|name| Some((name, build(reports, name)?))).collect()
}

/// A figure as a standalone SVG on white, for documents; `None` for an unknown name, no run, or friction where none is.
pub fn plot_svg(reports: &[Report], figure: &str) -> Option<String> {
    if reports.is_empty() {
        return None;
    }
    Some(build(reports, figure_name(figure)?)?.standalone())
}

/// The same as a PNG picture of 1620 pixels across, the same bytes on every machine.
#[cfg(feature = "png")]
pub fn plot_png(reports: &[Report], figure: &str) -> Option<Vec<u8>> {
    if reports.is_empty() {
        return None;
    }
    crate::png::png(&build(reports, figure_name(figure)?)?.unsized_svg())
}

/// The same as a page of PDF.
#[cfg(feature = "png")]
pub fn plot_pdf(reports: &[Report], figure: &str) -> Option<Vec<u8>> {
    if reports.is_empty() {
        return None;
    }
    crate::pdf::pdf(&build(reports, figure_name(figure)?)?.unsized_svg())
}

/// A figure of one run or an overlay of several.
pub fn build(reports: &[Report], name: &str) -> Option<Figure> {
    let several = reports.len() > 1;
    let mut figure = match name {
        "positions" => motion::positions(reports),
        "velocities" => motion::velocities(reports),
        "gaps" => motion::gaps(reports),
        "energy" => energy::energy(reports),
        "works" => energy::works(reports),
        "residual" => energy::residual(reports),
        "impulses" => motion::impulses(reports),
        "sliding" => friction::sliding(reports)?,
        "friction" => friction::friction(reports)?,
        _ => return None,
    };
    figure.span = span(reports);
    // the legend of an overlay names the runs first, and the quantities where there are several
    if several {
        let quantities = if figure.legend.len() > 1 { figure.legend } else { Vec::new() };
        let runs = run_labels(reports).into_iter().enumerate();
        figure.legend = runs.map(|(i, name)| (name, colour(i))).chain(quantities).collect();
    }
    Some(figure)
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
