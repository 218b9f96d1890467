//! The columns of the page in one block: bytes of equal weight side by side, deflated, as base64.
//!
//!   column of n numbers of b bytes → b planes of n bytes;   film: x → round((x − low)/range · (2^bits − 1)) → differences in time
//!
//! Signs and exponents of neighbours are alike, so their planes shrink to little; what is noise in the last digits does
//! not. A reference to a column is `[kind, offset, count]`; each different column is there once.

use crate::base64::base64;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Effort of the deflation, of 10; more costs time and gains a hundredth.
const LEVEL: u8 = 6;

/// Columns in the making.
#[derive(Default)]
pub struct Pack {
    block: Vec<u8>,
    known: HashMap<Vec<u8>, usize>,
}

impl Pack {
    /// Numbers of eight bytes, for what becomes a file again.
    pub fn doubles(&mut self, values: impl Iterator<Item = f64>) -> Value {
        let words: Vec<[u8; 8]> = values.map(f64::to_le_bytes).collect();
        self.add("f64", words.len(), planes(&words))
    }

    /// Numbers of four bytes: seven digits, enough for every pixel.
    pub fn singles(&mut self, values: impl Iterator<Item = f64>) -> Value {
        let words: Vec<[u8; 4]> = values.map(|x| (x as f32).to_le_bytes()).collect();
        self.add("f32", words.len(), planes(&words))
    }

    /// Series in the order of time, each on 2^bits levels of its own range, 16 or 24 bits: every series after the other,
    /// as differences modulo 2^bits with the sign in the lowest bit.
    pub fn levels(&mut self, series: &[Vec<f64>], bits: u32) -> Value {
        let frames = series.first().map_or(0, Vec::len);
        let top = f64::from((1_u32 << bits) - 1);
        let (mut lows, mut sizes) = (Vec::new(), Vec::new());
        let mut words: Vec<[u8; 4]> = Vec::with_capacity(frames * series.len());
        for values in series {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let step = if high > low { (high - low) / top } else { 0.0 };
            let mut before = 0_i32;
            for x in values {
                let level = if step > 0.0 { ((x - low) / step).round() as i32 } else { 0 };
                let sign_extended = (level - before) << (32 - bits) >> (32 - bits);
                words.push((((sign_extended << 1) ^ (sign_extended >> 31)) as u32).to_le_bytes());
                before = level;
            }
            lows.push(low);
            sizes.push(step);
        }
        let bytes = planes(&words)[..words.len() * (bits / 8) as usize].to_vec();
        json!({
            "bits": bits,
            "low": self.doubles(lows.into_iter()),
            "step": self.doubles(sizes.into_iter()),
            "values": self.add("bytes", bytes.len(), bytes),
        })
    }

    /// The block as text.
    pub fn text(&self) -> String {
        base64(&miniz_oxide::deflate::compress_to_vec(&self.block, LEVEL))
    }

    fn add(&mut self, kind: &str, count: usize, bytes: Vec<u8>) -> Value {
        let at = *self.known.entry(bytes).or_insert_with_key(|bytes| {
            let at = self.block.len();
            self.block.extend_from_slice(bytes);
            at
        });
        json!([kind, at, count])
    }
}

// the first bytes of all words, then the second ones, …
fn planes<const B: usize>(words: &[[u8; B]]) -> Vec<u8> {
    (0..B).flat_map(|k| words.iter().map(move |word| word[k])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(pack: &Pack) -> Vec<u8> {
        let deflated = miniz_oxide::deflate::compress_to_vec(&pack.block, LEVEL);
        miniz_oxide::inflate::decompress_to_vec(&deflated).expect("what was deflated")
    }

    /// The planes put together again are the numbers, bit by bit; a column that is there already is not added.
    #[test]
    fn doubles_come_back() {
        let values = [1.0, -0.1, f64::NAN, 1e-300, 0.0, -0.0];
        let mut pack = Pack::default();
        let at = pack.doubles(values.iter().copied());
        assert_eq!(pack.doubles(values.iter().copied()), at);
        assert_eq!(at, json!(["f64", 0, 6]));
        let block = block(&pack);
        assert_eq!(block.len(), 48);
        for (i, x) in values.iter().enumerate() {
            let back = f64::from_le_bytes(std::array::from_fn(|k| block[k * 6 + i]));
            assert_eq!(back.to_bits(), x.to_bits());
        }
    }

    /// Levels and differences undone as the viewer does it: half a level of error at most, constants exactly.
    #[test]
    fn films_come_back() {
        let wave = |k: usize| (k as f64 * 0.7).sin() * if k.is_multiple_of(5) { -3.0 } else { 2.0 };
        let series = vec![(0..40).map(wave).collect(), vec![0.25; 40], (0..40).map(|k| 1e3 + wave(3 * k)).collect()];
        for bits in [16_u32, 24] {
            let mut pack = Pack::default();
            let film = pack.levels(&series, bits);
            let block = block(&pack);
            let number = |field: &str, j: usize| {
                let at = film[field][1].as_u64().expect("an offset") as usize;
                f64::from_le_bytes(std::array::from_fn(|k| block[at + 3 * k + j]))
            };
            let at = film["values"][1].as_u64().expect("an offset") as usize;
            for (j, values) in series.iter().enumerate() {
                let (low, step) = (number("low", j), number("step", j));
                let mut level = 0_i64;
                for (i, x) in values.iter().enumerate() {
                    let word = (0..bits as usize / 8)
                        .fold(0_u32, |w, k| w | u32::from(block[at + 120 * k + 40 * j + i]) << (8 * k));
                    let difference = i64::from(word >> 1) ^ -i64::from(word & 1);
                    level = (level + difference).rem_euclid(1 << bits);
                    let back = low + step * level as f64;
                    assert!((back - x).abs() <= 0.5001 * step, "{bits} bits: {back} for {x}");
                }
            }
        }
    }
}
