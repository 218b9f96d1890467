//! The page and the figures as a browser, a screen reader and an attacker meet them.

use percussion_report::{
    Candidates, Column, Coordinate, FIGURES, FailureInfo, Geometry, GuaranteeInfo, JointMeta, Meta, Place, Report,
    ReportBuilder, Role, Rule, RunInfo, SceneDescription, Shape, TableMeta, VerdictInfo, plot_svg, render,
};

const EVIL: &str = "<script>alert(1)</script>\" onload=\"x' & </style></title>\u{0}\u{202e}";

fn info(name: &str) -> RunInfo {
    let verdict = |certificate: &str, status: &str| VerdictInfo {
        name: certificate.into(),
        status: status.into(),
        text: name.into(),
        worst: Some(1e-15),
        t: Some(0.25),
        contact: Some(3),
    };
    RunInfo {
        scenario: name.into(),
        scheme: name.into(),
        scheme_parameters: vec![(name.into(), name.into())],
        solver: name.into(),
        step: 1e-3,
        t_end: 1.0,
        wall_s: 0.5,
        version: name.into(),
        verdicts: vec![
            verdict("energy", "pass"),
            verdict("gap", "report"),
            verdict("cone", "none"),
            verdict("joints", "warn"),
            verdict("solver", name),
        ],
        guarantee: Some(GuaranteeInfo {
            theorem: name.into(),
            condition: name.into(),
            holds: true,
            reason: name.into(),
            identity: name.into(),
        }),
        warnings: vec![name.into()],
        state_hash: name.into(),
        scenario_toml: name.into(),
        ..RunInfo::default()
    }
}

/// A run of `steps` steps on `n` coordinates and contacts, every quantity a function of `shape(i, t)`.
fn run(name: &str, n: usize, steps: usize, shape: impl Fn(usize, f64) -> f64) -> Report {
    let names = vec![name.to_string(); usize::from(name != "plain")];
    let meta =
        Meta { n_contacts: n, q_names: names.clone(), v_names: names.clone(), contact_names: names, ..Meta::default() };
    let mut builder = ReportBuilder::new(meta);
    for k in 0..=steps {
        let t = k as f64 / steps.max(1) as f64;
        let values: Vec<f64> = (0..n).map(|i| shape(i, t)).collect();
        builder.push_state(t, &values, &values);
        let x = shape(0, t);
        builder.push_ledger(t, x * x, x, x * x + 2.0 * x, x, -x, x / 2.0, x * x, Some(x * 1e-14));
        builder.push_joint_work(t, x);
        for i in 0..n {
            builder.push_gap(t, i, shape(i, t), shape(i, t).max(0.0));
        }
        if k % 3 == 0 {
            builder.push_event(t, "impact", k % n.max(1), -x, x, x);
            builder.push_event(t, name, 0, 0.0, 0.0, 0.0);
        }
    }
    builder.finish(info(name))
}

fn wave(i: usize, t: f64) -> f64 {
    (t * 20.0 + i as f64).sin() + 0.5
}

/// The page without what its script and style elements contain, and the contents of the scripts.
fn bare(page: &str) -> (String, Vec<&str>) {
    let (mut out, mut scripts, mut rest) = (String::new(), Vec::new(), page);
    while let Some(start) = rest.find("<script").into_iter().chain(rest.find("<style")).min() {
        let close = if rest[start..].starts_with("<script") { "</script>" } else { "</style>" };
        let body = start + rest[start..].find('>').expect("the end of the tag") + 1;
        let end = body + rest[body..].find(close).expect("the end of the element");
        if close == "</script>" {
            scripts.push(&rest[body..end]);
        }
        out.push_str(&rest[..start]);
        rest = &rest[end + close.len()..];
    }
    (out + rest, scripts)
}

