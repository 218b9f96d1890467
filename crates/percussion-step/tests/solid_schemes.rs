//! Every scheme under every law of contact on elastic solids: the ledger closes to round-off and free solids keep their momentum, or
//! it is refused in words before the first step.

#[path = "common/rectangles.rs"]
mod rectangles;

use percussion_model::solid::contact::{Against, Method, Multipliers, SurfaceContact};
use percussion_model::solid::finite::{FiniteModel, Law};
use percussion_model::solid::{Hooke, Kinematics, Section, Solid, SolidMass, SolidParts};
use percussion_model::{InputError, Lagrangian, Signal};
use percussion_solve::SolverOptions;
use percussion_step::{
    Audit, Both, Guarantee, Outcome, Problem, SCHEMES, Scheme, SchemeOptions, Trajectory, Verdict, simulate,
};
use rectangles::{add_block, against_plane, no_mesh, parts, still};
use std::collections::BTreeMap;
use std::sync::Arc;

const SOFT: Hooke = Hooke { young: 1.0, poisson: 0.3, density: 1.0 };
const LAWS: [Option<&str>; 6] =
    [None, Some("hold"), Some("predicted"), Some("predicted-and-closing"), Some("gap"), Some("equilibrium")];
const STEPS: usize = 40;

/// A kind of solid: how its surfaces have mass, how they rub, how far it may deform.
#[derive(Clone, Copy, Debug)]
struct Make {
    mass: &'static str,
    friction: f64,
    finite: bool,
}

/// A block thrown on a floor, or on another block with nothing else about.
fn made(make: Make, onto_floor: bool) -> SolidParts {
    let mut mesh = no_mesh();
    add_block(&mut mesh, "above", [0.0, 0.52], [1.0, 0.5], [5, 5], &mut still());
    if !onto_floor {
        add_block(&mut mesh, "below", [0.0, 0.0], [1.0, 0.5], [4, 5], &mut still());
    }
    let names: &[&str] = if onto_floor { &["above"] } else { &["above", "below"] };
    let mut made = parts(mesh, names, SOFT);
    made.section = Section::Strain { thickness: 1.0 };
    made.parts[0].velocity = [0.03, -0.1, 0.0];
    made.mass = if make.mass == "consistent" { SolidMass::Consistent } else { SolidMass::Lumped };
    if make.finite {
        made.kinematics = Kinematics::Finite(vec![Law::NeoHookean; names.len()]);
    }
    let floor = against_plane("above bottom", [0.0, 0.5], [0.0, 1.0], make.friction);
    let method = if make.finite || make.friction > 0.0 { Method::Node } else { Method::Mortar(Multipliers::Standard) };
    let against = Against::Surface { surface: "below top".into(), method, reach: 0.1 };
    let contact = if onto_floor { floor } else { SurfaceContact { against, ..floor } };
    made.contacts = vec![SurfaceContact { massless: make.mass == "redistributed", ..contact }];
    if onto_floor {
        made.gravity[1] = Signal::constant(-0.02);
        // a load that is another in the middle of a step than in the mean of its ends
        made.gravity[0] = Signal::harmonic(0.0, 0.02, 2.0, 0.3);
    }
    made
}

/// What came of a scheme: refused, or run with the worst balance of a step over the largest energy (none without an identity), the
/// largest change of momentum over what all mass has at the speed of the throw, the impulses of its contacts, and what its account of
/// momentum leaves open where it keeps one.
enum Came {
    Refused(String),
    Ran { open: Option<f64>, drift: f64, pushed: f64, account: Option<f64> },
}

fn tried(make: Make, onto_floor: bool, name: &str, law: Option<&str>) -> Came {
    let solid = Arc::new(Solid::new(made(make, onto_floor)).expect("a solid"));
    let (q0, v0) = solid.initial_state().expect("a start");
    let problem = if make.finite {
        let model: Arc<dyn Lagrangian> = Arc::new(FiniteModel::new(Arc::clone(&solid)).expect("a model"));
        Problem::nonlinear(model, q0, v0)
    } else {
        Problem::linear(solid.linear_model().expect("a model"), q0, v0)
    };
    let problem = problem.expect("a problem");
    let refused = |error: InputError| {
        assert!(!error.message.is_empty() && !error.help.is_empty() && error.code.as_str().starts_with('E'), "{error}");
        Came::Refused(format!("{} {}", error.code.as_str(), error.message))
    };
    let options = SchemeOptions { activation: law.map(Into::into), ..SchemeOptions::default() };
    let scheme = match Scheme::resolve(name, &options) {
        Ok((scheme, _)) => scheme,
        Err(error) => return refused(error),
    };
    let h = 0.4 * solid.crossing_time();
    let (mut run, mut audit) = (Trajectory::new(), Audit::new());
    let mut both = Both(&mut run, &mut audit);
    match simulate(&problem, &scheme, SolverOptions::default(), h, h * STEPS as f64, &mut both) {
        Err(error) => return refused(error),
        Ok(Outcome::Finished) => (),
        Ok(other) => panic!("{make:?} {name} {law:?}: {other:?}"),
    }
    let size = run.ledger.iter().fold(0.0, |size: f64, entry| size.max(entry.energy().abs()));
    let open = run.ledger.iter().fold(0.0, |worst: f64, entry| worst.max(entry.balance.abs())) / size;
    let mass = percussion_matrix::Matrix::Sparse(solid.mass().clone());
    let momentum = |row: usize| {
        let mut p = vec![0.0; run.v(row).len()];
        mass.mul_add(1.0, run.v(row), &mut p);
        [0, 1].map(|axis| p.iter().skip(axis).step_by(2).sum::<f64>())
    };
    let start = momentum(0);
    let drift = (0..run.len()).flat_map(|row| [0, 1].map(|k| (momentum(row)[k] - start[k]).abs())).fold(0.0, f64::max);
    let pushed = (0..problem.model.n_contacts()).flat_map(|j| run.impulses(j)).sum();
    let guarantee = Guarantee::new(&scheme, &problem.model);
    let certificate = audit.verdicts(&guarantee, 1e-10).momentum;
    let account = (certificate.status != Verdict::None).then_some(certificate.worst);
    assert_eq!(account.is_some(), scheme.facts().promises.momentum, "{make:?} {name} {law:?}");
    Came::Ran { open: guarantee.has_identity().then_some(open), drift: drift / (0.5 * 0.1), pushed, account }
}

