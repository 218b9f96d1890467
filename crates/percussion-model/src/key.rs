//! One key that a user may write: its name, what may stand there, its unit, what holds when it is absent, one sentence.
//!
//! Tables of keys are constants, `const KEYS: &[Key] = &[Key::new("theta", …), …]`. Whoever owns a key owns its row; the
//! reader, the JSON schema, the help and the tables of the book are made from the rows.

use std::fmt;

/// One key of a scenario.
///
/// ```
/// use percussion_model::{Form, Key, KeyDefault, Range};
///
/// const THETA: Key =
///     Key::new("theta", Form::Number(Range::closed(0.0, 1.0)), "", KeyDefault::Number(0.5), "θ of the θ-method");
/// assert_eq!(THETA.form.to_string(), "a number in [0, 1]");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// What may stand there.
    pub form: Form,
    /// SI unit of its numbers, such as `kg·m²`; empty where they have none.
    pub unit: &'static str,
    /// What holds when it is absent.
    pub default: KeyDefault,
    /// One sentence, or the equation's letter for it.
    pub meaning: &'static str,
    /// Names it had in earlier versions: still read, with a warning that gives the present name.
    pub formerly: &'static [&'static str],
}

/// What may stand as the value of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// A finite number.
    Number(Range),
    /// A whole number from `least` to `most`.
    Integer {
        /// The smallest.
        least: i64,
        /// The largest.
        most: i64,
    },
    /// true or false.
    Flag,
    /// Any text.
    Text,
    /// One of a few words.
    Word(&'static [&'static str]),
    /// A list; vectors, points and `[[…]]` are lists.
    List {
        /// What each entry is.
        of: &'static Form,
        /// The fewest entries.
        least: usize,
        /// The most entries.
        most: usize,
    },
    /// `{ 12 = 1.0, 40 = -1.0 }`: the entries of a row that are not zero, by coordinate from 0.
    Entries,
    /// A table with keys of its own.
    Table(&'static [Key]),
    /// A table whose `kind` says which keys it has.
    Kinds(&'static [Kind]),
    /// Exactly one of several forms.
    OneOf(&'static [Form]),
    /// A form that many keys share, under its name.
    Named(&'static str, &'static Form),
    /// Whatever the key it is meant for may take.
    Any,
}

/// One kind of a table with a `kind`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// The word.
    pub name: &'static str,
    /// Other words for the same.
    pub also: &'static [&'static str],
    /// Its keys beside `kind`.
    pub keys: &'static [Key],
    /// One sentence, or the equation.
    pub meaning: &'static str,
}

/// What holds when a key is absent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KeyDefault {
    /// It must be written.
    Required,
    /// This number.
    Number(f64),
    /// This whole number.
    Integer(i64),
    /// This word or text.
    Word(&'static str),
    /// true or false.
    Flag(bool),
    /// No single value stands for it; what absence means: "zero", "straight along x".
    Absent(&'static str),
}

/// The numbers that are allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// From below.
    pub low: Bound,
    /// From above.
    pub high: Bound,
}

/// One end of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// There is none.
    None,
    /// The number itself is allowed.
    Closed(f64),
    /// The number itself is not allowed.
    Open(f64),
}

impl Key {
    /// A key that never had another name.
    pub const fn new(
        name: &'static str,
        form: Form,
        unit: &'static str,
        default: KeyDefault,
        meaning: &'static str,
    ) -> Self {
        Self { name, form, unit, default, meaning, formerly: &[] }
    }

    /// The same key with the names it had before.
    pub const fn formerly(self, names: &'static [&'static str]) -> Self {
        Self { formerly: names, ..self }
    }
}

impl Form {
    /// Any finite number.
    pub const NUMBER: Self = Self::Number(Range::ANY);
    /// Zero or more.
    pub const NOT_NEGATIVE: Self = Self::Number(Range::NOT_NEGATIVE);
    /// More than zero.
    pub const POSITIVE: Self = Self::Number(Range::POSITIVE);
    /// Numbers, as many as the model has coordinates.
    pub const NUMBERS: Self = Self::list(&Self::NUMBER);

    /// A number from `low` to `high`, both allowed.
    pub const fn between(low: f64, high: f64) -> Self {
        Self::Number(Range::closed(low, high))
    }

    /// A list of any length.
    pub const fn list(of: &'static Form) -> Self {
        Self::List { of, least: 0, most: usize::MAX }
    }

    /// A list of exactly `n` entries.
    pub const fn exactly(n: usize, of: &'static Form) -> Self {
        Self::List { of, least: n, most: n }
    }
}

impl Range {
    /// Every finite number.
    pub const ANY: Self = Self { low: Bound::None, high: Bound::None };
    /// x ≥ 0.
    pub const NOT_NEGATIVE: Self = Self { low: Bound::Closed(0.0), high: Bound::None };
    /// x > 0.
    pub const POSITIVE: Self = Self { low: Bound::Open(0.0), high: Bound::None };

