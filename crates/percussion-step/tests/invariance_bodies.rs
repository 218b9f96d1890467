//! The motion of bodies does not depend on how it is described: frame, mirror, order, units.
//!
//! Runs are short, so that impacts do not multiply round-off beyond what contact problems are solved to.

#[path = "common/scenes.rs"]
mod scenes;

use percussion_model::bodies::Bodies;
use percussion_model::bodies::math::{Vec3, normalised};
use percussion_solve::SolverOptions;
use percussion_step::problems::Dice;
use percussion_step::{Activation, FrictionLaw, Problem, Scheme, Simulation};
use scenes::{Change, Kind, random_scene};

const SCENES: u64 = 12;
const STEPS: usize = 60;
const H: f64 = 0.004;

/// Every way there is to move bodies, and whether it moves jointed ones.
fn schemes() -> Vec<(&'static str, Scheme, bool)> {
    let mj = Scheme::moreau_jean;
    vec![
        ("moreau-jean checked", mj(0.5), true),
        ("moreau-jean fremond", Scheme { friction_law: FrictionLaw::Fremond, ..mj(0.5) }, true),
        ("moreau-jean newton", Scheme { friction_law: FrictionLaw::Newton, ..mj(0.5) }, true),
        ("moreau-jean θ = 0.8", mj(0.8), true),
        ("moreau-jean gap", Scheme { activation: Activation::Gap, ..mj(1.0) }, false),
        ("energy-momentum", Scheme::named("energy-momentum").expect("a scheme"), true),
        ("generalized-alpha-ggl", Scheme::named("generalized-alpha-ggl").expect("a scheme"), false),
    ]
}

/// Places, rotations and velocities of all bodies after every step, and how many impulses there were.
fn motion(seed: u64, kind: Kind, scheme: &Scheme, change: &Change) -> Option<(Vec<[Vec3; 6]>, usize)> {
    let scene = Bodies::new(change.of(&random_scene(seed, kind))).expect("a scene");
    let problem = Problem::bodies(scene.clone()).expect("a start");
    let mut run = Simulation::new(&problem, scheme, SolverOptions::default(), H * change.units[2]).ok()?;
    let (mut list, mut impulses) = (Vec::new(), 0);
    for _ in 0..STEPS {
        let step = run.advance().unwrap_or_else(|e| panic!("{seed} {kind:?} {}: {e:?}", scheme.name));
        impulses += step.contacts.iter().filter(|c| c.p > 0.0).count();
        list.extend((0..scene.len()).map(|i| change.back(&scene, i, (&step.after.q, &step.after.v))));
    }
    Some((list, impulses))
}

/// The largest difference relative to what places, rotations, velocities and angular velocities reach.
fn difference(here: &[[Vec3; 6]], there: &[[Vec3; 6]]) -> f64 {
    let of = |part: usize| move |body: &[Vec3; 6]| body[part];
    let mut worst = 0.0_f64;
    for part in 0..6 {
        let size = here.iter().flat_map(of(part)).fold(1.0_f64, |s, x| s.max(x.abs()));
        let pairs = here.iter().flat_map(of(part)).zip(there.iter().flat_map(of(part)));
        worst = pairs.fold(worst, |s, (a, b)| s.max((a - b).abs() / size));
    }
    worst
}

/// Every scheme on random scenes in the plane and in space, as they are and as `change` describes them.
fn compare(what: &str, change: impl Fn(u64, bool) -> Change) {
    for (name, scheme, jointed) in schemes() {
        let (mut ran, mut pushed, mut worst) = (0, 0, 0.0_f64);
        for k in 0..SCENES {
            for joints in [false, true] {
                if joints && !jointed {
                    continue;
                }
                let e: f64 =
                    if matches!(scheme.activation, Activation::Gap) { 0.0 } else { [0.0, 0.5, 0.9][(k % 3) as usize] };
                let e = if name.contains('θ') { e.min(0.25) } else { e };
                let friction = if k % 4 == 3 { 0.0 } else { 0.4 };
                let kind = Kind { planar: k % 2 == 0, restitution: e, friction, joints };
                let seed = 1000 + k / 2 * 7;
                let Some((here, impulses)) = motion(seed, kind, &scheme, &Change::NONE) else { continue };
                let (there, _) = motion(seed, kind, &scheme, &change(k, kind.planar)).expect("accepted as before");
                let difference = difference(&here, &there);
                // contact problems are solved to 1e-10
                assert!(difference <= 1e-9, "{what}, {name}, seed {seed}, {kind:?}: {difference:e}");
                worst = worst.max(difference);
                (ran, pushed) = (ran + 1, pushed + impulses);
            }
        }
        println!("{what:<12} {name:<24} {ran:>3} scenes, {pushed:>5} impulses, largest difference {worst:.1e}");
        assert!(ran >= 8 && pushed >= 50 * ran, "{what}, {name}: {ran} scenes, {pushed} impulses");
    }
}

/// A frame turned about any axis; in the plane about its normal.
#[test]
fn rotated_frame() {
    compare("rotation", |k, planar| {
        let x = Dice(k + 41).vector(4);
        let turn = normalised(&if planar { [x[0], 0.0, 0.0, x[3]] } else { [x[0], x[1], x[2], x[3]] });
        Change { turn, ..Change::NONE }
    });
}

/// Left and right exchanged.
#[test]
fn mirror() {
    compare("mirror", |_, _| Change { mirror: true, ..Change::NONE });
}

/// Bodies in the opposite order: other numbers of contacts, normals the other way round.
#[test]
fn order_of_bodies() {
    compare("order", |_, _| Change { reverse: true, ..Change::NONE });
}

/// Units of mass, length and time in powers of two.
#[test]
fn units() {
    compare("units", |k, _| {
        let far = 2.0_f64.powi(-10);
        let units = [[1024.0, 0.125, 1.0], [1.0, 4096.0, 0.25], [far * far, far, 8.0]][(k % 3) as usize];
        Change { units, ..Change::NONE }
    });
}
