//! What a model's coordinates are called and measured in, where its text says.

use crate::format::suggest;
use crate::format::values::{Spread, UNIT_WORDS};
use percussion_model::{Code, InputError};

/// Refuses names or units that are not one for each coordinate, and names that are no words or stand twice.
pub fn check(names: &[String], units: Option<&Spread<String>>, n: usize) -> Result<(), InputError> {
    let one_each = |key: &str, found: usize| {
        let message = format!("{found} {key} for {n} coordinates");
        InputError::new(Code::BAD_SHAPE, format!("model.{key}"), message, "give one for each, or none")
    };
    if !names.is_empty() && names.len() != n {
        return Err(one_each("coordinates", names.len()));
    }
    let told = match units {
        None => &[],
        Some(Spread::All(unit)) => std::slice::from_ref(unit),
        Some(Spread::Each(list)) if list.len() != n => return Err(one_each("units", list.len())),
        Some(Spread::Each(list)) => list.as_slice(),
    };
    if let Some(other) = told.iter().find(|unit| !UNIT_WORDS.contains(&unit.as_str())) {
        let help = suggest::help(other, UNIT_WORDS.iter().copied());
        return Err(InputError::new(
            Code::WRONG_TYPE,
            "model.units",
            format!("\"{other}\" is none of the units"),
            help,
        ));
    }
    for (k, name) in names.iter().enumerate() {
        let word = !name.trim().is_empty() && !name.chars().any(|c| c.is_control() || "*,\"".contains(c));
        if !word || names[..k].contains(name) {
            let message = format!("\"{name}\" is {}", if word { "used twice" } else { "no name" });
            let help = "use each name once, without commas, quotes and stars";
            return Err(InputError::new(Code::BAD_NAME, format!("model.coordinates[{k}]"), message, help));
        }
    }
    Ok(())
}

/// The unit of coordinate k, where it is told.
pub fn unit(units: Option<&Spread<String>>, k: usize) -> Option<&'static str> {
    let told = match units? {
        Spread::All(unit) => unit,
        Spread::Each(list) => list.get(k)?,
    };
    UNIT_WORDS.iter().copied().find(|unit| unit == told)
}

/// The unit of the rate of what has this unit.
pub fn rate(unit: &'static str) -> &'static str {
    match unit {
        "m" => "m/s",
        "rad" => "rad/s",
        "1" => "1/s",
        other => other,
    }
}
