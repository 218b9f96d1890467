//! The distance from a curve through points: a circle, discrete gradients, what lies beyond the ends.

use percussion_model::bodies::PlaneCurve;

fn circle(n: usize, turn: f64) -> PlaneCurve {
    let at = |k: usize| turn * std::f64::consts::TAU * k as f64 / n as f64;
    PlaneCurve::new(&(0..n).map(|k| [0.3 * at(k).cos(), 0.3 * at(k).sin()]).collect::<Vec<_>>(), true)
        .expect("a circle")
}

/// Through 100 points of a circle of 0.3 m, either way round: |p| − 0.3 and 1/|p|, to the fourth order of the spacing.
#[test]
fn a_circle_is_one() {
    for curve in [circle(100, 1.0), circle(100, -1.0)] {
        for k in 0..50 {
            let (angle, r) = (0.37 * k as f64, 0.1 + 0.01 * k as f64);
            let p = [r * angle.cos(), r * angle.sin()];
            assert!((curve.distance(&p) - (r - 0.3)).abs() < 1e-6, "{p:?}: {}", curve.distance(&p));
            let (n, bend) = curve.curving(&p, &[-angle.sin(), angle.cos()]);
            assert!((n[0] - angle.cos()).abs() < 1e-4 && (n[1] - angle.sin()).abs() < 1e-4, "{p:?}: {n:?}");
            assert!((bend - 1.0 / r).abs() < 2e-2 / r, "{p:?}: {bend}");
        }
    }
}

/// n̄·Δp is what d changes by, for any two places; beyond its ends an open curve goes on straight, positive on its left.
#[test]
fn gradients_are_discrete() {
    let open = PlaneCurve::new(&[[0.0, 0.0], [0.5, 0.2], [1.0, 0.1], [1.6, 0.4]], false).expect("a curve");
    for curve in [circle(12, 1.0), open.clone()] {
        for k in 0..40 {
            let at = |j: f64| [0.4 * (j * 1.3).sin() + 0.2, 0.4 * (j * 0.7).cos()];
            let (from, to) = (at(k as f64), at(k as f64 + 0.3));
            let n = curve.gradient(&from, &to);
            let change = curve.distance(&to) - curve.distance(&from);
            assert!((n[0] * (to[0] - from[0]) + n[1] * (to[1] - from[1]) - change).abs() < 1e-14, "{k}: {n:?}");
        }
    }
    let (beyond, left) = (open.distance(&[3.0, 10.0]), open.distance(&[0.7, 0.6]));
    assert!(beyond > 0.0 && left > 0.0 && open.distance(&[0.7, -0.6]) < 0.0, "{beyond} {left}");
}
