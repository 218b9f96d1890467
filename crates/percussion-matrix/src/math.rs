//! The elementary functions the numerics call, in one of two arithmetics chosen once for the whole program.
//!
//!   native:    the system's library, vector kernels of the processor at hand; fastest
//!   portable:  the `libm` crate's functions, kernels in scalar order without fused operations; the same bits on every machine
//!
//! IEEE 754 fixes + − · / √ everywhere; sin, exp and their kin it leaves to libraries, which differ in the last digit.

use std::sync::atomic::{AtomicBool, Ordering};

/// In a browser there is nothing but the portable arithmetic.
static PORTABLE: AtomicBool = AtomicBool::new(cfg!(target_family = "wasm"));

/// From here on every result is that of the portable arithmetic. To be said before anything is computed.
pub fn use_portable() {
    PORTABLE.store(true, Ordering::Relaxed);
}

/// Whether results are to be the same bits on every machine.
#[inline]
pub fn is_portable() -> bool {
    cfg!(target_family = "wasm") || PORTABLE.load(Ordering::Relaxed)
}

/// Functions of one number: the name here and in `libm`, and the method of `f64`.
macro_rules! of_one {
    ($($name:ident = $libm:ident, $text:literal;)*) => {
        $(
            #[doc = $text]
            #[inline]
            pub fn $name(x: f64) -> f64 {
                if is_portable() { libm::$libm(x) } else { x.$name() }
            }
        )*
    };
}

of_one! {
    sin = sin, "sin x.";
    cos = cos, "cos x.";
    tan = tan, "tan x.";
    asin = asin, "arcsin x.";
    acos = acos, "arccos x.";
    atan = atan, "arctan x.";
    sinh = sinh, "sinh x.";
    cosh = cosh, "cosh x.";
    tanh = tanh, "tanh x.";
    exp = exp, "eˣ.";
    exp2 = exp2, "2ˣ.";
    ln = log, "The natural logarithm.";
    log2 = log2, "The logarithm to base 2.";
    log10 = log10, "The logarithm to base 10.";
    cbrt = cbrt, "∛x.";
}

/// (sin x, cos x).
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    if is_portable() { (libm::sin(x), libm::cos(x)) } else { x.sin_cos() }
}

/// The angle of the point (x, y).
#[inline]
pub fn atan2(y: f64, x: f64) -> f64 {
    if is_portable() { libm::atan2(y, x) } else { y.atan2(x) }
}

/// √(x² + y²) without overflow.
#[inline]
pub fn hypot(x: f64, y: f64) -> f64 {
    if is_portable() { libm::hypot(x, y) } else { x.hypot(y) }
}

/// xʸ.
#[inline]
pub fn powf(x: f64, y: f64) -> f64 {
    if is_portable() { libm::pow(x, y) } else { x.powf(y) }
}

#[cfg(test)]
mod tests {
    /// The two arithmetics differ in the last digits only.
    #[test]
    fn portable_functions_are_those_of_the_system() {
        type Function = fn(f64) -> f64;
        let pairs: [(Function, Function); 15] = [
            (libm::sin, f64::sin),
            (libm::cos, f64::cos),
            (libm::tan, f64::tan),
            (libm::asin, f64::asin),
            (libm::acos, f64::acos),
            (libm::atan, f64::atan),
            (libm::sinh, f64::sinh),
            (libm::cosh, f64::cosh),
            (libm::tanh, f64::tanh),
            (libm::exp, f64::exp),
            (libm::exp2, f64::exp2),
            (libm::log, f64::ln),
            (libm::log2, f64::log2),
            (libm::log10, f64::log10),
            (libm::cbrt, f64::cbrt),
        ];
        for k in 1..=1000 {
            let x = f64::from(k) / 1001.0;
            for (i, (portable, native)) in pairs.iter().enumerate() {
                let (a, b) = (portable(x), native(x));
                assert!((a - b).abs() <= 4.0 * f64::EPSILON * b.abs(), "function {i} at {x}: {a} and {b}");
            }
            assert!((libm::hypot(x, 0.3) - x.hypot(0.3)).abs() <= 4.0 * f64::EPSILON);
            assert!((libm::atan2(x, 0.3) - x.atan2(0.3)).abs() <= 4.0 * f64::EPSILON * x.atan2(0.3));
            assert!((libm::pow(x, 0.7) - x.powf(0.7)).abs() <= 4.0 * f64::EPSILON);
        }
    }
}
