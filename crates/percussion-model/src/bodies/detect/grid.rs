//! Pairs of bodies that may touch: a uniform grid for bodies of like size, everything against the few that are larger.
//!
//! A cell is as wide as the widest of the small bodies with its margin, so neighbours lie in neighbouring cells. Cells
//! are found by sorting, which makes the order of pairs a function of the places alone.

use super::super::math::{Vec3, dot, sub};
use super::super::shapes::Manner;
use super::super::{Bodies, Frame};
use percussion_matrix::parts::{largest_by, made_by, reduced, sort_in_parts};
use percussion_matrix::pool::together;
use std::ops::Range;

/// Buffers of the grid.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    /// Half-widths of the balls that hold body and margin [m].
    radius: Vec<f64>,
    /// Half-widths of the bodies, and those of the free ones by size [m].
    reach: Vec<f64>,
    sorted: Vec<f64>,
    large: Vec<u32>,
    /// Bodies that meet a large one, and those that are small.
    met: Vec<bool>,
    small: Vec<bool>,
    /// (cell, body), sorted.
    cells: Vec<(u64, u32)>,
    /// Pairs that further threads find.
    shares: Vec<Vec<(u32, u32)>>,
}

/// Bodies whose cells are worth a thread.
const WORTH: usize = 500;

/// Bodies this many times wider than the median go to the list of large ones.
const LARGE: f64 = 3.0;
/// Half of the nine rows of cells around a cell, (x, y): of its own only what follows.
const NEIGHBOURS: [(i64, i64); 5] = [(0, 0), (0, 1), (1, -1), (1, 0), (1, 1)];
/// Cells per direction.
const BITS: u32 = 20;
const MOST: i64 = (1 << BITS) - 1;

impl Grid {
    /// Candidate pairs, the lower number first.
    pub fn pairs(
        &mut self,
        scene: &Bodies,
        frames: &[Frame],
        margins: &[f64],
        threads: usize,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        pairs.clear();
        let bodies = scene.bodies();
        made_by(&mut self.radius, bodies.len(), threads, |i| bodies[i].reach + margins[i]);
        made_by(&mut self.reach, bodies.len(), threads, |i| bodies[i].reach);
        made_by(&mut self.sorted, bodies.len(), threads, |i| if bodies[i].is_free() { bodies[i].reach } else { -1.0 });
        self.sorted.retain(|reach| *reach >= 0.0);
        let middle = self.sorted.len() / 2;
        let median = match self.sorted.is_empty() {
            true => 0.0,
            false => *self.sorted.select_nth_unstable_by(middle, f64::total_cmp).1,
        };

        // the large ones, against everything
        self.large.clear();
        let reach = &self.reach[..];
        let is_large = |i: usize| reach[i] > LARGE * median;
        self.large.extend((0..bodies.len()).filter(|&i| is_large(i)).map(|i| i as u32));
        for (k, &l) in self.large.iter().enumerate() {
            let a = l as usize;
            let mut met = std::mem::take(&mut self.met);
            made_by(&mut met, bodies.len(), threads, |b| {
                let again = is_large(b) && self.large[..k].contains(&(b as u32));
                b != a && !again && scene.may_touch(a, b) && self.near(scene, frames, margins, a, b)
            });
            let touched = met.iter().enumerate().filter(|(_, met)| **met);
            pairs.extend(touched.map(|(b, _)| (a.min(b) as u32, a.max(b) as u32)));
            self.met = met;
        }

        // the others by cells
        made_by(&mut self.small, bodies.len(), threads, |i| {
            !is_large(i) && bodies[i].shape.manner() != Manner::Nothing
        });
        let small = |i: &usize| self.small[*i];
        let widest = largest_by(bodies.len(), threads, |i| if small(&i) { self.radius[i] } else { 0.0 });
        if widest == 0.0 {
            return;
        }
        let width = 2.0 * widest;
        let least = |a: Vec3, b: Vec3| -> Vec3 { std::array::from_fn(|k| a[k].min(b[k])) };
        let lowest = |rows: Range<usize>| rows.filter(small).map(|i| frames[i].x).fold([f64::INFINITY; 3], least);
        let low = reduced(bodies.len(), threads, lowest, least);
        let cell = |x: &Vec3| -> [i64; 3] {
            std::array::from_fn(|k| (((x[k] - low[k]) / width).floor().min(MOST as f64 - 2.0) as i64) + 1)
        };
        let key = |c: [i64; 3]| (c[0] as u64) << (2 * BITS) | (c[1] as u64) << BITS | c[2] as u64;
        // what is in no cell goes to the end, and is cut off
        const NOWHERE: u64 = u64::MAX;
        made_by(&mut self.cells, bodies.len(), threads, |i| {
            (if small(&i) { key(cell(&frames[i].x)) } else { NOWHERE }, i as u32)
        });
        sort_in_parts(&mut self.cells, threads);
        self.cells.truncate(self.cells.partition_point(|c| c.0 != NOWHERE));
        let asked = threads;
        let threads = threads.min(self.cells.len() / WORTH).max(1);
        let mut shares = std::mem::take(&mut self.shares);
        shares.resize_with(threads - 1, Vec::new);
        let run = self.cells.len().div_ceil(threads);
        if threads == 1 {
            self.meet(scene, frames, (0, self.cells.len()), pairs);
        } else {
            let grid = &*self;
            together(threads, |crew| {
                for (k, share) in shares.iter_mut().enumerate() {
                    share.clear();
                    crew.give(move || grid.meet(scene, frames, ((k + 1) * run, (k + 2) * run), share));
                }
                grid.meet(scene, frames, (0, run), pairs);
            });
            shares.iter().for_each(|share| pairs.extend_from_slice(share));
        }
        self.shares = shares;
        sort_in_parts(pairs, asked);
    }

