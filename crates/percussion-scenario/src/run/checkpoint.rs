//! `checkpoint` in a run folder: all a run needs to go on, replaced as a whole.
//!
//! ```text
//! "percussion checkpoint 4\n" │ length │ CRC-64 │ version, scenario's CRC-64, wall time, warnings,
//!                                                 lengths and CRC-64s of the tables, recorder, simulation
//! ```
//!
//! The tables reach the disk before the checkpoint that vouches for them; rows written later are cut off on resuming and
//! made again, the same bytes.

use crate::error::{Result, ScenarioError};
use crate::limits::MAX_CHECKPOINT;
use crate::run::atomic_file::{replace, replace_on_disk};
use crate::run::crc64::Crc64;
use crate::run::table::Written;
use crate::run::writer::{RunWriter, Unwritable};
use percussion_model::Code;
use percussion_step::{Pack, PackPart, Simulation};
use std::fs::File;
use std::path::Path;

/// The file.
pub const NAME: &str = "checkpoint";

/// The same where a run ended, for those who want to go on to a later end.
pub const END: &str = "end";

const MAGIC: &[u8] = b"percussion checkpoint 4\n";

/// That of version 0.1, whose schemes carried other things from step to step.
const FORMER: &[u8] = b"percussion checkpoint 1\n";

/// What stands before recorder and simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    /// The program's version.
    pub version: String,
    /// CRC-64 of `scenario.toml`.
    pub scenario: u64,
    /// Time the run has taken so far [s].
    pub wall_s: f64,
    /// Warnings of the run, which the resolved scenario does not give again.
    pub warnings: Vec<String>,
    /// The tables.
    pub written: Vec<Written>,
}
percussion_step::packed! { Head { version, scenario, wall_s, warnings, written } }

/// A checkpoint read back.
pub struct Checkpoint {
    /// What stands before recorder and simulation.
    pub head: Head,
    rest: Vec<u8>,
}

/// Writes the checkpoint of a run after its tables.
pub fn write(
    folder: &Path,
    mut head: Head,
    writer: &mut RunWriter,
    simulation: &Simulation,
) -> std::result::Result<(), Unwritable> {
    head.written = writer.sync()?;
    let bytes = packed(&head, writer, simulation);
    let path = folder.join(NAME);
    // what the checkpoint is of must be there too
    let _ = File::open(folder.join("scenario.toml")).and_then(|file| file.sync_all());
    replace_on_disk(&path, &bytes).map_err(|error| Unwritable { path, error })
}

/// Writes where a run ended; nobody waits for the disk, as the run is over.
pub fn write_end(
    folder: &Path,
    mut head: Head,
    writer: &mut RunWriter,
    simulation: &Simulation,
) -> std::result::Result<(), Unwritable> {
    head.written = writer.flush()?;
    let bytes = packed(&head, writer, simulation);
    let path = folder.join(END);
    replace(&path, &bytes).map_err(|error| Unwritable { path, error })
}

fn packed(head: &Head, writer: &RunWriter, simulation: &Simulation) -> Vec<u8> {
    sealed(head, &parts(writer, simulation))
}

/// Recorder and simulation as bytes.
fn parts(writer: &RunWriter, simulation: &Simulation) -> Vec<u8> {
    let mut parts = Vec::new();
    writer.pack_part(&mut parts);
    simulation.pack_part(&mut parts);
    parts
}

/// Where a run in memory ended: recorder and simulation, and the rows that its tables had then.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    parts: Vec<u8>,
    /// One number for each table; a row that waits for more steps is not among them.
    pub rows: Vec<u64>,
}
percussion_step::packed! { End { parts, rows } }

impl End {
    /// Of a run whose tables are in memory, before rows that wait are written.
    pub fn of(writer: &mut RunWriter, simulation: &Simulation) -> Self {
        Self { parts: parts(writer, simulation), rows: writer.rows() }
    }

    /// Writes it beside the tables, whose rows up to there are as long as told.
    pub fn write(&self, folder: &Path, head: &Head) -> std::result::Result<(), Unwritable> {
        let path = folder.join(END);
        replace(&path, &sealed(head, &self.parts)).map_err(|error| Unwritable { path, error })
    }
}

fn sealed(head: &Head, parts: &[u8]) -> Vec<u8> {
    let mut payload = Vec::new();
    head.pack(&mut payload);
    payload.extend_from_slice(parts);
    let mut bytes = MAGIC.to_vec();
    (payload.len() as u64, Crc64::of(&payload)).pack(&mut bytes);
    bytes.extend_from_slice(&payload);
    bytes
}

/// The checkpoint of a folder; none where there is none.
pub fn read(folder: &Path) -> Result<Option<Checkpoint>> {
    read_named(folder, NAME)
}

/// The same from a file of that name.
pub fn read_named(folder: &Path, name: &str) -> Result<Option<Checkpoint>> {
    let path = folder.join(name);
    let length = match std::fs::metadata(&path) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(&path, &crate::build::load::plain(&error))),
    };
    if length > MAX_CHECKPOINT {
        return Err(unusable(&path, &format!("is {length} bytes long; the limit is {MAX_CHECKPOINT}")));
    }
    let bytes = std::fs::read(&path).map_err(|error| unusable(&path, &crate::build::load::plain(&error)))?;
    match parse(&bytes) {
        Ok(checkpoint) => Ok(Some(checkpoint)),
        Err(fault) => Err(unusable(&path, fault)),
    }
}

/// A checkpoint from its bytes, or what is wrong with them.
pub fn parse(bytes: &[u8]) -> std::result::Result<Checkpoint, &'static str> {
    if bytes.starts_with(FORMER) {
        return Err("was written by version 0.1.0, and a checkpoint is of one version");
    }
    let mut rest = bytes.strip_prefix(MAGIC).ok_or("is no checkpoint of this version")?;
    let (length, crc): (usize, u64) = Pack::unpack(&mut rest).ok_or("is cut short")?;
    if length != rest.len() {
        return Err("is cut short, or longer than it should be");
    }
    if Crc64::of(rest) != crc {
        return Err("does not have its checksum: bytes were changed");
    }
    let head = Pack::unpack(&mut rest).ok_or("cannot be understood")?;
    Ok(Checkpoint { head, rest: rest.to_vec() })
}

impl Checkpoint {
    /// Puts recorder and simulation, both at t = 0, where the run was.
    pub fn restore(&self, writer: &mut RunWriter, simulation: &mut Simulation, folder: &Path) -> Result<()> {
        let mut rest = &self.rest[..];
        let restored = writer.unpack_part(&mut rest).and_then(|()| simulation.unpack_part(&mut rest));
        if restored.is_some() && rest.is_empty() && writer.audit.steps() == simulation.number() {
            return Ok(());
        }
        Err(unusable(&folder.join(NAME), "does not fit its scenario"))
    }
}

/// E302.
pub fn unusable(path: &Path, message: &str) -> Box<ScenarioError> {
    let help = "run the scenario again: percussion run RUN/scenario.toml --out ANOTHER";
    ScenarioError::file(Code::BAD_CHECKPOINT, path.display().to_string(), message, help)
}