    /// low ≤ x ≤ high.
    pub const fn closed(low: f64, high: f64) -> Self {
        Self { low: Bound::Closed(low), high: Bound::Closed(high) }
    }

    /// Whether a number is finite and inside.
    pub fn contains(&self, x: f64) -> bool {
        let above = match self.low {
            Bound::None => true,
            Bound::Closed(low) => x >= low,
            Bound::Open(low) => x > low,
        };
        let below = match self.high {
            Bound::None => true,
            Bound::Closed(high) => x <= high,
            Bound::Open(high) => x < high,
        };
        x.is_finite() && above && below
    }
}

impl fmt::Display for Range {
    /// `[0, 1]`, `(-1, 0.5)`, `(0, ∞)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.low {
            Bound::None => f.write_str("(−∞")?,
            Bound::Closed(x) => write!(f, "[{}", short(x))?,
            Bound::Open(x) => write!(f, "({}", short(x))?,
        }
        match self.high {
            Bound::None => f.write_str(", ∞)"),
            Bound::Closed(x) => write!(f, ", {}]", short(x)),
            Bound::Open(x) => write!(f, ", {})", short(x)),
        }
    }
}

impl fmt::Display for Form {
    /// With its article, as in "expected a number in [0, 1]".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(range) if *range == Range::ANY => f.write_str("a number"),
            Self::Number(range) if *range == Range::POSITIVE => f.write_str("a positive number"),
            Self::Number(range) if *range == Range::NOT_NEGATIVE => f.write_str("a number ≥ 0"),
            Self::Number(range) => write!(f, "a number in {range}"),
            Self::Integer { least: i64::MIN, most: i64::MAX } => f.write_str("a whole number"),
            Self::Integer { least, most: i64::MAX } => write!(f, "a whole number ≥ {least}"),
            Self::Integer { least, most } if least == most => write!(f, "{least}"),
            Self::Integer { least, most } => write!(f, "a whole number from {least} to {most}"),
            Self::Flag => f.write_str("true or false"),
            Self::Text => f.write_str("text"),
            Self::Word(words) => write!(f, "{}", alternatives(words.iter().map(|word| format!("\"{word}\"")))),
            Self::List { of, least, most } if least == most => write!(f, "a list of {least}, each {of}"),
            Self::List { of, least: _, most: usize::MAX } => write!(f, "a list, each entry {of}"),
            Self::List { of, least, most } => write!(f, "a list of {least} to {most}, each {of}"),
            Self::Entries => f.write_str("{ COORDINATE = number, … }"),
            Self::Table(keys) => {
                let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
                write!(f, "{{ {} }}", names.join(", "))
            }
            Self::Kinds(kinds) => {
                let names = kinds.iter().map(|kind| format!("\"{}\"", kind.name));
                write!(f, "a table with kind = {}", alternatives(names))
            }
            Self::OneOf(forms) => write!(f, "{}", alternatives(forms.iter().map(ToString::to_string))),
            Self::Named(_, form) => write!(f, "{form}"),
            Self::Any => f.write_str("a value"),
        }
    }
}

/// `a`, `a or b`, `a, b or c`.
fn alternatives(words: impl Iterator<Item = String>) -> String {
    let mut words: Vec<String> = words.collect();
    match (words.pop(), words.as_slice()) {
        (None, _) => String::new(),
        (Some(last), []) => last,
        (Some(last), rest) => format!("{} or {last}", rest.join(", ")),
    }
}

/// A bound for people: 1/3 is not printed with seventeen digits.
pub fn short(x: f64) -> String {
    if x == 0.0 || (1e-4..1e6).contains(&x.abs()) {
        let text = format!("{x:.6}");
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        format!("{x:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bounds are kept or left out as they are written, and nothing that is not finite is inside.
    #[test]
    fn ranges() {
        let half_open = Range { low: Bound::Open(-1.0), high: Bound::Closed(0.5) };
        assert!(!half_open.contains(-1.0) && half_open.contains(0.5) && !half_open.contains(0.6));
        for range in [Range::ANY, Range::POSITIVE, Range::closed(0.0, 1.0)] {
            assert!(!range.contains(f64::NAN) && !range.contains(f64::INFINITY), "{range}");
        }
        assert_eq!(half_open.to_string(), "(-1, 0.5]");
        assert_eq!(Range::closed(1e-14, 1.0 / 3.0).to_string(), "[1e-14, 0.333333]");
    }

    /// Forms read as they would be said.
    #[test]
    fn forms_in_words() {
        let said = [
            (Form::POSITIVE, "a positive number"),
            (Form::Word(&["q", "v", "qv"]), "\"q\", \"v\" or \"qv\""),
            (Form::exactly(3, &Form::NUMBER), "a list of 3, each a number"),
            (Form::OneOf(&[Form::NUMBER, Form::NUMBERS]), "a number or a list, each entry a number"),
            (Form::Integer { least: 1, most: i64::MAX }, "a whole number ≥ 1"),
        ];
        for (form, words) in said {
            assert_eq!(form.to_string(), words);
        }
    }
}
