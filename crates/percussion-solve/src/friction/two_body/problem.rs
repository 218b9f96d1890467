//! Contacts between rigid bodies, two at a time: W is never formed.
//!
//!   u_i = H_a v_a + H_b v_b + w_i,    v = v₀ + M⁻¹Hᵀr,    cone law between u and r
//!
//! A contact keeps its 2·d rows of six numbers, a body its inverse mass and inertia: 288 bytes of Jacobian a contact in
//! space, whatever the number of neighbours. The condensed problem is W = H M⁻¹ Hᵀ, b = H v₀ + w.

use crate::Residuals;
use crate::friction::residual::{Sums, natural_sums, spectral_norm};
use crate::friction::two_body::team::fill_in_parts;
use crate::friction::{Cone, FrictionProblem};
use percussion_matrix::BlockMatrix;
use percussion_matrix::parts::{all_of, in_parts};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A friction problem of rigid bodies, contact by contact.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TwoBodyProblem {
    /// d, components per contact: 2, 3, or 5 with rolling friction.
    pub dim: usize,
    /// 1/m of each body [1/kg]; 0 for a body that impulses do not move.
    pub inverse_mass: Vec<f64>,
    /// Inverse inertia of each body about its centre of mass, 3 × 3 by rows, in the frame of its angular velocity
    /// [1/(kg m²)].
    pub inverse_inertia: Vec<[f64; 9]>,
    /// v₀ of each body: velocity of the centre of mass, then angular velocity, at zero impulse [m/s, rad/s].
    pub v: Vec<[f64; 6]>,
    /// The two bodies of each contact; [`TwoBodyProblem::GROUND`] where there is none.
    pub bodies: Vec<[u32; 2]>,
    /// H: for each contact d rows for its first body, then d rows for its second.
    pub H: Vec<[f64; 6]>,
    /// w, prescribed part of the relative velocities, d n [m/s].
    pub w: Vec<f64>,
    /// μ of each contact, n.
    pub mu: Vec<f64>,
    /// μ_r of each contact, n [m]; empty unless d = 5.
    pub mu_rolling: Vec<f64>,
    /// Where each body is [m], by which contacts near each other are kept near each other; empty where that is not known.
    #[serde(default)]
    pub places: Vec<[f64; 3]>,
}

/// Buffers for residuals: velocities of bodies and of contacts, b, ρ.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    v: Vec<[f64; 6]>,
    u: Vec<f64>,
    b: Vec<f64>,
    rho: Vec<f64>,
}

impl TwoBodyProblem {
    /// The index of no body.
    pub const GROUND: u32 = u32::MAX;

    /// Number of contacts.
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

    /// Whether sizes agree, bodies exist and every number is one.
    pub fn is_well_formed(&self) -> bool {
        self.is_well_formed_by(1)
    }

    /// The same on so many threads.
    pub(crate) fn is_well_formed_by(&self, threads: usize) -> bool {
        let (d, n, bodies) = (self.dim, self.len(), self.v.len());
        let exists = |&a: &u32| a == Self::GROUND || (a as usize) < bodies;
        matches!(d, 2 | 3 | 5)
            && self.inverse_mass.len() == bodies
            && self.inverse_inertia.len() == bodies
            && self.bodies.len() == n
            && self.H.len() == 2 * d * n
            && self.w.len() == d * n
            && self.mu_rolling.len() == if d == 5 { n } else { 0 }
            && all_of(&self.bodies, threads, |pair| pair.iter().all(exists))
            && all_of(&self.inverse_mass, threads, |x| x.is_finite() && *x >= 0.0)
            && all_of(&self.inverse_inertia, threads, |J| J.iter().all(|x| x.is_finite()))
            && all_of(&self.v, threads, |v| v.iter().all(|x| x.is_finite()))
            && all_of(&self.H, threads, |row| row.iter().all(|x| x.is_finite()))
            && all_of(&self.w, threads, |x| x.is_finite())
            && [&self.mu, &self.mu_rolling].iter().all(|mu| all_of(mu, threads, |&mu| mu >= 0.0 && mu.is_finite()))
    }

