//! What schemes that follow the smooth motion ask of a model at an instant.
//!
//!   M a = f(q, v, t) + Jᵀλ_b + G λ,    J a = −J̇v,    Γ_i = d²g_i/dt² = G_iᵀa + (∂²g_i/∂q²)[v, v] + ẅ_i
//!
//! q are coordinates with q̇ = v; a model whose state is another (rotations as quaternions) has its own, by `enter` and `leave`.
//! Joints are eliminated inside: accelerations, responses and projections respect them. Contacts that are held closed
//! (Γ = 0) are named by the caller, with how they move in their tangent planes: G λ then is the sum of G λ_N + T λ_T.

pub mod bodies;
pub mod body_contacts;
pub mod body_loads;
pub mod body_reactions;
pub mod chart;
pub mod hold;
pub mod lagrangian;
pub mod linear;

use crate::JointReaction;
use crate::mechanism::hold::{Hold, Row};
use percussion_matrix::{DenseMatrix, SmallLu};

/// Powers of what is neither inertia nor potential [W].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Power {
    /// Loads.
    pub external: f64,
    /// Dampers.
    pub damping: f64,
}

/// (λ_N, λ_T) of held contacts, in their order [N].
pub type Forces = [[f64; 3]];

/// A model with its work memory.
pub trait Mechanism: Send {
    /// Number of coordinates.
    fn n(&self) -> usize;

    /// Number of contacts.
    fn n_contacts(&self) -> usize;

    /// The number by which results name contact i.
    fn identity(&self, i: usize) -> usize {
        i
    }

    /// Coordinates with q̇ = v, and their rates, from a state of the model.
    fn enter(&mut self, state: (&[f64], &[f64]), q: &mut Vec<f64>, v: &mut Vec<f64>) {
        q.clear();
        q.extend_from_slice(state.0);
        v.clear();
        v.extend_from_slice(state.1);
    }

    /// The state of the model at these coordinates.
    fn leave(&self, coordinates: (&[f64], &[f64]), q: &mut Vec<f64>, v: &mut Vec<f64>) {
        q.clear();
        q.extend_from_slice(coordinates.0);
        v.clear();
        v.extend_from_slice(coordinates.1);
    }

    /// Changes to other coordinates of the same state where these are about to end; whether it did.
    fn recentre(&mut self, _q: &mut [f64], _v: &mut [f64]) -> bool {
        false
    }

    /// A joint whose angle passed half a turn between these states of the model, where whole turns would have to be counted.
    fn turned_over(&self, _before: &[f64], _after: &[f64]) -> Option<String> {
        None
    }

    /// e of contact i.
    fn restitution(&self, i: usize) -> f64;

    /// μ of contact i; zero where it has no tangents.
    fn friction(&self, i: usize) -> f64;

    /// Number of tangents of contact i; zero without friction.
    fn n_tangents(&self, i: usize) -> usize;

    /// u_T of contact i, zero beyond the tangents there are.
    fn tangent_rate(&mut self, i: usize, q: &[f64], v: &[f64]) -> [f64; 2];

    /// du_T/dt of contact i.
    fn tangent_acceleration(&mut self, i: usize, q: &[f64], v: &[f64], a: &[f64]) -> [f64; 2];

    /// Whether accelerations are affine in q and v and responses constant.
    fn is_linear(&self) -> bool;

    /// Whether the flow has to be brought back to its joints.
    fn drifts(&self) -> bool;

    /// g_i(q, t).
    fn gap(&self, i: usize, q: &[f64], t: f64) -> f64;

    /// The size of the terms whose difference gap i is: the unit of its round-off.
    fn gap_size(&mut self, i: usize, q: &[f64], t: f64) -> f64;

    /// U_i, the rate of gap i.
    fn gap_rate(&mut self, i: usize, q: &[f64], v: &[f64], t: f64) -> f64;

    /// Γ_i, the acceleration of gap i.
    fn gap_acceleration(&mut self, i: usize, q: &[f64], v: &[f64], a: &[f64], t: f64) -> f64;

    /// ∂g_i/∂t of a moving obstacle.
    fn obstacle_rate(&self, i: usize, q: &[f64], t: f64) -> f64;

