//! Cycles among the points of a section: the smallest m with x_{k+m} = x_k to a tolerance over the last points.
//!
//!   |x_{k+m} − x_k| ≤ ε · size   for the last max(2m, 8) points,   size = the largest |x| of each component, at least 1e-6 of all

use crate::attractor::distance;

/// A cycle of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Cycle {
    /// m, the points in it.
    pub points: usize,
    /// The largest difference over the size, within the tolerance.
    pub closure: f64,
}

/// Points compared at least.
const FEWEST: usize = 8;

/// The shortest cycle of at most `longest` points that the last points of a list repeat; the first `skip` components of a point
/// (its time) do not count.
pub fn cycle(values: &[f64], width: usize, skip: usize, longest: usize, tolerance: f64) -> Option<Cycle> {
    let points: Vec<&[f64]> = values.chunks_exact(width.max(1)).map(|point| &point[skip.min(width)..]).collect();
    let size = sizes(&points);
    (1..=longest).find_map(|m| {
        let compared = (2 * m).max(FEWEST);
        let from = points.len().checked_sub(compared + m)?;
        let closure = (from..from + compared).map(|k| distance(points[k], points[k + m], &size)).fold(0.0, f64::max);
        (closure <= tolerance).then_some(Cycle { points: m, closure })
    })
}

/// A component smaller than this part of the largest is round-off.
const ROUND_OFF: f64 = 1e-6;

/// The largest |x| of each component; no less than what counts beside the others.
fn sizes(points: &[&[f64]]) -> Vec<f64> {
    let mut size = vec![0.0_f64; points.first().map_or(0, |point| point.len())];
    for point in points {
        for (size, x) in size.iter_mut().zip(*point) {
            *size = size.max(x.abs());
        }
    }
    let least = ROUND_OFF * size.iter().copied().fold(0.0, f64::max);
    size.iter_mut().for_each(|size| *size = size.max(least));
    size
}

/// The Hausdorff distance of two sets of numbers: how far any of one is from the nearest of the other.
pub fn set_distance(a: &[f64], b: &[f64]) -> f64 {
    let sorted = |x: &[f64]| {
        let mut x = x.to_vec();
        x.sort_by(f64::total_cmp);
        x
    };
    let (a, b) = (sorted(a), sorted(b));
    let from = |a: &[f64], b: &[f64]| {
        let nearest = |x: &f64| {
            let k = b.partition_point(|y| y < x);
            let gap = |k: Option<usize>| k.and_then(|k| b.get(k)).map_or(f64::INFINITY, |y| (x - y).abs());
            gap(Some(k)).min(gap(k.checked_sub(1)))
        };
        a.iter().map(nearest).fold(0.0, f64::max)
    };
    from(&a, &b).max(from(&b, &a))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The logistic map: a fixed point, cycles of 2, 4 and 3, and none in the chaos at r = 4.
    #[test]
    fn cycles_of_the_logistic_map() {
        for (r, expected) in [(2.8, Some(1)), (3.2, Some(2)), (3.5, Some(4)), (3.83, Some(3)), (4.0, None)] {
            let mut x = 0.3;
            let mut values = Vec::new();
            for k in 0..4000 {
                x = r * x * (1.0 - x);
                if k >= 3900 {
                    values.extend([k as f64, x]);
                }
            }
            assert_eq!(cycle(&values, 2, 1, 16, 1e-6).map(|c| c.points), expected, "r = {r}");
        }
    }

    /// A component that is nothing but round-off does not hide a cycle.
    #[test]
    fn round_off_is_no_motion() {
        let values: Vec<f64> = (0..40).flat_map(|k| [f64::from(k), 1e-16 * f64::from(k * 7 % 5), 1.5]).collect();
        assert_eq!(cycle(&values, 3, 1, 16, 1e-4).map(|c| c.points), Some(1));
    }

    #[test]
    fn distances_of_sets() {
        assert_eq!(set_distance(&[0.0, 1.0], &[1.0, 0.0]), 0.0);
        assert_eq!(set_distance(&[0.0, 1.0], &[0.25]), 0.75);
        assert_eq!(set_distance(&[0.0], &[0.0, 5.0]), 5.0);
    }
}
