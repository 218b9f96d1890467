//! The kernels of `sweeps.cu`, compiled as C++ for this processor, against the sweeps on threads: the same bits, sweeps and residuals.

#[path = "../../percussion-solve/tests/common/masonry.rs"]
mod masonry;
#[path = "../../percussion-solve/tests/common/pile.rs"]
mod pile;

use percussion_solve::friction::{
    ContactKind, Device, DeviceError, SweepAnswer, SweepEnd, SweepJob, SweepMachine, TwoBodyProblem, TwoBodySolver,
};
use percussion_solve::{Residuals, SolveReport, SolverOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The kernels as a program; `None` where there is no compiler for it.
fn program() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM.get_or_init(compile).as_deref()
}

fn compile() -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/host.cpp");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sweeps-host");
    let compiler = std::env::var("CXX").unwrap_or("c++".into());
    let flags = ["-std=c++20", "-O2", "-ffp-contract=off", "-pthread", "-o"];
    let Ok(built) = Command::new(&compiler).args(flags).arg(&program).arg(&source).output() else {
        println!("no compiler {compiler}: the kernels are not tried");
        return None;
    };
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Some(program)
}

/// The kernels on so many warps of this processor.
#[derive(Debug)]
struct Host {
    warps: u32,
}

fn words(out: &mut Vec<u8>, x: &[u32]) {
    x.iter().for_each(|x| out.extend(x.to_ne_bytes()));
}

fn numbers(out: &mut Vec<u8>, x: &[f64]) {
    x.iter().for_each(|x| out.extend(x.to_ne_bytes()));
}

/// A job as `host.cpp` reads it.
fn bytes(job: &SweepJob, r: &[f64]) -> Vec<u8> {
    let problem = job.problem;
    let solids = u32::from(job.kind == ContactKind::Solids);
    let sizes = [problem.len(), problem.v.len(), job.slots.len() / 32, job.colours.len() - 1, job.limit];
    let mut out = Vec::new();
    words(&mut out, &sizes.map(|x| x as u32));
    words(&mut out, &[solids, job.held.len() as u32]);
    numbers(&mut out, &[job.tolerance]);
    for x in [job.colours, job.slots, problem.bodies.as_flattened(), job.starts, job.held] {
        words(&mut out, x);
    }
    for x in [job.numbers, problem.H.as_flattened(), &problem.w, &problem.mu, job.b, job.rho, &problem.inverse_mass] {
        numbers(&mut out, x);
    }
    for x in [problem.inverse_inertia.as_flattened(), problem.v.as_flattened(), r] {
        numbers(&mut out, x);
    }
    out
}

