//! Steps that are sums of vectors (`equations.rs`), with the tangents of the model.

mod account;
mod linearise;

use crate::derivative::balance::{balance, force, joint_rows, push};
use crate::derivative::contacts::{Along, Ends, Rows, Touch, touches};
use crate::derivative::equations::{Forces, Q, StepEquations, V, Vector};
use crate::derivative::sums::linearise::Filling;
use crate::derivative::whole::StepForm;
use crate::derivative::{Columns, Follow, LEFT, NotDifferentiated, OBEYED, Variants};
use crate::newton::evaluation::mul_add;
use crate::newton::system::NewtonSystem;
use crate::{Activation, Problem, Scheme, State, Step};
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::Lagrangian;
use std::sync::Arc;

/// A run on its way with the derivatives of what its scheme carries.
pub struct BySums {
    model: Arc<dyn Lagrangian>,
    /// Whether M, C, K and H are constant.
    constant: bool,
    parameters: Vec<Variants>,
    form: StepForm,
    activation: Activation,
    e_open: f64,
    state: State,
    /// The vectors carried, and their derivatives by each parameter.
    now: Vec<Vec<f64>>,
    columns: Vec<Vec<Vec<f64>>>,
    /// −Σ work of contacts, and its derivatives.
    lost: f64,
    lost_columns: Vec<f64>,
    /// The largest velocity so far, and the largest term of each relation.
    fastest: f64,
    terms: Vec<f64>,
    system: NewtonSystem,
    /// The contacts for which the system of a constant model was factorised.
    factorised: Option<(u64, Vec<(usize, Along)>)>,
    inertia: NewtonSystem,
}

/// The vectors of the end of a step with their joints' multipliers.
struct Arrived {
    vectors: Vec<Vec<f64>>,
    /// One list for each acceleration, then that of W.
    multipliers: Vec<Vec<f64>>,
    touches: Vec<Touch>,
    state: State,
}

/// Where the parts of R and of its unknowns are.
struct Layout {
    n: usize,
    joints: usize,
    vectors: usize,
    groups: usize,
    rows: usize,
}

impl Layout {
    fn joint(&self, group: usize) -> usize {
        self.vectors * self.n + group * self.joints
    }

    fn law(&self) -> usize {
        self.joint(self.groups)
    }

    fn size(&self) -> usize {
        self.law() + self.rows
    }
}

impl BySums {
    /// At the start of a run, with the derivatives (δq, δv) of its state by each parameter.
    pub fn new(
        problem: &Problem,
        (scheme, form): (&Scheme, StepForm),
        h: f64,
        (model, parameters): (Arc<dyn Lagrangian>, Vec<Variants>),
        columns: &[Vec<f64>],
    ) -> Result<Self, String> {
        let facts = scheme.facts();
        let equations = StepEquations::of(&form, h).map_err(|why| format!("{}: {why}", scheme.name))?;
        let n = problem.q0.len();
        let mut run = Self {
            constant: problem.model.linear().is_some(),
            model,
            lost_columns: vec![0.0; parameters.len()],
            parameters,
            form,
            activation: scheme.activation,
            e_open: facts.opening_restitution,
            state: State { t: 0.0, q: problem.q0.clone(), v: problem.v0.clone() },
            now: vec![problem.q0.clone(), problem.v0.clone()],
            columns: columns.iter().map(|column| column.chunks_exact(n).map(<[f64]>::to_vec).collect()).collect(),
            lost: 0.0,
            fastest: 0.0,
            terms: Vec::new(),
            system: NewtonSystem::default(),
            factorised: None,
            inertia: NewtonSystem::default(),
        };
        run.begin(&equations)?;
        Ok(run)
    }

