//! The impact damper (Masri and Caughey 1966): its symmetric orbit, where that is stable, and where it begins, against closed forms.
//!
//! A mass 1 on a spring 1 and a damper 2ζ, driven by f cos Ωt, carries a box of inner length d with a loose mass μ in it:
//!   ẍ + 2ζẋ + x = f cos Ωt,   ÿ = 0,   |y − x| ≤ d/2,   (ẏ − ẋ)⁺ = −e (ẏ − ẋ)⁻,   ẋ + μẏ kept.
//! Of the orbit with one impact on either side, T/2 apart, the second half is minus the first. With κ = (1 + e)/(1 + μ) and the velocity w of
//! the loose mass after the impact at y − x = d/2:
//!   ẏ⁻ = −w,   ẋ⁻ = w(2 − κ)/κ,   ẋ⁺ = ẋ⁻ − 2μw,   y = −wT/4,   x = −wT/4 − d/2;
//! x is the steady state a cos ψ, a = f/|1 − Ω² + 2iζΩ|, and the free motion from −2μw g, (Φ + 1) g = (0, 1), Φ = exp(A T/2); hence
//!   a cos ψ = wA − d/2,   −aΩ sin ψ = wB,   A = 2μg₁ − T/4,   B = (2 − κ)/κ + 2μ(g₂ − 1),
//! a quadratic for w. Two orbits meet (a fold) where its roots do, a² = (d/2)² (B/Ω)²/(A² + (B/Ω)²), and the slow one ends where w = 0, a = d/2:
//! the mass at rest in the middle of its box grazes both walls. Of the half map −SΦ₄ the multipliers are the squares of the eigenvalues.

use percussion_dynamics::{Driven, Loss, Pursuit, eigenvalues, follow};
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::{Contact, LinearModel, LinearParts, Signal};
use percussion_solve::SolverOptions;
use percussion_step::{Flow, Model, ParameterModels, Problem};
use std::f64::consts::PI;

#[derive(Clone, Copy, Debug)]
struct Damper {
    zeta: f64,
    omega: f64,
    f: f64,
    d: f64,
    e: f64,
    mu: f64,
}

type Square = [[f64; 4]; 4];

/// An orbit of the closed form, right after its impact at the far wall.
struct Exact {
    w: f64,
    /// x, y, ẋ, ẏ.
    state: [f64; 4],
    /// Ωt there.
    phase: f64,
    half: Square,
}

fn dense(rows: &[Vec<f64>]) -> Matrix {
    Matrix::Dense(DenseMatrix::from_rows(rows).expect("a matrix"))
}

fn product(a: &Square, b: &Square) -> Square {
    let entry = |i: usize, j: usize| (0..4).map(|k| a[i][k] * b[k][j]).sum();
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
}

impl Damper {
    /// |1 − Ω² + 2iζΩ|.
    fn stiffness(&self) -> f64 {
        (1.0 - self.omega * self.omega).hypot(2.0 * self.zeta * self.omega)
    }

    /// exp(A t) of the mass on its spring.
    fn free(&self, t: f64) -> [[f64; 2]; 2] {
        let (z, w) = (self.zeta, (1.0 - self.zeta * self.zeta).sqrt());
        let (c, s, d) = ((w * t).cos(), (w * t).sin() / w, (-z * t).exp());
        [[d * (c + z * s), d * s], [-d * s, d * (c - z * s)]]
    }

    fn kappa(&self) -> f64 {
        (1.0 + self.e) / (1.0 + self.mu)
    }

    /// g, A, B.
    fn coefficients(&self) -> ([f64; 2], f64, f64) {
        let (T, k) = (2.0 * PI / self.omega, self.kappa());
        let P = self.free(0.5 * T);
        // (Φ + 1) g = (0, 1)
        let (a, b, c, d) = (P[0][0] + 1.0, P[0][1], P[1][0], P[1][1] + 1.0);
        let det = a * d - b * c;
        let g = [-b / det, a / det];
        (g, 2.0 * self.mu * g[0] - 0.25 * T, (2.0 - k) / k + 2.0 * self.mu * (g[1] - 1.0))
    }

