//! Beams among bodies: trajectories of an independent program, what is conserved, the plane against space, what is refused.

use percussion_scenario::{LoadOptions, Loaded, load_text, modes, run_kept, scenario_text};
use percussion_step::{Audit, Outcome};
use std::path::PathBuf;

const DOUBLE: &str = include_str!("beams/double.toml");
const CRANK: &str = include_str!("beams/crank.toml");

/// States of a run by rows: t, q, v; and its verdicts.
struct States {
    columns: usize,
    values: Vec<f64>,
    energy: Vec<f64>,
    verdicts: Vec<(String, String, f64)>,
    momentum: Vec<[f64; 6]>,
    hash: String,
}

impl States {
    fn q(&self, row: usize, k: usize) -> f64 {
        self.values[row * self.columns + 1 + k]
    }

    fn place(&self, row: usize, body: usize) -> [f64; 3] {
        std::array::from_fn(|k| self.q(row, 7 * body + k))
    }

    fn rows(&self) -> usize {
        self.values.len() / self.columns
    }

    /// Energy, joints and momentum pass.
    fn passes(&self, what: &str) {
        for (name, status, worst) in &self.verdicts {
            assert!(status == "pass" || status == "none", "{what}: {name} {status} {worst:e}");
        }
    }
}

fn run(text: &str, options: &LoadOptions) -> States {
    let loaded = load_text("beams", text, options).unwrap_or_else(|error| panic!("{error}"));
    follow(loaded)
}

fn follow(loaded: Loaded) -> States {
    let (_, run, kept) = run_kept(loaded, None, &mut |_| true).expect("a run");
    assert!(matches!(run.end, percussion_scenario::RunEnd::Finished), "{:?}", run.end);
    let at = kept.ledger.columns.iter().position(|name| name == "energy").expect("energies");
    let energy = kept.ledger.values.chunks_exact(kept.ledger.columns.len()).map(|row| row[at]).collect();
    let momentum = kept.momentum.values.chunks_exact(kept.momentum.columns.len());
    let verdict = |name: &str| {
        let verdict = &run.summary.verdicts[name];
        (name.to_string(), verdict.status.clone(), verdict.worst)
    };
    States {
        columns: kept.trajectory.columns.len(),
        values: kept.trajectory.values.clone(),
        energy,
        verdicts: ["energy", "joints", "momentum"].map(verdict).to_vec(),
        momentum: momentum.map(|row| std::array::from_fn(|k| row[2 + k])).collect(),
        hash: run.summary.state_hash.clone(),
    }
}

/// The largest distance of points to those of a stored trajectory, whose rows stand every so many steps.
fn distance(states: &States, file: &str, bodies: &[usize], stride: usize) -> Option<f64> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/flexible").join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("SKIPPED: {} is not there", path.display());
        return None;
    };
    let mut worst: f64 = 0.0;
    for (k, line) in text.lines().skip(1).enumerate() {
        let numbers: Vec<f64> = line.split(',').map(|x| x.parse().expect("a number")).collect();
        assert!((numbers[0] - states.values[k * stride * states.columns]).abs() < 1e-12);
        for (j, &body) in bodies.iter().enumerate() {
            for (x, y) in states.place(k * stride, body).iter().zip(&numbers[1 + 3 * j..]) {
                worst = worst.max((x - y).abs());
            }
        }
    }
    Some(worst)
}

/// Two beams on hinges, large bending, 1 s: 1e-8 m asked, 4e-12 found.
#[test]
fn double_pendulum_of_an_independent_program() {
    let states = run(DOUBLE, &LoadOptions::default());
    states.passes("double");
    if let Some(worst) = distance(&states, "double.csv", &[9, 14, 18], 5) {
        assert!(worst < 1e-10, "{worst:e}");
    }
}

/// A flexible connecting rod, a slider that hits a stop twice: 1e-8 m asked, 1e-13 found.
#[test]
fn slider_crank_of_an_independent_program() {
    let states = run(CRANK, &LoadOptions::default());
    states.passes("crank");
    if let Some(worst) = distance(&states, "crank.csv", &[8, 3], 6) {
        assert!(worst < 1e-11, "{worst:e}");
    }
}

