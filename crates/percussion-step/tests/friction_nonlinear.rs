//! Coulomb friction on nonlinear models: a rocking block, a particle in a bowl, linear systems seen as nonlinear ones.

mod common;

use common::{as_nonlinear, parts, random_problem, scheme, start};
use percussion_model::nonlinear::RockingBlock;
use percussion_model::{Auto, Energies, Lagrangian, Number};
use percussion_solve::SolverOptions;
use percussion_step::problems::{Dice, Recipe, linear, rocking_block_model};
use percussion_step::{ContactStatus, FrictionLaw, Model, Problem, Scheme, Simulation, Step};
use std::sync::Arc;

const LAWS: [FrictionLaw; 3] = [FrictionLaw::Checked, FrictionLaw::Fremond, FrictionLaw::Newton];

/// Every scheme whose law for friction is on velocities at the end of a step.
fn schemes() -> Vec<Scheme> {
    vec![
        scheme("moreau-jean", |_| ()),
        scheme("moreau-jean", |o| o.theta = Some(0.6)),
        scheme("newmark", |_| ()),
        scheme("hht", |o| o.alpha = Some(0.2)),
        scheme("generalized-alpha", |_| ()),
        scheme("moreau-jean-midpoint", |o| o.theta = Some(0.6)),
        scheme("kh-generalized-alpha", |_| ()),
    ]
}

fn block(e: f64, mu: f64) -> RockingBlock {
    rocking_block_model(e).and_then(|block| block.with_friction(mu)).expect("a block")
}

fn rocking(e: f64, mu: f64) -> Problem {
    Problem::nonlinear(Arc::new(block(e, mu)), vec![0.0, 1.0, 0.2], vec![0.5, 0.0, 0.0]).expect("a problem")
}

/// What a run did.
#[derive(Debug, Default)]
struct Seen {
    /// Largest contact work, gain of energy and excess over the cone, relative.
    work: f64,
    gain: f64,
    cone: f64,
    /// Largest |u_T + α u_T,k| of a contact that sticks [m/s].
    stick: f64,
    sliding: usize,
    fallbacks: usize,
}

impl Seen {
    fn add(&mut self, model: &Model, scheme: &Scheme, step: &Step, scale: f64) {
        self.work = self.work.max(step.ledger.work_contact / scale);
        self.gain = self.gain.max((step.ledger.created() + step.ledger.balance) / scale);
        self.fallbacks += step.info.fallbacks;
        assert_eq!(step.contacts.len(), step.friction.len());
        for (c, f) in step.contacts.iter().zip(&step.friction) {
            let p_t = f.p[0].hypot(f.p[1]);
            self.cone = self.cone.max((p_t - model.friction(c.id) * c.p) / c.p.hypot(p_t).max(1e-300));
            let alpha = if f.fremond { scheme.facts().opening_restitution } else { 0.0 };
            if f.status == ContactStatus::Stick {
                let w = [0, 1].map(|k| f.u_after[k] + alpha * f.u_before[k]);
                self.stick = self.stick.max(w[0].hypot(w[1]));
            }
            self.sliding += usize::from(f.status == ContactStatus::Slip);
            assert_eq!(f.u_after, model.tangent_rate(c.id, &step.after.q, &step.after.v));
        }
    }
}

/// The block falls on a corner, rocks, slides and comes to rest on both, under the checked rule, for e = 0, .3 and .5. Forces and
/// mass are constant: at θ = ½ nothing but the contacts changes the energy, and they only take it out.
#[test]
fn a_block_comes_to_rest() {
    for scheme in schemes() {
        for e in [0.0, 0.3, 0.5] {
            let problem = rocking(e, 0.5);
            let mut simulation = start(&problem, &scheme, 5e-3);
            let scale = simulation.initial_ledger().energy();
            let (mut seen, mut last, mut iterations) = (Seen::default(), 0.0_f64, 0);
            for k in 0..1600 {
                let step = simulation.advance().expect("a step");
                seen.add(&problem.model, &scheme, step, scale);
                iterations = iterations.max(step.info.iterations);
                if k >= 1500 {
                    last = step.friction.iter().fold(last, |s, f| s.max(f.u_after[0].abs()));
                    assert_eq!(step.contacts.len(), 2, "on both corners");
                }
            }
            let speed = simulation.state().v.iter().fold(0.0_f64, |s, v| s.max(v.abs()));
            println!(
                "{} {} e = {e}: speed {speed:.1e}, u_T {last:.1e}, {iterations} {seen:?}",
                scheme.name,
                scheme.facts().opening_restitution
            );
            assert!(speed <= 1e-8 && last <= 1e-8, "{} e = {e}: {speed:e} {last:e}", scheme.name);
            assert!(seen.work <= 1e-12 && seen.cone <= 1e-9 && seen.stick <= 1e-8, "{} e = {e}: {seen:?}", scheme.name);
            assert!(seen.sliding > 0);
            if scheme.name == "moreau-jean" {
                assert!(seen.gain <= 1e-12, "e = {e}: {seen:?}");
            }
        }
    }
}

