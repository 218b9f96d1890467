//! The adaptor: which derivative each answer of a [`Lagrangian`] is, and the dual numbers that carry it.

use super::{Energies, Number};
use crate::nonlinear::{accept, add};
use crate::{Code, InputError, Lagrangian, MovingGaps, SecondDerivatives};
use num_dual::{Dual64, HyperDual64, HyperHyperDual64};
use percussion_matrix::DenseMatrix;

/// The [`Lagrangian`] of a system given by its energies.
#[derive(Clone, Debug)]
pub struct Auto<E> {
    energies: E,
    constant_mass: Option<DenseMatrix>,
}

impl<E: Energies> Auto<E> {
    /// Refuses a system without coordinates, e outside [0, 1], and a constant mass that is not finite.
    pub fn new(energies: E) -> Result<Self, InputError> {
        let n = energies.n();
        if n == 0 {
            return Err(InputError::new(Code::BAD_SHAPE, "model", "has no coordinates", "let n be at least 1"));
        }
        for (i, &e) in energies.restitutions().iter().enumerate() {
            accept::restitution(&format!("contact[{i}].restitution"), e)?;
        }
        let mut model = Self { energies, constant_mass: None };
        if model.energies.mass_is_constant() {
            let mut M = DenseMatrix::zeros(n, n);
            model.mass(&vec![0.0; n], &mut M);
            M.values().iter().try_for_each(|&x| accept::finite("mass", x))?;
            model.constant_mass = Some(M);
        }
        Ok(model)
    }

    /// The energies.
    pub fn energies(&self) -> &E {
        &self.energies
    }

    /// T with derivatives: `seed` marks the numbers to differentiate by.
    fn kinetic<D: Number>(&self, q: &[f64], v: &[f64], seed: impl FnOnce(&mut [D], &mut [D])) -> D {
        lifted(q, |q| {
            lifted(v, |v| {
                seed(q, v);
                self.energies.kinetic(q, v)
            })
        })
    }

    /// Q with derivatives, handed to `then`.
    fn with_force<D: Number, R>(
        &self,
        (q, v, t): (&[f64], &[f64], f64),
        seed: impl FnOnce(&mut [D], &mut [D]),
        then: impl FnOnce(&[D]) -> R,
    ) -> R {
        lifted(q, |q_lifted| {
            lifted(v, |v_lifted| {
                seed(q_lifted, v_lifted);
                lifted(q, |Q: &mut [D]| {
                    Q.fill(D::from(0.0));
                    self.energies.force(q_lifted, v_lifted, t, Q);
                    then(Q)
                })
            })
        })
    }

    /// ∂g/∂q_i, by one dual number per coordinate.
    fn gradient_of(&self, q: &[f64], i: usize, phi: impl FnOnce(&[Dual64]) -> Dual64) -> f64 {
        lifted(q, |q: &mut [Dual64]| {
            q[i].eps = 1.0;
            phi(q).eps
        })
    }

    /// A ← A + weight · ∂²φ/∂q², by hyper-dual numbers.
    fn hessian_of(&self, q: &[f64], weight: f64, A: &mut DenseMatrix, phi: impl Fn(&[HyperDual64]) -> HyperDual64) {
        for i in 0..q.len() {
            for j in 0..=i {
                let second = lifted(q, |q: &mut [HyperDual64]| {
                    q[i].eps1 = 1.0;
                    q[j].eps2 = 1.0;
                    phi(q).eps1eps2
                });
                add(A, i, j, weight * second);
                if j < i {
                    add(A, j, i, weight * second);
                }
            }
        }
    }

    /// K and C of the gyroscopic forces ∂T/∂q − (∂²T/∂v∂q) v.
    fn gyroscopic_tangents(&self, q: &[f64], v: &[f64], K: &mut DenseMatrix, C: &mut DenseMatrix) {
        let n = q.len();
        for i in 0..n {
            for k in 0..n {
                // by v_i, along q + ε v, and by q_k: ∂²T/∂v_i∂q_k and (∂³T/∂v_i∂q∂q_k) v
                let by_q = self.kinetic::<HyperHyperDual64>(q, v, |q, x| {
                    x[i].eps1 = 1.0;
                    q.iter_mut().zip(v).for_each(|(q, v)| q.eps2 = *v);
                    q[k].eps3 = 1.0;
                });
                // by v_i, along q + ε v, and by v_k: (∂³T/∂v_i∂q∂v_k) v
                let by_v = self.kinetic::<HyperHyperDual64>(q, v, |q, x| {
                    x[i].eps1 = 1.0;
                    q.iter_mut().zip(v).for_each(|(q, v)| q.eps2 = *v);
                    x[k].eps3 = 1.0;
                });
                let q_q = self.kinetic::<HyperDual64>(q, v, |q, _| {
                    q[i].eps1 = 1.0;
                    q[k].eps2 = 1.0;
                });
                let q_v = self.kinetic::<HyperDual64>(q, v, |q, x| {
                    q[i].eps1 = 1.0;
                    x[k].eps2 = 1.0;
                });
                add(K, i, k, by_q.eps1eps2eps3 - q_q.eps1eps2);
                add(C, i, k, by_v.eps1eps2eps3 + by_q.eps1eps3 - q_v.eps1eps2);
            }
        }
    }
}

