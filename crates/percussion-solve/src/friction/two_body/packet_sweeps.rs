//! Gauss–Seidel over packets of four contacts, with momentum: what piles are solved with.
//!
//!   for each packet   p ← p + ω (p* − p),   v ← v + M⁻¹Hᵀ Δp        p* by the kind of contact
//!   after a sweep     p ← p + β (p − p_last),   v likewise (v is affine in p)
//!
//! Here a problem is taken in and dealt out; `packet_team.rs` iterates.

use crate::friction::TwoBodyProblem;
use crate::friction::two_body::device::{ContactKind, Device, SweepAnswer, SweepEnd, SweepJob};
use crate::friction::two_body::lanes::{Four, LANES, Lanes, Lanes3};
use crate::friction::two_body::movers::{MOVING, Mover, Movers, SharedMover};
use crate::friction::two_body::packet_team::{Board, Desk, Hand, Lookout, Piece, Progress};
use crate::friction::two_body::packing::Packing;
use crate::friction::two_body::solver::BodyTask;
use crate::friction::two_body::team::{fill_in_parts, share};
use crate::friction::two_body::tree::GROUP;
use crate::report::Outcome;
use percussion_matrix::parts::{in_parts, made_by};
use percussion_matrix::phase;
use percussion_matrix::spare::TEAMS;

/// Contacts for which a further thread is worth its waiting.
const WORTH: usize = 1000;

/// One lane.
#[inline(always)]
pub(crate) fn put(lanes: &mut Lanes, lane: usize, x: f64) {
    lanes.as_mut_array()[lane] = x;
}

/// A kind of contact, four at a time.
pub(crate) trait Packet: Copy + Send + Sync {
    /// Its name for machines that sweep, and how many numbers they keep of a contact.
    const KIND: ContactKind;
    const NUMBERS: usize;
    /// Contacts from which a team is worth its barriers: two threads at each colour on two cores.
    const TEAM: usize;

    /// Number k of the four contacts, in the order those machines expect.
    fn number(&self, k: usize) -> Lanes;

    /// Four lanes without a contact, on a body that does not move.
    fn empty(ground: u32) -> Self;

    /// Takes contact i in; `false` where it is not of this kind.
    fn take(&mut self, lane: usize, problem: &TwoBodyProblem, i: usize, movers: &[Mover]) -> bool;

    /// Improves p by ω times the way to what the contacts alone ask for, moves the bodies, and gives |Δp|².
    fn visit<F: Four>(&self, means: F::Means, p: &mut Lanes3, movers: &mut impl Movers, omega: f64) -> Lanes;

    /// p of contact i from its components, and back.
    fn impulse(problem: &TwoBodyProblem, i: usize, r: &[f64; 3]) -> [f64; 3];
    fn components(problem: &TwoBodyProblem, i: usize, p: &[f64; 3]) -> [f64; 3];
}

/// Who does the work.
#[derive(Clone, Copy)]
pub(crate) struct Means<'a> {
    /// Threads there are.
    pub threads: usize,
    /// A machine that sweeps, where there is one.
    pub device: Option<&'a Device>,
}

/// The method with its work memory.
#[derive(Debug)]
pub(crate) struct PacketSweeps<P> {
    packing: Packing,
    packets: Vec<P>,
    /// The ground last.
    movers: Vec<Mover>,
    /// The same for a team.
    shared: Vec<SharedMover>,
    last_movers: Vec<Mover>,
    p: Vec<Lanes3>,
    last_p: Vec<Lanes3>,
    board: Board,
    /// The contacts in blocks, as a machine is given them.
    slots: Vec<u32>,
    numbers: Vec<[f64; GROUP]>,
}

impl<P> Default for PacketSweeps<P> {
    fn default() -> Self {
        Self {
            packing: Packing::default(),
            packets: Vec::new(),
            movers: Vec::new(),
            shared: Vec::new(),
            last_movers: Vec::new(),
            p: Vec::new(),
            last_p: Vec::new(),
            board: Board::default(),
            slots: Vec::new(),
            numbers: Vec::new(),
        }
    }
}

