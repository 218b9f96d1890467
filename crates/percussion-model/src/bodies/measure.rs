//! Scalar functions of the places of two bodies, of which joints are made, with gradients that are exact over a step.
//!
//!   c₁ − c₀ = h D·v_θ   with x₁ = x₀ + h v_θ,  R₁ = R₀ cay(h w_θ)
//!
//! D takes the mean R̄ = (R₀ + R₁)/2 of the ends for what multiplies and for what turns: R₁ − R₀ = R̄ [h w_θ] = [s] R̄, s = R₀ h w_θ.
//! A world vector y at the point r of a body has the spatial moment (R̄ r) × y, which is R̄⁻¹((R̄ r) × y) in the frame of the
//! body: a reaction Dᵀλ of a joint with c₁ = c₀ does no work, and what it adds to the angular momentum of one body it takes from
//! the other. So does the angle φ about a hinge, however its axis tumbles: of c = x_a·x_b and s = y_a·x_b, directions across the axis,
//! c̄ Δs − s̄ Δc = c₀s₁ − s₀c₁ and Δφ = atan2(c₀s₁ − s₀c₁, c₀c₁ + s₀s₁), so Δφ = k (c̄ Δs − s̄ Δc) with one k for the rows of both products.

use super::math::{IDENTITY, Mat3, Vec3, add, axpy, cross, dot, mul, norm, scale, skew, sub};
use super::{Frame, PlaneCurve};
use crate::flexible::StrainMeasure;
use crate::flexible::base_measures::{BaseMeasures, BaseRows};
use crate::flexible::coefficient::coefficients;
use crate::flexible::mean_frame::body_moment;
use percussion_matrix::math;
use std::sync::Arc;

/// A row on the velocities of one body: world velocity, then body-frame angular velocity.
pub type BodyRow = [f64; 6];

/// Where a body is at both ends of a step.
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    /// The ends.
    pub ends: [Frame; 2],
    /// Mean place of the centre of mass.
    pub x: Vec3,
    /// Mean of the rotations.
    pub R: Mat3,
    /// h w, whose Cayley map leads from one end to the other; in the plane about the third axis.
    pub turn: Vec3,
    /// The same for bodies whose moments stand in the frame of the body, zero for those whose spin is counted in the world frame.
    pub tilt: Vec3,
    /// The turn of the frame at the end with w: R₁ [δψ], δψ = (h times this) δw.
    pub end_turn: Mat3,
}

impl Passage {
    /// From one end to the other, for the rotation a = h w made between them: R₁ = R₀ cay(a).
    #[inline]
    pub fn new(start: &Frame, end: &Frame, a: &Vec3) -> Self {
        let x = scale(0.5, &add(&start.x, &end.x));
        let R: Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (start.R[i][j] + end.R[i][j])));
        let c = 1.0 / (1.0 + 0.25 * dot(a, a));
        let S = skew(a);
        let end_turn = std::array::from_fn(|i| std::array::from_fn(|j| c * (IDENTITY[i][j] - 0.5 * S[i][j])));
        Self { ends: [*start, *end], x, R, turn: *a, tilt: *a, end_turn }
    }

    /// A body that does not move: gradients are then those at its place.
    #[inline]
    pub fn resting(frame: &Frame) -> Self {
        Self { ends: [*frame, *frame], x: frame.x, R: frame.R, turn: [0.0; 3], tilt: [0.0; 3], end_turn: IDENTITY }
    }

    /// The same for a body of isotropic inertia, whose spin is counted in the world frame, turned into the one at the start: a
    /// spatial moment μ is R₀ᵀμ there. The work of both is s·μ.
    #[inline]
    pub fn in_the_world(self) -> Self {
        Self { tilt: [0.0; 3], ..self }
    }

    /// Whether spin is counted in the world frame.
    #[inline]
    pub fn is_in_the_world(&self) -> bool {
        self.tilt == [0.0; 3] && self.turn != [0.0; 3]
    }

    #[inline]
    fn point(&self, r: &Vec3) -> Vec3 {
        add(&self.x, &mul(&self.R, r))
    }

    /// The spatial moment of a world vector y at the point r: (R̄ r) × y.
    #[inline]
    pub fn spatial_moment(&self, r: &Vec3, y: &Vec3) -> Vec3 {
        cross(&mul(&self.R, r), y)
    }

    /// The spatial moment of one that meets the body's angular velocity: R̄ m, or R₀ m where spin is counted in the world frame.
    #[inline]
    pub fn spatial(&self, m: &Vec3) -> Vec3 {
        mul(if self.tilt == [0.0; 3] { &self.ends[0].R } else { &self.R }, m)
    }

    /// The same as the body's angular velocity meets it: R̄⁻¹((R̄ r) × y).
    #[inline]
    fn moment(&self, r: &Vec3, y: &Vec3) -> Vec3 {
        body_moment(&self.ends[0].R, &self.tilt, &self.spatial_moment(r, y))
    }
}

