//! `landing` on nonlinear models.
//!
//!   Δp + h D_T = −h D_V + h f_np(q_m, v_m) + Ḡ_b λ + Ḡ p₁,   g_b(q_{k+1}) = 0,   0 ≤ 2g(q_{k+1})/h ⟂ p₁ ≥ 0
//!
//! D_V·Δq = ΔV and Ḡ·Δq = Δg are discrete gradients, so that g_{k+1} = g_k + h Ḡ·v_m and the energy of step 1 is exact; Δp + hD_T is
//! M(v₁ − v_k) where the mass is constant and that of `inertia.rs` where it depends on q. Rows and the contact problem follow each other until
//! v̂ = 2Δq/h − v_k stands, which is v₁ where the mass is constant. Of gaps g(q, t) Ḡ is that of g(·, t_{k+½}), and the rest of the
//! change is what the obstacle moved:
//!
//!   g_{k+1} − g_k = Ḡ·Δq + h ẇ,   h ẇ = g(q_{k+1}, t_{k+1}) − g(q_{k+1}, t_{k+½}) + g(q_k, t_{k+½}) − g(q_k, t_k)
//!
//! exactly, ẇ = ∂g/∂t + O(h²). With M̂ = ∂(Δp + hD_T)/∂v̂ + ½h ∂(hD_V)/∂q_{k+1} + ½hC; what is given back for a landing and the impact law have the
//! rows and the mass at q_{k+1}; there joints obey U_b⁺ = −U_b⁻, which does no work: the midpoint rule holds them on positions, and leaves
//! velocities O(h) across.

use crate::newton::evaluation::{Evaluation, mul_add};
use crate::schemes::energy_momentum::PotentialOf;
use crate::schemes::energy_momentum::discrete_gradient::{Between, Room, gonzalez, mean_gradient};
use crate::schemes::energy_momentum::frame::ConstraintOf;
use crate::schemes::energy_momentum::hamiltonian::{outer_damping, outer_force};
use crate::schemes::landing::contact_problem::ContactProblem;
use crate::schemes::landing::contacts::Contacts;
use crate::schemes::landing::held::Held;
use crate::schemes::landing::inertia::Inertia;
use crate::schemes::landing::instant::{Arrival, CLOSED, Instant};
use crate::schemes::landing::motion::{Motion, Trial};
use crate::{LedgerEntry, State, Step, StepFailure, StepInfo};
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::{AtTime, Lagrangian};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// Rounds of rows and contact problem.
const ROUNDS: usize = 80;

/// A nonlinear model as `landing` moves it.
pub struct LagrangianMotion {
    model: Arc<dyn Lagrangian>,
    tolerance: f64,
    d: usize,
    at: Evaluation,
    inertia: Inertia,
    /// M̂, and its solves with the joints of the step; and M_{k+1} in it in place of all that momenta do.
    M_hat: DenseMatrix,
    M_end: DenseMatrix,
    held: Held,
    /// Ḡ_b, then Ḡ and tangents of the contacts that take part, with their responses.
    joints: Vec<Vec<f64>>,
    index: Vec<usize>,
    rows: Vec<Vec<f64>>,
    N: Vec<Vec<f64>>,
    /// Rows at q_{k+1} and M⁻¹ of them.
    last_rows: Vec<Vec<f64>>,
    last_N: Vec<Vec<f64>>,
    /// Contacts under Frémond's law in this step.
    fremond: Vec<usize>,
    q1: Vec<f64>,
    qm: Vec<f64>,
    dq: Vec<f64>,
    Mdq: Vec<f64>,
    vm: Vec<f64>,
    v_free: Vec<f64>,
    force: Vec<f64>,
    outer: Vec<f64>,
    tangent: DenseMatrix,
    C: DenseMatrix,
    stresses: Vec<[f64; 3]>,
    room: Room,
}

