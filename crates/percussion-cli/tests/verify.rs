//! `verify` notices a single changed number in any table.

mod common;
use common::{folder, percussion, run};
use std::path::Path;

/// Adds 1e-5 to one cell in the middle of a table; the largest energy is 500 J, so 5e-7 J would already count.
fn tamper(path: &Path, column: usize) -> bool {
    let text = std::fs::read_to_string(path).expect("a table");
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let middle = 1 + lines.len() / 2;
    let mut cells: Vec<String> = lines[middle].split(',').map(str::to_string).collect();
    let Ok(x) = cells[column].parse::<f64>() else { return false };
    cells[column] = format!("{:.16e}", x + 1e-5);
    lines[middle] = cells.join(",");
    std::fs::write(path, lines.join("\n") + "\n").expect("a table");
    true
}

/// Takes the checksums out of a summary, so that only what the numbers mean can tell.
fn forget_checksums(run: &Path) {
    let path = run.join("summary.json");
    let mut summary: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&path).expect("a summary")).expect("JSON");
    assert!(summary.as_object_mut().and_then(|map| map.remove("tables")).is_some());
    std::fs::write(path, summary.to_string()).expect("a summary");
}

/// One bit anywhere in a table is noticed by its checksum, whatever it means.
#[test]
fn one_changed_bit_is_noticed() {
    let folder = folder("bit");
    run(&folder, "slanted-rod", "run", &["--set", "output.every=5"]);
    for table in ["trajectory.csv", "contacts.csv", "ledger.csv", "events.csv"] {
        let path = folder.join("run").join(table);
        let good = std::fs::read(&path).expect("a table");
        // the last digit of the last number of a row
        let mut bad = good.clone();
        let place = good.len() - good.iter().rev().skip(1).position(|b| b.is_ascii_digit()).expect("a digit") - 2;
        bad[place] ^= 1;
        std::fs::write(&path, &bad).expect("a table");
        let said = percussion(&folder, &["verify", "run"]);
        let all = format!("{}{}", said.out, said.err);
        assert!([3, 5].contains(&said.code), "{table}: {all}");
        assert!(said.code == 3 || all.contains("its bytes were changed"), "{table}: {all}");
        std::fs::write(&path, &good).expect("a table");
    }
    let said = percussion(&folder, &["verify", "run"]);
    assert!(said.code == 0 && said.out.contains("checksums"), "{}", said.out);
}

