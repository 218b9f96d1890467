//! A page in the making: text, figures and findings.

use super::Page;
use percussion_report::{Agreement, Block, Document, Finding, Plot, Table};
use percussion_scenario::{Result, write_text};
use std::path::Path;

/// What a page collects.
pub struct Sheet {
    /// Leave out what takes long.
    pub short: bool,
    /// What agrees and what does not.
    pub findings: Vec<Finding>,
    name: &'static str,
    blocks: Vec<Block>,
    figures: usize,
}

impl Sheet {
    pub fn new(name: &'static str, short: bool) -> Self {
        Self { short, findings: Vec::new(), name, blocks: Vec::new(), figures: 0 }
    }

    pub fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    pub fn heading(&mut self, text: &str) {
        self.blocks.push(Block::Heading(text.into()));
    }

    pub fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    /// Figures side by side, each also a file of its own.
    pub fn figures(&mut self, plots: Vec<Plot>) {
        let mut list = Vec::new();
        for plot in plots {
            self.figures += 1;
            list.push((plot, Some(format!("{}-{}", self.name, self.figures))));
        }
        self.blocks.push(Block::Figures(list));
    }

    /// A value that is stated; it agrees within `allowed`, which is the last digit printed unless the statement says otherwise.
    pub fn value(&mut self, statement: &str, place: &str, stated: f64, found: f64, allowed: f64) {
        let off = found - stated;
        let agreement = if off.abs() <= allowed { Agreement::Agrees } else { Agreement::Differs };
        self.findings.push(Finding {
            statement: statement.into(),
            place: place.into(),
            stated: plain(stated),
            found: plain(found),
            off: if off == 0.0 {
                format!("0 (allowed {allowed:.0e})")
            } else {
                format!("{off:+.1e} (allowed {allowed:.0e})")
            },
            agreement,
        });
    }

    /// A statement in words; `found` is the measurement that decides.
    pub fn holds(&mut self, statement: &str, place: &str, found: impl Into<String>, holds: bool) {
        self.judged(statement, place, found, if holds { Agreement::Agrees } else { Agreement::Differs });
    }

    /// A statement in words with its verdict.
    pub fn judged(&mut self, statement: &str, place: &str, found: impl Into<String>, agreement: Agreement) {
        self.compared(statement, place, ("", found.into(), String::new()), agreement);
    }

    /// The same with what is stated and how far what was found is from it.
    pub fn compared(
        &mut self,
        statement: &str,
        place: &str,
        (stated, found, off): (&str, String, String),
        agreement: Agreement,
    ) {
        self.findings.push(Finding {
            statement: statement.into(),
            place: place.into(),
            stated: stated.into(),
            found: found.replace("0.0e0", "0"),
            off,
            agreement,
        });
    }

    /// Writes the page and the files of its figures.
    pub fn write(&self, page: &Page, folder: &Path) -> Result<()> {
        let mut blocks = Vec::new();
        if !self.findings.is_empty() {
            blocks.push(Block::Heading("What agrees, what does not, and by how much".into()));
            blocks.push(Block::Findings(self.findings.clone()));
        }
        blocks.extend(self.blocks.iter().cloned());
        for block in &self.blocks {
            let Block::Figures(plots) = block else { continue };
            for (plot, stem) in plots {
                let Some(stem) = stem else { continue };
                write_text(&folder.join(format!("{stem}.svg")), &plot.svg())?;
                write_text(&folder.join(format!("{stem}.csv")), &plot.csv())?;
            }
        }
        let document = Document {
            title: page.title.into(),
            subtitle: page.source.into(),
            up: Some(("index.html".into(), "All pages".into())),
            blocks,
        };
        write_text(&folder.join(format!("{}.html", page.name)), &document.render())
    }
}

/// A number in a table of findings.
pub fn plain(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        "0".into()
    } else if (1e-2..1e5).contains(&size) {
        let text = format!("{x:.6}");
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        format!("{x:.4e}")
    }
}
