//! Elastic solids among bodies as scenarios: tables, certificates, verification, resumption, what is written, printed and refused.

use percussion_model::Code;
use percussion_scenario::{
    Attachments, CHECKPOINT_EVERY, Finding, LoadOptions, Loaded, RunEnd, Source, export_vtk, resume, run,
    scenario_text, settle, verify,
};
use std::path::{Path, PathBuf};

const MESH: &[u8] = include_bytes!("../../../gallery/struck-plate/mesh.msh");

/// A plate that a hinge and a spring hold by groups, with a ball that falls on it.
const HUNG: &str = "[model]\nkind = \"bodies\"\nfriction = 0.3\n\
    [[body]]\nname = \"wall\"\nshape = { kind = \"point\" }\nfixed = true\n\
    [[body]]\nname = \"ball\"\nshape = { kind = \"sphere\", radius = 0.05 }\ndensity = 500.0\nposition = [0.0, 0.0, 0.0605]\n\
    [[solid]]\nname = \"plate\"\nmesh = \"mesh.msh\"\nkinematics = \"finite\"\n\
    [[solid.part]]\ngroup = \"plate\"\nmaterial = { law = \"saint-venant-kirchhoff\", young = 1e7, poisson = 0.3, density = 1200.0 }\n\
    [[solid.contact]]\nsurface = \"top\"\n\
    [[joint]]\nname = \"hinge\"\nkind = \"revolute\"\na = \"wall\"\nb = \"plate\"\nb_group = \"rim\"\nanchor = [-0.1, 0.0, 0.0]\naxis = [0.0, 1.0, 0.0]\n\
    [[spring]]\na = \"wall\"\nb = \"plate\"\nb_group = \"centre\"\npoint_a = [0.0, 0.0, 0.3]\nstiffness = 2000.0\nlength = 0.28\n\
    [scheme]\nname = \"energy-momentum\"\n[time]\nend = 0.02\nstep = 5e-4\n";

fn source(text: &str) -> Source {
    let mut given = Attachments::default();
    given.files.insert("mesh.msh".into(), MESH.into());
    Source::of_text("plate", text, given)
}