/// Contact work is not positive under Frémond's law and the checked rule; cones hold under all three.
#[test]
fn the_three_laws() {
    for scheme in schemes() {
        for law in LAWS {
            let scheme = scheme.clone().with_friction_law(law);
            for (e, mu) in [(0.0, 0.1), (0.5, 0.3), (0.6, 1.2)] {
                let problem = rocking(e, mu);
                let mut simulation = start(&problem, &scheme, 1e-2);
                let scale = simulation.initial_ledger().energy();
                let mut seen = Seen::default();
                for _ in 0..400 {
                    seen.add(&problem.model, &scheme, simulation.advance().expect("a step"), scale);
                }
                println!("{} {law:?} e = {e}, mu = {mu}: {seen:?}", scheme.name);
                assert!(seen.cone <= 1e-9 && seen.stick <= 1e-8, "{} {law:?}: {seen:?}", scheme.name);
                assert!(law == FrictionLaw::Newton || seen.work <= 1e-12, "{} {law:?}: {seen:?}", scheme.name);
            }
        }
    }
}

/// A flat block sliding on both corners: v = v_0 − μ g t until it stops after v_0²/(2 μ g), sticking.
#[test]
fn a_flat_block_slides_and_stops() {
    let (mu, g, v0, h) = (0.3, 9.81, 1.0, 1e-3);
    let flat = RockingBlock::new(2.0, 1.0, 0.5, g, 0.0).and_then(|block| block.with_friction(mu)).expect("a block");
    let problem = Problem::nonlinear(Arc::new(flat), vec![0.0, 0.25, 0.0], vec![v0, 0.0, 0.0]).expect("a problem");
    for scheme in schemes() {
        let mut simulation = start(&problem, &scheme, h);
        for _ in 0..300 {
            let step = simulation.advance().expect("a step");
            assert!((step.after.v[0] - (v0 - mu * g * step.after.t)).abs() < 1e-9, "{}", scheme.name);
            assert!(step.friction.iter().filter(|f| f.frictional).all(|f| f.status != ContactStatus::Stick));
        }
        for _ in 300..500 {
            simulation.advance().expect("a step");
        }
        let state = simulation.state();
        let distance = v0 * v0 / (2.0 * mu * g);
        println!("{}: {:?}, {:.1e}", scheme.name, state.v, state.q[0] - distance);
        assert!((state.q[0] - distance).abs() < 2.0 * v0 * h && state.v.iter().all(|v| v.abs() < 1e-10));
    }
}

/// Without friction the same bits as ever.
#[test]
fn no_friction_changes_nothing() {
    for scheme in schemes() {
        let run = |model: RockingBlock| {
            let problem = Problem::nonlinear(Arc::new(model), vec![0.0, 1.0, 0.2], vec![0.0; 3]).expect("a problem");
            let mut simulation = start(&problem, &scheme, 1e-2);
            let mut steps = Vec::new();
            for _ in 0..150 {
                steps.push(simulation.advance().expect("a step").clone());
            }
            steps
        };
        let plain = rocking_block_model(0.5).expect("a block");
        assert_eq!(run(plain), run(block(0.5, 0.0)), "{}", scheme.name);
    }
}

/// A particle in the bowl z = r²/2, by its energies; the gap is a distance on the bowl, the tangents are its meridian and
/// its circle.
#[derive(Debug)]
struct Bowl {
    restitution: [f64; 1],
    friction: [f64; 1],
}

