//! The energy-momentum step of a structure by Newton's method.
//!
//!   m Δv + coupling + h F = h f + Dᵀλ,   I Δw + h w_θ × I w_θ + h F = h R̄⁻¹μ + Dᵀλ,   c(q₁) = 0
//!   x₁ = x₀ + h v_θ,  R₁ = R₀ cay(h w_θ)

use crate::band::Band;
use crate::structure::{Load, Motion, Structure};
use percussion_model::bodies::math::{Vec3, add, axpy, cross, mul, mul_mat, mul_t, norm, scale, skew, sub};
use percussion_model::bodies::measure::{BodyRow, Passage};
use percussion_model::bodies::{Frame, Twist};
use percussion_model::flexible::cayley;
use percussion_model::flexible::mean_frame::body_moment;

/// A structure in time.
pub struct Mover {
    pub s: Structure,
    pub t: f64,
    pub theta: f64,
    /// Stop where the change of velocities is below this part of max(1, |v|).
    pub tolerance: f64,
    pub iterations: usize,
    pub work_damping: f64,
    pub work_contact: f64,
    /// Impulse of the stop in the last step.
    pub impulse: f64,
    first: Vec<usize>,
    first_row: Vec<usize>,
    n: usize,
    band: Band,
    before: Vec<Twist>,
    change: Vec<BodyRow>,
    lambda: Vec<Vec<f64>>,
}

const NONE: usize = usize::MAX;

impl Mover {
    pub fn new(s: Structure) -> Self {
        // unknowns in the order of the nodes, each joint after the first free node it holds
        let (mut first, mut first_row) = (vec![NONE; s.nodes.len()], vec![NONE; s.joints.len()]);
        let mut n = 0;
        for (i, node) in s.nodes.iter().enumerate() {
            if node.is_free() {
                first[i] = n;
                n += 6;
            }
            for (j, joint) in s.joints.iter().enumerate() {
                if first_row[j] == NONE && joint.nodes.contains(&i) && node.is_free() {
                    first_row[j] = n;
                    n += joint.rows.len();
                }
            }
        }
        // the impulse of a stop comes last: stops are on the last node
        let stop_row = n;
        if s.stop.is_some() {
            n += 1;
        }
        let mut half = 6;
        let mut meet = |from: usize, size: usize, to: usize| {
            if from != NONE && to != NONE {
                half = half.max(from.abs_diff(to) + size + 6);
            }
        };
        for link in &s.links {
            meet(first[link.nodes[0]], 6, first[link.nodes[1]]);
        }
        for (j, joint) in s.joints.iter().enumerate() {
            for k in joint.nodes {
                meet(first_row[j], joint.rows.len(), first[k]);
            }
        }
        if let Some(stop) = s.stop {
            meet(stop_row, 1, first[stop.node]);
        }
        let before = s.nodes.iter().map(|n| n.twist).collect();
        Self {
            t: 0.0,
            theta: 0.5,
            tolerance: 1e-12,
            iterations: 0,
            work_damping: 0.0,
            work_contact: 0.0,
            impulse: 0.0,
            first,
            first_row,
            band: Band::new(n, half),
            n,
            before,
            change: vec![[0.0; 6]; s.nodes.len()],
            lambda: s.joints.iter().map(|j| vec![0.0; j.rows.len()]).collect(),
            s,
        }
    }

    /// One step under loads.
    pub fn step(&mut self, h: f64, loads: &[Load]) {
        let active = self.s.stop.is_some_and(|stop| {
            let (x, v) = (self.s.nodes[stop.node].frame.x[0], self.s.nodes[stop.node].twist.v[0]);
            stop.place - x - h * v <= 0.0 && -v <= 1e-9
        });
        let saved: Vec<_> = self.s.links.iter().map(|l| l.stress).collect();
        if active {
            self.solve(h, loads, true);
            if self.impulse < 0.0 {
                for (link, stress) in self.s.links.iter_mut().zip(saved) {
                    link.stress = stress;
                }
                self.solve(h, loads, false);
            }
        } else {
            self.solve(h, loads, false);
        }
        self.accept(h);
    }

