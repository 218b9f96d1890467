//! A curve of bounded size: the samples themselves while they are few, then six per bucket: the first, the lowest, the
//! highest, the last, and the two neighbours furthest apart, so that a jump stays as steep as it was.
//!
//! Buckets are equal in time, so a burst of short steps costs no more room than it has pixels. When time runs past the
//! last bucket the width doubles and neighbours merge. Extremes survive every merge with their own times.

/// The most points a curve keeps.
pub const MAX_POINTS: usize = 2000;
/// Each bucket shows up to six points.
const BUCKETS: u64 = MAX_POINTS as u64 / 6;
/// Beyond this a number is an accident, and differences would overflow.
const HUGE: f64 = 1e150;

/// Whether a number can be drawn: finite and at most 1e150.
pub fn is_drawable(x: f64) -> bool {
    x.abs() <= HUGE
}

/// One sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Time [s].
    pub t: f64,
    /// Value.
    pub y: f64,
    /// A stroke begins here: no line from the point before.
    pub starts: bool,
    /// Number of the sample, which orders samples of equal time.
    pub(crate) number: u64,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    index: u64,
    first: Point,
    low: Point,
    high: Point,
    last: Point,
    /// The largest change from one sample to the next; twice the same sample when there is but one.
    jump: (Point, Point),
}

impl Bucket {
    fn new(index: u64, p: Point) -> Self {
        Self { index, first: p, low: p, high: p, last: p, jump: (p, p) }
    }

    // the same as absorbing a bucket of one, which is what nearly every push does
    #[inline]
    fn add(&mut self, p: Point) {
        if p.y < self.low.y {
            self.low = p;
        } else if p.y > self.high.y {
            self.high = p;
        }
        if size((self.last, p)) > size(self.jump) {
            self.jump = (self.last, p);
        }
        self.last = p;
    }

    fn absorb(&mut self, later: &Bucket) {
        if later.low.y < self.low.y {
            self.low = later.low;
        }
        if later.high.y > self.high.y {
            self.high = later.high;
        }
        for jump in [(self.last, later.first), later.jump] {
            if size(jump) > size(self.jump) {
                self.jump = jump;
            }
        }
        self.last = later.last;
    }
}

fn size((a, b): (Point, Point)) -> f64 {
    (b.y - a.y).abs()
}

/// A curve in constant memory.
#[derive(Clone, Debug, Default)]
pub struct Series {
    samples: Vec<Point>,
    buckets: Vec<Bucket>,
    start: f64,
    width: f64,
    /// Where the last bucket ends.
    until: f64,
    seen: u64,
    skipped: u64,
    broken: bool,
}

impl Series {
    /// An empty curve.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a sample; a value that is not a number, infinite or beyond 1e150 is counted and left out.
    #[inline]
    pub fn push(&mut self, t: f64, y: f64) {
        if !is_drawable(t) || !is_drawable(y) {
            self.skipped += 1;
            self.broken = true;
            return;
        }
        let point = Point { t, y, starts: self.broken || self.seen == 0, number: self.seen };
        self.seen += 1;
        self.broken = false;
        // most samples fall into the last bucket; time that runs backwards stays there too
        if let Some(last) = self.buckets.last_mut() {
            if t < self.until {
                return last.add(point);
            }
            return self.collect(point);
        }
        self.samples.push(point);
        if self.samples.len() > MAX_POINTS {
            self.overflow();
        }
    }

    /// The next sample begins a new stroke.
    pub fn interrupt(&mut self) {
        self.broken = true;
    }

    /// Whether every sample is still there.
    pub fn is_exact(&self) -> bool {
        self.buckets.is_empty()
    }

    /// Whether nothing can be drawn.
    pub fn is_empty(&self) -> bool {
        self.seen == 0
    }

    /// Samples left out because they were not finite.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The points to draw, at most [`MAX_POINTS`], in the order they came.
    pub fn points(&self) -> Vec<Point> {
        let mut points = self.samples.clone();
        for b in &self.buckets {
            let mut six = [b.first, b.low, b.high, b.last, b.jump.0, b.jump.1];
            six.sort_by_key(|p| p.number);
            for p in six {
                if points.last().is_none_or(|q: &Point| q.number < p.number) {
                    points.push(p);
                }
            }
        }
        points
    }

    /// The highest point of each bucket (each sample while exact): what stems show.
    pub fn peaks(&self) -> Vec<Point> {
        self.samples.iter().copied().chain(self.buckets.iter().map(|b| b.high)).collect()
    }

