//! Islands: contacts that feel each other through the bodies they share, one problem each.
//!
//!   W_ij = 0 between contacts of different islands
//!
//! Bodies are joined by union-find over the contacts in order; what does not move joins nothing. Islands are numbered by their first
//! contact, small ones gathered into groups in that order. A function of the problem alone: threads only decide who solves which group.

use crate::friction::TwoBodyProblem;

/// Contacts from which an island is a group of its own; smaller ones share groups up to this size.
const GROUP: usize = 128;

/// The groups of a problem, with buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    /// Contacts of each group, rising.
    pub groups: Vec<Vec<u32>>,
    /// How many of these are in use.
    pub count: usize,
    /// The contacts that were split last, and how many bodies there were.
    bodies: Vec<[u32; 2]>,
    moving: usize,
    parent: Vec<u32>,
    /// Island of each root, contacts of each island, group of each island.
    island: Vec<u32>,
    sizes: Vec<usize>,
    group: Vec<usize>,
}

const NONE: u32 = u32::MAX;

impl Islands {
    /// Finds the groups, unless the contacts are those of the last time; whether there is more than one.
    pub fn split(&mut self, problem: &TwoBodyProblem) -> bool {
        if self.count > 0 && self.moving == problem.v.len() && self.bodies == problem.bodies {
            return self.count > 1;
        }
        self.moving = problem.v.len();
        self.bodies.clone_from(&problem.bodies);
        let Self { parent, island, sizes, group, .. } = self;
        parent.clear();
        parent.extend(0..problem.v.len() as u32);
        for pair in &problem.bodies {
            if !pair.contains(&TwoBodyProblem::GROUND) {
                let [a, b] = pair.map(|body| root(parent, body));
                // the lower number stays
                parent[a.max(b) as usize] = a.min(b);
            }
        }

        // islands by their first contact
        island.clear();
        island.resize(problem.v.len(), NONE);
        sizes.clear();
        for pair in &problem.bodies {
            let Some(body) = moved(pair) else { continue };
            let at = &mut island[root(parent, body) as usize];
            if *at == NONE {
                *at = sizes.len() as u32;
                sizes.push(0);
            }
            sizes[*at as usize] += 1;
        }

        // groups: large islands alone, small ones together
        group.clear();
        let (mut count, mut open) = (0, None);
        for &size in sizes.iter() {
            if size >= GROUP {
                group.push(count);
                count += 1;
                continue;
            }
            let (to, held) = open.filter(|(_, held)| held + size <= GROUP).unwrap_or_else(|| {
                count += 1;
                (count - 1, 0)
            });
            group.push(to);
            open = Some((to, held + size));
        }
        self.count = count;
        if count < 2 {
            return false;
        }
        if self.groups.len() < count {
            self.groups.resize_with(count, Vec::new);
        }
        self.groups.iter_mut().for_each(Vec::clear);
        for (i, pair) in problem.bodies.iter().enumerate() {
            // a contact between what does not move has no influence: any group will do
            let to = moved(pair).map_or(0, |body| {
                let root = root(&mut self.parent, body);
                self.group[self.island[root as usize] as usize]
            });
            self.groups[to].push(i as u32);
        }
        true
    }
}

/// A body of the contact that moves.
fn moved(pair: &[u32; 2]) -> Option<u32> {
    pair.iter().copied().find(|&body| body != TwoBodyProblem::GROUND)
}

/// The root of a body, halving the way there.
fn root(parent: &mut [u32], mut body: u32) -> u32 {
    while parent[body as usize] != body {
        let above = parent[parent[body as usize] as usize];
        parent[body as usize] = above;
        body = above;
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(bodies: usize, contacts: Vec<[u32; 2]>) -> TwoBodyProblem {
        TwoBodyProblem {
            dim: 3,
            v: vec![[0.0; 6]; bodies],
            mu: vec![0.5; contacts.len()],
            bodies: contacts,
            ..Default::default()
        }
    }

    /// Random contacts: every contact in one group, no body in two, large islands alone.
    #[test]
    fn no_body_in_two_groups() {
        let mut seed = 3_u64;
        let mut dice = |n: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) % n) as u32
        };
        let contacts: Vec<[u32; 2]> = (0..900)
            .map(|_| {
                let block = 50 * dice(20);
                let (a, b) = (block + dice(50), block + dice(70));
                [a, if b >= block + 50 || a == b { TwoBodyProblem::GROUND } else { b }]
            })
            .collect();
        let problem = problem(1000, contacts);
        let mut islands = Islands::default();
        assert!(islands.split(&problem));
        let mut owner = vec![None; 1000];
        let mut seen = vec![0; 900];
        for (g, contacts) in islands.groups[..islands.count].iter().enumerate() {
            assert!(contacts.is_sorted() && !contacts.is_empty());
            for &i in contacts {
                seen[i as usize] += 1;
                for body in problem.bodies[i as usize].into_iter().filter(|&b| b != TwoBodyProblem::GROUND) {
                    assert_eq!(*owner[body as usize].get_or_insert(g), g, "body {body} in two groups");
                }
            }
        }
        assert!(seen.iter().all(|&n| n == 1));
    }

    /// A chain of contacts is one island, however long.
    #[test]
    fn a_chain_is_whole() {
        let contacts = (0..499).map(|i| [i, i + 1]).collect();
        assert!(!Islands::default().split(&problem(500, contacts)));
    }
}
