//! What the equations of a scheme say about two stored states and the impulses between them.
//!
//!   Moreau–Jean:     M Δv = h (F − C v − K q)_{k+θ} + G P,    q⁺ = q + h v_{k+θ}   (midpoint variant: v_{k+½})
//!   Newmark family:  M a = F − C v − K q + (η/ν)(K z + C x − y),   q⁺, v⁺ from a, a⁺ and w = M⁻¹G P
//!   implicit:        M a = F − C v − K q + G P/h
//!   d0-constant:     M Δv = h (F⁺ − K q⁺ − C v) + G P,    q⁺ = q + h v
//!
//! G P stands for all components of the impulses. Accelerations are not stored: they follow from these equations, which hold at every step.

use percussion_matrix::{Factor, vector};
use percussion_model::LinearModel;
use percussion_step::{ContactState, NewmarkLike, Scheme, State, Stored, Tangential};
use std::sync::Arc;

/// A step as recomputed; compared with what was stored.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recomputed {
    /// H⁺.
    pub algorithmic_energy: f64,
    /// Work of loads and moving obstacles.
    pub work_external: f64,
    /// Work of C.
    pub work_damping: f64,
    /// Work of the impulses.
    pub work_contact: f64,
    /// What the scheme dissipates.
    pub dissipation_numerical: f64,
    /// Largest violation of the equation for q⁺, as a length.
    pub position: f64,
    /// Largest violation of the equation for v⁺, as a velocity.
    pub velocity: f64,
}

/// The contacts of a step with their tangential motion, which may be missing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Contacts<'a> {
    /// Normal velocities and impulses.
    pub normal: &'a [ContactState],
    /// Tangential ones, one for each, or none.
    pub along: &'a [Tangential],
}

/// Follows a run with the scheme's equations.
pub struct Replay {
    model: Arc<LinearModel>,
    stored: Stored,
    h: f64,
    mass: Factor,
    /// a, and the filters z, x, y of the Newmark family.
    a: Vec<f64>,
    filters: [Vec<f64>; 3],
    /// P of the last step, by contact, and its length.
    p: Vec<f64>,
    h_last: f64,
    p_t: Vec<[f64; 2]>,
}

impl Replay {
    /// At the initial state; `None` when M cannot be factorised or the scheme's equations need more than is stored.
    pub fn new(model: &Arc<LinearModel>, scheme: &Scheme, h: f64, start: &State) -> Option<Self> {
        if !Self::knows(scheme) {
            return None;
        }
        let n = model.n();
        let mut replay = Self {
            stored: scheme.facts().stored,
            h,
            mass: Factor::new(model.mass()).ok()?,
            a: Vec::new(),
            filters: std::array::from_fn(|_| vec![0.0; n]),
            p: vec![0.0; model.n_contacts()],
            h_last: h,
            p_t: vec![[0.0; 2]; model.n_contacts()],
            model: Arc::clone(model),
        };
        replay.a = replay.acceleration(start, Contacts::default());
        if matches!(replay.stored, Stored::Projected(_)) {
            replay.filters[0].clone_from(&replay.a);
        }
        Some(replay)
    }

    /// Whether a scheme can be followed from positions, velocities and impulses alone.
    pub fn knows(scheme: &Scheme) -> bool {
        !matches!(scheme.facts().stored, Stored::Missing(_))
    }

    /// H of the present state by the present step.
    pub fn present_energy(&self, state: &State) -> f64 {
        self.algorithmic_energy(state, &self.a, &self.filters[0])
    }

    /// The length of the steps that follow.
    pub fn set_step(&mut self, h: f64) {
        self.h_last = std::mem::replace(&mut self.h, h);
    }

    /// The step between two states.
    pub fn step(&mut self, before: &State, after: &State, contacts: Contacts) -> Recomputed {
        match self.stored {
            Stored::Theta { theta, midpoint } => self.moreau_jean(before, after, contacts, theta, midpoint),
            Stored::Newmark(p) => self.newmark(before, after, contacts, p),
            Stored::Implicit { beta, gamma, .. } => self.implicit(before, after, contacts, beta, gamma),
            Stored::Euler => self.d0_constant(before, after, contacts),
            Stored::Projected(p) => self.projected(before, after, contacts, p),
            // not followed, see `knows`
            Stored::Missing(_) => Recomputed::default(),
        }
    }

