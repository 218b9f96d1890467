//! Studies: the same whatever the number of threads; failures are rows; references where no exact motion is known.

use percussion_scenario::{LoadOptions, load};
use percussion_study::papers::PAGES;
use percussion_study::{
    Against, ConvergeOptions, Convergence, Levels, Threads, Variant, compare, converge, reproduce, variants,
};
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A table without its last column, the wall time.
fn untimed(csv: &str) -> Vec<String> {
    csv.lines().map(|line| line.rsplit_once(',').map_or(line, |(rest, _)| rest).to_string()).collect()
}

fn schemes(words: &[&str]) -> Vec<Variant> {
    variants(words.iter().copied(), &LoadOptions::default()).expect("schemes")
}

fn convergence(scenario: &str, words: &[&str], steps: &[f64], reference: Option<&str>, threads: usize) -> Convergence {
    let source = |options: &LoadOptions| load(scenario, options);
    let options = ConvergeOptions {
        variants: schemes(words),
        levels: Levels::Steps(steps.to_vec()),
        against: reference.map_or(Against::Automatic, |word| {
            Against::Scheme(Variant::parse(word, &LoadOptions::default()).expect("a scheme"))
        }),
        hausdorff: false,
        norm: None,
        threads: Threads(threads),
    };
    converge(&source, &options, &|_| true).expect("a study").expect("not stopped")
}

#[test]
fn threads_change_nothing() {
    let words = ["moreau-jean", "moreau-jean:theta=1", "generalized-alpha-ggl"];
    let source = |options: &LoadOptions| load("bouncing-ball", options);
    let tables: Vec<_> = [1, 4]
        .map(|threads| {
            let folder = folder(&format!("compare-{threads}"));
            let made = compare(&source, &schemes(&words), &folder, Threads(threads), &|_| true);
            let made = made.expect("a comparison").expect("not stopped");
            assert!(folder.join("compare.csv").is_file() && folder.join("report.html").is_file());
            untimed(&made.csv())
        })
        .to_vec();
    assert_eq!(tables[0], tables[1]);
    assert_eq!(tables[0].len(), 4);
    let steps = [1e-2, 5e-3, 2.5e-3];
    let tables: Vec<_> = [1, 4]
        .map(|threads| untimed(&convergence("impact-oscillator", &words[..2], &steps, None, threads).csv()))
        .to_vec();
    assert_eq!(tables[0], tables[1]);
}

/// Of a scheme that does not move this model the row says so; the others run.
#[test]
fn a_refused_scheme_is_a_row() {
    let source = |options: &LoadOptions| load("sliding-block", options);
    let there = folder("compare-refused");
    let made = compare(&source, &schemes(&["moreau-jean", "runge-kutta-moreau"]), &there, Threads(1), &|_| true);
    let made = made.expect("a comparison").expect("not stopped");
    assert!(made.list[0].run.is_ok() && made.list[1].run.is_err());
    assert!(made.csv().contains("runge-kutta-moreau,refused,E155"));
    // what is wrong with the words is an error
    assert!(compare(&source, &schemes(&["moreau-jean:theta=7"]), &there, Threads(1), &|_| true).is_err());
    assert!(compare(&source, &[], &there, Threads(1), &|_| true).is_err());
}

/// ΔH = works − dissipation + residuals in sums over all steps, dampers and joints included; sums and errors do not depend on which
/// steps are kept in the tables.
#[test]
fn the_split_adds_up_whatever_is_kept() {
    let text = "name = \"split\"\n[model]\nkind = \"linear\"\nmass = [[1.0, 0.0], [0.0, 2.0]]\nstiffness = [[50.0, -20.0], [-20.0, 30.0]]\n\
        damping = [[0.4, 0.0], [0.0, 0.2]]\nforce = [-3.0, { mean = 0.0, sines = [{ amplitude = 2.0, omega = 5.0, phase = 0.3 }] }]\n\
        q0 = [0.5, 0.2]\nv0 = [0.0, 1.0]\n[[model.contact]]\nnormal = [1.0, 0.0]\noffset = 0.1\nrestitution = 0.6\n\
        [scheme]\nname = \"moreau-jean\"\n[time]\nend = 2.0\nstep = 1e-3\n";
    let there = folder("compare-split");
    std::fs::create_dir_all(&there).expect("a folder");
    let path = there.join("split.toml");
    std::fs::write(&path, text).expect("written");
    let file = path.display().to_string();
    let source = |options: &LoadOptions| load(&file, options);
    let words = ["moreau-jean", "moreau-jean:theta=0.6", "generalized-alpha", "kh-generalized-alpha", "hht", "newmark"];
    let made = compare(&source, &schemes(&words), &there.join("c"), Threads(2), &|_| true);
    for compared in made.expect("a comparison").expect("not stopped").list {
        let (run, a) = compared.run.expect("a run");
        let change = a.algorithmic_end - a.algorithmic_start;
        let rest = change - (a.external + a.damping + a.contact + a.joints - a.dissipation);
        assert!(a.damping < -0.05 && a.contact < -0.05, "{}: {a:?}", compared.label);
        assert!(
            rest.abs() <= run.summary.steps as f64 * a.residual.max(1e-16),
            "{}: {rest:e} left, {a:?}",
            compared.label
        );
    }
    let ball = |every: &str| {
        let options =
            LoadOptions { set: vec![format!("output.every={every}"), "time.end=1".into()], ..LoadOptions::default() };
        let list = variants(["moreau-jean:theta=1"], &options).expect("a scheme");
        let source = |options: &LoadOptions| load("bouncing-ball", options);
        let made = compare(&source, &list, &folder(&format!("compare-every-{every}")), Threads(1), &|_| true);
        made.expect("a comparison").expect("not stopped").list.remove(0).run.expect("a run").1
    };
    assert_eq!(ball("1"), ball("50"));
}

