//! The one-step problem with friction as data.

use crate::friction::Cone;
use percussion_matrix::BlockMatrix;
use serde::{Deserialize, Serialize};

/// Find r with u = W r + b and C*_μ ∋ u + (μ‖u_T‖, 0, 0) ⟂ r ∈ C_μ at every contact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrictionProblem {
    /// W, the Delassus operator in blocks of d × d, n blocks a side [1/kg]; not necessarily symmetric, possibly
    /// rank-deficient. d = 2 in the plane, 3 in space, 5 with rolling friction.
    pub W: BlockMatrix,
    /// b, the velocity the law speaks of at zero impulse, d n [m/s].
    pub b: Vec<f64>,
    /// μ of each contact, n.
    pub mu: Vec<f64>,
    /// μ_r of each contact, n [m]; empty unless d = 5.
    pub mu_rolling: Vec<f64>,
    /// Identity of each contact, for warm starts and messages.
    pub ids: Vec<usize>,
    /// Changes whenever W does; solvers keep factorisations of W as long as it stays. 0: never keep any.
    #[serde(skip)]
    pub revision: u64,
}

impl FrictionProblem {
    /// A problem whose contacts are numbered from 0; `None` when the sizes disagree or d is not 2, 3 or 5.
    pub fn new(W: BlockMatrix, b: Vec<f64>, mu: Vec<f64>, mu_rolling: Vec<f64>) -> Option<Self> {
        let (d, n) = (W.block_size(), W.n_blocks());
        let rolling = if d == 5 { n } else { 0 };
        let fits = matches!(d, 2 | 3 | 5) && b.len() == d * n && mu.len() == n && mu_rolling.len() == rolling;
        fits.then(|| Self { W, b, mu, mu_rolling, ids: (0..n).collect(), revision: 0 })
    }

    /// A problem without contacts, to be filled.
    pub fn empty(dim: usize) -> Self {
        Self {
            W: BlockMatrix::empty(dim),
            b: Vec::new(),
            mu: Vec::new(),
            mu_rolling: Vec::new(),
            ids: Vec::new(),
            revision: 0,
        }
    }

    /// Components per contact.
    #[inline]
    pub fn dim(&self) -> usize {
        self.W.block_size()
    }

    /// Number of contacts.
    #[inline]
    pub fn len(&self) -> usize {
        self.mu.len()
    }

    /// Whether there is no contact at all.
    pub fn is_empty(&self) -> bool {
        self.mu.is_empty()
    }

    /// The cone of contact i.
    #[inline]
    pub fn cone(&self, i: usize) -> Cone {
        Cone::of(&self.mu, &self.mu_rolling, i)
    }

    /// u ← W r + b.
    pub fn velocity(&self, r: &[f64], u: &mut [f64]) {
        u.copy_from_slice(&self.b);
        self.W.mul_add(r, u);
    }

    /// Whether sizes agree and every number is one, with μ ≥ 0.
    pub fn is_well_formed(&self) -> bool {
        let (d, n) = (self.dim(), self.len());
        matches!(d, 2 | 3 | 5)
            && self.W.n_blocks() == n
            && self.b.len() == d * n
            && self.mu_rolling.len() == if d == 5 { n } else { 0 }
            && self.W.max_abs().is_finite()
            && self.b.iter().all(|b| b.is_finite())
            && self.mu.iter().chain(&self.mu_rolling).all(|&mu| mu >= 0.0 && mu.is_finite())
    }
}
