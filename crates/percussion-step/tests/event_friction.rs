//! Event-driven runs with friction against closed forms: sticking, sliding, turning round, and impacts that rub.

mod common;

use common::record;
use percussion_matrix::vector::max_abs;
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::{Contact, LinearParts, Signal};
use percussion_solve::SolverOptions;
use percussion_step::problems::{Dice, incline, linear, masses, rocking_block_model, rough_contact};
use percussion_step::{
    EventKind, LedgerEntry, LocatedEvent, Outcome, Problem, Recorder, Scheme, Start, State, Step, Stop, simulate,
};
use std::sync::Arc;

#[derive(Default)]
struct Events {
    list: Vec<LocatedEvent>,
    states: Vec<State>,
    ledger: Vec<LedgerEntry>,
    /// The largest ‖p_T‖ − μ p_N over the impulses of a step, with μ of contact 0.
    cone: f64,
    mu: f64,
}

impl Recorder for Events {
    fn start(&mut self, start: &Start) -> Result<(), Stop> {
        self.states.push(start.state.clone());
        self.mu = start.model.friction(0);
        Ok(())
    }

    fn record(&mut self, _: u64, step: &Step) -> Result<(), Stop> {
        self.list.extend(&step.events);
        self.states.push(step.after.clone());
        self.ledger.push(step.ledger);
        for (c, along) in step.contacts.iter().zip(&step.friction) {
            self.cone = self.cone.max(along.p[0].hypot(along.p[1]) - self.mu * c.p);
        }
        Ok(())
    }
}

impl Events {
    /// ΔE minus works within the tolerance, contacts that only take energy out, impulses inside the cone.
    fn keeps_its_account(&self, energy: f64, tolerance: f64) {
        for entry in &self.ledger {
            assert!(entry.balance.abs() <= tolerance * energy, "{entry:?}");
            assert!(entry.work_contact <= 1e-12 * energy, "{entry:?}");
        }
        assert!(self.cone <= 1e-11 * energy, "outside the cone by {}", self.cone);
    }

    fn along(&self) -> Vec<(EventKind, f64)> {
        let kinds = [EventKind::Stick, EventKind::Slip, EventKind::Reverse];
        self.list.iter().filter(|e| kinds.contains(&e.kind)).map(|e| (e.kind, e.t)).collect()
    }
}

/// The scheme with a tolerance of 1e-12.
fn located(method: &str, law: &str) -> Scheme {
    common::scheme("event-driven", |o| {
        (o.tolerance, o.method, o.friction_law) = (Some(1e-12), Some(method.into()), Some(law.into()));
    })
}

fn run_with(problem: &Problem, scheme: &Scheme, h: f64, end: f64) -> Events {
    let mut events = Events::default();
    record(problem, scheme, h, end, &mut events);
    events
}

fn run(problem: &Problem, h: f64, end: f64) -> Events {
    run_with(problem, &located("explicit", "checked"), h, end)
}

fn rough(normal: &[f64], tangents: &[&[f64]], mu: f64, e: f64) -> Contact {
    rough_contact(normal, tangents, 0.0, e, mu)
}

fn parts(mass: &[f64], force: Vec<Signal>, contacts: Vec<Contact>) -> LinearParts {
    LinearParts { force, contacts, ..masses(mass, &[]) }
}

fn problem(parts: LinearParts, q0: &[f64], v0: &[f64]) -> Problem {
    linear(parts, q0, v0).expect("a problem")
}