/// Every scheme × law × mass × friction × kinematics, on a floor and against another block.
#[test]
fn every_scheme_under_every_law() {
    let kinds = ["consistent", "lumped", "redistributed"];
    let linear = kinds.into_iter().flat_map(|mass| [0.0, 0.3].map(|friction| Make { mass, friction, finite: false }));
    let finite = [0.0, 0.3].map(|friction| Make { mass: "lumped", friction, finite: true });
    let (mut ran, mut closed, mut refusals) = (0, 0, BTreeMap::<String, usize>::new());
    let (mut worst, mut furthest, mut unbooked, mut wrong) = (0.0_f64, 0.0_f64, 0.0_f64, Vec::new());
    for make in linear.chain(finite) {
        for onto_floor in [true, false] {
            for entry in SCHEMES {
                for law in LAWS {
                    let what = format!("{make:?} floor {onto_floor} {} {law:?}", entry.name);
                    match tried(make, onto_floor, entry.name, law) {
                        Came::Refused(words) => *refusals.entry(words).or_default() += 1,
                        Came::Ran { open, drift, pushed, account } => {
                            ran += 1;
                            closed += usize::from(open.is_some());
                            worst = worst.max(open.unwrap_or(0.0));
                            let drift = if onto_floor { 0.0 } else { drift };
                            furthest = furthest.max(drift);
                            unbooked = unbooked.max(account.unwrap_or(0.0));
                            let over = open.into_iter().chain(account).chain([drift]).any(|x| x > 1e-11);
                            if over || pushed <= 0.0 {
                                wrong.push(format!(
                                    "{what}: open {open:?}, momentum {drift:.1e}, {account:?}, pushed {pushed:.1e}"
                                ));
                            }
                        }
                    }
                }
            }
        }
    }
    let refused: usize = refusals.values().sum();
    eprintln!(
        "{ran} ran, {closed} of them with an identity: open by {worst:.1e} of E at most, momentum by {furthest:.1e} and its account by {unbooked:.1e}"
    );
    eprintln!("{refused} refused:");
    refusals.iter().for_each(|(words, count)| eprintln!("  {count:4} {words}"));
    assert!(wrong.is_empty(), "{} of {ran}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(ran + refused, 8 * 2 * SCHEMES.len() * LAWS.len());
}

/// Overlap is measured by how thick the solid is: a plate that enters a floor by a hundredth of its half-thickness is reported, by more
/// than a tenth of it a warning, by more than half a failure.
#[test]
fn overlap_is_told_by_thickness() {
    let (speed, l) = (0.1, 0.01);
    let mut said = Vec::new();
    for part in [0.02, 0.6, 4.0] {
        let mut mesh = no_mesh();
        add_block(&mut mesh, "plate", [0.0, 0.0005], [1.0, 2.0 * l], [20, 2], &mut still());
        let mut made = parts(mesh, &["plate"], SOFT);
        made.parts[0].velocity = [0.0, -speed, 0.0];
        made.contacts =
            vec![SurfaceContact { massless: false, ..against_plane("plate bottom", [0.0; 2], [0.0, 1.0], 0.0) }];
        let solid = Solid::new(made).expect("a solid");
        assert!((solid.half_thicknesses()[0] - l).abs() <= 1e-15);
        let (q0, v0) = solid.initial_state().expect("a start");
        let problem = Problem::linear(solid.linear_model().expect("a model"), q0, v0).expect("a problem");
        let options = SchemeOptions { activation: Some("predicted-and-closing".into()), ..SchemeOptions::default() };
        let scheme = Scheme::resolve("moreau-jean", &options).expect("a scheme").0;
        let h = part * l / speed;
        let mut audit = Audit::new();
        let outcome = simulate(&problem, &scheme, SolverOptions::default(), h, (20.0 * h).max(0.02), &mut audit);
        assert!(matches!(outcome, Ok(Outcome::Finished)));
        let gap = audit.verdicts(&Guarantee::new(&scheme, &problem.model), 1e-10).gap;
        let expected = match gap.worst / l {
            x if x > 0.5 => Verdict::Fail,
            x if x > 0.1 => Verdict::Warn,
            x if x > 0.0 => Verdict::Report,
            _ => Verdict::Pass,
        };
        assert_eq!(gap.status, expected, "{gap:?}");
        assert!(gap.status != Verdict::Warn || gap.text.contains("node"), "{}", gap.text);
        said.push(gap.status);
    }
    eprintln!("{said:?}");
    assert!(said.contains(&Verdict::Warn) && said[0] != Verdict::Warn && said[0] != Verdict::Fail);
}
