//! Places in space for the nodes of a graph, so that near nodes lie near each other (landmark scaling, de Silva and Tenenbaum 2004).
//!
//!   d_l(i): steps from landmark l to node i,   B = −½ J D² J over the landmarks = V Λ Vᵀ
//!   x_k(i) = −½ λ_k^{−½} Σ_l V_lk (d_l(i)² − mean over the landmarks of d_l²)

use crate::DenseMatrix;
use crate::dissection::Adjacency;

/// Landmarks; each costs a walk through the graph.
const LANDMARKS: usize = 24;

/// Rounds of averaging over neighbours.
const SMOOTHED: usize = 100;

/// Three coordinates for every node.
pub fn embedded(graph: Adjacency) -> Vec<[f64; 3]> {
    let n = graph.n();
    if n == 0 {
        return Vec::new();
    }
    let (landmarks, distances) = landmarks(graph);
    let m = landmarks.len();
    let squared = |l: usize, i: usize| distances[l][i] * distances[l][i];
    let mean = |l: usize| landmarks.iter().map(|&i| squared(l, i)).sum::<f64>() / m as f64;
    let means: Vec<f64> = (0..m).map(mean).collect();
    let whole = means.iter().sum::<f64>() / m as f64;
    let mut B = DenseMatrix::zeros(m, m);
    for (l, &i) in landmarks.iter().enumerate() {
        (0..m).for_each(|k| B.set(k, l, -0.5 * (squared(k, i) - means[k] - means[l] + whole)));
    }
    let Some((values, vectors)) = B.symmetric_eigen() else { return vec![[0.0; 3]; n] };
    let mut places = vec![[0.0; 3]; n];
    // the eigenvalues rise
    for k in (0..m.min(3)).filter(|&k| values[m - 1 - k] > 1e-9 * values[m - 1].abs()) {
        let factor = -0.5 / values[m - 1 - k].sqrt();
        for (i, place) in places.iter_mut().enumerate() {
            place[k] = factor * (0..m).map(|l| vectors.get(l, m - 1 - k) * (squared(l, i) - means[l])).sum::<f64>();
        }
    }
    smooth(graph, &mut places);
    places
}

/// Brings the coordinates nearer to the slowest modes of the graph, x_i ← ½ x_i + ½ mean of its neighbours, kept orthogonal.
fn smooth(graph: Adjacency, places: &mut [[f64; 3]]) {
    let n = places.len();
    let mut next = places.to_vec();
    for round in 0..SMOOTHED {
        for i in 0..n {
            let near = graph.of(i);
            let share = 0.5 / near.len().max(1) as f64;
            for k in 0..3 {
                next[i][k] = 0.5 * places[i][k] + share * near.iter().map(|&j| places[j][k]).sum::<f64>();
            }
        }
        places.copy_from_slice(&next);
        if round % 10 == 9 {
            orthogonalise(graph, places);
        }
    }
}

/// Unit coordinates orthogonal to the constant and to each other, weighted by the number of neighbours.
fn orthogonalise(graph: Adjacency, places: &mut [[f64; 3]]) {
    let weight = |i: usize| graph.of(i).len().max(1) as f64;
    let whole: f64 = (0..places.len()).map(weight).sum();
    for k in 0..3 {
        let mean = places.iter().enumerate().map(|(i, x)| weight(i) * x[k]).sum::<f64>() / whole;
        places.iter_mut().for_each(|x| x[k] -= mean);
        for j in 0..k {
            let along = places.iter().enumerate().map(|(i, x)| weight(i) * x[j] * x[k]).sum::<f64>();
            places.iter_mut().for_each(|x| x[k] -= along * x[j]);
        }
        let size = places.iter().enumerate().map(|(i, x)| weight(i) * x[k] * x[k]).sum::<f64>().sqrt();
        let factor = if size > 0.0 { 1.0 / size } else { 0.0 };
        places.iter_mut().for_each(|x| x[k] *= factor);
    }
}

/// Nodes that lie far from each other, with the distances of all nodes from each; pieces that are not connected lie apart.
fn landmarks(graph: Adjacency) -> (Vec<usize>, Vec<Vec<f64>>) {
    let n = graph.n();
    let (mut landmarks, mut distances) = (Vec::new(), Vec::new());
    let mut nearest = walk(graph, 0);
    while landmarks.len() < LANDMARKS.min(n) {
        // the farthest from all so far; of equals the first
        let far = (0..n).fold(0, |best, i| if nearest[i] > nearest[best] { i } else { best });
        if landmarks.contains(&far) {
            break;
        }
        let own = walk(graph, far);
        match landmarks.is_empty() {
            // the start of the first walk is no landmark
            true => nearest.clone_from(&own),
            false => nearest.iter_mut().zip(&own).for_each(|(a, b)| *a = a.min(*b)),
        }
        landmarks.push(far);
        distances.push(own);
    }
    (landmarks, distances)
}

/// Steps from a node to every other; more than the longest path where there is no way.
fn walk(graph: Adjacency, from: usize) -> Vec<f64> {
    let mut steps = vec![usize::MAX; graph.n()];
    let mut reached = vec![from];
    steps[from] = 0;
    let mut k = 0;
    while k < reached.len() {
        let i = reached[k];
        k += 1;
        for &j in graph.of(i) {
            if steps[j] == usize::MAX {
                steps[j] = steps[i] + 1;
                reached.push(j);
            }
        }
    }
    let longest = reached.last().map_or(0, |&i| steps[i]);
    steps.into_iter().map(|d| if d == usize::MAX { 2 * (longest + 1) } else { d } as f64).collect()
}
