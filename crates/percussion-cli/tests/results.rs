//! Results people can use: templates that run, tables of what is chosen, any column against any other, other programs' formats.

mod common;
use common::{folder, percussion, run};
use std::collections::BTreeSet;
use std::path::Path;

/// The lines of a file.
fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(String::from).collect()
}

/// Every template runs as it is and every certificate of it passes or reports; none is written over another file.
#[test]
fn templates_run() {
    let folder = folder("templates");
    for kind in ["ball", "bodies", "mechanism", "solid", "formula"] {
        let said = percussion(&folder, &["new", kind, "--template", kind]);
        assert_eq!(said.code, 0, "{}", said.err);
        let summary = run(&folder, &format!("{kind}.toml"), &format!("run-{kind}"), &[]);
        assert_eq!(summary["scenario"], kind);
        for (name, verdict) in summary["verdicts"].as_object().expect("verdicts") {
            let status = verdict["status"].as_str().expect("a status");
            assert!(["pass", "report", "none"].contains(&status), "{kind}: {name} {verdict}");
        }
        assert_eq!(percussion(&folder, &["new", kind, "--template", kind]).code, 7);
    }
    assert_eq!(percussion(&folder, &["new", "x", "--template", "rocket"]).code, 2);
    assert_eq!(percussion(&folder, &["new", "x", "--template", "ball", "--from", "brick"]).code, 2);
}

/// A copy of a scenario has its own name and the same motion; `show` prints what is written, or all that is used.
#[test]
fn copies_and_texts() {
    let folder = folder("copies");
    assert_eq!(percussion(&folder, &["new", "mine", "--from", "brick"]).code, 0);
    let (mine, brick) =
        (run(&folder, "mine.toml", "a", &["--end", "0.5"]), run(&folder, "brick", "b", &["--end", "0.5"]));
    assert_eq!(mine["scenario"], "mine");
    assert_eq!(mine["state_hash"], brick["state_hash"]);
    assert_eq!(percussion(&folder, &["new", "again", "--from", "mine.toml"]).code, 0);
    assert_eq!(lines(&folder.join("again.toml")).len(), lines(&folder.join("mine.toml")).len());

    let shown = percussion(&folder, &["show", "brick"]);
    assert!(shown.code == 0 && shown.out.starts_with("# A brick thrown"), "{}", shown.out);
    let resolved = percussion(&folder, &["show", "brick", "--resolved"]);
    std::fs::write(folder.join("resolved.toml"), &resolved.out).expect("written");
    assert_eq!(run(&folder, "resolved.toml", "c", &["--end", "0.5"])["state_hash"], brick["state_hash"]);
    assert_eq!(percussion(&folder, &["show", "brik"]).code, 3);
}

/// Built-in solids are copied with their meshes and run from the copy as they do by name.
#[test]
fn copies_of_solids() {
    let folder = folder("solids");
    for name in percussion::scenario::builtin::SOLIDS {
        let said = percussion(&folder, &["new", &format!("my-{name}"), "--from", name]);
        assert!(said.code == 0 && !said.out.contains("does not run"), "{name}: {} {}", said.out, said.err);
        assert!(folder.join(format!("my-{name}.msh")).is_file(), "{name}");
    }
    let (mine, own) = (run(&folder, "my-periodic-bar.toml", "a", &[]), run(&folder, "periodic-bar", "b", &[]));
    assert_eq!(mine["state_hash"], own["state_hash"]);
    assert_eq!(percussion(&folder, &["new", "my-bracket", "--from", "bracket"]).code, 7);
}