impl SweepMachine for Host {
    fn solve(&mut self, job: &SweepJob, answer: &mut SweepAnswer) -> Result<SweepEnd, DeviceError> {
        let mut child = Command::new(program().expect("a program"))
            .arg(self.warps.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        child.stdin.take().expect("a pipe").write_all(&bytes(job, answer.r)).expect("it reads");
        let said = child.wait_with_output().expect("it ends");
        assert!(said.status.success());
        let iterations = u32::from_ne_bytes(said.stdout[..4].try_into().expect("a word")) as usize;
        let mut rest = said.stdout[4..].as_chunks::<8>().0.iter().map(|x| f64::from_ne_bytes(*x));
        let mut next = || rest.next().expect("a number");
        let residuals = Residuals { plain: next(), scaled: next() };
        answer.r.iter_mut().for_each(|x| *x = next());
        answer.u.iter_mut().for_each(|x| *x = next());
        for v in answer.v.iter_mut() {
            let x: [f64; 8] = std::array::from_fn(|_| next());
            *v = [x[0], x[1], x[2], x[4], x[5], x[6]];
        }
        Ok(SweepEnd { iterations, residuals })
    }
}

/// The answer with its velocities, and the device if there was one.
fn solve(problem: &TwoBodyProblem, machine: Option<Host>, tolerance: f64) -> (SolveReport, Vec<u64>, usize) {
    let mut solver = TwoBodySolver::new(SolverOptions { tolerance, max_iterations: 1500, ..SolverOptions::default() });
    solver.device = machine.map(|machine| Device::new(Box::new(machine)));
    let (mut r, mut v) = (vec![0.0; problem.w.len()], problem.v.clone());
    let report = solver.solve(problem, &mut r, &mut v);
    let bits = r.iter().chain(v.as_flattened()).map(|x| x.to_bits()).collect();
    (report, bits, solver.device.map_or(0, |device| device.solved()))
}

fn agree(name: &str, problem: &TwoBodyProblem, tolerance: f64) {
    if program().is_none() {
        return;
    }
    let (report, bits, _) = solve(problem, None, tolerance);
    for warps in [1, 3] {
        let (there, same, solved) = solve(problem, Some(Host { warps }), tolerance);
        assert!(solved > 0, "{name}: the machine was not asked");
        assert_eq!(there, report, "{name} on {warps} warps");
        assert!(bits == same, "{name} on {warps} warps: other bits");
    }
}

/// Balls, from where nothing presses: 103 sweeps for the 10⁵ contacts of the large one.
#[test]
fn balls() {
    let problem = pile::pile(8);
    assert!(problem.len() > 2000);
    agree("a pile", &problem, 1e-5);
}

/// A floor that moves is a body with more contacts than there are colours: some are swept by one warp, in their order.
#[test]
fn more_contacts_on_a_body_than_colours() {
    let mut problem = pile::pile(9);
    let floor = problem.v.len() as u32;
    problem.inverse_mass.push(1e-3);
    problem.inverse_inertia.push([1e-2, 0.0, 0.0, 0.0, 1e-2, 0.0, 0.0, 0.0, 1e-2]);
    problem.v.push([0.0, 0.0, 0.05, 0.0, 0.0, 0.0]);
    problem.bodies.iter_mut().filter(|pair| pair[1] == TwoBodyProblem::GROUND).for_each(|pair| pair[1] = floor);
    agree("a moving floor", &problem, 1e-4);
}

/// Bricks: redundant, with momentum that ends and updates that are shortened.
#[test]
fn solids() {
    let problem = masonry::wall(16, 24);
    assert!(problem.len() > 2000, "{}", problem.len());
    agree("a wall", &problem, 1e-5);
}

/// Few contacts stay on the cores, where they are faster.
#[test]
fn few_contacts() {
    let problem = masonry::arch(11);
    let (_, _, solved) = solve(&problem, Some(Host { warps: 1 }), 1e-6);
    assert_eq!(solved, 0, "the machine was asked");
}

/// A machine that fails leaves the answer to the threads, says why, and is not asked again.
#[test]
fn threads_take_over() {
    #[derive(Debug)]
    struct Broken(usize);
    impl SweepMachine for Broken {
        fn solve(&mut self, _: &SweepJob, _: &mut SweepAnswer) -> Result<SweepEnd, DeviceError> {
            self.0 += 1;
            assert_eq!(self.0, 1, "asked twice");
            Err(DeviceError::TooLittleMemory { needed: 3 << 20, free: 1 << 20 })
        }
    }
    let problem = pile::pile(8);
    let (report, bits, _) = solve(&problem, None, 1e-4);
    let mut solver = TwoBodySolver::new(SolverOptions { tolerance: 1e-4, ..SolverOptions::default() });
    solver.device = Some(Device::new(Box::new(Broken(0))));
    for _ in 0..2 {
        let (mut r, mut v) = (vec![0.0; problem.w.len()], problem.v.clone());
        assert_eq!(solver.solve(&problem, &mut r, &mut v), report);
        assert!(r.iter().chain(v.as_flattened()).map(|x| x.to_bits()).eq(bits.iter().copied()));
    }
    let fault = solver.device.and_then(|device| device.fault()).expect("a fault");
    assert_eq!(fault.to_string(), "the contacts need 3 MiB of the GPU's memory, and 1 MiB are free");
}

/// Without a device: what is missing is said, and nothing panics.
#[test]
fn opening_says_what_is_missing() {
    match percussion_gpu::open() {
        Ok(device) => println!("there is a device: {device:?}"),
        Err(error) if cfg!(feature = "cuda") => {
            assert!(matches!(error, DeviceError::NoDriver(_) | DeviceError::NoDevice(_)), "{error}");
        }
        Err(error) => assert_eq!(error, DeviceError::NotBuilt),
    }
}