    /// What the scheme carries beside q and v: accelerations of the start, and their sum where it is filtered.
    fn begin(&mut self, equations: &StepEquations) -> Result<(), String> {
        let n = self.model.n();
        let count = equations.jump;
        self.now.resize(count, vec![0.0; n]);
        self.columns.iter_mut().for_each(|column| column.resize(count, vec![0.0; n]));
        for &(slot, forces, _) in &equations.forces {
            let State { t, q, v } = self.state.clone();
            let (r, multipliers) = self.accelerate(&q, t, |model| force(model, forces, (&q, &v, t)))?;
            let [K, C] = self.tangents(forces, (&q, &v, t), &r);
            for p in 0..self.columns.len() {
                // M δr + Jᵀδλ = −K δq − C δv − ∂(M r + Jᵀλ − f)/∂p
                let mut b = self.parameters[p].difference(n + multipliers.len(), |model| {
                    balance(model, &q, &r, &multipliers, &force(model, forces, (&q, &v, t)))
                });
                mul_add(&K, 1.0, &self.columns[p][Q], &mut b[..n]);
                mul_add(&C, 1.0, &self.columns[p][V], &mut b[..n]);
                b.iter_mut().for_each(|b| *b = -*b);
                self.inertia.solve_refined(&mut b);
                self.columns[p][slot] = b[..n].to_vec();
            }
            self.now[slot] = r;
        }
        for &a in &equations.filtered {
            let sum = |vectors: &[Vec<f64>]| {
                let mut sum = vec![0.0; n];
                equations.forces.iter().for_each(|(slot, ..)| vector::axpy(1.0, &vectors[*slot], &mut sum));
                sum
            };
            self.now[a] = sum(&self.now);
            self.columns.iter_mut().for_each(|column| column[a] = sum(column));
        }
        self.now.truncate(equations.carried);
        self.columns.iter_mut().for_each(|column| column.truncate(equations.carried));
        Ok(())
    }

    /// r and λ of M r + Jᵀλ = f, J r = 0 at q; the factors stay in `inertia`.
    fn accelerate(
        &mut self,
        q: &[f64],
        t: f64,
        f: impl Fn(&dyn Lagrangian) -> Vec<f64>,
    ) -> Result<(Vec<f64>, Vec<f64>), String> {
        let (model, n, joints) = (&*self.model, self.model.n(), self.model.n_joints());
        let mut M = DenseMatrix::zeros(n, n);
        model.mass(q, &mut M);
        self.inertia.clear(n + joints);
        self.inertia.add_block(0, 0, 1.0, &M);
        for (j, row) in joint_rows(model, q).iter().enumerate() {
            self.inertia.add_column(0, n + j, 1.0, row);
            self.inertia.add_row(n + j, 0, 1.0, row);
        }
        if !self.inertia.factorise() {
            return Err(format!("M is singular at {t} s: differentiated by differences"));
        }
        let mut x = f(model);
        x.resize(n + joints, 0.0);
        self.inertia.solve_refined(&mut x);
        let multipliers = x.split_off(n);
        Ok((x, multipliers))
    }

    /// ∂(M r − f)/∂q and ∂(M r − f)/∂v at a place.
    fn tangents(&self, forces: Forces, (q, v, t): (&[f64], &[f64], f64), r: &[f64]) -> [DenseMatrix; 2] {
        let n = q.len();
        let zero = || DenseMatrix::zeros(n, n);
        let (mut K, mut C, mut potential) = (zero(), zero(), zero());
        if forces != Forces::Potential {
            self.model.force_tangents(q, v, t, &mut K, &mut C);
        }
        match forces {
            Forces::All => {}
            Forces::Potential | Forces::Others => {
                self.model.potential_hessian(q, &mut potential);
                let sign = if forces == Forces::Potential { 1.0 } else { -1.0 };
                vector::axpy(sign, potential.values(), K.values_mut());
            }
        }
        if !self.model.mass_is_constant() {
            self.model.mass_tangent(q, r, &mut K);
        }
        [K, C]
    }

