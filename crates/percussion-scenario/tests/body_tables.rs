//! Tables of bodies: forces of a resting pile against its weight, places and names of contacts, energy as it is booked.

use percussion_scenario::{LoadOptions, load, load_text, run};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

mod tables;
use tables::{number, rows};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("body-tables").join(name)
}

const G: f64 = 9.81;

/// Boxes at rest on a plane: the forces carry the weight to 1e-10 of it, each contact names its bodies and has a unit normal, and every
/// body gets from its contacts what its weight takes.
#[test]
fn a_resting_pile_weighs_what_it_weighs() {
    let mut text = String::from(
        "[model]\nkind = \"bodies\"\ndimension = 3\nrestitution = 0.0\nfriction = 0.5\n[[body]]\nname = \"floor\"\nshape = { kind = \"plane\" }\n\
         fixed = true\n",
    );
    for k in 0..3 {
        text += &format!(
            "[[body]]\nname = \"box, {k}\"\nshape = {{ kind = \"box\", size = [1.0, 1.0, 0.5] }}\nmass = {:?}\ninertia = [0.1, 0.1, 0.15]\n\
             position = [{:?}, 0.0, {:?}]\n",
            1.0 + f64::from(k),
            0.1 * f64::from(k),
            0.25 + 0.5 * f64::from(k)
        );
    }
    text += "[solver]\ntolerance = 1e-12\n[time]\nstep = 1e-3\nend = 0.2\n";
    let folder = folder("pile");
    run(load_text("pile", &text, &LoadOptions::default()).expect("valid"), &folder, &mut |_| true).expect("runs");
    let table = std::fs::read_to_string(folder.join("contacts.csv")).expect("contacts");
    let last = table.lines().last().expect("a row").split(',').next().expect("a step").to_string();
    // names with a comma stand in quotes
    let plain = table.replace("\"box, ", "box ").replace('"', "");
    let header: Vec<&str> = plain.lines().next().expect("a header").split(',').collect();
    let at = |row: &[&str], name: &str| row[header.iter().position(|n| *n == name).expect("a column")].to_string();
    let mut total: BTreeMap<String, f64> = BTreeMap::new();
    for line in plain.lines().filter(|line| line.starts_with(&format!("{last},"))) {
        let row: Vec<&str> = line.split(',').collect();
        let x = |name: &str| at(&row, name).parse::<f64>().expect("a number");
        let n = [x("nx"), x("ny"), x("nz")];
        assert!((n.iter().map(|n| n * n).sum::<f64>() - 1.0).abs() < 1e-12, "{line}");
        // friction lies across the normal, which is vertical here
        let up = x("f_n") * n[2];
        *total.entry(at(&row, "body_a")).or_default() += up;
        *total.entry(at(&row, "body_b")).or_default() -= up;
    }
    for (k, mass) in [1.0, 2.0, 3.0].into_iter().enumerate() {
        let found = total[&format!("box {k}")];
        assert!((found - mass * G).abs() <= 1e-10 * 6.0 * G, "box {k}: {found} N, weight {}", mass * G);
    }
    assert!((total["floor"] + 6.0 * G).abs() <= 1e-10 * 6.0 * G, "{total:?}");
}

