//! The page: one run in full, or several side by side. No request, no colour without a word, one script of our own.
//!
//! Everything can be read without the script: it adds the moving picture and puts plots that follow its time in the
//! place of the static figures. The script is built from `viewer/` and kept in `assets/`.

use crate::comparison::comparison;
use crate::escape::escape;
use crate::figures::on_page;
use crate::headline::headline;
use crate::labels::run_labels;
use crate::payload::payload;
use crate::report::Report;
use crate::{sections, sha256};
use std::sync::LazyLock;

/// The page's script and style, built from `viewer/` by `npm run build`.
pub(crate) static VIEWER: &str = include_str!("../assets/viewer.js");
/// The part of it that draws in space, carried only by pages that need it; kept deflated, being a quarter of that.
pub(crate) static VIEWER_SPACE: LazyLock<String> = LazyLock::new(|| {
    let script = miniz_oxide::inflate::decompress_to_vec(DEFLATED).ok().and_then(|text| String::from_utf8(text).ok());
    script.unwrap_or_default()
});
// the page of the playground holds the script, and the simulator in it writes no pages
#[cfg(target_family = "wasm")]
static DEFLATED: &[u8] = &[];
#[cfg(not(target_family = "wasm"))]
static DEFLATED: &[u8] = include_bytes!("../assets/viewer-space.js.deflate");
pub(crate) static VIEWER_STYLE: &str = include_str!("../assets/viewer.css");
pub(crate) static STYLE: &str = include_str!("page.css");

/// Nothing may be loaded, and nothing run or styled but what this program wrote, whatever a scenario smuggles in.
pub(crate) fn policy(scripts: &[&str], styles: &[&str]) -> String {
    let list = |texts: &[&str]| texts.iter().map(|text| sha256::source(text)).collect::<Vec<_>>().join(" ");
    format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        if scripts.is_empty() { "'none'".to_string() } else { list(scripts) },
        list(styles)
    )
}

/// One HTML page for the given runs; the same runs give the same bytes.
pub fn render(reports: &[Report]) -> String {
    render_with(reports, &[])
}

/// The same with remarks below the headline, such as what is missing and why.
pub fn render_with(reports: &[Report], notes: &[String]) -> String {
    let Parts { title, header, main, data, columns, in_space } = parts(reports, notes);
    let scripts: &[&str] = match (reports.is_empty(), in_space) {
        (true, _) => &[],
        (false, true) => &[VIEWER_SPACE.as_str(), VIEWER],
        (false, false) => &[VIEWER],
    };
    let styles = [STYLE, VIEWER_STYLE];
    let mut page = head(&title, &policy(scripts, &styles), &styles);
    page.push_str(&format!("<body>\n{header}<main>\n{main}</main>\n"));
    page.push_str(sections::FOOTER);
    if !scripts.is_empty() {
        for (kind, id, text) in [("application/json", "run-data", data), ("text/plain", "run-columns", columns)] {
            page.push_str(&format!("<script type=\"{kind}\" id=\"{id}\">{text}</script>\n"));
        }
    }
    scripts.iter().for_each(|script| page.push_str(&format!("<script>{script}</script>\n")));
    page.push_str("</body>\n</html>\n");
    page
}

/// Everything of a page before its body.
pub(crate) fn head(title: &str, policy: &str, styles: &[&str]) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{} · Percussion</title>\n<link rel=\"icon\" href=\"data:,\"/>\n",
        escape(title),
    );
    styles.iter().for_each(|style| page.push_str(&format!("<style>{style}</style>\n")));
    page.push_str("</head>\n");
    page
}

/// What a page about runs is made of.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The title, as text.
    pub title: String,
    /// The header element.
    pub header: String,
    /// What stands in the main element.
    pub main: String,
    /// The text of the data element.
    pub data: String,
    /// The text of the columns it refers to.
    pub columns: String,
    /// Whether a picture is drawn in space.
    pub in_space: bool,
}

/// The parts of a page, with remarks below the headline; every name in them is escaped.
pub fn parts(reports: &[Report], notes: &[String]) -> Parts {
    let title = title(reports);
    let mut main = String::new();
    for note in notes {
        main.push_str(&format!("<p class=\"guarantee none\">{}</p>\n", escape(note)));
    }
    match reports {
        [] => main.push_str("<p>There is no run to report.</p>\n"),
        [report] => one(&mut main, report),
        _ => several(&mut main, reports),
    }
    let (data, columns) = if reports.is_empty() { Default::default() } else { payload(reports) };
    let in_space = reports.iter().any(|r| r.scene.as_ref().is_some_and(|scene| scene.space));
    Parts { header: header(reports, &title), title, main, data, columns, in_space }
}

/// Where the script puts the moving picture and its plots.
const MOUNT: &str = "<div id=\"viewer\"></div>\n";
/// Where it puts the tables to take away.
const DOWNLOADS: &str = "<div id=\"downloads\"></div>\n";

