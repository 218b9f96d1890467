//! One figure as SVG.
//!
//! Written here rather than by a plotting crate because every colour is a CSS class: the same drawing follows the
//! page into the dark, and stands alone in a paper with its own style.

use crate::axis::{self, Axis};
use crate::curve::{self, Pixel, pixel};
use crate::escape::{escape, shorten};
use crate::series::Point;

/// Colours there are; further curves begin again.
pub const COLOURS: usize = 8;
/// Dash patterns there are.
pub const DASHES: usize = 5;

const WIDTH: f64 = 540.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 12.0;
const ROW: f64 = 19.0;
const PLOT: f64 = 200.0;
const BOTTOM: f64 = 44.0;
/// A line of a note.
const NOTE: f64 = 15.0;
/// Letters in it.
const NOTE_LETTERS: usize = 84;
/// The figure's font size [px].
const FONT: f64 = 13.0;

/// The same for the name of the ordinate, on a phone, where letters are larger.
const BOLD: f64 = 8.4;

/// Names of a legend that are written where there are more than the second number: one taller than its figure tells nothing.
const LEGEND: (usize, usize) = (20, 24);

/// How a curve looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stroke {
    /// Colour number; `None` is the colour of text.
    pub colour: Option<usize>,
    /// 0 solid, then dash patterns.
    pub dash: usize,
    /// A broad pale band under the other curves.
    pub broad: bool,
}

impl Stroke {
    fn class(self) -> String {
        let colour = self.colour.map_or("ink".to_string(), |c| format!("c{}", c % COLOURS));
        let dash = if self.dash == 0 { String::new() } else { format!(" d{}", self.dash % DASHES) };
        format!("{colour}{dash}{}", if self.broad { " broad" } else { "" })
    }
}

/// A line, or stems from zero.
#[derive(Clone, Debug)]
pub struct Curve {
    pub name: String,
    pub stroke: Stroke,
    pub points: Vec<Point>,
    pub stems: bool,
    /// A mark at each point.
    pub marks: bool,
    /// A line through the points.
    pub joined: bool,
    /// The points as a cloud instead.
    pub cloud: Option<Cloud>,
}

/// How a cloud of points is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cloud {
    /// Fine dots.
    Dots,
    /// Cells of a width and height in units of the axes.
    Cells((f64, f64)),
}

/// Data of a figure.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    pub title: String,
    pub caption: String,
    /// Drawn below the axis.
    pub note: String,
    /// Quantity and unit of the abscissa; "t [s]" where empty.
    pub x_label: String,
    /// Quantity and unit: "energy [J]".
    pub y_label: String,
    pub log_x: bool,
    pub log: bool,
    /// Logarithmic axes end at the data, not at a decade.
    pub close: bool,
    /// The time the figure spans [s], which all figures of a page share.
    pub span: (f64, f64),
    /// The ordinates that are shown; all where absent.
    pub y_range: Option<(f64, f64)>,
    pub curves: Vec<Curve>,
    pub legend: Vec<(String, Stroke)>,
    /// Horizontal lines with a name.
    pub levels: Vec<(f64, String)>,
}

impl Figure {
    /// For a page, which brings the style.
    pub fn inline(&self) -> String {
        self.svg("class=\"plot\"", "")
    }

    fn height(&self) -> f64 {
        TOP + ROW * self.legend().1 as f64 + PLOT + BOTTOM + NOTE * wrapped(&self.note).len() as f64
    }

