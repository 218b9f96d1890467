//! What a step of bodies leaves: accelerations for the next one, and its contacts as they ended.

use crate::schemes::ggl::bodies::{BodiesGgl, BodiesGglMemory, Found, Motion, Touch};
use crate::schemes::ggl::ledger::Works;
use crate::step::contact::judge;
use crate::{ContactState, Memory, PersistentContact, Step, StepStart, Tangential};
use percussion_model::bodies::{Frame, Twist};

impl BodiesGgl {
    /// Accelerations, reactions and joint forces into the next memory; rows of joints are placed at the end.
    pub(super) fn remember(
        &self,
        from: &StepStart,
        motion: &Motion,
        found: &Found,
        after: &[Twist],
        frames: &[Frame],
        next: &mut Memory,
    ) {
        let kept = from.memory.carried.of::<BodiesGglMemory>();
        let carried = next.carried.renew::<BodiesGglMemory>();
        carried.clone_from(kept);
        for (i, body) in self.scene.bodies().iter().enumerate() {
            let (rates, part) = (&mut carried.rates[i], &motion.parts[i]);
            rates.clear();
            rates.extend(part.a.iter().chain(&part.rate));
            // impulses leave other velocities, and these other gyroscopic moments and drags: accelerations begin again
            let pushed = found.closed.iter().any(|c| c.bodies.contains(&i)) && found.p.iter().any(|&p| p != 0.0);
            if !self.jointed() && body.is_free() && pushed && !(body.isotropic && body.drag == [0.0; 2]) {
                let rate = self.rate(i, &after[i], from.end());
                rates.clear();
                rates.extend(rate.iter().chain(&rate));
            }
        }
        if self.jointed() {
            carried.lambda.clone_from(&motion.lambda);
            carried.turns = self.turns_at(frames);
            self.carry_reactions(&kept.reactions, &motion.reactions, &mut carried.reactions);
            carried.c.clear();
            carried.c.extend(self.joints.rows.iter().map(|row| row.c));
            for (i, (forces, last)) in carried.forces.iter_mut().zip(&kept.forces).enumerate() {
                motion.forces.carry(i, &self.p, last, forces);
            }
        }
        next.u_max = 0.0;
        next.p.clear();
        next.p_t.clear();
        next.push.clear();
    }

    /// Contacts as they ended, with the works of the law and of bodies that are moved.
    pub(super) fn record(
        &self,
        motion: &Motion,
        found: &Found,
        after: &[Twist],
        frames: &[Frame],
        step: &mut Step,
        next: &mut Memory,
    ) -> Works {
        let (scene, d) = (&*self.scene, self.dim());
        step.contacts.clear();
        step.friction.clear();
        next.persistent.clear();
        let mut of_joints = Vec::new();
        scene.joint_touches(frames, &self.turns_at(frames), &mut of_joints);
        let mut works = Works::default();
        for (i, c) in found.closed.iter().enumerate() {
            let (p, before) = (&found.p[i * d..(i + 1) * d], &found.u_before[i * d..(i + 1) * d]);
            let rates = |twists: &[Twist]| -> [f64; 3] { std::array::from_fn(|k| c.rate(k, twists)) };
            let (u, free) = (rates(after), rates(&motion.tilde));
            for k in 0..d {
                works.law += 0.5 * p[k] * (before[k] + u[k]);
                works.driven -= 0.5 * p[k] * (self.led_rate(c, k, &motion.before) + self.led_rate(c, k, after));
            }
            let gap = match &c.point {
                Some(point) => point.gap_at(&frames[c.bodies[0]], &frames[c.bodies[1]]),
                None => of_joints.iter().find(|touch| touch.id == c.id).map_or(c.gap, |touch| touch.gap),
            };
            let (id, u_before) = (c.id as usize, before[0]);
            step.contacts.push(ContactState { id, gap, u_before, u_free: free[0], u_after: u[0], p: p[0] });
            step.friction.push(self.along(i, c, p, before, &u));
            let mobility = self.coupling((c.bodies, &c.rows[0]), (c.bodies, &c.rows[0]));
            let mut kept = [0.0; 5];
            kept[..d].copy_from_slice(p);
            let nu = found.nu.get(&c.id).copied().unwrap_or(0.0);
            let push = mobility * p[0];
            next.persistent.push(PersistentContact { id: c.id, p: kept, push, nu, ..Default::default() });
        }
        judge(step, 1.0, |i| (found.closed[i].mu(), next.persistent[i].push));
        works
    }

    /// The part of a relative velocity that fixed and prescribed bodies have.
    fn led_rate(&self, c: &Touch, k: usize, twists: &[Twist]) -> f64 {
        let sides = c.bodies.iter().zip(&c.rows[k]).filter(|(body, _)| !self.scene.bodies()[**body].is_free());
        sides.map(|(body, row)| super::apply(row, &twists[*body])).sum()
    }

    /// What contact i did along its tangents.
    fn along(&self, i: usize, c: &Touch, p: &[f64], before: &[f64], after: &[f64; 3]) -> Tangential {
        let d = self.dim();
        let fremond = self.rule.fremond.get(i).copied().unwrap_or(false);
        let mut along = Tangential { n: d - 1, frictional: c.mu() > 0.0, fremond, ..Default::default() };
        along.u_before[..d - 1].copy_from_slice(&before[1..d]);
        along.u_after[..d - 1].copy_from_slice(&after[1..d]);
        along.p[..d - 1].copy_from_slice(&p[1..d]);
        along
    }
}
