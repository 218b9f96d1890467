//! Contacts found by several threads are those found by one, in the same order and to the bit.

use percussion_model::bodies::{
    Bodies, BodyParts, Detector, Frame, Materials, Matter, Motion, PairLaw, SceneParts, Shape,
};

/// Balls, boxes and capsules strewn over a floor, many of them overlapping.
fn strewn(n: usize) -> Bodies {
    let mut seed = 9_u64;
    let mut dice = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut bodies =
        vec![BodyParts { name: "floor".into(), shape: Shape::plane(), motion: Motion::Fixed, ..Default::default() }];
    for i in 0..n {
        let shape = match i % 3 {
            0 => Shape::sphere(0.1),
            1 => Shape::cuboid([0.2, 0.15, 0.1]),
            _ => Shape::capsule(0.07, 0.1),
        };
        bodies.push(BodyParts {
            name: format!("body {i}"),
            shape,
            matter: Matter::Density(1000.0),
            position: [3.0 * dice(), 3.0 * dice(), 0.05 + dice()],
            ..Default::default()
        });
    }
    let materials = Materials::uniform(PairLaw::default()).expect("a law");
    let (springs, joints, no_contact) = (Vec::new(), Vec::new(), Vec::new());
    let parts = SceneParts {
        planar: false,
        gravity: [0.0; 3],
        bodies,
        materials,
        springs,
        joints,
        no_contact,
        flexible: Default::default(),
    };
    Bodies::new(parts).expect("a scene")
}

#[test]
fn threads_find_the_same_contacts() {
    let scene = strewn(2200);
    let q = scene.q0();
    let frames: Vec<Frame> = (0..scene.len()).map(|i| scene.frame(i, q)).collect();
    let margins = vec![0.01; scene.len()];
    let alone = Detector::default().detect(&scene, &frames, &margins).to_vec();
    assert!(alone.len() > 5000 && alone.windows(2).all(|c| c[0].id < c[1].id), "{}", alone.len());
    for threads in [2, 3, 4] {
        let mut detector = Detector::default();
        detector.threads = threads;
        for _ in 0..2 {
            assert!(detector.detect(&scene, &frames, &margins) == alone, "{threads} threads");
        }
    }
}
