//! A drawing as pixels.
//!
//! Strokes become outlines: a rectangle for each line, a disc for each joint and round end, all turning the same way, so that together
//! they cover what any of them covers (the rule of windings that are not zero). A row of pixels is crossed by four lines; along each the
//! part of a pixel between two crossings is exact.

use crate::drawing::{Drawing, Ink, Pen, Piece, Segment};

/// Lines through a row of pixels.
const LINES: usize = 4;
/// How far a polygon may be from the curve or disc it stands for [px].
const CLOSE: f32 = 0.05;
/// The turn, as the sine of its angle, from which a joint is filled.
const TURN: f32 = 0.05;

/// Red, green and blue of every pixel, row by row, on white.
pub struct Pixels {
    pub width: usize,
    pub height: usize,
    pub rgb: Vec<u8>,
}

/// Draws at a number of pixels for each unit.
pub fn pixels(drawing: &Drawing, scale: f32) -> Pixels {
    let [width, height] = drawing.size.map(|x| (x * scale).ceil().max(1.0) as usize);
    let mut sheet = Sheet { width, height, rgb: vec![255.0; 3 * width * height] };
    for Piece { path, fill, stroke } in &drawing.pieces {
        let lines = flattened(path, scale);
        if let Some(ink) = fill {
            let outline: Vec<Vec<[f32; 2]>> = lines.iter().map(|line| line.points.clone()).collect();
            sheet.fill(&outline, *ink);
        }
        if let Some(pen) = stroke {
            sheet.fill(&outlines(&lines, pen, scale), pen.ink);
        }
    }
    Pixels { width, height, rgb: sheet.rgb.iter().map(|x| x.round() as u8).collect() }
}

/// Points one after the other.
struct Polyline {
    points: Vec<[f32; 2]>,
    closed: bool,
}

fn flattened(path: &[Segment], scale: f32) -> Vec<Polyline> {
    let mut lines: Vec<Polyline> = Vec::new();
    let scaled = |p: [f32; 2]| p.map(|x| scale * x);
    for segment in path {
        match (*segment, lines.last_mut()) {
            (Segment::Move(p), _) => lines.push(Polyline { points: vec![scaled(p)], closed: false }),
            (Segment::Line(p), Some(line)) => line.points.push(scaled(p)),
            (Segment::Quad(c, p), Some(line)) => {
                let (c, p) = (scaled(c), scaled(p));
                let a = line.points.last().copied().unwrap_or(p);
                // a parabola leaves its chord by an eighth of |a − 2c + p|, of n pieces by 1/n² of that
                let bend = length([a[0] - 2.0 * c[0] + p[0], a[1] - 2.0 * c[1] + p[1]]) / 8.0;
                let n = (bend / CLOSE).sqrt().ceil().clamp(1.0, 64.0) as usize;
                for k in 1..=n {
                    let t = k as f32 / n as f32;
                    let mix = |i: usize| (1.0 - t) * ((1.0 - t) * a[i] + 2.0 * t * c[i]) + t * t * p[i];
                    line.points.push([mix(0), mix(1)]);
                }
            }
            (Segment::Close, Some(line)) => line.closed = true,
            (Segment::Line(_) | Segment::Quad(..) | Segment::Close, None) => {}
        }
    }
    lines
}

fn length(v: [f32; 2]) -> f32 {
    v[0].hypot(v[1])
}

/// What a pen covers along lines, as polygons that all turn the same way.
fn outlines(lines: &[Polyline], pen: &Pen, scale: f32) -> Vec<Vec<[f32; 2]>> {
    let half = 0.5 * scale * pen.width;
    let dash: Vec<f32> = pen.dash.iter().map(|x| scale * x).collect();
    let mut out = Vec::new();
    for line in lines {
        let mut points = line.points.clone();
        if line.closed {
            points.extend(line.points.first());
        }
        if dash.iter().sum::<f32>() > 0.0 {
            for part in dashed(&points, &dash) {
                stroke(&part, false, pen.round, half, &mut out);
            }
        } else {
            stroke(&points, line.closed, pen.round, half, &mut out);
        }
    }
    out
}