impl<E: Energies> Lagrangian for Auto<E> {
    fn n(&self) -> usize {
        self.energies.n()
    }

    fn n_joints(&self) -> usize {
        self.energies.n_joints()
    }

    fn restitutions(&self) -> &[f64] {
        self.energies.restitutions()
    }

    fn contact_label(&self, i: usize) -> Option<&str> {
        self.energies.contact_label(i)
    }

    fn mass_is_constant(&self) -> bool {
        self.energies.mass_is_constant()
    }

    fn mass(&self, q: &[f64], M: &mut DenseMatrix) {
        if let Some(constant) = &self.constant_mass {
            M.values_mut().copy_from_slice(constant.values());
            return;
        }
        for i in 0..q.len() {
            for j in 0..=i {
                // a quadratic form in v has the same second derivatives at every v
                let T = self.kinetic::<HyperDual64>(q, q, |_, v| {
                    v.fill(HyperDual64::from_re(0.0));
                    v[i].eps1 = 1.0;
                    v[j].eps2 = 1.0;
                });
                M.set(i, j, T.eps1eps2);
                M.set(j, i, T.eps1eps2);
            }
        }
    }

    fn mass_tangent(&self, q: &[f64], x: &[f64], D: &mut DenseMatrix) {
        if self.mass_is_constant() {
            return;
        }
        // M x = ∂T/∂v at v = x
        for i in 0..q.len() {
            for k in 0..q.len() {
                let T = self.kinetic::<HyperDual64>(q, x, |q, v| {
                    v[i].eps1 = 1.0;
                    q[k].eps2 = 1.0;
                });
                add(D, i, k, T.eps1eps2);
            }
        }
    }

    fn force(&self, q: &[f64], v: &[f64], t: f64, f: &mut [f64]) {
        self.with_force((q, v, t), |_, _| {}, |Q: &[f64]| f.copy_from_slice(Q));
        for i in 0..q.len() {
            f[i] -= self.gradient_of(q, i, |q| self.energies.potential(q));
        }
        if self.mass_is_constant() {
            return;
        }
        for i in 0..q.len() {
            let by_q = self.kinetic::<Dual64>(q, v, |q, _| q[i].eps = 1.0);
            let momentum_rate = self.kinetic::<HyperDual64>(q, v, |q, x| {
                x[i].eps1 = 1.0;
                q.iter_mut().zip(v).for_each(|(q, v)| q.eps2 = *v);
            });
            f[i] += by_q.eps - momentum_rate.eps1eps2;
        }
    }

    fn force_tangents(&self, q: &[f64], v: &[f64], t: f64, K: &mut DenseMatrix, C: &mut DenseMatrix) {
        self.hessian_of(q, 1.0, K, |q| self.energies.potential(q));
        self.outer_tangents(q, v, t, K, C);
        if !self.mass_is_constant() {
            self.gyroscopic_tangents(q, v, K, C);
        }
    }

    fn next_corner(&self, t: f64) -> f64 {
        self.energies.next_corner(t)
    }

    fn potential_energy(&self, q: &[f64]) -> f64 {
        self.energies.potential(q)
    }

    /// Of V alone: a load may act at rest without having a potential.
    fn potential_gradient(&self, q: &[f64], d: &mut [f64]) {
        for i in 0..q.len() {
            d[i] = self.gradient_of(q, i, |q| self.energies.potential(q));
        }
    }

    fn potential_hessian(&self, q: &[f64], H: &mut DenseMatrix) {
        self.hessian_of(q, 1.0, H, |q| self.energies.potential(q));
    }

    fn second_derivatives(&self) -> Option<&dyn SecondDerivatives> {
        Some(self)
    }

    fn power_without_potential(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        self.with_force((q, v, t), |_, _| {}, |Q: &[f64]| percussion_matrix::vector::dot(Q, v))
    }

    fn constraint(&self, j: usize, q: &[f64]) -> f64 {
        self.energies.constraint(j, q)
    }

