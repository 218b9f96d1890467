//! Parts of the page: verdict cards, the guarantee, tables, warnings, the scenario.

use crate::escape::{escape, shorten, typeset};
use crate::headline::ending;
use crate::info::{RunInfo, VerdictInfo};
use crate::joints::Peak;
use crate::labels::run_labels;
use crate::number::{digits, readable, short};
use crate::report::{LISTED_CONTACTS, Report};
use crate::series::MAX_POINTS;
use crate::svg::COLOURS;

/// Warnings shown one by one.
const LISTED_WARNINGS: usize = 100;
/// Letters of the scenario shown; a model given by large matrices is longer.
const SCENARIO_LETTERS: usize = 50_000;

/// Scheme, step, time and version in one line.
pub fn subtitle(info: &RunInfo) -> String {
    format!(
        "{} · h = {}\u{a0}s · {}\u{a0}s · Percussion {}",
        escape(&with_parameters(&info.scheme, &info.scheme_parameters)),
        short(info.step),
        short(info.t_end),
        escape(&info.version)
    )
}

/// What ended the run before its time, with the way out.
pub fn failure(info: &RunInfo) -> String {
    let Some(failure) = &info.failure else { return String::new() };
    let help = if failure.help.is_empty() { String::new() } else { format!(" Help: {}.", failure.help) };
    let lead = escape(&ending(failure));
    format!("<p class=\"guarantee fail\"><strong>{lead}</strong>{}</p>\n", escape(&help))
}

/// A card for each certificate.
pub fn verdicts(report: &Report) -> String {
    let cards: String = report.info.verdicts.iter().map(|v| card(v, report)).collect();
    if cards.is_empty() {
        "<p>No certificate was given.</p>\n".into()
    } else {
        format!("<div class=\"cards\">\n{cards}</div>\n")
    }
}

/// The certificates of several runs side by side, a row for each.
pub fn verdict_table(reports: &[Report]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for v in reports.iter().flat_map(|r| &r.info.verdicts) {
        if !names.contains(&v.name.as_str()) {
            names.push(&v.name);
        }
    }
    let heads: String = names.iter().map(|name| format!("<th scope=\"col\">{}</th>", escape(name))).collect();
    let mut rows = String::new();
    for (i, (r, label)) in reports.iter().zip(run_labels(reports)).enumerate() {
        let cells: String = names
            .iter()
            .map(|name| match r.info.verdicts.iter().find(|v| v.name == *name) {
                Some(v) => {
                    let (class, sign) = tone(&v.status);
                    let worst = v.worst.filter(|w| class != "none" && *w != 0.0).map_or(String::new(), |w| {
                        format!("<br/><small>{}{}</small>", short(w), unit(name, r))
                    });
                    let status = escape(&v.status);
                    format!("<td class=\"verdict {class}\" data-h=\"{}\"><b><span aria-hidden=\"true\">{sign}</span> {status}</b>{worst}</td>", escape(name))
                }
                None => format!("<td data-h=\"{}\">–</td>", escape(name)),
            })
            .collect();
        let theorem = match &r.info.guarantee {
            Some(g) if g.holds => ("pass", format!("holds: {}", g.theorem)),
            Some(g) if g.theorem.is_empty() || g.theorem == "none" => ("none", "none known".to_string()),
            Some(g) => ("none", format!("does not apply: {}", g.theorem)),
            None => ("none", "–".to_string()),
        };
        rows.push_str(&format!(
            "<tr><th scope=\"row\"><span class=\"run r{}\" aria-hidden=\"true\"></span>{}</th>{cells}<td class=\"verdict wide {}\" data-h=\"theorem\">{}</td></tr>\n",
            i % COLOURS,
            escape(&shorten(&label, 80)),
            theorem.0,
            typeset(&theorem.1)
        ));
    }
    format!(
        "<div class=\"panel scroll\"><table class=\"strip fold\"><thead><tr><th scope=\"col\">run</th>{heads}<th scope=\"col\">theorem</th></tr></thead><tbody>\n{rows}</tbody></table></div>\n"
    )
}

fn tone(status: &str) -> (&'static str, &'static str) {
    match status {
        "pass" => ("pass", "✓"),
        "warn" => ("warn", "!"),
        "fail" => ("fail", "✗"),
        "report" => ("report", "•"),
        _ => ("none", "–"),
    }
}

