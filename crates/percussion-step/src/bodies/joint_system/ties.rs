//! Knots of a net: a point that a joint holds at another moves with it.
//!
//!   b follows a:    D_a = −D_b,  N_a = −N_b,     δ_b = δ_a + c,   N_b c = r_joint
//!   Σ_j (A_aj + A_bj) δ_j = f_a + f_b,     λ = D_b⁻ᵀ(Σ_j A_bj δ_j − f_b)
//!
//! The equations of both points added are free of the reaction, so the elimination knows one point and no joint where there were two points
//! and a joint: a woven net is eliminated as the grid of its knots, with a third of the work. The blocks of those that follow are kept beside
//! it, for c and for the reactions.

use crate::bodies::block_elimination::BlockElimination;
use percussion_model::bodies::math::{IDENTITY, Mat3, Vec3, inverse, mul, mul_t};
use percussion_model::bodies::measure::Measure;
use percussion_model::bodies::{Bodies, Joint, JointRow, RowLaw};
use std::collections::HashMap;

/// A point that follows another.
#[derive(Clone, Debug)]
struct Tie {
    leader: usize,
    follower: usize,
    /// The joint among all nodes, free bodies first.
    joint: usize,
    /// Its own block, and its first unknown and that of its joint.
    own: usize,
    first: usize,
    rows: usize,
    /// Unknowns of a point.
    size: usize,
    /// By rows of the joint, and their inverses.
    D: Mat3,
    N: Mat3,
    inverse_D: Mat3,
    inverse_N: Mat3,
}

/// A block of which the row or the column follows.
#[derive(Clone, Debug)]
struct TiedBlock {
    /// Free bodies.
    between: [usize; 2],
    at: usize,
    /// Its size, the first unknown of its row in the elimination, and of its column among all.
    size: [usize; 2],
    row: usize,
    column: usize,
}

/// A node as it stands among all unknowns and in the elimination.
#[derive(Clone, Copy, Debug)]
struct Move {
    all: usize,
    eliminated: usize,
    size: usize,
}

/// The ties of a scene.
#[derive(Clone, Debug, Default)]
pub struct Ties {
    ties: Vec<Tie>,
    /// The tie of every free body that follows, and of every joint that is one.
    following: Vec<Option<usize>>,
    standing: HashMap<usize, usize>,
    blocks: Vec<TiedBlock>,
    places: HashMap<[usize; 2], usize>,
    moves: Vec<Move>,
    unknowns: usize,
    /// The blocks, each by rows.
    pub values: Vec<f64>,
}

/// The two bodies of a joint that holds a point of one at a point of the other and nothing else.
fn holds_points(joint: &Joint, dimension: usize) -> Option<[usize; 2]> {
    let bodies = joint.rows.first()?.terms.first()?.bodies;
    let alike = |(k, row): (usize, &JointRow)| {
        matches!(row.law, RowLaw::Rigid { .. })
            && row.terms.len() == 1
            && row.terms[0].bodies == bodies
            && matches!(row.terms[0].measure, Measure::Point { axis, .. } if axis == k)
    };
    (joint.rows.len() == dimension && bodies[0] != bodies[1] && joint.rows.iter().enumerate().all(alike))
        .then_some(bodies)
}

/// So many numbers, then zeros.
fn part(x: &[f64], first: usize, size: usize) -> Vec3 {
    std::array::from_fn(|k| if k < size { x[first + k] } else { 0.0 })
}

impl Ties {
    /// Those of a scene: `points` are turned by nothing, `node` numbers the free bodies.
    pub fn find(
        scene: &Bodies,
        node_of: &[usize],
        rows_at: &[Vec<usize>],
        points: &[bool],
        node: &[Option<usize>],
    ) -> Self {
        let n = node.iter().flatten().count();
        let dimension = if scene.is_planar() { 2 } else { 3 };
        let mut this = Self { following: vec![None; n], ..Self::default() };
        let joints = scene.joints().iter().filter(|joint| !joint.rows.is_empty());
        for (number, joint) in joints.enumerate() {
            let Some(bodies) = holds_points(joint, dimension) else { continue };
            let ([Some(a), Some(b)], true) = (bodies.map(|i| node[i]), bodies.iter().all(|&i| points[i])) else {
                continue;
            };
            // nodes of solids touch more than spans say
            let may_follow = |i: usize| {
                let own = &scene.bodies()[i];
                !own.node && !own.modal && rows_at[i].iter().all(|&row| node_of[row] == number)
            };
            let (leader, follower) = match bodies.map(may_follow) {
                [_, true] => (a, b),
                [true, false] => (b, a),
                [false, false] => continue,
            };
            let tie = this.ties.len();
            this.following[follower] = Some(tie);
            this.standing.insert(n + number, tie);
            let [D, N, inverse_D, inverse_N] = [IDENTITY; 4];
            let joint = n + number;
            let size = dimension;
            this.ties.push(Tie {
                leader,
                follower,
                joint,
                own: 0,
                first: 0,
                rows: 0,
                size,
                D,
                N,
                inverse_D,
                inverse_N,
            });
        }
        this
    }

    /// Whether a free body follows another.
    pub fn is_follower(&self, k: usize) -> bool {
        self.following.get(k).is_some_and(Option::is_some)
    }

    /// The tie that a joint is.
    pub fn of_joint(&self, joint: usize) -> Option<usize> {
        self.standing.get(&joint).copied()
    }

    /// Whether body k is the one that follows.
    pub fn follows(&self, tie: usize, k: usize) -> bool {
        self.ties[tie].follower == k
    }