/// Decelerated by μ g cos α − g sin α the block stops at v₀ over that, and stays; the time to 1e-12.
#[test]
fn a_block_comes_to_rest_on_an_incline() {
    let (angle, mu, v0) = (0.2_f64, 0.5, 1.3);
    let a = 9.81 * (mu * angle.cos() - angle.sin());
    for method in ["explicit", "stiff"] {
        for h in [1e-2, 1.0] {
            let events = run_with(&incline(angle, mu, v0).expect("a block"), &located(method, "checked"), h, 2.0);
            let along = events.along();
            println!("{method} h = {h}: {along:?}, stop expected at {}", v0 / a);
            assert_eq!(along.iter().map(|e| e.0).collect::<Vec<_>>(), [EventKind::Slip, EventKind::Stick]);
            assert!((along[1].1 - v0 / a).abs() < 1e-12);
            let last = events.states.last().expect("a state");
            assert!((last.q[0] - 0.5 * v0 * v0 / a).abs() < 1e-12 && max_abs(&last.v) < 1e-15, "{last:?}");
            events.keeps_its_account(1.0, 1e-13);
        }
    }
}

/// Thrown up a slope steeper than friction holds, the block turns round without resting and slides down again.
#[test]
fn a_block_turns_round_on_a_steep_incline() {
    let (angle, mu, v0) = (0.6_f64, 0.3, -2.0);
    let (up, down) = (9.81 * (angle.sin() + mu * angle.cos()), 9.81 * (angle.sin() - mu * angle.cos()));
    let events = run(&incline(angle, mu, v0).expect("a block"), 0.05, 1.0);
    let along = events.along();
    assert_eq!(along.iter().map(|e| e.0).collect::<Vec<_>>(), [EventKind::Slip, EventKind::Reverse]);
    let turn = -v0 / up;
    assert!((along[1].1 - turn).abs() < 1e-12, "{along:?} for {turn}");
    let last = events.states.last().expect("a state");
    assert!((last.v[0] - down * (1.0 - turn)).abs() < 1e-12, "{last:?}");
    events.keeps_its_account(2.0, 1e-13);
}

/// A mass on a spring with dry friction: every half period π/ω the amplitude falls by 2μg/ω², until the spring no longer
/// overcomes friction; then rest.
#[test]
fn a_dry_oscillator_loses_the_same_at_every_turn() {
    let (k, mu, x0) = (40.0_f64, 0.1, 0.33);
    let omega = k.sqrt();
    let mut body = parts(
        &[1.0, 1.0],
        vec![Signal::constant(0.0), Signal::constant(-9.81)],
        vec![rough(&[0.0, 1.0], &[&[1.0, 0.0]], mu, 0.0)],
    );
    body.stiffness = Some(Matrix::Dense(DenseMatrix::from_rows(&[vec![k, 0.0], vec![0.0, 0.0]]).expect("square")));
    let lost = 2.0 * mu * 9.81 / k;
    let turns = ((x0 - 0.5 * lost) / lost).ceil() as usize;
    for method in ["explicit", "stiff"] {
        let events = run_with(&problem(body.clone(), &[x0, 0.0], &[0.0; 2]), &located(method, "checked"), 0.1, 5.0);
        let along = events.along();
        assert_eq!(along.len(), turns + 1, "{along:?}");
        for (n, (kind, t)) in along.iter().enumerate().skip(1) {
            assert_eq!(*kind, if n == turns { EventKind::Stick } else { EventKind::Reverse });
            assert!((t - n as f64 * std::f64::consts::PI / omega).abs() < 1e-9, "{n}: {t}");
        }
        let last = events.states.last().expect("a state");
        let amplitude = (x0 - turns as f64 * lost) * if turns.is_multiple_of(2) { 1.0 } else { -1.0 };
        println!("{method}: {turns} turns, rests at {} ({amplitude})", last.q[0]);
        assert!((last.q[0] - amplitude).abs() < 1e-9 && max_abs(&last.v) < 1e-15, "{last:?}");
        events.keeps_its_account(2.0, 1e-10);
    }
}

