//! A figure as PDF: one page of paths, letters as outlines, so that it prints alike everywhere.
//!
//!   (x, y) of the drawing, y down  →  (s x, H − s y) of the page, y up

use crate::png::tree;
use resvg::tiny_skia::{Path, PathSegment, Transform};
use resvg::usvg::{self, Node, Paint};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Width of a figure on paper [pt]: 12.7 cm, on which its letters have 8 to 9 points.
const WIDTH: f32 = 360.0;

/// The drawing on one page; none if it cannot be understood.
pub fn pdf(svg: &str) -> Option<Vec<u8>> {
    let tree = tree(svg)?;
    let scale = WIDTH / tree.size().width();
    let height = tree.size().height() * scale;
    let mut page = Page::default();
    let _ = writeln!(page.text, "{} 0 0 {} 0 {} cm", n(scale), n(-scale), n(height));
    page.group(tree.root(), 1.0);

    let mut states = String::new();
    for (name, (fill, stroke)) in page.alphas.values() {
        let _ = write!(states, "/G{name} << /ca {} /CA {} >> ", n(*fill), n(*stroke));
    }
    let stream = miniz_oxide::deflate::compress_to_vec_zlib(page.text.as_bytes(), 9);
    let objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Contents 4 0 R /Resources << /ExtGState << {states}>> >> >>",
            n(WIDTH),
            n(height)
        )
        .into_bytes(),
        [
            format!("<< /Filter /FlateDecode /Length {} >>\nstream\n", stream.len()).as_bytes(),
            &stream,
            b"\nendstream",
        ]
        .concat(),
    ];
    Some(file(&objects))
}

/// Objects with the table of their places.
fn file(objects: &[Vec<u8>]) -> Vec<u8> {
    // the second line marks the file as binary
    let mut out = b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut places = Vec::new();
    for (k, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend_from_slice(format!("{} 0 obj\n", k + 1).as_bytes());
        out.extend_from_slice(object);
        out.extend_from_slice(b"\nendobj\n");
    }
    let (start, count) = (out.len(), objects.len() + 1);
    let mut table = format!("xref\n0 {count}\n0000000000 65535 f \n");
    for place in places {
        let _ = writeln!(table, "{place:010} 00000 n ");
    }
    let _ = writeln!(table, "trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF");
    out.extend_from_slice(table.as_bytes());
    out
}

/// What is drawn, and the pairs of opacities it needs: of fillings and of strokes.
#[derive(Default)]
struct Page {
    text: String,
    alphas: BTreeMap<(u32, u32), (usize, (f32, f32))>,
}

impl Page {
    fn group(&mut self, group: &usvg::Group, alpha: f32) {
        let alpha = alpha * group.opacity().get();
        for node in group.children() {
            match node {
                Node::Group(inner) => self.group(inner, alpha),
                Node::Path(path) if path.is_visible() => self.path(path, alpha),
                Node::Text(text) => self.group(text.flattened(), alpha),
                // figures hold no pictures
                Node::Path(_) | Node::Image(_) => {}
            }
        }
    }

    fn path(&mut self, path: &usvg::Path, alpha: f32) {
        let fill = path.fill().and_then(|fill| Some((colour(fill.paint())?, fill.opacity().get(), fill.rule())));
        let stroke = path.stroke().and_then(|stroke| Some((colour(stroke.paint())?, stroke)));
        if fill.is_none() && stroke.is_none() {
            return;
        }
        let opacities = (
            fill.as_ref().map_or(1.0, |fill| fill.1) * alpha,
            stroke.as_ref().map_or(1.0, |(_, s)| s.opacity().get()) * alpha,
        );
        let next = self.alphas.len();
        let state = self.alphas.entry((opacities.0.to_bits(), opacities.1.to_bits())).or_insert((next, opacities)).0;
        let Transform { sx, kx, ky, sy, tx, ty } = path.abs_transform();
        let out = &mut self.text;
        let _ = writeln!(out, "q /G{state} gs {} {} {} {} {} {} cm", n(sx), n(ky), n(kx), n(sy), n(tx), n(ty));
        if let Some((colour, _, _)) = &fill {
            let _ = writeln!(out, "{colour} rg");
        }
        if let Some((colour, stroke)) = &stroke {
            let dash: Vec<String> = stroke.dasharray().unwrap_or_default().iter().map(|x| n(*x)).collect();
            let cap = match stroke.linecap() {
                usvg::LineCap::Butt => 0,
                usvg::LineCap::Round => 1,
                usvg::LineCap::Square => 2,
            };
            let join = match stroke.linejoin() {
                usvg::LineJoin::Miter | usvg::LineJoin::MiterClip => 0,
                usvg::LineJoin::Round => 1,
                usvg::LineJoin::Bevel => 2,
            };
            let (width, start) = (n(stroke.width().get()), n(stroke.dashoffset()));
            let _ = writeln!(out, "{colour} RG {width} w {cap} J {join} j [{}] {start} d", dash.join(" "));
        }
        segments(out, path.data());
        out.push_str(match (fill.map(|fill| fill.2), stroke.is_some()) {
            (Some(usvg::FillRule::NonZero), false) => "f",
            (Some(usvg::FillRule::EvenOdd), false) => "f*",
            (Some(usvg::FillRule::NonZero), true) => "B",
            (Some(usvg::FillRule::EvenOdd), true) => "B*",
            (None, _) => "S",
        });
        out.push_str(" Q\n");
    }
}

