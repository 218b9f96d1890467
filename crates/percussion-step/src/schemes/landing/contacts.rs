//! The contacts of a step: what landed, what is given back for it, and the impact law.
//!
//!   D = Σ_landed −p₁U_m + max(0, W_fr° − W_fr),   c = δᵀMδ,   b = δᵀMv⁻ + ẇᵀ(p₁ − p₁°),   ½cκ² − bκ = D,   κ ≥ 0
//!
//! one κ per island of contacts coupled by N_iᵀM N_j. The quadratic has the value −D ≤ 0 at κ = 0 and c > 0: one root ≥ 0 exists
//! whatever the direction δ, so the landing costs exactly nothing.

use crate::schemes::landing::contact_problem::ContactProblem;
use crate::schemes::landing::instant::{Arrival, CLOSED, Instant};
use crate::schemes::landing::motion::Motion;
use crate::{FrictionLaw, StepFailure, StepInfo};
use percussion_matrix::vector;
use percussion_solve::SolverOptions;

/// Part of the product of their M-norms from which two responses are coupled.
const COUPLED: f64 = 1e-13;
/// Part of the kinetic energy below which a direction is round-off.
const NO_DIRECTION: f64 = 1e-24;
/// Part of the velocities below which an approach is round-off, and with friction what solvers of cones leave.
const NO_APPROACH: f64 = 1e-14;
const NO_APPROACH_IN_CONES: f64 = 1e-11;
/// Part of the length up to which a gap obeys the impact law.
pub const TOUCHING: f64 = 1e-12;
/// Part of the largest velocity up to which a closed contact may approach.
pub const SLOW: f64 = 1e-9;

/// The contact problems of a step and what became of them.
#[derive(Debug)]
pub struct Contacts {
    /// Position level.
    pub first: ContactProblem,
    /// The same with the contacts that were closed alone.
    pub rest: ContactProblem,
    /// The impact law.
    pub last: ContactProblem,
    /// Of each contact of `first`: g_k [m], whether it was closed, whether it pushes, whether it landed.
    pub gaps: Vec<f64>,
    pub closed: Vec<bool>,
    pub pushes: Vec<bool>,
    pub landed: Vec<bool>,
    /// The place of each contact of `first` in `rest`, if it was closed.
    pub places: Vec<Option<usize>>,
    /// p₁° and κ (p₁ − p₁°), in rows of `first`.
    p_rest: Vec<f64>,
    pub taken: Vec<f64>,
    /// Whether `last` was solved, and 1 + ê_b across joints in it.
    pub struck: bool,
    pub across: f64,
    /// Work of contacts, and of obstacles that move.
    pub work: f64,
    pub work_obstacles: f64,
    /// What joints took as velocities across them were stopped with those of contacts that rest.
    pub work_joints: f64,
    /// Of each contact of `first`, the first of its island.
    pub island: Vec<usize>,
    delta: Vec<f64>,
    touching: Vec<usize>,
    flags: Vec<bool>,
    open: Vec<usize>,
    /// Landings so far.
    pub landings: u64,
}

impl Contacts {
    /// Without memory yet.
    pub fn new(d: usize, law: FrictionLaw, options: SolverOptions) -> Self {
        let problem = || ContactProblem::new(d, law, options);
        Self {
            first: problem(),
            rest: problem(),
            last: problem(),
            gaps: Vec::new(),
            closed: Vec::new(),
            pushes: Vec::new(),
            landed: Vec::new(),
            places: Vec::new(),
            p_rest: Vec::new(),
            taken: Vec::new(),
            struck: false,
            across: 2.0,
            work: 0.0,
            work_obstacles: 0.0,
            work_joints: 0.0,
            island: Vec::new(),
            delta: Vec::new(),
            touching: Vec::new(),
            flags: Vec::new(),
            open: Vec::new(),
            landings: 0,
        }
    }