/// A scalar function of the frames of bodies a and b; vectors with index a stand in the frame of a.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// Component k of p_a − p_b in the world.
    Point {
        /// 0, 1 or 2.
        axis: usize,
        /// The points.
        points: [Vec3; 2],
    },
    /// s_a·t_b.
    Dot {
        /// Unit vectors of a and b.
        vectors: [Vec3; 2],
    },
    /// s_a·(p_b − p_a).
    Along {
        /// Unit vector of a.
        direction: Vec3,
        /// The points.
        points: [Vec3; 2],
    },
    /// |p_a − p_b|.
    Length {
        /// The points.
        points: [Vec3; 2],
    },
    /// The angle by which b has turned from a about an axis of both.
    Angle {
        /// The axis in a and in b.
        axes: [Vec3; 2],
        /// A direction across the axis in a and in b: parallel at angle zero.
        across: [Vec3; 2],
    },
    /// Component k of the rotation vector φn from a to b, R_b = R_a exp[φn], less than half a turn.
    Turn {
        /// 0, 1 or 2.
        axis: usize,
    },
    /// The distance of p_b from a curve of a: d(x_a·(p_b − p_a), y_a·(p_b − p_a)).
    Curve {
        /// d.
        curve: Arc<PlaneCurve>,
        /// x and y of its plane in a.
        axes: [Vec3; 2],
        /// The points.
        points: [Vec3; 2],
    },
    /// Σ c_k η_k of three modal coordinates, which are the place of b; a has no part in it.
    Modal {
        /// c.
        weights: Vec3,
    },
}

/// What one row contributes at both bodies.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeasureRow {
    /// D of a and b.
    pub rows: [BodyRow; 2],
    /// Pairs (r, y) with angular part Σ R̄⁻¹((R̄ r) × y) of each body: what changes as the bodies turn.
    pub arms: [[(Vec3, Vec3); 2]; 2],
}

impl Measure {
    /// c at these frames; an angle in (−π, π].
    pub fn value(&self, a: &Frame, b: &Frame) -> f64 {
        match self {
            Self::Point { axis, points } => a.point(&points[0])[*axis] - b.point(&points[1])[*axis],
            Self::Dot { vectors } => dot(&mul(&a.R, &vectors[0]), &mul(&b.R, &vectors[1])),
            Self::Along { direction, points } => {
                dot(&mul(&a.R, direction), &sub(&b.point(&points[1]), &a.point(&points[0])))
            }
            Self::Length { points } => norm(&sub(&a.point(&points[0]), &b.point(&points[1]))),
            Self::Angle { axes, across } => {
                let (z, x) = (mul(&a.R, &axes[0]), mul(&a.R, &across[0]));
                let s = mul(&b.R, &across[1]);
                math::atan2(dot(&s, &cross(&z, &x)), dot(&s, &x))
            }
            Self::Turn { axis } => {
                let at = BaseMeasures::new(&a.R, &b.R, &[0.0; 3]);
                let [f, _] = coefficients(StrainMeasure::Se3, [at.t; 2]);
                f.ends[1] * at.a[*axis]
            }
            Self::Curve { curve, axes, points } => curve.distance(&in_plane(axes, points, a, b)),
            Self::Modal { weights } => dot(weights, &b.x),
        }
    }

