//! Event-driven runs against closed forms and independent event times.

mod common;

use common::{random_problem, record, scheme};
use percussion_model::build::column;
use percussion_model::{Joint, LinearParts, Signal};
use percussion_step::measure::TwoMassDrop;
use percussion_step::problems::{Dice, OneMass, Recipe, contact, linear, masses, pendulum, rocking_block};
use percussion_step::{EventKind, LedgerEntry, LocatedEvent, Problem, Recorder, Scheme, Start, State, Step, Stop};

/// Keeps what happened and where it ended.
#[derive(Default)]
struct Events {
    list: Vec<LocatedEvent>,
    states: Vec<State>,
    ledger: Vec<LedgerEntry>,
    first: LedgerEntry,
}

impl Recorder for Events {
    fn start(&mut self, start: &Start) -> Result<(), Stop> {
        self.first = *start.ledger;
        self.states.push(start.state.clone());
        Ok(())
    }

    fn record(&mut self, _: u64, step: &Step) -> Result<(), Stop> {
        assert!(step.located);
        let mut last = step.after.t - step.h;
        for event in &step.events {
            assert!(event.t >= last - 1e-15 && event.t <= step.after.t + 1e-15, "events in the order of time");
            last = event.t;
        }
        self.list.extend(&step.events);
        self.states.push(step.after.clone());
        self.ledger.push(step.ledger);
        Ok(())
    }
}

impl Events {
    /// ΔE minus the works is within the tolerance of the largest energy, step by step.
    fn keeps_its_account(&self, energy: f64, tolerance: f64) {
        for entry in &self.ledger {
            assert!(entry.balance.abs() <= tolerance * energy, "{entry:?}");
            assert!(entry.work_contact <= 1e-12 * energy, "impacts take energy out: {entry:?}");
        }
    }

    fn of(&self, kind: EventKind) -> Vec<&LocatedEvent> {
        self.list.iter().filter(|event| event.kind == kind).collect()
    }
}

fn located(tolerance: f64, method: &str) -> Scheme {
    scheme("event-driven", |o| (o.tolerance, o.method) = (Some(tolerance), Some(method.into())))
}

fn run(problem: &Problem, scheme: &Scheme, h: f64, end: f64) -> Events {
    let mut events = Events::default();
    record(problem, scheme, h, end, &mut events);
    events
}

fn ball() -> Problem {
    OneMass::ball().problem().expect("a ball")
}

/// Impacts at t_n = t₁(1 + 2(e + … + eⁿ⁻¹)), the accumulation at 3.602249297 within 1e-6, then rest.
#[test]
fn ball_reaches_its_accumulation() {
    for method in ["explicit", "stiff"] {
        for h in [2e-3, 0.7, 5.0] {
            let events = run(&ball(), &located(1e-10, method), h, 5.0);
            let impacts = events.of(EventKind::Impact);
            let t1 = (2.0_f64 * 0.801 / 10.0).sqrt();
            let (mut t, mut flight) = (t1, 2.0 * 0.8 * t1);
            for (k, impact) in impacts.iter().take(40).enumerate() {
                assert!((impact.t - t).abs() < 1e-12 * (k + 1) as f64, "impact {k} at {} for {t}", impact.t);
                t += flight;
                flight *= 0.8;
            }
            let close = events.of(EventKind::Close);
            let exact = t1 * 1.8 / 0.2;
            println!("{method} h = {h}: {} impacts, closes at {:.9} (exact {exact:.9})", impacts.len(), close[0].t);
            assert_eq!(close.len(), 1);
            assert!((close[0].t - exact).abs() < 1e-6);
            let last = events.states.last().expect("a state");
            assert!((last.q[0] - 0.2).abs() < 1e-15 && last.v[0] == 0.0, "{last:?}");
            assert!(events.of(EventKind::Open).is_empty());
        }
    }
}

