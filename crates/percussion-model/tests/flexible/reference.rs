//! Reference trajectories of `shared/reference/flexible`, made by an independent program: two hinged beams, a flexible slider-crank.

use crate::joints::{Joint, Row};
use crate::motion::Mover;
use crate::structure::{GROUND, Make, Node, PLAIN, Stop, Structure};
use percussion_model::bodies::Frame;
use percussion_model::bodies::math::mul;
use percussion_model::flexible::layout::{section_frame, straight};
use percussion_model::flexible::{Section, SectionShape, rotation};

/// The rows of a reference file; `None`, said so, where it is not there.
fn rows(name: &str) -> Option<Vec<Vec<f64>>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference/flexible/").to_string() + name;
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("{name} is not there: not compared");
        return None;
    };
    Some(text.lines().skip(1).map(|l| l.split(',').map(|x| x.parse().unwrap()).collect()).collect())
}

/// Largest differences of places, of the quaternion and of energies and works, over all rows.
fn compare(rows: &[Vec<f64>], every: usize, h: f64, mover: &mut Mover, points: &[usize], turned: usize) -> [f64; 3] {
    let mut worst = [0.0_f64; 3];
    for (k, row) in rows.iter().enumerate() {
        if k > 0 {
            (0..every).for_each(|_| mover.step(h, &[]));
        }
        assert!((mover.t - row[0]).abs() < 1e-9);
        for (i, &node) in points.iter().enumerate() {
            for c in 0..3 {
                worst[0] = worst[0].max((mover.s.nodes[node].frame.x[c] - row[1 + 3 * i + c]).abs());
            }
        }
        let at = 1 + 3 * points.len();
        let q = rotation::quaternion(&mover.s.nodes[turned].frame.R);
        for c in 0..4 {
            worst[1] = worst[1].max((q[c] - row[at + c]).abs());
        }
        let s = &mover.s;
        let energies = [s.kinetic(), s.elastic(), s.gravity_energy(), mover.work_damping, mover.work_contact];
        for (c, x) in energies.into_iter().enumerate() {
            worst[2] = worst[2].max((x - row[at + 4 + c]).abs());
        }
    }
    worst
}

