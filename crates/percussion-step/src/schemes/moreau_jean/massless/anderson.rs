//! Anderson's acceleration of a fixed point x = Φ(x).
//!
//!   x⁺ = Φ(x) − Σ γ_i ΔΦ_i,    γ minimises ‖f − Σ γ_i Δf_i‖,    f = Φ(x) − x,    over the last five differences

use percussion_matrix::vector;

/// Differences that are kept.
const DEPTH: usize = 5;
/// A difference that the later ones explain up to this part is left out.
const DEPENDENT: f64 = 1e-8;

/// The history of an iteration.
#[derive(Debug, Default)]
pub struct Anderson {
    last: Option<(Vec<f64>, Vec<f64>)>,
    /// (Δf, ΔΦ), the newest last.
    differences: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Anderson {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.last = None;
        self.differences.clear();
    }

    /// The next x, from the last one and its image.
    pub fn next(&mut self, x: &[f64], image: &[f64]) -> Vec<f64> {
        let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
        let f = minus(image, x);
        if let Some((f_last, image_last)) = self.last.replace((f.clone(), image.to_vec())) {
            if self.differences.len() == DEPTH {
                self.differences.remove(0);
            }
            self.differences.push((minus(&f, &f_last), minus(image, &image_last)));
        }
        // orthogonal parts of the differences, the newest first; γ follows by projection, ΔΦ is carried along
        let (mut rest, mut next) = (f, image.to_vec());
        let mut basis: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        for (df, d_image) in self.differences.iter().rev() {
            let (mut own, mut moved) = (df.clone(), d_image.clone());
            let size = vector::norm(&own);
            for (unit, along) in &basis {
                let c = vector::dot(unit, &own);
                vector::axpy(-c, unit, &mut own);
                vector::axpy(-c, along, &mut moved);
            }
            let length = vector::norm(&own);
            if length <= DEPENDENT * size {
                continue;
            }
            own.iter_mut().chain(&mut moved).for_each(|x| *x /= length);
            let c = vector::dot(&own, &rest);
            vector::axpy(-c, &own, &mut rest);
            vector::axpy(-c, &moved, &mut next);
            basis.push((own, moved));
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A linear map of four unknowns that plain repetition blows up is solved in five differences.
    #[test]
    fn solves_what_repetition_cannot() {
        let A = [[1.5, 0.2, -0.1, 0.0], [0.3, -1.2, 0.4, 0.1], [0.0, 0.5, 0.9, -0.7], [0.2, 0.0, 0.6, 1.8]];
        let image = |x: &[f64]| -> Vec<f64> {
            A.iter().map(|row| 1.0 + row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>()).collect()
        };
        let (mut x, mut history) = (vec![0.0; 4], Anderson::default());
        for _ in 0..8 {
            let y = image(&x);
            x = history.next(&x, &y);
        }
        let error = image(&x).iter().zip(&x).fold(0.0, |e: f64, (y, x)| e.max((y - x).abs()));
        assert!(error <= 1e-12, "{error:e}");
    }
}
