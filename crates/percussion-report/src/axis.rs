//! Axes: a range, round ticks (1, 2, 5 × 10ⁿ) with short labels, and the power of ten the labels leave out.

use crate::number::{minus, superscript};

/// A position on an axis with what is written there.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    pub at: f64,
    pub label: String,
}

/// One axis; for a logarithmic one every number is a log10.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub low: f64,
    pub high: f64,
    pub ticks: Vec<Tick>,
    /// "×10⁻³" when the labels are to be read so, else empty.
    pub factor: String,
    pub log: bool,
}

impl Axis {
    /// Where x lies, 0 at the low end, 1 at the high end, never outside.
    pub fn place(&self, x: f64) -> f64 {
        let x = match (self.log, x > 0.0) {
            (true, true) => x.log10(),
            (true, false) => return 0.0,
            _ => x,
        };
        ((x - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }
}

/// A linear axis over [low, high], widened by `pad` of its span at either end, with about `count` ticks.
pub fn linear(low: f64, high: f64, pad: f64, count: usize) -> Axis {
    let (low, high) = widened(low, high);
    let (low, high) = (low - pad * (high - low), high + pad * (high - low));
    let step = round_step((high - low) / count.max(1) as f64);

    // leave thousands or thousandths to a common factor
    let size = low.abs().max(high.abs()).log10().floor() as i32;
    let exponent = if (-2..=3).contains(&size) { 0 } else { size.div_euclid(3) * 3 };
    let unit = 10f64.powi(exponent);
    let decimals = (-(step / unit * 1.0001).log10().floor()).clamp(0.0, 12.0) as usize;

    let mut ticks = Vec::new();
    let mut k = (low / step).ceil();
    while k * step <= high && ticks.len() < 3 * count.max(1) + 3 {
        let value = k * step / unit;
        let label = if k == 0.0 { "0".to_string() } else { minus(&format!("{value:.decimals$}")) };
        ticks.push(Tick { at: k * step, label });
        k += 1.0;
    }
    let factor = if exponent == 0 { String::new() } else { format!("×10{}", superscript(exponent)) };
    Axis { low, high, ticks, factor, log: false }
}

/// A logarithmic axis over the decades that hold [low, high] (both positive), at most 24 of them below the top.
pub fn logarithmic(low: f64, high: f64) -> Axis {
    let exponent = |x: f64| if x > 0.0 && x.is_finite() { x.log10() } else { 0.0 };
    let top = exponent(high).ceil();
    let bottom = exponent(low).floor().max(top - 24.0).min(top - 1.0);
    let every = ((top - bottom) / 6.0).ceil().max(1.0);
    let mut ticks = Vec::new();
    let mut at = (bottom / every).ceil() * every;
    while at <= top {
        ticks.push(Tick { at, label: format!("10{}", superscript(at as i32)) });
        at += every;
    }
    Axis { low: bottom, high: top, ticks, factor: String::new(), log: true }
}

/// A logarithmic axis that ends a little beyond [low, high]: decades, and 2 and 5 between them where there are few.
pub fn logarithmic_close(low: f64, high: f64) -> Axis {
    let exponent = |x: f64| if x > 0.0 && x.is_finite() { x.log10() } else { 0.0 };
    let (low, high) = (exponent(low), exponent(high));
    let pad = 0.04 * (high - low).max(0.5);
    let (low, high) = (low - pad, high + pad);
    let every = ((high - low) / 7.0).ceil().max(1.0);
    let mut ticks = Vec::new();
    let mut decade = (low / every).floor() * every;
    while decade <= high {
        let parts: &[f64] = if high - low < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        for &part in parts {
            let at = decade + part.log10();
            if (low..=high).contains(&at) {
                let label = format!("10{}", superscript(decade as i32));
                let label = if part == 1.0 { label } else { format!("{part}·{label}") };
                ticks.push(Tick { at, label });
            }
        }
        decade += every;
    }
    Axis { low, high, ticks, factor: String::new(), log: true }
}

// a range no narrower than its labels can tell apart: a constant is drawn as a flat line
fn widened(low: f64, high: f64) -> (f64, f64) {
    let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
    let size = low.abs().max(high.abs());
    if size.is_nan() || size < 1e-290 {
        return (-1.0, 1.0);
    }
    let least = 1e-4 * size;
    if high - low >= least {
        return (low, high);
    }
    let middle = 0.5 * (low + high);
    (middle - 0.05 * size, middle + 0.05 * size)
}

fn round_step(rough: f64) -> f64 {
    let ten = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * ten >= rough * 0.9999).unwrap_or(10.0);
    factor * ten
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|t| t.label.as_str()).collect()
    }

    #[test]
    fn ordinary_ranges() {
        assert_eq!(labels(&linear(0.0, 2.0, 0.0, 5)), ["0", "0.5", "1.0", "1.5", "2.0"]);
        assert_eq!(labels(&linear(-3.2, -0.4, 0.0, 5)), ["−3", "−2", "−1"]);
        let small = linear(0.0, 8e-6, 0.0, 5);
        assert_eq!((labels(&small), small.factor.as_str()), (vec!["0", "2", "4", "6", "8"], "×10⁻⁶"));
        let large = linear(0.0, 1.2e7, 0.0, 4);
        assert_eq!((labels(&large), large.factor.as_str()), (vec!["0", "5", "10"], "×10⁶"));
    }

    /// Whatever the range: a few ticks inside it, distinct labels of at most eight characters, nothing infinite.
    #[test]
    fn odd_ranges_stay_sane() {
        let ends = [0.0, 1e-300, 1e-17, 1e-9, 0.8, 0.80000001, 1.0, 999.97, 1e3, 12345.678, 1e6, 1e6 + 1e-3, 1e150];
        let mut values: Vec<f64> = ends.iter().flat_map(|&x| [x, -x]).collect();
        values.push(f64::NAN);
        for &low in &values {
            for &high in &values {
                let axis = linear(low, high, 0.04, 5);
                let found = labels(&axis);
                assert!((2..=8).contains(&found.len()), "{low}..{high}: {found:?}");
                assert!(axis.low < axis.high && axis.low.is_finite() && axis.high.is_finite());
                for (i, label) in found.iter().enumerate() {
                    assert!(label.chars().count() <= 8 && !found[..i].contains(label), "{low}..{high}: {found:?}");
                    assert!(!label.contains("NaN") && !label.contains("inf"));
                }
            }
        }
    }

    #[test]
    fn decades() {
        let axis = logarithmic(1e-17, 1e3);
        assert_eq!(labels(&axis), ["10⁻¹⁶", "10⁻¹²", "10⁻⁸", "10⁻⁴", "10⁰"]);
        assert_eq!((axis.place(0.0), axis.place(1e3), axis.place(1e-17)), (0.0, 1.0, 0.0));
        let narrow = logarithmic(2e-9, 3e-9);
        assert!(narrow.high > narrow.low && narrow.ticks.len() == 2);
        let nothing = logarithmic(0.0, 0.0);
        assert!(nothing.high > nothing.low);
        assert!(logarithmic(5e-324, 1.0).ticks.len() <= 8);
        assert_eq!(labels(&logarithmic_close(8e-4, 0.05)), ["10⁻³", "2·10⁻³", "5·10⁻³", "10⁻²", "2·10⁻²", "5·10⁻²"]);
        let one = logarithmic_close(1e-3, 1e-3);
        assert!(one.high > one.low && one.low.is_finite() && !one.ticks.is_empty());
        assert!(logarithmic_close(1e-300, 1.0).ticks.len() <= 9);
    }
}
