//! Which contacts go side by side: four that share no moving body.
//!
//! Contacts of a packet do not see each other's impulses, so a sweep over packets is a sweep of Gauss–Seidel over the contacts
//! in another order. Few contacts stay near the order given: each goes to the first open packet, of the last few, that holds neither of
//! its bodies. Many are coloured: each takes the lowest colour that neither of its bodies has yet, and no body is touched twice in a
//! colour, which threads may therefore share. Within a colour contacts lie along a curve through the pile (`curve.rs`), and a thread's part
//! of every colour is the same piece of it. All are functions of the contacts and of the places of the bodies alone.

use crate::friction::TwoBodyProblem;
use crate::friction::two_body::curve::Curve;
use crate::friction::two_body::lanes::LANES;
use crate::friction::two_body::tree::GROUP;

/// Packets open at a time: the order of the sweep stays near the one given.
const OPEN: usize = 16;
/// Contacts from which they are coloured.
const MANY: usize = 2000;
/// Colours at most; what finds none is left over.
const COLOURS: usize = 64;
/// Packets of a block, whose changes are added up before those of other blocks: 32 contacts.
pub(crate) const BLOCK: usize = GROUP / LANES;

/// The packets of a problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packing {
    /// Contacts in each packet.
    pub packets: Vec<[u32; LANES]>,
    /// Packet and lane of each contact.
    pub places: Vec<(u32, u32)>,
    /// Where each block of packets begins, and the end of the last.
    pub blocks: Vec<u32>,
    /// Where each colour begins among the blocks, and the end of the last.
    pub colours: Vec<u32>,
    /// Whether threads may share the blocks of a colour; the last one, of what is left over, never.
    pub coloured: bool,
    /// The bodies in the order in which threads share them.
    pub along: Vec<u32>,
    filled: Vec<u8>,
    /// The contacts packed.
    bodies: Vec<[u32; 2]>,
    curve: Curve,
    /// Contacts of each body with the side they hold it by, 2 i + side, and where each body's begin.
    pub held: Vec<u32>,
    pub starts: Vec<u32>,
    /// Colours of each body, colour of each contact, contacts of each colour.
    used: Vec<u64>,
    colour_of: Vec<u8>,
    by_colour: Vec<Vec<u32>>,
}

impl Packing {
    /// An empty lane.
    pub const NONE: u32 = u32::MAX;

    /// Packs the contacts of a problem; nothing is done where they are those of the last time and bodies lie along the curve as they did.
    pub fn pack(&mut self, problem: &TwoBodyProblem, threads: usize) {
        let (bodies, count) = (&problem.bodies, problem.v.len());
        let places = if bodies.len() < MANY { &[] } else { &problem.places[..] };
        self.curve.order(count, places, threads);
        if !self.places.is_empty() && self.bodies == *bodies && self.along == self.curve.along {
            return;
        }
        std::mem::swap(&mut self.along, &mut self.curve.along);
        self.bodies.clear();
        self.bodies.extend_from_slice(bodies);
        self.packets.clear();
        self.filled.clear();
        self.places.clear();
        self.places.resize(bodies.len(), (0, 0));
        self.blocks.clear();
        self.blocks.push(0);
        self.colours.clear();
        self.colours.push(0);
        self.list_by_body(count);
        self.coloured = bodies.len() >= MANY;
        if self.coloured {
            self.by_colours(bodies, count);
        } else {
            self.near_the_order(bodies, 0..bodies.len() as u32);
        }
        self.colours.push(self.blocks.len() as u32 - 1);
    }

    /// The contacts of a body in their order, with the side they hold it by.
    pub fn contacts_of(&self, body: usize) -> impl Iterator<Item = (usize, usize)> {
        let held = &self.held[self.starts[body] as usize..self.starts[body + 1] as usize];
        held.iter().map(|&code| (code as usize / 2, code as usize % 2))
    }

