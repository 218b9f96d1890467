//! Piles of spheres and of boxes: steps per second of CPU time, penetration, sweeps, cost per contact and sweep.
//!
//! `bodies [spheres|boxes|packed] [count per edge] [seconds simulated] [method] [layers] [threads] [piles]`; the pile of the book is `spheres 10 2`.
//! `packed` spheres lie in the hollows of the layer below from the start, edge × edge and (edge − 1) × (edge − 1) in turn. Several piles stand apart from each other without walls. `gpu` for the threads is a CUDA device and all cores (`--features gpu`). The hash
//! at the end is of the bits of all coordinates and velocities. The table before it says where the wall time went.

use percussion_matrix::phase;
use percussion_model::bodies::{Bodies, BodyParts, Materials, Matter, Motion, PairLaw, SceneParts, Shape};
use percussion_solve::{Method, SolverOptions};
use percussion_step::{Activation, Problem, Scheme, Simulation, State};
use std::time::Instant;

#[path = "../phases.rs"]
mod phases;
use phases::{enter, print_phases};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let kind = arguments.get(1).map_or("spheres", String::as_str);
    let edge: usize = arguments.get(2).and_then(|x| x.parse().ok()).unwrap_or(10);
    let end: f64 = arguments.get(3).and_then(|x| x.parse().ok()).unwrap_or(2.0);
    let method = arguments.get(4).and_then(|x| Method::from_name(x.as_str())).unwrap_or(Method::Auto);
    let tolerance = 1e-4;
    let h = 2e-3;
    let layers = arguments.get(5).and_then(|x| x.parse().ok()).unwrap_or(edge);
    // what runs for long says more often where it is
    let lines = if edge * edge * layers > 20_000 { 100 } else { 10 };
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let on_device = arguments.get(6).is_some_and(|x| x == "gpu");
    let threads = if on_device { all() } else { arguments.get(6).and_then(|x| x.parse().ok()).unwrap_or(1) };
    let piles: usize = arguments.get(7).and_then(|x| x.parse().ok()).unwrap_or(1);
    let bodies = if kind == "packed" { packed(edge, layers) } else { pile(kind == "boxes", edge, layers, piles) };
    let n = bodies.bodies().iter().filter(|body| body.is_free()).count();
    let problem = Problem::bodies(bodies).expect("no overlap");
    let scheme = Scheme::moreau_jean(1.0).with_activation(Activation::Gap);
    let options = SolverOptions { method, tolerance, enough: None, max_iterations: 2000 };
    let mut run = Simulation::new(&problem, &scheme, options, h).expect("a valid run");
    run.use_threads(threads);
    if on_device {
        run.use_device(&percussion_gpu::open().expect("a device"), true);
    }
    let steps = (end / h).round() as u64;
    phase::listen(enter);
    let started = Instant::now();
    let cpu = cpu_seconds();
    let (mut sweeps, mut visits, mut worst, mut deepest) = (0_u64, 0_u64, 0.0_f64, 0.0_f64);
    for k in 0..steps {
        let step = run.advance();
        enter("between steps");
        let step = match step {
            Ok(step) => step,
            Err(failure) => {
                println!("{failure}");
                break;
            }
        };
        sweeps += step.info.iterations as u64;
        visits += (step.info.iterations * step.contacts.len()) as u64;
        worst = worst.max(step.info.residual);
        let contacts = step.contacts.len();
        if let Some((gap, _)) = step.smallest_gap {
            deepest = deepest.max(-gap);
        }
        if lines == 100 && (k + 1) % 20 == 0 {
            println!("step {}  hash {:016x}", k + 1, hash(&step.after));
        }
        if (k + 1) % (steps / lines).max(1) == 0 {
            let at_rest = step.contacts.iter().map(|c| -c.gap).fold(f64::NEG_INFINITY, f64::max);
            println!(
                "t = {:.3}  contacts {contacts}  sweeps {}  energy {:.6e}  deepest now {at_rest:.2e}  cpu {:.2} s  wall {:.2} s  memory {:.2} GiB",
                step.after.t,
                step.info.iterations,
                step.ledger.energy(),
                cpu_seconds() - cpu,
                started.elapsed().as_secs_f64(),
                peak_memory()
            );
        }
    }
    enter("");
    let used = cpu_seconds() - cpu;
    let made = run.number();
    println!(
        "{kind} {n}: {made} steps, {:.1} steps/s (cpu), wall {:.1} s, {:.1} sweeps a step, {:.1} ns per contact and sweep, \
         residual {worst:.1e}, deepest ever {deepest:.2e} m",
        made as f64 / used,
        started.elapsed().as_secs_f64(),
        sweeps as f64 / made as f64,
        1e9 * used / visits.max(1) as f64,
    );
    print_phases(made);
    println!("hash {:016x}", hash(run.state()));
}

