//! Runs: the files of the contract, the same bytes twice, thinning, streaming, failure and interruption.

mod common;
use common::{BALL, column, folder, percussion, program, run, stiff_column};
use std::path::Path;
use std::time::{Duration, Instant};

const TABLES: [&str; 4] = ["trajectory.csv", "contacts.csv", "ledger.csv", "events.csv"];
const BUILT_IN: [&str; 9] = [
    "bouncing-ball",
    "bouncing-ball-f2",
    "impact-oscillator",
    "two-mass-oscillator",
    "two-mass-oscillator-1e3",
    "elastic-bar",
    "pendulum",
    "rocking-block",
    "rotating-beam",
];

/// Every built-in scenario runs, writes every file, says only finite numbers, and is confirmed by `verify`.
#[test]
fn built_in_scenarios_write_every_file() {
    let folder = folder("built-in");
    for name in BUILT_IN {
        let summary = run(&folder, name, name, &[]);
        for file in TABLES.iter().chain(&["summary.json", "scenario.toml", "report.html"]) {
            let text = std::fs::read_to_string(folder.join(name).join(file)).expect(file);
            let lower = text.to_lowercase();
            let numbers = file.ends_with("csv") || file.ends_with("json");
            assert!(!numbers || !(lower.contains("nan") || lower.contains("inf,")), "{name}/{file}");
        }
        for key in [
            "scenario",
            "version",
            "scheme",
            "solver",
            "steps",
            "t_end",
            "wall_s",
            "verdicts",
            "events",
            "guarantee",
            "state_hash",
        ] {
            assert!(summary.get(key).is_some(), "{name}: no {key}");
        }
        for verdict in ["energy", "gap", "cone", "joints", "solver"] {
            for key in ["status", "worst", "t", "contact"] {
                assert!(summary["verdicts"][verdict].get(key).is_some(), "{name}: {verdict}.{key}");
            }
        }
        let steps = summary["steps"].as_u64().expect("a number") as usize;
        assert_eq!(column(&folder.join(name).join("trajectory.csv"), "t").len(), steps + 1, "{name}");
        let ledger = folder.join(name).join("ledger.csv");
        for work in ["work_external", "work_contact", "dissipation_numerical", "residual"] {
            assert_eq!(column(&ledger, work)[0], 0.0, "{name}: {work} of the initial state");
        }
        let verified = percussion(&folder, &["verify", name]);
        assert_eq!(verified.code, 0, "{name}: {}", verified.out);
    }
}

/// The change of algorithmic_energy is what the works and the residual say, row by row, the first step included.
#[test]
fn ledgers_close_from_the_first_row() {
    let folder = folder("first-row");
    for scheme in [
        "moreau-jean",
        "moreau-jean-midpoint",
        "newmark",
        "hht",
        "generalized-alpha",
        "kh-generalized-alpha",
        "implicit-newmark",
    ] {
        run(&folder, "two-mass-oscillator", scheme, &["--scheme", scheme]);
        let ledger = |name| column(&folder.join(scheme).join("ledger.csv"), name);
        let (H, external, damping) = (ledger("algorithmic_energy"), ledger("work_external"), ledger("work_damping"));
        let (contact, joints) = (ledger("work_contact"), ledger("work_joints"));
        let (dissipation, residual) = (ledger("dissipation_numerical"), ledger("residual"));
        for k in 1..H.len() {
            let works = external[k] + damping[k] + contact[k] + joints[k] - dissipation[k];
            assert!((H[k] - H[k - 1] - works - residual[k]).abs() < 1e-12 * 16.0, "{scheme}: step {k}");
        }
    }
}

/// The same scenario twice: the same bytes in every table and the same fingerprint.
#[test]
fn same_scenario_same_bytes() {
    let folder = folder("twice");
    for name in ["two-mass-oscillator", "elastic-bar"] {
        let first = run(&folder, name, "first", &["--threads", "1"]);
        let second = run(&folder, name, "second", &["--threads", "4"]);
        assert_eq!(first["state_hash"], second["state_hash"]);
        for table in TABLES {
            let read = |run: &str| std::fs::read(folder.join(run).join(table)).expect("a table");
            assert_eq!(read("first"), read("second"), "{name}: {table}");
        }
    }
}

