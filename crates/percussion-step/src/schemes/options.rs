//! What a user may write about a scheme, and what is refused before any scheme looks at it.

use crate::schemes::SchemeEntry;
use percussion_model::{Code, InputError};

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
    ($($(#[$doc:meta])* $key:ident: $kind:ty,)*) => {
        /// What a user may write about a scheme; everything is optional.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct SchemeOptions { $($(#[$doc])* pub $key: Option<$kind>,)* }

        impl SchemeOptions {
            /// The names of all keys.
            pub const NAMES: &[&str] = &[$(stringify!($key)),*];

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

options! {
    /// θ of Moreau–Jean.
    theta: f64,
    /// β of the Newmark family.
    beta: f64,
    /// γ of the Newmark family.
    gamma: f64,
    /// α of HHT, positive convention.
    alpha: f64,
    /// α_m of generalized-α.
    alpha_m: f64,
    /// α_f of generalized-α.
    alpha_f: f64,
    /// ρ∞, spectral radius at infinite frequency.
    rho_inf: f64,
    /// A named set of parameters.
    preset: String,
    /// `hold`, `predicted-and-closing`, `predicted` or `gap`.
    activation: String,
    /// c of `predicted`.
    prediction: f64,
    /// `none` or `paid`.
    projection: String,
    /// `monolithic` or `sequential`, for GGL.
    solution: String,
    /// `checked`, `newton` or `fremond`.
    friction_law: String,
    /// Relative error of the smooth motion between events.
    tolerance: f64,
    /// `explicit` or `stiff`: what follows the smooth motion between events.
    method: String,
    /// Part of the largest approach under which a rebound counts as rest.
    cut: f64,
    /// p of `runge-kutta-moreau`.
    order: u32,
    /// `explicit` or `radau-iia`.
    tableau: String,
    /// C: events are bracketed to C h^{p+1}.
    bracket: f64,
    /// 1 or 2, for splitting.
    variant: i64,
    /// `n1p` or `newton`, for bodies.
    gyroscopic: String,
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
