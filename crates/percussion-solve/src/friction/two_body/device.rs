//! Sweeps somewhere else: what a machine with a memory of its own is given for a problem, and what it gives back.
//!
//!   (H, w, μ, v₀, M⁻¹), colours, r₀  →  r, u, v, sweeps, residuals        the bits of the sweeps on threads
//!
//! A machine that fails is not asked again: threads take over, which changes nothing but the time, and the reason is kept.

use crate::friction::TwoBodyProblem;
use crate::{Residuals, Stop};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where the sweeps over many contacts are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// On the threads of this process.
    #[default]
    Cpu,
    /// On a GPU, or not at all.
    Gpu,
    /// On a GPU where there is one.
    Auto,
}

impl DeviceChoice {
    /// The words used in scenario files.
    pub const NAMES: [&'static str; 3] = ["cpu", "gpu", "auto"];
    const ALL: [Self; 3] = [Self::Cpu, Self::Gpu, Self::Auto];

    /// The choice of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.name() == name)
    }

    /// Its name in scenario files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
            Self::Auto => "auto",
        }
    }
}

/// Why a machine does not work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceError {
    /// The program was built without one.
    NotBuilt,
    /// Its driver, or the compiler of its kernels, cannot be loaded.
    NoDriver(String),
    /// The driver knows no machine, or none it can use.
    NoDevice(String),
    /// A problem does not fit.
    TooLittleMemory {
        /// Asked for [bytes].
        needed: usize,
        /// Free [bytes].
        free: usize,
    },
    /// Anything else its driver says.
    Failed(String),
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotBuilt => write!(f, "this program was built without a GPU backend"),
            Self::NoDriver(what) => write!(f, "the GPU's driver cannot be used: {what}"),
            Self::NoDevice(what) => write!(f, "no usable GPU: {what}"),
            Self::TooLittleMemory { needed, free } => {
                let mib = |bytes: &usize| bytes.div_ceil(1 << 20);
                write!(f, "the contacts need {} MiB of the GPU's memory, and {} MiB are free", mib(needed), mib(free))
            }
            Self::Failed(what) => write!(f, "the GPU failed: {what}"),
        }
    }
}

impl std::error::Error for DeviceError {}

/// How contacts are kept, all of a problem alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactKind {
    /// Arms along the normal, isotropic inertia: 11 numbers each.
    Balls,
    /// Any shape: 57 numbers each.
    Solids,
}

/// What a machine is asked for.
#[derive(Clone, Copy, Debug)]
pub struct SweepJob<'a> {
    /// The problem, in space.
    pub problem: &'a TwoBodyProblem,
    /// b = H v₀ + w, 3 n [m/s].
    pub b: &'a [f64],
    /// ρ_i = 1/‖W_ii‖₂, n [kg].
    pub rho: &'a [f64],
    /// How the numbers below are meant.
    pub kind: ContactKind,
    /// First block of each colour, and the end of the last. Contacts of one colour share no body, but for the last one's: those are
    /// visited four by four, in their order.
    pub colours: &'a [u32],
    /// The contact in each lane of each block of 32; `u32::MAX` where there is none.
    pub slots: &'a [u32],
    /// Block by block, number by number, lane by lane.
    pub numbers: &'a [f64],
    /// Contacts of each body in their order, 2 i + side, …
    pub held: &'a [u32],
    /// … and where each body's begin.
    pub starts: &'a [u32],
    /// What both residuals must reach.
    pub tolerance: f64,
    /// Sweeps at most.
    pub limit: usize,
    /// A request from outside.
    pub stop: &'a Stop,
}

/// Where the answer goes.
#[derive(Debug)]
pub struct SweepAnswer<'a> {
    /// Impulses: the first guess, and the answer.
    pub r: &'a mut [f64],
    /// Velocities of the contacts.
    pub u: &'a mut [f64],
    /// Velocities of the bodies.
    pub v: &'a mut [[f64; 6]],
}

/// How far a machine came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepEnd {
    /// Sweeps made.
    pub iterations: usize,
    /// Both residuals of the answer.
    pub residuals: Residuals,
}

/// A machine that sweeps.
pub trait SweepMachine: fmt::Debug + Send {
    /// Does a job, to the bits of the sweeps on threads; on an error the answer is left as it was.
    fn solve(&mut self, job: &SweepJob, answer: &mut SweepAnswer) -> Result<SweepEnd, DeviceError>;
}

/// A machine that solvers share.
#[derive(Clone, Debug)]
pub struct Device(Arc<Mutex<Desk>>);

#[derive(Debug)]
struct Desk {
    machine: Box<dyn SweepMachine>,
    fault: Option<DeviceError>,
    solved: usize,
}

impl Device {
    /// That machine.
    pub fn new(machine: Box<dyn SweepMachine>) -> Self {
        Self(Arc::new(Mutex::new(Desk { machine, fault: None, solved: 0 })))
    }

    /// Why it is no longer asked, if it failed.
    pub fn fault(&self) -> Option<DeviceError> {
        self.desk().fault.clone()
    }

    /// Problems it has solved.
    pub fn solved(&self) -> usize {
        self.desk().solved
    }

    /// The answer, unless the machine fails or has failed.
    pub(crate) fn solve(&self, job: &SweepJob, answer: &mut SweepAnswer) -> Option<SweepEnd> {
        let mut desk = self.desk();
        if desk.fault.is_some() {
            return None;
        }
        match desk.machine.solve(job, answer) {
            Ok(end) => {
                desk.solved += 1;
                Some(end)
            }
            Err(error) => {
                desk.fault = Some(error);
                None
            }
        }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
