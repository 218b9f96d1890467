//! The derivative of a motion with respect to where it starts and to parameters, carried along from event to event.
//!
//!   between events:  δẋ = (∂f/∂x) δx + ∂f/∂p,   x = (q, v),   by the Runge–Kutta table of order 8 on (x, δx)
//!   at an event h(t, x) = 0 with x⁺ = R(t, x⁻):   δt = −(n·δx + h_p)/(n·f⁻ + h_t),   n = ∂h/∂x
//!                    δx⁺ = R_x (δx + f⁻δt) + R_t δt + R_p − f⁺δt
//!
//! so that δx⁺ = S δx with the saltation matrix S = R_x + (f⁺ − R_x f⁻ − R_t) nᵀ/(n·f⁻ + h_t) (Aizerman and Gantmakher 1958;
//! Leine and Nijmeijer 2004, chapter 7). At a closing contact h is its gap, n·f⁻ + h_t its rate U⁻, and R the impact of the contacts that
//! take part (`reset.rs`). Where a force ends or a contact begins to slide, f does not jump and S = 1.
//! A stop of sliding has h = u_T and R = 1. Derivatives of f, h and R are differences of order 8, exact where f is affine.
//! There is no derivative where U⁻ = 0 (grazing) and where two contacts close at once. Impacts that accumulate are followed until the one
//! that ends them, whose R has e = 0: after it nothing is left of what the others did to the gap, and where the contact then sticks, nothing of
//! what they did to its slip.
//!
//! The work of contacts W goes with the columns: π = Σ λ_T·u_T of those that slide, ½P·(u⁻ + u⁺) at impacts,
//!
//!   δW = ∫ (π_x δx + π_p) dt + Σ_events (δ(½P·(u⁻ + u⁺)) + (π⁻ − π⁺)δt)

use crate::located::dense_output::DenseOutput;
use crate::located::event_search::Cause;
use crate::located::explicit::larger;
use crate::located::motion::{Motion, Standing};
use crate::located::no_derivative::{FlowStop, NoDerivative};
use crate::located::order::Order;
use crate::located::permitted::settle;
use crate::located::phase::{FlowFailure, Phase};
use crate::located::tableau::Tableau;
use crate::mechanism::Mechanism;
use crate::mechanism::hold::{Hold, TangentialMotion};
use crate::{EventKind, StepFailure};
use percussion_matrix::{DenseMatrix, vector};

/// Weights of the central difference of order 8: (f(k) − f(−k))/δ, k = 1 … 4.
pub const WEIGHTS: [f64; 4] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
/// Part of the sizes of the motion by which differences move a state.
const REACH: f64 = 1e-2;
/// Part of a column by which Simpson's sum over a step may miss Lobatto's: with (ωh)⁴/2880 = 5e-8 the latter, of order 8, is right to 1e-14.
const RESOLVED: f64 = 5e-8;
/// Parts of a step tried at most: rates that are round-off, as of a force that several contacts may share, are resolved by none.
const PARTS: usize = 1 << 13;
/// Part of the largest approach below which a contact that was open only grazes.
pub(super) const GRAZING: f64 = 1e-6;
/// Part of a time within which corners of signals are the same.
const SAME: f64 = 1e-14;
/// Part of a gap's terms within which a contact that turns back has touched.
const GRAZES: f64 = 1e-10;

/// The models at p + kδ, k = −4 … −1, 1 … 4.
pub struct Variants {
    /// Two for each weight: p + kδ and p − kδ.
    pub models: Vec<[Box<dyn Mechanism>; 2]>,
    /// δ.
    pub step: f64,
}

/// An event with the derivatives of its time.
#[derive(Clone, Debug, PartialEq)]
pub struct Instant {
    /// When [s].
    pub t: f64,
    /// What.
    pub kind: EventKind,
    /// Where.
    pub contact: usize,
    /// dt along each column.
    pub derivative: Vec<f64>,
    /// The rate of the gap before [m/s].
    pub approach: f64,
}

/// The state before an event.
pub struct Before {
    /// q, v⁻, a⁻.
    pub phase: Phase,
    /// What was held.
    pub held: Vec<Hold>,
    /// How each contact stood.
    pub standing: Vec<Standing>,
}

