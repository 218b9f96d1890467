//! Heaps apart from each other are islands: shared among threads, the same bytes whatever their number.

use percussion_model::bodies::Shape;
use percussion_solve::{Method, SolverOptions};
use percussion_step::problems::heaps;
use percussion_step::{Activation, Scheme, Simulation};

/// States, impulses and sweeps of 100 steps with 1, 2 and 4 threads, to the bit.
#[test]
fn threads_leave_no_trace() {
    percussion_matrix::spare::insist();
    let scheme = Scheme::moreau_jean(1.0).with_activation(Activation::Gap);
    let options = SolverOptions { method: Method::Auto, tolerance: 1e-4, enough: None, max_iterations: 2000 };
    for shape in [Shape::sphere(0.1), Shape::cuboid([0.18, 0.16, 0.14])] {
        let problem = heaps(4, &shape).expect("a scene");
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
