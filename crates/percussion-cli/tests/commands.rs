//! The other commands of the contract, and the words for those that come later.

mod common;
use common::{folder, percussion, program, run};

/// The demonstration prints its verdicts and writes its page in the current folder.
#[test]
fn demonstration() {
    let folder = folder("demonstration");
    let said = percussion(&folder, &[]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("moreau-jean") && said.out.contains("energy-momentum") && said.out.contains("created"));
    let page = std::fs::read_to_string(folder.join("percussion-report.html")).expect("the page");
    assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("src=\"http"));
}

/// A new scenario runs as it is, and is never written over another.
#[test]
fn new_scenarios_run() {
    let folder = folder("new");
    assert_eq!(percussion(&folder, &["new", "mine"]).code, 0);
    let summary = run(&folder, "mine.toml", "out", &[]);
    assert_eq!(summary["scenario"], "mine");
    assert_eq!(percussion(&folder, &["new", "mine"]).code, 7);
    assert_eq!(percussion(&folder, &["new", "no/such/folder"]).code, 7);
}

/// Every table stands beside its CSV file as Parquet, whichever command wrote it; a run begun again leaves none of the last one's.
#[test]
fn tables_as_parquet() {
    let folder = folder("as-parquet");
    let end = ["--end", "0.5", "--quiet"];
    run(&folder, "sliding-block", "direct", &[end.as_slice(), &["--format", "parquet"]].concat());
    run(&folder, "sliding-block", "made", &end);
    assert_eq!(percussion(&folder, &["export", "made", "--to", "parquet", "--out", "exported"]).code, 0);
    let sweep = "[sweep]\nscenario = \"bouncing-ball\"\n[[sweep.parameter]]\nkey = \"time.end\"\nvalues = [0.1]\n";
    std::fs::write(folder.join("sweep.toml"), sweep).expect("written");
    assert_eq!(percussion(&folder, &["sweep", "sweep.toml", "--format", "parquet", "--out", "study"]).code, 0);
    let bytes = |at: &str, table: &str| std::fs::read(folder.join(at).join(format!("{table}.parquet"))).expect(table);
    for table in ["trajectory", "contacts", "ledger", "events", "names", "gaps"] {
        assert!(folder.join(format!("made/{table}.csv")).is_file(), "{table}");
        assert_eq!(bytes("direct", table), bytes("exported", table), "{table}");
    }
    let study = bytes("study", "sweep");
    assert!(study.starts_with(b"PAR1") && study.ends_with(b"PAR1"));
    run(&folder, "sliding-block", "direct", &end);
    assert!(!folder.join("direct/ledger.parquet").exists() && !folder.join("direct/gaps.parquet").exists());
}

/// A program built without the GPU backend says how to get one with it; `auto` goes on on the cores with a note, to the same tables.
#[cfg(not(feature = "gpu"))]
#[test]
fn a_gpu_left_out() {
    let folder = folder("no-gpu");
    let gpu = ["run", "bouncing-ball", "--end", "0.1", "--device", "gpu", "--out", "none"];
    let by_key = ["run", "bouncing-ball", "--end", "0.1", "--set", "solver.device=\"gpu\"", "--out", "none"];
    for arguments in [gpu, by_key] {
        let said = percussion(&folder, &arguments);
        assert_eq!(said.code, 3, "{}", said.err);
        assert!(said.err.contains("[E190]") && said.err.contains("--features gpu"), "{}", said.err);
        assert!(!folder.join("none").exists());
    }
    run(&folder, "bouncing-ball", "cpu", &["--end", "0.1"]);
    run(&folder, "bouncing-ball", "auto", &["--end", "0.1", "--device", "auto"]);
    let [cpu, auto] =
        ["cpu", "auto"].map(|run| std::fs::read(folder.join(run).join("trajectory.csv")).expect("a table"));
    assert!(cpu == auto, "other tables");
    let summary = std::fs::read_to_string(folder.join("auto/summary.json")).expect("a summary");
    assert!(summary.contains("W429"), "{summary}");
}

/// Unknown commands and formats end with 2.
#[test]
fn usage() {
    let folder = folder("usage");
    let usage: [&[&str]; 7] = [
        &["rum"],
        &["run"],
        &["run", "bouncing-ball", "--nonsense"],
        &["run", "bouncing-ball", "--step", "fast"],
        &["run", "bouncing-ball", "--threads", "0"],
        &["list", "friends"],
        &["export", "x", "--to", "dance"],
    ];
    for arguments in usage {
        assert_eq!(percussion(&folder, arguments).code, 2, "{arguments:?}");
    }
    assert!(percussion(&folder, &["rum"]).err.contains("did you mean \"run\"?"));
}

