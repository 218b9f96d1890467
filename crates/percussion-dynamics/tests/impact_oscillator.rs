//! Orbits, multipliers, grazing and exponents against closed forms.
//!
//! Impact oscillator (Shaw and Holmes 1983):  ẍ + 2ζẋ + x = β cos ωt,  x ≤ σ,  v⁺ = −e v⁻. An orbit with one impact in n periods T of
//! the load is, after its impact, x = x_p(t) + the free motion from h = v⁺ g,  (Φ − 1) g = (0, −(1 + 1/e)),  Φ = exp(A nT);  x_p is the
//! steady state of amplitude a = β/|1 − ω² + 2iζω|. That x_p(0) = σ − v⁺g₁ and ẋ_p(0) = v⁺(1 − g₂) lie on its ellipse is a quadratic for v⁺.

use percussion_dynamics::{Driven, Loss, Pursuit, exponents, follow};
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::{Contact, LinearModel, LinearParts, Signal};
use percussion_solve::SolverOptions;
use percussion_step::{Flow, Model, ParameterModels, Problem, State};
use std::f64::consts::PI;

#[derive(Clone, Copy, Debug)]
struct Oscillator {
    zeta: f64,
    omega: f64,
    beta: f64,
    sigma: f64,
    e: f64,
}

fn dense(rows: &[Vec<f64>]) -> Matrix {
    Matrix::Dense(DenseMatrix::from_rows(rows).expect("a matrix"))
}

impl Oscillator {
    fn model(&self) -> LinearModel {
        let stop = Contact {
            normal: vec![(0, -1.0)],
            offset: Signal::constant(self.sigma),
            restitution: self.e,
            ..Contact::default()
        };
        LinearModel::new(LinearParts {
            mass: dense(&[vec![1.0]]),
            damping: Some(dense(&[vec![2.0 * self.zeta]])),
            stiffness: Some(dense(&[vec![1.0]])),
            force: vec![Signal::harmonic(0.0, self.beta, self.omega, 0.5 * PI)],
            contacts: vec![stop],
            joints: vec![],
        })
        .expect("a model")
    }

    fn problem(&self) -> Problem {
        Problem::linear(self.model(), vec![self.sigma.min(0.0) - 0.1], vec![0.0]).expect("a problem")
    }

    /// exp(A t), A = (0, 1; −1, −2ζ).
    fn free(&self, t: f64) -> [[f64; 2]; 2] {
        let (z, w) = (self.zeta, (1.0 - self.zeta * self.zeta).sqrt());
        let (c, s, d) = ((w * t).cos(), (w * t).sin() / w, (-z * t).exp());
        [[d * (c + z * s), d * s], [-d * s, d * (c - z * s)]]
    }