/// The lines between the gaps.
fn dashed(points: &[[f32; 2]], dash: &[f32]) -> Vec<Vec<[f32; 2]>> {
    let (mut parts, mut part) = (Vec::new(), points.first().map(|p| vec![*p]).unwrap_or_default());
    let (mut k, mut left) = (0, dash[0]);
    for pair in points.windows(2) {
        let ([a, b], mut gone) = ([pair[0], pair[1]], 0.0);
        let long = length([b[0] - a[0], b[1] - a[1]]);
        while long - gone > left {
            gone += left;
            let at = [0, 1].map(|i| a[i] + gone / long * (b[i] - a[i]));
            if k % 2 == 0 {
                part.push(at);
                parts.push(std::mem::take(&mut part));
            } else {
                part = vec![at];
            }
            k += 1;
            left = dash[k % dash.len()].max(1e-3);
        }
        left -= long - gone;
        if k % 2 == 0 {
            part.push(b);
        }
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    parts
}

fn stroke(points: &[[f32; 2]], closed: bool, round: bool, half: f32, out: &mut Vec<Vec<[f32; 2]>>) {
    let mut along: Vec<[f32; 2]> = Vec::new();
    for pair in points.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        let d = [b[0] - a[0], b[1] - a[1]];
        let long = length(d);
        if long == 0.0 {
            continue;
        }
        let d = d.map(|x| x / long);
        let n = [-half * d[1], half * d[0]];
        out.push(vec![
            [a[0] - n[0], a[1] - n[1]],
            [b[0] - n[0], b[1] - n[1]],
            [b[0] + n[0], b[1] + n[1]],
            [a[0] + n[0], a[1] + n[1]],
        ]);
        let turns = along.last().is_some_and(|before| turned(*before, d));
        if turns {
            out.push(disc(a, half));
        }
        along.push(d);
    }
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else { return };
    match (closed, along.first().zip(along.last())) {
        (true, Some((begin, end))) if turned(*end, *begin) => out.push(disc(first, half)),
        (true, Some(_)) => {}
        // a line of no length is a dot
        (_, None) if round => out.push(disc(first, half)),
        (_, Some(_)) if round => out.extend([disc(first, half), disc(last, half)]),
        (_, None | Some(_)) => {}
    }
}

/// Whether two directions differ so much that a wedge would show between their lines.
fn turned(a: [f32; 2], b: [f32; 2]) -> bool {
    (a[0] * b[1] - a[1] * b[0]).abs() > TURN || a[0] * b[0] + a[1] * b[1] < 0.0
}

/// A polygon that leaves its circle by r (1 − cos π/n); it turns as the rectangles do.
fn disc(at: [f32; 2], r: f32) -> Vec<[f32; 2]> {
    let n = (std::f32::consts::PI * (r / (2.0 * CLOSE)).sqrt()).ceil().clamp(8.0, 64.0) as usize;
    let corner = |k: usize| {
        let (s, c) = (k as f32 / n as f32 * std::f32::consts::TAU).sin_cos();
        [at[0] + r * c, at[1] + r * s]
    };
    (0..n).map(corner).collect()
}

struct Sheet {
    width: usize,
    height: usize,
    rgb: Vec<f32>,
}

impl Sheet {
    /// Fills what polygons wind about.
    fn fill(&mut self, polygons: &[Vec<[f32; 2]>], ink: Ink) {
        let rows = LINES * self.height;
        let mut crossings: Vec<Vec<(f32, i32)>> = vec![Vec::new(); rows];
        for polygon in polygons {
            for (k, &a) in polygon.iter().enumerate() {
                cross(a, polygon[(k + 1) % polygon.len()], &mut crossings);
            }
        }
        let mut cover = vec![0.0_f32; self.width + 1];
        for row in 0..self.height {
            let lines = &mut crossings[LINES * row..LINES * (row + 1)];
            if lines.iter().all(Vec::is_empty) {
                continue;
            }
            cover.fill(0.0);
            for line in lines {
                line.sort_by(|a, b| a.0.total_cmp(&b.0));
                let (mut winding, mut from) = (0, 0.0);
                for &(x, turn) in line.iter() {
                    if winding == 0 {
                        from = x;
                    }
                    winding += turn;
                    if winding == 0 {
                        self.span(from, x, &mut cover);
                    }
                }
            }
            self.blend(row, &cover, ink);
        }
    }

    /// Adds a part of a line to what it covers of each pixel.
    fn span(&self, from: f32, to: f32, cover: &mut [f32]) {
        let share = 1.0 / LINES as f32;
        let wide = self.width as f32;
        let (from, to) = (from.clamp(0.0, wide), to.clamp(0.0, wide));
        if to <= from {
            return;
        }
        let (first, last) = (from as usize, to as usize);
        if first == last {
            cover[first] += share * (to - from);
            return;
        }
        cover[first] += share * (first as f32 + 1.0 - from);
        cover[first + 1..last].iter_mut().for_each(|x| *x += share);
        cover[last] += share * (to - last as f32);
    }

