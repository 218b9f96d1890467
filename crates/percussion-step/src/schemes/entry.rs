//! The row of a scheme in the list.

use crate::schemes::equations::Equations;
use crate::schemes::options::SchemeOptions;
use crate::{FrictionLaw, Warning};
use percussion_model::{InputError, Key};
use std::sync::Arc;

/// From what was written to the scheme's equations; remarks go to the list.
pub type Resolve = fn(&SchemeOptions, &mut Vec<Warning>) -> Result<Arc<dyn Equations>, InputError>;

/// One row of the list of schemes.
#[derive(Debug)]
pub struct SchemeEntry {
    /// The word in a scenario.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The keys it takes.
    pub parameters: &'static [Key],
    /// The one friction law it stands for, where the name says so.
    pub only_law: Option<FrictionLaw>,
    /// Its equations from what was written.
    pub resolve: Resolve,
}

impl SchemeEntry {
    /// Whether it takes the key of that name.
    pub fn takes(&self, name: &str) -> bool {
        self.parameters.iter().any(|key| key.name == name)
    }

    /// The names of the keys it takes.
    pub fn parameter_names(&self) -> Vec<&'static str> {
        self.parameters.iter().map(|key| key.name).collect()
    }
}
