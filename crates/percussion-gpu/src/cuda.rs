//! A CUDA device: its memory, the kernels, and the launches of one job.
//!
//! A launch is a team of as many warps as the device holds at once, which wait for each other (a cooperative launch); it ends after a number
//! of sweeps so that a request to stop is heard.

use cudarc::driver::sys::{CUdevice_attribute, CUresult};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, DeviceRepr, DriverError, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::{CompileError, CompileOptions, compile_ptx_with_opts};
use percussion_solve::Residuals;
use percussion_solve::friction::{ContactKind, DeviceError, SweepAnswer, SweepEnd, SweepJob, SweepMachine};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Threads of a block, and blocks a multiprocessor must hold: at most 128 registers a thread.
const THREADS: u32 = 256;
const TEAMS: u32 = 2;
/// Sweeps of a launch at most, and contacts visited in one.
const BUDGET: usize = 400;
const VISITS: usize = 1_000_000_000;
/// Words of `State`: nine numbers and six counters.
const STATE: usize = 24;
const LANES: usize = 32;
const SUMS: usize = 7;

/// Numbers on the device, with room for more.
#[derive(Debug, Default)]
struct Buffer<T>(Option<CudaSlice<T>>);

/// All buffers of a job, in the order of `Job` in `sweeps.cu`.
#[derive(Debug, Default)]
struct Buffers {
    words: [Buffer<u32>; 8],
    numbers: [Buffer<f64>; 18],
}

/// What the kernels are given; the layout is that of `Job` in `sweeps.cu`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Job {
    sizes: [u32; 8],
    tolerance: f64,
    addresses: [u64; 26],
}

// SAFETY: plain numbers in the layout of C.
#[expect(unsafe_code, reason = "the driver copies the bytes of a kernel's arguments")]
unsafe impl DeviceRepr for Job {}

/// The first CUDA device of this machine.
#[derive(Debug)]
pub struct Cuda {
    stream: Arc<CudaStream>,
    balls: CudaFunction,
    solids: CudaFunction,
    processors: u32,
    buffers: Buffers,
    /// Nanoseconds the kernels of the last job took.
    kernels: Arc<AtomicU64>,
}

fn driver(error: DriverError) -> DeviceError {
    DeviceError::Failed(format!("{error:?}"))
}

impl Cuda {
    /// Opens it and compiles the kernels.
    pub fn open() -> Result<Self, DeviceError> {
        find_libraries()?;
        let count = CudaContext::device_count().map_err(|error| DeviceError::NoDevice(format!("{error:?}")))?;
        if count < 1 {
            return Err(DeviceError::NoDevice("the driver lists none".into()));
        }
        let context = CudaContext::new(0).map_err(|error| DeviceError::NoDevice(format!("{error:?}")))?;
        let attribute = |what| context.attribute(what).map_err(driver);
        if attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? == 0 {
            return Err(DeviceError::NoDevice("it cannot let all its threads wait for each other".into()));
        }
        let processors = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?.unsigned_abs();
        let (major, minor) = context.compute_capability().map_err(driver)?;
        let options = CompileOptions {
            fmad: Some(false),
            options: vec![
                format!("--gpu-architecture=compute_{major}{minor}"),
                format!("-DTHREADS={THREADS}"),
                format!("-DTEAMS={TEAMS}"),
            ],
            ..CompileOptions::default()
        };
        let kernels =
            compile_ptx_with_opts(crate::SOURCE, options).map_err(|error| DeviceError::Failed(said(&error)))?;
        let module = context.load_module(kernels).map_err(driver)?;
        Ok(Self {
            stream: context.default_stream(),
            balls: module.load_function("sweep_balls").map_err(driver)?,
            solids: module.load_function("sweep_solids").map_err(driver)?,
            processors,
            buffers: Buffers::default(),
            kernels: Arc::default(),
        })
    }

