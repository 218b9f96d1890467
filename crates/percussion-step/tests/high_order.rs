//! Orders of `runge-kutta-moreau`, by the library's own convergence test and against event-driven runs.

mod common;

use common::{random_problem, run};
use percussion_matrix::vector;
use percussion_solve::SolverOptions;
use percussion_step::measure::{Bounce, ConvergenceTable, ImpactOscillator, converge, fit_order};
use percussion_step::problems::{Dice, Known, OneMass, Recipe, pendulum, rocking_block, rocking_block_model};
use percussion_step::{Problem, Scheme, Trajectory, simulate};
use std::sync::Arc;

fn scheme(tableau: &str, order: u32, bracket: f64) -> Scheme {
    common::scheme("runge-kutta-moreau", |o| {
        (o.tableau, o.order, o.bracket) = (Some(tableau.into()), Some(order), Some(bracket));
    })
}

fn table(scheme: &Scheme, steps: &[f64]) -> ConvergenceTable {
    let exact = ImpactOscillator { omega: 1.0, e: 0.5, q0: 1.0 };
    converge(&exact.problem().expect("a problem"), scheme, SolverOptions::default(), 10.0, steps, &exact).expect("runs")
}

/// On the impact oscillator with C = 1e-4: orders 2, 3, 4, 5, 8 and Radau IIA 1, 3, 5 within 0.1, and the errors of an
/// independent implementation (L1 of q, h = 0.4/2^k) to its three digits.
#[test]
fn orders_on_the_impact_oscillator() {
    type Row = (&'static str, u32, f64, usize, &'static [f64]);
    let reference: &[Row] = &[
        ("explicit", 2, 0.1, 5, &[2.04e-1, 5.46e-2, 1.40e-2, 3.53e-3, 8.85e-4, 2.22e-4]),
        ("explicit", 3, 0.2, 5, &[2.31e-2, 2.88e-3, 3.59e-4, 4.49e-5, 5.62e-6, 7.02e-7]),
        ("explicit", 4, 0.1, 5, &[1.62e-3, 1.08e-4, 6.94e-6, 4.40e-7, 2.76e-8, 1.73e-9]),
        ("explicit", 5, 0.2, 4, &[2.52e-5, 7.86e-7, 2.43e-8, 7.53e-10, 2.35e-11]),
        ("explicit", 8, 0.4, 3, &[]),
        ("radau-iia", 1, 1.5e-3, 4, &[1.00, 6.54e-1, 3.71e-1, 2.00e-1, 1.04e-1, 5.29e-2]),
        ("radau-iia", 3, 0.1, 5, &[7.21e-3, 9.21e-4, 1.17e-4, 1.48e-5, 1.86e-6, 2.33e-7]),
        ("radau-iia", 5, 0.2, 4, &[1.18e-5, 3.71e-7, 1.18e-8, 3.70e-10, 1.16e-11]),
    ];
    let halved = |first: f64, n: usize| (0..n).map(|k| first / f64::from(1 << k)).collect::<Vec<f64>>();
    for &(family, order, first, levels, expected) in reference {
        // the error constant of order 8 is so small that C h⁹ with C = 1e-4 is not beside it
        let scheme = scheme(family, order, if order == 8 { 1e-7 } else { 1e-4 });
        let fit = table(&scheme, &halved(first, levels)).order_q().expect("a fit");
        let errors: Vec<f64> =
            table(&scheme, &halved(0.4, expected.len().max(1))).rows.iter().map(|r| r.l1_q).collect();
        println!("{family:<9} p = {order}: order {:.3} ± {:.3}, errors {errors:?}", fit.order, fit.scatter);
        assert!((fit.order - f64::from(order)).abs() < 0.1, "{family} p = {order}: {:.3}", fit.order);
        for (found, expected) in errors.iter().zip(expected) {
            // half a unit of the last digit printed, and as much again for the place of the event in its bracket
            assert!((found / expected - 1.0).abs() < 0.01, "{family} p = {order}: {found:e} for {expected:e}");
        }
    }
}