/// A mass under F = A sin ωt: it sticks while |F| < μN, slides until its velocity is back at zero, and so on with the
/// period of the load. Where sliding ends solves (A/ω)(cos ωt₁ − cos ωt) = μN (t − t₁).
#[test]
fn stick_and_slip_follow_a_load_with_its_period() {
    let (A, omega, bound) = (5.0_f64, 3.0, 0.4 * 9.81);
    let force = vec![Signal::harmonic(0.0, A, omega, 0.0), Signal::constant(-9.81)];
    let body = parts(&[1.0, 1.0], force, vec![rough(&[0.0, 1.0], &[&[1.0, 0.0]], 0.4, 0.0)]);
    let begins = (bound / A).asin() / omega;
    let velocity = |t: f64| A / omega * ((omega * begins).cos() - (omega * t).cos()) - bound * (t - begins);
    let (mut low, mut high) = (begins + 0.1, begins + 2.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if velocity(middle) > 0.0 { low = middle } else { high = middle }
    }
    let half = std::f64::consts::PI / omega;
    assert!(low < begins + half, "it rests before the load turns round");
    for method in ["explicit", "stiff"] {
        let events = run_with(&problem(body.clone(), &[0.0; 2], &[0.0; 2]), &located(method, "checked"), 0.02, 6.0);
        let along = events.along();
        assert!(along.len() > 8, "{along:?}");
        for (n, (kind, t)) in along.iter().enumerate().skip(1) {
            let cycle = ((n - 1) / 2) as f64 * half;
            let expected = if n % 2 == 1 { (EventKind::Slip, begins + cycle) } else { (EventKind::Stick, low + cycle) };
            assert_eq!(*kind, expected.0, "{along:?}");
            assert!((t - expected.1).abs() < 1e-9, "{n}: {t} for {}", expected.1);
        }
        let worst = along.iter().enumerate().skip(1).fold(0.0_f64, |worst, (n, (_, t))| {
            let cycle = ((n - 1) / 2) as f64 * half;
            worst.max((t - cycle - if n % 2 == 1 { begins } else { low }).abs())
        });
        println!("{method}: {} events, worst time {worst:.1e}", along.len());
        events.keeps_its_account(1.0, 1e-9);
    }
}

/// On a belt (a heavy body that runs on) a mass on a spring is carried along until k x = μN, then slides.
#[test]
fn a_belt_carries_a_mass_until_its_spring_pulls_it_off() {
    let (k, mu, speed) = (20.0, 0.3, 0.5);
    let mut body = parts(
        &[1.0, 1.0, 1e9],
        vec![Signal::constant(0.0), Signal::constant(-9.81), Signal::constant(0.0)],
        vec![rough(&[0.0, 1.0, 0.0], &[&[1.0, 0.0, -1.0]], mu, 0.0)],
    );
    let mut K = DenseMatrix::zeros(3, 3);
    K.set(0, 0, k);
    body.stiffness = Some(Matrix::Dense(K));
    let events = run(&problem(body, &[0.0; 3], &[speed, 0.0, speed]), 0.01, 0.6);
    let along = events.along();
    let expected = mu * 9.81 / (k * speed);
    println!("{along:?} for {expected}");
    assert_eq!(along.iter().map(|e| e.0).collect::<Vec<_>>(), [EventKind::Stick, EventKind::Slip]);
    // the belt loses 1e-9 of its velocity
    assert!((along[1].1 - expected).abs() < 1e-8);
    events.keeps_its_account(1.25e8, 1e-12);
}

