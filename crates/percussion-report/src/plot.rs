//! A figure of any quantities: lines and marks over a linear or logarithmic abscissa, as SVG and as the numbers drawn.

use crate::series::{Point, Series, is_drawable};
use crate::svg::{Cloud, Curve, Figure, Stroke, standalone};

/// Pixels of a figure on paper, along either axis.
const PIXELS: f64 = 2000.0;

/// How a line of a plot looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// A line.
    #[default]
    Solid,
    /// A dashed line.
    Dashed,
    /// A line in the colour of text, for exact values and references.
    Reference,
    /// A line with a mark at each point.
    Marked,
    /// Marks alone.
    Marks,
    /// A fine dot at each point, none left out: clouds of points.
    Dots,
    /// A filled cell around each point, of the size the plot says: maps of a plane.
    Cells,
}

/// A named list of points, in the order they are joined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// In the legend; lines of the same name share an entry, lines without one have none.
    pub name: String,
    /// (x, y); one that is no number breaks the line.
    pub points: Vec<(f64, f64)>,
    /// How it looks.
    pub look: Look,
    /// Its colour; the next free one where absent.
    pub colour: Option<usize>,
}

impl Line {
    /// Through points.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, ..Self::default() }
    }

    /// With another look.
    pub fn look(self, look: Look) -> Self {
        Self { look, ..self }
    }

    /// In a colour of its own choice.
    pub fn colour(self, colour: usize) -> Self {
        Self { colour: Some(colour), ..self }
    }
}

/// One figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// Above the figure.
    pub title: String,
    /// Below it, on pages.
    pub caption: String,
    /// Drawn below the axis: what a figure must say that stands alone.
    pub note: String,
    /// Quantity and unit of the abscissa; "t [s]" where empty.
    pub x_label: String,
    /// Quantity and unit of the ordinate.
    pub y_label: String,
    /// A logarithmic abscissa.
    pub log_x: bool,
    /// A logarithmic ordinate.
    pub log_y: bool,
    /// The lines.
    pub lines: Vec<Line>,
    /// Horizontal lines with a name.
    pub levels: Vec<(f64, String)>,
    /// The part of the abscissa that is shown; all of it where absent.
    pub x_range: Option<(f64, f64)>,
    /// The part of the ordinate that is shown.
    pub y_range: Option<(f64, f64)>,
    /// Width and height of cells, in the units of the axes.
    pub cell: (f64, f64),
}

impl Plot {
    /// As a file of its own, on white.
    pub fn svg(&self) -> String {
        standalone(&[self.figure()])
    }

    /// Several, one below the other, as a file of their own.
    pub fn stacked_svg(plots: &[Plot]) -> String {
        standalone(&plots.iter().map(Plot::figure).collect::<Vec<_>>())
    }

    /// For a page that brings the style.
    pub(crate) fn inline(&self) -> String {
        self.figure().inline()
    }

    /// `line,x,y`: the points as drawn, long curves thinned to their extremes and jumps.
    pub fn csv(&self) -> String {
        let mut text = String::from("line,x,y\n");
        for (line, (curve, _)) in self.lines.iter().zip(self.curves()) {
            let name = line.name.replace('"', "\"\"");
            for p in curve {
                text.push_str(&format!("\"{name}\",{:e},{:e}\n", p.t, p.y));
            }
        }
        text
    }

    /// The points that are drawn, and whether a mark stands at each.
    fn curves(&self) -> Vec<(Vec<Point>, bool)> {
        let drawn = |line: &Line| {
            if matches!(line.look, Look::Dots | Look::Cells) {
                return (self.cloud(line), false);
            }
            let broken = |p: &(f64, f64)| p.0.is_nan() || p.1.is_nan();
            let mut parts: Vec<Vec<(f64, f64)>> =
                line.points.split(broken).filter(|part| !part.is_empty()).map(<[_]>::to_vec).collect();
            if let Some((low, high)) = self.x_range {
                parts = parts.iter().flat_map(|part| clipped(part, low, high, false)).collect();
            }
            if let Some((low, high)) = self.y_range {
                parts = parts.iter().flat_map(|part| clipped(part, low, high, true)).collect();
            }
            if parts.iter().any(|part| part.windows(2).any(|pair| pair[1].0 < pair[0].0)) {
                return (self.path(&parts), matches!(line.look, Look::Marked | Look::Marks));
            }
            let mut series = Series::new();
            for part in parts {
                series.interrupt();
                for (x, y) in part {
                    let shown = (!self.log_x || x > 0.0) && (!self.log_y || y > 0.0);
                    if shown && is_drawable(x) && is_drawable(y) {
                        series.push(x, y);
                    }
                }
            }
            (series.points(), matches!(line.look, Look::Marked | Look::Marks))
        };
        self.lines.iter().map(drawn).collect()
    }

