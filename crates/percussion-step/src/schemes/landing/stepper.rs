//! A step of `landing`, landings at its end or at the instants at which contacts touch.
//!
//!   inside: τ = the first time at which a contact that would land reaches g = 0 under a step in which it does not act;
//!           a step of length τ, then what is left, at most four times
//!
//!   features of bodies that change within the step, as where a ball rolls off an edge: parts so short that what the change leaves is round-off
//!
//! Energy and gaps are right in every part, hence in the step; landing inside makes it of order 2.

use crate::schemes::landing::contacts::Contacts;
use crate::schemes::landing::instant::{Arrival, Instant, Landed};
use crate::schemes::landing::motion::{Motion, Trial};
use crate::schemes::landing::part::{Part, Told};
use crate::step::contact::judge;
use crate::{
    ContactState, FrictionLaw, LedgerEntry, Memory, PersistentContact, State, Step, StepFailure, StepInfo, StepStart,
    Stepper, Tangential,
};
use percussion_matrix::vector;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;

/// Landings looked for inside a step.
const PARTS: usize = 4;
/// The shortest part of a step that is cut where features of bodies change, and how often that is tried.
const SHORTEST: f64 = 1.0 / 16_384.0;
const MOST: usize = 200;
/// Trial steps for one of them.
const TRIALS: usize = 200;

/// What a contact did in a step.
#[derive(Clone, Copy, Debug)]
struct Touched {
    id: usize,
    p: [f64; 5],
    u_free: f64,
    mu: f64,
    push: f64,
    fremond: bool,
    rolls: bool,
}

/// The scheme bound to a model.
pub struct Landing<M> {
    motion: M,
    inside: bool,
    contacts: Contacts,
    at: Instant,
    to: Arrival,
    touched: Vec<Touched>,
    barred: Vec<usize>,
    parts: u64,
    /// What each part of a step did, for those who ask.
    told: Option<Vec<Part>>,
}

impl<M: Motion> Landing<M> {
    /// Binds the scheme.
    pub fn new(motion: M, inside: bool, law: FrictionLaw, options: SolverOptions) -> Self {
        let (d, n) = motion.sizes();
        let zero = || vec![0.0; n];
        Self {
            contacts: Contacts::new(d, law, options),
            motion,
            inside,
            at: Instant::default(),
            to: Arrival { v1: zero(), v_minus: zero(), v: zero(), ..Default::default() },
            touched: Vec::new(),
            barred: Vec::new(),
            parts: 0,
            told: None,
        }
    }

    /// The same, telling what the parts of each step did.
    pub fn telling(self) -> Self {
        Self { told: Some(Vec::new()), ..self }
    }

    /// Keeps what the part of length h that was just made did; `cut`: where its first landing is.
    fn tell(&mut self, h: f64, cut: bool) {
        let Some(told) = &mut self.told else { return };
        // of the contacts that were kept from acting, the one that is reached
        let near = self.to.near.iter().filter(|(id, _)| self.barred.binary_search(id).is_ok());
        let reached = near.min_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map(|(id, _)| *id);
        told.push(Part::of(&self.contacts, &self.at, h, reached.filter(|_| cut)));
    }

    fn position(&mut self, h: f64, barred: bool) -> Result<StepInfo, StepFailure> {
        StepFailure::unless_stopped(self.at.t, h)?;
        let barred: &[usize] = if barred { &self.barred } else { &[] };
        self.motion.position(Trial { at: &self.at, h, barred }, &mut self.contacts, &mut self.to)
    }

    /// Steps 2 and 3 after step 1, and the account of the three; `self.at` is then where they lead.
    fn finish(&mut self, h: f64, energy: f64, mut info: StepInfo) -> Result<(StepInfo, LedgerEntry), StepFailure> {
        let Self { motion, contacts, at, to, .. } = self;
        info.add(&contacts.land(motion, at, h, to)?);
        let mut entry = motion.works(at, h, to);
        info.add(&contacts.strike(motion, at, h, to)?);
        let [kinetic, potential] = motion.energies(&to.q, &to.v);
        (entry.kinetic, entry.potential) = (kinetic, potential);
        entry.work_external += contacts.work_obstacles;
        entry.work_contact = contacts.work;
        entry.work_joints += contacts.work_joints;
        entry.close(energy, kinetic + potential);
        at.t += h;
        at.q.clone_from(&to.q);
        at.v.clone_from(&to.v);
        motion.remember(contacts, &mut at.landed);
        self.note();
        Ok((info, entry))
    }

