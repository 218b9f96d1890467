//! Four numbers side by side: the same operation on four contacts.
//!
//! Lane by lane, in the order written, without fused operations: the same bits on every machine, whatever its registers. Where a processor
//! has registers of four numbers they are used (`Wide`), which takes half the instructions.

use std::ops::{Add, Div, Mul, Sub};
use wide::f64x4;

/// Contacts treated side by side.
pub(crate) const LANES: usize = 4;

/// One number of each of four contacts, as it is kept.
pub(crate) type Lanes = f64x4;

/// A vector of each of four contacts.
pub(crate) type Lanes3 = [Lanes; 3];

/// Four numbers as they are computed with.
pub(crate) trait Four:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// What has to be there for it.
    type Means: Copy + Send + Sync;

    fn of(means: Self::Means, x: Lanes) -> Self;
    fn kept(self) -> Lanes;
    /// The same number four times.
    fn same(means: Self::Means, x: f64) -> Self;
    fn sqrt(self) -> Self;
    /// x where this is above the other, y elsewhere and where one is not a number.
    fn above(self, other: Self, x: Self, y: Self) -> Self;
    /// The columns of four rows of numbers, and the way back.
    fn columns(means: Self::Means, rows: [&[f64; LANES]; LANES]) -> [Self; LANES];
    fn rows(means: Self::Means, columns: &[Self; LANES]) -> [Self; LANES];
    /// Four numbers of a row, and the way back.
    fn get(means: Self::Means, row: &[f64; LANES]) -> Self;
    fn put(self, row: &mut [f64; LANES]);
}

/// Rows as columns.
#[inline(always)]
fn transposed([a, b, c, d]: [&[f64; LANES]; LANES]) -> [Lanes; LANES] {
    [
        Lanes::new([a[0], b[0], c[0], d[0]]),
        Lanes::new([a[1], b[1], c[1], d[1]]),
        Lanes::new([a[2], b[2], c[2], d[2]]),
        Lanes::new([a[3], b[3], c[3], d[3]]),
    ]
}

impl Four for Lanes {
    type Means = ();

    #[inline(always)]
    fn of((): (), x: Lanes) -> Self {
        x
    }

    #[inline(always)]
    fn kept(self) -> Lanes {
        self
    }

    #[inline(always)]
    fn same((): (), x: f64) -> Self {
        Self::splat(x)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        f64x4::sqrt(self)
    }

    #[inline(always)]
    fn above(self, other: Self, x: Self, y: Self) -> Self {
        self.simd_gt(other).select(x, y)
    }

    #[inline(always)]
    fn columns((): (), rows: [&[f64; LANES]; LANES]) -> [Self; LANES] {
        transposed(rows)
    }

    #[inline(always)]
    fn rows((): (), [a, b, c, d]: &[Self; LANES]) -> [Self; LANES] {
        transposed([a.as_array(), b.as_array(), c.as_array(), d.as_array()])
    }

    #[inline(always)]
    fn get((): (), row: &[f64; LANES]) -> Self {
        Self::new(*row)
    }

    #[inline(always)]
    fn put(self, row: &mut [f64; LANES]) {
        *row = self.to_array();
    }
}

/// Registers of four numbers.
#[cfg(target_arch = "x86_64")]
pub(crate) mod wide_registers {
    use super::{Add, Div, Four, LANES, Lanes, Mul, Sub};
    use pulp::x86::V3;
    use std::arch::x86_64::{__m256d, _CMP_GT_OQ};

    /// Four numbers in one register; the processor has been asked whether it has such.
    #[derive(Clone, Copy)]
    pub(crate) struct Wide {
        means: V3,
        x: __m256d,
    }

    impl Four for Wide {
        type Means = V3;

        #[inline(always)]
        fn of(means: V3, x: Lanes) -> Self {
            Self { means, x: pulp::cast(x.to_array()) }
        }

        #[inline(always)]
        fn kept(self) -> Lanes {
            Lanes::new(pulp::cast(self.x))
        }

        #[inline(always)]
        fn same(means: V3, x: f64) -> Self {
            Self { means, x: means.avx._mm256_set1_pd(x) }
        }

        #[inline(always)]
        fn sqrt(self) -> Self {
            Self { x: self.means.avx._mm256_sqrt_pd(self.x), ..self }
        }

        #[inline(always)]
        fn above(self, other: Self, x: Self, y: Self) -> Self {
            let avx = self.means.avx;
            Self { x: avx._mm256_blendv_pd(y.x, x.x, avx._mm256_cmp_pd::<_CMP_GT_OQ>(self.x, other.x)), ..self }
        }

