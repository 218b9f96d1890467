//! Several curves in one figure, of one run or of several.
//!
//! One run: a colour for each quantity. Several: a colour for each run, a dash pattern for each quantity.

use crate::labels::run_labels;
use crate::report::Report;
use crate::series::{Point, Series};
use crate::svg::{Curve, Stroke};

/// A quantity of one run before it has a colour.
pub struct Part {
    pub name: String,
    pub points: Vec<Point>,
    pub stems: bool,
    /// Drawn as a band under the others.
    pub broad: bool,
}

impl Part {
    /// A line through a series.
    pub fn line(name: &str, series: &Series) -> Self {
        Self { name: name.to_string(), points: series.points(), stems: false, broad: false }
    }

    /// A line through a series that jumps where impacts are.
    pub fn jumping(name: &str, series: &Series, jumps: &[f64]) -> Self {
        Self { points: with_jumps(series, jumps), ..Self::line(name, series) }
    }

    /// Nothing but zeros.
    pub fn is_zero(&self) -> bool {
        self.points.iter().all(|p| p.y == 0.0)
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

/// Colours and dashes for parts taken from each run alike.
pub fn assemble(reports: &[Report], parts: impl Fn(&Report) -> Vec<Part>) -> (Vec<Curve>, Vec<(String, Stroke)>) {
    let several = reports.len() > 1;
    let labels = run_labels(reports);
    let mut curves = Vec::new();
    let mut legend: Vec<(String, Stroke)> = Vec::new();
    for (i, report) in reports.iter().enumerate() {
        for part in parts(report) {
            let known = legend.iter().position(|(name, _)| *name == part.name);
            let k = known.unwrap_or(legend.len());
            let broad = part.broad && !several;
            if known.is_none() {
                let stroke =
                    if several { Stroke { colour: None, dash: k, broad } } else { Stroke { broad, ..colour(k) } };
                legend.push((part.name.clone(), stroke));
            }
            let stroke = if several { Stroke { dash: k, ..colour(i) } } else { Stroke { broad, ..colour(k) } };
            let name = if several { format!("{}, {}", labels[i], part.name) } else { part.name };
            curves.push(Curve {
                name,
                stroke,
                points: part.points,
                stems: part.stems,
                marks: false,
                joined: true,
                cloud: None,
            });
        }
    }
    (curves, legend)
}

/// From the first state or ledger to the last [s].
pub fn span(reports: &[Report]) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for r in reports {
        let states = r.positions.first().map(|c| &c.series);
        let contacts = r.all_contacts.iter().map(|all| &all.gap);
        for p in states.into_iter().chain([&r.energy.total]).chain(contacts).flat_map(Series::points) {
            low = low.min(p.t);
            high = high.max(p.t);
        }
    }
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

/// The solid stroke of a colour.
pub fn colour(i: usize) -> Stroke {
    Stroke { colour: Some(i), ..Stroke::default() }
}
