//! Errors of a run against a reference, summed as its steps come up to the end asked for; a last step that reaches beyond it does
//! not count.
//!
//!   L1 = Σ_k (t_k − t_{k−1}) Σ_i |x_i,k − x_i(t_k)|,   relative: the same over Σ_k (t_k − t_{k−1}) Σ_i |x_i(t_k)|
//!   Lp = (Σ_k (t_k − t_{k−1}) Σ_i |x_i,k − x_i(t_k)|^p)^{1/p}

use crate::reference::{Reference, Rows};
use percussion_step::measure::{Graph, hausdorff};
use percussion_step::{Recorder, Start, Step, Stop};
use std::sync::atomic::{AtomicBool, Ordering};

/// Relative accuracy of Hausdorff distances.
const ACCURACY: f64 = 1e-3;

/// Round-off of a sum of N terms grows like √N ε; a step is some ten operations.
const ROUND_OFF: f64 = 10.0 * f64::EPSILON;

/// Errors of one run, over all coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// L1 of q.
    pub l1_q: f64,
    /// L1 of v.
    pub l1_v: f64,
    /// Relative L1 of q.
    pub relative_q: f64,
    /// Relative L1 of v.
    pub relative_v: f64,
    /// L2 of q.
    pub l2_q: f64,
    /// Largest difference of q at any step.
    pub max_q: f64,
    /// Hausdorff distance of the filled-in graphs of q, the largest of any coordinate, where it was asked for.
    pub hausdorff_q: Option<f64>,
    /// The same of v.
    pub hausdorff_v: Option<f64>,
    /// Lp of q, where it was asked for.
    pub lp_q: Option<f64>,
    /// The same of v.
    pub lp_v: Option<f64>,
    /// Whether the error of q is no larger than rounding makes it: relative L1 ≤ 10 ε √N over N steps.
    pub rounded_q: bool,
    /// The same of v.
    pub rounded_v: bool,
}

/// A recorder that measures.
pub struct ErrorMeter<'a> {
    reference: &'a Reference,
    stop: &'a AtomicBool,
    /// Rows kept for the Hausdorff distance.
    rows: Option<Rows>,
    t: f64,
    /// Where to stop counting [s].
    end: f64,
    started: bool,
    /// The initial state until the first step tells its weight.
    initial: Option<(Vec<f64>, Vec<f64>)>,
    sums: [f64; 5],
    /// p of Lp and its sums of q and v.
    norm: Option<(f64, f64, f64)>,
    max_q: f64,
    steps: u64,
}

impl<'a> ErrorMeter<'a> {
    /// Nothing seen yet; `graphs`: also Hausdorff distances, for which all rows are kept.
    pub fn new(reference: &'a Reference, end: f64, graphs: bool, stop: &'a AtomicBool) -> Self {
        let rows = graphs.then(Rows::default);
        let (t, started, initial) = (0.0, false, None);
        Self { reference, stop, rows, t, end, started, initial, sums: [0.0; 5], norm: None, max_q: 0.0, steps: 0 }
    }

    /// Also errors in Lp.
    pub fn with_norm(self, p: Option<f64>) -> Self {
        Self { norm: p.map(|p| (p, 0.0, 0.0)), ..self }
    }

    /// A state at t; the first call is the initial state.
    pub fn push(&mut self, t: f64, q: &[f64], v: &[f64]) {
        if !self.started {
            (self.started, self.t, self.initial) = (true, t, Some((q.to_vec(), v.to_vec())));
            return;
        }
        if t > self.end * (1.0 + 1e-9) {
            return;
        }
        let h = t - self.t;
        // the initial state weighs as much as the first step, as in h Σ_{k=0}^N
        if let Some((q0, v0)) = self.initial.take() {
            self.add(self.t, h, &q0, &v0);
        }
        self.add(t, h, q, v);
        self.t = t;
        self.steps += 1;
    }

    fn add(&mut self, t: f64, h: f64, q: &[f64], v: &[f64]) {
        let (q_ref, v_ref) = self.reference.at(t);
        for (x, y) in q.iter().zip(&q_ref) {
            let d = (x - y).abs();
            self.sums[0] += h * d;
            self.sums[1] += h * y.abs();
            self.sums[4] += h * d * d;
            self.max_q = self.max_q.max(d);
        }
        for (x, y) in v.iter().zip(&v_ref) {
            self.sums[2] += h * (x - y).abs();
            self.sums[3] += h * y.abs();
        }
        if let Some((p, of_q, of_v)) = &mut self.norm {
            let sum = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - y).abs().powf(*p)).sum::<f64>();
            *of_q += h * sum(q, &q_ref);
            *of_v += h * sum(v, &v_ref);
        }
    }

    /// The errors.
    pub fn errors(&self) -> Errors {
        let [l1_q, size_q, l1_v, size_v, square_q] = self.sums;
        let (hausdorff_q, hausdorff_v) = match &self.rows {
            Some(rows) if !rows.t.is_empty() => {
                let (q, v) = self.distances(rows);
                (Some(q), Some(v))
            }
            _ => (None, None),
        };
        let round_off = ROUND_OFF * (self.steps as f64).sqrt();
        Errors {
            rounded_q: l1_q <= round_off * size_q,
            rounded_v: l1_v <= round_off * size_v,
            l1_q,
            l1_v,
            relative_q: l1_q / size_q,
            relative_v: l1_v / size_v,
            l2_q: square_q.sqrt(),
            max_q: self.max_q,
            hausdorff_q,
            hausdorff_v,
            lp_q: self.norm.map(|(p, of_q, _)| of_q.powf(1.0 / p)),
            lp_v: self.norm.map(|(p, _, of_v)| of_v.powf(1.0 / p)),
        }
    }

    fn distances(&self, rows: &Rows) -> (f64, f64) {
        let samples = (4 * rows.t.len()).clamp(4000, 200_000);
        let mut worst = (0.0_f64, 0.0_f64);
        for i in 0..rows.n_q.min(rows.n_v) {
            let (q_ref, v_ref) = self.reference.graphs(i, self.t, samples);
            let column = |x: &[f64], n: usize| -> Vec<f64> { x.iter().skip(i).step_by(n).copied().collect() };
            let q = Graph::continuous(&rows.t, &column(&rows.q, rows.n_q));
            let v = Graph::staircase(&rows.t, &column(&rows.v, rows.n_v));
            worst.0 = worst.0.max(hausdorff(&q, &q_ref, ACCURACY));
            worst.1 = worst.1.max(hausdorff(&v, &v_ref, ACCURACY));
        }
        worst
    }
}

impl Recorder for ErrorMeter<'_> {
    fn start(&mut self, start: &Start) -> Result<(), Stop> {
        if let Some(rows) = &mut self.rows {
            rows.start(start)?;
        }
        self.push(start.state.t, &start.state.q, &start.state.v);
        Ok(())
    }

    fn record(&mut self, number: u64, step: &Step) -> Result<(), Stop> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Stop::Interrupted);
        }
        if let Some(rows) = self.rows.as_mut().filter(|_| step.after.t <= self.end * (1.0 + 1e-9)) {
            rows.record(number, step)?;
        }
        self.push(step.after.t, &step.after.q, &step.after.v);
        Ok(())
    }
}
