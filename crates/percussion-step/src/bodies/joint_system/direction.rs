//! Newton directions: S δλ = …, eliminated joint by joint, then δv body by body.

use crate::bodies::joint_system::{Entry, JointSystem, Meeting, dot6};
use crate::bodies::theta_step::{BodiesStart, middle};
use percussion_model::bodies::math::{Mat3, inverse, mul, mul_mat, skew};
use percussion_model::bodies::measure::BodyRow;
use percussion_model::bodies::{RowLaw, Twist};

/// Refinements at most; each leaves about 1e-4, near a place where nothing with mass moves a link more.
const REFINEMENTS: usize = 40;

impl JointSystem {
    /// S of the last full evaluation, or the graph of bodies and joints, eliminated; `false` when it cannot be.
    pub fn factor(&mut self, from: &BodiesStart, after: &[Twist]) -> bool {
        let (h, theta) = (from.h, self.theta);
        if self.graph.is_some() {
            return self.factor_graph(from, after);
        }
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, b)| b.is_free()) {
            let mass = body.divisor().0 + h * theta * body.drag[0];
            let A = self.turning(i, from, after);
            let inverse_A = if self.scene.is_planar() {
                let mut inverse = [[0.0; 3]; 3];
                inverse[2][2] = 1.0 / A[2][2];
                inverse
            } else {
                inverse(&A).unwrap_or(body.inverse_inertia)
            };
            self.inverse[i] = (1.0 / mass, inverse_A);
            let (first, n) = self.of_body[i];
            for e in first..first + n {
                self.response[e] = self.respond(i, &self.entries[e].D);
            }
        }
        self.weigh_rows(h);
        self.lu.values.fill(0.0);
        let Self { meetings, entries, response, weights, lu, .. } = self;
        for meeting in meetings.iter() {
            let (first, count) = meeting.right;
            let (left, right) = (&entries[meeting.left.0..][..meeting.left.1], &entries[first..first + count]);
            let response = &response[first..first + count];
            let aside = right[0].row - meeting.first.1;
            let in_order = right[count - 1].row - right[0].row + 1 == count;
            match (in_order, count) {
                (true, 6) => meet::<6>(left, weights, response, (meeting, aside), &mut lu.values),
                (true, 5) => meet::<5>(left, weights, response, (meeting, aside), &mut lu.values),
                (true, 3) => meet::<3>(left, weights, response, (meeting, aside), &mut lu.values),
                (true, 2) => meet::<2>(left, weights, response, (meeting, aside), &mut lu.values),
                (_, _) => {
                    for (j, entry) in right.iter().enumerate() {
                        let aside = entry.row - meeting.first.1;
                        meet::<1>(left, weights, &response[j..=j], (meeting, aside), &mut lu.values);
                    }
                }
            }
        }
        for node in 0..self.node_joint.len() {
            // what springs and motors of force add is their own
            let first = self.lu.first(node);
            let n = self.lu.size(node);
            let at = self.lu.offset(node, node);
            for k in 0..n {
                if !self.rows[first + k].law.holds() {
                    self.lu.values[at + k * n + k] += 1.0;
                }
            }
        }
        self.lu.factor()
    }

    /// The 3 × 3 part of A of a free body: inertia, gyroscopic term, the moment of its own reactions, drag.
    pub fn turning(&self, i: usize, from: &BodiesStart, after: &[Twist]) -> Mat3 {
        let (h, theta, body) = (from.h, self.theta, &self.scene.bodies()[i]);
        let I = &body.divisor().1;
        let mut A = *I;
        if body.stand_in.is_some() {
            // how its reactions turn with it is left out: what refines divides by a positive matrix
            (0..3).for_each(|r| A[r][r] += h * theta * body.drag[1]);
            return A;
        }
        if !body.isotropic {
            let a = middle(&from.before[i].w, &after[i].w, theta);
            let (left, right) = (mul_mat(&skew(&a), I), skew(&mul(I, &a)));
            for r in 0..3 {
                for k in 0..3 {
                    A[r][k] += h * theta * (left[r][k] - right[r][k]);
                }
            }
        }
        let turned = if self.secant { [[0.0; 3]; 3] } else { self.geometric[i].turned(&self.passages[i]) };
        for r in 0..3 {
            for k in 0..3 {
                A[r][k] -= h * theta * turned[r][k];
            }
            A[r][r] += h * theta * body.drag[1];
        }
        A
    }

    /// What multiplies N, and D of rows that speak of it, in every row of S.
    fn weigh_rows(&mut self, h: f64) {
        self.weights.clear();
        for r in 0..self.rows.len() {
            let weight = self.weight(r, h);
            let as_it_stands = self.secant && matches!(self.rows[r].law, RowLaw::Rigid { .. });
            self.weights.push(if as_it_stands || self.on_rates(r) { [0.0, weight] } else { [weight, 0.0] });
        }
    }

    /// What multiplies N in a row of S.
    pub fn weight(&self, r: usize, h: f64) -> f64 {
        match &self.rows[r].law {
            RowLaw::Rigid { .. } | RowLaw::Rate(_) => self.theta,
            RowLaw::Force(_) => 0.0,
            RowLaw::Servo(_) | RowLaw::Curve(_) => self.theta * h * self.slope[r],
            RowLaw::Rotor { .. } => self.slope[r],
            RowLaw::Spring { stiffness, damping, .. } => self.theta * h * (0.5 * h * stiffness + damping),
        }
    }

    /// A⁻¹ x of a body.
    #[inline]
    pub fn respond(&self, body: usize, x: &BodyRow) -> BodyRow {
        let (m, A) = &self.inverse[body];
        let w = mul(A, &[x[3], x[4], x[5]]);
        [m * x[0], m * x[1], m * x[2], w[0], w[1], w[2]]
    }

    /// The direction that answers impulses on bodies (already in A⁻¹ form in `dv`) and residuals of rows (in `dl`, with the other sign):
    /// fills δλ and completes δv.
    fn complete(&self, dv: &mut [BodyRow], dl: &mut [f64]) {
        for (i, &(first, n)) in self.of_body.iter().enumerate() {
            if self.inverse[i].0 == 0.0 || dv[i] == [0.0; 6] {
                continue;
            }
            for e in &self.entries[first..first + n] {
                let (N, weight) = e.weighed(&self.weights);
                dl[e.row] -= weight * dot6(N, &dv[i]);
            }
        }
        self.lu.solve(dl);
        for (i, &(first, n)) in self.of_body.iter().enumerate() {
            if self.inverse[i].0 == 0.0 {
                continue;
            }
            let mut sum = dv[i];
            for (entry, response) in self.entries[first..first + n].iter().zip(&self.response[first..first + n]) {
                let l = dl[entry.row];
                sum.iter_mut().zip(response).for_each(|(s, x)| *s += l * x);
            }
            dv[i] = sum;
        }
    }

    /// The Newton direction at the last evaluation.
    pub fn direction(&mut self, dv: &mut [BodyRow], dl: &mut [f64]) {
        if let Some(graph) = &mut self.graph {
            graph.direction(&self.r_body, &self.r_row, dv, dl);
        } else {
            for i in 0..dv.len() {
                dv[i] = if self.inverse[i].0 == 0.0 { [0.0; 6] } else { self.respond(i, &self.r_body[i].map(|x| -x)) };
            }
            dl.iter_mut().zip(&self.r_row).for_each(|(l, r)| *l = -r);
            self.complete(dv, dl);
        }
        self.without_stand_ins(dv, dl);
    }

    /// How velocities and reactions answer a unit impulse along a row on two bodies.
    pub fn answer(&mut self, bodies: [usize; 2], rows: &[BodyRow; 2], dv: &mut [BodyRow], dl: &mut [f64]) {
        if let Some(graph) = &mut self.graph {
            graph.answer(bodies, rows, dv, dl);
        } else {
            dv.fill([0.0; 6]);
            for (body, row) in bodies.into_iter().zip(rows) {
                if self.inverse[body].0 > 0.0 {
                    let x = self.respond(body, row);
                    for k in 0..6 {
                        dv[body][k] += x[k];
                    }
                }
            }
            dl.fill(0.0);
            self.complete(dv, dl);
        }
        self.without_stand_ins(dv, dl);
    }

    /// Takes out of a solution what the stand-ins G of bodies without mass did to it: (K + G) x = b, then x ← x + (K + G)⁻¹ G δx for the
    /// last change δx, until that is round-off.
    fn without_stand_ins(&self, dv: &mut [BodyRow], dl: &mut [f64]) {
        if self.massless.is_empty() {
            return;
        }
        let mut last: Vec<BodyRow> = self.massless.iter().map(|&i| dv[i]).collect();
        let (mut ddv, mut ddl) = (vec![[0.0; 6]; dv.len()], vec![0.0; dl.len()]);
        for _ in 0..REFINEMENTS {
            let mut impulses = vec![[0.0; 6]; dv.len()];
            for (&i, x) in self.massless.iter().zip(&last) {
                impulses[i] = self.stand_in_momentum(i, x);
            }
            if let Some(graph) = &self.graph {
                graph.spread(&impulses, &mut ddv, &mut ddl);
            } else {
                ddv.fill([0.0; 6]);
                ddl.fill(0.0);
                self.massless.iter().for_each(|&i| ddv[i] = self.respond(i, &impulses[i]));
                self.complete(&mut ddv, &mut ddl);
            }
            for (x, d) in dv.iter_mut().zip(&ddv) {
                (0..6).for_each(|k| x[k] += d[k]);
            }
            dl.iter_mut().zip(&ddl).for_each(|(x, d)| *x += d);
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for (&i, x) in self.massless.iter().zip(&mut last) {
                *x = ddv[i];
                change += dot6(x, &self.stand_in_momentum(i, x));
                size += dot6(&dv[i], &self.stand_in_momentum(i, &dv[i]));
            }
            if change <= f64::EPSILON * f64::EPSILON * size {
                return;
            }
        }
    }

    /// G x of a body without mass.
    fn stand_in_momentum(&self, i: usize, x: &BodyRow) -> BodyRow {
        let [m, j] = self.scene.bodies()[i].stand_in.unwrap_or_default();
        [m * x[0], m * x[1], m * x[2], j * x[3], j * x[4], j * x[5]]
    }

    /// λ for right-hand sides of rows, in their place, and the velocities A⁻¹Dᵀλ, in parts that add up.
    pub fn react(&self, lambda: &mut [f64], mut visit: impl FnMut(usize, &BodyRow)) {
        if !self.massless.is_empty() {
            let mut dv = vec![[0.0; 6]; self.of_body.len()];
            self.react_with_stand_ins(lambda, |i, x| (0..6).for_each(|k| dv[i][k] += x[k]));
            self.without_stand_ins(&mut dv, lambda);
            dv.iter().enumerate().filter(|(i, _)| self.inverse[*i].0 > 0.0).for_each(|(i, x)| visit(i, x));
            return;
        }
        self.react_with_stand_ins(lambda, visit);
    }

    fn react_with_stand_ins(&self, lambda: &mut [f64], mut visit: impl FnMut(usize, &BodyRow)) {
        if let Some(graph) = &self.graph {
            return graph.react(lambda, visit);
        }
        self.lu.solve(lambda);
        for (i, &(first, n)) in self.of_body.iter().enumerate().filter(|(i, _)| self.inverse[*i].0 > 0.0) {
            for e in first..first + n {
                let l = lambda[self.entries[e].row];
                visit(i, &self.response[e].map(|x| l * x));
            }
        }
    }
}

