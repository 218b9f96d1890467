//! Heaps apart from each other are islands: shared among threads, the same bytes whatever their number.

use percussion_model::bodies::{Bodies, BodyParts, Materials, Matter, Motion, PairLaw, SceneParts, Shape};
use percussion_solve::{Method, SolverOptions};
use percussion_step::{Activation, Problem, Scheme, Simulation};

/// Four heaps of 5 × 5 × 4 bodies on a floor, 3 m apart.
fn heaps(shape: &Shape) -> Problem {
    let mut bodies =
        vec![BodyParts { name: "floor".into(), shape: Shape::plane(), motion: Motion::Fixed, ..Default::default() }];
    let mut seed = 5_u64;
    let mut dice = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        0.009 * ((seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
    };
    for heap in 0..4 {
        for k in 0..100 {
            let (i, j, layer) = (k % 5, k / 5 % 5, k / 25);
            let x = 3.0 * f64::from(heap) + 0.22 * f64::from(i) + dice();
            bodies.push(BodyParts {
                name: format!("{heap} {k}"),
                shape: shape.clone(),
                matter: Matter::Density(1000.0),
                position: [x, 0.22 * f64::from(j) + dice(), 0.105 + 0.21 * f64::from(layer)],
                ..Default::default()
            });
        }
    }
    let parts = SceneParts {
        planar: false,
        gravity: [0.0, 0.0, -9.81],
        bodies,
        materials: Materials::uniform(PairLaw { restitution: 0.0, friction: 0.5, ..Default::default() })
            .expect("a law"),
        springs: Vec::new(),
        joints: Vec::new(),
        no_contact: Vec::new(),
    };
    Problem::bodies(Bodies::new(parts).expect("a scene")).expect("no overlap")
}

/// States, impulses and sweeps of 100 steps with 1, 2 and 4 threads, to the bit.
#[test]
fn threads_leave_no_trace() {
    let scheme = Scheme::moreau_jean(1.0).with_activation(Activation::Gap);
    let options = SolverOptions { method: Method::Auto, tolerance: 1e-4, max_iterations: 2000 };
    for shape in [Shape::sphere(0.1), Shape::cuboid([0.18, 0.16, 0.14])] {
        let problem = heaps(&shape);
        let made = [1, 2, 4].map(|threads| {
            let mut run = Simulation::new(&problem, &scheme, options, 2e-3).expect("a valid run");
            run.use_threads(threads);
            let (mut sweeps, mut impulses, mut contacts) = (0, 0.0, 0);
            for _ in 0..100 {
                let step = run.advance().expect("a step");
                sweeps += step.info.iterations;
                impulses += step.contacts.iter().map(|c| c.p).sum::<f64>();
                contacts = step.contacts.len();
            }
            assert!(contacts > 400 && sweeps > 100, "{contacts} contacts, {sweeps} sweeps");
            let state = run.state();
            let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            (bits(&state.q), bits(&state.v), sweeps, impulses.to_bits())
        });
        assert!(made[0] == made[1] && made[0] == made[2], "{shape:?}");
    }
}
