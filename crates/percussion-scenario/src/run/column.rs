//! What the columns of tables hold, for formats that have types.

/// The kind of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Whole numbers.
    Integer,
    /// Numbers.
    Number,
    /// Text.
    Word,
}

impl Column {
    /// Of a column of a run's tables.
    pub fn of_run(name: &str) -> Self {
        match name {
            "step" | "contact" | "element" | "axis" => Self::Integer,
            "status" | "kind" | "body_a" | "body_b" | "joint" | "beam" | "coordinate" | "column" | "name" | "unit" => {
                Self::Word
            }
            _ => Self::Number,
        }
    }

    /// From its name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Integer, Self::Number, Self::Word].into_iter().find(|kind| kind.name() == name)
    }

    /// Its name in lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Word => "word",
        }
    }
}
