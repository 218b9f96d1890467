//! `percussion new NAME`: a commented scenario to start from.

use crate::exit::Exit;
use crate::say;
use crate::show_error::show;
use percussion::model::Code;
use percussion::scenario::{KINDS, ScenarioError, builtin};
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
    let others: Vec<&str> = KINDS.iter().copied().filter(|&kind| kind != "linear").collect();
    let created = std::fs::OpenOptions::new().write(true).create_new(true).open(path);
    match created.and_then(|mut out| out.write_all(text.as_bytes())) {
        Ok(()) => {
            say!("wrote {file}; run it with: percussion run {file}");
            say!("other kinds of model: {}; percussion list scenarios, percussion list schema", others.join(", "));
            Exit::Good
        }
        Err(error) => {
            let message = match error.kind() {
                std::io::ErrorKind::AlreadyExists => "exists already".to_string(),
                _ => format!("cannot be written: {error}"),
            };
            show(&ScenarioError::file(Code::UNWRITABLE, file, message, "choose another name"), false)
        }
    }
}
