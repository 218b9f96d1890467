//! The page: one run in full, or several side by side. No script, no request, no colour without a word.

use crate::escape::escape;
use crate::figures::{FIGURES, FRICTION_FIGURES, build};
use crate::labels::run_labels;
use crate::report::Report;
use crate::sections;

/// Nothing may be loaded or run, whatever a scenario smuggles in.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// One HTML page for the given runs; the same runs give the same bytes.
pub fn render(reports: &[Report]) -> String {
    let title = title(reports);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{} · Percussion</title>\n<link rel=\"icon\" href=\"data:,\"/>\n<style>\n{}</style>\n</head>\n<body>\n",
        escape(&title),
        include_str!("page.css")
    );
    page.push_str(&header(reports, &title));
    page.push_str("<main>\n");
    match reports {
        [] => page.push_str("<p>There is no run to report.</p>\n"),
        [report] => one(&mut page, report),
        _ => several(&mut page, reports),
    }
    page.push_str("</main>\n");
    page.push_str(&sections::footer(reports));
    page.push_str("</body>\n</html>\n");
    page
}

fn one(page: &mut String, report: &Report) {
    page.push_str("<section aria-labelledby=\"verdicts\">\n<h2 id=\"verdicts\">Verdicts</h2>\n");
    page.push_str(&sections::failure(&report.info));
    page.push_str(&sections::verdicts(&report.info));
    page.push_str(&sections::guarantee(&report.info));
    page.push_str("</section>\n");

    page.push_str(
        "<section aria-labelledby=\"plots\">\n<h2 id=\"plots\">Motion and energy</h2>\n<div class=\"plots\">\n",
    );
    page.push_str(&figures(std::slice::from_ref(report)));
    page.push_str(&sections::impacts(report));
    page.push_str("</div>\n</section>\n");

    page.push_str("<section aria-labelledby=\"parameters\">\n<h2 id=\"parameters\">Parameters</h2>\n");
    page.push_str(&sections::parameters(&report.info));
    page.push_str("</section>\n");
    page.push_str(&sections::warnings(report, 2));
    page.push_str(&sections::scenario(&report.info, "Scenario as it was run"));
}

fn several(page: &mut String, reports: &[Report]) {
    page.push_str("<section aria-labelledby=\"comparison\">\n<h2 id=\"comparison\">Comparison</h2>\n");
    page.push_str(&sections::comparison(reports));
    page.push_str("</section>\n<section aria-labelledby=\"verdicts\">\n<h2 id=\"verdicts\">Verdicts</h2>\n");
    let labels = run_labels(reports);
    for (i, (report, label)) in reports.iter().zip(&labels).enumerate() {
        page.push_str(&sections::run_name(i, label));
        page.push_str(&sections::failure(&report.info));
        page.push_str(&sections::verdicts(&report.info));
        page.push_str(&sections::guarantee(&report.info));
    }
    page.push_str(
        "</section>\n<section aria-labelledby=\"plots\">\n<h2 id=\"plots\">Overlays</h2>\n<div class=\"plots\">\n",
    );
    page.push_str(&figures(reports));
    page.push_str(
        "</div>\n</section>\n<section aria-labelledby=\"parameters\">\n<h2 id=\"parameters\">Parameters</h2>\n",
    );
    for (report, label) in reports.iter().zip(&labels) {
        let name = escape(label);
        page.push_str(&format!("<details><summary>{name}</summary>\n{}", sections::parameters(&report.info)));
        page.push_str(&sections::warnings(report, 3));
        page.push_str(&sections::scenario(&report.info, "Scenario as it was run"));
        page.push_str("</details>\n");
    }
    page.push_str("</section>\n");
}

fn figures(reports: &[Report]) -> String {
    let mut out = String::new();
    for figure in FIGURES.iter().chain(&FRICTION_FIGURES).filter_map(|name| build(reports, name)) {
        let caption = figure.caption.trim();
        let caption = if caption.is_empty() {
            String::new()
        } else {
            format!("<figcaption class=\"caption\">{}</figcaption>\n", escape(caption))
        };
        out.push_str(&format!("<figure>\n<h3>{}</h3>\n{}{caption}</figure>\n", escape(&figure.title), figure.inline()));
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
    let headline = sections::headline(reports);
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
