//! `percussion play SCENARIO`: a page that holds the scenario and the simulator.

use crate::args::PlayOptions;
use crate::exit::Exit;
use crate::run_command::default_folder;
use crate::say;
use crate::show_error::{clean, show};
use percussion::scenario::{self, LoadOptions, Source};
use std::path::PathBuf;

/// Writes the page.
pub fn play(options: &PlayOptions) -> Exit {
    let load = LoadOptions { anywhere: options.allow_outside, ..LoadOptions::default() };
    let written = Source::open(&options.scenario).and_then(|source| {
        let source = Source { anywhere: options.allow_outside, ..source };
        let page = scenario::play_page(&source, &load)?;
        let path = options.out.clone().unwrap_or_else(|| default_page(&source.default_name));
        scenario::write_text(&path, &page)?;
        Ok((path, page.len()))
    });
    match written {
        Ok((path, bytes)) => {
            let size = bytes as f64 / 1e6;
            say!("{}: {size:.1} MB, opens in any browser without a network", clean(&path.display().to_string()));
            Exit::Good
        }
        Err(error) => show(&error, options.json),
    }
}

/// `NAME-play.html`, with a name any file system takes.
fn default_page(name: &str) -> PathBuf {
    let folder = default_folder(name);
    let slug = folder.file_name().map_or("scenario".into(), |name| name.to_string_lossy().into_owned());
    PathBuf::from(format!("{slug}-play.html"))
}