/// `output.select` keeps columns, contacts and joints by name; the run is the same, and what cannot be told from parts is said.
#[test]
fn chosen_tables() {
    let folder = folder("chosen");
    percussion(&folder, &["new", "linkage", "--template", "mechanism"]);
    let whole = run(&folder, "linkage.toml", "whole", &[]);
    let select = "output.select=[\"crank.theta\", \"rocker*\", \"v3\"]";
    let part = run(&folder, "linkage.toml", "part", &["--set", select]);
    assert_eq!(whole["state_hash"], part["state_hash"]);
    assert_eq!(whole["verdicts"], part["verdicts"]);
    let [all, some] = ["whole", "part"].map(|name| lines(&folder.join(name).join("trajectory.csv")));
    assert_eq!(some[0], "t,q5,q9,q10,q11,v3,v9,v10,v11");
    assert_eq!(all.len(), some.len());
    let cells = |line: &str, names: &str, wanted: &str| -> Vec<String> {
        let places = wanted.split(',').map(|name| names.split(',').position(|other| other == name).expect("a column"));
        let cells: Vec<&str> = line.split(',').collect();
        places.map(|place| cells[place].to_string()).collect()
    };
    for (whole, part) in all.iter().zip(&some).skip(1) {
        assert_eq!(cells(whole, &all[0], &some[0]).join(","), *part);
    }
    assert_eq!(
        lines(&folder.join("whole/contacts.csv")),
        lines(&folder.join("part/contacts.csv")),
        "the stop is the rocker's"
    );
    for table in ["joints.csv", "reactions.csv"] {
        let rows = lines(&folder.join("part").join(table));
        assert!(rows.len() > 100 && rows[1..].iter().all(|row| row.contains("rocker ")), "{table}");
    }
    let names = lines(&folder.join("part/names.csv"));
    assert_eq!(names[..2], ["kind,column,name,unit", "coordinate,q5,crank.theta,rad"]);
    assert!(names.contains(&"joint,rocker pin,rocker pin,rad".to_string()), "{names:?}");
    assert!(names.iter().any(|line| line.starts_with("contact,") && line.contains("rocker bearing")), "{names:?}");

    let verified = percussion(&folder, &["verify", "part"]);
    assert!(verified.code == 0 && verified.out.contains("output.select keeps 8 of 24"), "{}", verified.out);
    let from = percussion(&folder, &["run", "linkage.toml", "--from", "part", "--out", "on"]);
    assert!(from.code == 7 && from.err.contains("E301"), "{} {}", from.code, from.err);
    let page = std::fs::read_to_string(folder.join("part/report.html")).expect("a page");
    assert!(page.contains("crank.theta"));
    // events are about the whole model, and so are the names of their contacts, on the page too
    run(&folder, "linkage.toml", "crank", &["--set", "output.select=[\"crank.theta\"]"]);
    let touched = |row: &String| row.split(',').nth(3).expect("a contact").to_string();
    let events: Vec<String> = lines(&folder.join("crank/events.csv"))[1..].iter().map(touched).collect();
    let names = lines(&folder.join("crank/names.csv"));
    assert!(!events.is_empty());
    for id in &events {
        assert!(names.contains(&format!("contact,{id},rocker bearing 1,rad")), "{id}: {names:?}");
    }
    let page = std::fs::read_to_string(folder.join("crank/report.html")).expect("a page");
    assert!(page.contains("rocker bearing 1") && !page.contains(&format!("contact {}", events[0])));
    // a name that means nothing, with the one that was meant
    let wrong = percussion(&folder, &["check", "linkage.toml", "--set", "output.select=[\"crunk.theta\"]"]);
    assert!(wrong.code == 3 && wrong.err.contains("E154") && wrong.err.contains("crank.theta"), "{}", wrong.err);
    // contacts of bodies by either body
    let piled = run(&folder, "box-pile", "pile", &["--end", "0.2", "--set", "output.select=[\"floor.contact\"]"]);
    assert!(piled["steps"].as_u64().is_some_and(|n| n > 0));
    let touches = lines(&folder.join("pile/contacts.csv"));
    let (a, b) = (
        touches[0].split(',').position(|c| c == "body_a").expect("a"),
        touches[0].split(',').position(|c| c == "body_b").expect("b"),
    );
    for row in &touches[1..] {
        let cells: Vec<&str> = row.split(',').collect();
        assert!(cells[a] == "floor" || cells[b] == "floor", "{row}");
    }
    // the events of these contacts, counts of all
    let whole = run(&folder, "box-pile", "all", &["--end", "0.2"]);
    assert_eq!(whole["events"], piled["events"]);
    let contact = |row: &str| row.split(',').nth(3).map(String::from).expect("a contact");
    let [all, kept] = ["all", "pile"].map(|name| lines(&folder.join(name).join("events.csv")));
    let rows = |name: &str| lines(&folder.join(name).join("contacts.csv"));
    let on_floor: BTreeSet<String> =
        rows("pile")[1..].iter().map(|row| row.split(',').nth(2).map(String::from).expect("a contact")).collect();
    let theirs: Vec<&String> = all[1..].iter().filter(|row| on_floor.contains(&contact(row))).collect();
    assert!(theirs.len() > 3 && all.len() > theirs.len() + 1, "{} of {}", theirs.len(), all.len());
    assert!(kept[1..].iter().eq(theirs));
}

/// Contacts are followed while they approach: the gap falls evenly until the step in which the contact takes part.
#[test]
fn approaching_contacts() {
    let folder = folder("approach");
    run(&folder, "bouncing-ball", "ball", &["--end", "0.6"]);
    percussion(&folder, &["new", "scene", "--template", "bodies"]);
    run(&folder, "scene.toml", "scene", &[]);
    for (name, least) in [("ball", 15), ("scene", 40)] {
        let gaps = lines(&folder.join(name).join("gaps.csv"));
        assert_eq!(gaps[0], "step,t,contact,gap,u_n");
        assert!(gaps.len() > least, "{name}: {} rows", gaps.len());
        let active: Vec<(String, String)> = lines(&folder.join(name).join("contacts.csv"))[1..]
            .iter()
            .map(|row| row.split(',').map(String::from).collect::<Vec<_>>())
            .map(|row| (row[0].clone(), row[2].clone()))
            .collect();
        for row in &gaps[1..] {
            let cells: Vec<&str> = row.split(',').collect();
            let (gap, u): (f64, f64) = (cells[3].parse().expect("g"), cells[4].parse().expect("u"));
            assert!(gap > 0.0 && u < 0.0 && gap <= -20.0 * 2e-3 * u * (1.0 + 1e-12), "{row}");
            assert!(!active.contains(&(cells[0].to_string(), cells[2].to_string())), "{row} is in both tables");
        }
    }
}

/// A run cut off and gone on with has the same chosen tables and names.
#[test]
fn chosen_tables_go_on() {
    let folder = folder("chosen-on");
    let select = "output.select=[\"q0\", \"contact 0\"]";
    run(&folder, "two-mass-oscillator", "short", &["--end", "0.5", "--set", select]);
    assert_eq!(percussion(&folder, &["resume", "short", "--end", "1.0", "--quiet"]).code, 0);
    run(&folder, "two-mass-oscillator", "long", &["--end", "1.0", "--set", select]);
    for table in ["trajectory.csv", "contacts.csv", "names.csv"] {
        assert_eq!(lines(&folder.join("short").join(table)), lines(&folder.join("long").join(table)), "{table}");
    }
    assert_eq!(lines(&folder.join("long/trajectory.csv"))[0], "t,q0");
}

