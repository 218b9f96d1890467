//! Elements: the table of an independent implementation, patch tests, zero modes, masses.

use crate::common::*;
use percussion_matrix::{DenseMatrix, Factor, Matrix};
use percussion_model::solid::element::{ElementKind, Sample};
use percussion_model::solid::{Hooke, Section, Solid, SolidMass, mass};

const SOLIDS: [ElementKind; 6] = [
    ElementKind::Tri3,
    ElementKind::Tri6,
    ElementKind::Quad4,
    ElementKind::Tet4,
    ElementKind::Tet10,
    ElementKind::Hex8,
];

/// One element as its stiffness, consistent and lumped mass.
fn single(kind: ElementKind, X: &[[f64; 3]], material: Hooke, section: Section) -> (DenseMatrix, Vec<f64>, Vec<f64>) {
    let entry = kind.entry();
    let size = section.dimension() * X.len();
    let mut K = vec![0.0; size * size];
    for point in (entry.stiffness_rule)() {
        let at = Sample::new(entry, X, &point, section).expect("an element with volume");
        material.lame(section).add_stiffness(&at, section, &mut K);
    }
    let rule = (entry.mass_rule)();
    let m = mass::consistent(entry, X, section, material.density, &rule);
    let lumped = mass::lumped(entry, X, section, material.density, &rule);
    (DenseMatrix::from_columns(size, size, K).expect("square"), m, lumped[..X.len()].to_vec())
}

/// trace K, xᵀKx, mass, xᵀMx and lumped masses with x_i = sin(1 + i), to 1e-8 (measured: 2e-14).
#[test]
fn table_of_an_independent_implementation() {
    let Some(bytes) = reference("elements.csv") else { return };
    let text = String::from_utf8(bytes).expect("text");
    let material = Hooke { young: 2.1, poisson: 0.3, density: 1.7 };
    let (mut worst, mut rows) = (0.0_f64, 0);
    for line in text.lines().skip(1) {
        let (numbers, coordinates) = line.split_once('"').expect("coordinates in quotes");
        let mut words = numbers.split(',');
        let name = words.next().expect("a name");
        let kind = ElementKind::ALL.into_iter().find(|k| k.entry().name == name).expect("an element we have");
        let expected: Vec<f64> = words.filter(|w| !w.is_empty()).map(|w| w.parse().expect("a number")).collect();
        let flat: Vec<f64> =
            coordinates.trim_end_matches('"').split_whitespace().map(|w| w.parse().expect("a number")).collect();
        let d = kind.dimension();
        let X: Vec<[f64; 3]> = flat.chunks(d).map(|c| [c[0], c[1], c.get(2).copied().unwrap_or(0.0)]).collect();
        let section = if d == 2 { STRAIN } else { Section::Space };
        let (K, m, lumped) = single(kind, &X, material, section);
        let x: Vec<f64> = (0..d * X.len()).map(|i| (1.0 + i as f64).sin()).collect();
        let trace: f64 = (0..x.len()).map(|i| K.get(i, i)).sum();
        let xKx = Matrix::Dense(K).bilinear(&x, &x);
        let n = X.len();
        let mut xMx = 0.0;
        for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
            xMx += m[n * a + b] * (0..d).map(|i| x[d * a + i] * x[d * b + i]).sum::<f64>();
        }
        let found = [trace, xKx, m.iter().sum(), xMx, lumped[0], lumped[n - 1]];
        assert_eq!(expected.len(), found.len());
        for (a, b) in found.iter().zip(&expected) {
            worst = worst.max((a - b).abs() / b.abs());
        }
        rows += 1;
    }
    eprintln!("elements.csv: {rows} elements, worst relative difference {worst:.1e}");
    assert_eq!(rows, 6);
    assert!(worst <= 1e-8, "{worst:e}");
}

/// A distorted mesh of a kind on the unit square or cube, away from the axis where rings are stretched.
fn distorted(kind: ElementKind, section: Section) -> percussion_model::solid::Mesh {
    let mut dice = Dice(kind as u64 + 11);
    let noise: Vec<[f64; 3]> = (0..1000).map(|_| [dice.next(), dice.next(), dice.next()]).collect();
    let shift = if section.has_rings() { 0.5 } else { 0.0 };
    let inside = |x: &[f64]| x.iter().all(|&x| x > 1e-9 && x < 1.0 - 1e-9);
    if kind.dimension() == 2 {
        plane("solid", [4, 4], kind, |x, y| {
            let k = (7.0 * (4.0 * x) + 31.0 * (4.0 * y)).round() as usize;
            let s = if inside(&[x, y]) { 0.06 } else { 0.0 };
            [shift + x + s * noise[k][0], y + s * noise[k][1]]
        })
    } else {
        space("solid", [3, 3, 3], kind, |x| {
            let k = (7.0 * (3.0 * x[0]) + 31.0 * (3.0 * x[1]) + 101.0 * (3.0 * x[2])).round() as usize;
            let s = if inside(&x) { 0.08 } else { 0.0 };
            [0, 1, 2].map(|i| x[i] + s * noise[k][i])
        })
    }
}