    /// The d rows of contact i for its first (0) or second (1) body.
    #[inline(always)]
    pub(crate) fn rows<const D: usize>(&self, i: usize, side: usize) -> &[[f64; 6]] {
        let start = (2 * i + side) * D;
        &self.H[start..start + D]
    }

    /// M⁻¹ f for one body.
    #[inline(always)]
    pub(crate) fn respond(&self, body: usize, f: &[f64; 6]) -> [f64; 6] {
        let (m, J) = (self.inverse_mass[body], &self.inverse_inertia[body]);
        [
            m * f[0],
            m * f[1],
            m * f[2],
            J[0] * f[3] + J[1] * f[4] + J[2] * f[5],
            J[3] * f[3] + J[4] * f[4] + J[5] * f[5],
            J[6] * f[3] + J[7] * f[4] + J[8] * f[5],
        ]
    }

    /// H_a v_a + H_b v_b of contact i.
    #[inline(always)]
    pub(crate) fn relative<const D: usize>(&self, i: usize, v: &[[f64; 6]]) -> [f64; D] {
        self.relative_of::<D>(i, |body| v[body as usize])
    }

    /// H_a v_a + H_b v_b + w of contact i, wherever velocities are kept.
    #[inline(always)]
    pub(crate) fn velocity_at<const D: usize>(&self, i: usize, v: impl Fn(u32) -> [f64; 6]) -> [f64; D] {
        let u = self.relative_of::<D>(i, v);
        std::array::from_fn(|k| u[k] + self.w[D * i + k])
    }

    #[inline(always)]
    fn relative_of<const D: usize>(&self, i: usize, v: impl Fn(u32) -> [f64; 6]) -> [f64; D] {
        let mut u = [0.0; D];
        for (side, &body) in self.bodies[i].iter().enumerate() {
            if body != Self::GROUND {
                let v = v(body);
                for (u, h) in u.iter_mut().zip(self.rows::<D>(i, side)) {
                    *u += h[0] * v[0] + h[1] * v[1] + h[2] * v[2] + h[3] * v[3] + h[4] * v[4] + h[5] * v[5];
                }
            }
        }
        u
    }

    /// v ← v + M⁻¹H_iᵀ Δ.
    #[inline(always)]
    pub(crate) fn push<const D: usize>(&self, i: usize, delta: &[f64; D], v: &mut [[f64; 6]]) {
        for (side, &body) in self.bodies[i].iter().enumerate() {
            if body != Self::GROUND {
                let mut f = [0.0; 6];
                for (x, h) in delta.iter().zip(self.rows::<D>(i, side)) {
                    for k in 0..6 {
                        f[k] += x * h[k];
                    }
                }
                let dv = self.respond(body as usize, &f);
                let v = &mut v[body as usize];
                for k in 0..6 {
                    v[k] += dv[k];
                }
            }
        }
    }

    /// W_ii by columns.
    pub(crate) fn diagonal_block<const D: usize, const D2: usize>(&self, i: usize) -> [f64; D2] {
        let mut block = [0.0; D2];
        for (side, &body) in self.bodies[i].iter().enumerate() {
            if body != Self::GROUND {
                let rows = self.rows::<D>(i, side);
                for c in 0..D {
                    let x = self.respond(body as usize, &rows[c]);
                    for k in 0..D {
                        block[c * D + k] += (0..6).map(|j| rows[k][j] * x[j]).sum::<f64>();
                    }
                }
            }
        }
        block
    }

    /// v ← v₀ + M⁻¹Hᵀr, summed over bodies and contacts in order.
    pub fn body_velocities(&self, r: &[f64], v: &mut [[f64; 6]]) {
        self.body_velocities_by(r, v, 1);
    }