/// A beam falls across a cylinder and slides off: as an independent program has it until they touch; after that energy is only lost, and
/// ledger and momentum close.
#[test]
fn drop_on_a_cylinder() {
    let states = run(include_str!("beams/drop.toml"), &LoadOptions::default());
    states.passes("drop");
    let most = states.energy.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0_f64, f64::max);
    assert!(most < 1e-9, "a step gains {most:e} J");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/flexible/drop.csv");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("SKIPPED: {} is not there", path.display());
        return;
    };
    let (mut touched, mut compared) = (false, 0);
    for (k, line) in text.lines().skip(1).enumerate() {
        let numbers: Vec<f64> = line.split(',').map(|x| x.parse().expect("a number")).collect();
        touched |= numbers[numbers.len() - 1] != 0.0;
        if touched {
            break;
        }
        compared += 1;
        for (j, body) in [1, 7, 13].into_iter().enumerate() {
            for (x, y) in states.place(6 * k, body).iter().zip(&numbers[1 + 3 * j..]) {
                assert!((x - y).abs() < 1e-8, "row {k}: {x} {y}");
            }
        }
    }
    assert!(compared > 10, "{compared} rows");
}

/// A free beam after a load, 10⁴ long steps: energy and angular momentum to 1e-11, momentum to 1e-13.
#[test]
fn flying_beam_keeps_energy_and_momentum() {
    let text = "[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, 0.0]\n[[beam]]\nname = \"rod\"\nfrom = [6.0, 0.0, 0.0]\nto = [0.0, 8.0, 0.0]\nelements = 10\nresidual = false\nstiffness = [1e4, 1e4, 1e4, 500.0, 500.0, 500.0]\nmass_per_length = 1.0\ninertia_per_length = [10.0, 10.0, 10.0]\n[[load]]\nbeam = \"rod\"\nnode = 0\nforce = [{ table = [[0.0, 0.0], [2.5, 20.0], [5.0, 0.0]] }, 0.0, 0.0]\nmoment = [0.0, { table = [[0.0, 0.0], [2.5, -100.0], [5.0, 0.0]] }, { table = [[0.0, 0.0], [2.5, -200.0], [5.0, 0.0]] }]\n[scheme]\nname = \"energy-momentum\"\n[time]\nstep = 0.1\nend = 1005.0\n";
    let states = run(text, &LoadOptions::default());
    states.passes("spaghetti");
    let after = 51;
    let E = states.energy[after];
    let drift = states.energy[after..].iter().fold(0.0_f64, |s, e| s.max((e - E).abs())) / E;
    let turned = |part: usize| {
        let of = |row: &[f64; 6]| [row[3 * part], row[3 * part + 1], row[3 * part + 2]];
        let norm = |x: [f64; 3]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let first = of(&states.momentum[after]);
        let off = states.momentum[after..].iter().map(|row| {
            let now = of(row);
            norm(std::array::from_fn(|k| now[k] - first[k]))
        });
        off.fold(0.0_f64, f64::max) / norm(first)
    };
    assert!(drift < 1e-11, "energy {drift:e}");
    assert!(turned(0) < 1e-13 && turned(1) < 1e-11, "momenta {:e} {:e}", turned(0), turned(1));
}

const PENDULUM: &str = "[model]\nkind = \"bodies\"\n[[body]]\nname = \"ground\"\nfixed = true\n[[beam]]\nname = \"rod\"\nfrom = [0.0, 0.0, 0.0]\nto = [1.0, 0.0, 0.0]\nelements = 8\nresidual = false\nstiffness = [1e5, 4e4, 4e4, 8.0, 10.0, 20.0]\nmass_per_length = 1.0\ninertia_per_length = [3e-4, 1e-4, 2e-4]\nangular_velocity = [0.0, 0.0, 2.0]\n[[joint]]\nkind = \"spherical\"\na = \"ground\"\nb = \"rod\"\nanchor = [0.0, 0.0, 0.0]\n[scheme]\nname = \"energy-momentum\"\n[time]\nstep = 1e-3\nend = 0.5\n";

/// The tip of a pendulum that Exudyn's beams put at (−.283421, .248729, −.926313) with as many elements.
#[test]
fn pendulum_beside_exudyn() {
    let states = run(PENDULUM, &LoadOptions::default());
    states.passes("pendulum");
    let tip = states.place(states.rows() - 1, 9);
    for (x, exact) in tip.iter().zip([-0.283425, 0.248732, -0.926310]) {
        assert!((x - exact).abs() < 6e-7, "{tip:?}");
    }
}

