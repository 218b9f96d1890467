//! Tables of kernels for c64 that nothing calls: matrices here are of f64 alone (see ../README.md).
#![no_std]
// other processors have no tables
#![cfg_attr(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")), allow(unused))]

use nano_gemm_core::{MicroKernel, MicroKernelData};

/// A number of this crate.
#[allow(non_camel_case_types)]
pub type c64 = num_complex::Complex<f64>;

fn refused(_: &MicroKernelData<c64>, _: *mut c64, _: *const c64, _: *const c64) {
    unreachable!("products of c64 are not compiled: matrices are of f64 alone");
}

/// Kernels of registers, by depth, rows and columns.
macro_rules! kernels {
    ($name:ident, $rows:literal, $columns:literal, $lanes:literal) => {
        /// Of one kind of registers.
        pub mod $name {
            /// Registers in a column.
            pub const MR_DIV_N: usize = $rows;
            /// Columns.
            pub const NR: usize = $columns;
            /// Numbers in a register.
            pub const N: usize = $lanes;
            /// The kernels.
            pub static MICROKERNELS: [[[crate::MicroKernel<crate::Number>; NR]; MR_DIV_N]; 17] =
                [[[crate::refused; NR]; MR_DIV_N]; 17];
            /// Which numbers of the last register count.
            pub static MASKS: [(); N] = [(); N];
        }
    };
}

type Number = c64;

/// Registers of x86.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub mod x86 {
    /// For c64.
    pub mod c64 {
        kernels!(c64x1, 1, 2, 1);
        kernels!(avx, 2, 2, 2);
    }
}

/// Registers of aarch64.
#[cfg(target_arch = "aarch64")]
pub mod aarch64 {
    /// For c64.
    pub mod c64 {
        kernels!(neon, 4, 4, 1);
    }
}
