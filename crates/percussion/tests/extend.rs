//! What users bring along is judged like everything else: laws by the contact's restitution, solvers by their residuals,
//! schemes only where their steps are known.

use percussion::model::Code;
use percussion::prelude::*;
use percussion::solve::Method;
use percussion::solve::OwnMethod;
use percussion::step::ImpactLaw;

fn problem(name: &str) -> Problem {
    load(name, &LoadOptions::default()).expect("a built-in scenario").scenario.problem
}

fn law(restitution: fn(usize, f64) -> f64) -> Scheme {
    Scheme::moreau_jean(0.5).with_impact_law(ImpactLaw { name: "test", restitution })
}

fn path(problem: &Problem, scheme: &Scheme, options: SolverOptions) -> (Trajectory, Outcome) {
    let mut path = Trajectory::new();
    let outcome = simulate(problem, scheme, options, 1e-3, 1.5, &mut path).expect("a valid run");
    (path, outcome)
}

/// A law that asks for more than the contact's e gets e; one that asks for less than nothing gets nothing.
#[test]
fn laws_are_held_to_the_restitution_of_the_contact() {
    let ball = problem("bouncing-ball");
    let end = |scheme: &Scheme| {
        let (path, _) = path(&ball, scheme, SolverOptions::default());
        path.q(path.len() - 1)[0]
    };
    assert_eq!(end(&law(|_, _| 5.0)), end(&Scheme::moreau_jean(0.5)));
    assert_eq!(end(&law(|_, _| 0.8)), end(&Scheme::moreau_jean(0.5)));
    assert_eq!(end(&law(|_, _| -1.0)), end(&law(|_, _| 0.0)));
    assert!(end(&law(|_, _| 0.4)) != end(&law(|_, _| 0.8)), "the law is asked");
}

/// On models and schemes that do not ask the law, it is refused.
#[test]
fn laws_are_refused_where_nobody_asks_them() {
    let newton = |_, _| 0.5;
    let code = |problem: &Problem, scheme: &Scheme| {
        let refused = Simulation::new(problem, scheme, SolverOptions::default(), 1e-3);
        refused.err().map(|error| error.code)
    };
    assert_eq!(code(&problem("rocking-block"), &law(newton)), Some(Code::UNSUPPORTED));
    assert_eq!(code(&problem("brick"), &law(newton)), Some(Code::UNSUPPORTED));
    let ggl =
        Scheme { impact_law: law(newton).impact_law, ..Scheme::named("generalized-alpha-ggl").expect("a scheme") };
    assert_eq!(code(&problem("bouncing-ball"), &ggl), Some(Code::UNSUPPORTED));
    assert_eq!(code(&problem("bouncing-ball"), &law(newton)), None);
    let own = Scheme::own("mine", None);
    assert_eq!(code(&problem("bouncing-ball"), &own), Some(Code::UNSUPPORTED));
}

/// A method that leaves its first guess is not believed: the run ends at the first impact, by name.
#[test]
fn idle_methods_end_the_run() {
    let method = Method::Own(OwnMethod { name: "idle", solve: |_, _, _, _| 1 });
    let (path, outcome) =
        path(&problem("bouncing-ball"), &Scheme::moreau_jean(0.5), SolverOptions { method, ..Default::default() });
    let Outcome::Failed(failure) = outcome else { panic!("{outcome:?}") };
    assert_eq!(failure.code, Code::NOT_SOLVED);
    assert!(failure.message.contains("solver idle"), "{}", failure.message);
    assert!((path.len() as f64 * 1e-3 - 0.4).abs() < 5e-3, "the first impact is at 0.4 s");
}
