//! The numerical figures of the papers, made again, each page with what agrees and what does not.
//!
//! A page is one file with a `PAGE`, and one line in `PAGES`. Values called "stated" are those of the paper's text, or of an
//! independent implementation of the same formulas where a paper prints none; every "found" is computed when the page is built.

mod adaptive_work;
mod beam;
mod bounce_order;
mod chen_ball;
mod chen_bar;
mod dissipation;
mod dissipation_size;
mod friction_energy;
mod ggl_ball;
mod ggl_bar;
mod ggl_block;
mod ggl_pendulum;
mod high_order;
mod kept;
mod landing;
mod mass_and_law;
mod multipliers;
mod naive;
mod play;
mod random_systems;
mod sheet;
mod spectral_radius;
mod splitting;
mod two_masses;

use crate::parallel::{Task, Threads, Watch, ordered};
use percussion_model::Code;
use percussion_report::{Agreement, Block, Document, Finding};
use percussion_scenario::{Result, ScenarioError, nearest, write_text};
use sheet::Sheet;
use std::path::Path;

/// One page.
pub struct Page {
    /// Its file and the word that asks for it.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Which figures of which paper.
    pub source: &'static str,
    /// Its CPU time over that of all pages, about, in per cent: what it counts for in the progress.
    cost: f64,
    /// Fills it.
    build: fn(&mut Sheet) -> Result<()>,
}

/// Every page, in the order of the index.
pub const PAGES: &[Page] = &[
    ggl_ball::PAGE,
    ggl_pendulum::PAGE,
    ggl_bar::PAGE,
    ggl_block::PAGE,
    naive::PAGE,
    chen_ball::PAGE,
    two_masses::PAGE,
    chen_bar::PAGE,
    beam::PAGE,
    bounce_order::PAGE,
    adaptive_work::PAGE,
    high_order::PAGE,
    splitting::PAGE,
    spectral_radius::PAGE,
    dissipation::PAGE,
    friction_energy::PAGE,
    landing::PAGE,
    mass_and_law::PAGE,
];

/// What was built.
pub struct Reproduced {
    /// One per page: its name, its title and its findings.
    pub pages: Vec<(&'static str, &'static str, Vec<Finding>)>,
}

impl Reproduced {
    /// How many findings agree, agree in part, differ.
    pub fn counts(findings: &[Finding]) -> [usize; 3] {
        [Agreement::Agrees, Agreement::Partly, Agreement::Differs]
            .map(|which| findings.iter().filter(|f| f.agreement == which).count())
    }
}

/// Builds pages into a folder: `index.html`, a page per name, an SVG and a CSV per figure, `findings.csv`. No name: all of them.
/// `short` leaves out the long runs. None when `watch` stopped it.
pub fn reproduce(
    names: &[String],
    folder: &Path,
    short: bool,
    threads: Threads,
    watch: &Watch,
) -> Result<Option<Reproduced>> {
    let mut chosen: Vec<&Page> = Vec::new();
    for name in names {
        let Some(page) = PAGES.iter().find(|page| page.name == name) else {
            let all = PAGES.iter().map(|page| page.name);
            let help = match nearest(name, all.clone()) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("there are {}", all.collect::<Vec<_>>().join(", ")),
            };
            return Err(ScenarioError::file(Code::BAD_STUDY, name.clone(), "there is no page of this name", help));
        };
        if !chosen.iter().any(|other| other.name == page.name) {
            chosen.push(page);
        }
    }
    if chosen.is_empty() {
        chosen = PAGES.iter().collect();
    }
    let weights: Vec<f64> = chosen.iter().map(|page| page.cost).collect();
    let task = |i: usize, _: &Task| -> Result<(Sheet, &Page)> {
        let page = chosen[i];
        let mut sheet = Sheet::new(page.name, short);
        (page.build)(&mut sheet)?;
        sheet.write(page, folder)?;
        Ok((sheet, page))
    };
    let Some(sheets) = ordered(&weights, threads, watch, task) else { return Ok(None) };
    let sheets = sheets.into_iter().collect::<Result<Vec<_>>>()?;
    let pages = sheets.into_iter().map(|(sheet, page)| (page.name, page.title, sheet.findings)).collect();
    let made = Reproduced { pages };
    // pages built before stay, with what they found, in the order of the index
    let mut all = kept::earlier(folder);
    all.retain(|page| made.pages.iter().all(|(name, ..)| *name != page.name));
    all.extend(made.pages.iter().map(|(name, _, findings)| kept::Kept { name, short, findings: findings.clone() }));
    all.sort_by_key(|kept| PAGES.iter().position(|page| page.name == kept.name));
    write_text(&folder.join("index.html"), &index(&all).render())?;
    write_text(&folder.join("findings.csv"), &kept::csv(&all))?;
    Ok(Some(made))
}

/// A study inside a page was stopped from outside.
fn stopped() -> Box<ScenarioError> {
    ScenarioError::file(Code::BAD_STUDY, "reproduce", "the page was stopped", "run it again")
}

fn index(pages: &[kept::Kept]) -> Document {
    let all: Vec<Finding> = pages.iter().flat_map(|page| page.findings.clone()).collect();
    let [agree, partly, differ] = Reproduced::counts(&all);
    let mut links = Vec::new();
    for kept in pages {
        let Some(page) = PAGES.iter().find(|page| page.name == kept.name) else { continue };
        let [a, p, d] = Reproduced::counts(&kept.findings);
        let mut tally = format!("{a} agree");
        for (n, word) in [(p, "in part"), (d, "differ")] {
            if n > 0 {
                tally += &format!(", {n} {word}");
            }
        }
        if kept.short {
            tally += ", short form";
        }
        links.push([format!("{}.html", page.name), page.title.to_string(), page.source.to_string(), tally]);
    }
    let short = pages.iter().any(|page| page.short);
    let remark = if short { " Pages in their short form leave out the long runs." } else { "" };
    let off: Vec<Finding> = all.into_iter().filter(|f| f.agreement != Agreement::Agrees).collect();
    let mut blocks = vec![
        Block::Text(format!(
            "Every numerical figure of four papers that has data in its text, computed again. Of {} statements {agree} agree, {partly} \
             agree in part, {differ} differ; each page says by how much. All statements are in `findings.csv`.{remark}",
            agree + partly + differ
        )),
        Block::Heading("Pages".into()),
        Block::Links(links),
    ];
    if !off.is_empty() {
        blocks.push(Block::Heading("What does not agree, or only in part".into()));
        blocks.push(Block::Findings(off));
    }
    Document {
        title: "The papers' figures, computed again".into(),
        subtitle: "Moreau–Jean, nonsmooth generalized-α, GGL, friction, adaptive and high-order time stepping".into(),
        up: None,
        blocks,
    }
}