    fn blend(&mut self, row: usize, cover: &[f32], ink: Ink) {
        let pixels = self.rgb[3 * row * self.width..3 * (row + 1) * self.width].chunks_exact_mut(3);
        for (pixel, &part) in pixels.zip(cover).filter(|(_, part)| **part > 0.0) {
            let alpha = ink.alpha * part.min(1.0);
            for (channel, colour) in pixel.iter_mut().zip(ink.rgb) {
                *channel += alpha * (f32::from(colour) - *channel);
            }
        }
    }
}

/// Where the middles of lines are crossed, and which way.
fn cross(a: [f32; 2], b: [f32; 2], crossings: &mut [Vec<(f32, i32)>]) {
    let (low, high, turn) = if a[1] < b[1] { (a, b, 1) } else { (b, a, -1) };
    let lines = LINES as f32;
    // lines lie at (k + ½)/LINES
    let first = (lines * low[1] - 0.5).ceil().max(0.0);
    let end = (lines * high[1] - 0.5).ceil().min(crossings.len() as f32);
    if first >= end {
        return;
    }
    let slope = (high[0] - low[0]) / (high[1] - low[1]);
    for (k, line) in crossings.iter_mut().enumerate().take(end as usize).skip(first as usize) {
        line.push((low[0] + slope * ((k as f32 + 0.5) / lines - low[1]), turn));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLACK: Ink = Ink { rgb: [0; 3], alpha: 1.0 };

    /// How many pixels are black, in parts.
    fn area(piece: Piece) -> f32 {
        let drawing = Drawing { size: [100.0, 100.0], pieces: vec![piece] };
        pixels(&drawing, 1.0).rgb.chunks_exact(3).map(|p| 1.0 - f32::from(p[0]) / 255.0).sum()
    }

    fn path(points: &[[f32; 2]]) -> Vec<Segment> {
        let mut path = vec![Segment::Move(points[0])];
        path.extend(points[1..].iter().map(|p| Segment::Line(*p)));
        path
    }

    fn stroked(points: &[[f32; 2]], width: f32, dash: &[f32], round: bool) -> f32 {
        let pen = Pen { ink: BLACK, width, dash: dash.to_vec(), round };
        area(Piece { path: path(points), fill: None, stroke: Some(pen) })
    }

    /// Areas that are known: a triangle, a segment of a parabola, lines with cut and round ends, corners, dashes, a dot.
    #[test]
    fn areas_are_those_of_geometry() {
        let close = |found: f32, wanted: f32, what: &str| {
            assert!((found - wanted).abs() < 0.01 * wanted + 0.3, "{what}: {found} for {wanted}");
        };
        let filled = |path: Vec<Segment>| area(Piece { path, fill: Some(BLACK), stroke: None });
        close(filled(path(&[[10.2, 10.3], [70.1, 20.4], [30.7, 80.9]])), 2007.6, "triangle");
        let parabola = vec![Segment::Move([10.0, 10.0]), Segment::Quad([50.0, 90.0], [90.0, 10.0]), Segment::Close];
        close(filled(parabola), 2.0 / 3.0 * 0.5 * 80.0 * 80.0, "parabola");
        let pi = std::f32::consts::PI;
        close(stroked(&[[10.0, 10.0], [70.0, 90.0]], 8.0, &[], false), 800.0, "cut ends");
        close(stroked(&[[10.0, 10.0], [70.0, 90.0]], 8.0, &[], true), 800.0 + pi * 16.0, "round ends");
        close(stroked(&[[20.0, 50.0], [20.0, 50.0]], 8.0, &[], true), pi * 16.0, "dot");
        // a right angle: two squares of half the width overlap, a quarter of a disc fills the corner
        close(stroked(&[[20.0, 20.0], [80.0, 20.0], [80.0, 70.0]], 8.0, &[], false), 880.0 - 16.0 + 4.0 * pi, "corner");
        close(stroked(&[[10.0, 50.0], [90.0, 50.0]], 4.0, &[6.0, 4.0], false), 8.0 * 24.0, "dashes");
        // a curve of many short lines covers no more than one long line
        let many: Vec<[f32; 2]> = (0..=400).map(|k| [10.0 + 0.2 * k as f32, 50.3]).collect();
        close(stroked(&many, 1.0, &[], false), 80.0, "many");
    }
}