/// The data of the page.
fn data(page: &str) -> serde_json::Value {
    let (_, scripts) = bare(page);
    assert!(!scripts[0].contains('<'), "nothing in the data can begin a tag");
    serde_json::from_str(scripts[0]).expect("the data are JSON")
}

/// The page is written so that an XML parser can read it too; returns all its text and attributes.
fn read(page: &str) -> Vec<String> {
    let (page, _) = bare(page);
    let page = &page;
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(page, options).expect("the page is well-formed");
    let mut texts = Vec::new();
    for node in document.descendants() {
        assert_ne!(node.tag_name().name(), "script");
        for attribute in node.attributes() {
            let name = attribute.name();
            assert!(!name.starts_with("on") && name != "style" && name != "src", "attribute {name}");
            texts.push(attribute.value().to_string());
        }
        texts.extend(node.text().map(str::to_string));
    }
    texts
}

fn no_stranger(page: &str) {
    let page = bare(page).0.replace("http://www.w3.org/2000/svg", "");
    for word in ["http://", "https://", "src=", "<script", "@import", "url(", "javascript:", "NaN", "inf "] {
        assert!(!page.contains(word), "{word} in the page");
    }
}

#[test]
fn names_stay_text() {
    for page in [render(&[run(EVIL, 2, 10, wave)]), render(&[run(EVIL, 2, 10, wave), run("plain", 8, 10, wave)])] {
        no_stranger(&page);
        let outside = bare(&page).0;
        assert!(!outside.contains("\" onload") && !outside.contains("x' &"));
        let texts = read(&page);
        assert!(texts.iter().any(|t| t.contains("<script>alert(1)</script>")), "shown as text");
        let scenario = data(&page)["runs"][0]["scenario"].as_str().unwrap_or_default().to_string();
        assert!(scenario.starts_with("<script>alert(1)</script>"), "{scenario}");
    }
    for name in FIGURES {
        let svg = plot_svg(&[run(EVIL, 2, 10, wave)], name).expect("a known figure");
        assert!(!svg.contains("<script") && !svg.contains("\" onload"));
        roxmltree::Document::parse(&svg).expect("the figure is well-formed");
    }
}

#[test]
fn figures_stand_alone_and_say_what_they_show() {
    let report = run("plain", 3, 500, wave);
    for name in FIGURES {
        let svg = plot_svg(&[report.clone(), report.clone()], name).expect("a known figure");
        let document = roxmltree::Document::parse(&svg).expect("well-formed");
        let root = document.root_element();
        assert_eq!((root.tag_name().name(), root.attribute("role")), ("svg", Some("img")));
        assert!(root.attribute("aria-label").is_some_and(|label| label.len() > 10));
        assert!(root.children().any(|c| c.has_tag_name(("http://www.w3.org/2000/svg", "title"))));
        no_stranger(&svg);
    }
    assert!(plot_svg(&[report], "nonsense").is_none());
    assert!(plot_svg(&[], "energy").is_none());
}

/// A motion that nothing comes near has no empty frames of gaps and impulses on its page; asked for by name, they are drawn and say so.
#[test]
fn no_empty_frames_where_nothing_touches() {
    let mut builder = ReportBuilder::new(Meta::default());
    for k in 0..=10 {
        let t = f64::from(k) / 10.0;
        builder.push_state(t, &[wave(0, t)], &[wave(1, t)]);
        builder.push_ledger(t, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, Some(1e-15));
    }
    let report = builder.finish(info("free"));
    let page = render(std::slice::from_ref(&report));
    let outside = bare(&page).0;
    for (name, there) in [("positions", true), ("energy", true), ("gaps", false), ("impulses", false)] {
        assert_eq!(outside.contains(&format!("id=\"figure-{name}\"")), there, "{name}");
    }
    assert_eq!(data(&page)["figures"].as_array().map(Vec::len), Some(5));
    assert!(plot_svg(&[report], "gaps").expect("a known figure").contains("nothing to draw"));
}

