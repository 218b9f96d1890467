//! The functions a formula may call.

use super::portable;
use crate::Number;
use percussion_matrix::math::is_portable;

/// A function of the numbers' own, or the portable one of the same name.
macro_rules! either {
    ($x:ident . $name:ident) => {
        if is_portable() { portable::$name($x[0]) } else { $x[0].$name() }
    };
}

/// Names, what they take, and what they are.
macro_rules! functions {
    ($($Variant:ident = $name:literal, $arguments:literal, |$x:ident| $value:expr;)*) => {
        /// A function by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Function {
            $(#[doc = $name] $Variant,)*
        }

        impl Function {
            /// All names.
            pub const NAMES: &[&str] = &[$($name),*];

            /// By name.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$Variant),)*
                    _ => None,
                }
            }

            /// How many numbers it takes.
            pub fn arguments(self) -> usize {
                match self {
                    $(Self::$Variant => $arguments,)*
                }
            }

            /// Its value; `x` has as many entries as it takes.
            pub fn value<D: Number>(self, x: &[D]) -> D {
                match self {
                    $(Self::$Variant => { let $x = x; $value })*
                }
            }
        }
    };
}

functions! {
    Sin = "sin", 1, |x| either!(x.sin);
    Cos = "cos", 1, |x| either!(x.cos);
    Tan = "tan", 1, |x| either!(x.tan);
    Asin = "asin", 1, |x| either!(x.asin);
    Acos = "acos", 1, |x| either!(x.acos);
    Atan = "atan", 1, |x| either!(x.atan);
    Atan2 = "atan2", 2, |x| if is_portable() { portable::atan2(x[0], x[1]) } else { x[0].atan2(x[1]) };
    Sinh = "sinh", 1, |x| either!(x.sinh);
    Cosh = "cosh", 1, |x| either!(x.cosh);
    Tanh = "tanh", 1, |x| either!(x.tanh);
    Exp = "exp", 1, |x| either!(x.exp);
    Log = "log", 1, |x| either!(x.ln);
    Sqrt = "sqrt", 1, |x| x[0].sqrt();
    Abs = "abs", 1, |x| if x[0].re() < 0.0 { -x[0] } else { x[0] };
    Sign = "sign", 1, |x| D::from(if x[0].re() < 0.0 { -1.0 } else if x[0].re() > 0.0 { 1.0 } else { 0.0 });
    Step = "step", 1, |x| D::from(if x[0].re() < 0.0 { 0.0 } else { 1.0 });
    Min = "min", 2, |x| if x[1].re() < x[0].re() { x[1] } else { x[0] };
    Max = "max", 2, |x| if x[1].re() > x[0].re() { x[1] } else { x[0] };
    If = "if", 3, |x| if x[0].re() > 0.0 { x[1] } else { x[2] };
}
