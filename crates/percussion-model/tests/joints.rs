//! Measures of joints: gradients against differences, and the identity over a finite step.

use percussion_model::bodies::Frame;
use percussion_model::bodies::math::{Vec3, norm, normalised, rotation, scale, turned};
use percussion_model::bodies::measure::{BodyRow, Measure, Passage};

fn dice(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn vector(seed: &mut u64) -> Vec3 {
    std::array::from_fn(|_| dice(seed))
}

fn unit(seed: &mut u64) -> Vec3 {
    let x = vector(seed);
    scale(1.0 / norm(&x), &x)
}

fn frame(x: Vec3, q: [f64; 4]) -> Frame {
    Frame { x, q, R: rotation(&q) }
}

/// x + v, R cay(w).
fn moved(f: &Frame, d: &BodyRow) -> Frame {
    frame(std::array::from_fn(|k| f.x[k] + d[k]), turned(&f.q, &[d[3], d[4], d[5]]))
}

fn measures(seed: &mut u64) -> Vec<Measure> {
    let points = [vector(seed), vector(seed)];
    vec![
        Measure::Point { axis: 1, points },
        Measure::Dot { vectors: [unit(seed), unit(seed)] },
        Measure::Along { direction: unit(seed), points },
        Measure::Length { points },
    ]
}

/// ∂c/∂(x, ψ) agrees with central differences along Cayley's map, 1e-9 for differences of 1e-5.
#[test]
fn gradients_agree_with_differences() {
    let mut seed = 5;
    for _ in 0..50 {
        let frames: [Frame; 2] =
            std::array::from_fn(|_| frame(vector(&mut seed), normalised(&std::array::from_fn(|_| dice(&mut seed)))));
        for measure in measures(&mut seed) {
            let gradient = measure.gradient(&frames[0], &frames[1]);
            for side in 0..2 {
                for k in 0..6 {
                    let value = |step: f64| {
                        let mut d = [0.0; 6];
                        d[k] = step;
                        let mut at = frames;
                        at[side] = moved(&frames[side], &d);
                        measure.value(&at[0], &at[1])
                    };
                    let difference = (value(1e-5) - value(-1e-5)) / 2e-5;
                    assert!((difference - gradient[side][k]).abs() < 1e-8, "{measure:?} {side} {k}");
                }
            }
        }
    }
}

/// c₁ − c₀ = D·(motion) for motions of any size, in space and in the plane: reactions of a joint that holds do no work.
#[test]
fn rows_are_exact_over_a_step() {
    let mut seed = 9;
    for case in 0..200 {
        let planar = case % 2 == 0;
        let flat = |x: Vec3| if planar { [x[0], x[1], 0.0] } else { x };
        let mut starts = Vec::new();
        let mut passages = Vec::new();
        let mut motions = Vec::new();
        for _ in 0..2 {
            let angle = 3.0 * dice(&mut seed);
            let x = flat(vector(&mut seed));
            let q = if planar {
                [(0.5 * angle).cos(), 0.0, 0.0, (0.5 * angle).sin()]
            } else {
                normalised(&std::array::from_fn(|_| dice(&mut seed)))
            };
            let start = frame(x, q);
            let (v, w) = (flat(vector(&mut seed)), scale(1.5, &vector(&mut seed)));
            let w = if planar { [0.0, 0.0, w[2]] } else { w };
            let motion = [v[0], v[1], v[2], w[0], w[1], w[2]];
            let end = if planar {
                // θ₁ = θ₀ + 2 atan(h w/2)
                let half = 0.5 * angle + (0.5 * w[2]).atan();
                frame(std::array::from_fn(|k| x[k] + v[k]), [half.cos(), 0.0, 0.0, half.sin()])
            } else {
                moved(&start, &motion)
            };
            passages.push(Passage::new(&start, &end, &w));
            starts.push((start, end));
            motions.push(motion);
        }
        for measure in measures(&mut seed) {
            let measure = match measure {
                Measure::Point { points, .. } => Measure::Point { axis: 1, points: points.map(flat) },
                Measure::Dot { vectors } => Measure::Dot { vectors: vectors.map(flat) },
                Measure::Along { direction, points } => {
                    Measure::Along { direction: flat(direction), points: points.map(flat) }
                }
                Measure::Length { points } => Measure::Length { points: points.map(flat) },
                other => other,
            };
            let row = measure.row(&passages[0], &passages[1]);
            let work: f64 =
                (0..2).flat_map(|s| (0..6).map(move |k| (s, k))).map(|(s, k)| row.rows[s][k] * motions[s][k]).sum();
            let change = measure.value(&starts[0].1, &starts[1].1) - measure.value(&starts[0].0, &starts[1].0);
            assert!((work - change).abs() < 1e-14, "case {case} {measure:?}: {work} {change}");
        }
    }
}

/// The angle of a hinge is exact about an axis that tumbles, and about axes that have come apart; its couple is one for both bodies.
#[test]
fn angles_are_exact_about_axes_that_tumble() {
    let mut seed = 5;
    for case in 0..200 {
        let z = unit(&mut seed);
        let across = percussion_model::bodies::math::tangents(&z)[0];
        let measure = Measure::Angle { axes: [z; 2], across: [across; 2] };
        let starts: [_; 2] =
            std::array::from_fn(|_| frame([0.0; 3], normalised(&std::array::from_fn(|_| dice(&mut seed)))));
        // hardly apart, or anywhere
        let starts = if case % 2 == 0 { [starts[0], starts[0]] } else { starts };
        let turns: [Vec3; 2] = std::array::from_fn(|_| std::array::from_fn(|_| 0.7 * dice(&mut seed)));
        let ends = [0, 1].map(|i| moved(&starts[i], &[0.0, 0.0, 0.0, turns[i][0], turns[i][1], turns[i][2]]));
        let passages = [0, 1].map(|i| {
            let way = Passage::new(&starts[i], &ends[i], &turns[i]);
            // of isotropic inertia
            if (case / 2) % 2 == i { way.in_the_world() } else { way }
        });
        let row = measure.row(&passages[0], &passages[1]);
        let work: f64 = (0..2).map(|s| (0..3).map(|k| row.rows[s][3 + k] * turns[s][k]).sum::<f64>()).sum();
        let c0 = measure.value(&starts[0], &starts[1]);
        let change = measure.value_after(c0, &ends[0], &ends[1]) - c0;
        assert!(
            (work - change).abs() < 1e-13 * (1.0 + row.rows[0].iter().map(|x| x.abs()).sum::<f64>()),
            "case {case}: {work} {change}"
        );
        let couples = [0, 1].map(|s| passages[s].spatial(&[row.rows[s][3], row.rows[s][4], row.rows[s][5]]));
        for k in 0..3 {
            let size = couples[0].iter().map(|x| x.abs()).sum::<f64>();
            assert!((couples[0][k] + couples[1][k]).abs() <= 1e-14 * (1.0 + size), "case {case}: {couples:?}");
        }
    }
}

/// Components of a rotation vector are exact over a step, their couple is one for both bodies, and where nothing else has turned they are the angle.
#[test]
fn rotation_vectors_are_exact() {
    let mut seed = 8;
    for case in 0..200 {
        // hardly apart, or by up to two radians
        let apart = if case % 2 == 0 { 1e-5 } else { 0.8 };
        let a = frame([0.0; 3], normalised(&std::array::from_fn(|_| dice(&mut seed))));
        let of = |size: f64, seed: &mut u64| -> Vec3 { std::array::from_fn(|_| size * dice(seed)) };
        let between = of(apart, &mut seed);
        let b = moved(&a, &[0.0, 0.0, 0.0, between[0], between[1], between[2]]);
        let turns = [of(0.5, &mut seed), of(0.5, &mut seed)];
        let starts = [a, b];
        let ends = [0, 1].map(|i| moved(&starts[i], &[0.0, 0.0, 0.0, turns[i][0], turns[i][1], turns[i][2]]));
        let passages = [0, 1].map(|i| Passage::new(&starts[i], &ends[i], &turns[i]));
        for axis in 0..3 {
            let measure = Measure::Turn { axis };
            let row = measure.row(&passages[0], &passages[1]);
            let work: f64 = (0..2).map(|s| (0..3).map(|k| row.rows[s][3 + k] * turns[s][k]).sum::<f64>()).sum();
            let change = measure.value(&ends[0], &ends[1]) - measure.value(&a, &b);
            assert!((work - change).abs() < 1e-13, "case {case}: {work} {change}");
            let couples = [0, 1].map(|s| passages[s].spatial(&[row.rows[s][3], row.rows[s][4], row.rows[s][5]]));
            assert!((0..3).all(|k| (couples[0][k] + couples[1][k]).abs() < 1e-14), "case {case}: {couples:?}");
            // Cayley's vector 2 tan(φ/2) n of the way from one to the other
            let size = between.iter().map(|x| x * x).sum::<f64>().sqrt();
            let angle = 2.0 * (0.5 * size).atan() * between[axis] / size;
            assert!((measure.value(&a, &b) - angle).abs() < 1e-14, "case {case}");
        }
    }
}

/// The same while both bodies turn about its axis, by Cayley's map.
#[test]
fn angles_are_exact_about_a_fixed_axis() {
    let mut seed = 3;
    for _ in 0..100 {
        let (z, q) = (unit(&mut seed), normalised(&std::array::from_fn(|_| dice(&mut seed))));
        let across = percussion_model::bodies::math::tangents(&z)[0];
        let measure = Measure::Angle { axes: [z; 2], across: [across; 2] };
        let turns = [2.0 * dice(&mut seed), 2.0 * dice(&mut seed)];
        let start = frame([0.0; 3], q);
        let ends = turns.map(|w| moved(&start, &[0.0, 0.0, 0.0, w * z[0], w * z[1], w * z[2]]));
        let passages = [0, 1].map(|i| Passage::new(&start, &ends[i], &scale(turns[i], &z)));
        let row = measure.row(&passages[0], &passages[1]);
        let work: f64 = (0..2).map(|s| (0..3).map(|k| row.rows[s][3 + k] * turns[s] * z[k]).sum::<f64>()).sum();
        let change = measure.value_after(0.0, &ends[0], &ends[1]);
        assert!((work - change).abs() < 1e-14, "{work} {change}");
    }
}

/// Rows of stops, journals and slots are the rates of their gaps, in the plane and in space.
#[test]
fn rows_of_joint_contacts_are_rates_of_gaps() {
    use percussion_model::bodies::{
        Bodies, BodyParts, JointKind, JointParts, Journal, Materials, Matter, PairLaw, SceneParts, Slot, Twist,
    };
    let mut seed = 21;
    let mut checked = 0;
    for planar in [true, false] {
        let inertia = percussion_model::bodies::math::IDENTITY;
        let body = |name: &str, position: Vec3| BodyParts {
            name: name.into(),
            matter: Matter::Given { mass: 1.0, inertia },
            position,
            ..Default::default()
        };
        let slide = if planar { [0.6, 0.8, 0.0] } else { [0.36, 0.48, 0.8] };
        let joint = |name: &str, kind, axis| JointParts { name: name.into(), kind, axis, ..Default::default() };
        let journal = JointKind::Journal(Journal { radius: 0.1, clearance: 0.3, length: 0.4 });
        let slot = JointKind::Slot(Slot { radius: 0.1, clearance: 0.3, length: 0.4 });
        let mut joints = vec![joint("journal", journal, [0.0, 0.0, 1.0]), joint("slot", slot, slide)];
        for (name, kind, axis) in
            [("hinge", JointKind::Revolute, [0.0, 0.0, 1.0]), ("rail", JointKind::Prismatic, slide)]
        {
            joints.push(JointParts { limits: Some([-2.0, 2.0]), ..joint(name, kind, axis) });
        }
        let parts = SceneParts {
            planar,
            gravity: [0.0; 3],
            bodies: vec![body("a", [0.1, 0.2, 0.0]), body("b", [0.3, -0.1, 0.0])],
            materials: Materials::uniform(PairLaw::default()).unwrap(),
            springs: Vec::new(),
            joints,
            no_contact: Vec::new(),
            flexible: Default::default(),
        };
        let scene = Bodies::new(parts).unwrap();
        for _ in 0..20 {
            let mut q = scene.q0().to_vec();
            let from = q.clone();
            // turns are kept small: a stop about an axis that has tilted away is no longer one
            for i in 0..2 {
                let v: Vec3 = std::array::from_fn(|k| if planar && k == 2 { 0.0 } else { 0.2 * dice(&mut seed) });
                let w = [0.0, 0.0, 0.5 * dice(&mut seed)];
                scene.advance(i, &from, 1.0, &Twist { v, w }, &mut q);
            }
            let twists: Vec<Twist> = (0..2)
                .map(|_| Twist {
                    v: std::array::from_fn(|k| if planar && k == 2 { 0.0 } else { dice(&mut seed) }),
                    w: [0.0, 0.0, dice(&mut seed)],
                })
                .collect();
            let gaps = |h: f64| {
                let mut at = q.clone();
                for i in 0..2 {
                    scene.advance(i, &q, h, &twists[i], &mut at);
                }
                let frames: Vec<Frame> = (0..2).map(|i| scene.frame(i, &at)).collect();
                let mut touches = Vec::new();
                scene.joint_touches(&frames, &[], &mut touches);
                touches
            };
            let (before, now, after) = (gaps(-1e-6), gaps(0.0), gaps(1e-6));
            for ((b, c), a) in before.iter().zip(&now).zip(&after) {
                let rate: f64 = (0..2)
                    .map(|s| {
                        let (row, t) = (&c.rows[0][s], &twists[s]);
                        (0..3).map(|k| row[k] * t.v[k] + row[3 + k] * t.w[k]).sum::<f64>()
                    })
                    .sum();
                assert!(
                    ((a.gap - b.gap) / 2e-6 - rate).abs() < 1e-7,
                    "{planar} {:?}: {} {rate}",
                    c.id,
                    (a.gap - b.gap) / 2e-6
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 300, "{checked}");
}