    /// Lists the contacts of each body.
    fn list_by_body(&mut self, count: usize) {
        let Self { bodies, held, starts, .. } = self;
        starts.clear();
        starts.resize(count + 1, 0);
        for &body in bodies.as_flattened().iter().filter(|body| **body != TwoBodyProblem::GROUND) {
            starts[body as usize + 1] += 1;
        }
        for k in 1..starts.len() {
            starts[k] += starts[k - 1];
        }
        held.clear();
        held.resize(starts[count] as usize, 0);
        for (i, pair) in bodies.iter().enumerate() {
            for (side, &body) in pair.iter().enumerate().filter(|(_, body)| **body != TwoBodyProblem::GROUND) {
                let at = &mut starts[body as usize];
                held[*at as usize] = (2 * i + side) as u32;
                *at += 1;
            }
        }
        // each start has moved to its end, which is the next one's start
        starts.rotate_right(1);
        starts[0] = 0;
    }

    /// Whether threads may share the blocks of colour c.
    pub fn shared(&self, c: usize) -> bool {
        self.coloured && c + 2 < self.colours.len()
    }

    /// Each contact to the first open packet that holds neither of its bodies.
    fn near_the_order(&mut self, bodies: &[[u32; 2]], contacts: impl Iterator<Item = u32>) {
        let begin = self.packets.len();
        self.filled.resize(begin, LANES as u8);
        let mut first = begin;
        for i in contacts {
            let pair = &bodies[i as usize];
            while self.filled.get(first) == Some(&(LANES as u8)) {
                first += 1;
            }
            let from = first.max(begin).max(self.filled.len().saturating_sub(OPEN));
            let place = (from..self.filled.len()).find(|&k| self.admits(k, pair, bodies)).unwrap_or(self.filled.len());
            if place == self.filled.len() {
                self.packets.push([Self::NONE; LANES]);
                self.filled.push(0);
            }
            let lane = self.filled[place];
            self.packets[place][lane as usize] = i;
            self.places[i as usize] = (place as u32, u32::from(lane));
            self.filled[place] += 1;
        }
        let ends = (begin + BLOCK..self.packets.len()).step_by(BLOCK).chain([self.packets.len()]);
        self.blocks.extend(ends.map(|end| end as u32));
    }

    /// Colour by colour, each in blocks; then, as a colour of its own, what found none.
    fn by_colours(&mut self, bodies: &[[u32; 2]], count: usize) {
        self.used.clear();
        self.used.resize(count, 0);
        self.colour_of.clear();
        for pair in bodies {
            let moving = pair.iter().filter(|body| **body != TwoBodyProblem::GROUND);
            let taken = moving.clone().fold(0, |all, &body| all | self.used[body as usize]);
            // 64 where all are taken
            let colour = taken.trailing_ones() as usize;
            if colour < COLOURS {
                moving.for_each(|&body| self.used[body as usize] |= 1 << colour);
            }
            self.colour_of.push(colour as u8);
        }
        let mut by_colour = std::mem::take(&mut self.by_colour);
        by_colour.resize_with(COLOURS + 1, Vec::new);
        by_colour.iter_mut().for_each(Vec::clear);
        for &body in &self.along {
            // a contact stands where its first body that moves does
            let first = |&(i, side): &(usize, usize)| side == 0 || bodies[i][0] == TwoBodyProblem::GROUND;
            self.contacts_of(body as usize).filter(first).for_each(|(i, _)| {
                by_colour[usize::from(self.colour_of[i])].push(i as u32);
            });
        }
        let nowhere = |(_, pair): &(usize, &[u32; 2])| **pair == [TwoBodyProblem::GROUND; 2];
        by_colour[0].extend(bodies.iter().enumerate().filter(nowhere).map(|(i, _)| i as u32));
        let (left_over, colours) = by_colour.split_last().map_or((&[][..], &[][..]), |(last, rest)| (&last[..], rest));
        for contacts in colours.iter().filter(|contacts| !contacts.is_empty()) {
            for (k, four) in contacts.chunks(LANES).enumerate() {
                if k > 0 && k % BLOCK == 0 {
                    self.blocks.push(self.packets.len() as u32);
                }
                let mut packet = [Self::NONE; LANES];
                for (lane, &i) in four.iter().enumerate() {
                    packet[lane] = i;
                    self.places[i as usize] = (self.packets.len() as u32, lane as u32);
                }
                self.packets.push(packet);
            }
            self.blocks.push(self.packets.len() as u32);
            self.colours.push(self.blocks.len() as u32 - 1);
        }
        self.near_the_order(bodies, left_over.iter().copied());
        self.by_colour = by_colour;
    }