    /// The vectors at the end of a step, which must obey its equations.
    fn arrive(&mut self, equations: &StepEquations, step: &Step) -> Result<Arrived, NotDifferentiated> {
        let unknown = NotDifferentiated::Unknown;
        let (n, t) = (self.model.n(), step.after.t);
        let touches = touches(&*self.model, step, self.activation, self.e_open);
        let mut vectors = vec![vec![0.0; n]; equations.jump + 1];
        vectors[Q].clone_from(&step.after.q);
        vectors[V].clone_from(&step.after.v);
        let q = step.after.q.clone();
        let mut multipliers = Vec::new();
        for &(slot, forces, at) in &equations.forces {
            let v = self.vector(&vectors, at).to_vec();
            let (r, own) = self.accelerate(&q, t, |model| force(model, forces, (&q, &v, t))).map_err(unknown)?;
            vectors[slot] = r;
            multipliers.push(own);
        }
        let (W, own) = self.accelerate(&q, t, |model| push(model, &touches, &q, t)).map_err(unknown)?;
        vectors[equations.jump] = W;
        multipliers.push(own);
        let mut relations = equations.relations.iter();
        for &a in &equations.filtered {
            let mut sum = vec![0.0; n];
            let mut own = 1.0;
            for &(of, c) in relations.next().into_iter().flatten() {
                if of == Vector::Next(a) {
                    own = c;
                } else {
                    vector::axpy(-c, self.vector(&vectors, of), &mut sum);
                }
            }
            sum.iter_mut().for_each(|x| *x /= own);
            vectors[a] = sum;
        }
        for (k, relation) in relations.enumerate() {
            let (mut sum, mut size) = (vec![0.0; n], 0.0_f64);
            for &(of, c) in relation {
                let z = self.vector(&vectors, of);
                vector::axpy(c, z, &mut sum);
                size = size.max(c.abs() * vector::max_abs(z));
            }
            // at rest everything is round-off of what was
            self.terms.resize(self.terms.len().max(k + 1), 0.0);
            self.terms[k] = self.terms[k].max(size);
            if vector::max_abs(&sum) > OBEYED * size.max(LEFT * self.terms[k]) {
                return Err(unknown(format!("the step to {t} s is not that of the equations: differences are taken")));
            }
        }
        Ok(Arrived { vectors, multipliers, touches, state: step.after.clone() })
    }

    fn vector<'a>(&'a self, next: &'a [Vec<f64>], of: Vector) -> &'a [f64] {
        match of {
            Vector::Now(k) => &self.now[k],
            Vector::Next(k) => &next[k],
        }
    }

    fn ends<'a>(&'a self, next: &'a State) -> Ends<'a> {
        // nonlinear steps with friction take u before with the rows they act through
        let turned = !self.constant && self.model.frictions().iter().any(|&mu| mu > 0.0);
        Ends { now: &self.state, next, turned }
    }

    /// Whether the pushing contacts obey their laws as they are written.
    fn check_laws(&self, equations: &StepEquations, to: &Arrived) -> Result<(), NotDifferentiated> {
        let ends = self.ends(&to.state);
        // where bodies rest, what the impulses undo in a step is all there is to compare with
        let undone = vector::max_abs(&to.vectors[equations.jump]);
        let size = if equations.on_positions {
            vector::max_abs(&to.state.q).max(undone * (to.state.t - self.state.t))
        } else {
            vector::max_abs(&to.state.v).max(vector::max_abs(&self.state.v)).max(undone)
        };
        for touch in to.touches.iter().filter(|touch| touch.pushes) {
            let law = Rows(&*self.model).law(touch, equations.on_positions, self.e_open, ends);
            let size = if touch.along == Along::Slides { size.max(touch.p[0]) } else { size };
            if law.iter().any(|x| x.is_nan() || x.abs() > 1e2 * OBEYED * size) {
                let why = format!("contact {} at {} s obeys another law: differences are taken", touch.id, to.state.t);
                return Err(NotDifferentiated::Unknown(why));
            }
        }
        Ok(())
    }