    /// The same on so many threads, each of which moves its own bodies.
    pub fn body_velocities_by(&self, r: &[f64], v: &mut [[f64; 6]], threads: usize) {
        in_parts(v, 1, threads, |first, v| match self.dim {
            2 => self.move_bodies::<2>(r, first, v),
            3 => self.move_bodies::<3>(r, first, v),
            _ => self.move_bodies::<5>(r, first, v),
        });
    }

    /// The same in two passes, impulses first: M⁻¹ once per body.
    fn move_bodies<const D: usize>(&self, r: &[f64], first: usize, v: &mut [[f64; 6]]) {
        for v in v.iter_mut() {
            *v = [0.0; 6];
        }
        for (i, r) in r.as_chunks::<D>().0.iter().enumerate() {
            if r.iter().all(|&x| x == 0.0) {
                continue;
            }
            for (side, &body) in self.bodies[i].iter().enumerate() {
                // the ground is beyond all bodies, and what belongs to others is left to them
                let own = (body as usize).checked_sub(first).and_then(|own| v.get_mut(own));
                if let Some(f) = own {
                    for (x, h) in r.iter().zip(self.rows::<D>(i, side)) {
                        for k in 0..6 {
                            f[k] += x * h[k];
                        }
                    }
                }
            }
        }
        for (body, v) in (first..).zip(v) {
            let dv = self.respond(body, v);
            for k in 0..6 {
                v[k] = self.v[body][k] + dv[k];
            }
        }
    }

    /// b ← H v₀ + w on so many threads.
    pub(crate) fn free_velocities<const D: usize>(&self, b: &mut [f64], threads: usize) {
        fill_in_parts(b.as_chunks_mut::<D>().0, threads, |first, b| {
            b.iter_mut().enumerate().for_each(|(k, b)| *b = self.velocity_at(first + k, |body| self.v[body as usize]));
            true
        });
    }

    /// u ← H v + w.
    pub fn contact_velocities(&self, v: &[[f64; 6]], u: &mut [f64]) {
        self.contact_velocities_by(v, u, 1);
    }

    /// The same on so many threads.
    pub fn contact_velocities_by(&self, v: &[[f64; 6]], u: &mut [f64], threads: usize) {
        in_parts(u, self.dim, threads, |first, u| match self.dim {
            2 => self.relative_all::<2>(v, first, u),
            3 => self.relative_all::<3>(v, first, u),
            _ => self.relative_all::<5>(v, first, u),
        });
    }

    fn relative_all<const D: usize>(&self, v: &[[f64; 6]], first: usize, u: &mut [f64]) {
        let w = &self.w.as_chunks::<D>().0[first..];
        for (i, (u, w)) in (first..).zip(u.as_chunks_mut::<D>().0.iter_mut().zip(w)) {
            let relative = self.relative::<D>(i, v);
            for k in 0..D {
                u[k] = relative[k] + w[k];
            }
        }
    }

    /// ρ_i = 1/‖W_ii‖₂, and 1 where the block vanishes.
    pub fn steps(&self) -> Vec<f64> {
        let mut rho = Vec::new();
        self.steps_into(&mut rho);
        rho
    }

    /// The same into a buffer.
    pub(crate) fn steps_into(&self, rho: &mut Vec<f64>) {
        self.steps_by(rho, 1);
    }

    /// The same on so many threads.
    pub(crate) fn steps_by(&self, rho: &mut Vec<f64>, threads: usize) {
        let norm = |i| match self.dim {
            2 => spectral_norm(2, &self.diagonal_block::<2, 4>(i)),
            3 => spectral_norm(3, &self.diagonal_block::<3, 9>(i)),
            _ => spectral_norm(5, &self.diagonal_block::<5, 25>(i)),
        };
        let step = |size: f64| if size > f64::MIN_POSITIVE { 1.0 / size } else { 1.0 };
        rho.resize(self.len(), 0.0);
        fill_in_parts(rho, threads, |first, rho| {
            rho.iter_mut().enumerate().for_each(|(k, rho)| *rho = step(norm(first + k)));
            true
        });
    }