/// With a coarse bracket the errors are those of the independent implementation too: its rows for C = 1 and C = 0.01, L1 of
/// q at h = 0.4/2^k, to half a unit of the last digit printed and the round-off of ten seconds.
#[test]
fn errors_with_a_coarse_bracket() {
    type Row = (&'static str, u32, f64, &'static [f64]);
    let reference: &[Row] = &[
        ("explicit", 2, 1.0, &[7.85e-2, 3.47e-2, 1.09e-2, 3.15e-3, 8.35e-4, 2.15e-4]),
        ("explicit", 2, 0.01, &[2.02e-1, 5.43e-2, 1.40e-2, 3.53e-3, 8.84e-4, 2.21e-4]),
        ("explicit", 3, 1.0, &[8.89e-2, 6.01e-3, 4.56e-4, 4.84e-5, 5.89e-6, 7.13e-7]),
        ("explicit", 3, 0.01, &[2.29e-2, 2.88e-3, 3.60e-4, 4.49e-5, 5.62e-6, 7.02e-7]),
        ("explicit", 4, 1.0, &[3.40e-2, 1.13e-3, 3.37e-5, 1.43e-6, 6.02e-8, 2.73e-9]),
        ("explicit", 4, 0.01, &[1.86e-3, 1.15e-4, 7.26e-6, 4.48e-7, 2.79e-8, 1.74e-9]),
        ("explicit", 5, 1.0, &[1.17e-2, 1.78e-4, 2.72e-6, 4.63e-8, 7.32e-10, 1.08e-11]),
        ("explicit", 5, 0.01, &[1.17e-4, 1.91e-6, 4.01e-8, 9.26e-10, 2.52e-11]),
        ("radau-iia", 1, 1.0, &[1.05, 6.61e-1, 3.76e-1, 2.01e-1, 1.04e-1, 5.29e-2]),
        ("radau-iia", 1, 0.01, &[1.00, 6.54e-1, 3.71e-1, 2.00e-1, 1.04e-1, 5.29e-2]),
        ("radau-iia", 3, 1.0, &[8.36e-2, 5.42e-3, 2.82e-4, 2.66e-5, 2.30e-6, 2.49e-7]),
        ("radau-iia", 3, 0.01, &[7.35e-3, 9.29e-4, 1.18e-4, 1.48e-5, 1.86e-6, 2.33e-7]),
        ("radau-iia", 5, 1.0, &[1.17e-2, 1.77e-4, 2.72e-6, 4.63e-8, 7.31e-10, 1.08e-11]),
        ("radau-iia", 5, 0.01, &[1.46e-4, 2.25e-6, 3.36e-8, 6.26e-10, 1.50e-11]),
    ];
    let mut worst: f64 = 0.0;
    for &(family, order, C, expected) in reference {
        let steps: Vec<f64> = (0..expected.len()).map(|k| 0.4 / f64::from(1 << k)).collect();
        let errors: Vec<f64> = table(&scheme(family, order, C), &steps).rows.iter().map(|r| r.l1_q).collect();
        let off: Vec<f64> = errors.iter().zip(expected).map(|(found, expected)| found / expected - 1.0).collect();
        println!("{family:<9} p = {order} C = {C}: {}", off.iter().map(|x| format!("{x:+.3} ")).collect::<String>());
        for (found, expected) in errors.iter().zip(expected) {
            worst = worst.max((found - expected).abs() / (0.005 * expected + 2e-13));
        }
    }
    assert!(worst < 1.0, "{worst} of what is allowed");
}

/// With C = 1 the bracket decides and order 5 measures as 6: one order more per impact, as the bound C h^{p+1} says.
#[test]
fn a_coarse_bracket_hides_the_order() {
    let steps: Vec<f64> = (0..5).map(|k| 0.4 / f64::from(1 << k)).collect();
    let fit = table(&scheme("explicit", 5, 1.0), &steps).order_q().expect("a fit");
    println!("C = 1: {:.2}", fit.order);
    assert!((fit.order - 6.0).abs() < 0.2, "{:.3}", fit.order);
}

/// Order p at the end of nonlinear motions with impacts, joints and two contacts, against event-driven runs at 1e-13.
#[test]
fn orders_on_nonlinear_models() {
    let (pendulum, block) = (pendulum(0.8).expect("a pendulum"), rocking_block(0.5).expect("a block"));
    // two impacts of the pendulum, four of the block
    for (name, problem, end) in [("pendulum", &pendulum, 1.5), ("block", &block, 0.6)] {
        let exact = run(problem, &common::scheme("event-driven", |o| o.tolerance = Some(1e-13)), 1e-2, end);
        let exact = exact.q(exact.len() - 1).to_vec();
        for (family, order) in
            [("explicit", 2), ("explicit", 3), ("explicit", 4), ("explicit", 5), ("radau-iia", 3), ("radau-iia", 5)]
        {
            let steps: Vec<f64> = (0..4).map(|k| end / f64::from(40 << k)).collect();
            let error = |h: f64| {
                let run = run(problem, &scheme(family, order, 1e-4), h, end);
                let q = run.q(run.len() - 1);
                vector::norm(&q.iter().zip(&exact).map(|(a, b)| a - b).collect::<Vec<f64>>())
            };
            let errors: Vec<f64> = steps.iter().map(|&h| error(h)).collect();
            let usable = errors.iter().filter(|e| **e > 1e-11).count();
            println!("{name:<8} {family:<9} p = {order}: {errors:?}");
            if usable < 3 {
                // the free flights of the block are parabolas and turns at constant rate: order 2 and more are exact
                assert!(errors.iter().all(|e| *e < 1e-6), "{name} p = {order}: {errors:?}");
                continue;
            }
            let fit = fit_order(&steps[..usable], &errors[..usable]).expect("a fit");
            println!("         order {:.2} ± {:.2}", fit.order, fit.scatter);
            assert!(fit.order > f64::from(order) - 0.3, "{name} {family} p = {order}: {:.2}", fit.order);
        }
    }
}