impl Energies for Bowl {
    fn n(&self) -> usize {
        3
    }
    fn restitutions(&self) -> &[f64] {
        &self.restitution
    }
    fn mass_is_constant(&self) -> bool {
        true
    }
    fn kinetic<D: Number>(&self, _q: &[D], v: &[D]) -> D {
        (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * 0.5
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        q[2] * 9.81
    }
    fn constraint<D: Number>(&self, _j: usize, q: &[D]) -> D {
        let r2 = q[0] * q[0] + q[1] * q[1];
        (q[2] - r2 * 0.5) / (r2 + D::from(1.0)).sqrt()
    }
    fn frictions(&self) -> &[f64] {
        &self.friction
    }
    fn n_tangents(&self, _i: usize) -> usize {
        2
    }
    fn contact_tangent(&self, _i: usize, k: usize, q: &[f64], row: &mut [f64]) {
        let r = q[0].hypot(q[1]);
        let (c, s) = if r > 0.0 { (q[0] / r, q[1] / r) } else { (1.0, 0.0) };
        let length = (1.0 + r * r).sqrt();
        match k {
            0 => row.copy_from_slice(&[c / length, s / length, r / length]),
            _ => row.copy_from_slice(&[-s, c, 0.0]),
        }
    }
}

/// The particle spirals in and sticks where the slope r is below μ, in space with both tangents at work.
#[test]
fn a_particle_sticks_in_a_bowl() {
    for scheme in schemes() {
        for law in LAWS {
            let scheme = scheme.clone().with_friction_law(law);
            let model = Auto::new(Bowl { restitution: [0.4], friction: [0.3] }).expect("a model");
            let problem =
                Problem::nonlinear(Arc::new(model), vec![0.9, 0.0, 0.6], vec![0.0, 1.5, 0.0]).expect("a problem");
            let mut simulation = start(&problem, &scheme, 2e-3);
            let scale = simulation.initial_ledger().energy();
            let mut seen = Seen::default();
            for _ in 0..2500 {
                seen.add(&problem.model, &scheme, simulation.advance().expect("a step"), scale);
            }
            let state = simulation.state();
            let (r, speed) = (state.q[0].hypot(state.q[1]), state.v.iter().fold(0.0_f64, |s, v| s.max(v.abs())));
            println!("{} {law:?}: r {r:.3}, speed {speed:.1e}, {seen:?}", scheme.name);
            assert!(r <= 0.3 + 1e-2 && seen.cone <= 1e-9 && seen.sliding > 100, "{} {law:?}: {seen:?}", scheme.name);
            assert!(law == FrictionLaw::Newton || seen.work <= 1e-12, "{} {law:?}: {seen:?}", scheme.name);
            assert!(law != FrictionLaw::Checked || speed <= 1e-8, "{}: {speed:e}", scheme.name);
        }
    }
}

/// Two random tangents, one, none in turn.
fn with_friction(problem: &Problem, dice: &mut Dice) -> Problem {
    let (mut parts, n) = (parts(problem), problem.q0.len());
    for (i, c) in parts.contacts.iter_mut().enumerate() {
        c.tangents = (0..2 - i % 3).map(|_| dice.vector(n).into_iter().enumerate().collect()).collect();
        c.friction = if i % 3 < 2 { dice.real(0.1, 1.0) } else { 0.0 };
    }
    linear(parts, &problem.q0, &problem.v0).expect("a problem")
}

/// On linear systems the two families of schemes are the same: random systems with damping, loads, joints and mixed contacts.
#[test]
fn linear_systems_move_as_linear_schemes_move_them() {
    for scheme in schemes() {
        for law in LAWS {
            let scheme = scheme.clone().with_friction_law(law);
            let (mut worst, mut rubbed) = (0.0_f64, 0);
            for k in 0..40 {
                let mut dice = Dice(77 * k + 3);
                // generalized-α keeps joints by multipliers of its own, another discretisation
                let joints = if scheme.name == "moreau-jean" && k % 2 == 1 { 2 } else { 0 };
                let base = random_problem(&mut dice, Recipe { n: (8, 10), contacts: (2, 3), joints, ..Recipe::USUAL });
                let problem = with_friction(&base, &mut dice);
                let (mut a, mut b) = (start(&problem, &scheme, 0.02), start(&as_nonlinear(&problem), &scheme, 0.02));
                for _ in 0..60 {
                    let (x, y) = (a.advance().expect("a step"), b.advance().expect("a step"));
                    let difference =
                        |x: &[f64], y: &[f64]| x.iter().zip(y).fold(0.0_f64, |s, (x, y)| s.max((x - y).abs()));
                    worst = worst.max(difference(&x.after.q, &y.after.q)).max(difference(&x.after.v, &y.after.v));
                    for (x, y) in x.friction.iter().zip(&y.friction) {
                        worst = worst.max(difference(&x.p, &y.p));
                        rubbed += usize::from(x.p != [0.0; 2]);
                    }
                }
            }
            println!("{} {law:?}: {worst:.1e}, {rubbed} impulses", scheme.name);
            assert!(worst <= 1e-9 && rubbed > 100, "{} {law:?}: {worst:e}, {rubbed}", scheme.name);
        }
    }
}

/// What is refused, and with which word.
#[test]
fn refusals() {
    for name in ["generalized-alpha-modified-lcp", "smooth-generalized-alpha", "schatzman-paoli"] {
        let scheme = Scheme::named(name).expect("a scheme");
        let error =
            Simulation::new(&rocking(0.5, 0.3), &scheme, SolverOptions::default(), 1e-3).err().expect("refused");
        assert_eq!(error.code.as_str(), "E155", "{name}: {error}");
    }
    for (mu, code) in [(-0.1, "E122"), (f64::NAN, "E110"), (f64::INFINITY, "E110")] {
        let plain = rocking_block_model(0.5).expect("a block");
        assert_eq!(plain.with_friction(mu).expect_err("refused").code.as_str(), code);
        let model: Arc<dyn Lagrangian> =
            Arc::new(Auto::new(Bowl { restitution: [0.4], friction: [mu] }).expect("a model"));
        let error = Problem::nonlinear(model, vec![0.0, 0.0, 1.0], vec![0.0; 3]).expect_err("refused");
        assert_eq!(error.code.as_str(), code);
    }
}
