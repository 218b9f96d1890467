//! A step of bodies whose solved numbers are given: what its equations lack, and where it leads. Who differentiates the step asks.
//!
//!   M v̇ + … − f − Dᵀλ at (q̃, ṽ), and the laws of λ;      U − U_T − M⁻¹(Dᵀν_b + H_Nᵀν),  c − target at q = q̃ ⊕ U
//!   v − ṽ − M⁻¹(DᵀΛ + Hᵀp),  D v − ω at q;      gaps and velocities of the contacts for their laws
//!
//! Which contacts are closed, and whose z counts in U_T, is given too.

use crate::schemes::ggl::bodies::account::displacement;
use crate::schemes::ggl::bodies::joints::as_row;
use crate::schemes::ggl::bodies::shift::along;
use crate::schemes::ggl::bodies::{BodiesGgl, BodiesGglMemory, Row, Touch, as_twist};
use crate::{Memory, State};
use percussion_model::bodies::{Frame, RowLaw, Twist};

/// What a step starts from.
#[derive(Clone, Copy)]
pub struct Begun<'a> {
    pub state: &'a State,
    /// a and v̇ by body.
    pub rates: &'a [Vec<f64>],
    /// c at the start less what frames tell of it, and whole turns of joints.
    pub turned: &'a [f64],
    pub turns: &'a [f64],
    pub h: f64,
    /// Whether friction moves places.
    pub shifted: bool,
}

/// What it solves for.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// v̇, U and v by body.
    pub rate: Vec<Row>,
    pub way: Vec<Row>,
    pub after: Vec<Row>,
    /// λ, ν_b and Λ by row of the joints.
    pub lambda: Vec<f64>,
    pub nu_b: Vec<f64>,
    pub La: Vec<f64>,
    /// The closed contacts: their numbers, ν, p in blocks, whether their z counts in U_T, and whether they push, in place or velocity.
    pub closed: Vec<u64>,
    pub nu: Vec<f64>,
    pub p: Vec<f64>,
    pub counts: Vec<bool>,
    pub pushing: Vec<bool>,
}

/// A contact at the end of the step.
#[derive(Clone, Copy, Debug)]
pub struct Met {
    pub gap: f64,
    pub restitution: f64,
    pub friction: f64,
    /// u_n and u with the rows there.
    pub before: [f64; 3],
    pub after: [f64; 3],
}

/// What equations lack, and where the step leads.
#[derive(Debug, Default)]
pub struct Left {
    /// Of the smooth motion, of U and of v, by body.
    pub smooth: Vec<Row>,
    pub way: Vec<Row>,
    pub velocity: Vec<Row>,
    /// Of the laws of λ, of c and of D v, by row; none of rows that do not hold.
    pub laws: Vec<f64>,
    pub places: Vec<Option<f64>>,
    pub rates: Vec<Option<f64>>,
    /// The closed contacts; none that is not found.
    pub met: Vec<Option<Met>>,
    /// Gaps within reach at q̃ and at q.
    pub gaps: [Vec<(u64, f64)>; 2],
    /// q, v, and a and v̇ by body.
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub next: Vec<[Row; 2]>,
    /// What contacts take: the work of the law, turning rows and projection.
    pub work: f64,
}

/// What a run carries beside q and v.
pub struct Kept {
    pub rates: Vec<Vec<f64>>,
    pub lambda: Vec<f64>,
    pub turned: Vec<f64>,
    pub turns: Vec<f64>,
    /// ν by contact.
    pub nu: Vec<(u64, f64)>,
}

impl BodiesGgl {
    /// What was carried to a state.
    pub fn kept(&self, state: &State, memory: &Memory) -> Kept {
        let BodiesGglMemory { rates, lambda, c, turns, .. } = memory.carried.of::<BodiesGglMemory>().clone();
        let frames = self.frames(&state.q);
        let turned = c.iter().zip(&self.joints.rows).map(|(c, row)| c - row.value(&frames)).collect();
        Kept { rates, lambda, turned, turns, nu: memory.persistent.iter().map(|p| (p.id, p.nu)).collect() }
    }

    /// Steps that were made without U_T.
    pub fn unshifted(&self) -> u64 {
        self.unshifted
    }

    /// v̇ of every body where a run starts, Ḋ v by differences of order 8 over this part of a turn.
    pub fn first_rates(&mut self, state: &State, part: f64) -> Vec<Row> {
        if self.jointed() {
            return self.start_rates_by(state, part, &crate::located::tangent::WEIGHTS).0;
        }
        (0..self.scene.len()).map(|i| self.rate(i, &self.scene.twist(i, &state.v), state.t)).collect()
    }

