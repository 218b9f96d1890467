//! What the contacts of a run are called: two bodies and a number.
//!
//! Before a plane the number is that of the body's corner or end. Between other shapes features have no number a reader could know, so
//! contacts are counted: the n-th of two bodies, in the order in which the run met them.

use crate::error::Result;
use crate::run::names::{NAMES, NAMES_HEADER};
use crate::run::table_reader::TableReader;
use percussion_step::{Model, Pack};
use std::collections::BTreeMap;
use std::path::Path;

/// The names so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactNames {
    names: BTreeMap<usize, String>,
    /// Contacts of two bodies met so far.
    counts: BTreeMap<[usize; 2], usize>,
    /// The contacts in the order they were met.
    order: Vec<usize>,
}

impl ContactNames {
    /// Names a contact when it is first met.
    pub fn meet(&mut self, model: &Model, id: usize) {
        if self.names.contains_key(&id) {
            return;
        }
        let name = match model.bodies().filter(|scene| scene.has_unnumbered_features(id as u64)) {
            Some(scene) => {
                let count = self.counts.entry(scene.pair_of(id as u64)).or_default();
                *count += 1;
                scene.name_of_pair(id as u64, *count - 1)
            }
            None => model.contact_name(id),
        };
        self.names.insert(id, name);
        self.order.push(id);
    }

    /// What a contact is called; one that was not met, as its model calls it.
    pub fn name(&self, model: &Model, id: usize) -> String {
        self.names.get(&id).cloned().unwrap_or_else(|| model.contact_name(id))
    }

    /// Contacts and names, by rising number.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &str)> {
        self.names.iter().map(|(id, name)| (*id, name.as_str()))
    }

    /// The contacts in the order they were met.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// From rows of `names.csv`: kind, column, name. Further contacts are counted on.
    pub fn from_rows(model: &Model, rows: impl Iterator<Item = [String; 3]>) -> Self {
        let mut found = Self::default();
        for [kind, column, name] in rows {
            let Some(id) = column.parse::<usize>().ok().filter(|&id| kind == "contact" && model.knows_contact(id))
            else {
                continue;
            };
            if let Some(scene) = model.bodies().filter(|scene| scene.has_unnumbered_features(id as u64)) {
                *found.counts.entry(scene.pair_of(id as u64)).or_default() += 1;
            }
            found.names.insert(id, name);
            found.order.push(id);
        }
        found
    }

    /// From `names.csv` of a folder; empty where there is none, as in runs of version 0.1.
    pub fn read(folder: &Path, model: &Model) -> Result<Self> {
        if !folder.join(NAMES).exists() {
            return Ok(Self::default());
        }
        let mut table = TableReader::open(folder, NAMES, NAMES_HEADER)?;
        let mut rows = Vec::new();
        while table.next()? {
            // behind the apostrophe of a name that a spreadsheet would compute
            let plain = |word: &str| match word.strip_prefix('\'') {
                Some(rest) if rest.starts_with(['=', '+', '-', '@']) => rest.to_string(),
                _ => word.to_string(),
            };
            rows.push([0, 1, 2].map(|column| plain(table.word(column))));
        }
        Ok(Self::from_rows(model, rows.into_iter()))
    }

    /// Into a checkpoint.
    pub fn pack(&self, out: &mut Vec<u8>) {
        self.order.pack(out);
    }

    /// From a checkpoint; none where it speaks of contacts that the model does not know.
    pub fn unpack(model: &Model, from: &mut &[u8]) -> Option<Self> {
        let order: Vec<usize> = Pack::unpack(from)?;
        let mut names = Self::default();
        for id in order {
            if !model.knows_contact(id) {
                return None;
            }
            names.meet(model, id);
        }
        Some(names)
    }
}