    /// The least f at which there is such an orbit, and the f at which the loose mass at rest grazes.
    fn limits(&self) -> (f64, f64) {
        let (_, A, B) = self.coefficients();
        let b = B / self.omega;
        (0.5 * self.d * b.abs() / A.hypot(b) * self.stiffness(), 0.5 * self.d * self.stiffness())
    }

    /// The fast orbit, or the slow one.
    fn exact(&self, slow: bool) -> Option<Exact> {
        let Self { zeta, omega, f, d, mu, .. } = *self;
        let (_, A, B) = self.coefficients();
        let (T, k, a) = (2.0 * PI / omega, self.kappa(), f / self.stiffness());
        let (k2, k1, k0) = (A * A + (B / omega).powi(2), -d * A, 0.25 * d * d - a * a);
        let root = k1 * k1 - 4.0 * k2 * k0;
        if root < 0.0 {
            return None;
        }
        let w = (-k1 + if slow { root.sqrt() } else { -root.sqrt() }) / (2.0 * k2);
        let psi = (-w * B / omega).atan2(w * A - 0.5 * d);
        let phase = psi + (2.0 * zeta * omega).atan2(1.0 - omega * omega);
        let (before, x) = (w * (2.0 - k) / k, -0.25 * w * T - 0.5 * d);
        let after = before - 2.0 * mu * w;
        let rate = |v: f64, u: f64| [v, u, f * phase.cos() - 2.0 * zeta * v - x, 0.0];
        let (minus, plus) = (rate(before, -w), rate(after, w));
        let mut R = [[0.0; 4]; 4];
        (R[0][0], R[1][1]) = (1.0, 1.0);
        (R[2][2], R[2][3], R[3][2], R[3][3]) = (1.0 - mu * k, mu * k, k, 1.0 - k);
        let normal = [1.0, -1.0, 0.0, 0.0];
        let approach = minus[0] - minus[1];
        let mut S = R;
        for i in 0..4 {
            let jump = plus[i] - (0..4).map(|l| R[i][l] * minus[l]).sum::<f64>();
            (0..4).for_each(|j| S[i][j] += jump * normal[j] / approach);
        }
        let P = self.free(0.5 * T);
        let mut flow = [[0.0; 4]; 4];
        (flow[1][1], flow[1][3], flow[3][3]) = (1.0, 0.5 * T, 1.0);
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            flow[2 * i][2 * j] = P[i][j];
        }
        let half = product(&S, &flow).map(|row| row.map(|x| -x));
        Some(Exact { w, state: [x, x + 0.5 * d, after, w], phase, half })
    }

    /// The state of that orbit where Ωt is a multiple of 2π.
    fn at_strobe(&self, exact: &Exact) -> [f64; 4] {
        let Self { zeta, omega, f, .. } = *self;
        // the second half of the orbit is minus the first: the nearest half period before the strobe
        let halves = (exact.phase / PI).floor();
        let (sign, phase) = (if halves.rem_euclid(2.0) == 0.0 { 1.0 } else { -1.0 }, exact.phase - halves * PI);
        let t = (PI - phase) / omega;
        let (a, delta) = (f / self.stiffness(), (2.0 * zeta * omega).atan2(1.0 - omega * omega));
        let steady = |phase: f64| [a * (phase - delta).cos(), -a * omega * (phase - delta).sin()];
        let (start, end, F) = (steady(exact.phase), steady(exact.phase + omega * t), self.free(t));
        let [x, y, v, u] = exact.state;
        let h = [x - start[0], v - start[1]];
        let at = [end[0] + F[0][0] * h[0] + F[0][1] * h[1], y + u * t, end[1] + F[1][0] * h[0] + F[1][1] * h[1], u];
        // there Ωt is π beyond a multiple of 2π when the sign is 1: half a period on is minus that
        at.map(|x| -sign * x)
    }

    fn model(&self) -> LinearModel {
        let wall = |sign: f64| Contact {
            normal: vec![(0, sign), (1, -sign)],
            offset: Signal::constant(0.5 * self.d),
            restitution: self.e,
            ..Contact::default()
        };
        LinearModel::new(LinearParts {
            mass: dense(&[vec![1.0, 0.0], vec![0.0, self.mu]]),
            damping: Some(dense(&[vec![2.0 * self.zeta, 0.0], vec![0.0, 0.0]])),
            stiffness: Some(dense(&[vec![1.0, 0.0], vec![0.0, 0.0]])),
            force: vec![Signal::harmonic(0.0, self.f, self.omega, 0.5 * PI), Signal::constant(0.0)],
            contacts: vec![wall(1.0), wall(-1.0)],
            joints: vec![],
        })
        .expect("a model")
    }

    fn driven(&self, parameters: &[ParameterModels]) -> Driven {
        let problem = Problem::linear(self.model(), vec![0.0, 0.0], vec![0.0, 0.0]).expect("a problem");
        let flow = Flow::new(&problem, SolverOptions::default(), parameters).expect("a flow");
        Driven { flow, period: 2.0 * PI / self.omega, period_rate: 0.0 }
    }

    /// The largest |eigenvalue| of the half map of the fast orbit.
    fn radius(&self) -> f64 {
        let half = self.exact(false).expect("an orbit").half;
        let columns = (0..4).flat_map(|j| (0..4).map(move |i| half[i][j])).collect();
        let M = DenseMatrix::from_columns(4, 4, columns).expect("a matrix");
        eigenvalues(&M).first().map_or(0.0, |(re, im)| re.hypot(*im))
    }

    /// Where the radius passes 1 between two loads.
    fn stability_limit(&self, (mut inside, mut outside): (f64, f64)) -> f64 {
        let radius = |f: f64| Self { f, ..*self }.radius();
        assert!(radius(inside) < 1.0 && radius(outside) > 1.0, "{} {}", radius(inside), radius(outside));
        for _ in 0..60 {
            let middle = 0.5 * (inside + outside);
            *(if radius(middle) < 1.0 { &mut inside } else { &mut outside }) = middle;
        }
        inside
    }
}