/// The ball comes to rest at its accumulation; the block, whose bounces accumulate on accumulations, runs to the end with
/// every order, and so do random systems with moving walls and joints.
#[test]
fn accumulations_are_crossed() {
    let ball = OneMass::ball().problem().expect("a ball");
    for (family, order) in [("explicit", 2), ("explicit", 4), ("explicit", 8), ("radau-iia", 1), ("radau-iia", 5)] {
        let run = run(&ball, &scheme(family, order, 1e-4), 1e-2, 5.0);
        let last = run.len() - 1;
        assert!((run.q(last)[0] - 0.2).abs() < 1e-15 && run.v(last)[0] == 0.0, "{family} {order}");
    }
    let block = rocking_block(0.5).expect("a block");
    for order in [2, 3, 4, 5] {
        for h in [2e-2, 1e-2, 5e-3] {
            for bracket in [1.0, 1e-4] {
                let run = run(&block, &scheme("explicit", order, bracket), h, 2.0);
                let last = run.len() - 1;
                assert!((run.q(last)[1] - 0.75).abs() < 1e-12 && run.v(last)[2].abs() < 1e-13, "p = {order}, h = {h}");
            }
        }
    }
    let mut dice = Dice(5);
    for case in 0..12 {
        let recipe = Recipe { walls_move: case % 2 == 0, joints: case % 3, ..Recipe::USUAL };
        let problem = random_problem(&mut dice, recipe);
        for (family, order) in [("explicit", 4), ("radau-iia", 3)] {
            run(&problem, &scheme(family, order, 1e-4), 1e-2, 2.0);
        }
    }
}

/// Both corners of a level block hit at once: one impact problem, v⁺ = −e v⁻.
#[test]
fn a_simultaneous_hit_is_one_impact() {
    let block = rocking_block_model(0.5).expect("a block");
    let problem = Problem::nonlinear(Arc::new(block), vec![0.0, 1.0, 0.0], vec![0.0; 3]).expect("a problem");
    let fall = (2.0_f64 * 0.25 / 9.81).sqrt();
    for name in ["event-driven", "runge-kutta-moreau"] {
        let scheme = Scheme::named(name).expect("a scheme");
        let run = run(&problem, &scheme, 1e-3, 0.3);
        let last = run.len() - 1;
        let s = 0.3 - fall;
        let (y, vy) = (0.75 + 0.5 * 9.81 * fall * s - 0.5 * 9.81 * s * s, 0.5 * 9.81 * fall - 9.81 * s);
        println!("{name}: y {:+.1e}, v {:+.1e}", run.q(last)[1] - y, run.v(last)[1] - vy);
        assert!(
            (run.q(last)[1] - y).abs() < 1e-10 && (run.v(last)[1] - vy).abs() < 1e-10 && run.q(last)[2].abs() < 1e-14
        );
    }
}

/// An explicit table on a model too stiff for the step is refused; Radau IIA is not.
#[test]
fn too_stiff_for_the_step() {
    let stiff = ImpactOscillator { omega: 1e4, e: 0.5, q0: 1.0 }.problem().expect("an oscillator");
    let refused =
        simulate(&stiff, &scheme("explicit", 4, 1e-4), SolverOptions::default(), 1e-3, 1e-2, &mut Trajectory::new());
    let error = refused.expect_err("hω = 10");
    assert!(error.code.as_str() == "E155" && error.message.contains("1.000e4 rad/s"), "{error}");
    run(&stiff, &scheme("radau-iia", 5, 1e-4), 1e-3, 1e-2);
    run(&stiff, &scheme("explicit", 4, 1e-4), 2e-4, 1e-2);
}

/// A bracket of more than half a step would end every rebound inside it, and restitution would be lost without a word: refused. A tenth
/// of that runs, and the ball rebounds to e² of its height.
///
/// The bug: with a bracket as long as the step an impact was crossed by the Moreau step alone, and the ball did not rebound. What
/// cannot work is refused when the run starts (E151), whatever C was meant to be.
#[test]
fn regression_a_bracket_as_long_as_the_step_is_refused() {
    let problem = Bounce { g: 2.0, e: 0.5, gap: 1.0, floor: 0.0 }.problem().expect("a ball");
    for (tableau, order, h) in [("explicit", 2, 0.05), ("explicit", 4, 0.2), ("radau-iia", 1, 1e-3)] {
        let longest = 0.5 / f64::powi(h, order as i32);
        let refused = scheme(tableau, order, 1.01 * longest);
        let mut recorder = Trajectory::new();
        let error = simulate(&problem, &refused, SolverOptions::default(), h, 4.0, &mut recorder).expect_err("refused");
        assert_eq!((error.code.as_str(), error.field.as_str()), ("E151", "scheme.bracket"), "{error}");
        let run = run(&problem, &scheme(tableau, order, 0.1 * longest), h, 4.0);
        let highest = (0..run.len()).filter(|&k| run.t[k] > 1.2).fold(0.0_f64, |s, k| s.max(run.q(k)[0]));
        assert!((highest - 0.25).abs() < 0.05, "{tableau} {order}, h = {h}: rebound to {highest}");
    }
}