    fn svg(&self, attributes: &str, style: &str) -> String {
        let (legend, rows) = self.legend();
        let top = TOP + ROW * rows as f64;
        let (x, y) = self.axes();
        let x_label = if self.x_label.is_empty() { "t [s]".to_string() } else { self.x_label.clone() };
        let frame = Frame { top, x, y, x_label };

        let (title, summary) = (escape(&self.title), escape(&self.summary()));
        let mut svg = format!(
            "<svg {attributes} viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{title}: {summary}\">\n<title>{title}</title>{style}\n",
            pixel(WIDTH),
            pixel(self.height())
        );
        svg.push_str(&frame.grid());
        svg.push_str(&legend);
        for (level, name) in &self.levels {
            svg.push_str(&frame.level(*level, name));
        }
        for curve in &self.curves {
            svg.push_str(&frame.curve(curve));
        }
        if self.curves.iter().all(|c| c.points.is_empty()) {
            let (x, y) = (pixel((LEFT + WIDTH - RIGHT) / 2.0), pixel(top + PLOT / 2.0));
            svg.push_str(&format!(
                "<text class=\"soft\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">nothing to draw</text>\n"
            ));
        }
        for (k, line) in wrapped(&self.note).iter().enumerate() {
            let (x, y) = (pixel(12.0), pixel(top + PLOT + BOTTOM + NOTE * k as f64 + 8.0));
            svg.push_str(&format!(
                "<text class=\"soft\" style=\"font-size:11px\" x=\"{x}\" y=\"{y}\">{}</text>\n",
                escape(line)
            ));
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn axes(&self) -> (Axis, Axis) {
        let points = || self.curves.iter().flat_map(|c| &c.points);
        let levels = self.levels.iter().map(|l| l.0);
        let decades = |low: f64, high: f64| match self.close {
            true => axis::logarithmic_close(low, high),
            false => axis::logarithmic(low, high),
        };
        let x = match self.log_x {
            true => decades(self.span.0, self.span.1),
            false => axis::linear(self.span.0, self.span.1, 0.0, 7),
        };
        let y = if let Some((low, high)) = self.y_range.filter(|_| !self.log) {
            axis::linear(low, high, 0.0, 6)
        } else if self.log {
            let (low, high) = range(points().map(|p| p.y).chain(levels).filter(|&y| y > 0.0));
            decades(low, high)
        } else {
            let zero = self.curves.iter().any(|c| c.stems).then_some(0.0);
            let (low, high) = range(points().map(|p| p.y).chain(levels).chain(zero));
            axis::linear(low, high, 0.05, 6)
        };
        (x, y)
    }

    // name of the ordinate, then the curves, in as many rows as they need
    fn legend(&self) -> (String, usize) {
        let label = if self.log { format!("{}, log scale", self.y_label) } else { self.y_label.clone() };
        let factor = self.axes().1.factor;
        let label = if factor.is_empty() { label } else { format!("{label} {factor}") };
        let mut out = format!("<text class=\"name\" x=\"12\" y=\"{}\">{}</text>\n", pixel(TOP + 6.0), escape(&label));
        let (mut x, mut row) = (12.0 + BOLD * label.chars().count() as f64 + 16.0, 0);
        let named = if self.legend.len() > LEGEND.1 { LEGEND.0 } else { self.legend.len() };
        for (name, stroke) in &self.legend[..named] {
            let name = shorten(name, 40);
            let width = 26.0 + FONT * name.chars().map(em).sum::<f64>();
            if x + width > WIDTH - RIGHT && x > LEFT {
                (x, row) = (LEFT, row + 1);
            }
            let y = TOP + 6.0 + ROW * row as f64;
            out.push_str(&format!(
                "<path class=\"{}\" d=\"M{} {}h18\"/><text x=\"{}\" y=\"{}\">{}</text>\n",
                stroke.class(),
                pixel(x),
                pixel(y - 4.0),
                pixel(x + 23.0),
                pixel(y),
                escape(&name)
            ));
            x += width + 16.0;
        }
        if named < self.legend.len() {
            row += 1;
            let (y, more) = (pixel(TOP + 6.0 + ROW * row as f64), self.legend.len() - named);
            out.push_str(&format!("<text class=\"soft\" x=\"{}\" y=\"{y}\">and {more} more</text>\n", pixel(LEFT)));
        }
        (out, row + 1)
    }

    // what the figure shows, for those who do not see it
    fn summary(&self) -> String {
        let describe = |c: &Curve| {
            let (low, high) = range(c.points.iter().map(|p| p.y));
            format!("{} between {} and {}", shorten(&c.name, 40), crate::number::short(low), crate::number::short(high))
        };
        let curves: Vec<String> = self.curves.iter().filter(|c| !c.points.is_empty()).take(8).map(describe).collect();
        if curves.is_empty() {
            "nothing to draw".to_string()
        } else {
            format!("{}; {}", self.y_label, curves.join(", "))
        }
    }
}

/// The width of a letter in units of the font size, in the widest of the fonts that a figure asks for.
fn em(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | ' ' => 0.34,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '-' | '/' => 0.42,
        'm' | 'M' | 'W' | '%' | '@' => 1.0,
        'w' | '=' | '+' | '<' | '>' | '~' => 0.84,
        'A'..='Z' => 0.78,
        ' '..='~' => 0.64,
        'α'..='ω' | '½' | '–' | 'é' | 'ä' | 'ö' | 'ü' => 0.84,
        _ => 1.0,
    }
}

/// A note in lines, broken between words.
fn wrapped(note: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in note.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= NOTE_LETTERS => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(shorten(word, NOTE_LETTERS)),
        }
    }
    lines
}

/// Figures one below the other, for anywhere but the page: white, with their own style.
pub fn standalone(panels: &[Figure]) -> String {
    let style =
        format!("<style>{}</style><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>", include_str!("figure.css"));
    let attributes = "width=\"810\" xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\"";
    if let [alone] = panels {
        return alone.svg(attributes, &style);
    }
    let height: f64 = panels.iter().map(Figure::height).sum();
    let mut svg =
        format!("<svg {attributes} viewBox=\"0 0 {} {}\" role=\"img\">\n{style}\n", pixel(WIDTH), pixel(height));
    let mut top = 0.0;
    for panel in panels {
        let place = format!("y=\"{}\" width=\"{}\" height=\"{}\"", pixel(top), pixel(WIDTH), pixel(panel.height()));
        svg.push_str(&panel.svg(&place, ""));
        top += panel.height();
    }
    svg.push_str("</svg>\n");
    svg
}