/// Two beams of 8 elements on hinges about y and z, bending much, 500 steps of 2 ms: 1e-8 m over the whole span.
#[test]
fn double_pendulum() {
    let Some(rows) = rows("double.csv") else { return };
    let shape = SectionShape::Rectangle { width: 0.02, depth: 0.03 };
    let section = Section::of_shape(&shape, 1e8, 0.4, 1200.0).unwrap();
    let (n, L2, vy) = (8, 0.8, 1.5);
    let mut s = Structure { gravity: [0.0, 0.0, -9.81], ..Default::default() };
    let up = [0.0, 0.0, 1.0];
    s.add_node(Node::fixed(GROUND));
    let first = s.add_beam(&straight(&[0.0; 3], &[1.0, 0.0, 0.0], &up, n).unwrap(), &section, PLAIN);
    let frames = straight(&[1.0, 0.0, 0.0], &[1.0 + L2, 0.0, 0.0], &up, n).unwrap();
    let second = s.add_beam(&frames, &section, PLAIN);
    for &k in &second {
        s.nodes[k].twist.v = [0.0, vy * (s.nodes[k].frame.x[0] - 1.0) / L2, 0.0];
        s.nodes[k].twist.w = [0.0, 0.0, vy / L2];
    }
    let frame = |k: usize| &s.nodes[k].frame;
    let joints = vec![
        Joint::hinge([0, first[0]], [&GROUND, frame(first[0])], [0.0; 3], [0.0, 1.0, 0.0]),
        Joint::hinge([first[n], second[0]], [frame(first[n]), frame(second[0])], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
    ];
    s.joints = joints;
    let mut mover = Mover::new(s);
    let worst = compare(&rows, 5, 2e-3, &mut mover, &[first[n], second[n / 2], second[n]], second[n]);
    let iterations = mover.iterations as f64 / 500.0;
    println!("double: {worst:?}, joints {:e}, {iterations} iterations", mover.joint_error());
    assert!(worst[0] < 1e-8 && worst[1] < 1e-8 && worst[2] < 1e-8, "{worst:?}");
    assert!(mover.joint_error() < 1e-12);
}

/// A rigid crank, a rod of 8 elements and a slider that meets a stop twice, 600 steps of 0.25 ms: 1e-8 m over the whole span.
#[test]
fn slider_crank() {
    let Some(rows) = rows("crank.csv") else { return };
    let (angle, w, mc, ms) = (1.2_f64, -20.0, 0.2, 0.3);
    let pin = [0.1 * angle.cos(), 0.1 * angle.sin(), 0.0];
    let x = pin[0] + (0.09 - pin[1] * pin[1]).sqrt();
    let up = [0.0, 0.0, 1.0];
    let mut s = Structure { gravity: [0.0, -9.81, 0.0], ..Default::default() };
    s.add_node(Node::fixed(GROUND));
    let mut crank = Node::new(section_frame(&[0.5 * pin[0], 0.5 * pin[1], 0.0], &pin, &up).unwrap());
    let J = mc * 0.01 / 12.0;
    (crank.mass, crank.inertia) = (mc, crate::conservation::diagonal3([0.02 * J, J, J]));
    crank.twist.v = [-0.5 * w * pin[1], 0.5 * w * pin[0], 0.0];
    crank.twist.w = [0.0, 0.0, w];
    let crank = s.add_node(crank);

    // the rod turns as the mechanism demands
    let shape = SectionShape::Rectangle { width: 0.008, depth: 0.008 };
    let section = Section::of_shape(&shape, 2e9, 0.3, 1400.0).unwrap();
    let n = 8;
    let frames = straight(&pin, &[x, 0.0, 0.0], &up, n).unwrap();
    let rod = s.add_beam(&frames, &section, Make { damping: 1e-4, ..PLAIN });
    let turn = -w * pin[0] / (x - pin[0]);
    for &k in &rod {
        let d = [s.nodes[k].frame.x[0] - pin[0], s.nodes[k].frame.x[1] - pin[1]];
        s.nodes[k].twist.v = [-w * pin[1] - turn * d[1], w * pin[0] + turn * d[0], 0.0];
        s.nodes[k].twist.w = [0.0, 0.0, turn];
    }
    let mut slider = Node::new(Frame { x: [x, 0.0, 0.0], ..GROUND });
    (slider.mass, slider.inertia) = (ms, crate::conservation::diagonal3([1e-4 * ms; 3]));
    slider.twist.v = [-w * pin[1] + turn * pin[1], 0.0, 0.0];
    let slider = s.add_node(slider);

    let z = [0.0, 0.0, 1.0];
    let frame = |k: usize| &s.nodes[k].frame;
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let at = mul(&GROUND.R, &[x, 0.0, 0.0]);
    let mut guide: Vec<Row> = (1..3).map(|axis| Row::Point { axis, points: [at, [0.0; 3]] }).collect();
    guide.extend([(0, 1), (1, 2), (2, 0)].map(|(i, j)| Row::Dot { vectors: [axes[i], axes[j]] }));
    s.joints = vec![
        Joint::hinge([0, crank], [&GROUND, frame(crank)], [0.0; 3], z),
        Joint::hinge([crank, rod[0]], [frame(crank), frame(rod[0])], pin, z),
        Joint::hinge([rod[n], slider], [frame(rod[n]), frame(slider)], [x, 0.0, 0.0], z),
        Joint { nodes: [0, slider], rows: guide },
    ];
    s.stop = Some(Stop { node: slider, place: 0.385, restitution: 0.5 });
    let mut mover = Mover::new(s);
    let worst = compare(&rows, 6, 2.5e-4, &mut mover, &[rod[n / 2], slider], crank);
    let iterations = mover.iterations as f64 / 600.0;
    println!("crank: {worst:?}, joints {:e}, {iterations} iterations", mover.joint_error());
    assert!(worst[0] < 1e-8 && worst[1] < 1e-8 && worst[2] < 1e-8, "{worst:?}");
    assert!(mover.joint_error() < 1e-12 && mover.work_contact < 0.0);
}
