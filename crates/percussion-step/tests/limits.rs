//! Schemes at the parameters where they become each other: the same motion, computed by different code or different formulas.

mod common;

use common::{random_problem, scheme, start};
use percussion_step::problems::{Dice, Recipe};
use percussion_step::{Problem, Scheme};

/// The largest difference of q between two schemes over 200 steps, relative to the largest |q|.
fn apart(problem: &Problem, a: &Scheme, b: &Scheme, h: f64) -> f64 {
    let (mut a, mut b) = (start(problem, a, h), start(problem, b, h));
    let (mut size, mut worst) = (0.0_f64, 0.0_f64);
    for _ in 0..200 {
        let (x, y) = (a.advance().expect("a step"), b.advance().expect("a step"));
        for (x, y) in x.after.q.iter().zip(&y.after.q) {
            size = size.max(x.abs());
            worst = worst.max((x - y).abs());
        }
    }
    worst / size
}

fn largest(recipe: Recipe, a: &Scheme, b: &Scheme) -> f64 {
    (0..20).map(|k| apart(&random_problem(&mut Dice(331 * (k + 1)), recipe), a, b, 5e-3)).fold(0.0, f64::max)
}

const FREE: Recipe = Recipe { contacts: (0, 0), loads_vary: false, ..Recipe::USUAL };
const TOUCHING: Recipe = Recipe { loads_vary: false, ..Recipe::USUAL };

/// Without contact all of them are the trapezoidal rule: round-off of 200 steps.
#[test]
fn the_trapezoidal_rule_in_five_forms() {
    let newmark = scheme("newmark", |o| (o.beta, o.gamma) = (Some(0.25), Some(0.5)));
    for other in [
        scheme("moreau-jean", |o| o.theta = Some(0.5)),
        scheme("moreau-jean-midpoint", |o| o.theta = Some(0.5)),
        scheme("hht", |o| o.alpha = Some(0.0)),
        scheme("generalized-alpha", |o| o.rho_inf = Some(1.0)),
        scheme("kh-generalized-alpha", |o| o.rho_inf = Some(1.0)),
    ] {
        let apart = largest(FREE, &newmark, &other);
        println!("{:<24} {apart:.1e}", other.name);
        assert!(apart < 1e-10, "{}: {apart:e}", other.name);
    }
}

/// With contact too: θ = ½ is the midpoint variant, α = 0 is Newmark, and a scheme is itself under another name.
#[test]
fn with_contacts() {
    let pairs = [
        (scheme("moreau-jean", |o| o.theta = Some(0.5)), scheme("moreau-jean-midpoint", |o| o.theta = Some(0.5))),
        (scheme("hht", |o| o.alpha = Some(0.0)), scheme("newmark", |o| (o.beta, o.gamma) = (Some(0.25), Some(0.5)))),
        (
            scheme("generalized-alpha", |o| o.rho_inf = Some(1.0)),
            scheme("kh-generalized-alpha", |o| o.rho_inf = Some(1.0)),
        ),
        (scheme("moreau-jean", |_| ()), scheme("moreau-jean-fremond", |_| ())),
    ];
    for (a, b) in pairs {
        let apart = largest(TOUCHING, &a, &b);
        println!("{:<24} {:<24} {apart:.1e}", a.name, b.name);
        assert!(apart < 1e-10, "{} and {}: {apart:e}", a.name, b.name);
    }
}