#[test]
fn page_is_complete_and_strict() {
    let page = render(&[run("plain", 3, 500, wave)]);
    no_stranger(&page);
    read(&page);
    assert!(page.contains("content=\"default-src 'none'; script-src 'sha256-") && !page.contains("unsafe"));
    assert_eq!(bare(&page).1.len(), 3, "the data, their columns and the viewer");
    assert!(
        page.contains("<html lang=\"en\">")
            && page.contains("name=\"viewport\"")
            && page.contains("prefers-color-scheme")
    );
    assert_eq!(page.matches("<svg ").count(), 7);
    assert_eq!(page.matches("role=\"img\"").count(), 7);
    assert_eq!(page.matches("<th>").count(), 0, "every header has a scope");
    // the order of the page
    let order = [
        "<h1>",
        "Verdicts",
        "Guaranteed",
        "id=\"viewer\"",
        "Positions",
        "Velocities",
        "Gaps",
        "Energy</h3>",
        "Where each joule",
        "ledger close",
        "Impulses",
        "Impacts</h3>",
        "Contacts</h2>",
        "Warnings",
        "Provenance</h2>",
        "state hash",
        "Scenario as",
        "id=\"downloads\"",
    ];
    let page = bare(&page).0;
    let places: Vec<usize> = order.iter().map(|w| page.find(w).unwrap_or_else(|| panic!("{w} is missing"))).collect();
    assert!(places.windows(2).all(|w| w[0] < w[1]), "{order:?} at {places:?}");
}

#[test]
fn same_runs_same_bytes() {
    let page = || render(&[run("plain", 3, 3000, wave), run("other", 3, 3000, wave)]);
    assert_eq!(page(), page());
}

/// 10⁵ steps of noise on six coordinates and contacts, the worst a plot can meet, and an ordinary run.
#[test]
fn size_is_bounded() {
    let noise = |i: usize, t: f64| ((t * 1e5 + i as f64) * 12.9898).sin() * 43758.5453 % 1.0;
    let worst = render(&[run("plain", 6, 100_000, noise)]);
    assert!(worst.len() < 900_000, "noise: {} bytes", worst.len());
    let ordinary = render(&[run("plain", 6, 100_000, wave)]);
    assert!(ordinary.len() < 450_000, "ordinary: {} bytes", ordinary.len());
    println!("noise {} bytes, ordinary {} bytes", worst.len(), ordinary.len());
}

#[test]
fn what_is_not_finite_is_skipped_and_said() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
        let report = run("plain", 2, 50, |i, t| if t > 0.5 { bad } else { wave(i, t) });
        assert!(report.n_not_finite() > 0);
        let page = render(std::slice::from_ref(&report));
        no_stranger(&page);
        read(&page);
        assert!(page.contains("were not finite numbers"));
        let only_bad = render(&[run("plain", 2, 50, |_, _| bad)]);
        no_stranger(&only_bad);
        read(&only_bad);
    }
    let mut extreme = ReportBuilder::new(Meta::default());
    extreme.push_state(f64::NAN, &[1.0], &[]);
    let page = render(&[extreme.finish(RunInfo { step: f64::NAN, wall_s: f64::INFINITY, ..RunInfo::default() })]);
    no_stranger(&page);
}

/// A scenario of a megabyte does not make a page of a megabyte.
#[test]
fn long_scenarios_are_cut() {
    let info = RunInfo { scenario_toml: "x = 1\n".repeat(200_000), ..RunInfo::default() };
    let page = render(&[ReportBuilder::new(Meta::default()).finish(info)]);
    read(&page);
    assert!(page.len() < 250_000 && page.contains("the whole is in scenario.toml"));
}

#[test]
fn empty_and_tiny_runs_have_a_page() {
    read(&render(&[]));
    read(&render(&[ReportBuilder::new(Meta::default()).finish(RunInfo::default())]));
    read(&render(&[run("plain", 0, 0, wave)]));
    read(&render(&[run("plain", 1, 0, |_, _| 0.0), run("plain", 1, 0, |_, _| -0.0)]));
}

