//! Works of joints, motors and springs over a step.

use crate::bodies::joint_system::{JointSystem, dot6, row_dot};
use crate::bodies::momentum::{MomentumBook, Source};
use crate::bodies::theta_step::{BodiesStart, mean_twist};
use percussion_model::bodies::math::{dot, norm};
use percussion_model::bodies::{Body, RowLaw, Twist};

/// Part of the energy that an exact row of a rigid joint may do as work: more is no motion of these joints.
const LOCKED: f64 = 1e-7;
/// Part of the largest energy so far that it may do: a tenth of what the certificate of energy allows.
const REST: f64 = 1e-10;

/// Works of joints, motors and springs over a step [J].
#[derive(Clone, Copy, Debug, Default)]
pub struct RowWorks {
    /// Of rigid rows.
    pub joints: f64,
    /// Of motors, and of the hands that move bodies.
    pub external: f64,
    /// Of motors alone.
    pub motors: f64,
    /// Of dampers.
    pub damping: f64,
    /// Potential lost less work done.
    pub numerical: f64,
    /// The largest work of a rigid row that is exact over a step, where none is done, and its number.
    pub open: (f64, usize),
}

impl JointSystem {
    /// Works of the rows for reactions λ: (joints, external, dampers, what free bodies got from told ones is external).
    pub fn works(&self, from: &BodiesStart, after: &[Twist], lambda: &[f64]) -> RowWorks {
        let mut works = RowWorks::default();
        for (r, row) in self.rows.iter().enumerate() {
            let work = lambda[r] * self.rate[r];
            match &row.law {
                RowLaw::Rigid { .. } => {
                    works.joints += work;
                    if work.abs() > works.open.0 {
                        works.open = (work.abs(), r);
                    }
                }
                RowLaw::Rate(_) | RowLaw::Force(_) | RowLaw::Servo(_) => {
                    works.external += work;
                    works.motors += work;
                }
                // its energy is kinetic; what θ > ½ takes is numerical
                RowLaw::Rotor { .. } => works.numerical -= work,
                RowLaw::Curve(curve) => {
                    let [c0, c1] = [self.c_start[r], self.c_end[r]];
                    let elastic = curve.over_step([c0, c1], from.h).elastic * self.rate[r];
                    works.damping += work - elastic;
                    works.numerical += curve.potential(c0) - curve.potential(c1) - elastic;
                }
                RowLaw::Spring { stiffness, rest, .. } => {
                    let change = self.c_end[r] - self.c_start[r];
                    let mean = 0.5 * (self.c_end[r] + self.c_start[r]);
                    // what the spring gave up went to the potential; where D is not exact the rest is numerical
                    let elastic = -stiffness * (mean - rest) * change;
                    let share = if lambda[r] == 0.0 { 1.0 } else { -from.h * stiffness * (mean - rest) / lambda[r] };
                    works.damping += work * (1.0 - share);
                    works.numerical += elastic - work * share;
                }
            }
        }
        for (i, &(first, n)) in self.of_body.iter().enumerate() {
            if self.inverse[i].0 > 0.0 || n == 0 {
                continue;
            }
            let mean = mean_twist(&self.scene.bodies()[i], (&from.before[i], &after[i]), self.theta, from.h);
            for e in &self.entries[first..first + n] {
                works.external -= lambda[e.row] * row_dot(&e.D, &mean);
            }
        }
        let rotors = |twists: &[Twist]| self.scene.rotor_energy(|i| twists[i]);
        works.numerical -= rotors(after) - rotors(from.before);
        works.damping -= self.viscous_work();
        works
    }

