//! Contact between surfaces: patch tests of nodes and mortar on meshes that do not match, in the plane and in space.

use crate::common::*;
use percussion_matrix::{DenseMatrix, Factor, Matrix};
use percussion_model::Signal;
use percussion_model::solid::contact::{Against, Method, Multipliers, Obstacle, SurfaceContact};
use percussion_model::solid::element::ElementKind;
use percussion_model::solid::{Kinematics, Load, LoadKind, Mesh, Section, Solid, SolidMass, SolidParts, Support};

const STANDARD: Method = Method::Mortar(Multipliers::Standard);
const DUAL: Method = Method::Mortar(Multipliers::Dual);

/// Two blocks, one on the other, pressed by 1 Pa from above.
fn pressed(mesh: Mesh, section: Section, method: Method, upper_carries: bool) -> SolidParts {
    let surfaces = if upper_carries { ["upper bottom", "lower top"] } else { ["lower top", "upper bottom"] };
    let mut supports = if section.dimension() == 2 {
        vec![Support::fixed("lower bottom", &[1])]
    } else {
        vec![Support::fixed("lower bottom", &[2])]
    };
    for block in ["lower", "upper"] {
        if section.dimension() == 2 {
            supports.push(Support::fixed(format!("{block} corner"), &[0]));
        } else {
            supports.push(Support::fixed(format!("{block} corner"), &[0, 1]));
            supports.push(Support::fixed(format!("{block} second corner"), &[1]));
        }
    }
    SolidParts {
        kinematics: Kinematics::Linear,
        mesh,
        section,
        mass: SolidMass::Lumped,
        gravity: Default::default(),
        parts: vec![part("lower", STEEL), part("upper", STEEL)],
        supports,
        loads: vec![Load { group: "upper top".into(), kind: LoadKind::Pressure(Signal::constant(1.0)) }],
        contacts: vec![SurfaceContact {
            surface: surfaces[0].into(),
            against: Against::Surface { surface: surfaces[1].into(), method, reach: 0.1 },
            restitution: 0.0,
            friction: 0.0,
            massless: false,
        }],
    }
}

/// Largest |σ + 1| at element centres with all rows closed: [K G; Gᵀ 0] [q; −λ] = [F; −w].
fn stress_error(parts: SolidParts) -> f64 {
    let d = parts.section.dimension();
    let solid = Solid::new(parts).expect("a solid");
    let (n, m) = (solid.coordinates().n_free(), solid.contacts().len());
    let mut A = DenseMatrix::zeros(n + m, n + m);
    for (i, j, x) in solid.stiffness().triplets() {
        A.set(i, j, x);
    }
    let mut x: Vec<f64> = solid.force().iter().map(|f| f.mean).collect();
    for (k, contact) in solid.contacts().iter().enumerate() {
        for &(i, w) in &contact.normal {
            A.set(i, n + k, w);
            A.set(n + k, i, w);
        }
        x.push(-contact.offset.mean);
    }
    Factor::lu(&Matrix::Dense(A)).expect("regular").solve(&mut x);
    let mut u = vec![[0.0; 3]; solid.matter().n_nodes()];
    solid.coordinates().displacements(&x[..n], 0.0, &mut u);
    (0..solid.matter().cells.len()).map(|e| (solid.stress(e, &u)[d - 1] + 1.0).abs()).fold(0.0, f64::max)
}

fn plane_blocks(lower: usize, upper: usize, kind: ElementKind) -> Mesh {
    joined(
        plane("lower", [lower, 2], kind, |x, y| [x, 0.5 * y]),
        plane("upper", [upper, 2], kind, |x, y| [x, 0.5 + 0.5 * y]),
    )
}

/// Mortar passes to round-off on every pair of meshes; nodes to faces miss by as much as an independent implementation found.
#[test]
fn patch_test_in_the_plane() {
    let measured = [((3, 3), 0.0, 0.0), ((5, 3), 0.158, 0.035), ((4, 7), 0.018, 0.090), ((9, 8), 0.024, 0.019)];
    for ((lower, upper), of_upper, of_lower) in measured {
        let error = |method, upper_carries| {
            stress_error(pressed(plane_blocks(lower, upper, ElementKind::Quad4), STRAIN, method, upper_carries))
        };
        let (nodes_upper, nodes_lower) = (error(Method::Node, true), error(Method::Node, false));
        eprintln!("{lower} × {upper}: nodes {nodes_upper:.3e} {nodes_lower:.3e}");
        assert!((nodes_upper - of_upper).abs() <= 5.01e-4 + 1e-12);
        assert!((nodes_lower - of_lower).abs() <= 5.01e-4 + 1e-12);
        for method in [STANDARD, DUAL] {
            for upper_carries in [true, false] {
                let error = error(method, upper_carries);
                eprintln!("{lower} × {upper} {method:?}: {error:.1e}");
                assert!(error <= 1e-12);
            }
        }
    }
}