/// Of many coordinates the first, the middle and the last are drawn, and the caption says so.
#[test]
fn many_coordinates_are_thinned() {
    let page = render(&[run("plain", 101, 20, wave)]);
    assert!(page.contains("Of 101 coordinates the first, the middle and the last are shown."));
    for name in [">q0<", ">q50<", ">q100<", ">contact 50<", ">smallest of all<"] {
        assert!(page.contains(name), "{name}");
    }
    assert!(!page.contains(">q1<"));
}

/// Of several bodies the component in which they move most is drawn, of one all that move; what stands still beside it is not.
#[test]
fn curves_are_those_that_move() {
    let names = ["a.x", "a.z", "b.x", "b.z", "c.x", "c.z"].map(String::from).to_vec();
    let drawn = |rule: Option<Candidates>| {
        let (q_names, q_units) = (names.clone(), vec!["m".to_string(); 6]);
        let meta = Meta { q_names, q_units, q_drawn: (0..6).collect(), candidates: [rule, None], ..Meta::default() };
        let mut builder = ReportBuilder::new(meta);
        for k in 0..50 {
            let t = 0.1 * f64::from(k);
            // all swing along x, one rises a little, one stands
            builder.push_state(t, &[t.sin(), 0.1 * t.cos(), 0.5 * t.cos(), 0.0, 0.0, 0.0], &[0.0]);
        }
        let page = render(&[builder.finish(RunInfo::default())]);
        let of = |name: &String| page.contains(&format!(">{name}<"));
        names.iter().filter(|name| of(name)).cloned().collect::<Vec<String>>()
    };
    assert_eq!(drawn(None), names);
    assert_eq!(drawn(Some(Candidates::Each)), ["a.x", "a.z", "b.x"]);
    assert_eq!(drawn(Some(Candidates::OneComponent)), ["a.x", "b.x"]);
}

/// Wheels on axles move by round-off along x: their angles are drawn, a panel of 1e-33 m is not.
#[test]
fn a_unit_that_stands_still_is_not_drawn() {
    let q_names = vec!["wheel.x".to_string(), "wheel.theta".to_string()];
    let q_units = vec!["m".to_string(), "rad".to_string()];
    let candidates = [Some(Candidates::Each), None];
    let mut builder = ReportBuilder::new(Meta { q_names, q_units, q_drawn: vec![0, 1], candidates, ..Meta::default() });
    for k in 0..50 {
        let t = 0.1 * f64::from(k);
        builder.push_state(t, &[1e-33 * t.sin(), t], &[0.0]);
    }
    let page = render(&[builder.finish(RunInfo::default())]);
    assert!(page.contains(">wheel.theta<") && !page.contains(">wheel.x<"));
}

/// The headline says what happened, and is green where every certificate passes, not otherwise.
#[test]
fn a_headline_is_green_only_when_all_pass() {
    let headline = |statuses: [&str; 2], holds: bool| {
        let verdict = |(name, status): (&str, &str)| VerdictInfo {
            name: name.into(),
            status: status.into(),
            text: "energy was created".into(),
            worst: Some(if name == "gap" { 0.01 } else { 0.2 }),
            ..VerdictInfo::default()
        };
        let verdicts = ["energy", "gap"].into_iter().zip(statuses).map(verdict).collect();
        let guarantee = Some(GuaranteeInfo { holds, ..GuaranteeInfo::default() });
        let size = Some((0.5, "the least half-thickness of a body".to_string()));
        let mut builder = ReportBuilder::new(Meta::default());
        builder.push_state(0.0, &[0.0], &[0.0]);
        builder.push_ledger(0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, None);
        let page = render(&[builder.finish(RunInfo { verdicts, guarantee, size, ..RunInfo::default() })]);
        let start = page.find("<p class=\"headline ").expect("a headline");
        page[start..start + page[start..].find("</p>").expect("an end")].replace('\u{a0}', " ")
    };
    let green = headline(["pass", "pass"], true);
    assert!(green.contains("headline pass") && green.contains("Every certificate passes."), "{green}");
    assert!(green.contains("No energy was created, as a theorem promises."), "{green}");
    assert!(green.contains("0.01 m, 2 % of the least half-thickness of a body (0.5 m)"), "{green}");
    assert!(headline(["pass", "none"], false).contains("though no theorem promises it"));
    for (status, class) in [("report", "report"), ("warn", "warn"), ("fail", "fail")] {
        let words = headline(["pass", status], true);
        assert!(words.contains(&format!("headline {class}")) && !words.contains("Every certificate passes"), "{words}");
    }
    let created = headline(["warn", "pass"], false);
    assert!(
        created.contains("up to 0.2 J in a step, 20 % of the largest energy: no theorem excludes it here"),
        "{created}"
    );
}

