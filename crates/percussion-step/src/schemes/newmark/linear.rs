//! Nonsmooth Newmark, HHT, generalized-α and KH: smooth forces through accelerations, impulses apart.
//!
//!   q* = q + hv + h²(½−β)a,   v* = v + h(1−γ)a,   a_free = S⁻¹b,   w = M⁻¹G P,   a⁺ = a_free − S⁻¹D w
//!   q⁺ = q* + h²βa⁺ + (h/2)w,   v⁺ = v* + hγa⁺ + w,   W = Gᵀ(M⁻¹ − hγ S⁻¹D M⁻¹)G
//!
//! | | standard | KH |
//! |---|---|---|
//! | S | (1−α_m)M + (1−α_f)(hγC + h²βK) | (1−α_m)(M + hγC) + (1−α_f)h²βK |
//! | D | (1−α_f)(C + ½hK) | (1−α_m)C + ½(1−α_f)hK |
//! | b | (1−α_f)(F⁺ − Kq* − Cv*) + α_f M r − α_m M a | (1−α_m)(F⁺ − Cv*) − α_m(Ma + Cv − F) − (1−α_f)Kq* − α_f Kq |
//!
//! In the standard weighting a is the acceleration at t − ηh, to second order, which γ = ½ + η makes up for: v⁺ − v = h a(t + ½h) + O(h³). In KH
//! the elastic force alone is filtered, M a = F − Cv − K(q − ηhv), and each step keeps ηh² M⁻¹(Ḟ − Cv̇): order 1 where loads vary or C ≠ 0.
//!
//! with M r = F − Kq − Cv. Ledger (58), KH (73), ν = ½−α_m, η = α_f−α_m, filters z (of q), x (of v), y (of F) starting at 0,
//! f⁺ = [ν Δ − (½−ν) f]/(½+ν):
//!
//!   H = E + (h²/4)(2β−γ) aᵀMa + (η/2ν²)(ν−γ+½) zᵀKz
//!   ΔH = Δqᵀ(F − (η/ν)y)_{k+γ} − ΔqᵀC(v − (η/ν)x)_{k+γ} + U_{k+½}ᵀP
//!        − ½h²(γ−½)(2β−γ)‖Δa‖²_M − (γ−½−η)‖Δq‖²_K − (η/ν)(ν−γ+½)‖Δz‖²_K

use crate::contact::phase::{ContactPhase, obstacle_work, work};
use crate::contact::response::Response;
use crate::linear::factorised::factorised;
use crate::linear::load::Load;
use crate::linear::mass::{acceleration, mass_factor};
use crate::{LedgerEntry, Memory, NewmarkLike, Scheme, State, Step, StepFailure, StepStart, Stepper, Warning};
use percussion_matrix::{ConstrainedFactor, Matrix, vector};
use percussion_model::{Code, LinearModel};
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// What the scheme carries from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
struct Filtered {
    a: Vec<f64>,
    /// M a, so that aᵀMa and ‖Δa‖²_M cost dot products only.
    inertia: Vec<f64>,
    /// Filters of q, v and F.
    q: Vec<f64>,
    v: Vec<f64>,
    F: Vec<f64>,
    /// ½ zᵀKz of the filter of q.
    energy: f64,
}

crate::carried! { Filtered { a, inertia, q, v, F, energy } }

/// A scheme of the Newmark family bound to a linear model.
pub struct NewmarkStepper {
    model: Arc<LinearModel>,
    p: NewmarkLike,
    ratio: Ratios,
    contacts: ContactPhase,
    load: Load,
    mass: ConstrainedFactor,
    operators: Vec<Operators>,
    threads: usize,
    /// q*, v*, a_free, w, Δq and a spare.
    work: [Vec<f64>; 6],
}