        #[inline(always)]
        fn columns(means: V3, [a, b, c, d]: [&[f64; LANES]; LANES]) -> [Self; LANES] {
            transposed(means, [pulp::cast(*a), pulp::cast(*b), pulp::cast(*c), pulp::cast(*d)])
        }

        #[inline(always)]
        fn rows(means: V3, [a, b, c, d]: &[Self; LANES]) -> [Self; LANES] {
            transposed(means, [a.x, b.x, c.x, d.x])
        }

        #[inline(always)]
        fn get(means: V3, row: &[f64; LANES]) -> Self {
            Self { means, x: pulp::cast(*row) }
        }

        #[inline(always)]
        fn put(self, row: &mut [f64; LANES]) {
            *row = pulp::cast(self.x);
        }
    }

    /// Rows as columns: pairs, then halves.
    #[inline(always)]
    fn transposed(means: V3, [a, b, c, d]: [__m256d; LANES]) -> [Wide; LANES] {
        let avx = means.avx;
        let (even, odd) = (avx._mm256_unpacklo_pd(a, b), avx._mm256_unpackhi_pd(a, b));
        let (even_too, odd_too) = (avx._mm256_unpacklo_pd(c, d), avx._mm256_unpackhi_pd(c, d));
        [
            Wide { means, x: avx._mm256_permute2f128_pd::<0x20>(even, even_too) },
            Wide { means, x: avx._mm256_permute2f128_pd::<0x20>(odd, odd_too) },
            Wide { means, x: avx._mm256_permute2f128_pd::<0x31>(even, even_too) },
            Wide { means, x: avx._mm256_permute2f128_pd::<0x31>(odd, odd_too) },
        ]
    }

    impl Add for Wide {
        type Output = Self;

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            Self { x: self.means.avx._mm256_add_pd(self.x, other.x), ..self }
        }
    }

    impl Sub for Wide {
        type Output = Self;

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            Self { x: self.means.avx._mm256_sub_pd(self.x, other.x), ..self }
        }
    }

    impl Mul for Wide {
        type Output = Self;

        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            Self { x: self.means.avx._mm256_mul_pd(self.x, other.x), ..self }
        }
    }

    impl Div for Wide {
        type Output = Self;

        #[inline(always)]
        fn div(self, other: Self) -> Self {
            Self { x: self.means.avx._mm256_div_pd(self.x, other.x), ..self }
        }
    }
}

/// a · b.
#[inline(always)]
pub(crate) fn dot<F: Four>(a: &[F; 3], b: &[F; 3]) -> F {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a × b.
#[inline(always)]
pub(crate) fn cross<F: Four>(a: &[F; 3], b: &[F; 3]) -> [F; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// a + c b.
#[inline(always)]
pub(crate) fn plus<F: Four>(a: &[F; 3], c: F, b: &[F; 3]) -> [F; 3] {
    [a[0] + c * b[0], a[1] + c * b[1], a[2] + c * b[2]]
}

/// a − c b.
#[inline(always)]
pub(crate) fn minus<F: Four>(a: &[F; 3], c: F, b: &[F; 3]) -> [F; 3] {
    [a[0] - c * b[0], a[1] - c * b[1], a[2] - c * b[2]]
}

/// x + β (x − x_last).
#[inline(always)]
pub(crate) fn beyond<F: Four>(means: F::Means, x: F, last: F, beta: f64) -> F {
    x + (x - last) * F::same(means, beta)
}

/// A vector as it is computed with, and as it is kept.
#[inline(always)]
pub(crate) fn of_three<F: Four>(means: F::Means, x: &Lanes3) -> [F; 3] {
    [F::of(means, x[0]), F::of(means, x[1]), F::of(means, x[2])]
}

#[inline(always)]
pub(crate) fn kept_three<F: Four>(x: &[F; 3]) -> Lanes3 {
    [x[0].kept(), x[1].kept(), x[2].kept()]
}

/// max(x, 0), and 0 for what is not a number.
#[inline(always)]
pub(crate) fn positive<F: Four>(means: F::Means, x: F) -> F {
    let zero = F::same(means, 0.0);
    x.above(zero, x, zero)
}

/// The factor that brings a vector of square `square` into the disk of radius `bound`: min(1, bound/√square).
#[inline(always)]
pub(crate) fn cut<F: Four>(means: F::Means, square: F, bound: F) -> F {
    square.above(bound * bound, bound / square.sqrt(), F::same(means, 1.0))
}
