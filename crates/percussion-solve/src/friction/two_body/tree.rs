//! Sums by a fixed tree: whoever adds, the same numbers are added in the same order.
//!
//!   32 numbers:   x_k ← x_k + x_{k+16},   k < 16,   then 8, 4, 2, 1
//!
//! and the sums of groups of 32 are grouped again, with zeros where the last group is not full. A warp of a GPU adds in this order.

use crate::friction::two_body::lanes::{LANES, Lanes};

/// Numbers of a group.
pub(crate) const GROUP: usize = 32;

/// The sum of a group, number by number; the group is used up.
#[inline]
pub(crate) fn halved<const N: usize>(group: &mut [[f64; N]; GROUP]) -> [f64; N] {
    let mut half = GROUP / 2;
    while half > 0 {
        let (low, high) = group.split_at_mut(half);
        for (x, y) in low.iter_mut().zip(high) {
            x.iter_mut().zip(y).for_each(|(x, y)| *x += *y);
        }
        half /= 2;
    }
    group[0]
}

/// The same of a group that lies in lanes, four numbers each.
#[inline(always)]
pub(crate) fn halved_lanes(x: [Lanes; GROUP / LANES]) -> f64 {
    let four = [x[0] + x[4], x[1] + x[5], x[2] + x[6], x[3] + x[7]];
    let [a, b, c, d] = ((four[0] + four[2]) + (four[1] + four[3])).to_array();
    (a + c) + (b + d)
}

/// The sum of `count` numbers, or of as many rows of N.
pub(crate) fn tree_sum<const N: usize>(count: usize, number: impl Fn(usize) -> [f64; N]) -> [f64; N] {
    let mut height = 0;
    while GROUP.pow(height) < count {
        height += 1;
    }
    if count == 0 { [0.0; N] } else { node(count, &number, height, 0) }
}

/// The sum of group `index` at a height; height 0 are the numbers themselves.
fn node<const N: usize>(count: usize, number: &impl Fn(usize) -> [f64; N], height: u32, index: usize) -> [f64; N] {
    if height == 0 {
        return number(index);
    }
    let below = GROUP.pow(height - 1);
    let mut group = [[0.0; N]; GROUP];
    for (k, sum) in group.iter_mut().enumerate().take_while(|(k, _)| (GROUP * index + k) * below < count) {
        *sum = node(count, number, height - 1, GROUP * index + k);
    }
    halved(&mut group)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole numbers add up exactly in any order, so every one must be there once.
    #[test]
    fn every_number_is_added_once() {
        for count in [0, 1, 31, 32, 33, 1023, 1024, 1025, 40_000] {
            let [sum, twice] = tree_sum(count, |k| [k as f64, 2.0 * k as f64]);
            assert_eq!(sum, (count * count.saturating_sub(1) / 2) as f64);
            assert_eq!(twice, 2.0 * sum);
        }
    }

    /// Groups in lanes are added in the same order, to the last bit.
    #[test]
    fn lanes_are_groups() {
        let x: [f64; GROUP] = std::array::from_fn(|k| 1.0 / (1.0 + (k * k) as f64));
        let lanes = std::array::from_fn(|k| Lanes::new([x[4 * k], x[4 * k + 1], x[4 * k + 2], x[4 * k + 3]]));
        assert_eq!(halved(&mut x.map(|x| [x]))[0].to_bits(), halved_lanes(lanes).to_bits());
        assert_eq!(tree_sum(GROUP, |k| [x[k]])[0].to_bits(), halved_lanes(lanes).to_bits());
    }
}
