//! Lasting contacts against the detector and against differences.

use super::super::math::{normalised, rotation, turned};
use super::super::{BodyParts, Detector, Materials, Motion, PairLaw, SceneParts};
use super::*;

/// A reproducible number in [−1, 1).
fn dice(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn scene(planar: bool, shapes: &[Shape]) -> Bodies {
    let floor = BodyParts { name: "floor".into(), shape: Shape::plane(), motion: Motion::Fixed, ..Default::default() };
    let mut bodies = vec![floor];
    for (i, shape) in shapes.iter().enumerate() {
        bodies.push(BodyParts { name: format!("{i}"), shape: shape.clone(), ..Default::default() });
    }
    Bodies::new(SceneParts {
        planar,
        gravity: [0.0; 3],
        bodies,
        materials: Materials::uniform(PairLaw::default()).unwrap(),
        springs: Vec::new(),
        joints: Vec::new(),
        no_contact: Vec::new(),
        flexible: Default::default(),
    })
    .unwrap()
}

fn shapes(planar: bool) -> Vec<Vec<Shape>> {
    let ball = Shape::sphere(0.2);
    let brick = Shape::cuboid([0.4, 0.3, 0.2]);
    if planar {
        let points = vec![[0.0, 0.0], [0.3, 0.0], [0.1, 0.4]];
        return vec![vec![ball.clone(), Shape::sphere(0.1)], vec![brick], vec![Shape::polygon(points)]];
    }
    let points = vec![[0.0; 3], [0.3, 0.0, 0.0], [0.0, 0.4, 0.0], [0.1, 0.1, 0.5]];
    vec![vec![ball, Shape::sphere(0.3)], vec![brick], vec![Shape::capsule(0.1, 0.5)], vec![Shape::hull(points)]]
}

fn random_frame(planar: bool, seed: &mut u64) -> Frame {
    let mut x: Vec3 = std::array::from_fn(|_| dice(seed));
    let mut q = normalised(&std::array::from_fn(|_| dice(seed)));
    if planar {
        x[2] = 0.0;
        q = normalised(&[q[0], 0.0, 0.0, q[3]]);
    }
    Frame { x, q, R: rotation(&q) }
}

fn random_twist(planar: bool, seed: &mut u64) -> Twist {
    let (mut v, mut w): (Vec3, Vec3) = (std::array::from_fn(|_| dice(seed)), std::array::from_fn(|_| 3.0 * dice(seed)));
    if planar {
        (v[2], w[0], w[1]) = (0.0, 0.0, 0.0);
    }
    Twist { v, w }
}

/// After a time t with constant velocity and spin.
fn moved(frame: &Frame, twist: &Twist, t: f64) -> Frame {
    let w = norm(&twist.w);
    let turn = scale(2.0 * (0.5 * w * t).tan() / w, &twist.w);
    let q = turned(&frame.q, &turn);
    Frame { x: axpy(&frame.x, t, &twist.v), q, R: rotation(&q) }
}

/// Identities, bodies, gaps, normals and arms are the detector's, to round-off.
#[test]
fn agrees_with_the_detector() {
    let mut seed = 5;
    for planar in [false, true] {
        for shapes in shapes(planar) {
            let scene = scene(planar, &shapes);
            let contacts = scene.lasting_contacts().unwrap();
            for _ in 0..20 {
                let frames: Vec<Frame> = (0..scene.len()).map(|_| random_frame(planar, &mut seed)).collect();
                let mut detector = Detector::default();
                let found = detector.detect(&scene, &frames, &vec![1e3; scene.len()]);
                assert_eq!(found.len(), contacts.len());
                for (ours, theirs) in contacts.iter().zip(found) {
                    let [a, b] = ours.bodies;
                    assert_eq!((ours.id, ours.bodies), (theirs.id, theirs.bodies));
                    assert!((ours.gap(&frames[a], &frames[b]) - theirs.gap).abs() < 1e-14);
                    let still = Twist::default();
                    let view = ours.view(planar, (&frames[a], &still), (&frames[b], &still));
                    assert!(norm(&sub(&view.directions[0], &theirs.normal)) < 1e-14);
                    for side in 0..2 {
                        assert!(norm(&sub(&view.arms[side], &theirs.arms[side])) < 1e-14);
                    }
                }
            }
        }
    }
}

/// ġ and u̇_k along motions with constant velocity and spin, against central differences over 1e-5 s: 1e-7 is their error.
#[test]
fn rates_and_drifts_are_derivatives() {
    let mut seed = 8;
    let h = 1e-5;
    for planar in [false, true] {
        for shapes in shapes(planar) {
            let scene = scene(planar, &shapes);
            for contact in scene.lasting_contacts().unwrap() {
                let (a, b) = (random_frame(planar, &mut seed), random_frame(planar, &mut seed));
                let (s, t) = (random_twist(planar, &mut seed), random_twist(planar, &mut seed));
                let at = |time: f64| (moved(&a, &s, time), moved(&b, &t, time));
                let view = |time: f64| {
                    let (a, b) = at(time);
                    contact.view(planar, (&a, &s), (&b, &t))
                };
                let gap = |time: f64| {
                    let (a, b) = at(time);
                    contact.gap(&a, &b)
                };
                let now = view(0.0);
                let rate = (gap(h) - gap(-h)) / (2.0 * h);
                assert!((rate - now.rate(0)).abs() < 1e-8, "{contact:?}: {rate} {}", now.rate(0));
                for k in 0..if planar { 2 } else { 3 } {
                    let slope = (view(h).rate(k) - view(-h).rate(k)) / (2.0 * h);
                    assert!((slope - now.drift(k)).abs() < 1e-7, "{contact:?} {k}: {slope} {}", now.drift(k));
                }
            }
        }
    }
}

/// Pairs without a lasting gap are named.
#[test]
fn other_pairs_are_named() {
    let brick = Shape::cuboid([0.4, 0.3, 0.2]);
    assert_eq!(scene(false, &[brick.clone(), brick]).lasting_contacts(), Err([1, 2]));
    assert_eq!(scene(false, &[Shape::cylinder(0.1, 0.2)]).lasting_contacts(), Err([0, 1]));
}