    /// v₁, λ and p of the step, in `before` (as v₁), `lambda` and `impulse`.
    fn solve(&mut self, h: f64, loads: &[Load], active: bool) {
        let n = self.s.nodes.len();
        let mut after: Vec<Twist> = (0..n)
            .map(|i| {
                let node = &self.s.nodes[i];
                match node.motion {
                    Motion::Free => plus(&node.twist, &self.change[i]),
                    Motion::Fixed => Twist::default(),
                    // the mean velocity is what turns the node
                    Motion::Turning(angle) => {
                        let turn = 2.0 * (0.5 * (angle(self.t + h) - angle(self.t))).tan() / h;
                        Twist { v: [0.0; 3], w: [0.0, 0.0, turn] }
                    }
                }
            })
            .collect();
        self.impulse = 0.0;
        let mut r = vec![0.0; self.n];
        let mut last = f64::INFINITY;
        for iteration in 1..=60 {
            let passages = self.passages(&after, h);
            self.assemble(&after, &passages, h, loads, active, &mut r);
            self.band.solve(&mut r);
            let mut size: f64 = 0.0;
            for i in 0..n {
                let at = self.first[i];
                if at == NONE {
                    continue;
                }
                for k in 0..3 {
                    after[i].v[k] -= r[at + k];
                    after[i].w[k] -= r[at + 3 + k];
                    size = size.max(r[at + k].abs()).max(r[at + 3 + k].abs());
                }
            }
            for (j, lambda) in self.lambda.iter_mut().enumerate() {
                for (k, l) in lambda.iter_mut().enumerate() {
                    *l -= r[self.first_row[j] + k];
                }
            }
            if self.s.stop.is_some() {
                self.impulse -= r[self.n - 1];
            }
            self.predict_stresses(&passages, &r, h);
            self.iterations += 1;
            let speed = after.iter().fold(1.0_f64, |s, t| s.max(norm(&t.v)).max(norm(&t.w)));
            // arrived, or at the floor that round-off leaves
            if size <= self.tolerance * speed || (size <= 1e-9 * speed && size > 0.3 * last) {
                break;
            }
            last = size;
            assert!(iteration < 60 && size.is_finite(), "Newton did not arrive: {size:e} at t = {}", self.t);
        }
        self.before = after;
    }

    fn passages(&self, after: &[Twist], h: f64) -> Vec<Passage> {
        let one = |i: usize| {
            let node = &self.s.nodes[i];
            let mean = self.mean(i, &after[i]);
            let a = scale(h, &mean.w);
            let end = cayley::advanced(&node.frame, &scale(h, &mean.v), &a);
            Passage::new(&node.frame, &end, &a)
        };
        (0..after.len()).map(one).collect()
    }

    fn mean(&self, i: usize, after: &Twist) -> Twist {
        let node = &self.s.nodes[i];
        let theta = if node.is_free() { self.theta } else { 1.0 };
        let mean = |b: &Vec3, a: &Vec3| axpy(&scale(1.0 - theta, b), theta, a);
        Twist { v: mean(&node.twist.v, &after.v), w: mean(&node.twist.w, &after.w) }
    }

    fn assemble(&mut self, after: &[Twist], p: &[Passage], h: f64, loads: &[Load], active: bool, r: &mut [f64]) {
        self.band.clear();
        r.fill(0.0);
        self.inertia(after, h, r);
        let factor = h * h * self.theta;
        for link in &self.s.links {
            let [a, b] = link.nodes;
            let (step, K) = link.element.with_tangent(&p[a], &p[b], h, Some(&link.stress));
            let dv = |i: usize| sub(&after[i].v, &self.s.nodes[i].twist.v);
            let coupling = link.mass.coupling_impulse(&dv(a), &dv(b));
            let ends = [a, b];
            for i in 0..2 {
                let at = self.first[ends[i]];
                if at == NONE {
                    continue;
                }
                let sign = if i == 0 { 1.0 } else { -1.0 };
                for k in 0..6 {
                    r[at + k] += h * step.force[i][k];
                }
                for k in 0..3 {
                    r[at + k] += sign * coupling[k];
                }
                for j in 0..2 {
                    let to = self.first[ends[j]];
                    if to == NONE {
                        continue;
                    }
                    for c in 0..6 {
                        for k in 0..6 {
                            self.band.add(at + k, to + c, factor * K[i][j][k][c]);
                        }
                    }
                    let mass = if i == j { -link.mass.coupling } else { link.mass.coupling };
                    for k in 0..3 {
                        self.band.add(at + k, to + k, mass);
                    }
                }
            }
        }
        for load in loads {
            let at = self.first[load.node];
            let start = &p[load.node].ends[0].R;
            let m = body_moment(start, &p[load.node].turn, &load.moment);
            let own = skew(&scale(0.5, &mul_t(start, &load.moment)));
            for k in 0..3 {
                r[at + k] -= h * load.force[k];
                r[at + 3 + k] -= h * m[k];
                for c in 0..3 {
                    self.band.add(at + 3 + k, at + 3 + c, -factor * own[k][c]);
                }
            }
        }
        self.joint_rows(p, h, r);
        self.stop_row(after, active, r);
    }

