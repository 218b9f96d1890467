//! A pile of about 100 000 contacts between spheres, solved on the bodies' velocities.
//!
//! `cargo run --release -p percussion-bench --bin friction_pile [layers] [tolerance] [method] [threads,…]` prints time,
//! iterations, residuals, bytes per contact and a hash of the impulses, which does not depend on the threads. `gpu` among the threads
//! is a CUDA device (`--features gpu`); the time of its kernels, data on the device, stands apart.

use percussion_solve::friction::{Device, TwoBodySolver};
use percussion_solve::{Method, SolverOptions};
use std::time::Instant;

#[path = "../../../crates/percussion-solve/tests/common/pile.rs"]
mod pile;

/// Resident memory of this process [bytes]; 0 where the system does not say.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|x| x.parse::<usize>().ok()).unwrap_or(0) * 1024
}

/// Processor time of this thread [s]; 0 where the system does not say.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|x| x.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}

/// Nanoseconds the kernels of the last solve took.
type Stopwatch = std::sync::Arc<std::sync::atomic::AtomicU64>;

#[cfg(feature = "gpu")]
fn device() -> Result<(Device, Stopwatch), String> {
    let cuda = percussion_gpu::Cuda::open().map_err(|error| error.to_string())?;
    let stopwatch = cuda.stopwatch();
    Ok((Device::new(Box::new(cuda)), stopwatch))
}

#[cfg(not(feature = "gpu"))]
fn device() -> Result<(Device, Stopwatch), String> {
    let opened = percussion_gpu::open().map_err(|error| error.to_string())?;
    Ok((opened, Stopwatch::default()))
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let layers = arguments.next().and_then(|x| x.parse().ok()).unwrap_or(20);
    let tolerance = arguments.next().and_then(|x| x.parse().ok()).unwrap_or(1e-4);
    let only = arguments.next();
    let threads = arguments.next().unwrap_or("1".into());
    let before = resident();
    let problem = pile::pile(layers);
    let n = problem.len();
    println!("{} spheres, {n} contacts, tolerance {tolerance:e}", problem.v.len());
    for method in [Method::Auto, Method::Apgd, Method::Nsgs] {
        if only.as_ref().is_some_and(|name| name != method.name()) {
            continue;
        }
        for means in threads.split(',') {
            let (mut r, mut v) = (vec![0.0; problem.w.len()], problem.v.clone());
            let mut solver =
                TwoBodySolver::new(SolverOptions { method, tolerance, enough: None, max_iterations: 10_000 });
            let all = || std::thread::available_parallelism().map_or(1, usize::from);
            solver.threads = means.parse().unwrap_or_else(|_| all());
            let mut kernels: Option<Stopwatch> = None;
            if means == "gpu" {
                match device() {
                    Ok((device, stopwatch)) => (solver.device, kernels) = (Some(device), Some(stopwatch)),
                    Err(error) => {
                        println!("{method}, gpu: {error}");
                        continue;
                    }
                }
            }
            // once before, so that memory is there and the colours are known, as in the steps of a run
            solver.solve(&problem, &mut r, &mut v);
            r.fill(0.0);
            let (start, processor) = (Instant::now(), processor_time());
            let report = solver.solve(&problem, &mut r, &mut v);
            let (seconds, processor) = (start.elapsed().as_secs_f64(), processor_time() - processor);
            let truth = problem.residuals(&r);
            println!(
                "{method}, {means} threads: {:?}, {processor:.2} s of this thread, {seconds:.3} s, {} iterations, e = {:.1e}, e_s = {:.1e}, at most {} bytes per contact, hash {:016x}",
                report.status,
                report.iterations,
                truth.plain,
                truth.scaled,
                (resident() - before) / n,
                r.iter().fold(0_u64, |hash, x| (hash ^ x.to_bits()).wrapping_mul(0x100000001b3))
            );
            if let Some(fault) = solver.device.as_ref().and_then(Device::fault) {
                println!("  the device failed, the threads took over: {fault}");
            }
            if let Some(kernels) = kernels {
                let ns = kernels.load(std::sync::atomic::Ordering::Relaxed) as f64;
                let each = ns / (n * report.iterations.max(1)) as f64;
                println!("  kernels alone: {:.4} s, {each:.3} ns per contact and sweep", 1e-9 * ns);
            }
        }
    }
}