/// A puck on an incline in space. With s its speed, φ the angle from the fall line, F = g sin α and k = μ/tan α:
///
///   s sin φ / tan(φ/2)^k = const,    s (k + cos φ) = s₀ (k + cos φ₀) − F (k² − 1) t
///
/// so for k > 1 it stops at t = s₀ (k + cos φ₀)/(F (k² − 1)), for k = 1 it ends on the fall line with half s₀ (1 + cos φ₀).
#[test]
fn a_puck_curves_on_an_incline() {
    let angle = 0.3_f64;
    let (F, N) = (9.81 * angle.sin(), 9.81 * angle.cos());
    for k in [0.6, 1.0, 1.7] {
        let mu = k * angle.tan();
        let force = vec![Signal::constant(F), Signal::constant(0.0), Signal::constant(-N)];
        let tangents: [&[f64]; 2] = [&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]];
        let body = parts(&[1.0; 3], force, vec![rough(&[0.0, 0.0, 1.0], &tangents, mu, 0.0)]);
        let (s0, phi0) = (2.0, 1.9_f64);
        let puck = problem(body, &[0.0; 3], &[s0 * phi0.cos(), s0 * phi0.sin(), 0.0]);
        for method in ["explicit", "stiff"] {
            let events = run_with(&puck, &located(method, "checked"), 0.01, 3.0);
            let stop = s0 * (k + phi0.cos()) / (F * (k * k - 1.0));
            let first = s0 * phi0.sin() / (0.5 * phi0).tan().powf(k);
            let mut worst = (0.0_f64, 0.0_f64);
            for state in events.states.iter().filter(|state| k <= 1.0 || state.t < 0.999 * stop) {
                let (s, phi) = (state.v[0].hypot(state.v[1]), state.v[1].atan2(state.v[0]));
                // on the way to a stop both s and φ vanish: s₀-sized terms only
                let path = s * phi.sin() - first * (0.5 * phi).tan().powf(k);
                let clock = s * (k + phi.cos()) + F * (k * k - 1.0) * state.t;
                worst.0 = worst.0.max(path.abs());
                worst.1 = worst.1.max((clock - s0 * (k + phi0.cos())).abs());
            }
            println!("{method} k = {k}: path {:.1e}, clock {:.1e}, {:?}", worst.0, worst.1, events.along());
            assert!(worst.0 < 1e-9 && worst.1 < 1e-9);
            if k > 1.0 {
                let along = events.along();
                assert_eq!(along.last().map(|e| e.0), Some(EventKind::Stick));
                assert!((along[1].1 - stop).abs() < 1e-7, "{along:?} for {stop}");
                assert!(events.states.last().is_some_and(|state| state.v.iter().all(|v| v.abs() < 1e-15)));
            }
            events.keeps_its_account(10.0, 1e-10);
        }
    }
}

/// The rod at 45° (m = 1, J = ⅓, e = 0.9, μ = 1): velocities after its impact by the laws, solved by hand.
#[test]
fn an_impact_that_rubs_obeys_the_law_chosen() {
    let c = std::f64::consts::FRAC_1_SQRT_2;
    let body = || {
        let contact = rough(&[0.0, 1.0, -c], &[&[1.0, 0.0, c]], 1.0, 0.9);
        parts(&[1.0, 1.0, 1.0 / 3.0], vec![Signal::constant(0.0); 3], vec![contact])
    };
    // W = [5/2, −3/2; −3/2, 5/2], u⁻ = (−1, 0.57): sticking needs W p = (1.9, −(1 + α)0.57)
    for (law, alpha) in [("newton", 0.0), ("fremond", 1.0), ("checked", 1.0)] {
        let rod = problem(body(), &[0.0, 0.05, 0.0], &[0.57, -1.0, 0.0]);
        let events = run_with(&rod, &located("explicit", law), 1e-2, 0.2);
        let impact = events.list.iter().find(|e| e.kind == EventKind::Impact).expect("an impact");
        let b = (1.9_f64, -(1.0 + alpha) * 0.57_f64);
        let p = ((2.5 * b.0 + 1.5 * b.1) / 4.0, (1.5 * b.0 + 2.5 * b.1) / 4.0);
        assert!(p.1.abs() <= p.0, "it sticks");
        let last = events.states.last().expect("a state");
        println!("{law}: p = {} ({}), v = {:?}", impact.p, p.0, last.v);
        assert!((impact.p - p.0).abs() < 1e-11 && (impact.t - 0.05).abs() < 1e-12);
        assert!((last.v[0] - 0.57 - p.1).abs() < 1e-11, "{last:?}");
        let gained: f64 = events.ledger.iter().map(|entry| entry.work_contact).sum();
        assert_eq!(gained > 0.0, law == "newton", "{law}: {gained}");
    }
}