    /// Nodes in the elimination of so many in all, n of them free bodies: those that follow stand where those they follow do, and ties nowhere.
    pub fn nodes(&self, count: usize, n: usize) -> Vec<Option<usize>> {
        let mut next = 0;
        let mut nodes = vec![None; count];
        for (k, node) in nodes.iter_mut().enumerate() {
            if !(self.standing.contains_key(&k) || k < n && self.is_follower(k)) {
                *node = Some(next);
                next += 1;
            }
        }
        for tie in &self.ties {
            nodes[tie.follower] = nodes[tie.leader];
        }
        nodes
    }

    /// Where block (i, j) of free bodies is kept, when one of them follows.
    pub fn block(&mut self, i: usize, j: usize, used: &[&'static [usize]]) -> Option<usize> {
        if !self.is_follower(i) && !self.is_follower(j) {
            return None;
        }
        if let Some(&at) = self.places.get(&[i, j]) {
            return Some(at);
        }
        let (at, size) = (self.values.len(), [i, j].map(|k| used[k].len()));
        self.values.resize(at + size[0] * size[1], 0.0);
        self.places.insert([i, j], at);
        self.blocks.push(TiedBlock { between: [i, j], at, size, row: 0, column: 0 });
        Some(at)
    }

    /// The block of a body that follows with itself.
    pub fn own_block(&self, k: usize) -> Option<usize> {
        Some(self.ties[self.following[k]?].own)
    }

    /// Once all blocks are known: where unknowns are.
    pub fn begin(
        &mut self,
        used: &[&'static [usize]],
        first: &[usize],
        lu: &BlockElimination,
        nodes: &[Option<usize>],
    ) {
        for t in 0..self.ties.len() {
            let k = self.ties[t].follower;
            let own = self.block(k, k, used).unwrap_or_default();
            let tie = &mut self.ties[t];
            (tie.own, tie.first, tie.rows) = (own, first[k], first[tie.joint]);
        }
        let eliminated = |k: usize| nodes[k].map_or(0, |node| lu.first(node));
        for block in &mut self.blocks {
            let [i, j] = block.between;
            (block.row, block.column) = (eliminated(i), first[j]);
        }
        if self.ties.is_empty() {
            return;
        }
        for (k, node) in nodes.iter().enumerate() {
            let Some(node) = *node else { continue };
            self.moves.push(Move { all: first[k], eliminated: lu.first(node), size: lu.size(node) });
            self.unknowns = self.unknowns.max(lu.first(node) + lu.size(node));
        }
    }

    /// Begins with zeros.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
        for tie in &mut self.ties {
            let m = tie.size;
            (0..m).for_each(|r| (0..m).for_each(|k| (tie.D[r][k], tie.N[r][k]) = (0.0, 0.0)));
        }
    }

    /// Adds to D and N of the one that follows: a row of the joint and a component.
    pub fn add_crossing(&mut self, tie: usize, (row, k): (usize, usize), D: f64, N: f64) {
        let tie = &mut self.ties[tie];
        tie.D[row][k] += D;
        tie.N[row][k] += N;
    }

    /// Inverts D and N; `false` where that cannot be.
    pub fn factor(&mut self) -> bool {
        for tie in &mut self.ties {
            let (Some(inverse_D), Some(inverse_N)) = (inverse(&tie.D), inverse(&tie.N)) else { return false };
            (tie.inverse_D, tie.inverse_N) = (inverse_D, inverse_N);
        }
        true
    }

    /// x ← the solution for all unknowns.
    pub fn solve(&self, lu: &BlockElimination, x: &mut [f64]) {
        if self.ties.is_empty() {
            return lu.solve(x);
        }
        let mut y = vec![0.0; self.unknowns];
        for m in &self.moves {
            y[m.eliminated..m.eliminated + m.size].iter_mut().zip(&x[m.all..]).for_each(|(y, x)| *y += x);
        }
        let apart: Vec<Vec3> = self.ties.iter().map(|tie| mul(&tie.inverse_N, &part(x, tie.rows, tie.size))).collect();
        for block in &self.blocks {
            let Some(tie) = self.following[block.between[1]] else { continue };
            self.add_product(block, &apart[tie], -1.0, &mut y[block.row..]);
        }
        lu.solve(&mut y);
        let mut left: Vec<Vec3> = self.ties.iter().map(|tie| part(x, tie.first, tie.size).map(|f| -f)).collect();
        for m in &self.moves {
            x[m.all..m.all + m.size].copy_from_slice(&y[m.eliminated..m.eliminated + m.size]);
        }
        for (tie, c) in self.ties.iter().zip(&apart) {
            x[tie.first..tie.first + tie.size].iter_mut().zip(c).for_each(|(x, c)| *x += c);
        }
        for block in &self.blocks {
            let Some(tie) = self.following[block.between[0]] else { continue };
            self.add_product(block, &x[block.column..], 1.0, &mut left[tie]);
        }
        for (tie, left) in self.ties.iter().zip(&left) {
            let lambda = mul_t(&tie.inverse_D, left);
            x[tie.rows..tie.rows + tie.size].copy_from_slice(&lambda[..tie.size]);
        }
    }

    /// to += factor · block · x.
    fn add_product(&self, block: &TiedBlock, x: &[f64], factor: f64, to: &mut [f64]) {
        let [rows, columns] = block.size;
        let values = &self.values[block.at..block.at + rows * columns];
        for (row, to) in values.chunks_exact(columns).zip(to) {
            *to += factor * row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
        }
    }
}
