//! Something wrong with a scenario or a file: a code, the place, the object, the fact and the way out.

use percussion_model::{Code, InputError};

/// A place in a text, lines and columns from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line.
    pub line: usize,
    /// Column, counted in characters.
    pub column: usize,
    /// How many characters are meant.
    pub length: usize,
}

/// One refused scenario or file.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioError {
    /// The code, explained by `percussion explain`.
    pub code: Code,
    /// The file, or the option of the command line, the mistake is in.
    pub file: Option<String>,
    /// Where in the file.
    pub place: Option<Place>,
    /// The key it concerns, dotted: `model.contact[2].restitution`; empty when it concerns the whole.
    pub field: String,
    /// The fact.
    pub message: String,
    /// What to do.
    pub help: String,
    /// The line of the file that is meant.
    pub source_line: Option<String>,
}

/// The result of everything that reads or writes files; boxed because the error carries its context.
pub type Result<T> = std::result::Result<T, Box<ScenarioError>>;

impl ScenarioError {
    /// An error about a whole file.
    pub fn file(code: Code, file: impl Into<String>, message: impl Into<String>, help: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            code,
            file: Some(file.into()),
            place: None,
            field: String::new(),
            message: message.into(),
            help: help.into(),
            source_line: None,
        })
    }

    /// The same error at a line of its file.
    pub fn at_line(mut self: Box<Self>, line: usize, source_line: Option<&str>) -> Box<Self> {
        let length = source_line.map_or(0, |text| text.chars().count().min(80));
        self.place = Some(Place { line, column: 1, length });
        self.source_line = source_line.map(|text| clip(text, 1).0);
        self
    }

    /// The same error about a field.
    pub fn about(mut self: Box<Self>, field: impl Into<String>) -> Box<Self> {
        self.field = field.into();
        self
    }
}

impl From<InputError> for Box<ScenarioError> {
    fn from(error: InputError) -> Self {
        Box::new(ScenarioError {
            code: error.code,
            file: None,
            place: None,
            field: error.field,
            message: error.message,
            help: error.help,
            source_line: None,
        })
    }
}

impl std::fmt::Display for ScenarioError {
    /// One line: code, file:line:column, field, fact, remedy.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: ", self.code)?;
        if let Some(file) = &self.file {
            write!(f, "{file}")?;
            if let Some(place) = self.place {
                write!(f, ":{}:{}", place.line, place.column)?;
            }
            write!(f, ": ")?;
        }
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        write!(f, "{} ({})", self.message, self.help)
    }
}

impl std::error::Error for ScenarioError {}

/// A line short enough for a terminal around the column meant, and that column in it.
pub(crate) fn clip(line: &str, column: usize) -> (String, usize) {
    const WIDTH: usize = 100;
    let characters: Vec<char> = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if characters.len() <= WIDTH {
        return (characters.into_iter().collect(), column);
    }
    let start = (column.saturating_sub(1)).saturating_sub(WIDTH / 2).min(characters.len() - WIDTH);
    let mut text: String = characters[start..start + WIDTH].iter().collect();
    let mut shown = column - start;
    if start > 0 {
        text.insert(0, '…');
        shown += 1;
    }
    if start + WIDTH < characters.len() {
        text.push('…');
    }
    (text, shown)
}