    /// v⁺, the load's phase at the impact, and the monodromy matrix after the impact, of an orbit of n periods with one impact.
    fn closed_form(&self, n: usize) -> Option<(f64, f64, [[f64; 2]; 2])> {
        let Self { zeta, omega, beta, sigma, e } = *self;
        let t = n as f64 * 2.0 * PI / omega;
        let P = self.free(t);
        // (Φ − 1) g = (0, −(1 + 1/e))
        let (a, b, c, d) = (P[0][0] - 1.0, P[0][1], P[1][0], P[1][1] - 1.0);
        let det = a * d - b * c;
        let r = -(1.0 + 1.0 / e);
        let g = [-b * r / det, a * r / det];
        let amplitude = beta / (1.0 - omega * omega).hypot(2.0 * zeta * omega);
        // (σ − v g₁)² + (v (1 − g₂)/ω)² = a²
        let (k2, k1) = (g[0] * g[0] + ((1.0 - g[1]) / omega).powi(2), -2.0 * sigma * g[0]);
        let k0 = sigma * sigma - amplitude * amplitude;
        let root = (k1 * k1 - 4.0 * k2 * k0).max(0.0);
        if root == 0.0 {
            return None;
        }
        // leaving the stop is negative velocity
        let v = [(-k1 - root.sqrt()) / (2.0 * k2), (-k1 + root.sqrt()) / (2.0 * k2)].into_iter().reduce(f64::min)?;
        if v >= 0.0 {
            return None;
        }
        let (x_p, v_p) = (sigma - v * g[0], v * (1.0 - g[1]));
        // x_p = a cos(ψ), ẋ_p = −aω sin ψ with ψ = ωt + φ − δ
        let psi = (-v_p / omega).atan2(x_p);
        let delta = (2.0 * zeta * omega).atan2(1.0 - omega * omega);
        let phase = psi + delta;
        let (before, load) = (-v / e, beta * phase.cos());
        let acceleration = |v: f64| load - 2.0 * zeta * v - sigma;
        let jump = (e * acceleration(before) + acceleration(v)) / before;
        let S = [[-e, 0.0], [jump, -e]];
        let product = |A: [[f64; 2]; 2], B: [[f64; 2]; 2]| {
            let entry = |i: usize, j: usize| A[i][0] * B[0][j] + A[i][1] * B[1][j];
            [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]]
        };
        Some((v, phase, product(S, P)))
    }

    /// The state of that orbit where the load's phase is zero, from the closed form.
    fn at_strobe(&self, n: usize) -> Option<[f64; 2]> {
        let (v, phase, _) = self.closed_form(n)?;
        // from the impact on to the next whole period
        let ahead = (2.0 * PI - phase.rem_euclid(2.0 * PI)) / self.omega;
        let amplitude = self.beta / (1.0 - self.omega.powi(2)).hypot(2.0 * self.zeta * self.omega);
        let delta = (2.0 * self.zeta * self.omega).atan2(1.0 - self.omega.powi(2));
        let steady = |psi: f64| [amplitude * psi.cos(), -amplitude * self.omega * psi.sin()];
        let start = steady(phase - delta);
        let (h, F) = ([self.sigma - start[0], v - start[1]], self.free(ahead));
        let end = steady(-delta);
        Some([end[0] + F[0][0] * h[0] + F[0][1] * h[1], end[1] + F[1][0] * h[0] + F[1][1] * h[1]])
    }

    fn period(&self) -> f64 {
        2.0 * PI / self.omega
    }

    fn driven(&self, parameters: &[ParameterModels]) -> Driven {
        let flow = Flow::new(&self.problem(), SolverOptions::default(), parameters).expect("a flow");
        Driven { flow, period: self.period(), period_rate: 0.0 }
    }
}

/// Eigenvalues of a 2 × 2 matrix, the larger first.
fn pair(A: [[f64; 2]; 2]) -> [(f64, f64); 2] {
    let (half, det) = (0.5 * (A[0][0] + A[1][1]), A[0][0] * A[1][1] - A[0][1] * A[1][0]);
    let root = half * half - det;
    if root < 0.0 {
        return [(half, (-root).sqrt()), (half, -(-root).sqrt())];
    }
    let far = half + root.sqrt().copysign(half);
    [(far, 0.0), (det / far, 0.0)]
}

const CASES: [(Oscillator, usize); 4] = [
    (Oscillator { zeta: 0.05, omega: 2.8, beta: 1.0, sigma: 0.0, e: 0.8 }, 1),
    (Oscillator { zeta: 0.1, omega: 2.2, beta: 1.0, sigma: 0.1, e: 0.6 }, 1),
    (Oscillator { zeta: 0.02, omega: 4.4, beta: 1.0, sigma: 0.0, e: 0.7 }, 2),
    (Oscillator { zeta: 0.0, omega: 2.7, beta: 1.0, sigma: 0.05, e: 0.5 }, 1),
];

/// State and multipliers of orbits with one impact: 1e-10 of the closed form.
#[test]
fn orbits_of_the_impact_oscillator() {
    for (oscillator, n) in CASES {
        let x = oscillator.at_strobe(n).expect("an orbit");
        let (_, _, M) = oscillator.closed_form(n).expect("an orbit");
        let guess = [x[0] * 1.001 - 1e-3, x[1] * 0.999 + 1e-3];
        let orbit = oscillator.driven(&[]).orbit(&guess, n).unwrap_or_else(|f| panic!("{oscillator:?}: {}", f.message));
        assert_eq!(orbit.impacts().count(), 1, "{oscillator:?}");
        let error = (orbit.x[0] - x[0]).abs().max((orbit.x[1] - x[1]).abs());
        let worst =
            orbit.multipliers.iter().zip(pair(M)).map(|(a, b)| (a.0 - b.0).hypot(a.1 - b.1)).fold(0.0, f64::max);
        println!("{oscillator:?}: x {error:.1e}, multipliers {worst:.1e} of {:?}", orbit.multipliers);
        assert!(error < 1e-10 && worst < 1e-10, "{oscillator:?}: {error:e}, {worst:e}");
    }
}

