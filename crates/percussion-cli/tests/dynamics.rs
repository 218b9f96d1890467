//! `percussion dynamics`: the same bytes whatever the threads and after a kill, failed values as rows, bad keys refused, and the motion of
//! a driven oscillator that never meets its stop where the closed form has it.

mod common;

use common::{folder, percussion};
use std::path::Path;

const TWO: &str = r#"
name = "two masses and a stop"
[model]
kind = "linear"
mass = [[1.0, 0.0], [0.0, 1.0]]
damping = [[0.1, -0.05], [-0.05, 0.1]]
stiffness = [[2.0, -1.0], [-1.0, 2.0]]
force = [{ sines = [{ amplitude = 1.0, omega = 0.7, phase = 0.0 }] }, 0.0]
q0 = [0.0, 0.0]
v0 = [0.0, 0.0]
[[model.contact]]
normal = [-1.0, 0.0]
offset = 0.5
restitution = 0.8
[time]
end = 10.0
step = 0.01
"#;

fn study(at: &Path, name: &str, keys: &str) -> String {
    let path = at.join(format!("{name}.toml"));
    std::fs::write(&path, format!("{TWO}{keys}")).expect("a scenario");
    path.display().to_string()
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

const DIAGRAM: &str = "[dynamics]\nkind = \"bifurcation\"\nparameter = \"model.force.0.sines.0.omega\"\nfrom = 1.0\nto = 1.4\npoints = 9\n\
transient = 10\nperiods = 12\nsteps = 100\nrepeat = 3\n";

/// One thread, four threads and a run cut short give the same tables; up and down differ where two motions exist.
#[test]
fn one_diagram() {
    let at = folder("dynamics-one-diagram");
    let file = study(&at, "diagram", DIAGRAM);
    let call = |out: &str, more: &[&str]| {
        let mut words = vec!["dynamics", file.as_str(), "--out", out, "--json"];
        words.extend(more);
        let said = percussion(&at, &words);
        assert_eq!(said.code, 0, "{}", said.err);
        serde_json::from_str::<serde_json::Value>(&said.out).expect("JSON")
    };
    let first = call("one", &["--threads", "1"]);
    assert_eq!(
        (first["made"].as_u64(), first["repeated"].as_u64(), first["failed"].as_u64()),
        (Some(18), Some(3), Some(0))
    );
    call("four", &["--threads", "4"]);
    let part = at.join("one/part-down.csv");
    let whole = text(&part);
    std::fs::write(&part, &whole[..whole.len() / 2]).expect("a part");
    let again = call("one", &[]);
    assert!(again["made"].as_u64().is_some_and(|n| (1..9).contains(&n)), "{again}");
    let schema: serde_json::Value = serde_json::from_str(&text(&at.join("one/schema.json"))).expect("JSON");
    assert_eq!(
        schema["bifurcation.csv"][4],
        serde_json::json!({ "name": "q0", "type": "number", "unit": "m", "meaning": "q0" })
    );
    assert_eq!(schema["columns.csv"].as_array().map(Vec::len), Some(10), "{schema}");
    for table in ["bifurcation.csv", "columns.csv", "repeat.csv", "schema.json", "bifurcation.svg", "bifurcation.html"]
    {
        assert_eq!(text(&at.join("one").join(table)), text(&at.join("four").join(table)), "{table}");
    }
    for figure in ["bifurcation.svg", "bifurcation.png", "bifurcation.pdf"] {
        assert!(std::fs::metadata(at.join("one").join(figure)).is_ok_and(|file| file.len() > 1000), "{figure}");
    }
    let table = text(&at.join("one/bifurcation.csv"));
    assert_eq!(table.lines().count(), 1 + 2 * 9 * 12);
    assert!(table.starts_with("direction,column,model.force.0.sines.0.omega,t,q0,q1,v0,v1\n"));
    let refused = percussion(&at, &["dynamics", &file, "--out", "one", "--set", "dynamics.points=8"]);
    assert!(refused.code == 3 && refused.err.contains("E173"), "{}", refused.err);

    // values that do not follow from each other may be shared out; others may not
    let alone = ["--set", "dynamics.carry=false"];
    call("alone", &alone);
    let second = call("shards", &[alone[0], alone[1], "--shard", "2/2"]);
    assert_eq!((second["made"].as_u64(), second["missing"].as_u64()), (Some(4), Some(5)), "{second}");
    assert!(!at.join("shards/bifurcation.csv").exists());
    assert_eq!(call("shards", &[alone[0], alone[1], "--shard", "1/2"])["missing"].as_u64(), Some(0));
    for table in ["bifurcation.csv", "columns.csv", "repeat.csv"] {
        assert_eq!(text(&at.join("alone").join(table)), text(&at.join("shards").join(table)), "{table}");
    }
    let refused = percussion(&at, &["dynamics", &file, "--out", "five", "--shard", "1/2"]);
    assert!(refused.code == 2 && refused.err.contains("carry = false"), "{}", refused.err);
}

/// q = A sin(ωt + φ) of one mass away from its stop, A and φ by the linear theory; the error of θ = ½ with 2000 steps is (ωh)²/12.
#[test]
fn steady_state_of_the_linear_oscillator() {
    let at = folder("dynamics-linear");
    let scenario = "[model]\nkind = \"linear\"\nmass = [[1.0]]\ndamping = [[0.4]]\nstiffness = [[1.0]]\n\
        force = [{ sines = [{ amplitude = 0.3, omega = 1.3, phase = 0.0 }] }]\nq0 = [0.0]\nv0 = [0.0]\n\
        [[model.contact]]\nnormal = [-1.0]\noffset = 5.0\nrestitution = 0.8\n[time]\nend = 1.0\nstep = 0.01\n\
        [dynamics]\nkind = \"section\"\nsteps = 2000\ntransient = 40\nperiods = 20\n";
    std::fs::write(at.join("s.toml"), scenario).expect("a scenario");
    let said = percussion(&at, &["dynamics", "s.toml", "--out", "out", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let json: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((json["points"].as_u64(), json["cycle"].as_u64()), (Some(20), Some(1)));
    let (omega, c, f) = (1.3_f64, 0.4, 0.3);
    let (real, imaginary) = (1.0 - omega * omega, c * omega);
    // at t = nT: q = Im(F/(k − ω²m + iωc)), v = Re(iωq̂) of the phasor
    let size = real * real + imaginary * imaginary;
    let (q, v) = (-f * imaginary / size, f * omega * real / size);
    for line in text(&at.join("out/section.csv")).lines().skip(1) {
        let x: Vec<f64> = line.split(',').map(|cell| cell.parse().expect("a number")).collect();
        assert!((x[1] - q).abs() < 1e-5 && (x[2] - v).abs() < 1e-5, "{x:?} against {q}, {v}");
    }
}

/// A basin is the same from shards, threads and after a kill; its attractors are counted.
#[test]
fn one_basin() {
    let at = folder("dynamics-basin");
    let keys = "[dynamics]\nkind = \"basin\"\nparameter = \"model.q0.0\"\nfrom = -2.0\nto = 0.6\npoints = 6\n\
        y = { parameter = \"model.v0.0\", from = -2.0, to = 2.0, points = 5 }\ntransient = 20\nperiods = 16\nsteps = 100\n";
    let file = study(&at, "basin", keys);
    let call = |out: &str, more: &[&str]| {
        let mut words =
            vec!["dynamics", file.as_str(), "--out", out, "--json", "--set", "model.force.0.sines.0.omega=1.05"];
        words.extend(more);
        let said = percussion(&at, &words);
        assert_eq!(said.code, 0, "{}", said.err);
        serde_json::from_str::<serde_json::Value>(&said.out).expect("JSON")
    };
    let all = call("one", &["--threads", "1"]);
    // q0 = 0.6 lies behind the stop
    assert_eq!((all["made"].as_u64(), all["failed"].as_u64()), (Some(30), Some(5)), "{all}");
    assert!(text(&at.join("one/starts.csv")).contains(",refused,E130,"));
    assert!(all["attractors"].as_array().is_some_and(|list| !list.is_empty()), "{all}");
    assert_eq!(call("two", &["--shard", "2/2"])["missing"].as_u64(), Some(15));
    call("two", &["--shard", "1/2"]);
    for table in ["starts.csv", "basin.csv", "attractors.csv", "basin.svg", "basin.html"] {
        assert_eq!(text(&at.join("one").join(table)), text(&at.join("two").join(table)), "{table}");
    }
}

/// A study that is killed goes on with the same command and ends as if nothing had happened; what it had made is not made again.
#[test]
fn killed_studies_go_on() {
    let at = folder("dynamics-killed");
    let diagram =
        study(&at, "diagram", &DIAGRAM.replace("points = 9", "points = 40").replace("steps = 100", "steps = 400"));
    let keys = "[dynamics]\nkind = \"basin\"\nparameter = \"model.q0.0\"\nfrom = -2.0\nto = 0.4\npoints = 30\n\
        y = { parameter = \"model.v0.0\", from = -2.0, to = 2.0, points = 20 }\ntransient = 30\nperiods = 16\nsteps = 100\n";
    let basin = study(&at, "basin", keys);
    for (file, name, part, rows) in [(diagram, "diagram", "part-up.csv", 80), (basin, "basin", "part-1-of-1.csv", 600)]
    {
        let call = |out: &str| -> serde_json::Value {
            let said = percussion(&at, &["dynamics", &file, "--out", out, "--json", "--threads", "1"]);
            assert_eq!(said.code, 0, "{}", said.err);
            serde_json::from_str(&said.out).expect("JSON")
        };
        let (whole, cut) = (format!("{name}-whole"), format!("{name}-cut"));
        assert_eq!(call(&whole)["made"].as_u64(), Some(rows));
        let words = ["dynamics", &file, "--out", &cut, "--json", "--threads", "1"];
        let mut running =
            common::program(&at).args(words).stdout(std::process::Stdio::null()).spawn().expect("the program");
        let written = || std::fs::read_to_string(at.join(&cut).join(part)).map_or(0, |text| text.lines().count());
        while written() < 3 && running.try_wait().expect("a process").is_none() {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        running.kill().expect("killed");
        running.wait().expect("gone");
        let made = call(&cut)["made"].as_u64().expect("a number");
        assert!(made < rows, "{name}: {made} of {rows} were made again");
        for entry in std::fs::read_dir(at.join(&whole)).expect("a folder") {
            let file = entry.expect("a file").file_name();
            let name = file.to_string_lossy();
            if name.ends_with(".csv") && !name.starts_with("part") {
                assert_eq!(text(&at.join(&whole).join(&file)), text(&at.join(&cut).join(&file)), "{name}");
            }
        }
    }
}

/// Lines of a spectrum: away from the stop the motion has the drive's line with the amplitude of the linear theory and no other.
#[test]
fn spectrum_of_the_linear_oscillator() {
    let at = folder("dynamics-spectrum");
    let scenario = "[model]\nkind = \"linear\"\nmass = [[1.0]]\ndamping = [[0.4]]\nstiffness = [[1.0]]\n\
        force = [{ sines = [{ amplitude = 0.3, omega = 1.3, phase = 0.0 }] }]\nq0 = [0.0]\nv0 = [0.0]\n\
        [[model.contact]]\nnormal = [-1.0]\noffset = 5.0\nrestitution = 0.8\n[scheme]\nname = \"event-driven\"\n\
        [time]\nend = 1.0\nstep = 0.01\n[dynamics]\nkind = \"spectrum\"\nsteps = 48\ntransient = 40\nperiods = 10\n";
    std::fs::write(at.join("s.toml"), scenario).expect("a scenario");
    for window in ["hann", "none"] {
        let set = format!("dynamics.window={window}");
        let said = percussion(&at, &["dynamics", "s.toml", "--out", window, "--json", "--set", &set]);
        assert_eq!(said.code, 0, "{}", said.err);
        let json: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
        let amplitude = 0.3 / (1.0 - 1.69_f64).hypot(0.4 * 1.3);
        let line = &json["lines"][0];
        let number = |name: &str| line[name].as_f64().expect("a number");
        assert!((number("amplitude") - amplitude).abs() < 1e-7, "{window}: {line} {amplitude}");
        assert!(
            (number("harmonic") - 1.0).abs() < 1e-9 && (number("frequency") - 1.3 / std::f64::consts::TAU).abs() < 1e-9
        );
        // the transient has died out to exp(−0.2·40·T)
        assert_eq!(json["lines"].as_array().map(Vec::len), Some(1), "{json}");
        let table = text(&at.join(window).join("spectrum.csv"));
        assert!(table.starts_with("frequency,harmonic,q0,v0\n") && table.lines().count() == 1 + 241, "{window}");
    }
    let refused = percussion(&at, &["dynamics", "s.toml", "--out", "no", "--set", "dynamics.section=impact"]);
    assert!(refused.code == 3 && refused.err.contains("E173"), "{}", refused.err);
}

/// A body on a hinge before a rough wall, on a base that shakes.
const PENDULUM: &str = "[model]\nkind = \"bodies\"\ndimension = 2\n\
    gravity = [{ sines = [{ amplitude = 6.0, omega = 4.5, phase = 0.0 }] }, -9.81]\n[[material]]\nname = \"rubber\"\n\
    [[pair]]\nmaterials = [\"rubber\"]\nrestitution = 0.6\nfriction = 0.2\n\
    [[body]]\nname = \"wall\"\nfixed = true\nshape = { kind = \"plane\" }\nposition = [0.3, 0.0]\nangle = 1.5707963267948966\nmaterial = \"rubber\"\n\
    [[body]]\nname = \"base\"\nfixed = true\ncontact = false\nshape = { kind = \"sphere\", radius = 0.01 }\n\
    [[body]]\nname = \"bob\"\nshape = { kind = \"sphere\", radius = 0.1 }\nmass = 1.0\ninertia = [0.005]\nposition = [0.0, -0.5]\nmaterial = \"rubber\"\n\
    [[joint]]\nname = \"pin\"\nkind = \"revolute\"\na = \"base\"\nb = \"bob\"\nanchor = [0.0, 0.0]\ndamping = 0.1\n";

/// The same pendulum before a rough wall, once as a body on a hinge, once by its angle: one orbit, one pair of multipliers, along a branch.
#[test]
fn orbits_with_joints_and_friction() {
    let at = folder("dynamics-joints");
    let study = |parameter: &str, omega: &str| {
        format!(
            "[time]\nend = 1.0\nstep = 0.01\n[dynamics]\nkind = \"orbit\"\nomega = \"{omega}\"\nparameter = \"{parameter}\"\nfrom = 5.9\nto = 6.4\n\
             points = 3\ntransient = 100\nlongest = 4\n"
        )
    };
    let formula = "[model]\nkind = \"formula\"\ncoordinates = [\"phi\"]\n\
        parameters = { m = 1.0, l = 0.5, r = 0.1, I = 0.005, g = 9.81, d = 0.3, A = 6.0, w = 4.5, c = 0.1 }\n\
        kinetic = \"0.5*(m*l^2 + I)*phi_dot^2\"\npotential = \"-m*g*l*cos(phi)\"\nforce = [\"m*A*sin(w*t)*l*cos(phi) - c*phi_dot\"]\nq0 = [0.0]\n\
        [[model.contact]]\ngap = \"d - r - l*sin(phi)\"\ntangent = \"(r + l*sin(phi))*phi_dot\"\nfriction = 0.2\nrestitution = 0.6\n";
    let made = [
        ("bodies", PENDULUM, study("model.gravity.0.sines.0.amplitude", "model.gravity.0.sines.0.omega")),
        ("formula", formula, study("model.parameters.A", "model.parameters.w")),
    ]
    .map(|(name, model, keys)| {
        std::fs::write(at.join(format!("{name}.toml")), format!("{model}{keys}")).expect("a scenario");
        let said = percussion(&at, &["dynamics", &format!("{name}.toml"), "--out", name, "--json"]);
        assert_eq!(said.code, 0, "{name}: {}", said.err);
        serde_json::from_str::<serde_json::Value>(&said.out).expect("JSON")
    });
    for json in &made {
        assert_eq!((json["periods"].as_u64(), json["impacts"].as_u64()), (Some(1), Some(1)), "{json}");
        assert_eq!(json["multipliers"].as_array().map(Vec::len), Some(2), "{json}");
        assert!(json["orbits"].as_array().is_some_and(|list| list.iter().all(|n| n.as_u64() > Some(1))), "{json}");
    }
    for k in 0..2 {
        let multiplier = |json: &serde_json::Value| json["multipliers"][k][0].as_f64().expect("a number");
        let (a, b) = (multiplier(&made[0]), multiplier(&made[1]));
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
    // the angle of the bob is the last coordinate of the bodies
    let angle = [&made[0]["x"][8], &made[1]["x"][0]].map(|x| x.as_f64().expect("a number"));
    assert!((angle[0] - angle[1]).abs() < 1e-9, "{angle:?}");
}

/// Of bodies with joints: exponents are the logarithms of the multipliers over T, however long the columns are carried; figures and sections
/// take coordinates by name, and show one that moves where nothing is said.
#[test]
fn bodies_have_exponents_and_names() {
    let at = folder("dynamics-bodies");
    let omega = "omega = \"model.gravity.0.sines.0.omega\"\n";
    let write = |keys: &str| {
        let text = format!("{PENDULUM}[time]\nend = 1.0\nstep = 0.01\n[dynamics]\n{omega}{keys}");
        std::fs::write(at.join("s.toml"), text).expect("a scenario");
    };
    write("kind = \"exponent\"\ntransient = 100\nperiods = 100\n");
    let said = percussion(&at, &["dynamics", "s.toml", "--out", "exponent"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let table = text(&at.join("exponent/exponent.csv"));
    let row: Vec<&str> = table.lines().nth(1).expect("a row").split(',').collect();
    let period = 2.0 * std::f64::consts::PI / 4.5;
    for (cell, multiplier) in row[2..4].iter().zip([0.695_488_922_455_f64, 0.299_372_899_397]) {
        let (found, expected) = (cell.parse::<f64>().expect("a number"), multiplier.ln() / period);
        assert!((found - expected).abs() < 2e-3 * expected.abs(), "{found} {expected}");
    }
    // the bob's place, not that of the wall that stands before it in the list
    write("kind = \"section\"\nsection = \"bob.theta > 0.0\"\ntransient = 5\nperiods = 10\nsteps = 100\n");
    let said = percussion(&at, &["dynamics", "s.toml", "--out", "section"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(text(&at.join("section/return-map.csv")).starts_with("point,q6,q6_next"));
    let table = text(&at.join("section/section.csv"));
    let angles = table.lines().skip(1).map(|row| row.split(',').nth(9).and_then(|x| x.parse::<f64>().ok()));
    assert!(angles.clone().count() >= 10 && angles.flatten().all(|x| x.abs() < 1e-9), "{table}");
    assert!(text(&at.join("section/section.svg")).contains("bob.x"));
    let said = percussion(&at, &["dynamics", "s.toml", "--out", "named", "--set", "dynamics.draw=bob.theta"]);
    assert!(said.code == 0 && text(&at.join("named/return-map.csv")).starts_with("point,q8,"), "{}", said.err);
    // an initial value that the scenario does not write
    write(
        "kind = \"exponent\"\nparameter = \"body.2.velocity.0\"\nfrom = 0.0\nto = 1.0\npoints = 2\ntransient = 1\nperiods = 3\n",
    );
    let said = percussion(&at, &["dynamics", "s.toml", "--out", "unwritten"]);
    assert_eq!(said.code, 0, "{}", said.err);
    // at 1 m/s without turning the pendulum would leave its pin
    let table = text(&at.join("unwritten/exponent.csv"));
    assert!(table.matches(",finished,").count() == 1 && !table.contains("E103"), "{table}");
    for key in ["body.2.velocity", "body.7.velocity.0", "time.step"] {
        let set = format!("dynamics.parameter={key}");
        let said = percussion(&at, &["dynamics", "s.toml", "--out", "refused", "--set", &set]);
        assert!(
            said.code == 3 && said.err.contains("E173") && said.err.contains(&format!("--set {set}")),
            "{}",
            said.err
        );
    }
}

/// A block that its friction holds, wherever it is put: every place is an orbit, and it is called neutral.
#[test]
fn an_orbit_that_sticks_is_neutral() {
    let at = folder("dynamics-neutral");
    let scenario = "[model]\nkind = \"linear\"\nmass = [[1.0, 0.0], [0.0, 1.0]]\nstiffness = [[1.0, 0.0], [0.0, 0.0]]\n\
        force = [{ sines = [{ amplitude = 0.5, omega = 0.8, phase = 0.0 }] }, -5.0]\nq0 = [0.1, 0.0]\nv0 = [0.0, 0.0]\n\
        [[model.contact]]\nnormal = [0.0, 1.0]\ntangents = [[1.0, 0.0]]\nfriction = 0.2\nrestitution = 0.0\n[time]\nend = 1.0\nstep = 0.01\n\
        [dynamics]\nkind = \"orbit\"\ntransient = 10\n";
    std::fs::write(at.join("s.toml"), scenario).expect("a scenario");
    let said = percussion(&at, &["dynamics", "s.toml", "--out", "out"]);
    assert!(said.code == 0 && said.out.contains("neutral"), "{} {}", said.out, said.err);
}

/// A ball that comes to rest on a vibrating table and leaves again, for 300 periods: its last flights are lower than the round-off of the
/// table's place so late in a run, and each period is the one before.
#[test]
fn a_ball_that_rests_on_its_table() {
    let at = folder("dynamics-rests");
    let scenario = "[model]\nkind = \"linear\"\nmass = [[1.0]]\ngravity = [-1.0]\nq0 = [1.9]\nv0 = [0.5]\n\
        [[model.contact]]\nnormal = [1.0]\noffset = { sines = [{ amplitude = -1.5, omega = 1.0, phase = 0.0 }] }\nrestitution = 0.5\n\
        [scheme]\nname = \"event-driven\"\n[time]\nend = 10.0\nstep = 0.1\n[dynamics]\nkind = \"section\"\n";
    std::fs::write(at.join("s.toml"), scenario).expect("a scenario");
    for amplitude in ["-1.5", "-1.5027272727272727", "-1.5290909090909091"] {
        let set = format!("model.contact.0.offset.sines.0.amplitude={amplitude}");
        let said =
            percussion(&at, &["dynamics", "s.toml", "--out", &format!("at{amplitude}"), "--json", "--set", &set]);
        assert_eq!(said.code, 0, "{amplitude}: {}", said.err);
        let json: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
        assert_eq!((json["points"].as_u64(), json["cycle"].as_u64()), (Some(100), Some(1)), "{amplitude}: {json}");
    }
    // as an orbit: the impacts accumulate and end in rest, behind which nothing depends on what was before. e = 0 is one impact in a period
    for (e, impacts) in [("0.0", 1), ("0.3", 16), ("0.5", 26)] {
        let set = format!("model.contact.0.restitution={e}");
        let words = [
            "dynamics",
            "s.toml",
            "--out",
            &format!("orbit{e}"),
            "--json",
            "--set",
            "dynamics.kind=orbit",
            "--set",
            &set,
        ];
        let said = percussion(&at, &words);
        assert_eq!(said.code, 0, "{e}: {}", said.err);
        let json: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
        let found = json["impacts"].as_u64().expect("a number");
        assert!(json["periods"] == 1 && found.abs_diff(impacts) <= 1, "{e}: {json}");
        let sizes = json["multipliers"].as_array().expect("a list").iter().map(|m| m[0].as_f64().unwrap_or(1.0).abs());
        assert!(sizes.fold(0.0, f64::max) < 1e-9, "{e}: {json}");
    }
}

/// Every mistake has its code and its place; a run of the same file leaves [dynamics] aside.
#[test]
fn mistakes_are_named() {
    let at = folder("dynamics-mistakes");
    for (keys, word) in [
        ("", "no table [dynamics]"),
        ("[dynamics]\nkind = \"bifurcation\"\n", "belong together"),
        ("[dynamics]\nkind = \"basin\"\nparameter = \"model.q0.0\"\nfrom = 0.0\nto = 0.1\n", "two keys"),
        ("[dynamics]\nkind = \"orbit\"\nparameter = \"model.q0.0\"\nfrom = 0.1\nto = 0.1\n", "at every point"),
        ("[dynamics]\nkind = \"section\"\nsection = \"q7 > 1\"\n", "there is no \"q7\""),
        ("[dynamics]\nkind = \"section\"\ndraw = \"q7\"\n", "no q7"),
        ("[dynamics]\nkind = \"section\"\nperiod = 1.0\nomega = \"a\"\n", "twice"),
        ("[dynamics]\nkind = \"section\"\nomega = \"a.b\"\n", "a.b is no key"),
        ("[dynamics]\nkind = \"section\"\nsection = \"q0 > 100\"\n", "never meets"),
        ("[dynamics]\nkind = \"section\"\nsection = \"impact 3\"\n", "no contact 3"),
        (
            "[dynamics]\nkind = \"exponent\"\nparameter = \"model.masss.0\"\nfrom = 0.0\nto = 1.0\n",
            "model.masss.0 is no key",
        ),
        (
            "[dynamics]\nkind = \"bifurcation\"\nparameter = \"model.q0.0\"\nfrom = 0.0\nto = 0.1\nlink = [{ key = \"model.k\" }]\n",
            "model.k is no key",
        ),
    ] {
        let file = study(&at, "mistake", keys);
        let said = percussion(&at, &["dynamics", &file, "--out", "out"]);
        assert!(said.code == 3 && said.err.contains("E173") && said.err.contains(word), "{keys}: {}", said.err);
        let _ = std::fs::remove_dir_all(at.join("out"));
    }
    let file = study(&at, "run", "[dynamics]\nkind = \"section\"\n");
    assert_eq!(percussion(&at, &["run", &file, "--out", "run", "--quiet", "--end", "1"]).code, 0);
    let said = percussion(&at, &["run", &study(&at, "typo", "[dynamics]\nkin = \"section\"\n"), "--out", "typo"]);
    assert!(said.code == 3 && said.err.contains("E102"), "{}", said.err);
}

/// The orbit of the impact oscillator x ≤ 0 with one impact: multipliers have the product e² exp(−cT) of the closed form; exponents of a
/// motion on it are the logarithms of the multipliers over T.
#[test]
fn orbit_and_exponents() {
    let at = folder("dynamics-orbit");
    let scenario = "[model]\nkind = \"linear\"\nmass = [[1.0]]\ndamping = [[0.2]]\nstiffness = [[1.0]]\n\
        force = [{ sines = [{ amplitude = 1.0, omega = 2.2, phase = 0.0 }] }]\nq0 = [-0.5]\nv0 = [0.0]\n\
        [[model.contact]]\nnormal = [-1.0]\noffset = 0.1\nrestitution = 0.6\n[time]\nend = 1.0\nstep = 0.01\n\
        [dynamics]\nkind = \"orbit\"\nparameter = \"model.force.0.sines.0.amplitude\"\nfrom = 0.45\nto = 1.2\npoints = 12\n\
        transient = 60\nlongest = 4\nperiods = 60\n";
    std::fs::write(at.join("o.toml"), scenario).expect("a scenario");
    let call = |words: &[&str]| {
        let said = percussion(&at, words);
        assert_eq!(said.code, 0, "{}", said.err);
        serde_json::from_str::<serde_json::Value>(&said.out).expect("JSON")
    };
    let orbit = call(&["dynamics", "o.toml", "--out", "orbit", "--json"]);
    assert_eq!((orbit["periods"].as_u64(), orbit["impacts"].as_u64()), (Some(1), Some(1)), "{orbit}");
    let multiplier = |k: usize| [0, 1].map(|i| orbit["multipliers"][k][i].as_f64().expect("a number"));
    let ([a, b], period) = (multiplier(0), 2.0 * std::f64::consts::PI / 2.2);
    // a pair: its product is the square of its size
    assert!((a * a + b * b - 0.36 * (-0.2 * period).exp()).abs() < 1e-11, "{orbit}");
    assert!(text(&at.join("orbit/orbit.csv")).lines().count() > 8, "two branches");
    let exponent = call(&[
        "dynamics",
        "o.toml",
        "--out",
        "exponent",
        "--json",
        "--set",
        "dynamics.kind=exponent",
        "--set",
        "dynamics.points=2",
    ]);
    let rows = exponent["rows"].as_array().expect("rows");
    let sum = |row: &serde_json::Value| row[1][0].as_f64().expect("λ1") + row[1][1].as_f64().expect("λ2");
    // the sum is the contraction of areas, whatever the motion: one impact a period
    let expected = (0.36_f64.ln() - 0.2 * period) / period;
    assert!((sum(&rows[1]) - expected).abs() < 1e-9, "{exponent}: {expected}");
    let alone = percussion(
        &at,
        &[
            "dynamics",
            "o.toml",
            "--out",
            "none",
            "--set",
            "model.force=[0.0]",
            "--set",
            "dynamics.parameter=model.q0.0",
        ],
    );
    assert!(alone.code == 3 && alone.err.contains("E173"), "{}", alone.err);
}

/// A diagram that cannot be repeated event-driven, because its gaps have corners, says so instead of saying nothing.
#[test]
fn what_cannot_be_repeated_is_told() {
    let at = folder("dynamics-not-repeated");
    let scenario = "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [{ sines = [{ amplitude = 3.0, omega = 6.0, phase = 0.0 }] }, -9.81]\n\
        restitution = 0.3\nfriction = 0.1\n[[body]]\nname = \"tray\"\nfixed = true\nshape = { kind = \"box\", size = [2.0, 0.2] }\nposition = [0.0, -0.1]\n\
        [[body]]\nname = \"ball\"\nshape = { kind = \"sphere\", radius = 0.1 }\nmass = 1.0\ninertia = [0.005]\nposition = [0.0, 0.11]\n\
        [time]\nend = 1.0\nstep = 0.01\n[dynamics]\nkind = \"bifurcation\"\nomega = \"model.gravity.0.sines.0.omega\"\n\
        parameter = \"model.gravity.0.sines.0.amplitude\"\nfrom = 0.5\nto = 1.0\npoints = 2\ntransient = 2\nperiods = 4\nsteps = 50\ndirection = \"up\"\n";
    std::fs::write(at.join("tray.toml"), scenario).expect("a scenario");
    let said = percussion(&at, &["dynamics", "tray.toml", "--out", "out"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(
        said.out.contains("no value could be repeated event-driven") && said.out.contains("smooth functions"),
        "{}",
        said.out
    );
}

/// A key that goes with the parameter: k = ω² keeps a driven oscillator at its resonance, where q = −F/(cω) cos ωt. On the surface q0 = 0.1 it
/// passes with v = ω √(A² − q²), and its return map is a point.
#[test]
fn linked_keys_surfaces_and_return_maps() {
    let at = folder("dynamics-linked");
    let scenario = "[model]\nkind = \"linear\"\nmass = [[1.0]]\ndamping = [[0.4]]\nstiffness = [[1.0]]\n\
        force = [{ sines = [{ amplitude = 0.3, omega = 1.0, phase = 0.0 }] }]\nq0 = [-0.7]\nv0 = [0.0]\n\
        [[model.contact]]\nnormal = [-1.0]\noffset = 5.0\nrestitution = 0.8\n[scheme]\nname = \"event-driven\"\n[time]\nend = 1.0\nstep = 0.01\n\
        [dynamics]\nkind = \"bifurcation\"\nparameter = \"model.force.0.sines.0.omega\"\nfrom = 1.0\nto = 2.0\npoints = 3\n\
        transient = 60\nperiods = 4\nsteps = 50\nrepeat = 0\ndirection = \"up\"\n[[dynamics.link]]\nkey = \"model.stiffness.0.0\"\nfactor = 1.0\npower = 2.0\n";
    std::fs::write(at.join("linked.toml"), scenario).expect("a scenario");
    let said = percussion(&at, &["dynamics", "linked.toml", "--out", "linked"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let table = text(&at.join("linked/bifurcation.csv"));
    assert_eq!(table.lines().count(), 1 + 3 * 4);
    for line in table.lines().skip(1) {
        let x: Vec<f64> = line.split(',').skip(2).map(|cell| cell.parse().expect("a number")).collect();
        assert!((x[2] + 0.3 / (0.4 * x[0])).abs() < 1e-5 && x[3].abs() < 1e-5, "{line}");
    }
    let alone = scenario.split("parameter").next().expect("a part").replace("bifurcation", "section");
    std::fs::write(at.join("surface.toml"), format!("{alone}section = \"q0 > 0.1\"\ntransient = 60\nperiods = 8\n"))
        .expect("a scenario");
    let said = percussion(&at, &["dynamics", "surface.toml", "--out", "surface"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let v = (0.75_f64 * 0.75 - 0.01).sqrt();
    let table = text(&at.join("surface/section.csv"));
    assert!(table.lines().count() > 4, "{table}");
    for line in table.lines().skip(1) {
        let x: Vec<f64> = line.split(',').map(|cell| cell.parse().expect("a number")).collect();
        assert!((x[1] - 0.1).abs() < 1e-9 && (x[2] - v).abs() < 1e-7, "{line} against {v}");
    }
    let map = text(&at.join("surface/return-map.csv"));
    assert_eq!(map.lines().count() + 1, table.lines().count(), "{map}");
}

/// The ball with one impact in a period, followed down: its branch turns at Γ = π(1 − e)/(1 + e) = π/3, where two orbits meet, and comes back as
/// the unstable one, which lands φ before the table is at rest instead of after it; upwards its period doubles (Holmes 1982).
#[test]
fn a_branch_turns_at_its_fold() {
    let at = folder("dynamics-fold");
    let scenario = "[model]\nkind = \"linear\"\nmass = [[1.0]]\ngravity = [-1.0]\nq0 = [3.110]\nv0 = [-2.378]\n\
        [[model.contact]]\nnormal = [1.0]\noffset = { sines = [{ amplitude = -1.45, omega = 1.0, phase = 0.0 }] }\nrestitution = 0.5\n\
        [time]\nend = 10.0\nstep = 0.1\n[dynamics]\nkind = \"orbit\"\nparameter = \"model.contact.0.offset.sines.0.amplitude\"\n\
        from = -0.9\nto = -1.6\npoints = 40\ntransient = 60\n";
    std::fs::write(at.join("fold.toml"), scenario).expect("a scenario");
    let said = percussion(&at, &["dynamics", "fold.toml", "--out", "out", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let json: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    let doubles = ((std::f64::consts::PI / 3.0).powi(2) + (10.0_f64 / 9.0).powi(2)).sqrt();
    for (name, value, within) in [("fold", std::f64::consts::PI / 3.0, 1e-5), ("flip", doubles, 2e-3)] {
        let losses = json["losses"].as_array().expect("a list");
        let near =
            |loss: &serde_json::Value| loss[1] == name && loss[0].as_f64().is_some_and(|p| (p + value).abs() < within);
        assert!(losses.iter().any(near), "{name} at {value}: {losses:?}");
    }
    let table = text(&at.join("out/orbit.csv"));
    let down: Vec<[f64; 2]> = table
        .lines()
        .filter(|line| line.starts_with("1,"))
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            [1, 4].map(|k| cells[k].parse().expect("a number"))
        })
        .collect();
    let turn = down.iter().map(|[p, _]| -p).fold(f64::INFINITY, f64::min);
    assert!((turn - std::f64::consts::PI / 3.0).abs() < 1e-5, "{turn}");
    assert!(down.last().is_some_and(|[p, radius]| *p < -1.1 && *radius > 1.5), "{down:?}");
}

/// Values that are refused are rows, the first of them too; where all are, the first says why.
#[test]
fn refused_values_are_rows() {
    let at = folder("dynamics-refused");
    let keys = "[dynamics]\nkind = \"bifurcation\"\nparameter = \"model.contact.0.restitution\"\nfrom = 1.2\nto = 0.8\npoints = 5\n\
        transient = 4\nperiods = 12\nsteps = 50\nrepeat = 1\n";
    let file = study(&at, "refused", keys);
    let said = percussion(&at, &["dynamics", &file, "--out", "diagram"]);
    assert!(said.code == 0 && said.out.contains("2 values failed, the first by E120"), "{} {}", said.out, said.err);
    let rows = text(&at.join("diagram/columns.csv"));
    assert_eq!(rows.matches(",refused,E120,").count(), 4, "{rows}");
    assert_eq!(rows.matches(",finished,").count(), 6, "{rows}");

    let said = percussion(&at, &["dynamics", &file, "--out", "exponents", "--set", "dynamics.kind=exponent"]);
    assert!(said.code == 0 && said.out.contains("5 values, 2 failed, the first by E120"), "{} {}", said.out, said.err);
    assert_eq!(text(&at.join("exponents/exponent.csv")).matches(",refused,E120,").count(), 2);

    let y = "dynamics.y={ parameter = \"model.q0.0\", from = 2.0, to = 0.0, points = 3 }";
    let basin = ["--set", "dynamics.kind=basin", "--set", y, "--out", "basin", "--json"];
    let said = percussion(&at, &[&["dynamics", file.as_str()], &basin[..]].concat());
    let json: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    // e = 1.2 and 1.1 of five, and starts behind the stop
    assert_eq!((said.code, json["failed"].as_u64()), (0, Some(12)), "{json} {}", said.err);

    let starts = ["--set", "dynamics.link=[{ key = \"model.q0.0\", factor = 0.0, add = 2.0 }]"];
    let said = percussion(&at, &[&["dynamics", file.as_str(), "--out", "behind"], &starts[..]].concat());
    assert!(said.code == 3 && said.err.contains("E1"), "{} {}", said.out, said.err);
    let said = percussion(&at, &["dynamics", &file, "--out", "none", "--set", "dynamics.to=1.1"]);
    assert!(said.code == 3 && said.err.contains("E120"), "{}", said.err);
    // the rows of one study are not those of another
    let said = percussion(&at, &["dynamics", &file, "--out", "diagram", "--set", "dynamics.kind=exponent"]);
    assert!(said.code == 3 && said.err.contains("another study"), "{}", said.err);
}

/// The book's basin: one slow orbit was two attractors, and half of the starts no cycle.
#[test]
fn a_slow_orbit_is_one_attractor() {
    let at = folder("dynamics-slow-basin");
    let keys = "[dynamics]\nkind = \"basin\"\nparameter = \"model.q0.0\"\nfrom = -3.0\nto = 0.5\npoints = 20\n\
        y = { parameter = \"model.v0.0\", from = -3.0, to = 3.0, points = 20 }\ntransient = 14\nperiods = 16\nsteps = 200\n";
    let file = study(&at, "basin", keys);
    let said = percussion(&at, &["dynamics", &file, "--out", "basin", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((said.code, json["no_cycle"].as_u64()), (0, Some(0)), "{json}");
    assert_eq!(json["attractors"], serde_json::json!([{ "cycle": 1, "starts": 400 }]), "{json}");
    let short = percussion(&at, &["dynamics", &file, "--out", "short", "--json", "--set", "dynamics.rounds=0"]);
    let json: serde_json::Value = serde_json::from_str(&short.out).expect("JSON");
    assert_eq!(json["attractors"].as_array().map(Vec::len), Some(1), "{json}");
    assert!(json["no_cycle"].as_u64().is_some_and(|n| n > 0), "{json}");
}

/// Studies that would fill the memory are refused before they begin.
#[test]
fn studies_of_any_size_are_refused() {
    let at = folder("dynamics-sizes");
    let file = study(&at, "large", "[dynamics]\nkind = \"spectrum\"\ntransient = 2\nperiods = 4\nsteps = 50\n");
    for (changes, key) in [
        (&["dynamics.periods=1000000000"][..], "dynamics.periods"),
        (&["dynamics.periods=1000000"], "dynamics.periods"),
        (&["dynamics.kind=section", "dynamics.periods=100000000"], "dynamics.periods"),
    ] {
        let mut words = vec!["dynamics", file.as_str(), "--out", "large"];
        changes.iter().for_each(|change| words.extend(["--set", change]));
        let said = percussion(&at, &words);
        assert!(said.code == 3 && said.err.contains("E173") && said.err.contains(key), "{changes:?}: {}", said.err);
    }
    let axis = "parameter = \"model.q0.0\"\nfrom = -3.0\nto = 0.5\npoints = 1000000\n";
    let y = axis.replace("q0", "v0").replace('\n', ", ");
    let keys = format!("[dynamics]\nkind = \"basin\"\n{axis}y = {{ {} }}\n", y.trim_end_matches(", "));
    let said = percussion(&at, &["dynamics", &study(&at, "starts", &keys), "--out", "starts"]);
    assert!(said.code == 3 && said.err.contains("starts are more than"), "{}", said.err);
}

/// A branch over the restitution goes on to its end, e = 1.
#[test]
fn a_branch_ends_with_the_range() {
    let at = folder("dynamics-range-end");
    let keys = "[dynamics]\nkind = \"orbit\"\nparameter = \"model.contact.0.restitution\"\nfrom = 0.7\nto = 1.0\npoints = 12\ntransient = 100\n";
    let said = percussion(&at, &["dynamics", &study(&at, "range", keys), "--out", "range", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let json: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(json["ends"], serde_json::json!([null, null]), "{json}");
    let rows = text(&at.join("range/orbit.csv"));
    let values: Vec<f64> = rows.lines().skip(1).filter_map(|row| row.split(',').nth(1)?.parse().ok()).collect();
    let most = values.iter().copied().fold(0.0, f64::max);
    assert!(most == 1.0 && values.contains(&0.7), "{values:?}");
}

/// What a scenario calls a coordinate is drawn, cut, varied and measured under that name.
#[test]
fn names_of_scenarios_are_understood() {
    let at = folder("dynamics-names");
    let scene = "name = \"rod\"\n[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, -9.81]\n[[body]]\nname = \"base\"\nfixed = true\n\
        contact = false\nshape = { kind = \"sphere\", radius = 0.01 }\n[[body]]\nname = \"bob\"\nshape = { kind = \"sphere\", radius = 0.1 }\n\
        mass = 1.0\ninertia = [0.005]\nposition = [0.3, -0.4]\n[[joint]]\nname = \"pin\"\nkind = \"revolute\"\na = \"base\"\nb = \"bob\"\n\
        anchor = [0.0, 0.0]\n[time]\nend = 1.0\nstep = 0.01\n";
    let dynamics = "[dynamics]\nkind = \"section\"\nperiod = 0.5\ntransient = 0\nperiods = 20\nsteps = 20\n";
    std::fs::write(at.join("rod.toml"), format!("{scene}{dynamics}")).expect("a scenario");
    for (key, value) in [
        ("draw", "body.1.angle"),
        ("draw", "bob.angle"),
        ("section", "body.1.angle > -0.6"),
        ("section", "bob.angular_velocity < 0"),
    ] {
        let set = format!("dynamics.{key}=\"{value}\"");
        let said = percussion(
            &at,
            &[
                "dynamics",
                "rod.toml",
                "--out",
                &format!("{key} {value}").replace(['.', ' ', '<', '>'], "-"),
                "--set",
                &set,
            ],
        );
        assert_eq!(said.code, 0, "{set}: {}", said.err);
    }
    // an entry of a list that the scenario leaves out
    let keys = ["kind=exponent", "parameter=\"body.1.angular_velocity.0\"", "from=0.0", "to=1.0", "points=2"];
    let mut words: Vec<String> = ["dynamics", "rod.toml", "--out", "varied"].map(String::from).to_vec();
    keys.iter().for_each(|key| words.extend(["--set".into(), format!("dynamics.{key}")]));
    let said = percussion(&at, &words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(said.code, 0, "{}", said.err);

    let sweep = |measure: &str| {
        let text = format!(
            "name = \"sweep\"\n[sweep]\nscenario = \"rod.toml\"\nmeasure = [{measure}]\n[[sweep.parameter]]\nkey = \"body.1.velocity.0\"\n\
             values = [0.0]\n"
        );
        std::fs::write(at.join("sweep.toml"), text).expect("a sweep");
        let _ = std::fs::remove_dir_all(at.join("swept"));
        percussion(&at, &["sweep", "sweep.toml", "--out", "swept"])
    };
    let said = sweep("\"max body.1.angle\", \"max q5\", \"last pin.value\", \"last q5\", \"max pin.fx\"");
    assert_eq!(said.code, 0, "{}", said.err);
    let row = text(&at.join("swept/sweep.csv"));
    let cells: Vec<f64> = row
        .lines()
        .nth(1)
        .map_or(Vec::new(), |row| row.split(',').skip(2).take(5).filter_map(|x| x.parse().ok()).collect());
    assert!(cells.len() == 5 && cells[0] == cells[1] && (cells[2] - cells[3]).abs() < 1e-12 && cells[4] > 0.0, "{row}");
    for wrong in ["max body.7.angle", "max pin.value2", "amplitude q0 at model.nothing"] {
        let said = sweep(&format!("\"{wrong}\""));
        assert!(said.code == 3 && said.err.contains("E170") && said.err.contains("measure"), "{wrong}: {}", said.err);
    }
}

/// A figure that stands alone says which scheme made it; the page says how far its points are from located ones.
#[test]
fn figures_say_what_made_them() {
    let at = folder("dynamics-figures");
    let file = study(&at, "diagram", &DIAGRAM.replace("points = 9", "points = 3"));
    let made = |scheme: &str| {
        let said = percussion(&at, &["dynamics", &file, "--out", scheme, "--quiet", "--scheme", scheme]);
        assert_eq!(said.code, 0, "{}", said.err);
        ["bifurcation.svg", "bifurcation.html"].map(|name| text(&at.join(scheme).join(name)))
    };
    let [figure, page] = made("moreau-jean");
    assert!(figure.contains("moreau-jean (theta = 0.5), 100 steps a period, 12 periods after 10"), "{figure}");
    assert!(page.contains("3 values repeated event-driven: distance of the points"), "no differences on the page");
    // steps that are as long as a tolerance allows are none that were asked for
    let [figure, _] = made("event-driven");
    assert!(figure.contains("event-driven (") && !figure.contains("steps a period"), "{figure}");
}

/// A Runge–Kutta scheme of fixed order that locates its events takes the steps of a period that are asked for.
#[test]
fn fixed_order_takes_the_steps_asked_for() {
    let at = folder("dynamics-fixed-order");
    let file = study(&at, "diagram", &DIAGRAM.replace("points = 9", "points = 3").replace("repeat = 3", "repeat = 6"));
    let said = percussion(&at, &["dynamics", &file, "--out", "out", "--json", "--scheme", "runge-kutta-moreau"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let json: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert!(json["distance_largest"].as_f64().is_some_and(|x| x < 1e-3), "{json}");
}

/// A parameter may be zero where the orbit is looked for, and the frequency of the drive may not.
#[test]
fn a_parameter_may_be_zero() {
    let at = folder("dynamics-zero");
    let scenario = "[model]\nkind = \"linear\"\nmass = [[1.0]]\ndamping = [[0.2]]\nstiffness = [[1.0]]\n\
        force = [{ sines = [{ amplitude = 1.0, omega = 2.2, phase = 0.0 }] }]\nq0 = [-0.5]\nv0 = [0.0]\n\
        [[model.contact]]\nnormal = [-1.0]\noffset = 0.1\nrestitution = 0.6\n[time]\nend = 1.0\nstep = 0.01\n\
        [dynamics]\nkind = \"orbit\"\nparameter = \"model.force.0.sines.0.phase\"\nfrom = -0.1\nto = 0.1\npoints = 4\ntransient = 60\n";
    std::fs::write(at.join("o.toml"), scenario).expect("a scenario");
    let said = percussion(&at, &["dynamics", "o.toml", "--out", "orbit"]);
    assert!(said.code == 0 && said.out.contains("an orbit of 1 period, 1 impact, stable"), "{} {}", said.out, said.err);
    let omega = ["--set", "dynamics.omega=model.force.0.sines.0.phase"];
    let said = percussion(&at, &["dynamics", "o.toml", "--out", "none", omega[0], omega[1]]);
    assert!(said.code == 3 && said.err.contains("dynamics.omega") && said.err.contains("is zero"), "{}", said.err);
}

/// Exponents of a motion that begins at rest on its table and leaves it are those of the motion behind; where every period ends in rest nothing is
/// left of what was before, and they are −∞.
#[test]
fn exponents_with_rest() {
    let at = folder("dynamics-rest-exponents");
    let scenario = |amplitude: f64, e: f64| {
        format!(
            "[model]\nkind = \"linear\"\nmass = [[1.0]]\ngravity = [-1.0]\nq0 = [0.0]\nv0 = [{amplitude}]\n\
             [[model.contact]]\nnormal = [1.0]\noffset = {{ sines = [{{ amplitude = {}, omega = 1.0, phase = 0.0 }}] }}\nrestitution = {e}\n\
             [time]\nend = 10.0\nstep = 0.1\n[dynamics]\nkind = \"exponent\"\ntransient = 40\nperiods = 60\n",
            -amplitude
        )
    };
    let cells = |name: &str, amplitude: f64, e: f64| {
        std::fs::write(at.join("s.toml"), scenario(amplitude, e)).expect("a scenario");
        let said = percussion(&at, &["dynamics", "s.toml", "--out", name, "--quiet"]);
        assert_eq!(said.code, 0, "{name}: {}", said.err);
        let table = text(&at.join(name).join("exponent.csv"));
        assert!(table.starts_with("value,parameter,exponent_1,exponent_2,impacts,skipped"), "{table}");
        let row = table.lines().nth(1).expect("a row").to_string();
        row.split(',').skip(2).take(3).map(|cell| cell.parse::<f64>().expect("a number")).collect::<Vec<_>>()
    };
    // one impact of e = 0.95 takes 2 ln e from the sum
    let found = cells("leaves", 2.0, 0.95);
    let expected = 2.0 * 0.95_f64.ln() * found[2] / (60.0 * 2.0 * std::f64::consts::PI);
    assert!(found[0].is_finite() && (found[0] + found[1] - expected).abs() < 1e-6, "{found:?} {expected}");
    let found = cells("rests", 1.5, 0.3);
    assert!(found[0] == f64::NEG_INFINITY && found[1] == f64::NEG_INFINITY && found[2] >= 60.0, "{found:?}");
}

/// Two processes cannot make the same study in the same folder: their rows would mix.
#[test]
fn a_study_is_made_by_one_process() {
    let at = folder("dynamics-two-processes");
    let file =
        study(&at, "diagram", &DIAGRAM.replace("points = 9", "points = 400").replace("steps = 100", "steps = 400"));
    let words = ["dynamics", &file, "--out", "out", "--quiet", "--threads", "1"];
    let mut running = common::program(&at).args(words).spawn().expect("the program");
    let written = || std::fs::read_to_string(at.join("out/part-up.csv")).map_or(0, |text| text.lines().count());
    while written() < 2 && running.try_wait().expect("a process").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let second = percussion(&at, &words);
    running.kill().expect("killed");
    running.wait().expect("gone");
    assert!(second.code == 7 && second.err.contains("another process"), "{} {}", second.code, second.err);
}

/// An orbit of two periods with one impact: where the wall comes nearer it is touched in the period without one, and there the branch ends.
#[test]
fn a_branch_ends_where_an_open_gap_is_touched() {
    let at = folder("dynamics-touched");
    let scenario = "[model]\nkind = \"linear\"\nmass = [[1.0]]\ndamping = [[0.2]]\nstiffness = [[1.0]]\n\
        force = [{ sines = [{ amplitude = 1.0, omega = 2.2, phase = 0.3 }] }]\nq0 = [0.0]\nv0 = [0.0]\n\
        [[model.contact]]\nnormal = [-1.0]\noffset = 0.5\nrestitution = 0.7\n[time]\nend = 1.0\nstep = 0.01\n\
        [dynamics]\nkind = \"orbit\"\nparameter = \"model.contact.0.offset\"\nfrom = 0.05\nto = 0.51\npoints = 24\ntransient = 100\n";
    std::fs::write(at.join("o.toml"), scenario).expect("a scenario");
    let said = percussion(&at, &["dynamics", "o.toml", "--out", "orbit", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let json: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    let lost = json["losses"].as_array().expect("a list").iter().find(|loss| loss[1] == "grazing");
    let p = lost.and_then(|loss| loss[0].as_f64()).unwrap_or_else(|| panic!("{json}"));
    // x(0) = x(2T) = p, v⁺ = −e v⁻, and x = p at the highest point between, solved in closed form
    assert!((p - 0.375_107_54).abs() < 1e-6, "{json}");
}

/// `--set` reaches the tables [dynamics] and [sensitivity] whole and key by key, and mistakes in them are told at the option.
///
/// The bug: `--set` of a whole [dynamics], and of anything in [sensitivity], was checked and then ignored.
#[test]
fn regression_set_reaches_tables_of_studies() {
    let at = folder("dynamics-set");
    let file = study(&at, "two", DIAGRAM);
    let set = "dynamics={kind=\"section\",section=\"impact\",periods=5}";
    let said = percussion(&at, &["dynamics", &file, "--set", set, "--out", "one"]);
    assert!(said.code == 0 && !at.join("one/part-up.csv").exists(), "{} {}", said.out, said.err);
    let file = study(&at, "by", "[sensitivity]\nof = [\"q0\"]\nwrt = [\"model.q0.0\"]\ntimes = [1.0]\n");
    let call = |set: &[&str]| {
        let mut words = vec!["sensitivity", file.as_str(), "--json", "--scheme", "event-driven", "--out", "s"];
        words.extend(set.iter().flat_map(|set| ["--set", set]));
        percussion(&at, &words)
    };
    for set in [
        &["sensitivity={of=[\"v1\"],wrt=[\"model.v0.1\"],times=[2.0]}"][..],
        &["sensitivity.of=[\"v1\"]", "sensitivity.wrt=[\"model.v0.1\"]", "sensitivity.times.0=2.0"],
    ] {
        let said = call(set);
        let json: serde_json::Value =
            serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{} {}", said.out, said.err));
        assert_eq!((&json["wrt"][0]["key"], &json["rows"][0]["of"]), (&"model.v0.1".into(), &"v1".into()), "{json}");
        assert_eq!(json["rows"][0]["t"].as_f64(), Some(2.0), "{json}");
    }
    let said = call(&["sensitivity.of=3"]);
    assert!(said.code == 3 && said.err.contains("sensitivity.of=3"), "{} {}", said.out, said.err);
}

/// A motion far too fast for its step: a mass of 1e-30 is refused in the end, one of 1e-8 goes on and hears SIGTERM inside a step.
///
/// The bug: both went on for ever, and only SIGKILL ended them.
#[cfg(unix)]
#[test]
fn fast_motions_end() {
    let at = folder("dynamics-fast");
    let keys = "[scheme]\nname = \"event-driven\"\n[dynamics]\nkind = \"section\"\ntransient = 20\nperiods = 50\n";
    let light =
        |mass: &str| TWO.replace("mass = [[1.0, 0.0], [0.0, 1.0]]", &format!("mass = [[{mass}, 0.0], [0.0, 1.0]]"));
    for (name, mass) in [("feather", "1e-30"), ("light", "1e-8")] {
        std::fs::write(at.join(format!("{name}.toml")), format!("{}{keys}", light(mass))).expect("a scenario");
    }
    let said = percussion(&at, &["dynamics", "feather.toml", "--out", "feather", "--quiet"]);
    assert!(said.code != 0 && said.err.contains("E205"), "{} {}", said.code, said.err);
    let mut running = common::program(&at)
        .args(["dynamics", "light.toml", "--out", "light", "--quiet"])
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program");
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert!(running.try_wait().expect("a process").is_none(), "it was not long enough");
    let told = std::process::Command::new("kill").args(["-TERM", &running.id().to_string()]).status();
    assert!(told.expect("kill").success());
    assert_eq!(running.wait().expect("an end").code(), Some(130));
}
