//! Tables of kernels for c32 that nothing calls: matrices here are of f64 alone (see ../README.md).
#![no_std]
// other processors have no tables
#![cfg_attr(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")), allow(unused))]

use nano_gemm_core::{MicroKernel, MicroKernelData};

/// A number of this crate.
#[allow(non_camel_case_types)]
pub type c32 = num_complex::Complex<f32>;

fn refused(_: &MicroKernelData<c32>, _: *mut c32, _: *const c32, _: *const c32) {
    unreachable!("products of c32 are not compiled: matrices are of f64 alone");
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

type Number = c32;

/// Registers of x86.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub mod x86 {
    /// For c32.
    pub mod c32 {
        kernels!(c32x1, 1, 2, 1);
        kernels!(c32x2, 1, 2, 2);
        kernels!(avx, 2, 2, 4);
    }
}

/// Registers of aarch64.
#[cfg(target_arch = "aarch64")]
pub mod aarch64 {
    /// For c32.
    pub mod c32 {
        kernels!(neon, 4, 4, 1);
    }
}