/// Phase portraits, forces over displacements, reactions by joint, a part of the time; SVG, PNG and PDF.
#[test]
fn any_column_against_any_other() {
    let folder = folder("columns");
    percussion(&folder, &["new", "linkage", "--template", "mechanism"]);
    run(&folder, "linkage.toml", "run", &[]);
    run(&folder, "bouncing-ball", "ball", &[]);
    let plots: [(&[&str], &str); 12] = [
        (&["ball", "--x", "q0", "--y", "v0"], "phase.svg"),
        (&["ball", "--x", "q0", "--y", "energy,kinetic"], "energy.pdf"),
        (&["ball", "--x", "gap", "--y", "p_n"], "gap.svg"),
        (&["run", "--y", "reactions.fx,reactions.fy", "--only", "crank pin", "--time", "0.2,0.6"], "pin.svg"),
        (&["run", "--x", "value", "--y", "rate", "--only", "main bearing"], "joint.png"),
        (&["run", "--x", "joints.value", "--y", "reactions.fx", "--only", "rocker pin"], "loop.svg"),
        (&["run", "--figure", "positions", "--only", "crank.x,rocker.x", "--time", "0,0.5"], "some.svg"),
        (&["run", "--figure", "positions", "--only", "crank"], "units.svg"),
        (&["run", "--figure", "reactions"], "reactions.png"),
        (&["run", "--figure", "joints"], "joints.pdf"),
        (&["run", "--y", "crank.theta,joints.value,crank.x"], "panels.svg"),
        (&["run", "--y", "f_n", "--time", "0,0.5"], "touches.svg"),
    ];
    for (words, out) in plots {
        let mut arguments = vec!["plot"];
        arguments.extend_from_slice(words);
        arguments.extend(["--out", out]);
        let said = percussion(&folder, &arguments);
        assert_eq!(said.code, 0, "{arguments:?}: {}", said.err);
        let bytes = std::fs::read(folder.join(out)).expect("a figure");
        let start: &[u8] = if out.ends_with("svg") {
            b"<svg"
        } else if out.ends_with("png") {
            b"\x89PNG"
        } else {
            b"%PDF"
        };
        assert!(bytes.starts_with(start) && bytes.len() > 2000, "{out}");
    }
    let some = std::fs::read_to_string(folder.join("some.svg")).expect("text");
    assert!(some.contains("crank.x") && some.contains("rocker.x") && !some.contains("coupler"), "{some}");
    let pin = std::fs::read_to_string(folder.join("pin.svg")).expect("text");
    assert!(pin.contains("crank pin") && !pin.contains("main bearing"));
    let turned = std::fs::read_to_string(folder.join("loop.svg")).expect("text");
    assert!(turned.contains("angle [rad]</text>") && !turned.contains(">value"), "{turned}");
    // metres and radians share no axis
    for name in ["units.svg", "panels.svg"] {
        let text = std::fs::read_to_string(folder.join(name)).expect("text");
        assert_eq!(text.matches("<svg").count(), 3, "two panels in a drawing: {text}");
        assert!(text.contains("[rad]</text>") && text.contains("[m]</text>"), "{text}");
    }
    // the rocker bounces off its stop twice before 0.5 s: two marks, and no line from one to the other
    let touches = std::fs::read_to_string(folder.join("touches.svg")).expect("text");
    let curves: Vec<&str> =
        touches.lines().filter(|line| line.contains("<path class=\"c0") && line.contains("<title>")).collect();
    assert!(curves.iter().any(|curve| curve.matches('z').count() == 2), "{curves:?}");
    assert!(curves.iter().all(|curve| curve.matches('M').count() >= 2), "{curves:?}");
    let refused: [&[&str]; 9] = [
        &["plot", "ball", "--figure", "reactions", "--out", "x.svg"],
        &["plot", "ball", "--y", "q0", "--only", "no such contact", "--out", "x.svg"],
        &["plot", "run", "--y", "fx", "--only", "crank pin,no such joint", "--out", "x.svg"],
        &["plot", "ball", "--y", "speed", "--out", "x.svg"],
        &["plot", "run", "--y", "fx", "--only", "no such joint", "--out", "x.svg"],
        &["plot", "ball", "--out", "x.svg"],
        &["plot", "ball", "--figure", "energy", "--y", "q0", "--out", "x.svg"],
        &["plot", "ball", "--y", "q0", "--time", "2,1", "--out", "x.svg"],
        &["plot", "ball", "--y", "q0", "--out", "x.gif"],
    ];
    for arguments in refused {
        let said = percussion(&folder, arguments);
        assert!(matches!(said.code, 2 | 3), "{arguments:?}: {} {}", said.code, said.err);
        assert!(!folder.join("x.svg").exists(), "{arguments:?}");
    }
    let said = percussion(&folder, &["plot", "run", "--figure", "positions", "--only", "no such", "--out", "x.svg"]);
    assert!(said.code == 3 && said.err.contains("= --only:") && !said.err.contains("output.select"), "{}", said.err);
}