    /// A path that turns back, such as a phase portrait: the points that are further from the last than a pixel is wide.
    fn path(&self, parts: &[Vec<(f64, f64)>]) -> Vec<Point> {
        let drawn = |&(x, y): &(f64, f64)| is_drawable(x) && is_drawable(y);
        let extent = |of: fn(&(f64, f64)) -> f64| {
            let values = || parts.iter().flatten().filter(|p| drawn(p)).map(of);
            values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
        };
        let near = (extent(|p| p.0) / PIXELS, extent(|p| p.1) / PIXELS);
        let mut points: Vec<Point> = Vec::new();
        for part in parts {
            let mut starts = true;
            for (k, &(t, y)) in part.iter().enumerate().filter(|(_, p)| drawn(p)) {
                let far = |last: &Point| (t - last.t).abs() > near.0 || (y - last.y).abs() > near.1;
                if starts || k + 1 == part.len() || points.last().is_none_or(far) {
                    points.push(Point { t, y, starts, number: points.len() as u64 });
                    starts = false;
                }
            }
        }
        points
    }

    /// The points of a cloud inside the ranges, in the order of rows of cells.
    fn cloud(&self, line: &Line) -> Vec<Point> {
        let within = |range: Option<(f64, f64)>, x: f64| range.is_none_or(|(low, high)| (low..=high).contains(&x));
        let shown = |&(x, y): &(f64, f64)| {
            let positive = (!self.log_x || x > 0.0) && (!self.log_y || y > 0.0);
            positive && is_drawable(x) && is_drawable(y) && within(self.x_range, x) && within(self.y_range, y)
        };
        let point = |(number, (t, y)): (u64, (f64, f64))| Point { t, y, starts: true, number };
        (0..).zip(line.points.iter().copied().filter(shown)).map(point).collect()
    }

    /// Several, one below the other, as pixels.
    pub fn png(plots: &[Plot]) -> Option<Vec<u8>> {
        crate::png::png(&standalone(&plots.iter().map(Plot::figure).collect::<Vec<_>>()))
    }

    /// The same as a page of PDF.
    pub fn pdf(plots: &[Plot]) -> Option<Vec<u8>> {
        crate::pdf::pdf(&standalone(&plots.iter().map(Plot::figure).collect::<Vec<_>>()))
    }

