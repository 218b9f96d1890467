//! The pages of a column of a Parquet file: which cells are there, a dictionary where values repeat, the values.
//!
//!   page = runs(present) · values,   values = plain, or places in the dictionary as runs
//!   runs = … (n ≪ 1) x for n equal values, (n/8 ≪ 1 | 1) with n values bit by bit for others …

use super::thrift::{Thrift, varint};
use std::collections::HashMap;

/// Codes of the format: plain values, runs, places in a dictionary.
pub const PLAIN: i32 = 0;
/// Runs.
pub const RUNS: i32 = 3;
/// Places in a dictionary, as runs.
pub const PLACES: i32 = 8;
/// Kinds of pages.
const DATA_PAGE: i32 = 0;
const DICTIONARY_PAGE: i32 = 2;
/// Values of a dictionary, at most.
const DICTIONARY: usize = 1 << 17;

/// A value as a page holds it.
pub trait Plain: Copy {
    /// What tells it from others: of numbers their bits.
    type Key: std::hash::Hash + Eq;
    /// That of this value.
    fn key(self) -> Self::Key;
    /// Appends it.
    fn append(self, bytes: &mut Vec<u8>);
}

impl Plain for i64 {
    type Key = Self;
    fn key(self) -> Self {
        self
    }
    fn append(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }
}

impl Plain for f64 {
    type Key = u64;
    fn key(self) -> u64 {
        self.to_bits()
    }
    fn append(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }
}

impl<'a> Plain for &'a str {
    type Key = &'a str;
    fn key(self) -> Self {
        self
    }
    fn append(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&(self.len() as u32).to_le_bytes());
        bytes.extend_from_slice(self.as_bytes());
    }
}

/// The pages of a column in a group of rows, one behind the other.
#[derive(Debug, Default)]
pub struct Pages {
    /// Headers and contents.
    pub bytes: Vec<u8>,
    /// Where the page of values begins.
    pub data: usize,
    /// Whether a dictionary comes before it.
    pub has_dictionary: bool,
}

/// The pages of a column: `present` tells for every row whether it has a value.
pub fn pages<T: Plain>(present: &[bool], values: impl Iterator<Item = T> + Clone) -> Pages {
    let mut out = Pages::default();
    let mut page = Vec::new();
    let there: Vec<u32> = present.iter().map(|&there| u32::from(there)).collect();
    let mut levels = Vec::new();
    runs(&there, 1, &mut levels);
    page.extend_from_slice(&(levels.len() as u32).to_le_bytes());
    page.append(&mut levels);
    let encoding = match dictionary(values.clone()) {
        Some((entries, places)) => {
            let mut content = Vec::new();
            entries.iter().for_each(|x| x.append(&mut content));
            let header = Thrift::write(|t| {
                t.int(1, DICTIONARY_PAGE);
                sizes(t, content.len());
                t.inner(7, |t| {
                    t.int(1, entries.len() as i32);
                    t.int(2, PLAIN);
                });
            });
            out.bytes.extend_from_slice(&header);
            out.bytes.append(&mut content);
            out.has_dictionary = true;
            let width = width(entries.len());
            page.push(width as u8);
            runs(&places, width, &mut page);
            PLACES
        }
        None => {
            values.for_each(|x| x.append(&mut page));
            PLAIN
        }
    };
    out.data = out.bytes.len();
    let header = Thrift::write(|t| {
        t.int(1, DATA_PAGE);
        sizes(t, page.len());
        t.inner(5, |t| {
            t.int(1, present.len() as i32);
            t.int(2, encoding);
            t.int(3, RUNS);
            t.int(4, RUNS);
        });
    });
    out.bytes.extend_from_slice(&header);
    out.bytes.append(&mut page);
    out
}

/// Bits of a place among so many.
fn width(entries: usize) -> u32 {
    usize::BITS - entries.saturating_sub(1).leading_zeros()
}

/// Sizes of a page, which is not compressed.
fn sizes(t: &mut Thrift, size: usize) {
    t.int(2, size as i32);
    t.int(3, size as i32);
}

/// The different values in the order in which they come, and the place of each; none where it saves less than a tenth.
fn dictionary<T: Plain>(values: impl Iterator<Item = T>) -> Option<(Vec<T>, Vec<u32>)> {
    let (mut entries, mut places) = (Vec::new(), Vec::new());
    let mut known: HashMap<T::Key, u32> = HashMap::new();
    for x in values {
        let place = *known.entry(x.key()).or_insert_with(|| {
            entries.push(x);
            entries.len() as u32 - 1
        });
        if entries.len() > DICTIONARY {
            return None;
        }
        places.push(place);
    }
    // in bits, a value having 64 or more
    let with = entries.len() * 64 + places.len() * width(entries.len()) as usize;
    (10 * with < 9 * 64 * places.len()).then_some((entries, places))
}

