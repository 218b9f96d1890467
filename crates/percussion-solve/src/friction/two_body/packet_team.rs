//! The iteration of packet sweeps, by one thread or by a team: every thread does its part and takes the same decisions.
//!
//! Where the residuals stop falling the momentum ends (β = 0), which is what keeps most cycles of friction alive: of six steps of a pile
//! of 1000 spheres that took 640 to 4000 sweeps with it, none took more than 1470 without. If they still do not fall, ω = 0.7 instead
//! of 1. What is judged and returned is the p of a sweep, inside its cones.

use crate::Residuals;
use crate::friction::TwoBodyProblem;
use crate::friction::residual::{Sums, natural_sums};
#[cfg(target_arch = "x86_64")]
use crate::friction::two_body::lanes::wide_registers::Wide;
use crate::friction::two_body::lanes::{Four, Lanes, Lanes3, beyond};
use crate::friction::two_body::momentum::Momentum;
use crate::friction::two_body::movers::{MOVING, Mover, Movers};
use crate::friction::two_body::packet_sweeps::Packet;
use crate::friction::two_body::packing::{BLOCK, Packing};
use crate::friction::two_body::solver::BodyTask;
use crate::friction::two_body::team::{Barrier, Number, share};
use crate::friction::two_body::tree::{GROUP, halved, halved_lanes, tree_sum};
use percussion_matrix::spare::{TEAMS, lost};
use std::ops::Range;
use std::time::{Duration, Instant};

/// Sweeps after which the residuals are looked at in any case.
const LOOK: usize = 40;
/// Sweeps without a third off the residual after which the momentum ends, and after as many again updates are shortened.
const PATIENCE: usize = 250;
/// ω of shortened updates.
const SHORT: f64 = 0.7;

/// What the threads tell each other.
#[derive(Debug)]
pub(crate) struct Board {
    /// Impulses by contact and component.
    pub r: Vec<Number>,
    /// |Δp|² of each block of packets, and the sums of each block of contacts.
    changes: Vec<Number>,
    sums: Vec<[Number; 7]>,
    /// 1 when the run is to stop, and when other threads are to go on.
    stop: Number,
    handed_on: Number,
    barrier: Barrier,
}

impl Default for Board {
    fn default() -> Self {
        let (r, changes, sums) = (Vec::new(), Vec::new(), Vec::new());
        Self { r, changes, sums, stop: Number::default(), handed_on: Number::default(), barrier: Barrier::new(1) }
    }
}

impl Board {
    /// Makes room for a problem.
    pub fn prepare(&mut self, problem: &TwoBodyProblem, packing: &Packing, threads: usize) {
        let n = problem.len();
        self.barrier = Barrier::new(threads);
        self.stop.set(0.0);
        self.handed_on.set(0.0);
        self.r.resize_with(3 * n, Number::default);
        self.changes.resize_with(packing.blocks.len() - 1, Number::default);
        self.sums.resize_with(n.div_ceil(GROUP), Default::default);
    }

    /// The contacts thread k of `threads` judges: whole blocks.
    pub fn contacts_of(&self, k: usize, threads: usize, n: usize) -> Range<usize> {
        let blocks = share(self.sums.len(), k, threads);
        (blocks.start * GROUP).min(n)..(blocks.end * GROUP).min(n)
    }
}

/// Packets of one colour, or of all, with their impulses now and after the last sweep.
pub(crate) struct Piece<'a> {
    /// Which blocks of packets.
    pub blocks: Range<usize>,
    pub p: &'a mut [Lanes3],
    pub last: &'a mut [Lanes3],
}

/// What one thread has to itself.
pub(crate) struct Hand<'a, 'p> {
    /// Whether it is the one that looks outside: what it then does it knows of.
    pub first: Option<Lookout>,
    pub pieces: &'p mut [Piece<'a>],
    pub bodies: &'p [u32],
    pub last_movers: &'a mut [Mover],
    pub contacts: Range<usize>,
    /// Impulses and velocities of these contacts.
    pub r: &'a mut [f64],
    pub u: &'a mut [f64],
}