    /// The pairs of the cells that begin in a run of the list.
    fn meet(&self, scene: &Bodies, frames: &[Frame], (from, to): (usize, usize), pairs: &mut Vec<(u32, u32)>) {
        let cells = &self.cells;
        // a cell belongs to the run it begins in
        let begins = |at: usize| {
            let at = at.min(cells.len());
            let within = at > 0 && at < cells.len() && cells[at].0 == cells[at - 1].0;
            if within { at + cells[at..].iter().take_while(|c| c.0 == cells[at].0).count() } else { at }
        };
        let (mut at, to) = (begins(from), begins(to));
        let mut beside = [at; NEIGHBOURS.len()];
        if let Some(&(here, _)) = cells.get(at) {
            let first = |(dx, dy): (i64, i64)| here as i64 + (dx << (2 * BITS)) + (dy << BITS) - 1;
            beside = NEIGHBOURS.map(|offset| cells.partition_point(|c| (c.0 as i64) < first(offset)));
        }
        while at < to {
            let here = cells[at].0;
            let end = at + cells[at..].iter().take_while(|c| c.0 == here).count();
            for p in at..end {
                for q in p + 1..end {
                    self.pair(scene, frames, cells[p].1, cells[q].1, pairs);
                }
            }
            for ((dx, dy), from) in NEIGHBOURS.into_iter().zip(&mut beside) {
                let row = here as i64 + (dx << (2 * BITS)) + (dy << BITS);
                let first = if dx == 0 && dy == 0 { here as i64 + 1 } else { row - 1 };
                // rows move on with the cell: the search goes on where it was
                *from += cells[*from..].iter().take_while(|c| (c.0 as i64) < first).count();
                for other in cells[*from..].iter().take_while(|c| c.0 as i64 <= row + 1) {
                    for mine in &cells[at..end] {
                        self.pair(scene, frames, mine.1, other.1, pairs);
                    }
                }
            }
            at = end;
        }
    }

    #[inline]
    fn pair(&self, scene: &Bodies, frames: &[Frame], i: u32, j: u32, pairs: &mut Vec<(u32, u32)>) {
        let (a, b) = (i.min(j), i.max(j));
        let (x, y) = (a as usize, b as usize);
        let d = sub(&frames[x].x, &frames[y].x);
        let reach = self.radius[x] + self.radius[y];
        if dot(&d, &d) <= reach * reach && scene.may_touch(x, y) {
            pairs.push((a, b));
        }
    }

    /// Whether the balls about two bodies meet; a plane is met by what reaches below it.
    fn near(&self, scene: &Bodies, frames: &[Frame], margins: &[f64], a: usize, b: usize) -> bool {
        let plane = |i: usize| scene.bodies()[i].shape.manner() == Manner::HalfSpace;
        let up = if scene.is_planar() { 1 } else { 2 };
        let reaches = |p: usize, i: usize| {
            let R = &frames[p].R;
            let n = [R[0][up], R[1][up], R[2][up]];
            dot(&n, &sub(&frames[i].x, &frames[p].x)) <= self.radius[i] + margins[p]
        };
        match (plane(a), plane(b)) {
            (true, true) => false,
            (true, false) => reaches(a, b),
            (false, true) => reaches(b, a),
            (false, false) => {
                let d = sub(&frames[a].x, &frames[b].x);
                let reach = self.radius[a] + self.radius[b];
                dot(&d, &d) <= reach * reach
            }
        }
    }
}
