//! The bytes of the tables against the checksums in the summary.

use crate::run::folder::RunFolder;
use crate::run::summary::TableSum;
use crate::run::table::Written;
use crate::verify::{Check, Finding};
use std::fs::File;

/// CRC-64 and length of every table the summary vouches for.
pub fn check_checksums(run: &RunFolder) -> Check {
    let sums = &run.summary.tables;
    let changed = sums.iter().find_map(|(name, sum)| {
        let written = File::open(run.folder.join(name)).and_then(|mut file| Written::read(&mut file, u64::MAX));
        match written.map(TableSum::from) {
            Ok(found) if found == *sum => None,
            Ok(_) => Some(format!("{name}: its bytes were changed")),
            Err(error) => Some(format!("{name}: {error}")),
        }
    });
    let changed = changed.or_else(|| changed_summary(run));
    let finding = match changed {
        _ if sums.is_empty() => Finding::Unsupported("summary.json holds no checksums".into()),
        Some(place) => Finding::Differs { worst: 1.0, place },
        None => Finding::Agrees(0.0),
    };
    Check { name: "checksums", rule: "CRC-64 of every table and of the summary", finding }
}

/// Whether `summary.json` was edited; those of version 0.1 have no checksum of their own.
fn changed_summary(run: &RunFolder) -> Option<String> {
    let text = match std::fs::read_to_string(run.folder.join("summary.json")) {
        Ok(text) => text,
        Err(error) => return Some(format!("summary.json: {error}")),
    };
    match run.summary.is_unchanged(&text) {
        Some(true) => None,
        Some(false) => Some("summary.json: it was changed".into()),
        None if run.summary.version.starts_with("0.1") => None,
        None => Some("summary.json: it has no checksum of its own".into()),
    }
}
