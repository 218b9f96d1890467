//! Finite deformation: derivatives against differences, work over a step, momenta, and gaps that are exact over a step.

use crate::common::*;
use percussion_matrix::Matrix;
use percussion_model::solid::element::ElementKind;
use percussion_model::solid::finite::{FaceGap, FiniteSolid, Law, SegmentGap};
use percussion_model::solid::{Section, Solid, SolidMass};

type Vec3 = [f64; 3];

/// Central differences of order eight: how many steps to either side, and their weights.
const EIGHTH: [(f64, f64); 4] = [(1.0, 4.0 / 5.0), (2.0, -1.0 / 5.0), (3.0, 4.0 / 105.0), (4.0, -1.0 / 280.0)];

const LAWS: [Law; 2] = [Law::SaintVenantKirchhoff, Law::NeoHookean];

fn meshes() -> Vec<(Solid, Section)> {
    let plane_kinds = [ElementKind::Tri3, ElementKind::Tri6, ElementKind::Quad4];
    let space_kinds = [ElementKind::Tet4, ElementKind::Tet10, ElementKind::Hex8];
    let mut list = Vec::new();
    for kind in plane_kinds {
        for section in [STRAIN, Section::Axisymmetric] {
            let mesh = plane("solid", [2, 2], kind, |x, y| [1.0 + x + 0.1 * x * y, y]);
            list.push((Solid::new(free(mesh, section, SolidMass::Lumped)).expect("a solid"), section));
        }
    }
    for kind in space_kinds {
        let mesh = space("solid", [1, 1, 2], kind, |[x, y, z]| [x + 0.1 * y * z, y, 2.0 * z]);
        list.push((Solid::new(free(mesh, Section::Space, SolidMass::Lumped)).expect("a solid"), Section::Space));
    }
    list
}

/// Places of the nodes, moved by up to `size`, and turned by an angle where nothing forbids it.
fn moved(solid: &Solid, size: f64, angle: f64, seed: u64) -> Vec<Vec3> {
    let mut dice = Dice(seed);
    let d = solid.coordinates().dimension();
    let (c, s) = (angle.cos(), angle.sin());
    let place = |X: &Vec3| {
        let mut x = *X;
        x[..d].iter_mut().for_each(|x| *x += size * dice.next());
        if angle != 0.0 { [c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]] } else { x }
    };
    solid.matter().X.iter().map(place).collect()
}

fn gathered(solid: &Solid, x: &[Vec3]) -> Vec<f64> {
    solid.coordinates().gather(x)
}

/// Forces are the gradient of the energy (differences of order eight, 1e-10), and at rest the tangent is Hooke's stiffness.
#[test]
fn forces_are_gradients() {
    let mut worst = 0.0_f64;
    for (solid, section) in meshes() {
        for law in LAWS {
            let finite = FiniteSolid::new(&solid, &[law]).expect("a law");
            let x = moved(&solid, 0.08, 0.0, 7);
            let mut f = vec![[0.0; 3]; x.len()];
            finite.force(&x, &x, &mut f, 1).expect("no element is inside out");
            let size = f.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
            let delta = 1e-3;
            for i in 0..x.len() {
                for k in 0..solid.coordinates().dimension() {
                    let V = |steps: f64| {
                        let mut y = x.clone();
                        y[i][k] += steps * delta;
                        finite.energy(&y, 1).expect("no element is inside out")
                    };
                    let slope = EIGHTH.map(|(steps, c)| c * (V(steps) - V(-steps)) / delta).iter().sum::<f64>();
                    worst = worst.max((slope - f[i][k]).abs() / size);
                    assert!((slope - f[i][k]).abs() <= 1e-10 * size, "{law:?} {section:?}: {slope} {}", f[i][k]);
                }
            }
            // at rest K is halved: over a step only x₁ moves
            let X = &solid.matter().X;
            let K = Matrix::Sparse(finite.tangent(X, X, 1).expect("at rest"));
            let hooke = Matrix::Sparse(solid.stiffness().clone());
            let rest = Matrix::combination(K.n_rows(), &[(2.0, &K), (-1.0, &hooke)]);
            assert!(rest.max_abs() <= 1e-13 * hooke.max_abs(), "{law:?} {section:?}: {:e}", rest.max_abs());
            let mut f = vec![[0.0; 3]; X.len()];
            finite.force(X, X, &mut f, 1).expect("at rest");
            // round-off of places of some metres times the stiffness
            assert!(f.iter().flatten().all(|x| x.abs() <= 1e-14 * hooke.max_abs()));
        }
    }
    eprintln!("forces against differences: {worst:.1e}");
}