/// What teeth and a stop of a hinge do is measured in angles and moments, and penetration by the play they have; of many curves a legend
/// names some.
#[test]
fn angles_are_told_as_angles() {
    let folder = folder("angles");
    percussion(&folder, &["new", "linkage", "--template", "mechanism"]);
    run(&folder, "linkage.toml", "linkage", &["--end", "0.5"]);
    run(&folder, "gear-backlash", "gears", &["--end", "0.7"]);
    run(&folder, "slider-crank", "crank", &["--end", "0.01"]);
    let page = |name: &str| std::fs::read_to_string(folder.join(name).join("report.html")).expect("a page");
    let linkage = page("linkage");
    for words in ["u before [rad/s]", "p [N m s]", "smallest gap [rad]", "g [rad]"] {
        assert!(linkage.contains(words), "{words}");
    }
    assert!(!linkage.contains("g [m]") && !linkage.contains("u before [m/s]"));
    let gears = page("gears");
    // 0.04 rad of backlash; the wheels touch as discs, too
    for words in ["of the play of teeth (0.04\u{a0}rad)", "g [m]", "g [rad]", "u before [m/s or rad/s]", "u_T [rad/s]"]
    {
        assert!(gears.contains(words), "{words}");
    }
    // the discs carry nothing, so that there is no impulse of a force
    assert!(gears.contains("p [N m s]") && !gears.contains("p [N s]"), "impulses of teeth are those of moments");
    let names = lines(&folder.join("gears/names.csv"));
    assert!(names.iter().any(|line| line.starts_with("contact,") && line.ends_with(",teeth 0,rad")), "{names:?}");
    assert!(page("crank").contains("of the play of guide (0.001\u{a0}m)"), "the slider has a millimetre");

    // a node that touches nothing has its name, too
    run(&folder, "elastic-disc", "disc", &["--end", "1e-3"]);
    assert!(!page("disc").contains("\"contact "), "no number where a node has a name");
    run(&folder, "elastic-bar", "bar", &["--end", "0.2"]);
    let plot = ["plot", "bar", "--figure", "positions", "--only", "node1*", "--out", "bar.svg"];
    assert_eq!(percussion(&folder, &plot).code, 0);
    let drawn = std::fs::read_to_string(folder.join("bar.svg")).expect("a figure");
    assert!(drawn.contains(">and 91 more</text>"), "111 nodes, of which 20 are named");
    // a copy of the tables is whole
    assert_eq!(percussion(&folder, &["export", "crank", "--to", "csv", "--out", "tables"]).code, 0);
    for table in ["names.csv", "gaps.csv", "reactions.csv", "joints.csv", "momentum.csv"] {
        let [from, to] = ["crank", "tables"].map(|at| std::fs::read(folder.join(at).join(table)).expect("a table"));
        assert!(from == to && !to.is_empty(), "{table}");
    }
    assert_eq!(percussion(&folder, &["export", "crank", "--to", "csv", "--out", "tables"]).code, 0, "once more");
}

/// Thirty seconds of vibration are drawn where single periods can be seen; a few bounces are drawn whole.
#[test]
fn a_block_of_ink_is_not_drawn() {
    let folder = folder("window");
    let text = "[model]\nkind = \"linear\"\nmass = [[1.0]]\nstiffness = [[4e4]]\nq0 = [0.01]\n[time]\nend = 30.0\nstep = 1e-3\n";
    std::fs::write(folder.join("hum.toml"), text).expect("written");
    run(&folder, "hum.toml", "hum", &[]);
    run(&folder, "bouncing-ball", "ball", &[]);
    let said = percussion(&folder, &["plot", "hum", "--figure", "positions", "--out", "hum.svg"]);
    assert!(said.code == 0 && said.out.contains("shown: 0.0000 s to "), "{}", said.out);
    let whole = percussion(&folder, &["plot", "hum", "--figure", "positions", "--time", "0,30", "--out", "hum.svg"]);
    assert!(whole.code == 0 && !whole.out.contains("shown"), "{}", whole.out);
    let ball = percussion(&folder, &["plot", "ball", "--figure", "positions", "--out", "ball.svg"]);
    assert!(ball.code == 0 && !ball.out.contains("shown"), "{}", ball.out);
}

/// Figures show what moves: gaps of balls from the start on and not only while they touch, nothing of friction where there is none, and the
/// unit of a stop that is an angle.
#[test]
fn no_figure_of_zeros() {
    let folder = folder("zeros");
    run(&folder, "newtons-cradle", "cradle", &[]);
    let page = std::fs::read_to_string(folder.join("cradle/report.html")).expect("a page");
    assert!(
        !page.contains(">Sliding<") && !page.contains(">Friction<") && page.contains("is exactly zero in every step")
    );
    assert_eq!(percussion(&folder, &["plot", "cradle", "--figure", "gaps", "--out", "gaps.svg"]).code, 0);
    let gaps = std::fs::read_to_string(folder.join("gaps.svg")).expect("a figure");
    assert!(gaps.contains(">0.2<"), "the gap of the ball that is thrown is 0.2 m at the start: {gaps}");
    percussion(&folder, &["new", "linkage", "--template", "mechanism"]);
    run(&folder, "linkage.toml", "linkage", &["--end", "0.5"]);
    let page = std::fs::read_to_string(folder.join("linkage/report.html")).expect("a page").replace('\u{a0}', " ");
    let words = "Deepest penetration 0.001003 rad, 0.084 % of the way between the stops of rocker bearing (1.2 rad).";
    assert!(page.contains(words) && page.contains("rocker bearing 1 [rad]") && !page.contains(">Sliding<"));
    let said = percussion(&folder, &["plot", "linkage", "--y", "f_n", "--out", "stop.svg"]);
    let stop = std::fs::read_to_string(folder.join("stop.svg")).expect("a figure");
    assert!(said.code == 0 && stop.contains("f_n [N m]"), "{}", said.err);
}

