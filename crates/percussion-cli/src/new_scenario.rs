//! `percussion new NAME`: a commented scenario to start from, a template, a copy of another, or one made from a robot.

use crate::args::{RobotOptions, Template};
use crate::exit::Exit;
use crate::say;
use crate::show_error::show;
use clap::ValueEnum;
use percussion::model::Code;
use percussion::scenario::{ImportOptions, LoadOptions, ScenarioError, Source, builtin, import_robot, unwritten_keys};
use std::io::Write;
use std::path::Path;

/// Writes NAME.toml beside the caller, from a template or with every key of a linear model; never over an existing file.
pub fn write(name: &str, template: Option<Template>) -> Exit {
    let (file, stem) = named(name);
    let text = match template {
        Some(template) => template_text(template).replace("TEMPLATE", &stem),
        None => {
            let text = renamed(builtin::text("two-mass-oscillator").unwrap_or_default(), &stem);
            format!("{text}\n{}", unwritten_keys(&text))
        }
    };
    // the mesh first: a scenario is not written without it
    if template == Some(Template::Solid)
        && let Err(exit) = mesh_beside(&file, include_bytes!("../templates/solid.msh"))
    {
        return exit;
    }
    let others = Template::value_variants().iter().filter_map(Template::to_possible_value);
    let others: Vec<String> = others.map(|value| value.get_name().to_string()).collect();
    match create(Path::new(&file), text.as_bytes()) {
        Ok(()) => {
            say!("wrote {file}; run it with: percussion run {file}");
            if template.is_none() {
                say!("templates: {}; percussion new NAME --template TEMPLATE", others.join(", "));
            }
            Exit::Good
        }
        Err(error) => unwritten(file, &error),
    }
}

fn template_text(template: Template) -> &'static str {
    match template {
        Template::Ball => include_str!("../templates/ball.toml"),
        Template::Bodies => include_str!("../templates/bodies.toml"),
        Template::Mechanism => include_str!("../templates/mechanism.toml"),
        Template::Solid => include_str!("../templates/solid.toml"),
        Template::Formula => include_str!("../templates/formula.toml"),
    }
}

/// NAME.toml, and NAME as it may stand between quotes.
fn named(name: &str) -> (String, String) {
    let file = if name.ends_with(".toml") { name.to_string() } else { format!("{name}.toml") };
    let stem = Path::new(&file).file_stem().map_or("scenario".into(), |s| s.to_string_lossy().into_owned());
    let quoted = serde_json::Value::String(stem).to_string();
    (file, quoted.trim_matches('"').to_string())
}

/// The text of a scenario under another name.
fn renamed(text: &str, name: &str) -> String {
    let line = format!("name = \"{name}\"");
    let mut done = false;
    let mut lines: Vec<String> = Vec::new();
    for old in text.lines() {
        // a name of the top level stands before the first table
        done |= old.trim_start().starts_with('[');
        let here = !done && old.split_once('=').is_some_and(|(key, _)| key.trim() == "name");
        lines.push(if here { line.clone() } else { old.to_string() });
        done |= here;
    }
    lines.join("\n") + "\n"
}

/// Writes NAME.toml from a robot, a scenario file or a built-in scenario.
pub fn from(name: &str, from: &Path, robot: &RobotOptions) -> Exit {
    let is = |extension: &str| from.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension));
    let shown = from.to_string_lossy();
    let scenario = is("toml") || !from.is_file() && builtin::text(&shown).is_some();
    if !scenario { import(name, from, robot) } else { copy(name, &shown) }
}

/// A scenario under another name; the mesh of a built-in one is written beside it, other files it reads stay where they are.
fn copy(name: &str, from: &str) -> Exit {
    let source = match Source::open(from) {
        Ok(source) => source,
        Err(error) => return show(&error, false),
    };
    let (file, stem) = named(name);
    let mut text = renamed(&source.text, &stem);
    if let Some(mesh) = source.folder.is_none().then(|| builtin::mesh(from)).flatten() {
        text = text.replace(builtin::MESH, &format!("{stem}.msh"));
        if let Err(exit) = mesh_beside(&file, mesh) {
            return exit;
        }
    }
    if let Err(error) = create(Path::new(&file), text.as_bytes()) {
        return unwritten(file, &error);
    }
    say!("wrote {file}; run it with: percussion run {file}");
    if let Err(error) = percussion::scenario::load(&file, &LoadOptions::default()) {
        say!("as it stands it does not run: {}; copy the files it reads from beside {from}", error.message);
    }
    Exit::Good
}

