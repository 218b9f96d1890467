//! Identities of single elements on random frames: work, momentum, objectivity, tangent.

use percussion_model::bodies::Frame;
use percussion_model::bodies::math::{Mat3, Vec3, add, cross, mul, mul_mat, norm, scale, sub};
use percussion_model::bodies::measure::{BodyRow, Passage};
use percussion_model::flexible::blocks::{Mat6, product_t};
use percussion_model::flexible::rigid_motion::RigidMotion;
use percussion_model::flexible::{BeamElement, Bushing, Cable, Element, Seat, StrainMeasure, cayley, rotation};

/// A linear congruential generator.
pub struct Dice(u64);

impl Dice {
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> Vec3 {
        std::array::from_fn(|_| self.number())
    }

    fn rotation(&mut self) -> Mat3 {
        rotation::exp(&scale(2.0, &self.vector()))
    }

    fn frame(&mut self) -> Frame {
        let R = self.rotation();
        Frame { x: self.vector(), q: rotation::quaternion(&R), R }
    }

    /// AᵀA + 1.
    fn positive(&mut self) -> Mat6 {
        let A: Mat6 = std::array::from_fn(|_| std::array::from_fn(|_| self.number()));
        let mut C = product_t(&A, &A);
        (0..6).for_each(|k| C[k][k] += 1.0);
        C
    }
}

struct Case {
    element: Element,
    passages: [Passage; 2],
    turns: [Vec3; 2],
}

const H: f64 = 0.3;

/// A random element whose ends turn by `bend` against each other, and a step in which each moves by `size`.
fn case(dice: &mut Dice, kind: usize, size: f64, bend: f64, viscous: bool) -> Case {
    let a = dice.frame();
    let b = RigidMotion::exp(&add(&[1.0, 0.0, 0.0], &scale(0.3, &dice.vector())), &scale(bend, &dice.vector()))
        .from_frame(&a);
    let measures = [StrainMeasure::Se3, StrainMeasure::Cayley, StrainMeasure::Director];
    let viscosity = viscous.then(|| dice.positive());
    let beam = |dice: &mut Dice, measure: StrainMeasure| BeamElement {
        measure,
        length: 0.8,
        stiffness: dice.positive(),
        viscosity,
        rest: std::array::from_fn(|k| if k == 0 { 1.1 } else { 0.2 * dice.number() }),
    };
    let element = match kind {
        0..3 => Element::Beam(beam(dice, measures[kind])),
        3 => {
            // seats that lie near each other's axes, as the frames do
            let axes = dice.rotation();
            let seats = [0, 1].map(|_| Seat { point: scale(0.4, &dice.vector()), axes });
            Element::Bushing(Bushing { element: beam(dice, StrainMeasure::Se3), seats })
        }
        _ => {
            let points = [scale(0.2, &dice.vector()), scale(0.2, &dice.vector())];
            Element::Cable(Cable { length: 0.9, axial: 3.0, points, at_end: false })
        }
    };
    let turns = [scale(size, &dice.vector()), scale(size, &dice.vector())];
    let ends = [a, b];
    let passages = std::array::from_fn(|k| {
        let end = cayley::advanced(&ends[k], &scale(size, &dice.vector()), &turns[k]);
        Passage::new(&ends[k], &end, &turns[k])
    });
    Case { element, passages, turns }
}

fn kinds() -> impl Iterator<Item = usize> {
    0..5
}

/// F·(Δx, a) = ΔV + dissipation, Σf = 0 and Σ(x̄ × f + R̄m) = 0 over steps in which nodes turn by up to 1e-6, 0.1 and 0.6 rad and the
/// ends of an element stand up to 100° apart: all to 1e-13.
#[test]
fn work_and_momentum_are_exact() {
    let mut dice = Dice(1);
    let mut worst = [0.0_f64; 3];
    for kind in kinds() {
        for (size, bend) in [(1e-6, 0.3), (0.1, 0.3), (0.6, 0.3), (0.1, 1.0), (0.6, 1.0)] {
            for n in 0..200 {
                let Case { element, passages: [a, b], turns } = case(&mut dice, kind, size, bend, n % 2 == 0);
                let step = element.over_step(&a, &b, H);
                let (mut work, mut force, mut moment) = (0.0, [0.0; 3], [0.0; 3]);
                for (k, p) in [&a, &b].into_iter().enumerate() {
                    let F = &step.force[k];
                    let (f, m) = ([F[0], F[1], F[2]], [F[3], F[4], F[5]]);
                    for c in 0..3 {
                        work += f[c] * (p.ends[1].x[c] - p.ends[0].x[c]) + m[c] * turns[k][c];
                    }
                    force = add(&force, &f);
                    moment = add(&moment, &add(&cross(&p.x, &f), &mul(&p.R, &m)));
                }
                let energies = [0, 1].map(|k| element.energy(&a.ends[k], &b.ends[k]));
                let scale = 1.0 + energies[0] + energies[1] + step.dissipation;
                let change = energies[1] - energies[0];
                worst[0] = worst[0].max((step.energy_increment - change).abs() / scale);
                worst[1] = worst[1].max((work - change - step.dissipation).abs() / scale);
                worst[2] = worst[2].max((norm(&force) + norm(&moment)) / scale);
                assert!(step.dissipation >= 0.0);
                assert!(worst.iter().all(|&x| x < 1e-13), "kind {kind}, {size}, {bend}: {worst:?}");
            }
        }
    }
    println!("increment, work, momentum: {worst:?}");
}