impl<P: Packet> PacketSweeps<P> {
    /// Takes a problem in if all its contacts are of this kind.
    pub fn prepare(&mut self, problem: &TwoBodyProblem, threads: usize) -> bool {
        if problem.dim != 3 {
            return false;
        }
        phase::enter("colours and packets");
        let ground = problem.v.len() as u32;
        made_by(&mut self.movers, problem.v.len() + 1, threads, |body| {
            if body == problem.v.len() {
                return Mover::default();
            }
            let (v, J) = (&problem.v[body], &problem.inverse_inertia[body]);
            let isotropic = J[0] == J[4] && J[4] == J[8] && [J[1], J[2], J[3], J[5], J[6], J[7]] == [0.0; 6];
            let inverse_inertia = if isotropic { J[0] } else { f64::NAN };
            Mover([[v[0], v[1], v[2], problem.inverse_mass[body]], [v[3], v[4], v[5], inverse_inertia]])
        });
        self.packing.pack(problem, threads);
        self.packets.clear();
        self.packets.resize(self.packing.packets.len(), P::empty(ground));
        let (packing, movers) = (&self.packing, &self.movers);
        fill_in_parts(&mut self.packets, team_size::<P>(problem, threads), |first, packets| {
            packets.iter_mut().zip(&packing.packets[first..]).all(|(packet, contacts)| {
                let mut lanes = contacts.iter().enumerate().filter(|(_, i)| **i != Packing::NONE);
                lanes.all(|(lane, &i)| packet.take(lane, problem, i as usize, movers))
            })
        })
    }

    /// Improves r and leaves its velocities in u and those of the bodies in v; after `prepare`. The result does not depend on the
    /// number of threads, nor on the device.
    pub fn solve(&mut self, task: BodyTask, means: Means, answer: &mut SweepAnswer) -> Outcome {
        let Means { threads, device } = means;
        if let Some(end) = device.and_then(|device| self.solve_on(device, task, threads, answer)) {
            return Outcome { iterations: end.iterations, residuals: end.residuals };
        }
        phase::enter("sweeps");
        let SweepAnswer { r, u, v } = answer;
        let problem = task.problem;
        let wanted = if self.packing.coloured { team_size::<P>(problem, threads) } else { 1 };
        self.p.resize(self.packets.len(), [Lanes::default(); 3]);
        let (packing, guess) = (&self.packing, &*r);
        fill_in_parts(&mut self.p, wanted, |first, p| {
            for (p, contacts) in p.iter_mut().zip(&packing.packets[first..]) {
                *p = first_guess::<P>(problem, contacts, &guess[..]);
            }
            true
        });
        made_by(&mut self.last_p, self.p.len(), wanted, |k| self.p[k]);
        self.last_movers.resize(self.movers.len(), Mover::default());

        // a team hands on to fewer where other programs have its cores, and those to more when they are free
        let mut at = None;
        let end = loop {
            let team = TEAMS.of(wanted);
            self.board.prepare(problem, &self.packing, team);
            let lookout = Lookout::new(team, wanted);
            let (so_far, is_end) = match team {
                0 | 1 => self.alone(task, lookout, at, r, u),
                _ => self.together(task, lookout, at, r, u),
            };
            if is_end {
                break so_far;
            }
            at = Some(so_far);
        };
        let movers = &self.movers;
        in_parts(v, 1, wanted, |first, v| {
            v.iter_mut().zip(&movers[first..]).for_each(|(v, mover)| *v = MOVING.map(|k| mover.0[k / 4][k % 4]));
        });
        Outcome { iterations: end.iterations, residuals: end.residuals }
    }

    /// The same on a machine that sweeps, unless it fails or the contacts are few.
    fn solve_on(
        &mut self,
        device: &Device,
        task: BodyTask,
        threads: usize,
        answer: &mut SweepAnswer,
    ) -> Option<SweepEnd> {
        phase::enter("packets for the device");
        let Self { packing, packets, slots, numbers, .. } = self;
        if !packing.coloured {
            return None;
        }
        let blocks = packing.blocks.len() - 1;
        let of_block = |block: usize| packing.blocks[block] as usize..packing.blocks[block + 1] as usize;
        slots.clear();
        slots.resize(GROUP * blocks, Packing::NONE);
        for (block, slots) in slots.chunks_exact_mut(GROUP).enumerate() {
            let contacts = packing.packets[of_block(block)].as_flattened();
            slots[..contacts.len()].copy_from_slice(contacts);
        }
        numbers.resize(P::NUMBERS * blocks, [0.0; GROUP]);
        fill_in_parts(numbers, team_size::<P>(task.problem, threads), |first, rows| {
            for (at, row) in (first..).zip(rows) {
                let (block, k) = (at / P::NUMBERS, at % P::NUMBERS);
                for (lanes, packet) in row.chunks_exact_mut(LANES).zip(&packets[of_block(block)]) {
                    lanes.copy_from_slice(packet.number(k).as_array());
                }
            }
            true
        });
        let BodyTask { problem, b, rho, goal } = task;
        let job = SweepJob {
            problem,
            b,
            rho,
            kind: P::KIND,
            colours: &packing.colours,
            slots,
            numbers: numbers.as_flattened(),
            held: &packing.held,
            starts: &packing.starts,
            tolerance: goal.tolerance,
            limit: goal.limit,
            stop: goal.stop,
        };
        phase::enter("sweeps on the device");
        device.solve(&job, answer)
    }

