//! What errors are measured against: a motion in closed form, or a fine run.
//!
//! Of a fine run, values between rows are interpolated; where its step divides the others they are taken as they are.

use percussion_step::measure::{Exact, Graph};
use percussion_step::{Recorder, Start, Step, Stop};
use std::sync::Arc;

/// A motion to measure against.
pub enum Reference {
    /// A closed form.
    Exact(Arc<dyn Exact>),
    /// A run, with what it was.
    Run {
        /// In words: "event-driven, step 1e-4 s".
        what: String,
        /// Its rows.
        rows: Rows,
    },
}

impl Reference {
    /// In words.
    pub fn what(&self) -> String {
        match self {
            Self::Exact(_) => "the exact motion".into(),
            Self::Run { what, .. } => what.clone(),
        }
    }

    /// q(t), v(t⁺).
    pub fn at(&self, t: f64) -> (Vec<f64>, Vec<f64>) {
        match self {
            Self::Exact(exact) => (exact.q(t), exact.v(t)),
            Self::Run { rows, .. } => rows.at(t),
        }
    }

    /// The filled-in graphs of coordinate i of q and v up to `end`, sampled at least `samples` times.
    pub fn graphs(&self, i: usize, end: f64, samples: usize) -> (Graph, Graph) {
        let column = |x: &[f64], n: usize| -> Vec<f64> { x.iter().skip(i).step_by(n.max(1)).copied().collect() };
        match self {
            Self::Run { rows, .. } => {
                let (q, v) = (column(&rows.q, rows.n_q), column(&rows.v, rows.n_v));
                (Graph::continuous(&rows.t, &q), Graph::staircase(&rows.t, &v))
            }
            Self::Exact(exact) => {
                // a jump lies between a point just before it and one just after
                let mut t: Vec<f64> = (0..=samples).map(|k| end * k as f64 / samples as f64).collect();
                for jump in exact.jumps(end) {
                    t.extend([jump * (1.0 - 1e-12), jump * (1.0 + 1e-12)]);
                }
                t.sort_by(f64::total_cmp);
                let q: Vec<f64> = t.iter().map(|&t| exact.q(t)[i]).collect();
                let v: Vec<f64> = t.iter().map(|&t| exact.v(t)[i]).collect();
                (Graph::continuous(&t, &q), Graph::continuous(&t, &v))
            }
        }
    }
}

/// The rows of a run.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Coordinates in a row.
    pub n_q: usize,
    /// Velocities in a row.
    pub n_v: usize,
    /// Times.
    pub t: Vec<f64>,
    /// q, row after row.
    pub q: Vec<f64>,
    /// v, row after row.
    pub v: Vec<f64>,
}

impl Rows {
    fn at(&self, t: f64) -> (Vec<f64>, Vec<f64>) {
        let last = self.t.len() - 1;
        let k = self.t.partition_point(|&row| row < t).min(last);
        let row = |k: usize| (&self.q[k * self.n_q..(k + 1) * self.n_q], &self.v[k * self.n_v..(k + 1) * self.n_v]);
        let (q, v) = row(k);
        // the row itself, where times agree to round-off
        let near = |row: f64| (row - t).abs() <= 1e-9 * (1.0 + t.abs()) * 1e-3;
        if k == 0 || near(self.t[k]) || t > self.t[k] {
            return (q.to_vec(), v.to_vec());
        }
        let (q0, v0) = row(k - 1);
        let s = (t - self.t[k - 1]) / (self.t[k] - self.t[k - 1]);
        let mix = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + s * (b - a)).collect();
        if near(self.t[k - 1]) { (q0.to_vec(), v0.to_vec()) } else { (mix(q0, q), mix(v0, v)) }
    }
}

impl Recorder for Rows {
    fn start(&mut self, start: &Start) -> Result<(), Stop> {
        (self.n_q, self.n_v) = (start.state.q.len(), start.state.v.len());
        self.push(start.state.t, &start.state.q, &start.state.v);
        Ok(())
    }

    fn record(&mut self, _: u64, step: &Step) -> Result<(), Stop> {
        self.push(step.after.t, &step.after.q, &step.after.v);
        Ok(())
    }
}

impl Rows {
    fn push(&mut self, t: f64, q: &[f64], v: &[f64]) {
        self.t.push(t);
        self.q.extend_from_slice(q);
        self.v.extend_from_slice(v);
    }
}
