//! The numbers of a factor: subtrees by threads, then the panels above them tile by tile.

use super::dense::{TILE, factorise_panel};
use super::tree::Tree;
use super::{Kind, share};
use crate::SparseMatrix;
use crate::stop::requested;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use std::sync::Mutex;

/// Operations of a panel for which threads are worth their start.
const WORTH: f64 = 2e7;

/// A supernode that is being made: the columns of L with U's diagonal block in them, and Uᵀ below that block.
pub struct Panel<'a> {
    pub lower: &'a mut [f64],
    pub upper: &'a mut [f64],
}

/// One that is made.
#[derive(Clone, Copy)]
struct Made<'a> {
    lower: &'a [f64],
    upper: &'a [f64],
}

impl<'a> From<Panel<'a>> for Made<'a> {
    fn from(panel: Panel<'a>) -> Self {
        Self { lower: panel.lower, upper: panel.upper }
    }
}

/// What is factorised.
struct Source<'a> {
    tree: &'a Tree,
    A: &'a SparseMatrix,
    kind: Kind,
}

/// Work memory of a thread.
struct Room {
    /// Where a row is in the panel being made.
    at: Vec<u32>,
    /// Places of the rows of a donor.
    local: Vec<u32>,
    product: Vec<f64>,
}

impl Room {
    fn new(n: usize) -> Self {
        Self { at: vec![0; n], local: Vec::new(), product: Vec::new() }
    }
}

/// Columns of a panel that are fed together.
struct Tile<'a> {
    s: usize,
    /// Its first column, of those of the panel.
    first: usize,
    lower: &'a mut [f64],
    upper: &'a mut [f64],
}

/// Factorises A, whose pattern is symmetric, into L and, for LU, Uᵀ; the column at which it fails otherwise.
pub fn factorise(
    tree: &Tree,
    A: &SparseMatrix,
    kind: Kind,
    (lower, upper): (&mut [f64], &mut [f64]),
    threads: usize,
) -> Result<(), usize> {
    let n = tree.nodes().n_supernodes();
    let source = Source { tree, A, kind };
    let mut open: Vec<Option<Panel>> = panels(tree, lower, upper).map(Some).collect();
    let mut made: Vec<Option<Made>> = vec![None; n];

    // subtrees: the large ones first, so that no thread is left with one at the end
    let mut jobs: Vec<(usize, Vec<Panel>)> = Vec::new();
    for (k, subtree) in tree.subtrees.iter().enumerate() {
        jobs.push((k, subtree.nodes.clone().filter_map(|s| open[s].take()).collect()));
    }
    jobs.sort_by_key(|(k, panels)| (std::cmp::Reverse(panels.iter().map(|p| p.lower.len()).sum::<usize>()), *k));
    let done = Mutex::new(Vec::new());
    share(
        jobs,
        threads,
        || Room::new(A.n_rows()),
        |room, (k, panels)| {
            let result = source.subtree(k, panels, room);
            if let Ok(mut done) = done.lock() {
                done.push((k, result));
            }
        },
    );
    let mut failed: Option<usize> = None;
    for (k, result) in done.into_inner().unwrap_or_default() {
        match result {
            Ok(panels) => {
                let nodes = tree.subtrees[k].nodes.clone();
                made[nodes].iter_mut().zip(panels).for_each(|(made, panel)| *made = Some(panel));
            }
            Err(column) => failed = Some(failed.map_or(column, |other| other.min(column))),
        }
    }
    if let Some(column) = failed {
        return Err(column);
    }

    for level in &tree.levels {
        let panels: Vec<(usize, Panel)> = level.iter().filter_map(|&s| Some((s, open[s].take()?))).collect();
        for (s, panel) in source.level(panels, &made, threads)? {
            made[s] = Some(panel);
        }
    }
    Ok(())
}

