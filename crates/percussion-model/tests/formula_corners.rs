//! Where formulas of time have corners, against zeros known by hand.

use percussion_model::Formula;

/// The corners of a formula in t, one after the other.
#[test]
fn corners() {
    let all = |text: &str, n: usize| {
        let formula = Formula::new(text, &["t"]).expect("a formula");
        let (mut t, mut list) = (0.0, Vec::new());
        while list.len() < n {
            t = formula.next_corner(0, t);
            list.push(t);
        }
        list
    };
    let near = |found: Vec<f64>, expected: &[f64], text: &str| {
        let fits = |(a, b): (&f64, &f64)| a == b || (a - b).abs() < 1e-14 * b.abs();
        assert!(found.iter().zip(expected).all(fits), "{text}: {found:?}");
    };
    let pi = std::f64::consts::PI;
    let never = f64::INFINITY;
    let cases: &[(&str, &[f64])] = &[
        ("sin(t) + t^2", &[never]),
        ("max(0, t - 1)", &[1.0, never]),
        ("min(2*t, 3 - t)", &[1.0, never]),
        ("abs(-(t - 0.3)/2) + step(t*4 - 8)", &[0.3, 2.0, never]),
        ("abs(sin(2*t))", &[0.5 * pi, pi, 1.5 * pi]),
        ("max(0.5, cos(t))", &[pi / 3.0, 5.0 * pi / 3.0, 7.0 * pi / 3.0]),
        ("max(2, cos(t))", &[never]),
        ("if(t - 2^0.5, t, sqrt(4))", &[2.0_f64.sqrt(), never]),
        // behind, and what is neither a line nor a wave
        ("abs(t + 1) + abs(t^2 - 1) + step(0*t)", &[never]),
        // faster than anything follows
        ("abs(sin(1e12*t))", &[never]),
    ];
    for (text, expected) in cases {
        near(all(text, expected.len()), expected, text);
    }
    let of_two = Formula::new("max(x, t - 1) + abs(t - 3)", &["x", "t"]).expect("a formula");
    assert_eq!(of_two.next_corner(1, 0.0), 3.0);
    assert_eq!(of_two.next_corner(1, f64::NEG_INFINITY), 3.0);
    assert!(!of_two.is_exponent(0) && Formula::new("2^(1 + x)", &["x"]).expect("a formula").is_exponent(0));
}
