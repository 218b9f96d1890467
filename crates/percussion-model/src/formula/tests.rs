//! Formulas against the same arithmetic in Rust, and text that is no formula.

use super::*;

/// Values and precedence as in a textbook.
#[test]
fn values() {
    let cases: &[(&str, f64)] = &[
        ("1 + 2*3^2", 19.0),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("2^3^2", 512.0),
        ("(1+2)*(3-4)/2", -1.5),
        ("sin(pi/6) + 1.5e0", 0.5_f64.asin().sin() + 1.5),
        ("max(1, min(x, 3)) + abs(-x) - -x", 6.0),
        ("if(x - 1, 10, 20) + step(x) + sign(-x)", 10.0),
        ("x**2 + atan2(x, 2*x)", 4.0 + 1.0_f64.atan2(2.0)),
        ("e^x", std::f64::consts::E.powf(2.0)),
        ("2 ^ x", 4.0),
    ];
    for (text, expected) in cases {
        let formula = Formula::new(text, &["x"]).unwrap();
        let found = formula.at(&[2.0]);
        assert!((found - expected).abs() <= 4e-16 * expected.abs(), "{text}: {found}, not {expected}");
    }
}

/// Two derivatives against those by hand.
#[test]
fn derivatives() {
    let formula = Formula::new("t^3*sin(2*t) + exp(-t)/t + t^t", &["t"]).unwrap();
    for t in [0.3_f64, 1.7] {
        let (s, c) = (2.0 * t).sin_cos();
        let e = (-t).exp() / t;
        let p = t.powf(t);
        let expected = [
            t.powi(3) * s + e + p,
            3.0 * t * t * s + 2.0 * t.powi(3) * c - e * (1.0 + 1.0 / t) + p * (t.ln() + 1.0),
            6.0 * t * s + 12.0 * t * t * c - 4.0 * t.powi(3) * s
                + e * ((1.0 + 1.0 / t).powi(2) + 1.0 / (t * t))
                + p * ((t.ln() + 1.0).powi(2) + 1.0 / t),
        ];
        for (found, expected) in formula.jet(t).into_iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-13 * expected.abs().max(1.0), "{found} {expected}");
        }
    }
}

/// x² at x = 0 has finite derivatives, as whole powers have.
#[test]
fn powers_at_zero() {
    assert_eq!(Formula::new("t^2", &["t"]).unwrap().jet(0.0), [0.0, 0.0, 2.0]);
    assert_eq!(Formula::new("t^1", &["t"]).unwrap().jet(0.0), [0.0, 1.0, 0.0]);
}

/// What is no formula is refused with its place, whatever it is; nothing panics or overflows.
#[test]
fn refusals() {
    let deep = format!("{}t{}", "(".repeat(100_000), ")".repeat(100_000));
    let powers = vec!["t"; 5000].join("^");
    let nested = format!("{}t{}", "max(1,".repeat(80), ")".repeat(80));
    let bad = ["", "1 +", "sin t", "foo(1)", "x", "1 2", "(1", "max(1)", "1..2", "open(\"f\")", "t;t", "∞", "1e999"];
    for text in bad.into_iter().chain([deep.as_str(), &powers, &nested]) {
        let error = Formula::new(text, &["t"]).unwrap_err();
        assert_eq!(error.code, crate::Code::BAD_FORMULA, "{text}");
    }
    let error = Formula::new("2*speed", &["t"]).unwrap_err();
    assert!(error.message.contains("\"speed\"") && error.message.contains("character 3"), "{}", error.message);
}

/// The portable functions of numbers with derivatives are the numbers' own, to third derivatives.
#[test]
fn portable_functions_have_the_same_derivatives() {
    use super::portable;
    use num_dual::{Dual3_64, DualNum};
    type F = (fn(Dual3_64) -> Dual3_64, fn(&Dual3_64) -> Dual3_64);
    let pairs: [F; 11] = [
        (portable::sin, DualNum::sin),
        (portable::cos, DualNum::cos),
        (portable::tan, DualNum::tan),
        (portable::asin, DualNum::asin),
        (portable::acos, DualNum::acos),
        (portable::atan, DualNum::atan),
        (portable::sinh, DualNum::sinh),
        (portable::cosh, DualNum::cosh),
        (portable::tanh, DualNum::tanh),
        (portable::exp, DualNum::exp),
        (portable::ln, DualNum::ln),
    ];
    let near = |a: Dual3_64, b: Dual3_64, size: f64, what: &str| {
        for (a, b) in [(a.re, b.re), (a.v1, b.v1), (a.v2, b.v2), (a.v3, b.v3)] {
            assert!((a - b).abs() <= 1e-12 * b.abs().max(size), "{what}: {a} and {b}");
        }
    };
    let close = |a: Dual3_64, b: Dual3_64, what: &str| near(a, b, 1.0, what);
    for k in 1..20 {
        let x = Dual3_64::new(0.05 * f64::from(k) - 0.01, 0.7, -0.4, 0.2);
        for (i, (portable, own)) in pairs.iter().enumerate() {
            close(portable(x), own(&x), &format!("function {i}"));
        }
        for c in [-1.5, 0.5, 2.0, 3.0] {
            close(portable::powf(x, c), x.powf(c), "power");
        }
        for (y, z) in [(x, x * 0.3 - 1.0), (-x, x * x - 0.2), (x - 2.0, -x)] {
            // the third derivative is a sum of terms of size 1/x³, x the smaller of both
            let size = y.re.abs().min(z.re.abs()).powi(-3).max(1.0);
            near(portable::atan2(y, z), y.atan2(z), size, "angle");
        }
    }
}

/// Formulas that jump are told from those that only have corners, wherever in time it is.
#[test]
fn jumps_in_time() {
    let jump = |text: &str| Formula::new(text, &["t"]).unwrap().jump_in_time(0, &[0.0]);
    for (text, when) in [
        ("0.1*step(t - 1)", 1.0),
        ("if(t - 250.5, 2, 1) + t", 250.5),
        ("sign(sin(3*t))", 0.0),
        ("sign(cos(3*t))", std::f64::consts::PI / 6.0),
        ("sin(t)*step(t^2 - 4)", 2.0),
        ("atan2(1 - t, -1)", 1.0),
    ] {
        let found = jump(text).unwrap_or_else(|| panic!("{text}"));
        assert!((found - when).abs() < 1e-9 * (1.0 + when), "{text}: {found}");
    }
    for text in [
        "t",
        "abs(t - 1)",
        "(t - 1)*step(t - 1)",
        "if(t - 2, (t - 2)^2, 0)",
        "max(0, sin(t))",
        "step(t)",
        "atan2(t, 1)",
        "step(2)",
    ] {
        assert_eq!(jump(text), None, "{text}");
    }
}
