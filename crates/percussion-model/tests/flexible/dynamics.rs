//! Motions against published numbers and against another program's geometrically exact beam.

use crate::conservation::{diagonal3, spaghetti, throw};
use crate::joints::Joint;
use crate::motion::Mover;
use crate::structure::{GROUND, Load, Make, Motion, Node, PLAIN, Structure};
use percussion_model::bodies::math::{Vec3, norm, sub};
use percussion_model::flexible::layout::straight;
use percussion_model::flexible::{Section, diagonal6};
use std::f64::consts::PI;

/// A rod of 1 m on a spherical joint, swinging in space.
pub fn pendulum(elements: usize) -> Mover {
    let C = diagonal6(&[1e5, 4e4, 4e4, 8.0, 10.0, 20.0]);
    let section = Section::new(C, 1.0, diagonal3([3e-4, 1e-4, 2e-4])).unwrap();
    let mut s = Structure { gravity: [0.0, 0.0, -9.81], ..Default::default() };
    s.add_node(Node::fixed(GROUND));
    let frames = straight(&[0.0; 3], &[1.0, 0.0, 0.0], &[0.0, 0.0, 1.0], elements).unwrap();
    let nodes = s.add_beam(&frames, &section, PLAIN);
    for &k in &nodes {
        s.nodes[k].twist.v = [0.0, 2.0 * s.nodes[k].frame.x[0], 0.0];
        s.nodes[k].twist.w = [0.0, 0.0, 2.0];
    }
    s.joints.push(Joint::spherical([0, nodes[0]], [&GROUND, &frames[0]], [0.0; 3]));
    Mover::new(s)
}

fn tip_after(elements: usize, h: f64, steps: usize) -> (Vec3, Mover) {
    let mut mover = pendulum(elements);
    for _ in 0..steps {
        mover.step(h, &[]);
    }
    (mover.s.nodes.last().unwrap().frame.x, mover)
}

/// The pendulum of 8, 16 and 32 elements after 0.5 s: six digits of an independent program, energy and joint to round-off.
#[test]
fn pendulum_in_space() {
    for (n, expected) in [
        (8, [-0.283425, 0.248732, -0.926310]),
        (16, [-0.283588, 0.248629, -0.926287]),
        (32, [-0.283715, 0.248486, -0.926286]),
    ] {
        let start = pendulum(n).s.energy();
        let (x, mover) = tip_after(n, 1e-3, 500);
        let iterations = mover.iterations as f64 / 500.0;
        println!("pendulum {n}: {x:?}, ΔE {:e}, {iterations} iterations", mover.s.energy() - start);
        assert!((0..3).all(|k| (x[k] - expected[k]).abs() < 1.5e-6), "{x:?}");
        assert!((mover.s.energy() - start).abs() < 1e-11 && mover.joint_error() < 1e-12);
    }
}

/// Order 2 in the step for the thrown beam of 8 elements at 6 s: differences of halved steps shrink by four.
#[test]
fn order_two_in_the_step() {
    let end = |h: f64| {
        let mut mover = spaghetti(8, PLAIN);
        throw(&mut mover, h);
        while mover.t < 6.0 - 0.5 * h {
            mover.step(h, &[]);
        }
        mover.s.nodes[0].frame.x
    };
    let [a, b, c, d] = [0.05, 0.025, 0.0125, 0.00625].map(end);
    let orders = [[a, b, c], [b, c, d]].map(|[a, b, c]| (norm(&sub(&a, &b)) / norm(&sub(&b, &c))).log2());
    println!("orders in h: {orders:?}");
    assert!(orders.iter().all(|order| (1.9..2.1).contains(order)), "{orders:?}");
}

/// Order 2 in the mesh for the thrown beam: distances to 32 elements over first, middle and last node at 6 s, h = 0.05.
#[test]
fn spaghetti_converges_in_the_mesh() {
    let ends = |n: usize| {
        let mut mover = spaghetti(n, PLAIN);
        throw(&mut mover, 0.05);
        for _ in 0..20 {
            mover.step(0.05, &[]);
        }
        [0, n / 2, n].map(|k| mover.s.nodes[k].frame.x)
    };
    let fine = ends(32);
    let distance = |n: usize| {
        let coarse = ends(n);
        (0..3).map(|k| norm(&sub(&coarse[k], &fine[k])).powi(2)).sum::<f64>().sqrt()
    };
    let d = [4, 8, 16].map(distance);
    println!("spaghetti: {d:?}");
    for (got, expected) in d.iter().zip([0.33, 0.095, 0.019]) {
        assert!((got - expected).abs() < 0.06 * expected, "{d:?}");
    }
}