/// Columns δx = (δq, δv) on their way.
pub struct Tangent {
    /// The columns; the last of them belong to the parameters.
    pub columns: Vec<Vec<f64>>,
    /// One for each parameter.
    pub parameters: Vec<Variants>,
    /// The derivative of the work of contacts along each column.
    pub work: Vec<f64>,
    /// The events met.
    pub instants: Vec<Instant>,
    /// The smallest gap at which an open contact turned back: gap, contact, time.
    pub nearest: Option<(f64, usize, f64)>,
    /// A contact that turned back where its gap was nothing but round-off, and when.
    pub grazed: Option<(usize, f64)>,
    /// Contacts that were closed at the start without a force, along which a column moves: it does nothing only if a force comes.
    pub(super) idle: Vec<usize>,
    /// Whether the rates of this motion are round-off that no shorter part resolves: its columns take its own steps.
    unresolvable: bool,
    /// How far the derivatives hold.
    pub order: Order,
    /// Why the last motion has no derivative.
    pub reason: Option<NoDerivative>,
    tableau: Tableau,
    sizes: (f64, f64, f64),
    /// The last corner of a signal, or where the motion began.
    pub(super) from: f64,
}

impl Tangent {
    /// With no columns yet.
    pub fn new(parameters: Vec<Variants>) -> Self {
        let tableau = Tableau::explicit(8).expect("order 8 is in the list");
        let (columns, instants) = (Vec::new(), Vec::new());
        Self {
            columns,
            parameters,
            work: Vec::new(),
            instants,
            nearest: None,
            grazed: None,
            idle: Vec::new(),
            unresolvable: false,
            order: Order::default(),
            reason: None,
            tableau,
            sizes: (0.0, 0.0, 0.0),
            from: 0.0,
        }
    }

    /// Begins with these columns.
    pub fn begin(&mut self, t: f64, columns: Vec<Vec<f64>>) {
        self.work = vec![0.0; columns.len()];
        (self.columns, self.nearest, self.grazed, self.sizes) = (columns, None, None, (0.0, 0.0, 0.0));
        (self.reason, self.from, self.unresolvable) = (None, t, false);
        self.instants.clear();
        self.idle.clear();
        self.order.begin(self.parameters.len());
    }

    /// The parameter a column belongs to.
    pub(super) fn parameter(&self, column: usize) -> Option<usize> {
        column.checked_sub(self.columns.len() - self.parameters.len())
    }

    fn measure(&mut self, at: &Phase) {
        let (q, v, a) = &mut self.sizes;
        *q = q.max(vector::max_abs(&at.q));
        *v = v.max(vector::max_abs(&at.v));
        *a = a.max(vector::max_abs(&at.a));
    }

    /// How far along (dq, dv, dt) a difference may go.
    pub(super) fn reach(&self, dq: &[f64], dv: &[f64], dt: f64) -> f64 {
        let (q, v, a) = self.sizes;
        let time = if a > 0.0 { v / a } else { 1.0 };
        let part = |x: f64, size: f64| if size > 0.0 { x / size } else { x };
        let largest = part(vector::max_abs(dq), q.max(v * time)).max(part(vector::max_abs(dv), v.max(a * time)));
        let largest = largest.max(part(dt.abs(), time));
        if largest > 0.0 { REACH / largest } else { 1.0 }
    }

    /// Carries the columns through a smooth stretch.
    pub fn stretch(
        &mut self,
        mechanism: &mut dyn Mechanism,
        held: &[Hold],
        from: &Phase,
        to: &Phase,
    ) -> Result<(), FlowFailure> {
        self.measure(from);
        self.measure(to);
        self.watch_gaps(mechanism, held, from, to);
        // what was closed stays so, and nothing presses: along the column it leaves on one side and strikes on the other
        let without =
            |i: &usize| held.iter().zip(&to.lambda).any(|(hold, force)| hold.contact == *i && force[0] <= 0.0);
        if let Some(i) = std::mem::take(&mut self.idle).into_iter().find(without) {
            self.grazed = self.grazed.or(Some((i, from.t)));
        }
        if self.columns.is_empty() || to.t <= from.t {
            return Ok(());
        }
        let (mut at, mut h) = (from.clone(), to.t - from.t);
        let shortest = 64.0 * f64::EPSILON * to.t.abs().max(to.t - from.t);
        let mut tried = 0;
        while to.t - at.t > shortest {
            tried += 1;
            if self.unresolvable || tried > PARTS {
                self.unresolvable = true;
                let rest = to.t - at.t;
                self.part(mechanism, held, &mut at, rest)?;
                break;
            }
            h = h.min(to.t - at.t);
            let kept = (at.clone(), self.columns.clone(), self.work.clone());
            let unresolved = self.part(mechanism, held, &mut at, h)?;
            if unresolved <= RESOLVED || h <= shortest {
                // a part twice as long leaves 2⁵ times as much
                h *= if 32.0 * unresolved <= RESOLVED { 2.0 } else { 1.0 };
            } else {
                (at, self.columns, self.work) = kept;
                h *= 0.5;
            }
        }
        Ok(())
    }

