//! The velocity-level schemes of nonlinear models: what each is made of, step by step.
//!
//!   moreau-jean           v̂ = v_n + h(1−θ)v̇_n + hθ v̇,                 q = q_n + h(1−θ)v_n + hθ v
//!   … at q_{k+θ}          v̂ = v_n + h v̇,  M v̇ = f at (q, v, t)_{k+θ},  q the same (Acary's lectures, (41))
//!   moreau-jean-midpoint  v̂ as moreau-jean,                           q = q_n + h(v_n + v)/2 (Acary 2016, (29))
//!   generalized-α         a filtered from v̇,                          q, v̂ by β and γ, q with (h/2) W
//!   … KH                  a = v̇ + c, with f = f_r + κ f_s in the place of f, where f_s = −∂V/∂q (Acary 2016, (30)):
//!                         κ = (1−α_f)/(1−α_m),  c = (α_f s_n − α_m b_n)/(1−α_m),  M s = f_s,  b = κ s + c
//!   implicit-newmark      a = v̇ + W/h,  v = v_n + h a,                 q = q_n + h v_n + h²(½−β)a_n + h²β a  (γ = 1)

use crate::newton::system::{Accelerations, carry, inertia, predict};
use crate::schemes::velocity_level::VelocityLevel;
use crate::{Memory, NewmarkLike, State, StepStart};

/// Which of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VelocityScheme {
    /// θ; M, f and rows at the end of the step.
    MoreauJean(f64),
    /// θ; M, f and rows at q_{k+θ}.
    Between(f64),
    /// θ, positions by the midpoint rule.
    Midpoint(f64),
    /// α_m, α_f, β, γ.
    Alpha(NewmarkLike),
    /// The same with loads and damping out of the filter.
    Weighted(NewmarkLike),
    /// β, with γ = 1 and the contact force inside the acceleration.
    Implicit(f64),
}

/// Δq = c_q Δv̂ + c_w ΔW, Δv̇ = rate Δv̂; the place where M, f and rows are taken moves with `share` of Δq and Δv.
#[derive(Clone, Copy)]
pub struct Weights {
    pub c_q: f64,
    pub c_w: f64,
    pub rate: f64,
    pub share: f64,
}

/// What KH carries from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilteredPotential {
    /// a.
    pub a: Vec<f64>,
    /// s = M⁻¹f_s.
    pub s: Vec<f64>,
    /// b, the filtered s.
    pub b: Vec<f64>,
}

crate::carried! { FilteredPotential { a, s, b } }

impl VelocityScheme {
    /// Weights of Newton's increments in a step of length h.
    pub fn weights(&self, h: f64) -> Weights {
        match *self {
            Self::MoreauJean(theta) => Weights { c_q: h * theta, c_w: h * theta, rate: 1.0 / (h * theta), share: 1.0 },
            Self::Between(theta) => Weights { c_q: h * theta, c_w: h * theta, rate: 1.0 / h, share: theta },
            Self::Midpoint(theta) => Weights { c_q: 0.5 * h, c_w: 0.5 * h, rate: 1.0 / (h * theta), share: 1.0 },
            Self::Alpha(p) => Weights {
                c_q: h * p.beta / p.gamma,
                c_w: 0.5 * h,
                rate: (1.0 - p.alpha_m) / ((1.0 - p.alpha_f) * p.gamma * h),
                share: 1.0,
            },
            Self::Weighted(p) => {
                Weights { c_q: h * p.beta / p.gamma, c_w: 0.5 * h, rate: 1.0 / (p.gamma * h), share: 1.0 }
            }
            Self::Implicit(beta) => Weights { c_q: h * beta, c_w: h * beta, rate: 1.0 / h, share: 1.0 },
        }
    }

    /// Whether M, f and rows are taken at q_{k+θ}.
    pub fn is_between(&self) -> bool {
        matches!(self, Self::Between(_))
    }

    /// place ← the part (1−θ) of the start and θ of the end, or the end.
    pub fn place(&self, (start, end): (&[f64], &[f64]), place: &mut [f64]) {
        place.copy_from_slice(end);
        if let Self::Between(theta) = *self {
            place.iter_mut().zip(start).for_each(|(x, start)| *x = (1.0 - theta) * start + theta * *x);
        }
    }

    /// The time at that place.
    pub fn time(&self, from: &StepStart) -> f64 {
        match *self {
            Self::Between(theta) => from.state.t + theta * from.h,
            Self::MoreauJean(_) | Self::Midpoint(_) | Self::Alpha(_) | Self::Weighted(_) | Self::Implicit(_) => {
                from.end()
            }
        }
    }

    /// Whether joints carry a smooth multiplier of their own.
    pub fn has_smooth_joints(&self) -> bool {
        match self {
            Self::Alpha(_) | Self::Weighted(_) => true,
            Self::MoreauJean(_) | Self::Between(_) | Self::Midpoint(_) | Self::Implicit(_) => false,
        }
    }

    /// Whether the accelerations at the start are those the joints allow.
    pub fn starts_with_joints(&self) -> bool {
        self.has_smooth_joints() || matches!(self, Self::Implicit(_))
    }