    /// Nanoseconds the kernels of the last job took, as it will be.
    pub fn stopwatch(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.kernels)
    }

    /// Whether a job fits into what is free and what is already held.
    fn check_memory(&self, needed: usize) -> Result<(), DeviceError> {
        let (free, _) = self.stream.context().mem_get_info().map_err(driver)?;
        let words = self.buffers.words.iter().map(|buffer| 4 * buffer.len()).sum::<usize>();
        let numbers = self.buffers.numbers.iter().map(|buffer| 8 * buffer.len()).sum::<usize>();
        let free = free + words + numbers;
        // a buffer that grows is there twice for a moment
        if needed + needed / 8 > free { Err(DeviceError::TooLittleMemory { needed, free }) } else { Ok(()) }
    }

    /// Copies a job to the device.
    fn upload(&mut self, job: &SweepJob, r: &[f64]) -> Result<Job, DeviceError> {
        let (problem, n) = (job.problem, job.problem.len());
        let (bodies, blocks, groups) = (problem.v.len(), job.slots.len() / LANES, n.div_ceil(LANES));
        let words: [&[u32]; 5] = [job.colours, job.slots, problem.bodies.as_flattened(), job.starts, job.held];
        let numbers: [&[f64]; 10] = [
            job.numbers,
            problem.H.as_flattened(),
            &problem.w,
            &problem.mu,
            job.b,
            job.rho,
            &problem.inverse_mass,
            problem.inverse_inertia.as_flattened(),
            problem.v.as_flattened(),
            r,
        ];
        // u, movers and last ones, p and last ones, changes, sums, work of the tree
        let lists = SUMS * (groups.max(blocks) / 16 + 64);
        let work = [3 * n, 8 * (bodies + 1), 8 * (bodies + 1), 96 * blocks, 96 * blocks, blocks, SUMS * groups, lists];
        // bodies of each lane, state, barrier
        let work_words = [2 * LANES * blocks, STATE, 2];
        let needed = 4 * (words.iter().map(|x| x.len()).sum::<usize>() + work_words.iter().sum::<usize>())
            + 8 * (numbers.iter().map(|x| x.len()).sum::<usize>() + work.iter().sum::<usize>());
        self.check_memory(needed)?;
        let Self { stream, buffers, .. } = self;
        for (buffer, data) in buffers.words.iter_mut().zip(words) {
            buffer.upload(stream, data)?;
        }
        for (buffer, data) in buffers.numbers.iter_mut().zip(numbers) {
            buffer.upload(stream, data)?;
        }
        for (buffer, len) in buffers.words[5..].iter_mut().zip(work_words) {
            buffer.reserve(stream, len)?;
        }
        for (buffer, len) in buffers.numbers[10..].iter_mut().zip(work) {
            buffer.reserve(stream, len)?;
        }
        for buffer in &mut buffers.words[6..] {
            buffer.clear(stream)?;
        }
        let whole = |x: usize| u32::try_from(x).unwrap_or(u32::MAX);
        let sizes = [n, bodies, blocks, job.colours.len() - 1, job.limit, 0, 0, 0].map(whole);
        Ok(Job { sizes, tolerance: job.tolerance, addresses: buffers.addresses(stream) })
    }

    /// One launch; the counters and residuals after it, and its time [ms].
    fn launch(&self, kind: ContactKind, job: &Job) -> Result<(Progress, f32), DeviceError> {
        let function = match kind {
            ContactKind::Balls => &self.balls,
            ContactKind::Solids => &self.solids,
        };
        let fitting = function.occupancy_max_active_blocks_per_multiprocessor(THREADS, 0, None).map_err(driver)?;
        let config = LaunchConfig {
            grid_dim: (self.processors * fitting.max(1), 1, 1),
            block_dim: (THREADS, 1, 1),
            shared_mem_bytes: 0,
        };
        let mut launch = self.stream.launch_builder(function);
        launch.arg(job).record_kernel_launch(cudarc::driver::sys::CUevent_flags::CU_EVENT_DEFAULT);
        // SAFETY: every address is that of a buffer of the length `upload` gave it, indices were checked when contacts were packed,
        // and the grid is no larger than what runs at once
        #[expect(unsafe_code, reason = "a kernel reads and writes what its arguments point to")]
        let events = unsafe { launch.launch_cooperative(config) }.map_err(driver)?;
        let words = self.buffers.words[6].download(&self.stream, STATE)?;
        let time = events.map_or(Ok(0.0), |(begin, end)| begin.elapsed_ms(&end)).map_err(driver)?;
        Ok((Progress::from_words(&words), time))
    }
}

impl SweepMachine for Cuda {
    fn solve(&mut self, job: &SweepJob, answer: &mut SweepAnswer) -> Result<SweepEnd, DeviceError> {
        let mut launched = self.upload(job, answer.r)?;
        let budget = (VISITS / job.problem.len().max(1)).clamp(1, BUDGET);
        let mut milliseconds = 0.0;
        let progress = loop {
            let finish = job.stop.requested();
            [launched.sizes[5], launched.sizes[6]] = [budget as u32, u32::from(finish)];
            let (progress, time) = self.launch(job.kind, &launched)?;
            milliseconds += f64::from(time);
            if progress.done || finish {
                break progress;
            }
        };
        self.kernels.store((1e6 * milliseconds) as u64, Ordering::Relaxed);
        let numbers = &self.buffers.numbers;
        numbers[9].download_into(&self.stream, answer.r)?;
        numbers[10].download_into(&self.stream, answer.u)?;
        let movers = numbers[11].download(&self.stream, 8 * answer.v.len())?;
        for (v, x) in answer.v.iter_mut().zip(movers.as_chunks::<8>().0) {
            *v = [x[0], x[1], x[2], x[4], x[5], x[6]];
        }
        Ok(SweepEnd { iterations: progress.iterations, residuals: progress.residuals })
    }
}

