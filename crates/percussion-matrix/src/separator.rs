//! Smaller separators: the fewest nodes of a band around one that keep its sides apart.
//!
//!   as many paths from side to side as share no node = as few nodes as cut them all   (Menger 1927)
//!
//! Paths are found as a flow that may pass every node of the band once (Ford and Fulkerson 1956; level by level: Dinic 1970). What the
//! last search reaches from one side ends at a cut.

use crate::dissection::Adjacency;

/// Layers of nodes on each side of a separator that are searched for a smaller one, from narrow to wide.
const LAYERS: [usize; 3] = [1, 2, 4];
/// Part of a side that a band may take.
const MOST_TAKEN: f64 = 0.3;
/// A separator of s nodes that leaves parts ½ ± d of a set counts as s (1 + UNEQUAL d²): of n nodes in space fill grows as n^(4/3), some
/// twenty times s²/2, so that F(½ + d) + F(½ − d) outweighs what s² saves.
const UNEQUAL: f64 = 7.0;

/// Where a node is.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Outside,
    First,
    Second,
    Between,
}

/// Work memory for separators of one graph.
pub struct Separators<'a> {
    graph: Adjacency<'a>,
    side: Vec<Side>,
    /// Number of each node in the band; `u32::MAX` beyond it.
    place: Vec<u32>,
    band: Vec<usize>,
}

impl<'a> Separators<'a> {
    /// For sets of nodes of a graph.
    pub fn new(graph: Adjacency<'a>) -> Self {
        let n = graph.n();
        Self { graph, side: vec![Side::Outside; n], place: vec![u32::MAX; n], band: Vec::new() }
    }

    /// Two sides and what keeps them apart, with a smaller separator near the one given if there is one.
    pub fn refined(&mut self, sides: [Vec<usize>; 3]) -> [Vec<usize>; 3] {
        let mut best = sides;
        for layers in LAYERS {
            if best.iter().any(|side| side.is_empty()) {
                return best;
            }
            for (list, name) in best.iter().zip([Side::First, Side::Second, Side::Between]) {
                list.iter().for_each(|&i| self.side[i] = name);
            }
            self.find_band(&best, layers);
            let cuts = self.cuts(&best);
            best.iter().flatten().for_each(|&i| self.side[i] = Side::Outside);
            self.band.drain(..).for_each(|i| self.place[i] = u32::MAX);
            for cut in cuts {
                if cost(&cut) < cost(&best) {
                    best = cut;
                }
            }
        }
        best
    }

    /// The separator and so many layers of nodes on each side, fewer where they would take too much of it.
    fn find_band(&mut self, sides: &[Vec<usize>; 3], layers: usize) {
        let Self { graph, side, place, band } = self;
        let add = |i: usize, place: &mut Vec<u32>, band: &mut Vec<usize>| {
            place[i] = band.len() as u32;
            band.push(i);
        };
        sides[2].iter().for_each(|&i| add(i, place, band));
        for (name, list) in [(Side::First, &sides[0]), (Side::Second, &sides[1])] {
            let mut layer = sides[2].clone();
            let mut left = (MOST_TAKEN * list.len() as f64) as usize;
            for _ in 0..layers {
                let near = layer.iter().flat_map(|&i| graph.of(i)).copied();
                let mut beyond: Vec<usize> = near.filter(|&j| side[j] == name && place[j] == u32::MAX).collect();
                beyond.sort_unstable();
                beyond.dedup();
                if beyond.len() > left || beyond.is_empty() {
                    break;
                }
                left -= beyond.len();
                beyond.iter().for_each(|&i| add(i, place, band));
                layer = beyond;
            }
        }
    }

    /// Of the smallest cuts of the band the one nearest to the first side and the one nearest to the second.
    fn cuts(&self, sides: &[Vec<usize>; 3]) -> [[Vec<usize>; 3]; 2] {
        // node k of the band is entered at 2k and left at 2k + 1
        let n = self.band.len() as u32;
        let (from, to) = (2 * n, 2 * n + 1);
        let mut once = Vec::with_capacity(self.band.len());
        let mut wide = Vec::new();
        for (k, &i) in (0..).zip(&self.band) {
            once.push((2 * k, 2 * k + 1));
            let (mut first, mut second) = (false, false);
            for &j in self.graph.of(i).iter().filter(|&&j| j != i) {
                match (self.place[j], self.side[j]) {
                    (_, Side::Outside) => {}
                    (u32::MAX, Side::First) => first = true,
                    (u32::MAX, Side::Second | Side::Between) => second = true,
                    (l, _) => wide.push((2 * k + 1, 2 * l)),
                }
            }
            wide.extend(first.then_some((from, 2 * k)));
            wide.extend(second.then_some((2 * k + 1, to)));
        }
        let mut network = Network::new(2 * self.band.len() + 2, &once, &wide);
        network.fill(from as usize, to as usize);
        [(from, false), (to, true)].map(|(end, backwards)| {
            network.walk(end as usize, backwards);
            let reached = |place: u32| network.level[place as usize] != u32::MAX;
            let (near, far) = (usize::from(backwards), usize::from(!backwards));
            let part = |i: usize| match (self.place[i], self.side[i]) {
                (u32::MAX, Side::First) => 0,
                (u32::MAX, _) => 1,
                (k, _) if reached(2 * k) && reached(2 * k + 1) => near,
                (k, _) if reached(2 * k) || reached(2 * k + 1) => 2,
                _ => far,
            };
            let mut cut = [Vec::new(), Vec::new(), Vec::new()];
            sides.iter().flatten().for_each(|&i| cut[part(i)].push(i));
            cut
        })
    }
}

