//! Runge–Kutta tables: explicit of order 2, 3, 4, 5 and 8, Radau IIA of order 1, 3 and 5.
//!
//!   Y_i = y + h Σ_j a_ij f(t + c_j h, Y_j),    y⁺ = y + h Σ_i b_i f(t + c_i h, Y_i)
//!
//! Order p means Φ(τ) = 1/γ(τ) for every rooted tree τ with at most p nodes; the tests at the end ask all of them.

use percussion_matrix::math;

/// One table.
#[derive(Clone, Debug, PartialEq)]
pub struct Tableau {
    /// p.
    pub order: usize,
    /// Number of stages s.
    pub stages: usize,
    /// a_ij, row by row, s × s.
    pub a: Vec<f64>,
    /// b_i.
    pub b: Vec<f64>,
    /// c_i.
    pub c: Vec<f64>,
    /// b_i − b̂_i against an embedded formula of order p − 1; the entry after the last belongs to f(t + h, y⁺). Empty where
    /// there is none.
    pub error: Vec<f64>,
}

impl Tableau {
    /// From the rows of a and from b; c are the row sums.
    fn new(order: usize, rows: &[&[f64]], b: &[f64]) -> Self {
        let s = b.len();
        let mut a = vec![0.0; s * s];
        for (i, row) in rows.iter().enumerate() {
            a[i * s..i * s + row.len()].copy_from_slice(row);
        }
        let c = (0..s).map(|i| a[i * s..(i + 1) * s].iter().sum()).collect();
        Self { order, stages: s, a, b: b.to_vec(), c, error: Vec::new() }
    }

    /// Row i of a.
    #[inline]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.a[i * self.stages..(i + 1) * self.stages]
    }

    /// The explicit table of an order: midpoint, Kutta's third, the classical fourth, Dormand–Prince 5(4), Cooper–Verner 8.
    pub fn explicit(order: usize) -> Option<Self> {
        Some(match order {
            2 => Self::new(2, &[&[], &[0.5]], &[0.0, 1.0]),
            3 => Self::new(3, &[&[], &[0.5], &[-1.0, 2.0]], &[1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0]),
            4 => {
                let b = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
                Self::new(4, &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]], &b)
            }
            5 => dormand_prince(),
            8 => cooper_verner(),
            _ => return None,
        })
    }

    /// Radau IIA of order 2s − 1.
    pub fn radau(order: usize) -> Option<Self> {
        let r = 6.0_f64.sqrt();
        Some(match order {
            1 => Self::new(1, &[&[1.0]], &[1.0]),
            3 => Self::new(3, &[&[5.0 / 12.0, -1.0 / 12.0], &[0.75, 0.25]], &[0.75, 0.25]),
            5 => {
                let b = [(16.0 - r) / 36.0, (16.0 + r) / 36.0, 1.0 / 9.0];
                let rows: [&[f64]; 3] = [
                    &[(88.0 - 7.0 * r) / 360.0, (296.0 - 169.0 * r) / 1800.0, (-2.0 + 3.0 * r) / 225.0],
                    &[(296.0 + 169.0 * r) / 1800.0, (88.0 + 7.0 * r) / 360.0, (-2.0 - 3.0 * r) / 225.0],
                    &b,
                ];
                Self::new(5, &rows, &b)
            }
            _ => return None,
        })
    }

    /// The largest z for which |R(iz')| ≤ growth on all of [0, z]: oscillations with hω beyond it grow by more in every step.
    pub fn oscillation_limit(&self, growth: f64) -> f64 {
        self.limit((0.0, 1.0), growth)
    }

    /// The largest z for which |R(−z')| ≤ growth on all of [0, z].
    pub fn decay_limit(&self, growth: f64) -> f64 {
        self.limit((-1.0, 0.0), growth)
    }

    /// How far |R| ≤ growth along a direction of the complex plane; for explicit tables.
    fn limit(&self, (re, im): (f64, f64), growth: f64) -> f64 {
        let mut z = 0.0;
        while z < 100.0 && self.amplification((z + 0.01) * re, (z + 0.01) * im) <= growth {
            z += 0.01;
        }
        z
    }

    /// |R(x)|, R(x) = 1 + x bᵀ(I − xA)⁻¹1 summed stage by stage.
    fn amplification(&self, x: f64, y: f64) -> f64 {
        let mut k: Vec<(f64, f64)> = Vec::with_capacity(self.stages);
        let combine = |weights: &[f64], k: &[(f64, f64)]| {
            let (mut re, mut im) = (1.0, 0.0);
            for (w, k) in weights.iter().zip(k) {
                (re, im) = (re + w * k.0, im + w * k.1);
            }
            (re, im)
        };
        for i in 0..self.stages {
            let (re, im) = combine(self.row(i), &k);
            k.push((x * re - y * im, x * im + y * re));
        }
        let (re, im) = combine(&self.b, &k);
        math::hypot(re, im)
    }
}

