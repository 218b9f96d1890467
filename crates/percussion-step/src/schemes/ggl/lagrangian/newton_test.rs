//! The Newton matrix against central differences of the residuals, on random nonlinear systems.

use super::*;

/// M(q) = M₀ + (a·q)² B, f = −Kq − κ q³ − (1 + q_i²) C v, g_j = c_j + b_j·q + ½ qᵀA_j q + ⅙ s_j (d_j·q)³; n = 4, 2 joints, 3 contacts.
#[derive(Debug)]
struct Wild {
    M0: Vec<f64>,
    B: Vec<f64>,
    a: Vec<f64>,
    K: Vec<f64>,
    C: Vec<f64>,
    kappa: f64,
    g: Vec<Quadratic>,
    e: Vec<f64>,
}

#[derive(Debug)]
struct Quadratic {
    c: f64,
    b: Vec<f64>,
    A: Vec<f64>,
    d: Vec<f64>,
    s: f64,
}

const N: usize = 4;

fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn symmetric(seed: &mut u64, shift: f64) -> Vec<f64> {
    let X: Vec<f64> = (0..N * N).map(|_| noise(seed)).collect();
    let mut S = vec![0.0; N * N];
    for i in 0..N {
        for j in 0..N {
            S[i + N * j] = 0.5 * (X[i + N * j] + X[j + N * i]) + if i == j { shift } else { 0.0 };
        }
    }
    S
}

fn times(A: &[f64], x: &[f64]) -> Vec<f64> {
    (0..N).map(|i| (0..N).map(|j| A[i + N * j] * x[j]).sum()).collect()
}

impl Wild {
    fn new(seed: &mut u64) -> Self {
        let vector = |seed: &mut u64| (0..N).map(|_| noise(seed)).collect::<Vec<f64>>();
        let g = (0..5)
            .map(|_| Quadratic {
                c: 0.1 * noise(seed),
                b: vector(seed),
                A: symmetric(seed, 0.0),
                d: vector(seed),
                s: noise(seed),
            })
            .collect();
        Self {
            M0: symmetric(seed, 4.0),
            B: symmetric(seed, 2.0),
            a: vector(seed),
            K: symmetric(seed, 3.0),
            C: symmetric(seed, 1.0),
            kappa: noise(seed),
            g,
            e: vec![0.3, 0.5, 0.8],
        }
    }
}

impl Lagrangian for Wild {
    fn n(&self) -> usize {
        N
    }
    fn n_joints(&self) -> usize {
        2
    }
    fn restitutions(&self) -> &[f64] {
        &self.e
    }
    fn mass_is_constant(&self) -> bool {
        false
    }
    fn mass(&self, q: &[f64], M: &mut DenseMatrix) {
        let s = vector::dot(&self.a, q);
        for (m, (x, y)) in M.values_mut().iter_mut().zip(self.M0.iter().zip(&self.B)) {
            *m = x + s * s * y;
        }
    }
    fn mass_tangent(&self, q: &[f64], x: &[f64], D: &mut DenseMatrix) {
        let s = vector::dot(&self.a, q);
        let Bx = times(&self.B, x);
        for j in 0..N {
            for i in 0..N {
                D.set(i, j, D.get(i, j) + 2.0 * s * Bx[i] * self.a[j]);
            }
        }
    }
    fn force(&self, q: &[f64], v: &[f64], t: f64, f: &mut [f64]) {
        let (Kq, Cv) = (times(&self.K, q), times(&self.C, v));
        for i in 0..N {
            f[i] = t.sin() - Kq[i] - self.kappa * q[i].powi(3) - (1.0 + q[i] * q[i]) * Cv[i];
        }
    }
    fn force_tangents(&self, q: &[f64], v: &[f64], _t: f64, K: &mut DenseMatrix, C: &mut DenseMatrix) {
        let Cv = times(&self.C, v);
        for j in 0..N {
            for i in 0..N {
                let diagonal = if i == j { 3.0 * self.kappa * q[i] * q[i] + 2.0 * q[i] * Cv[i] } else { 0.0 };
                K.set(i, j, self.K[i + N * j] + diagonal);
                C.set(i, j, (1.0 + q[i] * q[i]) * self.C[i + N * j]);
            }
        }
    }
    fn potential_energy(&self, _q: &[f64]) -> f64 {
        0.0
    }
    fn constraint(&self, j: usize, q: &[f64]) -> f64 {
        let g = &self.g[j];
        g.c + vector::dot(&g.b, q) + 0.5 * vector::dot(&times(&g.A, q), q) + g.s * vector::dot(&g.d, q).powi(3) / 6.0
    }
    fn gradient(&self, j: usize, q: &[f64], row: &mut [f64]) {
        let g = &self.g[j];
        let Aq = times(&g.A, q);
        let s = 0.5 * g.s * vector::dot(&g.d, q).powi(2);
        for i in 0..N {
            row[i] = g.b[i] + Aq[i] + s * g.d[i];
        }
    }
    fn hessian(&self, j: usize, q: &[f64], weight: f64, H: &mut DenseMatrix) {
        let g = &self.g[j];
        let s = g.s * vector::dot(&g.d, q);
        for k in 0..N {
            for i in 0..N {
                H.set(i, k, H.get(i, k) + weight * (g.A[i + N * k] + s * g.d[i] * g.d[k]));
            }
        }
    }
}