/// The headline of several runs says which of them created energy and how deep the worst one went, in typeset words, and is green only where
/// every certificate of every run passes; theorems in the table of verdicts are typeset as well.
#[test]
fn a_comparison_has_a_headline_in_words() {
    let run = |scheme: &str, energy: &str, depth: f64, holds: bool| {
        let verdict = |name: &str, status: &str, worst: f64| VerdictInfo {
            name: name.into(),
            status: status.into(),
            text: if status == "pass" { "no step created energy" } else { "energy was created" }.into(),
            worst: Some(worst),
            ..VerdictInfo::default()
        };
        let verdicts = vec![verdict("energy", energy, 0.2), verdict("gap", "pass", depth)];
        let theorem = "energy-exact stepping: ΔE = W_ext + p·u_{k+½}".to_string();
        let guarantee = Some(GuaranteeInfo { holds, theorem, ..GuaranteeInfo::default() });
        let size = Some((0.5, "the least half-thickness of a body".to_string()));
        let mut builder = ReportBuilder::new(Meta::default());
        builder.push_state(0.0, &[0.0], &[0.0]);
        builder.push_ledger(0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, None);
        builder.push_gap(0.0, 0, -depth, 0.0);
        builder.finish(RunInfo { scheme: scheme.into(), verdicts, guarantee, size, ..RunInfo::default() })
    };
    let headline = |reports: &[Report]| {
        let page = render(reports);
        assert!(page.contains("p·u<sub>k+½</sub>") && !page.contains("u_{k+½}"), "formulas are typeset");
        let start = page.find("<p class=\"headline ").expect("a headline");
        page[start..start + page[start..].find("</p>").expect("an end")].replace('\u{a0}', " ")
    };
    let green = headline(&[run("a", "pass", 0.0, true), run("b", "pass", 0.0, true)]);
    assert_eq!(
        green,
        "<p class=\"headline pass\">Every certificate of every run passes. No run created energy, as theorems promise for each. \
         Nothing penetrates in any run."
    );
    let mixed = headline(&[run("a", "pass", 0.0, true), run("b", "warn", 0.01, false), run("c", "pass", 0.0, false)]);
    assert_eq!(
        mixed,
        "<p class=\"headline warn\">No certificate failed; warned: energy of b. Energy was created by b (up to 0.2 J in a step, 20 % of \
         the largest energy: no theorem excludes it here). None was created by a, as theorems promise, nor by c, without one. \
         Deepest penetration 0.01 m, 2 % of the least half-thickness of a body (0.5 m) by b."
    );
    let failed = headline(&[run("a", "fail", 0.0, true), run("b", "pass", 0.0, true)]);
    assert!(failed.contains("headline fail") && failed.contains("Failed: energy of a."), "{failed}");
}