/// A slab on four corners, pushed by a growing load: redundant contacts share it, all slip at F = μ m g and at no other
/// time.
#[test]
fn redundant_contacts_slip_together() {
    // q = (x, y, rotation); corners at ±1 with the load low: their normal forces differ
    let corner = |x: f64| rough(&[0.0, 1.0, x], &[&[1.0, 0.0, 0.3]], 0.5, 0.0);
    let contacts = vec![corner(-1.0), corner(-0.4), corner(0.4), corner(1.0)];
    // F = 12 sin(t)
    let force = vec![Signal::harmonic(0.0, 12.0, 1.0, 0.0), Signal::constant(-9.81), Signal::constant(0.0)];
    let slab = problem(parts(&[1.0, 1.0, 1.0], force, contacts), &[0.0; 3], &[0.0; 3]);
    let events = run(&slab, 0.01, 0.6);
    let slips: Vec<f64> = events.list.iter().filter(|e| e.kind == EventKind::Slip).map(|e| e.t).collect();
    let expected = (0.5 * 9.81_f64 / 12.0).asin();
    println!("slips at {slips:?} for {expected}; {} events", events.list.len());
    assert!(!slips.is_empty() && slips.iter().all(|t| (t - expected).abs() < 1e-6), "{slips:?}");
    assert!(events.list.len() < 40);
    let slides = events.states.last().expect("a state").v[0];
    let exact = 12.0 * (expected.cos() - 0.6_f64.cos()) - 0.5 * 9.81 * (0.6 - expected);
    assert!((slides - exact).abs() < 1e-6, "{slides} for {exact}");
    events.keeps_its_account(1.0, 1e-9);
}

/// Random linear systems with up to three rough contacts in plane and space, spun and thrown at each other: nothing
/// penetrates, no energy appears, balance and cones hold; and fine Moreau–Jean steps agree before motions become sensitive.
#[test]
fn random_systems_keep_their_account() {
    let mut dice = Dice(7);
    let mut counts = [0_usize; 6];
    for round in 0..40 {
        let space = round % 2 == 1;
        let bodies = 1 + round % 3;
        let n = 3 * bodies;
        let mut contacts = Vec::new();
        for b in 0..bodies {
            // each body above the one before it, rubbing against it
            let mut normal = vec![0.0; n];
            let (mut first, mut second) = (vec![0.0; n], vec![0.0; n]);
            normal[3 * b + 2] = 1.0;
            first[3 * b] = 1.0;
            second[3 * b + 1] = 1.0;
            if b > 0 {
                normal[3 * b - 1] = -1.0;
                first[3 * b - 3] = -1.0;
                second[3 * b - 2] = -1.0;
            }
            let both: Vec<&[f64]> = if space { vec![&first, &second] } else { vec![&first] };
            let (mu, e) = (
                0.1 + 0.6 * dice.real(0.0, 1.0),
                if dice.real(0.0, 1.0) < 0.3 { 0.0 } else { 0.7 * dice.real(0.0, 1.0) },
            );
            contacts.push(rough(&normal, &both, mu, e));
        }
        let mass: Vec<f64> = (0..n).map(|_| 0.5 + dice.real(0.0, 1.0)).collect();
        let force: Vec<Signal> = (0..n)
            .map(|i| {
                if i % 3 == 2 {
                    // now and then more than the weight: contacts open under load
                    Signal::harmonic(-9.81 * mass[i], 14.0 * dice.real(0.0, 1.0) * mass[i], 4.0, 3.0)
                } else {
                    Signal::harmonic(
                        0.0,
                        6.0 * dice.real(0.0, 1.0) * mass[i],
                        1.0 + 4.0 * dice.real(0.0, 1.0),
                        6.0 * dice.real(0.0, 1.0),
                    )
                }
            })
            .collect();
        let q0: Vec<f64> = (0..n).map(|i| if i % 3 == 2 { 0.05 * (i + 1) as f64 } else { 0.0 }).collect();
        let v0: Vec<f64> = (0..n).map(|_| 2.0 * dice.real(0.0, 1.0) - 1.0).collect();
        let system = problem(parts(&mass, force, contacts), &q0, &v0);
        let events = run_with(&system, &located("explicit", "checked"), 0.01, 2.0);
        for state in &events.states {
            let mut below = 0.0;
            for b in 0..bodies {
                assert!(state.q[3 * b + 2] - below > -1e-11, "round {round}: {state:?}");
                below = state.q[3 * b + 2];
            }
        }
        for event in &events.list {
            counts[EventKind::ALL.iter().position(|kind| *kind == event.kind).expect("a kind")] += 1;
        }
        for entry in &events.ledger {
            assert!(entry.balance.abs() <= 1e-8 && entry.work_contact <= 1e-9, "round {round}: {entry:?}");
        }
    }
    println!("{:?}", EventKind::ALL.iter().map(|kind| kind.as_str()).zip(counts).collect::<Vec<_>>());
    assert!(counts.iter().all(|&n| n > 10), "every kind of event happens: {counts:?}");
}

