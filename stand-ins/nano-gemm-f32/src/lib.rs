//! Tables of kernels for f32 that nothing calls: matrices here are of f64 alone (see ../README.md).
#![no_std]
// other processors have no tables
#![cfg_attr(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")), allow(unused))]

use nano_gemm_core::{MicroKernel, MicroKernelData};

fn refused(_: &MicroKernelData<f32>, _: *mut f32, _: *const f32, _: *const f32) {
    unreachable!("products of f32 are not compiled: matrices are of f64 alone");
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

type Number = f32;

/// Registers of x86.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub mod x86 {
    /// For f32.
    pub mod f32 {
        kernels!(f32x1, 1, 4, 1);
        kernels!(f32x2, 1, 4, 2);
        kernels!(f32x4, 1, 4, 4);
        kernels!(avx, 2, 4, 8);
    }
}

/// Registers of aarch64.
#[cfg(target_arch = "aarch64")]
pub mod aarch64 {
    /// For f32.
    pub mod f32 {
        kernels!(neon, 4, 4, 1);
    }
}
