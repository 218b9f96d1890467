//! The seven figures: which curves of a run, or of several runs, go where.
//!
//! One run: a colour for each quantity. Several: a colour for each run, a dash pattern for each quantity.

use crate::number::{short, signed};
use crate::report::{ALL_CURVES, Report};
use crate::series::{Point, Series};
use crate::svg::{Curve, Figure, Stroke};

/// Names of the figures, in the order of the page.
pub const FIGURES: [&str; 7] = ["positions", "velocities", "gaps", "energy", "works", "residual", "impulses"];

/// Residuals above this part of the largest energy fail the energy certificate.
const ENERGY_TOLERANCE: f64 = 1e-9;

/// A figure as a standalone SVG on white, for documents; `None` for an unknown name or no run.
pub fn plot_svg(reports: &[Report], figure: &str) -> Option<String> {
    if reports.is_empty() {
        return None;
    }
    Some(build(reports, figure)?.standalone())
}

/// A figure of one run or an overlay of several.
pub fn build(reports: &[Report], name: &str) -> Option<Figure> {
    let several = reports.len() > 1;
    let mut figure = match name {
        "positions" => positions(reports),
        "velocities" => velocities(reports),
        "gaps" => gaps(reports),
        "energy" => energy(reports),
        "works" => works(reports),
        "residual" => residual(reports),
        "impulses" => impulses(reports),
        _ => return None,
    };
    // the legend of an overlay names the runs first
    if several {
        let runs =
            reports.iter().enumerate().map(|(i, r)| (run_label(reports, i, r), Stroke { colour: Some(i), dash: 0 }));
        figure.legend = runs.chain(figure.legend).collect();
    }
    Some(figure)
}

/// The name of a run: its scheme, with its number where two runs share it.
pub fn run_label(reports: &[Report], i: usize, report: &Report) -> String {
    let twins = reports.iter().filter(|r| r.info.scheme == report.info.scheme).count();
    let several_scenarios = reports.iter().any(|r| r.info.scenario != report.info.scenario);
    match (several_scenarios, twins > 1) {
        (true, _) => format!("{}. {}, {}", i + 1, report.info.scenario, report.label()),
        (false, true) => format!("{}. {}, h = {}", i + 1, report.label(), short(report.info.step)),
        (false, false) => report.label(),
    }
}

/// A quantity of one run before it has a colour.
struct Part {
    name: String,
    points: Vec<Point>,
    stems: bool,
}

impl Part {
    fn line(name: &str, series: &Series) -> Self {
        Self { name: name.to_string(), points: series.points(), stems: false }
    }
}

// colours and dashes for parts taken from each run alike
fn assemble(reports: &[Report], parts: impl Fn(&Report) -> Vec<Part>) -> (Vec<Curve>, Vec<(String, Stroke)>) {
    let several = reports.len() > 1;
    let mut curves = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for (i, report) in reports.iter().enumerate() {
        for part in parts(report) {
            let known = names.iter().position(|n| *n == part.name);
            let k = known.unwrap_or_else(|| {
                names.push(part.name.clone());
                names.len() - 1
            });
            let stroke =
                if several { Stroke { colour: Some(i), dash: k } } else { Stroke { colour: Some(k), dash: 0 } };
            let name = if several { format!("{}, {}", run_label(reports, i, report), part.name) } else { part.name };
            curves.push(Curve { name, stroke, points: part.points, stems: part.stems });
        }
    }
    let style = |k| if several { Stroke { colour: None, dash: k } } else { Stroke { colour: Some(k), dash: 0 } };
    (curves, names.into_iter().enumerate().map(|(k, name)| (name, style(k))).collect())
}

fn positions(reports: &[Report]) -> Figure {
    let (curves, legend) = assemble(reports, |r| r.positions.iter().map(|c| Part::line(&c.name, &c.series)).collect());
    Figure {
        title: "Positions".into(),
        caption: chosen(reports, |r| r.n_positions, "coordinates"),
        y_label: "q [m]".into(),
        curves,
        legend,
        ..Figure::default()
    }
}

fn velocities(reports: &[Report]) -> Figure {
    let (curves, legend) = assemble(reports, |r| {
        r.velocities
            .iter()
            .map(|c| Part { points: with_jumps(&c.series, &r.jumps), ..Part::line(&c.name, &c.series) })
            .collect()
    });
    Figure {
        title: "Velocities".into(),
        caption: format!("Impacts are vertical jumps. {}", chosen(reports, |r| r.n_velocities, "velocities")),
        y_label: "v [m/s]".into(),
        curves,
        legend,
        ..Figure::default()
    }
}

// time-stepping places an impact at the end of its step: hold the velocity until there, then jump
fn with_jumps(series: &Series, jumps: &[f64]) -> Vec<Point> {
    let points = series.points();
    if !series.is_exact() || jumps.is_empty() {
        return points;
    }
    let mut out: Vec<Point> = Vec::with_capacity(points.len() + jumps.len());
    let mut next = 0;
    for p in points {
        if let Some(&before) = out.last().filter(|_| !p.starts) {
            while jumps.get(next).is_some_and(|&t| t <= before.t) {
                next += 1;
            }
            if let Some(&t) = jumps.get(next).filter(|&&t| t <= p.t) {
                out.push(Point { t, starts: false, ..before });
                out.push(Point { t, ..p });
            }
        }
        out.push(p);
    }
    out
}