    fn moreau_jean(&mut self, k: &State, next: &State, contacts: Contacts, theta: f64, midpoint: bool) -> Recomputed {
        let (model, h, n) = (&*self.model, self.h, k.q.len());
        let place = if midpoint { 0.5 } else { theta };
        let (F, F_next) = (load(model, k.t), load(model, next.t));
        let mix = |c: f64, x: &[f64], y: &[f64]| (0..n).map(|i| (1.0 - c) * x[i] + c * y[i]).collect::<Vec<_>>();
        let (F, v_theta, q_theta) = (mix(theta, &F, &F_next), mix(theta, &k.v, &next.v), mix(theta, &k.q, &next.q));
        let dv: Vec<f64> = (0..n).map(|i| next.v[i] - k.v[i]).collect();
        let dq: Vec<f64> = mix(place, &k.v, &next.v).iter().map(|v| h * v).collect();

        // M Δv − h(F − Cv − Kq) − GP, as a velocity
        let mut impulse: Vec<f64> = F.iter().map(|f| h * f).collect();
        forces(model, -h, &q_theta, &v_theta, &mut impulse);
        add_impulses(model, contacts, 1.0, &mut impulse);
        self.mass.solve(&mut impulse);
        let velocity = largest(dv.iter().zip(&impulse).map(|(a, b)| a - b));
        let position = largest((0..n).map(|i| next.q[i] - k.q[i] - dq[i]));

        let kinetic = if midpoint { 0.0 } else { 2.0 * model.kinetic_energy(&dv) };
        Recomputed {
            algorithmic_energy: model.kinetic_energy(&next.v) + model.potential_energy(&next.q),
            work_external: vector::dot(&dq, &F) + obstacle_work(model, contacts, k.t, next.t, place),
            work_damping: damping_work(model, &dq, &v_theta),
            work_contact: contact_work(model, k, contacts, place),
            dissipation_numerical: (theta - 0.5) * (kinetic + 2.0 * model.potential_energy(&dq)),
            position,
            velocity,
        }
    }

    fn d0_constant(&mut self, k: &State, next: &State, contacts: Contacts) -> Recomputed {
        let (model, h, n) = (&*self.model, self.h, k.q.len());
        let F = load(model, next.t);
        let middle: Vec<f64> = (0..n).map(|i| 0.5 * (k.v[i] + next.v[i])).collect();
        let path: Vec<f64> = middle.iter().map(|v| h * v).collect();
        let mut impulse: Vec<f64> = F.iter().map(|f| h * f).collect();
        forces(model, -h, &next.q, &k.v, &mut impulse);
        add_impulses(model, contacts, 1.0, &mut impulse);
        self.mass.solve(&mut impulse);
        Recomputed {
            algorithmic_energy: self.algorithmic_energy(next, &[], &[]),
            work_external: vector::dot(&path, &F) + obstacle_work(model, contacts, k.t, next.t, 0.5),
            work_damping: damping_work(model, &path, &k.v),
            work_contact: contact_work(model, k, contacts, 0.5),
            dissipation_numerical: 0.0,
            position: largest((0..n).map(|i| next.q[i] - k.q[i] - h * k.v[i])),
            velocity: largest((0..n).map(|i| next.v[i] - k.v[i] - impulse[i])),
        }
    }

