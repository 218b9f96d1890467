//! Which faces of two surfaces are near each other: boxes sorted along the longest axis.

use crate::bodies::math::Vec3;

/// The box of some points.
#[derive(Clone, Copy, Debug)]
pub(in crate::solid) struct Extent {
    low: Vec3,
    high: Vec3,
}

impl Extent {
    pub fn of(points: impl IntoIterator<Item = Vec3>) -> Self {
        let mut own = Self { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };
        for x in points {
            for k in 0..3 {
                own.low[k] = own.low[k].min(x[k]);
                own.high[k] = own.high[k].max(x[k]);
            }
        }
        own
    }

    fn near(&self, other: &Self, reach: f64) -> bool {
        (0..3).all(|k| self.low[k] <= other.high[k] + reach && other.low[k] <= self.high[k] + reach)
    }
}

/// Boxes that can be asked for those near a box.
pub(in crate::solid) struct Boxes {
    axis: usize,
    /// Largest extent of a box along the axis.
    longest: f64,
    /// Sorted by their low end along the axis.
    sorted: Vec<(Extent, usize)>,
}

impl Boxes {
    pub fn new(boxes: Vec<Extent>) -> Self {
        let all = Extent::of(boxes.iter().flat_map(|b| [b.low, b.high]));
        let length = |k: usize| all.high[k] - all.low[k];
        let axis = (1..3).fold(0, |best, k| if length(k) > length(best) { k } else { best });
        let longest = boxes.iter().map(|b| b.high[axis] - b.low[axis]).fold(0.0, f64::max);
        let mut sorted: Vec<_> = boxes.into_iter().zip(0..).collect();
        sorted.sort_by(|(a, _), (b, _)| a.low[axis].total_cmp(&b.low[axis]));
        Self { axis, longest, sorted }
    }

    /// Numbers of the boxes within reach of a box, ascending.
    pub fn near(&self, own: &Extent, reach: f64) -> Vec<usize> {
        let k = self.axis;
        let from = own.low[k] - reach - self.longest;
        let start = self.sorted.partition_point(|(b, _)| b.low[k] < from);
        let within = self.sorted[start..].iter().take_while(|(b, _)| b.low[k] <= own.high[k] + reach);
        let mut found: Vec<usize> = within.filter(|(b, _)| own.near(b, reach)).map(|&(_, i)| i).collect();
        found.sort_unstable();
        found
    }
}
