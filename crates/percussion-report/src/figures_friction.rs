//! Figures of frictional contacts: how fast they slide, and the friction that acts.

use crate::overlay::{Part, assemble};
use crate::report::{ALL_CURVES, ContactCurves, Report};
use crate::series::Series;
use crate::svg::Figure;

/// u_T(t), lengths and angles each in a panel; none where no contact has tangents.
pub fn sliding(reports: &[Report]) -> Option<Vec<Figure>> {
    by_unit(|angular| {
        let (curves, legend) =
            assemble(reports, |r| parts(r, angular, |name, (velocity, _)| Part::jumping(&name, velocity, &r.jumps)));
        Figure {
            title: "Sliding".into(),
            caption: format!("Velocity along the tangents of the contacts, open or not. {}", few(reports)),
            y_label: format!("u_T [{}]", if angular { "rad/s" } else { "m/s" }),
            curves,
            legend,
            ..Figure::default()
        }
    })
}

/// p_T of each step, of forces and of moments each in a panel; none where no contact has tangents.
pub fn friction(reports: &[Report]) -> Option<Vec<Figure>> {
    let stems = |name: &str, series: &Series| {
        let mut points = series.peaks();
        points.retain(|p| p.y != 0.0);
        Part { stems: true, points, ..Part::line(name, series) }
    };
    by_unit(|angular| {
        let (curves, legend) = assemble(reports, |r| parts(r, angular, |name, (_, impulse)| stems(&name, impulse)));
        Figure {
            title: "Friction".into(),
            caption: format!("Tangential impulse of each step. {}", few(reports)),
            y_label: format!("p_T [{}]", if angular { "N m s" } else { "N s" }),
            curves,
            legend,
            ..Figure::default()
        }
    })
}

/// Contacts that slide, and joints whose friction turns about an axis; none where nothing does.
fn by_unit(figure: impl Fn(bool) -> Figure) -> Option<Vec<Figure>> {
    let mut panels: Vec<Figure> =
        [false, true].into_iter().map(figure).filter(|panel| !panel.curves.is_empty()).collect();
    if let [_, of_angles] = &mut panels[..] {
        of_angles.title += " about axes";
    }
    (!panels.is_empty()).then_some(panels)
}

fn parts(report: &Report, angular: bool, part: impl Fn(String, &(Series, Series)) -> Part) -> Vec<Part> {
    let named = |contact: &ContactCurves, k: usize| match contact.sliding.len() {
        1 => contact.name.clone(),
        _ => format!("{}, tangent {}", contact.name, k + 1),
    };
    report
        .contacts
        .values()
        .filter(|c| c.angular == angular)
        .flat_map(|c| c.sliding.iter().enumerate().map(move |(k, series)| (named(c, k), series)))
        .take(ALL_CURVES)
        .map(|(name, series)| part(name, series))
        .collect()
}

fn few(reports: &[Report]) -> &'static str {
    let count = |r: &Report| r.contacts.values().map(|c| c.sliding.len()).sum::<usize>();
    if reports.iter().any(|r| r.contacts_hidden || count(r) > ALL_CURVES) {
        "Of the many contacts a few are drawn."
    } else {
        ""
    }
}
