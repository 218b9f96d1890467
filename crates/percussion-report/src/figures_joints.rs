//! Figures of joints: what they carry, and how far they have come.

use crate::joints::{JointCurves, Peak};
use crate::overlay::{Part, assemble};
use crate::report::{ALL_CURVES, Report};
use crate::series::Series;
use crate::svg::Figure;

/// Forces of the joints, and their moments where there are any; none where no run tells of reactions.
pub fn reactions(reports: &[Report]) -> Option<Vec<Figure>> {
    if !reports.iter().any(|r| r.joints.react()) {
        return None;
    }
    let panel = |title: &str, label: &str, curves: Curves| Figure {
        title: title.into(),
        y_label: label.into(),
        ..figure(reports, curves, |_| true)
    };
    let mut forces = panel("Forces of joints", "|f| [N]", FORCES);
    forces.caption = format!("{} {}", forces.caption, how_drawn(reports)).trim().to_string();
    let mut panels = vec![forces];
    if reports.iter().any(|r| r.joints.twist()) {
        panels.push(panel("Moments of joints", "m [N m]", MOMENTS));
    }
    Some(panels)
}

/// What the curves of reactions are means over, and what they leave out.
fn how_drawn(reports: &[Report]) -> String {
    let mut words = Vec::new();
    if reports.iter().any(|r| r.joints.of_two_steps) {
        words.push("Means of two steps: with θ\u{a0}=\u{a0}½ those of one step alternate.");
    }
    if reports.iter().any(|r| r.joints.are_struck()) {
        words.push("Steps with an impact are left out: what a joint carries there is an impulse, and a force only through the step it is divided by.");
    }
    words.join(" ")
}

/// Angles and displacements of the joints; none where no joint has either.
pub fn coordinates(reports: &[Report]) -> Option<Vec<Figure>> {
    let mut panels = Vec::new();
    for (unit, title, label) in [("rad", "Angles of joints", "angle"), ("m", "Displacements of joints", "displacement")]
    {
        let has = |joint: &JointCurves| joint.meta.unit == unit;
        if reports.iter().any(|r| r.joints.list.iter().any(|joint| has(joint) && !joint.value.is_empty())) {
            let y_label = format!("{label} [{unit}]");
            panels.push(Figure { title: title.into(), y_label, ..figure(reports, VALUES, has) });
        }
    }
    (!panels.is_empty()).then_some(panels)
}

/// A curve of each joint, and by what the joints that have one are chosen.
type Curves = (fn(&JointCurves) -> &Series, fn(&JointCurves) -> Option<Peak>);
const FORCES: Curves = (|joint| &joint.force, |joint| joint.largest_force);
const MOMENTS: Curves = (|joint| &joint.moment, |joint| joint.largest_moment);
const VALUES: Curves = (|joint| &joint.value, |joint| joint.largest_force);

fn figure(reports: &[Report], (of, carried): Curves, has: impl Fn(&JointCurves) -> bool) -> Figure {
    let room = if reports.len() > 1 { 2 } else { ALL_CURVES };
    let (curves, legend) = assemble(reports, |r| {
        let drawn = r.joints.drawn(room, carried).into_iter().filter(|joint| has(joint) && !of(joint).is_empty());
        drawn.map(|joint| Part::line(&joint.meta.name, of(joint))).collect()
    });
    let all = reports.iter().map(|r| r.joints.list.iter().filter(|joint| has(joint)).count()).max().unwrap_or(0);
    let drawn = legend.len();
    let caption = match drawn < all {
        true => format!("Of {all} joints the {drawn} that carry most, or were chosen, are shown."),
        false => String::new(),
    };
    Figure { caption, curves, legend, ..Figure::default() }
}
