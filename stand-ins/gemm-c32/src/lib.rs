//! The product of large matrices of c32, which nothing asks for: matrices here are of f64 alone (see ../README.md).
#![no_std]

/// Where callers look for it.
pub mod gemm {
    /// By the numbers it is made of.
    pub mod f32 {
        use gemm_common::Parallelism;

        type T = num_complex::Complex<f32>;
        /// α dst + β lhs rhs: sizes; a matrix with its strides, three times; α, β; what is conjugate; threads.
        #[rustfmt::skip]
        type Product = unsafe fn(
            usize, usize, usize,
            *mut T, isize, isize, bool,
            *const T, isize, isize,
            *const T, isize, isize,
            T, T, bool, bool, bool, Parallelism,
        );

        #[rustfmt::skip]
        fn refused(
            _: usize, _: usize, _: usize,
            _: *mut T, _: isize, _: isize, _: bool,
            _: *const T, _: isize, _: isize,
            _: *const T, _: isize, _: isize,
            _: T, _: T, _: bool, _: bool, _: bool, _: Parallelism,
        ) {
            unreachable!("products of c32 are not compiled: matrices are of f64 alone");
        }

        /// The product.
        pub fn get_gemm_fn() -> Product {
            refused
        }
    }
}
