//! `findings.csv`, written and read back: a page that is built again joins the pages that are there.

use super::PAGES;
use percussion_report::{Agreement, Finding};
use percussion_scenario::read_text;
use std::path::Path;

/// A page of the folder.
pub struct Kept {
    pub name: &'static str,
    /// Built without the long runs.
    pub short: bool,
    pub findings: Vec<Finding>,
}

const HEADER: &str = "page,form,statement,where,stated,found,off,verdict";

/// One row per finding.
pub fn csv(pages: &[Kept]) -> String {
    let mut text = format!("{HEADER}\n");
    for page in pages {
        let form = if page.short { "short" } else { "whole" };
        for f in &page.findings {
            let cells = [page.name, form, &f.statement, &f.place, &f.stated, &f.found, &f.off, f.agreement.name()];
            text += &cells.map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).join(",");
            text.push('\n');
        }
    }
    text
}

/// The pages an earlier call left in a folder, as far as they are there and known.
pub fn earlier(folder: &Path) -> Vec<Kept> {
    let mut pages: Vec<Kept> = Vec::new();
    let text = read_text(&folder.join("findings.csv")).unwrap_or_default();
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return pages;
    }
    for line in lines {
        let Some([name, form, statement, place, stated, found, off, verdict]) = cells(line) else { continue };
        let known = PAGES.iter().find(|page| page.name == name);
        let agreement = [Agreement::Agrees, Agreement::Partly, Agreement::Differs];
        let agreement = agreement.into_iter().find(|agreement| agreement.name() == verdict);
        let (Some(page), Some(agreement)) = (known, agreement) else { continue };
        let finding = Finding { statement, place, stated, found, off, agreement };
        match pages.iter_mut().find(|kept| kept.name == page.name) {
            Some(kept) => kept.findings.push(finding),
            None => pages.push(Kept { name: page.name, short: form == "short", findings: vec![finding] }),
        }
    }
    pages.retain(|page| folder.join(format!("{}.html", page.name)).is_file());
    pages
}

/// The eight quoted cells of a line.
fn cells(line: &str) -> Option<[String; 8]> {
    let inner = line.strip_prefix('"')?.strip_suffix('"')?;
    let cells: Vec<String> = inner.split("\",\"").map(|cell| cell.replace("\"\"", "\"")).collect();
    cells.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_comes_back_as_it_went() {
        let finding = Finding {
            statement: "\"GGL\", the better".into(),
            place: "(29), (91)".into(),
            stated: String::new(),
            found: "a, b".into(),
            off: "+1 %".into(),
            agreement: Agreement::Partly,
        };
        let page = Kept { name: PAGES[0].name, short: true, findings: vec![finding.clone()] };
        let text = csv(&[page]);
        let cells = cells(text.lines().nth(1).expect("a row")).expect("eight cells");
        assert_eq!(cells[1..5], ["short", &finding.statement, &finding.place, ""].map(String::from));
        assert_eq!(cells[7], Agreement::Partly.name());
    }
}