/// The resolved scenario of every built-in under every scheme reproduces its run, and resolves to itself.
#[test]
fn resolved_scenarios_reproduce_their_runs() {
    let folder = folder("round-trip");
    let cases: &[(&str, &[&str])] = &[
        ("moreau-jean", &["scheme.theta=0.5234", "scheme.projection=paid"]),
        ("moreau-jean", &["scheme.activation=predicted", "scheme.prediction=0.3"]),
        ("moreau-jean-midpoint", &["scheme.theta=0.7"]),
        ("newmark", &["scheme.preset=linear-acceleration"]),
        ("hht", &["scheme.alpha=0.123456789"]),
        ("generalized-alpha", &["scheme.rho_inf=0.6"]),
        ("generalized-alpha", &["scheme.rho_inf=1.0"]),
        ("kh-generalized-alpha", &["scheme.preset=hilber-hughes-taylor", "scheme.alpha=0.2"]),
        ("implicit-newmark", &["scheme.activation=predicted-and-closing"]),
        ("naive-newmark-position", &["output.every=7"]),
    ];
    let nonlinear: &[(&str, &[&str])] = &[
        ("generalized-alpha-ggl", &["scheme.activation=predicted", "scheme.rho_inf=0.61803398874989"]),
        ("generalized-alpha-modified-lcp", &["scheme.rho_inf=0.7"]),
        ("smooth-generalized-alpha", &["scheme.rho_inf=0.3"]),
        ("moreau-jean", &["scheme.theta=0.5234", "scheme.activation=predicted", "scheme.prediction=0.3"]),
        ("generalized-alpha", &["scheme.rho_inf=0.6"]),
        ("energy-momentum", &["output.every=7"]),
    ];
    for (name, pin) in [("pendulum", None), ("rocking-block", None), ("rotating-beam", Some("model.joints=true"))] {
        for (k, (scheme, sets)) in nonlinear.iter().enumerate() {
            let (a, b) = (format!("{name}-{k}-a"), format!("{name}-{k}-b"));
            let mut more = vec!["run", name, "--out", &a, "--quiet", "--scheme", scheme, "--end", "0.25"];
            sets.iter().copied().chain(pin).for_each(|set| more.extend(["--set", set]));
            let again = format!("{a}/scenario.toml");
            for arguments in [&more[..], &["run", &again, "--out", &b, "--quiet"]] {
                // a failed certificate is not a failed run
                let said = percussion(&folder, arguments);
                assert!([0, 5].contains(&said.code), "{arguments:?}: {}", said.err);
            }
            let read = |run: &str, file: &str| std::fs::read_to_string(folder.join(run).join(file)).expect("a file");
            assert_eq!(read(&a, "scenario.toml"), read(&b, "scenario.toml"), "{name} {scheme} {sets:?}");
            for table in TABLES {
                assert_eq!(read(&a, table), read(&b, table), "{name} {scheme} {sets:?}");
            }
            let prediction = read(&a, "scenario.toml").contains("prediction =");
            assert_eq!(prediction, *scheme == "moreau-jean", "{name} {scheme}");
        }
    }
    for name in ["bouncing-ball", "two-mass-oscillator-1e3", "elastic-bar"] {
        for (k, (scheme, sets)) in cases.iter().enumerate() {
            let mut more = vec!["--scheme", scheme, "--end", "0.7"];
            sets.iter().for_each(|set| more.extend(["--set", set]));
            let (a, b) = (format!("{name}-{k}-a"), format!("{name}-{k}-b"));
            let first = run(&folder, name, &a, &more);
            let second = run(&folder, &format!("{a}/scenario.toml"), &b, &[]);
            assert_eq!(first["state_hash"], second["state_hash"], "{name} {scheme} {sets:?}");
            let read = |run: &str| std::fs::read_to_string(folder.join(run).join("scenario.toml")).expect("a scenario");
            assert_eq!(read(&a), read(&b), "{name} {scheme} {sets:?}");
        }
    }
}