    /// Components of an impulse, the rows of joints, and which of them hold places and velocities.
    pub fn sizes(&self) -> (usize, Vec<[bool; 2]>) {
        let holds = |law: &RowLaw| [matches!(law, RowLaw::Rigid { .. }), law.holds()];
        (self.dim(), self.joints.rows.iter().map(|row| holds(&row.law)).collect())
    }

    /// Whose z counts in U_T at the end of a step.
    pub fn counted(&mut self, begun: &Begun, given: &Given, q: &[f64], margin: &[f64]) -> Option<Vec<bool>> {
        self.begin(begun);
        let frames = self.frames(q);
        self.place(begun, &frames);
        let closed = self.closed(&given.closed, q, margin).into_iter().collect::<Option<Vec<Touch>>>()?;
        Some(self.shift_by(&closed, &given.p, begun.h, None).1)
    }

    fn begin(&mut self, begun: &Begun) {
        self.start = self.frames(&begun.state.q);
        self.turns = begun.turns.to_vec();
    }

    fn c_start(&self, begun: &Begun) -> Vec<f64> {
        self.joints.rows.iter().zip(begun.turned).map(|(row, turned)| row.value(&self.start) + turned).collect()
    }

    fn place(&mut self, begun: &Begun, frames: &[Frame]) {
        let c_start = self.c_start(begun);
        self.joints.place(&self.start, &c_start, frames);
    }

    /// These contacts at q.
    fn closed(&mut self, ids: &[u64], q: &[f64], margin: &[f64]) -> Vec<Option<Touch>> {
        let touches = self.touches(q, margin);
        ids.iter().map(|id| touches.iter().find(|c| c.id == *id).cloned()).collect()
    }

    /// What a step lacks.
    pub fn left(&mut self, begun: &Begun, given: &Given, margin: &[f64]) -> Left {
        let (scene, n, d) = (std::sync::Arc::clone(&self.scene), self.scene.len(), self.dim());
        let Begun { state, rates, h, .. } = *begun;
        self.begin(begun);
        let before = self.twists(&state.v, state.t);
        let c_start = self.c_start(begun);
        let (smooth, laws, parts) =
            self.left_of_smooth((state, &before, rates, &c_start), h, (&given.rate, &given.lambda));
        let mut left = Left { smooth, laws, ..Default::default() };

        // q̃ and q
        let mut qt = state.q.clone();
        for (i, part) in parts.iter().enumerate() {
            scene.advance(i, &state.q, 1.0, &part.shift, &mut qt);
        }
        left.gaps[0] = self.touches(&qt, margin).iter().map(|c| (c.id, c.gap)).collect();
        left.q.clone_from(&qt);
        for (i, way) in given.way.iter().enumerate() {
            scene.advance(i, &qt, 1.0, &as_twist(way), &mut left.q);
        }
        let frames = self.frames(&left.q);
        self.place(begun, &frames);
        let touches = self.touches(&left.q, margin);
        left.gaps[1] = touches.iter().map(|c| (c.id, c.gap)).collect();
        let found: Vec<Option<&Touch>> = given.closed.iter().map(|id| touches.iter().find(|c| c.id == *id)).collect();

        // U and v as ν, Λ and p make them
        let closed: Vec<Touch> = found.iter().flatten().map(|c| (*c).clone()).collect();
        let whole = closed.len() == given.closed.len();
        let mut way = if whole && begun.shifted {
            self.shift_by(&closed, &given.p, h, Some(&given.counts)).0
        } else {
            vec![[0.0; 6]; n]
        };
        let mut velocity: Vec<Row> = parts.iter().map(|part| as_row(&part.twist)).collect();
        let mut pushes = [vec![[0.0; 6]; n], vec![[0.0; 6]; n]];
        for (r, row) in self.joints.rows.iter().enumerate() {
            for (body, D) in &row.D {
                (0..6).for_each(|k| pushes[0][*body][k] += given.nu_b[r] * D[k]);
                (0..6).for_each(|k| pushes[1][*body][k] += given.La[r] * D[k]);
            }
        }
        for ((c, nu), p) in found.iter().zip(&given.nu).zip(given.p.chunks_exact(d)) {
            let Some(c) = c else { continue };
            for s in 0..2 {
                let [places, velocities] = &mut pushes;
                (0..6).for_each(|k| places[c.bodies[s]][k] += nu * c.rows[0][s][k]);
                for (row, p) in c.rows.iter().zip(p) {
                    (0..6).for_each(|k| velocities[c.bodies[s]][k] += p * row[s][k]);
                }
            }
        }
        for (made, push) in [&mut way, &mut velocity].into_iter().zip(&pushes) {
            let answered = self.joints.masses.respond_all(&scene, push);
            for (i, x) in answered.iter().enumerate().filter(|(i, _)| scene.bodies()[*i].is_free()) {
                (0..6).for_each(|k| made[i][k] += x[k]);
            }
        }
        let less = |x: &[Row], y: &[Row]| -> Vec<Row> {
            x.iter().zip(y).map(|(x, y)| std::array::from_fn(|k| x[k] - y[k])).collect()
        };
        (left.way, left.velocity) = (less(&given.way, &way), less(&given.after, &velocity));

        // velocities of those that are moved, rows, contacts
        let t = state.t + h;
        let after: Vec<Twist> =
            (0..n).map(|i| scene.imposed(i, t).unwrap_or_else(|| as_twist(&given.after[i]))).collect();
        let rows: Vec<Row> = after.iter().map(as_row).collect();
        for row in &self.joints.rows {
            let (place, rate) = match &row.law {
                RowLaw::Rigid { target } => (Some(row.c - target), Some(row.rate(&rows))),
                RowLaw::Rate(w) => (None, Some(row.rate(&rows) - w.at(t))),
                RowLaw::Force(_)
                | RowLaw::Servo(_)
                | RowLaw::Spring { .. }
                | RowLaw::Curve(_)
                | RowLaw::Rotor { .. } => (None, None),
            };
            left.places.push(place);
            left.rates.push(rate);
        }
        let meet = |c: &Touch| Met {
            gap: c.gap,
            restitution: c.restitution,
            friction: c.mu(),
            before: std::array::from_fn(|k| c.rate(k, &before)),
            after: std::array::from_fn(|k| c.rate(k, &after)),
        };
        left.met = found.iter().map(|c| c.map(meet)).collect();
        left.v = vec![0.0; state.v.len()];
        after.iter().enumerate().for_each(|(i, twist)| scene.write_twist(i, twist, &mut left.v));

        // impulses leave other gyroscopic moments and drags: accelerations begin again, as in `remember`
        let impulses = given.p.iter().any(|&p| p != 0.0);
        for (i, body) in scene.bodies().iter().enumerate() {
            let pushed = impulses && found.iter().flatten().any(|c| c.bodies.contains(&i));
            let again = !self.jointed() && body.is_free() && pushed && !(body.isotropic && body.drag == [0.0; 2]);
            let rate = if again { self.rate(i, &after[i], t) } else { parts[i].rate };
            left.next.push([if again { rate } else { parts[i].a }, rate]);
        }
        left.work = self.taken(begun, (given, &left.met, &closed), (&before, &after), &left.q, &parts);
        left
    }