impl LagrangianMotion {
    /// For a model.
    pub fn new(model: Arc<dyn Lagrangian>, options: &SolverOptions) -> Self {
        let (n, m) = (model.n(), model.restitutions().len());
        let tangents = (0..m).filter(|&i| model.frictions().get(i).is_some_and(|mu| *mu > 0.0));
        let d = 1 + tangents.map(|i| model.n_tangents(i)).max().unwrap_or(0);
        let (zero, square) = (|| vec![0.0; n], || DenseMatrix::zeros(n, n));
        let stresses = model.discrete_force().map_or(0, |own| own.n_stresses());
        Self {
            tolerance: options.tolerance,
            d,
            at: Evaluation::new(&*model),
            inertia: Inertia::new(&*model),
            M_hat: square(),
            M_end: square(),
            held: Held::default(),
            joints: Vec::new(),
            index: Vec::new(),
            rows: Vec::new(),
            N: Vec::new(),
            last_rows: Vec::new(),
            last_N: Vec::new(),
            fremond: Vec::new(),
            q1: zero(),
            qm: zero(),
            dq: zero(),
            Mdq: zero(),
            vm: zero(),
            v_free: zero(),
            force: zero(),
            outer: zero(),
            tangent: square(),
            C: square(),
            stresses: vec![[0.0; 3]; stresses],
            room: Room::new(n),
            model,
        }
    }

    fn friction(&self, i: usize) -> f64 {
        self.model.frictions().get(i).copied().unwrap_or(0.0)
    }

    /// q_{k+1} and all that lies between.
    fn place(&mut self, at: &Instant, v1: &[f64], h: f64) {
        for i in 0..v1.len() {
            self.vm[i] = 0.5 * (at.v[i] + v1[i]);
            self.dq[i] = h * self.vm[i];
            self.q1[i] = at.q[i] + self.dq[i];
            self.qm[i] = at.q[i] + 0.5 * self.dq[i];
        }
        self.inertia.place(&*self.model, &self.q1, &self.qm);
        self.Mdq.fill(0.0);
        mul_add(&self.inertia.middle, 1.0, &self.dq, &mut self.Mdq);
    }

    /// −D_V and f_np of the step, and what they add to M̂.
    fn forces(&mut self, at: &Instant, h: f64) {
        let model = Arc::clone(&self.model);
        let between =
            Between { q0: &at.q, q1: &self.q1, qm: &self.qm, dq: &self.dq, M: &self.inertia.middle, Mdq: &self.Mdq };
        if let Some(own) = model.discrete_force() {
            own.evaluate(&at.q, &self.q1, &mut self.force);
            own.stresses(&at.q, &self.q1, &mut self.stresses);
            self.tangent.values_mut().fill(0.0);
            own.tangent(&at.q, &self.q1, &self.stresses, &mut self.tangent);
        } else {
            gonzalez(&PotentialOf(&*model), &between, &mut self.force, &mut self.tangent, &mut self.room);
            self.force.iter_mut().for_each(|x| *x = -*x);
        }
        let t = at.t + 0.5 * h;
        outer_force(&*model, &self.qm, &self.vm, t, &mut self.outer);
        self.M_hat.values_mut().fill(0.0);
        vector::axpy(0.5 * h * h, self.tangent.values(), self.M_hat.values_mut());
        self.C.values_mut().fill(0.0);
        outer_damping(&*model, &self.qm, &self.vm, t, &mut self.C);
        vector::axpy(0.5 * h, self.C.values(), self.M_hat.values_mut());
        self.M_end.values_mut().copy_from_slice(self.M_hat.values());
        vector::axpy(1.0, self.inertia.end.values(), self.M_end.values_mut());
    }

    /// Discrete gradients of the joints and of the contacts that take part; tangents in the middle of the step.
    fn discrete_rows(&mut self, at: &Instant, h: f64) {
        let (model, n) = (&*self.model, at.q.len());
        let (nb, rows) = (model.n_joints(), AtTime(model, at.t + 0.5 * h));
        let between =
            Between { q0: &at.q, q1: &self.q1, qm: &self.qm, dq: &self.dq, M: &self.inertia.middle, Mdq: &self.Mdq };
        self.joints.resize(nb, vec![0.0; n]);
        for (j, row) in self.joints.iter_mut().enumerate() {
            mean_gradient(&ConstraintOf(rows, j), &between, row, &mut self.room);
        }
        self.rows.resize(self.index.len() * self.d, Vec::new());
        for (k, row) in self.rows.iter_mut().enumerate() {
            let (i, c) = (self.index[k / self.d], k % self.d);
            row.clear();
            row.resize(n, 0.0);
            if c == 0 {
                mean_gradient(&ConstraintOf(rows, nb + i), &between, row, &mut self.room);
            } else if c <= model.n_tangents(i) {
                model.contact_tangent(i, c - 1, &self.qm, row);
            }
        }
    }

