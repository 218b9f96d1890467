//! Time of a beam element alone, and steps per second of a free beam by the energy-momentum step with one factorisation a step.
//!
//! `beam [elements] [steps]`; 20 elements of the rod whose C is diag(1e5, 4e4, 4e4, 8, 10, 20), h = 1e-3.

use percussion_model::bodies::math::{Vec3, cross, mul, mul_mat, scale, skew, sub};
use percussion_model::bodies::measure::Passage;
use percussion_model::bodies::{Frame, Twist};
use percussion_model::flexible::blocks::{Mat6, Vec6, add_scaled, apply, product};
use percussion_model::flexible::{
    BeamElement, Element, ElementMass, MassKind, Section, StrainMeasure, cayley, diagonal6, layout,
};
use std::hint::black_box;
use std::time::Instant;

const H: f64 = 1e-3;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let n: usize = arguments.get(1).and_then(|x| x.parse().ok()).unwrap_or(20);
    let steps: usize = arguments.get(2).and_then(|x| x.parse().ok()).unwrap_or(20_000);
    let mut beam = Beam::new(n);
    element_times(&beam);
    (0..10).for_each(|_| beam.step());
    let (E, started, iterations) = (beam.energy(), Instant::now(), beam.iterations);
    (0..steps).for_each(|_| beam.step());
    let time = started.elapsed().as_secs_f64();
    println!(
        "{n} elements: {:.0} steps/s, {:.2} iterations and {:.2} factorisations a step, energy error {:.1e} of {E:.3} J",
        steps as f64 / time,
        (beam.iterations - iterations) as f64 / steps as f64,
        beam.factorisations as f64 / (steps + 10) as f64,
        (beam.energy() - E).abs() / E
    );
}

/// Nanoseconds of one evaluation, without and with tangent.
fn element_times(beam: &Beam) {
    let passages = beam.passages(&beam.twists);
    let (a, b) = (&passages[0], &passages[1]);
    let element = &beam.elements[0];
    let rounds = 400_000;
    let time = |f: &dyn Fn()| {
        let started = Instant::now();
        (0..rounds).for_each(|_| f());
        started.elapsed().as_secs_f64() / f64::from(rounds) * 1e9
    };
    let force = time(&|| {
        black_box(black_box(element).over_step(black_box(a), black_box(b), H));
    });
    let tangent = time(&|| {
        black_box(black_box(element).with_tangent(black_box(a), black_box(b), H, None));
    });
    println!("an element: {force:.0} ns for its force, {tangent:.0} ns with its tangent");
}

/// A free beam that turns and bends, its nodes in a row.
struct Beam {
    elements: Vec<Element>,
    stresses: Vec<Vec6>,
    frames: Vec<Frame>,
    twists: Vec<Twist>,
    /// Changes of velocity in the last step and in the one before.
    changes: [Vec<Vec6>; 2],
    masses: Vec<ElementMass>,
    /// Blocks on and right of the diagonal, as eliminated: A_kk⁻¹, A_kk⁻¹A_k,k+1, and A_k+1,k.
    diagonal: Vec<Mat6>,
    right: Vec<Mat6>,
    below: Vec<Mat6>,
    residual: Vec<Vec6>,
    iterations: usize,
    factorisations: usize,
}

impl Beam {
    fn new(n: usize) -> Self {
        let inertia = [[3e-4, 0.0, 0.0], [0.0, 1e-4, 0.0], [0.0, 0.0, 2e-4]];
        let section = Section::new(diagonal6(&[1e5, 4e4, 4e4, 8.0, 10.0, 20.0]), 1.0, inertia).expect("a section");
        let frames = layout::straight(&[0.0; 3], &[1.0, 0.0, 0.0], &[0.0, 0.0, 1.0], n).expect("a line");
        let elements: Vec<Element> = frames
            .windows(2)
            .map(|f| {
                let C = *section.stiffness();
                Element::Beam(BeamElement::unstressed(StrainMeasure::Se3, &f[0], &f[1], C, 0.0))
            })
            .collect();
        let masses = vec![ElementMass::new(&section, 1.0 / n as f64, MassKind::Consistent); n];
        // turning about its middle, waving across: it stays where it is
        let wave = |x: f64| (2.0 * std::f64::consts::PI * x).cos();
        let twist = |f: &Frame| Twist { v: [0.0, 2.0 * f.x[0] - 1.0, wave(f.x[0])], w: [0.0, 0.0, 2.0] };
        Self {
            twists: frames.iter().map(twist).collect(),
            stresses: vec![[0.0; 6]; n],
            changes: [vec![[0.0; 6]; n + 1], vec![[0.0; 6]; n + 1]],
            diagonal: vec![[[0.0; 6]; 6]; n + 1],
            right: vec![[[0.0; 6]; 6]; n],
            below: vec![[[0.0; 6]; 6]; n],
            residual: vec![[0.0; 6]; n + 1],
            elements,
            frames,
            masses,
            iterations: 0,
            factorisations: 0,
        }
    }