/// Of the bits of all coordinates and velocities.
fn hash(state: &State) -> u64 {
    let add = |h: u64, x: &f64| (h ^ x.to_bits()).wrapping_mul(0x100000001b3);
    state.q.iter().chain(&state.v).fold(0xcbf29ce484222325, add)
}

/// CPU seconds of this process, user and system.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |k: usize| fields.get(k).and_then(|x| x.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// The most memory this process has held [GiB].
fn peak_memory() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|x| x.parse::<f64>().ok()).unwrap_or(0.0) / (1 << 20) as f64
}

/// A floor and four walls at this distance from the middle.
fn walls(half: f64) -> Vec<BodyParts> {
    let wall = |name: &str, position: [f64; 3], rotation: [f64; 4]| BodyParts {
        name: name.into(),
        shape: Shape::plane(),
        motion: Motion::Fixed,
        position,
        rotation,
        ..Default::default()
    };
    let s = std::f64::consts::FRAC_1_SQRT_2;
    vec![
        wall("floor", [0.0; 3], [1.0, 0.0, 0.0, 0.0]),
        wall("west", [-half, 0.0, 0.0], [s, 0.0, s, 0.0]),
        wall("east", [half, 0.0, 0.0], [s, 0.0, -s, 0.0]),
        wall("south", [0.0, -half, 0.0], [s, -s, 0.0, 0.0]),
        wall("north", [0.0, half, 0.0], [s, s, 0.0, 0.0]),
    ]
}

/// Numbers in ±size, the same in every run.
fn dice(size: f64) -> impl FnMut() -> f64 {
    let mut seed = 1_u64;
    move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        size * ((seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
    }
}

fn scene(bodies: Vec<BodyParts>) -> Bodies {
    let materials =
        Materials::uniform(PairLaw { restitution: 0.0, friction: 0.5, ..Default::default() }).expect("a law");
    let gravity = [0.0, 0.0, -9.81];
    let parts = SceneParts {
        planar: false,
        gravity,
        bodies,
        materials,
        springs: Vec::new(),
        joints: Vec::new(),
        no_contact: Vec::new(),
        flexible: Default::default(),
    };
    Bodies::new(parts).expect("a scene")
}

fn ball(bodies: &mut Vec<BodyParts>, shape: Shape, position: [f64; 3]) {
    let name = format!("body.{}", bodies.len());
    bodies.push(BodyParts { name, shape, matter: Matter::Density(1000.0), position, ..Default::default() });
}

/// R = 0.1 in layers at 0.201, each sphere in the hollow of four, a hundred-thousandth of the radius apart, jitter as much.
fn packed(edge: usize, layers: usize) -> Bodies {
    const APART: f64 = 1e-6;
    let (spacing, mut dice) = (0.201, dice(0.3 * APART));
    let rise = ((0.2_f64 + APART).powi(2) - 0.5 * spacing * spacing).sqrt();
    let mut bodies = walls(0.5 * spacing * (edge as f64 - 1.0) + 0.1 + APART);
    for k in 0..layers {
        let count = edge - k % 2;
        let at = |i: usize| spacing * (i as f64 - 0.5 * (count as f64 - 1.0));
        for (i, j) in (0..count * count).map(|m| (m % count, m / count)) {
            let place = [at(i) + dice(), at(j) + dice(), 0.1 + APART + rise * k as f64];
            ball(&mut bodies, Shape::sphere(0.1), place);
        }
    }
    scene(bodies)
}

/// R = 0.1, spacing 0.22, jitter ±0.009 in x and y, inside five walls.
fn pile(boxes: bool, edge: usize, layers: usize, piles: usize) -> Bodies {
    let half = 0.11 * edge as f64;
    let mut bodies = walls(half);
    if piles > 1 {
        bodies.truncate(1);
    }
    let mut dice = dice(0.009);
    for (k, pile) in (0..layers * piles).map(|k| (k % layers, k / layers)) {
        let aside = 6.0 * half * pile as f64;
        for j in 0..edge {
            for i in 0..edge {
                let at = |i: usize| 0.22 * (i as f64 - 0.5 * (edge as f64 - 1.0));
                let shape = if boxes { Shape::cuboid([0.18, 0.16, 0.14]) } else { Shape::sphere(0.1) };
                ball(&mut bodies, shape, [aside + at(i) + dice(), at(j) + dice(), 0.12 + 0.22 * k as f64]);
            }
        }
    }
    scene(bodies)
}