    pub(crate) fn figure(&self) -> Figure {
        let mut legend: Vec<(String, Stroke)> = Vec::new();
        let mut curves = Vec::new();
        let mut free = 0;
        for (line, (points, marks)) in self.lines.iter().zip(self.curves()) {
            let named = |name: &str| !name.is_empty() && name == line.name;
            let known = legend.iter().find(|(name, _)| named(name)).map(|(_, stroke)| *stroke);
            let stroke = known.unwrap_or_else(|| {
                let colour = (line.look != Look::Reference).then(|| {
                    line.colour.unwrap_or_else(|| {
                        free += 1;
                        free - 1
                    })
                });
                Stroke { colour, dash: usize::from(line.look == Look::Dashed), broad: false }
            });
            if known.is_none() {
                legend.push((line.name.clone(), stroke));
            }
            let (joined, cloud) = match line.look {
                Look::Solid | Look::Dashed | Look::Reference | Look::Marked => (true, None),
                Look::Marks => (false, None),
                Look::Dots => (false, Some(Cloud::Dots)),
                Look::Cells => (false, Some(Cloud::Cells(self.cell))),
            };
            // a point that no neighbour is joined to would be a speck: an impact of one step
            let ends = |k: usize| points.get(k + 1).is_none_or(|next| next.starts);
            let lone: Vec<Point> = match joined && !marks {
                true => (0..points.len()).filter(|&k| points[k].starts && ends(k)).map(|k| points[k]).collect(),
                false => Vec::new(),
            };
            let curve = Curve { name: line.name.clone(), stroke, points, stems: false, marks, joined, cloud };
            if !lone.is_empty() {
                curves.push(Curve { points: lone, marks: true, joined: false, ..curve.clone() });
            }
            curves.push(curve);
        }
        legend.retain(|(name, _)| !name.is_empty());
        let xs = || curves.iter().flat_map(|c| &c.points).map(|p| p.t);
        let (low, high) = xs().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        let span = self.x_range.unwrap_or(if low <= high { (low, high) } else { (0.0, 1.0) });
        Figure {
            title: self.title.clone(),
            caption: self.caption.clone(),
            note: self.note.clone(),
            x_label: self.x_label.clone(),
            y_label: self.y_label.clone(),
            log_x: self.log_x,
            log: self.log_y,
            close: true,
            span,
            y_range: self.y_range,
            curves,
            legend,
            levels: self.levels.clone(),
        }
    }
}

/// The parts of a polyline with low ≤ x ≤ high (or y), cut where it crosses the ends.
fn clipped(points: &[(f64, f64)], low: f64, high: f64, by_y: bool) -> Vec<Vec<(f64, f64)>> {
    let of = |p: (f64, f64)| if by_y { p.1 } else { p.0 };
    if let [p] = points {
        return if (low..=high).contains(&of(*p)) { vec![vec![*p]] } else { Vec::new() };
    }
    let mut parts: Vec<Vec<(f64, f64)>> = Vec::new();
    for pair in points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        // the part of the segment, as 0 ≤ s ≤ 1, that lies between the ends
        let (start, rise) = (of(a), of(b) - of(a));
        let (from, to) = match rise == 0.0 {
            true if (low..=high).contains(&start) => (0.0, 1.0),
            true => continue,
            false => {
                let (s, t) = ((low - start) / rise, (high - start) / rise);
                (s.min(t).max(0.0), s.max(t).min(1.0))
            }
        };
        if from > to {
            continue;
        }
        let at = |s: f64| (a.0 + s * (b.0 - a.0), a.1 + s * (b.1 - a.1));
        let (first, last) = (if from == 0.0 { a } else { at(from) }, if to == 1.0 { b } else { at(to) });
        match parts.last_mut() {
            Some(part) if part.last() == Some(&first) => part.push(last),
            _ => parts.push(vec![first, last]),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_cuts_at_the_ends() {
        let zigzag = [(0.0, 0.0), (1.0, 2.0), (2.0, 0.0), (3.0, 2.0)];
        assert_eq!(clipped(&zigzag, 0.5, 1.5, false), vec![vec![(0.5, 1.0), (1.0, 2.0), (1.5, 1.0)]]);
        let parts = clipped(&zigzag, -1.0, 1.0, true);
        assert_eq!(parts, vec![vec![(0.0, 0.0), (0.5, 1.0)], vec![(1.5, 1.0), (2.0, 0.0), (2.5, 1.0)]]);
        assert_eq!(clipped(&zigzag, 0.2, 0.8, true).len(), 3);
        assert!(clipped(&zigzag, 5.0, 6.0, false).is_empty());
    }

    #[test]
    fn plots_draw_and_list_their_points() {
        let plot = Plot {
            title: "order <b>".into(),
            y_label: "error".into(),
            log_x: true,
            log_y: true,
            lines: vec![
                Line::new("a", vec![(1e-3, 1e-4), (1e-2, 1e-3)]).look(Look::Marked),
                Line::new("b", vec![(1e-3, 0.0), (1e-2, 2e-3)]).look(Look::Reference),
            ],
            ..Plot::default()
        };
        let svg = plot.svg();
        assert!(roxmltree::Document::parse(&svg).is_ok() && !svg.contains("<b>"));
        assert_eq!(plot.csv().lines().count(), 4, "a header and three points: zero has no logarithm");
    }
}