/// Two masses on a spring, k = 1e4 and 1e3: event times of the independent reference to 1e-9 s, without any option.
#[test]
fn two_masses_at_the_reference_times() {
    for (stiffness, gap, floor, times) in [
        (1e4, 0.801, 0.2, [0.4002499219, 0.4197075641, 1.0058669104, 1.0315327027, 1.3855613388]),
        (1e3, 1.0, 0.0, [0.4472135955, 0.5061252055, 1.1064140506, 1.4338275639, 1.4820652749]),
    ] {
        let drop = TwoMassDrop { stiffness, g: 10.0, e: 0.8, gap, floor };
        let events = run(&drop.problem().expect("a problem"), &scheme("event-driven", |_| ()), 1e-3, 1.5);
        for (impact, t) in events.of(EventKind::Impact).iter().zip(times) {
            println!("k = {stiffness}: {:.12} {:+.1e}", impact.t, impact.t - t);
        }
        for (impact, t) in events.of(EventKind::Impact).iter().zip(times) {
            assert!((impact.t - t).abs() < 1e-9, "{} for {t}", impact.t);
        }
    }
}

/// The rocking block at the reference's impact times, E after each, and on to the end at rest on both corners.
#[test]
fn rocking_block_at_the_reference_times() {
    let problem = rocking_block(0.5).expect("a block");
    let reference =
        [(0.183751, 8.957548), (0.296297, 8.023831), (0.472693, 7.714286), (0.518577, 7.527534), (0.614646, 7.440634)];
    let events = run(&problem, &located(1e-11, "explicit"), 1e-4, 0.62);
    for (impact, (t, energy)) in events.of(EventKind::Impact).iter().zip(reference) {
        // E right after the impact from the first row after it: nothing is lost in between
        let row = events.states.iter().position(|state| state.t >= impact.t).expect("a row");
        let E = events.ledger[row - 1].energy();
        println!("{:.6} {t}   E {E:.6} {energy}", impact.t);
        assert!((impact.t - t).abs() < 1e-6 && (E - energy).abs() < 1e-6);
    }
    for method in ["explicit", "stiff"] {
        let events = run(&problem, &located(1e-10, method), 1e-2, 5.0);
        let count = |kind| events.of(kind).len();
        let last = events.states.last().expect("a state");
        println!(
            "{method}: {} impacts, {} close, {} open",
            count(EventKind::Impact),
            count(EventKind::Close),
            count(EventKind::Open)
        );
        // both corners closed: flat, at rest
        assert_eq!(count(EventKind::Close) - count(EventKind::Open), 2);
        assert!(
            (last.q[1] - 0.75).abs() < 1e-12 && last.q[2].abs() < 1e-12 && last.v[1].abs() + last.v[2].abs() < 1e-14
        );
        events.keeps_its_account(9.81, 1e-9);
    }
}

/// Three masses dropped one above the other: impacts with more than one contact closed, rest at the end, nothing lost or
/// gained but by impacts, nothing penetrates.
#[test]
fn three_contacts_run_to_the_end() {
    for e in [0.0, 0.3, 0.5] {
        let masses = [1.0, 0.5, 2.0];
        let model = column(&masses, -10.0, e).expect("a column");
        let gaps = |q: &[f64]| [q[0], q[1] - q[0], q[2] - q[1]];
        let problem = Problem::linear(model, vec![0.1, 0.25, 0.3], vec![0.0; 3]).expect("above");
        let events = run(&problem, &located(1e-10, "explicit"), 2e-3, 2.0);
        let last = events.states.last().expect("a state");
        let together = events.list.windows(2).filter(|w| w[0].t == w[1].t && w[0].contact != w[1].contact).count();
        println!("e = {e}: {} events, {together} with a neighbour at the same instant; {last:?}", events.list.len());
        assert!(together > 0 && last.v.iter().all(|v| v.abs() < 1e-13), "{last:?}");
        assert!(gaps(&last.q).iter().all(|g| g.abs() < 1e-12));
        for state in &events.states {
            assert!(gaps(&state.q).iter().all(|&g| g > -1e-11), "{state:?}");
        }
        events.keeps_its_account(10.0, 1e-9);
    }
}

/// A mass on a table w = −A sin ωt leaves when the table falls faster than it can: A ω² sin ωt = g.
#[test]
fn a_moving_table_is_left_in_time() {
    let (amplitude, omega, g) = (0.5, 6.0, 10.0);
    // gap q − A sin(ωt + π): the table starts downwards
    let mut table = contact(&[1.0], 0.0, 0.3);
    table.offset = Signal::harmonic(0.0, amplitude, omega, 0.0);
    let parts = LinearParts { contacts: vec![table], ..masses(&[2.0], &[-2.0 * g]) };
    let problem = linear(parts, &[0.0], &[-amplitude * omega]).expect("starts with the table");
    for method in ["explicit", "stiff"] {
        let events = run(&problem, &located(1e-11, method), 1e-2, 3.0);
        let expected = std::f64::consts::PI / omega + (g / (amplitude * omega * omega)).asin() / omega;
        let open = events.of(EventKind::Open);
        println!("{method}: leaves at {:.12}, {:+.1e}; {} events", open[0].t, open[0].t - expected, events.list.len());
        // the force ends linearly: its error of 1e-10 of the largest force is a time of 1e-10
        assert!((open[0].t - expected).abs() < 1e-9);
        assert!(events.of(EventKind::Impact)[0].t > open[0].t);
        events.keeps_its_account(100.0, 1e-8);
    }
}