    /// h ẇ of contact i: what an obstacle that moves adds to its gap in the step.
    fn shift(&self, at: &Instant, h: f64, i: usize) -> f64 {
        let model = &*self.model;
        if model.moving_gaps().is_none() {
            return 0.0;
        }
        let gap = |q: &[f64], t: f64| AtTime(model, t).constraint(model.n_joints() + i, q);
        let (middle, end) = (at.t + 0.5 * h, at.t + h);
        gap(&self.q1, end) - gap(&self.q1, middle) + gap(&at.q, middle) - gap(&at.q, at.t)
    }

    /// v_free of the present rows and M̂; false when the step is singular.
    fn move_freely(&mut self, at: &Instant, v1: &[f64], h: f64) -> bool {
        // M̂ v_free = M̂ v̂ − Δp − hD_T + h f
        self.v_free.fill(0.0);
        let between = (&at.q[..], &self.q1[..], &self.qm[..]);
        let to = (&mut self.v_free[..], &mut self.M_hat);
        if !self.inertia.weigh(&*self.model, between, (&at.v, v1), h, to) {
            return false;
        }
        mul_add(&self.M_hat, 1.0, v1, &mut self.v_free);
        if !self.held.make(&self.M_hat, &self.joints) {
            return false;
        }
        vector::axpy(h, &self.force, &mut self.v_free);
        vector::axpy(h, &self.outer, &mut self.v_free);
        let (joints, g) = (&self.joints, &self.at.g);
        let most = at.landed.taken_back(h, self.tolerance);
        let rates = joints.iter().zip(g).map(|(row, g)| -vector::dot(row, &at.v) - 2.0 * g.clamp(-most, most) / h);
        self.held.solve(&mut self.v_free, rates);
        self.v_free.iter().all(|v| v.is_finite())
    }

    /// The contact problem of the present rows.
    fn fill(&mut self, at: &Instant, h: f64, contacts: &mut Contacts, guess: &[f64]) {
        let (nb, d) = (self.model.n_joints(), self.d);
        let shifts: Vec<f64> = self.index.iter().map(|&i| self.shift(at, h, i)).collect();
        let Self { rows, N, held, index, .. } = self;
        N.resize(rows.len(), Vec::new());
        for (N, row) in N.iter_mut().zip(rows.iter()) {
            N.clone_from(row);
            held.solve(N, (0..nb).map(|_| 0.0));
        }
        let mut kept = std::mem::take(&mut self.fremond);
        let first = &mut contacts.first;
        kept.extend(first.ids().iter().enumerate().filter(|(k, _)| first.law.fremond(*k)).map(|(_, &id)| id));
        first.clear();
        contacts.gaps.clear();
        contacts.closed.clear();
        for (k, &i) in index.iter().enumerate() {
            let closed = at.landed.is_closed(i);
            let level = at.landed.level(self.at.g[nb + i], closed, h);
            contacts.gaps.push(level);
            contacts.closed.push(closed);
            first.law.restitution.push(1.0);
            for c in 0..d {
                let row = &rows[k * d + c];
                let (gap, drift) = if c == 0 { (2.0 * level / h, shifts[k] / h) } else { (0.0, 0.0) };
                first.law.u_before.push(vector::dot(row, &at.v) + drift + gap);
                first.law.u_free.push(vector::dot(row, &self.v_free) + drift);
                first.law.p.push(guess.get(k * d + c).copied().unwrap_or(0.0));
                first.drift.push(drift);
            }
        }
        let frictions = self.model.frictions();
        let mu = |i: &usize| if at.landed.is_closed(*i) { frictions.get(*i).copied().unwrap_or(0.0) } else { 0.0 };
        first.name(index, index.iter().map(|i| (mu(i), 0.0)));
        let (present, entries) = delassus(rows, N);
        first.set_operator(&present, &entries);
        first.law.flag(index.iter().map(|i| kept.contains(i)));
        self.fremond = kept;
    }

