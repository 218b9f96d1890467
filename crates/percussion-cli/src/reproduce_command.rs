//! `percussion reproduce`: the figures of the papers, built into one browsable folder.

use crate::args::ReproduceOptions;
use crate::bar::RunsBar;
use crate::exit::Exit;
use crate::run_command::interrupt_flag;
use crate::show_error::show;
use crate::verdict_table::plain;
use crate::{complain, say};
use percussion::scenario::live_gallery;
use percussion::study::{Reproduced, StudyProgress, Threads, reproduce as build};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

/// `percussion reproduce --live`.
fn live(options: &ReproduceOptions) -> Exit {
    let folder = options.out.clone().unwrap_or_else(|| PathBuf::from("percussion-live"));
    match live_gallery(&folder) {
        Ok(index) => {
            if options.json {
                say!("{}", serde_json::json!({ "folder": folder.display().to_string() }));
            } else if !options.quiet {
                say!("open {}", index.display());
            }
            Exit::Good
        }
        Err(error) => show(&error, options.json),
    }
}

/// `percussion reproduce [NAME…]`.
pub fn reproduce(options: &ReproduceOptions) -> Exit {
    if options.live {
        return live(options);
    }
    let folder = options.out.clone().unwrap_or_else(|| PathBuf::from("percussion-papers"));
    let threads = options.threads.map_or_else(Threads::default, |n| Threads(n as usize));
    let (stop, bar) = (interrupt_flag(), Mutex::new(RunsBar::of(!options.json && !options.quiet, "pages")));
    let watch = |progress: StudyProgress| {
        if let Ok(mut bar) = bar.lock() {
            bar.weigh(progress.done as u64, progress.runs as u64, progress.share);
        }
        !stop.load(Ordering::Relaxed)
    };
    let result = build(&options.names, &folder, options.short, threads, &watch);
    if let Ok(bar) = bar.lock() {
        bar.clear();
    }
    let made = match result {
        Ok(Some(made)) => made,
        Ok(None) => {
            complain!("interrupted; the pages that were finished are in {}", folder.display());
            return Exit::Interrupted;
        }
        Err(error) => return show(&error, options.json),
    };
    if options.json {
        let page = |(name, title, findings): &(&str, &str, Vec<_>)| {
            let [agree, partly, differ] = Reproduced::counts(findings);
            serde_json::json!({ "page": name, "title": title, "agree": agree, "in_part": partly, "differ": differ })
        };
        let pages: Vec<_> = made.pages.iter().map(page).collect();
        say!("{}", serde_json::json!({ "folder": folder.display().to_string(), "pages": pages }));
    } else if !options.quiet {
        let mut table = plain(&["page", "agree", "in part", "differ"]);
        for (name, _, findings) in &made.pages {
            let [agree, partly, differ] = Reproduced::counts(findings);
            table.add_row([name.to_string(), agree.to_string(), partly.to_string(), differ.to_string()]);
        }
        for line in table.lines() {
            say!("{}", line.trim_end());
        }
        say!("\nopen {}", folder.join("index.html").display());
    }
    Exit::Good
}
