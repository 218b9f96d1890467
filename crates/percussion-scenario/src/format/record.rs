//! One table of a scenario as one struct: each field and its [`Key`] on one line.
//!
//! ```text
//! record! { struct SpringSpec as SPRING { stiffness: f64 = Form::NOT_NEGATIVE, "N/m", Required, "k"; … } }
//! ```
//!
//! gives the struct, the rows `SPRING: &[Key]`, the reader and the writer, so that none of them can lack what another has.

use crate::error::ScenarioError;
use crate::format::locate::Part;
use crate::format::suggest;
use percussion_model::{Code, Form, InputError, Key, KeyDefault};
use std::fmt;
use toml::{Table, Value};

/// A refused value together with what of its key is meant.
pub type Refused = (Box<ScenarioError>, Part);

/// What reading gives.
pub type Read<T> = Result<T, Refused>;

/// Where a value stands; written out only when it is refused.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    above: Option<&'a Place<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> Place<'a> {
    /// A table of the top level; the top level itself is `""`.
    pub fn top(name: &'a str) -> Self {
        Self { above: None, step: Step::Key(name) }
    }

    /// A key of the table that stands here.
    pub fn key(&'a self, name: &'a str) -> Self {
        Self { above: Some(self), step: Step::Key(name) }
    }

    /// An entry of the list that stands here.
    pub fn index(&'a self, i: usize) -> Self {
        Self { above: Some(self), step: Step::Index(i) }
    }

    /// The key that leads here; of an entry, its list's.
    pub fn name(&self) -> &'a str {
        match (self.step, self.above) {
            (Step::Key(name), _) => name,
            (Step::Index(_), Some(above)) => above.name(),
            (Step::Index(_), None) => "",
        }
    }
}

impl fmt::Display for Place<'_> {
    /// Dotted: `model.contact[2].restitution`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let above = self.above.map(ToString::to_string).unwrap_or_default();
        match self.step {
            Step::Index(i) => write!(f, "{above}[{i}]"),
            Step::Key(name) if above.is_empty() => f.write_str(name),
            Step::Key(name) => write!(f, "{above}.{name}"),
        }
    }
}

/// A table with known keys.
pub trait Record: Sized {
    /// Its rows.
    const KEYS: &'static [Key];

    /// Its fields, in the order of the rows.
    fn read(fields: &mut Fields) -> Read<Self>;
}

/// What a value of a scenario can become.
pub trait FromValue: Sized {
    /// From the value at a place; `form` is named where it does not fit.
    fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self>;

    /// What stands for an absent key whose default is no single value, if anything does.
    fn absent() -> Option<Self> {
        None
    }
}

/// The fields of one table, taken one after the other.
pub struct Fields<'a> {
    table: Table,
    keys: &'static [Key],
    at: &'a Place<'a>,
    next: usize,
}

impl<'a> Fields<'a> {
    /// A table without unknown keys.
    pub fn open(value: Value, keys: &'static [Key], at: &'a Place<'a>) -> Read<Self> {
        let Value::Table(table) = value else { return Err(misfit(&value, &Form::Table(keys), at)) };
        match table.keys().find(|name| keys.iter().all(|key| key.name != *name)) {
            Some(unknown) => Err(unknown_key(at, unknown, keys.iter().map(|key| key.name))),
            None => Ok(Self { table, keys, at, next: 0 }),
        }
    }

    /// The next field; its default where it is absent.
    pub fn take<T: FromValue>(&mut self) -> Read<T> {
        let (key, written) = self.next_value();
        match written.or_else(|| value_of(key.default)) {
            Some(value) => T::from_value(value, &key.form, &self.at.key(key.name)),
            None => {
                let absent = if key.default == KeyDefault::Required { None } else { T::absent() };
                absent.ok_or_else(|| missing(key, self.at))
            }
        }
    }

    /// The next field if it is written, whatever its default.
    pub fn take_written<T: FromValue>(&mut self) -> Read<Option<T>> {
        let (key, written) = self.next_value();
        written.map(|value| T::from_value(value, &key.form, &self.at.key(key.name))).transpose()
    }

    /// The next key, and what is written for it. Apart from the types of fields, so that it is compiled once.
    #[inline(never)]
    fn next_value(&mut self) -> (&'static Key, Option<Value>) {
        let key = &self.keys[self.next];
        self.next += 1;
        (key, self.table.remove(key.name))
    }
}

/// One table as a record.
pub fn read<T: Record>(name: &str, value: Value) -> Read<T> {
    let at = Place::top(name);
    T::read(&mut Fields::open(value, T::KEYS, &at)?)
}

