//! What the source papers ask for, item by item: each with a command, the number it gives and the number expected.
//!
//! Every row is run on the program and the book's page is made of the answers;
//! `PERCUSSION_WRITE_PAGE=1 cargo test -p percussion-cli --test paper_items` writes the page again.

#![cfg(unix)]

mod common;
#[path = "paper_items/energy.rs"]
mod energy;
#[path = "paper_items/friction.rs"]
mod friction;
#[path = "paper_items/ggl.rs"]
mod ggl;
#[path = "paper_items/lecture.rs"]
mod lecture;
#[path = "paper_items/made.rs"]
mod made;

use common::folder;
use made::{Made, Shelf};
use std::path::Path;

/// One thing a paper asks for.
pub struct Row {
    /// Its number.
    pub item: u32,
    /// What is asked, in words.
    pub asks: &'static str,
    /// What is typed, in the root of the repository; the number is read from all of them.
    pub commands: &'static [&'static str],
    /// What is read.
    pub what: &'static str,
    /// How.
    pub read: fn(&[&Made]) -> f64,
    /// What it should be.
    pub expected: Expected,
}

/// The number that should come out.
pub enum Expected {
    /// This one, to within the second, and where it is from.
    Near(f64, f64, &'static str),
    /// No larger in size than this.
    Below(f64),
    /// At least this.
    Above(f64),
}
use Expected::*;

/// An item that asks for nothing, or of which something is missing, and why.
pub struct Rest(pub u32, pub &'static str, pub &'static str);

const OWN: &str = "independent implementation";
const PAPERS: [(&str, &[Row]); 4] = [
    ("Acary: energy of time integration (2016)", energy::ROWS),
    ("Acary and Collins-Craft: friction", friction::ROWS),
    ("Brüls, Acary and Cardona: position and velocity constraints (2014)", ggl::ROWS),
    ("Acary: lecture on nonsmooth mechanical systems", lecture::ROWS),
];
const NOTHING_ASKED: &[Rest] = &[
    Rest(54, "figure 1 of Brüls, Acary and Cardona", "a sketch without data"),
    Rest(111, "\"any multi-step scheme in the same way\"", "a perspective"),
    Rest(112, "examples from electronics and control", "none in this lecture"),
];
const MISSING: &[Rest] = &[
    Rest(
        40,
        "friction in position-level and higher-order schemes",
        "GGL, `landing` and `energy-momentum` have it; `schatzman-paoli`, `splitting`, `runge-kutta-moreau` and `d1-minus-linear` refuse it with E155. No paper \
         has equations or results for these four: splitting and Runge–Kutta need a smooth motion between impacts, which sticking and sliding are not without \
         events of their own, and Schatzman and Paoli's condition on q_{k+1} says nothing of tangents",
    ),
    Rest(
        110,
        "time-discontinuous Galerkin",
        "`d0-constant` and `d1-minus-linear`; P1–P1 and the velocity-level variant, which the lecture cites without equations, are not there",
    ),
];

/// Bounds below which a number is round-off, and shown by its bound alone.
const ROUND_OFF: f64 = 1e-6;

/// The number as the page shows it.
fn shown(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        "0".into()
    } else if (1e-3..1e5).contains(&size) {
        let text = format!("{x:.*}", (7 - size.log10().floor() as i32 - 1).clamp(0, 9) as usize);
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
    } else {
        format!("{x:.4e}")
    }
}

impl Row {
    /// Found, expected, and whether they agree; numbers at round-off are shown by their bound alone.
    fn judge(&self, found: f64) -> (String, String, bool) {
        match self.expected {
            Near(stated, within, origin) => {
                let text = format!("{} ± {within:.0e} ({origin})", shown(stated));
                (shown(found), text, (found - stated).abs() <= within)
            }
            Below(bound) => {
                let holds = found.abs() <= bound;
                let limit =
                    if bound < ROUND_OFF { format!("≤ {bound:.0e}") } else { format!("≤ {}", shown(bound)) };
                let text = if holds && bound < ROUND_OFF { limit.clone() } else { shown(found) };
                (text, limit, holds)
            }
            Above(bound) => (shown(found), format!("≥ {}", shown(bound)), found >= bound),
        }
    }
}

#[test]
fn every_item_has_its_number() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut shelf = Shelf::new(root.clone(), folder("paper-items"));
    let (mut page, mut wrong, mut items) = (String::new(), Vec::new(), Vec::new());
    for (paper, rows) in PAPERS {
        page += &format!(
            "\n## {paper}\n\n| # | asked | command | read | found | expected |\n|---:|---|---|---|---:|---|\n"
        );
        for row in rows {
            items.push(row.item);
            let found = shelf.read(row.commands, row.read);
            let (found, expected, agrees) = row.judge(found);
            if !agrees {
                wrong.push(format!("item {}: {found}, expected {expected}, by {:?}", row.item, row.commands));
            }
            let commands: Vec<String> = row.commands.iter().map(|c| format!("`percussion {c}`")).collect();
            page += &format!(
                "| {} | {} | {} | {} | {found} | {expected} |\n",
                row.item,
                row.asks.replace('|', "\\|"),
                commands.join("<br>"),
                row.what.replace('|', "\\|")
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    // every number once, in order
    assert!(items.windows(2).all(|w| w[0] < w[1]), "{items:?}");
    let done = items.len();
    items.extend(NOTHING_ASKED.iter().chain(MISSING).map(|rest| rest.0));
    items.sort_unstable();
    assert!(items.iter().copied().eq(1..=112), "{items:?}");
    assert!(done >= 105, "{done} items are done");

    let list = |rest: &[Rest]| rest.iter().map(|r| format!("- {}, {}: {}.\n", r.0, r.1, r.2)).collect::<String>();
    let text = format!(
        "# What the papers ask for, item by item\n\n\
         Of the 112 things four papers ask for or state, 109 ask for something: {done} of them are here, each with a command to be typed in the \
         root of the repository and a number, found and expected. A test runs every command, compares, and writes this page; \
         [reproduce](studies.md) draws the figures.\n{page}\n\
         ## What is missing\n\n{}\n## What asks for nothing\n\n{}",
        list(MISSING),
        list(NOTHING_ASKED)
    );
    let path = root.join("docs/book/paper-items.md");
    if std::env::var_os("PERCUSSION_WRITE_PAGE").is_some() {
        std::fs::write(&path, &text).expect("the page can be written");
    }
    let kept = std::fs::read_to_string(&path).expect("the page is there");
    assert_eq!(kept, text, "the page is not what the program says; PERCUSSION_WRITE_PAGE=1 writes it again");
}
