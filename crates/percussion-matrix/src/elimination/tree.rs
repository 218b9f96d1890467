//! What a factor looks like before it has numbers: supernodes, who feeds whom, subtrees that threads may take, and levels above them.

use crate::SparseMatrix;
use faer::sparse::linalg::cholesky::supernodal::SymbolicSupernodalCholesky;
use faer::sparse::linalg::cholesky::{SymbolicCholesky, SymbolicCholeskyRaw};
use std::ops::Range;
use std::sync::Arc;

/// A subtree is cut until its work is no more than this part of all.
const PARTS: f64 = 64.0;
/// Operations for which a subtree is not cut any more.
const SMALL_WORK: f64 = 2e6;

/// A subtree: consecutive supernodes, which are consecutive columns.
#[derive(Clone, Debug)]
pub struct Subtree {
    /// Its supernodes, the root last.
    pub nodes: Range<usize>,
    /// Their columns.
    pub columns: Range<usize>,
}

/// The structure of a factor.
#[derive(Debug)]
pub struct Tree {
    symbolic: Arc<SymbolicCholesky<usize>>,
    /// Supernode of each column.
    of_column: Vec<usize>,
    /// Subtrees that touch each other nowhere, in the order of their columns.
    pub subtrees: Vec<Subtree>,
    /// The supernodes above them; those of one level do not feed each other.
    pub levels: Vec<Vec<usize>>,
    /// The supernodes above them, ascending.
    pub top: Vec<usize>,
    /// Supernodes with rows among the columns of s: `donors[donors_of[s]..donors_of[s + 1]]`.
    donors_of: Vec<usize>,
    donors: Vec<u32>,
    /// Of each row of a supernode in a subtree: its place among the columns of the subtree and, after them, the rows of the root.
    place: Vec<u32>,
    /// Where the numbers of Uᵀ below the diagonal block begin.
    upper_of: Vec<usize>,
}

impl Tree {
    /// Of a symbolic factor made for a postordered matrix; none where it has no supernodes.
    pub fn new(symbolic: Arc<SymbolicCholesky<usize>>) -> Option<Self> {
        let SymbolicCholeskyRaw::Supernodal(nodes) = symbolic.raw() else { return None };
        let n = nodes.n_supernodes();
        let of_column = supernode_of_column(nodes);
        let width = |s: usize| nodes.supernode_end()[s] - nodes.supernode_begin()[s];
        let pattern = |s: usize| nodes.supernode(s).pattern();

        // parents, and the first descendant of each: descendants must be consecutive
        let parent: Vec<Option<usize>> = (0..n).map(|s| pattern(s).first().map(|&row| of_column[row])).collect();
        let (mut first, mut descendants) = ((0..n).collect::<Vec<_>>(), vec![0; n]);
        let mut work: Vec<f64> = (0..n).map(|s| own_work(width(s), pattern(s).len())).collect();
        for s in 0..n {
            if s - first[s] != descendants[s] {
                return None;
            }
            if let Some(p) = parent[s] {
                first[p] = first[p].min(first[s]);
                descendants[p] += descendants[s] + 1;
                work[p] += work[s];
            }
        }

        let (roots, top) = cut(&parent, &work);
        let subtrees: Vec<Subtree> = roots
            .into_iter()
            .map(|root| {
                let columns = nodes.supernode_begin()[first[root]]..nodes.supernode_end()[root];
                Subtree { nodes: first[root]..root + 1, columns }
            })
            .collect();
        let (donors_of, donors) = donors(nodes, &of_column);
        let place = places(nodes, &subtrees);
        let mut upper_of = vec![0];
        (0..n).for_each(|s| upper_of.push(upper_of[s] + width(s) * pattern(s).len()));
        let levels = levels(&parent, &top);
        Some(Self { subtrees, levels, top, donors_of, donors, place, upper_of, of_column, symbolic })
    }