    /// Overlaps g < 0 are taken back as a motion would, that of impulses π on the contacts that overlap:
    ///
    ///   2g/h  becomes  −W π,    π_i = −2g_i/(h Σ_j |W_ij|)
    ///
    /// v₁ = −v_k + M̂⁻¹Gπ then meets the problem. Demands of each contact alone need not agree, by round-off, where contacts are redundant:
    /// impulses along the directions that move nothing would grow for ever.
    pub fn take_back(&mut self, h: f64) {
        let Self { first, gaps, .. } = self;
        if gaps.iter().all(|&g| g >= 0.0) {
            return;
        }
        let (n, d) = (gaps.len(), first.dim());
        let (mut sizes, mut rise) = (vec![0.0; n], vec![0.0; n]);
        first.each_normal(|i, j, x| sizes[i] += if gaps[j] < 0.0 { x.abs() } else { 0.0 });
        let push = |i: usize| if gaps[i] < 0.0 && sizes[i] > 0.0 { -2.0 * gaps[i] / (h * sizes[i]) } else { 0.0 };
        first.each_normal(|i, j, x| rise[i] += x * push(j));
        for (i, gap) in gaps.iter_mut().enumerate() {
            let level = gap.max(0.0) - 0.5 * h * rise[i];
            first.law.u_before[i * d] += 2.0 * (level - *gap) / h;
            *gap = level;
        }
    }

    /// Takes in the answer of `first`.
    pub fn take_in(&mut self) {
        self.pushes.clear();
        self.landed.clear();
        for i in 0..self.first.len() {
            let pushes = self.first.pushes(i);
            self.pushes.push(pushes);
            self.landed.push(pushes && !self.closed[i]);
        }
    }