/// A table whose keys are known and whose values are of their forms; what they mean is judged by whoever owns the keys.
pub fn read_table(value: Value, keys: &'static [Key], at: &Place) -> Read<Table> {
    let table = Fields::open(value, keys, at)?.table;
    for key in keys {
        match table.get(key.name) {
            Some(value) => check_form(value, &key.form, &at.key(key.name))?,
            None if key.default == KeyDefault::Required => return Err(missing(key, at)),
            None => {}
        }
    }
    Ok(table)
}

fn check_form(value: &Value, form: &Form, at: &Place) -> Read<()> {
    match (form, value) {
        (Form::Number(_), Value::Float(_) | Value::Integer(_))
        | (Form::Integer { .. }, Value::Integer(_))
        | (Form::Flag, Value::Boolean(_))
        | (Form::Text | Form::Word(_), Value::String(_))
        | (Form::Any, _) => Ok(()),
        (Form::List { of, least, most }, Value::Array(list)) => {
            if least == most && list.len() != *least {
                return Err(wrong(at, format!("has {} entries, not {least}", list.len())));
            }
            list.iter().enumerate().try_for_each(|(i, value)| check_form(value, of, &at.index(i)))
        }
        (Form::Named(_, form), _) => check_form(value, form, at),
        (
            Form::Number(_)
            | Form::Integer { .. }
            | Form::Flag
            | Form::Text
            | Form::Word(_)
            | Form::List { .. }
            | Form::Entries
            | Form::Table(_)
            | Form::Kinds(_)
            | Form::OneOf(_),
            _,
        ) => Err(misfit(value, form, at)),
    }
}

/// The default as it would be written.
#[inline(never)]
fn value_of(default: KeyDefault) -> Option<Value> {
    match default {
        KeyDefault::Number(x) => Some(Value::Float(x)),
        KeyDefault::Integer(n) => Some(Value::Integer(n)),
        KeyDefault::Word(word) => Some(Value::String(word.into())),
        KeyDefault::Flag(flag) => Some(Value::Boolean(flag)),
        KeyDefault::Required | KeyDefault::Absent(_) => None,
    }
}

/// A value of the wrong form.
pub fn misfit(value: &Value, form: &Form, at: &Place) -> Refused {
    let found = match value {
        Value::String(text) if text.chars().count() > 40 => "a long text".to_string(),
        Value::Array(_) => "a list".to_string(),
        Value::Table(_) => "a table".to_string(),
        Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {
            value.to_string()
        }
    };
    wrong(at, format!("is {found}, where {form} is expected"))
}

/// A value that cannot be read, in words.
pub fn wrong(at: &Place, message: String) -> Refused {
    let help = "`percussion list schema` shows the kind of every value";
    (InputError::new(Code::WRONG_TYPE, at.to_string(), message, help).into(), Part::Value)
}

/// A key that must be there.
#[inline(never)]
fn missing(key: &Key, at: &Place) -> Refused {
    let (name, field) = (key.name, at.key(key.name).to_string());
    let (message, help) = if is_section(&key.form) {
        let help = format!("add [{name}]; `percussion new NAME` writes an example");
        (format!("the table [{name}] is missing"), help)
    } else {
        let help = format!("add {name} = … to the table; `percussion list schema` shows every key");
        (format!("{name} is missing"), help)
    };
    (InputError::new(Code::WRONG_TYPE, field, message, help).into(), Part::Value)
}

fn is_section(form: &Form) -> bool {
    match form {
        Form::Named(_, form) => is_section(form),
        Form::Table(_) | Form::Kinds(_) => true,
        Form::Number(_)
        | Form::Integer { .. }
        | Form::Flag
        | Form::Text
        | Form::Word(_)
        | Form::List { .. }
        | Form::Entries
        | Form::OneOf(_)
        | Form::Any => false,
    }
}

/// A key that the table does not have.
pub fn unknown_key(at: &Place, key: &str, known: impl IntoIterator<Item = &'static str> + Clone) -> Refused {
    let (table, field) = (at.to_string(), at.key(key).to_string());
    let message =
        if table.is_empty() { format!("a scenario has no key {key}") } else { format!("[{table}] has no key {key}") };
    (InputError::new(Code::UNKNOWN_KEY, field, message, suggest::help(key, known)).into(), Part::Key)
}

/// The `kind` of a table, taken out of it.
pub fn take_kind(value: Value, kinds: &[&str], at: &Place) -> Read<(String, Value)> {
    let refuse = |field: String, message: &str, help: String| {
        Err((InputError::new(Code::WRONG_TYPE, field, message, help).into(), Part::Value))
    };
    let Value::Table(mut table) = value else {
        return refuse(at.to_string(), "is not a table", format!("write [{}]", at.name()));
    };
    let quoted: Vec<String> = kinds.iter().map(|kind| format!("\"{kind}\"")).collect();
    let help = format!("write kind = one of {}", quoted.join(", "));
    match table.remove("kind") {
        Some(Value::String(kind)) => Ok((kind, Value::Table(table))),
        Some(_) => refuse(at.key("kind").to_string(), "kind is not text", help),
        None => refuse(at.key("kind").to_string(), "kind is missing", help),
    }
}