    /// c at the end of a step that began with the value c₀: angles go on counting turns.
    #[inline]
    pub fn value_after(&self, c0: f64, a: &Frame, b: &Frame) -> f64 {
        let c = self.value(a, b);
        match self {
            Self::Angle { .. } => c0 + wrapped(c - c0),
            Self::Point { .. }
            | Self::Dot { .. }
            | Self::Along { .. }
            | Self::Length { .. }
            | Self::Turn { .. }
            | Self::Curve { .. }
            | Self::Modal { .. } => c,
        }
    }

    /// D over a passage.
    #[inline]
    pub fn row(&self, a: &Passage, b: &Passage) -> MeasureRow {
        let mut out = MeasureRow::default();
        let mut set = |side: usize, v: Vec3, w: Vec3| {
            out.rows[side] = [v[0], v[1], v[2], w[0], w[1], w[2]];
        };
        match self {
            Self::Point { axis, points } => {
                let mut e = [0.0; 3];
                e[*axis] = 1.0;
                let minus = scale(-1.0, &e);
                set(0, e, a.moment(&points[0], &e));
                set(1, minus, b.moment(&points[1], &minus));
                out.arms = [[(points[0], e), Default::default()], [(points[1], minus), Default::default()]];
            }
            Self::Dot { vectors } => {
                let (s, t) = (mul(&a.R, &vectors[0]), mul(&b.R, &vectors[1]));
                set(0, [0.0; 3], a.moment(&vectors[0], &t));
                set(1, [0.0; 3], b.moment(&vectors[1], &s));
                out.arms = [[(vectors[0], t), Default::default()], [(vectors[1], s), Default::default()]];
            }
            Self::Along { direction, points } => {
                let s = mul(&a.R, direction);
                let d = sub(&b.point(&points[1]), &a.point(&points[0]));
                let minus = scale(-1.0, &s);
                set(0, minus, add(&a.moment(&points[0], &minus), &a.moment(direction, &d)));
                set(1, s, b.moment(&points[1], &s));
                out.arms = [[(points[0], minus), (*direction, d)], [(points[1], s), Default::default()]];
            }
            Self::Length { points } => {
                let d = sub(&a.point(&points[0]), &b.point(&points[1]));
                let ends: [f64; 2] =
                    std::array::from_fn(|k| norm(&sub(&a.ends[k].point(&points[0]), &b.ends[k].point(&points[1]))));
                let mean = 0.5 * (ends[0] + ends[1]);
                // two points that coincide have no line between them
                let n = if mean > 0.0 { scale(1.0 / mean, &d) } else { [0.0; 3] };
                let minus = scale(-1.0, &n);
                set(0, n, a.moment(&points[0], &n));
                set(1, minus, b.moment(&points[1], &minus));
                out.arms = [[(points[0], n), Default::default()], [(points[1], minus), Default::default()]];
            }
            Self::Angle { axes, across } => {
                let across_a = cross(&axes[0], &across[0]);
                let [(c0, s0), (c1, s1)] = [0, 1].map(|k| {
                    let x = mul(&b.ends[k].R, &across[1]);
                    (dot(&x, &mul(&a.ends[k].R, &across[0])), dot(&x, &mul(&a.ends[k].R, &across_a)))
                });
                let k = per_sine(c0 * s1 - s0 * c1, c0 * c1 + s0 * s1);
                let (c, s) = (0.5 * k * (c0 + c1), 0.5 * k * (s0 + s1));
                let x = mul(&b.R, &across[1]);
                // the couple turns with both bodies, which a hinge holds on one axis: it has no arms, Newton's matrix none of their parts
                let y = axpy(&scale(c, &mul(&a.R, &across_a)), -s, &mul(&a.R, &across[0]));
                let couple = cross(&x, &y);
                set(0, [0.0; 3], body_moment(&a.ends[0].R, &a.tilt, &scale(-1.0, &couple)));
                set(1, [0.0; 3], body_moment(&b.ends[0].R, &b.tilt, &couple));
            }
            Self::Turn { axis } => {
                let [start, end] = [0, 1].map(|k| BaseMeasures::new(&a.ends[k].R, &b.ends[k].R, &[0.0; 3]));
                let [f, _] = coefficients(StrainMeasure::Se3, [start.t, end.t]);
                // Δ(f a) = f̄ Δa + ā f[t₀, t₁] Δt;  like that of an angle this couple has no arms
                let Z = BaseRows::new(&a.R, &b.R, &[0.0; 3]).Z;
                let along = 0.5 * (start.a[*axis] + end.a[*axis]) * f.slope;
                let couple = axpy(&scale(f.mean(), &Z[*axis]), along, &Z[3]);
                set(0, [0.0; 3], body_moment(&a.ends[0].R, &a.tilt, &couple));
                set(1, [0.0; 3], body_moment(&b.ends[0].R, &b.tilt, &scale(-1.0, &couple)));
            }
            // Δd = n̄·Δp, and p has components along constant directions of a
            Self::Curve { curve, axes, points } => {
                let [from, to] = [0, 1].map(|k| in_plane(axes, points, &a.ends[k], &b.ends[k]));
                let [u, v] = curve.gradient(&from, &to);
                let direction = axpy(&scale(u, &axes[0]), v, &axes[1]);
                return Self::Along { direction, points: *points }.row(a, b);
            }
            Self::Modal { weights } => set(1, *weights, [0.0; 3]),
        }
        out
    }

