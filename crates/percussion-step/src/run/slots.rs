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

    /// Whether the first numbers are their own places and the others have the next ones below n.
    pub fn fit(&self, counted: usize, n: usize) -> bool {
        let mut places: Vec<usize> = self.known.values().copied().collect();
        places.sort_unstable();
        let next = counted..counted + places.len();
        self.counted == counted && counted <= n && next.end <= n && places.into_iter().eq(next)
    }

    /// Whether a contact has a place.
    pub fn has(&self, id: usize) -> bool {
        id < self.counted || self.known.contains_key(&id)
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

impl crate::Pack for Slots {
    fn pack(&self, out: &mut Vec<u8>) {
        let Self { known, counted } = self;
        // by place: the order of a hash map is not ours
        let mut list: Vec<(usize, usize)> = known.iter().map(|(&id, &place)| (place, id)).collect();
        list.sort_unstable();
        list.pack(out);
        counted.pack(out);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let list: Vec<(usize, usize)> = crate::Pack::unpack(from)?;
        let counted = crate::Pack::unpack(from)?;
        Some(Self { known: list.into_iter().map(|(place, id)| (id, place)).collect(), counted })
    }
}
