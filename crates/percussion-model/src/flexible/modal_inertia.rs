//! What bending changes in the inertia of a reduced body: J(η), and what its modes carry about its centre.
//!
//!   x_i = r_i + Φ_iη,    T = ½ w·J(η)w + w·G(η)η̇ + ½|η̇|²,    J = J₀ + Σ η_m J_m + Σ η_mη_n J_mn,    Gη̇ = Σ η_mη̇_n g_mn
//!   L = Jw + Gη̇,   π = η̇ + Gᵀw;    R₁L₁ − R₀L₀ = h R̄ m  as  ΔL + a × L̄,    Δπ = h Q,   Q_m = ½ z₀ᵀ ∂_mM(η̄) z₁,  z = (w, η̇)
//!
//! M is quadratic in η, so Q·Δη = ½ z₀ᵀ(M₁ − M₀)z₁ exactly, and z̄·(Δp − hQ) is what T gains: energy is exact over a step, angular
//! momentum too, and the modes neither move nor turn the body as a whole (ΣmΦ = 0, Σm r×Φ = 0), so its velocity stands alone.
//! Geometric stiffness is in J_mn: w·K_G w stiffens η as a foreshortened body loses inertia, ½ ηᵀK_G(w)η less kinetic energy.

use crate::bodies::math::{Mat3, Vec3, add, axpy, cross, dot, mul, scale};

/// The parts of J and G that depend on the modal coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModalInertia {
    /// J_m [√kg·m].
    pub first: Vec<Mat3>,
    /// J_mn for m ≤ n, row by row of the upper triangle [1].
    pub second: Vec<Mat3>,
    /// g_mn for m < n, row by row; g_nm = −g_mn [1].
    pub turning: Vec<Vec3>,
    /// Whether geometric stiffness is among them.
    pub stiffened: bool,
}

/// How a reduced body stands and moves: modal coordinates, their rates, and its spin in its own frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModalState {
    /// η.
    pub eta: Vec<f64>,
    /// η̇.
    pub rate: Vec<f64>,
    /// w.
    pub w: Vec3,
}

/// Second moments Σ m a bᵀ as inertia: tr(E) 1 − ½(E + Eᵀ).
fn as_inertia(E: &Mat3) -> Mat3 {
    let trace = E[0][0] + E[1][1] + E[2][2];
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { trace } else { 0.0 } - 0.5 * (E[i][j] + E[j][i])))
}

fn add_scaled(to: &mut Mat3, factor: f64, A: &Mat3) {
    to.iter_mut().flatten().zip(A.iter().flatten()).for_each(|(x, a)| *x += factor * a);
}

/// A mass, its place about the common centre and how it moves in each mode.
type Node = (f64, Vec3, Vec<Vec3>);

impl ModalInertia {
    /// From masses, their places about the common centre, and how each moves in each of n modes.
    pub fn of(n: usize, nodes: &[Node]) -> Self {
        let moments = |of: &dyn Fn(&Node) -> [Vec3; 2]| {
            let mut E = [[0.0; 3]; 3];
            for node in nodes {
                let [a, b] = of(node);
                (0..3).for_each(|i| E[i] = axpy(&E[i], node.0 * a[i], &b));
            }
            E
        };
        let mut this = Self::default();
        for m in 0..n {
            let E = moments(&|(_, place, shapes)| [*place, shapes[m]]);
            this.first.push(as_inertia(&E).map(|row| scale(2.0, &row)));
            for k in m..n {
                let E = moments(&|(_, _, shapes)| [shapes[m], shapes[k]]);
                this.second.push(as_inertia(&E));
                if k > m {
                    this.turning.push([E[1][2] - E[2][1], E[2][0] - E[0][2], E[0][1] - E[1][0]]);
                }
            }
        }
        this
    }

    /// Takes geometric stiffness in: ½ ηᵀ(Σ w_a w_b K_ab)η, with K_ab between modes m and n as `stiffness(a, b, m, n)`.
    pub fn stiffen(&mut self, stiffness: impl Fn(usize, usize, usize, usize) -> f64) {
        let n = self.modes();
        for m in 0..n {
            for k in m..n {
                let at = self.place(m, k);
                for a in 0..3 {
                    for b in 0..3 {
                        let both = 0.5 * (stiffness(a, b, m, k) + stiffness(a, b, k, m));
                        self.second[at][a][b] -= both;
                    }
                }
            }
        }
        self.stiffened = true;
    }

