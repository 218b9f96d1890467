//! Elementary functions of numbers with derivatives, from values and derivatives of the plain function.
//!
//!   f(x + ε) = f + f′ ε + ½ f″ ε² + ⅙ f‴ ε³,   ε⁴ = 0
//!
//! The numbers' own functions call the system's library; these call the portable one (`percussion_matrix::math`).

use crate::Number;
use percussion_matrix::math;

/// f, f′, f″, f‴ at a point.
type Jet = [f64; 4];

/// The function with this jet at the value of x.
fn of<D: Number>(x: D, [f, f1, f2, f3]: Jet) -> D {
    let re = x.re();
    if !re.is_finite() {
        return D::from(f);
    }
    let e = x - D::from(re);
    // Horner, the highest derivative innermost
    D::from(f) + e * (D::from(f1) + e * (D::from(0.5 * f2) + e * D::from(f3 / 6.0)))
}

/// Functions of one number by the jet at its value.
macro_rules! of_one {
    ($($name:ident |$x:ident| $jet:expr;)*) => {
        $(
            pub fn $name<D: Number>(x: D) -> D {
                let $x = x.re();
                of(x, $jet)
            }
        )*
    };
}

of_one! {
    sin |x| { let (s, c) = math::sin_cos(x); [s, c, -s, -c] };
    cos |x| { let (s, c) = math::sin_cos(x); [c, -s, -c, s] };
    tan |x| { let t = math::tan(x); let d = 1.0 + t * t; [t, d, 2.0 * t * d, 2.0 * d * (1.0 + 3.0 * t * t)] };
    asin |x| { let [a, b, c] = arc(x); [math::asin(x), a, b, c] };
    acos |x| { let [a, b, c] = arc(x); [math::acos(x), -a, -b, -c] };
    atan |x| { let d = 1.0 / (1.0 + x * x); [math::atan(x), d, -2.0 * x * d * d, (6.0 * x * x - 2.0) * d * d * d] };
    sinh |x| { let (s, c) = (math::sinh(x), math::cosh(x)); [s, c, s, c] };
    cosh |x| { let (s, c) = (math::sinh(x), math::cosh(x)); [c, s, c, s] };
    tanh |x| { let t = math::tanh(x); let d = 1.0 - t * t; [t, d, -2.0 * t * d, 2.0 * d * (3.0 * t * t - 1.0)] };
    exp |x| [math::exp(x); 4];
    ln |x| { let r = 1.0 / x; [math::ln(x), r, -r * r, 2.0 * r * r * r] };
}

/// The derivatives of arcsin.
fn arc(x: f64) -> [f64; 3] {
    let w = 1.0 / (1.0 - x * x);
    let d = w.sqrt();
    [d, x * d * w, (1.0 + 2.0 * x * x) * d * w * w]
}

/// xᶜ with a plain c.
pub fn powf<D: Number>(x: D, c: f64) -> D {
    let re = x.re();
    let power = |k: f64, factor: f64| if factor == 0.0 { 0.0 } else { factor * math::powf(re, c - k) };
    of(x, [math::powf(re, c), power(1.0, c), power(2.0, c * (c - 1.0)), power(3.0, c * (c - 1.0) * (c - 2.0))])
}

/// The angle of the point (x, y): that of its value, turned by the arctangent of what remains.
pub fn atan2<D: Number>(y: D, x: D) -> D {
    let (a, b) = (y.re(), x.re());
    // rotated by −φ the value lies on the axis, where the angle is arctan(y'/x') about 0
    let (along, across) = (x * b + y * a, y * b - x * a);
    let turn = atan(across / along);
    D::from(math::atan2(a, b)) + (turn - D::from(turn.re()))
}