/// The numbers of each supernode, zeroed by the caller.
fn panels<'a>(tree: &Tree, lower: &'a mut [f64], upper: &'a mut [f64]) -> impl Iterator<Item = Panel<'a>> {
    let lengths: Vec<(usize, usize)> = (0..tree.nodes().n_supernodes())
        .map(|s| (tree.lower(s).len(), if upper.is_empty() { 0 } else { tree.upper(s).len() }))
        .collect();
    let (mut lower, mut upper) = (lower, upper);
    lengths.into_iter().map(move |(below, above)| {
        let (own_lower, rest) = std::mem::take(&mut lower).split_at_mut(below);
        lower = rest;
        let (own_upper, rest) = std::mem::take(&mut upper).split_at_mut(above);
        upper = rest;
        Panel { lower: own_lower, upper: own_upper }
    })
}

/// Cuts a panel into tiles of columns.
fn tiles<'a>(s: usize, columns: usize, panel: &'a mut Panel) -> Vec<Tile<'a>> {
    let (rows, below) = (panel.lower.len() / columns, panel.upper.len() / columns);
    let (mut lower, mut upper) = (&mut *panel.lower, &mut *panel.upper);
    let mut list = Vec::new();
    for first in (0..columns).step_by(TILE) {
        let width = TILE.min(columns - first);
        let (own, rest) = lower.split_at_mut(width * rows);
        lower = rest;
        let (own_upper, rest) = upper.split_at_mut(width * below);
        upper = rest;
        list.push(Tile { s, first, lower: own, upper: own_upper });
    }
    list
}

