//! A figure as pixels, with letters of our own, so that every machine draws the same.

use crate::drawing::read;
use crate::raster::{Pixels, pixels};

/// Width of a picture [px]: three for each unit of the drawing, enough for a column of print.
const WIDTH: f32 = 1620.0;

/// The drawing on white; none if it cannot be understood.
pub fn png(svg: &str) -> Option<Vec<u8>> {
    let drawing = read(svg)?;
    Some(encoded(&pixels(&drawing, WIDTH / drawing.size[0])))
}

/// The file: its head, the rows, its end.
fn encoded(Pixels { width, height, rgb }: &Pixels) -> Vec<u8> {
    let row = 3 * width;
    let mut rows = Vec::with_capacity((row + 1) * height);
    let nothing = vec![0; row];
    for y in 0..*height {
        let here = &rgb[y * row..(y + 1) * row];
        let above = if y == 0 { &nothing[..] } else { &rgb[(y - 1) * row..y * row] };
        // as the difference from the row above, or from the pixel to the left, whichever is smaller
        let left = |k: usize| if k < 3 { 0 } else { here[k - 3] };
        let up: Vec<u8> = (0..row).map(|k| here[k].wrapping_sub(above[k])).collect();
        let sub: Vec<u8> = (0..row).map(|k| here[k].wrapping_sub(left(k))).collect();
        let size = |list: &[u8]| list.iter().map(|x| u64::from((*x as i8).unsigned_abs())).sum::<u64>();
        let (kind, best) = if size(&sub) < size(&up) { (1, sub) } else { (2, up) };
        rows.push(kind);
        rows.extend(best);
    }
    // eight bits each of red, green and blue
    let head = [&(*width as u32).to_be_bytes()[..], &(*height as u32).to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&rows, 6);
    for (kind, data) in [(b"IHDR", &head[..]), (b"IDAT", &packed), (b"IEND", &[])] {
        let start = out.len() + 4;
        out.extend((data.len() as u32).to_be_bytes());
        out.extend(kind);
        out.extend(data);
        let sum = crc(&out[start..]);
        out.extend(sum.to_be_bytes());
    }
    out
}

/// CRC-32 of PNG (ISO 3309).
fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ u32::from(*byte), |c, _| if c & 1 == 1 { 0xEDB8_8320 ^ (c >> 1) } else { c >> 1 })
    };
    !bytes.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Line, Plot};

    #[test]
    fn checksum_is_that_of_the_standard() {
        assert_eq!(crc(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc(b"IEND"), 0xAE42_6082);
    }

    /// Three pixels for each unit, curves and letters where they belong, the same bytes twice.
    #[test]
    fn figures_become_pixels() {
        let svg = |name: &str| {
            let line = Line::new(name, vec![(0.0, 0.0), (1.0, 1.0)]);
            let plot = Plot { y_label: "q [m]".into(), lines: vec![line], ..Plot::default() };
            crate::svg::standalone(&[plot.figure()])
        };
        let draw = |name: &str| png(&svg(name)).expect("a picture");
        let bytes = draw("θ = ½");
        assert_eq!(bytes, draw("θ = ½"));
        assert_eq!(&bytes[16..20], &1620_u32.to_be_bytes());
        let drawing = read(&svg("θ = ½")).expect("a drawing");
        let picture = pixels(&drawing, 3.0);
        assert_eq!(picture.width, 1620);
        let dark = |x: std::ops::Range<usize>, y: std::ops::Range<usize>| {
            let inked = |x: usize, y: usize| {
                let at = 3 * (y * picture.width + x);
                u32::from(picture.rgb[at]) + u32::from(picture.rgb[at + 1]) < 300
            };
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