/// The derivative of the orbit's state after a period with respect to e, β and σ against Richardson's differences of the flow, 1e-7.
#[test]
fn derivatives_by_parameters() {
    let oscillator = CASES[0].0;
    let x = oscillator.at_strobe(1).expect("an orbit");
    let from = State { t: 0.0, q: vec![x[0]], v: vec![x[1]] };
    let change: [fn(Oscillator, f64) -> Oscillator; 3] = [
        |o, d| Oscillator { e: o.e + d, ..o },
        |o, d| Oscillator { beta: o.beta + d, ..o },
        |o, d| Oscillator { sigma: o.sigma + d, ..o },
    ];
    for change in change {
        let at = |d: f64| Ok::<Model, ()>(Model::from(change(oscillator, d).model()));
        let models = ParameterModels::new(0.0, 1e-3, at).expect("models");
        let mut flow = Flow::new(&oscillator.problem(), SolverOptions::default(), &[models]).expect("a flow");
        let columns = flow.unit_columns();
        let end = flow.run(&from, oscillator.period(), columns).expect("a run");
        let moved = |d: f64| {
            let mut flow = Flow::new(&change(oscillator, d).problem(), SolverOptions::default(), &[]).expect("a flow");
            let end = flow.run(&from, oscillator.period(), vec![]).expect("a run");
            [end.state.q[0], end.state.v[0], end.events[0].t]
        };
        let slope = |d: f64| {
            let (a, b) = (moved(d), moved(-d));
            [0, 1, 2].map(|k| (a[k] - b[k]) / (2.0 * d))
        };
        let (coarse, fine) = (slope(2e-4), slope(1e-4));
        let exact = [end.columns[2][0], end.columns[2][1], end.instants[0].derivative[2]];
        for k in 0..3 {
            let richardson = (4.0 * fine[k] - coarse[k]) / 3.0;
            assert!((exact[k] - richardson).abs() < 1e-7 * (1.0 + exact[k].abs()), "{k}: {} {richardson}", exact[k]);
        }
    }
}

/// The branch over β from a large load down ends where the orbit's impact becomes a touch, or in a fold; the closed form says where.
#[test]
fn branch_to_its_end() {
    let base = CASES[1].0;
    let x = base.at_strobe(1).expect("an orbit");
    let mut at = |beta: f64| {
        let models = |b: f64| Ok::<Model, ()>(Model::from(Oscillator { beta: b, ..base }.model()));
        let parameter = ParameterModels::new(beta, 1e-3, models).expect("models");
        Ok(Oscillator { beta, ..base }.driven(&[parameter]))
    };
    let orbit = at(base.beta).expect("a system").orbit(&x, 1).expect("an orbit");
    let pursuit = Pursuit { range: (0.05, 1.5), sense: -1.0, points: 200, longest: 0.02 };
    let branch = follow(&mut at, (base.beta, orbit), &pursuit);
    for point in branch.points.iter().filter(|point| point.orbit.impacts().count() == 1) {
        let (_, _, M) = Oscillator { beta: point.p, ..base }.closed_form(1).expect("an orbit");
        let worst = point.orbit.multipliers.iter().zip(pair(M)).map(|(a, b)| (a.0 - b.0).hypot(a.1 - b.1));
        // near grazing the multiplier grows like 1/v, and its derivative like 1/v²
        let v = point.orbit.slowest_impact().expect("an impact");
        let worst = worst.fold(0.0, f64::max);
        assert!(worst < 1e-13 / (v * v).min(1e-3), "β = {}: {worst:e}", point.p);
    }
    let losses: Vec<(f64, Loss)> = branch.points.iter().filter_map(|b| b.loss.map(|l| (b.p, l))).collect();
    println!("{} points, losses {losses:?}, end {:?}", branch.points.len(), branch.end);
    // −1 is a multiplier where trace + determinant + 1 = 0; the closed form's root by bisection
    let flip = |beta: f64| {
        let (_, _, M) = Oscillator { beta, ..base }.closed_form(1).expect("an orbit");
        1.0 + M[0][0] + M[1][1] + M[0][0] * M[1][1] - M[0][1] * M[1][0]
    };
    let (mut low, mut high) = (0.40, 0.45);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if flip(middle) < 0.0 { low = middle } else { high = middle }
    }
    // the orbit without impacts touches where its amplitude is σ
    let graze = base.sigma * (1.0 - base.omega * base.omega).hypot(2.0 * base.zeta * base.omega);
    // a point after the change, at most a twentieth of the longest step away
    let near = |expected: f64, kind: Loss| losses.iter().any(|&(p, loss)| loss == kind && (p - expected).abs() < 2e-3);
    assert!(near(high, Loss::Flip), "flip at {high}: {losses:?}");
    let last = branch.points.iter().rfind(|point| point.orbit.impacts().count() == 1).expect("orbits with an impact");
    assert!(near(graze, Loss::Grazing) || (last.p - graze).abs() < 2e-3, "grazing at {graze}: {losses:?}, {}", last.p);
}