/// Boxes thrown on each other and on a floor: each of them gets from its rows of `contacts.csv`, friction included, what changes its momentum beside its
/// weight, to round-off, and so what one gives the other takes.
#[test]
fn action_is_reaction() {
    let mut scene = String::from(
        "[model]\nkind = \"bodies\"\nrestitution = 0.2\nfriction = 0.4\n[[body]]\nname = \"floor\"\nshape = { kind = \"plane\" }\nfixed = true\n",
    );
    for k in 0..2 {
        scene += &format!(
            "[[body]]\nname = \"box{k}\"\nshape = {{ kind = \"box\", size = [0.4, 0.3, 0.2] }}\nmass = {:?}\ninertia = [0.1, 0.1, 0.15]\n\
             position = [{:?}, 0.0, {:?}]\nvelocity = [{:?}, 0.2, -1.0]\n",
            1.0 + f64::from(k),
            0.07 * f64::from(k),
            0.11 + 0.21 * f64::from(k),
            1.0 - 1.5 * f64::from(k)
        );
    }
    scene += "[time]\nstep = 1e-3\nend = 0.25\n";
    for scheme in ["moreau-jean", "energy-momentum", "generalized-alpha-ggl", "landing"] {
        let text = format!("{scene}[scheme]\nname = \"{scheme}\"\n");
        let loaded = load_text("boxes", &text, &LoadOptions::default()).expect("valid");
        let (single, both, largest, between) = misfit(loaded, &folder("action").join(scheme));
        assert!(largest > 10.0 && between > 20, "{scheme}: {largest} N, {between} rows between the boxes");
        assert!(both <= 1e-12 * largest, "{scheme}: {both:e} N of {largest} N");
        // landing sums an impulse along the mean normal of a step and one along the normal at its end, which has turned by then
        let turned = if scheme == "landing" { 1e-3 } else { 1e-12 };
        assert!(single <= turned * largest, "{scheme}: {single:e} N of {largest} N");
    }
}

/// What the rows of the table leave of the change of momentum of one box and of both, with the largest normal force [N] and the number of
/// rows between the boxes.
fn misfit(loaded: percussion_scenario::Loaded, folder: &Path) -> (f64, f64, f64, usize) {
    let scene = loaded.scenario.model().bodies().expect("bodies").clone();
    run(loaded, folder, &mut |_| true).expect("runs");
    let (states, h) = (rows(folder, "trajectory.csv"), 1e-3);
    let mut lacks: BTreeMap<(usize, usize), [f64; 3]> = BTreeMap::new();
    for k in 1..states.len() {
        for body in 0..2 {
            let v = |row: usize, c: usize| number(&states[row], &format!("v{}", 6 * (body + 1) + c));
            let mass = 1.0 + body as f64;
            let weight = [0.0, 0.0, -G * mass];
            lacks.insert((k, body), std::array::from_fn(|c| mass * (v(k, c) - v(k - 1, c)) / h - weight[c]));
        }
    }
    let (mut largest, mut between) = (0.0_f64, 0);
    for row in &rows(folder, "contacts.csv") {
        let n = ["nx", "ny", "nz"].map(|name| number(row, name));
        let [n, s, t] = percussion_step::contact_directions(&scene, &n);
        let f = ["p_n", "p_t1", "p_t2"].map(|name| number(row, name) / h);
        largest = largest.max(f[0]);
        let step = number(row, "step") as usize;
        let pair = [(&row["body_a"], 1.0), (&row["body_b"], -1.0)];
        between += usize::from(pair.iter().all(|(name, _)| name.starts_with("box")));
        for (name, sign) in pair {
            let Some(body) = name.strip_prefix("box").and_then(|k| k.parse::<usize>().ok()) else { continue };
            let lack = lacks.get_mut(&(step, body)).expect("a step");
            (0..3).for_each(|c| lack[c] -= sign * (f[0] * n[c] + f[1] * s[c] + f[2] * t[c]));
        }
    }
    let size = |x: [f64; 3]| x.into_iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    let (mut single, mut both) = (0.0_f64, 0.0_f64);
    for k in 1..states.len() {
        let [a, b] = [lacks[&(k, 0)], lacks[&(k, 1)]];
        single = single.max(size(a)).max(size(b));
        both = both.max(size(std::array::from_fn(|c| a[c] + b[c])));
    }
    (single, both, largest, between)
}

