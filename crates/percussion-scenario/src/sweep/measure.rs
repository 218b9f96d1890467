//! What is measured of a run: `last q0`, `max p_n`, `sum dissipation_numerical`, ….

use crate::run::memory::{Cells, Kept};
use percussion_model::{Code, InputError};

/// How a column becomes a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    First,
    Last,
    Min,
    Max,
    Sum,
    Mean,
    Count,
}

const WORDS: [(&str, How); 7] = [
    ("first", How::First),
    ("last", How::Last),
    ("min", How::Min),
    ("max", How::Max),
    ("sum", How::Sum),
    ("mean", How::Mean),
    ("count", How::Count),
];

/// One number of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    how: How,
    /// A column of the ledger, the trajectory or the contacts, looked for in this order.
    column: String,
}

impl Measure {
    /// From its two words.
    pub fn parse(text: &str) -> Result<Self, InputError> {
        let mut words = text.split_whitespace();
        let how = words.next().and_then(|word| WORDS.iter().find(|(name, _)| *name == word));
        match (how, words.next(), words.next()) {
            (Some(&(_, how)), Some(column), None) => Ok(Self { how, column: column.into() }),
            _ => {
                let help = "write first, last, min, max, sum, mean or count and a column: \"max q0\", \"sum p_n\"";
                Err(InputError::new(Code::BAD_SWEEP, "", format!("\"{text}\" is no measure"), help))
            }
        }
    }

    /// As the column of the table is called.
    pub fn name(&self) -> String {
        let word = WORDS.iter().find(|(_, how)| *how == self.how).map_or("", |(word, _)| word);
        format!("{word} {}", self.column)
    }

    /// Of a run; none where it has no such column or no row in it.
    pub fn of(&self, kept: &Kept) -> Option<f64> {
        let find = |cells: &Cells| cells.columns.iter().position(|name| *name == self.column);
        let tables = [&kept.ledger, &kept.trajectory, &kept.contacts];
        let (cells, place) = tables.into_iter().find_map(|cells| find(cells).map(|place| (cells, place)))?;
        let mut column = cells.values.iter().skip(place).step_by(cells.columns.len()).copied().filter(|x| !x.is_nan());
        match self.how {
            How::First => column.next(),
            How::Last => column.next_back(),
            How::Min => column.reduce(f64::min),
            How::Max => column.reduce(f64::max),
            How::Sum => Some(column.sum()),
            How::Count => Some(column.count() as f64),
            How::Mean => {
                let (n, sum) = column.fold((0_u64, 0.0), |(n, sum), x| (n + 1, sum + x));
                (n > 0).then(|| sum / n as f64)
            }
        }
    }
}