    /// The contacts that landed.
    pub fn landings(&self) -> impl Iterator<Item = usize> + '_ {
        self.first.ids().iter().zip(&self.landed).filter(|(_, landed)| **landed).map(|(&id, _)| id)
    }

    /// U_m of contact i: (g_{k+1} − g_k)/h, half of w less what the gap had.
    #[inline]
    fn mean_approach(&self, i: usize, h: f64) -> f64 {
        0.5 * self.first.w[i * self.first.dim()] - self.gaps[i] / h
    }

    /// Σ p_T·u_T in the middle of the step, of contact i of a problem.
    fn friction_work(problem: &ContactProblem, i: usize) -> f64 {
        let d = problem.dim();
        let rows = i * d + 1..(i + 1) * d;
        rows.map(|k| 0.5 * problem.law.p[k] * (problem.law.u_before[k] + problem.after(k))).sum()
    }

    /// Step 2: v⁻ from v₁.
    pub fn land(
        &mut self,
        motion: &mut impl Motion,
        at: &Instant,
        h: f64,
        to: &mut Arrival,
    ) -> Result<StepInfo, StepFailure> {
        let (n, d) = (self.first.len(), self.first.dim());
        to.v_minus.clone_from(&to.v1);
        (self.work, self.work_obstacles, self.work_joints) = (0.0, 0.0, 0.0);
        self.taken.clear();
        self.taken.resize(n * d, 0.0);
        for i in 0..n {
            self.work += self.first.law.p[i * d] * self.mean_approach(i, h) + Self::friction_work(&self.first, i);
        }
        let mut info = StepInfo::default();
        if self.landed.contains(&true) {
            self.landings += self.landed.iter().filter(|landed| **landed).count() as u64;
            info = self.solve_rest(at.t, h)?;
            motion.turn_rows(at, h, self, to)?;
            self.find_islands(motion, to.v1.len());
            let kinetic = motion.product(&to.v1, &to.v1).max(motion.product(&at.v, &at.v));
            for a in 0..n {
                if self.island[a] == a {
                    self.give_back(motion, a, h, kinetic, &mut to.v_minus);
                }
            }
        }
        for (k, drift) in self.first.drift.iter().enumerate() {
            self.work_obstacles -= (self.first.law.p[k] - self.taken[k]) * drift;
            if self.taken[k] != 0.0 {
                self.work_obstacles += self.taken[k] * motion.hands(k, false);
            }
        }
        Ok(info)
    }

    /// p₁°: the closed contacts alone, under the laws they obeyed among all.
    fn solve_rest(&mut self, t: f64, h: f64) -> Result<StepInfo, StepFailure> {
        let Self { first, rest, closed, p_rest, places, .. } = self;
        let d = first.dim();
        let of: Vec<usize> = (0..first.len()).filter(|&i| closed[i]).collect();
        places.clear();
        places.resize(first.len(), None);
        of.iter().enumerate().for_each(|(k, &i)| places[i] = Some(k));
        p_rest.clear();
        p_rest.resize(first.law.p.len(), 0.0);
        rest.clear();
        let ids: Vec<usize> = of.iter().map(|&i| first.ids()[i]).collect();
        rest.name(&ids, of.iter().map(|&i| first.frictions(i)));
        for &i in &of {
            rest.law.restitution.push(first.law.restitution[i]);
            for k in i * d..(i + 1) * d {
                rest.law.u_before.push(first.law.u_before[k]);
                rest.law.u_free.push(first.law.u_free[k]);
                rest.law.p.push(first.law.p[k]);
            }
        }
        if of.is_empty() {
            return Ok(StepInfo::default());
        }
        let rows: Vec<Option<usize>> = (0..of.len() * d).map(Some).collect();
        rest.set_operator(&rows, &first.part(&of));
        rest.law.flag(of.iter().map(|&i| first.law.fremond(i)));
        let info = rest.solve((t, h), false)?;
        for (k, &i) in of.iter().enumerate() {
            p_rest[i * d..(i + 1) * d].copy_from_slice(&rest.law.p[k * d..(k + 1) * d]);
        }
        Ok(info)
    }

    /// Islands of the contacts that push, with or without what landed: each has the number of its first.
    fn find_islands(&mut self, motion: &impl Motion, size: usize) {
        let (n, d) = (self.first.len(), self.first.dim());
        let acts = |k: usize, p: &[f64], rest: &[f64]| p[k] != 0.0 || rest[k] != 0.0;
        let active: Vec<usize> =
            (0..n).filter(|&i| self.pushes[i] || self.p_rest[i * d] > 0.0 || self.landed[i]).collect();
        self.island.clear();
        self.island.resize(n, usize::MAX);
        active.iter().for_each(|&i| self.island[i] = i);
        let rows = |i: usize, p: &[f64], rest: &[f64]| {
            (i * d..(i + 1) * d).filter(|&k| acts(k, p, rest)).collect::<Vec<usize>>()
        };
        let (p, rest) = (&self.first.law.p, &self.p_rest);
        let of: Vec<Vec<usize>> = active.iter().map(|&i| rows(i, p, rest)).collect();
        let mut x = vec![0.0; size];
        let mut norms = vec![0.0; n * d];
        for &k in of.iter().flatten() {
            motion.weigh(k, &mut x);
            norms[k] = motion.along(k, &x).max(0.0).sqrt();
        }
        for a in 0..active.len() {
            for &k in &of[a] {
                motion.weigh(k, &mut x);
                for b in a + 1..active.len() {
                    let coupled = |&l: &usize| motion.along(l, &x).abs() > COUPLED * norms[k] * norms[l];
                    let (i, j) = (self.island[active[a]], self.island[active[b]]);
                    if i != j && of[b].iter().any(coupled) {
                        let (low, high) = (i.min(j), i.max(j));
                        self.island.iter_mut().filter(|k| **k == high).for_each(|k| *k = low);
                    }
                }
            }
        }
    }

    /// v⁻ ← v⁻ − κδ of one island, if something landed in it.
    fn give_back(&mut self, motion: &impl Motion, island: usize, h: f64, kinetic: f64, v: &mut [f64]) {
        let (n, d) = (self.first.len(), self.first.dim());
        let members: Vec<usize> = (0..n).filter(|&i| self.island[i] == island).collect();
        if !members.iter().any(|&i| self.landed[i]) {
            return;
        }
        self.delta.clear();
        self.delta.resize(v.len(), 0.0);
        let (mut D, mut friction, mut friction_rest, mut drift) = (0.0, 0.0, 0.0, 0.0);
        for &i in &members {
            if self.landed[i] {
                D -= self.first.law.p[i * d] * self.mean_approach(i, h);
            }
            friction += Self::friction_work(&self.first, i);
            if let Some(k) = self.places[i] {
                friction_rest += Self::friction_work(&self.rest, k);
            }
            for k in i * d..(i + 1) * d {
                let p = self.first.law.p[k] - self.p_rest[k];
                if p != 0.0 {
                    motion.respond(k, p, &mut self.delta);
                    drift += p * (self.first.drift[k] + motion.hands(k, false));
                }
            }
        }
        // what friction took only because of the shock
        let D = D.max(0.0) + (friction_rest.min(0.0) - friction).max(0.0);
        let c = motion.product(&self.delta, &self.delta);
        let b = motion.product(&self.delta, v) + drift;
        if c <= NO_DIRECTION * kinetic {
            return;
        }
        let kappa = root(b, c, D);
        vector::axpy(-kappa, &self.delta, v);
        self.work += D;
        for &i in &members {
            for k in i * d..(i + 1) * d {
                self.taken[k] = kappa * (self.first.law.p[k] - self.p_rest[k]);
            }
        }
    }

    /// Step 3: v_{k+1} from v⁻, and the contacts that are closed from now on.
    pub fn strike(
        &mut self,
        motion: &mut impl Motion,
        at: &mut Instant,
        h: f64,
        to: &mut Arrival,
    ) -> Result<StepInfo, StepFailure> {
        let (d, t) = (self.first.dim(), at.t + h);
        let sizes = to.near.iter().map(|(_, gap)| gap.abs()).chain(to.q.iter().map(|q| q.abs()));
        at.landed.length = sizes.fold(at.landed.length, f64::max);
        let fastest = vector::max_abs(&at.v).max(vector::max_abs(&to.v_minus));
        at.landed.speed = at.landed.speed.max(fastest).max(to.fastest);
        self.touching.clear();
        let mut pushing = self.pushes.iter().zip(self.first.ids()).peekable();
        for &(id, gap) in &to.near {
            while pushing.next_if(|(_, p)| **p < id).is_some() {}
            let pushes = pushing.peek().is_some_and(|(pushes, p)| **p == id && **pushes);
            if pushes || gap <= TOUCHING * at.landed.length {
                self.touching.push(id);
            }
        }
        self.last.clear();
        motion.touch(&self.touching, t, to, &mut self.last);
        to.v.clone_from(&to.v_minus);
        let slow = if d == 1 { NO_APPROACH * fastest } else { NO_APPROACH_IN_CONES * fastest.max(to.fastest) };
        let approached = (0..self.last.len()).any(|i| self.last.law.u_before[i * d] < -slow);
        // joints stop as the contacts do where nothing lands: what rests comes to rest
        let slowest = self.last.law.restitution.iter().fold(1.0, |e: f64, x| e.min(*x));
        let acts = self.pushes.contains(&true) && !self.landed.contains(&true);
        let rests = motion.has_joints() && acts && slowest < 1.0;
        let mut info = StepInfo::default();
        self.struck = false;
        if approached || rests {
            for i in 0..self.last.len() {
                if self.last.law.u_before[i * d] >= 0.0 {
                    self.last.law.restitution[i] = 1.0;
                }
            }
            // contacts of several e need not agree with what joints of one would do: −v⁻ always does
            self.struck = rests && self.apply_law(motion, (t, h), 1.0 + slowest, to, &mut info).unwrap_or(false);
            if !self.struck && approached {
                self.last.law.p.fill(0.0);
                self.struck = self.apply_law(motion, (t, h), 2.0, to, &mut info)?;
            } else if !self.struck {
                to.v.clone_from(&to.v_minus);
            }
        }
        self.close(at, to);
        Ok(info)
    }

    /// v_{k+1} under the impact law, U_b⁺ = −ê_b U_b⁻ across joints; whether contacts and joints take energy out. With ê_b = 1 joints do no
    /// work; with one e for contacts and joints U⁻·p = −(p·W p + 2 Σ_open U⁻p)/(1 + e) ≤ 0; otherwise it is looked at.
    fn apply_law(
        &mut self,
        motion: &mut impl Motion,
        (t, h): (f64, f64),
        across: f64,
        to: &mut Arrival,
        info: &mut StepInfo,
    ) -> Result<bool, StepFailure> {
        to.v.clone_from(&to.v_minus);
        self.across = across;
        motion.impact((t, h), across, &mut to.v, &mut self.last)?;
        self.flag_impacts();
        info.add(&self.last.solve((t - h, h), true)?);
        let (mut contacts, mut hands) = (0.0, motion.hand_of_joints());
        for (k, &p) in self.last.law.p.iter().enumerate().filter(|(_, p)| **p != 0.0) {
            motion.strike(k, p, &mut to.v);
            contacts += 0.5 * p * (self.last.law.u_before[k] + self.last.after(k));
            hands -= p * (self.last.drift[k] + motion.hands(k, true));
        }
        let mut joints = 0.0;
        if across < 2.0 {
            let (sum, change): (Vec<f64>, Vec<f64>) = to.v.iter().zip(&to.v_minus).map(|(a, b)| (a + b, a - b)).unzip();
            joints = 0.5 * motion.product(&sum, &change) - contacts - hands;
            if contacts + joints > 0.0 {
                return Ok(false);
            }
        }
        self.work += contacts;
        self.work_joints += joints;
        self.work_obstacles += hands;
        Ok(true)
    }

    /// Friction obeys Frémond's law where contacts coupled by W landed.
    fn flag_impacts(&mut self) {
        if self.last.dim() == 1 {
            return;
        }
        let Self { last, first, landed, flags, open, .. } = self;
        flags.clear();
        flags.resize(last.len(), false);
        open.clear();
        for (id, _) in first.ids().iter().zip(&*landed).filter(|(_, landed)| **landed) {
            if let Ok(i) = last.ids().binary_search(id) {
                flags[i] = true;
                open.push(i);
            }
        }
        while let Some(i) = open.pop() {
            for (j, _) in last.law.problem.W.row(i) {
                if !flags[j] {
                    flags[j] = true;
                    open.push(j);
                }
            }
        }
        last.law.flag(flags.iter().copied());
    }

    /// closed_{k+1}: what pushes at position level, and what is closed to round-off without being approached.
    fn close(&self, at: &mut Instant, to: &Arrival) {
        let d = self.first.dim();
        let landed = &mut at.landed;
        landed.closed.clear();
        landed.p.clear();
        for (k, id) in self.touching.iter().enumerate() {
            let first = self.first.ids().binary_search(id).ok().filter(|&i| i < self.pushes.len());
            let pushes = first.is_some_and(|i| self.pushes[i]);
            let gap = to.near.binary_search_by_key(id, |(id, _)| *id).map_or(f64::INFINITY, |k| to.near[k].1);
            let u = if self.struck { self.last.after(k * d) } else { self.last.law.u_before[k * d] };
            if pushes || (gap <= CLOSED * landed.length && u >= -SLOW * landed.speed) {
                let mut p = [0.0; 5];
                if let Some(i) = first {
                    p[..d].copy_from_slice(&self.first.law.p[i * d..(i + 1) * d]);
                }
                landed.closed.push(*id as u64);
                landed.p.push(p);
            }
        }
    }
}

/// The root κ ≥ 0 of ½cκ² − bκ = D, without cancellation.
pub fn root(b: f64, c: f64, D: f64) -> f64 {
    let s = (b * b + 2.0 * c * D).sqrt();
    if b >= 0.0 { (b + s) / c } else { 2.0 * D / (s - b) }
}

#[cfg(test)]
mod tests {
    use super::root;

    /// The root solves its equation for every sign and size.
    #[test]
    fn the_root_gives_back_what_was_lost() {
        for b in [-1e3, -1.0, -1e-9, 0.0, 1e-9, 1.0, 1e3] {
            for c in [1e-6, 1.0, 1e6] {
                for D in [0.0, 1e-12, 1.0, 1e4] {
                    let k = root(b, c, D);
                    let left = 0.5 * c * k * k - b * k - D;
                    assert!(k >= 0.0 && left.abs() <= 1e-14 * (c * k * k + (b * k).abs() + D), "{b} {c} {D}: {left:e}");
                }
            }
        }
    }
}
