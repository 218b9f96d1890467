//! Joints whose reactions act in momentum form: a spatial moment μ is the body moment R̄⁻¹μ over a step.
//!
//!   point:  c = e·(p_a − p_b),   μ = (R̄r) × y;      product:  c = z_a·t_b,   μ_a = −μ_b = λ z̄ × t̄

use percussion_model::bodies::Frame;
use percussion_model::bodies::math::{Mat3, Vec3, cross, dot, mul, mul_mat, mul_t, scale, skew, sub};
use percussion_model::bodies::measure::{BodyRow, Passage};
use percussion_model::flexible::mean_frame::{body_moment, inverse_mean};

/// One scalar condition between two nodes.
#[derive(Clone, Copy)]
pub enum Row {
    Point { axis: usize, points: [Vec3; 2] },
    Dot { vectors: [Vec3; 2] },
}

#[derive(Clone)]
pub struct Joint {
    pub nodes: [usize; 2],
    pub rows: Vec<Row>,
}

impl Joint {
    /// Points of both frames held together.
    pub fn spherical(nodes: [usize; 2], frames: [&Frame; 2], anchor: Vec3) -> Self {
        let points = frames.map(|f| mul_t(&f.R, &sub(&anchor, &f.x)));
        Self { nodes, rows: (0..3).map(|axis| Row::Point { axis, points }).collect() }
    }

    /// The same with an axis held common.
    pub fn hinge(nodes: [usize; 2], frames: [&Frame; 2], anchor: Vec3, axis: Vec3) -> Self {
        let mut joint = Self::spherical(nodes, frames, anchor);
        let across = percussion_model::bodies::math::tangents(&axis);
        let b = mul_t(&frames[1].R, &axis);
        joint.rows.extend(across.map(|t| Row::Dot { vectors: [mul_t(&frames[0].R, &t), b] }));
        joint
    }
}

/// A row over a step: its value at the end, its rows on (Δx, a), the gradient of the value with (Δx, a).
pub struct RowStep {
    pub value: f64,
    pub D: [BodyRow; 2],
    pub N: [BodyRow; 2],
}

impl Row {
    pub fn value(&self, a: &Frame, b: &Frame) -> f64 {
        match self {
            Self::Point { axis, points } => {
                a.x[*axis] + mul(&a.R, &points[0])[*axis] - b.x[*axis] - mul(&b.R, &points[1])[*axis]
            }
            Self::Dot { vectors } => dot(&mul(&a.R, &vectors[0]), &mul(&b.R, &vectors[1])),
        }
    }

    pub fn over_step(&self, p: &[&Passage; 2]) -> RowStep {
        let value = self.value(&p[0].ends[1], &p[1].ends[1]);
        let mean = self.spatial(&[&p[0].R, &p[1].R]);
        let end = self.spatial(&[&p[0].ends[1].R, &p[1].ends[1].R]);
        let D = std::array::from_fn(|k| joined(&mean[k].0, &body_moment(&p[k].ends[0].R, &p[k].turn, &mean[k].1)));
        let N = std::array::from_fn(|k| {
            let T = mul_mat(&p[k].ends[1].R, &p[k].end_turn);
            joined(&end[k].0, &mul_t(&T, &end[k].1))
        });
        RowStep { value, D, N }
    }

    /// Force and spatial moment of a unit reaction on a and b.
    fn spatial(&self, R: &[&Mat3; 2]) -> [(Vec3, Vec3); 2] {
        match self {
            Self::Point { axis, points } => {
                let mut e = [0.0; 3];
                e[*axis] = 1.0;
                let minus = scale(-1.0, &e);
                [(e, cross(&mul(R[0], &points[0]), &e)), (minus, cross(&mul(R[1], &points[1]), &minus))]
            }
            Self::Dot { vectors } => {
                let m = cross(&mul(R[0], &vectors[0]), &mul(R[1], &vectors[1]));
                [([0.0; 3], m), ([0.0; 3], scale(-1.0, &m))]
            }
        }
    }

    /// ∂(body moments of the reaction λ)/∂a of both bodies.
    pub fn geometric(&self, p: &[&Passage; 2], lambda: f64) -> [[Mat3; 2]; 2] {
        let mut K = [[[[0.0; 3]; 3]; 2]; 2];
        match self {
            Self::Point { axis, points } => {
                for k in 0..2 {
                    let mut y = [0.0; 3];
                    y[*axis] = if k == 0 { lambda } else { -lambda };
                    let arm = mul(&p[k].ends[1].R, &points[k]);
                    K[k][k] = mul_mat(&skew(&scale(0.5, &y)), &skew(&arm));
                }
            }
            Self::Dot { vectors } => {
                let at = |k: usize, R: &Mat3| skew(&mul(R, &vectors[k]));
                let half = |A: Mat3, c: f64| A.map(|row| row.map(|x| 0.5 * lambda * c * x));
                let by_a = mul_mat(&at(1, &p[1].R), &at(0, &p[0].ends[1].R));
                let by_b = mul_mat(&at(0, &p[0].R), &at(1, &p[1].ends[1].R));
                K = [[half(by_a, 1.0), half(by_b, -1.0)], [half(by_a, -1.0), half(by_b, 1.0)]];
            }
        }
        let mean = self.spatial(&[&p[0].R, &p[1].R]);
        for i in 0..2 {
            let P = inverse_mean(&p[i].ends[0].R, &p[i].turn);
            for j in 0..2 {
                let T = mul_mat(&p[j].ends[1].R, &p[j].end_turn);
                K[i][j] = mul_mat(&mul_mat(&P, &K[i][j]), &T);
            }
            let own = skew(&scale(0.5 * lambda, &mul_t(&p[i].ends[0].R, &mean[i].1)));
            for r in 0..3 {
                for c in 0..3 {
                    K[i][i][r][c] += own[r][c];
                }
            }
        }
        K
    }
}

fn joined(v: &Vec3, w: &Vec3) -> BodyRow {
    [v[0], v[1], v[2], w[0], w[1], w[2]]
}
