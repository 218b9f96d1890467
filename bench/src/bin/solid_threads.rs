//! What threads give to solids: factorisation, responses W, a steady step of small displacements, and steps of finite deformation.
//!
//! `solid_threads [THREADS,…] [CELLS] [FINITE CELLS]`: a cube of CELLS³ hexahedra (31: 98 304 coordinates, 1024 candidates) that lands flat,
//! and a neo-Hookean one that slides over a floor with friction. Prints seconds, ratios, where the time of finite steps goes and a hash of the states,
//! which is the same for all. CELLS = 0 leaves the first cube out.

use percussion_matrix::phase;
use percussion_matrix::{DenseMatrix, Factor, Matrix};
use percussion_model::solid::contact::{Against, Obstacle, SurfaceContact};
use percussion_model::solid::element::ElementKind;
use percussion_model::solid::finite::{FiniteModel, Law};
use percussion_model::solid::{Cell, Group, Hooke, Kinematics, Mesh, Part, Section, Solid, SolidMass, SolidParts};
use percussion_model::{Lagrangian, Signal};
use percussion_solve::SolverOptions;
use percussion_step::{Problem, Scheme, SchemeOptions, Simulation, State};
use std::sync::Arc;
use std::time::Instant;

#[path = "../phases.rs"]
mod phases;
use phases::{enter, print_phases};

const MATTER: Hooke = Hooke { young: 1e6, poisson: 0.3, density: 1000.0 };

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |k: usize, usual: usize| arguments.get(k).and_then(|x| x.parse().ok()).unwrap_or(usual);
    let threads = arguments.get(1).map_or("1,2", String::as_str);
    let threads: Vec<usize> = threads.split(',').filter_map(|n| n.parse().ok()).collect();
    let (cells, finite) = (number(2, 31), number(3, 12));
    let mut table: Vec<(&str, Vec<f64>)> = Vec::new();
    let mut note = |what: &'static str, seconds: f64| match table.iter_mut().find(|(name, _)| *name == what) {
        Some((_, list)) => list.push(seconds),
        None => table.push((what, vec![seconds])),
    };
    phase::listen(enter);
    let mut hashes = Vec::new();
    for &n in &threads {
        let linear = if cells > 0 { small(cells, n) } else { ([0.0; 4], 0) };
        let names = ["factorisation", "solve", "64 × 16 columns", "steady step"];
        names.into_iter().zip(linear.0).for_each(|(name, seconds)| note(name, seconds));
        let (flight, slide) = (large(finite, 0.5, n), large(finite, 0.0, n));
        note("finite step in flight", flight.0);
        note("finite step, its face sliding", slide.0);
        hashes.push((linear.1, flight.1, slide.1));
        println!("{n} threads: {:?} {:?} {:?} {:x?}", linear.0, flight.0, slide.0, hashes.last());
    }
    println!("threads {threads:?}; the same bits: {}", hashes.iter().all(|hash| *hash == hashes[0]));
    for (what, seconds) in table {
        let ratios: Vec<String> = seconds.iter().map(|s| format!("{:.2}", seconds[0] / s)).collect();
        println!("{what}: {:.3} s on {}, ratios {}", seconds[0], threads[0], ratios.join(" "));
    }
}

/// The wave speed of the matter [m/s].
fn wave() -> f64 {
    let Hooke { young, poisson, density } = MATTER;
    let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    ((lambda + young / (1.0 + poisson)) / density).sqrt()
}

/// A unit cube of n³ hexahedra over a floor at z = 0.
fn cube(n: usize, kinematics: Kinematics, (height, velocity): (f64, [f64; 3]), massless: bool) -> Solid {
    let at = |i: usize, j: usize, k: usize| (k * (n + 1) + j) * (n + 1) + i;
    let x = |i: usize| i as f64 / n as f64;
    let mut mesh = Mesh { nodes: vec![], node_tags: vec![], cells: vec![], groups: vec![] };
    for (k, j, i) in (0..=n).flat_map(|k| (0..=n).flat_map(move |j| (0..=n).map(move |i| (k, j, i)))) {
        mesh.nodes.push([x(i), x(j), x(k)]);
        mesh.node_tags.push(mesh.nodes.len() as u64);
    }
    let ring = |i: usize, j: usize, k: usize| [at(i, j, k), at(i + 1, j, k), at(i + 1, j + 1, k), at(i, j + 1, k)];
    for (k, j, i) in (0..n).flat_map(|k| (0..n).flat_map(move |j| (0..n).map(move |i| (k, j, i)))) {
        let nodes = [ring(i, j, k), ring(i, j, k + 1)].concat();
        mesh.cells.push(Cell::new(ElementKind::Hex8, mesh.cells.len() as u64 + 1, &nodes));
    }
    mesh.groups.push(Group { name: "cube".into(), dimension: 3, cells: (0..n * n * n).collect() });
    for (j, i) in (0..n).flat_map(|j| (0..n).map(move |i| (j, i))) {
        mesh.cells.push(Cell::new(ElementKind::Quad4, mesh.cells.len() as u64 + 1, &ring(i, j, 0)));
    }
    mesh.groups.push(Group { name: "bottom".into(), dimension: 2, cells: (n * n * n..mesh.cells.len()).collect() });
    let mut part = Part::new("cube", MATTER);
    part.velocity = velocity;
    part.offset = [0.0, 0.0, height + 2e-3 / n as f64];
    // waves run through all of it from the beginning
    part.gradient[2][2] = if height > 0.0 { 0.05 } else { 0.0 };
    let friction = if kinematics == Kinematics::Linear { 0.0 } else { 0.3 };
    let floor =
        Against::Obstacle { shape: Obstacle::Plane { point: [0.0; 3], normal: [0.0, 0.0, 1.0] }, motion: vec![] };
    Solid::new(SolidParts {
        kinematics,
        mesh,
        section: Section::Space,
        mass: SolidMass::Lumped,
        gravity: [0.0, 0.0, -9.81].map(Signal::constant),
        parts: vec![part],
        supports: vec![],
        loads: vec![],
        contacts: vec![SurfaceContact {
            surface: "bottom".into(),
            against: floor,
            restitution: 0.0,
            friction,
            massless,
        }],
    })
    .expect("a cube")
}