fn sections(kind: ElementKind) -> Vec<Section> {
    match kind.dimension() {
        2 => vec![STRAIN, Section::Stress { thickness: 0.2 }, Section::Axisymmetric],
        _ => vec![Section::Space],
    }
}

/// Boundary nodes follow a linear field, those inside must too, and stress must be the same everywhere. Round-off: 1e-12.
#[test]
fn linear_fields_are_exact() {
    for kind in SOLIDS {
        for section in sections(kind) {
            let mesh = distorted(kind, section);
            let solid = Solid::new(free(mesh, section, SolidMass::Lumped)).expect("a solid");
            let d = section.dimension();
            let field = |x: &[f64; 3]| match section {
                Section::Axisymmetric => [0.3 * x[0], 0.1 - 0.2 * x[1], 0.0],
                Section::Space => [
                    0.1 + 0.3 * x[0] - 0.1 * x[1] + 0.2 * x[2],
                    0.2 * x[0] + 0.1 * x[1] - 0.3 * x[2],
                    -0.1 * x[0] + 0.4 * x[1] + 0.15 * x[2],
                ],
                Section::Strain { .. } | Section::Stress { .. } => {
                    [0.1 + 0.3 * x[0] - 0.1 * x[1], 0.2 * x[0] + 0.1 * x[1], 0.0]
                }
            };
            let X = &solid.matter().X;
            let u: Vec<[f64; 3]> = X.iter().map(field).collect();
            let q = solid.coordinates().gather(&u);
            let outer = &solid.outer_surface().nodes;
            let inside: Vec<usize> = (0..X.len()).filter(|i| outer.binary_search(i).is_err()).collect();
            assert!(!inside.is_empty());

            // K_ii q_i = −K_ib q_b
            let free: Vec<usize> = inside.iter().flat_map(|&i| (0..d).map(move |k| d * i + k)).collect();
            let K = Matrix::Sparse(solid.stiffness().clone());
            let mut K_ii = DenseMatrix::zeros(free.len(), free.len());
            for (a, &i) in free.iter().enumerate() {
                for (b, &j) in free.iter().enumerate() {
                    K_ii.set(a, b, K.get(i, j));
                }
            }
            let mut held = q.clone();
            free.iter().for_each(|&i| held[i] = 0.0);
            let mut f = vec![0.0; q.len()];
            K.mul_add(-1.0, &held, &mut f);
            let mut x: Vec<f64> = free.iter().map(|&i| f[i]).collect();
            Factor::cholesky(&Matrix::Dense(K_ii)).expect("definite").solve(&mut x);
            let mut solved = held;
            let mut worst = 0.0_f64;
            for (&i, &x) in free.iter().zip(&x) {
                solved[i] = x;
                worst = worst.max((x - q[i]).abs());
            }
            let mut u = vec![[0.0; 3]; X.len()];
            solid.coordinates().displacements(&solved, 0.0, &mut u);
            let first = solid.stress(0, &u);
            let mut stress = 0.0_f64;
            for e in 0..solid.matter().cells.len() {
                let s = solid.stress(e, &u);
                (0..6).for_each(|k| stress = stress.max((s[k] - first[k]).abs()));
            }
            eprintln!("patch {kind:?} {section:?}: displacement {worst:.1e}, stress {stress:.1e}");
            assert!(worst <= 1e-12 && stress <= 1e-12);
        }
    }
}

/// A free mesh has three motions without energy in the plane, six in space, one about an axis; the next eigenvalue is far away.
#[test]
fn rigid_motions_and_no_others_cost_nothing() {
    for kind in SOLIDS {
        for section in sections(kind) {
            let mesh = if kind.dimension() == 2 {
                plane("solid", [2, 2], kind, |x, y| [1.0 + x + 0.1 * y, y])
            } else {
                space("solid", [1, 1, 1], kind, |[x, y, z]| [x + 0.1 * y, y, z + 0.2 * x])
            };
            let solid = Solid::new(free(mesh, section, SolidMass::Lumped)).expect("a solid");
            let (values, _) = eigen(&Matrix::Sparse(solid.stiffness().clone()).to_dense());
            let largest = values[values.len() - 1];
            let zero = match section {
                Section::Space => 6,
                Section::Axisymmetric => 1,
                Section::Strain { .. } | Section::Stress { .. } => 3,
            };
            let size = values[..zero].iter().fold(0.0_f64, |m, x| m.max(x.abs())) / largest;
            eprintln!("{kind:?} {section:?}: zero {size:.1e}, next {:.1e}", values[zero] / largest);
            assert!(size <= 1e-14, "{kind:?} {section:?}: {size:e}");
            assert!(values[zero] / largest > 1e-4, "{kind:?} {section:?}: {:e}", values[zero] / largest);
        }
    }
}

