//! The account of a GGL step of bodies, entry by entry as in `../ledger.rs`.
//!
//!   Δq = (Δx, ψ),  cay(ψ) = R_nᵀR_{n+1};    loads ΔqᵀF_γ, drag −Δqᵀc v_γ;    gyroscopic work is part of the α-method
//!   joints  h v_½ᵀf_γ over all bodies, f = Dᵀλ filtered as a is; motors the same, as loads
//!
//! What a fixed or prescribed body puts in through joints, springs and contacts is −v_½ times the force on it.

use crate::newton::system::filtered;
use crate::schemes::ggl::bodies::elements::world_moments;
use crate::schemes::ggl::bodies::joints::as_row;
use crate::schemes::ggl::bodies::shift::along;
use crate::schemes::ggl::bodies::{BodiesGgl, BodiesGglMemory, Found, Motion, Row, Touch};
use crate::schemes::ggl::ledger::Works;
use crate::{Memory, NewmarkLike, StepStart};
use percussion_model::bodies::math::{compose, mul};
use percussion_model::bodies::{Frame, RowLaw, Twist, at};

/// Forces Dᵀλ by body: of rigid rows, and of motors.
#[derive(Clone, Debug, Default)]
pub struct Filtered {
    rigid: Vec<Row>,
    motors: Vec<Row>,
}

/// Places in the forces of a body: filtered force and force, of rigid rows and of motors.
const RIGID: usize = 0;
const MOTORS: usize = 12;

impl Filtered {
    /// At the start of a run: filtered as they are.
    pub fn begin(&self, i: usize) -> Vec<f64> {
        [self.rigid[i], self.rigid[i], self.motors[i], self.motors[i]].concat()
    }

    /// Those of the next step.
    pub fn carry(&self, i: usize, p: &NewmarkLike, last: &[f64], next: &mut Vec<f64>) {
        next.clear();
        for (place, force) in [(RIGID, &self.rigid[i]), (MOTORS, &self.motors[i])] {
            next.extend((0..6).map(|k| filtered(p, last[place + k], last[place + 6 + k], force[k])));
            next.extend(force);
        }
    }
}

/// Δq between two frames of a body; in the plane the angle is that of the coordinates.
pub(super) fn displacement(planar: Option<f64>, from: &Frame, to: &Frame) -> Row {
    let mut dq = [to.x[0] - from.x[0], to.x[1] - from.x[1], to.x[2] - from.x[2], 0.0, 0.0, 0.0];
    match planar {
        Some(angle) => dq[5] = angle,
        None => {
            // Cayley's vector: twice the vector part over the scalar one
            let back = [from.q[0], -from.q[1], -from.q[2], -from.q[3]];
            let turn = compose(&back, &to.q);
            (0..3).for_each(|k| dq[3 + k] = 2.0 * turn[1 + k] / turn[0]);
        }
    }
    dq
}

impl BodiesGgl {
    /// Dᵀλ by body, with the rows where they are placed.
    pub(super) fn joint_forces(&self, lambda: &[f64]) -> Filtered {
        let zero = || vec![[0.0; 6]; self.scene.len()];
        let mut forces = Filtered { rigid: zero(), motors: zero() };
        for (row, l) in self.joints.rows.iter().zip(lambda) {
            let to = match row.law {
                RowLaw::Rigid { .. } => &mut forces.rigid,
                RowLaw::Rate(_) | RowLaw::Force(_) | RowLaw::Servo(_) => &mut forces.motors,
                RowLaw::Spring { .. } | RowLaw::Curve(_) | RowLaw::Rotor { .. } => continue,
            };
            for (body, D) in &row.D {
                (0..6).for_each(|k| to[*body][k] += l * D[k]);
            }
        }
        forces
    }

