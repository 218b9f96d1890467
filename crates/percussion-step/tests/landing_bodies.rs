//! The scheme `landing` on bodies: nothing passes, nothing is gained, momentum is kept, stacks and piles rest.

mod common;

use common::{bodies, scheme};
use percussion_model::Signal;
use percussion_model::bodies::{BodyParts, Motion, PairLaw, Shape};
use percussion_solve::SolverOptions;
use percussion_step::problems::{ball, cuboid, floor, scene};
use percussion_step::{Audit, Both, Outcome, Problem, Recorder, Scheme, Start, Step, Stop, Trajectory, simulate};

fn landing() -> Scheme {
    scheme("landing", |_| {})
}

fn inside() -> Scheme {
    scheme("landing", |o| o.landing = Some("inside".into()))
}

/// Changes of momenta in a step, and the last velocities.
#[derive(Default)]
struct Momenta {
    problem: Option<Problem>,
    last: Vec<f64>,
    before: ([f64; 3], [f64; 3]),
    linear: [f64; 3],
    angular: [f64; 3],
    size: f64,
}

impl Momenta {
    fn of(problem: &Problem) -> Self {
        Self { problem: Some(problem.clone()), ..Default::default() }
    }

    fn at(&self, q: &[f64], v: &[f64]) -> ([f64; 3], [f64; 3]) {
        let scene = self.problem.as_ref().and_then(|p| p.model.bodies()).expect("bodies");
        scene.momenta(q, v)
    }
}

impl Recorder for Momenta {
    fn start(&mut self, start: &Start) -> Result<(), Stop> {
        self.before = self.at(&start.state.q, &start.state.v);
        Ok(())
    }

    fn record(&mut self, _: u64, step: &Step) -> Result<(), Stop> {
        let now = self.at(&step.after.q, &step.after.v);
        for k in 0..3 {
            self.linear[k] = self.linear[k].max((now.0[k] - self.before.0[k]).abs());
            self.angular[k] = self.angular[k].max((now.1[k] - self.before.1[k]).abs());
            self.size = self.size.max(now.1[k].abs());
        }
        self.before = now;
        self.last.clone_from(&step.after.v);
        Ok(())
    }
}

/// A run with what it did: gain and closure in parts of the energies seen, penetration in metres.
fn watched(problem: &Problem, scheme: &Scheme, h: f64, end: f64) -> ([f64; 3], Momenta) {
    let (mut audit, mut momenta) = (Audit::new(), Momenta::of(problem));
    let outcome = simulate(problem, scheme, SolverOptions::default(), h, end, &mut Both(&mut audit, &mut momenta))
        .expect("accepted");
    assert!(matches!(outcome, Outcome::Finished), "{outcome:?}");
    let E = audit.largest_energy().max(1e-3);
    ([audit.largest_gain() / E, audit.largest_residual() / E, audit.deepest()], momenta)
}

fn under_gravity(law: PairLaw, parts: Vec<BodyParts>) -> Problem {
    bodies(scene(false, [0.0, 0.0, -9.81], parts, law).expect("a scene"))
}

fn law(restitution: f64, friction: f64) -> PairLaw {
    PairLaw { restitution, friction, ..PairLaw::default() }
}

/// Two discs that meet off their centres, in the plane and without gravity: angular momentum stands.
#[test]
fn glancing_discs_keep_angular_momentum() {
    for friction in [0.0, 0.3] {
        for h in [1e-2, 4e-3, 1e-3] {
            let disc = |name: &str, x: f64, y: f64, v: f64| {
                let position = [x, y, 0.0];
                BodyParts {
                    name: name.into(),
                    shape: Shape::sphere(0.5),
                    position,
                    velocity: [v, 0.0, 0.0],
                    ..Default::default()
                }
            };
            let discs = vec![disc("a", -1.0, 0.2, 2.0), disc("b", 1.0, -0.3, -1.0)];
            let parts = scene(true, [0.0; 3], discs, law(1.0, friction)).expect("a scene");
            let ([gain, residual, depth], momenta) = watched(&bodies(parts), &landing(), h, 1.0);
            let change = momenta.angular[2] / momenta.size;
            println!(
                "μ = {friction}, h = {h}: J {change:.1e}, gain {gain:.1e}, closure {residual:.1e}, depth {depth:.1e}"
            );
            assert!(change <= 1e-14 && gain <= 1e-12 && residual <= 1e-12 && depth <= 1e-14);
        }
    }
}