const CASES: [Damper; 3] = [
    Damper { zeta: 0.1, omega: 1.1, f: 0.8, d: 6.0, e: 0.8, mu: 0.2 },
    Damper { zeta: 0.05, omega: 1.0, f: 0.9, d: 15.0, e: 0.6, mu: 0.1 },
    Damper { zeta: 0.03, omega: 1.02, f: 1.0, d: 20.0, e: 0.7, mu: 0.08 },
];

/// Traces of M, M², M³, M⁴, which are the sums of the powers of the multipliers.
fn traces(M: &Square) -> [f64; 4] {
    let mut power = *M;
    std::array::from_fn(|_| {
        let trace = (0..4).map(|i| power[i][i]).sum();
        power = product(&power, M);
        trace
    })
}

/// State and multipliers of the symmetric orbit: 1e-10 of the closed form.
#[test]
fn symmetric_orbits() {
    for damper in CASES {
        let exact = damper.exact(false).expect("an orbit");
        let x = damper.at_strobe(&exact);
        let guess = x.map(|x| x * 1.0005 + 1e-4);
        let orbit = damper.driven(&[]).orbit(&guess, 1).unwrap_or_else(|f| panic!("{damper:?}: {}", f.message));
        assert_eq!(orbit.impacts().count(), 2, "{damper:?}");
        let error = orbit.x.iter().zip(x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let expected = traces(&product(&exact.half, &exact.half));
        let powers = |k: i32| {
            let power = |&(re, im): &(f64, f64)| re.hypot(im).powi(k) * (f64::from(k) * im.atan2(re)).cos();
            orbit.multipliers.iter().map(power).sum::<f64>()
        };
        let worst = (1..=4).map(|k| (powers(k) - expected[k as usize - 1]).abs()).fold(0.0, f64::max);
        println!("{damper:?}: w = {:.6}, x {error:.1e}, multipliers {worst:.1e}, radius {}", exact.w, orbit.radius());
        assert!(error < 1e-10 && worst < 1e-10, "{damper:?}: {error:e} {worst:e}");
        assert!(orbit.is_stable() && damper.radius() < 1.0);
    }
}

/// Upwards the branch meets the load at which a multiplier passes +1 and the two halves cease to be alike; every orbit is that of the closed form.
#[test]
fn halves_cease_to_be_alike() {
    let base = CASES[0];
    let unlike = base.stability_limit((0.8, 1.4));
    let mut at = |f: f64| {
        let model = |f: f64| Ok::<Model, ()>(Model::from(Damper { f, ..base }.model()));
        let parameter = ParameterModels::new(f, 1e-3, model).expect("models");
        Ok(Damper { f, ..base }.driven(&[parameter]))
    };
    let x = base.at_strobe(&base.exact(false).expect("an orbit"));
    let orbit = at(base.f).expect("a system").orbit(&x, 1).expect("an orbit");
    let pursuit = Pursuit { range: (0.1, 1.3), sense: 1.0, points: 400, longest: 0.02 };
    let branch = follow(&mut at, (base.f, orbit), &pursuit);
    for point in &branch.points {
        let damper = Damper { f: point.p, ..base };
        let x = damper.at_strobe(&damper.exact(false).expect("an orbit"));
        let error = x.iter().zip(&point.orbit.x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error < 1e-8, "f = {}: {error:e}", point.p);
    }
    let found: Vec<(f64, Loss)> = branch.points.iter().filter_map(|b| b.loss.map(|loss| (b.p, loss))).collect();
    println!("+1 at {unlike} in the closed form; found {found:?}");
    assert!(found.iter().any(|&(f, loss)| loss == Loss::Fold && (f - unlike).abs() < 3e-3), "{unlike}: {found:?}");
}

/// The other limits: where a pair of multipliers leaves the unit circle, where the fast and the slow orbit meet, where the slow one grazes.
#[test]
fn limits_of_the_symmetric_orbit() {
    let base = CASES[0];
    let (least, grazing) = base.limits();
    let orbit = |f: f64, slow: bool| {
        let damper = Damper { f, ..base };
        let exact = damper.exact(slow).expect("an orbit");
        let made = damper.driven(&[]).orbit(&damper.at_strobe(&exact), 1);
        (exact.w, made.unwrap_or_else(|failure| panic!("f = {f}: {}", failure.message)))
    };
    let torus = base.stability_limit((0.8, 0.45));
    let radius = orbit(torus, false).1.radius();
    println!("a pair of modulus {radius} at f = {torus}; orbits from f = {least} on; grazing at {grazing}");
    assert!((radius - 1.0).abs() < 1e-8, "{radius}");
    assert!(Damper { f: least * (1.0 - 1e-9), ..base }.exact(false).is_none());
    // (w − w₀)² grows like f − f₀, and with it the distance of a multiplier from 1
    for (part, near) in [(1e-4, 0.03), (1e-6, 0.003), (1e-8, 0.0003)] {
        for slow in [false, true] {
            let (_, made) = orbit(least * (1.0 + part), slow);
            let one = made.multipliers.iter().map(|(re, im)| (re - 1.0).hypot(*im)).fold(f64::INFINITY, f64::min);
            println!("{part:e} above the least load: a multiplier {one:.2e} from 1");
            assert!(one < near, "{part}: {:?}", made.multipliers);
        }
    }
    // the approach is 2w/κ, and w goes to zero with the distance from the grazing load
    for part in [1e-1, 1e-2] {
        let (w, made) = orbit(grazing * (1.0 - part), true);
        let slowest = made.slowest_impact().expect("an impact");
        println!("{part:e} below grazing: the slowest impact {slowest:.3e}");
        assert!((slowest + 2.0 * w / base.kappa()).abs() < 1e-8 && slowest < 4.0 * part, "{slowest} {w}");
    }
}
