//! Constraints that repeat others at a place: found by orthogonalising their gradients, and named.

use crate::Warning;
use crate::newton::evaluation::Evaluation;
use percussion_matrix::vector;
use percussion_model::{Code, Lagrangian};

/// Part of a unit gradient that may be left of a dependent one.
const DEPENDENT: f64 = 1e-9;

/// Gradients that do not follow from each other, made orthogonal.
#[derive(Debug, Default)]
pub struct Independent(Vec<Vec<f64>>);

impl Independent {
    /// Takes a gradient of length one in, unless it follows from those taken before; whether it was taken.
    pub fn admit(&mut self, mut rest: Vec<f64>) -> bool {
        // twice is enough for orthogonality to round-off
        for _ in 0..2 {
            for other in &self.0 {
                let along = vector::dot(other, &rest);
                vector::axpy(-along, other, &mut rest);
            }
        }
        let left = vector::norm(&rest);
        let independent = left > DEPENDENT;
        if independent {
            rest.iter_mut().for_each(|x| *x /= left);
            self.0.push(rest);
        }
        independent
    }
}

/// Joints that follow from earlier joints, and contacts that repeat earlier contacts, at the evaluated place.
pub fn redundant(model: &dyn Lagrangian, at: &Evaluation) -> Vec<Warning> {
    let (nb, nc) = (model.n_joints(), at.g.len());
    let unit = |j: usize| {
        let row = at.G.column(j);
        let length = vector::norm(row).max(f64::MIN_POSITIVE);
        row.iter().map(|x| x / length).collect::<Vec<f64>>()
    };
    let mut warnings = Vec::new();
    let mut independent = Independent::default();
    for j in (0..nb).filter(|&j| !independent.admit(unit(j))) {
        let message = format!("joint {j} follows from the others at the start; they share the load");
        warnings.push(Warning { code: Code::REDUNDANT_JOINT, message });
    }
    for j in nb..nc {
        let row = unit(j);
        let twin = (nb..j).find(|&i| {
            let same_gap = (at.g[i] - at.g[j]).abs() <= 1e-12 * (1.0 + at.g[j].abs());
            let difference: f64 = unit(i).iter().zip(&row).map(|(a, b)| (a - b).powi(2)).sum();
            same_gap && difference <= DEPENDENT * DEPENDENT
        });
        if let Some(i) = twin {
            let message = format!("contact {} repeats contact {}; they share the load evenly", j - nb, i - nb);
            warnings.push(Warning { code: Code::REDUNDANT_CONTACT, message });
        }
        // a long list helps nobody
        if warnings.len() == 20 {
            break;
        }
    }
    warnings
}
