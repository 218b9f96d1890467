//! Which starts end on the same attractor: cycles whose points agree to a tolerance.
//!
//! A cycle is known by its number of points and by its first point in the order of components, which does not depend on where the
//! cycle was entered. What ends on no cycle is attractor 0, whatever it is.

/// The attractors met so far, in the order they were met.
#[derive(Clone, Debug, Default)]
pub struct Attractors {
    known: Vec<(usize, Vec<f64>)>,
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
        Self { known: Vec::new(), size, tolerance }
    }

    /// The number, from 1, of the attractor that a cycle of m points through `first` is; a new one where it is not known.
    pub fn number(&mut self, m: usize, first: &[f64]) -> usize {
        let (size, tolerance) = (&self.size, self.tolerance);
        let near = |other: &[f64]| {
            let parts = first.iter().zip(other).zip(size).filter(|(_, size)| **size > 0.0);
            parts.map(|((x, y), size)| (x - y).abs() / size).fold(0.0, f64::max) <= tolerance
        };
        if let Some(k) = self.known.iter().position(|(points, other)| *points == m && near(other)) {
            return k + 1;
        }
        self.known.push((m, first.to_vec()));
        self.known.len()
    }

    /// Points and first point of each.
    pub fn list(&self) -> &[(usize, Vec<f64>)] {
        &self.known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_told_apart() {
        let mut attractors = Attractors::new(vec![1.0, 10.0], 1e-3);
        assert_eq!(attractors.number(1, &[0.5, 2.0]), 1);
        assert_eq!(attractors.number(2, &[0.5, 2.0]), 2);
        assert_eq!(attractors.number(1, &[0.5004, 2.005]), 1);
        assert_eq!(attractors.number(1, &[0.6, 2.0]), 3);
        assert_eq!(attractors.list().len(), 3);
    }
}
