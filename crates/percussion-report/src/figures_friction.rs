//! Figures of contacts that rub: how fast they slide, and the friction that acts.

use crate::overlay::{Part, assemble};
use crate::report::{ContactCurves, Report};
use crate::series::Series;
use crate::svg::Figure;

/// u_T(t); none where no contact has tangents.
pub fn sliding(reports: &[Report]) -> Option<Figure> {
    let (curves, legend) =
        assemble(reports, |r| parts(r, |name, (velocity, _)| Part::jumping(&name, velocity, &r.jumps)));
    (!curves.is_empty()).then(|| Figure {
        title: "Sliding".into(),
        caption: "Velocity along the tangents of the contacts, open or not.".into(),
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
        caption: "Tangential impulse of each step.".into(),
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
    let contacts = report.contacts.values();
    contacts
        .flat_map(|c| c.sliding.iter().enumerate().map(move |(k, series)| (named(c, k), series)))
        .map(|(name, series)| part(name, series))
        .collect()
}
