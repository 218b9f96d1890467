//! Wrong models are caught and right ones pass: forgotten velocity terms, a wrong sign, a wrong Jacobian, in random systems.

use percussion_matrix::DenseMatrix;
use percussion_model::{Auto, Claims, Energies, Lagrangian, Number, check_model};

/// T = ½ Σ m_i q̇_i² + Σ_{i<j} c_ij cos(q_i − q_j) q̇_i q̇_j, V = Σ a_i cos(q_i + b_i) + ½ Σ k_i (q_i − q_{i−1})², one gap, dampers
/// and a load in time that acts at rest too.
#[derive(Clone, Debug)]
struct Random {
    n: usize,
    numbers: Vec<f64>,
}

impl Random {
    fn new(seed: u64) -> Self {
        let mut dice = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut draw = || {
            dice = dice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (dice >> 11) as f64 / (1_u64 << 53) as f64
        };
        Self { n: 2 + (seed % 3) as usize, numbers: (0..64).map(|_| 0.2 + draw()).collect() }
    }
}

impl Energies for Random {
    fn n(&self) -> usize {
        self.n
    }
    fn restitutions(&self) -> &[f64] {
        &[0.5]
    }
    fn kinetic<D: Number>(&self, q: &[D], v: &[D]) -> D {
        let mut T = D::from(0.0);
        for i in 0..self.n {
            T += v[i] * v[i] * (1.0 + self.numbers[i]);
            for j in 0..i {
                T += (q[i] - q[j]).cos() * v[i] * v[j] * (0.3 * self.numbers[8 + 4 * i + j]);
            }
        }
        T
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        let weights = (0..self.n)
            .fold(D::from(0.0), |V, i| V + (q[i] + self.numbers[30 + i]).cos() * (5.0 * self.numbers[34 + i]));
        (1..self.n).fold(weights, |V, i| {
            let stretch = q[i] - q[i - 1];
            V + stretch * stretch * (2.0 * self.numbers[56 + i])
        })
    }
    fn constraint<D: Number>(&self, _j: usize, q: &[D]) -> D {
        q[0].sin() + q[1] * q[1] * self.numbers[40]
    }
    fn force<D: Number>(&self, _q: &[D], v: &[D], t: f64, Q: &mut [D]) {
        for i in 0..self.n {
            Q[i] = D::from(t.sin() + self.numbers[44 + i]) - v[i] * self.numbers[50 + i];
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    None,
    ForgottenVelocityTerms,
    WrongSign,
    /// One term of several.
    WrongSignOfASpring,
    /// On one of the two it couples.
    WrongSignInOneRow,
    WrongJacobian,
    /// A force that no potential has, on a model whose forces are said to have one; and one that is said to be a load.
    Follower,
    DeclaredFollower,
    WrongGradient,
    NoForce,
    NoForceBeside,
}

/// −2 q_1 on coordinate 0, nothing on 1: its curl is not zero.
fn follower(q: &[f64]) -> f64 {
    -2.0 * q[1]
}

/// A model with a mistake in it, as a user would write it: derivatives of the force by differences.
#[derive(Debug)]
struct Written {
    right: Auto<Random>,
    mistake: Mistake,
}

impl Lagrangian for Written {
    fn n(&self) -> usize {
        self.right.n()
    }
    fn restitutions(&self) -> &[f64] {
        self.right.restitutions()
    }
    fn mass_is_constant(&self) -> bool {
        false
    }
    fn mass(&self, q: &[f64], M: &mut DenseMatrix) {
        self.right.mass(q, M);
    }
    fn mass_tangent(&self, q: &[f64], x: &[f64], D: &mut DenseMatrix) {
        self.right.mass_tangent(q, x, D);
    }
    fn force(&self, q: &[f64], v: &[f64], t: f64, f: &mut [f64]) {
        self.right.force(q, v, t, f);
        let n = self.n();
        match self.mistake {
            Mistake::None | Mistake::WrongJacobian | Mistake::WrongGradient => {}
            Mistake::Follower | Mistake::DeclaredFollower => f[0] += follower(q),
            Mistake::NoForce => f[0] = f64::NAN,
            Mistake::NoForceBeside => f[0] *= if q[0] > 0.32 { f64::NAN } else { 1.0 },
            Mistake::ForgottenVelocityTerms => {
                let mut D = DenseMatrix::zeros(n, n);
                self.right.mass_tangent(q, v, &mut D);
                for i in 0..n {
                    f[i] += (0..n).map(|k| (D.get(i, k) - 0.5 * D.get(k, i)) * v[k]).sum::<f64>();
                }
            }
            Mistake::WrongSign => {
                let mut rest = vec![0.0; n];
                self.right.potential_gradient(q, &mut rest);
                f[n - 1] += 2.0 * rest[n - 1];
            }
            Mistake::WrongSignOfASpring => {
                let pull = 8.0 * self.right.energies().numbers[56 + n - 1] * (q[n - 1] - q[n - 2]);
                f[n - 1] += pull;
                f[n - 2] -= pull;
            }
            Mistake::WrongSignInOneRow => {
                f[n - 1] += 8.0 * self.right.energies().numbers[56 + n - 1] * (q[n - 1] - q[n - 2]);
            }
        }
    }
    fn force_tangents(&self, q: &[f64], v: &[f64], t: f64, K: &mut DenseMatrix, C: &mut DenseMatrix) {
        let n = self.n();
        let column = |x: &[f64], k: usize, of: &dyn Fn(&[f64], &mut [f64]), A: &mut DenseMatrix| {
            let (mut moved, d) = (x.to_vec(), 1e-5);
            let (mut up, mut down) = (vec![0.0; n], vec![0.0; n]);
            moved[k] = x[k] + d;
            of(&moved, &mut up);
            moved[k] = x[k] - d;
            of(&moved, &mut down);
            for i in 0..n {
                A.set(i, k, -(up[i] - down[i]) / (2.0 * d));
            }
        };
        for k in 0..n {
            column(q, k, &|q, f| self.force(q, v, t, f), K);
            column(v, k, &|v, f| self.force(q, v, t, f), C);
        }
    }
    fn potential_energy(&self, q: &[f64]) -> f64 {
        self.right.potential_energy(q)
    }
    fn potential_gradient(&self, q: &[f64], d: &mut [f64]) {
        self.right.potential_gradient(q, d);
        if self.mistake == Mistake::WrongGradient {
            d[0] *= 1.001;
        }
    }
    fn power_without_potential(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        let load = if self.mistake == Mistake::DeclaredFollower { follower(q) * v[0] } else { 0.0 };
        self.right.power_without_potential(q, v, t) + load
    }
    fn constraint(&self, j: usize, q: &[f64]) -> f64 {
        self.right.constraint(j, q)
    }
    fn gradient(&self, j: usize, q: &[f64], row: &mut [f64]) {
        self.right.gradient(j, q, row);
        if self.mistake == Mistake::WrongJacobian {
            row[0] = -row[0];
        }
    }
    fn hessian(&self, j: usize, q: &[f64], weight: f64, H: &mut DenseMatrix) {
        self.right.hessian(j, q, weight, H);
    }
}

fn check(seed: u64, mistake: Mistake) -> Vec<String> {
    claimed(seed, mistake, Claims { own_gradient: true, ..Claims::default() })
}

fn claimed(seed: u64, mistake: Mistake, claims: Claims) -> Vec<String> {
    let right = Auto::new(Random::new(seed)).expect("a model");
    let n = right.n();
    let q0: Vec<f64> = (0..n).map(|k| 0.3 + 0.2 * k as f64).collect();
    check_model(&Written { right, mistake }, &q0, &vec![0.5; n], claims)
}

#[test]
fn thirty_right_models_pass() {
    for seed in 0..30 {
        for mistake in [Mistake::None, Mistake::DeclaredFollower] {
            let found = check(seed, mistake);
            assert!(found.is_empty(), "model {seed}, {mistake:?}: {found:?}");
        }
    }
}

#[test]
fn thirty_wrong_models_are_caught() {
    let mistakes = [
        (Mistake::ForgottenVelocityTerms, "velocity terms"),
        (Mistake::WrongSign, "wrong sign"),
        (Mistake::WrongSignOfASpring, "not the one given"),
        (Mistake::WrongSignInOneRow, "at rest is not −∂V/∂q"),
        (Mistake::Follower, "the force on coordinate 0 at rest is not −∂V/∂q"),
        (Mistake::WrongGradient, "potential_q"),
        (Mistake::WrongJacobian, "gradient of a gap"),
        (Mistake::NoForce, "the force is infinite or NaN"),
    ];
    for seed in 0..30 {
        for (mistake, word) in mistakes {
            let found = check(seed, mistake);
            assert!(found.iter().any(|said| said.contains(word)), "model {seed}, {mistake:?}: {found:?}");
        }
    }
}

/// Where all loads were left aside, constant ones count too; what has no value at some of the states is told where it should have one.
#[test]
fn claims_are_held() {
    for seed in 0..5 {
        let found = claimed(seed, Mistake::None, Claims { no_loads: true, ..Claims::default() });
        assert!(found.iter().any(|said| said.contains("coordinate 0 at rest")), "model {seed}: {found:?}");
        let lenient = check(seed, Mistake::NoForceBeside);
        assert!(lenient.is_empty(), "model {seed}: {lenient:?}");
        let strict = claimed(seed, Mistake::NoForceBeside, Claims { everywhere: true, ..Claims::default() });
        assert!(strict.iter().any(|said| said.contains("NaN")), "model {seed}: {strict:?}");
    }
}
