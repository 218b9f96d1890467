//! The laws of frictional contacts, by name.

use crate::schemes::SchemeEntry;
use crate::schemes::options::{SchemeOptions, parameter};
use percussion_model::{Code, InputError};

/// What frictional contacts obey.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionLaw {
    /// Frémond at impacts, Coulomb in persistent contact, the work tested; the default.
    #[default]
    Checked,
    /// Newton's restitution with Coulomb's law on the velocity after the step; it can create energy.
    Newton,
    /// Coulomb's law on u_{k+θ}; it cannot.
    Fremond,
}

impl FrictionLaw {
    /// The words in a scenario.
    pub const NAMES: [&'static str; 3] = ["checked", "newton", "fremond"];

    /// The word in a scenario.
    pub fn name(self) -> &'static str {
        match self {
            Self::Checked => "checked",
            Self::Newton => "newton",
            Self::Fremond => "fremond",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Checked, Self::Newton, Self::Fremond].into_iter().find(|law| law.name() == name)
    }
}

/// The law a user wrote, or the scheme's own.
pub(crate) fn friction_law(entry: &SchemeEntry, options: &SchemeOptions) -> Result<FrictionLaw, InputError> {
    let Some(name) = &options.friction_law else { return Ok(entry.only_law.unwrap_or_default()) };
    let Some(law) = FrictionLaw::from_name(name) else {
        let message = format!("friction_law = \"{name}\" does not exist");
        return Err(parameter("friction_law", message, "use \"checked\", \"newton\" or \"fremond\""));
    };
    if entry.only_law.is_some_and(|only| only != law) {
        let message = format!("{} is moreau-jean with Frémond's law, not with \"{name}\"", entry.name);
        let help = "use name = \"moreau-jean\", or remove friction_law";
        return Err(InputError::new(Code::CONTRADICTION, "scheme.friction_law", message, help));
    }
    Ok(law)
}
