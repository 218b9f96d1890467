//! Elastic solids as users run them: built in with their meshes, on any number of threads, in two parts, checked and refined.

mod common;
use common::{column, folder, percussion, run};

/// Every solid of the gallery runs by its name, and the folder of the run is checked and makes the run again.
#[test]
fn built_in_solids() {
    let folder = folder("solids-built-in");
    for name in ["periodic-bar", "two-bars", "elastic-disc", "elastic-block", "hertz-impact"] {
        let first = run(&folder, name, name, &[]);
        let again = run(&folder, &format!("{name}/scenario.toml"), "again", &[]);
        assert_eq!(first["state_hash"], again["state_hash"], "{name}");
        assert_eq!(first["verdicts"]["energy"]["status"], "pass", "{name}");
        assert_eq!(first["verdicts"]["gap"]["status"], "pass", "{name}");
        let said = percussion(&folder, &["verify", name]);
        assert_eq!(said.code, 0, "{name}: {}{}", said.out, said.err);
    }
    assert!(percussion(&folder, &["list", "scenarios"]).out.contains("tuning-fork"));
}

/// The same bytes on one, two and four threads.
#[test]
fn any_number_of_threads() {
    let folder = folder("solids-threads");
    for name in ["elastic-block", "hertz-impact"] {
        let runs: Vec<_> = ["1", "2", "4"]
            .map(|threads| {
                run(&folder, name, threads, &["--threads", threads]);
                ["trajectory.csv", "contacts.csv", "ledger.csv"]
                    .map(|table| std::fs::read(folder.join(threads).join(table)).expect("a table"))
            })
            .into();
        assert!(runs[0] == runs[1] && runs[0] == runs[2], "{name}");
    }
}

/// A run that ends early and goes on is the run that never stopped.
#[test]
fn in_two_parts() {
    let folder = folder("solids-parts");
    for (name, half, end) in [("elastic-disc", "0.0476", "0.0952"), ("elastic-block", "0.3", "0.7")] {
        let whole = run(&folder, name, "whole", &[]);
        run(&folder, name, "part", &["--end", half]);
        assert_eq!(percussion(&folder, &["resume", "part", "--end", end, "--quiet"]).code, 0, "{name}");
        let part = std::fs::read_to_string(folder.join("part/summary.json")).expect("a summary");
        let part: serde_json::Value = serde_json::from_str(&part).expect("JSON");
        assert_eq!(whole["state_hash"], part["state_hash"], "{name}");
        std::fs::remove_dir_all(folder.join("part")).expect("a folder");
    }
}

/// Steps are refined and errors measured as for any other model.
#[test]
fn refined() {
    let folder = folder("solids-converge");
    let arguments =
        ["converge", "elastic-block", "--schemes", "moreau-jean", "--steps", "4e-3,2e-3,1e-3", "--end", "0.1"];
    let said = percussion(&folder, &arguments);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    // nodes strike too often for a reference of located events: it is the scheme itself with finer steps
    let arguments =
        ["converge", "elastic-disc", "--schemes", "generalized-alpha", "--steps", "1.36e-3,6.8e-4", "--end", "0.0272"];
    let said = percussion(&folder, &arguments);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.contains("generalized-alpha with steps of 8.5e-5 s"), "{}", said.out);
}

/// Solids in finite deformation that nothing holds have the account of momentum of bodies, and its certificate.
#[test]
fn momentum_of_finite_solids() {
    let folder = folder("solids-momentum");
    for name in ["rolling-disc", "two-discs"] {
        let summary = run(&folder, name, name, &[]);
        let verdict = &summary["verdicts"]["momentum"];
        assert_eq!(verdict["status"], "pass", "{name}: {verdict}");
        assert!(folder.join(name).join("momentum.csv").is_file());
        let said = percussion(&folder, &["verify", name]);
        assert_eq!(said.code, 0, "{name}: {}{}", said.out, said.err);
        assert!(said.out.contains("verdict momentum"), "{}", said.out);
    }
}

/// A sheet of so many squares, held at its left end, in Gmsh's format.
fn sheet(columns: usize, rows: usize) -> String {
    let node = |i: usize, j: usize| 1 + j * (columns + 1) + i;
    let mut text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"sheet\"\n1 2 \"left\"\n$EndPhysicalNames\n$Nodes\n".to_string();
    text += &format!("{}\n", (columns + 1) * (rows + 1));
    for (j, i) in (0..=rows).flat_map(|j| (0..=columns).map(move |i| (j, i))) {
        text += &format!("{} {:?} {:?} 0\n", node(i, j), i as f64 / 100.0, j as f64 / 100.0);
    }
    text += &format!("$EndNodes\n$Elements\n{}\n", columns * rows + rows);
    for (number, (j, i)) in (0..rows).flat_map(|j| (0..columns).map(move |i| (j, i))).enumerate() {
        let ring = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)].map(|n| n.to_string());
        text += &format!("{} 3 2 1 1 {}\n", number + 1, ring.join(" "));
    }
    for j in 0..rows {
        text += &format!("{} 1 2 2 2 {} {}\n", columns * rows + j + 1, node(0, j), node(0, j + 1));
    }
    text + "$EndElements\n"
}