    /// Kinetic energies at both ends of the step, what springs hold, and what loads would make of rest.
    pub fn energy(&self, from: &BodiesStart, after: &[Twist]) -> f64 {
        let mut energy = self.motion_of_elements() + self.stored();
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let force = &from.wrenches[i].force;
            energy += body.kinetic_energy(&from.before[i]) + body.kinetic_energy(&after[i]);
            energy += from.h * from.h * body.inverse_mass * dot(force, force);
        }
        energy
    }

    /// What round-off of places makes of the largest velocity, 2 ε (|x| + size)/h.
    fn sharpness(&self, from: &BodiesStart) -> f64 {
        let free = self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free());
        let of = |(i, body): (usize, &Body)| norm(&from.frames[i].x) + body.reach;
        2.0 * f64::EPSILON * free.map(of).fold(0.0, f64::max) / from.h
    }

    /// Why works of rigid rows are no motion of these joints, if they are more than round-off: bodies stretched out so that no reaction holds them
    /// move by what the equations of joints are solved to. Places of joints that contacts have `jammed` may leave their round-off besides; what came
    /// to rest is compared with the `most` energy it had.
    pub fn locked(
        &self,
        from: &BodiesStart,
        after: &[Twist],
        (works, lambda): (&RowWorks, &[f64]),
        (jammed, most): (bool, f64),
    ) -> Option<String> {
        let (open, row) = works.open;
        let small = REST * most;
        if open <= small {
            return None;
        }
        let reaction = lambda.get(row).filter(|_| jammed).map_or(0.0, |l| l.abs());
        let small = reaction * self.sharpness(from) + small;
        (open > LOCKED * self.energy(from, after) + small).then(|| {
            let name = self.joint_of(row).map_or("a joint", |j| &self.scene.joints()[j].name);
            format!(
                "the reactions at \"{name}\" grow without bound: here the joints resist a load only by moving, and hold what they should not"
            )
        })
    }

    /// The energy that stays open at the last evaluation: what is left of the equations of motion, r · v_θ, and works of rigid rows [J].
    pub fn left_open(&self, from: &BodiesStart, after: &[Twist], lambda: &[f64]) -> f64 {
        let mut open = 0.0;
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let mean = mean_twist(body, (&from.before[i], &after[i]), self.theta, from.h);
            open += row_dot(&self.r_body[i], &mean).abs();
        }
        let rigid = self.rows.iter().enumerate().filter(|(_, row)| matches!(row.law, RowLaw::Rigid { .. }));
        open + rigid.map(|(r, _)| (lambda[r] * self.rate[r]).abs()).sum::<f64>()
    }

    /// What springs hold where the step starts, ½ k (c − c₀)² [J].
    pub fn stored(&self) -> f64 {
        let held = self.rows.iter().zip(&self.c_start).map(|(row, c)| match &row.law {
            RowLaw::Spring { stiffness, rest, .. } => 0.5 * stiffness * (c - rest) * (c - rest),
            RowLaw::Curve(curve) => curve.potential(*c).abs(),
            RowLaw::Rigid { .. } | RowLaw::Rate(_) | RowLaw::Force(_) | RowLaw::Servo(_) | RowLaw::Rotor { .. } => 0.0,
        });
        held.sum()
    }

    /// What servos, motors of a given force and springs alone would make of rest, Σ λ² D A⁻¹Dᵀ [J].
    pub fn driven(&self, lambda: &[f64]) -> f64 {
        let mut energy = 0.0;
        for (i, &(first, n)) in self.of_body.iter().enumerate().filter(|(i, _)| self.inverse[*i].0 > 0.0) {
            for e in &self.entries[first..first + n] {
                energy += match &self.rows[e.row].law {
                    RowLaw::Force(_) | RowLaw::Servo(_) | RowLaw::Spring { .. } | RowLaw::Curve(_) => {
                        lambda[e.row] * lambda[e.row] * dot6(&e.D, &self.respond(i, &e.D))
                    }
                    // reactions: as large as they have to be
                    RowLaw::Rigid { .. } | RowLaw::Rate(_) | RowLaw::Rotor { .. } => 0.0,
                };
            }
        }
        energy
    }

    /// Books the reactions of rows that reach a body which is fixed or moved.
    pub fn book(&self, lambda: &[f64], book: &mut MomentumBook) {
        let free = |i: usize| self.inverse[i].0 > 0.0;
        for (i, &(first, n)) in
            self.of_body.iter().enumerate().filter(|(i, _)| free(*i) && !self.scene.bodies()[*i].modal)
        {
            let way = &self.passages[i];
            // what a joint does to a body is one impulse, of all its rows
            for own in
                self.entries[first..first + n].chunk_by(|a, b| self.rows[a.row].source == self.rows[b.row].source)
            {
                let mut sum = [0.0; 6];
                for e in own {
                    sum.iter_mut().zip(&e.D).for_each(|(s, d)| *s += lambda[e.row] * d);
                }
                let source = if self.rows[own[0].row].source.inside { Source::Inside } else { Source::Joint };
                let [p, m] = [[sum[0], sum[1], sum[2]], [sum[3], sum[4], sum[5]]];
                book.impulse(source, &way.x, &p, &way.spatial(&m));
            }
        }
    }
}
