//! The rows of a contact problem on a linear model, and W, which changes only with them and the step size.

use crate::contact::response::Response;
use crate::schemes::landing::contact_problem::ContactProblem;
use crate::{StepFailure, linear::operators::Operators};
use percussion_model::LinearModel;

/// Contacts of a coupled system at once: W is then a full matrix.
const LARGEST_DENSE: usize = 20_000;
/// The same in rows, with friction.
const LARGEST_FRICTIONAL: usize = 3_000;

/// The columns of H behind the rows of a problem.
#[derive(Debug, Default)]
pub struct Rows {
    /// Column of H of each row; none for padding.
    pub columns: Vec<Option<usize>>,
    /// The contacts.
    pub index: Vec<usize>,
    /// The contacts and the step size for which W was made.
    made_for: (Vec<usize>, Option<u64>),
}

impl Rows {
    /// The rows of the contacts of the index.
    pub fn list(&mut self, model: &LinearModel, d: usize) {
        self.columns.clear();
        for &i in &self.index {
            self.columns.push(Some(i));
            let tangents = if model.contacts()[i].friction > 0.0 { model.tangent_columns(i) } else { 0..0 };
            self.columns.extend((0..d - 1).map(|k| tangents.clone().nth(k)));
        }
    }

    /// W of the problem, unless it is that of the last step; μ is that of the model where `frictional` says so.
    pub fn assemble(
        &mut self,
        model: &LinearModel,
        operators: &mut Operators,
        problem: &mut ContactProblem,
        (t, h): (f64, f64),
        frictional: impl Fn(usize) -> bool,
    ) -> Result<(), StepFailure> {
        let key = h.to_bits();
        let same = self.made_for.1 == Some(key) && self.made_for.0 == self.index;
        let mu = |i: usize| if frictional(i) { model.contacts()[i].friction } else { 0.0 };
        problem.law.problem.mu.clear();
        problem.law.problem.mu.extend(self.index.iter().map(|&i| mu(i)));
        if same {
            return Ok(());
        }
        let (n, d) = (self.index.len(), problem.dim());
        for j in self.columns.iter().flatten() {
            operators.ensure(model, *j);
        }
        let response: &Response = &operators.response;
        let largest = if d == 1 { LARGEST_DENSE } else { LARGEST_FRICTIONAL / d };
        if response.delassus_is_dense(n) && n > largest {
            return Err(StepFailure::too_large(t, h, n, largest));
        }
        if d == 1 {
            response.delassus(model.G(), &self.index, &mut problem.lcp.W);
            problem.lcp.ids.clone_from(&self.index);
            problem.lcp.revision += 1;
        } else {
            problem.law.problem.ids.clone_from(&self.index);
            problem.set_operator(&self.columns, &response.delassus_rows(model.H(), &self.columns));
        }
        self.made_for.0.clone_from(&self.index);
        self.made_for.1 = Some(key);
        Ok(())
    }

    /// Hᵀv of a row.
    #[inline]
    pub fn rate(&self, model: &LinearModel, row: usize, v: &[f64]) -> f64 {
        self.columns[row].map_or(0.0, |column| model.H().column_dot(column, v))
    }
}