/// The states of a large solid are thinned unless the scenario says how many are to be kept: works add up, and a run in two parts
/// keeps the rows of the whole.
#[test]
fn states_of_large_solids() {
    let folder = folder("solids-large-states");
    std::fs::write(folder.join("sheet.msh"), sheet(60, 45)).expect("written");
    let scenario = |more: &str| {
        format!(
            "name = \"sheet\"\n[model]\nkind = \"solid\"\nmesh = \"sheet.msh\"\nplane = \"strain\"\ngravity = [0.0, -9.81]\n\
             [[model.part]]\ngroup = \"sheet\"\nmaterial = {{ young = 1e6, poisson = 0.3, density = 1000.0 }}\ndamping = {{ mass = 5.0 }}\n\
             [[model.support]]\ngroup = \"left\"\n[scheme]\nname = \"moreau-jean\"\n[time]\nend = 0.009\nstep = 1e-3\n{more}"
        )
    };
    std::fs::write(folder.join("thin.toml"), scenario("")).expect("written");
    std::fs::write(folder.join("all.toml"), scenario("[output]\nevery = 1\n")).expect("written");
    std::fs::write(folder.join("tip.toml"), scenario("[output]\nselect = [\"q0\", \"v0\"]\n")).expect("written");
    let said = percussion(&folder, &["check", "thin.toml"]);
    assert!(said.out.contains("1 state in 2"), "{}{}", said.out, said.err);
    let rows = |run: &str, table: &str| {
        let text = std::fs::read_to_string(folder.join(run).join(table)).expect("a table");
        text.lines()
            .skip(1)
            .map(|line| line.split(',').map(|x| x.parse().unwrap_or(0.0)).collect())
            .collect::<Vec<Vec<f64>>>()
    };
    let (thin, all) = (run(&folder, "thin.toml", "thin", &[]), run(&folder, "all.toml", "all", &[]));
    assert_eq!(thin["state_hash"], all["state_hash"]);
    // the start, steps 2 to 8, and the end
    assert_eq!((rows("thin", "trajectory.csv").len(), rows("all", "trajectory.csv").len()), (6, 10));
    for column in [6, 7] {
        let sum = |run: &str| rows(run, "ledger.csv").iter().map(|row| row[column]).sum::<f64>();
        let (a, b) = (sum("thin"), sum("all"));
        assert!((a - b).abs() <= 1e-13 * b.abs(), "{column}: {a} {b}");
    }
    for name in ["thin", "all"] {
        let said = percussion(&folder, &["verify", name]);
        assert_eq!(said.code, 0, "{name}: {}{}", said.out, said.err);
    }
    run(&folder, "tip.toml", "tip", &[]);
    assert_eq!(rows("tip", "trajectory.csv").len(), 10);
    run(&folder, "thin.toml", "part", &["--end", "0.004"]);
    assert_eq!(percussion(&folder, &["resume", "part", "--end", "0.009", "--quiet"]).code, 0);
    assert_eq!(rows("part", "trajectory.csv"), rows("thin", "trajectory.csv"));
}

