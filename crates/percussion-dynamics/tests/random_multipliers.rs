//! Floquet multipliers of 200 random driven systems with impacts and friction against differences of the flow, extrapolated.
//!
//!   M ≈ (4 D(δ/2) − D(δ))/3,   D(δ)_ij = (φ_i(x + δ e_j) − φ_i(x − δ e_j))/2δ
//!
//! Orbits whose slowest impact or smallest gap is nearly a touch are left aside: there the flow has no derivative.

use percussion_dynamics::{Driven, cycle, eigenvalues};
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::{Contact, LinearModel, LinearParts, Signal};
use percussion_solve::SolverOptions;
use percussion_step::problems::Dice;
use percussion_step::{EventKind, Flow, Problem, State};
use std::f64::consts::PI;

fn dense(rows: &[Vec<f64>]) -> Matrix {
    Matrix::Dense(DenseMatrix::from_rows(rows).expect("a matrix"))
}

/// Two coupled masses, one driven, with a stop each; every third system has a mass that slides on a rough floor instead of a second stop.
fn system(seed: u64) -> (Driven, Vec<f64>) {
    let mut dice = Dice(seed);
    let mut r = |a, b| dice.real(a, b);
    let rough = seed % 3 == 2;
    let (k, c, omega) = (r(0.3, 1.5), r(0.1, 0.4), r(0.6, 2.2));
    let stop = |normal: Vec<(usize, f64)>, offset: f64, e: f64| Contact {
        normal,
        offset: Signal::constant(offset),
        restitution: e,
        ..Contact::default()
    };
    let force = Signal::harmonic(0.0, r(0.6, 1.6), omega, 0.0);
    let first = stop(vec![(0, -1.0)], r(0.1, 0.5), r(0.4, 0.9));
    let (m0, m1) = (r(0.7, 1.5), r(0.7, 1.5));
    let springs = |n: usize| {
        let mut rows = vec![vec![0.0; n]; n];
        (rows[0][0], rows[0][1], rows[1][0], rows[1][1]) = (1.0 + k, -k, -k, 1.2 + k);
        rows
    };
    let dampers = |n: usize| {
        springs(n).into_iter().map(|row| row.into_iter().map(|x| c * x).collect()).collect::<Vec<Vec<f64>>>()
    };
    let mut masses = vec![vec![m0, 0.0], vec![0.0, m1]];
    let mut loads = vec![force, Signal::constant(0.0)];
    let contacts = if rough {
        // the second mass also has a height, held down on the floor it slides on
        masses = vec![vec![m0, 0.0, 0.0], vec![0.0, m1, 0.0], vec![0.0, 0.0, m1]];
        loads.push(Signal::constant(-1.0));
        let floor = Contact {
            normal: vec![(2, 1.0)],
            tangents: vec![vec![(1, 1.0)]],
            friction: r(0.02, 0.1),
            ..Contact::default()
        };
        vec![first, floor]
    } else {
        vec![first, stop(vec![(1, 1.0)], r(0.2, 0.6), r(0.4, 0.9))]
    };
    let n = masses.len();
    let model = LinearModel::new(LinearParts {
        mass: dense(&masses),
        damping: Some(dense(&dampers(n))),
        stiffness: Some(dense(&springs(n))),
        force: loads,
        contacts,
        joints: vec![],
    })
    .expect("a model");
    let problem = Problem::linear(model, vec![0.0; n], vec![0.0; n]).expect("a problem");
    let flow = Flow::new(&problem, SolverOptions::default(), &[]).expect("a flow");
    (Driven { flow, period: 2.0 * PI / omega, period_rate: 0.0 }, vec![0.0; 2 * n])
}

/// Where a motion ends, and the kinds and contacts of its events.
type Shot = (Vec<f64>, Vec<(EventKind, usize)>);

/// φ and what happened on the way.
fn shoot(driven: &mut Driven, (t, x): (f64, &[f64]), m: usize) -> Option<Shot> {
    let n = x.len() / 2;
    let from = State { t, q: x[..n].to_vec(), v: x[n..].to_vec() };
    let end = driven.flow.run(&from, m as f64 * driven.period, vec![]).ok()?;
    let happened = end.events.iter().map(|event| (event.kind, event.contact)).collect();
    Some((end.state.q.into_iter().chain(end.state.v).collect(), happened))
}