    /// L + Pr.
    fn taken(
        &mut self,
        begun: &Begun,
        (given, met, closed): (&Given, &[Option<Met>], &[Touch]),
        (before, after): (&[Twist], &[Twist]),
        q: &[f64],
        parts: &[super::Smooth],
    ) -> f64 {
        let (scene, d, gamma) = (std::sync::Arc::clone(&self.scene), self.dim(), self.p.gamma);
        let Begun { state, rates, h, .. } = *begun;
        let mut work = 0.0;
        for (met, p) in met.iter().zip(given.p.chunks_exact(d)) {
            let Some(met) = met else { return f64::NAN };
            work += 0.5 * (0..d).map(|k| p[k] * (met.before[k] + met.after[k])).sum::<f64>();
        }
        let n = scene.len();
        let (mut zeta, mut a_gamma) = (vec![[0.0; 6]; n], vec![[0.0; 6]; n]);
        for i in (0..n).filter(|&i| scene.bodies()[i].is_free()) {
            let planar = scene.is_planar().then(|| q[3 * i + 2] - state.q[3 * i + 2]);
            let dq = displacement(planar, &self.start[i], &scene.frame(i, q));
            let (v, w) = (as_row(&before[i]), as_row(&after[i]));
            zeta[i] = std::array::from_fn(|k| dq[k] - 0.5 * h * (v[k] + w[k]));
            a_gamma[i] = std::array::from_fn(|k| (1.0 - gamma) * rates[i][k] + gamma * parts[i].a[k]);
        }
        let pushing = closed.iter().zip(&given.pushing).filter(|(_, pushes)| **pushes).map(|(c, _)| c);
        let (rows, _) = self.factorise_rows(pushing);
        work + self.projection.work(rows.iter().map(|row| (along(row, &zeta), along(row, &a_gamma))))
    }
}
