//! Keys by the names they had in earlier versions: read under the present name, with a warning that gives it.

use super::record::{Place, Read};
use percussion_model::{Code, Form, InputError, Key, Kind};
use percussion_step::Warning;
use toml::{Table, Value};

/// Gives every key of a table its present name; one warning for each that had another.
pub fn rename(table: &mut Table, keys: &[Key], warnings: &mut Vec<Warning>) -> Read<()> {
    in_table(table, keys, &Place::top(""), warnings)
}

fn in_table(table: &mut Table, keys: &[Key], at: &Place, warnings: &mut Vec<Warning>) -> Read<()> {
    for key in keys {
        for old in key.formerly {
            let Some(value) = table.remove(*old) else { continue };
            let (field, present) = (at.key(old).to_string(), at.key(key.name).to_string());
            if table.contains_key(key.name) {
                let message = format!("{old} is the former name of {}, and both are given", key.name);
                let error = InputError::new(Code::CONTRADICTION, field, message, format!("remove {old}"));
                return Err((error.into(), crate::format::locate::Part::Key));
            }
            table.insert(key.name.into(), value);
            warnings.push(Warning {
                code: Code::FORMER_NAME,
                message: format!("{field} is now called {present}; the former name is still read"),
            });
        }
        if let Some(value) = table.get_mut(key.name) {
            in_value(value, &key.form, &at.key(key.name), warnings)?;
        }
    }
    Ok(())
}

fn in_value(value: &mut Value, form: &Form, at: &Place, warnings: &mut Vec<Warning>) -> Read<()> {
    match form {
        Form::Table(keys) => match value {
            Value::Table(table) => in_table(table, keys, at, warnings),
            _ => Ok(()),
        },
        Form::Kinds(kinds) => {
            let Value::Table(table) = value else { return Ok(()) };
            kind_of(table, kinds).map_or(Ok(()), |kind| in_table(table, kind.keys, at, warnings))
        }
        Form::List { of, .. } if !has_tables(of) => Ok(()),
        Form::List { of, .. } => {
            let Value::Array(list) = value else { return Ok(()) };
            list.iter_mut().enumerate().try_for_each(|(i, value)| in_value(value, of, &at.index(i), warnings))
        }
        Form::Named(_, form) => in_value(value, form, at, warnings),
        Form::OneOf(forms) => forms.iter().try_for_each(|form| in_value(value, form, at, warnings)),
        // what does not fit its form is the reader's business
        Form::Number(_)
        | Form::Integer { .. }
        | Form::Flag
        | Form::Text
        | Form::Word(_)
        | Form::Entries
        | Form::Any => Ok(()),
    }
}

fn kind_of<'a>(table: &Table, kinds: &'a [Kind]) -> Option<&'a Kind> {
    let word = table.get("kind").and_then(Value::as_str)?;
    kinds.iter().find(|kind| kind.name == word || kind.also.contains(&word))
}

/// Whether a value of this form can hold a table; long lists of numbers are passed over.
fn has_tables(form: &Form) -> bool {
    match form {
        Form::Table(_) | Form::Kinds(_) => true,
        Form::List { of, .. } => has_tables(of),
        Form::Named(_, form) => has_tables(form),
        Form::OneOf(forms) => forms.iter().any(has_tables),
        Form::Number(_)
        | Form::Integer { .. }
        | Form::Flag
        | Form::Text
        | Form::Word(_)
        | Form::Entries
        | Form::Any => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_model::KeyDefault::{Absent, Number};

    const BALL: &[Key] = &[Key::new("radius", Form::POSITIVE, "m", Number(1.0), "radius").formerly(&["r", "size"])];
    const KINDS: &[Kind] = &[Kind { name: "ball", also: &["disk"], keys: BALL, meaning: "round" }];
    const SCENE: &[Key] = &[
        Key::new("balls", Form::list(&Form::Kinds(KINDS)), "", Absent("none"), "the balls").formerly(&["spheres"]),
        Key::new("first", Form::Table(BALL), "", Absent("none"), "the first"),
    ];

    fn renamed(text: &str) -> Result<(Table, Vec<String>), Code> {
        let (mut table, mut warnings) = (text.parse::<Table>().expect("TOML"), Vec::new());
        rename(&mut table, SCENE, &mut warnings).map_err(|(error, _)| error.code)?;
        assert!(warnings.iter().all(|warning| warning.code == Code::FORMER_NAME));
        Ok((table, warnings.into_iter().map(|warning| warning.message).collect()))
    }

    /// In tables, lists and kinds, however deep, and each with the place it stands at.
    #[test]
    fn former_names_are_read() {
        let text =
            "first = { r = 1.0 }\n[[spheres]]\nkind = \"ball\"\nsize = 2.0\n[[spheres]]\nkind = \"disk\"\nr = 3.0\n";
        let (table, warnings) = renamed(text).expect("read");
        let present = "first = { radius = 1.0 }\n[[balls]]\nkind = \"ball\"\nradius = 2.0\n[[balls]]\nkind = \"disk\"\nradius = 3.0\n";
        assert_eq!(table, present.parse::<Table>().expect("TOML"));
        assert_eq!(warnings.len(), 4);
        assert!(warnings[0].starts_with("spheres is now called balls"), "{}", warnings[0]);
        assert!(warnings[1].starts_with("balls[0].size is now called balls[0].radius"), "{}", warnings[1]);
        assert!(warnings[3].starts_with("first.r is now called first.radius"), "{}", warnings[3]);
    }

    /// Present names pass in silence; the same key under both names is refused.
    #[test]
    fn present_names_win() {
        assert_eq!(renamed("first = { radius = 1.0 }").expect("read").1, Vec::<String>::new());
        assert_eq!(renamed("first = { radius = 1.0, r = 1.0 }").unwrap_err(), Code::CONTRADICTION);
    }
}
