//! A root in a bracket: φ(a) > 0 ≥ φ(b).
//!
//! Illinois: the secant through both ends, with the value of an end that stays twice halved; bisection where that stalls.

/// Shrinks [a, b] until it is no wider than `width`; returns both ends, φ > 0 at the first and ≤ 0 at the second.
pub fn bracket(
    mut a: f64,
    mut b: f64,
    mut phi_a: f64,
    mut phi_b: f64,
    width: f64,
    mut phi: impl FnMut(f64) -> f64,
) -> (f64, f64) {
    let mut last = 0;
    for k in 0..200 {
        if b - a <= width || phi_b == 0.0 {
            break;
        }
        // every third step halves: no function makes it slow
        let secant = a + (b - a) * phi_a / (phi_a - phi_b);
        let middle = 0.5 * (a + b);
        let x = if k % 3 == 2 || !(secant > a && secant < b) { middle } else { secant };
        // a step beside an end closes in on it from the other side
        let x = x.clamp(a + 0.5 * width.min(b - a), b - 0.5 * width.min(b - a));
        let y = phi(x);
        if y > 0.0 {
            (a, phi_a) = (x, y);
            if last == 1 {
                phi_b *= 0.5;
            }
            last = 1;
        } else {
            (b, phi_b) = (x, y);
            if last == -1 {
                phi_a *= 0.5;
            }
            last = -1;
        }
    }
    (a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Roots of a line, of a flat cubic and of a step are bracketed to the width asked, in few evaluations.
    #[test]
    fn brackets_close() {
        type Case = (fn(f64) -> f64, f64);
        let cases: [Case; 3] =
            [(|x| 0.3 - x, 0.3), (|x| (0.7 - x).powi(3), 0.7), (|x| if x < 0.123 { 1.0 } else { -1e-9 }, 0.123)];
        for (phi, root) in cases {
            let mut count = 0;
            let (a, b) = bracket(0.0, 1.0, phi(0.0), phi(1.0), 1e-12, |x| {
                count += 1;
                phi(x)
            });
            assert!(a <= root + 1e-15 && root <= b + 1e-15 && phi(a) > 0.0, "[{a}, {b}]");
            assert!(b - a <= 1.1e-12 || phi(b) == 0.0, "[{a}, {b}]");
            assert!(count <= 130, "{count} evaluations");
        }
    }
}
