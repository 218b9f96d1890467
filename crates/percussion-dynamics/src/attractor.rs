//! Which starts end on the same attractor: cycles whose points agree to a tolerance.
//!
//! A cycle is known by its number of points and by any of them: where it was entered does not matter, nor which of its points was called
//! the first. What ends on no cycle is attractor 0, whatever it is.

/// The attractors met so far, in the order they were met.
#[derive(Clone, Debug, Default)]
pub struct Attractors {
    known: Vec<Vec<Vec<f64>>>,
    cycles: Vec<usize>,
    size: Vec<f64>,
    tolerance: f64,
}

/// The largest |x| of each component over many points.
pub fn spread<'a>(points: impl Iterator<Item = &'a [f64]>) -> Vec<f64> {
    let mut size: Vec<f64> = Vec::new();
    for point in points {
        size.resize(size.len().max(point.len()), 0.0);
        for (size, x) in size.iter_mut().zip(point) {
            *size = size.max(x.abs());
        }
    }
    size
}

impl Attractors {
    /// None yet; `size` is what distances are measured by.
    pub fn new(size: Vec<f64>, tolerance: f64) -> Self {
        Self { known: Vec::new(), cycles: Vec::new(), size, tolerance }
    }

    /// The number, from 1, of the attractor that a cycle of m points is, of which some are given; a new one where it is not known.
    pub fn number(&mut self, m: usize, points: &[Vec<f64>]) -> usize {
        let near = |x: &[f64], y: &[f64]| distance(x, y, &self.size) <= self.tolerance;
        let first = points.first().map_or(&[][..], Vec::as_slice);
        let same = |(own, known): (&usize, &Vec<Vec<f64>>)| *own == m && known.iter().any(|other| near(first, other));
        if let Some(k) = self.cycles.iter().zip(&self.known).position(same) {
            return k + 1;
        }
        self.cycles.push(m);
        self.known.push(points.to_vec());
        self.known.len()
    }

    /// Points and first point of each.
    pub fn list(&self) -> impl ExactSizeIterator<Item = (usize, &[f64])> {
        self.cycles.iter().zip(&self.known).map(|(m, points)| (*m, points.first().map_or(&[][..], Vec::as_slice)))
    }
}

/// max |x − y| over the sizes of the components; a component of size zero counts nothing.
pub fn distance(x: &[f64], y: &[f64], size: &[f64]) -> f64 {
    let parts = x.iter().zip(y).zip(size).filter(|(_, size)| **size > 0.0);
    parts.map(|((x, y), size)| (x - y).abs() / size).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_told_apart() {
        let mut attractors = Attractors::new(vec![1.0, 10.0], 1e-3);
        assert_eq!(attractors.number(1, &[vec![0.5, 2.0]]), 1);
        assert_eq!(attractors.number(2, &[vec![0.5, 2.0], vec![0.1, 1.0]]), 2);
        assert_eq!(attractors.number(1, &[vec![0.5004, 2.005]]), 1);
        assert_eq!(attractors.number(1, &[vec![0.6, 2.0]]), 3);
        // the same cycle, entered at its other point
        assert_eq!(attractors.number(2, &[vec![0.1, 1.0], vec![0.5, 2.0]]), 2);
        assert_eq!(attractors.list().len(), 3);
    }
}
