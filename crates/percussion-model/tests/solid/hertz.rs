//! A rigid sphere pressed into an elastic half-space (Hertz 1882), about the axis.
//!
//!   a³ = 3FR/(4E*),   p = p₀ √(1 − r²/a²),   p₀ = 3F/(2πa²),   E* = E/(1 − ν²)

use crate::common::*;
use percussion_matrix::{DenseMatrix, Factor, Matrix};
use percussion_model::solid::contact::{Against, Obstacle, SurfaceContact};
use percussion_model::solid::element::ElementKind;
use percussion_model::solid::{Section, Solid, SolidMass, Support};
use std::f64::consts::PI;

/// Force and (radius, pressure, area) of the nodes that touch a sphere pushed by δ into a block of 40 contact radii, with
/// elements of a/per_radius under the contact.
fn pressed(per_radius: usize, R: f64, delta: f64) -> (f64, Vec<[f64; 3]>) {
    // elements of equal size to twice the contact radius 1, then each larger than the last
    let fine = 2 * per_radius;
    let mut edges: Vec<f64> = (0..=fine).map(|i| i as f64 / per_radius as f64).collect();
    while edges[edges.len() - 1] < 40.0 {
        let last = edges.len() - 1;
        edges.push(edges[last] + 1.2 * (edges[last] - edges[last - 1]));
    }
    let n = edges.len() - 1;
    let mesh = plane("solid", [n, n], ElementKind::Quad4, |x, y| {
        [edges[(x * n as f64).round() as usize], -edges[((1.0 - y) * n as f64).round() as usize]]
    });
    let mut parts = free(mesh, Section::Axisymmetric, SolidMass::Lumped);
    parts.supports = vec![Support::fixed("solid bottom", &[1])];
    parts.contacts = vec![SurfaceContact {
        surface: "solid top".into(),
        against: Against::Obstacle { shape: Obstacle::Sphere { centre: [0.0, R, 0.0], radius: R }, motion: vec![] },
        restitution: 0.0,
        friction: 0.0,
        massless: false,
    }];
    let solid = Solid::new(parts).expect("a solid");

    // compliance of the candidates that may touch: GᵀK⁻¹G
    let near: Vec<usize> =
        (0..solid.candidates().len()).filter(|&k| solid.matter().X[solid.candidates()[k].node][0] <= 1.9).collect();
    let mut factor = Factor::cholesky(&Matrix::Sparse(solid.stiffness().clone())).expect("held");
    let mut compliance = DenseMatrix::zeros(near.len(), near.len());
    for (b, &k) in near.iter().enumerate() {
        let mut u = vec![0.0; solid.coordinates().n_free()];
        solid.contacts()[k].normal.iter().for_each(|&(i, w)| u[i] += w);
        factor.solve(&mut u);
        for (a, &l) in near.iter().enumerate() {
            compliance.set(a, b, solid.contacts()[l].normal.iter().map(|&(i, w)| w * u[i]).sum());
        }
    }
    // the closed ones: drop those that pull, add those that penetrate, until nothing changes
    let wanted: Vec<f64> =
        near.iter().map(|&k| delta * -solid.candidates()[k].frame[0][1] - solid.candidates()[k].gap).collect();
    let mut active: Vec<usize> = (0..near.len()).filter(|&k| wanted[k] > 0.0).collect();
    let mut force = vec![0.0; near.len()];
    for _ in 0..100 {
        let m = active.len();
        let mut A = DenseMatrix::zeros(m, m);
        for (a, &k) in active.iter().enumerate() {
            for (b, &l) in active.iter().enumerate() {
                A.set(a, b, compliance.get(k, l));
            }
        }
        let mut x: Vec<f64> = active.iter().map(|&k| wanted[k]).collect();
        Factor::cholesky(&Matrix::Dense(A)).expect("definite").solve(&mut x);
        force.fill(0.0);
        active.iter().zip(&x).for_each(|(&k, &x)| force[k] = x);
        let gap = |k: usize| (0..near.len()).map(|l| compliance.get(k, l) * force[l]).sum::<f64>() - wanted[k];
        let next: Vec<usize> =
            (0..near.len()).filter(|&k| if active.contains(&k) { force[k] > 0.0 } else { gap(k) < -1e-14 }).collect();
        if next == active {
            break;
        }
        active = next;
    }
    let touching = active.iter().map(|&k| {
        let candidate = &solid.candidates()[near[k]];
        [solid.matter().X[candidate.node][0], force[k] / candidate.area, candidate.area]
    });
    (force.iter().sum(), touching.collect())
}

/// Pressure within 2 % of Hertz in the mean square and the contact radius from the second moment within ½ %, with ten and twenty
/// elements to the radius; the rest is the size of the block and of the elements.
#[test]
fn pressure_under_a_sphere() {
    let R = 60.0;
    let stiffness = STEEL.young / (1.0 - STEEL.poisson * STEEL.poisson);
    for per_radius in [10, 20] {
        let (F, touching) = pressed(per_radius, R, 1.0 / R);
        let a = (0.75 * F * R / stiffness).cbrt();
        let p0 = 1.5 * F / (PI * a * a);
        let (mut error, mut size, mut moment) = (0.0, 0.0, 0.0);
        for [r, p, area] in &touching {
            let hertz = p0 * (1.0 - (r / a).powi(2)).max(0.0).sqrt();
            error += area * (p - hertz).powi(2);
            size += area * hertz.powi(2);
            moment += p * area * r * r;
        }
        let radius = (2.5 * moment / F).sqrt() / a;
        let error = f64::sqrt(error / size);
        eprintln!("Hertz, a/{per_radius}: a = {a:.4}, radius {radius:.4} a, pressure off by {:.2} %", 100.0 * error);
        assert!((a - 1.0).abs() < 0.05);
        assert!((radius - 1.0).abs() < 5e-3);
        assert!(error < 0.02, "{error}");
    }
}
