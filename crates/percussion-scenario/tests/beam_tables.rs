//! Beams in a run folder: section forces beside statics, thinned and chosen rows, stop and resume, verification, lines for ParaView.

use percussion_scenario::{
    CHECKPOINT_EVERY, Choice, Finding, LoadOptions, RunFolder, StartFrom, against, export_vtk, load_text, modes,
    modes_page, resume, run, run_kept, scenario_text, settle, verify,
};
use std::path::{Path, PathBuf};

const CANTILEVER: &str = "[model]\nkind = \"bodies\"\n[[body]]\nname = \"wall\"\nfixed = true\n[[beam]]\nname = \"rod\"\nfrom = [0.0, 0.0, 0.0]\nto = [1.0, 0.0, 0.0]\nelements = 5\nstiffness = [1e6, 1e6, 1e6, 1e3, 1e4, 1e4]\nmass_per_length = 1.0\ninertia_per_length = [2e-3, 1e-3, 1e-3]\ndamping = 1e-3\n[[cable]]\nname = \"stay\"\nfrom = [1.0, 0.0, 0.0]\nto = [1.0, 0.0, 1.0]\nfrom_body = \"rod\"\nelements = 2\naxial_stiffness = 1e4\nlength = 1.2\nmass_per_length = 0.01\n[[joint]]\nkind = \"fixed\"\na = \"wall\"\nb = \"rod\"\nanchor = [0.0, 0.0, 0.0]\n[[load]]\nbeam = \"rod\"\nnode = 5\nforce = [7.0, 0.0, 2.0]\n[scheme]\nname = \"energy-momentum\"\n[time]\nstep = 1e-3\nend = 0.05\n";

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("beam-tables").join(name)
}

fn options(set: &[&str]) -> LoadOptions {
    LoadOptions { set: set.iter().map(ToString::to_string).collect(), ..Default::default() }
}

/// Rows of `beams.csv` as step, beam, element and twelve numbers, NaN where empty.
fn rows(folder: &Path) -> Vec<(u64, String, usize, Vec<f64>)> {
    let text = std::fs::read_to_string(folder.join("beams.csv")).expect("beams.csv");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("step,t,beam,element,gamma1,gamma2,gamma3,kappa1,kappa2,kappa3,N,Q2,Q3,T,M2,M3"));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let numbers = cells[4..].iter().map(|x| x.parse().unwrap_or(f64::NAN)).collect();
            (cells[0].parse().expect("a step"), cells[2].to_string(), cells[3].parse().expect("an element"), numbers)
        })
        .collect()
}

