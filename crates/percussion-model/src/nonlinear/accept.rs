//! What a parameter may be: finite, positive where physics needs it, e ∈ [0, 1], μ ≥ 0.

use crate::InputError;
use crate::code::Code;

/// Refuses NaN and infinity.
pub(crate) fn finite(field: &str, x: f64) -> Result<(), InputError> {
    if x.is_finite() {
        return Ok(());
    }
    let message = format!("{field} = {x} is not finite");
    Err(InputError::new(Code::NOT_FINITE, format!("model.{field}"), message, "give a finite number"))
}

/// Refuses a mass or moment of inertia that is not positive.
pub(crate) fn mass(field: &str, x: f64) -> Result<(), InputError> {
    positive_or(Code::MASS_NOT_POSITIVE, field, x)
}

/// Refuses a negative moment of inertia; zero is that of a point, whose coordinate joints have to hold.
pub(crate) fn mass_or_none(field: &str, x: f64) -> Result<(), InputError> {
    finite(field, x)?;
    if x >= 0.0 {
        return Ok(());
    }
    let message = format!("{field} = {x} is negative");
    Err(InputError::new(Code::MASS_NOT_POSITIVE, format!("model.{field}"), message, "give zero or a positive number"))
}

/// Refuses a length, modulus or number of parts that is not positive.
pub(crate) fn positive(field: &str, x: f64) -> Result<(), InputError> {
    positive_or(Code::BAD_SHAPE, field, x)
}

/// Refuses a negative length.
pub(crate) fn not_negative(field: &str, x: f64) -> Result<(), InputError> {
    finite(field, x)?;
    if x >= 0.0 {
        return Ok(());
    }
    let message = format!("{field} = {x} is negative");
    Err(InputError::new(Code::BAD_SHAPE, format!("model.{field}"), message, "give zero or a positive number"))
}

fn positive_or(code: Code, field: &str, x: f64) -> Result<(), InputError> {
    finite(field, x)?;
    if x > 0.0 {
        return Ok(());
    }
    let message = format!("{field} = {x} must be positive");
    Err(InputError::new(code, format!("model.{field}"), message, "give a positive number"))
}

/// Refuses e outside [0, 1].
pub(crate) fn restitution(field: &str, e: f64) -> Result<(), InputError> {
    finite(field, e)?;
    if (0.0..=1.0).contains(&e) {
        return Ok(());
    }
    let message = format!("{field} = {e} is outside [0, 1]");
    let help = "0 keeps nothing of the approach velocity, 1 all of it";
    Err(InputError::new(Code::RESTITUTION, format!("model.{field}"), message, help))
}

/// Refuses a negative coefficient of friction.
pub(crate) fn friction(field: &str, mu: f64) -> Result<(), InputError> {
    finite(field, mu)?;
    if mu >= 0.0 {
        return Ok(());
    }
    let message = format!("{field} = {mu} is negative");
    Err(InputError::new(Code::FRICTION, format!("model.{field}"), message, "give a coefficient of 0 or more"))
}