/// The 12 × 12 tangent is the derivative of the force with (Δx, a), by central differences: 1e-6 of its largest entry and better.
#[test]
fn tangent_is_the_derivative() {
    let mut dice = Dice(2);
    let d = 1e-6;
    let mut worst: f64 = 0.0;
    for kind in kinds() {
        for (size, bend) in [(0.0, 0.3), (1e-6, 0.3), (0.1, 0.3), (0.6, 0.3), (0.3, 1.0)] {
            for n in 0..20 {
                let Case { element, passages, turns } = case(&mut dice, kind, size, bend, n % 2 == 0);
                let [a, b] = &passages;
                let (_, K) = element.with_tangent(a, b, H, None);
                let largest = K.iter().flatten().flatten().flatten().fold(0.0_f64, |s, x| s.max(x.abs()));
                for j in 0..12 {
                    let by = |s: f64| -> [BodyRow; 2] {
                        let mut moved = passages;
                        let (side, k) = (j / 6, j % 6);
                        let p = &passages[side];
                        let (mut dx, mut turn) = (sub(&p.ends[1].x, &p.ends[0].x), turns[side]);
                        if k < 3 {
                            dx[k] += s * d
                        } else {
                            turn[k - 3] += s * d
                        }
                        let end = cayley::advanced(&p.ends[0], &dx, &turn);
                        moved[side] = Passage::new(&p.ends[0], &end, &turn);
                        element.over_step(&moved[0], &moved[1], H).force
                    };
                    let (plus, minus) = (by(1.0), by(-1.0));
                    for i in 0..12 {
                        let difference = 0.5 * (plus[i / 6][i % 6] - minus[i / 6][i % 6]) / d;
                        let off = (difference - K[i / 6][j / 6][i % 6][j % 6]).abs() / largest.max(1.0);
                        worst = worst.max(off);
                        assert!(off < 1e-8 * 5.0, "kind {kind} {size} {bend}, entry {i} {j}: {off:e}");
                    }
                }
            }
        }
    }
    println!("tangent: {worst:e}");
}

/// A predicted stress is the stress after the move, to first order.
#[test]
fn stress_follows_moves() {
    let mut dice = Dice(3);
    for kind in 0..4 {
        let Case { element, passages, turns } = case(&mut dice, kind, 0.2, 0.4, true);
        let [a, b] = &passages;
        let step = element.over_step(a, b, H);
        let change: [BodyRow; 2] = [0, 1].map(|_| std::array::from_fn(|_| dice.number()));
        let d = 1e-6;
        let at = |s: f64| {
            let moved: [Passage; 2] = std::array::from_fn(|k| {
                let p = &passages[k];
                let c = change[k];
                let dx = add(&sub(&p.ends[1].x, &p.ends[0].x), &scale(s * d, &[c[0], c[1], c[2]]));
                let turn = add(&turns[k], &scale(s * d, &[c[3], c[4], c[5]]));
                Passage::new(&p.ends[0], &cayley::advanced(&p.ends[0], &dx, &turn), &turn)
            });
            element.over_step(&moved[0], &moved[1], H).stress
        };
        let (plus, minus) = (at(1.0), at(-1.0));
        let predicted = element.predicted_stress(&step, a, b, H, &change);
        for k in 0..6 {
            let difference = 0.5 * (plus[k] - minus[k]) / d;
            assert!((difference - (predicted[k] - step.stress[k])).abs() < 1e-7, "kind {kind}");
        }
    }
}

/// Strain and stress do not see a rigid motion of both frames, and an element read backwards is the same element.
#[test]
fn objective_and_reversible() {
    let mut dice = Dice(4);
    for kind in 0..3 {
        let Case { element, passages: [a, b], .. } = case(&mut dice, kind, 0.2, 0.8, true);
        let Element::Beam(beam) = element else { unreachable!("a beam") };
        let (Q, x) = (dice.rotation(), dice.vector());
        let moved = |f: &Frame| {
            let R = mul_mat(&Q, &f.R);
            Frame { x: add(&x, &mul(&Q, &f.x)), q: rotation::quaternion(&R), R }
        };
        let (fa, fb) = (&a.ends[1], &b.ends[1]);
        let (here, there) = (beam.strain(fa, fb), beam.strain(&moved(fa), &moved(fb)));
        let back = beam.with_rest(beam.rest.map(|x| -x)).strain(fb, fa);
        for k in 0..6 {
            assert!((here[k] - there[k]).abs() < 4e-15 && (here[k] + back[k]).abs() < 4e-15);
        }
        let backwards = Element::Beam(beam.with_rest(beam.rest.map(|x| -x)));
        let (forth, back) = (element.over_step(&a, &b, H), backwards.over_step(&b, &a, H));
        for k in 0..6 {
            assert!((forth.force[0][k] - back.force[1][k]).abs() < 1e-14);
        }
    }
}

/// A bushing without stress where it is made, whatever the frames; a torsion spring alone leaves the rest free.
#[test]
fn bushing_at_an_anchor() {
    let mut dice = Dice(5);
    let (a, b) = (dice.frame(), dice.frame());
    let bushing = Bushing::at_anchor(&a, &b, &[0.3, -0.2, 0.1], dice.positive(), None);
    assert!(bushing.energy(&a, &b) < 1e-30);
    let mut C = [[0.0; 6]; 6];
    C[3][3] = 2.0;
    let spring = Bushing::at_anchor(&a, &b, &[0.3, -0.2, 0.1], C, None);
    // b turned by 0.4 about the world's first axis through the anchor, then shifted
    let R = mul_mat(&rotation::exp(&[0.4, 0.0, 0.0]), &b.R);
    let turned = Frame { x: add(&b.x, &[0.0, 1.0, 0.0]), q: rotation::quaternion(&R), R };
    assert!((spring.energy(&a, &turned) - 0.5 * 2.0 * 0.16).abs() < 1e-15);
}