    fn alone(
        &mut self,
        task: BodyTask,
        lookout: Lookout,
        from: Option<Progress>,
        r: &mut [f64],
        u: &mut [f64],
    ) -> (Progress, bool) {
        let Self { packing, packets, movers, last_movers, p, last_p, board, .. } = self;
        let (bodies, contacts) = (&packing.along[..], 0..task.problem.len());
        let whole = Piece { blocks: 0..packing.blocks.len() - 1, p, last: last_p };
        let hand = Hand { first: Some(lookout), pieces: &mut [whole], bodies, last_movers, contacts, r, u };
        Desk { task, packing, packets, board }.iterate(hand, &mut &mut movers[..], from)
    }

    fn together(
        &mut self,
        task: BodyTask,
        lookout: Lookout,
        from: Option<Progress>,
        mut r: &mut [f64],
        mut u: &mut [f64],
    ) -> (Progress, bool) {
        let Self { packing, packets, movers, shared, last_movers, p, last_p, board, .. } = self;
        let threads = lookout.team();
        shared.resize_with(movers.len(), SharedMover::default);
        in_parts(shared, 1, threads, |first, shared| {
            for (shared, mover) in shared.iter().zip(&movers[first..]) {
                shared.0.iter().zip(mover.0.as_flattened()).for_each(|(number, x)| number.set(*x));
            }
        });
        let (shared, mut last_movers) = (&shared[..], &mut last_movers[..]);
        let mut pieces = deal(packing, threads, p, last_p);
        let desk = &Desk { task, packing, packets, board };
        let (mut lookout, mut first) = (Some(lookout), None);
        let so_far = std::thread::scope(|scope| {
            for (k, pieces) in pieces.iter_mut().enumerate() {
                let bodies = &packing.along[share(task.problem.v.len(), k, threads)];
                let contacts = board.contacts_of(k, threads, task.problem.len());
                let last_movers = last_movers.split_off_mut(..bodies.len()).unwrap_or_default();
                let r = r.split_off_mut(..3 * contacts.len()).unwrap_or_default();
                let u = u.split_off_mut(..3 * contacts.len()).unwrap_or_default();
                let hand = Hand { first: lookout.take(), pieces, bodies, last_movers, contacts, r, u };
                match k {
                    0 => first = Some(hand),
                    _ => drop(scope.spawn(move || desk.iterate(hand, &mut &shared[..], from))),
                }
            }
            first.map(|hand| desk.iterate(hand, &mut &shared[..], from))
        });
        in_parts(movers, 1, threads, |first, movers| {
            for (mover, shared) in movers.iter_mut().zip(&shared[first..]) {
                mover.0.as_flattened_mut().iter_mut().zip(&shared.0).for_each(|(x, number)| *x = number.get());
            }
        });
        so_far.expect("a team has a first thread")
    }
}

/// The impulses of four contacts, inside their cones.
fn first_guess<P: Packet>(problem: &TwoBodyProblem, contacts: &[u32; LANES], r: &[f64]) -> Lanes3 {
    let mut guess = [Lanes::ZERO; 3];
    for (lane, &i) in contacts.iter().enumerate().filter(|(_, i)| **i != Packing::NONE) {
        let i = i as usize;
        let p = P::impulse(problem, i, &problem.cone(i).project(&[r[3 * i], r[3 * i + 1], r[3 * i + 2]]));
        for k in 0..3 {
            put(&mut guess[k], lane, p[k]);
        }
    }
    guess
}

/// Threads worth having for a problem, of those there are.
fn team_size<P: Packet>(problem: &TwoBodyProblem, threads: usize) -> usize {
    let many = problem.len() >= P::TEAM;
    if many { threads.min(problem.len() / WORTH).max(1) } else { 1 }
}

/// The packets of every colour in as many pieces as there are threads; what is left over goes to the first.
fn deal<'a>(
    packing: &Packing,
    threads: usize,
    mut p: &'a mut [Lanes3],
    mut last: &'a mut [Lanes3],
) -> Vec<Vec<Piece<'a>>> {
    let mut hands: Vec<Vec<Piece>> = (0..threads).map(|_| Vec::with_capacity(packing.colours.len())).collect();
    for c in 0..packing.colours.len() - 1 {
        let (begin, end) = (packing.colours[c] as usize, packing.colours[c + 1] as usize);
        for (k, hand) in hands.iter_mut().enumerate() {
            let part = match (packing.shared(c), k) {
                (true, _) => share(end - begin, k, threads),
                (false, 0) => 0..end - begin,
                (false, _) => end - begin..end - begin,
            };
            let blocks = begin + part.start..begin + part.end;
            let packets = (packing.blocks[blocks.end] - packing.blocks[blocks.start]) as usize;
            let p = p.split_off_mut(..packets).unwrap_or_default();
            let last = last.split_off_mut(..packets).unwrap_or_default();
            hand.push(Piece { blocks, p, last });
        }
    }
    hands
}