fn spin(t: f64) -> f64 {
    if t < 15.0 {
        0.4 * (0.5 * t * t + (15.0 / (2.0 * PI)).powi(2) * ((2.0 * PI * t / 15.0).cos() - 1.0))
    } else {
        6.0 * t - 45.0
    }
}

/// Kane, Ryan and Banerjee's spin-up (1987): the end lags by 0.5735 m and, once turning steadily at 6 rad/s, is stretched by
/// ρAΩ²L³/3EA = 5.143e-4 m.
#[test]
fn spin_up() {
    let C = [2.8e7, 1e7, 1e7, 1.4e4, 1.4e4, 1.4e4];
    let section = Section::new(diagonal6(&C), 1.2, diagonal3([1.2e-3, 6e-4, 6e-4])).unwrap();
    let mut s = Structure::default();
    let frames = straight(&[0.0; 3], &[10.0, 0.0, 0.0], &[0.0, 0.0, 1.0], 16).unwrap();
    let nodes = s.add_beam(&frames, &section, PLAIN);
    s.nodes[0].motion = Motion::Turning(spin);
    let mut mover = Mover::new(s);
    mover.tolerance = 1e-10;
    let (mut lag, mut stretch, mut count) = (0.0_f64, 0.0, 0);
    for _ in 0..1600 {
        mover.step(0.0125, &[]);
        let (sin, cos) = spin(mover.t).sin_cos();
        let x = mover.s.nodes[*nodes.last().unwrap()].frame.x;
        lag = lag.min(cos * x[1] - sin * x[0]);
        if mover.t > 15.0 {
            stretch += cos * x[0] + sin * x[1] - 10.0;
            count += 1;
        }
    }
    let mean = stretch / f64::from(count);
    println!("spin-up: {lag}, {mean:e}");
    assert!((lag + 0.5735).abs() < 5e-4 && (mean - 5.144e-4).abs() < 2e-6, "{lag} {mean:e}");
}