    /// The supernodes.
    pub fn nodes(&self) -> &SymbolicSupernodalCholesky<usize> {
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Supernodal(nodes) => nodes,
            SymbolicCholeskyRaw::Simplicial(_) => unreachable!("looked at when the tree was made"),
        }
    }

    /// Unknown of each column, and column of each unknown; none where they are the same.
    pub fn order(&self) -> Option<(&[usize], &[usize])> {
        self.symbolic.perm().map(|perm| perm.arrays())
    }

    /// First column of a supernode, and the one after its last.
    pub fn columns(&self, s: usize) -> Range<usize> {
        self.nodes().supernode_begin()[s]..self.nodes().supernode_end()[s]
    }

    /// Its rows below its own columns.
    pub fn rows(&self, s: usize) -> &[usize] {
        self.nodes().supernode(s).pattern()
    }

    /// Supernodes with rows among its columns.
    pub fn donors(&self, s: usize) -> impl Iterator<Item = usize> + '_ {
        self.donors[self.donors_of[s]..self.donors_of[s + 1]].iter().map(|&d| d as usize)
    }

    /// Supernodes of columns and all above them, ascending: where L⁻¹ of these columns is not zero, and what x there depends on on the way down.
    pub fn above(&self, columns: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut seen = vec![false; self.nodes().n_supernodes()];
        for column in columns {
            let mut next = Some(self.of_column[column]);
            while let Some(s) = next.filter(|&s| !seen[s]) {
                seen[s] = true;
                next = self.rows(s).first().map(|&row| self.of_column[row]);
            }
        }
        (0..seen.len()).filter(|&s| seen[s]).collect()
    }

    /// Where its rows are in its subtree.
    pub fn places(&self, s: usize) -> &[u32] {
        let from = self.nodes().col_ptr_for_row_idx()[s];
        &self.place[from..from + self.rows(s).len()]
    }

    /// Where its numbers are in L.
    pub fn lower(&self, s: usize) -> Range<usize> {
        self.nodes().col_ptr_for_val()[s]..self.nodes().col_ptr_for_val()[s + 1]
    }

    /// Where its numbers are in Uᵀ.
    pub fn upper(&self, s: usize) -> Range<usize> {
        self.upper_of[s]..self.upper_of[s + 1]
    }

    /// How many numbers Uᵀ has beside its diagonal blocks.
    pub fn len_upper(&self) -> usize {
        self.upper_of.last().copied().unwrap_or(0)
    }
}

/// Operations on a panel and for what it feeds.
fn own_work(columns: usize, rows: usize) -> f64 {
    let (c, r) = (columns as f64, rows as f64);
    c * (c * c / 3.0 + c * r + r * r)
}

fn supernode_of_column(nodes: &SymbolicSupernodalCholesky<usize>) -> Vec<usize> {
    let mut of = vec![0; nodes.ncols()];
    for s in 0..nodes.n_supernodes() {
        of[nodes.supernode_begin()[s]..nodes.supernode_end()[s]].fill(s);
    }
    of
}

/// Roots of subtrees, ascending, and the supernodes above them: the largest subtree is cut at its root until all are small.
fn cut(parent: &[Option<usize>], work: &[f64]) -> (Vec<usize>, Vec<usize>) {
    let n = parent.len();
    let mut children = vec![Vec::new(); n];
    (0..n).for_each(|s| parent[s].into_iter().for_each(|p| children[p].push(s)));
    let mut open: Vec<usize> = (0..n).filter(|&s| parent[s].is_none()).collect();
    let all: f64 = open.iter().map(|&s| work[s]).sum();
    let limit = (all / PARTS).max(SMALL_WORK);
    let (mut roots, mut top) = (Vec::new(), Vec::new());
    while let Some(s) = open.pop() {
        if work[s] <= limit {
            roots.push(s);
        } else {
            top.push(s);
            open.append(&mut children[s]);
        }
    }
    roots.sort_unstable();
    top.sort_unstable();
    (roots, top)
}