/// The same on triangles, straight and quadratic, and in a sheet.
#[test]
fn patch_test_on_triangles() {
    for kind in [ElementKind::Tri3, ElementKind::Tri6] {
        for section in [STRAIN, Section::Stress { thickness: 0.3 }] {
            for method in [STANDARD, DUAL] {
                let error = stress_error(pressed(plane_blocks(5, 3, kind), section, method, true));
                eprintln!("{kind:?} {section:?} {method:?}: {error:.1e}");
                assert!(error <= 1e-12);
            }
        }
    }
}

/// In space, faces clipped against faces: triangles, quadratic triangles and rectangles.
#[test]
fn patch_test_in_space() {
    for kind in [ElementKind::Hex8, ElementKind::Tet4, ElementKind::Tet10] {
        let mesh = joined(
            space("lower", [2, 3, 1], kind, |[x, y, z]| [x, y, 0.5 * z]),
            space("upper", [3, 2, 1], kind, |[x, y, z]| [x + 0.0 * y, y, 0.5 + 0.5 * z]),
        );
        for method in [STANDARD, DUAL] {
            for upper_carries in [true, false] {
                let error = stress_error(pressed(mesh.clone(), Section::Space, method, upper_carries));
                eprintln!("{kind:?} {method:?}: {error:.1e}");
                assert!(error <= 1e-12, "{kind:?} {method:?} {upper_carries}");
            }
        }
    }
}

/// Between surfaces weights sum to zero: contact forces add no momentum. Areas sum to that of the overlap.
#[test]
fn forces_between_surfaces_balance() {
    let mesh = plane_blocks(5, 3, ElementKind::Quad4);
    for method in [Method::Node, STANDARD, DUAL] {
        let solid = Solid::new(pressed(mesh.clone(), STRAIN, method, true)).expect("a solid");
        for candidate in solid.candidates() {
            assert!(candidate.weights.iter().map(|(_, w)| w).sum::<f64>().abs() <= 1e-14);
            assert!(candidate.gap.abs() <= 1e-15);
            assert!((candidate.frame[0][1] - 1.0).abs() <= 1e-15 && (candidate.frame[1][0] - 1.0).abs() <= 1e-15);
        }
        let area: f64 = solid.candidates().iter().map(|c| c.area).sum();
        assert!((area - 1.0).abs() <= 1e-13, "{method:?}: {area}");
    }
}

/// Surfaces that overlap partly: rows of nodes at the rim are left out, areas sum to the overlap, and pressure is transmitted.
#[test]
fn partial_overlap() {
    let mesh = joined(
        plane("lower", [5, 2], ElementKind::Quad4, |x, y| [x, 0.5 * y]),
        plane("upper", [3, 2], ElementKind::Quad4, |x, y| [0.2 + 0.6000000001 * x, 0.5 + 0.5 * y]),
    );
    for method in [STANDARD, DUAL] {
        let solid = Solid::new(pressed(mesh.clone(), STRAIN, method, false)).expect("a solid");
        let area: f64 = solid.candidates().iter().map(|c| c.area).sum();
        // nodes at 0, 0.2, …, 1; the upper block covers 0.2 to 0.8 and a trifle
        let nodes: Vec<f64> = solid.candidates().iter().map(|c| solid.matter().X[c.node][0]).collect();
        assert_eq!(nodes.len(), 4, "{nodes:?}");
        assert!((area - 0.6).abs() <= 1e-3 && area > 0.0);
        assert!(solid.candidates().iter().all(|c| c.area > 0.0));
    }
}

