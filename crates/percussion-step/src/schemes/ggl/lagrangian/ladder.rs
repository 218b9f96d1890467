//! The ladder of fallbacks of a GGL step: Newton with active sets, damped, with an inner complementarity solve, in halves.

use crate::newton::driver::{Iteration, Judged};
use crate::newton::system::Scales;
use crate::schemes::ggl::lagrangian::inner_lcp::InnerLcp;
use crate::schemes::ggl::lagrangian::newton::{GglNewton, Iterate, Setting};
use crate::{ContactState, Step, StepFailure, StepStart, Tangential};
use percussion_matrix::vector;
use percussion_model::Lagrangian;

/// The ways to solve a step, in the order they are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rung {
    /// Active sets at every iteration, full increments.
    #[default]
    Newton,
    /// r_j/10 and half increments.
    Damped,
    /// Contacts decided by a complementarity problem.
    InnerLcp,
    /// Two steps of half the length.
    Halved,
}

impl Rung {
    /// Iterations after which the next one is tried.
    pub fn limit(self) -> usize {
        match self {
            Rung::Newton => 25,
            Rung::Damped | Rung::InnerLcp | Rung::Halved => 40,
        }
    }
}

/// How often each rung solved a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LadderCounts {
    /// Plain Newton.
    pub newton: u64,
    /// Damped.
    pub damped: u64,
    /// Inner complementarity solve.
    pub inner_lcp: u64,
    /// Halved steps.
    pub halved: u64,
}

impl LadderCounts {
    /// One more step by this rung.
    pub fn add(&mut self, rung: Rung) {
        *match rung {
            Rung::Newton => &mut self.newton,
            Rung::Damped => &mut self.damped,
            Rung::InnerLcp => &mut self.inner_lcp,
            Rung::Halved => &mut self.halved,
        } += 1;
    }
}

/// One rung at work.
pub struct Attempt<'a> {
    pub newton: &'a mut GglNewton,
    pub inner: &'a mut InnerLcp,
    pub x: &'a mut Iterate,
    pub s: Setting<'a>,
    pub rung: Rung,
    /// Smooth, position and velocity parts one after the other in each iteration.
    pub sequential: bool,
    pub tolerance: f64,
}

impl Attempt<'_> {
    /// One sequential iteration: each part with the latest values of the others and its sets chosen again.
    fn sequence(&mut self) -> bool {
        let Self { newton, x, s, .. } = self;
        for part in 0..3 {
            if part > 0 {
                newton.evaluate(s, x);
                newton.choose_sets(s, x, s.numerics.r);
                newton.residuals(s, x);
            }
            if !newton.solve_part(s, x, part) {
                return false;
            }
            x.update(s, &newton.system.x);
        }
        true
    }
}

impl Iteration for Attempt<'_> {
    fn judge(&mut self, from: &StepStart, iteration: usize) -> Result<Judged, StepFailure> {
        let Self { newton, x, s, .. } = self;
        newton.evaluate(s, x);
        if iteration == 0 && !newton.scale_multipliers(s) {
            return Err(from.failure("mass and joints leave some motion without inertia"));
        }
        newton.choose_sets(s, x, s.numerics.r * if self.rung == Rung::Damped { 0.1 } else { 1.0 });
        let (momentum, conditions) = newton.residuals(s, x);
        let scales = Scales::new(&newton.at, &x.q, &x.v, &x.vd, s.v_n, s.h);
        let round_off = || newton.at.round_off(s.model, &x.q, &x.v, s.t, s.h);
        Ok(scales.judge(momentum, conditions, self.tolerance, round_off))
    }

    fn improve(&mut self, from: &StepStart, iteration: usize) -> Result<(), StepFailure> {
        if self.sequential && self.rung == Rung::Newton {
            let solved = self.sequence();
            return if solved { Ok(()) } else { Err(from.failure("a block of the sequential solution is singular")) };
        }
        let Self { newton, inner, x, s, rung, .. } = self;
        let solved = if *rung == Rung::InnerLcp {
            inner.increment(newton, s, x)
        } else if newton.is_free(s, x) {
            newton.solve_free(s, x)
        } else {
            newton.assemble(s, x);
            newton.system.factorise() && newton.system.solve()
        };
        if !solved {
            return Err(from.failure("the Newton matrix is singular"));
        }
        if *rung == Rung::Damped && iteration < rung.limit() / 2 {
            newton.system.x.iter_mut().for_each(|x| *x *= 0.5);
        }
        x.update(s, &newton.system.x);
        Ok(())
    }
}

/// The record of two half steps as that of one: `step` holds the second. Stick and slip are of the halves: the whole is closed.
pub fn join(model: &dyn Lagrangian, first: &Step, h: f64, step: &mut Step) {
    step.h = h;
    step.smallest_gap = first.smallest_gap;
    let mut sum = first.ledger;
    sum.accumulate(&step.ledger);
    step.ledger = sum;
    step.info.add(&first.info);
    let mut row = vec![0.0; step.after.q.len()];
    for (k, c) in first.contacts.iter().enumerate() {
        let along = first.friction.get(k);
        match step.contacts.binary_search_by_key(&c.id, |k| k.id) {
            Ok(k) => {
                step.contacts[k].p += c.p;
                step.contacts[k].u_before = c.u_before;
                if let (Some(sum), Some(along)) = (step.friction.get_mut(k), along) {
                    let p = [sum.p[0] + along.p[0], sum.p[1] + along.p[1]];
                    let status = step.contacts[k].status();
                    *sum = Tangential { u_before: along.u_before, p, status, ..*sum };
                }
            }
            // only in the first half: its gap and velocities are those of the whole step's end
            Err(k) => {
                let j = model.n_joints() + c.id;
                row.fill(0.0);
                model.gradient(j, &step.after.q, &mut row);
                let (gap, u_after) = (model.constraint(j, &step.after.q), vector::dot(&row, &step.after.v));
                step.contacts.insert(k, ContactState { gap, u_after, ..*c });
                if let Some(along) = along {
                    let mut along = Tangential { status: c.status(), ..*along };
                    for t in 0..along.n {
                        row.fill(0.0);
                        model.contact_tangent(c.id, t, &step.after.q, &mut row);
                        along.u_after[t] = vector::dot(&row, &step.after.v);
                    }
                    step.friction.insert(k, along);
                }
            }
        }
    }
}
