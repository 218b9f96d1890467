//! Automatic differentiation against hand-written derivatives, and against differences where none are written.

use percussion_matrix::DenseMatrix;
use percussion_model::nonlinear::{Beam, BeamParts, Pendulum, RockingBlock};
use percussion_model::{Auto, Code, Energies, Lagrangian, Number, check_derivatives};

fn numbers(seed: usize, n: usize, size: f64) -> Vec<f64> {
    let mut x = (seed as f64 * 0.618_033_988_749_895 + 0.137) % 1.0;
    (0..n)
        .map(|_| {
            x = (x * 997.0 + 0.754_877_666) % 1.0;
            size * (2.0 * x - 1.0)
        })
        .collect()
}

#[derive(Debug)]
struct PendulumEnergies;

impl Energies for PendulumEnergies {
    fn n(&self) -> usize {
        3
    }
    fn n_joints(&self) -> usize {
        2
    }
    fn restitutions(&self) -> &[f64] {
        &[0.8]
    }
    fn mass_is_constant(&self) -> bool {
        true
    }
    fn kinetic<D: Number>(&self, _q: &[D], v: &[D]) -> D {
        (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] * 0.1) * 0.5
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        q[1] * 10.0
    }
    fn constraint<D: Number>(&self, j: usize, q: &[D]) -> D {
        match j {
            0 => q[0] - q[2].cos() * 1.3,
            1 => q[1] - q[2].sin() * 1.3,
            _ => q[0] - 0.7,
        }
    }
}

#[derive(Debug)]
struct BlockEnergies;

impl Energies for BlockEnergies {
    fn n(&self) -> usize {
        3
    }
    fn restitutions(&self) -> &[f64] {
        &[0.5, 0.5]
    }
    fn kinetic<D: Number>(&self, _q: &[D], v: &[D]) -> D {
        (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] * (3.25 / 12.0)) * 0.5
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        q[1] * 9.81
    }
    fn constraint<D: Number>(&self, j: usize, q: &[D]) -> D {
        q[1] - q[2].cos() * 0.75 + q[2].sin() * if j == 0 { 0.5 } else { -0.5 }
    }
}

#[derive(Debug)]
struct BeamEnergies {
    elements: usize,
}

const STEEL: BeamParts = BeamParts {
    length: 1.0,
    width: 0.01,
    depth: 0.02,
    young: 2.1e11,
    poisson: 0.3,
    density: 7800.0,
    gravity: 9.81,
    elements: 4,
    wall: 0.7,
    restitution: 0.8,
};

impl BeamEnergies {
    /// Entry k of element e; the two pinned coordinates are left out of q.
    fn at<D: Number>(&self, x: &[D], e: usize, k: usize) -> D {
        if 3 * e + k < 2 { D::from(0.0) } else { x[3 * e + k - 2] }
    }
}

impl Energies for BeamEnergies {
    fn n(&self) -> usize {
        3 * self.elements + 1
    }
    fn restitutions(&self) -> &[f64] {
        &[0.8]
    }
    fn mass_is_constant(&self) -> bool {
        true
    }
    fn kinetic<D: Number>(&self, _q: &[D], v: &[D]) -> D {
        let (A, I) = (0.01 * 0.02, 0.01 * 0.02_f64.powi(3) / 12.0);
        let L = 1.0 / self.elements as f64;
        let mut T = D::from(0.0);
        for e in 0..self.elements {
            for (k, section) in [A, A, I].into_iter().enumerate() {
                let (a, b) = (self.at(v, e, k), self.at(v, e, k + 3));
                T += (a * a + a * b + b * b) * (7800.0 * section * L / 6.0);
            }
        }
        T
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        let (A, I) = (0.01 * 0.02, 0.01 * 0.02_f64.powi(3) / 12.0);
        let L = 1.0 / self.elements as f64;
        let (EA, GA, EI) = (2.1e11 * A, 2.1e11 / 2.6 * A * 5.0 / 6.0, 2.1e11 * I);
        let mut V = D::from(0.0);
        for e in 0..self.elements {
            let [x1, y1, a1, x2, y2, a2] = std::array::from_fn(|k| self.at(q, e, k));
            let (s, c) = ((a1 + a2) * 0.5).sin_cos();
            let (X, Y, kappa) = ((x2 - x1) / L, (y2 - y1) / L, (a2 - a1) / L);
            let (stretch, shear) = (c * X + s * Y - 1.0, c * Y - s * X);
            V += (stretch * stretch * EA + shear * shear * GA + kappa * kappa * EI) * (0.5 * L);
            V += (y1 + y2) * (0.5 * 7800.0 * A * 9.81 * L);
        }
        V
    }
    fn constraint<D: Number>(&self, _j: usize, q: &[D]) -> D {
        q[3 * self.elements - 2] - 0.7
    }
}

/// The largest difference of every answer of two models, each relative to its largest entry.
fn difference(a: &dyn Lagrangian, b: &dyn Lagrangian, q: &[f64], v: &[f64]) -> f64 {
    let n = a.n();
    assert_eq!((n, a.n_joints(), a.restitutions()), (b.n(), b.n_joints(), b.restitutions()));
    let answers = |model: &dyn Lagrangian| {
        let zeros = || DenseMatrix::zeros(n, n);
        let (mut M, mut D, mut K, mut C, mut f) = (zeros(), zeros(), zeros(), zeros(), vec![0.0; n]);
        model.mass(q, &mut M);
        model.mass_tangent(q, v, &mut D);
        model.force(q, v, 0.3, &mut f);
        model.force_tangents(q, v, 0.3, &mut K, &mut C);
        let mut list = [M, D, K, C].map(|A| A.values().to_vec()).to_vec();
        list.push(f);
        list.push(vec![model.potential_energy(q)]);
        list.push(vec![model.kinetic_energy(q, v)]);
        list.push(vec![model.power_without_potential(q, v, 0.3)]);
        for j in 0..model.n_joints() + model.restitutions().len() {
            let (mut row, mut H) = (vec![0.0; n], zeros());
            model.gradient(j, q, &mut row);
            model.hessian(j, q, 1.7, &mut H);
            list.extend([vec![model.constraint(j, q)], row, H.values().to_vec()]);
        }
        list
    };
    let mut worst = 0.0_f64;
    for (x, y) in answers(a).iter().zip(&answers(b)) {
        let scale = x.iter().chain(y).fold(0.0_f64, |m, x| m.max(x.abs()));
        for (x, y) in x.iter().zip(y) {
            assert!(x.is_finite() && y.is_finite());
            if x != y {
                worst = worst.max((x - y).abs() / scale);
            }
        }
    }
    worst
}

