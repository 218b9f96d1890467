//! `[scheme]`: its name and the parameters of all schemes together.
//!
//! A scheme refuses the parameters it does not take; their defaults are its own.

use crate::format::record::{Fields, FromValue, Place, Read, misfit, wrong};
use percussion_model::KeyDefault::Word;
use percussion_model::{Form, Key};
use percussion_step::{SCHEMES, SchemeOptions, Written};
use toml::Value;

/// The words for `name`.
pub const SCHEME_NAMES: [&str; SCHEMES.len()] = {
    let mut names = [""; SCHEMES.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = SCHEMES[i].name;
        i += 1;
    }
    names
};

/// The keys of `[scheme]`.
pub const SCHEME: &[Key] = &ALL;

const ALL: [Key; 1 + SchemeOptions::KEYS.len()] = {
    let name = Form::Word(&SCHEME_NAMES);
    let mut keys = [Key::new(
        "name",
        name,
        "",
        Word("moreau-jean"),
        "the scheme, energy-momentum where a solid in finite deformation is alone; `percussion list schemes` describes them",
    ); 1 + SchemeOptions::KEYS.len()];
    let mut i = 0;
    while i < SchemeOptions::KEYS.len() {
        keys[i + 1] = SchemeOptions::KEYS[i];
        i += 1;
    }
    keys
};

/// A value of a scheme's parameter, as its form says.
struct Parameter(Written);

impl FromValue for Parameter {
    fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self> {
        Ok(Self(match form {
            Form::Number(_) => Written::Number(FromValue::from_value(value, form, at)?),
            Form::Integer { .. } => Written::Integer(FromValue::from_value(value, form, at)?),
            Form::Text | Form::Word(_) => Written::Word(FromValue::from_value(value, form, at)?),
            Form::Flag
            | Form::List { .. }
            | Form::Entries
            | Form::Table(_)
            | Form::Kinds(_)
            | Form::OneOf(_)
            | Form::Named(..)
            | Form::Any => return Err(misfit(&value, form, at)),
        }))
    }
}

/// Every parameter that is written.
fn options(fields: &mut Fields, at: &Place) -> Read<SchemeOptions> {
    let mut options = SchemeOptions::default();
    for key in SchemeOptions::KEYS {
        if let Some(Parameter(value)) = fields.take_written()?
            && !options.set(key.name, &value)
        {
            return Err(wrong(&at.key(key.name), format!("is not {}", key.form)));
        }
    }
    Ok(options)
}

/// `[scheme]` as written: the name and what was said about it.
pub fn read_scheme(value: Value) -> Read<(String, SchemeOptions)> {
    let at = Place::top("scheme");
    let mut fields = Fields::open(value, SCHEME, &at)?;
    Ok((fields.take()?, options(&mut fields, &at)?))
}