    fn passages(&self, after: &[Twist]) -> Vec<Passage> {
        let mut passages = Vec::with_capacity(after.len());
        self.fill(after, &mut passages);
        passages
    }

    fn fill(&self, after: &[Twist], passages: &mut Vec<Passage>) {
        passages.clear();
        for (i, a) in after.iter().enumerate() {
            let (b, start) = (&self.twists[i], &self.frames[i]);
            let mean = |p: &Vec3, q: &Vec3| scale(0.5 * H, &[p[0] + q[0], p[1] + q[1], p[2] + q[2]]);
            let turn = mean(&b.w, &a.w);
            let end = cayley::advanced(start, &mean(&b.v, &a.v), &turn);
            passages.push(Passage::new(start, &end, &turn));
        }
    }

    fn node_mass(&self, i: usize) -> (f64, [[f64; 3]; 3]) {
        let count = if i == 0 || i == self.elements.len() { 1.0 } else { 2.0 };
        let m = &self.masses[0];
        (count * m.node, m.inertia.map(|row| row.map(|x| count * x)))
    }

    fn step(&mut self) {
        let mut after = self.twists.clone();
        for (i, a) in after.iter_mut().enumerate() {
            let d: Vec6 = std::array::from_fn(|k| 2.0 * self.changes[0][i][k] - self.changes[1][i][k]);
            for k in 0..3 {
                a.v[k] += d[k];
                a.w[k] += d[3 + k];
            }
        }
        let mut passages = Vec::with_capacity(after.len());
        let (mut last, mut factor) = (f64::INFINITY, true);
        for _ in 0..30 {
            self.fill(&after, &mut passages);
            self.evaluate(&after, &passages, factor);
            if factor {
                self.factor();
            }
            self.solve();
            self.iterations += 1;
            let (mut size, mut speed) = (0.0_f64, 0.0_f64);
            for (a, d) in after.iter_mut().zip(&self.residual) {
                for k in 0..3 {
                    a.v[k] -= d[k];
                    a.w[k] -= d[3 + k];
                    size = size.max(d[k].abs());
                    speed = speed.max(a.v[k].abs());
                }
            }
            // arrived, or at what round-off of places makes of velocities
            if size <= (1e-12 * speed).max(8.0 * f64::EPSILON / H) {
                break;
            }
            factor = size > 0.1 * last;
            last = size;
        }
        self.fill(&after, &mut passages);
        for (e, element) in self.elements.iter().enumerate() {
            self.stresses[e] = element.over_step(&passages[e], &passages[e + 1], H).stress;
        }
        self.changes.swap(0, 1);
        for i in 0..after.len() {
            for k in 0..3 {
                self.changes[0][i][k] = after[i].v[k] - self.twists[i].v[k];
                self.changes[0][i][3 + k] = after[i].w[k] - self.twists[i].w[k];
            }
            self.frames[i] = passages[i].ends[1];
        }
        self.twists = after;
    }