/// `equilibrium` corrects impulses in steps in which contacts open or close, and some then pull a little: the run says by how much, and
/// `verify` accepts it.
#[test]
fn corrected_impulses_are_told_of() {
    let folder = folder("solids-corrected");
    std::fs::write(folder.join("sheet.msh"), sheet(10, 5)).expect("written");
    let scenario = "name = \"sheet\"\n[model]\nkind = \"solid\"\nmesh = \"sheet.msh\"\nplane = \"strain\"\n[[model.part]]\ngroup = \"sheet\"\n\
        material = { young = 1e6, poisson = 0.3, density = 1000.0 }\nvelocity = [-50.0, 0.0]\nangular_velocity = [100.0]\n\
        [[model.contact]]\nsurface = \"left\"\nagainst = { plane = { point = [-0.002, 0.0], normal = [1.0, 0.0] } }\n\
        [scheme]\nname = \"moreau-jean\"\n[time]\nend = 0.02\nstep = 1e-4\n";
    std::fs::write(folder.join("sheet.toml"), scenario).expect("written");
    let summary = run(&folder, "sheet.toml", "run", &[]);
    let gap = &summary["verdicts"]["gap"];
    assert_eq!(gap["status"], "pass");
    assert!(gap["text"].as_str().is_some_and(|text| text.contains("corrected impulses pull by up to")), "{gap}");
    let smallest = column(&folder.join("run/contacts.csv"), "p_n").into_iter().fold(0.0, f64::min);
    assert!(smallest < 0.0);
    let said = percussion(&folder, &["verify", "run"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
}

/// Matrices with the mesh they were made of: columns by nodes and groups, elements for ParaView, a folder that makes the run again; a mesh of other nodes is
/// refused.
#[test]
fn matrices_with_their_mesh() {
    let folder = folder("solids-matrices");
    std::fs::write(folder.join("sheet.msh"), sheet(4, 3)).expect("written");
    std::fs::write(folder.join("other.msh"), sheet(4, 4)).expect("written");
    let diagonal = |x: f64| {
        let entries: String = (1..=40).map(|i| format!("{i} {i} {x:?}\n")).collect();
        format!("%%MatrixMarket matrix coordinate real symmetric\n40 40 40\n{entries}")
    };
    std::fs::write(folder.join("M.mtx"), diagonal(0.5)).expect("written");
    std::fs::write(folder.join("K.mtx"), diagonal(200.0)).expect("written");
    let scenario = |mesh: &str, more: &str| {
        format!(
            "[model]\nkind = \"linear\"\nmass = {{ file = \"M.mtx\" }}\nstiffness = {{ file = \"K.mtx\" }}\nmesh = {{ file = \"{mesh}\", young = 1e6 }}\n\
             v0 = [{}]\n[[model.contact]]\nnormal = {{ 3 = -1.0 }}\noffset = 0.01\nrestitution = 0.5\n\
             [scheme]\nname = \"moreau-jean\"\n[time]\nend = 0.1\nstep = 1e-2\n{more}",
            ["0.0, 1.0"; 20].join(", ")
        )
    };
    std::fs::write(folder.join("all.toml"), scenario("sheet.msh", "")).expect("written");
    std::fs::write(folder.join("left.toml"), scenario("sheet.msh", "[output]\nselect = [\"left\"]\n"))
        .expect("written");
    std::fs::write(folder.join("other.toml"), scenario("other.msh", "")).expect("written");
    let first = run(&folder, "all.toml", "all", &[]);
    let names = std::fs::read_to_string(folder.join("all/names.csv")).expect("a table");
    assert!(names.contains(",q3,node2.y,m"), "{names}");
    let again = run(&folder, "all/scenario.toml", "again", &[]);
    assert_eq!(first["state_hash"], again["state_hash"]);
    let said = percussion(&folder, &["export", "all", "--to", "vtk", "--out", "vtk"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let frame = std::fs::read(folder.join("vtk/frames/frame-00003.vtu")).expect("a frame of elements");
    assert!(String::from_utf8_lossy(&frame).contains("von_mises"));
    run(&folder, "left.toml", "left", &[]);
    let rows = std::fs::read_to_string(folder.join("left/trajectory.csv")).expect("a table");
    // the time, and both axes of the four nodes at the left with their velocities
    assert_eq!(rows.lines().next().map(|header| header.split(',').count()), Some(17), "{rows}");
    let said = percussion(&folder, &["check", "other.toml"]);
    assert!(
        said.code == 3 && said.err.contains("25 nodes with 2 axes each, and the matrices 40 coordinates"),
        "{}",
        said.err
    );
}

/// Boxes as obstacles and ratios of modes are keys of a scenario: a block that rests on the edge of a box, its vibrations damped, keeps its ledger, and its folder
/// makes the run again.
#[test]
fn boxes_and_damped_modes() {
    let folder = folder("solids-boxes");
    std::fs::write(folder.join("sheet.msh"), sheet(6, 5)).expect("written");
    let scenario = "[model]\nkind = \"solid\"\nmesh = \"sheet.msh\"\nplane = \"strain\"\ngravity = [0.0, -9.81]\ndamping = { ratios = [0.2, 0.1] }\n\
         [[model.part]]\ngroup = \"sheet\"\nmaterial = { young = 1e5, poisson = 0.3, density = 1000.0 }\n\
         [[model.contact]]\nsurface = \"left\"\nagainst = { box = { centre = [-0.051, 0.0], size = [0.1, 0.04], angle = 0.1 }, motion = [{ sines = [{ amplitude = 2e-3, omega = 40.0 }] }, 0.0] }\n\
         [scheme]\nname = \"moreau-jean\"\n[time]\nend = 0.2\nstep = 1e-3\n";
    std::fs::write(folder.join("box.toml"), scenario).expect("written");
    let first = run(&folder, "box.toml", "box", &[]);
    assert_eq!(first["verdicts"]["energy"]["status"], "pass");
    assert_eq!(first["verdicts"]["gap"]["status"], "pass");
    assert!(column(&folder.join("box/ledger.csv"), "work_damping").iter().any(|x| *x < 0.0));
    let again = run(&folder, "box/scenario.toml", "again", &[]);
    assert_eq!(first["state_hash"], again["state_hash"]);
    let said = percussion(&folder, &["verify", "box"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
}
