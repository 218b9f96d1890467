//! Coloured sweeps on a GPU: the kernels of `sweeps.cu`, compiled when the device is opened, behind `SweepMachine`.
//!
//!   the same operations in the same order as on threads, so the same bits
//!
//! Nothing is linked: the driver and the compiler of kernels (NVRTC) are looked for at run time, and what is missing is an error that
//! says so. Without the feature `cuda` there is only that error.

#[cfg(feature = "cuda")]
mod cuda;

use percussion_solve::friction::{Device, DeviceError};

#[cfg(feature = "cuda")]
pub use cuda::Cuda;

/// The kernels.
pub const SOURCE: &str = include_str!("sweeps.cu");

/// The first device of this machine.
#[cfg(feature = "cuda")]
pub fn open() -> Result<Device, DeviceError> {
    Ok(Device::new(Box::new(Cuda::open()?)))
}

/// The first device of this machine.
#[cfg(not(feature = "cuda"))]
pub fn open() -> Result<Device, DeviceError> {
    Err(DeviceError::NotBuilt)
}
