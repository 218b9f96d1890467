//! R_{z⁺}, R_P and −R_z δz of a step.

use crate::State;
use crate::derivative::balance::joint_rows;
use crate::derivative::contacts::{Along, Ends, Rows, Touch};
use crate::derivative::equations::{Q, StepEquations, V, Vector};
use crate::derivative::sums::{Arrived, BySums, Layout};
use crate::newton::evaluation::mul_add;
use crate::newton::system::NewtonSystem;
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::AtTime;

/// The linear system of a step under way.
pub struct Filling<'a> {
    /// None where the last one serves again.
    pub system: Option<NewtonSystem>,
    /// One for each parameter.
    pub right: &'a mut Vec<Vec<f64>>,
    /// Where everything is.
    pub layout: &'a Layout,
}

/// A part of the differential of R.
enum Piece<'a> {
    /// c 1.
    Scaled(f64),
    /// c A.
    Block(f64, &'a DenseMatrix),
    /// c aᵀ, one equation.
    Row(f64, &'a [f64]),
}

impl BySums {
    /// R_{z⁺} and R_P into the system, −R_z δz into the right-hand sides.
    pub(super) fn fill(&self, equations: &StepEquations, to: &Arrived, filling: &mut Filling) {
        let layout = filling.layout;
        if let Some(system) = &mut filling.system {
            system.clear(layout.size());
        }
        for (k, relation) in equations.relations.iter().enumerate() {
            for &(of, c) in relation {
                self.add(filling, k * layout.n, of, &Piece::Scaled(c));
            }
        }
        let (State { t, q, .. }, first) = (&to.state, equations.relations.len());
        let mut M = DenseMatrix::zeros(layout.n, layout.n);
        self.model.mass(q, &mut M);
        let joints = joint_rows(&*self.model, q);
        let slots = equations.forces.iter().map(|(slot, ..)| *slot).chain([equations.jump]);
        for (group, slot) in slots.enumerate() {
            let row = (first + group) * layout.n;
            self.add(filling, row, Vector::Next(slot), &Piece::Block(1.0, &M));
            for (j, joint) in joints.iter().enumerate() {
                let at = layout.joint(group) + j;
                if let Some(system) = &mut filling.system {
                    system.add_column(row, at, 1.0, joint);
                }
                self.add(filling, at, Vector::Next(slot), &Piece::Row(1.0, joint));
            }
            let Some(&(_, forces, at)) = equations.forces.get(group) else { continue };
            let [K, C] = self.tangents(forces, (q, self.vector(&to.vectors, at), *t), &to.vectors[slot]);
            self.add(filling, row, Vector::Next(Q), &Piece::Block(1.0, &K));
            self.add(filling, row, at, &Piece::Block(1.0, &C));
        }
        if !self.model.mass_is_constant() {
            let mut D = DenseMatrix::zeros(layout.n, layout.n);
            self.model.mass_tangent(q, &to.vectors[equations.jump], &mut D);
            let row = (first + equations.forces.len()) * layout.n;
            self.add(filling, row, Vector::Next(Q), &Piece::Block(1.0, &D));
        }
        let mut row = layout.law();
        for touch in to.touches.iter().filter(|touch| touch.pushes) {
            self.fill_contact(equations, to, touch, row, filling);
            row += 1 + touch.tangents;
        }
    }

    /// The columns of a pushing contact's impulses and the rows of its law, both from number `at` on.
    fn fill_contact(&self, equations: &StepEquations, to: &Arrived, touch: &Touch, at: usize, filling: &mut Filling) {
        let (rows, n) = (Rows(&*self.model), filling.layout.n);
        let (ends, State { t, q, v }) = (self.ends(&to.state), &to.state);
        let pushed = (equations.relations.len() + equations.forces.len()) * n;
        // the differential of w along each row
        for c in 0..=touch.tangents {
            let row = rows.row(touch.id, c, q, *t);
            if let Some(system) = &mut filling.system {
                system.add_column(pushed, at + c, -1.0, &row);
            }
            let turning = (!self.constant).then(|| rows.turning(touch.id, c, q, *t));
            if let Some(D) = &turning {
                self.add(filling, pushed, Vector::Next(Q), &Piece::Block(-touch.p[c], D));
            }
            if c == 0 && equations.on_positions {
                self.add(filling, at, Vector::Next(Q), &Piece::Row(1.0, &row));
                continue;
            }
            let part = if c == 0 { rows.restitution(touch, self.e_open) } else { touch.alpha };
            for (k, share) in self.shares(touch, c, ends).into_iter().filter(|(_, share)| *share != 0.0) {
                let to_row = at + k;
                self.add(filling, to_row, Vector::Next(V), &Piece::Row(share, &row));
                let own = (!ends.turned && !self.constant).then(|| rows.row(touch.id, c, &self.state.q, self.state.t));
                self.add(filling, to_row, Vector::Now(V), &Piece::Row(share * part, own.as_ref().unwrap_or(&row)));
                let Some(D) = &turning else { continue };
                // the place of the rows: ∂(row·v⁺)/∂q⁺, and that of u before where it is taken
                let mut by_q = transposed(D, v);
                if c == 0 {
                    AtTime(rows.0, *t).gradient_rate(rows.0.n_joints() + touch.id, q, &mut by_q);
                }
                if ends.turned {
                    vector::axpy(part, &transposed(D, &self.state.v), &mut by_q);
                } else {
                    let D = rows.turning(touch.id, c, &self.state.q, self.state.t);
                    let mut before = transposed(&D, &self.state.v);
                    self.obstacle_turns(touch, c, &mut before);
                    self.add(filling, to_row, Vector::Now(Q), &Piece::Row(share * part, &before));
                }
                if ends.turned && c == 0 {
                    let mut before = vec![0.0; n];
                    self.obstacle_turns(touch, c, &mut before);
                    self.add(filling, to_row, Vector::Now(Q), &Piece::Row(share * part, &before));
                }
                self.add(filling, to_row, Vector::Next(Q), &Piece::Row(share, &by_q));
            }
        }
        let Some(system) = &mut filling.system else { return };
        if touch.along == Along::Slides {
            let w: Vec<f64> = (1..=touch.tangents).map(|c| rows.velocity(touch, c, self.e_open, ends)).collect();
            let mu = self.model.frictions()[touch.id];
            for c in 1..=touch.tangents {
                system.add(at + c, at + c, 1.0);
                system.add(at + c, at, mu * w[c - 1] / vector::norm(&w));
            }
        }
    }

    /// ∂²g/∂q∂t of the start.
    fn obstacle_turns(&self, touch: &Touch, c: usize, row: &mut [f64]) {
        if c == 0 {
            let at = AtTime(&*self.model, self.state.t);
            at.gradient_rate(self.model.n_joints() + touch.id, &self.state.q, row);
        }
    }

    /// By how much the differential of w along row c enters each row of the law: itself, or through the direction of sliding,
    /// δ(w/|w|) = (1 − ŵŵᵀ) δw/|w|.
    fn shares(&self, touch: &Touch, c: usize, ends: Ends) -> Vec<(usize, f64)> {
        if c == 0 || touch.along != Along::Slides {
            return vec![(c, 1.0)];
        }
        if touch.tangents == 1 {
            return Vec::new();
        }
        let rows = Rows(&*self.model);
        let w: Vec<f64> = (1..=touch.tangents).map(|k| rows.velocity(touch, k, self.e_open, ends)).collect();
        let speed = vector::norm(&w);
        let most = self.model.frictions()[touch.id] * touch.p[0] / speed;
        let share = |k: usize| {
            let unit = if k == c { 1.0 } else { 0.0 };
            (k, most * (unit - w[k - 1] * w[c - 1] / (speed * speed)))
        };
        (1..=touch.tangents).map(share).collect()
    }

    /// Adds a piece of the differential of R: to the system, or times δz to the right-hand sides.
    fn add(&self, filling: &mut Filling, row: usize, of: Vector, piece: &Piece) {
        let n = filling.layout.n;
        match of {
            Vector::Next(k) => {
                let Some(system) = &mut filling.system else { return };
                match *piece {
                    Piece::Scaled(c) => (0..n).for_each(|i| system.add(row + i, k * n + i, c)),
                    Piece::Block(c, A) => system.add_block(row, k * n, c, A),
                    Piece::Row(c, a) => system.add_row(row, k * n, c, a),
                }
            }
            Vector::Now(k) => {
                for (right, column) in filling.right.iter_mut().zip(&self.columns) {
                    let d = &column[k];
                    match *piece {
                        Piece::Scaled(c) => vector::axpy(-c, d, &mut right[row..row + n]),
                        Piece::Block(c, A) => mul_add(A, -c, d, &mut right[row..row + n]),
                        Piece::Row(c, a) => right[row] -= c * vector::dot(a, d),
                    }
                }
            }
        }
    }
}

/// Dᵀx.
fn transposed(D: &DenseMatrix, x: &[f64]) -> Vec<f64> {
    (0..D.n_cols()).map(|j| vector::dot(D.column(j), x)).collect()
}