/// A kind that does not exist.
pub fn unknown_kind(kind: &str, kinds: &'static [&'static str], at: &Place) -> Refused {
    let message = format!("there is no kind of {} \"{kind}\"", at.name());
    let help = suggest::help(kind, kinds.iter().copied());
    (InputError::new(Code::UNKNOWN_KIND, at.key("kind").to_string(), message, help).into(), Part::Value)
}

/// How the key of a field is written: without the mark of a name that Rust keeps for itself.
pub const fn written(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [b'r', b'#', ..] => field.split_at(2).1,
        _ => field,
    }
}

/// A struct, its keys, its reader and its writer.
macro_rules! record {
    ($(#[$doc:meta])* struct $Spec:ident as $KEYS:ident {
        $($field:ident: $type:ty = $form:expr, $unit:literal, $default:expr, $meaning:literal $(, formerly $old:literal)*;)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $Spec {
            $(#[doc = $meaning] pub $field: $type,)*
        }

        /// The keys of the table.
        pub const $KEYS: &[percussion_model::Key] = &[$(
            percussion_model::Key::new($crate::format::record::written(stringify!($field)), $form, $unit, $default, $meaning).formerly(&[$($old),*]),
        )*];

        impl $crate::format::record::Record for $Spec {
            const KEYS: &'static [percussion_model::Key] = $KEYS;

            fn read(_fields: &mut $crate::format::record::Fields) -> $crate::format::record::Read<Self> {
                Ok(Self { $($field: _fields.take()?,)* })
            }
        }

        impl $crate::format::record::FromValue for $Spec {
            fn from_value(
                value: toml::Value,
                form: &percussion_model::Form,
                at: &$crate::format::record::Place,
            ) -> $crate::format::record::Read<Self> {
                if !value.is_table() {
                    return Err($crate::format::record::misfit(&value, form, at));
                }
                let mut fields = $crate::format::record::Fields::open(value, $KEYS, at)?;
                $crate::format::record::Record::read(&mut fields)
            }
        }

        impl $crate::format::text::ToText for $Spec {
            fn text(&self) -> Option<String> {
                self.lines().as_ref().map($crate::format::text::inline)
            }

            fn lines(&self) -> Option<$crate::format::text::Lines> {
                let mut _lines = $crate::format::text::Lines::new();
                $($crate::format::text::push(&mut _lines, $crate::format::record::written(stringify!($field)), &self.$field);)*
                Some(_lines)
            }
        }
    };
}

/// An enum over the kinds of a table, their rows, the reader and the writer.
macro_rules! kinds {
    ($(#[$doc:meta])* enum $Spec:ident as $KINDS:ident {
        $($Variant:ident($Record:ty) = $name:literal $(| $also:literal)*, $meaning:literal;)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $Spec {
            $(#[doc = $meaning] $Variant($Record),)*
        }

        /// The kinds.
        pub const $KINDS: &[percussion_model::Kind] = &[$(
            percussion_model::Kind {
                name: $name,
                also: &[$($also),*],
                keys: <$Record as $crate::format::record::Record>::KEYS,
                meaning: $meaning,
            },
        )*];

        impl $Spec {
            /// The words for `kind`.
            pub const NAMES: &[&str] = &[$($name),*];
        }

        impl $crate::format::record::FromValue for $Spec {
            fn from_value(
                value: toml::Value,
                form: &percussion_model::Form,
                at: &$crate::format::record::Place,
            ) -> $crate::format::record::Read<Self> {
                use $crate::format::record::{FromValue, take_kind, unknown_kind};
                let (kind, rest) = take_kind(value, Self::NAMES, at)?;
                match kind.as_str() {
                    $($name $(| $also)* => FromValue::from_value(rest, form, at).map(Self::$Variant),)*
                    other => Err(unknown_kind(other, Self::NAMES, at)),
                }
            }
        }

        impl $crate::format::text::ToText for $Spec {
            fn text(&self) -> Option<String> {
                self.lines().as_ref().map($crate::format::text::inline)
            }

            fn lines(&self) -> Option<$crate::format::text::Lines> {
                let (kind, rest) = match self {
                    $(Self::$Variant(record) => ($name, record.lines()),)*
                };
                let mut lines = $crate::format::text::Lines::new();
                $crate::format::text::push(&mut lines, "kind", &kind.to_string());
                lines.extend(rest.into_iter().flatten());
                Some(lines)
            }
        }
    };
}

pub(crate) use {kinds, record};