    /// v₁ with the impulses found; adds the contacts that are passed and says whether there are any.
    fn arrive(&mut self, at: &Instant, h: f64, barred: &[usize], contacts: &Contacts, to: &mut Arrival) -> bool {
        to.v1.clone_from(&self.v_free);
        for (N, &p) in self.N.iter().zip(&contacts.first.law.p) {
            vector::axpy(p, N, &mut to.v1);
        }
        self.place(at, &to.v1, h);
        to.q.clone_from(&self.q1);
        self.note_gaps(at.t + h, barred, to)
    }

    /// Gaps at `to.q` and t; adds the contacts that are passed and says whether there are any.
    fn note_gaps(&mut self, t: f64, barred: &[usize], to: &mut Arrival) -> bool {
        let (nb, m, known) = (self.model.n_joints(), self.model.restitutions().len(), self.index.len());
        to.near.clear();
        for i in 0..m {
            let gap = AtTime(&*self.model, t).constraint(nb + i, &to.q);
            to.near.push((i, gap));
            let listed = self.index[..known].binary_search(&i).is_ok() || barred.binary_search(&i).is_ok();
            if gap < 0.0 && !listed {
                self.index.push(i);
            }
        }
        let passed = self.index.len() > known;
        self.index.sort_unstable();
        passed
    }

    /// The contacts that take part before any has acted: closed ones and those that free motion passes.
    fn select(&mut self, at: &Instant, h: f64, barred: &[usize], to: &mut Arrival) {
        let m = self.model.restitutions().len();
        self.index.clear();
        self.index.extend((0..m).filter(|i| at.landed.is_closed(*i) && barred.binary_search(i).is_err()));
        to.q.clone_from(&at.q);
        for i in 0..to.q.len() {
            to.q[i] += 0.5 * h * (at.v[i] + self.v_free[i]);
        }
        self.note_gaps(at.t + h, barred, to);
    }
}

/// Which rows exist, and the entries of W.
type RowsAndEntries = (Vec<Option<usize>>, Vec<(usize, usize, f64)>);

/// W = HᵀN.
fn delassus(rows: &[Vec<f64>], N: &[Vec<f64>]) -> RowsAndEntries {
    let exists = |k: usize| rows[k].iter().any(|&x| x != 0.0);
    let present: Vec<Option<usize>> = (0..rows.len()).map(|k| exists(k).then_some(k)).collect();
    let mut entries = Vec::new();
    for j in present.iter().flatten() {
        for i in present.iter().flatten() {
            let w = vector::dot(&rows[*i], &N[*j]);
            if w != 0.0 {
                entries.push((*i, *j, w));
            }
        }
    }
    (present, entries)
}

impl Motion for LagrangianMotion {
    fn position(&mut self, of: Trial, contacts: &mut Contacts, to: &mut Arrival) -> Result<StepInfo, StepFailure> {
        let Trial { at, h, barred } = of;
        let failed =
            |message: String| Err(StepFailure::newton(&State { t: at.t, q: Vec::new(), v: Vec::new() }, h, message));
        let model = Arc::clone(&self.model);
        self.at.constraints(&*model, &at.q, at.t);
        self.inertia.begin(&*model, &at.q, &at.v);
        self.fremond.clear();
        contacts.first.clear();
        let mut info = StepInfo::default();
        let mut v1 = at.v.clone();
        let mut last = f64::INFINITY;
        let mut guess: Vec<f64> = Vec::new();
        for round in 0..ROUNDS {
            StepFailure::unless_stopped(at.t, h)?;
            self.place(at, &v1, h);
            self.forces(at, h);
            self.discrete_rows(at, h);
            if !self.move_freely(at, &v1, h) {
                return failed("the matrix of the step is singular".into());
            }
            if round == 0 {
                self.select(at, h, barred, to);
                to.fastest = vector::max_abs(&self.v_free);
                self.discrete_rows(at, h);
                guess.clear();
                self.index.iter().for_each(|&i| guess.extend_from_slice(&at.landed.guess(i)[..self.d]));
            }
            self.fill(at, h, contacts, &guess);
            contacts.take_back(h);
            let solved = contacts.first.solve_level((at.t, h), at.landed.left_over(h))?;
            info = StepInfo { iterations: info.iterations + solved.iterations, ..solved };
            let passed = self.arrive(at, h, barred, contacts, to);
            guess.clone_from(&contacts.first.law.p);
            let speed = vector::max_abs(&to.v1).max(vector::max_abs(&at.v)).max(f64::MIN_POSITIVE);
            let change = v1.iter().zip(&to.v1).fold(0.0_f64, |c, (a, b)| c.max((a - b).abs()));
            v1.clone_from(&to.v1);
            if passed {
                guess.clear();
                last = f64::INFINITY;
                continue;
            }
            let floor = (4.0 * f64::EPSILON * speed).max(f64::EPSILON * vector::max_abs(&self.q1) / h);
            let still = change <= floor || (change <= self.tolerance * speed && change > 0.5 * last);
            last = change;
            if still {
                self.inertia.end_velocity(&at.v, &mut to.v1);
                contacts.take_in();
                return Ok(info);
            }
            if !change.is_finite() {
                break;
            }
        }
        failed(format!("rows and contacts did not settle in {ROUNDS} rounds, the last change is {last:.1e} m/s"))
    }