/// The tables as one HDF5 file, cell by cell.
#[test]
fn hdf5_tables() {
    let folder = folder("hdf5");
    run(&folder, "bouncing-ball", "run", &["--end", "0.6", "--format", "hdf5"]);
    let file = hdf5_pure::File::open(folder.join("run/run.h5")).expect("HDF5");
    let q0 = file.dataset("trajectory/q0").and_then(|data| data.read_f64()).expect("a column");
    let steps = file.dataset("ledger/step").and_then(|data| data.read_i64()).expect("a column");
    let rows = lines(&folder.join("run/trajectory.csv"));
    assert_eq!((q0.len(), steps.len()), (rows.len() - 1, rows.len() - 1));
    for (k, row) in rows[1..].iter().enumerate() {
        let cell: f64 = row.split(',').nth(1).expect("q0").parse().expect("a number");
        assert_eq!(cell.to_bits(), q0[k].to_bits());
        assert_eq!(steps[k], k as i64);
    }
    let said = percussion(&folder, &["export", "run", "--to", "hdf5", "--out", "there"]);
    assert!(said.code == 0 && folder.join("there/run.h5").is_file(), "{}", said.err);
}

/// The numbers of a row.
fn numbers(row: &str) -> Vec<f64> {
    row.split(',').map(|cell| cell.parse().expect("a number")).collect()
}

/// The numbers of an array of a file for ParaView.
fn array(text: &str, name: &str) -> Vec<f64> {
    let (_, rest) = text.split_once(&format!("Name=\"{name}\"")).expect("an array");
    let (_, rest) = rest.split_once('>').expect("numbers");
    let (data, _) = rest.split_once('<').expect("an end");
    data.split_whitespace().map(|word| word.parse().expect("a number")).collect()
}

/// Three bricks that lie on each other, by what is chosen for them.
const BRICKS: &str = "[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, -9.81]\nfriction = 0.5\n\
    [[body]]\nname = \"floor\"\nshape = { kind = \"plane\" }\nfixed = true\n\
    [[body]]\nname = \"low\"\nshape = { kind = \"box\", size = [0.2, 0.2, 0.1] }\nposition = [0.0, 0.0, 0.05]\ndensity = 1000.0\n\
    [[body]]\nname = \"high\"\nshape = { kind = \"box\", size = [0.2, 0.2, 0.1] }\nposition = [0.01, 0.0, 0.15]\ndensity = 1000.0\n\
    [[body]]\nname = \"top\"\nshape = { kind = \"box\", size = [0.2, 0.2, 0.1] }\nposition = [0.0, 0.0, 0.25]\ndensity = 1000.0\n\
    [time]\nend = 0.05\nstep = 1e-3\n";

/// The impulses of contacts.csv with the tangents the book states add up to what floor and walls have given a pile.
#[test]
fn forces_add_up() {
    const WALLS: [&str; 5] = ["floor", "west", "east", "south", "north"];
    let folder = folder("sums");
    run(&folder, "box-pile", "pile", &["--end", "0.6"]);
    let contacts = lines(&folder.join("pile/contacts.csv"));
    let column = |name: &str| contacts[0].split(',').position(|n| n == name).expect("a column");
    let momentum = lines(&folder.join("pile/momentum.csv"));
    let at = momentum[0].split(',').position(|n| n == "contact_px").expect("a column");
    let given = numbers(momentum.last().expect("a row"))[at..at + 3].to_vec();
    let (mut sum, mut sideways) = ([0.0; 3], 0.0);
    for row in &contacts[1..] {
        let cells: Vec<&str> = row.split(',').collect();
        let of = |names: [&str; 3]| names.map(|name| cells[column(name)].parse::<f64>().expect("a number"));
        let [a, b] = ["body_a", "body_b"].map(|name| WALLS.contains(&cells[column(name)]));
        if a == b {
            continue;
        }
        let side = if b { 1.0 } else { -1.0 };
        let ([x, y, z], p) = (of(["nx", "ny", "nz"]), of(["p_n", "p_t1", "p_t2"]));
        let s = if z < -1e-4 { -1.0 } else { 1.0 };
        let a = -1.0 / (s + z);
        let b = x * y * a;
        let axes = [[x, y, z], [1.0 + s * x * x * a, s * b, -s * x], [b, s + y * y * a, -y]];
        for k in 0..3 {
            sum[k] += side * (0..3).map(|j| p[j] * axes[j][k]).sum::<f64>();
        }
        sideways += p[1].abs() + p[2].abs();
    }
    let size = given.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!(size > 0.0 && sideways > 0.0, "{given:?} {sideways}");
    assert!(given.iter().zip(&sum).all(|(a, b)| (a - b).abs() < 1e-9 * size), "{given:?} {sum:?}");
}

/// A part of the time without a state is refused with the run's times; what is shown in part is not called whole; reasons are no parameters.
#[test]
fn parts_of_the_time() {
    let folder = folder("parts");
    run(&folder, "bouncing-ball", "ball", &["--end", "1"]);
    let late = ["--time", "3,4"];
    let said = percussion(&folder, &[&["report", "ball", "--out", "late.html"][..], &late].concat());
    let told = "no stored state lies between 3 s and 4 s: those of the run go from 0 s to 1 s";
    assert!(said.code != 0 && said.err.contains("E172") && said.err.contains(told), "{}", said.err);
    let said = percussion(&folder, &[&["plot", "ball", "--figure", "gaps", "--out", "late.svg"][..], &late].concat());
    assert!(said.code != 0 && said.err.contains("E172") && said.err.contains(told), "{}", said.err);
    assert!(!folder.join("late.html").exists() && !folder.join("late.svg").exists());
    for (time, cut) in [("0.2,0.5", true), ("0,1", false)] {
        assert_eq!(percussion(&folder, &["report", "ball", "--time", time, "--out", "part.html"]).code, 0);
        let page = std::fs::read_to_string(folder.join("part.html")).expect("a page");
        assert_eq!(page.contains("\"window\":[0.2,0.5]"), cut, "{time}");
    }
    std::fs::write(folder.join("bricks.toml"), BRICKS).expect("written");
    run(&folder, "bricks.toml", "bricks", &[]);
    assert_eq!(percussion(&folder, &["report", "bricks", "--out", "bricks.html"]).code, 0);
    let page = std::fs::read_to_string(folder.join("bricks.html")).expect("a page");
    assert!(page.contains("scheme chosen") && !page.contains("chosen = "));
}