/// η/ν and the coefficient of ½ zᵀKz, with their limits at ν = 0.
#[derive(Clone, Copy)]
struct Ratios {
    eta_nu: f64,
    c_z: f64,
    /// (η/ν)(ν−γ+½).
    c_dz: f64,
}

struct Operators {
    h: f64,
    factor: ConstrainedFactor,
    /// D = c_C C + c_K K.
    d_C: f64,
    d_K: f64,
    response: Response,
}

impl NewmarkStepper {
    /// Binds the scheme.
    pub fn new(model: Arc<LinearModel>, p: NewmarkLike, scheme: &Scheme, options: SolverOptions) -> Self {
        let n = model.n();
        let mass = mass_factor(&model);
        let (nu, eta) = (p.nu(), p.eta());
        let ratio = if eta.abs() < 1e-14 && nu.abs() < 1e-14 {
            // Chung–Hulbert at ρ∞ = 1: η/ν → 2/3, coefficient → 1/9, filters identically zero
            Ratios { eta_nu: 2.0 / 3.0, c_z: 1.0 / 9.0, c_dz: 0.0 }
        } else {
            let margin = nu - (p.gamma - 0.5);
            Ratios { eta_nu: eta / nu, c_z: eta / (nu * nu) * margin, c_dz: eta / nu * margin }
        };
        Self {
            p,
            ratio,
            contacts: ContactPhase::new(&model, scheme, options),
            load: Load::new(&model),
            mass,
            operators: Vec::new(),
            threads: 1,
            work: std::array::from_fn(|_| vec![0.0; n]),
            model,
        }
    }

    #[inline]
    fn operators(&mut self, t: f64, h: f64) -> Result<usize, StepFailure> {
        match self.operators.iter().position(|o| o.h == h) {
            Some(k) => Ok(k),
            None => self.make_operators(t, h),
        }
    }

    #[cold]
    fn make_operators(&mut self, t: f64, h: f64) -> Result<usize, StepFailure> {
        let NewmarkLike { alpha_m, alpha_f, beta, gamma, kh } = self.p;
        let inertia = 1.0 - alpha_m;
        let damping = if kh { 1.0 - alpha_m } else { 1.0 - alpha_f };
        let elastic = 1.0 - alpha_f;
        let mut terms = vec![(inertia, self.model.mass())];
        terms.extend(self.model.damping().map(|C| (damping * h * gamma, C)));
        terms.extend(self.model.stiffness().map(|K| (elastic * h * h * beta, K)));
        let similar = self.operators.last().map(|o| &o.factor);
        let factor = factorised(&self.model, &terms, similar, self.threads)
            .map_err(|failure| StepFailure::singular(t, h, failure.row))?;
        let (d_C, d_K) = (damping, elastic * 0.5 * h);

        // diagonal systems keep sparse columns: A = M⁻¹G, B = S⁻¹D M⁻¹G
        let diagonal_or_none = |A: Option<&Matrix>| A.is_none_or(Matrix::is_diagonal);
        let model = &self.model;
        let response = match (self.mass.diagonal(), factor.diagonal()) {
            (Some(M), Some(S)) if diagonal_or_none(model.damping()) && diagonal_or_none(model.stiffness()) => {
                let at = |A: Option<&Matrix>, i| A.map_or(0.0, |A: &Matrix| A.get(i, i));
                let a: Vec<f64> = M.iter().map(|m| 1.0 / m).collect();
                let b: Vec<f64> = (0..M.len())
                    .map(|i| (d_C * at(model.damping(), i) + d_K * at(model.stiffness(), i)) * a[i] / S[i])
                    .collect();
                Response::scaled(model.H(), &a, Some(&b), 1.0, -h * gamma)
            }
            _ => Response::on_demand(model.H().n_cols(), 1.0, -h * gamma),
        };
        crate::contact::response::keep_few(&mut self.operators);
        self.operators.push(Operators { h, factor, d_C, d_K, response });
        Ok(self.operators.len() - 1)
    }