/// Appends numbers of `width` bits: eight or more equal ones as their count, others in groups of eight.
fn runs(list: &[u32], width: u32, bytes: &mut Vec<u8>) {
    let equal = |at: usize| list[at..].iter().take_while(|&&x| x == list[at]).count();
    let mut at = 0;
    while at < list.len() {
        let n = equal(at);
        if n >= 8 {
            varint(bytes, (n as u64) << 1);
            bytes.extend_from_slice(&list[at].to_le_bytes()[..width.div_ceil(8) as usize]);
            at += n;
            continue;
        }
        let from = at;
        while at < list.len() && equal(at) < 8 {
            at += 8;
        }
        let groups = (at - from) / 8;
        at = at.min(list.len());
        varint(bytes, (groups as u64) << 1 | 1);
        // what the last group lacks is zero, and no reader looks at it
        let (mut bits, mut n_bits) = (0u64, 0);
        let padding = 8 * groups - (at - from);
        for &x in list[from..at].iter().chain(std::iter::repeat_n(&0, padding)) {
            bits |= u64::from(x) << n_bits;
            n_bits += width;
            while n_bits >= 8 {
                bytes.push(bits as u8);
                bits >>= 8;
                n_bits -= 8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads runs as the format tells them.
    fn read(mut bytes: &[u8], width: u32, n: usize) -> Vec<u32> {
        let mut list = Vec::new();
        while list.len() < n {
            let (mut head, mut shift) = (0u64, 0);
            loop {
                let (byte, rest) = bytes.split_first().expect("a header");
                bytes = rest;
                head |= u64::from(byte & 0x7f) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    break;
                }
            }
            let count = (head >> 1) as usize;
            if head & 1 == 0 {
                let (value, rest) = bytes.split_at(width.div_ceil(8) as usize);
                let value = value.iter().rev().fold(0u32, |x, &byte| x << 8 | u32::from(byte));
                list.extend(std::iter::repeat_n(value, count));
                bytes = rest;
            } else {
                let (packed, rest) = bytes.split_at(count * width as usize);
                let bit = |k: usize| u32::from(packed[k / 8] >> (k % 8) & 1);
                let value = |i: usize| (0..width as usize).map(|k| bit(i * width as usize + k) << k).sum::<u32>();
                list.extend((0..8 * count).map(value));
                bytes = rest;
            }
        }
        assert!(bytes.is_empty(), "nothing is left");
        list.truncate(n);
        list
    }

    /// Any mixture of long and short runs is read as it was, in any width; 1 bit, as of cells that are there or not, too.
    #[test]
    fn runs_are_read_as_they_were() {
        for width in [1, 2, 3, 7, 8, 9, 12] {
            for n in [0, 1, 7, 8, 9, 64, 1000] {
                let mut x = 1u32;
                let mut list = Vec::new();
                while list.len() < n {
                    x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let times = if x >> 30 == 0 { 1 + (x >> 20) as usize % 40 } else { 1 };
                    list.extend(std::iter::repeat_n(x >> 13 & ((1 << width) - 1), times));
                }
                list.truncate(n);
                let mut bytes = Vec::new();
                runs(&list, width, &mut bytes);
                assert_eq!(read(&bytes, width, n), list, "{n} of {width} bits");
            }
        }
    }

    /// Numbers are told apart by their bits: 0 and −0 are two values. What does not repeat has no dictionary, nor has nothing.
    #[test]
    fn dictionaries() {
        let (entries, places) = dictionary([0.0, -0.0, 0.0, 0.0, 0.0, 0.0, -0.0, 0.0].into_iter()).expect("one");
        assert_eq!(entries.iter().map(|x: &f64| x.to_bits()).collect::<Vec<_>>(), [0, 1 << 63]);
        assert_eq!(places, [0, 1, 0, 0, 0, 0, 1, 0]);
        assert!(dictionary(0..10_000_i64).is_none() && dictionary([""; 0].into_iter()).is_none());
        assert!(
            dictionary((0..1_000_000_i64).map(|k| k % 200_000)).is_none()
                && dictionary([7_i64; 9].into_iter()).is_some()
        );
    }
}
