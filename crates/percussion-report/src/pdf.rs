//! A figure as PDF: one page of paths, letters as outlines, so that it prints alike everywhere.
//!
//!   (x, y) of the drawing, y down  →  (s x, H − s y) of the page, y up

use crate::drawing::{Piece, Segment, read};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Width of a figure on paper [pt]: 12.7 cm, on which its letters have 8 to 9 points.
const WIDTH: f32 = 360.0;

/// The drawing on one page; none if it cannot be understood.
pub fn pdf(svg: &str) -> Option<Vec<u8>> {
    let drawing = read(svg)?;
    let scale = WIDTH / drawing.size[0];
    let height = drawing.size[1] * scale;
    let mut page = Page::default();
    let _ = writeln!(page.text, "{} 0 0 {} 0 {} cm", n(scale), n(-scale), n(height));
    drawing.pieces.iter().for_each(|piece| page.piece(piece));

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
    fn piece(&mut self, Piece { path, fill, stroke }: &Piece) {
        let alphas = (fill.map_or(1.0, |ink| ink.alpha), stroke.as_ref().map_or(1.0, |pen| pen.ink.alpha));
        let paint = match (fill.is_some(), stroke.is_some()) {
            (false, false) => return,
            (true, false) => "f",
            (true, true) => "B",
            (false, true) => "S",
        };
        let next = self.alphas.len();
        let state = self.alphas.entry((alphas.0.to_bits(), alphas.1.to_bits())).or_insert((next, alphas)).0;
        let out = &mut self.text;
        let _ = writeln!(out, "q /G{state} gs");
        if let Some(ink) = fill {
            let _ = writeln!(out, "{} rg", colour(ink.rgb));
        }
        if let Some(pen) = stroke {
            let dash: Vec<String> = pen.dash.iter().map(|x| n(*x)).collect();
            let (colour, width) = (colour(pen.ink.rgb), n(pen.width));
            let _ = writeln!(out, "{colour} RG {width} w {} J 1 j [{}] 0 d", u8::from(pen.round), dash.join(" "));
        }
        segments(out, path);
        let _ = writeln!(out, "{paint} Q");
    }
}

fn segments(out: &mut String, path: &[Segment]) {
    let mut at = [0.0; 2];
    for segment in path {
        let _ = match *segment {
            Segment::Move(p) => {
                at = p;
                writeln!(out, "{} {} m", n(p[0]), n(p[1]))
            }
            Segment::Line(p) => {
                at = p;
                writeln!(out, "{} {} l", n(p[0]), n(p[1]))
            }
            // a quadratic curve as the cubic one through the same points
            Segment::Quad(c, p) => {
                let third = |from: [f32; 2]| [0, 1].map(|k| from[k] + 2.0 / 3.0 * (c[k] - from[k]));
                let (a, b) = (third(at), third(p));
                at = p;
                writeln!(out, "{} {} {} {} {} {} c", n(a[0]), n(a[1]), n(b[0]), n(b[1]), n(p[0]), n(p[1]))
            }
            Segment::Close => writeln!(out, "h"),
        };
    }
}

fn colour(rgb: [u8; 3]) -> String {
    rgb.map(|x| n(f32::from(x) / 255.0)).join(" ")
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
            pdf(&crate::svg::standalone(&[plot.figure()])).expect("a page")
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