/// What the thread that looks outside knows of the team.
pub(crate) struct Lookout {
    /// Threads of the team, and those that are wanted.
    team: usize,
    wanted: usize,
    /// Since when it sweeps with them, and how much of that was lost waiting.
    since: Option<Instant>,
    lost: Duration,
}

impl Lookout {
    /// Of so many threads where so many are wanted.
    pub fn new(team: usize, wanted: usize) -> Self {
        Self { team, wanted, since: (team > 1).then(Instant::now), lost: Duration::ZERO }
    }

    /// How many they are.
    pub fn team(&self) -> usize {
        self.team
    }

    /// Whether others should go on: threads that bring nothing go, and come back when cores are free.
    fn hands_on(&mut self) -> bool {
        if self.wanted < 2 {
            return false;
        }
        if let Some(since) = self.since {
            TEAMS.tell(self.team, since.elapsed().saturating_sub(self.lost), self.lost);
            (self.since, self.lost) = (Some(Instant::now()), Duration::ZERO);
        }
        TEAMS.of(self.wanted) != self.team
    }
}

/// Where an iteration is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    pub residuals: Residuals,
    pub iterations: usize,
    momentum: Momentum,
    /// The sweep after which residuals were looked at last, and the change below which they are looked at again.
    looked: usize,
    light: f64,
    omega: f64,
    /// Whether the momentum has ended.
    calm: bool,
    best: f64,
    improved: usize,
}

impl Progress {
    fn new(residuals: Residuals) -> Self {
        let (momentum, light, best) = (Momentum::default(), f64::INFINITY, residuals.worst());
        Self { residuals, iterations: 0, momentum, looked: 0, light, omega: 1.0, calm: false, best, improved: 0 }
    }
}

/// What all threads read.
pub(crate) struct Desk<'a, P> {
    pub task: BodyTask<'a>,
    pub packing: &'a Packing,
    pub packets: &'a [P],
    pub board: &'a Board,
}

/// One sweep over a piece.
struct Visit<'v, 'a, 'd, P, M> {
    desk: &'v Desk<'d, P>,
    piece: &'v mut Piece<'a>,
    movers: &'v mut M,
    omega: f64,
}

impl<P: Packet, M: Movers> Visit<'_, '_, '_, P, M> {
    /// In the widest registers there are; the bits are the same in any.
    #[inline(always)]
    fn run(self) {
        #[cfg(target_arch = "x86_64")]
        if let Some(wide) = pulp::x86::V3::try_new() {
            return pulp::Simd::vectorize(wide, InWide(self, wide));
        }
        self.all::<Lanes>(());
    }

    #[inline(always)]
    fn all<F: Four>(self, means: F::Means) {
        let Self { desk, piece, movers, omega } = self;
        let Desk { packing, packets, board, .. } = desk;
        let from = packing.blocks[piece.blocks.start];
        for block in piece.blocks.clone() {
            let own = packing.blocks[block] as usize..packing.blocks[block + 1] as usize;
            let place = own.start - from as usize..own.end - from as usize;
            let mut changes = [Lanes::ZERO; BLOCK];
            for ((packet, p), change) in packets[own].iter().zip(&mut piece.p[place]).zip(&mut changes) {
                *change = packet.visit::<F>(means, p, movers, omega);
            }
            board.changes[block].set(halved_lanes(changes));
        }
    }
}

/// The same where a processor has registers of four numbers.
#[cfg(target_arch = "x86_64")]
struct InWide<V>(V, pulp::x86::V3);

#[cfg(target_arch = "x86_64")]
impl<P: Packet, M: Movers> pulp::WithSimd for InWide<Visit<'_, '_, '_, P, M>> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.0.all::<Wide>(self.1);
    }
}

/// x ← x + β (x − x_last), x_last ← x for the impulses and bodies of one thread.
struct Extrapolation<'h, 'a, 'p, M> {
    hand: &'h mut Hand<'a, 'p>,
    movers: &'h mut M,
    beta: f64,
}