/// Every code that can appear is explained.
#[test]
fn codes_are_explained() {
    let folder = folder("explain");
    for (code, title, _) in percussion::model::Code::ALL {
        let said = percussion(&folder, &["explain", code.as_str()]);
        assert_eq!(said.code, 0);
        assert!(said.out.contains(title), "{code}");
    }
    assert_eq!(percussion(&folder, &["explain", "e120"]).code, 0);
    let said = percussion(&folder, &["explain", "E999"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("E120") && said.err.contains("W405"));
}

/// The lists name everything, and a reader that stops early is no failure.
#[test]
fn lists() {
    let folder = folder("lists");
    let schemes = percussion(&folder, &["list", "schemes"]).out;
    for entry in percussion::step::SCHEMES {
        assert!(schemes.contains(entry.name), "{}", entry.name);
    }
    assert!(percussion(&folder, &["list", "solvers"]).out.contains("newton-min"));
    assert!(percussion(&folder, &["list", "scenarios"]).out.contains("two-mass-oscillator-1e3"));
    let schema = percussion(&folder, &["list", "schema"]);
    assert!(serde_json::from_str::<serde_json::Value>(&schema.out).is_ok());
    let mut child = program(&folder)
        .args(["list", "schema"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("a child");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
}

/// Reports are rewritten, several runs make one page, and names from a scenario are escaped.
#[test]
fn reports() {
    let folder = folder("reports");
    run(&folder, "bouncing-ball", "a", &["--set", "name=\"<script>alert(1)</script>\""]);
    run(&folder, "bouncing-ball", "b", &["--scheme", "newmark"]);
    let page = std::fs::read_to_string(folder.join("a/report.html")).expect("a page");
    assert!(!page.contains("<script>alert"), "a name is not escaped");
    std::fs::remove_file(folder.join("a/report.html")).expect("removable");
    assert_eq!(percussion(&folder, &["report", "a"]).code, 0);
    assert_eq!(std::fs::read_to_string(folder.join("a/report.html")).expect("rewritten"), page);
    assert_eq!(percussion(&folder, &["report", "a", "b", "--out", "both.html"]).code, 0);
    assert!(folder.join("both.html").exists());
    // to standard output, and to no file of that name
    let said = percussion(&folder, &["report", "a", "--out", "-"]);
    assert_eq!((said.code, said.out == page), (0, true));
    assert!(!folder.join("-").exists());
    assert_eq!(percussion(&folder, &["report", "nowhere"]).code, 7);
}

/// Figures of one run and of several, by their names or in the singular; a wrong name or ending is refused with help.
#[test]
fn figures() {
    let folder = folder("figures");
    run(&folder, "bouncing-ball", "a", &[]);
    run(&folder, "bouncing-ball", "b", &["--scheme", "newmark"]);
    for name in ["energy", "gap", "velocity", "position", "residual", "multipliers", "works"] {
        for (runs, file) in [(&["a"][..], "one.svg"), (&["a", "b"][..], "two.svg")] {
            let said = percussion(&folder, &[&["plot"], runs, &["--figure", name, "--out", file]].concat());
            assert_eq!(said.code, 0, "{name}: {}", said.err);
            let svg = std::fs::read_to_string(folder.join(file)).expect("a figure");
            assert!(svg.starts_with("<svg ") && svg.contains("<path"), "{name}");
            assert_eq!(svg.contains("newmark"), runs.len() == 2, "{name}");
        }
    }
    let said = percussion(&folder, &["plot", "a", "b", "--figure", "energy", "--out", "two.png"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let bytes = std::fs::read(folder.join("two.png")).expect("a picture");
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.len() > 10_000);
    let said = percussion(&folder, &["plot", "a", "--figure", "enregy", "--out", "x.svg"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("E172") && said.err.contains("did you mean \"energy\"?"), "{}", said.err);
    let said = percussion(&folder, &["plot", "a", "--figure", "energy", "--out", "x.gif"]);
    assert!(said.code == 2 && said.err.contains(".svg"), "{}", said.err);
    assert_eq!(percussion(&folder, &["plot", "nowhere", "--figure", "energy", "--out", "x.svg"]).code, 7);
    assert_eq!(percussion(&folder, &["plot", "a", "--figure", "energy", "--out", "no/such/x.svg"]).code, 7);
}

/// Tables are copied as they are.
#[test]
fn export_copies_tables() {
    let folder = folder("export");
    run(&folder, "bouncing-ball", "a", &[]);
    assert_eq!(percussion(&folder, &["export", "a", "--to", "csv", "--out", "tables"]).code, 0);
    let read = |path: &str| std::fs::read(folder.join(path)).expect("a table");
    assert_eq!(read("a/trajectory.csv"), read("tables/trajectory.csv"));
    assert_eq!(percussion(&folder, &["export", "a", "--to", "csv", "--out", "a"]).code, 0);
    assert!(!read("a/trajectory.csv").is_empty(), "exported onto itself");
    assert_eq!(percussion(&folder, &["export", "a", "--to", "csv"]).code, 2);
}

/// Quiet is quiet, JSON is only JSON, and without --out the folder is named on screen.
#[test]
fn screens() {
    let folder = folder("screens");
    let quiet = percussion(&folder, &["run", "bouncing-ball", "--out", "a", "--quiet"]);
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("", ""));
    let plain = percussion(&folder, &["run", "bouncing-ball"]);
    assert!(
        plain.out.contains("percussion-runs/bouncing-ball") && folder.join("percussion-runs/bouncing-ball").exists()
    );
    assert!(plain.out.contains("guarantee holds") && !plain.out.contains('\x1b'), "{}", plain.out);
    let checked = percussion(&folder, &["check", "elastic-bar"]);
    assert_eq!(checked.code, 0);
    assert!(checked.out.contains("is valid"));
    // --scheme leaves out what belongs to the file's scheme, and says so
    let switched = percussion(&folder, &["run", "bouncing-ball", "--scheme", "newmark", "--out", "b"]);
    assert_eq!(switched.code, 0);
    assert!(switched.err.contains("W406") && switched.err.contains("theta"), "{}", switched.err);
}

/// A full disk behind standard output is told and ends with 7; a reader that goes away is no failure.
#[cfg(target_os = "linux")]
#[test]
fn lost_output() {
    use std::process::Stdio;
    let folder = folder("lost-output");
    run(&folder, "bouncing-ball", "out", &[]);
    let commands: [&[&str]; 14] = [
        &[],
        &["--help"],
        &["--version"],
        &["new", "fresh"],
        &["run", "bouncing-ball", "--out", "again"],
        &["run", "bouncing-ball", "--out", "again", "--json"],
        &["check", "bouncing-ball"],
        &["check", "bouncing-ball", "--json"],
        &["report", "out"],
        &["export", "out", "--to", "csv", "--out", "copy"],
        &["verify", "out"],
        &["verify", "out", "--json"],
        &["list", "schemes"],
        &["explain", "E120"],
    ];
    for arguments in commands {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
        let child = program(&folder).args(arguments).stdout(full).stderr(Stdio::piped()).spawn();
        let output = child.and_then(std::process::Child::wait_with_output).expect("the program runs");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(7), "{arguments:?}: {err}");
        assert!(err.contains("standard output cannot be written"), "{arguments:?}: {err}");

        let _ = std::fs::remove_file(folder.join("fresh.toml"));
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let child = program(&folder).args(arguments).stdout(writer).stderr(Stdio::piped()).spawn();
        let output = child.and_then(std::process::Child::wait_with_output).expect("the program runs");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*err), (Some(0), ""), "{arguments:?}");
        let _ = std::fs::remove_file(folder.join("fresh.toml"));
    }
}

/// A robot becomes a scenario that runs, with a list of what was left out; its run goes to ParaView with physical time.
#[test]
fn robots_in_and_frames_out() {
    let folder = folder("robot");
    let robot = "<robot name='arm'><link name='base'/><link name='upper'>\
        <inertial><origin xyz='0 0 0.5'/><mass value='1'/><inertia ixx='0.1' iyy='0.1' izz='0.01'/></inertial>\
        <collision><origin xyz='0 0 0.5'/><geometry><box size='0.1 0.1 1'/></geometry></collision></link>\
        <joint name='hinge' type='revolute'><parent link='base'/><child link='upper'/><axis xyz='0 1 0'/>\
        <limit lower='-1' upper='1' effort='5' velocity='2'/></joint></robot>";
    std::fs::write(folder.join("arm.urdf"), robot).expect("the robot");
    let said = percussion(&folder, &["new", "arm", "--from", "arm.urdf"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let made = std::fs::read_to_string(folder.join("arm.toml")).expect("the scenario");
    assert!(made.contains("effort ≤ 5 N·m, velocity ≤ 2 rad/s"), "{made}");
    run(&folder, "arm.toml", "out", &["--end", "0.02"]);
    let said = percussion(&folder, &["export", "out", "--to", "vtk", "--out", "frames"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let index = std::fs::read_to_string(folder.join("frames/run.pvd")).expect("the index");
    assert!(index.contains("timestep=\"0.02\"") && index.matches("part=\"0\"").count() == 21, "{index}");
    let frame = std::fs::read_to_string(folder.join("frames/frames/frame-00020.vtp")).expect("a frame");
    assert!(frame.contains("NumberOfPoints=\"8\"") && frame.contains("Name=\"velocity\""));
    std::fs::write(folder.join("bad.urdf"), "<robot>").expect("no robot");
    assert_eq!(percussion(&folder, &["new", "bad", "--from", "bad.urdf"]).code, 3);
    // other models as the report draws them, where all coordinates are kept
    run(&folder, "bouncing-ball", "ball", &["--end", "0.02"]);
    assert_eq!(percussion(&folder, &["export", "ball", "--to", "vtk", "--out", "x"]).code, 0);
    let frame = std::fs::read_to_string(folder.join("x/frames/frame-00000.vtp")).expect("the ball as it is drawn");
    assert!(frame.contains("Name=\"role\""));
    run(&folder, "two-mass-oscillator", "part", &["--end", "0.02", "--set", "output.select=[\"q0\"]"]);
    assert_ne!(percussion(&folder, &["export", "part", "--to", "vtk", "--out", "y"]).code, 0);
}