/// A step that is not solved names its contacts by the bodies.
#[test]
fn unsolved_contacts_have_names() {
    let folder = folder("unsolved");
    std::fs::write(folder.join("bricks.toml"), BRICKS).expect("written");
    let hard = ["--set", "solver.tolerance=1e-15", "--set", "solver.max_iterations=1"];
    let said = percussion(&folder, &[&["run", "bricks.toml", "--out", "bricks"][..], &hard].concat());
    assert!(said.code != 0 && said.err.contains("E200"), "{}", said.err);
    assert!(said.err.contains("frictional contacts floor – "), "{}", said.err);
}

/// Contacts and joints for ParaView: points, forces and chains in every frame, listed beside the surfaces.
#[test]
fn forces_for_paraview() {
    let folder = folder("forces");
    percussion(&folder, &["new", "linkage", "--template", "mechanism"]);
    run(&folder, "linkage.toml", "run", &["--end", "0.5"]);
    assert_eq!(percussion(&folder, &["export", "run", "--to", "vtk", "--out", "vtk"]).code, 0);
    let index = lines(&folder.join("vtk/run.pvd"));
    for part in ["part=\"0\"", "part=\"1\"", "part=\"2\""] {
        assert_eq!(index.iter().filter(|line| line.contains(part)).count(), 501, "{part}");
    }
    let joints = std::fs::read_to_string(folder.join("vtk/frames/joints-00300.vtp")).expect("joints");
    assert!(joints.contains("NumberOfPoints=\"4\"") && joints.contains("Name=\"force\""), "{joints}");
    assert!(!joints.contains("Name=\"none\""), "{joints}");
    // reactions act at the pins: the ends of crank and rocker, 0.1 m from their centres
    let state = numbers(&lines(&folder.join("run/trajectory.csv"))[301]);
    let names = lines(&folder.join("run/trajectory.csv"))[0].split(',').map(String::from).collect::<Vec<_>>();
    let named = lines(&folder.join("run/names.csv"));
    let of = |name: &str| {
        let row = named.iter().find(|row| row.split(',').nth(2) == Some(name)).expect("a name");
        let column = row.split(',').nth(1).expect("a column");
        state[names.iter().position(|n| n == column).expect("a column")]
    };
    let end = |body: &str, side: f64| {
        let [x, y, angle] = ["x", "y", "theta"].map(|part| of(&format!("{body}.{part}")));
        [x + side * 0.1 * angle.cos(), y + side * 0.1 * angle.sin(), 0.0]
    };
    let pins = [end("crank", -1.0), end("crank", 1.0), end("rocker", 1.0), end("rocker", -1.0)];
    let places = array(&joints, "points");
    assert!(pins.as_flattened().iter().zip(&places).all(|(a, b)| (a - b).abs() < 1e-9), "{pins:?} {places:?}");
    // force and moment are those of the table, as vectors
    let rows = lines(&folder.join("run/reactions.csv"));
    let rows: Vec<&String> = rows.iter().filter(|row| row.starts_with("300,")).collect();
    let (force, moment) = (array(&joints, "force"), array(&joints, "moment"));
    assert_eq!((rows.len(), force.len(), moment.len()), (4, 12, 12));
    for (k, row) in rows.iter().enumerate() {
        let cells: Vec<f64> = row.split(',').skip(3).take(6).map(|cell| cell.parse().expect("a number")).collect();
        assert_eq!((&cells[..3], &cells[3..]), (&force[3 * k..3 * k + 3], &moment[3 * k..3 * k + 3]), "{row}");
    }
    run(&folder, "box-pile", "pile", &["--end", "0.3"]);
    assert_eq!(percussion(&folder, &["export", "pile", "--to", "vtk", "--out", "piled"]).code, 0);
    let frames =
        std::fs::read_dir(folder.join("piled/frames")).expect("frames").map(|entry| entry.expect("an entry").path());
    let last = frames.filter(|path| path.to_string_lossy().contains("contacts-")).max().expect("contacts");
    let last = std::fs::read_to_string(last).expect("contacts");
    assert!(last.contains("chain_force") && !last.contains("NumberOfLines=\"0\"") && !last.contains("NaN"), "{last}");
}

