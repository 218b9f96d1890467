//! Equilibrium of a structure under dead loads by Newton's method, the load raised in steps.

use crate::band::Band;
use crate::structure::{Load, Structure};
use percussion_model::bodies::math::{mul_t, skew};
use percussion_model::bodies::measure::{BodyRow, Passage};
use percussion_model::flexible::cayley;

/// Moves the structure into equilibrium; the number of iterations.
pub fn settle(s: &mut Structure, loads: &[Load], load_steps: usize) -> usize {
    let first: Vec<Option<usize>> = s
        .nodes
        .iter()
        .scan(0, |n, node| {
            let at = *n;
            *n += if node.is_free() { 6 } else { 0 };
            Some(node.is_free().then_some(at))
        })
        .collect();
    let n = 6 * first.iter().flatten().count();
    let apart = |l: &[usize; 2]| match (first[l[0]], first[l[1]]) {
        (Some(a), Some(b)) => a.abs_diff(b) + 5,
        _ => 5,
    };
    let mut band = Band::new(n, s.links.iter().map(|l| apart(&l.nodes)).max().unwrap());
    let mut total = 0;
    for load_step in 1..=load_steps {
        let part = load_step as f64 / load_steps as f64;
        for iteration in 1.. {
            let passages: Vec<Passage> = s.nodes.iter().map(|n| Passage::resting(&n.frame)).collect();
            let mut r = vec![0.0; n];
            band.clear();
            for link in &s.links {
                let [a, b] = link.nodes;
                let (step, K) = link.element.with_tangent(&passages[a], &passages[b], 0.0, Some(&link.stress));
                for i in 0..2 {
                    let Some(at) = first[link.nodes[i]] else { continue };
                    for k in 0..6 {
                        r[at + k] += step.force[i][k];
                    }
                    for j in 0..2 {
                        let Some(to) = first[link.nodes[j]] else { continue };
                        for k in 0..6 {
                            for c in 0..6 {
                                // both ends of the passage move
                                band.add(at + k, to + c, 2.0 * K[i][j][k][c]);
                            }
                        }
                    }
                }
            }
            for load in loads {
                let Some(at) = first[load.node] else { continue };
                let m = mul_t(&s.nodes[load.node].frame.R, &load.moment);
                let own = skew(&m);
                for k in 0..3 {
                    r[at + k] -= part * load.force[k];
                    r[at + 3 + k] -= part * m[k];
                    for c in 0..3 {
                        band.add(at + 3 + k, at + 3 + c, -part * own[k][c]);
                    }
                }
            }
            band.solve(&mut r);
            total += 1;
            let moved: Vec<BodyRow> =
                first.iter().map(|at| at.map_or([0.0; 6], |at| std::array::from_fn(|k| -r[at + k]))).collect();
            for link in &mut s.links {
                let [a, b] = link.nodes;
                let step = link.element.over_step(&passages[a], &passages[b], 0.0);
                let twice = [moved[a].map(|x| 2.0 * x), moved[b].map(|x| 2.0 * x)];
                link.stress = link.element.predicted_stress(&step, &passages[a], &passages[b], 0.0, &twice);
            }
            for (node, d) in s.nodes.iter_mut().zip(&moved) {
                node.frame = cayley::advanced(&node.frame, &[d[0], d[1], d[2]], &[d[3], d[4], d[5]]);
            }
            let size = r.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
            let scale = s.nodes.iter().flat_map(|n| n.frame.x).fold(1.0_f64, |s, x| s.max(x.abs()));
            if size < 1e-13 * scale {
                break;
            }
            assert!(iteration < 60 && size.is_finite(), "no equilibrium at part {part}: {size:e}");
            // round-off of stiff beams
            if iteration > 15 && size < 1e-10 * scale {
                break;
            }
        }
    }
    total
}