/// Γ = 0 = λ at the start, decided by the first derivative of the load that is not zero.
#[test]
fn no_force_and_no_acceleration_yet() {
    // weightless, at rest on its obstacle, under F(t) with F(0) = 0
    let at_rest = |load: Signal| {
        let contacts = vec![contact(&[1.0], 0.0, 0.5)];
        linear(LinearParts { force: vec![load], contacts, ..masses(&[1.0], &[0.0]) }, &[0.0], &[0.0])
            .expect("a problem")
    };
    let end = |problem: &Problem| {
        let events = run(problem, &located(1e-10, "explicit"), 1e-2, 0.5);
        (events.states.last().expect("a state").q[0], events.list)
    };
    // pulled away: F = sin t, q = t − sin t
    let (q, list) = end(&at_rest(Signal::harmonic(0.0, 1.0, 1.0, 0.0)));
    assert!((q - (0.5 - 0.5_f64.sin())).abs() < 1e-10 && list.is_empty(), "{q} {list:?}");
    // pushed on: F = −sin t
    let (q, list) = end(&at_rest(Signal::harmonic(0.0, -1.0, 1.0, 0.0)));
    assert!(q == 0.0 && list.len() == 1 && list[0].kind == EventKind::Close, "{q} {list:?}");
    // the second derivative: F = ±(1 − cos t)
    let half = std::f64::consts::FRAC_PI_2;
    let (q, list) = end(&at_rest(Signal::harmonic(1.0, -1.0, 1.0, half)));
    assert!((q - (0.125 + 0.5_f64.cos() - 1.0)).abs() < 1e-10 && list.is_empty(), "{q} {list:?}");
    let (q, list) = end(&at_rest(Signal::harmonic(-1.0, 1.0, 1.0, half)));
    assert!(q == 0.0 && list.len() == 1, "{q} {list:?}");
    // nothing at all: held without a force
    let (q, list) = end(&at_rest(Signal::constant(0.0)));
    assert!(q == 0.0 && list.len() == 1 && list[0].kind == EventKind::Close, "{q} {list:?}");
    // pushed until the load turns at t = π, then away
    let events = run(&at_rest(Signal::harmonic(0.0, -1.0, 1.0, 0.0)), &located(1e-10, "explicit"), 1e-2, 4.0);
    let open = events.of(EventKind::Open);
    assert!((open[0].t - std::f64::consts::PI).abs() < 1e-9, "{open:?}");
    let s = 4.0 - std::f64::consts::PI;
    assert!((events.states.last().expect("a state").q[0] - (s - s.sin())).abs() < 1e-9);
}

/// The first impact of the pendulum by quadrature of θ̇ = √(2 m g l (sin θ₀ − sin θ)/(m l² + J)), with θ = θ₀ − s².
#[test]
fn pendulum_meets_its_wall() {
    let (start, wall) = (std::f64::consts::PI / 12.0, -std::f64::consts::FRAC_PI_4);
    let problem = pendulum(0.8).expect("a pendulum");
    let speed = |theta: f64| (20.0 * (start.sin() - theta.sin()) / 1.1).sqrt();
    let top = (start - wall).sqrt();
    let n = 2000;
    let f = |s: f64| if s == 0.0 { 2.0 / (20.0 * start.cos() / 1.1).sqrt() } else { 2.0 * s / speed(start - s * s) };
    let simpson: f64 = (0..=n)
        .map(|k| {
            let weight = if k == 0 || k == n {
                1.0
            } else if k % 2 == 1 {
                4.0
            } else {
                2.0
            };
            weight * f(top * k as f64 / n as f64)
        })
        .sum::<f64>()
        * top
        / n as f64
        / 3.0;
    for method in ["explicit", "stiff"] {
        let events = run(&problem, &located(1e-11, method), 1e-3, 8.0);
        let impact = events.of(EventKind::Impact)[0];
        println!("{method}: {:.12}, by quadrature {simpson:.12}", impact.t);
        assert!((impact.t - simpson).abs() < 1e-9);
        for state in &events.states {
            let (s, c) = state.q[2].sin_cos();
            assert!((state.q[0] - c).abs() + (state.q[1] - s).abs() < 1e-14, "joints at t = {}", state.t);
        }
        events.keeps_its_account(10.0, 1e-9);
        // it comes to rest against the wall
        let last = events.states.last().expect("a state");
        assert!(last.v.iter().all(|v| v.abs() < 1e-13) && (last.q[2] - wall).abs() < 1e-13, "{last:?}");
    }
}