    /// Adds the impulses of a part of the step.
    fn note(&mut self) {
        let Self { contacts, touched, .. } = self;
        let d = contacts.first.dim();
        let mut add = |id: usize, of: &dyn Fn(&mut Touched)| match touched.binary_search_by_key(&id, |t| t.id) {
            Ok(k) => of(&mut touched[k]),
            Err(k) => {
                let mut new =
                    Touched { id, p: [0.0; 5], u_free: 0.0, mu: 0.0, push: 0.0, fremond: false, rolls: false };
                of(&mut new);
                touched.insert(k, new);
            }
        };
        let first = &contacts.first;
        for (i, &id) in first.ids().iter().enumerate().take(first.len()) {
            add(id, &|to| {
                (0..d).for_each(|c| to.p[c] += first.law.p[i * d + c] - contacts.taken[i * d + c]);
                to.u_free = first.law.u_free[i * d];
                to.mu = first.law.problem.mu.get(i).copied().unwrap_or(0.0);
                to.push = first.mobility(i) * first.law.p[i * d];
                to.fremond |= first.law.fremond(i);
                to.rolls |= first.law.problem.mu_rolling.get(i).is_some_and(|&mu| mu > 0.0);
            });
        }
        let last = &contacts.last;
        if contacts.struck {
            for (i, &id) in last.ids().iter().enumerate().take(last.len()) {
                add(id, &|to| {
                    (0..d).for_each(|c| to.p[c] += last.law.p[i * d + c]);
                    to.mu = last.law.problem.mu.get(i).copied().unwrap_or(0.0);
                    to.push = to.push.max(last.mobility(i) * last.law.p[i * d]);
                    to.fremond |= last.law.fremond(i);
                });
            }
        }
    }

    /// The smallest gap among the contacts barred at the end of a step of length h.
    fn lowest(&mut self, h: f64) -> Result<f64, StepFailure> {
        self.position(h, true)?;
        let near = self.to.near.iter().filter(|(id, _)| self.barred.binary_search(id).is_ok());
        Ok(near.map(|(_, gap)| *gap).fold(f64::INFINITY, f64::min))
    }

    /// The first time within h at which a contact that lands reaches g = 0, by false position and bisection; none where those
    /// contacts are not reached without each other.
    fn touchdown(&mut self, h: f64, start: f64) -> Result<Option<f64>, StepFailure> {
        let mut high = (h, self.lowest(h)?);
        if high.1 > 0.0 {
            return Ok(None);
        }
        let mut low = (0.0, start.max(0.0));
        let small = 1e-16 * vector::max_abs(&self.at.q).max(1.0);
        for trial in 0..TRIALS {
            if high.1 > -small || high.0 - low.0 <= 2e-16 * h {
                break;
            }
            let secant = low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1);
            let inside = secant > low.0 && secant < high.0;
            let tau = if trial % 3 == 2 || !inside { 0.5 * (low.0 + high.0) } else { secant };
            if tau <= low.0 || tau >= high.0 {
                break;
            }
            let gap = self.lowest(tau)?;
            if gap > 0.0 {
                low = (tau, gap);
            } else {
                high = (tau, gap);
            }
        }
        Ok(Some(high.0))
    }

    /// The length of the part of a step up to its first landing; none where it is made in one.
    fn part(&mut self, rest: f64) -> Result<Option<f64>, StepFailure> {
        self.barred.clear();
        self.barred.extend(self.contacts.landings());
        if self.barred.is_empty() {
            return Ok(None);
        }
        let gaps = self.contacts.gaps.iter().zip(&self.contacts.landed).filter(|(_, landed)| **landed);
        let start = gaps.map(|(gap, _)| *gap).fold(f64::INFINITY, f64::min);
        let found = self.touchdown(rest, start)?;
        Ok(found.filter(|&tau| tau < rest))
    }

    /// Contacts and what the next step is told.
    fn conclude(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) {
        let d = self.contacts.first.dim();
        step.contacts.clear();
        step.friction.clear();
        next.p.fill(0.0);
        next.push.fill(0.0);
        next.persistent.clear();
        for touched in &self.touched {
            let c =
                ContactState { p: touched.p[0], u_free: touched.u_free, ..ContactState::before(touched.id, 0.0, 0.0) };
            step.contacts.push(c);
            if d > 1 {
                let [_, s, t, about_s, about_t] = touched.p;
                let (fremond, frictional) = (touched.fremond, touched.mu > 0.0 || touched.rolls);
                let (p, m, n) = ([s, t], [about_s, about_t], self.motion.tangents());
                step.friction.push(Tangential { p, m, fremond, frictional, n, ..Default::default() });
            }
            if let Some(p) = next.p.get_mut(touched.id) {
                (*p, next.push[touched.id]) = (touched.p[0].max(0.0), touched.push);
            } else {
                let [n, s, t, about_s, about_t] = touched.p;
                let (id, p) = (touched.id as u64, [n.max(0.0), s, t, about_s, about_t]);
                next.persistent.push(PersistentContact { id, p, push: touched.push, ..Default::default() });
            }
        }
        self.motion.conclude(from.state, step);
        if d > 1 {
            judge(step, 1.0, |k| (self.touched[k].mu, self.touched[k].push));
        }
        next.carried.renew::<Landed>().set(&self.at.landed);
    }
}