    /// Both residuals of r, as for the condensed problem, computed from the bodies' velocities alone.
    pub fn residuals(&self, r: &[f64]) -> Residuals {
        self.residuals_in(r, &mut Scratch::default())
    }

    /// The same with buffers at hand.
    pub(crate) fn residuals_in(&self, r: &[f64], scratch: &mut Scratch) -> Residuals {
        self.sums_in(r, scratch).residuals()
    }

    /// The sums they are made of.
    pub(crate) fn sums_in(&self, r: &[f64], scratch: &mut Scratch) -> Sums {
        let (mut b, mut rho) = (std::mem::take(&mut scratch.b), std::mem::take(&mut scratch.rho));
        b.clone_from(&self.w);
        self.steps_into(&mut rho);
        self.contact_velocities(&self.v, &mut b);
        let sums = self.sums_of(r, (&b, &rho), scratch);
        (scratch.b, scratch.rho) = (b, rho);
        sums
    }

    /// The same where b = H v₀ + w and ρ are known.
    pub(crate) fn sums_of(&self, r: &[f64], (b, rho): (&[f64], &[f64]), Scratch { v, u, .. }: &mut Scratch) -> Sums {
        v.clone_from(&self.v);
        u.clone_from(&self.w);
        self.body_velocities(r, v);
        self.contact_velocities(v, u);
        let cone = |i| self.cone(i);
        match self.dim {
            2 => natural_sums::<2>(b, cone, rho, r, u),
            3 => natural_sums::<3>(b, cone, rho, r, u),
            _ => natural_sums::<5>(b, cone, rho, r, u),
        }
    }

    /// W = H M⁻¹ Hᵀ and b = H v₀ + w, formed, W_NN on the diagonal of components without rows (in the plane with rolling
    /// friction); `None` when sizes disagree.
    pub fn condense(&self) -> Option<FrictionProblem> {
        if !self.is_well_formed() {
            return None;
        }
        let (d, n) = (self.dim, self.len());
        let mut b = self.w.clone();
        self.contact_velocities(&self.v, &mut b);
        // contacts of each body, with the side they hold it by
        let mut of_body = vec![Vec::new(); self.v.len()];
        for (i, pair) in self.bodies.iter().enumerate() {
            for (side, &body) in pair.iter().enumerate() {
                if body != Self::GROUND {
                    of_body[body as usize].push((i, side));
                }
            }
        }
        let mut blocks: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
        for i in 0..n {
            blocks.insert((i, i), vec![0.0; d * d]);
        }
        for (body, held) in of_body.iter().enumerate() {
            for &(j, side_j) in held {
                for c in 0..d {
                    let x = self.respond(body, &self.H[(2 * j + side_j) * d + c]);
                    for &(i, side_i) in held {
                        let block = blocks.entry((i, j)).or_insert_with(|| vec![0.0; d * d]);
                        for k in 0..d {
                            let h = &self.H[(2 * i + side_i) * d + k];
                            block[c * d + k] += (0..6).map(|m| h[m] * x[m]).sum::<f64>();
                        }
                    }
                }
            }
        }
        // components without rows stand alone: u = 0 there whatever the others do, so r = 0
        for i in 0..n {
            if let Some(block) = blocks.get_mut(&(i, i)) {
                let rows = |k: usize| self.H[2 * d * i + k].iter().chain(&self.H[(2 * i + 1) * d + k]);
                for k in (1..d).filter(|&k| rows(k).all(|&h| h == 0.0)) {
                    block[k * d + k] = block[0];
                }
            }
        }
        let blocks: Vec<_> = blocks.iter().map(|(&(i, j), block)| (i, j, block.as_slice())).collect();
        let W = BlockMatrix::from_blocks(d, n, &blocks)?;
        FrictionProblem::new(W, b, self.mu.clone(), self.mu_rolling.clone())
    }
}
