//! Several runs side by side: where the energy went, what was measured, what each contact did.
//!
//!   ΔH = loads + dampers + contacts + joints − numerical dissipation

use crate::escape::{escape, shorten};
use crate::labels::run_labels;
use crate::number::short;
use crate::report::Report;
use crate::series::Series;
use crate::svg::COLOURS;

/// Rows of the table of contacts.
const LISTED: usize = 500;

/// The three tables.
pub fn comparison(reports: &[Report]) -> String {
    format!("{}{}{}", split(reports), measures(reports), contacts(reports))
}

/// Where the energy went.
fn split(reports: &[Report]) -> String {
    let heads = [
        "E at the start [J]",
        "loads",
        "dampers",
        "contacts",
        "joints",
        "scheme (−dissipation)",
        "E at the end [J]",
        "ΔH [J]",
    ];
    let rows = |r: &Report| {
        let e = &r.energy;
        let last = |s: &Series| s.last().unwrap_or(0.0);
        let change = e.algorithmic.last().zip(e.algorithmic.first()).map(|(end, start)| end - start);
        let works = [&e.external, &e.damping, &e.contact, &e.joints].map(|s| Some(last(s)));
        let mut cells = vec![e.total.first()];
        cells.extend(works);
        // minus what it takes, without a minus zero
        cells.extend([Some(0.0 - last(&e.numerical)), e.total.last(), change]);
        cells.into_iter().map(value).collect()
    };
    let words = "Works over the whole run. ΔH = loads + dampers + contacts + joints + scheme, where H is the energy the scheme's identity \
                 speaks of: E itself, or E up to terms of the order of h².";
    table("Where the energy went", &heads.map(String::from), reports, rows)
        + &format!("<p class=\"caption\">{words}</p>\n")
}

/// What was measured.
fn measures(reports: &[Report]) -> String {
    let mut heads: Vec<String> = ["largest residual [J]", "deepest penetration [m]", "drift of joints [m]", "impacts"]
        .map(String::from)
        .to_vec();
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in reports.iter().flat_map(|r| &r.measures) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    heads.extend(names.iter().map(|name| name.to_string()));
    heads.extend(["steps", "wall time [s]"].map(String::from));
    let rows = |r: &Report| {
        let identity = r.info.guarantee.as_ref().is_none_or(|g| !g.identity.is_empty());
        let drift = r.info.verdicts.iter().find(|v| v.name == "joints" && v.status != "none").and_then(|v| v.worst);
        let mut cells = vec![
            if identity { short(r.residual_max) } else { "no identity".to_string() },
            match r.deepest_penetration() {
                Some(depth) if r.info.angular_depth => format!("{}\u{a0}rad", short(depth)),
                depth => value(depth),
            },
            value(drift),
            r.n_impacts().to_string(),
        ];
        for name in &names {
            cells.push(value(r.measures.iter().find(|(other, _)| other == *name).map(|(_, x)| *x)));
        }
        cells.extend([if r.info.steps > 0 { r.info.steps.to_string() } else { "–".into() }, short(r.info.wall_s)]);
        cells
    };
    table("What was measured", &heads, reports, rows)
}

/// What each contact did in each run.
fn contacts(reports: &[Report]) -> String {
    let [gap, _, p] = Report::contact_units(reports);
    let heads =
        ["contact".to_string(), format!("smallest gap [{gap}]"), "impacts".into(), format!("largest impulse [{p}]")];
    let mut rows = String::new();
    let (mut listed, mut all) = (0, 0);
    for (i, (r, label)) in reports.iter().zip(run_labels(reports)).enumerate() {
        for (id, c) in &r.totals {
            all += 1;
            if listed >= (i + 1) * LISTED / reports.len() {
                continue;
            }
            listed += 1;
            let largest = if c.impacts == 0 { "–".to_string() } else { short(c.largest) };
            let cells = [escape(&r.contact_name(*id)), value(c.gap_min), c.impacts.to_string(), largest];
            rows.push_str(&row(i, &label, &heads, &cells));
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let cut = match all - listed {
        0 => String::new(),
        n => format!("<p class=\"caption\">{n} more rows are not listed.</p>\n"),
    };
    framed("Contacts", &heads, &rows, "scroll tall") + &cut
}

fn table(title: &str, heads: &[String], reports: &[Report], cells: impl Fn(&Report) -> Vec<String>) -> String {
    let labels = run_labels(reports);
    let rows: String =
        reports.iter().zip(labels).enumerate().map(|(i, (r, label))| row(i, &label, heads, &cells(r))).collect();
    framed(title, heads, &rows, "scroll")
}

fn framed(title: &str, heads: &[String], rows: &str, class: &str) -> String {
    let heads: String = heads.iter().map(|h| format!("<th scope=\"col\">{}</th>", escape(h))).collect();
    format!(
        "<h3>{title}</h3>\n<div class=\"panel\"><div class=\"{class}\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\"><table class=\"fold\"><thead><tr><th scope=\"col\">run</th>{heads}</tr></thead><tbody>\n{rows}</tbody></table></div></div>\n"
    )
}

fn row(i: usize, label: &str, heads: &[String], cells: &[String]) -> String {
    let cell = |(cell, head): (&String, &String)| format!("<td data-h=\"{}\">{cell}</td>", escape(head));
    let cells: String = cells.iter().zip(heads).map(cell).collect();
    let (colour, name) = (i % COLOURS, escape(&shorten(label, 80)));
    format!("<tr><th scope=\"row\"><span class=\"run r{colour}\" aria-hidden=\"true\"></span>{name}</th>{cells}</tr>\n")
}

fn value(x: Option<f64>) -> String {
    x.map_or("–".to_string(), short)
}