fn gaps(reports: &[Report]) -> Figure {
    let (curves, legend) = assemble(reports, |r| {
        let mut parts: Vec<Part> = r.contacts.values().map(|c| Part::line(&c.name, &c.gap)).collect();
        if r.n_contacts > ALL_CURVES {
            parts.push(Part::line("smallest of all", &r.all_contacts.gap));
        }
        parts
    });
    let least = reports
        .iter()
        .filter_map(Report::deepest_penetration)
        .fold(None, |a: Option<f64>, b| Some(a.map_or(b, |a| a.max(b))));
    let depth = match least {
        Some(depth) if depth > 0.0 => format!("Below zero is penetration; deepest {} m. ", short(depth)),
        Some(_) => "Never below zero: no penetration. ".to_string(),
        None => String::new(),
    };
    Figure {
        title: "Gaps".into(),
        caption: format!("{depth}{}", chosen(reports, |r| r.n_contacts, "contacts")),
        y_label: "g [m]".into(),
        curves,
        legend,
        ..Figure::default()
    }
}

fn energy(reports: &[Report]) -> Figure {
    let several = reports.len() > 1;
    let (curves, legend) = assemble(reports, |r| {
        let mut parts = vec![Part::line("total E", &r.energy.total)];
        if !several {
            parts.push(Part::line("kinetic", &r.energy.kinetic));
            parts.push(Part::line("potential", &r.energy.potential));
        }
        if r.has_filtered_energy() {
            parts.push(Part::line("algorithmic H", &r.energy.algorithmic));
        }
        parts
    });
    let caption = match reports {
        [r] => match (r.energy.total.first(), r.energy.total.last()) {
            (Some(first), Some(last)) => format!("E goes from {} J to {} J.", short(first), short(last)),
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

fn works(reports: &[Report]) -> Figure {
    let (curves, legend) = assemble(reports, |r| {
        let e = &r.energy;
        let mut parts = vec![
            Part::line("contact", &e.contact),
            Part::line("external", &e.external),
            Part::line("damping", &e.damping),
            Part::line("numerical dissipation", &e.numerical),
        ];
        if !e.joints.is_empty() {
            parts.push(Part::line("joints", &e.joints));
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
    let joints = if e.joints.is_empty() { String::new() } else { format!(", joints {} J", signed(of(&e.joints))) };
    let missing = last - first - of(&e.external) - of(&e.damping) - of(&e.contact) - of(&e.joints) + of(&e.numerical);
    format!(
        "{letter} changed by {} J: external {} J, damping {} J, contact {} J{joints}, the scheme itself {} J; not accounted for {} J.",
        signed(last - first),
        signed(of(&e.external)),
        signed(of(&e.damping)),
        signed(of(&e.contact)),
        signed(-of(&e.numerical)),
        short(missing)
    )
}

fn residual(reports: &[Report]) -> Figure {
    let (curves, legend) = assemble(reports, |r| vec![Part::line("|residual| of each step", &r.energy.residual)]);
    let energy_max = reports.iter().fold(0.0, |m: f64, r| m.max(r.energy_max));
    let level = ENERGY_TOLERANCE * energy_max;
    let without: Vec<String> = reports.iter().filter(|r| r.energy.residual.is_empty()).map(|r| r.label()).collect();
    let caption = if without.len() == reports.len() {
        "No identity is known for this scheme: there is no residual to show.".to_string()
    } else {
        let largest = reports.iter().fold(0.0, |m: f64, r| m.max(r.residual_max));
        let none = if without.is_empty() { String::new() } else { format!(" No identity: {}.", without.join(", ")) };
        format!(
            "Left minus right of the scheme's energy identity, largest {} J; exact zeros lie on the lower edge. The dashed line is where the certificate fails.{none}",
            short(largest)
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
        legend: if reports.len() > 1 { vec![] } else { legend },
        levels,
    }
}

fn impulses(reports: &[Report]) -> Figure {
    let stems = |name: &str, series: &Series| {
        let mut points = series.peaks();
        points.retain(|p| p.y != 0.0);
        Part { name: name.to_string(), points, stems: true }
    };
    let (curves, legend) = assemble(reports, |r| {
        let mut parts: Vec<Part> = r.contacts.values().map(|c| stems(&c.name, &c.impulse)).collect();
        if r.n_contacts > ALL_CURVES {
            // behind the others: it is the tallest
            parts.insert(0, stems("sum of all", &r.all_contacts.impulse));
        }
        if parts.iter().all(|p| p.points.is_empty()) {
            parts = vec![stems("impacts", &r.impact_impulse)];
        }
        parts
    });
    Figure {
        title: "Impulses".into(),
        caption: format!("Normal impulse of each step. {}", chosen(reports, |r| r.n_contacts, "contacts")),
        y_label: "p [N s]".into(),
        curves,
        legend,
        ..Figure::default()
    }
}

fn chosen(reports: &[Report], count: impl Fn(&Report) -> usize, what: &str) -> String {
    match reports.iter().map(count).max().unwrap_or(0) {
        n if n > ALL_CURVES => format!("Of {n} {what} the first, the middle and the last are shown."),
        _ => String::new(),
    }
}