/// The pendulum has no closed form: errors against located events and against the finest run of the scheme itself both show an order.
#[test]
fn references_without_an_exact_motion() {
    let steps = [4e-3, 2e-3, 1e-3];
    let study = convergence("pendulum", &["generalized-alpha-ggl:time.end=0.3"], &steps, None, 2);
    assert!(study.reference.contains("1.25e-4"), "{}", study.reference);
    let order = study.fit(0, |e| Some(e.l1_q)).expect("three errors").order;
    // smooth motion before the first impact: second order
    assert!((order - 2.0).abs() < 0.15, "order {order} against {}", study.reference);
    let own = convergence(
        "pendulum",
        &["generalized-alpha-ggl:time.end=0.3"],
        &steps,
        Some("generalized-alpha-ggl:time.end=0.3"),
        2,
    );
    let order = own.fit(0, |e| Some(e.l1_q)).expect("three errors").order;
    assert!((order - 2.0).abs() < 0.15, "order {order} against {}", own.reference);
}

#[test]
fn bad_studies_are_refused() {
    let source = |options: &LoadOptions| load("bouncing-ball", options);
    let run = |words: &[&str], levels: Levels| {
        let options = ConvergeOptions {
            variants: schemes(words),
            levels,
            against: Against::Automatic,
            hausdorff: false,
            norm: None,
            threads: Threads(1),
        };
        converge(&source, &options, &|_| true).map(|_| ()).expect_err("refused").code.to_string()
    };
    assert_eq!(run(&["moreau-jean"], Levels::Steps(vec![1e-2])), "E171");
    assert_eq!(run(&["moreau-jean"], Levels::Steps(vec![1e-2, 1e-2])), "E171");
    assert_eq!(run(&["moreau-jean"], Levels::Steps(vec![1e-2, -1.0])), "E171");
    assert_eq!(run(&["moreau-jean"], Levels::Steps(vec![1e-2, 1e3])), "E171");
    assert_eq!(run(&[], Levels::Steps(vec![1e-2, 1e-3])), "E171");
    assert_eq!(run(&["moreau-jean"], Levels::Tolerances(vec![1e-2, 0.0])), "E171");
    assert_ne!(run(&["moreau-jeann"], Levels::Steps(vec![1e-2, 1e-3])), "E171");
}

/// Every page builds in its short form, its links and files are there, and no page differs where it agreed when it was written.
#[test]
fn the_papers_are_reproduced() {
    let there = folder("papers");
    let made = reproduce(&[], &there, true, Threads(2), &|_| true).expect("pages").expect("not stopped");
    let index = std::fs::read_to_string(there.join("index.html")).expect("an index");
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gallery/papers/README.md");
    let gallery = std::fs::read_to_string(gallery).expect("the gallery's page on papers");
    for page in PAGES {
        assert!(gallery.contains(&format!("| `{}`: {} | {} |", page.name, page.title, page.source)), "{}", page.name);
        assert!(index.contains(&format!("href=\"{}.html\"", page.name)), "{}", page.name);
        let html = std::fs::read_to_string(there.join(format!("{}.html", page.name))).expect(page.name);
        for link in html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(link.starts_with("data:") || there.join(link).is_file(), "{}: {link} is missing", page.name);
        }
    }
    for (name, _, findings) in &made.pages {
        // in the gallery's words, the lines broken where they may be
        let told = gallery.split_whitespace().collect::<Vec<_>>().join(" ");
        for f in findings.iter().filter(|f| f.agreement != percussion_report::Agreement::Agrees) {
            let known = told.contains(f.statement.split(" (").next().unwrap_or_default())
                || f.statement.starts_with("work and error");
            assert!(known, "{name}: \"{}\" is not told in gallery/papers/README.md", f.statement);
        }
    }
    let differ: Vec<String> = made
        .pages
        .iter()
        .flat_map(|(name, _, findings)| findings.iter().map(move |f| (name, f)))
        .filter(|(_, f)| f.agreement == percussion_report::Agreement::Differs)
        .map(|(name, f)| format!("{name}: {}, found {}", f.statement, f.found))
        .collect();
    // the one statement of the papers that was not found true, here and by an independent implementation
    assert_eq!(differ.len(), 1, "{differ:#?}");
    assert!(differ[0].contains("only generalized-α converges"), "{differ:#?}");
    assert!(reproduce(&["nonsense".into()], &there, true, Threads(1), &|_| true).is_err());
}