impl<M: Movers> Extrapolation<'_, '_, '_, M> {
    /// In the widest registers there are; the bits are the same in any.
    #[inline(always)]
    fn run(self) {
        #[cfg(target_arch = "x86_64")]
        if let Some(wide) = pulp::x86::V3::try_new() {
            return pulp::Simd::vectorize(wide, ExtrapolationInWide(self, wide));
        }
        self.all::<Lanes>(());
    }

    #[inline(always)]
    fn all<F: Four>(self, means: F::Means) {
        let Self { hand, movers, beta } = self;
        for piece in hand.pieces.iter_mut() {
            for (p, last) in piece.p.as_flattened_mut().iter_mut().zip(piece.last.as_flattened_mut()) {
                let now = F::of(means, *p);
                *p = beyond(means, now, F::of(means, *last), beta).kept();
                *last = now.kept();
            }
        }
        for (&body, last) in hand.bodies.iter().zip(hand.last_movers.iter_mut()) {
            movers.go_beyond::<F>(means, body as usize, last, beta);
        }
    }
}

/// The same where a processor has registers of four numbers.
#[cfg(target_arch = "x86_64")]
struct ExtrapolationInWide<X>(X, pulp::x86::V3);

#[cfg(target_arch = "x86_64")]
impl<M: Movers> pulp::WithSimd for ExtrapolationInWide<Extrapolation<'_, '_, '_, M>> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.0.all::<Wide>(self.1);
    }
}