    fn newmark(&mut self, k: &State, next: &State, contacts: Contacts, p: NewmarkLike) -> Recomputed {
        let (h, n) = (self.h, k.q.len());
        let NewmarkLike { beta, gamma, kh, .. } = p;
        let (nu, eta, c) = (p.nu(), p.eta(), Ratios::new(&p));
        let model = Arc::clone(&self.model);
        let (F, F_next) = (load(&model, k.t), load(&model, next.t));
        let change = |x: &[f64], y: &[f64]| (0..n).map(|i| y[i] - x[i]).collect::<Vec<f64>>();
        let dq = change(&k.q, &next.q);
        let old = self.filters.clone();
        if eta != 0.0 {
            let changes = [dq.clone(), change(&k.v, &next.v), change(&F, &F_next)];
            for (filter, change) in self.filters.iter_mut().zip(&changes) {
                for i in 0..n {
                    filter[i] = (nu * change[i] - (0.5 - nu) * filter[i]) / (0.5 + nu);
                }
            }
        }
        let a_next = self.acceleration(next, Contacts::default());
        let a = std::mem::replace(&mut self.a, a_next);
        let a_next = &self.a;
        let mut w = vec![0.0; n];
        add_impulses(&model, contacts, 1.0, &mut w);
        self.mass.solve(&mut w);
        let position = largest(
            (0..n).map(|i| dq[i] - h * k.v[i] - h * h * ((0.5 - beta) * a[i] + beta * a_next[i]) - 0.5 * h * w[i]),
        );
        let velocity =
            largest((0..n).map(|i| next.v[i] - k.v[i] - h * ((1.0 - gamma) * a[i] + gamma * a_next[i]) - w[i]));

        let between = |x: &[f64], y: &[f64], i: usize| (1.0 - gamma) * x[i] + gamma * y[i];
        let filtered = |which: usize, i: usize| {
            if kh || eta == 0.0 { 0.0 } else { c.eta_nu * between(&old[which], &self.filters[which], i) }
        };
        let force: Vec<f64> = (0..n).map(|i| between(&F, &F_next, i) - filtered(2, i)).collect();
        let speed: Vec<f64> = (0..n).map(|i| between(&k.v, &next.v, i) - filtered(1, i)).collect();
        let da = change(&a, a_next);
        let dz = change(&old[0], &self.filters[0]);
        Recomputed {
            algorithmic_energy: self.algorithmic_energy(next, a_next, &self.filters[0]),
            work_external: vector::dot(&dq, &force) + obstacle_work(&model, contacts, k.t, next.t, 0.5),
            work_damping: damping_work(&model, &dq, &speed),
            work_contact: contact_work(&model, k, contacts, 0.5),
            dissipation_numerical: h * h * (gamma - 0.5) * (2.0 * beta - gamma) * model.kinetic_energy(&da)
                + 2.0 * (gamma - 0.5 - eta) * model.potential_energy(&dq)
                + 2.0 * c.c_dz * model.potential_energy(&dz),
            position,
            velocity,
        }
    }

    /// Δv = h a_γ + M⁻¹G P with (1−α_m) a⁺ + α_m a = (1−α_f) v̇⁺ + α_f v̇ and M v̇ = F − K q − C v; v̇ is kept as the first filter.
    fn projected(&mut self, k: &State, next: &State, contacts: Contacts, p: NewmarkLike) -> Recomputed {
        let (h, n, gamma) = (self.h, k.q.len(), p.gamma);
        let model = Arc::clone(&self.model);
        let rate = self.acceleration(next, Contacts::default());
        let last = std::mem::replace(&mut self.filters[0], rate);
        let filter = |i: usize| {
            ((1.0 - p.alpha_f) * self.filters[0][i] + p.alpha_f * last[i] - p.alpha_m * self.a[i]) / (1.0 - p.alpha_m)
        };
        let a_next: Vec<f64> = (0..n).map(filter).collect();
        let a = std::mem::replace(&mut self.a, a_next);
        let between = |x: &[f64], y: &[f64]| (0..n).map(|i| (1.0 - gamma) * x[i] + gamma * y[i]).collect::<Vec<f64>>();
        let a_gamma = between(&a, &self.a);
        let mut w = vec![0.0; n];
        add_impulses(&model, contacts, 1.0, &mut w);
        self.mass.solve(&mut w);
        let dq: Vec<f64> = (0..n).map(|i| next.q[i] - k.q[i]).collect();
        let force = between(&load(&model, k.t), &load(&model, next.t));
        Recomputed {
            algorithmic_energy: self.algorithmic_energy(next, &[], &[]),
            work_external: vector::dot(&dq, &force) + obstacle_work(&model, contacts, k.t, next.t, 0.5),
            work_damping: damping_work(&model, &dq, &between(&k.v, &next.v)),
            work_contact: contact_work(&model, k, contacts, 0.5),
            velocity: largest((0..n).map(|i| next.v[i] - k.v[i] - h * a_gamma[i] - w[i])),
            ..Recomputed::default()
        }
    }