/// The right-angled cantilever of Simo and Vu-Quoc (1988): both legs share the elbow's frame, the second leg's section is turned.
#[test]
fn right_angle() {
    let C = [1e6, 1e6, 1e6, 1e3, 1e3, 1e3];
    let section = Section::new(diagonal6(&C), 1.0, diagonal3([20.0, 10.0, 10.0])).unwrap();
    let across = section.turned(&[[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
    let mut s = Structure::default();
    let n = 10;
    let frames = straight(&[0.0; 3], &[10.0, 0.0, 0.0], &[0.0, 0.0, 1.0], n).unwrap();
    let nodes = s.add_beam(&frames, &section, PLAIN);
    s.nodes[0].motion = Motion::Fixed;
    let elbow = *nodes.last().unwrap();
    let mut last = elbow;
    for k in 1..=n {
        let mut frame = frames[n];
        frame.x = [10.0, k as f64, 0.0];
        let next = s.add_node(Node::new(frame));
        s.connect([last, next], &across, PLAIN);
        last = next;
    }
    let mut mover = Mover::new(s);
    mover.tolerance = 1e-10;
    let h = 0.0625;
    let (mut at_elbow, mut at_tip) = ([0.0_f64; 2], [0.0_f64; 2]);
    for _ in 0..480 {
        let t = mover.t + 0.5 * h;
        let force = if t < 1.0 { 50.0 * t } else { (50.0 * (2.0 - t)).max(0.0) };
        mover.step(h, &[Load { node: elbow, force: [0.0, 0.0, force], moment: [0.0; 3] }]);
        for (k, range) in [(elbow, &mut at_elbow), (last, &mut at_tip)] {
            let z = mover.s.nodes[k].frame.x[2];
            *range = [range[0].min(z), range[1].max(z)];
        }
    }
    println!("right angle: {at_elbow:?} {at_tip:?}, {} iterations", mover.iterations as f64 / 480.0);
    for (got, expected) in at_elbow.iter().chain(&at_tip).zip([-4.06, 6.11, -9.73, 8.23]) {
        assert!((got - expected).abs() < 0.01, "{at_elbow:?} {at_tip:?}");
    }
}

/// A pendulum held by one bushing instead of a joint, stiff and damped, keeps its balance of energy.
#[test]
fn bushing_holds_a_pendulum() {
    use percussion_model::flexible::{Bushing, Element, ElementMass};
    let mut mover = pendulum(6);
    let mut s = mover.s.clone();
    s.joints.clear();
    let frames = [s.nodes[0].frame, s.nodes[1].frame];
    let C = diagonal6(&[1e5, 1e5, 1e5, 0.0, 0.0, 0.0]);
    let bushing = Bushing::at_anchor(&frames[0], &frames[1], &[0.0; 3], C, Some(C.map(|row| row.map(|x| 1e-4 * x))));
    let link = crate::structure::Link {
        nodes: [0, 1],
        element: Element::Bushing(bushing),
        mass: ElementMass::default(),
        stress: [0.0; 6],
    };
    s.links.push(link);
    let start = s.energy();
    let mut held = Mover::new(s);
    for _ in 0..300 {
        held.step(1e-3, &[]);
        mover.step(1e-3, &[]);
        assert!((held.s.energy() - start - held.work_damping).abs() < 1e-11);
    }
    let tips = [&held, &mover].map(|m| m.s.nodes.last().unwrap().frame.x);
    assert!(norm(&sub(&tips[0], &tips[1])) < 2e-3 && held.work_damping < -1e-6, "{tips:?}");
}

/// A net of cables thrown with slack in it: energy and momenta to round-off while cables go slack and taut.
#[test]
fn cables_slack_and_taut() {
    use percussion_model::flexible::{Cable, Element, ElementMass};
    let mut s = Structure::default();
    for k in 0..6 {
        let mut node = Node::new(GROUND);
        node.frame.x = [0.5 * f64::from(k), 0.1 * f64::from(k * k % 5), 0.0];
        node.mass = 0.3;
        node.inertia = diagonal3([0.01, 0.02, 0.03]);
        node.twist.v = [f64::from((k * 7) % 5) - 2.0, f64::from((k * 3) % 4) - 1.5, f64::from(k % 2)];
        s.add_node(node);
    }
    for k in 0..5 {
        let points = [[0.05, 0.0, 0.02], [-0.05, 0.01, 0.0]];
        let element = Element::Cable(Cable { length: 0.55, axial: 200.0, points, at_end: false });
        s.links.push(crate::structure::Link {
            nodes: [k, k + 1],
            element,
            mass: ElementMass::default(),
            stress: [0.0; 6],
        });
    }
    let (E, (P, H)) = (s.energy(), s.momenta());
    let mut mover = Mover::new(s);
    mover.tolerance = 1e-13;
    let mut slack = [0, 0];
    for _ in 0..1000 {
        mover.step(5e-3, &[]);
        slack[usize::from(mover.s.links[2].stress[0] > 0.0)] += 1;
    }
    let (p, l) = mover.s.momenta();
    let off = [(mover.s.energy() - E) / E, norm(&sub(&p, &P)), norm(&sub(&l, &H))];
    println!("cables: {off:?}, slack {slack:?}");
    assert!(off.iter().all(|x| x.abs() < 1e-11) && slack.iter().all(|&n| n > 50), "{off:?} {slack:?}");
}

/// Make a beam of n or 2n elements, or read it from its other end: the same motion to its order.
#[test]
fn reversed_beam_moves_alike() {
    let make = |from: Vec3, to: Vec3| {
        let section = Section::new(diagonal6(&[1e4, 8e3, 8e3, 30.0, 20.0, 20.0]), 1.0, diagonal3([0.02, 0.01, 0.01]));
        let mut s = Structure { gravity: [0.0, 0.0, -9.81], ..Default::default() };
        let frames = straight(&from, &to, &[0.0, 0.0, 1.0], 8).unwrap();
        let nodes = s.add_beam(&frames, &section.unwrap(), Make { residual: true, damping: 1e-3, ..PLAIN });
        let clamped = nodes.iter().position(|&k| norm(&s.nodes[k].frame.x) < 1e-12).unwrap();
        s.nodes[clamped].motion = Motion::Fixed;
        let mut mover = Mover::new(s);
        (0..200).for_each(|_| mover.step(5e-3, &[]));
        let far = |n: &&Node| n.is_free();
        let mut places: Vec<Vec3> = mover.s.nodes.iter().filter(far).map(|n| n.frame.x).collect();
        places.sort_by(|a, b| a[0].total_cmp(&b[0]));
        places
    };
    let (there, back) = (make([0.0; 3], [1.0, 0.0, 0.0]), make([1.0, 0.0, 0.0], [0.0; 3]));
    for (a, b) in there.iter().zip(&back) {
        assert!(norm(&sub(a, b)) < 1e-10, "{a:?} {b:?}");
    }
}