/// Every number of trajectory, ledger and contacts in turn, for a θ-scheme and for generalized-α.
#[test]
fn one_changed_number_is_noticed() {
    let folder = folder("tamper");
    for (name, scheme) in [("impact-oscillator", "moreau-jean"), ("elastic-bar", "generalized-alpha")] {
        run(&folder, name, name, &["--scheme", scheme]);
        assert_eq!(percussion(&folder, &["verify", name]).code, 0);
        forget_checksums(&folder.join(name));
        let n = if name == "elastic-bar" { 201 } else { 1 };
        let columns = [
            ("trajectory.csv", vec![0, 1, n, n + 1, 2 * n]),
            ("ledger.csv", vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
            ("contacts.csv", vec![3, 4, 7]),
        ];
        for (table, columns) in columns {
            let path = folder.join(name).join(table);
            let good = std::fs::read(&path).expect("a table");
            for column in columns {
                assert!(tamper(&path, column), "{table}: column {column} is not a number");
                let said = percussion(&folder, &["verify", name]);
                assert_eq!(said.code, 5, "{name}: {table}, column {column}:\n{}", said.out);
                assert!(said.out.contains("differs"), "{}", said.out);
                std::fs::write(&path, &good).expect("a table");
            }
        }
    }
}

/// Of GGL on linear models: states, impulses and the works of loads, dampers and contacts; what moves positions is not stored.
#[test]
fn changed_numbers_of_ggl_are_noticed() {
    let folder = folder("tamper-ggl");
    for name in ["bouncing-ball", "impact-oscillator", "two-mass-oscillator"] {
        for scheme in ["generalized-alpha-ggl", "generalized-alpha-modified-lcp"] {
            run(&folder, name, "run", &["--scheme", scheme]);
            let said = percussion(&folder, &["verify", "run"]);
            assert_eq!(said.code, 0, "{name} by {scheme}:\n{}", said.out);
            forget_checksums(&folder.join("run"));
            // work_external, work_damping, work_contact; p_n
            for (table, columns) in [("ledger.csv", vec![6, 7, 8]), ("contacts.csv", vec![7])] {
                let path = folder.join("run").join(table);
                let good = std::fs::read(&path).expect("a table");
                for column in columns {
                    assert!(tamper(&path, column), "{table}: column {column} is not a number");
                    let said = percussion(&folder, &["verify", "run"]);
                    let differs = |check: &str| {
                        said.out.lines().any(|l| l.starts_with(&format!("  {check}")) && l.contains("differs"))
                    };
                    let check = ["work_external", "work_damping", "work_contact"].get(column - 6).copied();
                    let noticed =
                        if table == "ledger.csv" { check.is_some_and(differs) } else { differs("velocities") };
                    assert!(said.code == 5 && noticed, "{name} by {scheme}, {table}, column {column}:\n{}", said.out);
                    std::fs::write(&path, &good).expect("a table");
                }
            }
            std::fs::remove_dir_all(folder.join("run")).expect("a run");
        }
    }
}

/// Of GGL on bodies: impulses by the momentum of each body, and the work of the law; balls and a box between and before planes, with friction.
#[test]
fn changed_impulses_of_ggl_on_bodies_are_noticed() {
    let folder = folder("tamper-ggl-bodies");
    std::fs::write(folder.join("bodies.toml"), GGL_BODIES).expect("a file");
    run(&folder, "bodies.toml", "run", &[]);
    let said = percussion(&folder, &["verify", "run"]);
    assert_eq!(said.code, 0, "{}", said.out);
    let line = |said: &common::Said, check: &str| {
        said.out.lines().find(|l| l.starts_with(&format!("  {check}"))).unwrap_or_default().to_string()
    };
    for check in ["work_contact", "impulse balance"] {
        assert!(line(&said, check).contains(" ok "), "{}", said.out);
    }
    forget_checksums(&folder.join("run"));
    // work_contact; p_n, p_t1, p_t2
    for (table, column, check) in [
        ("ledger.csv", 8, "work_contact"),
        ("contacts.csv", 7, "impulse balance"),
        ("contacts.csv", 8, "impulse balance"),
        ("contacts.csv", 9, "impulse balance"),
    ] {
        let path = folder.join("run").join(table);
        let good = std::fs::read(&path).expect("a table");
        assert!(tamper(&path, column), "{table}: column {column} is not a number");
        let said = percussion(&folder, &["verify", "run"]);
        assert!(said.code == 5 && line(&said, check).contains("differs"), "{table}, column {column}:\n{}", said.out);
        std::fs::write(&path, &good).expect("a table");
    }
}

/// Two balls that meet, one of them rolling on a table, and a box that slides.
const GGL_BODIES: &str = r#"
[model]
kind = "bodies"
gravity = [0.0, 0.0, -9.81]
friction = 0.3
restitution = 0.4
[[body]]
name = "table"
shape = { kind = "plane" }
fixed = true
[[body]]
name = "a"
shape = { kind = "sphere", radius = 0.1 }
density = 1000.0
position = [0.0, 0.0, 0.1]
velocity = [1.0, 0.2, 0.0]
[[body]]
name = "b"
shape = { kind = "sphere", radius = 0.08 }
density = 2000.0
position = [0.3, 0.02, 0.3]
angular_velocity = [1.0, 2.0, 3.0]
[[body]]
name = "box"
shape = { kind = "box", size = [0.2, 0.1, 0.1] }
density = 500.0
position = [0.0, 1.0, 0.05]
velocity = [0.5, 0.1, 0.0]
[scheme]
name = "generalized-alpha-ggl"
[time]
step = 1e-3
end = 0.5
"#;

/// Missing files are I/O, damaged ones invalid input; both name the file.
#[test]
fn missing_and_damaged_files() {
    let folder = folder("damage");
    run(&folder, "bouncing-ball", "run", &[]);
    assert_eq!(percussion(&folder, &["verify", "no-such-folder"]).code, 7);
    for file in ["summary.json", "scenario.toml", "trajectory.csv", "ledger.csv", "contacts.csv", "events.csv"] {
        let path = folder.join("run").join(file);
        let good = std::fs::read(&path).expect("a file");
        std::fs::remove_file(&path).expect("removable");
        let said = percussion(&folder, &["verify", "run"]);
        assert_eq!(said.code, 7, "{file}: {}", said.err);
        assert!(said.err.contains("E301") && said.err.contains(file), "{file}: {}", said.err);

        // cut in the middle of a number
        std::fs::write(&path, &good[..good.len() / 2]).expect("a file");
        let said = percussion(&folder, &["verify", "run"]);
        assert_eq!(said.code, 3, "{file}: {}", said.err);
        assert!(said.err.contains(file), "{file}: {}", said.err);
        std::fs::write(&path, &good).expect("a file");
    }
    for (from, to) in [("e0,", "eX,"), ("e-1,", "e999,"), ("open", "ajar")] {
        let path = folder.join("run/contacts.csv");
        let good = std::fs::read_to_string(&path).expect("a table");
        std::fs::write(&path, good.replacen(from, to, 1)).expect("a table");
        let said = percussion(&folder, &["verify", "run"]);
        assert!(good == good.replacen(from, to, 1) || said.code == 3, "{to}: {}", said.err);
        std::fs::write(&path, &good).expect("a table");
    }
    assert_eq!(percussion(&folder, &["verify", "run"]).code, 0);
}

/// What the stored data cannot support is named, with the reason.
#[test]
fn unsupported_checks_are_named() {
    let folder = folder("unsupported");
    run(&folder, "bouncing-ball", "lifted", &["--set", "scheme.projection=paid"]);
    let said = percussion(&folder, &["verify", "lifted"]);
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(said.out.contains("the lift of the projection is not stored"), "{}", said.out);
    let said = percussion(&folder, &["verify", "lifted", "--json"]);
    let list: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert!(list.as_array().is_some_and(|list| list.iter().any(|check| check["status"] == "unsupported")));
}

/// Two masses on a spring, lifted out of the floor: the forces before the lift are not stored, the run is not at fault.
#[test]
fn lifted_runs_with_stiffness_are_not_rejected() {
    let folder = folder("lifted-stiff");
    let spring = "mass = [[1.0, 0.0], [0.0, 1.0]]\nstiffness = [[1e3, -1e3], [-1e3, 1e3]]\nforce = [-10.0, -10.0]\n\
                  q0 = [1.0, 1.0]\n[[model.contact]]\nnormal = [1.0, 0.0]\nrestitution = 0.0\n";
    let scenario = |scheme: &str| {
        format!(
            "name = \"paid\"\n[model]\nkind = \"linear\"\n{spring}[scheme]\nname = \"{scheme}\"\nprojection = \"paid\"\n\
             [time]\nend = 2.0\nstep = 2e-3\n"
        )
    };
    for scheme in ["moreau-jean", "moreau-jean-midpoint"] {
        std::fs::write(folder.join("paid.toml"), scenario(scheme)).expect("a file");
        run(&folder, "paid.toml", "paid", &[]);
        let said = percussion(&folder, &["verify", "paid", "--json"]);
        assert_eq!(said.code, 0, "{scheme}: {}", said.out);
        let list: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
        let check = list.as_array().and_then(|list| list.iter().find(|check| check["check"] == "velocities"));
        let text = check.and_then(|check| check["text"].as_str()).unwrap_or_default();
        assert!(text.contains("lift"), "{scheme}: {}", said.out);
    }
}

/// Three masses stacked and at rest: what is left of velocities and energies is round-off of m g h.
#[test]
fn runs_at_rest_agree_with_themselves() {
    let folder = folder("rest");
    let contact = |normal: &str| format!("[[model.contact]]\nnormal = [{normal}]\noffset = -0.1\nrestitution = 0.5\n");
    let text = format!(
        "name = \"rest\"\n[model]\nkind = \"linear\"\nmass = [[0.3, 0, 0], [0, 0.7, 0], [0, 0, 1.1]]\n\
         force = [-2.943, -6.867, -10.791]\nq0 = [0.1, 0.2, 0.3]\n{}{}{}[time]\nend = 1\nstep = 1e-3\n",
        contact("1, 0, 0"),
        contact("-1, 1, 0"),
        contact("0, -1, 1")
    );
    std::fs::write(folder.join("rest.toml"), text).expect("a file");
    for scheme in ["moreau-jean", "moreau-jean-midpoint", "newmark", "hht", "generalized-alpha", "implicit-newmark"] {
        // whatever the certificates say of round-off, the run agrees with itself
        let said = percussion(&folder, &["run", "rest.toml", "--out", "rest", "--scheme", scheme]);
        assert!([0, 5].contains(&said.code), "{scheme}: {}", said.err);
        let said = percussion(&folder, &["verify", "rest"]);
        assert_eq!(said.code, 0, "{scheme}:\n{}", said.out);
    }
    // an impulse that does not carry the weight is still noticed
    forget_checksums(&folder.join("rest"));
    assert!(tamper(&folder.join("rest/contacts.csv"), 7));
    assert_eq!(percussion(&folder, &["verify", "rest"]).code, 5);
}

/// Events that were changed, lost, doubled, moved or renamed; kinds and contacts that do not exist are damage.
#[test]
fn changed_events_are_noticed() {
    let folder = folder("events");
    let summary = run(&folder, "bouncing-ball", "run", &["--scheme", "moreau-jean"]);
    for kind in ["impact", "close"] {
        assert!(summary["events"][kind].as_u64().is_some_and(|n| n > 0), "{summary}");
    }
    forget_checksums(&folder.join("run"));
    let path = folder.join("run/events.csv");
    let good = std::fs::read_to_string(&path).expect("a table");
    let says = |text: &str, code: i32, word: &str| {
        std::fs::write(&path, text).expect("a table");
        let said = percussion(&folder, &["verify", "run"]);
        let all = format!("{}{}", said.out, said.err);
        assert!(said.code == code && all.contains(word), "{code} {word}: {all}");
    };
    says(&good, 0, "events");
    for column in [0, 4, 5, 6] {
        // the second row is an impact
        let mut lines: Vec<String> = good.lines().map(str::to_string).collect();
        let mut cells: Vec<String> = lines[2].split(',').map(str::to_string).collect();
        assert_eq!(cells[2], "impact");
        cells[column] = format!("{:.16e}", cells[column].parse::<f64>().expect("a number") + 1e-5);
        lines[2] = cells.join(",");
        says(&(lines.join("\n") + "\n"), 5, "differs");
    }
    let lines: Vec<&str> = good.lines().collect();
    let table = |lines: &[&str]| lines.join("\n") + "\n";
    let without = |k: usize| [&lines[..k], &lines[k + 1..]].concat();
    says(&table(&without(1)), 5, "in summary.json");
    says(&table(&[&lines[..2], &lines[1..]].concat()), 5, "twice");
    says(&table(&[&lines[..1], &lines[2..3], &lines[1..2], &lines[3..]].concat()), 5, "differs");
    says(&good.replacen("impact", "close", 1), 5, "does not follow");
    says(&good.replacen("close", "impact", 1), 5, "differs");
    says(&good.replacen("impact,0", "impact,1", 1), 3, "E301");
    says(&good.replacen("impact", "crash", 1), 3, "E301");
    says(&good, 0, "events");
}

/// Verdicts, guarantee and counts of the summary.
#[test]
fn changed_summaries_are_noticed() {
    let folder = folder("summaries");
    let change = |out: &str, pointer: &str, value: serde_json::Value| {
        let path = folder.join(out).join("summary.json");
        let good = std::fs::read_to_string(&path).expect("a summary");
        let mut summary: serde_json::Value = serde_json::from_str(&good).expect("JSON");
        *summary.pointer_mut(pointer).expect(pointer) = value;
        std::fs::write(&path, summary.to_string()).expect("a summary");
        let said = percussion(&folder, &["verify", out]);
        assert_eq!(said.code, 5, "{pointer}: {}{}", said.out, said.err);
        std::fs::write(&path, good).expect("a summary");
    };
    run(&folder, "impact-oscillator", "run", &["--scheme", "moreau-jean"]);
    assert_eq!(percussion(&folder, &["verify", "run"]).code, 0);
    for (pointer, value) in [
        ("/events/impact", 0.into()),
        ("/events/open", 12345.into()),
        ("/guarantee/theorem", "a better one".into()),
        ("/verdicts/gap/worst", 1e-20.into()),
        ("/verdicts/gap/status", "fail".into()),
        ("/verdicts/energy/status", "fail".into()),
        ("/verdicts/energy/worst", 1.0.into()),
        ("/verdicts/energy/text", "all is well".into()),
        ("/verdicts/joints/status", "pass".into()),
        ("/verdicts/cone/status", "pass".into()),
        ("/verdicts/solver/status", "fail".into()),
        ("/verdicts/solver/worst", 1.0.into()),
    ] {
        change("run", pointer, value);
    }
    let holds = run(&folder, "impact-oscillator", "run", &[])["guarantee"]["holds"].as_bool().expect("a word");
    change("run", "/guarantee/holds", (!holds).into());

    // thinned rows see a part of the depth: more may be told, less not
    run(&folder, "elastic-bar", "thin", &["--set", "output.every=7"]);
    assert_eq!(percussion(&folder, &["verify", "thin"]).code, 0);
    change("thin", "/verdicts/gap/worst", 0.0.into());
}

/// Two discs meet spinning under `landing` and fly apart: 7 cm behind the impact the tangential velocity of their contact is taken at the one
/// point between them.
///
/// The bug: the run took it where the point lay when the contact was found, `verify` at two points on the surfaces, and rejected one
/// untouched run in twenty.
#[test]
fn regression_discs_that_part_under_landing() {
    let folder = folder("part");
    let disc = |name: &str, place: &str, v: &str, w: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nshape = {{ kind = \"sphere\", radius = 0.1 }}\nmass = 1.0\nposition = {place}\nvelocity = {v}\n\
             angular_velocity = [{w}]\n"
        )
    };
    let text = format!(
        "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0, 0]\nrestitution = 1.0\nfriction = 0.5\n{}{}\
         [scheme]\nname = \"landing\"\n[time]\nend = 0.2\nstep = 1e-2\n",
        disc("a", "[0.0, 0.0]", "[3.0, 0.2]", 20.0),
        disc("b", "[0.4, 0.05]", "[-3.0, 0.0]", -5.0)
    );
    std::fs::write(folder.join("discs.toml"), text).expect("a file");
    let said = percussion(&folder, &["run", "discs.toml", "--out", "run"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let table = std::fs::read_to_string(folder.join("run/contacts.csv")).expect("a table");
    let apart =
        |line: &str| line.split(',').nth(3).and_then(|gap| gap.parse::<f64>().ok()).is_some_and(|gap| gap > 0.01);
    assert!(table.lines().skip(1).any(apart), "no contact that opened:\n{table}");
    let said = percussion(&folder, &["verify", "run"]);
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(said.out.contains("u_t                 ok"), "{}", said.out);
}