/// An arm that rests on the stop of its hinge and a slider that rests on that of its guide: both stops are at the anchor, the normal is the axis towards which
/// they push the ground, and they carry the moment and the force of the weight; the unit of a contact tells the two apart, and ParaView gets the force alone.
#[test]
fn stops_have_a_place() {
    let text = r#"
[model]
kind = "bodies"
dimension = 2
gravity = [0.0, -9.81]
[[body]]
name = "ground"
fixed = true
[[body]]
name = "arm"
shape = { kind = "box", size = [1.0, 0.1] }
mass = 2.0
inertia = [0.2]
position = [0.5, 0.0]
contact = false
[[body]]
name = "slider"
shape = { kind = "box", size = [0.1, 0.1] }
mass = 3.0
inertia = [0.01]
position = [3.0, 1.0]
contact = false
[[joint]]
name = "hinge"
kind = "revolute"
a = "ground"
b = "arm"
anchor = [0.0, 0.0]
limits = [0.0, 1.0]
[[joint]]
name = "guide"
kind = "prismatic"
a = "ground"
b = "slider"
anchor = [3.0, 1.0]
axis = [0.8, -0.6]
limits = [-0.5, 0.0]
[time]
step = 1e-3
end = 0.05
"#;
    for scheme in ["moreau-jean", "energy-momentum", "generalized-alpha-ggl", "event-driven"] {
        let folder = folder("stops").join(scheme);
        let text = format!("{text}[scheme]\nname = \"{scheme}\"\n");
        run(load_text("stops", &text, &LoadOptions::default()).expect("valid"), &folder, &mut |_| true).expect("runs");
        let contacts = rows(&folder, "contacts.csv");
        let [hinge, guide] = [&contacts[contacts.len() - 2], &contacts[contacts.len() - 1]];
        let at = |row, names: [&str; 3]| names.map(|name| number(row, name));
        let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        for (row, place, normal, carried) in [
            (hinge, [0.0; 3], [0.0, 0.0, -1.0], 2.0 * G * 0.5),
            (guide, [3.0, 1.0, 0.0], [0.8, -0.6, 0.0], 3.0 * G * 0.6),
        ] {
            assert_eq!(row["body_a"], "ground", "{scheme}");
            assert!(near(at(row, ["x", "y", "z"]), place), "{scheme}: {row:?}");
            assert!(near(at(row, ["nx", "ny", "nz"]), normal), "{scheme}: {row:?}");
            assert!((number(row, "f_n") - carried).abs() < 1e-9 * carried, "{scheme}: {row:?} {carried}");
        }
        let units: Vec<(String, String)> = rows(&folder, "names.csv")
            .into_iter()
            .filter(|row| row["kind"] == "contact")
            .map(|row| (row["name"].clone(), row["unit"].clone()))
            .collect();
        assert!(
            units.iter().all(|(name, unit)| unit == if name.starts_with("hinge") { "rad" } else { "m" }),
            "{units:?}"
        );
        let out = folder.join("vtk");
        percussion_scenario::export_vtk(&folder, &out).expect("written");
        let frame = std::fs::read_to_string(out.join("frames/contacts-00050.vtp")).expect("a frame");
        // the slider's stop and its centre
        assert!(frame.contains("NumberOfPoints=\"2\""), "{frame}");
    }
}

/// The verdicts of a scene of bodies name contacts by their bodies, and keep the number beside.
#[test]
fn verdicts_name_contacts() {
    let folder = folder("names");
    let options = LoadOptions { end: Some(0.11), ..LoadOptions::default() };
    let summary = run(load("box-pile", &options).expect("built in"), &folder, &mut |_| true).expect("runs").summary;
    let gap = &summary.verdicts["gap"];
    assert!(gap.contact.as_ref().is_some_and(|name| name.contains(" – ")), "{gap:?}");
    assert!(gap.contact_id.is_some() && summary.verdicts["energy"].level.as_deref() == Some("measured"), "{summary:?}");
}