/// Bytes of a robot file at most.
const LARGEST_ROBOT: u64 = 64 << 20;

/// Writes NAME.toml from a robot and lists what was not taken over.
fn import(name: &str, from: &Path, asked: &RobotOptions) -> Exit {
    let (file, _) = named(name);
    let shown = from.display().to_string();
    let refuse = |message: &str| {
        show(&ScenarioError::file(Code::UNREADABLE, shown.clone(), message, "give a URDF, MJCF or SDF file"), false)
    };
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
    let pose = match asked.pose.as_deref().map_or(Ok(Vec::new()), pose) {
        Ok(pose) => pose,
        Err(word) => {
            let message = format!("--pose: \"{word}\" is not joint=angle");
            return show(&ScenarioError::file(Code::BAD_ROBOT, shown, message, "write joint=angle,joint=angle"), false);
        }
    };
    let stem = Path::new(&file).file_stem().map_or("robot".into(), |s| s.to_string_lossy().into_owned());
    let options = ImportOptions {
        floating: asked.floating,
        floor: asked.floor,
        pose,
        mend_inertia: asked.mend_inertia,
        folder: Some(from.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_path_buf()),
        name: stem,
    };
    let imported = match import_robot(&shown, &text, &options) {
        Ok(imported) => imported,
        Err(error) => return show(&error, false),
    };
    if let Err(error) = create(Path::new(&file), imported.toml.as_bytes()) {
        return unwritten(file, &error);
    }
    let beside = Path::new(&file).parent().unwrap_or(Path::new("")).to_path_buf();
    for (part, text) in &imported.files {
        let path = beside.join(part);
        let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, text));
        if let Err(error) = written {
            return unwritten(path.display().to_string(), &error);
        }
    }
    say!("wrote {file}; run it with: percussion run {file}");
    if !imported.files.is_empty() {
        say!("wrote {} hulls of meshes beside it", imported.files.len());
    }
    if !imported.ignored.is_empty() {
        say!("not taken over from {shown}:");
        for what in &imported.ignored {
            say!("  {what}");
        }
    }
    Exit::Good
}

/// `joint=angle,joint=angle` or names of keyframes.
fn pose(text: &str) -> Result<Vec<(String, Option<f64>)>, String> {
    let word = |word: &str| match word.rsplit_once('=') {
        None => Ok((word.trim().to_string(), None)),
        Some((joint, angle)) => match angle.trim().parse::<f64>() {
            Ok(angle) if angle.is_finite() => Ok((joint.trim().to_string(), Some(angle))),
            _ => Err(word.to_string()),
        },
    };
    text.split(',').filter(|w| !w.trim().is_empty()).map(word).collect()
}

/// Writes a file that does not exist yet.
fn create(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut out = std::fs::OpenOptions::new().write(true).create_new(true).open(path)?;
    out.write_all(bytes)
}

/// Writes the mesh NAME.msh of a scenario NAME.toml that does not exist yet.
fn mesh_beside(file: &str, mesh: &[u8]) -> Result<(), Exit> {
    if Path::new(file).exists() {
        return Err(unwritten(file.to_string(), &std::io::ErrorKind::AlreadyExists.into()));
    }
    let path = Path::new(file).with_extension("msh");
    create(&path, mesh).map_err(|error| unwritten(path.display().to_string(), &error))
}

fn unwritten(file: String, error: &std::io::Error) -> Exit {
    let message = match error.kind() {
        std::io::ErrorKind::AlreadyExists => "exists already".to_string(),
        _ => format!("cannot be written: {error}"),
    };
    show(&ScenarioError::file(Code::UNWRITABLE, file, message, "choose another name"), false)
}