impl<P: Packet> Desk<'_, P> {
    /// Sweeps until both residuals are within the tolerance, or until others are to go on; impulses and velocities are left in the hands.
    /// Where it is, and whether that is the end.
    pub fn iterate(&self, mut hand: Hand, movers: &mut impl Movers, from: Option<Progress>) -> (Progress, bool) {
        let goal = self.task.goal;
        let mut at = from.unwrap_or_else(|| self.begin(&mut hand, movers));
        while at.iterations < goal.limit && at.residuals.worst() > goal.tolerance && self.board.stop.get() == 0.0 {
            if self.board.handed_on.get() != 0.0 {
                return (at, false);
            }
            let change = self.sweep(&mut hand, movers, at.omega);
            at.iterations += 1;
            if !change.is_finite() {
                break;
            }
            if change <= at.light || at.iterations - at.looked >= LOOK || at.iterations == goal.limit {
                at.looked = at.iterations;
                // rounding entered the velocities with every update: what is judged is exact
                at.residuals = self.judge(&mut hand, movers);
                if at.residuals.worst() <= goal.tolerance {
                    break;
                }
                // changes are squares
                at.light = change * (goal.tolerance / at.residuals.worst()).clamp(0.02, 0.9).powi(2);
                if at.residuals.worst() < 0.67 * at.best {
                    (at.best, at.improved) = (at.residuals.worst(), at.iterations);
                } else if at.iterations - at.improved >= PATIENCE {
                    at.omega = if at.calm { SHORT } else { 1.0 };
                    (at.calm, at.improved) = (true, at.iterations);
                }
            }
            // what is returned is the p of a sweep
            if at.iterations == goal.limit {
                break;
            }
            let beta = at.momentum.beta(change);
            self.extrapolate(&mut hand, movers, if at.calm { 0.0 } else { beta });
        }
        if at.looked < at.iterations {
            at.residuals = self.judge(&mut hand, movers);
        }
        (at, true)
    }

    /// The residuals of the first guess, and what the momentum starts from.
    fn begin(&self, hand: &mut Hand, movers: &mut impl Movers) -> Progress {
        let residuals = self.judge(hand, movers);
        for (&body, last) in hand.bodies.iter().zip(hand.last_movers.iter_mut()) {
            *last = movers.copied(body as usize);
        }
        self.wait(hand);
        Progress::new(residuals)
    }

    /// Waits for the other threads.
    #[inline(always)]
    fn wait(&self, hand: &mut Hand) {
        let waited = self.board.barrier.wait();
        if let Some(lookout) = &mut hand.first {
            lookout.lost += lost(Duration::ZERO, waited);
        }
    }

    /// All contacts once; ‖Δp‖².
    fn sweep(&self, hand: &mut Hand, movers: &mut impl Movers, omega: f64) -> f64 {
        let board = self.board;
        for k in 0..hand.pieces.len() {
            Visit { desk: self, piece: &mut hand.pieces[k], movers, omega }.run();
            self.wait(hand);
        }
        // read after the next barrier
        if let Some(lookout) = &mut hand.first {
            if self.task.goal.stop.requested() {
                board.stop.set(1.0);
            }
            if lookout.hands_on() {
                board.handed_on.set(1.0);
            }
        }
        let [change] = tree_sum(board.changes.len(), |block| [board.changes[block].get()]);
        change
    }

    /// p ← p + β (p − p_last), and the velocities with it.
    fn extrapolate(&self, hand: &mut Hand, movers: &mut impl Movers, beta: f64) {
        // everybody has read the changes
        self.wait(hand);
        Extrapolation { hand, movers, beta }.run();
        self.wait(hand);
    }

    /// Impulses and exact velocities of the present sweep, and the residuals.
    fn judge(&self, hand: &mut Hand, movers: &mut impl Movers) -> Residuals {
        let (board, problem) = (self.board, self.task.problem);
        self.write_impulses(hand);
        self.wait(hand);
        for body in hand.bodies.iter().map(|&body| body as usize) {
            let v = self.velocity(body);
            movers.put(body, [v[0], v[1], v[2]], [v[3], v[4], v[5]]);
        }
        self.wait(hand);
        let velocity = |body: u32| MOVING.map(|k| movers.get(body as usize, k));
        for (i, u) in hand.contacts.clone().zip(hand.u.as_chunks_mut::<3>().0) {
            *u = problem.velocity_at::<3>(i, velocity);
        }
        self.write_sums(hand);
        self.wait(hand);
        let sums = tree_sum(board.sums.len(), |block| board.sums[block].each_ref().map(Number::get));
        Sums::from(sums).residuals()
    }

    /// The impulses of this thread's packets on the board, by contact and component.
    fn write_impulses(&self, hand: &Hand) {
        for piece in hand.pieces.iter() {
            let first = self.packing.blocks[piece.blocks.start] as usize;
            for (contacts, p) in self.packing.packets[first..].iter().zip(piece.p.iter()) {
                let p = p.map(Lanes::to_array);
                for (lane, &i) in contacts.iter().enumerate().filter(|(_, i)| **i != Packing::NONE) {
                    let mut r = P::components(self.task.problem, i as usize, &p.map(|x| x[lane]));
                    // p is inside its cone but for the rounding of its components
                    if r[0] <= 0.0 {
                        r = [0.0; 3];
                    }
                    self.board.r[3 * i as usize..].iter().zip(r).for_each(|(number, x)| number.set(x));
                }
            }
        }
    }

    /// v₀ + M⁻¹Hᵀr of one body, summed over its contacts in their order.
    fn velocity(&self, body: usize) -> [f64; 6] {
        let (board, problem) = (self.board, self.task.problem);
        let mut f = [0.0; 6];
        for (i, side) in self.packing.contacts_of(body) {
            let at = 3 * i;
            let r = [board.r[at].get(), board.r[at + 1].get(), board.r[at + 2].get()];
            if r == [0.0; 3] {
                continue;
            }
            for (x, h) in r.iter().zip(problem.rows::<3>(i, side)) {
                for k in 0..6 {
                    f[k] += x * h[k];
                }
            }
        }
        let dv = problem.respond(body, &f);
        std::array::from_fn(|k| problem.v[body][k] + dv[k])
    }

    /// The sums of this thread's blocks of contacts on the board.
    fn write_sums(&self, hand: &mut Hand) {
        let (board, BodyTask { problem, b, rho, .. }) = (self.board, self.task);
        let begin = hand.contacts.start;
        hand.r.iter_mut().zip(&board.r[3 * begin..]).for_each(|(r, number)| *r = number.get());
        for first in hand.contacts.clone().step_by(GROUP) {
            let end = (first + GROUP).min(hand.contacts.end);
            let mut sums = [[0.0; 7]; GROUP];
            for (i, sums) in (first..end).zip(&mut sums) {
                let (own, all) = (3 * (i - begin)..3 * (i - begin + 1), 3 * i..3 * (i + 1));
                let cone = |_| problem.cone(i);
                let (r, u) = (&hand.r[own.clone()], &hand.u[own]);
                *sums = natural_sums::<3>(&b[all], cone, &rho[i..=i], r, u).numbers();
            }
            board.sums[first / GROUP].iter().zip(halved(&mut sums)).for_each(|(number, x)| number.set(x));
        }
    }
}
