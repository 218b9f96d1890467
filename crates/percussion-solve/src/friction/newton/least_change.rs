//! An answer followed from one problem to a nearby one, with the least change: Newton on the Alart–Curnier function from where it stands.
//!
//!   J δr = −F in least squares,  J = G_r + G_u W,    impulses that follow from the others keep their share
//!
//! in units in which W_ii = 1. Redundant contacts share loads at will, and what their b leave unmet by round-off would move shares for ever: the part of F
//! that no impulses can change is left as it is.

use super::alart_curnier::Law;
use crate::friction::task::Task;
use percussion_matrix::PivotedQr;

/// Rows of closed contacts up to which this is tried.
const ROWS: usize = 240;
/// Newton's iterations: what does not arrive soon is no nearby problem.
const ITERATIONS: usize = 8;
/// Part of the largest column below which one follows from the others.
const DEPENDENT: f64 = 1e-9;
/// Fall of ‖F‖ that is worth another iteration.
const WORTH: f64 = 0.5;

/// The method with its work memory.
#[derive(Debug, Default)]
pub(crate) struct LeastChange {
    qr: PivotedQr,
    best: Vec<f64>,
    u: Vec<f64>,
    right: Vec<f64>,
    step: Vec<f64>,
}

impl LeastChange {
    /// Improves r as far as it goes; the iterations, none where there are too many contacts.
    pub fn solve<const D: usize, const D2: usize>(&mut self, task: &Task, r: &mut [f64]) -> Option<usize> {
        self.u.resize(r.len(), 0.0);
        let mut least = f64::INFINITY;
        for iteration in 0..=ITERATIONS {
            task.problem.velocity(r, &mut self.u);
            let contacts = r.as_chunks::<D>().0.iter().zip(self.u.as_chunks::<D>().0).enumerate();
            let laws: Vec<Law<D, D2>> =
                contacts.map(|(i, (r, u))| Law::at(task.problem.cone(i), task.rho[i], r, u)).collect();
            let square = |i: usize| laws[i].F.iter().map(|f| f * f).sum::<f64>() / task.rho[i];
            let left = (0..laws.len()).map(square).sum::<f64>().sqrt();
            let worth = left <= WORTH * least;
            if left < least {
                least = left;
                self.best.clear();
                self.best.extend_from_slice(r);
            }
            if !worth || left == 0.0 || iteration == ITERATIONS || task.stop.requested() {
                r.copy_from_slice(&self.best);
                return Some(iteration);
            }
            self.improve(task, &laws, r)?;
        }
        None
    }

    /// r + δr: open contacts say δr = −r.
    fn improve<const D: usize, const D2: usize>(
        &mut self,
        task: &Task,
        laws: &[Law<D, D2>],
        r: &mut [f64],
    ) -> Option<()> {
        let (W, rho) = (&task.problem.W, task.rho);
        let blocks = W.values().as_chunks::<D2>().0;
        let closed: Vec<usize> = (0..laws.len()).filter(|&i| !laws[i].open).collect();
        let rows = closed.len() * D;
        if rows > ROWS {
            return None;
        }
        let mut place = vec![usize::MAX; laws.len()];
        closed.iter().enumerate().for_each(|(a, &i)| place[i] = a);
        self.right.clear();
        self.right.resize(rows, 0.0);
        let A = self.qr.reset(rows, rows);
        for (a, &i) in closed.iter().enumerate() {
            let law = &laws[i];
            for k in 0..D {
                self.right[a * D + k] -= law.F[k] / rho[i].sqrt();
            }
            for e in W.row_ptr()[i]..W.row_ptr()[i + 1] {
                let j = W.col_idx()[e] as usize;
                for c in 0..D {
                    for k in 0..D {
                        let through: f64 = (0..D).map(|m| law.G_u[m * D + k] * blocks[e][c * D + m]).sum();
                        let x = through + if i == j { law.G_r[c * D + k] } else { 0.0 };
                        match place[j] {
                            usize::MAX => self.right[a * D + k] += x * r[j * D + c] / rho[i].sqrt(),
                            b => A[(b * D + c) * rows + a * D + k] = x * (rho[j] / rho[i]).sqrt(),
                        }
                    }
                }
            }
        }
        self.qr.factorise(DEPENDENT);
        self.step.clear();
        self.step.resize(rows, 0.0);
        self.qr.solve(&mut self.right, &mut self.step);
        for (i, law) in laws.iter().enumerate() {
            for k in 0..D {
                if law.open {
                    r[i * D + k] = 0.0;
                } else {
                    r[i * D + k] += self.step[place[i] * D + k] * rho[i].sqrt();
                }
            }
        }
        r.iter().all(|x| x.is_finite()).then_some(())
    }
}