    fn implicit(&mut self, k: &State, next: &State, contacts: Contacts, beta: f64, gamma: f64) -> Recomputed {
        let (h, n) = (self.h, k.q.len());
        let model = Arc::clone(&self.model);
        let a_next = self.acceleration(next, contacts);
        let a = std::mem::replace(&mut self.a, a_next);
        let a_next = &self.a;
        let dq: Vec<f64> = (0..n).map(|i| next.q[i] - k.q[i]).collect();
        let position = largest((0..n).map(|i| dq[i] - h * k.v[i] - h * h * ((0.5 - beta) * a[i] + beta * a_next[i])));
        let velocity = largest((0..n).map(|i| next.v[i] - k.v[i] - h * ((1.0 - gamma) * a[i] + gamma * a_next[i])));
        let (F, F_next) = (load(&model, k.t), load(&model, next.t));
        let force: Vec<f64> = (0..n).map(|i| (1.0 - gamma) * F[i] + gamma * F_next[i]).collect();
        let speed: Vec<f64> = (0..n).map(|i| (1.0 - gamma) * k.v[i] + gamma * next.v[i]).collect();

        // ΔqᵀG (P/h)_{k+γ}, of which contact and obstacle work are booked already
        let mut through = 0.0;
        let last = std::mem::replace(&mut self.p, vec![0.0; model.n_contacts()]);
        let last_along = std::mem::replace(&mut self.p_t, vec![[0.0; 2]; model.n_contacts()]);
        contacts.normal.iter().for_each(|c| self.p[c.id] = c.p);
        contacts.normal.iter().zip(contacts.along).for_each(|(c, along)| self.p_t[c.id] = along.p);
        for j in 0..last.len() {
            let force = (1.0 - gamma) * last[j] / self.h_last + gamma * self.p[j] / h;
            if force != 0.0 {
                through += force * model.G().column_dot(j, &dq);
            }
            for (k, column) in model.tangent_columns(j).enumerate() {
                let p = (1.0 - gamma) * last_along[j][k] + gamma * self.p_t[j][k];
                through += p * model.H().column_dot(column, &dq) / h;
            }
        }
        let obstacle = obstacle_work(&model, contacts, k.t, next.t, 0.5);
        let work_contact = contact_work(&model, k, contacts, 0.5);
        let da: Vec<f64> = (0..n).map(|i| a_next[i] - a[i]).collect();
        let a_gamma: Vec<f64> = (0..n).map(|i| (1.0 - gamma) * a[i] + gamma * a_next[i]).collect();
        let inertia = 0.5 * h * h * (2.0 * beta - gamma) * model.mass().bilinear(&da, &a_gamma);
        Recomputed {
            algorithmic_energy: self.algorithmic_energy(next, a_next, &[]),
            work_external: vector::dot(&dq, &force) + obstacle,
            work_damping: damping_work(&model, &dq, &speed),
            work_contact,
            dissipation_numerical: work_contact + obstacle - through
                + (2.0 * gamma - 1.0) * model.potential_energy(&dq)
                + inertia,
            position,
            velocity,
        }
    }

    /// a from the scheme's equation at a state; `contacts` carry the impulses of implicit schemes.
    fn acceleration(&mut self, state: &State, contacts: Contacts) -> Vec<f64> {
        let model = &*self.model;
        let mut a = load(model, state.t);
        forces(model, -1.0, &state.q, &state.v, &mut a);
        add_impulses(model, contacts, 1.0 / self.h, &mut a);
        if let Stored::Newmark(p) = self.stored
            && p.eta() != 0.0
        {
            let ratio = Ratios::new(&p).eta_nu;
            let [z, x, y] = &self.filters;
            if let Some(K) = model.stiffness() {
                K.mul_add(ratio, z, &mut a);
            }
            if !p.kh {
                if let Some(C) = model.damping() {
                    C.mul_add(ratio, x, &mut a);
                }
                vector::axpy(-ratio, y, &mut a);
            }
        }
        self.mass.solve(&mut a);
        a
    }

