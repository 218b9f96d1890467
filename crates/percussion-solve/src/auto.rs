//! `auto`, which chooses among the other solvers: one ladder for problems without friction, one for those with it.

use crate::complementarity;
use crate::entry::{Complementarity, Entry};
use crate::friction;

/// The solver's entry in the list.
pub(crate) const ENTRY: Entry = Entry {
    name: "auto",
    summary: "chooses, watches stall and cycling, changes method until one answer is good",
    most_rows: None,
    complementarity: Complementarity::Run(complementarity::auto::solve),
    friction: Some(friction::auto::FRICTION),
};
