//! Sparse factors on the elimination tree, with threads that change no bit.
//!
//!   A = L Lᵀ   or   A = L U with the pattern of L + Lᵀ,    columns of a supernode s have the same rows
//!   A_s ← A_s − Σ_d L_d R_dᵀ  over the descendants d with rows in s,   then s is factorised as a dense panel,   R = L or Uᵀ
//!
//! Subtrees know nothing of each other: threads take them one by one. Above them the panels are cut into tiles of fixed size.
//! Every number is made by the same operations in the same order, whoever makes it.

mod dense;
mod numeric;
mod solve;
mod tree;

pub(crate) use numeric::factorise;
pub(crate) use solve::{SolveMemory, between, solve};
pub(crate) use tree::{Tree, postordered};

use crate::stop::{Stop, requested};
use std::sync::Mutex;

/// Which factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// L Lᵀ of a symmetric positive definite matrix.
    Cholesky,
    /// L U without pivots, L with a unit diagonal.
    Lu,
}

/// Gives each job to one of so many threads, which bring what `tools` makes. Where they are asked to stop jobs are left undone: whoever asked throws
/// the factor away.
fn share<J: Send, T>(jobs: Vec<J>, threads: usize, tools: impl Fn() -> T + Sync, work: impl Fn(&mut T, J) + Sync) {
    let threads = threads.min(jobs.len());
    if threads < 2 {
        let mut own = tools();
        return jobs.into_iter().take_while(|_| !requested()).for_each(|job| work(&mut own, job));
    }
    let queue = Mutex::new(jobs.into_iter());
    let take = || queue.lock().ok().and_then(|mut queue| queue.next()).filter(|_| !requested());
    let until_done = || {
        let mut own = tools();
        while let Some(job) = take() {
            work(&mut own, job);
        }
    };
    let stop = Stop::here();
    let helper = || {
        let _hears = stop.heard();
        until_done();
    };
    std::thread::scope(|scope| {
        let helper = &helper;
        (1..threads).for_each(|_| drop(scope.spawn(helper)));
        until_done();
    });
}