    /// The row of a rotor, whose rate is z_b·w_b − z_a·w_a of constant axes: z as a moment that turns with its body, R̄ z in space.
    pub fn rotor_row(&self, a: &Passage, b: &Passage) -> MeasureRow {
        let Self::Angle { axes, .. } = self else { return self.row(a, b) };
        let mut out = MeasureRow::default();
        for (side, (way, sign)) in [(a, -1.0), (b, 1.0)].into_iter().enumerate() {
            let w = body_moment(&way.ends[0].R, &way.tilt, &scale(sign, &mul(&way.R, &axes[side])));
            out.rows[side][3..].copy_from_slice(&w);
        }
        out
    }

    /// ∂c/∂(x, ψ) at these frames, ψ a turn in the frames of the bodies.
    pub fn gradient(&self, a: &Frame, b: &Frame) -> [BodyRow; 2] {
        self.row(&Passage::resting(a), &Passage::resting(b)).rows
    }
}

/// p_b in a plane of a, seen from p_a.
#[inline]
pub(super) fn in_plane(axes: &[Vec3; 2], points: &[Vec3; 2], a: &Frame, b: &Frame) -> [f64; 2] {
    let d = sub(&b.point(&points[1]), &a.point(&points[0]));
    [0, 1].map(|k| dot(&mul(&a.R, &axes[k]), &d))
}

/// φ/y of φ = atan2(y, x); half a turn, where y = 0, is one that falls short of it by 1e-8.
#[inline]
fn per_sine(y: f64, x: f64) -> f64 {
    if x > 0.0 && y.abs() < 1e-4 * x {
        (1.0 - (y / x).powi(2) / 3.0) / x
    } else {
        let y = if y.abs() < 1e-8 * x.abs() { (1e-8 * x.abs()).copysign(y) } else { y };
        math::atan2(y, x) / y
    }
}

/// An angle in (−π, π].
#[inline]
pub fn wrapped(angle: f64) -> f64 {
    use std::f64::consts::PI;
    let turns = ((angle + PI) / (2.0 * PI)).floor();
    angle - 2.0 * PI * turns
}
