//! Every scheme's energy identity on random systems, to round-off, and the signs the theorems promise.

mod common;

use common::{random_problem, scheme};
use percussion_solve::SolverOptions;
use percussion_step::problems::{Dice, Recipe};
use percussion_step::{Audit, Both, Guarantee, Outcome, Scheme, StepFailure, Trajectory, Verdict, simulate};

/// A few parameter sets of every scheme that has an identity.
fn schemes() -> Vec<Scheme> {
    let mut list = vec![];
    for theta in [0.5, 0.6, 0.75, 1.0] {
        list.push(scheme("moreau-jean", |o| o.theta = Some(theta)));
        list.push(scheme("moreau-jean-midpoint", |o| o.theta = Some(theta)));
    }
    for (beta, gamma) in [(0.25, 0.5), (0.3, 0.5), (0.5, 1.0), (0.3, 0.6), (0.4, 0.6)] {
        list.push(scheme("newmark", |o| (o.beta, o.gamma) = (Some(beta), Some(gamma))));
    }
    for alpha in [0.0, 0.1, 1.0 / 3.0] {
        list.push(scheme("hht", |o| o.alpha = Some(alpha)));
        list.push(scheme("kh-generalized-alpha", |o| {
            (o.preset, o.alpha) = (Some("hilber-hughes-taylor".into()), Some(alpha));
        }));
    }
    for rho in [0.0, 0.5, 0.8, 1.0] {
        list.push(scheme("generalized-alpha", |o| o.rho_inf = Some(rho)));
        list.push(scheme("kh-generalized-alpha", |o| o.rho_inf = Some(rho)));
    }
    list.push(scheme("generalized-alpha", |o| o.preset = Some("wood-bossak-zienkiewicz".into())));
    list.push(scheme("generalized-alpha", |o| {
        (o.alpha_m, o.alpha_f, o.beta, o.gamma) = (Some(0.1), Some(0.25), Some(0.4), Some(0.7));
    }));
    list.push(scheme("implicit-newmark", |_| ()));
    list.push(scheme("implicit-newmark", |o| (o.beta, o.gamma) = (Some(0.4), Some(0.7))));
    for theta in [0.0, 0.5, 1.0] {
        list.push(scheme("schatzman-paoli", |o| o.theta = Some(theta)));
    }
    list.push(scheme("d0-constant", |_| ()));
    list.push(scheme("d1-minus-linear", |_| ()));
    list.push(scheme("naive-newmark-velocity", |_| ()));
    list.push(scheme("naive-newmark-position", |_| ()));
    list
}

fn label(scheme: &Scheme) -> String {
    format!("{} {:?} {}", scheme.name, scheme.parameters(), scheme.activation.name())
}

/// Steps, impulses, worst residual/E and worst gain/E of one scheme over many systems.
#[derive(Default)]
struct Tally {
    residual: f64,
    gain: f64,
    steps: usize,
    impulses: usize,
    unsolved: usize,
}

fn tally(scheme: &Scheme, recipe: Recipe, systems: u64, seed: u64) -> Tally {
    let mut tally = Tally::default();
    for k in 0..systems {
        let problem = random_problem(&mut Dice(seed + k), recipe);
        let h = [1e-3, 0.02, 0.1][(k % 3) as usize];
        let mut run = Trajectory::new();
        let outcome = simulate(&problem, scheme, SolverOptions::default(), h, 80.0 * h, &mut run).expect("accepted");
        if let Outcome::Failed(StepFailure { problem: Some(_), .. }) = outcome {
            tally.unsolved += 1;
        } else {
            assert!(matches!(outcome, Outcome::Finished), "{}: {outcome:?}", label(scheme));
        }
        let largest = run.ledger.iter().fold(1e-3_f64, |s, e| s.max(e.energy().abs()));
        for entry in &run.ledger {
            tally.residual = tally.residual.max(entry.balance.abs() / largest);
            tally.gain = tally.gain.max(entry.created() / largest);
        }
        tally.steps += run.len() - 1;
        tally.impulses += run.contacts.iter().filter(|(_, c)| c.p > 0.0).count();
    }
    tally
}