fn one(page: &mut String, report: &Report) {
    page.push_str("<section aria-labelledby=\"verdicts\">\n<h2 id=\"verdicts\">Verdicts</h2>\n");
    page.push_str(&sections::failure(&report.info));
    page.push_str(&sections::verdicts(report));
    page.push_str(&sections::guarantee(&report.info));
    page.push_str("</section>\n");

    page.push_str(MOUNT);
    page.push_str(
        "<section class=\"static\" aria-labelledby=\"plots\">\n<h2 id=\"plots\">Motion and energy</h2>\n<div class=\"plots\">\n",
    );
    page.push_str(&figures(std::slice::from_ref(report)));
    page.push_str(&sections::impacts(report));
    page.push_str("</div>\n</section>\n");
    page.push_str(&sections::thinning(std::slice::from_ref(report)));
    page.push_str(&sections::joints(report));
    page.push_str(&sections::contacts(report));

    page.push_str(&sections::warnings(report, 2));
    page.push_str("<section aria-labelledby=\"provenance\">\n<h2 id=\"provenance\">Provenance</h2>\n");
    page.push_str(&sections::provenance(&report.info));
    page.push_str(&sections::scenario(&report.info, "Scenario as it was run"));
    page.push_str("</section>\n");
    page.push_str(DOWNLOADS);
}

fn several(page: &mut String, reports: &[Report]) {
    page.push_str("<section aria-labelledby=\"verdicts\">\n<h2 id=\"verdicts\">Verdicts</h2>\n");
    page.push_str(&sections::verdict_table(reports));
    let labels = run_labels(reports);
    page.push_str("<details><summary>In words, with the theorem of each run</summary>\n");
    for (i, (report, label)) in reports.iter().zip(&labels).enumerate() {
        page.push_str(&sections::run_name(i, label));
        page.push_str(&sections::failure(&report.info));
        page.push_str(&sections::verdicts(report));
        page.push_str(&sections::guarantee(&report.info));
    }
    page.push_str("</details>\n</section>\n");
    page.push_str(MOUNT);
    page.push_str(
        "<section class=\"static\" aria-labelledby=\"plots\">\n<h2 id=\"plots\">Overlays</h2>\n<div class=\"plots\">\n",
    );
    page.push_str(&figures(reports));
    page.push_str("</div>\n</section>\n");
    page.push_str(&sections::thinning(reports));
    page.push_str("<section aria-labelledby=\"comparison\">\n<h2 id=\"comparison\">Comparison</h2>\n");
    page.push_str(&comparison(reports));
    page.push_str("</section>\n<section aria-labelledby=\"provenance\">\n<h2 id=\"provenance\">Provenance</h2>\n");
    for (report, label) in reports.iter().zip(&labels) {
        let name = escape(label);
        page.push_str(&format!("<details><summary>{name}</summary>\n{}", sections::provenance(&report.info)));
        page.push_str(&sections::warnings(report, 3));
        page.push_str(&sections::scenario(&report.info, "Scenario as it was run"));
        page.push_str("</details>\n");
    }
    page.push_str("</section>\n");
    page.push_str(DOWNLOADS);
}

fn figures(reports: &[Report]) -> String {
    let mut out = String::new();
    for (name, figure) in on_page(reports) {
        let caption = figure.caption.trim();
        let caption = if caption.is_empty() {
            String::new()
        } else {
            format!("<figcaption class=\"caption\">{}</figcaption>\n", escape(caption))
        };
        out.push_str(&format!(
            "<figure id=\"figure-{name}\">\n<h3>{}</h3>\n{}{caption}</figure>\n",
            escape(&figure.title),
            figure.inline()
        ));
    }
    out
}

fn header(reports: &[Report], title: &str) -> String {
    let sub = match reports {
        [] => String::new(),
        [r] => sections::subtitle(&r.info),
        [first, rest @ ..] => {
            let same = rest.iter().all(|r| r.info.scheme == first.info.scheme);
            let scheme = if same { format!("{} · ", escape(&first.info.scheme)) } else { String::new() };
            format!("{scheme}{} runs · Percussion {}", reports.len(), escape(&first.info.version))
        }
    };
    let headline = headline(reports);
    format!("<header>\n<h1>{}</h1>\n<p class=\"sub\">{sub}</p>\n{headline}</header>\n", escape(title))
}

fn title(reports: &[Report]) -> String {
    let name =
        |r: &Report| if r.info.scenario.is_empty() { "unnamed scenario".to_string() } else { r.info.scenario.clone() };
    match reports {
        [] => "No run".to_string(),
        [r] => name(r),
        [first, rest @ ..] if rest.iter().all(|r| r.info.scenario == first.info.scenario) => {
            format!("{}: runs compared", name(first))
        }
        _ => "Runs compared".to_string(),
    }
}
