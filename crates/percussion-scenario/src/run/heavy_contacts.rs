//! The contacts of bodies that carry most, which are the ones a page draws where there are many.

use crate::error::Result;
use crate::run::contact_names::ContactNames;
use crate::run::table_reader::TableReader;
use percussion_report::ReportBuilder;
use std::collections::BTreeMap;

/// Columns of `contacts.csv`: the contact and its normal impulse.
const CONTACT: usize = 2;
const P_N: usize = 7;

/// Those with the largest sums of normal impulses in the table of contacts, by identity; none where all have a curve anyway.
pub fn heavy_contacts(names: &ContactNames, open: impl FnOnce() -> Result<TableReader>) -> Result<Vec<usize>> {
    if names.order().len() <= ReportBuilder::FEW_CONTACTS {
        return Ok(Vec::new());
    }
    let mut table = open()?;
    let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
    while table.next()? {
        let id = usize::try_from(table.integer(CONTACT)?).unwrap_or(usize::MAX);
        *sums.entry(id).or_default() += table.number_or_zero(P_N)?;
    }
    let mut order: Vec<(usize, f64)> = sums.into_iter().filter(|(_, p)| *p > 0.0).collect();
    // equal sums by identity
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    order.truncate(ReportBuilder::FEW_CONTACTS);
    Ok(order.into_iter().map(|(id, _)| id).collect())
}