impl Entry {
    /// The row that Newton's matrix has here, and its weight: motors and rotors speak of D v₁.
    #[inline]
    fn weighed(&self, weights: &[[f64; 2]]) -> (&BodyRow, f64) {
        let [of_N, of_D] = weights[self.row];
        if of_D == 0.0 { (&self.N, of_N) } else { (&self.D, of_D) }
    }
}

/// Adds what the rows of two nodes at one body put into S: weight · N A⁻¹Dᵀ, W of them on the right.
#[inline]
fn meet<const W: usize>(
    left: &[Entry],
    weights: &[[f64; 2]],
    response: &[BodyRow],
    (meeting, aside): (&Meeting, usize),
    values: &mut [f64],
) {
    let mut columns = [[0.0; W]; 6];
    for (j, response) in response[..W].iter().enumerate() {
        for k in 0..6 {
            columns[k][j] = response[k];
        }
    }
    for entry in left {
        let (N, weight) = entry.weighed(weights);
        if weight == 0.0 {
            continue;
        }
        let mut sum = [0.0; W];
        for (n, column) in N.iter().zip(&columns) {
            sum.iter_mut().zip(column).for_each(|(s, x)| *s += n * x);
        }
        let at = meeting.block + (entry.row - meeting.first.0) * meeting.width + aside;
        values[at..at + W].iter_mut().zip(sum).for_each(|(x, s)| *x += weight * s);
    }
}