/// A pendulum described from its other end moves alike, and moreau-jean with θ = ½ is the same scheme.
#[test]
fn reversed_or_by_another_name() {
    let at = |states: &States, body: usize| states.place(states.rows() - 1, body);
    let states = run(PENDULUM, &LoadOptions::default());
    let reversed = PENDULUM
        .replace("from = [0.0, 0.0, 0.0]\nto = [1.0, 0.0, 0.0]", "from = [1.0, 0.0, 0.0]\nto = [0.0, 0.0, 0.0]")
        .replace("angular_velocity", "velocity = [0.0, 2.0, 0.0]\nangular_velocity");
    let turned = run(&reversed, &LoadOptions::default());
    let (a, b) = (at(&states, 9), at(&turned, 1));
    assert!(a.iter().zip(&b).all(|(x, y)| (x - y).abs() < 1e-10), "{a:?} {b:?}");
    let moreau = run(PENDULUM, &LoadOptions { scheme: Some("moreau-jean".into()), ..Default::default() });
    moreau.passes("moreau-jean");
    let b = at(&moreau, 9);
    assert!(a.iter().zip(&b).all(|(x, y)| (x - y).abs() < 1e-10), "{a:?} {b:?}");
}

const FRAME: &str = "[[body]]\nname = \"wall\"\nfixed = true\n[[beam]]\nname = \"frame\"\npoints = [[0.0, 0.0], [1.0, 0.0], [1.0, -0.5]]\nelements = 3\nsection = { kind = \"rectangle\", width = 0.02, depth = 0.02 }\nyoung = 1e8\ndensity = 1000.0\ndamping = 1e-3\n[[beam]]\nname = \"bow\"\nfrom = [0.0, 1.0]\narc = { centre = [0.0, 2.0], angle = 1.2 }\nelements = 4\nsection = { kind = \"circle\", radius = 0.01 }\nyoung = 1e8\ndensity = 1000.0\n[[joint]]\nkind = \"fixed\"\na = \"wall\"\nb = \"frame\"\nanchor = [0.0, 0.0]\n[[joint]]\nkind = \"revolute\"\na = \"wall\"\nb = \"bow\"\nanchor = [0.0, 1.0]\n[[spring]]\na = \"frame.6\"\nb = \"bow.4\"\nstiffness = 5.0\nlength = 1.0\n[[load]]\nbeam = \"frame\"\nnode = 6\nforce = [{ pulse = { start = 0.0, end = 0.2, height = 3.0 } }, 0.0]\nmoment = [0.1]\n[time]\nstep = 1e-3\nend = 0.3\n";

/// In the plane: corners, arcs, springs at nodes, loads, damping. The same scene in space moves alike; θ = 0.7 closes its ledger too.
#[test]
fn plane_and_space() {
    let plane = format!("[model]\nkind = \"bodies\"\ndimension = 2\n{FRAME}[scheme]\nname = \"energy-momentum\"\n");
    let flat = run(&plane, &LoadOptions::default());
    flat.passes("plane");
    let spatial = plane
        .replace("dimension = 2", "dimension = 3\ngravity = [0.0, -9.81, 0.0]")
        .replace("moment = [0.1]", "moment = [0.0, 0.0, 0.1]")
        .replace(
            "force = [{ pulse = { start = 0.0, end = 0.2, height = 3.0 } }, 0.0]",
            "force = [{ pulse = { start = 0.0, end = 0.2, height = 3.0 } }, 0.0, 0.0]",
        );
    let spatial: String = spatial
        .lines()
        .map(|line| match line.split_once(" = ") {
            Some(("anchor" | "from", x)) => {
                format!("{} = {}, 0.0]\n", line.split(' ').next().unwrap_or(""), &x[..x.len() - 1])
            }
            Some(("arc", _)) => "arc = { centre = [0.0, 2.0, 0.0], angle = 1.2 }\n".into(),
            Some(("points", _)) => "points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, -0.5, 0.0]]\n".into(),
            _ => format!("{line}\n"),
        })
        .collect();
    let space = run(&spatial, &LoadOptions::default());
    space.passes("space");
    let last = flat.rows() - 1;
    for body in 1..flat.columns / 6 {
        for k in 0..2 {
            let (x, y) = (flat.q(last, 3 * body + k), space.q(last, 7 * body + k));
            assert!((x - y).abs() < 1e-9, "body {body}: {x} {y}");
        }
    }
    let options =
        LoadOptions { scheme: Some("moreau-jean".into()), set: vec!["scheme.theta=0.7".into()], ..Default::default() };
    let damped = run(&plane, &options);
    assert_eq!(damped.verdicts[0].1, "pass", "{:?}", damped.verdicts);
}