/// Near grazing the map over a period has a square root (Nordmark 1991). From the motion that touches the stop, x_p of amplitude σ, a
/// start moved by δ arrives at the stop t_g = ψ/ω later with y = (Φ(t_g) δ)₁ too much, hence with the velocity √(2Ay), A = ω²σ, and
/// after the period it is off the motion without a stop by Φ(T − t_g)(0, −(1 + e)√(2Ay)) + O(δ).
#[test]
fn square_root_at_grazing() {
    let base = CASES[1].0;
    let Oscillator { zeta, omega, sigma, e, .. } = base;
    let stiffness = (1.0 - omega * omega).hypot(2.0 * zeta * omega);
    let oscillator = Oscillator { beta: sigma * stiffness, ..base };
    let delta = (2.0 * zeta * omega).atan2(1.0 - omega * omega);
    let touch = [sigma * delta.cos(), sigma * omega * delta.sin()];
    let (T, t_g) = (oscillator.period(), delta.rem_euclid(2.0 * PI) / omega);
    let (to, rest, all) = (oscillator.free(t_g), oscillator.free(T - t_g), oscillator.free(T));
    let sense = to[0][0].signum();
    let mut slopes = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    for k in 3..=8 {
        let d = 10.0_f64.powi(-k);
        let from = State { t: 0.0, q: vec![touch[0] + sense * d], v: vec![touch[1]] };
        let end = oscillator.driven(&[]).flow.run(&from, T, vec![]).expect("a run");
        let free = [touch[0] + all[0][0] * sense * d, touch[1] + all[1][0] * sense * d];
        let off = [end.state.q[0] - free[0], end.state.v[0] - free[1]];
        let jump = -(1.0 + e) * (2.0 * omega * omega * sigma * to[0][0].abs() * d).sqrt();
        let expected = [rest[0][1] * jump, rest[1][1] * jump];
        let (size, ratio) = (off[0].hypot(off[1]), off[0].hypot(off[1]) / expected[0].hypot(expected[1]));
        slopes.extend(before.map(|(d0, size0)| (size / size0).ln() / (d / d0).ln()));
        before = Some((d, size));
        println!("δ = {d:.0e}: off {size:.3e}, {ratio:.6} of the square root");
        // the next term is of the order of δ, √δ of this one
        assert!((ratio - 1.0).abs() < 30.0 * d.sqrt(), "δ = {d}: {off:?} {expected:?}");
    }
    println!("slopes {slopes:?}");
    assert!(slopes.last().is_some_and(|slope| (slope - 0.5).abs() < 1e-3), "{slopes:?}");
}