    fn turn_rows(&mut self, at: &Instant, h: f64, contacts: &Contacts, to: &Arrival) -> Result<(), StepFailure> {
        let (model, nb, n) = (&*self.model, self.model.n_joints(), to.q.len());
        for (j, row) in self.joints.iter_mut().enumerate() {
            row.fill(0.0);
            model.gradient(j, &to.q, row);
        }
        if !self.held.make(&self.M_end, &self.joints) {
            return Err(StepFailure::singular(at.t, h, None));
        }
        for (k, N) in self.N.iter_mut().enumerate() {
            let (i, c) = (contacts.first.ids()[k / self.d], k % self.d);
            N.clear();
            N.resize(n, 0.0);
            if c == 0 {
                AtTime(model, at.t + h).gradient(nb + i, &to.q, N);
            } else if c <= model.n_tangents(i) {
                model.contact_tangent(i, c - 1, &to.q, N);
            }
            self.held.solve(N, (0..nb).map(|_| 0.0));
        }
        Ok(())
    }

    fn respond(&self, row: usize, p: f64, x: &mut [f64]) {
        vector::axpy(p, &self.N[row], x);
    }

    fn weigh(&self, row: usize, x: &mut [f64]) {
        x.fill(0.0);
        mul_add(&self.inertia.end, 1.0, &self.N[row], x);
    }

    fn along(&self, row: usize, x: &[f64]) -> f64 {
        vector::dot(&self.N[row], x)
    }

    fn product(&self, x: &[f64], y: &[f64]) -> f64 {
        let mut Mx = vec![0.0; x.len()];
        mul_add(&self.inertia.end, 1.0, x, &mut Mx);
        vector::dot(&Mx, y)
    }

    fn touch(&mut self, ids: &[usize], t: f64, to: &Arrival, last: &mut ContactProblem) {
        let (model, nb, d) = (Arc::clone(&self.model), self.model.n_joints(), self.d);
        let at_end = AtTime(&*model, t);
        self.last_rows.resize(ids.len() * d, Vec::new());
        for (k, row) in self.last_rows.iter_mut().enumerate() {
            let (i, c) = (ids[k / d], k % d);
            row.clear();
            row.resize(to.q.len(), 0.0);
            if c == 0 {
                at_end.gradient(nb + i, &to.q, row);
            } else if c <= model.n_tangents(i) {
                model.contact_tangent(i, c - 1, &to.q, row);
            }
            let drift = if c == 0 { at_end.rate(nb + i, &to.q) } else { 0.0 };
            last.law.u_before.push(vector::dot(row, &to.v_minus) + drift);
            last.law.p.push(0.0);
            last.drift.push(drift);
        }
        last.law.restitution.extend(ids.iter().map(|&i| model.restitutions()[i]));
        last.name(ids, ids.iter().map(|&i| (self.friction(i), 0.0)));
    }