    /// Makes the response columns of contact j: A_j = M⁻¹G_j, B_j = S⁻¹D A_j.
    fn ensure_columns(model: &LinearModel, mass: &mut ConstrainedFactor, operators: &mut Operators, j: usize) {
        let n = model.n();
        let Operators { factor, d_C, d_K, response, .. } = operators;
        response.ensure(j, n, |a, b| {
            model.H().add_column(j, 1.0, a);
            mass.solve(a);
            b.resize(n, 0.0);
            if let Some(C) = model.damping() {
                C.mul_add(*d_C, a, b);
            }
            if let Some(K) = model.stiffness() {
                K.mul_add(*d_K, a, b);
            }
            factor.solve(b);
        });
    }

    /// H beyond E: (h²/4)(2β−γ) aᵀMa + c_z ½ zᵀKz.
    fn filtered(&self, h: f64, carried: &Filtered) -> f64 {
        let c_a = 2.0 * self.p.beta - self.p.gamma;
        let mut extra = self.ratio.c_z * carried.energy;
        if c_a != 0.0 {
            extra += 0.25 * h * h * c_a * vector::dot(&carried.a, &carried.inertia);
        }
        extra
    }
}

/// f⁺ = [ν Δ − (½−ν) f]/(½+ν).
#[inline]
fn filter(nu: f64, change: f64, old: f64) -> f64 {
    (nu * change - (0.5 - nu) * old) / (0.5 + nu)
}

impl NewmarkStepper {
    /// The acceleration at the end of a step, and the filters z, x, y of (58).
    fn carry(&self, from: &StepStart, step: &Step, old: &Filtered, new: &mut Filtered) {
        let NewmarkLike { alpha_m, beta, gamma, .. } = self.p;
        let (nu, eta, n, state) = (self.p.nu(), self.p.eta(), from.state.q.len(), from.state);
        let (model, load, [_, _, a_free, _, dq, _]) = (&*self.model, &self.load, &self.work);
        for filter in [&mut new.q, &mut new.v, &mut new.F] {
            filter.resize(n, 0.0);
        }
        new.a.clone_from(a_free);
        new.inertia.clear();
        new.inertia.resize(n, 0.0);
        if alpha_m != 0.0 || 2.0 * beta != gamma {
            model.mass().mul_add(1.0, a_free, &mut new.inertia);
        }
        if eta != 0.0 {
            for i in 0..n {
                new.q[i] = filter(nu, dq[i], old.q[i]);
            }
            new.energy = model.potential_energy(&new.q);
            if model.damping().is_some() {
                for i in 0..n {
                    let change = step.after.v[i] - state.v[i];
                    new.v[i] = filter(nu, change, old.v[i]);
                }
            }
            if !model.force_is_constant() {
                for i in 0..n {
                    let change = load.next[i] - load.now[i];
                    new.F[i] = filter(nu, change, old.F[i]);
                }
            }
        }
    }