/// One degree of freedom under 50 sin ωt with a damper, generalized-α, with and without a wall: the filtered works and the gain of H over
/// them, those of (56) and (57) of Acary (2016), ΔqᵀF_{k+γ} and −ΔqᵀCv_{k+γ}, and the gain over these, are an independent program's; the words
/// promise no more than (58) does.
#[test]
fn filtered_works() {
    // ρ∞, ω, wall; load and damper as filtered; the same by (56) and (57); largest gain of H in a step over the first two, over the others
    let table = [
        (0.5, 9.0, false, [607.4958061, -551.3635802], [615.6899578, -552.0376432], [-1.451971515e-05, 0.026360406]),
        (0.5, 60.0, false, [4.037644412, -16.3069495], [-6.734174655, -16.38513334], [-2.286216387e-05, 0.4013530146]),
        (0.0, 60.0, true, [25.03182249, -22.87751854], [7.267833273, -23.9922564], [-0.000114278278, 1.005709598]),
        (0.5, 60.0, true, [26.3455648, -25.64830818], [16.78112269, -25.88808838], [-1.79447555e-05, 0.4013530146]),
        (0.8, 9.0, true, [120.0858923, -68.47285075], [120.6272616, -68.60069118], [-1.942830553e-07, 0.02369338288]),
    ];
    for (rho, omega, wall, filtered, plain, gains) in table {
        let stop = if wall { "[[model.contact]]\nnormal = [1.0]\noffset = 0.0\nrestitution = 0.7\n" } else { "" };
        let text = format!(
            "[model]\nkind = \"linear\"\nmass = [[1.0]]\nstiffness = [[100.0]]\ndamping = [[4.0]]\nq0 = [0.5]\n\
             force = [{{ mean = 0.0, sines = [{{ amplitude = 50.0, omega = {omega:?}, phase = 0.0 }}] }}]\n{stop}\
             [scheme]\nname = \"generalized-alpha\"\nrho_inf = {rho:?}\n[time]\nend = 3.0\nstep = 0.01\n"
        );
        let folder = folder("filtered");
        let loaded = load_text("filtered", &text, &LoadOptions::default()).expect("valid");
        let summary = run(loaded, &folder, &mut |_| true).expect("runs").summary;
        let energy = &summary.verdicts["energy"];
        assert!(summary.guarantee.reason.contains("as the scheme sees them (filtered"), "{}", summary.guarantee.reason);
        assert_eq!(energy.level.as_deref(), Some("filtered"), "{energy:?}");
        assert!(energy.status != "pass" || energy.text.contains("filtered works"), "{energy:?}");

        let (works, motion) = (rows(&folder, "ledger.csv"), rows(&folder, "trajectory.csv"));
        let column = |rows: &[BTreeMap<String, String>], name: &str| {
            rows.iter().map(|row| number(row, name)).collect::<Vec<f64>>()
        };
        let [t, q, v] = ["t", "q0", "v0"].map(|name| column(&motion, name));
        let [H, load, damper] =
            ["algorithmic_energy", "work_external", "work_damping"].map(|name| column(&works, name));
        // γ = ½ + α_f − α_m of Chung and Hulbert
        let gamma = 0.5 + (1.0 - rho) / (1.0 + rho);
        let (mut sums, mut later, mut found) = ([0.0; 2], [0.0; 2], [f64::NEG_INFINITY; 2]);
        for k in 1..t.len() {
            let dq = q[k] - q[k - 1];
            let at_gamma = |x: &dyn Fn(usize) -> f64| (1.0 - gamma) * x(k - 1) + gamma * x(k);
            let late = [dq * at_gamma(&|k| 50.0 * (omega * t[k]).sin()), -dq * 4.0 * at_gamma(&|k| v[k])];
            let seen = [load[k], damper[k]];
            for i in 0..2 {
                sums[i] += seen[i];
                later[i] += late[i];
            }
            for (found, works) in found.iter_mut().zip([seen, late]) {
                *found = found.max(H[k] - H[k - 1] - works[0] - works[1]);
            }
        }
        for (ours, theirs) in sums.iter().chain(&later).chain(&found).zip(filtered.iter().chain(&plain).chain(&gains)) {
            assert!((ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0), "ρ∞ = {rho}, ω = {omega}: {ours} {theirs}");
        }
        // ∫F dq by the midpoint rule has order 2, as the filtered work has; at hω = 0.09 they differ by little
        if omega < 10.0 && !wall {
            let midpoint: f64 = works.iter().map(|row| row["work_external_plain"].parse().unwrap_or(0.0)).sum();
            assert!((midpoint - 607.8).abs() < 1.0, "{midpoint}");
        }
    }

    // a constant load without dampers: the theorem speaks, and the verdict says so
    let text = "[model]\nkind = \"linear\"\nmass = [[1.0]]\nstiffness = [[100.0]]\nq0 = [0.5]\nforce = [-3.0]\n\
                [[model.contact]]\nnormal = [1.0]\noffset = 0.0\nrestitution = 0.7\n\
                [scheme]\nname = \"generalized-alpha\"\nrho_inf = 0.5\n[time]\nend = 3.0\nstep = 0.01\n";
    let loaded = load_text("constant", text, &LoadOptions::default()).expect("valid");
    let energy = &run(loaded, &folder("constant-load"), &mut |_| true).expect("runs").summary.verdicts["energy"];
    assert_eq!((energy.level.as_deref(), energy.status.as_str()), (Some("theorem"), "pass"), "{energy:?}");
    assert!(energy.text.contains("none created, as the theorem says"), "{energy:?}");
}