/// A brick dropped on a corner, without friction: nothing passes, the account closes, and angular momentum about the vertical stands.
#[test]
fn a_brick_without_friction() {
    for e in [0.0, 0.5, 1.0] {
        for (h, scheme) in [(4e-3, landing()), (1e-3, landing()), (4e-3, inside())] {
            let brick = BodyParts {
                position: [0.0, 0.0, 1.0],
                rotation: [0.8, 0.36, 0.48, 0.0],
                angular_velocity: [1.0, 2.0, 3.0],
                ..cuboid("brick", [0.4, 0.3, 0.2], [0.0, 0.0, 1.0])
            };
            let problem = under_gravity(law(e, 0.0), vec![floor(), brick]);
            let ([gain, residual, depth], momenta) = watched(&problem, &scheme, h, 2.0);
            println!(
                "e = {e}, h = {h}: gain {gain:.1e}, closure {residual:.1e}, depth {depth:.1e}, J_z {:.1e}",
                momenta.angular[2]
            );
            assert!(
                gain <= 1e-12 && residual <= 1e-11 && depth <= 1e-12 && momenta.angular[2] <= 1e-14,
                "e = {e}, h = {h}"
            );
        }
    }
}

/// Twenty boxes on each other rest; so do they when dropped.
#[test]
fn a_stack_of_twenty_rests() {
    for (gap, e, end) in [(0.0, 0.0, 0.5), (0.01, 0.0, 1.0)] {
        let mut parts = vec![floor()];
        for i in 0..20 {
            let z = 0.1 + gap * (i + 1) as f64 + 0.2 * i as f64;
            parts.push(cuboid(&format!("box {i}"), [0.2; 3], [0.0, 0.0, z]));
        }
        let problem = under_gravity(law(e, 0.5), parts);
        let ([gain, residual, depth], momenta) = watched(&problem, &landing(), 5e-3, end);
        let fastest = momenta.last.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        println!("gap {gap}: gain {gain:.1e}, closure {residual:.1e}, depth {depth:.1e}, |v| {fastest:.1e}");
        assert!(gain <= 1e-9 && residual <= 1e-9 && depth <= 1e-10 && fastest <= 1e-6, "gap {gap}");
    }
}

/// 125 spheres fall in a box of planes: nothing passes.
#[test]
fn a_pile_of_spheres() {
    let mut parts = vec![floor()];
    for k in 0..125 {
        let (i, j, l) = (k % 5, k / 5 % 5, k / 25);
        let place = [0.11 * i as f64 + 1e-3 * j as f64, 0.11 * j as f64 + 2e-3 * l as f64, 0.06 + 0.11 * l as f64];
        parts.push(ball(&format!("ball {k}"), 0.05, place));
    }
    let problem = under_gravity(law(0.2, 0.3), parts);
    let ([gain, residual, depth], _) = watched(&problem, &landing(), 2e-3, 0.5);
    println!("gain {gain:.1e}, closure {residual:.1e}, depth {depth:.1e}");
    assert!(gain <= 1e-9 && residual <= 1e-9 && depth <= 1e-11);
}

/// Solids of other shapes find their features: a ball rolls off a box, and a ground that is a solid of its own.
#[test]
fn a_ball_on_a_box() {
    let table = BodyParts { motion: Motion::Fixed, ..cuboid("table", [1.0, 1.0, 0.1], [0.0; 3]) };
    let ball = BodyParts { velocity: [1.0, 0.0, 0.0], ..ball("ball", 0.1, [0.0, 0.0, 0.4]) };
    let problem = under_gravity(law(0.3, 0.4), vec![table, ball]);
    let ([gain, residual, depth], _) = watched(&problem, &landing(), 2e-3, 0.6);
    println!("gain {gain:.1e}, closure {residual:.1e}, depth {depth:.1e}");
    assert!(gain <= 1e-12 && residual <= 1e-11 && depth <= 1e-12);
}