/// What a separator costs, in nodes.
fn cost(sides: &[Vec<usize>; 3]) -> f64 {
    let [first, second, separator] = [0, 1, 2].map(|k| sides[k].len() as f64);
    let unequal = 0.5 * (first - second) / (first + second).max(1.0);
    separator * (1.0 + UNEQUAL * unequal * unequal)
}

/// Places with ways between them.
struct Network {
    /// Ways from place i, those that are taken back among them: `start[i]..start[i + 1]`.
    start: Vec<usize>,
    /// Where a way leads, and the number of the way back.
    to: Vec<u32>,
    back: Vec<u32>,
    open: Vec<bool>,
    /// Whether any number of paths may take it.
    wide: Vec<bool>,
    /// Steps from where the last walk began; `u32::MAX` where it did not come.
    level: Vec<u32>,
}

impl Network {
    /// From ways that one path may take and ways that any number may.
    fn new(places: usize, once: &[(u32, u32)], wide: &[(u32, u32)]) -> Self {
        let mut start = vec![0; places + 1];
        for &(a, b) in once.iter().chain(wide) {
            start[a as usize + 1] += 1;
            start[b as usize + 1] += 1;
        }
        (0..places).for_each(|i| start[i + 1] += start[i]);
        let (mut next, n) = (start.clone(), start[places]);
        let mut made = Self {
            start,
            to: vec![0; n],
            back: vec![0; n],
            open: vec![false; n],
            wide: vec![false; n],
            level: vec![u32::MAX; places],
        };
        for (is_wide, &(a, b)) in once.iter().map(|way| (false, way)).chain(wide.iter().map(|way| (true, way))) {
            let (e, f) = (next[a as usize], next[b as usize]);
            next[a as usize] += 1;
            next[b as usize] += 1;
            (made.to[e], made.back[e], made.open[e], made.wide[e]) = (b, f as u32, true, is_wide);
            (made.to[f], made.back[f]) = (a, e as u32);
        }
        made
    }

    /// Steps from a place to all others along open ways, or from them to it.
    fn walk(&mut self, from: usize, backwards: bool) {
        self.level.fill(u32::MAX);
        self.level[from] = 0;
        let (mut reached, mut k) = (vec![from], 0);
        while k < reached.len() {
            let i = reached[k];
            k += 1;
            for e in self.start[i]..self.start[i + 1] {
                let j = self.to[e] as usize;
                let way = if backwards { self.back[e] as usize } else { e };
                if self.open[way] && self.level[j] == u32::MAX {
                    self.level[j] = self.level[i] + 1;
                    reached.push(j);
                }
            }
        }
    }

    /// As many paths from one place to another as there are.
    fn fill(&mut self, from: usize, to: usize) {
        loop {
            self.walk(from, false);
            if self.level[to] == u32::MAX {
                return;
            }
            // all shortest paths, each way looked at once
            let mut next = self.start.clone();
            let mut path: Vec<usize> = Vec::new();
            loop {
                let i = path.last().map_or(from, |&e| self.to[e] as usize);
                if i == to {
                    for e in path.drain(..) {
                        self.open[e] = self.wide[e];
                        self.open[self.back[e] as usize] = true;
                    }
                    continue;
                }
                let ahead = |e: &usize| self.open[*e] && self.level[self.to[*e] as usize] == self.level[i] + 1;
                let way = (next[i]..self.start[i + 1]).find(ahead);
                next[i] = way.unwrap_or(self.start[i + 1]);
                match (way, path.last()) {
                    (Some(e), _) => path.push(e),
                    (None, None) => break,
                    (None, Some(&e)) => {
                        path.pop();
                        next[self.to[self.back[e] as usize] as usize] += 1;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of w × h nodes with neighbours along the axes, cut by a staircase: the straight cut is found, and nothing passes it.
    #[test]
    fn a_staircase_becomes_straight() {
        let (w, h) = (20_usize, 9_usize);
        let (mut start, mut neighbours) = (vec![0], Vec::new());
        for k in 0..w * h {
            let (x, y) = (k % w, k / w);
            let near = [(x > 0, k.wrapping_sub(1)), (x + 1 < w, k + 1), (y > 0, k.wrapping_sub(w)), (y + 1 < h, k + w)];
            neighbours.extend(near.into_iter().filter_map(|(is, j)| is.then_some(j)));
            start.push(neighbours.len());
        }
        let graph = Adjacency { start: &start, neighbours: &neighbours };
        // two nodes of every row but the last
        let stair = |k: usize| (k % w) as isize - 8 - (k / w % 3) as isize;
        let of = |wanted: fn(isize) -> bool| (0..w * h).filter(|&k| wanted(stair(k))).collect::<Vec<_>>();
        let sides = [of(|s| s < 0), of(|s| s > 1), of(|s| (0..2).contains(&s))];
        let [first, second, between] = Separators::new(graph).refined(sides);
        assert_eq!(between.len(), h, "{between:?}");
        assert_eq!(first.len() + second.len() + between.len(), w * h);
        assert!(first.iter().all(|&i| graph.of(i).iter().all(|j| !second.contains(j))));
        assert!(first.len().min(second.len()) >= 60, "{} {}", first.len(), second.len());
    }
}
