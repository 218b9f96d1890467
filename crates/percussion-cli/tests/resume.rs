//! Runs that are stopped, killed or out of disk: nothing a checkpoint vouches for is lost, and what is gone on with ends as
//! the same bytes.

#![cfg(unix)]

mod common;
use common::{folder, percussion, program, run, skipped};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

const TABLES: [&str; 4] = ["trajectory.csv", "contacts.csv", "ledger.csv", "events.csv"];

/// Tables, and the summary without the time it took and its checksum, which covers it.
fn left(folder: &Path) -> (Vec<Vec<u8>>, serde_json::Value) {
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut summary: serde_json::Value = serde_json::from_slice(&read("summary.json")).expect("JSON");
    summary["wall_s"] = 0.into();
    summary["summary_crc64"] = "".into();
    assert!(read("report.html").ends_with(b"</html>\n"), "the page is whole");
    (TABLES.iter().map(|name| read(name)).collect(), summary)
}

fn assert_same(a: &Path, b: &Path, what: &str) {
    let (a, b) = (left(a), left(b));
    for (k, name) in TABLES.iter().enumerate() {
        assert!(a.0[k] == b.0[k], "{what}: {name} differs");
    }
    assert_eq!(a.1, b.1, "{what}");
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("sh").args(["-c", &format!("kill {signal} {}", child.id())]).status();
    assert!(sent.expect("a shell").success());
}