    /// The ledger of a step whose states and impulses are known.
    fn account(&mut self, from: &StepStart, step: &mut Step, old: &Filtered, new: &Filtered) {
        let StepStart { state, memory, h } = *from;
        let NewmarkLike { beta, gamma, kh, .. } = self.p;
        let (eta, n) = (self.p.eta(), state.q.len());
        let (model, load, [_, _, _, _, dq, spare]) = (&*self.model, &self.load, &mut self.work);
        let c = self.ratio;
        let mixed = !kh && eta != 0.0;
        let mixed_load = mixed && !model.force_is_constant();
        let mut entry = LedgerEntry::of(model, &step.after);
        let between = |old: f64, new: f64| (1.0 - gamma) * old + gamma * new;
        let mut external = 0.0;
        for i in 0..n {
            let mut f = load.weighted(gamma, i);
            if mixed_load {
                f -= c.eta_nu * between(old.F[i], new.F[i]);
            }
            external += dq[i] * f;
        }
        let moved = obstacle_work(model, &step.contacts, state.t, h, 0.5);
        entry.work_external = external + moved;
        if mixed {
            // Δqᵀ F(t_{k+½})
            let plain = if model.force_is_constant() {
                vector::dot(dq, &load.now)
            } else {
                let middle = state.t + 0.5 * h;
                model.loads().iter().zip(dq.iter()).map(|(load, dq)| dq * load.at(middle)).sum::<f64>()
            };
            entry.work_external_plain = Some(plain + moved);
        }
        if let Some(C) = model.damping() {
            for i in 0..n {
                spare[i] = between(state.v[i], step.after.v[i]);
                if mixed {
                    spare[i] -= c.eta_nu * between(old.v[i], new.v[i]);
                }
            }
            entry.work_damping = -C.bilinear(dq, spare);
        }
        entry.work_contact = work(step, 0.5);
        let c_a = (gamma - 0.5) * (2.0 * beta - gamma);
        if c_a != 0.0 {
            let mut squared = 0.0;
            for i in 0..n {
                let inertia = new.inertia[i] - old.inertia[i];
                squared += (new.a[i] - old.a[i]) * inertia;
            }
            entry.dissipation_numerical += 0.5 * h * h * c_a * squared;
        }
        let c_q = gamma - 0.5 - eta;
        if c_q.abs() > 1e-15 {
            entry.dissipation_numerical += 2.0 * c_q * model.potential_energy(dq);
        }
        if c.c_dz != 0.0 && eta != 0.0 {
            for i in 0..n {
                spare[i] = new.q[i] - old.q[i];
            }
            entry.dissipation_numerical += 2.0 * c.c_dz * model.potential_energy(spare);
        }
        // H_k and H_{k+1} with this step's h
        let before = memory.H + self.filtered(h, old);
        entry.close(before, entry.energy() + self.filtered(h, new));
        step.ledger = entry;
    }
}

