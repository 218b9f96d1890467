//! Equilibria of large bending and twisting against closed forms and tables.

use crate::conservation::diagonal3;
use crate::equilibrium::settle;
use crate::structure::{Load, Make, Motion, PLAIN, Structure};
use percussion_model::bodies::math::Vec3;
use percussion_model::flexible::layout::{arc, straight};
use percussion_model::flexible::{Section, StrainMeasure, diagonal6};
use std::f64::consts::PI;

/// A cantilever through these frames under a load at its end; the place of the end.
fn tip(frames: &[percussion_model::bodies::Frame], C: [f64; 6], make: Make, force: Vec3, moment: Vec3) -> Vec3 {
    let section = Section::new(diagonal6(&C), 1.0, diagonal3([1.0; 3])).unwrap();
    let mut s = Structure::default();
    let nodes = s.add_beam(frames, &section, make);
    s.nodes[0].motion = Motion::Fixed;
    let last = *nodes.last().unwrap();
    settle(&mut s, &[Load { node: last, force, moment }], 10);
    s.nodes[last].frame.x
}

fn along_x(length: f64, n: usize) -> Vec<percussion_model::bodies::Frame> {
    straight(&[0.0; 3], &[length, 0.0, 0.0], &[0.0, 0.0, 1.0], n).unwrap()
}

/// A moment πEI/L rolls a beam into half a circle, its end at (0, 2L/π): exact on any mesh with the logarithm.
#[test]
fn roll_up() {
    let L = 2.0;
    for n in [5, 10, 20] {
        for residual in [false, true] {
            let C = [1e3, 1e3, 1e3, 1.0, 1.0, 1.0];
            let make = Make { residual, ..PLAIN };
            let x = tip(&along_x(L, n), C, make, [0.0; 3], [0.0, 0.0, PI / L]);
            let error = x[0].abs().max((x[1] - 2.0 * L / PI).abs()) / L;
            println!("roll-up n = {n}: {error:e}");
            assert!(error < 1e-13, "n = {n}: {error:e}");
        }
    }
}

/// Mattiasson's cantilever (1981), PL²/EI = 10: u = 0.55500 L, v = 0.81061 L. Order 2 without residual flexibility; with it four
/// elements are within 5e-4.
#[test]
fn mattiasson() {
    let C = [1e6, 1e6, 1e6, 1.0, 1.0, 1.0];
    let error = |n: usize, residual: bool, measure: StrainMeasure| {
        let make = Make { residual, measure, ..PLAIN };
        let x = tip(&along_x(1.0, n), C, make, [0.0, 0.0, 10.0], [0.0; 3]);
        [x[0] - 0.44500, x[2] - 0.81061]
    };
    let [a, b, c] = [4, 8, 16].map(|n| error(n, false, StrainMeasure::Se3));
    println!("Mattiasson: {a:?} {b:?} {c:?}");
    for (got, table) in [(a, [6.3e-3, -1.1e-2]), (b, [1.5e-3, -2.6e-3]), (c, [3.8e-4, -6.5e-4])] {
        for k in 0..2 {
            assert!((got[k] - table[k]).abs() < 0.06 * table[k].abs(), "{got:?} {table:?}");
        }
    }
    for k in 0..2 {
        // the table's five digits end the comparison
        let order = (a[k] / b[k]).log2();
        assert!((order - 2.0).abs() < 0.15, "order {order}");
    }
    for (n, bound) in [(4, 5e-4), (8, 5e-5)] {
        let with = error(n, true, StrainMeasure::Se3);
        println!("Mattiasson with residual flexibility, n = {n}: {with:?}");
        assert!(with.iter().all(|e| e.abs() < bound), "{with:?}");
    }
    let [cayley, director] = [StrainMeasure::Cayley, StrainMeasure::Director].map(|m| error(8, false, m));
    assert!((cayley[0] - 1.2e-2).abs() < 1e-3 && (director[0] + 2.7e-2).abs() < 2e-3, "{cayley:?} {director:?}");
}