fn loaded(text: &str) -> Loaded {
    source(text).load(&LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// Code and place of what is refused.
fn refused(text: &str) -> (Code, String) {
    match source(text).load(&LoadOptions::default()) {
        Ok(_) => panic!("not refused: {text}"),
        Err(error) => (error.code, error.field.clone()),
    }
}

/// Runs, and runs again in two parts: the same tables, hash and certificates; both are verified.
#[test]
fn split_is_whole_and_verified() {
    let (whole, parts) = (folder("solids-whole"), folder("solids-parts"));
    let summary = run(loaded(HUNG), &whole, &mut |_| true).expect("a run").summary;
    for (name, verdict) in &summary.verdicts {
        let asked = ["energy", "joints", "momentum"].contains(&name.as_str());
        assert!(!asked || verdict.status == "pass", "{name} {} {:e}", verdict.status, verdict.worst);
    }
    let first = run(loaded(HUNG), &parts, &mut |progress| progress.step < 13).expect("a part");
    assert!(matches!(first.end, RunEnd::Interrupted));
    resume(&parts, CHECKPOINT_EVERY, &mut |_| true).expect("the rest");
    for table in ["trajectory.csv", "contacts.csv", "ledger.csv", "momentum.csv", "reactions.csv", "scenario.toml"] {
        let [a, b] = [&whole, &parts].map(|folder| std::fs::read(folder.join(table)).expect("a table"));
        assert!(a == b, "{table}");
    }
    let contacts = std::fs::read_to_string(whole.join("contacts.csv")).expect("a table");
    assert!(contacts.lines().count() > 2, "they touch");
    let found = verify(&whole).expect("a verification");
    assert!(!found.checks.iter().any(|check| matches!(check.finding, Finding::Differs { .. })), "{:?}", found.checks);
    assert!(export_vtk(&whole, &folder("solids-vtk")).expect("frames") > 1);
}

/// What is written is the same scene, turned and moved as it was, with joints by the names of groups; `check` counts what there is.
#[test]
fn written_and_read_again() {
    let placed = HUNG
        .replace("kinematics = \"finite\"", "kinematics = \"finite\"\nposition = [0.0, 0.0, 0.01]\nrotation = [0.8, 0.0, 0.6, 0.0]\nangular_velocity = [0.0, 0.0, 0.0]")
        .replace("position = [0.0, 0.0, 0.0605]", "position = [0.0, 0.0, 2.0]");
    let first = loaded(&placed).scenario;
    let (text, files) = scenario_text(&first);
    assert!(text.contains("b = \"plate.rim\"") && text.contains("mesh = \"solid-0.msh\""), "{text}");
    assert_eq!(files.len(), 1);
    let mut given = Attachments::default();
    given.files.insert("solid-0.msh".into(), MESH.into());
    let again =
        Source::of_text("again", &text, given).load(&LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.scenario.problem.q0, first.problem.q0);
    assert_eq!(again.scenario.problem.v0, first.problem.v0);
    let facts = first.solid_facts();
    let [("solid", fact)] = &facts[..] else { panic!("{facts:?}") };
    assert!(fact.starts_with("plate: 243 nodes, 128 elements, mass 0.960000 kg"), "{fact}");
}

/// Rollers let a strip slide along them and nowhere else; a program's mistakes have codes and places.
#[test]
fn rollers_and_refusals() {
    let strip = "[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, -9.81]\n[[solid]]\nname = \"plate\"\nmesh = \"mesh.msh\"\n\
        [[solid.part]]\ngroup = \"plate\"\nmaterial = { young = 1e7, poisson = 0.3, density = 1200.0 }\n\
        [[solid.support]]\ngroup = \"bottom\"\nfix = [\"z\"]\n[[solid.support]]\ngroup = \"rim\"\nfix = [\"x\", \"y\"]\n\
        [scheme]\nname = \"moreau-jean\"\ntheta = 0.5\n[time]\nend = 2e-3\nstep = 1e-4\n";
    let run = run(loaded(strip), &folder("solids-rollers"), &mut |_| true).expect("a run");
    assert!(matches!(run.end, RunEnd::Finished), "{:?}", run.end);
    assert_eq!(run.summary.verdicts["energy"].status, "pass");
    assert!(run.summary.verdicts["joints"].worst < 1e-12);

    let changed = |from: &str, to: &str| {
        assert!(HUNG.contains(from), "{from}");
        refused(&HUNG.replace(from, to))
    };
    assert_eq!(changed("b_group = \"rim\"", "b_group = \"hole\""), (Code::UNKNOWN_GROUP, "joint[0].b_group".into()));
    assert_eq!(changed("b_group = \"rim\"\n", "").0, Code::BAD_NAME);
    assert_eq!(
        changed("kinematics = \"finite\"", "kinematics = \"linear\""),
        (Code::CONTRADICTION, "solid[0].part[0].material.law".into())
    );
    assert_eq!(
        changed("surface = \"top\"", "surface = \"lid\""),
        (Code::UNKNOWN_GROUP, "solid[0].contact[0].surface".into())
    );
    assert_eq!(
        changed("surface = \"top\"", "surface = \"top\"\nmaterial = \"ice\""),
        (Code::BAD_NAME, "solid[0].contact[0].material".into())
    );
    assert_eq!(changed("mesh = \"mesh.msh\"", "mesh = \"other.msh\"").1, "solid[0].mesh");
    assert_eq!(changed("position = [0.0, 0.0, 0.0605]", "position = [0.0, 0.0, 0.05]").0, Code::PENETRATION);
    assert_eq!(
        changed("group = \"plate\"", "group = \"plate\"\ndamping = { stiffness = 1e-5 }"),
        (Code::CONTRADICTION, "solid[0].part[0].damping.stiffness".into())
    );
    assert_eq!(changed("\"energy-momentum\"", "\"event-driven\"").0, Code::UNSUPPORTED);
    let held = HUNG.replace(
        "[[solid.contact]]",
        "[[solid.support]]\ngroup = \"bottom\"\nmotion = [0.0, 0.0, { mean = 0.1 }]\n[[solid.contact]]",
    );
    assert_eq!(refused(&held), (Code::NOT_YET, "solid[0].support[0].motion".into()));
    let error = settle(&mut loaded(HUNG).scenario, 0.0).expect_err("refused");
    assert_eq!(error.code, Code::NOT_YET);
}