    /// −∂R/∂p, parameter by parameter.
    fn right_hand_sides(&self, equations: &StepEquations, layout: &Layout, to: &Arrived) -> Vec<Vec<f64>> {
        let (ends, State { t, q, .. }) = (self.ends(&to.state), &to.state);
        let residual = |model: &dyn Lagrangian| {
            let mut R = vec![0.0; layout.size()];
            let mut put = |group: usize, acting: Vec<f64>, r: &[f64]| {
                let whole = balance(model, q, r, &to.multipliers[group], &acting);
                let (row, joint) = ((equations.relations.len() + group) * layout.n, layout.joint(group));
                R[row..row + layout.n].copy_from_slice(&whole[..layout.n]);
                R[joint..joint + layout.joints].copy_from_slice(&whole[layout.n..]);
            };
            for (group, &(slot, forces, at)) in equations.forces.iter().enumerate() {
                let v = self.vector(&to.vectors, at);
                put(group, force(model, forces, (q, v, *t)), &to.vectors[slot]);
            }
            put(equations.forces.len(), push(model, &to.touches, q, *t), &to.vectors[equations.jump]);
            let mut row = layout.law();
            for touch in to.touches.iter().filter(|touch| touch.pushes) {
                for x in Rows(model).law(touch, equations.on_positions, self.e_open, ends) {
                    R[row] = x;
                    row += 1;
                }
            }
            R
        };
        let negative = |p: &Variants| p.difference(layout.size(), |model| residual(model)).iter().map(|x| -x).collect();
        self.parameters.iter().map(negative).collect()
    }
}

impl Columns for BySums {
    fn column(&self, p: usize, _: usize) -> Vec<f64> {
        self.columns[p][..2].concat()
    }

    fn lost(&self) -> (f64, &[f64]) {
        (self.lost, &self.lost_columns)
    }
}

impl Follow for BySums {
    fn state(&self) -> &State {
        &self.state
    }

    fn carried(&self) -> &dyn Columns {
        self
    }

    fn advance(&mut self, step: &Step) -> Result<(), NotDifferentiated> {
        let unknown = NotDifferentiated::Unknown;
        let equations = StepEquations::of(&self.form, step.h).map_err(|why| unknown(why.into()))?;
        let to = self.arrive(&equations, step)?;
        let pushing: Vec<&Touch> = to.touches.iter().filter(|touch| touch.pushes).collect();
        let layout = Layout {
            n: self.model.n(),
            joints: self.model.n_joints(),
            vectors: equations.jump + 1,
            groups: equations.forces.len() + 1,
            rows: pushing.iter().map(|touch| 1 + touch.tangents).sum(),
        };
        self.check_laws(&equations, &to)?;
        let mut right = self.right_hand_sides(&equations, &layout, &to);
        let form: Vec<(usize, Along)> = pushing.iter().map(|touch| (touch.id, touch.along)).collect();
        let key = Some((step.h.to_bits(), form));
        let repeats = self.constant && self.factorised == key && pushing.iter().all(|touch| touch.tangents < 2);
        let mut filling =
            Filling { system: (!repeats).then(NewtonSystem::default), right: &mut right, layout: &layout };
        self.fill(&equations, &to, &mut filling);
        if let Some(system) = filling.system {
            self.system = system;
            if !self.system.factorise() {
                self.factorised = None;
                let why = format!("contacts share their impulses at {} s: differences are taken", step.after.t);
                return Err(unknown(why));
            }
            self.factorised = key;
        }
        right.iter_mut().for_each(|b| self.system.solve_refined(b));
        self.account(&equations, &layout, &to, &right)?;
        let n = layout.n;
        for (column, x) in self.columns.iter_mut().zip(&right) {
            for (k, part) in column.iter_mut().enumerate() {
                part.copy_from_slice(&x[k * n..(k + 1) * n]);
            }
        }
        self.now = to.vectors;
        self.now.truncate(equations.carried);
        self.state = to.state;
        Ok(())
    }
}