/// A cantilever at rest under a load at its tip and its own weight: N = 7, Q₃ = P − w(L − x), M₂ = −P(L − x) + ½w(L − x)², to first order
/// in its deflection; strains are forces over stiffness.
#[test]
fn section_forces_at_rest() {
    let text = CANTILEVER.replace("from_body = \"rod\"\n", "from_body = \"wall\"\nto_body = \"wall\"\n");
    let mut loaded = load_text("rod", &text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    settle(&mut loaded.scenario, 0.0).unwrap_or_else(|error| panic!("{error}"));
    let (text, _) = scenario_text(&loaded.scenario);
    let loaded = load_text("rod", &text, &options(&["time.end=0.002"])).unwrap_or_else(|error| panic!("{error}"));
    let folder = folder("at-rest");
    run(loaded, &folder, &mut |_| true).expect("a run");
    let rows = rows(&folder);
    let (P, w, h) = (2.0, 9.81, 0.2);
    for (_, beam, element, x) in rows.iter().filter(|(step, ..)| *step == 2) {
        if beam == "stay" {
            assert!(x[0].is_finite() && x[6] >= 0.0 && x[1..6].iter().chain(&x[7..]).all(|x| x.is_nan()), "{x:?}");
            continue;
        }
        // weight stands at nodes: what is beyond the middle of the element
        let beyond = 1.0 - h * (*element as f64 + 0.5);
        let hanging: Vec<(f64, f64)> =
            (element + 1..=5).map(|k| (if k == 5 { 0.5 } else { 1.0 } * w * h, k as f64 * h)).collect();
        let Q = P - hanging.iter().map(|(m, _)| m).sum::<f64>();
        let M = -P * beyond + hanging.iter().map(|(m, at)| m * (at - (1.0 - beyond))).sum::<f64>();
        assert!((x[6] - 7.0).abs() < 1e-2 && (x[8] - Q).abs() < 1e-2, "{element}: {x:?} {Q}");
        assert!((x[10] - M).abs() < 1e-2 * M.abs().max(0.1), "{element}: {x:?} {M}");
        assert!((x[0] * 1e6 - x[6]).abs() < 1e-6 && (x[4] * 1e4 - x[10]).abs() < 1e-6);
    }
    assert_eq!(rows.iter().filter(|(step, beam, ..)| *step == 2 && beam == "rod").count(), 5);

    // the same along the beam, a line for each instant, at the middles of the elements
    let kept = RunFolder::open(&folder).expect("a run");
    let only = Choice { only: vec!["rod".into()], ..Choice::default() };
    let plots = against(&kept, "s", &["M2".into(), "N".into()], &only).expect("plots");
    assert_eq!(plots.iter().map(|plot| plot.y_label.as_str()).collect::<Vec<_>>(), ["M2 [N m]", "N [N]"]);
    let line = plots[0].lines.last().expect("a line");
    assert_eq!((plots[0].lines.len(), line.points.len()), (3, 5));
    let own = rows.iter().filter(|(step, beam, ..)| *step == 2 && beam == "rod");
    for ((s, M), (_, _, element, x)) in line.points.iter().zip(own) {
        assert!((s - h * (*element as f64 + 0.5)).abs() < 1e-12 && *M == x[10], "{s} {M} {x:?}");
    }
    assert!(against(&kept, "s", &["energy".into()], &only).is_err());

    // vibrations about the rest, drawn
    let found = modes(&kept.loaded.scenario, 0.0).expect("modes");
    let page = modes_page(&kept.loaded.scenario, &found[..2]).expect("a page");
    for k in 0..2 {
        let name = format!("mode {k}, {:.6} Hz", found[k].frequency());
        assert!(page.contains(&name), "{name}");
    }
}

/// Rows of four steps are means of their four rows; a beam that no word means is left out.
#[test]
fn thinned_and_chosen() {
    let (all, thin, chosen) = (folder("all"), folder("thin"), folder("chosen"));
    for (folder, set) in [(&all, vec![]), (&thin, vec!["output.every=4"]), (&chosen, vec!["output.select=[\"rod\"]"])] {
        let loaded = load_text("rod", CANTILEVER, &options(&set)).unwrap_or_else(|error| panic!("{error}"));
        run(loaded, folder, &mut |_| true).expect("a run");
    }
    let (all, thin) = (rows(&all), rows(&thin));
    let of = |list: &[(u64, String, usize, Vec<f64>)], step: u64| {
        list.iter().find(|(s, b, e, _)| *s == step && b == "rod" && *e == 1).expect("a row").3.clone()
    };
    let (row, last) = (of(&thin, 8), of(&all, 8));
    for k in 0..6 {
        assert_eq!(row[k], last[k]);
        let mean: f64 = (5..=8).map(|step| of(&all, step)[6 + k]).sum::<f64>() / 4.0;
        assert!((row[6 + k] - mean).abs() <= 1e-12 * mean.abs().max(1.0), "{k}: {} {mean}", row[6 + k]);
    }
    assert!(rows(&chosen).iter().all(|(_, beam, ..)| beam == "rod"));
}

/// Stopped and gone on with, the tables are those of the whole run; verification finds nothing, in memory the rows are the same.
#[test]
fn stopped_and_resumed() {
    let (whole, cut) = (folder("whole"), folder("cut"));
    for every in ["output.every=1", "output.every=7"] {
        let load = || load_text("rod", CANTILEVER, &options(&[every])).unwrap_or_else(|error| panic!("{error}"));
        run(load(), &whole, &mut |_| true).expect("a run");
        run(load(), &cut, &mut |progress| progress.step < 17).expect("a part");
        resume(&cut, CHECKPOINT_EVERY, &mut |_| true).expect("the rest");
        for table in ["beams.csv", "trajectory.csv", "ledger.csv", "momentum.csv", "reactions.csv"] {
            let read = |folder: &Path| std::fs::read_to_string(folder.join(table)).expect("a table");
            assert_eq!(read(&whole), read(&cut), "{table} {every}");
        }
        let found = verify(&cut).expect("a verification");
        assert!(
            !found.checks.iter().any(|check| matches!(check.finding, Finding::Differs { .. })),
            "{:?}",
            found.checks
        );
        let (_, _, kept) = run_kept(load(), None, &mut |_| true).expect("a run");
        assert_eq!(kept.beams.values.len() / kept.beams.columns.len(), rows(&whole).len());
    }
}

/// Where a rope lies on a floor its light links swing about what joints allow; a run and modes that start there begin with the velocities nearest to it, and say so.
#[test]
fn started_from_a_rope_in_contact() {
    let text = "[model]\nkind = \"bodies\"\nrestitution = 0.0\nfriction = 0.4\n[[body]]\nname = \"floor\"\nfixed = true\nshape = { kind = \"plane\" }\n[[cable]]\nname = \"rope\"\nfrom = [0.0, 0.0, 0.05]\nto = [0.05, 0.02, 1.0]\nelements = 20\naxial_stiffness = 1e4\nmass_per_length = 0.2\ncontact = { radius = 0.012 }\n[time]\nstep = 1e-3\nend = 0.4\n";
    let (first, second) = (folder("rope"), folder("rope-on"));
    run(load_text("rope", text, &options(&[])).expect("a scene"), &first, &mut |_| true).expect("a run");
    let mut told = 0;
    for t in [0.35, 0.38, 0.4] {
        let from = StartFrom { run: first.clone(), t: Some(t) };
        let start = LoadOptions { from: Some(from), ..options(&["time.end=0.01"]) };
        let loaded = load_text("rope", text, &start).unwrap_or_else(|error| panic!("{error}"));
        told += loaded.scenario.warnings.iter().filter(|warning| warning.code.as_str() == "W407").count();
        modes(&loaded.scenario, 0.0).expect("modes");
        run(loaded, &second, &mut |_| true).expect("a run");
        let found = verify(&second).expect("a verification");
        let wrong = found.checks.iter().find(|check| matches!(check.finding, Finding::Differs { .. }));
        assert!(wrong.is_none(), "{wrong:?}");
    }
    assert!(told > 0, "no start had to be changed");
}

/// A line for each element in every frame, with as many numbers as elements.
#[test]
fn lines_for_paraview() {
    let (from, to) = (folder("drawn"), folder("vtk"));
    run(load_text("rod", CANTILEVER, &LoadOptions::default()).expect("a scene"), &from, &mut |_| true).expect("a run");
    let frames = export_vtk(&from, &to).expect("frames");
    assert_eq!(frames, 51);
    let text = std::fs::read_to_string(to.join("frames/beams-00050.vtp")).expect("a frame");
    assert!(text.contains("NumberOfPoints=\"9\"") && text.contains("NumberOfLines=\"7\""), "{text}");
    let after = text.split("Name=\"moment_T_M2_M3\"").nth(1).expect("moments");
    let numbers = after.split('>').nth(1).expect("data").split('<').next().expect("data").split_whitespace().count();
    assert_eq!(numbers, 21);
    assert!(std::fs::read_to_string(to.join("run.pvd")).expect("an index").contains("frames/beams-00050.vtp"));
}
