//! Random scenes of every kind under every scheme: what `check` accepts runs to its end with its certificates.
//!
//!   failure = a step that cannot be made, a certificate that failed, a panic, or more than a minute
//!
//! Scene number k is the same text in every version. `PERCUSSION_SCENES=10000` runs that many (`PERCUSSION_FIRST=n` from number n on) and writes the rates
//! by kind and scheme to `bench/results/scenes.md`; `PERCUSSION_SCENE=k` prints number k.

mod bodies;
mod linear;
mod nonlinear;

use percussion_scenario::{LoadOptions, Loaded, load_text};
use percussion_solve::Stop as Cut;
use percussion_step::problems::Dice as Bits;
use percussion_step::{Audit, Outcome, SCHEMES, Verdict};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Seconds after which a run counts as one that does not end.
const LIMIT: u64 = 60;
/// Scenes of the short form.
const FEW: u64 = 60;
/// What must end well, of 1000.
const WELL: f64 = 995.0;
/// Schemes that are kept to show how they fail.
const DELIBERATE: &[&str] = &["naive-newmark-velocity", "naive-newmark-position", "smooth-generalized-alpha"];

/// What scenes are drawn with.
pub struct Dice(Bits);

impl Dice {
    fn numbered(k: u64) -> Self {
        Self(Bits(k.wrapping_mul(0x9e37_79b9).wrapping_add(25)))
    }

    fn real(&mut self, a: f64, b: f64) -> f64 {
        self.0.real(a, b)
    }

    fn whole(&mut self, a: usize, b: usize) -> usize {
        self.0.whole(a, b)
    }

    fn vector(&mut self, n: usize) -> Vec<f64> {
        self.0.vector(n)
    }

    fn chance(&mut self, p: f64) -> bool {
        self.real(0.0, 1.0) < p
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.whole(0, list.len() - 1)]
    }
}

fn number(x: f64) -> String {
    format!("{x:?}")
}

fn list(x: &[f64]) -> String {
    format!("{x:?}")
}

/// A scene as text, with its kind and scheme.
struct Scene {
    kind: &'static str,
    scheme: &'static str,
    text: String,
}

/// Kinds with how often they are drawn, of 20.
const KINDS: [(&str, usize); 11] = [
    ("linear", 4),
    ("bar", 1),
    ("pendulum", 1),
    ("rocking-block", 1),
    ("beam", 1),
    ("formula", 2),
    ("bodies, plane", 2),
    ("bodies, space", 4),
    ("stacked, plane", 1),
    ("stacked, space", 1),
    ("jointed", 2),
];

fn scene(k: u64) -> Scene {
    let mut dice = Dice::numbered(k);
    let mut draw = dice.whole(0, 19);
    let kind = KINDS
        .iter()
        .find_map(|&(kind, share)| {
            let found = draw < share;
            draw = draw.wrapping_sub(share);
            found.then_some(kind)
        })
        .expect("the shares add up to 20");
    // among those that move such models at all
    let is_bodies = kind.starts_with("bodies") || kind.starts_with("stacked") || kind == "jointed";
    let word = match kind {
        _ if is_bodies => "bodies",
        "linear" | "bar" => "linear",
        _ => "nonlinear",
    };
    let able: Vec<&str> =
        SCHEMES.iter().map(|entry| entry.name).filter(|name| percussion_step::support(name).contains(&word)).collect();
    let scheme = dice.of(&able);
    let planar = kind.ends_with("plane") || (kind == "jointed" && dice.chance(0.5));
    let model = match kind {
        "linear" => linear::system(&mut dice),
        "bar" => linear::bar(&mut dice),
        "pendulum" => nonlinear::pendulum(&mut dice),
        "rocking-block" => nonlinear::rocking_block(&mut dice),
        "beam" => nonlinear::beam(&mut dice),
        "formula" => nonlinear::formula(&mut dice),
        "stacked, plane" | "stacked, space" => bodies::stacked(&mut dice, planar),
        "jointed" => bodies::jointed(&mut dice, planar),
        _ => bodies::thrown(&mut dice, planar),
    };
    let h = match kind {
        "bar" => dice.of(&[1e-6, 1e-5]),
        "beam" => dice.of(&[1e-4, 1e-3]),
        _ => dice.of(&[5e-4, 1e-3, 2e-3, 5e-3]),
    };
    let steps = dice.whole(50, 300) as f64;
    let mut text =
        format!("[model]\n{model}[scheme]\nname = \"{scheme}\"\n[time]\nstep = {h:?}\nend = {:?}\n", h * steps);
    if percussion_step::support(scheme).contains(&"adaptive steps") && dice.chance(0.08) {
        text += "adaptive = {}\n";
    }
    Scene { kind, scheme, text }
}

/// How a scene ended; a cause for what did not end well.
enum End {
    Refused(String),
    Well,
    Failed(String),
}

/// A thread that asks for a stop once a scene has run for too long.
struct Watchdog {
    late: Arc<AtomicBool>,
    scene: Arc<AtomicU64>,
    _quit: mpsc::Sender<()>,
}

