//! Models from their energies: every derivative by automatic differentiation.
//!
//!   M = ∂²T/∂v²,   f = −∂V/∂q + Q(q, v, t) + ∂T/∂q − (∂²T/∂v∂q) v
//!
//! Write T, V, the constraints and, if there are any, forces Q without a potential, each once for a number type `D`;
//! [`Auto`] makes a [`Lagrangian`] of them. Dual numbers give derivatives to round-off: a number carries its value
//! and its derivatives, up to the third for the tangents of the gyroscopic forces.

mod adaptor;

pub use adaptor::Auto;

use num_dual::DualNum;

/// A number, or a number with derivatives: +, −, ·, / among themselves and with `f64` on the right, `sin`, `sqrt`,
/// `powi`, …; `D::from(2.0)` makes a constant.
pub trait Number: DualNum<Primitive = f64> + Copy {}

impl<D: DualNum<Primitive = f64> + Copy> Number for D {}

/// A mechanical system by its energies and constraints.
///
/// # A double pendulum above a wall
///
/// Angles θ₀, θ₁ from the vertical, unit rods with unit masses at their ends, the lower mass right of a wall at −½:
///
/// ```
/// use percussion_model::{Auto, Energies, Lagrangian, Number, check_derivatives};
///
/// #[derive(Debug)]
/// struct DoublePendulum {
///     gravity: f64,
///     wall: f64,
///     restitution: [f64; 1],
/// }
///
/// impl Energies for DoublePendulum {
///     fn n(&self) -> usize {
///         2
///     }
///     fn restitutions(&self) -> &[f64] {
///         &self.restitution
///     }
///     fn kinetic<D: Number>(&self, q: &[D], v: &[D]) -> D {
///         v[0] * v[0] + v[1] * v[1] * 0.5 + v[0] * v[1] * (q[0] - q[1]).cos()
///     }
///     fn potential<D: Number>(&self, q: &[D]) -> D {
///         (q[0].cos() * 2.0 + q[1].cos()) * -self.gravity
///     }
///     fn constraint<D: Number>(&self, _j: usize, q: &[D]) -> D {
///         q[0].sin() + q[1].sin() - self.wall
///     }
/// }
///
/// let model = Auto::new(DoublePendulum { gravity: 9.81, wall: -0.5, restitution: [0.8] })?;
/// let (q, v) = ([0.3, -0.2], [1.0, 2.0]);
/// assert!(check_derivatives(&model, &q, &v, 0.0).worst() < 1e-9);
///
/// // the equation of motion of the textbook: −2 g sin θ₀ − sin(θ₀ − θ₁) ω₁²
/// let mut f = [0.0; 2];
/// model.force(&q, &v, 0.0, &mut f);
/// assert!((f[0] + 2.0 * 9.81 * 0.3_f64.sin() + 0.5_f64.sin() * 4.0).abs() < 1e-14);
/// # Ok::<(), percussion_model::InputError>(())
/// ```
pub trait Energies: Send + Sync + std::fmt::Debug {
    /// n, the number of coordinates.
    fn n(&self) -> usize;

    /// Number of joints g_j(q) = 0; they are numbered before the contacts.
    fn n_joints(&self) -> usize {
        0
    }

    /// e of each contact g_j(q) ≥ 0; its length is the number of contacts.
    fn restitutions(&self) -> &[f64];

    /// What contact i is called, where it has a name.
    fn contact_label(&self, _i: usize) -> Option<&str> {
        None
    }

    /// Whether T does not depend on q: M is then computed once.
    fn mass_is_constant(&self) -> bool {
        false
    }

    /// T(q, v), a quadratic form in v [J].
    fn kinetic<D: Number>(&self, q: &[D], v: &[D]) -> D;

    /// V(q) [J].
    fn potential<D: Number>(&self, q: &[D]) -> D;

    /// g_j(q), joints first.
    fn constraint<D: Number>(&self, j: usize, _q: &[D]) -> D {
        unreachable!("constraint {j} is counted by n_joints or restitutions but not defined")
    }

    /// Whether gaps depend on time by themselves; they are then given by `gap_in_time`.
    fn gaps_move(&self) -> bool {
        false
    }

    /// g_i(q, t) of contact i where an obstacle moves; differentiated by q and by t.
    fn gap_in_time<D: Number>(&self, i: usize, q: &[D], _t: D) -> D {
        self.constraint(self.n_joints() + i, q)
    }

    /// The first time after t at which a force or a gap, or a rate of theirs, jumps by itself; ∞ where none does.
    fn next_corner(&self, _t: f64) -> f64 {
        f64::INFINITY
    }

    /// μ of each contact, in the order of `restitutions`; empty where there is no friction.
    fn frictions(&self) -> &[f64] {
        &[]
    }

    /// Number of tangents of contact i: one in the plane, two in space, none where it has no friction.
    fn n_tangents(&self, _i: usize) -> usize {
        0
    }

    /// row ← the k-th tangent of contact i at q, u_T = row·v; comes zeroed. No derivative of it is needed.
    fn contact_tangent(&self, _i: usize, _k: usize, _q: &[f64], _row: &mut [f64]) {}

    /// Q ← Q(q, v, t), forces without a potential: dampers, motors, loads in time; comes zeroed.
    fn force<D: Number>(&self, _q: &[D], _v: &[D], _t: f64, _Q: &mut [D]) {}
}
