//! Which contacts go side by side: four that share no moving body, near each other in the given order.
//!
//! Contacts of a packet do not see each other's impulses, so a sweep over packets is a sweep of Gauss–Seidel over the contacts
//! in another order. Each contact goes to the first open packet, of the last few, that holds neither of its bodies.

use crate::friction::TwoBodyProblem;
use crate::friction::two_body::lanes::LANES;

/// Packets open at a time: the order of the sweep stays near the one given.
const OPEN: usize = 16;

/// The packets of a problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packing {
    /// Contacts in each packet.
    pub packets: Vec<[u32; LANES]>,
    /// Packet and lane of each contact.
    pub places: Vec<(u32, u32)>,
    filled: Vec<u8>,
}

impl Packing {
    /// An empty lane.
    pub const NONE: u32 = u32::MAX;

    /// Packs the contacts between these bodies.
    pub fn pack(&mut self, bodies: &[[u32; 2]]) {
        self.packets.clear();
        self.filled.clear();
        self.places.clear();
        let mut first = 0;
        for (i, pair) in bodies.iter().enumerate() {
            while self.filled.get(first) == Some(&(LANES as u8)) {
                first += 1;
            }
            let from = first.max(self.filled.len().saturating_sub(OPEN));
            let place = (from..self.filled.len()).find(|&k| self.admits(k, pair, bodies)).unwrap_or(self.filled.len());
            if place == self.filled.len() {
                self.packets.push([Self::NONE; LANES]);
                self.filled.push(0);
            }
            let lane = self.filled[place];
            self.packets[place][lane as usize] = i as u32;
            self.places.push((place as u32, u32::from(lane)));
            self.filled[place] += 1;
        }
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
        packing.pack(&bodies);
        let mut seen = vec![0; bodies.len()];
        for (k, packet) in packing.packets.iter().enumerate() {
            let mut held: Vec<u32> = Vec::new();
            for (l, &i) in packet.iter().enumerate().filter(|(_, i)| **i != Packing::NONE) {
                seen[i as usize] += 1;
                assert_eq!(packing.places[i as usize], (k as u32, l as u32));
                held.extend(bodies[i as usize].iter().filter(|b| **b != TwoBodyProblem::GROUND));
            }
            let n = held.len();
            held.sort_unstable();
            held.dedup();
            assert_eq!(held.len(), n, "a body twice in packet {k}");
        }
        assert!(seen.iter().all(|&n| n == 1));
    }
}