/// A body without a shape is seen on the page and in ParaView: the box of its mass and inertia, and rods to what holds it.
#[test]
fn bodies_without_a_shape_are_seen() {
    let folder = folder("shapeless");
    let scene = "[model]\nkind = \"bodies\"\n[[body]]\nname = \"racket\"\nmass = 0.3\ninertia = [1e-3, 2e-3, 3e-3]\n\
                 angular_velocity = [0.01, 10.0, 0.01]\n[time]\nend = 0.1\nstep = 1e-3\n";
    let held = "[[body]]\nname = \"wall\"\nfixed = true\n[[joint]]\nname = \"pin\"\nkind = \"revolute\"\na = \"wall\"\nb = \"racket\"\n\
                anchor = [0.5, 0.0, 0.0]\n[time]";
    let still = scene.replace("angular_velocity = [0.01, 10.0, 0.01]\n", "").replace("[time]", held);
    for (name, text, points) in [("free", scene, 8), ("held", &still, 16)] {
        std::fs::write(folder.join(format!("{name}.toml")), text).expect("written");
        run(&folder, &format!("{name}.toml"), name, &[]);
        let page = std::fs::read_to_string(folder.join(name).join("report.html")).expect("a page");
        assert!(page.contains("drawn as boxes of their mass and inertia"), "{name}");
        assert_eq!(percussion(&folder, &["export", name, "--to", "vtk", "--out", &format!("{name}-vtk")]).code, 0);
        let frame = folder.join(format!("{name}-vtk/frames/frame-00000.vtp"));
        let frame = std::fs::read_to_string(frame).expect("a frame");
        assert!(frame.contains(&format!("NumberOfPoints=\"{points}\"")), "{name}: {frame}");
        // the box of edges 28.3, 20 cm and none about the third axis
        let places = array(&frame, "points");
        let reach = |k: usize| places[k..24].iter().step_by(3).fold(0.0, |a: f64, x| a.max(x.abs()));
        assert!((reach(0) - 0.5 * 0.08_f64.sqrt()).abs() < 1e-12 && (reach(1) - 0.1).abs() < 1e-12, "{places:?}");
    }
}

/// Coordinates of matrices are lengths, or what `units` says of them; `coordinates` names them in tables and figures. Names that are not one
/// each are refused.
#[test]
fn names_and_units_of_matrices() {
    let folder = folder("matrix-names");
    run(&folder, "two-mass-oscillator", "plain", &["--end", "0.5"]);
    let plain = lines(&folder.join("plain/names.csv"));
    assert_eq!(
        plain,
        [
            "kind,column,name,unit",
            "coordinate,q0,q0,m",
            "coordinate,q1,q1,m",
            "velocity,v0,v0,m/s",
            "velocity,v1,v1,m/s",
            "contact,0,contact 0,m"
        ]
    );
    let text = |names: &str| {
        format!(
            "name = \"crank\"\n[model]\nkind = \"linear\"\nmass = [[1.0, 0.0], [0.0, 0.1]]\nforce = [-10.0, 0.0]\nq0 = [0.1, 0.2]\n{names}\n\
             [[model.contact]]\nnormal = [1.0, 0.0]\nrestitution = 0.5\n[[model.contact]]\nnormal = [0.0, -1.0]\noffset = 1.0\nrestitution = 0.5\n\
             [[model.contact]]\nnormal = [1.0, -0.3]\noffset = 1.0\nrestitution = 0.5\n[time]\nend = 0.3\nstep = 1e-3\n"
        )
    };
    let write = |names: &str| std::fs::write(folder.join("crank.toml"), text(names)).expect("written");
    write("coordinates = [\"piston\", \"crank\"]\nunits = [\"m\", \"rad\"]");
    run(&folder, "crank.toml", "named", &[]);
    let named = lines(&folder.join("named/names.csv"));
    assert_eq!(named[1..3], ["coordinate,q0,piston,m", "coordinate,q1,crank,rad"]);
    assert_eq!(named[3..5], ["velocity,v0,piston_dot,m/s", "velocity,v1,crank_dot,rad/s"]);
    assert!(named.contains(&"contact,0,contact 0,m".to_string()), "{named:?}");
    let again = std::fs::read_to_string(folder.join("named/scenario.toml")).expect("the scenario");
    assert!(
        again.contains("coordinates = [\"piston\", \"crank\"]") && again.contains("units = [\"m\", \"rad\"]"),
        "{again}"
    );
    let said = percussion(&folder, &["plot", "named", "--y", "crank", "--out", "crank.svg"]);
    let figure = std::fs::read_to_string(folder.join("crank.svg")).unwrap_or_default();
    assert!(said.code == 0 && figure.contains("crank [rad]"), "{}", said.err);
    for (wrong, code) in [
        ("coordinates = [\"piston\"]", "[E111]"),
        ("units = [\"m\"]", "[E111]"),
        ("coordinates = [\"piston\", \"piston\"]", "[E128]"),
        ("coordinates = [\"a, b\", \"c\"]", "[E128]"),
        ("units = \"furlong\"", "[E103]"),
    ] {
        write(wrong);
        let said = percussion(&folder, &["check", "crank.toml"]);
        assert!(said.code == 3 && said.err.contains(code), "{wrong}: {}", said.err);
    }
}