/// What the host looks at in `State`.
struct Progress {
    iterations: usize,
    done: bool,
    residuals: Residuals,
}

impl Progress {
    fn from_words(words: &[u32]) -> Self {
        let number = |k: usize| f64::from_bits(u64::from(words[2 * k]) | u64::from(words[2 * k + 1]) << 32);
        let residuals = Residuals { plain: number(7), scaled: number(8) };
        Self { iterations: words[18] as usize, done: words[23] != 0, residuals }
    }
}

/// Driver and compiler, before anything of them is called.
#[expect(unsafe_code, reason = "a library that is loaded runs its own start")]
fn find_libraries() -> Result<(), DeviceError> {
    // SAFETY: NVIDIA's libraries may be loaded and unloaded
    let (driver, compiler) =
        unsafe { (cudarc::driver::sys::is_culib_present(), cudarc::nvrtc::sys::is_culib_present()) };
    match (driver, compiler) {
        (true, true) => Ok(()),
        (false, _) => Err(DeviceError::NoDriver("libcuda was not found".into())),
        (true, false) => Err(DeviceError::NoDriver("libnvrtc, of the CUDA toolkit, was not found".into())),
    }
}

/// The compiler's words.
fn said(error: &CompileError) -> String {
    match error {
        CompileError::CompileError { log, .. } => format!("its kernels do not compile: {}", log.to_string_lossy()),
        CompileError::CreationError(_)
        | CompileError::GetLogError(_)
        | CompileError::GetPtxError(_)
        | CompileError::DestroyError(_) => format!("{error}"),
    }
}

impl Buffers {
    /// In the order of `Job`.
    fn addresses(&self, stream: &Arc<CudaStream>) -> [u64; 26] {
        let word = |k: usize| self.words[k].address(stream);
        let number = |k: usize| self.numbers[k].address(stream);
        let [colour, slot, pair, start, held, body, state, barrier] = [0, 1, 2, 3, 4, 5, 6, 7].map(word);
        let [numbers, H, w, mu, b, rho, mass, inertia, v0, r] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(number);
        let [u, mover, last_mover, p, last_p, change, sums, scratch] = [10, 11, 12, 13, 14, 15, 16, 17].map(number);
        [
            colour, slot, numbers, pair, H, w, mu, b, rho, mass, inertia, v0, start, held, r, u, mover, last_mover,
            body, p, last_p, change, sums, scratch, state, barrier,
        ]
    }
}

impl<T: DeviceRepr + Default + Clone + cudarc::driver::ValidAsZeroBits> Buffer<T> {
    fn len(&self) -> usize {
        self.0.as_ref().map_or(0, CudaSlice::len)
    }

    /// Makes room for so many, and a little more where it must grow.
    fn reserve(&mut self, stream: &Arc<CudaStream>, len: usize) -> Result<(), DeviceError> {
        if self.0.is_some() && self.len() >= len {
            return Ok(());
        }
        self.0 = None;
        let room = (len + len / 16).max(64);
        let zeros = stream.alloc_zeros::<T>(room).map_err(|error| match error.0 {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                DeviceError::TooLittleMemory { needed: room * size_of::<T>(), free: 0 }
            }
            _ => driver(error),
        })?;
        self.0 = Some(zeros);
        Ok(())
    }

    fn upload(&mut self, stream: &Arc<CudaStream>, data: &[T]) -> Result<(), DeviceError> {
        self.reserve(stream, data.len())?;
        match &mut self.0 {
            Some(slice) if !data.is_empty() => {
                stream.memcpy_htod(data, &mut slice.slice_mut(..data.len())).map_err(driver)
            }
            _ => Ok(()),
        }
    }

    fn clear(&mut self, stream: &Arc<CudaStream>) -> Result<(), DeviceError> {
        self.0.as_mut().map_or(Ok(()), |slice| stream.memset_zeros(slice).map_err(driver))
    }

    fn download_into(&self, stream: &Arc<CudaStream>, data: &mut [T]) -> Result<(), DeviceError> {
        match &self.0 {
            Some(slice) => stream.memcpy_dtoh(&slice.slice(..data.len()), data).map_err(driver)?,
            None => return Err(DeviceError::Failed("nothing was computed".into())),
        }
        stream.synchronize().map_err(driver)
    }

    fn download(&self, stream: &Arc<CudaStream>, len: usize) -> Result<Vec<T>, DeviceError> {
        let mut data = vec![T::default(); len];
        self.download_into(stream, &mut data)?;
        Ok(data)
    }

    fn address(&self, stream: &Arc<CudaStream>) -> u64 {
        self.0.as_ref().map_or(0, |slice| slice.device_ptr(stream).0)
    }
}
