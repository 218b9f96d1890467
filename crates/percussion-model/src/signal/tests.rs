//! Derivatives of every kind of signal against differences, corners, ends and periods.

use super::*;
use crate::formula::Formula;

fn kinds() -> Vec<(&'static str, Signal)> {
    let points: Vec<[f64; 2]> = (0..9).map(|k| [0.25 * k as f64 + 0.01 * (k * k) as f64, (k as f64).sin()]).collect();
    let mut closed = points.clone();
    closed[8][1] = closed[0][1];
    let table = |points: &Vec<[f64; 2]>, how, periodic| {
        Signal::waveform(2.0, Waveform::Table(Table::new(points.clone(), how, periodic, 0.1).unwrap()))
    };
    let profile = |p: Profile| Signal::waveform(1.0, Waveform::Profile(p.check().unwrap()));
    let (start, end, from, to) = (0.3, 1.5, -1.0, 2.0);
    let formula = Signal::waveform(1.0, Waveform::Formula(Formula::new("exp(-t)*cos(3*t)", &["t"]).unwrap()));
    let ramp = profile(Profile::Ramp { start, end, from, to });
    let mut sum = Signal::harmonic(1.0, 2.0, 3.0, 0.4);
    sum.add(-0.5, &formula);
    vec![
        ("sines", sum.clone()),
        ("linear", table(&points, Interpolation::Linear, false)),
        ("linear periodic", table(&points, Interpolation::Linear, true)),
        ("cubic", table(&points, Interpolation::Cubic, false)),
        ("cubic periodic", table(&closed, Interpolation::Cubic, true)),
        ("step", profile(Profile::Step { at: 0.7, from, to })),
        ("ramp", ramp.clone()),
        ("smooth", profile(Profile::Smooth { start, end, from, to })),
        ("pulse", profile(Profile::Pulse { start, end, height: 2.0, shape: PulseShape::Rectangle })),
        ("half-sine", profile(Profile::Pulse { start, end, height: 2.0, shape: PulseShape::HalfSine })),
        ("formula", formula.clone()),
        ("product", Signal::product(vec![ramp, formula, sum])),
    ]
}

/// Rates and accelerations against central differences wherever no corner is near; error O(δ²) plus round-off 1e-16/δ.
#[test]
fn rates_are_derivatives() {
    let d = 1e-6;
    for (name, s) in kinds() {
        for k in 0..400 {
            let t = -0.5 + 0.0131 * k as f64;
            if s.next_corner(t - 2.0 * d) < t + 2.0 * d {
                continue;
            }
            let rate = (s.at(t + d) - s.at(t - d)) / (2.0 * d);
            assert!((s.rate(t) - rate).abs() < 1e-7, "{name} at {t}: {} {rate}", s.rate(t));
            let acceleration = (s.rate(t + d) - s.rate(t - d)) / (2.0 * d);
            assert!((s.acceleration(t) - acceleration).abs() < 1e-6, "{name} at {t}");
            assert!((s.to_rate().at(t) - s.rate(t)).abs() < 1e-14 * s.rate(t).abs().max(1.0), "{name}");
            assert!((s.to_acceleration().at(t) - s.acceleration(t)).abs() < 1e-13 * s.acceleration(t).abs().max(1.0));
        }
    }
}

/// A cubic table passes its points, bends continuously, and reproduces sin to fourth order; periodic ones repeat.
#[test]
fn splines() {
    let error = |n: usize| {
        let points = (0..=n).map(|k| std::f64::consts::TAU * k as f64 / n as f64);
        let mut points: Vec<[f64; 2]> = points.map(|t| [t, t.sin()]).collect();
        points[n][1] = points[0][1];
        let table = Table::new(points, Interpolation::Cubic, true, 0.0).unwrap();
        (0..1000).map(|k| 0.01 * k as f64).map(|t| (table.jet(t)[0] - t.sin()).abs()).fold(0.0, f64::max)
    };
    let order = (error(20) / error(40)).log2();
    assert!(error(40) < 1e-5 && order > 3.8, "{} {order}", error(40));
    for (name, s) in kinds().into_iter().filter(|(name, _)| name.starts_with("cubic")) {
        let Waveform::Table(table) = &*s.terms[0].waveform else { panic!("{name}") };
        for pair in table.points().windows(2).skip(1) {
            let t = pair[0][0] + table.delay();
            for (a, b) in table.jet(t - 1e-9).into_iter().zip(table.jet(t + 1e-9)) {
                assert!((a - b).abs() < 1e-6, "{name} at {t}: {a} {b}");
            }
            assert!((table.jet(t)[0] - pair[0][1]).abs() < 1e-15);
        }
    }
}

/// Ends are held, corners come in order, and a period has as many as it has points.
#[test]
fn ends_and_corners() {
    let points = vec![[0.0, 1.0], [1.0, 3.0], [4.0, 1.0]];
    let held = Table::new(points.clone(), Interpolation::Linear, false, 0.5).unwrap();
    assert_eq!((held.jet(-9.0)[0], held.jet(99.0)[0], held.jet(1.0)[0]), (1.0, 1.0, 2.0));
    assert_eq!([-1.0, 0.5, 1.6, 4.5].map(|t| held.next_corner(t)), [0.5, 1.5, 4.5, f64::INFINITY]);
    let repeated = Table::new(points, Interpolation::Linear, true, 0.5).unwrap();
    let (mut t, mut corners) = (0.0, 0);
    while t < 4000.0 {
        let next = repeated.next_corner(t);
        assert!(next > t && next - t <= 3.0 + 1e-9, "{t} {next}");
        (t, corners) = (next, corners + 1);
    }
    assert!((corners as f64 - 2000.0).abs() <= 2.0, "{corners}");
    assert!(
        !repeated.jumps()
            && Signal::waveform(1.0, Waveform::Profile(Profile::Step { at: 0.0, from: 0.0, to: 1.0 })).jumps()
    );
}

/// Tables and profiles that make no sense are refused.
#[test]
fn refusals() {
    let table = |points: &[[f64; 2]], how, periodic| Table::new(points.to_vec(), how, periodic, 0.0).is_err();
    assert!(table(&[], Interpolation::Linear, false));
    assert!(table(&[[0.0, 1.0], [0.0, 2.0]], Interpolation::Linear, false));
    assert!(table(&[[0.0, f64::NAN]], Interpolation::Linear, false));
    assert!(table(&[[0.0, 1.0]], Interpolation::Linear, true));
    assert!(table(&[[0.0, 1.0], [1.0, 2.0]], Interpolation::Cubic, true));
    assert!(Profile::Ramp { start: 1.0, end: 1.0, from: 0.0, to: 1.0 }.check().is_err());
    assert!(Profile::Step { at: f64::NAN, from: 0.0, to: 1.0 }.check().is_err());
}
