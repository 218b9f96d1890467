//! Figures of motion: positions, velocities, gaps and impulses.

use crate::number::short;
use crate::overlay::{Part, assemble};
use crate::report::{ALL_CURVES, ContactCurves, Named, Report, is_drawn};
use crate::series::Series;
use crate::svg::Figure;

/// q(t), a panel for each unit.
pub fn positions(reports: &[Report]) -> Vec<Figure> {
    let titles = [("rad", "Angles"), ("1", "Orientation"), ("m√kg", "Modes")];
    panels(
        reports,
        |r| &r.positions,
        ("Positions", "q"),
        &titles,
        |unit| {
            let (curves, legend) = assemble(reports, |r| {
                few(&r.positions, unit, reports.len()).map(|c| Part::line(&c.name, &c.series)).collect()
            });
            let caption = chosen(reports, |r| (&r.positions, r.n_positions), unit, "coordinates");
            Figure { caption, curves, legend, ..Figure::default() }
        },
    )
}

/// v(t) with its jumps, a panel for each unit.
pub fn velocities(reports: &[Report]) -> Vec<Figure> {
    let titles = [("rad/s", "Angular velocities"), ("m√kg/s", "Velocities of modes")];
    let jumps = if reports.iter().any(|r| r.n_impacts() > 0) { "Impacts are vertical jumps. " } else { "" };
    panels(
        reports,
        |r| &r.velocities,
        ("Velocities", "v"),
        &titles,
        |unit| {
            let (curves, legend) = assemble(reports, |r| {
                let few = few(&r.velocities, unit, reports.len());
                few.map(|c| Part::jumping(&c.name, &c.series, &r.jumps)).collect()
            });
            let chosen = chosen(reports, |r| (&r.velocities, r.n_velocities), unit, "velocities");
            Figure { caption: format!("{jumps}{chosen}"), curves, legend, ..Figure::default() }
        },
    )
}

/// A figure for each unit that a curve has, in the order they come: metres and radians share no axis.
fn panels<'a>(
    reports: &'a [Report],
    curves: impl Fn(&'a Report) -> &'a [Named],
    (title, letter): (&str, &str),
    titles: &[(&str, &str)],
    figure: impl Fn(&str) -> Figure,
) -> Vec<Figure> {
    let mut units: Vec<&str> = Vec::new();
    for curve in reports.iter().flat_map(curves) {
        if !units.contains(&curve.unit.as_str()) {
            units.push(&curve.unit);
        }
    }
    if units.is_empty() {
        units.push("");
    }
    let of = |unit: &&str| {
        let title = titles.iter().find(|(of, _)| of == unit).map_or(title, |(_, title)| title);
        let letter = if unit.starts_with("rad") { if letter == "q" { "angle" } else { "ω" } } else { letter };
        let y_label = match *unit {
            "" | "1" => letter.to_string(),
            unit => format!("{letter} [{unit}]"),
        };
        Figure { title: title.into(), y_label, ..figure(unit) }
    };
    units.iter().map(of).collect()
}

/// g(t) of the contacts, lengths and angles each in a panel.
pub fn gaps(reports: &[Report]) -> Vec<Figure> {
    let together = are_together(reports);
    by_unit(reports, |angular| {
        let (curves, legend) = assemble(reports, |r| {
            let mut parts: Vec<Part> = contacts(r, angular).map(|c| Part::line(&c.name, &c.gap)).collect();
            if together {
                parts.clear();
            }
            if together || r.contacts_hidden {
                parts.push(Part::line("smallest of all", &r.all_contacts[usize::from(angular)].gap));
            }
            parts
        });
        let unit = if angular { "rad" } else { "m" };
        let depth = match reports.iter().filter_map(|r| depth(r, angular)).max_by(f64::total_cmp) {
            Some(depth) if depth > 0.0 => {
                format!("Below zero is penetration; deepest {}\u{a0}{unit}. ", short(depth))
            }
            Some(_) => "Never below zero: no penetration. ".to_string(),
            None => String::new(),
        };
        Figure {
            title: "Gaps".into(),
            caption: format!("{depth}{}", few_contacts(reports)),
            y_label: format!("g [{unit}]"),
            curves,
            legend,
            ..Figure::default()
        }
    })
}