/// Gravity is a potential: the energy of the bouncing ball is constant between impacts and falls at each of them, the motion is that of the
/// weight as a load to the last bit, and `conservative = true` books such a load the same way.
#[test]
fn gravity_is_a_potential() {
    let folder = folder("gravity");
    let as_written = |text: &str, name: &str| {
        let loaded = load_text(name, text, &LoadOptions::default()).expect("valid");
        run(loaded, &folder.join(name), &mut |_| true).expect("runs").summary
    };
    let text = |load: &str| {
        format!(
            "[model]\nkind = \"linear\"\nmass = [[2.0]]\n{load}q0 = [1.0]\n[[model.contact]]\nnormal = [1.0]\noffset = 0.0\nrestitution = 0.8\n\
             [time]\nend = 2.0\nstep = 1e-3\n"
        )
    };
    let fall = as_written(&text("gravity = [-10.0]\n"), "gravity");
    let load = as_written(&text("force = [-20.0]\n"), "load");
    let said = as_written(&text("force = [-20.0]\nconservative = true\n"), "conservative");
    assert_eq!(fall.state_hash, load.state_hash);
    assert_eq!(fall.state_hash, said.state_hash);
    for name in ["gravity", "conservative"] {
        let rows = rows(&folder.join(name), "ledger.csv");
        let mut last = number(&rows[0], "energy");
        assert_eq!(last, 20.0);
        for row in &rows[1..] {
            let (energy, lost) = (number(row, "energy"), number(row, "work_contact"));
            assert!((energy - last - lost).abs() < 1e-12 * 20.0, "{row:?}");
            assert!(number(row, "work_external").abs() < 1e-13 && number(row, "residual").abs() < 1e-12, "{row:?}");
            last = energy;
        }
        assert!(last < 0.5 * 20.0);
        let checks = percussion_scenario::verify(&folder.join(name)).expect("a run");
        assert!(!checks.differs(), "{checks:?}");
    }
    // every scheme for linear models, and its resolved scenario again
    for scheme in percussion_step::SCHEMES.iter().map(|entry| entry.name) {
        let with = |load: &str| format!("{}[scheme]\nname = \"{scheme}\"\n", text(load));
        let (fall, load) =
            (as_written(&with("gravity = [-10.0]\n"), scheme), as_written(&with("force = [-20.0]\n"), "other"));
        assert_eq!(fall.state_hash, load.state_hash, "{scheme}");
        assert!(!percussion_scenario::verify(&folder.join(scheme)).expect("a run").differs(), "{scheme}");
        let resolved = folder.join(scheme).join("scenario.toml").display().to_string();
        let again = run(
            percussion_scenario::load(&resolved, &LoadOptions::default()).expect("valid"),
            &folder.join("again"),
            &mut |_| true,
        );
        assert_eq!(again.expect("runs").summary.state_hash, fall.state_hash, "{scheme}");
    }
}