/// The drawing area with its axes.
struct Frame {
    top: f64,
    x: Axis,
    y: Axis,
    x_label: String,
}

impl Frame {
    fn px(&self, t: f64) -> f64 {
        LEFT + self.x.place(t) * (WIDTH - LEFT - RIGHT)
    }

    fn py(&self, y: f64) -> f64 {
        self.top + (1.0 - self.y.place(y)) * PLOT
    }

    fn grid(&self) -> String {
        let (bottom, right) = (self.top + PLOT, WIDTH - RIGHT);
        let mut lines = String::new();
        let mut labels = String::new();
        let mut zero = String::new();
        for tick in &self.y.ticks {
            let place = (tick.at - self.y.low) / (self.y.high - self.y.low);
            let y = bottom - place * PLOT;
            lines.push_str(&format!("M{} {}H{}", pixel(LEFT), pixel(y), pixel(right)));
            labels.push_str(&text(LEFT - 7.0, y + 4.0, "end", &tick.label));
            if !self.y.log && tick.at == 0.0 {
                zero = format!("<path class=\"zero\" d=\"M{} {}H{}\"/>", pixel(LEFT), pixel(y), pixel(right));
            }
        }
        for tick in &self.x.ticks {
            let place = (tick.at - self.x.low) / (self.x.high - self.x.low);
            let x = LEFT + place * (WIDTH - LEFT - RIGHT);
            lines.push_str(&format!("M{} {}V{}", pixel(x), pixel(self.top), pixel(bottom)));
            // the last label stays inside the drawing
            let half = 0.5 * BOLD * tick.label.chars().count() as f64;
            labels.push_str(&text(x.min(WIDTH - half - 1.0), bottom + 17.0, "middle", &tick.label));
        }
        let scale = if self.x.log { ", log scale" } else { "" };
        let name = format!("{}{scale} {}", self.x_label, self.x.factor);
        labels.push_str(&text((LEFT + right) / 2.0, bottom + 36.0, "middle", name.trim_end()));
        format!("<path class=\"grid\" d=\"{lines}\"/>{zero}\n<g class=\"soft\">{labels}</g>\n")
    }

    fn level(&self, level: f64, name: &str) -> String {
        let y = self.py(level);
        let line = format!("<path class=\"level\" d=\"M{} {}H{}\"/>", pixel(LEFT), pixel(y), pixel(WIDTH - RIGHT));
        // beneath the line when it lies at the top
        let below = if y - self.top < 18.0 { 16.0 } else { -5.0 };
        format!("{line}{}\n", text(WIDTH - RIGHT - 4.0, y + below, "end", name))
    }

    fn curve(&self, curve: &Curve) -> String {
        let pixels: Vec<Pixel> =
            curve.points.iter().map(|p| Pixel { x: self.px(p.t), y: self.py(p.y), starts: p.starts }).collect();
        if pixels.is_empty() {
            return String::new();
        }
        if let Some(cloud) = curve.cloud {
            return self.cloud(curve, cloud, &pixels);
        }
        let path = match (curve.stems, curve.joined) {
            (true, _) => curve::stems(&pixels, self.py(0.0)),
            (false, true) => curve::strokes(&pixels),
            (false, false) => String::new(),
        };
        let path = if curve.marks { path + &curve::marks(&pixels) } else { path };
        format!("<path class=\"{}\" d=\"{path}\"><title>{}</title></path>\n", curve.stroke.class(), escape(&curve.name))
    }
}

impl Frame {
    /// Dots of half a pixel, one for each place, larger where there are few; cells side by side as one stroke as broad as they are high.
    fn cloud(&self, curve: &Curve, cloud: Cloud, pixels: &[Pixel]) -> String {
        let (path, style) = match cloud {
            Cloud::Dots => {
                let path = curve::dots(pixels);
                // each place of the path begins with an M
                let width = match path.matches('M').count() {
                    0..100 => "3",
                    100..1000 => "1.5",
                    1000.. => ".7",
                };
                (path, format!("stroke-width:{width}"))
            }
            Cloud::Cells((width, height)) => {
                let (x, y) = (self.px(width) - self.px(0.0), (self.py(height) - self.py(0.0)).abs());
                // a hair more than a cell, so that no white shows between them
                (curve::cells(pixels, x), format!("stroke-linecap:butt;stroke-width:{}", pixel(y + 0.05)))
            }
        };
        let (class, name) = (curve.stroke.class(), escape(&curve.name));
        format!("<path class=\"{class}\" style=\"{style}\" d=\"{path}\"><title>{name}</title></path>\n")
    }
}

fn text(x: f64, y: f64, anchor: &str, label: &str) -> String {
    format!("<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>", pixel(x), pixel(y), escape(label))
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
    if low <= high { (low, high) } else { (0.0, 0.0) }
}