/// The rocking block on a rough floor: Moreau–Jean steps come to the event-driven motion with O(h), up to the first
/// impacts.
#[test]
fn a_rough_rocking_block_agrees_with_small_steps() {
    let block = rocking_block_model(0.5).and_then(|b| b.with_friction(0.4)).expect("a block");
    let start = || Problem::nonlinear(Arc::new(block.clone()), vec![0.0, 1.0, 0.2], vec![0.3, 0.0, 0.0]).expect("one");
    let events = run_with(&start(), &located("explicit", "checked"), 1e-2, 0.4);
    let last = events.states.last().expect("a state");
    let mut errors = Vec::new();
    for h in [1e-3, 1e-4] {
        let steps = common::run(&start(), &Scheme::moreau_jean(0.5), h, 0.4);
        let q = steps.q(steps.len() - 1);
        errors.push((0..3).fold(0.0_f64, |worst, i| worst.max((q[i] - last.q[i]).abs())));
    }
    println!("{:?}; errors {errors:?}", events.list.iter().map(|e| (e.kind, e.t)).collect::<Vec<_>>());
    assert!(errors[1] < 1e-3 && errors[1] < 0.3 * errors[0], "{errors:?}");
    for (method, end) in [("explicit", 3.0), ("stiff", 1.0)] {
        let events = run_with(&start(), &located(method, "checked"), 1e-2, end);
        for entry in &events.ledger {
            assert!(entry.balance.abs() <= 1e-8 && entry.work_contact <= 1e-9, "{entry:?}");
        }
        println!("{method}: {} events, ends {:?}", events.list.len(), events.states.last());
    }
}

/// Sliding with so much friction that no normal force keeps the rod's end on the floor (Painlevé) is refused with a word
/// of explanation, not a wrong motion.
#[test]
fn painleves_paradox_is_named() {
    // a slender rod at an angle, its lower end dragged into the floor: W_NN − μ W_NT d < 0
    let (angle, mu, half) = (0.9_f64, 2.5, 1.0);
    let (s, c) = angle.sin_cos();
    let contact = rough(&[0.0, 1.0, -half * c], &[&[1.0, 0.0, half * s]], mu, 0.0);
    let force = vec![Signal::constant(0.0), Signal::constant(-9.81), Signal::constant(0.0)];
    let inertia = half * half / 3.0;
    let rod = problem(parts(&[1.0, 1.0, inertia], force, vec![contact]), &[0.0; 3], &[-1.0, 0.0, 0.0]);
    let scheme = Scheme::named("event-driven").expect("a scheme");
    let outcome = simulate(&rod, &scheme, SolverOptions::default(), 1e-2, 0.1, &mut Events::default());
    match outcome.expect("accepted") {
        Outcome::Failed(failure) => assert!(failure.message.contains("Painlevé"), "{failure}"),
        other => panic!("{other:?}"),
    }
}