/// A ball in chaos on a table: the exponent against the product of the Jacobians of the map from impact to impact, computed here along a
/// trajectory of its own. With e = 0.95 and a = 2 g/ω² the ball never rests on the table (where it does, it forgets where it came from, and the
/// exponent is −∞). The scatter of the map over trajectories is 7 % of λ in 1500 periods and 4 % in 6000.
#[test]
fn exponent_of_a_bouncing_ball_on_a_table() {
    // ball above a table z = a sin ωt: ẍ = −g, x ≥ z, e; the map from impact to impact in closed form, its roots by bisection
    let (g, e, omega, amplitude) = (1.0, 0.95, 1.0, 2.0);
    let table = |t: f64| amplitude * (omega * t).sin();
    let rate = |t: f64| amplitude * omega * (omega * t).cos();
    let push = |t: f64| -amplitude * omega * omega * (omega * t).sin();
    let (periods, reference) = (120_000_u32, 240_000_u32);
    let T = 2.0 * PI / omega;

    // independent: flights by scanning and bisection, Jacobian of (t, v) ↦ (t', v') by implicit differentiation
    let (mut t, mut v) = (0.3_f64, 3.0_f64);
    let mut column = [1.0_f64, 0.3];
    let (mut sum, mut start) = (0.0, 0.0);
    while t < (f64::from(reference) + 200.0) * T {
        let height = |s: f64| table(t) + v * s - 0.5 * g * s * s - table(t + s);
        let mut s = 1e-6;
        while height(s) > 0.0 {
            s += 1e-2;
        }
        let (mut low, mut high) = ((s - 1e-2).max(1e-7), s);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if height(middle) > 0.0 { low = middle } else { high = middle }
        }
        let s = high;
        let (hit, arrival) = (t + s, v - g * s);
        let after = -e * (arrival - rate(hit)) + rate(hit);
        // of height = 0: dt'
        let slope = arrival - rate(hit);
        let dhit = [1.0 - (rate(t) - rate(hit)) / slope, -s / slope];
        let darrival = [-g * (dhit[0] - 1.0), 1.0 - g * dhit[1]];
        let dafter = |k: usize| -e * darrival[k] + (1.0 + e) * push(hit) * dhit[k];
        column = [dhit[0] * column[0] + dhit[1] * column[1], dafter(0) * column[0] + dafter(1) * column[1]];
        let norm = column[0].hypot(column[1]);
        column = [column[0] / norm, column[1] / norm];
        if t > 200.0 * T {
            if start == 0.0 {
                start = t;
            }
            sum += norm.ln();
        }
        (t, v) = (hit, after);
    }
    let expected = sum / (t - start);

    let ball = LinearModel::new(LinearParts {
        mass: dense(&[vec![1.0]]),
        damping: None,
        stiffness: None,
        force: vec![Signal::constant(-g)],
        contacts: vec![Contact {
            normal: vec![(0, 1.0)],
            offset: Signal::harmonic(0.0, -amplitude, omega, 0.0),
            restitution: e,
            ..Contact::default()
        }],
        joints: vec![],
    })
    .expect("a ball");
    let problem = Problem::linear(ball, vec![2.0], vec![0.0]).expect("a problem");
    let flow = Flow::new(&problem, SolverOptions::default(), &[]).expect("a flow");
    let mut driven = Driven { flow, period: T, period_rate: 0.0 };
    let stop = std::sync::atomic::AtomicBool::new(false);
    let found = exponents(&mut driven, &[2.0, 0.0], 2, (200, u64::from(periods)), &stop, &|_| {})
        .expect("a run")
        .expect("not stopped");
    println!("λ = {:?} against {expected}, {} impacts, {} periods skipped", found.values, found.impacts, found.skipped);
    assert!((found.values[0] / expected - 1.0).abs() < 0.02, "{} {expected}", found.values[0]);
}