    /// One Runge–Kutta step of the motion and its columns, and how far Lobatto's sum over it, that of order 8, is from Simpson's, the worst of the
    /// columns in parts of its size. The step of a motion says nothing of them: what falls freely with an unstretched spring takes long steps, and
    /// its columns swing.
    fn part(
        &mut self,
        mechanism: &mut dyn Mechanism,
        held: &[Hold],
        from: &mut Phase,
        h: f64,
    ) -> Result<f64, FlowFailure> {
        let (n, s) = (from.q.len(), self.tableau.stages);
        // stages of x, and of every column
        let (mut V, mut A): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        let mut rates: Vec<Vec<(Vec<f64>, Vec<f64>)>> = vec![Vec::with_capacity(s); self.columns.len()];
        let slides = held.iter().any(|hold| matches!(hold.along, TangentialMotion::Slides(_)));
        let mut lambda = vec![[0.0; 3]; held.len()];
        for i in 0..s {
            let row = self.tableau.row(i).to_vec();
            let t = from.t + self.tableau.c[i] * h;
            let (mut q, mut v) = (from.q.clone(), from.v.clone());
            for j in 0..i {
                vector::axpy(h * row[j], &V[j], &mut q);
                vector::axpy(h * row[j], &A[j], &mut v);
            }
            let mut a = vec![0.0; n];
            if !mechanism.accelerate(t, &q, &v, held, &mut a, &mut lambda) {
                return Err(FlowFailure::Singular);
            }
            let at = Phase { t, q, v, a, ..Phase::default() };
            let exact = Jacobian::of(mechanism, &at, held);
            for c in 0..self.columns.len() {
                let (mut dq, mut dv) = (self.columns[c][..n].to_vec(), self.columns[c][n..].to_vec());
                for j in 0..i {
                    vector::axpy(h * row[j], &rates[c][j].0, &mut dq);
                    vector::axpy(h * row[j], &rates[c][j].1, &mut dv);
                }
                let mut da = self.acceleration_along(mechanism, held, &at, &exact, (&dq, &dv))?;
                if let Some(p) = self.parameter(c) {
                    let of = |model: &mut dyn Mechanism, x: &mut [f64]| {
                        model.accelerate(at.t, &at.q, &at.v, held, x, &mut vec![[0.0; 3]; held.len()])
                    };
                    self.parameters[p].difference(n, of, &mut da)?;
                }
                if slides && self.tableau.b[i] != 0.0 {
                    self.work[c] += h * self.tableau.b[i] * self.power_along(mechanism, held, &at, (c, &dq, &dv))?;
                }
                rates[c].push((dv, da));
            }
            V.push(at.v);
            A.push(at.a);
        }
        for i in 0..s {
            vector::axpy(h * self.tableau.b[i], &V[i], &mut from.q);
            vector::axpy(h * self.tableau.b[i], &A[i], &mut from.v);
        }
        from.t += h;
        let (mut unresolved, (q, v, _)) = (0.0, self.sizes);
        let nothing: Vec<[f64; 2]> = (0..self.columns.len()).map(|c| [self.noise(c, q), self.noise(c, v)]).collect();
        for ((column, rates), least) in self.columns.iter_mut().zip(&rates).zip(nothing) {
            let (dq, dv) = column.split_at_mut(n);
            let (by_q, by_v): (Vec<&[f64]>, Vec<&[f64]>) = rates.iter().map(|(q, v)| (&q[..], &v[..])).unzip();
            for (part, list, least) in [(&*dq, by_q, least[0]), (&*dv, by_v, least[1])] {
                unresolved = larger(unresolved, apart(&self.tableau.b, (part, least), &list, h));
            }
            for (i, (rate_q, rate_v)) in rates.iter().enumerate() {
                vector::axpy(h * self.tableau.b[i], rate_q, dq);
                vector::axpy(h * self.tableau.b[i], rate_v, dv);
            }
        }
        Ok(unresolved)
    }