/// Dormand and Prince (1980), order 5 with an embedded one of order 4 that uses f at the end.
fn dormand_prince() -> Tableau {
    let b = [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0];
    let rows: [&[f64]; 6] = [
        &[],
        &[0.2],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
        &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
        &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    ];
    let mut tableau = Tableau::new(5, &rows, &b);
    tableau.error =
        vec![71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339_200.0, 22.0 / 525.0, -1.0 / 40.0];
    tableau
}

/// Cooper and Verner (1972), order 8 in eleven stages, coefficients in ℚ(√21).
fn cooper_verner() -> Tableau {
    let s = 21.0_f64.sqrt();
    let rows: [&[f64]; 11] = [
        &[],
        &[0.5],
        &[0.25, 0.25],
        &[1.0 / 7.0, (-7.0 - 3.0 * s) / 98.0, (21.0 + 5.0 * s) / 49.0],
        &[(11.0 + s) / 84.0, 0.0, (18.0 + 4.0 * s) / 63.0, (21.0 - s) / 252.0],
        &[(5.0 + s) / 48.0, 0.0, (9.0 + s) / 36.0, (-231.0 + 14.0 * s) / 360.0, (63.0 - 7.0 * s) / 80.0],
        &[
            (10.0 - s) / 42.0,
            0.0,
            (-432.0 + 92.0 * s) / 315.0,
            (633.0 - 145.0 * s) / 90.0,
            (-504.0 + 115.0 * s) / 70.0,
            (63.0 - 13.0 * s) / 35.0,
        ],
        &[1.0 / 14.0, 0.0, 0.0, 0.0, (14.0 - 3.0 * s) / 126.0, (13.0 - 3.0 * s) / 63.0, 1.0 / 9.0],
        &[
            1.0 / 32.0,
            0.0,
            0.0,
            0.0,
            (91.0 - 21.0 * s) / 576.0,
            11.0 / 72.0,
            (-385.0 - 75.0 * s) / 1152.0,
            (63.0 + 13.0 * s) / 128.0,
        ],
        &[
            1.0 / 14.0,
            0.0,
            0.0,
            0.0,
            1.0 / 9.0,
            (-733.0 - 147.0 * s) / 2205.0,
            (515.0 + 111.0 * s) / 504.0,
            (-51.0 - 11.0 * s) / 56.0,
            (132.0 + 28.0 * s) / 245.0,
        ],
        &[
            0.0,
            0.0,
            0.0,
            0.0,
            (-42.0 + 7.0 * s) / 18.0,
            (-18.0 + 28.0 * s) / 45.0,
            (-273.0 - 53.0 * s) / 72.0,
            (301.0 + 53.0 * s) / 72.0,
            (28.0 - 28.0 * s) / 45.0,
            (49.0 - 7.0 * s) / 18.0,
        ],
    ];
    let b = [0.05, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 49.0 / 180.0, 16.0 / 45.0, 49.0 / 180.0, 0.05];
    Tableau::new(8, &rows, &b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rooted tree: the numbers of its subtrees in the list of all trees, largest first.
    struct Tree {
        nodes: usize,
        children: Vec<usize>,
    }

    /// Every rooted tree with at most `most` nodes; children come before their parents in the list.
    fn trees(most: usize) -> Vec<Tree> {
        let mut list = vec![Tree { nodes: 1, children: vec![] }];
        for nodes in 2..=most {
            let mut found: Vec<Vec<usize>> = Vec::new();
            forests(&list, nodes - 1, list.len(), &mut Vec::new(), &mut found);
            list.extend(found.into_iter().map(|children| Tree { nodes, children }));
        }
        list
    }

    /// Multisets of trees with so many nodes in all, numbers not rising.
    fn forests(list: &[Tree], left: usize, below: usize, chosen: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
        if left == 0 {
            found.push(chosen.clone());
            return;
        }
        for k in (0..below).filter(|&k| list[k].nodes <= left) {
            chosen.push(k);
            forests(list, left - list[k].nodes, k + 1, chosen, found);
            chosen.pop();
        }
    }

    /// The largest |Φ(τ) − 1/γ(τ)| over the trees with at most p nodes.
    fn defect(tableau: &Tableau, weights: &[f64], p: usize) -> f64 {
        let s = tableau.stages;
        let list = trees(p);
        let (mut stage, mut gamma): (Vec<Vec<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut worst = 0.0_f64;
        for tree in &list {
            // u_i = Π over the subtrees of (A u_subtree)_i
            let u: Vec<f64> = (0..s)
                .map(|i| {
                    let along = |k: &usize| (0..s).map(|j| tableau.a[i * s + j] * stage[*k][j]).sum::<f64>();
                    tree.children.iter().map(along).product()
                })
                .collect();
            let g = tree.nodes as f64 * tree.children.iter().map(|&k| gamma[k]).product::<f64>();
            let phi: f64 = weights.iter().zip(&u).map(|(b, u)| b * u).sum();
            worst = worst.max((phi - 1.0 / g).abs());
            stage.push(u);
            gamma.push(g);
        }
        worst
    }

    #[test]
    fn the_number_of_trees() {
        let list = trees(8);
        let count = |n: usize| list.iter().filter(|tree| tree.nodes == n).count();
        assert_eq!((1..=8).map(count).collect::<Vec<_>>(), [1, 1, 2, 4, 9, 20, 48, 115]);
    }

    /// Each table has its order and no more: all conditions up to p, not all of order p + 1.
    #[test]
    fn order_conditions() {
        let explicit = [2, 3, 4, 5, 8].map(|p| Tableau::explicit(p).expect("a table"));
        let radau = [1, 3, 5].map(|p| Tableau::radau(p).expect("a table"));
        for tableau in explicit.iter().chain(&radau) {
            let p = tableau.order;
            let (within, beyond) = (defect(tableau, &tableau.b, p), defect(tableau, &tableau.b, p + 1));
            println!("order {p}, {} stages: {within:.1e}, next {beyond:.1e}", tableau.stages);
            assert!(within < 2e-14 && beyond > 1e-6, "order {p}: {within:e}, next {beyond:e}");
        }
        for tableau in &radau {
            assert_eq!(tableau.row(tableau.stages - 1), &tableau.b[..], "stiffly accurate");
        }
    }

    /// The embedded formula of Dormand and Prince has order 4: b̂ = b − error with the end as a seventh stage.
    #[test]
    fn embedded_order() {
        let dp = Tableau::explicit(5).expect("a table");
        let s = dp.stages;
        let mut rows: Vec<Vec<f64>> = (0..s).map(|i| dp.row(i).to_vec()).collect();
        rows.push(dp.b.clone());
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let low: Vec<f64> = (0..=s).map(|i| dp.b.get(i).unwrap_or(&0.0) - dp.error[i]).collect();
        let extended = Tableau::new(4, &rows, &low);
        assert!(defect(&extended, &low, 4) < 1e-15 && defect(&extended, &low, 5) > 1e-6);
    }

    /// Known limits on the imaginary axis: √3 for order 3 and 2√2 for order 4 with |R| ≤ 1; a little more with 1.1.
    #[test]
    fn oscillation_limits() {
        let limit = |p| Tableau::explicit(p).expect("a table").oscillation_limit(1.1);
        assert!((1.7..2.0).contains(&limit(3)) && (2.8..3.0).contains(&limit(4)), "{} {}", limit(3), limit(4));
        let decay = Tableau::explicit(4).expect("a table").decay_limit(1.1);
        assert!((2.78..2.9).contains(&decay), "{decay}");
    }
}
