//! `verify` accepts every untouched folder of the schemes that locate events, and rejects events that break the law of impact.

use percussion_scenario::{Finding, LoadOptions, RunEnd, load_text, run, verify};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A generator of numbers that never changes.
struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.unit()
    }

    fn vector(&mut self, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| self.between(-size, size)).collect()
    }
}

/// AᵀA/n plus `diagonal`.
fn square(dice: &mut Dice, n: usize, size: f64, diagonal: f64) -> Vec<Vec<f64>> {
    let rows: Vec<Vec<f64>> = (0..n).map(|_| dice.vector(n, 1.0)).collect();
    let entry = |i: usize, j: usize| {
        let product: f64 = rows.iter().map(|row| row[i] * row[j]).sum();
        size * product / n as f64 + if i == j { diagonal } else { 0.0 }
    };
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

/// A linear system with one to three contacts, some of them closed at the start and some of those opening.
fn system(seed: u64) -> String {
    let mut dice = Dice(seed);
    dice.unit();
    let n = 1 + (dice.unit() * 5.0) as usize;
    let (mass, stiffness) = (square(&mut dice, n, 100.0, 20.0), square(&mut dice, n, 500.0, 0.0));
    let (q, v, mut force) = (dice.vector(n, 1.0), dice.vector(n, 2.0), dice.vector(n, 500.0));
    force[0] -= 300.0;
    let mut text = format!(
        "[model]\nkind = \"linear\"\nmass = {mass:?}\nstiffness = {stiffness:?}\nforce = {force:?}\nq0 = {q:?}\nv0 = {v:?}\n"
    );
    let e = if dice.unit() < 0.3 { 0.0 } else { dice.between(0.0, 0.9) };
    for i in 0..1 + (dice.unit() * 3.0) as usize {
        let mut normal = if dice.unit() < 0.5 { vec![0.0; n] } else { dice.vector(n, 1.5) };
        normal[i % n] += 1.0;
        let gap = if dice.unit() < 0.5 { 1e-12 } else { dice.between(0.01, 0.5) };
        let offset = gap - normal.iter().zip(&q).map(|(a, b)| a * b).sum::<f64>();
        let _ = write!(text, "[[model.contact]]\nnormal = {normal:?}\noffset = {offset:?}\nrestitution = {e:?}\n");
    }
    text
}

const SCHEMES: [&str; 5] = [
    "name = \"event-driven\"\n",
    "name = \"runge-kutta-moreau\"\n",
    "name = \"runge-kutta-moreau\"\ntableau = \"radau-iia\"\norder = 3\n",
    "name = \"runge-kutta-moreau\"\norder = 2\n",
    "name = \"event-driven\"\ncut = 1e-3\n",
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("located").join(name)
}

fn differences(folder: &Path) -> Vec<String> {
    let checks = verify(folder).expect("a run folder").checks;
    let differs = |check: percussion_scenario::Check| match check.finding {
        Finding::Differs { place, .. } => Some(format!("{}: {place}", check.name)),
        Finding::Agrees(_) | Finding::Unsupported(_) => None,
    };
    checks.into_iter().filter_map(differs).collect()
}

/// 150 random systems, five schemes: every folder is accepted as it is.
#[test]
fn untouched_folders_are_accepted() {
    let mut finished = 0;
    for seed in 0..150 {
        let scheme = SCHEMES[seed as usize % SCHEMES.len()];
        let text = format!("{}[scheme]\n{scheme}[time]\nend = 0.4\nstep = 0.01\n", system(seed));
        let Ok(loaded) = load_text("random", &text, &LoadOptions::default()) else { continue };
        let folder = folder("untouched");
        let ended = run(loaded, &folder, &mut |_| true).expect("a folder");
        finished += usize::from(matches!(ended.end, RunEnd::Finished));
        let found = differences(&folder);
        assert!(found.is_empty(), "seed {seed}, {scheme}{found:?}\n{text}");
    }
    assert!(finished >= 120, "{finished} of 150 finished");
}

/// An impact after which a contact approaches faster than it opened, or rebounds by more than e, breaks the law.
#[test]
fn impossible_impacts_are_rejected() {
    let text = "[model]\nkind = \"linear\"\nmass = [[1.0]]\nforce = [-10.0]\nq0 = [0.1]\n[[model.contact]]\nnormal = [1.0]\n\
                offset = 0.0\nrestitution = 0.5\n[scheme]\nname = \"event-driven\"\n[time]\nend = 0.2\nstep = 0.01\n";
    let folder = folder("impossible");
    run(load_text("ball", text, &LoadOptions::default()).expect("valid"), &folder, &mut |_| true).expect("a folder");
    assert!(differences(&folder).is_empty());
    let path = folder.join("events.csv");
    let good = std::fs::read_to_string(&path).expect("events");
    let row = good.lines().find(|line| line.contains("impact")).expect("an impact");
    let after = row.split(',').nth(5).expect("u_n_after");
    for wrong in ["1.0e0", "-5.0e-1"] {
        std::fs::write(&path, good.replacen(after, wrong, 1)).expect("events");
        let found = differences(&folder);
        assert!(found.iter().any(|text| text.starts_with("events")), "{wrong}: {found:?}");
    }
}