    /// c of the contact work p·((1−c) u_k + c u_{k+1}).
    pub fn work_weight(&self) -> f64 {
        match *self {
            Self::MoreauJean(theta) | Self::Between(theta) => theta,
            Self::Midpoint(_) | Self::Alpha(_) | Self::Weighted(_) | Self::Implicit(_) => 0.5,
        }
    }

    /// ê of opening contacts under `hold`.
    pub fn opening_restitution(&self) -> f64 {
        let c = self.work_weight();
        (1.0 - c) / c
    }

    /// κ of the forces that have a potential; none where all forces count alike.
    pub fn potential_weight(&self) -> Option<f64> {
        match self {
            Self::Weighted(p) => Some((1.0 - p.alpha_f) / (1.0 - p.alpha_m)),
            Self::MoreauJean(_) | Self::Between(_) | Self::Midpoint(_) | Self::Alpha(_) | Self::Implicit(_) => None,
        }
    }
}

impl VelocityLevel {
    /// v̂ and q with v̇ = 0 and W = 0.
    pub(super) fn predict_motion(&mut self, state: &State, memory: &Memory, h: f64) {
        let (vt, q) = (&mut self.vt, &mut self.q);
        let newmark = |beta: f64, gamma: f64, a: &dyn Fn(usize) -> f64, c: &dyn Fn(usize) -> f64, i: usize| {
            let q = state.q[i] + h * state.v[i] + h * h * ((0.5 - beta) * a(i) + beta * c(i));
            (state.v[i] + h * ((1.0 - gamma) * a(i) + gamma * c(i)), q)
        };
        match self.scheme {
            VelocityScheme::MoreauJean(theta) => {
                let vd = &memory.carried.of::<Accelerations>().vd;
                for i in 0..q.len() {
                    vt[i] = state.v[i] + h * (1.0 - theta) * vd[i];
                    q[i] = state.q[i] + h * (1.0 - theta) * state.v[i] + h * theta * vt[i];
                }
            }
            VelocityScheme::Between(_) => {
                for i in 0..q.len() {
                    (vt[i], q[i]) = (state.v[i], state.q[i] + h * state.v[i]);
                }
            }
            VelocityScheme::Midpoint(theta) => {
                let vd = &memory.carried.of::<Accelerations>().vd;
                for i in 0..q.len() {
                    vt[i] = state.v[i] + h * (1.0 - theta) * vd[i];
                    q[i] = state.q[i] + 0.5 * h * (state.v[i] + vt[i]);
                }
            }
            VelocityScheme::Alpha(p) => predict(&p, state, memory, h, vt, q),
            VelocityScheme::Weighted(p) => {
                let FilteredPotential { a, s, b } = memory.carried.of();
                let c = |i: usize| (p.alpha_f * s[i] - p.alpha_m * b[i]) / (1.0 - p.alpha_m);
                for i in 0..q.len() {
                    (vt[i], q[i]) = newmark(p.beta, p.gamma, &|i| a[i], &c, i);
                }
            }
            VelocityScheme::Implicit(beta) => {
                let a = &memory.carried.of::<Accelerations>().a;
                for i in 0..q.len() {
                    (vt[i], q[i]) = newmark(beta, 1.0, &|i| a[i], &|_| 0.0, i);
                }
            }
        }
    }

    /// What the next step builds on.
    pub(crate) fn remember(&mut self, memory: &Memory, h: f64, next: &mut Memory) {
        match self.scheme {
            // a = v̇: no averaging
            VelocityScheme::MoreauJean(_) | VelocityScheme::Between(_) | VelocityScheme::Midpoint(_) => {
                carry(&NewmarkLike::newmark(0.0, 0.0), &self.vd, memory, next);
            }
            VelocityScheme::Alpha(p) => carry(&p, &self.vd, memory, next),
            VelocityScheme::Weighted(p) => {
                let FilteredPotential { s: s_n, b: b_n, .. } = memory.carried.of();
                let c = |i: usize| (p.alpha_f * s_n[i] - p.alpha_m * b_n[i]) / (1.0 - p.alpha_m);
                let s = self.potential_acceleration();
                let kappa = (1.0 - p.alpha_f) / (1.0 - p.alpha_m);
                let after = next.carried.renew::<FilteredPotential>();
                after.a.clear();
                after.a.extend(self.vd.iter().enumerate().map(|(i, vd)| vd + c(i)));
                after.b.clear();
                after.b.extend(s.iter().enumerate().map(|(i, s)| kappa * s + c(i)));
                after.s = s;
            }
            VelocityScheme::Implicit(_) => {
                let after = next.carried.renew::<Accelerations>();
                after.a.clear();
                after.a.extend(self.vd.iter().zip(&self.W).map(|(vd, W)| vd + W / h));
                after.vd.clone_from(&self.vd);
            }
        }
    }

    /// s = M⁻¹f_s at the last place evaluated.
    pub(super) fn potential_acceleration(&mut self) -> Vec<f64> {
        let mut s = vec![0.0; self.q.len()];
        self.model.potential_gradient(&self.q_e, &mut s);
        s.iter_mut().for_each(|x| *x = -*x);
        if inertia(&self.at, self.model.n_joints(), &mut self.system) {
            self.system.x.clear();
            self.system.x.extend_from_slice(&s);
            if self.system.solve() {
                s.copy_from_slice(&self.system.x);
            }
        }
        s
    }
}