fn segments(out: &mut String, path: &Path) {
    let mut at = (0.0, 0.0);
    for segment in path.segments() {
        let _ = match segment {
            PathSegment::MoveTo(p) => {
                at = (p.x, p.y);
                writeln!(out, "{} {} m", n(p.x), n(p.y))
            }
            PathSegment::LineTo(p) => {
                at = (p.x, p.y);
                writeln!(out, "{} {} l", n(p.x), n(p.y))
            }
            // a quadratic curve as the cubic one through the same points
            PathSegment::QuadTo(c, p) => {
                let third = |from: f32, control: f32| from + 2.0 / 3.0 * (control - from);
                let (a, b) = ((third(at.0, c.x), third(at.1, c.y)), (third(p.x, c.x), third(p.y, c.y)));
                at = (p.x, p.y);
                writeln!(out, "{} {} {} {} {} {} c", n(a.0), n(a.1), n(b.0), n(b.1), n(p.x), n(p.y))
            }
            PathSegment::CubicTo(a, b, p) => {
                at = (p.x, p.y);
                writeln!(out, "{} {} {} {} {} {} c", n(a.x), n(a.y), n(b.x), n(b.y), n(p.x), n(p.y))
            }
            PathSegment::Close => writeln!(out, "h"),
        };
    }
}

fn colour(paint: &Paint) -> Option<String> {
    match paint {
        Paint::Color(c) => Some([c.red, c.green, c.blue].map(|x| n(f32::from(x) / 255.0)).join(" ")),
        // figures are drawn in plain colours
        Paint::LinearGradient(_) | Paint::RadialGradient(_) | Paint::Pattern(_) => None,
    }
}

/// A number without an exponent, which PDF does not know.
fn n(x: f32) -> String {
    let text = format!("{x:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Line, Plot};

    /// Every object stands where the table says, and what is drawn inflates to strokes and letters; the same bytes twice.
    #[test]
    fn figures_become_pages() {
        let draw = || {
            let line = Line::new("θ = ½", vec![(0.0, 0.0), (1.0, 1.0)]);
            let plot = Plot { y_label: "q [m]".into(), lines: vec![line], ..Plot::default() };
            pdf(&crate::svg::unsized_svg(&[plot.figure()])).expect("a page")
        };
        let bytes = draw();
        assert_eq!(bytes, draw());
        let find = |what: &[u8]| bytes.windows(what.len()).position(|w| w == what).expect("there");
        let table = String::from_utf8_lossy(&bytes[find(b"xref\n")..]).into_owned();
        let places: Vec<usize> = table
            .lines()
            .filter(|line| line.ends_with(" n "))
            .map(|line| line[..10].parse().expect("a place"))
            .collect();
        assert_eq!(places.len(), 4);
        for (k, place) in places.iter().enumerate() {
            assert!(bytes[*place..].starts_with(format!("{} 0 obj", k + 1).as_bytes()));
        }
        let start = find(b"stream\n") + 7;
        let stream = &bytes[start..find(b"\nendstream")];
        let text = miniz_oxide::inflate::decompress_to_vec_zlib(stream).expect("deflated");
        let text = String::from_utf8(text).expect("text");
        assert!(text.matches("S Q").count() >= 2, "grid and curve");
        assert!(text.matches(" c\n").count() > 100, "letters are curves");
        assert!(!text.contains('e') && !text.contains("NaN"), "no exponents");
    }
}