    /// How far it goes: its highest value less its lowest.
    pub fn extent(&self) -> f64 {
        let ends = self.samples.iter().map(|p| (p.y, p.y)).chain(self.buckets.iter().map(|b| (b.low.y, b.high.y)));
        let (low, high) =
            ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), (low, high)| (a.min(low), b.max(high)));
        (high - low).max(0.0)
    }

    /// The last value.
    pub fn last(&self) -> Option<f64> {
        self.buckets.last().map(|b| b.last.y).or(self.samples.last().map(|p| p.y))
    }

    /// The first value.
    pub fn first(&self) -> Option<f64> {
        self.buckets.first().map(|b| b.first.y).or(self.samples.first().map(|p| p.y))
    }

    // from samples to buckets, half of them free
    fn overflow(&mut self) {
        let samples = std::mem::take(&mut self.samples);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for p in &samples {
            low = low.min(p.t);
            high = high.max(p.t);
        }
        self.start = low;
        self.width = ((high - low) / (BUCKETS / 2) as f64).max(f64::MIN_POSITIVE);
        for p in samples {
            self.collect(p);
        }
    }

    fn collect(&mut self, p: Point) {
        let mut index = self.index(p.t);
        while index >= BUCKETS {
            self.widen();
            index = self.index(p.t);
        }
        match self.buckets.last_mut() {
            Some(last) if index <= last.index => last.add(p),
            _ => self.buckets.push(Bucket::new(index, p)),
        }
        let index = self.buckets.last().map_or(0, |b| b.index);
        self.until = self.start + (index + 1) as f64 * self.width;
    }

    fn index(&self, t: f64) -> u64 {
        ((t - self.start) / self.width) as u64
    }

    fn widen(&mut self) {
        self.width *= 2.0;
        let mut merged: Vec<Bucket> = Vec::with_capacity(BUCKETS as usize);
        for mut b in std::mem::take(&mut self.buckets) {
            b.index /= 2;
            match merged.last_mut() {
                Some(last) if last.index == b.index => last.absorb(&b),
                _ => merged.push(b),
            }
        }
        self.buckets = merged;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A million samples with one spike each way: bounded, both spikes kept, ends kept, order kept.
    #[test]
    fn extremes_survive() {
        let mut s = Series::new();
        for k in 0..1_000_000u32 {
            let y = match k {
                123_457 => 7.0,
                876_543 => -9.0,
                _ => (k as f64 * 0.01).sin(),
            };
            s.push(k as f64 * 1e-3, y);
        }
        let points = s.points();
        assert!(points.len() <= MAX_POINTS && points.len() > MAX_POINTS / 6, "{}", points.len());
        assert!(points.iter().any(|p| p.y == 7.0 && p.t == 123_457.0 * 1e-3));
        assert!(points.iter().any(|p| p.y == -9.0 && p.t == 876_543.0 * 1e-3));
        assert!(points.windows(2).all(|w| w[0].t < w[1].t));
        assert_eq!((points[0].t, points[points.len() - 1].t), (0.0, 999_999.0 * 1e-3));
        assert!(s.peaks().len() <= BUCKETS as usize);
    }

    /// A drop between two samples, neither of them an extreme of its bucket, stays between these two.
    #[test]
    fn jumps_stay_steep() {
        let mut s = Series::new();
        for k in 0..50_000 {
            let ramp = (k as f64) * 1e-3;
            s.push(k as f64, if k < 30_011 { 100.0 - ramp } else { 50.0 - ramp });
        }
        let points = s.points();
        let at = points.iter().position(|p| p.t == 30_010.0).expect("the sample before the drop");
        assert_eq!(points[at + 1].t, 30_011.0);
    }

    /// Few samples are all there, equal times in the order they came.
    #[test]
    fn few_samples_are_exact() {
        let mut s = Series::new();
        for (t, y) in [(0.0, 1.0), (1.0, -2.0), (1.0, 1.6), (2.0, 0.0)] {
            s.push(t, y);
        }
        assert!(s.is_exact());
        let ys: Vec<f64> = s.points().iter().map(|p| p.y).collect();
        assert_eq!(ys, [1.0, -2.0, 1.6, 0.0]);
    }

    /// A burst of tiny steps does not starve the long flight after it.
    #[test]
    fn bursts_do_not_starve_the_rest() {
        let mut s = Series::new();
        for k in 0..100_000 {
            s.push(k as f64 * 1e-9, 0.0);
        }
        for k in 1..=400 {
            s.push(k as f64, (k % 2) as f64);
        }
        assert!(s.points().len() <= MAX_POINTS);
        assert!(s.points().iter().filter(|p| p.t >= 1.0).count() >= 240);
    }

    /// What cannot be drawn is counted, and the line is interrupted there.
    #[test]
    fn not_finite_is_counted() {
        let mut s = Series::new();
        for y in [1.0, f64::NAN, f64::INFINITY, 1e300, 2.0] {
            s.push(0.0, y);
        }
        s.push(f64::NAN, 1.0);
        assert_eq!((s.skipped(), s.points().len()), (4, 2));
        assert!(s.points()[1].starts);
    }

    /// Time that stands still, runs backwards or leaps by 1e100 neither hangs nor grows.
    #[test]
    fn strange_times() {
        let mut s = Series::new();
        for k in 0..5000 {
            s.push(1.0, k as f64);
        }
        for k in 0..5000 {
            s.push(-(k as f64), 0.0);
        }
        s.push(1e100, 3.0);
        assert!(s.points().len() <= MAX_POINTS);
        assert_eq!(s.last(), Some(3.0));
    }
}