    /// Number of modes.
    pub fn modes(&self) -> usize {
        self.first.len()
    }

    /// The place of J_mn, m ≤ n.
    fn place(&self, m: usize, n: usize) -> usize {
        let (m, n) = (m.min(n), m.max(n));
        m * (2 * self.modes() + 1 - m) / 2 + n - m
    }

    /// g_mn.
    fn pair(&self, m: usize, n: usize) -> Vec3 {
        let (low, high) = (m.min(n), m.max(n));
        if low == high {
            return [0.0; 3];
        }
        let at = self.place(low, high) - low - 1;
        scale(if m < n { 1.0 } else { -1.0 }, &self.turning[at])
    }

    /// J(η) − J₀.
    pub fn change(&self, eta: &[f64]) -> Mat3 {
        let mut J = [[0.0; 3]; 3];
        let mut second = self.second.iter();
        for (m, (x, first)) in eta.iter().zip(&self.first).enumerate() {
            add_scaled(&mut J, *x, first);
            for (k, (y, second)) in eta[m..].iter().zip(&mut second).enumerate() {
                add_scaled(&mut J, if k == 0 { x * y } else { 2.0 * x * y }, second);
            }
        }
        J
    }

    /// ∂J/∂η_m.
    pub fn slope(&self, m: usize, eta: &[f64]) -> Mat3 {
        let mut J = self.first[m];
        for (k, x) in eta.iter().enumerate() {
            add_scaled(&mut J, 2.0 * x, &self.second[self.place(m, k)]);
        }
        J
    }

    /// Σ_n g_mn x_n.
    pub fn swirl(&self, m: usize, x: &[f64]) -> Vec3 {
        x.iter().enumerate().fold([0.0; 3], |sum, (k, x)| axpy(&sum, *x, &self.pair(m, k)))
    }

    /// G(η)x.
    fn carried(&self, eta: &[f64], x: &[f64]) -> Vec3 {
        eta.iter().enumerate().fold([0.0; 3], |sum, (m, eta)| axpy(&sum, *eta, &self.swirl(m, x)))
    }

    /// L − J₀w, in the body's frame.
    pub fn moment(&self, at: &ModalState) -> Vec3 {
        add(&mul(&self.change(&at.eta), &at.w), &self.carried(&at.eta, &at.rate))
    }

    /// π_m − η̇_m = −w·Σ_n g_mn η_n.
    pub fn impulse(&self, m: usize, at: &ModalState) -> f64 {
        -dot(&at.w, &self.swirl(m, &at.eta))
    }

    /// What T has beside ½w·J₀w + ½|η̇|².
    pub fn energy(&self, at: &ModalState) -> f64 {
        let J = mul(&self.change(&at.eta), &at.w);
        dot(&at.w, &axpy(&self.carried(&at.eta, &at.rate), 0.5, &J))
    }

    /// Q_m of a step.
    pub fn push(&self, m: usize, mean: &[f64], [start, end]: [&ModalState; 2]) -> f64 {
        let J = dot(&start.w, &mul(&self.slope(m, mean), &end.w));
        0.5 * (J + dot(&start.w, &self.swirl(m, &end.rate)) + dot(&end.w, &self.swirl(m, &start.rate)))
    }

    /// What a step of length h leaves of the equations beside those of constant inertia: of the turn, ΔL + a × L̄ with a = h w_θ; of the modes, Δπ − hQ.
    pub fn left(&self, ends: [&ModalState; 2], a: &Vec3, h: f64, of_modes: &mut Vec<f64>) -> Vec3 {
        let [L0, L1] = ends.map(|end| self.moment(end));
        let mean: Vec<f64> = ends[0].eta.iter().zip(&ends[1].eta).map(|(x, y)| 0.5 * (x + y)).collect();
        of_modes.clear();
        of_modes.extend(
            (0..self.modes())
                .map(|m| self.impulse(m, ends[1]) - self.impulse(m, ends[0]) - h * self.push(m, &mean, ends)),
        );
        let change: Vec3 = std::array::from_fn(|k| L1[k] - L0[k]);
        add(&change, &cross(a, &scale(0.5, &add(&L0, &L1))))
    }