fn unit(certificate: &str, report: &Report) -> &'static str {
    match certificate {
        "energy" => "\u{a0}J",
        "gap" if report.info.angular_depth => "\u{a0}rad",
        "gap" | "joints" => "\u{a0}m",
        _ => "",
    }
}

fn card(v: &VerdictInfo, report: &Report) -> String {
    let (class, sign) = tone(&v.status);
    let unit = unit(&v.name, report);
    let worst = v.worst.filter(|_| class != "none").map(|worst| {
        let t = v.t.map_or(String::new(), |t| format!("at t = {}\u{a0}s", digits(t, 5)));
        let contact = v.contact.map_or(String::new(), |c| format!(", {}", escape(&report.contact_name(c))));
        // nothing went wrong at no time
        let place = if worst == 0.0 { String::new() } else { format!("<br/>{t}{contact}") };
        format!("<p class=\"worst\">worst {}{unit}{place}</p>", short(worst))
    });
    format!(
        "<article class=\"card {class}\"><div class=\"top\"><h3>{}</h3><p class=\"status\"><span aria-hidden=\"true\">{sign}</span> {}</p></div>{}<p>{}</p></article>\n",
        escape(&v.name),
        escape(&v.status),
        worst.unwrap_or_default(),
        typeset(&readable(&v.text))
    )
}

/// What was promised before the run, and why or why not.
pub fn guarantee(info: &RunInfo) -> String {
    let Some(g) = &info.guarantee else { return String::new() };
    let (class, lead) = match (g.holds, g.theorem.as_str()) {
        (true, theorem) => ("pass", format!("Guaranteed: {theorem}.")),
        (false, "none" | "") => ("none", "No energy theorem is known for this scheme.".to_string()),
        (false, theorem) => ("none", format!("Not guaranteed: {theorem} does not apply.")),
    };
    let sentence = |text: &str| {
        if text.is_empty() { String::new() } else { format!(" {}.", capitalised(text.trim_end_matches('.'))) }
    };
    let identity = match g.identity.as_str() {
        "" => "<br/>The scheme has no energy identity.".to_string(),
        identity => format!("<br/>Ledger identity: <span class=\"formula\">{}</span>", typeset(identity)),
    };
    // a condition that is met is no reason why a theorem does not apply
    let told = g.holds || g.reason.starts_with("the condition is not met");
    let condition = if told { sentence(&g.condition) } else { String::new() };
    let rest = typeset(&readable(&format!("{condition}{}", sentence(&g.reason))));
    format!("<p class=\"guarantee {class}\"><strong>{}</strong>{rest}{identity}</p>\n", typeset(&lead))
}

/// The first impacts one by one, beside the impulses.
pub fn impacts(report: &Report) -> String {
    let total = report.n_impacts();
    let kinds: Vec<String> =
        report.events.iter().filter(|(k, _)| *k != "impact").map(|(kind, n)| format!("{kind} {n}")).collect();
    let others = if kinds.is_empty() { String::new() } else { format!(" Other events: {}.", kinds.join(", ")) };
    let listed = report.impacts.len() as u64;
    let count = match total {
        0 => "No impact.".to_string(),
        n if n > listed => format!("The first {listed} of {n} impacts; {} more are not listed.", n - listed),
        1 => "One impact.".to_string(),
        n => format!("{n} impacts."),
    };
    let rows: String = report
        .impacts
        .iter()
        .map(|i| {
            let [t, before, after, p] = [digits(i.t, 6), short(i.u_before), short(i.u_after), short(i.p)];
            let contact = escape(&report.contact_name(i.contact));
            format!(
                "<tr><td>{t}</td><td class=\"named\">{contact}</td><td>{before}</td><td>{after}</td><td>{p}</td></tr>\n"
            )
        })
        .collect();
    let [_, u, p] = Report::contact_units(std::slice::from_ref(report));
    let table = if rows.is_empty() {
        String::new()
    } else {
        format!(
            "<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"list of impacts\"><table><thead><tr><th scope=\"col\">t [s]</th><th scope=\"col\">contact</th>\
             <th scope=\"col\">u before [{u}]</th><th scope=\"col\">u after [{u}]</th><th scope=\"col\">p [{p}]</th></tr></thead><tbody>\n{rows}</tbody></table></div>\n"
        )
    };
    format!(
        "<div class=\"panel\">\n<h3>Impacts</h3>\n{table}<p class=\"caption\">{}</p>\n</div>\n",
        escape(&(count + &others))
    )
}