    fn admits(&self, packet: usize, pair: &[u32; 2], bodies: &[[u32; 2]]) -> bool {
        let n = usize::from(self.filled[packet]);
        let shares = |other: &[u32; 2]| pair.iter().any(|b| *b != TwoBodyProblem::GROUND && other.contains(b));
        n < LANES && !self.packets[packet][..n].iter().any(|&j| shares(&bodies[j as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contact_once_and_no_body_twice_in_a_packet() {
        let mut seed = 7_u64;
        let mut dice = |n: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % n
        };
        let bodies: Vec<[u32; 2]> = (0..500)
            .map(|_| {
                let (a, b) = (dice(90) as u32, dice(100) as u32);
                [a, if b >= 90 || b == a { TwoBodyProblem::GROUND } else { b }]
            })
            .collect();
        let mut packing = Packing::default();
        packing.pack(&between(&bodies, 100), 1);
        assert!(!packing.coloured);
        each_contact_once(&packing, &bodies);
    }

    /// Contacts between so many bodies, which lie anywhere.
    fn between(bodies: &[[u32; 2]], count: usize) -> TwoBodyProblem {
        let places = (0..count).map(|i| [0.31, 0.57, 0.83].map(|x| (x * i as f64).fract())).collect();
        TwoBodyProblem { bodies: bodies.to_vec(), v: vec![[0.0; 6]; count], places, ..Default::default() }
    }

    /// Where every packet, and every colour that threads share, touches no moving body twice.
    fn each_contact_once(packing: &Packing, bodies: &[[u32; 2]]) {
        let mut seen = vec![0; bodies.len()];
        let lone = |held: &mut Vec<u32>, what: &str| {
            let n = held.len();
            held.sort_unstable();
            held.dedup();
            assert_eq!(held.len(), n, "a body twice in {what}");
        };
        for c in 0..packing.colours.len() - 1 {
            let blocks = packing.colours[c] as usize..packing.colours[c + 1] as usize;
            let packets = packing.blocks[blocks.start] as usize..packing.blocks[blocks.end] as usize;
            let mut in_colour: Vec<u32> = Vec::new();
            for k in packets {
                let mut held: Vec<u32> = Vec::new();
                for (l, &i) in packing.packets[k].iter().enumerate().filter(|(_, i)| **i != Packing::NONE) {
                    seen[i as usize] += 1;
                    assert_eq!(packing.places[i as usize], (k as u32, l as u32));
                    held.extend(bodies[i as usize].iter().filter(|b| **b != TwoBodyProblem::GROUND));
                }
                in_colour.extend(&held);
                lone(&mut held, "a packet");
            }
            if packing.shared(c) {
                lone(&mut in_colour, "a colour");
            }
        }
        assert_eq!(*packing.blocks.last().expect("an end") as usize, packing.packets.len());
        assert!(seen.iter().all(|&n| n == 1));
    }

    /// Many contacts, one body among them with more neighbours than there are colours.
    #[test]
    fn colours_share_no_body_and_nothing_is_left_out() {
        let mut seed = 11_u64;
        let mut dice = |n: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) % n) as u32
        };
        let bodies: Vec<[u32; 2]> = (0..6000)
            .map(|k| {
                let a = if k % 40 == 0 { 0 } else { 1 + dice(1999) };
                let b = 1 + dice(2100);
                [a, if b >= 2000 || b == a { TwoBodyProblem::GROUND } else { b }]
            })
            .collect();
        let mut packing = Packing::default();
        packing.pack(&between(&bodies, 2000), 1);
        assert!(packing.coloured && packing.colours.len() > 10);
        each_contact_once(&packing, &bodies);
        // more contacts of body 0 than colours: some are left over
        let left = packing.colours[packing.colours.len() - 2] as usize;
        assert!((packing.blocks[left] as usize) < packing.packets.len());
    }
}