/// Both roads lead to the same numbers, to round-off.
#[test]
fn equals_the_hand_written_models() {
    let pendulum = Pendulum::new(1.0, 0.1, 1.3, 10.0, 0.7, 0.8).unwrap();
    let block = RockingBlock::new(1.0, 1.0, 1.5, 9.81, 0.5).unwrap();
    let beam = Beam::new(STEEL).unwrap();
    let long = Beam::new(BeamParts { elements: 8, ..STEEL }).unwrap();
    let pairs: [(&dyn Lagrangian, &dyn Lagrangian); 4] = [
        (&pendulum, &Auto::new(PendulumEnergies).unwrap()),
        (&block, &Auto::new(BlockEnergies).unwrap()),
        (&beam, &Auto::new(BeamEnergies { elements: 4 }).unwrap()),
        // 25 coordinates: more than are kept on the stack
        (&long, &Auto::new(BeamEnergies { elements: 8 }).unwrap()),
    ];
    for (name, (by_hand, auto)) in ["pendulum", "block", "beam 4", "beam 8"].into_iter().zip(pairs) {
        let n = by_hand.n();
        let worst = (0..25)
            .map(|k| difference(by_hand, auto, &numbers(2 * k, n, 1.0), &numbers(2 * k + 1, n, 2.0)))
            .fold(0.0, f64::max);
        println!("{name}: by hand and automatic differ by {worst:.1e}");
        assert!(worst < 1e-12);
    }
}

/// A damped, driven bead on a spinning parabola with a spring: M(q), all kinds of force, a joint.
#[derive(Debug)]
struct Bead;

impl Energies for Bead {
    fn n(&self) -> usize {
        3
    }
    fn n_joints(&self) -> usize {
        1
    }
    fn restitutions(&self) -> &[f64] {
        &[0.2]
    }
    fn kinetic<D: Number>(&self, q: &[D], v: &[D]) -> D {
        let square = v[0] * v[0] * (q[0] * q[0] * 4.0 + 1.0) + v[1] * v[1] * (q[0] * q[0] + q[2].exp());
        square * 0.5 + v[0] * v[2] * q[1].sin() * 0.3 + v[2] * v[2] * 2.0
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        q[0].powi(2) * 9.81 + (q[1] * q[2]).cos() + (q[2] * q[2] + 1.0).sqrt()
    }
    fn constraint<D: Number>(&self, j: usize, q: &[D]) -> D {
        if j == 0 { q[0] * q[1] - q[2].sin() } else { q[0] + q[1] * q[2] }
    }
    fn force<D: Number>(&self, q: &[D], v: &[D], t: f64, Q: &mut [D]) {
        Q[0] = v[0] * v[0].powi(2) * -0.4 + t.sin();
        Q[2] = q[1] * v[1] * 0.7 - v[2] * q[0] * q[0];
    }
}

/// Where nothing is written by hand, differences and the power balance decide; 1e-7 relative would be a wrong term.
#[test]
fn equals_differences() {
    let model = Auto::new(Bead).unwrap();
    let mut worst = percussion_model::DerivativeReport::default();
    for k in 0..25 {
        let report = check_derivatives(&model, &numbers(2 * k, 3, 1.5), &numbers(2 * k + 1, 3, 2.0), 0.1 * k as f64);
        if report.worst().is_nan() || report.worst() > worst.worst() {
            worst = report;
        }
    }
    println!("bead: {worst}");
    assert!(worst.worst() < 1e-7, "{worst}");
    assert!(!model.mass_is_constant() && model.energies().n() == 3);
}

#[derive(Debug)]
struct Springs(Vec<f64>, usize);

impl Energies for Springs {
    fn n(&self) -> usize {
        self.1
    }
    fn restitutions(&self) -> &[f64] {
        &self.0
    }
    fn mass_is_constant(&self) -> bool {
        true
    }
    fn kinetic<D: Number>(&self, _q: &[D], v: &[D]) -> D {
        v[0] * v[0] * if self.0.is_empty() { f64::NAN } else { 1.0 }
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        q[0] * q[0]
    }
    fn constraint<D: Number>(&self, _j: usize, q: &[D]) -> D {
        q[0]
    }
}

/// No coordinates, e outside [0, 1] and a mass that is not a number are refused.
#[test]
fn impossible_systems_are_refused() {
    assert_eq!(Auto::new(Springs(vec![0.5], 0)).unwrap_err().code, Code::BAD_SHAPE);
    let error = Auto::new(Springs(vec![0.5, 1.5], 1)).unwrap_err();
    assert_eq!((error.code, error.field.as_str()), (Code::RESTITUTION, "model.contact[1].restitution"));
    assert_eq!(Auto::new(Springs(vec![], 1)).unwrap_err().code, Code::NOT_FINITE);
    assert!(Auto::new(Springs(vec![0.5], 1)).is_ok());
}
