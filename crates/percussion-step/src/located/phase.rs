//! A state with its derivative, and what a stretch of smooth motion adds up.

use crate::JointReaction;
use crate::mechanism::hold::{Hold, TangentialMotion};
use crate::mechanism::{Mechanism, Power};

/// q, v and a at an instant, with the forces of the held contacts.
#[derive(Clone, Debug, Default)]
pub struct Phase {
    /// t [s].
    pub t: f64,
    /// q.
    pub q: Vec<f64>,
    /// v.
    pub v: Vec<f64>,
    /// a with the held contacts held.
    pub a: Vec<f64>,
    /// (λ_N, λ_T) of the held contacts, in their order [N].
    pub lambda: Vec<[f64; 3]>,
    /// What joints do to their bodies.
    pub reactions: Vec<JointReaction>,
}

/// Why a stretch of smooth motion could not be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowFailure {
    /// The equations of motion are singular where the motion went.
    Singular,
    /// The stages of an implicit step were not found.
    Stages,
}

impl Phase {
    /// Takes over q and v.
    pub fn place(&mut self, t: f64, q: &[f64], v: &[f64]) {
        self.t = t;
        self.q.clear();
        self.q.extend_from_slice(q);
        self.v.clear();
        self.v.extend_from_slice(v);
        self.a.resize(q.len(), 0.0);
    }

    /// a and λ at q and v.
    #[inline]
    pub fn evaluate(&mut self, mechanism: &mut dyn Mechanism, held: &[Hold]) -> Result<(), FlowFailure> {
        self.lambda.resize(held.len(), [0.0; 3]);
        let Self { t, q, v, a, lambda, reactions } = self;
        if !mechanism.accelerate(*t, q, v, held, a, lambda) {
            return Err(FlowFailure::Singular);
        }
        reactions.clear();
        reactions.extend_from_slice(mechanism.reactions());
        Ok(())
    }
}

/// Integrals over a stretch of smooth motion, by the weights of its Runge–Kutta step.
#[derive(Clone, Debug, Default)]
pub struct Integrals {
    /// ∫ power of loads and moving obstacles dt [J].
    pub external: f64,
    /// ∫ power of dampers dt [J].
    pub damping: f64,
    /// ∫ λ_T·u_T dt of contacts that slide [J].
    pub friction: f64,
    /// ∫ λ dt of each held contact [N·s].
    pub impulses: Vec<[f64; 3]>,
    /// The same of joints.
    pub reactions: Vec<JointReaction>,
}

impl Integrals {
    /// Nothing yet.
    pub fn clear(&mut self, held: usize) {
        self.external = 0.0;
        self.damping = 0.0;
        self.friction = 0.0;
        self.impulses.clear();
        self.impulses.resize(held, [0.0; 3]);
        self.reactions.clear();
    }

    /// Adds a stage with its weight.
    #[inline]
    pub fn add(&mut self, weight: f64, mechanism: &mut dyn Mechanism, held: &[Hold], stage: &Stage) {
        if weight == 0.0 {
            return;
        }
        let Power { external, damping } = mechanism.power(stage.t, stage.q, stage.v);
        self.external += weight * external;
        self.damping += weight * damping;
        JointReaction::accumulate(&mut self.reactions, weight, stage.reactions);
        for (k, hold) in held.iter().enumerate() {
            let [n, t1, t2] = stage.lambda[k];
            for (sum, lambda) in self.impulses[k].iter_mut().zip([n, t1, t2]) {
                *sum += weight * lambda;
            }
            // what a moving obstacle puts in is external
            self.external -= weight * n * mechanism.obstacle_rate(hold.contact, stage.q, stage.t);
            if let TangentialMotion::Slides(_) = hold.along {
                let u = mechanism.tangent_rate(hold.contact, stage.q, stage.v);
                self.friction += weight * (t1 * u[0] + t2 * u[1]);
            }
        }
    }
}

/// A stretch of smooth motion to be followed.
pub struct Stretch<'a> {
    /// The model.
    pub mechanism: &'a mut dyn Mechanism,
    /// Its held contacts.
    pub held: &'a [Hold],
    /// Where it starts.
    pub from: &'a Phase,
    /// Its length [s].
    pub h: f64,
}

/// One stage of a Runge–Kutta step.
pub struct Stage<'a> {
    /// t + c h.
    pub t: f64,
    /// Q.
    pub q: &'a [f64],
    /// V.
    pub v: &'a [f64],
    /// Λ of the held contacts.
    pub lambda: &'a [[f64; 3]],
    /// What joints do.
    pub reactions: &'a [JointReaction],
}