/// What each contact did; the script adds what it does at the cursor.
pub fn contacts(report: &Report) -> String {
    if report.totals.is_empty() {
        return String::new();
    }
    let [gap, _, p] = Report::contact_units(std::slice::from_ref(report));
    let rows: String = report
        .totals
        .iter()
        .map(|(id, c)| {
            format!(
                "<tr data-contact=\"{id}\"><th scope=\"row\">{}</th><td data-h=\"smallest gap [{gap}]\">{}</td><td data-h=\"impacts\">{}</td><td data-h=\"largest impulse [{p}]\">{}</td></tr>\n",
                escape(&report.contact_name(*id)),
                c.gap_min.map_or("–".to_string(), short),
                c.impacts,
                if c.impacts == 0 { "–".to_string() } else { short(c.largest) },
            )
        })
        .collect();
    let cut = if report.totals.len() < LISTED_CONTACTS {
        ""
    } else {
        "<p class=\"caption\">Further contacts are not listed.</p>"
    };
    format!(
        "<section aria-labelledby=\"contacts\">\n<h2 id=\"contacts\">Contacts</h2>\n<div class=\"panel\"><div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"table of contacts\"><table id=\"contact-table\" class=\"fold\"><thead><tr><th scope=\"col\">contact</th><th scope=\"col\">smallest gap [{gap}]</th><th scope=\"col\">impacts</th><th scope=\"col\">largest impulse [{p}]</th></tr></thead><tbody>\n{rows}</tbody></table></div>{cut}</div>\n</section>\n"
    )
}

/// What each joint carried at most, when, and how far it went.
pub fn joints(report: &Report) -> String {
    let joints = &report.joints;
    if joints.list.is_empty() {
        return String::new();
    }
    let peak = |peak: Option<Peak>| match peak {
        Some(peak) if peak.value != 0.0 => format!("{} at {}\u{a0}s", short(peak.value), digits(peak.t, 5)),
        Some(_) => "0".to_string(),
        None => "–".to_string(),
    };
    let mut heads = vec!["largest force [N]", "largest moment [N m]"];
    if joints.are_struck() {
        heads.push("largest impulse of a step with an impact [N s]");
    }
    heads.push("angle or displacement");
    let mut rows = String::new();
    for joint in joints.list.iter().take(LISTED_CONTACTS) {
        let range = match joint.range {
            Some((low, high)) => format!("{} to {}\u{a0}{}", short(low), short(high), joint.meta.unit),
            None => "–".to_string(),
        };
        let mut cells = vec![peak(joint.largest_force), peak(joint.largest_moment)];
        if joints.are_struck() {
            cells.push(peak(joint.largest_impulse));
        }
        cells.push(range);
        rows.push_str(&format!("<tr><th scope=\"row\">{}</th>", escape(&joint.meta.name)));
        for (head, cell) in heads.iter().zip(&cells) {
            rows.push_str(&format!("<td data-h=\"{head}\">{}</td>", escape(cell)));
        }
        rows.push_str("</tr>\n");
    }
    let over = if joints.of_two_steps { "two steps" } else { "a step" };
    let words = match joints.react() {
        true => format!(
            "Reactions on the second body at the anchor, means over {over} without an impact; reactions.csv has the components of every step, joints.csv angles and displacements."
        ),
        false => "This run does not tell reactions; joints.csv has angles and displacements.".to_string(),
    };
    let heads: String = heads.iter().map(|head| format!("<th scope=\"col\">{head}</th>")).collect();
    format!(
        "<section aria-labelledby=\"joints\">\n<h2 id=\"joints\">Joints</h2>\n<div class=\"panel\"><div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"table of joints\"><table class=\"fold\"><thead><tr><th scope=\"col\">joint</th>{heads}</tr></thead><tbody>\n{rows}</tbody></table></div><p class=\"caption\">{words}</p></div>\n</section>\n"
    )
}

/// What the plots leave out of long runs.
pub fn thinning(reports: &[Report]) -> String {
    if reports.iter().all(Report::is_drawn_whole) {
        return String::new();
    }
    let words = format!("Curves of more than {MAX_POINTS} samples are drawn by their extremes and steepest jumps.");
    format!("<p class=\"caption\">{words}</p>\n")
}