/// Reactions of steps with an impact are in no curve and in no largest force, but in a column of their own.
#[test]
fn impacts_on_joints_are_impulses() {
    let joints = vec![JointMeta { name: "pin".into(), unit: "rad".into(), chosen: false }];
    let mut builder = ReportBuilder::new(Meta { joints, reactions_of_two_steps: true, ..Meta::default() });
    for k in 0..10 {
        let t = 0.1 * f64::from(k);
        builder.push_state(t, &[0.0], &[0.0]);
        match k {
            5 => builder.push_joint_impulse(t, 0, 4321.0),
            _ => builder.push_reaction(t, 0, 25.0, 0.0),
        }
        builder.push_joint(t, 0, t);
    }
    let page = render(&[builder.finish(RunInfo::default())]);
    assert!(page.contains("<td data-h=\"largest force [N]\">25 at 0"), "the force");
    assert!(page.contains("<td data-h=\"largest impulse of a step with an impact [N s]\">4321 at 0.5"), "the impulse");
    assert!(page.contains("Steps with an impact are left out") && page.contains("means over two steps"));
}

/// Contacts whose gap is a length and those whose gap is an angle share no axis, and tables say both units; alone, each says its own.
#[test]
fn lengths_and_angles_share_no_axis() {
    let made = |kinds: [bool; 2]| {
        let mut builder = ReportBuilder::new(Meta::default());
        for contact in [0, 1].into_iter().filter(|&k| kinds[k]) {
            if contact == 1 {
                builder.contact_turns(contact);
            }
        }
        for k in 0..10 {
            let t = 0.1 * f64::from(k);
            builder.push_state(t, &[0.0], &[0.0]);
            for contact in [0, 1].into_iter().filter(|&k| kinds[k]) {
                builder.push_gap(t, contact, (1.0 - t) / (1 + contact) as f64, f64::from(k % 3));
                builder.push_event(t, "impact", contact, -1.0, 1.0, 2.0);
            }
        }
        let report = [builder.finish(RunInfo::default())];
        (
            plot_svg(&report, "gaps").expect("a figure"),
            plot_svg(&report, "impulses").expect("a figure"),
            render(&report),
        )
    };
    let (gaps, impulses, page) = made([true, true]);
    assert!(gaps.contains(">g [m]<") && gaps.contains(">g [rad]<"), "{gaps}");
    assert!(impulses.contains(">p [N s]<") && impulses.contains(">p [N m s]<"), "{impulses}");
    assert!(page.contains("smallest gap [m or rad]") && page.contains("u before [m/s or rad/s]"));
    assert_eq!(data(&page)["units"], serde_json::json!(["m or rad", "m/s or rad/s", "N s or N m s"]));
    let (gaps, impulses, page) = made([false, true]);
    assert!(!gaps.contains("[m]") && gaps.contains(">g [rad]<") && impulses.contains(">p [N m s]<"), "{gaps}");
    assert!(page.contains("smallest gap [rad]"));
    let (gaps, impulses, page) = made([true, false]);
    assert!(gaps.contains(">g [m]<") && !gaps.contains("[rad]") && !impulses.contains("[N m s]"), "{gaps}");
    assert!(page.contains("u before [m/s]<"));
}

/// A velocity held until the impact and reversed there is a vertical line in the figure.
#[test]
fn impacts_are_vertical() {
    let mut builder = ReportBuilder::new(Meta::default());
    for k in 0..=4 {
        let t = k as f64;
        builder.push_state(t, &[0.0], &[if k < 2 { -1.0 } else { 1.0 }]);
        if k == 2 {
            builder.push_event(t, "impact", 0, -1.0, 1.0, 2.0);
        }
    }
    let svg = plot_svg(&[builder.finish(RunInfo::default())], "velocities").expect("a known figure");
    // to the right, straight up, to the right
    assert!(svg.contains("l229 0 0-181.82 229 0"), "{svg}");
}