/// Nodes against obstacles: gaps, normals, tributary areas that sum to the surface, offsets that follow a moving obstacle.
#[test]
fn nodes_against_obstacles() {
    let radius = 0.7;
    let shapes = [
        (Obstacle::Plane { point: [0.0, -0.1, 0.0], normal: [0.0, 2.0, 0.0] }, 0.1),
        (Obstacle::Sphere { centre: [0.5, -0.1 - radius, 0.0], radius }, 0.1),
        (Obstacle::Cylinder { point: [0.5, -0.1 - radius, 3.0], axis: [0.0, 0.0, 5.0], radius }, 0.1),
        (Obstacle::Block { centre: [0.5, -0.35, 0.0], half: [0.25, 0.25, f64::INFINITY], angle: 0.0 }, 0.1),
    ];
    for (shape, gap) in shapes {
        let mesh = plane("solid", [4, 2], ElementKind::Quad4, |x, y| [x, y]);
        let mut parts = free(mesh, STRAIN, SolidMass::Lumped);
        parts.contacts = vec![SurfaceContact {
            surface: "solid bottom".into(),
            against: Against::Obstacle {
                shape,
                motion: vec![Signal::default(), Signal::harmonic(0.0, 0.01, 3.0, 0.0)],
            },
            restitution: 0.0,
            friction: 0.0,
            massless: false,
        }];
        let solid = Solid::new(parts).expect("a solid");
        let smallest = solid.candidates().iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        assert!((smallest - gap).abs() <= 1e-15);
        let area: f64 = solid.candidates().iter().map(|c| c.area).sum();
        assert!((area - 1.0).abs() <= 1e-14);
        for (candidate, contact) in solid.candidates().iter().zip(solid.contacts()) {
            let n = candidate.frame[0];
            assert!((n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1.0).abs() <= 1e-14);
            assert!((contact.offset.at(0.0) - candidate.gap).abs() <= 1e-15);
            assert!((contact.offset.rate(0.0) + n[1] * 0.03).abs() <= 1e-15);
        }
    }
}

/// Areas of the nodes on faces of tet10 are positive and sum to the face.
#[test]
fn areas_on_quadratic_faces() {
    let mesh = space("solid", [2, 2, 1], ElementKind::Tet10, |x| x);
    let solid = Solid::new(free(mesh, Section::Space, SolidMass::Lumped)).expect("a solid");
    let outer = solid.outer_surface();
    let areas = outer.tributary_areas(&solid.matter().X, Section::Space);
    assert!(areas.iter().all(|&a| a > 0.0));
    assert!((areas.iter().sum::<f64>() - 6.0).abs() <= 1e-13);
    assert!((outer.area(&solid.matter().X, Section::Space) - 6.0).abs() <= 1e-13);
    let total = outer.faces.iter().fold([0.0; 3], |sum, f| {
        let a = f.area_vector(&solid.matter().X, Section::Space);
        [0, 1, 2].map(|k| sum[k] + a[k])
    });
    assert!(total.iter().all(|x| x.abs() <= 1e-14), "a closed surface");
}

/// The gap of a box is the distance of a point from it, outside and inside, turned or not, and its gradient is the normal.
#[test]
fn distance_from_a_box() {
    let (centre, half, angle) = ([0.3, -0.2, 0.1], [0.5, 0.2, 0.4], 0.7_f64);
    let block = Obstacle::Block { centre, half, angle };
    let mut dice = Dice(5);
    let (mut faces, mut edges, mut corners) = (0, 0, 0);
    for _ in 0..2000 {
        let x = [0, 1, 2].map(|k| centre[k] + 1.2 * dice.next());
        let (gap, n) = block.distance(&x).expect("a normal");
        // by sampling: the nearest point of the box, clamped in its own axes
        let (s, c) = angle.sin_cos();
        let from = [0, 1, 2].map(|k| x[k] - centre[k]);
        let own = [c * from[0] + s * from[1], -s * from[0] + c * from[1], from[2]];
        let beyond = [0, 1, 2].map(|k| own[k].abs() - half[k]);
        let outside = beyond.map(|b| b.max(0.0));
        let expected = if outside == [0.0; 3] {
            beyond.into_iter().fold(f64::NEG_INFINITY, f64::max)
        } else {
            outside.iter().map(|b| b * b).sum::<f64>().sqrt()
        };
        assert!((gap - expected).abs() <= 1e-14, "{gap} {expected}");
        match outside.iter().filter(|b| **b > 0.0).count() {
            0 | 1 => faces += 1,
            2 => edges += 1,
            _ => corners += 1,
        }
        let e = 1e-6;
        let moved = [0, 1, 2].map(|k| x[k] + e * n[k]);
        let (further, _) = block.distance(&moved).expect("a normal");
        assert!((further - gap - e).abs() <= 1e-9 * e.max(1.0), "{further} {gap}");
    }
    assert!(faces > 100 && edges > 100 && corners > 100);
}