/// A row of dominoes, the first one pushed: edges pass faces and corners, and nothing overlaps.
#[test]
fn dominoes() {
    let mut parts = vec![floor()];
    for i in 0..10 {
        let domino = cuboid(&format!("domino {i}"), [0.0075, 0.025, 0.05], [0.025 * f64::from(i), 0.0, 0.025]);
        // about its lower edge
        let (velocity, angular_velocity) =
            if i == 0 { ([0.1, 0.0, 0.015], [0.0, 4.0, 0.0]) } else { ([0.0; 3], [0.0; 3]) };
        parts.push(BodyParts { velocity, angular_velocity, ..domino });
    }
    let problem = under_gravity(law(0.0, 0.3), parts);
    let ([gain, residual, depth], _) = watched(&problem, &landing(), 1e-3, 0.6);
    println!("gain {gain:.1e}, closure {residual:.1e}, depth {depth:.1e}");
    assert!(gain <= 1e-12 && residual <= 1e-11 && depth <= 1e-11);
}

/// A box that sticks to a table shaken sideways has the table's velocity at the end of every step, and is carried by it to second order; a box that slides on
/// it and the hands that shake it close the account. With the table's velocity of the middle of a step it was half a step late.
#[test]
fn what_sticks_to_a_moving_surface_is_not_late() {
    let (a, w, end) = (0.8, 7.0, 1.0);
    let shaken = || BodyParts {
        motion: Motion::Prescribed {
            velocity: Box::new([Signal::harmonic(0.0, a, w, 0.0), Signal::constant(0.0), Signal::constant(0.0)]),
            angular_velocity: Box::new([0.0; 3].map(Signal::constant)),
        },
        ..floor()
    };
    for planar in [true, false] {
        let up = |x: f64| if planar { [0.0, x, 0.0] } else { [0.0, 0.0, x] };
        for mu in [2.0, 0.3] {
            let mut off = Vec::new();
            for h in [1e-2, 5e-3, 2.5e-3] {
                let parts =
                    scene(planar, up(-9.81), vec![shaken(), cuboid("box", [0.3, 0.2, 0.2], up(0.1))], law(0.0, mu));
                let problem = bodies(parts.expect("a scene"));
                let (mut audit, mut rows) = (Audit::new(), Trajectory::new());
                let both = &mut Both(&mut audit, &mut rows);
                let outcome = simulate(&problem, &landing(), SolverOptions::default(), h, end, both).expect("accepted");
                assert!(matches!(outcome, Outcome::Finished), "{outcome:?}");
                let (gain, open) = (audit.largest_gain(), audit.largest_residual());
                assert!(gain <= 1e-12 && open <= 1e-12 * audit.largest_energy(), "{gain:e} {open:e} J");
                if mu < 1.0 {
                    continue;
                }
                let (n_q, n_v) = if planar { (3, 3) } else { (7, 6) };
                for k in 0..rows.len() {
                    let late = (rows.v(k)[n_v] - a * (w * rows.t[k]).sin()).abs();
                    assert!(k == 0 || late <= 1e-9, "planar {planar}, {h}, step {k}: {late:e} m/s");
                }
                let last = rows.len() - 1;
                off.push((rows.q(last)[n_q] - a / w * (1.0 - (w * rows.t[last]).cos())).abs());
            }
            if let [coarse, _, fine] = off[..] {
                let order = (coarse / fine).log2() / 2.0;
                println!("planar {planar}: off by {off:?} m, order {order:.2}");
                assert!((order - 2.0).abs() < 0.05, "{off:?}");
            }
        }
    }
}