    /// (∂a/∂q) dq + (∂a/∂v) dv.
    fn acceleration_along(
        &self,
        mechanism: &mut dyn Mechanism,
        held: &[Hold],
        at: &Phase,
        exact: &Jacobian,
        (dq, dv): (&[f64], &[f64]),
    ) -> Result<Vec<f64>, FlowFailure> {
        let n = at.q.len();
        let mut lambda = vec![[0.0; 3]; held.len()];
        let mut moved = |s: f64, out: &mut Vec<f64>| {
            let place = |x: &[f64], d: &[f64]| x.iter().zip(d).map(|(x, d)| x + s * d).collect::<Vec<_>>();
            mechanism.accelerate(at.t, &place(&at.q, dq), &place(&at.v, dv), held, out, &mut lambda)
        };
        let reach = self.reach(dq, dv, 0.0);
        match exact {
            Jacobian::Known(Jq, Jv) => {
                let mut da = vec![0.0; n];
                for j in 0..n {
                    vector::axpy(dq[j], Jq.column(j), &mut da);
                    vector::axpy(dv[j], Jv.column(j), &mut da);
                }
                Ok(da)
            }
            // affine: one difference is exact, and the longer it is, the less round-off it has
            Jacobian::Affine => {
                let (s, mut da) = (reach / REACH, vec![0.0; n]);
                if !moved(s, &mut da) {
                    return Err(FlowFailure::Singular);
                }
                Ok(da.iter().zip(&at.a).map(|(x, a)| (x - a) / s).collect())
            }
            Jacobian::Unknown => central(n, reach, moved),
        }
    }

    /// π_x δx, and π_p of a column that belongs to a parameter.
    fn power_along(
        &mut self,
        mechanism: &mut dyn Mechanism,
        held: &[Hold],
        at: &Phase,
        (column, dq, dv): (usize, &[f64], &[f64]),
    ) -> Result<f64, FlowFailure> {
        let moved = |s: f64, out: &mut Vec<f64>| {
            let place = |x: &[f64], d: &[f64]| x.iter().zip(d).map(|(x, d)| x + s * d).collect::<Vec<_>>();
            sliding_power(mechanism, held, (at.t, &place(&at.q, dq), &place(&at.v, dv)), out)
        };
        let mut rate = central(1, self.reach(dq, dv, 0.0), moved)?;
        if let Some(p) = self.parameter(column) {
            let of = |model: &mut dyn Mechanism, out: &mut [f64]| sliding_power(model, held, (at.t, &at.q, &at.v), out);
            self.parameters[p].difference(1, of, &mut rate)?;
        }
        Ok(rate[0])
    }

    /// The smallest gap inside a stretch at which an open contact turns back.
    fn watch_gaps(&mut self, mechanism: &mut dyn Mechanism, held: &[Hold], from: &Phase, to: &Phase) {
        let dense = DenseOutput::new(from, to, to.t - from.t);
        let (mut q, mut v) = (Vec::new(), Vec::new());
        for i in (0..mechanism.n_contacts()).filter(|&i| held.iter().all(|hold| hold.contact != i)) {
            let u = [from, to].map(|at| mechanism.gap_rate(i, &at.q, &at.v, at.t));
            if !(u[0] < 0.0 && u[1] >= 0.0) {
                continue;
            }
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..40 {
                let middle = 0.5 * (low + high);
                dense.q(middle, &mut q);
                dense.v(middle, &mut v);
                if mechanism.gap_rate(i, &q, &v, dense.t(middle)) < 0.0 { low = middle } else { high = middle }
            }
            dense.q(high, &mut q);
            let (gap, t) = (mechanism.gap(i, &q, dense.t(high)), dense.t(high));
            // a contact that has just opened has a rate of round-off where it begins
            let approached = -u[0] > GRAZING * u[1];
            if approached && gap.abs() <= GRAZES * mechanism.gap_size(i, &q, t) {
                self.grazed = self.grazed.or(Some((i, t)));
            }
            if gap > 0.0 && self.nearest.is_none_or(|(smallest, ..)| gap < smallest) {
                self.nearest = Some((gap, i, t));
            }
        }
    }

    /// Carries the columns through an event that the motion has resolved.
    pub fn event(&mut self, motion: &mut Motion, cause: Cause, before: &Before) -> Result<(), StepFailure> {
        let passed = self.pass(motion, cause, before);
        self.or_why(passed)
    }