impl<M: Motion> Stepper for Landing<M> {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        let (mut problem, mut p) = self.contacts.first.contact_problem()?;
        self.motion.in_metres(&mut problem, &mut p);
        Some((problem, p))
    }

    fn start(&mut self, state: &State) -> Memory {
        let (closed, length) = self.motion.closed_at_start(state);
        let p = vec![[0.0; 5]; closed.len()];
        let mut landed = Landed { closed, p, length, speed: vector::max_abs(&state.v), ..Default::default() };
        self.motion.start_joints(state, &mut landed);
        let [kinetic, potential] = self.motion.energies(&state.q, &state.v);
        Memory::new(kinetic + potential, self.motion.contact_count()).carrying(landed)
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        self.at.set(from);
        self.touched.clear();
        self.told.iter_mut().for_each(Vec::clear);
        next.clear_impulses(self.motion.contact_count());
        step.h = h;
        step.smallest_gap = self.motion.smallest_gap(state);
        self.motion.begin(state);
        let (mut info, mut entry, mut energy, mut rest) = (StepInfo::default(), LedgerEntry::default(), memory.H, h);
        let mut parts = if self.inside { PARTS } else { 0 };
        let (mut longest, mut trials) = (f64::INFINITY, 0);
        loop {
            let mut length = rest.min(longest);
            let mut solved = self.position(length, false)?;
            while self.to.overlap && length > SHORTEST * h && trials < MOST {
                length *= 0.5;
                longest = length;
                trials += 1;
                solved = self.position(length, false)?;
            }
            let part = if parts > 0 { self.part(length)? } else { None };
            length = part.unwrap_or(length);
            // trial steps have used the same memory
            if part.is_some() || !self.barred.is_empty() {
                solved.add(&self.position(length, false)?);
            }
            let (more, later) = self.finish(length, energy, solved)?;
            self.tell(length, part.is_some());
            self.barred.clear();
            info.add(&more);
            entry.accumulate(&later);
            energy = entry.algorithmic_energy;
            rest -= length;
            longest *= 2.0;
            if rest <= 1e-12 * h {
                break;
            }
            self.parts += u64::from(part.is_some());
            parts -= usize::from(part.is_some());
        }
        step.info = info;
        step.ledger = entry;
        step.after.set(state.t + h, &self.at.q, &self.at.v);
        next.H = energy;
        next.u_max = self.at.landed.speed;
        self.conclude(from, step, next);
        Ok(())
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        vec![("landings", self.contacts.landings), ("landings inside a step", self.parts)]
    }
}

impl<M: Motion> Told for Landing<M> {
    fn parts(&self) -> &[Part] {
        self.told.as_deref().unwrap_or_default()
    }
}
