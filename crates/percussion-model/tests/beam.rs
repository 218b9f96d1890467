//! The geometrically exact beam: invariance, static solutions, and the force that does exactly the work V₁ − V₀.

use percussion_matrix::{DenseMatrix, Factor, Matrix};
use percussion_model::nonlinear::{Beam, BeamElement, BeamParts};
use percussion_model::{DiscreteForce, Lagrangian};
use std::f64::consts::TAU;

const STEEL: BeamParts = BeamParts {
    length: 1.0,
    width: 0.01,
    depth: 0.01,
    young: 2.1e11,
    poisson: 0.3,
    density: 7800.0,
    gravity: 0.0,
    elements: 4,
    wall: 0.0,
    restitution: 0.8,
};

fn beam(elements: usize) -> Beam {
    Beam::new(BeamParts { elements, ..STEEL }).unwrap()
}

const ELEMENT: BeamElement = BeamElement { length: 0.25, axial: 3.0, shear: 2.0, bending: 0.4 };

/// States of one element, rotations up to `turn`.
fn state(seed: usize, turn: f64) -> [f64; 6] {
    let mut x = (seed as f64 * 0.618_033_988_749_895 + 0.271) % 1.0;
    let mut next = || {
        x = (x * 997.0 + 0.754_877_666) % 1.0;
        2.0 * x - 1.0
    };
    [next(), next(), turn * next(), 0.25 + next(), next(), turn * next()]
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// A symmetric tangent, and energy and forces that turn with the element: round-off of numbers near 1.
#[test]
fn rigid_motion_changes_nothing() {
    let (mut dV, mut df, mut dK): (f64, f64, f64) = (0.0, 0.0, 0.0);
    for k in 0..50 {
        let q = state(k, 3.0);
        let (a, x, y) = (0.37 * k as f64 - 5.0, 2.0, -3.0);
        let (s, c) = a.sin_cos();
        let turned = |q: &[f64; 6], x: f64, y: f64, a: f64| {
            let node = |i: usize| [x + c * q[i] - s * q[i + 1], y + s * q[i] + c * q[i + 1], q[i + 2] + a];
            let (first, second) = (node(0), node(3));
            [first[0], first[1], first[2], second[0], second[1], second[2]]
        };
        let moved = turned(&q, x, y, a);
        dV = dV.max((ELEMENT.energy(&moved) / ELEMENT.energy(&q) - 1.0).abs());
        let (f, f_moved) = (turned(&ELEMENT.internal_force(&q), 0.0, 0.0, 0.0), ELEMENT.internal_force(&moved));
        let difference: Vec<_> = f.iter().zip(f_moved).map(|(a, b)| a - b).collect();
        df = df.max(largest(&difference) / largest(&f));
        let K = ELEMENT.tangent(&q);
        for i in 0..6 {
            for j in 0..6 {
                dK = dK.max((K[i][j] - K[j][i]).abs() / largest(K.as_flattened()));
            }
        }
    }
    println!("rigid motion: V {dV:.1e}, f {df:.1e}; asymmetry {dK:.1e}");
    assert!(dV < 1e-14 && df < 1e-14 && dK < 1e-15);

    // the straight beam carried along by a rotation about the pin stays without force
    let beam = beam(8);
    let (mut q, mut f) = (beam.straight(), vec![0.0; beam.n()]);
    let (s, c) = 1.2_f64.sin_cos();
    q[0] = 1.2;
    for node in 1..=8 {
        let r = q[3 * node - 2];
        (q[3 * node - 2], q[3 * node - 1], q[3 * node]) = (r * c, r * s, 1.2);
    }
    beam.force(&q, &[], 0.0, &mut f);
    assert!(largest(&f) < 1e-14 * beam.element().axial && beam.potential_energy(&q) < 1e-20);
}

/// Solves (K without row and column 0) x = b: the pinned beam clamped at θ₀ = 0.
fn clamped_solve(beam: &Beam, q: &[f64], b: &[f64]) -> Vec<f64> {
    let n = beam.n();
    let (mut K, mut C) = (DenseMatrix::zeros(n, n), DenseMatrix::zeros(n, n));
    beam.force_tangents(q, &[], 0.0, &mut K, &mut C);
    for i in 0..n {
        K.set(0, i, 0.0);
        K.set(i, 0, 0.0);
    }
    K.set(0, 0, 1.0);
    let mut x = b.to_vec();
    x[0] = 0.0;
    Factor::lu(&Matrix::Dense(K)).unwrap().solve(&mut x);
    x
}

/// One Gauss point does not lock: a cantilever under a tip load bends 1 − 1/(4 n²) of P L³/3EI, shear exact.
#[test]
fn cantilever_tip_load() {
    for (elements, expected) in [(4, 0.98438), (8, 0.99609), (16, 0.99902), (32, 0.99976)] {
        let beam = beam(elements);
        let mut load = vec![0.0; beam.n()];
        load[beam.tip()[1]] = 1.0;
        let u = clamped_solve(&beam, &beam.straight(), &load)[beam.tip()[1]];
        let (bent, sheared) = (1.0 / (3.0 * beam.element().bending), 1.0 / beam.element().shear);
        let ratio = (u - sheared) / bent;
        println!("{elements} elements: {ratio:.6}");
        assert!((ratio - (1.0 - 0.25 / (elements * elements) as f64)).abs() < 1e-8);
        assert!((u / (bent + sheared) - expected).abs() < 1e-5);
    }
}

/// The moment 2π EI/L at the tip rolls a cantilever into a full circle; by Newton's method in 20 load steps.
#[test]
fn roll_up() {
    let beam = beam(10);
    let (mut q, mut f) = (beam.straight(), vec![0.0; beam.n()]);
    let tip = beam.tip();
    let moment = TAU * beam.element().bending;
    for step in 1..=20 {
        for _ in 0..12 {
            beam.force(&q, &[], 0.0, &mut f);
            f[tip[2]] += moment * step as f64 / 20.0;
            let dq = clamped_solve(&beam, &q, &f);
            q.iter_mut().zip(&dq).for_each(|(q, d)| *q += d);
        }
    }
    println!("roll-up: tip {:.1e} {:.1e}, θ − 2π {:.1e}", q[tip[0]], q[tip[1]], q[tip[2]] - TAU);
    assert!(q[tip[0]].abs() < 1e-13 && q[tip[1]].abs() < 1e-13 && (q[tip[2]] - TAU).abs() < 1e-13);

    // the closed form: a regular polygon with sides L/n, strained by bending alone
    let polygon = |q: &mut [f64]| {
        let (mut x, mut y) = (0.0, 0.0);
        for node in 1..=10 {
            let (s, c) = (TAU * (node as f64 - 0.5) / 10.0).sin_cos();
            (x, y) = (x + 0.1 * c, y + 0.1 * s);
            q[3 * node - 2..3 * node + 1].copy_from_slice(&[x, y, TAU * node as f64 / 10.0]);
        }
    };
    polygon(&mut q);
    beam.force(&q, &[], 0.0, &mut f);
    (f[0], f[tip[2]]) = (0.0, f[tip[2]] + moment);
    assert!(largest(&f) < 1e-14 * beam.element().axial, "{:.1e}", largest(&f));
}

/// f̃·(q₁ − q₀) = V₁ − V₀ to round-off, relative to the largest product in the sum; f̃ = ∂V/∂q when q₁ = q₀.
#[test]
fn discrete_force_does_the_work() {
    let (mut work, mut strain): (f64, f64) = (0.0, 0.0);
    for k in 0..100 {
        let q0 = state(k, 3.0);
        let size = [1.0, 1e-1, 1e-3, 1e-6][k % 4];
        let far = state(k + 1000, 3.0);
        let q1: [f64; 6] = std::array::from_fn(|i| q0[i] + size * (far[i] - q0[i]));
        let f = ELEMENT.discrete_force(&q0, &q1);
        let products: [f64; 6] = std::array::from_fn(|i| f[i] * (q1[i] - q0[i]));
        let (V0, V1) = (ELEMENT.energy(&q0), ELEMENT.energy(&q1));
        work = work.max((products.iter().sum::<f64>() - (V1 - V0)).abs() / V0.max(V1).max(largest(&products)));
        let (e0, e1, B) = (ELEMENT.strain(&q0), ELEMENT.strain(&q1), ELEMENT.discrete_strain_gradient(&q0, &q1));
        for r in 0..3 {
            let change: f64 = (0..6).map(|i| B[r][i] * (q1[i] - q0[i])).sum();
            strain = strain.max((change - (e1[r] - e0[r])).abs() / largest(&e0).max(largest(&e1)));
        }
        let (same, exact) = (ELEMENT.discrete_force(&q0, &q0), ELEMENT.internal_force(&q0));
        assert!((0..6).all(|i| (same[i] - exact[i]).abs() < 1e-14 * largest(&exact)));
    }
    println!("discrete work {work:.1e}, discrete strain {strain:.1e}");
    assert!(work < 1e-14 && strain < 1e-14);
}

/// ∂f̃/∂q₁ against central differences of fourth order, its geometric part with a stress of its own.
#[test]
fn discrete_tangent_is_exact() {
    let derivative = |phi: &dyn Fn(&[f64; 6]) -> [f64; 6], q: &[f64; 6], j: usize| -> [f64; 6] {
        let at = |steps: f64| {
            let mut q = *q;
            q[j] += steps * 1e-3;
            phi(&q)
        };
        let (a, b, c, d) = (at(-2.0), at(-1.0), at(1.0), at(2.0));
        std::array::from_fn(|i| (8.0 * (c[i] - b[i]) - (d[i] - a[i])) / 12e-3)
    };
    let (mut whole, mut geometric): (f64, f64) = (0.0, 0.0);
    for k in 0..100 {
        let q0 = state(k, 2.0);
        let far = state(k + 1000, 2.0);
        let size = [1.0, 1e-2, 1e-4, 0.0][k % 4];
        let q1: [f64; 6] = std::array::from_fn(|i| q0[i] + size * (far[i] - q0[i]));
        let K = ELEMENT.discrete_tangent(&q0, &q1, &ELEMENT.discrete_stress(&q0, &q1));
        let n = [1.3, -0.7, 0.4];
        let K_n = ELEMENT.discrete_geometric_tangent(&q0, &q1, &n);
        let force_n = |q: &[f64; 6]| -> [f64; 6] {
            let B = ELEMENT.discrete_strain_gradient(&q0, q);
            std::array::from_fn(|i| ELEMENT.length * (0..3).map(|r| B[r][i] * n[r]).sum::<f64>())
        };
        for j in 0..6 {
            let d = derivative(&|q| ELEMENT.discrete_force(&q0, q), &q1, j);
            let d_n = derivative(&force_n, &q1, j);
            for i in 0..6 {
                whole = whole.max((K[i][j] - d[i]).abs() / largest(K.as_flattened()));
                geometric = geometric.max((K_n[i][j] - d_n[i]).abs() / largest(K_n.as_flattened()));
            }
        }
    }
    println!("discrete tangent {whole:.1e}, geometric part {geometric:.1e}");
    assert!(whole < 1e-8 && geometric < 1e-8);
}

/// The assembled force does the work of the whole beam, weight included, and its tangent belongs to it.
#[test]
fn whole_beam_does_the_work() {
    let parts = BeamParts {
        length: 1.0,
        width: 0.1,
        depth: 0.1,
        young: 1e4,
        poisson: 0.3,
        density: 100.0,
        gravity: 9.81,
        elements: 4,
        wall: 0.0,
        restitution: 0.0,
    };
    for beam in [Beam::new(parts).unwrap(), Beam::with_joints(parts).unwrap()] {
        let n = beam.n();
        let wave = |a: f64| -> Vec<f64> {
            beam.straight().iter().enumerate().map(|(i, x)| x + a * (1.7 * i as f64 + a).sin()).collect()
        };
        let (q0, q1, mut f) = (wave(0.1), wave(0.3), vec![0.0; n]);
        beam.evaluate(&q0, &q1, &mut f);
        let work: f64 = (0..n).map(|i| f[i] * (q1[i] - q0[i])).sum();
        let (V0, V1) = (beam.potential_energy(&q0), beam.potential_energy(&q1));
        assert!((work + V1 - V0).abs() < 1e-14 * V1.abs(), "{:.1e}", work + V1 - V0);

        let stress = |e| beam.element().discrete_stress(&beam.of_element(e, &q0), &beam.of_element(e, &q1));
        let stresses: Vec<_> = (0..4).map(stress).collect();
        let mut K = DenseMatrix::zeros(n, n);
        beam.tangent(&q0, &q1, &stresses, &mut K);
        let (mut plus, mut minus) = (vec![0.0; n], vec![0.0; n]);
        for j in 0..n {
            let mut q = q1.clone();
            q[j] += 1e-5;
            beam.evaluate(&q0, &q, &mut plus);
            q[j] -= 2e-5;
            beam.evaluate(&q0, &q, &mut minus);
            for i in 0..n {
                let deviation = K.get(i, j) + (plus[i] - minus[i]) / 2e-5;
                assert!(deviation.abs() < 1e-8 * largest(K.values()), "({i}, {j}): {deviation:.1e}");
            }
        }
    }
}

/// The predicted stress with a zero increment is the discrete stress; with the full one it is D ε₁ averaged, to δ².
#[test]
fn predicted_stress_is_the_linearised_one() {
    let (q0, q1) = (state(1, 1.0), state(2, 1.0));
    assert_eq!(ELEMENT.predicted_stress(&q0, &q1, &[0.0; 6]), ELEMENT.discrete_stress(&q0, &q1));
    let delta = [1e-4, -2e-4, 3e-4, 1e-4, 2e-4, -1e-4];
    let moved = std::array::from_fn(|i| q1[i] + delta[i]);
    let (predicted, exact) = (ELEMENT.predicted_stress(&q0, &q1, &delta), ELEMENT.discrete_stress(&q0, &moved));
    assert!((0..3).all(|r| (predicted[r] - exact[r]).abs() < 1e-5));
}

/// Nine steps of the implicit Euler rule, M (v⁺ − v) = h f(q + h v⁺), of the steel beam let go horizontally: tip and
/// energy of a second implementation, whose Newton method stops at 1e-9.
#[test]
fn falls_as_the_reference_does() {
    let parts = BeamParts { gravity: 9.81, wall: 0.5_f64.sqrt(), ..STEEL };
    let beam = Beam::new(parts).unwrap();
    let (n, h) = (beam.n(), 5e-4);
    let (mut q, mut v, mut f) = (beam.straight(), vec![0.0; n], vec![0.0; n]);
    assert_eq!((beam.potential_energy(&q), beam.constraint(0, &q)), (0.0, 0.292_893_218_813_452_4));
    let mut M = DenseMatrix::zeros(n, n);
    beam.mass(&q, &mut M);
    let M = Matrix::Dense(M);
    for _ in 0..9 {
        let mut v_next = v.clone();
        let mut q_next = q.clone();
        for _ in 0..6 {
            q_next.iter_mut().zip(&q).zip(&v_next).for_each(|((q_next, q), v)| *q_next = q + h * v);
            beam.force(&q_next, &v_next, 0.0, &mut f);
            let mut rest: Vec<f64> = f.iter().map(|f| h * f).collect();
            let change: Vec<f64> = v_next.iter().zip(&v).map(|(a, b)| a - b).collect();
            M.mul_add(-1.0, &change, &mut rest);
            let (mut K, mut C) = (DenseMatrix::zeros(n, n), DenseMatrix::zeros(n, n));
            beam.force_tangents(&q_next, &v_next, 0.0, &mut K, &mut C);
            let S = Matrix::combination(n, &[(1.0, &M), (h * h, &Matrix::Dense(K))]);
            Factor::lu(&S).unwrap().solve(&mut rest);
            v_next.iter_mut().zip(&rest).for_each(|(v, d)| *v += d);
        }
        q.iter_mut().zip(&v_next).for_each(|(q, v)| *q += h * v);
        v = v_next;
    }
    let E = beam.kinetic_energy(&q, &v) + beam.potential_energy(&q);
    let [x, y, theta] = beam.tip();
    let found = [E, q[x], q[y], q[theta], v[x], v[y], v[theta]];
    let expected = [
        -7.481_065_943_970_295e-5,
        0.999_999_981_365_442_2,
        -9.944_803_731_460_686e-5,
        1.015_604_150_973_174_8e-4,
        -1.269_434_564_853_382_5e-5,
        -0.040_353_902_539_420_21,
        0.054_637_581_809_912,
    ];
    for (found, expected) in found.into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-7 * f64::abs(expected), "{found} {expected}");
    }
}