    fn pass(&mut self, motion: &mut Motion, cause: Cause, before: &Before) -> Result<(), FlowStop> {
        let n = before.phase.q.len();
        let (kind, contact, rates) = match cause {
            Cause::Closes(i) => (EventKind::Impact, i, self.closing(motion, i, before)?),
            Cause::Stops(i) => (EventKind::Stick, i, self.stop(motion, i, before)?),
            // the force that ends is zero, the one that reaches its cone is on it: f does not jump
            Cause::Ends(i) => (EventKind::Open, i, None),
            Cause::Slips(i) => (EventKind::Slip, i, None),
            Cause::Presses(i) => (EventKind::Close, i, None),
        };
        let t = before.phase.t;
        let mut derivative = Vec::new();
        if let Some((times, mut after, works)) = rates {
            let power = |mechanism: &mut dyn Mechanism, held: &[Hold], at: &Phase| {
                let mut out = [0.0];
                sliding_power(mechanism, held, (at.t, &at.q, &at.v), &mut out).then_some(out[0])
            };
            let Motion { mechanism, held, now, .. } = motion;
            let powers = [power(&mut **mechanism, &before.held, &before.phase), power(&mut **mechanism, held, now)];
            let [Some(before), Some(after_power)] = powers else {
                return Err(motion.failure(FlowFailure::Singular).into());
            };
            for (c, dt) in times.iter().enumerate() {
                self.work[c] += works[c] + (before - after_power) * dt;
                // back to the instant of the event with the motion after it
                for k in 0..n {
                    after[c][k] -= dt * motion.now.v[k];
                    after[c][n + k] -= dt * motion.now.a[k];
                }
            }
            (self.columns, derivative) = (after, times);
            self.order.event(motion, contact, &derivative);
            let struck = motion.records.iter().flat_map(|record| record.members.iter().map(|member| member.contact));
            let closed: Vec<usize> = struck.chain([contact]).collect();
            self.come_to_stick(motion, &closed)?;
        }
        if kind == EventKind::Impact {
            self.onto_held(motion, false)?;
        }
        if kind == EventKind::Impact {
            if !derivative.is_empty() {
                self.tell_impacts(motion, before, Some(contact), &derivative);
            }
            return Ok(());
        }
        let approach = motion.mechanism.gap_rate(contact, &before.phase.q, &before.phase.v, t);
        let contact = motion.mechanism.identity(contact);
        self.instants.push(Instant { t, kind, contact, derivative, approach });
        Ok(())
    }

    /// Keeps the impacts of an instant: the contact that closes, and others that approach with it.
    pub(super) fn tell_impacts(&mut self, motion: &mut Motion, before: &Before, closes: Option<usize>, times: &[f64]) {
        let (rest, at) = (motion.rest(), &before.phase);
        let members = motion.records.first().map_or(&[][..], |record| &record.members);
        let approaching = members.iter().filter(|member| member.before < -rest && Some(member.contact) != closes);
        let contacts: Vec<usize> = closes.into_iter().chain(approaching.map(|member| member.contact)).collect();
        for i in contacts {
            let approach = motion.mechanism.gap_rate(i, &at.q, &at.v, at.t);
            let (contact, derivative) = (motion.mechanism.identity(i), times.to_vec());
            self.instants.push(Instant { t: at.t, kind: EventKind::Impact, contact, derivative, approach });
        }
    }

    /// Carries the columns through what happens where the motion begins.
    pub fn begins(&mut self, motion: &mut Motion, before: &Before) -> Result<(), StepFailure> {
        let passed = self.fixed(motion, before).and_then(|()| self.onto_held(motion, true));
        self.or_why(passed)
    }

    /// Carries the columns through a corner of a signal.
    pub fn corner(&mut self, motion: &mut Motion, corner: f64, before: &Before) -> Result<(), StepFailure> {
        let from = self.from;
        let stays = |model: &dyn Mechanism| (model.next_corner(from) - corner).abs() <= SAME * corner.abs();
        let mut models = self.parameters.iter().flat_map(|variants| variants.models.iter().flatten());
        let passed = match models.all(|model| stays(&**model)) {
            true => self.fixed(motion, before),
            false => Err(FlowStop::at(corner, NoDerivative::CornerMoves)),
        };
        self.from = corner;
        self.or_why(passed)
    }

