//! Bodies that were placed by hand moved onto their joints, by the least motion weighed by mass.
//!
//!   x = M⁻¹Jᵀλ,   J M⁻¹Jᵀ λ = −g(q),   repeated at q moved by x;    of velocities   v ← v − M⁻¹Jᵀ(J M⁻¹Jᵀ)⁻¹ J v
//!
//! Schemes that keep joints at position level answer a miss with the impulse that closes it within one step, of the size m g/h.

use crate::newton::project_start::solve;
use crate::{Model, State};
use percussion_matrix::vector;
use percussion_model::bodies::{Bodies, Twist};
use percussion_model::{Code, InputError};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// Part of the size of the scene by which bodies may miss their joints and are moved without being asked.
const MISS: f64 = 1e-6;
/// Part of the velocities by which bodies may part without being refused.
const PARTING: f64 = 1e-3;
/// Part of the size of the scene by which joints may be missed and nothing is moved, and what is aimed at otherwise.
const ROUND_OFF: f64 = 1e-14;
const HOLDS: f64 = 1e-15;
/// Times the joints are looked at.
const PASSES: usize = 30;

/// Moves bodies that were placed by hand onto their joints. A miss that is more than round-off, and velocities that part them, are refused unless `all`
/// are to be moved.
pub fn onto_joints(scene: &Arc<Bodies>, state: &mut State, all: bool) -> Result<(), InputError> {
    let model = Model::from(Arc::clone(scene));
    let n = model.n_joints();
    let size = 1.0_f64.max(vector::max_abs(&state.q));
    let misses = |q: &[f64]| (0..n).map(|j| model.joint(j, q)).collect::<Vec<f64>>();
    let mut g = misses(&state.q);
    let Some(worst) = (0..n).max_by(|&a, &b| g[a].abs().total_cmp(&g[b].abs())) else { return Ok(()) };
    let named = |j: usize| format!("joint \"{}\"", model.joint_name(j));
    if !all && g[worst].abs() > MISS * size {
        let message = format!("the bodies of {} miss it by {:.6e}", named(worst), g[worst].abs());
        let help = "place them so that the joints hold, or let them be moved together: \"project\": true";
        return Err(InputError::new(Code::JOINT_POSITION, "state.q", message, help));
    }
    let solver = SolverOptions::default();
    let unsolvable = |code, what: &str| {
        let help = "check that the mechanism can be assembled near the state given";
        InputError::new(code, "state", format!("no {what} could be found that the joints allow"), help)
    };
    let mut passes = 0;
    let needed = g[worst].abs() > ROUND_OFF * size;
    while needed && passes < PASSES && g.iter().any(|g| g.abs() > HOLDS * size) {
        let rows = Rows::at(&model, scene, &state.q);
        let moved = rows.response(&g, solver).ok_or_else(|| unsolvable(Code::JOINT_POSITION, "place"))?;
        let from = state.q.clone();
        for i in (0..scene.len()).filter(|&i| scene.bodies()[i].inverse_mass > 0.0) {
            let Twist { v, w } = scene.twist(i, &moved);
            scene.advance(i, &from, 1.0, &Twist { v, w }, &mut state.q);
        }
        let now = misses(&state.q);
        let (before, after) = (vector::max_abs(&g), vector::max_abs(&now));
        passes += 1;
        // round-off of rows and places is reached
        if after.is_nan() || after >= 0.5 * before {
            if after <= 1e-12 * size {
                break;
            }
            if passes > 8 || !after.is_finite() {
                return Err(unsolvable(Code::JOINT_POSITION, "place"));
            }
        }
        g = now;
    }
    let rates: Vec<f64> = (0..n).map(|j| model.joint_rate(j, &state.q, &state.v)).collect();
    let limit = if all { ROUND_OFF } else { PARTING } * vector::max_abs(&state.v) * size;
    match (0..n).find(|&j| rates[j].abs() > limit) {
        Some(j) if !all => {
            let message = format!("the bodies of {} part at {:.6e} per second", named(j), rates[j]);
            let help = "give velocities that the joints allow, or let them be changed: \"project\": true";
            Err(InputError::new(Code::JOINT_VELOCITY, "state.v", message, help))
        }
        Some(_) => {
            let rows = Rows::at(&model, scene, &state.q);
            let change = rows.response(&rates, solver).ok_or_else(|| unsolvable(Code::JOINT_VELOCITY, "velocity"))?;
            vector::axpy(1.0, &change, &mut state.v);
            Ok(())
        }
        None => Ok(()),
    }
}

/// J and M⁻¹Jᵀ where bodies stand, row by row.
struct Rows {
    rows: Vec<Vec<(usize, f64)>>,
    columns: Vec<Vec<f64>>,
}

impl Rows {
    fn at(model: &Model, scene: &Bodies, q: &[f64]) -> Self {
        let (mut rows, mut columns) = (Vec::new(), Vec::new());
        let (along, about) = if scene.is_planar() { (2, 1) } else { (3, 3) };
        for j in 0..model.n_joints() {
            let mut row = Vec::new();
            model.joint_row(j, q, &mut row);
            let mut dense = vec![0.0; model.n_v()];
            row.iter().for_each(|&(k, x)| dense[k] += x);
            for (i, body) in scene.bodies().iter().enumerate() {
                let part = &mut dense[(along + about) * i..(along + about) * (i + 1)];
                part[..along].iter_mut().for_each(|x| *x *= body.inverse_mass);
                let I = &body.inverse_inertia;
                if about == 1 {
                    part[along] *= I[2][2];
                } else {
                    let w = [part[3], part[4], part[5]];
                    (0..3).for_each(|k| part[3 + k] = (0..3).map(|l| I[k][l] * w[l]).sum());
                }
            }
            rows.push(row);
            columns.push(dense);
        }
        Self { rows, columns }
    }

    /// M⁻¹Jᵀλ with J M⁻¹Jᵀ λ = −g.
    fn response(&self, g: &[f64], options: SolverOptions) -> Option<Vec<f64>> {
        let W = |i: usize, j: usize| self.rows[i].iter().map(|&(k, x)| x * self.columns[j][k]).sum::<f64>();
        let lambda = solve(g.len(), g.len(), &W, g, 0.0, options)?;
        let mut x = vec![0.0; self.columns.first().map_or(0, Vec::len)];
        for (column, &lambda) in self.columns.iter().zip(&lambda) {
            vector::axpy(lambda, column, &mut x);
        }
        Some(x)
    }
}