impl Watchdog {
    fn new() -> Self {
        let (late, scene) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (quit, gone) = mpsc::channel::<()>();
        let (flag, number) = (Arc::clone(&late), Arc::clone(&scene));
        std::thread::spawn(move || {
            let (mut last, mut since) = (0, Instant::now());
            while gone.recv_timeout(Duration::from_millis(100)) == Err(mpsc::RecvTimeoutError::Timeout) {
                let now = number.load(Ordering::Relaxed);
                if now != last {
                    (last, since) = (now, Instant::now());
                } else if since.elapsed().as_secs() >= LIMIT {
                    flag.store(true, Ordering::Relaxed);
                }
            }
        });
        Self { late, scene, _quit: quit }
    }

    fn begin(&self) {
        self.late.store(false, Ordering::Relaxed);
        self.scene.fetch_add(1, Ordering::Relaxed);
    }
}

/// Steps until the watchdog barks.
struct Watched<'a> {
    audit: &'a mut Audit,
    late: &'a AtomicBool,
}

impl percussion_step::Recorder for Watched<'_> {
    fn start(&mut self, start: &percussion_step::Start) -> Result<(), percussion_step::Stop> {
        self.audit.start(start)
    }

    fn record(&mut self, number: u64, step: &percussion_step::Step) -> Result<(), percussion_step::Stop> {
        if self.late.load(Ordering::Relaxed) {
            return Err(percussion_step::Stop::Interrupted);
        }
        self.audit.record(number, step)
    }
}

fn run(loaded: Loaded, dog: &Watchdog) -> Result<(), String> {
    let Loaded { scenario, mut simulation } = loaded;
    let mut audit = Audit::new();
    simulation.stop_when(&Cut::when(Arc::clone(&dog.late)));
    let n = if scenario.adaptive.is_some() { u64::MAX } else { scenario.count.n };
    match simulation.run(n, &mut Watched { audit: &mut audit, late: &dog.late }) {
        Outcome::Finished => {}
        Outcome::Failed(failure) => return Err(format!("{}: {}", failure.code.as_str(), failure.message)),
        Outcome::Stopped(_) => return Err(format!("more than {LIMIT} s")),
    }
    let verdicts = audit.judged(&scenario.guarantee(), &scenario.solver);
    let failed = verdicts.list().into_iter().find(|(_, c)| c.status == Verdict::Fail);
    match failed {
        Some((name, certificate)) => Err(format!("{name}: {}", certificate.text)),
        None => Ok(()),
    }
}

fn end_of(scene: &Scene, dog: &Watchdog) -> End {
    dog.begin();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let loaded = match load_text("scene.toml", &scene.text, &LoadOptions::default()) {
            Ok(loaded) => loaded,
            Err(error) => return End::Refused(format!("{}: {}", error.code.as_str(), error.message)),
        };
        match run(loaded, dog) {
            Ok(()) => End::Well,
            Err(cause) => End::Failed(cause),
        }
    }));
    outcome.unwrap_or_else(|_| End::Failed("panicked".into()))
}

/// Scenes run, refused and failed.
#[derive(Default)]
struct Count {
    well: u64,
    failed: u64,
    refused: u64,
}

/// A number from the environment.
fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn table(counts: &BTreeMap<(&'static str, &'static str), Count>) -> String {
    let mut text = String::from("| kind | scheme | run | failed | refused |\n|---|---|---|---|---|\n");
    for ((kind, scheme), Count { well, failed, refused }) in counts {
        writeln!(text, "| {kind} | `{scheme}` | {} | {failed} | {refused} |", well + failed).expect("a string");
    }
    text
}

#[test]
fn end_well() {
    if let Some(k) = asked("PERCUSSION_SCENE") {
        println!("{}", scene(k).text);
        return;
    }
    let (first, long) = (asked("PERCUSSION_FIRST").unwrap_or(0), asked("PERCUSSION_SCENES"));
    let dog = Watchdog::new();
    let mut counts: BTreeMap<(&str, &str), Count> = BTreeMap::new();
    let mut failures = Vec::new();
    for k in first..first + long.unwrap_or(FEW) {
        let scene = scene(k);
        let began = Instant::now();
        let count = counts.entry((scene.kind, scene.scheme)).or_default();
        match end_of(&scene, &dog) {
            End::Well => count.well += 1,
            End::Refused(why) => {
                count.refused += 1;
                if long.is_some() {
                    println!("{k} refused {}, {}: {why}", scene.kind, scene.scheme);
                }
            }
            End::Failed(why) => {
                count.failed += 1;
                println!("{k} failed {}, {}: {why}", scene.kind, scene.scheme);
                failures.push((k, scene.scheme, why));
            }
        }
        if long.is_some() && began.elapsed().as_secs_f64() > 3.0 {
            println!("{k} took {:.1} s: {}, {}", began.elapsed().as_secs_f64(), scene.kind, scene.scheme);
        }
    }
    let (mut run, mut failed) = (0, 0);
    for ((_, scheme), count) in &counts {
        if !DELIBERATE.contains(scheme) {
            run += count.well + count.failed;
            failed += count.failed;
        }
    }
    println!("{}\n{run} valid scenes, {failed} failed", table(&counts));
    if long.is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/results/scenes.md");
        let text = format!(
            "# Random scenes\n\n{run} valid scenes from number {first} on, {failed} failed.\n\n{}",
            table(&counts)
        );
        std::fs::write(path, text).expect("the table is written");
    }
    assert!(failures.iter().all(|(_, _, why)| why != "panicked"), "{failures:?}");
    assert!(1000.0 * (run - failed) as f64 >= WELL * run as f64, "{failed} of {run} failed: {failures:?}");
}
