//! From a choice of device to a device: opened once for the whole program, refused or replaced by the cores where there is none.

use percussion_model::{Code, InputError};
use percussion_solve::friction::{Device, DeviceChoice, DeviceError};
use percussion_step::{Simulation, Warning};
use std::sync::OnceLock;

/// The device of this program; opening it takes a second, once.
fn device() -> &'static Result<Device, DeviceError> {
    static DEVICE: OnceLock<Result<Device, DeviceError>> = OnceLock::new();
    DEVICE.get_or_init(percussion_gpu::open)
}

/// Lets a run use the device chosen; a warning where it has to do without.
pub fn attach(simulation: &mut Simulation, choice: DeviceChoice) -> Result<Option<Warning>, InputError> {
    let required = match choice {
        DeviceChoice::Cpu => return Ok(None),
        DeviceChoice::Gpu => true,
        DeviceChoice::Auto => false,
    };
    match device() {
        Ok(device) => {
            simulation.use_device(device, required);
            Ok(None)
        }
        Err(error) if required => Err(refusal(error)),
        Err(error) => Ok(Some(instead(error))),
    }
}

/// The cores compute instead.
pub fn instead(error: &DeviceError) -> Warning {
    Warning { code: Code::ON_CPU, message: format!("{error}; the cores compute instead") }
}

fn refusal(error: &DeviceError) -> InputError {
    let (code, help) = match error {
        DeviceError::NotBuilt => (
            Code::GPU_NOT_BUILT,
            "build it with `cargo build --release -p percussion-cli --features gpu`, or use cpu or auto",
        ),
        DeviceError::NoDriver(_) => {
            (Code::NO_GPU_DRIVER, "install the driver and the CUDA toolkit, or use cpu or auto")
        }
        DeviceError::NoDevice(_) => (Code::NO_GPU, "use cpu or auto"),
        DeviceError::TooLittleMemory { .. } => (Code::GPU_MEMORY, "use cpu or auto"),
        DeviceError::Failed(_) => (Code::GPU_FAILED, "use cpu or auto"),
    };
    InputError::new(code, "solver.device", error.to_string(), help)
}
