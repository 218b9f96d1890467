//! Pages of `percussion play`: of one scenario, and of all built-in ones behind links into one page.

use crate::build::load::{LoadOptions, Source};
use crate::builtin;
use crate::error::Result;
use crate::play::{play_files, play_numbers};
use crate::run::report::write_text;
use percussion_report::{Block, Document, Playground};
use std::path::{Path, PathBuf};

/// The page of a scenario with the files it names, and the simulator to run it.
pub fn play_page(source: &Source, options: &LoadOptions) -> Result<String> {
    // what is wrong with it is told here rather than on the page
    let title = source.load(options)?.scenario.name;
    play_numbers(source)?;
    let files = play_files(source)?.into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect();
    let file = Path::new(&source.name).file_name();
    let name = file.map_or(source.name.clone(), |name| name.to_string_lossy().into_owned());
    Ok(Playground { name, title, text: source.text.clone(), files, ..Playground::default() }.render())
}

/// What the chapters of the book speak of: a scenario, two schemes side by side, and what to look for.
const CHAPTERS: [(&str, &str, &str, &str, &str); 6] = [
    (
        "Schemes",
        "bouncing-ball",
        "moreau-jean",
        "event-driven",
        "equal steps through infinitely many bounces, beside the instants themselves",
    ),
    ("Restitution", "impact-oscillator", "", "", "move the restitution: how much each impact leaves"),
    ("Friction", "sliding-block", "", "", "move the friction: where the block stops"),
    ("Rest", "box-pile", "", "", "bodies that come to lie on each other and stay"),
    (
        "Energy",
        "two-mass-oscillator",
        "moreau-jean",
        "schatzman-paoli",
        "all that is lost is lost to contacts, beside a scheme that makes and takes energy of its own",
    ),
    (
        "No penetration",
        "pendulum",
        "moreau-jean",
        "generalized-alpha-ggl",
        "contacts on velocities, beside contacts on positions too",
    ),
];

/// Writes a folder of plain files: one page that computes, and an index of links that open every built-in scenario in it.
pub fn live_gallery(folder: &Path) -> Result<PathBuf> {
    // in one page every mesh has a name of its own
    let mesh = |name: &str| format!("{name}.msh");
    let of = |name: &str| {
        let text = builtin::text(name).unwrap_or_default();
        let text = if builtin::mesh(name).is_some() { text.replace(builtin::MESH, &mesh(name)) } else { text.into() };
        Playground { name: name.into(), title: name.into(), text, ..Playground::default() }
    };
    let meshes = builtin::names().filter_map(|name| Some((mesh(name), builtin::mesh(name)?.to_vec())));
    write_text(&folder.join("play.html"), &Playground { files: meshes.collect(), ..of("bouncing-ball") }.render())?;
    let link = |page: Playground, title: &str, remark: &str| {
        [format!("play.html{}", page.fragment()), title.to_string(), remark.to_string(), String::new()]
    };
    let chapters = CHAPTERS.map(|(title, name, scheme, against, remark)| {
        link(Playground { scheme: scheme.into(), against: against.into(), ..of(name) }, title, remark)
    });
    let scenes = builtin::names().map(|name| link(of(name), name, builtin::summary(name)));
    let index = Document {
        title: "Scenarios to play with".into(),
        subtitle: "each opens in one page that holds the simulator; nothing is loaded from elsewhere".into(),
        up: None,
        blocks: vec![
            Block::Heading("Beside the chapters of the book".into()),
            Block::Links(chapters.to_vec()),
            Block::Heading("Built-in scenarios".into()),
            Block::Links(scenes.collect()),
        ],
    };
    let path = folder.join("index.html");
    write_text(&path, &index.render())?;
    Ok(path)
}