/// A contact seen again after an absence begins a new stroke.
#[test]
fn absent_contacts_leave_a_hole() {
    let mut builder = ReportBuilder::new(Meta::default());
    for k in 0..=10 {
        builder.push_state(k as f64, &[0.0], &[0.0]);
        if !(4..=6).contains(&k) {
            builder.push_gap(k as f64, 0, (k as f64).sin(), 0.0);
        }
    }
    let svg = plot_svg(&[builder.finish(RunInfo::default())], "gaps").expect("a known figure");
    let curve = svg.lines().find(|l| l.contains("<title>contact 0</title>")).expect("the curve");
    assert_eq!(curve.matches('M').count(), 2);
}

/// The list stops at 200 impacts and says how many there were.
#[test]
fn impacts_are_counted() {
    let report = run("plain", 1, 3000, wave);
    assert_eq!(report.n_impacts(), 1001);
    assert!(render(&[report]).contains("The first 200 of 1001 impacts; 801 more are not listed."));
}

/// A run that did not reach its end is headed by what ended it, in red, whatever its certificates say.
#[test]
fn failures_come_first() {
    let failed = |code: &str| {
        let mut info = info("plain");
        info.failure = Some(FailureInfo {
            code: code.into(),
            t: 0.125,
            message: format!("no solution {EVIL}"),
            help: "a smaller step".into(),
        });
        info.verdicts.truncate(1);
        let mut report = ReportBuilder::new(Meta::default());
        report.push_state(0.0, &[0.0], &[0.0]);
        report.finish(info)
    };
    let good = || {
        let mut info = info("good");
        info.verdicts.truncate(1);
        ReportBuilder::new(Meta::default()).finish(info)
    };
    for (reports, name) in [(vec![failed("E201")], ""), (vec![good(), failed("E201")], "plain")] {
        let page = render(&reports);
        let start = page.find("<p class=\"headline fail\">").expect("a red headline");
        let headline = &page[start..start + page[start..].find("</p>").expect("an end")];
        assert!(headline.contains("E201") && headline.contains("0.125") && headline.contains("no solution"));
        assert!(headline.contains(name), "{headline}");
        assert!(!page.contains("No certificate failed") && !headline.contains("<script"), "{headline}");
        assert!(page.contains("Help: a smaller step."));
    }
    // stopped by somebody: no code, still red
    let page = render(&[failed("")]);
    assert!(page.contains("<p class=\"headline fail\">the run ended at t = 0.125"), "{page}");
    assert!(render(&[good()]).contains("<p class=\"headline pass\">Every certificate passes."));
}

/// Of thousands of contacts the page names those it speaks of: of its events, its verdicts, its curves, and no others.
#[test]
fn contacts_of_events_have_names() {
    let column = |name: &str| Column { name: name.into(), rule: Rule::Value, words: Vec::new() };
    let table = TableMeta { file: "events.csv".into(), columns: vec![column("t"), column("contact")], budget: 100_000 };
    let mut builder = ReportBuilder::new(Meta { tables: vec![table], ..Meta::default() });
    (0..3000).for_each(|id| builder.name_contact(id, || format!("ball {id} – floor 0")));
    for k in 0..10_u64 {
        builder.push_state(k as f64, &[0.0], &[0.0]);
        builder.push_event(k as f64, "impact", 2980 + k as usize, -1.0, 1.0, 2.0);
        builder.push_row(0, k, true, [k as f64, (2980 + k) as f64]);
    }
    let mut about = info("plain");
    about.verdicts[1].contact = Some(2500);
    let page = render(&[builder.finish(about)]);
    assert!(page.contains("\"2989\":\"ball 2989 – floor 0\"") && page.contains("ball 2500 – floor 0"));
    assert!(!page.contains("contact 2989") && !page.contains("ball 1234 – floor 0"));
}

