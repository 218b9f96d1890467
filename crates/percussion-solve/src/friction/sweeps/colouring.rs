//! Contacts by colour: those of one colour do not feel each other, W_ij = 0.
//!
//! Greedy, in natural order, each contact taking the smallest colour its neighbours leave. Visited colour by colour, a
//! sweep of Gauss–Seidel does not depend on the order inside a colour, and those contacts may be solved side by side.

use percussion_matrix::BlockMatrix;

/// All contacts, sorted by colour and by number inside each; and where each colour begins, with the end.
pub(crate) fn by_colour(W: &BlockMatrix) -> (Vec<u32>, Vec<usize>) {
    let n = W.n_blocks();
    let (row_ptr, col_idx) = (W.row_ptr(), W.col_idx());
    // a nonsymmetric pattern: neighbours by row and by column
    let mut columns = vec![Vec::new(); n];
    for i in 0..n {
        for &j in &col_idx[row_ptr[i]..row_ptr[i + 1]] {
            columns[j as usize].push(i);
        }
    }
    const NONE: usize = usize::MAX;
    let mut colour = vec![NONE; n];
    // the contact that last saw each colour among its neighbours
    let mut seen: Vec<usize> = Vec::new();
    for i in 0..n {
        let neighbours =
            col_idx[row_ptr[i]..row_ptr[i + 1]].iter().map(|&j| j as usize).chain(columns[i].iter().copied());
        for j in neighbours {
            if colour[j] != NONE {
                seen[colour[j]] = i;
            }
        }
        let free = seen.iter().position(|&last| last != i).unwrap_or(seen.len());
        if free == seen.len() {
            seen.push(NONE);
        }
        colour[i] = free;
    }
    let mut starts = vec![0; seen.len() + 1];
    for &c in &colour {
        starts[c + 1] += 1;
    }
    for c in 0..seen.len() {
        starts[c + 1] += starts[c];
    }
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.sort_by_key(|&i| colour[i as usize]);
    (order, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of 7 contacts needs 3 colours, and no two neighbours share one; every contact appears once.
    #[test]
    fn neighbours_differ() {
        let n = 7;
        let one = [1.0, 0.0, 0.0, 1.0];
        let mut blocks: Vec<(usize, usize, &[f64])> = Vec::new();
        for i in 0..n {
            blocks.push((i, i, &one));
            // the pattern need not be symmetric
            blocks.push((i, (i + 1) % n, &one));
        }
        let W = BlockMatrix::from_blocks(2, n, &blocks).unwrap();
        let (order, starts) = by_colour(&W);
        assert_eq!(starts.len(), 4);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..n as u32).collect::<Vec<_>>());
        for c in 0..3 {
            let members = &order[starts[c]..starts[c + 1]];
            for &i in members {
                assert!(!members.contains(&((i + 1) % n as u32)));
            }
        }
    }
}