    fn or_why(&mut self, passed: Result<(), FlowStop>) -> Result<(), StepFailure> {
        passed.map_err(|stop| {
            self.reason = stop.reason;
            stop.failure
        })
    }

    /// δx ← Π_x δx + Π_p behind an impact that ends in sticking, Π the nearest state that what is held permits. Of impacts that accumulate each may
    /// slide, there and back, and carry the slip of a neighbour on undiminished; the rest in which they end takes it from all of them. So it does where
    /// a contact that was closed slides in such an impact less than counts, and sticks on.
    pub(super) fn come_to_stick(&mut self, motion: &mut Motion, closed: &[usize]) -> Result<(), FlowStop> {
        let sticks = |hold: &Hold| closed.contains(&hold.contact) && hold.along == TangentialMotion::Sticks;
        if !motion.held.iter().any(sticks) {
            return Ok(());
        }
        let Motion { mechanism, held, now, .. } = motion;
        let x: Vec<f64> = now.q.iter().chain(&now.v).copied().collect();
        let (n, m) = (now.q.len(), x.len());
        let mut settled = Vec::with_capacity(self.columns.len());
        for c in 0..self.columns.len() {
            let moved = |s: f64, out: &mut Vec<f64>| {
                out.clear();
                out.extend(x.iter().zip(&self.columns[c]).map(|(x, d)| x + s * d));
                settle(&mut **mechanism, now.t, out, held)
            };
            let (dq, dv) = self.columns[c].split_at(n);
            let mut column = central(m, self.reach(dq, dv, 0.0), moved);
            if let (Ok(column), Some(p)) = (&mut column, self.parameter(c)) {
                let of = |model: &mut dyn Mechanism, out: &mut [f64]| {
                    out.copy_from_slice(&x);
                    settle(model, now.t, out, held)
                };
                if self.parameters[p].difference(m, of, column).is_err() {
                    return Err(motion.failure(FlowFailure::Singular).into());
                }
            }
            match column {
                Ok(column) => settled.push(column),
                Err(why) => return Err(motion.failure(why).into()),
            }
        }
        self.columns = settled;
        Ok(())
    }

    /// δt and δx + f⁻δt where sliding stops in the plane.
    fn stop(&mut self, motion: &mut Motion, i: usize, before: &Before) -> Result<Shift, FlowStop> {
        let (at, n) = (&before.phase, before.phase.q.len());
        let hold = before.held.iter().find(|hold| hold.contact == i);
        let Some(Hold { along: TangentialMotion::Slides(sliding), .. }) = hold else { return Ok(None) };
        let d = sliding.direction;
        let mechanism = &mut *motion.mechanism;
        let rate = mechanism.tangent_acceleration(i, &at.q, &at.v, &at.a);
        let slope = rate[0] * d[0] + rate[1] * d[1];
        if slope == 0.0 {
            return Err(FlowStop::at(at.t, NoDerivative::Standstill(i)));
        }
        let (mut times, mut after) = (Vec::new(), Vec::new());
        for c in 0..self.columns.len() {
            let (dq, dv) = self.columns[c].split_at(n);
            let moved = |s: f64, out: &mut Vec<f64>| {
                let place = |x: &[f64], d: &[f64]| x.iter().zip(d).map(|(x, d)| x + s * d).collect::<Vec<_>>();
                let u = mechanism.tangent_rate(i, &place(&at.q, dq), &place(&at.v, dv));
                out[0] = u[0] * d[0] + u[1] * d[1];
                true
            };
            let reach = self.reach(dq, dv, 0.0);
            let standstill = |_| FlowStop::at(at.t, NoDerivative::Standstill(i));
            let dt = -central(1, reach, moved).map_err(standstill)?[0] / slope;
            times.push(dt);
            let (q, v) = (dq.iter().zip(&at.v), dv.iter().zip(&at.a));
            after.push(q.chain(v).map(|(x, rate)| x + dt * rate).collect());
        }
        let works = vec![0.0; times.len()];
        Ok(Some((times, after, works)))
    }
}