/// A valve between two seats: its contacts have the names they are given, in tables, verdicts, figures and words of `select`; the stop of the
/// lever, whose gap is an angle, has panels of its own and impulses of moments. The same in formulas.
#[test]
fn names_of_contacts() {
    let folder = folder("contact-names");
    let (lower, stop) = ("name = \"lower seat\"\n", "name = \"lever stop\"\n");
    let text = |lower: &str, stop: &str| {
        format!(
            "[model]\nkind = \"linear\"\ncoordinates = [\"piston\", \"lever\"]\nunits = [\"m\", \"rad\"]\nmass = [[2.0, 0.0], [0.0, 0.05]]\n\
             stiffness = [[800.0, -20.0], [-20.0, 30.0]]\nforce = [{{ sines = [{{ amplitude = 40.0, omega = 19.0 }}] }}, 0.0]\n\
             [[model.contact]]\n{lower}normal = [1.0, 0.0]\noffset = 0.05\nrestitution = 0.6\n\
             [[model.contact]]\n{stop}normal = [0.0, -1.0]\noffset = 0.03\nrestitution = 0.3\n\
             [[model.contact]]\nnormal = [-1.0, 0.0]\noffset = 0.06\nrestitution = 0.3\n[time]\nend = 2.0\nstep = 1e-3\n"
        )
    };
    let write =
        |lower: &str, stop: &str| std::fs::write(folder.join("valve.toml"), text(lower, stop)).expect("written");
    write(lower, stop);
    let summary = run(&folder, "valve.toml", "valve", &["--set", "output.select=[\"*\"]"]);
    let names = lines(&folder.join("valve/names.csv"));
    for row in ["contact,0,lower seat,m", "contact,1,lever stop,rad"] {
        assert!(names.contains(&row.to_string()), "{row}: {names:?}");
    }
    let named = ["lower seat", "lever stop", "contact 2"];
    assert!(named.contains(&summary["verdicts"]["gap"]["contact"].as_str().unwrap_or_default()), "{summary}");
    let again = std::fs::read_to_string(folder.join("valve/scenario.toml")).expect("the scenario");
    assert!(again.contains("name = \"lever stop\""), "{again}");
    let page = std::fs::read_to_string(folder.join("valve/report.html")).expect("a page");
    for word in ["Gaps about axes", "Impulses (multipliers) about axes", "lever stop [rad]", "m or rad", "lower seat"] {
        assert!(page.contains(word), "{word}");
    }
    run(&folder, "valve.toml", "part", &["--set", "output.select=[\"lever stop\", \"piston\"]"]);
    let contacts = lines(&folder.join("part/contacts.csv"));
    assert!(contacts.len() > 2 && contacts[1..].iter().all(|row| row.split(',').nth(2) == Some("1")), "{contacts:?}");
    for (lower, stop) in [(lower, lower), ("name = \"a, b\"\n", stop), ("name = \"contact 2\"\n", stop)] {
        write(lower, stop);
        let said = percussion(&folder, &["check", "valve.toml"]);
        assert!(said.code == 3 && said.err.contains("[E128]"), "{lower}{stop}: {}", said.err);
    }
    let formula = "[model]\nkind = \"formula\"\ncoordinates = [\"y\"]\nkinetic = \"0.5*y_dot^2\"\npotential = \"9.81*y\"\nq0 = [0.1]\n\
                   [[model.contact]]\nname = \"anvil\"\ngap = \"y\"\nrestitution = 0.5\n[time]\nend = 0.3\nstep = 1e-3\n";
    std::fs::write(folder.join("hammer.toml"), formula).expect("written");
    run(&folder, "hammer.toml", "hammer", &[]);
    assert!(lines(&folder.join("hammer/names.csv")).contains(&"contact,0,anvil,m".to_string()));
}

/// Where nothing can touch there is nothing to judge, and the page says no word about penetration; a shape or a stop is enough to be judged.
#[test]
fn nothing_can_touch() {
    let folder = folder("no-touch");
    let scene = |ground: &str, joint: &str| {
        format!(
            "name = \"swing\"\n[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, -9.81]\n[[body]]\nname = \"ground\"\nfixed = true\n{ground}\n\
             [[body]]\nname = \"rod\"\nshape = {{ kind = \"box\", size = [1.0, 0.05] }}\nmass = 1.0\nposition = [0.5, 0.0]\n\
             [[joint]]\nkind = \"revolute\"\na = \"ground\"\nb = \"rod\"\nanchor = [0.0, 0.0]\n{joint}\n[time]\nend = 0.5\nstep = 1e-3\n"
        )
    };
    for (name, ground, joint, status) in [
        ("free", "", "", "none"),
        (
            "floor",
            "[[body]]\nname = \"floor\"\nfixed = true\nshape = { kind = \"plane\" }\nposition = [0.0, -3.0]",
            "",
            "pass",
        ),
        ("stopped", "", "limits = [-3.0, 3.0]", "pass"),
    ] {
        std::fs::write(folder.join("swing.toml"), scene(ground, joint)).expect("written");
        let verdicts = &run(&folder, "swing.toml", name, &[])["verdicts"];
        assert_eq!(verdicts["gap"]["status"], status, "{name}");
        let page = std::fs::read_to_string(folder.join(name).join("report.html")).expect("a page");
        assert_eq!(page.contains("Nothing penetrates."), status == "pass", "{name}");
        // the energy of this start is zero: what it is compared with is what moves
        let energy = verdicts["energy"]["text"].as_str().expect("words");
        assert!(!energy.contains(" 0.0000 J"), "{energy}");
    }
}

/// Of many contacts the page draws those that carry most, not those that were met first: a box that slides down a ramp is held by the ramp, whatever
/// corners of it were followed over the floor before.
#[test]
fn contacts_that_carry_are_drawn() {
    let folder = folder("heavy");
    percussion(&folder, &["new", "scene", "--template", "bodies"]);
    run(&folder, "scene.toml", "scene", &[]);
    assert!(lines(&folder.join("scene/names.csv")).iter().filter(|line| line.starts_with("contact,")).count() > 6);
    let said = percussion(&folder, &["plot", "scene", "--figure", "friction", "--out", "friction.svg"]);
    let figure = std::fs::read_to_string(folder.join("friction.svg")).unwrap_or_default();
    assert!(said.code == 0 && figure.contains("ramp – box"), "{}", said.err);
}