/// 210 systems per scheme (n 5–8, 2–3 contacts, C ≠ 0, F(t), random e): the ledger closes to 1e-11 of the energy, and
/// where the guarantee holds nothing is created beyond round-off.
#[test]
fn ledger_closes_on_random_systems() {
    for scheme in schemes() {
        let tally = tally(&scheme, Recipe::USUAL, 210, 1);
        println!(
            "{:<100} residual {:.1e}  gain {:+.1e}  impulses {} unsolved {}",
            label(&scheme),
            tally.residual,
            tally.gain,
            tally.impulses,
            tally.unsolved
        );
        assert!(tally.residual <= 1e-11, "{}: residual {:.2e}", label(&scheme), tally.residual);
        assert!(tally.impulses > 500, "{}: only {} impulses", label(&scheme), tally.impulses);
        assert_eq!(tally.unsolved, 0, "{}", label(&scheme));
    }
}

/// The same under the other activation rules, moving walls and joints.
#[test]
fn ledger_closes_with_moving_walls_joints_and_other_activations() {
    let moving = Recipe { walls_move: true, ..Recipe::USUAL };
    let jointed = Recipe { joints: 2, walls_move: true, ..Recipe::USUAL };
    for scheme in schemes() {
        for recipe in [moving, jointed] {
            let tally = tally(&scheme, recipe, 60, 1000);
            assert!(tally.residual <= 1e-11, "{}: residual {:.2e}", label(&scheme), tally.residual);
            assert!(tally.impulses > 50);
        }
        if scheme.name != "naive-newmark-position" {
            for rule in ["predicted-and-closing", "predicted"] {
                let activation = match rule {
                    "predicted" => percussion_step::Activation::Predicted { prediction: 0.5 },
                    _ => percussion_step::Activation::PredictedAndClosing,
                };
                let tally = tally(&scheme.clone().with_activation(activation), Recipe::USUAL, 60, 2000);
                assert!(tally.residual <= 1e-11, "{} {rule}: {:.2e}", label(&scheme), tally.residual);
            }
        }
    }
}

/// Where a theorem applies, no step of any random system creates energy; 1e-12 of the largest energy is round-off of
/// sums over up to 8 coordinates with stiff springs.
#[test]
fn no_energy_is_created_where_a_theorem_applies() {
    let mut proved = 0;
    for base in schemes() {
        for activation in [percussion_step::Activation::Hold, percussion_step::Activation::PredictedAndClosing] {
            for e in [0.0, 0.2, 0.5, 0.8, 1.0] {
                let scheme = base.clone().with_activation(activation);
                let recipe = Recipe { restitution: Some(e), ..Recipe::USUAL };
                let example = random_problem(&mut Dice(5), recipe);
                if !Guarantee::new(&scheme, &example.model).holds {
                    continue;
                }
                proved += 1;
                let tally = tally(&scheme, recipe, 24, 77);
                assert!(tally.gain <= 1e-12, "{} e = {e}: gain {:.2e}", label(&scheme), tally.gain);
            }
        }
    }
    assert!(proved >= 150, "only {proved} combinations were covered by a theorem");
}

/// e = 1, θ = 1 lies outside ½ ≤ θ ≤ 1/(1+e): energy is created, the ledger shows it, the run warns and does not fail.
#[test]
fn outside_the_condition_energy_is_created_and_flagged() {
    let scheme = scheme("moreau-jean", |o| o.theta = Some(1.0));
    let mut largest = 0.0_f64;
    for k in 0..40 {
        let recipe = Recipe { restitution: Some(1.0), damping: false, loads_vary: false, ..Recipe::USUAL };
        let problem = random_problem(&mut Dice(300 + k), recipe);
        let (mut audit, mut run) = (Audit::new(), Trajectory::new());
        let outcome = simulate(&problem, &scheme, SolverOptions::default(), 0.02, 2.0, &mut Both(&mut audit, &mut run));
        assert!(matches!(outcome.expect("accepted"), Outcome::Finished));
        let guarantee = Guarantee::new(&scheme, &problem.model);
        assert!(!guarantee.holds);
        let verdicts = audit.verdicts(&guarantee, 1e-10);
        let gain = audit.largest_gain() / audit.largest_energy();
        if gain > 1e-9 {
            assert_eq!(verdicts.energy.status, Verdict::Warn);
            assert!(!verdicts.failed());
        }
        largest = largest.max(gain);
    }
    assert!(largest > 0.01, "the counterexample should gain percents, found {largest:e}");
}
