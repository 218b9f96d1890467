//! `percussion new NAME`: a commented scenario to start from, or one made from a robot.

use crate::exit::Exit;
use crate::say;
use crate::show_error::show;
use percussion::model::Code;
use percussion::scenario::{KINDS, ScenarioError, builtin, import_urdf, unwritten_keys};
use std::io::Write;
use std::path::Path;

/// Writes NAME.toml beside the caller; never over an existing file.
pub fn write(name: &str) -> Exit {
    let file = if name.ends_with(".toml") { name.to_string() } else { format!("{name}.toml") };
    let path = Path::new(&file);
    let stem = path.file_stem().map_or("scenario".into(), |s| s.to_string_lossy().into_owned());
    let template = builtin::text("two-mass-oscillator").unwrap_or_default();
    let quoted = serde_json::Value::String(stem).to_string();
    let text = template.replace("name = \"two-mass-oscillator\"", &format!("name = {quoted}"));
    let text = format!("{text}\n{}", unwritten_keys(&text));
    let others: Vec<&str> = KINDS.iter().copied().filter(|&kind| kind != "linear").collect();
    match create(path, &text) {
        Ok(()) => {
            say!("wrote {file}; run it with: percussion run {file}");
            say!("other kinds of model: {}; percussion list scenarios, percussion list schema", others.join(", "));
            Exit::Good
        }
        Err(error) => unwritten(file, &error),
    }
}

/// Bytes of a robot file at most.
const LARGEST_ROBOT: u64 = 64 << 20;

/// Writes NAME.toml from a robot and lists what was not taken over.
pub fn import(name: &str, from: &Path, floating: bool) -> Exit {
    let file = if name.ends_with(".toml") { name.to_string() } else { format!("{name}.toml") };
    let shown = from.display().to_string();
    let refuse =
        |message: &str| show(&ScenarioError::file(Code::UNREADABLE, shown.clone(), message, "give a URDF file"), false);
    match std::fs::metadata(from) {
        Ok(there) if !there.is_file() => return refuse("is not a regular file"),
        Ok(there) if there.len() > LARGEST_ROBOT => return refuse("is larger than 64 MB"),
        _ => {}
    }
    let text = match std::fs::read_to_string(from) {
        Ok(text) => text,
        Err(error) => {
            let message = format!("cannot be read: {error}");
            return show(&ScenarioError::file(Code::UNREADABLE, shown, message, "check the path"), false);
        }
    };
    let imported = match import_urdf(&shown, &text, !floating) {
        Ok(imported) => imported,
        Err(error) => return show(&error, false),
    };
    if let Err(error) = create(Path::new(&file), &imported.toml) {
        return unwritten(file, &error);
    }
    say!("wrote {file}; run it with: percussion run {file}");
    if !imported.ignored.is_empty() {
        say!("not taken over from {shown}:");
        for what in &imported.ignored {
            say!("  {what}");
        }
    }
    Exit::Good
}

/// Writes a file that does not exist yet.
fn create(path: &Path, text: &str) -> std::io::Result<()> {
    let mut out = std::fs::OpenOptions::new().write(true).create_new(true).open(path)?;
    out.write_all(text.as_bytes())
}

fn unwritten(file: String, error: &std::io::Error) -> Exit {
    let message = match error.kind() {
        std::io::ErrorKind::AlreadyExists => "exists already".to_string(),
        _ => format!("cannot be written: {error}"),
    };
    show(&ScenarioError::file(Code::UNWRITABLE, file, message, "choose another name"), false)
}