/// The extrapolated difference of φ along a coordinate; none where events change their order.
fn column(driven: &mut Driven, (t, x): (f64, &[f64]), m: usize, j: usize) -> Option<Vec<f64>> {
    let (_, own) = shoot(driven, (t, x), m)?;
    let mut difference = |d: f64| {
        let mut at = |d: f64| {
            let mut x = x.to_vec();
            x[j] += d;
            shoot(driven, (t, &x), m).filter(|(_, happened)| *happened == own).map(|(end, _)| end)
        };
        let (plus, minus) = (at(d)?, at(-d)?);
        Some(plus.iter().zip(minus).map(|(a, b)| (a - b) / (2.0 * d)).collect::<Vec<f64>>())
    };
    let (coarse, fine) = (difference(2e-5)?, difference(1e-5)?);
    Some(fine.iter().zip(coarse).map(|(f, c)| (4.0 * f - c) / 3.0).collect())
}

#[test]
fn multipliers_of_random_systems() {
    let (mut compared, mut rough, mut worst, mut worst_multiplier, mut seed) = (0, 0, 0.0_f64, 0.0_f64, 0);
    while compared < 200 && seed < 1200 {
        let (mut driven, mut x) = system(seed);
        seed += 1;
        let n = x.len() / 2;
        let mut points = Vec::new();
        let settled = (0..80).all(|_| match shoot(&mut driven, (0.0, &x), 1) {
            Some((end, _)) => {
                x = end;
                points.extend_from_slice(&x);
                true
            }
            None => false,
        });
        let Some(found) = settled.then(|| cycle(&points, 2 * n, 0, 4, 1e-4)).flatten() else { continue };
        let Ok(orbit) = driven.orbit(&x, found.points) else { continue };
        let touch =
            orbit.slowest_impact().is_none_or(|u| u < 0.05) || orbit.nearest.is_some_and(|(gap, ..)| gap < 5e-3);
        if touch {
            continue;
        }
        // heights are held by the floor: a difference along them leaves it
        let moving: Vec<usize> = (0..2 * n).filter(|j| j % n < 2).collect();
        let made: Option<Vec<Vec<f64>>> =
            moving.iter().map(|&j| column(&mut driven, (orbit.start, &orbit.at_start), found.points, j)).collect();
        let Some(columns) = made else { continue };
        let k = moving.len();
        let part = |of: &dyn Fn(usize, usize) -> f64| {
            let values = (0..k).flat_map(|j| (0..k).map(move |i| (i, j))).map(|(i, j)| of(i, j)).collect();
            DenseMatrix::from_columns(k, k, values).expect("a matrix")
        };
        let exact = part(&|i, j| orbit.monodromy.get(moving[i], moving[j]));
        let differences = part(&|i, j| columns[j][moving[i]]);
        let size = exact.values().iter().fold(1.0_f64, |s, x| s.max(x.abs()));
        let error =
            exact.values().iter().zip(differences.values()).map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max);
        worst = worst.max(error);
        assert!(error <= 1e-6, "system {}: {error:e}", seed - 1);
        let (a, b) = (eigenvalues(&exact), eigenvalues(&differences));
        // multipliers that nearly meet move like the root of an error
        let apart = (0..k).all(|i| (0..i).all(|j| (a[i].0 - a[j].0).hypot(a[i].1 - a[j].1) > 1e-2));
        if apart {
            let nearest = |x: &(f64, f64)| b.iter().map(|y| (x.0 - y.0).hypot(x.1 - y.1)).fold(f64::INFINITY, f64::min);
            let error = a.iter().map(nearest).fold(0.0, f64::max) / size;
            worst_multiplier = worst_multiplier.max(error);
            assert!(error <= 1e-6, "system {}: multipliers {a:?} {b:?}", seed - 1);
        }
        compared += 1;
        rough += usize::from(n == 3);
    }
    println!(
        "{compared} systems of {seed}, {rough} with friction; worst entry {worst:.1e}, worst multiplier {worst_multiplier:.1e}"
    );
    assert!(compared == 200 && rough >= 30, "{compared} of {seed}, {rough}");
}
