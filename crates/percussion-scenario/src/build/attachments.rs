//! What a program hands over beside the tables of a scenario: matrices too large to write out, files, a model, schemes and
//! laws of its own. A run folder names them; to read it back the program hands them over again.

use percussion_matrix::Matrix;
use percussion_model::{Code, InputError, Lagrangian};
use percussion_step::{ImpactLaw, SCHEMES, Scheme, SchemeEntry, SchemeOptions, Warning};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Parts of a scenario that are not text.
#[derive(Clone, Debug, Default)]
pub struct Attachments {
    /// Matrices, each under the name that stands in `{ file = "NAME" }`; they go before files of that name.
    pub matrices: BTreeMap<String, Matrix>,
    /// Files by name, such as the mesh of a solid; they go before files of that name.
    pub files: BTreeMap<String, Arc<[u8]>>,
    /// The model of `kind = "own"`, with the names of its parts in messages.
    pub model: Option<Arc<dyn Lagrangian>>,
    /// Schemes that `[scheme] name` may name beside those of the library.
    pub schemes: Vec<&'static SchemeEntry>,
    /// Laws that `[scheme] impact_law` may name.
    pub laws: Vec<ImpactLaw>,
}

impl Attachments {
    /// The names that `[scheme] name` may have.
    pub fn scheme_names(&self) -> impl Iterator<Item = &'static str> + Clone {
        SCHEMES.iter().chain(&self.schemes).map(|entry| entry.name)
    }

    /// The scheme of that name with what was written about it, its law of impact included.
    pub fn scheme(&self, name: &str, options: &SchemeOptions) -> Result<(Scheme, Vec<Warning>), InputError> {
        let list: Vec<&'static SchemeEntry> = SCHEMES.iter().chain(&self.schemes).copied().collect();
        let (scheme, warnings) = Scheme::resolve_among(&list, name, options)?;
        let Some(wanted) = &options.impact_law else { return Ok((scheme, warnings)) };
        let Some(&law) = self.laws.iter().find(|law| law.name == wanted.as_str()) else {
            let message = format!("no law of impact \"{wanted}\" was handed over");
            let help = "remove the key for Newton's law, or hand over the law in a program (Attachments::laws)";
            return Err(InputError::new(Code::BAD_PARAMETER, "scheme.impact_law", message, help));
        };
        Ok((scheme.with_impact_law(law), warnings))
    }
}