/// How far the sum of rates with the weights of Cooper and Verner's table, which are Lobatto's at five places, is from Simpson's, over the size of what
/// they are added to and of what they add, or what is nothing.
fn apart(b: &[f64], (to, least): (&[f64], f64), rates: &[&[f64]], h: f64) -> f64 {
    let last = rates.len() - 1;
    // the last stage in the middle has a weight
    let middle = (1..last).rev().find(|&i| (b[i] - 16.0 / 45.0).abs() < 1e-12).unwrap_or(last);
    let (mut most, mut size) = (0.0_f64, vector::max_abs(to).max(least));
    for k in 0..to.len() {
        let lobatto: f64 = b.iter().zip(rates).map(|(b, rate)| b * rate[k]).sum();
        let simpson = (rates[0][k] + 4.0 * rates[middle][k] + rates[last][k]) / 6.0;
        most = larger(most, (h * (lobatto - simpson)).abs());
        size = size.max(h * rates[middle][k].abs()).max(h * rates[0][k].abs()).max(h * rates[last][k].abs());
    }
    if most == 0.0 { 0.0 } else { most / size }
}

/// δt, columns and works of an event whose times move.
pub(super) type Shift = Option<Passage>;

/// What `Shift` holds.
pub(super) type Passage = (Vec<f64>, Vec<Vec<f64>>, Vec<f64>);

/// out ← Σ λ_T·u_T of the contacts that slide.
fn sliding_power(
    mechanism: &mut dyn Mechanism,
    held: &[Hold],
    (t, q, v): (f64, &[f64], &[f64]),
    out: &mut [f64],
) -> bool {
    let slides = |hold: &Hold| matches!(hold.along, TangentialMotion::Slides(_));
    out[0] = 0.0;
    if !held.iter().any(slides) {
        return true;
    }
    let (mut a, mut lambda) = (vec![0.0; q.len()], vec![[0.0; 3]; held.len()]);
    if !mechanism.accelerate(t, q, v, held, &mut a, &mut lambda) {
        return false;
    }
    for (hold, [_, t1, t2]) in held.iter().zip(lambda).filter(|(hold, _)| slides(hold)) {
        let u = mechanism.tangent_rate(hold.contact, q, v);
        out[0] += t1 * u[0] + t2 * u[1];
    }
    true
}

/// How the derivative of an acceleration is known.
enum Jacobian {
    Affine,
    Known(DenseMatrix, DenseMatrix),
    Unknown,
}

impl Jacobian {
    fn of(mechanism: &mut dyn Mechanism, at: &Phase, held: &[Hold]) -> Self {
        // in space the direction of friction turns with the velocity
        let turns =
            |hold: &Hold| matches!(hold.along, TangentialMotion::Slides(_)) && mechanism.n_tangents(hold.contact) == 2;
        if mechanism.is_linear() && !held.iter().any(turns) {
            return Self::Affine;
        }
        let n = at.q.len();
        let (mut Jq, mut Jv) = (DenseMatrix::zeros(n, n), DenseMatrix::zeros(n, n));
        let known = mechanism.derivatives(at.t, &at.q, &at.v, held, &mut Jq, &mut Jv);
        if known { Self::Known(Jq, Jv) } else { Self::Unknown }
    }
}

/// d/ds at s = 0 of a function of s.
pub fn central(n: usize, reach: f64, mut of: impl FnMut(f64, &mut Vec<f64>) -> bool) -> Result<Vec<f64>, FlowFailure> {
    // the farthest of the eight points stays within the reach
    let s = 0.25 * reach;
    let (mut sum, mut x) = (vec![0.0; n], vec![0.0; n]);
    for (k, weight) in WEIGHTS.into_iter().enumerate() {
        for sign in [1.0, -1.0] {
            if !of(sign * (k + 1) as f64 * s, &mut x) {
                return Err(FlowFailure::Singular);
            }
            vector::axpy(sign * weight / s, &x, &mut sum);
        }
    }
    Ok(sum)
}

impl Variants {
    /// sum ← sum + d/dp of a function of the model.
    pub fn difference(
        &mut self,
        n: usize,
        mut of: impl FnMut(&mut dyn Mechanism, &mut [f64]) -> bool,
        sum: &mut [f64],
    ) -> Result<(), FlowFailure> {
        let mut x = vec![0.0; n];
        for (pair, weight) in self.models.iter_mut().zip(WEIGHTS) {
            for (model, sign) in pair.iter_mut().zip([1.0, -1.0]) {
                if !of(&mut **model, &mut x) {
                    return Err(FlowFailure::Singular);
                }
                vector::axpy(sign * weight / self.step, &x, sum);
            }
        }
        Ok(())
    }
}