/// f·Δx = V₁ − V₀ over large and small steps, without net force, and about no axis without net moment.
#[test]
fn work_over_a_step_is_the_change_of_energy() {
    let (mut work, mut momentum) = (0.0_f64, 0.0_f64);
    for (solid, section) in meshes() {
        for law in LAWS {
            let finite = FiniteSolid::new(&solid, &[law]).expect("a law");
            for (step, turn) in [(0.1, 0.0), (0.1, 1.0), (1e-3, 0.01), (1e-6, 0.0)] {
                let turn = if section.has_rings() { 0.0 } else { turn };
                let x0 = moved(&solid, 0.05, 0.4 * turn, 3);
                let mut x1 = moved(&solid, 0.05, 1.4 * turn, 3);
                let mut dice = Dice(9);
                let d = solid.coordinates().dimension();
                x1.iter_mut().for_each(|x| x[..d].iter_mut().for_each(|x| *x += step * dice.next()));
                let mut f = vec![[0.0; 3]; x0.len()];
                finite.force(&x0, &x1, &mut f, 1).expect("no element is inside out");
                let (V0, V1) = (finite.energy(&x0, 1).expect("V"), finite.energy(&x1, 1).expect("V"));
                let done: f64 = (0..f.len())
                    .flat_map(|i| (0..3).map(move |k| (i, k)))
                    .map(|(i, k)| f[i][k] * (x1[i][k] - x0[i][k]))
                    .sum();
                work = work.max((done - (V1 - V0)).abs() / (V0 + V1));
                let size: f64 = f.iter().flatten().map(|x| x.abs()).sum();
                let mut sums = [0.0; 6];
                for i in 0..f.len() {
                    let x = [0, 1, 2].map(|k| 0.5 * (x0[i][k] + x1[i][k]));
                    (0..3).for_each(|k| sums[k] += f[i][k]);
                    (0..3).for_each(|k| {
                        sums[3 + k] += x[(k + 1) % 3] * f[i][(k + 2) % 3] - x[(k + 2) % 3] * f[i][(k + 1) % 3]
                    });
                }
                let kept: &[usize] = match section {
                    Section::Axisymmetric => &[1],
                    Section::Space | Section::Strain { .. } | Section::Stress { .. } => &[0, 1, 2, 3, 4, 5],
                };
                kept.iter().for_each(|&k| momentum = momentum.max(sums[k].abs() / size));
            }
        }
    }
    eprintln!("work − ΔV: {work:.1e} of V, momenta {momentum:.1e}");
    assert!(work <= 1e-12 && momentum <= 1e-14);
}

/// The tangent of the force over a step, against differences of order eight (1e-10 of its largest entry).
#[test]
fn tangent_over_a_step() {
    let mut worst = 0.0_f64;
    for (solid, section) in meshes() {
        for law in LAWS {
            let finite = FiniteSolid::new(&solid, &[law]).expect("a law");
            let (x0, x1) = (moved(&solid, 0.06, 0.0, 3), moved(&solid, 0.08, 0.0, 4));
            let K = Matrix::Sparse(finite.tangent(&x0, &x1, 1).expect("a tangent"));
            let d = solid.coordinates().dimension();
            let delta = 1e-3;
            for (i, k) in [(0, 0), (1, 1), (x0.len() - 1, d - 1), (x0.len() / 2, 0)] {
                let force = |steps: f64| {
                    let mut y = x1.clone();
                    y[i][k] += steps * delta;
                    let mut f = vec![[0.0; 3]; y.len()];
                    finite.force(&x0, &y, &mut f, 1).expect("no element is inside out");
                    gathered(&solid, &f)
                };
                let mut slope = vec![0.0; K.n_rows()];
                for (steps, c) in EIGHTH {
                    let (ahead, behind) = (force(steps), force(-steps));
                    (0..slope.len()).for_each(|row| slope[row] += c * (ahead[row] - behind[row]) / delta);
                }
                for (row, slope) in slope.iter().enumerate() {
                    let entry = K.get(row, d * i + k);
                    worst = worst.max((slope - entry).abs() / K.max_abs());
                    assert!((slope - entry).abs() <= 1e-10 * K.max_abs(), "{law:?} {section:?}: {slope} {entry}");
                }
            }
        }
    }
    eprintln!("tangents against differences: {worst:.1e}");
}

