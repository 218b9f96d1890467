//! Values of a scenario, and those that may be written in more than one way.
//!
//! matrix: `[[1.0, 0.0], [0.0, 1.0]]` or `{ file = "M.mtx" }`; signal: `signal.rs`;
//! row: `[1.0, 0.0, -1.0]` or `{ 0 = 1.0, 2 = -1.0 }`; spread: one value for all nodes or a list.

use super::record::{FromValue, Place, Read, misfit, record, wrong};
pub use super::signal::{SIGNAL, SIGNALS, SignalSpec};
use percussion_model::Form;
use percussion_model::KeyDefault::Required;
use toml::Value;

/// A matrix.
pub const MATRIX: Form = Form::Named("matrix", &Form::OneOf(&[Form::list(&Form::NUMBERS), Form::Table(MATRIX_FILE)]));
/// A row over the coordinates.
pub const ROW: Form = Form::Named("row", &Form::OneOf(&[Form::NUMBERS, Form::Entries]));
/// One number for all, or one each.
pub const SPREAD: Form = Form::Named("spread", &Form::OneOf(&[Form::NUMBER, Form::NUMBERS]));
/// Units of coordinates: one for all, or one each.
pub const UNITS: Form = Form::OneOf(&[Form::Word(UNIT_WORDS), Form::list(&Form::Word(UNIT_WORDS))]);
/// Units a coordinate may be said to have.
pub const UNIT_WORDS: &[&str] = &["m", "rad", "1"];
/// Numbers, as many as the model has coordinates, here or in a file.
pub const NUMBERS: Form = Form::Named("numbers", &Form::OneOf(&[Form::NUMBERS, Form::Table(VECTOR_FILE)]));
/// A point or direction: two numbers in the plane, three in space.
pub const VECTOR: Form = Form::Named("vector", &Form::List { of: &Form::NUMBER, least: 2, most: 3 });

record! {
    /// `{ file = "M.mtx" }`.
    struct MatrixFile as MATRIX_FILE {
        file: String = Form::Text, "", Required, "a Matrix Market file in the scenario's folder";
    }
}

record! {
    /// `{ file = "q0.mtx" }`.
    struct VectorFile as VECTOR_FILE {
        file: String = Form::Text, "", Required, "a Matrix Market file of one column in the scenario's folder";
    }
}

/// A matrix as written.
#[derive(Clone, Debug, PartialEq)]
pub enum MatrixSpec {
    /// Row by row.
    Rows(Vec<Vec<f64>>),
    /// In a Matrix Market file.
    File(String),
}

impl FromValue for MatrixSpec {
    fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self> {
        match value {
            Value::Table(_) => MatrixFile::from_value(value, form, at).map(|matrix| Self::File(matrix.file)),
            Value::Array(_) => FromValue::from_value(value, form, at).map(Self::Rows),
            other => Err(misfit(&other, form, at)),
        }
    }
}

/// A list as written.
#[derive(Clone, Debug, PartialEq)]
pub enum ListSpec<T> {
    /// One by one.
    Each(Vec<T>),
    /// In a Matrix Market file of one column.
    File(String),
}

/// A vector as written.
pub type VectorSpec = ListSpec<f64>;

impl<T: FromValue> FromValue for ListSpec<T> {
    fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self> {
        match value {
            Value::Table(_) => VectorFile::from_value(value, form, at).map(|vector| Self::File(vector.file)),
            other => FromValue::from_value(other, form, at).map(Self::Each),
        }
    }
}

/// A row of numbers as written.
#[derive(Clone, Debug, PartialEq)]
pub enum RowSpec {
    /// One number per coordinate.
    Dense(Vec<f64>),
    /// Coordinate and number, by rising coordinate.
    Sparse(Vec<(usize, f64)>),
}