/// Moving obstacles and harmonic loads survive the round trip too.
#[test]
fn signals_survive() {
    let folder = folder("signals");
    let text = BALL
        .replace("force = [-10.0]", "force = [{ mean = -10.0, sines = [{ amplitude = 0.1, omega = 31.4, phase = 0.3 }, { amplitude = 2, omega = 7 }] }]")
        .replace("offset = 0.0", "offset = { sines = [{ amplitude = 0.01, omega = 6.28 }] }");
    std::fs::write(folder.join("shaken.toml"), text).expect("a scenario");
    let first = run(&folder, "shaken.toml", "a", &[]);
    let second = run(&folder, "a/scenario.toml", "b", &[]);
    assert_eq!(first["state_hash"], second["state_hash"]);
    assert_eq!(first["verdicts"]["energy"]["status"], "pass");
    assert_eq!(percussion(&folder, &["verify", "a"]).code, 0);
}

/// Joints keep the masses together, do no work, and survive the round trip; what they hide from `verify` is named.
#[test]
fn joints_survive() {
    let folder = folder("joints");
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../gallery/two-mass-oscillator/scenario.toml"
    ))
    .expect("the gallery");
    let joined = text.replace("[scheme]", "[[model.joint]]\nrow = [1.0, -1.0]\n[scheme]");
    std::fs::write(folder.join("joined.toml"), joined).expect("a scenario");
    for scheme in ["moreau-jean", "newmark", "generalized-alpha"] {
        let first = run(&folder, "joined.toml", "a", &["--scheme", scheme]);
        assert_eq!(first["verdicts"]["joints"]["status"], "pass", "{scheme}");
        let second = run(&folder, "a/scenario.toml", "b", &[]);
        assert_eq!(first["state_hash"], second["state_hash"], "{scheme}");
        let verified = percussion(&folder, &["verify", "a"]);
        assert_eq!(verified.code, 0, "{scheme}: {}", verified.out);
        assert!(verified.out.contains("the impulses of joints are not stored"), "{}", verified.out);
    }
}

/// A later run into the same folder leaves nothing of the earlier one.
#[test]
fn folders_are_reused() {
    let folder = folder("reuse");
    run(&folder, "two-mass-oscillator", "out", &[]);
    std::fs::create_dir_all(folder.join("out/unsolved")).expect("a folder");
    std::fs::write(folder.join("out/unsolved/step-3.dat"), "1 0 1 1 1 1 1 1").expect("a file");
    let summary = run(&folder, "bouncing-ball", "out", &[]);
    assert_eq!(summary["scenario"], "bouncing-ball");
    assert!(!folder.join("out/unsolved").exists());
    assert_eq!(percussion(&folder, &["verify", "out"]).code, 0);
}

/// Thinned tables hold the sums of the full ones; the last state is always there. 2500 steps by 7 leave a rest of 1.
#[test]
fn thinning_sums() {
    let folder = folder("thinning");
    let full = run(&folder, "bouncing-ball", "full", &[]);
    let thin = run(&folder, "bouncing-ball", "thin", &["--set", "output.every=7"]);
    assert_eq!(full["state_hash"], thin["state_hash"]);
    assert_eq!(full["events"], thin["events"]);
    let table = |run: &str, table: &str, name: &str| column(&folder.join(run).join(table), name);
    for name in ["work_external", "work_damping", "work_contact", "work_joints", "dissipation_numerical"] {
        let sum = |run: &str| table(run, "ledger.csv", name).iter().sum::<f64>();
        assert!((sum("full") - sum("thin")).abs() < 1e-12 * 8.0, "{name}");
    }
    let impulses = |run: &str| table(run, "contacts.csv", "p_n").iter().sum::<f64>();
    assert!((impulses("full") - impulses("thin")).abs() < 1e-12 * impulses("full"));
    let largest = |run: &str| table(run, "ledger.csv", "residual").iter().fold(0.0_f64, |m, r| m.max(r.abs()));
    assert_eq!(largest("full"), largest("thin"));
    let (steps, t) = (table("thin", "ledger.csv", "step"), table("thin", "trajectory.csv", "t"));
    assert_eq!(steps.len(), 1 + 2500 / 7 + 1);
    assert_eq!((steps[1], steps[steps.len() - 1]), (7.0, 2500.0));
    assert_eq!(t[t.len() - 1], 5.0);
    let verified = percussion(&folder, &["verify", "thin"]);
    assert_eq!(verified.code, 0, "{}", verified.out);
    assert!(verified.out.contains("every = 7: the steps between two rows are not stored"), "{}", verified.out);
}

