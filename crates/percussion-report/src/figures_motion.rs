//! Figures of motion: positions, velocities, gaps and impulses.

use crate::number::short;
use crate::overlay::{Part, assemble};
use crate::report::{ALL_CURVES, Named, Report, is_drawn};
use crate::series::Series;
use crate::svg::Figure;

/// q(t).
pub fn positions(reports: &[Report]) -> Figure {
    let several = reports.len() > 1;
    let (curves, legend) =
        assemble(reports, |r| few(&r.positions, several).map(|c| Part::line(&c.name, &c.series)).collect());
    Figure {
        title: "Positions".into(),
        caption: chosen(reports, |r| (&r.positions, r.n_positions), "coordinates"),
        y_label: "q [m]".into(),
        curves,
        legend,
        ..Figure::default()
    }
}

/// v(t) with its jumps.
pub fn velocities(reports: &[Report]) -> Figure {
    let several = reports.len() > 1;
    let (curves, legend) = assemble(reports, |r| {
        few(&r.velocities, several).map(|c| Part::jumping(&c.name, &c.series, &r.jumps)).collect()
    });
    let jumps = if reports.iter().any(|r| r.n_impacts() > 0) { "Impacts are vertical jumps. " } else { "" };
    Figure {
        title: "Velocities".into(),
        caption: format!("{jumps}{}", chosen(reports, |r| (&r.velocities, r.n_velocities), "velocities")),
        y_label: "v [m/s]".into(),
        curves,
        legend,
        ..Figure::default()
    }
}

/// g(t) of the contacts.
pub fn gaps(reports: &[Report]) -> Figure {
    let together = are_together(reports);
    let (curves, legend) = assemble(reports, |r| {
        let mut parts: Vec<Part> = r.contacts.values().map(|c| Part::line(&c.name, &c.gap)).collect();
        if together {
            parts.clear();
        }
        if together || r.contacts_hidden {
            parts.push(Part::line("smallest of all", &r.all_contacts.gap));
        }
        parts
    });
    let least = reports
        .iter()
        .filter_map(Report::deepest_penetration)
        .fold(None, |a: Option<f64>, b| Some(a.map_or(b, |a| a.max(b))));
    let depth = match least {
        Some(depth) if depth > 0.0 => format!("Below zero is penetration; deepest {}\u{a0}m. ", short(depth)),
        Some(_) => "Never below zero: no penetration. ".to_string(),
        None => String::new(),
    };
    Figure {
        title: "Gaps".into(),
        caption: format!("{depth}{}", few_contacts(reports)),
        y_label: "g [m]".into(),
        curves,
        legend,
        ..Figure::default()
    }
}

/// p of each step as stems.
pub fn impulses(reports: &[Report]) -> Figure {
    let together = are_together(reports);
    let stems = |name: &str, series: &Series| {
        let mut points = series.peaks();
        points.retain(|p| p.y != 0.0);
        Part { name: name.to_string(), points, stems: true, broad: false }
    };
    let (curves, legend) = assemble(reports, |r| {
        let mut parts: Vec<Part> = r.contacts.values().map(|c| stems(&c.name, &c.impulse)).collect();
        if together {
            parts.clear();
        }
        if together || r.contacts_hidden {
            // behind the others: it is the tallest
            parts.insert(0, stems("sum of all", &r.all_contacts.impulse));
        }
        if parts.iter().all(|p| p.points.is_empty()) {
            parts = vec![stems("impacts", &r.impact_impulse)];
        }
        parts
    });
    Figure {
        title: "Impulses (multipliers)".into(),
        caption: format!("Normal impulse of each step. {}", few_contacts(reports)),
        y_label: "p [N s]".into(),
        curves,
        legend,
        ..Figure::default()
    }
}

// an overlay of runs has room for the first and the last coordinate
fn few(curves: &[Named], several: bool) -> impl Iterator<Item = &Named> {
    let n = curves.len();
    curves.iter().enumerate().filter(move |(i, _)| !several || *i == 0 || i + 1 == n).map(|(_, c)| c)
}

// and for the contacts of a run as one when they are more than two
fn are_together(reports: &[Report]) -> bool {
    reports.len() > 1 && reports.iter().any(|r| r.contacts.len() > 2)
}

fn chosen(reports: &[Report], curves: impl Fn(&Report) -> (&[Named], usize), what: &str) -> String {
    let count = |r: &Report| curves(r).1;
    let drawn = reports.iter().map(|r| curves(r).0.len()).max().unwrap_or(0);
    let by_hand = reports.iter().any(|r| curves(r).0.iter().any(|c| !is_drawn(c.index, count(r))));
    match (reports.iter().map(count).max().unwrap_or(0), reports.len() > 1) {
        (n, true) if n > 2 => format!("Of {n} {what} the first and the last are shown."),
        (n, _) if n > ALL_CURVES && !by_hand => format!("Of {n} {what} the first, the middle and the last are shown."),
        (n, _) if by_hand && drawn < n => format!("Of {n} {what} {drawn} are shown."),
        _ => String::new(),
    }
}

fn few_contacts(reports: &[Report]) -> &'static str {
    if are_together(reports) {
        "The contacts of a run are drawn as one."
    } else if reports.iter().any(|r| r.contacts_hidden) {
        "Of the many contacts a few are drawn one by one, the others only together."
    } else {
        ""
    }
}