/// A run of so many steps with a picture of `n` coordinates and a table.
fn pictured(n: usize, steps: u64, space: bool) -> Report {
    let column = |name: &str, rule| Column { name: name.into(), rule, words: Vec::new() };
    let columns = vec![column("t", Rule::Value), column("work", Rule::Sum)];
    let table = TableMeta { file: "ledger.csv".into(), columns, budget: 160_000 };
    let meta = Meta { film: (0..n).collect(), tables: vec![table], ..Meta::default() };
    let mut builder = ReportBuilder::new(meta);
    for k in 0..=steps {
        let t = k as f64 / steps as f64;
        let q: Vec<f64> = (0..n).map(|i| wave(i, t)).collect();
        if k % 1000 == 7 {
            builder.push_event(t, "impact", 0, -1.0, 1.0, 2.0);
        }
        builder.push_row(0, k, k % 1000 == 7, [t, 1.0]);
        builder.push_state(t, &q, &q);
    }
    let mut report = builder.finish(info("plain"));
    let place = Place::Coordinates { position: Default::default(), angle: Coordinate::q(0, 0.0) };
    let shape = Shape { name: EVIL.into(), role: Role::Body, geometry: Geometry::Sphere { radius: 1.0 }, place };
    report.set_scene(SceneDescription { space, shapes: vec![shape], ..SceneDescription::default() });
    report
}

/// Frames and tables are whole while they fit; of long runs the ends, the impacts and the sums stay.
#[test]
fn films_and_tables_are_bounded() {
    let page = render(&[pictured(3, 500, false)]);
    let run = &data(&page)["runs"][0];
    assert_eq!((&run["film"]["seen"], &run["tables"][0]["rows"]), (&501.into(), &501.into()));
    read(&page);

    let long = pictured(3, 200_000, false);
    for (page, most) in
        [(render(std::slice::from_ref(&long)), 2_300_000), (render(&[long.clone(), long.clone()]), 2_600_000)]
    {
        assert!(page.len() < most, "{} bytes", page.len());
        let run = data(&page)["runs"][0].take();
        let rows = run["tables"][0]["rows"].as_u64().unwrap_or(0);
        assert_eq!(run["tables"][0]["seen"], 200_001);
        assert!((2000..=10_000).contains(&rows), "{rows}");
        read(&page);
    }
    let huge = render(&[pictured(7000, 3000, false)]);
    assert!(huge.len() < 25_000_000, "{} bytes", huge.len());
}

/// A table of 10⁵ columns is left to the run's folder, and the page says so by its rows.
#[test]
fn wide_tables_stay_outside() {
    let columns =
        (0..100_000).map(|k| Column { name: format!("q{k}"), rule: Rule::Value, words: Vec::new() }).collect();
    let table = TableMeta { file: "trajectory.csv".into(), columns, budget: 400_000 };
    let mut builder = ReportBuilder::new(Meta { tables: vec![table], ..Meta::default() });
    (0..5).for_each(|k| builder.push_row(0, k, false, (0..100_000).map(|i| i as f64)));
    let page = render(&[builder.finish(info("plain"))]);
    assert!(page.len() < 250_000, "{} bytes", page.len());
    let kept = &data(&page)["runs"][0]["tables"][0];
    assert_eq!((&kept["rows"], &kept["seen"]), (&0.into(), &5.into()));
}

/// Only a page with a picture in space carries the part of the viewer that draws it.
#[test]
fn space_is_carried_where_needed() {
    let (plane, space) = (render(&[pictured(7, 50, false)]), render(&[pictured(7, 50, true)]));
    assert_eq!((bare(&plane).1.len(), bare(&space).1.len()), (3, 4));
    assert!(plane.len() + 400_000 < space.len());
    no_stranger(&space);
    read(&space);
}

/// What is embedded ends neither its own element nor the page.
#[test]
fn the_viewer_stays_in_its_element() {
    for text in bare(&render(&[pictured(7, 50, true)])).1 {
        assert!(!text.is_empty() && !text.contains("<!--") && !text.to_lowercase().contains("</script"));
    }
}