/// The largest memory a run of so many steps takes [kB], read while it runs.
#[cfg(target_os = "linux")]
fn peak_memory(folder: &Path, steps: u64, every: &str) -> u64 {
    let end = (steps as f64 * 2e-3).to_string();
    let mut child = program(folder)
        .args(["run", "bouncing-ball", "--quiet", "--out", &format!("run-{steps}-{every}"), "--end", &end])
        .args(["--set", &format!("output.every={every}")])
        .spawn()
        .expect("the program starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        if let Ok(text) = std::fs::read_to_string(&status) {
            let line = text.lines().find(|line| line.starts_with("VmHWM:"));
            let now = line.and_then(|line| line.split_whitespace().nth(1)).and_then(|x| x.parse().ok());
            peak = peak.max(now.unwrap_or(0));
        }
        if let Some(ended) = child.try_wait().expect("a child") {
            assert!(ended.success());
            return peak;
        }
        std::thread::sleep(Duration::from_micros(500));
    }
}

/// Memory does not grow with the number of steps: ten times the steps (2e5, some 30 MB of numbers) in at most 4 MB more.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_steps() {
    let folder = folder("memory");
    for every in ["1", "100"] {
        let (short, long) = (peak_memory(&folder, 20_000, every), peak_memory(&folder, 200_000, every));
        assert!(short > 0 && long < short + 4096, "every = {every}: {short} kB for 2e4 steps, {long} kB for 2e5");
    }
}

/// Ten million steps in the memory of a million, for as many rows: what the report draws grows with rows up to its limit.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "a minute; bench/results/reliability.md has the figures"]
fn ten_million_steps() {
    let folder = folder("ten-million");
    let (short, long) = (peak_memory(&folder, 1_000_000, "100"), peak_memory(&folder, 10_000_000, "1000"));
    println!("{short} kB for 1e6 steps, {long} kB for 1e7");
    assert!(short > 0 && long < short + 1024, "{short} kB for 1e6 steps, {long} kB for 1e7");
}

