//! What a program hands over beside the tables of a scenario: matrices too large to write out, a model of its own.

use percussion_matrix::Matrix;
use percussion_model::Lagrangian;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Parts of a scenario that are not text.
#[derive(Clone, Debug, Default)]
pub struct Attachments {
    /// Matrices, each under the name that stands in `{ file = "NAME" }`; they go before files of that name.
    pub matrices: BTreeMap<String, Matrix>,
    /// The model of `kind = "own"`, with the names of its parts in messages.
    pub model: Option<Arc<dyn Lagrangian>>,
}