impl FromValue for RowSpec {
    fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self> {
        let Value::Table(table) = value else { return FromValue::from_value(value, form, at).map(Self::Dense) };
        let mut row = Vec::with_capacity(table.len());
        for (key, value) in table {
            let Ok(coordinate) = key.parse::<usize>() else {
                return Err(wrong(at, format!("\"{key}\" is not the number of a coordinate")));
            };
            row.push((coordinate, f64::from_value(value, &Form::NUMBER, &at.key(&key))?));
        }
        row.sort_by_key(|&(coordinate, _)| coordinate);
        // 1 and 01 are two keys and one coordinate
        if row.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(wrong(at, "a coordinate is given twice".into()));
        }
        Ok(Self::Sparse(row))
    }
}

/// One value for all, or one each.
#[derive(Clone, Debug, PartialEq)]
pub enum Spread<T> {
    /// The same everywhere.
    All(T),
    /// One by one.
    Each(Vec<T>),
}

impl<T: FromValue> FromValue for Spread<T> {
    fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self> {
        match value {
            Value::Array(_) => FromValue::from_value(value, form, at).map(Self::Each),
            other => T::from_value(other, form, at).map(Self::All),
        }
    }
}

/// A value of one form or of another.
#[derive(Clone, Debug, PartialEq)]
pub enum Either<A, B> {
    /// The first form.
    One(A),
    /// The second.
    Other(B),
}

impl<A: FromValue, B: FromValue> FromValue for Either<A, B> {
    fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self> {
        if let Ok(one) = A::from_value(value.clone(), form, at) {
            return Ok(Self::One(one));
        }
        B::from_value(value, form, at).map(Self::Other)
    }
}

impl FromValue for f64 {
    fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self> {
        match value {
            Value::Float(x) => Ok(x),
            Value::Integer(n) => Ok(n as f64),
            other => Err(misfit(&other, form, at)),
        }
    }
}

/// Whole numbers and words, each from its own kind of value.
macro_rules! plain {
    ($($type:ty, $pattern:pat => $value:expr;)*) => {$(
        impl FromValue for $type {
            fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self> {
                let found = match &value {
                    $pattern => $value,
                    _ => None,
                };
                found.ok_or_else(|| misfit(&value, form, at))
            }
        }
    )*};
}

plain! {
    i64, Value::Integer(n) => Some(*n);
    u64, Value::Integer(n) => u64::try_from(*n).ok();
    u32, Value::Integer(n) => u32::try_from(*n).ok();
    bool, Value::Boolean(flag) => Some(*flag);
    String, Value::String(text) => Some(text.clone());
}

impl FromValue for Value {
    fn from_value(value: Value, _: &Form, _: &Place) -> Read<Self> {
        Ok(value)
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self> {
        T::from_value(value, form, at).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: FromValue> FromValue for Vec<T> {
    fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self> {
        let Value::Array(list) = value else { return Err(misfit(&value, form, at)) };
        let of = entry(form);
        list.into_iter().enumerate().map(|(i, value)| T::from_value(value, of, &at.index(i))).collect()
    }

    fn absent() -> Option<Self> {
        Some(Vec::new())
    }
}

impl<T: FromValue, const N: usize> FromValue for [T; N] {
    fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self> {
        let list = Vec::<T>::from_value(value, form, at)?;
        list.try_into().map_err(|list: Vec<T>| wrong(at, format!("has {} entries, not {N}", list.len())))
    }
}

/// The form of a list's entries.
fn entry(form: &Form) -> &Form {
    match form {
        Form::List { of, .. } => of,
        Form::Named(_, form) => entry(form),
        Form::OneOf(forms) => forms.iter().find(|form| matches!(form, Form::List { .. })).map_or(form, entry),
        Form::Number(_)
        | Form::Integer { .. }
        | Form::Flag
        | Form::Text
        | Form::Word(_)
        | Form::Entries
        | Form::Table(_)
        | Form::Kinds(_)
        | Form::Any => form,
    }
}
