//! From points to a short SVG path: to pixels, without the points a straight line explains, in relative hundredths.

/// Half-width [px] of the strip within which a point adds nothing to see.
const TOLERANCE: f64 = 0.04;

/// A point on the drawing [px]; `starts` begins a stroke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pixel {
    pub x: f64,
    pub y: f64,
    pub starts: bool,
}

/// The path of strokes through the pixels.
pub fn strokes(pixels: &[Pixel]) -> String {
    let mut path = String::with_capacity(8 * pixels.len());
    let mut begin = 0;
    while begin < pixels.len() {
        let end = (begin + 1..pixels.len()).find(|&i| pixels[i].starts).unwrap_or(pixels.len());
        stroke(&mut path, &simplified(&pixels[begin..end]));
        begin = end;
    }
    path
}

/// The path of vertical stems from `base` to each pixel.
pub fn stems(pixels: &[Pixel], base: f64) -> String {
    let mut path = String::with_capacity(16 * pixels.len());
    for p in pixels {
        path.push_str(&format!(
            "M{} {}V{}",
            number(hundredths(p.x)),
            number(hundredths(base)),
            number(hundredths(p.y))
        ));
    }
    path
}

/// Small diamonds around the pixels.
pub fn marks(pixels: &[Pixel]) -> String {
    let one =
        |p: &Pixel| format!("M{} {}l2.6 2.6-2.6 2.6-2.6-2.6z", number(hundredths(p.x)), number(hundredths(p.y - 2.6)));
    pixels.iter().map(one).collect()
}

/// Dots, one for each quarter of a pixel that is met.
pub fn dots(pixels: &[Pixel]) -> String {
    let mut places: Vec<(i64, i64)> =
        pixels.iter().map(|p| ((4.0 * p.x).round() as i64, (4.0 * p.y).round() as i64)).collect();
    places.sort_unstable();
    places.dedup();
    places.iter().map(|&(x, y)| format!("M{} {}h0", number(25 * x), number(25 * y))).collect()
}

/// Strokes through cells of a width, neighbours of one row joined.
pub fn cells(pixels: &[Pixel], width: f64) -> String {
    let mut path = String::new();
    let mut k = 0;
    while k < pixels.len() {
        let mut end = k + 1;
        while end < pixels.len()
            && pixels[end].y == pixels[k].y
            && (pixels[end].x - pixels[end - 1].x - width).abs() < 1e-3 * width
        {
            end += 1;
        }
        let (first, last) = (hundredths(pixels[k].x - 0.5 * width), hundredths(pixels[end - 1].x + 0.5 * width));
        path.push_str(&format!("M{} {}h{}", number(first), number(hundredths(pixels[k].y)), number(last - first)));
        k = end;
    }
    path
}

fn stroke(path: &mut String, pixels: &[Pixel]) {
    let mut at: Option<(i64, i64)> = None;
    for (i, p) in pixels.iter().enumerate() {
        let (x, y) = (hundredths(p.x), hundredths(p.y));
        match at {
            None => {
                path.push_str(&format!("M{} {}", number(x), number(y)));
                // alone, it is a dot: the round cap of a line of no length
                if pixels.len() == 1 {
                    path.push_str("h0");
                }
            }
            Some((x0, y0)) => {
                path.push_str(if i == 1 { "l" } else { "" });
                for (j, number) in [number(x - x0), number(y - y0)].iter().enumerate() {
                    // a minus sign separates as well as a space does
                    let glued = number.starts_with('-') || (i == 1 && j == 0);
                    path.push_str(if glued { "" } else { " " });
                    path.push_str(number);
                }
            }
        }
        at = Some((x, y));
    }
}

// Ramer, Douglas and Peucker, without recursion
fn simplified(pixels: &[Pixel]) -> Vec<Pixel> {
    let n = pixels.len();
    if n < 3 {
        return pixels.to_vec();
    }
    let mut keep = vec![false; n];
    keep[0] = true;
    keep[n - 1] = true;
    let mut spans = vec![(0, n - 1)];
    while let Some((a, b)) = spans.pop() {
        let mut worst = (TOLERANCE, None);
        for i in a + 1..b {
            let d = distance(pixels[i], pixels[a], pixels[b]);
            if d > worst.0 {
                worst = (d, Some(i));
            }
        }
        if let (_, Some(i)) = worst {
            keep[i] = true;
            spans.extend([(a, i), (i, b)]);
        }
    }
    pixels.iter().zip(keep).filter_map(|(p, keep)| keep.then_some(*p)).collect()
}

// to the segment, not to its line: a spike that folds back is far from both ends
fn distance(p: Pixel, a: Pixel, b: Pixel) -> f64 {
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    let length2 = dx * dx + dy * dy;
    let s = if length2 > 0.0 { (((p.x - a.x) * dx + (p.y - a.y) * dy) / length2).clamp(0.0, 1.0) } else { 0.0 };
    (p.x - a.x - s * dx).hypot(p.y - a.y - s * dy)
}

fn hundredths(x: f64) -> i64 {
    (x * 100.0).round() as i64
}

/// Two decimals at most.
pub fn pixel(x: f64) -> String {
    number(hundredths(x))
}

fn number(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    let (whole, rest) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
    let whole = if whole == 0 && rest > 0 { String::new() } else { whole.to_string() };
    match rest {
        0 => format!("{sign}{whole}"),
        r if r % 10 == 0 => format!("{sign}{whole}.{}", r / 10),
        r => format!("{sign}{whole}.{r:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64) -> Pixel {
        Pixel { x, y, starts: false }
    }

    #[test]
    fn clouds_are_short() {
        assert_eq!(dots(&[at(1.0, 2.0), at(1.02, 2.01), at(3.0, 4.0)]), "M1 2h0M3 4h0");
        assert_eq!(cells(&[at(1.0, 5.0), at(3.0, 5.0), at(7.0, 5.0), at(9.0, 6.0)], 2.0), "M0 5h4M6 5h2M8 6h2");
    }

    #[test]
    fn straight_lines_need_two_points() {
        let line: Vec<Pixel> = (0..1000).map(|i| at(i as f64 * 0.3, i as f64 * 0.1)).collect();
        assert_eq!(strokes(&line), "M0 0l299.7 99.9");
    }

    #[test]
    fn spikes_and_jumps_stay() {
        let jump = [at(0.0, 0.0), at(5.0, 0.0), at(5.0, 7.3), at(5.0, -3.0), at(9.0, -3.0)];
        assert_eq!(strokes(&jump), "M0 0l5 0 0 7.3 0-10.3 4 0");
    }

    #[test]
    fn strokes_break_and_dots_show() {
        let mut points = [at(0.0, 0.0), at(1.0, 1.0), at(2.0, 2.0)];
        points[2].starts = true;
        assert_eq!(strokes(&points), "M0 0l1 1M2 2h0");
        assert_eq!(stems(&points[1..2], 10.0), "M1 10V1");
    }
}