/// Which program, scheme and solver made the run, and which states it went through.
pub fn provenance(info: &RunInfo) -> String {
    let mut rows = vec![("program".to_string(), format!("Percussion {}", info.version))];
    if !info.state_hash.is_empty() {
        rows.push(("state hash".to_string(), info.state_hash.clone()));
    }
    rows.push(("scheme".to_string(), info.scheme.clone()));
    rows.extend(info.scheme_parameters.iter().map(|(k, v)| (format!("scheme.{k}"), v.clone())));
    rows.extend(info.chosen.iter().map(|why| ("scheme chosen".to_string(), why.clone())));
    rows.push(("solver".to_string(), info.solver.clone()));
    rows.extend(info.solver_parameters.iter().map(|(k, v)| (format!("solver.{k}"), v.clone())));
    rows.push(("step".to_string(), format!("{}\u{a0}s", digits(info.step, 8))));
    if info.steps > 0 {
        rows.push(("steps".to_string(), info.steps.to_string()));
    }
    rows.push(("end".to_string(), format!("{}\u{a0}s", digits(info.t_end, 8))));
    rows.push(("wall time".to_string(), format!("{}\u{a0}s", short(info.wall_s))));
    // where a phone has no room for a key it is broken between its words
    let key = |k: &str| escape(k).replace('.', ".<wbr/>").replace('_', "_<wbr/>");
    let cells =
        |(k, v): &(String, String)| format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", key(k), escape(v));
    let rows: String = rows.iter().map(cells).collect();
    format!("<div class=\"panel scroll\"><table class=\"words\"><tbody>\n{rows}</tbody></table></div>\n")
}

/// What the run warned of, and what could not be drawn.
pub fn warnings(report: &Report, level: usize) -> String {
    let mut items: Vec<String> = report.info.warnings.iter().take(LISTED_WARNINGS).cloned().collect();
    let more = report.info.warnings.len().saturating_sub(LISTED_WARNINGS);
    if more > 0 {
        items.push(format!("{more} more warnings are not listed."));
    }
    match report.not_finite {
        0 => {}
        1 => items.push("One value was not a finite number and is not drawn.".to_string()),
        n => items.push(format!("{n} values were not finite numbers and are not drawn.")),
    }
    if items.is_empty() {
        return format!("<h{level}>Warnings</h{level}>\n<p>None.</p>\n");
    }
    let items: String = items.iter().map(|w| format!("<li>{}</li>\n", escape(w))).collect();
    format!("<h{level}>Warnings</h{level}>\n<div class=\"panel\"><ul>\n{items}</ul></div>\n")
}

/// The scenario, folded.
pub fn scenario(info: &RunInfo, summary: &str) -> String {
    if info.scenario_toml.is_empty() {
        return String::new();
    }
    let text = shorten(&info.scenario_toml, SCENARIO_LETTERS);
    let cut = if text == info.scenario_toml { "" } else { "<p>Cut here; the whole is in scenario.toml.</p>" };
    format!("<details><summary>{}</summary><pre>{}</pre>{cut}</details>\n", escape(summary), escape(&text))
}

/// A heading with the run's colour.
pub fn run_name(i: usize, label: &str) -> String {
    let colour = i % COLOURS;
    format!("<h3 class=\"runname\"><span class=\"run r{colour}\" aria-hidden=\"true\"></span>{}</h3>\n", escape(label))
}

/// What the page is.
pub const FOOTER: &str = "<footer>\n<p>Self-contained: nothing is loaded from anywhere.</p>\n</footer>\n";

// a word begins a sentence with a capital, a symbol does not: "h ≤ 1" stays
fn capitalised(text: &str) -> String {
    let is_word = text.chars().take(2).filter(char::is_ascii_lowercase).count() == 2;
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if is_word => format!("{}{}", first.to_ascii_uppercase(), letters.as_str()),
        _ => text.to_string(),
    }
}

fn with_parameters(name: &str, parameters: &[(String, String)]) -> String {
    if parameters.is_empty() {
        return name.to_string();
    }
    // a fraction such as 0.3333333333333333 is told by six digits; the table of parameters has them all
    let brief = |v: &String| v.parse::<f64>().map_or_else(|_| v.clone(), |x| digits(x, 6));
    let list: Vec<String> = parameters.iter().map(|(k, v)| format!("{k} = {}", brief(v))).collect();
    format!("{name} ({})", list.join(", "))
}
