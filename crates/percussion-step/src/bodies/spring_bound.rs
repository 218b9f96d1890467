//! How long a step may be where springs act with their force at the predicted middle.
//!
//!   λ_max(M⁻¹ Σ (θh²k + h c) DᵀD) < 2,   D the gradient of a spring's length
//!
//! One mass on a spring: v⁺ = (1 − z²/2 − δ) v − z² x/h, x⁺ = x + h v_θ with z = h√(k/m), δ = h c/m. Jury's conditions on its
//! trace and determinant give θz² + δ < 2; for a free spring at θ = ½ that is h√(k/m) < 2.

use percussion_model::bodies::math::{axpy, mul};
use percussion_model::bodies::measure::{BodyRow, Measure};
use percussion_model::bodies::{Bodies, Frame};

/// The largest λ that does not grow.
pub const STABLE: f64 = 2.0;
/// Power iterations: λ is then known from below to a few per cent, which a warning may be off by.
const ITERATIONS: usize = 60;

/// λ_max at the start of a run, from below.
pub fn spring_growth(scene: &Bodies, theta: f64, h: f64) -> f64 {
    if scene.springs().is_empty() {
        return 0.0;
    }
    let frames: Vec<Frame> = (0..scene.len()).map(|i| scene.frame(i, scene.q0())).collect();
    let rows: Vec<[BodyRow; 2]> = scene
        .springs()
        .iter()
        .map(|s| {
            let row = |points| Measure::Length { points }.gradient(&frames[s.bodies[0]], &frames[s.bodies[1]]);
            let found = row(s.points);
            // ends that meet pull wherever they part to: along z as well as anywhere
            let meet = found.iter().flatten().all(|&x| x == 0.0);
            if meet { row([axpy(&s.points[0], 1e-6, &[0.0, 0.0, 1.0]), s.points[1]]) } else { found }
        })
        .collect();
    let respond = |i: usize, x: &BodyRow| -> BodyRow {
        let body = &scene.bodies()[i];
        if !body.is_free() {
            return [0.0; 6];
        }
        let (m, w) = (body.inverse_mass, mul(&body.inverse_inertia, &[x[3], x[4], x[5]]));
        [m * x[0], m * x[1], m * x[2], w[0], w[1], w[2]]
    };
    // M⁻¹DᵀK D on the stretches of the springs, where it has the same eigenvalues: y = (D M⁻¹ Dᵀ) (s y)
    let mut y: Vec<f64> = (0..rows.len()).map(|i| if i.is_multiple_of(2) { 1.0 } else { -1.1 }).collect();
    let mut answer = vec![[0.0; 6]; scene.len()];
    let mut growth = 0.0;
    for _ in 0..ITERATIONS {
        answer.fill([0.0; 6]);
        for ((spring, row), y) in scene.springs().iter().zip(&rows).zip(&y) {
            let s = theta * h * h * spring.stiffness + h * spring.damping;
            for side in 0..2 {
                let x = respond(spring.bodies[side], &row[side]);
                for k in 0..6 {
                    answer[spring.bodies[side]][k] += s * y * x[k];
                }
            }
        }
        let mut largest = 0.0_f64;
        for ((spring, row), y) in scene.springs().iter().zip(&rows).zip(&mut y) {
            let of = |side: usize| -> f64 { (0..6).map(|k| row[side][k] * answer[spring.bodies[side]][k]).sum() };
            *y = of(0) + of(1);
            largest = largest.max(y.abs());
        }
        growth = largest;
        if largest == 0.0 || !largest.is_finite() {
            break;
        }
        y.iter_mut().for_each(|y| *y /= largest);
    }
    growth
}