/// Every mass keeps the mass of the solid, ρV, and of a body of revolution ρ∫2πr dA; lumped masses are positive.
#[test]
fn mass_of_the_whole() {
    for kind in SOLIDS {
        for section in sections(kind) {
            for mass in [SolidMass::Consistent, SolidMass::Lumped] {
                let mesh = distorted(kind, section);
                let solid = Solid::new(free(mesh, section, mass)).expect("a solid");
                let d = section.dimension();
                // r from ½ to 1½: 2π·1·1
                let exact = match section {
                    Section::Space | Section::Strain { .. } => 1.0,
                    Section::Stress { thickness } => thickness,
                    Section::Axisymmetric => std::f64::consts::TAU,
                };
                let M = Matrix::Sparse(solid.mass().clone());
                for k in 0..d {
                    let x: Vec<f64> = (0..M.n_rows()).map(|i| if i % d == k { 1.0 } else { 0.0 }).collect();
                    assert!((M.bilinear(&x, &x) - exact).abs() <= 1e-13 * exact, "{kind:?} {section:?} {mass:?}");
                }
                assert!((solid.volume() - exact).abs() <= 1e-13 * exact);
                assert!(solid.node_mass().lumped.iter().all(|&m| m > 0.0));
            }
        }
    }
}

/// Elements listed inside out are turned round, counted, and give the same stiffness.
#[test]
fn elements_inside_out_are_reordered() {
    for kind in SOLIDS {
        let section = sections(kind)[0];
        let mesh = distorted(kind, section);
        let mut turned = mesh.clone();
        let solids = turned.groups[0].cells.clone();
        for &c in &solids {
            turned.cells[c] = turned.cells[c].mirrored();
        }
        let a = Solid::new(free(mesh, section, SolidMass::Consistent)).expect("a solid");
        let b = Solid::new(free(turned, section, SolidMass::Consistent)).expect("a solid");
        // the test's tetrahedra come in both orientations
        assert_eq!(a.matter().reordered + b.matter().reordered, solids.len(), "{kind:?}");
        let difference = Matrix::combination(
            a.stiffness().n_rows(),
            &[(1.0, &Matrix::Sparse(a.stiffness().clone())), (-1.0, &Matrix::Sparse(b.stiffness().clone()))],
        );
        assert!(difference.max_abs() <= 1e-13, "{kind:?}: {:e}", difference.max_abs());
    }
}

/// Elastic force and energy by elements are K q and ½ qᵀK q; far away the energy keeps its digits.
#[test]
fn forces_and_energies_by_elements() {
    for kind in SOLIDS {
        for section in sections(kind) {
            let solid = Solid::new(free(distorted(kind, section), section, SolidMass::Lumped)).expect("a solid");
            let mut dice = Dice(3);
            let q: Vec<f64> = (0..solid.coordinates().n_free()).map(|_| dice.next()).collect();
            let K = Matrix::Sparse(solid.stiffness().clone());
            let mut u = vec![[0.0; 3]; solid.matter().n_nodes()];
            solid.coordinates().displacements(&q, 0.0, &mut u);
            let half = 0.5 * K.bilinear(&q, &q);
            assert!((solid.strain_energy(&u) - half).abs() <= 1e-12 * half);
            let mut f = vec![[0.0; 3]; u.len()];
            solid.elastic_force(&u, &mut f);
            let mut Kq = vec![0.0; q.len()];
            K.mul_add(1.0, &q, &mut Kq);
            let f = solid.coordinates().gather(&f);
            let size = Kq.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            assert!(f.iter().zip(&Kq).all(|(a, b)| (a - b).abs() <= 1e-12 * size));
            if !section.has_rings() {
                let moved: Vec<[f64; 3]> = u.iter().map(|u| [u[0] + 1000.0, u[1] - 3000.0, u[2]]).collect();
                assert!((solid.strain_energy(&moved) / half - 1.0).abs() <= 1e-10);
            }
        }
    }
}