/// The built-in ball under every scheme: its total energy is constant until the first impact, and the motion is that of the weight as a load.
#[test]
fn the_built_in_ball_keeps_its_energy_in_flight() {
    let folder = folder("flight");
    for scheme in percussion_step::SCHEMES.iter().map(|entry| entry.name) {
        let at = |booked: &str| {
            let set = vec![format!("model.conservative={booked}")];
            let options = LoadOptions { set, scheme: Some(scheme.into()), end: Some(0.39), ..LoadOptions::default() };
            let out = folder.join(format!("{scheme}-{booked}"));
            let run = run(load("bouncing-ball", &options).expect("built in"), &out, &mut |_| true).expect("runs");
            (run.summary.state_hash, rows(&out, "ledger.csv"))
        };
        let ((hash, potential), (same, work)) = (at("true"), at("false"));
        assert_eq!(hash, same, "{scheme}");
        // d0-constant takes the weight at the end of the step: E differs from the exact by m g h |v| / 2
        let bound = if scheme == "d0-constant" { 0.05 } else { 1e-12 };
        for (a, b) in potential.iter().zip(&work) {
            assert!((number(a, "energy") - 10.01).abs() < bound, "{scheme}: {a:?}");
            let residual = |row| if row_is_empty(row, "residual") { 0.0 } else { number(row, "residual") };
            assert!(residual(a).abs() < 1e-12 && residual(b).abs() < 1e-12, "{scheme}: {a:?} {b:?}");
        }
        assert!(number(work.last().expect("rows"), "energy") > 7.0, "{scheme}: the weight is work there");
    }
}

fn row_is_empty(row: &BTreeMap<String, String>, column: &str) -> bool {
    row.get(column).is_none_or(|cell| cell.is_empty())
}

/// Contacts between boxes are counted, not called by the sixteen bits of their features.
#[test]
fn contacts_of_boxes_are_counted() {
    let text = "[model]\nkind = \"bodies\"\n[[body]]\nname = \"lower\"\nfixed = true\nshape = { kind = \"box\", size = [1.0, 1.0, 0.2] }\n\
                [[body]]\nname = \"upper\"\nshape = { kind = \"box\", size = [0.4, 0.4, 0.2] }\ndensity = 1000.0\nposition = [0.0, 0.0, 0.2005]\n\
                [time]\nend = 0.05\nstep = 1e-3\n[scheme]\nname = \"moreau-jean\"\n";
    let folder = folder("boxes");
    run(load_text("boxes", text, &LoadOptions::default()).expect("valid"), &folder, &mut |_| true).expect("runs");
    let names = rows(&folder, "names.csv");
    let mut called: Vec<&str> =
        names.iter().filter(|row| row["kind"] == "contact").map(|row| row["name"].as_str()).collect();
    called.sort_unstable();
    assert_eq!(called, ["lower – upper 0", "lower – upper 1", "lower – upper 2", "lower – upper 3"]);
}

/// A solid's contacts have surfaces, places, normals, forces and pressures: x is where the gap says, f is p over the step.
#[test]
fn contacts_of_a_solid() {
    let options = LoadOptions { end: Some(0.012), ..Default::default() };
    let loaded = load("elastic-disc", &options).expect("built in");
    let h = loaded.scenario.step;
    let folder = folder("disc");
    run(loaded, &folder, &mut |_| true).expect("runs");
    let contacts = rows(&folder, "contacts.csv");
    assert!(contacts.iter().filter(|row| number(row, "pressure") > 0.0).count() > 10);
    let plane = number(&contacts[0], "y") - number(&contacts[0], "gap");
    let mut areas: BTreeMap<String, f64> = BTreeMap::new();
    for row in &contacts {
        assert_eq!((row["body_a"].as_str(), row["body_b"].as_str()), ("foot", "plane"));
        assert_eq!([number(row, "nx"), number(row, "ny"), number(row, "nz")], [0.0, 1.0, 0.0]);
        assert!((number(row, "y") - plane - number(row, "gap")).abs() < 1e-12);
        let f = number(row, "f_n");
        assert!((f * h - number(row, "p_n")).abs() <= 1e-13 * number(row, "p_n").abs());
        if f > 0.0 {
            let area = f / number(row, "pressure");
            let known = *areas.entry(row["contact"].clone()).or_insert(area);
            assert!((area - known).abs() <= 1e-12 * known);
        }
    }
}