/// What is written reads back to the same motion, bit by bit.
#[test]
fn written_and_read_again() {
    let texts = [DOUBLE.to_string(), include_str!("format/beams.toml").to_string()];
    for text in texts {
        let options = LoadOptions { end: Some(0.02), ..Default::default() };
        let loaded = load_text("beams", &text, &options).unwrap_or_else(|error| panic!("{error}"));
        let (written, _) = scenario_text(&loaded.scenario);
        let again =
            load_text("beams", &written, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(written, scenario_text(&again.scenario).0);
        assert_eq!(follow(loaded).hash, follow(again).hash);
    }
}

/// Simo and Vu-Quoc's beam spun up to 6 rad/s: the tip lags by 0.5735 m, the mean extension after 15 s is ρAΩ²L³/3EA = 5.143e-4 m.
#[test]
fn spin_up() {
    let text = include_str!("beams/spin-up.toml");
    let states = run(text, &LoadOptions::default());
    let (mut least, mut sum, mut n) = (f64::INFINITY, 0.0, 0);
    for row in 0..states.rows() {
        let hub = states.q(row, 2);
        let (x, y) = (states.q(row, 3 * 17), states.q(row, 3 * 17 + 1));
        let (s, c) = hub.sin_cos();
        least = least.min(-s * x + c * y);
        if states.values[row * states.columns] >= 15.0 {
            sum += c * x + s * y - 10.0;
            n += 1;
        }
    }
    assert!((least + 0.5735).abs() < 0.002, "{least}");
    let mean = sum / f64::from(n);
    assert!((mean - 5.144e-4).abs() < 2e-6, "{mean:e}");
}

/// What makes no sense is refused with code and place.
#[test]
fn refusals() {
    let refused = |from: &str, to: &str| {
        assert!(PENDULUM.contains(from), "{from}");
        let error = load_text("beams", &PENDULUM.replace(from, to), &LoadOptions::default()).err();
        let error = error.unwrap_or_else(|| panic!("{to} is accepted"));
        format!("{} {}", error.code.as_str(), error.field)
    };
    assert_eq!(refused("mass_per_length = 1.0", "mass_per_length = -1.0"), "E123 beam[0].mass_per_length");
    assert_eq!(refused("8.0, 10.0, 20.0]", "8.0, 0.0, 20.0]"), "E151 beam[0].stiffness");
    assert_eq!(refused("8.0, 10.0, 20.0]", "8.0]"), "E111 beam[0].stiffness");
    assert_eq!(refused("[3e-4, 1e-4, 2e-4]", "[9e-4, 1e-4, 2e-4]"), "E124 beam[0].inertia_per_length");
    assert_eq!(refused("anchor = [0.0, 0.0, 0.0]", "anchor = [0.07, 0.0, 0.0]"), "E131 joint[0].anchor");
    assert_eq!(refused("anchor =", "b_node = 9\nanchor ="), "E128 joint[0].b_node");
    assert_eq!(refused("anchor =", "a_node = 0\nanchor ="), "E152 joint[0].a_node");
    assert_eq!(refused("to = [1.0, 0.0, 0.0]", "to = [0.0, 0.0, 0.0]"), "E125 beam[0].to");
    assert_eq!(refused("residual = false", "up = [1.0, 0.0, 0.0]"), "E126 beam[0].up");
    assert_eq!(refused("residual = false", "young = 1e9"), "E152 beam[0].young");
    assert_eq!(refused("energy-momentum", "event-driven"), "E155 scheme.name");
    assert_eq!(refused("[scheme]", "[[load]]\nbeam = \"rod\"\nnode = 12\n[scheme]"), "E128 load[0].node");
    assert_eq!(refused("[scheme]", "[[load]]\nbeam = \"rood\"\nnode = 1\n[scheme]"), "E128 load[0].beam");
    assert_eq!(refused("[scheme]", "[[load]]\nbeam = \"rod\"\nnode = 1\n[scheme]"), "E103 load[0].force");
    // what is no number is blamed on its own key
    assert_eq!(refused("to = [1.0, 0.0, 0.0]", "to = [1.0, nan, 0.0]"), "E110 beam[0].to");
    assert_eq!(refused("residual = false", "tension = nan"), "E110 beam[0].tension");
    assert_eq!(refused("residual = false", "rest_curvature = [nan, 0.0, 0.0]"), "E110 beam[0].rest_curvature");
    let arc = "arc = { centre = [0.0, 1.0, 0.0], angle = nan }";
    assert_eq!(refused("to = [1.0, 0.0, 0.0]", arc), "E110 beam[0].arc.angle");
    assert_eq!(
        refused("[[joint]]", "[[spring]]\na = \"rod\"\nb = \"ground\"\nstiffness = 1.0\nlength = 0.1\n[[joint]]"),
        "E128 spring[0].a"
    );
}

fn clamped(beam: &str, n: usize, load: &str) -> String {
    format!(
        "[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = \"wall\"\nfixed = true\n[[beam]]\nname = \"rod\"\nelements = {n}\n{beam}\n[[joint]]\nkind = \"fixed\"\na = \"wall\"\nb = \"rod\"\nanchor = [0.0, 0.0, 0.0]\n[[load]]\nbeam = \"rod\"\nnode = {n}\n{load}\n[time]\nstep = 1e-2\nend = 1.0\n"
    )
}

const SWING: &str = "[model]\nkind = \"bodies\"\n[[body]]\nname = \"ground\"\nfixed = true\n[[body]]\nname = \"ball\"\nmass = 1.0\ninertia = [0.01, 0.01, 0.01]\nposition = [1.0, 0.0, 0.0]\n[[body]]\nname = \"block\"\nmass = 2.0\ninertia = [0.1, 0.2, 0.15]\nposition = [0.0, 2.0, 0.0]\nangular_velocity = [0.5, 0.0, 2.0]\n[[cable]]\nname = \"line\"\nfrom = [0.0, 0.0, 0.0]\nto = [1.0, 0.0, 0.0]\nfrom_body = \"ground\"\nto_body = \"ball\"\nelements = 6\naxial_stiffness = 2e4\nlength = 1.1\nmass_per_length = 0.05\n[[bushing]]\na = \"ground\"\nb = \"block\"\nanchor = [0.0, 2.1, 0.0]\nstiffness = [2e3, 3e3, 1e3, 20.0, 0.0, 30.0]\ndamping = 1e-3\n[scheme]\nname = \"energy-momentum\"\n[time]\nstep = 1e-3\nend = 1.0\n";

/// A ball hung beside its bushing turns round until the bushing, which has no elements to divide, has no stiffness for it: said of the bushing.
#[test]
fn a_bushing_turned_too_far_is_named() {
    let text = "[model]\nkind = \"bodies\"\ndimension = 2\n[[body]]\nname = \"wall\"\nfixed = true\n\
                [[body]]\nname = \"bob\"\nshape = { kind = \"sphere\", radius = 0.05 }\ndensity = 1000.0\nangular_velocity = [60.0]\n\
                [[bushing]]\na = \"wall\"\nb = \"bob\"\nanchor = [0.0, 0.0]\nstiffness = [300.0, 300.0, 0.1]\n\
                [scheme]\nname = \"moreau-jean\"\n[time]\nstep = 1e-3\nend = 0.2\n";
    let Loaded { scenario, mut simulation } = load_text("bob.toml", text, &LoadOptions::default()).expect("a scene");
    let outcome = simulation.run(scenario.count.n, &mut Audit::new());
    let Outcome::Failed(failure) = outcome else { panic!("{outcome:?}") };
    assert!(failure.message.contains("bushing") && !failure.help.contains("elements"), "{failure:?}");
}

/// A number for damping is a time: negative ones and what is no number were taken for none.
#[test]
fn damping_of_bushings_is_a_time() {
    for (damping, wanted) in
        [("-1.0", "E151"), ("nan", "E151"), ("inf", "E151"), ("[1.0, 1.0, 1.0, -1.0, 0.0, 0.0]", "E151")]
    {
        let text = SWING.replace("damping = 1e-3", &format!("damping = {damping}"));
        let error =
            load_text("swing", &text, &LoadOptions::default()).err().unwrap_or_else(|| panic!("{damping} is accepted"));
        assert_eq!((error.code.as_str(), error.field.as_str()), (wanted, "bushing[0].damping"), "{error}");
    }
    let text = SWING.replace("anchor = [0.0, 2.1, 0.0]", "anchor = [0.0, nan, 0.0]");
    let error = load_text("swing", &text, &LoadOptions::default()).err().expect("no place");
    assert_eq!((error.code.as_str(), error.field.as_str()), ("E110", "bushing[0].anchor"), "{error}");
}

/// A bushing and a rod that are wound past half a turn are given up under every scheme: under GGL the logarithm once went on with the turn the other
/// way round, and a beam of 15 J had 2e4 J after it.
#[test]
fn what_is_wound_past_half_a_turn_ends_every_scheme() {
    let held = "[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = \"ground\"\nfixed = true\n";
    let torsion = format!(
        "{held}[[body]]\nname = \"b\"\nmass = 2.0\ninertia = [0.1, 0.2, 0.3]\nposition = [1.0, 0.0, 0.0]\nangular_velocity = [15.0, 0.0, 0.0]\n[[joint]]\nkind = \"revolute\"\na = \"ground\"\nb = \"b\"\nanchor = [1.0, 0.0, 0.0]\naxis = [1.0, 0.0, 0.0]\n[[bushing]]\na = \"ground\"\nb = \"b\"\nanchor = [1.0, 0.0, 0.0]\nstiffness = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]\n[time]\nstep = 1e-3\nend = 0.5\n"
    );
    let rod = format!(
        "{held}[[beam]]\nname = \"rod\"\nfrom = [0.0, 0.0, 0.0]\nto = [1.0, 0.0, 0.0]\nelements = 2\nsection = {{ kind = \"circle\", radius = 0.02 }}\nyoung = 1e6\ndensity = 1200.0\n[[joint]]\nkind = \"fixed\"\na = \"ground\"\nb = \"rod\"\nanchor = [0.0, 0.0, 0.0]\n[[load]]\nbeam = \"rod\"\nnode = 2\nmoment = [2.0, 0.0, 0.0]\n[time]\nstep = 1e-3\nend = 1.0\n"
    );
    for text in [&torsion, &rod] {
        for scheme in ["energy-momentum", "moreau-jean", "generalized-alpha-ggl"] {
            let options = LoadOptions { scheme: Some(scheme.into()), ..Default::default() };
            let loaded = load_text("wound", text, &options).unwrap_or_else(|error| panic!("{error}"));
            let Loaded { scenario, mut simulation } = loaded;
            let outcome = simulation.run(scenario.count.n, &mut Audit::new());
            let Outcome::Failed(failure) = outcome else { panic!("{scheme}: {outcome:?}") };
            assert_eq!(failure.code.as_str(), "E212", "{scheme}: {failure:?}");
        }
    }
}

/// A taut string has the modes of its nodes, f_k = k c/2L up to the error of 16 elements, and no spins of points among them: they were 3 a node, with
/// round-off for ω², of which half are negative and look like what is not stable.
#[test]
fn modes_of_a_string() {
    let text = "[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = \"ground\"\nfixed = true\n[[cable]]\nname = \"rope\"\nfrom = [0.0, 0.0, 0.0]\nto = [1.01, 0.0, 0.0]\nfrom_body = \"ground\"\nto_body = \"ground\"\nelements = 16\naxial_stiffness = 1e4\nlength = 1.0\nmass_per_length = 0.2\n[time]\nstep = 1e-3\nend = 0.1\n";
    let loaded = load_text("string", text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let found = modes(&loaded.scenario, 0.0).expect("modes");
    assert_eq!(found.len(), 3 * 15);
    // tension 100 N, c² = T/μ with μ of the stretched line
    let c = (100.0_f64 * 1.01 / 0.2).sqrt();
    for k in 1..=3 {
        let exact = f64::from(k) * c / (2.0 * 1.01);
        for mode in &found[2 * k as usize - 2..2 * k as usize] {
            assert!((mode.frequency() / exact - 1.0).abs() < 0.02, "{k}: {} {exact}", mode.frequency());
        }
    }
}

/// A pulse gives its whole impulse, wherever its ends lie on edges of steps; so do a motor's.
#[test]
fn pulses_on_edges_of_steps() {
    let scene = |start: &str, end: &str, scheme: &str| {
        format!(
            "[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, 0.0]\n[[beam]]\nname = \"rod\"\nfrom = [0.0, 0.0, 0.0]\nto = [1.0, 0.0, 0.0]\nelements = 4\nstiffness = [1e5, 1e5, 1e5, 9.0, 9.0, 9.0]\nmass_per_length = 0.5\ninertia_per_length = [2e-4, 1e-4, 1e-4]\n[[load]]\nbeam = \"rod\"\nnode = 2\nforce = [0.0, {{ pulse = {{ start = {start}, end = {end}, height = 3.0 }} }}, 0.0]\nmoment = [0.0, {{ pulse = {{ start = {start}, end = {end}, height = 0.01 }} }}, 0.0]\n[scheme]\nname = \"{scheme}\"\n[time]\nstep = 0.01\nend = 0.06\n"
        )
    };
    for (start, end) in [("0.0", "0.02"), ("0.01", "0.03"), ("0.03", "0.06")] {
        for scheme in ["energy-momentum", "moreau-jean"] {
            let states = run(&scene(start, end, scheme), &LoadOptions::default());
            let [_, p, _, _, l, _] = states.momentum[states.momentum.len() - 1];
            let length: f64 = end.parse::<f64>().expect("a number") - start.parse::<f64>().expect("a number");
            assert!((p - 3.0 * length).abs() < 1e-13, "{scheme} {start} {end}: {p}");
            assert!((l - 0.01 * length).abs() < 1e-12, "{scheme} {start} {end}: {l}");
        }
    }
}

/// A thin string under tension, with residual flexibility as written or not: without its shear stiffness of 12EI/L² = 47 N, which 100 N pulled through, Newton's
/// method arrives in every step, and it swings with c/2L.
#[test]
fn a_beam_that_is_a_string() {
    let text = "[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = \"frame\"\nfixed = true\n[[beam]]\nname = \"string\"\nfrom = [0.0, 0.0, 0.0]\nto = [1.0, 0.0, 0.0]\nelements = 20\nsection = { kind = \"circle\", radius = 0.0005 }\nyoung = 2e11\ndensity = 7800.0\ntension = 100.0\n[[joint]]\nkind = \"spherical\"\na = \"frame\"\nb = \"string\"\nanchor = [0.0, 0.0, 0.0]\n[[joint]]\nkind = \"spherical\"\na = \"frame\"\nb = \"string\"\nanchor = [1.0, 0.0, 0.0]\n[[load]]\nbeam = \"string\"\nnode = 5\nforce = [0.0, 0.0, { pulse = { start = 0.0, end = 0.002, height = 5.0 } }]\n[time]\nstep = 1e-4\nend = 0.02\n";
    for scheme in ["energy-momentum", "generalized-alpha-ggl"] {
        let set = vec![format!("scheme.name={scheme}")];
        let loaded = load_text("string", text, &LoadOptions { set, ..Default::default() }).expect("a scene");
        let found = modes(&loaded.scenario, 0.0).expect("modes");
        let exact = 0.5 * (100.0 / (7800.0 * std::f64::consts::PI * 0.0005_f64.powi(2))).sqrt();
        let lowest = found.iter().map(|mode| mode.frequency()).find(|f| *f > 1.0).expect("a mode");
        assert!((lowest / exact - 1.0).abs() < 0.01, "{lowest} {exact}");
        let (_, run, _) = run_kept(loaded, None, &mut |_| true).expect("a run");
        assert!(matches!(run.end, percussion_scenario::RunEnd::Finished), "{scheme}: {:?}", run.end);
        if scheme == "energy-momentum" {
            let newton = &run.summary.solver["newton"];
            assert_eq!(newton["full_newton_steps"].as_u64(), Some(0), "{newton}");
            assert_eq!(run.summary.warnings.iter().find(|said| said.contains("W440")), None);
        }
    }
}

/// A thin beam that is pulled after its start by more than its elements resist shear with says so.
#[test]
fn a_beam_pulled_apart_says_so() {
    let text = "[model]\nkind = \"bodies\"\n[[body]]\nname = \"frame\"\nfixed = true\n[[beam]]\nname = \"wire\"\nfrom = [0.0, 0.0, 0.0]\nto = [0.0, 0.0, -1.0]\nup = [1.0, 0.0, 0.0]\nelements = 4\nsection = { kind = \"circle\", radius = 0.001 }\nyoung = 2e11\ndensity = 7800.0\n[[joint]]\nkind = \"fixed\"\na = \"frame\"\nb = \"wire\"\nanchor = [0.0, 0.0, 0.0]\n[[load]]\nbeam = \"wire\"\nnode = 4\nforce = [0.0, 0.0, { ramp = { start = 0.0, end = 0.02, from = 0.0, to = -100.0 } }]\n[time]\nstep = 1e-3\nend = 0.02\n";
    for (residual, said) in [(true, true), (false, false)] {
        let set = vec![format!("beam.0.residual={residual}")];
        let loaded = load_text("wire", text, &LoadOptions { set, ..Default::default() }).expect("a scene");
        let (_, run, _) = run_kept(loaded, None, &mut |_| true).expect("a run");
        let warned = run.summary.warnings.iter().filter(|warning| warning.contains("W440")).count();
        assert_eq!(warned, usize::from(said), "{:?}", run.summary.warnings);
    }
}

/// A ball on a slack cable that tightens, a block on a bushing without stiffness about one axis: ledger and momentum close.
#[test]
fn cable_and_bushing() {
    let states = run(SWING, &LoadOptions::default());
    states.passes("swing");
}

/// A scheme that keeps no account of momentum is not blamed for what a bushing to the ground gives: of 5 % of the momentum it once was.
#[test]
fn a_bushing_to_the_ground_takes_momentum() {
    let ggl = LoadOptions { scheme: Some("generalized-alpha-ggl".into()), end: Some(0.05), ..Default::default() };
    let loose = "[[body]]\nname = \"block\"\nmass = 2.0\ninertia = [0.1, 0.2, 0.15]\n";
    let text = |held: &str| {
        format!(
            "[model]\nkind = \"bodies\"\n[[body]]\nname = \"other\"\n{held}{loose}[[bushing]]\na = \"other\"\nb = \"block\"\nanchor = [0.0, 0.0, 0.0]\nstiffness = [1e3, 1e3, 1e3, 5.0, 5.0, 5.0]\n[scheme]\nname = \"energy-momentum\"\n[time]\nstep = 1e-3\nend = 1.0\n"
        )
    };
    let held = run(&text("fixed = true\n"), &ggl);
    assert_eq!(held.verdicts[2].1, "none", "{:?}", held.verdicts);
    // between free bodies there is nothing else that gives any
    let free = run(&text("mass = 1.0\ninertia = [0.1, 0.1, 0.1]\nvelocity = [0.1, 0.0, 0.0]\n"), &ggl);
    assert_eq!(free.verdicts[2].1, "pass", "{:?}", free.verdicts);
}

/// Bending frequencies of a cantilever beside the Euler–Bernoulli beam's, and a pendulum's √(m g l/(I + m l²)): its pin carries its weight.
#[test]
fn modes_of_a_cantilever_and_a_pendulum() {
    let beam = |mass: &str| {
        format!(
            "from = [0.0, 0.0, 0.0]\nto = [1.0, 0.0, 0.0]\nresidual = false\nmass = \"{mass}\"\nstiffness = [1e7, 1e7, 1e7, 50.0, 2.0, 32.0]\nmass_per_length = 1.0\ninertia_per_length = [2e-7, 1e-7, 1e-7]"
        )
    };
    for (mass, off) in [("lumped", [-0.0041, -0.0034, 0.013]), ("consistent", [0.0019, 0.039, 0.118])] {
        let text = clamped(&beam(mass), 8, "force = [0.0, 0.0, 0.0]");
        let loaded = load_text("modes", &text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let found = modes(&loaded.scenario, 0.0).expect("modes");
        // soft bending: modes 1, 2, 3 have (βL)² = 3.51602, 22.0345, 61.6972; the stiff plane's first is four times the soft one's
        let soft: Vec<f64> = found
            .iter()
            .filter(|mode| {
                let along = |k: usize| mode.shape.iter().map(|s| s[k].abs()).fold(0.0_f64, f64::max);
                along(2) > 10.0 * along(1)
            })
            .map(|mode| mode.square.sqrt())
            .collect();
        for (k, exact) in [3.51602, 22.0345, 61.6972].into_iter().enumerate() {
            let error = soft[k] / (exact * 2.0_f64.sqrt()) - 1.0;
            assert!((error - off[k]).abs() < 2e-3, "{mass} mode {k}: {error}");
        }
    }
    let text = "[model]\nkind = \"bodies\"\n[[body]]\nname = \"ground\"\nfixed = true\n[[body]]\nname = \"bob\"\nmass = 1.0\ninertia = [0.1, 0.1, 0.1]\nposition = [0.0, 0.0, -1.0]\n[[joint]]\nkind = \"revolute\"\na = \"ground\"\nb = \"bob\"\nanchor = [0.0, 0.0, 0.0]\naxis = [0.0, 1.0, 0.0]\n[time]\nstep = 1e-3\nend = 0.1\n";
    let loaded = load_text("modes", text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let found = modes(&loaded.scenario, 0.0).expect("modes");
    assert_eq!(found.len(), 1);
    assert!((found[0].square / (9.81 / 1.1) - 1.0).abs() < 1e-6, "{}", found[0].square);
}