/// Two masses tied by a joint fall as one; three contacts in the place of one change nothing.
#[test]
fn joints_and_repeated_contacts() {
    let single = run(&ball(), &located(1e-10, "explicit"), 2e-3, 5.0);
    let parts = LinearParts {
        contacts: vec![contact(&[1.0, 0.0], -0.2, 0.8)],
        joints: vec![Joint { row: vec![(0, 1.0), (1, -1.0)], offset: 0.5 }],
        ..masses(&[1.0, 3.0], &[-10.0, -30.0])
    };
    let tied = linear(parts, &[1.001, 1.501], &[0.0; 2]);
    let parts = LinearParts { contacts: vec![contact(&[1.0], -0.2, 0.8); 3], ..masses(&[1.0], &[-10.0]) };
    let tripled = linear(parts, &[1.001], &[0.0]);
    for (name, problem, share) in [("tied", tied, 1), ("tripled", tripled, 3)] {
        let events = run(&problem.expect("a problem"), &located(1e-10, "explicit"), 2e-3, 5.0);
        for (a, b) in events.states.iter().zip(&single.states) {
            // velocities change by O(1) at an impact that falls on the other side of a row
            assert!((a.q[0] - b.q[0]).abs() < 1e-9, "{name} at t = {}", a.t);
        }
        let close = events.of(EventKind::Close);
        let same = single.of(EventKind::Close)[0].t;
        println!("{name}: {} impacts, closes at {:.9} for {same:.9}", events.of(EventKind::Impact).len(), close[0].t);
        assert!(close.len() <= share && (close[0].t - same).abs() < 1e-7);
        let last = events.states.last().expect("a state");
        assert!((last.q[0] - 0.2).abs() < 1e-13 && last.v.iter().all(|v| v.abs() < 1e-13), "{name}: {last:?}");
    }
}

/// Random systems with springs, dampers, varying loads, moving walls, joints and two or three contacts: the run ends, the
/// account closes to the tolerance, nothing penetrates, and both methods agree while a motion can be followed.
#[test]
fn random_systems() {
    let mut dice = Dice(11);
    let (mut worst, mut impacts, mut persistent) = (0.0_f64, 0, 0);
    for case in 0..24 {
        let recipe = Recipe {
            walls_move: case % 2 == 0,
            joints: case % 3,
            contacts: (2, 3),
            restitution: (case % 4 == 0).then_some(0.0),
            ..Recipe::USUAL
        };
        let problem = random_problem(&mut dice, recipe);
        let events = run(&problem, &located(1e-10, "explicit"), 1e-2, 2.0);
        let model = &problem.model;
        for (state, entry) in events.states[1..].iter().zip(&events.ledger) {
            for i in 0..model.n_contacts() {
                worst = worst.max(-model.gap(i, &state.q, state.t));
            }
            assert!(entry.balance.abs() < 1e-8 * (1.0 + entry.energy()), "case {case}: {entry:?}");
        }
        let first = events.of(EventKind::Impact).first().map(|event| event.t);
        let stiff = run(&problem, &located(1e-10, "stiff"), 1e-2, 2.0);
        let again = stiff.of(EventKind::Impact).first().map(|event| event.t);
        if let (Some(a), Some(b)) = (first, again) {
            assert!((a - b).abs() < 1e-7, "case {case}: first impact at {a} and {b}");
        }
        impacts += events.of(EventKind::Impact).len();
        persistent += events.of(EventKind::Close).len();
    }
    println!("{impacts} impacts, {persistent} times persistent contact, deepest {worst:.1e}");
    assert!(impacts > 100 && persistent > 10 && worst < 1e-10);
}