    fn frictions(&self) -> &[f64] {
        self.energies.frictions()
    }

    fn n_tangents(&self, i: usize) -> usize {
        self.energies.n_tangents(i)
    }

    fn contact_tangent(&self, i: usize, k: usize, q: &[f64], row: &mut [f64]) {
        self.energies.contact_tangent(i, k, q, row);
    }

    fn gradient(&self, j: usize, q: &[f64], row: &mut [f64]) {
        for i in 0..q.len() {
            row[i] = self.gradient_of(q, i, |q| self.energies.constraint(j, q));
        }
    }

    fn hessian(&self, j: usize, q: &[f64], weight: f64, H: &mut DenseMatrix) {
        self.hessian_of(q, weight, H, |q| self.energies.constraint(j, q));
    }

    fn moving_gaps(&self) -> Option<&dyn MovingGaps> {
        self.energies.gaps_move().then_some(self)
    }

    fn kinetic_energy(&self, q: &[f64], v: &[f64]) -> f64 {
        self.energies.kinetic(q, v)
    }
}

impl<E: Energies> SecondDerivatives for Auto<E> {
    fn mass_hessian(&self, q: &[f64], x: &[f64], H: &mut DenseMatrix) {
        if !self.mass_is_constant() {
            self.hessian_of(q, 1.0, H, |q| lifted(x, |x| self.energies.kinetic(q, x)));
        }
    }

    fn outer_force(&self, q: &[f64], v: &[f64], t: f64, Q: &mut [f64]) {
        self.with_force((q, v, t), |_, _| {}, |force: &[f64]| Q.copy_from_slice(force));
    }

    fn outer_tangents(&self, q: &[f64], v: &[f64], t: f64, K: &mut DenseMatrix, C: &mut DenseMatrix) {
        for k in 0..q.len() {
            let column = |A: &mut DenseMatrix, Q: &[Dual64]| {
                A.column_mut(k).iter_mut().zip(Q).for_each(|(a, Q)| *a -= Q.eps);
            };
            self.with_force((q, v, t), |q: &mut [Dual64], _| q[k].eps = 1.0, |Q| column(K, Q));
            self.with_force((q, v, t), |_, v: &mut [Dual64]| v[k].eps = 1.0, |Q| column(C, Q));
        }
    }
}

/// By the same numbers, t being one of them.
impl<E: Energies> MovingGaps for Auto<E> {
    fn gap(&self, i: usize, q: &[f64], t: f64) -> f64 {
        self.energies.gap_in_time(i, q, t)
    }

    fn gradient(&self, i: usize, q: &[f64], t: f64, row: &mut [f64]) {
        for (k, entry) in row.iter_mut().enumerate() {
            *entry = self.gradient_of(q, k, |q| self.energies.gap_in_time(i, q, Dual64::from_re(t)));
        }
    }

    fn hessian(&self, i: usize, q: &[f64], t: f64, weight: f64, H: &mut DenseMatrix) {
        self.hessian_of(q, weight, H, |q| self.energies.gap_in_time(i, q, HyperDual64::from_re(t)));
    }

    fn rate(&self, i: usize, q: &[f64], t: f64) -> f64 {
        lifted(q, |q: &mut [Dual64]| self.energies.gap_in_time(i, q, Dual64::from_re(t).derivative()).eps)
    }

    fn gradient_rate(&self, i: usize, q: &[f64], t: f64, row: &mut [f64]) {
        for (k, entry) in row.iter_mut().enumerate() {
            let mixed = lifted(q, |q: &mut [HyperDual64]| {
                q[k].eps1 = 1.0;
                let t = HyperDual64::from_re(t).derivative2();
                self.energies.gap_in_time(i, q, t).eps1eps2
            });
            *entry += mixed;
        }
    }

    fn acceleration(&self, i: usize, q: &[f64], t: f64) -> f64 {
        lifted(q, |q: &mut [HyperDual64]| {
            let t = HyperDual64::from_re(t).derivative1().derivative2();
            self.energies.gap_in_time(i, q, t).eps1eps2
        })
    }
}

/// Up to this many coordinates nothing is allocated.
const ON_STACK: usize = 16;

/// The numbers x as constants of type D, to be seeded and used.
fn lifted<D: Number, R>(x: &[f64], then: impl FnOnce(&mut [D]) -> R) -> R {
    if x.len() <= ON_STACK {
        let mut lifted = [D::from(0.0); ON_STACK];
        lifted.iter_mut().zip(x).for_each(|(d, &x)| *d = D::from(x));
        return then(&mut lifted[..x.len()]);
    }
    then(&mut x.iter().map(|&x| D::from(x)).collect::<Vec<D>>())
}