    /// The works that belong to the motion between the states; rows of joints are placed at the end.
    pub(super) fn account(
        &mut self,
        from: &StepStart,
        next: &Memory,
        motion: &Motion,
        found: &Found,
        after: &[Twist],
        works: &mut Works,
    ) {
        let StepStart { state, memory, h } = *from;
        let kept = memory.carried.of::<BodiesGglMemory>();
        let (scene, gamma) = (std::sync::Arc::clone(&self.scene), self.p.gamma);
        let n = scene.len();
        let (mut zeta, mut a_gamma, mut v_half) = (vec![[0.0; 6]; n], vec![[0.0; 6]; n], vec![[0.0; 6]; n]);
        let mut displaced = vec![[0.0; 6]; n];
        works.bracket = self.potential(&found.q) - self.potential(&state.q);
        works.damping = motion.damping;
        works.loads = motion.prescribed;
        for (i, body) in scene.bodies().iter().enumerate() {
            let (v_n, v) = (as_row(&motion.before[i]), as_row(&after[i]));
            v_half[i] = std::array::from_fn(|k| 0.5 * (v_n[k] + v[k]));
            if !body.is_free() {
                continue;
            }
            let planar = scene.is_planar().then(|| found.q[3 * i + 2] - state.q[3 * i + 2]);
            let dq = displacement(planar, &scene.frame(i, &state.q), &scene.frame(i, &found.q));
            displaced[i] = dq;
            let a_n = &kept.rates[i][..6];
            a_gamma[i] = std::array::from_fn(|k| (1.0 - gamma) * a_n[k] + gamma * motion.parts[i].a[k]);
            zeta[i] = std::array::from_fn(|k| dq[k] - h * v_half[i][k]);
            let spin = mul(&body.inertia, &[a_gamma[i][3], a_gamma[i][4], a_gamma[i][5]]);
            works.bracket += h * (0..3).map(|k| v_half[i][k] * body.mass * a_gamma[i][k]).sum::<f64>();
            works.bracket += h * (0..3).map(|k| v_half[i][3 + k] * spin[k]).sum::<f64>();
            for (weight, t, v) in [(1.0 - gamma, state.t, &v_n), (gamma, from.end(), &v)] {
                let (force, torque) = (at(&body.force, t), at(&body.torque, t));
                for k in 0..3 {
                    works.loads += weight * (dq[k] * force[k] + dq[3 + k] * torque[k]);
                    works.damping -= weight * (body.drag[0] * dq[k] * v[k] + body.drag[1] * dq[3 + k] * v[3 + k]);
                }
            }
        }
        for (weight, t, q) in [(1.0 - gamma, state.t, &state.q), (gamma, from.end(), &found.q)] {
            if scene.world_moments().is_empty() {
                break;
            }
            for (i, moment) in world_moments(&scene, &self.frames(q), t) {
                works.loads += weight * (0..3).map(|k| displaced[i][3 + k] * moment[k]).sum::<f64>();
            }
        }
        for span in scene.spans() {
            let [a, b] = span.bodies;
            let between = |x: &[Row], k: usize| x[b][k] - x[a][k];
            let work: f64 = (0..3).map(|k| between(&v_half, k) * between(&a_gamma, k)).sum();
            works.bracket -= h * span.coupling * work;
        }
        if self.jointed() {
            let forces = (&kept.forces[..], &next.carried.of::<BodiesGglMemory>().forces[..]);
            self.joint_works(forces, &found.held.l, &v_half, h, works);
        }
        works.projection = self.projected(found, &zeta, &a_gamma);
    }

    /// Joints and motors: impulses Λ at the end, forces filtered.
    fn joint_works(
        &self,
        (before, after): (&[Vec<f64>], &[Vec<f64>]),
        l: &[f64],
        v_half: &[Row],
        h: f64,
        works: &mut Works,
    ) {
        for (row, l) in self.joints.rows.iter().zip(l) {
            let work = l * row.rate(v_half);
            match row.law {
                RowLaw::Rate(_) => works.driven += work,
                RowLaw::Rigid { .. }
                | RowLaw::Force(_)
                | RowLaw::Servo(_)
                | RowLaw::Spring { .. }
                | RowLaw::Curve(_)
                | RowLaw::Rotor { .. } => {
                    works.joint_impulses += work;
                }
            }
            works.driven -= l * row.rate_of_prescribed(&self.scene, v_half);
        }
        let gamma = self.p.gamma;
        for (i, body) in self.scene.bodies().iter().enumerate() {
            let (last, now) = (&before[i], &after[i]);
            let work = |place: usize| {
                let of = |k: usize| v_half[i][k] * ((1.0 - gamma) * last[place + k] + gamma * now[place + k]);
                h * (0..6).map(of).sum::<f64>()
            };
            let (rigid, motors) = (work(RIGID), work(MOTORS));
            works.joint_forces += rigid;
            works.loads += motors;
            if !body.is_free() {
                works.loads -= rigid + motors;
            }
        }
    }

    /// Pr over the rows of held joints and pushing contacts.
    fn projected(&mut self, found: &Found, zeta: &[Row], a_gamma: &[Row]) -> f64 {
        let d = self.dim();
        let pushes = |(i, c): &(usize, &Touch)| found.p[i * d] > 0.0 || found.nu.get(&c.id).is_some_and(|&nu| nu > 0.0);
        let pushing = found.closed.iter().enumerate().filter(pushes).map(|(_, c)| c);
        let (rows, _) = self.factorise_rows(pushing);
        self.projection.work(rows.iter().map(|row| (along(row, zeta), along(row, a_gamma))))
    }
}