fn wait_for(what: &str, done: impl Fn() -> bool) {
    let patience = Instant::now();
    while !done() {
        assert!(patience.elapsed() < Duration::from_secs(60), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// SIGINT and SIGTERM: exit 130 with a checkpoint; `resume` ends as if nothing had been.
#[test]
fn interrupted_runs_go_on() {
    let folder = folder("go-on");
    let more = ["--end", "400", "--set", "output.every=3"];
    run(&folder, "bouncing-ball", "whole", &more);
    for signal in ["-INT", "-TERM"] {
        // a folder each: rows of an earlier run would be taken for those of this one, before it listens
        let out = &format!("out{signal}");
        let mut child = program(&folder)
            .args(["run", "bouncing-ball", "--quiet", "--out", out])
            .args(more)
            .spawn()
            .expect("the program starts");
        wait_for("a row", || folder.join(out).join("trajectory.csv").metadata().is_ok_and(|m| m.len() > 100));
        send(signal, &child);
        assert_eq!(child.wait().expect("a child").code(), Some(130));
        assert!(folder.join(out).join("checkpoint").is_file());
        // the part made so far is a run of its own
        assert_eq!(percussion(&folder, &["verify", out]).code, 0);
        let said = percussion(&folder, &["resume", out]);
        assert_eq!(said.code, 0, "{}", said.err);
        assert_same(&folder.join(out), &folder.join("whole"), signal);
        let said = percussion(&folder, &["resume", out]);
        assert!(said.code == 0 && said.out.contains("has already finished"), "{}", said.out);
    }
}

/// A wall of 500 bricks, solved to a tolerance that its contact problem does not reach.
fn hard() -> String {
    let brick = |k: usize| {
        let (course, i) = (k / 25, k % 25);
        let at = [0.4 * i as f64 + 0.2 * (course % 2) as f64, 0.0, 0.1 + 0.2 * course as f64];
        format!(
            "[[body]]\nname = \"b{k}\"\nshape = {{ kind = \"box\", size = [0.4, 0.2, 0.2] }}\ndensity = 2000.0\nposition = {at:?}\n"
        )
    };
    let bricks: String = (0..500).map(brick).collect();
    format!(
        "[model]\nkind = \"bodies\"\nfriction = 0.6\n[[body]]\nname = \"floor\"\nshape = {{ kind = \"plane\" }}\nfixed = true\n{bricks}\
         [scheme]\nname = \"moreau-jean\"\n[solver]\ntolerance = 1e-15\nmax_iterations = 100000000\n[time]\nstep = 1e-3\nend = 0.1\n"
    )
}

/// Processor time of a process so far [s], from Linux's table of processes, which counts hundredths.
fn processor_time(id: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // the name before them may hold anything but ends with the last bracket
    let fields: Vec<f64> =
        text.rsplit(')').next()?.split_whitespace().map(|field| field.parse().unwrap_or(0.0)).collect();
    Some(0.01 * (fields.get(11)? + fields.get(12)?))
}

/// The exit of a child, and the processor time it took for that since `asked` [s].
fn ended(child: &mut Child, asked: f64) -> (Option<i32>, f64) {
    let mut last = asked;
    loop {
        last = processor_time(child.id()).unwrap_or(last).max(last);
        if let Some(status) = child.try_wait().expect("a child") {
            return (status.code(), last - asked);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// SIGTERM in a step that does not end: exit 130 within a second of processor time, whatever else the machine does, and what there is was written
/// and verifies.
#[test]
fn hard_steps_end_when_asked() {
    let folder = folder("hard-step");
    for scheme in ["moreau-jean", "landing", "generalized-alpha-ggl"] {
        std::fs::write(folder.join("hard.toml"), hard().replace("moreau-jean", scheme)).expect("a file");
        let mut child = program(&folder)
            .args(["run", "hard.toml", "--quiet", "--out", scheme])
            .spawn()
            .expect("the program starts");
        let trajectory = folder.join(scheme).join("trajectory.csv");
        let rows = || std::fs::read_to_string(&trajectory).map_or(0, |text| text.lines().count());
        wait_for("a start", || rows() >= 2);
        std::thread::sleep(Duration::from_millis(500));
        assert!(rows() < 12, "the step is not hard");
        let asked = processor_time(child.id()).unwrap_or(0.0);
        send("-TERM", &child);
        let (code, spent) = ended(&mut child, asked);
        assert_eq!(code, Some(130), "{scheme}");
        assert!(spent <= 1.0, "{scheme} took {spent:.2} s");
        assert!(folder.join(scheme).join("checkpoint").is_file());
        assert_eq!(percussion(&folder, &["verify", scheme]).code, 0);
    }
}

/// Runs of all kinds that are in the middle of long steps, told to stop: exit 130 within a second of processor time, with a checkpoint.
///
/// The bugs: contacts of two gear wheels that approach were looked for again at every state, over both meshes, for `gaps.csv` and for the page (5 s after
/// 1.5 s of steps); under `landing` and GGL a contact whose teeth had parted was looked for by its name among three million pairs of triangles, in one call
/// that hears nothing (30 s).
#[test]
fn long_steps_of_all_kinds_end_when_asked() {
    let folder = folder("long-steps");
    let gears = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/joints/gears.toml");
    let gears = gears.display().to_string();
    let mut scenes = vec![
        ("sphere-pile", "moreau-jean"),
        ("box-pile", "landing"),
        ("masonry-arch", "energy-momentum"),
        ("masonry-arch", "generalized-alpha-ggl"),
        ("chain", "landing"),
        ("cable-net", "moreau-jean"),
        ("elastic-block", "moreau-jean"),
        ("rocking-block-3d", "event-driven"),
    ];
    if Path::new(&gears).exists() {
        let schemes = ["moreau-jean", "energy-momentum", "landing", "generalized-alpha-ggl"];
        scenes.extend(schemes.map(|scheme| (gears.as_str(), scheme)));
    } else {
        skipped("gears.toml is not beside the repository");
    }
    for (k, (scene, scheme)) in scenes.into_iter().enumerate() {
        let out = format!("run-{k}");
        let mut child = program(&folder)
            .args(["run", scene, "--scheme", scheme, "--end", "100", "--quiet", "--out", &out])
            .args(["--set", "output.every=100"])
            .spawn()
            .expect("the program starts");
        let ledger = folder.join(&out).join("ledger.csv");
        wait_for("a start", || ledger.exists());
        std::thread::sleep(Duration::from_millis(1500));
        let asked = processor_time(child.id()).unwrap_or(0.0);
        send("-TERM", &child);
        let (code, spent) = ended(&mut child, asked);
        assert_eq!(code, Some(130), "{scene} under {scheme}");
        assert!(spent <= 1.0, "{scene} under {scheme} took {spent:.2} s");
        assert!(folder.join(&out).join("checkpoint").is_file(), "{scene} under {scheme}");
    }
}

/// A generator of random moments; which they are depends on the machine anyway.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

/// Runs to be killed: schemes of every kind on linear, nonlinear and frictional models and bodies, thinned tables, adaptive steps.
/// Each takes long enough to be struck while it makes steps.
const VICTIMS: [(&str, &[&str]); 12] = [
    ("bouncing-ball", &["--end", "150"]),
    ("two-mass-oscillator", &["--scheme", "generalized-alpha", "--end", "150", "--set", "output.every=7"]),
    ("elastic-bar", &["--scheme", "newmark"]),
    ("slanted-rod", &["--end", "100"]),
    ("pendulum", &[]),
    ("rotating-beam", &["--end", "1"]),
    ("newtons-cradle", &["--end", "1"]),
    ("dominoes", &["--end", "0.4"]),
    ("slider-crank", &["--end", "0.05"]),
    ("impact-oscillator", &["--scheme", "event-driven", "--end", "200"]),
    ("bouncing-ball", &["--scheme", "generalized-alpha-ggl", "--end", "80"]),
    ("bouncing-ball", &["--end", "400", "--set", "time.adaptive={ order = 1, atol = 1e-8, rtol = 1e-8 }"]),
];

/// Every table on disk is the beginning of the whole run's table; a kill tears at most its last row.
fn assert_prefix(out: &Path, whole: &[Vec<u8>], what: &str) {
    for (k, name) in TABLES.iter().enumerate() {
        let there = std::fs::read(out.join(name)).unwrap_or_default();
        assert!(whole[k].starts_with(&there), "{what}: {name} is not the beginning of the whole");
    }
}

/// Waits until a table has so many bytes, or the run has ended.
fn until(table: &Path, bytes: u64, child: &mut Child) {
    let patience = Instant::now();
    while table.metadata().map_or(0, |m| m.len()) < bytes && child.try_wait().expect("a child").is_none() {
        assert!(patience.elapsed() < Duration::from_secs(300), "{} bytes of {}", bytes, table.display());
        std::thread::sleep(Duration::from_micros(300));
    }
}

/// Kills runs and resumed runs at random moments so many times while they make steps. What a killed folder says to `verify` and
/// `report` is a code and the way to go on; gone on with it ends as the whole run's bytes.
fn kill(times: usize, name: &str, log: &mut String) {
    let folder = folder(name);
    let mut dice = Dice(20261115);
    let (mut kills, mut round, mut missed) = (0, 0, 0);
    for (k, (scenario, more)) in VICTIMS.iter().enumerate().take(times) {
        run(&folder, scenario, &format!("whole-{k}"), more);
    }
    while kills < times {
        let k = round % VICTIMS.len();
        let (scenario, more) = VICTIMS[k];
        let (whole, name) = (folder.join(format!("whole-{k}")), format!("out-{round}"));
        let (out, whole_tables) = (folder.join(&name), left(&whole).0);
        let rows = |bytes: &[u8]| bytes.iter().filter(|&&b| b == b'\n').count().saturating_sub(1);
        let all = rows(&whole_tables[0]);
        let mut arguments = vec!["run", scenario, "--out", &name, "--quiet", "--checkpoint", "0.1"];
        arguments.extend(more);
        for in_a_row in 1..=1 + dice.below(3) {
            let table = out.join("trajectory.csv");
            let there = table.metadata().map_or(0, |m| m.len());
            let mut child = program(&folder).args(&arguments).spawn().expect("the program starts");
            // anywhere in the run: now and then before its first row, and up to nine tenths of it
            let ahead = (whole_tables[0].len() as u64 * 9 / 10).saturating_sub(there);
            let wanted = if dice.below(8) == 0 { 0 } else { there + dice.below(ahead.max(1)) };
            until(&table, wanted, &mut child);
            std::thread::sleep(Duration::from_micros(dice.below(3000)));
            child.kill().expect("killed");
            if child.wait().expect("a child").code().is_some() {
                missed += 1;
                break;
            }
            kills += 1;
            assert_prefix(&out, &whole_tables, scenario);
            let has = |name: &str| out.join(name).is_file();
            let state = match (has("scenario.toml"), has("checkpoint")) {
                (false, _) => "nothing yet",
                (true, true) => "checkpoint",
                (true, false) => "tables without checkpoint",
            };
            // a summary may only be that of the same run, stopped as the last step was made
            assert!(
                !has("summary.json") || rows(&std::fs::read(&table).expect("a table")) == all,
                "{scenario}: a summary"
            );
            for command in ["verify", "report"] {
                let said = percussion(&folder, &[command, &name]);
                let told = said.err.contains("[E301]") && said.err.contains("help: ");
                let resumes = !has("scenario.toml") || said.err.contains(&format!("percussion resume {name}"));
                assert!(
                    has("summary.json") || (said.code == 7 && told && resumes),
                    "{command} {scenario}: {}",
                    said.err
                );
            }
            assert_prefix(&out, &whole_tables, scenario);
            let made = rows(&std::fs::read(&table).unwrap_or_default());
            *log += &format!(
                "{kills:3}  {scenario:<20} {:<22} {in_a_row} in a row {made:>7} of {all:>7} rows  {state}\n",
                more.iter()
                    .skip_while(|word| **word != "--scheme")
                    .nth(1)
                    .copied()
                    .unwrap_or(if more.iter().any(|word| word.contains("adaptive")) { "adaptive" } else { "" })
            );
            if has("scenario.toml") {
                arguments = vec!["resume", &name, "--quiet", "--checkpoint", "0.1"];
            }
            if kills >= times {
                break;
            }
        }
        let said = percussion(&folder, &arguments);
        assert_eq!(said.code, 0, "{scenario}: {}", said.err);
        assert_same(&out, &whole, scenario);
        assert_eq!(percussion(&folder, &["verify", &name]).code, 0, "{scenario}");
        std::fs::remove_dir_all(&out).expect("removed");
        round += 1;
    }
    *log += &format!(
        "{kills} kills of running programs in {round} runs ({missed} aimed at had ended, not counted), 0 losses: every run ended as the \
         same bytes as one never killed\n"
    );
}

/// Kills a sweep at random moments; the same command goes on, and the table is that of one never killed.
fn kill_sweep(times: usize, name: &str, log: &mut String) {
    let folder = folder(name);
    let text = "[sweep]\nscenario = \"bouncing-ball\"\nmethod = \"random\"\nsamples = 60\nseed = 5\n\
                measure = [\"max q0\"]\n[[sweep.parameter]]\nkey = \"time.end\"\nfrom = 5.0\nto = 20.0\n";
    std::fs::write(folder.join("s.toml"), text).expect("a sweep");
    let sweep = ["sweep", "s.toml", "--quiet", "--threads", "2", "--out"];
    assert_eq!(percussion(&folder, &[&sweep[..], &["whole"]].concat()).code, 0);
    let whole = std::fs::read(folder.join("whole/sweep.csv")).expect("a table");
    let part = || {
        let parts = std::fs::read_dir(folder.join("out")).into_iter().flatten().flatten();
        let mut parts = parts.filter(|file| file.file_name().to_string_lossy().starts_with("part-"));
        parts
            .next()
            .map_or(0, |file| std::fs::read(file.path()).map_or(0, |b| b.iter().filter(|&&c| c == b'\n').count()))
    };
    let mut dice = Dice(7);
    let mut kills = 0;
    while kills < times {
        let mut child = program(&folder).args(sweep).arg("out").spawn().expect("the program starts");
        let wanted = part() + dice.below(8) as usize;
        let patience = Instant::now();
        while part() < wanted && child.try_wait().expect("a child").is_none() {
            assert!(patience.elapsed() < Duration::from_secs(300), "the sweep stands still");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(dice.below(5000)));
        child.kill().expect("killed");
        if child.wait().expect("a child").code().is_some() {
            assert_eq!(std::fs::read(folder.join("out/sweep.csv")).expect("a table"), whole, "the sweep ended");
            std::fs::remove_dir_all(folder.join("out")).expect("removed");
            continue;
        }
        kills += 1;
        *log += &format!("{kills:3}  sweep of 60 runs      {:>3} rows\n", part().saturating_sub(1));
    }
    assert_eq!(percussion(&folder, &[&sweep[..], &["out"]].concat()).code, 0);
    assert_eq!(std::fs::read(folder.join("out/sweep.csv")).expect("a table"), whole, "the sweep went on");
    *log += &format!("{kills} kills of a running sweep, 0 losses\n");
}

/// Killed at random moments: the short form. `-- --ignored a_hundred_kills` is the long one.
#[test]
fn kills() {
    kill(12, "kills", &mut String::new());
    kill_sweep(3, "sweep-kills", &mut String::new());
}

/// A hundred kills of runs and twenty of a sweep, logged to `kills.log` in the folder of temporary files.
#[test]
#[ignore = "some minutes; its log is kept in bench/results"]
fn a_hundred_kills() {
    let mut log = String::new();
    kill(100, "hundred-kills", &mut log);
    kill_sweep(20, "twenty-kills", &mut log);
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("kills.log"), &log).expect("a log");
    println!("{log}");
}

/// Runs a line of shell with the program as $P, in a folder.
fn shell(folder: &Path, line: &str) -> common::Said {
    let mut command = Command::new("sh");
    command.current_dir(folder).env("P", env!("CARGO_BIN_EXE_percussion")).args(["-c", line]);
    command.output().expect("a shell").into()
}

/// Files that may not grow further, as on a full disk: exit 7 with the file's name, and the run goes on once they may.
#[test]
fn no_room() {
    let folder = folder("no-room");
    run(&folder, "bouncing-ball", "whole", &["--end", "60"]);
    // 512 or 1024 bytes a block: the limit falls into the middle of the tables, and checkpoints were written before
    let said = shell(
        &folder,
        "trap '' XFSZ; ulimit -f 2000; exec \"$P\" run bouncing-ball --end 60 --out out --quiet --checkpoint 0",
    );
    assert_eq!(said.code, 7, "{}", said.err);
    assert!(said.err.contains("E300") && said.err.contains(".csv"), "{}", said.err);
    assert!(said.err.contains("percussion resume out"), "the remedy: {}", said.err);
    let said = percussion(&folder, &["resume", "out", "--quiet"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_same(&folder.join("out"), &folder.join("whole"), "no room");
}

/// A table that is a link to a device, here one that is always full, is not written: exit 7 and the file's name.
#[cfg(target_os = "linux")]
#[test]
fn a_linked_device() {
    for table in TABLES {
        let folder = folder("full-device");
        run(&folder, "bouncing-ball", "out", &[]);
        std::fs::remove_file(folder.join("out").join(table)).expect("a table");
        std::os::unix::fs::symlink("/dev/full", folder.join("out").join(table)).expect("a link");
        let said = percussion(&folder, &["run", "bouncing-ball", "--out", "out", "--quiet"]);
        assert_eq!(said.code, 7, "{table}: {}", said.err);
        assert!(said.err.contains("E300") && said.err.contains(table), "{table}: {}", said.err);
        assert!(!folder.join("out/summary.json").exists(), "{table}: no conclusion without its tables");
    }
}

/// A file system of ten megabytes in memory: exit 7 when it is full, and the same bytes once it has grown. The tables take 14 MB,
/// of which 8.8 are known beforehand.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let folder = folder("full-disk");
    run(&folder, "bouncing-ball", "whole", &["--end", "60"]);
    std::fs::create_dir_all(folder.join("disk")).expect("a folder");
    if shell(&folder, "unshare -rm mount -t tmpfs -o size=1m none disk").code != 0 {
        return skipped("no file system may be mounted here; `no_room` stands for it");
    }
    let said = shell(
        &folder,
        "exec unshare -rm sh -c 'mount -t tmpfs -o size=10m none disk || exit 99
         \"$P\" run bouncing-ball --end 60 --out disk/out --quiet --checkpoint 0.001; first=$?
         mount -o remount,size=64m disk || exit 98
         \"$P\" resume disk/out --quiet || exit 97
         cp -r disk/out out; exit $first'",
    );
    assert_eq!(said.code, 7, "{}", said.err);
    assert!(said.err.contains("E300"), "{}", said.err);
    assert_same(&folder.join("out"), &folder.join("whole"), "full disk");
}

/// A folder that may not be written: exit 7, E300, whether for a new run, for going on or for a report.
#[test]
fn read_only_folders() {
    let folder = folder("read-only");
    run(&folder, "bouncing-ball", "out", &[]);
    // a place where nobody may make a folder, root included
    std::fs::write(folder.join("file"), "no folder").expect("a file");
    let said = percussion(&folder, &["run", "bouncing-ball", "--quiet", "--out", "file/below"]);
    assert!(said.code == 7 && said.err.contains("E300"), "{}", said.err);
    let commands = ["run bouncing-ball --quiet --out out", "run bouncing-ball --quiet --out out/below", "report out"];
    let locked = |line: &str| {
        // permissions bind everyone but root; for root the folder is mounted read-only
        let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.starts_with(b"0"));
        if !root {
            return Some(shell(&folder, &format!("chmod 555 out; \"$P\" {line}; code=$?; chmod 755 out; exit $code")));
        }
        let mount = "mount --bind out out && mount -o remount,ro,bind out";
        (shell(&folder, &format!("unshare -m sh -c '{mount}'")).code == 0)
            .then(|| shell(&folder, &format!("unshare -m sh -c '{mount} && exec \"$P\" {line}'")))
    };
    for line in commands {
        let Some(said) = locked(line) else {
            return skipped("nothing may be mounted read-only here, and permissions do not bind root");
        };
        assert_eq!(said.code, 7, "{line}: {}", said.err);
        assert!(said.err.contains("E300"), "{line}: {}", said.err);
    }
    assert_eq!(percussion(&folder, &["verify", "out"]).code, 0, "what was there is still whole");
}
