//! Gmsh's mesh files, formats 4.1 and 2.2, text and binary.
//!
//! A file is a list of sections $Name … $EndName. Sections that say nothing about nodes, elements and groups are passed over.
//! Every declared count is compared with the bytes that are left before memory is allocated.

mod collect;
mod source;
mod version2;
mod version4;

use super::Mesh;
use crate::InputError;
use collect::Collected;
use source::{Encoding, Source};

/// Reads a mesh.
pub(super) fn read(bytes: &[u8]) -> Result<Mesh, InputError> {
    let mut source = Source::new(bytes);
    let version = format(&mut source)?;
    let mut mesh = Collected::default();
    while let Some(name) = source.next_section()? {
        match (name.as_str(), version) {
            ("PhysicalNames", _) => names(&mut source, &mut mesh)?,
            ("Entities", Version::Four) => version4::entities(&mut source, &mut mesh)?,
            ("PartitionedEntities", Version::Four) => {
                return Err(source.error("is a partitioned mesh", "save it from Gmsh without partitions"));
            }
            ("Nodes", Version::Four) => version4::nodes(&mut source, &mut mesh)?,
            ("Nodes", Version::Two) => version2::nodes(&mut source, &mut mesh)?,
            ("Elements", Version::Four) => version4::elements(&mut source, &mut mesh)?,
            ("Elements", Version::Two) => version2::elements(&mut source, &mut mesh)?,
            ("MeshFormat", _) => return Err(source.error("$MeshFormat comes twice", "keep one mesh in a file")),
            _ => {
                source.skip_section(&name)?;
                continue;
            }
        }
        source.end_section(&name)?;
    }
    mesh.finish(version == Version::Four, &source)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Two,
    Four,
}

/// $MeshFormat: version, text or binary, size of Gmsh's counts, and in binary files the number 1.
fn format(source: &mut Source) -> Result<Version, InputError> {
    if source.next_section()?.as_deref() != Some("MeshFormat") {
        return Err(source.error("does not begin with $MeshFormat", "give a mesh saved by Gmsh (.msh)"));
    }
    let line = source.line();
    let words: Vec<_> = line.split_whitespace().collect();
    let version = match words.first().copied() {
        Some("4.1") => Version::Four,
        Some("2.2" | "2.1" | "2" | "2.0") => Version::Two,
        other => {
            let message = format!("has format {}", other.unwrap_or("without a number"));
            return Err(source.error(message, "save it from Gmsh as version 4.1 or 2.2"));
        }
    };
    let size = match words.get(2).copied() {
        Some("8") => 8,
        Some("4") => 4,
        other => {
            let message = format!("has numbers of {} bytes", other.unwrap_or("an unknown number of"));
            return Err(source.error(message, "Gmsh writes 8"));
        }
    };
    match words.get(1).copied() {
        Some("0") => source.encoding = Encoding::Text,
        Some("1") => source.begin_binary(if version == Version::Four { size } else { 4 })?,
        other => {
            let message = format!("has file type {}", other.unwrap_or("without a number"));
            return Err(source.error(message, "0 is text, 1 is binary"));
        }
    }
    source.end_section("MeshFormat")?;
    Ok(version)
}

/// $PhysicalNames, text in binary files too: dimension, number and "name".
fn names(source: &mut Source, mesh: &mut Collected) -> Result<(), InputError> {
    let bad = |source: &Source, line: &str| {
        source.error(format!("has no physical name in \"{}\"", line.trim()), "a name is: dimension number \"name\"")
    };
    let line = source.line();
    let count: usize = line.trim().parse().map_err(|_| bad(source, &line))?;
    source.check_count(count, 5, "physical names")?;
    for _ in 0..count {
        let line = source.line();
        let mut parts = line.trim().splitn(3, char::is_whitespace);
        let (Some(dimension), Some(tag), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(bad(source, &line));
        };
        let name = name.trim();
        let inner = name.strip_prefix('"').and_then(|n| n.strip_suffix('"')).filter(|n| !n.is_empty());
        let (Ok(dimension), Ok(tag), Some(name)) = (dimension.parse::<usize>(), tag.parse::<i64>(), inner) else {
            return Err(bad(source, &line));
        };
        if dimension > 3 {
            return Err(bad(source, &line));
        }
        if mesh.names.insert((dimension, tag), name.to_string()).is_some() {
            return Err(source.error(format!("names group {tag} of dimension {dimension} twice"), "give one name"));
        }
    }
    Ok(())
}
