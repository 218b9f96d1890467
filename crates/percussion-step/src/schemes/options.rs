//! What a user may write about a scheme, and what is refused before any scheme looks at it.

use crate::schemes::{SchemeEntry, keys};
use percussion_model::{Code, InputError, Key};

/// A value as it was written.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    /// A number.
    Number(f64),
    /// A whole number.
    Integer(i64),
    /// A word.
    Word(String),
}

/// A type that a written value may become.
trait Reads: Sized {
    fn read(value: &Written) -> Option<Self>;
}

impl Reads for f64 {
    fn read(value: &Written) -> Option<Self> {
        match value {
            Written::Number(x) => Some(*x),
            Written::Integer(k) => Some(*k as f64),
            Written::Word(_) => None,
        }
    }
}

impl Reads for i64 {
    fn read(value: &Written) -> Option<Self> {
        match value {
            Written::Integer(k) => Some(*k),
            Written::Number(_) | Written::Word(_) => None,
        }
    }
}

impl Reads for u32 {
    fn read(value: &Written) -> Option<Self> {
        i64::read(value).and_then(|k| u32::try_from(k).ok())
    }
}

impl Reads for String {
    fn read(value: &Written) -> Option<Self> {
        match value {
            Written::Word(word) => Some(word.clone()),
            Written::Number(_) | Written::Integer(_) => None,
        }
    }
}

/// One row per key: the field, what was written of it, and its setting by name.
macro_rules! options {
    ($($(#[$doc:meta])* $key:ident: $kind:ty = $row:expr,)*) => {
        /// What a user may write about a scheme; everything is optional.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct SchemeOptions { $($(#[$doc])* pub $key: Option<$kind>,)* }

        impl SchemeOptions {
            /// Their rows, in the order of the fields; a default that differs from scheme to scheme is left open.
            pub const KEYS: &[Key] = &[$($row),*];

            /// The names that were written.
            pub fn written(&self) -> Vec<&'static str> {
                let mut names = Vec::new();
                $(if self.$key.is_some() { names.push(stringify!($key)); })*
                names
            }

            /// Sets the key of that name; false where there is none or the value is of another kind.
            pub fn set(&mut self, name: &str, value: &Written) -> bool {
                $(if name == stringify!($key) {
                    self.$key = <$kind>::read(value);
                    return self.$key.is_some();
                })*
                false
            }
        }
    };
}

const AS_THE_SCHEME: &str = "as the scheme has it";

options! {
    /// θ of Moreau–Jean.
    theta: f64 = keys::THETA,
    /// β of the Newmark family.
    beta: f64 = keys::absent(keys::BETA, AS_THE_SCHEME),
    /// γ of the Newmark family.
    gamma: f64 = keys::absent(keys::GAMMA, AS_THE_SCHEME),
    /// α of HHT, positive convention.
    alpha: f64 = keys::absent(keys::ALPHA, AS_THE_SCHEME),
    /// α_m of generalized-α.
    alpha_m: f64 = keys::absent(keys::ALPHA_M, AS_THE_SCHEME),
    /// α_f of generalized-α.
    alpha_f: f64 = keys::absent(keys::ALPHA_F, AS_THE_SCHEME),
    /// ρ∞, spectral radius at infinite frequency.
    rho_inf: f64 = keys::absent(keys::RHO_INF, AS_THE_SCHEME),
    /// A named set of parameters.
    preset: String = keys::PRESET,
    /// `hold`, `predicted-and-closing`, `predicted`, `gap` or `equilibrium`.
    activation: String = keys::ACTIVATION,
    /// c of `predicted`.
    prediction: f64 = keys::PREDICTION,
    /// `end` or `theta`: where M, forces and rows of nonlinear models are taken.
    evaluation: String = keys::EVALUATION,
    /// `smooth`, `start`, `ahead` or `end`, for GGL.
    closed_at: String = keys::CLOSED_AT,
    /// The gap that counts as closed at q_{n+1}.
    gap_tolerance: f64 = keys::GAP_TOLERANCE,
    /// r of GGL's activation criteria.
    r: f64 = keys::R,
    /// `no` or `yes`: penalty terms in GGL's residuals.
    augmented: String = keys::AUGMENTED,
    /// θ of the modified condition.
    estimate_theta: f64 = keys::ESTIMATE_THETA,
    /// Newton's tolerance of GGL's smooth part.
    tolerance_smooth: f64 = keys::TOLERANCE_SMOOTH,
    /// Newton's tolerance of GGL's position part.
    tolerance_position: f64 = keys::TOLERANCE_POSITION,
    /// Newton's tolerance of GGL's velocity part.
    tolerance_velocity: f64 = keys::TOLERANCE_VELOCITY,
    /// `none` or `paid`.
    projection: String = keys::PROJECTION,
    /// `monolithic` or `sequential`, for GGL.
    solution: String = keys::SOLUTION,
    /// `end` or `inside`, for `landing`.
    landing: String = keys::LANDING,
    /// `checked`, `newton` or `fremond`.
    friction_law: String = keys::FRICTION_LAW,
    /// The name of a law of impact that a program hands over.
    impact_law: String = keys::IMPACT_LAW,
    /// Relative error of the smooth motion between events.
    tolerance: f64 = keys::TOLERANCE,
    /// `explicit` or `stiff`: what follows the smooth motion between events.
    method: String = keys::METHOD,
    /// Part of the largest approach under which a rebound counts as rest.
    cut: f64 = keys::CUT,
    /// p of `runge-kutta-moreau`.
    order: u32 = keys::ORDER,
    /// `explicit` or `radau-iia`.
    tableau: String = keys::TABLEAU,
    /// C: events are bracketed to C h^{p+1}.
    bracket: f64 = keys::BRACKET,
    /// 1 or 2, for splitting.
    variant: i64 = keys::VARIANT,
    /// `n1p` or `newton`, for bodies.
    gyroscopic: String = keys::GYROSCOPIC,
}

/// A parameter that cannot be meant.
pub(crate) fn parameter(field: &str, message: impl Into<String>, help: impl Into<String>) -> InputError {
    InputError::new(Code::BAD_PARAMETER, format!("scheme.{field}"), message, help)
}

/// A parameter the scheme does not take is an error, not a silent no-op.
pub(crate) fn refuse_foreign(entry: &SchemeEntry, options: &SchemeOptions) -> Result<(), InputError> {
    for name in options.written() {
        if !entry.takes(name) {
            let message = format!("{} has no parameter {name}", entry.name);
            let help = format!("it takes: {}", entry.parameter_names().join(", "));
            return Err(InputError::new(Code::CONTRADICTION, format!("scheme.{name}"), message, help));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schemes::SCHEMES;

    /// Every key a scheme takes is a field of the options under the same name, and every field is taken by some scheme.
    #[test]
    fn keys_of_schemes_are_the_fields() {
        for row in SchemeOptions::KEYS {
            let mut options = SchemeOptions::default();
            let values = [Written::Number(0.5), Written::Integer(1), Written::Word("x".into())];
            assert!(values.iter().any(|value| options.set(row.name, value)), "{} takes no value", row.name);
        }
        for entry in SCHEMES {
            for key in entry.parameters {
                assert!(SchemeOptions::KEYS.iter().any(|row| row.name == key.name), "{} of {}", key.name, entry.name);
            }
        }
        for row in SchemeOptions::KEYS {
            assert!(SCHEMES.iter().any(|entry| entry.takes(row.name)), "{} is taken by no scheme", row.name);
        }
    }
}
