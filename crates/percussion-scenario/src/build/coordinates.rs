//! What a model's coordinates are called and measured in, where its text says.

use crate::build::scenario::LinearDescription;
use crate::format::suggest;
use crate::format::values::{Spread, UNIT_WORDS};
use percussion_model::{Code, InputError};
use std::collections::BTreeSet;

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
        check_name(name, names[..k].contains(name), || format!("model.coordinates[{k}]"))?;
    }
    Ok(())
}

/// Refuses names of contacts that are no words or stand twice; those without one are called by their numbers.
pub fn check_contacts<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), InputError> {
    let names: Vec<&str> = names.collect();
    let numbered = |i: usize| names[i].is_empty().then(|| format!("contact {i}"));
    let mut known: BTreeSet<String> = (0..names.len()).filter_map(numbered).collect();
    for (i, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        let again = !known.insert((*name).to_string());
        check_name(name, again, || format!("model.contact[{i}].name"))?;
    }
    Ok(())
}

fn check_name(name: &str, again: bool, field: impl FnOnce() -> String) -> Result<(), InputError> {
    let word = !name.trim().is_empty() && !name.chars().any(|c| c.is_control() || "*,\"".contains(c));
    if word && !again {
        return Ok(());
    }
    let message = format!("\"{name}\" is {}", if word { "used twice" } else { "no name" });
    Err(InputError::new(Code::BAD_NAME, field(), message, "use each name once, without commas, quotes and stars"))
}

/// The unit of coordinate k of a linear model as given: a length where none is told, as its stiffness in N/m and its gaps in m have it.
pub fn unit_of_linear(linear: &LinearDescription, k: usize) -> &'static str {
    unit(linear.units.as_ref(), k).unwrap_or("m")
}

/// The unit of g = normal·q + offset: that of the coordinates it adds up as they are, and a length of any others.
pub fn gap_unit(linear: &LinearDescription, normal: &[(usize, f64)]) -> &'static str {
    let place = |k: usize| linear.kept.as_ref().map_or(k, |kept| kept[k]);
    let mut units = normal.iter().map(|&(k, c)| (unit_of_linear(linear, place(k)), c.abs() == 1.0));
    match units.next() {
        Some((first, true)) if units.all(|(unit, plain)| unit == first && plain) => first,
        Some(_) | None => "m",
    }
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