impl Source<'_> {
    /// All panels of a subtree.
    fn subtree<'a>(&self, k: usize, panels: Vec<Panel<'a>>, room: &mut Room) -> Result<Vec<Made<'a>>, usize> {
        let nodes = self.tree.subtrees[k].nodes.clone();
        let mut made: Vec<Made> = Vec::with_capacity(panels.len());
        for (s, mut panel) in nodes.clone().zip(panels) {
            for tile in tiles(s, self.tree.columns(s).len(), &mut panel) {
                self.gather(tile, |d| made.get(d - nodes.start).copied(), room);
            }
            self.eliminate(s, &mut panel, 1)?;
            made.push(panel.into());
        }
        Ok(made)
    }

    /// The panels of a level: all their tiles side by side, then small panels side by side, then large ones by all threads.
    fn level<'a>(
        &self,
        mut panels: Vec<(usize, Panel<'a>)>,
        made: &[Option<Made>],
        threads: usize,
    ) -> Result<Vec<(usize, Made<'a>)>, usize> {
        let columns = |s: usize| self.tree.columns(s).len();
        let jobs: Vec<Tile> = panels.iter_mut().flat_map(|(s, panel)| tiles(*s, columns(*s), panel)).collect();
        share(jobs, threads, || Room::new(self.A.n_rows()), |room, tile| self.gather(tile, |d| made[d], room));

        let work = |s: usize| (columns(s) * columns(s)) as f64 * (columns(s) + self.tree.rows(s).len()) as f64;
        let all: f64 = panels.iter().map(|(s, _)| work(*s)).sum();
        let alone = |s: usize| work(s) > WORTH && work(s) * threads as f64 > 0.5 * all;
        let failed = Mutex::new(None::<usize>);
        let note = |result: Result<(), usize>| {
            if let (Err(column), Ok(mut failed)) = (result, failed.lock()) {
                *failed = Some(failed.map_or(column, |other| other.min(column)));
            }
        };
        let small: Vec<_> = panels.iter_mut().filter(|(s, _)| !alone(*s)).collect();
        share(small, if all > WORTH { threads } else { 1 }, || (), |(), (s, panel)| note(self.eliminate(*s, panel, 1)));
        for (s, panel) in panels.iter_mut().filter(|(s, _)| alone(*s)) {
            note(self.eliminate(*s, panel, threads));
        }
        match failed.into_inner().unwrap_or_default() {
            Some(column) => Err(column),
            None => Ok(panels.into_iter().map(|(s, panel)| (s, panel.into())).collect()),
        }
    }

    fn eliminate(&self, s: usize, panel: &mut Panel, threads: usize) -> Result<(), usize> {
        let columns = self.tree.columns(s);
        if requested() {
            return Ok(());
        }
        let made = factorise_panel(self.kind, columns.len(), panel, threads);
        // of what was left undone no pivot is told
        if requested() { Ok(()) } else { made.map_err(|column| columns.start + column) }
    }

    /// The columns of A in a tile, less what the descendants of its supernode take.
    fn gather<'m>(&self, mut tile: Tile, made: impl Fn(usize) -> Option<Made<'m>>, room: &mut Room) {
        if requested() {
            return;
        }
        let (columns, rows) = (self.tree.columns(tile.s), self.tree.rows(tile.s));
        let height = columns.len() + rows.len();
        let width = tile.lower.len() / height;
        rows.iter().enumerate().for_each(|(k, &row)| room.at[row] = (columns.len() + k) as u32);
        self.place_columns(&mut tile, width, &room.at);

        let from = columns.start + tile.first;
        for d in self.tree.donors(tile.s) {
            let pattern = self.tree.rows(d);
            let below = |row: usize| pattern.partition_point(|&other| other < row);
            let (a, b) = (below(from), below(from + width));
            let (Some(donor), true) = (made(d), b > a) else { continue };
            let inner = self.tree.columns(d).len();
            let lower = MatRef::from_column_major_slice(donor.lower, inner + pattern.len(), inner);
            let lower = lower.subrows(inner, pattern.len());
            let target: Vec<usize> = pattern[a..b].iter().map(|&row| row - from).collect();
            let mut take = |left: MatRef<f64>,
                            right: MatRef<f64>,
                            first: usize,
                            (to, stride, shift): (&mut [f64], usize, usize)| {
                let rows = &pattern[first..];
                room.local.clear();
                let place = |&row: &usize| if row < columns.end { (row - columns.start) as u32 } else { room.at[row] };
                room.local.extend(rows.iter().map(|row| place(row) - shift as u32));
                room.product.resize(rows.len() * target.len(), 0.0);
                let product = &mut room.product[..rows.len() * target.len()];
                let mut view = MatMut::from_column_major_slice_mut(product, rows.len(), target.len());
                matmul(&mut view, Accum::Replace, left, right.transpose(), 1.0, Par::Seq);
                for (&column, product) in target.iter().zip(product.chunks_exact(rows.len().max(1))) {
                    let to = &mut to[column * stride..(column + 1) * stride];
                    room.local.iter().zip(product).for_each(|(&i, x)| to[i as usize] -= x);
                }
            };
            match self.kind {
                Kind::Cholesky => {
                    let rows = pattern.len() - a;
                    take(lower.subrows(a, rows), lower.subrows(a, b - a), a, (&mut *tile.lower, height, 0));
                }
                Kind::Lu => {
                    let upper = MatRef::from_column_major_slice(donor.upper, pattern.len(), inner);
                    let (own, beyond) = (below(columns.start), below(columns.end));
                    take(
                        lower.subrows(own, pattern.len() - own),
                        upper.subrows(a, b - a),
                        own,
                        (&mut *tile.lower, height, 0),
                    );
                    let left = upper.subrows(beyond, pattern.len() - beyond);
                    take(left, lower.subrows(a, b - a), beyond, (&mut *tile.upper, rows.len(), columns.len()));
                }
            }
        }
    }

    /// A itself in the columns of a tile; `at` says where rows below the diagonal block go.
    fn place_columns(&self, tile: &mut Tile, width: usize, at: &[u32]) {
        let (columns, below) = (self.tree.columns(tile.s), self.tree.rows(tile.s).len());
        let height = columns.len() + below;
        let order = self.tree.order();
        let unknown = |k: usize| order.map_or(k, |(unknowns, _)| unknowns[k]);
        for k in 0..width {
            let j = columns.start + tile.first + k;
            let (rows, values) = self.A.column(unknown(j));
            for (&row, &x) in rows.iter().zip(values) {
                let i = order.map_or(row, |(_, places)| places[row]);
                let within = self.kind == Kind::Cholesky && i >= j || self.kind == Kind::Lu && i >= columns.start;
                if !within {
                    continue;
                }
                if i < columns.end {
                    tile.lower[k * height + i - columns.start] += x;
                    continue;
                }
                let place = at[i] as usize;
                tile.lower[k * height + place] += x;
                if self.kind == Kind::Lu {
                    tile.upper[k * below + place - columns.len()] += self.A.get(unknown(j), row);
                }
            }
        }
    }
}