impl Stepper for NewmarkStepper {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.contacts.contact_problem()
    }

    fn use_threads(&mut self, threads: usize) {
        self.threads = threads;
        self.mass.use_threads(threads);
        self.operators.iter_mut().for_each(|kept| kept.factor.use_threads(threads));
    }

    fn start(&mut self, state: &State) -> Memory {
        let n = state.q.len();
        // a_0 = M⁻¹(F_0 − K q_0 − C v_0); filters at zero
        let a = acceleration(&self.model, &mut self.mass, state);
        let E = self.model.kinetic_energy(&state.v) + self.model.potential_energy(&state.q);
        // the memory keeps E: H depends on h through (h²/4)(2β−γ) aᵀMa, and each step adds that term for its own h
        let mut inertia = vec![0.0; n];
        self.model.mass().mul_add(1.0, &a, &mut inertia);
        let zero = || vec![0.0; n];
        let carried = Filtered { a, inertia, q: zero(), v: zero(), F: zero(), energy: 0.0 };
        Memory::new(E, self.model.n_contacts()).carrying(carried)
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let k = self.operators(state.t, h)?;
        let n = state.q.len();
        let NewmarkLike { alpha_m, alpha_f, beta, gamma, kh } = self.p;
        let model = &*self.model;
        let [q_star, v_star, a_free, w, dq, spare] = self.work.each_mut().map(|list| &mut list[..n]);
        let (q, v) = (&state.q[..n], &state.v[..n]);
        let old = memory.carried.of::<Filtered>();
        let a = &old.a[..n];
        step.h = h;
        step.after.t = state.t + h;

        // predictors
        for i in 0..n {
            q_star[i] = q[i] + h * v[i] + h * h * (0.5 - beta) * a[i];
            v_star[i] = v[i] + h * (1.0 - gamma) * a[i];
        }

        // a_free = S⁻¹ b
        self.load.evaluate(model, state.t, h);
        let (now, ahead) = (&self.load.now[..n], &self.load.next[..n]);
        let weight_F = if kh { alpha_m } else { alpha_f };
        for i in 0..n {
            a_free[i] = (1.0 - weight_F) * ahead[i] + weight_F * now[i];
        }
        // damping and elastic forces at the weighted states; M r_k = F_k − K q_k − C v_k is in these weights
        let weight_C = if kh { alpha_m } else { alpha_f };
        if let Some(C) = model.damping() {
            for i in 0..n {
                spare[i] = (1.0 - weight_C) * v_star[i] + weight_C * v[i];
            }
            C.mul_add(-1.0, spare, a_free);
        }
        if let Some(K) = model.stiffness() {
            for i in 0..n {
                spare[i] = (1.0 - alpha_f) * q_star[i] + alpha_f * q[i];
            }
            K.mul_add(-1.0, spare, a_free);
        }
        if alpha_m != 0.0 {
            vector::axpy(-alpha_m, &old.inertia, a_free);
        }
        self.operators[k].factor.solve(a_free);

        // active contacts and their impulses
        self.contacts.select(from, step, next);
        if !self.operators[k].response.is_whole() {
            for j in self.contacts.columns() {
                Self::ensure_columns(model, &mut self.mass, &mut self.operators[k], j);
            }
        }
        for i in 0..n {
            spare[i] = v_star[i] + h * gamma * a_free[i];
        }
        let response = &self.operators[k].response;
        self.contacts.solve(from, spare, response, step, next)?;

        // correct
        w.fill(0.0);
        for (j, p) in self.contacts.impulses() {
            if p != 0.0 {
                response.add_A(j, p, w);
                response.add_B(j, -p, a_free);
            }
        }
        step.after.q.resize(n, 0.0);
        step.after.v.resize(n, 0.0);
        let (q_after, v_after) = (&mut step.after.q[..n], &mut step.after.v[..n]);
        for i in 0..n {
            q_after[i] = q_star[i] + h * h * beta * a_free[i] + 0.5 * h * w[i];
            v_after[i] = v_star[i] + h * gamma * a_free[i] + w[i];
            dq[i] = q_after[i] - q[i];
        }
        self.contacts.conclude(from, step);

        let new = next.carried.renew::<Filtered>();
        self.carry(from, step, old, new);
        self.account(from, step, old, new);
        next.H = step.ledger.energy();
        Ok(())
    }

    fn algorithmic_energy(&self, memory: &Memory, h: f64) -> f64 {
        memory.H + self.filtered(h, memory.carried.of())
    }

    /// sym(W) over all contacts, where no theorem makes it positive semidefinite.
    fn warnings(&mut self, h: f64) -> Vec<Warning> {
        let doubtful = 2.0 * self.p.beta < self.p.gamma - 1e-12
            || (self.model.damping().is_some() && 2.0 * self.p.beta > self.p.gamma + 1e-12);
        let m = self.model.n_contacts();
        if !doubtful || m == 0 || m > 200 {
            return Vec::new();
        }
        let Ok(k) = self.operators(0.0, h) else { return Vec::new() };
        let all: Vec<usize> = (0..m).collect();
        for &j in &all {
            Self::ensure_columns(&self.model, &mut self.mass, &mut self.operators[k], j);
        }
        let mut W = Matrix::Dense(percussion_matrix::DenseMatrix::zeros(0, 0));
        self.operators[k].response.delassus(self.model.G(), &all, &mut W);
        let W = W.to_dense();
        let scale = W.values().iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        match W.smallest_eigenvalue() {
            Some(smallest) if smallest < -1e-10 * scale => vec![Warning {
                code: Code::SOFT_DELASSUS,
                message: format!(
                    "at h = {h} the symmetric part of W has the eigenvalue {:.2e} of its size: a step may have no or several solutions",
                    smallest / scale
                ),
            }],
            _ => Vec::new(),
        }
    }
}