/// A neo-Hookean element turned inside out has no energy, and says so.
#[test]
fn inside_out_is_an_answer() {
    let mesh = plane("solid", [1, 1], ElementKind::Tri3, |x, y| [x, y]);
    let solid = Solid::new(free(mesh, STRAIN, SolidMass::Lumped)).expect("a solid");
    let finite = FiniteSolid::new(&solid, &[Law::NeoHookean]).expect("a law");
    let flat: Vec<Vec3> = solid.matter().X.iter().map(|x| [x[0], 0.0, 0.0]).collect();
    assert_eq!(finite.energy(&flat, 1), None);
}

fn total(rows: &[Vec3]) -> f64 {
    (0..3).map(|k| rows.iter().map(|r| r[k]).sum::<f64>().abs()).fold(0.0, f64::max)
}

fn moment(rows: &[Vec3], x: &[Vec3]) -> f64 {
    let component = |k: usize| {
        let (a, b) = ((k + 1) % 3, (k + 2) % 3);
        rows.iter().zip(x).map(|(r, x)| x[a] * r[b] - x[b] * r[a]).sum::<f64>().abs()
    };
    (0..3).map(component).fold(0.0, f64::max)
}

fn work(rows: &[Vec3], x0: &[Vec3], x1: &[Vec3]) -> f64 {
    rows.iter().zip(x0.iter().zip(x1)).map(|(r, (a, b))| (0..3).map(|k| r[k] * (b[k] - a[k])).sum::<f64>()).sum()
}

/// 1000 random steps of a node above a segment: the row times the step is the change of the gap; rows sum to zero and have no moment.
#[test]
fn gap_above_a_segment() {
    let mut dice = Dice(2);
    let (mut change, mut sum, mut turn, mut slip) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..1000 {
        let start = [[0.5, -0.2, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
        let mut random = |size: f64| start.map(|x| [x[0] + size * dice.next(), x[1] + size * dice.next(), 0.0]);
        let (x0, x1) = (random(0.3), random(0.3));
        let gap = SegmentGap::new(&x0, &x1);
        let middle = [0, 1, 2].map(|k| [0, 1, 2].map(|c| 0.5 * (x0[k][c] + x1[k][c])));
        change = change.max((work(&gap.normal, &x0, &x1) - (gap.after - gap.before)).abs());
        sum = sum.max(total(&gap.normal)).max(total(&gap.tangent));
        turn = turn.max(moment(&gap.normal, &middle));
        slip = slip.max(moment(&gap.tangent, &middle));
    }
    eprintln!("segment: gap {change:.1e}, sum {sum:.1e}, moment {turn:.1e}, of slip {slip:.1e}");
    assert!(change <= 5e-14 && sum <= 1e-14 && turn <= 1e-14 && slip <= 1e-14);
    // below the segment, outside a boundary that runs counter-clockwise, the gap is positive
    let x = [[0.5, -0.2, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    assert!((SegmentGap::new(&x, &x).before - 0.2).abs() < 1e-15);
}

/// The same in space, 4000 steps, rigid ones and none at all among them, and faces of a millimetre.
#[test]
fn gap_above_a_face() {
    let mut dice = Dice(4);
    let (mut change, mut sum, mut turn, mut slip) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    for step in 0..4000 {
        let unit = if step % 5 == 0 { 1e-3 } else { 1.0 };
        let start = [[0.3, 0.3, 0.2], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mut random = |size: f64| start.map(|x| x.map(|x| unit * (x + size * dice.next())));
        let x0 = random(0.2);
        let x1 = match step % 4 {
            0 => x0,
            1 => x0.map(|[x, y, z]| [0.6 * x - 0.8 * z + 0.1, y, 0.8 * x + 0.6 * z]),
            _ => random(0.2),
        };
        let gap = FaceGap::new(&x0, &x1);
        let middle = [0, 1, 2, 3].map(|k| [0, 1, 2].map(|c| 0.5 * (x0[k][c] + x1[k][c])));
        change = change.max((work(&gap.normal, &x0, &x1) - (gap.after - gap.before)).abs() / unit);
        sum = sum.max(total(&gap.normal));
        turn = turn.max(moment(&gap.normal, &middle));
        for tangent in gap.tangents {
            sum = sum.max(total(&tangent));
            slip = slip.max(moment(&tangent, &middle));
        }
    }
    eprintln!("face: gap {change:.1e}, sum {sum:.1e}, moment {turn:.1e}, of slip {slip:.1e}");
    assert!(change <= 1e-13 && sum <= 3e-14 && turn <= 3e-14 && slip <= 3e-14);
    let x = [[0.3, 0.3, 0.2], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let gap = FaceGap::new(&x, &x);
    assert!((gap.before - 0.2).abs() < 1e-15 && (gap.normal[0][2] - 1.0).abs() < 1e-14);
}