/// Every entry of the matrix, both variants, both activation rules, random active sets: 1e-7 of the largest entry.
#[test]
fn matrix_is_the_derivative_of_the_residuals() {
    let mut seed = 11;
    for case in 0..40 {
        let model = Wild::new(&mut seed);
        let random = |k: usize, seed: &mut u64| (0..k).map(|_| noise(seed)).collect::<Vec<f64>>();
        let (v_n, carried) = (random(N, &mut seed), random(5, &mut seed));
        let s = Setting {
            model: &model,
            p: NewmarkLike::chung_hulbert(0.3 + 0.5 * noise(&mut seed).abs()),
            variant: if case % 2 == 0 { GglVariant::Ggl } else { GglVariant::ModifiedLcp { theta: 0.8 } },
            hold: case % 4 >= 2,
            h: 0.05,
            t: 0.7,
            v_n: &v_n,
            closed_at: ClosedAt::Smooth,
            numerics: Numerics::default(),
            weights: [1.0; 3],
            carried: &carried,
        };
        let make = |seed: &mut u64| {
            let mut x = Iterate::new(N, 2, 5);
            for part in [&mut x.vd, &mut x.lt, &mut x.U, &mut x.nu, &mut x.W, &mut x.La, &mut x.q, &mut x.vt] {
                part.iter_mut().for_each(|y| *y = noise(seed));
            }
            x.update(&s, &vec![0.0; s.size()]);
            x
        };
        let copy = |x: &Iterate| Iterate {
            vd: x.vd.clone(),
            lt: x.lt.clone(),
            U: x.U.clone(),
            nu: x.nu.clone(),
            W: x.W.clone(),
            La: x.La.clone(),
            q: x.q.clone(),
            vt: x.vt.clone(),
            v: x.v.clone(),
        };
        let x = make(&mut seed);
        let mut newton = GglNewton::new(&model);
        newton.u_n = random(5, &mut seed);
        newton.evaluate(&s, &x);
        newton.choose_sets(&s, &x, 1.0);
        for j in 2..5 {
            (newton.in_A[j], newton.in_B[j]) = (noise(&mut seed) > 0.0, noise(&mut seed) > 0.0);
        }
        newton.residuals(&s, &x);
        newton.assemble(&s, &x);
        let entries: Vec<f64> =
            (0..s.size() * s.size()).map(|k| newton.system.entry(k % s.size(), k / s.size())).collect();
        let largest = vector::max_abs(&entries);

        // differences with the sets frozen; u_n moves with the gradient under hold
        let step = 1e-5;
        let mut side = |j: usize, sign: f64| {
            let mut y = copy(&x);
            let mut increment = vec![0.0; s.size()];
            increment[j] = sign * step;
            y.update(&s, &increment);
            newton.evaluate(&s, &y);
            if s.hold {
                for k in 2..5 {
                    newton.u_n[k] = vector::dot(newton.at.G.column(k), s.v_n);
                }
            }
            newton.residuals(&s, &y);
            newton.residual().to_vec()
        };
        for j in 0..s.size() {
            let (plus, minus) = (side(j, 1.0), side(j, -1.0));
            for i in 0..s.size() {
                let difference = (plus[i] - minus[i]) / (2.0 * step);
                let entry = entries[i + j * s.size()];
                assert!(
                    (difference - entry).abs() <= 1e-7 * largest,
                    "case {case}: ({i}, {j}): {entry} for {difference}"
                );
            }
        }
    }
}