    fn inertia(&mut self, after: &[Twist], h: f64, r: &mut [f64]) {
        for i in 0..after.len() {
            let at = self.first[i];
            if at == NONE {
                continue;
            }
            let node = &self.s.nodes[i];
            let mean = self.mean(i, &after[i]);
            let I = &node.inertia;
            let Iw = mul(I, &mean.w);
            let spin = add(&mul(I, &sub(&after[i].w, &node.twist.w)), &scale(h, &cross(&mean.w, &Iw)));
            let (left, right) = (mul_mat(&skew(&mean.w), I), skew(&Iw));
            for k in 0..3 {
                r[at + k] += node.mass * (after[i].v[k] - node.twist.v[k] - h * self.s.gravity[k]);
                r[at + 3 + k] += spin[k];
                self.band.add(at + k, at + k, node.mass);
                for c in 0..3 {
                    let gyroscopic = h * self.theta * (left[k][c] - right[k][c]);
                    self.band.add(at + 3 + k, at + 3 + c, I[k][c] + gyroscopic);
                }
            }
        }
    }

    fn joint_rows(&mut self, p: &[Passage], h: f64, r: &mut [f64]) {
        for (j, joint) in self.s.joints.iter().enumerate() {
            let pair = joint.nodes.map(|k| &p[k]);
            for (k, row) in joint.rows.iter().enumerate() {
                let at = self.first_row[j] + k;
                let step = row.over_step(&pair);
                let l = self.lambda[j][k];
                let G = row.geometric(&pair, l);
                r[at] += step.value / h;
                for side in 0..2 {
                    let to = self.first[joint.nodes[side]];
                    if to == NONE {
                        continue;
                    }
                    for c in 0..6 {
                        r[to + c] -= l * step.D[side][c];
                        self.band.add(to + c, at, -step.D[side][c]);
                        self.band.add(at, to + c, self.theta * step.N[side][c]);
                    }
                    for other in 0..2 {
                        let from = self.first[joint.nodes[other]];
                        if from == NONE {
                            continue;
                        }
                        for m in 0..3 {
                            for c in 0..3 {
                                self.band.add(to + 3 + m, from + 3 + c, -h * self.theta * G[side][other][m][c]);
                            }
                        }
                    }
                }
            }
        }
    }

    fn stop_row(&mut self, after: &[Twist], active: bool, r: &mut [f64]) {
        let Some(stop) = self.s.stop else { return };
        let (at, to) = (self.n - 1, self.first[stop.node]);
        if !active {
            self.band.add(at, at, 1.0);
            r[at] = self.impulse;
            return;
        }
        // u = −v, u₁ = −e u₀, the impulse pushes along −x
        r[to] += self.impulse;
        self.band.add(to, at, 1.0);
        r[at] = after[stop.node].v[0] + stop.restitution * self.s.nodes[stop.node].twist.v[0];
        self.band.add(at, to, 1.0);
    }

    fn predict_stresses(&mut self, p: &[Passage], r: &[f64], h: f64) {
        let c = h * self.theta;
        let first = &self.first;
        let moved = |i: usize| -> BodyRow {
            let at = first[i];
            if at == NONE { [0.0; 6] } else { std::array::from_fn(|k| -c * r[at + k]) }
        };
        for link in &mut self.s.links {
            let [a, b] = link.nodes;
            let step = link.element.over_step(&p[a], &p[b], h);
            link.stress = link.element.predicted_stress(&step, &p[a], &p[b], h, &[moved(a), moved(b)]);
        }
    }

    fn accept(&mut self, h: f64) {
        let after = std::mem::take(&mut self.before);
        let passages = self.passages(&after, h);
        for link in &mut self.s.links {
            let [a, b] = link.nodes;
            let step = link.element.over_step(&passages[a], &passages[b], h);
            assert!(!step.folded, "an element folded at t = {}", self.t);
            self.work_damping -= step.dissipation;
            link.stress = step.stress;
        }
        if let Some(stop) = self.s.stop {
            let mean = self.mean(stop.node, &after[stop.node]).v[0];
            self.work_contact -= self.impulse * mean;
        }
        for i in 0..after.len() {
            let mut change = [0.0; 6];
            let node = &mut self.s.nodes[i];
            for k in 0..3 {
                change[k] = after[i].v[k] - node.twist.v[k];
                change[3 + k] = after[i].w[k] - node.twist.w[k];
            }
            // a jump is not continued
            self.change[i] = if self.impulse == 0.0 { change } else { [0.0; 6] };
            node.frame = passages[i].ends[1];
            node.twist = after[i];
        }
        self.before = after;
        self.t += h;
    }

    /// Largest violation of a joint.
    pub fn joint_error(&self) -> f64 {
        let mut worst: f64 = 0.0;
        for joint in &self.s.joints {
            let [a, b]: [&Frame; 2] = joint.nodes.map(|k| &self.s.nodes[k].frame);
            worst = joint.rows.iter().fold(worst, |s, row| s.max(row.value(a, b).abs()));
        }
        worst
    }
}

fn plus(t: &Twist, d: &BodyRow) -> Twist {
    Twist { v: [t.v[0] + d[0], t.v[1] + d[1], t.v[2] + d[2]], w: [t.w[0] + d[3], t.w[1] + d[4], t.w[2] + d[5]] }
}