/// The bend of 45° of Bathe and Bolourchi (1979) with a force out of its plane, by table for 8, 16 and 64 elements.
#[test]
fn bend_of_45_degrees() {
    let C = [1e7, 5e6, 5e6, 0.1406 * 5e6, 1e7 / 12.0, 1e7 / 12.0];
    let table: [(usize, f64, [f64; 3]); 6] = [
        (8, 300.0, [58.594, 22.139, 40.363]),
        (8, 600.0, [46.976, 15.585, 53.465]),
        (16, 300.0, [58.551, 22.119, 40.451]),
        (16, 600.0, [46.913, 15.565, 53.572]),
        (64, 300.0, [58.537, 22.113, 40.478]),
        (64, 600.0, [46.894, 15.558, 53.605]),
    ];
    for (n, force, expected) in table {
        let frames = arc(&[0.0; 3], &[0.0, 100.0, 0.0], &[0.0, 0.0, 1.0], 0.25 * PI, &[0.0, 0.0, 1.0], n).unwrap();
        let x = tip(&frames, C, PLAIN, [0.0, 0.0, force], [0.0; 3]);
        println!("bend n = {n}, {force} N: {x:?}");
        for k in 0..3 {
            assert!((x[k] - expected[k]).abs() < 1e-3, "n = {n}: {x:?} {expected:?}");
        }
    }
    let frames = arc(&[0.0; 3], &[0.0, 100.0, 0.0], &[0.0, 0.0, 1.0], 0.25 * PI, &[0.0, 0.0, 1.0], 8).unwrap();
    let x = tip(&frames, C, Make { residual: true, ..PLAIN }, [0.0, 0.0, 600.0], [0.0; 3]);
    for (got, expected) in x.iter().zip([46.895, 15.559, 53.614]) {
        assert!((got - expected).abs() < 1e-3, "{x:?}");
    }
}

/// The Princeton beam (Dowell and Traybar 1975): a strip under a force askew to its axes, by table to 1e-7 m.
#[test]
fn princeton() {
    let (L, b, hh, E) = (0.508, 12.3777e-3_f64, 3.2024e-3_f64, 71.7e9);
    let (G, A) = (E / 2.62, b * hh);
    let C = [E * A, G * A, G * A, 2.92574, E * b * hh.powi(3) / 12.0, E * hh * b.powi(3) / 12.0];
    let table: [(f64, f64, usize, [f64; 3]); 8] = [
        (8.896, 15.0, 8, [-2.2321, -10.5977, 42.0146]),
        (8.896, 15.0, 32, [-2.2474, -10.6407, 42.1813]),
        (8.896, 45.0, 8, [-14.3189, -8.9257, 108.6971]),
        (8.896, 45.0, 32, [-14.4060, -8.9758, 109.0871]),
        (13.345, 45.0, 8, [-30.2600, -15.5054, 156.1975]),
        (13.345, 45.0, 32, [-30.4409, -15.6139, 156.7385]),
        (13.345, 75.0, 8, [-47.8333, -6.4202, 195.5004]),
        (13.345, 75.0, 32, [-48.0698, -6.4672, 196.0989]),
    ];
    let mut worst: f64 = 0.0;
    for (force, angle, n, expected) in table {
        let (s, c) = (angle * PI / 180.0).sin_cos();
        let x = tip(&along_x(L, n), C, PLAIN, [0.0, -force * c, force * s], [0.0; 3]);
        for k in 0..3 {
            let moved = 1e3 * (x[k] - if k == 0 { L } else { 0.0 });
            worst = worst.max((moved - expected[k]).abs());
            assert!((moved - expected[k]).abs() < 1.0e-4, "{force} {angle} {n}: {moved} {}", expected[k]);
        }
    }
    println!("Princeton: {worst:e} mm");
    let (s, c) = (PI / 4.0).sin_cos();
    let make = Make { residual: true, ..PLAIN };
    let x = tip(&along_x(L, 8), C, make, [0.0, -13.345 * c, 13.345 * s], [0.0; 3]);
    for (k, expected) in [-30.4406, -15.5937, 156.7584].into_iter().enumerate() {
        let moved = 1e3 * (x[k] - if k == 0 { L } else { 0.0 });
        assert!((moved - expected).abs() < 1e-4, "{moved} {expected}");
    }
}

/// A rod held straight against a rest curvature pulls back with EIκ₀; a pretension stands in its section forces.
#[test]
fn rest_curvature_and_pretension() {
    let section = Section::new(diagonal6(&[100.0, 80.0, 80.0, 3.0, 2.0, 5.0]), 1.0, diagonal3([1.0; 3])).unwrap();
    let frames = along_x(1.0, 1);
    let bare = percussion_model::flexible::BeamElement::unstressed(
        StrainMeasure::Se3,
        &frames[0],
        &frames[1],
        *section.stiffness(),
        0.0,
    );
    let held = bare.with_rest([1.0 - 20.0 / 100.0, 0.0, 0.0, 0.0, 0.3, 0.1]);
    let n = held.section_forces(&frames[0], &frames[1]);
    for (got, expected) in n.iter().zip([20.0, 0.0, 0.0, 0.0, -0.6, -0.5]) {
        assert!((got - expected).abs() < 1e-13, "{n:?}");
    }
}