/// Seconds of factorisation, of a solve, of the responses of 1024 contacts in blocks, of a step with all nodes in contact; a hash of the state.
fn small(cells: usize, threads: usize) -> ([f64; 4], u64) {
    let solid = cube(cells, Kinematics::Linear, (0.0, [0.0, 0.0, -1.0]), true);
    let h = 0.5 / cells as f64 / wave();
    let (q0, v0) = solid.initial_state().expect("a start");
    let problem = Problem::linear(solid.linear_model().expect("a model"), q0, v0).expect("a problem");
    let model = Arc::clone(problem.model.linear().expect("made so"));
    let options = SchemeOptions { theta: Some(0.5), activation: Some("equilibrium".into()), ..Default::default() };
    let scheme = Scheme::resolve("moreau-jean", &options).expect("a scheme").0;

    // the operator of its steps by itself
    let mut terms = vec![(1.0, model.mass())];
    terms.extend(model.stiffness().map(|K| (0.25 * h * h, K)));
    let S = Matrix::combination(model.n(), &terms);
    let mut factor = Factor::in_order(&S, model.elimination_order(), threads).expect("definite");
    let seconds = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    let made = seconds(&mut || factor.refactor(&S).expect("definite"));
    let mut x: Vec<f64> = (0..model.n()).map(|i| (i % 7) as f64 - 3.0).collect();
    let solved = seconds(&mut || (0..5).for_each(|_| factor.solve(&mut x))) / 5.0;
    let columns = seconds(&mut || {
        let (shared, n) = (factor.shared().expect("sparse"), model.n());
        std::thread::scope(|scope| {
            for k in 0..threads {
                scope.spawn(move || {
                    for block in (k..16).step_by(threads) {
                        let mut X = DenseMatrix::zeros(n, 64);
                        (0..64).for_each(|j| X.column_mut(j)[(64 * block + j) % n] = 1.0);
                        shared.solve_columns(&mut X);
                    }
                });
            }
        });
    });
    drop(factor);

    let mut run = Simulation::new(&problem, &scheme, SolverOptions::default(), h).expect("a valid run");
    run.use_threads(threads);
    // it lands in a few steps
    let advance = |run: &mut Simulation, n: usize| {
        for _ in 0..n {
            run.advance().expect("a step");
        }
    };
    advance(&mut run, 8);
    let step = seconds(&mut || advance(&mut run, 10)) / 10.0;
    ([made, solved, columns, step], hash(run.state()))
}

/// Seconds of a step of a neo-Hookean cube at a height over the floor, at none in sliding contact; a hash of the state.
fn large(n: usize, height: f64, threads: usize) -> (f64, u64) {
    let solid = Arc::new(cube(n, Kinematics::Finite(vec![Law::NeoHookean]), (height, [1.0, 0.3, -1.0]), false));
    let (q0, v0) = solid.initial_state().expect("a start");
    let model: Arc<dyn Lagrangian> = Arc::new(FiniteModel::new(Arc::clone(&solid)).expect("a model"));
    let problem = Problem::nonlinear(model, q0, v0).expect("a problem");
    let scheme = Scheme::resolve("energy-momentum", &SchemeOptions::default()).expect("a scheme").0;
    let h = 1.0 / n as f64 / wave();
    let mut run = Simulation::new(&problem, &scheme, SolverOptions::default(), h).expect("a valid run");
    run.use_threads(threads);
    run.advance().expect("a step");
    enter("");
    let start = Instant::now();
    for _ in 0..4 {
        run.advance().expect("a step");
    }
    let seconds = start.elapsed().as_secs_f64() / 4.0;
    enter("");
    println!("{n}³ cells at height {height}, {threads} threads:");
    print_phases(4);
    (seconds, hash(run.state()))
}

/// FNV-1a of the numbers of a state.
fn hash(state: &State) -> u64 {
    let bytes = state.q.iter().chain(&state.v).flat_map(|x| x.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