    fn algorithmic_energy(&self, state: &State, a: &[f64], z: &[f64]) -> f64 {
        let model = &*self.model;
        let E = model.kinetic_energy(&state.v) + model.potential_energy(&state.q);
        match self.stored {
            Stored::Newmark(p) => {
                let c_a = 0.5 * self.h * self.h * (2.0 * p.beta - p.gamma);
                E + c_a * model.kinetic_energy(a) + Ratios::new(&p).c_z * model.potential_energy(z)
            }
            Stored::Euler => E + 0.5 * self.h * model.stiffness().map_or(0.0, |K| K.bilinear(&state.v, &state.q)),
            Stored::Theta { .. } | Stored::Implicit { .. } | Stored::Projected(_) | Stored::Missing(_) => E,
        }
    }
}

/// η/ν and the coefficients of the filtered energies, with their limits at ν = 0.
struct Ratios {
    eta_nu: f64,
    c_z: f64,
    c_dz: f64,
}

impl Ratios {
    fn new(p: &NewmarkLike) -> Self {
        let (nu, eta) = (p.nu(), p.eta());
        if eta.abs() < 1e-14 && nu.abs() < 1e-14 {
            return Self { eta_nu: 2.0 / 3.0, c_z: 1.0 / 9.0, c_dz: 0.0 };
        }
        let margin = nu - (p.gamma - 0.5);
        Self { eta_nu: eta / nu, c_z: eta / (nu * nu) * margin, c_dz: eta / nu * margin }
    }
}

fn load(model: &LinearModel, t: f64) -> Vec<f64> {
    let mut F = vec![0.0; model.n()];
    model.force(t, &mut F);
    F
}

/// x ← x + c (K q + C v).
fn forces(model: &LinearModel, c: f64, q: &[f64], v: &[f64], x: &mut [f64]) {
    if let Some(K) = model.stiffness() {
        K.mul_add(c, q, x);
    }
    if let Some(C) = model.damping() {
        C.mul_add(c, v, x);
    }
}

/// x ← x + c G P.
fn add_impulses(model: &LinearModel, contacts: Contacts, c: f64, x: &mut [f64]) {
    for contact in contacts.normal.iter().filter(|contact| contact.p != 0.0) {
        model.G().add_column(contact.id, c * contact.p, x);
    }
    for (contact, along) in contacts.normal.iter().zip(contacts.along) {
        for (column, p) in model.tangent_columns(contact.id).zip(along.p) {
            model.H().add_column(column, c * p, x);
        }
    }
}

fn damping_work(model: &LinearModel, dq: &[f64], v: &[f64]) -> f64 {
    model.damping().map_or(0.0, |C| -C.bilinear(dq, v))
}

fn contact_work(model: &LinearModel, k: &State, contacts: Contacts, c: f64) -> f64 {
    let before = |contact: &ContactState| model.gap_rate(contact.id, &k.v, k.t);
    let normal: f64 =
        contacts.normal.iter().map(|contact| contact.p * ((1.0 - c) * before(contact) + c * contact.u_after)).sum();
    let along = contacts
        .normal
        .iter()
        .zip(contacts.along)
        .map(|(contact, along)| Tangential { u_before: model.tangent_rate(contact.id, &k.v), ..*along }.work(c));
    normal + along.sum::<f64>()
}

fn obstacle_work(model: &LinearModel, contacts: Contacts, t: f64, t_next: f64, c: f64) -> f64 {
    let rate = |id: usize, t: f64| model.contacts()[id].offset.rate(t);
    let work = |k: &ContactState| -k.p * ((1.0 - c) * rate(k.id, t) + c * rate(k.id, t_next));
    contacts.normal.iter().map(work).sum()
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |worst, x| if x.abs() > worst { x.abs() } else { worst })
}