    /// The first time after t at which a load, a drive, an obstacle's motion or one of their derivatives jumps.
    fn next_corner(&self, t: f64) -> f64;

    /// a and the forces λ = (λ_N, λ_T) of the held contacts, in their order; false when the equations are singular.
    fn accelerate(&mut self, t: f64, q: &[f64], v: &[f64], held: &[Hold], a: &mut [f64], lambda: &mut Forces) -> bool;

    /// ∂a/∂q and ∂a/∂v where the model knows them; false where differences have to do.
    fn derivatives(
        &mut self,
        _t: f64,
        _q: &[f64],
        _v: &[f64],
        _held: &[Hold],
        _Jq: &mut DenseMatrix,
        _Jv: &mut DenseMatrix,
    ) -> bool {
        false
    }

    /// W ← HᵀM⁻¹H on a set of normals and tangents, whose responses are kept for `push`.
    fn response(&mut self, t: f64, q: &[f64], rows: &[Row], W: &mut DenseMatrix) -> bool;

    /// x ← x + p M⁻¹H_k, k counted in the rows of the last `response`.
    fn push(&self, k: usize, p: f64, x: &mut [f64]);

    /// What joints do to their bodies, motors and springs in them included: forces after `accelerate`, the impulses by which v was
    /// moved after `project`.
    fn reactions(&self) -> &[JointReaction] {
        &[]
    }

    /// Impulses of the joints that a unit impulse on row k of the last `response` brings.
    fn answering_reactions(&self, _k: usize) -> &[JointReaction] {
        &[]
    }

    /// Moves q and v to the nearest place, in the mass metric, where joints and held contacts are satisfied.
    fn project(&mut self, t: f64, q: &mut [f64], v: &mut [f64], held: &[Hold]) -> bool;

    /// Moves q and v to joints that the motion itself never leaves, which `project` therefore need not know; whether there are any.
    fn return_to_joints(&self, _q: &mut [f64], _v: &mut [f64]) -> bool {
        false
    }

    /// Powers at a state.
    fn power(&self, t: f64, q: &[f64], v: &[f64]) -> Power;

    /// ½ vᵀM v.
    fn kinetic_energy(&self, q: &[f64], v: &[f64]) -> f64;

    /// V(q).
    fn potential_energy(&self, q: &[f64]) -> f64;
}

/// W λ = r for contacts that may repeat each other: where W is singular a small compliance shares the load, and refinement
/// takes its effect on the motion out again.
#[derive(Debug, Default)]
pub struct SharedLoad {
    lu: SmallLu,
    W: Vec<f64>,
    k: usize,
    soft: bool,
    rest: Vec<f64>,
    x: Vec<f64>,
}

/// Relative compliance given to redundant contacts.
const REDUNDANT: f64 = 1e-8;

impl SharedLoad {
    /// Factorises W; false when even the compliance does not help.
    pub fn factorise(&mut self, W: &DenseMatrix) -> bool {
        self.k = W.n_rows();
        self.W.clear();
        self.W.extend_from_slice(W.values());
        self.soft = false;
        self.lu.reset(self.k).copy_from_slice(&self.W);
        if self.lu.factorise() {
            return true;
        }
        self.soft = true;
        let k = self.k;
        let A = self.lu.reset(k);
        A.copy_from_slice(&self.W);
        for i in 0..k {
            A[i + i * k] *= 1.0 + REDUNDANT;
        }
        self.lu.factorise()
    }

    /// r ← W⁻¹ r.
    pub fn solve(&mut self, r: &mut [f64]) {
        if !self.soft {
            self.lu.solve(r);
            return;
        }
        let k = self.k;
        self.x.clear();
        self.x.resize(k, 0.0);
        for _ in 0..4 {
            self.rest.clear();
            self.rest.extend_from_slice(r);
            for j in 0..k {
                for i in 0..k {
                    self.rest[i] -= self.W[i + j * k] * self.x[j];
                }
            }
            self.lu.solve(&mut self.rest);
            for i in 0..k {
                self.x[i] += self.rest[i];
            }
        }
        r.copy_from_slice(&self.x);
    }
}
