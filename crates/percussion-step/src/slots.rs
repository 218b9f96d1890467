//! Places in tables for contacts: their numbers where a model counts them, the order of their first appearance where
//! contacts come and go.

use std::collections::HashMap;

/// From a contact's number or identity to its place.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    known: HashMap<usize, usize>,
    counted: usize,
}

impl Slots {
    /// The first n numbers are their own places.
    pub fn new(counted: usize) -> Self {
        Self { known: HashMap::new(), counted }
    }

    /// The place of a contact, a new one at its first appearance.
    #[inline]
    pub fn of(&mut self, id: usize) -> usize {
        if id < self.counted {
            return id;
        }
        let next = self.counted + self.known.len();
        *self.known.entry(id).or_insert(next)
    }
}