    /// z·Δp of the same parts, z = (Δw, Δη̇): what θ > ½ takes from them twice.
    pub fn change_along(&self, [start, end]: [&ModalState; 2]) -> f64 {
        let [L0, L1] = [start, end].map(|at| self.moment(at));
        let mut sum: f64 = (0..3).map(|k| (end.w[k] - start.w[k]) * (L1[k] - L0[k])).sum();
        for m in 0..self.modes() {
            sum += (end.rate[m] - start.rate[m]) * (self.impulse(m, end) - self.impulse(m, start));
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_tools::Dice;
    use super::*;
    use crate::bodies::math::sub;

    const N: usize = 4;

    fn some(dice: &mut Dice) -> (Vec<(f64, Vec3, Vec<Vec3>)>, ModalInertia) {
        let node = |dice: &mut Dice| {
            (dice.unit()[0].abs() + 0.1, dice.vector(), (0..N).map(|_| dice.vector()).collect::<Vec<_>>())
        };
        let nodes: Vec<_> = (0..7).map(|_| node(dice)).collect();
        let inertia = ModalInertia::of(N, &nodes);
        (nodes, inertia)
    }

    fn state(dice: &mut Dice) -> ModalState {
        let mut four = || {
            let (a, b) = (dice.vector(), dice.vector());
            vec![a[0], a[1], a[2], b[0]]
        };
        ModalState { eta: four(), rate: four(), w: dice.vector() }
    }

    /// Kinetic energy and angular momentum of point masses that move by w × x + Φη̇, for modes that neither move nor turn the whole.
    #[test]
    fn is_that_of_the_masses() {
        let mut dice = Dice::new(7);
        for _ in 0..20 {
            let ((nodes, inertia), at) = (some(&mut dice), state(&mut dice));
            let (mut L, mut T) = ([0.0; 3], 0.0);
            for (m, place, shapes) in &nodes {
                let of = |x: &[f64]| shapes.iter().zip(x).fold([0.0; 3], |sum, (s, x)| axpy(&sum, *x, s));
                let (x, own) = (add(place, &of(&at.eta)), of(&at.rate));
                let v = add(&cross(&at.w, &x), &own);
                let still = cross(&at.w, place);
                // what r × Φη̇ gives is zero for such modes, and not here
                L = axpy(&L, *m, &sub(&sub(&cross(&x, &v), &cross(place, &still)), &cross(place, &own)));
                let whole = dot(&v, &v) - dot(&still, &still) - dot(&own, &own) - 2.0 * dot(&still, &own);
                T += 0.5 * m * whole;
            }
            let (found, energy) = (inertia.moment(&at), inertia.energy(&at));
            (0..3).for_each(|k| assert!((found[k] - L[k]).abs() < 1e-12, "{found:?} {L:?}"));
            assert!((energy - T).abs() < 1e-12, "{energy} {T}");
        }
    }

    /// z̄·(what is left) with η₁ = η₀ + h η̇̄ is the change of the kinetic energy, at any step, stiffened or not.
    #[test]
    fn work_over_a_step_is_exact() {
        let mut dice = Dice::new(11);
        for case in 0..20 {
            let (_, mut inertia) = some(&mut dice);
            if case % 2 == 1 {
                let K: Vec<f64> = (0..9 * N * N).map(|_| dice.unit()[0]).collect();
                inertia.stiffen(|a, b, m, n| K[(3 * a.min(b) + a.max(b)) * N * N + m * N + n]);
            }
            let (start, mut end, h) = (state(&mut dice), state(&mut dice), 0.3);
            let mean: Vec<f64> = (0..N).map(|m| 0.5 * (start.rate[m] + end.rate[m])).collect();
            (0..N).for_each(|m| end.eta[m] = start.eta[m] + h * mean[m]);
            let w = scale(0.5, &add(&start.w, &end.w));
            let mut left = Vec::new();
            let turn = inertia.left([&start, &end], &scale(h, &w), h, &mut left);
            let work = dot(&w, &turn) + left.iter().zip(&mean).map(|(l, r)| l * r).sum::<f64>();
            let change = inertia.energy(&end) - inertia.energy(&start);
            assert!((work - change).abs() < 1e-12 * (1.0 + change.abs()), "{work} {change}");
        }
    }
}
