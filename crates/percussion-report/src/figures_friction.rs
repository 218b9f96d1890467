//! Figures of frictional contacts: how fast they slide, and the friction that acts.

use crate::overlay::{Part, assemble};
use crate::report::{ALL_CURVES, ContactCurves, Report};
use crate::series::Series;
use crate::svg::Figure;

/// u_T(t); none where no contact has tangents.
pub fn sliding(reports: &[Report]) -> Option<Figure> {
    let (curves, legend) =
        assemble(reports, |r| parts(r, |name, (velocity, _)| Part::jumping(&name, velocity, &r.jumps)));
    (!curves.is_empty()).then(|| Figure {
        title: "Sliding".into(),
        caption: format!("Velocity along the tangents of the contacts, open or not. {}", few(reports)),
        y_label: "u_T [m/s]".into(),
        curves,
        legend,
        ..Figure::default()
    })
}

/// p_T of each step; none where no contact has tangents.
pub fn friction(reports: &[Report]) -> Option<Figure> {
    let stems = |name: &str, series: &Series| {
        let mut points = series.peaks();
        points.retain(|p| p.y != 0.0);
        Part { stems: true, points, ..Part::line(name, series) }
    };
    let (curves, legend) = assemble(reports, |r| parts(r, |name, (_, impulse)| stems(&name, impulse)));
    (!curves.is_empty()).then(|| Figure {
        title: "Friction".into(),
        caption: format!("Tangential impulse of each step. {}", few(reports)),
        y_label: "p_T [N s]".into(),
        curves,
        legend,
        ..Figure::default()
    })
}

fn parts(report: &Report, part: impl Fn(String, &(Series, Series)) -> Part) -> Vec<Part> {
    let named = |contact: &ContactCurves, k: usize| match contact.sliding.len() {
        1 => contact.name.clone(),
        _ => format!("{}, tangent {}", contact.name, k + 1),
    };
    report
        .contacts
        .values()
        .flat_map(|c| c.sliding.iter().enumerate().map(move |(k, series)| (named(c, k), series)))
        .take(ALL_CURVES)
        .map(|(name, series)| part(name, series))
        .collect()
}

fn few(reports: &[Report]) -> &'static str {
    let count = |r: &Report| r.contacts.values().map(|c| c.sliding.len()).sum::<usize>();
    if reports.iter().any(|r| r.contacts_hidden || count(r) > ALL_CURVES) {
        "Of the many contacts the first are drawn."
    } else {
        ""
    }
}