/// p of each step as stems, those of forces and those of moments each in a panel.
pub fn impulses(reports: &[Report]) -> Vec<Figure> {
    let together = are_together(reports);
    let stems = |name: &str, series: &Series| {
        let mut points = series.peaks();
        points.retain(|p| p.y != 0.0);
        Part { name: name.to_string(), points, stems: true, broad: false }
    };
    by_unit(reports, |angular| {
        let (curves, legend) = assemble(reports, |r| {
            let mut parts: Vec<Part> = contacts(r, angular).map(|c| stems(&c.name, &c.impulse)).collect();
            if together {
                parts.clear();
            }
            if together || r.contacts_hidden {
                // behind the others: it is the tallest
                parts.insert(0, stems("sum of all", &r.all_contacts[usize::from(angular)].impulse));
            }
            // located impacts, which no contact tells of in its step; where some turn they are not all forces
            if parts.iter().all(|p| p.points.is_empty()) && !angular && r.angular.is_empty() {
                parts = vec![stems("impacts", &r.impact_impulse)];
            }
            parts
        });
        let (unit, what) =
            if angular { ("N m s", "Impulse of the moment of a stop or of teeth") } else { ("N s", "Normal impulse") };
        Figure {
            title: "Impulses (multipliers)".into(),
            caption: format!("{what} of each step. {}", few_contacts(reports)),
            y_label: format!("p [{unit}]"),
            curves,
            legend,
            ..Figure::default()
        }
    })
}

/// The figure of the contacts whose gap is a length, and that of those whose gap is an angle; the first where there is no contact.
fn by_unit(reports: &[Report], figure: impl Fn(bool) -> Figure) -> Vec<Figure> {
    let has = |angular: bool| reports.iter().any(|r| r.totals.keys().any(|id| r.angular.contains(id) == angular));
    let drawn = [false, true].into_iter().filter(|&angular| has(angular)).map(&figure);
    let mut panels: Vec<Figure> = drawn.filter(|panel| panel.curves.iter().any(|c| !c.points.is_empty())).collect();
    if panels.is_empty() {
        panels.push(figure(has(true) && !has(false)));
    }
    if let [_, of_angles] = &mut panels[..] {
        of_angles.title += " about axes";
    }
    panels
}

fn contacts(report: &Report, angular: bool) -> impl Iterator<Item = &ContactCurves> {
    report.contacts.values().filter(move |c| c.angular == angular)
}

/// The deepest penetration of one kind of contacts: the certificate's where it is of this kind, else of those that are listed.
fn depth(report: &Report, angular: bool) -> Option<f64> {
    if report.info.angular_depth == angular {
        return report.deepest_penetration();
    }
    let listed = report.totals.iter().filter(|(id, _)| report.angular.contains(id) == angular);
    listed.filter_map(|(_, c)| c.gap_min).min_by(f64::total_cmp).map(|gap| (-gap).max(0.0))
}

// an overlay of runs has room for the first and the last coordinate
fn few<'a>(curves: &'a [Named], unit: &str, runs: usize) -> impl Iterator<Item = &'a Named> {
    let of_unit: Vec<&Named> = curves.iter().filter(|c| c.unit == unit).collect();
    let n = of_unit.len();
    of_unit.into_iter().enumerate().filter(move |(i, _)| runs < 2 || *i == 0 || i + 1 == n).map(|(_, c)| c)
}

// and for the contacts of a run as one when they are more than two
fn are_together(reports: &[Report]) -> bool {
    reports.len() > 1 && reports.iter().any(|r| r.contacts.len() > 2)
}

fn chosen(reports: &[Report], curves: impl Fn(&Report) -> (&[Named], usize), unit: &str, what: &str) -> String {
    let count = |r: &Report| curves(r).1;
    let of_unit = |r: &Report| curves(r).0.iter().filter(|c| c.unit == unit).count();
    let by_hand = reports.iter().any(|r| curves(r).0.iter().any(|c| !is_drawn(c.index, count(r))));
    // one unit: all of the curves are here
    let alone = reports.iter().all(|r| of_unit(r) == curves(r).0.len());
    let drawn = reports.iter().map(of_unit).max().unwrap_or(0);
    match (reports.iter().map(count).max().unwrap_or(0), reports.len() > 1) {
        (n, true) if alone && n > 2 => format!("Of {n} {what} the first and the last are shown."),
        (n, false) if alone && n > ALL_CURVES && !by_hand => {
            format!("Of {n} {what} the first, the middle and the last are shown.")
        }
        (n, false) if by_hand && drawn == 1 && n > 1 => format!("Of {n} {what} one is shown here."),
        (n, false) if by_hand && drawn < n => format!("Of {n} {what} {drawn} are shown here."),
        (n, true) if drawn > 2 => format!("Of {n} {what} two are shown here."),
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