    fn evaluate(&mut self, after: &[Twist], passages: &[Passage], full: bool) {
        for i in 0..after.len() {
            let (m, I) = self.node_mass(i);
            let (b, a) = (&self.twists[i], &after[i]);
            let w = scale(0.5, &[a.w[0] + b.w[0], a.w[1] + b.w[1], a.w[2] + b.w[2]]);
            let Iw = mul(&I, &w);
            let (spin, Idw) = (cross(&w, &Iw), mul(&I, &sub(&a.w, &b.w)));
            for k in 0..3 {
                self.residual[i][k] = m * (a.v[k] - b.v[k]);
                self.residual[i][3 + k] = Idw[k] + H * spin[k];
            }
            if full {
                let (left, right) = (mul_mat(&skew(&w), &I), skew(&Iw));
                let D = &mut self.diagonal[i];
                *D = [[0.0; 6]; 6];
                for k in 0..3 {
                    D[k][k] = m;
                    for c in 0..3 {
                        D[3 + k][3 + c] = I[k][c] + 0.5 * H * (left[k][c] - right[k][c]);
                    }
                }
            }
        }
        for (e, element) in self.elements.iter().enumerate() {
            let (a, b) = (&passages[e], &passages[e + 1]);
            let mass = &self.masses[e];
            let dv = |i: usize| sub(&after[i].v, &self.twists[i].v);
            let coupling = mass.coupling_impulse(&dv(e), &dv(e + 1));
            let step = if full {
                let (step, K) = element.with_tangent(a, b, H, Some(&self.stresses[e]));
                let c = 0.5 * H * H;
                self.diagonal[e] = add_scaled(&self.diagonal[e], c, &K[0][0]);
                self.diagonal[e + 1] = add_scaled(&self.diagonal[e + 1], c, &K[1][1]);
                self.right[e] = K[0][1].map(|row| row.map(|x| c * x));
                self.below[e] = K[1][0].map(|row| row.map(|x| c * x));
                for k in 0..3 {
                    self.diagonal[e][k][k] -= mass.coupling;
                    self.diagonal[e + 1][k][k] -= mass.coupling;
                    self.right[e][k][k] += mass.coupling;
                    self.below[e][k][k] += mass.coupling;
                }
                step
            } else {
                element.over_step(a, b, H)
            };
            for k in 0..6 {
                self.residual[e][k] += H * step.force[0][k];
                self.residual[e + 1][k] += H * step.force[1][k];
            }
            for k in 0..3 {
                self.residual[e][k] += coupling[k];
                self.residual[e + 1][k] -= coupling[k];
            }
        }
    }

    fn factor(&mut self) {
        self.factorisations += 1;
        for k in 0..self.diagonal.len() {
            self.diagonal[k] = inverse(&self.diagonal[k]);
            if k < self.right.len() {
                self.right[k] = product(&self.diagonal[k], &self.right[k]);
                let fill = product(&self.below[k], &self.right[k]);
                self.diagonal[k + 1] = add_scaled(&self.diagonal[k + 1], -1.0, &fill);
            }
        }
    }

    fn solve(&mut self) {
        let n = self.right.len();
        for k in 0..=n {
            self.residual[k] = apply(&self.diagonal[k], &self.residual[k]);
            if k < n {
                let down = apply(&self.below[k], &self.residual[k]);
                (0..6).for_each(|i| self.residual[k + 1][i] -= down[i]);
            }
        }
        for k in (0..n).rev() {
            let up = apply(&self.right[k], &self.residual[k + 1]);
            (0..6).for_each(|i| self.residual[k][i] -= up[i]);
        }
    }

    fn energy(&self) -> f64 {
        let mut sum = 0.0;
        for (i, t) in self.twists.iter().enumerate() {
            let (m, I) = self.node_mass(i);
            let Iw = mul(&I, &t.w);
            sum += 0.5 * (0..3).map(|k| m * t.v[k] * t.v[k] + t.w[k] * Iw[k]).sum::<f64>();
        }
        for (e, element) in self.elements.iter().enumerate() {
            sum += element.energy(&self.frames[e], &self.frames[e + 1]);
            sum += self.masses[e].coupling_energy(&self.twists[e].v, &self.twists[e + 1].v);
        }
        sum
    }
}

/// A⁻¹ by Gauss and Jordan with pivots on the diagonal: the blocks are near to symmetric and positive.
fn inverse(A: &Mat6) -> Mat6 {
    let mut A = *A;
    for k in 0..6 {
        let pivot = 1.0 / A[k][k];
        A[k][k] = 1.0;
        (0..6).for_each(|c| A[k][c] *= pivot);
        let row = A[k];
        for i in (0..6).filter(|&i| i != k) {
            let factor = A[i][k];
            A[i][k] = 0.0;
            (0..6).for_each(|c| A[i][c] -= factor * row[c]);
        }
    }
    A
}
