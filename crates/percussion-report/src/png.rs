//! A figure as pixels: its SVG drawn by resvg with two fonts of our own, so that every machine draws the same.

use resvg::{tiny_skia, usvg};

static REGULAR: &[u8] = include_bytes!("../assets/fonts/DejaVuSans.ttf");
static BOLD: &[u8] = include_bytes!("../assets/fonts/DejaVuSans-Bold.ttf");
/// Width of a picture [px]: three for each unit of the drawing, enough for a column of print.
const WIDTH: u32 = 1620;

/// A drawing understood; none if it cannot be.
pub fn tree(svg: &str) -> Option<usvg::Tree> {
    let mut options = usvg::Options { font_family: "DejaVu Sans".into(), ..usvg::Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_data(REGULAR.to_vec());
    fonts.load_font_data(BOLD.to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    usvg::Tree::from_str(svg, &options).ok()
}

/// The drawing on white; none if it cannot be understood.
pub fn png(svg: &str) -> Option<Vec<u8>> {
    let tree = tree(svg)?;
    let scale = WIDTH as f32 / tree.size().width();
    let height = (tree.size().height() * scale).ceil() as u32;
    let mut pixels = tiny_skia::Pixmap::new(WIDTH, height)?;
    pixels.fill(tiny_skia::Color::WHITE);
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Line, Plot};

    /// Three pixels for each unit, curves and letters where they belong, the same bytes twice.
    #[test]
    fn figures_become_pixels() {
        let draw = |name: &str| {
            let line = Line::new(name, vec![(0.0, 0.0), (1.0, 1.0)]);
            let plot = Plot { y_label: "q [m]".into(), lines: vec![line], ..Plot::default() };
            png(&crate::svg::unsized_svg(&[plot.figure()])).expect("a picture")
        };
        let bytes = draw("θ = ½");
        assert_eq!(bytes, draw("θ = ½"));
        let picture = tiny_skia::Pixmap::decode_png(&bytes).expect("a PNG");
        assert_eq!(picture.width(), WIDTH);
        let dark = |x: std::ops::Range<u32>, y: std::ops::Range<u32>| {
            let inked = |x, y| picture.pixel(x, y).is_some_and(|p| u32::from(p.red()) + u32::from(p.green()) < 300);
            x.flat_map(|x| y.clone().map(move |y| (x, y))).filter(|&(x, y)| inked(x, y)).count()
        };
        // the name of the ordinate, and the curve through the middle of the drawing
        assert!(dark(30..200, 20..70) > 300, "letters");
        assert!(dark(600..1000, 100..700) > 300, "a curve");
        // a letter that a font lacks would be drawn as nothing: two names differ in their pixels
        for (name, blank) in [("ρ∞", "ρ "), ("−1", " 1"), ("‖p‖", " p "), ("10⁻⁹", "10 ⁹"), ("a · b", "a   b")]
        {
            assert_ne!(draw(name), draw(blank), "{name}");
        }
    }
}