/// The supernodes above the subtrees by their height.
fn levels(parent: &[Option<usize>], top: &[usize]) -> Vec<Vec<usize>> {
    let mut height = vec![0; parent.len()];
    let mut levels: Vec<Vec<usize>> = Vec::new();
    for &s in top {
        if levels.len() <= height[s] {
            levels.resize_with(height[s] + 1, Vec::new);
        }
        levels[height[s]].push(s);
        if let Some(p) = parent[s] {
            height[p] = height[p].max(height[s] + 1);
        }
    }
    levels
}

/// For each supernode those that have rows among its columns, ascending, one after the other.
fn donors(nodes: &SymbolicSupernodalCholesky<usize>, of_column: &[usize]) -> (Vec<usize>, Vec<u32>) {
    let n = nodes.n_supernodes();
    let fed = |d: usize, visit: &mut dyn FnMut(usize)| {
        let mut last = usize::MAX;
        for &row in nodes.supernode(d).pattern() {
            if of_column[row] != last {
                last = of_column[row];
                visit(last);
            }
        }
    };
    let mut start = vec![0; n + 1];
    (0..n).for_each(|d| fed(d, &mut |s| start[s + 1] += 1));
    (0..n).for_each(|s| start[s + 1] += start[s]);
    let (mut next, mut list) = (start.clone(), vec![0; start[n]]);
    for d in 0..n {
        fed(d, &mut |s| {
            list[next[s]] = d as u32;
            next[s] += 1;
        });
    }
    (start, list)
}

fn places(nodes: &SymbolicSupernodalCholesky<usize>, subtrees: &[Subtree]) -> Vec<u32> {
    let mut place = vec![0; nodes.row_idx().len()];
    for subtree in subtrees {
        let outer = nodes.supernode(subtree.nodes.end - 1).pattern();
        let own = subtree.columns.len();
        for s in subtree.nodes.clone() {
            let from = nodes.col_ptr_for_row_idx()[s];
            let mut next = 0;
            for (k, &row) in nodes.supernode(s).pattern().iter().enumerate() {
                place[from + k] = if row < subtree.columns.end {
                    (row - subtree.columns.start) as u32
                } else {
                    // the rows of a descendant beyond the subtree are rows of its root
                    next += outer[next..].partition_point(|&other| other < row);
                    (own + next) as u32
                };
            }
        }
    }
    place
}

/// The same elimination in another order, with descendants before and next to their ancestors (Liu 1990). The pattern of A must be
/// symmetric; `order` lists the unknowns as they are eliminated.
pub fn postordered(A: &SparseMatrix, order: &[usize]) -> Vec<usize> {
    let n = order.len();
    let mut place = vec![0; n];
    order.iter().enumerate().for_each(|(k, &i)| place[i] = k);
    // parents by paths that are shortened as they are walked
    let (mut parent, mut ancestor) = (vec![n; n], vec![n; n]);
    for k in 0..n {
        for &i in A.column(order[k]).0 {
            let mut j = place[i];
            while j < k && parent[j] != k {
                let up = std::mem::replace(&mut ancestor[j], k);
                if up == n {
                    parent[j] = k;
                    break;
                }
                if up == k {
                    break;
                }
                j = up;
            }
        }
    }
    // children ascending: lists built from behind
    let (mut first, mut next) = (vec![n; n + 1], vec![n; n]);
    for j in (0..n).rev() {
        next[j] = first[parent[j]];
        first[parent[j]] = j;
    }
    let (mut result, mut path) = (Vec::with_capacity(n), Vec::new());
    let mut root = first[n];
    while root != n {
        let follower = next[root];
        path.push(root);
        while let Some(&j) = path.last() {
            let child = std::mem::replace(&mut first[j], n);
            if child == n {
                path.pop();
                result.push(order[j]);
                continue;
            }
            // all children are on the path at once, the first on top
            let from = path.len();
            let mut c = child;
            while c != n {
                path.push(c);
                c = next[c];
            }
            path[from..].reverse();
        }
        root = follower;
    }
    result
}