/// The phase of the load shifts an orbit in time and nothing else: its impact passes t = 0, the branch goes on, and multipliers stay.
#[test]
fn an_impact_passes_the_start() {
    let (base, _) = CASES[1];
    let shifted = |phase: f64| {
        let parts = base.model().parts().clone();
        let force = vec![Signal::harmonic(0.0, base.beta, base.omega, 0.5 * PI + phase)];
        LinearModel::new(LinearParts { force, ..parts }).expect("a model")
    };
    let mut at = |phase: f64| {
        let model = |phase: f64| Ok::<Model, ()>(Model::from(shifted(phase)));
        let parameter = ParameterModels::new(phase, 1e-3, model).expect("models");
        let problem = Problem::linear(shifted(phase), vec![-0.1], vec![0.0]).expect("a problem");
        let flow = Flow::new(&problem, SolverOptions::default(), &[parameter]).expect("a flow");
        Ok(Driven { flow, period: base.period(), period_rate: 0.0 })
    };
    let x = base.at_strobe(1).expect("an orbit");
    let orbit = at(0.0).expect("a system").orbit(&x, 1).expect("an orbit");
    let (first, multipliers) = (orbit.impacts().next().expect("an impact").t, orbit.multipliers.clone());
    let pursuit = Pursuit { range: (-0.1, 2.0 * PI), sense: 1.0, points: 400, longest: 0.03 };
    let branch = follow(&mut at, (0.0, orbit), &pursuit);
    let last = branch.points.last().expect("orbits");
    assert!(branch.end.is_none() && last.p > 6.0, "to {}: {:?}", last.p, branch.end);
    for point in &branch.points {
        assert_eq!((point.orbit.impacts().count(), point.loss), (1, None), "phase {}", point.p);
        let worst = point.orbit.multipliers.iter().zip(&multipliers).map(|(a, b)| (a.0 - b.0).hypot(a.1 - b.1));
        assert!(worst.fold(0.0, f64::max) < 1e-9, "phase {}: {:?}", point.p, point.orbit.multipliers);
        let expected = (first - point.p / base.omega).rem_euclid(base.period());
        let t = point.orbit.impacts().next().expect("an impact").t;
        let off = (t - expected).rem_euclid(base.period());
        assert!(off.min(base.period() - off) < 1e-9, "phase {}: {t} {expected}", point.p);
    }
}

/// The frequency moves the impact and the period. The load's phase is chosen so that the impact is at t = 0, where no orbit can start: those
/// started elsewhere have the multipliers of the closed form.
#[test]
fn a_branch_over_the_frequency() {
    let (base, _) = CASES[1];
    let (_, phase, _) = base.closed_form(1).expect("an orbit");
    let shifted = |omega: f64| {
        let oscillator = Oscillator { omega, ..base };
        let force = vec![Signal::harmonic(0.0, base.beta, omega, 0.5 * PI + phase)];
        LinearModel::new(LinearParts { force, ..oscillator.model().parts().clone() }).expect("a model")
    };
    let mut at = |omega: f64| {
        let model = |omega: f64| Ok::<Model, ()>(Model::from(shifted(omega)));
        let parameter = ParameterModels::new(omega, 1e-3, model).expect("models");
        let problem = Problem::linear(shifted(omega), vec![-0.1], vec![0.0]).expect("a problem");
        let flow = Flow::new(&problem, SolverOptions::default(), &[parameter]).expect("a flow");
        Ok(Driven { flow, period: 2.0 * PI / omega, period_rate: -2.0 * PI / (omega * omega) })
    };
    let (v, _, _) = base.closed_form(1).expect("an orbit");
    let orbit = at(base.omega).expect("a system").orbit(&[base.sigma - 1e-6, v], 1).expect("an orbit");
    for sense in [1.0, -1.0] {
        let pursuit = Pursuit { range: (2.0, 2.6), sense, points: 100, longest: 0.05 };
        let branch = follow(&mut at, (base.omega, orbit.clone()), &pursuit);
        println!("{} orbits to {}", branch.points.len(), branch.points.last().expect("orbits").p);
        assert!(branch.points.len() > 5 && branch.end.is_none(), "{:?}", branch.end);
        assert!(branch.points.iter().all(|point| point.orbit.start != 0.0));
        for point in &branch.points {
            let (_, _, M) = Oscillator { omega: point.p, ..base }.closed_form(1).expect("an orbit");
            let worst = point.orbit.multipliers.iter().zip(pair(M)).map(|(a, b)| (a.0 - b.0).hypot(a.1 - b.1));
            assert!(worst.fold(0.0, f64::max) < 1e-9, "ω = {}", point.p);
            assert_eq!(point.orbit.impacts().count(), 1, "ω = {}", point.p);
            // on the way the period doubles, which the multipliers say; nothing else happens
            assert!(matches!(point.loss, None | Some(Loss::Flip)), "ω = {}: {:?}", point.p, point.loss);
        }
    }
}
