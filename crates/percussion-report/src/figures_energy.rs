//! Figures of energy: what there is, where it went, and whether the account closes.
//!
//!   ΔH = W_external + W_damping + W_contact + W_joints − D_numerical + residual

use crate::labels::run_labels;
use crate::number::{short, signed};
use crate::overlay::{Part, assemble};
use crate::report::Report;
use crate::series::Series;
use crate::svg::Figure;

/// Residuals above this part of the largest energy fail the energy certificate.
const ENERGY_TOLERANCE: f64 = 1e-9;

/// Kinetic, potential, total and, where it differs, algorithmic energy.
pub fn energy(reports: &[Report]) -> Figure {
    let several = reports.len() > 1;
    let (curves, legend) = assemble(reports, |r| {
        let mut parts = vec![Part { broad: true, ..Part::jumping("total E", &r.energy.total, &r.jumps) }];
        // without a potential, E is the kinetic energy
        if !several && !Part::line("", &r.energy.potential).is_zero() {
            parts.push(Part::jumping("kinetic", &r.energy.kinetic, &r.jumps));
            parts.push(Part::line("potential", &r.energy.potential));
        }
        if r.has_filtered_energy() {
            parts.push(Part::jumping("algorithmic H", &r.energy.algorithmic, &r.jumps));
        }
        // a band only where other curves may cover it
        let alone = parts.len() == 1;
        parts.iter_mut().for_each(|p| p.broad &= !alone);
        parts
    });
    let caption = match reports {
        [r] => match (r.energy.total.first(), r.energy.total.last()) {
            (Some(first), Some(last)) => {
                let zero = Part::line("", &r.energy.potential).is_zero();
                let kinetic = if zero { " There is no potential energy: E is kinetic." } else { "" };
                format!("E goes from {}\u{a0}J to {}\u{a0}J.{kinetic}", short(first), short(last))
            }
            _ => String::new(),
        },
        _ => "Total energy of each run.".to_string(),
    };
    let h = if reports.iter().any(Report::has_filtered_energy) {
        " H is the energy the scheme's identity speaks of."
    } else {
        ""
    };
    Figure {
        title: "Energy".into(),
        caption: caption + h,
        y_label: "energy [J]".into(),
        curves,
        legend,
        ..Figure::default()
    }
}

/// Works summed from the start, and the balance of the whole run.
pub fn works(reports: &[Report]) -> Figure {
    let (curves, legend) = assemble(reports, |r| {
        let e = &r.energy;
        let mut parts = vec![
            Part::jumping("contact", &e.contact, &r.jumps),
            Part::line("external", &e.external),
            Part::line("damping", &e.damping),
            Part::line("numerical dissipation", &e.numerical),
        ];
        if !e.joints.is_empty() {
            parts.push(Part::line("joints", &e.joints));
        }
        // what did no work is told in the caption; where nothing did, a line at zero says so
        match parts.iter().all(Part::is_zero) {
            true => parts.truncate(1),
            false => parts.retain(|p| !p.is_zero()),
        }
        parts
    });
    let caption = match reports {
        [r] => account(r),
        _ => "Summed from the start; negative work takes energy out, numerical dissipation is positive when it does."
            .into(),
    };
    Figure {
        title: "Where each joule went".into(),
        caption,
        y_label: "work so far [J]".into(),
        curves,
        legend,
        ..Figure::default()
    }
}

// the balance of the whole run in one line
fn account(r: &Report) -> String {
    let e = &r.energy;
    let (letter, energy) = if r.has_filtered_energy() { ("H", &e.algorithmic) } else { ("E", &e.total) };
    let (Some(first), Some(last)) = (energy.first(), energy.last()) else { return String::new() };
    let of = |series: &Series| series.last().unwrap_or(0.0);
    let joints = if e.joints.is_empty() { String::new() } else { format!(", joints {}\u{a0}J", signed(of(&e.joints))) };
    let parts = match e.projection.last() {
        Some(landing) => {
            let law = of(&e.contact) - landing;
            format!(" (by the law {}\u{a0}J, by landing on the surface {}\u{a0}J)", signed(law), signed(landing))
        }
        None => String::new(),
    };
    let missing = last - first - of(&e.external) - of(&e.damping) - of(&e.contact) - of(&e.joints) + of(&e.numerical);
    format!(
        "{letter} changed by {}\u{a0}J: external {}\u{a0}J, damping {}\u{a0}J, contact {}\u{a0}J{parts}{joints}, the scheme itself {}\u{a0}J; not accounted for {}\u{a0}J.",
        signed(last - first),
        signed(of(&e.external)),
        signed(of(&e.damping)),
        signed(of(&e.contact)),
        signed(-of(&e.numerical)),
        short(missing)
    )
}

/// |residual| of each step beside the certificate's limit.
pub fn residual(reports: &[Report]) -> Figure {
    let (curves, legend) = assemble(reports, |r| {
        let mut part = Part::line("each step", &r.energy.residual);
        part.points.retain(|p| p.y > 0.0);
        vec![part]
    });
    let energy_max = reports.iter().fold(0.0, |m: f64, r| m.max(r.energy_max));
    let level = ENERGY_TOLERANCE * energy_max;
    let labels = run_labels(reports);
    let without: Vec<&str> =
        reports.iter().zip(&labels).filter(|(r, _)| r.energy.residual.is_empty()).map(|(_, l)| l.as_str()).collect();
    let caption = if without.len() == reports.len() {
        "No identity is known for this scheme: there is no residual to show.".to_string()
    } else {
        let largest = reports.iter().fold(0.0, |m: f64, r| m.max(r.residual_max));
        let none = if without.is_empty() { String::new() } else { format!(" No identity: {}.", without.join(", ")) };
        let told = match largest > 0.0 {
            true => format!(", largest {}\u{a0}J; exact zeros are not drawn", short(largest)),
            false => " is exactly zero in every step, for which a logarithmic scale has no place".to_string(),
        };
        format!(
            "Left minus right of the scheme's energy identity{told}. The dashed line is where the certificate fails.{none}"
        )
    };
    let levels = if level > 0.0 && without.len() < reports.len() {
        vec![(level, "10⁻⁹ · largest E".to_string())]
    } else {
        vec![]
    };
    Figure {
        title: "Does the ledger close?".into(),
        caption,
        y_label: "|residual| [J]".into(),
        log: true,
        curves,
        legend,
        levels,
        ..Figure::default()
    }
}
