//! Bodies in the order of a curve that keeps near what is near: cells of a grid by the interleaved digits of their coordinates (Morton 1966).
//!
//!   key = … z₁ y₁ x₁ z₀ y₀ x₀,    x = ⌊32 (x − x_low)/width⌋
//!
//! A run of this order is a compact piece of a pile, so that threads which take a run each meet each other's bodies only at its surface.

use percussion_matrix::parts::{made_by, reduced};
use std::ops::Range;

/// Binary digits of a coordinate: 32 cells along the widest side.
const DIGITS: u32 = 5;
const CELLS: usize = 1 << (3 * DIGITS);

/// The order, with its work memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Curve {
    /// The bodies, one cell after the other; those of a cell in their own order.
    pub along: Vec<u32>,
    keys: Vec<u16>,
    starts: Vec<u32>,
}

impl Curve {
    /// Orders so many bodies: along the curve where their places are known, in their own order otherwise.
    pub fn order(&mut self, count: usize, places: &[[f64; 3]], threads: usize) {
        if places.len() != count {
            self.along.clear();
            return self.along.extend(0..count as u32);
        }
        let box_of = |rows: Range<usize>| {
            places[rows].iter().fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], |[low, high], x| {
                [std::array::from_fn(|k| low[k].min(x[k])), std::array::from_fn(|k| high[k].max(x[k]))]
            })
        };
        let [low, high] = reduced(count, threads, box_of, |[a, b]: [[f64; 3]; 2], [c, d]| {
            [std::array::from_fn(|k| a[k].min(c[k])), std::array::from_fn(|k| b[k].max(d[k]))]
        });
        let width = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        let scale = if width > 0.0 { f64::from(1 << DIGITS) / width } else { 0.0 };
        made_by(&mut self.keys, count, threads, |i| {
            let digits = |k: usize| (((places[i][k] - low[k]) * scale) as u32).min((1 << DIGITS) - 1);
            interleaved([digits(0), digits(1), digits(2)])
        });

        // counted, then put where the bodies of their cell begin
        self.starts.clear();
        self.starts.resize(CELLS + 1, 0);
        self.keys.iter().for_each(|&key| self.starts[usize::from(key) + 1] += 1);
        for k in 1..=CELLS {
            self.starts[k] += self.starts[k - 1];
        }
        self.along.resize(count, 0);
        for (i, &key) in self.keys.iter().enumerate() {
            let at = &mut self.starts[usize::from(key)];
            self.along[*at as usize] = i as u32;
            *at += 1;
        }
    }
}

/// … z₁ y₁ x₁ z₀ y₀ x₀.
fn interleaved(digits: [u32; 3]) -> u16 {
    let mut key = 0;
    for (k, digits) in digits.into_iter().enumerate() {
        for place in 0..DIGITS {
            key |= ((digits >> place) & 1) << (3 * place + k as u32);
        }
    }
    key as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_body_once_and_a_run_is_compact() {
        let side = 32;
        let place = |i: usize| [(i % side) as f64, (i / side % side) as f64, (i / side / side) as f64];
        let places: Vec<[f64; 3]> = (0..side * side * side).map(place).collect();
        let mut alone = Curve::default();
        alone.order(places.len(), &places, 1);
        let mut curve = Curve::default();
        curve.order(places.len(), &places, 4);
        assert!(curve.along == alone.along);
        let mut seen = vec![0; places.len()];
        curve.along.iter().for_each(|&i| seen[i as usize] += 1);
        assert!(seen.iter().all(|&n| n == 1));
        // an eighth of a cube is a cube of half its size
        for run in curve.along.chunks(places.len() / 8) {
            for k in 0..3 {
                let of = |i: &u32| places[*i as usize][k];
                let wide = run.iter().map(of).fold(0.0, f64::max) - run.iter().map(of).fold(f64::INFINITY, f64::min);
                assert_eq!(wide, (side / 2 - 1) as f64);
            }
        }
        // places that are not known
        curve.order(3, &[], 1);
        assert_eq!(curve.along, [0, 1, 2]);
    }
}