    fn has_joints(&self) -> bool {
        self.model.n_joints() > 0
    }

    fn impact(
        &mut self,
        (t, h): (f64, f64),
        factor: f64,
        v: &mut [f64],
        last: &mut ContactProblem,
    ) -> Result<(), StepFailure> {
        let nb = self.model.n_joints();
        for (j, row) in self.joints.iter_mut().enumerate() {
            row.fill(0.0);
            self.model.gradient(j, &self.q1, row);
        }
        let Self { held, joints, last_rows, last_N, .. } = self;
        if !held.make(&self.inertia.end, joints) {
            return Err(StepFailure::singular(t, h, None));
        }
        if nb > 0 {
            // U_b⁺ = −ê_b U_b⁻
            let mut across = vec![0.0; v.len()];
            held.solve(&mut across, joints.iter().map(|row| vector::dot(row, v)));
            vector::axpy(-factor, &across, v);
        }
        last.law.u_free.clear();
        last_N.resize(last_rows.len(), Vec::new());
        for (k, (N, row)) in last_N.iter_mut().zip(last_rows.iter()).enumerate() {
            N.clone_from(row);
            held.solve(N, (0..nb).map(|_| 0.0));
            last.law.u_free.push(vector::dot(row, v) + last.drift[k]);
        }
        let (present, entries) = delassus(last_rows, last_N);
        last.set_operator(&present, &entries);
        Ok(())
    }

    fn strike(&self, row: usize, p: f64, x: &mut [f64]) {
        vector::axpy(p, &self.last_N[row], x);
    }

    fn works(&mut self, _: &Instant, h: f64, _: &Arrival) -> LedgerEntry {
        LedgerEntry { work_external: h * vector::dot(&self.outer, &self.vm), ..Default::default() }
    }

    fn energies(&self, q: &[f64], v: &[f64]) -> [f64; 2] {
        [self.model.kinetic_energy(q, v), self.model.potential_energy(q)]
    }

    fn sizes(&self) -> (usize, usize) {
        (self.d, self.model.n())
    }

    fn contact_count(&self) -> usize {
        self.model.restitutions().len()
    }

    fn closed_at_start(&mut self, state: &State) -> (Vec<u64>, f64) {
        let nb = self.model.n_joints();
        self.at.constraints(&*self.model, &state.q, state.t);
        let at = &self.at;
        let length = at.g[nb..].iter().chain(&state.q).fold(0.0_f64, |L, x| L.max(x.abs()));
        let closed = |i: &usize| {
            let j = nb + i;
            at.g[j] <= CLOSED * length && at.constraint_rate(j, &state.v) >= 0.0
        };
        ((0..at.g.len() - nb).filter(closed).map(|i| i as u64).collect(), length)
    }

    fn smallest_gap(&mut self, state: &State) -> Option<(f64, usize)> {
        let nb = self.model.n_joints();
        let gaps = (0..self.contact_count()).map(|i| (AtTime(&*self.model, state.t).constraint(nb + i, &state.q), i));
        gaps.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn conclude(&mut self, state: &State, step: &mut Step) {
        let (model, nb, n) = (&*self.model, self.model.n_joints(), state.q.len());
        let mut row = vec![0.0; n];
        for (k, c) in step.contacts.iter_mut().enumerate() {
            c.gap = AtTime(model, step.after.t).constraint(nb + c.id, &step.after.q);
            for (at, to) in [(state, &mut c.u_before), (&step.after, &mut c.u_after)] {
                let there = AtTime(model, at.t);
                row.fill(0.0);
                there.gradient(nb + c.id, &at.q, &mut row);
                *to = vector::dot(&row, &at.v) + there.rate(nb + c.id, &at.q);
            }
            let Some(along) = step.friction.get_mut(k) else { continue };
            along.n = model.n_tangents(c.id);
            for t in 0..along.n {
                let ends =
                    [(&state.q, &state.v, &mut along.u_before), (&step.after.q, &step.after.v, &mut along.u_after)];
                for (q, v, to) in ends {
                    row.fill(0.0);
                    model.contact_tangent(c.id, t, q, &mut row);
                    to[t] = vector::dot(&row, v);
                }
            }
        }
    }
}