/// A floor that rises against a mass held by a joint: no impulse can satisfy the law. What came before is kept.
#[test]
fn failures_keep_what_came_before() {
    let folder = folder("failure");
    let text = BALL
        .replace("offset = 0.0", "offset = { mean = -1.0, sines = [{ amplitude = -0.1, omega = 1.0 }] }")
        .replace("q0 = [1.0]", "q0 = [1.05]")
        + "[[model.joint]]\nrow = [1.0]\noffset = -1.05\n";
    std::fs::write(folder.join("squeezed.toml"), text).expect("a scenario");
    let said = percussion(&folder, &["run", "squeezed.toml", "--out", "out"]);
    assert_eq!(said.code, 4, "{}", said.err);
    assert!(said.err.contains("E201"), "{}", said.err);
    let text = std::fs::read_to_string(folder.join("out/summary.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let (failure, steps) = (&summary["failure"], summary["steps"].as_u64().expect("a number"));
    assert_eq!(failure["code"], "E201");
    // 0.1 sin t reaches 0.05 at t = 0.52
    assert!((failure["t"].as_f64().expect("a number") - 0.52).abs() < 0.02, "{failure}");
    assert_eq!(column(&folder.join("out/trajectory.csv"), "t").len() as u64, steps + 1);
    // the problem can be looked at again, and still has no solution
    let problem = format!("out/unsolved/step-{}.dat", steps + 1);
    assert!(said.err.contains(&format!("percussion solve {problem}")), "{}", said.err);
    let again = percussion(&folder, &["solve", &problem, "--json"]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert!(
        again.out.contains("\"status\":\"no_solution\"") && again.out.contains("\"kind\":\"lcp\""),
        "{}",
        again.out
    );
    // the failure heads the page, alone or beside another run, and is the solver's
    assert_eq!(summary["verdicts"]["solver"]["status"], "fail");
    assert_eq!(summary["verdicts"]["solver"]["t"], failure["t"]);
    assert!(summary["verdicts"]["solver"]["text"].as_str().is_some_and(|text| text.contains("E201")));
    let headline = |page: &str| {
        let page = std::fs::read_to_string(folder.join(page)).expect("a page");
        let start = page.find("<p class=\"headline ").expect("a headline");
        page[start..].split("</p>").next().unwrap_or_default().to_string()
    };
    let said = percussion(&folder, &["verify", "out"]);
    assert_eq!(said.code, 0, "{}", said.out);
    run(&folder, "bouncing-ball", "good", &[]);
    assert_eq!(percussion(&folder, &["report", "good", "out"]).code, 0);
    for page in ["out/report.html", "percussion-report.html"] {
        let words = headline(page);
        assert!(words.contains("headline fail") && words.contains("E201") && words.contains("t = 0.5"), "{words}");
    }
    let said = percussion(&folder, &["run", "squeezed.toml", "--out", "out", "--json"]);
    let object: serde_json::Value = serde_json::from_str(&said.err).expect("JSON on standard error");
    assert_eq!((said.code, &object["error"]["code"]), (4, &"E201".into()));
}

/// A tolerance that round-off does not reach is told apart from a solver that failed, with one that can be reached.
#[test]
fn unreachable_tolerances() {
    let folder = folder("unreachable");
    std::fs::write(folder.join("column.toml"), stiff_column()).expect("a scenario");
    let said = percussion(&folder, &["run", "column.toml", "--out", "out", "--set", "solver.tolerance=1e-15"]);
    assert_eq!(said.code, 4, "{}{}", said.out, said.err);
    assert!(said.err.contains("E204") && said.err.contains("round-off alone leaves"), "{}", said.err);
    let help = said.err.split("set solver.tolerance = ").nth(1).expect("the remedy");
    let tolerance = format!("solver.tolerance={}", help.split_whitespace().next().expect("a number"));
    let said = percussion(&folder, &["run", "column.toml", "--out", "out", "--set", &tolerance]);
    assert_eq!(said.code, 0, "the remedy helps: {}", said.err);
}

/// Steps made shorter where they fail: the fixed step ends with a singular matrix, adaptive ones arrive.
#[test]
fn adaptive_steps_get_past_a_failure() {
    let folder = folder("past-failure");
    let run =
        ["run", "rotating-beam", "--step", "0.2", "--end", "2", "--scheme", "generalized-alpha-ggl", "--out", "out"];
    let said = percussion(&folder, &run);
    assert_eq!(said.code, 4, "{}{}", said.out, said.err);
    assert!(said.err.contains("time.adaptive"), "the remedy: {}", said.err);
    let said = percussion(&folder, &[&run[..], &["--set", "time.adaptive={ atol = 1e-3, rtol = 1e-3 }"]].concat());
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
}

/// An explicit scheme far above its critical step: the run ends before an infinity reaches a file.
#[test]
fn no_infinity_in_a_file() {
    let folder = folder("explosion");
    let arguments = ["run", "two-mass-oscillator", "--out", "out", "--step", "0.1", "--end", "1000"];
    let more = [
        "--set",
        "scheme.theta=0.0",
        "--set",
        "scheme.activation=predicted-and-closing",
        "--set",
        "model.contact=[]",
        "--set",
        "model.q0.1=1.1",
    ];
    let said = percussion(&folder, &[&arguments[..], &more[..]].concat());
    assert_eq!(said.code, 4, "{}{}", said.out, said.err);
    assert!(said.err.contains("E203"), "{}", said.err);
    for table in TABLES {
        let text = std::fs::read_to_string(folder.join("out").join(table)).expect("a table");
        assert!(!text.contains("inf") && !text.contains("NaN"), "{table}");
    }
    serde_json::from_str::<serde_json::Value>(
        &std::fs::read_to_string(folder.join("out/summary.json")).expect("a summary"),
    )
    .expect("JSON");
}

/// A problem without solution in the very first step is the solver's failure too.
#[test]
fn failures_in_the_first_step() {
    let folder = folder("first-step");
    let text = BALL
        .replace("offset = 0.0", "offset = { mean = -1.0, sines = [{ amplitude = -0.1, omega = 1.0 }] }")
        .replace("q0 = [1.0]", "q0 = [1.0005]")
        + "[[model.joint]]\nrow = [1.0]\noffset = -1.0005\n";
    std::fs::write(folder.join("squeezed.toml"), text).expect("a scenario");
    let said = percussion(&folder, &["run", "squeezed.toml", "--out", "out", "--json"]);
    let summary: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((said.code, &summary["steps"], &summary["solver"]["problems"]), (4, &0.into(), &0.into()));
    assert_eq!(summary["verdicts"]["solver"]["status"], "fail", "{summary}");
    assert_eq!(summary["verdicts"]["energy"]["status"], "none", "{summary}");
    assert_eq!(percussion(&folder, &["verify", "out"]).code, 0);
}

/// An initial energy that overflows is told before it reaches a file: E as invalid input, H of a scheme as E203.
#[test]
fn no_infinity_at_the_start() {
    let folder = folder("overflow");
    let finite = |out: &str| {
        for file in [&TABLES[..], &["summary.json"]].concat() {
            let Ok(text) = std::fs::read_to_string(folder.join(out).join(file)) else { continue };
            let infinite = |cell: &str| cell.trim().parse::<f64>().is_ok_and(|x| !x.is_finite() || x == f64::MAX);
            assert!(!text.split([',', '\n', ' ']).any(infinite), "{file}: {text}");
        }
    };
    let said = percussion(&folder, &["run", "bouncing-ball", "--out", "fast", "--set", "model.v0=[1e200]"]);
    assert!([3, 4].contains(&said.code), "{}{}", said.out, said.err);
    assert!(said.err.contains("E110") || said.err.contains("E203"), "{}", said.err);
    finite("fast");

    // ½ aᵀMa of an acceleration of 1e160 overflows, the energy of the state does not
    let load = ["--scheme", "generalized-alpha", "--set", "model.force=[-1e160]"];
    let said = percussion(&folder, &[&["run", "bouncing-ball", "--out", "out"], &load[..]].concat());
    assert_eq!(said.code, 4, "{}{}", said.out, said.err);
    assert!(said.err.contains("E203"), "{}", said.err);
    finite("out");
    let text = std::fs::read_to_string(folder.join("out/summary.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&summary["failure"]["code"], &summary["steps"]), (&"E203".into(), &0.into()));
    let page = std::fs::read_to_string(folder.join("out/report.html")).expect("a page");
    assert!(page.contains("headline fail") && page.contains("E203"));
    let said = percussion(&folder, &["verify", "out"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
}

/// An interrupt lets the step end, keeps the rows and exits with 130.
#[cfg(unix)]
#[test]
fn interrupts_keep_the_rows() {
    for signal in ["-INT", "-TERM"] {
        let folder = folder(&format!("interrupt{signal}"));
        let mut child = program(&folder)
            .args(["run", "bouncing-ball", "--quiet", "--out", "out", "--end", "1e6", "--set", "output.every=1000"])
            .spawn()
            .expect("the program starts");
        let patience = Instant::now();
        while !folder.join("out/trajectory.csv").metadata().is_ok_and(|m| m.len() > 100) {
            assert!(patience.elapsed() < Duration::from_secs(20), "no rows");
            std::thread::sleep(Duration::from_millis(10));
        }
        let killed = std::process::Command::new("sh").args(["-c", &format!("kill {signal} {}", child.id())]).status();
        assert!(killed.expect("a shell").success());
        assert_eq!(child.wait().expect("a child").code(), Some(130));
        let text = std::fs::read_to_string(folder.join("out/summary.json")).expect("a summary");
        let summary: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(summary["interrupted"], true);
        let page = std::fs::read_to_string(folder.join("out/report.html")).expect("a page");
        assert!(page.contains("<p class=\"headline fail\">the run ended at t = "));
        let t = column(&folder.join("out/trajectory.csv"), "t");
        assert_eq!(summary["t_end"].as_f64(), t.last().copied());
        assert_eq!(percussion(&folder, &["verify", "out"]).code, 0);
    }
}
