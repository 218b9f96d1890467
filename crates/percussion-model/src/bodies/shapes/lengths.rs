//! Lengths and points as shapes ask for them: their keys, and what is refused.

use crate::{Code, Form, InputError, Key, KeyDefault};

/// A point of space.
pub const POINT: Form = Form::exactly(3, &Form::NUMBER);
/// A point of the plane.
pub const PLANAR_POINT: Form = Form::exactly(2, &Form::NUMBER);

/// The key of a length that has to be written.
pub const fn length(name: &'static str, meaning: &'static str) -> Key {
    Key::new(name, Form::POSITIVE, "m", KeyDefault::Required, meaning)
}

/// Refuses what is no length.
pub fn check_length(field: &str, x: f64) -> Result<(), InputError> {
    if !x.is_finite() {
        return Err(InputError::new(Code::NOT_FINITE, field, format!("is {x}"), "give a finite length"));
    }
    if x <= 0.0 {
        let message = format!("is {x} m, not a positive length");
        return Err(InputError::new(Code::BAD_SIZE, field, message, "give a length above zero"));
    }
    Ok(())
}
