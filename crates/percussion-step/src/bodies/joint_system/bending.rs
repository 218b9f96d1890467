//! Full inertia of reduced bodies in the equations of a step: what bending changes in it, and what spin does to the modes.
//!
//!   r_w += ΔL + a × L̄,    r_η += Δπ − hQ      (L, π, Q: `percussion_model::flexible::ModalInertia`)
//!
//! Newton's matrix has J(η₁), the change of L with the modes, and of π with the spin; what is left out is small as hw is.

use crate::bodies::joint_system::JointSystem;
use crate::bodies::joint_system::graph::BlockGraph;
use crate::bodies::theta_step::BodiesStart;
use percussion_model::bodies::math::{Vec3, axpy, mul};
use percussion_model::bodies::{Bodies, Reduced, Twist};
use percussion_model::flexible::{ModalInertia, ModalState};

/// One reduced body with full inertia over a step.
#[derive(Clone, Debug)]
struct Bending {
    body: Reduced,
    inertia: ModalInertia,
    ends: [ModalState; 2],
    of_modes: Vec<f64>,
}

/// Those of a scene.
#[derive(Clone, Debug, Default)]
pub struct Bendings(Vec<Bending>);

impl Bendings {
    /// Of a scene.
    pub fn new(scene: &Bodies) -> Self {
        let of = |body: &Reduced| {
            let inertia = body.full.clone()?;
            Some(Bending { body: body.clone(), inertia, ends: Default::default(), of_modes: Vec::new() })
        };
        Self(scene.reduced().iter().filter_map(of).collect())
    }
}

impl JointSystem {
    /// Adds what bending does to the residuals of frames and modal coordinates.
    pub fn add_bending(&mut self, from: &BodiesStart, after: &[Twist]) {
        let Self { scene, bendings, passages, r_body, .. } = self;
        for Bending { body, inertia, ends: [start, end], of_modes } in &mut bendings.0 {
            scene.modal_state(body, |i| from.frames[i].x, |i| from.before[i], start);
            scene.modal_state(body, |i| passages[i].ends[1].x, |i| after[i], end);
            let frame = body.frame();
            let turn = inertia.left([start, end], &passages[frame].turn, from.h, of_modes);
            (0..3).for_each(|k| r_body[frame][3 + k] += turn[k]);
            for (m, left) in of_modes.iter().enumerate() {
                r_body[frame + 1 + m / 3][m % 3] += left;
            }
        }
    }

    /// Adds it to the matrix, at the last evaluation.
    pub fn put_bending(&self, graph: &mut BlockGraph, h: f64) {
        let reach = h * self.theta;
        for Bending { body, inertia, ends: [start, end], .. } in &self.bendings.0 {
            let mut A = [[0.0; 6]; 6];
            let J = inertia.change(&end.eta);
            (0..3).for_each(|r| A[3 + r][3..].copy_from_slice(&J[r]));
            graph.add_to_body(body.frame(), &A);
            let mean: Vec<f64> = start.eta.iter().zip(&end.eta).map(|(x, y)| 0.5 * (x + y)).collect();
            for first in (0..body.modes).step_by(3) {
                let (mut across, mut back) = ([[0.0; 6]; 6], [[0.0; 6]; 6]);
                for m in first..(first + 3).min(body.modes) {
                    let swirl = inertia.swirl(m, &end.eta);
                    let spun = axpy(&mul(&inertia.slope(m, &end.eta), &end.w), 1.0, &inertia.swirl(m, &end.rate));
                    let column: Vec3 = axpy(&spun.map(|x| reach * x), -1.0, &swirl);
                    let pushed = axpy(&mul(&inertia.slope(m, &mean), &start.w), 1.0, &inertia.swirl(m, &start.rate));
                    let row: Vec3 = axpy(&swirl.map(|x| -x), -0.5 * h, &pushed);
                    for k in 0..3 {
                        across[3 + k][m - first] = column[k];
                        back[m - first][3 + k] = row[k];
                    }
                }
                let span = body.first_span + first / 3;
                graph.add_span(span, 0, 1, &across);
                graph.add_span(span, 1, 0, &back);
            }
        }
    }

    /// Δz·Δp of what bending changes: what θ > ½ takes from it twice.
    pub fn bending_change(&self) -> f64 {
        self.bendings
            .0
            .iter()
            .map(|Bending { inertia, ends: [start, end], .. }| inertia.change_along([start, end]))
            .sum()
    }
}
