//! What a step of a linear model divides by, kept by step size, and what unit impulses do through it.
//!
//!   S = M + c_C C + c_K K on the velocities the joints allow,    A_j = S⁻¹H_j,    W = c_A HᵀA

use crate::StepFailure;
use crate::contact::response::{Response, keep_few};
use crate::linear::mass::mass_factor;
use percussion_matrix::{ConstrainedFactor, Matrix};
use percussion_model::LinearModel;

/// S⁻¹ and the response columns for one step size.
pub struct Operators {
    h: f64,
    /// S⁻¹.
    pub factor: ConstrainedFactor,
    /// A, made column by column where S is not diagonal.
    pub response: Response,
}

/// The weights of damping, stiffness and responses.
#[derive(Clone, Copy)]
pub struct Weights {
    /// c_C.
    pub damping: f64,
    /// c_K.
    pub stiffness: f64,
    /// c_A.
    pub response: f64,
}

impl Operators {
    /// Those of a step of length h from t, made if h is new.
    pub fn of<'a>(
        kept: &'a mut Vec<Operators>,
        model: &LinearModel,
        (t, h): (f64, f64),
        weights: Weights,
    ) -> Result<&'a mut Operators, StepFailure> {
        if let Some(k) = kept.iter().position(|o| o.h == h) {
            return Ok(&mut kept[k]);
        }
        let mut terms = vec![(1.0, model.mass())];
        terms.extend(model.damping().map(|C| (weights.damping, C)));
        terms.extend(model.stiffness().map(|K| (weights.stiffness, K)));
        let S = Matrix::combination(model.n(), &terms);
        let factor = ConstrainedFactor::new(&S, model.J(), kept.last().map(|o| &o.factor))
            .map_err(|failure| StepFailure::singular(t, h, failure.row))?;
        let made = Self::with(model, h, factor, weights.response);
        keep_few(kept);
        kept.push(made);
        let last = kept.len() - 1;
        Ok(&mut kept[last])
    }

    /// Whether they are those of a step of length h.
    pub fn is_of(&self, h: f64) -> bool {
        self.h == h
    }

    /// Those of the mass alone, whatever the step.
    pub fn of_mass(model: &LinearModel) -> Self {
        Self::with(model, 0.0, mass_factor(model), 1.0)
    }

    fn with(model: &LinearModel, h: f64, factor: ConstrainedFactor, c_A: f64) -> Self {
        let response = match factor.diagonal() {
            Some(diagonal) => {
                let inverse: Vec<f64> = diagonal.iter().map(|d| 1.0 / d).collect();
                Response::scaled(model.H(), &inverse, None, c_A, 0.0)
            }
            None => Response::on_demand(model.H().n_cols(), c_A, 0.0),
        };
        Self { h, factor, response }
    }

    /// c_A.
    #[inline]
    pub fn weight(&self) -> f64 {
        self.response.weight()
    }

    /// Makes A_j unless it exists.
    #[inline]
    pub fn ensure(&mut self, model: &LinearModel, j: usize) {
        let Self { factor, response, .. } = self;
        response.ensure(j, model.n(), |A, _| {
            model.H().add_column(j, 1.0, A);
            factor.solve(A);
        });
    }
}
